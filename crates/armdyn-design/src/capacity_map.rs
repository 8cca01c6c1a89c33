//! How much a robot can carry where: the largest payload at each place that it reaches.
//!
//! Poses are spread evenly over a region; each says where the load is and how much it may weigh there ([`crate::Holding`]).
//! Grid that no pose reached are empty: out of reach, or missed by the samples.

use crate::DriveLimits;
use crate::payload::Holding;
use armdyn_core::{KinematicsData, Model, Progress, UnitPayload, kinematics};
use armdyn_numerics::{Grid, JointRanges, Plane, QuasiRandom, Result, parallel_ordered, quantile};
use armdyn_plot::{Axis, Map};

/// The largest payloads at the cells of a plane \[kg\].
#[derive(Clone, Debug)]
pub struct CapacityMap {
    /// The plane.
    pub plane: Plane,
    /// From where to where its first axis goes \[m\].
    pub across: (f64, f64),
    /// And the second one.
    pub up: (f64, f64),
    /// Grid in a row.
    pub columns: usize,
    /// What every pose that reaches a cell can carry there, row after row from the bottom; NaN where none does, 0 where one
    /// cannot even hold the robot.
    pub least: Vec<f64>,
    /// What the best pose can.
    pub best: Vec<f64>,
    /// What can be carried in every pose of the region that was looked at, and in which it is least.
    pub everywhere: (f64, Vec<f64>),
    /// How many poses were looked at.
    pub poses: usize,
    /// How many of them lie in the plane.
    pub in_plane: usize,
}

/// Of `count` poses, in cells of which `columns` span the longer side.
#[allow(clippy::too_many_arguments)]
pub fn capacity_map(
    m: &Model<f64>,
    limits: &DriveLimits,
    load: &UnitPayload,
    accelerations: Option<&[f64]>,
    region: &JointRanges,
    plane: Plane,
    (count, seed, columns): (usize, u64, usize),
    progress: &Progress,
) -> Result<CapacityMap> {
    limits.need_effort(m)?;
    Holding::new(m, limits, load, accelerations)?;
    let (spread, centre) = (QuasiRandom::new(region, seed), load.per_kilogram.centre());
    let make = || (Holding::new(m, limits, load, accelerations), KinematicsData::new(m));
    let fill = |(holding, d): &mut (Result<Holding>, KinematicsData<f64>), k: usize, row: &mut [f64]| {
        let q = spread.point(k);
        kinematics(m, d, &q)?;
        let [a, b, off] = plane.project(d.link_pose(m, load.link)?.point(centre).to_array());
        let holding = holding.as_mut().map_err(|e| e.clone())?;
        row.copy_from_slice(&[a, b, off, carried(&holding.masses(&q)?)]);
        Ok(())
    };
    let mut all: Vec<[f64; 4]> = vec![];
    let keep = |_: usize, rows: &[f64]| all.extend(rows.chunks(4).map(|r| [r[0], r[1], r[2], r[3]]));
    let poses = parallel_ordered(count, 4, "payload capacity", progress, make, fill, keep)?;
    let worst = (0..all.len()).min_by(|a, b| all[*a][3].total_cmp(&all[*b][3]));
    let everywhere = worst.map_or((f64::NAN, vec![]), |k| (all[k][3], spread.point(k)));
    let cells = Grid::around(all.iter().map(|r| [r[0], r[1]]), columns);
    let (mut least, mut best) =
        (vec![f64::NAN; cells.columns * cells.rows], vec![f64::NAN; cells.columns * cells.rows]);
    let mut in_plane = 0;
    for [a, b, off, mass] in all {
        let Some(k) = cells.of([a, b], off) else { continue };
        in_plane += 1;
        (least[k], best[k]) = (mass.min(least[k]), mass.max(best[k]));
    }
    let Grid { across, up, columns, .. } = cells;
    Ok(CapacityMap { plane, across, up, columns, least, best, everywhere, poses, in_plane })
}

/// What can be carried: nothing where the robot cannot be held without.
fn carried(masses: &crate::Masses) -> f64 {
    if masses.least > 0.0 { 0.0 } else { masses.largest().unwrap_or(0.0).max(0.0) }
}

impl CapacityMap {
    /// As a picture: what every pose can carry, or the best one. A few cells that few poses reach, or that lie on an axis,
    /// can be far above all others: the last colour is for the largest twentieth.
    pub fn picture(&self, title: &str, best: bool) -> Map {
        let [a, b] = self.plane.axes();
        let axis = |name: &str, (low, high): (f64, f64)| Axis::new(name, "m").within(low, high);
        let cells = if best { &self.best } else { &self.least };
        let mut known: Vec<(f64, f64)> = cells.iter().filter(|x| !x.is_nan()).map(|x| (*x, 1.0)).collect();
        let [least, top, most] = [0.0, 0.95, 1.0].map(|p| quantile(&mut known, p));
        let value = if most > top && top > least && top.is_finite() {
            Axis::new("payload (the last colour: or more)", "kg").within(least, top)
        } else {
            Axis::new("payload", "kg")
        };
        let shown = cells.iter().map(|x| if *x > top { top } else { *x }).collect();
        Map::new(title, axis(a, self.across), axis(b, self.up), value, self.columns, shown)
    }
}
