//! What is asked of inverse kinematics, and what it reports.

use armdyn_core::{Rotation, Transform, Vec3};
use armdyn_numerics::{Result, invalid};
use serde::Serialize;

/// What a frame is to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Target {
    /// A position and an orientation in the base.
    Pose(Transform<f64>),
    /// A position \[m\] in the base, with any orientation.
    Position(Vec3<f64>),
}

impl Target {
    /// Number of directions that it prescribes.
    #[must_use]
    pub fn directions(&self) -> usize {
        if let Target::Pose(_) = self { 6 } else { 3 }
    }

    /// The position \[m\].
    #[must_use]
    pub fn position(&self) -> Vec3<f64> {
        match self {
            Target::Pose(pose) => pose.translation,
            Target::Position(p) => *p,
        }
    }

    /// Fails if a number is not finite, or the rotation is none.
    pub(super) fn check(&self) -> Result<()> {
        if !self.position().is_finite() {
            return invalid("the target position is not finite");
        }
        let Target::Pose(Transform { rotation: Rotation { x, y, z }, .. }) = self else { return Ok(()) };
        let lengths = [x.dot(*x) - 1.0, y.dot(*y) - 1.0, z.dot(*z) - 1.0, x.cross(*y).dot(*z) - 1.0];
        let angles = [x.dot(*y), x.dot(*z), y.dot(*z)];
        match lengths.iter().chain(&angles).all(|e| e.abs() < 1e-6) {
            true => Ok(()),
            false => invalid("the target rotation is not a rotation: its axes are not orthonormal and right-handed"),
        }
    }
}

/// Options of [`InverseKinematics`](super::InverseKinematics).
#[derive(Clone, Debug, PartialEq)]
pub struct IkOptions {
    /// Errors of the position \[m\] and of the rotation \[rad\] at which a target counts as reached. The iteration goes on
    /// below them, to rounding errors.
    pub tolerance: f64,
    /// Configurations to start from: the given one, then quasi-random ones within the joint limits.
    pub starts: usize,
    /// Seed of the quasi-random configurations.
    pub seed: u64,
    /// Maximum number of iterations from each start.
    pub iterations: usize,
    /// Whether redundant arms move towards the middle of their joint ranges while the frame stays at the target.
    pub centring: bool,
    /// Whether a revolute joint that reaches a limit may continue at the same angle a full turn back. Off: the joint
    /// positions can be reached from the start by a continuous motion.
    pub full_turns: bool,
    /// Whether a robot whose axes allow it is solved in closed form first. It is not if `full_turns` is off.
    pub analytic: bool,
    /// Difference of a joint \[rad; prismatic joints: of the length of the arm\] by which solutions of redundant arms that
    /// [`solve_all`](crate::InverseKinematics::solve_all) lists differ at least.
    pub separation: f64,
}

impl Default for IkOptions {
    fn default() -> Self {
        IkOptions {
            tolerance: 1e-10,
            starts: 100,
            seed: 0,
            iterations: 100,
            centring: true,
            full_turns: true,
            analytic: true,
            separation: 0.2,
        }
    }
}

/// How far a solution is from its target, and how it was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct IkReport {
    /// Whether both errors are within the tolerance.
    pub solved: bool,
    /// Distance from the target \[m\].
    pub position_error: f64,
    /// Angle from the target's orientation \[rad\]; none if the target has no orientation.
    pub rotation_error: Option<f64>,
    /// How it was found.
    pub method: IkMethod,
    /// Iterations from all starts.
    pub iterations: usize,
    /// Starts that were used; closed-form solutions that were tried, if one of them is the result.
    pub starts: usize,
}

/// How a solution was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum IkMethod {
    /// In closed form from the placement of the axes, then iterated to the tolerance.
    Analytic,
    /// By iteration from a start.
    Numerical,
}
