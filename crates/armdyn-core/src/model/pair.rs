//! Kinematic pairs: what the algorithms see of a joint.
//!
//! A joint of any kind is one pair or a few in a row (a cylindrical joint is a revolute pair and a prismatic
//! one), each in a frame whose z axis is the pair's axis. The columns of S are then constant in the moving
//! body's frame, and most of them are a unit vector. Algorithms never match on the pair; they call the pair for
//! its pose, for S q̇, for Sᵀ f, or to carry the motion of the parent over to the body.

use crate::scalar::Real;
use crate::spatial::{Force, Motion, Rotation, Transform, Vec3, vec3};

/// A kinematic pair about, or along, its own z axis.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Pair<T> {
    /// Rotation about z by q.
    Revolute,
    /// Translation along z by q.
    Prismatic,
    /// Rotation about z by q and translation along z by pitch · q.
    Helical {
        /// Advance per radian \[m/rad\].
        pitch: T,
    },
    /// Free rotation: q is a quaternion (x, y, z, w), q̇ the angular velocity in the body's axes.
    Ball,
    /// Moves freely: q is a position and a quaternion, q̇ the linear and the angular velocity in the body's axes.
    Free,
}

/// How a body moves: angular velocity ω, angular acceleration α, acceleration a of its origin (gravity counted
/// as an upward acceleration of the base), in the body's axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving<T> {
    /// Angular velocity.
    pub omega: Vec3<T>,
    /// Angular acceleration.
    pub alpha: Vec3<T>,
    /// Acceleration of the frame's origin.
    pub a: Vec3<T>,
}

/// U = α̂ + ω̂ω̂, so that a point r of the body is accelerated by a + U r. By rows.
pub(crate) type AccelerationTensor<T> = [Vec3<T>; 3];

impl<T: Real> Moving<T> {
    /// U = α̂ + ω̂ω̂.
    #[inline(always)]
    pub fn tensor(&self) -> AccelerationTensor<T> {
        let (w, al) = (self.omega, self.alpha);
        let (xx, yy, zz) = (w.x.sqr(), w.y.sqr(), w.z.sqr());
        [
            vec3(-(yy + zz), w.x.mul_add(w.y, -al.z), w.x.mul_add(w.z, al.y)),
            vec3(w.x.mul_add(w.y, al.z), -(xx + zz), w.y.mul_add(w.z, -al.x)),
            vec3(w.x.mul_add(w.z, -al.y), w.y.mul_add(w.z, al.x), -(xx + yy)),
        ]
    }
}

/// U v + b.
#[inline(always)]
pub(crate) fn tensor_times<T: Real>(u: &AccelerationTensor<T>, v: Vec3<T>, b: Vec3<T>) -> Vec3<T> {
    let row = |r: Vec3<T>, b: T| r.x.mul_add(v.x, r.y.mul_add(v.y, r.z.mul_add(v.z, b)));
    vec3(row(u[0], b.x), row(u[1], b.y), row(u[2], b.z))
}

impl<T: Real> Pair<T> {
    /// Length of the pair's part of q.
    #[inline(always)]
    pub fn nq(&self) -> usize {
        match self {
            Pair::Ball => 4,
            Pair::Free => 7,
            _ => 1,
        }
    }

    /// Length of the pair's part of q̇: its degrees of freedom.
    #[inline(always)]
    pub fn nv(&self) -> usize {
        match self {
            Pair::Ball => 3,
            Pair::Free => 6,
            _ => 1,
        }
    }

    /// The pose of the body in its parent, `at` being the pose where q is neutral. `trig` holds sine and cosine
    /// of each q.
    #[inline(always)]
    pub fn pose(&self, at: &Transform<T>, q: &[T], trig: &[(T, T)]) -> Transform<T> {
        let (r, p) = (&at.rotation, at.translation);
        match self {
            Pair::Revolute => Transform::new(r.about_own_z(trig[0]), p),
            Pair::Prismatic => Transform::new(*r, r.z.scale_add(q[0], p)),
            Pair::Helical { pitch } => Transform::new(r.about_own_z(trig[0]), r.z.scale_add(q[0] * *pitch, p)),
            Pair::Ball => Transform::new(r.compose(&Rotation::quaternion([q[0], q[1], q[2], q[3]])), p),
            Pair::Free => Transform::new(
                r.compose(&Rotation::quaternion([q[3], q[4], q[5], q[6]])),
                r.rotate(vec3(q[0], q[1], q[2])) + p,
            ),
        }
    }

    /// The motion of the body from that of its parent, `x` being the body's pose in it and `u` the parent's U.
    ///
    /// ω = Xᵀ ωₚ + w,  α = Xᵀ αₚ + ẇ + ω × w,  a = Xᵀ (aₚ + Uₚ r) + u̇ + 2 ω × u − w × u,
    /// with S q̇ = (w, u) and S q̈ = (ẇ, u̇).
    #[inline(always)]
    pub(crate) fn propagate(
        &self,
        parent: &Moving<T>,
        u: &AccelerationTensor<T>,
        x: &Transform<T>,
        qd: &[T],
        qdd: &[T],
    ) -> Moving<T> {
        let r = &x.rotation;
        let mut omega = r.inverse_rotate(parent.omega);
        let mut alpha = r.inverse_rotate(parent.alpha);
        let mut a = r.inverse_rotate(tensor_times(u, x.translation, parent.a));
        match self {
            Pair::Revolute => rotate_about_z(&mut omega, &mut alpha, qd[0], qdd[0]),
            Pair::Prismatic => translate_along_z(&omega, &mut a, qd[0], qdd[0]),
            Pair::Helical { pitch } => {
                rotate_about_z(&mut omega, &mut alpha, qd[0], qdd[0]);
                translate_along_z(&omega, &mut a, *pitch * qd[0], *pitch * qdd[0]);
            }
            Pair::Ball | Pair::Free => {
                let (s, sd) = (self.motion(qd), self.motion(qdd));
                omega += s.angular;
                alpha += omega.cross_add(s.angular, sd.angular);
                a += sd.linear + (omega + omega - s.angular).cross(s.linear);
            }
        }
        Moving { omega, alpha, a }
    }

