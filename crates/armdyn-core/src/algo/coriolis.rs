//! Coriolis matrix and Christoffel symbols, in the base's axes.
//!
//! C = Σ Jᵀ(I J̇ + ½ B J) over the bodies (Niemeyer & Slotine 1991; Echeandia & Wensing 2021). A column (w, u) of J gives
//! the particle at r the velocity u + w × r, whose rate has, besides u̇ + ẇ × r, the part w × ṙ:
//!
//!   ½ B (w, u) = ∫ (r × (w × ṙ), w × ṙ) dm                                          (1), `CoriolisOperator`
//!
//! and with the composites Iᶜ, Bᶜ of body i, v one of its degrees of freedom, u any ancestor:
//!
//!   C_uv = J_u · (Iᶜ J̇ᵥ + ½ Bᶜ Jᵥ),   C_vu = Iᶜ Jᵥ · J̇_u + ½ Bᶜᵀ Jᵥ · J_u,   J̇ᵥ = vᵢ × Jᵥ      (2)
//!
//! Sums over particles of m ∂ᵢr · ∂ⱼ∂ₖr are Christoffel's symbols of the first kind. ∂ⱼ∂ₖr = aⱼ × ∂ₖr, aⱼ the angular
//! part of Jⱼ, for j no farther from the base than k, so that with the B of a composite c moving with Jc alone:
//!
//!   Γᵢⱼc = ½ Jᵢ · B Jⱼ for i, j ≤ c,   Γcⱼₖ = −½ aⱼ · Bᵀ Jₖ for j ≤ k < c                 (3)
//!
//! and C_ij = Σ Γᵢⱼₖ q̇ₖ where every pair has one axis. A rotor J of speed θ̇ = Σ g q̇ that spins in body p along e adds,
//! a being zero for joints that don't move p,
//!
//!   C_ij += J [gᵢ (e·ȧⱼ + ½ xⱼ) + ½ gⱼ xᵢ + ½ θ̇ aᵢ·(aⱼ × e)],   xⱼ = aⱼ·(ω_p × e)           (4)
//!   Γᵢⱼₖ += ½ J [gᵢ e·(a₋ × a₊) + gⱼ e·(aᵢ × aₖ) + gₖ e·(aᵢ × aⱼ)],   a₋, a₊ the nearer and the farther of aⱼ, aₖ
//!
//! Deviations: Echeandia & Wensing carry a 6 × 6 B in body axes; in base axes nothing is transformed. B is linear in the
//! velocity: ½ B is that of half the velocity.

use super::KinematicsData;
use super::coriolis_operator::CoriolisOperator;
use super::on_tree::{OnTree, Tree};
use crate::error::Result;
use crate::model::Model;
use crate::scalar::{Real, algorithm};
use crate::spatial::{Inertia, Motion};
use alloc::vec;
use alloc::vec::Vec;

/// Workspace of [`coriolis`] and [`christoffel`].
#[derive(Clone, Debug)]
pub struct CoriolisData<T> {
    pub(super) kinematics: KinematicsData<T>,
    pub(super) composites: Vec<Inertia<T>>,
    operators: Vec<CoriolisOperator<T>>,
    velocities: Vec<Motion<T>>,
    /// J̇.
    rates: Vec<Motion<T>>,
    pub(super) tree: Tree<T, CoriolisData<T>>,
}

impl<T: Real> CoriolisData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        let bodies = m.body_count() + 1;
        CoriolisData {
            kinematics: KinematicsData::new(m),
            composites: vec![Inertia::zero(); bodies],
            operators: vec![CoriolisOperator::zero(); bodies],
            velocities: vec![Motion::zero(); bodies],
            rates: vec![Motion::zero(); m.nv()],
            tree: OnTree::new(m, CoriolisData::new, |tree| [tree.nv().pow(2), tree.nv().pow(3)]),
        }
    }
}

/// The velocity of each body, in the frame of the screws.
#[inline(always)]
pub(super) fn body_velocities<T: Real>(m: &Model<T>, screws: &[Motion<T>], qd: &[T], out: &mut [Motion<T>]) {
    out[0] = Motion::zero();
    for (i, b) in m.base_to_tip() {
        out[i] = b.dofs().fold(out[b.parent], |v, k| screws[k].scale_add(qd[k], v));
    }
}

