//! Simplified equations: the fewest terms whose error is below a bound.
//!
//! Bejczy 1974, section VII.D, made systematic. A coefficient is written out exactly, in as few terms as the closed form finds,
//! which costs no error; then terms are dropped, the coefficients of those that stay are fitted anew so that the largest error
//! is the least, and the fewest that stay within the bound are kept. The error is
//!
//! * of Dᵢᵢ: relative, at every configuration;
//! * of Dᵢⱼ, gravity and torque, which cross zero: of the largest value in the box, or of the drive's effort.
//!
//! *Sampled*: the largest error is what a search over the box finds. *Guaranteed*: it is proven by intervals.
//!
//! Deviations from the report: it drops terms and keeps the coefficients of the rest; it takes the error at a few poses.

mod case;
mod deadline;
mod fewer;
mod formula;
mod mathml;
mod minimax;
mod proof;
mod select;
mod terms;
mod worst;

pub use terms::{Atom, Motion, Powers, Term};

use armdyn_core::{Model, Progress};
use armdyn_numerics::{Error, JointRanges, Result, Trajectory};
use armdyn_symbolic::{Count, Equations, Program};
use deadline::Deadline;
use std::time::Duration;
use terms::Basis;

/// What is to be simpler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Dᵢᵢ: the inertia that each drive moves, its own included.
    Inertia,
    /// Dᵢⱼ: the torque at a joint by another's acceleration.
    Coupling,
    /// Dᵢ: gravity.
    Gravity,
    /// τ itself, but for friction.
    Torque,
}

/// Which coefficient a formula is of; degrees of freedom from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// Dᵢⱼ.
    Inertia(usize, usize),
    /// Dᵢ.
    Gravity(usize),
    /// τᵢ.
    Torque(usize),
}

/// What an error is relative to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Relative {
    /// The value itself, wherever the robot is.
    Value,
    /// The largest value: as found, never more than the true one.
    Largest(f64),
    /// The drive's effort.
    Effort(f64),
}

impl Relative {
    /// The unit of an error at a value.
    fn to(self, value: f64) -> f64 {
        match self {
            Relative::Value => value.abs(),
            Relative::Largest(x) | Relative::Effort(x) => x,
        }
    }
}

