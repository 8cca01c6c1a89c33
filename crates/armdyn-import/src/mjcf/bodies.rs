//! Bodies, frames and copies: the kinematic tree.

use super::Mjcf;
use super::compiler::{ORIENTATIONS, Source};
use super::joints::JointRead;
use crate::findings::*;
use crate::source::Place;
use crate::xml::Element;
use crate::{LinkDescription, Shape, ToolDescription};
use armdyn_core::{Inertia, Tool, ToolSource, Transform, Vec3};
use std::rc::Rc;

/// Context inherited from enclosing elements.
#[derive(Clone, Default)]
pub(super) struct Scope {
    /// The `childclass`.
    pub class: Option<String>,
    /// Name suffix of copies.
    pub suffix: String,
    /// A copy; findings were reported for the original.
    again: bool,
    /// Directly in a `<replicate>`.
    copied: bool,
}

/// Contents of a body, in its frame.
#[derive(Default)]
pub(super) struct Contents {
    pub geoms: Vec<Inertia<f64>>,
    pub shapes: Vec<Shape>,
    pub joints: Vec<JointRead>,
    pub inertial: Option<(Inertia<f64>, Place)>,
    bodies: Vec<(Rc<Element>, Transform<f64>, Scope)>,
}

/// The body being read.
pub(super) struct Owner<'a> {
    pub name: &'a str,
    /// Its mass is computed from its geoms.
    pub weighs: bool,
    world: bool,
}

/// The world's name.
const WORLD: &str = "world";

impl Mjcf<'_, '_> {
    /// Reads the world; there may be several `<worldbody>`.
    pub fn world(&mut self, first: &Element, all: &[Rc<Element>]) {
        let owner = Owner { name: WORLD, weighs: false, world: true };
        self.names.links.names.insert(WORLD.to_string());
        let mut contents = Contents::default();
        for e in all {
            self.r.unused_attributes(e, &["childclass"], "the world");
            let scope = Scope { class: self.child_class(e), ..Scope::default() };
            self.gather(e, &Transform::identity(), &scope, &owner, &mut contents);
        }
        let world = LinkDescription::massless(WORLD, &first.place);
        self.robot.links.push(LinkDescription { shapes: contents.shapes, ..world });
        self.children(contents.bodies, WORLD);
        if self.left == 0 {
            let message = format!("the tree has more than {} elements, including copies", super::MAX_ELEMENTS);
            self.r.report(A011, &first.place, message);
        }
    }

    fn children(&mut self, bodies: Vec<(Rc<Element>, Transform<f64>, Scope)>, parent: &str) {
        for (e, frame, scope) in bodies {
            let before = self.r.diagnostics.findings.len();
            self.body(&e, &frame, &scope, parent);
            if scope.again {
                self.r.diagnostics.findings.truncate(before);
            }
        }
    }

    fn body(&mut self, e: &Rc<Element>, frame: &Transform<f64>, scope: &Scope, parent: &str) {
        self.bodies += 1;
        let name = match e.attribute("name").filter(|a| !a.value.is_empty()) {
            Some(a) => a.value.clone() + &scope.suffix,
            None => self.names.links.fresh(format!("body{}", self.bodies)),
        };
        let subject = format!("body `{name}`");
        let mut used = vec!["name", "childclass", "pos", "gravcomp"];
        used.extend(ORIENTATIONS);
        self.r.unused_together(e, &used, &subject);
        if let Some(fraction) = self.r.number(e, "gravcomp", &subject).filter(|x| *x != 0.0) {
            let place = e.place_of("gravcomp");
            let message = format!("{subject}: `gravcomp` of {fraction} is not modelled: the full weight acts");
            self.r.report(A215, place, message);
        }
        let class = self.child_class(e).or(scope.class.clone());
        let inside = Scope { class, suffix: scope.suffix.clone(), ..Scope::default() };
        let weighs = match self.compiler.inertia {
            Source::Inertial => false,
            Source::Geoms => true,
            Source::Auto => !has_inertial(e),
        };
        let owner = Owner { name: &name, weighs, world: false };
        let mut contents = Contents::default();
        self.gather(e, &Transform::identity(), &inside, &owner, &mut contents);
        let own = self.pose(e, &subject);
        let at = frame.compose(&own);
        if !at.translation.is_finite() {
            self.r.report(A202, &e.place, format!("{subject}: its position is not finite"));
        }
        let part = self.part(&name, e, &contents, own.translation);
        self.joints(parent, &name, at, &contents.joints, e);
        let (parts, shapes) = (part.into_iter().collect(), contents.shapes);
        self.robot.links.push(LinkDescription { parts, shapes, ..LinkDescription::massless(&name, &e.place) });
        self.children(contents.bodies, &name);
    }

    /// Whether a site may be the tool, by its name.
    fn tool_site(&mut self, e: &Element, frame: &Transform<f64>, owner: &Owner) -> bool {
        let Some(name) = e.attribute("name").map(|a| a.value.clone()) else { return false };
        let Some(rank) = Tool::name_rank(&name).filter(|_| e.attribute("fromto").is_none()) else { return false };
        let pose = frame.compose(&self.pose(e, &format!("site `{name}`")));
        let link = owner.name.to_string();
        self.tool_sites.push((
            rank,
            name,
            ToolDescription { place: e.place.clone(), link, pose, source: ToolSource::Site },
        ));
        true
    }

