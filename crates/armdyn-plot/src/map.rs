//! A heat map: a value at each cell of a plane.

use super::axis::{Axis, Scale};
use super::canvas::{self, Anchor, Canvas, TEXT, TITLE, WIDTH};
use super::figure::{Figure, Frame, Mark, Sample, path};
use std::collections::BTreeMap;

/// Minimum width of a map.
const MIN_WIDTH: f64 = 360.0;
/// Shades of the colour bar.
const SHADES: usize = 64;
/// Maps with fewer cells along their longer side are drawn as they are; others are interpolated to about this many.
const COARSE: usize = 12;
const FINE: usize = 150;
/// Overlap of neighbouring rectangles \[pixels\].
const OVERLAP: f64 = 0.3;

/// viridis (van der Walt and Smith 2015), at equal steps.
const VIRIDIS: [[f64; 3]; 11] = [
    [68.0, 1.0, 84.0],
    [72.0, 36.0, 117.0],
    [65.0, 68.0, 135.0],
    [53.0, 95.0, 141.0],
    [42.0, 120.0, 142.0],
    [33.0, 145.0, 140.0],
    [34.0, 168.0, 132.0],
    [68.0, 191.0, 112.0],
    [122.0, 209.0, 81.0],
    [189.0, 223.0, 38.0],
    [253.0, 231.0, 37.0],
];

/// A value for each cell of a rectangle; NaN cells are empty.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Map {
    pub(super) figure: Figure,
    pub(super) value: Axis,
    pub(super) columns: usize,
    pub(super) cells: Vec<f64>,
    pub(super) outlines: Vec<(String, Vec<(f64, f64)>)>,
}

