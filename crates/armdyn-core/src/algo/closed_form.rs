//! Inverse dynamics in closed form: Newton–Euler of the generalized manipulator.
//!
//! Lau 1985, ch. 3, eqs. 3-81 … 3-99. Joint k moves link k relative to link k − 1 in any way. Frame k is at the joint and
//! fixed to link k − 1. With d the displacement of link k in it, and w, α its angular velocity and acceleration,
//!
//!   u = ḋ − w × d,   a = d̈ − α × d − w × (w × d) − 2 w × u
//!
//! are the joint's translational velocity and acceleration. Link j has mass M, first moment h = M p and tensor J about
//! the origin of frame j; ₖd leads from the origin of frame k to that of frame j. Its motion requires, at the origin of frame j,
//!
//!   Fₖ  = M (aₖ + αₖ × ₖd) + αₖ × h                                              (3-87)
//!   Nₖ  = h × (aₖ + αₖ × ₖd) + J αₖ                                              (3-96)
//!   Fₖₖ = M wₖ × (wₖ × ₖd) + wₖ × (wₖ × h)                                       (3-88)
//!   Nₖₖ = h × (wₖ × (wₖ × ₖd)) + wₖ × J wₖ                                       (3-97)
//!   Fₖₗ = 2 M wₖ × (uₗ + [l > k] wₗ × ₗd) + [l > k] 2 wₖ × (wₗ × h)                (3-89)
//!   Nₖₗ = 2 h × (wₖ × (uₗ + [l > k] wₗ × ₗd)) + [l > k] (2 wₗ × J wₖ − tr J wₗ × wₖ) (3-98)
//!   F_g = −M g,   N_g = −h × g                                                   (3-99)
//!
//! The wrench of joint i is the sum over all links j outboard of it, all joints k inboard of j, and all l from k to j, each
//! term transformed to frame i: Nᵢ = N + ᵢd × F (3-81 … 3-85, 3-90 … 3-94).
//!
//! Deviations: Lau's terms in frame i are written at frame j and transformed, which joins his four M-terms into two; h
//! and J are M p and A I Aᵀ, so that a link may be massless; trees are covered: "l ≥ k" means that k is an ancestor of l.
//! Errata: gravity has the sign of 3-72 … 3-78 reversed; 3-98a has a spurious 2 J (wₗ × wₖ) from 2-86, and holds for
//! l > k alone; δₖₗ in 3-89 is 1 − Kronecker's; 2 wₖ × uₖ counts once (3-20); J has I_xy = −∫ x y dm (3-67). Lau's
//! joint rotates, then translates along the rotated axes; u and a as defined above are his there, and cover every other
//! joint as well.

use super::KinematicsData;
use super::coefficients::{velocity_wrench, weight};
use super::rnea::drive_torques;
use crate::error::Result;
use crate::model::{JointInfo, Model};
use crate::scalar::Real;
use crate::spatial::{Force, Inertia, Motion, Transform, Vec3};
use alloc::vec::Vec;
use core::iter::successors;

/// One term of a joint's wrench: the contribution of link j due to the motion of joint k, or of joints k and l. Joints are
/// numbered as in [`Model::joints`]; link j is the one that joint j moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// Of the acceleration of joint k (3-87, 3-96).
    Inertial {
        /// The joint that accelerates.
        k: usize,
        /// The link.
        j: usize,
    },
    /// Of the velocity of joint k, squared (3-88, 3-97).
    Centrifugal {
        /// The rotating joint.
        k: usize,
        /// The link.
        j: usize,
    },
    /// Of the velocities of joints k and l, where k is l or an ancestor of it (3-89, 3-98).
    Coriolis {
        /// The rotating joint.
        k: usize,
        /// The joint that moves relative to the links rotated by k.
        l: usize,
        /// The link.
        j: usize,
    },
    /// Of gravity (3-99).
    Gravity {
        /// The link.
        j: usize,
    },
}

/// A joint and the link that it moves, in the base's axes.
#[derive(Clone, Copy, Debug)]
struct Generalized<T> {
    /// The joint that moves the link it starts from.
    parent: Option<usize>,
    /// Whether it moves; the link of a fixed joint is merged with its parent.
    moves: bool,
    /// Pose of frame k in the base.
    frame: Transform<T>,
    w: Vec3<T>,
    al: Vec3<T>,
    u: Vec3<T>,
    a: Vec3<T>,
    /// M, h and J, about the origin of frame k.
    link: Inertia<T>,
    /// Its wrench, at the origin of frame k.
    wrench: Force<T>,
}

/// The variables of a joint and of the link that it moves, in the axes of the joint's frame k: Lau's steps A to C. Frame k is that
/// link's frame where q is neutral, and stays with the link that the joint starts from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointVariables<T> {
    /// The pose of frame k in the base.
    pub frame: Transform<T>,
    /// w: angular velocity relative to the link that the joint starts from.
    pub angular_velocity: Vec3<T>,
    /// α: angular acceleration.
    pub angular_acceleration: Vec3<T>,
    /// u: translational velocity.
    pub velocity: Vec3<T>,
    /// a: translational acceleration.
    pub acceleration: Vec3<T>,
    /// M, h = M p and J of the link, about the origin of frame k.
    pub link: Inertia<T>,
}

