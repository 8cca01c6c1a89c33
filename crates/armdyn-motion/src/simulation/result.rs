//! Result of a simulation: samples, events and the energy balance.

use super::events::{Event, EventKind};
use super::integrators::Integrator;
use super::mobile::Mobile;
use super::peaks::JointPeaks;
use super::system::{System, WORKS};
use crate::Tracking;
use armdyn_core::{Force, Model, Rotation};
use armdyn_mobile::base::BaseSolution;
use armdyn_mobile::{Base, BasePose};
use armdyn_numerics::{Error, Result};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::f64::consts::TAU;

/// State, torques and energies at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sample<'a> {
    /// Time \[s\].
    pub t: f64,
    /// Configuration.
    pub q: &'a [f64],
    /// Velocities.
    pub qd: &'a [f64],
    /// Accelerations.
    pub qdd: &'a [f64],
    /// Torques of the drives, within their effort limits \[N m, N\].
    pub tau: &'a [f64],
    /// Torques that the table or the controller commands \[N m, N\].
    pub commanded: &'a [f64],
    /// Friction torques that act against the drives \[N m, N\].
    pub friction: &'a [f64],
    /// Torques of the stops on the joints \[N m, N\].
    pub stop: &'a [f64],
    /// Positions of the motors of flexible joints, at the joint's side \[rad, m\].
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    pub motor_position: &'a [f64],
    /// Velocities of the motors of flexible joints \[rad/s, m/s\].
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    pub motor_velocity: &'a [f64],
    /// Kinetic energy \[J\].
    pub kinetic: f64,
    /// Potential energy of gravity \[J\].
    pub potential: f64,
    /// Elastic energy of flexible joints \[J\].
    pub elastic: f64,
}

/// The parts of a sample that are vectors.
const VECTORS: usize = 9;

/// Samples at increasing times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Times and energies.
    scalars: Vec<[f64; 4]>,
    /// The vectors of all samples, one after another.
    vectors: Vec<f64>,
    /// Where each vector starts within a sample, and the end of the last.
    bounds: [usize; VECTORS + 1],
}

impl Samples {
    fn with_capacity(nq: usize, nv: usize, motors: usize, samples: usize) -> Self {
        let mut bounds = [0; VECTORS + 1];
        let lengths = [nq, nv, nv, nv, nv, nv, nv, motors, motors];
        lengths.iter().enumerate().for_each(|(k, n)| bounds[k + 1] = bounds[k] + n);
        let vectors = Vec::with_capacity(samples * bounds[VECTORS]);
        Samples { scalars: Vec::with_capacity(samples), vectors, bounds }
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.scalars.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.scalars.is_empty()
    }

    /// A sample.
    ///
    /// # Panics
    /// If there is no such sample.
    pub fn get(&self, k: usize) -> Sample<'_> {
        let width = self.bounds[VECTORS];
        let row = &self.vectors[k * width..(k + 1) * width];
        let part = |i: usize| &row[self.bounds[i]..self.bounds[i + 1]];
        let [t, kinetic, potential, elastic] = self.scalars[k];
        Sample {
            t,
            q: part(0),
            qd: part(1),
            qdd: part(2),
            tau: part(3),
            commanded: part(4),
            friction: part(5),
            stop: part(6),
            motor_position: part(7),
            motor_velocity: part(8),
            kinetic,
            potential,
            elastic,
        }
    }

    /// All samples in order of time.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Sample<'_>> {
        (0..self.len()).map(|k| self.get(k))
    }
}

impl Serialize for Samples {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut all = serializer.serialize_seq(Some(self.len()))?;
        self.iter().try_for_each(|s| all.serialize_element(&s))?;
        all.end()
    }
}

/// Energy balance of a simulation: work in = change of stored energy + losses, up to the residual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EnergyBalance {
    /// Work of the drives \[J\].
    pub drive_work: f64,
    /// Work of external wrenches \[J\].
    pub external_work: f64,
    /// Energy that payloads bring when they are attached, less what they take away \[J\].
    pub payload_energy: f64,
    /// Change of kinetic energy \[J\].
    pub kinetic_change: f64,
    /// Change of potential energy \[J\].
    pub potential_change: f64,
    /// Change of the elastic energy of flexible joints \[J\].
    pub elastic_change: f64,
    /// Energy dissipated by viscous friction \[J\].
    pub viscous_loss: f64,
    /// Energy dissipated by Coulomb and Stribeck friction \[J\].
    pub dry_loss: f64,
    /// Energy dissipated by the damping of flexible joints \[J\].
    pub damping_loss: f64,
    /// Energy dissipated by impacts at stops \[J\].
    pub stop_loss: f64,
    /// Work of the drive of a mobile base \[J\].
    pub base_work: f64,
    /// Energy dissipated by friction of the wheels of a mobile base \[J\].
    pub wheel_loss: f64,
    /// The largest imbalance at a sample \[J\]: the error of the integration.
    pub residual: f64,
    /// The largest kinetic, potential, elastic or exchanged energy \[J\].
    pub scale: f64,
}

