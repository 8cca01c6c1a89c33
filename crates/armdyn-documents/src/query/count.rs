//! Operation counts of inverse dynamics, and base parameters.
//!
//! `ops step K mul|add|all`, `ops steps …`: of Renaud's procedure, one step, and all steps counted separately; `ops
//! shared …`: with common subexpressions shared between steps; `ops minimal N …`: of the quasi-minimal program that N restarts of the
//! search give; `base parameter NAME`, `base parameters`: the number that are not zero.

use super::{Found, Scalar, Scene, Value, in_numbers};
use armdyn_symbolic::{MinimalOptions, Quantity, RenaudOptions, base_parameters, minimal, renaud};
use std::time::Duration;

/// Longer than any requested number of restarts takes.
const BUDGET: Duration = Duration::from_secs(600);

/// The value, if the query is of this kind.
pub fn evaluate<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Found<S> {
    match words {
        ["ops", ..] | ["base", "parameter" | "parameters", ..] => Some(in_numbers(scene, |scene| number(words, scene))),
        _ => None,
    }
}

fn number(words: &[&str], scene: &Scene<f64>) -> Result<Value<f64>, String> {
    let m = &scene.model;
    let steps = || renaud(m, RenaudOptions::default()).map_err(|e| e.to_string());
    let message = |e: armdyn_core::Error| e.to_string();
    let chosen = |what: &str, mul: usize, add: usize| match what {
        "mul" => Ok((mul as f64).into()),
        "add" => Ok((add as f64).into()),
        "all" => Ok(((mul + add) as f64).into()),
        _ => Err(format!("`{what}`: mul, add, all")),
    };
    match words {
        ["ops", "step", number, what] => {
            let steps = steps()?.steps;
            let step = steps.iter().find(|s| s.number.to_string() == *number);
            step.map_or(Err(format!("no step {number}")), |s| chosen(what, s.mul, s.add))
        }
        ["ops", "steps", what] => {
            let steps = steps()?.steps;
            chosen(what, steps.iter().map(|s| s.mul).sum(), steps.iter().map(|s| s.add).sum())
        }
        ["ops", "shared", what] => {
            let count = steps()?.shared;
            chosen(what, count.mul, count.add)
        }
        ["ops", "minimal", restarts, what] => {
            let restarts = restarts.parse().map_err(|_| format!("`{restarts}` is not a number of restarts"))?;
            let options = MinimalOptions { budget: BUDGET, restarts: Some(restarts), ..MinimalOptions::default() };
            let count = minimal(&m.without_drives(), Quantity::Inverse, &options).map_err(message)?.count();
            chosen(what, count.mul, count.add)
        }
        ["base", "parameters"] => {
            let all = base_parameters(m).map_err(message)?;
            Ok((all.iter().filter(|p| p.value.abs() > 1e-12).count() as f64).into())
        }
        ["base", "parameter", name] => {
            let all = base_parameters(m).map_err(message)?;
            let found = all.iter().find(|p| p.name == *name).map(|p| p.value.into());
            let names = || all.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ");
            found.ok_or_else(|| format!("unknown base parameter `{name}`: {}", names()))
        }
        _ => Err("ops step K mul, ops steps mul, ops shared mul, ops minimal N mul".to_string()),
    }
}
