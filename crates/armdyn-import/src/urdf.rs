//! URDF, as the `urdfdom` specification of `<robot>` has it; xacro is expanded first.
//!
//! Semantics: `rpy` is Rz(yaw) Ry(pitch) Rx(roll). An inertia is about the centre of mass, in the *inertial frame*, whose
//! origin (the centre of mass) and axes `<inertial><origin>` gives in the link's frame. A joint's `<origin>` is the pose of
//! the child's frame in the parent's at q = 0, `<axis>` is in the child's frame. A link without `<inertial>` has no mass.
//!
//! A planar joint moves in the plane perpendicular to its axis: it slides along the two other axes of its frame, then turns
//! about the axis. Where the axis is x, y or z these are the coordinates. Otherwise a link without mass is put in between,
//! whose z is the axis; it is named after the joint, with `/plane` at the end.

mod joints;
mod links;
mod transmissions;

use crate::findings::*;
use crate::xml::{self, Element, Reader};
use crate::{Description, Diagnostics, Options, topology, xacro};
use armdyn_core::{Rotation, Transform, Vec3};
use std::collections::HashMap;

/// Reads the robot of a file.
pub(crate) fn read(diagnostics: &mut Diagnostics, file: usize, options: &Options) -> Option<Description> {
    let source = &diagnostics.sources.files[file];
    let named = source.path.extension().is_some_and(|e| e == "xacro");
    let (root, declared) = match xml::parse(&source.text, file) {
        Ok(parsed) => parsed,
        Err(finding) => {
            diagnostics.findings.push(finding);
            return None;
        }
    };
    if root.name != "robot" {
        let what = format!("the root element is <{}>; a URDF's is <robot>", root.name);
        diagnostics.findings.push(Finding::at(A003, &root.place, what));
        return None;
    }
    let root = if named || declared { xacro::expand(diagnostics, &root, options)? } else { root };
    let description = robot(&mut Reader::new(diagnostics, options), &root);
    diagnostics.findings.sort_by_key(|f| f.place.as_ref().map(|p| (p.file, p.span.start)));
    description
}

fn robot(r: &mut Reader, root: &Element) -> Option<Description> {
    let name = match root.attribute("name") {
        Some(a) => a.value.clone(),
        None => {
            r.report(A004, &root.place, "<robot> has no `name`");
            String::new()
        }
    };
    r.unused_attributes(root, &["name", "version"], "the robot");
    let mut robot = Description { name, ..Description::default() };
    let mut transmissions = vec![];
    for e in &root.children {
        match e.name.as_str() {
            "link" => robot.links.extend(links::link(r, e)),
            "joint" => joints::joint(r, e, &mut robot),
            "transmission" => transmissions.extend(transmissions::transmission(r, e)),
            _ => r.unused(e, "the robot"),
        }
    }
    // Of two joints with one name the first counts.
    let numbers: HashMap<String, usize> =
        robot.joints.iter().enumerate().rev().map(|(k, j)| (j.name.clone(), k)).collect();
    for t in transmissions {
        transmissions::drive(r, &mut robot, &numbers, t);
    }
    if robot.links.is_empty() {
        r.report(A004, &root.place, "the robot has no links");
        return None;
    }
    joints::mimics(r, root, &mut robot);
    topology::check(r.diagnostics, &robot, &ends(root));
    Some(robot)
}

/// Angles of `<origin>` that are believed \[rad\]: one turn, rounded up.
const TURN: f64 = std::f64::consts::TAU + 2e-5;

/// The pose that `<origin>` gives.
fn origin(r: &mut Reader, e: &Element, subject: &str) -> Transform<f64> {
    let Some(origin) = r.single_child(e, "origin", subject) else { return Transform::identity() };
    r.unused_attributes(origin, &["xyz", "rpy", "quat_xyzw"], subject);
    r.unused_children(origin, &[], subject);
    let xyz = r.numbers(origin, "xyz", subject).unwrap_or([0.0; 3]);
    if let (Some(_), Some(quaternion)) = (origin.attribute("rpy"), origin.attribute("quat_xyzw")) {
        r.report(
            A005,
            &quaternion.place,
            format!("{subject}: <origin> has `rpy` and `quat_xyzw`; one of them turns it"),
        );
    }
    let rotation = match r.numbers::<4>(origin, "quat_xyzw", subject) {
        Some(q) if q.iter().all(|x| *x == 0.0) => {
            r.report(A005, &origin.place, format!("{subject}: `quat_xyzw` of <origin> is null"));
            Rotation::identity()
        }
        Some(q) => Rotation::quaternion(q),
        None => {
            let [roll, pitch, yaw] = r.numbers(origin, "rpy", subject).unwrap_or([0.0; 3]);
            if let Some(far) = [roll, pitch, yaw].into_iter().find(|x: &f64| x.abs() > TURN) {
                r.report(A207, origin.place_of("rpy"), format!("{subject}: `rpy` has {far} rad: are these degrees?"));
            }
            Rotation::rpy(roll, pitch, yaw)
        }
    };
    Transform::new(rotation, Vec3::lift(xyz))
}

/// Where each joint, by its place, names its links.
fn ends(root: &Element) -> topology::Ends<'_> {
    let joints = root.children.iter().filter(|e| e.name == "joint");
    joints
        .map(|e| {
            let at = |end| {
                let end = e.child(end);
                end.and_then(|p| p.attribute("link")).map_or(end.map_or(&e.place, |p| &p.place), |a| &a.place)
            };
            ((e.place.file, e.place.span.start), [at("parent"), at("child")])
        })
        .collect()
}
