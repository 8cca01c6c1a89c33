//! Checks of a trajectory against every limit, with the instant and the joint.
//!
//! Extremes are those of dense samples on both sides of every knot: what lies between them is missed by the square of their distance,
//! which is at most 1/2000 of the duration.

use super::sampling::DenseSamples;
use super::{MotionLimits, ROUNDING};
use crate::singularity::{joint_list, smallest_singular_value};
use armdyn_core::{JacobianFrame, KinematicsData, Model, Motion, Progress, Tool, kinematics};
use armdyn_design::{PeakValue, drive_loads};
use armdyn_numerics::{ContinuousTrajectory, Limit, Result, Trajectory, require_dofs_of, require_scalar_coordinates};
use nalgebra::DMatrix;
use serde::Serialize;

/// Excess over a limit, as a fraction of it, that does not count: motions as fast as their limits allow are known to about this.
const SLACK: f64 = 1e-4;

/// The largest values of one joint. Jerks are infinite where accelerations jump.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointCheck {
    /// The degree of freedom.
    pub joint: String,
    /// Minimum position \[rad, m\].
    pub minimum: PeakValue,
    /// Maximum position \[rad, m\].
    pub maximum: PeakValue,
    /// Largest speed, with its sign \[rad/s, m/s\].
    pub speed: PeakValue,
    /// Largest acceleration, with its sign \[rad/s², m/s²\].
    pub acceleration: PeakValue,
    /// Largest jerk, with its sign \[rad/s³, m/s³\].
    pub jerk: PeakValue,
    /// Torque or force of the largest utilization, or of the largest magnitude without an effort limit \[N m, N\].
    pub effort: PeakValue,
    /// RMS torque or force \[N m, N\].
    pub rms_effort: f64,
}

/// A limit that is exceeded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Violation {
    /// The degree of freedom.
    pub joint: String,
    /// The limit.
    pub limit: Limit,
    /// The value.
    pub value: f64,
    /// The allowed range.
    pub allowed: [f64; 2],
    /// Instant \[s\]; none for a mean over time.
    pub t: Option<f64>,
}

/// The configuration nearest to a singularity of the tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Singularity {
    /// Smallest singular value of the tool's Jacobian, with lengths in metres and angles in radians.
    pub singular_value: f64,
    /// Instant \[s\].
    pub t: f64,
    /// Configuration \[rad, m\].
    pub q: Vec<f64>,
    /// The joints whose combined motion moves the tool least there, the fastest first.
    pub joints: Vec<String>,
}

impl Singularity {
    /// The names of its joints in a sentence.
    #[must_use]
    pub fn joint_list(&self) -> String {
        joint_list(&self.joints)
    }
}

/// What a trajectory needs, against all limits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckReport {
    /// Duration \[s\].
    pub duration: f64,
    /// The largest values of each joint.
    pub joints: Vec<JointCheck>,
    /// Exceeded limits.
    pub violations: Vec<Violation>,
    /// The configuration nearest to a singularity, if there is a tool.
    pub singularity: Option<Singularity>,
}

/// Checks a trajectory against all limits, and how near the tool comes to a singularity.
pub fn check(
    m: &Model<f64>,
    trajectory: &dyn ContinuousTrajectory,
    limits: &MotionLimits,
    tool: Option<&Tool>,
) -> Result<CheckReport> {
    require_scalar_coordinates(m)?;
    require_dofs_of(m, trajectory)?;
    limits.check(m)?;
    checked(m, &DenseSamples::new(trajectory, m.nv())?, trajectory.duration(), limits, tool)
}

/// Checks a sampled trajectory at its samples: between them nothing is known, and where accelerations jump an interpolant exceeds
/// them. Jerks are differences of accelerations.
pub fn check_samples(
    m: &Model<f64>,
    trajectory: Trajectory,
    limits: &MotionLimits,
    tool: Option<&Tool>,
) -> Result<CheckReport> {
    require_scalar_coordinates(m)?;
    limits.check(m)?;
    let duration = trajectory.t[trajectory.len() - 1] - trajectory.t[0];
    checked(m, &DenseSamples { trajectory, starts: vec![0] }, duration, limits, tool)
}

fn checked(
    m: &Model<f64>,
    dense: &DenseSamples,
    duration: f64,
    limits: &MotionLimits,
    tool: Option<&Tool>,
) -> Result<CheckReport> {
    let loads = drive_loads(m, &dense.trajectory, &limits.drive, &Progress::none())?;
    let mut violations = vec![];
    let joints = (0..m.nv()).map(|i| joint(m, dense, &loads.torques, loads.drives[i].rms, limits, i, &mut violations));
    let joints = joints.collect();
    let singularity = tool.map(|tool| singularity(m, dense, tool)).transpose()?;
    Ok(CheckReport { duration, joints, violations, singularity })
}

