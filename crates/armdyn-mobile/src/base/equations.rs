//! The equations of motion of a base, at an instant.
//!
//! Lau 1985, section 6.1, corrected. On wheels at (xᵢ, yᵢ), about the point of the ground below the base's origin, (1) of
//! [`crate::base`] is
//!
//!   x, y, ψ:  I ν̇ + W = drive + Σ J ᵀ p − Σ μ N Jᵀ e       p of what sticks, e the way of what rubs      (2)
//!   z:        I ν̇ + W = Σ Nᵢ                                                                           (3)
//!   Mx, My:   I ν̇ + W = Σ (yᵢ, −xᵢ) Nᵢ                                                                (4)
//!
//! Forces that hold do no work on what is allowed: (2) is projected on the basis Z of the twists that they leave, so that
//! ν̇ = ν̇₀ + Z a, with ν̇₀ of what is driven. The weight is Nᵢ = n₁ + n₂ xᵢ + n₃ yᵢ: exact for three wheels, and of more the
//! one of least norm, as wheels of equal compliance share it; a wheel that would have to pull lifts off then. Unknowns are
//! a and n. With a castor at (s, 0) and two fixed wheels at (0, ±d), that are the six equations of Lau's corrected model.

use super::Row;
use super::dynamics::{Dynamics, Load, Six};
use super::linear::{Basis, dot, eliminate};
use armdyn_numerics::{Error, Result};

/// What something that rubs does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Status {
    Sticks,
    /// The way it goes.
    Rubs([f64; 2]),
}

/// What everything that rubs does.
pub(crate) type Mode = Vec<Status>;

/// What the equations gave.
#[derive(Clone, Debug)]
pub(crate) struct Solution {
    /// ν̇.
    pub rate: Six,
    pub weights: Vec<f64>,
    /// Force of the ground, of each thing that rubs, along its rows.
    pub forces: Vec<[f64; 2]>,
    /// Forces of the drive.
    pub driving: Vec<f64>,
    /// Σ Nᵢ, Σ yᵢ Nᵢ, −Σ xᵢ Nᵢ.
    pub resultant: [f64; 3],
    /// Whether forces that hold are not determined: only their sum is.
    pub undetermined: bool,
}

/// Components of a wrench that the ground bears by the weights: (3), (4).
const GROUND: [usize; 3] = [2, 3, 4];

