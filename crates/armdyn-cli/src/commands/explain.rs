//! `armdyn explain`: each joint torque broken down into its physical causes.

use crate::args::Explain;
use crate::document::{Document, Table};
use crate::format::many;
use crate::values::{Kind, Reader};
use crate::wrench::External;
use crate::{CommandResult, Output, format, robot};
use armdyn_core::{Boundary, Explanation, Model, explain};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write;

/// Contributions smaller than this fraction of the largest are summed up, unless `--all` is set.
const SMALL: f64 = 0.005;

/// The length of the longest bar \[characters\].
const BAR: f64 = 20.0;

#[derive(Serialize)]
struct Explained {
    robot: String,
    joints: Vec<String>,
    torques: Vec<Torque>,
    /// External wrenches, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    external: Option<Value>,
}

#[derive(Serialize)]
struct Torque {
    joint: String,
    tau: f64,
    unit: &'static str,
    /// Largest first; they add up to `tau`.
    contributions: Vec<Contribution>,
}

#[derive(Serialize)]
struct Contribution {
    cause: String,
    kind: &'static str,
    torque: f64,
}

/// The contributions to every torque.
pub fn run(m: &Model<f64>, args: &Explain) -> CommandResult {
    let reader = Reader { model: m, deg: args.state.deg };
    let [q, qd, qdd] = reader.read_all(&[
        ("q", Kind::Position, args.state.q.as_deref()),
        ("qd", Kind::Rate, args.state.qd.as_deref()),
        ("qdd", Kind::Rate, args.qdd.as_deref()),
    ])?;
    args.joint.iter().try_for_each(|name| robot::dof(m, "--joint", name).map(|_| ()))?;
    let (mut boundary, mut external) = (Boundary::at_rest(m), External::new(m, &args.wrench)?);
    external.apply(&q, &mut boundary)?;
    let explanations = explain(m, &boundary, &q, &qd, &qdd)?;
    let all = explanations.iter().flat_map(|e| &e.contributions).map(|c| c.torque);
    // Gravity that vanishes leaves rounding errors of the size of the weight's.
    let largest = format::largest(all).max(m.gravity_scale());
    let torques = explanations.iter().map(|e| torque(m, e, largest));
    let torques = torques.filter(|t| args.joint.is_empty() || args.joint.contains(&t.joint)).collect();
    let external = (!external.is_empty()).then(|| external.json());
    let result = Explained { robot: m.name().to_string(), joints: m.dof_names().to_vec(), torques, external };
    Output::of(args.robot.json, &result, |r| {
        let mut document = Document::default();
        r.torques.iter().for_each(|t| view(&mut document, t, args.all));
        document
    })
}

/// The contributions to a torque, without rounding errors relative to the `largest` one of all joints.
fn torque(m: &Model<f64>, e: &Explanation<f64>, largest: f64) -> Torque {
    let mut contributions: Vec<Contribution> = e
        .contributions
        .iter()
        .filter(|s| format::rounded(s.torque, largest) != 0.0)
        .map(|s| Contribution { cause: s.cause.describe(m), kind: s.cause.kind(), torque: s.torque })
        .collect();
    contributions.sort_by(|a, b| b.torque.abs().total_cmp(&a.torque.abs()));
    let (joint, unit) = (m.dof_names()[e.dof.index()].clone(), m.torque_unit(e.dof.index()));
    Torque { joint, tau: format::rounded(e.torque, largest), unit, contributions }
}

/// A table with bars: positive contributions to the right of the line, negative ones to the left.
fn view(document: &mut Document, torque: &Torque, all: bool) {
    let _ = writeln!(document, "{}: {} {}", torque.joint, format::number(torque.tau), torque.unit);
    let largest = torque.contributions.first().map_or(0.0, |c| c.torque.abs());
    let (shown, small): (Vec<&Contribution>, Vec<_>) =
        torque.contributions.iter().partition(|c| all || c.torque.abs() >= SMALL * largest);
    let row = |cause: &str, torque: f64| vec![format!("  {cause}"), format::number(torque), bar(torque / largest)];
    let mut rows: Vec<Vec<String>> = shown.iter().map(|c| row(&c.cause, c.torque)).collect();
    if !small.is_empty() {
        rows.push(row(&many(small.len(), "smaller contribution"), small.iter().map(|c| c.torque).sum()));
    }
    if !rows.is_empty() {
        document.table(Table::new(&["  cause", torque.unit, ""], &[0, 2], rows));
    }
    let _ = writeln!(document);
}

/// `    ███│` or `│███`, to scale, in eighths of a character to the right.
fn bar(fraction: f64) -> String {
    let length = fraction.abs() * BAR;
    if fraction < 0.0 {
        let full = length.round().max(1.0) as usize;
        return format!("{}{}│", " ".repeat((BAR as usize).saturating_sub(full)), "█".repeat(full));
    }
    let eighths = (length * 8.0).round().max(1.0) as usize;
    let last = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    format!("{}│{}{last}", " ".repeat(BAR as usize), "█".repeat(eighths / 8))
}
