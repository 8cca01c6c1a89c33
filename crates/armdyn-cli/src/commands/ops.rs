//! `armdyn ops`: operation counts of a robot's programs.

use super::programs;
use crate::args::{Ops, Parameters, Strategy};
use crate::document::{Document, Table};
use crate::{CommandResult, Output, diagnostics};
use armdyn_core::Model;
use armdyn_symbolic::{Count, Quantity, trace};
use serde_json::{Value, json};
use std::fmt::Write;

/// Operation counts of every quantity.
pub fn run(m: &Model<f64>, args: &Ops) -> CommandResult {
    let all = [Quantity::Inverse, Quantity::Gravity, Quantity::Coriolis, Quantity::Mass, Quantity::Forward];
    let quantities = if args.search.strategy == Some(Strategy::Renaud) { &all[..1] } else { &all[..] };
    let generated = programs::generate(m, quantities, &args.search, Parameters::Numeric)?;
    let traced = generated.traced_note();
    generated.notes.iter().for_each(diagnostics::warn);
    let (mut result, mut rows) = (json!({ "robot": m.name() }), vec![]);
    for (program, reason) in generated.programs.into_iter().zip(generated.reasons) {
        let (quantity, strategy) = (program.quantity.to_string(), program.strategy.clone());
        let (count, traced) = (program.count(), trace(m, program.quantity)?.count());
        let cells = [count.mul, count.add, count.div, count.trig.len(), count.angle_operations].map(|n| n.to_string());
        let error = program.reference_error();
        let rest = vec![error.map_or(String::new(), |e| format!("{e:.0e}")), strategy.clone(), traced.to_string()];
        rows.push([vec![quantity.clone()], cells.to_vec(), rest].concat());
        result[&quantity] = counts(&count);
        result[&quantity]["error"] = error.into();
        result[&quantity]["strategy"] = strategy.into();
        result[&quantity]["reason"] = reason.into();
        result[&quantity]["traced"] = counts(&traced);
    }
    let header = ["quantity", "mul", "add", "div", "trig", "angles", "error", "strategy", "traced"];
    Output::of(args.robot.json, &result, |_| {
        let mut document: Document = Table::new(&header, &[0, 7, 8], rows).into();
        let _ = write!(
            document,
            "\nangles: operations that form the angles of sines and cosines (q2 + q3, 2 q6, an offset), not in mul and add\n\
             error: largest difference from the recursion, relative to the largest element of a result\n"
        );
        if let Some(note) = traced {
            document += &format!("{note}\n");
        }
        document
    })
}

/// Multiplications, additions, divisions, and the sines and cosines.
fn counts(count: &Count) -> Value {
    let trig: Vec<String> = count.trig.iter().map(ToString::to_string).collect();
    json!({
        "mul": count.mul, "add": count.add, "div": count.div, "trig": trig, "angle_operations": count.angle_operations,
    })
}
