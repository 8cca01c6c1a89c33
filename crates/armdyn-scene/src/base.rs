//! Shapes of the base: a plate, or a platform on wheels.

use crate::links::{Layout, axis_frame, block, capsule, cylinder};
use crate::{Geometry, Role, Shape};
use armdyn_core::{Contact, ContactKind, Model, Transform, Vec3, vec3};

/// The direction that points up, in the base's axes.
pub(crate) fn up(m: &Model<f64>) -> Vec3<f64> {
    let g = m.gravity();
    if m.contacts().is_empty() && g.norm() > 0.0 { g * (-1.0 / g.norm()) } else { Vec3::unit(2) }
}

/// The shapes of the base: a platform on its contacts, or a plate at least `depth` below the origin.
pub(crate) fn shapes(m: &Model<f64>, depth: f64) -> Vec<Shape> {
    let layout = Layout::new(m);
    if m.contacts().is_empty() { plate(m, layout.radius(0.0), depth) } else { platform(m, &layout) }
}

/// A plate under the base, with a column where the first joint's axis is not upright or the plate is deeper.
fn plate(m: &Model<f64>, r: f64, depth: f64) -> Vec<Shape> {
    let up = up(m);
    let first = || m.joints().iter().filter(|j| j.parent.index() == 0);
    if first().any(|j| j.kind.axes().len() == 6) {
        return vec![];
    }
    let lying = first().filter(|j| j.placement.translation.norm() < 2.0 * r).any(|j| {
        let axes = j.kind.axes();
        axes.iter().any(|a| !a.prismatic && j.placement.rotation.rotate(Vec3::lift(a.axis)).dot(up).abs() < 0.5)
    });
    let thickness = 0.5 * r;
    let drop = (depth - thickness).max(if lying { 2.0 * r } else { 0.0 });
    let pose = Transform::new(axis_frame(up), up * (-drop - 0.5 * thickness));
    let mut shapes = vec![cylinder(&pose, 2.3 * r, thickness, Role::Base)];
    if drop > 0.0 {
        shapes.push(capsule(up * -drop, Vec3::zero(), [1.15 * r, 0.9 * r], Role::Base));
    }
    shapes
}

/// The height of the lowest point of the base along `up`, if it has a plate.
pub(crate) fn plate_height(shapes: &[Shape], up: Vec3<f64>) -> Option<f64> {
    let bottom = |s: &Shape| match s.geometry {
        Geometry::Cylinder { length, .. } if s.role == Role::Base => {
            let [x, y, z, ..] = s.pose.0.map(f64::from);
            Some(Vec3::lift([x, y, z]).dot(up) - 0.5 * f64::from(length))
        }
        _ => None,
    };
    shapes.iter().find_map(bottom)
}

/// A platform on its wheels and feet.
fn platform(m: &Model<f64>, layout: &Layout) -> Vec<Shape> {
    let contacts = m.contacts();
    let range = |k: usize| {
        let each = || contacts.iter().map(|c| c.position[k]);
        [each().fold(f64::INFINITY, f64::min), each().fold(f64::NEG_INFINITY, f64::max)]
    };
    let ([left, right], [back, front], [ground, _]) = (range(0), range(1), range(2));
    let span = (right - left).max(front - back);
    let unknown = 0.07 * span.max(layout.reach * 0.5);
    let radius = |c: &Contact| c.radius.unwrap_or(unknown);
    let tallest = contacts.iter().map(radius).fold(0.0, f64::max);
    // Up to the lowest joint that the base carries.
    let carried = m.joints().iter().filter(|j| j.parent.index() == 0).map(|j| j.placement.translation.z);
    let bottom = ground + 0.9 * tallest;
    let top = carried.fold(f64::INFINITY, f64::min).max(ground + 2.1 * tallest);
    let top = if top.is_finite() { top } else { ground + 3.0 * tallest };
    let middle = vec3(0.5 * (left + right), 0.5 * (back + front), 0.5 * (bottom + top));
    let width = |low: f64, high: f64| (high - low).max(2.0 * tallest);
    let size = [width(left, right), width(back, front), top - bottom];
    let mut shapes = vec![block(&Transform::from_translation(middle), size, Role::Base)];
    for contact in contacts {
        wheel(contact, radius(contact), bottom, &mut shapes);
    }
    shapes
}

fn wheel(contact: &Contact, radius: f64, bottom: f64, shapes: &mut Vec<Shape>) {
    let at: Vec3<f64> = Vec3::lift(contact.position);
    let above = |height: f64| vec3(at.x, at.y, at.z + height);
    if contact.kind == ContactKind::Foot {
        let leg = bottom.max(at.z + 0.2 * radius);
        return shapes.push(capsule(
            above(0.2 * radius),
            vec3(at.x, at.y, leg + radius),
            [0.2 * radius; 2],
            Role::Wheel,
        ));
    }
    let rolls = match contact.kind.is_directed() {
        true => Vec3::lift(contact.rolling_direction),
        false => Vec3::unit(0),
    };
    let axle = rolls.cross(Vec3::unit(2));
    let axle = if axle.norm() > 0.0 { axle } else { Vec3::unit(1) };
    let small = if contact.kind == ContactKind::Castor { 0.7 } else { 1.0 };
    let r = small * radius;
    let width = if contact.kind == ContactKind::Castor { 0.4 } else { 0.6 } * r;
    shapes.push(cylinder(&Transform::new(axis_frame(axle), above(r)), r, width, Role::Wheel));
    if contact.kind == ContactKind::Castor {
        shapes.push(capsule(above(r), above(2.0 * radius), [0.3 * r; 2], Role::Joint));
    }
}
