//! Motion of robot arms: trajectories, inverse kinematics, simulation and control.

pub mod control;
pub mod trajectory;

pub use control::Controller;
