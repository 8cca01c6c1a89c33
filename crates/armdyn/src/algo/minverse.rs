//! The inverse of the mass matrix, without the mass matrix.
//!
//! Carpentier 2018, "Analytical inverse of the joint space inertia matrix", in the base's axes. With U, D of the
//! articulated bodies (`aba.rs`), for each column j a force F and, after it, an acceleration P:
//!
//!   tip to base:  M⁻¹ᵢᵢ = 1/Dᵢ,   M⁻¹ᵢⱼ = −Jᵢ·Fⱼ/Dᵢ,   Fⱼ += Uᵢ M⁻¹ᵢⱼ      (j carried by i)       (1)
//!   base to tip:  M⁻¹ᵢⱼ −= Uᵢ·Pₚⱼ/Dᵢ,   Pᵢⱼ = Pₚⱼ + Jᵢ M⁻¹ᵢⱼ              (j ≥ i)               (2)
//!
//! Deviations: base axes, where the force of a column needs no transform and one vector a column is enough. Drives that
//! couple joints are inverted densely.

use super::aba::Articulated;
use super::{CrbaData, KinematicsData, crba};
use crate::dense::{cholesky, cholesky_solve};
use crate::error::Result;
use crate::model::Model;
use crate::scalar::Real;
use crate::spatial::{Force, Motion};
use alloc::vec;
use alloc::vec::Vec;

/// Workspace of [`minverse`].
#[derive(Clone, Debug)]
pub struct MinverseData<T> {
    kinematics: KinematicsData<T>,
    inertias: Vec<Articulated<T>>,
    u: Vec<Force<T>>,
    columns: Vec<Force<T>>,
    accelerations: Vec<Motion<T>>,
    coupled: Option<(CrbaData<T>, Vec<T>)>,
}

impl<T: Real> MinverseData<T> {
    /// For a model.
    pub fn new(m: &Model<T>) -> Self {
        let n = m.nv();
        MinverseData {
            kinematics: KinematicsData::new(m),
            inertias: vec![Articulated::zero(); m.body_count() + 1],
            u: vec![Force::zero(); n],
            columns: vec![Force::zero(); n],
            accelerations: vec![Motion::zero(); n * n],
            coupled: m.has_coupled_drives().then(|| (CrbaData::new(m), vec![T::zero(); n * n])),
        }
    }
}

/// M(q)⁻¹, drives included, row-major into `inverse` (nv × nv).
pub fn minverse<T: Real>(m: &Model<T>, d: &mut MinverseData<T>, q: &[T], inverse: &mut [T]) -> Result<()> {
    let n = m.nv();
    m.check_length("q", m.nq(), q.len())?;
    m.check_length("inverse", n * n, inverse.len())?;
    d.kinematics.check(m)?;
    if let Some((data, mass)) = &mut d.coupled {
        crba(m, data, q, mass)?;
        cholesky(mass, n).map_err(|dof| m.not_positive(dof))?;
        for (k, row) in inverse.chunks_exact_mut(n).enumerate() {
            row.fill(T::zero());
            row[k] = T::one();
            cholesky_solve(mass, n, row); // M⁻¹ is symmetric: a row is a column
        }
        return Ok(());
    }
    d.kinematics.update_near(m, q, |i, b, pose| d.inertias[i] = Articulated::rigid(&b.inertia.seen_from(pose)));
    let screws = &d.kinematics.screws[..n];
    if m.branches {
        inverse.fill(T::zero());
    }
    for (i, b) in m.tip_to_base() {
        let mut inertia = d.inertias[i];
        for v in b.dofs().rev() {
            let j = screws[v];
            let u = inertia.times(j);
            let pivot = j.dot(u) + m.reflected[v];
            if !pivot.is_positive() {
                return Err(m.pivot_error(pivot, v, &[("q", q)]));
            }
            let reciprocal = T::one() / pivot;
            inertia.reduce(u, reciprocal);
            d.u[v] = u * reciprocal;
            // (1); what a degree of freedom carries comes after it, though not all that comes after it.
            let row = &mut inverse[v * n..(v + 1) * n];
            let scaled = j * -reciprocal;
            for w in v + 1..n {
                if m.branches && !m.carries(i, m.dof_bodies[w]) {
                    continue;
                }
                let x = scaled.dot(d.columns[w]);
                row[w] = x;
                d.columns[w] += u * x;
            }
            row[v] = reciprocal;
            d.columns[v] = d.u[v];
        }
        if b.parent != 0 {
            d.inertias[b.parent].add(&inertia);
        }
    }
    for v in 0..n {
        let j = screws[v];
        let u = d.u[v];
        let (before, here) = d.accelerations.split_at_mut(v * n);
        let parent = m.dof_parents[v];
        let row = &mut inverse[v * n..(v + 1) * n];
        for w in v..n {
            if parent == 0 {
                here[w] = j * row[w];
            } else {
                let p = before[(parent - 1) * n + w];
                let x = row[w] - p.dot(u); // (2)
                row[w] = x;
                here[w] = j.scale_add(x, p);
            }
        }
    }
    for v in 1..n {
        for u in 0..v {
            inverse[v * n + u] = inverse[u * n + v];
        }
    }
    Ok(())
}
