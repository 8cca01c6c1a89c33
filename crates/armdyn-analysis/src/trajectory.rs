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

    /// From positions alone: speeds and accelerations are those of the parabola through each three samples.
    pub fn of_positions(n: usize, t: Vec<f64>, q: Vec<f64>) -> Result<Self> {
        let blank = vec![0.0; q.len()];
        let mut it = Trajectory::new(n, t, q, blank.clone(), blank)?;
        if it.len() < 3 {
            return Err(Error::Asked("speeds and accelerations of positions take at least three samples".to_string()));
        }
        for k in 0..it.len() {
            let a = k.clamp(1, it.len() - 2);
            let (h, g) = (it.t[a] - it.t[a - 1], it.t[a + 1] - it.t[a]);
            for i in 0..n {
                let at = |sample: usize| it.q[sample * n + i];
                let (back, on) = ((at(a) - at(a - 1)) / h, (at(a + 1) - at(a)) / g);
                let bend = 2.0 * (on - back) / (h + g);
                let middle = (back * g + on * h) / (h + g);
                it.qd[k * n + i] = middle + bend * (it.t[k] - it.t[a]);
                it.qdd[k * n + i] = bend;
            }
        }
        Ok(it)
    }
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
