//! What the ground bears under a robot on wheels or feet, and how far the robot is from tipping and slipping.
//!
//! Lau 1985, chapter 6, corrected and for any number of contacts. The recursion gives the wrench that the ground must exert
//! on the base, base and arm included, for a given motion of both. In the axes of the ground (x, y along it, n up), about its
//! origin, with contact i at (xᵢ, yᵢ) and loads Nᵢ:
//!
//!   Σ Nᵢ = Fₙ,   Σ yᵢ Nᵢ = Mₓ,   −Σ xᵢ Nᵢ = M_y                                  (1)
//!
//! and the zero-moment point is (−M_y, Mₓ)/Fₙ. The robot stands while it is within the contacts' hull: while the moment
//! Fₙ·distance about every edge holds the robot down ([`Edge::moment`]), which is linear in the wrench, so in the payload's mass,
//! in the accelerations and in the square of the pace.
//!
//! Deviations from the thesis: N₁ = (M g hₓ + N_y)/s in place of 6-37; the support polygon in place of the rectangle 6-38,
//! 6-44, 6-45; friction opposes motion (6-5, 6-15); the whole robot's wrench is counted once (6-31…6-45 count the arm twice).

mod along;
mod force_angle;
mod grip;
mod inertia_bound;
mod pictures;
mod proof;
mod reach;
mod shares;
mod stand;
mod support;

pub use along::{Along, SafeMasses, SafePace, State, along, safe_masses, safe_pace, worst_grip};
pub use force_angle::ForceAngle;
pub use grip::{Grip, Held};
pub use pictures::{reach_picture, top_view};
pub use proof::{NeverTips, Verdict, never_tips};
pub use reach::{Direction, ReachMap, SafeReach, reach_map, safe_reach};
pub use shares::Shares;
pub use stand::{BaseMotion, Demand, Margin, Stand, Standing};
pub use support::{Edge, Support};
