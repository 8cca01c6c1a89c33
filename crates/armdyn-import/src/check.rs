//! The check: is this robot physical, and is it what was meant?
//!
//! A reader has told what it could not read, and what it did not use; here the figures themselves are asked: could a body
//! have them, do they fit the geometry, did a unit slip, were placeholders left in, can the drives move it.

use crate::description::{Description, JointDescription, LinkDescription, PartDescription, Shape};
use crate::findings::{self, Finding};
use armdyn::dense::eigenvalues;
use armdyn::{Friction, Inertia, JointKind, Sym3, Vec3, vec3};
use std::collections::BTreeMap;

/// Everything that is odd about a robot's figures.
pub fn check(robot: &Description) -> Vec<Finding> {
    let mut found = vec![];
    for link in &robot.links {
        for part in &link.parts {
            check_part(link, part, &mut found);
        }
        check_against_geometry(link, &mut found);
    }
    check_moving_links(robot, &mut found);
    check_placeholders(robot, &mut found);
    check_sides(robot, &mut found);
    for joint in &robot.joints {
        check_drive(joint, &mut found);
    }
    if robot.joints.iter().all(|j| j.kind == JointKind::Fixed) {
        found.push(Finding::whole(findings::A109, format!("`{}` has no joint that moves", robot.name)));
    }
    found
}

/// Principal moments of a tensor, ascending.
fn principal_moments(tensor: &Sym3<f64>) -> [f64; 3] {
    let mut values = eigenvalues(&mut tensor.to_rows().concat(), 3);
    values.sort_by(f64::total_cmp);
    [values[0], values[1], values[2]]
}

fn of_link(link: &LinkDescription, part: &PartDescription) -> String {
    if part.name == link.name {
        format!("link `{}`", link.name)
    } else {
        format!("link `{}`, part `{}`", link.name, part.name)
    }
}

fn check_part(link: &LinkDescription, part: &PartDescription, found: &mut Vec<Finding>) {
    let (who, i) = (of_link(link, part), &part.inertia);
    if i.components().iter().any(|x| !x.is_finite()) {
        return found.push(Finding::at(
            findings::A202,
            &part.place,
            format!("{who}: mass, centre or inertia is not finite"),
        ));
    }
    if i.mass < 0.0 {
        return found.push(Finding::at(findings::A201, &part.place, format!("{who} has a mass of {} kg", i.mass)));
    }
    if i.mass == 0.0 {
        if i.second.trace() != 0.0 {
            found.push(Finding::at(findings::A212, &part.place, format!("{who} has inertia but no mass")));
        }
        return;
    }
    let central = i.central();
    let [a, b, c] = principal_moments(&central);
    // What is left of I_O − m c² by rounding.
    let rounding = 1e-12 * i.second.trace().abs();
    let told = format!("{who}: principal moments {a:.4e}, {b:.4e}, {c:.4e} kg m² about the centre of mass");
    if a < -rounding {
        found.push(Finding::at(findings::A203, &part.place, format!("{told}; the least is negative")));
    } else if a + b < c * (1.0 - 1e-6) - rounding {
        let what = format!("{told}; the largest is {:.3} times the sum of the others", c / (a + b));
        found.push(Finding::at(findings::A204, &part.place, what));
    }
}

/// A box, in the link's frame, that holds all shapes.
fn bounds(shapes: &[Shape]) -> Option<(Vec3<f64>, Vec3<f64>)> {
    let mut around: Option<(Vec3<f64>, Vec3<f64>)> = None;
    for shape in shapes.iter().filter(|s| s.size.iter().all(|x| x.is_finite() && *x > 0.0)) {
        for corner in 0..8 {
            let sign = |k: usize| if corner >> k & 1 == 0 { -0.5 } else { 0.5 };
            let p = shape.pose.point(vec3(sign(0) * shape.size[0], sign(1) * shape.size[1], sign(2) * shape.size[2]));
            let (lo, hi) = around.unwrap_or((p, p));
            let each = |f: fn(f64, f64) -> f64, a: Vec3<f64>| vec3(f(a.x, p.x), f(a.y, p.y), f(a.z, p.z));
            around = Some((each(f64::min, lo), each(f64::max, hi)));
        }
    }
    around
}

