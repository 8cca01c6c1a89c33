//! Synchronised point-to-point moves from rest to rest.
//!
//! A move follows the straight joint path q₀ + σ(u) (q₁ − q₀) at the fraction u of its duration: the quintic
//! σ = 10u³ − 15u⁴ + 6u⁵ with maximum speed 15/8 and acceleration 10/√3, or a trapezoidal speed profile.

use crate::DriveLimits;
use crate::speed_scaling::{maximum, scaled_torques};
use armdyn_core::{Model, Progress};
use armdyn_numerics::{JointRanges, QuasiRandom, Result, Trajectory, invalid};

/// Speed profile of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Profile {
    /// A polynomial of degree 5, with zero acceleration at both ends.
    Quintic,
    /// Constant acceleration, constant speed, constant deceleration.
    Trapezoidal,
}

/// Distance of the samples before and after a jump of the acceleration, as a fraction of the move.
const JUMP: f64 = 1e-9;

/// Fraction of the duration in which the fastest trapezoidal move accelerates.
const RAMP: f64 = 1.0 / 3.0;

/// Maximum number of positions of a trajectory (80 MB).
const MAX_VALUES: f64 = 1e7;

/// Fractions of time and path, and the two derivatives of the latter.
type Node = [f64; 4];

impl Profile {
    /// The nodes of a move; a trapezoid accelerates for the fraction `ramp` of its duration.
    fn nodes(self, steps: usize, ramp: f64) -> Vec<Node> {
        let even = (0..=steps).map(|k| k as f64 / steps as f64);
        let quintic = |u: f64| {
            let v = 1.0 - u;
            let path = u * u * u * (10.0 + u * (6.0 * u - 15.0));
            [u, path, 30.0 * u * u * v * v, 60.0 * u * v * (1.0 - 2.0 * u)]
        };
        let speed = 1.0 / (1.0 - ramp);
        let trapezoid = |u: f64| {
            let (left, acceleration) = (1.0 - u, speed / ramp);
            if u < ramp {
                [u, acceleration * u * u / 2.0, acceleration * u, acceleration]
            } else if left < ramp {
                [u, 1.0 - acceleration * left * left / 2.0, acceleration * left, -acceleration]
            } else {
                [u, speed * (u - ramp / 2.0), speed, 0.0]
            }
        };
        if self == Profile::Quintic {
            return even.map(quintic).collect();
        }
        let corners = [ramp, 1.0 - ramp];
        let clear = |u: &f64| corners.iter().all(|c| (u - c).abs() > 10.0 * JUMP);
        let sides = corners.iter().flat_map(|c| [c - JUMP, c + JUMP]);
        let mut all: Vec<f64> = even.filter(clear).chain(sides).collect();
        all.sort_by(f64::total_cmp);
        // Both corners of a triangle coincide.
        all.dedup_by(|b, a| *b - *a < JUMP);
        all.into_iter().map(trapezoid).collect()
    }

    /// Minimum duration of a move, and the fraction in which a trapezoid accelerates, for the maximum rate and acceleration
    /// of the path fraction.
    fn shortest(self, speed: f64, acceleration: f64) -> (f64, f64) {
        match self {
            Profile::Quintic => ((15.0 / 8.0 / speed).max((10.0 / 3f64.sqrt() / acceleration).sqrt()), RAMP),
            Profile::Trapezoidal if speed * speed >= acceleration => (2.0 / acceleration.sqrt(), 0.5),
            Profile::Trapezoidal => {
                let time = 1.0 / speed + speed / acceleration;
                (time, speed / acceleration / time)
            }
        }
    }
}

/// A sequence of random moves.
#[derive(Clone, Debug)]
pub struct RandomMoves {
    /// The trajectory of all moves.
    pub trajectory: Trajectory,
    /// Maximum acceleration of each degree of freedom \[rad/s², m/s²\].
    pub accelerations: Vec<f64>,
    /// Duration of each move \[s\]; fewer moves than requested if cancelled.
    pub durations: Vec<f64>,
    /// Number of goals rejected because the drives cannot follow the path at any speed.
    pub rejected: usize,
}

