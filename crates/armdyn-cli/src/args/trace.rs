//! `trace`.

use super::derive::FORMATS;
use super::{Cartesian, Emit, Robot};
use crate::values::{Choice, choice, duration};
use armdyn_symbolic::steps::Method;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// The methods.
const METHODS: [Choice<Method>; 6] = [
    ("newton-euler", "Outward and inward iterations in link frames (Lin)", Method::NewtonEuler),
    (
        "lau",
        "Closed form of generalized joints: every inertial, centrifugal, Coriolis and gravity term (Lau)",
        Method::Lau,
    ),
    ("lagrange", "Kinetic and potential energy and their derivatives (Lin)", Method::Lagrange),
    ("bejczy", "4 × 4 matrices T, U, J and coefficients D (Bejczy)", Method::Bejczy),
    ("cartesian", "Jacobian, Cartesian mass matrix and forces at the tool (Lin)", Method::Cartesian),
    ("renaud", "Augmented bodies of a serial arm, with the operations of each step (Renaud)", Method::Renaud),
];

/// `armdyn trace`.
#[derive(Args)]
#[command(after_help = "Examples:
  armdyn trace lin-rr --method newton-euler --q 0.3,0.5 --qd 1,2 --qdd 0.5,-1
  armdyn trace lin-rr --method newton-euler --symbolic
  armdyn trace lau-rrr --method lau --q 0.1,0.2,0.3 --qd 1,1,1 --term 1,2,3,3
  armdyn trace renaud-6r --method renaud --q 0.1,0.2,0.3,0.4,0.5,0.6 --qd 1,1,1,1,1,1
  armdyn trace jpl-rrp --method bejczy --q joint3=0.5 --emit html --out bejczy.html")]
pub struct Trace {
    /// Method to follow
    #[arg(long, value_parser = choice(&METHODS))]
    pub method: Method,
    /// Print formulas instead of values at a state (joints of one degree of freedom; without friction)
    #[arg(long, conflicts_with_all = ["q", "qd", "qdd", "deg"])]
    pub symbolic: bool,
    /// Of `lau`, print one term only: the joint i on which it acts, the joints k and l that move, the link j, from 1; l = k for
    /// centrifugal, l = 0 for inertial, k = l = 0 for gravity terms
    #[arg(long, value_name = "I,K,L,J")]
    pub term: Option<String>,
    /// Of `renaud`, force [N] and moment [N m] that the environment exerts on the last link, at its origin, in its axes
    #[arg(long, value_name = "FX,FY,FZ[,MX,MY,MZ]", allow_hyphen_values = true)]
    pub tip_wrench: Option<String>,
    #[command(flatten)]
    pub cartesian: Cartesian,
    /// Joint positions [rad, m], by order (0.1,0.2,…) or by name (elbow=0.2,wrist=-1; others 0)
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, help_heading = "State")]
    pub q: Option<String>,
    /// Joint velocities [rad/s, m/s], by order or by name
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, help_heading = "State")]
    pub qd: Option<String>,
    /// Joint accelerations [rad/s², m/s²], by order or by name
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true, help_heading = "State")]
    pub qdd: Option<String>,
    /// Read angles in degrees
    #[arg(long, help_heading = "State")]
    pub deg: bool,
    /// Format: text, LaTeX, a page or Markdown
    #[arg(long, value_parser = choice(&FORMATS[..4]), value_name = "FORMAT", default_value = "unicode", conflicts_with = "json", help_heading = "Output")]
    pub emit: Emit,
    /// Write to this file instead of stdout
    #[arg(long, value_name = "FILE", conflicts_with = "json", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Maximum time for formulas (10s, 500ms; a bare number is in seconds) [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = duration, allow_hyphen_values = true, requires = "symbolic", help_heading = "Output")]
    pub budget: Option<Duration>,
    #[command(flatten)]
    pub robot: Robot,
}
