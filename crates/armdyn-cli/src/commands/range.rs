//! `armdyn range`: ranges of inertia and gravity at each joint, without and with payload.

use crate::args::Range;
use crate::document::{Document, Table};
use crate::format::{number, optional};
use crate::output::Output;
use crate::shown::Shown;
use crate::values::Reader;
use crate::{CommandError, CommandResult, progress};
use armdyn_core::Model;
use armdyn_design::range::{Extremum, JointExtrema, RangeOptions, RangeReport, range};
use std::fmt::Write;

/// Runs the command.
pub fn run(m: &Model<f64>, args: &Range) -> CommandResult {
    Output::of(args.robot.json, &report(m, args)?, |report| view(report, m, args.within.deg))
}

/// The result for a loaded robot.
pub fn report(m: &Model<f64>, args: &Range) -> Result<RangeReport, CommandError> {
    let ranges = Reader { model: m, deg: args.within.deg }.joint_ranges(&args.within.ranges)?;
    if args.guaranteed && !(args.gap > 0.0 && args.gap < 1.0) {
        return Err(format!("invalid `--gap {}`: expected a fraction between 0 and 1, such as `1%`", args.gap).into());
    }
    let options = RangeOptions { gap: args.guaranteed.then_some(args.gap), budget: args.budget, seed: args.seed };
    Ok(progress::with_progress(|progress| range(m, &ranges, options, progress))?)
}

/// The report as a document.
pub fn view(report: &RangeReport, m: &Model<f64>, deg: bool) -> Document {
    let (view, mut doc) = (View { report, shown: Shown { m, deg } }, Document::from(format!("{}: ", report.robot)));
    let _ = match report.gap {
        None => writeln!(doc, "extrema found by search, without guaranteed bounds"),
        Some(gap) => writeln!(
            doc,
            "extrema with guaranteed bounds over the joint ranges (≥, ≤; – if none); requested gap {} %",
            number(100.0 * gap)
        ),
    };
    for (caption, table) in [
        ("Inertia D_ii, including the drive", view.inertia()),
        ("Gravity torque |D_i|", view.gravity()),
        ("Coupling: effect of joint j's acceleration on joint i", view.couplings()),
        ("Configurations (·: any value)", view.poses()),
    ] {
        let _ = writeln!(doc, "\n{caption}");
        doc.table(table);
    }
    doc += "\n";
    type Known = fn(&JointExtrema) -> bool;
    let missing: [(&str, Known, &str); 3] = [
        ("effort limit", |j| j.effort.is_some(), "`effort` in its limits"),
        ("continuous torque", |j| j.continuous.is_some(), "`continuous` in its limits"),
        ("gear ratio", |j| j.gear_ratio.is_some(), "`gear` in its drive"),
    ];
    for (what, known, field) in missing {
        let joints: Vec<&str> =
            report.payloads[0].joints.iter().filter(|j| !known(j)).map(|j| j.joint.as_str()).collect();
        if !joints.is_empty() {
            let _ = writeln!(doc, "note: no {what} for {}; add {field} to the robot file", joints.join(", "));
        }
    }
    if report.partial {
        doc += "partial: ended by the budget or Ctrl-C; bounds are guaranteed, but some gaps are larger than requested (increase --budget)\n";
    }
    doc
}

struct View<'a> {
    report: &'a RangeReport,
    shown: Shown<'a>,
}

fn table(header: &[String], rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    Table::new(&header, &[0, 1, 2], rows)
}

