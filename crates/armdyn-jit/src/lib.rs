//! The program of one robot, compiled at run time to native code. No compiler is needed.
//!
//! [`Compiled::inverse`] and its sisters take the robot's quasi-minimal program, choose instructions, and have Cranelift
//! write them as machine code, in some milliseconds. A call then takes a fraction of the recursion's time. Where Cranelift
//! has no code for the machine, the same instructions are interpreted, and [`Compiled::backend`] says so.
//!
//! All sines and cosines of a program are taken at once, before the rest. A program that takes the sine of what another sine
//! gave is therefore refused ([`Error::SineOfSine`]); no program of a robot does.

mod compiled;
mod error;
mod interpret;
mod native;
mod number;
mod tape;

pub use compiled::{Backend, Compiled};
pub use error::Error;
pub use number::Number;
