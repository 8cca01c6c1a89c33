//! `armdyn importance`: which terms matter, where, and up to which speed.

mod json;

use crate::args::Importance as Args;
use crate::document::{Document, Table};
use crate::values::{Kind as Values, Reader};
use crate::{CommandResult, diagnostics, format, plots, progress, robot, trajectory};
use armdyn_core::Model;
use armdyn_design::importance::{
    Alone, Boundary, Importance, JointImportance, Kind, Parts, PartsData, Ratio, RatioCurve, RatioRange, Size, State,
    Sweep, over_region, over_states, over_trajectory, parts, parts_chart, ratio_chart, ratio_curve, ratio_ranges, slow,
};
use armdyn_numerics::{Error, JointRanges, Limit, Trajectory};
use armdyn_plot::{Axis, Chart};
use serde_json::{Value, json};
use std::fmt::Write;

/// Columns of a picture on the screen.
const WIDE: usize = 96;
/// Points of a sweep.
const POINTS: usize = 181;

/// Parts of the torques over the box, a trajectory or a sweep; ratios; slow and fast motion.
pub fn run(args: &Args) -> CommandResult {
    answer(&robot::open(&args.robot)?, args)
}

/// The same of a robot that was opened.
pub fn answer(m: &Model<f64>, args: &Args) -> CommandResult {
    args.plot.iter().try_for_each(|p| plots::check(p))?;
    let asked = Asked::new(m, args);
    match (&args.slow, args.ratios.is_empty(), &args.sweep) {
        (Some(limit), ..) => asked.boundary(*limit),
        (_, true, _) => asked.weights(),
        (_, false, Some(swept)) => asked.curves(swept),
        (_, false, None) => asked.ranges(),
    }
}

/// What the torques are made of, over something.
struct Weighed {
    over: String,
    /// The speeds and accelerations that are taken.
    motion: Option<Table>,
    found: Importance,
    /// Where a curve has a point, and the state there.
    points: Vec<(f64, State)>,
    axis: Axis,
}

struct Asked<'a> {
    args: &'a Args,
    m: &'a Model<f64>,
    reader: Reader<'a>,
}

/// Without what rounding leaves of a part that is none.
fn clean(joint: &JointImportance, values: impl Iterator<Item = f64>) -> Vec<f64> {
    values.map(|x| if x.abs() < 1e-12 * joint.torque.worst.abs() { 0.0 } else { x }).collect()
}

fn told(error: Error) -> String {
    error.to_string()
}

impl<'a> Asked<'a> {
    fn new(m: &'a Model<f64>, args: &'a Args) -> Self {
        Asked { args, m, reader: Reader { model: m, deg: args.within.deg } }
    }

    fn region(&self) -> Result<JointRanges, String> {
        self.reader.joint_ranges(&self.args.within.ranges)
    }

    /// Speeds or accelerations of every joint: one number for all, or what is given, else what the robot says.
    fn rates(&self, option: &str, limit: Limit, given: &Option<String>, own: &[f64]) -> Result<Vec<f64>, String> {
        let scales = self.reader.scales(&Values::Rate);
        let found = match given.as_deref().map(|given| (given, given.trim().parse::<f64>())) {
            None => vec![None; scales.len()],
            Some((_, Ok(one))) if one.is_finite() => scales.iter().map(|s| Some(one * s)).collect(),
            Some((given, _)) => self.reader.parse(option, &Values::Rate, given)?,
        };
        let all: Vec<f64> = found.iter().zip(own).map(|(x, own)| x.unwrap_or(*own)).collect();
        let missing = |(x, name): (&f64, &String)| (!x.is_finite()).then(|| name.clone());
        let joints: Vec<String> = all.iter().zip(self.m.dof_names()).filter_map(missing).collect();
        if !joints.is_empty() {
            let error = Error::NoLimit { limit, joints };
            return Err(format!("{error} with {option} JOINT=VALUE,… or one number for all"));
        }
        Ok(all)
    }

