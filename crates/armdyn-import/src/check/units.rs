//! Figures in the wrong unit or the wrong order, where only experience tells: a density that no material has, limits of
//! many turns, offsets of many metres, a tensor whose axes are not the shape's.

use crate::description::{Description, JointDescription, LinkDescription, Shape};
use crate::findings::{self, Finding};
use armdyn_core::{Inertia, JointKind};
use std::f64::consts::PI;

/// The density of a link in its shape that is not believed \[kg/m³\]: four times osmium's, since shapes are often drawn
/// smaller than the link.
const MAX_DENSITY: f64 = 1e5;

/// The least shape that is asked for its density \[m³\]: smaller ones stand for a point.
const MIN_VOLUME: f64 = 1e-5;

/// Limits that are believed to be in degrees \[rad\]; larger ones stand for no limit.
const DEGREES: std::ops::RangeInclusive<f64> = 8.0 * PI..=720.0;

/// Offsets of a joint that are not believed \[m\].
const MAX_OFFSET: f64 = 20.0;

/// Checks all links and joints.
pub(super) fn check(robot: &Description, found: &mut Vec<Finding>) {
    for link in &robot.links {
        density(link, found);
        axes(link, found);
    }
    for joint in &robot.joints {
        limits(joint, found);
        offset(joint, found);
    }
}

/// The link's whole inertia and its shapes, if all of these have a size.
fn solid(link: &LinkDescription) -> Option<(Inertia<f64>, &[Shape])> {
    let total = link.parts.iter().fold(Inertia::zero(), |sum, p| sum + p.inertia);
    let sized = link.shapes.iter().all(|s| s.size.iter().all(|x| x.is_finite() && *x > 0.0));
    let sound = total.mass > 0.0 && total.components().iter().all(|x| x.is_finite());
    (sized && sound && !link.shapes.is_empty()).then_some((total, &link.shapes))
}

fn density(link: &LinkDescription, found: &mut Vec<Finding>) {
    let Some((total, shapes)) = solid(link) else { return };
    let largest = shapes.iter().map(|s| s.size.iter().product::<f64>()).fold(0.0, f64::max);
    let density = total.mass / largest;
    if largest > MIN_VOLUME && density > MAX_DENSITY {
        let (mass, litres) = (total.mass, largest * 1e3);
        let told = format!("link `{}`: {mass} kg in {litres:.3} litres: is the mass in grams?", link.name);
        found.push(Finding::at(findings::A207, &link.parts[0].place, told));
    }
}

/// A rod resists turning about its own axis least.
fn axes(link: &LinkDescription, found: &mut Vec<Finding>) {
    let Some((total, [shape])) = solid(link) else { return };
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| shape.size[b].total_cmp(&shape.size[a]));
    let [long, middle, _] = order;
    let moments = shape.pose.rotation.inverse().turn_tensor(&total.central()).to_rows();
    let [about, least] = [moments[long][long], (0..3).map(|k| moments[k][k]).fold(f64::INFINITY, f64::min)];
    if shape.size[long] > 3.0 * shape.size[middle] && about > 3.0 * least {
        let axis = ["x", "y", "z"][long];
        let what = format!(
            "link `{}` is longest along {axis} of its shape, but resists turning about {axis} with {about:.3e} kg m², about \
             another axis with {least:.3e} only",
            link.name
        );
        found.push(Finding::at(findings::A216, &link.parts[0].place, what));
    }
}

fn limits(joint: &JointDescription, found: &mut Vec<Finding>) {
    if !matches!(joint.kind, JointKind::Revolute { .. }) {
        return;
    }
    for drive in &joint.drives {
        let l = drive.limits;
        if [l.lower, l.upper].iter().any(|x| DEGREES.contains(&x.abs())) {
            let what = format!("joint `{}` turns from {} to {} rad: are these degrees?", joint.name, l.lower, l.upper);
            found.push(Finding::at(findings::A207, &joint.place, what));
        }
    }
}

fn offset(joint: &JointDescription, found: &mut Vec<Finding>) {
    let length = joint.placement.translation.norm();
    if length > MAX_OFFSET && joint.kind != JointKind::Free {
        let what = format!("joint `{}` is {length:.4} m from the link before it: are these millimetres?", joint.name);
        found.push(Finding::at(findings::A207, &joint.place, what));
    }
}