/// Result of a simulation.
#[derive(Clone, Debug, Serialize)]
pub struct SimulationResult {
    /// The robot.
    pub robot: String,
    /// Names of the coordinates, in the order of `q`.
    pub coordinates: Vec<String>,
    /// Names of the degrees of freedom, in the order of `qd` and `tau`.
    pub joints: Vec<String>,
    /// Names of the flexible joints, in the order of `motor_position`.
    pub flexible: Vec<String>,
    /// The integrator.
    pub integrator: Integrator,
    /// Integration steps.
    pub steps: usize,
    /// Simulated time \[s\].
    pub duration: f64,
    /// Whether the simulation was cancelled, or failed, before its end.
    pub partial: bool,
    /// Why it failed.
    #[serde(serialize_with = "as_text", skip_serializing_if = "Option::is_none")]
    pub failure: Option<Error>,
    /// Time that each joint's torque is at its effort limit, because a larger one is commanded \[s\].
    pub saturated: Vec<f64>,
    /// The largest velocity, torque and friction of each joint, over all steps: independent of the rate of the samples.
    pub peaks: Vec<JointPeaks>,
    /// Errors of following a trajectory ([`Simulation::track`](super::Simulation::track)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tracking: Option<Tracking>,
    /// Energy balance.
    pub energy: EnergyBalance,
    /// Motion of the base of a robot on one ([`Simulation::base`](super::Simulation::base)), with wheel loads and tip-over margins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<armdyn_mobile::SimulationResult>,
    /// Events in order of time.
    pub events: Vec<Event>,
    /// Samples at equal time steps, and at the end.
    pub samples: Samples,
}

fn as_text<S: serde::Serializer>(error: &Option<Error>, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.serialize_some(&error.as_ref().map(ToString::to_string))
}

impl SimulationResult {
    /// The last sample.
    pub fn end(&self) -> Sample<'_> {
        self.samples.get(self.samples.len() - 1)
    }
}

/// Records a simulation.
pub(super) struct Recorder<'a> {
    pub samples: Samples,
    pub energy: EnergyBalance,
    pub base: Option<BaseRecorder<'a>>,
    initial: Option<[f64; 3]>,
}

impl<'a> Recorder<'a> {
    pub fn new(system: &System, samples: usize, base: Option<BaseRecorder<'a>>) -> Self {
        let (m, [q, v]) = (&system.model, system.base_size());
        let samples = Samples::with_capacity(m.nq() - q, m.nv() - v, system.flexible.len(), samples);
        Recorder { samples, energy: EnergyBalance::default(), base, initial: None }
    }

    /// Records a state. The torques of the drives are `system`'s, the commanded ones of the arm's joints are given.
    pub fn sample(&mut self, system: &mut System, t: f64, y: &[f64], commanded: impl Fn(usize) -> f64) -> Result<()> {
        let (n, [base_q, base]) = (system.nv(), system.base_size());
        let energies = system.energies(y)?;
        system.accelerate(t, y)?;
        let v = &mut self.samples.vectors;
        v.extend_from_slice(&system.q[base_q..]);
        v.extend_from_slice(&y[n + base..2 * n]);
        v.extend_from_slice(&system.qdd[base..]);
        (base..n).for_each(|i| v.push(system.applied.torque(i, t)));
        (base..n).for_each(|i| v.push(commanded(i - base)));
        (base..n).for_each(|i| v.push(system.drive_friction(i, y)));
        (base..n).for_each(|i| v.push(system.friction_and_reaction(i, y[n + i])[1]));
        v.extend_from_slice(&y[2 * n..y.len() - WORKS]);
        self.samples.scalars.push([t, energies[0], energies[1], energies[2]]);
        self.balance(energies, y);
        self.base.as_mut().map_or(Ok(()), |recorder| recorder.sample(system, t, y))
    }

