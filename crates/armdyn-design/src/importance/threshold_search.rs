//! Search for the minimum of a speed threshold over joint ranges.
//!
//! A threshold is a quotient whose numerator sums magnitudes of inertia and gravity torques. Its minima lie where some of
//! these change sign, and there it has an edge that stops a descent. So |x| is first rounded off as √(x² + r²), and r
//! decreases in steps, each of which starts from the minima of the step before.

use armdyn_core::{Interval, Progress};
use armdyn_numerics::objective::{Enclosure, Objective};
use armdyn_numerics::search::climb;
use armdyn_numerics::{JointRanges, QuasiRandom};
use rayon::prelude::*;

/// Radii r relative to typical torques, and how many of the best minima are continued with each.
const STEPS: [(f64, usize); 6] = [(0.1, 16), (0.02, 8), (4e-3, 4), (8e-4, 3), (1e-4, 2), (1e-5, 2)];
/// Maximum number of coordinates whose corners are all evaluated.
const CORNERS: usize = 8;

/// The minimum found of a threshold, and its configuration. The threshold is a function of the configuration and of r;
/// `samples` are its values at the points of a sequence.
pub(super) fn minimum(
    ranges: &JointRanges,
    sequence: &QuasiRandom,
    samples: &[f64],
    progress: &Progress,
    threshold: impl Fn(&[f64], f64) -> f64 + Sync,
) -> (f64, Vec<f64>) {
    let smallest_first = |a: &(f64, Vec<f64>), b: &(f64, Vec<f64>)| a.0.total_cmp(&b.0);
    let mut order: Vec<usize> = (0..samples.len()).filter(|k| !samples[*k].is_nan()).collect();
    order.sort_by(|a, b| samples[*a].total_cmp(&samples[*b]));
    let (_, starts) = STEPS[0];
    order.truncate(starts);
    let mut found: Vec<(f64, Vec<f64>)> = order.into_iter().map(|k| (samples[k], sequence.point(k))).collect();
    found.extend(corners(ranges).into_par_iter().map(|q| (threshold(&q, 0.0), q)).collect::<Vec<_>>());
    found.retain(|(value, _)| !value.is_nan());
    found.sort_by(smallest_first);
    let Some(mut best) = found.first().cloned() else { return (f64::NAN, vec![]) };
    if best.0.is_infinite() {
        return best;
    }
    for (rounding, count) in STEPS {
        if progress.cancelled() {
            break;
        }
        found.truncate(count);
        let objective = Significance { threshold: &threshold, rounding };
        found = found.into_par_iter().map(|(_, q)| climb(&objective, ranges, q)).map(|(v, q)| (-v, q)).collect();
        found.sort_by(smallest_first);
        let exact = found.iter().map(|(_, q)| (threshold(q, 0.0), q.clone()));
        best = exact.chain([best]).reduce(|a, b| if b.0 < a.0 { b } else { a }).unwrap_or((f64::NAN, vec![]));
    }
    descend(ranges, best, |q| threshold(q, 0.0))
}

/// The corners of joint ranges with few coordinates that vary.
fn corners(ranges: &JointRanges) -> Vec<Vec<f64>> {
    let intervals = ranges.intervals();
    let varied: Vec<usize> = (0..intervals.len()).filter(|k| intervals[*k].width() > 0.0).collect();
    let corner = |ends: usize| {
        let mut q: Vec<f64> = intervals.iter().map(|r| r.lo()).collect();
        for (_, &k) in varied.iter().enumerate().filter(|(bit, _)| ends >> bit & 1 == 1) {
            q[k] = intervals[k].hi();
        }
        q
    };
    if varied.len() <= CORNERS { (0..1usize << varied.len()).map(corner).collect() } else { vec![] }
}

/// The negative logarithm of a threshold with rounded magnitudes.
struct Significance<'a, F> {
    threshold: &'a F,
    rounding: f64,
}

impl<F: Fn(&[f64], f64) -> f64 + Sync> Objective for Significance<'_, F> {
    fn value(&self, q: &[f64]) -> f64 {
        -(self.threshold)(q, self.rounding).ln()
    }

    fn enclose(&self, _: &[Interval]) -> Enclosure {
        Enclosure { range: Interval::ENTIRE, split: None }
    }
}

/// Coordinate descent within joint ranges, with decreasing steps.
fn descend(
    ranges: &JointRanges,
    (mut minimum, mut q): (f64, Vec<f64>),
    value: impl Fn(&[f64]) -> f64,
) -> (f64, Vec<f64>) {
    let mut step = 0.01;
    while step > 1e-9 {
        let mut improved = false;
        for k in 0..q.len() {
            let r = ranges.intervals()[k];
            for direction in [1.0, -1.0] {
                let mut next = q.clone();
                next[k] = (q[k] + direction * step * (r.hi() - r.lo())).clamp(r.lo(), r.hi());
                if next[k] == q[k] {
                    continue;
                }
                let candidate = value(&next);
                // Equal values but for rounding are no improvement.
                if candidate < minimum * (1.0 - 1e-13) {
                    (minimum, q, improved) = (candidate, next, true);
                }
            }
        }
        if !improved {
            step *= 0.5;
        }
    }
    (minimum, q)
}