impl Dynamics<'_> {
    /// Solves (2) … (4).
    pub fn solve(&self, load: &Load, mode: &[Status]) -> Result<Solution> {
        let rows = self.rows(load, mode);
        let basis = Basis::new(&rows, self.free().len());
        // The way of each thing that rubs, as a force of unit weight.
        let ways: Vec<(usize, Row)> = mode.iter().enumerate().filter_map(|(k, s)| Some((k, self.way(k, s)?))).collect();
        let mut standing: Vec<usize> = (0..self.base.wheels.len()).collect();
        let massless = || Error::InvalidInput("the base moves no inertia: give it, or the arm, a mass".to_string());
        let (mut rate, mut weights) = self.balance(load, &basis, &ways, &standing).ok_or_else(massless)?;
        while let Some(pulls) = pulling(&standing, &weights).filter(|_| standing.len() > 3) {
            standing.retain(|w| *w != pulls);
            let Some(better) = self.balance(load, &basis, &ways, &standing) else { break };
            (rate, weights) = better;
        }
        let resultant = [0, 1, 2].map(|g| weights.iter().enumerate().map(|(w, n)| self.lever(w)[g] * n).sum());
        let mut forces = vec![[0.0; 2]; self.base.rubbing.len()];
        let mut left: Vec<f64> = self.free().iter().map(|i| load.bias[*i] + dot(&load.mass[*i], &rate)).collect();
        left.iter_mut().zip(self.effort(load)).for_each(|(f, e)| *f -= e);
        for (k, way) in &ways {
            let rubbing = &self.base.rubbing[*k];
            let force = rubbing.moving * rubbing.wheels.iter().map(|i| weights[*i]).sum::<f64>();
            left.iter_mut().zip(way).for_each(|(f, w)| *f += force * w);
            if let Status::Rubs(way) = mode[*k] {
                forces[*k] = way.map(|w| -force * w);
            }
        }
        let mut held = basis.bearing(&rows, &left).into_iter().skip(self.base.held.len());
        let mut driving = load.efforts.clone().unwrap_or_else(|| vec![0.0; self.base.driven.len()]);
        if load.rates.is_some() {
            driving.iter_mut().for_each(|d| *d = held.next().unwrap_or(0.0));
        }
        for (k, r) in self.base.rubbing.iter().enumerate().filter(|(k, _)| mode[*k] == Status::Sticks) {
            (0..r.rows.len()).for_each(|c| forces[k][c] = held.next().unwrap_or(0.0));
        }
        Ok(Solution { rate, weights, forces, driving, resultant, undetermined: rows.len() > basis.rank })
    }

    /// ν̇ and the weights, where these wheels stand; none if that cannot be told.
    fn balance(
        &self,
        load: &Load,
        basis: &Basis,
        ways: &[(usize, Row)],
        standing: &[usize],
    ) -> Option<(Six, Vec<f64>)> {
        let (free, k) = (self.free(), basis.rest.len());
        let n = if self.base.floats() { 0 } else { 3 };
        let inertial = |i: usize, v: &[f64]| free.iter().zip(v).map(|(j, x)| load.mass[i][*j] * x).sum::<f64>();
        let along = |z: &[f64], f: &dyn Fn(usize) -> f64| free.iter().zip(z).map(|(i, z)| z * f(*i)).sum::<f64>();
        let effort = self.effort(load);
        let projected = |z: &Vec<f64>| {
            let rubs = |c: usize| {
                let one = |(e, way): &(usize, Row)| {
                    let on = self.base.rubbing[*e].wheels.iter().filter(|w| standing.contains(w));
                    self.base.rubbing[*e].moving * dot(z, way) * on.map(|w| self.share(*w)[c]).sum::<f64>()
                };
                ways.iter().map(one).sum()
            };
            let needed = along(z, &|i| load.bias[i] + inertial(i, &basis.given)) - dot(z, &effort);
            let row = basis.rest.iter().map(|x| along(z, &|i| inertial(i, x))).chain((0..n).map(rubs));
            row.chain(std::iter::once(-needed)).collect::<Vec<f64>>()
        };
        let borne = |(g, i): (usize, &usize)| {
            let row = basis.rest.iter().map(|x| inertial(*i, x)).chain(self.bearing(g, standing).map(|x| -x));
            row.chain(std::iter::once(-(load.bias[*i] + inertial(*i, &basis.given)))).collect::<Vec<f64>>()
        };
        let equations = basis.rest.iter().map(projected).chain(GROUND.iter().enumerate().take(n).map(borne));
        let x = eliminate(equations.collect(), k + n)?;
        let mut rate = [0.0; 6];
        for (c, i) in free.iter().enumerate() {
            rate[*i] = basis.given[c] + basis.rest.iter().zip(&x).map(|(z, a)| z[c] * a).sum::<f64>();
        }
        let on = |w: usize| if standing.contains(&w) { dot(&self.share(w), &x[k..]) } else { 0.0 };
        Some((rate, (0..self.base.wheels.len()).map(on).collect()))
    }

    /// The weight on each wheel where the base is accelerated so: (3), (4).
    pub(super) fn weights(&self, load: &Load, rate: &Six) -> Vec<f64> {
        let wheels = self.base.wheels.len();
        let shared = |standing: &[usize]| {
            let line = |(g, i): (usize, &usize)| {
                let needed = load.bias[*i] + dot(&load.mass[*i], rate);
                self.bearing(g, standing).into_iter().chain(std::iter::once(needed)).collect::<Vec<f64>>()
            };
            let n = eliminate(GROUND.iter().enumerate().map(line).collect(), 3)?;
            let on = |w: usize| if standing.contains(&w) { dot(&self.share(w), &n) } else { 0.0 };
            Some((0..wheels).map(on).collect::<Vec<f64>>())
        };
        let mut standing: Vec<usize> = (0..wheels).collect();
        let mut weights = shared(&standing).unwrap_or_else(|| vec![f64::NAN; wheels]);
        while let Some(pulls) = pulling(&standing, &weights).filter(|_| standing.len() > 3) {
            standing.retain(|w| *w != pulls);
            let Some(better) = shared(&standing) else { break };
            weights = better;
        }
        weights
    }

    /// A wheel's weight is this by n.
    fn share(&self, w: usize) -> [f64; 3] {
        [1.0, self.base.wheels[w].at[0], self.base.wheels[w].at[1]]
    }

    /// What a weight on a wheel is of the force and of the moments that the ground bears.
    fn lever(&self, w: usize) -> [f64; 3] {
        [1.0, self.base.wheels[w].at[1], -self.base.wheels[w].at[0]]
    }

    /// One of (3), (4) by n.
    fn bearing(&self, g: usize, standing: &[usize]) -> [f64; 3] {
        std::array::from_fn(|c| standing.iter().map(|w| self.lever(*w)[g] * self.share(*w)[c]).sum())
    }

    /// What holds: rows, and the accelerations along them.
    pub(super) fn rows(&self, load: &Load, mode: &[Status]) -> Vec<(Row, f64)> {
        let mut rows: Vec<(Row, f64)> = self.base.held.iter().map(|r| (*r, 0.0)).collect();
        if let Some(rates) = &load.rates {
            rows.extend(self.base.driven.iter().zip(rates).map(|((_, row), rate)| (*row, *rate)));
        }
        for (rubbing, _) in self.base.rubbing.iter().zip(mode).filter(|(_, s)| **s == Status::Sticks) {
            rows.extend(rubbing.rows.iter().map(|r| (*r, 0.0)));
        }
        rows
    }

    /// The drive's forces on the free components.
    pub(super) fn effort(&self, load: &Load) -> Vec<f64> {
        let mut sum = vec![0.0; self.free().len()];
        for ((_, row), e) in self.base.driven.iter().zip(load.efforts.iter().flatten()) {
            sum.iter_mut().zip(row).for_each(|(s, r)| *s += e * r);
        }
        sum
    }

    /// Jᵀ e of something that rubs.
    pub(super) fn way(&self, k: usize, status: &Status) -> Option<Row> {
        let Status::Rubs(way) = status else { return None };
        let rows = &self.base.rubbing[k].rows;
        Some(std::array::from_fn(|c| rows.iter().zip(way).map(|(r, w)| r[c] * w).sum()))
    }
}

/// The wheel that would have to pull most.
fn pulling(standing: &[usize], weights: &[f64]) -> Option<usize> {
    let total: f64 = weights.iter().map(|x| x.abs()).sum();
    let least = standing.iter().copied().min_by(|i, j| weights[*i].total_cmp(&weights[*j]));
    least.filter(|w| weights[*w] < -1e-12 * total)
}
