//! Charts of a simulation.

use super::{Sample, SimulationResult};
use crate::trajectory::charts::within_limits;
use armdyn_core::{Model, four_digits};
use armdyn_numerics::ContinuousTrajectory;
use armdyn_plot::{Axis, Chart, Panels};

/// Events that a chart marks at most.
const MARKED: usize = 20;

/// `panda: energy`, with a mark if the simulation ended early.
fn title(run: &SimulationResult, what: &str) -> String {
    let partial =
        if run.partial { format!(" (partial: ended at {} s)", four_digits(run.duration)) } else { String::new() };
    format!("{}: {what}{partial}", run.robot)
}

/// Curves of a quantity over time, one for each name.
fn curves(
    run: &SimulationResult,
    mut chart: Chart,
    names: &[(usize, String)],
    of: impl Fn(&Sample, usize) -> f64,
) -> Chart {
    for (k, name) in names {
        chart = chart.curve(name.clone(), run.samples.iter().map(|s| (s.t, of(&s, *k))));
    }
    run.events.iter().take(MARKED).fold(chart, |chart, e| chart.instant(e.kind.to_string(), e.t))
}

/// Charts of one quantity of all degrees of freedom: rotations and translations have their own axes.
fn by_unit(
    m: &Model<f64>,
    run: &SimulationResult,
    title: &str,
    [name, rotation, translation]: [&str; 3],
    of: impl Fn(&Sample, usize) -> f64,
) -> Panels {
    let mut panels = Panels::new(self::title(run, title), 1);
    for (rotational, unit) in [(true, rotation), (false, translation)] {
        let names: Vec<(usize, String)> =
            run.joints.iter().cloned().enumerate().filter(|(k, _)| m.is_rotational(*k) == rotational).collect();
        if !names.is_empty() {
            let chart = Chart::new("", Axis::new("time", "s"), Axis::new(name, unit));
            panels = panels.chart(curves(run, chart, &names, &of));
        }
    }
    panels
}

/// Joint positions over time, angles in degrees if `deg`; velocities of a joint that has a quaternion.
pub fn position(m: &Model<f64>, run: &SimulationResult, deg: bool) -> Panels {
    let scale = |k: usize| if deg && m.is_rotational(k) { 1f64.to_degrees() } else { 1.0 };
    if m.nq() != m.nv() {
        let units = if deg { ["velocity", "°/s", "m/s"] } else { ["velocity", "rad/s", "m/s"] };
        return by_unit(m, run, "joint velocities", units, |s, k| s.qd[k] * scale(k));
    }
    let units = if deg { ["position", "°", "m"] } else { ["position", "rad", "m"] };
    by_unit(m, run, "joint positions", units, |s, k| s.q[k] * scale(k))
}

/// Tracking errors, desired minus actual, over time; angles in degrees if `deg`.
pub fn tracking_error(m: &Model<f64>, run: &SimulationResult, to: &dyn ContinuousTrajectory, deg: bool) -> Panels {
    let scale = |k: usize| if deg && m.is_rotational(k) { 1f64.to_degrees() } else { 1.0 };
    let desired = |t: f64| {
        let [mut q, mut qd, mut qdd] = [(); 3].map(|()| vec![0.0; m.nv()]);
        to.at(t.min(to.duration()), &mut q, &mut qd, &mut qdd);
        q
    };
    let units = if deg { ["error", "°", "m"] } else { ["error", "rad", "m"] };
    by_unit(m, run, "tracking errors", units, |s, k| (desired(s.t)[k] - s.q[k]) * scale(k))
}

/// Torques of the drives over time, with their effort limits.
pub fn torque(m: &Model<f64>, run: &SimulationResult) -> Panels {
    let panels = Panels::new(title(run, "joint torques and their limits"), 2);
    m.limits().iter().enumerate().fold(panels, |panels, (i, limits)| {
        let name = if m.is_rotational(i) { "torque" } else { "force" };
        let points = run.samples.iter().map(|s| (s.t, s.tau[i]));
        let (quantity, effort) = (Axis::new(name, m.torque_unit(i)), limits.effort);
        panels.chart(within_limits(&run.joints[i], quantity, points, [effort.lower, effort.upper]))
    })
}

/// Kinetic, potential, elastic and total energy over time.
pub fn energy(run: &SimulationResult) -> Chart {
    let chart = Chart::new(title(run, "energy"), Axis::new("time", "s"), Axis::new("energy", "J"));
    let mut names = vec![(0, "kinetic".to_string()), (1, "potential".to_string()), (3, "total".to_string())];
    if !run.flexible.is_empty() {
        names.insert(2, (2, "elastic".to_string()));
    }
    curves(run, chart, &names, |s, k| match k {
        0 => s.kinetic,
        1 => s.potential,
        2 => s.elastic,
        _ => s.kinetic + s.potential + s.elastic,
    })
}
