//! What `armdyn size` found, to read.

use super::Found;
use crate::document::{Document, Table};
use crate::format::{self, many, number, torque_unit};
use crate::progress;
use armdyn_design::{Accelerations, Binding, DriveLoad, Least, LeastAccelerations, Limit, Masses};
use armdyn_numerics::Peak;
use std::fmt::Write;

/// Parts of a worst instant that are shown.
const PARTS: usize = 4;

impl Found<'_> {
    /// All of it.
    pub fn page(&self) -> Document {
        let mut text = Document::default();
        let t = &self.trajectory.t;
        let seen = self.sizing.samples;
        let _ = writeln!(text, "{}: {}", self.m.name(), self.motion);
        let _ = writeln!(text, "{} s, {}", number(t[seen - 1] - t[0]), many(seen, "sample"));
        if progress::interrupted() {
            let told = "PARTIAL: it was ended early; what follows is of what was done by then, and the rest is missing";
            let _ = writeln!(text, "{told}");
        }
        for note in &self.notes {
            let _ = writeln!(text, "{note}");
        }
        self.drives(&mut text);
        self.worst(&mut text);
        if !self.wrenches.is_empty() {
            self.wrenches(&mut text);
        }
        self.more(&mut text);
        if let Some(least) = &self.least {
            self.least(&mut text, least);
        }
        if let Some((q, at)) = &self.at {
            self.accelerations(&mut text, q, at);
        }
        text
    }

    fn speed_unit(&self, dof: usize) -> String {
        format!("{}/s", format::position_unit(self.m, dof, self.deg))
    }

    fn drives(&self, text: &mut Document) {
        let all = || self.sizing.drives.iter().enumerate();
        let name = |i: usize| self.m.dof_names()[i].clone();
        let row = |(i, d): (usize, &DriveLoad)| {
            let figures = [d.peak.value, d.rms, d.p95].map(|x| short(x.abs()));
            let speeds = [d.speed.value.abs(), d.speed_rms].map(|x| short(self.rate(i, x)));
            let powers = [d.motoring.value, d.braking.value, d.work, d.returned].map(short);
            let units = [torque_unit(self.m, i).to_string(), self.speed_unit(i)];
            let [torque, speed] = units;
            let row = [vec![name(i)], figures.to_vec(), vec![torque], speeds.to_vec(), vec![speed], powers.to_vec()];
            row.concat()
        };
        let header = [
            "joint",
            "torque peak",
            "RMS",
            "95 %",
            "",
            "speed peak",
            "RMS",
            "",
            "gives [W]",
            "takes [W]",
            "work [J]",
            "returned [J]",
        ];
        let _ = writeln!(text, "\nwhat each drive does");
        text.table(Table::new(&header, &[0, 4, 7], all().map(row)));
        type Share = fn(&DriveLoad) -> Option<f64>;
        let columns: [(&str, Share); 5] = [
            ("peak of effort [%]", |d| d.effort_used),
            ("RMS of rated [%]", |d| d.rated_used),
            ("speed of limit [%]", |d| d.speed_used),
            ("above rated [% of time]", |d| d.above_rated),
            ("moves [% of time]", |d| Some(d.moving)),
        ];
        let known: Vec<_> =
            columns.into_iter().filter(|(_, of)| self.sizing.drives.iter().any(|d| of(d).is_some())).collect();
        let header: Vec<&str> = std::iter::once("joint").chain(known.iter().map(|(h, _)| *h)).collect();
        let row = |(i, d): (usize, &DriveLoad)| {
            let figure =
                |of: fn(&DriveLoad) -> Option<f64>| of(d).map_or("?".to_string(), |x| format!("{:.1}", 100.0 * x));
            std::iter::once(name(i)).chain(known.iter().map(|(_, of)| figure(*of))).collect()
        };
        let _ = writeln!(text, "\nhow much of its limits that is (moves: faster than 1 % of its peak speed)");
        text.table(Table::new(&header, &[0], all().map(row)));
        for (i, d) in all() {
            for (used, what) in
                [(d.effort_used, "effort"), (d.rated_used, "rated torque"), (d.speed_used, "speed limit")]
            {
                if let Some(used) = used.filter(|u| *u > 1.0 + 1e-9) {
                    let _ = writeln!(text, "TOO MUCH: {} needs {:.1} % of its {what}", name(i), 100.0 * used);
                }
            }
        }
    }

    fn worst(&self, text: &mut Document) {
        let _ = writeln!(text, "\nthe worst instant of each drive");
        for (i, d) in self.sizing.drives.iter().enumerate() {
            let unit = torque_unit(self.m, i);
            let state = self.trajectory.state(d.peak.sample);
            let _ = writeln!(
                text,
                "{}: {} {unit} at {} s",
                self.m.dof_names()[i],
                number(d.peak.value),
                number(self.trajectory.t[d.peak.sample])
            );
            for (name, values) in ["q", "q̇", "q̈"].iter().zip(state) {
                let values: Vec<String> = values.iter().enumerate().map(|(i, x)| short(self.rate(i, *x))).collect();
                let _ = writeln!(text, "  {name} = {}", values.join(", "));
            }
            let part = |s: &armdyn_core::Contribution<f64>| format!("{} {}", s.cause.describe(self.m), short(s.torque));
            let shown: Vec<String> = d.parts.contributions.iter().take(PARTS).map(part).collect();
            let rest: f64 = d.parts.contributions.iter().skip(PARTS).map(|s| s.torque).sum();
            let others = d.parts.contributions.len().saturating_sub(PARTS);
            let others = if others > 0 { format!("; {others} others {}", short(rest)) } else { String::new() };
            let _ = writeln!(text, "  = {}{others}", shown.join("; "));
        }
    }

    fn wrenches(&self, text: &mut Document) {
        let at = |p: &Peak| [short(p.value), format!("@{}", short(self.trajectory.t[p.sample]))].join(" ");
        let _ =
            writeln!(text, "\nwhat each joint bears: peaks of its wrench on the link that it moves, and when (@ s)");
        let rows = self.wrenches.iter().map(|w| {
            let figures = w.force.iter().chain([&w.radial]).chain(&w.moment).chain([&w.tilting]).map(at);
            std::iter::once(self.m.joints()[w.joint].name.clone()).chain(figures).collect::<Vec<String>>()
        });
        let header = ["joint", "force x [N]", "y", "z", "across z", "moment x [N m]", "y", "z", "across z"];
        text.table(Table::new(&header, &[0], rows));
        *text += "in the joint's frame: z along its axis (axial force, the drive's torque), across it radial force and tilting moment; \
                  a fixed joint's is that of the link behind it\n";
    }

    /// The largest payload and the largest time scaling.
    fn more(&self, text: &mut Document) {
        let _ = writeln!(text);
        let some = self.limits.effort.iter().any(|e| e.is_infinite());
        let known = if some { " (by the efforts that are known)" } else { "" };
        if let Some((load, masses)) = &self.payload {
            let c = load.per_kilogram.centre();
            let place =
                format!("{} ({}, {}, {} m)", self.m.links()[load.link].name, short(c.x), short(c.y), short(c.z));
            let others: Vec<String> =
                self.m.payloads().iter().map(|p| format!("{} kg", number(p.in_link.mass))).collect();
            let instead =
                if others.is_empty() { String::new() } else { format!(", in place of {}", others.join(", ")) };
            let _ = writeln!(
                text,
                "largest payload on this motion, a point at {place}{instead}{known}: {}",
                self.carried(masses)
            );
        }
        if let Some(scaling) = &self.scaling {
            let by = self.because(&scaling.by);
            let _ = match scaling.factor {
                None => writeln!(text, "largest time scaling: none; no speed is slow enough for {by}"),
                Some(s) if s.is_infinite() => writeln!(text, "largest time scaling: nothing known bounds it"),
                Some(s) => {
                    writeln!(text, "largest time scaling{known}: {} times as fast, then {by} is reached", number(s))
                }
            };
        }
        if let Some((map, allowed)) = &self.capacity {
            let how = match allowed {
                None => "at rest".to_string(),
                Some(a) => {
                    let a: Vec<String> = a.iter().enumerate().map(|(i, x)| short(self.rate(i, *x))).collect();
                    format!("with accelerations up to ±({})", a.join(", "))
                }
            };
            let reached = map.least.iter().filter(|x| !x.is_nan()).count();
            let most = map.best.iter().filter(|x| !x.is_nan()).fold(0.0_f64, |m, x| m.max(*x));
            let (least, q) = &map.everywhere;
            let everywhere = if *least > 0.0 {
                format!("{} kg in every one, least at q = {}", number(*least), self.pose(q))
            } else {
                format!("none in some, that cannot hold the robot alone, such as q = {}", self.pose(q))
            };
            let poses = many(map.poses, "pose");
            let _ = writeln!(
                text,
                "payload {how}, friction left out, over {poses} of the box (sampled): {everywhere}; up to {} kg in the best",
                number(most)
            );
            let _ = writeln!(
                text,
                "the map has {reached} cells that {} reached; see --plot payload, --plot best",
                many(map.in_plane, "pose")
            );
        }
    }

    fn carried(&self, masses: &Masses) -> String {
        let by = self.because(&masses.by);
        match masses.largest() {
            None => format!("none; {by} is too small even for the robot alone"),
            Some(most) if most.is_infinite() => "nothing known bounds it".to_string(),
            Some(most) if masses.least > 0.0 => {
                format!("{} kg, and at least {} kg; then {by} is reached", number(most), number(masses.least))
            }
            Some(most) => format!("{} kg, then {by} is reached", number(most)),
        }
    }

    fn because(&self, by: &Option<Binding>) -> String {
        let Some(Binding { dof, limit, sample }) = by else { return "a limit".to_string() };
        let name = &self.m.dof_names()[*dof];
        let when = sample.map_or(String::new(), |k| format!(" at {} s of the motion", short(self.trajectory.t[k])));
        match limit {
            Limit::Rated => format!("the rated torque of {name}"),
            other => format!("the {} of {name}{when}", other.name()),
        }
    }

    fn pose(&self, q: &[f64]) -> String {
        let values: Vec<String> = q.iter().enumerate().map(|(i, x)| short(self.rate(i, *x))).collect();
        format!("({})", values.join(", "))
    }

    fn least(&self, text: &mut Document, least: &LeastAccelerations) {
        let _ = writeln!(
            text,
            "\nleast accelerations from rest over {} of the box (sampled), the other joints held, friction left out",
            many(least.poses, "pose")
        );
        let row = |(i, (f, b)): (usize, (&Least, &Least))| {
            let unit = format!("{}/s²", format::position_unit(self.m, i, self.deg));
            let one = |l: &Least| [short(self.rate(i, l.value)), self.pose(&l.q)];
            [vec![self.m.dof_names()[i].clone()], one(f).to_vec(), one(b).to_vec(), vec![unit]].concat()
        };
        let rows = least.forward.iter().zip(&least.backward).enumerate().map(row);
        text.table(Table::new(&["joint", "forward", "at q", "backward", "at q", ""], &[0, 2, 4, 5], rows));
        if least.forward.iter().chain(&least.backward).any(|l| l.value < 0.0) {
            *text += "below 0: the pose cannot be held, and the joint has to give way\n";
        }
        if let Some((least, p5, half)) = &least.tip {
            let _ = writeln!(
                text,
                "tip, in every direction that it can move in: {} m/s² at least, at q = {}; {} in 95 % of the poses, {} in half of them",
                number(least.value),
                self.pose(&least.q),
                number(*p5),
                number(*half)
            );
        }
    }

    fn accelerations(&self, text: &mut Document, q: &[f64], at: &Accelerations) {
        let _ = writeln!(
            text,
            "\naccelerations from rest at q = {}, the other joints held, friction left out",
            self.pose(q)
        );
        let rows = (0..self.m.nv()).map(|i| {
            let one = |(x, by): (f64, usize)| vec![short(self.rate(i, x)), self.m.dof_names()[by].clone()];
            let unit = format!("{}/s²", format::position_unit(self.m, i, self.deg));
            [vec![self.m.dof_names()[i].clone()], one(at.forward[i]), one(at.backward[i]), vec![unit]].concat()
        });
        text.table(Table::new(
            &["joint", "forward", "by the drive of", "backward", "by the drive of", ""],
            &[0, 2, 4, 5],
            rows,
        ));
        if let Some(tip) = &at.tip {
            let axis =
                |k: usize| format!("{} −{}…+{}", ["x", "y", "z"][k], short(tip.along[k][0]), short(tip.along[k][1]));
            let _ = writeln!(
                text,
                "tip [m/s²]: {}, {}, {}; {} in every one of its {}",
                axis(0),
                axis(1),
                axis(2),
                short(tip.every),
                many(tip.directions, "direction")
            );
        }
    }
}

/// Four digits or so.
fn short(x: f64) -> String {
    if x == 0.0 {
        return "0".to_string();
    }
    if !x.is_finite() {
        return "∞".to_string();
    }
    let digits = (3 - x.abs().log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{x:.digits$}");
    if x.abs() < 1e-6 || x.abs() >= 1e7 { format!("{x:.3e}") } else { text }
}
