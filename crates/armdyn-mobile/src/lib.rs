//! Robots on wheels, rails, feet or in space: contact loads, tip-over stability, and simulation of mobile and floating bases.
//!
//! After Lau 1985, chapter 6, corrected and generalised.
//!
//! ```
//! use armdyn_core::{BASE, Joint, Link, ModelBuilder, Progress};
//! use armdyn_mobile::{Base, SimulationOptions, simulate};
//! use armdyn_numerics::PointToPoint;
//! let mut robot = ModelBuilder::new("satellite");
//! robot.base(Link::new("hull").body(10.0, [0.0; 3], [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]));
//! robot.add(BASE, Joint::revolute("boom", [0.0, 0.0, 1.0]), Link::new("rod").body(1.0, [1.0, 0.0, 0.0], [0.0; 6]));
//! let model = robot.build()?;
//! let arm = PointToPoint::new(vec![0.0], vec![1.0], 2.0)?;
//! let base = Base::floating().without_gravity();
//! let run = simulate(&model, &base, &arm, &SimulationOptions::default(), &Progress::none())?;
//! // The hull rotates in the opposite direction: two bodies about their common centre of mass.
//! let reduced = 10.0 / 11.0;
//! assert!((run.end().heading + reduced / (1.0 + reduced)).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod base;
mod base_motion;
pub mod contact;
#[cfg(feature = "plot")]
pub mod plot;
mod simulation;
pub mod tipover;

pub use base::{Base, BaseDynamics, Drive, HeadingControl};
pub use base_motion::BaseMotion;
pub use contact::Support;
pub use simulation::{
    BasePose, EnergyBalance, Event, EventKind, Extremum, MomentumBalance, Sample, SimulationOptions, SimulationResult,
    WheelInfo, simulate,
};

use armdyn_numerics::invalid;
