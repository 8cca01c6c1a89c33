//! One equation to be simplified: its exact terms, where it is looked at, and what its errors are relative to.

use super::deadline::Deadline;
use super::select::{Choice, Points};
use super::terms::{self, Atom, Basis, Motion, Powers, Term};
use super::worst::{peaks, states};
use super::{Of, Over, Relative, SimplifyOptions, What};
use armdyn_core::{Interval, Model};
use armdyn_numerics::{Error, Limit, Result, Trajectory};
use armdyn_symbolic::closed::{ClosedError, ClosedOptions, Parameters, Trigonometry};
use armdyn_symbolic::{Equations, closed_form};

/// One equation to be simplified.
pub(super) struct Case {
    pub of: Of,
    /// The terms; some may have a coefficient of zero.
    pub terms: Vec<Term>,
    pub exact: Vec<f64>,
    pub basis: Basis,
    pub relative: Relative,
    /// The range of each of q, q̇, q̈.
    pub ranges: Vec<Interval>,
    /// Which of them it depends on.
    pub active: Vec<usize>,
}

impl Case {
    /// Of a coefficient's exact terms.
    pub fn new(
        m: &Model<f64>,
        of: Of,
        mut terms: Vec<Term>,
        ranges: &[Interval],
        over: Over,
        options: &SimplifyOptions,
    ) -> Result<Case> {
        let n = m.nv();
        // A constant takes up the means of what is dropped.
        if !terms.iter().any(|t| t.powers.is_empty() && t.motion == Motion::Rest) && !matches!(of, Of::Torque(_)) {
            terms.push(Term { coefficient: 0.0, powers: Powers::new(), motion: Motion::Rest });
        }
        let basis = Basis::new(n, &terms);
        let exact = terms.iter().map(|t| t.coefficient).collect();
        let active = active(n, &terms).into_iter().filter(|&i| ranges[i].width() > 0.0).collect();
        let mut case =
            Case { of, terms, exact, basis, relative: Relative::Largest(1.0), ranges: ranges.to_vec(), active };
        let dof = match of {
            Of::Inertia(i, _) | Of::Gravity(i) | Of::Torque(i) => i,
        };
        case.relative = match of {
            Of::Inertia(i, j) if i == j => Relative::Value,
            Of::Gravity(_) | Of::Torque(_) if options.of_effort => match m.limits()[dof].effort {
                x if x.is_finite() && x > 0.0 => Relative::Effort(x),
                _ => return Err(Error::NoLimit { limit: Limit::Effort, joints: vec![m.dof_names()[dof].clone()] }),
            },
            _ => {
                let none = vec![0.0; case.terms.len()];
                let largest = match over {
                    Over::Box(_) => peaks(&case, &none, &states(&case, 4000, options.seed), 12)[0].error,
                    Over::Trajectory(t) => along(t).map(|x| case.error(&none, &x)).fold(0.0, f64::max),
                };
                // Zero wherever one looks: nothing to be relative to.
                Relative::Largest(if largest > 0.0 { largest } else { 1.0 })
            }
        };
        Ok(case)
    }

    /// The relative error of coefficients at a state.
    pub fn error(&self, coefficients: &[f64], x: &[f64]) -> f64 {
        let values = self.basis.values(x);
        let (mut exact, mut off) = (0.0, 0.0);
        for ((v, a), b) in values.iter().zip(&self.exact).zip(coefficients) {
            exact += a * v;
            off += (b - a) * v;
        }
        off.abs() / self.relative.to(exact).max(f64::MIN_POSITIVE)
    }

    /// The columns of the terms at a state, weighted.
    pub fn add(&self, points: &mut Points, x: &[f64]) {
        let values = self.basis.values(x);
        let exact: f64 = values.iter().zip(&self.exact).map(|(v, a)| v * a).sum();
        let weight = 1.0 / self.relative.to(exact).max(f64::MIN_POSITIVE);
        points.y.push(exact * weight);
        points.columns.iter_mut().zip(&values).for_each(|(c, v)| c.push(v * weight));
    }

