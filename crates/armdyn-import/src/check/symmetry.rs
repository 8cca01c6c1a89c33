//! Left and right links that should mirror each other and do not: a wrong sign of a product of inertia, of a coordinate of the centre
//! of mass, or of a joint's origin.
//!
//! Names say which links belong together. With all joints at zero, the mirror plane is the coordinate plane of the base in which
//! most of these pairs mirror each other (origin and centre of mass); a pair that deviates from the others is reported if one changed sign
//! makes it mirror. Both sides may carry the same part: a pair with the same meshes in the same pose is not compared.

mod conventions;

use super::similarity::mirrored;
use super::solid::Solid;
use super::tree::Tree;
use crate::description::{JointDescription, LinkDescription};
use crate::findings::{self, Finding};
use crate::message::number;
use armdyn_core::{Inertia, JointKind, Sym3, Transform, Vec3, vec3};

/// Distance within which points mirror each other \[m\]: files are written to the millimetre.
const SAME: f64 = 2e-3;

/// Smallest deviation that is reported \[m\].
const APART: f64 = 0.02;

/// Smallest deviation of a tensor that is reported, relative to its largest element.
const TENSOR_APART: f64 = 0.15;

/// Difference from which one side is clearly wrong \[m\].
const CLEARLY: f64 = 0.01;

const AXES: [&str; 3] = ["x", "y", "z"];

/// Smallest mass that is checked, and whose tensor is, relative to the robot's.
const MIN_MASS: (f64, f64) = (1e-3, 0.01);

/// A link at q = 0.
struct Posed<'a> {
    link: &'a LinkDescription,
    inertia: Inertia<f64>,
    /// What its meshes occupy.
    solid: Option<&'a Solid>,
    /// In the base's frame.
    pose: Transform<f64>,
    parent: Option<usize>,
    /// The joint that moves it.
    joint: Option<&'a JointDescription>,
}

/// Compares the pairs.
pub(super) fn check(tree: &Tree, solids: &[Option<&Solid>], findings: &mut Vec<Finding>) {
    let (links, at) = posed(tree, solids);
    let partner = |k: usize| mirrored(&links[k].link.name).iter().find_map(|n| at[tree.link(n)?]);
    let weighs = |k: usize| links[k].inertia.mass > MIN_MASS.0 * tree.mass;
    let equal = |a: f64, b: f64| (a - b).abs() <= 0.01 * a.max(b);
    let named: Vec<(usize, usize)> = (0..links.len())
        .filter(|&a| weighs(a))
        .filter_map(|a| Some((a, partner(a)?)))
        .filter(|&(a, b)| equal(links[a].inertia.mass, links[b].inertia.mass))
        .collect();
    let copies = |&&(a, b): &&(usize, usize)| same_part(links[a].link, links[b].link);
    let pairs: Vec<(usize, usize)> = named.iter().filter(|p| !copies(p)).copied().collect();
    let mirrors = |axis: usize, &(a, b): &(usize, usize)| {
        let ([o, p], [c, d]) = ([a, b].map(|k| links[k].pose.translation), [a, b].map(|k| centre(&links[k])));
        (flipped(o, axis) - p).norm() < SAME && (flipped(c, axis) - d).norm() < SAME
    };
    let count = |axis: usize| pairs.iter().filter(|p| mirrors(axis, p)).count();
    let Some(axis) = (0..3).max_by_key(|&axis| count(axis)) else { return };
    let sound = count(axis);
    // Where no pair shows the plane: y points to the left.
    let lateral = if sound > 0 { axis } else { 1 };
    let heavy = |&(a, _): &(usize, usize)| links[a].inertia.mass > MIN_MASS.1 * tree.mass;
    // The side of the mirror plane on which most left-hand links are, without those that the joint of a link moves.
    let left_side = |moved: usize| -> f64 {
        let others = pairs.iter().map(|(a, _)| *a).filter(|&a| !is_moved_by(&links, a, moved));
        let at = others.map(|a| links[a].pose.translation.get(lateral));
        at.filter(|x| x.abs() > APART).map(f64::signum).sum()
    };
    let mut found = vec![];
    for pair in pairs.iter().filter(|p| heavy(p)) {
        found.extend(coincidence(&links, *pair, lateral, &left_side));
    }
    let parents_mirror = |&(a, b): &(usize, usize)| {
        links[a]
            .parent
            .zip(links[b].parent)
            .is_some_and(|(p, q)| (flipped(links[p].pose.translation, axis) - links[q].pose.translation).norm() < SAME)
    };
    // What a wrong joint moves is no fault of its own.
    let wrong = pairs.iter().filter(|p| !mirrors(axis, p) && parents_mirror(p)).count();
    if sound > 0 && pairs.len() > 1 && wrong <= sound {
        for pair in pairs.iter().filter(|p| parents_mirror(p)) {
            found.extend(deviation(&links, *pair, axis, heavy(pair), &left_side));
        }
    }
    if found.is_empty() {
        found.extend(conventions::check(&links, &named));
    }
    findings.extend(found);
}

