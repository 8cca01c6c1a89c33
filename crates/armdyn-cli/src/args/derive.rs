//! `derive` and `ops`.

use super::{Cartesian, Robot};
use crate::values::{Choice, choice, duration};
use armdyn_core::Rate;
use armdyn_symbolic::closed::{Notation, Tensor};
use armdyn_symbolic::emit::{Language, Scalar, Trig};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// How to search for a short program.
#[derive(Args, Default)]
#[command(next_help_heading = "Search")]
pub struct Search {
    /// How to generate the program [default: minimal]
    #[arg(long, value_enum)]
    pub strategy: Option<Strategy>,
    /// Search effort per quantity, as about its time on two idle cores (10s, 500ms; a bare number is in seconds) [default: 1s]
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
    /// With `--strategy renaud`: take a wrench at the tip as another input
    #[arg(long)]
    pub tip_wrench: bool,
}

/// How to generate a program.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// Canonical frames, base parameters and a search, branch by branch; other joints than revolute and prismatic are traced
    Minimal,
    /// Renaud's procedure of 1987: inverse dynamics of serial arms without drives, counted step by step
    Renaud,
    /// The recursion with constants folded and common subexpressions shared
    Traced,
}

/// Output format of `derive`.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Emit {
    #[default]
    Unicode,
    Latex,
    Html,
    Markdown,
    Code(Language),
}

/// Four formats of equations, then code.
pub static FORMATS: [Choice<Emit>; 12] = [
    ("unicode", "", Emit::Unicode),
    ("latex", "", Emit::Latex),
    ("html", "", Emit::Html),
    ("markdown", "", Emit::Markdown),
    ("rust", "", Emit::Code(Language::Rust)),
    ("c", "", Emit::Code(Language::C)),
    ("cpp", "", Emit::Code(Language::Cpp)),
    ("cuda", "", Emit::Code(Language::Cuda)),
    ("python", "", Emit::Code(Language::Python)),
    ("matlab", "", Emit::Code(Language::Matlab)),
    ("js", "", Emit::Code(Language::JavaScript)),
    ("wasm", "", Emit::Code(Language::Wasm)),
];

/// How the robot's parameters appear.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Parameters {
    /// Numbers
    #[default]
    Numeric,
    /// A symbol for each nonzero mass, centre, moment of inertia, length and gravity; in code, inputs p, traced by default
    Symbolic,
    /// Symbols for the base (minimal) inertial parameters, lengths and gravity; in code, inputs p
    Base,
}

/// The scalar type of generated code.
const SCALARS: [Choice<Scalar>; 3] = [
    ("f64", "Double precision", Scalar::F64),
    ("f32", "Single precision", Scalar::F32),
    ("generic", "A type of the caller's choice; in Rust also several states at a time (lanes)", Scalar::Generic),
];

/// Sine/cosine implementation used by the generated code.
const TRIG: [Choice<Trig>; 2] = [
    ("library", "The language's standard library", Trig::Library),
    ("built-in", "Polynomials included in the code", Trig::BuiltIn),
];

/// The letters of the coefficients.
const NOTATIONS: [Choice<Notation>; 2] =
    [("D", "D_i, D_ij, D_ijk", Notation::D), ("M", "g_i, M_ij and Christoffel symbols Γ_ijk", Notation::M)];

/// The reference point of inertia tensors.
const TENSORS: [Choice<Tensor>; 2] =
    [("origin", "Origin of the link frame", Tensor::Origin), ("centre", "Centre of mass", Tensor::Centre)];

/// Form of printed equations.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum EquationForm {
    /// τ = M q̈ + C q̇ + g
    #[default]
    StateSpace,
    /// Besides, F = M_x ẍ + V_x + G_x at the tool, for up to three joints
    Cartesian,
}

/// Definition of ẍ in the axes of the tool.
const RATES: [Choice<Rate>; 2] = [
    ("inertial", "The acceleration of the tool", Rate::Inertial),
    ("components", "The derivative of the components of its velocity", Rate::OfComponents),
];

/// `armdyn derive`.
#[derive(Args, Default)]
#[command(after_help = "Examples:
  armdyn derive lin-rr --parameters symbolic
  armdyn derive lin-rr --symbols l1,l2,m1,m2 --energy --wrenches --verify
  armdyn derive lin-rr --symbols x1=l1,lx2=l1,x2=l2,xt=l2 --form cartesian --axes tool --rate components
  armdyn derive ur5e --emit c --what inverse,mass --out generated
  armdyn derive puma560 --base-parameters")]
