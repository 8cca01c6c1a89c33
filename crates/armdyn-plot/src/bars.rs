//! Horizontal bar charts.

use super::axis::{Axis, Scale};
use super::canvas::{self, Anchor, Canvas, TEXT, WIDTH};
use super::figure::{Entry, Frame, Sample};

/// Groups of bars, with one bar of each series.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(super) struct Bars {
    pub groups: Vec<String>,
    pub series: Vec<(String, Vec<f64>)>,
    pub stacked: bool,
}

impl Bars {
    /// The value of a bar; 0 if missing.
    pub fn value(&self, series: usize, group: usize) -> f64 {
        self.series[series].1.get(group).copied().filter(|v| v.is_finite()).unwrap_or(0.0)
    }

    /// The scale of the values, including 0.
    pub fn scale(&self, axis: &Axis, count: usize) -> Scale {
        let groups = 0..self.groups.len();
        let one = |g: usize| (0..self.series.len()).map(move |s| self.value(s, g));
        let ends: Vec<f64> = if self.stacked {
            let sum = |g: usize, sign: f64| one(g).map(|v| (v * sign).max(0.0)).sum::<f64>() * sign;
            groups.flat_map(|g| [sum(g, 1.0), sum(g, -1.0)]).collect()
        } else {
            groups.flat_map(one).collect()
        };
        axis.fit(ends.into_iter().chain([0.0]), count, true)
    }

    /// Draws axis and bars; returns the frame.
    pub fn draw(&self, canvas: &mut Canvas, axis: &Axis) -> Frame {
        const THICKNESS: f64 = 11.0;
        let scale = self.scale(axis, 8);
        let each = if self.stacked { 22.0 } else { THICKNESS * self.series.len().max(1) as f64 + 10.0 };
        let widest = self.groups.iter().map(|g| canvas::width(g, TEXT)).fold(0.0, f64::max).min(0.35 * WIDTH);
        let height = each * self.groups.len().max(1) as f64 + 6.0;
        let frame = Frame { left: widest + 24.0, top: 38.0, width: WIDTH - widest - 48.0, height };
        frame.draw_x_axis(canvas, (axis, &scale));
        let place = |v: f64| frame.left + scale.fraction(v) * frame.width;
        for (g, name) in self.groups.iter().enumerate() {
            let top = frame.top + 3.0 + each * g as f64;
            canvas.text(frame.left - 8.0, top + each / 2.0 + 4.0, TEXT, Anchor::End, name, widest);
            // The ends of the stacked bars so far, below and above 0.
            let mut ends = [0.0; 2];
            for s in 0..self.series.len() {
                let value = self.value(s, g);
                let end = &mut ends[usize::from(value >= 0.0)];
                let (from, y, thickness) = match self.stacked {
                    true => (*end, top + 4.0, each - 8.0),
                    false => (0.0, top + 5.0 + THICKNESS * s as f64, THICKNESS - 1.0),
                };
                *end += value;
                let (a, b) = (place(from), place(from + value));
                let fill = format!("fill=\"{}\"", canvas::colour(s));
                canvas.rect((a.min(b), y), ((a - b).abs(), thickness), &fill);
            }
        }
        let zero = place(0.0);
        canvas.line((zero, frame.top), (zero, frame.top + height), " stroke-opacity=\"0.6\"");
        frame
    }

    /// The legend entries of the series.
    pub fn legend(&self) -> Vec<Entry<'_>> {
        let series = self.series.iter().enumerate();
        series.map(|(k, (name, _))| (Sample::Fill(canvas::colour(k), 1.0), name.as_str().into())).collect()
    }
}
