//! `armdyn show`: a robot's kinematic tree, joints, masses and drives.

use crate::args::Show;
use crate::document::{Document, Table};
use crate::format::{many, number, numbers, optional, position_unit};
use crate::shown::Shown;
use crate::{CommandResult, Output, robot};
use armdyn_core::{EffortRange, Follower, JointInfo, LinkId, LinkInfo, Model, Payload, RotorInfo, Sym3};
use armdyn_import::Description;
use serde_json::{Value, json};
use std::fmt::Write;

pub fn run(args: &Show) -> CommandResult {
    let description = robot::describe(&args.robot.robot, &args.robot.import)?;
    let m = robot::prepare(&description, &args.robot, args.deg)?;
    Output::of(args.robot.json, &summary(&m, &description, args.deg), |_| {
        let (dof, mass) = (many(m.nv(), "degree"), number(m.total_mass()));
        let mut document = Document::from(format!("{}: {dof} of freedom, {mass} kg\n", m.name()));
        for text in [&description.summary, &description.origin].into_iter().flatten() {
            let _ = writeln!(document, "{}", text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        view(&mut document, &m, args.deg);
        document
    })
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

/// Centre of mass and tensor about it; for a link without mass, its origin and the tensor about that.
fn centre_and_tensor(link: &LinkInfo<f64>) -> ([f64; 3], Sym3<f64>) {
    let inertia = link.inertia();
    match inertia.mass == 0.0 {
        true => ([0.0; 3], inertia.second),
        false => (inertia.centre().to_array(), inertia.central()),
    }
}

/// The robot as JSON; infinite limits are `null`.
fn summary(m: &Model<f64>, description: &Description, deg: bool) -> Value {
    let name = |link: LinkId| &m.links()[link].name;
    let dof = |i: usize| {
        let (limits, friction, shown) = (m.limits()[i], m.friction()[i], Shown { m, deg });
        let [lower, upper, speed] = [limits.lower, limits.upper, limits.speed].map(|x| finite(shown.value(i, x)));
        let effort = [limits.effort.lower, limits.effort.upper].map(finite);
        json!({
            "name": m.dof_names()[i], "unit": position_unit(m, i, deg), "lower": lower, "upper": upper, "speed": speed,
            "effort": effort, "continuous": finite(limits.continuous), "viscous": friction.viscous,
            "coulomb": [friction.coulomb_forward, friction.coulomb_backward], "stribeck": friction.stribeck,
            "stribeck_speed": friction.stribeck_speed, "reflected_inertia": m.reflected_inertia()[i],
            "rotors": rotors(m, i).map(|(inertia, gear)| json!({ "inertia": inertia, "gear": gear })).collect::<Vec<_>>(),
        })
    };
    let joint = |j: &JointInfo| {
        let dofs: Vec<Value> = j.v.clone().map(dof).collect();
        json!({ "name": j.name, "kind": j.kind.name(), "parent": name(j.parent), "child": name(j.child), "dofs": dofs })
    };
    let link = |l: &LinkInfo<f64>| {
        let parts = l.parts.iter().map(|p| json!({ "name": p.name, "mass": p.inertia.mass })).collect::<Vec<_>>();
        let (centre, tensor) = centre_and_tensor(l);
        let (mass, inertia) = (l.inertia().mass, tensor.to_rows());
        json!({ "name": l.name, "mass": mass, "centre": centre, "inertia": inertia, "parts": parts })
    };
    let mimic = |f: &Follower| {
        let [joint, leader] = [f.joint, f.leader].map(|j| &m.joints()[j].name);
        json!({ "joint": joint, "leader": leader, "multiplier": f.multiplier, "offset": f.offset })
    };
    let payload = |p: &Payload<f64>| json!({ "name": p.name, "link": name(p.link), "mass": p.inertia.mass });
    let tool = m.tool().ok().map(|tool| robot::tool_json(m, &tool));
    json!({
        "robot": m.name(), "tool": tool, "summary": description.summary, "origin": description.origin, "dof": m.nv(),
        "mass": m.total_mass(), "gravity": m.gravity().to_array(),
        "joints": m.joints().iter().map(joint).collect::<Vec<_>>(),
        "links": m.links().iter().map(link).collect::<Vec<_>>(),
        "payloads": m.payloads().iter().map(payload).collect::<Vec<_>>(),
        "mimics": m.followers().iter().map(mimic).collect::<Vec<_>>(),
    })
}

/// Gravity, the tree, the joints, the links and the payloads.
pub fn view(document: &mut Document, m: &Model<f64>, deg: bool) {
    let _ = writeln!(document, "gravity ({}) m/s²\n", m.gravity().to_array().map(number).join(", "));
    document.drawn(tree(m));
    *document += "\n";
    document.table(joints(Shown { m, deg }));
    if (0..m.nv()).any(|i| rotors(m, i).next().is_some()) {
        *document += "\n";
        document.table(gears(m));
    }
    *document += "\nI₁, I₂, I₃: principal moments of inertia about the centre of mass\n";
    document.table(links(m));
    *document += "\n";
    for f in m.followers() {
        let [joint, leader] = [f.joint, f.leader].map(|j| &m.joints()[j].name);
        let offset = if f.offset == 0.0 { String::new() } else { format!(" + {}", number(f.offset)) };
        let _ = writeln!(document, "`{joint}` mimics `{leader}`: q = {} q({leader}){offset}", number(f.multiplier));
    }
    if let Ok(tool) = m.tool() {
        let _ = writeln!(document, "{}", robot::describe_tool(m, &tool));
    }
    for p in m.payloads() {
        let (mass, link) = (number(p.inertia.mass), &m.links()[p.link].name);
        let _ = writeln!(document, "payload `{}`: {mass} kg on {link}", p.name);
    }
}

/// The links below their parents, each with its joint.
fn tree(m: &Model<f64>) -> String {
    let mut text = String::new();
    // A joint, its link, and the lines before and below it.
    let mut stack: Vec<(Option<&JointInfo>, LinkId, String, String)> =
        m.link_ids().take(1).map(|base| (None, base, String::new(), String::new())).collect();
    while let Some((joint, link, before, below)) = stack.pop() {
        let name = &m.links()[link].name;
        let _ = match joint {
            None => writeln!(text, "{name}"),
            Some(JointInfo { name: joint, kind, .. }) => {
                writeln!(text, "{before} {joint} ({}) ─ {name}", kind.name())
            }
        };
        let children = m.joints().iter().filter(|j| j.parent == link).rev().enumerate();
        stack.extend(children.map(|(k, j)| {
            let (branch, line) = if k == 0 { ("└─", "   ") } else { ("├─", "│  ") };
            (Some(j), j.child, format!("{below}{branch}"), format!("{below}{line}"))
        }));
    }
    text
}

/// Limits, friction and drive inertia of every degree of freedom.
fn joints(shown: Shown) -> Table {
    let m = shown.m;
    let header =
        ["joint", "unit", "lower", "upper", "speed", "effort", "continuous", "viscous", "Coulomb", "reflected inertia"];
    let row = |i: usize| {
        let (limits, friction) = (m.limits()[i], m.friction()[i]);
        let (forward, backward) = (friction.coulomb_forward, friction.coulomb_backward);
        let coulomb = match forward == backward {
            true => number(forward),
            false => format!("{} / {}", number(forward), number(-backward)),
        };
        let kinematic = [limits.lower, limits.upper, limits.speed].map(|x| optional(finite(shown.value(i, x))));
        let effort = Some(limits.effort).filter(|e| *e != EffortRange::UNLIMITED);
        let efforts = [effort.map_or("–".to_string(), |e| e.to_string()), optional(finite(limits.continuous))];
        let drive = [number(friction.viscous), coulomb, number(m.reflected_inertia()[i])];
        let name = [m.dof_names()[i].clone(), shown.position_unit(i).to_string()];
        [&name[..], &kinematic, &efforts, &drive].concat()
    };
    Table::new(&header, &[0], (0..m.nv()).map(row))
}

/// Gear ratios and rotor inertias, one row for each rotor of a degree of freedom.
fn gears(m: &Model<f64>) -> Table {
    let row = |i: usize| {
        let name = &m.dof_names()[i];
        rotors(m, i).map(move |(inertia, gear)| {
            let motor_side = if inertia == 0.0 { "–".to_string() } else { number(inertia) };
            vec![name.clone(), number(gear), motor_side, number(inertia * gear * gear)]
        })
    };
    let header = ["joint", "gear ratio", "rotor inertia [kg m²]", "at the joint"];
    Table::new(&header, &[0], (0..m.nv()).flat_map(row))
}

/// Inertia and gear ratio of each rotor that drives a degree of freedom.
fn rotors(m: &Model<f64>, dof: usize) -> impl Iterator<Item = (f64, f64)> {
    let gear = move |r: &RotorInfo<f64>| r.gear.iter().find(|(d, _)| d.index() == dof).map(|(_, g)| *g);
    m.rotors().iter().filter_map(move |r| Some((r.inertia, gear(r)?)))
}

/// Every link that has mass.
fn links(m: &Model<f64>) -> Table {
    let header = ["link", "mass [kg]", "centre x [m]", "y", "z", "I₁ [kg m²]", "I₂", "I₃"];
    let rows = m.links().iter().filter(|l| l.inertia().mass != 0.0).map(|l| {
        let (centre, tensor) = centre_and_tensor(l);
        let name = vec![l.name.clone(), number(l.inertia().mass)];
        [name, numbers(&centre), numbers(&tensor.eigenvalues())].concat()
    });
    Table::new(&header, &[0], rows)
}
