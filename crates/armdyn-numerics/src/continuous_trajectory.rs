//! Trajectories that prescribe the motion of an arm or of a drive.

use crate::{Error, Result, Trajectory, invalid};
use armdyn_core::Model;

/// Positions, velocities and accelerations as functions of time.
pub trait ContinuousTrajectory: Sync {
    /// Writes positions, velocities and accelerations at a time from 0 to [`ContinuousTrajectory::duration`] \[s\].
    fn at(&self, t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]);

    /// Duration \[s\].
    fn duration(&self) -> f64;

    /// The next time after `t` at which a derivative is discontinuous: integration steps end there.
    fn next_knot(&self, _t: f64) -> f64 {
        f64::INFINITY
    }

    /// Number of degrees of freedom; none if it is not known, as for a function.
    fn dofs(&self) -> Option<usize> {
        None
    }
}

/// Fails unless a trajectory has as many degrees of freedom as a robot, or does not know its number.
pub fn require_dofs_of(m: &Model<f64>, trajectory: &dyn ContinuousTrajectory) -> Result<()> {
    match trajectory.dofs().filter(|n| *n != m.nv()) {
        Some(found) => {
            Err(Error::TrajectoryOfAnotherRobot { found, robot: m.name().to_string(), joints: m.dof_names().to_vec() })
        }
        None => Ok(()),
    }
}

/// A trajectory given by a function.
pub struct FunctionTrajectory<F> {
    function: F,
    duration: f64,
}

impl<F: Fn(f64, &mut [f64], &mut [f64], &mut [f64]) + Sync> FunctionTrajectory<F> {
    /// A trajectory of a given duration \[s\] by a function of (t, q, q̇, q̈) that writes consistent derivatives.
    pub fn new(duration: f64, function: F) -> Self {
        FunctionTrajectory { function, duration }
    }
}

impl<F: Fn(f64, &mut [f64], &mut [f64], &mut [f64]) + Sync> ContinuousTrajectory for FunctionTrajectory<F> {
    fn at(&self, t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]) {
        (self.function)(t, q, qd, qdd);
    }

    fn duration(&self) -> f64 {
        self.duration
    }
}

/// Coefficients, constant first, of the quintic polynomial with given position, velocity and acceleration at 0 and at `h`.
#[must_use]
pub fn quintic_polynomial([p, v, a]: [f64; 3], [p1, v1, a1]: [f64; 3], h: f64) -> [f64; 6] {
    let (d, w, b) = (p1 - p - h * (v + h * a / 2.0), h * (v1 - v - h * a), h * h * (a1 - a));
    let (h2, h3) = (h * h, h * h * h);
    let c3 = (10.0 * d - 4.0 * w + b / 2.0) / h3;
    let c4 = (-15.0 * d + 7.0 * w - b) / (h2 * h2);
    let c5 = (6.0 * d - 3.0 * w + b / 2.0) / (h2 * h3);
    [p, v, a / 2.0, c3, c4, c5]
}

/// A polynomial of degree 5.
#[derive(Clone, Copy, Debug)]
struct Quintic {
    c: [f64; 6],
}

impl Quintic {
    fn new(start: [f64; 3], end: [f64; 3], h: f64) -> Self {
        Quintic { c: quintic_polynomial(start, end, h) }
    }

    fn at(&self, s: f64) -> [f64; 3] {
        let [a, b, c, d, e, f] = self.c;
        [
            a + s * (b + s * (c + s * (d + s * (e + s * f)))),
            b + s * (2.0 * c + s * (3.0 * d + s * (4.0 * e + s * 5.0 * f))),
            2.0 * c + s * (6.0 * d + s * (12.0 * e + s * 20.0 * f)),
        ]
    }
}

/// A point-to-point move from rest to rest, straight in joint space, by a quintic polynomial; at rest afterwards.
#[derive(Clone, Debug)]
pub struct PointToPoint {
    joints: Vec<Quintic>,
    to: Vec<f64>,
    time: f64,
    duration: f64,
}

impl PointToPoint {
    /// A move between two configurations in a given time \[s\].
    pub fn new(from: Vec<f64>, to: Vec<f64>, time: f64) -> Result<Self> {
        if !(time.is_finite() && time > 0.0) {
            return invalid(format!("invalid duration `{time}` s of a move: expected more than 0 s"));
        }
        if from.len() != to.len() || from.iter().chain(&to).any(|x| !x.is_finite()) {
            return invalid("a move needs two finite configurations of the same length");
        }
        let joints = from.iter().zip(&to).map(|(a, b)| Quintic::new([*a, 0.0, 0.0], [*b, 0.0, 0.0], time)).collect();
        Ok(PointToPoint { joints, to, time, duration: time })
    }

    /// The same move followed by rest, with a given total duration \[s\].
    pub fn with_duration(mut self, duration: f64) -> Result<Self> {
        if !(duration.is_finite() && duration > 0.0) {
            return invalid(format!("invalid duration `{duration}` s: expected more than 0 s"));
        }
        self.duration = duration;
        Ok(self)
    }
}

