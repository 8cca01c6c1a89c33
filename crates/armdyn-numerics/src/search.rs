//! Multi-start search for the maximum over joint ranges.
//!
//! Starting points are corners of the joint ranges (all up to 8 coordinates, random ones beyond) and a quasi-random sequence;
//! the best are refined by projected BFGS (Nocedal & Wright 2006, sections 6.1 and 16.7). An angle without limits wraps around.
//!
//! With many coordinates the best of few local maxima is rarely the best in all of them. So parts of consecutive coordinates, such
//! as those of one arm of a tree, are then searched alone, with the others as in the best.

use crate::objective::Objective;
use crate::{JointRanges, QuasiRandom};
use armdyn_core::Interval;
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

/// Options of [`search`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchOptions {
    /// Number of starting points.
    pub points: usize,
    /// Number of best starting points to refine.
    pub climbs: usize,
    /// Seed of the starting points.
    pub seed: u64,
}

impl Default for SearchOptions {
    fn default() -> Self {
        SearchOptions { points: 4096, climbs: 32, seed: 1 }
    }
}

/// The maximum found, and its configuration.
pub fn search(o: &dyn Objective, ranges: &JointRanges, options: SearchOptions) -> (f64, Vec<f64>) {
    let intervals = ranges.intervals();
    let active: Vec<usize> =
        (0..intervals.len()).filter(|k| o.depends(*k) && intervals[*k].lo() < intervals[*k].hi()).collect();
    let middle: Vec<f64> = intervals.iter().map(|r| r.mid()).collect();
    if active.is_empty() {
        return (o.value(&middle), middle);
    }
    let varied = |k: usize| if active.contains(&k) { intervals[k] } else { Interval::point(middle[k]) };
    let within = JointRanges::from_intervals((0..intervals.len()).map(varied).collect());
    let sequence = QuasiRandom::new(&within, options.seed);
    let corners = 1usize << active.len().min(CORNERS);
    let start = |k: usize| {
        if k >= corners {
            return sequence.point(k - corners);
        }
        let mut q = middle.clone();
        for (a, &i) in active.iter().enumerate() {
            let upper = if active.len() <= CORNERS { k >> a & 1 == 1 } else { sequence.sign(k, i) > 0.0 };
            q[i] = if upper { intervals[i].hi() } else { intervals[i].lo() };
        }
        q
    };
    let mut values: Vec<(f64, usize)> =
        values(o, corners + options.points.max(1), start).into_iter().zip(0..).collect();
    values.retain(|(value, _)| !value.is_nan());
    values.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let climbs: Vec<Found> =
        values.par_iter().take(options.climbs.max(1)).map(|(_, k)| climb(o, ranges, start(*k))).collect();
    let better = |best: Found, new: &Found| if new.0 > best.0 || best.0.is_nan() { new.clone() } else { best };
    let mut best = climbs.iter().fold((o.value(&middle), middle), better);
    if active.len() <= CORNERS {
        return best;
    }
    // Parts of equal size with at most that many coordinates.
    let size = active.len().div_ceil(active.len().div_ceil(CORNERS));
    for _ in 0..ROUNDS {
        let before = best.0;
        for part in active.chunks(size) {
            best = better(best.clone(), &search(o, &ranges.fixed_except(part, &best.1), options));
        }
        if best.0 - before <= 1e-12 * best.0.abs() {
            break;
        }
    }
    best
}

/// A value and its configuration.
type Found = (f64, Vec<f64>);

/// Maximum number of coordinates whose corners are all evaluated.
const CORNERS: usize = 8;
/// Configurations of a task of a thread.
const BLOCK: usize = 256;
/// Maximum number of rounds over the parts of the coordinates.
const ROUNDS: usize = 4;

/// The mean over joint ranges, from a quasi-random sample.
pub fn mean(o: &dyn Objective, ranges: &JointRanges, points: usize) -> f64 {
    let sequence = QuasiRandom::new(ranges, 0);
    // Summed in fixed blocks, so that the result does not depend on the number of threads.
    let values = values(o, points, |k| sequence.point(k));
    values.chunks(1024).map(|block| block.iter().sum::<f64>()).sum::<f64>() / points as f64
}

/// The values at `count` configurations, in order.
fn values(o: &dyn Objective, count: usize, at: impl Fn(usize) -> Vec<f64> + Sync) -> Vec<f64> {
    let mut values = vec![0.0; count];
    values.par_chunks_mut(BLOCK).enumerate().for_each(|(block, values)| {
        let q: Vec<f64> = (0..values.len()).flat_map(|k| at(BLOCK * block + k)).collect();
        o.values(&q, values);
    });
    values
}

