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
//! and alike for q̇. If a body has one degree of freedom, J̇ₖ = ψ̇ₖ, because Jₖ × Jₖ = 0. For a quaternion, ∂/∂q is by a turn in the body's
//! axes, as in `Model::integrate`.
//! ∂q̈/∂q = −M⁻¹ ∂τ/∂q, ∂q̈/∂q̇ = −M⁻¹ ∂τ/∂q̇, ∂q̈/∂τ = M⁻¹.
//!
//! Deviations: wrenches from outside are fixed to their links and counted in f. A spinning rotor (`rnea.rs`, (6)) has
//! the angular momentum H = J θ̇ e: x ×* H is added to its body's B, and its own terms are added at the end.

use super::coriolis_operator::CoriolisOperator;
use super::kinematics::Visitor;
use super::on_tree::{OnTree, Tree};
use super::packed::{Packed, PlacedBodies, Related, Wide, splat};
use super::{Boundary, KinematicsData, MinverseData, RneaData, minverse, rnea};
use crate::dense::{Group, LANES, PaddedMatrix, negative_products};
use crate::error::Result;
use crate::model::{Inputs, Model};
use crate::scalar::{Real, algorithm};
use crate::spatial::{Force, Inertia, Motion, vec3};
use alloc::vec;
use alloc::vec::Vec;

/// A degree of freedom as (2), (4) and (5) need it, side by side with the others.
#[derive(Clone, Debug)]
struct Dofs<T> {
    j: Packed<T, 6>,
    /// Velocity and acceleration of the body before it, velocity of the body that it moves; not used in a serial arm.
    before: Packed<T, 12>,
    velocity: Packed<T, 6>,
    /// ψ̇ and ψ̈.
    first: Packed<T, 6>,
    second: Packed<T, 6>,
    /// ψ̇ + J̇.
    rate: Packed<T, 6>,
    /// I, f and B of all that it carries.
    inertia: Packed<T, 10>,
    f: Packed<T, 6>,
    operator: Packed<T, 12>,
    /// I J and the angular part of Bᵀ J.
    momentum: Packed<T, 6>,
    transposed: Packed<T, 3>,
    /// (2), summed over what it carries.
    by_q: Packed<T, 6>,
    by_qd: Packed<T, 6>,
}

impl<T: Real> Dofs<T> {
    fn new(n: usize) -> Self {
        Dofs {
            j: Packed::new(n),
            before: Packed::new(n),
            velocity: Packed::new(n),
            first: Packed::new(n),
            second: Packed::new(n),
            rate: Packed::new(n),
            inertia: Packed::new(n),
            f: Packed::new(n),
            operator: Packed::new(n),
            momentum: Packed::new(n),
            transposed: Packed::new(n),
            by_q: Packed::new(n),
            by_qd: Packed::new(n),
        }
    }
}

/// Workspace of [`rnea_derivatives`] and [`aba_derivatives`].
#[derive(Clone, Debug)]
pub struct DerivativesData<T> {
    /// Motion of the base, and external wrenches (fixed to their links).
    pub boundary: Boundary<T>,
    kinematics: KinematicsData<T>,
    velocities: Vec<Motion<T>>,
    accelerations: Vec<Motion<T>>,
    placed: PlacedBodies<T>,
    /// Whether every body has one degree of freedom, and the body before it is its parent.
    serial: bool,
    /// Inertia, velocity and acceleration, f and B of each body; body 1 has index 0.
    inertias: Packed<T, 10>,
    motions: Packed<T, 12>,
    forces: Packed<T, 6>,
    operators: Packed<T, 12>,
    dofs: Dofs<T>,
    related: Vec<Related<T>>,
    by_q: PaddedMatrix<T>,
    by_qd: PaddedMatrix<T>,
    /// Sums of results.
    size: Group<T>,
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
    /// For each group of columns, the rows in which ∂τ is not zero.
    rows: Vec<Vec<usize>>,
}

