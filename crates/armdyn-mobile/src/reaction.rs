//! The reaction of a base to the motion of its arm, over time.
//!
//! The arm moves as it is told; the base follows by its equations ([`crate::base`]), with six components of pose and twist
//! afloat and three on wheels. Besides, the work of the joints, that of the drive and what rubbing takes are integrated: with
//! the energy they are a balance that any error would upset. Steps end where something begins to slide, comes to rest, starts
//! or tips over, each located to 1e-12 s; a robot that tips over ends the run.

mod flow;
mod run;

pub use run::{Balance, Event, EventKind, Run, Sample};

use crate::base::{Base, Drive, Dynamics, Instant, STILL, Status};
use crate::motion::Motion;
use armdyn_core::{Model, Progress, Rotation};
use armdyn_numerics::integrate::{Solver, Step, Tolerance};
use armdyn_numerics::{Error, Result};
use flow::Flow;
use run::Recorder;

/// How a run begins, how long it is, and how exact.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Which way the base looks at first: from the world's x axis about z \[rad\].
    pub heading: f64,
    /// Its twist at first, in its axes: linear \[m/s\], angular \[rad/s\].
    pub twist: [f64; 6],
    /// How long, where not as long as the motion \[s\].
    pub duration: Option<f64>,
    /// Samples a second.
    pub rate: f64,
    /// Errors of a step.
    pub tolerance: Tolerance,
}

impl Default for Setting {
    /// From rest, 100 samples a second.
    fn default() -> Self {
        let tolerance = Tolerance { relative: 1e-11, absolute: 1e-12 };
        Setting { heading: 0.0, twist: [0.0; 6], duration: None, rate: 100.0, tolerance }
    }
}

/// The longest step \[s\]: what happens is looked for at its end and in its middle.
const LONGEST: f64 = 0.05;

/// So near an instant is located \[s\].
const LOCATED: f64 = 1e-12;

/// More happenings than this are a fault of the model.
const MOST: usize = 100_000;

impl Base {
    /// What is true at an instant: the arm's state and the base's heading \[rad\] and twist in its axes (linear, angular); its
    /// drive at the time `t`.
    pub fn instant(
        &self,
        m: &Model<f64>,
        t: f64,
        (q, qd, qdd): (&[f64], &[f64], &[f64]),
        heading: f64,
        twist: &[f64; 6],
    ) -> Result<Instant> {
        let mut d = Dynamics::new(m, self)?;
        for (what, found, expected) in [("q", q.len(), m.nq()), ("qd", qd.len(), m.nv()), ("qdd", qdd.len(), m.nv())] {
            if found != expected {
                return Err(armdyn_core::Error::Length { what, expected, found }.into());
            }
        }
        d.q.copy_from_slice(q);
        d.qd.copy_from_slice(qd);
        d.qdd.copy_from_slice(qdd);
        let attitude = Rotation::rpy(0.0, 0.0, heading);
        let load = d.load(t, &attitude, twist)?;
        let (mode, solution) = d.decide(&load, twist)?;
        d.instant(&attitude, twist, &mode, &solution)
    }
}

/// Lets a robot's arm move on its base.
pub fn simulate(m: &Model<f64>, base: &Base, arm: &dyn Motion, setting: &Setting, progress: &Progress) -> Result<Run> {
    let end = setting.duration.unwrap_or(arm.duration());
    check(base, arm, setting, end)?;
    let mut flow = Flow::new(m, base, arm)?;
    let mut solver = Solver::new(0.0, flow.begin(setting)?, 1e-3, setting.tolerance);
    flow.settle(0.0, &mut solver.y)?;
    let mut recorder = Recorder::new(&mut flow, &solver.y, setting)?;
    let mut happenings = 0;
    while solver.t < end - LOCATED.max(1e-13 * end) {
        progress.report("simulating", solver.t / end);
        if progress.cancelled() {
            break;
        }
        // A knot that rounding left just ahead has been reached.
        let reached = solver.t + LOCATED.max(16.0 * f64::EPSILON * solver.t);
        let longest = (end - solver.t).min(flow.next_knot(reached) - solver.t).min(LONGEST);
        let step = match solver.step(&mut flow, longest)? {
            Ok(step) => step,
            Err(stalled) => {
                return Err(Error::InvalidInput(format!(
                    "the motion cannot be followed beyond {} s: it changes faster than any step; look at the arm's motion there",
                    stalled.t
                )));
            }
        };
        let half = (step.t - solver.t) / 2.0;
        let middle = solver.part(&mut flow, half)?;
        let (step, happens) = if !flow.lasts(&middle)? {
            (locate(&mut solver, &mut flow, 0.0, middle)?, true)
        } else if !flow.lasts(&step)? {
            (locate(&mut solver, &mut flow, half, step)?, true)
        } else {
            (step, false)
        };
        recorder.samples_until(&mut flow, &mut solver, step.t)?;
        solver.take(step);
        if happens {
            happenings += 1;
            let told = flow.happen(solver.t, &mut solver.y)?;
            if recorder.tell(solver.t, told) {
                break;
            }
            solver.next = 1e-4;
        } else {
            flow.follow(&solver.y);
        }
        if happenings > MOST {
            return Err(Error::InvalidInput(format!(
                "more than {MOST} starts and stops by {} s: the base chatters",
                solver.t
            )));
        }
    }
    recorder.finish(&mut flow, &solver, end)
}

/// The state just after something happens within the last accepted step, not before `low` from its beginning.
fn locate(solver: &mut Solver, flow: &mut Flow, mut low: f64, mut after: Step) -> Result<Step> {
    let mut high = after.t - solver.t;
    while high - low > LOCATED.max(4.0 * f64::EPSILON * solver.t) {
        let middle = solver.part(flow, low + (high - low) / 2.0)?;
        if flow.lasts(&middle)? {
            low = middle.t - solver.t;
        } else {
            (high, after) = (middle.t - solver.t, middle);
        }
    }
    Ok(after)
}

fn check(base: &Base, arm: &dyn Motion, setting: &Setting, end: f64) -> Result<()> {
    let asked = |what: String| Err(Error::InvalidInput(what));
    if !(end.is_finite() && end > 0.0) {
        return asked(format!("a duration of {end} s: it must be above 0 s"));
    }
    if end > arm.duration() * (1.0 + 1e-12) {
        return asked(format!("the motion lasts {} s, and {end} s are asked for", arm.duration()));
    }
    if let Drive::Motion(drive) = &base.drive
        && end > drive.duration() * (1.0 + 1e-12)
    {
        return asked(format!("the drive's motion lasts {} s, and the run {end} s: make it as long", drive.duration()));
    }
    if !(setting.rate.is_finite() && setting.rate > 0.0 && setting.rate * end <= 1e7) {
        return asked(format!(
            "{} samples a second over {end} s: ask for more than none, and 10 million at most",
            setting.rate
        ));
    }
    if setting.twist.iter().chain([&setting.heading]).any(|x| !x.is_finite()) {
        return asked("the base's heading or twist at first is not finite".to_string());
    }
    if !base.floats() && [2, 3, 4].iter().any(|i| setting.twist[*i] != 0.0) {
        return asked("a base on wheels moves along the ground: its twist has no vz, wx, wy".to_string());
    }
    Ok(())
}
