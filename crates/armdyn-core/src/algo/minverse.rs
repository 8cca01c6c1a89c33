//! The inverse of the mass matrix, without the mass matrix.
//!
//! Carpentier 2018, "Analytical inverse of the joint space inertia matrix", in the base's axes. With U, D of the
//! articulated bodies (`aba.rs`), for each column j a force F and, after it, an acceleration P:
//!
//!   tip to base:  M⁻¹ᵢⱼ = −Jᵢ·Fⱼ/Dᵢ,   Fⱼ += Uᵢ M⁻¹ᵢⱼ   for j carried by i,   M⁻¹ᵢᵢ = 1/Dᵢ,   Fᵢ = Uᵢ/Dᵢ    (1)
//!   base to tip:  M⁻¹ᵢⱼ −= Uᵢ·Pₚⱼ/Dᵢ,   Pᵢⱼ = Pₚⱼ + Jᵢ M⁻¹ᵢⱼ              for j ≥ i          (2)
//!
//! Deviations: base axes, where a force needs no transform from body to body, so that one vector per column is enough; both are done
//! for eight columns at a time. Where drives couple joints, or joints follow others, M is inverted densely.

use super::aba::{Articulated, find_floors};
use super::packed::{Packed, Related, splat};
use super::{CrbaData, KinematicsData, crba};
use crate::dense::{Group, LANES, PaddedMatrix, cholesky, cholesky_solve};
use crate::error::Result;
use crate::model::Model;
use crate::scalar::{Lanes, Real, algorithm};
use crate::spatial::{Force, Motion};
use alloc::vec;
use alloc::vec::Vec;

/// Workspace of [`minverse`].
#[derive(Clone, Debug)]
pub struct MinverseData<T> {
    pub(super) kinematics: KinematicsData<T>,
    inertias: Vec<Articulated<T>>,
    /// −U/D.
    u: Vec<Force<T>>,
    floors: Vec<T>,
    related: Vec<Related<T>>,
    /// The last group of columns that each degree of freedom carries any of.
    last: Vec<usize>,
    /// The unit vectors of a group.
    units: [Group<T>; LANES],
    /// F of all columns.
    forces: Packed<T, 6>,
    /// M⁻¹.
    rows: PaddedMatrix<T>,
    /// P, row after row.
    accelerations: Packed<T, 6>,
    coupled: Option<(CrbaData<T>, Vec<T>)>,
}

impl<T: Real> MinverseData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        let (n, zero) = (m.nv(), T::zero());
        let groups = n.div_ceil(LANES);
        let (mut last, mut units) = (vec![0; n], [Group::zero(); LANES]);
        for v in 0..n {
            m.ancestor_dofs(v).for_each(|u| last[u] = v / LANES);
        }
        (0..LANES).for_each(|k| units[k].0[k] = T::one());
        MinverseData {
            kinematics: KinematicsData::new(m),
            inertias: vec![Articulated::zero(); m.body_count() + 1],
            u: vec![Force::zero(); n],
            floors: vec![zero; n],
            related: Related::all(m),
            last,
            units,
            forces: Packed::new(n),
            rows: PaddedMatrix::new(n),
            accelerations: Packed::new(n * groups * LANES),
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
    d.rows.copy_to(inverse);
    for i in 0..n {
        for j in 0..i {
            inverse[i * n + j] = inverse[j * n + i];
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
    d.rows.clear();
    d.forces.clear();
    let mut of_child = Articulated::zero(); // as in `aba`
    for (i, b) in m.tip_to_base() {
        let mut inertia = d.inertias[i];
        inertia.add(&of_child);
        for v in b.dofs().rev() {
            let j = d.kinematics.screws[v];
            let (u, reciprocal) = inertia.eliminate(m, v, j, d.floors[v], q)?;
            let (scaled, components) =
                (Motion::from_components(splat((j * -reciprocal).components())), splat(u.components()));
            for g in v / LANES..=d.last[v] {
                let mut f = d.forces.wide(g);
                let mut row = scaled.dot(Force::from_components(f)) * d.related[v * groups + g].descendants();
                if g == v / LANES {
                    row = Lanes(d.units[v % LANES].0).mul_add(Lanes::splat(reciprocal), row);
                }
                for c in 0..6 {
                    f[c] = row.mul_add(components[c], f[c]);
                }
                d.rows.set_wide(v, g, row);
                d.forces.set_wide(g, f);
            }
            d.u[v] = u * -reciprocal;
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
        let (j, u) = (splat(d.kinematics.screws[v].components()), splat(d.u[v].components()));
        let parent = m.structure.dof_parents[v];
        for g in v / LANES..groups {
            let mut row = d.rows.wide(v, g);
            let mut p = [Lanes::splat(T::zero()); 6];
            if parent != 0 {
                p = d.accelerations.wide((parent - 1) * groups + g);
                for c in 0..6 {
                    row = p[c].mul_add(u[c], row);
                }
                d.rows.set_wide(v, g, row);
            }
            for c in 0..6 {
                p[c] = row.mul_add(j[c], p[c]);
            }
            d.accelerations.set_wide(v * groups + g, p);
        }
    }
}
