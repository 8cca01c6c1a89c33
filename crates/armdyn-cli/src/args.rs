//! What the command line says.

mod deflect;
mod design;
mod simulate;
mod tipover;

pub use deflect::{Deflect, Ends, PutBack};
pub use design::{Extent, GivenLimits, Importance, Plane, Profile, Range, Report, Simpler, Simplify, Size};
pub use simulate::{BaseKind, Simulate};
pub use tipover::Tipover;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// The dynamics of robot manipulators. Without a command it shows what it does, on a bundled robot.
#[derive(Parser)]
#[command(name = "armdyn", version, about)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Is this robot file physical, and what did we ignore?
    Check(Check),
    /// The bundled robots.
    Robots(Robots),
    /// A robot's tree, joints, masses and drives.
    Show(Show),
    /// Torques for a motion: τ(q, q̇, q̈).
    Inverse(Inverse),
    /// Accelerations for torques: q̈(q, q̇, τ).
    Forward(Forward),
    /// M, C, g at a state, in any of three forms.
    Terms(Terms),
    /// What each torque is made of, biggest part first.
    Explain(Explain),
    /// Where every link is, and the Jacobian of one.
    Kinematics(Kinematics),
    /// A robot file in another format.
    Convert(Convert),
    /// The equations of this robot: to read, or as code in the fewest operations.
    Derive(Derive),
    /// What those equations cost: multiplications, additions, sines.
    Ops(Ops),
    /// The fewest terms of inertia, gravity or torque that keep within an error.
    Simplify(Simplify),
    /// How inertia and gravity vary at each joint, from the least to the greatest, with the poses.
    Range(Range),
    /// Which terms matter: own inertia, coupling, centrifugal, Coriolis, gravity, friction.
    Importance(Importance),
    /// What a motion asks of drives and bearings, and how much more they could: payload, speed, acceleration.
    Size(Size),
    /// Where a robot goes under load: links that bend, joints that give way; stress, buckling, vibrations.
    Deflect(Deflect),
    /// What a movable base does while its arm moves: on wheels, on a rail, afloat.
    Simulate(Simulate),
    /// What the ground bears under wheels or feet, and how far the robot is from tipping and slipping.
    Tipover(Tipover),
    /// One page with all of it: robot, check, ranges, importance, simplified model, drives, equations, pictures.
    Report(Report),
    /// What the five documents behind armdyn print, what it computes of it, and where they are wrong.
    Reproduce(Reproduce),
}

/// `armdyn reproduce`.
#[derive(Args)]
pub struct Reproduce {
    /// The document.
    #[arg(value_enum, default_value = "all")]
    pub document: Documents,
    /// One JSON list of rows, for machines.
    #[arg(long)]
    pub json: bool,
    /// A page with the documents' figures drawn anew: one .html file that needs nothing beside it.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// A folder for a Markdown page of each document, and its figures as SVG.
    #[arg(long, value_name = "DIR")]
    pub markdown: Option<PathBuf>,
}

/// Which documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Documents {
    /// Lau 1985: generalized manipulator, movable robots, elastic links.
    Lau,
    /// Renaud 1987: quasi-minimal inverse dynamics.
    Renaud,
    /// Bejczy 1974: the JPL arm, its coefficients, ranges and simplified models.
    Bejczy,
    /// Lin: state-space, configuration-space and Cartesian equations, friction.
    Lin,
    /// Morris and Neea 1982: an arm of four joints with its motors.
    Morris,
    /// All five.
    All,
}

