//! Measures: `[maximise|minimise] EXPRESSION [<= NUMBER|>= NUMBER]`.

use crate::expression::Expression;
use armdyn_import::{nearest, suggestion};
use serde_json::Value;

/// What is wanted of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Goal {
    /// A small value.
    Minimise,
    /// A large value.
    Maximise,
}

/// A bound on a measure: `<=` or `>=` a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// Whether values below it violate it.
    pub at_least: bool,
    /// The bound.
    pub value: f64,
}

/// A measure of a study.
#[derive(Clone, Debug)]
pub struct Measure {
    /// Its name.
    pub name: String,
    /// Its expression, as written.
    pub text: String,
    /// Its unit, for axes; may be empty.
    pub unit: String,
    /// What is wanted of it.
    pub goal: Option<Goal>,
    /// Its bound.
    pub bound: Option<Bound>,
    pub(crate) expression: Expression,
}

const GOALS: [(&str, Goal); 4] = [
    ("minimise", Goal::Minimise),
    ("minimize", Goal::Minimise),
    ("maximise", Goal::Maximise),
    ("maximize", Goal::Maximise),
];

impl Measure {
    /// The measure of an entry of `[measure]`: a text, or a table of the text `of` and a `unit`.
    pub fn of(name: &str, value: &Value) -> Result<Measure, String> {
        let (text, unit) = match value {
            Value::String(text) => (text.as_str(), ""),
            Value::Object(table) => {
                if let Some(unknown) = table.keys().find(|k| !["of", "unit"].contains(&k.as_str())) {
                    return Err(format!(
                        "unknown key `{unknown}`; {}",
                        suggestion(nearest(unknown, &["of", "unit"]), &["of", "unit"])
                    ));
                }
                let text = |key: &str| {
                    table.get(key).map(|v| v.as_str().ok_or_else(|| format!("`{key}` is not a text"))).transpose()
                };
                (text("of")?.ok_or("`of` is missing: the expression to measure")?, text("unit")?.unwrap_or_default())
            }
            other => return Err(format!("`{other}` is not a text such as `\"maximise size.payload.maximum\"`")),
        };
        let text = text.trim();
        let first = text.split_whitespace().next().unwrap_or_default();
        let goal = GOALS.iter().find(|g| g.0 == first);
        let rest = if goal.is_some() { text[first.len()..].trim() } else { text };
        let sign = ["<=", ">=", "≤", "≥"].into_iter().find_map(|sign| Some((sign, rest.split_once(sign)?)));
        let (expression, bound) = match sign {
            None => (rest, None),
            Some((sign, (expression, bound))) => {
                let value = bound.trim().parse::<f64>().ok().filter(|x| x.is_finite());
                let value = value.ok_or_else(|| {
                    format!("`{}` is not a number: a bound is written `EXPRESSION {sign} NUMBER`", bound.trim())
                })?;
                (expression.trim(), Some(Bound { at_least: matches!(sign, ">=" | "≥"), value }))
            }
        };
        Ok(Measure {
            name: name.to_string(),
            text: expression.to_string(),
            unit: unit.to_string(),
            goal: goal.map(|g| g.1),
            bound,
            expression: Expression::parse(expression)?,
        })
    }

    /// How much a value violates the bound, relative to the bound; 0 if it does not.
    pub fn violation(&self, x: f64) -> f64 {
        let Some(Bound { at_least, value }) = self.bound else { return 0.0 };
        let excess = if at_least { value - x } else { x - value };
        excess.max(0.0) / if value == 0.0 { 1.0 } else { value.abs() }
    }

    /// Whether a point without a value of this measure has failed.
    pub fn is_required(&self) -> bool {
        self.goal.is_some() || self.bound.is_some()
    }
}
