//! Controllers: joint torques from a measured state and a trajectory to follow.
//!
//! | file | law |
//! |---|---|
//! | `gravity_compensation.rs` | gravity compensation |
//! | `joint_space.rs` | PD, PD with gravity compensation, feed-forward, computed torque |
//! | `operational_space.rs` | computed torque in operational space, impedance |
//! | `adaptive.rs` | adaptive control of Slotine and Li |
//!
//! A controller has a model of its own, which may differ from the simulated robot: another payload, no friction.

mod adaptive;
mod gains;
mod gravity_compensation;
mod joint_space;
mod operational_space;
mod reference;

pub use adaptive::{AdaptiveController, AdaptiveOptions};
pub use gains::Gains;
pub use gravity_compensation::GravityCompensation;
pub use joint_space::{JointSpaceController, JointSpaceLaw};
pub use operational_space::{OperationalSpaceController, OperationalSpaceLaw};

use armdyn_numerics::Result;

/// A controller: joint torques from a measured state.
pub trait Controller {
    /// Writes the joint torques \[N m, N\] for the positions and velocities measured at the time `t` \[s\].
    ///
    /// A sampled controller is called once per sample, at increasing times; its torques hold until the next sample.
    fn torque(&mut self, t: f64, q: &[f64], qd: &[f64], tau: &mut [f64]) -> Result<()>;
}
