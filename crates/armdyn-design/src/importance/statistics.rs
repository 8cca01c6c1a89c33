//! Statistics of the torque terms over many states.

use super::ImportanceOptions;
use super::torque_terms::{TermKind, TorqueTerms, TorqueTermsData, torque_terms};
use crate::{State, units};
use armdyn_core::{Model, Progress};
use armdyn_numerics::{JointRanges, QuasiRandom, Result, Trajectory, quantile};
use rayon::prelude::*;
use serde::Serialize;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// Statistics of a term over many states.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TermStatistics {
    /// Mean of its fraction of the sum of the terms' magnitudes.
    pub mean_fraction: f64,
    /// Root mean square \[N m, N\].
    pub rms: f64,
    /// 95th percentile of its magnitude \[N m, N\].
    pub p95: f64,
    /// The value of largest magnitude \[N m, N\].
    pub maximum: f64,
    /// State of the maximum.
    pub at: State,
}

/// The terms of one joint's torque.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointImportance {
    /// The degree of freedom.
    pub joint: String,
    /// Unit of its torque: N m or N.
    pub unit: &'static str,
    /// Own inertia.
    pub own_inertia: TermStatistics,
    /// Coupling inertia.
    pub coupling: TermStatistics,
    /// Centrifugal terms.
    pub centrifugal: TermStatistics,
    /// Coriolis terms.
    pub coriolis: TermStatistics,
    /// Gravity.
    pub gravity: TermStatistics,
    /// Friction.
    pub friction: TermStatistics,
    /// The torque itself; its fraction is what terms of opposite signs leave.
    pub torque: TermStatistics,
    /// Fraction of the states in which gravity exceeds the torque of own inertia.
    pub gravity_dominates: f64,
}

impl JointImportance {
    /// The statistics of a kind of term.
    pub fn term(&self, kind: TermKind) -> &TermStatistics {
        match kind {
            TermKind::OwnInertia => &self.own_inertia,
            TermKind::Coupling => &self.coupling,
            TermKind::Centrifugal => &self.centrifugal,
            TermKind::Coriolis => &self.coriolis,
            TermKind::Gravity => &self.gravity,
            TermKind::Friction => &self.friction,
        }
    }
}

/// The terms of every joint's torque over many states.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TermImportance {
    /// The robot.
    pub robot: String,
    /// Number of states.
    pub states: usize,
    /// Whether the work was cancelled.
    pub partial: bool,
    /// Each degree of freedom.
    pub joints: Vec<JointImportance>,
}

/// Over configurations within joint ranges, each joint at its speed and acceleration with random signs.
pub fn over_ranges(
    m: &Model<f64>,
    ranges: &JointRanges,
    options: &ImportanceOptions,
    progress: &Progress,
) -> Result<TermImportance> {
    let (n, sequence) = (m.nv(), QuasiRandom::new(ranges, options.seed));
    let state = |k: usize| State {
        t: None,
        q: sequence.point(k),
        qd: (0..n).map(|i| sequence.sign(k, i) * options.speeds[i]).collect(),
        qdd: (0..n).map(|i| sequence.sign(k, n + i) * options.accelerations[i]).collect(),
    };
    statistics(m, options.samples, state, |_| 1.0, progress)
}

/// Over a trajectory, weighted by time.
pub fn over_trajectory(m: &Model<f64>, trajectory: &Trajectory, progress: &Progress) -> Result<TermImportance> {
    statistics(m, trajectory.len(), |k| State::of(trajectory, k), |k| trajectory.weight(k), progress)
}

/// Over states of equal weight.
pub fn over_states(m: &Model<f64>, states: &[State], progress: &Progress) -> Result<TermImportance> {
    statistics(m, states.len(), |k| states[k].clone(), |_| 1.0, progress)
}

