//! Motion of robot arms: trajectories, inverse kinematics, simulation and control.

pub mod cartesian_path;
pub mod control;
pub mod inverse_kinematics;
pub mod simulation;
mod singularity;
mod tracking;
pub mod trajectory;

pub use cartesian_path::{CartesianPath, PathError, PathOptions, ToolPath};
pub use control::Controller;
pub use inverse_kinematics::{IkMethod, IkOptions, IkReport, InverseKinematics, Target};
pub use simulation::Simulation;
pub use tracking::{JointTracking, Tracking};
