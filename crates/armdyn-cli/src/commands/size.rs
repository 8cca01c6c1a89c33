//! `armdyn size`: sizing of motors, gears and bearings for a motion.

mod view;

use crate::args::{self, LimitArgs, Size};
use crate::document::Document;
use crate::output::Output;
use crate::shown::Shown;
use crate::table::{self, Block};
use crate::values::{Kind, Reader};
use crate::{CommandResult, diagnostics, format, plots, progress, robot, trajectory};
use armdyn_core::{Model, Progress, UnitPayload};
use armdyn_design::{
    CapacityOptions, DriveLimits, MoveOptions, Profile, RandomMoves, SizeOptions, SizeReport, random_moves, size,
};
use armdyn_numerics::{Error, JointRanges, Limit, Trajectory};
use std::path::Path;
pub use view::view;

/// A chart of the result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Plot {
    /// Torques over time.
    Torque,
    /// Utilization of the limits.
    Utilization,
    /// Payload that every pose can carry.
    Payload,
    /// Payload that the best pose can carry.
    Best,
}

/// All charts with their names.
pub const PLOTS: [(&str, Plot); 4] =
    [("torque", Plot::Torque), ("utilization", Plot::Utilization), ("payload", Plot::Payload), ("best", Plot::Best)];

/// Runs the command.
pub fn run(args: &Size) -> CommandResult {
    let m = robot::open(&args.robot)?;
    let plots = plots::wanted(&args.plot, &PLOTS)?;
    let report = report(&m, args)?;
    if let Some(out) = &args.out {
        write(&report, &Shown { m: &m, deg: args.within.deg }, out, true)?;
    }
    let mut document = view(&report, &m, args.within.deg);
    for (plot, file) in &plots {
        draw(&mut document, &report, *plot, file.as_deref())?;
    }
    Output::of(args.robot.json, &report, |_| document)
}

/// The result for a loaded robot.
pub fn report(m: &Model<f64>, args: &Size) -> Result<SizeReport, String> {
    let reader = Reader { model: m, deg: args.within.deg };
    progress::with_progress(|progress| evaluate(args, &reader, progress))
}

/// The key results with their names.
pub fn summary(report: &SizeReport) -> Vec<(String, String)> {
    let used = report.drives.iter().filter_map(|d| Some((&d.joint, d.effort_utilization?)));
    let effort = used.max_by(|a, b| a.1.total_cmp(&b.1));
    let effort =
        effort.map(|(joint, x)| (format!("peak torque / effort limit, {joint}"), format!("{:.0} %", 100.0 * x)));
    let payload = report.payload.as_ref().and_then(|p| p.range.largest()).filter(|m| m.is_finite());
    let payload = payload.map(|m| ("maximum payload on the motion".to_string(), format!("{} kg", format::number(m))));
    let scaling = report.speed_scaling.as_ref().and_then(|s| s.factor).filter(|s| s.is_finite());
    let scaling =
        scaling.map(|s| ("maximum speed scaling of the motion".to_string(), format!("× {}", format::number(s))));
    [effort, payload, scaling].into_iter().flatten().collect()
}

/// The report as a document with all charts.
pub fn illustrated(report: &SizeReport, m: &Model<f64>, deg: bool) -> Document {
    let mut document = view(report, m, deg);
    for (_, plot) in PLOTS {
        // Without the limits that a map needs it is omitted, as the document notes.
        let _ = draw(&mut document, report, plot, None);
    }
    document
}

