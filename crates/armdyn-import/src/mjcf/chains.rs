//! The joints of a body as a chain: one joint per link, with massless links between them.

use super::Mjcf;
use super::joints::JointRead;
use crate::findings::*;
use crate::source::Place;
use crate::xml::Element;
use crate::{JointDescription, LinkDescription, PartDescription};
use armdyn_core::{Inertia, JointKind, Real, Rotation, Transform, Vec3};

impl Mjcf<'_, '_> {
    /// Adds the joints of a body, in sequence, between `parent` and the body.
    pub fn joints(&mut self, parent: &str, body: &str, at: Transform<f64>, joints: &[JointRead], e: &Element) {
        if joints.is_empty() {
            self.r.report(A503, &e.place, format!("body `{body}` has no joint: it is fixed to `{parent}`"));
            return self.fixed(format!("{body}/fixed"), &e.place, parent, body, at);
        }
        self.check_joints(parent, body, &at, joints, e);
        let (mut parent, mut at) = (parent.to_string(), at);
        for (k, j) in joints.iter().enumerate() {
            let (placement, anchor) = match j.kind {
                JointKind::Free => (Transform::identity(), Vec3::zero()),
                JointKind::Prismatic { axis } => {
                    (at.compose(&Transform::from_translation(Vec3::lift(axis) * -j.reference)), Vec3::zero())
                }
                JointKind::Revolute { axis } => {
                    let back = Rotation::about(Vec3::lift(axis), Real::sin_cos(-j.reference));
                    (at.compose(&Transform::new(back, j.anchor)), j.anchor)
                }
                _ => (at.compose(&Transform::from_translation(j.anchor)), j.anchor),
            };
            let last = k + 1 == joints.len();
            let there = anchor == Vec3::zero();
            let child = if last && there {
                body.to_string()
            } else {
                let inner = j.name.strip_prefix(&format!("{body}/")).unwrap_or(&j.name);
                self.link_between(format!("{body}/{inner}"), &j.place)
            };
            let drives = match j.kind {
                JointKind::Free => vec![j.drive; 6],
                JointKind::Spherical => vec![j.drive; 3],
                _ => vec![j.drive],
            };
            let fixed = JointDescription::fixed(j.name.clone(), &j.place, &parent, &child, placement);
            self.robot.joints.push(JointDescription { kind: j.kind, drives, ..fixed });
            parent = child.clone();
            at = Transform::from_translation(-anchor);
            if last && !there {
                self.fixed(format!("{}/back", j.name), &j.place, &child, body, at);
            }
        }
    }

    /// Reports combinations of joints that MuJoCo rejects.
    fn check_joints(&mut self, parent: &str, body: &str, at: &Transform<f64>, joints: &[JointRead], e: &Element) {
        let kinds = || joints.iter().map(|j| j.kind);
        if let Some(free) = joints.iter().find(|j| j.kind == JointKind::Free) {
            let wrong = if parent != self.robot.links[0].name {
                Some("a free joint is only allowed at the top level of the world")
            } else if joints.len() > 1 {
                Some("a free joint must be the only joint of its body")
            } else {
                None
            };
            match wrong {
                Some(why) => self.r.report(A005, &free.place, format!("body `{body}`: {why}")),
                None if *at != Transform::identity() => {
                    let message = format!("body `{body}` has a free joint: its initial pose is ignored");
                    self.r.report(A502, &e.place, message);
                }
                None => {}
            }
        }
        let turns = |k: &JointKind| matches!(k, JointKind::Spherical | JointKind::Revolute { .. });
        if kinds().skip_while(|k| *k != JointKind::Spherical).filter(turns).count() > 1 {
            let message = format!("body `{body}`: a ball joint followed by a rotational joint is not allowed");
            self.r.report(A005, &e.place, message);
        }
    }

    /// A massless link between two joints.
    fn link_between(&mut self, name: String, place: &Place) -> String {
        let name = self.names.links.fresh(name);
        // A zero part marks the link as intentionally massless.
        let nothing = PartDescription { name: name.clone(), place: place.clone(), inertia: Inertia::zero() };
        self.robot.links.push(LinkDescription { parts: vec![nothing], ..LinkDescription::massless(&name, place) });
        name
    }

    fn fixed(&mut self, name: String, place: &Place, parent: &str, child: &str, placement: Transform<f64>) {
        let name = self.names.joints.fresh(name);
        self.robot.joints.push(JointDescription::fixed(name, place, parent, child, placement));
    }
}
