//! Motion of robot arms: trajectories, inverse kinematics, simulation and control.

pub mod cartesian_path;
pub mod control;
pub mod inverse_kinematics;
pub mod trajectory;
mod gravity_compensation;
pub mod simulation;

pub use cartesian_path::{CartesianPath, PathError, PathOptions, ToolPath};
pub use control::Controller;
pub use inverse_kinematics::{IkOptions, IkReport, InverseKinematics, Target};
pub use gravity_compensation::GravityCompensation;
pub use simulation::Simulation;
