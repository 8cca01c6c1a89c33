//! Why a study cannot run.

/// An error of a study, not of one of its points.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Error(pub String);

impl From<String> for Error {
    fn from(message: String) -> Self {
        Error(message)
    }
}

/// The result of something about a study.
pub type Result<T, E = Error> = std::result::Result<T, E>;
