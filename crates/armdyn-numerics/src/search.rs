//! *Found*: extremes over a region by starts spread evenly and a climb from the best of them.
//!
//! Starts are the corners of a small box and points spread evenly; the climb is projected BFGS (Nocedal & Wright 2006,
//! sections 6.1 and 16.7). An angle without limits goes around.

use crate::bound::Objective;
use crate::{JointRanges, QuasiRandom};
use armdyn_core::Interval;
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

/// How a greatest value is sought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// How many points are looked at.
    pub points: usize,
    /// How many of the best of them are climbed from.
    pub climbs: usize,
    /// Where the points lie.
    pub seed: u64,
}

impl Default for Search {
    fn default() -> Self {
        Search { points: 4096, climbs: 32, seed: 1 }
    }
}

/// The greatest value found, and where.
pub fn search(o: &impl Objective, region: &JointRanges, how: Search) -> (f64, Vec<f64>) {
    let ranges = region.intervals();
    let active: Vec<usize> = (0..ranges.len()).filter(|k| o.depends(*k) && ranges[*k].lo() < ranges[*k].hi()).collect();
    let middle: Vec<f64> = ranges.iter().map(|r| r.mid()).collect();
    if active.is_empty() {
        return (o.value(&middle), middle);
    }
    let varied = |k: usize| if active.contains(&k) { ranges[k] } else { Interval::point(middle[k]) };
    let within = JointRanges::from_intervals((0..ranges.len()).map(varied).collect());
    let spread = QuasiRandom::new(&within, how.seed);
    let corners = if active.len() <= 8 { 1usize << active.len() } else { 0 };
    let start = |k: usize| {
        if k >= corners {
            return spread.point(k - corners);
        }
        let mut q = middle.clone();
        for (a, &i) in active.iter().enumerate() {
            q[i] = if k >> a & 1 == 1 { ranges[i].hi() } else { ranges[i].lo() };
        }
        q
    };
    let mut seen: Vec<(f64, usize)> =
        (0..corners + how.points.max(1)).into_par_iter().map(|k| (o.value(&start(k)), k)).collect();
    seen.retain(|(value, _)| !value.is_nan());
    seen.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let climbs: Vec<(f64, Vec<f64>)> =
        seen.par_iter().take(how.climbs.max(1)).map(|(_, k)| polished(o, region, start(*k))).collect();
    let first = (o.value(&middle), middle);
    climbs.into_iter().fold(first, |best, new| if new.0 > best.0 || best.0.is_nan() { new } else { best })
}

/// The mean over a region, of points spread evenly.
pub fn mean(o: &impl Objective, region: &JointRanges, points: usize) -> f64 {
    let spread = QuasiRandom::new(region, 0);
    // By blocks, each summed by itself: the same on any number of threads.
    let block = |from: usize| (from..points.min(from + 1024)).map(|k| o.value(&spread.point(k))).sum::<f64>();
    let blocks: Vec<f64> = (0..points.div_ceil(1024)).into_par_iter().map(|b| block(1024 * b)).collect();
    blocks.iter().sum::<f64>() / points as f64
}

/// Climbs from a point to the top of its hill, within the region.
pub fn polished(o: &impl Objective, region: &JointRanges, start: Vec<f64>) -> (f64, Vec<f64>) {
    const STEPS: usize = 300;
    let n = start.len();
    let ranges = region.intervals();
    let within = |k: usize, x: f64| if region.is_unlimited(k) { x } else { x.clamp(ranges[k].lo(), ranges[k].hi()) };
    let mut q = start;
    let (mut value, mut slope) = o.gradient(&q);
    let mut inverse = identity(n);
    let mut held = vec![false; n];
    for step in 0..STEPS {
        // What pushes against its limit is held there.
        let now: Vec<bool> = (0..n)
            .map(|k| {
                let r = ranges[k];
                let pushes = q[k] >= r.hi() && slope[k] > 0.0 || q[k] <= r.lo() && slope[k] < 0.0;
                slope[k] == 0.0 && !o.depends(k) || !region.is_unlimited(k) && (pushes || r.lo() == r.hi())
            })
            .collect();
        if now != held || step % (3 * n + 20) == 0 {
            (held, inverse) = (now, identity(n));
        }
        let free = |k: usize| !held[k];
        let mut way: Vec<f64> =
            (0..n)
                .map(|i| {
                    if free(i) { (0..n).filter(|j| free(*j)).map(|j| inverse[i * n + j] * slope[j]).sum() } else { 0.0 }
                })
                .collect();
        let mut rise: f64 = way.iter().zip(&slope).map(|(w, s)| w * s).sum();
        let steep: f64 = (0..n).filter(|k| free(*k)).map(|k| slope[k] * slope[k]).sum();
        if rise.is_nan() || rise <= 1e-14 * steep {
            inverse = identity(n);
            way = (0..n).map(|k| if free(k) { slope[k] } else { 0.0 }).collect();
            rise = steep;
        }
        if rise <= 0.0 || rise.is_nan() {
            break;
        }
        // At most a radian at once.
        let longest = way.iter().fold(0.0, |m: f64, w| m.max(w.abs()));
        let mut t = if longest > 1.0 { 1.0 / longest } else { 1.0 };
        let mut moved = None;
        for _ in 0..50 {
            let next: Vec<f64> = (0..n).map(|k| within(k, q[k] + t * way[k])).collect();
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
        // Of the negative, whose least is sought: its slope's change is −Δ.
        let y: Vec<f64> = slope.iter().zip(&slopes).map(|(a, b)| a - b).collect();
        update(&mut inverse, &s, &y, &held);
        let still = there - value <= 1e-16 * value.abs() && step > 2 && s.iter().all(|x| x.abs() < 1e-9);
        (q, value, slope) = (next, there, slopes);
        if still {
            break;
        }
    }
    for (k, x) in q.iter_mut().enumerate() {
        if region.is_unlimited(k) && !(-PI..=PI).contains(x) {
            *x -= TAU * (*x / TAU).round();
        }
    }
    (o.value(&q), q)
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|k| f64::from(u32::from(k / n == k % n))).collect()
}

/// BFGS: the inverse of the second derivatives, from a step and the change of the slope.
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
    use crate::bound::Enclosure;

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
    fn a_mean_is_the_integral_over_the_region() {
        let region =
            JointRanges::from_intervals(vec![Interval::new(0.0, 1.0).unwrap(), Interval::new(2.0, 4.0).unwrap()]);
        // 1/3 · 3; points spread evenly are off by about their inverse number.
        assert!((mean(&Cube, &region, 1 << 14) - 1.0).abs() < 1e-3);
        assert!((mean(&Cube, &region, 1000) - 1.0).abs() < 1e-2);
    }
}
