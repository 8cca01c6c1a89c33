//! `armdyn simulate`.

use super::Robot;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Kind of base.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BaseKind {
    /// Castors and fixed wheels on one axle, none driven
    Rolling,
    /// Castors and two driven wheels on one axle
    Differential,
    /// Fixed or driven wheels on a rail
    Rail,
    /// Omnidirectional wheels
    Omni,
    /// No contacts: a robot in space
    Floating,
}

/// `armdyn simulate`.
#[derive(Args)]
#[command(after_help = "Examples:
  armdyn simulate lau-movable --base rolling --move \"to theta1=1,arm.x=-0.6 in 1\"
  armdyn simulate lau-movable --base floating --move \"to theta1=1 in 2\" --plot path
  armdyn simulate lau-movable --base rolling --twist vx=0.4 --move \"to theta1=1 in 2\"")]
pub struct Simulate {
    /// Kind of base; its wheels are the contacts of the robot file
    #[arg(long, value_enum, help_heading = "Base")]
    pub base: BaseKind,
    /// Friction coefficients of all wheels or of one, replacing those of the robot file: rolling, static, sliding
    #[arg(long, value_name = "[WHEEL:]rolling=VALUE,…", allow_hyphen_values = true, help_heading = "Base")]
    pub friction: Vec<String>,
    /// Initial twist of the base in its axes: vx, vy, vz [m/s], wx, wy, w [rad/s]
    #[arg(long, value_name = "vx=VALUE,w=VALUE,…", allow_hyphen_values = true, help_heading = "Base")]
    pub twist: Option<String>,
    /// Initial heading of the base from the world's x axis [rad]
    #[arg(
        long,
        value_name = "ANGLE",
        default_value_t = 0.0,
        allow_hyphen_values = true,
        hide_default_value = true,
        help_heading = "Base"
    )]
    pub heading: f64,
    /// Drive of the base: a table with columns t [s] and speed_NAME [m/s at the rim, rad/s] or force_NAME [N at the rim,
    /// N m] for all driven wheels, `rail`, or `vx`, `vy`, `w`; without it the base rolls freely
    #[arg(long, value_name = "FILE", help_heading = "Base")]
    pub drive: Option<PathBuf>,
    /// Joint trajectory (CSV, Parquet, npz) with columns t, q_JOINT and optionally qd_JOINT, qdd_JOINT
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "moves",
        required_unless_present = "moves",
        help_heading = "Motion of the arm"
    )]
    pub trajectory: Option<PathBuf>,
    /// Point-to-point move from rest to rest: positions [rad, m] by order or by name, and its time [s]; joints without a
    /// value stay, `from` defaults to 0
    #[arg(
        long = "move",
        value_name = "[from VALUES] to VALUES in SECONDS",
        allow_hyphen_values = true,
        help_heading = "Motion of the arm"
    )]
    pub moves: Option<String>,
    /// Simulated time, by default that of the motion; a move is followed by rest
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, help_heading = "Motion of the arm")]
    pub duration: Option<f64>,
    /// Read and print angles in degrees
    #[arg(long, help_heading = "Motion of the arm")]
    pub deg: bool,
    /// Samples per second
    #[arg(long, default_value_t = 100.0, value_name = "N", help_heading = "Output")]
    pub rate: f64,
    /// Write all samples to this file: .csv, .tsv, .parquet or .npz
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Plot `path`, `loads` or `velocity` to a .svg or .png file, or to the terminal
    #[arg(long, value_name = "WHAT[=FILE]", help_heading = "Output")]
    pub plot: Vec<String>,
    #[command(flatten)]
    pub robot: Robot,
}
