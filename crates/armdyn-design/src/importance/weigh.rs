//! How large the parts of each torque are, over many states.

use super::parts::{Kind, Parts, PartsData, parts};
use armdyn_core::{Model, Progress};
use armdyn_numerics::{JointRanges, QuasiRandom, Result, Trajectory, quantile};
use rayon::prelude::*;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// A motion at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// When \[s\], if it is of a trajectory.
    pub t: Option<f64>,
    /// Position.
    pub q: Vec<f64>,
    /// Speed.
    pub qd: Vec<f64>,
    /// Acceleration.
    pub qdd: Vec<f64>,
}

/// How large something is over many states.
#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    /// The mean, over states, of its share of all parts' sizes: from 0 to 1.
    pub mean_share: f64,
    /// Root mean square \[N m, N\].
    pub rms: f64,
    /// What its size stays below in 95 % of the states \[N m, N\].
    pub p95: f64,
    /// The one of greatest size, with its sign \[N m, N\].
    pub worst: f64,
    /// Where that is.
    pub at: State,
}

/// The parts of one joint's torque.
#[derive(Clone, Debug, PartialEq)]
pub struct JointImportance {
    /// Of each kind, in the order of [`Kind::ALL`].
    pub kinds: [Size; 6],
    /// Of the torque itself; its share is what parts of opposite signs leave of their sizes.
    pub torque: Size,
    /// In which share of the states gravity is more than the torque of the joint's own inertia.
    pub gravity_dominates: f64,
}

/// The parts of every joint's torque, over many states.
#[derive(Clone, Debug, PartialEq)]
pub struct Importance {
    /// Of each degree of freedom.
    pub joints: Vec<JointImportance>,
    /// How many states were looked at.
    pub states: usize,
    /// Whether it was ended before all were.
    pub partial: bool,
}

/// Over `count` configurations of a region, each joint at its speed and acceleration forward or backward by chance.
pub fn over_region(
    m: &Model<f64>,
    region: &JointRanges,
    speeds: &[f64],
    accelerations: &[f64],
    count: usize,
    seed: u64,
    progress: &Progress,
) -> Result<Importance> {
    let (n, spread) = (m.nv(), QuasiRandom::new(region, seed));
    let state = |k: usize| State {
        t: None,
        q: spread.point(k),
        qd: (0..n).map(|i| spread.sign(k, i) * speeds[i]).collect(),
        qdd: (0..n).map(|i| spread.sign(k, n + i) * accelerations[i]).collect(),
    };
    weigh(m, count, state, |_| 1.0, progress)
}

/// Over a trajectory, by time.
pub fn over_trajectory(m: &Model<f64>, trajectory: &Trajectory, progress: &Progress) -> Result<Importance> {
    let t = &trajectory.t;
    let state = |k: usize| {
        let [q, qd, qdd] = trajectory.state(k).map(<[f64]>::to_vec);
        State { t: Some(t[k]), q, qd, qdd }
    };
    weigh(m, trajectory.len(), state, |k| trajectory.weight(k), progress)
}

/// Over states, each as much as any other.
pub fn over_states(m: &Model<f64>, states: &[State], progress: &Progress) -> Result<Importance> {
    weigh(m, states.len(), |k| states[k].clone(), |_| 1.0, progress)
}

fn weigh(
    m: &Model<f64>,
    count: usize,
    state: impl Fn(usize) -> State + Sync,
    weight: impl Fn(usize) -> f64 + Sync,
    progress: &Progress,
) -> Result<Importance> {
    const TOGETHER: usize = 256;
    let (n, done) = (m.nv(), AtomicUsize::new(0));
    let some = |d: &mut PartsData, first: usize| -> Result<Option<Vec<Parts>>> {
        if progress.cancelled() {
            return Ok(None);
        }
        let last = count.min(first + TOGETHER);
        let mut found = vec![Parts::default(); (last - first) * n];
        for k in first..last {
            let State { q, qd, qdd, .. } = state(k);
            parts(m, d, &q, &qd, &qdd, &mut found[(k - first) * n..][..n])?;
        }
        progress.report("parts of the torques", done.fetch_add(last - first, Relaxed) as f64 / count as f64);
        Ok(Some(found))
    };
    let firsts: Vec<usize> = (0..count).step_by(TOGETHER).collect();
    let found = firsts.par_iter().map_init(|| PartsData::new(m), |d, first| some(d, *first));
    let found: Vec<Option<Vec<Parts>>> = found.collect::<Result<_>>()?;
    let seen: Vec<(usize, &[Parts])> = found
        .iter()
        .zip(&firsts)
        .filter_map(|(found, first)| Some((found.as_ref()?, first)))
        .flat_map(|(found, first)| found.chunks(n.max(1)).enumerate().map(move |(k, p)| (first + k, p)))
        .collect();
    let joint = |i: usize| {
        let of = |value: &dyn Fn(&Parts) -> f64| size(&seen, i, value, &weight, &state);
        let total: f64 = seen.iter().map(|(k, _)| weight(*k)).sum();
        let over = seen.iter().filter(|(_, p)| p[i].of(Kind::Gravity).abs() > p[i].of(Kind::OwnInertia).abs());
        JointImportance {
            kinds: Kind::ALL.map(|kind| of(&|p| p.of(kind))),
            torque: of(&|p| p.sum()),
            gravity_dominates: over.fold(0.0, |sum, (k, _)| sum + weight(*k)) / total,
        }
    };
    Ok(Importance { joints: (0..n).map(joint).collect(), states: seen.len(), partial: seen.len() < count })
}

fn size(
    seen: &[(usize, &[Parts])],
    joint: usize,
    value: &dyn Fn(&Parts) -> f64,
    weight: &impl Fn(usize) -> f64,
    state: &impl Fn(usize) -> State,
) -> Size {
    let mut sizes: Vec<(f64, f64)> = Vec::with_capacity(seen.len());
    let (mut share, mut square, mut loaded, mut total) = (0.0, 0.0, 0.0, 0.0);
    let (mut worst, mut at) = (0.0_f64, None);
    for (k, all) in seen {
        let (parts, w) = (&all[joint], weight(*k));
        let x = value(parts);
        if parts.size() > 0.0 {
            share += w * x.abs() / parts.size();
            loaded += w;
        }
        square += w * x * x;
        total += w;
        sizes.push((x.abs(), w));
        if at.is_none() || x.abs() > worst.abs() {
            (worst, at) = (x, Some(*k));
        }
    }
    Size {
        mean_share: if loaded > 0.0 { share / loaded } else { 0.0 },
        rms: (square / total).sqrt(),
        p95: quantile(&mut sizes, 0.95),
        worst,
        at: at.map(state).unwrap_or_default(),
    }
}