/// Where a simplified model is to hold.
#[derive(Clone, Copy, Debug)]
pub enum Over<'a> {
    /// In a box of configurations.
    Box(&'a JointRanges),
    /// Along a motion.
    Trajectory(&'a Trajectory),
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct SimplifyOptions {
    /// What is to be simpler.
    pub what: What,
    /// The largest error, relative: 0.05 is 5 %.
    pub error: f64,
    /// Whether the error is to be proven, and not merely looked for.
    pub guaranteed: bool,
    /// Whether the errors of gravity and torque are of the drives' efforts.
    pub of_effort: bool,
    /// The largest speeds \[rad/s, m/s\], for torques in a box; the robot's limits where there are none.
    pub speeds: Option<Vec<f64>>,
    /// The largest accelerations \[rad/s², m/s²\], for torques in a box.
    pub accelerations: Option<Vec<f64>>,
    /// The degrees of freedom whose formulas are asked for; all if none.
    pub dofs: Vec<usize>,
    /// At how many states the error's statistics are taken.
    pub samples: usize,
    /// Which random states.
    pub seed: u64,
    /// How long all of it may take, proofs included: what is not done by then is told as it is.
    pub budget: Duration,
}

impl Default for SimplifyOptions {
    fn default() -> Self {
        SimplifyOptions {
            what: What::Inertia,
            error: 0.05,
            guaranteed: false,
            of_effort: false,
            speeds: None,
            accelerations: None,
            dofs: vec![],
            samples: 100_000,
            seed: 1,
            budget: Duration::from_secs(60),
        }
    }
}

/// A term of the exact equation, and what became of it.
#[derive(Clone, Debug)]
pub struct Part {
    /// The term, with its exact coefficient; 0 for the constant of an equation that has none.
    pub exact: Term,
    /// Its coefficient in the simplified equation; none if it was dropped.
    pub coefficient: Option<f64>,
    /// Half of what it varies by, in the unit of the formula.
    pub half_range: f64,
    /// Its largest share of what errors are relative to.
    pub share: f64,
    /// Whether its exact coefficient depends on a payload.
    pub of_payload: bool,
}

/// How far a simplified equation is from the exact one, relative.
#[derive(Clone, Debug, PartialEq)]
pub struct Accuracy {
    /// At how many states it was looked at.
    pub samples: usize,
    /// The mean error.
    pub mean: f64,
    /// What 95 % of the errors stay below.
    pub most: f64,
    /// The largest error found.
    pub worst: f64,
    /// Where: q, q̇, q̈.
    pub at: [Vec<f64>; 3],
    /// What the error can't exceed anywhere in the box, proven: below what was asked for, unless the time was over; none
    /// if nothing was proven.
    pub proven: Option<f64>,
}

/// A simplified equation.
#[derive(Clone, Debug)]
pub struct Formula {
    /// What it is of.
    pub of: Of,
    /// Every term, those that stay first, each by its worth.
    pub terms: Vec<Part>,
    /// What errors are relative to.
    pub relative: Relative,
    /// How far it is from the exact equation.
    pub accuracy: Accuracy,
    /// Operations of the exact equation, its common factors taken out.
    pub before: Count,
    /// Operations of the simplified one.
    pub after: Count,
    /// Whether its terms are the fewest that were looked for; if not, the time was over: it is as far as it came.
    pub finished: bool,
}

impl Formula {
    /// `D11`, `D1`, `tau1`: counted from 1.
    pub fn name(&self) -> String {
        formula::name(self.of)
    }

    /// Whether its error is proven to stay below this one.
    pub fn is_proven(&self, error: f64) -> bool {
        self.accuracy.proven.is_some_and(|bound| bound <= error)
    }

    /// How many terms the exact equation has.
    pub fn exact_terms(&self) -> usize {
        self.terms.iter().filter(|t| t.exact.coefficient != 0.0).count()
    }

    /// Its value at a state.
    pub fn evaluate(&self, q: &[f64], qd: &[f64], qdd: &[f64]) -> f64 {
        let kept = self.kept();
        let values = Basis::new(q.len(), &kept).values(&[q, qd, qdd].concat());
        values.iter().zip(&kept).map(|(v, t)| v * t.coefficient).sum()
    }

    /// The terms that stay, with their new coefficients.
    pub fn kept(&self) -> Vec<Term> {
        let fitted = |t: &Part| t.coefficient.map(|coefficient| Term { coefficient, ..t.exact.clone() });
        self.terms.iter().filter_map(fitted).collect()
    }
}

/// A robot's simplified equations.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// The formulas; what is zero wherever the robot is has none.
    pub formulas: Vec<Formula>,
    /// The exact equations that they come from.
    pub equations: Equations,
    /// What was asked for.
    pub what: What,
    /// What there was no time for.
    pub missing: Vec<Of>,
    /// Whether the work was ended early, by the budget or by whoever looked on.
    pub partial: bool,
}

/// Simplifies a robot's equations.
pub fn simplify(m: &Model<f64>, over: Over, options: &SimplifyOptions, progress: &Progress) -> Result<Simplified> {
    if !(options.error > 0.0 && options.error < 1.0) {
        return Err(Error::InvalidInput(format!(
            "an error of {} is none: it is a share between 0 and 1",
            options.error
        )));
    }
    if options.guaranteed && matches!(over, Over::Trajectory(_)) {
        let why = "nothing is proven along a trajectory, which is known at its samples alone: prove it over a box";
        return Err(Error::InvalidInput(why.to_string()));
    }
    let ranges = case::ranges(m, over, options)?;
    progress.report("writing the equations out", 0.0);
    let deadline = Deadline::new(progress, options.budget);
    let equations = case::written(m, options, deadline)?;
    let bare =
        (!m.payloads().is_empty()).then(|| case::written(&m.without_payloads(), options, deadline)).transpose()?;
    let mut all: Vec<(usize, Of, Vec<Term>)> = vec![];
    for (place, of) in case::coefficients(m.nv(), options).into_iter().enumerate() {
        let exact = case::expansion(&equations, of);
        if !exact.is_empty() {
            all.push((place, of, exact));
        }
    }
    // The shortest first, which are soon done and leave their share to the others.
    all.sort_by_key(|(place, _, exact)| (exact.len(), *place));
    let (mut formulas, mut missing, count) = (vec![], vec![], all.len());
    for (k, (place, of, exact)) in all.into_iter().enumerate() {
        if deadline.over() {
            missing.push((place, of));
            continue;
        }
        progress.report(&format!("simplifying {}", formula::name(of)), k as f64 / count as f64);
        let bare = bare.as_ref().map(|e| case::expansion(e, of));
        let case = case::Case::new(m, of, exact, &ranges, over, options)?;
        formulas.push((place, fewer::simpler(case, bare.as_deref(), over, options, deadline.part(count - k))));
    }
    formulas.sort_by_key(|f| f.0);
    missing.sort_by_key(|m| m.0);
    let formulas: Vec<Formula> = formulas.into_iter().map(|f| f.1).collect();
    let missing: Vec<Of> = missing.into_iter().map(|m| m.1).collect();
    let partial = progress.cancelled() || !missing.is_empty() || formulas.iter().any(|f| !f.finished);
    Ok(Simplified { formulas, equations, what: options.what, missing, partial })
}

impl Of {
    /// `D11`, `D1`, `tau1`: counted from 1.
    pub fn name(self) -> String {
        formula::name(self)
    }
}

impl Simplified {
    /// As a program: gravity, torque, or the mass matrix; of that, what was not simplified is exact.
    pub fn program(&self, m: &Model<f64>) -> Program {
        formula::program(self, m)
    }

    /// A formula's right side, in Unicode.
    pub fn unicode(&self, f: &Formula) -> String {
        formula::written(&self.equations, &f.kept(), formula::Style::Unicode)
    }

    /// A formula's right side, for LaTeX's math mode.
    pub fn latex(&self, f: &Formula) -> String {
        formula::written(&self.equations, &f.kept(), formula::Style::Latex)
    }

    /// A formula, both sides, in MathML.
    pub fn mathml(&self, f: &Formula) -> String {
        mathml::mathml(&self.equations, f.of, &f.kept())
    }

    /// A term by itself, without its coefficient, in Unicode.
    pub fn term(&self, t: &Term) -> String {
        formula::written(&self.equations, &[Term { coefficient: 1.0, ..t.clone() }], formula::Style::Unicode)
    }
}
