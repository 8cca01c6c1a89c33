//! The boundary between dynamically slow and fast motion.
//!
//! Bejczy 1974, section II: a motion is slow while the torques that speeds induce can be left out. Here: while at joint i
//! they stay below the share x of the rest, whichever way each joint moves,
//!
//!   s² max_σ |Σ Dᵢⱼₖ σⱼ vⱼ σₖ vₖ| ≤ x (Σ |Dᵢⱼ| aⱼ + |gᵢ|),   σ = ±1
//!
//! with all joints at the share s of their speeds v, and accelerations up to a. At each configuration s follows exactly.
//! Friction is in neither side. Of one joint j that moves alone, at speed u: u² |Dᵢⱼⱼ| ≤ x (…).

use armdyn_core::{FormsData, Model, Progress, configuration_space};
use armdyn_numerics::{Error, JointRanges, QuasiRandom, Result, quantile};
use rayon::prelude::*;

/// Up to so many joints every combination of directions is looked at.
const ALL_DIRECTIONS: usize = 12;

/// Where motion ceases to be slow.
#[derive(Clone, Debug, PartialEq)]
pub struct Slow {
    /// As each joint feels it, when all move.
    pub together: Vec<Boundary>,
    /// Of each joint that moves alone.
    pub alone: Vec<Alone>,
    /// How many configurations were looked at.
    pub configurations: usize,
    /// Whether it was ended before all were.
    pub partial: bool,
}

/// The share of their speeds that all joints may move at: infinite where no speed induces a torque.
#[derive(Clone, Debug, PartialEq)]
pub struct Boundary {
    /// The least share found, by a descent from the least of the configurations looked at.
    pub least: f64,
    /// Where that is.
    pub at: Vec<f64>,
    /// What it is at or below in 0, 1, … 100 % of the configurations.
    pub percentiles: Vec<f64>,
    /// In which share of the configurations motion at full speed is slow.
    pub slow_at_full: f64,
}

impl Boundary {
    /// What it is at or below in half of the configurations.
    pub fn median(&self) -> f64 {
        self.percentiles[50]
    }

    /// In 5 % of them.
    pub fn p5(&self) -> f64 {
        self.percentiles[5]
    }
}

/// The speed that a joint may move at alone \[rad/s, m/s\]: infinite where it induces no torque at any other.
#[derive(Clone, Debug, PartialEq)]
pub struct Alone {
    /// The least speed found, by a descent from the least of the configurations looked at.
    pub least: f64,
    /// Where that is.
    pub at: Vec<f64>,
    /// The joint that feels it first there.
    pub felt: usize,
    /// What it is below in half of the configurations.
    pub median: f64,
}

/// The boundary at the share `x` of the rest, over `count` configurations of a region.
pub fn slow(
    m: &Model<f64>,
    region: &JointRanges,
    speeds: &[f64],
    accelerations: &[f64],
    x: f64,
    count: usize,
    seed: u64,
    progress: &Progress,
) -> Result<Slow> {
    let n = m.nv();
    if n > ALL_DIRECTIONS {
        let what = format!("`{}` has {n} joints: directions of more than {ALL_DIRECTIONS} are too many", m.name());
        return Err(Error::InvalidInput(what));
    }
    let asked = Asked { m, speeds, accelerations, x };
    let spread = QuasiRandom::new(region, seed);
    let one = |d: &mut FormsData<f64>, k: usize| -> Result<Option<(usize, Pose)>> {
        if progress.cancelled() {
            return Ok(None);
        }
        if k.is_multiple_of(256) {
            progress.report("slow and fast motion", k as f64 / count as f64);
        }
        Ok(Some((k, asked.pose(d, &spread.point(k))?)))
    };
    let found = (0..count).into_par_iter().map_init(|| FormsData::new(m), one);
    let found: Vec<Option<(usize, Pose)>> = found.collect::<Result<_>>()?;
    let seen: Vec<(usize, Pose)> = found.into_iter().flatten().collect();
    let lowest = |value: &(dyn Fn(&Pose) -> f64 + Sync)| -> Result<(f64, Vec<f64>, Vec<f64>)> {
        let best = seen.iter().map(|(k, p)| (value(p), *k)).reduce(|a, b| if b.0 < a.0 { b } else { a });
        let Some((least, k)) = best else { return Ok((f64::NAN, vec![], vec![f64::NAN; 101])) };
        let mut d = FormsData::new(m);
        let (least, at) = descended(region, spread.point(k), least, |q| Ok(value(&asked.pose(&mut d, q)?)))?;
        let mut all: Vec<(f64, f64)> = seen.iter().map(|(_, p)| (value(p), 1.0)).collect();
        let percentiles = (0..=100).map(|p| quantile(&mut all, p as f64 / 100.0)).collect();
        Ok((least, at, percentiles))
    };
    let together = |i: usize| {
        let (least, at, percentiles) = lowest(&move |p| p.together[i])?;
        let slow = seen.iter().filter(|(_, p)| p.together[i] >= 1.0).count();
        Ok(Boundary { least, at, percentiles, slow_at_full: slow as f64 / seen.len() as f64 })
    };
    let alone = |j: usize| {
        let (least, at, percentiles) = lowest(&move |p| p.alone[j].0)?;
        let felt = if at.is_empty() { 0 } else { asked.pose(&mut FormsData::new(m), &at)?.alone[j].1 };
        Ok(Alone { least, at, felt, median: percentiles[50] })
    };
    Ok(Slow {
        together: (0..n).map(together).collect::<Result<_>>()?,
        alone: (0..n).map(alone).collect::<Result<_>>()?,
        configurations: seen.len(),
        partial: seen.len() < count,
    })
}

