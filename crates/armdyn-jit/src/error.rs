//! Why a program could not be compiled.

use std::fmt;

/// Why a program could not be compiled.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// There is no program of the model.
    Model(armdyn_core::Error),
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
    /// An angle depends on a sine: sines are all taken at once, before the rest.
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
            Error::SineOfSine => f.write_str(
                "the program takes the sine of a value that depends on another sine; compiled programs take all sines of \
                 the inputs and their sums first. `Program::evaluate` computes it",
            ),
        }
    }
}

impl std::error::Error for Error {}

impl From<armdyn_core::Error> for Error {
    fn from(e: armdyn_core::Error) -> Self {
        Error::Model(e)
    }
}
