//! Why a program could not be compiled.

use std::fmt;

/// Why a program could not be compiled.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// The model could not be traced.
    Model(armdyn::Error),
    /// The program has other parameters than were given.
    Parameters {
        /// How many it has.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// The program reads a value that its quantity does not depend on.
    NoSuchInput {
        /// The value's name.
        name: String,
    },
    /// An angle is computed from a sine.
    SineOfSine,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Model(e) => e.fmt(f),
            Error::Parameters { expected, found } => {
                write!(f, "the program has {expected} parameters, {found} values were given for them")
            }
            Error::NoSuchInput { name } => {
                write!(f, "the program reads `{name}`, which its quantity does not depend on")
            }
            Error::SineOfSine => write!(f, "the program takes the sine of an angle that depends on another sine"),
        }
    }
}

impl std::error::Error for Error {}

impl From<armdyn::Error> for Error {
    fn from(e: armdyn::Error) -> Self {
        Error::Model(e)
    }
}
