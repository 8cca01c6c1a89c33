//! `armdyn show`: a robot's kinematic tree, joints, masses and drives.

use crate::args::Show;
use crate::document::{Document, Table};
use crate::{CommandResult, Output, format, robot};
use armdyn_core::Model;
use armdyn_import::Description;
use serde::Serialize;
use std::fmt::Write;

/// A robot as it is shown.
#[derive(Serialize)]
pub struct Summary {
    robot: String,
    summary: Option<String>,
    origin: Option<String>,
    dof: usize,
    /// Of all links and payloads [kg].
    mass: f64,
    gravity: [f64; 3],
    joints: Vec<Joint>,
    links: Vec<Link>,
    payloads: Vec<Payload>,
}

#[derive(Serialize)]
struct Joint {
    name: String,
    kind: &'static str,
    parent: String,
    child: String,
    dofs: Vec<Dof>,
}

/// A degree of freedom; infinite limits are `null`.
#[derive(Serialize)]
struct Dof {
    name: String,
    unit: &'static str,
    lower: Option<f64>,
    upper: Option<f64>,
    speed: Option<f64>,
    effort: Option<f64>,
    continuous: Option<f64>,
    viscous: f64,
    /// Forward, backward.
    coulomb: [f64; 2],
    stribeck: f64,
    stribeck_speed: f64,
    /// Rotor inertia at the joint, with the squared gear ratio.
    reflected_inertia: f64,
}

#[derive(Serialize)]
struct Link {
    name: String,
    mass: f64,
    centre: [f64; 3],
    /// About the centre of mass, in the link frame.
    inertia: [[f64; 3]; 3],
    #[serde(skip)]
    principal: [f64; 3],
    parts: Vec<Part>,
}

#[derive(Serialize)]
struct Part {
    name: String,
    mass: f64,
}

#[derive(Serialize)]
struct Payload {
    name: String,
    link: String,
    mass: f64,
}

pub fn run(args: &Show) -> CommandResult {
    let description = robot::describe(&args.robot.robot, &args.robot.import)?;
    let m = robot::prepare(&description, &args.robot)?;
    Output::of(args.robot.json, &summary(&m, &description, args.deg), |s| {
        let (dof, mass) = (format::many(s.dof, "degree"), format::number(s.mass));
        let mut document = Document::from(format!("{}: {dof} of freedom, {mass} kg\n", s.robot));
        for line in [&s.summary, &s.origin].into_iter().flatten() {
            let _ = writeln!(document, "{}", line.trim());
        }
        view(&mut document, s);
        document
    })
}

/// What there is to show of a robot.
pub fn summary(m: &Model<f64>, description: &Description, deg: bool) -> Summary {
    let finite = |x: f64| x.is_finite().then_some(x);
    let dof = |i: usize| {
        let (limits, friction) = (m.limits()[i], m.friction()[i]);
        let scale = if deg && m.is_rotational(i) { 1f64.to_degrees() } else { 1.0 };
        Dof {
            name: m.dof_names()[i].clone(),
            unit: format::position_unit(m, i, deg),
            lower: finite(limits.lower * scale),
            upper: finite(limits.upper * scale),
            speed: finite(limits.speed * scale),
            effort: finite(limits.effort),
            continuous: finite(limits.continuous),
            viscous: friction.viscous,
            coulomb: [friction.coulomb_forward, friction.coulomb_backward],
            stribeck: friction.stribeck,
            stribeck_speed: friction.stribeck_speed,
            reflected_inertia: m.reflected_inertia()[i],
        }
    };
    let joint = |j: &armdyn_core::JointInfo| Joint {
        name: j.name.clone(),
        kind: j.kind.name(),
        parent: m.links()[j.parent].name.clone(),
        child: m.links()[j.child].name.clone(),
        dofs: j.v.clone().map(dof).collect(),
    };
    let link = |l: &armdyn_core::LinkInfo<f64>| {
        let inertia = l.inertia();
        let massless = inertia.mass == 0.0;
        let (c, tensor) = (inertia.centre(), if massless { inertia.second } else { inertia.central() });
        Link {
            name: l.name.clone(),
            mass: inertia.mass,
            centre: if massless { [0.0; 3] } else { [c.x, c.y, c.z] },
            inertia: tensor.to_rows(),
            principal: tensor.eigenvalues(),
            parts: l.parts.iter().map(|p| Part { name: p.name.clone(), mass: p.inertia.mass }).collect(),
        }
    };
    let payload = |p: &armdyn_core::Payload<f64>| Payload {
        name: p.name.clone(),
        link: m.links()[p.link].name.clone(),
        mass: p.inertia.mass,
    };
    let g = m.gravity();
    Summary {
        robot: m.name().to_string(),
        summary: description.summary.clone(),
        origin: description.origin.clone(),
        dof: m.nv(),
        mass: m.total_mass(),
        gravity: [g.x, g.y, g.z],
        joints: m.joints().iter().map(joint).collect(),
        links: m.links().iter().map(link).collect(),
        payloads: m.payloads().iter().map(payload).collect(),
    }
}

