//! URDF joints: type, axis, parent and child, friction, limits and mimic.

use super::origin;
use crate::description::{mimic_message, no_mimic_message};
use crate::direction::normalized;
use crate::findings::*;
use crate::message::{number, short};
use crate::source::Place;
use crate::xml::{Element, Reader};
use crate::{Description, JointDescription, LinkDescription, Mimic};
use armdyn_core::{Drive, JointKind, Limits, Order, Rotation, Transform, Vec3, vec3};
use std::collections::HashMap;

/// Joint types of URDF.
const KINDS: [&str; 6] = ["revolute", "continuous", "prismatic", "fixed", "floating", "planar"];

/// Tolerance of an axis' length: rounded digits are not reported.
const ROUNDED: f64 = 1e-3;

/// Reads a joint; adds an intermediate link where needed.
pub(super) fn joint(r: &mut Reader, e: &Element, robot: &mut Description) {
    let Some(name) = r.name(e, "a joint") else { return };
    let subject = format!("joint `{name}`");
    r.unused_attributes(e, &["name", "type"], &subject);
    let placement = origin(r, e, &subject);
    let kind = kind(r, e, &subject);
    let moves = !matches!(kind.as_str(), "fixed" | "floating" | "");
    let driven = matches!(kind.as_str(), "revolute" | "continuous" | "prismatic");
    let mut used = vec!["origin", "parent", "child"];
    used.extend(moves.then_some("axis"));
    used.extend(driven.then_some(["limit", "dynamics", "mimic"]).into_iter().flatten());
    r.unused_children(e, if kind.is_empty() { &[] } else { &used }, &subject);
    let axis = if moves { axis(r, e, &subject) } else { [0.0; 3] };
    let [parent, child] = ["parent", "child"].map(|which| end(r, e, which, &subject));
    let (drives, mimic) =
        if driven { (vec![drive_of(r, e, &kind, &subject)], mimic(r, e, &subject)) } else { (vec![], None) };
    let (Some(parent), Some(child)) = (parent, child) else { return };
    if kind == "fixed" {
        r.report(A503, &e.place, format!("{subject}: `{child}` is fixed to `{parent}`"));
    }
    let fixed = JointDescription::fixed(name, &e.place, &parent, &child, placement);
    let mut joint = JointDescription { drives, mimic, ..fixed };
    joint.kind = match kind.as_str() {
        "revolute" | "continuous" => JointKind::Revolute { axis },
        "prismatic" => JointKind::Prismatic { axis },
        "floating" => JointKind::Free,
        "planar" => match plane(axis) {
            Some(kind) => kind,
            None => return across(joint, axis, robot),
        },
        _ => JointKind::Fixed,
    };
    robot.joints.push(joint);
}

/// The type of a joint; empty if unknown.
fn kind(r: &mut Reader, e: &Element, subject: &str) -> String {
    match e.attribute("type") {
        Some(a) if KINDS.contains(&a.value.as_str()) => return a.value.clone(),
        Some(a) => {
            let message = format!("{subject}: unknown type `{}`: expected {}", short(&a.value), KINDS.join(", "));
            r.report(A008, &a.place, message);
        }
        None => r.report(A004, &e.place, format!("{subject} has no `type`: expected {}", KINDS.join(", "))),
    }
    String::new()
}

/// The joint axis as a unit vector.
fn axis(r: &mut Reader, e: &Element, subject: &str) -> [f64; 3] {
    let default = [1.0, 0.0, 0.0];
    let Some(axis) = r.single_child(e, "axis", subject) else { return default };
    r.unused_attributes(axis, &["xyz"], subject);
    r.required_attribute(axis, "xyz", subject);
    let Some(v) = r.numbers::<3>(axis, "xyz", subject) else { return default };
    let place = axis.place_of("xyz");
    let Some((unit, length)) = normalized(v) else {
        r.report(A005, place, format!("{subject}: its axis is a null vector"));
        return default;
    };
    if (length - 1.0).abs() > ROUNDED {
        r.report(A214, place, format!("{subject}: its axis has length {}, not 1; it is normalized", number(length)));
    }
    unit
}

/// The parent or child link.
fn end(r: &mut Reader, e: &Element, which: &str, subject: &str) -> Option<String> {
    let Some(end) = r.single_child(e, which, subject) else {
        r.report(A004, &e.place, format!("{subject} has no <{which}>"));
        return None;
    };
    r.unused_attributes(end, &["link"], subject);
    r.required_attribute(end, "link", subject).map(|a| a.value.clone())
}

