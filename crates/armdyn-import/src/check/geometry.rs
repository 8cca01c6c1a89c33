//! Compares a link's centre of mass and radius of gyration with the size of its geometry.

use super::ChildJoints;
use crate::description::{LinkDescription, Shape};
use crate::findings::{self, Finding};
use crate::message::number;
use armdyn_core::{Inertia, Sym3, Vec3, vec3};

/// Bounding box in the link's frame.
struct Bounds(Option<(Vec3<f64>, Vec3<f64>)>);

impl Bounds {
    fn add(&mut self, p: Vec3<f64>) {
        let (lo, hi) = self.0.unwrap_or((p, p));
        let each = |f: fn(f64, f64) -> f64, a: Vec3<f64>| vec3(f(a.x, p.x), f(a.y, p.y), f(a.z, p.z));
        self.0 = Some((each(f64::min, lo), each(f64::max, hi)));
    }

    fn add_shape(&mut self, shape: &Shape) {
        for corner in 0..8 {
            let sign = |k: usize| if corner >> k & 1 == 0 { -0.5 } else { 0.5 };
            self.add(shape.pose.point(vec3(sign(0) * shape.size[0], sign(1) * shape.size[1], sign(2) * shape.size[2])));
        }
    }
}

/// Checks a link.
pub(super) fn check(link: &LinkDescription, children: &ChildJoints, findings: &mut Vec<Finding>) {
    let sized = |s: &&Shape| s.size.iter().all(|x| x.is_finite() && *x > 0.0);
    let mut bounds = Bounds(None);
    link.shapes.iter().filter(sized).for_each(|s| bounds.add_shape(s));
    if bounds.0.is_none() {
        return;
    }
    // With a mesh of unknown size, the other shapes may cover only part of the link. It extends at least from its own joint to
    // the next ones; the thresholds are wider.
    let unsized_mesh = !link.shapes.iter().all(|s| sized(&s));
    if unsized_mesh {
        bounds.add(Vec3::zero());
        children.get(link.name.as_str()).into_iter().flatten().for_each(|j| bounds.add(j.placement.translation));
    }
    let Bounds(Some((lo, hi))) = bounds else { return };
    let margin = if unsized_mesh { 3.0 } else { 1.0 };
    let place = link.parts.first().map_or(&link.place, |p| &p.place);
    let total = link.parts.iter().fold(Inertia::zero(), |sum, p| sum + p.inertia);
    if !(total.mass > 0.0 && total.components().iter().all(|x| x.is_finite())) {
        return;
    }
    let (size, c) = ((hi - lo).norm(), total.centre());
    let outside = |x: f64, lo: f64, hi: f64| (lo - x).max(x - hi).max(0.0);
    let off = vec3(outside(c.x, lo.x, hi.x), outside(c.y, lo.y, hi.y), outside(c.z, lo.z, hi.z)).norm();
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
fn power_of_ten(found: f64, expected: f64) -> Option<&'static str> {
    let ratio = found / expected;
    [(1e2, 3e2, "100"), (3e2, 3e3, "1000"), (3e5, 3e6, "1e6")]
        .into_iter()
        .find(|(lo, hi, _)| (*lo..*hi).contains(&ratio))
        .map(|(_, _, factor)| factor)
}
