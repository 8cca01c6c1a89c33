//! `check`, `robots`, `show`, `inverse`, `forward`, `terms`, `explain`, `kinematics`, `convert`.

use super::{Batch, Cartesian, Import, Robot, RobotFile, State, TableDevice, Trajectory, Wrench};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::PathBuf;

/// `armdyn check`.
#[derive(Args)]
#[command(after_help = "Examples:
  armdyn check panda --all
  armdyn check ur5e panda --strict
  armdyn check --explain A214

Exit codes: 0 no findings above notes, 1 warnings, 2 errors.")]
pub struct Check {
    /// Robot files (.toml, .urdf, .xacro, .xml), folders of such files, or bundled robots
    #[arg(value_name = "FILE", required_unless_present = "explain")]
    pub files: Vec<PathBuf>,
    /// Treat warnings as errors
    #[arg(long)]
    pub strict: bool,
    /// Print notes too, such as ignored elements
    #[arg(long)]
    pub all: bool,
    /// Explain a code: what it means, why it matters, how to fix it
    #[arg(long, value_name = "CODE")]
    pub explain: Option<String>,
    #[command(flatten)]
    pub import: Import,
    /// Print all findings as one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// `armdyn robots`.
#[derive(Args)]
pub struct Robots {
    /// Print the list as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `armdyn show`.
#[derive(Args)]
#[command(after_help = "Examples:\n  armdyn show panda --deg")]
pub struct Show {
    #[command(flatten)]
    pub robot: Robot,
    /// Print angles in degrees
    #[arg(long)]
    pub deg: bool,
}

/// `armdyn inverse`.
#[derive(Args)]
#[command(after_help = "Examples:
  armdyn inverse lin-rr --q 0.3,-0.8 --qd 1,2 --qdd 0,0
  armdyn inverse panda --deg --q panda_joint2=-45,panda_joint4=-120 --payload 2
  armdyn inverse ur5e --wrenches --frame world
  armdyn inverse ur5e --q elbow_joint=1 --wrench 0,0,-20")]
pub struct Inverse {
    /// Print the wrench transmitted by every joint
    #[arg(long, conflicts_with = "states")]
    pub wrenches: bool,
    /// Frame of the wrenches
    #[arg(long, value_enum, default_value_t = Frame::Link, requires = "wrenches")]
    pub frame: Frame,
    #[command(flatten)]
    pub state: State,
    /// Joint accelerations [rad/s², m/s²], by order or by name
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, help_heading = "State")]
    pub qdd: Option<String>,
    #[command(flatten)]
    pub wrench: Wrench,
    #[command(flatten)]
    pub batch: Batch,
    #[command(flatten)]
    pub device: TableDevice,
    #[command(flatten)]
    pub robot: Robot,
}

/// The frame of a wrench: its axes, and the reference point of its moment.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Frame {
    /// Axes and origin of the joint's child link
    Link,
    /// Axes and origin of the joint's parent link
    Parent,
    /// World axes, at the origin of the child link
    WorldAligned,
    /// World axes and origin
    World,
}

/// `armdyn forward`.
#[derive(Args)]
#[command(after_help = "Examples:\n  armdyn forward lin-rr --q 0.3,-0.8 --tau 5,1")]
pub struct Forward {
    #[command(flatten)]
    pub state: State,
    /// Joint torques [N m] and forces [N], by order or by name
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, help_heading = "State")]
    pub tau: Option<String>,
    #[command(flatten)]
    pub wrench: Wrench,
    #[command(flatten)]
    pub batch: Batch,
    #[command(flatten)]
    pub device: TableDevice,
    #[command(flatten)]
    pub robot: Robot,
}

/// A form of the equations of motion.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// τ = M q̈ + C q̇ + g
    StateSpace,
    /// τ = M q̈ + B [q̇q̇] + C [q̇²] + g
    Configuration,
    /// F = M ẍ + V + g at the tool, and B_x, C_x: τ = Jᵀ (M ẍ + g) + B_x [q̇q̇] + C_x [q̇²]
    Cartesian,
}

/// `armdyn terms`.
#[derive(Args)]
#[command(after_help = "Examples:
  armdyn terms lin-rr --q 0.3,-0.8 --qd 1,2
  armdyn terms lin-rr --q 0.3,-0.8 --qd 1,2 --form cartesian --directions x,y
  armdyn terms ur5e --q 0,-1,1,0,1,0 --form cartesian --directions x,y,z --axes tool
  armdyn terms lin-rr --q 0.3,-0.8 --christoffel")]
pub struct Terms {
    /// Form of the equations
    #[arg(long, value_enum, default_value_t = Form::StateSpace)]
    pub form: Form,
    /// Print the Christoffel symbols Γ_ijk too
    #[arg(long, conflicts_with = "states")]
    pub christoffel: bool,
    #[command(flatten)]
    pub cartesian: Cartesian,
    #[command(flatten)]
    pub state: State,
    #[command(flatten)]
    pub wrench: Wrench,
    #[command(flatten)]
    pub batch: Batch,
    #[command(flatten)]
    pub robot: Robot,
}

/// `armdyn explain`.
#[derive(Args)]
#[command(after_help = "Examples:
  armdyn explain panda --q panda_joint2=-0.7,panda_joint4=-2
  armdyn explain jpl-rrp --q joint2=1,joint3=0.5 --qdd joint1=1 --joint joint2
  armdyn explain panda --q panda_joint2=-0.7 --by link --joint panda_joint2
  armdyn explain panda --q panda_joint4=-2 --component force.x@panda_joint2 --component moment.y@panda_joint2
  armdyn explain ur5e --trajectory move.csv --joint elbow_joint --plot areas=elbow.svg")]
