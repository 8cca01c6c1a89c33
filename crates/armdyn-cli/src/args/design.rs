//! What a designer asks: `importance`, `range`, `simplify`, `size`.

use super::{Emit, Robot, Within};
use crate::values::{duration, fraction};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// `armdyn importance`.
#[derive(Args)]
pub struct Importance {
    #[command(flatten)]
    pub robot: Robot,
    #[command(flatten)]
    pub within: Within,
    /// Speeds (rad/s, m/s) that joints move at: by order, by name, or one number for all; the robot's limits by default.
    #[arg(long, value_name = "VALUES", conflicts_with = "trajectory", allow_hyphen_values = true)]
    pub speeds: Option<String>,
    /// Accelerations (rad/s², m/s²), likewise; no robot says them, so they are asked for.
    #[arg(long, value_name = "VALUES", conflicts_with = "trajectory", allow_hyphen_values = true)]
    pub accelerations: Option<String>,
    /// Over the motion of a table: columns t (s), q_JOINT, and qd_JOINT, qdd_JOINT or what follows from q.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sweep", "slow", "ratios", "ranges", "at"])]
    pub trajectory: Option<PathBuf>,
    /// Along one joint (rad, m), through its range or from LOW to HIGH; the others are as --q says.
    #[arg(long, value_name = "JOINT[=LOW:HIGH]", allow_hyphen_values = true)]
    pub sweep: Option<String>,
    /// Where the joints that are not swept are (rad, m).
    #[arg(long, value_name = "VALUES", requires = "sweep", allow_hyphen_values = true)]
    pub q: Option<String>,
    /// A curve with these values by name in place of those of --q; once for each curve.
    #[arg(long, value_name = "JOINT=VALUE,…", requires_all = ["sweep", "ratios"], allow_hyphen_values = true)]
    pub at: Vec<String>,
    /// Ratios to a joint's own inertia: R12 = D12/D11 (joint 2's acceleration felt at joint 1; R1:12 that of joint 12),
    /// K2 = g2/D22 (joint 2's gravity).
    #[arg(long, value_name = "R12,K2,…", value_delimiter = ',')]
    pub ratios: Vec<String>,
    /// How fast a motion may be until the torques that speeds induce are this share of the rest: 5% or 0.05.
    #[arg(long, value_name = "FRACTION", value_parser = fraction, conflicts_with_all = ["sweep", "ratios"])]
    pub slow: Option<f64>,
    /// One joint alone, in detail.
    #[arg(long, value_name = "JOINT", conflicts_with_all = ["ratios", "slow"])]
    pub joint: Option<String>,
    /// How many configurations of the box are looked at.
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub samples: u32,
    /// Which configurations those are.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// A picture of the result: .svg or .png; several, if asked for.
    #[arg(long, value_name = "FILE")]
    pub plot: Vec<PathBuf>,
}

/// `armdyn range`.
#[derive(Args)]
pub struct Range {
    #[command(flatten)]
    pub robot: Robot,
    #[command(flatten)]
    pub within: Within,
    /// Prove bounds that no configuration exceeds, beside the values found.
    #[arg(long)]
    pub guaranteed: bool,
    /// How near the bounds shall be: a share of the value, as 1% or 0.01.
    #[arg(long, value_name = "FRACTION", value_parser = fraction, default_value = "1%", requires = "guaranteed")]
    pub gap: f64,
    /// How long proving may take (60s, 5m), for each load.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    pub budget: Duration,
    /// Where the search starts.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// What is to be simpler.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Simpler {
    /// The inertia at each joint, D_ii, its drive's included; errors are of its value, wherever the robot is.
    Inertia,
    /// The inertia between two joints, D_ij; errors are of its largest value.
    Coupling,
    /// Gravity; errors are of its largest value.
    Gravity,
    /// Whole torques, but for friction; errors are of the largest.
    Torque,
}

/// Where a simplified model is to hold.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Extent {
    /// Within the joints' limits, or --box.
    Box,
    /// Along a motion: --states.
    Trajectory,
}

