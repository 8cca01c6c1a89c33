//! An arm driven by torques, on a fixed, mobile or floating base.

use super::{
    base_poses, base_quantities, changes, check_table, controller, note_written, partial_mark, plot_base, setup, view,
    write,
};
use crate::args::{ControllerKind, HeadingControlKind, Simulate, TorqueDriven};
use crate::document::{Document, Table};
use crate::format::{many, number, position_unit};
use crate::stream::{TIMES, columns, found, open, warn_unused};
use crate::table::Quantity;
use crate::values::{Kind, Reader};
use crate::{CommandError, CommandResult, Output, animation, diagnostics, format, plots, progress};
use armdyn_core::{Model, rounded};
use armdyn_motion::Tracking;
use armdyn_motion::simulation::{
    Interpolation, Options, Sample, Sampling, Simulation, SimulationResult, TorqueTable, plot,
};
use armdyn_numerics::{ContinuousTrajectory, Error, FunctionTrajectory};
use armdyn_scene::{Event, Motion};
use std::fmt::Write;
use std::path::Path;

/// More steps than this take minutes.
const MANY: f64 = 1e8;

/// Events that are printed at most.
const PRINTED: usize = 30;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Plot {
    Position,
    Torque,
    Energy,
    Error,
    Base(super::Plot),
}