    pub fn coefficients(&self, choice: &Choice) -> Vec<f64> {
        let mut all = vec![0.0; self.terms.len()];
        choice.kept.iter().zip(&choice.fit.coefficients).for_each(|(&k, b)| all[k] = *b);
        all
    }
}

/// The exact equations, in numbers.
pub(super) fn written(m: &Model<f64>, options: &SimplifyOptions, deadline: Deadline) -> Result<Equations> {
    let closed = ClosedOptions {
        parameters: Parameters::Numeric,
        trigonometry: Trigonometry::Shortest,
        // What is proven is proven of the robot as it is written.
        exact: options.guaranteed,
        patience: deadline.left(),
        ..ClosedOptions::default()
    };
    closed_form(m, &closed).map_err(|e| match e {
        ClosedError::TooSlow { patience } => Error::InvalidInput(format!(
            "the time was over before the equations were written out ({:.3} s for that): give it more",
            patience.as_secs_f64()
        )),
        e => Error::InvalidInput(e.to_string()),
    })
}

/// Which coefficients are asked for.
pub(super) fn coefficients(n: usize, options: &SimplifyOptions) -> Vec<Of> {
    let asked = |i: &usize| options.dofs.is_empty() || options.dofs.contains(i);
    let each = (0..n).filter(asked);
    match options.what {
        What::Inertia => each.map(|i| Of::Inertia(i, i)).collect(),
        What::Gravity => each.map(Of::Gravity).collect(),
        What::Torque => each.map(Of::Torque).collect(),
        What::Coupling => {
            let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
            pairs.filter(|(i, j)| asked(i) || asked(j)).map(|(i, j)| Of::Inertia(i, j)).collect()
        }
    }
}

/// The terms of an exact coefficient.
pub(super) fn expansion(e: &Equations, of: Of) -> Vec<Term> {
    let n = e.size();
    match of {
        Of::Inertia(i, j) => terms::expand(&e.inertia(i, j).written, 1.0, Motion::Rest),
        Of::Gravity(i) => terms::expand(&e.gravity(i).written, 1.0, Motion::Rest),
        Of::Torque(i) => {
            let mut all = terms::expand(&e.gravity(i).written, 1.0, Motion::Rest);
            for j in 0..n {
                all.extend(terms::expand(&e.inertia(i, j).written, 1.0, Motion::Acceleration(j)));
                for k in j..n {
                    // Both orders of two different speeds.
                    let twice = if j == k { 1.0 } else { 2.0 };
                    all.extend(terms::expand(&e.velocity(i, j, k).written, twice, Motion::Speeds(j, k)));
                }
            }
            all
        }
    }
}

/// The ranges of q, q̇, q̈.
pub(super) fn ranges(m: &Model<f64>, over: Over, options: &SimplifyOptions) -> Result<Vec<Interval>> {
    let n = m.nv();
    let still = vec![Interval::point(0.0); n];
    match over {
        Over::Trajectory(t) => {
            let hull = |values: &[f64], i: usize| {
                let own = values.iter().skip(i).step_by(n).map(|x| Interval::point(*x));
                own.reduce(Interval::hull).unwrap_or(Interval::point(0.0))
            };
            Ok([&t.q, &t.qd, &t.qdd].into_iter().flat_map(|x| (0..n).map(move |i| hull(x, i))).collect())
        }
        Over::Box(region) if options.what != What::Torque => {
            Ok([region.intervals().to_vec(), still.clone(), still].concat())
        }
        Over::Box(region) => {
            let both = |x: &f64| Interval::new(-x.abs(), x.abs());
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
            let rates = speeds.iter().chain(accelerations).map(|x| both(x).unwrap_or(Interval::NAN));
            Ok(region.intervals().iter().copied().chain(rates).collect())
        }
    }
}

/// The states of a trajectory.
pub(super) fn along(t: &Trajectory) -> impl Iterator<Item = Vec<f64>> + '_ {
    (0..t.len()).map(|k| t.state(k).concat())
}

/// Which of q, q̇, q̈ some terms depend on.
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
