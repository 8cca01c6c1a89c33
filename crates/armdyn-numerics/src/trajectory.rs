//! A motion, sampled in time.

use crate::{Error, Result};

/// States at rising times. Positions, speeds and accelerations are row-major, one sample a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Times \[s\].
    pub t: Vec<f64>,
    /// Positions.
    pub q: Vec<f64>,
    /// Speeds.
    pub qd: Vec<f64>,
    /// Accelerations.
    pub qdd: Vec<f64>,
}

impl Trajectory {
    /// Of samples of `n` degrees of freedom, which must be finite and follow each other in time.
    pub fn new(n: usize, t: Vec<f64>, q: Vec<f64>, qd: Vec<f64>, qdd: Vec<f64>) -> Result<Self> {
        for (what, values) in [("q", &q), ("qd", &qd), ("qdd", &qdd)] {
            if values.len() != n * t.len() {
                let what = format!("{what} has {} values, {} times of {n} each are asked for", values.len(), t.len());
                return Err(Error::Asked(what));
            }
            if let Some(at) = values.iter().position(|x| !x.is_finite()) {
                let sample = at / n;
                return Err(Error::Trajectory { sample, what: format!("{what}{} is not finite", at % n + 1) });
            }
        }
        let fault = |sample: usize, what: String| Err(Error::Trajectory { sample, what });
        for (k, time) in t.iter().enumerate() {
            if !time.is_finite() {
                return fault(k, "its time is not finite".to_string());
            }
            if k > 0 && *time <= t[k - 1] {
                return fault(k, format!("its time {time} s does not come after {} s", t[k - 1]));
            }
        }
        if t.len() < 2 {
            return Err(Error::Asked("a trajectory has at least two samples".to_string()));
        }
        Ok(Trajectory { t, q, qd, qdd })
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.t.len()
    }

    /// Never so.
    pub fn is_empty(&self) -> bool {
        self.t.is_empty()
    }

    /// Position, speed and acceleration of a sample.
    pub fn state(&self, sample: usize) -> [&[f64]; 3] {
        let n = self.q.len() / self.t.len();
        [&self.q, &self.qd, &self.qdd].map(|x| &x[sample * n..(sample + 1) * n])
    }

    /// The share of time that a sample stands for, by the trapezoidal rule \[s\].
    pub fn weight(&self, sample: usize) -> f64 {
        (self.t[(sample + 1).min(self.len() - 1)] - self.t[sample.saturating_sub(1)]) / 2.0
    }

    /// The same path, `s` times as fast: t → t/s.
    pub fn faster(&self, s: f64) -> Self {
        let times = |x: &[f64], by: f64| x.iter().map(|x| x * by).collect();
        Trajectory {
            t: times(&self.t, 1.0 / s),
            q: self.q.clone(),
            qd: times(&self.qd, s),
            qdd: times(&self.qdd, s * s),
        }
    }

    /// The first `count` samples.
    pub fn first(&self, count: usize) -> Self {
        let n = self.q.len() / self.len();
        let some = |x: &[f64]| x[..count * n].to_vec();
        let t = self.t[..count].to_vec();
        Trajectory { t, q: some(&self.q), qd: some(&self.qd), qdd: some(&self.qdd) }
    }

    /// From positions alone: speeds and accelerations are those of the parabola through each three samples.
    pub fn of_positions(n: usize, t: Vec<f64>, q: Vec<f64>) -> Result<Self> {
        let blank = vec![0.0; q.len()];
        let it = Trajectory::new(n, t, q, blank.clone(), blank)?;
        let (qd, qdd) = rates(n, &it.t, &it.q)?;
        Ok(Trajectory { qd, qdd, ..it })
    }