/// The robot, and changes to it.
#[derive(Args)]
#[command(next_help_heading = "Robot")]
pub struct Robot {
    /// Bundled robot (see `armdyn robots`) or file: .toml, .urdf, .xacro, .xml (MJCF)
    #[arg(help_heading = None)]
    pub robot: String,
    /// Payload: mass [kg], centre of mass [m] and moments of inertia about it [kg m²] in the link frame, on the last link
    /// unless @LINK names another; `none` removes the payloads of the file
    #[arg(long, value_name = "M[,X,Y,Z[,IXX,IYY,IZZ]][@LINK]", allow_hyphen_values = true)]
    pub payload: Vec<String>,
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

/// How to read a robot file.
#[derive(Args)]
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

/// The configurations to consider.
#[derive(Args)]
#[command(next_help_heading = "Joint ranges")]
pub struct Within {
    /// Range of a joint [rad, m] in place of its limits; several separated by commas, or repeat the option
    #[arg(long, alias = "box", value_name = "JOINT=LOW:HIGH", allow_hyphen_values = true)]
    pub ranges: Vec<String>,
    /// Read and print angles in degrees
    #[arg(long)]
    pub deg: bool,
}

/// A table of states.
#[derive(Args)]
#[command(next_help_heading = "Table of states")]
pub struct Batch {
    /// Read states from a .csv, .tsv, .parquet or .npz file: columns q_JOINT, qd_JOINT, … or arrays q, qd, … in an .npz;
    /// --q, --qd, … set quantities without columns for all states
    #[arg(long, value_name = "FILE", requires = "out")]
    pub states: Option<PathBuf>,
    /// Write the results to this file: .csv, .tsv, .parquet or .npz
    #[arg(long, value_name = "FILE", requires = "states")]
    pub out: Option<PathBuf>,
}

/// `armdyn check`.
#[derive(Args)]
pub struct Check {
    /// Robot files (.toml, .urdf, .xacro, .xml), folders that hold some, or bundled names.
    #[arg(required_unless_present = "explain")]
    pub files: Vec<PathBuf>,
    /// One JSON object with all findings, for machines.
    #[arg(long)]
    pub json: bool,
    /// Warnings count as errors.
    #[arg(long)]
    pub strict: bool,
    /// Notes too: what was ignored, what is merely worth knowing.
    #[arg(long)]
    pub all: bool,
    /// What a code means, why it matters, and what to do.
    #[arg(long, value_name = "CODE")]
    pub explain: Option<String>,
    #[command(flatten)]
    pub import: Import,
}

/// `armdyn robots`.
#[derive(Args)]
pub struct Robots {
    /// One JSON object, for machines.
    #[arg(long)]
    pub json: bool,
}

/// `armdyn show`.
#[derive(Args)]
pub struct Show {
    #[command(flatten)]
    pub robot: Robot,
    /// Angles in degrees.
    #[arg(long)]
    pub deg: bool,
}

/// `armdyn inverse`.
#[derive(Args)]
pub struct Inverse {
    #[command(flatten)]
    pub robot: Robot,
    #[command(flatten)]
    pub state: State,
    /// Accelerations (rad/s², m/s²), by order or by name.
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub qdd: Option<String>,
    /// Also the complete wrench that every joint transmits.
    #[arg(long, conflicts_with = "states")]
    pub wrenches: bool,
    /// Where wrenches are given.
    #[arg(long, value_enum, default_value_t = Frame::Link, requires = "wrenches")]
    pub frame: Frame,
    #[command(flatten)]
    pub batch: Batch,
}

/// Where a wrench is given: its axes, and the point that its moment is about.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Frame {
    /// The axes and origin of the link that the joint moves.
    Link,
    /// The axes and origin of the link that the joint starts from.
    Parent,
    /// The base's axes, at the origin of the link that the joint moves.
    WorldAligned,
    /// The base's axes and origin.
    World,
}

/// `armdyn forward`.
#[derive(Args)]
pub struct Forward {
    #[command(flatten)]
    pub robot: Robot,
    #[command(flatten)]
    pub state: State,
    /// Torques (N m, N), by order or by name.
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub tau: Option<String>,
    #[command(flatten)]
    pub batch: Batch,
}

/// How the equations of motion are taken apart.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// τ = M q̈ + C q̇ + g.
    StateSpace,
    /// τ = M q̈ + B [q̇q̇] + C [q̇²] + g.
    Configuration,
    /// F = M_x ẍ + V_x + G_x, at a link.
    Cartesian,
}

/// `armdyn terms`.
#[derive(Args)]
pub struct Terms {
    #[command(flatten)]
    pub robot: Robot,
    #[command(flatten)]
    pub state: State,
    /// The form.
    #[arg(long, value_enum, default_value_t = Form::StateSpace)]
    pub form: Form,
    /// Also Christoffel's symbols Γ_ijk: torque of joint i by the product of speeds j, k.
    #[arg(long, conflicts_with = "states")]
    pub christoffel: bool,
    /// Cartesian: the link; the last one by default.
    #[arg(long)]
    pub link: Option<String>,
    /// Cartesian: the directions that matter, of x, y, z, rx, ry, rz; by default as many of these as the link can move in.
    #[arg(long, value_name = "DIRECTIONS")]
    pub directions: Option<String>,
    #[command(flatten)]
    pub batch: Batch,
}

/// `armdyn explain`.
#[derive(Args)]
pub struct Explain {
    #[command(flatten)]
    pub robot: Robot,
    #[command(flatten)]
    pub state: State,
    /// Accelerations (rad/s², m/s²), by order or by name.
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub qdd: Option<String>,
    /// Only this joint; may be given several times.
    #[arg(long)]
    pub joint: Vec<String>,
    /// Every part, however small.
    #[arg(long)]
    pub all: bool,
}

