//! `armdyn simulate`.

use super::{Robot, Trajectory};
use crate::values::{Choice, choice, duration};
use armdyn_motion::simulation::{Integrator, Interpolation};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Kind of base.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BaseKind {
    /// Castors and fixed wheels on one axle, none driven
    Rolling,
    /// Castors and two driven wheels on one axle
    Differential,
    /// Driven wheels on several axles, in two tracks, that slip sideways in turns
    SkidSteer,
    /// Fixed or driven wheels on a rail
    Rail,
    /// Omnidirectional wheels
    Omni,
    /// No contacts: a robot in space
    Floating,
}

/// How a drive holds the heading of a base.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HeadingControlKind {
    /// Forces that the model predicts for the planned motion of the arm
    FeedForward,
    /// Feedback of the measured heading
    Feedback,
    /// Both
    Both,
}

/// Integrators by name.
const INTEGRATORS: &[Choice<Integrator>] = &[
    ("dormand-prince", "Order 8, adaptive steps", Integrator::DormandPrince),
    ("runge-kutta", "Order 4, fixed steps", Integrator::RungeKutta),
    ("semi-implicit-euler", "Order 1, fixed steps, symplectic", Integrator::SemiImplicitEuler),
    ("implicit-midpoint", "Order 2, fixed steps, for stiff joints", Integrator::ImplicitMidpoint),
];

/// Interpolations of torques by name.
const INTERPOLATIONS: &[Choice<Interpolation>] = &[
    ("linear", "Linear between rows", Interpolation::Linear),
    ("hold", "Each row holds until the next", Interpolation::Hold),
];

/// A controller by name.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ControllerKind {
    /// No torques: free motion
    None,
    /// Gravity compensation
    Gravity,
    /// Proportional-derivative feedback
    Pd,
    /// PD feedback and gravity compensation
    PdGravity,
    /// PD feedback and the torques of the desired motion, friction included
    FeedForward,
    /// Inverse dynamics with a corrected acceleration
    ComputedTorque,
    /// Computed torque of the tool, in operational space
    OperationalSpace,
    /// A spring and a damper at the tool
    Impedance,
    /// Adaptive control of Slotine and Li
    Adaptive,
}

impl ControllerKind {
    /// Whether it follows a trajectory.
    pub fn tracks(self) -> bool {
        !matches!(self, ControllerKind::None | ControllerKind::Gravity)
    }
}

