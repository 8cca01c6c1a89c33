//! Straight moves in joint space from rest to rest, with all joints synchronised.
//!
//! A move is q₀ + σ(t) (q₁ − q₀), σ from 0 to 1, under the tightest of the joints' limits divided by their distances. σ has up to seven
//! phases of constant jerk: with the jerk time T_j and the time T_a of the acceleration from 0 to the peak speed v,
//!
//!   v J ≥ A²:  T_j = A/J,  T_a = T_j + v/A;    otherwise  T_j = √(v/J),  T_a = 2 T_j                (1)
//!   T_v = 1/v − T_a ≥ 0 at the speed limit v = V                                                    (2)
//!
//! A short move does not reach the speed limit: T_v = 0, and v solves v T_a = 1; if it does not reach the acceleration limit either,
//! T_j = (1/2J)^⅓ (Biagiotti & Melchiorri 2008, section 3.4). Without a jerk limit T_j = 0: a trapezoid, or a triangle.

use super::piecewise::{Coefficients, PiecewisePolynomial};
use super::{MotionLimits, Waypoints};
use armdyn_core::Model;
use armdyn_numerics::{Limit, Result, invalid};

/// Speed profile of a straight move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SpeedProfile {
    /// Constant acceleration, constant speed, constant deceleration.
    Trapezoidal,
    /// Seven phases of constant jerk: continuous acceleration.
    SCurve,
}

/// Durations of the phases of a unit move.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Phases {
    /// Duration of each of the four phases of constant jerk; 0 if the jerk is unlimited.
    jerk: f64,
    /// Duration of the acceleration, with its phases of jerk.
    acceleration: f64,
    /// Duration at constant speed.
    cruise: f64,
}

impl Phases {
    /// The fastest move of length 1 for limits of speed, acceleration and jerk, of which acceleration or jerk is finite.
    fn fastest(speed: f64, acceleration: f64, jerk: f64) -> Self {
        let ramp = |v: f64| {
            // (1)
            if v * jerk >= acceleration * acceleration {
                let own = acceleration / jerk;
                (own, own + v / acceleration)
            } else {
                ((v / jerk).sqrt(), 2.0 * (v / jerk).sqrt())
            }
        };
        if speed.is_finite() {
            let (own, total) = ramp(speed);
            let cruise = 1.0 / speed - total;
            if cruise >= 0.0 {
                return Phases { jerk: own, acceleration: total, cruise };
            }
        }
        let own = acceleration / jerk;
        // v (T_j + v/A) = 1, in the form that does not cancel; its speed reaches the acceleration limit if v J ≥ A².
        let v = 2.0 / (own + (own * own + 4.0 / acceleration).sqrt());
        if acceleration.is_finite() && v * jerk >= acceleration * acceleration {
            return Phases { jerk: own, acceleration: own + v / acceleration, cruise: 0.0 };
        }
        let own = (0.5 / jerk).cbrt();
        Phases { jerk: own, acceleration: 2.0 * own, cruise: 0.0 }
    }

    /// Durations and polynomials of the phases.
    fn pieces(&self) -> (Vec<f64>, Vec<Coefficients>) {
        let Phases { jerk: own, acceleration: total, cruise } = *self;
        let speed = 1.0 / (total + cruise);
        let acceleration = speed / (total - own);
        let jerk = if own > 0.0 { acceleration / own } else { 0.0 };
        let hold = total - 2.0 * own;
        // Duration, acceleration at the start, jerk.
        let phases = [
            (own, 0.0, jerk),
            (hold, acceleration, 0.0),
            (own, acceleration, -jerk),
            (cruise, 0.0, 0.0),
            (own, 0.0, -jerk),
            (hold, -acceleration, 0.0),
            (own, -acceleration, jerk),
        ];
        let (mut knots, mut pieces, mut p, mut v) = (vec![0.0], vec![], 0.0, 0.0);
        // A phase below the resolution of the clock is none.
        for (time, a, j) in phases.into_iter().filter(|phase| phase.0 > 1e-14 * (2.0 * total + cruise)) {
            pieces.push([p, v, a / 2.0, j / 6.0, 0.0, 0.0]);
            p += time * (v + time * (a / 2.0 + time * j / 6.0));
            v += time * (a + time * j / 2.0);
            knots.push(knots[knots.len() - 1] + time);
        }
        (knots, pieces)
    }
}

