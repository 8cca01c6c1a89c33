//! Left and right links that should mirror each other and do not: a wrong sign of a product of inertia, of a coordinate of the centre
//! of mass, or of a joint's origin.
//!
//! Names say which links belong together. With all joints at zero, the mirror plane is the coordinate plane of the base in which
//! most of these pairs mirror each other (origin and centre of mass); a pair that deviates from the others is reported if one changed sign
//! makes it mirror. Both sides may carry the same part: a pair with the same meshes in the same pose is not compared.

use super::bodies::total;
use super::similarity::mirrored;
use crate::description::{Description, LinkDescription};
use crate::findings::{self, Finding};
use crate::message::number;
use armdyn_core::{Inertia, JointKind, Sym3, Transform, Vec3, vec3};
use std::collections::HashMap;

/// Distance within which points mirror each other \[m\]: files are written to the millimetre.
const SAME: f64 = 2e-3;

/// Smallest deviation that is reported \[m\].
const APART: f64 = 0.02;

/// Smallest deviation of a tensor that is reported, relative to its largest element.
const TENSOR_APART: f64 = 0.15;

/// Smallest mass that is checked, and whose tensor is, relative to the robot's.
const MIN_MASS: (f64, f64) = (1e-3, 0.01);

/// A link at q = 0.
struct Posed<'a> {
    link: &'a LinkDescription,
    inertia: Inertia<f64>,
    /// In the base's frame.
    pose: Transform<f64>,
    parent: Option<usize>,
    /// The joint that moves it.
    joint: Option<usize>,
}

/// Compares the pairs.
pub(super) fn check(robot: &Description, findings: &mut Vec<Finding>) {
    let links = posed(robot);
    let named: HashMap<&str, usize> = links.iter().map(|l| l.link.name.as_str()).zip(0..).collect();
    let partner = |k: usize| mirrored(&links[k].link.name).iter().find_map(|n| named.get(n.as_str()).copied());
    let whole: f64 = links.iter().map(|l| l.inertia.mass).sum();
    let weighs = |k: usize| links[k].inertia.mass > MIN_MASS.0 * whole;
    let equal = |a: f64, b: f64| (a - b).abs() <= 0.01 * a.max(b);
    let pairs: Vec<(usize, usize)> = (0..links.len())
        .filter(|&a| weighs(a))
        .filter_map(|a| Some((a, partner(a)?)))
        .filter(|&(a, b)| equal(links[a].inertia.mass, links[b].inertia.mass))
        .filter(|&(a, b)| !same_part(links[a].link, links[b].link))
        .collect();
    let mirrors = |axis: usize, &(a, b): &(usize, usize)| {
        let ([o, p], [c, d]) = ([a, b].map(|k| links[k].pose.translation), [a, b].map(|k| centre(&links[k])));
        (flipped(o, axis) - p).norm() < SAME && (flipped(c, axis) - d).norm() < SAME
    };
    let count = |axis: usize| pairs.iter().filter(|p| mirrors(axis, p)).count();
    let Some(axis) = (0..3).max_by_key(|&axis| count(axis)) else { return };
    let sound = count(axis);
    // Where no pair shows the plane: y points to the left.
    let lateral = if sound > 0 { axis } else { 1 };
    let heavy = |&(a, _): &(usize, usize)| links[a].inertia.mass > MIN_MASS.1 * whole;
    for pair in pairs.iter().filter(|p| heavy(p)) {
        findings.extend(coincidence(robot, &links, *pair, lateral));
    }
    let parents_mirror = |&(a, b): &(usize, usize)| {
        links[a]
            .parent
            .zip(links[b].parent)
            .is_some_and(|(p, q)| (flipped(links[p].pose.translation, axis) - links[q].pose.translation).norm() < SAME)
    };
    // What a wrong joint moves is no fault of its own.
    let wrong: Vec<_> = pairs.iter().filter(|p| !mirrors(axis, p) && parents_mirror(p)).collect();
    if sound == 0 || pairs.len() < 2 || wrong.len() > sound {
        return;
    }
    for pair in pairs.iter().filter(|p| parents_mirror(p)) {
        findings.extend(deviation(robot, &links, *pair, axis, heavy(pair)));
    }
}

