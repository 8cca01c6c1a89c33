//! Spatial algebra: the types of the domain.

mod force;
mod inertia;
mod mat4;
mod motion;
mod rotation;
mod sym3;
mod transform;
mod vec3;

pub use force::Force;
pub use inertia::Inertia;
pub use mat4::Mat4;
pub use motion::Motion;
pub use rotation::Rotation;
pub use sym3::Sym3;
pub use transform::Transform;
pub use vec3::{Vec3, vec3};
