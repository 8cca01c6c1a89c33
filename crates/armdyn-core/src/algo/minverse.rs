//! The inverse of the mass matrix, without the mass matrix.
//!
//! Carpentier 2018, "Analytical inverse of the joint space inertia matrix", in the base's axes. With U, D of the
//! articulated bodies (`aba.rs`), for each column j a force F and, after it, an acceleration P:
//!
//!   tip to base:  M⁻¹ᵢⱼ = −Jᵢ·Fⱼ/Dᵢ,   Fⱼ += Uᵢ M⁻¹ᵢⱼ   for j carried by i,   M⁻¹ᵢᵢ = 1/Dᵢ,   Fᵢ = Uᵢ/Dᵢ    (1)
//!   base to tip:  M⁻¹ᵢⱼ −= Uᵢ·Pₚⱼ/Dᵢ,   Pᵢⱼ = Pₚⱼ + Jᵢ M⁻¹ᵢⱼ              for j ≥ i          (2)
//!
//! Deviations: base axes, where a force needs no transform from body to body, so that one vector per column is enough; (2) is done
//! for eight columns at a time. Where drives couple joints, or joints follow others, M is inverted densely.

use super::aba::{Articulated, find_floors};
use super::{CrbaData, KinematicsData, crba};
use crate::dense::{LANES, cholesky, cholesky_solve};
use crate::error::Result;
use crate::model::Model;
use crate::scalar::{Lanes, Real, algorithm};
use crate::spatial::Force;
use alloc::vec;
use alloc::vec::Vec;

/// Workspace of [`minverse`].
#[derive(Clone, Debug)]
pub struct MinverseData<T> {
    kinematics: KinematicsData<T>,
    /// The degrees of freedom that each one carries, itself left out.
    descendants: Vec<Vec<usize>>,
    inertias: Vec<Articulated<T>>,
    /// −U/D.
    u: Vec<Force<T>>,
    floors: Vec<T>,
    /// F.
    forces: Vec<Force<T>>,
    /// Rows of M⁻¹ and P, eight columns side by side.
    rows: Vec<[T; LANES]>,
    accelerations: Vec<[Lanes<T, LANES>; 6]>,
    coupled: Option<(CrbaData<T>, Vec<T>)>,
}

impl<T: Real> MinverseData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        let (n, zero) = (m.nv(), T::zero());
        let groups = n.div_ceil(LANES);
        let mut descendants = vec![vec![]; n];
        for w in 0..n {
            m.ancestor_dofs(w).skip(1).for_each(|v| descendants[v].push(w));
        }
        MinverseData {
            kinematics: KinematicsData::new(m),
            descendants,
            inertias: vec![Articulated::zero(); m.body_count() + 1],
            u: vec![Force::zero(); n],
            floors: vec![zero; n],
            forces: vec![Force::zero(); n],
            rows: vec![[zero; LANES]; n * groups],
            accelerations: vec![[Lanes([zero; LANES]); 6]; n * groups],
            coupled: m.is_coupled_beyond_tree().then(|| (CrbaData::new(m), vec![zero; n * n])),
        }
    }
}

algorithm! {
    /// M(q)⁻¹, drives included, row-major into `inverse` (nv × nv).
    ///
    /// ```
    /// use armdyn_core::{MinverseData, minverse};
    /// let model = armdyn_core::examples::pendulum();
    /// let mut inverse = [0.0];
    /// minverse(&model, &mut MinverseData::new(&model), &[0.3], &mut inverse)?;
    /// assert!((inverse[0] - 1.0 / 0.5).abs() < 1e-12); // 1 / (m r²)
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    minverse = inverse_mass(MinverseData; q; inverse)
}

#[inline(always)]
fn inverse_mass<T: Real>(m: &Model<T>, d: &mut MinverseData<T>, q: &[T], inverse: &mut [T]) -> Result<()> {
    let n = m.nv();
    m.check_length("q", m.nq(), q.len())?;
    m.check_length("inverse", n * n, inverse.len())?;
    d.kinematics.check(m)?;
    if let Some((data, mass)) = &mut d.coupled {
        crba(m, data, q, mass)?;
        cholesky(mass, n).map_err(|dof| m.not_positive(dof))?;
        for (k, row) in inverse.chunks_exact_mut(n.max(1)).enumerate() {
            row.fill(T::zero());
            row[k] = T::one();
            cholesky_solve(mass, n, row); // M⁻¹ is symmetric: a row is a column
        }
        return Ok(());
    }
    to_base(m, d, q)?;
    to_tip(m, d);
    let groups = n.div_ceil(LANES);
    for v in 0..n {
        let row = d.rows[v * groups..(v + 1) * groups].as_flattened();
        for w in v..n {
            inverse[v * n + w] = row[w];
            inverse[w * n + v] = row[w];
        }
    }
    Ok(())
}

/// (1).
#[inline(always)]
fn to_base<T: Real>(m: &Model<T>, d: &mut MinverseData<T>, q: &[T]) -> Result<()> {
    let groups = m.nv().div_ceil(LANES);
    d.kinematics.update_near(m, q, ());
    find_floors(m, &d.kinematics, &mut d.inertias, &mut d.floors);
    for (i, b) in m.base_to_tip() {
        d.inertias[i] = Articulated::rigid(&b.inertia.transformed(&d.kinematics.poses[i]));
    }
    d.rows.fill([T::zero(); LANES]);
    let mut of_child = Articulated::zero(); // as in `aba`
    for (i, b) in m.tip_to_base() {
        let mut inertia = d.inertias[i];
        inertia.add(&of_child);
        for v in b.dofs().rev() {
            let j = d.kinematics.screws[v];
            let (u, reciprocal) = inertia.eliminate(m, v, j, d.floors[v], q)?;
            let row = d.rows[v * groups..(v + 1) * groups].as_flattened_mut();
            let scaled = j * -reciprocal;
            for &w in &d.descendants[v] {
                let x = scaled.dot(d.forces[w]);
                row[w] = x;
                d.forces[w] += u * x;
            }
            row[v] = reciprocal;
            d.forces[v] = u * reciprocal;
            d.u[v] = -d.forces[v];
        }
        of_child = inertia;
        if b.parent + 1 != i {
            d.inertias[b.parent].add(&inertia);
            of_child = Articulated::zero();
        }
    }
    Ok(())
}

/// (2).
#[inline(always)]
fn to_tip<T: Real>(m: &Model<T>, d: &mut MinverseData<T>) {
    let groups = m.nv().div_ceil(LANES);
    for v in 0..m.nv() {
        let j = d.kinematics.screws[v].components();
        let u = d.u[v].components();
        let (before, here) = d.accelerations.split_at_mut(v * groups);
        let parent = m.structure.dof_parents[v];
        for g in v / LANES..groups {
            let mut row = Lanes(d.rows[v * groups + g]);
            let mut p = [Lanes::splat(T::zero()); 6];
            if parent != 0 {
                p = before[(parent - 1) * groups + g];
                for c in 0..6 {
                    row = p[c].mul_add(Lanes::splat(u[c]), row);
                }
                d.rows[v * groups + g] = row.0;
            }
            for c in 0..6 {
                here[g][c] = row.mul_add(Lanes::splat(j[c]), p[c]);
            }
        }
    }
}