impl ContinuousTrajectory for PointToPoint {
    fn at(&self, t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]) {
        for (i, joint) in self.joints.iter().enumerate() {
            let [p, v, a] = if t < self.time { joint.at(t) } else { [self.to[i], 0.0, 0.0] };
            (q[i], qd[i], qdd[i]) = (p, v, a);
        }
    }

    fn duration(&self) -> f64 {
        self.duration
    }

    fn next_knot(&self, t: f64) -> f64 {
        if t < self.time { self.time } else { f64::INFINITY }
    }

    fn dofs(&self) -> Option<usize> {
        Some(self.to.len())
    }
}

/// Quintic spline through the samples of a trajectory that interpolates positions, velocities and accelerations. Times are relative to
/// the first sample.
#[derive(Clone, Debug)]
pub struct QuinticSpline {
    t: Vec<f64>,
    /// Row-major: one row of `n` joints per interval.
    pieces: Vec<Quintic>,
    n: usize,
}

impl QuinticSpline {
    /// The spline through the samples of a trajectory.
    #[must_use]
    pub fn new(trajectory: &Trajectory) -> Self {
        let start = trajectory.t[0];
        let t: Vec<f64> = trajectory.t.iter().map(|t| t - start).collect();
        let n = trajectory.state(0)[0].len();
        let piece = |k: usize, i: usize| {
            let (a, b) = (trajectory.state(k).map(|x| x[i]), trajectory.state(k + 1).map(|x| x[i]));
            Quintic::new(a, b, t[k + 1] - t[k])
        };
        let pieces = (0..t.len() - 1).flat_map(|k| (0..n).map(move |i| (k, i))).map(|(k, i)| piece(k, i)).collect();
        QuinticSpline { t, pieces, n }
    }
}

impl ContinuousTrajectory for QuinticSpline {
    fn at(&self, t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]) {
        let k = self.t.partition_point(|x| *x <= t).clamp(1, self.t.len() - 1) - 1;
        for (i, piece) in self.pieces[k * self.n..(k + 1) * self.n].iter().enumerate() {
            [q[i], qd[i], qdd[i]] = piece.at(t - self.t[k]);
        }
    }

    fn duration(&self) -> f64 {
        self.t[self.t.len() - 1]
    }

    fn next_knot(&self, t: f64) -> f64 {
        self.t.get(self.t.partition_point(|x| *x <= t)).copied().unwrap_or(f64::INFINITY)
    }

    fn dofs(&self) -> Option<usize> {
        Some(self.n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quintic_polynomial_is_reproduced() {
        let exact = |t: f64| {
            let q = 0.3 - t + 0.5 * t.powi(3) - 0.2 * t.powi(5);
            [q, -1.0 + 1.5 * t * t - t.powi(4), 3.0 * t - 4.0 * t.powi(3)]
        };
        let t = vec![1.0, 1.3, 2.0];
        let all: Vec<[f64; 3]> = t.iter().map(|t| exact(*t)).collect();
        let column = |k: usize| all.iter().map(|x| x[k]).collect();
        let spline = QuinticSpline::new(&Trajectory::new(1, t, column(0), column(1), column(2)).unwrap());
        for s in [0.0, 0.1, 0.3, 0.55, 1.0] {
            let (mut q, mut qd, mut qdd) = ([0.0], [0.0], [0.0]);
            spline.at(s, &mut q, &mut qd, &mut qdd);
            for (found, expected) in [q[0], qd[0], qdd[0]].iter().zip(exact(1.0 + s)) {
                assert!((found - expected).abs() < 1e-11, "at {s}: {found} for {expected}");
            }
        }
        assert_eq!(spline.duration(), 1.0);
        assert_eq!(spline.next_knot(0.1), 0.30000000000000004);
        assert_eq!(spline.next_knot(1.0), f64::INFINITY);
    }

    #[test]
    fn a_move_begins_and_ends_at_rest() {
        let arm = PointToPoint::new(vec![1.0], vec![-2.0], 4.0).unwrap().with_duration(5.0).unwrap();
        let at = |t: f64| {
            let (mut q, mut qd, mut qdd) = ([0.0], [0.0], [0.0]);
            arm.at(t, &mut q, &mut qd, &mut qdd);
            [q[0], qd[0], qdd[0]]
        };
        // Half of the distance at half of the time, at 15/8 of the mean velocity.
        assert_eq!(at(0.0), [1.0, 0.0, 0.0]);
        assert!((at(2.0)[0] + 0.5).abs() < 1e-15 && (at(2.0)[1] + 15.0 / 8.0 * 0.75).abs() < 1e-15);
        assert_eq!(at(4.5), [-2.0, 0.0, 0.0]);
        for bad in [0.0, -1.0, f64::NAN] {
            assert!(PointToPoint::new(vec![1.0], vec![0.0], bad).is_err());
        }
        assert!(PointToPoint::new(vec![f64::NAN], vec![0.0], 1.0).is_err());
    }
}