impl<T: Real> DerivativesData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        let (bodies, n, still) = (m.body_count(), m.nv(), Motion::zero());
        let (zeros, related, groups) = (vec![T::zero(); n], Related::all(m), n.div_ceil(LANES));
        let everywhere = m.is_coupled_beyond_tree();
        let rows = |g: usize| {
            let related = |v: usize| related[v * groups + g].has_ancestors || related[v * groups + g].has_descendants;
            (0..n).filter(|&v| everywhere || related(v)).collect()
        };
        DerivativesData {
            boundary: Boundary::at_rest(m),
            kinematics: KinematicsData::new(m),
            velocities: vec![still; bodies + 1],
            accelerations: vec![still; bodies + 1],
            placed: PlacedBodies::new(bodies),
            serial: m.base_to_tip().all(|(i, b)| b.dofs() == (i - 1..i) && b.parent == i - 1),
            inertias: Packed::new(bodies),
            motions: Packed::new(bodies),
            forces: Packed::new(bodies),
            operators: Packed::new(bodies),
            dofs: Dofs::new(n),
            by_q: PaddedMatrix::new(n),
            by_qd: PaddedMatrix::new(n),
            size: Group::zero(),
            forward: Forward {
                rnea: RneaData::new(m),
                minverse: MinverseData::new(m),
                qdd: zeros.clone(),
                bias: zeros.clone(),
                zero: zeros,
                rows: (0..groups).map(rows).collect(),
            },
            related,
            tree: OnTree::new(m, DerivativesData::new, |tree| [tree.nv().pow(2); 2]),
        }
    }

    /// What a body carries so far, itself included.
    #[inline(always)]
    fn composite(&self, index: usize) -> (Inertia<T>, Force<T>, CoriolisOperator<T>) {
        (
            Inertia::from_components(self.inertias.get(index)),
            Force::from_components(self.forces.get(index)),
            CoriolisOperator::from_components(self.operators.get(index)),
        )
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
    let inputs: Inputs<T> = &[("q", q), ("qd", qd), ("qdd", qdd)];
    check(m, d, inputs, &[("dtau_dq", dtau_dq.len()), ("dtau_dqd", dtau_dqd.len())])?;
    if d.tree.is_some() {
        return by_tree(m, d, q, qd, qdd, dtau_dq, dtau_dqd);
    }
    d.kinematics.update_near(m, q, &mut d.placed);
    torque_derivatives(m, d, qd, qdd);
    d.by_q.copy_to(dtau_dq);
    d.by_qd.copy_to(dtau_dqd);
    if d.serial && !m.structure.has_spinning && d.size.sum().is_finite() {
        return Ok(());
    }
    m.check_finite("dtau_dq", dtau_dq, inputs)?;
    m.check_finite("dtau_dqd", dtau_dqd, inputs)
}

