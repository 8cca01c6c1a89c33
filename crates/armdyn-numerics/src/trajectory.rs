//! Joint trajectories sampled in time.

use crate::{Error, Result, invalid};
use std::ops::Range;

/// States at increasing times. Positions, velocities and accelerations are row-major, one row per sample.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Trajectory {
    /// Times \[s\].
    pub t: Vec<f64>,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub qd: Vec<f64>,
    /// Accelerations.
    pub qdd: Vec<f64>,
}

impl Trajectory {
    /// A trajectory of `n` degrees of freedom. All values must be finite and times must increase.
    pub fn new(n: usize, t: Vec<f64>, q: Vec<f64>, qd: Vec<f64>, qdd: Vec<f64>) -> Result<Self> {
        for (what, values) in [("q", &q), ("qd", &qd), ("qdd", &qdd)] {
            if values.len() != n * t.len() {
                let (found, samples) = (values.len(), t.len());
                return invalid(format!("`{what}` has {found} values; expected {n} for each of {samples} samples"));
            }
            if let Some(at) = values.iter().position(|x| !x.is_finite()) {
                let sample = at / n;
                return Err(Error::Trajectory { sample, what: format!("{what}{} is not finite", at % n + 1) });
            }
        }
        let fault = |sample: usize, what: String| Err(Error::Trajectory { sample, what });
        for (k, time) in t.iter().enumerate() {
            if !time.is_finite() {
                return fault(k, "time is not finite".to_string());
            }
            if k > 0 && *time <= t[k - 1] {
                return fault(k, format!("time {time} s is not after {} s", t[k - 1]));
            }
        }
        if t.len() < 2 {
            return invalid("a trajectory needs at least two samples");
        }
        Ok(Trajectory { t, q, qd, qdd })
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.t.len()
    }

    /// Always false: a trajectory has at least two samples.
    pub fn is_empty(&self) -> bool {
        self.t.is_empty()
    }

    /// Position, velocity and acceleration of a sample.
    pub fn state(&self, sample: usize) -> [&[f64]; 3] {
        self.states(sample..sample + 1)
    }

    /// Positions, velocities and accelerations of consecutive samples, row-major.
    pub fn states(&self, samples: Range<usize>) -> [&[f64]; 3] {
        let n = self.q.len() / self.t.len();
        [&self.q, &self.qd, &self.qdd].map(|x| &x[samples.start * n..samples.end * n])
    }

    /// Weight of a sample in integrals over time, by the trapezoidal rule \[s\].
    pub fn weight(&self, sample: usize) -> f64 {
        (self.t[(sample + 1).min(self.len() - 1)] - self.t[sample.saturating_sub(1)]) / 2.0
    }

    /// The same path `s` times as fast: t → t/s.
    pub fn time_scaled(&self, s: f64) -> Self {
        let times = |x: &[f64], by: f64| x.iter().map(|x| x * by).collect();
        Trajectory {
            t: times(&self.t, 1.0 / s),
            q: self.q.clone(),
            qd: times(&self.qd, s),
            qdd: times(&self.qdd, s * s),
        }
    }

    /// The first `count` samples: at least one, at most all.
    pub fn truncated(&self, count: usize) -> Self {
        let count = count.clamp(1, self.len());
        let n = self.q.len() / self.len();
        let rows = |x: &[f64]| x[..count * n].to_vec();
        let t = self.t[..count].to_vec();
        Trajectory { t, q: rows(&self.q), qd: rows(&self.qd), qdd: rows(&self.qdd) }
    }

    /// From positions: velocities and accelerations are those of the parabola through three neighbouring samples.
    pub fn from_positions(n: usize, t: Vec<f64>, q: Vec<f64>) -> Result<Self> {
        let blank = vec![0.0; q.len()];
        let trajectory = Trajectory::new(n, t, q, blank.clone(), blank)?;
        let (qd, qdd) = derivatives(n, &trajectory.t, &trajectory.q)?;
        Ok(Trajectory { qd, qdd, ..trajectory })
    }

    /// From positions and velocities: accelerations are those of the parabola through three neighbouring velocities.
    pub fn from_velocities(n: usize, t: Vec<f64>, q: Vec<f64>, qd: Vec<f64>) -> Result<Self> {
        let blank = vec![0.0; q.len()];
        let trajectory = Trajectory::new(n, t, q, qd, blank)?;
        let (qdd, _) = derivatives(n, &trajectory.t, &trajectory.qd)?;
        Ok(Trajectory { qdd, ..trajectory })
    }
}

