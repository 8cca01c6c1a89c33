//! What the writers of XML formats share: names, numbers, reports, merged inertias and drives.

use super::names::{self, Names};
use super::{ConversionError, ConversionLoss, LossKind};
use crate::description::{Description, JointDescription, LinkDescription};
pub(super) use armdyn_core::escape_xml as escaped;
use armdyn_core::{Inertia, Sym3, Vec3};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Default gravity.
pub(super) const STANDARD_GRAVITY: [f64; 3] = [0.0, 0.0, -9.81];

/// A robot that is being written.
pub(super) struct Writer<'a> {
    pub d: &'a Description,
    /// The format's name.
    format: &'static str,
    pub out: String,
    lost: Vec<ConversionLoss>,
    failures: Vec<ConversionLoss>,
    pub links: Names,
    pub joints: Names,
    /// Rotors by degree of freedom.
    pub reflected: HashMap<String, Reflected>,
}

/// The shortest decimal representation; −0 is 0.
pub(super) fn number(x: f64) -> String {
    let text = format!("{:?}", x + 0.0);
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

pub(super) fn vector<const N: usize>(v: [f64; N]) -> String {
    v.map(number).join(" ")
}

/// Rotors and armature of one degree of freedom.
#[derive(Clone, Default)]
pub(in crate::export) struct Reflected {
    /// Inertia and gear ratio of each rotor that drives only this degree of freedom.
    pub rotors: Vec<(f64, f64)>,
    pub armature: f64,
}

impl Reflected {
    /// The inertia at the joint.
    pub fn total(&self) -> f64 {
        self.rotors.iter().map(|(j, g)| j * g * g).sum::<f64>() + self.armature
    }

    /// One rotor and gear ratio with the same reflected inertia; none if it is zero.
    pub fn single(&self) -> Option<(f64, f64)> {
        match self.rotors[..] {
            [] if self.armature == 0.0 => None,
            [one] if self.armature == 0.0 => Some(one),
            _ => {
                let whole = self.total();
                let gear = self.rotors.iter().map(|(_, g)| *g).find(|g| (g * g).is_normal()).unwrap_or(1.0);
                Some((whole / (gear * gear), gear))
            }
        }
    }
}

/// Rotors and armature by degree of freedom; a coupled rotor geared to a single joint belongs to that joint.
fn by_degree(d: &Description) -> HashMap<String, Reflected> {
    let mut all: HashMap<String, Reflected> = HashMap::new();
    for j in &d.joints {
        for (dof, drive) in j.dof_names().into_iter().zip(&j.drives) {
            let here = all.entry(dof).or_default();
            here.rotors.extend(drive.rotor.map(|r| (r.inertia, r.gear)));
            here.armature = drive.armature;
        }
    }
    for r in &d.coupled_rotors {
        if let [(degree, gear)] = &r.gears[..] {
            all.entry(degree.clone()).or_default().rotors.push((r.inertia, *gear));
        }
    }
    all
}

impl<'a> Writer<'a> {
    pub fn new(d: &'a Description, format: &'static str) -> Self {
        Writer {
            d,
            format,
            out: String::new(),
            lost: vec![],
            failures: vec![],
            links: Names::default(),
            joints: Names::default(),
            reflected: by_degree(d),
        }
    }

    /// The text with what was omitted or changed.
    pub fn finish(self) -> Result<(String, Vec<ConversionLoss>), ConversionError> {
        if self.failures.is_empty() { Ok((self.out, self.lost)) } else { Err(ConversionError(self.failures)) }
    }

    /// Something that is not in the new file.
    pub fn report_loss(&mut self, subject: impl Into<String>, message: impl Into<String>) {
        self.lost.push(ConversionLoss::new(LossKind::Omitted, subject, message));
    }

    /// Something that is in the new file, written differently.
    pub fn report_substitution(&mut self, subject: impl Into<String>, message: impl Into<String>) {
        self.lost.push(ConversionLoss::new(LossKind::WrittenDifferently, subject, message));
    }

    pub fn report_failure(&mut self, subject: impl Into<String>, message: impl Into<String>) {
        self.failures.push(ConversionLoss::new(LossKind::Omitted, subject, message));
    }

    /// The robot's name, escaped.
    pub fn robot_name(&mut self) -> String {
        let allowed = names::allowed(&self.d.name);
        if allowed != self.d.name {
            self.report_substitution(
                "the robot",
                "its name has characters that XML does not allow; they are replaced by `_`",
            );
        }
        escaped(&allowed)
    }

    /// Summary and source of the parameters as comments.
    pub fn comments(&mut self) {
        let d = self.d;
        let said = [(&d.summary, "its summary"), (&d.origin, "the source of its parameters")];
        for (text, field) in said.into_iter().filter_map(|(text, field)| Some((text.as_ref()?, field))) {
            let text = names::allowed(text).replace("--", "- -");
            let _ = writeln!(self.out, "  <!-- {} -->", text.trim_end_matches('-'));
            self.report_substitution("the robot", format!("{field} is written as a comment"));
        }
    }

    /// Assigns names to all links and to the joints that each joint is written as; reports those that are not connected.
    pub fn name_all(
        &mut self,
        tree: &[(usize, Option<usize>)],
        joint_names: impl Fn(&Self, &JointDescription) -> Vec<String>,
    ) {
        let d = self.d;
        let mut seen = HashSet::new();
        for l in d.links.iter().filter(|l| !seen.insert(l.name.as_str())) {
            self.report_failure(format!("link `{}`", l.name), "duplicate link name");
        }
        let mut seen = HashSet::new();
        for j in d.joints.iter().filter(|j| !seen.insert(j.name.as_str())) {
            self.report_failure(format!("joint `{}`", j.name), "duplicate joint name");
        }
        if tree.is_empty() {
            self.report_failure("the robot", "it has no root link");
        }
        let kept: HashSet<usize> = tree.iter().map(|(l, _)| *l).collect();
        let moving: HashSet<usize> = tree.iter().filter_map(|(_, j)| *j).collect();
        for (_, l) in d.links.iter().enumerate().filter(|(k, _)| !kept.contains(k)) {
            self.report_loss(format!("link `{}`", l.name), "it is not connected to the root and is omitted");
        }
        for (_, j) in d.joints.iter().enumerate().filter(|(k, _)| !moving.contains(k)) {
            self.report_loss(format!("joint `{}`", j.name), "it is not connected to the root and is omitted");
        }
        for &(l, j) in tree {
            let name = &d.links[l].name;
            if let Some(other) = self.links.take(name, "link") {
                let message = format!("its name is not allowed in {}; it is renamed to `{other}`", self.format);
                self.report_substitution(format!("link `{name}`"), message);
            }
            for name in j.map_or(vec![], |j| joint_names(self, &d.joints[j])) {
                if let Some(other) = self.joints.take(&name, "joint") {
                    let message = format!("its name is not allowed in {}; it is renamed to `{other}`", self.format);
                    self.report_substitution(format!("joint `{name}`"), message);
                }
            }
        }
    }

    /// Reports properties that no format but armdyn's has.
    pub fn report_omitted(&mut self) {
        let d = self.d;
        for name in d.materials.keys() {
            self.report_loss(format!("material `{name}`"), "it is omitted");
        }
        for name in d.sections.keys() {
            self.report_loss(format!("section `{name}`"), "it is omitted");
        }
        for joint in d.joints.iter().filter(|j| j.stiffness.iter().any(|k| k.is_finite())) {
            self.report_loss(format!("joint `{}`", joint.name), "its stiffness is omitted");
        }
        for contact in &d.contacts {
            self.report_loss(format!("contact `{}`", contact.contact.name), "it is omitted");
        }
    }

    /// The total inertia of a link with its parts and payloads.
    pub fn body(&mut self, link: &LinkDescription, subject: &str) -> Option<Inertia<f64>> {
        match &link.parts[..] {
            [] => {}
            [one] if one.name == link.name => {}
            [one] => self.report_loss(subject, format!("the name of its part `{}` is omitted", one.name)),
            parts => {
                let names: Vec<String> = parts.iter().map(|p| format!("`{}`", p.name)).collect();
                self.report_substitution(
                    subject,
                    format!("its parts {} are merged into one inertia", names.join(", ")),
                );
            }
        }
        let payloads: Vec<_> = self.d.payloads.iter().filter(|p| p.link == link.name).collect();
        for p in &payloads {
            self.report_substitution(
                format!("payload `{}`", p.name),
                format!("it is merged into the inertia of {subject}"),
            );
        }
        let own = link.parts.iter().map(|p| p.inertia);
        own.chain(payloads.iter().map(|p| p.inertia)).reduce(|a, b| a + b)
    }

    /// Centre of mass and tensor about it; without mass, the origin and the tensor about that.
    pub fn centre_and_tensor(&mut self, inertia: &Inertia<f64>, subject: &str) -> Option<(Vec3<f64>, Sym3<f64>)> {
        let problem = if !inertia.components().iter().all(|x| x.is_finite()) {
            "its inertia is not finite"
        } else if inertia.mass < 0.0 || (inertia.mass == 0.0 && inertia.first != Vec3::zero()) {
            "its mass is negative, or it has a first moment but no mass"
        } else if inertia.mass == 0.0 {
            return Some((Vec3::zero(), inertia.second));
        } else {
            return Some((inertia.centre(), inertia.central()));
        };
        self.report_failure(subject, problem);
        None
    }
}
