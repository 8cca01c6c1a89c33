//! `armdyn trajectory`.

use super::{LimitArgs, Robot, Trajectory};
use crate::values::{Choice, choice, duration};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

/// How a motion passes through its waypoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MotionProfile {
    Cubic,
    Quintic,
    Trapezoidal,
    SCurve,
    TimeOptimal,
    Fourier,
}

const PROFILES: [Choice<MotionProfile>; 6] = [
    ("cubic", "Cubic spline: continuous acceleration, at rest at both ends", MotionProfile::Cubic),
    ("quintic", "Quintic spline: continuous jerk, at rest at both ends", MotionProfile::Quintic),
    ("trapezoidal", "Straight moves with constant accelerations; stops at each waypoint", MotionProfile::Trapezoidal),
    ("s-curve", "Straight moves with constant jerks; stops at each waypoint", MotionProfile::SCurve),
    (
        "time-optimal",
        "As fast along the cubic spline as speeds, accelerations, efforts and jerks allow",
        MotionProfile::TimeOptimal,
    ),
    ("fourier", "Excitation for parameter identification: a Fourier series", MotionProfile::Fourier),
];

/// `armdyn trajectory`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  armdyn trajectory panda --from 0,-0.5,0,-2,0,1.5,0 --to 1,0,0,-1.5,0,1.5,0 --accelerations 5
  armdyn trajectory ur5e --waypoints poses.csv --profile time-optimal --out move.csv
  armdyn trajectory ur10e --from 0,-1.2,1.8,-2.1,-1.5,0 --line -0.7,0.1,0.5 --profile time-optimal --accelerations 10
  armdyn trajectory ur5e --profile fourier --accelerations 3 --duration 10s --out excitation.npz
  armdyn trajectory ur5e --trajectory recorded.csv --plot torque

Exit codes: 0 within all known limits, 1 a limit is exceeded, 2 errors.")]
pub struct TrajectoryCommand {
    /// Waypoints (.csv, .tsv, .parquet, .npz, .mcap) with columns q_JOINT and optionally t, and qd_JOINT and qdd_JOINT for quintic
    /// splines; times that are missing follow from the limits
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "to", "trajectory"], help_heading = "Motion")]
    pub waypoints: Option<PathBuf>,
    /// Start [rad, m], by order or by name (others 0)
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, help_heading = "Motion")]
    pub from: Option<String>,
    /// Goal [rad, m], by order or by name; joints without a value stay
    #[arg(
        long,
        value_name = "VALUES",
        conflicts_with = "trajectory",
        allow_hyphen_values = true,
        help_heading = "Motion"
    )]
    pub to: Option<String>,
    /// Move the tool from its pose at --from along a line to this position [m], or pose with roll, pitch, yaw [rad], in the base
    #[arg(long, value_name = "X,Y,Z[,R,P,Y]", conflicts_with_all = ["to", "waypoints", "trajectory", "duration"], allow_hyphen_values = true, help_heading = "Motion")]
    pub line: Option<String>,
    /// Move the tool along the arc through this point [m] instead
    #[arg(long, value_name = "X,Y,Z", requires = "line", allow_hyphen_values = true, help_heading = "Motion")]
    pub via: Option<String>,
    #[command(flatten)]
    pub motion: Trajectory,
    /// How the motion passes through the waypoints [default: quintic; time-optimal with --line]
    #[arg(long, value_parser = choice(&PROFILES), conflicts_with = "trajectory", help_heading = "Motion")]
    pub profile: Option<MotionProfile>,
    /// Time of a cubic or quintic move --from --to, or of an excitation (2s, 500ms; a bare number is in seconds) [default: by
    /// the limits; 10s for an excitation]
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with_all = ["waypoints", "trajectory"], help_heading = "Motion")]
    pub duration: Option<Duration>,
    /// Play the motion this many times as fast, or `max`: as fast as all known limits allow
    #[arg(long, value_name = "FACTOR|max", allow_hyphen_values = true, help_heading = "Motion")]
    pub speed_scaling: Option<String>,
    /// Number of harmonics of an excitation [default: 5]
    #[arg(long, value_name = "N", help_heading = "Motion")]
    pub harmonics: Option<usize>,
    /// Number of random excitations, of which the best is chosen [default: 200]
    #[arg(long, value_name = "N", help_heading = "Motion")]
    pub candidates: Option<usize>,
    /// Seed of the excitations [default: 1]
    #[arg(long, help_heading = "Motion")]
    pub seed: Option<u64>,
    /// Read and print angles in degrees
    #[arg(long, help_heading = "Motion")]
    pub deg: bool,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Maximum accelerations [rad/s², m/s²]: one number for all, by order, or JOINT=VALUE
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, help_heading = "Limits")]
    pub accelerations: Option<String>,
    /// Maximum jerks [rad/s³, m/s³]: one number for all, by order, or JOINT=VALUE
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, help_heading = "Limits")]
    pub jerks: Option<String>,
    /// Samples per second
    #[arg(long, default_value_t = 500.0, value_name = "HZ", help_heading = "Output")]
    pub rate: f64,
    /// Write all samples, t, q_JOINT, qd_JOINT, qdd_JOINT and tau_JOINT, to this file: .csv, .tsv, .parquet, .npz or .mcap
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Plot position, velocity, acceleration or torque of each joint and its limits; to the terminal, or to a .svg or .png file
    /// [without a value: torque]
    #[arg(long, value_name = "WHAT[=FILE]", num_args = 0..=1, default_missing_value = "", help_heading = "Output")]
    pub plot: Vec<String>,
    /// Write the motion as a page that plays it in 3-D: .html
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub animate: Option<PathBuf>,
    #[command(flatten)]
    pub robot: Robot,
}

impl TrajectoryCommand {
    /// How the motion passes through the waypoints.
    pub fn profile(&self) -> MotionProfile {
        let default = if self.line.is_some() { MotionProfile::TimeOptimal } else { MotionProfile::Quintic };
        self.profile.unwrap_or(default)
    }
}
