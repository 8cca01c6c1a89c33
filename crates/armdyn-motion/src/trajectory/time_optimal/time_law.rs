//! The time law of a motion along a path, and the trajectory that they make.

use super::super::PiecewisePolynomial;
use super::super::sampling::DenseSamples;
use armdyn_numerics::ContinuousTrajectory;

/// s(t) with piecewise constant s̈.
#[derive(Clone, Debug)]
pub(super) struct TimeLaw {
    t: Vec<f64>,
    s: Vec<f64>,
    /// Path speeds at the knots, and path accelerations after them.
    speed: Vec<f64>,
    acceleration: Vec<f64>,
    /// ∫ s dt up to the knots.
    integral: Vec<f64>,
}

impl TimeLaw {
    /// From the squares of the path speeds at path parameters.
    pub fn new(s: &[f64], x: &[f64]) -> Self {
        let speed: Vec<f64> = x.iter().map(|x| x.max(0.0).sqrt()).collect();
        let (mut t, mut integral, mut acceleration) = (vec![0.0], vec![0.0], vec![]);
        for k in 0..s.len() - 1 {
            let h = 2.0 * (s[k + 1] - s[k]) / (speed[k] + speed[k + 1]);
            let u = (speed[k + 1] - speed[k]) / h;
            acceleration.push(u);
            t.push(t[k] + h);
            integral.push(integral[k] + h * (s[k] + h * (speed[k] / 2.0 + h * u / 6.0)));
        }
        TimeLaw { t, s: s.to_vec(), speed, acceleration, integral }
    }

    fn end(&self) -> f64 {
        self.t[self.t.len() - 1]
    }

    /// ∫ s dt, s, ṡ, s̈; at rest before the start and after the end.
    fn at(&self, t: f64) -> [f64; 4] {
        if t < 0.0 {
            return [0.0; 4];
        }
        let last = self.t.len() - 1;
        if t >= self.end() {
            let length = self.s[last];
            return [self.integral[last] + length * (t - self.end()), length, 0.0, 0.0];
        }
        let k = self.t.partition_point(|x| *x <= t).clamp(1, last) - 1;
        let (h, s, v, u) = (t - self.t[k], self.s[k], self.speed[k], self.acceleration[k]);
        [self.integral[k] + h * (s + h * (v / 2.0 + h * u / 6.0)), s + h * (v + h * u / 2.0), v + h * u, u]
    }
}

/// A motion along a path.
#[derive(Clone, Debug)]
pub struct PathTrajectory {
    path: PiecewisePolynomial,
    law: TimeLaw,
    /// Window of the moving mean of the time law \[s\]; 0 for none.
    window: f64,
    /// Speed scaling.
    factor: f64,
    knots: Vec<f64>,
}

impl PathTrajectory {
    pub(super) fn new(path: PiecewisePolynomial, law: TimeLaw, window: f64, factor: f64) -> Self {
        let mut knots: Vec<f64> = law.t.clone();
        if window > 0.0 {
            knots.extend(law.t.iter().map(|t| t + window));
            knots.sort_by(f64::total_cmp);
        }
        knots.iter_mut().for_each(|t| *t /= factor);
        // Knots nearer than the resolution of the grid are one.
        let near = 1e-9 * knots[knots.len() - 1];
        knots.dedup_by(|b, a| *b - *a < near);
        PathTrajectory { path, law, window, factor, knots }
    }

    /// The motion whose time law is the mean of this one's over a window \[s\] before each instant.
    pub(in super::super) fn smoothed(&self, window: f64) -> Self {
        PathTrajectory::new(self.path.clone(), self.law.clone(), window, self.factor)
    }

    pub(super) fn scaled(self, by: f64) -> Self {
        PathTrajectory::new(self.path, self.law, self.window, self.factor * by)
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &PiecewisePolynomial {
        &self.path
    }

    /// Path parameter, speed, acceleration and jerk at a time; without a jerk limit, the jerk between jumps of the acceleration.
    #[must_use]
    pub fn path_motion(&self, t: f64) -> [f64; 4] {
        let t = (t * self.factor).min(self.law.end() + self.window);
        let [s, v, a, j] = if self.window > 0.0 {
            let (now, before) = (self.law.at(t), self.law.at(t - self.window));
            std::array::from_fn(|k| (now[k] - before[k]) / self.window)
        } else {
            let [_, s, v, a] = self.law.at(t);
            [s, v, a, 0.0]
        };
        let f = self.factor;
        [s.clamp(0.0, self.path.duration()), v * f, a * f * f, j * f * f * f]
    }

    /// The largest speed scaling within limits of jerk.
    pub(super) fn jerk_scaling(&self, limits: &[f64]) -> f64 {
        let n = limits.len();
        let [mut q, mut first, mut second, mut third] = [(); 4].map(|()| vec![0.0; n]);
        let mut factor = f64::INFINITY;
        for t in DenseSamples::times(self) {
            let [s, v, a, j] = self.path_motion(t);
            self.path.derivatives(s, [&mut q, &mut first, &mut second, &mut third]);
            for i in 0..n {
                let jerk = first[i] * j + 3.0 * second[i] * v * a + third[i] * v * v * v;
                factor = factor.min((limits[i] / jerk.abs()).cbrt());
            }
        }
        factor
    }
}

impl ContinuousTrajectory for PathTrajectory {
    fn at(&self, t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]) {
        let [s, v, a, _] = self.path_motion(t);
        self.path.at(s, q, qd, qdd);
        for (qd, qdd) in qd.iter_mut().zip(qdd) {
            *qdd = *qd * a + *qdd * v * v;
            *qd *= v;
        }
    }

    fn duration(&self) -> f64 {
        (self.law.end() + self.window) / self.factor
    }

    fn next_knot(&self, t: f64) -> f64 {
        self.knots.get(self.knots.partition_point(|x| *x <= t)).copied().unwrap_or(f64::INFINITY)
    }

    fn dofs(&self) -> Option<usize> {
        Some(self.path.dofs())
    }
}
