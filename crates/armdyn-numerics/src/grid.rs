//! Places of a plane in equal square cells.

/// A rectangle of cells, of which a given number spans the longer side.
pub struct Grid {
    /// From where to where the first axis goes.
    pub across: (f64, f64),
    /// And the second one.
    pub up: (f64, f64),
    /// Grid in a row.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
    size: f64,
}

impl Grid {
    /// Around all of these places.
    pub fn around(places: impl Iterator<Item = [f64; 2]> + Clone, longer: usize) -> Self {
        let range = |k: usize| {
            let none = (f64::INFINITY, f64::NEG_INFINITY);
            let ends = places.clone().fold(none, |(a, b), r| (a.min(r[k]), b.max(r[k])));
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

    /// The cell of a place `off` the plane, row after row from the bottom; none if it is farther than half a cell.
    pub fn of(&self, [a, b]: [f64; 2], off: f64) -> Option<usize> {
        let at = |x: f64, from: f64, count: usize| (((x - from) / self.size) as usize).min(count - 1);
        let k = at(b, self.up.0, self.rows) * self.columns + at(a, self.across.0, self.columns);
        (off <= self.size / 2.0).then_some(k)
    }
}

/// A plane of places, through the base's origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plane {
    /// Distance from the base's z axis, and height along it.
    Upright,
    /// x and y: places as far from the plane as half a cell.
    Xy,
    /// x and z, likewise.
    Xz,
    /// y and z, likewise.
    Yz,
}

impl Plane {
    /// What its two axes are called.
    pub fn axes(self) -> [&'static str; 2] {
        match self {
            Plane::Upright => ["distance from the axis of the base", "height"],
            Plane::Xy => ["x", "y"],
            Plane::Xz => ["x", "z"],
            Plane::Yz => ["y", "z"],
        }
    }

    /// Where a place is in it, and how far it is from it.
    pub fn place(self, p: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = p;
        match self {
            Plane::Upright => [x.hypot(y), z, 0.0],
            Plane::Xy => [x, y, z.abs()],
            Plane::Xz => [x, z, y.abs()],
            Plane::Yz => [y, z, x.abs()],
        }
    }
}
