//! Search for the maximum error of a simplified equation.
//!
//! At a configuration the error is linear in q̈ and quadratic in q̇, so that its maximum over their ranges is found directly:
//! q̈ at a corner, q̇ at a corner or a stationary point. The search is over configurations only: many of them in batches, then
//! climbs from the best.

use super::problem::Problem;
use super::terms::Motion;
use armdyn_core::{Interval, Lanes, Real};
use armdyn_numerics::objective::{Enclosure, Objective};
use armdyn_numerics::search::climb;
use armdyn_numerics::{JointRanges, QuasiRandom};
use rayon::prelude::*;
use std::f64::consts::FRAC_PI_2;

/// Configurations evaluated side by side.
const BATCH: usize = 8;
/// Configurations of a search, besides the corners.
const CONFIGURATIONS: usize = 16_384;
/// Configurations whose maximum errors are computed at a time, in the order of bounds of these errors.
const BLOCK: usize = 512;
/// Configurations within this fraction of every range are close.
const NEAR: f64 = 0.03;
/// Maximum number of coordinates whose corners are all evaluated.
const CORNERS: usize = 8;

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

/// Uniformly distributed states; every other one has some positions at a limit or quarter turn, and most speeds and
/// accelerations at a limit, where maxima are likely.
pub(super) fn states(problem: &Problem, count: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut all = uniform(problem, count, seed);
    let unit = JointRanges::from_intervals(vec![Interval::point(0.0).hull(Interval::point(1.0)); problem.ranges.len()]);
    let (dice, n) = (QuasiRandom::new(&unit, seed ^ 0xd1ce), problem.ranges.len() / 3);
    for (k, x) in all.iter_mut().enumerate().filter(|(k, _)| k % 2 == 1) {
        let dice = dice.random_point(k);
        for &i in &problem.active {
            let r = problem.ranges[i];
            x[i] = match dice[i] {
                d if i >= n && d < 0.4 => r.lo(),
                d if i >= n && d < 0.8 => r.hi(),
                _ if i >= n => x[i],
                d if d < 0.15 => r.lo(),
                d if d < 0.3 => r.hi(),
                d if d < 0.5 => ((x[i] / FRAC_PI_2).round() * FRAC_PI_2).clamp(r.lo(), r.hi()),
                _ => x[i],
            };
        }
    }
    all
}

/// The search for states of maximum error within the ranges of a problem.
pub(super) struct ErrorSearch {
    configurations: Vec<Vec<f64>>,
}

impl ErrorSearch {
    /// The corners of the joint ranges, and many configurations within them.
    pub fn new(problem: &Problem, seed: u64) -> Self {
        let n = problem.ranges.len() / 3;
        let varied: Vec<usize> = problem.active.iter().copied().filter(|&i| i < n).collect();
        let middle = neutral(problem);
        let corners = if varied.len() <= CORNERS { 1usize << varied.len() } else { 0 };
        let corner = |k: usize| {
            let mut q = middle[..n].to_vec();
            for (bit, &i) in varied.iter().enumerate() {
                q[i] = if k >> bit & 1 == 1 { problem.ranges[i].hi() } else { problem.ranges[i].lo() };
            }
            q
        };
        let count = if varied.is_empty() { 0 } else { CONFIGURATIONS };
        let others = states(problem, count, seed ^ 0x5ea6).into_iter().map(|mut x| {
            x.truncate(n);
            x
        });
        ErrorSearch { configurations: (0..corners).map(corner).chain(others).collect() }
    }

    /// Local maxima of the error of coefficients, the largest first, from `count` starts.
    pub fn peaks(&self, problem: &Problem, b: &[f64], count: usize) -> Vec<Peak> {
        let objective = MaximumError::new(problem, b);
        let mut bounds: Vec<(f64, usize)> = self
            .configurations
            .par_chunks(BATCH)
            .enumerate()
            .flat_map_iter(|(k, batch)| objective.bounds(batch).into_iter().zip(BATCH * k..))
            .collect();
        let largest_first = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        bounds.sort_by(largest_first);
        let mut starts: Vec<(f64, usize)> = vec![];
        for block in bounds.chunks(BLOCK) {
            // No configuration left has an error that exceeds those found.
            if starts.len() >= count && starts.last().is_some_and(|last| block[0].0 <= last.0) {
                break;
            }
            let errors = block.par_iter().map(|&(_, k)| (objective.value(&self.configurations[k]), k));
            starts.extend(errors.collect::<Vec<_>>());
            starts.sort_by(largest_first);
            starts = self.distinct(problem, starts, count.max(1));
        }
        let ranges = JointRanges::from_intervals(problem.ranges[..objective.dofs].to_vec());
        let climbed = |&(error, k): &(f64, usize)| {
            let start = &self.configurations[k];
            let (climbed, q) = climb(&objective, &ranges, start.clone());
            objective.peak(if climbed > error { &q } else { start })
        };
        let mut found: Vec<Peak> = starts.par_iter().map(climbed).collect();
        found.sort_by(|x, y| y.error.total_cmp(&x.error));
        found
    }

