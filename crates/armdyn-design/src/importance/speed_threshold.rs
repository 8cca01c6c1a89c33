//! The speed at which velocity torques become significant: the boundary between dynamically slow and fast motion.
//!
//! Bejczy 1974, section II: a motion is slow while velocity torques are negligible; here, while at joint i they stay below the
//! fraction x of the others, whatever the direction of each joint,
//!
//!   s² max_σ |Σ Dᵢⱼₖ σⱼ vⱼ σₖ vₖ| ≤ x (Σ |Dᵢⱼ| aⱼ + |gᵢ|),   σ = ±1
//!
//! with all joints at the fraction s of their speeds v, and accelerations up to a. The maximum s of a configuration is exact.
//! Friction is on neither side. For a single moving joint j at speed u: u² |Dᵢⱼⱼ| ≤ x (…).

use super::ImportanceOptions;
use armdyn_core::{FormsData, Model, Progress, configuration_space};
use armdyn_numerics::{JointRanges, QuasiRandom, Result, invalid, parallel_map, quantile};
use serde::Serialize;

/// Maximum number of joints: all 2ⁿ⁻¹ combinations of directions are evaluated.
const MAX_JOINTS: usize = 12;

/// The speed at which velocity torques become significant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpeedThreshold {
    /// The robot.
    pub robot: String,
    /// The fraction of the other torques at which velocity torques count as significant.
    pub fraction: f64,
    /// Number of configurations.
    pub configurations: usize,
    /// Whether the work was cancelled.
    pub partial: bool,
    /// At each joint, when all joints move.
    pub all_joints: Vec<AllJointsThreshold>,
    /// Of each joint, when only this joint moves.
    pub single_joint: Vec<SingleJointThreshold>,
}

/// The fraction of their full speeds up to which all joints can move; infinite where velocity torques vanish.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AllJointsThreshold {
    /// The joint at which velocity torques become significant.
    pub joint: String,
    /// The minimum found, by a descent from the minimum of the samples.
    pub minimum: f64,
    /// Its configuration.
    pub at: Vec<f64>,
    /// 5th percentile.
    pub p5: f64,
    /// Median.
    pub median: f64,
    /// Percentiles 0 to 100.
    #[serde(skip)]
    pub percentiles: Vec<f64>,
    /// Fraction of the configurations in which motion at full speed is below the threshold.
    pub full_speed_fraction: f64,
}

/// The speed up to which a single joint can move \[rad/s, m/s\]; infinite where it induces no torque at other joints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SingleJointThreshold {
    /// The joint that moves.
    pub joint: String,
    /// The minimum found, by a descent from the minimum of the samples.
    pub minimum: f64,
    /// Its configuration.
    pub at: Vec<f64>,
    /// Median.
    pub median: f64,
    /// The joint whose velocity torque becomes significant first, at the minimum.
    pub limited_by: Option<String>,
}

/// The threshold at the fraction `fraction` of the other torques, over configurations within joint ranges.
pub fn speed_threshold(
    m: &Model<f64>,
    ranges: &JointRanges,
    options: &ImportanceOptions,
    fraction: f64,
    progress: &Progress,
) -> Result<SpeedThreshold> {
    let (n, count) = (m.nv(), options.samples);
    if n > MAX_JOINTS {
        return invalid(format!("`{}` has {n} joints; the speed threshold supports at most {MAX_JOINTS}", m.name()));
    }
    let problem = Problem { m, options, fraction };
    let sequence = QuasiRandom::new(ranges, options.seed);
    let evaluate = |d: &mut FormsData<f64>, k: usize| problem.evaluate(d, &sequence.point(k));
    let samples = parallel_map(count, "speed threshold", progress, || Ok(FormsData::new(m)), evaluate)?;
    let minimum = |value: &dyn Fn(&Thresholds) -> f64| -> Result<(f64, Vec<f64>, Vec<f64>)> {
        let mut all: Vec<(f64, f64)> = samples.iter().map(|s| (value(s), 1.0)).collect();
        let best = (0..all.len()).reduce(|a, b| if all[b].0 < all[a].0 { b } else { a });
        let Some(k) = best else { return Ok((f64::NAN, vec![], vec![f64::NAN; 101])) };
        let mut d = FormsData::new(m);
        let (minimum, at) = descend(ranges, sequence.point(k), all[k].0, |q| Ok(value(&problem.evaluate(&mut d, q)?)))?;
        let percentiles = (0..=100).map(|p| quantile(&mut all, p as f64 / 100.0)).collect();
        Ok((minimum, at, percentiles))
    };
    let names = m.dof_names();
    let all_joints = |i: usize| {
        let (minimum, at, percentiles) = minimum(&|s| s.all_joints[i])?;
        let below = samples.iter().filter(|s| s.all_joints[i] >= 1.0).count();
        Ok(AllJointsThreshold {
            joint: names[i].clone(),
            minimum,
            at,
            p5: percentiles[5],
            median: percentiles[50],
            percentiles,
            full_speed_fraction: below as f64 / samples.len() as f64,
        })
    };
    let single_joint = |j: usize| {
        let (minimum, at, percentiles) = minimum(&|s| s.single_joint[j].0)?;
        let limited_by = match minimum.is_finite() {
            true => Some(names[problem.evaluate(&mut FormsData::new(m), &at)?.single_joint[j].1].clone()),
            false => None,
        };
        Ok(SingleJointThreshold { joint: names[j].clone(), minimum, at, median: percentiles[50], limited_by })
    };
    Ok(SpeedThreshold {
        robot: m.name().to_string(),
        fraction,
        configurations: samples.len(),
        partial: samples.len() < count,
        all_joints: (0..n).map(all_joints).collect::<Result<_>>()?,
        single_joint: (0..n).map(single_joint).collect::<Result<_>>()?,
    })
}

