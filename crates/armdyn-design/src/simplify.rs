//! Simplified equations: the fewest terms with an error below a bound.
//!
//! Bejczy 1974, section VII.D, made systematic. A coefficient is written exactly in as few terms as the closed form has; then
//! terms are dropped, the coefficients of the others are fitted to minimise the maximum error, and the fewest terms within the
//! bound are kept. The error is
//!
//! * of Dᵢᵢ: relative to its value, at every configuration;
//! * of Dᵢⱼ, gravity and torque, which cross zero: relative to the maximum within the joint ranges, or to the effort limit.
//!
//! *Sampled*: the maximum error that a search finds. *Guaranteed*: a bound by interval arithmetic. A simplified mass matrix stays
//! positive definite, sampled or guaranteed likewise.
//!
//! Deviations from the report: it drops terms without refitting the others, and evaluates the error at a few configurations.

mod deadline;
mod definite;
mod error_bound;
mod error_search;
mod formula;
mod minimax;
mod problem;
mod reduce;
mod select;
mod terms;

pub use definite::{MassMatrix, PositiveDefinite};
pub use terms::{Atom, Motion, Powers, Term};

use armdyn_core::{Model, Progress};
use armdyn_numerics::{JointRanges, Result, Trajectory, invalid};
use armdyn_symbolic::{Count, Equations, Program};
use deadline::Deadline;
use definite::{Element, keep_definite};
use serde::{Serialize, Serializer};
use std::time::Duration;
use terms::Basis;

/// The equations to simplify.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Dᵢᵢ: the inertia of each joint, including the drive.
    Inertia,
    /// Dᵢⱼ: the coupling inertia of two joints.
    Coupling,
    /// Dᵢ: gravity.
    Gravity,
    /// τ without friction.
    Torque,
}

/// The coefficient of a formula; degrees of freedom are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coefficient {
    /// Dᵢⱼ.
    Inertia(usize, usize),
    /// Dᵢ.
    Gravity(usize),
    /// τᵢ.
    Torque(usize),
}

impl Coefficient {
    /// `D11`, `D1`, `tau1`, counted from 1.
    pub fn name(self) -> String {
        match self {
            Coefficient::Inertia(i, j) if i.max(j) >= 9 => format!("D{},{}", i + 1, j + 1),
            Coefficient::Inertia(i, j) => format!("D{}{}", i + 1, j + 1),
            Coefficient::Gravity(i) => format!("D{}", i + 1),
            Coefficient::Torque(i) => format!("tau{}", i + 1),
        }
    }
}

/// The reference of relative errors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "value")]
pub enum ErrorReference {
    /// The value itself, at each configuration.
    Value,
    /// The maximum magnitude found, never above the true one.
    Maximum(f64),
    /// The effort limit of the drive.
    Effort(f64),
}

impl ErrorReference {
    /// The unit of an error at a value.
    fn at(self, value: f64) -> f64 {
        match self {
            ErrorReference::Value => value.abs(),
            ErrorReference::Maximum(x) | ErrorReference::Effort(x) => x,
        }
    }
}