/// Friction and limits.
fn drive_of(r: &mut Reader, e: &Element, kind: &str, subject: &str) -> Drive {
    let mut drive = Drive::ideal();
    if let Some(d) = r.single_child(e, "dynamics", subject) {
        r.unused_attributes(d, &["damping", "friction"], subject);
        let damping = r.number(d, "damping", subject).unwrap_or(0.0);
        let friction = r.number(d, "friction", subject).unwrap_or(0.0);
        drive = drive.viscous(damping).coulomb(friction, friction);
    }
    if let Some(l) = r.single_child(e, "limit", subject) {
        let bounded = kind != "continuous";
        let used: &[&str] = if bounded { &["lower", "upper", "velocity", "effort"] } else { &["velocity", "effort"] };
        r.unused_attributes(l, used, subject);
        let mut limit = |name: &str, default: f64| {
            let Some(a) = l.attribute(name) else { return default };
            let label = format!("{subject}: `{name}` of <limit>");
            r.parse_numbers(&a.value, &a.place, &label, 1..=1, true).map_or(default, |x| x[0])
        };
        let mut missing: Vec<&str> = ["effort", "velocity"].into_iter().filter(|n| l.attribute(n).is_none()).collect();
        // One of them may be omitted: it is 0. Without both the joint cannot move.
        let ends = ["lower", "upper"];
        missing.extend(ends.into_iter().filter(|_| bounded && ends.iter().all(|n| l.attribute(n).is_none())));
        let (speed, effort) = (limit("velocity", f64::INFINITY), limit("effort", f64::INFINITY));
        // The specification's default of both is 0.
        let (lower, upper) =
            if bounded { (limit("lower", 0.0), limit("upper", 0.0)) } else { (f64::NEG_INFINITY, f64::INFINITY) };
        drive = drive.limits(Limits { lower, upper, speed, effort: effort.into(), ..Limits::NONE });
        if !missing.is_empty() {
            r.report(A307, &l.place, format!("{subject}: <limit> has no `{}`", missing.join("`, no `")));
        }
    } else if kind != "continuous" {
        r.report(A307, &e.place, format!("{subject}: a {kind} joint has no <limit>"));
    }
    drive
}

fn mimic(r: &mut Reader, e: &Element, subject: &str) -> Option<Mimic> {
    let m = r.single_child(e, "mimic", subject)?;
    r.unused_attributes(m, &["joint", "multiplier", "offset"], subject);
    let joint = r.required_attribute(m, "joint", subject)?.value.clone();
    let multiplier = r.number(m, "multiplier", subject).unwrap_or(1.0);
    let offset = r.number(m, "offset", subject).unwrap_or(0.0);
    Some(Mimic { joint, multiplier, offset })
}

/// Reports mimic joints. A joint whose mimic makes no sense is independent.
pub(super) fn mimics(r: &mut Reader, root: &Element, robot: &mut Description) {
    let joints = root.children.iter().filter(|e| e.name == "joint");
    let places: HashMap<&str, &Place> =
        joints.filter_map(|e| Some((e.attribute("name")?.value.as_str(), &e.child("mimic")?.place))).collect();
    let invalid: HashMap<usize, String> = robot.drop_invalid_mimics().into_iter().collect();
    for (k, j) in robot.joints.iter().enumerate() {
        let place = places.get(j.name.as_str()).copied().unwrap_or(&j.place);
        match (&j.mimic, invalid.get(&k)) {
            (Some(mimic), _) => r.report(A108, place, mimic_message(&j.name, mimic)),
            (None, None) => {}
            (None, whom) => r.report(A111, place, no_mimic_message(&j.name, whom)),
        }
    }
}

/// The joint kind of a planar joint whose normal is a coordinate axis.
fn plane(normal: [f64; 3]) -> Option<JointKind> {
    let order = Order::TranslationFirst;
    let across = |rotations, translations| Some(JointKind::Generalized { rotations, translations, order });
    match normal {
        [0.0, 0.0, 1.0] => Some(JointKind::Planar),
        [0.0, 1.0, 0.0] => across([false, true, false], [true, false, true]),
        [1.0, 0.0, 0.0] => across([false, false, true], [false, true, true]),
        _ => None,
    }
}

/// A planar joint with a general normal, by an intermediate link whose z is the normal.
fn across(mut joint: JointDescription, normal: [f64; 3], robot: &mut Description) {
    let z: Vec3<f64> = Vec3::lift(normal);
    let least = (0..3).min_by(|&i, &j| z.get(i).abs().total_cmp(&z.get(j).abs())).unwrap_or(0);
    let x = z.cross(Vec3::unit(least));
    let x = x * (1.0 / x.norm());
    let turned = Transform::from_rotation(Rotation { x, y: z.cross(x), z: vec3(z.x, z.y, z.z) });
    let name = format!("{}/plane", joint.name);
    robot.links.push(LinkDescription::massless(&name, &joint.place));
    let back = format!("{}/back", joint.name);
    let back = JointDescription::fixed(back, &joint.place, &name, &joint.child, turned.inverse());
    joint.child = name;
    joint.placement = joint.placement.compose(&turned);
    joint.kind = JointKind::Planar;
    robot.joints.extend([joint, back]);
}
