//! Joints: kind, placement and drives.

use super::bodies::{about, pose};
use super::fields::{Entry, Fields, Node, Reader};
use crate::description::Mimic;
use crate::direction::normalized;
use crate::findings::{A005, A008, A306};
use crate::units::Quantity::{
    self, Angle, AngularSpeed, AngularStiffness, Force, Inertia, Length, LinearViscous, Mass, Number, Speed, Stiffness,
    Torque, Viscous,
};
use armdyn_core::{Drive, EffortRange, JointAxis, JointKind, Limits, Order, Rotor, Transform, Vec3, vec3};
use toml_edit::Value;

const FIELDS: [&str; 18] = [
    "name",
    "kind",
    "axis",
    "axes",
    "pitch",
    "rotations",
    "translations",
    "order",
    "origin",
    "dh",
    "mdh",
    "limits",
    "drive",
    "drives",
    "friction",
    "frictions",
    "stiffness",
    "mimic",
];

/// Convention for the placement of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Convention {
    Frames,
    Dh,
    Mdh,
    /// Invalid: placements are not checked.
    Unknown,
}

/// A joint as read.
pub(super) struct Read {
    pub name: String,
    pub kind: JointKind,
    /// Pose of the moved frame in the parent link's frame.
    pub placement: Transform<f64>,
    /// Pose of the link's frame in the moved frame, if they differ.
    pub distal: Option<Transform<f64>>,
    pub drives: Vec<Drive>,
    pub stiffness: Vec<f64>,
    pub mimic: Option<Mimic>,
}

/// Reads a link's joint.
pub(super) fn joint(r: &mut Reader, entry: &Entry, link: &str, convention: Convention) -> Option<Read> {
    let f = r.fields(entry, format!("joint of {link}"), &FIELDS)?;
    let name = r.name(&f, "name").map(str::to_string);
    let f = f.named("joint", name.as_deref());
    let kind = kind(r, &f, convention);
    let placed = placement(r, &f, convention);
    let kind = kind?;
    let drives = drives(r, &f, &kind.axes());
    let stiffness = stiffness(r, &f, &kind.axes());
    let mimic = f.get("mimic").and_then(|e| mimic(r, &f, &e, &kind));
    let (placement, distal, tilt) = placed?;
    let mut kind = kind;
    if let JointKind::Revolute { axis }
    | JointKind::Prismatic { axis }
    | JointKind::Helical { axis, .. }
    | JointKind::Cylindrical { axis } = &mut kind
        && convention == Convention::Dh
    {
        *axis = tilt;
    }
    // A fixed link needs no second frame.
    let (placement, distal) = match distal {
        Some(d) if kind == JointKind::Fixed => (placement.compose(&d), None),
        distal => (placement, distal),
    };
    Some(Read { name: name?, kind, placement, distal, drives, stiffness, mimic })
}

fn kind(r: &mut Reader, f: &Fields, convention: Convention) -> Option<JointKind> {
    let entry = r.require(f, "kind")?;
    let kind = *JointKind::NAMES.get(r.choice(&entry, &JointKind::NAMES, A008)?)?;
    let one_axis = ["revolute", "prismatic", "helical", "cylindrical"].contains(&kind);
    if matches!(convention, Convention::Dh | Convention::Mdh) && !one_axis && kind != "fixed" {
        let expected = "Denavit–Hartenberg parameters require a joint with a single axis";
        r.invalid::<()>(&entry, format!("is `{kind}`: {expected}"));
    }
    let allowed: [(&str, bool); 6] = [
        ("axis", one_axis && matches!(convention, Convention::Frames | Convention::Unknown)),
        ("axes", kind == "universal"),
        ("pitch", kind == "helical"),
        ("rotations", kind == "generalized"),
        ("translations", kind == "generalized"),
        ("order", kind == "generalized"),
    ];
    for (key, _) in allowed.iter().filter(|(_, allowed)| !allowed) {
        if let Some(e) = f.get(key) {
            let why = if *key == "axis" && one_axis { "the axis is z in this convention" } else { "it has no effect" };
            r.invalid::<()>(&e, format!("does not apply to a `{kind}` joint: {why}"));
        }
    }
    let axis = match f.get("axis") {
        Some(e) if one_axis => direction(r, &e),
        _ => Some([0.0, 0.0, 1.0]),
    };
    Some(match kind {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute { axis: axis? },
        "prismatic" => JointKind::Prismatic { axis: axis? },
        "helical" => {
            let pitch = r.require_number(f, "pitch", Length);
            JointKind::Helical { axis: axis?, pitch: pitch? }
        }
        "cylindrical" => JointKind::Cylindrical { axis: axis? },
        "universal" => {
            let entry = r.require(f, "axes")?;
            let axes: Vec<Option<[f64; 3]>> = r.list(&entry).iter().map(|e| direction(r, e)).collect();
            let [a, b] = axes.as_slice() else {
                return r.invalid(&entry, format!("has {} axes: expected two", axes.len()));
            };
            JointKind::Universal { axes: [(*a)?, (*b)?] }
        }
        "spherical" => JointKind::Spherical,
        "planar" => JointKind::Planar,
        "translation" => JointKind::Translation,
        "free" => JointKind::Free,
        _ => {
            let rotations = subset(r, f, "rotations", ["yaw", "pitch", "roll"]);
            let translations = subset(r, f, "translations", ["x", "y", "z"]);
            let words = ["rotation-first", "translation-first"];
            let order = f.get("order").map_or(Some(0), |e| r.choice(&e, &words, A005))?;
            let order = if order == 0 { Order::RotationFirst } else { Order::TranslationFirst };
            JointKind::Generalized { rotations, translations, order }
        }
    })
}

