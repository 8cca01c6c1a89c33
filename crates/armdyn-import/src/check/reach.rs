//! Comparisons with the distances between joints, which every robot has: centres of mass, inertias and masses of links, the total
//! mass, and limits of velocity and effort.
//!
//! Limits of one significant digit (100, 1000, 50000) are placeholders for "none", and are not compared.

use super::neighbours::{self, WHOLE_DENSITY};
use super::solid::Solid;
use super::tree::{Tree, is_sound};
use crate::description::{Description, JointDescription, PartDescription};
use crate::findings::{self, Finding};
use crate::message::{number, quoted};
use armdyn_core::JointKind;
use std::collections::{BTreeSet, HashSet};

/// Smallest reach with which something is compared \[m\]: below it the shapes, not the joints, determine the size.
const MIN_REACH: f64 = 0.1;

/// Largest centre of mass, in reaches. Public files have up to 0.9.
const MAX_CENTRE: f64 = 2.0;

/// Largest radius of gyration, in reaches: with the inertia in kg mm² it is 1000 times too large. Public files, with
/// placeholders of 1 kg m², have up to 16.
const MAX_RADIUS: f64 = 20.0;

/// Smallest and largest mass per cube of the reach \[kg/m³\], of robots with more than two joints and a reach of 0.3 m. Public
/// files have 0.15 (an arm of 2 kg per link and 3 m) … 270.
const MASS: (f64, f64) = (0.02, 3000.0);

/// A link this many times as heavy as any other, and moved by two joints or more. Public files have up to 16 (a mobile base).
const OUTLIER: f64 = 20.0;

/// Smallest density of such a link, if it has meshes \[kg/m³\].
const DENSE: f64 = 5000.0;

/// Largest speed of the farthest joint that one joint moves \[m/s\]. Public files have up to 50.
const MAX_SPEED: f64 = 60.0;

/// Largest velocity limit relative to the median of all, from 15 rad/s on. Public files have up to 5.
const MAX_SPEED_RATIO: f64 = 20.0;

/// Largest effort relative to the weight of the robot at its full reach, from 500 N m on. Public files have up to 10.
const MAX_EFFORT: (f64, f64) = (30.0, 500.0);

/// Checks all links and joints.
pub(super) fn check(tree: &Tree, solids: &[Option<&Solid>], findings: &mut Vec<Finding>) {
    if tree.reach < MIN_REACH {
        return;
    }
    links(tree, solids, findings);
    velocities(tree, findings);
    efforts(tree, findings);
}

/// Whether a value is below the first limit or above the second one.
fn beyond(x: f64, (least, most): (f64, f64)) -> bool {
    x < least || x > most
}

fn links(tree: &Tree, solids: &[Option<&Solid>], findings: &mut Vec<Finding>) {
    let reported: HashSet<_> = findings.iter().filter_map(|f| f.place.clone()).collect();
    let is_reported = |part: &PartDescription| reported.contains(&part.place);
    let (robot, inertias) = (tree.robot, &tree.inertia);
    let heaviest = (0..inertias.len()).max_by(|&a, &b| inertias[a].mass.total_cmp(&inertias[b].mass));
    let others = |k: usize| (0..inertias.len()).filter(|&i| i != k).map(|i| inertias[i].mass).fold(0.0, f64::max);
    // A body that is fixed to the base moves with no joint: its own shapes are enough.
    let compared = |k: usize| tree.depth[k] > 0 || solids[k].is_none();
    for (k, link) in robot.links.iter().enumerate().filter(|(k, _)| compared(*k)) {
        let inertia = &inertias[k];
        // What the comparison with the mesh has found is not repeated.
        let Some(part) = link.parts.first().filter(|p| !is_reported(p)) else { continue };
        if !is_sound(inertia) {
            continue;
        }
        let mut put = |what: String, unit: &str| {
            let message = format!("link `{}`: {what}; {unit}?", link.name);
            findings.push(Finding::at(findings::A207, &part.place, message));
        };
        let reach = number(tree.reach);
        let distance = inertia.centre().norm();
        if distance > MAX_CENTRE * tree.reach {
            put(
                format!("the centre of mass is {} m from its origin, the robot's reach is {reach} m", number(distance)),
                "is it in mm",
            );
        }
        let radius = (inertia.central().eigenvalues()[2].max(0.0) / inertia.mass).sqrt();
        if radius > MAX_RADIUS * tree.reach {
            put(
                format!("the radius of gyration is {} m, the robot's reach is {reach} m", number(radius)),
                "is the tensor in kg mm²",
            );
        }
        let dense = solids[k].and_then(|s| s.hull).is_none_or(|hull| inertia.mass > DENSE * hull.mass);
        if Some(k) == heaviest && tree.depth[k] >= 2 && dense && inertia.mass > OUTLIER * others(k) && others(k) > 0.0 {
            let [mass, next] = [inertia.mass, others(k)].map(number);
            put(format!("the mass is {mass} kg, that of every other link at most {next} kg"), "is it in grams");
        }
    }
    let moving = (0..inertias.len()).filter(|&k| tree.depth[k] > 0).map(|k| inertias[k].mass);
    let whole: f64 = moving.filter(|m| m.is_finite()).sum();
    let joints = robot.joints.iter().filter(|j| j.kind != JointKind::Fixed).count();
    let per_reach = whole / tree.reach.powi(3);
    let by_reach = |limits: (f64, f64)| joints > 2 && tree.reach > 0.3 && whole > 0.0 && beyond(per_reach, limits);
    let wrong = match neighbours::whole(tree, solids) {
        Some((mass, volume, median)) => {
            let wrong = beyond(mass / volume, WHOLE_DENSITY) && beyond(median, WHOLE_DENSITY);
            wrong.then(|| (mass, format!("in {} litres", number(volume * 1e3)), median > WHOLE_DENSITY.1))
        }
        None if by_reach(MASS) => {
            Some((whole, format!("within a reach of {} m", number(tree.reach)), per_reach > MASS.1))
        }
        None => None,
    };
    if let Some((mass, size, heavy)) = wrong {
        let unit = if heavy { "grams" } else { "tonnes" };
        let message = format!("`{}` has {} kg {size}; are the masses in {unit}?", robot.name, number(mass));
        let part = heaviest.and_then(|k| robot.links[k].parts.first());
        findings.push(match part {
            Some(part) => Finding::at(findings::A207, &part.place, message),
            None => Finding::of_file(findings::A207, message),
        });
    }
}

