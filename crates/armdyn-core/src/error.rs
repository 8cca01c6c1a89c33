//! What can go wrong in a call.

use alloc::string::String;
use core::fmt;

/// Why a call gave no result.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// A slice has another length than the model asks for.
    Length {
        /// Which argument.
        what: &'static str,
        /// What the model asks for.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A number is NaN or infinite.
    NotFinite {
        /// Which quantity.
        what: &'static str,
        /// Whose: a joint's name, or the model's where it is no single joint's.
        joint: String,
    },
    /// A mass matrix is not positive definite: this degree of freedom moves no inertia.
    NotPositiveDefinite {
        /// The degree of freedom's name.
        joint: String,
    },
    /// A Jacobian has lost rank, or nearly.
    Singular {
        /// The condition number of J M⁻¹ Jᵀ (infinite where the rank is lost).
        condition: f64,
    },
    /// A task asks for more directions than its link can move in.
    TooManyDirections {
        /// How many were asked for.
        directions: usize,
        /// How many there can be: six, or as many as there are degrees of freedom behind the link.
        most: usize,
    },
    /// A formulation does not cover this joint.
    Unsupported {
        /// The formulation and what it covers.
        formulation: &'static str,
        /// The joint it does not cover.
        joint: String,
    },
    /// A workspace, or boundary conditions, made for another model.
    OtherModel {
        /// Which of them.
        what: &'static str,
    },
    /// A payload's mass is below zero.
    NegativeMass {
        /// The payload's name.
        name: String,
    },
    /// No joint of that name.
    NoSuchJoint {
        /// The name asked for.
        name: String,
    },
    /// No degree of freedom of that name.
    NoSuchDof {
        /// The name asked for.
        name: String,
    },
    /// No link of that name.
    NoSuchLink {
        /// The name asked for.
        name: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Length { what, expected, found } => {
                write!(f, "`{what}` has {found} values, the model needs {expected}")
            }
            Error::NotFinite { what, joint } => {
                write!(f, "`{what}` is not finite at `{joint}`: check the state, and the model's masses and inertias")
            }
            Error::NotPositiveDefinite { joint } => write!(
                f,
                "the mass matrix is not positive definite at joint `{joint}`: it moves no inertia in this pose, so give its link a \
                 mass or its drive a rotor (over intervals: the box may be too wide)"
            ),
            Error::Singular { condition } => write!(
                f,
                "the pose is singular for this task (condition number {condition:.3e}): some direction cannot be moved; \
                 leave the pose or ask for fewer directions"
            ),
            Error::TooManyDirections { directions, most } => {
                write!(f, "the task has {directions} directions, its link can move in {most}: ask for fewer directions")
            }
            Error::Unsupported { formulation, joint } => write!(f, "{formulation}; `{joint}` is not of that kind"),
            Error::OtherModel { what } => {
                write!(f, "the {what} was made for a model of another shape: make it anew for this model")
            }
            Error::NegativeMass { name } => write!(f, "payload `{name}` has a mass below zero"),
            Error::NoSuchJoint { name } => write!(f, "the model has no joint `{name}`"),
            Error::NoSuchDof { name } => write!(f, "the model has no degree of freedom `{name}`"),
            Error::NoSuchLink { name } => write!(f, "the model has no link `{name}`"),
        }
    }
}

impl core::error::Error for Error {}

/// A call's result.
pub type Result<R> = core::result::Result<R, Error>;
