//! `<default>` classes: default attributes of elements.
//!
//! A class inherits from the enclosing class; `main` is the outermost. An element's class is its own `class`, or the
//! `childclass` of the nearest enclosing body or frame, or `main`. All actuators share one set of defaults. An attribute with
//! fewer numbers than the default is completed from it (`size`, `gear`); an orientation attribute replaces any default
//! orientation.

use super::compiler::ORIENTATIONS;
use super::{Mjcf, actuators, geoms, joints, meshes};
use crate::findings::*;
use crate::message::short;
use crate::xml::{Attribute, Element};
use std::collections::{BTreeMap, HashMap};

/// Attributes by element.
type Class = BTreeMap<&'static str, Vec<Attribute>>;

#[derive(Default)]
pub(super) struct Defaults {
    classes: HashMap<String, Class>,
}

/// The outermost class.
const MAIN: &str = "main";

/// Kinds of actuators.
pub(super) const ACTUATORS: &[&str] = &[
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "orientation",
    "pid",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
    "plugin",
];

/// The key of an element's defaults.
fn key(name: &str) -> Option<&'static str> {
    match name {
        "geom" => Some("geom"),
        "mesh" => Some("mesh"),
        "tendon" | "spatial" | "fixed" => Some("tendon"),
        "equality" | "connect" | "weld" => Some("equality"),
        "joint" => Some("joint"),
        _ if ACTUATORS.contains(&name) => Some("actuator"),
        _ => None,
    }
}

/// Default attributes that are used.
fn used(key: &str) -> Vec<&'static str> {
    match key {
        "geom" => [geoms::USED, &ORIENTATIONS].concat(),
        "joint" => joints::USED.to_vec(),
        "mesh" => meshes::USED.to_vec(),
        "actuator" => actuators::USED.to_vec(),
        "tendon" => vec!["stiffness", "damping", "frictionloss", "armature"],
        _ => vec!["active"],
    }
}

/// Whether missing numbers of an attribute are completed from the default.
fn partly(name: &str) -> bool {
    matches!(name, "size" | "gear" | "damping" | "stiffness" | "polycoef")
}

/// The attributes `own`, completed by those of `default`.
fn merged(own: &[Attribute], default: &[Attribute]) -> Vec<Attribute> {
    let turns = |a: &Attribute| ORIENTATIONS.contains(&a.name.as_str());
    let turned = own.iter().any(turns);
    let mut all = own.to_vec();
    for d in default.iter().filter(|d| !(turned && turns(d))) {
        match all.iter_mut().find(|a| a.name == d.name) {
            None => all.push(d.clone()),
            Some(a) if partly(&a.name) => {
                let (mine, theirs) = (a.value.split_whitespace(), d.value.split_whitespace());
                let rest: Vec<&str> = theirs.skip(mine.clone().count()).collect();
                a.value = mine.chain(rest).collect::<Vec<_>>().join(" ");
            }
            Some(_) => {}
        }
    }
    all
}

impl Mjcf<'_, '_> {
    /// A `<default>` at the top level.
    pub fn default_section(&mut self, e: &Element) {
        let name = e.attribute("class").map_or(MAIN, |a| a.value.as_str());
        if let Some(a) = e.attribute("class").filter(|a| a.value != MAIN) {
            let message = format!("invalid class `{}` of the outermost <default>: expected `{MAIN}`", short(&a.value));
            self.r.report(A005, &a.place, message);
        }
        let class = self.defaults.classes.get(MAIN).cloned().unwrap_or_default();
        self.default_class(e, name, class);
    }

    fn default_class(&mut self, e: &Element, name: &str, mut class: Class) {
        let subject = format!("default class `{name}`");
        self.r.unused_attributes(e, &["class"], &subject);
        for c in e.children.iter().filter(|c| c.name != "default") {
            match key(&c.name) {
                Some(key) => {
                    self.r.unused_together(c, &used(key), &subject);
                    let before = class.entry(key).or_default();
                    // Ignored attributes are not kept: every nested class copies them.
                    let used = used(key);
                    let kept: Vec<Attribute> =
                        c.attributes.iter().filter(|a| used.contains(&a.name.as_str())).cloned().collect();
                    *before = merged(&kept, before);
                }
                None => self.r.unused(c, &subject),
            }
        }
        self.defaults.classes.insert(name.to_string(), class.clone());
        for c in e.children.iter().filter(|c| c.name == "default") {
            match c.attribute("class").filter(|a| !a.value.is_empty()) {
                None => self.r.report(A004, &c.place, format!("{subject}: a nested <default> has no `class`")),
                Some(a) if self.defaults.classes.contains_key(&a.value) => {
                    self.r.report(A005, &a.place, format!("duplicate default class `{}`", short(&a.value)));
                }
                Some(a) => self.default_class(c, &a.value, class.clone()),
            }
        }
    }

    /// The element with the defaults of its class; `around` is the enclosing `childclass`.
    pub fn with_defaults(&mut self, e: &Element, around: Option<&str>) -> Element {
        let own = e.attribute("class");
        let name = own.map(|a| a.value.as_str()).or(around).unwrap_or(MAIN);
        if let Some(a) = own.filter(|_| name != MAIN && !self.defaults.classes.contains_key(name)) {
            self.unknown_class(name, &a.place);
        }
        let class = self.defaults.classes.get(name);
        let default = class.and_then(|c| c.get(key(&e.name)?)).map_or(&[][..], |d| d);
        Element { attributes: merged(&e.attributes, default), ..e.clone() }
    }

    /// The `childclass` of a body or frame, if any.
    pub fn child_class(&mut self, e: &Element) -> Option<String> {
        let a = e.attribute("childclass")?;
        if a.value != MAIN && !self.defaults.classes.contains_key(&a.value) {
            self.unknown_class(&a.value, &a.place);
        }
        Some(a.value.clone())
    }

    fn unknown_class(&mut self, name: &str, place: &crate::Place) {
        self.r.report(A005, place, format!("unknown default class `{}`", short(name)));
    }
}