    /// The speeds and accelerations that joints move at.
    fn motion(&self) -> Result<[Vec<f64>; 2], String> {
        let limits: Vec<f64> = self.m.limits().iter().map(|l| l.speed).collect();
        let none = vec![f64::NAN; self.m.nv()];
        let speeds = self.rates("--speeds", Limit::Speed, &self.args.speeds, &limits);
        let accelerations = self.rates("--accelerations", Limit::Acceleration, &self.args.accelerations, &none);
        match (speeds, accelerations) {
            (Ok(speeds), Ok(accelerations)) => Ok([speeds, accelerations]),
            (a, b) => Err([a.err(), b.err()].into_iter().flatten().collect::<Vec<_>>().join("\narmdyn: ")),
        }
    }

    /// The same, without their signs.
    fn sizes(&self) -> Result<[Vec<f64>; 2], String> {
        Ok(self.motion()?.map(|all| all.iter().map(|x| x.abs()).collect()))
    }

    fn sweep(&self, swept: &str) -> Result<Sweep, String> {
        let m = self.m;
        let (joint, range) = match m.dof_names().iter().position(|n| n == swept.trim()) {
            Some(joint) => (joint, self.reader.parse_ranges("--ranges", &self.args.within.ranges)?),
            None => match self.reader.parse_ranges("--sweep", &[swept.to_string()])? {
                one if one.len() == 1 => (one[0].0, one),
                _ => return Err("--sweep: one joint is swept: JOINT or JOINT=LOW:HIGH".to_string()),
            },
        };
        // What is not swept needs no range.
        let held = (0..m.nv()).filter(|i| *i != joint).map(|i| (i, 0.0, 0.0));
        let region = JointRanges::new(m, &range.into_iter().filter(|r| r.0 == joint).chain(held).collect::<Vec<_>>());
        let region = region.map_err(|e| match e {
            Error::NoLimit { .. } => format!("{e} with --sweep {swept}=LOW:HIGH"),
            e => e.to_string(),
        })?;
        let q = self.reader.read("--q", &Values::Position, self.args.q.as_deref())?;
        let range = region.intervals()[joint];
        Ok(Sweep { joint, from: range.lo(), to: range.hi(), points: POINTS, q })
    }

    /// The axis of a sweep, and what a coordinate is multiplied by to be shown.
    fn axis(&self, joint: usize) -> (Axis, f64) {
        let axis = Axis::new(&self.m.dof_names()[joint], format::position_unit(self.m, joint, self.reader.deg));
        (axis, 1.0 / self.reader.scales(&Values::Rate)[joint])
    }

    fn save(&self, chart: &Chart) -> Result<String, String> {
        let mut text = String::new();
        for path in &self.args.plot {
            plots::save(path, &chart.svg())?;
            let _ = writeln!(text, "picture: {}", path.display());
        }
        Ok(text)
    }

    /// A joint by its name.
    fn joint(&self) -> Result<Option<usize>, String> {
        let Some(name) = &self.args.joint else { return Ok(None) };
        let at = self.m.dof_names().iter().position(|n| n == name);
        let all = self.m.dof_names().join(", ");
        at.map(Some).ok_or_else(|| format!("--joint: `{}` has no joint `{name}`; it has {all}", self.m.name()))
    }

    fn pose(&self, q: &[f64]) -> String {
        let scales = self.reader.scales(&Values::Rate);
        let one = |(i, x): (usize, &f64)| {
            let unit = format::position_unit(self.m, i, self.reader.deg);
            // A search does not tell less than this from 0.
            let x = if x.abs() < 1e-7 { 0.0 } else { *x };
            format!("{} {} {unit}", self.m.dof_names()[i], format::number(x / scales[i]))
        };
        q.iter().enumerate().map(one).collect::<Vec<_>>().join(", ")
    }

    fn shown(&self, values: &[f64]) -> Vec<f64> {
        values.iter().zip(self.reader.scales(&Values::Rate)).map(|(x, s)| x / s).collect()
    }

    fn rate_units(&self, order: &str) -> Vec<String> {
        (0..self.m.nv()).map(|i| format!("{}/{order}", format::position_unit(self.m, i, self.reader.deg))).collect()
    }

