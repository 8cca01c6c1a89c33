//! The formulations, one a file, each from its own document.

mod aba;
mod augmented;
mod boundary;
mod breakaway;
mod breakdown;
mod cartesian;
mod closed_form;
mod coefficients;
mod complementarity;
mod coriolis;
pub(crate) mod coriolis_operator;
mod crba;
mod derivatives;
mod dynamic_coefficients;
mod energy;
mod explain;
mod forms;
mod frame_motion;
mod kinematics;
mod lagrange;
mod minverse;
mod on_tree;
mod one_call;
mod packed;
mod regressor;
mod rnea;
mod stiction;
mod wrenches;

pub use aba::{AbaData, aba};
pub use augmented::{AugmentedData, augmented};
pub use boundary::{Boundary, ExternalWrench, WrenchAxes};
pub use breakdown::Breakdown;
pub use cartesian::{
    Cartesian, CartesianData, CartesianProducts, Rate, SINGULAR_CONDITION, Task, TaskDirection, cartesian,
    cartesian_products, movable_directions,
};
pub use closed_form::{ClosedFormData, JointVariables, Term, closed_form};
pub use coefficients::{CoefficientsData, Direction, coefficients, coefficients_tau};
pub use complementarity::{Complementarity, REST_TOLERANCE, Unsolved, force_scale};
pub use coriolis::{CoriolisData, christoffel, coriolis};
pub use crba::{CrbaData, crba};
pub use derivatives::{DerivativesData, aba_derivatives, aba_derivatives_from, rnea_derivatives};
pub use dynamic_coefficients::DynamicCoefficients;
pub use energy::{CentreOfMass, Energy, EnergyData, Momentum, centre_of_mass, energy, momentum};
pub use explain::{Cause, Contribution, Explanation, SplitBy, WrenchContribution, WrenchExplanation, explain};
pub use forms::{ConfigurationSpace, FormsData, StateSpace, configuration_space, state_space};
pub use frame_motion::{FrameMotion, FrameMotionData, frame_motions};
pub use kinematics::{JacobianFrame, KinematicsData, kinematics};
pub use lagrange::{Identities, LagrangeData, Omission, lagrange, lagrange_tau};
pub use minverse::{MinverseData, minverse};
pub use one_call::{ForwardDynamicsDerivatives, InverseDynamicsDerivatives};
pub use regressor::{LINK_PARAMETERS, Parameter, RegressorData, parameter_count, parameters, regressor};
pub use rnea::{RneaData, rnea, rnea_spatial};
pub use stiction::{FrictionState, Stiction, StictionData, stiction, stiction_at_rest};
pub use wrenches::{JointWrench, WrenchFrame};