/// Two links with the same frame, by revolute joints of the same parent, away from the mirror plane.
fn coincidence(robot: &Description, links: &[Posed], (a, b): (usize, usize), axis: usize) -> Option<Finding> {
    let [left, right] = [a, b].map(|k| &links[k]);
    let (one, other) = (&robot.joints[left.joint?], &robot.joints[right.joint?]);
    let revolute = [one, other].iter().all(|j| matches!(j.kind, JointKind::Revolute { .. }));
    let aside = left.pose.translation.get(axis).abs() > APART;
    let close = (left.pose.translation - right.pose.translation).norm() < SAME && parallel(left, right);
    let together = left.parent == right.parent && close && aside;
    (revolute && together).then(|| {
        let message = format!(
            "links `{}` and `{}` have the same origin; wrong sign in the origin of joint `{}`?",
            left.link.name, right.link.name, other.name
        );
        Finding::at(findings::A211, &other.place, message)
    })
}

/// What is wrong with a pair.
fn deviation(
    robot: &Description,
    links: &[Posed],
    (a, b): (usize, usize),
    axis: usize,
    heavy: bool,
) -> Option<Finding> {
    let (left, right) = (&links[a], &links[b]);
    let names = format!("`{}` and `{}`", left.link.name, right.link.name);
    let place = right.link.parts.first().map_or(&right.link.place, |p| &p.place);
    let [o, p] = [left, right].map(|l| l.pose.translation);
    let [c, d] = [left, right].map(centre);
    let (origins, centres) = ((flipped(o, axis) - p).norm(), (flipped(c, axis) - d).norm());
    if origins > APART && centres > APART {
        let joint = &robot.joints[right.joint?];
        // Otherwise the two sides are copies of one arm, mounted in two directions.
        if !parallel(&links[left.parent?], &links[right.parent?]) {
            return None;
        }
        let parent = &links[right.parent?].pose;
        let t = joint.placement.translation;
        let wrong = (0..3).find(|&k| (parent.point(flipped(t, k)) - flipped(o, axis)).norm() < SAME)?;
        // Two equal hands: finger 1 of one is finger 2 of the other, seen in the mirror.
        let taken = |l: &Posed| (l.pose.translation - flipped(o, axis)).norm() < SAME && l.inertia.mass > 0.0;
        if links.iter().any(taken) {
            return None;
        }
        let message = format!(
            "the frames of links {names} do not mirror each other: they are {} m off; wrong sign of {} in the origin of joint `{}`?",
            number(origins),
            ["x", "y", "z"][wrong],
            joint.name
        );
        return Some(Finding::at(findings::A211, &joint.place, message));
    }
    if origins > SAME {
        return None;
    }
    if centres > APART {
        let own = right.inertia.centre();
        let wrong = (0..3).find(|&k| (right.pose.point(flipped(own, k)) - flipped(c, axis)).norm() < 2.0 * SAME)?;
        let message = format!(
            "the centres of mass of links {names} do not mirror each other: they are {} m off; wrong sign of {}?",
            number(centres),
            ["x", "y", "z"][wrong]
        );
        return Some(Finding::at(findings::A211, place, message));
    }
    let [i, j] = [left, right].map(|l| l.pose.rotation.rotate_tensor(&l.inertia.central()));
    let i = mirrored_tensor(&i, axis);
    let scale = largest(&i).max(largest(&j));
    let tensors = largest(&(i - j)) / scale;
    if !heavy || centres > 2.0 * SAME || tensors.is_nan() || tensors < TENSOR_APART {
        return None;
    }
    let own = right.inertia.central();
    let signs = [
        ("ixy", Sym3 { xy: -own.xy, ..own }),
        ("ixz", Sym3 { xz: -own.xz, ..own }),
        ("iyz", Sym3 { yz: -own.yz, ..own }),
    ];
    let fits = |t: &Sym3<f64>| largest(&(right.pose.rotation.rotate_tensor(t) - i)) < 0.05 * scale;
    let (wrong, _) = signs.iter().find(|(_, t)| fits(t))?;
    let message = format!(
        "the inertia tensors of links {names} do not mirror each other: they differ by {} kg m²; wrong sign of {wrong}?",
        number(tensors * scale)
    );
    Some(Finding::at(findings::A211, place, message))
}