/// Workspace and terms of [`closed_form`].
#[derive(Clone, Debug)]
pub struct ClosedFormData<T> {
    kinematics: KinematicsData<T>,
    joints: Vec<Generalized<T>>,
    gravity: Vec3<T>,
}

impl<T: Real> ClosedFormData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        let zero = Vec3::zero();
        let parent = |info: &JointInfo| {
            let start = info.bodies.clone().next().map(|b| m.body(b).parent)?;
            m.joints().iter().position(|p| p.bodies.contains(&start))
        };
        let joint = |info: &JointInfo| Generalized {
            parent: parent(info),
            moves: !info.bodies.is_empty(),
            frame: Transform::identity(),
            w: zero,
            al: zero,
            u: zero,
            a: zero,
            link: Inertia::zero(),
            wrench: Force::zero(),
        };
        ClosedFormData {
            kinematics: KinematicsData::new(m),
            joints: m.joints().iter().map(joint).collect(),
            gravity: m.gravity,
        }
    }

    /// The wrench that joint i transmitted in the last call: on the link that it moves, in frame i, which is that link's
    /// frame where q is neutral and stays with the link that the joint starts from. `None` for a fixed joint.
    pub fn wrench(&self, i: usize) -> Option<Force<T>> {
        let joint = self.joints.get(i).filter(|joint| joint.moves)?;
        Some(Transform::from_rotation(joint.frame.rotation).force_back(joint.wrench))
    }

    /// The variables of joint k in the last call. `None` for a fixed joint.
    pub fn variables(&self, k: usize) -> Option<JointVariables<T>> {
        let joint = self.joints.get(k).filter(|joint| joint.moves)?;
        let axes = &joint.frame.rotation;
        Some(JointVariables {
            frame: joint.frame,
            angular_velocity: axes.inverse_rotate(joint.w),
            angular_acceleration: axes.inverse_rotate(joint.al),
            velocity: axes.inverse_rotate(joint.u),
            acceleration: axes.inverse_rotate(joint.a),
            link: joint.link.transformed(&Transform::from_rotation(axes.inverse())),
        })
    }

    /// One term of the wrench that joint i transmitted in the last call, in frame i. `None` if there is no such term: i,
    /// k or l is not an ancestor of link j in that order, or one of them is a fixed joint.
    pub fn term(&self, i: usize, term: Term) -> Option<Force<T>> {
        let (j, f) = match term {
            Term::Inertial { k, j } if self.is_ancestor(k, j) => (j, self.inertial(k, j)),
            Term::Centrifugal { k, j } if self.is_ancestor(k, j) => (j, self.centrifugal(k, j)),
            Term::Coriolis { k, l, j } if self.is_ancestor(k, l) && self.is_ancestor(l, j) => {
                (j, self.coriolis(k, l, j))
            }
            Term::Gravity { j } if self.is_ancestor(j, j) => (j, self.weight(j)),
            _ => return None,
        };
        let axes = |i: usize| Transform::from_rotation(self.joints[i].frame.rotation);
        self.is_ancestor(i, j).then(|| axes(i).force_back(self.transformed(f, j, i)))
    }

    /// From joint j to the base: every ancestor of link j.
    fn ancestors(&self, j: usize) -> impl Iterator<Item = usize> {
        successors(Some(j), |&k| self.joints[k].parent)
    }

    fn is_ancestor(&self, k: usize, j: usize) -> bool {
        self.joints.get(j).is_some_and(|joint| joint.moves) && self.ancestors(j).any(|a| a == k)
    }

    /// ₖd: from the origin of frame k to that of frame j.
    fn lever(&self, k: usize, j: usize) -> Vec3<T> {
        self.joints[j].frame.translation - self.joints[k].frame.translation
    }

    /// A wrench given at the origin of frame j, at that of frame i.
    fn transformed(&self, f: Force<T>, j: usize, i: usize) -> Force<T> {
        Transform::from_translation(self.lever(i, j)).force(f)
    }

    /// (3-87), (3-96)
    fn inertial(&self, k: usize, j: usize) -> Force<T> {
        let Generalized { al, a, .. } = self.joints[k];
        self.joints[j].link.momentum(Motion::new(al, al.cross_add(self.lever(k, j), a)))
    }

    /// (3-88), (3-97)
    fn centrifugal(&self, k: usize, j: usize) -> Force<T> {
        let w = self.joints[k].w;
        velocity_wrench(&self.joints[j].link, w, Motion::new(w, w.cross(self.lever(k, j))))
    }

    /// (3-89), (3-98)
    fn coriolis(&self, k: usize, l: usize, j: usize) -> Force<T> {
        let (w, Generalized { w: wl, u, .. }, link) = (self.joints[k].w, self.joints[l], &self.joints[j].link);
        let half = match l == k {
            true => link.momentum(Motion::new(Vec3::zero(), w.cross(u))),
            false => velocity_wrench(link, w, Motion::new(wl, wl.cross_add(self.lever(l, j), u))),
        };
        half * T::lift(2.0)
    }

    /// (3-99)
    fn weight(&self, j: usize) -> Force<T> {
        weight(&self.joints[j].link, self.gravity)
    }

    /// The motion of each joint, and the inertia of its link.
    fn update(&mut self, m: &Model<T>, q: &[T], qd: &[T], qdd: &[T]) {
        self.gravity = m.gravity;
        self.kinematics.update(m, q);
        let poses = &self.kinematics.poses;
        for (joint, info) in self.joints.iter_mut().zip(m.joints()).filter(|(joint, _)| joint.moves) {
            let frame = poses[m.body(info.bodies.start).parent].compose(&joint_frame(m, info));
            // The motion of link k relative to link k − 1, of the point at the origin of frame k.
            let (mut velocity, mut acceleration) = (Motion::zero(), Motion::zero());
            for k in info.bodies.clone() {
                let b = m.body(k);
                let x = relative_to(&poses[k], frame.translation);
                let v = x.motion(b.pair.motion(&qd[b.v..]));
                acceleration += x.motion(b.pair.motion(&qdd[b.v..])) + velocity.cross(v);
                velocity += v;
                joint.link = b.inertia.transformed(&x);
            }
            (joint.w, joint.u, joint.al) = (velocity.angular, velocity.linear, acceleration.angular);
            // The spatial acceleration is d̈ − α × d − w × ḋ.
            joint.a = acceleration.linear - joint.w.cross(joint.u);
            joint.frame = frame;
            joint.wrench = Force::zero();
        }
    }
}

