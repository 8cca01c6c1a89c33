//! `armdyn simulate`: an arm driven by torques, or a mobile or floating base while its arm follows a prescribed motion.

mod arm;
mod controller;
mod setup;
mod view;

use crate::args::Simulate;
use crate::table::{self, Quantity};
use crate::values::Reader;
use crate::{CommandError, CommandResult, Output, animation, plots, progress};
use armdyn_core::{Model, Transform, Vec3};
use armdyn_mobile::{Sample, SimulationResult, plot, simulate};
use armdyn_scene::{Event, Motion};
use std::path::Path;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Plot {
    Path,
    Loads,
    Velocity,
}

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
    let kinds = [("path", Plot::Path), ("loads", Plot::Loads), ("velocity", Plot::Velocity)];
    let plots = plots::wanted(&args.plot, &kinds)?;
    args.animate.as_deref().map_or(Ok(()), animation::check)?;
    let reader = Reader { model: m, deg: args.deg };
    let arm = setup::arm(args, &reader)?;
    let options = setup::options(args, arm.as_ref(), &reader)?;
    let base = setup::base(args, kind, m, options.duration.unwrap_or(arm.duration()))?;
    let result = progress::with_progress(|progress| simulate(m, &base, arm.as_ref(), &options, progress))?;
    if let Some(out) = &args.out {
        let all = |s: &Sample| quantities(m, &result, s, args.deg).into_iter();
        let names: Vec<Quantity> = all(&result.samples[0]).map(|q| q.0).collect();
        let row = |s: &Sample| all(s).flat_map(|q| q.1).collect();
        table::Writer::put(out, &names, result.samples.iter().map(row))?;
    }
    if let Some(path) = &args.animate {
        animate(path, m, args, &result)?;
    }
    let mut document = view::document(m, &result, setup::description(args, kind), args.deg);
    for (kind, file) in &plots {
        let loads = || plot::wheel_loads(&result).ok_or("invalid plot `loads`: a floating base has no wheels");
        match kind {
            Plot::Path => plots::put(&mut document, &plot::path(&result), file.as_deref()),
            Plot::Loads => plots::put(&mut document, &loads()?, file.as_deref()),
            Plot::Velocity => plots::put(&mut document, &plot::velocity(&result, args.deg), file.as_deref()),
        }?;
    }
    Output::of(args.robot.json, &result, |_| document)
}

/// Writes the motion of base and arm as a page.
fn animate(path: &Path, m: &Model<f64>, args: &Simulate, result: &SimulationResult) -> Result<(), CommandError> {
    let samples = &result.samples;
    let t: Vec<f64> = samples.iter().map(|s| s.t).collect();
    let q: Vec<Vec<f64>> = samples.iter().map(|s| s.q.clone()).collect();
    let tau: Vec<Vec<f64>> = samples.iter().map(|s| s.dynamics.tau.clone()).collect();
    let base = |s: &Sample| Transform::new(s.rotation(), Vec3::lift(s.position));
    let base: Vec<Transform<f64>> = samples.iter().map(base).collect();
    let events = result.events.iter().map(|e| Event { t: e.t, text: e.kind.to_string() }).collect();
    // A robot in space has no gravity unless an option sets it.
    let weightless = (result.floats() && args.robot.gravity.is_none()).then(|| m.with_gravity(Vec3::zero()));
    let m = weightless.as_ref().unwrap_or(m);
    animation::write(path, &args.robot, m, &Motion { t: &t, q: &q, tau: Some(&tau), base: Some(&base), events })
}

/// The quantities of a sample in a table, with their values; angles in degrees if `deg`.
fn quantities(m: &Model<f64>, result: &SimulationResult, s: &Sample, deg: bool) -> Vec<(Quantity, Vec<f64>)> {
    let angle = |x: f64| if deg { x.to_degrees() } else { x };
    let (floats, d) = (result.floats(), &s.dynamics);
    let mut row: Vec<(Quantity, Vec<f64>)> = vec![];
    let mut put = |name: &str, value: f64| row.push((Quantity::number(name), vec![value]));
    put("t", s.t);
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
    let q = (0..result.coordinates.len()).map(|k| {
        let revolute = m.nq() == m.nv() && m.is_rotational(k);
        if revolute { angle(s.q[k]) } else { s.q[k] }
    });
    let castor_angles = s.castor_angles.iter().map(|a| angle(*a)).collect();
    vectors.push(("castor", &castors, castor_angles));
    vectors.push(("drive", &result.driven, d.driving_forces.clone()));
    vectors.push(("q", &result.coordinates, q.collect()));
    vectors.push(("tau", &result.joints, d.tau.clone()));
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
