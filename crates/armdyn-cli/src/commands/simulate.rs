//! `armdyn simulate`: an arm driven by torques, or a mobile or floating base while its arm follows a prescribed motion.

mod arm;
mod changes;
mod controller;
mod setup;
mod view;

use crate::args::Simulate;
use crate::document::Document;
use crate::table::{self, Format, Quantity};
use crate::values::Reader;
use crate::{CommandError, CommandResult, Output, animation, plots, progress};
use armdyn_core::{Model, Transform, Vec3};
use armdyn_mobile::{Sample, SimulationResult, plot, simulate};
use armdyn_scene::{Event, Motion};
use std::fmt::Write;
use std::path::Path;

/// A plot of a base.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plot {
    Path,
    Loads,
    Velocity,
}

const PLOTS: [(&str, Plot); 3] = [("path", Plot::Path), ("loads", Plot::Loads), ("velocity", Plot::Velocity)];

/// Runs the command.
pub fn run(m: &Model<f64>, args: &Simulate) -> CommandResult {
    if args.arm.torque.is_some() || args.arm.controller.is_some() {
        return arm::run(m, args);
    }
    let Some(kind) = args.base else {
        return Err("`--trajectory` and `--move` prescribe the motion of an arm on a base: pass `--base KIND`, or drive the arm by \
                    `--torque` or `--controller`"
            .into());
    };
    let plots = plots::wanted(&args.plot, &PLOTS, Plot::Path)?;
    args.out.as_deref().map_or(Ok(()), check_table)?;
    args.animate.as_deref().map_or(Ok(()), animation::check)?;
    let reader = Reader { model: m, deg: args.deg };
    let arm = setup::arm(args, &reader)?;
    let options = setup::options(args, arm.as_ref(), &reader)?;
    let planned = (m, arm.as_ref());
    let base = setup::base(args, kind, m, planned, options.duration.unwrap_or(arm.duration()))?;
    let result = progress::with_progress(|progress| simulate(m, &base, arm.as_ref(), &options, progress))?;
    if let Some(out) = &args.out {
        let row = |s| quantities(m, &result, s, args.deg).into_iter().chain(partial_mark(result.partial)).collect();
        write(out, result.samples.iter().map(row))?;
    }
    if let Some(path) = &args.animate {
        animate(path, m, args, &result)?;
    }
    let mut document = view::document(m, &result, setup::description(args, kind), args.deg);
    if let Some(out) = &args.out {
        note_written(&mut document, out, result.samples.len(), result.partial);
    }
    for (kind, file) in &plots {
        plot_base(&mut document, &result, *kind, file.as_deref(), args.deg)?;
    }
    Output::of(args.robot.json, &result, |_| document)
}

/// Checks the format of a table, before long computations.
fn check_table(path: &Path) -> Result<(), CommandError> {
    Format::of(path)?;
    Ok(())
}

/// Writes the quantities of samples as a table; to MCAP those that a joint state has, and whether they are partial.
fn write(path: &Path, samples: impl ExactSizeIterator<Item = Vec<(Quantity, Vec<f64>)>>) -> Result<(), CommandError> {
    let joint_states = Format::of(path)? == Format::Mcap;
    let kept = |name: &str| !joint_states || ["t", "q", "qd", "tau", "partial"].contains(&name);
    let mut rows = samples.map(|s| s.into_iter().filter(|(q, _)| kept(q.name())).collect::<Vec<_>>()).peekable();
    let names: Vec<Quantity> = rows.peek().into_iter().flatten().map(|(quantity, _)| quantity.clone()).collect();
    table::Writer::put(path, &names, rows.map(|row| row.into_iter().flat_map(|q| q.1).collect()))?;
    Ok(())
}

/// The column that marks the rows of a simulation that ended early.
fn partial_mark(partial: bool) -> impl Iterator<Item = (Quantity, Vec<f64>)> {
    partial.then(|| (Quantity::number("partial"), vec![1.0])).into_iter()
}

/// Adds what was written to a table.
fn note_written(document: &mut Document, path: &Path, samples: usize, partial: bool) {
    let partial = match (partial, Format::of(path)) {
        (false, _) => "",
        (true, Ok(Format::Mcap)) => ", partial (metadata `armdyn`: `partial`)",
        (true, _) => ", partial (column `partial`)",
    };
    // Writing to a document does not fail.
    let _ = writeln!(document, "\n{samples} samples written to {}{partial}", path.display());
}

/// Adds a plot of the base.
fn plot_base(
    document: &mut Document,
    result: &SimulationResult,
    kind: Plot,
    file: Option<&Path>,
    deg: bool,
) -> Result<(), CommandError> {
    match kind {
        Plot::Path => plots::put(document, &plot::path(result), file),
        Plot::Loads => {
            let loads = plot::wheel_loads(result).ok_or("invalid plot `loads`: a floating base has no wheels")?;
            plots::put(document, &loads, file)
        }
        Plot::Velocity => plots::put(document, &plot::velocity(result, deg), file),
    }
}

