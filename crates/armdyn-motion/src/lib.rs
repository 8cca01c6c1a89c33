//! Motion of robot arms: trajectories, inverse kinematics, simulation and control.

pub mod control;

pub use control::Controller;
