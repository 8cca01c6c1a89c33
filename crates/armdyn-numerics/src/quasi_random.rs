//! Quasi-random configurations: a Kronecker sequence (Roberts 2018) with an offset that depends on the seed.

use crate::JointRanges;
use armdyn_core::SplitMix64;

/// A quasi-random sequence of configurations within joint ranges.
pub struct QuasiRandom<'a> {
    ranges: &'a JointRanges,
    steps: Vec<f64>,
    seed: u64,
}

impl<'a> QuasiRandom<'a> {
    /// The sequence of a seed.
    pub fn new(ranges: &'a JointRanges, seed: u64) -> Self {
        // The root of xᵈ⁺¹ = x + 1 for the d coordinates that vary.
        let varying = ranges.intervals().iter().filter(|r| r.lo() < r.hi()).count();
        let root = (0..60).fold(2.0_f64, |x, _| (1.0 + x).powf(1.0 / (varying as f64 + 1.0)));
        let mut power = 1.0;
        let step = |r: &armdyn_core::Interval| {
            power *= if r.lo() < r.hi() { root } else { 1.0 };
            1.0 / power
        };
        QuasiRandom { ranges, steps: ranges.intervals().iter().map(step).collect(), seed }
    }

    /// The k-th point of the sequence.
    pub fn point(&self, k: usize) -> Vec<f64> {
        self.at(|i| (random(self.seed, 0, i) + (k + 1) as f64 * self.steps[i]).fract())
    }

    /// The k-th of independent pseudo-random points.
    pub fn random_point(&self, k: usize) -> Vec<f64> {
        self.at(|i| random(self.seed, k + 1, i))
    }

    fn at(&self, fraction: impl Fn(usize) -> f64) -> Vec<f64> {
        let intervals = self.ranges.intervals().iter().enumerate();
        intervals.map(|(i, r)| (r.lo() + (r.hi() - r.lo()) * fraction(i)).clamp(r.lo(), r.hi())).collect()
    }

    /// A random sign, 1 or −1: the i-th of the k-th point.
    pub fn sign(&self, k: usize, i: usize) -> f64 {
        if random(self.seed, k + 1, i) < 0.5 { -1.0 } else { 1.0 }
    }
}

/// A pseudo-random number in [0, 1) for a seed and two indices (SplitMix64).
fn random(seed: u64, k: usize, i: usize) -> f64 {
    let state = SplitMix64(seed ^ k as u64).next();
    SplitMix64(state ^ i as u64).unit()
}

/// The weighted quantile: the smallest value with at least the fraction `p` of the weight at or below it.
pub fn quantile(values: &mut [(f64, f64)], p: f64) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = values.iter().map(|v| v.1).sum();
    let mut sum = 0.0;
    for (value, weight) in values.iter() {
        sum += weight;
        if sum >= p * total * (1.0 - 1e-12) {
            return *value;
        }
    }
    values.last().map_or(f64::NAN, |v| v.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm() -> armdyn_core::Model<f64> {
        armdyn_testkit::bundled("jpl-rrp")
    }

    #[test]
    fn points_are_uniform_and_fixed_coordinates_stay() {
        let ranges = JointRanges::new(&arm(), &[(0, 0.5, 0.5), (2, 0.2, 0.8)]).unwrap();
        let sequence = QuasiRandom::new(&ranges, 7);
        let points: Vec<_> = (0..4000).map(|k| sequence.point(k)).collect();
        assert!(points.iter().all(|p| p[0] == 0.5 && (0.2..=0.8).contains(&p[2])));
        // A quarter of the points in each quarter of two ranges, within a few of 4000.
        let corner = points.iter().filter(|p| p[2] < 0.5 && p[1] < 0.0).count();
        assert!(corner.abs_diff(1000) < 40, "{corner}");
        let forward = (0..4000).filter(|k| sequence.sign(*k, 3) > 0.0).count();
        assert!(forward.abs_diff(2000) < 150, "{forward}");
        assert_ne!(QuasiRandom::new(&ranges, 8).point(0), sequence.point(0));
    }

    #[test]
    fn quantiles_follow_weights() {
        let mut values: Vec<(f64, f64)> = (1..=100).rev().map(|k| (k as f64, 1.0)).collect();
        assert_eq!(quantile(&mut values, 0.95), 95.0);
        assert_eq!(quantile(&mut values, 0.5), 50.0);
        let mut heavy = vec![(1.0, 1.0), (2.0, 98.0), (3.0, 1.0)];
        assert_eq!((quantile(&mut heavy, 0.02), quantile(&mut heavy, 0.99)), (2.0, 2.0));
        assert!(quantile(&mut [], 0.5).is_nan());
    }
}
