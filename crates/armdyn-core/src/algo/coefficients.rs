//! The coefficients of the equations of motion: gravity Dᵢ, inertia Dᵢₖ, velocity Dᵢₖₗ.
//!
//! Lau 1985, ch. 4, eqs. 4-98 … 4-105, for joints of one degree of freedom each. The axis of joint i is given in
//! link j as two vectors in its frame, with s the unit axis and d from it to the frame's origin:
//!
//!   δᵢ = s, μᵢ = s × d  if revolute,   δᵢ = 0, μᵢ = s  if prismatic
//!
//! Link j has mass M, centre p, and M K = I the tensor about the origin of its frame. Then, summed over every link j
//! that the joints named all carry,
//!
//!   τᵢ = Dᵢ + Σₖ Dᵢₖ q̈ₖ + Σₖ Σₗ Dᵢₖₗ q̇ₖ q̇ₗ                                       (4-98)
//!   Dᵢ   = −M g·(μᵢ + δᵢ × p)                                                  (4-102)
//!   Dᵢₖ  = M {δᵢ·K δₖ + μₖ·μᵢ + p·(μᵢ × δₖ + μₖ × δᵢ)}                            (4-103)
//!   Dᵢₖₗ = M {δᵢ·(δₗ × K δₖ) − ½ tr K δᵢ·(δₗ × δₖ) + δₖ·(μₗ × μᵢ)
//!            + p·(δₗ × (δₖ × μᵢ)) + p·(δᵢ × (μₗ × δₖ))}   where k carries l      (4-104)
//!   Dᵢₗₖ = Dᵢₖₗ                                                                (4-105)
//!
//! Deviations: each D is δᵢ·N + μᵢ·F, with N and F taken out of the braces, so that N and F are computed once for all
//! i (and for any direction); I and M p are used, not K and p, so that a link may have no mass; frame j is fixed to
//! link j, where I and p are constant, and not to the link before it; a helical joint has δ = s, μ = s × d + pitch s.
//! Lau's Iaᵢ is the drives' Gᵀ J G. Errata: 4-102 has the sign of gravity reversed; 4-104 has a spurious δᵢ·K (δₗ ×
//! δₖ).

use super::KinematicsData;
use super::closed_form::joint_frame;
use super::crba::add_drives;
use super::dynamic_coefficients::{DynamicCoefficients, dynamic_coefficients};
use super::on_tree::{OnTree, Tree};
use crate::error::{Error, Result};
use crate::model::{JointId, Model};
use crate::scalar::Real;
use crate::spatial::{Force, Inertia, Motion, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// A component of the wrench that a joint transmits: a fictitious axis, given in the joint's frame, which is the
/// frame of the link that it moves where q is neutral, and stays with the link that it starts from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction<T> {
    /// Force.
    Force {
        /// Along this unit vector.
        along: Vec3<T>,
    },
    /// Torque.
    Torque {
        /// About this unit vector.
        about: Vec3<T>,
        /// Through this point.
        through: Vec3<T>,
    },
}

/// Workspace and result of [`coefficients`]. Degrees of freedom are numbered from 0.
#[derive(Clone, Debug)]
pub struct CoefficientsData<T> {
    kinematics: KinematicsData<T>,
    /// (δᵢ, μᵢ) of each joint that carries the link at hand.
    axes: Vec<Motion<T>>,
    coefficients: DynamicCoefficients<T>,
    tree: Tree<T, CoefficientsData<T>>,
}

dynamic_coefficients!(CoefficientsData);

impl<T: Real> CoefficientsData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        CoefficientsData {
            kinematics: KinematicsData::new(m),
            axes: vec![Motion::zero(); m.nv()],
            coefficients: DynamicCoefficients::new(m),
            tree: OnTree::new(m, CoefficientsData::new, |_| [0, 0]),
        }
    }

    /// A component of the wrench on the link that a joint moves, where `coefficients` was last called, for the motion
    /// `qd`, `qdd`: (4-98) with the δ, μ of a fictitious axis.
    pub fn in_direction(
        &self,
        m: &Model<T>,
        joint: JointId,
        direction: Direction<T>,
        qd: &[T],
        qdd: &[T],
    ) -> Result<T> {
        m.check_length("qd", m.nv(), qd.len())?;
        m.check_length("qdd", m.nv(), qdd.len())?;
        self.kinematics.check(m)?;
        let rate = |rates: &[T], v: usize| m.following().map_or_else(|| rates[v], |(_, rows)| rows.rate(rates, v));
        let info = m.checked_joint(joint)?;
        let Some(first) = info.bodies.clone().next() else {
            let formulation = "a fixed joint is merged with the link before it; ask for a joint that moves";
            return Err(Error::Unsupported { formulation, joint: info.name.clone() });
        };
        let KinematicsData { poses, screws, .. } = &self.tree.as_ref().map_or(self, |own| &own.data).kinematics;
        let tree = m.tree();
        let axis = poses[m.body(first).parent].compose(&joint_frame(m, info)).motion(match direction {
            Direction::Force { along } => Motion::new(Vec3::zero(), along),
            Direction::Torque { about, through } => Motion::new(about, through.cross(about)),
        });
        let mut sum = T::zero();
        for (j, b) in m.base_to_tip().filter(|&(j, _)| m.is_ancestor(first, j)) {
            let x = &poses[j];
            let seen = |v: usize| x.motion_back(screws[v]);
            let mut f = weight(&b.inertia, x.rotation.inverse_rotate(m.gravity));
            for l in tree.support_dofs(j) {
                f += b.inertia.momentum(seen(l)) * rate(qdd, l);
                for k in tree.ancestor_dofs(l) {
                    let times = if k == l { T::one() } else { T::lift(2.0) };
                    let product = times * rate(qd, k) * rate(qd, l);
                    f += velocity_wrench(&b.inertia, seen(k).angular, seen(l)) * product;
                }
            }
            sum += x.motion_back(axis).dot(f);
        }
        m.check_finite_at("component", sum, m.nv(), &[("qd", qd), ("qdd", qdd)])?;
        Ok(sum)
    }
}

