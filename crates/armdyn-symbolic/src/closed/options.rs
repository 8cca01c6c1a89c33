//! Options and errors of closed forms.

use super::cartesian::{CartesianOptions, MAX_JOINTS};
use super::ring::{Failure, Ring};
use crate::symbols::{SymbolError, SymbolNames};
use armdyn_core::Error;
use std::time::Duration;

/// Representation of the robot's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameters {
    /// A symbol for each non-zero parameter.
    Symbolic,
    /// Symbols, and a name for each sum of parameters that is a coefficient.
    Grouped,
    /// Numeric values.
    Numeric,
}

/// Reference point of the inertia tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tensor {
    /// The origin of the link frame: the equations are linear in I, m x and m.
    Origin,
    /// The centre of mass.
    Centre,
}

/// Form of products of sines and cosines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigonometry {
    /// The shortest of: products, sin² or cos², sums of angles of parallel joints.
    Shortest,
    /// Sums of sines and cosines of multiple angles.
    MultipleAngles,
}

/// Letters of the coefficients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// Dᵢ, Dᵢⱼ, Dᵢⱼₖ (Bejczy 1974).
    #[default]
    D,
    /// gᵢ, Mᵢⱼ, Γᵢⱼₖ: gravity torques, mass matrix and Christoffel symbols.
    M,
}

impl Notation {
    /// The letter of a coefficient with one, two or three indices.
    pub fn letter(self, indices: usize) -> &'static str {
        match (self, indices) {
            (Notation::D, _) => "D",
            (Notation::M, 1) => "g",
            (Notation::M, 2) => "M",
            (Notation::M, _) => "Γ",
        }
    }
}

/// Options of [`closed_form`](super::closed_form).
#[derive(Clone, Debug)]
pub struct ClosedOptions {
    /// Representation of the parameters.
    pub parameters: Parameters,
    /// Reference point of inertia tensors.
    pub tensor: Tensor,
    /// Form of products of sines and cosines.
    pub trigonometry: Trigonometry,
    /// Letters of the coefficients.
    pub notation: Notation,
    /// Other symbols for parameters. Products then have masses first, lengths and gravity last.
    pub symbols: SymbolNames,
    /// Add kinetic and potential energy and the Lagrangian.
    pub energy: bool,
    /// Add the wrenches of the joints.
    pub wrenches: bool,
    /// Add the Cartesian form, for up to three joints.
    pub cartesian: Option<CartesianOptions>,
    /// Include the inertia of the drives in M.
    pub drives: bool,
    /// Keep rounded angles as they are, instead of [making them exact](crate::exact_angles).
    pub exact: bool,
    /// Maximum number of terms of a polynomial.
    pub max_terms: usize,
    /// Maximum time.
    pub budget: Duration,
}

impl Default for ClosedOptions {
    fn default() -> Self {
        ClosedOptions {
            parameters: Parameters::Symbolic,
            tensor: Tensor::Origin,
            trigonometry: Trigonometry::Shortest,
            notation: Notation::D,
            symbols: SymbolNames::default(),
            energy: false,
            wrenches: false,
            cartesian: None,
            drives: true,
            exact: false,
            max_terms: 100_000,
            budget: Duration::from_secs(60),
        }
    }
}

/// Reasons why there is no closed form.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClosedError {
    /// An error of the core.
    #[error(transparent)]
    Core(#[from] Error),
    /// Too many degrees of freedom.
    #[error("the robot has {found} degrees of freedom; closed forms support at most {}", Ring::MAX_COORDINATES)]
    TooManyCoordinates {
        /// Degrees of freedom of the robot.
        found: usize,
    },
    /// A polynomial exceeds [`ClosedOptions::max_terms`].
    #[error(
        "a coefficient of the equations has more than {max_terms} terms; use numeric parameters for shorter equations, or a \
         program, which has no such limit"
    )]
    TooLong {
        /// The limit.
        max_terms: usize,
    },
    /// The computation exceeds [`ClosedOptions::budget`].
    #[error(
        "the closed form takes more than {} s and would be too long to read; use a program, which has no such limit",
        budget.as_secs_f64()
    )]
    TooSlow {
        /// The limit.
        budget: Duration,
    },
    /// Symbols for parameters that cannot be used.
    #[error(transparent)]
    Symbols(#[from] SymbolError),
    /// Too many joints for a Cartesian form.
    #[error(
        "the robot has {found} degrees of freedom; the Cartesian form is printed for at most {MAX_JOINTS}, since M_x grows with \
         the inverse of J; lock joints, or compute it as numbers"
    )]
    TooManyForCartesian {
        /// Degrees of freedom of the robot.
        found: usize,
    },
    /// J is not square.
    #[error(
        "J is not square: it has {directions} rows (directions) and {joints} columns (joints); the Cartesian form is printed for as \
         many directions as joints, where J can be inverted"
    )]
    NotSquare {
        /// Directions.
        directions: usize,
        /// Joints.
        joints: usize,
    },
    /// The determinant of J is identically zero.
    #[error("det J is zero in every configuration: the tool cannot move independently in the chosen directions")]
    SingularCartesian,
    /// A frame without formulas.
    #[error("the Cartesian form is printed in the axes of the base or of the tool, at the tool")]
    NoCartesianFrame,
    /// The computation was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The equations are not polynomials in sines, cosines, lengths and parameters.
    #[error("the equations are not polynomials in sines, cosines and lengths")]
    NotPolynomial,
    /// The equations differ from the recursion: a bug.
    #[error("the {quantity} differs by {error:.1e} from the recursion; this is a bug, please report it")]
    Mismatch {
        /// The quantity.
        quantity: String,
        /// The relative difference.
        error: f64,
    },
}

impl ClosedError {
    pub(super) fn of(failure: Failure, options: &ClosedOptions) -> Self {
        match failure {
            Failure::NotPolynomial => ClosedError::NotPolynomial,
            Failure::TooLong => ClosedError::TooLong { max_terms: options.max_terms },
            Failure::OutOfTime => ClosedError::TooSlow { budget: options.budget },
        }
    }
}
