//! `armdyn importance`: importance of torque terms, and the speed at which velocity torques become significant.

use crate::args::Importance as Args;
use crate::document::{Document, Table};
use crate::format::many;
use crate::output::Output;
use crate::plots::Picture;
use crate::shown::Shown;
use crate::trajectory::Source;
use crate::values::{Kind, Reader};
use crate::{CommandError, CommandResult, embedding, format, plots, progress, robot};
use armdyn_core::{FormsData, Model};
use armdyn_design::State;
use armdyn_design::charts::{ratio_chart, torque_terms_chart};
use armdyn_design::importance::{
    AllJointsThreshold, ImportanceOptions, JointImportance, Ratio, RatioCurve, RatioCurves, RatioRange, RatioRanges,
    SingleJointThreshold, SpeedThreshold, Sweep, TermImportance, TermKind, TermStatistics, TorqueTerms, over_ranges,
    over_states, over_trajectory, ratio_curve, ratio_ranges, speed_threshold, torque_terms,
};
use armdyn_numerics::{Error, JointRanges};
use armdyn_plot::{Axis, Chart};
use std::fmt::Write;
use std::path::PathBuf;

/// The chart of each mode, and what selects the mode.
const MODES: [(&str, &str); 3] = [
    ("terms", "shows torque terms; omit `--ratios` and `--velocity-threshold`"),
    ("ratios", "requires `--ratios` and `--sweep JOINT`, such as `--ratios R12,K2 --sweep joint2`"),
    ("threshold", "requires `--velocity-threshold FRACTION`, such as `5%`"),
];

/// Points of a sweep.
const POINTS: usize = 181;

/// Runs the command.
pub fn run(m: &Model<f64>, args: &Args) -> CommandResult {
    let request = Request {
        m,
        args,
        reader: Reader { model: m, deg: args.within.deg },
        shown: Shown { m, deg: args.within.deg },
    };
    match (args.velocity_threshold, args.ratios.is_empty(), &args.sweep) {
        (Some(fraction), ..) => request.threshold(fraction),
        (_, true, _) => request.terms(),
        (_, false, Some(sweep)) => request.ratio_curves(sweep),
        (_, false, None) => request.ratio_ranges(),
    }
}

/// Torque terms over states.
struct Terms {
    /// Description of the states.
    over: String,
    /// Assumed speeds and accelerations.
    motion: Option<Table>,
    result: TermImportance,
    /// Abscissa and state of each point of a curve.
    points: Vec<(f64, State)>,
    axis: Axis,
}

struct Request<'a> {
    m: &'a Model<f64>,
    args: &'a Args,
    reader: Reader<'a>,
    shown: Shown<'a>,
}

fn percent(fraction: f64) -> String {
    if fraction.is_finite() { format::percent(fraction) } else { "any".to_string() }
}

