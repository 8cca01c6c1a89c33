//! The trait of scalars: every algorithm is generic over it.
//!
//! Arithmetic, constants, `sin_cos`, `sqrt`, `sign`, and *no comparison*: a recursion never branches on a
//! number, so that it runs over lanes, intervals and symbols. `is_finite` and `is_positive` are called on
//! a finished result to report an error, never to choose a path.

use super::Algorithm;
use core::fmt::Debug;
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A number that the algorithms can compute with.
pub trait Real:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// The distance from 1 to the next number.
    const EPSILON: f64;

    /// The constant `x`, exactly where the type can hold it.
    fn lift(x: f64) -> Self;

    /// Sine and cosine.
    fn sin_cos(self) -> (Self, Self);

    /// Square root.
    fn sqrt(self) -> Self;

    /// −1, 0 or 1. The one discontinuous function, for dry friction; an interval that holds zero gives \[−1, 1\].
    fn sign(self) -> Self;

    /// `self · self`: for an interval never below zero.
    #[inline(always)]
    fn sqr(self) -> Self {
        self * self
    }

    /// `self · a + b`, fused where the machine can.
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }

    /// Zero.
    #[inline(always)]
    fn zero() -> Self {
        Self::lift(0.0)
    }

    /// One.
    #[inline(always)]
    fn one() -> Self {
        Self::lift(1.0)
    }

    /// Runs an algorithm over this number; `f64` takes the widest code path of the processor.
    #[doc(hidden)]
    #[inline(always)]
    fn run<A: Algorithm>(arguments: A::Arguments<'_, Self>) -> A::Output {
        A::run(arguments)
    }

    /// Whether every component of the number is finite (a symbol counts as finite).
    fn is_finite(&self) -> bool;

    /// Whether the number is known to be positive in every component (a symbol counts as positive).
    fn is_positive(&self) -> bool;

    /// Sine and cosine of each angle, `(sin, cos)`; a type may compute several at a time.
    #[inline(always)]
    fn sin_cos_each(angles: &[Self], out: &mut [(Self, Self)]) {
        for (o, &x) in out.iter_mut().zip(angles) {
            *o = x.sin_cos();
        }
    }
}
