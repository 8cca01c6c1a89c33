//! What charts, maps and drawings have in common: title, axes, plot area, marked points and legend.

use super::axis::{Axis, Scale};
use super::canvas::{self, Anchor, Canvas, LINE, TEXT, TITLE};
use std::borrow::Cow;

/// Title, axes and marked points.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(super) struct Figure {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub marks: Vec<Mark>,
}

/// A point with a name.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(super) struct Mark {
    pub name: String,
    pub at: (f64, f64),
}

impl Mark {
    pub fn new(name: impl Into<String>, x: f64, y: f64) -> Self {
        Mark { name: name.into(), at: (x, y) }
    }
}

pub(super) fn finite(at: (f64, f64)) -> bool {
    at.0.is_finite() && at.1.is_finite()
}

impl Figure {
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Figure { title: title.into(), x, y, marks: vec![] }
    }

    /// A canvas with the title.
    pub fn canvas(&self, width: f64) -> Canvas {
        self.canvas_with_title(width, TITLE)
    }

    /// A canvas with a title of this font size.
    pub fn canvas_with_title(&self, width: f64, size: f64) -> Canvas {
        let mut canvas = Canvas::new(width);
        canvas.text(width / 2.0, 22.0, size, Anchor::Middle, &self.title, width - 20.0);
        canvas
    }

    /// Draws the marked points.
    pub fn draw_marks(&self, canvas: &mut Canvas, place: impl Fn((f64, f64)) -> (f64, f64)) {
        for (k, mark) in self.marks.iter().enumerate().filter(|(_, m)| finite(m.at)) {
            let (x, y) = place(mark.at);
            canvas.symbol(k, x, y);
        }
    }

    /// The SVG with a legend of entries and marked points below a frame.
    pub fn finish(&self, mut canvas: Canvas, frame: &Frame, entries: Vec<Entry>) -> String {
        let bottom = self.legend(&mut canvas, frame.bottom(), entries);
        canvas.finish(&self.title, bottom)
    }

    /// Draws a legend of entries and marked points from `top` downward; returns its bottom.
    pub fn legend(&self, canvas: &mut Canvas, top: f64, entries: Vec<Entry>) -> f64 {
        let marks = self.marks.iter().enumerate().map(|(k, m)| (Sample::Symbol(k), Cow::from(m.name.as_str())));
        legend(canvas, top, entries.into_iter().chain(marks))
    }
}

/// An entry of a legend.
pub(super) type Entry<'a> = (Sample, Cow<'a, str>);

/// Three significant digits.
pub(super) fn short(x: f64) -> String {
    let digits = if x == 0.0 { 0 } else { (2 - x.abs().log10().floor() as i32).clamp(0, 6) as usize };
    format!("{x:.digits$}").replace('-', "−")
}

/// The frame of two axes.
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

const GRID_LINE: &str = " stroke-opacity=\"0.14\"";

impl Frame {
    /// Where a legend begins below the labels of the x axis.
    pub fn bottom(&self) -> f64 {
        self.top + self.height + 58.0
    }

    /// Draws grid lines, ticks and labels.
    pub fn draw(&self, canvas: &mut Canvas, x: (&Axis, &Scale), y: (&Axis, &Scale)) {
        let &Frame { left, top, width, height } = self;
        let (right, bottom) = (left + width, top + height);
        self.draw_x_axis(canvas, x);
        for (tick, label) in y.1.ticks.iter().zip(&y.1.labels) {
            let at = bottom - y.1.fraction(*tick) * height;
            canvas.line((left, at), (right, at), GRID_LINE);
            canvas.text(left - 7.0, at + 4.0, TEXT, Anchor::End, label, left);
        }
        canvas.vertical_text(16.0, top + height / 2.0, &y.0.name(y.1.exponent), height + 40.0);
        let outline = "fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.6\"";
        canvas.rect((left, top), (width, height), outline);
    }

    /// Draws the x axis with its grid lines.
    pub fn draw_x_axis(&self, canvas: &mut Canvas, (axis, scale): (&Axis, &Scale)) {
        let &Frame { left, top, width, height } = self;
        let bottom = top + height;
        for (tick, label) in scale.ticks.iter().zip(&scale.labels) {
            let at = left + scale.fraction(*tick) * width;
            canvas.line((at, top), (at, bottom), GRID_LINE);
            canvas.text(at, bottom + 17.0, TEXT, Anchor::Middle, label, width);
        }
        canvas.text(left + width / 2.0, bottom + 36.0, TEXT, Anchor::Middle, &axis.name(scale.exponent), width + 80.0);
    }

