//! The inertia of a rigid body, by its moments of order 0, 1 and 2 about the origin of its frame.
//!
//! The ten numbers m, m c, I_O enter every equation of motion linearly; that is why they are kept, and not
//! m, c, I_C.

use super::{Force, Motion, Sym3, Transform, Vec3, vec3};
use crate::scalar::Real;

/// Mass, first moment and inertia tensor of a rigid body, about the origin of its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Inertia<T> {
    /// Mass m \[kg\].
    pub mass: T,
    /// First moment m c \[kg m\].
    pub first: Vec3<T>,
    /// Inertia tensor about the frame's origin \[kg m²\].
    pub second: Sym3<T>,
}

impl<T: Real> Inertia<T> {
    /// No mass.
    pub fn zero() -> Self {
        Inertia { mass: T::zero(), first: Vec3::zero(), second: Sym3::zero() }
    }

    /// From mass, centre of mass, and the tensor about the centre of mass, in the frame's axes.
    pub fn about_centre(mass: T, centre: Vec3<T>, tensor: Sym3<T>) -> Self {
        let first = centre * mass;
        Inertia { mass, first, second: tensor + Sym3::shift(first * T::lift(0.5), centre) }
    }

    /// From mass, centre of mass, and the tensor about the frame's *origin*, in the frame's axes.
    pub fn about_origin(mass: T, centre: Vec3<T>, tensor: Sym3<T>) -> Self {
        Inertia { mass, first: centre * mass, second: tensor }
    }

    /// A point mass.
    pub fn point(mass: T, at: Vec3<T>) -> Self {
        Inertia::about_centre(mass, at, Sym3::zero())
    }

    /// Centre of mass; not finite if the mass is zero.
    pub fn centre(&self) -> Vec3<T> {
        self.first * (T::one() / self.mass)
    }

    /// The tensor about the centre of mass.
    pub fn central(&self) -> Sym3<T> {
        self.second - Sym3::shift(self.first * T::lift(0.5), self.centre())
    }

    /// ∫ r rᵀ dm = ½ tr(I) 1 − I: the second moments in another arrangement.
    pub fn moments(&self) -> Sym3<T> {
        let half = T::lift(0.5) * self.second.trace();
        Sym3::diagonal(half, half, half) - self.second
    }

    /// The same body in a parent frame, in which its own frame has the pose `x`.
    #[inline(always)]
    pub fn transformed(&self, x: &Transform<T>) -> Self {
        let turned = x.rotation.rotate(self.first);
        let p = x.translation;
        let g = p.scale_add(self.mass * T::lift(0.5), turned);
        Inertia {
            mass: self.mass,
            first: p.scale_add(self.mass, turned),
            second: x.rotation.rotate_tensor(&self.second) + Sym3::shift(g, p),
        }
    }

    /// Momentum of the body moving with `v`; or the inertial wrench of a spatial acceleration.
    #[inline(always)]
    pub fn momentum(&self, v: Motion<T>) -> Force<T> {
        Force::new(
            self.first.cross_add(v.linear, self.second * v.angular),
            v.linear.scale_add(self.mass, v.angular.cross(self.first)),
        )
    }

    /// Mass, first moment (x, y, z), second moments (xx, xy, xz, yy, yz, zz).
    #[inline(always)]
    pub fn components(&self) -> [T; 10] {
        let (h, i) = (self.first, self.second);
        [self.mass, h.x, h.y, h.z, i.xx, i.xy, i.xz, i.yy, i.yz, i.zz]
    }

    /// From mass, first moment (x, y, z), second moments (xx, xy, xz, yy, yz, zz).
    #[inline(always)]
    pub fn from_components([mass, x, y, z, xx, xy, xz, yy, yz, zz]: [T; 10]) -> Self {
        Inertia { mass, first: vec3(x, y, z), second: Sym3 { xx, xy, xz, yy, yz, zz } }
    }

    /// Each component through `f`.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Inertia<U> {
        Inertia { mass: f(self.mass), first: self.first.map(&f), second: self.second.map(&f) }
    }
}

componentwise!(Inertia { mass, first, second });
