//! The model of a manipulator.

mod beam;
mod builder;
mod checks;
mod configuration;
mod contact;
mod drive;
mod followers;
mod ids;
mod joint;
mod link;
mod lock;
#[allow(clippy::module_inception)]
mod model;
mod motor;
mod pair;
mod rebuild;
mod tool;
mod unit_payload;
mod validation;
mod views;

pub use beam::{Beam, LibraryMaterial, MATERIALS, Material, Section};
pub use builder::{BuildError, ModelBuilder};
pub(crate) use checks::Inputs;
pub use contact::{Contact, ContactFriction, ContactKind};
pub use drive::{Drive, EffortRange, Friction, Limits, Rotor};
pub(crate) use followers::Rows;
pub use followers::{Follower, Mimic};
pub use ids::{BASE, DofIndex, JointId, LinkId};
pub use joint::{Joint, JointAxis, JointKind, Order};
pub use link::{Link, Part};
pub use model::{Body, JointInfo, LinkInfo, Model, Payload, RotorInfo, Warning};
pub use motor::{Catalogue, Gear, Motor, OperatingLimit};
pub use pair::Pair;
pub(crate) use pair::{AccelerationTensor, Moving, tensor_times};
pub use tool::{Tool, ToolSource};
pub use unit_payload::UnitPayload;
pub use validation::{INERTIA_TOLERANCE, InertiaFault};
