//! armdyn: the dynamics of robot manipulators, from one import.

pub use armdyn_core::*;
pub use armdyn_import as import;

/// The program of the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