/// The states for which a simplified model must hold.
#[derive(Clone, Copy, Debug)]
pub enum Domain<'a> {
    /// All configurations within joint ranges.
    Ranges(&'a JointRanges),
    /// The samples of a trajectory.
    Trajectory(&'a Trajectory),
}

/// Options of [`simplify`].
#[derive(Clone, Debug)]
pub struct SimplifyOptions {
    /// The equations to simplify.
    pub target: Target,
    /// Maximum relative error, such as 0.05.
    pub error: f64,
    /// Whether to compute guaranteed bounds of the error.
    pub guaranteed: bool,
    /// Whether errors of gravity and torque are relative to the effort limits.
    pub of_effort: bool,
    /// Maximum speeds for torques within joint ranges \[rad/s, m/s\]; by default the robot's limits.
    pub speeds: Option<Vec<f64>>,
    /// Maximum accelerations for torques within joint ranges \[rad/s², m/s²\].
    pub accelerations: Option<Vec<f64>>,
    /// Degrees of freedom to simplify; all if empty.
    pub dofs: Vec<usize>,
    /// Number of states for the error statistics.
    pub samples: usize,
    /// Seed of the states.
    pub seed: u64,
    /// Maximum time of search and bounds.
    pub budget: Duration,
}

impl Default for SimplifyOptions {
    fn default() -> Self {
        SimplifyOptions {
            target: Target::Inertia,
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

/// A term of the exact equation, kept or dropped.
#[derive(Clone, Debug, Serialize)]
pub struct FormulaTerm {
    /// The term without its coefficient, in Unicode.
    pub term: String,
    /// Exact coefficient; 0 for a constant that the exact equation does not have.
    pub exact: f64,
    /// Coefficient in the simplified equation; none if dropped.
    pub coefficient: Option<f64>,
    /// Half of the range of its values, in the unit of the formula.
    pub half_range: f64,
    /// Maximum magnitude relative to the reference of errors.
    pub maximum_fraction: f64,
    /// Whether the exact coefficient depends on a payload.
    pub depends_on_payload: bool,
    /// The term with its exact coefficient.
    #[serde(skip)]
    pub symbolic: Term,
}

impl FormulaTerm {
    /// The term with its coefficient in the simplified equation; none if dropped.
    fn fitted(&self) -> Option<Term> {
        self.coefficient.map(|coefficient| Term { coefficient, ..self.symbolic.clone() })
    }
}

/// Error of a simplified equation relative to the exact one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// The reference of errors.
    pub relative_to: ErrorReference,
    /// Number of states.
    pub samples: usize,
    /// Mean error.
    pub mean: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Maximum error found.
    pub maximum: f64,
    /// Its state.
    pub at: crate::State,
    /// Guaranteed bound of the error over the joint ranges, if one was found. It can exceed the requested error if time ran out.
    pub bound: Option<f64>,
}

/// Operation counts of an equation with common factors extracted.
#[derive(Clone, Debug, Serialize)]
pub struct Operations {
    /// Exact equation.
    #[serde(serialize_with = "count")]
    pub exact: Count,
    /// Simplified equation.
    #[serde(serialize_with = "count")]
    pub simplified: Count,
}

fn count<S: Serializer>(count: &Count, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Fields<'a> {
        mul: usize,
        add: usize,
        trig: &'a [String],
    }
    Fields { mul: count.mul, add: count.add, trig: &count.trig }.serialize(serializer)
}

/// A simplified equation.
#[derive(Clone, Debug, Serialize)]
pub struct Formula {
    /// Name of the coefficient: `D11`, `D1`, `tau1`.
    pub name: String,
    /// The coefficient.
    #[serde(skip)]
    pub coefficient: Coefficient,
    /// Its joint, or both joints of a coupling.
    pub joint: String,
    /// Its unit.
    pub unit: &'static str,
    /// Right side in Unicode.
    pub formula: String,
    /// Right side in LaTeX.
    pub latex: String,
    /// Both sides in MathML.
    #[serde(skip)]
    pub mathml: String,
    /// Number of terms of the exact equation.
    pub exact_terms: usize,
    /// Terms kept, largest first.
    pub kept: Vec<FormulaTerm>,
    /// Terms dropped, largest first.
    pub dropped: Vec<FormulaTerm>,
    /// Error relative to the exact equation.
    pub error: Accuracy,
    /// Operation counts.
    pub operations: Operations,
    /// Whether the search for the fewest terms finished in time.
    pub finished: bool,
    /// Whether the error is guaranteed to be within the requested one.
    pub guaranteed: bool,
    /// Whether the error was limited further, so that the simplified mass matrix stays positive definite.
    pub limited: bool,
}

impl Formula {
    /// All terms, kept ones first.
    pub fn terms(&self) -> impl Iterator<Item = &FormulaTerm> {
        self.kept.iter().chain(&self.dropped)
    }

    /// The kept terms with their new coefficients.
    pub fn expression(&self) -> Vec<Term> {
        self.kept.iter().filter_map(FormulaTerm::fitted).collect()
    }

    /// The value at a state.
    pub fn evaluate(&self, q: &[f64], qd: &[f64], qdd: &[f64]) -> f64 {
        let terms = self.expression();
        let values = Basis::new(q.len(), &terms).values(&[q, qd, qdd].concat());
        values.iter().zip(&terms).map(|(v, t)| v * t.coefficient).sum()
    }
}

/// Simplified equations of a robot.
#[derive(Clone, Debug, Serialize)]
pub struct Simplified {
    /// The robot.
    pub robot: String,
    /// Its degrees of freedom.
    pub joints: Vec<String>,
    /// The simplified equations.
    pub target: Target,
    /// Requested maximum error.
    pub error: f64,
    /// Whether guaranteed bounds were requested.
    pub guaranteed: bool,
    /// `ranges` or `trajectory`.
    pub domain: &'static str,
    /// Whether the work ended early, by the budget or cancelled.
    pub partial: bool,
    /// Coefficients that were not started in time.
    pub not_started: Vec<String>,
    /// The formulas; coefficients that vanish have none.
    pub formulas: Vec<Formula>,
    /// The simplified mass matrix, for inertia and coupling.
    pub mass_matrix: Option<MassMatrix>,
    /// The exact equations.
    #[serde(skip)]
    pub equations: Equations,
}

/// Simplifies the equations of a robot.
pub fn simplify(m: &Model<f64>, domain: Domain, options: &SimplifyOptions, progress: &Progress) -> Result<Simplified> {
    if !(options.error > 0.0 && options.error < 1.0) {
        return invalid(format!("invalid error `{}`: expected a fraction between 0 and 1", options.error));
    }
    if options.guaranteed && matches!(domain, Domain::Trajectory(_)) {
        return invalid("errors along a trajectory are known at its samples only; guaranteed bounds need joint ranges");
    }
    let ranges = problem::ranges(m, domain, options)?;
    progress.report("deriving the exact equations", 0.0);
    let deadline = Deadline::new(progress, options.budget);
    let equations = problem::equations(m, options, deadline)?;
    let unloaded =
        (!m.payloads().is_empty()).then(|| problem::equations(&m.without_payloads(), options, deadline)).transpose()?;
    let coefficients = problem::coefficients(m.nv(), options).into_iter().enumerate();
    let mut all: Vec<(usize, Coefficient, Vec<Term>)> =
        coefficients.map(|(place, c)| (place, c, problem::expansion(&equations, c))).collect();
    all.retain(|(_, _, exact)| !exact.is_empty());
    // The shortest first: they finish soon and leave their time to the others.
    all.sort_by_key(|(place, _, exact)| (exact.len(), *place));
    let (mut elements, mut missing, count) = (vec![], vec![], all.len());
    for (k, (place, coefficient, exact)) in all.into_iter().enumerate() {
        if deadline.over() {
            missing.push((place, coefficient.name()));
            continue;
        }
        progress.report(&format!("simplifying {}", coefficient.name()), k as f64 / count as f64);
        let problem = problem::Problem::new(m, coefficient, exact, &ranges, domain, options)?;
        let mut reduced = reduce::reduce(problem, domain, options, deadline.part(count - k));
        if reduced.guaranteed(options) && !reduced.within_shortfall {
            let problem = problem::Problem { limited: Some(options.error), ..reduced.problem.clone() };
            let limited = reduce::reduce(problem, domain, options, deadline.part(count - k));
            if limited.guaranteed(options) && limited.within_shortfall {
                reduced = limited;
            }
        }
        elements.push((place, Element { reduced, error: options.error }));
    }
    elements.sort_by_key(|e| e.0);
    missing.sort_by_key(|m| m.0);
    let mass_matrix = matches!(options.target, Target::Inertia | Target::Coupling).then(|| {
        let mut elements: Vec<&mut Element> = elements.iter_mut().map(|e| &mut e.1).collect();
        keep_definite(m, &mut elements, domain, options, deadline)
    });
    let formula = |element: Element| {
        let coefficient = element.reduced.problem.coefficient;
        let unloaded = unloaded.as_ref().map(|e| problem::expansion(e, coefficient));
        formula::formula(m, &equations, element, unloaded.as_deref(), options)
    };
    let formulas: Vec<Formula> = elements.into_iter().map(|e| formula(e.1)).collect();
    Ok(Simplified {
        robot: m.name().to_string(),
        joints: m.dof_names().to_vec(),
        target: options.target,
        error: options.error,
        guaranteed: options.guaranteed,
        domain: if matches!(domain, Domain::Ranges(_)) { "ranges" } else { "trajectory" },
        partial: progress.cancelled() || !missing.is_empty() || formulas.iter().any(|f| !f.finished),
        not_started: missing.into_iter().map(|m| m.1).collect(),
        formulas,
        mass_matrix,
        equations,
    })
}

impl Simplified {
    /// Gravity, torque, or the mass matrix as a program; elements that were not simplified are exact.
    pub fn program(&self, m: &Model<f64>) -> Program {
        formula::program(self, m)
    }
}
