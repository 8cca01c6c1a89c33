//! The figures of a document, drawn from computed values.

use crate::document::{Document, Figure, Source};
use crate::evaluation::{ARM, Robots, RowContext};
use crate::row::readable;
use armdyn_plot::{Axis, Chart};

/// The number of points of a curve.
const POINTS: usize = 181;

/// A figure.
pub struct FigureChart {
    /// Its number.
    pub equation: String,
    /// What it shows.
    pub title: String,
    /// What the document says about it.
    pub text: String,
    /// The chart.
    pub chart: Chart,
}

/// Draws a figure.
pub fn draw(document: &Document, robots: &Robots, robot: Option<&str>, figure: &Figure) -> Result<FigureChart, String> {
    let value = Axis::new(&figure.label, &figure.unit);
    let place = RowContext { document, robots, robot: robot.unwrap_or(ARM), row: &Source::default() };
    let mut chart;
    if figure.bars.is_empty() {
        let (low, high) = place.at_state().interval(&figure.range)?;
        let scale = if figure.along_unit == "°" { 180.0 / std::f64::consts::PI } else { 1.0 };
        let along = Axis::new(readable(&figure.along), &figure.along_unit).within(low * scale, high * scale);
        chart = Chart::new(format!("{}: {}", figure.equation, figure.title), along, value);
        for curve in &figure.curves {
            let robot = curve.robot.as_deref().unwrap_or(place.robot);
            let point = |k: usize| {
                let x = low + (high - low) * k as f64 / (POINTS - 1) as f64;
                let row = Source { at: format!("{}, {}={x:e}", curve.at, figure.along), ..Source::default() };
                Ok((x * scale, RowContext { robot, row: &row, ..place }.number(&curve.compute)?))
            };
            chart = chart.curve(&curve.name, (0..POINTS).map(point).collect::<Result<Vec<_>, String>>()?);
        }
    } else {
        let names: Vec<String> = figure.bars.iter().map(|b| b.name.clone()).collect();
        chart = Chart::bars(format!("{}: {}", figure.equation, figure.title), value, &names, false);
        for series in figure.bars[0].series.keys() {
            let each = figure.bars.iter().map(|bar| {
                let expression = bar.series.get(series).ok_or_else(|| format!("`{}` has no `{series}`", bar.name))?;
                place.number(expression)
            });
            chart = chart.series(series, each.collect::<Result<Vec<f64>, String>>()?);
        }
    }
    let Figure { equation, title, text, .. } = figure.clone();
    Ok(FigureChart { equation, title, text, chart })
}
