//! Motion over time.
//!
//! What a movable base does while its arm moves as it is told: on wheels, on a rail, floating. After Lau 1985, chapter 6,
//! corrected and made general.
//!
//! ```
//! use armdyn_core::{BASE, Joint, Link, ModelBuilder};
//! use armdyn_core::Progress;
//! use armdyn_sim::{Base, PointToPoint, Setting, simulate};
//! let mut robot = ModelBuilder::new("satellite");
//! robot.base(Link::new("hull").body(10.0, [0.0; 3], [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]));
//! robot.add(BASE, Joint::revolute("boom", [0.0, 0.0, 1.0]), Link::new("rod").body(1.0, [1.0, 0.0, 0.0], [0.0; 6]));
//! let model = robot.build()?;
//! let swing = PointToPoint::new(vec![0.0], vec![1.0], 2.0)?;
//! let run = simulate(&model, &Base::floating().without_gravity(), &swing, &Setting::default(), &Progress::none())?;
//! // The hull turns back: it and a kilogram at a metre from the joint, about their centre of mass.
//! let reduced = 10.0 / 11.0;
//! assert!((run.end().heading() + reduced / (1.0 + reduced)).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod base;
mod motion;
mod reaction;
mod symmetric;
pub mod tipover;

pub use base::{Base, Drive, Instant, Wheel, WheelKind};
pub use motion::{Motion, PointToPoint, Smooth, Spline};
pub use reaction::{Balance, Event, EventKind, Run, Sample, Setting, simulate};
