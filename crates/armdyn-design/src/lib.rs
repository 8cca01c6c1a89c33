//! What a designer asks of a robot: how its inertia and gravity vary, which terms matter, how simple its model may be, and
//! what its drives must bear.
//!
//! After Bejczy 1974, section VII, for any robot whose coordinates are each one angle or one length.

mod acceleration;
mod capacity_map;
mod drive_limits;
pub mod importance;
mod moves;
mod payload;
pub mod range;
pub mod simplify;
mod size;
mod time_scaling;
mod wrench_peaks;

pub use acceleration::{Accelerating, Accelerations, Least, LeastAccelerations, TipAccelerations, least_accelerations};
pub use capacity_map::{CapacityMap, capacity_map};
pub use drive_limits::{Binding, DriveLimits, Limit};
pub use moves::{Moves, Profile, random_moves};
pub use payload::{Holding, Masses, payloads_along};
pub use simplify::{Simplified, SimplifyOptions, simplify};
pub use size::{DriveLoad, MOVING, Sizing, size};
pub use time_scaling::{ScaledTorque, TimeScaling, largest_time_scaling, scaled_torques};
pub use wrench_peaks::{WrenchPeaks, joint_frame, wrench_peaks};
