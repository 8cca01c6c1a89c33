//! `armdyn trajectory`: trajectories through waypoints, and checks against all limits.

mod view;

use super::inverse_kinematics::{check_unit, target};
use super::size;
use crate::args::{MotionProfile, TrajectoryCommand};
use crate::output::{CommandError, CommandResult, Output};
use crate::progress::with_progress;
use crate::shown::Shown;
use crate::stream::check_units;
use crate::table::{self, Quantity};
use crate::trajectory::{WaypointTable, in_file, read_waypoints};
use crate::values::{Kind, Reader};
use crate::{animation, plots};
use armdyn_core::{KinematicsData, Model, Progress, Transform, Vec3, kinematics};
use armdyn_design::{DriveLimits, drive_loads};
use armdyn_motion::trajectory::{
    CheckReport, ExcitationOptions, MotionLimits, MotionQuantity, PiecewisePolynomial, SpeedProfile, SplineEnds,
    TimeOptimalOptions, TimeScaled, Waypoints, check, check_samples, cubic_spline, excitation, geometric_path,
    maximum_speed_scaling, panels, quintic_spline, sample, spline_within_limits, straight_moves, time_optimal,
};
use armdyn_motion::{CartesianPath, IkOptions, InverseKinematics, PathOptions, Target, ToolPath};
use armdyn_numerics::{ContinuousTrajectory, Error, Limit, QuinticSpline, Trajectory};
use serde::Serialize;

type Motion = Box<dyn ContinuousTrajectory>;

/// The result of the command.
#[derive(Serialize)]
struct Report<'a> {
    robot: &'a str,
    /// The motion in words.
    motion: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<MotionProfile>,
    /// How many times as fast as planned.
    speed_scaling: f64,
    /// Condition number of the regressor and number of base parameters of an excitation.
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base_parameters: Option<usize>,
    /// Number of excitations evaluated, and whether Ctrl-C ended the search.
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    partial: Option<bool>,
    #[serde(flatten)]
    check: CheckReport,
    limits: MotionLimits,
    /// Number of samples written.
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<usize>,
}

const PLOTS: [(&str, MotionQuantity); 4] = [
    ("position", MotionQuantity::Position),
    ("velocity", MotionQuantity::Velocity),
    ("acceleration", MotionQuantity::Acceleration),
    ("torque", MotionQuantity::Torque),
];

/// Runs the command.
pub fn run(m: &Model<f64>, args: &TrajectoryCommand) -> CommandResult {
    let plots = plots::wanted(&args.plot, &PLOTS, MotionQuantity::Torque)?;
    args.animate.as_deref().map_or(Ok(()), animation::check)?;
    let reader = Reader { model: m, deg: args.deg };
    args.out.as_deref().map_or(Ok(()), |out| check_units(out, &reader))?;
    if m.nv() == 0 {
        return Err(format!("robot `{}` has no movable joint", m.name()).into());
    }
    let limits = limits(&reader, args)?;
    let mut report = Report {
        robot: m.name(),
        motion: String::new(),
        profile: args.motion.trajectory.is_none().then(|| args.profile()),
        speed_scaling: 1.0,
        condition: None,
        base_parameters: None,
        candidates: None,
        partial: None,
        check: CheckReport { duration: 0.0, joints: vec![], violations: vec![], singularity: None },
        limits,
        samples: None,
    };
    let table = args.motion.trajectory.as_ref().map(|file| file.read(&reader)).transpose()?;
    let planned = plan(&reader, args, table.as_ref(), &mut report).map_err(|e| with_option(e, args))?;
    let scaling = speed_scaling(m, planned.as_ref(), args, &report.limits)?;
    report.speed_scaling = scaling;
    let motion = TimeScaled { trajectory: Played(planned), factor: scaling };
    let tool = m.tool().ok();
    report.check = match &table {
        Some(table) => check_samples(m, table.time_scaled(scaling), &report.limits, tool.as_ref())?,
        None => check(m, &motion, &report.limits, tool.as_ref())?,
    };
    let samples = sample(&motion, m.nv(), args.rate).map_err(|e| format!("`--rate`: {e}"))?;
    let torques = drive_loads(m, &samples, &DriveLimits::of(m), &Progress::none())?.torques;
    if let Some(out) = &args.out {
        let vectors = ["q", "qd", "qdd", "tau"].map(|name| Quantity::vector(name, m.dof_names()));
        let (quantities, n) = ([&[Quantity::number("t")], &vectors[..]].concat(), m.nv());
        let shown = Shown { m, deg: args.deg };
        let row = |k: usize| {
            let [q, qd, qdd] = samples.state(k).map(|x| shown.values(x));
            [&[samples.t[k]], &q[..], &qd, &qdd, &torques[k * n..(k + 1) * n]].concat()
        };
        table::Writer::put(out, &quantities, (0..samples.len()).map(row))?;
        report.samples = Some(samples.len());
    }
    if let Some(path) = &args.animate {
        let q: Vec<Vec<f64>> = (0..samples.len()).map(|k| samples.state(k)[0].to_vec()).collect();
        let tau: Vec<Vec<f64>> = torques.chunks(m.nv()).map(<[f64]>::to_vec).collect();
        let motion = armdyn_scene::Motion { tau: Some(&tau), ..armdyn_scene::Motion::new(&samples.t, &q) };
        animation::write(path, &args.robot, m, &motion)?;
    }
    let mut document = view::view(&report, m, args);
    for (quantity, file) in &plots {
        let panels = panels(m, &samples, &torques, &report.limits, *quantity, args.deg);
        plots::put(&mut document, &panels, file.as_deref())?;
    }
    let exit_code = u8::from(!report.check.violations.is_empty());
    Ok(Output::of(args.robot.json, &report, |_| document)?.with_exit_code(exit_code))
}