/// Gravity, the tree, the joints, the links and the payloads.
pub fn view(document: &mut Document, s: &Summary) {
    let _ = writeln!(document, "gravity ({}) m/s²\n", s.gravity.map(format::number).join(", "));
    document.drawn(tree(s));
    let _ = writeln!(document);
    document.table(joints(s));
    let _ = writeln!(document);
    document.table(links(s));
    let _ = writeln!(document);
    for p in &s.payloads {
        let _ = writeln!(document, "payload `{}`: {} kg on {}", p.name, format::number(p.mass), p.link);
    }
}

/// The links below their parents, each with its joint.
fn tree(s: &Summary) -> String {
    let Some(base) = s.links.first() else { return String::new() };
    let (mut text, mut stack) = (format!("{}\n", base.name), vec![]);
    let children = |link: &str| -> Vec<&Joint> { s.joints.iter().filter(|j| j.parent == link).rev().collect() };
    stack.extend(children(&base.name).into_iter().map(|j| (j, 0)));
    while let Some((joint, depth)) = stack.pop() {
        let _ = writeln!(text, "{}└─ {} ({}) ─ {}", "   ".repeat(depth), joint.name, joint.kind, joint.child);
        stack.extend(children(&joint.child).into_iter().map(|j| (j, depth + 1)));
    }
    text
}

/// Limits, friction and drive inertia of every degree of freedom.
fn joints(s: &Summary) -> Table {
    let header =
        ["joint", "unit", "lower", "upper", "speed", "effort", "continuous", "viscous", "Coulomb", "reflected inertia"];
    let limit = |x: Option<f64>| x.map_or("–".to_string(), format::number);
    let row = |d: &Dof| {
        let [forward, backward] = d.coulomb;
        let coulomb = match forward == backward {
            true => format::number(forward),
            false => format!("{} / {}", format::number(forward), format::number(-backward)),
        };
        let limits = [d.lower, d.upper, d.speed, d.effort, d.continuous].map(limit);
        let drive = [format::number(d.viscous), coulomb, format::number(d.reflected_inertia)];
        [&[d.name.clone(), d.unit.to_string()], &limits[..], &drive].concat()
    };
    Table::new(&header, &[0], s.joints.iter().flat_map(|j| &j.dofs).map(row))
}

/// Every link that has mass.
fn links(s: &Summary) -> Table {
    let header = ["link", "mass [kg]", "centre x [m]", "y", "z", "principal moments [kg m²]", "", ""];
    let rows = s.links.iter().filter(|l| l.mass != 0.0).map(|l| {
        let values = [&[l.mass], &l.centre[..], &l.principal].concat();
        std::iter::once(l.name.clone()).chain(values.into_iter().map(format::number)).collect()
    });
    Table::new(&header, &[0], rows)
}
