//! Moving links without inertia, and joints that move no inertia.

use super::tree::Tree;
use crate::description::{Description, JointDescription, LinkDescription};
use crate::findings::{self, Finding};
use armdyn_core::{CrbaData, JointKind, crba};
use std::collections::{HashMap, HashSet};

/// Largest number of degrees of freedom for which the mass matrix is computed.
const MAX_DOFS: usize = 1000;

/// Checks all moving links.
pub(super) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    let robot = tree.robot;
    // Inertia of the subtree of each link, itself included.
    let mut subtree = tree.inertia.clone();
    let mut idle = vec![];
    for &(link, joint) in tree.order.iter().rev() {
        let Some((parent, joint)) = joint else { continue };
        let here = subtree[link];
        let moves = joint.kind != JointKind::Fixed;
        let driven = joint.drives.iter().any(|d| d.armature > 0.0 || d.rotor.is_some_and(|r| r.inertia > 0.0));
        if moves && !driven && here.mass == 0.0 && here.second.trace() == 0.0 {
            idle.push(joint);
        } else if moves && robot.links[link].parts.is_empty() && here.mass > 0.0 {
            // A link fixed to this one belongs to the same body.
            let mut fixed = tree.children(&joint.child).filter(|j| j.kind == JointKind::Fixed);
            let with_mass = fixed.any(|j| tree.link(&j.child).is_some_and(|k| !robot.links[k].parts.is_empty()));
            if !with_mass && !only_separates_axes(&robot.links[link], tree) {
                let message = format!("link `{}` moves but has no inertia", joint.child);
                findings.push(Finding::at(findings::A213, &robot.links[link].place, message));
            }
        }
        subtree[parent].mass += here.mass;
        subtree[parent].second += here.second;
    }
    // Joints that follow one another move together: one of them with a mass is enough.
    let leaders = leaders(robot);
    let names: HashSet<&str> = idle.iter().map(|j| j.name.as_str()).collect();
    let heavy: HashSet<&str> =
        leaders.iter().filter(|(name, _)| !names.contains(*name)).map(|(_, leader)| *leader).collect();
    idle.retain(|j| !leaders.get(j.name.as_str()).is_some_and(|leader| heavy.contains(leader)));
    without_mass(robot, &idle, findings);
    points_on_axes(robot, &idle.iter().map(|j| j.name.as_str()).collect(), findings);
}

/// The independent joint of each joint that moves: its own, or the one that it follows.
fn leaders(robot: &Description) -> HashMap<&str, &str> {
    let mimics: HashMap<&str, &str> =
        robot.joints.iter().filter_map(|j| Some((j.name.as_str(), j.mimic.as_ref()?.joint.as_str()))).collect();
    let mut found: HashMap<&str, &str> = HashMap::new();
    for joint in robot.joints.iter().filter(|j| j.kind != JointKind::Fixed) {
        let (mut chain, mut at) = (vec![], joint.name.as_str());
        while let (None, Some(next)) = (found.get(at), mimics.get(at)) {
            chain.push(at);
            // A loop of mimic joints is refused when the model is built.
            if chain.len() > robot.joints.len() {
                break;
            }
            at = next;
        }
        let leader = found.get(at).copied().unwrap_or(at);
        found.extend(chain.into_iter().chain([joint.name.as_str()]).map(|name| (name, leader)));
    }
    found
}

/// Reports joints that move no mass; once, if this is true of all joints.
fn without_mass(robot: &Description, idle: &[&JointDescription], findings: &mut Vec<Finding>) {
    let moving = robot.joints.iter().filter(|j| j.kind != JointKind::Fixed).count();
    if let [.., first] = idle
        && idle.len() == moving
        && moving > 1
    {
        let message = format!("none of the {moving} joints moves a mass: all moving links are massless");
        return findings.push(Finding::at(findings::A210, &first.place, message));
    }
    for joint in idle {
        let (name, child) = (&joint.name, &joint.child);
        let message = format!("joint `{name}` moves no mass: link `{child}` and its descendants are massless");
        findings.push(Finding::at(findings::A210, &joint.place, message));
    }
}

/// Whether a link only separates two joints that form one joint with several axes: it has no shape, and the next joint has the
/// same origin.
fn only_separates_axes(link: &LinkDescription, tree: &Tree) -> bool {
    let mut moving = tree.children(&link.name).filter(|j| j.kind != JointKind::Fixed);
    let here = moving.next().is_some_and(|j| j.placement.translation.norm() == 0.0);
    link.shapes.is_empty() && here && moving.next().is_none()
}

/// Reports joints that carry only point masses on their own axis.
fn points_on_axes(robot: &Description, reported: &HashSet<&str>, findings: &mut Vec<Finding>) {
    let free: usize = robot.joints.iter().map(|j| j.kind.axes().len()).sum();
    let Some(model) = Some(robot).filter(|_| free <= MAX_DOFS).and_then(|r| r.model().ok()) else { return };
    let places: HashMap<&str, _> = robot.joints.iter().map(|j| (j.name.as_str(), &j.place)).collect();
    let (n, mut q) = (model.nv(), vec![0.0; model.nq()]);
    let (mut mass, mut seed) = (vec![0.0; n * n], 0.5);
    // A generic configuration.
    let uniform = || {
        seed = (seed + 0.618_033_988_749_895) % 1.0;
        seed
    };
    if model.random(uniform, &mut q).is_err() || crba(&model, &mut CrbaData::new(&model), &q, &mut mass).is_err() {
        return;
    }
    let largest = (0..n).fold(0.0_f64, |top, v| top.max(mass[v * n + v]));
    for joint in model.joints().iter().filter(|j| !reported.contains(j.name.as_str())) {
        // Rounding leaves about 1e-16 of the largest element.
        if joint.v.clone().any(|v| mass[v * n + v] <= 1e-15 * largest)
            && let Some(place) = places.get(joint.name.as_str())
        {
            let message = format!(
                "joint `{}` moves only point masses on its own axis, which have no inertia about it",
                joint.name
            );
            findings.push(Finding::at(findings::A210, place, message));
        }
    }
}
