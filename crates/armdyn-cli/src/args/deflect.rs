//! Arguments of `armdyn deflect`.

use super::{Plane, Robot, Within};
use crate::trajectory::Source;
use clap::{Args, ValueEnum};

/// End conditions of a link for buckling.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EndConditions {
    /// Fixed at its start, free at its end
    FixedFree,
    /// Pinned at both ends
    Pinned,
    /// Fixed at its start, pinned at its end
    FixedPinned,
    /// Fixed at both ends
    Fixed,
}

/// What to compensate.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompensationTarget {
    /// Position of the tool
    Position,
    /// Position and orientation of the tool
    Pose,
}

const EXAMPLES: &str = "\
Examples:
  armdyn deflect slender-two-link --q 0,0.3,0.4
  armdyn deflect slender-two-link --q 0,17,23 --deg --force 0,0,-50 --compensate --frequencies
  armdyn deflect slender-two-link --q 0,0,0 --map --plot map --plot shape=shape.svg";

/// `armdyn deflect`.
#[derive(Args)]
#[command(group(clap::ArgGroup::new("motion").required(true).args(["q", "trajectory"])), after_help = EXAMPLES)]
pub struct Deflect {
    /// Joint positions [rad, m], by order or by name
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, help_heading = "Motion")]
    pub q: Option<String>,
    /// Joint velocities [rad/s, m/s], by order or by name; default 0
    #[arg(long, value_name = "VALUES", requires = "q", allow_hyphen_values = true, help_heading = "Motion")]
    pub qd: Option<String>,
    /// Joint accelerations [rad/s², m/s²], by order or by name; default 0
    #[arg(long, value_name = "VALUES", requires = "q", allow_hyphen_values = true, help_heading = "Motion")]
    pub qdd: Option<String>,
    /// Joint trajectory (.csv, .tsv, .parquet, .npz) with columns t, q_JOINT and optionally qd_JOINT, qdd_JOINT
    #[arg(long, value_name = "FILE", help_heading = "Motion")]
    pub trajectory: Option<Source>,
    /// Velocity of the base [m/s, rad/s], in its own axes
    #[arg(
        long,
        value_name = "VX,VY,VZ[,WX,WY,WZ]",
        requires = "q",
        allow_hyphen_values = true,
        help_heading = "Motion"
    )]
    pub base_velocity: Option<String>,
    /// Acceleration of the base [m/s², rad/s²], in its own axes
    #[arg(
        long,
        value_name = "AX,AY,AZ[,RX,RY,RZ]",
        requires = "q",
        allow_hyphen_values = true,
        help_heading = "Motion"
    )]
    pub base_acceleration: Option<String>,
    /// Force on the tool [N] and moment about it [N m], in the base's axes
    #[arg(long, value_name = "FX,FY,FZ[,MX,MY,MZ]", allow_hyphen_values = true, help_heading = "Load")]
    pub force: Option<String>,
    /// Position of the tool [m] in the frame of the last link, or of LINK; default: the end of the last link's beam
    #[arg(long, value_name = "X,Y,Z[@LINK]", allow_hyphen_values = true, help_heading = "Load")]
    pub tool: Option<String>,
    /// Deformations: all, euler (no shear), lau (only bending), or a list of bending, torsion, axial, shear, joints
    #[arg(long, alias = "mode", value_name = "MODES", default_value = "all", help_heading = "Analysis")]
    pub modes: String,
    /// End conditions of the links for buckling
    #[arg(long, alias = "ends", value_enum, value_name = "ENDS", default_value_t = EndConditions::FixedFree, help_heading = "Analysis")]
    pub end_conditions: EndConditions,
    /// Compute joint positions that compensate the deflection of the tool; for a trajectory, at its worst sample
    #[arg(long, alias = "correct", value_enum, value_name = "WHAT", num_args = 0..=1, default_missing_value = "position", help_heading = "Analysis")]
    pub compensate: Option<CompensationTarget>,
    /// Compute the N lowest natural frequencies with locked drives [default N: 5]; for a trajectory, at its worst sample
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "5", value_parser = clap::value_parser!(u16).range(1..=100), help_heading = "Analysis")]
    pub frequencies: Option<u16>,
    /// Take joint stiffness as that of the servo: rotors move with their joints. Default: that of the gear, rotors locked
    #[arg(long, help_heading = "Analysis")]
    pub servo: bool,
    /// Finite elements per beam segment, for frequencies
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=32), help_heading = "Analysis")]
    pub elements: u16,
    /// Bandwidth of the motion [Hz], to be well below the lowest frequency; default: that of the trajectory
    #[arg(long, value_name = "HZ", help_heading = "Analysis")]
    pub bandwidth: Option<f64>,
    /// Map the tool's deflection at rest over configurations within the joint ranges
    #[arg(long, help_heading = "Map")]
    pub map: bool,
    /// Number of sampled configurations
    #[arg(long, value_name = "N", default_value_t = 20_000, requires = "map", value_parser = clap::value_parser!(u32).range(1..=1_000_000), help_heading = "Map")]
    pub samples: u32,
    /// Seed of the sampling
    #[arg(long, default_value_t = 1, requires = "map", help_heading = "Map")]
    pub seed: u64,
    /// Plane of the map; default: rz if gravity acts along z, otherwise xy
    #[arg(long, value_enum, requires = "map", help_heading = "Map")]
    pub plane: Option<Plane>,
    /// Plot shape (the deflected robot, exaggerated), tool (its displacement over time) or map, in the terminal or to a .svg
    /// or .png file
    #[arg(long, value_name = "WHAT[=FILE]", help_heading = "Output")]
    pub plot: Vec<String>,
    #[command(flatten)]
    pub within: Within,
    #[command(flatten)]
    pub robot: Robot,
}
