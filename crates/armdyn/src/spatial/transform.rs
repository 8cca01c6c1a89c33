//! The pose of a frame in another, and what it does to motions and forces.

use super::{Force, Motion, Rotation, Vec3, vec3};
use crate::scalar::Real;

/// The pose of a child frame in its parent: axes and origin, in the parent's components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform<T> {
    /// The child's axes in the parent.
    pub rotation: Rotation<T>,
    /// The child's origin in the parent.
    pub translation: Vec3<T>,
}

impl<T: Real> Transform<T> {
    /// From its parts.
    #[inline(always)]
    pub const fn new(rotation: Rotation<T>, translation: Vec3<T>) -> Self {
        Transform { rotation, translation }
    }

    /// The parent itself.
    pub fn identity() -> Self {
        Transform::new(Rotation::identity(), Vec3::zero())
    }

    /// A pure translation.
    pub fn shifted(translation: Vec3<T>) -> Self {
        Transform::new(Rotation::identity(), translation)
    }

    /// A pure rotation.
    pub fn turned(rotation: Rotation<T>) -> Self {
        Transform::new(rotation, Vec3::zero())
    }

    /// The pose of a grandchild: this pose, then `next` in the child.
    #[inline(always)]
    pub fn compose(&self, next: &Self) -> Self {
        Transform::new(self.rotation.compose(&next.rotation), self.point(next.translation))
    }

    /// The pose of the parent in the child.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Transform::new(rotation, -rotation.turn(self.translation))
    }

    /// A point given in the child, in the parent.
    #[inline(always)]
    pub fn point(&self, p: Vec3<T>) -> Vec3<T> {
        self.rotation.turn(p) + self.translation
    }

    /// A motion given in the child, in the parent.
    #[inline(always)]
    pub fn motion(&self, m: Motion<T>) -> Motion<T> {
        let angular = self.rotation.turn(m.angular);
        Motion::new(angular, self.translation.cross_add(angular, self.rotation.turn(m.linear)))
    }

    /// A motion given in the parent, in the child.
    #[inline(always)]
    pub fn motion_back(&self, m: Motion<T>) -> Motion<T> {
        let linear = m.angular.cross_add(self.translation, m.linear);
        Motion::new(self.rotation.turn_back(m.angular), self.rotation.turn_back(linear))
    }

    /// A wrench given in the child, in the parent.
    #[inline(always)]
    pub fn force(&self, f: Force<T>) -> Force<T> {
        let force = self.rotation.turn(f.force);
        Force::new(self.translation.cross_add(force, self.rotation.turn(f.moment)), force)
    }

    /// A wrench given in the parent, in the child.
    #[inline(always)]
    pub fn force_back(&self, f: Force<T>) -> Force<T> {
        let moment = f.force.cross_add(self.translation, f.moment);
        Force::new(self.rotation.turn_back(moment), self.rotation.turn_back(f.force))
    }

    /// All components, the rotation's columns first.
    #[inline(always)]
    pub fn components(&self) -> [T; 12] {
        let ([a, b, c], [d, e, f]) = (self.rotation.x.to_array(), self.rotation.y.to_array());
        let ([g, h, i], [j, k, l]) = (self.rotation.z.to_array(), self.translation.to_array());
        [a, b, c, d, e, f, g, h, i, j, k, l]
    }

    /// From all components, the rotation's columns first.
    #[inline(always)]
    pub fn from_components([a, b, c, d, e, f, g, h, i, j, k, l]: [T; 12]) -> Self {
        Transform::new(Rotation { x: vec3(a, b, c), y: vec3(d, e, f), z: vec3(g, h, i) }, vec3(j, k, l))
    }

    /// Each component through `f`.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Transform<U> {
        Transform { rotation: self.rotation.map(&f), translation: self.translation.map(&f) }
    }
}