fn statistics(
    m: &Model<f64>,
    count: usize,
    state: impl Fn(usize) -> State + Sync,
    weight: impl Fn(usize) -> f64 + Sync,
    progress: &Progress,
) -> Result<TermImportance> {
    const CHUNK: usize = 256;
    let (n, done) = (m.nv(), AtomicUsize::new(0));
    let chunk = |d: &mut TorqueTermsData, first: usize| -> Result<Option<Vec<TorqueTerms>>> {
        if progress.cancelled() {
            return Ok(None);
        }
        let last = count.min(first + CHUNK);
        let mut terms = vec![TorqueTerms::default(); (last - first) * n];
        for k in first..last {
            let State { q, qd, qdd, .. } = state(k);
            torque_terms(m, d, &q, &qd, &qdd, &mut terms[(k - first) * n..][..n])?;
        }
        progress.report("torque terms", done.fetch_add(last - first, Relaxed) as f64 / count as f64);
        Ok(Some(terms))
    };
    let firsts: Vec<usize> = (0..count).step_by(CHUNK).collect();
    let chunks = firsts.par_iter().map_init(|| TorqueTermsData::new(m), |d, first| chunk(d, *first));
    let chunks: Vec<Option<Vec<TorqueTerms>>> = chunks.collect::<Result<_>>()?;
    let states: Vec<(usize, &[TorqueTerms])> = chunks
        .iter()
        .zip(&firsts)
        .filter_map(|(terms, first)| Some((terms.as_ref()?, first)))
        .flat_map(|(terms, first)| terms.chunks(n.max(1)).enumerate().map(move |(k, t)| (first + k, t)))
        .collect();
    let joint = |i: usize| {
        let of = |value: &dyn Fn(&TorqueTerms) -> f64| term(&states, i, value, &weight, &state);
        let total: f64 = states.iter().map(|(k, _)| weight(*k)).sum();
        let dominated =
            states.iter().filter(|(_, t)| t[i].get(TermKind::Gravity).abs() > t[i].get(TermKind::OwnInertia).abs());
        let [own_inertia, coupling, centrifugal, coriolis, gravity, friction] =
            TermKind::ALL.map(|kind| of(&|t| t.get(kind)));
        JointImportance {
            joint: m.dof_names()[i].clone(),
            unit: units::torque(m, i),
            own_inertia,
            coupling,
            centrifugal,
            coriolis,
            gravity,
            friction,
            torque: of(&|t| t.sum()),
            gravity_dominates: dominated.fold(0.0, |sum, (k, _)| sum + weight(*k)) / total,
        }
    };
    Ok(TermImportance {
        robot: m.name().to_string(),
        states: states.len(),
        partial: states.len() < count,
        joints: (0..n).map(joint).collect(),
    })
}

fn term(
    states: &[(usize, &[TorqueTerms])],
    joint: usize,
    value: &dyn Fn(&TorqueTerms) -> f64,
    weight: &impl Fn(usize) -> f64,
    state: &impl Fn(usize) -> State,
) -> TermStatistics {
    let mut magnitudes: Vec<(f64, f64)> = Vec::with_capacity(states.len());
    let (mut fraction, mut square, mut loaded, mut total) = (0.0, 0.0, 0.0, 0.0);
    let (mut maximum, mut at) = (0.0_f64, None);
    for (k, all) in states {
        let (terms, w) = (&all[joint], weight(*k));
        let x = value(terms);
        if terms.magnitude() > 0.0 {
            fraction += w * x.abs() / terms.magnitude();
            loaded += w;
        }
        square += w * x * x;
        total += w;
        magnitudes.push((x.abs(), w));
        if at.is_none() || x.abs() > maximum.abs() {
            (maximum, at) = (x, Some(*k));
        }
    }
    TermStatistics {
        mean_fraction: if loaded > 0.0 { fraction / loaded } else { 0.0 },
        rms: (square / total).sqrt(),
        p95: quantile(&mut magnitudes, 0.95),
        maximum,
        at: at.map(state).unwrap_or_default(),
    }
}
