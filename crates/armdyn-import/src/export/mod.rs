//! Export of descriptions: armdyn's TOML (lossless), and URDF and MJCF with lists of what they cannot represent.

mod mjcf;
mod names;
mod toml;
mod urdf;
mod writer;

pub use mjcf::to_mjcf;
pub use toml::to_toml;
pub use urdf::to_urdf;

use std::fmt;

/// Information that the target format cannot represent, or represents differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionLoss {
    /// Whether the new file lacks it.
    pub kind: LossKind,
    /// The link, joint, …: ``joint `elbow` ``.
    pub subject: String,
    /// What is omitted or changed, and what is written instead.
    pub message: String,
}

/// What became of something that a format cannot represent as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LossKind {
    /// The new file does not have it.
    Omitted,
    /// The new file has it in another form.
    WrittenDifferently,
}

impl LossKind {
    /// In words: `not in the new file`, `written differently`.
    pub fn describe(self) -> &'static str {
        match self {
            LossKind::Omitted => "not in the new file",
            LossKind::WrittenDifferently => "written differently",
        }
    }
}

impl ConversionLoss {
    fn new(kind: LossKind, subject: impl Into<String>, message: impl Into<String>) -> Self {
        ConversionLoss { kind, subject: subject.into(), message: message.into() }
    }
}

impl fmt::Display for ConversionLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.message)
    }
}

/// Reasons why a robot cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the robot cannot be represented in this format:{}", self.0.iter().map(|l| format!("\n  - {l}")).collect::<String>())]
pub struct ConversionError(pub Vec<ConversionLoss>);