/// A planned motion, so that it can be scaled.
struct Played(Motion);

impl ContinuousTrajectory for Played {
    fn at(&self, t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]) {
        self.0.at(t, q, qd, qdd);
    }

    fn duration(&self) -> f64 {
        self.0.duration()
    }

    fn next_knot(&self, t: f64) -> f64 {
        self.0.next_knot(t)
    }

    fn dofs(&self) -> Option<usize> {
        self.0.dofs()
    }
}

fn limits(reader: &Reader, args: &TrajectoryCommand) -> Result<MotionLimits, CommandError> {
    let m = reader.model;
    let mut limits = MotionLimits { drive: size::limits(reader, &args.limits)?, ..MotionLimits::of(m) };
    for (option, text, values) in
        [("--accelerations", &args.accelerations, &mut limits.acceleration), ("--jerks", &args.jerks, &mut limits.jerk)]
    {
        let Some(text) = text else { continue };
        for (value, parsed) in values.iter_mut().zip(reader.parse_maxima(option, &Kind::Rate, text)?) {
            *value = parsed.unwrap_or(*value);
        }
    }
    limits.check(m)?;
    Ok(limits)
}

/// An error about missing limits with the options that set them, or about a waypoint with its row.
fn with_option(error: CommandError, args: &TrajectoryCommand) -> CommandError {
    let limits: Vec<Limit> = match &error {
        CommandError::Numerics(Error::NoLimit { limit, .. }) => vec![*limit],
        CommandError::Numerics(Error::NoLimits(missing)) => missing.iter().map(|(limit, _)| *limit).collect(),
        _ => {
            return match (error, &args.waypoints) {
                (CommandError::Numerics(error), Some(file)) => in_file(&file.display().to_string(), error),
                (CommandError::Numerics(Error::Trajectory { what, .. }), None) if what.starts_with("equals") => {
                    "`--to` equals `--from`: there is no motion; give another goal".into()
                }
                (error, _) => error,
            };
        }
    };
    let option = |limit: &Limit| match limit {
        Limit::Acceleration => Some("--accelerations"),
        Limit::Jerk => Some("--jerks"),
        Limit::Effort => Some("--effort"),
        Limit::Continuous => Some("--continuous"),
        Limit::Speed => Some("--speeds"),
        _ => None,
    };
    let options: Vec<&str> = limits.iter().filter_map(option).collect();
    let mut remedies = vec![];
    if !options.is_empty() {
        let each = options.iter().map(|option| format!("`{option} VALUE`")).collect::<Vec<_>>().join(" and ");
        remedies.push(format!("pass {each} for all joints, or `{} JOINT=VALUE`", options[0]));
    }
    if options.len() < limits.len() {
        remedies.push("add position limits to the robot file".to_string());
    }
    format!("{error}; {}", remedies.join(", and ")).into()
}