    /// The first `count` of ranked configurations that are not close to a better one, whose climb would end at the same maximum.
    fn distinct(&self, problem: &Problem, ranked: Vec<(f64, usize)>, count: usize) -> Vec<(f64, usize)> {
        let n = problem.ranges.len() / 3;
        let near = |a: usize, b: usize| {
            let (a, b) = (&self.configurations[a], &self.configurations[b]);
            let mut varied = problem.active.iter().filter(|i| **i < n);
            varied.all(|&i| (a[i] - b[i]).abs() < NEAR * problem.ranges[i].width())
        };
        let mut starts: Vec<(f64, usize)> = vec![];
        for (error, k) in ranked {
            if starts.len() < count && !starts.iter().any(|s| near(s.1, k)) {
                starts.push((error, k));
            }
        }
        starts
    }
}

/// The maximum error of coefficients over all speeds and accelerations, as a function of the configuration.
struct MaximumError<'a> {
    problem: &'a Problem,
    b: &'a [f64],
    dofs: usize,
    /// Whether the error depends on speeds or accelerations; then its reference is constant.
    moves: bool,
    /// b − a over the reference.
    difference: Vec<f64>,
}

/// The residual at a configuration: r + Σ rⱼ q̈ⱼ + q̇ᵀ S q̇.
struct Residual {
    rest: f64,
    acceleration: Vec<f64>,
    /// S, symmetric, row by row.
    speed: Vec<f64>,
}

impl<'a> MaximumError<'a> {
    fn new(problem: &'a Problem, b: &'a [f64]) -> Self {
        let dofs = problem.ranges.len() / 3;
        let unit = problem.reference.at(1.0);
        let difference = problem.exact.iter().zip(b).map(|(a, b)| (b - a) / unit).collect();
        MaximumError { problem, b, dofs, moves: problem.active.iter().any(|&i| i >= dofs), difference }
    }

    /// Upper bounds of the maximum error at configurations.
    fn bounds(&self, batch: &[Vec<f64>]) -> Vec<f64> {
        if !self.moves {
            return batch.iter().map(|q| self.value(q)).collect();
        }
        let n = self.dofs;
        let lane = |i: usize| Lanes::<f64, BATCH>(std::array::from_fn(|k| batch[k.min(batch.len() - 1)][i]));
        let q: Vec<_> = (0..n).map(lane).collect();
        let mut sums = vec![Lanes::<f64, BATCH>::zero(); 1 + n + n * n];
        for ((value, d), t) in self.problem.basis.factors(&q).into_iter().zip(&self.difference).zip(&self.problem.terms)
        {
            sums[self.slot(t.motion)] += value * Lanes::lift(*d);
        }
        let size = |i: usize| self.problem.ranges[i].lo().abs().max(self.problem.ranges[i].hi().abs());
        let mut bound = vec![0.0; batch.len()];
        let mut add = |sum: &Lanes<f64, BATCH>, by: f64| {
            bound.iter_mut().zip(sum.0).for_each(|(bound, x)| *bound += by * x.abs());
        };
        add(&sums[0], 1.0);
        for j in 0..n {
            add(&sums[1 + j], size(2 * n + j));
            for k in j..n {
                add(&sums[1 + n + j * n + k], size(n + j) * size(n + k));
            }
        }
        bound
    }

    /// Index of the sum of a motion's terms.
    fn slot(&self, motion: Motion) -> usize {
        match motion {
            Motion::Rest => 0,
            Motion::Acceleration(j) => 1 + j,
            Motion::Speeds(j, k) => 1 + self.dofs + j * self.dofs + k,
        }
    }

    fn residual(&self, q: &[f64]) -> Residual {
        let n = self.dofs;
        let mut sums = vec![0.0; 1 + n + n * n];
        for ((value, d), t) in self.problem.basis.factors(q).into_iter().zip(&self.difference).zip(&self.problem.terms)
        {
            sums[self.slot(t.motion)] += value * d;
        }
        let products = &sums[1 + n..];
        let speed = (0..n * n).map(|e| 0.5 * (products[e] + products[e % n * n + e / n])).collect();
        Residual { rest: sums[0], acceleration: sums[1..=n].to_vec(), speed }
    }

    /// The state of maximum error at a configuration.
    fn peak(&self, q: &[f64]) -> Peak {
        let n = self.dofs;
        let mut at = neutral(self.problem);
        at[..n].copy_from_slice(q);
        if self.moves {
            let (speeds, accelerations) = (&self.problem.ranges[n..2 * n], &self.problem.ranges[2 * n..]);
            let residual = self.residual(q);
            let [up, down] = [1.0, -1.0].map(|sign| residual.maximum(sign, speeds, accelerations));
            at[n..].copy_from_slice(if up.0 >= down.0 { &up.1 } else { &down.1 });
        }
        Peak { error: self.problem.error(self.b, &at), at }
    }
}

