//! Derivatives of inverse and forward dynamics.
//!
//! Carpentier & Mansard 2018; Singh, Russo & Wensing 2022. In the base's axes, for a degree of freedom k that moves
//! body b, whose parent is p, and a body i that it carries:
//!
//!   J̇ₖ = v_b × Jₖ,   ψ̇ₖ = v_p × Jₖ,   ψ̈ₖ = a_p × Jₖ + v_p × ψ̇ₖ                                    (1)
//!   ∂fᵢ/∂qₖ = Jₖ ×* fᵢ + Iᵢ ψ̈ₖ + Bᵢ ψ̇ₖ,   ∂fᵢ/∂q̇ₖ = Iᵢ (ψ̇ₖ + J̇ₖ) + Bᵢ Jₖ                         (2)
//!   Bᵢ x = x ×* Iᵢ vᵢ + vᵢ ×* Iᵢ x − Iᵢ (vᵢ × x)     (`CoriolisOperator`)                                         (3)
//!
//! f, I, B summed over what a body carries, τⱼ = Jⱼ·fⱼ; where k carries j, Jⱼ moves with it and Jₖ ×* f drops out:
//!
//!   ∂τⱼ/∂qₖ = Jⱼ·(Iⱼ ψ̈ₖ + Bⱼ ψ̇ₖ)                   if k carries j, or both move one body            (4)
//!   ∂τⱼ/∂qₖ = Jⱼ·(Jₖ ×* fₖ + Iₖ ψ̈ₖ + Bₖ ψ̇ₖ)        if j carries k                                  (5)
//!
//! and alike for q̇. For a quaternion, ∂/∂q is by a turn in the body's axes, as in `Model::integrate`.
//! ∂q̈/∂q = −M⁻¹ ∂τ/∂q, ∂q̈/∂q̇ = −M⁻¹ ∂τ/∂q̇, ∂q̈/∂τ = M⁻¹.
//!
//! Deviations: wrenches from outside are fixed to their links and counted in f. A spinning rotor (`rnea.rs`, (6)) has
//! the angular momentum H = J θ̇ e: x ×* H is added to its body's B, and its own terms are added at the end.

use super::coriolis_operator::CoriolisOperator;
use super::kinematics::Visitor;
use super::on_tree::{OnTree, Tree};
use super::{Boundary, KinematicsData, MinverseData, RneaData, minverse, rnea};
use crate::dense::{LANES, multiply_onto};
use crate::error::Result;
use crate::model::{Body, Inputs, Model};
use crate::scalar::{Real, algorithm};
use crate::spatial::{Force, Inertia, Motion, Transform, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// A body, or a body and all that it carries.
#[derive(Clone, Copy, Debug)]
struct Composite<T> {
    inertia: Inertia<T>,
    coriolis_operator: CoriolisOperator<T>,
    f: Force<T>,
}

impl<T: Real> Visitor<T> for &mut Vec<Composite<T>> {
    #[inline(always)]
    fn visit(&mut self, number: usize, body: &Body<T>, pose: &Transform<T>) {
        self[number].inertia = body.inertia.transformed(pose);
    }
}

/// A degree of freedom as (4) and (5) need it.
#[derive(Clone, Copy, Debug)]
struct Dof<T> {
    j: Motion<T>,
    /// ψ̇ and ψ̈.
    psi: (Motion<T>, Motion<T>),
    /// ψ̇ + J̇.
    rate: Motion<T>,
    /// I J and Bᵀ J of all that it carries.
    momentum: Force<T>,
    coriolis_operator: Vec3<T>,
}

/// Workspace of [`rnea_derivatives`] and [`aba_derivatives`].
#[derive(Clone, Debug)]
pub struct DerivativesData<T> {
    /// Motion of the base, and external wrenches (fixed to their links).
    pub boundary: Boundary<T>,
    kinematics: KinematicsData<T>,
    velocities: Vec<Motion<T>>,
    accelerations: Vec<Motion<T>>,
    composites: Vec<Composite<T>>,
    dofs: Vec<Dof<T>>,
    forward: Forward<T>,
    tree: Tree<T, DerivativesData<T>>,
}

/// Workspace of the derivatives of forward dynamics.
#[derive(Clone, Debug)]
struct Forward<T> {
    rnea: RneaData<T>,
    minverse: MinverseData<T>,
    qdd: Vec<T>,
    bias: Vec<T>,
    zero: Vec<T>,
    scratch: Vec<[T; LANES]>,
}

impl<T: Real> DerivativesData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        let (bodies, n) = (m.body_count() + 1, m.nv());
        let (still, free) = (Motion::zero(), Force::zero());
        let dof = Dof { j: still, psi: (still, still), rate: still, momentum: free, coriolis_operator: Vec3::zero() };
        let none = Composite { inertia: Inertia::zero(), coriolis_operator: CoriolisOperator::zero(), f: free };
        let zeros = vec![T::zero(); n];
        DerivativesData {
            boundary: Boundary::at_rest(m),
            kinematics: KinematicsData::new(m),
            velocities: vec![still; bodies],
            accelerations: vec![still; bodies],
            composites: vec![none; bodies],
            dofs: vec![dof; n],
            forward: Forward {
                rnea: RneaData::new(m),
                minverse: MinverseData::new(m),
                qdd: zeros.clone(),
                bias: zeros.clone(),
                scratch: vec![[T::zero(); LANES]; n * n.div_ceil(LANES)],
                zero: zeros,
            },
            tree: OnTree::new(m, DerivativesData::new, |tree| [tree.nv().pow(2); 2]),
        }
    }

    /// q̈ of the last call of [`aba_derivatives`].
    pub fn qdd(&self) -> &[T] {
        &self.forward.qdd
    }
}