/// Which of three keywords an array contains.
fn subset(r: &mut Reader, f: &Fields, key: &str, words: [&str; 3]) -> [bool; 3] {
    let mut which = [false; 3];
    let Some(entry) = f.get(key) else { return which };
    for e in r.list(&entry) {
        let chosen = r.choice(&e, &words, A005).and_then(|k| which.get_mut(k));
        if chosen.is_some_and(|w| std::mem::replace(w, true)) {
            r.invalid::<()>(&e, "is repeated");
        }
    }
    which
}

/// A vector that is not null.
pub(super) fn direction(r: &mut Reader, entry: &Entry) -> Option<[f64; 3]> {
    let axis: [f64; 3] = r.numbers(entry, Number)?;
    let Some((unit, _)) = normalized(axis) else {
        return r.invalid(entry, "is a null vector");
    };
    // Unchanged, unless its square would over- or underflow.
    Some(if Vec3::<f64>::lift(axis).norm().is_normal() { axis } else { unit })
}

type Placed = (Transform<f64>, Option<Transform<f64>>, [f64; 3]);

/// The moved frame, the link's frame in it if they differ, and the joint axis in the moved frame.
///
/// Standard Denavit–Hartenberg: the axis is the z axis of the previous frame. It passes through the link's origin, and is
/// (0, sin α, cos α) in its axes, if a = 0; else the joint moves a frame at the foot of a, and the link is fixed to it.
fn placement(r: &mut Reader, f: &Fields, convention: Convention) -> Option<Placed> {
    let z = [0.0, 0.0, 1.0];
    let (key, named) = match convention {
        Convention::Frames => ("origin", "frames"),
        Convention::Dh => ("dh", "dh"),
        Convention::Mdh => ("mdh", "mdh"),
        Convention::Unknown => return Some((Transform::identity(), None, z)),
    };
    for other in ["origin", "dh", "mdh"].into_iter().filter(|k| *k != key) {
        if let Some(e) = f.get(other) {
            r.invalid::<()>(&e, format!("does not apply to the convention `{named}`, which uses `{key}`"));
        }
    }
    if convention == Convention::Frames {
        let at = if f.has("origin") { pose(r, f, "origin")? } else { Transform::identity() };
        return Some((at, None, z));
    }
    let entry = r.require(f, key)?;
    let p = r.fields(&entry, format!("{}, {key}", f.subject), &["theta", "d", "a", "alpha"])?;
    let [theta, alpha] = ["theta", "alpha"].map(|k| r.number(&p, k, Angle).unwrap_or_default());
    let [d, a] = ["d", "a"].map(|k| r.number(&p, k, Length).unwrap_or_default());
    let along_z = Transform::new(about(2, theta), vec3(0.0, 0.0, d));
    let along_x = Transform::new(about(0, alpha), vec3(a, 0.0, 0.0));
    Some(match convention {
        Convention::Mdh => (along_x.compose(&along_z), None, z),
        _ if a == 0.0 => (along_z.compose(&along_x), None, along_x.rotation.inverse_rotate(Vec3::unit(2)).to_array()),
        _ => (along_z, Some(along_x), z),
    })
}