/// Runs the simulation.
pub fn run(m: &Model<f64>, args: &Simulate) -> CommandResult {
    let mut kinds =
        vec![("position", Plot::Position), ("torque", Plot::Torque), ("energy", Plot::Energy), ("error", Plot::Error)];
    if args.base.is_some() {
        kinds.extend(super::PLOTS.map(|(name, plot)| (name, Plot::Base(plot))));
    }
    args.out.as_deref().map_or(Ok(()), check_table)?;
    args.animate.as_deref().map_or(Ok(()), animation::check)?;
    let reader = Reader { model: m, deg: args.deg };
    let own = &args.arm;
    let follows = own.controller.is_some_and(ControllerKind::tracks);
    let plots = plots::wanted(&args.plot, &kinds, if follows { Plot::Error } else { Plot::Position })?;
    let motion = args.motion.trajectory.is_some() || args.moves.is_some();
    if motion && !follows {
        return Err(
            "this controller follows no motion: remove `--trajectory` and `--move`, or choose another `--controller`"
                .into(),
        );
    }
    let trajectory = if motion { Some(setup::arm(args, &reader)?) } else { None };
    let mut q = reader.read("--q", &Kind::Position, own.q.as_deref())?;
    let mut qd = reader.read("--qd", &Kind::Rate, own.qd.as_deref())?;
    if let Some(trajectory) = &trajectory {
        let [mut start, mut velocity, mut acceleration] = [(); 3].map(|()| vec![0.0; m.nv()]);
        trajectory.at(0.0, &mut start, &mut velocity, &mut acceleration);
        q = if own.q.is_some() { q } else { start };
        qd = if own.qd.is_some() { qd } else { velocity };
    }
    let integrator = own.integrator.unwrap_or_default();
    if own.step.is_some() && !integrator.has_fixed_steps() {
        return Err(
            "`--step` is the length of fixed steps: pass `--integrator runge-kutta`, `semi-implicit-euler` or \
                    `implicit-midpoint`, or remove it"
                .into(),
        );
    }
    let sampled = own.controller.is_some_and(|kind| kind != ControllerKind::None);
    let rate = if sampled { args.rate.max(controller::rate(own)) } else { args.rate };
    if let Some(step) = own.step.filter(|step| *step * rate > 1.0 + 1e-9) {
        let (step, sample, of) =
            (number(step), number(1.0 / rate), if sampled { " and `--controller-rate`" } else { "" });
        diagnostics::warn(format_args!(
            "steps end at samples: they last at most {sample} s, not {step} s; pass a lower `--rate`{of} for longer steps"
        ));
    }
    let mut simulation = Simulation::new(m).initial_state(&q, &qd).options(options(args));
    let fixed = integrator.has_fixed_steps().then(|| 1.0 / own.step.unwrap_or(Options::default().step));
    let per_second = fixed.into_iter().chain(sampled.then(|| controller::rate(own))).fold(0.0, f64::max);
    let zero = vec![0.0; m.nv()];
    let values = |option, text: &Option<String>, kind| {
        text.as_deref().map(|text| reader.maxima(option, kind, Some(text), &zero)).transpose()
    };
    if let Some(restitution) = values("--restitution", &own.restitution, &Kind::Torque)? {
        simulation = simulation.restitution(&restitution);
    }
    if let Some(damping) = values("--flexible", &own.flexible, &Kind::Torque)? {
        let given = |option, text: &Option<String>| {
            text.as_deref().map_or(Ok(vec![]), |text| reader.parse_maxima(option, &Kind::Torque, text))
        };
        simulation = simulation
            .flexible_joints(&damping)
            .joint_stiffness(&given("--joint-stiffness", &own.joint_stiffness)?)
            .motor_inertia(&given("--motor-inertia", &own.motor_inertia)?);
    }
    let controller_model = controller::model(m, args)?;
    let (mut controller, mut description) = controller::build(&controller_model, args, trajectory.as_deref())?;
    let given = args.duration.map(|d| d.as_secs_f64());
    let mut duration = given.or(trajectory.as_ref().map(|t| t.duration()));
    let mut table = None;
    if let Some(file) = &own.torque {
        let torques = torques(file, own, &reader)?;
        duration = duration.or(Some(torques.duration()));
        if duration.is_some_and(|d| d > torques.duration()) {
            let last = number(torques.duration());
            diagnostics::note(format_args!("`{}` ends at {last} s; its last torques hold afterwards", file.display()));
        }
        table = Some((file, torques));
    }
    let duration = duration.ok_or("`--duration` is required with `--controller`: pass a time such as `5s`")?;
    let steps = duration * per_second;
    if (MANY..1e10).contains(&steps) {
        let steps = number(steps);
        diagnostics::warn(format_args!(
            "{steps} steps and samples of the controller take long: pass a longer `--step` or a lower `--controller-rate`"
        ));
    }
    let rest;
    let planned: &dyn ContinuousTrajectory = match &trajectory {
        Some(trajectory) => trajectory.as_ref(),
        None => {
            let q = q.clone();
            rest = FunctionTrajectory::new(duration, move |_, at: &mut [f64], v: &mut [f64], a: &mut [f64]| {
                at.copy_from_slice(&q);
                v.fill(0.0);
                a.fill(0.0);
            });
            &rest
        }
    };
    let feeds_forward = args.heading_control.is_some_and(|how| how != HeadingControlKind::Feedback);
    if feeds_forward && trajectory.is_none() {
        return Err("`--heading-control feed-forward` needs the planned motion of the arm: pass `--trajectory` or `--move`, or use \
                    `--heading-control feedback`"
            .into());
    }
    let planned = (&controller_model, planned);
    let base = args.base.map(|kind| setup::base(args, kind, m, planned, duration)).transpose()?;
    if let Some(base) = &base {
        simulation = simulation.base(base, setup::heading(args), setup::base_twist(args, &reader)?);
    }
    simulation = changes::add(simulation, m, own, duration)?;
    if let Some(trajectory) = &trajectory {
        simulation = simulation.track(trajectory.as_ref());
    }
    if let Some((file, table)) = table {
        description = format!("torques `{}`", file.display());
        simulation = simulation.torques(table);
    } else if let Some(controller) = &mut controller {
        let resolution = values("--resolution", &own.resolution, &Kind::Rate)?.unwrap_or_default();
        let delay = own.delay.map_or(0.0, |d| d.as_secs_f64());
        let rate = controller::rate(own);
        let sampling = Sampling { rate, delay, resolution, differentiate: false };
        simulation = simulation.controller(controller.as_mut(), sampling);
    }
    if let Some(kind) = args.base {
        description = format!("{}, {description}", setup::base_description(args, kind));
    }
    let result = progress::with_progress(|progress| simulation.run_with_progress(duration, progress));
    let result = result.map_err(with_options)?;
    if let Some(out) = &args.out {
        let samples = result.samples.iter().enumerate();
        write(out, samples.map(|(k, s)| quantities(&reader, &result, k, &s)))?;
    }
    warn_saturation(&result);
    warn_speed(m, &result);
    warn_residual(&result);
    if let Some(path) = &args.animate {
        animate(path, m, args, &result)?;
    }
    let mut document = document(&reader, &result, &description);
    if let Some(tracking) = &result.tracking {
        tracking_table(&mut document, &reader, tracking);
    }
    if let Some(out) = &args.out {
        note_written(&mut document, out, result.samples.len(), result.partial);
    }
    for (kind, file) in &plots {
        match kind {
            Plot::Position => plots::put(&mut document, &plot::position(m, &result, args.deg), file.as_deref()),
            Plot::Torque => plots::put(&mut document, &plot::torque(m, &result), file.as_deref()),
            Plot::Energy => plots::put(&mut document, &plot::energy(&result), file.as_deref()),
            Plot::Base(kind) => {
                let base = result.base.as_ref().ok_or("invalid plot: this robot has no base")?;
                plot_base(&mut document, base, *kind, file.as_deref(), args.deg)
            }
            Plot::Error => {
                let to = trajectory
                    .as_deref()
                    .ok_or("invalid plot `error`: nothing is tracked; pass `--trajectory` or `--move`")?;
                plots::put(&mut document, &plot::tracking_error(m, &result, to, args.deg), file.as_deref())
            }
        }?;
    }
    let failure = result.failure.clone();
    let output = Output::of(args.robot.json, &result, |_| document)?;
    Ok(match failure {
        None => output,
        Some(e) => {
            diagnostics::error(with_options(e));
            output.with_exit_code(2)
        }
    })
}

