//! Which terms of τ = D q̈ + Σ Dⱼₖ q̇ⱼ q̇ₖ + g + friction matter, where, and how fast a motion may be before others do.
//!
//! Bejczy 1974, section VII.B–D: the reaction of another joint's acceleration beside the joint's own inertia, Rᵢⱼ = Dᵢⱼ / Dᵢᵢ
//! (his figures 4–7), gravity beside it, Kᵢ = gᵢ / Dᵢᵢ (figures 8–11), and section II: a motion is dynamically *slow* while
//! the torques that speeds induce can be left out.
//!
//! Deviations: drives' inertia is in every Dᵢᵢ (the report leaves that of joint 3 out of some); K is signed as the torque that
//! holds the robot, which the report has reversed; R is of the whole arm, where the report holds the wrist at zero.

mod figures;
mod parts;
mod ratio;
mod slow;
mod weigh;

pub use figures::{parts_chart, ratio_chart};
pub use parts::{Kind, Parts, PartsData, parts};
pub use ratio::{Ratio, RatioCurve, RatioRange, Sweep, ratio_curve, ratio_ranges};
pub use slow::{Alone, Boundary, Slow, slow};
pub use weigh::{Importance, JointImportance, Size, State, over_region, over_states, over_trajectory};
