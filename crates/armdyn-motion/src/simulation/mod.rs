//! Simulation of robot arms: forward dynamics over time, driven by torques or by a controller.
//!
//! ```
//! use armdyn_motion::simulation::Simulation;
//! let model = armdyn_core::examples::pendulum(); // 1 kg at 0.5 m, horizontal at q = 0
//! let run = Simulation::new(&model).initial_state(&[0.0], &[0.0]).run(2.0)?;
//! let (start, end) = (run.samples.get(0), run.end());
//! let energy = |s: &armdyn_motion::simulation::Sample| s.kinetic + s.potential;
//! assert!((energy(&end) - energy(&start)).abs() < 1e-9 && end.qd[0].abs() > 1.0);
//! # Ok::<(), armdyn_numerics::Error>(())
//! ```
//!
//! Joints with dry friction truly stick: their velocity is exactly 0 until the torque on them exceeds the static friction
//! (`mode.rs`). Where a joint stops, breaks away or hits a stop is located to 1e-12 s, with every integrator (`integrators/`).

mod chart;
mod events;
mod integrators;
mod mobile;
mod mode;
mod peaks;
#[cfg(feature = "plot")]
pub mod plot;
mod result;
mod setup;
mod system;
mod torque;

pub use events::{Event, EventKind};
pub use integrators::Integrator;
pub use peaks::JointPeaks;
pub(crate) use peaks::{keep_largest, vertex_above};
pub use result::{EnergyBalance, Sample, Samples, SimulationResult};
pub use torque::{Interpolation, Sampling, TorqueTable};

use crate::Controller;
use crate::tracking::TrackingRecorder;
use armdyn_core::{ExternalWrench, Inertia, LinkId, Model, Progress, four_digits};
use armdyn_mobile::Base;
use armdyn_numerics::{ContinuousTrajectory, Error, Result, Tolerance, invalid};
use integrators::{EVENT_ACCURACY, Stepper};
use result::{BaseRecorder, Recorder};
use setup::{Change, Setup};
use system::System;
use torque::{Drives, Source};

/// More events of the mode than this are an error.
const MAX_EVENTS: usize = 1_000_000;

/// Events that follow each other by less are at one instant \[s\].
const INSTANT: f64 = 1e-7;

/// More events of the mode at one instant than this, and 10 for each degree of freedom, are an error.
const MAX_SIMULTANEOUS: usize = 100;

/// The latest time that counts as reached at `t`.
fn time_reached(t: f64) -> f64 {
    t + EVENT_ACCURACY.max(16.0 * f64::EPSILON * t)
}

/// Integration and sampling of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The integrator.
    pub integrator: Integrator,
    /// Length of a step of an integrator with fixed steps \[s\]; steps also end at samples and where torques change.
    pub step: f64,
    /// Error tolerance of an adaptive step.
    pub tolerance: Tolerance,
    /// Samples of the result per second.
    pub rate: f64,
    /// Whether torques are limited to the effort limits of the robot.
    pub saturation: bool,
    /// Whether the position limits of the robot are stops.
    pub stops: bool,
}

impl Default for Options {
    /// Adaptive steps of order 8, 100 samples per second, with effort limits and stops.
    fn default() -> Self {
        Options {
            integrator: Integrator::default(),
            step: 1e-3,
            tolerance: Tolerance { relative: 1e-11, absolute: 1e-12 },
            rate: 100.0,
            saturation: true,
            stops: true,
        }
    }
}

/// A simulation of a robot; by default from rest at the neutral configuration, without torques.
#[must_use]
pub struct Simulation<'a> {
    model: &'a Model<f64>,
    source: Source<'a>,
    q: Option<Vec<f64>>,
    qd: Option<Vec<f64>>,
    options: Options,
    restitution: Vec<f64>,
    damping: Option<Vec<f64>>,
    stiffness: Vec<Option<f64>>,
    motor_inertia: Vec<Option<f64>>,
    changes: Vec<(f64, Change)>,
    /// Base, initial heading and twist.
    base: Option<(&'a Base, f64, [f64; 6])>,
    tracked: Option<&'a dyn ContinuousTrajectory>,
}

