//! Joints: type, anchor, axis, friction and limits.

use super::Mjcf;
use super::bodies::{Owner, Scope};
use super::compiler::normalized;
use crate::findings::*;
use crate::source::Place;
use crate::xml::Element;
use armdyn_core::{Drive, EffortRange, JointKind, Limits, MinverseData, Transform, Vec3, minverse};

/// A joint of a body, in the body's frame.
pub(super) struct JointRead {
    pub name: String,
    pub place: Place,
    pub kind: JointKind,
    pub anchor: Vec3<f64>,
    /// q at the pose given in the file.
    pub reference: f64,
    pub drive: Drive,
}

/// Attributes that are used.
pub(super) const USED: &[&str] = &[
    "name",
    "class",
    "type",
    "pos",
    "axis",
    "range",
    "limited",
    "ref",
    "armature",
    "damping",
    "frictionloss",
    "actuatorfrcrange",
    "actuatorfrclimited",
    "stiffness",
    "springdamper",
];

/// Largest number of joints for which `springdamper` is evaluated: it needs the mass matrix.
const MAX_JOINTS: usize = 1000;

impl Mjcf<'_, '_> {
    /// Reads a joint; `before` is the number of preceding joints of the body.
    pub fn joint(
        &mut self,
        own: &Element,
        frame: &Transform<f64>,
        scope: &Scope,
        owner: &Owner,
        before: usize,
    ) -> Option<JointRead> {
        let name = match own.attribute("name").filter(|a| !a.value.is_empty()) {
            Some(a) => a.value.clone() + &scope.suffix,
            None if before == 0 => self.names.joints.fresh(format!("{}/joint", owner.name)),
            None => self.names.joints.fresh(format!("{}/joint{}", owner.name, before + 1)),
        };
        let (subject, place) = (format!("joint `{name}`"), own.place.clone());
        let free = |drive| JointRead {
            name: name.clone(),
            place: place.clone(),
            kind: JointKind::Free,
            anchor: Vec3::zero(),
            reference: 0.0,
            drive,
        };
        if own.name == "freejoint" {
            self.r.unused_together(own, &["name"], &subject);
            return Some(free(Drive::ideal()));
        }
        self.r.unused_together(own, USED, &subject);
        let e = &self.with_defaults(own, scope.class.as_deref());
        let drive = self.drive(e, &subject);
        if let Some(time) = self.spring_damper(e, &subject) {
            self.time_constants.push((name.clone(), time));
        }
        let kind = match e.attribute("type").map_or("hinge", |a| a.value.as_str()) {
            "free" => {
                if drive.armature != 0.0 {
                    let message = format!(
                        "{subject}: the velocity term of its armature (− a ω × v in the body's axes) is not modelled"
                    );
                    self.r.report(A215, &e.place, message);
                }
                let no_limits = Drive { limits: Limits::NONE, ..drive };
                return Some(free(no_limits));
            }
            kind @ ("hinge" | "slide" | "ball") => kind,
            other => {
                let message = format!("{subject}: unknown type `{other}`: expected hinge, slide, ball or free");
                let place = e.place_of("type");
                self.r.report(A008, place, message);
                return None;
            }
        };
        let anchor = frame.point(Vec3::lift(self.r.numbers(e, "pos", &subject).unwrap_or([0.0; 3])));
        let mut reference = self.r.number(e, "ref", &subject).unwrap_or(0.0);
        if kind == "hinge" {
            reference = self.compiler.angle(reference);
        }
        let limits = self.limits(e, kind, &subject);
        let effort = self.effort(e, ["actuatorfrclimited", "actuatorfrcrange"], &subject);
        let drive = drive.limits(Limits { effort, ..limits });
        if kind == "ball" {
            return Some(JointRead { name, place, kind: JointKind::Spherical, anchor, reference: 0.0, drive });
        }
        let axis = self.r.numbers(e, "axis", &subject).unwrap_or([0.0, 0.0, 1.0]);
        let Some(axis) = normalized(axis) else {
            let place = e.place_of("axis");
            self.r.report(A005, place, format!("{subject}: its axis is a null vector"));
            return None;
        };
        let axis = frame.rotation.rotate(Vec3::lift(axis)).to_array();
        let kind = if kind == "hinge" { JointKind::Revolute { axis } } else { JointKind::Prismatic { axis } };
        self.refs.insert(name.clone(), reference);
        Some(JointRead { name, place, kind, anchor, reference, drive })
    }