/// The motion that the arguments ask for, and its description in the report.
fn plan(
    reader: &Reader,
    args: &TrajectoryCommand,
    table: Option<&Trajectory>,
    report: &mut Report,
) -> Result<Motion, CommandError> {
    let (m, limits) = (reader.model, &report.limits);
    if let (Some(file), Some(table)) = (&args.motion.trajectory, table) {
        report.motion = format!("trajectory {}", file.display());
        return Ok(Box::new(QuinticSpline::new(table)));
    }
    let profile = args.profile();
    let excitation_options = [
        ("--harmonics", args.harmonics.is_some()),
        ("--candidates", args.candidates.is_some()),
        ("--seed", args.seed.is_some()),
    ];
    if let Some((option, _)) = excitation_options.iter().find(|(_, given)| *given && profile != MotionProfile::Fourier)
    {
        return Err(format!("`{option}` applies to `--profile fourier` only; remove it").into());
    }
    let time = args.duration.map(|d| d.as_secs_f64());
    if profile == MotionProfile::Fourier {
        if args.waypoints.is_some() || args.to.is_some() || args.line.is_some() || args.from.is_some() {
            return Err(
                "`--profile fourier` has no waypoints; remove `--waypoints`, `--from`, `--to` and `--line`".into()
            );
        }
        let defaults = ExcitationOptions::default();
        let options = ExcitationOptions {
            duration: time.unwrap_or(defaults.duration),
            harmonics: args.harmonics.unwrap_or(defaults.harmonics),
            candidates: args.candidates.unwrap_or(defaults.candidates),
            seed: args.seed.unwrap_or(defaults.seed),
        };
        let found = with_progress(|progress| excitation(m, limits, &options, progress))?;
        report.motion = format!("excitation, {} harmonics (seed {})", options.harmonics, options.seed);
        (report.condition, report.base_parameters) = (Some(found.condition), Some(found.base_parameters));
        (report.candidates, report.partial) = (Some(found.candidates), Some(found.partial));
        return Ok(Box::new(found.series));
    }
    let WaypointTable { waypoints, times, states, rates } = waypoints(reader, args, limits)?;
    if rates && (states.is_none() || profile != MotionProfile::Quintic) {
        crate::diagnostics::warn(
            "velocities of waypoints are not used: only quintic splines with t, qd_… and qdd_… have them",
        );
    }
    let source = args.waypoints.as_ref().map_or(String::new(), |file| format!(" of {}", file.display()));
    report.motion = match waypoints.len() {
        count if args.line.is_some() => {
            let shape = if args.via.is_some() { "an arc" } else { "a line" };
            format!("tool along {shape}, {count} configurations")
        }
        2 => format!("move between two configurations{source}"),
        count => format!("motion through {count} waypoints{source}"),
    };
    let times = times.or(time.map(|t| vec![0.0, t]));
    let untimed = |name: &str| match (&args.waypoints, &times) {
        (_, None) => Ok(()),
        (None, _) => Err(format!("`--duration`: the time of a {name} motion follows from its limits; remove it")),
        (Some(file), _) => {
            crate::diagnostics::warn(format_args!(
                "the times in `{}` are not used: those of a {name} motion follow from its limits",
                file.display()
            ));
            Ok(())
        }
    };
    let spline = |build: Spline| -> Result<Motion, CommandError> {
        Ok(match &times {
            Some(t) => Box::new(build(&waypoints, t, &SplineEnds::Rest)?),
            None => Box::new(spline_within_limits(m, &waypoints, limits, build)?),
        })
    };
    match profile {
        MotionProfile::Cubic => spline(cubic_spline),
        MotionProfile::Quintic => match states {
            Some(states) => Ok(Box::new(QuinticSpline::new(&states))),
            None => spline(quintic_spline),
        },
        MotionProfile::Trapezoidal | MotionProfile::SCurve if args.line.is_some() => {
            Err("`--line`: this profile stops at each configuration of the path; use `--profile time-optimal`, cubic or quintic".into())
        }
        MotionProfile::Trapezoidal | MotionProfile::SCurve => {
            let (name, profile) = match profile {
                MotionProfile::SCurve => ("s-curve", SpeedProfile::SCurve),
                _ => ("trapezoidal", SpeedProfile::Trapezoidal),
            };
            untimed(name)?;
            Ok(Box::new(straight_moves(m, &waypoints, limits, profile)?))
        }
        MotionProfile::TimeOptimal | MotionProfile::Fourier => {
            untimed("time-optimal")?;
            let path = geometric_path(&waypoints, limits)?;
            Ok(Box::new(time_optimal(m, &path, limits, &TimeOptimalOptions::default())?))
        }
    }
}

