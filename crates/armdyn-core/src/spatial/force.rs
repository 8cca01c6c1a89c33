//! Spatial forces: wrenches and momenta, about the origin of the frame they are given in.

use super::{Vec3, vec3};
use crate::scalar::Real;

/// A wrench, or a momentum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Force<T> {
    /// Moment about the frame's origin \[N m\].
    pub moment: Vec3<T>,
    /// Force \[N\].
    pub force: Vec3<T>,
}

impl<T: Real> Force<T> {
    /// From its parts.
    #[inline(always)]
    pub const fn new(moment: Vec3<T>, force: Vec3<T>) -> Self {
        Force { moment, force }
    }

    /// No wrench.
    #[inline(always)]
    pub fn zero() -> Self {
        Force::new(Vec3::zero(), Vec3::zero())
    }

    /// All components, moment first.
    #[inline(always)]
    pub fn components(&self) -> [T; 6] {
        let ([a, b, c], [d, e, f]) = (self.moment.to_array(), self.force.to_array());
        [a, b, c, d, e, f]
    }

    /// From all components, moment first.
    #[inline(always)]
    pub fn from_components([a, b, c, d, e, f]: [T; 6]) -> Self {
        Force::new(vec3(a, b, c), vec3(d, e, f))
    }

    /// Each component through `f`.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Force<U> {
        Force { moment: self.moment.map(&f), force: self.force.map(&f) }
    }
}

componentwise!(Force { moment, force });