/// Adds the tracking errors.
fn tracking_table(document: &mut Document, reader: &Reader, tracking: &Tracking) {
    let _ = writeln!(document, "\nTracking error, desired - actual\n");
    let scales = reader.scales(&Kind::Rate);
    let rows = tracking.joints.iter().enumerate().map(|(i, joint)| {
        let unit = position_unit(reader.model, i, reader.deg);
        let shown = |x: f64| number(rounded(x / scales[i], 1.0));
        let at = number(joint.peak.t);
        vec![joint.joint.clone(), shown(joint.peak.value), at, shown(joint.rms), shown(joint.last), unit.to_string()]
    });
    document.table(Table::new(&["joint", "peak", "at [s]", "RMS", "last", "unit"], &[0, 5], rows));
    if let Some([peak, last]) = tracking.tool {
        let [peak, last] = [peak, last].map(|x| number(rounded(x, 1.0)));
        let _ = writeln!(document, "\nTool: at most {peak} m from its desired position, {last} m at the end");
    }
}

/// Writes the motion as a page.
fn animate(path: &Path, m: &Model<f64>, args: &Simulate, result: &SimulationResult) -> Result<(), CommandError> {
    let samples = || result.samples.iter();
    let t: Vec<f64> = samples().map(|s| s.t).collect();
    let q: Vec<Vec<f64>> = samples().map(|s| s.q.to_vec()).collect();
    let tau: Vec<Vec<f64>> = samples().map(|s| s.tau.to_vec()).collect();
    let end = result.partial.then(|| Event { t: result.duration, text: "partial: ended early".to_string() });
    let events = result.events.iter().map(|e| Event { t: e.t, text: e.kind.to_string() }).chain(end).collect();
    let base = result.base.as_ref().map(base_poses);
    let motion = Motion { tau: Some(&tau), events, base: base.as_deref(), ..Motion::new(&t, &q) };
    animation::write(path, &args.robot, &setup::with_gravity_of_base(m, args), &motion)
}

