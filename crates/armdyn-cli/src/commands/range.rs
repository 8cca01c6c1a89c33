//! `armdyn range`: how inertia and gravity vary at each joint, with and without its load.

use crate::args::Range;
use crate::document::{Document, Table};
use crate::values::Reader;
use crate::{CommandResult, format, progress, robot};
use armdyn_core::Model;
use armdyn_design::range::{Extreme, JointRange, RangeOptions, Ranges, ranges};
use armdyn_numerics::JointRanges;
use serde_json::{Value, json};
use std::fmt::Write;

/// The robot with its payloads, or without.
struct Case {
    name: String,
    found: Ranges,
}

/// Ranges over the box; of a robot that carries something, without it as well.
pub fn run(args: &Range) -> CommandResult {
    answer(&robot::open(&args.robot)?, args)
}

/// The same of a robot that was opened.
pub fn answer(m: &Model<f64>, args: &Range) -> CommandResult {
    let region = Reader { model: m, deg: args.within.deg }.joint_ranges(&args.within.ranges)?;
    let gap = if args.guaranteed { Some(gap(args.gap)?) } else { None };
    let options = RangeOptions { gap, time: args.budget, seed: args.seed };
    let mut models = vec![("no load".to_string(), m.without_payloads())];
    if !m.payloads().is_empty() {
        let names: Vec<&str> = m.payloads().iter().map(|p| p.name.as_str()).collect();
        models.push((names.join(" + "), m.clone()));
    }
    let cases = progress::with_progress(|progress| {
        let one = |(name, m): (String, Model<f64>)| Ok(Case { name, found: ranges(&m, &region, options, progress)? });
        models.into_iter().map(one).collect::<Result<Vec<_>, armdyn_numerics::Error>>()
    });
    let cases = cases.map_err(|e| e.to_string())?;
    let told = Told { m, region: &region, cases: &cases, deg: args.within.deg, gap };
    Ok(if args.robot.json { told.json().into() } else { told.page().into() })
}

/// How near the bounds shall be.
fn gap(gap: f64) -> Result<f64, String> {
    match gap {
        x if x > 0.0 && x < 1.0 => Ok(x),
        _ => {
            Err(format!("invalid gap `{gap}` for `--gap`: expected a fraction between 0 and 1, such as `1%` or `0.01`"))
        }
    }
}

/// What is to be told.
struct Told<'a> {
    m: &'a Model<f64>,
    region: &'a JointRanges,
    cases: &'a [Case],
    deg: bool,
    gap: Option<f64>,
}

/// The units of a joint's inertia, torque and acceleration.
fn units(turns: bool) -> [&'static str; 3] {
    if turns { ["kg m²", "N m", "rad/s²"] } else { ["kg", "N", "m/s²"] }
}

/// The unit of |D_ij|/D_ii: an acceleration of joint i by one of joint j.
fn ratio_unit(i: bool, j: bool) -> &'static str {
    match (i, j) {
        (true, false) => "rad/m",
        (false, true) => "m/rad",
        _ => "1",
    }
}

