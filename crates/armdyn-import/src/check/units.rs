//! Values in the wrong unit or order: impossible densities, limits of many revolutions, offsets of many metres, tensors whose
//! axes do not match the shape.

use super::solid::is_sized;
use super::tree::{Tree, is_sound};
use crate::description::{JointDescription, LinkDescription, Shape};
use crate::findings::{self, Finding};
use crate::message::number;
use armdyn_core::{Inertia, JointKind};
use std::f64::consts::PI;

/// Largest plausible density of a link \[kg/m³\]: four times osmium's, since shapes are often smaller than the link.
const MAX_DENSITY: f64 = 1e5;

/// Smallest shape whose density is checked \[m³\]; smaller ones represent points.
const MIN_VOLUME: f64 = 1e-5;

/// Limits that are probably in degrees \[rad\]; larger ones mean no limit.
const DEGREES: std::ops::RangeInclusive<f64> = 8.0 * PI..=720.0;

/// Largest plausible offset of a joint \[m\].
const MAX_OFFSET: f64 = 20.0;

/// Checks all links and joints.
pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for (link, total) in tree.robot.links.iter().zip(&tree.inertia) {
        let shapes = solid(link, total);
        if let Some(shapes) = shapes {
            let largest = shapes.iter().map(|s| s.size.iter().product::<f64>()).fold(0.0, f64::max);
            findings.extend(density(link, total.mass, largest));
        }
        axes(link, total, shapes, findings);
    }
    for joint in &tree.robot.joints {
        limits(joint, findings);
        offset(joint, findings);
    }
}

/// The shapes of a link with a mass, if all have a size.
fn solid<'a>(link: &'a LinkDescription, total: &Inertia<f64>) -> Option<&'a [Shape]> {
    let sized = link.shapes.iter().all(is_sized);
    (sized && is_sound(total) && !link.shapes.is_empty()).then_some(&link.shapes)
}

/// A mass that the link's volume cannot hold.
pub(super) fn density(link: &LinkDescription, mass: f64, volume: f64) -> Option<Finding> {
    (volume > MIN_VOLUME && mass > MAX_DENSITY * volume).then(|| {
        let (mass, litres) = (number(mass), number(volume * 1e3));
        let message = format!("link `{}`: {mass} kg in {litres} litres; is the mass in grams?", link.name);
        Finding::at(findings::A207, &link.parts[0].place, message)
    })
}

/// The moment of inertia of a rod is smallest about its own axis.
fn axes(link: &LinkDescription, total: &Inertia<f64>, shapes: Option<&[Shape]>, findings: &mut Vec<Finding>) {
    let Some([shape]) = shapes else { return };
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| shape.size[b].total_cmp(&shape.size[a]));
    let [long, middle, _] = order;
    let moments = shape.pose.rotation.inverse().rotate_tensor(&total.central()).to_rows();
    let [about, smallest] = [moments[long][long], (0..3).map(|k| moments[k][k]).fold(f64::INFINITY, f64::min)];
    if shape.size[long] > 3.0 * shape.size[middle] && about > 3.0 * smallest {
        let axis = ["x", "y", "z"][long];
        let message = format!(
            "link `{}`: its shape is longest along {axis}, but the moment of inertia about {axis} is {} kg m², and only {} kg m² \
             about another axis",
            link.name,
            number(about),
            number(smallest)
        );
        findings.push(Finding::at(findings::A216, &link.parts[0].place, message));
    }
}

fn limits(joint: &JointDescription, findings: &mut Vec<Finding>) {
    if !matches!(joint.kind, JointKind::Revolute { .. }) {
        return;
    }
    for drive in &joint.drives {
        let l = drive.limits;
        if [l.lower, l.upper].iter().any(|x| DEGREES.contains(&x.abs())) {
            let message = format!(
                "joint `{}` has the limits {} and {} rad; are these degrees?",
                joint.name,
                number(l.lower),
                number(l.upper)
            );
            findings.push(Finding::at(findings::A207, &joint.place, message));
        }
    }
}

fn offset(joint: &JointDescription, findings: &mut Vec<Finding>) {
    let length = joint.placement.translation.norm();
    if length > MAX_OFFSET && joint.kind != JointKind::Free {
        let message = format!(
            "joint `{}` is {} m from its parent link's origin; are these millimetres?",
            joint.name,
            number(length)
        );
        findings.push(Finding::at(findings::A207, &joint.place, message));
    }
}
