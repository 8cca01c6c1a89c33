//! Limits of drives, and which of them is active.

use armdyn_core::Model;
use armdyn_numerics::{Error, Limit, Result, Trajectory, invalid};
use serde::Serialize;

/// Limits of the drive of each degree of freedom; infinite where unknown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DriveLimits {
    /// Peak torques or forces \[N m, N\].
    pub effort: Vec<f64>,
    /// Maximum speeds \[rad/s, m/s\].
    pub speed: Vec<f64>,
    /// Continuous (RMS) torques or forces \[N m, N\].
    pub continuous: Vec<f64>,
}

impl DriveLimits {
    /// The limits in the robot's description.
    pub fn of(m: &Model<f64>) -> Self {
        let all = |f: fn(&armdyn_core::Limits) -> f64| m.limits().iter().map(f).collect();
        DriveLimits { effort: all(|l| l.effort), speed: all(|l| l.speed), continuous: all(|l| l.continuous) }
    }

    /// Checks that there is one positive value for each degree of freedom.
    pub fn check(&self, m: &Model<f64>) -> Result<()> {
        for (limit, values) in self.kinds() {
            if values.len() != m.nv() {
                return invalid(format!("{} values for the {limit} limit; expected {}", values.len(), m.nv()));
            }
            if let Some((x, joint)) = values.iter().zip(m.dof_names()).find(|(x, _)| x.is_nan() || **x <= 0.0) {
                return invalid(format!("invalid {limit} limit `{x}` of joint `{joint}`: it must be above 0"));
            }
        }
        Ok(())
    }

    /// The values of each kind of limit.
    pub(crate) fn kinds(&self) -> [(Limit, &[f64]); 3] {
        [(Limit::Effort, &self.effort), (Limit::Speed, &self.speed), (Limit::Continuous, &self.continuous)]
    }

    /// The joints, by their names, whose limit is unknown.
    pub fn missing(names: &[String], limits: &[f64]) -> Vec<String> {
        limits.iter().zip(names).filter(|(x, _)| x.is_infinite()).map(|(_, name)| name.clone()).collect()
    }

    /// Fails with the names of the joints whose effort limit is unknown.
    pub fn require_effort(&self, m: &Model<f64>) -> Result<()> {
        let joints = DriveLimits::missing(m.dof_names(), &self.effort);
        if joints.is_empty() { Ok(()) } else { Err(Error::NoLimit { limit: Limit::Effort, joints }) }
    }
}

/// The limit that is reached first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ActiveLimit {
    /// The degree of freedom.
    pub joint: String,
    /// The limit.
    pub limit: Limit,
    /// Time on the trajectory \[s\]; none for a mean over time or a configuration.
    pub t: Option<f64>,
}

/// An [`ActiveLimit`] by indices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LimitIndex {
    pub dof: usize,
    pub limit: Limit,
    pub sample: Option<usize>,
}

impl LimitIndex {
    pub fn named(self, m: &Model<f64>, trajectory: &Trajectory) -> ActiveLimit {
        let joint = m.dof_names()[self.dof].clone();
        ActiveLimit { joint, limit: self.limit, t: self.sample.map(|k| trajectory.t[k]) }
    }
}