/// The data of every configuration.
struct Problem<'a> {
    m: &'a Model<f64>,
    options: &'a ImportanceOptions,
    fraction: f64,
}

/// The thresholds of one configuration.
struct Thresholds {
    /// At each joint, when all move.
    all_joints: Vec<f64>,
    /// Of each joint, when only this one moves, and the joint that limits it.
    single_joint: Vec<(f64, usize)>,
}

impl Problem<'_> {
    fn evaluate(&self, d: &mut FormsData<f64>, q: &[f64]) -> Result<Thresholds> {
        let (n, v) = (self.m.nv(), &self.options.speeds);
        let form = configuration_space(self.m, d, q)?;
        let products = n * n.saturating_sub(1) / 2;
        let mut found = Thresholds { all_joints: vec![], single_joint: vec![(f64::INFINITY, 0); n] };
        for i in 0..n {
            let inertia: f64 = (0..n).map(|j| form.mass[i * n + j].abs() * self.options.accelerations[j]).sum();
            let allowed = self.fraction * (inertia + form.gravity[i].abs());
            let squares = &form.centrifugal[i * n..(i + 1) * n];
            // Coefficients below this vanish but for rounding.
            let rounding = 1e-13 * form.mass.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
            for (j, single) in found.single_joint.iter_mut().enumerate().filter(|(j, _)| squares[*j].abs() > rounding) {
                let speed = (allowed / squares[j].abs()).sqrt();
                if speed < single.0 {
                    *single = (speed, i);
                }
            }
            let row = &form.coriolis[i * products..(i + 1) * products];
            let induced = largest(squares, row, v);
            let fastest = v.iter().fold(0.0_f64, |a, b| a.max(*b));
            let vanishes = induced <= rounding * fastest * fastest;
            found.all_joints.push(if vanishes { f64::INFINITY } else { (allowed / induced).sqrt() });
        }
        Ok(found)
    }
}

/// max_σ |Σ cⱼ vⱼ² + Σ bⱼₖ σⱼ vⱼ σₖ vₖ| over all directions σ; that of the first joint is fixed, since −σ is equivalent.
fn largest(squares: &[f64], products: &[f64], v: &[f64]) -> f64 {
    let n = v.len();
    let centrifugal: f64 = squares.iter().zip(v).map(|(c, v)| c * v * v).sum();
    let pairs: Vec<(usize, usize, f64)> = (0..n)
        .flat_map(|j| (j + 1..n).map(move |k| (j, k)))
        .zip(products)
        .map(|((j, k), b)| (j, k, b * v[j] * v[k]))
        .filter(|p| p.2 != 0.0)
        .collect();
    let sum = |back: u32| {
        let sign = |(j, k, b): &(usize, usize, f64)| if (back >> j ^ back >> k) & 1 == 1 { -b } else { *b };
        (centrifugal + pairs.iter().map(sign).sum::<f64>()).abs()
    };
    (0..1u32 << n).step_by(2).map(sum).fold(0.0, f64::max)
}

/// Coordinate descent within joint ranges, with decreasing steps.
fn descend(
    ranges: &JointRanges,
    mut q: Vec<f64>,
    mut minimum: f64,
    mut value: impl FnMut(&[f64]) -> Result<f64>,
) -> Result<(f64, Vec<f64>)> {
    if !minimum.is_finite() {
        return Ok((minimum, q));
    }
    let mut step = 0.05;
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
                let candidate = value(&next)?;
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
    Ok((minimum, q))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_velocity_torque_is_found() {
        // |1·4 + 2·9 ± 5·2·3|: 52 forward, and 8 backward.
        assert_eq!(largest(&[1.0, 2.0], &[5.0], &[2.0, 3.0]), 52.0);
        assert_eq!(largest(&[1.0, 2.0], &[-5.0], &[2.0, 3.0]), 52.0);
        assert_eq!(largest(&[-3.0], &[], &[2.0]), 12.0);
    }
}
