//! The simplified form of one equation: terms are chosen at points, looked at everywhere, and chosen again with the worst
//! states among the points, until the error holds.

use super::case::{Case, along};
use super::deadline::Deadline;
use super::formula::count;
use super::select::{Choice, Points};
use super::terms::Term;
use super::worst::{Peak, peaks, states, uniform};
use super::{Accuracy, Formula, Over, Part, SimplifyOptions, proof};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The simplified form of one equation.
pub(super) fn simpler(
    case: Case,
    unloaded: Option<&[Term]>,
    over: Over,
    options: &SimplifyOptions,
    deadline: Deadline,
) -> Formula {
    let m = case.terms.len();
    let mut points = Points { columns: vec![vec![]; m], y: vec![] };
    let fresh: Vec<Vec<f64>> = match over {
        Over::Box(_) => {
            states(&case, (8 * m).max(2000), options.seed).iter().for_each(|x| case.add(&mut points, x));
            uniform(&case, options.samples, options.seed ^ 0x5eed)
        }
        Over::Trajectory(t) => {
            let all: Vec<Vec<f64>> = along(t).collect();
            all.iter().for_each(|x| case.add(&mut points, x));
            all
        }
    };
    let (mut least, mut allowed) = (0, options.error);
    // Where nothing simpler is found, or in time, it stays as it is.
    let (mut coefficients, mut proven) = (case.exact.clone(), options.guaranteed.then_some(0.0));
    let mut finished = false;
    for _ in 0..200 {
        if deadline.over() {
            break;
        }
        // A third of what is left for the choice: where that ends the search for still fewer, what it has is looked at.
        let choosing = deadline.part(3);
        let choice = points.fewest(allowed, least, choosing);
        let whole = !choosing.over();
        let Some(choice) = choice else {
            finished = whole;
            break;
        };
        least = choice.kept.len();
        if least >= exact_terms(&case) {
            // What can't be proven of fewer terms is none of the exact ones.
            (coefficients, proven, finished) = (case.exact.clone(), options.guaranteed.then_some(0.0), whole);
            break;
        }
        if let Over::Trajectory(_) = over {
            (coefficients, finished) = (case.coefficients(&choice), whole);
            break;
        }
        let Some(b) = refined(&case, choice, &mut points, &fresh, allowed, deadline) else { continue };
        let seen = accuracy(&case, &b, &fresh, over, None);
        if seen.worst > options.error {
            case.add(&mut points, &seen.at.concat());
            continue;
        }
        let (Over::Box(region), true) = (over, options.guaranteed) else {
            (coefficients, finished) = (b, whole);
            break;
        };
        // Half of what is left: if it is not enough, a closer fit has the rest.
        let proof = proof::bound(&case, &b, seen.worst, region, options, deadline.part(2));
        if proof.bound <= options.error {
            (coefficients, proven, finished) = (b, Some(proof.bound), whole);
            break;
        }
        match proof.at {
            Some(at) if case.error(&b, &at) > options.error => case.add(&mut points, &at),
            _ => {
                // It may hold, but could not be proven in time: a closer fit can.
                allowed *= (options.error / proof.bound).clamp(0.5, 0.9);
                (coefficients, proven) = (b, Some(proof.bound).filter(|bound| *bound < 1.0));
            }
        }
    }
    let accuracy = accuracy(&case, &coefficients, &fresh, over, proven);
    let seen = match over {
        Over::Box(_) => states(&case, 4000, options.seed),
        Over::Trajectory(_) => fresh,
    };
    told(case, coefficients, unloaded, accuracy, &seen, finished)
}

/// Coefficients fitted again with the worst poses among the points, until those are no worse than the fit says; nothing if
/// that takes them beyond what is allowed.
fn refined(
    case: &Case,
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
        let b = case.coefficients(&choice);
        let found = peaks(case, &b, &starts(case, &b, fresh), 12);
        let worst = found[0].error;
        found.iter().for_each(|p| case.add(points, &p.at));
        if best.as_ref().is_none_or(|best| worst < best.0) {
            best = Some((worst, b));
        }
        if worst <= choice.fit.error * 1.001 {
            break;
        }
        choice = points.fit(&choice.kept, allowed)?;
    }
    best.filter(|best| best.0 <= allowed).map(|best| best.1)
}

