//! Vectors of three expressions, or of other scalars, and their rotations.

use crate::graph::Expr;
use armdyn_core::Real;

pub(crate) type V<T = Expr> = [T; 3];
/// Cosine and sine.
pub(crate) type CosSin<T = Expr> = (T, T);

pub(crate) fn zeros() -> V {
    [Expr::zero(); 3]
}

pub(crate) fn is_zero(e: Expr) -> bool {
    e == Expr::zero()
}

pub(crate) fn add<T: Real>(a: V<T>, b: V<T>) -> V<T> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn scale<T: Real>(k: T, a: V<T>) -> V<T> {
    a.map(|x| k * x)
}

pub(crate) fn cross<T: Real>(a: V<T>, b: V<T>) -> V<T> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// U v.
pub(crate) fn apply<T: Real>(u: &[V<T>; 3], v: V<T>) -> V<T> {
    [0, 1, 2].map(|r| u[r][0] * v[0] + u[r][1] * v[1] + u[r][2] * v[2])
}

/// From the rotated axes to the original ones, about z.
pub(crate) fn out<T: Real>(v: V<T>, (c, s): CosSin<T>) -> V<T> {
    [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]]
}

/// Into the rotated axes, about z.
pub(crate) fn into<T: Real>(v: V<T>, (c, s): CosSin<T>) -> V<T> {
    [c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]]
}

/// From the rotated axes to the original ones, about x.
pub(crate) fn untwist<T: Real>(v: V<T>, (c, s): CosSin<T>) -> V<T> {
    [v[0], c * v[1] - s * v[2], s * v[1] + c * v[2]]
}

/// Into the rotated axes, about x.
pub(crate) fn twist<T: Real>(v: V<T>, (c, s): CosSin<T>) -> V<T> {
    [v[0], c * v[1] + s * v[2], c * v[2] - s * v[1]]
}
