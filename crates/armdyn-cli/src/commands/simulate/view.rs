//! The document of a simulation.

use crate::document::{Document, Table};
use crate::format::number;
use armdyn_core::{Model, Vec3};
use armdyn_mobile::{Extremum, SimulationResult};
use std::fmt::Write;

/// The document; angles in degrees if `deg`.
pub fn document(m: &Model<f64>, result: &SimulationResult, description: String, deg: bool) -> Document {
    let mut text = Document::default();
    // Writing to a document does not fail.
    let _ = writeln!(text, "`{}` {description}: {} s simulated", result.robot, number(result.duration));
    if result.partial {
        let _ = writeln!(text, "partial: cancelled by Ctrl-C");
    }
    base_tables(&mut text, result, deg);
    let _ = writeln!(text, "\nJoint torques on the moving base\n");
    let rows = result.joints.iter().enumerate().filter_map(|(k, name)| {
        let peak = result.maximum(|s| Some(s.dynamics.tau[k].abs()))?;
        Some(vec![name.clone(), number(peak.value), m.torque_unit(k).to_string(), number(peak.t)])
    });
    text.table(Table::new(&["joint", "peak torque", "unit", "at [s]"], &[0, 2], rows));
    if !result.events.is_empty() {
        let _ = writeln!(text, "\nEvents\n");
        let rows = result.events.iter().map(|e| vec![number(e.t), e.kind.to_string()]);
        text.table(Table::new(&["at [s]", "event"], &[1], rows));
    }
    let e = &result.energy;
    let drive =
        if result.driven.is_empty() { String::new() } else { format!(", drive work {} J", number(e.drive_work)) };
    let _ = writeln!(
        text,
        "\nEnergy: joint work {} J{drive}, friction loss {} J, change of energy {} J, residual {:.1e} J",
        number(e.joint_work),
        number(e.friction_loss),
        number(e.energy_change),
        e.residual
    );
    momentum(&mut text, result);
    text
}

/// Adds the motion of the base and the loads of its wheels.
pub fn base_tables(text: &mut Document, result: &SimulationResult, deg: bool) {
    let _ = writeln!(text, "\nBase\n");
    let row = |(what, value, unit): (&str, Option<Extremum>, &'static str)| {
        let Extremum { value, t } = value?;
        Some(vec![what.to_string(), number(value), unit.to_string(), number(t)])
    };
    let rows = base_rows(result, deg).into_iter().filter_map(row);
    text.table(Table::new(&["", "value", "unit", "at [s]"], &[0, 2], rows));
    if !result.floats() {
        let _ = writeln!(text, "\nWheel loads\n");
        let rows = result.wheels.iter().enumerate().filter_map(|(k, wheel)| {
            let load = |s: &armdyn_mobile::Sample| Some(s.dynamics.wheel_loads[k]);
            let (min, max) = (result.minimum(load)?, result.maximum(load)?);
            let [a, b, c, d] = [min.value, min.t, max.value, max.t].map(number);
            Some(vec![wheel.name.clone(), wheel.kind.clone(), a, b, c, d])
        });
        let header = ["wheel", "kind", "minimum [N]", "at [s]", "maximum [N]", "at [s]"];
        text.table(Table::new(&header, &[0, 1], rows));
    }
}

/// Adds the momentum balance of a floating base.
pub fn momentum(text: &mut Document, result: &SimulationResult) {
    if result.floats() {
        let p = &result.momentum;
        let _ = writeln!(
            text,
            "Momentum: change {:.1e} kg m/s and {:.1e} kg m²/s, maximum of base or arm {} kg m/s and {} kg m²/s",
            p.linear_change,
            p.angular_change,
            number(p.linear_scale),
            number(p.angular_scale)
        );
    }
}

/// Name, value and unit of the results for the base.
fn base_rows(result: &SimulationResult, deg: bool) -> Vec<(&'static str, Option<Extremum>, &'static str)> {
    let end = result.end();
    let at_end = |value: f64| Some(Extremum { value, t: end.t });
    let angle = |x: f64| if deg { x.to_degrees() } else { x };
    let (angle_unit, rate_unit) = if deg { ("°", "°/s") } else { ("rad", "rad/s") };
    let [x, y, z] = end.position;
    let mut rows = vec![("final x", at_end(x), "m"), ("final y", at_end(y), "m")];
    if result.floats() {
        rows.push(("final z", at_end(z), "m"));
        rows.push(("final rotation", at_end(angle(result.rotation_angle())), angle_unit));
    } else {
        rows.push(("final heading", at_end(angle(end.heading)), angle_unit));
    }
    rows.push(("maximum speed", result.maximum(|s| Some(Vec3::lift(s.linear_velocity).norm())), "m/s"));
    let rate = result.maximum(|s| Some(angle(Vec3::<f64>::lift(s.angular_velocity).norm())));
    rows.push(("maximum angular velocity", rate, rate_unit));
    rows.push(("minimum tip-over margin", result.minimum(|s| s.dynamics.tip_margin), "m"));
    rows.push(("maximum lateral force", result.maximum(|s| s.dynamics.lateral_force.map(f64::abs)), "N"));
    rows
}
