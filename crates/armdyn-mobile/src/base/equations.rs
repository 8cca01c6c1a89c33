//! Equations of motion of a base at an instant.
//!
//! Lau 1985, section 6.1, corrected. On wheels at (xᵢ, yᵢ), about the point of the ground below the base origin, (1) of
//! [`crate::base`] is
//!
//!   x, y, ψ:  I ν̇ + W = drive + Σ Jᵀ p − Σ μ N Jᵀ e        p: sticking forces, e: sliding directions      (2)
//!   z:        I ν̇ + W = Σ Nᵢ                                                                            (3)
//!   Mx, My:   I ν̇ + W = Σ (yᵢ, −xᵢ) Nᵢ                                                                 (4)
//!
//! Constraint forces do no work on allowed motions: (2) is projected on the null space Z of the constraints, so that
//! ν̇ = ν̇₀ + Z a, with ν̇₀ of the driven directions. The loads are Nᵢ = aᵢ·λ ([`ContactSprings`]): exact for three wheels, and
//! of least norm for more, as for wheels of equal stiffness; a wheel that would have to pull lifts off. The unknowns are a
//! and λ. With a castor at (s, 0) and two fixed wheels at (0, ±d), these are the six equations of Lau's corrected model.
//!
//! [`ContactSprings`]: crate::contact::ContactSprings

use super::dynamics::{BaseEquations, Six};
use super::linear_algebra::{Basis, dot, solve_linear};
use super::{Base, Row};
use armdyn_numerics::{Error, Result};

/// State of a friction constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FrictionState {
    Sticking,
    /// Sliding in a direction.
    Sliding([f64; 2]),
}

/// State of each friction constraint.
pub(crate) type ContactMode = Vec<FrictionState>;

/// Solution of the equations of motion.
#[derive(Clone, Debug)]
pub struct BaseSolution {
    /// The contact mode it holds for.
    pub(crate) mode: ContactMode,
    /// ν̇: linear, angular.
    pub rate: [f64; 6],
    /// Normal load of each wheel.
    pub(crate) loads: Vec<f64>,
    /// Ground force of each friction constraint along its rows.
    pub(crate) friction: Vec<[f64; 2]>,
    /// Forces of the drive.
    pub(crate) driving: Vec<f64>,
    /// Σ Nᵢ.
    pub(crate) normal: f64,
    /// Σ yᵢ Nᵢ, −Σ xᵢ Nᵢ.
    pub(crate) tilting: [f64; 2],
    /// Whether only the sum of the sticking forces is determined.
    pub(crate) undetermined: bool,
}

impl BaseSolution {
    /// The acceleration of a floating base, on which no ground acts.
    pub fn floating(rate: [f64; 6]) -> Self {
        BaseSolution {
            mode: vec![],
            rate,
            loads: vec![],
            friction: vec![],
            driving: vec![],
            normal: 0.0,
            tilting: [0.0; 2],
            undetermined: false,
        }
    }
}

/// Components of a wrench that the normal loads balance: (3), (4).
const NORMAL: [usize; 3] = [2, 3, 4];

