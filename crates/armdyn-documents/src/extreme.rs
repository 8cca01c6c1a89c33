//! Maximum, minimum and mean values over the joint ranges: `max({D11})`, `argmax({D11}, r3)`, `mean({D11})`.

use crate::conditions::conditions;
use crate::evaluation::Evaluation;
use crate::expression::Expression;
use crate::robot::Robot;
use crate::scene::lifted;
use crate::value::Value;
use armdyn_numerics::JointRanges;
use armdyn_numerics::objective::negative;
use armdyn_numerics::search::{SearchOptions, mean, search};
use armdyn_symbolic::{Array, Expr, Graph, Tape};
use std::collections::HashMap;
use std::sync::Arc;

/// The number of points of a mean.
const POINTS: usize = 1 << 16;

/// `max`, `min`, `argmax`, `argmin`, `mean`.
pub fn function(evaluation: &mut Evaluation<f64>, name: &str, of: &[Expression]) -> Result<Value<f64>, String> {
    let (at, objective) = match (name, of) {
        ("max" | "min" | "mean", [objective]) => (None, objective),
        ("argmax" | "argmin", [objective, Expression::Name(at)]) => (Some(at), objective),
        _ => return Err(format!("unknown function `{name}` with {} arguments", of.len())),
    };
    let scene = evaluation.scene(evaluation.context.robot)?;
    let mut given = vec![];
    // Rates are constant over the ranges.
    for (name, value) in
        conditions(&evaluation.context.row.at)?.iter().filter(|(name, _)| scene.coordinate(name).is_ok())
    {
        let x = evaluation.value(value)?.number()?;
        given.push((scene.coordinate(name)?, x, x));
    }
    for (name, range) in conditions(&evaluation.context.row.over)? {
        let (low, high) = evaluation.interval(&range)?;
        given.push((scene.coordinate(&name)?, low, high));
    }
    let ranges = JointRanges::new(&scene.robot.model, &given).map_err(|e| e.to_string())?;
    let n = scene.robot.model.nv();
    let (graph, expression) = Graph::record(|| -> Result<Expr, String> {
        let q = |k: usize| Graph::input(Array::Q, k, &format!("q{}", k + 1));
        let make = |robot: &Arc<Robot>| match robot.model.nv() {
            own if own == n => Ok(lifted(robot, (0..n).map(q).collect())),
            own => Err(format!("the other robot has {own} degrees of freedom, expected {n}")),
        };
        objective.evaluate(&mut evaluation.context.evaluation(HashMap::new(), Box::new(make)))?.number()
    });
    let tape = Tape::bind(&graph, &[expression?], &[(Array::Q, n)], &[]).map_err(|e| e.to_string())?;
    let (value, q) = match name {
        "mean" => return Ok(mean(&tape, &ranges, POINTS).into()),
        "max" | "argmax" => search(&tape, &ranges, SearchOptions::default()),
        _ => {
            let (negative, q) = search(&negative(&tape), &ranges, SearchOptions::default());
            (-negative, q)
        }
    };
    match at {
        None => Ok(value.into()),
        Some(at) => Ok(q[scene.coordinate(at)?].into()),
    }
}
