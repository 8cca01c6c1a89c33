//! Numbers: the trait [`Real`] and the types that implement it.

mod dual;
mod float;
mod interval;
mod kernel;
mod lanes;
mod real;
#[cfg(test)]
mod tests;
pub mod trig;

pub use dual::Dual;
pub use interval::Interval;
pub use kernel::Algorithm;
pub(crate) use kernel::algorithm;
pub use lanes::Lanes;
pub use real::Real;

#[doc(hidden)]
pub use armdyn_simd::operators;
