//! Dynamics of one robot, compiled to native code at run time. No compiler is needed.
//!
//! [`Compiled::inverse`] and the other constructors compile the robot's quasi-minimal program with Cranelift in a few
//! milliseconds. A call then takes a fraction of the recursion's time. On machines that Cranelift does not support the
//! program is interpreted.
//!
//! With AVX2 or AVX-512, a call runs code of our own for one state, which is faster than Cranelift's; states that it refuses (invalid
//! ones, angles beyond 2²⁰ rad) are computed by Cranelift's. With AVX-512, single calls of the derivatives of an arm of five joints or
//! more use the core's recursion, which computes joints side by side and is faster than so long a program.
//!
//! [`Compiled::batch`] computes many states with code of its own for AVX-512 or AVX2, 4 to 16 states at a time. What is used, and why
//! nothing faster is, [`Compiled::backend`] and [`Compiled::call_backend`] report. [`Bounds`] computes guaranteed bounds for rows of
//! intervals.
//!
//! All sines and cosines of a program are computed at once, before the rest. A program with a sine of a sine is therefore
//! rejected ([`Error::SineOfSine`]); programs of robots have none.

mod bounds;
mod compiled;
mod error;
mod interpret;
mod lower;
mod machine;
mod native;
mod number;
mod wide;

pub use bounds::Bounds;
pub use compiled::{Backend, Compiled};
pub use error::{BatchError, Error, InvalidState};
pub use number::Number;
