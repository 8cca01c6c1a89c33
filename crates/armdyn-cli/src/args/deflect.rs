//! `armdyn deflect`.

use super::{Plane, Robot, Within};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How a link is held when it buckles.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Ends {
    /// Held at its start, free at its end.
    FixedFree,
    /// Free to turn at both ends.
    Pinned,
    /// Held at its start, guided but free to turn at its end.
    FixedPinned,
    /// Held at both ends.
    Fixed,
}

/// What a correction puts back.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PutBack {
    /// The tool's point.
    Position,
    /// Its point and its direction.
    Pose,
}

/// `armdyn deflect`.
#[derive(Args)]
#[command(group(clap::ArgGroup::new("where").required(true).args(["q", "trajectory"])))]
pub struct Deflect {
    #[command(flatten)]
    pub robot: Robot,
    /// The pose (rad, m), by order or by name.
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub q: Option<String>,
    /// Speeds in it (rad/s, m/s), likewise; at rest by default.
    #[arg(long, value_name = "VALUES", requires = "q", allow_hyphen_values = true)]
    pub qd: Option<String>,
    /// Accelerations in it (rad/s², m/s²), likewise.
    #[arg(long, value_name = "VALUES", requires = "q", allow_hyphen_values = true)]
    pub qdd: Option<String>,
    /// A motion from a .csv, .tsv, .parquet or .npz file: columns t (s), q_JOINT, and qd_JOINT, qdd_JOINT where it has
    /// them; else these are slopes.
    #[arg(long, value_name = "FILE")]
    pub trajectory: Option<PathBuf>,
    /// What gives way: all, euler (no shear), lau (bending alone), or several of bending, torsion, axial, shear, joints.
    #[arg(long, value_name = "MODES", default_value = "all")]
    pub mode: String,
    /// The tool (m), in the frame of the last link unless @LINK says another; by default where the last link's beam ends.
    #[arg(long, value_name = "X,Y,Z[@LINK]", allow_hyphen_values = true)]
    pub tool: Option<String>,
    /// A force on the tool (N), and a moment about it (N m), in the base's axes.
    #[arg(long, value_name = "FX,FY,FZ[,MX,MY,MZ]", allow_hyphen_values = true)]
    pub force: Option<String>,
    /// The base's acceleration (m/s², rad/s²), in its own axes.
    #[arg(long, value_name = "AX,AY,AZ[,RX,RY,RZ]", requires = "q", allow_hyphen_values = true)]
    pub base_acceleration: Option<String>,
    /// The base's velocity (m/s, rad/s), in its own axes.
    #[arg(long, value_name = "VX,VY,VZ[,WX,WY,WZ]", requires = "q", allow_hyphen_values = true)]
    pub base_velocity: Option<String>,
    /// How links are held when they buckle.
    #[arg(long, value_enum, default_value_t = Ends::FixedFree)]
    pub ends: Ends,
    /// Joint values that put the tool back; of a motion, at its worst instant.
    #[arg(long, value_enum, value_name = "WHAT", num_args = 0..=1, default_missing_value = "position")]
    pub correct: Option<PutBack>,
    /// The lowest frequencies at the pose (5 of them by default), the drives held; of a motion, at its worst instant.
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "5", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub frequencies: Option<u16>,
    /// Joint stiffness is that of the servo: rotors vibrate with their joints. By default it is that of the gear, and
    /// rotors stand.
    #[arg(long)]
    pub servo: bool,
    /// Finite elements of each piece of a beam, for frequencies.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=32))]
    pub elements: u16,
    /// The motion's bandwidth (Hz), which must be well below the lowest frequency; by default that of the trajectory.
    #[arg(long, value_name = "HZ")]
    pub bandwidth: Option<f64>,
    /// The tool's displacement at rest over poses of the box.
    #[arg(long)]
    pub map: bool,
    /// How many poses that looks at.
    #[arg(long, value_name = "N", default_value_t = 20_000, requires = "map", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub samples: u32,
    /// Which poses those are.
    #[arg(long, default_value_t = 1, requires = "map")]
    pub seed: u64,
    /// The plane of the map; by default rz where gravity acts along z, else xy.
    #[arg(long, value_enum, requires = "map")]
    pub plane: Option<Plane>,
    /// A picture: shape (the robot under load, displacements exaggerated), tool (its displacement over time), map; to a .svg
    /// or .png file, or without one to the terminal.
    #[arg(long, value_name = "WHAT[=FILE]")]
    pub plot: Vec<String>,
    #[command(flatten)]
    pub within: Within,
}
