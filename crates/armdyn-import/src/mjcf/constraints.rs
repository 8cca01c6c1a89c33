//! Constraints and tendons: linear relations of two joints are mimic joints, the others are reported, not modelled.

use super::Mjcf;
use crate::Mimic;
use crate::description::{mimic_message, no_mimic_message};
use crate::findings::*;
use crate::xml::Element;
use std::collections::HashMap;

impl Mjcf<'_, '_> {
    pub fn equalities(&mut self, section: &Element) {
        for own in &section.children {
            let name = own.attribute("name").map(|a| format!(" `{}`", a.value)).unwrap_or_default();
            let e = &self.with_defaults(own, None);
            if self.r.boolean(e, "active", "a constraint") == Some(false) {
                self.r.report(A501, &own.place, format!("constraint <{}>{name} ignored: it is not active", own.name));
                continue;
            }
            let ends = ["joint1", "joint2", "body1", "body2", "site1", "site2", "tendon1", "tendon2", "flex"];
            let ends: Vec<&str> = ends.iter().filter_map(|n| Some(e.attribute(n)?.value.as_str())).collect();
            match self.follows(e) {
                Some((k, mimic)) => {
                    self.robot.joints[k].mimic = Some(mimic);
                    self.mimics.push((k, own.place.clone()));
                }
                None => {
                    let message = format!("constraint <{}>{name} on {} is not modelled", own.name, ends.join(", "));
                    self.r.report(A110, &own.place, message);
                }
            }
        }
    }

    /// Reports mimic joints, and those that cannot follow.
    pub fn report_mimics(&mut self) {
        let invalid: HashMap<usize, String> = self.robot.drop_invalid_mimics().into_iter().collect();
        for (k, place) in std::mem::take(&mut self.mimics) {
            let j = &self.robot.joints[k];
            match (&j.mimic, invalid.get(&k)) {
                (Some(mimic), _) => self.r.report(A108, &place, mimic_message(&j.name, mimic)),
                (None, whom) => self.r.report(A111, &place, no_mimic_message(&j.name, whom)),
            }
        }
    }

    /// The mimic joint that a linear joint constraint is equivalent to.
    ///
    /// q₁ − ref₁ = c₀ + c₁ (q₂ − ref₂) + …
    fn follows(&mut self, e: &Element) -> Option<(usize, Mimic)> {
        let (first, second) = (e.attribute("joint1")?, e.attribute("joint2")?);
        let coefficients = self.r.list(e, "polycoef", 1, 5, "a constraint").unwrap_or(vec![0.0, 1.0]);
        let c = |k: usize| coefficients.get(k).copied().unwrap_or([0.0, 1.0, 0.0, 0.0, 0.0][k]);
        if (2..5).any(|k| c(k) != 0.0) {
            return None;
        }
        let (r1, r2) = (self.refs.get(&first.value)?, self.refs.get(&second.value)?);
        let k = self.numbers.get(&first.value).copied().filter(|&k| self.robot.joints[k].mimic.is_none())?;
        let offset = r1 + c(0) - c(1) * r2;
        Some((k, Mimic { joint: second.value.clone(), multiplier: c(1), offset }))
    }

    pub fn tendons(&mut self, section: &Element) {
        for own in &section.children {
            let subject = own.attribute("name").map_or("a tendon".to_string(), |a| format!("tendon `{}`", a.value));
            let e = &self.with_defaults(own, None);
            let forces = ["stiffness", "damping", "frictionloss", "armature"];
            let there: Vec<&str> = forces.into_iter().filter(|n| self.acts(e, n, &subject)).collect();
            if there.is_empty() {
                self.r.unused(own, &subject);
            } else {
                self.r.report(A215, &own.place, format!("{subject}: {} is not modelled", there.join(", ")));
            }
        }
    }

    fn acts(&mut self, e: &Element, name: &str, subject: &str) -> bool {
        self.r.list(e, name, 1, 3, subject).is_some_and(|x| x.iter().any(|x| *x != 0.0))
    }

    pub fn deformables(&mut self, section: &Element) {
        for e in &section.children {
            if e.name == "skin" {
                self.r.unused(e, "the model");
            } else {
                self.r.report(A215, &e.place, format!("<{}>: forces of deformable bodies are not modelled", e.name));
            }
        }
    }
}
