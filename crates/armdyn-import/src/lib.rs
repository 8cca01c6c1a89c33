//! Robot descriptions in: armdyn's own TOML, URDF (with xacro's common subset), MJCF.
//!
//! [`load`] gives a [`Loaded`]: the [`Description`] that the file holds, and *all* findings, each with a stable code, a
//! place in the source, and what to do about it. Nothing that a file says is dropped in silence: what was not used is a
//! finding too.

mod check;
mod description;
mod direction;
mod export;
pub mod findings;
pub mod library;
mod mesh;
mod mjcf;
mod packages;
mod solids;
mod source;
mod spelling;
mod toml;
mod topology;
mod units;
mod urdf;
mod xacro;
mod xml;

pub use check::check;
pub use description::{
    BeamDescription, ContactDescription, CoupledRotor, Description, JointDescription, LinkDescription, Mimic,
    PartDescription, PayloadDescription, Shape,
};
pub use export::{ConversionError, ConversionLoss, to_toml, to_urdf};
pub use findings::{Category, Code, Finding, Severity};
pub use source::{Place, SourceFile, Sources};

use armdyn_core::{BuildError, Model};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How a robot is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// armdyn's own TOML (`docs/format.md`).
    Toml,
    /// URDF, plain or as xacro.
    Urdf,
    /// MuJoCo's MJCF.
    Mjcf,
}

/// What a reader may need besides the file.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where packages are, by name, for `package://` and `$(find …)`.
    pub packages: BTreeMap<String, PathBuf>,
    /// Values of xacro arguments.
    pub arguments: BTreeMap<String, String>,
}

/// What a file gave.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The robot, unless an error stands against it.
    pub description: Option<Description>,
    /// Everything that was found, in the order of the text.
    pub findings: Vec<Finding>,
    /// The files.
    pub sources: Sources,
}

impl Loaded {
    /// The worst severity found.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.code.severity).max()
    }

    /// The model, if there is a description.
    pub fn model(&self) -> Option<Result<Model<f64>, BuildError>> {
        self.description.as_ref().map(Description::model)
    }
}

/// What a reader writes to.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    pub sources: Sources,
    pub findings: Vec<Finding>,
}

impl Diagnostics {
    /// Tells something at a place.
    pub fn report(&mut self, code: &'static Code, place: &Place, what: impl Into<String>) {
        self.findings.push(Finding::at(code, place, what));
    }
}

/// The largest file that is read \[bytes\].
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Reads a robot from a file; its format by its name's ending, that of an `.xml` by its root element.
pub fn load(path: &Path, options: &Options) -> Loaded {
    match read_text(path) {
        Err(what) => Loaded { findings: vec![Finding::of_file(findings::A001, what)], ..Loaded::default() },
        Ok(text) => match format_of(path, &text) {
            Some(format) => load_text(path, text, format, options),
            None => {
                let what = format!("`{}` has no ending that tells its format", path.display());
                Loaded { findings: vec![Finding::of_file(findings::A003, what)], ..Loaded::default() }
            }
        },
    }
}

/// Reads a robot from a text; `path` is what it is called, and where files that it names are looked for.
pub fn load_text(path: &Path, text: String, format: Format, options: &Options) -> Loaded {
    let mut diagnostics = Diagnostics::default();
    let file = diagnostics.sources.add(path, text);
    let description = match format {
        Format::Toml => toml::read(&mut diagnostics, file),
        Format::Urdf => urdf::read(&mut diagnostics, file, options),
        Format::Mjcf => mjcf::read(&mut diagnostics, file, options),
    };
    let Diagnostics { sources, findings } = diagnostics;
    let loaded = Loaded { description, findings, sources };
    // No robot is handed out that an error stands against.
    if loaded.worst() == Some(Severity::Error) { Loaded { description: None, ..loaded } } else { loaded }
}

fn format_of(path: &Path, text: &str) -> Option<Format> {
    match path.extension()?.to_str()? {
        "toml" => Some(Format::Toml),
        "urdf" | "xacro" => Some(Format::Urdf),
        "mjcf" => Some(Format::Mjcf),
        // A text that is not well formed is told by the reader of either.
        "xml" => match xml::root_name(text) {
            Some("robot") => Some(Format::Urdf),
            Some("mujoco") | None => Some(Format::Mjcf),
            Some(_) => None,
        },
        _ => None,
    }
}

/// Whether a file that lies in a folder is likely a robot: by its ending, and where others use it too, by how its text
/// begins. (A xacro file whose robot has no name is one that others include.)
pub fn is_robot_file(path: &Path) -> bool {
    let Some(ending) = path.extension().and_then(|e| e.to_str()) else { return false };
    let begins = || {
        let mut bytes = vec![];
        let read = std::fs::File::open(path).and_then(|f| f.take(HEAD_BYTES).read_to_end(&mut bytes));
        read.map(|_| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    };
    let named = |text: String| {
        let tag = text.split_once("<robot").and_then(|(_, rest)| rest.split_once('>')).map_or("", |(tag, _)| tag);
        tag.contains("name=") || tag.contains("name =")
    };
    match ending {
        "urdf" | "mjcf" => true,
        "xacro" => named(begins()),
        "xml" => Some(begins()).is_some_and(|text| text.contains("<mujoco") || named(text)),
        "toml" => begins().contains("[[link]]"),
        _ => false,
    }
}

/// How much of a file is looked at to tell whether it is a robot \[bytes\].
const HEAD_BYTES: u64 = 64 << 10;

fn read_text(path: &Path) -> Result<String, String> {
    let (bytes, told) = (read_bytes(path)?, path.display());
    if bytes.contains(&0) {
        return Err(format!("`{told}` is not a text file (it holds a zero byte)"));
    }
    String::from_utf8(bytes).map_err(|e| format!("`{told}` is not UTF-8 (byte {})", e.utf8_error().valid_up_to()))
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let told = path.display();
    let about = std::fs::metadata(path).map_err(|e| format!("`{told}` cannot be read: {e}"))?;
    if !about.is_file() {
        return Err(format!("`{told}` is not a file"));
    }
    if about.len() > MAX_FILE_BYTES {
        return Err(format!(
            "`{told}` has {} MiB; the largest that is read has {}",
            about.len() >> 20,
            MAX_FILE_BYTES >> 20
        ));
    }
    std::fs::read(path).map_err(|e| format!("`{told}` cannot be read: {e}"))
}
