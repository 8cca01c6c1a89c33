//! Reduction of one equation: terms are selected at points, the error is searched everywhere, and the states of maximum error
//! become points, until the error is within the bound.

use super::deadline::Deadline;
use super::error_search::{ErrorSearch, Peak, states, uniform};
use super::problem::{Problem, along};
use super::select::{Choice, Points};
use super::{Accuracy, Domain, SimplifyOptions, error_bound};
use crate::State;
use rayon::prelude::*;

/// A reduced equation.
pub(super) struct Reduced {
    pub problem: Problem,
    /// Coefficient of each term; 0 if dropped.
    pub coefficients: Vec<f64>,
    pub accuracy: Accuracy,
    /// Whether it is guaranteed that the value is too small by no more than the shortfall.
    pub within_shortfall: bool,
    /// States for the statistics of the terms.
    pub states: Vec<Vec<f64>>,
    pub finished: bool,
}

impl Reduced {
    /// Whether the error is guaranteed to be within the requested one.
    pub fn guaranteed(&self, options: &SimplifyOptions) -> bool {
        self.accuracy.bound.is_some_and(|bound| bound <= options.error)
    }

    /// Whether nothing was dropped.
    pub fn is_exact(&self) -> bool {
        self.coefficients == self.problem.exact
    }
}

/// Climbs of a search during the fit.
const CLIMBS: usize = 24;
/// Climbs of the final search.
const FINAL_CLIMBS: usize = 48;

/// Reduces one equation.
pub(super) fn reduce(problem: Problem, domain: Domain, options: &SimplifyOptions, deadline: Deadline) -> Reduced {
    let m = problem.terms.len();
    let search = ErrorSearch::new(&problem, options.seed);
    let mut points = Points { columns: vec![vec![]; m], y: vec![] };
    let fresh: Vec<Vec<f64>> = match domain {
        Domain::Ranges(_) => {
            states(&problem, (8 * m).max(2000), options.seed).iter().for_each(|x| problem.add(&mut points, x));
            uniform(&problem, options.samples, options.seed ^ 0x5eed)
        }
        Domain::Trajectory(t) => {
            let all: Vec<Vec<f64>> = along(t).collect();
            all.iter().for_each(|x| problem.add(&mut points, x));
            all
        }
    };
    let (mut minimum_terms, mut allowed) = (0, options.error);
    // Without a simpler equation it stays exact.
    let exact = || (problem.exact.clone(), options.guaranteed.then_some(0.0));
    let ((mut coefficients, mut bound), mut within_shortfall) = (exact(), true);
    let (mut finished, mut known) = (false, None);
    for _ in 0..200 {
        if deadline.over() {
            break;
        }
        // A third of the remaining time for the selection; if it ends early, its best result so far is evaluated.
        let selection = deadline.part(3);
        let choice = points.fewest(allowed, minimum_terms, selection);
        let complete = !selection.over();
        let Some(choice) = choice else {
            finished = complete;
            break;
        };
        minimum_terms = choice.kept.len();
        if minimum_terms >= exact_terms(&problem) {
            ((coefficients, bound), within_shortfall, finished) = (exact(), true, complete);
            break;
        }
        let Domain::Ranges(ranges) = domain else {
            (coefficients, within_shortfall, finished) = (problem.coefficients(&choice), false, complete);
            break;
        };
        let Some(b) = refined(&problem, choice, &mut points, &search, allowed, deadline) else { continue };
        let worst = search.peaks(&problem, &b, FINAL_CLIMBS).swap_remove(0);
        if worst.error > options.error {
            problem.add(&mut points, &worst.at);
            continue;
        }
        if !options.guaranteed {
            let found = accuracy(&problem.unlimited(), &b, &fresh, &search, domain, None);
            if found.maximum > options.error {
                problem.add(&mut points, &[&found.at.q[..], &found.at.qd, &found.at.qdd].concat());
                continue;
            }
            (coefficients, within_shortfall, finished, known) = (b, false, complete, Some(found));
            break;
        }
        let maximum = match problem.limited {
            Some(_) => search.peaks(&problem.unlimited(), &b, CLIMBS)[0].error,
            None => worst.error,
        };
        // Half of the remaining time; the rest is for a closer fit.
        let result = error_bound::error_bound(&problem, &b, maximum, ranges, options, deadline.part(2));
        if result.bound <= options.error {
            within_shortfall = error_bound::within_shortfall(&problem, &b, ranges, options, deadline.part(2));
            (coefficients, bound, finished) = (b, Some(result.bound), complete);
            break;
        }
        match result.at {
            Some(at) if problem.error(&b, &at) > options.error => problem.add(&mut points, &at),
            _ => {
                // Not guaranteed in time: try a closer fit.
                allowed *= (options.error / result.bound).clamp(0.5, 0.9);
                (coefficients, bound, within_shortfall) = (b, Some(result.bound).filter(|bound| *bound < 1.0), false);
            }
        }
    }
    let accuracy =
        known.unwrap_or_else(|| accuracy(&problem.unlimited(), &coefficients, &fresh, &search, domain, bound));
    let states = match domain {
        Domain::Ranges(_) => states(&problem, 4000, options.seed),
        Domain::Trajectory(_) => fresh,
    };
    Reduced { problem, coefficients, accuracy, within_shortfall, states, finished }
}