    /// Opens the plot area, which clips its content; its origin is the upper left corner of the frame.
    pub fn open(&self, canvas: &mut Canvas) {
        let Frame { left, top, width, height } = self;
        canvas.put(format_args!("<svg x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\">"));
    }

    /// The place of a point in the plot area.
    pub fn place(&self, x: &Scale, y: &Scale) -> impl Fn((f64, f64)) -> (f64, f64) + Copy {
        move |(a, b)| (x.fraction(a) * self.width, (1.0 - y.fraction(b)) * self.height)
    }
}

/// The sample of a legend entry.
pub(super) enum Sample {
    /// A line with attributes.
    Stroke(String),
    /// A rectangle with a colour and an opacity.
    Fill(&'static str, f64),
    /// The symbol of the k-th marked point.
    Symbol(usize),
    /// A dot with a colour.
    Dot(&'static str),
    /// The line of the k-th event, with its letter.
    Event(usize),
}

/// The letter of the k-th event.
pub(super) fn event_letter(k: usize) -> char {
    (b'A' + (k % 26) as u8) as char
}

/// Draws a legend from `y` downward; returns the bottom.
pub(super) fn legend<'a>(canvas: &mut Canvas, mut y: f64, entries: impl Iterator<Item = Entry<'a>>) -> f64 {
    const SAMPLE: f64 = 34.0;
    const GAP: f64 = 16.0;
    let (mut x, wide, start) = (GAP, canvas.width, y - 6.0);
    let room = wide - 2.0 * GAP - SAMPLE;
    for (sample, name) in entries {
        let own = SAMPLE + canvas::width(&name, TEXT).min(room);
        if x + own > wide - GAP && x > GAP {
            (x, y) = (GAP, y + LINE);
        }
        let (middle, end) = (y - 4.0, x + SAMPLE - 7.0);
        match sample {
            Sample::Stroke(line) => canvas.put(format_args!("<path d=\"M{x:.1} {middle:.1}H{end:.1}\" {line}/>")),
            Sample::Fill(colour, opacity) => {
                let fill = format!("fill=\"{colour}\" fill-opacity=\"{opacity}\"");
                canvas.rect((x, middle - 5.0), (end - x, 10.0), &fill);
            }
            Sample::Symbol(k) => canvas.symbol(k, (x + end) / 2.0, middle),
            Sample::Dot(colour) => canvas.dot(colour, ((x + end) / 2.0, middle)),
            Sample::Event(k) => {
                canvas.put(format_args!("<path d=\"M{:.1} {middle:.1}H{end:.1}\" {}/>", x + 12.0, canvas::event(k)));
                canvas.text(x, y, TEXT, Anchor::Start, &event_letter(k).to_string(), SAMPLE);
            }
        }
        canvas.text(x + SAMPLE, y, TEXT, Anchor::Start, &name, room);
        x += own + GAP;
    }
    if x == GAP { start } else { y + 14.0 }
}

/// A path through points, interrupted where one is not finite.
pub(super) fn path(points: &[(f64, f64)], place: impl Fn((f64, f64)) -> (f64, f64)) -> String {
    let mut d = String::new();
    for run in points.chunk_by(|a, b| finite(*a) && finite(*b)).filter(|run| finite(run[0])) {
        for (k, &point) in run.iter().enumerate() {
            // Coordinates far outside would be long numbers.
            let (x, y) = place(point);
            let (x, y) = (x.clamp(-1e5, 1e5), y.clamp(-1e5, 1e5));
            d += &format!("{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
        }
        // A single point is a dot.
        d += if run.len() == 1 { "h0.01" } else { "" };
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_interrupts_a_curve() {
        let points = [(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 0.0), (f64::NAN, 0.0), (5.0, 1.0)];
        assert_eq!(path(&points, |p| p), "M0.0 1.0L1.0 2.0M3.0 1.0L4.0 0.0M5.0 1.0h0.01");
    }
}