impl Request<'_> {
    fn ranges(&self) -> Result<JointRanges, CommandError> {
        self.reader.joint_ranges(&self.args.within.ranges)
    }

    /// Speeds and accelerations.
    fn motion(&self) -> Result<[Vec<f64>; 2], CommandError> {
        let limits: Vec<f64> = self.m.limits().iter().map(|l| l.speed).collect();
        let (speeds, accelerations) = (self.args.speeds.as_deref(), self.args.accelerations.as_deref());
        let speeds = self.reader.rates("--speeds", speeds, &limits);
        let accelerations = self.reader.rates("--accelerations", accelerations, &vec![f64::NAN; self.m.nv()]);
        match (speeds, accelerations) {
            (Err(a), Err(b)) => Err(format!("{a}\nerror: {b}").into()),
            (speeds, accelerations) => Ok([speeds?, accelerations?]),
        }
    }

    /// Magnitudes of speeds and accelerations, and the sampling.
    fn options(&self) -> Result<ImportanceOptions, CommandError> {
        let [speeds, accelerations] = self.motion()?.map(|all| all.iter().map(|x| x.abs()).collect());
        Ok(ImportanceOptions { speeds, accelerations, samples: self.args.samples as usize, seed: self.args.seed })
    }

    fn sweep(&self, text: &str) -> Result<Sweep, CommandError> {
        let m = self.m;
        let (joint, range) = match m.dof_names().iter().position(|n| n == text.trim()) {
            Some(joint) => (joint, self.reader.parse_ranges("--ranges", &self.args.within.ranges)?),
            None if !text.contains('=') => (robot::dof(m, "--sweep", text.trim())?, vec![]),
            None => match self.reader.parse_ranges("--sweep", &[text.to_string()])? {
                one if one.len() == 1 => (one[0].0, one),
                _ => return Err("`--sweep` takes one joint: `JOINT` or `JOINT=LOW:HIGH`".into()),
            },
        };
        // The other joints need no range.
        let fixed = (0..m.nv()).filter(|i| *i != joint).map(|i| (i, 0.0, 0.0));
        let ranges = JointRanges::new(m, &range.into_iter().filter(|r| r.0 == joint).chain(fixed).collect::<Vec<_>>());
        let ranges = ranges.map_err(|e| match e {
            Error::NoLimit { .. } => CommandError::from(format!("{e}; pass `--sweep {text}=LOW:HIGH`")),
            e => e.into(),
        })?;
        let q = self.reader.read("--q", &Kind::Position, self.args.q.as_deref())?;
        let range = ranges.intervals()[joint];
        Ok(Sweep { joint, from: range.lo(), to: range.hi(), points: POINTS, q })
    }

    /// The axis of a sweep, and the factor to its unit.
    fn axis(&self, joint: usize) -> (Axis, f64) {
        let axis = Axis::new(&self.m.dof_names()[joint], self.shown.position_unit(joint));
        (axis, self.shown.value(joint, 1.0))
    }

    /// The files of `--plot`; `None` is the terminal. A mode has one chart.
    fn plots(&self, what: &'static str) -> Result<Vec<Option<PathBuf>>, CommandError> {
        let names = self.args.plot.iter().map(|text| text.split_once('=').map_or(text.as_str(), |(name, _)| name));
        if let Some((name, needs)) = MODES.iter().find(|(name, _)| *name != what && names.clone().any(|n| n == *name)) {
            return Err(format!("`--plot {name}` {needs}").into());
        }
        Ok(plots::wanted(&self.args.plot, &[(what, ())], ())?.into_iter().map(|(_, file)| file).collect())
    }

    /// Adds a chart to the document: always to HTML, to the terminal if `terminal`, and to files.
    fn add_chart(
        &self,
        doc: &mut Document,
        chart: &Chart,
        terminal: bool,
        plots: &[Option<PathBuf>],
    ) -> Result<(), CommandError> {
        let terminal = terminal || plots.contains(&None);
        if let Some(host) = embedding::host() {
            host.plot(chart.data());
        }
        doc.picture(chart.svg(), terminal.then(|| format!("\n{}", chart.as_text())));
        plots.iter().flatten().try_for_each(|file| plots::put(doc, chart, Some(file)))
    }

    fn joint(&self) -> Result<Option<usize>, CommandError> {
        self.args.joint.as_ref().map(|name| robot::dof(self.m, "--joint", name)).transpose()
    }

    fn motion_table(&self, options: &ImportanceOptions) -> Table {
        let row = |i: usize| {
            let [v, a] = [options.speeds[i], options.accelerations[i]].map(|x| format::number(self.shown.value(i, x)));
            vec![self.m.dof_names()[i].clone(), v, self.shown.rate_unit(i, "s"), a, self.shown.rate_unit(i, "s²")]
        };
        Table::new(&["joint", "speed", "", "acceleration", ""], &[0, 2, 4], (0..self.m.nv()).map(row))
    }

    /// Torque terms along a trajectory, a sweep, or within joint ranges.
    fn terms(&self) -> CommandResult {
        let (plots, joint) = (self.plots("terms")?, self.joint()?);
        let terms = match (&self.args.motion.trajectory, &self.args.sweep) {
            (Some(source), _) => self.along_trajectory(source)?,
            (None, Some(sweep)) => self.along_sweep(sweep)?,
            (None, None) => self.within_ranges()?,
        };
        let curves = joint.filter(|_| !terms.points.is_empty());
        let chart = curves.map_or_else(|| Ok(terms.result.chart()), |i| self.terms_chart(&terms, i))?;
        let mut doc = Document::from(format!("Torque terms of {} over {}\n", self.m.name(), terms.over));
        if let Some(motion) = &terms.motion {
            doc.table(motion.clone());
        }
        if terms.result.partial {
            let _ = writeln!(doc, "partial: cancelled after {}", many(terms.result.states, "state"));
        }
        match joint {
            Some(i) => self.one_joint(&mut doc, &terms.result.joints[i], largest_torque(&terms.result)),
            None => all_joints(&mut doc, &terms.result),
        }
        self.add_chart(&mut doc, &chart, curves.is_some(), &plots)?;
        Output::of(self.args.robot.json, &terms.result, |_| doc)
    }

    fn along_trajectory(&self, source: &Source) -> Result<Terms, CommandError> {
        let t = source.read(&self.reader)?;
        let result = progress::with_progress(|p| over_trajectory(self.m, &t, p))?;
        let duration = format::number(t.t[t.len() - 1] - t.t[0]);
        Ok(Terms {
            over: format!("the trajectory {} ({duration} s), weighted by time", source.display()),
            motion: None,
            result,
            points: (0..t.len()).map(|k| (t.t[k], State::of(&t, k))).collect(),
            axis: Axis::new("time", "s"),
        })
    }

    fn along_sweep(&self, sweep: &str) -> Result<Terms, CommandError> {
        let (sweep, [qd, qdd]) = (self.sweep(sweep)?, self.motion()?);
        let (axis, scale) = self.axis(sweep.joint);
        let state = |(x, q): (f64, Vec<f64>)| (x * scale, State { t: None, q, qd: qd.clone(), qdd: qdd.clone() });
        let points: Vec<(f64, State)> = sweep.configurations().map(state).collect();
        let states: Vec<State> = points.iter().map(|p| p.1.clone()).collect();
        let result = progress::with_progress(|p| over_states(self.m, &states, p))?;
        let over = format!("{} points of {}, which weigh equally", points.len(), self.m.dof_names()[sweep.joint]);
        Ok(Terms { over, motion: None, result, points, axis })
    }

    fn within_ranges(&self) -> Result<Terms, CommandError> {
        let (options, ranges) = (self.options()?, self.ranges()?);
        let result = progress::with_progress(|p| over_ranges(self.m, &ranges, &options, p))?;
        let (count, seed) = (many(options.samples, "configuration"), options.seed);
        Ok(Terms {
            over: format!("{count} within the joint ranges (seed {seed}), each joint forward or backward at"),
            motion: Some(self.motion_table(&options)),
            result,
            points: vec![],
            axis: Axis::new("", ""),
        })
    }

    fn terms_chart(&self, terms: &Terms, joint: usize) -> Result<Chart, CommandError> {
        let (mut d, mut row) = (FormsData::new(self.m), vec![TorqueTerms::default(); self.m.nv()]);
        let mut points = vec![];
        for (x, s) in &terms.points {
            torque_terms(self.m, &mut d, &s.q, &s.qd, &s.qdd, &mut row)?;
            points.push((*x, row[joint]));
        }
        Ok(torque_terms_chart(self.m, joint, terms.axis.clone(), &points))
    }

    fn one_joint(&self, doc: &mut Document, j: &JointImportance, scale: f64) {
        let terms = TermKind::ALL.iter().map(|k| (k.name(), j.term(*k))).chain([("torque", &j.torque)]);
        let row = |(name, s): (&str, &TermStatistics)| {
            let values = format::numbers_of_scale(&[s.rms, s.p95, s.maximum.abs()], scale);
            [name.to_string(), percent(s.mean_fraction)].into_iter().chain(values).chain([j.unit.to_string()]).collect()
        };
        let _ = writeln!(doc, "\n{}", j.joint);
        let header = ["term", "mean fraction [%]", "RMS", "95 %", "maximum", ""];
        doc.table(Table::new(&header, &[0, 5], terms.clone().map(row)));
        for (name, s) in terms.filter(|(_, s)| format::rounded(s.maximum, scale) != 0.0) {
            let time = s.at.t.map_or(String::new(), |t| format!("t = {} s, ", format::number(t)));
            let _ = writeln!(doc, "maximum {name} at {time}{}", self.shown.named_positions(&s.at.q));
        }
        let dominates = percent(j.gravity_dominates);
        let _ = writeln!(doc, "gravity exceeds own inertia in {dominates} % of the states");
    }

    fn ratios(&self) -> Result<Vec<Ratio>, CommandError> {
        self.args
            .ratios
            .iter()
            .map(|r| Ratio::parse(r, self.m).map_err(|e| format!("`--ratios`: {e}").into()))
            .collect()
    }

    /// The unit in which a ratio is shown, and the factor to it.
    fn ratio_unit(&self, ratio: Ratio) -> (f64, String) {
        match ratio {
            Ratio::Gravity { at } => (self.shown.value(at, 1.0), self.shown.rate_unit(at, "s²")),
            Ratio::Reaction { at, of } => (self.shown.coupling(at, of, 1.0), self.shown.coupling_unit(at, of)),
        }
    }

    /// Ratios within joint ranges.
    fn ratio_ranges(&self) -> CommandResult {
        if !self.args.plot.is_empty() {
            return Err("`--plot`: ratios within joint ranges have no chart; add `--sweep JOINT` for curves".into());
        }
        let (ratios, ranges, sampling) = (self.ratios()?, self.ranges()?, (self.args.samples as usize, self.args.seed));
        let result = progress::with_progress(|p| ratio_ranges(self.m, &ranges, &ratios, sampling, p));
        Output::of(self.args.robot.json, &result?, |r| self.ratio_ranges_view(r))
    }

    fn ratio_ranges_view(&self, result: &RatioRanges) -> Document {
        let (count, seed) = (many(result.samples, "configuration"), self.args.seed);
        let mut doc = Document::from(format!("Ratios to a joint's own inertia, over {count} (seed {seed})\n"));
        if result.partial {
            doc += "partial: cancelled\n";
        }
        let row = |r: &RatioRange| {
            let (scale, unit) = self.ratio_unit(r.ratio);
            let values = [r.p10, r.median, r.p95, r.maximum].map(|x| format::number(scale * x));
            [r.ratio.name()].into_iter().chain(values).chain([unit]).collect()
        };
        let header = ["ratio", "10 % below", "median", "95 % below", "maximum", ""];
        doc.table(Table::new(&header, &[0, 5], result.ratios.iter().map(row)));
        for r in &result.ratios {
            let _ = writeln!(doc, "maximum {} at {}", r.ratio.name(), self.shown.named_positions(&r.at));
        }
        doc
    }

    /// Ratios along a sweep: a curve for each ratio and each `--at`.
    fn ratio_curves(&self, sweep: &str) -> CommandResult {
        let (m, args, plots) = (self.m, self.args, self.plots("ratios")?);
        let (ratios, sweep) = (self.ratios()?, self.sweep(sweep)?);
        let mut curves = vec![];
        let families: Vec<&str> =
            if args.at.is_empty() { vec![""] } else { args.at.iter().map(String::as_str).collect() };
        for ratio in ratios {
            for family in &families {
                let mut sweep = sweep.clone();
                if !family.is_empty() {
                    let values = self.reader.parse("--at", &Kind::Position, family)?;
                    sweep.q.iter_mut().zip(values).for_each(|(q, value)| *q = value.unwrap_or(*q));
                }
                let name = if family.is_empty() { ratio.name() } else { format!("{}, {family}", ratio.name()) };
                curves.push(ratio_curve(m, ratio, &sweep, name)?);
            }
        }
        let result = RatioCurves { robot: m.name().to_string(), sweep: m.dof_names()[sweep.joint].clone(), curves };
        let unit = |c: &RatioCurve| self.ratio_unit(c.ratio);
        let mut units: Vec<String> = result.curves.iter().map(|c| unit(c).1).collect();
        units.sort_unstable();
        units.dedup();
        if units.len() > 1 && !plots.is_empty() {
            return Err("`--plot`: the ratios have several units; plot those of each unit separately".into());
        }
        let (axis, scale) = self.axis(sweep.joint);
        let mut doc = Document::default();
        for shared in units {
            let own = result.curves.iter().map(|c| (c, unit(c))).filter(|(_, (_, unit))| *unit == shared);
            let curves: Vec<(&RatioCurve, f64)> = own.map(|(c, (factor, _))| (c, factor)).collect();
            let title = format!("Ratios to own inertia, {}", m.name());
            let chart = ratio_chart(&title, axis.clone(), scale, &shared, &curves);
            self.add_chart(&mut doc, &chart, true, &plots)?;
        }
        let row = |c: &RatioCurve| {
            let (factor, unit) = unit(c);
            let (x, y) = (format::number(c.peak.x * scale), format::number(factor * c.peak.y));
            vec![c.name.clone(), y, unit, x, self.shown.position_unit(sweep.joint).to_string()]
        };
        doc += "\n";
        let header = ["curve", "maximum", "", &format!("at {}", result.sweep), ""];
        doc.table(Table::new(&header, &[0, 2, 4], result.curves.iter().map(row)));
        Output::of(args.robot.json, &result, |_| doc)
    }

    /// The speed at which velocity torques become significant.
    fn threshold(&self, fraction: f64) -> CommandResult {
        if fraction <= 0.0 {
            return Err(format!(
                "invalid `--velocity-threshold {fraction}`: expected a fraction above 0, such as `5%`"
            )
            .into());
        }
        let (plots, options, ranges) = (self.plots("threshold")?, self.options()?, self.ranges()?);
        let result = progress::with_progress(|p| speed_threshold(self.m, &ranges, &options, fraction, p));
        let result = result?;
        let mut doc = self.threshold_view(&result, &options);
        self.add_chart(&mut doc, &result.chart(), true, &plots)?;
        Output::of(self.args.robot.json, &result, |_| doc)
    }

    fn threshold_view(&self, result: &SpeedThreshold, options: &ImportanceOptions) -> Document {
        let mut doc = Document::from(format!(
            "Speed of {} at which velocity torques reach {} % of inertia and gravity torques, for any directions of motion\n\
             over {} configurations within the joint ranges (seed {}); full speeds and accelerations:\n",
            result.robot,
            format::number(100.0 * result.fraction),
            result.configurations,
            options.seed,
        ));
        doc.table(self.motion_table(options));
        if result.partial {
            doc += "partial: cancelled\n";
        }
        let row = |b: &AllJointsThreshold| {
            let full = percent(b.full_speed_fraction);
            vec![b.joint.clone(), percent(b.minimum), percent(b.p5), percent(b.median), full]
        };
        doc += "\nall joints moving: fraction of full speed [%]\n";
        let header = ["at joint", "minimum", "5 % below", "median", "configurations at full speed [%]"];
        doc.table(Table::new(&header, &[0], result.all_joints.iter().map(row)));
        let found = result.all_joints.iter().filter(|b| b.minimum.is_finite());
        doc += "\nall joints moving: configurations of the minima\n";
        doc.table(self.configurations("at joint", found.map(|b| (b.joint.as_str(), &b.at[..]))));
        let row = |(j, a): (usize, &SingleJointThreshold)| {
            let speed = |s: f64| if s.is_finite() { format::number(self.shown.value(j, s)) } else { "any".to_string() };
            let unit = self.shown.rate_unit(j, "s");
            vec![a.joint.clone(), speed(a.minimum), speed(a.median), unit, a.limited_by.clone().unwrap_or_default()]
        };
        doc += "\none joint moving: its speed\n";
        let header = ["joint", "minimum", "median", "", "first significant at"];
        doc.table(Table::new(&header, &[0, 3, 4], result.single_joint.iter().enumerate().map(row)));
        let found = result.single_joint.iter().filter(|a| a.minimum.is_finite());
        doc += "\none joint moving: configurations of the minima\n";
        doc.table(self.configurations("joint", found.map(|a| (a.joint.as_str(), &a.at[..]))));
        doc
    }

    /// A configuration in each row.
    fn configurations<'a>(&self, first: &str, rows: impl Iterator<Item = (&'a str, &'a [f64])>) -> Table {
        let joint = |(k, name): (usize, &String)| format!("{name} [{}]", self.shown.position_unit(k));
        let joints: Vec<String> = self.m.dof_names().iter().enumerate().map(joint).collect();
        let header: Vec<&str> = std::iter::once(first).chain(joints.iter().map(String::as_str)).collect();
        let row = |(name, q): (&str, &[f64])| {
            let values = q.iter().enumerate().map(|(k, x)| self.shown.number(k, *x));
            std::iter::once(name.to_string()).chain(values).collect::<Vec<String>>()
        };
        Table::new(&header, &[0], rows.map(row))
    }
}

