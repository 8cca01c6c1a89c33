//! Spatial motions: twists and spatial accelerations, at the origin of the frame they are given in.

use super::{Force, Vec3, vec3};
use crate::scalar::Real;

/// A twist, a spatial acceleration, or a joint's axis as a screw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion<T> {
    /// Angular part \[rad/s\].
    pub angular: Vec3<T>,
    /// Linear part, of the point at the frame's origin \[m/s\].
    pub linear: Vec3<T>,
}

impl<T: Real> Motion<T> {
    /// From its parts.
    #[inline(always)]
    pub const fn new(angular: Vec3<T>, linear: Vec3<T>) -> Self {
        Motion { angular, linear }
    }

    /// No motion.
    #[inline(always)]
    pub fn zero() -> Self {
        Motion::new(Vec3::zero(), Vec3::zero())
    }

    /// Power of a wrench on this motion.
    #[inline(always)]
    pub fn dot(self, f: Force<T>) -> T {
        self.angular.dot(f.moment) + self.linear.dot(f.force)
    }

    /// v × m: the rate of a motion m carried along by v.
    #[inline(always)]
    pub fn cross(self, m: Self) -> Self {
        Motion::new(self.angular.cross(m.angular), self.angular.cross_add(m.linear, self.linear.cross(m.angular)))
    }

    /// v ×* f: the rate of a wrench f carried along by v.
    #[inline(always)]
    pub fn cross_force(self, f: Force<T>) -> Force<T> {
        Force::new(self.angular.cross_add(f.moment, self.linear.cross(f.force)), self.angular.cross(f.force))
    }

    /// `self · s + b`.
    #[inline(always)]
    pub fn scale_add(self, s: T, b: Self) -> Self {
        Motion::new(self.angular.scale_add(s, b.angular), self.linear.scale_add(s, b.linear))
    }

    /// All components, angular first.
    #[inline(always)]
    pub fn components(&self) -> [T; 6] {
        let ([a, b, c], [d, e, f]) = (self.angular.to_array(), self.linear.to_array());
        [a, b, c, d, e, f]
    }

    /// From all components, angular first.
    #[inline(always)]
    pub fn from_components([a, b, c, d, e, f]: [T; 6]) -> Self {
        Motion::new(vec3(a, b, c), vec3(d, e, f))
    }

    /// Each component through `f`.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Motion<U> {
        Motion { angular: self.angular.map(&f), linear: self.linear.map(&f) }
    }
}

componentwise!(Motion { angular, linear });
