//! The arguments of the command line.

mod control;
mod deflect;
mod derive;
mod design;
mod dynamics;
mod report;
mod shared;
mod simulate;
mod study;
mod tipover;
mod trace;
mod trajectory;

pub use control::Control;
pub use deflect::Deflect;
pub use derive::{Derive, Emit, EquationForm, Ops, Parameters, Search, Strategy};
pub use design::{Importance, LimitArgs, PLANES, Range, Simplify, Size};
pub use dynamics::{
    By, Check, Convert, Explain, Form, Format, Forward, Frame, Inverse, Kinematics, Robots, Show, Terms,
};
pub use report::{Report, Reproduce};
pub use shared::{
    Axes, Batch, Cartesian, Import, Lock, Motion, Robot, RobotFile, State, TableDevice, Trajectory, Within, Wrench,
};
pub use simulate::{BaseKind, ControllerKind, HeadingControlKind, Simulate, TorqueDriven};
pub use study::Study;
pub use tipover::Tipover;
pub use trace::Trace;
pub use trajectory::{MotionProfile, TrajectoryCommand};

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;

/// Compute, explain and generate the dynamics of robot arms
///
/// Without a command, armdyn prints a short demonstration on a bundled robot.
#[derive(Parser)]
#[command(name = "armdyn", version, after_help = EXAMPLES, max_term_width = 120)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXAMPLES: &str = "Examples:
  armdyn check my_robot.urdf            validate masses, inertias, limits and units
  armdyn explain panda --q panda_joint2=-0.7,panda_joint4=-2
                                        break each joint torque down into its physical causes
  armdyn derive ur5e --emit c           generate inverse dynamics with a minimal operation count";

#[derive(Subcommand)]
pub enum Command {
    /// Validate robot files: masses, inertias, limits, units and ignored elements
    Check(Check),
    /// List the bundled robots
    Robots(Robots),
    /// Show a robot's kinematic tree, joints, masses and drives
    Show(Show),
    /// Compute joint torques (inverse dynamics)
    Inverse(Inverse),
    /// Compute joint accelerations (forward dynamics)
    Forward(Forward),
    /// Compute the mass matrix, Coriolis and centrifugal terms, and gravity torques
    Terms(Terms),
    /// Break each joint torque down into its physical causes
    Explain(Explain),
    /// Compute poses, velocities and accelerations of links, Jacobians, and joint positions for a pose
    Kinematics(Kinematics),
    /// Convert a robot file to TOML, URDF or MJCF
    Convert(Convert),
    /// Derive the equations of motion: formulas to read, or code with few operations
    Derive(Derive),
    /// Follow a document's method step by step: every intermediate quantity as a value or a formula
    Trace(Trace),
    /// Count the operations of the derived code
    Ops(Ops),
    /// Simplify inertia, gravity or torque formulas within an error bound
    Simplify(Simplify),
    /// Compute minimum and maximum inertia, gravity and coupling over the joint ranges
    Range(Range),
    /// Rank the terms of the joint torques: inertia, coupling, Coriolis, gravity, friction
    Importance(Importance),
    /// Size motors, gears and bearings for a motion; report payload and speed margins
    Size(Size),
    /// Compute deflection, stress, buckling and natural frequencies of elastic links and joints
    Deflect(Deflect),
    /// Plan trajectories through waypoints: splines, S-curves, time-optimal motion, excitation; check all limits
    Trajectory(TrajectoryCommand),
    /// Simulate a robot: torques, controllers, mobile and free-floating bases
    Simulate(Box<Simulate>),
    /// Analyse joint servos: natural frequency and damping over the joint ranges, gains and gain schedules
    Control(Control),
    /// Compute contact loads, tip-over stability margins, friction demand and safe payload, speed and reach
    Tipover(Tipover),
    /// Vary parameters of a robot: sweeps and optimisation over the analyses, Pareto front
    Study(Study),
    /// Write an HTML report: check, ranges, importance, simplified model, drives, equations
    Report(Report),
    /// Reproduce the published results of the five documents behind armdyn, with their errata
    Reproduce(Reproduce),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Print the manual page, or write those of all commands to a folder
    Man(Man),
}

/// `armdyn completions`.
#[derive(Args)]
#[command(after_help = "Examples:\n  armdyn completions bash > ~/.local/share/bash-completion/completions/armdyn")]
pub struct Completions {
    /// Shell
    pub shell: Shell,
}

/// `armdyn man`.
#[derive(Args)]
#[command(after_help = "Examples:\n  armdyn man --out ~/.local/share/man/man1")]
pub struct Man {
    /// Write armdyn.1 and one page per command to this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