fn draw(document: &mut Document, report: &SizeReport, plot: Plot, file: Option<&Path>) -> Result<(), String> {
    let chart = match plot {
        Plot::Torque => report.torque_chart(),
        Plot::Utilization => report.utilization_chart(),
        Plot::Payload | Plot::Best => {
            let Some(map) = &report.capacity else {
                let needs = "all effort limits, finite joint ranges and `--samples` above 0";
                return Err(format!("`--plot`: there is no payload map; it needs {needs}"));
            };
            let best = plot == Plot::Best;
            let poses = if best { "the best pose" } else { "every pose" };
            let chart = map.chart(&format!("{}: payload that {poses} at a position can carry", report.robot), best);
            return plots::put(document, chart.svg(), chart.terminal(plots::COLUMNS), file);
        }
    };
    plots::put(document, chart.svg(), chart.terminal(plots::COLUMNS), file)
}

/// An error with the option that resolves it.
fn message(error: Error) -> String {
    match error {
        Error::NoLimit { limit: Limit::Effort, .. } => {
            format!("{error}; pass `--effort JOINT=VALUE` or add it to the robot file")
        }
        error => error.to_string(),
    }
}

fn evaluate(args: &Size, reader: &Reader, progress: &Progress) -> Result<SizeReport, String> {
    let (m, mut notes) = (reader.model, vec![]);
    let limits = limits(reader, &args.limits)?;
    let load = match (robot::point(m, args.payload_at.as_deref(), "--payload-at"), &args.payload_at) {
        (Ok((link, centre)), _) => Some(UnitPayload::point(link, centre)),
        (Err(e), Some(_)) => return Err(format!("`--payload-at`: {e}")),
        (Err(e), None) => {
            notes.push(format!("payload and tip are omitted: {e}; pass `--payload-at X,Y,Z@LINK`"));
            None
        }
    };
    let ranges = reader.joint_ranges(&args.within.ranges);
    let (trajectory, motion) = match &args.trajectory {
        Some(file) => {
            let trajectory::Read { trajectory, notes } = trajectory::read(file, reader)?;
            notes.iter().for_each(|n| diagnostics::warn(format_args!("{n}")));
            (trajectory, format!("trajectory {}", file.display()))
        }
        None => moves(args, reader, &limits, ranges.as_ref().map_err(String::clone)?, progress)?,
    };
    let accelerations = args.map_accelerations.as_deref();
    let accelerations =
        accelerations.map(|a| reader.maxima("--map-accelerations", &Kind::Rate, Some(a), &vec![0.0; m.nv()]));
    let options = SizeOptions {
        limits,
        load,
        ranges: ranges.as_ref().ok(),
        capacity: CapacityOptions {
            plane: plots::plane(args.plane, m),
            accelerations: accelerations.transpose()?,
            samples: args.samples,
            seed: args.seed,
            ..CapacityOptions::default()
        },
        pose: args.q.as_deref().map(|q| reader.read("--q", &Kind::Position, Some(q))).transpose()?,
    };
    let mut report = size(m, trajectory, &options, progress).map_err(message)?;
    if let (Err(e), true) = (&ranges, report.payload.is_some() && args.samples > 0) {
        notes.push(format!("payload capacity and accelerations within joint ranges are omitted: {e}"));
    }
    let option = |limit| match limit {
        Limit::Effort => "--effort",
        Limit::Continuous => "--continuous",
        _ => "--speeds",
    };
    for (limit, joints) in report.missing_limits() {
        let joints = if joints.len() == m.nv() { "any joint".to_string() } else { joints.join(", ") };
        let option = option(limit);
        report
            .notes
            .push(format!("no {limit} limit for {joints}; pass `{option} JOINT=VALUE` for results that need it"));
    }
    report.notes.extend(notes);
    report.motion = motion;
    Ok(report)
}

/// The robot's limits, replaced by those of the options.
fn limits(reader: &Reader, args: &LimitArgs) -> Result<DriveLimits, String> {
    let mut limits = DriveLimits::of(reader.model);
    for (option, kind, texts, values) in [
        ("--effort", Kind::Torque, &args.effort, &mut limits.effort),
        ("--continuous", Kind::Torque, &args.continuous, &mut limits.continuous),
        ("--speeds", Kind::Rate, &args.speeds, &mut limits.speed),
    ] {
        for text in texts {
            for (value, parsed) in values.iter_mut().zip(reader.parse_maxima(option, &kind, text)?) {
                *value = parsed.unwrap_or(*value);
            }
        }
    }
    limits.check(reader.model).map_err(message)?;
    Ok(limits)
}