/// The largest torque of any joint: terms that vanish leave rounding errors of its size.
fn largest_torque(result: &TermImportance) -> f64 {
    format::largest(result.joints.iter().map(|j| j.torque.maximum))
}

fn all_joints(doc: &mut Document, result: &TermImportance) {
    let kinds = TermKind::ALL.map(TermKind::name);
    let header: Vec<&str> = ["joint"].into_iter().chain(kinds).chain(["gravity > own inertia"]).collect();
    let row = |j: &JointImportance| {
        let fractions = TermKind::ALL.map(|k| percent(j.term(k).mean_fraction));
        [j.joint.clone()].into_iter().chain(fractions).chain([percent(j.gravity_dominates)]).collect()
    };
    *doc += "\nmean fraction of the terms' magnitudes [%]; states in which gravity exceeds own inertia [%]\n";
    doc.table(Table::new(&header, &[0], result.joints.iter().map(row)));
    let header: Vec<&str> = ["joint"].into_iter().chain(kinds).chain(["torque", ""]).collect();
    type Statistic = fn(&TermStatistics) -> f64;
    let statistics: [(&str, Statistic); 3] =
        [("RMS", |s| s.rms), ("95th percentile of magnitudes", |s| s.p95), ("maximum magnitude", |s| s.maximum.abs())];
    for (name, value) in statistics {
        let row = |j: &JointImportance| {
            let values: Vec<f64> = TermKind::ALL.iter().map(|k| j.term(*k)).chain([&j.torque]).map(value).collect();
            let values = format::numbers_of_scale(&values, largest_torque(result));
            [j.joint.clone()].into_iter().chain(values).chain([j.unit.to_string()]).collect()
        };
        let _ = writeln!(doc, "\n{name}");
        doc.table(Table::new(&header, &[0, 8], result.joints.iter().map(row)));
    }
    *doc += "--joint JOINT shows the states of the maxima\n";
}
