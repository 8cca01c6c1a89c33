//! `armdyn size`: sizing of motors, gears and bearings for a motion.

mod view;

use crate::args::{LimitArgs, Size};
use crate::document::Document;
use crate::output::Output;
use crate::shown::Shown;
use crate::table::{self, Quantity};
use crate::values::{Kind, Reader};
use crate::{CommandError, CommandResult, diagnostics, format, plots, progress, robot};
use armdyn_core::{Catalogue, Model, Progress, UnitPayload};
use armdyn_design::{
    CapacityOptions, DriveLimits, MoveOptions, Profile, RandomMoves, SizeOptions, SizeReport, random_moves, size,
};
use armdyn_import::{LoadedCatalogue, Severity, load_catalogue};
use armdyn_numerics::{Error, JointRanges, Limit, Trajectory};
use std::path::Path;
pub use view::{cannot_hold, exceeded_unloaded, view};

/// A chart of the result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plot {
    /// Torques over time.
    Torque,
    /// Utilization of the limits.
    Utilization,
    /// Operating points of each drive in the torque–speed plane.
    OperatingPoints,
    /// Payload that every pose can carry.
    Payload,
    /// Payload that the best pose can carry.
    Best,
}

/// All charts with their names.
const PLOTS: [(&str, Plot); 5] = [
    ("torque", Plot::Torque),
    ("utilization", Plot::Utilization),
    ("operating-points", Plot::OperatingPoints),
    ("payload", Plot::Payload),
    ("best", Plot::Best),
];

/// Runs the command.
pub fn run(m: &Model<f64>, args: &Size) -> CommandResult {
    let plots = plots::wanted(&args.plot, &PLOTS, Plot::Torque)?;
    let report = report(m, args)?;
    if let Some(out) = &args.out {
        write(&report, &Shown { m, deg: args.within.deg }, out)?;
    }
    let mut document = view(&report, m, args.within.deg);
    for (plot, file) in &plots {
        draw(&mut document, &report, *plot, file.as_deref())?;
    }
    let exit_code = u8::from(report.exceeds_limits());
    Ok(Output::of(args.robot.json, &report, |_| document)?.with_exit_code(exit_code))
}

/// The result for a loaded robot.
pub fn report(m: &Model<f64>, args: &Size) -> Result<SizeReport, CommandError> {
    let reader = Reader { model: m, deg: args.within.deg };
    progress::with_progress(|progress| evaluate(args, &reader, progress))
}

fn draw(document: &mut Document, report: &SizeReport, plot: Plot, file: Option<&Path>) -> Result<(), CommandError> {
    let chart = match plot {
        Plot::Torque => return plots::put(document, &report.torque_panels(), file),
        Plot::Utilization => report.utilization_chart(),
        Plot::OperatingPoints => return plots::put(document, &report.operating_panels(), file),
        Plot::Payload | Plot::Best => {
            let needs = "all effort limits, finite joint ranges and `--samples` above 0";
            let missing = || format!("`--plot`: there is no payload map; it needs {needs}");
            let (map, best) = (report.capacity.as_ref().ok_or_else(missing)?, plot == Plot::Best);
            let poses = if best { "the best pose at" } else { "every pose near" };
            let title = format!("{}: payload that {poses} a position can carry", report.robot);
            return plots::put(document, &map.chart(&title, best), file);
        }
    };
    plots::put(document, &chart, file)
}

/// A catalogue of motors and gears. Prints errors in its file with their positions.
fn catalogue(path: &Path) -> Result<Catalogue, CommandError> {
    let LoadedCatalogue { catalogue, findings, sources } = load_catalogue(path);
    catalogue.ok_or_else(|| {
        diagnostics::print_errors(&findings, &sources);
        let errors = findings.iter().filter(|f| f.code.severity == Severity::Error).count();
        format!("cannot load the catalogue `{}`: {}", path.display(), format::many(errors, "error")).into()
    })
}

/// An error with the option that resolves it.
fn message(error: Error) -> CommandError {
    match error {
        Error::NoLimit { limit: Limit::Effort, .. } => {
            format!("{error}; pass `--effort JOINT=VALUE` or add it to the robot file").into()
        }
        error => error.into(),
    }
}