impl<'a> Simulation<'a> {
    /// A simulation of a robot without torques.
    pub fn new(model: &'a Model<f64>) -> Self {
        Simulation {
            model,
            source: Source::None,
            q: None,
            qd: None,
            options: Options::default(),
            restitution: vec![],
            damping: None,
            stiffness: vec![],
            motor_inertia: vec![],
            changes: vec![],
            base: None,
            tracked: None,
        }
    }

    /// Starts from a configuration and velocities.
    pub fn initial_state(mut self, q: &[f64], qd: &[f64]) -> Self {
        (self.q, self.qd) = (Some(q.to_vec()), Some(qd.to_vec()));
        self
    }

    /// Puts the robot on a mobile or floating base, with an initial heading from the world's x axis \[rad\] and an initial twist in base
    /// axes: linear \[m/s\], angular \[rad/s\]. Arm and base act on each other; torques, controllers and positions are those of the
    /// arm, external wrenches in base axes are in those of the world. [`SimulationResult::base`] has the motion of the base.
    pub fn base(mut self, base: &'a Base, heading: f64, twist: [f64; 6]) -> Self {
        self.base = Some((base, heading, twist));
        self
    }

    /// Drives the joints by a table of torques.
    pub fn torques(mut self, table: TorqueTable) -> Self {
        self.source = Source::Table(table);
        self
    }

    /// Drives the joints by a sampled controller.
    pub fn controller(mut self, controller: &'a mut dyn Controller, sampling: Sampling) -> Self {
        self.source = Source::Controller(controller, sampling);
        self
    }

    /// Records how closely the arm follows a trajectory: [`SimulationResult::tracking`].
    pub fn track(mut self, trajectory: &'a dyn ContinuousTrajectory) -> Self {
        self.tracked = Some(trajectory);
        self
    }

    /// Integration and sampling.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Coefficients of restitution of the stops, one for each degree of freedom or one for all; 0 (no rebound) without.
    pub fn restitution(mut self, coefficients: &[f64]) -> Self {
        self.restitution = coefficients.to_vec();
        self
    }

    /// Makes joints with a finite stiffness flexible (Spong's model), with a damping parallel to the stiffness, one for each
    /// degree of freedom or one for all \[N m s/rad or N s/m\]. The inertia and the friction of their drives are on the motor's side.
    pub fn flexible_joints(mut self, damping: &[f64]) -> Self {
        self.damping = Some(damping.to_vec());
        self
    }

    /// Stiffness of flexible joints \[N m/rad, N/m\] in place of that of the robot, where it is given, one for each degree of freedom;
    /// infinite makes a joint rigid.
    pub fn joint_stiffness(mut self, stiffness: &[Option<f64>]) -> Self {
        self.stiffness = stiffness.to_vec();
        self
    }

    /// Inertia of the motors of flexible joints at the joint's side, with the gear ratio squared \[kg m², kg\], in place of that of the
    /// robot's drives, where it is given, one for each degree of freedom.
    pub fn motor_inertia(mut self, inertia: &[Option<f64>]) -> Self {
        self.motor_inertia = inertia.to_vec();
        self
    }

    /// Attaches a payload at a time \[s\]: its inertia in the frame of the link. It arrives with the velocity of the link.
    pub fn attach_payload(mut self, t: f64, name: &str, link: LinkId, inertia: Inertia<f64>) -> Self {
        self.changes.push((t, Change::Attach(name.to_string(), link, inertia)));
        self
    }

    /// Removes a payload at a time \[s\].
    pub fn remove_payload(mut self, t: f64, name: &str) -> Self {
        self.changes.push((t, Change::Remove(name.to_string())));
        self
    }

    /// Exerts an external wrench from one time to another \[s\].
    pub fn wrench(mut self, from: f64, to: f64, wrench: ExternalWrench<f64>) -> Self {
        self.changes.push((from, Change::WrenchStarts(wrench)));
        self.changes.push((to, Change::WrenchEnds(wrench)));
        self
    }

    /// Simulates for a time \[s\].
    pub fn run(self, duration: f64) -> Result<SimulationResult> {
        let result = self.run_with_progress(duration, &Progress::none())?;
        result.failure.clone().map_or(Ok(result), Err)
    }

