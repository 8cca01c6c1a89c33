//! Errors of compilation.

use armdyn_symbolic::TapeError;
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