impl Base {
    /// Solves (2) … (4).
    pub(crate) fn solve(&self, terms: &BaseEquations, mode: &[FrictionState]) -> Result<BaseSolution> {
        let rows = self.constraints(terms, mode);
        let basis = Basis::new(&rows, self.free().len());
        let sliding: Vec<(usize, Row)> =
            mode.iter().enumerate().filter_map(|(k, s)| Some((k, self.sliding_row(k, s)?))).collect();
        let mut loaded: Vec<usize> = (0..self.wheels.len()).collect();
        let no_inertia =
            || Error::InvalidInput("the base has no inertia in a free direction; give it or the arm a mass".into());
        let (mut rate, mut loads) = self.balance(terms, &basis, &sliding, &loaded).ok_or_else(no_inertia)?;
        while let Some(lifted) = pulling(&loaded, &loads).filter(|_| loaded.len() > 3) {
            loaded.retain(|w| *w != lifted);
            let Some(next) = self.balance(terms, &basis, &sliding, &loaded) else { break };
            (rate, loads) = next;
        }
        let mut friction = vec![[0.0; 2]; self.friction.len()];
        let mut left: Vec<f64> = self.free().iter().map(|i| terms.bias[*i] + dot(&terms.mass[*i], &rate)).collect();
        left.iter_mut().zip(self.drive_forces(terms)).for_each(|(f, e)| *f -= e);
        for (k, row) in &sliding {
            let constraint = &self.friction[*k];
            let force = constraint.kinetic_coefficient * constraint.wheels.iter().map(|i| loads[*i]).sum::<f64>();
            left.iter_mut().zip(row).for_each(|(f, w)| *f += force * w);
            if let FrictionState::Sliding(direction) = mode[*k] {
                friction[*k] = direction.map(|w| -force * w);
            }
        }
        let held_by_drive = self.held_by_drive(terms, mode);
        let first_sticking = rows.len() - held_by_drive.len();
        let loaded_rows: Vec<(Row, f64)> = (rows.iter().enumerate())
            .filter(|(i, _)| *i < first_sticking || !held_by_drive[i - first_sticking])
            .map(|(_, row)| *row)
            .collect();
        let forces = Basis::new(&loaded_rows, self.free().len()).constraint_forces(&loaded_rows, &left);
        let mut forces = forces.into_iter().skip(self.constrained.len());
        let mut driving = terms.efforts.clone().unwrap_or_else(|| vec![0.0; self.driven.len()]);
        if terms.accelerations.is_some() {
            driving.iter_mut().for_each(|d| *d = forces.next().unwrap_or(0.0));
        }
        let mut held_by_drive = held_by_drive.into_iter();
        for (k, c) in self.friction.iter().enumerate().filter(|(k, _)| mode[*k] == FrictionState::Sticking) {
            for i in 0..c.rows.len() {
                if held_by_drive.next() == Some(false) {
                    friction[k][i] = forces.next().unwrap_or(0.0);
                }
            }
        }
        let reaction: nalgebra::Vector3<f64> = loads.iter().enumerate().map(|(w, n)| self.springs.row(w) * *n).sum();
        let (normal, tilting) = (reaction[0], [reaction[1], reaction[2]]);
        Ok(BaseSolution {
            mode: mode.to_vec(),
            rate,
            loads,
            friction,
            driving,
            normal,
            tilting,
            undetermined: rows.len() > basis.rank,
        })
    }

    /// ν̇ and the loads if only the given wheels are loaded; none if the equations are singular.
    fn balance(
        &self,
        terms: &BaseEquations,
        basis: &Basis,
        sliding: &[(usize, Row)],
        loaded: &[usize],
    ) -> Option<(Six, Vec<f64>)> {
        let (free, k) = (self.free(), basis.null_space.len());
        let n = if self.floats() { 0 } else { 3 };
        let springs = &self.springs;
        let inertial = |i: usize, v: &[f64]| free.iter().zip(v).map(|(j, x)| terms.mass[i][*j] * x).sum::<f64>();
        let along = |z: &[f64], f: &dyn Fn(usize) -> f64| free.iter().zip(z).map(|(i, z)| z * f(*i)).sum::<f64>();
        let drive = self.drive_forces(terms);
        let projected = |z: &Vec<f64>| {
            let friction = |c: usize| {
                let force = |(e, row): &(usize, Row)| {
                    let constraint = &self.friction[*e];
                    let wheels = constraint.wheels.iter().filter(|w| loaded.contains(w));
                    constraint.kinetic_coefficient * dot(z, row) * wheels.map(|w| springs.row(*w)[c]).sum::<f64>()
                };
                sliding.iter().map(force).sum()
            };
            let required = along(z, &|i| terms.bias[i] + inertial(i, &basis.particular)) - dot(z, &drive);
            let row = basis.null_space.iter().map(|x| along(z, &|i| inertial(i, x))).chain((0..n).map(friction));
            row.chain(std::iter::once(-required)).collect::<Vec<f64>>()
        };
        let stiffness = springs.stiffness_matrix(|w| loaded.contains(&w));
        let normal = |(g, i): (usize, &usize)| {
            let row = basis.null_space.iter().map(|x| inertial(*i, x)).chain((0..3).map(|c| -stiffness[(g, c)]));
            row.chain(std::iter::once(-(terms.bias[*i] + inertial(*i, &basis.particular)))).collect::<Vec<f64>>()
        };
        let equations = basis.null_space.iter().map(projected).chain(NORMAL.iter().enumerate().take(n).map(normal));
        let x = solve_linear(equations.collect(), k + n)?;
        let mut rate = [0.0; 6];
        for (c, i) in free.iter().enumerate() {
            rate[*i] = basis.particular[c] + basis.null_space.iter().zip(&x).map(|(z, a)| z[c] * a).sum::<f64>();
        }
        let load = |w: usize| if loaded.contains(&w) { dot(springs.row(w).as_slice(), &x[k..]) } else { 0.0 };
        Some((rate, (0..self.wheels.len()).map(load).collect()))
    }