/// The poses of the base in the world.
fn base_poses(result: &SimulationResult) -> Vec<Transform<f64>> {
    result.samples.iter().map(|s| Transform::new(s.rotation(), Vec3::lift(s.position))).collect()
}

/// Writes the motion of base and arm as a page.
fn animate(path: &Path, m: &Model<f64>, args: &Simulate, result: &SimulationResult) -> Result<(), CommandError> {
    let samples = &result.samples;
    let t: Vec<f64> = samples.iter().map(|s| s.t).collect();
    let q: Vec<Vec<f64>> = samples.iter().map(|s| s.q.clone()).collect();
    let tau: Vec<Vec<f64>> = samples.iter().map(|s| s.dynamics.tau.clone()).collect();
    let base = base_poses(result);
    let events = result.events.iter().map(|e| Event { t: e.t, text: e.kind.to_string() }).collect();
    let m = setup::with_gravity_of_base(m, args);
    animation::write(path, &args.robot, &m, &Motion { t: &t, q: &q, tau: Some(&tau), base: Some(&base), events })
}

/// The quantities of a sample in a table, with their values; angles in degrees if `deg`.
fn quantities(m: &Model<f64>, result: &SimulationResult, s: &Sample, deg: bool) -> Vec<(Quantity, Vec<f64>)> {
    let angle = |x: f64| if deg { x.to_degrees() } else { x };
    let q = (0..result.coordinates.len()).map(|k| {
        let revolute = m.nq() == m.nv() && m.is_rotational(k);
        if revolute { angle(s.q[k]) } else { s.q[k] }
    });
    let mut row = vec![(Quantity::number("t"), vec![s.t])];
    row.extend(base_quantities(result, s, deg));
    row.push((Quantity::vector("q", &result.coordinates), q.collect()));
    row.push((Quantity::vector("tau", &result.joints), s.dynamics.tau.clone()));
    row.retain(|(_, values)| !values.is_empty());
    row
}

/// The quantities of the base of a sample in a table, with their values; angles in degrees if `deg`.
fn base_quantities(result: &SimulationResult, s: &Sample, deg: bool) -> Vec<(Quantity, Vec<f64>)> {
    let angle = |x: f64| if deg { x.to_degrees() } else { x };
    let (floats, d) = (result.floats(), &s.dynamics);
    let mut row: Vec<(Quantity, Vec<f64>)> = vec![];
    let mut put = |name: &str, value: f64| row.push((Quantity::number(name), vec![value]));
    put("x", s.position[0]);
    put("y", s.position[1]);
    if floats {
        put("z", s.position[2]);
        ["qx", "qy", "qz", "qw"].iter().zip(s.orientation).for_each(|(name, x)| put(name, x));
    } else {
        put("heading", angle(s.heading));
    }
    // Base velocities and accelerations: on the ground only x, y and yaw.
    let axes: &[usize] = if floats { &[0, 1, 2] } else { &[0, 1] };
    let yaw: &[usize] = if floats { &[0, 1, 2] } else { &[2] };
    axes.iter().for_each(|k| put(["vx", "vy", "vz"][*k], s.linear_velocity[*k]));
    yaw.iter().for_each(|k| put(["wx", "wy", "w"][*k], angle(s.angular_velocity[*k])));
    axes.iter().for_each(|k| put(["ax", "ay", "az"][*k], d.linear_acceleration[*k]));
    yaw.iter().for_each(|k| put(["alphax", "alphay", "alpha"][*k], angle(d.angular_acceleration[*k])));
    let wheels: Vec<String> = result.wheels.iter().map(|w| w.name.clone()).collect();
    let castors: Vec<String> = result.wheels.iter().filter(|w| w.kind == "castor").map(|w| w.name.clone()).collect();
    let mut vectors = vec![("load", &wheels[..], d.wheel_loads.clone())];
    let castor_angles = s.castor_angles.iter().map(|a| angle(*a)).collect();
    vectors.push(("castor", &castors, castor_angles));
    vectors.push(("drive", &result.driven, d.driving_forces.clone()));
    if let Some(force) = d.lateral_force {
        put("lateral_force", force);
    }
    if !floats {
        let [x, y] = d.zmp.unwrap_or([f64::NAN; 2]);
        put("zmp_x", x);
        put("zmp_y", y);
        put("tip_margin", d.tip_margin.unwrap_or(f64::NAN));
    }
    let vectors = vectors.into_iter().filter(|(_, parts, values)| !parts.is_empty() && parts.len() == values.len());
    row.extend(vectors.map(|(name, parts, values)| (Quantity::vector(name, parts), values)));
    row
}
