//! `armdyn tipover`.

use super::{Robot, Within};
use crate::trajectory::Source;
use crate::values;
use clap::Args;
use std::time::Duration;

/// `armdyn tipover`.
#[derive(Args)]
#[command(after_help = "Examples:
  armdyn tipover ur5e-on-wheels --q 0,-1,1,0,0,0 --payload 5
  armdyn tipover lau-movable --q 0.7,0.1,-0.6 --slope 10@90 --plot top
  armdyn tipover ur5e-on-wheels --guaranteed --speeds 0.2 --accelerations 0.3")]
pub struct Tipover {
    /// Joint positions [rad, m], by order (0.1,0.2,…) or by name (elbow=0.2,wrist=-1; others 0)
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, help_heading = "State")]
    pub q: Option<String>,
    /// Joint velocities [rad/s, m/s], by order or by name
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, help_heading = "State")]
    pub qd: Option<String>,
    /// Joint accelerations [rad/s², m/s²], by order or by name
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, help_heading = "State")]
    pub qdd: Option<String>,
    /// Joint trajectory (CSV, Parquet, npz) with columns t, q_JOINT and optionally qd_JOINT, qdd_JOINT
    #[arg(
        long, value_name = "FILE", help_heading = "State",
        conflicts_with_all = ["q", "qd", "qdd", "toward", "guaranteed"]
    )]
    pub trajectory: Option<Source>,
    /// Velocity of the base along its x and y axes and about the ground normal [m/s, m/s, rad/s]
    #[arg(long, value_name = "VX,VY,W", allow_hyphen_values = true, help_heading = "State")]
    pub base_velocity: Option<String>,
    /// Time derivative of the base velocity [m/s², m/s², rad/s²]
    #[arg(long, value_name = "AX,AY,AW", allow_hyphen_values = true, help_heading = "State")]
    pub base_acceleration: Option<String>,
    /// Slope of the ground and its uphill direction, from the base's x axis towards its y axis [degrees]
    #[arg(long, value_name = "ANGLE[@HEADING]", allow_hyphen_values = true, help_heading = "State")]
    pub slope: Option<String>,
    /// Position of the tool and of the safe payload in the last link's frame, or in that of @LINK [m]
    #[arg(long, value_name = "X,Y,Z[@LINK]", allow_hyphen_values = true, help_heading = "Limits")]
    pub payload_at: Option<String>,
    /// Compute how far the robot can go from --q straight towards this configuration before it tips [rad, m]
    #[arg(long, alias = "towards", value_name = "VALUES", allow_hyphen_values = true, help_heading = "Limits")]
    pub toward: Option<String>,
    /// Sample the safe reach of the tool in every direction, at rest, within the joint ranges
    #[arg(long, help_heading = "Limits")]
    pub reach: bool,
    /// Number of configurations sampled for --reach
    #[arg(
        long, value_name = "N", default_value_t = 50_000, help_heading = "Limits",
        value_parser = clap::value_parser!(u32).range(1..=10_000_000)
    )]
    pub samples: u32,
    /// Check that no state within the joint ranges, --speeds and --accelerations tips (guaranteed bound)
    #[arg(long, help_heading = "Guaranteed stability")]
    pub guaranteed: bool,
    /// Maximum joint speeds [rad/s, m/s]: one number for all joints, by order or by name; 0 by default
    #[arg(long, value_name = "VALUES", requires = "guaranteed", help_heading = "Guaranteed stability")]
    pub speeds: Option<String>,
    /// Maximum joint accelerations [rad/s², m/s²], likewise
    #[arg(long, value_name = "VALUES", requires = "guaranteed", help_heading = "Guaranteed stability")]
    pub accelerations: Option<String>,
    /// Computing time for --guaranteed (10s, 500ms, 1m)
    #[arg(
        long, value_name = "TIME", default_value = "60s", value_parser = values::duration,
        help_heading = "Guaranteed stability"
    )]
    pub budget: Duration,
    /// Seed of sampling and searches
    #[arg(long, default_value_t = 1, help_heading = "Guaranteed stability")]
    pub seed: u64,
    /// Plot `top` (contacts, support polygon, ZMP) or `reach` (map) to a .svg or .png file, or to the terminal
    #[arg(long, value_name = "WHAT[=FILE]", help_heading = "Output")]
    pub plot: Vec<String>,
    #[command(flatten)]
    pub within: Within,
    #[command(flatten)]
    pub robot: Robot,
}
