//! Tip-over analysis of a robot on wheels or feet: contact loads, stability margins, safe payload, speed scaling and reach.
//!
//! Lau 1985, chapter 6, corrected and for any number of contacts. The Newton–Euler recursion gives the wrench that the ground must
//! exert on base and arm for a given motion of both; [`crate::contact`] derives loads and margins from it. The restoring moment
//! about an edge is linear in the wrench, and so in the payload mass, in the accelerations and in the square of a speed scaling.
//!
//! Deviations from the thesis: N₁ = (M g hₓ + N_y)/s in place of 6-37; the support polygon in place of the rectangle 6-38,
//! 6-44, 6-45; friction opposes motion (6-5, 6-15); the wrench of the whole robot is counted once (6-31…6-45 count the arm twice).

mod analysis;
mod evaluator;
mod guaranteed;
mod inertia_bound;
mod limits;
mod reach;
mod trajectory;

pub use analysis::{
    ContactResult, EdgeResult, Ground, MaximumFriction, PayloadResult, TipoverAnalysis, TipoverOptions,
    TrajectoryResult, analyse_tipover,
};
pub use evaluator::{StabilityEvaluator, State, TipoverCase};
pub use guaranteed::{EdgeBound, GuaranteedStability, StateRanges, Verdict};
pub use limits::{CriticalEdge, SafeRange};
pub use reach::{Direction, ReachMap, ReachOptions, SafePath};
pub use trajectory::TrajectoryStability;
