//! Payload capacity over the workspace: the maximum payload at each position of the load.
//!
//! Quasi-random configurations within joint ranges; each gives a position of the load and its maximum mass
//! ([`crate::StaticPayload`]). Cells that no configuration reached are empty: out of reach, or missed by the samples.

use crate::holding::CannotHold;
use crate::payload::{PayloadRange, StaticPayload};
use crate::{ActiveLimit, DriveLimits};
use armdyn_core::{KinematicsData, Model, Progress, UnitPayload, kinematics};
use armdyn_numerics::{Grid, JointRanges, Plane, QuasiRandom, Result, parallel_map, quantile};
use serde::Serialize;

/// The smallest maximum payload over configurations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstPayload {
    /// The mass \[kg\].
    pub value: f64,
    /// The configuration.
    pub q: Vec<f64>,
    /// The limit that it reaches.
    pub limited_by: Option<ActiveLimit>,
    /// The drive that cannot hold the robot without a load, if one cannot.
    pub cannot_hold: Option<CannotHold>,
}

/// Maximum payloads in the cells of a plane \[kg\].
#[derive(Clone, Debug, Serialize)]
pub struct CapacityMap {
    /// The plane.
    pub plane: Plane,
    /// Range of its first axis \[m\].
    pub x_range: (f64, f64),
    /// Range of its second axis \[m\].
    pub y_range: (f64, f64),
    /// Cells in a row.
    pub columns: usize,
    /// Mass that every configuration in a cell can carry, row by row from the bottom; NaN without a configuration, 0 if one
    /// cannot hold the robot.
    pub minimum: Vec<f64>,
    /// Mass that the best configuration in a cell can carry.
    pub maximum: Vec<f64>,
    /// Mass that every sampled configuration can carry, and the configuration that limits it.
    pub worst: WorstPayload,
    /// Mass that half of the sampled configurations can carry.
    pub median: f64,
    /// Accelerations that the drives can produce besides, either way; none: at rest.
    pub accelerations: Option<Vec<f64>>,
    /// Number of sampled configurations.
    pub poses: usize,
    /// Number of them in the plane.
    pub in_plane: usize,
}

/// Options of [`capacity_map`].
#[derive(Clone, Debug)]
pub struct CapacityOptions {
    /// The plane.
    pub plane: Plane,
    /// Accelerations that the drives must produce besides, either way; none: at rest.
    pub accelerations: Option<Vec<f64>>,
    /// Number of configurations.
    pub samples: usize,
    /// Seed of the configurations.
    pub seed: u64,
    /// Cells along the longer side.
    pub columns: usize,
}

impl Default for CapacityOptions {
    fn default() -> Self {
        CapacityOptions { plane: Plane::Rz, accelerations: None, samples: 20_000, seed: 1, columns: 48 }
    }
}

/// The maximum payload in a configuration.
struct Sample {
    /// Position of the load in the plane, and off it.
    position: [f64; 2],
    off: f64,
    mass: f64,
    /// By which factor a drive exceeds its limit without a load; 0 if none does.
    excess: f64,
}

/// The payload capacity of a robot within joint ranges.
pub fn capacity_map(
    m: &Model<f64>,
    limits: &DriveLimits,
    load: &UnitPayload,
    ranges: &JointRanges,
    options: &CapacityOptions,
    progress: &Progress,
) -> Result<CapacityMap> {
    limits.require_effort(m)?;
    let CapacityOptions { plane, samples, seed, columns, .. } = *options;
    let accelerations = options.accelerations.as_deref();
    let (sequence, centre) = (QuasiRandom::new(ranges, seed), load.per_kilogram.centre());
    let make = || Ok((StaticPayload::new(m, limits, load, accelerations)?, KinematicsData::new(m)));
    let sample = |(payload, d): &mut (StaticPayload, KinematicsData<f64>), k: usize| {
        let q = sequence.point(k);
        kinematics(m, d, &q)?;
        let [a, b, off] = plane.project(d.link_pose(m, load.link)?.point(centre).to_array());
        let mass = capacity(&payload.at(&q)?);
        // Among the configurations without a capacity, the worst one exceeds a limit most.
        let excess = if mass > 0.0 { 0.0 } else { payload.worst_load(&q)?.map_or(0.0, |(_, excess)| excess) };
        Ok(Sample { position: [a, b], off, mass, excess })
    };
    let all = parallel_map(samples, "payload capacity", progress, make, sample)?;
    let poses = all.len();
    let order = |a: &Sample, b: &Sample| a.mass.total_cmp(&b.mass).then(b.excess.total_cmp(&a.excess));
    let worst = match (0..all.len()).min_by(|a, b| order(&all[*a], &all[*b])) {
        None => WorstPayload { value: f64::NAN, q: vec![], limited_by: None, cannot_hold: None },
        Some(k) => {
            let (q, mut payload) = (sequence.point(k), StaticPayload::new(m, limits, load, accelerations)?);
            let limited_by = payload.at(&q)?.limited_by;
            WorstPayload { value: all[k].mass, limited_by, cannot_hold: payload.cannot_hold(&q)?, q }
        }
    };
    let mut masses: Vec<(f64, f64)> = all.iter().map(|s| (s.mass, 1.0)).collect();
    let median = quantile(&mut masses, 0.5);
    let grid = Grid::around(all.iter().map(|s| s.position), columns);
    let empty = vec![f64::NAN; grid.columns * grid.rows];
    let (mut minimum, mut maximum, mut in_plane) = (empty.clone(), empty, 0);
    for Sample { position, off, mass, .. } in all {
        let Some(k) = grid.near(position, off) else { continue };
        in_plane += 1;
        (minimum[k], maximum[k]) = (mass.min(minimum[k]), mass.max(maximum[k]));
    }
    let Grid { across: x_range, up: y_range, columns, .. } = grid;
    let accelerations = options.accelerations.clone();
    Ok(CapacityMap {
        plane,
        x_range,
        y_range,
        columns,
        minimum,
        maximum,
        worst,
        median,
        accelerations,
        poses,
        in_plane,
    })
}

/// The maximum mass; 0 if the drives cannot hold the robot without a load.
fn capacity(payload: &PayloadRange) -> f64 {
    if payload.minimum > 0.0 { 0.0 } else { payload.largest().unwrap_or(0.0).max(0.0) }
}
