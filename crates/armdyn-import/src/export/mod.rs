//! Descriptions out: armdyn's own TOML, which can say everything, and URDF, with a list of what it cannot say.

mod toml;
mod urdf;

pub use toml::to_toml;
pub use urdf::to_urdf;

use std::fmt;

/// Something that a format cannot say, or says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionLoss {
    /// The link, joint, … it is about: `joint \`elbow\``.
    pub subject: String,
    /// What is left out or changed, and what is written instead.
    pub message: String,
}

impl fmt::Display for ConversionLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.message)
    }
}

/// Why a robot cannot be written in a format at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionError(pub Vec<ConversionLoss>);

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the robot cannot be written in this format:")?;
        self.0.iter().try_for_each(|reason| write!(f, "\n  - {reason}"))
    }
}

impl std::error::Error for ConversionError {}
