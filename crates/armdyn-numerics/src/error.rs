//! What can be wrong with a question.

use std::fmt;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// A box cannot be made of the robot's limits.
    NoLimit {
        /// What is missing: `position limits`, `effort limit`, …
        what: &'static str,
        /// Whose they are.
        joints: Vec<String>,
    },
    /// A range of a box is empty, reversed or not finite.
    Range {
        /// The joint.
        joint: String,
        /// Its lower end.
        low: f64,
        /// Its upper end.
        high: f64,
    },
    /// A joint has a quaternion.
    Joint {
        /// The joint.
        joint: String,
    },
    /// A trajectory that is none.
    Trajectory {
        /// The sample, from 0.
        sample: usize,
        /// What is wrong with it.
        what: String,
    },
    /// Anything else that the question asks in vain.
    Asked(String),
    /// From the core's algorithms.
    Core(armdyn_core::Error),
}

/// With an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoLimit { what, joints } => {
                write!(f, "the robot gives no {what} of {}: give them", joints.join(", "))
            }
            Error::Range { joint, low, high } => {
                write!(
                    f,
                    "the range of `{joint}`, from {low} to {high}, holds nothing: it must be finite, the lower end first"
                )
            }
            Error::Joint { joint } => {
                write!(f, "joint `{joint}` has a quaternion: ranges are of coordinates that are an angle or a length")
            }
            Error::Trajectory { sample, what } => {
                write!(f, "sample {sample} (the first is 0) of the trajectory: {what}")
            }
            Error::Asked(what) => f.write_str(what),
            Error::Core(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<armdyn_core::Error> for Error {
    fn from(error: armdyn_core::Error) -> Self {
        Error::Core(error)
    }
}
