//! The model of a manipulator.

mod builder;
mod configuration;
mod drive;
mod joint;
mod link;
#[allow(clippy::module_inception)]
mod model;
mod pair;

pub use builder::{BASE, BuildError, LinkId, ModelBuilder};
pub use drive::{Drive, Friction, Limits, Rotor};
pub use joint::{Joint, JointKind, Order};
pub use link::{Link, Part};
pub(crate) use model::Inputs;
pub use model::{Body, Flag, JointInfo, LinkInfo, Model, Payload, RotorInfo};
pub use pair::{AccelerationTensor, Moving, Pair, tensor_times};
