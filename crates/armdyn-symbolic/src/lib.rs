//! The dynamics of one robot as expressions.
//!
//! [`Expr`] is a number that every formulation of the core computes with: what comes out is a [`Program`], with its exact
//! operation count, that can be evaluated, read, and written as code.

mod count;
pub mod emit;
mod graph;
mod minimal;
mod program;
mod trace;

pub use count::Count;
pub use graph::{Array, Expr, Given, Graph, Input, Known, Node};
pub use minimal::{Options, Parameters, Progress, Trig, minimal};
pub use program::{Output, Program, Quantity};
pub use trace::trace;
