//! Operation counts of inverse dynamics, and base parameters.
//!
//! `ops step K mul|add|all`, `ops steps …`: of Renaud's procedure, one step, and all with nothing shared between them; `ops
//! shared …`: with what steps have in common once; `ops minimal N …`: of the quasi-minimal program that N restarts of the
//! search give; `base parameter NAME`, `base parameters`: how many are not zero.

use super::in_numbers;
use crate::scene::Scene;
use crate::setting::Scalar;
use crate::value::Value;
use armdyn_symbolic::{Options, Quantity, base_parameters, minimal, renaud};
use std::time::Duration;

/// Longer than any number of restarts that is asked for.
const PATIENCE: Duration = Duration::from_secs(600);

/// The answer, if it is such a question.
pub fn answer<S: Scalar>(words: &[&str], scene: &Scene<S>) -> Option<Result<Value<S>, String>> {
    match words {
        ["ops", ..] | ["base", "parameter" | "parameters", ..] => Some(in_numbers(scene, |scene| number(words, scene))),
        _ => None,
    }
}

fn number(words: &[&str], scene: &Scene<f64>) -> Result<Value<f64>, String> {
    let m = &scene.model;
    let told = |e: armdyn_core::Error| e.to_string();
    let chosen = |what: &str, mul: usize, add: usize| match what {
        "mul" => Ok((mul as f64).into()),
        "add" => Ok((add as f64).into()),
        "all" => Ok(((mul + add) as f64).into()),
        _ => Err(format!("`{what}`: mul, add, all")),
    };
    match words {
        ["ops", "step", number, what] => {
            let (_, steps) = renaud(m).map_err(told)?;
            let step = steps.iter().find(|s| s.number.to_string() == *number);
            step.map_or(Err(format!("there is no step {number}")), |s| chosen(what, s.mul, s.add))
        }
        ["ops", "steps", what] => {
            let (_, steps) = renaud(m).map_err(told)?;
            chosen(what, steps.iter().map(|s| s.mul).sum(), steps.iter().map(|s| s.add).sum())
        }
        ["ops", "shared", what] => {
            let count = renaud(m).map_err(told)?.0.count();
            chosen(what, count.mul, count.add)
        }
        ["ops", "minimal", restarts, what] => {
            let restarts = restarts.parse().map_err(|_| format!("`{restarts}` is no number of restarts"))?;
            let options = Options { budget: PATIENCE, restarts: Some(restarts), ..Options::default() };
            let count = minimal(&m.without_drives(), Quantity::Inverse, &options).map_err(told)?.count();
            chosen(what, count.mul, count.add)
        }
        ["base", "parameters"] => {
            let all = base_parameters(m).map_err(told)?;
            Ok((all.iter().filter(|p| p.value.abs() > 1e-12).count() as f64).into())
        }
        ["base", "parameter", name] => {
            let all = base_parameters(m).map_err(told)?;
            let found = all.iter().find(|p| p.name == *name).map(|p| p.value.into());
            let names = || all.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ");
            found.ok_or_else(|| format!("there is no base parameter `{name}`: {}", names()))
        }
        _ => Err("ops step K mul, ops steps mul, ops shared mul, ops minimal N mul".to_string()),
    }
}