pub struct Derive {
    /// Equations to read (unicode, latex, html, markdown; --budget limits their time [default: 60s]), or code in a language
    #[arg(long, value_parser = choice(&FORMATS), value_name = "FORMAT", default_value = "unicode")]
    pub emit: Emit,
    /// How the robot's parameters appear [default: numeric, or symbolic with --symbols]
    #[arg(long, value_enum)]
    pub parameters: Option<Parameters>,
    /// List the base (minimal) inertial parameters with their formulas, and the frames and lengths that these refer to
    #[arg(long)]
    pub base_parameters: bool,
    /// Write all files to this folder instead of printing the first one
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Reference point of inertia tensors [default: origin, or centre with --symbols]
    #[arg(long, value_parser = choice(&TENSORS), help_heading = "Equations")]
    pub about: Option<Tensor>,
    /// Letters of the coefficients [default: D]
    #[arg(long, value_parser = choice(&NOTATIONS), help_heading = "Equations")]
    pub notation: Option<Notation>,
    /// Write sines and cosines of multiple angles instead of products
    #[arg(long, help_heading = "Equations")]
    pub multiple_angles: bool,
    /// Symbols for masses, inertias and lengths in their order (l1,l2,m1,m2), or PARAMETER=SYMBOL, where equal parameters may share
    /// one (x1=l1,lx2=l1). Without it, the names in the table of parameters
    #[arg(long, value_name = "SYMBOLS", help_heading = "Equations")]
    pub symbols: Option<String>,
    /// Add kinetic and potential energy and the Lagrangian
    #[arg(long, help_heading = "Equations")]
    pub energy: bool,
    /// Add all six components of every joint wrench, in the frame of the link that the joint moves
    #[arg(long, help_heading = "Equations")]
    pub wrenches: bool,
    /// Evaluate the printed equations, read back from their LaTeX and Unicode text, at random states; print the largest differences
    /// from the recursion instead of the equations, and exit with code 1 if one is too large
    #[arg(long, conflicts_with = "base_parameters", help_heading = "Equations")]
    pub verify: bool,
    /// Form of the equations
    #[arg(long, value_enum, default_value_t = EquationForm::StateSpace, help_heading = "Cartesian form")]
    pub form: EquationForm,
    #[command(flatten)]
    pub cartesian: Cartesian,
    /// Meaning of the acceleration ẍ in the axes of the tool [default: inertial]
    #[arg(long, value_parser = choice(&RATES), help_heading = "Cartesian form")]
    pub rate: Option<Rate>,
    /// Quantities: inverse, gravity, coriolis, bias, mass, forward, kinematics, jacobian, derivatives (of inverse dynamics by q and
    /// qd), regressor, or all [default: inverse]
    #[arg(long, value_name = "QUANTITIES", help_heading = "Code")]
    pub what: Option<String>,
    /// Scalar type [default: f64, or the only one of the language]
    #[arg(long, value_parser = choice(&SCALARS), help_heading = "Code")]
    pub scalar: Option<Scalar>,
    /// Sine/cosine implementation [default: built-in in Rust, CUDA and WebAssembly, else library]
    #[arg(long, value_parser = choice(&TRIG), help_heading = "Code")]
    pub trig: Option<Trig>,
    #[command(flatten)]
    pub search: Search,
    #[command(flatten)]
    pub robot: Robot,
}

impl Derive {
    /// How the robot's parameters appear.
    pub fn parameters(&self) -> Parameters {
        let default = if self.symbols.is_some() { Parameters::Symbolic } else { Parameters::Numeric };
        self.parameters.unwrap_or(default)
    }

    /// Reference point of inertia tensors.
    pub fn tensor(&self) -> Tensor {
        let default = if self.symbols.is_some() { Tensor::Centre } else { Tensor::Origin };
        self.about.unwrap_or(default)
    }

    /// The options of the Cartesian form that were given, with their names.
    pub fn cartesian_options(&self) -> impl Iterator<Item = &'static str> {
        self.cartesian.given().chain(self.rate.is_some().then_some("--rate"))
    }
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