impl Map {
    /// A map of cells, row by row from the bottom, `columns` in a row. The ranges of `x` and `y` ([`Axis::within`]) are the
    /// outer edges of the cells; by default from 0 to the number of cells.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis, value: Axis, columns: usize, cells: Vec<f64>) -> Self {
        let columns = columns.max(1);
        let rows = cells.len().div_ceil(columns).max(1);
        let ranged = |axis: Axis, count: usize| Axis { range: axis.range.or(Some((0.0, count as f64))), ..axis };
        let figure = Figure::new(title, ranged(x, columns), ranged(y, rows));
        Map { figure, value, columns, cells, outlines: vec![] }
    }

    /// Adds an outline, such as the workspace boundary.
    pub fn outline(mut self, name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.outlines.push((name.into(), points.into_iter().collect()));
        self
    }

    /// Adds a marked point.
    pub fn mark(mut self, name: impl Into<String>, x: f64, y: f64) -> Self {
        self.figure.marks.push(Mark::new(name, x, y));
        self
    }

    pub(super) fn rows(&self) -> usize {
        self.cells.len().div_ceil(self.columns)
    }

    /// The scales of the axes and the colour bar, with about this many ticks.
    pub(super) fn scales(&self, count: usize) -> [Scale; 3] {
        let [x, y] = [&self.figure.x, &self.figure.y].map(|axis| axis.fit([].into_iter(), count, false));
        [x, y, self.value.fit(self.cells.iter().copied(), count, false)]
    }

    /// The map as SVG, to scale if both axes have the same unit.
    pub fn svg(&self) -> String {
        let (figure, [x, y, value]) = (&self.figure, self.scales(6));
        let (left, bar) = (y.label_width() + 40.0, value.label_width() + 64.0);
        let (mut width, mut height) = (WIDTH - left - bar - 24.0, 380.0);
        if figure.x.unit == figure.y.unit {
            let ratio = (y.high - y.low) / (x.high - x.low);
            (width, height) = if width * ratio > 520.0 { (520.0 / ratio, 520.0) } else { (width, width * ratio) };
            (width, height) = (width.max(120.0), height.max(120.0));
        }
        // A tall map is only as wide as itself and its title.
        let whole = left + width + bar + 24.0;
        let wide = whole.max(canvas::width(&figure.title, TITLE) + 20.0).clamp(MIN_WIDTH, WIDTH);
        let mut canvas = figure.canvas(wide);
        canvas.put(format_args!("<g transform=\"translate({:.1} 0)\">", 0.5 * (wide - whole).max(0.0)));
        let frame = Frame { left, top: 38.0, width, height };
        let place = frame.place(&x, &y);
        frame.open(&mut canvas);
        self.paint(&mut canvas, &value, width, height);
        for (k, (_, points)) in self.outlines.iter().enumerate() {
            canvas.put(format_args!("<path d=\"{}\" {}/>", path(points, place), outline(k)));
        }
        figure.draw_marks(&mut canvas, place);
        canvas.put(format_args!("</svg>"));
        frame.draw(&mut canvas, (&figure.x, &x), (&figure.y, &y));
        colour_bar(&mut canvas, &frame, (&self.value, &value));
        canvas.put(format_args!("</g>"));
        let lines = self.outlines.iter().enumerate().map(|(k, o)| (Sample::Stroke(outline(k)), o.0.as_str().into()));
        figure.finish(canvas, &frame, lines.collect())
    }

    /// The cells on a finer grid, and their number in a row: bilinear between the centres of cells, of those with a value; empty
    /// where empty cells have more weight.
    fn refined(&self) -> (usize, Vec<f64>) {
        let (columns, rows) = (self.columns, self.rows());
        let longer = columns.max(rows);
        let factor = if longer < COARSE { 1 } else { (FINE / longer).max(1) };
        // The two cells around a fine one, and their weights.
        let around = |fine: usize, count: usize| {
            let at = ((fine as f64 + 0.5) / factor as f64 - 0.5).clamp(0.0, (count - 1) as f64);
            let first = at.floor() as usize;
            [(first, 1.0 - at + first as f64), ((first + 1).min(count - 1), at - first as f64)]
        };
        let value = |k: usize| {
            let (across, up) = (around(k % (factor * columns), columns), around(k / (factor * columns), rows));
            let (mut sum, mut weight) = (0.0, 0.0);
            for ((i, u), (j, v)) in across.into_iter().flat_map(|a| up.map(|b| (a, b))) {
                if let Some(x) = self.cells.get(j * columns + i).filter(|x| x.is_finite() && u * v > 0.0) {
                    (sum, weight) = (sum + u * v * x, weight + u * v);
                }
            }
            if weight >= 0.5 { sum / weight } else { f64::NAN }
        };
        (factor * columns, (0..factor * factor * columns * rows).map(value).collect())
    }

    /// Draws the cells: one path per shade, one rectangle per run of equal shades.
    fn paint(&self, canvas: &mut Canvas, value: &Scale, width: f64, height: f64) {
        let (columns, cells) = self.refined();
        let rows = cells.len().div_ceil(columns);
        let (w, h) = (width / columns as f64, height / rows.max(1) as f64);
        let shade = |v: f64| {
            v.is_finite().then(|| ((value.fraction(v).clamp(0.0, 1.0) * SHADES as f64) as usize).min(SHADES - 1))
        };
        let mut paths: BTreeMap<usize, String> = BTreeMap::new();
        for (r, row) in cells.chunks(columns).enumerate() {
            let mut at = 0;
            for run in row.chunk_by(|a, b| shade(*a) == shade(*b)) {
                if let Some(k) = shade(run[0]) {
                    // Neighbours overlap, to leave no seam.
                    let (x, y) = (at as f64 * w, (rows - 1 - r) as f64 * h);
                    let (right, bottom) = ((at + run.len()) as f64 * w + OVERLAP, (rows - r) as f64 * h + OVERLAP);
                    *paths.entry(k).or_default() += &format!("M{x:.1} {y:.1}H{right:.1}V{bottom:.1}H{x:.1}z");
                }
                at += run.len();
            }
        }
        for (k, d) in paths {
            let fill = tint((k as f64 + 0.5) / SHADES as f64);
            canvas.put(format_args!("<path d=\"{d}\" fill=\"{fill}\" shape-rendering=\"crispEdges\"/>"));
        }
    }
}

