//! A grid of equal square cells in a plane.

/// A rectangle of square cells.
pub struct Grid {
    /// Range of the first axis.
    pub across: (f64, f64),
    /// Range of the second axis.
    pub up: (f64, f64),
    /// Cells in a row.
    pub columns: usize,
    /// Number of rows.
    pub rows: usize,
    size: f64,
}

impl Grid {
    /// The grid that covers all points, with `longer` cells along its longer side.
    pub fn around(points: impl Iterator<Item = [f64; 2]> + Clone, longer: usize) -> Self {
        let range = |k: usize| {
            let none = (f64::INFINITY, f64::NEG_INFINITY);
            let ends = points.clone().fold(none, |(a, b), r| (a.min(r[k]), b.max(r[k])));
            if ends.0 <= ends.1 { ends } else { (0.0, 0.0) }
        };
        let (across, up) = (range(0), range(1));
        let wide = (across.1 - across.0).max(up.1 - up.0).max(1e-9);
        let size = wide / longer.max(1) as f64;
        let cells = |(a, b): (f64, f64)| (((b - a) / size - 1e-9).ceil() as usize).max(1);
        let (columns, rows) = (cells(across), cells(up));
        let end = |from: f64, count: usize| (from, from + count as f64 * size);
        Grid { across: end(across.0, columns), up: end(up.0, rows), columns, rows, size }
    }

    /// The cell of a point, row by row from the bottom.
    pub fn cell(&self, [a, b]: [f64; 2]) -> usize {
        let at = |x: f64, from: f64, count: usize| (((x - from) / self.size) as usize).min(count - 1);
        at(b, self.up.0, self.rows) * self.columns + at(a, self.across.0, self.columns)
    }

    /// The cell of a point at a distance `off` from the plane; none beyond half a cell.
    pub fn near(&self, at: [f64; 2], off: f64) -> Option<usize> {
        (off <= self.size / 2.0).then(|| self.cell(at))
    }
}

/// A plane through the origin of the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Plane {
    /// Distance from the z axis of the base, and height.
    Rz,
    /// x and y.
    Xy,
    /// x and z.
    Xz,
    /// y and z.
    Yz,
}

impl Plane {
    /// Names of its two axes.
    pub fn axes(self) -> [&'static str; 2] {
        match self {
            Plane::Rz => ["distance from the z axis", "height"],
            Plane::Xy => ["x", "y"],
            Plane::Xz => ["x", "z"],
            Plane::Yz => ["y", "z"],
        }
    }

    /// The two coordinates of a point in the plane, and its distance from the plane.
    pub fn project(self, p: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = p;
        match self {
            Plane::Rz => [x.hypot(y), z, 0.0],
            Plane::Xy => [x, y, z.abs()],
            Plane::Xz => [x, z, y.abs()],
            Plane::Yz => [y, z, x.abs()],
        }
    }
}
