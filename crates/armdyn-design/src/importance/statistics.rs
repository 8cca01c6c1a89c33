//! Statistics of the torque terms over many states.

use super::ImportanceOptions;
use super::torque_terms::{TermKind, TorqueTerms, torque_terms};
use crate::State;
use armdyn_core::{FormsData, Model, Progress};
use armdyn_numerics::{JointRanges, QuasiRandom, Result, Trajectory, parallel_map, quantile};
use serde::Serialize;
use std::collections::BTreeMap;

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
    /// Its terms.
    #[serde(flatten)]
    pub terms: BTreeMap<TermKind, TermStatistics>,
    /// The torque itself; its fraction is what terms of opposite signs leave.
    pub torque: TermStatistics,
    /// Fraction of the states in which gravity exceeds the torque of own inertia.
    pub gravity_dominates: f64,
}

impl JointImportance {
    /// The statistics of a kind of term.
    pub fn term(&self, kind: TermKind) -> &TermStatistics {
        &self.terms[&kind]
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
    let n = m.nv();
    let evaluate = |d: &mut FormsData<f64>, k: usize| {
        let (State { q, qd, qdd, .. }, mut terms) = (state(k), vec![TorqueTerms::default(); n]);
        torque_terms(m, d, &q, &qd, &qdd, &mut terms)?;
        Ok(terms)
    };
    let states = parallel_map(count, "torque terms", progress, || Ok(FormsData::new(m)), evaluate)?;
    let joint = |i: usize| {
        let of = |value: &dyn Fn(&TorqueTerms) -> f64| term(&states, i, value, &weight, &state);
        let total: f64 = (0..states.len()).map(&weight).sum();
        let size = |k: usize, kind: TermKind| states[k][i].get(kind).abs();
        let dominates = |k: &usize| size(*k, TermKind::Gravity) > size(*k, TermKind::OwnInertia);
        JointImportance {
            joint: m.dof_names()[i].clone(),
            unit: m.torque_unit(i),
            terms: TermKind::ALL.map(|kind| (kind, of(&|t| t.get(kind)))).into(),
            torque: of(&|t| t.sum()),
            // A sum over nothing would be −0.
            gravity_dominates: (0..states.len()).filter(dominates).map(&weight).fold(0.0, |a, b| a + b) / total,
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
    states: &[Vec<TorqueTerms>],
    joint: usize,
    value: &dyn Fn(&TorqueTerms) -> f64,
    weight: &impl Fn(usize) -> f64,
    state: &impl Fn(usize) -> State,
) -> TermStatistics {
    let mut magnitudes: Vec<(f64, f64)> = Vec::with_capacity(states.len());
    let (mut fraction, mut square, mut loaded, mut total) = (0.0, 0.0, 0.0, 0.0);
    let (mut maximum, mut at) = (0.0_f64, None);
    for (k, all) in states.iter().enumerate() {
        let (terms, w) = (&all[joint], weight(k));
        let x = value(terms);
        if terms.magnitude() > 0.0 {
            fraction += w * x.abs() / terms.magnitude();
            loaded += w;
        }
        square += w * x * x;
        total += w;
        magnitudes.push((x.abs(), w));
        if at.is_none() || x.abs() > maximum.abs() {
            (maximum, at) = (x, Some(k));
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
