//! Motion of robot arms: trajectories, inverse kinematics, simulation and control.

pub mod cartesian_path;
pub mod control;
mod gravity_compensation;
pub mod inverse_kinematics;
pub mod simulation;
pub mod trajectory;

pub use cartesian_path::{CartesianPath, PathError, PathOptions, ToolPath};
pub use control::Controller;
pub use gravity_compensation::GravityCompensation;
pub use inverse_kinematics::{IkOptions, IkReport, InverseKinematics, Target};
pub use simulation::Simulation;
