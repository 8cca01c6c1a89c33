//! Compares a link's centre of mass and radius of gyration with the size of its geometry: boxes, cylinders, spheres.

use super::ChildJoints;
use super::bodies::total;
use super::solid::{Bounds, corners, is_sized};
use crate::description::LinkDescription;
use crate::findings::{self, Finding};
use crate::message::number;
use armdyn_core::{Sym3, Vec3};

/// Checks a link by its boxes, cylinders and spheres.
pub(super) fn check(link: &LinkDescription, children: &ChildJoints, findings: &mut Vec<Finding>) {
    let Some(mut bounds) = Bounds::of(link.shapes.iter().filter(|s| is_sized(s)).flat_map(corners)) else { return };
    // With a mesh, the other shapes may cover only part of the link. It extends at least from its own joint to the next ones;
    // the thresholds are wider.
    let unsized_mesh = !link.shapes.iter().all(is_sized);
    if unsized_mesh {
        let joints = children.get(link.name.as_str()).into_iter().flatten().map(|j| j.placement.translation);
        bounds = Bounds::of(joints.chain([Vec3::zero(), bounds.lo, bounds.hi])).unwrap_or(bounds);
    }
    let margin = if unsized_mesh { 3.0 } else { 1.0 };
    let place = link.parts.first().map_or(&link.place, |p| &p.place);
    let total = total(link);
    if !(total.mass > 0.0 && total.components().iter().all(|x| x.is_finite())) {
        return;
    }
    let (size, c) = (bounds.size(), total.centre());
    let off = bounds.distance(c);
    let name = &link.name;
    if off > 0.5 * size * margin {
        let message = format!(
            "link `{name}`: the centre of mass lies {} m outside the geometry, whose size is {} m",
            number(off),
            number(size)
        );
        findings.push(match power_of_ten(c.norm(), 0.5 * size) {
            Some(factor) => Finding::at(findings::A207, place, format!("{message}; wrong by a factor of {factor}?")),
            None => Finding::at(findings::A205, place, message),
        });
    }
    let [_, _, largest] = total.central().eigenvalues();
    let radius = (largest.max(0.0) / total.mass).sqrt();
    // Inside a box of diagonal s every radius of gyration is at most s/2; the largest one of a thin body is not small.
    let message = format!(
        "link `{name}`: the radius of gyration is {} m, the size of the geometry {} m",
        number(radius),
        number(size)
    );
    if radius > 0.5 * size * 1.05 {
        // If the tensor is about the frame's origin, it contains m c² once too often.
        let reduced = (total.central() - Sym3::shift(total.first * 0.5, c)).eigenvalues();
        let fits = reduced[0] > -1e-6 * largest && (reduced[2] / total.mass).sqrt() <= 0.5 * size;
        let large = radius > 0.5 * size * 1.05 * margin;
        findings.extend(match power_of_ten(radius * radius, size * size / 12.0) {
            Some(factor) if large => Some(Finding::at(
                findings::A207,
                place,
                format!("{message}; is the inertia wrong by a factor of {factor}?"),
            )),
            _ if fits => Some(Finding::at(findings::A208, place, message)),
            _ if large => Some(Finding::at(findings::A206, place, message)),
            _ => None,
        });
    } else if largest > 0.0 && radius < 0.005 * size {
        findings.push(Finding::at(findings::A206, place, message));
    }
}

/// The power of ten by which `found` exceeds `expected`, if it is about 100, 1000 or 1e6.
pub(super) fn power_of_ten(found: f64, expected: f64) -> Option<&'static str> {
    let ratio = found / expected;
    [(1e2, 3e2, "100"), (3e2, 3e3, "1000"), (3e5, 3e6, "1e6")]
        .into_iter()
        .find(|(lo, hi, _)| (*lo..*hi).contains(&ratio))
        .map(|(_, _, factor)| factor)
}