fn mimic(r: &mut Reader, f: &Fields, entry: &Entry, kind: &JointKind) -> Option<Mimic> {
    let m = r.fields(entry, format!("{}, mimic", f.subject), &["joint", "multiplier", "offset"])?;
    let joint = r.name(&m, "joint");
    let multiplier = if m.has("multiplier") { r.number(&m, "multiplier", Number) } else { Some(1.0) };
    let prismatic = matches!(kind, JointKind::Prismatic { .. });
    let offset =
        if m.has("offset") { r.number(&m, "offset", if prismatic { Length } else { Angle }) } else { Some(0.0) };
    Some(Mimic { joint: joint?.to_string(), multiplier: multiplier?, offset: offset? })
}

/// One drive per degree of freedom; empty if none is given.
fn drives(r: &mut Reader, f: &Fields, axes: &[JointAxis]) -> Vec<Drive> {
    let mut drives = vec![Drive::ideal(); axes.len()];
    let mut said = false;
    for (one, many) in [("drive", "drives"), ("friction", "frictions"), ("limits", "limits")] {
        for (k, entry) in per_axis(r, f, one, many, axes) {
            let (Some(drive), Some(&JointAxis { prismatic, .. })) = (drives.get_mut(k), axes.get(k)) else { continue };
            said = true;
            let subject = format!("{}, {one}", f.subject);
            match one {
                "drive" => rotor(r, &entry, subject, prismatic, drive),
                "friction" => friction(r, &entry, subject, prismatic, drive),
                _ => limits(r, &entry, subject, prismatic, drive),
            }
        }
    }
    if said { drives } else { vec![] }
}

/// Stiffness of each degree of freedom; empty if none is given.
fn stiffness(r: &mut Reader, f: &Fields, axes: &[JointAxis]) -> Vec<f64> {
    let mut found = vec![];
    for (k, entry) in per_axis(r, f, "stiffness", "stiffness", axes) {
        let Some(&JointAxis { prismatic, .. }) = axes.get(k) else { continue };
        let read = match entry.node {
            Node::Value(Value::Float(f)) if *f.value() == f64::INFINITY => Some(f64::INFINITY),
            _ => r.value(&entry, if prismatic { Stiffness } else { AngularStiffness }),
        };
        let Some(x) = read else { continue };
        if x <= 0.0 {
            r.invalid::<()>(&entry, format!("is {x}: expected a positive number (omit it for a rigid joint)"));
            continue;
        }
        found.resize(axes.len(), f64::INFINITY);
        if let Some(stiffness) = found.get_mut(k) {
            *stiffness = x;
        }
    }
    found
}

/// The entries of a field that is given once, or once per degree of freedom.
fn per_axis<'t>(r: &mut Reader, f: &Fields<'t>, one: &str, many: &str, axes: &[JointAxis]) -> Vec<(usize, Entry<'t>)> {
    let n = axes.len();
    let mut found = vec![];
    if let Some(e) = f.get(one).filter(|e| one != many || !e.is_array()) {
        if n == 1 {
            found.push((0, e));
        } else {
            let names = axes.iter().map(|a| a.label).collect::<Vec<_>>().join(", ");
            let how = match n {
                0 => "it does not apply to a fixed joint".to_string(),
                _ => format!("expected an array `{many}` with one entry for each degree of freedom ({names})"),
            };
            r.report(A005, &e.place, format!("{}: {how}", e.called));
        }
    }
    if let Some(e) = f.get(many).filter(|e| one != many || e.is_array()) {
        if one != many && f.has(one) {
            r.either::<()>(f, one, many);
        }
        let entries = r.list(&e);
        if entries.len() != n && e.is_array() {
            let count = entries.len();
            r.invalid::<()>(&e, format!("has {count} entries: expected {n}, one for each degree of freedom"));
        }
        found.extend(entries.into_iter().enumerate());
    }
    found
}

fn rotor(r: &mut Reader, entry: &Entry, subject: String, prismatic: bool, drive: &mut Drive) {
    let Some(f) = r.fields(entry, subject, &["rotor", "gear", "axis", "armature"]) else { return };
    let inertia = r.number(&f, "rotor", Inertia);
    let gear = r.number(&f, "gear", Number);
    let axis = f.get("axis").and_then(|e| direction(r, &e));
    match (f.has("rotor"), f.has("gear")) {
        (true, false) => _ = r.missing::<()>(&f, "`gear`"),
        (false, true) => _ = r.missing::<()>(&f, "`rotor`"),
        (false, false) if f.has("axis") => _ = r.missing::<()>(&f, "`rotor` and `gear`"),
        _ => {}
    }
    if let (Some(inertia), Some(gear)) = (inertia, gear) {
        drive.rotor = Some(Rotor { inertia, gear, axis });
    }
    drive.armature = r.number(&f, "armature", if prismatic { Mass } else { Inertia }).unwrap_or_default();
}

