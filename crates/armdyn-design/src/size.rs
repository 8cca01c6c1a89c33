//! What a motion asks of each drive: torque, speed, power, energy, duty, and how much of its limits that is.
//!
//! Means over time are by the trapezoidal rule; power is taken as straight between samples, and its positive part
//! (motoring) and negative part (braking) are integrated apart.

use crate::DriveLimits;
use armdyn_core::{Explanation, Model, Progress, RneaData, explain, rnea};
use armdyn_numerics::{Error, Peak, Result, Trajectory, parallel_ordered, quantile};
use armdyn_plot::{Axis, Chart};

/// A joint moves where it is faster than this share of its own peak speed.
pub const MOVING: f64 = 0.01;

/// What is asked of one drive.
#[derive(Clone, Debug)]
pub struct DriveLoad {
    /// The torque of greatest size \[N m, N\].
    pub peak: Peak,
    /// Its root mean square over time.
    pub rms: f64,
    /// What its size stays at or below in 95 % of the time.
    pub p95: f64,
    /// The speed of greatest size \[rad/s, m/s\].
    pub speed: Peak,
    /// Its root mean square over time.
    pub speed_rms: f64,
    /// The greatest power that the drive gives \[W\].
    pub motoring: Peak,
    /// The greatest power that it takes back, negative \[W\].
    pub braking: Peak,
    /// The work that it does \[J\].
    pub work: f64,
    /// The work that comes back to it \[J\].
    pub returned: f64,
    /// The share of time in which it moves (see [`MOVING`]).
    pub moving: f64,
    /// The share of time in which the torque is above the rated one, if that is known.
    pub above_rated: Option<f64>,
    /// Peak torque by the greatest one, if that is known: above 1 it cannot be followed.
    pub effort_used: Option<f64>,
    /// Peak speed by the greatest one.
    pub speed_used: Option<f64>,
    /// Root mean square of the torque by the rated one.
    pub rated_used: Option<f64>,
    /// What the peak torque is made of, largest part first.
    pub parts: Explanation<f64>,
}

/// What a motion asks of all drives.
#[derive(Clone, Debug)]
pub struct Sizing {
    /// Of each degree of freedom.
    pub drives: Vec<DriveLoad>,
    /// The torques, a sample a row \[N m, N\].
    pub torques: Vec<f64>,
    /// The samples that were looked at, from the first on: fewer than there are where it was ended early.
    pub samples: usize,
}

/// Torques of a trajectory, and what they ask of the drives.
pub fn size(m: &Model<f64>, trajectory: &Trajectory, limits: &DriveLimits, progress: &Progress) -> Result<Sizing> {
    limits.check(m)?;
    if m.nv() == 0 {
        return Err(Error::InvalidInput(format!("`{}` has no joint that moves", m.name())));
    }
    let torques = torques(m, trajectory, "torques", progress)?;
    let samples = torques.len() / m.nv();
    if samples < 2 {
        return Err(Error::InvalidInput("ended before there was a result".to_string()));
    }
    let seen = if samples < trajectory.len() { &trajectory.truncated(samples) } else { trajectory };
    let drives = (0..m.nv()).map(|i| drive(m, seen, limits, &torques, i)).collect::<Result<_>>()?;
    Ok(Sizing { drives, torques, samples })
}

/// The torques of each sample; of fewer than there are where it was ended early.
pub(crate) fn torques(m: &Model<f64>, trajectory: &Trajectory, what: &str, progress: &Progress) -> Result<Vec<f64>> {
    if let Some(j) = m.joints().iter().find(|j| j.q.len() != j.v.len()) {
        return Err(Error::Joint { joint: j.name.clone() });
    }
    let mut all = Vec::with_capacity(trajectory.q.len());
    let fill = |d: &mut RneaData<f64>, k: usize, tau: &mut [f64]| {
        let [q, qd, qdd] = trajectory.state(k);
        rnea(m, d, q, qd, qdd, tau).map_err(|e| Error::Trajectory { sample: k, what: e.to_string() })
    };
    let keep = |_: usize, rows: &[f64]| all.extend_from_slice(rows);
    parallel_ordered(trajectory.len(), m.nv(), what, progress, || RneaData::new(m), fill, keep)?;
    Ok(all)
}