    /// Parts of the torques over what is asked for.
    fn weights(&self) -> CommandResult {
        let weighed = match (&self.args.trajectory, &self.args.sweep) {
            (Some(file), _) => {
                let read = trajectory::read(file, &self.reader)?;
                read.notes.iter().for_each(|note| diagnostics::warn(format_args!("{note}")));
                self.along(&read.trajectory, &format!("the motion of {}", file.display()))?
            }
            (None, Some(swept)) => self.swept(swept)?,
            (None, None) => self.over_the_box()?,
        };
        self.tell(&weighed)
    }

    fn along(&self, t: &Trajectory, what: &str) -> Result<Weighed, String> {
        let state = |k: usize| {
            let [q, qd, qdd] = t.state(k).map(<[f64]>::to_vec);
            (t.t[k], State { t: Some(t.t[k]), q, qd, qdd })
        };
        Ok(Weighed {
            over: format!("{what}, {} s, by time", format::number(t.t[t.len() - 1] - t.t[0])),
            motion: None,
            found: progress::with_progress(|w| over_trajectory(self.m, t, w)).map_err(told)?,
            points: (0..t.len()).map(state).collect(),
            axis: Axis::new("time", "s"),
        })
    }

    fn swept(&self, swept: &str) -> Result<Weighed, String> {
        let [qd, qdd] = self.motion()?;
        let sweep = self.sweep(swept)?;
        let (axis, scale) = self.axis(sweep.joint);
        let state = |(x, q): (f64, Vec<f64>)| (x * scale, State { t: None, q, qd: qd.clone(), qdd: qdd.clone() });
        let points: Vec<(f64, State)> = sweep.configurations().map(state).collect();
        let states: Vec<State> = points.iter().map(|p| p.1.clone()).collect();
        let found = progress::with_progress(|w| over_states(self.m, &states, w)).map_err(told)?;
        let over = format!("{} points of {}", points.len(), self.m.dof_names()[sweep.joint]);
        Ok(Weighed { over, motion: None, found, points, axis })
    }

    fn over_the_box(&self) -> Result<Weighed, String> {
        let [speeds, accelerations] = self.sizes()?;
        let (region, count, seed) = (self.region()?, self.args.samples as usize, self.args.seed);
        let found = progress::with_progress(|w| over_region(self.m, &region, &speeds, &accelerations, count, seed, w));
        Ok(Weighed {
            over: format!("{count} configurations of the box (seed {seed}), each joint forward or backward at"),
            motion: Some(self.told_motion(&speeds, &accelerations)),
            found: found.map_err(told)?,
            points: vec![],
            axis: Axis::new("", ""),
        })
    }

    fn tell(&self, weighed: &Weighed) -> CommandResult {
        let (m, joint, Weighed { found, points, .. }) = (self.m, self.joint()?, weighed);
        let chart = match joint {
            Some(i) if !points.is_empty() => {
                let (mut d, mut row) = (PartsData::new(m), vec![Parts::default(); m.nv()]);
                let mut along = vec![];
                for (x, s) in points {
                    parts(m, &mut d, &s.q, &s.qd, &s.qdd, &mut row).map_err(told)?;
                    along.push((*x, row[i]));
                }
                parts_chart(m, i, weighed.axis.clone(), &along)
            }
            _ => found.chart(m),
        };
        let saved = self.save(&chart)?;
        if self.args.robot.json {
            return Ok(self.weights_json(found).into());
        }
        let mut page = Document::from(format!("What the torques of {} are made of, over {}\n", m.name(), weighed.over));
        if let Some(motion) = &weighed.motion {
            page.table(motion.clone());
        }
        if found.partial {
            let _ = writeln!(page, "partial: ended after {} states", found.states);
        }
        match joint {
            Some(i) => self.one_joint(&mut page, found, i),
            None => self.all_joints(&mut page, found),
        }
        let shown = joint.is_some() && !points.is_empty();
        page.picture(chart.svg(), shown.then(|| format!("\n{}", chart.terminal(WIDE))));
        page += &saved;
        Ok(page.into())
    }

