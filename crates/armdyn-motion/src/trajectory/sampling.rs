//! Samples of continuous trajectories.

use armdyn_numerics::{ContinuousTrajectory, Result, Trajectory, invalid};

/// Minimum number of samples by which extremes are found.
const SAMPLES: f64 = 2000.0;
/// Distance of the last sample of an interval from its end, relative to the interval.
const BEFORE: f64 = 1e-9;
/// Maximum number of samples.
const MAX_SAMPLES: f64 = 1e7;

/// Equally spaced samples at a rate \[1/s\], and one at the end.
pub fn sample(trajectory: &dyn ContinuousTrajectory, n: usize, rate: f64) -> Result<Trajectory> {
    let duration = trajectory.duration();
    if !(rate.is_finite() && rate > 0.0) {
        return invalid(format!("invalid rate `{rate}`: expected a number of samples per second above 0"));
    }
    if duration * rate * n as f64 > MAX_SAMPLES {
        return invalid(format!("{duration} s at {rate} samples per second are too many samples; reduce the rate"));
    }
    // A last step below a tenth of the others joins the one before it.
    let steps = (duration * rate - 0.1).ceil().max(1.0) as usize;
    let times = (0..steps).map(|k| k as f64 / rate).chain([duration]);
    at_times(trajectory, n, times.collect())
}

fn at_times(trajectory: &dyn ContinuousTrajectory, n: usize, t: Vec<f64>) -> Result<Trajectory> {
    let [mut q, mut qd, mut qdd] = [(); 3].map(|()| vec![0.0; n * t.len()]);
    let rows = q.chunks_mut(n).zip(qd.chunks_mut(n)).zip(qdd.chunks_mut(n));
    for (t, ((q, qd), qdd)) in t.iter().zip(rows) {
        trajectory.at(*t, q, qd, qdd);
    }
    Trajectory::new(n, t, q, qd, qdd)
}

/// Dense samples, of both sides of each knot.
pub(super) struct DenseSamples {
    pub trajectory: Trajectory,
    /// The first sample of each interval between knots.
    pub starts: Vec<usize>,
}

impl DenseSamples {
    pub fn new(trajectory: &dyn ContinuousTrajectory, n: usize) -> Result<Self> {
        let duration = trajectory.duration();
        if !(duration.is_finite() && duration > 0.0) {
            return invalid(format!("invalid duration `{duration}` s of a trajectory: expected more than 0 s"));
        }
        let (t, starts) = times(trajectory);
        Ok(DenseSamples { trajectory: at_times(trajectory, n, t)?, starts })
    }

    /// The times of the samples.
    pub fn times(trajectory: &dyn ContinuousTrajectory) -> Vec<f64> {
        times(trajectory).0
    }

    /// Jerks between consecutive samples, with the sample after which they are: differences of accelerations within an interval;
    /// infinite where an acceleration jumps.
    pub fn jerks(&self, joint: usize) -> impl Iterator<Item = (f64, usize)> {
        let all = &self.trajectory;
        let n = all.q.len() / all.len();
        let largest = all.qdd.iter().skip(joint).step_by(n).fold(0.0, |m: f64, a| m.max(a.abs()));
        let mut starts = self.starts.iter().skip(1).peekable();
        (1..all.len()).map(move |k| {
            let change = all.qdd[k * n + joint] - all.qdd[(k - 1) * n + joint];
            let jerk = if starts.next_if(|start| **start == k).is_some() {
                if change.abs() > 1e-6 * largest { f64::INFINITY.copysign(change) } else { 0.0 }
            } else {
                change / (all.t[k] - all.t[k - 1])
            };
            (jerk, k - 1)
        })
    }
}

/// Times of dense samples, and the index of the first of each interval between knots.
fn times(trajectory: &dyn ContinuousTrajectory) -> (Vec<f64>, Vec<usize>) {
    let duration = trajectory.duration();
    let (mut t, mut starts, mut from) = (vec![], vec![], 0.0);
    while from < duration {
        let to = trajectory.next_knot(from).min(duration);
        let length = to - from;
        let steps = (SAMPLES * length / duration).ceil().max(2.0);
        starts.push(t.len());
        t.extend((0..steps as usize).map(|k| from + length * k as f64 / steps));
        t.push((to - BEFORE * length).min(to.next_down()));
        from = to;
    }
    (t, starts)
}
