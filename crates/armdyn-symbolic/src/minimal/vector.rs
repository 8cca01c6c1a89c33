//! Vectors of three expressions, and their rotations.

use crate::graph::Expr;
use armdyn_core::Real;

pub(crate) type V = [Expr; 3];
/// Cosine and sine.
pub(crate) type CosSin = (Expr, Expr);

pub(crate) fn zeros() -> V {
    [Expr::zero(); 3]
}

pub(crate) fn is_zero(e: Expr) -> bool {
    e == Expr::zero()
}

pub(crate) fn add(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn scale(k: Expr, a: V) -> V {
    a.map(|x| k * x)
}

pub(crate) fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// U v.
pub(crate) fn apply(u: &[V; 3], v: V) -> V {
    [0, 1, 2].map(|r| u[r][0] * v[0] + u[r][1] * v[1] + u[r][2] * v[2])
}

/// From the rotated axes to the original ones, about z.
pub(crate) fn out(v: V, (c, s): CosSin) -> V {
    [c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]]
}

/// Into the rotated axes, about z.
pub(crate) fn into(v: V, (c, s): CosSin) -> V {
    [c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]]
}

/// From the rotated axes to the original ones, about x.
pub(crate) fn untwist(v: V, (c, s): CosSin) -> V {
    [v[0], c * v[1] - s * v[2], s * v[1] + c * v[2]]
}

/// Into the rotated axes, about x.
pub(crate) fn twist(v: V, (c, s): CosSin) -> V {
    [v[0], c * v[1] + s * v[2], c * v[2] - s * v[1]]
}
