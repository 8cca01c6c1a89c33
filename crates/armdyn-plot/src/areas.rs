//! Stacked areas: positive values above 0, negative ones below.

use super::canvas::{self, Canvas};
use super::figure::{Entry, Sample};

/// Points of a boundary that are drawn.
const POINTS: usize = 1000;

/// Series over common values of x.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(super) struct Areas {
    pub x: Vec<f64>,
    pub series: Vec<(String, Vec<f64>)>,
}

impl Areas {
    /// The value of a series; 0 if it is missing or not finite.
    pub fn value(&self, series: usize, k: usize) -> f64 {
        self.series[series].1.get(k).copied().filter(|v| v.is_finite()).unwrap_or(0.0)
    }

    /// The sums of the positive and of the negative values of the first `count` series.
    pub fn sums(&self, count: usize, k: usize) -> [f64; 2] {
        (0..count).map(|s| self.value(s, k)).fold([0.0; 2], |[low, high], v| [low + v.min(0.0), high + v.max(0.0)])
    }

    /// The ends of the stacks.
    pub fn extents(&self) -> impl Iterator<Item = (f64, f64)> {
        let ends = |(k, &x): (usize, &f64)| self.sums(self.series.len(), k).map(|y| (x, y));
        self.x.iter().enumerate().flat_map(ends).collect::<Vec<_>>().into_iter()
    }

    pub fn draw(&self, canvas: &mut Canvas, place: impl Fn((f64, f64)) -> (f64, f64)) {
        let stride = self.x.len().div_ceil(POINTS).max(1);
        let last = self.x.len().saturating_sub(1);
        let shown: Vec<usize> = (0..last).step_by(stride).chain((!self.x.is_empty()).then_some(last)).collect();
        for s in 0..self.series.len() {
            for side in [0, 1] {
                let edge = |count: usize, k: usize| place((self.x[k], self.sums(count, k)[side]));
                if shown.iter().all(|&k| self.sums(s, k)[side] == self.sums(s + 1, k)[side]) {
                    continue;
                }
                let outer = shown.iter().map(|&k| edge(s + 1, k));
                let inner = shown.iter().rev().map(|&k| edge(s, k));
                let points: Vec<String> = outer.chain(inner).map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
                let fill = canvas::colour(s);
                canvas.put(format_args!("<path d=\"M{}Z\" fill=\"{fill}\" fill-opacity=\"0.75\"/>", points.join("L")));
            }
        }
    }

    /// The legend entries.
    pub fn legend(&self) -> impl Iterator<Item = Entry<'_>> {
        let series = self.series.iter().enumerate();
        series.map(|(k, (name, _))| (Sample::Fill(canvas::colour(k), 0.75), name.as_str().into()))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Axis, Chart};

    #[test]
    fn positive_and_negative_values_are_stacked_separately() {
        let chart = Chart::new("", Axis::new("time", "s"), Axis::new("torque", "N m"))
            .areas(&[0.0, 1.0, 2.0])
            .series("a", [1.0, 2.0, 3.0])
            .series("b", [2.0, -1.0, -4.0]);
        let (_, y) = chart.scales(8, 6);
        assert!(y.low <= -4.0 && y.low > -6.0 && y.high >= 3.0 && y.high < 5.0, "{y:?}");
        let svg = chart.svg();
        // One area of a, two of b, and the names of both.
        assert_eq!(svg.matches("Z\" fill=").count(), 3, "{svg}");
        assert!(svg.contains(">a<") && svg.contains(">b<"));
        let text = chart.terminal(60);
        assert!(text.contains("torque [N m]") && text.contains(" b"), "{text}");
    }
}
