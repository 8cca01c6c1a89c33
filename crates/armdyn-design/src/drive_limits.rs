//! Limits of drives, and which of them is active.

use armdyn_core::{EffortRange, Limits, Model};
use armdyn_numerics::{Error, Limit, Result, Trajectory, invalid};
use serde::{Serialize, Serializer};

/// Limits of the drive of each degree of freedom; infinite where unknown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DriveLimits {
    /// Torques or forces that the drives can produce \[N m, N\]; serialised as pairs of lower and upper limit.
    #[serde(serialize_with = "pairs")]
    pub effort: Vec<EffortRange>,
    /// Maximum speeds \[rad/s, m/s\].
    pub speed: Vec<f64>,
    /// Continuous (RMS) torques or forces \[N m, N\].
    pub continuous: Vec<f64>,
}

fn pairs<S: Serializer>(efforts: &[EffortRange], s: S) -> core::result::Result<S::Ok, S::Error> {
    s.collect_seq(efforts.iter().map(|e| [e.lower, e.upper]))
}

impl DriveLimits {
    /// The limits in the robot's description.
    pub fn of(m: &Model<f64>) -> Self {
        let all = |f: fn(&Limits) -> f64| m.limits().iter().map(f).collect();
        let effort = m.limits().iter().map(|l| l.effort).collect();
        DriveLimits { effort, speed: all(|l| l.speed), continuous: all(|l| l.continuous) }
    }

    /// Checks that there is a range of efforts, a positive speed and a positive torque for each degree of freedom.
    pub fn check(&self, m: &Model<f64>) -> Result<()> {
        let lengths = [self.effort.len(), self.speed.len(), self.continuous.len()];
        for (limit, n) in KINDS.into_iter().zip(lengths) {
            if n != m.nv() {
                return invalid(format!("{n} values for the {limit} limit; expected {}", m.nv()));
            }
        }
        for (i, joint) in m.dof_names().iter().enumerate() {
            for (limit, x) in [(Limit::Speed, self.speed[i]), (Limit::Continuous, self.continuous[i])] {
                if x.is_nan() || x <= 0.0 {
                    return invalid(format!("invalid {limit} limit `{x}` of joint `{joint}`: it must be above 0"));
                }
            }
            let effort = self.effort[i];
            if effort.half_width().is_nan() || effort.lower >= effort.upper {
                let rule = if effort.is_symmetric() { "it must be above 0" } else { "lower must be below upper" };
                return invalid(format!("invalid effort limit `{effort}` of joint `{joint}`: {rule}"));
            }
        }
        Ok(())
    }

    /// Whether the effort or continuous torque of any drive is known.
    pub(crate) fn any_torque(&self) -> bool {
        self.effort.iter().any(|e| *e != EffortRange::UNLIMITED) || self.continuous.iter().any(|x| x.is_finite())
    }

    /// Whether the efforts of all drives are known.
    pub(crate) fn all_efforts(&self) -> bool {
        self.effort.iter().all(EffortRange::is_known)
    }

    /// The joints, by their names, without a limit of each kind.
    pub fn missing(&self, names: &[String]) -> [(Limit, Vec<String>); 3] {
        let of = |unknown: &dyn Fn(usize) -> bool| -> Vec<String> {
            names.iter().enumerate().filter(|(i, _)| unknown(*i)).map(|(_, name)| name.clone()).collect()
        };
        [
            (Limit::Effort, of(&|i| !self.effort[i].is_known())),
            (Limit::Speed, of(&|i| self.speed[i].is_infinite())),
            (Limit::Continuous, of(&|i| self.continuous[i].is_infinite())),
        ]
    }

    /// Fails with the names of the joints whose effort limits are unknown.
    pub fn require_effort(&self, m: &Model<f64>) -> Result<()> {
        let [(limit, joints), ..] = self.missing(m.dof_names());
        if joints.is_empty() { Ok(()) } else { Err(Error::NoLimit { limit, joints }) }
    }
}

/// The kinds of limits.
const KINDS: [Limit; 3] = [Limit::Effort, Limit::Speed, Limit::Continuous];

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
