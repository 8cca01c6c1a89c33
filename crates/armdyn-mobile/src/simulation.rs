//! Simulation of a mobile or floating base while its arm follows a prescribed trajectory.
//!
//! The base follows its equations of motion ([`crate::base`]), with three components of pose and twist on wheels and six if it
//! floats. The work of the joints and of the drive and the energy dissipated by friction are integrated too: with the mechanical
//! energy they form a balance that reveals errors. Steps end where something starts or stops sliding or tips over, located to
//! 1e-12 s; tipping over ends the simulation.

mod result;
mod system;

pub use result::{
    BasePose, EnergyBalance, Event, EventKind, Extremum, MomentumBalance, Sample, SimulationResult, WheelInfo,
};

use crate::base::Base;
use crate::invalid;
use armdyn_core::{Model, Progress};
use armdyn_numerics::integrate::{Solver, Step};
use armdyn_numerics::{ContinuousTrajectory, Result, Tolerance, require_dofs_of};
use result::Recorder;
use system::System;

/// Initial state, duration and accuracy of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulationOptions {
    /// Initial heading of the base, from the world's x axis about z \[rad\].
    pub heading: f64,
    /// Initial twist of the base, in its axes: linear \[m/s\], angular \[rad/s\].
    pub twist: [f64; 6],
    /// Duration \[s\]; defaults to that of the arm's trajectory.
    pub duration: Option<f64>,
    /// Samples per second.
    pub rate: f64,
    /// Error tolerance of a step.
    pub tolerance: Tolerance,
}

impl Default for SimulationOptions {
    /// From rest, 100 samples per second.
    fn default() -> Self {
        let tolerance = Tolerance { relative: 1e-11, absolute: 1e-12 };
        SimulationOptions { heading: 0.0, twist: [0.0; 6], duration: None, rate: 100.0, tolerance }
    }
}

/// The longest step \[s\]; events are detected at its middle and end.
const MAX_STEP: f64 = 0.05;

/// Accuracy to which events are located \[s\].
const EVENT_ACCURACY: f64 = 1e-12;

/// More events than this are an error.
const MAX_EVENTS: usize = 100_000;

/// Simulates the base of a robot while its arm follows a trajectory.
pub fn simulate(
    m: &Model<f64>,
    base: &Base,
    arm: &dyn ContinuousTrajectory,
    options: &SimulationOptions,
    progress: &Progress,
) -> Result<SimulationResult> {
    let end = options.duration.unwrap_or(arm.duration());
    require_dofs_of(m, arm)?;
    check(base, arm, options, end)?;
    let mut system = System::new(m, base, arm)?;
    let mut solver = Solver::new(0.0, system.initial_state(options)?, 1e-3, options.tolerance);
    system.initialise(0.0, &solver.y)?;
    let mut recorder = Recorder::new(m, &mut system, &solver.y, options.rate)?;
    let mut events = 0;
    while solver.t < end - EVENT_ACCURACY.max(1e-13 * end) {
        progress.report("simulating", solver.t / end);
        if progress.cancelled() {
            break;
        }
        // A knot within rounding counts as reached.
        let reached = solver.t + EVENT_ACCURACY.max(16.0 * f64::EPSILON * solver.t);
        let max_step = (end - solver.t).min(system.next_knot(reached) - solver.t).min(MAX_STEP);
        let Some(step) = solver.step(&mut system, max_step)? else {
            return invalid(format!(
                "the integration stalls at {} s: the motion changes faster than any step size; check the arm's trajectory there",
                solver.t
            ));
        };
        let half = (step.t - solver.t) / 2.0;
        let middle = solver.part(&mut system, half)?;
        let (step, event) = if !system.mode_holds(&middle)? {
            (locate_event(&mut solver, &mut system, 0.0, middle)?, true)
        } else if !system.mode_holds(&step)? {
            (locate_event(&mut solver, &mut system, half, step)?, true)
        } else {
            (step, false)
        };
        recorder.samples_until(&mut system, &mut solver, step.t)?;
        solver.take(step);
        if event {
            events += 1;
            let kinds = system.switch_mode(solver.t, &mut solver.y)?;
            if recorder.record_events(solver.t, kinds) {
                break;
            }
            solver.next = 1e-4;
        } else {
            system.update_directions(&solver.y);
        }
        if events > MAX_EVENTS {
            return invalid(format!("more than {MAX_EVENTS} events by {} s: the contact chatters", solver.t));
        }
    }
    recorder.finish(&mut system, &solver, end)
}

/// The state just after an event within the last accepted step, at least `low` after its start.
fn locate_event(solver: &mut Solver, system: &mut System, mut low: f64, mut after: Step) -> Result<Step> {
    let mut high = after.t - solver.t;
    while high - low > EVENT_ACCURACY.max(4.0 * f64::EPSILON * solver.t) {
        let middle = solver.part(system, low + (high - low) / 2.0)?;
        if system.mode_holds(&middle)? {
            low = middle.t - solver.t;
        } else {
            (high, after) = (middle.t - solver.t, middle);
        }
    }
    Ok(after)
}

fn check(base: &Base, arm: &dyn ContinuousTrajectory, options: &SimulationOptions, end: f64) -> Result<()> {
    let lasts = arm.duration();
    if !(end.is_finite() && end > 0.0) {
        return invalid(format!("invalid duration `{end}` s: expected more than 0 s"));
    }
    if end > lasts * (1.0 + 1e-12) {
        return invalid(format!("the trajectory lasts {lasts} s, but the simulation {end} s; use a shorter duration"));
    }
    base.check_duration(end)?;
    if !(options.rate.is_finite() && options.rate > 0.0 && options.rate * end <= 1e7) {
        let rate = options.rate;
        return invalid(format!(
            "invalid rate of `{rate}` samples per second over {end} s: expected 1 to 10 million samples"
        ));
    }
    if options.twist.iter().chain([&options.heading]).any(|x| !x.is_finite()) {
        return invalid("the initial heading or twist of the base is not finite");
    }
    Ok(())
}
