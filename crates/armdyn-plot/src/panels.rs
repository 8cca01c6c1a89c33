//! Small multiples: the charts of one figure.

use super::Chart;
use super::canvas::{Anchor, Canvas, TITLE, WIDTH};
use super::chart::Layout;
use super::figure::legend;
use super::terminal::{PANEL_ROWS, clean};

/// Size of a panel beside others, of one above others, and of their titles.
const PANEL_WIDTH: f64 = 360.0;
const PANEL_HEIGHT: f64 = 150.0;
const STACKED_HEIGHT: f64 = 190.0;
const PANEL_TITLE: f64 = 13.0;
/// Height of the figure's title.
const TITLE_HEIGHT: f64 = 30.0;

/// Charts of one figure, in rows of some columns; one unit per axis.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Panels {
    title: String,
    columns: usize,
    charts: Vec<Chart>,
}

impl Panels {
    /// A figure without charts.
    pub fn new(title: impl Into<String>, columns: usize) -> Self {
        Panels { title: title.into(), columns: columns.max(1), charts: vec![] }
    }

    /// Adds a chart.
    pub fn chart(mut self, chart: Chart) -> Self {
        self.charts.push(chart);
        self
    }

    fn layout(&self, with_events: bool) -> Layout {
        let (width, height, ticks) =
            if self.columns == 1 { (WIDTH, STACKED_HEIGHT, (8, 4)) } else { (PANEL_WIDTH, PANEL_HEIGHT, (4, 4)) };
        let labels = self.charts.iter().map(|c| c.scales(ticks.0, ticks.1).1.label_width()).fold(0.0, f64::max);
        Layout { width, height, title: PANEL_TITLE, ticks, with_events, labels }
    }

    /// All charts in one SVG, with one legend of the events of the first.
    pub fn svg(&self) -> String {
        let layout = self.layout(false);
        let mut canvas = Canvas::new(self.columns as f64 * layout.width);
        canvas.text(canvas.width / 2.0, 22.0, TITLE, Anchor::Middle, &self.title, canvas.width - 20.0);
        let mut top = TITLE_HEIGHT;
        for row in self.charts.chunks(self.columns) {
            let mut height = 0.0_f64;
            for (k, chart) in row.iter().enumerate() {
                let (panel, bottom) = chart.draw(&layout);
                let x = k as f64 * layout.width;
                canvas.put(format_args!("<g transform=\"translate({x:.1} {top:.1})\">\n{}</g>", panel.into_elements()));
                height = height.max(bottom);
            }
            top += height;
        }
        let events = self.charts.first().map(Chart::event_entries).unwrap_or_default();
        let bottom = if events.is_empty() { top } else { legend(&mut canvas, top + 16.0, events.into_iter()) };
        canvas.finish(&self.title, bottom)
    }

    /// Each chart as an SVG.
    pub fn svgs(&self) -> Vec<String> {
        let svg = |chart: &Chart| {
            let (canvas, bottom) = chart.draw(&self.layout(true));
            canvas.finish(&chart.figure.title, bottom)
        };
        self.charts.iter().map(svg).collect()
    }

    /// The charts as text, one below the other, `width` columns wide (at least 40).
    pub fn terminal(&self, width: usize) -> String {
        let charts = self.charts.iter().map(|chart| match chart.bars {
            Some(_) => chart.terminal(width),
            None => chart.line_chart(width.max(40), PANEL_ROWS),
        });
        format!("{}\n\n", clean(&self.title)) + &charts.collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    #[test]
    fn each_chart_has_its_own_axes() {
        let chart = |name: &str, unit: &str| {
            Chart::new(name, Axis::new("time", "s"), Axis::new(name, unit)).curve("", [(0.0, 0.0), (1.0, 1.0)])
        };
        let panels = |columns| {
            Panels::new("all", columns)
                .chart(chart("velocity", "m/s").instant("stops", 0.5))
                .chart(chart("yaw rate", "rad/s").instant("stops", 0.5))
        };
        for columns in [1, 2] {
            let svg = panels(columns).svg();
            roxmltree::Document::parse(&svg).unwrap();
            for part in [">all<", "velocity [m/s]", "yaw rate [rad/s]"] {
                assert_eq!(svg.matches(part).count(), 1, "{part}");
            }
            // A line in each chart, one legend.
            assert_eq!((svg.matches(">A<").count(), svg.matches("stops (0.500 s)").count()), (3, 1), "{svg}");
        }
        assert_eq!(panels(2).svgs().len(), 2);
        let text = panels(1).terminal(60);
        assert!(text.starts_with("all\n\nvelocity\nvelocity [m/s]") && text.contains("yaw rate [rad/s]"), "{text}");
    }
}
