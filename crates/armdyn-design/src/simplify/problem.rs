//! One equation to simplify: its exact terms, its domain, and the reference of its errors.

use super::deadline::Deadline;
use super::error_search::ErrorSearch;
use super::select::{Choice, Points};
use super::terms::{self, Atom, Basis, Motion, Powers, Term};
use super::{Coefficient, Domain, ErrorReference, SimplifyOptions, Target};
use armdyn_core::{Interval, Model};
use armdyn_numerics::{Error, Limit, Result, Trajectory};
use armdyn_symbolic::closed::{ClosedError, ClosedOptions, Parameters, Trigonometry};
use armdyn_symbolic::{Equations, closed_form};

/// Fraction of the reflected inertia of a drive by which Dᵢᵢ may be too small: the rest keeps the mass matrix definite.
const DRIVE: f64 = 0.9;
/// Distance of a fit from that limit, as a fraction of the error: room for a guaranteed bound.
const LIMIT_MARGIN: f64 = 0.02;

/// One equation to simplify.
#[derive(Clone)]
pub(super) struct Problem {
    pub coefficient: Coefficient,
    /// The terms; a coefficient can be zero.
    pub terms: Vec<Term>,
    pub exact: Vec<f64>,
    pub basis: Basis,
    pub reference: ErrorReference,
    /// Range of each of q, q̇, q̈.
    pub ranges: Vec<Interval>,
    /// Those that it depends on.
    pub active: Vec<usize>,
    /// The simplified value may be this much below the exact one without making the mass matrix indefinite.
    pub shortfall: f64,
    /// The requested error, if the fit must keep to the shortfall.
    pub limited: Option<f64>,
}

impl Problem {
    /// The problem of a coefficient with its exact terms.
    pub fn new(
        m: &Model<f64>,
        coefficient: Coefficient,
        mut terms: Vec<Term>,
        ranges: &[Interval],
        domain: Domain,
        options: &SimplifyOptions,
    ) -> Result<Problem> {
        let n = m.nv();
        // A constant can absorb the means of dropped terms.
        if !terms.iter().any(|t| t.powers.is_empty() && t.motion == Motion::Rest)
            && !matches!(coefficient, Coefficient::Torque(_))
        {
            terms.push(Term { coefficient: 0.0, powers: Powers::new(), motion: Motion::Rest });
        }
        let basis = Basis::new(n, &terms);
        let exact = terms.iter().map(|t| t.coefficient).collect();
        let active = active(n, &terms).into_iter().filter(|&i| ranges[i].width() > 0.0).collect();
        let mut problem = Problem {
            coefficient,
            terms,
            exact,
            basis,
            reference: ErrorReference::Maximum(1.0),
            ranges: ranges.to_vec(),
            active,
            shortfall: match coefficient {
                // Coupled drives are not diagonal.
                Coefficient::Inertia(i, j) if i == j && m.has_coupled_drives() => DRIVE * m.armature()[i],
                Coefficient::Inertia(i, j) if i == j => DRIVE * m.reflected_inertia()[i],
                _ => f64::INFINITY,
            },
            limited: None,
        };
        let dof = match coefficient {
            Coefficient::Inertia(i, _) | Coefficient::Gravity(i) | Coefficient::Torque(i) => i,
        };
        problem.reference = match coefficient {
            Coefficient::Inertia(i, j) if i == j => ErrorReference::Value,
            Coefficient::Gravity(_) | Coefficient::Torque(_) if options.of_effort => {
                match m.limits()[dof].effort.half_width() {
                    x if x.is_finite() && x > 0.0 => ErrorReference::Effort(x),
                    _ => return Err(Error::NoLimit { limit: Limit::Effort, joints: vec![m.dof_names()[dof].clone()] }),
                }
            }
            _ => {
                let none = vec![0.0; problem.terms.len()];
                let maximum = match domain {
                    Domain::Ranges(_) => ErrorSearch::new(&problem, options.seed).peaks(&problem, &none, 48)[0].error,
                    Domain::Trajectory(t) => along(t).map(|x| problem.error(&none, &x)).fold(0.0, f64::max),
                };
                // It vanishes: errors are absolute.
                ErrorReference::Maximum(if maximum > 0.0 { maximum } else { 1.0 })
            }
        };
        Ok(problem)
    }

    /// Relative error of coefficients at a state; with a limit from below, the distance from the middle of the admissible
    /// values, relative to the requested error at their ends.
    pub fn error(&self, coefficients: &[f64], x: &[f64]) -> f64 {
        let values = self.basis.values(x);
        let (mut exact, mut error) = (0.0, 0.0);
        for ((v, a), b) in values.iter().zip(&self.exact).zip(coefficients) {
            exact += a * v;
            error += (b - a) * v;
        }
        let (shift, weight) = self.window(exact);
        (error - shift).abs() * weight
    }

    /// Adds the weighted values of the terms at a state.
    pub fn add(&self, points: &mut Points, x: &[f64]) {
        let values = self.basis.values(x);
        let exact: f64 = values.iter().zip(&self.exact).map(|(v, a)| v * a).sum();
        let (shift, weight) = self.window(exact);
        points.y.push((exact + shift) * weight);
        points.columns.iter_mut().zip(&values).for_each(|(c, v)| c.push(v * weight));
    }

    /// The middle of the admissible values relative to an exact value, and the factor from a distance to an error.
    fn window(&self, exact: f64) -> (f64, f64) {
        let unit = self.reference.at(exact).max(f64::MIN_POSITIVE);
        let Some(error) = self.limited else { return (0.0, 1.0 / unit) };
        let (low, high) = ((-error * unit).max(LIMIT_MARGIN * error * unit - self.shortfall), error * unit);
        (0.5 * (high + low), error / (0.5 * (high - low)))
    }