fn joint(
    m: &Model<f64>,
    dense: &DenseSamples,
    torques: &[f64],
    rms_effort: f64,
    limits: &MotionLimits,
    i: usize,
    violations: &mut Vec<Violation>,
) -> JointCheck {
    let (all, n) = (&dense.trajectory, m.nv());
    let name = &m.dof_names()[i];
    let column = |x: &'_ [f64]| -> Vec<f64> { x.iter().skip(i).step_by(n).copied().collect() };
    // The value that ranks highest.
    let best = |values: &mut dyn Iterator<Item = (f64, usize)>, rank: &dyn Fn(f64) -> f64| {
        let mut found: Option<(f64, usize)> = None;
        for (x, k) in values {
            if found.is_none_or(|(y, _)| rank(x) > rank(y)) {
                found = Some((x, k));
            }
        }
        let (value, sample) = found.unwrap_or((0.0, 0));
        PeakValue { value, t: all.t[sample] }
    };
    let of = |x: &[f64], rank: &dyn Fn(f64) -> f64| best(&mut column(x).into_iter().zip(0..), rank);
    let magnitude = |x: f64| x.abs();
    let range = limits.drive.effort[i];
    let by_use = |x: f64| range.utilization(x).unwrap_or(if range.half_width().is_infinite() { x.abs() } else { 0.0 });
    let found = JointCheck {
        joint: name.clone(),
        minimum: of(&all.q, &|x| -x),
        maximum: of(&all.q, &|x| x),
        speed: of(&all.qd, &magnitude),
        acceleration: of(&all.qdd, &magnitude),
        jerk: best(&mut dense.jerks(i), &magnitude),
        effort: of(torques, &by_use),
        rms_effort,
    };
    let (lower, upper) = limits.position[i];
    let either = |x: f64| [-x, x];
    let (drive, continuous) = (&limits.drive, limits.drive.continuous[i]);
    for (limit, peak, allowed) in [
        (Limit::Position, found.minimum, [lower, f64::INFINITY]),
        (Limit::Position, found.maximum, [f64::NEG_INFINITY, upper]),
        (Limit::Speed, found.speed, either(drive.speed[i])),
        (Limit::Acceleration, found.acceleration, either(limits.acceleration[i])),
        (Limit::Jerk, found.jerk, either(limits.jerk[i])),
        (Limit::Effort, found.effort, [range.lower, range.upper]),
        (Limit::Continuous, PeakValue { value: rms_effort, t: f64::NAN }, either(continuous)),
    ] {
        let slack = |end: f64| if limit == Limit::Position { ROUNDING * end.abs().max(1.0) } else { SLACK * end.abs() };
        let inside = |end: f64, sign: f64| end.is_infinite() || sign * (peak.value - end) <= slack(end);
        if !(inside(allowed[0], -1.0) && inside(allowed[1], 1.0)) {
            let allowed = if limit == Limit::Position { [lower, upper] } else { allowed };
            let t = Some(peak.t).filter(|t| t.is_finite());
            violations.push(Violation { joint: name.clone(), limit, value: peak.value, allowed, t });
        }
    }
    found
}

/// The sample with the smallest singular value of the tool's Jacobian.
fn singularity(m: &Model<f64>, dense: &DenseSamples, tool: &Tool) -> Result<Singularity> {
    let (all, mut data) = (&dense.trajectory, KinematicsData::new(m));
    let mut columns = vec![Motion::zero(); m.nv()];
    // The degrees of freedom that move the tool, and their columns: joints behind the tool and on other branches move nothing.
    let mut jacobian = |k: usize| -> Result<(Vec<usize>, DMatrix<f64>)> {
        kinematics(m, &mut data, all.state(k)[0])?;
        data.frame_jacobian(m, tool.link, Some(&tool.pose), JacobianFrame::Local, &mut columns)?;
        let moving: Vec<usize> = (0..m.nv()).filter(|i| columns[*i].components() != [0.0; 6]).collect();
        let jacobian = DMatrix::from_fn(6, moving.len(), |i, j| {
            let column = &columns[moving[j]];
            if i < 3 { column.linear.to_array()[i] } else { column.angular.to_array()[i - 3] }
        });
        Ok((moving, jacobian))
    };
    let (mut best, mut at) = (f64::INFINITY, 0);
    for k in 0..all.len() {
        let (moving, jacobian) = jacobian(k)?;
        if moving.is_empty() {
            continue;
        }
        let smallest = jacobian.singular_values().min();
        if smallest < best {
            (best, at) = (smallest, k);
        }
    }
    let (moving, jacobian) = jacobian(at)?;
    let least = if moving.is_empty() { vec![] } else { smallest_singular_value(jacobian).1 };
    let joints = least.into_iter().map(|j| m.dof_names()[moving[j]].clone()).collect();
    Ok(Singularity { singular_value: best, t: all.t[at], q: all.state(at)[0].to_vec(), joints })
}