algorithm! {
    /// ∂τ/∂q and ∂τ/∂q̇ of inverse dynamics, row-major (nv × nv), drives and friction included. (∂τ/∂q̈ is M.)
    ///
    /// ```
    /// use armdyn_core::{DerivativesData, rnea_derivatives};
    /// let model = armdyn_core::examples::pendulum();
    /// let (mut by_q, mut by_qd) = ([0.0], [0.0]);
    /// rnea_derivatives(&model, &mut DerivativesData::new(&model), &[0.3], &[0.0], &[0.0], &mut by_q, &mut by_qd)?;
    /// assert!((by_q[0] + 9.81 * 0.3_f64.sin()).abs() < 1e-12); // −m g r sin q
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    rnea_derivatives = inverse_derivatives(DerivativesData; q, qd, qdd; dtau_dq, dtau_dqd)
}

/// `Err` unless the inputs (q first), the lengths of the results (nv × nv), the workspace and the boundary conditions fit the model.
#[inline(always)]
fn check<T: Real>(
    m: &Model<T>,
    d: &DerivativesData<T>,
    inputs: Inputs<T>,
    results: &[(&'static str, usize)],
) -> Result<()> {
    for (k, &(name, values)) in inputs.iter().enumerate() {
        m.check_length(name, if k == 0 { m.nq() } else { m.nv() }, values.len())?;
    }
    results.iter().try_for_each(|&(name, length)| m.check_length(name, m.nv() * m.nv(), length))?;
    d.kinematics.check(m)?;
    d.boundary.check(m)
}

#[inline(always)]
fn inverse_derivatives<T: Real>(
    m: &Model<T>,
    d: &mut DerivativesData<T>,
    q: &[T],
    qd: &[T],
    qdd: &[T],
    dtau_dq: &mut [T],
    dtau_dqd: &mut [T],
) -> Result<()> {
    let (n, inputs): (usize, Inputs<T>) = (m.nv(), &[("q", q), ("qd", qd), ("qdd", qdd)]);
    check(m, d, inputs, &[("dtau_dq", dtau_dq.len()), ("dtau_dqd", dtau_dqd.len())])?;
    if d.tree.is_some() {
        return by_tree(m, d, q, qd, qdd, dtau_dq, dtau_dqd);
    }
    outward(m, d, q, qd, qdd);
    if m.structure.branches {
        dtau_dq.fill(T::zero());
        dtau_dqd.fill(T::zero());
    }
    for (i, b) in m.tip_to_base() {
        let c = d.composites[i];
        d.composites[b.parent].inertia += c.inertia;
        d.composites[b.parent].f += c.f;
        d.composites[b.parent].coriolis_operator.add(&c.coriolis_operator);
        for v in b.dofs() {
            let dof = &mut d.dofs[v];
            dof.momentum = c.inertia.momentum(dof.j);
            dof.coriolis_operator = c.coriolis_operator.transposed(dof.j);
        }
        for k in b.dofs() {
            let dof = d.dofs[k];
            let (first, second) = dof.psi;
            // (2), summed over what k carries; Jⱼ· this is (5).
            let by_q = dof.j.cross_force(c.f) + c.inertia.momentum(second) + c.coriolis_operator.times(first);
            let by_qd = c.inertia.momentum(dof.rate) + c.coriolis_operator.times(dof.j);
            for j in b.dofs() {
                let other = &d.dofs[j];
                dtau_dq[j * n + k] = second.dot(other.momentum) + first.angular.dot(other.coriolis_operator); // (4)
                dtau_dqd[j * n + k] = other.j.dot(by_qd);
            }
            for j in m.support_dofs(b.parent) {
                let other = &d.dofs[j];
                dtau_dq[j * n + k] = other.j.dot(by_q); // (5)
                dtau_dqd[j * n + k] = other.j.dot(by_qd);
                let (first, second) = other.psi;
                dtau_dq[k * n + j] = second.dot(dof.momentum) + first.angular.dot(dof.coriolis_operator); // (4)
                dtau_dqd[k * n + j] = other.rate.dot(dof.momentum) + other.j.angular.dot(dof.coriolis_operator);
            }
        }
    }
    if m.structure.has_spinning {
        add_spinning(m, d, dtau_dq, dtau_dqd);
    }
    if m.structure.has_friction {
        for (v, f) in m.friction().iter().enumerate() {
            dtau_dqd[v * n + v] += f.slope(qd[v]);
        }
    }
    m.check_finite("dtau_dq", dtau_dq, inputs)?;
    m.check_finite("dtau_dqd", dtau_dqd, inputs)
}

/// ∂τ/∂q = Gᵀ (∂τ_tree/∂s) G, and alike for q̇ (`model/followers.rs`).
#[cold]
#[inline(never)]
fn by_tree<T: Real>(
    m: &Model<T>,
    d: &mut DerivativesData<T>,
    q: &[T],
    qd: &[T],
    qdd: &[T],
    dtau_dq: &mut [T],
    dtau_dqd: &mut [T],
) -> Result<()> {
    let (own, tree, rows) = OnTree::at(&mut d.tree, m, q, Some(qd), Some(qdd))?;
    own.data.boundary.copy_from(&d.boundary);
    let [by_q, by_qd] = &mut own.results;
    rnea_derivatives(tree, &mut own.data, &own.q, &own.qd, &own.qdd, by_q, by_qd)?;
    rows.reduce_square(by_q, m.nv(), dtau_dq);
    rows.reduce_square(by_qd, m.nv(), dtau_dqd);
    Ok(())
}

/// Motion, momentum rate and coriolis_operator of every body, and what every degree of freedom has of its own: (1), (3).
#[inline(always)]
fn outward<T: Real>(m: &Model<T>, d: &mut DerivativesData<T>, q: &[T], qd: &[T], qdd: &[T]) {
    d.kinematics.update_near(m, q, &mut d.composites);
    let k = &d.kinematics;
    d.velocities[0] = k.poses[0].motion(d.boundary.base_velocity);
    d.accelerations[0] = k.poses[0].motion(d.boundary.spatial_acceleration(m.gravity));
    for (i, b) in m.base_to_tip() {
        let (vp, ap) = (d.velocities[b.parent], d.accelerations[b.parent]);
        let (mut rate, mut push) = (Motion::zero(), Motion::zero());
        for v in b.dofs() {
            rate = k.screws[v].scale_add(qd[v], rate);
            push = k.screws[v].scale_add(qdd[v], push);
        }
        let velocity = vp + rate;
        let a = ap + push + velocity.cross(rate);
        d.velocities[i] = velocity;
        d.accelerations[i] = a;
        for v in b.dofs() {
            let j = k.screws[v];
            let first = vp.cross(j);
            let second = ap.cross(j) + vp.cross(first);
            let dof = &mut d.dofs[v];
            (dof.j, dof.psi, dof.rate) = (j, (first, second), first + velocity.cross(j));
        }
        let c = &mut d.composites[i];
        let momentum = c.inertia.momentum(velocity);
        c.f = c.inertia.momentum(a) + velocity.cross_force(momentum);
        c.coriolis_operator = CoriolisOperator::of(&c.inertia, velocity, momentum);
    }
    if let Some(wrenches) = d.boundary.wrenches() {
        for (i, _) in m.base_to_tip() {
            d.composites[i].f -= k.poses[i].force(wrenches[i]);
        }
    }
    for r in m.rotors() {
        let Some((body, axis)) = r.mount else { continue };
        let e = k.poses[body].rotation.rotate(axis) * r.inertia;
        let h = e * r.speed(qd);
        let c = &mut d.composites[body];
        c.f.moment += e * r.speed(qdd) + d.velocities[body].angular.cross(h);
        c.coriolis_operator.add_spin(h);
    }
}

/// A spinning rotor's terms that don't pass through its body's wrench: θ̇ in that wrench, and τⱼ = gⱼ J e·αₚ.
#[inline(always)]
fn add_spinning<T: Real>(m: &Model<T>, d: &DerivativesData<T>, dtau_dq: &mut [T], dtau_dqd: &mut [T]) {
    let n = m.nv();
    for r in m.rotors() {
        let Some((body, axis)) = r.mount else { continue };
        let e = d.kinematics.poses[body].rotation.rotate(axis) * r.inertia;
        let v = d.velocities[body];
        let turning = v.angular.cross(e);
        for k in m.support_dofs(body) {
            let Dof { j, psi: (first, second), rate, .. } = d.dofs[k];
            let by_q = e.dot((second - v.cross(first)).angular);
            let by_qd = e.dot((rate - v.cross(j)).angular);
            for (dof, g) in r.gears() {
                dtau_dq[dof * n + k] += g * by_q;
                dtau_dqd[dof * n + k] += g * by_qd;
                dtau_dqd[k * n + dof] += g * j.angular.dot(turning);
            }
        }
    }
}

algorithm! {
    /// ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ = M⁻¹ of forward dynamics, row-major (nv × nv). q̈ itself: [`DerivativesData::qdd`].
    ///
    /// ```
    /// use armdyn_core::{DerivativesData, aba_derivatives};
    /// let model = armdyn_core::examples::pendulum();
    /// let (mut by_q, mut by_qd, mut by_tau) = ([0.0], [0.0], [0.0]);
    /// let mut data = DerivativesData::new(&model);
    /// aba_derivatives(&model, &mut data, &[0.3], &[0.0], &[0.0], &mut by_q, &mut by_qd, &mut by_tau)?;
    /// assert!((by_tau[0] - 1.0 / 0.5).abs() < 1e-12); // 1 / (m r²)
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    aba_derivatives = forward_derivatives(DerivativesData; q, qd, tau; dqdd_dq, dqdd_dqd, dqdd_dtau)
}

#[inline(always)]
fn forward_derivatives<T: Real>(
    m: &Model<T>,
    d: &mut DerivativesData<T>,
    q: &[T],
    qd: &[T],
    tau: &[T],
    dqdd_dq: &mut [T],
    dqdd_dqd: &mut [T],
    dqdd_dtau: &mut [T],
) -> Result<()> {
    let (n, inputs): (usize, Inputs<T>) = (m.nv(), &[("q", q), ("qd", qd), ("tau", tau)]);
    let results = [("dqdd_dq", dqdd_dq.len()), ("dqdd_dqd", dqdd_dqd.len()), ("dqdd_dtau", dqdd_dtau.len())];
    check(m, d, inputs, &results)?;
    let forward = &mut d.forward;
    forward.rnea.boundary.copy_from(&d.boundary);
    rnea(m, &mut forward.rnea, q, qd, &forward.zero, &mut forward.bias)?;
    minverse(m, &mut forward.minverse, q, dqdd_dtau)?;
    for (x, row) in forward.qdd.iter_mut().zip(dqdd_dtau.chunks_exact(n.max(1))) {
        *x = T::zero();
        for ((&r, &t), &b) in row.iter().zip(tau).zip(&forward.bias) {
            *x = r.mul_add(t - b, *x);
        }
    }
    m.check_finite("qdd", &forward.qdd, inputs)?;
    let qdd = core::mem::take(&mut forward.qdd);
    let derivatives = rnea_derivatives(m, d, q, qd, &qdd, dqdd_dq, dqdd_dqd);
    d.forward.qdd = qdd;
    derivatives?;
    for derivative in [dqdd_dq, dqdd_dqd] {
        derivative.iter_mut().for_each(|x| *x = -*x);
        multiply_onto(dqdd_dtau, derivative, n, &mut d.forward.scratch);
        m.check_finite("dqdd", derivative, &[])?;
    }
    Ok(())
}
