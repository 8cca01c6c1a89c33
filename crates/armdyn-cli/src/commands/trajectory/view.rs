//! The result as a document.

use super::Report;
use crate::args::TrajectoryCommand;
use crate::document::{Document, Table};
use crate::format::{largest, many, number, optional, rounded};
use crate::shown::Shown;
use armdyn_core::Model;
use armdyn_design::PeakValue;
use armdyn_motion::trajectory::JointCheck;
use armdyn_numerics::Limit;
use std::fmt::Write;

/// The tool is near a singularity below this singular value.
const NEAR: f64 = 0.02;

pub fn view(r: &Report, m: &Model<f64>, args: &TrajectoryCommand) -> Document {
    let (mut doc, shown) = (Document::default(), Shown { m, deg: args.deg });
    let profile = r.profile.and_then(|p| serde_json::to_value(p).ok());
    let profile = profile.and_then(|p| Some(format!(", {}", p.as_str()?))).unwrap_or_default();
    let _ = writeln!(doc, "{}: {}{profile}", r.robot, r.motion);
    let _ = write!(doc, "duration {} s", number(r.check.duration));
    if r.speed_scaling != 1.0 {
        let _ = write!(doc, " at a speed scaling of {}", number(r.speed_scaling));
    }
    doc += "\n";
    if let (Some(condition), Some(parameters)) = (r.condition, r.base_parameters) {
        let condition = number(condition);
        let _ = writeln!(doc, "condition number of the regressor of {parameters} base parameters: {condition}");
    }
    if let (Some(true), Some(candidates)) = (r.partial, r.candidates) {
        let excitations = many(candidates, "excitation");
        let _ = writeln!(doc, "partial: ended by Ctrl-C, the best of {excitations}");
    }
    speeds(&mut doc, r, shown);
    efforts(&mut doc, r, shown);
    for v in &r.check.violations {
        let i = m.dof_names().iter().position(|n| *n == v.joint).unwrap_or(0);
        let rate = |per: &str| shown.rate_unit(i, per);
        let (unit, scaled) = match v.limit {
            Limit::Position => (shown.position_unit(i).to_string(), true),
            Limit::Speed => (rate("s"), true),
            Limit::Acceleration => (rate("s²"), true),
            Limit::Jerk => (rate("s³"), true),
            _ => (effort_unit(m, i).to_string(), false),
        };
        let value = |x: f64| number(if scaled { shown.value(i, x) } else { x });
        let at = v.t.map_or("as RMS".to_string(), |t| format!("at {} s", number(t)));
        let needed =
            if v.value.is_infinite() { "a jump of the acceleration".to_string() } else { value(v.value) + " " + &unit };
        let [low, high] = v.allowed.map(value);
        let _ = writeln!(doc, "EXCEEDED: {} of {}: {needed} {at}, allowed {low} … {high} {unit}", v.limit, v.joint);
    }
    if let Some(s) = &r.check.singularity {
        let (value, t) = (number(s.singular_value), number(s.t));
        let _ = write!(doc, "\nsmallest singular value of the tool's Jacobian: {value} at {t} s");
        if s.singular_value < NEAR {
            let _ = write!(doc, "; NEAR A SINGULARITY: {} can move with hardly any motion of the tool", s.joint_list());
        }
        doc += "\n";
    }
    if let (Some(samples), Some(out)) = (r.samples, &args.out) {
        let _ = writeln!(doc, "{samples} samples written to {}", out.display());
    }
    doc
}

fn effort_unit(m: &Model<f64>, dof: usize) -> &'static str {
    if m.is_rotational(dof) { "N m" } else { "N" }
}

/// A value without its sign, its fraction of the limit \[%\] and its instant.
fn cells(peak: &PeakValue, limit: f64, shown: impl Fn(f64) -> f64) -> [String; 3] {
    let used = Some(100.0 * peak.value.abs() / limit).filter(|_| limit.is_finite());
    [number(shown(peak.value.abs())), used.map_or("–".to_string(), |x| format!("{x:.1}")), number(peak.t)]
}

fn speeds(doc: &mut Document, r: &Report, shown: Shown) {
    let row = |(i, j): (usize, &JointCheck)| {
        let value = |x: f64| shown.value(i, x);
        let speed = cells(&j.speed, r.limits.drive.speed[i], value);
        let acceleration = cells(&j.acceleration, r.limits.acceleration[i], value);
        let ends = [j.minimum.value, j.maximum.value];
        let range = ends.map(|x| number(value(rounded(x, largest(ends.into_iter())))));
        let unit = shown.position_unit(i).to_string();
        [vec![j.joint.clone(), unit], range.to_vec(), speed.to_vec(), acceleration.to_vec()].concat()
    };
    let header = ["joint", "", "minimum", "maximum", "speed /s", "%", "at [s]", "acceleration /s²", "%", "at [s]"];
    *doc += "\nRange of positions, and peaks of rates (%: of the limit)\n";
    doc.table(Table::new(&header, &[0, 1], r.check.joints.iter().enumerate().map(row)));
    if r.limits.jerk.iter().all(|j| j.is_infinite()) {
        return;
    }
    let row = |(i, j): (usize, &JointCheck)| {
        let jerk = cells(&j.jerk, r.limits.jerk[i], |x| shown.value(i, x));
        [vec![j.joint.clone()], jerk.to_vec(), vec![shown.rate_unit(i, "s³")]].concat()
    };
    *doc += "\nPeaks of jerks\n";
    doc.table(Table::new(&["joint", "jerk", "%", "at [s]", ""], &[0, 4], r.check.joints.iter().enumerate().map(row)));
}

fn efforts(doc: &mut Document, r: &Report, shown: Shown) {
    let row = |(i, j): (usize, &JointCheck)| {
        let range = r.limits.drive.effort[i];
        let used = range.utilization(j.effort.value).map(|x| format!("{:.1}", 100.0 * x));
        let continuous = r.limits.drive.continuous[i];
        let rms = Some(100.0 * j.rms_effort / continuous).filter(|_| continuous.is_finite());
        vec![
            j.joint.clone(),
            effort_unit(shown.m, i).to_string(),
            number(j.effort.value),
            if range.is_known() { range.to_string() } else { "–".to_string() },
            used.unwrap_or("–".to_string()),
            number(j.effort.t),
            number(j.rms_effort),
            optional(rms),
        ]
    };
    let header = ["joint", "", "torque", "limit", "%", "at [s]", "RMS", "% of continuous"];
    *doc += "\nTorque of each drive\n";
    doc.table(Table::new(&header, &[0, 1], r.check.joints.iter().enumerate().map(row)));
}
