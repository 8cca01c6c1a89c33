//! Lying bars: their names can be long.

use super::axis::{Axis, Scale};
use super::chart::{Frame, Legend, Sample};
use super::sheet::{self, Anchor, LETTER, Sheet, WIDTH};

/// Groups of bars, a bar of each series in each.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bars {
    pub groups: Vec<String>,
    pub series: Vec<(String, Vec<f64>)>,
    pub stacked: bool,
}

impl Bars {
    /// The value of a bar: 0 where there is none.
    pub fn value(&self, series: usize, group: usize) -> f64 {
        self.series[series].1.get(group).copied().filter(|v| v.is_finite()).unwrap_or(0.0)
    }

    /// The axis along the bars, 0 included.
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

    /// Frame, bars and legend: where it all ends.
    pub fn draw(&self, sheet: &mut Sheet, axis: &Axis) -> f64 {
        const THICK: f64 = 11.0;
        let scale = self.scale(axis, 8);
        let each = if self.stacked { 22.0 } else { THICK * self.series.len().max(1) as f64 + 10.0 };
        let widest = self.groups.iter().map(|g| sheet::width(g, LETTER)).fold(0.0, f64::max).min(0.35 * WIDTH);
        let height = each * self.groups.len().max(1) as f64 + 6.0;
        let frame = Frame { left: widest + 24.0, top: 38.0, width: WIDTH - widest - 48.0, height };
        frame.lying(sheet, (axis, &scale));
        let place = |v: f64| frame.left + scale.share(v) * frame.width;
        for (g, name) in self.groups.iter().enumerate() {
            let top = frame.top + 3.0 + each * g as f64;
            sheet.text(frame.left - 8.0, top + each / 2.0 + 4.0, LETTER, Anchor::End, name, widest);
            let (mut above, mut below) = (0.0, 0.0);
            for s in 0..self.series.len() {
                let value = self.value(s, g);
                let (from, y, thick) = match (self.stacked, value < 0.0) {
                    (true, true) => (below, top + 4.0, each - 8.0),
                    (true, false) => (above, top + 4.0, each - 8.0),
                    (false, _) => (0.0, top + 5.0 + THICK * s as f64, THICK - 1.0),
                };
                if value < 0.0 {
                    below += value
                } else {
                    above += value
                };
                let (a, b) = (place(from), place(from + value));
                sheet.put(format_args!(
                    "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{thick:.1}\" fill=\"{}\"/>",
                    a.min(b),
                    (a - b).abs(),
                    sheet::colour(s)
                ));
            }
        }
        let zero = place(0.0);
        sheet.line((zero, frame.top), (zero, frame.top + height), " stroke-opacity=\"0.6\"");
        let legend = self.series.iter().enumerate().map(|(k, (name, _))| (Sample::Bar(k), name.clone())).collect();
        Legend(legend).draw(sheet, frame.top + height + 58.0)
    }
}
