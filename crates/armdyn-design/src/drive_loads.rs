//! Loads of the drives on a trajectory: torque, speed, power, energy, duty cycle and utilization of their limits.
//!
//! Means over time use the trapezoidal rule. Power is interpolated linearly; its positive part (motoring) and negative part
//! (braking) are integrated separately.

use crate::{DriveLimits, State};
use armdyn_core::{Friction, Model, Progress, RneaData, explain, rnea};
use armdyn_numerics::{
    CompiledStates, Error, Limit, Peak, Result, Trajectory, invalid, parallel_map, quantile, require_scalar_coordinates,
};
use serde::Serialize;

/// A joint counts as moving above this fraction of its peak speed.
pub const MOVING_FRACTION: f64 = 0.01;

/// A value of largest magnitude on a trajectory, with its sign.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PeakValue {
    /// The value.
    pub value: f64,
    /// Time \[s\].
    pub t: f64,
}

impl PeakValue {
    pub(crate) fn new(peak: Peak, trajectory: &Trajectory) -> Self {
        PeakValue { value: peak.value, t: trajectory.t[peak.sample] }
    }
}

/// A contribution to a torque.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TorqueTerm {
    /// Its cause, such as `weight of link2`.
    pub cause: String,
    /// Its kind, such as `gravity`.
    pub kind: &'static str,
    /// The contribution \[N m, N\].
    pub torque: f64,
}

/// The load of one drive.
#[derive(Clone, Debug, Serialize)]
pub struct DriveLoad {
    /// The degree of freedom.
    pub joint: String,
    /// Unit of torques: N m or N.
    pub unit: &'static str,
    /// Peak torque.
    pub peak: PeakValue,
    /// RMS torque.
    pub rms: f64,
    /// 95th percentile of the torque's magnitude over time.
    pub p95: f64,
    /// Peak speed \[rad/s, m/s\].
    pub speed: PeakValue,
    /// RMS speed.
    pub speed_rms: f64,
    /// Maximum power from the drive \[W\].
    pub motoring: PeakValue,
    /// Maximum power into the drive, negative \[W\].
    pub braking: PeakValue,
    /// Work done by the drive \[J\].
    pub work: f64,
    /// Work returned to the drive \[J\].
    pub regenerated: f64,
    /// Fraction of time in motion (see [`MOVING_FRACTION`]).
    pub duty_cycle: f64,
    /// Fraction of time above the continuous torque, if known.
    pub above_continuous: Option<f64>,
    /// Largest torque relative to the effort limit of its direction, if known.
    pub effort_utilization: Option<f64>,
    /// RMS torque relative to the continuous torque, if known.
    pub continuous_utilization: Option<f64>,
    /// Peak speed relative to the speed limit, if known.
    pub speed_utilization: Option<f64>,
    /// The limits that it exceeds.
    pub exceeded: Vec<ExceededLimit>,
    /// State at the peak torque.
    pub state: State,
    /// Contributions to the peak torque, largest first.
    pub contributions: Vec<TorqueTerm>,
}

/// A limit that a drive exceeds on a trajectory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ExceededLimit {
    /// The limit.
    pub limit: Limit,
    /// Its utilization, above 1; infinite (null) if the drive cannot act in the direction of a torque.
    pub utilization: f64,
}

/// The limits whose utilization exceeds 1 beyond rounding.
fn exceeded(utilizations: [(Limit, Option<f64>); 3]) -> Vec<ExceededLimit> {
    let above = |(limit, used): (Limit, Option<f64>)| {
        Some(ExceededLimit { limit, utilization: used.filter(|u| *u > 1.0 + 1e-9)? })
    };
    utilizations.into_iter().filter_map(above).collect()
}

/// Torques of a trajectory and the loads of the drives.
#[derive(Clone, Debug)]
pub struct DriveLoads {
    /// The load of each drive.
    pub drives: Vec<DriveLoad>,
    /// Torques, one row per sample \[N m, N\].
    pub torques: Vec<f64>,
    /// Number of evaluated samples; fewer than the trajectory has if cancelled.
    pub samples: usize,
}

/// Computes the torques of a trajectory and the loads of the drives.
pub fn drive_loads(
    m: &Model<f64>,
    trajectory: &Trajectory,
    limits: &DriveLimits,
    progress: &Progress,
) -> Result<DriveLoads> {
    limits.check(m)?;
    if m.nv() == 0 {
        return invalid(format!("robot `{}` has no movable joint", m.name()));
    }
    let torques = torques(m, trajectory, "torques", progress)?;
    let samples = torques.len() / m.nv();
    if samples < 2 {
        return invalid("cancelled before there was a result");
    }
    let evaluated = if samples < trajectory.len() { &trajectory.truncated(samples) } else { trajectory };
    let drives = (0..m.nv()).map(|i| drive(m, evaluated, limits, &torques, i)).collect::<Result<_>>()?;
    Ok(DriveLoads { drives, torques, samples })
}

/// The torques of each sample, one row per sample; fewer samples if cancelled.
pub(crate) fn torques(m: &Model<f64>, trajectory: &Trajectory, what: &str, progress: &Progress) -> Result<Vec<f64>> {
    const CHUNK: usize = 64;
    require_scalar_coordinates(m)?;
    if let Some(torques) = compiled_torques(m, trajectory, what, progress) {
        return Ok(torques);
    }
    let (n, samples) = (m.nv(), trajectory.len());
    let chunk = |d: &mut RneaData<f64>, chunk: usize| {
        let own = chunk * CHUNK..samples.min((chunk + 1) * CHUNK);
        let mut torques = vec![0.0; own.len() * n];
        for (sample, tau) in own.zip(torques.chunks_mut(n.max(1))) {
            let [q, qd, qdd] = trajectory.state(sample);
            let found = rnea(m, d, q, qd, qdd, tau).and_then(|()| m.add_breakaway_torques(qd, qdd, tau));
            found.map_err(|e| Error::Trajectory { sample, what: e.to_string() })?;
        }
        Ok(torques)
    };
    Ok(parallel_map(samples.div_ceil(CHUNK), what, progress, || Ok(RneaData::new(m)), chunk)?.concat())
}

