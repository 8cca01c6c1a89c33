//! Options that commands share.

use crate::table::Format;
use crate::trajectory::Source;
use crate::values::{Choice, choice};
use armdyn_numerics::Device;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::PathBuf;

/// The robot, and changes to it.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Robot")]
pub struct Robot {
    /// Bundled robot (see `armdyn robots`) or file: .toml, .urdf, .xacro, .xml (MJCF)
    #[arg(help_heading = None)]
    pub robot: String,
    /// Payload: mass [kg], centre of mass [m] and moments of inertia about it [kg m²] in the frame of LINK, by default the
    /// tool's link; a mass alone is at the tool, or at the origin of LINK; `none` removes the payloads of the file
    #[arg(long, value_name = "M[,X,Y,Z[,IXX,IYY,IZZ]][@LINK]", allow_hyphen_values = true)]
    pub payload: Vec<String>,
    #[command(flatten)]
    pub lock: Lock,
    /// Gravity [m/s²]: three numbers, or one along -z
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub gravity: Option<String>,
    /// Ignore joint friction
    #[arg(long)]
    pub no_friction: bool,
    /// Ignore rotors and joint friction
    #[arg(long)]
    pub no_drives: bool,
    #[command(flatten)]
    pub import: Import,
    /// Print the result as one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Joints that do not move.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Robot")]
pub struct Lock {
    /// Lock a joint, and those that mimic it, at a position [rad, m; degrees with --deg]; by default at 0, or in the middle
    /// of its range if that excludes 0; repeat for more
    #[arg(long, value_name = "JOINT[=VALUE]", allow_hyphen_values = true)]
    pub lock: Vec<String>,
}

/// The robot as its file describes it.
#[derive(Args)]
#[command(next_help_heading = "Robot")]
pub struct RobotFile {
    /// Bundled robot (see `armdyn robots`) or file: .toml, .urdf, .xacro, .xml (MJCF)
    #[arg(help_heading = None)]
    pub robot: String,
    #[command(flatten)]
    pub lock: Lock,
    #[command(flatten)]
    pub import: Import,
    /// Print the result as one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// How to read a robot file.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Robot")]
pub struct Import {
    /// Folder of a ROS package, for package:// and $(find …)
    #[arg(long, value_name = "NAME=DIR")]
    pub package: Vec<String>,
    /// Value of a xacro argument
    #[arg(long = "arg", value_name = "NAME=VALUE")]
    pub arguments: Vec<String>,
}

/// Positions and velocities.
#[derive(Args)]
#[command(next_help_heading = "State")]
pub struct State {
    /// Joint positions [rad, m], by order (0.1,0.2,…) or by name (elbow=0.2,wrist=-1; others 0)
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub q: Option<String>,
    /// Joint velocities [rad/s, m/s], by order or by name
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub qd: Option<String>,
    /// Read and print angles in degrees
    #[arg(long)]
    pub deg: bool,
}

/// Wrenches of the environment on the robot.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "External wrench")]
pub struct Wrench {
    /// Force [N] and moment [N m] that the environment exerts on the robot, at the tool or at the origin of LINK; repeat for
    /// more
    #[arg(long, value_name = "FX,FY,FZ[,MX,MY,MZ][@LINK]", allow_hyphen_values = true)]
    pub wrench: Vec<String>,
    /// Axes of --wrench
    #[arg(long, value_enum, default_value_t = Axes::Base, requires = "wrench")]
    pub wrench_axes: Axes,
}

/// The processor of a table of states.
#[derive(Args)]
#[command(next_help_heading = "Table of states")]
pub struct TableDevice {
    /// Processor for --states
    #[arg(long, value_parser = choice(&DEVICES), default_value = "cpu")]
    pub device: Device,
}

/// The processors of a table of states.
const DEVICES: [Choice<Device>; 2] =
    [("cpu", "All cores of the CPU", Device::Cpu), ("cuda", "All NVIDIA GPUs", Device::Cuda)];

/// The axes of a wrench or of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Axes {
    /// Axes of the base
    #[default]
    Base,
    /// Axes of the tool, or of the link
    Tool,
}

/// The task of the Cartesian form.
#[derive(Args, Default)]
#[command(next_help_heading = "Cartesian form")]
pub struct Cartesian {
    /// Link of the Cartesian form, at its origin [default: the tool]
    #[arg(long, value_name = "LINK", conflicts_with = "tool")]
    pub link: Option<String>,
    /// Point of the Cartesian form [m] in the frame of the tool's link, or of LINK [default: the tool]
    #[arg(long, value_name = "X,Y,Z[@LINK]", allow_hyphen_values = true)]
    pub tool: Option<String>,
    /// Axes of the Cartesian form [default: base; `trace`: tool]
    #[arg(long, value_enum)]
    pub axes: Option<Axes>,
    /// Directions of the Cartesian form, of x, y, z, rx, ry, rz; `derive` and `trace` require as many as joints [default: those
    /// in which the tool can move independently, in this order: in this configuration, or of formulas in general]
    #[arg(long, value_name = "DIRECTIONS")]
    pub directions: Option<String>,
}

impl Cartesian {
    /// The options that were given.
    pub fn given(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            (self.link.is_some(), "--link"),
            (self.tool.is_some(), "--tool"),
            (self.axes.is_some(), "--axes"),
            (self.directions.is_some(), "--directions"),
        ];
        given.into_iter().filter(|g| g.0).map(|g| g.1)
    }
}