    fn told_motion(&self, speeds: &[f64], accelerations: &[f64]) -> Table {
        let (v, a) = (format::numbers(&self.shown(speeds)), format::numbers(&self.shown(accelerations)));
        let (units, rates) = (self.rate_units("s"), self.rate_units("s²"));
        let row = |i: usize| {
            vec![self.m.dof_names()[i].clone(), v[i].clone(), units[i].clone(), a[i].clone(), rates[i].clone()]
        };
        Table::new(&["joint", "speed", "", "acceleration", ""], &[0, 2, 4], (0..self.m.nv()).map(row))
    }

    fn all_joints(&self, page: &mut Document, found: &Importance) {
        let m = self.m;
        let kinds = Kind::ALL.map(Kind::name);
        let figures: [fn(&Size) -> f64; 3] = [|s| s.rms, |s| s.p95, |s| s.worst];
        let blocks = ["RMS", "below which it stays in 95 % of the states", "worst"].into_iter().zip(figures);
        let header: Vec<&str> = ["joint"].into_iter().chain(kinds).chain(["gravity > own inertia"]).collect();
        let row = |(i, j): (usize, &JointImportance)| {
            let shares = j.kinds.iter().map(|s| format!("{:.1}", 100.0 * s.mean_share));
            let often = format!("{:.1}", 100.0 * j.gravity_dominates);
            [m.dof_names()[i].clone()].into_iter().chain(shares).chain([often]).collect()
        };
        *page += "\nmean share of the parts' sizes [%]; how often gravity is more than own inertia [% of the states]\n";
        page.table(Table::new(&header, &[0], found.joints.iter().enumerate().map(row)));
        for (name, value) in blocks {
            let header: Vec<&str> = ["joint"].into_iter().chain(kinds).chain(["torque", ""]).collect();
            let row = |(i, j): (usize, &JointImportance)| {
                let values = clean(j, j.kinds.iter().chain([&j.torque]).map(value));
                let unit = format::torque_unit(m, i).to_string();
                [m.dof_names()[i].clone()].into_iter().chain(format::numbers(&values)).chain([unit]).collect()
            };
            let _ = writeln!(page, "\n{name}");
            page.table(Table::new(&header, &[0, 8], found.joints.iter().enumerate().map(row)));
        }
        *page += "where each is worst: --joint JOINT\n";
    }

    fn one_joint(&self, page: &mut Document, found: &Importance, i: usize) {
        let (m, j) = (self.m, &found.joints[i]);
        let unit = format::torque_unit(m, i);
        let all: Vec<(&str, &Size)> =
            Kind::ALL.iter().map(|k| k.name()).zip(&j.kinds).chain([("torque", &j.torque)]).collect();
        let row = |(name, s): &(&str, &Size)| {
            let share = format!("{:.1} %", 100.0 * s.mean_share);
            let figures = format::numbers(&clean(j, [s.rms, s.p95, s.worst].into_iter()));
            [name.to_string(), share].into_iter().chain(figures).chain([unit.to_string()]).collect()
        };
        let _ = writeln!(page, "\n{}", m.dof_names()[i]);
        page.table(Table::new(&["part", "mean share", "RMS", "95 %", "worst", ""], &[0, 5], all.iter().map(row)));
        for (name, s) in all.iter().filter(|(_, s)| s.worst.abs() > 1e-12 * j.torque.worst.abs()) {
            let when = s.at.t.map_or(String::new(), |t| format!("t {} s, ", format::number(t)));
            let _ = writeln!(page, "worst {name} at {when}{}", self.pose(&s.at.q));
        }
        let often = 100.0 * j.gravity_dominates;
        let _ = writeln!(page, "gravity is more than own inertia in {often:.1} % of the states");
    }

    fn ratios(&self) -> Result<Vec<Ratio>, String> {
        self.args.ratios.iter().map(|r| Ratio::parse(r, self.m).map_err(|e| format!("--ratios: {e}"))).collect()
    }

