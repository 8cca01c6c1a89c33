//! `armdyn show`: a robot's tree, joints, masses and drives.

use crate::args::Show;
use crate::document::{Document, Table};
use crate::{CommandResult, format, robot};
use armdyn_core::{BASE, JointId, Model};
use armdyn_import::Description;
use serde_json::{Value, json};
use std::fmt::Write;

/// The tree and two tables, or all of it as JSON.
pub fn run(args: &Show) -> CommandResult {
    let description = robot::describe(&args.robot.robot, &args.robot.import)?;
    let m = robot::prepare(&description, &args.robot)?;
    if args.robot.json {
        return Ok(told(&m, &description, args.deg).into());
    }
    let mut text = Document::default();
    let mass = format::number(format::total_mass(&m));
    let degrees = format::many(m.nv(), "degree");
    let _ = writeln!(text, "{}: {degrees} of freedom, {mass} kg", m.name());
    for line in [&description.summary, &description.origin].into_iter().flatten() {
        let _ = writeln!(text, "{}", line.trim());
    }
    page(&mut text, &m, args.deg);
    Ok(text.into())
}

/// Gravity, the tree, the joints and the links.
pub fn page(text: &mut Document, m: &Model<f64>, deg: bool) {
    let g = m.gravity();
    let gravity = [g.x, g.y, g.z].map(format::number).join(", ");
    let _ = writeln!(text, "gravity ({gravity}) m/s²\n");
    text.drawn(tree(m));
    let _ = writeln!(text);
    text.table(joints(m, deg));
    let _ = writeln!(text);
    text.table(links(m));
    let _ = writeln!(text);
    for p in m.payloads() {
        let on = &m.links()[p.link].name;
        let _ = writeln!(text, "payload `{}`: {} kg on {on}", p.name, format::number(p.inertia.mass));
    }
}

/// The base, and behind their joints the links that hang on it.
fn tree(m: &Model<f64>) -> String {
    let (mut text, mut stack) = (String::new(), vec![(BASE, 0, None)]);
    while let Some((link, depth, joint)) = stack.pop() {
        let name = &m.links()[link].name;
        let _ = match joint.map(|j: JointId| &m.joints()[j]) {
            None => writeln!(text, "{name}"),
            Some(j) => writeln!(text, "{}└─ {} ({}) ─ {name}", "   ".repeat(depth - 1), j.name, j.kind.name()),
        };
        let hanging = m.joint_ids().zip(m.joints()).rev().filter(|(_, j)| j.parent == link);
        stack.extend(hanging.map(|(k, j)| (j.child, depth + 1, Some(k))));
    }
    text
}

/// Every degree of freedom: limits, friction, the drive's inertia.
fn joints(m: &Model<f64>, deg: bool) -> Table {
    let header =
        ["joint", "unit", "lower", "upper", "speed", "effort", "rated", "viscous", "Coulomb", "rotor at joint"];
    let rows = (0..m.nv()).map(|i| {
        let (limits, friction) = (m.limits()[i], m.friction()[i]);
        let scale = if deg && m.turns(i) { 1f64.to_degrees() } else { 1.0 };
        let finite = |x: f64| if x.is_finite() { format::number(x) } else { "–".to_string() };
        let coulomb = match (friction.coulomb_forward, friction.coulomb_backward) {
            (f, b) if f == b => format::number(f),
            (f, b) => format!("{} / {}", format::number(f), format::number(-b)),
        };
        vec![
            m.dof_names()[i].clone(),
            format::position_unit(m, i, deg).to_string(),
            finite(limits.lower * scale),
            finite(limits.upper * scale),
            finite(limits.speed * scale),
            finite(limits.effort),
            finite(limits.rated),
            format::number(friction.viscous),
            coulomb,
            format::number(m.reflected()[i]),
        ]
    });
    Table::new(&header, &[0], rows)
}

/// Every link that has mass.
fn links(m: &Model<f64>) -> Table {
    let header = ["link", "mass [kg]", "centre x [m]", "y", "z", "principal moments [kg m²]", "", ""];
    let rows = m.links().iter().map(|l| (l, l.inertia())).filter(|(_, i)| i.mass != 0.0).map(|(l, i)| {
        let c = i.centre();
        let figures = [i.mass, c.x, c.y, c.z].into_iter().chain(i.central().eigenvalues());
        std::iter::once(l.name.clone()).chain(figures.map(format::number)).collect()
    });
    Table::new(&header, &[0], rows)
}

fn told(m: &Model<f64>, description: &Description, deg: bool) -> Value {
    let limit = |x: f64| x.is_finite().then_some(x);
    let drive = |i: usize| {
        let (l, f) = (m.limits()[i], m.friction()[i]);
        let scale = if deg && m.turns(i) { 1f64.to_degrees() } else { 1.0 };
        json!({
            "name": m.dof_names()[i], "unit": format::position_unit(m, i, deg), "lower": limit(l.lower * scale),
            "upper": limit(l.upper * scale), "speed": limit(l.speed * scale), "effort": limit(l.effort), "rated": limit(l.rated),
            "viscous": f.viscous, "coulomb": [f.coulomb_forward, f.coulomb_backward],
            "stribeck": f.stribeck, "stribeck_speed": f.stribeck_speed, "reflected_inertia": m.reflected()[i],
        })
    };
    let joint = |j: &armdyn_core::JointInfo| {
        json!({
            "name": j.name, "kind": j.kind.name(), "parent": m.links()[j.parent].name, "child": m.links()[j.child].name,
            "dofs": j.v.clone().map(drive).collect::<Vec<_>>(),
        })
    };
    let link = |l: &armdyn_core::LinkInfo<f64>| {
        let (i, parts) = (l.inertia(), l.parts.iter().map(|p| json!({ "name": p.name, "mass": p.inertia.mass })));
        let (c, about) = (i.centre(), i.central());
        let centre = if i.mass == 0.0 { [0.0; 3] } else { [c.x, c.y, c.z] };
        let tensor = if i.mass == 0.0 { i.second.to_rows() } else { about.to_rows() };
        json!({
            "name": l.name, "mass": i.mass, "centre": centre, "inertia": tensor, "parts": parts.collect::<Vec<_>>(),
        })
    };
    let g = m.gravity();
    json!({
        "robot": m.name(), "summary": description.summary, "origin": description.origin, "dof": m.nv(),
        "mass": format::total_mass(m), "gravity": [g.x, g.y, g.z],
        "joints": m.joints().iter().map(joint).collect::<Vec<_>>(),
        "links": m.links().iter().map(link).collect::<Vec<_>>(),
        "payloads": m.payloads().iter()
            .map(|p| json!({ "name": p.name, "link": m.links()[p.link].name, "mass": p.inertia.mass }))
            .collect::<Vec<_>>(),
    })
}