/// A motion over time.
#[derive(Args, Clone, Default)]
pub struct Trajectory {
    /// Joint trajectory (.csv, .tsv, .parquet, .npz, .mcap, or `-` for CSV from stdin) with columns t, q_JOINT and optionally qd_JOINT, qdd_JOINT
    #[arg(long, value_name = "FILE", help_heading = "Motion")]
    pub trajectory: Option<Source>,
}

/// A motion: one state, also of the base, or a trajectory.
#[derive(Args, Default)]
#[command(next_help_heading = "Motion")]
pub struct Motion {
    /// Joint positions [rad, m], by order (0.1,0.2,…) or by name (elbow=0.2,wrist=-1; others 0)
    #[arg(long, value_name = "VALUES", conflicts_with = "trajectory", allow_hyphen_values = true)]
    pub q: Option<String>,
    /// Joint velocities [rad/s, m/s], by order or by name; default 0
    #[arg(long, value_name = "VALUES", conflicts_with = "trajectory", allow_hyphen_values = true)]
    pub qd: Option<String>,
    /// Joint accelerations [rad/s², m/s²], by order or by name; default 0
    #[arg(long, value_name = "VALUES", conflicts_with = "trajectory", allow_hyphen_values = true)]
    pub qdd: Option<String>,
    #[command(flatten)]
    pub file: Trajectory,
    /// Velocity of the base [m/s, rad/s], in its own axes
    #[arg(long, value_name = "VX,VY,VZ[,WX,WY,WZ]", allow_hyphen_values = true)]
    pub base_velocity: Option<String>,
    /// Acceleration of the base [m/s², rad/s²], in its own axes
    #[arg(long, value_name = "AX,AY,AZ[,RX,RY,RZ]", allow_hyphen_values = true)]
    pub base_acceleration: Option<String>,
}

/// The configurations to consider.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Joint ranges")]
pub struct Within {
    /// Range of a joint [rad, m] in place of its limits; several separated by commas, or repeat the option
    #[arg(long, value_name = "JOINT=LOW:HIGH", allow_hyphen_values = true)]
    pub ranges: Vec<String>,
    /// Read and print angles in degrees
    #[arg(long)]
    pub deg: bool,
}

/// A table of states.
#[derive(Args)]
#[command(next_help_heading = "Table of states")]
pub struct Batch {
    /// Read states from a .csv, .tsv, .parquet, .npz or .mcap file, or `-` (stdin): columns q_JOINT, qd_JOINT, … or arrays q, qd, …
    /// in an .npz; --q, --qd, … set quantities without columns for all states
    #[arg(long, value_name = "FILE", requires = "out")]
    pub states: Option<PathBuf>,
    /// Write the results to this file: .csv, .tsv, .parquet, .npz (arrays such as tau, M), or `-` (stdout)
    #[arg(long, value_name = "FILE", requires = "states")]
    pub out: Option<PathBuf>,
    /// Format of `-` [default: csv]
    #[arg(long, value_enum, hide_possible_values = true, value_name = "csv|tsv|parquet|npz", requires = "states")]
    pub format: Option<Format>,
    /// Compute velocities and accelerations without columns from q_JOINT (or qd_JOINT) and the time t [s]: derivatives of the
    /// parabola through three neighbouring rows
    #[arg(long, requires = "states")]
    pub differentiate: bool,
}
