//! Limits of a motion: positions, speeds, accelerations, jerks and efforts.

use armdyn_core::Model;
use armdyn_design::DriveLimits;
use armdyn_numerics::{Error, Limit, Result, invalid};
use serde::Serialize;

/// Limits of each degree of freedom; infinite where there is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MotionLimits {
    /// Minimum and maximum positions \[rad, m\].
    pub position: Vec<(f64, f64)>,
    /// Maximum accelerations \[rad/s², m/s²\].
    pub acceleration: Vec<f64>,
    /// Maximum jerks \[rad/s³, m/s³\].
    pub jerk: Vec<f64>,
    /// Limits of the drives: efforts, speeds and continuous torques.
    #[serde(flatten)]
    pub drive: DriveLimits,
}

impl MotionLimits {
    /// The limits in the robot's description, which has none of accelerations and jerks.
    pub fn of(m: &Model<f64>) -> Self {
        let none = vec![f64::INFINITY; m.nv()];
        let position = m.limits().iter().map(|l| (l.lower, l.upper)).collect();
        MotionLimits { position, acceleration: none.clone(), jerk: none, drive: DriveLimits::of(m) }
    }

    /// Checks that every limit is of the right length and above 0.
    pub fn check(&self, m: &Model<f64>) -> Result<()> {
        self.drive.check(m)?;
        if self.position.len() != m.nv() {
            return invalid(format!("{} values for the position limit; expected {}", self.position.len(), m.nv()));
        }
        for (limit, values) in [(Limit::Acceleration, &self.acceleration), (Limit::Jerk, &self.jerk)] {
            if values.len() != m.nv() {
                return invalid(format!("{} values for the {limit} limit; expected {}", values.len(), m.nv()));
            }
            for (x, joint) in values.iter().zip(m.dof_names()) {
                if x.is_nan() || *x <= 0.0 {
                    return invalid(format!("invalid {limit} limit `{x}` of joint `{joint}`: it must be above 0"));
                }
            }
        }
        Ok(())
    }

    /// The values of a limit of magnitudes.
    fn values(&self, limit: Limit) -> &[f64] {
        match limit {
            Limit::Acceleration => &self.acceleration,
            Limit::Jerk => &self.jerk,
            Limit::Continuous => &self.drive.continuous,
            _ => &self.drive.speed,
        }
    }

    /// Fails with the names of all joints that move by `path` and lack one of these limits of speed, acceleration or jerk.
    pub fn require(&self, m: &Model<f64>, limits: &[Limit], path: &[f64]) -> Result<()> {
        let missing = |limit: &Limit| {
            let unknown = |i: &usize| path[*i] != 0.0 && self.values(*limit)[*i].is_infinite();
            (*limit, (0..m.nv()).filter(unknown).map(|i| m.dof_names()[i].clone()).collect())
        };
        Error::missing_limits(limits.iter().map(missing)).map_or(Ok(()), Err)
    }
}
