//! Drawings to scale: lines, areas and points of a plane.

use super::axis::Axis;
use super::canvas::{self, Anchor, Canvas, TEXT, TITLE, WIDTH};
use super::chart::{Frame, Legend, Mark, Sample};

/// Width of the frame.
const FRAME_WIDTH: f64 = WIDTH - 110.0;
/// Maximum and minimum height of the frame.
const HEIGHT: f64 = 360.0;
const MIN_HEIGHT: f64 = 140.0;
/// Margin at each side, as a fraction of the larger extent.
const MARGIN: f64 = 0.06;

/// Lines, areas and points of a plane, to scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    pub(super) title: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) shapes: Vec<Shape>,
    pub(super) marks: Vec<Mark>,
    pub(super) labels: Vec<Mark>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    pub name: String,
    pub style: LineStyle,
    pub points: Vec<(f64, f64)>,
}

/// Style of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    /// A thick grey line, for links and wheels.
    Body,
    /// The colour and dashes of the k-th curve.
    Curve(usize),
    /// A closed, tinted area.
    Area,
}

impl Drawing {
    /// An empty drawing.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Drawing { title: title.into(), x, y, shapes: vec![], marks: vec![], labels: vec![] }
    }

    /// Adds a line through points. Lines of the same name have one legend entry, those without a name none.
    pub fn line(
        mut self,
        name: impl Into<String>,
        style: LineStyle,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        self.shapes.push(Shape { name: name.into(), style, points: points.into_iter().collect() });
        self
    }

    /// Adds a marked point with a legend entry.
    pub fn mark(mut self, name: impl Into<String>, x: f64, y: f64) -> Self {
        self.marks.push(Mark { name: name.into(), at: (x, y) });
        self
    }

    /// Adds a dot with a text beside it.
    pub fn label(mut self, text: impl Into<String>, x: f64, y: f64) -> Self {
        self.labels.push(Mark { name: text.into(), at: (x, y) });
        self
    }

    /// The ranges of x and y, with margins.
    pub(super) fn extent(&self) -> [(f64, f64); 2] {
        let marks = self.marks.iter().chain(&self.labels).map(|m| m.at);
        let all: Vec<(f64, f64)> = self.shapes.iter().flat_map(|s| s.points.iter().copied()).chain(marks).collect();
        let range = |of: fn(&(f64, f64)) -> f64| {
            let (low, high) = all
                .iter()
                .map(of)
                .filter(|x| x.is_finite())
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
            if low > high { (-0.5, 0.5) } else { (low, high) }
        };
        let (x, y) = (range(|p| p.0), range(|p| p.1));
        let free = match MARGIN * (x.1 - x.0).max(y.1 - y.0) {
            free if free > 0.0 => free,
            _ => 0.5,
        };
        [x, y].map(|(low, high)| (low - free, high + free))
    }

    /// The drawing as SVG.
    pub fn svg(&self) -> String {
        let mut canvas = Canvas::new();
        canvas.text(WIDTH / 2.0, 22.0, TITLE, Anchor::Middle, &self.title, WIDTH - 20.0);
        let [mut x, mut y] = self.extent();
        let scale = (FRAME_WIDTH / (x.1 - x.0)).min(HEIGHT / (y.1 - y.0));
        // Centre a drawing that does not fill the frame.
        for (range, minimum) in [(&mut x, FRAME_WIDTH), (&mut y, MIN_HEIGHT)] {
            let lacking = (minimum / scale - (range.1 - range.0)).max(0.0);
            *range = (range.0 - lacking / 2.0, range.1 + lacking / 2.0);
        }
        let (width, height) = (FRAME_WIDTH, scale * (y.1 - y.0));
        let frame = Frame { left: 70.0, top: 38.0, width, height };
        let ticks = |length: f64| (length / 60.0).clamp(2.0, 8.0) as usize;
        let across = self.x.clone().within(x.0, x.1).fit(std::iter::empty(), ticks(width), false);
        let up = self.y.clone().within(y.0, y.1).fit(std::iter::empty(), ticks(height), false);
        frame.draw(&mut canvas, (&self.x, &across), (&self.y, &up));
        let place =
            |(a, b): (f64, f64)| (frame.left + across.fraction(a) * width, frame.top + (1.0 - up.fraction(b)) * height);
        self.shapes.iter().for_each(|shape| shape.draw(&mut canvas, place));
        for label in self.labels.iter().filter(|l| finite(l.at)) {
            let (px, py) = place(label.at);
            canvas.put(format_args!("<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"4\" fill=\"#d55e00\"/>"));
            let room = frame.left + width - px - 9.0;
            let (anchor, at) = if canvas::width(&label.name, TEXT) > room {
                (Anchor::End, px - 8.0)
            } else {
                (Anchor::Start, px + 8.0)
            };
            canvas.text(at, py - 5.0, TEXT, anchor, &label.name, width);
        }
        for (k, mark) in self.marks.iter().enumerate().filter(|(_, m)| finite(m.at)) {
            let (px, py) = place(mark.at);
            canvas.symbol(k, px, py);
        }
        let bottom = self.legend().draw(&mut canvas, frame.top + height + 58.0);
        canvas.finish(&self.title, bottom)
    }

    fn legend(&self) -> Legend {
        let mut named: Vec<&Shape> = vec![];
        for shape in self.shapes.iter().filter(|s| !s.name.is_empty()) {
            if !named.iter().any(|s| s.name == shape.name) {
                named.push(shape);
            }
        }
        let sample = |s: &Shape| match s.style {
            LineStyle::Body => Sample::Body,
            LineStyle::Curve(k) => Sample::Curve(k),
            LineStyle::Area => Sample::Band,
        };
        let shapes = named.into_iter().map(|s| (sample(s), s.name.clone()));
        let marks = self.marks.iter().enumerate().map(|(k, m)| (Sample::Symbol(k), m.name.clone()));
        Legend(shapes.chain(marks).collect())
    }
}