/// Warns of joints that are faster than their limits, which nothing enforces.
fn warn_speed(m: &Model<f64>, result: &SimulationResult) {
    let fast = |i: usize| {
        let peak = result.peaks[i].velocity.value.abs();
        let (limit, unit) = (m.limits()[i].speed, position_unit(m, i, false));
        let text = || format!("`{}` {} of {} {unit}/s", result.joints[i], number(peak), number(limit));
        (peak > limit * (1.0 + 1e-9)).then(text)
    };
    let fast: Vec<String> = (0..m.nv()).filter_map(fast).collect();
    if !fast.is_empty() {
        diagnostics::warn(format_args!("joints exceed their speed limits: {}", fast.join(", ")));
    }
}

/// The residual of the energy balance, relative to the largest energy, from which on a result is not reliable.
const UNRELIABLE: f64 = 1e-3;

/// Warns of an integration whose energy balance does not hold.
fn warn_residual(result: &SimulationResult) {
    let e = &result.energy;
    if e.residual > UNRELIABLE * e.scale {
        let percent = format::percent(e.residual / e.scale);
        diagnostics::warn(format_args!(
            "the energy balance is off by {percent} % of the largest energy: the result is not reliable; use a shorter `--step` or the \
             default `--integrator`"
        ));
    }
}

/// The part of the time at effort limits from which on a warning is printed.
const SATURATED: f64 = 0.1;

/// Warns of joints whose torques are at their limits for long.
fn warn_saturation(result: &SimulationResult) {
    let long = result.joints.iter().zip(&result.saturated).filter(|(_, t)| **t > SATURATED * result.duration);
    let long: Vec<String> =
        long.map(|(joint, t)| format!("`{joint}` {} %", format::percent(t / result.duration))).collect();
    if !long.is_empty() {
        let joints = long.join(", ");
        diagnostics::warn(format_args!(
            "torques are at their effort limits for much of the time: {joints}; use lower gains or a slower motion, or `--no-saturation`"
        ));
    }
}

/// An error of the library, with the options of the command that resolve it.
fn with_options(e: Error) -> CommandError {
    let Error::InvalidOption { option, message } = &e else { return e.into() };
    let options = match *option {
        "initial_state" => "`--q`, the start of `--move` or `--trajectory`, `--no-stops`",
        "step" => "`--step`, `--integrator`",
        "rate" => "`--rate`",
        "tolerance" => "`--tolerance`",
        "sampling.rate" => "`--controller-rate`",
        "sampling.delay" => "`--delay`",
        "joint_stiffness" => "`--joint-stiffness`",
        "motor_inertia" => "`--motor-inertia`",
        _ => return e.into(),
    };
    format!("{message} ({options})").into()
}

fn options(args: &Simulate) -> Options {
    let (own, mut options) = (&args.arm, Options::default());
    options.tolerance.relative = own.tolerance.unwrap_or(options.tolerance.relative);
    Options {
        integrator: own.integrator.unwrap_or(options.integrator),
        step: own.step.unwrap_or(options.step),
        rate: args.rate,
        saturation: !own.no_saturation,
        stops: !own.no_stops,
        ..options
    }
}

