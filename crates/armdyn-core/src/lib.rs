//! armdyn: the dynamics of robot manipulators.
//!
//! One [`Model`], every formulation of its equations of motion in [`algo`], each written once over the trait
//! [`Real`]: with `f64` it gives numbers, with [`Lanes`] batches, with [`Dual`] derivatives, with [`Interval`]
//! guaranteed bounds.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod algo;
#[doc(hidden)]
pub mod dense;
pub mod error;
pub mod examples;
mod matrix;
pub mod model;
mod progress;
mod random;
pub mod scalar;
pub mod spatial;
mod xml;

pub use algo::*;
pub use error::Error;
pub use matrix::{Matrix, ROUNDING, four_digits, rounded};
pub use model::*;
pub use progress::Progress;
pub use random::SplitMix64;
pub use scalar::{Dual, Interval, Lanes, Real};
pub use spatial::*;
pub use xml::escape_xml;