    /// Simulates for a time \[s\]; a cancelled simulation returns what it has, marked as partial, and so does one that fails after its
    /// first sample, with the [failure](SimulationResult::failure).
    pub fn run_with_progress(self, duration: f64, progress: &Progress) -> Result<SimulationResult> {
        let (names, coordinates) = (self.model.dof_names().to_vec(), self.model.coordinate_names());
        let (robot, integrator) = (self.model.name().to_string(), self.options.integrator);
        let (model, base) = (self.model, self.base.map(|b| b.0));
        let tracking = self.tracked.map(|to| TrackingRecorder::new(model, to)).transpose()?;
        let base = base.map(|base| BaseRecorder::new(model, base));
        let mut run = Run::new(self.prepare(duration)?, duration, base, tracking)?;
        let (partial, failure) = match run.simulate(progress) {
            Ok(cancelled) => (cancelled, None),
            Err(e) => {
                let failure = in_step(e, run.stepper.t, run.fixed);
                if run.recorder.samples.is_empty() {
                    return Err(failure);
                }
                if run.last_sample() < run.stepper.t {
                    // The failure itself is what counts if this state cannot be recorded either.
                    let _ = run.sample(run.stepper.t, true);
                }
                (true, Some(failure))
            }
        };
        let duration = run.stepper.t;
        Ok(SimulationResult {
            robot,
            coordinates,
            flexible: run.system.flexible.iter().map(|f| run.system.model.dof_names()[f.dof].clone()).collect(),
            joints: names,
            peaks: run.peaks,
            tracking: run.tracking.map(TrackingRecorder::finish),
            integrator,
            steps: run.steps,
            duration,
            partial,
            failure,
            saturated: run.drives.saturated_time(duration),
            base: run.recorder.base.take().map(|b| b.finish(&run.recorder.energy, &run.events, duration, partial)),
            energy: run.recorder.energy,
            events: run.events,
            samples: run.recorder.samples,
        })
    }
}

/// A simulation under way.
struct Run<'a> {
    system: System<'a>,
    drives: Drives<'a>,
    stepper: Stepper,
    recorder: Recorder<'a>,
    peaks: Vec<JointPeaks>,
    tracking: Option<TrackingRecorder<'a>>,
    /// The end of an attempted step while states within it are integrated.
    end_of_step: Vec<f64>,
    events: Vec<Event>,
    changes: std::vec::IntoIter<setup::Due>,
    end: f64,
    rate: f64,
    fixed: bool,
    has_modes: bool,
    /// Samples so far, on the grid of times.
    sampled: usize,
    steps: usize,
    /// Events of the mode: all, and those at the current instant.
    mode_events: [usize; 2],
}

impl<'a> Run<'a> {
    fn new(
        setup: Setup<'a>,
        end: f64,
        base: Option<BaseRecorder<'a>>,
        tracking: Option<TrackingRecorder<'a>>,
    ) -> Result<Self> {
        let Setup { system, drives, options, state, changes } = setup;
        let mut stepper = Stepper::new(options.integrator, &system, options.step, options.tolerance);
        stepper.y.copy_from_slice(&state);
        let recorder = Recorder::new(&system, (end * options.rate) as usize + 3, base);
        let arm = &system.model.dof_names()[system.base_size()[1]..];
        Ok(Run {
            peaks: arm.iter().map(|name| JointPeaks::new(name)).collect(),
            tracking,
            end_of_step: vec![0.0; system.len()],
            has_modes: system.has_modes(),
            system,
            drives,
            stepper,
            recorder,
            events: Vec::with_capacity(64),
            changes: changes.into_iter(),
            end,
            rate: options.rate,
            fixed: options.integrator.has_fixed_steps(),
            sampled: 0,
            steps: 0,
            mode_events: [0; 2],
        })
    }

