//! Numerical methods of the analyses of a robot: sampling and searching joint ranges, guaranteed bounds, parallel
//! evaluation, trajectories and integration over time.

pub mod bound;
pub mod coefficients;
mod compiled_states;
mod continuous_trajectory;
mod error;
mod grid;
pub mod integrate;
mod joint_ranges;
pub mod objective;
mod parallel;
mod quasi_random;
pub mod search;
mod trajectory;

pub use compiled_states::{CompiledStates, Device};
pub use continuous_trajectory::{
    ContinuousTrajectory, FunctionTrajectory, PointToPoint, QuinticSpline, quintic_polynomial, require_dofs_of,
};
pub use error::{Error, Limit, Result, invalid, invalid_option};
pub use grid::{Grid, Plane};
pub use joint_ranges::{JointRange, JointRanges, require_scalar_coordinates};
pub use parallel::{parallel_map, parallel_ordered};
pub use quasi_random::{QuasiRandom, quantile};
pub use trajectory::{Peak, Trajectory, parabola_derivatives};

/// An accepted error: below either limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Relative to the magnitude of the value.
    pub relative: f64,
    /// In the unit of the value.
    pub absolute: f64,
}
