//! Maximum speed scaling of a trajectory, t → t/s.
//!
//! On the same path, velocities scale by s and accelerations by s²:
//!
//!   τ(s) = g + s² (M q̈ + C q̇) + b q̇ s + sign(q̇) [c + e / (1 + (s q̇/v_s)²)]
//!
//! (Hollerbach 1984, with friction). The torque reaches a limit at a root of a polynomial of degree 2, or 4 with Stribeck
//! friction. The maximum s is searched from above: each violated sample reduces it to the next value that the sample allows,
//! since slower is not always feasible. The mean square over time is searched in steps and by bisection.

use crate::drive_limits::LimitIndex;
use crate::drive_loads::torques;
use crate::{ActiveLimit, DriveLimits};
use armdyn_core::{EffortRange, Friction, Model, Progress, Vec3};
use armdyn_numerics::{Limit, Result, Trajectory};
use serde::Serialize;

/// Relative rounding error allowed above a limit.
const TORQUE_TOLERANCE: f64 = 1e-12;

/// The torque of a sample as a function of the speed scaling.
#[derive(Clone, Copy, Debug)]
pub struct ScaledTorque<'a> {
    /// Gravity torque, and the static friction of a joint at rest that starts to move.
    pub gravity: f64,
    /// Inertial and velocity torques, proportional to s².
    pub inertial: f64,
    /// Speed at s = 1.
    pub speed: f64,
    /// Friction of the drive.
    pub friction: &'a Friction<f64>,
}

impl ScaledTorque<'_> {
    /// The torque at a speed scaling.
    pub fn at(&self, s: f64) -> f64 {
        self.gravity + s * s * self.inertial + self.friction.torque(s * self.speed)
    }

    fn within(&self, range: EffortRange, s: f64) -> bool {
        let EffortRange { lower, upper } = range;
        (lower - TORQUE_TOLERANCE * lower.abs()..=upper + TORQUE_TOLERANCE * upper.abs()).contains(&self.at(s))
    }

    /// The largest speed scaling up to `most`, possibly infinite, with the torque within the range.
    fn largest(&self, range: EffortRange, most: f64) -> Option<f64> {
        if range == EffortRange::UNLIMITED || (most.is_finite() && self.within(range, most)) {
            return Some(most);
        }
        let f = self.friction;
        let dry = if self.speed > 0.0 { f.coulomb_forward } else { f.coulomb_backward };
        let (level, linear) =
            (self.gravity + self.speed.signum() * dry * f64::from(self.speed != 0.0), f.viscous * self.speed);
        let (excess, decay) = if self.speed == 0.0 || f.stribeck == 0.0 {
            (0.0, 0.0)
        } else {
            (self.speed.signum() * f.stribeck, (self.speed / f.stribeck_speed).powi(2))
        };
        // What the torque approaches as s grows without bound, in an open end of the range or as a constant.
        let growth = if self.inertial != 0.0 { self.inertial } else { linear };
        let unbounded = (growth > 0.0 && range.upper == f64::INFINITY)
            || (growth < 0.0 && range.lower == f64::NEG_INFINITY)
            || (growth == 0.0 && range.contains(level));
        if most.is_infinite() && unbounded {
            return Some(most);
        }
        let crossings = |limit: f64| {
            let a = level - limit;
            roots(&[a + excess, linear, self.inertial + decay * a, decay * linear, decay * self.inertial], most)
        };
        let ends = [range.lower, range.upper].into_iter().filter(|x| x.is_finite());
        let mut candidates: Vec<f64> = ends.flat_map(crossings).collect();
        candidates.sort_by(|a, b| b.total_cmp(a));
        candidates.into_iter().find(|s| self.within(range, *s))
    }
}