fn evaluate(args: &Size, reader: &Reader, progress: &Progress) -> Result<SizeReport, CommandError> {
    let (m, mut notes) = (reader.model, vec![]);
    let catalogue = args.catalogue.as_deref().map(catalogue).transpose()?;
    let limits = limits(reader, &args.limits)?;
    let load = match (robot::tool(m, args.tool.as_deref()), &args.tool) {
        (Ok(tool), None) => {
            notes.push(format!("the maximum payload is at the {}", robot::describe_tool(m, &tool)));
            Some(tool)
        }
        (Ok(tool), Some(_)) => Some(tool),
        (Err(e), Some(_)) => return Err(e),
        (Err(e), None) => {
            notes.push(format!("payload and tip are omitted: {e}"));
            None
        }
    };
    let load = load.map(|tool| UnitPayload::point(tool.link, tool.position()));
    let ranges = reader.joint_ranges(&args.within.ranges);
    let (trajectory, motion) = match (&args.motion.trajectory, &ranges) {
        (Some(file), _) => (file.read(reader)?, format!("trajectory {}", file.display())),
        (None, Ok(ranges)) => moves(args, reader, &limits, ranges, progress)?,
        (None, Err(e)) => return Err(e.to_string().into()),
    };
    let accelerations = args.map_accelerations.as_deref();
    let accelerations =
        accelerations.map(|a| reader.maxima("--map-accelerations", &Kind::Rate, Some(a), &vec![0.0; m.nv()]));
    let options = SizeOptions {
        limits,
        load,
        ranges: ranges.as_ref().ok(),
        capacity: CapacityOptions {
            plane: args.plane.unwrap_or(plots::default_plane(m)),
            accelerations: accelerations.transpose()?,
            samples: args.samples,
            seed: args.seed,
            ..CapacityOptions::default()
        },
        catalogue: catalogue.as_ref(),
        max_inertia_ratio: args.max_inertia_ratio,
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
pub fn limits(reader: &Reader, args: &LimitArgs) -> Result<DriveLimits, CommandError> {
    let mut limits = DriveLimits::of(reader.model);
    for text in &args.effort {
        for (effort, parsed) in limits.effort.iter_mut().zip(reader.parse_efforts("--effort", text)?) {
            *effort = parsed.unwrap_or(*effort);
        }
    }
    for (option, kind, texts, values) in [
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
) -> Result<(Trajectory, String), CommandError> {
    let m = reader.model;
    let accelerations = args.accelerations.as_deref();
    let accelerations =
        accelerations.map(|a| reader.maxima("--accelerations", &Kind::Rate, Some(a), &vec![f64::NAN; m.nv()]));
    let profile = args.profile.unwrap_or(Profile::Quintic);
    let shape = if profile == Profile::Quintic { "quintic" } else { "trapezoidal" };
    let options = MoveOptions {
        count: args.random_moves.unwrap_or(0),
        seed: args.seed,
        rate: args.rate,
        profile,
        accelerations: accelerations.transpose()?,
    };
    let moves = random_moves(m, ranges, limits, &options, progress).map_err(|e| match e {
        Error::NoLimit { .. } => format!("{}, or limit the moves with `--accelerations`", message(e)).into(),
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

/// Writes the motion with torques and powers as a table.
fn write(report: &SizeReport, shown: &Shown, out: &Path) -> Result<(), CommandError> {
    let vectors = ["q", "qd", "qdd", "tau", "power"].map(|name| Quantity::vector(name, &report.joints));
    let (quantities, n) = ([&[Quantity::number("t")], &vectors[..]].concat(), report.joints.len());
    let row = |k: usize| {
        let [q, qd, qdd] = report.trajectory.state(k);
        let tau = &report.torques[k * n..(k + 1) * n];
        let power: Vec<f64> = tau.iter().zip(qd).map(|(t, v)| t * v).collect();
        let [q, qd, qdd] = [q, qd, qdd].map(|x| shown.values(x));
        [&[report.trajectory.t[k]], &q[..], &qd, &qdd, tau, &power].concat()
    };
    Ok(table::Writer::put(out, &quantities, (0..report.samples).map(row))?)
}