/// A simulation driven by torques.
#[derive(Args)]
pub struct TorqueDriven {
    /// Joint torques over time (.csv, .tsv, .parquet, .npz) with columns t [s] from 0 and tau_JOINT [N m, N]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["trajectory", "move"], help_heading = "Torques")]
    pub torque: Option<PathBuf>,
    /// Torques between the rows of --torque [default: linear]
    #[arg(long, value_parser = choice(INTERPOLATIONS), value_name = "KIND", requires = "torque", help_heading = "Torques")]
    pub interpolation: Option<Interpolation>,
    /// Controller that computes the torques from the measured state
    #[arg(long, value_enum, conflicts_with = "torque", help_heading = "Torques")]
    pub controller: Option<ControllerKind>,
    /// Natural frequency of the closed loop [Hz]: position gains are (2π f)², times the inertia of each joint at the start, with the other
    /// joints free, unless the controller computes with the mass matrix [default: 2]
    #[arg(
        long,
        value_name = "HZ",
        conflicts_with = "kp",
        requires = "controller",
        allow_hyphen_values = true,
        help_heading = "Torques"
    )]
    pub frequency: Option<f64>,
    /// Damping ratio of the closed loop [default: 1]
    #[arg(
        long,
        value_name = "RATIO",
        conflicts_with = "kp",
        requires = "controller",
        allow_hyphen_values = true,
        help_heading = "Torques"
    )]
    pub damping: Option<f64>,
    /// Position gains, one for all joints, or by order: [N m/rad, N/m] of pd, pd-gravity, feed-forward; [1/s²] of computed-torque,
    /// operational-space; of impedance two, for translations [N/m] and rotations [N m/rad] of the tool
    #[arg(long, value_name = "VALUES", requires_all = ["kd", "controller"], allow_hyphen_values = true, help_heading = "Torques")]
    pub kp: Option<String>,
    /// Velocity gains, likewise
    #[arg(long, value_name = "VALUES", requires = "kp", allow_hyphen_values = true, help_heading = "Torques")]
    pub kd: Option<String>,
    /// Adaptation gain of `adaptive`, relative to the scales of the parameters [default: 1]
    #[arg(long, value_name = "GAIN", requires = "controller", allow_hyphen_values = true, help_heading = "Torques")]
    pub adaptation: Option<f64>,
    /// Payload of the controller's model in place of --payload, as for --payload; `none`: none, that of the robot file included
    #[arg(long, value_name = "PAYLOAD", requires = "controller", allow_hyphen_values = true, help_heading = "Torques")]
    pub model_payload: Option<String>,
    /// Samples per second of the controller [default: 1000]
    #[arg(long, value_name = "HZ", requires = "controller", allow_hyphen_values = true, help_heading = "Torques")]
    pub controller_rate: Option<f64>,
    /// Time from a sample of the controller until its torques act (1ms; a bare number is in seconds)
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "controller", allow_hyphen_values = true, help_heading = "Torques")]
    pub delay: Option<Duration>,
    /// Resolution of the measured positions [rad, m], one for all joints or by name
    #[arg(long, value_name = "VALUES", requires = "controller", help_heading = "Torques")]
    pub resolution: Option<String>,
    /// Do not limit torques to the effort limits of the robot
    #[arg(long, requires = "driven", help_heading = "Torques")]
    pub no_saturation: bool,
    /// Initial joint positions [rad, m], by order (0.1,0.2,…) or by name (elbow=0.2,wrist=-1; others 0) [default: start of the motion]
    #[arg(
        long,
        value_name = "VALUES",
        requires = "driven",
        allow_hyphen_values = true,
        help_heading = "Initial state"
    )]
    pub q: Option<String>,
    /// Initial joint velocities [rad/s, m/s], by order or by name
    #[arg(
        long,
        value_name = "VALUES",
        requires = "driven",
        allow_hyphen_values = true,
        help_heading = "Initial state"
    )]
    pub qd: Option<String>,
    /// Coefficients of restitution of the joint stops, one for all joints or by name
    #[arg(long, value_name = "VALUES", requires = "driven", help_heading = "Joints")]
    pub restitution: Option<String>,
    /// Do not stop joints at their position limits
    #[arg(long, requires = "driven", help_heading = "Joints")]
    pub no_stops: bool,
    /// Make joints with a stiffness flexible (that of the robot file or of --joint-stiffness), with this damping [N m s/rad, N s/m], one for
    /// all joints or by name
    #[arg(long, value_name = "DAMPING", num_args = 0..=1, default_missing_value = "0", requires = "driven", help_heading = "Joints")]
    pub flexible: Option<String>,
    /// Stiffness of flexible joints [N m/rad, N/m] in place of that of the robot file, one for all joints or by name
    #[arg(long, value_name = "VALUES", requires = "flexible", help_heading = "Joints")]
    pub joint_stiffness: Option<String>,
    /// Inertia of the motors of flexible joints, times the gear ratio squared [kg m², kg], in place of the rotors of the robot file, one for
    /// all joints or by name
    #[arg(long, value_name = "VALUES", requires = "flexible", help_heading = "Joints")]
    pub motor_inertia: Option<String>,
    /// Payload that is attached and removed at given times, as for --payload; repeat for more
    #[arg(
        long,
        value_name = "PAYLOAD from TIME [to TIME]",
        requires = "driven",
        allow_hyphen_values = true,
        help_heading = "Joints"
    )]
    pub payload_during: Vec<String>,
    /// Force [N] and moment [N m] of the environment on the robot, at the tool or at the origin of LINK, in axes of the base (of the world,
    /// with --base), always or for a time; repeat for more
    #[arg(
        long,
        value_name = "FX,FY,FZ[,MX,MY,MZ][@LINK] [from TIME] [to TIME]",
        requires = "driven",
        allow_hyphen_values = true,
        help_heading = "Joints"
    )]
    pub wrench: Vec<String>,
    /// Integrator [default: dormand-prince]
    #[arg(long, value_parser = choice(INTEGRATORS), value_name = "NAME", requires = "driven", help_heading = "Integration")]
    pub integrator: Option<Integrator>,
    /// Fixed step of the integrator [s] [default: 0.001]
    #[arg(long, value_name = "SECONDS", requires = "driven", allow_hyphen_values = true, help_heading = "Integration")]
    pub step: Option<f64>,
    /// Relative error tolerance of an adaptive step [default: 1e-11]
    #[arg(long, value_name = "VALUE", requires = "driven", allow_hyphen_values = true, help_heading = "Integration")]
    pub tolerance: Option<f64>,
}