fn finite(at: (f64, f64)) -> bool {
    at.0.is_finite() && at.1.is_finite()
}

impl Shape {
    fn draw(&self, canvas: &mut Canvas, place: impl Fn((f64, f64)) -> (f64, f64)) {
        let mut d = super::chart::path(&self.points, place);
        let attributes = match self.style {
            LineStyle::Curve(k) => canvas::stroke(k),
            LineStyle::Body => canvas::BODY.to_string(),
            LineStyle::Area => {
                d.push('z');
                "fill=\"currentColor\" fill-opacity=\"0.1\" stroke=\"currentColor\" stroke-opacity=\"0.6\"".to_string()
            }
        };
        canvas.put(format_args!("<path d=\"{d}\" {attributes}/>"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of an attribute, in the order of the elements that have it.
    fn attribute(svg: &str, name: &str) -> Vec<f64> {
        let opening = format!(" {name}=\"");
        svg.split(&opening).skip(1).filter_map(|p| p.split('"').next()?.parse().ok()).collect()
    }

    #[test]
    fn both_axes_have_the_same_scale() {
        for (wide, high) in [(1.0, 1.0), (5.0, 0.2), (0.3, 4.0)] {
            let axis = |label| Axis::new(label, "m");
            let drawing =
                Drawing::new("square", axis("x"), axis("y")).line("", LineStyle::Area, [(0.0, 0.0), (wide, high)]);
            let svg = drawing.label("a", 0.0, 0.0).label("b", wide, 0.0).label("c", 0.0, high).svg();
            let (x, y) = (attribute(&svg, "cx"), attribute(&svg, "cy"));
            let (across, up) = ((x[1] - x[0]) / wide, (y[0] - y[2]) / high);
            // Coordinates are written to a tenth of a pixel.
            assert!((across - up).abs() < 0.2 / wide.min(high) && across > 10.0, "{across} {up}");
            assert!(x.iter().all(|x| (0.0..=WIDTH).contains(x)));
        }
    }

    #[test]
    fn names_appear_once_in_the_legend_and_an_empty_drawing_is_valid() {
        let axis = || Axis::new("x", "m");
        let svg = Drawing::new("", axis(), axis())
            .line("wheel", LineStyle::Body, [(0.0, 0.0), (0.0, 1.0)])
            .line("wheel", LineStyle::Body, [(1.0, 0.0), (1.0, 1.0)])
            .mark("ZMP", 0.5, f64::NAN)
            .svg();
        assert_eq!((svg.matches(">wheel<").count(), svg.matches(">ZMP<").count()), (1, 1));
        assert!(Drawing::new("", axis(), axis()).svg().ends_with("</svg>\n"));
    }
}