/// Straight moves through waypoints, at rest at each of them, each as fast as the limits of speed, acceleration and (S-curve) jerk
/// allow. Joints start and stop together.
pub fn straight_moves(
    m: &Model<f64>,
    waypoints: &Waypoints,
    limits: &MotionLimits,
    profile: SpeedProfile,
) -> Result<PiecewisePolynomial> {
    limits.check(m)?;
    waypoints.check(m, limits)?;
    let required = [Limit::Acceleration, Limit::Jerk];
    let mut moved = vec![0.0; m.nv()];
    for k in 1..waypoints.len() {
        let step = waypoints.row(k - 1).iter().zip(waypoints.row(k));
        moved.iter_mut().zip(step).for_each(|(sum, (a, b))| *sum += f64::abs(b - a));
    }
    limits.require(m, &required[..if profile == SpeedProfile::SCurve { 2 } else { 1 }], &moved)?;
    let mut all: Option<PiecewisePolynomial> = None;
    for k in 1..waypoints.len() {
        let (from, to) = (waypoints.row(k - 1), waypoints.row(k));
        let path: Vec<f64> = to.iter().zip(from).map(|(b, a)| b - a).collect();
        if path.iter().all(|d| *d == 0.0) {
            continue;
        }
        let tightest = |limit: &[f64]| {
            let each = path.iter().zip(limit).filter(|(d, _)| **d != 0.0).map(|(d, x)| x / d.abs());
            each.fold(f64::INFINITY, f64::min)
        };
        let jerk = if profile == SpeedProfile::SCurve { tightest(&limits.jerk) } else { f64::INFINITY };
        let phases = Phases::fastest(tightest(&limits.drive.speed), tightest(&limits.acceleration), jerk);
        let (knots, unit) = phases.pieces();
        let scaled = |c: &Coefficients, i: usize| {
            let mut c = c.map(|x| x * path[i]);
            c[0] += from[i];
            c
        };
        let pieces = unit.iter().flat_map(|c| (0..path.len()).map(move |i| scaled(c, i))).collect();
        let own = PiecewisePolynomial::new(&knots, pieces, path.len());
        all = Some(match all {
            None => own,
            Some(before) => before.followed_by(&own)?,
        });
    }
    all.map_or_else(|| invalid("all waypoints are equal: there is no motion"), Ok)
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_numerics::ContinuousTrajectory;

    fn total(speed: f64, acceleration: f64, jerk: f64) -> f64 {
        let p = Phases::fastest(speed, acceleration, jerk);
        2.0 * p.acceleration + p.cruise
    }

    /// Closed forms: trapezoid 1/V + V/A, triangle 2/√A, S-curve 1/V + V/A + A/J, without cruise or hold (32/J)^⅓.
    #[test]
    fn durations_have_their_closed_forms() {
        let infinite = f64::INFINITY;
        for (found, exact) in [
            (total(0.5, 1.0, infinite), 2.5),
            (total(10.0, 4.0, infinite), 1.0),
            (total(infinite, 4.0, infinite), 1.0),
            (total(0.5, 1.0, 4.0), 2.0 + 0.5 + 0.25),
            // Speed reached, acceleration not: 1/V + 2 √(V/J).
            (total(0.25, 10.0, 1.0), 4.0 + 2.0 * 0.5),
            (total(10.0, 100.0, 32.0), 1.0),
            (total(infinite, infinite, 4.0), 2.0),
            (total(0.25, infinite, 1.0), 5.0),
            // Acceleration reached, speed not: T_j = ¼, v (¼ + v) = 1, 2 (¼ + v).
            (total(10.0, 1.0, 4.0), 0.5 + (-0.25 + (0.0625_f64 + 4.0).sqrt())),
        ] {
            assert!((found - exact).abs() < 1e-14 * exact, "{found} for {exact}");
        }
    }

    /// Every case ends at 1, at rest, within all limits, and reaches one of them.
    #[test]
    fn moves_reach_the_goal_within_limits_however_short() {
        let mut random = armdyn_core::SplitMix64(7);
        for _ in 0..2000 {
            let mut limit = || 10f64.powf(4.0 * random.unit() - 2.0);
            let (v, a, j) = (limit(), limit(), limit());
            for j in [j, f64::INFINITY] {
                let (knots, pieces) = Phases::fastest(v, a, j).pieces();
                let mut peaks = [0.0_f64; 3];
                for (k, piece) in pieces.iter().enumerate() {
                    for t in [0.0, knots[k + 1] - knots[k]] {
                        let d = super::super::piecewise::derivatives(piece, t);
                        (0..3).for_each(|i| peaks[i] = peaks[i].max(d[i + 1].abs()));
                    }
                }
                let [p, speed, ..] = super::super::piecewise::derivatives(
                    &pieces[pieces.len() - 1],
                    knots[knots.len() - 1] - knots[knots.len() - 2],
                );
                assert!((p - 1.0).abs() < 1e-9 && speed.abs() < 1e-8 * peaks[0], "{v} {a} {j}: {p} {speed}");
                let used: Vec<f64> = peaks.iter().zip([v, a, j]).map(|(peak, limit)| peak / limit).collect();
                // A phase may be 1e-8 of the duration: its times have that many digits less.
                assert!(used.iter().all(|u| *u < 1.0 + 1e-7) && used.iter().any(|u| *u > 1.0 - 1e-7), "{used:?}");
            }
        }
    }

    #[test]
    fn joints_are_synchronised_and_stop_at_waypoints() {
        let m = armdyn_testkit::bundled("lin-rr");
        let mut limits = MotionLimits::of(&m);
        limits.position = vec![(-9.0, 9.0); 2];
        limits.acceleration = vec![1.0, 2.0];
        limits.drive.speed = vec![0.5, f64::INFINITY];
        let waypoints = Waypoints::new(2, vec![0.0, 0.0, 1.0, -0.5, 1.0, -0.5, 1.0, 0.5]).unwrap();
        let moves = straight_moves(&m, &waypoints, &limits, SpeedProfile::Trapezoidal).unwrap();
        // 1 rad at 0.5 rad/s and 1 rad/s²: 2.5 s; a rad at 2 rad/s² alone: 2/√2 s. Equal waypoints take no time.
        assert!((moves.duration() - (2.5 + 2f64.sqrt())).abs() < 1e-14);
        let (mut q, mut qd, mut qdd) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        moves.at(1.0, &mut q, &mut qd, &mut qdd);
        assert!((q[1] + 0.5 * q[0]).abs() < 1e-15 && (qd[0] - 0.5).abs() < 1e-15);
        moves.at(2.5 - 1e-12, &mut q, &mut qd, &mut qdd);
        assert!((q[0] - 1.0).abs() < 1e-11 && qd[0].abs() < 1e-11);
        let missing = straight_moves(&m, &waypoints, &limits, SpeedProfile::SCurve).unwrap_err();
        assert_eq!(missing.to_string(), "joints `theta1`, `theta2` have no jerk limit");
        // All that is missing at once, of the joints that move in any step.
        limits.acceleration = vec![f64::INFINITY; 2];
        let missing = straight_moves(&m, &waypoints, &limits, SpeedProfile::SCurve).unwrap_err();
        let expected =
            "joints `theta1`, `theta2` have no acceleration limit, joints `theta1`, `theta2` have no jerk limit";
        assert_eq!(missing.to_string(), expected);
        let one = Waypoints::new(2, vec![0.0, 0.0, 1.0, 0.0]).unwrap();
        let missing = straight_moves(&m, &one, &limits, SpeedProfile::Trapezoidal).unwrap_err();
        assert_eq!(missing.to_string(), "joint `theta1` has no acceleration limit");
        limits.acceleration[1] = 0.0;
        let zero = straight_moves(&m, &waypoints, &limits, SpeedProfile::Trapezoidal).unwrap_err().to_string();
        assert!(zero.contains("acceleration limit `0` of joint `theta2`"), "{zero}");
    }
}
