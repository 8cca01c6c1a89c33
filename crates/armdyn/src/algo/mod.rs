//! The formulations, one a file, each from its own document.

mod aba;
mod boundary;
mod crba;
mod kinematics;
mod rnea;

pub use aba::{AbaData, aba};
pub use boundary::Boundary;
pub use crba::{CrbaData, crba};
pub use kinematics::{JacobianFrame, KinematicsData, kinematics};
pub use rnea::{JointWrench, RneaData, WrenchFrame, rnea};