/// Which side of a pair is wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Unknown,
}

impl Side {
    /// The side whose gain by a change is clearly larger.
    fn of_gains(left: f64, right: f64, clearly: f64) -> Side {
        match left - right {
            d if d > clearly => Side::Left,
            d if d < -clearly => Side::Right,
            _ => Side::Unknown,
        }
    }

    /// One of two things, or both: `` `a` ``, `` one of `a` and `b`, nothing here tells which ``.
    fn name(self, left: &str, right: &str) -> String {
        match self {
            Side::Left => format!("`{left}`"),
            Side::Right => format!("`{right}`"),
            Side::Unknown => format!("`{left}` or `{right}` (nothing in the file tells which)"),
        }
    }

    /// The left one or the right one; the right one if it is not known.
    fn pick<T>(self, left: T, right: T) -> T {
        if self == Side::Left { left } else { right }
    }
}

/// By how much nearer a point of a link is to the middle of its meshes with the sign of a coordinate changed \[m\]; 0 without meshes.
fn gain(link: &Posed, axis: usize) -> f64 {
    let c = link.inertia.centre();
    let middle = link.solid.and_then(|s| s.hull).map(|h| h.centre());
    middle.map_or(0.0, |m| (c - m).norm() - (flipped(c, axis) - m).norm())
}

/// How far the origin of a link's joint is outside the meshes of its parent \[m\]; 0 without meshes.
fn outside(links: &[Posed], link: &Posed) -> f64 {
    let bounds = link.parent.and_then(|p| links[p].solid).map(|s| s.bounds);
    link.joint.zip(bounds).map_or(0.0, |(j, bounds)| bounds.distance(j.placement.translation))
}

/// The side whose joint is wrong: the one that lies outside its parent's meshes, or on the wrong side of the mirror plane.
fn wrong_joint(links: &[Posed], left: &Posed, right: &Posed, axis: usize, left_side: impl Fn() -> f64) -> Side {
    let by_mesh = Side::of_gains(outside(links, left), outside(links, right), CLEARLY);
    if by_mesh != Side::Unknown {
        return by_mesh;
    }
    let [l, r] = [left, right].map(|l| l.pose.translation.get(axis));
    let left_side = left_side();
    match left_side {
        _ if l.abs() < APART || r.abs() < APART || l.signum() != r.signum() || left_side.abs() < 2.0 => Side::Unknown,
        _ if l.signum() != left_side.signum() => Side::Left,
        _ => Side::Right,
    }
}

/// Whether a link is another one or below it.
fn is_moved_by(links: &[Posed], link: usize, other: usize) -> bool {
    std::iter::successors(Some(link), |&k| links[k].parent).any(|k| k == other)
}