fn exact_terms(case: &Case) -> usize {
    case.exact.iter().filter(|a| **a != 0.0).count()
}

/// The states with the largest errors.
fn starts(case: &Case, b: &[f64], fresh: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut rated: Vec<(f64, usize)> =
        fresh.par_iter().take(20_000).map(|x| case.error(b, x)).zip(0..fresh.len().min(20_000)).collect();
    rated.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    rated.into_iter().take(200).map(|(_, k)| fresh[k].clone()).collect()
}

fn accuracy(case: &Case, b: &[f64], fresh: &[Vec<f64>], over: Over, proven: Option<f64>) -> Accuracy {
    let mut errors: Vec<f64> = fresh.par_iter().map(|x| case.error(b, x)).collect();
    let at = (0..errors.len()).max_by(|&i, &j| errors[i].total_cmp(&errors[j]));
    let mut worst = at
        .map(|k| Peak { error: errors[k], at: fresh[k].clone() })
        .unwrap_or(Peak { error: 0.0, at: vec![0.0; case.ranges.len()] });
    if let (Over::Box(_), true) = (over, worst.error > 0.0) {
        let found = peaks(case, b, &starts(case, b, fresh), 48).swap_remove(0);
        if found.error > worst.error {
            worst = found;
        }
    }
    errors.sort_by(f64::total_cmp);
    let n = case.ranges.len() / 3;
    let part = |k: usize| worst.at[k * n..(k + 1) * n].to_vec();
    Accuracy {
        samples: errors.len(),
        mean: errors.iter().sum::<f64>() / errors.len().max(1) as f64,
        most: errors.get(errors.len() * 95 / 100).copied().unwrap_or(0.0),
        worst: worst.error,
        at: [part(0), part(1), part(2)],
        proven,
    }
}

/// Each term with what it is worth at some states.
fn told(
    case: Case,
    b: Vec<f64>,
    unloaded: Option<&[Term]>,
    accuracy: Accuracy,
    seen: &[Vec<f64>],
    finished: bool,
) -> Formula {
    let without: Option<BTreeMap<_, f64>> = unloaded.map(|all| all.iter().map(|t| (t.key(), t.coefficient)).collect());
    let mut worth = vec![(f64::INFINITY, f64::NEG_INFINITY, 0.0_f64); case.terms.len()];
    for x in seen {
        let values: Vec<f64> = case.basis.values(x).iter().zip(&case.exact).map(|(v, a)| v * a).collect();
        let unit = case.relative.to(values.iter().sum());
        for ((low, high, share), v) in worth.iter_mut().zip(values) {
            (*low, *high, *share) = (low.min(v), high.max(v), share.max(v.abs() / unit));
        }
    }
    let mut all: Vec<Part> = vec![];
    for (k, (t, (low, high, share))) in case.terms.iter().zip(worth).enumerate() {
        let of_payload = without.as_ref().is_some_and(|all| {
            let bare = all.get(&t.key()).copied().unwrap_or(0.0);
            (bare - t.coefficient).abs() > 1e-12 * bare.abs().max(t.coefficient.abs())
        });
        let coefficient = (b[k] != 0.0).then_some(b[k]);
        if t.coefficient != 0.0 || coefficient.is_some() {
            all.push(Part { exact: t.clone(), coefficient, half_range: 0.5 * (high - low), share, of_payload });
        }
    }
    all.sort_by(|x, y| y.coefficient.is_some().cmp(&x.coefficient.is_some()).then(y.share.total_cmp(&x.share)));
    let kept: Vec<Term> =
        all.iter().filter_map(|t| t.coefficient.map(|c| Term { coefficient: c, ..t.exact.clone() })).collect();
    let exact: Vec<Term> = case.terms.iter().filter(|t| t.coefficient != 0.0).cloned().collect();
    let n = case.ranges.len() / 3;
    Formula {
        of: case.of,
        terms: all,
        relative: case.relative,
        accuracy,
        before: count(n, &exact),
        after: count(n, &kept),
        finished,
    }
}
