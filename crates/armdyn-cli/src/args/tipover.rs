//! `tipover`.

use super::{Robot, Within};
use clap::Args;
use std::path::PathBuf;

/// `armdyn tipover`.
#[derive(Args)]
pub struct Tipover {
    #[command(flatten)]
    pub robot: Robot,
    /// Positions (rad, m), by order (0.1,0.2,…) or by name (elbow=0.2,wrist=-1; the rest 0).
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub q: Option<String>,
    /// Velocities (rad/s, m/s), likewise.
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub qd: Option<String>,
    /// Accelerations (rad/s², m/s²), likewise.
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub qdd: Option<String>,
    /// Over the motion of a table: columns t (s), q_JOINT, and qd_JOINT, qdd_JOINT or what follows from q.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["q", "qd", "qdd", "towards", "guaranteed"])]
    pub trajectory: Option<PathBuf>,
    /// How the base moves (m/s, m/s, rad/s): along its own x and y, and about the ground's normal.
    #[arg(long, value_name = "VX,VY,W", allow_hyphen_values = true)]
    pub base_velocity: Option<String>,
    /// The rates of those (m/s², m/s², rad/s²).
    #[arg(long, value_name = "AX,AY,W'", allow_hyphen_values = true)]
    pub base_acceleration: Option<String>,
    /// How steep the ground is (degrees), and where it climbs to, from the base's x towards its y (degrees; 0 by default).
    #[arg(long, value_name = "ANGLE[@HEADING]", allow_hyphen_values = true)]
    pub slope: Option<String>,
    /// How far it may go from --q straight towards this configuration (rad, m) before it tips.
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub towards: Option<String>,
    /// How far the tool may reach in every direction: over poses of the box, at rest.
    #[arg(long)]
    pub reach: bool,
    /// Where the tool and the largest payload are (m), in the frame of the last link unless @LINK says another; at that
    /// frame's origin by default. The largest payload is in place of others.
    #[arg(long, value_name = "X,Y,Z[@LINK]", allow_hyphen_values = true)]
    pub payload_at: Option<String>,
    /// Prove that it tips in no state of the box: positions within --box or limits, speeds and accelerations as below.
    #[arg(long)]
    pub guaranteed: bool,
    /// The largest speeds of that box (rad/s, m/s), either way; by order or by name, 0 by default.
    #[arg(long, value_name = "VALUES", requires = "guaranteed")]
    pub speeds: Option<String>,
    /// The largest accelerations of that box (rad/s², m/s²), likewise.
    #[arg(long, value_name = "VALUES", requires = "guaranteed")]
    pub accelerations: Option<String>,
    /// How long proving may take (60s, 5m).
    #[arg(long, value_name = "TIME", value_parser = crate::values::duration, default_value = "60s")]
    pub budget: std::time::Duration,
    /// How many poses of the box the reach is looked at in.
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub samples: u32,
    /// Which poses those are, and where a search starts.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// A picture: top (wheels, support polygon, zero-moment point) or reach (a map); to a .svg or .png file, or without one to
    /// the terminal.
    #[arg(long, value_name = "WHAT[=FILE]")]
    pub plot: Vec<String>,
    #[command(flatten)]
    pub within: Within,
}