/// `armdyn simulate`.
#[derive(Args)]
#[command(group(clap::ArgGroup::new("motion").required(true).multiple(true).args(["trajectory", "move", "torque", "controller"])),
    group(clap::ArgGroup::new("driven").multiple(true).args(["torque", "controller"])), after_help = "Examples:
  armdyn simulate panda --controller none --q 0,0.5,0,-1.5,0,1.5,0 --duration 5s --plot energy
  armdyn simulate panda --controller computed-torque --trajectory move.csv --payload 2 --model-payload none --plot error
  armdyn simulate ur5e --torque tau.csv --integrator runge-kutta --step 1e-4 --out run.csv
  armdyn simulate lau-movable --base rolling --move \"to theta1=1,arm.x=-0.6 in 1\"
  armdyn simulate lau-movable --base floating --move \"to theta1=1 in 2\" --plot path
  armdyn simulate ur5e-on-wheels --base skid-steer --move \"to elbow_joint=1 in 1\" --animate move.html
  armdyn simulate lau-movable --base rolling --base-velocity 0.4,0,0 --move \"to theta1=1 in 2\"
  armdyn simulate lau-movable --base rolling --controller computed-torque --move \"to theta1=1 in 2\" --plot path
  armdyn simulate panda --controller pd-gravity --move \"from panda_joint4=-2 to panda_joint4=-1 in 1\" --payload-during \"2 from 0.5s to 2s\" --duration 3s
  armdyn simulate panda --controller gravity --q 0,0.5,0,-1.5,0,1.5,0 --wrench \"0,0,-20 from 1s to 2s\" --duration 3s
  armdyn simulate panda --controller gravity --q 0,-0.5,0,-2,0,1.5,0 --flexible 5 --joint-stiffness 10000 --motor-inertia 0.5 --wrench \"0,0,-20 from 0.2s to 0.4s\" --duration 1s")]
pub struct Simulate {
    /// Kind of base; its wheels are the contacts of the robot file. The arm is driven by --torque or --controller, or follows --trajectory
    /// or --move exactly
    #[arg(long, value_enum, help_heading = "Base")]
    pub base: Option<BaseKind>,
    /// Friction coefficients of all wheels or of one, replacing those of the robot file: rolling, static, sliding
    #[arg(
        long,
        value_name = "[WHEEL:]rolling=VALUE,…",
        requires = "base",
        allow_hyphen_values = true,
        help_heading = "Base"
    )]
    pub friction: Vec<String>,
    /// Initial velocity of the base [m/s, rad/s], in its own axes
    #[arg(
        long,
        value_name = "VX,VY,VZ[,WX,WY,WZ]",
        requires = "base",
        allow_hyphen_values = true,
        help_heading = "Base"
    )]
    pub base_velocity: Option<String>,
    /// Initial heading of the base from the world's x axis [rad] [default: 0]
    #[arg(long, value_name = "ANGLE", requires = "base", allow_hyphen_values = true, help_heading = "Base")]
    pub heading: Option<f64>,
    /// Hold the initial heading by the drive of the base while the arm moves
    #[arg(long, value_enum, value_name = "HOW", requires = "base", conflicts_with = "drive", help_heading = "Base")]
    pub heading_control: Option<HeadingControlKind>,
    /// Natural frequency of the feedback of --heading-control [Hz] [default: 1]
    #[arg(long, value_name = "HZ", requires = "heading_control", allow_hyphen_values = true, help_heading = "Base")]
    pub heading_frequency: Option<f64>,
    /// Drive of the base: a table with columns t [s] and speed_NAME [m/s at the rim, rad/s] or force_NAME [N at the rim,
    /// N m] for all driven wheels, `left` and `right` (skid-steer), `rail`, or `vx`, `vy`, `w`; without it the base rolls freely
    #[arg(long, value_name = "FILE", requires = "base", help_heading = "Base")]
    pub drive: Option<PathBuf>,
    #[command(flatten)]
    pub motion: Trajectory,
    /// Point-to-point move from rest to rest: positions [rad, m] by order or by name, and its time (2s, 500ms; a bare number
    /// is in seconds); joints without a value stay, `from` defaults to 0
    #[arg(
        id = "move",
        long,
        value_name = "[from VALUES] to VALUES in TIME",
        conflicts_with = "trajectory",
        allow_hyphen_values = true,
        help_heading = "Motion"
    )]
    pub moves: Option<String>,
    #[command(flatten)]
    pub arm: TorqueDriven,
    /// Simulated time (2s, 500ms; a bare number is in seconds), by default that of the motion or of the torques; a
    /// move is followed by rest
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true, help_heading = "Motion")]
    pub duration: Option<Duration>,
    /// Read and print angles in degrees
    #[arg(long, help_heading = "Motion")]
    pub deg: bool,
    /// Samples per second
    #[arg(long, default_value_t = 100.0, value_name = "HZ", help_heading = "Output")]
    pub rate: f64,
    /// Write all samples to this file: .csv, .tsv, .parquet, .npz, or .mcap (positions, velocities and torques)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Plot `position`, `torque`, `energy` or `error` (of tracking) of an arm driven by torques, `path`, `loads` or `velocity` of a
    /// base, to a .svg or .png file, or to the terminal [without a value: error, or position of an arm that follows no motion; path of a base]
    #[arg(long, value_name = "WHAT[=FILE]", num_args = 0..=1, default_missing_value = "", help_heading = "Output")]
    pub plot: Vec<String>,
    /// Write the motion as a page that plays it in 3-D: .html
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub animate: Option<PathBuf>,
    #[command(flatten)]
    pub robot: Robot,
}
