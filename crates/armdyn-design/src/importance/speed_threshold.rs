//! The speed at which velocity torques become significant: the boundary between dynamically slow and fast motion.
//!
//! Bejczy 1974, section II: a motion is slow while velocity torques are negligible; here, while at joint i they stay below the
//! fraction x of the others, whatever the direction of each joint,
//!
//!   s² max_σ |Σ Dᵢⱼₖ σⱼ vⱼ σₖ vₖ| ≤ x (Σ |Dᵢⱼ| aⱼ + |Dᵢ|),   σ = ±1
//!
//! with all joints at the fraction s of their speeds v, and accelerations up to a. The maximum s of a configuration is exact.
//! Friction is on neither side. For a single moving joint j at speed u: u² |Dᵢⱼⱼ| ≤ x (…). The minimum over configurations is
//! searched from many of them ([`minimum`]).

use super::ImportanceOptions;
use super::threshold_search::minimum;
use armdyn_core::{ConfigurationSpace, FormsData, Model, Progress, configuration_space};
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
    /// The minimum found, by descents from corners of the joint ranges and the smallest samples.
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
    /// The minimum found, by descents from corners of the joint ranges and the smallest samples.
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
    let sequence = QuasiRandom::new(ranges, options.seed);
    let problem = Problem::new(m, options, fraction, &sequence)?;
    let evaluate = |d: &mut FormsData<f64>, k: usize| problem.evaluate(d, &sequence.point(k));
    let samples = parallel_map(count, "speed threshold", progress, || Ok(FormsData::new(m)), evaluate)?;
    type Threshold<'a> = dyn Fn(&ConfigurationSpace<f64>, f64) -> f64 + Sync + 'a;
    let search = |values: Vec<f64>, threshold: &Threshold| -> (f64, Vec<f64>, Vec<f64>) {
        if values.is_empty() {
            return (f64::NAN, vec![], vec![f64::NAN; 101]);
        }
        let (minimum, at) = minimum(ranges, &sequence, &values, progress, |q, rounding| {
            configuration_space(m, &mut FormsData::new(m), q).map_or(f64::NAN, |form| threshold(&form, rounding))
        });
        let mut all: Vec<(f64, f64)> = values.into_iter().map(|x| (x, 1.0)).collect();
        let percentiles = (0..=100).map(|p| quantile(&mut all, p as f64 / 100.0)).collect();
        (minimum, at, percentiles)
    };
    let names = m.dof_names();
    let all_joints = |i: usize| {
        let values: Vec<f64> = samples.iter().map(|s| s.all_joints[i]).collect();
        let below = values.iter().filter(|s| **s >= 1.0).count();
        let (minimum, at, percentiles) = search(values, &|form, rounding| problem.all_joints(form, i, rounding));
        AllJointsThreshold {
            joint: names[i].clone(),
            minimum,
            at,
            p5: percentiles[5],
            median: percentiles[50],
            percentiles,
            full_speed_fraction: below as f64 / samples.len() as f64,
        }
    };
    let single_joint = |j: usize| -> Result<SingleJointThreshold> {
        let values = samples.iter().map(|s| s.single_joint[j]).collect();
        let (minimum, at, percentiles) = search(values, &|form, rounding| problem.single_joint(form, j, rounding).0);
        let limited_by = match minimum.is_finite() {
            true => {
                let mut d = FormsData::new(m);
                Some(names[problem.single_joint(&configuration_space(m, &mut d, &at)?, j, 0.0).1].clone())
            }
            false => None,
        };
        Ok(SingleJointThreshold { joint: names[j].clone(), minimum, at, median: percentiles[50], limited_by })
    };
    Ok(SpeedThreshold {
        robot: m.name().to_string(),
        fraction,
        configurations: samples.len(),
        partial: samples.len() < count,
        all_joints: (0..n).map(all_joints).collect(),
        single_joint: (0..n).map(single_joint).collect::<Result<_>>()?,
    })
}

