//! The dynamics of one robot as expressions.
//!
//! [`Expr`] is a number that every formulation of the core computes with: what comes out is a [`Program`], with its exact
//! operation count, that can be evaluated, read, and written as code.

mod base;
pub mod closed;
mod count;
mod degree;
pub mod emit;
mod exact;
mod figures;
mod graph;
mod minimal;
mod program;
mod renaud;
mod tape;
mod trace;
pub mod write;

pub use base::{BaseParameter, base_parameters};
pub use closed::{ClosedError, ClosedOptions, Equations, closed_form, closed_form_watched};
pub use count::Count;
pub use degree::Degree;
pub use exact::{Recognised, TOLERANCE, recognise};
pub use figures::{Parameter, figures};
pub use graph::{Array, Expr, Given, Graph, Input, Known, Node};
pub use minimal::{Options, Parameters, Progress, Trig, minimal};
pub use program::{Output, Program, Quantity};
pub use renaud::{Step, renaud};
pub use tape::{Tape, TapeError};
pub use trace::{trace, trace_symbolic};
