//! Safe reach: how far a robot can move or reach before it tips.

use super::evaluator::{StabilityEvaluator, TipoverCase};
use crate::BaseMotion;
use armdyn_core::{KinematicsData, LinkId, Vec3, kinematics};
use armdyn_numerics::{Grid, JointRanges, QuasiRandom, Result, parallel_map, require_scalar_coordinates};
use std::f64::consts::TAU;

/// The stable part of a straight path in joint space.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct SafePath {
    /// Stable fraction of the path, from 0 to 1.
    pub fraction: f64,
    /// Configuration at its end.
    pub q: Vec<f64>,
    /// The edge that the robot tips over there; none if the whole path is stable.
    pub edge: Option<usize>,
}

/// Reach in a direction from the centre of the support polygon, at rest; distances along the ground \[m\].
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Direction {
    /// Heading from the ground's x axis towards its y axis \[rad\].
    pub heading: f64,
    /// The largest distance of the tool.
    pub reach: f64,
    /// The smallest distance in a configuration that tips: all sampled ones with the tool nearer are stable. The reach if none
    /// tips.
    pub safe: f64,
    /// The largest distance in a stable configuration; 0 if none is stable.
    pub maximum_stable: f64,
}

/// Reach and stability at rest, from sampled configurations.
#[derive(Clone, Debug, serde::Serialize)]
pub struct ReachMap {
    /// Directions in which the tool was found.
    pub directions: Vec<Direction>,
    /// Centre of the support polygon, from which distances are measured \[m\].
    pub centre: [f64; 2],
    /// Range of the map along x \[m\].
    pub x: (f64, f64),
    /// Range of the map along y \[m\].
    pub y: (f64, f64),
    /// Cells per row of the map.
    pub columns: usize,
    /// The smallest margin with the tool above a cell \[m\], row by row from the smallest y; NaN where the tool was not found.
    pub margin: Vec<f64>,
    /// Number of sampled configurations.
    pub samples: usize,
    /// Number of those that tip.
    pub tipping: usize,
}

/// Sampling of a [`ReachMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReachOptions {
    /// Number of configurations.
    pub samples: usize,
    /// Seed of the quasi-random sequence.
    pub seed: u64,
    /// Number of directions.
    pub directions: usize,
    /// Cells of the map along its longer side.
    pub columns: usize,
}

impl Default for ReachOptions {
    fn default() -> Self {
        ReachOptions { samples: 50_000, seed: 1, directions: 36, columns: 60 }
    }
}

impl TipoverCase<'_> {
    /// How far a robot can go from one configuration straight towards another, at rest in each, before it tips. 512 steps locate the first
    /// unstable configuration; bisection then refines it to machine precision.
    pub fn safe_path(&self, from: &[f64], to: &[f64]) -> Result<SafePath> {
        const STEPS: usize = 512;
        require_scalar_coordinates(self.model)?;
        self.require_stable_at_rest(from)?;
        let at = |fraction: f64| -> Vec<f64> { from.iter().zip(to).map(|(a, b)| a + (b - a) * fraction).collect() };
        let (mut evaluator, zero) = (self.evaluator(), vec![0.0; self.model.nv()]);
        let mut critical = |fraction: f64| -> Result<(usize, f64)> {
            let reaction = evaluator.ground_reaction(&self.base, [&at(fraction), &zero, &zero])?;
            Ok(self.support.polygon().critical_edge(reaction.normal, reaction.tilting).unwrap_or((0, f64::INFINITY)))
        };
        for k in 0..=STEPS {
            let (mut edge, moment) = critical(k as f64 / STEPS as f64)?;
            if moment >= 0.0 {
                continue;
            }
            let (mut stable, mut tips) = (k.saturating_sub(1) as f64 / STEPS as f64, k as f64 / STEPS as f64);
            loop {
                let middle = stable + (tips - stable) / 2.0;
                if middle <= stable || middle >= tips {
                    return Ok(SafePath { fraction: stable, q: at(stable), edge: Some(edge) });
                }
                match critical(middle)? {
                    (_, moment) if moment >= 0.0 => stable = middle,
                    (over, _) => (tips, edge) = (middle, over),
                }
            }
        }
        Ok(SafePath { fraction: 1.0, q: to.to_vec(), edge: None })
    }

    /// Samples configurations at rest within joint ranges; `tool` is a link and a point of it.
    pub fn reach_map(
        &self,
        tool: (LinkId, Vec3<f64>),
        ranges: &JointRanges,
        options: &ReachOptions,
    ) -> Result<ReachMap> {
        let TipoverCase { model: m, support, progress, .. } = *self;
        let sequence = QuasiRandom::new(ranges, options.seed);
        let zero = vec![0.0; m.nv()];
        let workspace = || Ok((self.evaluator(), KinematicsData::new(m)));
        let sample = |(evaluator, d): &mut (StabilityEvaluator, KinematicsData<f64>), k: usize| {
            let q = sequence.point(k);
            kinematics(m, d, &q)?;
            let [x, y, _] = support.to_ground(d.link_pose(m, tool.0)?.point(tool.1));
            let reaction = evaluator.ground_reaction(&BaseMotion::rest(), [&q, &zero, &zero])?;
            let critical = support.polygon().critical_edge(reaction.normal, reaction.tilting);
            Ok([x, y, critical.map_or(f64::NAN, |c| c.1 / reaction.normal)])
        };
        let samples = parallel_map(options.samples, "reach", &progress, workspace, sample)?;
        let (centre, count) = (support.polygon().centre(), options.directions.max(1));
        let mut sectors: Vec<Option<Direction>> = vec![None; count];
        let mut tipping = 0;
        for [x, y, margin] in &samples {
            let (dx, dy) = (x - centre[0], y - centre[1]);
            let distance = dx.hypot(dy);
            let sector = (dy.atan2(dx).rem_euclid(TAU) / TAU * count as f64).round() as usize % count;
            let heading = TAU * sector as f64 / count as f64;
            let empty = Direction { heading, reach: 0.0, safe: f64::INFINITY, maximum_stable: 0.0 };
            let direction = sectors[sector].get_or_insert(empty);
            direction.reach = direction.reach.max(distance);
            if *margin < 0.0 {
                direction.safe = direction.safe.min(distance);
                tipping += 1;
            } else {
                direction.maximum_stable = direction.maximum_stable.max(distance);
            }
        }
        let directions = sectors.into_iter().flatten().map(|d| Direction { safe: d.safe.min(d.reach), ..d }).collect();
        // The map contains the support polygon too.
        let points = samples.iter().map(|p| [p[0], p[1]]).chain(support.points().iter().copied());
        let grid = Grid::around(points, options.columns);
        let mut margin = vec![f64::NAN; grid.columns * grid.rows];
        for [x, y, value] in &samples {
            margin[grid.cell([*x, *y])] = value.min(margin[grid.cell([*x, *y])]);
        }
        let Grid { across: x, up: y, columns, .. } = grid;
        Ok(ReachMap { directions, centre, x, y, columns, margin, samples: samples.len(), tipping })
    }
}
