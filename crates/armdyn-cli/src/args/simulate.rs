//! What moves over time: `simulate`.

use super::Robot;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What a robot stands on.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BaseKind {
    /// Castors and fixed wheels on one axle, none driven: it rolls by reaction.
    Rolling,
    /// Castors and two driven wheels on one axle.
    Differential,
    /// Fixed or driven wheels on a rail.
    Rail,
    /// Wheels that roll in every direction.
    Omni,
    /// Nothing: a robot in space.
    Floating,
}

/// `armdyn simulate`.
#[derive(Args)]
pub struct Simulate {
    #[command(flatten)]
    pub robot: Robot,
    /// What its base is; wheels are the contacts of its file.
    #[arg(long, value_enum)]
    pub base: BaseKind,
    /// The arm's motion, of a table: columns t (s), q_JOINT, and qd_JOINT, qdd_JOINT or what follows from q.
    #[arg(long, value_name = "FILE", conflicts_with = "moves", required_unless_present = "moves")]
    pub trajectory: Option<PathBuf>,
    /// A move of the arm, from rest to rest: positions (rad, m) by order or by name, and its time (s). Joints that are not
    /// named stay; without `from` it begins at 0.
    #[arg(long = "move", value_name = "[from VALUES] to VALUES in TIME", allow_hyphen_values = true)]
    pub moves: Option<String>,
    /// How long (s), where not as long as the motion; a move is followed by rest.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub duration: Option<f64>,
    /// Angles in degrees, in and out.
    #[arg(long)]
    pub deg: bool,
    /// Friction of the wheels, in place of the file's: rolling (resistance by weight), static and sliding (sideways); of all
    /// wheels, or of one.
    #[arg(long, value_name = "[WHEEL:]rolling=VALUE,…", allow_hyphen_values = true)]
    pub friction: Vec<String>,
    /// How the base moves at first, in its axes: vx, vy, vz (m/s), wx, wy, w (rad/s).
    #[arg(long, value_name = "vx=VALUE,w=VALUE,…", allow_hyphen_values = true)]
    pub twist: Option<String>,
    /// Which way the base looks at first, from the world's x axis (rad); it matters on a slope, see --gravity.
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    pub heading: f64,
    /// What drives the base, of a table: columns t (s), and speed_NAME (m/s at the rim, rad/s) or force_NAME (N at the rim,
    /// N m) of all driven wheels; of a rail NAME is rail; of an omnidirectional base vx, vy, w. Times count from its
    /// first row, and it lasts as long as the run. Without it, the base rolls freely.
    #[arg(long, value_name = "FILE")]
    pub drive: Option<PathBuf>,
    /// Samples a second that are kept.
    #[arg(long, default_value_t = 100.0, value_name = "N")]
    pub rate: f64,
    /// Where all samples go: .csv, .tsv, .parquet or .npz.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// A picture: path (from above), weights or speed over time; to a file, .svg or .png, or on the screen.
    #[arg(long, value_name = "WHAT[=FILE]")]
    pub plot: Vec<String>,
}