/// The roots in (0, most] of a polynomial (constant coefficient first), isolated by those of its derivative.
fn roots(c: &[f64], most: f64) -> Vec<f64> {
    let Some(degree) = c.iter().rposition(|x| *x != 0.0).filter(|d| *d > 0) else { return vec![] };
    let c = &c[..=degree];
    // Cauchy's bound of all roots.
    let bound = 1.0 + c[..degree].iter().fold(0.0_f64, |b, x| b.max((x / c[degree]).abs()));
    let end = most.min(bound);
    if degree == 1 {
        return Some(-c[0] / c[1]).filter(|x| *x > 0.0 && *x <= end).into_iter().collect();
    }
    let slope: Vec<f64> = c.iter().enumerate().skip(1).map(|(k, x)| k as f64 * x).collect();
    let value = |x: f64| c.iter().rev().fold(0.0, |sum, c| sum * x + c);
    let ends: Vec<f64> = std::iter::once(0.0).chain(roots(&slope, end)).chain([end]).collect();
    let mut found = vec![];
    for pair in ends.windows(2) {
        let (mut a, mut b) = (pair[0], pair[1]);
        let rising = value(b) > 0.0;
        if value(a) == 0.0 || (value(a) > 0.0) == rising {
            found.extend((value(b) == 0.0).then_some(b));
            continue;
        }
        loop {
            let middle = a + (b - a) / 2.0;
            if middle <= a || middle >= b {
                break;
            }
            if (value(middle) > 0.0) == rising { b = middle } else { a = middle }
        }
        found.push(if value(a).abs() < value(b).abs() { a } else { b });
    }
    found.retain(|x| *x > 0.0);
    found
}

/// The maximum speed scaling of a trajectory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpeedScaling {
    /// The maximum s that every drive can follow; infinite if nothing limits it, none if no s is feasible.
    pub factor: Option<f64>,
    /// The limit that it reaches.
    pub limited_by: Option<ActiveLimit>,
}

/// The torques of a trajectory as functions of the speed scaling, one row per sample; fewer samples if cancelled.
pub fn scaled_torques<'a>(
    m: &'a Model<f64>,
    trajectory: &Trajectory,
    progress: &Progress,
) -> Result<Vec<ScaledTorque<'a>>> {
    let bare = m.without_friction();
    let zero = vec![0.0; trajectory.qd.len()];
    let rest = Trajectory { t: trajectory.t.clone(), q: trajectory.q.clone(), qd: zero.clone(), qdd: zero };
    let gravity = torques(&bare, &rest, "torques at rest", progress)?;
    let inertial = torques(&bare.with_gravity(Vec3::zero()), trajectory, "torques of inertia", progress)?;
    let n = m.nv().max(1);
    let one = |(k, (gravity, inertial)): (usize, (&f64, &f64))| ScaledTorque {
        gravity: *gravity + m.friction()[k % n].breakaway_torque(trajectory.qd[k], trajectory.qdd[k]),
        inertial: *inertial,
        speed: trajectory.qd[k],
        friction: &m.friction()[k % n],
    };
    Ok(gravity.iter().zip(&inertial).enumerate().map(one).collect())
}

/// The maximum speed scaling of a trajectory by effort, speed and continuous torque.
pub fn maximum_speed_scaling(
    m: &Model<f64>,
    trajectory: &Trajectory,
    limits: &DriveLimits,
    progress: &Progress,
) -> Result<SpeedScaling> {
    limits.check(m)?;
    let (factor, by) = maximum(&scaled_torques(m, trajectory, progress)?, limits, &|k| trajectory.weight(k));
    Ok(SpeedScaling { factor, limited_by: by.map(|by| by.named(m, trajectory)) })
}

/// The maximum from the torques, one row per sample, and the weight of each sample in time.
pub(crate) fn maximum(
    torques: &[ScaledTorque],
    limits: &DriveLimits,
    weight: &dyn Fn(usize) -> f64,
) -> (Option<f64>, Option<LimitIndex>) {
    let n = limits.effort.len().max(1);
    let (mut s, mut by) = (f64::INFINITY, None);
    for (k, x) in torques.iter().enumerate().filter(|(_, x)| x.speed != 0.0) {
        let most = limits.speed[k % n] / x.speed.abs();
        if most < s {
            (s, by) = (most, Some(LimitIndex { dof: k % n, limit: Limit::Speed, sample: Some(k / n) }));
        }
    }
    loop {
        let before = s;
        for (k, x) in torques.iter().enumerate() {
            let here = Some(LimitIndex { dof: k % n, limit: Limit::Effort, sample: Some(k / n) });
            match x.largest(limits.effort[k % n], s) {
                None => return (None, here),
                Some(most) if most < s => (s, by) = (most, here),
                Some(_) => {}
            }
        }
        for i in (0..n).filter(|i| limits.continuous.get(*i).is_some_and(|r| r.is_finite())) {
            let here = Some(LimitIndex { dof: i, limit: Limit::Continuous, sample: None });
            let own: Vec<(f64, &ScaledTorque)> =
                torques.iter().skip(i).step_by(n).enumerate().map(|(k, x)| (weight(k), x)).collect();
            match within_continuous(&own, limits.continuous[i], s) {
                None => return (None, here),
                Some(most) if most < s => (s, by) = (most, here),
                Some(_) => {}
            }
        }
        if s == before {
            return (Some(s), by);
        }
    }
}

