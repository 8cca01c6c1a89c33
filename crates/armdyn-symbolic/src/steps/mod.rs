//! The methods of the documents step by step: every intermediate quantity that a text names, in its order, names and frames.
//!
//! A method is one function, generic over the scalar: [`values`] runs it over `f64` at a state, [`formulas`] over polynomials. The
//! result is a [`Trace`]: steps with equation numbers, each with its quantities.
//!
//! ```
//! use armdyn_symbolic::steps::{Method, TraceOptions, values};
//! let arm = armdyn_core::examples::two_link_arm();
//! let trace = values(&arm, Method::NewtonEuler, &[0.3, 0.5], &[1.0, 2.0], &[0.5, -1.0], &TraceOptions::default())?;
//! let omega = trace.quantities().find(|q| q.symbol.unicode() == "²ω₂").expect("the angular velocity of link 2");
//! assert_eq!(omega.unit, "rad/s");
//! # Ok::<(), armdyn_symbolic::steps::TraceError>(())
//! ```

mod bejczy;
mod cartesian;
mod lagrange;
mod lau;
mod lau_coefficients;
mod lau_recursion;
mod newton_euler;
mod quantity;
mod renaud;
mod subject;
mod symbol;
mod symbolic;

pub use quantity::{Correction, Formula, Method, Quantity, Step, Trace, Value};
pub use symbol::Symbol;
pub use symbolic::{SymbolicTrace, formulas};

use crate::closed::ClosedError;
use crate::renaud::{RenaudFrames, RenaudOptions};
use armdyn_core::{
    Error, JacobianFrame, LinkId, Model, Rate, Real, Task, TaskDirection, Tool, Transform, movable_directions,
};
use cartesian::Tool as TaskTool;
use serde::Serialize;
use subject::{Joints, Subject, check};

/// Options of a trace.
#[derive(Clone, Debug, Default)]
pub struct TraceOptions {
    /// Of [`Method::Lau`], only the terms of these i, k, l, j, from 1; 0 for an index that the term does not have.
    pub term: Option<[usize; 4]>,
    /// Of [`Method::Cartesian`], the link and the pose of the tool in it; by default the robot's tool.
    pub tool: Option<(LinkId, Transform<f64>)>,
    /// Of [`Method::Cartesian`], the axes.
    pub axes: TaskAxes,
    /// Of [`Method::Cartesian`], the components of the tool's velocity; by default those in which it can move independently.
    pub directions: Option<Vec<TaskDirection>>,
    /// Of [`Method::Renaud`], force and moment that the environment exerts on the link of the last joint, about the origin of its frame,
    /// in its axes.
    pub tip_wrench: Option<[f64; 6]>,
}

/// The axes of the Cartesian form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskAxes {
    /// Those of the tool, which turn with it (Lin).
    #[default]
    Tool,
    /// Those of the base.
    Base,
}

/// Why there is no trace.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// An error of the core.
    #[error(transparent)]
    Core(#[from] Error),
    /// The formulas are too long, or none.
    #[error(transparent)]
    Closed(#[from] ClosedError),
    /// No such term of the closed form.
    #[error(
        "there is no term i, k, l, j = {}: expected joints from 1 to {joints} with k ≤ l ≤ j and i ≤ j on one branch; l = k for \
         centrifugal, l = 0 for inertial, k = l = 0 for gravity terms",
        term.map(|i| i.to_string()).join(", ")
    )]
    NoTerm {
        /// The indices.
        term: [usize; 4],
        /// The number of moving joints.
        joints: usize,
    },
    /// The Jacobian is square in general, but the pose is singular.
    #[error(
        "the pose is singular: at this q the tool can move in {directions} directions only, in general in {joints}, one for each joint; \
         choose another q"
    )]
    SingularPose {
        /// Independent directions in which the tool can move in this configuration.
        directions: usize,
        /// Degrees of freedom of the robot, and directions in general.
        joints: usize,
    },
    /// The Jacobian is not square.
    #[error(
        "the Cartesian form of the document needs as many directions as joints: the robot has {joints}, the task {directions}; \
         choose directions in which the tool can move, lock joints, or use `armdyn terms --form cartesian`"
    )]
    NotSquare {
        /// Degrees of freedom of the robot.
        joints: usize,
        /// Directions of the task.
        directions: usize,
    },
}