/// What is asked of every configuration.
struct Asked<'a> {
    m: &'a Model<f64>,
    speeds: &'a [f64],
    accelerations: &'a [f64],
    x: f64,
}

/// The boundaries at one configuration.
struct Pose {
    /// As each joint feels it.
    together: Vec<f64>,
    /// Of each joint alone, and which one feels it first.
    alone: Vec<(f64, usize)>,
}

impl Asked<'_> {
    fn pose(&self, d: &mut FormsData<f64>, q: &[f64]) -> Result<Pose> {
        let (n, v) = (self.m.nv(), self.speeds);
        let form = configuration_space(self.m, d, q)?;
        let products = n * n.saturating_sub(1) / 2;
        let mut pose = Pose { together: vec![], alone: vec![(f64::INFINITY, 0); n] };
        for i in 0..n {
            let inertia: f64 = (0..n).map(|j| form.mass[i * n + j].abs() * self.accelerations[j]).sum();
            let allowed = self.x * (inertia + form.gravity[i].abs());
            let squares = &form.centrifugal[i * n..(i + 1) * n];
            // What rounding leaves of a coefficient that vanishes is none.
            let dust = 1e-13 * form.mass.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
            for (j, alone) in pose.alone.iter_mut().enumerate().filter(|(j, _)| squares[*j].abs() > dust) {
                let speed = (allowed / squares[j].abs()).sqrt();
                if speed < alone.0 {
                    *alone = (speed, i);
                }
            }
            let row = &form.coriolis[i * products..(i + 1) * products];
            let induced = largest(squares, row, v);
            let fastest = v.iter().fold(0.0_f64, |a, b| a.max(*b));
            let none = induced <= dust * fastest * fastest;
            pose.together.push(if none { f64::INFINITY } else { (allowed / induced).sqrt() });
        }
        Ok(pose)
    }
}

/// max_σ |Σ cⱼ vⱼ² + Σ bⱼₖ σⱼ vⱼ σₖ vₖ| over all directions σ; the first joint's may stay, for −σ gives the same.
fn largest(squares: &[f64], products: &[f64], v: &[f64]) -> f64 {
    let n = v.len();
    let still: f64 = squares.iter().zip(v).map(|(c, v)| c * v * v).sum();
    let pairs: Vec<(usize, usize, f64)> = (0..n)
        .flat_map(|j| (j + 1..n).map(move |k| (j, k)))
        .zip(products)
        .map(|((j, k), b)| (j, k, b * v[j] * v[k]))
        .filter(|p| p.2 != 0.0)
        .collect();
    let sum = |back: u32| {
        let sign = |(j, k, b): &(usize, usize, f64)| if (back >> j ^ back >> k) & 1 == 1 { -b } else { *b };
        (still + pairs.iter().map(sign).sum::<f64>()).abs()
    };
    (0..1u32 << n).step_by(2).map(sum).fold(0.0, f64::max)
}

/// From a configuration downhill within the region, one coordinate after another, by ever shorter steps.
fn descended(
    region: &JointRanges,
    mut q: Vec<f64>,
    mut least: f64,
    mut value: impl FnMut(&[f64]) -> Result<f64>,
) -> Result<(f64, Vec<f64>)> {
    if !least.is_finite() {
        return Ok((least, q));
    }
    let mut share = 0.05;
    while share > 1e-9 {
        let mut lower = false;
        for k in 0..q.len() {
            let r = region.intervals()[k];
            for way in [1.0, -1.0] {
                let mut next = q.clone();
                next[k] = (q[k] + way * share * (r.hi() - r.lo())).clamp(r.lo(), r.hi());
                if next[k] == q[k] {
                    continue;
                }
                let there = value(&next)?;
                // An equal value is no reason to walk on.
                if there < least * (1.0 - 1e-13) {
                    (least, q, lower) = (there, next, true);
                }
            }
        }
        if !lower {
            share *= 0.5;
        }
    }
    Ok((least, q))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_direction_is_found() {
        // |1·4 + 2·9 ± 5·2·3|: 52 forward, and 8 backward.
        assert_eq!(largest(&[1.0, 2.0], &[5.0], &[2.0, 3.0]), 52.0);
        assert_eq!(largest(&[1.0, 2.0], &[-5.0], &[2.0, 3.0]), 52.0);
        assert_eq!(largest(&[-3.0], &[], &[2.0]), 12.0);
    }
}