/// The value of largest magnitude, with its sign, and its sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Peak {
    /// The value.
    pub value: f64,
    /// The sample of the trajectory.
    pub sample: usize,
}

impl Peak {
    /// Keeps the value of largest magnitude.
    pub fn update(&mut self, value: f64, sample: usize) {
        if value.abs() > self.value.abs() {
            *self = Peak { value, sample };
        }
    }
}

/// First and second derivatives, at a time, of the parabola through three samples at increasing times.
///
/// At the middle one of equally spaced times these are the central differences.
pub fn parabola_derivatives(t: [f64; 3], x: [f64; 3], at: f64) -> [f64; 2] {
    let (h, g) = (t[1] - t[0], t[2] - t[1]);
    let (before, after) = ((x[1] - x[0]) / h, (x[2] - x[1]) / g);
    let second = 2.0 * (after - before) / (h + g);
    let middle = (before * g + after * h) / (h + g);
    [middle + second * (at - t[1]), second]
}

/// The derivatives of [`parabola_derivatives`] at each sample.
fn derivatives(n: usize, t: &[f64], x: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
    if t.len() < 3 {
        return invalid("velocities and accelerations from positions need at least three samples");
    }
    let (mut first, mut second) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    for k in 0..t.len() {
        let a = k.clamp(1, t.len() - 2);
        let times = [t[a - 1], t[a], t[a + 1]];
        for i in 0..n {
            let x = [a - 1, a, a + 1].map(|sample| x[sample * n + i]);
            [first[k * n + i], second[k * n + i]] = parabola_derivatives(times, x, t[k]);
        }
    }
    Ok((first, second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_a_parabola_are_exact() {
        let t = vec![0.0, 0.1, 0.4, 0.5, 1.1];
        let q = t.iter().flat_map(|t| [1.0 - 2.0 * t + 3.0 * t * t, 0.5 * t]).collect();
        let trajectory = Trajectory::from_positions(2, t.clone(), q).unwrap();
        for (k, t) in t.iter().enumerate() {
            let [_, qd, qdd] = trajectory.state(k);
            assert!((qd[0] - (6.0 * t - 2.0)).abs() < 1e-12 && (qd[1] - 0.5).abs() < 1e-12);
            assert!((qdd[0] - 6.0).abs() < 1e-11 && qdd[1].abs() < 1e-11);
        }
    }

    #[test]
    fn accelerations_from_velocities_and_time_scaling() {
        let t = vec![0.0, 0.1, 0.4, 0.5];
        let (q, qd) = (t.iter().map(|t| t * t * t).collect(), t.iter().map(|t| 3.0 * t * t).collect());
        let trajectory = Trajectory::from_velocities(1, t.clone(), q, qd).unwrap();
        for (k, t) in t.iter().enumerate() {
            assert!((trajectory.qdd[k] - 6.0 * t).abs() < 1e-12);
        }
        let fast = trajectory.time_scaled(2.0);
        // (2t)³ has the speed 24 t² and the acceleration 48 t.
        assert!((fast.t[2] - 0.2).abs() < 1e-15 && fast.q == trajectory.q);
        assert!((fast.qd[2] - 24.0 * 0.04).abs() < 1e-12 && (fast.qdd[2] - 48.0 * 0.2).abs() < 1e-11);
        assert_eq!((0..4).map(|k| trajectory.weight(k)).sum::<f64>(), 0.5);
    }

    #[test]
    fn invalid_samples_are_reported_by_index() {
        let make =
            |t: &[f64], q: &[f64]| Trajectory::from_positions(1, t.to_vec(), q.to_vec()).unwrap_err().to_string();
        assert!(make(&[0.0, 2.0, 1.0], &[0.0; 3]).contains("sample 2"));
        assert!(make(&[0.0, 0.0, 1.0], &[0.0; 3]).contains("sample 1"));
        assert!(make(&[0.0, 1.0, 2.0], &[0.0, f64::NAN, 0.0]).contains("sample 1"));
        assert!(make(&[0.0, f64::NAN, 2.0], &[0.0; 3]).contains("sample 1"));
        assert!(make(&[0.0, 1.0], &[0.0; 2]).contains("three"));
        assert!(make(&[0.0, 1.0, 2.0], &[0.0; 2]).contains("values"));
    }
}
