//! Reduction of one equation: terms are selected at points, the error is searched everywhere, and the states of maximum error
//! become points, until the error is within the bound.

use super::deadline::Deadline;
use super::error_search::{Peak, peaks, states, uniform};
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
    /// States for the statistics of the terms.
    pub states: Vec<Vec<f64>>,
    pub finished: bool,
}

/// Reduces one equation.
pub(super) fn reduce(problem: Problem, domain: Domain, options: &SimplifyOptions, deadline: Deadline) -> Reduced {
    let m = problem.terms.len();
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
    let (mut coefficients, mut bound) = (problem.exact.clone(), options.guaranteed.then_some(0.0));
    let mut finished = false;
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
            (coefficients, bound, finished) = (problem.exact.clone(), options.guaranteed.then_some(0.0), complete);
            break;
        }
        if let Domain::Trajectory(_) = domain {
            (coefficients, finished) = (problem.coefficients(&choice), complete);
            break;
        }
        let Some(b) = refined(&problem, choice, &mut points, &fresh, allowed, deadline) else { continue };
        let found = accuracy(&problem, &b, &fresh, domain, None);
        if found.maximum > options.error {
            problem.add(&mut points, &[&found.at.q[..], &found.at.qd, &found.at.qdd].concat());
            continue;
        }
        let (Domain::Ranges(ranges), true) = (domain, options.guaranteed) else {
            (coefficients, finished) = (b, complete);
            break;
        };
        // Half of the remaining time; the rest is for a closer fit.
        let result = error_bound::error_bound(&problem, &b, found.maximum, ranges, options, deadline.part(2));
        if result.bound <= options.error {
            (coefficients, bound, finished) = (b, Some(result.bound), complete);
            break;
        }
        match result.at {
            Some(at) if problem.error(&b, &at) > options.error => problem.add(&mut points, &at),
            _ => {
                // Not guaranteed in time: try a closer fit.
                allowed *= (options.error / result.bound).clamp(0.5, 0.9);
                (coefficients, bound) = (b, Some(result.bound).filter(|bound| *bound < 1.0));
            }
        }
    }
    let accuracy = accuracy(&problem, &coefficients, &fresh, domain, bound);
    let states = match domain {
        Domain::Ranges(_) => states(&problem, 4000, options.seed),
        Domain::Trajectory(_) => fresh,
    };
    Reduced { problem, coefficients, accuracy, states, finished }
}

/// Refits coefficients with the states of maximum error among the points until the errors agree with the fit; `None` if they
/// exceed `allowed`.
fn refined(
    problem: &Problem,
    mut choice: Choice,
    points: &mut Points,
    fresh: &[Vec<f64>],
    allowed: f64,
    deadline: Deadline,
) -> Option<Vec<f64>> {
    let mut best: Option<(f64, Vec<f64>)> = None;
    for _ in 0..10 {
        if deadline.over() && best.is_some() {
            break;
        }
        let b = problem.coefficients(&choice);
        let found = peaks(problem, &b, &starts(problem, &b, fresh), 12);
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

/// The states with the largest errors.
fn starts(problem: &Problem, b: &[f64], fresh: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut ranked: Vec<(f64, usize)> =
        fresh.par_iter().take(20_000).map(|x| problem.error(b, x)).zip(0..fresh.len().min(20_000)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().take(200).map(|(_, k)| fresh[k].clone()).collect()
}

fn accuracy(problem: &Problem, b: &[f64], fresh: &[Vec<f64>], domain: Domain, bound: Option<f64>) -> Accuracy {
    let mut errors: Vec<f64> = fresh.par_iter().map(|x| problem.error(b, x)).collect();
    let at = (0..errors.len()).max_by(|&i, &j| errors[i].total_cmp(&errors[j]));
    let mut maximum = at
        .map(|k| Peak { error: errors[k], at: fresh[k].clone() })
        .unwrap_or(Peak { error: 0.0, at: vec![0.0; problem.ranges.len()] });
    if let (Domain::Ranges(_), true) = (domain, maximum.error > 0.0) {
        let found = peaks(problem, b, &starts(problem, b, fresh), 48).swap_remove(0);
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
