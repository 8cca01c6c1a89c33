//! Greatest, least and mean values over the robot's range: `max({D11})`, `argmax({D11}, r3)`, `mean({D11})`.

use crate::expression::Expression;
use crate::robot::Robot;
use crate::scene::lifted;
use crate::setting::{Setting, conditions};
use crate::value::Value;
use armdyn_numerics::JointRanges;
use armdyn_numerics::objective::Negative;
use armdyn_numerics::search::{SearchOptions, mean, search};
use armdyn_symbolic::{Array, Expr, Graph, Tape};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many points a mean is taken of.
const POINTS: usize = 1 << 16;

/// `max`, `min`, `argmax`, `argmin`, `mean`.
pub fn function(setting: &mut Setting<f64>, name: &str, of: &[Expression]) -> Result<Value<f64>, String> {
    let (where_found, what) = match (name, of) {
        ("max" | "min" | "mean", [what]) => (None, what),
        ("argmax" | "argmin", [what, Expression::Name(at)]) => (Some(at), what),
        _ => return Err(format!("there is no function `{name}` of {}", of.len())),
    };
    let scene = setting.scene(setting.robot)?;
    let mut given = vec![];
    // Rates and the like are the same everywhere.
    for (name, value) in conditions(&setting.row.at)?.iter().filter(|(name, _)| scene.coordinate(name).is_ok()) {
        let x = setting.value(value)?.number()?;
        given.push((scene.coordinate(name)?, x, x));
    }
    for (name, range) in conditions(&setting.row.over)? {
        let (low, high) = span(setting, &range)?;
        given.push((scene.coordinate(&name)?, low, high));
    }
    let region = JointRanges::new(&scene.robot.model, &given).map_err(|e| e.to_string())?;
    let n = scene.robot.model.nv();
    let (graph, expression) = Graph::record(|| -> Result<Expr, String> {
        let q = |k: usize| Graph::input(Array::Q, k, &format!("q{}", k + 1));
        let make = |robot: &Arc<Robot>| match robot.model.nv() {
            own if own == n => Ok(lifted(robot, (0..n).map(q).collect())),
            own => Err(format!("the other robot has {own} degrees of freedom, not {n}")),
        };
        let (document, robots) = (setting.document, setting.robots);
        let mut over =
            Setting::<Expr>::new(document, robots, setting.robot, setting.row, BTreeMap::new(), Box::new(make));
        what.evaluate(&mut over)?.number()
    });
    let tape = Tape::bind(&graph, &[expression?], &[(Array::Q, n)], &[]).map_err(|e| e.to_string())?;
    let (value, q) = match name {
        "mean" => return Ok(mean(&tape, &region, POINTS).into()),
        "max" | "argmax" => search(&tape, &region, SearchOptions::default()),
        _ => {
            let (negative, q) = search(&Negative(&tape), &region, SearchOptions::default());
            (-negative, q)
        }
    };
    match where_found {
        None => Ok(value.into()),
        Some(at) => Ok(q[scene.coordinate(at)?].into()),
    }
}

/// `-180°..180°`.
pub fn span(setting: &mut Setting<f64>, text: &str) -> Result<(f64, f64), String> {
    let (low, high) = text.split_once("..").ok_or_else(|| format!("`{text}` should read LOW..HIGH"))?;
    let (low, high) = (setting.value(low)?.number()?, setting.value(high)?.number()?);
    if low.is_finite() && high.is_finite() { Ok((low, high)) } else { Err(format!("`{text}` has no end")) }
}