/// `armdyn kinematics`.
#[derive(Args)]
pub struct Kinematics {
    #[command(flatten)]
    pub robot: Robot,
    #[command(flatten)]
    pub state: State,
    /// Also this link's Jacobian and velocity.
    #[arg(long)]
    pub link: Option<String>,
    #[command(flatten)]
    pub batch: Batch,
}

/// A format that robots can be written in.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// armdyn's own.
    Toml,
    /// URDF.
    Urdf,
}

/// `armdyn convert`.
#[derive(Args)]
pub struct Convert {
    /// A bundled robot, or a file.
    pub robot: String,
    /// Where it goes; its ending tells the format. To the screen by default.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The format, where no file's ending tells it.
    #[arg(long, value_enum)]
    pub to: Option<Target>,
    #[command(flatten)]
    pub import: Import,
    /// One JSON object: what was written, and what was lost.
    #[arg(long)]
    pub json: bool,
}

/// How a short program is sought.
#[derive(Args)]
pub struct Search {
    /// How the program is made: minimal, but traced with --parameters symbolic.
    #[arg(long, value_enum)]
    pub strategy: Option<Strategy>,
    /// How long to search for each quantity (10s, 500ms, 1m; 10s by default); of equations to read, how long to try (60s).
    #[arg(long, value_name = "TIME", value_parser = crate::values::duration, allow_hyphen_values = true)]
    pub budget: Option<Duration>,
    /// Which random numbers the search takes.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Sines and cosines of single joints only, none of sums or doubles.
    #[arg(long)]
    pub single_joint_trig: bool,
    /// Take angles as they are written, not as the exact ones that they round.
    #[arg(long)]
    pub exact: bool,
}

/// How a program is made.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// Sought: canonical frames, base parameters, a search over choices; trees and other joints are traced.
    Minimal,
    /// Renaud's own procedure of 1987, step by step: inverse dynamics of revolute arms, without drives.
    Renaud,
    /// The recursion as it is, with constants folded and nothing computed twice.
    Traced,
}

/// What comes out.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs)]
pub enum Emit {
    Unicode,
    Latex,
    Html,
    Markdown,
    Rust,
    C,
    Cpp,
    Cuda,
    Python,
    Matlab,
    Js,
    Wasm,
}

/// What stands for the robot's figures.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Figures {
    /// Numbers.
    Numeric,
    /// A symbol for every mass, centre, moment, length and gravity that is not zero; in code inputs p, read by the traced
    /// recursion.
    Symbolic,
    /// Symbols for the sums of these that the torques depend on; in code inputs p: base parameters, lengths, gravity.
    Base,
}

/// What code computes with.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scalar {
    /// Double precision.
    F64,
    /// Single precision.
    F32,
    /// The caller's type; in Rust also several states at a time (lanes).
    Generic,
}

/// Whose sines and cosines code takes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Sines {
    /// The language's own.
    Library,
    /// Polynomials that come with the code.
    BuiltIn,
}

/// What inertia tensors are about.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum About {
    /// The origin of the link's frame.
    Origin,
    /// The centre of mass.
    Centre,
}

/// `armdyn derive`.
#[derive(Args)]
pub struct Derive {
    #[command(flatten)]
    pub robot: Robot,
    /// Equations to read (unicode, latex, html, markdown), or code.
    #[arg(long, value_enum, default_value_t = Emit::Unicode)]
    pub emit: Emit,
    /// What stands for the robot's figures.
    #[arg(long, value_enum, default_value_t = Figures::Numeric)]
    pub parameters: Figures,
    /// The parameters that the torques depend on, with their formulas.
    #[arg(long)]
    pub base_parameters: bool,
    /// The folder that files go to; the first one to the screen by default.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Equations: what inertia tensors are about; the origin by default.
    #[arg(long, value_enum)]
    pub about: Option<About>,
    /// Equations: sums of sines and cosines of multiple angles, no products of them.
    #[arg(long)]
    pub multiple_angles: bool,
    /// Code: inverse, gravity, coriolis, mass, forward, kinematics, jacobian, several by commas, or all; inverse by default.
    #[arg(long)]
    pub what: Option<String>,
    /// Code: what it computes with; the language's first by default (f64 in C, Rust, CUDA, JavaScript, WebAssembly).
    #[arg(long, value_enum)]
    pub scalar: Option<Scalar>,
    /// Code: whose sines and cosines it takes; built-in by default in Rust, CUDA and WebAssembly.
    #[arg(long, value_enum)]
    pub trig: Option<Sines>,
    #[command(flatten)]
    pub search: Search,
}

/// `armdyn ops`.
#[derive(Args)]
pub struct Ops {
    #[command(flatten)]
    pub robot: Robot,
    #[command(flatten)]
    pub search: Search,
}