/// Configurations along a line or an arc of the tool.
fn along_path(
    reader: &Reader,
    args: &TrajectoryCommand,
    line: &str,
    limits: &MotionLimits,
) -> Result<WaypointTable, CommandError> {
    let m = reader.model;
    let tool =
        m.tool().map_err(|e| format!("{e}; define `[tool]` in an armdyn file (`armdyn convert ROBOT --to toml`)"))?;
    let from = reader.read("--from", &Kind::Position, args.from.as_deref())?;
    let mut data = KinematicsData::new(m);
    kinematics(m, &mut data, &from)?;
    let start = data.frame_pose(m, tool.link, Some(&tool.pose))?;
    let target = target("--line", line, args.deg)?;
    let ik = InverseKinematics::new(m, Some(tool), IkOptions { starts: 1, ..IkOptions::default() })?;
    check_unit("--line", &ik, target.position());
    let end = if let Target::Pose(pose) = target { pose } else { Transform::new(start.rotation, target.position()) };
    let path = match &args.via {
        None => ToolPath::line(start, end),
        Some(via) => {
            let via = target_position(via)?;
            check_unit("--via", &ik, via);
            ToolPath::arc_through(start, via, end)?
        }
    };
    // An arm with fewer than six joints keeps the orientation only if a pose asks for it.
    let orientation = m.nv() >= 6 || matches!(target, Target::Pose(_));
    let options = PathOptions { orientation, ..PathOptions::default() };
    let followed = CartesianPath::follow(m, Some(tool), &path, &from, &options);
    let followed = followed.map_err(|e| format!("`--line`: {e}"))?;
    let waypoints = Waypoints::new(m.nv(), followed.q.concat())?;
    waypoints.check(m, limits)?;
    Ok(WaypointTable { waypoints, times: None, states: None, rates: false })
}

/// `X,Y,Z` of `--via`.
fn target_position(text: &str) -> Result<Vec3<f64>, CommandError> {
    match target("--via", text, false)? {
        Target::Position(position) => Ok(position),
        _ => Err("`--via` has 6 numbers: expected three (x, y, z)".into()),
    }
}

type Spline = fn(&Waypoints, &[f64], &SplineEnds) -> armdyn_numerics::Result<PiecewisePolynomial>;

/// The waypoints of a file, or start and goal.
fn waypoints(reader: &Reader, args: &TrajectoryCommand, limits: &MotionLimits) -> Result<WaypointTable, CommandError> {
    let m = reader.model;
    if let Some(file) = &args.waypoints {
        return read_waypoints(file, reader, limits);
    }
    if m.nq() != m.nv() {
        return Err("`--to`: moves need revolute and prismatic joints, but a joint has a quaternion".into());
    }
    if let Some(line) = &args.line {
        return along_path(reader, args, line, limits);
    }
    let Some(to) = &args.to else {
        return Err(
            "a motion is required: pass `--waypoints FILE`, `--to VALUES`, `--line X,Y,Z`, `--profile fourier`, or \
                    `--trajectory FILE` to check one"
                .into(),
        );
    };
    let from = reader.read("--from", &Kind::Position, args.from.as_deref())?;
    let to = reader.parse("--to", &Kind::Position, to)?;
    let to: Vec<f64> = to.iter().zip(&from).map(|(to, from)| to.unwrap_or(*from)).collect();
    let waypoints = Waypoints::new(m.nv(), [from, to].concat())?;
    waypoints.check(m, limits).map_err(|e| match e {
        Error::Trajectory { sample, what } => format!("`{}`: {what}", ["--from", "--to"][sample.min(1)]),
        e => e.to_string(),
    })?;
    Ok(WaypointTable { waypoints, times: None, states: None, rates: false })
}

fn speed_scaling(
    m: &Model<f64>,
    motion: &dyn ContinuousTrajectory,
    args: &TrajectoryCommand,
    limits: &MotionLimits,
) -> Result<f64, CommandError> {
    match args.speed_scaling.as_deref() {
        None => Ok(1.0),
        Some("max") => {
            let found = maximum_speed_scaling(m, motion, limits, true)?;
            match (found.factor, found.limited_by) {
                (Some(factor), _) if factor.is_finite() => Ok(factor),
                (Some(_), _) => Err("`--speed-scaling max`: no known limit bounds the speed".into()),
                (None, by) => {
                    let by = by.map_or(String::new(), |by| format!(": the {} limit of `{}`", by.limit, by.joint));
                    Err(format!("`--speed-scaling max`: a limit is exceeded at any speed{by}").into())
                }
            }
        }
        Some(text) => match text.parse::<f64>() {
            Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(factor),
            _ => Err(format!("invalid speed scaling `{text}`: expected a number above 0, or `max`").into()),
        },
    }
}
