//! The program of one robot, compiled at run time to native code. No compiler is needed.
//!
//! [`Compiled::inverse`] and its sisters trace the core's algorithm over expressions, choose instructions, and have
//! Cranelift write them as machine code, in some milliseconds. A call then takes a fraction of the recursion's time.
//! Where Cranelift has no code for the machine, the same instructions are interpreted, and [`Compiled::backend`] says so.

mod compiled;
mod error;
mod interpret;
mod native;
mod tape;

pub use compiled::{Backend, Compiled};
pub use error::Error;