    /// Ratios over the box.
    fn ranges(&self) -> CommandResult {
        let (m, args) = (self.m, self.args);
        if !args.plot.is_empty() {
            return Err("--plot: ratios over the box have no picture; --sweep JOINT gives curves".to_string());
        }
        let (ratios, region, count) = (self.ratios()?, self.region()?, args.samples as usize);
        let found =
            progress::with_progress(|w| ratio_ranges(m, &region, &ratios, count, args.seed, w)).map_err(told)?;
        let partial = progress::interrupted();
        if args.robot.json {
            let one = |r: &RatioRange| {
                json!({
                    "ratio": r.ratio.name(), "unit": r.ratio.unit(m), "p10": r.p10, "median": r.median, "p95": r.p95,
                    "worst": r.worst, "at": self.shown(&r.at),
                })
            };
            let ratios: Vec<Value> = found.iter().map(one).collect();
            return Ok(json!({ "robot": m.name(), "samples": count, "partial": partial, "ratios": ratios }).into());
        }
        let row = |r: &RatioRange| {
            let figures = [r.p10, r.median, r.p95, r.worst].map(format::number);
            [r.ratio.name()].into_iter().chain(figures).chain([r.ratio.unit(m).to_string()]).collect()
        };
        let told = format!("Ratios to a joint's own inertia, over {count} configurations (seed {})\n", args.seed);
        let mut text = Document::from(told);
        if partial {
            text += "partial: ended early\n";
        }
        text.table(Table::new(
            &["ratio", "10 % below", "median", "95 % below", "largest seen", ""],
            &[0, 5],
            found.iter().map(row),
        ));
        for r in &found {
            let _ = writeln!(text, "{} largest at {}", r.ratio.name(), self.pose(&r.at));
        }
        Ok(text.into())
    }

    /// Ratios along a sweep: a curve for each ratio and each `--at`.
    fn curves(&self, swept: &str) -> CommandResult {
        let (m, args) = (self.m, self.args);
        let (ratios, sweep) = (self.ratios()?, self.sweep(swept)?);
        let (axis, scale) = self.axis(sweep.joint);
        let mut found: Vec<(Ratio, String, RatioCurve)> = vec![];
        let families: Vec<&str> =
            if args.at.is_empty() { vec![""] } else { args.at.iter().map(String::as_str).collect() };
        for ratio in ratios {
            for family in &families {
                let mut own = sweep.clone();
                if !family.is_empty() {
                    let given = self.reader.parse("--at", &Values::Position, family)?;
                    own.q.iter_mut().zip(given).for_each(|(q, given)| *q = given.unwrap_or(*q));
                }
                let name = if family.is_empty() { ratio.name() } else { format!("{}, {family}", ratio.name()) };
                found.push((ratio, name, ratio_curve(m, ratio, &own).map_err(told)?));
            }
        }
        let chart = |of: &dyn Fn(&Ratio) -> bool| {
            let curves: Vec<(String, &RatioCurve)> =
                found.iter().filter(|f| of(&f.0)).map(|f| (f.1.clone(), &f.2)).collect();
            let title = format!("Ratios to own inertia, {}", m.name());
            ratio_chart(m, &title, axis.clone(), scale, &curves)
        };
        let mut units: Vec<&str> = found.iter().map(|f| f.0.unit(m)).collect();
        units.sort_unstable();
        units.dedup();
        if units.len() > 1 && !args.plot.is_empty() {
            return Err("--plot: the ratios have several units; ask for a picture of each unit".to_string());
        }
        let saved = self.save(&chart(&|_| true))?;
        let joint = &m.dof_names()[sweep.joint];
        let unit = format::position_unit(m, sweep.joint, self.reader.deg);
        if args.robot.json {
            let one = |(ratio, name, curve): &(Ratio, String, RatioCurve)| {
                let (x, y): (Vec<f64>, Vec<f64>) = curve.points.iter().map(|p| (p.0 * scale, p.1)).unzip();
                json!({
                    "name": name, "ratio": ratio.name(), "unit": ratio.unit(m), "x": x, "y": y,
                    "peak": { "x": curve.peak.0 * scale, "y": curve.peak.1 },
                })
            };
            let curves: Vec<Value> = found.iter().map(one).collect();
            return Ok(json!({ "robot": m.name(), "sweep": joint, "sweep_unit": unit, "curves": curves }).into());
        }
        let mut text = Document::default();
        for u in units {
            let chart = chart(&|r| r.unit(m) == u);
            text.picture(chart.svg(), Some(chart.terminal(WIDE) + "\n"));
        }
        let row = |(ratio, name, curve): &(Ratio, String, RatioCurve)| {
            let (x, y) = (format::number(curve.peak.0 * scale), format::number(curve.peak.1));
            vec![name.clone(), y, ratio.unit(m).to_string(), x, unit.to_string()]
        };
        text.table(Table::new(
            &["curve", "largest", "", &format!("at {joint}"), ""],
            &[0, 2, 4],
            found.iter().map(row),
        ));
        text += &saved;
        Ok(text.into())
    }

