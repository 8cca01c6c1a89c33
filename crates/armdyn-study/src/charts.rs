//! Charts of the results.

use crate::measure::Goal;
use crate::results::{MeasureInfo, Results, Row};
use armdyn_plot::{Axis, Chart, Panels};

/// Columns of small charts.
const COLUMNS: usize = 2;

impl Results {
    /// The Pareto front: each pair of objectives in a chart, with all points.
    pub fn front_panels(&self) -> Panels {
        let objectives = self.objectives();
        let pairs = objectives.iter().enumerate().flat_map(|(k, &a)| objectives[k + 1..].iter().map(move |&b| (a, b)));
        let charts: Vec<Chart> = pairs.map(|(a, b)| self.front_chart("", a, b)).collect();
        let columns = charts.len().clamp(1, COLUMNS);
        charts.into_iter().fold(Panels::new(self.front_title(), columns), Panels::chart)
    }

    /// The Pareto front of two objectives.
    pub fn front_of_two(&self) -> Option<Chart> {
        match self.objectives()[..] {
            [a, b] => Some(self.front_chart(&self.front_title(), a, b)),
            _ => None,
        }
    }

    fn front_title(&self) -> String {
        format!("{}: Pareto front of {} points", self.robot, self.points)
    }

    fn front_chart(&self, title: &str, a: usize, b: usize) -> Chart {
        let at = |row: &Row| (value(row, a), value(row, b));
        let kind = |wanted: fn(&Row) -> bool| self.rows.iter().filter(move |r| wanted(r)).map(at);
        let chart = Chart::new(title, self.axis(a), self.axis(b));
        // A line joins the points of a front of two objectives only.
        let front = self.front.iter().filter_map(|&k| self.row(k)).map(at);
        let two = self.objectives().len() == 2;
        let chart = if two { chart.curve("Pareto front", front) } else { chart };
        let chart = chart.points(if two { "" } else { "Pareto front" }, kind(|r| r.on_front));
        chart.points("feasible", kind(|r| r.feasible && !r.on_front)).points("outside bounds", kind(|r| !r.feasible))
    }

    /// The best value so far over the points.
    pub fn convergence_chart(&self) -> Option<Chart> {
        let [objective] = self.objectives()[..] else { return None };
        let info = &self.measures[objective];
        let mut best = f64::NAN;
        let mut curve = vec![];
        for row in &self.rows {
            let x = value(row, objective);
            let better = if info.goal == Some(Goal::Maximise) { x > best } else { x < best };
            if row.feasible && (better || best.is_nan()) {
                best = x;
            }
            curve.push((row.point as f64, best));
        }
        let title = format!("{}: {} over {} points", self.robot, info.name, self.points);
        let kind = |wanted: bool| {
            self.rows.iter().filter(move |r| r.feasible == wanted).map(|r| (r.point as f64, value(r, objective)))
        };
        let chart = Chart::new(title, Axis::new("point", ""), self.axis(objective)).curve("best so far", curve);
        Some(chart.points("feasible", kind(true)).points("outside bounds", kind(false)))
    }

    /// Each objective (without any, each measure) over each variable with numbers.
    pub fn sensitivity_panels(&self) -> Panels {
        let measures = match self.objectives() {
            none if none.is_empty() => (0..self.measures.len()).collect(),
            objectives => objectives,
        };
        let numeric = |v: &usize| self.rows.iter().all(|r| r.values[*v].number().is_some());
        let variables: Vec<usize> = (0..self.variables.len()).filter(numeric).collect();
        let title = format!("{}: measures over each variable", self.robot);
        let columns = if measures.len() > 1 { measures.len().min(COLUMNS) } else { variables.len().clamp(1, COLUMNS) };
        let mut panels = Panels::new(title, columns);
        for &v in &variables {
            for &m in &measures {
                let info = &self.variables[v];
                let at = |r: &Row| (r.values[v].number().unwrap_or(f64::NAN), value(r, m));
                let kind = |wanted: bool| self.rows.iter().filter(move |r| r.feasible == wanted).map(at);
                let chart = Chart::new("", Axis::new(&info.name, &info.unit), self.axis(m));
                panels = panels.chart(chart.points("feasible", kind(true)).points("outside bounds", kind(false)));
            }
        }
        panels
    }

    fn axis(&self, measure: usize) -> Axis {
        let MeasureInfo { name, unit, .. } = &self.measures[measure];
        Axis::new(name, unit)
    }
}

fn value(row: &Row, measure: usize) -> f64 {
    row.measures[measure].unwrap_or(f64::NAN)
}
