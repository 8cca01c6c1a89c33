//! The figures of a document, drawn from computed values.

use crate::document::{Document, Figure, Source};
use crate::evaluation::{ARM, Robots};
use crate::row::readable;
use crate::row_context::RowContext;
use crate::scene::at_zero;
use armdyn_plot::{Axis, Chart};
use std::collections::BTreeMap;

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
    let mut chart;
    if figure.bars.is_empty() {
        let mut row = Source::default();
        let robot_name = |own: &'_ Option<String>| own.as_deref().or(robot).unwrap_or(ARM).to_string();
        let (low, high) = {
            let name = robot_name(&None);
            let place = RowContext { document, robots, robot: &name, row: &row };
            place.evaluation(BTreeMap::new(), Box::new(|r| Ok(at_zero(r)))).interval(&figure.range)?
        };
        let scale = if figure.along_unit == "°" { 180.0 / std::f64::consts::PI } else { 1.0 };
        let along = Axis::new(readable(&figure.along), &figure.along_unit).within(low * scale, high * scale);
        chart = Chart::new(format!("{}: {}", figure.equation, figure.title), along, value);
        for curve in &figure.curves {
            let name = robot_name(&curve.robot);
            let mut points = vec![];
            for k in 0..POINTS {
                let x = low + (high - low) * k as f64 / (POINTS - 1) as f64;
                row.at = format!("{}, {}={x:e}", curve.at, figure.along);
                points.push((
                    x * scale,
                    RowContext { document, robots, robot: &name, row: &row }.number(&curve.compute)?,
                ));
            }
            chart = chart.curve(&curve.name, points);
        }
    } else {
        let names: Vec<String> = figure.bars.iter().map(|b| b.name.clone()).collect();
        chart = Chart::bars(format!("{}: {}", figure.equation, figure.title), value, &names, false);
        let row = Source::default();
        let place = RowContext { document, robots, robot: robot.unwrap_or(ARM), row: &row };
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
