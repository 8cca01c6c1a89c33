//! Errors of the analyses.

use std::fmt;

/// Result with an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Fails with [`Error::InvalidInput`].
pub fn invalid<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::InvalidInput(message.into()))
}

/// Fails with [`Error::InvalidOption`].
pub fn invalid_option<T>(option: &'static str, message: impl Into<String>) -> Result<T> {
    Err(Error::InvalidOption { option, message: message.into() })
}

/// Why an analysis failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Joints have no value for a limit that the analysis requires.
    #[error("{} no {limit} limit", subject(joints))]
    NoLimit {
        /// The limit.
        limit: Limit,
        /// The joints without it.
        joints: Vec<String>,
    },
    /// Joints have no value for several limits that the analysis requires.
    #[error("{}", all_missing(.0))]
    NoLimits(Vec<(Limit, Vec<String>)>),
    /// A joint range is reversed or not finite.
    #[error("invalid range `{low}:{high}` of joint `{joint}`: expected two finite numbers, the lower end first")]
    Range {
        /// The joint.
        joint: String,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// A joint has a quaternion.
    #[error(
        "joint `{joint}` has a quaternion; this analysis supports only joints with one angle or length per degree of freedom"
    )]
    Joint {
        /// The joint.
        joint: String,
    },
    /// A controller was made for a robot of another name, or with other joints, than the simulated one.
    #[error(
        "the controller is for robot `{controller}` with the joints {}, but the simulated robot is `{simulated}` with the joints {}; \
         build the controller from a model of `{simulated}`",
        quoted(controller_joints),
        quoted(simulated_joints)
    )]
    ControllerOfAnotherRobot {
        /// The robot of the controller.
        controller: String,
        /// Its degrees of freedom.
        controller_joints: Vec<String>,
        /// The simulated robot.
        simulated: String,
        /// Its degrees of freedom.
        simulated_joints: Vec<String>,
    },
    /// A trajectory has another number of degrees of freedom than the robot.
    #[error(
        "the trajectory has {found} degrees of freedom, but robot `{robot}` has {}: {}; use a trajectory of `{robot}`",
        joints.len(),
        quoted(joints)
    )]
    TrajectoryOfAnotherRobot {
        /// Degrees of freedom of the trajectory.
        found: usize,
        /// The robot.
        robot: String,
        /// Its degrees of freedom.
        joints: Vec<String>,
    },
    /// A torque table has another number of columns than the robot has degrees of freedom.
    #[error(
        "the torque table has {found} columns, but robot `{robot}` has {} degrees of freedom: {}; use a table of `{robot}`",
        joints.len(),
        quoted(joints)
    )]
    TorquesOfAnotherRobot {
        /// Columns of the table.
        found: usize,
        /// The robot.
        robot: String,
        /// Its degrees of freedom.
        joints: Vec<String>,
    },
    /// A sample of a trajectory is invalid.
    #[error("trajectory sample {sample} (counted from 0): {what}")]
    Trajectory {
        /// The sample, counted from 0.
        sample: usize,
        /// What is wrong with it.
        what: String,
    },
    /// A value that another choice of an option resolves.
    #[error("{message}")]
    InvalidOption {
        /// The option, by the name of its field or method.
        option: &'static str,
        /// What is wrong.
        message: String,
    },
    /// Any other invalid input.
    #[error("{0}")]
    InvalidInput(String),
    /// An error of the core's algorithms.
    #[error(transparent)]
    Core(#[from] armdyn_core::Error),
}

impl Error {
    /// [`NoLimit`](Error::NoLimit) or [`NoLimits`](Error::NoLimits) of limits and the joints without them; none if no joint is.
    #[must_use]
    pub fn missing_limits(limits: impl IntoIterator<Item = (Limit, Vec<String>)>) -> Option<Self> {
        let mut missing: Vec<_> = limits.into_iter().filter(|(_, joints)| !joints.is_empty()).collect();
        match missing.len() {
            0 => None,
            1 => missing.pop().map(|(limit, joints)| Error::NoLimit { limit, joints }),
            _ => Some(Error::NoLimits(missing)),
        }
    }
}

/// A limit of a joint or of its drive.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Joint position.
    Position,
    /// Joint speed.
    Speed,
    /// Joint acceleration.
    Acceleration,
    /// Joint jerk.
    Jerk,
    /// Peak torque or force.
    Effort,
    /// Continuous (RMS) torque or force.
    Continuous,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Position => "position",
            Limit::Speed => "speed",
            Limit::Acceleration => "acceleration",
            Limit::Jerk => "jerk",
            Limit::Effort => "effort",
            Limit::Continuous => "continuous torque",
        })
    }
}

/// ``joint `a` has no speed limit, joints `a`, `b` have no jerk limit``.
fn all_missing(limits: &[(Limit, Vec<String>)]) -> String {
    let each = limits.iter().map(|(limit, joints)| format!("{} no {limit} limit", subject(joints)));
    each.collect::<Vec<_>>().join(", ")
}

/// ``joint `a` has`` or ``joints `a`, `b` have``.
fn subject(joints: &[String]) -> String {
    let (noun, verb) = if joints.len() == 1 { ("joint", "has") } else { ("joints", "have") };
    format!("{noun} {} {verb}", quoted(joints))
}

/// `` `a`, `b` ``.
fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
