//! Search for the maximum error of a simplified equation.

use super::problem::Problem;
use armdyn_core::Interval;
use armdyn_numerics::objective::{Enclosure, Objective};
use armdyn_numerics::search::climb;
use armdyn_numerics::{JointRanges, QuasiRandom};
use rayon::prelude::*;
use std::f64::consts::FRAC_PI_2;

/// A state and its error.
#[derive(Clone, Debug)]
pub(super) struct Peak {
    pub error: f64,
    pub at: Vec<f64>,
}

/// The state closest to zero within the ranges.
fn neutral(problem: &Problem) -> Vec<f64> {
    problem.ranges.iter().map(|r| 0.0_f64.clamp(r.lo(), r.hi())).collect()
}

/// Uniformly distributed states.
pub(super) fn uniform(problem: &Problem, count: usize, seed: u64) -> Vec<Vec<f64>> {
    let (neutral, ranges) = (neutral(problem), JointRanges::from_intervals(problem.ranges.clone()));
    let sequence = QuasiRandom::new(&ranges, seed);
    let state = |k: usize| {
        let (mut x, all) = (neutral.clone(), sequence.random_point(k));
        problem.active.iter().for_each(|&i| x[i] = all[i]);
        x
    };
    (0..count).into_par_iter().map(state).collect()
}

/// Uniformly distributed states; every other one has some coordinates at a limit or quarter turn, where maxima are likely.
pub(super) fn states(problem: &Problem, count: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut all = uniform(problem, count, seed);
    let unit = JointRanges::from_intervals(vec![Interval::point(0.0).hull(Interval::point(1.0)); problem.ranges.len()]);
    let dice = QuasiRandom::new(&unit, seed ^ 0xd1ce);
    for (k, x) in all.iter_mut().enumerate().filter(|(k, _)| k % 2 == 1) {
        let dice = dice.random_point(k);
        for &i in &problem.active {
            let r = problem.ranges[i];
            x[i] = match dice[i] {
                d if d < 0.15 => r.lo(),
                d if d < 0.3 => r.hi(),
                d if d < 0.5 => ((x[i] / FRAC_PI_2).round() * FRAC_PI_2).clamp(r.lo(), r.hi()),
                _ => x[i],
            };
        }
    }
    all
}

/// The error of coefficients as an objective.
struct ErrorObjective<'a> {
    problem: &'a Problem,
    b: &'a [f64],
}

impl Objective for ErrorObjective<'_> {
    fn value(&self, x: &[f64]) -> f64 {
        self.problem.error(self.b, x)
    }

    fn depends(&self, i: usize) -> bool {
        self.problem.active.contains(&i)
    }

    fn enclose(&self, _: &[Interval]) -> Enclosure {
        Enclosure { range: Interval::ENTIRE, split: None }
    }
}

/// Local maxima of the error, the largest first, from the `count` largest of `starts`.
pub(super) fn peaks(problem: &Problem, b: &[f64], starts: &[Vec<f64>], count: usize) -> Vec<Peak> {
    let mut ranked: Vec<Peak> = starts.par_iter().map(|x| Peak { error: problem.error(b, x), at: x.clone() }).collect();
    ranked.sort_by(|x, y| y.error.total_cmp(&x.error));
    ranked.truncate(count);
    let ranges = JointRanges::from_intervals(problem.ranges.clone());
    let climbed = |p: Peak| {
        let (error, at) = climb(&ErrorObjective { problem, b }, &ranges, p.at.clone());
        if error > p.error { Peak { error, at } } else { p }
    };
    let mut found: Vec<Peak> = ranked.into_par_iter().map(climbed).collect();
    found.sort_by(|x, y| y.error.total_cmp(&x.error));
    found
}