/// The values of all quantities of a method at a state.
pub fn values(
    m: &Model<f64>,
    method: Method,
    q: &[f64],
    qd: &[f64],
    qdd: &[f64],
    options: &TraceOptions,
) -> Result<Trace<f64>, TraceError> {
    check(m, covered(method))?;
    // Lengths and finiteness of the state.
    let mut tau = vec![0.0; m.nv()];
    armdyn_core::rnea(m, &mut armdyn_core::RneaData::new(m), q, qd, qdd, &mut tau)?;
    let subject = Subject::at(m, q, qd, qdd);
    let tool = tool(m, method, options, q, " (in which the tool can move independently in this configuration)")?;
    if let Some(TaskTool { link, pose, axes, directions, .. }) = &tool {
        let frame = if *axes == TaskAxes::Tool { JacobianFrame::Local } else { JacobianFrame::LocalWorldAligned };
        let task = Task { link: *link, at: Some(*pose), frame, directions, rate: Rate::OfComponents };
        armdyn_core::cartesian(m, &mut armdyn_core::CartesianData::new(m), &task, q, qd)?;
    }
    let renaud = Procedure::of(m, method, options)?;
    let trace = run(&subject, method, options, tool.as_ref(), renaud.as_ref())?;
    Ok(trace.divided())
}

fn covered(method: Method) -> Joints {
    match method {
        Method::NewtonEuler | Method::Lau => Joints::Any,
        Method::Lagrange | Method::Bejczy | Method::Cartesian | Method::Renaud => Joints::OneAxis,
    }
}

/// A method over any scalar.
fn run<T: Real>(
    s: &Subject<T>,
    method: Method,
    options: &TraceOptions,
    tool: Option<&TaskTool<T>>,
    procedure: Option<&Procedure>,
) -> Result<Trace<T>, TraceError> {
    if let Some(p) = procedure {
        return Ok(renaud::renaud(s, &p.frames, options.tip_wrench, &p.counts));
    }
    Ok(match (method, tool) {
        (Method::NewtonEuler, _) => newton_euler::newton_euler(s),
        (Method::Lau, _) => lau::lau(s, options.term)?,
        (Method::Lagrange, _) => lagrange::energies(s)?,
        (Method::Bejczy, _) => bejczy::bejczy(s)?,
        (Method::Cartesian, Some(tool)) => cartesian::cartesian(s, tool)?,
        (Method::Cartesian, None) => unreachable!("`tool` returns one for this method"),
        (Method::Renaud, _) => unreachable!("there is a procedure for this method"),
    })
}

/// What Renaud's method needs besides the motion: his frames, and the operations of the steps.
struct Procedure {
    frames: RenaudFrames,
    counts: Vec<crate::renaud::Step>,
}

impl Procedure {
    /// None for other methods.
    fn of(m: &Model<f64>, method: Method, options: &TraceOptions) -> Result<Option<Self>, TraceError> {
        if method != Method::Renaud {
            return Ok(None);
        }
        let exact = RenaudOptions { tip_wrench: options.tip_wrench.is_some(), exact: true, ..RenaudOptions::default() };
        let found = crate::renaud::renaud(m, exact)?;
        Ok(Some(Procedure { frames: found.frames, counts: found.steps }))
    }
}

/// The tool of the Cartesian form, with as many directions as joints.
fn tool(
    m: &Model<f64>,
    method: Method,
    options: &TraceOptions,
    q: &[f64],
    choice: &'static str,
) -> Result<Option<TaskTool<f64>>, TraceError> {
    if method != Method::Cartesian {
        return Ok(None);
    }
    let (link, pose) = match options.tool {
        Some(tool) => tool,
        None => m.tool().map(|Tool { link, pose, .. }| (link, pose))?,
    };
    let axes = options.axes;
    let frame = if axes == TaskAxes::Tool { JacobianFrame::Local } else { JacobianFrame::LocalWorldAligned };
    let task = Task { link, at: Some(pose), frame, directions: &[], rate: Rate::OfComponents };
    let (directions, choice) = match &options.directions {
        Some(directions) => (directions.clone(), ""),
        None => (movable_directions(m, &task, q)?, choice),
    };
    let (joints, found) = (m.nv(), directions.len());
    if found != joints {
        let in_general = || movable_directions(m, &task, &general_configuration(m)).map_or(0, |all| all.len());
        if options.directions.is_none() && found < joints && in_general() == joints {
            return Err(TraceError::SingularPose { directions: found, joints });
        }
        return Err(TraceError::NotSquare { joints, directions: found });
    }
    Ok(Some(TaskTool { link, pose, axes, directions, choice }))
}

/// A configuration without special relations between its joints.
fn general_configuration(m: &Model<f64>) -> Vec<f64> {
    (1..=m.nv()).map(|i| 0.4 + (i as f64 * 0.618_033_988_75).fract()).collect()
}

impl Trace<f64> {
    /// With quotients in place of denominators.
    fn divided(mut self) -> Self {
        for quantity in self.steps.iter_mut().flat_map(|s| &mut s.quantities) {
            if let Some(denominator) = quantity.denominator.take() {
                quantity.value = quantity.value.map(&mut |x| x / denominator);
            }
        }
        self
    }
}
