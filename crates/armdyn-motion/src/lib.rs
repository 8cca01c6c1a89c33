//! Motion of robot arms: trajectories, inverse kinematics, simulation and control.

pub mod control;
mod gravity_compensation;
pub mod simulation;

pub use control::Controller;
pub use gravity_compensation::GravityCompensation;
pub use simulation::Simulation;
