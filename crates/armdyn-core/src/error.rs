//! Errors of a call.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Why a call failed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A slice has the wrong length for the model.
    Length {
        /// Which argument.
        what: &'static str,
        /// The length that the model requires.
        expected: usize,
        /// The length of the argument.
        found: usize,
    },
    /// A number is NaN or infinite.
    NotFinite {
        /// Which quantity.
        what: &'static str,
        /// The joint's name, or the model's name if it is not of a single joint.
        joint: String,
    },
    /// A mass matrix is not positive definite: this degree of freedom moves no inertia.
    NotPositiveDefinite {
        /// The degree of freedom's name.
        joint: String,
    },
    /// An iteration did not converge within its rounding errors.
    NotConverged {
        /// Which quantity.
        what: &'static str,
        /// The degree of freedom that contradicts the result.
        joint: String,
    },
    /// A Jacobian has lost rank, or nearly.
    Singular {
        /// The condition number of J M⁻¹ Jᵀ (infinite where the rank is lost).
        condition: f64,
    },
    /// A task has more directions than its link can move in.
    TooManyDirections {
        /// The number of directions of the task.
        directions: usize,
        /// The maximum: six, or the number of degrees of freedom between base and link.
        maximum: usize,
    },
    /// A formulation does not cover this joint.
    Unsupported {
        /// The formulation and what it covers.
        formulation: &'static str,
        /// The joint it does not cover.
        joint: String,
    },
    /// A workspace, or boundary conditions, created for a different model.
    OtherModel {
        /// Which of them.
        what: &'static str,
    },
    /// A joint that follows another one cannot be locked by itself.
    LockedFollower {
        /// The joint's name.
        joint: String,
        /// The joint that it follows.
        leader: String,
    },
    /// A changed model cannot be built.
    NotRebuilt {
        /// Why.
        why: String,
    },
    /// A placement is not a pose: a rotation and a finite translation.
    NotAPose {
        /// Which placement.
        what: &'static str,
        /// The link that it is given in.
        link: String,
    },
    /// The drives of joints that follow others belong to their leaders.
    DriveOfFollower {
        /// The joint that follows.
        joint: String,
    },
    /// A payload has a negative mass.
    NegativeMass {
        /// The payload's name.
        name: String,
    },
    /// The robot's tool is not known.
    NoTool {
        /// The model's name.
        model: String,
        /// The names of its end links.
        ends: Vec<String>,
    },
    /// No joint of that name.
    NoSuchJoint {
        /// The name.
        name: String,
    },
    /// No degree of freedom of that name.
    NoSuchDof {
        /// The name.
        name: String,
    },
    /// No link of that name.
    NoSuchLink {
        /// The name.
        name: String,
    },
}

/// The number of end links that a message names.
const NAMED_ENDS: usize = 8;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Length { what, expected, found } => {
                write!(f, "`{what}` has {found} values; the model requires {expected}")
            }
            Error::NotFinite { what, joint } => {
                write!(f, "`{what}` is not finite at `{joint}`; check the state and the model's masses and inertias")
            }
            Error::NotPositiveDefinite { joint } => write!(
                f,
                "the mass matrix is not positive definite at joint `{joint}`, which moves no inertia in this configuration; add a \
                 mass to its link or a rotor to its drive (over intervals: the ranges may be too wide)"
            ),
            Error::NotConverged { what, joint } => write!(
                f,
                "{what} did not converge at joint `{joint}`: rounding errors decide; check for masses and inertias that differ by many \
                 orders of magnitude"
            ),
            Error::Singular { condition } => write!(
                f,
                "the configuration is singular for this task (condition number {condition:.3e}): the link cannot move in some \
                 direction; change the configuration or choose fewer directions"
            ),
            Error::TooManyDirections { directions, maximum } => {
                write!(f, "the task has {directions} directions, but its link can move in only {maximum}; choose fewer")
            }
            Error::Unsupported { formulation, joint } => write!(f, "{formulation}; joint `{joint}` is not covered"),
            Error::OtherModel { what } => write!(f, "{what} was created for a different model; create a new one"),
            Error::LockedFollower { joint, leader } => {
                write!(f, "joint `{joint}` follows `{leader}`; lock `{leader}`, which locks both")
            }
            Error::NotRebuilt { why } => write!(f, "the changed model cannot be built: {why}"),
            Error::NotAPose { what, link } => {
                write!(f, "the {what} in link `{link}` is not a pose; expected a rotation and a finite translation")
            }
            Error::DriveOfFollower { joint } => {
                write!(
                    f,
                    "joint `{joint}` follows another one, whose drive includes its own; set the drives when the model is built"
                )
            }
            Error::NegativeMass { name } => write!(f, "payload `{name}` has a negative mass"),
            Error::NoTool { model, ends } => match &ends[..] {
                [] => write!(f, "`{model}` has no tool: nothing of it moves"),
                [end] => {
                    write!(f, "the tool of `{model}` is not known: the frame of its end link `{end}` is at its joint")
                }
                several => {
                    let more = if several.len() > NAMED_ENDS { ", …" } else { "" };
                    let named = several[..several.len().min(NAMED_ENDS)].join(", ");
                    write!(f, "the tool of `{model}` is not known: it has several end links ({named}{more})")
                }
            },
            Error::NoSuchJoint { name } => write!(f, "the model has no joint `{name}`"),
            Error::NoSuchDof { name } => write!(f, "the model has no degree of freedom `{name}`"),
            Error::NoSuchLink { name } => write!(f, "the model has no link `{name}`"),
        }
    }
}

impl core::error::Error for Error {}

/// A call's result.
pub type Result<R> = core::result::Result<R, Error>;
