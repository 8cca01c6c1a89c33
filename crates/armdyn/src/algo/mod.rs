//! The formulations, one a file, each from its own document.

mod aba;
mod boundary;
mod closed_form;
mod coefficients;
mod crba;
mod derivatives;
mod explain;
mod kinematics;
mod minverse;
mod regressor;
mod rnea;
pub(crate) mod sway;

pub use aba::{AbaData, aba};
pub use boundary::Boundary;
pub use closed_form::{ClosedFormData, Term, closed_form};
pub use coefficients::{CoefficientsData, Direction, coefficients, coefficients_tau};
pub use crba::{CrbaData, crba};
pub use derivatives::{DerivativesData, aba_derivatives, rnea_derivatives};
pub use explain::{Cause, Explanation, Share, explain};
pub use kinematics::{JacobianFrame, KinematicsData, kinematics};
pub use minverse::{MinverseData, minverse};
pub use regressor::{LINK_PARAMETERS, Parameter, RegressorData, parameter_count, parameters, regressor};
pub use rnea::{JointWrench, RneaData, WrenchFrame, rnea};
