//! URDF reader, after the `urdfdom` specification of `<robot>`; xacro is expanded first.
//!
//! Semantics: `rpy` is Rz(yaw) Ry(pitch) Rx(roll). An inertia is about the centre of mass, in the *inertial frame*, whose
//! origin (the centre of mass) and axes are given in the link's frame by `<inertial><origin>`. A joint's `<origin>` is the pose of
//! the child's frame in the parent's at q = 0, `<axis>` is in the child's frame. A link without `<inertial>` has no mass.
//!
//! A planar joint moves in the plane perpendicular to its axis: it translates along the two other axes of its frame, then
//! rotates about the axis. If the axis is x, y or z these are the coordinates. Otherwise a massless link whose z is the axis
//! is inserted, named after the joint with the suffix `/plane`.

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
    let named = diagnostics.sources.files[file].path.extension().is_some_and(|e| e == "xacro");
    let (root, declared) = xml::parse_file(diagnostics, file, "robot")?;
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
    // Of joints with the same name, the first one is used.
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

/// Largest plausible angle of `<origin>` \[rad\]: one revolution, rounded up.
const TURN: f64 = std::f64::consts::TAU + 2e-5;

/// The pose given by `<origin>`.
fn origin(r: &mut Reader, e: &Element, subject: &str) -> Transform<f64> {
    let Some(origin) = r.single_child(e, "origin", subject) else { return Transform::identity() };
    r.unused_attributes(origin, &["xyz", "rpy", "quat_xyzw"], subject);
    r.unused_children(origin, &[], subject);
    let xyz = r.numbers(origin, "xyz", subject).unwrap_or([0.0; 3]);
    if let (Some(_), Some(quaternion)) = (origin.attribute("rpy"), origin.attribute("quat_xyzw")) {
        r.report(A005, &quaternion.place, format!("{subject}: <origin> has both `rpy` and `quat_xyzw`"));
    }
    let rotation = match r.numbers::<4>(origin, "quat_xyzw", subject) {
        Some(q) if q.iter().all(|x| *x == 0.0) => {
            r.report(A005, &origin.place, format!("{subject}: `quat_xyzw` of <origin> is a null quaternion"));
            Rotation::identity()
        }
        Some(q) => Rotation::quaternion(q),
        None => {
            let [roll, pitch, yaw] = r.numbers(origin, "rpy", subject).unwrap_or([0.0; 3]);
            if let Some(far) = [roll, pitch, yaw].into_iter().find(|x: &f64| x.abs() > TURN) {
                let message = format!("{subject}: `rpy` contains {far} rad; are these degrees?");
                r.report(A207, origin.place_of("rpy"), message);
            }
            Rotation::rpy(roll, pitch, yaw)
        }
    };
    Transform::new(rotation, Vec3::lift(xyz))
}

/// Locations of the link names of each joint, by the joint's location.
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
