//! Drives in URDF: damping, friction and limits of a joint, and a transmission with the rotor inertia.

use super::joints::Written;
use super::origin;
use crate::export::writer::{Reflected, Writer, escaped, number, vector};
use armdyn_core::{Drive, EffortRange, Friction};
use std::fmt::Write;

/// The torque that a drive can produce in both directions; if it acts in one alone, its limit there.
fn symmetric(effort: EffortRange) -> f64 {
    let (backward, forward) = (-effort.lower, effort.upper);
    match backward.min(forward) {
        smaller if smaller > 0.0 => smaller,
        _ => backward.max(forward),
    }
}

impl Writer<'_> {
    pub(super) fn write(&mut self, joint: Written) {
        let Written { name, kind, axis, parent, child, placement, drive, mimic } = joint;
        let _ = writeln!(self.out, "  <joint name=\"{}\" type=\"{kind}\">\n    {}", escaped(&name), origin(&placement));
        let _ = writeln!(
            self.out,
            "    <parent link=\"{}\"/>\n    <child link=\"{}\"/>",
            escaped(&parent),
            escaped(&child)
        );
        if let Some(axis) = axis {
            let _ = writeln!(self.out, "    <axis xyz=\"{}\"/>", vector(axis));
        }
        if let Some(drive) = drive {
            self.limits(&name, kind, drive);
            self.friction(&name, &drive.friction);
            if drive.rotor.is_some_and(|r| r.axis.is_some()) {
                let message = "the rotor's axis (gyroscopic effect) is omitted; its reflected inertia is kept";
                self.report_loss(format!("joint `{name}`"), message);
            }
        }
        if let Some(m) = mimic {
            let (multiplier, offset) = (number(m.multiplier), number(m.offset));
            let _ = writeln!(
                self.out,
                "    <mimic joint=\"{}\" multiplier=\"{multiplier}\" offset=\"{offset}\"/>",
                escaped(self.joints.of(&m.joint))
            );
        }
        self.out.push_str("  </joint>\n");
    }

    fn limits(&mut self, name: &str, kind: &str, drive: &Drive) {
        let l = drive.limits;
        if l.continuous.is_finite() {
            let message = format!("the continuous rating of {} is omitted", l.continuous);
            self.report_loss(format!("joint `{name}`"), message);
        }
        let (bounded, effort) = (kind != "continuous", symmetric(l.effort));
        if !l.effort.is_symmetric() {
            let message =
                format!("the effort limits {} are replaced by ±{}", l.effort, armdyn_core::four_digits(effort));
            self.report_substitution(format!("joint `{name}`"), message);
        }
        if !bounded && l.speed == f64::INFINITY && effort == f64::INFINITY {
            return;
        }
        let mut all = vec![("velocity", l.speed), ("effort", effort)];
        if bounded {
            all.extend([("lower", l.lower), ("upper", l.upper)]);
        }
        let unbounded: Vec<&str> = all.iter().filter(|(_, x)| x.is_infinite()).map(|(n, _)| *n).collect();
        if all.iter().any(|(_, x)| x.is_nan()) {
            return self.report_failure(format!("joint `{name}`"), "a limit is not a number");
        }
        if !unbounded.is_empty() {
            let message =
                format!("it has no {} limit: written as inf, which some readers reject", unbounded.join(", "));
            self.report_substitution(format!("joint `{name}`"), message);
        }
        let all: Vec<String> = all.into_iter().map(|(n, x)| format!("{n}=\"{}\"", number(x))).collect();
        let _ = writeln!(self.out, "    <limit {}/>", all.join(" "));
    }

    fn friction(&mut self, name: &str, f: &Friction<f64>) {
        let subject = format!("joint `{name}`");
        let (forward, backward) = (f.coulomb_forward, f.coulomb_backward);
        let levels = [f.viscous, forward, backward, f.stribeck];
        if !levels.iter().all(|x| x.is_finite()) {
            return self.report_failure(subject, "its friction is not finite");
        }
        let coulomb = if forward == backward { forward } else { 0.5 * (forward + backward) };
        if forward != backward {
            let [forward, backward] = [forward, backward].map(armdyn_core::four_digits);
            let message = format!("Coulomb friction {forward} forward and {backward} backward is replaced by the mean");
            self.report_substitution(&subject, message);
        }
        if f.stribeck != 0.0 {
            let message = format!("the Stribeck friction of {} at {} is omitted", f.stribeck, f.stribeck_speed);
            self.report_loss(&subject, message);
        }
        if [f.viscous, coulomb] != [0.0; 2] {
            let (damping, friction) = (number(f.viscous), number(coulomb));
            let _ = writeln!(self.out, "    <dynamics damping=\"{damping}\" friction=\"{friction}\"/>");
        }
    }

    /// Writes rotors and gear ratios, one transmission per joint.
    pub(super) fn transmissions(&mut self) {
        let mut degrees: Vec<(String, Reflected)> =
            self.reflected.iter().map(|(n, r)| (n.clone(), r.clone())).collect();
        degrees.sort_by(|a, b| a.0.cmp(&b.0));
        for (degree, reflected) in degrees {
            let Some((inertia, gear)) = reflected.single() else { continue };
            let subject = format!("joint `{degree}`");
            if !self.joints.knows(&degree) {
                // A floating or omitted joint: reported there.
                continue;
            }
            if !(inertia.is_finite() && gear.is_finite()) {
                self.report_failure(subject, "its rotor's inertia or gear is not finite");
                continue;
            }
            let whole = "with the same reflected inertia";
            match (reflected.rotors.len(), reflected.armature != 0.0) {
                (0, _) => self.report_substitution(subject, "its armature is written as a rotor with gear ratio 1"),
                (1, true) => self
                    .report_substitution(subject, format!("its armature and rotor are written as one rotor {whole}")),
                (1, false) => {}
                _ => self
                    .report_substitution(subject, format!("its rotors and armature are written as one rotor {whole}")),
            }
            let name = escaped(self.joints.of(&degree));
            let _ = writeln!(
                self.out,
                "  <transmission name=\"{name}/transmission\">\n    <type>transmission_interface/SimpleTransmission</type>\n    \
                 <joint name=\"{name}\"/>\n    <actuator name=\"{name}/motor\">\n      \
                 <mechanicalReduction>{}</mechanicalReduction>\n      <motorInertia>{}</motorInertia>\n    </actuator>\n  \
                 </transmission>",
                number(gear),
                number(inertia)
            );
        }
        for r in &self.d.coupled_rotors {
            let names: Vec<String> = r.gears.iter().map(|(n, _)| format!("`{n}`")).collect();
            let subject = format!("the rotor of {}", names.join(", "));
            match (r.gears.len(), &r.mount) {
                (1, None) => {}
                (1, Some(_)) => {
                    self.report_loss(subject, "its axis (gyroscopic effect) is omitted; its reflected inertia is kept")
                }
                _ => self.report_loss(subject, "it is geared to several joints and is omitted"),
            }
        }
    }
}
