//! What `armdyn deflect` found, for people.

use super::Found;
use crate::document::{Document, Table};
use crate::format::{many, number, numbers, position_unit};
use crate::progress;
use armdyn_core::Vec3;
use armdyn_numerics::{Peak, Trajectory};
use armdyn_structure::{
    Correction, Displacement, ENERGY, MotionDeflection, Part, PutBack, Vibration, WELL_BELOW, dynamic_surplus,
};
use std::fmt::Write;

/// Turns beyond this, in radians, are no longer small: sines and angles differ by half a percent.
const SMALL: f64 = 0.1;
/// Shares of a vibration's energy below this are not told.
const TOLD: f64 = 0.03;

impl Found {
    /// All of it.
    pub fn page(&self) -> Document {
        let mut page = Document::default();
        self.head(&mut page);
        if let Some((trajectory, along)) = &self.motion {
            self.along(&mut page, trajectory, along);
        }
        self.displacements(&mut page);
        self.contributions(&mut page);
        self.strengths(&mut page);
        if let Some((what, correction)) = &self.correction {
            self.corrected(&mut page, *what, correction);
        }
        if let Some(vibrations) = &self.vibrations {
            self.vibrations(&mut page, vibrations);
        }
        self.map(&mut page);
        if progress::interrupted() {
            page += "\nended early: the figures are those of what was done by then\n";
        }
        page
    }

    fn head(&self, page: &mut Document) {
        let m = self.structure.model();
        let tool = self.structure.tool();
        let t = self.deflection.tool_at;
        let counted = [
            (self.modes.bending, "bending"),
            (self.modes.torsion, "torsion"),
            (self.modes.axial, "stretching"),
            (self.modes.shear, "shear"),
            (self.modes.joints, "joints"),
        ];
        let counted: Vec<&str> = counted.into_iter().filter(|c| c.0).map(|c| c.1).collect();
        let _ = writeln!(page, "{} under load; counted: {}", m.name(), counted.join(", "));
        let place = numbers(&t.to_array()).join(", ");
        let _ = writeln!(page, "tool: on `{}`, at ({place}) m in the base", m.links()[tool.link].name);
        let rigid = m.links().iter().zip(self.structure.links()).skip(1).filter(|(_, l)| l.beam.is_none());
        let rigid: Vec<&str> = rigid.map(|(l, _)| l.name.as_str()).collect();
        if !rigid.is_empty() {
            let _ = writeln!(page, "rigid, as the file gives them no beam: {}", rigid.join(", "));
        }
        let held = m.dof_names().iter().zip(self.structure.joint_stiffness()).filter(|(_, k)| k.is_infinite());
        let held: Vec<&str> = held.map(|(n, _)| n.as_str()).collect();
        if self.modes.joints && !held.is_empty() {
            let _ =
                writeln!(page, "joints that do not give way, as the file gives them no stiffness: {}", held.join(", "));
        }
    }

    fn along(&self, page: &mut Document, trajectory: &Trajectory, along: &MotionDeflection) {
        let m = self.structure.model();
        let done = along.tool.len();
        let _ = writeln!(
            page,
            "\nthe motion: {} s, {}",
            number(trajectory.t[done.max(1) - 1] - trajectory.t[0]),
            many(done, "sample")
        );
        let worst = along.tool.get(along.worst).map_or(0.0, |d| d.shift.norm());
        let _ = writeln!(
            page,
            "the tool is farthest off at {} s, by {} mm; what follows is of that instant",
            number(trajectory.t[along.worst]),
            number(worst * 1e3)
        );
        let at = |p: &Peak, scale: f64| format!("{} @{}", number(p.value * scale), number(trajectory.t[p.sample]));
        let row = |l: &armdyn_structure::LinkPeaks| {
            vec![
                m.links()[l.link].name.clone(),
                at(&l.shift, 1e3),
                l.stress.as_ref().map_or("?".into(), |p| at(p, 1e-6)),
                l.yield_safety.map_or("?".into(), safety),
                at(&l.compression, 1.0),
                safety(l.buckling_safety),
                l.interaction.as_ref().map_or("?".into(), |p| at(p, 1.0)),
            ]
        };
        let _ = writeln!(page, "\nthe greatest of the whole motion, and when (@ s)");
        let header = [
            "link",
            "end off by [mm]",
            "stress [MPa]",
            "yield safety",
            "compression [N]",
            "buckling safety",
            "together (fails above 1)",
        ];
        page.table(Table::new(&header, &[0], along.links.iter().map(row)));
    }

