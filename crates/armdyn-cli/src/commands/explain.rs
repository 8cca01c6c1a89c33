//! `armdyn explain`: what each torque is made of, biggest part first.

use crate::args::Explain;
use crate::document::{Document, Table};
use crate::values::{Kind, Reader};
use crate::{CommandResult, format, robot};
use armdyn_core::{Explanation, Model, RneaData, Share, explain};
use serde_json::{Value, json};
use std::fmt::Write;

/// Parts smaller than this share of the biggest are added up, unless all are asked for.
const SMALL: f64 = 0.005;

/// The length of the longest bar \[characters\].
const BAR: f64 = 24.0;

/// The parts of every torque.
pub fn run(args: &Explain) -> CommandResult {
    let m = robot::open(&args.robot)?;
    let reader = Reader { model: &m, deg: args.state.deg };
    let q = reader.read("--q", &Kind::Position, args.state.q.as_deref())?;
    let qd = reader.read("--qd", &Kind::Rate, args.state.qd.as_deref())?;
    let qdd = reader.read("--qdd", &Kind::Rate, args.qdd.as_deref())?;
    if let Some(unknown) = args.joint.iter().find(|name| !m.dof_names().contains(name)) {
        return Err(format!("--joint: `{}` has no joint `{unknown}`; it has {}", m.name(), m.dof_names().join(", ")));
    }
    let mut all = explain(&m, &RneaData::new(&m).boundary, &q, &qd, &qdd).map_err(|e| e.to_string())?;
    all.retain(|e| args.joint.is_empty() || args.joint.contains(&m.dof_names()[e.joint]));
    for e in &mut all {
        e.shares.retain(|s| s.torque != 0.0);
        e.shares.sort_by(|a, b| b.torque.abs().total_cmp(&a.torque.abs()));
    }
    if args.robot.json {
        let torques: Vec<Value> = all.iter().map(|e| told(&m, e)).collect();
        return Ok(json!({ "robot": m.name(), "joints": m.dof_names(), "torques": torques }).into());
    }
    let mut text = Document::default();
    for e in &all {
        joint(&mut text, &m, e, args.all);
    }
    Ok(text.into())
}

fn told(m: &Model<f64>, e: &Explanation<f64>) -> Value {
    let part = |s: &Share<f64>| json!({ "cause": s.cause.describe(m), "kind": s.cause.kind(), "torque": s.torque });
    json!({
        "joint": m.dof_names()[e.joint], "tau": e.torque, "unit": format::torque_unit(m, e.joint),
        "parts": e.shares.iter().map(part).collect::<Vec<_>>(),
    })
}

/// A joint's parts as a table with bars: to the right of the line what pushes forward, to the left what pushes back.
fn joint(text: &mut Document, m: &Model<f64>, e: &Explanation<f64>, all: bool) {
    let unit = format::torque_unit(m, e.joint);
    let _ = writeln!(text, "{}: {} {unit}", m.dof_names()[e.joint], format::number(e.torque));
    let biggest = e.shares.first().map_or(0.0, |s| s.torque.abs());
    let (shown, small): (Vec<&Share<f64>>, Vec<&Share<f64>>) =
        e.shares.iter().partition(|s| all || s.torque.abs() >= SMALL * biggest);
    let line = |what: String, torque: f64| vec![what, format::number(torque), bar(torque / biggest)];
    let mut rows: Vec<Vec<String>> = shown.iter().map(|s| line(s.cause.describe(m), s.torque)).collect();
    if !small.is_empty() {
        let rest = small.iter().map(|s| s.torque).sum();
        rows.push(line(format!("{} smaller parts together", small.len()), rest));
    }
    if !rows.is_empty() {
        text.table(Table::new(&["  part", unit, ""], &[0, 2], rows.into_iter().map(indented)));
    }
    let _ = writeln!(text);
}

fn indented(mut row: Vec<String>) -> Vec<String> {
    row[0].insert_str(0, "  ");
    row
}

/// `    ███│` or `│███`, to scale, in eighths of a character to the right.
fn bar(share: f64) -> String {
    let length = share.abs() * BAR;
    if share < 0.0 {
        let full = length.round().max(1.0) as usize;
        return format!("{}{}│", " ".repeat((BAR as usize).saturating_sub(full)), "█".repeat(full));
    }
    let eighths = (length * 8.0).round().max(1.0) as usize;
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    format!("{}│{}{part}", " ".repeat(BAR as usize), "█".repeat(eighths / 8))
}
