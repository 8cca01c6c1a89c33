//! Design studies: how measures of a robot, such as payload, mass or natural frequency, depend on its parameters.
//!
//! A [`Definition`] lists what is varied (`LINK.length`, `JOINT.gear`, `payload`, …), the runs of commands that compute a point, and
//! the measures, each with a goal or a bound. A [`Study`] is checked against its robot; a [`Session`] knows which points are to be
//! computed next, on threads here or on other machines, and keeps a [`Journal`]. How a command runs is the caller's: see
//! [`Study::evaluate`]. Results do not depend on the number of threads, nor on the order in which points finish.
//!
//! ```
//! use armdyn_study::{Definition, Session, Study};
//! use serde_json::json;
//!
//! let definition = Definition::of_toml(r#"
//!     [vary]
//!     link2.length = { from = 0.3, to = 0.5, count = 3 }
//!     [measure]
//!     mass = "minimise model.mass"
//!     length = "maximise model.length"
//! "#)?;
//! let robot = armdyn_import::library::bundled("planar-2r").unwrap().load().description.unwrap();
//! let study = Study::new(robot, &definition)?;
//! let mut session = Session::new(&study, None)?;
//! for point in session.pending() {
//!     let record = study.evaluate(point.index, &point.values, |robot, _, _| {
//!         let model = robot.model().map_err(|e| armdyn_study::Failure::Failed(e.to_string()))?;
//!         Ok(json!({ "mass": model.total_mass(), "length": point.values[0] }))
//!     });
//!     session.tell(record.into_iter().collect())?;
//! }
//! let results = study.results(&session.records());
//! assert!(results.rows.len() == 3 && results.rows.iter().all(|row| row.on_front));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "plot")]
mod charts;
mod definition;
mod error;
mod expression;
mod journal;
mod measure;
mod optimise;
mod parameter;
mod pareto;
mod results;
mod session;
mod stretch;
mod study;
mod variable;

pub use definition::Definition;
pub use error::{Error, Result};
pub use journal::Journal;
pub use measure::{Bound, Goal, Measure};
pub use optimise::Fitness;
pub use parameter::Parameter;
pub use pareto::{dominates, pareto_front};
pub use results::{MeasureInfo, Results, Row, VariableInfo};
pub use session::{Point, Session};
pub use study::{Failure, Method, Record, Run, Study, fingerprint};
pub use variable::{Domain, Setting, Target, Variable};