    /// Shift in millimetres, turn in milliradians or degrees.
    fn shown(&self, d: &Displacement) -> Vec<String> {
        let scale = if self.deg { 1f64.to_degrees() } else { 1e3 };
        let shift: Vec<f64> = d.shift.to_array().iter().map(|x| x * 1e3).collect();
        let turn: Vec<f64> = d.turn.to_array().iter().map(|x| x * scale).collect();
        [numbers(&shift), vec![number(d.shift.norm() * 1e3)], numbers(&turn)].concat()
    }

    fn header<'a>(&self, first: &'a str) -> Vec<&'a str> {
        let turn = if self.deg { "turn x [°]" } else { "turn x [mrad]" };
        vec![first, "shift x [mm]", "y", "z", "in all", turn, "y", "z"]
    }

    fn displacements(&self, page: &mut Document) {
        let m = self.structure.model();
        let _ = writeln!(page, "\ndisplacements under load, in the base's axes");
        let row = |name: String, d: &Displacement| [vec![name], self.shown(d)].concat();
        let links = self.deflection.links.iter().map(|l| {
            let end = if self.structure.links()[l.link].beam.is_some() { "end" } else { "origin" };
            row(format!("{}, {end}", m.links()[l.link].name), &l.displacement)
        });
        let tool = std::iter::once(row("tool".to_string(), &self.deflection.tool));
        page.table(Table::new(&self.header("what"), &[0], links.chain(tool)));
        if self.deflection.links.iter().any(|l| l.displacement.turn.norm() > SMALL) {
            *page += "NOT SMALL: a link turns by more than 0.1 rad; the figures hold for small displacements\n";
        }
    }

    fn part(&self, part: Part) -> String {
        let m = self.structure.model();
        match part {
            Part::Link(k) => format!("link {}", m.links()[k].name),
            Part::Joint(v) => format!("joint {}", m.dof_names()[v]),
        }
    }

    fn contributions(&self, page: &mut Document) {
        let m = self.structure.model();
        let total = self.deflection.tool.shift;
        let _ = writeln!(page, "\nwhat each does to the tool; they add up");
        let row = |c: &armdyn_structure::Contribution| {
            let share = share(c.tool.shift, total).map_or("?".to_string(), |s| format!("{:.1}", 100.0 * s));
            let gives = match c.part {
                Part::Joint(v) if m.turns(v) => format!("{} mrad", number(self.deflection.joints[v] * 1e3)),
                Part::Joint(v) => format!("{} mm", number(self.deflection.joints[v] * 1e3)),
                Part::Link(_) => String::new(),
            };
            [vec![self.part(c.part)], self.shown(&c.tool), vec![share, gives]].concat()
        };
        let mut header = self.header("what gives way");
        header.extend(["of the shift [%]", "it gives way by"]);
        page.table(Table::new(&header, &[0], self.deflection.contributions.iter().map(row)));
    }

    fn strengths(&self, page: &mut Document) {
        if self.strength.is_empty() {
            return;
        }
        let m = self.structure.model();
        let _ = writeln!(page, "\nwhat links bear");
        let row = |s: &armdyn_structure::Strength| {
            vec![
                m.links()[s.link].name.clone(),
                s.stress.map_or("?".into(), |x| number(x * 1e-6)),
                s.stress.map_or("?".into(), |_| number(s.at)),
                s.yield_safety.map_or("?".into(), safety),
                number(s.compression),
                s.critical_loads.map(number).join(", "),
                safety(s.buckling_safety),
                safety(s.amplification),
                s.interaction.map_or("?".into(), safety),
            ]
        };
        let header = [
            "link",
            "stress [MPa]",
            "at [m]",
            "yield safety",
            "compression [N]",
            "buckles at, first modes [N]",
            "buckling safety",
            "bending ×",
            "together (fails above 1)",
        ];
        page.table(Table::new(&header, &[0], self.strength.iter().map(row)));
        for s in &self.strength {
            let name = &m.links()[s.link].name;
            if s.yield_safety.is_some_and(|x| x < 1.0) {
                let _ = writeln!(page, "TOO MUCH: {name} yields");
            }
            if s.buckling_safety < 1.0 {
                let _ = writeln!(page, "TOO MUCH: {name} buckles");
            } else if s.interaction.is_some_and(|x| x > 1.0) {
                let _ = writeln!(page, "TOO MUCH: {name} fails under compression and bending together");
            }
        }
        let unknown: Vec<&str> = self
            .strength
            .iter()
            .filter(|s| s.yield_safety.is_none())
            .map(|s| m.links()[s.link].name.as_str())
            .collect();
        if !unknown.is_empty() {
            let _ = writeln!(page, "?: the section's shape or the yield stress of {} is not known", unknown.join(", "));
        }
    }

    fn corrected(&self, page: &mut Document, what: PutBack, c: &Correction) {
        let m = self.structure.model();
        let what = if what == PutBack::Pose { "tool's place and direction" } else { "tool's place" };
        let _ = writeln!(page, "\njoint values that put the {what} back ({})", many(c.steps, "step"));
        let scale = |v: usize| if self.deg && m.turns(v) { 1f64.to_degrees() } else { 1.0 };
        let row = |v: usize| {
            let unit = position_unit(m, v, self.deg);
            vec![m.dof_names()[v].clone(), number(c.change[v] * scale(v)), unit.to_string()]
        };
        page.table(Table::new(&["joint", "to be added to q", ""], &[0, 2], (0..m.nv()).map(row)));
        if m.nq() == m.nv() {
            let q: Vec<String> = (0..m.nv()).map(|v| format!("{:.9}", c.q[v] * scale(v))).collect();
            let _ = writeln!(page, "q = {}", q.join(","));
        }
        let _ = writeln!(
            page,
            "then the tool is off by {} mm and {} mrad",
            number(c.residual.shift.norm() * 1e3),
            number(c.residual.turn.norm() * 1e3)
        );
    }

    fn vibrations(&self, page: &mut Document, vibrations: &[Vibration]) {
        let _ = writeln!(page, "\nlowest frequencies at this pose, the drives held");
        let row = |(k, v): (usize, &Vibration)| {
            let parts = v.parts.iter().filter(|p| p.1 > TOLD);
            let parts: Vec<String> = parts.map(|(p, x)| format!("{} {:.0} %", self.part(*p), 100.0 * x)).collect();
            let tool: Vec<String> = v.tool.to_array().iter().map(|x| format!("{x:.2}")).collect();
            vec![(k + 1).to_string(), number(v.frequency), format!("({})", tool.join(", ")), parts.join(", ")]
        };
        let header = ["", "frequency [Hz]", "the tool moves along", "what gives way, by energy"];
        page.table(Table::new(&header, &[2, 3], vibrations.iter().enumerate().map(row)));
        let (Some((bandwidth, given)), Some(first)) = (self.bandwidth, vibrations.first()) else { return };
        let how = if given {
            "given".to_string()
        } else {
            format!("{:.0} % of the energy of the accelerations lie below", 100.0 * ENERGY)
        };
        if bandwidth == 0.0 {
            *page += "the motion's bandwidth is 0 Hz: its accelerations do not change\n";
            return;
        }
        let short = dynamic_surplus(bandwidth, first.frequency);
        let _ = writeln!(page, "the motion's bandwidth: {} Hz ({how})", number(bandwidth));
        let _ = if first.frequency >= WELL_BELOW * bandwidth {
            writeln!(
                page,
                "the lowest frequency is {:.1} times that: statics is short by {:.1} % of a harmonic there, by up to the half of a \
                 sudden change of acceleration",
                first.frequency / bandwidth,
                100.0 * short
            )
        } else if short.is_finite() {
            writeln!(
                page,
                "TOO FAST for statics: the lowest frequency is {:.2} times the bandwidth, and should be {WELL_BELOW} times; the true \
                 amplitude can be {:.0} % greater",
                first.frequency / bandwidth,
                100.0 * short
            )
        } else {
            writeln!(page, "TOO FAST for statics: the motion reaches the lowest frequency, and can shake the robot")
        };
    }

    fn map(&self, page: &mut Document) {
        let Some(map) = &self.map else { return };
        let m = self.structure.model();
        let (worst, q) = &map.worst;
        let scale = |v: usize| if self.deg && m.turns(v) { 1f64.to_degrees() } else { 1.0 };
        let pose: Vec<String> = q.iter().enumerate().map(|(v, x)| format!("{:.4}", x * scale(v))).collect();
        let _ = writeln!(
            page,
            "\nover {} of the box (sampled), at rest: the tool is off by {} mm at most, at q = ({})",
            many(map.poses, "pose"),
            number(worst.shift.norm() * 1e3),
            pose.join(", ")
        );
        let reached = map.greatest.iter().filter(|x| !x.is_nan()).count();
        let _ = writeln!(
            page,
            "the map has {} that {} reached; see --plot map",
            many(reached, "cell"),
            many(map.in_plane, "pose")
        );
    }
}

/// How much of a shift is along the whole one, as a share of that.
pub(super) fn share(part: Vec3<f64>, whole: Vec3<f64>) -> Option<f64> {
    let square = whole.norm_squared();
    (square > 0.0).then(|| part.dot(whole) / square)
}

/// A factor; beyond counting where nothing loads it.
fn safety(x: f64) -> String {
    if x.is_finite() { number(x) } else { "∞".to_string() }
}