    /// The same equation with errors in both directions alike.
    pub fn unlimited(&self) -> Problem {
        Problem { limited: None, ..self.clone() }
    }

    pub fn coefficients(&self, choice: &Choice) -> Vec<f64> {
        let mut all = vec![0.0; self.terms.len()];
        choice.kept.iter().zip(&choice.fit.coefficients).for_each(|(&k, b)| all[k] = *b);
        all
    }
}

/// The exact equations with numeric parameters.
pub(super) fn equations(m: &Model<f64>, options: &SimplifyOptions, deadline: Deadline) -> Result<Equations> {
    let closed = ClosedOptions {
        parameters: Parameters::Numeric,
        trigonometry: Trigonometry::Shortest,
        // Guaranteed bounds are those of the parameters as written.
        exact: options.guaranteed,
        budget: deadline.left(),
        ..ClosedOptions::default()
    };
    closed_form(m, &closed).map_err(|e| match e {
        ClosedError::TooSlow { budget } => Error::InvalidInput(format!(
            "the budget of {:.3} s ended before the exact equations were derived; increase it",
            budget.as_secs_f64()
        )),
        e => Error::InvalidInput(e.to_string()),
    })
}

/// The coefficients to simplify.
pub(super) fn coefficients(n: usize, options: &SimplifyOptions) -> Vec<Coefficient> {
    let selected = |i: &usize| options.dofs.is_empty() || options.dofs.contains(i);
    let each = (0..n).filter(selected);
    match options.target {
        Target::Inertia => each.map(|i| Coefficient::Inertia(i, i)).collect(),
        Target::Gravity => each.map(Coefficient::Gravity).collect(),
        Target::Torque => each.map(Coefficient::Torque).collect(),
        Target::Coupling => {
            let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
            pairs.filter(|(i, j)| selected(i) || selected(j)).map(|(i, j)| Coefficient::Inertia(i, j)).collect()
        }
    }
}

/// The terms of an exact coefficient.
pub(super) fn expansion(e: &Equations, coefficient: Coefficient) -> Vec<Term> {
    let n = e.size();
    match coefficient {
        Coefficient::Inertia(i, j) => terms::expand(&e.inertia(i, j).written, 1.0, Motion::Rest),
        Coefficient::Gravity(i) => terms::expand(&e.gravity(i).written, 1.0, Motion::Rest),
        Coefficient::Torque(i) => {
            let mut all = terms::expand(&e.gravity(i).written, 1.0, Motion::Rest);
            for j in 0..n {
                all.extend(terms::expand(&e.inertia(i, j).written, 1.0, Motion::Acceleration(j)));
                for k in j..n {
                    // Two different speeds count twice.
                    let twice = if j == k { 1.0 } else { 2.0 };
                    all.extend(terms::expand(&e.velocity(i, j, k).written, twice, Motion::Speeds(j, k)));
                }
            }
            all
        }
    }
}

/// The ranges of q, q̇, q̈.
pub(super) fn ranges(m: &Model<f64>, domain: Domain, options: &SimplifyOptions) -> Result<Vec<Interval>> {
    let n = m.nv();
    let zero = vec![Interval::point(0.0); n];
    match domain {
        Domain::Trajectory(t) => {
            let hull = |values: &[f64], i: usize| {
                let own = values.iter().skip(i).step_by(n).map(|x| Interval::point(*x));
                own.reduce(Interval::hull).unwrap_or(Interval::point(0.0))
            };
            Ok([&t.q, &t.qd, &t.qdd].into_iter().flat_map(|x| (0..n).map(move |i| hull(x, i))).collect())
        }
        Domain::Ranges(ranges) if options.target != Target::Torque => {
            Ok([ranges.intervals().to_vec(), zero.clone(), zero].concat())
        }
        Domain::Ranges(ranges) => {
            let symmetric = |x: &f64| Interval::new(-x.abs(), x.abs());
            let limits: Vec<f64> = m.limits().iter().map(|l| l.speed).collect();
            let names = |missing: &dyn Fn(usize) -> bool| {
                (0..n).filter(|&i| missing(i)).map(|i| m.dof_names()[i].clone()).collect::<Vec<_>>()
            };
            let speeds = options.speeds.as_ref().unwrap_or(&limits);
            let missing = names(&|i| !speeds[i].is_finite());
            if !missing.is_empty() {
                return Err(Error::NoLimit { limit: Limit::Speed, joints: missing });
            }
            let Some(accelerations) = &options.accelerations else {
                return Err(Error::NoLimit { limit: Limit::Acceleration, joints: names(&|_| true) });
            };
            let rates = speeds.iter().chain(accelerations).map(|x| symmetric(x).unwrap_or(Interval::NAN));
            Ok(ranges.intervals().iter().copied().chain(rates).collect())
        }
    }
}

/// The states of a trajectory.
pub(super) fn along(t: &Trajectory) -> impl Iterator<Item = Vec<f64>> + '_ {
    (0..t.len()).map(|k| t.state(k).concat())
}

/// The indices of q, q̇, q̈ that the terms depend on.
fn active(n: usize, terms: &[Term]) -> Vec<usize> {
    let mut used = vec![false; 3 * n];
    for t in terms {
        for atom in t.powers.keys() {
            match atom {
                Atom::Length(i) => used[*i] = true,
                Atom::Sin(a) | Atom::Cos(a) => a.parts().for_each(|(joint, _)| used[joint] = true),
            }
        }
        match t.motion {
            Motion::Rest => {}
            Motion::Acceleration(j) => used[2 * n + j] = true,
            Motion::Speeds(j, k) => {
                used[n + j] = true;
                used[n + k] = true;
            }
        }
    }
    (0..3 * n).filter(|&i| used[i]).collect()
}
