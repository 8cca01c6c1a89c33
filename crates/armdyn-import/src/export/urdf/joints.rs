//! Joints in URDF, or chains of URDF joints.

use crate::description::{JointDescription, Mimic};
use crate::export::writer::{Writer, escaped};
use armdyn_core::{Drive, JointAxis, JointKind, Order, Transform, Vec3};
use std::fmt::Write;

/// A joint of the URDF file.
pub(super) struct Written<'a> {
    pub name: String,
    pub kind: &'static str,
    pub axis: Option<[f64; 3]>,
    pub parent: String,
    pub child: String,
    pub placement: Transform<f64>,
    pub drive: Option<&'a Drive>,
    pub mimic: Option<&'a Mimic>,
}

impl Writer<'_> {
    /// The equivalent URDF joint type and its axis, if there is one (without the drives of a floating joint).
    fn whole(&self, j: &JointDescription) -> Option<(&'static str, Option<[f64; 3]>)> {
        match &j.kind {
            JointKind::Free => Some(("floating", None)),
            kind if members(kind).is_some_and(|m| m.is_empty()) => Some(("fixed", None)),
            kind => plane(kind).filter(|_| self.is_ideal(j)).map(|normal| ("planar", Some(normal))),
        }
    }

    /// Whether the joint has no drive, friction or limit.
    fn is_ideal(&self, j: &JointDescription) -> bool {
        let geared = self.d.coupled_rotors.iter().flat_map(|r| &r.gears);
        let mut geared = geared.filter_map(|(degree, _)| degree.strip_prefix(&j.name));
        j.drives.iter().all(|d| *d == Drive::ideal()) && !geared.any(|rest| rest.starts_with('.'))
    }

    /// The names of the joints that a joint is written as.
    pub(super) fn degrees(&self, j: &JointDescription) -> Vec<String> {
        match (self.whole(j), members(&j.kind)) {
            (None, Some(members)) => members.iter().map(|m| m.dof_name(&j.name)).collect(),
            _ => vec![j.name.clone()],
        }
    }

    pub(super) fn joint(&mut self, j: &JointDescription) {
        let subject = format!("joint `{}`", j.name);
        let [mut parent, child] = [&j.parent, &j.child].map(|l| self.links.of(l).to_string());
        let placement = j.placement;
        if !placement.components().iter().all(|x| x.is_finite()) {
            return self.report_failure(subject, "its placement is not finite");
        }
        let mimic = self.mimic(j, &subject);
        if let Some((kind, axis)) = self.whole(j) {
            if kind == "floating" && !self.is_ideal(j) {
                self.report_loss(&subject, "rotors, friction and limits of a floating joint are omitted");
            }
            let name = self.joints.of(&j.name).to_string();
            return self.write(Written { name, kind, axis, parent, child, placement, drive: None, mimic: None });
        }
        let Some(members) = members(&j.kind) else {
            let kind = j.kind.name();
            let message = format!("URDF has no {kind} joint, and no chain of URDF joints is equivalent");
            return self.report_failure(subject, message);
        };
        if members.len() > 1 {
            let named: Vec<String> = members.iter().map(|m| format!("`{}`", m.dof_name(&j.name))).collect();
            let chain = format!("it is replaced by the joints {}, with massless links between them", named.join(", "));
            self.report_substitution(&subject, chain);
        }
        let ideal = Drive::ideal();
        for (k, m) in members.iter().enumerate() {
            let last = k + 1 == members.len();
            let degree = m.dof_name(&j.name);
            let to = if last { child.clone() } else { self.massless(&format!("{}/{}", j.name, m.label)) };
            let drive = j.drives.get(k).unwrap_or(&ideal);
            let turns = drive.limits.lower == f64::NEG_INFINITY && drive.limits.upper == f64::INFINITY;
            let kind = match (m.prismatic, turns) {
                (true, _) => "prismatic",
                (false, true) => "continuous",
                (false, false) => "revolute",
            };
            let length = Vec3::<f64>::lift(m.axis).norm();
            if !(length.is_finite() && length > 0.0) {
                return self.report_failure(subject, "its axis has no direction");
            }
            self.write(Written {
                name: self.joints.of(&degree).to_string(),
                kind,
                axis: Some(m.axis.map(|x| x / length)),
                parent: std::mem::replace(&mut parent, to.clone()),
                child: to,
                placement: if k == 0 { placement } else { Transform::identity() },
                drive: Some(drive),
                mimic,
            });
        }
    }

    /// Writes a massless link, and returns its name: this one, or with a number.
    fn massless(&mut self, wanted: &str) -> String {
        let name = self.links.invent(wanted);
        let _ = writeln!(self.out, "  <link name=\"{}\"/>", escaped(&name));
        name
    }

    /// The mimicked joint, if URDF can represent it: both joints have a single axis.
    fn mimic<'j>(&mut self, j: &'j JointDescription, subject: &str) -> Option<&'j Mimic> {
        let m = j.mimic.as_ref()?;
        let single = |j: &JointDescription| matches!(j.kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. });
        if single(j) && self.d.joints.iter().any(|other| other.name == m.joint && single(other)) {
            return Some(m);
        }
        let message = format!("mimic of `{}` is omitted: both joints must be revolute or prismatic", m.joint);
        self.report_loss(subject, message);
        None
    }
}

/// The normal of a joint that is equivalent to URDF's planar joint.
fn plane(kind: &JointKind) -> Option<[f64; 3]> {
    let order = Order::TranslationFirst;
    let across = |rotations, translations| JointKind::Generalized { rotations, translations, order };
    let [no, yes] = [false, true];
    if *kind == JointKind::Planar || *kind == across([yes, no, no], [yes, yes, no]) {
        Some([0.0, 0.0, 1.0])
    } else if *kind == across([no, yes, no], [yes, no, yes]) {
        Some([0.0, 1.0, 0.0])
    } else if *kind == across([no, no, yes], [no, yes, yes]) {
        Some([1.0, 0.0, 0.0])
    } else {
        None
    }
}

/// The single-axis pairs of a joint, base to tip; none if a pair is helical or has several axes.
pub(in crate::export) fn members(kind: &JointKind) -> Option<Vec<JointAxis>> {
    let chain = !matches!(kind, JointKind::Helical { .. } | JointKind::Spherical | JointKind::Free);
    chain.then(|| kind.axes())
}