pub struct Explain {
    /// Print this joint only; repeat for more
    #[arg(long, value_name = "JOINT")]
    pub joint: Vec<String>,
    /// Explain a component of the wrench that a joint transmits: force.x … moment.z; repeat for more. Torques are printed too
    /// if `--joint` selects them
    #[arg(long, value_name = "COMPONENT@JOINT")]
    pub component: Vec<String>,
    /// Frame of the components
    #[arg(long, value_enum, default_value_t = Frame::Link, requires = "component")]
    pub frame: Frame,
    /// How to split contributions
    #[arg(long, value_enum, default_value_t = By::Cause)]
    pub by: By,
    /// Print all contributions, however small
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub state: State,
    /// Joint accelerations [rad/s², m/s²], by order or by name
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, help_heading = "State")]
    pub qdd: Option<String>,
    #[command(flatten)]
    pub motion: Trajectory,
    #[command(flatten)]
    pub wrench: Wrench,
    /// Plot the contributions, stacked: bars of a state, or areas over a trajectory; to the terminal, or to a .svg or .png file
    /// [without a value: the one that applies]
    #[arg(long, value_name = "WHAT[=FILE]", num_args = 0..=1, default_missing_value = "", help_heading = "Output")]
    pub plot: Vec<String>,
    #[command(flatten)]
    pub robot: Robot,
}

/// How contributions are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// By cause: a joint's acceleration, a pair of velocities, a link's weight, …
    Cause,
    /// By cause and the link whose mass causes it
    Link,
}

/// `armdyn kinematics`.
#[derive(Args)]
#[command(after_help = "Examples:
  armdyn kinematics lin-rr --q 0.3,-0.8
  armdyn kinematics lin-rr --q 0.3,-0.8 --qd 1,2 --link link2
  armdyn kinematics ur5e --q elbow_joint=1 --qd elbow_joint=0.5 --from forearm_link --to tool0
  armdyn kinematics panda --pose 0.4,0.1,0.5,180,0,0 --deg
  armdyn kinematics ur5e --pose 0.3,0.2,0.4,3.14,0,0 --all

Exit codes: 0 success, 1 the pose is not reached, 2 errors.")]
pub struct Kinematics {
    /// Print the Jacobian and velocity of this link too; with --states, the link of the table; with --pose, the link to
    /// place [default: the tool]
    #[arg(long, value_name = "LINK")]
    pub link: Option<String>,
    /// Print poses, velocities and accelerations relative to this link, in its axes, or to `tool` [default: the base]
    #[arg(long, value_name = "LINK", conflicts_with = "link")]
    pub from: Option<String>,
    /// Print this link only, or `tool`
    #[arg(long, value_name = "LINK", conflicts_with = "link")]
    pub to: Option<String>,
    #[command(flatten)]
    pub inverse: InverseKinematics,
    /// Joint positions [rad, m], by order (0.1,0.2,…) or by name (elbow=0.2,wrist=-1; others 0); with --pose, the start of the
    /// search [default: mid-range]
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, help_heading = "State")]
    pub q: Option<String>,
    /// Joint velocities [rad/s, m/s], by order or by name, for the velocities of links
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, conflicts_with = "states", help_heading = "State")]
    pub qd: Option<String>,
    /// Joint accelerations [rad/s², m/s²], by order or by name, for the accelerations of links
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, conflicts_with = "states", help_heading = "State")]
    pub qdd: Option<String>,
    /// Read and print angles in degrees
    #[arg(long, help_heading = "State")]
    pub deg: bool,
    #[command(flatten)]
    pub batch: Batch,
    #[command(flatten)]
    pub robot: RobotFile,
}

/// The pose of a link, for which joint positions are computed.
#[derive(Args)]
#[command(next_help_heading = "Inverse kinematics")]
pub struct InverseKinematics {
    /// Compute joint positions within the limits that place the link here: position [m] and, optionally, roll, pitch and yaw
    /// [rad; degrees with --deg] in the base, as in URDF
    #[arg(
        long, value_name = "X,Y,Z[,R,P,Y]", allow_hyphen_values = true,
        conflicts_with_all = ["from", "to", "qd", "qdd", "states"]
    )]
    pub pose: Option<String>,
    /// Print all distinct solutions: all there are of arms with a closed form, otherwise those found from all starts; of redundant
    /// arms those that differ by 0.2 rad
    #[arg(long, requires = "pose")]
    pub all: bool,
    /// Number of configurations to start the iteration from: --q, then quasi-random ones within the limits
    #[arg(long, value_name = "N", default_value_t = 100, requires = "pose", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub starts: u32,
    /// Seed of the quasi-random configurations
    #[arg(long, default_value_t = 1, requires = "pose")]
    pub seed: u64,
}

/// A format that robots can be written in.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// armdyn's own format
    Toml,
    /// URDF
    Urdf,
    /// MJCF (MuJoCo)
    Mjcf,
}

/// `armdyn convert`.
#[derive(Args)]
#[command(after_help = "Examples:
  armdyn convert puma560 --to urdf
  armdyn convert puma560 --out puma.toml
  armdyn convert panda --to mjcf --out panda.xml")]
pub struct Convert {
    /// Write to this file (.toml, .urdf, .mjcf or .xml) instead of stdout
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Output format [default: by the file extension of --out]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Option<Format>,
    #[command(flatten)]
    pub robot: RobotFile,
}
