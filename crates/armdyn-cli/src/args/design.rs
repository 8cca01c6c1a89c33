//! Arguments of `range`, `importance`, `simplify` and `size`.

use super::derive::FORMATS;
use super::{Emit, Robot, Trajectory, Within};
use crate::values::{Choice, choice, duration, fraction};
use armdyn_design::Profile;
use armdyn_design::simplify::Target;
use armdyn_numerics::Plane;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// `armdyn importance`.
#[derive(Args, Default)]
#[command(group(clap::ArgGroup::new("states").args(["trajectory", "ranges"])))]
#[command(after_help = "\
Examples:
  armdyn importance panda --accelerations 5
  armdyn importance puma560 --speeds 1 --accelerations 2 --joint joint2
  armdyn importance jpl-rrp --sweep joint2 --ratios R12,R13 --at joint3=0.5 --at joint3=1.1
  armdyn importance ur5e --accelerations 5 --velocity-threshold 5%")]
pub struct Importance {
    /// Joint speeds [rad/s, m/s]: one number for all, by order, or JOINT=VALUE; by default the robot's limits
    #[arg(long, value_name = "VALUES", conflicts_with = "trajectory", allow_hyphen_values = true)]
    pub speeds: Option<String>,
    /// Joint accelerations [rad/s², m/s²]: one number for all, by order, or JOINT=VALUE
    #[arg(long, value_name = "VALUES", conflicts_with = "trajectory", allow_hyphen_values = true)]
    pub accelerations: Option<String>,
    #[command(flatten)]
    pub motion: Trajectory,
    /// Sweep one joint over its range or from LOW to HIGH [rad, m]
    #[arg(long, value_name = "JOINT[=LOW:HIGH]", conflicts_with = "trajectory", allow_hyphen_values = true)]
    pub sweep: Option<String>,
    /// Positions of the other joints during a sweep [rad, m]
    #[arg(long, value_name = "VALUES", requires = "sweep", allow_hyphen_values = true)]
    pub q: Option<String>,
    /// Add a curve with these positions in place of --q; repeat for more curves
    #[arg(long, value_name = "JOINT=VALUE,…", requires_all = ["sweep", "ratios"], allow_hyphen_values = true)]
    pub at: Vec<String>,
    /// Compute ratios to a joint's own inertia: R12 = D12/D11 (reaction of joint 2 at joint 1; R1:12 of joint 12),
    /// K2 = g2/D22 (gravity of joint 2)
    #[arg(long, value_name = "R12,K2,…", value_delimiter = ',', conflicts_with = "trajectory")]
    pub ratios: Vec<String>,
    /// Compute the speed at which velocity torques reach this fraction of the others: 5% or 0.05
    #[arg(long, value_name = "FRACTION", value_parser = fraction, conflicts_with_all = ["sweep", "ratios", "trajectory"])]
    pub velocity_threshold: Option<f64>,
    /// Show one joint in detail
    #[arg(long, value_name = "JOINT", conflicts_with_all = ["ratios", "velocity_threshold"])]
    pub joint: Option<String>,
    /// Number of configurations within the joint ranges
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub samples: u32,
    /// Seed of the configurations
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Plot the result: terms, ratios or threshold; to the terminal, or to a .svg or .png file
    #[arg(long, value_name = "WHAT[=FILE]", num_args = 0..=1, default_missing_value = "", help_heading = "Output")]
    pub plot: Vec<String>,
    #[command(flatten)]
    pub within: Within,
    #[command(flatten)]
    pub robot: Robot,
}

/// `armdyn range`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  armdyn range panda
  armdyn range jpl-rrp-loaded --guaranteed --gap 2%
  armdyn range ur5e --payload 3 --deg --ranges elbow_joint=-90:90")]
pub struct Range {
    /// Compute guaranteed bounds, besides the values found by search
    #[arg(long)]
    pub guaranteed: bool,
    /// Requested gap between bounds and values, as a fraction: 1% or 0.01
    #[arg(long, value_name = "FRACTION", value_parser = fraction, default_value = "1%", requires = "guaranteed")]
    pub gap: f64,
    /// Maximum time for the bounds of each payload (60s, 5m; a bare number is in seconds)
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    pub budget: Duration,
    /// Seed of the search
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub within: Within,
    #[command(flatten)]
    pub robot: Robot,
}