/// Centre and radii of gyration against the size of the geometry.
fn check_against_geometry(link: &LinkDescription, found: &mut Vec<Finding>) {
    let Some((lo, hi)) = bounds(&link.shapes) else { return };
    let place = link.parts.first().map_or(&link.place, |p| &p.place);
    let total = link.parts.iter().fold(Inertia::zero(), |sum, p| sum + p.inertia);
    if !(total.mass > 0.0 && total.components().iter().all(|x| x.is_finite())) {
        return;
    }
    let (size, c) = ((hi - lo).norm(), total.centre());
    let outside = |x: f64, lo: f64, hi: f64| (lo - x).max(x - hi).max(0.0);
    let off = vec3(outside(c.x, lo.x, hi.x), outside(c.y, lo.y, hi.y), outside(c.z, lo.z, hi.z)).norm();
    let name = &link.name;
    if off > 0.5 * size {
        let told = format!(
            "link `{name}`: its centre of mass lies {off:.4} m outside its geometry, which is {size:.4} m large"
        );
        found.push(match power_of_ten(c.norm(), 0.5 * size) {
            Some(factor) => Finding::at(findings::A207, place, format!("{told}: off by {factor}?")),
            None => Finding::at(findings::A205, place, told),
        });
    }
    let [_, _, largest] = principal_moments(&total.central());
    let radius = (largest.max(0.0) / total.mass).sqrt();
    // A body within a box of diagonal s has every radius of gyration within s/2; a thin one has at least one of some size.
    if radius > 0.5 * size * 1.05 {
        let told = format!("link `{name}`: its radius of gyration is {radius:.4} m, its geometry {size:.4} m large");
        // If it was taken about the frame's origin, m c² is in it once too often.
        let less = principal_moments(&(total.central() - Sym3::shift(total.first * 0.5, c)));
        let fits = less[0] > -1e-6 * largest && (less[2] / total.mass).sqrt() <= 0.5 * size;
        found.push(match power_of_ten(radius * radius, size * size / 12.0) {
            Some(factor) => Finding::at(findings::A207, place, format!("{told}: is the inertia off by {factor}?")),
            None if fits => Finding::at(findings::A208, place, told),
            None => Finding::at(findings::A206, place, told),
        });
    } else if largest > 0.0 && radius < 0.005 * size {
        let told = format!("link `{name}`: its radius of gyration is {radius:.2e} m, its geometry {size:.4} m large");
        found.push(Finding::at(findings::A206, place, told));
    }
}

/// `found` is about a thousand, a million … times `expected`.
fn power_of_ten(found: f64, expected: f64) -> Option<&'static str> {
    let ratio = found / expected;
    [(1e2, 3e2, "100"), (3e2, 3e3, "1000"), (3e5, 3e6, "1e6")]
        .into_iter()
        .find(|(lo, hi, _)| (*lo..*hi).contains(&ratio))
        .map(|(_, _, told)| told)
}

/// Links that move without inertia, and joints that therefore move none.
fn check_moving_links(robot: &Description, found: &mut Vec<Finding>) {
    let order = robot.tree();
    let number: BTreeMap<&str, usize> = robot.links.iter().enumerate().map(|(k, l)| (l.name.as_str(), k)).collect();
    // What hangs on each link, itself included.
    let mut carried: Vec<Inertia<f64>> =
        robot.links.iter().map(|l| l.parts.iter().fold(Inertia::zero(), |sum, p| sum + p.inertia)).collect();
    for &(link, joint) in order.iter().rev() {
        let Some(joint) = joint.map(|j| &robot.joints[j]) else { continue };
        let here = carried[link];
        let moves = joint.kind != JointKind::Fixed;
        let driven = joint.drives.iter().any(|d| d.armature > 0.0 || d.rotor.is_some_and(|r| r.inertia > 0.0));
        if moves && !driven && here.mass == 0.0 && here.second.trace() == 0.0 {
            let what = format!(
                "joint `{}` moves no mass: neither link `{}` nor what hangs on it has any",
                joint.name, joint.child
            );
            found.push(Finding::at(findings::A210, &joint.place, what));
        } else if moves && robot.links[link].parts.is_empty() && here.mass > 0.0 && !fixed_mass(robot, &joint.child) {
            let what = format!("link `{}` moves, but has no inertia of its own", joint.child);
            found.push(Finding::at(findings::A213, &robot.links[link].place, what));
        }
        if let Some(&parent) = number.get(joint.parent.as_str()) {
            carried[parent].mass += here.mass;
            carried[parent].second = carried[parent].second + here.second;
        }
    }
}

