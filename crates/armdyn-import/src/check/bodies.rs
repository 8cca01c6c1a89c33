//! Rigid bodies: links that fixed joints connect, and their total inertia.

use crate::description::{Description, LinkDescription};
use armdyn_core::{Inertia, JointKind, Transform};
use std::collections::HashMap;

/// The sum of a link's parts, about the origin of its frame.
pub(super) fn total(link: &LinkDescription) -> Inertia<f64> {
    link.parts.iter().fold(Inertia::zero(), |sum, p| sum + p.inertia)
}

/// For each link, the first link of its body and the pose in that link's frame.
fn firsts(robot: &Description) -> Vec<(usize, Transform<f64>)> {
    let number: HashMap<&str, usize> = robot.links.iter().enumerate().map(|(k, l)| (l.name.as_str(), k)).collect();
    let mut first: Vec<(usize, Transform<f64>)> = (0..robot.links.len()).map(|k| (k, Transform::identity())).collect();
    for (link, joint) in robot.tree() {
        let Some(joint) = joint.map(|j| &robot.joints[j]).filter(|j| j.kind == JointKind::Fixed) else { continue };
        let Some(&parent) = number.get(joint.parent.as_str()) else { continue };
        let (body, pose) = first[parent];
        first[link] = (body, pose.compose(&joint.placement));
    }
    first
}

/// For each link, the inertia of its whole body, in the frame of the body's first link; and whether the body has several parts.
pub(super) fn lumped(robot: &Description) -> Vec<(Inertia<f64>, bool)> {
    let first = firsts(robot);
    let mut bodies = vec![(Inertia::zero(), 0); robot.links.len()];
    for (link, (body, pose)) in robot.links.iter().zip(&first) {
        bodies[*body].0 += total(link).transformed(pose);
        bodies[*body].1 += link.parts.len();
    }
    first.iter().map(|(body, _)| (bodies[*body].0, bodies[*body].1 > 1)).collect()
}

/// For each link, whether it is fixed to the base.
pub(super) fn on_base(robot: &Description) -> Vec<bool> {
    let base = robot.tree().first().map(|(root, _)| *root);
    firsts(robot).iter().map(|(body, _)| Some(*body) == base).collect()
}
