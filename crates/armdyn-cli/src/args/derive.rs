//! `derive` and `ops`.

use super::Robot;
use crate::values::duration;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// How to search for a short program.
#[derive(Args)]
#[command(next_help_heading = "Search")]
pub struct Search {
    /// How to generate the program [default: minimal; traced with --parameters symbolic]
    #[arg(long, value_enum)]
    pub strategy: Option<Strategy>,
    /// Search time per quantity [default: 10s], or time limit for equations [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true)]
    pub budget: Option<Duration>,
    /// Seed of the random search
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Use sines and cosines of single joint angles only, not of their sums
    #[arg(long)]
    pub single_joint_trig: bool,
    /// Keep angles as written instead of replacing rounded ones, such as 1.5708, by the exact angle
    #[arg(long)]
    pub exact: bool,
}

/// How to generate a program.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// Canonical frames, base parameters and a search; trees and other joints are traced
    Minimal,
    /// Renaud's procedure of 1987: inverse dynamics of revolute arms without drives
    Renaud,
    /// The recursion with constants folded and common subexpressions shared
    Traced,
}

/// Output format.
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

/// How the robot's parameters appear.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Parameters {
    /// Numbers
    Numeric,
    /// A symbol for each nonzero mass, centre, moment of inertia, length and gravity; in code, inputs p
    Symbolic,
    /// Symbols for the base (minimal) inertial parameters, lengths and gravity; in code, inputs p
    Base,
}

/// The scalar type of generated code.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scalar {
    /// Double precision
    F64,
    /// Single precision
    F32,
    /// A type of the caller's choice; in Rust also several states at a time (lanes)
    Generic,
}

/// Sine/cosine implementation used by the generated code.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Trig {
    /// The language's standard library
    Library,
    /// Polynomials included in the code
    BuiltIn,
}

/// The reference point of inertia tensors.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum About {
    /// Origin of the link frame
    Origin,
    /// Centre of mass
    Centre,
}

/// `armdyn derive`.
#[derive(Args)]
#[command(after_help = "Examples:
  armdyn derive lin-rr --parameters symbolic
  armdyn derive ur5e --emit c --what inverse,mass --out generated
  armdyn derive puma560 --base-parameters")]
pub struct Derive {
    /// Equations to read (unicode, latex, html, markdown), or code in a language
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Emit::Unicode)]
    pub emit: Emit,
    /// How the robot's parameters appear
    #[arg(long, value_enum, default_value_t = Parameters::Numeric)]
    pub parameters: Parameters,
    /// List the base (minimal) inertial parameters with their formulas
    #[arg(long)]
    pub base_parameters: bool,
    /// Write all files to this folder instead of printing the first one
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Reference point of inertia tensors [default: origin]
    #[arg(long, value_enum, help_heading = "Equations")]
    pub about: Option<About>,
    /// Write sines and cosines of multiple angles instead of products
    #[arg(long, help_heading = "Equations")]
    pub multiple_angles: bool,
    /// Quantities: inverse, gravity, coriolis, mass, forward, kinematics, jacobian, or all [default: inverse]
    #[arg(long, value_name = "QUANTITIES", help_heading = "Code")]
    pub what: Option<String>,
    /// Scalar type [default: f64, or the only one of the language]
    #[arg(long, value_enum, help_heading = "Code")]
    pub scalar: Option<Scalar>,
    /// Sine/cosine implementation [default: built-in in Rust, CUDA and WebAssembly, else library]
    #[arg(long, value_enum, help_heading = "Code")]
    pub trig: Option<Trig>,
    #[command(flatten)]
    pub search: Search,
    #[command(flatten)]
    pub robot: Robot,
}

/// `armdyn ops`.
#[derive(Args)]
#[command(after_help = "Examples:\n  armdyn ops puma560 --budget 2s\n  armdyn ops renaud-6r --strategy renaud")]
pub struct Ops {
    #[command(flatten)]
    pub search: Search,
    #[command(flatten)]
    pub robot: Robot,
}
