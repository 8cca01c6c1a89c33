//! What `armdyn simulate` says.

use super::Found;
use crate::document::{Document, Table};
use crate::format::{number, torque_unit};
use armdyn_mobile::Sample;
use std::fmt::Write;

impl Found<'_> {
    /// How great a quantity is at most, and when first.
    pub fn greatest(&self, of: impl Fn(&Sample) -> f64) -> (f64, f64) {
        let all = self.run.samples.iter().map(|s| (of(s), s.t));
        all.reduce(|most, next| if next.0 > most.0 { next } else { most }).unwrap_or((0.0, 0.0))
    }

    /// Name, value, unit and instant of what is worth knowing about the base.
    pub fn figures(&self) -> Vec<(&'static str, f64, &'static str, f64)> {
        let end = self.run.end();
        let (x, y, z) = (end.position.x, end.position.y, end.position.z);
        let mut all = vec![("x at the end", x, "m", end.t), ("y at the end", y, "m", end.t)];
        if self.base.floats() {
            all.push(("z at the end", z, "m", end.t));
            // From where it looked at first; by both parts, as a small turn drowns in the cosine's rounding.
            let ([a, b, c, d], [p, q, r, s]) = (self.run.samples[0].quaternion(), end.quaternion());
            let across = [d * p - s * a + c * q - b * r, d * q - s * b + a * r - c * p, d * r - s * c + b * p - a * q];
            let along = a * p + b * q + c * r + d * s;
            let turned = 2.0 * across.iter().map(|x| x * x).sum::<f64>().sqrt().atan2(along.abs());
            all.push(("turned at the end", self.angle(turned), self.angle_unit(), end.t));
        } else {
            all.push(("heading at the end", self.angle(end.heading()), self.angle_unit(), end.t));
        }
        let (speed, at) = self.greatest(|s| s.twist.linear.norm());
        all.push(("greatest speed", speed, "m/s", at));
        let (turning, at) = self.greatest(|s| s.twist.angular.norm());
        all.push(("greatest turning", self.angle(turning), if self.deg { "°/s" } else { "rad/s" }, at));
        if !self.base.floats() {
            let (margin, at) = self.greatest(|s| -s.instant.tip_margin);
            all.push(("least distance to tipping", -margin, "m", at));
        }
        if end.instant.sideways.is_finite() {
            let (force, at) = self.greatest(|s| s.instant.sideways.abs());
            all.push(("greatest force sideways", force, "N", at));
        }
        all
    }

    /// The page.
    pub fn page(&self) -> Document {
        let (mut page, run) = (Document::default(), &self.run);
        let [base, motion] = &self.words;
        // Writing to a page does not fail.
        let _ = writeln!(page, "`{}` {base}, {motion}: {} s", self.m.name(), number(run.end().t));
        for note in &self.notes {
            let _ = writeln!(page, "note: {note}");
        }
        let _ = writeln!(page, "\nThe base\n");
        let row = |(what, value, unit, t): (&'static str, f64, &'static str, f64)| {
            vec![what.to_string(), number(value), unit.to_string(), number(t)]
        };
        page.table(Table::new(&["", "value", "unit", "at [s]"], &[0, 2], self.figures().into_iter().map(row)));
        if !self.base.floats() {
            let _ = writeln!(page, "\nWeight on the wheels\n");
            let rows = self.base.wheels().iter().enumerate().map(|(k, wheel)| {
                let (least, at) = self.greatest(|s| -s.instant.weights[k]);
                let (most, when) = self.greatest(|s| s.instant.weights[k]);
                let kind = wheel.kind.name().to_string();
                vec![wheel.name.clone(), kind, number(-least), number(at), number(most), number(when)]
            });
            let header = ["wheel", "", "least [N]", "at [s]", "greatest [N]", "at [s]"];
            page.table(Table::new(&header, &[0, 1], rows));
        }
        let _ = writeln!(page, "\nThe arm's joints, on the base as it moves\n");
        let rows = self.m.dof_names().iter().enumerate().map(|(k, name)| {
            let (most, at) = self.greatest(|s| s.instant.tau[k].abs());
            vec![name.clone(), number(most), torque_unit(self.m, k).to_string(), number(at)]
        });
        page.table(Table::new(&["joint", "greatest torque", "unit", "at [s]"], &[0, 2], rows));
        if !run.events.is_empty() {
            let _ = writeln!(page, "\nWhat happens\n");
            let rows = run.events.iter().map(|e| vec![format!("{:.9}", e.t), self.words_of(&e.what)]);
            page.table(Table::new(&["at [s]", ""], &[1], rows));
        }
        let b = &run.balance;
        let drive =
            if self.base.driven().next().is_some() { format!(", drive {} J", number(b.drive)) } else { String::new() };
        let _ = writeln!(
            page,
            "\nEnergy: joints {} J{drive}, friction took {} J, it grew by {} J; the balance is off by {:.1e} J.",
            number(b.joints),
            number(b.rubbing),
            number(b.energy),
            b.residual
        );
        if self.base.floats() {
            let _ = writeln!(
                page,
                "Momentum changed by {:.1e} kg m/s and {:.1e} kg m²/s, of {} and {} at most in play.",
                b.linear_momentum,
                b.angular_momentum,
                number(b.momentum_scale[0]),
                number(b.momentum_scale[1])
            );
        }
        page
    }
}