fn drive(m: &Model<f64>, it: &Trajectory, limits: &DriveLimits, torques: &[f64], i: usize) -> Result<DriveLoad> {
    let n = m.nv();
    let (tau, speed) = (|k: usize| torques[k * n + i], |k: usize| it.qd[k * n + i]);
    let mean = |f: &dyn Fn(usize) -> f64| {
        let (sum, time) = (0..it.len()).fold((0.0, 0.0), |(s, t), k| (s + it.weight(k) * f(k), t + it.weight(k)));
        sum / time
    };
    let [mut peak, mut fastest, mut motoring, mut braking] = [Peak::default(); 4];
    let (mut work, mut returned) = (0.0, 0.0);
    for k in 0..it.len() {
        peak.update(tau(k), k);
        fastest.update(speed(k), k);
        let power = tau(k) * speed(k);
        motoring.update(power.max(0.0), k);
        braking.update(power.min(0.0), k);
        if k > 0 {
            let (from, h) = (tau(k - 1) * speed(k - 1), it.t[k] - it.t[k - 1]);
            work += positive(from, power) * h;
            returned += positive(-from, -power) * h;
        }
    }
    let still = MOVING * fastest.value.abs();
    let share = |f: &dyn Fn(usize) -> bool| mean(&|k| f64::from(u8::from(f(k))));
    let used = |value: f64, limit: f64| limit.is_finite().then(|| value / limit);
    let rms = mean(&|k| tau(k) * tau(k)).sqrt();
    let mut sizes: Vec<(f64, f64)> = (0..it.len()).map(|k| (tau(k).abs(), it.weight(k))).collect();
    let [q, qd, qdd] = it.state(peak.sample);
    let mut parts = explain(m, &RneaData::new(m).boundary, q, qd, qdd)?.swap_remove(i);
    parts.contributions.retain(|s| s.torque != 0.0);
    parts.contributions.sort_by(|a, b| b.torque.abs().total_cmp(&a.torque.abs()));
    Ok(DriveLoad {
        peak,
        rms,
        p95: quantile(&mut sizes, 0.95),
        speed: fastest,
        speed_rms: mean(&|k| speed(k) * speed(k)).sqrt(),
        motoring,
        braking,
        work,
        returned,
        moving: share(&|k| speed(k).abs() > still),
        above_rated: limits.rated[i].is_finite().then(|| share(&|k| tau(k).abs() > limits.rated[i])),
        effort_used: used(peak.value.abs(), limits.effort[i]),
        speed_used: used(fastest.value.abs(), limits.speed[i]),
        rated_used: used(rms, limits.rated[i]),
        parts,
    })
}

impl Sizing {
    /// Each torque over time, as a share of its greatest one; of its own peak where that is not known.
    pub fn over_time(&self, m: &Model<f64>, trajectory: &Trajectory, limits: &DriveLimits) -> Chart {
        let known = limits.effort.iter().all(|e| e.is_finite());
        let of = if known { "torque by effort" } else { "torque by its own peak" };
        let title = format!("{}: torques over time", m.name());
        let mut chart = Chart::new(title, Axis::new("time", "s"), Axis::new(of, "%"));
        for (i, name) in m.dof_names().iter().enumerate() {
            let whole = if known { limits.effort[i] } else { self.drives[i].peak.value.abs().max(f64::MIN_POSITIVE) };
            let share = |k: usize| (trajectory.t[k], 100.0 * self.torques[k * m.nv() + i] / whole);
            chart = chart.curve(name, (0..self.samples).map(share));
        }
        if known { chart.band("within effort", -100.0, 100.0) } else { chart }
    }

    /// How much of its limits each drive uses: those that are known.
    pub fn used(&self, m: &Model<f64>) -> Chart {
        let title = format!("{}: how much of its limits each drive uses", m.name());
        let mut chart = Chart::bars(title, Axis::new("used", "%"), m.dof_names(), false);
        type Share = fn(&DriveLoad) -> Option<f64>;
        let kinds: [(&str, Share); 3] = [
            ("peak torque of effort", |d| d.effort_used),
            ("RMS torque of rated", |d| d.rated_used),
            ("peak speed of its limit", |d| d.speed_used),
        ];
        for (name, of) in kinds.into_iter().filter(|(_, of)| self.drives.iter().any(|d| of(d).is_some())) {
            chart = chart.series(name, self.drives.iter().map(|d| of(d).map_or(f64::NAN, |x| 100.0 * x)));
        }
        chart
    }
}

/// The mean of the positive part of what goes straight from `a` to `b`.
fn positive(a: f64, b: f64) -> f64 {
    match (a > 0.0, b > 0.0) {
        (true, true) => (a + b) / 2.0,
        (false, false) => 0.0,
        _ => a.max(b).powi(2) / (2.0 * (a - b).abs()),
    }
}
