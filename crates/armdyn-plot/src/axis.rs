//! Axes: label, unit, range and ticks.

/// An axis of a chart.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Axis {
    /// Label.
    pub label: String,
    /// Unit; empty for a dimensionless quantity.
    pub unit: String,
    /// Range; by default that of the data.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    /// An axis with the range of the data.
    pub fn new(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Axis { label: label.into(), unit: unit.into(), range: None }
    }

    /// The axis with a fixed range.
    pub fn within(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// `torque [10³ N m]`.
    pub(super) fn name(&self, exponent: i32) -> String {
        let power = if exponent == 0 { String::new() } else { format!("10{}", superscript(exponent)) };
        let unit = [power.as_str(), self.unit.as_str()].into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>();
        if unit.is_empty() { self.label.clone() } else { format!("{} [{}]", self.label, unit.join(" ")) }
    }

    /// The scale for these values, with about `count` ticks; `round` extends it to whole steps.
    pub(super) fn fit(&self, values: impl Iterator<Item = f64>, count: usize, round: bool) -> Scale {
        let given = self.range.filter(|(a, b)| a.is_finite() && b.is_finite() && a < b);
        let (mut low, mut high) = given.or_else(|| range(values)).unwrap_or((0.0, 1.0));
        // A range due to rounding alone counts as a constant.
        let size = low.abs().max(high.abs());
        if high - low <= 1e-12 * size || high == low {
            let half = if size > 0.0 { 0.5 * size } else { 1.0 };
            (low, high) = (low - half, high + half);
        }
        let step = step(high - low, count, &self.unit);
        if round && given.is_none() {
            (low, high) = ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step);
        }
        Scale::new(low, high, step)
    }

    /// The scale over a range.
    pub(super) fn over(&self, range: (f64, f64), count: usize) -> Scale {
        Axis { range: Some(range), ..self.clone() }.fit(std::iter::empty(), count, false)
    }
}

/// The range of the finite values; none without any.
pub(super) fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|v| v.is_finite()).map(|v| (v, v));
    finite.reduce(|(low, high), (v, _)| (low.min(v), high.max(v)))
}

/// Distance between ticks: 1, 2 or 5 times a power of ten, or a divisor of a turn.
fn step(span: f64, count: usize, unit: &str) -> f64 {
    let wanted = span / count.max(1) as f64;
    let turns = [5.0, 10.0, 15.0, 30.0, 45.0, 90.0, 180.0, 360.0];
    if unit == "°" && (3.0..=360.0).contains(&wanted) {
        return turns.into_iter().find(|s| *s >= wanted).unwrap_or(360.0);
    }
    let decade = 10f64.powf(wanted.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|s| s * decade).find(|s| *s >= wanted * 0.999).unwrap_or(10.0 * decade)
}

/// The range of an axis and its ticks.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    pub low: f64,
    pub high: f64,
    pub ticks: Vec<f64>,
    pub labels: Vec<String>,
    /// Labels are in units of ten to this power.
    pub exponent: i32,
}

impl Scale {
    fn new(low: f64, high: f64, step: f64) -> Self {
        let (first, last) = ((low / step - 1e-6).ceil() as i64, (high / step + 1e-6).floor() as i64);
        let ticks: Vec<f64> = (first..=last).map(|k| k as f64 * step).collect();
        let largest = low.abs().max(high.abs());
        let order = largest.log10().floor() as i32;
        let exponent = if (-3..5).contains(&order) { 0 } else { order.div_euclid(3) * 3 };
        let unit = 10f64.powi(exponent);
        let digits = (-(step / unit).log10().floor()).clamp(0.0, 12.0) as usize;
        let labels = ticks.iter().map(|t| format!("{:.digits$}", t / unit + 0.0).replace('-', "−")).collect();
        Scale { low, high, ticks, labels, exponent }
    }

    /// Extends the range where a value lies at its end; the ticks stay.
    pub fn padded(mut self, values: impl Iterator<Item = f64> + Clone) -> Self {
        let span = self.high - self.low;
        let (edge, room) = (0.02 * span, 0.06 * span);
        if values.clone().any(|v| (v - self.low).abs() < edge) {
            self.low -= room;
        }
        if values.clone().any(|v| (v - self.high).abs() < edge) {
            self.high += room;
        }
        self
    }

    /// Width of the longest label in an SVG.
    pub fn label_width(&self) -> f64 {
        self.labels.iter().map(|l| super::canvas::width(l, super::canvas::TEXT)).fold(0.0, f64::max)
    }

    /// Position of a value, from 0 to 1.
    pub fn fraction(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }
}

/// An exponent in superscript digits.
fn superscript(exponent: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        c => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][c as usize - '0' as usize],
    };
    exponent.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, unit: &str) -> Vec<String> {
        Axis::new("x", unit).fit([low, high].into_iter(), 5, true).labels
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(0.0, 1.0, "m"), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-170.0, 170.0, "°"), ["−180", "−90", "0", "90", "180"]);
        assert_eq!(labels(3.1, 7.4, ""), ["3", "4", "5", "6", "7", "8"]);
    }

    #[test]
    fn large_and_small_numbers_have_a_common_power_of_ten() {
        let scale = Axis::new("force", "N").fit([0.0, 2.0e6].into_iter(), 4, true);
        assert_eq!((scale.exponent, scale.labels[1].as_str()), (6, "0.5"));
        assert_eq!(Axis::new("force", "N").name(scale.exponent), "force [10⁶ N]");
        let scale = Axis::new("x", "").fit([0.0, 4.0e-5].into_iter(), 4, true);
        assert_eq!((scale.exponent, scale.labels.last().unwrap().as_str()), (-6, "40"));
        assert_eq!(Axis::new("x", "").name(-6), "x [10⁻⁶]");
    }

    #[test]
    fn empty_and_constant_data_have_a_scale() {
        for values in [vec![], vec![f64::NAN, f64::INFINITY], vec![0.0], vec![7.0, 7.0 + 1e-15], vec![-3e-300]] {
            let scale = Axis::new("x", "").fit(values.into_iter(), 5, true);
            assert!(scale.low < scale.high && scale.ticks.len() >= 2 && scale.ticks.len() < 20, "{scale:?}");
        }
    }
}