/// The equations to simplify.
const TARGETS: [Choice<Target>; 4] = [
    (
        "inertia",
        "Inertia of each joint, D_ii, including the drive; errors relative to its value at each configuration",
        Target::Inertia,
    ),
    ("coupling", "Coupling inertia of two joints, D_ij; errors relative to its maximum", Target::Coupling),
    ("gravity", "Gravity torque; errors relative to its maximum", Target::Gravity),
    ("torque", "Joint torque without friction; errors relative to its maximum", Target::Torque),
];

/// `armdyn simplify`.
#[derive(Args, Default)]
#[command(group(clap::ArgGroup::new("states").args(["trajectory", "ranges"])))]
#[command(after_help = "\
Examples:
  armdyn simplify jpl-rrp-loaded --joint joint1 --error 5%
  armdyn simplify puma560 --what gravity --guaranteed
  armdyn simplify scara --what torque --speeds 1 --accelerations 5 --emit c --out model")]
pub struct Simplify {
    /// Equations to simplify [default: inertia]
    #[arg(long, value_parser = choice(&TARGETS))]
    pub what: Option<Target>,
    /// Maximum error over the joint ranges, or along --trajectory: 5% or 0.05
    #[arg(long, value_name = "FRACTION", value_parser = fraction, default_value = "5%")]
    pub error: f64,
    /// Simplify only the equations of this joint; repeat for more
    #[arg(long, value_name = "JOINT")]
    pub joint: Vec<String>,
    #[command(flatten)]
    pub motion: Trajectory,
    /// Compute guaranteed error bounds over the joint ranges
    #[arg(long, conflicts_with = "trajectory")]
    pub guaranteed: bool,
    /// Errors of gravity and torque are relative to the effort limits
    #[arg(long)]
    pub of_effort: bool,
    /// Maximum speeds for torques [rad/s, m/s]: one number for all, by order, or JOINT=VALUE; by default the robot's limits
    #[arg(long, value_name = "VALUES")]
    pub speeds: Option<String>,
    /// Maximum accelerations for torques [rad/s², m/s²]: one number for all, by order, or JOINT=VALUE
    #[arg(long, value_name = "VALUES")]
    pub accelerations: Option<String>,
    /// Number of states for the error statistics
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub samples: usize,
    /// Seed of the states
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Maximum time of search and bounds (60s, 5m; a bare number is in seconds); unfinished results are marked
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    pub budget: Duration,
    /// List all dropped terms
    #[arg(long, help_heading = "Output")]
    pub all: bool,
    /// Generate code in this language, to --out; for inertia and coupling of the whole mass matrix
    #[arg(long, value_parser = choice(&FORMATS[4..]), value_name = "LANGUAGE", requires = "out", help_heading = "Output")]
    pub emit: Option<Emit>,
    /// Folder of the generated code
    #[arg(long, value_name = "DIR", requires = "emit", help_heading = "Output")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub within: Within,
    #[command(flatten)]
    pub robot: Robot,
}

/// Speed profile of a move.
const PROFILES: [Choice<Profile>; 2] = [
    ("quintic", "Polynomial of degree 5", Profile::Quintic),
    ("trapezoidal", "Constant acceleration, constant speed, constant deceleration", Profile::Trapezoidal),
];

/// Planes through the origin of the base.
pub const PLANES: [Choice<Plane>; 4] = [
    ("rz", "Distance from the z axis of the base, and height", Plane::Rz),
    ("xy", "x and y", Plane::Xy),
    ("xz", "x and z", Plane::Xz),
    ("yz", "y and z", Plane::Yz),
];

/// Limits of drives.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Limits")]
pub struct LimitArgs {
    /// Effort limit: torque [N m] or force [N], overriding the robot file: one number for all, by order, or JOINT=VALUE;
    /// LOW:HIGH where the directions differ
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub effort: Vec<String>,
    /// Continuous (RMS) torque [N m] or force [N], overriding the robot file
    #[arg(long, value_name = "VALUES")]
    pub continuous: Vec<String>,
    /// Maximum speed [rad/s, m/s], overriding the robot file
    #[arg(long, value_name = "VALUES")]
    pub speeds: Vec<String>,
}

