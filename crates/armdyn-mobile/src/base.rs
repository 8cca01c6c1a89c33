//! Bases that move: what holds them, what rubs, and what drives them.
//!
//! A base has a twist ν in its own axes: (v_x, v_y, ω) on the ground, six components afloat. Its equations of motion are
//! those of the whole robot, arm and all, with the arm's motion given:
//!
//!   I(q) ν̇ + W = wrench of the ground and of the drive                          (1)
//!
//! I is the inertia of base and arm as they are now, W what inertia and gravity need where ν̇ = 0, by the Newton–Euler
//! recursion with a moving base. Every base is an instance of it and differs in three lists of directions alone:
//!
//! - *held* ones, which nothing overcomes (the flanges of a rail),
//! - *driven* ones, whose speed or whose force is given,
//! - *rubbing* ones: rolling resistance of a wheel, and a fixed axle sideways. Such a direction sticks while a force
//!   within μ N is enough to hold it, and rubs with μ N against its speed else.

mod dynamics;
mod equations;
mod instant;
mod linear;
mod rolling_base;
mod stiction;

pub(crate) use dynamics::{Dynamics, Six, motion};
pub(crate) use equations::{Mode, Solution, Status};
pub use instant::Instant;
pub use rolling_base::{Wheel, WheelKind};
pub(crate) use stiction::STILL;

use crate::Motion;
use std::fmt;

/// A direction of the twist (v_x, v_y, ω): its speed is the scalar product.
pub(crate) type Row = [f64; 3];

/// A direction, or two at right angles, in which the ground rubs by the weight on some wheels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FrictionConstraint {
    pub rows: Vec<Row>,
    pub wheels: Vec<usize>,
    /// Greatest ratio of force and weight at rest, and that in motion.
    pub at_rest: f64,
    pub moving: f64,
    /// Whether it is a fixed axle that slides sideways, and not a wheel that rolls.
    pub sideways: bool,
}

/// Forces at a time, one for each thing that is driven.
pub type Efforts = dyn Fn(f64, &mut [f64]) + Sync + Send;

/// What the drive of a base does.
pub enum Drive {
    /// Nothing: it rolls as it must.
    Free,
    /// The speeds and accelerations of what is driven are those of a motion, which must last as long as the arm's \[m/s, rad/s\].
    Motion(Box<dyn Motion + Send>),
    /// Forces along what is driven, at a time \[N, N m\].
    Effort(Box<Efforts>),
}

impl fmt::Debug for Drive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Drive::Free => "Free",
            Drive::Motion(_) => "Motion",
            Drive::Effort(_) => "Effort",
        })
    }
}

/// What a robot stands on, or floats on.
#[derive(Debug)]
pub struct Base {
    pub(crate) wheels: Vec<Wheel>,
    /// Wheels at the corners of the polygon they stand on, anticlockwise.
    pub(crate) corners: Vec<usize>,
    /// The ground's height in the base's frame \[m\].
    pub(crate) ground: f64,
    pub(crate) held: Vec<Row>,
    pub(crate) driven: Vec<(String, Row)>,
    pub(crate) rubbing: Vec<FrictionConstraint>,
    pub(crate) drive: Drive,
    pub(crate) weightless: bool,
}

impl Base {
    /// Without any contact: a robot in space, or one that falls.
    pub fn floating() -> Self {
        Base {
            wheels: vec![],
            corners: vec![],
            ground: 0.0,
            held: vec![],
            driven: vec![],
            rubbing: vec![],
            drive: Drive::Free,
            weightless: false,
        }
    }

    /// With no gravity, whatever the model has.
    pub fn without_gravity(mut self) -> Self {
        self.weightless = true;
        self
    }

    /// Its wheels.
    pub fn wheels(&self) -> &[Wheel] {
        &self.wheels
    }

    /// The wheels at the corners of the polygon that they stand on, anticlockwise.
    pub fn corners(&self) -> &[usize] {
        &self.corners
    }

    /// What can be driven: the wheels by name, `rail`, or `vx`, `vy`, `w`.
    pub fn driven(&self) -> impl Iterator<Item = &str> {
        self.driven.iter().map(|(name, _)| name.as_str())
    }

    /// Whether it floats.
    pub fn floats(&self) -> bool {
        self.wheels.is_empty()
    }
}