/// The extremum (`f64::min` or `f64::max`) over each cell with a value and its neighbours: of sampled extrema, the extremum of
/// more samples, without the noise of single cells. Empty cells stay empty.
pub fn of_neighbours(cells: &[f64], columns: usize, extremum: fn(f64, f64) -> f64) -> Vec<f64> {
    let columns = columns.max(1);
    let around = |k: usize, count: usize| k.saturating_sub(1)..(k + 2).min(count);
    let one = |k: usize| {
        let (i, j) = (k % columns, k / columns);
        let rows = around(j, cells.len() / columns);
        let all = rows.flat_map(|j| around(i, columns).map(move |i| cells[j * columns + i]));
        // `min` and `max` ignore NaN.
        if cells[k].is_nan() { f64::NAN } else { all.fold(cells[k], extremum) }
    };
    (0..cells.len()).map(one).collect()
}

/// Attributes of the k-th outline.
fn outline(k: usize) -> String {
    let dash = ["", " stroke-dasharray=\"7 3\"", " stroke-dasharray=\"2 3\""][k % 3];
    format!("fill=\"none\" stroke=\"#d55e00\" stroke-width=\"2\"{dash}")
}

/// The viridis colour of a value from 0 to 1.
fn tint(value: f64) -> String {
    let at = value.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let k = (at as usize).min(VIRIDIS.len() - 2);
    let part = |c: usize| (VIRIDIS[k][c] + (VIRIDIS[k + 1][c] - VIRIDIS[k][c]) * (at - k as f64)).round() as u8;
    format!("#{:02x}{:02x}{:02x}", part(0), part(1), part(2))
}

