//! Positive definiteness of the simplified mass matrix M̂ = M + R, where R has the residuals of the simplified elements.
//!
//! M is that of rigid bodies, which is positive semidefinite, plus the reflected inertia J of the drives. Hence M̂ is positive
//! definite where
//!
//! * Dᵢᵢ were simplified: no residual is below −J;
//! * Dᵢⱼ were simplified: Σⱼ |Rᵢⱼ| / √(Jᵢ Jⱼ) < 1 for every i (Gershgorin).
//!
//! *Guaranteed*: these hold by guaranteed bounds. *Sampled*: a search finds no configuration whose minimum eigenvalue is not
//! positive. If it finds one, the elements that cause it are fitted again: a Dᵢᵢ never below its exact value by more than J, a
//! Dᵢⱼ with half the error.

use super::deadline::Deadline;
use super::problem::Problem;
use super::reduce::{Reduced, reduce};
use super::{Coefficient, Domain, ErrorReference, SimplifyOptions, Target};
use armdyn_core::dense::eigenvalues;
use armdyn_core::{CrbaData, Interval, Model, crba};
use armdyn_numerics::objective::{Enclosure, Objective, negative};
use armdyn_numerics::search::{SearchOptions, search};
use rayon::prelude::*;
use serde::Serialize;
use std::time::Duration;

/// Minimum eigenvalue relative to the inertias of the joints below which a matrix counts as singular.
const SINGULAR: f64 = 1e-12;
/// Elements that raise the minimum eigenvalue by at least this fraction of the largest rise are fitted again.
const CRITICAL: f64 = 0.25;
/// A Dᵢⱼ whose error would be below this fraction of the requested one stays exact.
const MIN_ERROR: f64 = 0.02;

/// Whether a simplified mass matrix is positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PositiveDefinite {
    /// At every configuration within the joint ranges: guaranteed.
    Guaranteed,
    /// At every configuration that a search evaluated, or at the samples of the trajectory.
    Sampled,
    /// Not at the configuration reported.
    No,
}

/// The simplified mass matrix; elements that were not simplified are exact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MassMatrix {
    /// Whether it is positive definite.
    pub positive_definite: PositiveDefinite,
    /// Its minimum eigenvalue at the critical configuration, SI units.
    pub minimum_eigenvalue: f64,
    /// The critical configuration: the minimum found of the eigenvalues relative to the inertias of the joints.
    pub at: Vec<f64>,
}

/// A reduced element of the mass matrix and the error that its fit was allowed.
pub(super) struct Element {
    pub reduced: Reduced,
    pub error: f64,
}

impl Element {
    /// Fits again, so that it makes the mass matrix less indefinite.
    fn tighten(&mut self, domain: Domain, options: &SimplifyOptions, deadline: Deadline) {
        let mut problem = self.reduced.problem.clone();
        match options.target {
            Target::Coupling => self.error *= 0.5,
            _ => problem.limited = Some(options.error),
        }
        // Without time it becomes exact.
        let none = Deadline::new(deadline.progress, Duration::ZERO);
        let time = if self.error < MIN_ERROR * options.error { none } else { deadline };
        self.reduced = reduce(problem, domain, &SimplifyOptions { error: self.error, ..options.clone() }, time);
    }
}

/// Fits elements again until the mass matrix is positive definite.
pub(super) fn keep_definite(
    m: &Model<f64>,
    elements: &mut [&mut Element],
    domain: Domain,
    options: &SimplifyOptions,
    deadline: Deadline,
) -> MassMatrix {
    loop {
        let reduced: Vec<&Reduced> = elements.iter().map(|e| &e.reduced).collect();
        let matrix = SimplifiedMass { m, elements: &reduced };
        let (eigenvalue, at) = matrix.minimum(domain, options.seed);
        let critical = if eigenvalue > SINGULAR { vec![] } else { matrix.critical(&at) };
        if critical.is_empty() {
            let positive_definite = match eigenvalue > SINGULAR {
                false => PositiveDefinite::No,
                true if options.guaranteed && is_guaranteed(m, &reduced, options) => PositiveDefinite::Guaranteed,
                true => PositiveDefinite::Sampled,
            };
            return MassMatrix { positive_definite, minimum_eigenvalue: matrix.eigenvalue(&at), at };
        }
        let count = critical.len();
        for (done, k) in critical.into_iter().enumerate() {
            let name = elements[k].reduced.problem.coefficient.name();
            deadline.progress.report(&format!("keeping the mass matrix definite: {name}"), done as f64 / count as f64);
            elements[k].tighten(domain, options, deadline.part(count - done));
        }
    }
}

