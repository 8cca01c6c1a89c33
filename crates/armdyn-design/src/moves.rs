//! Point-to-point moves, every joint in step, from rest to rest, one after the other.
//!
//! A move goes straight from q₀ to q₁ by a share σ(u) of its way at a share u of its time: the quintic
//! σ = 10u³ − 15u⁴ + 6u⁵, whose speed reaches 15/8 and whose acceleration 10/√3, or the trapezoid of speed.

use crate::DriveLimits;
use crate::time_scaling::{fastest, scaled_torques};
use armdyn_core::{Model, Progress};
use armdyn_numerics::{Error, JointRanges, QuasiRandom, Result, Trajectory};

/// How a move speeds up and slows down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// A polynomial of degree 5: accelerations begin and end at zero.
    Quintic,
    /// Steady acceleration, steady speed, steady deceleration.
    Trapezoidal,
}

/// Both sides of a jump of the acceleration are samples, this share of the move before and after it.
const SIDE: f64 = 1e-9;

/// Of a trapezoidal move that is as fast as drives allow, the share of time that it speeds up: the usual third.
const RAMP: f64 = 1.0 / 3.0;

/// The most numbers of one kind that a trajectory of moves may have: 80 MB.
const MOST: f64 = 1e7;

/// A share of time, and the share of the way there with its two derivatives.
type Node = [f64; 4];

impl Profile {
    /// The nodes of a move in so many steps; of a trapezoid that speeds up for a share `ramp` of its time.
    fn nodes(self, steps: usize, ramp: f64) -> Vec<Node> {
        let even = (0..=steps).map(|k| k as f64 / steps as f64);
        let quintic = |u: f64| {
            let v = 1.0 - u;
            let way = u * u * u * (10.0 + u * (6.0 * u - 15.0));
            [u, way, 30.0 * u * u * v * v, 60.0 * u * v * (1.0 - 2.0 * u)]
        };
        let speed = 1.0 / (1.0 - ramp);
        let trapezoid = |u: f64| {
            let (left, pull) = (1.0 - u, speed / ramp);
            if u < ramp {
                [u, pull * u * u / 2.0, pull * u, pull]
            } else if left < ramp {
                [u, 1.0 - pull * left * left / 2.0, pull * left, -pull]
            } else {
                [u, speed * (u - ramp / 2.0), speed, 0.0]
            }
        };
        if self == Profile::Quintic {
            return even.map(quintic).collect();
        }
        let corners = [ramp, 1.0 - ramp];
        let clear = |u: &f64| corners.iter().all(|c| (u - c).abs() > 10.0 * SIDE);
        let sides = corners.iter().flat_map(|c| [c - SIDE, c + SIDE]);
        let mut all: Vec<f64> = even.filter(clear).chain(sides).collect();
        all.sort_by(f64::total_cmp);
        // Where the trapezoid is a triangle, both corners are one.
        all.dedup_by(|b, a| *b - *a < SIDE);
        all.into_iter().map(trapezoid).collect()
    }