    fn balance(&mut self, energies: [f64; 3], y: &[f64]) {
        let initial = *self.initial.get_or_insert(energies);
        let e = &mut self.energy;
        let w = &y[y.len() - WORKS..];
        (e.drive_work, e.external_work, e.viscous_loss, e.dry_loss, e.damping_loss) = (w[0], w[1], w[2], w[3], w[4]);
        e.kinetic_change = energies[0] - initial[0];
        e.potential_change = energies[1] - initial[1];
        e.elastic_change = energies[2] - initial[2];
        (e.wheel_loss, e.base_work) = (w[5], w[6]);
        let input = e.drive_work + e.external_work + e.payload_energy + e.base_work;
        let stored = e.kinetic_change + e.potential_change + e.elastic_change;
        let lost = e.viscous_loss + e.dry_loss + e.damping_loss + e.stop_loss + e.wheel_loss;
        e.residual = e.residual.max((input - stored - lost).abs());
        let parts = [energies[0], energies[1], energies[2], e.potential_change, input, lost];
        e.scale = parts.iter().fold(e.scale, |s, x| s.max(x.abs()));
    }
}

/// Records the motion of a base.
pub(super) struct BaseRecorder<'a> {
    base: &'a Base,
    result: armdyn_mobile::SimulationResult,
    momentum: Option<Force<f64>>,
}

impl<'a> BaseRecorder<'a> {
    pub fn new(m: &Model<f64>, base: &'a Base) -> Self {
        BaseRecorder { base, result: armdyn_mobile::SimulationResult::new(m, base), momentum: None }
    }

    /// Records a state, after [`System::accelerate`].
    fn sample(&mut self, system: &mut System, t: f64, y: &[f64]) -> Result<()> {
        let (n, [base_q, base], twist) = (system.nv(), system.base_size(), system.base_twist(y));
        let tau: Vec<f64> = (base..n).map(|i| system.applied.torque(i, t)).collect();
        let dynamics = match &system.mobile {
            Some(Mobile { solution: Some((_, solution)), .. }) => self.base.results(&tau, solution),
            _ => self.base.results(&tau, &BaseSolution::floating(std::array::from_fn(|i| system.qdd[i]))),
        };
        let q = &system.q;
        let orientation = [q[3], q[4], q[5], q[6]];
        let mut heading = Rotation::quaternion(orientation).heading();
        if let Some(last) = self.result.samples.last().filter(|_| !self.base.floats()) {
            // On wheels it counts full turns.
            heading += TAU * ((last.heading - heading) / TAU).round();
        }
        let pose = BasePose { t, position: [q[0], q[1], q[2]], orientation, heading };
        self.result.push(self.base, pose, &twist, &q[base_q..], dynamics);
        if self.base.floats() {
            let (now, [linear, angular]) = system.base_momentum(y)?;
            let p = &mut self.result.momentum;
            let change = now - *self.momentum.get_or_insert(now);
            p.linear_change = p.linear_change.max(change.force.norm());
            p.angular_change = p.angular_change.max(change.moment.norm());
            (p.linear_scale, p.angular_scale) = (p.linear_scale.max(linear), p.angular_scale.max(angular));
        }
        Ok(())
    }

    pub fn finish(
        mut self,
        e: &EnergyBalance,
        events: &[Event],
        duration: f64,
        partial: bool,
    ) -> armdyn_mobile::SimulationResult {
        let r = &mut self.result;
        (r.duration, r.partial) = (duration, partial);
        let kinds = events.iter().filter_map(|e| match &e.kind {
            EventKind::Base(kind) => Some(armdyn_mobile::Event { t: e.t, kind: kind.clone() }),
            _ => None,
        });
        r.events = kinds.collect();
        r.tipped_over = r.events.iter().any(|e| matches!(e.kind, armdyn_mobile::EventKind::TipsOver { .. }));
        r.energy = armdyn_mobile::EnergyBalance {
            joint_work: e.drive_work,
            drive_work: e.base_work,
            external_work: e.external_work + e.payload_energy,
            friction_loss: e.viscous_loss + e.dry_loss + e.damping_loss + e.stop_loss + e.wheel_loss,
            energy_change: e.kinetic_change + e.potential_change + e.elastic_change,
            residual: e.residual,
            scale: e.scale,
        };
        self.result
    }
}