/// The links of the tree with their poses at q = 0, without those with a value that is not finite and their children.
fn posed(robot: &Description) -> Vec<Posed<'_>> {
    let number: HashMap<&str, usize> = robot.links.iter().enumerate().map(|(k, l)| (l.name.as_str(), k)).collect();
    let order = robot.tree();
    // Places in the list, by the number of the link.
    let mut at: HashMap<usize, usize> = HashMap::new();
    let mut found: Vec<Posed> = vec![];
    for (link, j) in order {
        let inertia = total(&robot.links[link]);
        let joint = j.map(|j| &robot.joints[j]);
        let parent = joint.and_then(|j| at.get(number.get(j.parent.as_str())?)).copied();
        let before = parent.map(|p| found[p].pose);
        let pose = match (joint, before) {
            (None, _) => Some(Transform::identity()),
            (Some(j), Some(before)) => Some(before.compose(&j.placement)),
            _ => None,
        };
        let finite = |p: &Transform<f64>| p.components().iter().chain(&inertia.components()).all(|x| x.is_finite());
        let Some(pose) = pose.filter(finite) else { continue };
        at.insert(link, found.len());
        found.push(Posed { link: &robot.links[link], inertia, pose, parent, joint: j });
    }
    found
}

/// Whether the axes of two frames are parallel.
fn parallel(a: &Posed, b: &Posed) -> bool {
    let (r, s) = (&a.pose.rotation, &b.pose.rotation);
    [(r.x, s.x), (r.y, s.y), (r.z, s.z)].iter().all(|(u, v)| (*u - *v).norm() < SAME)
}

/// The centre of mass in the base's frame.
fn centre(l: &Posed) -> Vec3<f64> {
    if l.inertia.mass > 0.0 { l.pose.point(l.inertia.centre()) } else { l.pose.translation }
}

/// Whether two links have the same meshes in the same pose.
fn same_part(a: &LinkDescription, b: &LinkDescription) -> bool {
    let key = |l: &LinkDescription| -> Vec<String> {
        let meshes = l.shapes.iter().filter(|s| s.asset.is_some());
        meshes.map(|s| format!("{:?} {:?} {:?}", s.asset, s.mesh.as_ref().map(|m| m.scale), s.pose)).collect()
    };
    let (a, b) = (key(a), key(b));
    !a.is_empty() && a == b
}

/// A vector with the sign of a component reversed.
fn flipped(v: Vec3<f64>, axis: usize) -> Vec3<f64> {
    let mut v = v.to_array();
    v[axis] = -v[axis];
    vec3(v[0], v[1], v[2])
}

/// A tensor mirrored in the plane perpendicular to an axis.
fn mirrored_tensor(t: &Sym3<f64>, axis: usize) -> Sym3<f64> {
    let s = |a: usize, b: usize| if (a == axis) != (b == axis) { -1.0 } else { 1.0 };
    Sym3 { xy: s(0, 1) * t.xy, xz: s(0, 2) * t.xz, yz: s(1, 2) * t.yz, ..*t }
}

fn largest(t: &Sym3<f64>) -> f64 {
    [t.xx, t.xy, t.xz, t.yy, t.yz, t.zz].iter().fold(0.0, |m, x| x.abs().max(m))
}
