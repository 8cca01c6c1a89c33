//! The pose of a frame in another, and what it does to motions and forces.

use super::{Force, Motion, Rotation, Vec3};
use crate::scalar::Real;

/// The pose of a child frame in its parent: axes and origin, in the parent's components.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
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
    pub fn from_translation(translation: Vec3<T>) -> Self {
        Transform::new(Rotation::identity(), translation)
    }

    /// A pure rotation.
    pub fn from_rotation(rotation: Rotation<T>) -> Self {
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
        Transform::new(rotation, -rotation.rotate(self.translation))
    }

    /// A point given in the child, in the parent.
    #[inline(always)]
    pub fn point(&self, p: Vec3<T>) -> Vec3<T> {
        self.rotation.rotate(p) + self.translation
    }

    /// A motion given in the child, in the parent.
    #[inline(always)]
    pub fn motion(&self, m: Motion<T>) -> Motion<T> {
        let angular = self.rotation.rotate(m.angular);
        Motion::new(angular, self.translation.cross_add(angular, self.rotation.rotate(m.linear)))
    }

    /// A motion given in the parent, in the child.
    #[inline(always)]
    pub fn motion_back(&self, m: Motion<T>) -> Motion<T> {
        let linear = m.angular.cross_add(self.translation, m.linear);
        Motion::new(self.rotation.inverse_rotate(m.angular), self.rotation.inverse_rotate(linear))
    }

    /// A wrench given in the child, in the parent.
    #[inline(always)]
    pub fn force(&self, f: Force<T>) -> Force<T> {
        let force = self.rotation.rotate(f.force);
        Force::new(self.translation.cross_add(force, self.rotation.rotate(f.moment)), force)
    }

    /// A wrench given in the parent, in the child.
    #[inline(always)]
    pub fn force_back(&self, f: Force<T>) -> Force<T> {
        let moment = f.force.cross_add(self.translation, f.moment);
        Force::new(self.rotation.inverse_rotate(moment), self.rotation.inverse_rotate(f.force))
    }

    /// All components, the rotation's columns first.
    #[inline(always)]
    pub fn components(&self) -> [T; 12] {
        let ([a, b, c], [d, e, f]) = (self.rotation.x.to_array(), self.rotation.y.to_array());
        let ([g, h, i], [j, k, l]) = (self.rotation.z.to_array(), self.translation.to_array());
        [a, b, c, d, e, f, g, h, i, j, k, l]
    }

    /// Each component through `f`.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Transform<U> {
        Transform { rotation: self.rotation.map(&f), translation: self.translation.map(&f) }
    }
}

impl Transform<f64> {
    /// Whether it is a pose: a finite translation, and a rotation up to 1e-6, as robot files round it.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.translation.is_finite() && self.rotation.orthonormality_error() <= 1e-6
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::{Inertia, Sym3, vec3};

    fn pose() -> Transform<f64> {
        Transform::new(Rotation::rpy(0.3, -0.7, 1.1), vec3(0.2, -0.5, 0.9))
    }

    fn motion() -> Motion<f64> {
        Motion::new(vec3(0.4, -1.2, 0.3), vec3(-0.6, 0.8, 2.0))
    }

    fn wrench() -> Force<f64> {
        Force::new(vec3(1.5, 0.2, -0.7), vec3(3.0, -2.0, 0.5))
    }

    #[test]
    fn power_is_the_same_in_every_frame() {
        let (x, m, f) = (pose(), motion(), wrench());
        assert!((m.dot(f) - x.motion(m).dot(x.force(f))).abs() < 1e-14);
        assert!((m.dot(f) - x.motion_back(m).dot(x.force_back(f))).abs() < 1e-14);
    }

    #[test]
    fn there_and_back() {
        let (x, m, f) = (pose(), motion(), wrench());
        let near = |a: [f64; 6], b: [f64; 6]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-14);
        assert!(near(x.motion_back(x.motion(m)).components(), m.components()));
        assert!(near(x.force_back(x.force(f)).components(), f.components()));
        assert!(near(x.inverse().motion(m).components(), x.motion_back(m).components()));
        let identity = x.compose(&x.inverse()).components();
        assert!(
            identity.iter().zip(Transform::identity().components()).all(|(a, b): (&f64, f64)| (a - b).abs() < 1e-15)
        );
    }

    #[test]
    fn a_point_of_a_turning_body_moves_by_omega_cross_r() {
        let spin = Motion::new(vec3(0.0, 0.0, 2.0), Vec3::zero());
        let seen = Transform::from_translation(vec3(3.0, 0.0, 0.0)).motion_back(spin);
        assert_eq!(seen.linear, vec3(0.0, 6.0, 0.0));
    }

    #[test]
    fn energy_of_a_body_is_the_same_in_every_frame() {
        let body = Inertia::about_centre(2.0, vec3(0.1, 0.2, -0.3), Sym3::diagonal(0.02, 0.03, 0.04));
        let (x, m) = (pose(), motion());
        let (here, there) = (m.dot(body.momentum(m)), x.motion(m).dot(body.transformed(&x).momentum(x.motion(m))));
        assert!((here - there).abs() < 1e-14 * here.abs().max(1.0));
    }

    #[test]
    fn two_particles_have_the_inertia_of_a_dumbbell() {
        let dumbbell = Inertia::point(1.0, vec3(0.5, 0.0, 0.0)) + Inertia::point(1.0, vec3(-0.5, 0.0, 0.0));
        assert_eq!(dumbbell.second, Sym3::diagonal(0.0, 0.5, 0.5));
        assert_eq!(dumbbell.moments(), Sym3::diagonal(0.5, 0.0, 0.0));
        assert_eq!(Inertia::point(2.0, vec3(1.0, 2.0, 0.0)).second.xy, -4.0, "I_xy = −∫ x y dm");
    }
}
