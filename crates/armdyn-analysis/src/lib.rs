//! What a designer asks of a robot: how its inertia and gravity vary, which terms matter, how simple its model may be, and
//! what its drives must bear.
//!
//! After Bejczy 1974, section VII, for any robot whose coordinates are each one angle or one length.

mod acceleration;
pub mod bound;
mod capacity_map;
mod cells;
pub mod deflection;
mod drive_limits;
mod error;
pub mod importance;
mod in_order;
pub mod measure;
mod moves;
mod payload;
pub mod plot;
pub mod range;
mod region;
pub mod search;
pub mod simplify;
mod size;
mod skeleton;
mod spread;
mod symmetric;
mod time_scaling;
pub mod tipover;
mod trajectory;
mod watch;
mod wrench_peaks;

pub use acceleration::{Accelerating, Accelerations, Least, LeastAccelerations, TipAccelerations, least_accelerations};
pub use capacity_map::{CapacityMap, Plane, capacity_map};
pub use drive_limits::{Binding, DriveLimits, Limit};
pub use error::{Error, Result};
pub use moves::{Moves, Profile, random_moves};
pub use payload::{Holding, Load, Masses, payloads_along};
pub use region::Region;
pub use simplify::{Simplified, SimplifyOptions, simplify};
pub use size::{DriveLoad, MOVING, Peak, Sizing, size};
pub use skeleton::skeleton;
pub use time_scaling::{ScaledTorque, TimeScaling, largest_time_scaling, scaled_torques};
pub use trajectory::Trajectory;
pub use watch::Watch;
pub use wrench_peaks::{WrenchPeaks, joint_frame, wrench_peaks};
