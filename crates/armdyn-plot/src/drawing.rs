//! Drawings to scale: lines, areas and points of a plane.

use super::axis::{Axis, range};
use super::canvas::{self, Anchor, TEXT, WIDTH};
use super::figure::{Figure, Frame, Mark, Sample, finite, path};

/// Space beside the frame.
const BESIDE: f64 = 110.0;
/// Space beside a drawing without axes.
const PLAIN_BESIDE: f64 = 16.0;
/// Maximum and minimum height of the frame.
const HEIGHT: f64 = 360.0;
const MIN_HEIGHT: f64 = 140.0;
/// Margin at each side, as a fraction of the larger extent.
const MARGIN: f64 = 0.06;

/// Lines, areas and points of a plane, to scale.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Drawing {
    pub(super) figure: Figure,
    pub(super) shapes: Vec<Shape>,
    pub(super) labels: Vec<Mark>,
    /// Width in an SVG.
    width: f64,
    /// Whether it has a frame with axes.
    axes: bool,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(super) struct Shape {
    pub name: String,
    pub style: LineStyle,
    pub points: Vec<(f64, f64)>,
}

/// Style of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum LineStyle {
    /// A thick grey line, for links and wheels.
    Body,
    /// The colour and dashes of the k-th curve.
    Curve(usize),
    /// A closed, tinted area.
    Area,
    /// A thin grey line.
    Thin,
    /// A thin dashed line.
    Dashed,
    /// The axis of a frame: 0 is x, 1 is y, 2 is z.
    Axis(usize),
}

impl LineStyle {
    fn attributes(self) -> String {
        match self {
            LineStyle::Body => canvas::BODY.to_string(),
            LineStyle::Curve(k) => canvas::stroke(k),
            LineStyle::Area => canvas::AREA.to_string(),
            LineStyle::Thin => canvas::THIN.to_string(),
            LineStyle::Dashed => format!("fill=\"none\" {}", canvas::RULE),
            LineStyle::Axis(k) => canvas::axis(k),
        }
    }
}

impl Drawing {
    /// An empty drawing. Its ranges are those of the axes ([`Axis::within`]), or of its contents.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Drawing { figure: Figure::new(title, x, y), shapes: vec![], labels: vec![], width: WIDTH, axes: true }
    }

    /// The drawing with another width in an SVG \[pixels\].
    pub fn with_width(self, width: f64) -> Self {
        Drawing { width, ..self }
    }

    /// The drawing without axes, such as a projection.
    pub fn without_axes(self) -> Self {
        Drawing { axes: false, ..self }
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
        self.figure.marks.push(Mark::new(name, x, y));
        self
    }

    /// Adds a dot with a text beside it.
    pub fn label(mut self, text: impl Into<String>, x: f64, y: f64) -> Self {
        self.labels.push(Mark::new(text, x, y));
        self
    }

    /// The ranges of x and y, with margins.
    pub(super) fn extent(&self) -> [(f64, f64); 2] {
        let marks = self.figure.marks.iter().chain(&self.labels).map(|m| m.at);
        let all = self.shapes.iter().flat_map(|s| s.points.iter().copied()).chain(marks);
        let [x, y] = [range(all.clone().map(|p| p.0)), range(all.map(|p| p.1))].map(|r| r.unwrap_or((-0.5, 0.5)));
        let free = match MARGIN * (x.1 - x.0).max(y.1 - y.0) {
            free if free > 0.0 => free,
            _ => 0.5,
        };
        let given = [self.figure.x.range, self.figure.y.range];
        std::array::from_fn(|k| given[k].unwrap_or(([x, y][k].0 - free, [x, y][k].1 + free)))
    }

    /// The shapes with a name, one of each name.
    pub(super) fn named_shapes(&self) -> impl Iterator<Item = &Shape> {
        let first = |k: usize| !self.shapes[..k].iter().any(|s| s.name == self.shapes[k].name);
        self.shapes.iter().enumerate().filter(move |(k, s)| !s.name.is_empty() && first(*k)).map(|(_, s)| s)
    }

    /// The drawing as SVG.
    pub fn svg(&self) -> String {
        let (figure, mut canvas) = (&self.figure, self.figure.canvas(self.width));
        let [mut x, mut y] = self.extent();
        let frame_width = self.width - if self.axes { BESIDE } else { PLAIN_BESIDE };
        let scale = (frame_width / (x.1 - x.0)).min(HEIGHT / (y.1 - y.0));
        // Centre a drawing that does not fill the frame.
        for (range, minimum) in [(&mut x, frame_width), (&mut y, MIN_HEIGHT)] {
            let lacking = (minimum / scale - (range.1 - range.0)).max(0.0);
            *range = (range.0 - lacking / 2.0, range.1 + lacking / 2.0);
        }
        let left = if self.axes { 70.0 } else { 0.5 * PLAIN_BESIDE };
        let frame = Frame { left, top: 38.0, width: frame_width, height: scale * (y.1 - y.0) };
        let ticks = |length: f64| (length / 60.0).clamp(2.0, 8.0) as usize;
        let (x, y) = (figure.x.over(x, ticks(frame.width)), figure.y.over(y, ticks(frame.height)));
        if self.axes {
            frame.draw(&mut canvas, (&figure.x, &x), (&figure.y, &y));
        }
        let place = frame.place(&x, &y);
        frame.open(&mut canvas);
        for shape in &self.shapes {
            let end = if shape.style == LineStyle::Area { "z" } else { "" };
            let (d, attributes) = (path(&shape.points, place), shape.style.attributes());
            canvas.put(format_args!("<path d=\"{d}{end}\" {attributes}/>"));
        }
        for label in self.labels.iter().filter(|l| finite(l.at)) {
            let (px, py) = place(label.at);
            canvas.put(format_args!("<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"4\" fill=\"#d55e00\"/>"));
            let fits = canvas::width(&label.name, TEXT) <= frame.width - px - 9.0;
            let (anchor, at) = if fits { (Anchor::Start, px + 8.0) } else { (Anchor::End, px - 8.0) };
            canvas.text(at, py - 5.0, TEXT, anchor, &label.name, frame.width);
        }
        figure.draw_marks(&mut canvas, place);
        canvas.put(format_args!("</svg>"));
        let entry = |s: &'_ Shape| match s.style {
            LineStyle::Area => Sample::Fill("currentColor", 0.15),
            style => Sample::Stroke(style.attributes()),
        };
        let entries = self.named_shapes().map(|s| (entry(s), s.name.as_str().into())).collect();
        let top = if self.axes { frame.bottom() } else { frame.top + frame.height + 20.0 };
        let bottom = figure.legend(&mut canvas, top, entries);
        canvas.finish(&figure.title, bottom)
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
