//! Results: a row per point, the Pareto front, the best point.

use crate::measure::Goal;
use crate::pareto::pareto_front;
use crate::study::{Method, Record, Study};
use crate::variable::Setting;
use serde::Serialize;

/// The results of a study.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Results {
    /// The robot.
    pub robot: String,
    /// How points were chosen: `grid`, `samples` or `optimisation`.
    pub method: &'static str,
    /// What was varied.
    pub variables: Vec<VariableInfo>,
    /// What was measured.
    pub measures: Vec<MeasureInfo>,
    /// Number of points.
    pub points: usize,
    /// Number of points within all bounds.
    pub feasible: usize,
    /// Number of points with an error.
    pub failed: usize,
    /// The points of the Pareto front, by the first objective.
    pub front: Vec<usize>,
    /// The best point of a single objective.
    pub best: Option<usize>,
    /// All points.
    pub rows: Vec<Row>,
}

/// A variable in the results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariableInfo {
    /// Its name.
    pub name: String,
    /// Its unit; empty for a ratio and for options.
    pub unit: String,
    /// The value of the robot as it is, if it has one.
    pub original: Option<f64>,
}

/// A measure in the results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasureInfo {
    /// Its name.
    pub name: String,
    /// Its expression.
    pub expression: String,
    /// Its unit, if the study gives it.
    pub unit: String,
    /// What is wanted of it.
    pub goal: Option<Goal>,
    /// Its upper bound.
    pub at_most: Option<f64>,
    /// Its lower bound.
    pub at_least: Option<f64>,
}

/// A point in the results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its number, from 0.
    pub point: usize,
    /// The values of the variables.
    pub values: Vec<Setting>,
    /// The measures; none where there is no value.
    pub measures: Vec<Option<f64>>,
    /// Whether it has no error and all measures are within their bounds.
    pub feasible: bool,
    /// Whether it is feasible, and no feasible point is better in one objective and as good in all others.
    pub on_front: bool,
    /// Why it failed, if it did.
    pub error: Option<String>,
}

impl Study {
    /// The results of finished points.
    pub fn results(&self, records: &[Record]) -> Results {
        let objectives = self.objectives();
        let fitness: Vec<_> = records.iter().map(|r| self.fitness(r)).collect();
        let is_feasible = |k: usize| fitness[k].violation == 0.0;
        let candidates: Vec<usize> = (0..records.len()).filter(|&k| is_feasible(k) && !objectives.is_empty()).collect();
        let points: Vec<&[f64]> = candidates.iter().map(|&k| &fitness[k].objectives[..]).collect();
        let mut front: Vec<usize> =
            candidates.iter().zip(pareto_front(&points)).filter(|(_, on)| *on).map(|(k, _)| *k).collect();
        let row = |(k, r): (usize, &Record)| Row {
            point: r.point,
            values: r.values.clone(),
            measures: r.measures.clone(),
            feasible: is_feasible(k),
            on_front: front.contains(&k),
            error: r.error.clone(),
        };
        let rows: Vec<Row> = records.iter().enumerate().map(row).collect();
        front.sort_by(|&a, &b| fitness[a].objectives[0].total_cmp(&fitness[b].objectives[0]).then(a.cmp(&b)));
        let front: Vec<usize> = front.into_iter().map(|k| records[k].point).collect();
        Results {
            robot: self.robot.name.clone(),
            method: match self.method {
                Method::Grid => "grid",
                Method::Samples { .. } => "samples",
                Method::Optimise { .. } => "optimisation",
            },
            variables: self.variables.iter().map(VariableInfo::of).collect(),
            measures: self.measures.iter().map(MeasureInfo::of).collect(),
            points: rows.len(),
            feasible: rows.iter().filter(|r| r.feasible).count(),
            failed: rows.iter().filter(|r| r.error.is_some()).count(),
            best: if objectives.len() == 1 { front.first().copied() } else { None },
            front,
            rows,
        }
    }
}

impl VariableInfo {
    fn of(v: &crate::variable::Variable) -> Self {
        VariableInfo { name: v.name.clone(), unit: v.unit().to_string(), original: v.original() }
    }
}

impl MeasureInfo {
    fn of(m: &crate::measure::Measure) -> Self {
        let bound = |at_least: bool| m.bound.filter(|b| b.at_least == at_least).map(|b| b.value);
        MeasureInfo {
            name: m.name.clone(),
            expression: m.text.clone(),
            unit: m.unit.clone(),
            goal: m.goal,
            at_most: bound(false),
            at_least: bound(true),
        }
    }
}

impl Results {
    /// The measures that are minimised or maximised.
    pub fn objectives(&self) -> Vec<usize> {
        (0..self.measures.len()).filter(|&k| self.measures[k].goal.is_some()).collect()
    }

    /// The row of a point.
    pub fn row(&self, point: usize) -> Option<&Row> {
        self.rows.binary_search_by_key(&point, |r| r.point).ok().map(|k| &self.rows[k])
    }
}