/// Two links with the same frame, by revolute joints of the same parent, away from the mirror plane.
fn coincidence(
    links: &[Posed],
    (a, b): (usize, usize),
    axis: usize,
    left_side: &impl Fn(usize) -> f64,
) -> Option<Finding> {
    let [left, right] = [a, b].map(|k| &links[k]);
    let (one, other) = (left.joint?, right.joint?);
    let revolute = [one, other].iter().all(|j| matches!(j.kind, JointKind::Revolute { .. }));
    let aside = left.pose.translation.get(axis).abs() > APART;
    let close = (left.pose.translation - right.pose.translation).norm() < SAME && parallel(left, right);
    let together = left.parent == right.parent && close && aside;
    (revolute && together).then(|| {
        let side = wrong_joint(links, left, right, axis, || left_side(a));
        let message = format!(
            "links `{}` and `{}` have the same origin; wrong sign in the origin of joint {}?",
            left.link.name,
            right.link.name,
            side.name(&one.name, &other.name)
        );
        Finding::at(findings::A211, &side.pick(one, other).place, message)
    })
}

/// What is wrong with a pair.
fn deviation(
    links: &[Posed],
    (a, b): (usize, usize),
    axis: usize,
    heavy: bool,
    left_side: &impl Fn(usize) -> f64,
) -> Option<Finding> {
    let (left, right) = (&links[a], &links[b]);
    let names = format!("`{}` and `{}`", left.link.name, right.link.name);
    let place = |side: Side| {
        let link = side.pick(left, right).link;
        link.parts.first().map_or(&link.place, |p| &p.place)
    };
    let [o, p] = [left, right].map(|l| l.pose.translation);
    let [c, d] = [left, right].map(centre);
    let (origins, centres) = ((flipped(o, axis) - p).norm(), (flipped(c, axis) - d).norm());
    if origins > APART && centres > APART {
        let joint = right.joint?;
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
        let side = wrong_joint(links, left, right, axis, || left_side(a));
        let message = format!(
            "the frames of links {names} do not mirror each other: they are {} m off; wrong sign of {} in the origin of joint {}?",
            number(origins),
            AXES[wrong],
            side.name(&left.joint?.name, &joint.name)
        );
        return Some(Finding::at(findings::A211, &side.pick(left.joint?, joint).place, message));
    }
    if origins > SAME {
        return None;
    }
    if centres > APART {
        let own = right.inertia.centre();
        let wrong = (0..3).find(|&k| (right.pose.point(flipped(own, k)) - flipped(c, axis)).norm() < 2.0 * SAME)?;
        let side = Side::of_gains(gain(left, wrong), gain(right, wrong), CLEARLY);
        let message = format!(
            "the centres of mass of links {names} do not mirror each other: they are {} m off; wrong sign of {} of {}?",
            number(centres),
            AXES[wrong],
            side.name(&left.link.name, &right.link.name)
        );
        return Some(Finding::at(findings::A211, place(side), message));
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
        "the inertia tensors of links {names} do not mirror each other: they differ by {} kg m²; wrong sign of {wrong} of {}?",
        number(tensors * scale),
        Side::Unknown.name(&left.link.name, &right.link.name)
    );
    Some(Finding::at(findings::A211, place(Side::Unknown), message))
}

/// The links of the tree with their poses at q = 0, without those with a value that is not finite and their children; and the place of
/// each link in that list.
fn posed<'a>(tree: &Tree<'a>, solids: &[Option<&'a Solid>]) -> (Vec<Posed<'a>>, Vec<Option<usize>>) {
    let mut at: Vec<Option<usize>> = vec![None; tree.robot.links.len()];
    let mut found: Vec<Posed<'a>> = vec![];
    for &(k, joint) in &tree.order {
        let (link, inertia, parent) = (&tree.robot.links[k], tree.inertia[k], joint.and_then(|(p, _)| at[p]));
        let pose = match (joint, parent) {
            (None, _) => Some(Transform::identity()),
            (Some((_, j)), Some(p)) => Some(found[p].pose.compose(&j.placement)),
            _ => None,
        };
        let finite = |p: &Transform<f64>| p.components().iter().chain(&inertia.components()).all(|x| x.is_finite());
        let Some(pose) = pose.filter(finite) else { continue };
        at[k] = Some(found.len());
        found.push(Posed { link, inertia, solid: solids[k], pose, parent, joint: joint.map(|(_, j)| j) });
    }
    (found, at)
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