    /// The shortest time of a move, and the share of it that a trapezoid speeds up, for the greatest speed and acceleration
    /// of the share of its way.
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

/// Moves one after the other.
#[derive(Clone, Debug)]
pub struct Moves {
    /// All of them.
    pub trajectory: Trajectory,
    /// How many there are: fewer than asked for where it was ended early.
    pub count: usize,
    /// The greatest acceleration that each degree of freedom reaches \[rad/s², m/s²\].
    pub accelerations: Vec<f64>,
    /// The time of each \[s\].
    pub times: Vec<f64>,
    /// Goals drawn anew, for drives cannot bear the way there at any speed.
    pub drawn_anew: usize,
}

/// `count` moves between places drawn evenly from a region, at `rate` samples a second (32 a move at least).
///
/// As fast as the speed limits and the accelerations given allow; without these, as fast as speed limits and efforts do,
/// which must be known then.
pub fn random_moves(
    m: &Model<f64>,
    region: &JointRanges,
    limits: &DriveLimits,
    accelerations: Option<&[f64]>,
    profile: Profile,
    (count, seed, rate): (usize, u64, f64),
    progress: &Progress,
) -> Result<Moves> {
    limits.check(m)?;
    let n = m.nv();
    match accelerations {
        None => limits.need_effort(m)?,
        Some(a) => {
            if let Some(i) = a.iter().position(|x| !(x.is_finite() && *x > 0.0)) {
                let joint = &m.dof_names()[i];
                return Err(Error::InvalidInput(format!(
                    "the acceleration of `{joint}` is {}: it must be above 0",
                    a[i]
                )));
            }
        }
    }
    if !(rate.is_finite() && rate > 0.0) || count == 0 {
        return Err(Error::InvalidInput("moves take at least one, and a rate above 0".to_string()));
    }
    if region.intervals().iter().all(|r| r.lo() == r.hi()) {
        return Err(Error::InvalidInput("the box is a single point: there is nowhere to move".to_string()));
    }
    let spread = QuasiRandom::new(region, seed);
    let (mut drawn, mut drawn_anew) = (1, 0);
    let mut at = spread.random_point(0);
    let mut times = vec![];
    let mut all = Trajectory { t: vec![], q: vec![], qd: vec![], qdd: vec![] };
    let mut peaks = vec![0.0_f64; n];
    while times.len() < count && !progress.cancelled() {
        progress.report("moves", times.len() as f64 / count as f64);
        let goal = spread.random_point(drawn);
        drawn += 1;
        let way: Vec<f64> = goal.iter().zip(&at).map(|(b, a)| b - a).collect();
        let found = match accelerations {
            Some(a) => Some(given(profile, &way, limits, a, rate)),
            None => quickest(m, profile, &at, &way, limits, rate)?,
        };
        let Some((time, nodes)) = found else {
            drawn_anew += 1;
            if drawn_anew > 100 + 10 * times.len() {
                let what =
                    "the drives cannot hold the robot on most ways through the box, however slow: give a smaller one";
                return Err(Error::InvalidInput(what.to_string()));
            }
            continue;
        };
        if ((all.t.len() + nodes.len()) * n) as f64 > MOST || time * rate * n as f64 > MOST {
            let what = format!(
                "moves of {time:.3e} s at {rate} samples a second are more than fit: ask for fewer moves or a lower rate"
            );
            return Err(Error::InvalidInput(what));
        }
        let begun = all.t.last().copied();
        // Where one move ends, the next one begins: once, or on both sides of the jump.
        let skip = usize::from(begun.is_some() && profile == Profile::Quintic);
        let begun = begun.map_or(0.0, |t| t + if skip == 0 { SIDE * time } else { 0.0 });
        for [u, share, speed, pull] in nodes.into_iter().skip(skip) {
            all.t.push(begun + u * time);
            for i in 0..n {
                all.q.push((at[i] + share * way[i]).clamp(region.intervals()[i].lo(), region.intervals()[i].hi()));
                all.qd.push(speed * way[i] / time);
                all.qdd.push(pull * way[i] / (time * time));
                peaks[i] = peaks[i].max((pull * way[i] / (time * time)).abs());
            }
        }
        times.push(time);
        at = goal;
    }
    if times.is_empty() {
        return Err(Error::InvalidInput("ended before there was a move".to_string()));
    }
    let trajectory = Trajectory::new(n, all.t, all.q, all.qd, all.qdd)?;
    Ok(Moves { trajectory, count: times.len(), accelerations: peaks, times, drawn_anew })
}

fn steps(time: f64, rate: f64) -> usize {
    (time * rate).ceil().clamp(32.0, MOST) as usize
}

/// At the speeds and accelerations given.
fn given(profile: Profile, way: &[f64], limits: &DriveLimits, accelerations: &[f64], rate: f64) -> (f64, Vec<Node>) {
    let least = |x: &[f64]| way.iter().zip(x).map(|(d, x)| x / d.abs()).fold(f64::INFINITY, f64::min);
    let (time, ramp) = profile.shortest(least(&limits.speed), least(accelerations));
    (time, profile.nodes(steps(time, rate), ramp))
}

/// As fast as efforts and speeds allow, if they do at all: by its time scaling, whose samples are those of the move.
fn quickest(
    m: &Model<f64>,
    profile: Profile,
    from: &[f64],
    way: &[f64],
    limits: &DriveLimits,
    rate: f64,
) -> Result<Option<(f64, Vec<Node>)>> {
    let peaks = DriveLimits { rated: vec![f64::INFINITY; way.len()], ..limits.clone() };
    let time = |nodes: &[Node]| -> Result<Option<f64>> {
        let along = |f: &dyn Fn(&Node, usize) -> f64| -> Vec<f64> {
            nodes.iter().flat_map(|node| (0..way.len()).map(move |i| f(node, i))).collect()
        };
        let it = Trajectory {
            t: nodes.iter().map(|node| node[0]).collect(),
            q: along(&|node, i| from[i] + node[1] * way[i]),
            qd: along(&|node, i| node[2] * way[i]),
            qdd: along(&|node, i| node[3] * way[i]),
        };
        let factor = fastest(&scaled_torques(m, &it, &Progress::none())?, &peaks, &|_| 1.0).factor;
        Ok(factor.map(|s| 1.0 / s))
    };
    let Some(first) = time(&profile.nodes(100, RAMP))? else { return Ok(None) };
    if first <= 0.0 {
        return Err(Error::InvalidInput("nothing bounds how fast the robot moves".to_string()));
    }
    let nodes = profile.nodes(steps(first, rate), RAMP);
    Ok(time(&nodes)?.map(|time| (time, nodes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_end_where_they_should_and_have_the_peaks_of_their_formulas() {
        for (profile, ramp, speed, pull) in [
            (Profile::Quintic, 0.3, 15.0 / 8.0, 10.0 / 3f64.sqrt()),
            (Profile::Trapezoidal, 0.25, 4.0 / 3.0, 16.0 / 3.0),
            (Profile::Trapezoidal, 0.5, 2.0, 4.0),
        ] {
            let nodes = profile.nodes(6000, ramp);
            let (first, last) = (nodes[0], nodes[nodes.len() - 1]);
            assert!(first[1].abs() < 1e-15 && (last[1] - 1.0).abs() < 1e-15 && first[2].abs() + last[2].abs() < 1e-15);
            let peak = |k: usize| nodes.iter().fold(0.0_f64, |m, node| m.max(node[k].abs()));
            // The quintic's greatest acceleration lies between nodes: 1e-6 of it is missed at most.
            assert!((peak(2) - speed).abs() < 1e-8 && (peak(3) - pull).abs() < 1e-6 * pull, "{profile:?}");
            for pair in nodes.windows(2) {
                let (h, way) = (pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]);
                assert!(h > 0.0 && (way - h * (pair[0][2] + pair[1][2]) / 2.0).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn the_shortest_time_reaches_a_limit() {
        // 15/8 of a rad/s in 2 s; 10/√3 = a T².
        assert_eq!(Profile::Quintic.shortest(15.0 / 16.0, 1e9).0, 2.0);
        assert!((Profile::Quintic.shortest(1e9, 10.0 / 3f64.sqrt() / 9.0).0 - 3.0).abs() < 1e-15);
        // Half a second of each ramp at 2 /s² reaches 1 /s and half the way; the other half takes another half second.
        assert_eq!(Profile::Trapezoidal.shortest(1.0, 2.0), (1.5, 1.0 / 3.0));
        assert_eq!(Profile::Trapezoidal.shortest(10.0, 4.0), (1.0, 0.5));
    }
}