/// The largest speed scaling up to `most` with the RMS torque within the continuous limit, to the resolution of 64 steps.
fn within_continuous(torques: &[(f64, &ScaledTorque)], limit: f64, most: f64) -> Option<f64> {
    const STEPS: usize = 64;
    let time: f64 = torques.iter().map(|(w, _)| w).sum();
    let within = |s: f64| {
        let squares: f64 = torques.iter().map(|(w, x)| w * x.at(s).powi(2)).sum();
        squares / time <= limit * limit * (1.0 + TORQUE_TOLERANCE)
    };
    let mut end = most;
    if end.is_infinite() {
        let Some(above) = (-8..64).map(|k| 2f64.powi(k)).find(|s| !within(*s)) else { return Some(most) };
        end = above;
    }
    if within(end) {
        return Some(end);
    }
    let (mut low, mut high) = (0..STEPS).rev().map(|k| (k as f64, k as f64 + 1.0)).find_map(|(a, b)| {
        let (a, b) = (a / STEPS as f64 * end, b / STEPS as f64 * end);
        within(a).then_some((a, b))
    })?;
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return (low > 0.0).then_some(low);
        }
        if within(middle) { low = middle } else { high = middle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_known_polynomials() {
        // (x − 1)(x − 2)(x − 3)(x + 4) = x⁴ − 2x³ − 13x² + 38x − 24
        let found = roots(&[-24.0, 38.0, -13.0, -2.0, 1.0], f64::INFINITY);
        assert_eq!(found.len(), 3);
        assert!(found.iter().zip([1.0, 2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-13), "{found:?}");
        assert_eq!(roots(&[-24.0, 38.0, -13.0, -2.0, 1.0], 1.5).len(), 1);
        assert_eq!(roots(&[1.0, 0.0, 1.0], f64::INFINITY), [0.0; 0]);
        assert_eq!(roots(&[-4.0, 2.0, 0.0, 0.0, 0.0], 10.0), [2.0]);
        assert_eq!(roots(&[3.0, 0.0, 0.0], 10.0), [0.0; 0]);
    }

    #[test]
    fn a_faster_motion_can_be_feasible_when_a_slower_one_is_not() {
        // τ = 12 − s²: above 10 for s below √2, above it again beyond √22.
        let none = Friction::none();
        let x = ScaledTorque { gravity: 12.0, inertial: -1.0, speed: 1.0, friction: &none };
        assert!((x.largest(10.0.into(), f64::INFINITY).unwrap() - 22f64.sqrt()).abs() < 1e-14);
        assert_eq!(x.largest(10.0.into(), 2.0), Some(2.0));
        assert_eq!(x.largest(10.0.into(), 1.0), None);
        // A range that is open below: nothing limits a torque that falls.
        let open = EffortRange { lower: f64::NEG_INFINITY, upper: 10.0 };
        assert_eq!(x.largest(open, f64::INFINITY), Some(f64::INFINITY));
        let falling = ScaledTorque { gravity: 5.0, inertial: -2.0, ..x };
        assert_eq!(falling.largest(open, f64::INFINITY), Some(f64::INFINITY));
        let rising = ScaledTorque { gravity: 2.0, inertial: 2.0, ..x };
        assert_eq!(rising.largest(open, f64::INFINITY), Some(2.0));
        // From −5 to 20: beyond √17.
        let uneven = EffortRange { lower: -5.0, upper: 20.0 };
        assert!((x.largest(uneven, f64::INFINITY).unwrap() - 17f64.sqrt()).abs() < 1e-14);
        // 1 + 4 / (1 + s²) + s² = 6, Coulomb, Stribeck and inertia: (y − 5)(1 + y) + 4 = 0 for y = s².
        let friction = Friction { coulomb_forward: 1.0, stribeck: 4.0, ..Friction::none() };
        let x = ScaledTorque { gravity: 0.0, inertial: 1.0, speed: 1.0, friction: &friction };
        let y = 2.0 + 5f64.sqrt();
        assert!((x.largest(6.0.into(), f64::INFINITY).unwrap() - y.sqrt()).abs() < 1e-14);
    }
}
