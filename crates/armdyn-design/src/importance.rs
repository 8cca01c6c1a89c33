//! Importance of the terms of τ = D q̈ + Σ Dⱼₖ q̇ⱼ q̇ₖ + g + friction, and the speed at which velocity torques become significant.
//!
//! Bejczy 1974, section VII.B–D: the reaction of another joint's acceleration relative to the joint's own inertia,
//! Rᵢⱼ = Dᵢⱼ / Dᵢᵢ (his figures 4–7), gravity relative to it, Kᵢ = Dᵢ / Dᵢᵢ (figures 8–11), and section II: motion is
//! dynamically *slow* while velocity torques are negligible.
//!
//! Deviations: Dᵢᵢ always includes the inertia of the drive (the report omits that of joint 3 in places); K has the sign of the
//! holding torque, opposite to the report; R is that of the whole arm, where the report fixes the wrist at zero.

mod ratio;
mod speed_threshold;
mod statistics;
mod threshold_search;
mod torque_terms;

pub use ratio::{
    CurvePoint, Ratio, RatioCurve, RatioCurves, RatioRange, RatioRanges, Sweep, ratio_curve, ratio_ranges,
};
pub use speed_threshold::{AllJointsThreshold, SingleJointThreshold, SpeedThreshold, speed_threshold};
pub use statistics::{JointImportance, TermImportance, TermStatistics, over_ranges, over_states, over_trajectory};
pub use torque_terms::{TermKind, TorqueTerms, torque_terms};

/// Assumed motion and sampling of configurations within joint ranges.
#[derive(Clone, Debug)]
pub struct ImportanceOptions {
    /// Speed of each degree of freedom \[rad/s, m/s\].
    pub speeds: Vec<f64>,
    /// Acceleration of each degree of freedom \[rad/s², m/s²\].
    pub accelerations: Vec<f64>,
    /// Number of configurations.
    pub samples: usize,
    /// Seed of the configurations.
    pub seed: u64,
}