/// The table of `--torque`.
fn torques(path: &Path, args: &TorqueDriven, reader: &Reader) -> Result<TorqueTable, CommandError> {
    let file = path.display();
    let mut table = open(path, None)?;
    let names = table.names().to_vec();
    let time = TIMES.iter().find_map(|t| names.iter().position(|n| n == t));
    let time =
        time.ok_or_else(|| format!("`{file}` has no time column: expected `t`, in seconds; {}", found(&names)))?;
    let tau = columns(reader, "tau", &Kind::Torque, &names).map_err(|e| format!("`{file}`: {e}"))?;
    let tau = tau.ok_or_else(|| {
        let example = reader.model.dof_names().first().map_or("JOINT", String::as_str);
        format!("`{file}` has no joint torques: expected columns such as `tau_{example}`; {}", found(&names))
    })?;
    let used: Vec<usize> = std::iter::once(time).chain(tau).collect();
    warn_unused(reader.model, &names, &used);
    table.select(&used)?;
    let (mut t, mut values, mut rows) = (vec![], vec![], table.block(4096));
    while table.read(&mut rows)? > 0 {
        for row in rows.iter() {
            t.push(row[0]);
            values.extend_from_slice(&row[1..]);
        }
    }
    TorqueTable::new(t, values, args.interpolation.unwrap_or(Interpolation::Linear))
        .map_err(|e| format!("`{file}`: {e}").into())
}

/// The quantities of the k-th sample in a table, with their values; angles in degrees if `--deg`.
fn quantities(reader: &Reader, result: &SimulationResult, k: usize, s: &Sample) -> Vec<(Quantity, Vec<f64>)> {
    let scaled = |values: &[f64], kind: &Kind| {
        values.iter().zip(reader.scales(kind)).map(|(x, scale)| x / scale).collect::<Vec<f64>>()
    };
    let rates = reader.scales(&Kind::Rate);
    let dofs: Vec<usize> =
        result.flexible.iter().filter_map(|name| result.joints.iter().position(|j| j == name)).collect();
    let motors = |values: &[f64]| values.iter().zip(&dofs).map(|(x, dof)| x / rates[*dof]).collect::<Vec<f64>>();
    let (joints, motor_names) = (&result.joints[..], &result.flexible[..]);
    let vectors: [(&str, &[String], Vec<f64>); 9] = [
        ("q", &result.coordinates, scaled(s.q, &Kind::Position)),
        ("qd", joints, scaled(s.qd, &Kind::Rate)),
        ("qdd", joints, scaled(s.qdd, &Kind::Rate)),
        ("tau", joints, s.tau.to_vec()),
        ("commanded", joints, s.commanded.to_vec()),
        ("friction", joints, s.friction.to_vec()),
        ("stop", joints, s.stop.to_vec()),
        ("motor", motor_names, motors(s.motor_position)),
        ("motor_velocity", motor_names, motors(s.motor_velocity)),
    ];
    let mut all = vec![(Quantity::number("t"), vec![s.t])];
    let vectors = vectors.into_iter().filter(|v| !v.1.is_empty());
    all.extend(vectors.map(|(name, parts, values)| (Quantity::vector(name, parts), values)));
    for (name, x) in [("kinetic", s.kinetic), ("potential", s.potential), ("elastic", s.elastic)] {
        all.push((Quantity::number(name), vec![x]));
    }
    if let Some(base) = &result.base {
        all.extend(base_quantities(base, &base.samples[k], reader.deg));
    }
    all.extend(partial_mark(result.partial));
    all
}

