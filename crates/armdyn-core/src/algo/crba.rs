//! Mass matrix: composite rigid bodies, in the base's axes.
//!
//! Featherstone 2008, §6.2. Iᶜ is the inertia of a body and all that it carries:
//!
//!   Iᶜₚ += Iᶜᵢ ;   fᵥ = Iᶜᵢ Jᵥ ;   M_uv = J_u · fᵥ  for u from v to the base
//!
//! Deviations: everything in the base's axes, so that nothing is transformed from body to body; the drives'
//! Gᵀ J G is added, and for a rotor that spins in a body p along e, J (g wᵀ + w gᵀ) with w = J_pᵀ e.

use super::KinematicsData;
use super::on_tree::{OnTree, Tree};
use crate::error::Result;
use crate::model::Model;
use crate::scalar::{Real, algorithm};
use crate::spatial::Inertia;
use alloc::vec;
use alloc::vec::Vec;

/// Workspace of [`crba`].
#[derive(Clone, Debug)]
pub struct CrbaData<T> {
    kinematics: KinematicsData<T>,
    composites: Vec<Inertia<T>>,
    tree: Tree<T, CrbaData<T>>,
}

impl<T: Real> CrbaData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        CrbaData {
            kinematics: KinematicsData::new(m),
            composites: vec![Inertia::zero(); m.body_count() + 1],
            tree: OnTree::new(m, CrbaData::new, |tree| [tree.nv() * tree.nv(), 0]),
        }
    }
}

algorithm! {
    /// The mass matrix M(q), drives included, row-major into `mass` (nv × nv, both triangles).
    ///
    /// ```
    /// use armdyn_core::{CrbaData, crba};
    /// let model = armdyn_core::examples::two_link_arm();
    /// let mut mass = [0.0; 4];
    /// crba(&model, &mut CrbaData::new(&model), &[0.0, std::f64::consts::FRAC_PI_2], &mut mass)?;
    /// assert!((mass[0] - 3.0).abs() < 1e-12 && (mass[1] - 1.0).abs() < 1e-12 && (mass[3] - 1.0).abs() < 1e-12);
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    crba = composite_bodies(CrbaData; q; mass)
}

#[inline(always)]
fn composite_bodies<T: Real>(m: &Model<T>, d: &mut CrbaData<T>, q: &[T], mass: &mut [T]) -> Result<()> {
    let n = m.nv();
    m.check_length("q", m.nq(), q.len())?;
    m.check_length("mass", n * n, mass.len())?;
    d.kinematics.check(m)?;
    if d.tree.is_some() {
        return by_tree(m, d, q, mass);
    }
    d.kinematics.update_near(m, q, &mut d.composites);
    if m.structure.branches {
        mass.fill(T::zero());
    }
    let screws = &d.kinematics.screws[..n];
    for (i, b) in m.tip_to_base() {
        let composite = d.composites[i];
        d.composites[b.parent] += composite;
        for v in b.dofs() {
            let f = composite.momentum(screws[v]);
            for u in m.ancestor_dofs(v) {
                let x = screws[u].dot(f);
                mass[v * n + u] = x;
                mass[u * n + v] = x;
            }
        }
    }
    add_drives(m, &d.kinematics, mass);
    // A number that is not finite spoils the diagonal of its own degree of freedom.
    (0..n).try_for_each(|v| m.check_finite_at("mass", mass[v * n + v], v, &[("q", q)]))
}

/// M = Gᵀ M_tree G (`model/followers.rs`).
#[cold]
#[inline(never)]
fn by_tree<T: Real>(m: &Model<T>, d: &mut CrbaData<T>, q: &[T], mass: &mut [T]) -> Result<()> {
    let (own, tree, rows) = OnTree::at(&mut d.tree, m, q, None, None)?;
    crba(tree, &mut own.data, &own.q, &mut own.results[0])?;
    rows.reduce_square(&own.results[0], m.nv(), mass);
    Ok(())
}

/// Adds the drives to M, without gyroscopic rotors.
#[inline(always)]
pub(crate) fn add_reflected<T: Real>(m: &Model<T>, mass: &mut [T]) {
    let n = m.nv();
    for (x, &j) in mass.iter_mut().step_by(n + 1).zip(&m.reflected) {
        *x += j;
    }
    for &(i, j, x) in &m.coupling {
        mass[i * n + j] += x;
        mass[j * n + i] += x;
    }
}

/// Adds the drives to M.
#[inline(always)]
pub(crate) fn add_drives<T: Real>(m: &Model<T>, k: &KinematicsData<T>, mass: &mut [T]) {
    let n = m.nv();
    add_reflected(m, mass);
    if !m.structure.has_spinning {
        return;
    }
    for r in m.rotors() {
        let Some((body, axis)) = r.mount else { continue };
        let e = k.poses[body].rotation.rotate(axis) * r.inertia;
        for v in m.support_dofs(body) {
            let w = k.screws[v].angular.dot(e);
            for (dof, g) in r.gears() {
                mass[v * n + dof] += w * g;
                mass[dof * n + v] += w * g;
            }
        }
    }
}
