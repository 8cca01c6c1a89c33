//! How far a robot may reach before it tips.

use super::along::stands_at_rest;
use super::{BaseMotion, Stand, Support};
use armdyn_core::{KinematicsData, LinkId, Model, Progress, Vec3, kinematics};
use armdyn_numerics::{Error, JointRanges, QuasiRandom, Result, parallel_ordered};
use std::f64::consts::TAU;

/// How much of a way is safe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SafeReach {
    /// The share of it, from 0 to 1.
    pub share: f64,
    /// The edge that the robot tips over there; none where all of it is safe.
    pub edge: Option<usize>,
}

/// How far a robot may go from one configuration towards another, straight in its coordinates, and stand at rest everywhere,
/// as far as 512 steps show; the end is then found to the last digit. `base` may move.
pub fn safe_reach(m: &Model<f64>, support: &Support, base: &BaseMotion, from: &[f64], to: &[f64]) -> Result<SafeReach> {
    const STEPS: usize = 512;
    if let Some(j) = m.joints().iter().find(|j| j.q.len() != j.v.len()) {
        return Err(Error::Joint { joint: j.name.clone() });
    }
    stands_at_rest(m, support, from)?;
    let (mut stand, still) = (Stand::new(m, support), vec![0.0; m.nv()]);
    let mut moments = vec![0.0; support.edges().len()];
    let mut weakest = |share: f64| -> Result<(f64, usize)> {
        let q: Vec<f64> = from.iter().zip(to).map(|(a, b)| a + (b - a) * share).collect();
        stand.moments(base, [&q, &still, &still], &mut moments)?;
        let least = (0..moments.len()).min_by(|a, b| moments[*a].total_cmp(&moments[*b])).unwrap_or(0);
        Ok((moments[least], least))
    };
    for k in 0..=STEPS {
        let (moment, mut edge) = weakest(k as f64 / STEPS as f64)?;
        if moment >= 0.0 {
            continue;
        }
        let (mut safe, mut tips) = (k.saturating_sub(1) as f64 / STEPS as f64, k as f64 / STEPS as f64);
        loop {
            let middle = safe + (tips - safe) / 2.0;
            if middle <= safe || middle >= tips {
                return Ok(SafeReach { share: safe, edge: Some(edge) });
            }
            match weakest(middle)? {
                (moment, _) if moment >= 0.0 => safe = middle,
                (_, over) => (tips, edge) = (middle, over),
            }
        }
    }
    Ok(SafeReach { share: 1.0, edge: None })
}

/// What was found in a direction from the middle of the contacts' hull, at rest; distances along the ground \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Direction {
    /// From the base's x towards its y \[rad\].
    pub heading: f64,
    /// The farthest that the tool was.
    pub reach: f64,
    /// How near it was in the nearest pose that tips: every pose nearer stands; the reach if none tips.
    pub safe: f64,
    /// The farthest that it was in a pose that stands; 0 where none does.
    pub farthest: f64,
}

/// Where a robot can reach at rest, and where it tips.
#[derive(Clone, Debug)]
pub struct ReachMap {
    /// Those directions in which the tool ever was.
    pub directions: Vec<Direction>,
    /// From where to where the map goes along the ground's x \[m\].
    pub across: (f64, f64),
    /// And along its y.
    pub up: (f64, f64),
    /// Grid in a row.
    pub columns: usize,
    /// The least distance to tipping with the tool over a cell \[m\], row after row from the bottom; NaN where it never was.
    pub least: Vec<f64>,
    /// How many poses were looked at, and how many of them tip.
    pub poses: (usize, usize),
}

/// Of `count` poses at rest, spread over a region, `tool` being a link and a point of it; in so many directions all around,
/// and in cells of which `columns` span the longer side.
pub fn reach_map(
    m: &Model<f64>,
    support: &Support,
    tool: (LinkId, Vec3<f64>),
    region: &JointRanges,
    (count, seed, directions, columns): (usize, u64, usize, usize),
    progress: &Progress,
) -> Result<ReachMap> {
    let spread = QuasiRandom::new(region, seed);
    let still = vec![0.0; m.nv()];
    let edges = support.edges().len();
    let make = || (Stand::new(m, support), KinematicsData::new(m), vec![0.0; edges]);
    let mut all: Vec<[f64; 3]> = vec![];
    let looked_at = parallel_ordered(
        count,
        3,
        "reach",
        progress,
        make,
        |(stand, d, moments), k, row| {
            let q = spread.point(k);
            kinematics(m, d, &q)?;
            let [x, y, _] = support.place(d.link_pose(m, tool.0)?.point(tool.1));
            let demand = stand.moments(&BaseMotion::rest(), [&q, &still, &still], moments)?;
            let least = moments.iter().copied().fold(f64::INFINITY, f64::min);
            row.copy_from_slice(&[x, y, least / demand.normal]);
            Ok(())
        },
        |_, rows| all.extend(rows.chunks(3).map(|r| [r[0], r[1], r[2]])),
    )?;
    let (middle, directions) = (support.middle(), directions.max(1));
    let mut found: Vec<Option<Direction>> = vec![None; directions];
    let mut tip = 0;
    for [x, y, distance] in &all {
        let (dx, dy) = (x - middle[0], y - middle[1]);
        let far = dx.hypot(dy);
        let sector = (dy.atan2(dx).rem_euclid(TAU) / TAU * directions as f64).round() as usize % directions;
        let heading = TAU * sector as f64 / directions as f64;
        let one = found[sector].get_or_insert(Direction { heading, reach: 0.0, safe: f64::INFINITY, farthest: 0.0 });
        one.reach = one.reach.max(far);
        if *distance < 0.0 {
            one.safe = one.safe.min(far);
            tip += 1;
        } else {
            one.farthest = one.farthest.max(far);
        }
    }
    let directions = found.into_iter().flatten().map(|d| Direction { safe: d.safe.min(d.reach), ..d }).collect();
    // Every corner of the hull is on the map too.
    let points = all.iter().map(|p| [p[0], p[1]]).chain(support.points().iter().copied());
    let points: Vec<[f64; 2]> = points.collect();
    let range = |k: usize| {
        points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p[k]), high.max(p[k])))
    };
    let (across, up) = (range(0), range(1));
    let cell = (across.1 - across.0).max(up.1 - up.0) / columns.max(1) as f64;
    let cells = |(low, high): (f64, f64)| (((high - low) / cell - 1e-9).ceil() as usize).max(1);
    let (columns, rows) = (cells(across), cells(up));
    let mut least = vec![f64::NAN; columns * rows];
    for [x, y, distance] in all {
        let at = |x: f64, from: f64, count: usize| (((x - from) / cell) as usize).min(count - 1);
        let k = at(y, up.0, rows) * columns + at(x, across.0, columns);
        least[k] = distance.min(least[k]);
    }
    let end = |(from, _): (f64, f64), count: usize| (from, from + count as f64 * cell);
    let (across, up) = (end(across, columns), end(up, rows));
    Ok(ReachMap { directions, across, up, columns, least, poses: (looked_at, tip) })
}