/// Whether a link that is fixed to this one has a part: both are one body.
fn fixed_mass(robot: &Description, link: &str) -> bool {
    let fixed = robot.joints.iter().filter(|j| j.kind == JointKind::Fixed && j.parent == link);
    fixed.into_iter().any(|j| robot.links.iter().any(|l| l.name == j.child && !l.parts.is_empty()))
}

/// Three links or more with one and the same mass and tensor.
fn check_placeholders(robot: &Description, found: &mut Vec<Finding>) {
    let mut same: BTreeMap<[u64; 7], Vec<&LinkDescription>> = BTreeMap::new();
    for link in robot.links.iter().filter(|l| l.parts.len() == 1 && l.parts[0].inertia.mass > 0.0) {
        let i = &link.parts[0].inertia;
        let t = i.central();
        // Twelve digits: the tensor about the centre was subtracted from that about the origin.
        let key = [i.mass, t.xx, t.xy, t.xz, t.yy, t.yz, t.zz]
            .map(|x| format!("{x:.9e}").parse::<f64>().unwrap_or(x).to_bits());
        same.entry(key).or_default().push(link);
    }
    for links in same.values().filter(|l| l.len() >= 3) {
        let names: Vec<String> = links.iter().map(|l| format!("`{}`", l.name)).collect();
        let what = format!("links {} have one and the same mass and inertia", names.join(", "));
        found.push(Finding::at(findings::A209, &links[1].parts[0].place, what));
    }
}

/// Mirrored names whose figures differ.
fn check_sides(robot: &Description, found: &mut Vec<Finding>) {
    let sides = [("left", "right"), ("Left", "Right"), ("_l_", "_r_"), ("LEFT", "RIGHT")];
    for link in &robot.links {
        for (left, right) in sides.iter().filter(|(left, _)| link.name.contains(left)) {
            let other = link.name.replace(left, right);
            let Some(mirrored) = robot.links.iter().find(|l| l.name == other) else { continue };
            let total = |l: &LinkDescription| l.parts.iter().fold(Inertia::zero(), |sum, p| sum + p.inertia);
            let (a, b) = (total(link), total(mirrored));
            let differ = |x: f64, y: f64| (x - y).abs() > 0.01 * x.abs().max(y.abs());
            let place = mirrored.parts.first().map_or(&mirrored.place, |p| &p.place);
            if differ(a.mass, b.mass) {
                let what = format!("`{}` has {} kg, `{other}` {} kg", link.name, a.mass, b.mass);
                found.push(Finding::at(findings::A211, place, what));
            } else if a.mass > 0.0 {
                let (p, q) = (principal_moments(&a.central()), principal_moments(&b.central()));
                if (0..3).any(|k| (p[k] - q[k]).abs() > 0.02 * p[2].abs().max(q[2].abs())) {
                    let what = format!(
                        "`{}` and `{other}` have other principal moments: {p:.3?} and {q:.3?} kg m²",
                        link.name
                    );
                    found.push(Finding::at(findings::A211, place, what));
                }
            }
        }
    }
}

fn check_drive(joint: &JointDescription, found: &mut Vec<Finding>) {
    if joint.kind == JointKind::Fixed {
        return;
    }
    let mut put =
        |code, what: &str| found.push(Finding::at(code, &joint.place, format!("joint `{}` {what}", joint.name)));
    if joint.drives.is_empty() {
        put(findings::A305, "has no limits");
        return put(findings::A302, "has no friction");
    }
    for d in &joint.drives {
        let l = &d.limits;
        let Friction { viscous, coulomb_forward, coulomb_backward, stribeck, .. } = d.friction;
        let rotor = d.rotor.map_or(0.0, |r| r.inertia);
        if [viscous, coulomb_forward, coulomb_backward, stribeck, d.armature, rotor].iter().any(|x| *x < 0.0) {
            put(findings::A306, "has a negative friction or drive inertia");
        } else if d.friction == Friction::none() {
            put(findings::A302, "has no friction");
        }
        if l.lower > l.upper {
            put(findings::A304, &format!("has a lower limit of {} above its upper, {}", l.lower, l.upper));
        }
        if l.effort == 0.0 {
            put(findings::A301, "has an effort limit of 0");
        }
        if l.speed == 0.0 {
            put(findings::A303, "has a speed limit of 0");
        }
        if [l.lower, l.upper, l.speed, l.effort].iter().all(|x| x.is_infinite()) {
            put(findings::A305, "has no limits");
        }
    }
}
