//! Errors of compilation and of batches.

use armdyn_symbolic::TapeError;
use std::fmt;
use thiserror::Error;

/// Reasons why a program cannot be compiled.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The model has no program for the quantity.
    #[error(transparent)]
    Model(#[from] armdyn_core::Error),
    /// The program has other inputs or parameters.
    #[error(transparent)]
    Tape(#[from] TapeError),
    /// An angle depends on a sine: compiled programs compute all sines at once, before the rest.
    #[error(
        "the program takes the sine of a value that depends on another sine, which compiled programs do not support; use \
         `Program::evaluate`"
    )]
    SineOfSine,
}

/// A state of a batch that has no result.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("state {state}: {error}")]
pub struct InvalidState {
    /// The number of its row, from 0.
    pub state: usize,
    /// What is wrong with it.
    pub error: armdyn_core::Error,
}

/// Why a batch is not complete.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BatchError {
    /// An array has the wrong length. Nothing was computed.
    #[error(transparent)]
    Length(armdyn_core::Error),
    /// These states have no result, in order; their rows are NaN. All others were computed.
    #[error("{}", Listed(.0))]
    InvalidStates(Vec<InvalidState>),
}

impl BatchError {
    /// The invalid states, in order; none if an array has the wrong length.
    pub fn invalid_states(&self) -> &[InvalidState] {
        match self {
            BatchError::InvalidStates(states) => states,
            BatchError::Length(_) => &[],
        }
    }
}

/// The number of invalid states that a message describes.
const LISTED: usize = 3;

/// Invalid states as text.
struct Listed<'a>(&'a [InvalidState]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [one] => return write!(f, "1 state is invalid: {one}"),
            all => write!(f, "{} states are invalid", all.len())?,
        }
        for (i, state) in self.0.iter().take(LISTED).enumerate() {
            write!(f, "{} {state}", if i == 0 { ":" } else { ";" })?;
        }
        if self.0.len() > LISTED { f.write_str("; …") } else { Ok(()) }
    }
}