/// Options of [`random_moves`].
#[derive(Clone, Debug)]
pub struct MoveOptions {
    /// Number of moves.
    pub count: usize,
    /// Seed of the goals.
    pub seed: u64,
    /// Samples per second; a move has at least 32.
    pub rate: f64,
    /// Shape of a move.
    pub profile: Profile,
    /// Maximum accelerations \[rad/s², m/s²\]; none: as fast as speed limits and efforts allow.
    pub accelerations: Option<Vec<f64>>,
}

impl Default for MoveOptions {
    fn default() -> Self {
        MoveOptions { count: 20, seed: 1, rate: 500.0, profile: Profile::Quintic, accelerations: None }
    }
}

/// Point-to-point moves between random configurations, as fast as the speed limits and the accelerations (by default the
/// efforts) allow.
pub fn random_moves(
    m: &Model<f64>,
    ranges: &JointRanges,
    limits: &DriveLimits,
    options: &MoveOptions,
    progress: &Progress,
) -> Result<RandomMoves> {
    let MoveOptions { count, seed, rate, profile, .. } = *options;
    let accelerations = options.accelerations.as_deref();
    limits.check(m)?;
    let n = m.nv();
    if accelerations.is_none() {
        limits.require_effort(m)?;
    }
    let mut accelerated = accelerations.into_iter().flatten().zip(m.dof_names());
    if let Some((a, joint)) = accelerated.find(|(a, _)| !(a.is_finite() && **a > 0.0)) {
        return invalid(format!("invalid acceleration `{a}` of joint `{joint}`: it must be above 0"));
    }
    if !(rate.is_finite() && rate > 0.0) || count == 0 {
        return invalid("random moves need a count of at least one and a rate above 0");
    }
    if ranges.intervals().iter().all(|r| r.lo() == r.hi()) {
        return invalid("the joint ranges are a single point: there is no other configuration to move to");
    }
    let sequence = QuasiRandom::new(ranges, seed);
    let (mut drawn, mut rejected) = (1, 0);
    let mut at = sequence.random_point(0);
    let mut durations = vec![];
    let mut all = Trajectory { t: vec![], q: vec![], qd: vec![], qdd: vec![] };
    let mut peaks = vec![0.0_f64; n];
    while durations.len() < count && !progress.cancelled() {
        progress.report("moves", durations.len() as f64 / count as f64);
        let goal = sequence.random_point(drawn);
        drawn += 1;
        let path: Vec<f64> = goal.iter().zip(&at).map(|(b, a)| b - a).collect();
        let found = match accelerations {
            Some(a) => {
                let minimum = |x: &[f64]| path.iter().zip(x).map(|(d, x)| x / d.abs()).fold(f64::INFINITY, f64::min);
                let (time, ramp) = profile.shortest(minimum(&limits.speed), minimum(a));
                Some((time, profile.nodes(steps(time, rate), ramp)))
            }
            None => by_effort(m, profile, &at, &path, limits, rate)?,
        };
        let Some((time, nodes)) = found else {
            rejected += 1;
            if rejected > 100 + 10 * durations.len() {
                return invalid(
                    "the drives cannot hold the robot on most paths at any speed: effort limits are too low or the payload is too \
                     heavy (moves with given accelerations show the joints), or narrow the joint ranges",
                );
            }
            continue;
        };
        if ((all.t.len() + nodes.len()) * n) as f64 > MAX_VALUES || time * rate * n as f64 > MAX_VALUES {
            return invalid(format!(
                "{count} moves at {rate} samples per second exceed {MAX_VALUES} values (samples × joints): \
                 only {} of them fit; request fewer moves or a lower rate",
                durations.len()
            ));
        }
        let begun = all.t.last().copied();
        // The end of a move is the start of the next: one sample, or one on each side of the jump.
        let skip = usize::from(begun.is_some() && profile == Profile::Quintic);
        let begun = begun.map_or(0.0, |t| t + if skip == 0 { JUMP * time } else { 0.0 });
        for [u, fraction, speed, acceleration] in nodes.into_iter().skip(skip) {
            all.t.push(begun + u * time);
            for i in 0..n {
                all.q.push((at[i] + fraction * path[i]).clamp(ranges.intervals()[i].lo(), ranges.intervals()[i].hi()));
                all.qd.push(speed * path[i] / time);
                all.qdd.push(acceleration * path[i] / (time * time));
                peaks[i] = peaks[i].max((acceleration * path[i] / (time * time)).abs());
            }
        }
        durations.push(time);
        at = goal;
    }
    if durations.is_empty() {
        return invalid("cancelled before the first move");
    }
    let trajectory = Trajectory::new(n, all.t, all.q, all.qd, all.qdd)?;
    Ok(RandomMoves { trajectory, accelerations: peaks, durations, rejected })
}

