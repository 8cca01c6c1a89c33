//! `armdyn simulate`.

use super::{Robot, Trajectory};
use crate::values::duration;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Kind of base.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BaseKind {
    /// Castors and fixed wheels on one axle, none driven
    Rolling,
    /// Castors and two driven wheels on one axle
    Differential,
    /// Driven wheels on several axles, in two tracks, that slip sideways in turns
    SkidSteer,
    /// Fixed or driven wheels on a rail
    Rail,
    /// Omnidirectional wheels
    Omni,
    /// No contacts: a robot in space
    Floating,
}

/// `armdyn simulate`.
#[derive(Args)]
#[command(group(clap::ArgGroup::new("motion").required(true).args(["trajectory", "move"])), after_help = "Examples:
  armdyn simulate lau-movable --base rolling --move \"to theta1=1,arm.x=-0.6 in 1\"
  armdyn simulate lau-movable --base floating --move \"to theta1=1 in 2\" --plot path
  armdyn simulate ur5e-on-wheels --base skid-steer --move \"to elbow_joint=1 in 1\" --animate move.html
  armdyn simulate lau-movable --base rolling --base-velocity 0.4,0,0 --move \"to theta1=1 in 2\"")]
pub struct Simulate {
    /// Kind of base; its wheels are the contacts of the robot file
    #[arg(long, value_enum, help_heading = "Base")]
    pub base: BaseKind,
    /// Friction coefficients of all wheels or of one, replacing those of the robot file: rolling, static, sliding
    #[arg(long, value_name = "[WHEEL:]rolling=VALUE,…", allow_hyphen_values = true, help_heading = "Base")]
    pub friction: Vec<String>,
    /// Initial velocity of the base [m/s, rad/s], in its own axes
    #[arg(long, value_name = "VX,VY,VZ[,WX,WY,WZ]", allow_hyphen_values = true, help_heading = "Base")]
    pub base_velocity: Option<String>,
    /// Initial heading of the base from the world's x axis [rad]
    #[arg(long, value_name = "ANGLE", default_value_t = 0.0, allow_hyphen_values = true, help_heading = "Base")]
    pub heading: f64,
    /// Drive of the base: a table with columns t [s] and speed_NAME [m/s at the rim, rad/s] or force_NAME [N at the rim,
    /// N m] for all driven wheels, `left` and `right` (skid-steer), `rail`, or `vx`, `vy`, `w`; without it the base rolls freely
    #[arg(long, value_name = "FILE", help_heading = "Base")]
    pub drive: Option<PathBuf>,
    #[command(flatten)]
    pub motion: Trajectory,
    /// Point-to-point move from rest to rest: positions [rad, m] by order or by name, and its time (2s, 500ms; a bare number
    /// is in seconds); joints without a value stay, `from` defaults to 0
    #[arg(
        id = "move",
        long,
        value_name = "[from VALUES] to VALUES in TIME",
        conflicts_with = "trajectory",
        allow_hyphen_values = true,
        help_heading = "Motion"
    )]
    pub moves: Option<String>,
    /// Simulated time (2s, 500ms; a bare number is in seconds), by default that of the motion; a move is followed by rest
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true, help_heading = "Motion")]
    pub duration: Option<Duration>,
    /// Read and print angles in degrees
    #[arg(long, help_heading = "Motion")]
    pub deg: bool,
    /// Samples per second
    #[arg(long, default_value_t = 100.0, value_name = "HZ", help_heading = "Output")]
    pub rate: f64,
    /// Write all samples to this file: .csv, .tsv, .parquet or .npz
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Plot `path`, `loads` or `velocity` to a .svg or .png file, or to the terminal
    #[arg(long, value_name = "WHAT[=FILE]", help_heading = "Output")]
    pub plot: Vec<String>,
    /// Write the motion as a page that plays it in 3-D: .html
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub animate: Option<PathBuf>,
    #[command(flatten)]
    pub robot: Robot,
}