impl Told<'_> {
    /// Each joint, with and without load.
    fn rows(&self) -> impl Iterator<Item = (usize, &str, &JointRange)> {
        (0..self.m.nv()).flat_map(|i| self.cases.iter().map(move |c| (i, c.name.as_str(), &c.found.joints[i])))
    }

    fn has(&self, of: impl Fn(&JointRange) -> Option<f64>) -> bool {
        self.rows().any(|(_, _, j)| of(j).is_some())
    }

    fn partial(&self) -> bool {
        progress::interrupted() || self.cases.iter().any(|c| c.found.partial)
    }

    fn page(&self) -> Document {
        let mut text = Document::from(format!("{}, ", self.m.name()));
        let _ = match self.gap {
            None => writeln!(text, "as found by search: poses with these values exist, and none better was seen"),
            Some(gap) => writeln!(
                text,
                "guaranteed: no configuration of the box is beyond the proven bounds (≥, ≤; – where there is none); gap asked \
                 for {} %",
                format::number(100.0 * gap)
            ),
        };
        for (caption, table) in [
            ("Total inertia D_ii, drive included", self.inertia()),
            ("Gravity |D_i|", self.gravity()),
            ("Coupling: what joint i feels of joint j's acceleration", self.couplings()),
            ("Where (·: any)", self.poses()),
        ] {
            let _ = writeln!(text, "\n{caption}");
            text.table(table);
        }
        let _ = writeln!(text);
        for (what, lacking, remedy) in [
            (
                "effort limit",
                self.lacking(|j| j.effort),
                "shares of it and the acceleration margin; give `effort` in its limits",
            ),
            ("rated torque", self.lacking(|j| j.rated), "shares of it; give `rated` in its limits"),
            ("gear", self.lacking(|j| j.gear), "values at the motor; give `gear` in its drive"),
        ] {
            if !lacking.is_empty() {
                let _ = writeln!(text, "no {what} of {}: without it there are no {remedy}", lacking.join(", "));
            }
        }
        if self.partial() {
            let _ = writeln!(
                text,
                "partial: the budget or Ctrl-C ended it; the bounds are proven, but some gaps are larger than asked (a longer \
                 --budget narrows them)"
            );
        }
        text
    }

    fn lacking(&self, of: impl Fn(&JointRange) -> Option<f64>) -> Vec<String> {
        self.cases[0].found.joints.iter().filter(|j| of(j).is_none()).map(|j| j.name.clone()).collect()
    }

    /// The columns of an extreme: its value, and its bound and gap; – where nothing was proven.
    fn cells(&self, e: &Extreme, nothing: f64) -> Vec<String> {
        let tell = |x: f64| if x.abs() <= nothing { "0".to_string() } else { format::number(x) };
        let mut cells = vec![tell(e.value)];
        if self.gap.is_some() {
            let none = || "–".to_string();
            cells.push(e.bound.filter(|b| b.is_finite()).map_or_else(none, tell));
            let gap = if e.value.abs() <= nothing { e.bound.map(|_| 0.0) } else { e.gap() };
            cells.push(
                gap.map_or_else(none, |gap| if gap < 10.0 { format!("{:.2}", 100.0 * gap) } else { "> 999".into() }),
            );
        }
        cells
    }

    /// The heads of those columns.
    fn heads(&self, name: &str, most: bool) -> Vec<String> {
        let bound = self.gap.map(|_| [if most { "≤" } else { "≥" }, "gap [%]"].map(String::from));
        std::iter::once(name.to_string()).chain(bound.into_iter().flatten()).collect()
    }

    fn inertia(&self) -> Table {
        let motor = self.has(|j| j.gear);
        let mut header = vec!["joint".to_string(), "load".to_string(), "unit".to_string()];
        header.extend([self.heads("least", false), self.heads("greatest", true)].concat());
        header.push("× unloaded least".to_string());
        if motor {
            header.extend(["at motor".to_string(), "to [kg m²]".to_string()]);
        }
        let rows = self.rows().map(|(i, load, j)| {
            let first = self.cases[0].found.joints[i].inertia_min.value;
            let mut row = vec![j.name.clone(), load.to_string(), units(j.turns)[0].to_string()];
            row.extend([self.cells(&j.inertia_min, 0.0), self.cells(&j.inertia_max, 0.0)].concat());
            row.push(format!("{:.3}", j.inertia_max.value / first));
            if motor {
                row.extend([&j.inertia_min, &j.inertia_max].map(|e| optional(j.inertia_at_motor(e.value))));
            }
            row
        });
        table(&header, rows)
    }

    fn gravity(&self) -> Table {
        let (motor, effort, rated) = (self.has(|j| j.gear), self.has(|j| j.effort), self.has(|j| j.rated));
        let mut header = vec!["joint".to_string(), "load".to_string(), "unit".to_string()];
        header.extend([self.heads("least", false), self.heads("greatest", true)].concat());
        let named = [(motor, "at motor [N m]"), (effort, "of effort [%]"), (rated, "of rated [%]")];
        header.extend(named.iter().filter(|n| n.0).map(|n| n.1.to_string()));
        if effort {
            header.extend([self.heads("least margin", false), vec!["unit".to_string()]].concat());
        }
        let heaviest = self.rows().fold(0.0, |m: f64, (_, _, j)| m.max(j.gravity_max.value));
        let rows = self.rows().map(|(_, load, j)| {
            let nothing = 1e-8 * heaviest;
            let mut row = vec![j.name.clone(), load.to_string(), units(j.turns)[1].to_string()];
            row.extend([self.cells(&j.gravity_min, nothing), self.cells(&j.gravity_max, nothing)].concat());
            let real = |x: Option<f64>| x.map(|x| if j.gravity_max.value <= nothing { 0.0 } else { x });
            let percent = |x: Option<f64>| real(x).map_or("–".to_string(), |x| format!("{:.2}", 100.0 * x));
            if motor {
                row.push(optional(real(j.torque_at_motor(j.gravity_max.value))));
            }
            if effort {
                row.push(percent(j.share_of_effort()));
            }
            if rated {
                row.push(percent(j.share_of_rated()));
            }
            if effort {
                let blank = || vec!["–".to_string(); self.heads("", false).len()];
                row.extend(j.margin.as_ref().map_or_else(blank, |e| self.cells(e, 0.0)));
                row.push(units(j.turns)[2].to_string());
            }
            row
        });
        table(&header, rows)
    }

    fn couplings(&self) -> Table {
        let mut header: Vec<String> = ["i", "j", "load"].map(String::from).to_vec();
        header.extend(self.heads("greatest |D_ij|/D_ii", true));
        header.push("unit".to_string());
        header.extend(self.heads("|D_ij|/√(D_ii D_jj)", true));
        let rows = self.rows().flat_map(|(_, load, joint)| {
            joint.couplings.iter().map(move |c| {
                let other = &self.cases[0].found.joints[c.with];
                let nothing = if c.correlation.value < 1e-12 { f64::MAX } else { 0.0 };
                let mut row = vec![joint.name.clone(), other.name.clone(), load.to_string()];
                row.extend(self.cells(&c.ratio, nothing));
                row.push(ratio_unit(joint.turns, other.turns).to_string());
                row.extend(self.cells(&c.correlation, nothing));
                row
            })
        });
        table(&header, rows)
    }

    fn poses(&self) -> Table {
        let n = self.m.nv();
        let unit = |k: usize| format::position_unit(self.m, k, self.deg);
        let mut header: Vec<String> = ["joint", "load", "at its"].map(String::from).to_vec();
        header.extend((0..n).map(|k| format!("{} [{}]", self.m.dof_names()[k], unit(k))));
        let rows = self.rows().flat_map(|(_, load, j)| {
            let each = [
                ("least inertia", Some(&j.inertia_min)),
                ("greatest inertia", Some(&j.inertia_max)),
                ("least gravity", Some(&j.gravity_min)),
                ("greatest gravity", Some(&j.gravity_max)),
                ("least margin", j.margin.as_ref()),
            ];
            each.into_iter().filter_map(move |(what, e)| {
                let e = e.filter(|e| e.depends.contains(&true))?;
                let mut row = vec![j.name.clone(), load.to_string(), what.to_string()];
                row.extend(
                    (0..n).map(|k| if e.depends[k] { format!("{:.4}", self.position(k, e.at[k])) } else { "·".into() }),
                );
                Some(row)
            })
        });
        table(&header, rows)
    }

    fn position(&self, dof: usize, x: f64) -> f64 {
        if self.deg && self.m.turns(dof) { x.to_degrees() } else { x }
    }

    fn json(&self) -> Value {
        let names = self.m.dof_names();
        let extreme = |e: &Extreme| {
            let at: Vec<Option<f64>> =
                (0..e.at.len()).map(|k| e.depends[k].then(|| self.position(k, e.at[k]))).collect();
            let bound = e.bound.filter(|b| b.is_finite());
            json!({ "value": e.value, "bound": bound, "gap": e.gap(), "finished": e.finished, "at": at })
        };
        let joint = |j: &JointRange| {
            let [inertia, torque, acceleration] = units(j.turns);
            let couplings = j.couplings.iter().map(|c| {
                let unit = ratio_unit(j.turns, self.m.turns(c.with));
                json!({ "joint": names[c.with], "ratio": extreme(&c.ratio), "unit": unit, "correlation": extreme(&c.correlation) })
            });
            json!({
                "joint": j.name,
                "gear": j.gear,
                "effort": j.effort,
                "rated": j.rated,
                "inertia": {
                    "unit": inertia,
                    "least": extreme(&j.inertia_min),
                    "greatest": extreme(&j.inertia_max),
                    "least_at_motor": j.inertia_at_motor(j.inertia_min.value),
                    "greatest_at_motor": j.inertia_at_motor(j.inertia_max.value),
                },
                "gravity": {
                    "unit": torque,
                    "least": extreme(&j.gravity_min),
                    "greatest": extreme(&j.gravity_max),
                    "greatest_at_motor": j.torque_at_motor(j.gravity_max.value),
                    "share_of_effort": j.share_of_effort(),
                    "share_of_rated": j.share_of_rated(),
                },
                "margin": j.margin.as_ref().map(|e| json!({ "unit": acceleration, "least": extreme(e) })),
                "couplings": couplings.collect::<Vec<_>>(),
            })
        };
        let range = |(k, r): (usize, &armdyn_core::Interval)| {
            let unit = format::position_unit(self.m, k, self.deg);
            json!({ "joint": names[k], "low": self.position(k, r.lo()), "high": self.position(k, r.hi()), "unit": unit })
        };
        let case = |c: &Case| json!({ "load": c.name, "joints": c.found.joints.iter().map(joint).collect::<Vec<_>>() });
        json!({
            "robot": self.m.name(),
            "box": self.region.intervals().iter().enumerate().map(range).collect::<Vec<_>>(),
            "guaranteed": self.gap.is_some(),
            "gap": self.gap,
            "partial": self.partial(),
            "loads": self.cases.iter().map(case).collect::<Vec<_>>(),
        })
    }
}

fn optional(x: Option<f64>) -> String {
    x.map_or("–".to_string(), format::number)
}

fn table(header: &[String], rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    Table::new(&header, &[0, 1, 2], rows)
}