fn friction(r: &mut Reader, entry: &Entry, subject: String, prismatic: bool, drive: &mut Drive) {
    let known = ["viscous", "coulomb", "static", "stribeck", "stribeck_speed"];
    let Some(f) = r.fields(entry, subject, &known) else { return };
    let (effort, viscous, speed) =
        if prismatic { (Force, LinearViscous, Speed) } else { (Torque, Viscous, AngularSpeed) };
    let friction = &mut drive.friction;
    friction.viscous = r.number(&f, "viscous", viscous).unwrap_or_default();
    if let Some(e) = f.get("coulomb") {
        let levels = if e.is_table() { both(r, &f, &e, effort) } else { r.value(&e, effort).map(|c| [c, c]) };
        [friction.coulomb_forward, friction.coulomb_backward] = levels.unwrap_or_default();
    }
    let extra = match (f.get("static"), f.get("stribeck")) {
        (Some(_), Some(_)) => r.either(&f, "static", "stribeck"),
        (Some(e), None) => {
            // The static level, for the direction with the larger Coulomb friction.
            let dry = friction.coulomb_forward.max(friction.coulomb_backward);
            let whole = r.value(&e, effort);
            if let Some(whole) = whole.filter(|w| *w < dry) {
                r.report(A306, &e.place, format!("{} ({whole}) is below the Coulomb friction ({dry})", e.called));
            }
            whole.map(|w| w - dry)
        }
        (None, Some(e)) => r.value(&e, effort),
        (None, None) => None,
    };
    friction.stribeck = extra.unwrap_or_default();
    match f.get("stribeck_speed") {
        Some(_) => {
            if let Some(v) = r.require_positive(&f, "stribeck_speed", speed) {
                friction.stribeck_speed = v;
            }
        }
        None if f.has("static") || f.has("stribeck") => _ = r.missing::<()>(&f, "`stribeck_speed`"),
        None => {}
    }
}

fn both(r: &mut Reader, f: &Fields, entry: &Entry, quantity: Quantity) -> Option<[f64; 2]> {
    let c = r.fields(entry, format!("{}, coulomb", f.subject), &["forward", "backward"])?;
    let [forward, backward] = ["forward", "backward"].map(|k| r.require_number(&c, k, quantity));
    Some([forward?, backward?])
}

/// A number for both directions, or a table of the lower and the upper limit, of which one may be absent.
fn effort_range(r: &mut Reader, f: &Fields, entry: &Entry, quantity: Quantity) -> Option<EffortRange> {
    if !entry.is_table() {
        return r.value(entry, quantity).map(EffortRange::from);
    }
    let e = r.fields(entry, format!("{}, effort", f.subject), &["lower", "upper"])?;
    if !e.has("lower") && !e.has("upper") {
        return r.missing(&e, "`lower` or `upper`");
    }
    let EffortRange { lower, upper } = EffortRange::UNLIMITED;
    Some(EffortRange {
        lower: r.number(&e, "lower", quantity).unwrap_or(lower),
        upper: r.number(&e, "upper", quantity).unwrap_or(upper),
    })
}

fn limits(r: &mut Reader, entry: &Entry, subject: String, prismatic: bool, drive: &mut Drive) {
    let Some(f) = r.fields(entry, subject, &["lower", "upper", "speed", "effort", "continuous"]) else { return };
    let (position, speed, effort) = if prismatic { (Length, Speed, Force) } else { (Angle, AngularSpeed, Torque) };
    let none = Limits::NONE;
    drive.limits = Limits {
        lower: r.number(&f, "lower", position).unwrap_or(none.lower),
        upper: r.number(&f, "upper", position).unwrap_or(none.upper),
        speed: r.number(&f, "speed", speed).unwrap_or(none.speed),
        effort: f.get("effort").and_then(|e| effort_range(r, &f, &e, effort)).unwrap_or(none.effort),
        continuous: r.number(&f, "continuous", effort).unwrap_or(none.continuous),
    };
}
