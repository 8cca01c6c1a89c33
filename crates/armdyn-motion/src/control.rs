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

use armdyn_core::Model;
use armdyn_numerics::{Error, Result, invalid};

/// A controller: joint torques from a measured state.
pub trait Controller {
    /// Writes the joint torques \[N m, N\] for the positions and velocities measured at the time `t` \[s\].
    ///
    /// A sampled controller is called once per sample, at increasing times; its torques hold until the next sample.
    fn torque(&mut self, t: f64, q: &[f64], qd: &[f64], tau: &mut [f64]) -> Result<()>;

    /// The model that it computes with, if it has one. A simulation of a robot with another name or other joints is then an error;
    /// payload, friction and other parameters may differ.
    fn model(&self) -> Option<&Model<f64>> {
        None
    }
}

/// Fails if a controller was made for another robot.
pub(crate) fn require_robot(controller: &dyn Controller, robot: &Model<f64>) -> Result<()> {
    match controller.model() {
        Some(model) if model.name() != robot.name() || model.coordinate_names() != robot.coordinate_names() => {
            Err(Error::ControllerOfAnotherRobot {
                controller: model.name().to_string(),
                controller_joints: model.dof_names().to_vec(),
                simulated: robot.name().to_string(),
                simulated_joints: robot.dof_names().to_vec(),
            })
        }
        _ => Ok(()),
    }
}

/// Fails unless a measured state, and the torques to write, have the lengths of a controller's model.
fn require_lengths(m: &Model<f64>, q: &[f64], qd: &[f64], tau: &[f64]) -> Result<()> {
    let ([nq, nv], found) = ([m.nq(), m.nv()], [q.len(), qd.len(), tau.len()]);
    if found == [nq, nv, nv] {
        return Ok(());
    }
    let ([positions, velocities, torques], robot) = (found, m.name());
    invalid(format!(
        "{positions} positions, {velocities} velocities and {torques} torques for the controller of robot `{robot}`; expected {nq}, {nv} \
         and {nv}"
    ))
}
