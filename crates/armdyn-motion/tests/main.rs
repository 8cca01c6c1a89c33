//! Integration tests of the crate, one module per subject.

mod control;
mod simulation;