/// `armdyn size`.
#[derive(Args, Default)]
#[command(group(clap::ArgGroup::new("motion").required(true).args(["trajectory", "random_moves"])))]
#[command(after_help = "\
Examples:
  armdyn size ur5e --random-moves 20 --plot torque=torque.svg
  armdyn size panda --random-moves 5 --accelerations 5 --tool 0,0,0.1 --plot utilization
  armdyn size lin-rr --random-moves 3 --effort 60,15 --speeds 2 --samples 2000
  armdyn size ur5e --random-moves 20 --catalogue generic --plot operating-points

Exit codes: 0 within all known limits, 1 a limit is exceeded, a drive cannot hold the arm, or nothing in the
catalogue fits, 2 errors.")]
pub struct Size {
    #[command(flatten)]
    pub motion: Trajectory,
    /// Use N random point-to-point moves within the joint ranges
    #[arg(long, value_name = "N", help_heading = "Motion")]
    pub random_moves: Option<usize>,
    /// Speed profile of the moves [default: quintic]
    #[arg(long, value_parser = choice(&PROFILES), help_heading = "Motion")]
    pub profile: Option<Profile>,
    /// Maximum accelerations of the moves [rad/s², m/s²]: one number for all, by order, or JOINT=VALUE; by default moves are
    /// as fast as effort and speed limits allow
    #[arg(long, value_name = "VALUES", requires = "random_moves", help_heading = "Motion")]
    pub accelerations: Option<String>,
    /// Samples per second of the moves
    #[arg(long, value_name = "HZ", default_value_t = 500.0, help_heading = "Motion")]
    pub rate: f64,
    /// Seed of the moves and poses
    #[arg(long, default_value_t = 1, help_heading = "Motion")]
    pub seed: u64,
    /// Position of the tool [m] in the frame of the tool's link, or of LINK; default: the robot's tool. The maximum payload is there
    /// and replaces other payloads
    #[arg(long, value_name = "X,Y,Z[@LINK]", allow_hyphen_values = true, help_heading = "Margins")]
    pub tool: Option<String>,
    /// Number of poses within the joint ranges for payload capacity and accelerations; 0 omits them
    #[arg(long, value_name = "N", default_value_t = 20_000, help_heading = "Margins")]
    pub samples: usize,
    /// Plane of the payload map; by default rz if gravity is along z, else xy
    #[arg(long, value_parser = choice(&PLANES), help_heading = "Margins")]
    pub plane: Option<Plane>,
    /// Accelerations besides gravity in the payload map [rad/s², m/s²], either way; by default none (static)
    #[arg(long, value_name = "VALUES", help_heading = "Margins")]
    pub map_accelerations: Option<String>,
    /// Compute the available accelerations in this pose [rad, m]
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, help_heading = "Margins")]
    pub q: Option<String>,
    /// Rank the motors and gears of a catalogue for each joint: a .toml file, or `generic`, the bundled one
    #[arg(long, value_name = "FILE", help_heading = "Motors and gears")]
    pub catalogue: Option<PathBuf>,
    /// Maximum ratio of the load's inertia at the motor to that of rotor and gear [default: any]
    #[arg(long, value_name = "RATIO", requires = "catalogue", help_heading = "Motors and gears")]
    pub max_inertia_ratio: Option<f64>,
    /// Plot torque (over time), utilization (of limits), operating-points (torque over speed), payload (minimum over poses) or
    /// best (maximum over poses); to the terminal, or to a .svg or .png file [without a value: torque]
    #[arg(long, value_name = "WHAT[=FILE]", num_args = 0..=1, default_missing_value = "", help_heading = "Output")]
    pub plot: Vec<String>,
    /// Write the motion with torques and powers: .csv, .tsv, .parquet or .npz
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub within: Within,
    #[command(flatten)]
    pub robot: Robot,
}