/// Random moves and their description.
fn moves(
    args: &Size,
    reader: &Reader,
    limits: &DriveLimits,
    ranges: &JointRanges,
    progress: &Progress,
) -> Result<(Trajectory, String), String> {
    let m = reader.model;
    let accelerations = args.accelerations.as_deref();
    let accelerations =
        accelerations.map(|a| reader.maxima("--accelerations", &Kind::Rate, Some(a), &vec![f64::NAN; m.nv()]));
    let (profile, shape) = match args.profile {
        args::Profile::Quintic => (Profile::Quintic, "quintic"),
        args::Profile::Trapezoidal => (Profile::Trapezoidal, "trapezoidal"),
    };
    let options = MoveOptions {
        count: args.random_moves.unwrap_or(0),
        seed: args.seed,
        rate: args.rate,
        profile,
        accelerations: accelerations.transpose()?,
    };
    let moves = random_moves(m, ranges, limits, &options, progress).map_err(|e| match e {
        Error::NoLimit { .. } => format!("{}, or limit the moves with `--accelerations`", message(e)),
        e => message(e),
    })?;
    let RandomMoves { trajectory, accelerations, durations, rejected } = moves;
    let shown = Shown { m, deg: reader.deg };
    let reached = shown.values(&accelerations).into_iter().map(format::number);
    let reached: Vec<String> = m.dof_names().iter().zip(reached).map(|(n, a)| format!("{n} {a}")).collect();
    let known = if limits.speed.iter().any(|s| s.is_infinite()) { "known " } else { "" };
    let bounds = if options.accelerations.is_some() { "accelerations" } else { "effort" };
    let mut motion = format!(
        "{} between random configurations (seed {}), {shape}, as fast as {bounds} and {known}speed limits allow\n\
         maximum accelerations [{}]: {}",
        format::many(durations.len(), "move"),
        args.seed,
        if reader.deg { "°/s², m/s²" } else { "rad/s², m/s²" },
        reached.join(", "),
    );
    if rejected > 0 {
        let goals = format::many(rejected, "goal");
        motion += &format!("\n{goals} rejected: the drives cannot hold the robot on the path at any speed");
    }
    Ok((trajectory, motion))
}

/// Writes the motion as a table, optionally with torques and powers.
pub fn write(report: &SizeReport, shown: &Shown, out: &Path, torques: bool) -> Result<(), String> {
    let kinds = &["q", "qd", "qdd", "tau", "power"][..if torques { 5 } else { 3 }];
    let columns = kinds.iter().flat_map(|k| report.joints.iter().map(move |n| format!("{k}_{n}")));
    let names: Vec<String> = std::iter::once("t".to_string()).chain(columns).collect();
    let mut writer = table::Writer::create(out, &names).map_err(|e| e.to_string())?;
    let (mut block, n) = (Block::new(names.len(), 4096), report.joints.len());
    for k in 0..report.samples {
        let [q, qd, qdd] = report.trajectory.state(k);
        let tau = &report.torques[k * n..(k + 1) * n];
        let power: Vec<f64> = tau.iter().zip(qd).map(|(t, v)| t * v).collect();
        let [q, qd, qdd] = [q, qd, qdd].map(|x| shown.values(x));
        let row: Vec<f64> = [&[report.trajectory.t[k]], &q[..], &qd, &qdd, tau, &power].concat();
        block.push(&row[..names.len()]);
        if block.rows() == 4096 || k + 1 == report.samples {
            writer.write(&block).map_err(|e| e.to_string())?;
            block.clear();
        }
    }
    writer.finish().map_err(|e| e.to_string())
}
