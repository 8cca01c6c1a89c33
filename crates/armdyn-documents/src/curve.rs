//! Figures of a document, drawn from what armdyn computes.

use crate::document::{Document, Figure, Source};
use crate::extreme::span;
use crate::row::{Place, readable};
use crate::scene::at_zero;
use crate::setting::{ARM, Robots};
use armdyn_plot::{Axis, Chart};
use std::collections::BTreeMap;

/// How many points a curve has.
const POINTS: usize = 181;

/// A figure.
pub struct Drawn {
    /// Its number.
    pub equation: String,
    /// What it shows.
    pub title: String,
    /// What the document tells of it.
    pub text: String,
    /// The chart.
    pub chart: Chart,
}

/// Draws it.
pub fn draw(document: &Document, robots: &Robots, robot: Option<&str>, figure: &Figure) -> Result<Drawn, String> {
    let value = Axis::new(&figure.label, &figure.unit);
    let mut chart;
    if figure.bars.is_empty() {
        let mut row = Source::default();
        let asked = |own: &'_ Option<String>| own.as_deref().or(robot).unwrap_or(ARM).to_string();
        let (low, high) = {
            let name = asked(&None);
            let place = Place { document, robots, robot: &name, row: &row };
            span(&mut place.setting(BTreeMap::new(), Box::new(|r| Ok(at_zero(r)))), &figure.range)?
        };
        let scale = if figure.along_unit == "°" { 180.0 / std::f64::consts::PI } else { 1.0 };
        let along = Axis::new(readable(&figure.along), &figure.along_unit).within(low * scale, high * scale);
        chart = Chart::new(format!("{}: {}", figure.equation, figure.title), along, value);
        for curve in &figure.curves {
            let name = asked(&curve.robot);
            let mut points = vec![];
            for k in 0..POINTS {
                let x = low + (high - low) * k as f64 / (POINTS - 1) as f64;
                row.at = format!("{}, {}={x:e}", curve.at, figure.along);
                points.push((x * scale, Place { document, robots, robot: &name, row: &row }.number(&curve.ask)?));
            }
            chart = chart.curve(&curve.name, points);
        }
    } else {
        let names: Vec<String> = figure.bars.iter().map(|b| b.name.clone()).collect();
        chart = Chart::bars(format!("{}: {}", figure.equation, figure.title), value, &names, false);
        let row = Source::default();
        let place = Place { document, robots, robot: robot.unwrap_or(ARM), row: &row };
        for series in figure.bars[0].asks.keys() {
            let each = figure.bars.iter().map(|bar| {
                let ask = bar.asks.get(series).ok_or_else(|| format!("`{}` has no `{series}`", bar.name))?;
                place.number(ask)
            });
            chart = chart.series(series, each.collect::<Result<Vec<f64>, String>>()?);
        }
    }
    let Figure { equation, title, text, .. } = figure.clone();
    Ok(Drawn { equation, title, text, chart })
}
