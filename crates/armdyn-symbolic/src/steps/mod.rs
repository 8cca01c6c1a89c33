//! The methods of the documents step by step: every intermediate quantity that a text names, in its order, names and frames.
//!
//! A method is one function, generic over the scalar: over `f64` it gives the values at a state, over polynomials formulas. It
//! returns a [`Trace`]: steps with equation numbers, each with its quantities.

mod quantity;
mod symbol;

pub use quantity::{Correction, Formula, Method, Quantity, Step, Trace, Value};
pub use symbol::Symbol;
