//! What is asked of closed forms, and why there may be none.

use super::ring::{Lack, Ring};
use armdyn_core::Error;
use std::fmt;
use std::time::Duration;

/// What stands for the robot's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameters {
    /// A symbol for each that is not zero.
    Symbolic,
    /// Symbols, and a name for each sum of them that is a coefficient.
    Grouped,
    /// Their values.
    Numeric,
}

/// What the symbols of inertia tensors are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tensor {
    /// The origin of the link's frame: the equations are linear in I, m x and m.
    Origin,
    /// The centre of mass.
    Centre,
}

/// What products of sines and cosines become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigonometry {
    /// The shortest found of: products, sin² or cos², sums of angles of parallel joints.
    Shortest,
    /// Sums of sines and cosines of sums of multiples of the angles.
    MultipleAngles,
}

/// How equations are to be written.
#[derive(Clone, Debug)]
pub struct ClosedOptions {
    /// What stands for the robot's figures.
    pub parameters: Parameters,
    /// What inertia tensors are about.
    pub tensor: Tensor,
    /// What products of sines and cosines become.
    pub trigonometry: Trigonometry,
    /// Whether the inertia of drives counts in D_ii.
    pub drives: bool,
    /// Whether angles are taken as they are, not as the exact ones that they round; what is taken so is told.
    pub exact: bool,
    /// The most terms that one polynomial may have.
    pub most_terms: usize,
    /// How long it may take.
    pub patience: Duration,
}

impl Default for ClosedOptions {
    fn default() -> Self {
        ClosedOptions {
            parameters: Parameters::Symbolic,
            tensor: Tensor::Origin,
            trigonometry: Trigonometry::Shortest,
            drives: true,
            exact: false,
            most_terms: 100_000,
            patience: Duration::from_secs(60),
        }
    }
}

/// Why there are no equations.
#[derive(Clone, Debug, PartialEq)]
pub enum ClosedError {
    /// The core refuses.
    Core(Error),
    /// More degrees of freedom than there is room for.
    TooManyCoordinates {
        /// How many the robot has.
        found: usize,
    },
    /// A polynomial has more terms than the options allow.
    TooLong {
        /// How many they allow.
        most: usize,
    },
    /// It takes longer than the options allow.
    TooSlow {
        /// How long they allow.
        patience: Duration,
    },
    /// Something that is no polynomial in sines, cosines, lengths and figures.
    NotPolynomial,
    /// The written equations do not give what the recursion gives; this is a fault of this program.
    Wrong {
        /// The quantity.
        what: String,
        /// The relative difference.
        by: f64,
    },
}

impl fmt::Display for ClosedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClosedError::Core(e) => e.fmt(f),
            ClosedError::TooManyCoordinates { found } => write!(
                f,
                "the robot has {found} degrees of freedom, and written-out equations have room for {}",
                Ring::MOST_COORDINATES
            ),
            ClosedError::TooLong { most } => write!(
                f,
                "a coefficient of the equations has more than {most} terms: nobody could read it; numbers instead of symbols \
                 make it shorter, and a program of the same equations has no such limit"
            ),
            ClosedError::TooSlow { patience } => write!(
                f,
                "to write these equations out takes more than {} s, and they would be too long to read; a program of the same \
                 equations has no such limit",
                patience.as_secs_f64()
            ),
            ClosedError::NotPolynomial => write!(f, "the equations are not polynomials in sines, cosines and lengths"),
            ClosedError::Wrong { what, by } => {
                write!(
                    f,
                    "the written {what} is off by {by:.1e} from the recursion: a fault of this program, please report it"
                )
            }
        }
    }
}

impl std::error::Error for ClosedError {}

impl From<Error> for ClosedError {
    fn from(e: Error) -> Self {
        ClosedError::Core(e)
    }
}

impl ClosedError {
    pub(super) fn of(lack: Lack, options: &ClosedOptions) -> Self {
        match lack {
            Lack::NotPolynomial => ClosedError::NotPolynomial,
            Lack::TooLong => ClosedError::TooLong { most: options.most_terms },
            Lack::TooLate => ClosedError::TooSlow { patience: options.patience },
        }
    }
}