impl Objective for MaximumError<'_> {
    fn value(&self, q: &[f64]) -> f64 {
        self.peak(q).error
    }

    fn depends(&self, i: usize) -> bool {
        self.problem.active.contains(&i)
    }

    fn enclose(&self, _: &[Interval]) -> Enclosure {
        Enclosure { range: Interval::ENTIRE, split: None }
    }
}

impl Residual {
    /// The maximum of the residual times a sign, and its speeds and accelerations.
    fn maximum(&self, sign: f64, speeds: &[Interval], accelerations: &[Interval]) -> (f64, Vec<f64>) {
        let speed: Vec<f64> = self.speed.iter().map(|x| sign * x).collect();
        let (quadratic, mut rates) = maximum_of_quadratic(&speed, speeds);
        let mut value = sign * self.rest + quadratic;
        for (r, range) in self.acceleration.iter().zip(accelerations) {
            let end = if sign * r >= 0.0 { range.hi() } else { range.lo() };
            value += sign * r * end;
            rates.push(end);
        }
        (value, rates)
    }
}

/// The maximum of xᵀ S x over ranges, and its place: the best corner, then exact maxima in one coordinate at a time.
fn maximum_of_quadratic(s: &[f64], ranges: &[Interval]) -> (f64, Vec<f64>) {
    let n = ranges.len();
    let slope = |x: &[f64], j: usize| (0..n).filter(|k| *k != j).map(|k| s[j * n + k] * x[k]).sum::<f64>();
    let value = |x: &[f64]| (0..n).map(|j| x[j] * (s[j * n + j] * x[j] + slope(x, j))).sum::<f64>();
    let moving: Vec<usize> =
        (0..n).filter(|&j| ranges[j].width() > 0.0 && (0..n).any(|k| s[j * n + k] != 0.0)).collect();
    let mut x: Vec<f64> = ranges.iter().map(|r| 0.0_f64.clamp(r.lo(), r.hi())).collect();
    moving.iter().for_each(|&j| x[j] = ranges[j].hi());
    let (mut best, mut now) = (value(&x), value(&x));
    let mut corner = x.clone();
    // All corners in the order of Gray's code, one end changed at a time; coordinates beyond these stay at their upper end.
    for step in 1..1usize << moving.len().min(CORNERS) {
        let j = moving[step.trailing_zeros() as usize];
        let (from, r) = (corner[j], ranges[j]);
        let to = if from == r.hi() { r.lo() } else { r.hi() };
        now += (to - from) * (s[j * n + j] * (to + from) + 2.0 * slope(&corner, j));
        corner[j] = to;
        if now > best {
            best = now;
            x.copy_from_slice(&corner);
        }
    }
    loop {
        for &j in &moving {
            let (own, other) = (s[j * n + j], 2.0 * slope(&x, j));
            let r = ranges[j];
            let stationary = if own < 0.0 { (-0.5 * other / own).clamp(r.lo(), r.hi()) } else { r.hi() };
            let gain = |y: f64| (own * y + other) * y;
            x[j] = [r.lo(), r.hi(), stationary].into_iter().fold(x[j], |a, b| if gain(b) > gain(a) { b } else { a });
        }
        let now = value(&x);
        if now.is_nan() || now - best <= 1e-12 * best.abs() {
            return (now.max(best), x);
        }
        best = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a fine grid, for definite and indefinite forms over symmetric and other ranges.
    #[test]
    fn the_maximum_of_a_quadratic_form_over_ranges() {
        let ranges = [Interval::new(-1.0, 1.0).unwrap(), Interval::new(-0.5, 2.0).unwrap()];
        for s in [[1.0, -0.4, -0.4, 0.3], [-1.0, 0.9, 0.9, 0.2], [-1.0, 0.2, 0.2, -3.0], [-2.0, 1.5, 1.5, -1.0]] {
            let value = |x: f64, y: f64| s[0] * x * x + 2.0 * s[1] * x * y + s[3] * y * y;
            let steps = |r: Interval| (0..=500).map(move |k| r.lo() + r.width() * f64::from(k) / 500.0);
            let grid = steps(ranges[0]).flat_map(|x| steps(ranges[1]).map(move |y| (x, y)));
            let expected = grid.map(|(x, y)| value(x, y)).fold(f64::NEG_INFINITY, f64::max);
            let (found, x) = maximum_of_quadratic(&s, &ranges);
            assert!((value(x[0], x[1]) - found).abs() < 1e-12, "{s:?}");
            // The grid misses at most the square of its step.
            assert!(found >= expected - 1e-12 && found < expected + 1e-4, "{s:?}: {found}, not {expected}");
        }
    }
}
