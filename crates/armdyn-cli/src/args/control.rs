//! Arguments of `armdyn control`.

use super::{Robot, Within};
use crate::values::{duration, fraction};
use clap::Args;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  armdyn control jpl-rrp-loaded --servo
  armdyn control panda --servo --frequency 4 --damping 0.7 --max-frequency 8 --plot frequency=servo.svg
  armdyn control scara --servo --frequency 5 --kp 2000 --kd 200 --guaranteed";

/// `armdyn control`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Control {
    /// Analyse the position servo of each joint: natural frequency and damping over the joint ranges, constant gains for the
    /// specification, and gains scheduled with the configuration
    #[arg(long, required = true)]
    pub servo: bool,
    /// Minimum natural frequency [Hz]: one number for all joints, by order, or JOINT=VALUE
    #[arg(long, value_name = "HZ", default_value = "2", allow_hyphen_values = true, help_heading = "Specification")]
    pub frequency: String,
    /// Minimum damping ratio
    #[arg(
        long,
        value_name = "RATIO",
        default_value_t = 1.0,
        allow_hyphen_values = true,
        help_heading = "Specification"
    )]
    pub damping: f64,
    /// Maximum natural frequency [Hz], such as half of the lowest structural frequency
    #[arg(long, value_name = "HZ", allow_hyphen_values = true, help_heading = "Specification")]
    pub max_frequency: Option<f64>,
    /// Position gains [N m/rad, N/m] instead of those for the specification
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, requires = "kd", help_heading = "Gains")]
    pub kp: Option<String>,
    /// Velocity gains [N m s/rad, N s/m]
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, requires = "kp", help_heading = "Gains")]
    pub kd: Option<String>,
    /// Maximum error of the simplified inertia that scheduled gains follow: 10% or 0.1
    #[arg(long, value_name = "FRACTION", value_parser = fraction, default_value = "10%", help_heading = "Gains")]
    pub schedule_error: f64,
    /// Leave out scheduled gains
    #[arg(long, help_heading = "Gains")]
    pub no_schedule: bool,
    /// Compute guaranteed bounds, besides the values found by search
    #[arg(long, help_heading = "Bounds")]
    pub guaranteed: bool,
    /// Requested gap between bounds and values of the inertia: 1% or 0.01
    #[arg(long, value_name = "FRACTION", value_parser = fraction, default_value = "1%", requires = "guaranteed", help_heading = "Bounds")]
    pub gap: f64,
    /// Maximum time for the bounds, and again for the schedule (60s, 5m; a bare number is in seconds)
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s", help_heading = "Bounds")]
    pub budget: Duration,
    /// Seed of the search
    #[arg(long, default_value_t = 1, help_heading = "Bounds")]
    pub seed: u64,
    /// Plot frequency (natural frequency of each joint) or damping, in the terminal or to a .svg or .png file [without a value: frequency]
    #[arg(long, value_name = "WHAT[=FILE]", num_args = 0..=1, default_missing_value = "", help_heading = "Output")]
    pub plot: Vec<String>,
    #[command(flatten)]
    pub within: Within,
    #[command(flatten)]
    pub robot: Robot,
}