/// Refines a starting point to a local maximum within the joint ranges.
pub fn climb(o: &dyn Objective, ranges: &JointRanges, start: Vec<f64>) -> (f64, Vec<f64>) {
    const STEPS: usize = 300;
    let n = start.len();
    let intervals = ranges.intervals();
    let within =
        |k: usize, x: f64| if ranges.is_unlimited(k) { x } else { x.clamp(intervals[k].lo(), intervals[k].hi()) };
    let mut q = start;
    let (mut value, mut slope) = o.gradient(&q);
    let mut inverse = identity(n);
    let mut held = vec![false; n];
    for step in 0..STEPS {
        // A coordinate whose gradient points outward stays at its limit.
        let now: Vec<bool> = (0..n)
            .map(|k| {
                let r = intervals[k];
                let pushes = q[k] >= r.hi() && slope[k] > 0.0 || q[k] <= r.lo() && slope[k] < 0.0;
                slope[k] == 0.0 && !o.depends(k) || !ranges.is_unlimited(k) && (pushes || r.lo() == r.hi())
            })
            .collect();
        if now != held || step % (3 * n + 20) == 0 {
            (held, inverse) = (now, identity(n));
        }
        let free = |k: usize| !held[k];
        let mut direction: Vec<f64> =
            (0..n)
                .map(|i| {
                    if free(i) { (0..n).filter(|j| free(*j)).map(|j| inverse[i * n + j] * slope[j]).sum() } else { 0.0 }
                })
                .collect();
        let mut rise: f64 = direction.iter().zip(&slope).map(|(w, s)| w * s).sum();
        let steep: f64 = (0..n).filter(|k| free(*k)).map(|k| slope[k] * slope[k]).sum();
        if rise.is_nan() || rise <= 1e-14 * steep {
            inverse = identity(n);
            direction = (0..n).map(|k| if free(k) { slope[k] } else { 0.0 }).collect();
            rise = steep;
        }
        if rise <= 0.0 || rise.is_nan() {
            break;
        }
        // At most one radian per step.
        let longest = direction.iter().fold(0.0, |m: f64, w| m.max(w.abs()));
        let mut t = if longest > 1.0 { 1.0 / longest } else { 1.0 };
        let mut moved = None;
        for _ in 0..50 {
            let next: Vec<f64> = (0..n).map(|k| within(k, q[k] + t * direction[k])).collect();
            let gain: f64 = (0..n).map(|k| (next[k] - q[k]) * slope[k]).sum();
            let (there, slopes) = o.gradient(&next);
            if there >= value + 1e-4 * gain && gain > 0.0 {
                moved = Some((next, there, slopes));
                break;
            }
            t *= 0.4;
        }
        let Some((next, there, slopes)) = moved else { break };
        let s: Vec<f64> = next.iter().zip(&q).map(|(a, b)| a - b).collect();
        // BFGS minimises the negative, whose gradient changes by −Δ.
        let y: Vec<f64> = slope.iter().zip(&slopes).map(|(a, b)| a - b).collect();
        update(&mut inverse, &s, &y, &held);
        let still = there - value <= 1e-16 * value.abs() && step > 2 && s.iter().all(|x| x.abs() < 1e-9);
        (q, value, slope) = (next, there, slopes);
        if still {
            break;
        }
    }
    for (k, x) in q.iter_mut().enumerate() {
        if ranges.is_unlimited(k) && !(-PI..=PI).contains(x) {
            *x -= TAU * (*x / TAU).round();
        }
    }
    (o.value(&q), q)
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|k| f64::from(u32::from(k / n == k % n))).collect()
}

/// BFGS update of the inverse Hessian from a step and the change of the gradient.
fn update(h: &mut [f64], s: &[f64], y: &[f64], held: &[bool]) {
    let n = s.len();
    let y: Vec<f64> = (0..n).map(|k| if held[k] { 0.0 } else { y[k] }).collect();
    let sy: f64 = s.iter().zip(&y).map(|(s, y)| s * y).sum();
    let (ss, yy): (f64, f64) = (s.iter().map(|x| x * x).sum(), y.iter().map(|x| x * x).sum());
    if sy.is_nan() || sy <= 1e-10 * (ss * yy).sqrt() || yy == 0.0 {
        return;
    }
    let hy: Vec<f64> = (0..n).map(|i| (0..n).map(|j| h[i * n + j] * y[j]).sum()).collect();
    let yhy: f64 = hy.iter().zip(&y).map(|(a, b)| a * b).sum();
    for i in 0..n {
        for j in 0..n {
            h[i * n + j] += (1.0 + yhy / sy) * s[i] * s[j] / sy - (hy[i] * s[j] + s[i] * hy[j]) / sy;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::Enclosure;

    /// x² y.
    struct Cube;

    impl Objective for Cube {
        fn value(&self, q: &[f64]) -> f64 {
            q[0] * q[0] * q[1]
        }
        fn enclose(&self, _: &[Interval]) -> Enclosure {
            Enclosure { range: Interval::new(0.0, 6.0).expect("in order"), split: None }
        }
    }

    #[test]
    fn the_mean_is_the_integral_over_the_ranges() {
        let ranges =
            JointRanges::from_intervals(vec![Interval::new(0.0, 1.0).unwrap(), Interval::new(2.0, 4.0).unwrap()]);
        // 1/3 · 3; the error of a quasi-random mean is about 1/points.
        assert!((mean(&Cube, &ranges, 1 << 14) - 1.0).abs() < 1e-3);
        assert!((mean(&Cube, &ranges, 1000) - 1.0).abs() < 1e-2);
    }
}