/// `armdyn simplify`.
#[derive(Args)]
pub struct Simplify {
    #[command(flatten)]
    pub robot: Robot,
    #[command(flatten)]
    pub within: Within,
    /// What is to be simpler.
    #[arg(long, value_enum, default_value_t = Simpler::Inertia)]
    pub what: Simpler,
    /// The largest error: 5%, or 0.05.
    #[arg(long, value_name = "FRACTION", value_parser = fraction, default_value = "5%")]
    pub error: f64,
    /// Only the formulas of this joint; may be given several times.
    #[arg(long)]
    pub joint: Vec<String>,
    /// Where it is to hold.
    #[arg(long, value_enum, default_value_t = Extent::Box)]
    pub over: Extent,
    /// The motion: a .csv, .tsv, .parquet or .npz file with columns t, q_JOINT, and, if it has them, qd_JOINT, qdd_JOINT.
    #[arg(long, value_name = "FILE")]
    pub states: Option<PathBuf>,
    /// Prove the error by intervals, over the whole box.
    #[arg(long)]
    pub guaranteed: bool,
    /// Errors of gravity and torque are of the drives' efforts, not of their own largest values.
    #[arg(long)]
    pub of_effort: bool,
    /// Of torques: the largest speeds (rad/s, m/s), by order or by name, in place of the robot's limits.
    #[arg(long, value_name = "VALUES")]
    pub speeds: Option<String>,
    /// Of torques: the largest accelerations (rad/s², m/s²), likewise, of every joint.
    #[arg(long, value_name = "VALUES")]
    pub accelerations: Option<String>,
    /// At how many states the error's statistics are taken.
    #[arg(long, default_value_t = 100_000)]
    pub samples: usize,
    /// Which random numbers are taken.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How long all of it may take (60s, 5m), search and proofs; what is not done by then is told.
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s")]
    pub budget: Duration,
    /// Every dropped term, however small.
    #[arg(long)]
    pub all: bool,
    /// Code of it too: rust, c, cpp, cuda, python, matlab, js, wasm. Of inertia and coupling the whole mass matrix, what was
    /// not simplified exact.
    #[arg(long, value_enum, requires = "out")]
    pub emit: Option<Emit>,
    /// The folder that code goes to.
    #[arg(long, value_name = "DIR", requires = "emit")]
    pub out: Option<PathBuf>,
}

/// How a move speeds up and slows down.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// A polynomial of degree 5.
    Quintic,
    /// Steady acceleration, steady speed, steady deceleration.
    Trapezoidal,
}

/// A plane of places.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Plane {
    /// Distance from the base's z axis, and height.
    Rz,
    /// x and y, through the base's origin.
    Xy,
    /// x and z.
    Xz,
    /// y and z.
    Yz,
}

/// Limits of drives in place of the file's.
#[derive(Args)]
pub struct GivenLimits {
    /// Greatest torque of a joint (N m, N), in place of the file's; once for each, or by commas, or all by order.
    #[arg(long, value_name = "JOINT=VALUE")]
    pub effort: Vec<String>,
    /// Root mean square of the torque that a drive bears for ever (N m, N), likewise.
    #[arg(long, value_name = "JOINT=VALUE")]
    pub rated: Vec<String>,
    /// Greatest speed of a joint (rad/s, m/s), likewise.
    #[arg(long, value_name = "JOINT=VALUE")]
    pub speed: Vec<String>,
}

/// `armdyn size`.
#[derive(Args)]
#[command(group(clap::ArgGroup::new("motion").required(true).args(["trajectory", "moves"])))]
pub struct Size {
    #[command(flatten)]
    pub robot: Robot,
    /// A motion from a .csv, .tsv, .parquet or .npz file: columns t (s), q_JOINT, and qd_JOINT, qdd_JOINT where it has
    /// them; else these are slopes.
    #[arg(long, value_name = "FILE")]
    pub trajectory: Option<PathBuf>,
    /// So many moves in place of it, between random places of the box, every joint in step.
    #[arg(long, value_name = "N")]
    pub moves: Option<usize>,
    /// How moves speed up and slow down.
    #[arg(long, value_enum, default_value_t = Profile::Quintic)]
    pub profile: Profile,
    /// Greatest accelerations of moves (rad/s², m/s²), by order or by name; without, each move is as fast as efforts and
    /// speeds allow.
    #[arg(long, value_name = "VALUES", requires = "moves")]
    pub accelerations: Option<String>,
    /// Samples of a move in a second.
    #[arg(long, value_name = "HZ", default_value_t = 500.0)]
    pub rate: f64,
    /// Which random numbers are taken.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub limits: GivenLimits,
    /// Where the largest payload has its centre (m), in the frame of the last link unless @LINK says another; at that
    /// frame's origin by default. It is in place of other payloads.
    #[arg(long, value_name = "X,Y,Z[@LINK]", allow_hyphen_values = true)]
    pub payload_at: Option<String>,
    /// Poses of the box that payload capacity and accelerations are looked at in; 0 leaves these out.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub samples: usize,
    /// The plane of the payload map; by default rz where gravity acts along z, else xy.
    #[arg(long, value_enum)]
    pub plane: Option<Plane>,
    /// Accelerations that the payload map allows for (rad/s², m/s²), each joint either way; by default none: it is static.
    #[arg(long, value_name = "VALUES")]
    pub map_accelerations: Option<String>,
    /// Accelerations that drives can give in this pose too.
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub q: Option<String>,
    /// A picture: torque (over time), used (of each limit), payload (what every pose can carry), best (what the best
    /// pose can); to a .svg or .png file, or without one to the terminal.
    #[arg(long, value_name = "WHAT[=FILE]")]
    pub plot: Vec<String>,
    /// The motion with its torques and powers: .csv, .tsv, .parquet or .npz.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub within: Within,
}