    /// S q̇, in the body's axes at its origin.
    #[inline(always)]
    pub fn motion(&self, qd: &[T]) -> Motion<T> {
        let z = T::zero();
        let along = |x: T| vec3(z, z, x);
        match self {
            Pair::Revolute => Motion::new(along(qd[0]), Vec3::zero()),
            Pair::Prismatic => Motion::new(Vec3::zero(), along(qd[0])),
            Pair::Helical { pitch } => Motion::new(along(qd[0]), along(*pitch * qd[0])),
            Pair::Ball => Motion::new(vec3(qd[0], qd[1], qd[2]), Vec3::zero()),
            Pair::Free => Motion::new(vec3(qd[3], qd[4], qd[5]), vec3(qd[0], qd[1], qd[2])),
        }
    }

    /// τ = Sᵀ f, for a wrench in the body's axes at its origin.
    #[inline(always)]
    pub fn project(&self, f: &Force<T>, tau: &mut [T]) {
        match self {
            Pair::Revolute => tau[0] = f.moment.z,
            Pair::Prismatic => tau[0] = f.force.z,
            Pair::Helical { pitch } => tau[0] = pitch.mul_add(f.force.z, f.moment.z),
            Pair::Ball => tau[..3].copy_from_slice(&f.moment.to_array()),
            Pair::Free => {
                tau[..3].copy_from_slice(&f.force.to_array());
                tau[3..6].copy_from_slice(&f.moment.to_array());
            }
        }
    }

    /// The k-th column of S, for a body whose pose is `x`: in the axes, and at the origin, of the frame `x` is in.
    #[inline(always)]
    pub fn column(&self, k: usize, x: &Transform<T>) -> Motion<T> {
        let about = |axis: Vec3<T>| Motion::new(axis, x.translation.cross(axis));
        let along = |axis: Vec3<T>| Motion::new(Vec3::zero(), axis);
        let r = &x.rotation;
        let axis = |k: usize| match k {
            0 => r.x,
            1 => r.y,
            _ => r.z,
        };
        match self {
            Pair::Revolute => about(r.z),
            Pair::Prismatic => along(r.z),
            Pair::Helical { pitch } => Motion::new(r.z, r.z.scale_add(*pitch, x.translation.cross(r.z))),
            Pair::Ball => about(axis(k)),
            Pair::Free if k < 3 => along(axis(k)),
            Pair::Free => about(axis(k - 3)),
        }
    }

    /// The part of a wrench, in the body's axes, that the pair's drives supply; the rest is the constraint wrench.
    pub fn actuation(&self, f: &Force<T>) -> Force<T> {
        let z = T::zero();
        let along = |x: T| vec3(z, z, x);
        match self {
            Pair::Revolute => Force::new(along(f.moment.z), Vec3::zero()),
            Pair::Prismatic => Force::new(Vec3::zero(), along(f.force.z)),
            // A screw's drive does work on n_z + p f_z alone: the smallest wrench that does it all.
            Pair::Helical { pitch } => {
                let s = pitch.mul_add(f.force.z, f.moment.z) / pitch.mul_add(*pitch, T::one());
                Force::new(along(s), along(*pitch * s))
            }
            Pair::Ball => Force::new(f.moment, Vec3::zero()),
            Pair::Free => *f,
        }
    }

    /// A number for its kind.
    pub(super) fn ordinal(&self) -> usize {
        match self {
            Pair::Revolute => 1,
            Pair::Prismatic => 2,
            Pair::Helical { .. } => 3,
            Pair::Ball => 4,
            Pair::Free => 5,
        }
    }

    /// Another scalar.
    pub fn map<U: Real>(self, f: impl Fn(T) -> U) -> Pair<U> {
        match self {
            Pair::Revolute => Pair::Revolute,
            Pair::Prismatic => Pair::Prismatic,
            Pair::Helical { pitch } => Pair::Helical { pitch: f(pitch) },
            Pair::Ball => Pair::Ball,
            Pair::Free => Pair::Free,
        }
    }
}

#[inline(always)]
fn rotate_about_z<T: Real>(omega: &mut Vec3<T>, alpha: &mut Vec3<T>, qd: T, qdd: T) {
    alpha.x = omega.y.mul_add(qd, alpha.x);
    alpha.y = (-omega.x).mul_add(qd, alpha.y);
    alpha.z += qdd;
    omega.z += qd;
}

#[inline(always)]
fn translate_along_z<T: Real>(omega: &Vec3<T>, a: &mut Vec3<T>, v: T, vd: T) {
    let twice = v + v;
    a.x = omega.y.mul_add(twice, a.x);
    a.y = (-omega.x).mul_add(twice, a.y);
    a.z += vd;
}
