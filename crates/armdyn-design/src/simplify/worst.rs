//! Where a simplified equation is at its worst.

use super::case::Case;
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

/// Where what matters not stays: as near to zero as its range allows.
fn neutral(case: &Case) -> Vec<f64> {
    case.ranges.iter().map(|r| 0.0_f64.clamp(r.lo(), r.hi())).collect()
}

/// States spread evenly.
pub(super) fn uniform(case: &Case, count: usize, seed: u64) -> Vec<Vec<f64>> {
    let (still, region) = (neutral(case), JointRanges::from_intervals(case.ranges.clone()));
    let spread = QuasiRandom::new(&region, seed);
    let state = |k: usize| {
        let (mut x, all) = (still.clone(), spread.random_point(k));
        case.active.iter().for_each(|&i| x[i] = all[i]);
        x
    };
    (0..count).into_par_iter().map(state).collect()
}

/// States spread evenly, every other one with some coordinates at an end or a quarter turn, where extremes like to be.
pub(super) fn states(case: &Case, count: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut all = uniform(case, count, seed);
    let shares = JointRanges::from_intervals(vec![Interval::point(0.0).hull(Interval::point(1.0)); case.ranges.len()]);
    let dice = QuasiRandom::new(&shares, seed ^ 0xd1ce);
    for (k, x) in all.iter_mut().enumerate().filter(|(k, _)| k % 2 == 1) {
        let dice = dice.random_point(k);
        for &i in &case.active {
            let r = case.ranges[i];
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

/// The error of coefficients, for the search.
struct Wrong<'a> {
    case: &'a Case,
    b: &'a [f64],
}

impl Objective for Wrong<'_> {
    fn value(&self, x: &[f64]) -> f64 {
        self.case.error(self.b, x)
    }

    /// By differences, of what it depends on.
    fn gradient(&self, x: &[f64]) -> (f64, Vec<f64>) {
        let (mut at, mut slopes) = (x.to_vec(), vec![0.0; x.len()]);
        for &i in &self.case.active {
            let h = 1e-6 * (1.0 + x[i].abs());
            let [up, down] = [h, -h].map(|h| {
                at[i] = x[i] + h;
                self.value(&at)
            });
            at[i] = x[i];
            slopes[i] = (up - down) / (2.0 * h);
        }
        (self.value(x), slopes)
    }

    fn depends(&self, i: usize) -> bool {
        self.case.active.contains(&i)
    }

    fn enclose(&self, _: &[Interval]) -> Enclosure {
        Enclosure { range: Interval::ENTIRE, split: None }
    }
}

/// The largest errors, the worst first: climbed to from up to `count` of the worst of `starts`.
pub(super) fn peaks(case: &Case, b: &[f64], starts: &[Vec<f64>], count: usize) -> Vec<Peak> {
    let mut rated: Vec<Peak> = starts.par_iter().map(|x| Peak { error: case.error(b, x), at: x.clone() }).collect();
    rated.sort_by(|x, y| y.error.total_cmp(&x.error));
    rated.truncate(count);
    let region = JointRanges::from_intervals(case.ranges.clone());
    let climbed = |p: Peak| {
        let (error, at) = climb(&Wrong { case, b }, &region, p.at.clone());
        if error > p.error { Peak { error, at } } else { p }
    };
    let mut found: Vec<Peak> = rated.into_par_iter().map(climbed).collect();
    found.sort_by(|x, y| y.error.total_cmp(&x.error));
    found
}