/// (1) of a body that moves with `v`.
#[inline(always)]
fn half_operator<T: Real>(inertia: &Inertia<T>, v: Motion<T>) -> CoriolisOperator<T> {
    let half = v * T::lift(0.5);
    CoriolisOperator::of(inertia, half, inertia.momentum(half))
}

algorithm! {
    /// C(q, q̇), row-major into `c` (nv × nv): C q̇ is the torque of the velocities (friction is none of it), and Ṁ − 2C is
    /// skew along the motion. Where every pair has one axis, C_ij = Σ Γᵢⱼₖ q̇ₖ.
    ///
    /// ```
    /// use armdyn_core::{CoriolisData, coriolis};
    /// let model = armdyn_core::examples::two_link_arm();
    /// let mut c = [0.0; 4];
    /// coriolis(&model, &mut CoriolisData::new(&model), &[0.0, std::f64::consts::FRAC_PI_2], &[2.0, 0.0], &mut c)?;
    /// assert!((c[2] - 2.0).abs() < 1e-12); // C₂₁ = sin q₂ q̇₁
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    coriolis = coriolis_matrix(CoriolisData; q, qd; c)
}

#[inline(always)]
fn coriolis_matrix<T: Real>(m: &Model<T>, d: &mut CoriolisData<T>, q: &[T], qd: &[T], c: &mut [T]) -> Result<()> {
    let n = m.nv();
    m.check_length("q", m.nq(), q.len())?;
    m.check_length("qd", n, qd.len())?;
    m.check_length("c", n * n, c.len())?;
    d.kinematics.check(m)?;
    if d.tree.is_some() {
        return by_tree(m, d, q, qd, c);
    }
    d.kinematics.update_near(m, q, &mut d.composites);
    let screws = &d.kinematics.screws[..n];
    let rates = &mut d.rates[..n];
    body_velocities(m, screws, qd, &mut d.velocities);
    for (i, b) in m.base_to_tip() {
        let v = d.velocities[i];
        d.operators[i] = half_operator(&d.composites[i], v);
        for k in b.dofs() {
            rates[k] = v.cross(screws[k]);
        }
    }
    if m.structure.branches {
        c.fill(T::zero());
    }
    for (i, b) in m.tip_to_base() {
        let (inertia, coriolis_operator) = (d.composites[i], d.operators[i]);
        d.composites[b.parent] += inertia;
        d.operators[b.parent].add(&coriolis_operator);
        for v in b.dofs() {
            let (s, rate) = (screws[v], rates[v]);
            let f = inertia.momentum(rate) + coriolis_operator.times(s);
            let (h, k) = (inertia.momentum(s), coriolis_operator.transposed(s));
            c[v * n + v] = s.dot(f);
            for u in m.ancestor_dofs(v).skip(1) {
                c[u * n + v] = screws[u].dot(f); // (2)
                c[v * n + u] = rates[u].dot(h) + screws[u].angular.dot(k);
            }
        }
    }
    if m.structure.has_spinning {
        add_spinning(m, d, qd, c);
    }
    // A number that is not finite spoils the diagonal of its own degree of freedom.
    (0..n).try_for_each(|v| m.check_finite_at("c", c[v * n + v], v, &[("q", q), ("qd", qd)]))
}

/// C = Gᵀ C_tree G (`model/followers.rs`); G is constant.
#[cold]
#[inline(never)]
fn by_tree<T: Real>(m: &Model<T>, d: &mut CoriolisData<T>, q: &[T], qd: &[T], c: &mut [T]) -> Result<()> {
    let (own, tree, rows) = OnTree::at(&mut d.tree, m, q, Some(qd), None)?;
    coriolis(tree, &mut own.data, &own.q, &own.qd, &mut own.results[0])?;
    rows.reduce_square(&own.results[0], m.nv(), c);
    Ok(())
}