/// Refits coefficients with the states of maximum error among the points until the errors agree with the fit; `None` if they
/// exceed `allowed`.
fn refined(
    problem: &Problem,
    mut choice: Choice,
    points: &mut Points,
    search: &ErrorSearch,
    allowed: f64,
    deadline: Deadline,
) -> Option<Vec<f64>> {
    let mut best: Option<(f64, Vec<f64>)> = None;
    for _ in 0..10 {
        if deadline.over() && best.is_some() {
            break;
        }
        let b = problem.coefficients(&choice);
        let found = search.peaks(problem, &b, CLIMBS);
        let maximum = found[0].error;
        found.iter().for_each(|p| problem.add(points, &p.at));
        if best.as_ref().is_none_or(|best| maximum < best.0) {
            best = Some((maximum, b));
        }
        if maximum <= choice.fit.error * 1.001 {
            break;
        }
        choice = points.fit(&choice.kept, allowed)?;
    }
    best.filter(|best| best.0 <= allowed).map(|best| best.1)
}

fn exact_terms(problem: &Problem) -> usize {
    problem.exact.iter().filter(|a| **a != 0.0).count()
}

fn accuracy(
    problem: &Problem,
    b: &[f64],
    fresh: &[Vec<f64>],
    search: &ErrorSearch,
    domain: Domain,
    bound: Option<f64>,
) -> Accuracy {
    let mut errors: Vec<f64> = fresh.par_iter().map(|x| problem.error(b, x)).collect();
    let at = (0..errors.len()).max_by(|&i, &j| errors[i].total_cmp(&errors[j]));
    let mut maximum = at
        .map(|k| Peak { error: errors[k], at: fresh[k].clone() })
        .unwrap_or(Peak { error: 0.0, at: vec![0.0; problem.ranges.len()] });
    if let (Domain::Ranges(_), true) = (domain, maximum.error > 0.0) {
        let found = search.peaks(problem, b, FINAL_CLIMBS).swap_remove(0);
        if found.error > maximum.error {
            maximum = found;
        }
    }
    errors.sort_by(f64::total_cmp);
    let n = problem.ranges.len() / 3;
    let part = |k: usize| maximum.at[k * n..(k + 1) * n].to_vec();
    Accuracy {
        relative_to: problem.reference,
        samples: errors.len(),
        mean: errors.iter().sum::<f64>() / errors.len().max(1) as f64,
        p95: errors.get(errors.len() * 95 / 100).copied().unwrap_or(0.0),
        maximum: maximum.error,
        at: State { t: None, q: part(0), qd: part(1), qdd: part(2) },
        bound,
    }
}
