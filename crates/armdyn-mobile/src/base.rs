//! Mobile and floating bases: constraints, friction, drives and equations of motion.
//!
//! A base has a twist ν in its own axes: (v_x, v_y, ω) on the ground, six components if it floats. Its equations of motion are
//! those of the whole robot with the arm's motion prescribed:
//!
//!   I(q) ν̇ + W = wrench of the ground and of the drive                          (1)
//!
//! I is the composite inertia of base and arm, W the bias wrench (inertia and gravity for ν̇ = 0) by the Newton–Euler
//! recursion with a moving base. All bases are instances of (1) and differ only in three lists of directions:
//!
//! - *constrained* ones, along which the base cannot move (the flanges of a rail),
//! - *driven* ones, whose velocity or force is prescribed,
//! - *friction constraints*: rolling resistance of a wheel, and lateral friction of an axle. Such a direction sticks while a force
//!   within μ N suffices to hold it, and slides against μ N otherwise.

mod dynamics;
mod equations;
mod forward_dynamics;
mod ground;
mod heading_control;
mod linear_algebra;
mod stiction;
mod wheels;

pub use dynamics::BaseEquations;
pub(crate) use dynamics::{Dynamics, Six, motion};
pub use equations::BaseSolution;
pub use forward_dynamics::BaseDynamics;
pub use ground::Ground;
pub use heading_control::{HeadingControl, HeadingController};
pub(crate) use stiction::REST_SPEED;

use crate::contact::{ContactSprings, SupportPolygon};
use armdyn_core::Contact;
use armdyn_numerics::{ContinuousTrajectory, Result, invalid};
use std::fmt;

/// A direction of the twist (v_x, v_y, ω): the velocity along it is the scalar product.
pub(crate) type Row = [f64; 3];

/// One direction, or two perpendicular ones, with friction in proportion to the load on some wheels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FrictionConstraint {
    pub rows: Vec<Row>,
    pub wheels: Vec<usize>,
    pub static_coefficient: f64,
    pub kinetic_coefficient: f64,
    /// Whether it is the lateral friction of an axle; otherwise rolling resistance of a wheel.
    pub lateral: bool,
}

/// Forces at a time, one for each driven direction.
pub type Efforts = dyn Fn(f64, &mut [f64]) + Sync + Send;

/// Drive of a base.
#[non_exhaustive]
pub enum Drive {
    /// No drive: the base rolls freely.
    Free,
    /// Prescribed velocities and accelerations of the driven directions, for the duration of the simulation \[m/s, rad/s\].
    Motion(Box<dyn ContinuousTrajectory + Send>),
    /// Prescribed forces along the driven directions \[N, N m\].
    Effort(Box<Efforts>),
    /// Forces that hold the heading of the base ([`Base::with_heading_control`]).
    Heading(Box<HeadingController>),
}

impl fmt::Debug for Drive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Drive::Free => "Free",
            Drive::Motion(_) => "Motion",
            Drive::Effort(_) => "Effort",
            Drive::Heading(_) => "Heading",
        })
    }
}

/// A mobile or floating base. Its wheels are contacts; one without a coefficient of rolling resistance rolls freely, one without
/// friction coefficients never slips sideways.
#[derive(Debug)]
pub struct Base {
    pub(crate) wheels: Vec<Contact>,
    pub(crate) polygon: SupportPolygon,
    pub(crate) springs: ContactSprings,
    /// Height of the ground in the base frame \[m\].
    pub(crate) ground: f64,
    pub(crate) constrained: Vec<Row>,
    pub(crate) driven: Vec<(String, Row)>,
    pub(crate) friction: Vec<FrictionConstraint>,
    pub(crate) drive: Drive,
    pub(crate) without_gravity: bool,
}

/// Free components of the twist on wheels, and of a floating base.
const PLANAR: [usize; 3] = [0, 1, 5];
const ALL: [usize; 6] = [0, 1, 2, 3, 4, 5];

impl Base {
    fn on_wheels(wheels: Vec<Contact>, drive: Drive) -> Self {
        let points: Vec<[f64; 2]> = wheels.iter().map(|w| [w.position[0], w.position[1]]).collect();
        Base {
            polygon: SupportPolygon::new(&points),
            springs: ContactSprings::new(&points, None),
            ground: wheels.first().map_or(0.0, |w| w.position[2]),
            wheels,
            constrained: vec![],
            driven: vec![],
            friction: vec![],
            drive,
            without_gravity: false,
        }
    }

    /// A base without contacts: a robot in space or in free fall.
    #[must_use]
    pub fn floating() -> Self {
        Base::on_wheels(vec![], Drive::Free)
    }

    /// The same base without gravity, whatever the model's gravity is.
    #[must_use]
    pub fn without_gravity(mut self) -> Self {
        self.without_gravity = true;
        self
    }

    /// Its wheels.
    pub fn wheels(&self) -> &[Contact] {
        &self.wheels
    }

    /// The support polygon of the wheels.
    pub fn polygon(&self) -> &SupportPolygon {
        &self.polygon
    }

    /// Names of the driven directions: the driven wheels, `rail`, or `vx`, `vy`, `w`.
    pub fn driven(&self) -> impl Iterator<Item = &str> {
        self.driven.iter().map(|(name, _)| name.as_str())
    }

    /// Prescribed velocities and accelerations of the driven directions at a time.
    pub(crate) fn prescribed_motion(&self, t: f64) -> Option<[Vec<f64>; 2]> {
        let Drive::Motion(motion) = &self.drive else { return None };
        let [mut position, mut velocity, mut acceleration] = [(); 3].map(|()| vec![0.0; self.driven.len()]);
        motion.at(t, &mut position, &mut velocity, &mut acceleration);
        Some([velocity, acceleration])
    }

    /// Fails if the prescribed motion of the drive ends before a simulation \[s\].
    pub fn check_duration(&self, end: f64) -> Result<()> {
        match &self.drive {
            Drive::Motion(drive) if end > drive.duration() * (1.0 + 1e-12) => {
                let lasts = drive.duration();
                invalid(format!("the drive's trajectory lasts {lasts} s, but the simulation {end} s; make it as long"))
            }
            _ => Ok(()),
        }
    }

    /// Free components of the twist.
    pub(crate) fn free(&self) -> &'static [usize] {
        if self.floats() { &ALL } else { &PLANAR }
    }

    /// Whether gravity does not act ([`Base::without_gravity`]).
    pub fn is_without_gravity(&self) -> bool {
        self.without_gravity
    }

    /// Height of the ground in the base frame \[m\].
    pub fn ground_height(&self) -> f64 {
        self.ground
    }

    /// Whether the base has no contacts.
    pub fn floats(&self) -> bool {
        self.wheels.is_empty()
    }
}