    /// Simulates to the end; true if it was cancelled before.
    fn simulate(&mut self, progress: &Progress) -> Result<bool> {
        self.system.energies(&self.stepper.y)?;
        self.update()?;
        self.settle()?;
        self.count_peaks(0.0)?;
        loop {
            let t = self.stepper.t;
            let finished = time_reached(t) >= self.end || self.system.tipped_over();
            while self.next_sample() <= time_reached(t) || (finished && self.last_sample() < t) {
                self.sample(t, true)?;
            }
            if finished {
                return Ok(false);
            }
            if self.steps.is_multiple_of(64) {
                progress.report("simulating", t / self.end);
            }
            if progress.cancelled() {
                if self.last_sample() < t {
                    self.sample(t, true)?;
                }
                return Ok(true);
            }
            self.step()?;
            if self.update()? {
                if self.has_modes && !self.system.mode_holds(self.stepper.t, &self.stepper.y)? {
                    self.settle()?;
                }
                peaks::update(&mut self.peaks, &self.system, self.stepper.t, &self.stepper.y);
            }
        }
    }

    /// One step, up to the next event.
    fn step(&mut self) -> Result<()> {
        let t = self.stepper.t;
        let change = self.changes.as_slice().first().map_or(f64::INFINITY, |c| c.t);
        let mut limit = self.end.min(change).min(self.drives.due).min(self.system.next_knot(t));
        if self.fixed {
            limit = limit.min(self.next_sample());
        }
        let stalled = || {
            Error::InvalidInput(format!(
                "the integration fails at {t} s: the motion changes faster than any step; check torques and parameters there"
            ))
        };
        let h = self.stepper.attempt(&mut self.system, limit)?.ok_or_else(stalled)?;
        let (h, event) = if self.has_modes { self.stepper.until_event(&mut self.system, h)? } else { (h, false) };
        let reached = if time_reached(t + h) >= limit { limit } else { t + h };
        self.steps += 1;
        peaks::update(&mut self.peaks, &self.system, reached, &self.stepper.trial);
        if !self.fixed {
            self.peaks_within(h)?;
            self.samples_within(h, reached)?;
        }
        self.stepper.accept(&mut self.system, reached)?;
        self.count_tracking(reached)?;
        if event {
            self.count_event(h)?;
            self.settle()?;
            peaks::update(&mut self.peaks, &self.system, reached, &self.stepper.y);
        } else {
            self.system.update_directions(&self.stepper.y);
        }
        Ok(())
    }

    /// Peaks of velocities and tracking errors before the end of an attempted adaptive step.
    fn peaks_within(&mut self, h: f64) -> Result<()> {
        let (n, base) = (self.system.nv(), self.system.base_size()[1]);
        self.end_of_step.copy_from_slice(&self.stepper.trial);
        let mut moved = false;
        for k in 0..self.peaks.len() {
            let (position, dof) = (base + k, n + base + k);
            let rates = self.stepper.start_rates();
            let ends = rates.map(|rates| [self.stepper.y[dof], rates[dof], self.end_of_step[dof]]);
            let fastest = ends.and_then(|ends| vertex_above(&self.peaks[k].velocity, ends, h));
            let tracking = self.tracking.as_mut();
            let farthest = tracking.and_then(|tracking| tracking.vertex(k, h, self.end_of_step[position]));
            for s in [fastest, farthest].into_iter().flatten() {
                moved = true;
                self.stepper.part(&mut self.system, s)?;
                let (t, y) = (self.stepper.t + s, &self.stepper.trial);
                peaks::update(&mut self.peaks, &self.system, t, y);
                self.tracking.as_mut().map_or(Ok(()), |tracking| tracking.within(t, &y[base..n]))?;
            }
        }
        if moved {
            self.stepper.trial.copy_from_slice(&self.end_of_step);
        }
        Ok(())
    }

    /// Counts the peaks and the tracking errors of the current state.
    fn count_peaks(&mut self, t: f64) -> Result<()> {
        peaks::update(&mut self.peaks, &self.system, t, &self.stepper.y);
        self.count_tracking(t)
    }

    /// Counts the tracking errors of the current state.
    fn count_tracking(&mut self, t: f64) -> Result<()> {
        let (n, base, y) = (self.system.nv(), self.system.base_size()[1], &self.stepper.y);
        self.tracking.as_mut().map_or(Ok(()), |to| to.end_of_step(t, &y[base..n], &y[n + base..2 * n]))
    }

    /// Samples before the end of an attempted adaptive step.
    fn samples_within(&mut self, h: f64, reached: f64) -> Result<()> {
        if time_reached(self.next_sample()) >= reached {
            return Ok(());
        }
        self.end_of_step.copy_from_slice(&self.stepper.trial);
        while time_reached(self.next_sample()) < reached {
            let at = self.next_sample();
            self.stepper.part(&mut self.system, (at - self.stepper.t).min(h))?;
            self.sample(at, false)?;
        }
        self.stepper.trial.copy_from_slice(&self.end_of_step);
        Ok(())
    }

