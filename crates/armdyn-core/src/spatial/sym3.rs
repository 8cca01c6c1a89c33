//! A symmetric tensor, such as a rotational inertia.

use super::{Rotation, Vec3, vec3};
use crate::scalar::Real;
use core::ops::Mul;

/// A symmetric 3 × 3 tensor. Off-diagonal elements are the tensor's own: I_xy = −∫ x y dm for an inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Sym3<T> {
    pub xx: T,
    pub xy: T,
    pub xz: T,
    pub yy: T,
    pub yz: T,
    pub zz: T,
}

impl Sym3<f64> {
    /// Eigenvalues, ascending: the principal moments of an inertia.
    #[must_use]
    pub fn eigenvalues(&self) -> [f64; 3] {
        let (mut values, _) = self.eigen();
        values.sort_by(f64::total_cmp);
        values
    }

    /// Eigenvalues and the rotation whose columns are their eigenvectors: principal moments and axes. Not sorted; a diagonal
    /// tensor keeps its axes.
    pub fn eigen(&self) -> ([f64; 3], Rotation<f64>) {
        let (mut rows, mut vectors) = (self.to_rows(), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        crate::dense::jacobi(rows.as_flattened_mut(), vectors.as_flattened_mut(), 3);
        ([rows[0][0], rows[1][1], rows[2][2]], Rotation::from_rows(vectors))
    }
}

impl<T: Real> Sym3<T> {
    /// The null tensor.
    pub fn zero() -> Self {
        Sym3::diagonal(T::zero(), T::zero(), T::zero())
    }

    /// A diagonal tensor.
    pub fn diagonal(xx: T, yy: T, zz: T) -> Self {
        Sym3 { xx, xy: T::zero(), xz: T::zero(), yy, yz: T::zero(), zz }
    }

    /// The row-major matrix.
    pub fn to_rows(self) -> [[T; 3]; 3] {
        [[self.xx, self.xy, self.xz], [self.xy, self.yy, self.yz], [self.xz, self.yz, self.zz]]
    }

    /// The upper triangle of a row-major matrix.
    pub fn from_rows(m: [[T; 3]; 3]) -> Self {
        Sym3 { xx: m[0][0], xy: m[0][1], xz: m[0][2], yy: m[1][1], yz: m[1][2], zz: m[2][2] }
    }

    /// 2 (a·b) 1 − (a bᵀ + b aᵀ): with a = b/2 the inertia of a unit mass at b.
    #[inline(always)]
    pub fn shift(a: Vec3<T>, b: Vec3<T>) -> Self {
        let (xx, yy, zz) = (a.x * b.x, a.y * b.y, a.z * b.z);
        Sym3 {
            xx: (yy + zz) + (yy + zz),
            yy: (xx + zz) + (xx + zz),
            zz: (xx + yy) + (xx + yy),
            xy: -a.x.mul_add(b.y, a.y * b.x),
            xz: -a.x.mul_add(b.z, a.z * b.x),
            yz: -a.y.mul_add(b.z, a.z * b.y),
        }
    }

    /// Sum of the diagonal.
    pub fn trace(&self) -> T {
        self.xx + self.yy + self.zz
    }

    /// Each component through `f`.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Sym3<U> {
        Sym3 { xx: f(self.xx), xy: f(self.xy), xz: f(self.xz), yy: f(self.yy), yz: f(self.yz), zz: f(self.zz) }
    }
}

impl<T: Real> Mul<Vec3<T>> for Sym3<T> {
    type Output = Vec3<T>;
    #[inline(always)]
    fn mul(self, v: Vec3<T>) -> Vec3<T> {
        vec3(
            self.xx.mul_add(v.x, self.xy.mul_add(v.y, self.xz * v.z)),
            self.xy.mul_add(v.x, self.yy.mul_add(v.y, self.yz * v.z)),
            self.xz.mul_add(v.x, self.yz.mul_add(v.y, self.zz * v.z)),
        )
    }
}

componentwise!(Sym3 { xx, xy, xz, yy, yz, zz });
