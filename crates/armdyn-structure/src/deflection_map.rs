//! Map of the tool's deflection at rest over the positions that it reaches.

use super::loads::LoadCase;
use super::structure::Structure;
use super::{DeformationModes, Displacement};
use armdyn_core::{Force, Progress};
use armdyn_numerics::{Grid, JointRanges, Plane, QuasiRandom, Result, parallel_map};
use serde::Serialize;

/// What a map covers.
#[derive(Clone, Debug)]
pub struct MapOptions {
    /// Ranges of the joints.
    pub ranges: JointRanges,
    /// Plane of the map.
    pub plane: Plane,
    /// Number of sampled configurations.
    pub samples: usize,
    /// Seed of the sampling.
    pub seed: u64,
    /// Number of cells along the longer side.
    pub columns: usize,
}

/// The tool's displacement in the cells of a plane \[m\].
#[derive(Clone, Debug, Serialize)]
pub struct DeflectionMap {
    /// The plane.
    pub plane: Plane,
    /// Range of its first axis \[m\].
    pub horizontal: (f64, f64),
    /// Range of its second axis \[m\].
    pub vertical: (f64, f64),
    /// Number of cells in a row.
    pub columns: usize,
    /// Maximum displacement of the configurations that reach a cell, row by row from the bottom; NaN (null) where none
    /// does.
    pub maximum: Vec<f64>,
    /// The sampled configuration with the maximum displacement.
    pub worst: WorstConfiguration,
    /// Number of sampled configurations.
    pub poses: usize,
    /// Number of those in the plane.
    pub in_plane: usize,
}

/// A configuration and the tool's displacement there.
#[derive(Clone, Debug, Serialize)]
pub struct WorstConfiguration {
    /// Joint positions.
    pub q: Vec<f64>,
    /// Displacement of the tool.
    pub displacement: Displacement,
}

impl Structure {
    /// Samples configurations at rest, with a wrench on the tool in the base's axes.
    pub fn deflection_map(
        &self,
        options: &MapOptions,
        tool_wrench: Force<f64>,
        modes: &DeformationModes,
        progress: &Progress,
    ) -> Result<DeflectionMap> {
        let points = QuasiRandom::new(&options.ranges, options.seed);
        let (nv, plane) = (self.model.nv(), options.plane);
        let case = |k: usize| LoadCase { tool_wrench, ..LoadCase::at_rest(&points.point(k), nv) };
        let sample = |_: &mut (), k: usize| {
            let tool = self.deflect(&case(k), modes)?.tool;
            let [a, b, off] = plane.project(tool.position.to_array());
            Ok([a, b, off, tool.displacement.translation.norm()])
        };
        let samples = parallel_map(options.samples, "deflection", progress, || Ok(()), sample)?;
        let poses = samples.len();
        let worst = match (0..samples.len()).max_by(|a, b| samples[*a][3].total_cmp(&samples[*b][3])) {
            Some(k) => WorstConfiguration {
                q: points.point(k),
                displacement: self.deflect(&case(k), modes)?.tool.displacement,
            },
            None => WorstConfiguration { q: vec![], displacement: Displacement::none() },
        };
        let grid = Grid::around(samples.iter().map(|r| [r[0], r[1]]), options.columns);
        let mut maximum = vec![f64::NAN; grid.columns * grid.rows];
        let mut in_plane = 0;
        for [a, b, off, translation] in samples {
            let Some(k) = grid.near([a, b], off) else { continue };
            in_plane += 1;
            maximum[k] = translation.max(maximum[k]);
        }
        let Grid { across: horizontal, up: vertical, columns, .. } = grid;
        Ok(DeflectionMap { plane, horizontal, vertical, columns, maximum, worst, poses, in_plane })
    }
}
