//! Homogeneous 4 × 4 matrices: poses, their derivatives, pseudo-inertias.

use super::{Inertia, Transform};
use crate::scalar::Real;
use core::ops::Mul;

/// A 4 × 4 matrix, by rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mat4<T> {
    /// The rows.
    pub rows: [[T; 4]; 4],
}

impl<T: Real> Mat4<T> {
    /// The matrix whose element in row r, column c is `f(r, c)`.
    #[inline(always)]
    pub fn from_fn(f: impl Fn(usize, usize) -> T) -> Self {
        Mat4 { rows: core::array::from_fn(|r| core::array::from_fn(|c| f(r, c))) }
    }

    /// The null matrix.
    pub fn zero() -> Self {
        Mat4::from_fn(|_, _| T::zero())
    }

    /// The unit matrix.
    pub fn identity() -> Self {
        Mat4::from_fn(|r, c| if r == c { T::one() } else { T::zero() })
    }

    /// The homogeneous matrix of a pose: (R p; 0 1).
    pub fn pose(x: &Transform<T>) -> Self {
        let ([rx, ry, rz], p) = (x.rotation.to_rows(), x.translation);
        let row = |[a, b, c]: [T; 3], d: T| [a, b, c, d];
        let zero = T::zero();
        Mat4 { rows: [row(rx, p.x), row(ry, p.y), row(rz, p.z), [zero, zero, zero, T::one()]] }
    }

    /// The pseudo-inertia ∫ (r; 1)(r; 1)ᵀ dm of a body.
    pub fn pseudo_inertia(i: &Inertia<T>) -> Self {
        let (k, h) = (i.moments(), i.first);
        Mat4 {
            rows: [[k.xx, k.xy, k.xz, h.x], [k.xy, k.yy, k.yz, h.y], [k.xz, k.yz, k.zz, h.z], [h.x, h.y, h.z, i.mass]],
        }
    }

    /// Tr(A Bᵀ): the sum of the products of elements.
    #[inline(always)]
    pub fn trace_with(&self, b: &Self) -> T {
        let mut sum = T::zero();
        for (x, y) in self.rows.as_flattened().iter().zip(b.rows.as_flattened()) {
            sum = x.mul_add(*y, sum);
        }
        sum
    }
}

impl<T: Real> Mul for Mat4<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let (a, b) = (&self.rows, &b.rows);
        Mat4::from_fn(|r, c| {
            a[r][0].mul_add(b[0][c], a[r][1].mul_add(b[1][c], a[r][2].mul_add(b[2][c], a[r][3] * b[3][c])))
        })
    }
}
