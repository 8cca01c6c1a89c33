//! How far the tool sags where: its displacement at rest, at each place that it reaches.

use super::loads::Loading;
use super::structure::Structure;
use super::{Displacement, Modes};
use armdyn_core::{Force, Progress, Vec3};
use armdyn_numerics::{Grid, JointRanges, Plane, QuasiRandom, Result, parallel_ordered};
use armdyn_plot::{Axis, Map};

/// The tool's displacement at the cells of a plane \[m\].
#[derive(Clone, Debug)]
pub struct DeflectionMap {
    /// The plane.
    pub plane: Plane,
    /// From where to where its first axis goes \[m\].
    pub across: (f64, f64),
    /// And the second one.
    pub up: (f64, f64),
    /// Grid in a row.
    pub columns: usize,
    /// The greatest displacement of the poses that reach a cell, row after row from the bottom; NaN where none does.
    pub greatest: Vec<f64>,
    /// The greatest of all that were looked at, and its pose.
    pub worst: (Displacement, Vec<f64>),
    /// How many poses were looked at.
    pub poses: usize,
    /// How many of them lie in the plane.
    pub in_plane: usize,
}

impl Structure {
    /// Of `count` poses of a region, with a wrench on the tool in the base's axes, in cells of which `columns` span the
    /// longer side.
    pub fn deflection_map(
        &self,
        region: &JointRanges,
        on_tool: Force<f64>,
        modes: &Modes,
        plane: Plane,
        (count, seed, columns): (usize, u64, usize),
        progress: &Progress,
    ) -> Result<DeflectionMap> {
        let spread = QuasiRandom::new(region, seed);
        let nv = self.model.nv();
        let at = |k: usize| Loading { on_tool, ..Loading::at_rest(&spread.point(k), nv) };
        let fill = |_: &mut (), k: usize, row: &mut [f64]| {
            let found = self.deflect(&at(k), modes)?;
            let [a, b, off] = plane.project(found.tool_at.to_array());
            row.copy_from_slice(&[a, b, off, found.tool.shift.norm()]);
            Ok(())
        };
        let mut all: Vec<[f64; 4]> = vec![];
        let keep = |_: usize, rows: &[f64]| all.extend(rows.chunks(4).map(|r| [r[0], r[1], r[2], r[3]]));
        let poses = parallel_ordered(count, 4, "deflection", progress, || (), fill, keep)?;
        let none = Displacement { shift: Vec3::zero(), turn: Vec3::zero() };
        let worst = match (0..all.len()).max_by(|a, b| all[*a][3].total_cmp(&all[*b][3])) {
            Some(k) => (self.deflect(&at(k), modes)?.tool, spread.point(k)),
            None => (none, vec![]),
        };
        let cells = Grid::around(all.iter().map(|r| [r[0], r[1]]), columns);
        let mut greatest = vec![f64::NAN; cells.columns * cells.rows];
        let mut in_plane = 0;
        for [a, b, off, shift] in all {
            let Some(k) = cells.of([a, b], off) else { continue };
            in_plane += 1;
            greatest[k] = shift.max(greatest[k]);
        }
        let Grid { across, up, columns, .. } = cells;
        Ok(DeflectionMap { plane, across, up, columns, greatest, worst, poses, in_plane })
    }
}

impl DeflectionMap {
    /// As a picture, in millimetres.
    pub fn picture(&self, title: &str) -> Map {
        let [a, b] = self.plane.axes();
        let axis = |name: &str, (low, high): (f64, f64)| Axis::new(name, "m").within(low, high);
        let shown = self.greatest.iter().map(|x| x * 1e3).collect();
        let value = Axis::new("displacement of the tool", "mm");
        Map::new(title, axis(a, self.across), axis(b, self.up), value, self.columns, shown)
    }
}