fn steps(time: f64, rate: f64) -> usize {
    (time * rate).ceil().clamp(32.0, MAX_VALUES) as usize
}

/// The fastest move within efforts and speeds, by its speed scaling; none if it is infeasible.
fn by_effort(
    m: &Model<f64>,
    profile: Profile,
    from: &[f64],
    path: &[f64],
    limits: &DriveLimits,
    rate: f64,
) -> Result<Option<(f64, Vec<Node>)>> {
    let peaks = DriveLimits { continuous: vec![f64::INFINITY; path.len()], ..limits.clone() };
    let time = |nodes: &[Node]| -> Result<Option<f64>> {
        let along = |f: &dyn Fn(&Node, usize) -> f64| -> Vec<f64> {
            nodes.iter().flat_map(|node| (0..path.len()).map(move |i| f(node, i))).collect()
        };
        let trajectory = Trajectory {
            t: nodes.iter().map(|node| node[0]).collect(),
            q: along(&|node, i| from[i] + node[1] * path[i]),
            qd: along(&|node, i| node[2] * path[i]),
            qdd: along(&|node, i| node[3] * path[i]),
        };
        let factor = maximum(&scaled_torques(m, &trajectory, &Progress::none())?, &peaks, &|_| 1.0).0;
        Ok(factor.map(|s| 1.0 / s))
    };
    let Some(first) = time(&profile.nodes(100, RAMP))? else { return Ok(None) };
    if first <= 0.0 {
        return invalid("no effort or speed limit bounds the speed of the moves");
    }
    let nodes = profile.nodes(steps(first, rate), RAMP);
    Ok(time(&nodes)?.map(|time| (time, nodes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_reach_the_goal_and_their_known_peaks() {
        for (profile, ramp, speed, acceleration) in [
            (Profile::Quintic, 0.3, 15.0 / 8.0, 10.0 / 3f64.sqrt()),
            (Profile::Trapezoidal, 0.25, 4.0 / 3.0, 16.0 / 3.0),
            (Profile::Trapezoidal, 0.5, 2.0, 4.0),
        ] {
            let nodes = profile.nodes(6000, ramp);
            let (first, last) = (nodes[0], nodes[nodes.len() - 1]);
            assert!(first[1].abs() < 1e-15 && (last[1] - 1.0).abs() < 1e-15 && first[2].abs() + last[2].abs() < 1e-15);
            let peak = |k: usize| nodes.iter().fold(0.0_f64, |m, node| m.max(node[k].abs()));
            // The maximum acceleration of the quintic lies between nodes, which miss at most 1e-6 of it.
            assert!(
                (peak(2) - speed).abs() < 1e-8 && (peak(3) - acceleration).abs() < 1e-6 * acceleration,
                "{profile:?}"
            );
            for pair in nodes.windows(2) {
                let (h, step) = (pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]);
                assert!(h > 0.0 && (step - h * (pair[0][2] + pair[1][2]) / 2.0).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn the_minimum_duration_reaches_a_limit() {
        // 15/8 of a rad/s in 2 s; 10/√3 = a T².
        assert_eq!(Profile::Quintic.shortest(15.0 / 16.0, 1e9).0, 2.0);
        assert!((Profile::Quintic.shortest(1e9, 10.0 / 3f64.sqrt() / 9.0).0 - 3.0).abs() < 1e-15);
        // Ramps of half a second at 2 /s² reach 1 /s and half the path; the other half takes another half second.
        assert_eq!(Profile::Trapezoidal.shortest(1.0, 2.0), (1.5, 1.0 / 3.0));
        assert_eq!(Profile::Trapezoidal.shortest(10.0, 4.0), (1.0, 0.5));
    }
}
