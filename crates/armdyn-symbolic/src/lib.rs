//! Symbolic dynamics of one robot: straight-line programs, readable equations and generated code.
//!
//! [`Expr`] is a scalar that every algorithm of the core accepts. Running an algorithm over it records a [`Program`], with its
//! exact operation count, that can be evaluated ([`Tape`]), printed as equations or emitted as code.

/// Implements `ALL`, `name` and `Display` of an enumeration.
macro_rules! named {
    ($type:ident { $($variant:ident $name:literal),* }) => {
        impl $type {
            /// All values.
            pub const ALL: [$type; [$($name),*].len()] = [$($type::$variant),*];

            /// The name.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name),* }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

mod base;
mod canonical;
pub mod closed;
mod count;
mod degree;
pub mod emit;
mod friction;
mod graph;
mod minimal;
mod parameters;
mod program;
mod recursion;
mod reference;
mod renaud;
mod rounded_angles;
pub mod steps;
mod symbols;
mod tape;
mod trace;
pub mod typeset;

pub use base::{BaseParameter, base_parameters};
pub use canonical::{CanonicalFrame, LINK_LETTERS, canonical_frames};
pub use closed::{ClosedError, ClosedOptions, Equations, closed_form, closed_form_with_progress};
pub use count::Count;
pub use degree::Degree;
pub use graph::{Array, Expr, Graph, Input, Node, ParameterValue, Stage};
pub use minimal::{MinimalOptions, Parameters, Trig, minimal, no_minimal_program};
pub use parameters::{Parameter, parameters};
pub use program::{Output, Program, Quantity};
pub use recursion::Recursion;
pub use reference::Reference;
pub use renaud::{Renaud, RenaudFrame, RenaudFrames, RenaudOptions, RenaudQuantity, Step, renaud};
pub use rounded_angles::{ANGLE_TOLERANCE, RoundedAngle, RoundedAngles, TorqueChange, exact_angles};
pub use symbols::{SymbolError, SymbolNames};
pub use tape::{Tape, TapeError};
pub use trace::{trace, trace_symbolic};
