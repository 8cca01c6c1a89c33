//! Trajectories: splines, point-to-point moves, time-optimal motion along a path, excitation trajectories, and checks of any
//! trajectory against all limits.
//!
//! [`Waypoints`] are configurations to pass through. [`cubic_spline`] and [`quintic_spline`] pass through them at given times;
//! [`spline_within_limits`] chooses the times; [`straight_moves`] stops at each of them; [`time_optimal`] follows the spline
//! through them as fast as speeds, accelerations, torques and jerks allow. [`check`] finds the largest value of every quantity and
//! every exceeded limit.

#[cfg(feature = "plot")]
pub(crate) mod charts;
mod check;
mod fourier;
mod knot_times;
mod limits;
mod piecewise;
mod sampling;
mod speed_profile;
mod spline;
mod time_optimal;
mod time_scaling;
mod waypoints;

#[cfg(feature = "plot")]
pub use charts::{MotionQuantity, panels};
pub use check::{CheckReport, JointCheck, Singularity, Violation, check, check_samples};
pub use fourier::{Excitation, ExcitationOptions, FourierSeries, excitation};
pub use knot_times::spline_within_limits;
pub use limits::MotionLimits;
pub use piecewise::PiecewisePolynomial;
pub use sampling::sample;
pub use speed_profile::{SpeedProfile, straight_moves};
pub use spline::{SplineEnds, cubic_spline, quintic_spline};
pub use time_optimal::{PathTrajectory, TimeOptimalOptions, geometric_path, time_optimal};
pub use time_scaling::{TimeScaled, maximum_speed_scaling};
pub use waypoints::Waypoints;

/// Relative excess over a limit that is rounding.
pub(crate) const ROUNDING: f64 = 1e-9;
