//! What drives can give, and which of it binds.

use armdyn_core::Model;
use armdyn_numerics::{Error, Result};

/// Limits of each degree of freedom's drive; infinite where one is not known.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveLimits {
    /// Greatest torques \[N m, N\].
    pub effort: Vec<f64>,
    /// Greatest speeds \[rad/s, m/s\].
    pub speed: Vec<f64>,
    /// Root mean squares of the torque that are borne for ever \[N m, N\].
    pub rated: Vec<f64>,
}

impl DriveLimits {
    /// Those of the robot.
    pub fn of(m: &Model<f64>) -> Self {
        let all = |f: fn(&armdyn_core::Limits) -> f64| m.limits().iter().map(f).collect();
        DriveLimits { effort: all(|l| l.effort), speed: all(|l| l.speed), rated: all(|l| l.rated) }
    }

    /// Whether each is above 0, and there is one for each degree of freedom.
    pub fn check(&self, m: &Model<f64>) -> Result<()> {
        for (what, limits) in [("effort", &self.effort), ("speed", &self.speed), ("rated torque", &self.rated)] {
            if limits.len() != m.nv() {
                return Err(Error::InvalidInput(format!(
                    "{} limits of {what}, {} are asked for",
                    limits.len(),
                    m.nv()
                )));
            }
            if let Some(i) = limits.iter().position(|x| x.is_nan() || *x <= 0.0) {
                let joint = &m.dof_names()[i];
                return Err(Error::InvalidInput(format!(
                    "the {what} of `{joint}` is {}: it must be above 0",
                    limits[i]
                )));
            }
        }
        Ok(())
    }

    /// The degrees of freedom whose limit is not known.
    pub fn missing(m: &Model<f64>, limits: &[f64]) -> Vec<String> {
        limits.iter().zip(m.dof_names()).filter(|(x, _)| x.is_infinite()).map(|(_, name)| name.clone()).collect()
    }

    /// `Err` with the names of joints whose greatest torque is not known.
    pub fn need_effort(&self, m: &Model<f64>) -> Result<()> {
        let joints = DriveLimits::missing(m, &self.effort);
        if joints.is_empty() { Ok(()) } else { Err(Error::NoLimit { limit: armdyn_numerics::Limit::Effort, joints }) }
    }
}

/// A kind of limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The greatest torque.
    Effort,
    /// The greatest speed.
    Speed,
    /// What is borne for ever.
    Rated,
}

impl Limit {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Effort => "effort",
            Limit::Speed => "speed",
            Limit::Rated => "rated torque",
        }
    }
}

/// The limit that does not allow more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Binding {
    /// The degree of freedom.
    pub dof: usize,
    /// The limit.
    pub limit: Limit,
    /// The sample of the trajectory; none of what is over all of it.
    pub sample: Option<usize>,
}
