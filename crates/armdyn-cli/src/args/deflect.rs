//! Arguments of `armdyn deflect`.

use super::{Motion, PLANES, Robot, Within};
use crate::values::{Choice, choice};
use armdyn_numerics::Plane;
use armdyn_structure::{CompensationTarget, EndConditions};
use clap::Args;

/// End conditions of a link for buckling.
const END_CONDITIONS: [Choice<EndConditions>; 4] = [
    ("fixed-free", "Fixed at its start, free at its end", EndConditions::FixedFree),
    ("pinned", "Pinned at both ends", EndConditions::Pinned),
    ("fixed-pinned", "Fixed at its start, pinned at its end", EndConditions::FixedPinned),
    ("fixed", "Fixed at both ends", EndConditions::Fixed),
];

/// What to compensate.
const COMPENSATION: [Choice<CompensationTarget>; 2] = [
    ("position", "Position of the tool", CompensationTarget::Position),
    ("pose", "Position and orientation of the tool", CompensationTarget::Pose),
];

const EXAMPLES: &str = "\
Examples:
  armdyn deflect slender-two-link --q 0,0.3,0.4
  armdyn deflect slender-two-link --q 0,17,23 --deg --force 0,0,-50 --compensate --frequencies
  armdyn deflect slender-two-link --q 0,0,0 --map --plot map --plot shape=shape.svg";

/// `armdyn deflect`.
#[derive(Args, Default)]
#[command(group(clap::ArgGroup::new("motion").required(true).args(["q", "trajectory"])), after_help = EXAMPLES)]
#[command(group(clap::ArgGroup::new("velocity").args(["trajectory", "base_velocity"])))]
#[command(group(clap::ArgGroup::new("acceleration").args(["trajectory", "base_acceleration"])))]
pub struct Deflect {
    #[command(flatten)]
    pub motion: Motion,
    /// Force on the tool [N] and moment about it [N m], in the base's axes
    #[arg(long, value_name = "FX,FY,FZ[,MX,MY,MZ]", allow_hyphen_values = true, help_heading = "Load")]
    pub force: Option<String>,
    /// Position of the tool [m] in the frame of the tool's link, or of LINK; default: the robot's tool, such as the end of its
    /// last beam
    #[arg(long, value_name = "X,Y,Z[@LINK]", allow_hyphen_values = true, help_heading = "Load")]
    pub tool: Option<String>,
    /// Deformations: all, euler (no shear), or a list of bending, torsion, axial, shear, joints
    #[arg(long, value_name = "MODES", default_value = "all", help_heading = "Analysis")]
    pub modes: String,
    /// End conditions of the links for buckling [default: fixed-free]
    #[arg(long, value_parser = choice(&END_CONDITIONS), value_name = "ENDS", help_heading = "Analysis")]
    pub end_conditions: Option<EndConditions>,
    /// Compute joint positions that compensate the deflection of the tool; for a trajectory, at its worst sample
    #[arg(long, value_parser = choice(&COMPENSATION), value_name = "WHAT", num_args = 0..=1, default_missing_value = "position", help_heading = "Analysis")]
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
    #[arg(long, value_parser = choice(&PLANES), requires = "map", help_heading = "Map")]
    pub plane: Option<Plane>,
    /// Plot shape (the deflected robot, exaggerated), tool (its displacement over time) or map, in the terminal or to a .svg
    /// or .png file [without a value: shape]
    #[arg(long, value_name = "WHAT[=FILE]", num_args = 0..=1, default_missing_value = "", help_heading = "Output")]
    pub plot: Vec<String>,
    #[command(flatten)]
    pub within: Within,
    #[command(flatten)]
    pub robot: Robot,
}
