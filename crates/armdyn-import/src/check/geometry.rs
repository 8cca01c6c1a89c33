//! Compares a link's centre of mass and radius of gyration with the size of its geometry: boxes, cylinders, spheres.

use super::solid::{Bounds, corners, is_sized};
use super::tree::{Tree, is_sound};
use crate::findings::{self, Finding};
use crate::message::number;
use armdyn_core::{Sym3, Vec3};

/// Checks link number `k` by its boxes, cylinders and spheres.
pub(super) fn check(tree: &Tree, k: usize, findings: &mut Vec<Finding>) {
    let link = &tree.robot.links[k];
    let Some(mut bounds) = Bounds::of(link.shapes.iter().filter(|s| is_sized(s)).flat_map(corners)) else { return };
    // With a mesh, the other shapes may cover only part of the link. It extends at least from its own joint to the next ones;
    // the thresholds are wider.
    let unsized_mesh = !link.shapes.iter().all(is_sized);
    if unsized_mesh {
        let joints = tree.children(&link.name).map(|j| j.placement.translation);
        bounds = Bounds::of(joints.chain([Vec3::zero(), bounds.lo, bounds.hi])).unwrap_or(bounds);
    }
    let margin = if unsized_mesh { 3.0 } else { 1.0 };
    let place = link.parts.first().map_or(&link.place, |p| &p.place);
    let total = tree.inertia[k];
    if !is_sound(&total) {
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
        findings.push(match length_factor(c, (bounds.lo + bounds.hi) * 0.5, &bounds) {
            Some(factor) => Finding::at(findings::A207, place, format!("{message}; wrong by a factor of {factor}?")),
            None => Finding::at(findings::A205, place, message),
        });
    }
    let [smallest, _, largest] = total.central().eigenvalues();
    // A placeholder, not another unit.
    let equal = largest < 1.05 * smallest;
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
        findings.extend(
            match decade((12.0 * radius * radius / (size * size)).log10(), INERTIA_UNITS).filter(|_| !equal) {
                Some(factor) if large => Some(Finding::at(
                    findings::A207,
                    place,
                    format!("{message}; is the inertia wrong by a factor of {factor}?"),
                )),
                _ if fits => Some(Finding::at(findings::A208, place, message)),
                _ if large => Some(Finding::at(findings::A206, place, message)),
                _ => None,
            },
        );
    } else if largest > 0.0 && radius < 0.005 * size {
        findings.push(Finding::at(findings::A206, place, message));
    }
}

/// Powers of ten by which units of inertia differ: g m², kg cm², kg mm².
pub(super) const INERTIA_UNITS: &[i32] = &[3, 4, 6];

/// The power of ten among these that a factor is about, given as its logarithm; none if it is far from all of them: a guess of the right
/// value is within a factor of 2.5.
pub(super) fn decade(log: f64, known: &[i32]) -> Option<String> {
    let near = known.iter().find(|&&d| (log - f64::from(d)).abs() < 0.4)?;
    Some(if *near < 4 { format!("{}", 10_u32.pow(near.unsigned_abs())) } else { format!("1e{near}") })
}

/// The factor, 100 (cm) or 1000 (mm), by which a point outside a body is too far away: divided by it, the point is inside and clearly nearer to
/// the middle than divided by the other one.
pub(super) fn length_factor(point: Vec3<f64>, middle: Vec3<f64>, bounds: &Bounds) -> Option<&'static str> {
    let off = |factor: f64| (point * (1.0 / factor) - middle).norm();
    // Divided by any large factor a point is near the origin, and perhaps inside.
    let far = |factor: f64| point.norm() > (0.02 * factor).max(5.0) * bounds.size();
    let inside = |factor: f64| far(factor) && bounds.distance(point * (1.0 / factor)) == 0.0;
    let clearly = |factor: f64, other: f64| inside(factor) && (!inside(other) || 1.5 * off(factor) < off(other));
    match (clearly(100.0, 1000.0), clearly(1000.0, 100.0)) {
        (true, false) => Some("100"),
        (false, true) => Some("1000"),
        _ => None,
    }
}