/// Whether guaranteed bounds of the residuals suffice.
fn is_guaranteed(m: &Model<f64>, elements: &[&Reduced], options: &SimplifyOptions) -> bool {
    if options.target == Target::Inertia {
        return elements.iter().all(|e| e.within_shortfall);
    }
    let drives = if m.has_coupled_drives() { m.armature() } else { m.reflected_inertia() };
    let mut sums = vec![0.0; m.nv()];
    for e in elements.iter().filter(|e| !e.is_exact()) {
        let (Coefficient::Inertia(i, j), ErrorReference::Maximum(size), Some(bound)) =
            (e.problem.coefficient, e.problem.reference, e.accuracy.bound)
        else {
            return false;
        };
        let relative = bound * size / (drives[i] * drives[j]).sqrt();
        sums[i] += relative;
        sums[j] += relative;
    }
    sums.iter().all(|sum| *sum < 1.0 - 1e-9)
}

/// M̂ as a function of the configuration.
struct SimplifiedMass<'a> {
    m: &'a Model<f64>,
    elements: &'a [&'a Reduced],
}

/// The residual of an element at a configuration.
fn residual(problem: &Problem, b: &[f64], q: &[f64]) -> f64 {
    let factors = problem.basis.factors(q);
    factors.iter().zip(problem.exact.iter().zip(b)).map(|(v, (a, b))| (b - a) * v).sum()
}

impl SimplifiedMass<'_> {
    /// M̂ with one element exact, and the diagonal of M.
    fn matrix(&self, q: &[f64], exact: Option<usize>) -> (Vec<f64>, Vec<f64>) {
        let n = self.m.nv();
        let mut mass = vec![f64::NAN; n * n];
        if crba(self.m, &mut CrbaData::new(self.m), q, &mut mass).is_err() {
            mass.fill(f64::NAN);
        }
        let diagonal = (0..n).map(|i| mass[i * n + i]).collect();
        for (_, e) in self.elements.iter().enumerate().filter(|(k, _)| Some(*k) != exact) {
            let Coefficient::Inertia(i, j) = e.problem.coefficient else { continue };
            let r = residual(&e.problem, &e.coefficients, q);
            mass[i * n + j] += r;
            if i != j {
                mass[j * n + i] += r;
            }
        }
        (mass, diagonal)
    }

    /// The minimum eigenvalue.
    fn eigenvalue(&self, q: &[f64]) -> f64 {
        minimum(eigenvalues(&mut self.matrix(q, None).0, self.m.nv()))
    }

    /// The minimum eigenvalue relative to the inertias of the joints, of M̂ with one element exact.
    fn relative_eigenvalue(&self, q: &[f64], exact: Option<usize>) -> f64 {
        let (mut mass, diagonal) = self.matrix(q, exact);
        let n = diagonal.len();
        for (k, x) in mass.iter_mut().enumerate() {
            *x /= (diagonal[k / n] * diagonal[k % n]).sqrt();
        }
        minimum(eigenvalues(&mut mass, n))
    }

    /// The minimum found of the relative eigenvalue, and its configuration.
    fn minimum(&self, domain: Domain, seed: u64) -> (f64, Vec<f64>) {
        match domain {
            Domain::Ranges(ranges) => {
                let options = SearchOptions { points: 8192, climbs: 24, seed };
                let (value, at) = search(&negative(self), ranges, options);
                (-value, at)
            }
            Domain::Trajectory(t) => {
                let each = (0..t.len()).into_par_iter().map(|k| (self.value(t.state(k)[0]), k));
                let minimum = each.reduce(|| (f64::INFINITY, 0), |a, b| if (b.0, b.1) < (a.0, a.1) { b } else { a });
                (minimum.0, t.state(minimum.1)[0].to_vec())
            }
        }
    }

    /// The elements that make the matrix indefinite at a configuration.
    fn critical(&self, q: &[f64]) -> Vec<usize> {
        let now = self.relative_eigenvalue(q, None);
        let rises: Vec<f64> = (0..self.elements.len())
            .map(|k| {
                let Reduced { problem, .. } = self.elements[k];
                let fixed = self.elements[k].is_exact() || problem.limited.is_some();
                if fixed { 0.0 } else { self.relative_eigenvalue(q, Some(k)) - now }
            })
            .collect();
        let largest = rises.iter().copied().fold(0.0, f64::max);
        (0..rises.len()).filter(|&k| rises[k] > 0.0 && rises[k] >= CRITICAL * largest).collect()
    }
}

/// The minimum; a matrix that is not finite is not positive definite.
fn minimum(eigenvalues: Vec<f64>) -> f64 {
    eigenvalues.into_iter().fold(f64::INFINITY, |a, b| if b.is_nan() { f64::NEG_INFINITY } else { a.min(b) })
}

impl Objective for SimplifiedMass<'_> {
    fn value(&self, q: &[f64]) -> f64 {
        self.relative_eigenvalue(q, None)
    }

    fn enclose(&self, _: &[Interval]) -> Enclosure {
        Enclosure { range: Interval::ENTIRE, split: None }
    }
}
