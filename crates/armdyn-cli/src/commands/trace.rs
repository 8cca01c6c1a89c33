//! `armdyn trace`: a document's method, step by step.

use super::terms::directions;
use crate::args::{Axes, Emit, Trace};
use crate::progress::with_progress;
use crate::table::AtomicFile;
use crate::values::{Kind, Reader, two_vectors};
use crate::{CommandError, CommandResult, Output, document::Document, robot};
use armdyn_core::Model;
use armdyn_symbolic::steps::{Method, TaskAxes, TraceError, TraceOptions, formulas, values};
use armdyn_symbolic::typeset::TracePage;
use armdyn_symbolic::{ClosedError, ClosedOptions};
use serde::Serialize;

/// The width of the output in the terminal \[characters\].
const WIDTH: usize = 100;

#[derive(Serialize)]
struct Traced<'a, R> {
    robot: &'a str,
    joints: &'a [String],
    /// The state; none if there are formulas.
    #[serde(skip_serializing_if = "Option::is_none")]
    q: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    qd: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    qdd: Option<&'a [f64]>,
    #[serde(flatten)]
    trace: R,
}

/// The steps of a method: values at a state, or formulas.
pub fn run(m: &Model<f64>, args: &Trace) -> CommandResult {
    let options = options(m, args)?;
    let (robot, joints, json) = (m.name(), m.dof_names(), args.robot.json);
    if args.symbolic {
        let mut closed = ClosedOptions::default();
        closed.budget = args.budget.unwrap_or(closed.budget);
        let trace =
            with_progress(|progress| formulas(m, args.method, &options, &closed, progress)).map_err(too_long)?;
        super::programs::warn(&trace.equations.rounded_angles);
        let result = Traced { robot, joints, q: None, qd: None, qdd: None, trace: &trace };
        return written(args, json, &result, || TracePage::formulas(&trace));
    }
    let reader = Reader { model: m, deg: args.deg };
    let [q, qd, qdd] = reader.read_all(&[
        ("q", Kind::Position, args.q.as_deref()),
        ("qd", Kind::Rate, args.qd.as_deref()),
        ("qdd", Kind::Rate, args.qdd.as_deref()),
    ])?;
    let trace = values(m, args.method, &q, &qd, &qdd, &options).map_err(|e| e.to_string())?;
    let result = Traced { robot, joints, q: Some(&q), qd: Some(&qd), qdd: Some(&qdd), trace: &trace };
    written(args, json, &result, || TracePage::values(m, [&q, &qd, &qdd], &trace))
}

fn options(m: &Model<f64>, args: &Trace) -> Result<TraceOptions, CommandError> {
    if args.term.is_some() && args.method != Method::Lau {
        return Err("`--term` applies to `--method lau`".into());
    }
    if let (true, Some(option)) = (args.method != Method::Cartesian, args.cartesian.given().next()) {
        return Err(format!("`{option}` applies to `--method cartesian`").into());
    }
    if args.tip_wrench.is_some() && args.method != Method::Renaud {
        return Err("`--tip-wrench` applies to `--method renaud`".into());
    }
    let tip_wrench = args.tip_wrench.as_deref().map(|text| two_vectors("--tip-wrench", Some(text))).transpose()?;
    let tool = match args.method {
        Method::Cartesian => Some(robot::task(m, &args.cartesian)?),
        _ => None,
    };
    Ok(TraceOptions {
        term: args.term.as_deref().map(term).transpose()?,
        tool: tool.map(|t| (t.link, t.pose)),
        axes: if args.cartesian.axes == Some(Axes::Base) { TaskAxes::Base } else { TaskAxes::Tool },
        directions: args.cartesian.directions.as_deref().map(directions).transpose()?,
        tip_wrench: tip_wrench.map(|[f, m]| [f.x, f.y, f.z, m.x, m.y, m.z]),
    })
}

/// `1,2,2,3`.
fn term(text: &str) -> Result<[usize; 4], CommandError> {
    let numbers: Option<Vec<usize>> = text.split(',').map(|t| t.trim().parse().ok()).collect();
    let numbers = numbers.and_then(|n| <[usize; 4]>::try_from(n).ok());
    numbers.ok_or_else(|| {
        format!("invalid `--term {text}`: expected four joint numbers i,k,l,j, such as `1,2,2,3`").into()
    })
}

fn too_long(error: TraceError) -> CommandError {
    match error {
        TraceError::Closed(e @ (ClosedError::TooLong { .. } | ClosedError::TooSlow { .. })) => {
            let help = "print values at a state (without `--symbolic`), lock joints with `--lock`, or allow more time with `--budget`";
            format!("{e}\n  help: {help}").into()
        }
        e => e.to_string().into(),
    }
}

/// Prints or writes the trace.
fn written<R: Serialize>(args: &Trace, json: bool, result: &R, page: impl Fn() -> TracePage) -> CommandResult {
    let text = || {
        let page = page();
        match args.emit {
            Emit::Latex => page.latex(),
            Emit::Html => page.html(),
            Emit::Markdown => page.markdown(),
            _ => page.unicode(WIDTH),
        }
    };
    if let Some(path) = &args.out {
        AtomicFile::beside(path)?.hold(text().as_bytes())?;
        return Ok(format!("{} written\n", path.display()).into());
    }
    Output::of(json, result, |_| {
        let mut document = Document::default();
        document.drawn(text());
        document
    })
}