    /// Friction and armature.
    fn drive(&mut self, e: &Element, subject: &str) -> Drive {
        let armature = self.r.number(e, "armature", subject).unwrap_or(0.0);
        let damping = self.r.list(e, "damping", 1, 3, subject).unwrap_or(vec![0.0]);
        let friction = self.r.number(e, "frictionloss", subject).unwrap_or(0.0);
        if damping.iter().skip(1).any(|x| *x != 0.0) {
            let place = e.place_of("damping");
            let message = format!("{subject}: only the linear term of its damping is modelled");
            self.r.report(A215, place, message);
        }
        let stiffness = self.r.list(e, "stiffness", 1, 3, subject).unwrap_or_default();
        let spring = self.spring_damper(e, subject).is_some();
        for (name, there) in [("stiffness", stiffness.iter().any(|x| *x != 0.0)), ("springdamper", spring)] {
            if there {
                self.r.report(A215, e.place_of(name), format!("{subject}: its spring (`{name}`) is not modelled"));
            }
        }
        // `springdamper` replaces `damping`.
        let viscous = if self.switched_off(["damper", "passive"]) || spring { 0.0 } else { damping[0] };
        let coulomb = if self.switched_off(["frictionloss", "constraint"]) { 0.0 } else { friction };
        Drive::ideal().armature(armature).viscous(viscous).coulomb(coulomb, coulomb)
    }

    /// The time constant of a joint with `springdamper`.
    fn spring_damper(&mut self, e: &Element, subject: &str) -> Option<f64> {
        let [time, ratio] = self.r.numbers::<2>(e, "springdamper", subject)?;
        (time > 0.0 && ratio > 0.0).then_some(time)
    }

    /// `springdamper`: damping 2 / (T w), with w the mean of (M⁻¹)ᵥᵥ over the joint's degrees of freedom, where every joint
    /// is at its `ref`.
    pub fn damp(&mut self) {
        if self.switched_off(["damper", "passive"]) || self.time_constants.is_empty() {
            return;
        }
        if self.robot.joints.len() > MAX_JOINTS {
            let place = self.robot.links[0].place.clone();
            let message = format!("the damping of `springdamper` is not computed for more than {MAX_JOINTS} joints");
            return self.r.report(A215, &place, message);
        }
        let Ok(model) = self.robot.model() else { return };
        // As in MuJoCo, of the joints without the constraints between them.
        let m = model.tree();
        let mut q = vec![0.0; m.nq()];
        if m.neutral(&mut q).is_err() {
            return;
        }
        for j in m.joints() {
            if let (Some(reference), 1) = (self.refs.get(&j.name), j.q.len()) {
                q[j.q.start] = *reference;
            }
        }
        let mut inverse = vec![0.0; m.nv() * m.nv()];
        if let Err(e) = minverse(m, &mut MinverseData::new(m), &q, &mut inverse) {
            let place = self.robot.links[0].place.clone();
            let message = format!("the damping of `springdamper` cannot be computed: {e}");
            return self.r.report(A215, &place, message);
        }
        for (name, time) in &self.time_constants {
            let Some(j) = m.joints().iter().find(|j| j.name == *name) else { continue };
            let Some(described) = self.robot.joints.iter_mut().find(|d| d.name == *name) else { continue };
            let mean = j.v.clone().map(|v| inverse[v * m.nv() + v]).sum::<f64>() / j.v.len() as f64;
            for drive in &mut described.drives {
                drive.friction.viscous += 2.0 / (time * mean);
            }
        }
    }

    /// The `range` if it is active: according to `limited`, or if there is one.
    pub fn limited(&mut self, e: &Element, [limited, range]: [&str; 2], subject: &str) -> Option<[f64; 2]> {
        let found = self.r.numbers::<2>(e, range, subject);
        match self.r.keyword(e, limited, &["false", "true", "auto"], subject).unwrap_or("auto") {
            "false" => None,
            "true" => {
                if e.attribute(range).is_none() {
                    self.r.report(A004, &e.place, format!("{subject}: `{limited}` is set, but `{range}` is missing"));
                }
                found
            }
            _ => {
                let found = found.filter(|f| *f != [0.0; 2])?;
                if !self.compiler.autolimits {
                    let place = e.place_of(range);
                    let message =
                        format!("{subject}: `{range}` is set, but `{limited}` is not, and `autolimits` is off");
                    self.r.report(A004, place, message);
                }
                Some(found)
            }
        }
    }

    fn limits(&mut self, e: &Element, kind: &str, subject: &str) -> Limits {
        // A ball joint may be limited (by a default) without a range: its rotation is unlimited.
        if kind == "ball" && e.attribute("range").is_none() {
            return Limits::NONE;
        }
        match self.limited(e, ["limited", "range"], subject) {
            None => Limits::NONE,
            Some(_) if kind == "ball" => {
                let place = e.place_of("range");
                let message = format!("{subject}: `range` of a ball joint ignored: it limits the total rotation angle");
                self.r.report(A502, place, message);
                Limits::NONE
            }
            Some([lower, upper]) => {
                let unit = |x| if kind == "hinge" { self.compiler.angle(x) } else { x };
                Limits { lower: unit(lower), upper: unit(upper), ..Limits::NONE }
            }
        }
    }

    /// Limits of a force: the `range` if it is active.
    pub fn effort(&mut self, e: &Element, names: [&str; 2], subject: &str) -> EffortRange {
        let range = self.limited(e, names, subject);
        range.map_or(EffortRange::UNLIMITED, |[lower, upper]| EffortRange { lower, upper })
    }
}
