//! A state of motion.

use armdyn_numerics::Trajectory;
use serde::Serialize;

/// Position, velocity and acceleration at one instant.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct State {
    /// Time on a trajectory \[s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t: Option<f64>,
    /// Position.
    pub q: Vec<f64>,
    /// Velocity.
    pub qd: Vec<f64>,
    /// Acceleration.
    pub qdd: Vec<f64>,
}

impl State {
    /// The state of a sample.
    pub fn of(trajectory: &Trajectory, sample: usize) -> Self {
        let [q, qd, qdd] = trajectory.state(sample).map(<[f64]>::to_vec);
        State { t: Some(trajectory.t[sample]), q, qd, qdd }
    }
}