fn colour_bar(canvas: &mut Canvas, frame: &Frame, (axis, scale): (&Axis, &Scale)) {
    let (x, step) = (frame.left + frame.width + 16.0, frame.height / SHADES as f64);
    for k in 0..SHADES {
        let fill = tint((k as f64 + 0.5) / SHADES as f64);
        let y = frame.top + frame.height - (k + 1) as f64 * step;
        // Rectangles overlap, to leave no seam.
        let tall = if k == 0 { step } else { step + 0.5 };
        canvas.put(format_args!("<rect x=\"{x:.1}\" y=\"{y:.2}\" width=\"14\" height=\"{tall:.2}\" fill=\"{fill}\"/>"));
    }
    for (tick, label) in scale.ticks.iter().zip(&scale.labels) {
        let y = frame.top + frame.height * (1.0 - scale.fraction(*tick));
        canvas.line((x + 14.0, y), (x + 18.0, y), "");
        canvas.text(x + 21.0, y + 4.0, TEXT, Anchor::Start, label, 100.0);
    }
    let (x, middle) = (x + 39.0 + scale.label_width(), frame.top + frame.height / 2.0);
    canvas.vertical_text(x, middle, &axis.name(scale.exponent), frame.height + 40.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finite_cells_are_painted() {
        let cells = vec![0.0, 0.0, f64::NAN, 1.0, 1.0, 0.0];
        let axis = |name: &str| Axis::new(name, "m").within(0.0, 1.0);
        let map = Map::new("map", axis("x"), axis("y"), Axis::new("load", "kg"), 3, cells).mark("base", 0.5, 0.5);
        let svg = map.svg();
        let painted: Vec<&str> = svg.lines().filter(|l| l.contains("crispEdges")).collect();
        // Two shades, each of two runs: 0 0 | NaN, 1 1 | 0.
        assert_eq!(painted.len(), 2);
        assert!(painted.iter().all(|l| l.contains(&tint(0.5 / 64.0)) || l.contains(&tint(63.5 / 64.0))));
        assert_eq!(painted.iter().map(|l| l.matches('M').count()).collect::<Vec<_>>(), [2, 1]);
        assert!(svg.contains("load [kg]") && svg.contains("base"));
        roxmltree::Document::parse(&svg).unwrap();
    }

    /// Between the centres of cells a linear field is linear; an empty cell stays empty at its centre.
    #[test]
    fn maps_are_smooth() {
        let (n, hole) = (20, 7 * 20 + 9);
        let mut cells: Vec<f64> = (0..n * n).map(|k| (k % n) as f64 + 10.0 * (k / n) as f64).collect();
        cells[hole] = f64::NAN;
        let map = Map::new("", Axis::new("x", "m"), Axis::new("y", "m"), Axis::new("", ""), n, cells);
        let (columns, fine) = map.refined();
        let factor = columns / n;
        assert!(factor >= 4 && fine.len() == factor * factor * n * n);
        assert!(fine[(7 * factor + factor / 2) * columns + 9 * factor + factor / 2].is_nan());
        let (mut empty, mut checked) = (0, 0);
        for (k, value) in fine.iter().enumerate() {
            let at = |k: usize| (k as f64 + 0.5) / factor as f64 - 0.5;
            let (x, y) = (at(k % columns), at(k / columns));
            let inside = |x: f64| x >= 0.0 && x <= (n - 1) as f64;
            empty += usize::from(value.is_nan());
            if inside(x) && inside(y) && (x - 9.0).abs().max((y - 7.0).abs()) > 1.5 {
                assert!((value - (x + 10.0 * y)).abs() < 1e-11, "{value} at {x}, {y}");
                checked += 1;
            }
        }
        assert!((1..=factor * factor).contains(&empty) && checked > fine.len() / 2, "{empty} {checked}");
    }

    #[test]
    fn neighbours_are_those_of_the_eight_sides() {
        let nan = f64::NAN;
        let cells = [5.0, 4.0, 9.0, nan, 8.0, 7.0, 6.0, 3.0, 2.0];
        let text = |cells: Vec<f64>| cells.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(text(of_neighbours(&cells, 3, f64::min)), "4 4 4 NaN 2 2 3 2 2");
        assert_eq!(text(of_neighbours(&cells, 3, f64::max)), "8 9 9 NaN 9 9 8 8 8");
    }

    /// A tall map is as wide as its axis, cells and colour bar.
    #[test]
    fn the_width_fits_the_map() {
        for (high, widest) in [(3.0, 420.0), (0.5, WIDTH)] {
            let axis = |name: &str, high: f64| Axis::new(name, "m").within(0.0, high);
            let map = Map::new("map", axis("x", 1.0), axis("y", high), Axis::new("load", "kg"), 1, vec![1.0, 2.0]);
            let svg = map.svg();
            let number = |from: &str, s: &str| s.split(from).nth(1).unwrap().split('"').next().unwrap().parse::<f64>();
            let wide = number(" width=\"", &svg).unwrap();
            assert!(wide <= widest && wide >= 0.8 * widest, "{wide}");
            let bar = svg.lines().rfind(|l| l.starts_with("<rect") && l.contains("width=\"14\"")).unwrap();
            let shift = svg.split("translate(").nth(1).unwrap().split(' ').next().unwrap().parse::<f64>().unwrap();
            let end = number(" x=\"", bar).unwrap() + shift + 14.0;
            assert!(end < wide - 40.0 && end > wide - 120.0, "{end} of {wide}");
        }
    }

    #[test]
    fn the_ends_of_the_colours_are_viridis() {
        assert_eq!((tint(0.0).as_str(), tint(1.0).as_str()), ("#440154", "#fde725"));
    }

    #[test]
    fn an_empty_map_is_valid() {
        let axis = || Axis::new("x", "m");
        for cells in [vec![], vec![f64::NAN; 6], vec![2.0; 4]] {
            assert!(Map::new("", axis(), axis(), axis(), 2, cells).svg().ends_with("</svg>\n"));
        }
    }
}