/// Frame k in the body that the joint starts from: the pose of the link that it moves, where q is neutral.
pub(crate) fn joint_frame<T: Real>(m: &Model<T>, info: &JointInfo) -> Transform<T> {
    let start = Transform::identity();
    let last = info.bodies.clone().fold(start, |x, b| x.compose(&m.body(b).placement));
    last.compose(&m.links()[info.child].pose)
}

/// A pose in the same axes, relative to another origin.
fn relative_to<T: Real>(x: &Transform<T>, origin: Vec3<T>) -> Transform<T> {
    Transform::new(x.rotation, x.translation - origin)
}

/// τ for a motion, as [`rnea`](super::rnea) computes it, by the sum of all terms. For a base at rest, without external
/// wrenches and without gyroscopic rotors.
///
/// Frame k is fixed to the link before the joint: a robot that floats far from the base's origin loses digits here.
///
/// ```
/// use armdyn_core::{ClosedFormData, closed_form};
/// let model = armdyn_core::examples::pendulum();
/// let mut tau = [0.0];
/// closed_form(&model, &mut ClosedFormData::new(&model), &[0.0], &[0.0], &[2.0], &mut tau)?;
/// assert!((tau[0] - (0.5 * 2.0 + 9.81)).abs() < 1e-12); // m r² q̈ + m g r cos q
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn closed_form<T: Real>(
    m: &Model<T>,
    d: &mut ClosedFormData<T>,
    q: &[T],
    qd: &[T],
    qdd: &[T],
    tau: &mut [T],
) -> Result<()> {
    m.check_shapes(q, qd, qdd, tau)?;
    d.kinematics.check(m)?;
    m.check_no_spinning("the closed form counts a rotor's reflected inertia alone")?;
    m.check_no_followers("the closed form covers independent joints; lock the mimic joint or use another formulation")?;
    d.update(m, q, qd, qdd);
    for j in (0..d.joints.len()).filter(|&j| !m.joints()[j].bodies.is_empty()) {
        let mut f = d.weight(j);
        for l in d.ancestors(j) {
            f += d.inertial(l, j) + d.centrifugal(l, j);
            for k in d.ancestors(l) {
                f += d.coriolis(k, l, j);
            }
        }
        let mut ancestor = Some(j);
        while let Some(i) = ancestor {
            let transformed = d.transformed(f, j, i);
            d.joints[i].wrench += transformed; // (3-81), (3-90)
            ancestor = d.joints[i].parent;
        }
    }
    for (joint, info) in d.joints.iter().zip(m.joints()) {
        for k in info.bodies.clone() {
            let (b, x) = (m.body(k), relative_to(&d.kinematics.poses[k], joint.frame.translation));
            b.pair.project(&x.force_back(joint.wrench), &mut tau[b.v..]);
        }
    }
    drive_torques(m, qd, qdd, tau);
    m.check_finite("tau", tau, &[("q", q), ("qd", qd), ("qdd", qdd)])
}