    /// From positions and speeds: accelerations are those of the parabola through each three speeds.
    pub fn of_speeds(n: usize, t: Vec<f64>, q: Vec<f64>, qd: Vec<f64>) -> Result<Self> {
        let blank = vec![0.0; q.len()];
        let it = Trajectory::new(n, t, q, qd, blank)?;
        let (qdd, _) = rates(n, &it.t, &it.qd)?;
        Ok(Trajectory { qdd, ..it })
    }
}

/// A value of greatest size, with its sign, and where it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Peak {
    /// The value.
    pub value: f64,
    /// Its sample of the trajectory.
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

/// First and second derivatives of samples: those of the parabola through each three.
fn rates(n: usize, t: &[f64], x: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
    if t.len() < 3 {
        return Err(Error::Asked("speeds and accelerations of positions take at least three samples".to_string()));
    }
    let (mut first, mut second) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    for k in 0..t.len() {
        let a = k.clamp(1, t.len() - 2);
        let (h, g) = (t[a] - t[a - 1], t[a + 1] - t[a]);
        for i in 0..n {
            let at = |sample: usize| x[sample * n + i];
            let (back, on) = ((at(a) - at(a - 1)) / h, (at(a + 1) - at(a)) / g);
            let bend = 2.0 * (on - back) / (h + g);
            let middle = (back * g + on * h) / (h + g);
            first[k * n + i] = middle + bend * (t[k] - t[a]);
            second[k * n + i] = bend;
        }
    }
    Ok((first, second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parabola_has_its_own_speed_and_acceleration() {
        let t = vec![0.0, 0.1, 0.4, 0.5, 1.1];
        let q = t.iter().flat_map(|t| [1.0 - 2.0 * t + 3.0 * t * t, 0.5 * t]).collect();
        let it = Trajectory::of_positions(2, t.clone(), q).unwrap();
        for (k, t) in t.iter().enumerate() {
            let [_, qd, qdd] = it.state(k);
            assert!((qd[0] - (6.0 * t - 2.0)).abs() < 1e-12 && (qd[1] - 0.5).abs() < 1e-12);
            assert!((qdd[0] - 6.0).abs() < 1e-11 && qdd[1].abs() < 1e-11);
        }
    }

    #[test]
    fn speeds_give_accelerations_and_a_faster_run_scales_both() {
        let t = vec![0.0, 0.1, 0.4, 0.5];
        let (q, qd) = (t.iter().map(|t| t * t * t).collect(), t.iter().map(|t| 3.0 * t * t).collect());
        let it = Trajectory::of_speeds(1, t.clone(), q, qd).unwrap();
        for (k, t) in t.iter().enumerate() {
            assert!((it.qdd[k] - 6.0 * t).abs() < 1e-12);
        }
        let fast = it.faster(2.0);
        // (2t)³ has the speed 24 t² and the acceleration 48 t.
        assert!((fast.t[2] - 0.2).abs() < 1e-15 && fast.q == it.q);
        assert!((fast.qd[2] - 24.0 * 0.04).abs() < 1e-12 && (fast.qdd[2] - 48.0 * 0.2).abs() < 1e-11);
        assert_eq!((0..4).map(|k| it.weight(k)).sum::<f64>(), 0.5);
    }

    #[test]
    fn what_is_no_motion_is_refused_with_its_sample() {
        let make = |t: &[f64], q: &[f64]| Trajectory::of_positions(1, t.to_vec(), q.to_vec()).unwrap_err().to_string();
        assert!(make(&[0.0, 2.0, 1.0], &[0.0; 3]).contains("sample 2"));
        assert!(make(&[0.0, 0.0, 1.0], &[0.0; 3]).contains("sample 1"));
        assert!(make(&[0.0, 1.0, 2.0], &[0.0, f64::NAN, 0.0]).contains("sample 1"));
        assert!(make(&[0.0, f64::NAN, 2.0], &[0.0; 3]).contains("sample 1"));
        assert!(make(&[0.0, 1.0], &[0.0; 2]).contains("three"));
        assert!(make(&[0.0, 1.0, 2.0], &[0.0; 2]).contains("values"));
    }
}
