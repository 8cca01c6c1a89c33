//! Waypoints: configurations to pass through, with or without times.

use super::MotionLimits;
use armdyn_core::{Model, four_digits};
use armdyn_numerics::{Error, Result, invalid, require_scalar_coordinates};

/// Configurations to pass through in order.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Waypoints {
    /// Positions, row-major: one row per waypoint.
    q: Vec<f64>,
    n: usize,
}

impl Waypoints {
    /// At least two configurations of `n` joints, row-major. All values must be finite.
    pub fn new(n: usize, q: Vec<f64>) -> Result<Self> {
        if n == 0 || !q.len().is_multiple_of(n) {
            return invalid(format!("{} positions are not waypoints of {n} joints", q.len()));
        }
        if q.len() < 2 * n {
            return invalid(format!("{} waypoint(s): a trajectory needs at least two", q.len() / n));
        }
        if let Some(at) = q.iter().position(|x| !x.is_finite()) {
            return fault(at / n, format!("position {} is not finite", at % n + 1));
        }
        Ok(Waypoints { q, n })
    }

    /// Number of waypoints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.q.len() / self.n
    }

    /// Always false: there are at least two waypoints.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// Number of joints.
    #[must_use]
    pub fn dofs(&self) -> usize {
        self.n
    }

    /// A waypoint.
    #[must_use]
    pub fn row(&self, k: usize) -> &[f64] {
        &self.q[k * self.n..(k + 1) * self.n]
    }

    /// Checks that all waypoints are of this robot and within its position limits; names the first waypoint and joint outside.
    pub fn check(&self, m: &Model<f64>, limits: &MotionLimits) -> Result<()> {
        require_scalar_coordinates(m)?;
        if self.n != m.nv() {
            return invalid(format!("waypoints of {} joints; robot `{}` has {}", self.n, m.name(), m.nv()));
        }
        for (k, q) in self.q.chunks(self.n).enumerate() {
            for (i, q) in q.iter().enumerate() {
                let (lower, upper) = limits.position[i];
                let slack = super::ROUNDING * (lower.abs().min(upper.abs())).max(1.0);
                if *q < lower - slack || *q > upper + slack {
                    let (joint, unit) = (&m.dof_names()[i], if m.is_rotational(i) { "rad" } else { "m" });
                    let [q, lower, upper] = [*q, lower, upper].map(four_digits);
                    return fault(
                        k,
                        format!(
                            "`{joint}` = {q} {unit} is outside its range [{lower}, {upper}] {unit}; move it inside"
                        ),
                    );
                }
            }
        }
        Ok(())
    }

    /// Path parameters by chord length: the sum of the distances, in which each joint's is divided by its speed limit (by 1 if
    /// it has none), so that angles and lengths are comparable. Fails if two consecutive waypoints are equal.
    pub fn chord_parameters(&self, speeds: &[f64]) -> Result<Vec<f64>> {
        let mut s = vec![0.0];
        for k in 1..self.len() {
            let parts = self.row(k).iter().zip(self.row(k - 1)).zip(speeds);
            let square: f64 = parts.map(|((b, a), v)| ((b - a) / if v.is_finite() { *v } else { 1.0 }).powi(2)).sum();
            if square == 0.0 {
                return fault(k, "equals the waypoint before it; remove one of them".to_string());
            }
            s.push(s[k - 1] + square.sqrt());
        }
        Ok(s)
    }
}

fn fault<T>(sample: usize, what: String) -> Result<T> {
    Err(Error::Trajectory { sample, what })
}

/// Checks that times are finite and increase, one per waypoint.
pub(super) fn check_times(t: &[f64], waypoints: &Waypoints) -> Result<()> {
    if t.len() != waypoints.len() {
        return invalid(format!("{} times for {} waypoints", t.len(), waypoints.len()));
    }
    for (k, time) in t.iter().enumerate() {
        if !time.is_finite() {
            return fault(k, "time is not finite".to_string());
        }
        if k > 0 && *time <= t[k - 1] {
            return fault(k, format!("time {time} s is not after {} s; times must increase", t[k - 1]));
        }
    }
    Ok(())
}