    fn next_sample(&self) -> f64 {
        self.sampled as f64 / self.rate
    }

    fn last_sample(&self) -> f64 {
        self.recorder.samples.len().checked_sub(1).map_or(-1.0, |k| self.recorder.samples.get(k).t)
    }

    /// Records the state, or the end of the attempted step.
    fn sample(&mut self, t: f64, state: bool) -> Result<()> {
        let y = if state { &self.stepper.y } else { &self.stepper.trial };
        let drives = &self.drives;
        self.recorder.sample(&mut self.system, t, y, |i| drives.commanded(i, t))?;
        self.sampled = self.sampled.max((t * self.rate * (1.0 + 1e-12) + 1e-9) as usize + 1);
        Ok(())
    }

    /// Applies what is due: payloads, wrenches, torques. Returns whether anything changed.
    fn update(&mut self) -> Result<bool> {
        let (t, n) = (self.stepper.t, self.system.nv());
        let mut changed = false;
        while self.changes.as_slice().first().is_some_and(|c| c.t <= time_reached(t)) {
            let Some(due) = self.changes.next() else { break };
            if let Some(model) = due.model {
                let before = self.system.energies(&self.stepper.y)?;
                self.system.model = model;
                let after = self.system.energies(&self.stepper.y)?;
                self.recorder.energy.payload_energy += after[0] + after[1] - before[0] - before[1];
            }
            if let Some(wrenches) = due.wrenches {
                self.system.energies(&self.stepper.y)?;
                self.system.set_wrenches(wrenches)?;
            }
            self.events.push(Event { t, kind: due.event });
            changed = true;
        }
        if self.drives.due > time_reached(t) {
            return Ok(changed);
        }
        self.system.chart.configuration(&self.system.model, &self.stepper.y[..n], &mut self.system.q)?;
        let [q, v] = self.system.base_size();
        let state = [&self.system.q[q..], &self.stepper.y[n + v..2 * n]];
        let torques = self.drives.update(t, state, &mut self.system.applied, &mut self.events)?;
        Ok(changed || torques)
    }

    /// Determines the mode at the current time.
    fn settle(&mut self) -> Result<()> {
        let (t, events) = (self.stepper.t, &mut self.events);
        let loss = self.system.settle(t, &mut self.stepper.y, |kind| events.push(Event { t, kind }))?;
        self.recorder.energy.stop_loss += loss;
        self.stepper.restart();
        Ok(())
    }

    fn count_event(&mut self, h: f64) -> Result<()> {
        let instant = h <= INSTANT.max(16.0 * f64::EPSILON * self.stepper.t);
        self.mode_events = [self.mode_events[0] + 1, if instant { self.mode_events[1] + 1 } else { 0 }];
        if self.mode_events[0] > MAX_EVENTS || self.mode_events[1] > MAX_SIMULTANEOUS + 10 * self.system.nv() {
            let last = self.events.last().map_or_else(String::new, |e| format!(" (the last: {})", e.kind));
            let t = four_digits(self.stepper.t);
            return invalid(format!(
                "friction or stops chatter at {t} s: too many events{last}; check torques and, of a controller, gains, rate and delay"
            ));
        }
        Ok(())
    }
}

/// An error within a step, with its time and a remedy.
fn in_step(e: Error, t: f64, fixed: bool) -> Error {
    let t = four_digits(t);
    let fails = |e: &Error| format!("the integration fails at {t} s ({e})");
    match e {
        Error::Core(armdyn_core::Error::NotFinite { .. }) if fixed => Error::InvalidOption {
            option: "step",
            message: format!("{}; use a shorter step, or another integrator for stiff joints", fails(&e)),
        },
        Error::Core(armdyn_core::Error::NotFinite { .. }) => {
            Error::InvalidInput(format!("{}; check torques and parameters there", fails(&e)))
        }
        Error::Core(e) => Error::InvalidInput(format!("the simulation fails at {t} s: {e}")),
        e => e,
    }
}