    /// The load of each wheel for a given acceleration of the base: (3), (4).
    pub(crate) fn loads(&self, terms: &BaseEquations, rate: &Six) -> Vec<f64> {
        let reaction = NORMAL.map(|i| terms.bias[i] + dot(&terms.mass[i], rate));
        let critical = self.polygon.critical_edge(reaction[0], [reaction[1], reaction[2]]);
        let stable = reaction[0] > 0.0 && critical.is_some_and(|(_, moment)| moment >= 0.0);
        self.springs.distribute(reaction, stable).0
    }

    /// Constraint rows and the accelerations along them: constrained, driven and sticking directions.
    pub(crate) fn constraints(&self, terms: &BaseEquations, mode: &[FrictionState]) -> Vec<(Row, f64)> {
        let mut rows: Vec<(Row, f64)> = self.constrained_rows().collect();
        if let Some(accelerations) = &terms.accelerations {
            rows.extend(self.driven.iter().zip(accelerations).map(|((_, row), a)| (*row, *a)));
        }
        let sticking = self.friction.iter().zip(mode).filter(|(_, s)| **s == FrictionState::Sticking);
        rows.extend(sticking.flat_map(|(constraint, _)| constraint.rows.iter().map(|r| (*r, 0.0))));
        rows
    }

    /// Whether a drive that prescribes the motion already holds each sticking row: it carries the whole load, because the part that
    /// friction at rest could take over is not determined.
    fn held_by_drive(&self, terms: &BaseEquations, mode: &[FrictionState]) -> Vec<bool> {
        let sticking = self.friction.iter().zip(mode).filter(|(_, s)| **s == FrictionState::Sticking);
        let sticking: Vec<Row> = sticking.flat_map(|(constraint, _)| constraint.rows.clone()).collect();
        if terms.accelerations.is_none() {
            return vec![false; sticking.len()];
        }
        let driven = self.driven.iter().map(|(_, row)| (*row, 0.0));
        let held = Basis::new(&self.constrained_rows().chain(driven).collect::<Vec<_>>(), self.free().len());
        let moves = |row: &Row| held.null_space.iter().any(|z| dot(row, z).abs() > 1e-9 * dot(row, row).sqrt());
        sticking.iter().map(|row| !moves(row)).collect()
    }

    /// The rows along which the base cannot move.
    pub(crate) fn constrained_rows(&self) -> impl Iterator<Item = (Row, f64)> {
        self.constrained.iter().map(|r| (*r, 0.0))
    }

    /// Prescribed drive forces on the free components.
    pub(crate) fn drive_forces(&self, terms: &BaseEquations) -> Vec<f64> {
        let mut sum = vec![0.0; self.free().len()];
        for ((_, row), e) in self.driven.iter().zip(terms.efforts.iter().flatten()) {
            sum.iter_mut().zip(row).for_each(|(s, r)| *s += e * r);
        }
        sum
    }

    /// Jᵀ e of a friction constraint that slides.
    pub(crate) fn sliding_row(&self, k: usize, state: &FrictionState) -> Option<Row> {
        let FrictionState::Sliding(direction) = state else { return None };
        let rows = &self.friction[k].rows;
        Some(std::array::from_fn(|c| rows.iter().zip(direction).map(|(r, w)| r[c] * w).sum()))
    }
}

/// The wheel that would have to pull most.
fn pulling(loaded: &[usize], loads: &[f64]) -> Option<usize> {
    let total: f64 = loads.iter().map(|x| x.abs()).sum();
    let smallest = loaded.iter().copied().min_by(|i, j| loads[*i].total_cmp(&loads[*j]));
    smallest.filter(|w| loads[*w] < -1e-12 * total)
}