impl View<'_> {
    /// Each joint with each payload.
    fn rows(&self) -> impl Iterator<Item = (usize, &str, &JointExtrema)> {
        let payloads = &self.report.payloads;
        (0..payloads[0].joints.len())
            .flat_map(move |i| payloads.iter().map(move |p| (i, p.payload.as_deref().unwrap_or("none"), &p.joints[i])))
    }

    fn has(&self, value: impl Fn(&JointExtrema) -> Option<f64>) -> bool {
        self.rows().any(|(_, _, j)| value(j).is_some())
    }

    /// The cells of an extremum: value, and with bounds also bound and gap. Values up to `zero` print as 0.
    fn cells(&self, e: &Extremum, zero: f64) -> Vec<String> {
        self.scaled_cells(e, zero, 1.0)
    }

    /// Those cells in another unit.
    fn scaled_cells(&self, e: &Extremum, zero: f64, scale: f64) -> Vec<String> {
        let text = |x: f64| if x.abs() <= zero { "0".to_string() } else { number(scale * x) };
        let mut cells = vec![text(e.value)];
        if self.report.guaranteed {
            let none = || "–".to_string();
            cells.push(e.bound.filter(|b| b.is_finite()).map_or_else(none, text));
            let gap = if e.value.abs() <= zero { e.bound.map(|_| 0.0) } else { e.gap() };
            cells.push(gap.map_or_else(none, |g| if g < 10.0 { format!("{:.2}", 100.0 * g) } else { "> 999".into() }));
        }
        cells
    }

    /// The headers of those cells.
    fn header(&self, name: &str, max: bool) -> Vec<String> {
        let bound = self.report.gap.map(|_| [if max { "≤" } else { "≥" }, "gap [%]"].map(String::from));
        std::iter::once(name.to_string()).chain(bound.into_iter().flatten()).collect()
    }

    fn extrema_header(&self) -> Vec<String> {
        let first = ["joint", "payload", "unit"].map(String::from).to_vec();
        [first, self.header("minimum", false), self.header("maximum", true)].concat()
    }

    fn inertia(&self) -> Table {
        let motor = self.has(|j| j.gear_ratio);
        let mut header = self.extrema_header();
        header.push("max / unloaded min".to_string());
        if motor {
            header.extend(["min at motor", "max [kg m²]"].map(String::from));
        }
        let rows = self.rows().map(|(i, payload, j)| {
            let (unloaded, inertia) = (self.report.payloads[0].joints[i].inertia.minimum.value, &j.inertia);
            let mut row = vec![j.joint.clone(), payload.to_string(), inertia.unit.to_string()];
            row.extend([self.cells(&inertia.minimum, 0.0), self.cells(&inertia.maximum, 0.0)].concat());
            row.push(number(inertia.maximum.value / unloaded));
            if motor {
                row.extend([inertia.minimum_at_motor, inertia.maximum_at_motor].map(optional));
            }
            row
        });
        table(&header, rows)
    }

    fn gravity(&self) -> Table {
        type Column = fn(&JointExtrema) -> Option<f64>;
        let columns: [(&str, f64, Column); 3] = [
            ("at motor [N m]", 1.0, |j| j.gravity.maximum_at_motor),
            ("of effort [%]", 100.0, |j| j.gravity.effort_fraction),
            ("of continuous [%]", 100.0, |j| j.gravity.continuous_fraction),
        ];
        let columns: Vec<_> = columns.into_iter().filter(|(_, _, value)| self.has(value)).collect();
        let margin = self.has(|j| j.effort.map(|[_, upper]| upper));
        let mut header = self.extrema_header();
        header.extend(columns.iter().map(|c| c.0.to_string()));
        if margin {
            header.extend([self.header("margin", false), vec!["unit".to_string()]].concat());
        }
        let zero = 1e-8 * self.rows().fold(0.0, |m: f64, (_, _, j)| m.max(j.gravity.maximum.value));
        let rows = self.rows().map(|(i, payload, j)| {
            let gravity = &j.gravity;
            let mut row = vec![j.joint.clone(), payload.to_string(), gravity.unit.to_string()];
            row.extend([self.cells(&gravity.minimum, zero), self.cells(&gravity.maximum, zero)].concat());
            let vanishes = gravity.maximum.value <= zero;
            let cell = |x: Option<f64>, unit: f64| optional(x.map(|x| if vanishes { 0.0 } else { unit * x }));
            row.extend(columns.iter().map(|(_, unit, value)| cell(value(j), *unit)));
            if margin {
                let empty = || [vec!["–".to_string(); self.header("", false).len()], vec![String::new()]].concat();
                let cells = j.acceleration_margin.as_ref();
                let (scale, unit) = (self.shown.value(i, 1.0), vec![self.shown.rate_unit(i, "s²")]);
                let cells = cells.map(|a| [self.scaled_cells(&a.minimum, 0.0, scale), unit].concat());
                row.extend(cells.unwrap_or_else(empty));
            }
            row
        });
        table(&header, rows)
    }

    fn couplings(&self) -> Table {
        let mut header: Vec<String> = ["i", "j", "payload"].map(String::from).to_vec();
        header.extend(self.header("max |D_ij|/D_ii", true));
        header.push("unit".to_string());
        header.extend(self.header("|D_ij|/√(D_ii D_jj)", true));
        let dof = |name: &str| self.shown.m.dof_names().iter().position(|n| n == name);
        let rows = self.rows().flat_map(|(i, payload, joint)| {
            joint.couplings.iter().filter_map(move |c| Some((dof(&c.joint)?, c))).map(move |(j, c)| {
                let mut row = vec![joint.joint.clone(), c.joint.clone(), payload.to_string()];
                row.extend(self.scaled_cells(&c.ratio, 0.0, self.shown.coupling(i, j, 1.0)));
                row.push(self.shown.coupling_unit(i, j));
                row.extend(self.cells(&c.correlation, 0.0));
                row
            })
        });
        table(&header, rows)
    }

    fn poses(&self) -> Table {
        let ranges = &self.report.ranges;
        let mut header: Vec<String> = ["joint", "payload", "extremum"].map(String::from).to_vec();
        header.extend(ranges.iter().enumerate().map(|(k, r)| format!("{} [{}]", r.joint, self.shown.position_unit(k))));
        let rows = self.rows().flat_map(|(_, payload, j)| {
            let extrema = [
                ("min inertia", Some(&j.inertia.minimum)),
                ("max inertia", Some(&j.inertia.maximum)),
                ("min gravity", Some(&j.gravity.minimum)),
                ("max gravity", Some(&j.gravity.maximum)),
                ("min margin", j.acceleration_margin.as_ref().map(|a| &a.minimum)),
            ];
            extrema.into_iter().filter_map(move |(what, e)| {
                let e = e.filter(|e| e.depends.contains(&true))?;
                let cell = |k: usize| if e.depends[k] { self.shown.number(k, e.at[k]) } else { "·".into() };
                let names = [j.joint.clone(), payload.to_string(), what.to_string()];
                Some(names.into_iter().chain((0..e.at.len()).map(cell)).collect())
            })
        });
        table(&header, rows)
    }
}
