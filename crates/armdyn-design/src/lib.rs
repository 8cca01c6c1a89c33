//! Robot design: ranges of inertia and gravity, importance of torque terms, simplified models, and sizing of drives.
//!
//! After Bejczy 1974, section VII, for any robot whose joints have one angle or length per degree of freedom. Results are plain
//! values that serialise; charts of them need the feature `plot`.

mod acceleration;
mod capacity_map;
#[cfg(feature = "plot")]
pub mod charts;
#[cfg(feature = "plot")]
pub mod contribution_charts;
mod drive_limits;
mod drive_loads;
mod holding;
pub mod importance;
mod motors;
mod moves;
mod payload;
pub mod range;
mod reach;
pub mod servo;
pub mod simplify;
mod size;
mod speed_scaling;
mod state;
mod units;
mod wrench_peaks;

pub use acceleration::{
    AccelerationData, Accelerations, ConfigurationMinimum, JointAcceleration, MinimumAccelerations, TipAccelerations,
    TipMinimum, minimum_accelerations,
};
pub use capacity_map::{CapacityMap, CapacityOptions, WorstPayload, capacity_map};
pub use drive_limits::{ActiveLimit, DriveLimits};
pub use drive_loads::{DriveLoad, DriveLoads, ExceededLimit, MOVING_FRACTION, PeakValue, TorqueTerm, drive_loads};
pub use holding::CannotHold;
pub use motors::{
    Candidate, CatalogueRanking, JointCandidates, MotorLoad, MotorSide, Utilization, motor_loads, rank_catalogue,
};
pub use moves::{MoveOptions, Profile, RandomMoves, random_moves};
pub use payload::{PayloadRange, StaticPayload, payload_on_trajectory};
pub use reach::{Reach, reach};
pub use servo::{ServoOptions, ServoReport, servo};
pub use simplify::{Simplified, SimplifyOptions, simplify};
pub use size::{SizeOptions, SizeReport, TrajectoryPayload, size};
pub use speed_scaling::{ScaledTorque, SpeedScaling, maximum_speed_scaling, scaled_torques};
pub use state::State;
pub use wrench_peaks::{WrenchPeaks, joint_frame, wrench_peaks};
