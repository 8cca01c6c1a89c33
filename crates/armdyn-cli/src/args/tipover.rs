//! `armdyn tipover`.

use super::{Motion, Robot, Within};
use crate::values;
use clap::Args;
use std::time::Duration;

/// `armdyn tipover`.
#[derive(Args, Default)]
#[command(after_help = "Examples:
  armdyn tipover ur5e-on-wheels --q 0,-1,1,0,0,0 --payload 5
  armdyn tipover lau-movable --q 40,0.1,-0.6 --slope 10@90 --deg --plot top
  armdyn tipover ur5e-on-wheels --guaranteed --speeds 0.2 --accelerations 0.3")]
pub struct Tipover {
    #[command(flatten)]
    pub motion: Motion,
    /// Slope of the ground and its uphill direction, from the base's x axis towards its y axis [rad]
    #[arg(long, value_name = "ANGLE[@HEADING]", allow_hyphen_values = true, help_heading = "Motion")]
    pub slope: Option<String>,
    /// Position of the tool [m] in the frame of the tool's link, or of LINK; default: the robot's tool. The safe payload is there
    #[arg(long, value_name = "X,Y,Z[@LINK]", allow_hyphen_values = true, help_heading = "Limits")]
    pub tool: Option<String>,
    /// Compute how far the robot can go from --q straight towards this configuration before it tips [rad, m]
    #[arg(
        long,
        value_name = "VALUES",
        conflicts_with = "trajectory",
        allow_hyphen_values = true,
        help_heading = "Limits"
    )]
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
    #[arg(long, conflicts_with = "trajectory", help_heading = "Guaranteed stability")]
    pub guaranteed: bool,
    /// Maximum joint speeds [rad/s, m/s]: one number for all joints, by order or by name; 0 by default
    #[arg(long, value_name = "VALUES", requires = "guaranteed", help_heading = "Guaranteed stability")]
    pub speeds: Option<String>,
    /// Maximum joint accelerations [rad/s², m/s²], likewise
    #[arg(long, value_name = "VALUES", requires = "guaranteed", help_heading = "Guaranteed stability")]
    pub accelerations: Option<String>,
    /// Computing time for --guaranteed (10s, 500ms; a bare number is in seconds)
    #[arg(
        long, value_name = "TIME", default_value = "60s", value_parser = values::duration,
        help_heading = "Guaranteed stability"
    )]
    pub budget: Duration,
    /// Seed of sampling and searches
    #[arg(long, default_value_t = 1, help_heading = "Guaranteed stability")]
    pub seed: u64,
    /// Plot `top` (contacts, support polygon, ZMP) or `reach` (map) to a .svg or .png file, or to the terminal [without a value: top]
    #[arg(long, value_name = "WHAT[=FILE]", num_args = 0..=1, default_missing_value = "", help_heading = "Output")]
    pub plot: Vec<String>,
    #[command(flatten)]
    pub within: Within,
    #[command(flatten)]
    pub robot: Robot,
}
