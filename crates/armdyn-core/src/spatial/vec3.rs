//! A vector of three components, in axes that the context names.

use crate::scalar::Real;

/// A vector of three components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vec3<T> {
    /// First component.
    pub x: T,
    /// Second component.
    pub y: T,
    /// Third component.
    pub z: T,
}

/// The vector (x, y, z).
#[inline(always)]
pub const fn vec3<T>(x: T, y: T, z: T) -> Vec3<T> {
    Vec3 { x, y, z }
}

impl<T: Real> Vec3<T> {
    /// The null vector.
    #[inline(always)]
    pub fn zero() -> Self {
        vec3(T::zero(), T::zero(), T::zero())
    }

    /// The k-th unit vector, k = 0, 1, 2.
    pub fn unit(k: usize) -> Self {
        Vec3::from_fn(|i| if i == k { T::one() } else { T::zero() })
    }

    /// The vector whose k-th component is `f(k)`.
    #[inline(always)]
    pub fn from_fn(mut f: impl FnMut(usize) -> T) -> Self {
        vec3(f(0), f(1), f(2))
    }

    /// A constant vector.
    #[inline(always)]
    pub fn lift(v: [f64; 3]) -> Self {
        Vec3::from_fn(|k| T::lift(v[k]))
    }

    /// The components in order.
    #[inline(always)]
    pub fn to_array(self) -> [T; 3] {
        [self.x, self.y, self.z]
    }

    /// The k-th component.
    #[inline(always)]
    pub fn get(&self, k: usize) -> T {
        match k {
            0 => self.x,
            1 => self.y,
            _ => self.z,
        }
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, b: Self) -> T {
        self.x.mul_add(b.x, self.y.mul_add(b.y, self.z * b.z))
    }

    /// Vector product.
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        vec3(
            self.y.mul_add(b.z, -(self.z * b.y)),
            self.z.mul_add(b.x, -(self.x * b.z)),
            self.x.mul_add(b.y, -(self.y * b.x)),
        )
    }

    /// `self · s + b`.
    #[inline(always)]
    pub fn scale_add(self, s: T, b: Self) -> Self {
        vec3(self.x.mul_add(s, b.x), self.y.mul_add(s, b.y), self.z.mul_add(s, b.z))
    }

    /// `self × b + c`.
    #[inline(always)]
    pub fn cross_add(self, b: Self, c: Self) -> Self {
        vec3(
            self.y.mul_add(b.z, (-self.z).mul_add(b.y, c.x)),
            self.z.mul_add(b.x, (-self.x).mul_add(b.z, c.y)),
            self.x.mul_add(b.y, (-self.y).mul_add(b.x, c.z)),
        )
    }

    /// Length squared.
    #[inline(always)]
    pub fn norm_squared(self) -> T {
        self.x.sqr() + self.y.sqr() + self.z.sqr()
    }

    /// Length.
    pub fn norm(self) -> T {
        self.norm_squared().sqrt()
    }

    /// Each component through `f`.
    #[inline(always)]
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Vec3<U> {
        vec3(f(self.x), f(self.y), f(self.z))
    }

    /// Whether all components are finite.
    pub fn is_finite(&self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }
}

componentwise!(Vec3 { x, y, z });