    /// Slow and fast motion.
    fn boundary(&self, x: f64) -> CommandResult {
        let (m, args) = (self.m, self.args);
        if x <= 0.0 {
            return Err(format!(
                "invalid fraction `{x}` for `--slow`: expected a value above 0, such as `5%` or `0.05`"
            ));
        }
        let [speeds, accelerations] = self.sizes()?;
        let (region, count) = (self.region()?, args.samples as usize);
        let found = progress::with_progress(|w| slow(m, &region, &speeds, &accelerations, x, count, args.seed, w))
            .map_err(told)?;
        let chart = found.chart(m);
        let saved = self.save(&chart)?;
        if args.robot.json {
            return Ok(self.boundary_json(&found, x).into());
        }
        let percent = |s: f64| if s.is_finite() { format!("{:.1}", 100.0 * s) } else { "any".to_string() };
        let mut text = Document::from(format!(
            "Until the torques of speeds are {} of those of inertia and gravity, whichever way each joint moves,\n\
             over {} configurations of the box (seed {}), full speeds and accelerations being\n",
            format_args!("{} %", format::number(100.0 * x)),
            found.configurations,
            args.seed,
        ));
        text.table(self.told_motion(&speeds, &accelerations));
        if found.partial {
            text += "partial: ended early\n";
        }
        let names = m.dof_names();
        let row = |(i, b): (usize, &Boundary)| {
            let full = format!("{:.1}", 100.0 * b.slow_at_full);
            vec![names[i].clone(), percent(b.least), percent(b.p5()), percent(b.median()), full]
        };
        text += "\nall joints together: share of full speed [%]\n";
        let header = ["felt at", "least found", "5 % below", "median", "full speed is slow in [%]"];
        text.table(Table::new(&header, &[0], found.together.iter().enumerate().map(row)));
        for (i, b) in found.together.iter().enumerate().filter(|(_, b)| b.least.is_finite()) {
            let _ = writeln!(text, "{} least at {}", names[i], self.pose(&b.at));
        }
        let scales = self.reader.scales(&Values::Rate);
        let rates = self.rate_units("s");
        let row = |(j, a): (usize, &Alone)| {
            let speed = |s: f64| if s.is_finite() { format::number(s / scales[j]) } else { "any".to_string() };
            let felt = if a.least.is_finite() { names[a.felt].clone() } else { String::new() };
            vec![names[j].clone(), speed(a.least), speed(a.median), rates[j].clone(), felt]
        };
        text += "\none joint alone: its speed\n";
        let header = ["joint", "least found", "median", "", "felt first at"];
        text.table(Table::new(&header, &[0, 3, 4], found.alone.iter().enumerate().map(row)));
        for (j, a) in found.alone.iter().enumerate().filter(|(_, a)| a.least.is_finite()) {
            let _ = writeln!(text, "{} least at {}", names[j], self.pose(&a.at));
        }
        text.picture(chart.svg(), Some(format!("\n{}", chart.terminal(WIDE))));
        text += &saved;
        Ok(text.into())
    }
}
