//! What the command line says.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

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
}

/// Which robot, and what to change about it.
#[derive(Args)]
pub struct Robot {
    /// A bundled robot (see `armdyn robots`), or a file: .toml, .urdf, .xacro, .xml (MJCF).
    pub robot: String,
    /// A load: mass (kg), its centre (m) in the link's frame, its moments about that (kg m²); on the last link unless
    /// @LINK says another. `none` takes off those of the file.
    #[arg(long, value_name = "M[,X,Y,Z[,IXX,IYY,IZZ]][@LINK]", allow_hyphen_values = true)]
    pub payload: Vec<String>,
    /// Gravity (m/s²): three numbers, or one that acts along -z.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub gravity: Option<String>,
    /// Leave friction out.
    #[arg(long)]
    pub no_friction: bool,
    /// Leave rotors and friction out: the links alone.
    #[arg(long)]
    pub no_drives: bool,
    #[command(flatten)]
    pub finding: Finding,
    /// One JSON object, for machines.
    #[arg(long)]
    pub json: bool,
}

/// What a robot file may need to be read.
#[derive(Args)]
pub struct Finding {
    /// Where a package is, for package:// and $(find …).
    #[arg(long, value_name = "NAME=DIR")]
    pub package: Vec<String>,
    /// The value of a xacro argument.
    #[arg(long = "arg", value_name = "NAME=VALUE")]
    pub arguments: Vec<String>,
}

/// Where the robot is, and how fast.
#[derive(Args)]
pub struct State {
    /// Positions (rad, m), by order (0.1,0.2,…) or by name (elbow=0.2,wrist=-1; the rest 0).
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub q: Option<String>,
    /// Velocities (rad/s, m/s), likewise.
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub qd: Option<String>,
    /// Angles in degrees, in and out.
    #[arg(long)]
    pub deg: bool,
}

/// Which configurations are looked at.
#[derive(Args)]
pub struct Within {
    /// The range of a joint (rad, m), in place of its limits; once for each, or by commas.
    #[arg(long = "box", value_name = "JOINT=LOW:HIGH", allow_hyphen_values = true)]
    pub ranges: Vec<String>,
    /// Angles in degrees, in and out.
    #[arg(long)]
    pub deg: bool,
}

/// A whole table of states.
#[derive(Args)]
pub struct Batch {
    /// States from a .csv, .tsv, .parquet or .npz file: columns q_JOINT, qd_JOINT, …; or arrays q, qd, … in an .npz.
    /// What has no columns is as --q, --qd, … say, for every state.
    #[arg(long, value_name = "FILE", requires = "out")]
    pub states: Option<PathBuf>,
    /// Where the results go: .csv, .tsv, .parquet or .npz.
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
    pub finding: Finding,
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
    pub finding: Finding,
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
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub budget: Option<String>,
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
    #[arg(long, value_name = "SHARE", conflicts_with_all = ["sweep", "ratios"])]
    pub slow: Option<String>,
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
    #[arg(long, default_value = "1%", requires = "guaranteed")]
    pub gap: String,
    /// How long proving may take (60s, 5m), for each load.
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub budget: String,
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
    #[arg(long, default_value = "5%")]
    pub error: String,
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
    /// How long one proof may take (60s, 5m); a formula may need several, each with more terms.
    #[arg(long, default_value = "60s")]
    pub budget: String,
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
    /// Greatest torque of a joint (N m, N), in place of the file's; once for each, or by commas, or all by order.
    #[arg(long, value_name = "JOINT=VALUE")]
    pub effort: Vec<String>,
    /// Root mean square of the torque that a drive bears for ever (N m, N), likewise.
    #[arg(long, value_name = "JOINT=VALUE")]
    pub rated: Vec<String>,
    /// Greatest speed of a joint (rad/s, m/s), likewise.
    #[arg(long, value_name = "JOINT=VALUE")]
    pub speed: Vec<String>,
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