/// ∂τ/∂q and ∂τ/∂q̇ into the workspace, from poses and inertias in it, for a model without followers; with sums of all results but those of
/// bodies with several degrees of freedom and of spinning rotors.
#[inline(always)]
fn torque_derivatives<T: Real>(m: &Model<T>, d: &mut DerivativesData<T>, qd: &[T], qdd: &[T]) {
    outward(m, d, qd, qdd);
    inward(m, d);
    let (dofs, groups) = (&d.dofs, d.dofs.j.groups());
    let zero = Wide::splat(T::zero());
    let mut size = zero;
    for v in 0..m.nv() {
        let j = Motion::from_components(splat(dofs.j.get(v)));
        let momentum = Force::from_components(splat(dofs.momentum.get(v)));
        let [x, y, z] = splat(dofs.transposed.get(v));
        let transposed = vec3(x, y, z);
        for g in 0..groups {
            let (related, mut by_q, mut by_qd) = (&d.related[v * groups + g], zero, zero);
            if related.has_ancestors {
                let first = Motion::from_components(dofs.first.wide(g));
                let second = Motion::from_components(dofs.second.wide(g));
                let rate = Motion::from_components(dofs.rate.wide(g));
                let other = Motion::from_components(dofs.j.wide(g));
                by_q = (second.dot(momentum) + first.angular.dot(transposed)) * related.ancestors(); // (4)
                by_qd = (rate.dot(momentum) + other.angular.dot(transposed)) * related.ancestors();
            }
            if related.has_descendants {
                by_q = j.dot(Force::from_components(dofs.by_q.wide(g))).mul_add(related.descendants(), by_q); // (5)
                by_qd = j.dot(Force::from_components(dofs.by_qd.wide(g))).mul_add(related.descendants(), by_qd);
            }
            d.by_q.set_wide(v, g, by_q);
            d.by_qd.set_wide(v, g, by_qd);
            size += by_q + by_qd;
        }
    }
    d.size.0 = size.0;
    for (_, b) in m.base_to_tip() {
        for j in b.dofs() {
            for k in j + 1..b.dofs().end {
                let first = Motion::from_components(dofs.first.get(k));
                let second = Motion::from_components(dofs.second.get(k));
                let [x, y, z] = dofs.transposed.get(j);
                let momentum = Force::from_components(dofs.momentum.get(j));
                *d.by_q.get_mut(j, k) = second.dot(momentum) + first.angular.dot(vec3(x, y, z)); // (4)
            }
        }
    }
    if m.structure.has_spinning {
        add_spinning(m, d);
    }
    if m.structure.has_friction {
        for (v, f) in m.friction().iter().enumerate() {
            let slope = f.slope(qd[v]);
            *d.by_qd.get_mut(v, v) += slope;
            d.size.0[0] += slope;
        }
    }
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

/// Motion, momentum rate and operator of every body, and what every degree of freedom has of its own: (1), (3).
#[inline(always)]
fn outward<T: Real>(m: &Model<T>, d: &mut DerivativesData<T>, qd: &[T], qdd: &[T]) {
    let k = &d.kinematics;
    d.velocities[0] = k.poses[0].motion(d.boundary.base_velocity);
    d.accelerations[0] = k.poses[0].motion(d.boundary.spatial_acceleration(m.gravity));
    let (mut velocity, mut a) = (d.velocities[0], d.accelerations[0]);
    for (i, b) in m.base_to_tip() {
        let (vp, ap) =
            if b.parent + 1 == i { (velocity, a) } else { (d.velocities[b.parent], d.accelerations[b.parent]) };
        let (mut rate, mut push) = (Motion::zero(), Motion::zero());
        for v in b.dofs() {
            rate = k.screws[v].scale_add(qd[v], rate);
            push = k.screws[v].scale_add(qdd[v], push);
        }
        velocity = vp + rate;
        a = ap + push + velocity.cross(rate);
        d.velocities[i] = velocity;
        d.accelerations[i] = a;
        d.motions.set(i - 1, both(velocity, a));
        for v in b.dofs() {
            d.dofs.j.set(v, k.screws[v].components());
            if !d.serial {
                d.dofs.before.set(v, both(vp, ap));
                d.dofs.velocity.set(v, velocity.components());
            }
        }
    }
    for g in 0..d.forces.groups() {
        let (inertia, [velocity, a]) = (d.placed.inertias(g), split(d.motions.wide(g)));
        d.inertias.set_wide(g, inertia.components());
        let momentum = inertia.momentum(velocity);
        d.forces.set_wide(g, (inertia.momentum(a) + velocity.cross_force(momentum)).components());
        d.operators.set_wide(g, CoriolisOperator::of(&inertia, velocity, momentum).components());
    }
    let mut last = both(d.velocities[0], d.accelerations[0]);
    for g in 0..d.dofs.j.groups() {
        let before = if d.serial { d.motions.shifted(g, &mut last) } else { d.dofs.before.wide(g) };
        let (j, [vp, ap]) = (Motion::from_components(d.dofs.j.wide(g)), split(before));
        let first = vp.cross(j);
        let second = ap.cross(j) + vp.cross(first);
        let of_body = if d.serial { first } else { Motion::from_components(d.dofs.velocity.wide(g)).cross(j) };
        let rate = first + of_body;
        d.dofs.first.set_wide(g, first.components());
        d.dofs.second.set_wide(g, second.components());
        d.dofs.rate.set_wide(g, rate.components());
    }
    if let Some(wrenches) = d.boundary.wrenches() {
        for (i, _) in m.base_to_tip() {
            let f = Force::from_components(d.forces.get(i - 1)) - k.poses[i].force(wrenches[i]);
            d.forces.set(i - 1, f.components());
        }
    }
    for r in m.rotors() {
        let Some((body, axis)) = r.mount else { continue };
        let Some(index) = body.checked_sub(1) else { continue }; // the base's wrench moves nothing
        let e = k.poses[body].rotation.rotate(axis) * r.inertia;
        let h = e * r.speed(qd);
        let mut f = Force::from_components(d.forces.get(index));
        f.moment += e * r.speed(qdd) + d.velocities[body].angular.cross(h);
        d.forces.set(index, f.components());
        let mut operator = CoriolisOperator::from_components(d.operators.get(index));
        operator.add_spin(h);
        d.operators.set(index, operator.components());
    }
}

/// What every degree of freedom carries, and the wrench of that by its position and velocity: (2).
#[inline(always)]
fn inward<T: Real>(m: &Model<T>, d: &mut DerivativesData<T>) {
    let nothing = (Inertia::zero(), Force::zero(), CoriolisOperator::zero());
    let mut of_child = nothing; // as in `aba`
    for (i, b) in m.tip_to_base() {
        let (inertia, f, mut operator) = d.composite(i - 1);
        operator.add(&of_child.2);
        let (inertia, f) = (inertia + of_child.0, f + of_child.1);
        for v in b.dofs() {
            d.dofs.inertia.set(v, inertia.components());
            d.dofs.f.set(v, f.components());
            d.dofs.operator.set(v, operator.components());
        }
        of_child = (inertia, f, operator);
        if b.parent + 1 != i {
            if let Some(parent) = b.parent.checked_sub(1) {
                let (sum, wrench, mut other) = d.composite(parent);
                other.add(&operator);
                d.inertias.set(parent, (sum + inertia).components());
                d.forces.set(parent, (wrench + f).components());
                d.operators.set(parent, other.components());
            }
            of_child = nothing;
        }
    }
    let dofs = &mut d.dofs;
    for g in 0..dofs.j.groups() {
        let inertia = Inertia::from_components(dofs.inertia.wide(g));
        let operator = CoriolisOperator::from_components(dofs.operator.wide(g));
        let (j, rate) = (Motion::from_components(dofs.j.wide(g)), Motion::from_components(dofs.rate.wide(g)));
        let (first, second) =
            (Motion::from_components(dofs.first.wide(g)), Motion::from_components(dofs.second.wide(g)));
        let f = Force::from_components(dofs.f.wide(g));
        let by_q = j.cross_force(f) + inertia.momentum(second) + operator.times(first);
        let by_qd = inertia.momentum(rate) + operator.times(j);
        dofs.momentum.set_wide(g, inertia.momentum(j).components());
        dofs.transposed.set_wide(g, operator.transposed(j).to_array());
        dofs.by_q.set_wide(g, by_q.components());
        dofs.by_qd.set_wide(g, by_qd.components());
    }
}

/// The components of two motions, and back.
#[inline(always)]
fn both<T: Real>(x: Motion<T>, y: Motion<T>) -> [T; 12] {
    let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (x.components(), y.components());
    [a, b, c, d, e, f, g, h, i, j, k, l]
}

#[inline(always)]
fn split<T: Real>([a, b, c, d, e, f, g, h, i, j, k, l]: [T; 12]) -> [Motion<T>; 2] {
    [Motion::from_components([a, b, c, d, e, f]), Motion::from_components([g, h, i, j, k, l])]
}

/// A spinning rotor's terms that don't pass through its body's wrench: θ̇ in that wrench, and τⱼ = gⱼ J e·αₚ.
#[inline(always)]
fn add_spinning<T: Real>(m: &Model<T>, d: &mut DerivativesData<T>) {
    for r in m.rotors() {
        let Some((body, axis)) = r.mount else { continue };
        let e = d.kinematics.poses[body].rotation.rotate(axis) * r.inertia;
        let v = d.velocities[body];
        let turning = v.angular.cross(e);
        for k in m.support_dofs(body) {
            let of = |x: &Packed<T, 6>| Motion::from_components(x.get(k));
            let (j, first, second, rate) = (of(&d.dofs.j), of(&d.dofs.first), of(&d.dofs.second), of(&d.dofs.rate));
            let by_q = e.dot((second - v.cross(first)).angular);
            let by_qd = e.dot((rate - v.cross(j)).angular);
            for (dof, g) in r.gears() {
                *d.by_q.get_mut(dof, k) += g * by_q;
                *d.by_qd.get_mut(dof, k) += g * by_qd;
                *d.by_qd.get_mut(k, dof) += g * j.angular.dot(turning);
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
    let inputs: Inputs<T> = &[("q", q), ("qd", qd), ("tau", tau)];
    let results = [("dqdd_dq", dqdd_dq.len()), ("dqdd_dqd", dqdd_dqd.len()), ("dqdd_dtau", dqdd_dtau.len())];
    check(m, d, inputs, &results)?;
    let forward = &mut d.forward;
    forward.rnea.boundary.copy_from(&d.boundary);
    rnea(m, &mut forward.rnea, q, qd, &forward.zero, &mut forward.bias)?;
    minverse(m, &mut forward.minverse, q, dqdd_dtau)?;
    if !m.is_coupled_beyond_tree() {
        core::mem::swap(&mut d.kinematics, &mut forward.minverse.kinematics); // poses at q, just computed
        for (i, b) in m.base_to_tip() {
            (&mut d.placed).visit(i, b, &d.kinematics.poses[i]);
        }
    } else if d.tree.is_none() {
        d.kinematics.update_near(m, q, &mut d.placed);
    }
    let bias = core::mem::take(&mut forward.bias);
    let result = solved(m, d, [q, qd, tau], &bias, dqdd_dtau, dqdd_dq, dqdd_dqd);
    d.forward.bias = bias;
    result
}

algorithm! {
    /// ∂q̈/∂q and ∂q̈/∂q̇ as [`aba_derivatives`], where M⁻¹(q) and the torques at q̈ = 0 (`bias`, with friction) are known already: for
    /// instance from code that was generated for the robot.
    ///
    /// ```
    /// use armdyn_core::{DerivativesData, aba_derivatives_from};
    /// let model = armdyn_core::examples::pendulum();
    /// let (mut by_q, mut by_qd, mut data) = ([0.0], [0.0], DerivativesData::new(&model));
    /// let (bias, inverse_mass) = ([9.81 * 0.3_f64.cos()], [1.0 / 0.5]);
    /// aba_derivatives_from(&model, &mut data, &[0.3], &[0.0], &[0.0], &bias, &inverse_mass, &mut by_q, &mut by_qd)?;
    /// assert!((by_q[0] - 9.81 * 0.3_f64.sin() / 0.5).abs() < 1e-12);
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    aba_derivatives_from = forward_derivatives_from(DerivativesData; q, qd, tau, bias, inverse_mass; dqdd_dq, dqdd_dqd)
}

#[inline(always)]
fn forward_derivatives_from<T: Real>(
    m: &Model<T>,
    d: &mut DerivativesData<T>,
    q: &[T],
    qd: &[T],
    tau: &[T],
    bias: &[T],
    inverse_mass: &[T],
    dqdd_dq: &mut [T],
    dqdd_dqd: &mut [T],
) -> Result<()> {
    let inputs: Inputs<T> = &[("q", q), ("qd", qd), ("tau", tau)];
    m.check_length("bias", m.nv(), bias.len())?;
    let results = [dqdd_dq.len(), dqdd_dqd.len(), inverse_mass.len()];
    check(m, d, inputs, &[("dqdd_dq", results[0]), ("dqdd_dqd", results[1]), ("inverse_mass", results[2])])?;
    if d.tree.is_none() {
        d.kinematics.update_near(m, q, &mut d.placed);
    }
    solved(m, d, [q, qd, tau], bias, inverse_mass, dqdd_dq, dqdd_dqd)
}

/// q̈ = M⁻¹ (τ − bias) into the workspace, and ∂q̈/∂q, ∂q̈/∂q̇ = −M⁻¹ ∂τ/∂(q, q̇); bodies are placed at q, but for a model with followers.
#[inline(always)]
fn solved<T: Real>(
    m: &Model<T>,
    d: &mut DerivativesData<T>,
    [q, qd, tau]: [&[T]; 3],
    bias: &[T],
    inverse_mass: &[T],
    dqdd_dq: &mut [T],
    dqdd_dqd: &mut [T],
) -> Result<()> {
    let n = m.nv();
    let inputs: Inputs<T> = &[("q", q), ("qd", qd), ("tau", tau), ("bias", bias), ("inverse_mass", inverse_mass)];
    for (x, row) in d.forward.qdd.iter_mut().zip(inverse_mass.chunks_exact(n.max(1))) {
        *x = T::zero();
        for ((&r, &t), &b) in row.iter().zip(tau).zip(bias) {
            *x = r.mul_add(t - b, *x);
        }
    }
    m.check_finite("qdd", &d.forward.qdd, inputs)?;
    let qdd = core::mem::take(&mut d.forward.qdd);
    let derivatives = if d.tree.is_some() {
        by_tree(m, d, q, qd, &qdd, dqdd_dq, dqdd_dqd).map(|()| {
            d.by_q.copy_from(dqdd_dq);
            d.by_qd.copy_from(dqdd_dqd);
        })
    } else {
        torque_derivatives(m, d, qd, &qdd);
        Ok(())
    };
    d.forward.qdd = qdd;
    derivatives?;
    let rows = &d.forward.rows;
    negative_products(inverse_mass, [&d.by_q, &d.by_qd], rows, [&mut *dqdd_dq, &mut *dqdd_dqd]);
    m.check_finite("dqdd", dqdd_dq, inputs)?;
    m.check_finite("dqdd", dqdd_dqd, inputs)
}