fn document(reader: &Reader, result: &SimulationResult, description: &str) -> Document {
    let (m, mut text) = (reader.model, Document::default());
    // Writing to a document does not fail.
    let _ = writeln!(
        text,
        "`{}`, {description}: {} s simulated, {} of {}",
        result.robot,
        number(result.duration),
        many(result.steps, "step"),
        result.integrator
    );
    match &result.failure {
        Some(_) => text += "partial: failed, see the error\n",
        None if result.partial => text += "partial: cancelled by Ctrl-C\n",
        None => {}
    }
    let _ = writeln!(text, "\nJoints\n");
    let (scales, end) = (reader.scales(&Kind::Rate), result.end());
    let (positions, names) = (reader.scales(&Kind::Position), m.coordinate_names());
    let place = |dof: usize| names.iter().position(|n| *n == result.joints[dof]);
    let peaks = |i: usize| {
        let peak = &result.peaks[i];
        [peak.velocity, peak.torque, peak.friction].map(|peak| peak.value.abs())
    };
    // Rounding errors of positions and velocities of the order of 1, and of torques relative to the largest, print as 0.
    let strongest = (0..m.nv()).flat_map(|i| peaks(i)[1..].to_vec()).fold(0.0, f64::max);
    let torque = |x: f64| number(rounded(x, strongest));
    let number = |x: f64| number(rounded(x, 1.0));
    let rows = (0..m.nv()).map(|i| {
        let unit = position_unit(m, i, reader.deg);
        let q = place(i).map_or(String::new(), |k| number(end.q[k] / positions[k]));
        let [fastest, strongest, friction] = peaks(i);
        let [speed, fastest] = [end.qd[i], fastest].map(|x| number(x / scales[i]));
        let [torque, friction] = [strongest, friction].map(torque);
        let (name, unit, torque_unit) = (result.joints[i].clone(), unit.to_string(), m.torque_unit(i).to_string());
        vec![name, q, speed, fastest, unit, torque, friction, torque_unit]
    });
    let header =
        ["joint", "final position", "final velocity", "peak velocity", "unit", "peak torque", "peak friction", "unit"];
    text.table(Table::new(&header, &[0, 4, 7], rows));
    let saturated = result.joints.iter().zip(&result.saturated).filter(|(_, t)| **t > 0.0);
    let saturated: Vec<String> = saturated.map(|(joint, t)| format!("`{joint}` {} s", number(*t))).collect();
    if !saturated.is_empty() {
        let _ = writeln!(text, "\nTime at effort limits: {}", saturated.join(", "));
    }
    if let Some(base) = &result.base {
        view::base_tables(&mut text, base, reader.deg);
    }
    if !result.events.is_empty() {
        let _ = writeln!(text, "\nEvents\n");
        let rows = result.events.iter().take(PRINTED).map(|e| vec![number(e.t), e.kind.to_string()]);
        text.table(Table::new(&["at [s]", "event"], &[1], rows));
        if result.events.len() > PRINTED {
            let _ = writeln!(text, "and {} more; `--json` lists all", result.events.len() - PRINTED);
        }
    }
    let e = &result.energy;
    let rows = [
        ("work of the drives", e.drive_work),
        ("work of the drive of the base", e.base_work),
        ("work of external wrenches", e.external_work),
        ("brought by payloads", e.payload_energy),
        ("change of kinetic energy", e.kinetic_change),
        ("change of potential energy", e.potential_change),
        ("change of elastic energy", e.elastic_change),
        ("lost by viscous friction", e.viscous_loss),
        ("lost by dry friction", e.dry_loss),
        ("lost by joint damping", e.damping_loss),
        ("lost at stops", e.stop_loss),
        ("lost by friction of the wheels", e.wheel_loss),
    ];
    let rows: Vec<_> = rows.into_iter().filter(|(_, x)| x.abs() > 1e-14 * e.scale).collect();
    if !rows.is_empty() {
        let _ = writeln!(text, "\nEnergy [J]\n");
        let rows = rows.into_iter().map(|(name, x)| vec![name.to_string(), number(x)]);
        text.table(Table::new(&["", "energy"], &[0], rows));
    }
    // The next power of ten: below 1e-12 it is rounding, which differs from one processor to another.
    let relative = if e.scale > 0.0 { (e.residual / e.scale).abs().max(1e-13) } else { 1e-13 };
    let power = relative.log10().floor() as i32 + 1;
    let residual = match relative > UNRELIABLE {
        true => format!("{} %", format::percent(relative)),
        false => format!("below 1e{power}"),
    };
    let _ = writeln!(text, "\nEnergy balance: residual {residual} of the largest energy, {} J", number(e.scale));
    if let Some(base) = &result.base {
        view::momentum(&mut text, base);
    }
    text
}
