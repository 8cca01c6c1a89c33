//! A drawing to scale: lines, areas and points of a plane, a metre across as long as a metre up.

use super::axis::Axis;
use super::chart::{Frame, Legend, Mark, Sample};
use super::sheet::{self, Anchor, LETTER, Sheet, TITLE, WIDTH};

/// The width of the frame.
const ACROSS: f64 = WIDTH - 110.0;
/// The greatest height of the frame, and the least.
const HEIGHT: f64 = 360.0;
const LEAST: f64 = 140.0;
/// What is left free at each side, of the larger extent.
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
    pub look: Look,
    pub points: Vec<(f64, f64)>,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A thick grey line: a robot's link, a wheel.
    Body,
    /// The k-th of several curves, by colour and dashes.
    Curve(usize),
    /// An area, closed and tinted.
    Area,
}

impl Drawing {
    /// With nothing on it as yet.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Drawing { title: title.into(), x, y, shapes: vec![], marks: vec![], labels: vec![] }
    }

    /// With a line through points; one of the same name before it shares its place in the legend, an empty name has none.
    pub fn line(mut self, name: impl Into<String>, look: Look, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.shapes.push(Shape { name: name.into(), look, points: points.into_iter().collect() });
        self
    }

    /// With a point marked, and named in the legend.
    pub fn mark(mut self, name: impl Into<String>, x: f64, y: f64) -> Self {
        self.marks.push(Mark { name: name.into(), at: (x, y) });
        self
    }

    /// With a dot and a word beside it.
    pub fn label(mut self, text: impl Into<String>, x: f64, y: f64) -> Self {
        self.labels.push(Mark { name: text.into(), at: (x, y) });
        self
    }

    /// From where to where it goes, each way.
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

    /// As SVG.
    pub fn svg(&self) -> String {
        let mut sheet = Sheet::new();
        sheet.text(WIDTH / 2.0, 22.0, TITLE, Anchor::Middle, &self.title, WIDTH - 20.0);
        let [mut x, mut y] = self.extent();
        let scale = (ACROSS / (x.1 - x.0)).min(HEIGHT / (y.1 - y.0));
        // What does not fill the frame gets room beside it.
        for (range, least) in [(&mut x, ACROSS), (&mut y, LEAST)] {
            let lacking = (least / scale - (range.1 - range.0)).max(0.0);
            *range = (range.0 - lacking / 2.0, range.1 + lacking / 2.0);
        }
        let (width, height) = (ACROSS, scale * (y.1 - y.0));
        let frame = Frame { left: 70.0, top: 38.0, width, height };
        let ticks = |length: f64| (length / 60.0).clamp(2.0, 8.0) as usize;
        let across = self.x.clone().within(x.0, x.1).fit(std::iter::empty(), ticks(width), false);
        let up = self.y.clone().within(y.0, y.1).fit(std::iter::empty(), ticks(height), false);
        frame.draw(&mut sheet, (&self.x, &across), (&self.y, &up));
        let place =
            |(a, b): (f64, f64)| (frame.left + across.share(a) * width, frame.top + (1.0 - up.share(b)) * height);
        self.shapes.iter().for_each(|shape| shape.draw(&mut sheet, place));
        for label in self.labels.iter().filter(|l| finite(l.at)) {
            let (px, py) = place(label.at);
            sheet.put(format_args!("<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"4\" fill=\"#d55e00\"/>"));
            let room = frame.left + width - px - 9.0;
            let (anchor, at) = if sheet::width(&label.name, LETTER) > room {
                (Anchor::End, px - 8.0)
            } else {
                (Anchor::Start, px + 8.0)
            };
            sheet.text(at, py - 5.0, LETTER, anchor, &label.name, width);
        }
        for (k, mark) in self.marks.iter().enumerate().filter(|(_, m)| finite(m.at)) {
            let (px, py) = place(mark.at);
            sheet.symbol(k, px, py);
        }
        let bottom = self.legend().draw(&mut sheet, frame.top + height + 58.0);
        sheet.finish(&self.title, bottom)
    }

    fn legend(&self) -> Legend {
        let mut named: Vec<&Shape> = vec![];
        for shape in self.shapes.iter().filter(|s| !s.name.is_empty()) {
            if !named.iter().any(|s| s.name == shape.name) {
                named.push(shape);
            }
        }
        let sample = |s: &Shape| match s.look {
            Look::Body => Sample::Body,
            Look::Curve(k) => Sample::Curve(k),
            Look::Area => Sample::Band,
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
    fn draw(&self, sheet: &mut Sheet, place: impl Fn((f64, f64)) -> (f64, f64)) {
        let mut d = super::chart::path(&self.points, place);
        let look = match self.look {
            Look::Curve(k) => sheet::stroke(k),
            Look::Body => sheet::BODY.to_string(),
            Look::Area => {
                d.push('z');
                "fill=\"currentColor\" fill-opacity=\"0.1\" stroke=\"currentColor\" stroke-opacity=\"0.6\"".to_string()
            }
        };
        sheet.put(format_args!("<path d=\"{d}\" {look}/>"));
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
    fn a_metre_across_is_as_long_as_a_metre_up() {
        for (wide, high) in [(1.0, 1.0), (5.0, 0.2), (0.3, 4.0)] {
            let axis = |label| Axis::new(label, "m");
            let drawing = Drawing::new("square", axis("x"), axis("y")).line("", Look::Area, [(0.0, 0.0), (wide, high)]);
            let svg = drawing.label("a", 0.0, 0.0).label("b", wide, 0.0).label("c", 0.0, high).svg();
            let (x, y) = (attribute(&svg, "cx"), attribute(&svg, "cy"));
            let (across, up) = ((x[1] - x[0]) / wide, (y[0] - y[2]) / high);
            // Places are written to a tenth of a pixel.
            assert!((across - up).abs() < 0.2 / wide.min(high) && across > 10.0, "{across} {up}");
            assert!(x.iter().all(|x| (0.0..=WIDTH).contains(x)));
        }
    }

    #[test]
    fn one_name_stands_once_in_the_legend_and_nothing_is_a_picture_too() {
        let axis = || Axis::new("x", "m");
        let svg = Drawing::new("", axis(), axis())
            .line("wheel", Look::Body, [(0.0, 0.0), (0.0, 1.0)])
            .line("wheel", Look::Body, [(1.0, 0.0), (1.0, 1.0)])
            .mark("ZMP", 0.5, f64::NAN)
            .svg();
        assert_eq!((svg.matches(">wheel<").count(), svg.matches(">ZMP<").count()), (1, 1));
        assert!(Drawing::new("", axis(), axis()).svg().ends_with("</svg>\n"));
    }
}