    /// The tool is the site with the best name, or none of several equally good ones; reports the choice and the candidates.
    pub fn choose_tool(&mut self) {
        let mut sites = std::mem::take(&mut self.tool_sites);
        sites.sort_by_key(|(rank, ..)| *rank);
        let Some((best, name, tool)) = sites.first().cloned() else { return };
        let listed = |sites: &[(usize, String, ToolDescription)]| {
            let names = sites.iter().map(|(_, name, tool)| format!("`{name}` of `{}`", tool.link));
            names.collect::<Vec<_>>().join(", ")
        };
        let equal = sites.iter().filter(|(rank, ..)| *rank == best).count();
        let message = match (equal, &sites[1..]) {
            (1, []) => format!("site `{name}` of body `{}` is the tool, by its name", tool.link),
            (1, others) => {
                let others = listed(others);
                format!("site `{name}` of body `{}` is the tool, by its name; other candidates: {others}", tool.link)
            }
            _ => format!("no site is the tool: the names of several are equally good: {}", listed(&sites[..equal])),
        };
        self.r.report(A505, &tool.place, message);
        self.robot.tool = Some(tool).filter(|_| equal == 1);
    }

    /// Reads the children of a body, frame or copy; `frame` is its pose in the body's frame.
    fn gather(&mut self, e: &Element, frame: &Transform<f64>, scope: &Scope, owner: &Owner, into: &mut Contents) {
        for c in &e.children {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            match c.name.as_str() {
                "body" => into.bodies.push((c.clone(), *frame, scope.clone())),
                "frame" => {
                    let subject = format!("a frame of `{}`", owner.name);
                    let mut used = vec!["name", "childclass", "pos"];
                    used.extend(ORIENTATIONS);
                    self.r.unused_attributes(c, &used, &subject);
                    let at = frame.compose(&self.pose(c, &subject));
                    let class = self.child_class(c).or(scope.class.clone());
                    self.gather(c, &at, &Scope { class, copied: false, ..scope.clone() }, owner, into);
                }
                "replicate" => self.copies(c, frame, scope, owner, into),
                "geom" => self.geom(c, frame, scope, owner, into),
                "joint" | "freejoint" if owner.world || scope.copied => {
                    let which = if owner.world { "the world" } else { "a <replicate>" };
                    self.r.report(A005, &c.place, format!("<{}> is not allowed directly in {which}", c.name));
                }
                "joint" | "freejoint" => into.joints.extend(self.joint(c, frame, scope, owner, into.joints.len())),
                "inertial" if owner.world => self.r.report(A005, &c.place, "<inertial> is not allowed in the world"),
                "inertial" => {
                    let found = self.inertial(c, frame, owner.name).map(|i| (i, c.place.clone()));
                    if into.inertial.is_some() {
                        self.r.report(A005, &c.place, format!("body `{}` has a second <inertial>", owner.name));
                    }
                    into.inertial = found;
                }
                "site" if !owner.world && self.tool_site(c, frame, owner) => {}
                "site" | "camera" | "light" => self.r.unused(c, &format!("body `{}`", owner.name)),
                "plugin" => {
                    let message = format!("body `{}`: the effect of <plugin> is not modelled", owner.name);
                    self.r.report(A215, &c.place, message);
                }
                "composite" | "flexcomp" | "attach" => {
                    let message = format!("body `{}`: <{}> is not supported", owner.name, c.name);
                    self.r.report(A011, &c.place, message);
                }
                _ => {
                    let message = format!("body `{}`: unknown element <{}>", owner.name, c.name);
                    self.r.report(A010, &c.place, message);
                }
            }
        }
    }

    /// `<replicate>`: copy k is rotated by k times the angles, and translated by the offset along the axes of each copy before.
    fn copies(&mut self, e: &Element, frame: &Transform<f64>, scope: &Scope, owner: &Owner, into: &mut Contents) {
        let subject = format!("a <replicate> of `{}`", owner.name);
        self.r.unused_attributes(e, &["count", "offset", "euler", "sep"], &subject);
        let Some(count) = self.r.required(e, "count", &subject) else { return };
        if !(count >= 1.0 && count.fract() == 0.0) {
            return self.r.report(A005, &e.place, format!("{subject}: invalid `count` {count}"));
        }
        let offset = self.r.numbers(e, "offset", &subject).unwrap_or([0.0; 3]);
        let offset: Vec3<f64> = Vec3::lift(offset);
        let angles = self.r.numbers::<3>(e, "euler", &subject).unwrap_or([0.0; 3]);
        let separator = e.attribute("sep").map_or("", |a| a.value.as_str());
        let digits = format!("{count}").len();
        let mut at = Transform::identity();
        let mut k: usize = 0;
        while (k as f64) < count && self.left > 0 {
            self.left -= 1;
            let suffix = format!("{separator}{k:0digits$}{}", scope.suffix);
            let inside = Scope { suffix, again: scope.again || k > 0, copied: true, class: scope.class.clone() };
            let before = self.r.diagnostics.findings.len();
            self.gather(e, &frame.compose(&at), &inside, owner, into);
            if k > 0 {
                self.r.diagnostics.findings.truncate(before);
            }
            k += 1;
            at = Transform::new(self.euler(angles.map(|a| a * k as f64)), at.point(offset));
        }
    }
}

fn has_inertial(e: &Element) -> bool {
    e.children.iter().any(|c| c.name == "inertial" || (c.name == "frame" && has_inertial(c)))
}