/// (4).
#[inline(always)]
fn add_spinning<T: Real>(m: &Model<T>, d: &CoriolisData<T>, qd: &[T], c: &mut [T]) {
    let (n, half) = (m.nv(), T::lift(0.5));
    for r in m.rotors() {
        let Some((body, axis)) = r.mount else { continue };
        let e = d.kinematics.poses[body].rotation.rotate(axis) * r.inertia;
        let axis_rate = d.velocities[body].angular.cross(e);
        let speed = r.speed(qd);
        for i in m.support_dofs(body) {
            let a = d.kinematics.screws[i].angular;
            let x = a.dot(axis_rate) * half;
            let rate = e.dot(d.rates[i].angular) + x;
            for (dof, g) in r.gears() {
                c[dof * n + i] += g * rate;
                c[i * n + dof] += g * x;
            }
            let across = e.cross(a) * (half * speed);
            for j in m.support_dofs(body) {
                c[i * n + j] += d.kinematics.screws[j].angular.dot(across);
            }
        }
    }
}

/// Christoffel's symbols Γᵢⱼₖ of the first kind, into `gamma` (nv × nv × nv, i slowest): the torque of the velocities
/// is τᵢ = Σ Γᵢⱼₖ q̇ⱼ q̇ₖ, and Γᵢⱼₖ = Γᵢₖⱼ. For pairs of one axis.
///
/// ```
/// use armdyn_core::{CoriolisData, christoffel};
/// let model = armdyn_core::examples::two_link_arm();
/// let mut gamma = [0.0; 8];
/// christoffel(&model, &mut CoriolisData::new(&model), &[0.0, std::f64::consts::FRAC_PI_2], &mut gamma)?;
/// assert!((gamma[4] - 1.0).abs() < 1e-12); // Γ₂₁₁ = sin q₂
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn christoffel<T: Real>(m: &Model<T>, d: &mut CoriolisData<T>, q: &[T], gamma: &mut [T]) -> Result<()> {
    let n = m.nv();
    m.check_single_axis("Christoffel symbols are of coordinates, one to a pair of one axis")?;
    m.check_length("q", m.nq(), q.len())?;
    m.check_length("gamma", n * n * n, gamma.len())?;
    d.kinematics.check(m)?;
    if d.tree.is_some() {
        let (own, tree, rows) = OnTree::at(&mut d.tree, m, q, None, None)?;
        christoffel(tree, &mut own.data, &own.q, &mut own.results[1])?;
        rows.reduce_cube(&own.results[1], n, gamma);
        return Ok(());
    }
    d.kinematics.update_near(m, q, &mut d.composites);
    let screws = &d.kinematics.screws;
    gamma.fill(T::zero());
    let mut put = |i: usize, j: usize, k: usize, x: T| {
        gamma[(i * n + j) * n + k] = x;
        gamma[(i * n + k) * n + j] = x;
    };
    for (i, b) in m.tip_to_base() {
        let (composite, c) = (d.composites[i], b.v);
        d.composites[b.parent] += composite;
        let coriolis_operator = half_operator(&composite, screws[c]);
        for j in m.support_dofs(i) {
            let f = coriolis_operator.times(screws[j]);
            for i in m.support_dofs(i) {
                put(i, j, c, screws[i].dot(f)); // (3)
            }
        }
        for k in m.support_dofs(b.parent) {
            let moment = coriolis_operator.transposed(screws[k]);
            for j in m.ancestor_dofs(k) {
                put(c, j, k, -screws[j].angular.dot(moment));
            }
        }
    }
    if m.structure.has_spinning {
        add_spinning_symbols(m, d, gamma);
    }
    m.check_finite("gamma", gamma, &[("q", q)])
}

/// (4).
fn add_spinning_symbols<T: Real>(m: &Model<T>, d: &CoriolisData<T>, gamma: &mut [T]) {
    let n = m.nv();
    let screws = &d.kinematics.screws;
    for r in m.rotors() {
        let Some((body, axis)) = r.mount else { continue };
        let e = d.kinematics.poses[body].rotation.rotate(axis) * (r.inertia * T::lift(0.5));
        for far in m.support_dofs(body) {
            for near in m.ancestor_dofs(far).skip(1) {
                let x = e.dot(screws[near].angular.cross(screws[far].angular));
                for (dof, g) in r.gears() {
                    let mut add = |i: usize, j: usize, x: T| {
                        gamma[(i * n + j) * n + dof] += x;
                        gamma[(i * n + dof) * n + j] += x;
                    };
                    add(near, far, g * x);
                    add(far, near, -(g * x));
                    gamma[(dof * n + near) * n + far] += g * x;
                    gamma[(dof * n + far) * n + near] += g * x;
                }
            }
        }
    }
}