/// (4-102) without δᵢ, μᵢ: the wrench against gravity g.
pub(super) fn weight<T: Real>(link: &Inertia<T>, g: Vec3<T>) -> Force<T> {
    link.momentum(Motion::new(Vec3::zero(), -g))
}

/// (4-104) without δᵢ, μᵢ: the wrench due to the angular velocity δₖ and the velocity (δₗ, μₗ).
pub(super) fn velocity_wrench<T: Real>(link: &Inertia<T>, k: Vec3<T>, l: Motion<T>) -> Force<T> {
    let e = k.cross(l.linear);
    let euler = l.angular.cross(link.second * k) - l.angular.cross(k) * (link.second.trace() * T::lift(0.5));
    Force::new(link.first.cross_add(e, euler), e.scale_add(link.mass, k.cross(l.angular.cross(link.first))))
}

/// Every Dᵢ, Dᵢₖ, Dᵢₖₗ at `q`. Every joint is made of revolute, prismatic or helical pairs; each
/// pair counts. Gyroscopic rotors are not covered.
///
/// ```
/// use armdyn_core::{CoefficientsData, coefficients};
/// let model = armdyn_core::examples::two_link_arm();
/// let mut data = CoefficientsData::new(&model);
/// coefficients(&model, &mut data, &[0.0, std::f64::consts::FRAC_PI_2])?;
/// assert!((data.inertia(0, 0) - 3.0).abs() < 1e-12 && (data.velocity(1, 0, 0) - 1.0).abs() < 1e-12);
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn coefficients<T: Real>(m: &Model<T>, d: &mut CoefficientsData<T>, q: &[T]) -> Result<()> {
    let n = m.nv();
    m.check_length("q", m.nq(), q.len())?;
    m.check_single_axis("the coefficients D are those of joints with one degree of freedom")?;
    m.check_no_spinning("the coefficients D count a rotor's reflected inertia alone")?;
    d.kinematics.check(m)?;
    if d.tree.is_some() {
        let (own, tree, rows) = OnTree::at(&mut d.tree, m, q, None, None)?;
        coefficients(tree, &mut own.data, &own.q)?;
        let (from, to) = (&own.data.coefficients, &mut d.coefficients);
        rows.reduce(&from.gravity, &mut to.gravity);
        rows.reduce_square(&from.inertia, n, &mut to.inertia);
        rows.reduce_cube(&from.velocity, n, &mut to.velocity);
        return Ok(());
    }
    d.kinematics.update(m, q);
    let found = &mut d.coefficients;
    found.gravity.fill(T::zero());
    found.inertia.fill(T::zero());
    found.velocity.fill(T::zero());
    for (j, b) in m.base_to_tip() {
        let x = &d.kinematics.poses[j];
        for i in m.support_dofs(j) {
            d.axes[i] = x.motion_back(d.kinematics.screws[i]);
        }
        let axes = &d.axes;
        let f = weight(&b.inertia, x.rotation.inverse_rotate(m.gravity));
        for i in m.support_dofs(j) {
            found.gravity[i] += axes[i].dot(f);
        }
        for l in m.support_dofs(j) {
            let f = b.inertia.momentum(axes[l]); // (4-103) without δᵢ, μᵢ
            for i in m.support_dofs(j) {
                found.inertia[i * n + l] += axes[i].dot(f);
            }
            for k in m.ancestor_dofs(l) {
                let f = velocity_wrench(&b.inertia, axes[k].angular, axes[l]);
                for i in m.support_dofs(j) {
                    found.velocity[(i * n + k) * n + l] += axes[i].dot(f);
                }
            }
        }
    }
    for of_one in found.velocity.chunks_exact_mut((n * n).max(1)) {
        for k in 0..n {
            for l in k + 1..n {
                of_one[l * n + k] = of_one[k * n + l]; // (4-105)
            }
        }
    }
    add_drives(m, &d.kinematics, &mut found.inertia);
    (0..n).try_for_each(|i| m.check_finite_at("D", found.inertia[i * n + i] + found.gravity[i], i, &[("q", q)]))
}

/// τ for a motion by (4-98), friction included.
///
/// ```
/// use armdyn_core::{CoefficientsData, coefficients_tau};
/// let model = armdyn_core::examples::pendulum();
/// let mut tau = [0.0];
/// coefficients_tau(&model, &mut CoefficientsData::new(&model), &[0.0], &[0.0], &[2.0], &mut tau)?;
/// assert!((tau[0] - (0.5 * 2.0 + 9.81)).abs() < 1e-12); // m r² q̈ + m g r cos q
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn coefficients_tau<T: Real>(
    m: &Model<T>,
    d: &mut CoefficientsData<T>,
    q: &[T],
    qd: &[T],
    qdd: &[T],
    tau: &mut [T],
) -> Result<()> {
    m.check_shapes(q, qd, qdd, tau)?;
    coefficients(m, d, q)?;
    d.coefficients.torques(m, qd, qdd, tau)
}
