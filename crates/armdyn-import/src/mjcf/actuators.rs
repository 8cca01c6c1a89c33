//! Actuators: effort limits, armature and damping, reflected through the gear.
//!
//! An actuator's force f acts on its joint as gear · f; its velocity is gear · q̇. So its armature is a rotor inertia behind
//! that gear, and its damping is multiplied by gear². Its force is clamped to `forcerange`, and with a fixed gain it is gain
//! times a control within `ctrlrange`: an interval, which a negative gear reverses. The intervals of several actuators on one joint
//! add up; the sum is clamped to the joint's `actuatorfrcrange`.

use super::Mjcf;
use super::defaults::ACTUATORS;
use crate::findings::*;
use crate::message::short;
use crate::xml::Element;
use armdyn_core::{EffortRange, Rotor};
use std::collections::BTreeMap;

/// Attributes that are used.
pub(super) const USED: &[&str] = &[
    "name",
    "class",
    "joint",
    "jointinparent",
    "gear",
    "armature",
    "damping",
    "forcerange",
    "forcelimited",
    "ctrlrange",
    "ctrllimited",
    "gaintype",
    "gainprm",
    "biastype",
];

impl Mjcf<'_, '_> {
    /// Reads all `<actuator>` sections.
    pub fn actuators(&mut self, root: &Element) {
        let mut efforts: BTreeMap<usize, EffortRange> = BTreeMap::new();
        for own in root.children.iter().filter(|s| s.name == "actuator").flat_map(|s| &s.children) {
            let name = own.attribute("name").map(|a| format!("actuator `{}`", a.value));
            let subject = name.unwrap_or(format!("a <{}> of the actuators", own.name));
            if !ACTUATORS.contains(&own.name.as_str()) {
                self.r.report(A010, &own.place, format!("{subject}: unknown actuator <{}>", own.name));
                continue;
            }
            self.r.unused_together(own, USED, &subject);
            let e = &self.with_defaults(own, None);
            let gear = self.r.list(e, "gear", 1, 6, &subject).map_or(1.0, |g| g[0]);
            let armature = self.r.number(e, "armature", &subject).unwrap_or(0.0);
            let damping = self.r.list(e, "damping", 1, 3, &subject).map_or(0.0, |d| d[0]);
            let target = e.attribute("joint").or(e.attribute("jointinparent")).map(|a| a.value.clone());
            let number = target.as_ref().and_then(|t| self.numbers.get(t).copied());
            let one = number.is_some_and(|k| self.robot.joints[k].drives.len() == 1);
            let Some(k) = number.filter(|_| one) else {
                match target {
                    Some(t) if number.is_none() => {
                        self.r.report(A004, &own.place, format!("{subject}: unknown joint `{}`", short(&t)));
                    }
                    _ if armature != 0.0 || damping != 0.0 => {
                        let message = format!(
                            "{subject}: armature and damping are not modelled: it does not act on a hinge or slide joint"
                        );
                        self.r.report(A215, &own.place, message);
                    }
                    _ => self.r.report(
                        A501,
                        &own.place,
                        format!("{subject} ignored: it does not act on a hinge or slide joint"),
                    ),
                }
                continue;
            };
            let force = self.force(e, &subject).scaled(gear);
            let sum = efforts.entry(k).or_insert(0.0.into());
            *sum = *sum + force;
            let damps = !self.switched_off(["damper", "passive"]);
            let drive = &mut self.robot.joints[k].drives[0];
            if armature != 0.0 {
                match drive.rotor {
                    None => drive.rotor = Some(Rotor { inertia: armature, gear, axis: None }),
                    Some(_) => drive.armature += armature * gear * gear,
                }
            }
            if damps {
                drive.friction.viscous += damping * gear * gear;
            }
        }
        for (k, effort) in efforts {
            let limits = &mut self.robot.joints[k].drives[0].limits;
            limits.effort = effort.clamped(limits.effort);
        }
    }

    /// The forces of an actuator, before its gear.
    fn force(&mut self, e: &Element, subject: &str) -> EffortRange {
        let force = self.effort(e, ["forcelimited", "forcerange"], subject);
        let control = self.effort(e, ["ctrllimited", "ctrlrange"], subject);
        let plain = |name: &str, word: &str| e.attribute(name).is_none_or(|a| a.value == word);
        let gain = match e.name.as_str() {
            "motor" => Some(1.0),
            "general" if plain("gaintype", "fixed") && plain("biastype", "none") => {
                Some(self.r.list(e, "gainprm", 1, 10, subject).map_or(1.0, |g| g[0]))
            }
            _ => None,
        };
        gain.map_or(force, |gain| control.scaled(gain).clamped(force))
    }
}
