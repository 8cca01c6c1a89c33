//! Integration tests of the crate, one module per subject.

mod analytic_inverse_kinematics;
mod cartesian_path;
mod closed_loop;
mod control;
mod dh;
mod inverse_kinematics;
mod simulation;
mod trajectory;