/// The same by a compiled program; none if it does not pay, or if a state is invalid.
fn compiled_torques(m: &Model<f64>, trajectory: &Trajectory, what: &str, progress: &Progress) -> Option<Vec<f64>> {
    const BLOCK: usize = 1 << 16;
    let (n, samples) = (m.nv(), trajectory.len());
    if !CompiledStates::pays(samples) {
        return None;
    }
    let (program, mut torques) = (CompiledStates::inverse(m), vec![0.0; samples * n]);
    let mut done = 0;
    while done < samples && !progress.cancelled() {
        progress.report(what, done as f64 / samples as f64);
        let block = done..samples.min(done + BLOCK);
        let tau = &mut torques[block.start * n..block.end * n];
        if !program.compute(block.len(), trajectory.states(block.clone()), tau) {
            return None;
        }
        if m.friction().iter().any(Friction::is_dry) {
            for (sample, tau) in block.clone().zip(tau.chunks_mut(n.max(1))) {
                let [_, qd, qdd] = trajectory.state(sample);
                m.add_breakaway_torques(qd, qdd, tau).ok()?;
            }
        }
        done = block.end;
    }
    torques.truncate(done * n);
    Some(torques)
}

fn drive(
    m: &Model<f64>,
    trajectory: &Trajectory,
    limits: &DriveLimits,
    torques: &[f64],
    i: usize,
) -> Result<DriveLoad> {
    let n = m.nv();
    let (tau, speed) = (|k: usize| torques[k * n + i], |k: usize| trajectory.qd[k * n + i]);
    let mean = |f: &dyn Fn(usize) -> f64| {
        let (sum, time) = (0..trajectory.len())
            .fold((0.0, 0.0), |(s, t), k| (s + trajectory.weight(k) * f(k), t + trajectory.weight(k)));
        sum / time
    };
    let [mut peak, mut fastest, mut motoring, mut braking] = [Peak::default(); 4];
    let (mut work, mut regenerated) = (0.0, 0.0);
    for k in 0..trajectory.len() {
        peak.update(tau(k), k);
        fastest.update(speed(k), k);
        let power = tau(k) * speed(k);
        motoring.update(power.max(0.0), k);
        braking.update(power.min(0.0), k);
        if k > 0 {
            let (from, h) = (tau(k - 1) * speed(k - 1), trajectory.t[k] - trajectory.t[k - 1]);
            work += positive(from, power) * h;
            regenerated += positive(-from, -power) * h;
        }
    }
    let threshold = MOVING_FRACTION * fastest.value.abs();
    let time_fraction = |f: &dyn Fn(usize) -> bool| mean(&|k| f64::from(u8::from(f(k))));
    let utilization = |value: f64, limit: f64| limit.is_finite().then(|| value / limit);
    let rms = mean(&|k| tau(k) * tau(k)).sqrt();
    let mut magnitudes: Vec<(f64, f64)> = (0..trajectory.len()).map(|k| (tau(k).abs(), trajectory.weight(k))).collect();
    let state = State::of(trajectory, peak.sample);
    let mut terms =
        explain(m, &RneaData::new(m).boundary, &state.q, &state.qd, &state.qdd)?.swap_remove(i).contributions;
    terms.retain(|s| s.torque != 0.0);
    terms.sort_by(|a, b| b.torque.abs().total_cmp(&a.torque.abs()));
    let term = |s: &armdyn_core::Contribution<f64>| TorqueTerm {
        cause: s.cause.describe(m),
        kind: s.cause.kind(),
        torque: s.torque,
    };
    let continuous = limits.continuous[i];
    let efforts = (0..trajectory.len()).filter_map(|k| limits.effort[i].utilization(tau(k)));
    let effort_utilization = efforts.max_by(f64::total_cmp);
    let continuous_utilization = utilization(rms, continuous);
    let speed_utilization = utilization(fastest.value.abs(), limits.speed[i]);
    let timed = |p: Peak| PeakValue::new(p, trajectory);
    Ok(DriveLoad {
        joint: m.dof_names()[i].clone(),
        unit: m.torque_unit(i),
        peak: timed(peak),
        rms,
        p95: quantile(&mut magnitudes, 0.95),
        speed: timed(fastest),
        speed_rms: mean(&|k| speed(k) * speed(k)).sqrt(),
        motoring: timed(motoring),
        braking: timed(braking),
        work,
        regenerated,
        duty_cycle: time_fraction(&|k| speed(k).abs() > threshold),
        above_continuous: continuous.is_finite().then(|| time_fraction(&|k| tau(k).abs() > continuous)),
        effort_utilization,
        continuous_utilization,
        speed_utilization,
        exceeded: exceeded([
            (Limit::Effort, effort_utilization),
            (Limit::Continuous, continuous_utilization),
            (Limit::Speed, speed_utilization),
        ]),
        state,
        contributions: terms.iter().map(term).collect(),
    })
}

/// The mean of the positive part of a linear function from `a` to `b`.
fn positive(a: f64, b: f64) -> f64 {
    match (a > 0.0, b > 0.0) {
        (true, true) => (a + b) / 2.0,
        (false, false) => 0.0,
        _ => a.max(b).powi(2) / (2.0 * (a - b).abs()),
    }
}
