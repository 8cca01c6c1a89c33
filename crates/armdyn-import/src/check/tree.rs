//! The tree of a robot's links: what all checks share.

use crate::description::{Description, JointDescription, LinkDescription};
use armdyn_core::{Inertia, JointKind, Transform};
use std::collections::HashMap;

/// The sum of a link's parts, about the origin of its frame.
pub(super) fn total(link: &LinkDescription) -> Inertia<f64> {
    link.parts.iter().fold(Inertia::zero(), |sum, p| sum + p.inertia)
}

/// Whether a link has a mass, and finite parameters.
pub(super) fn is_sound(inertia: &Inertia<f64>) -> bool {
    inertia.mass > 0.0 && inertia.components().iter().all(|x| x.is_finite())
}

/// A robot's links and joints as a tree.
pub(super) struct Tree<'a> {
    pub robot: &'a Description,
    /// Links with parents before children, each with its parent link and the joint that moves it.
    pub order: Vec<(usize, Option<(usize, &'a JointDescription)>)>,
    /// The sum of each link's parts.
    pub inertia: Vec<Inertia<f64>>,
    /// The robot's mass \[kg\].
    pub mass: f64,
    /// Number of moving joints between the base and each link; 0 if it is fixed to the base.
    pub depth: Vec<usize>,
    /// The longest chain of joints from the base \[m\].
    pub reach: f64,
    /// The longest chain from each link to the ends \[m\].
    pub below: Vec<f64>,
    number: HashMap<&'a str, usize>,
    children: HashMap<&'a str, Vec<&'a JointDescription>>,
}

impl<'a> Tree<'a> {
    pub fn new(robot: &'a Description) -> Self {
        let number: HashMap<&str, usize> = robot.links.iter().enumerate().map(|(k, l)| (l.name.as_str(), k)).collect();
        let mut children: HashMap<&str, Vec<&JointDescription>> = HashMap::new();
        robot.joints.iter().for_each(|j| children.entry(&j.parent).or_default().push(j));
        let joint = |j: usize| (number[robot.joints[j].parent.as_str()], &robot.joints[j]);
        let order: Vec<_> = robot.tree().into_iter().map(|(link, j)| (link, j.map(joint))).collect();
        let (mut below, mut depth) = (vec![0.0_f64; robot.links.len()], vec![0; robot.links.len()]);
        for &(link, joint) in order.iter().rev() {
            // A free joint places the robot in the world.
            let Some((parent, j)) = joint.filter(|(_, j)| j.kind != JointKind::Free) else { continue };
            let length = j.placement.translation.norm();
            if length.is_finite() {
                below[parent] = below[parent].max(length + below[link]);
            }
        }
        for &(link, joint) in &order {
            depth[link] = joint.map_or(0, |(parent, j)| depth[parent] + usize::from(j.kind != JointKind::Fixed));
        }
        let inertia: Vec<Inertia<f64>> = robot.links.iter().map(total).collect();
        let mass = inertia.iter().map(|i| i.mass).filter(|m| m.is_finite()).sum();
        let reach = below.iter().copied().fold(0.0, f64::max);
        Tree { robot, order, inertia, mass, depth, reach, below, number, children }
    }

    /// The number of a link.
    pub fn link(&self, name: &str) -> Option<usize> {
        self.number.get(name).copied()
    }

    /// The joints below a link.
    pub fn children(&self, link: &str) -> impl Iterator<Item = &'a JointDescription> + use<'_, 'a> {
        self.children.get(link).into_iter().flatten().copied()
    }

    /// For each link, the inertia of its rigid body (the links that fixed joints connect), in the frame of the body's first link; and whether
    /// the body has several parts.
    pub fn bodies(&self) -> Vec<(Inertia<f64>, bool)> {
        let links = &self.robot.links;
        let mut first: Vec<(usize, Transform<f64>)> = (0..links.len()).map(|k| (k, Transform::identity())).collect();
        for &(link, joint) in &self.order {
            if let Some((parent, joint)) = joint.filter(|(_, j)| j.kind == JointKind::Fixed) {
                let (body, pose) = first[parent];
                first[link] = (body, pose.compose(&joint.placement));
            }
        }
        let mut bodies = vec![(Inertia::zero(), 0); links.len()];
        for (k, (body, pose)) in first.iter().enumerate() {
            bodies[*body].0 += self.inertia[k].transformed(pose);
            bodies[*body].1 += links[k].parts.len();
        }
        first.iter().map(|(body, _)| (bodies[*body].0, bodies[*body].1 > 1)).collect()
    }
}