/// Revolute joints with a limit, and their child link.
fn limited(robot: &Description, limit: fn(&JointDescription) -> Option<f64>) -> Vec<(&JointDescription, f64)> {
    let revolute = robot.joints.iter().filter(|j| matches!(j.kind, JointKind::Revolute { .. }));
    revolute.filter_map(|j| Some((j, limit(j).filter(|x| x.is_finite() && *x > 0.0)?))).collect()
}

/// Whether a number has one significant digit.
fn is_round(x: f64) -> bool {
    format!("{x:.0e}").parse() == Ok(x)
}

fn report(joints: &[(&JointDescription, f64)], message: impl Fn(&str, f64) -> String, findings: &mut Vec<Finding>) {
    if let Some((first, value)) = joints.iter().max_by(|a, b| a.1.total_cmp(&b.1)) {
        let names: Vec<&str> = joints.iter().map(|(j, _)| j.name.as_str()).collect();
        findings.push(Finding::at(findings::A207, &first.place, message(&quoted(&names), *value)));
    }
}

fn velocities(tree: &Tree, findings: &mut Vec<Finding>) {
    let all = limited(tree.robot, |j| Some(j.drives.first()?.limits.speed));
    let mut sorted: Vec<f64> = all.iter().map(|(_, v)| *v).collect();
    sorted.sort_by(f64::total_cmp);
    let median = sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(0.0);
    let below = |j: &JointDescription| tree.link(&j.child).map_or(0.0, |k| tree.below[k]);
    let fast = |j: &JointDescription, v: f64| {
        v * below(j) > MAX_SPEED || (sorted.len() > 2 && v > 15.0 && v > MAX_SPEED_RATIO * median)
    };
    let wrong: Vec<_> = all.into_iter().filter(|&(j, v)| !is_round(v) && fast(j, v)).collect();
    let message = |names: &str, v: f64| {
        format!(
            "the velocity limit of {names} is up to {} rad/s, with a reach of {} m; is it in degrees per second?",
            number(v),
            number(tree.reach)
        )
    };
    report(&wrong, message, findings);
}

fn efforts(tree: &Tree, findings: &mut Vec<Finding>) {
    if tree.mass <= 0.0 {
        return;
    }
    let all = limited(tree.robot, |j| Some(j.drives.first()?.limits.effort.upper));
    let different =
        |list: &[(&JointDescription, f64)]| list.iter().map(|j| j.1.to_bits()).collect::<BTreeSet<_>>().len();
    let several = different(&all) > 1;
    let weight = 9.81 * tree.mass * tree.reach;
    let mut wrong: Vec<_> = all.into_iter().filter(|j| j.1 > MAX_EFFORT.1.max(MAX_EFFORT.0 * weight)).collect();
    // Several different round values are not a placeholder; one value for all joints is.
    if different(&wrong) < 3 {
        wrong.retain(|j| several && !is_round(j.1));
    }
    let message = |names: &str, x: f64| {
        format!(
            "the effort limit of {names} is up to {} N m; the weight of the robot at its full reach is {} N m; is it in N mm?",
            number(x),
            number(weight)
        )
    };
    report(&wrong, message, findings);
}
