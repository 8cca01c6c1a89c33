//! Import and export of robot descriptions: armdyn's TOML, URDF (with xacro's common subset), MJCF.
//!
//! [`load`] returns a [`Loaded`]: the [`Description`] and *all* findings, each with a stable code, a source location and a
//! suggested fix. Content that is ignored is reported as a finding too.

mod check;
mod description;
mod direction;
mod export;
pub mod findings;
pub mod library;
mod mesh;
mod message;
mod mjcf;
mod packages;
mod robot;
mod solids;
mod source;
mod toml;
mod topology;
mod units;
mod urdf;
mod xacro;
mod xml;

pub use check::{LinkSizes, check, check_meshes, check_sizes};
pub use description::{
    BeamDescription, ContactDescription, CoupledRotor, Description, Form, JointDescription, LinkDescription, MeshFile,
    Mimic, PartDescription, PayloadDescription, Shape, ToolDescription,
};
pub use export::{ConversionError, ConversionLoss, LossKind, to_mjcf, to_toml, to_urdf};
pub use findings::{Category, Code, Finding, Severity};
pub use message::{nearest, suggestion};
pub use robot::{LoadError, find, load_model};
pub use source::{Place, SourceFile, Sources};
pub use toml::load_catalogue;

use armdyn_core::{BuildError, Catalogue, Model};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// File format of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// armdyn's TOML (`docs/format.md`).
    Toml,
    /// URDF, plain or as xacro.
    Urdf,
    /// MuJoCo's MJCF.
    Mjcf,
}

impl Format {
    /// The format of a robot's text: MJCF or URDF as the root element says, TOML if it is not XML. Malformed XML is reported by the
    /// reader of URDF.
    ///
    /// ```
    /// use armdyn_import::Format;
    /// assert_eq!(Format::of_text("<?xml version='1.0'?>\n<mujoco/>"), Format::Mjcf);
    /// assert_eq!(Format::of_text("version = 1"), Format::Toml);
    /// ```
    pub fn of_text(text: &str) -> Self {
        match xml::root_name(text) {
            Some("mujoco") => Format::Mjcf,
            Some(_) => Format::Urdf,
            None if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') => Format::Urdf,
            None => Format::Toml,
        }
    }
}

/// Options of the readers.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Folders of packages by name, for `package://` and `$(find …)`.
    pub packages: BTreeMap<String, PathBuf>,
    /// Values of xacro arguments.
    pub arguments: BTreeMap<String, String>,
}

/// The result of loading a file.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The robot; none if there are errors.
    pub description: Option<Description>,
    /// All findings, in the order of the text.
    pub findings: Vec<Finding>,
    /// The source files.
    pub sources: Sources,
}

impl Loaded {
    /// The highest severity among the findings.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|f| f.code.severity).max()
    }

    /// The model, if there is a description.
    pub fn model(&self) -> Option<Result<Model<f64>, BuildError>> {
        self.description.as_ref().map(Description::model)
    }
}

/// The result of loading a catalogue of motors and gears.
#[derive(Clone, Debug, Default)]
pub struct LoadedCatalogue {
    /// The catalogue; none if there are errors.
    pub catalogue: Option<Catalogue>,
    /// All findings, in the order of the text.
    pub findings: Vec<Finding>,
    /// The source files.
    pub sources: Sources,
}

/// Sources and findings of a load in progress.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    pub sources: Sources,
    pub findings: Vec<Finding>,
}

impl Diagnostics {
    /// Adds a finding.
    pub fn report(&mut self, code: &'static Code, place: &Place, message: impl Into<String>) {
        self.findings.push(Finding::at(code, place, message));
    }
}

/// Size limit of a file \[bytes\].
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Loads a robot from a file. The extension determines the format; for `.xml` the root element does.
pub fn load(path: &Path, options: &Options) -> Loaded {
    match read_text(path) {
        Err(message) => Loaded { findings: vec![Finding::of_file(findings::A001, message)], ..Loaded::default() },
        Ok(text) => match format_of(path, &text) {
            Some(format) => load_text(path, text, format, options),
            None => {
                let message = format!(
                    "unknown file format of `{}`: expected the extension .toml, .urdf, .xacro, .mjcf or .xml",
                    path.display()
                );
                Loaded { findings: vec![Finding::of_file(findings::A003, message)], ..Loaded::default() }
            }
        },
    }
}

/// Loads a robot from text. `path` is its name in messages, and the base of relative paths.
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
    if loaded.worst() == Some(Severity::Error) { Loaded { description: None, ..loaded } } else { loaded }
}

fn format_of(path: &Path, text: &str) -> Option<Format> {
    match path.extension()?.to_str()? {
        "toml" => Some(Format::Toml),
        "urdf" | "xacro" => Some(Format::Urdf),
        "mjcf" => Some(Format::Mjcf),
        // Either reader reports malformed XML.
        "xml" => match xml::root_name(text) {
            Some("robot") => Some(Format::Urdf),
            Some("mujoco") | None => Some(Format::Mjcf),
            Some(_) => None,
        },
        _ => None,
    }
}

/// Whether a file is probably a robot: by its extension, and for ambiguous extensions by the beginning of its text.
/// (A xacro file without a robot name is meant to be included by others.)
pub fn is_robot_file(path: &Path) -> bool {
    let Some(extension) = path.extension().and_then(|e| e.to_str()) else { return false };
    let head = || {
        let mut bytes = vec![];
        let read = std::fs::File::open(path).and_then(|f| f.take(HEAD_BYTES).read_to_end(&mut bytes));
        read.map(|_| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    };
    let named = |text: String| {
        let tag = text.split_once("<robot").and_then(|(_, rest)| rest.split_once('>')).map_or("", |(tag, _)| tag);
        tag.contains("name=") || tag.contains("name =")
    };
    match extension {
        "urdf" | "mjcf" => true,
        "xacro" => named(head()),
        "xml" => Some(head()).is_some_and(|text| text.contains("<mujoco") || named(text)),
        "toml" => head().contains("[[link]]"),
        _ => false,
    }
}

/// Bytes that [`is_robot_file`] reads.
const HEAD_BYTES: u64 = 64 << 10;

fn read_text(path: &Path) -> Result<String, String> {
    let (bytes, name) = (read_bytes(path)?, path.display());
    if bytes.contains(&0) {
        return Err(format!("`{name}` is not a text file (it contains a zero byte)"));
    }
    String::from_utf8(bytes).map_err(|e| format!("`{name}` is not UTF-8 (byte {})", e.utf8_error().valid_up_to()))
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let name = path.display();
    let metadata = std::fs::metadata(path).map_err(|e| format!("cannot read `{name}`: {e}"))?;
    if !metadata.is_file() {
        return Err(format!("`{name}` is not a file"));
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(format!("`{name}` has {} MiB; the limit is {} MiB", metadata.len() >> 20, MAX_FILE_BYTES >> 20));
    }
    std::fs::read(path).map_err(|e| format!("cannot read `{name}`: {e}"))
}
