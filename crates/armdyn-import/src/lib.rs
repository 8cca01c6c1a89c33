//! Robot descriptions in: armdyn's own TOML, URDF (with xacro's common subset), MJCF.
//!
//! [`load`] gives a [`Loaded`]: the [`Description`] that the file holds, and *all* findings, each with a stable code, a
//! place in the source, and what to do about it. Nothing that a file says is dropped in silence: what was not used is a
//! finding too.

mod check;
mod description;
mod export;
pub mod findings;
mod packages;
mod solids;
mod source;
mod toml;
mod units;
mod urdf;
mod xacro;
mod xml;

pub use check::check;
pub use description::{
    Beam, CoupledRotor, Description, JointDescription, LinkDescription, Material, Mimic, PartDescription,
    PayloadDescription, Section, Shape,
};
pub use export::to_toml;
pub use findings::{Code, Finding, Severity, Tier};
pub use source::{Place, SourceFile, Sources};

use armdyn::{BuildError, Model};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How a robot is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// armdyn's own TOML (`docs/format.md`).
    Toml,
    /// URDF, plain or as xacro.
    Urdf,
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
pub(crate) struct Reading {
    pub sources: Sources,
    pub findings: Vec<Finding>,
}

/// The largest file that is read \[bytes\].
pub const LARGEST: u64 = 64 << 20;

/// Reads a robot from a file; its format by its name's ending.
pub fn load(path: &Path, options: &Options) -> Loaded {
    match read_text(path) {
        Err(what) => Loaded { findings: vec![Finding::whole(findings::A001, what)], ..Loaded::default() },
        Ok(text) => match format_of(path) {
            Some(format) => load_text(path, text, format, options),
            None => {
                let what = format!("`{}` has no ending that tells its format", path.display());
                Loaded { findings: vec![Finding::whole(findings::A003, what)], ..Loaded::default() }
            }
        },
    }
}

/// Reads a robot from a text; `path` is what it is called, and where files that it names are looked for.
pub fn load_text(path: &Path, text: String, format: Format, options: &Options) -> Loaded {
    let mut reading = Reading::default();
    let file = reading.sources.add(path, text);
    let description = match format {
        Format::Toml => toml::read(&mut reading, file),
        Format::Urdf => urdf::read(&mut reading, file, options),
    };
    let Reading { sources, findings } = reading;
    let loaded = Loaded { description, findings, sources };
    // No robot is handed out that an error stands against.
    if loaded.worst() == Some(Severity::Error) { Loaded { description: None, ..loaded } } else { loaded }
}

fn format_of(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()? {
        "toml" => Some(Format::Toml),
        "urdf" | "xacro" => Some(Format::Urdf),
        _ => None,
    }
}

fn read_text(path: &Path) -> Result<String, String> {
    let told = path.display();
    let about = std::fs::metadata(path).map_err(|e| format!("`{told}` cannot be read: {e}"))?;
    if !about.is_file() {
        return Err(format!("`{told}` is not a file"));
    }
    if about.len() > LARGEST {
        return Err(format!("`{told}` has {} MiB; the largest that is read has {}", about.len() >> 20, LARGEST >> 20));
    }
    let bytes = std::fs::read(path).map_err(|e| format!("`{told}` cannot be read: {e}"))?;
    if bytes.contains(&0) {
        return Err(format!("`{told}` is not a text file (it holds a zero byte)"));
    }
    String::from_utf8(bytes).map_err(|e| format!("`{told}` is not UTF-8 (byte {})", e.utf8_error().valid_up_to()))
}
