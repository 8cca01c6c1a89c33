//! Motion of robot arms: trajectories, inverse kinematics, simulation and control.

pub mod control;
pub mod simulation;

pub use control::Controller;
pub use simulation::Simulation;
