//! `armdyn simulate`: a mobile or floating base while its arm follows a prescribed motion.

mod setup;
mod view;

use crate::args::Simulate;
use crate::values::Reader;
use crate::{CommandResult, Output, plots, progress, table};
use armdyn_core::Model;
use armdyn_mobile::{Sample, SimulationResult, plot, simulate};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Plot {
    Path,
    Loads,
    Velocity,
}

/// Runs the command.
pub fn run(m: &Model<f64>, args: &Simulate) -> CommandResult {
    let kinds = [("path", Plot::Path), ("loads", Plot::Loads), ("velocity", Plot::Velocity)];
    let plots = plots::wanted(&args.plot, &kinds)?;
    let reader = Reader { model: m, deg: args.deg };
    let arm = setup::arm(args, &reader)?;
    let options = setup::options(args, arm.as_ref(), &reader)?;
    let base = setup::base(args, m, options.duration.unwrap_or(arm.duration()))?;
    let result = progress::with_progress(|progress| simulate(m, &base, arm.as_ref(), &options, progress))?;
    if let Some(out) = &args.out {
        let names: Vec<String> = columns(m, &result, &result.samples[0], args.deg).into_iter().map(|c| c.0).collect();
        let row = |s: &Sample| columns(m, &result, s, args.deg).into_iter().map(|c| c.1).collect();
        table::Writer::put(out, &names, result.samples.iter().map(row))?;
    }
    let mut document = view::document(m, &result, setup::description(args), args.deg);
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

/// The columns of a sample in a table; angles in degrees if `deg`.
fn columns(m: &Model<f64>, result: &SimulationResult, s: &Sample, deg: bool) -> Vec<(String, f64)> {
    let angle = |x: f64| if deg { x.to_degrees() } else { x };
    let (floats, d) = (result.floats(), &s.dynamics);
    let mut row: Vec<(String, f64)> = vec![];
    let mut put = |name: &str, value: f64| row.push((name.to_string(), value));
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
    result.wheels.iter().zip(&d.wheel_loads).for_each(|(w, n)| put(&format!("load_{}", w.name), *n));
    if let Some(force) = d.lateral_force {
        put("lateral_force", force);
    }
    if !floats {
        let [x, y] = d.zmp.unwrap_or([f64::NAN; 2]);
        put("zmp_x", x);
        put("zmp_y", y);
        put("tip_margin", d.tip_margin.unwrap_or(f64::NAN));
    }
    let castors = result.wheels.iter().filter(|w| w.kind == "castor").zip(&s.castor_angles);
    castors.for_each(|(w, a)| put(&format!("castor_{}", w.name), angle(*a)));
    result.driven.iter().zip(&d.driving_forces).for_each(|(name, f)| put(&format!("drive_{name}"), *f));
    for (k, name) in result.coordinates.iter().enumerate() {
        let revolute = m.nq() == m.nv() && m.is_rotational(k);
        put(&format!("q_{name}"), if revolute { angle(s.q[k]) } else { s.q[k] });
    }
    result.joints.iter().zip(&d.tau).for_each(|(name, tau)| put(&format!("tau_{name}"), *tau));
    row
}