/// The data of every configuration.
struct Problem<'a> {
    m: &'a Model<f64>,
    options: &'a ImportanceOptions,
    fraction: f64,
    /// Typical inertia and gravity torque of each joint.
    typical: Vec<f64>,
}

/// The thresholds of one configuration.
struct Thresholds {
    /// At each joint, when all move.
    all_joints: Vec<f64>,
    /// Of each joint, when only this one moves.
    single_joint: Vec<f64>,
}

impl<'a> Problem<'a> {
    fn new(
        m: &'a Model<f64>,
        options: &'a ImportanceOptions,
        fraction: f64,
        sequence: &QuasiRandom,
    ) -> Result<Problem<'a>> {
        const SAMPLES: usize = 64;
        let mut problem = Problem { m, options, fraction, typical: vec![0.0; m.nv()] };
        let mut d = FormsData::new(m);
        for k in 0..SAMPLES {
            let form = configuration_space(m, &mut d, &sequence.point(k))?;
            for i in 0..m.nv() {
                problem.typical[i] += problem.other_torques(&form, i, 0.0) / SAMPLES as f64;
            }
        }
        Ok(problem)
    }

    fn evaluate(&self, d: &mut FormsData<f64>, q: &[f64]) -> Result<Thresholds> {
        let (n, form) = (self.m.nv(), configuration_space(self.m, d, q)?);
        Ok(Thresholds {
            all_joints: (0..n).map(|i| self.all_joints(&form, i, 0.0)).collect(),
            single_joint: (0..n).map(|j| self.single_joint(&form, j, 0.0).0).collect(),
        })
    }

    /// Σ |Dᵢⱼ| aⱼ + |Dᵢ|, with |x| as √(x² + r²), where r is the fraction `rounding` of its typical value.
    fn other_torques(&self, form: &ConfigurationSpace<f64>, i: usize, rounding: f64) -> f64 {
        let (n, r) = (self.m.nv(), rounding * self.typical[i]);
        let inertia = (0..n).map(|j| (form.mass[i * n + j] * self.options.accelerations[j]).hypot(r));
        inertia.sum::<f64>() + form.gravity[i].hypot(r)
    }

    /// The fraction of full speed at which the velocity torque of a joint becomes significant.
    fn all_joints(&self, form: &ConfigurationSpace<f64>, i: usize, rounding: f64) -> f64 {
        let (n, v) = (self.m.nv(), &self.options.speeds);
        let products = n * n.saturating_sub(1) / 2;
        let row = &form.coriolis[i * products..(i + 1) * products];
        let induced = largest(&form.centrifugal[i * n..(i + 1) * n], row, v);
        let fastest = v.iter().fold(0.0_f64, |a, b| a.max(*b));
        match induced <= negligible(form) * fastest * fastest {
            true => f64::INFINITY,
            false => (self.fraction * self.other_torques(form, i, rounding) / induced).sqrt(),
        }
    }

    /// The speed of joint j alone at which a velocity torque becomes significant, and the joint at which it does.
    fn single_joint(&self, form: &ConfigurationSpace<f64>, j: usize, rounding: f64) -> (f64, usize) {
        let n = self.m.nv();
        let speed = |i: usize| match form.centrifugal[i * n + j].abs() {
            induced if induced <= negligible(form) => f64::INFINITY,
            induced => (self.fraction * self.other_torques(form, i, rounding) / induced).sqrt(),
        };
        (0..n).map(|i| (speed(i), i)).fold((f64::INFINITY, 0), |a, b| if b.0 < a.0 { b } else { a })
    }
}

/// Velocity coefficients below this vanish but for rounding.
fn negligible(form: &ConfigurationSpace<f64>) -> f64 {
    1e-13 * form.mass.iter().fold(0.0_f64, |a, b| a.max(b.abs()))
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
