//! `armdyn ops`: operation counts of a robot's programs.

use super::programs;
use crate::args::{Ops, Parameters, Strategy};
use crate::document::{Document, Table};
use crate::{CommandResult, Output, diagnostics};
use armdyn_core::Model;
use armdyn_symbolic::{Count, Quantity, Renaud, Step, trace};
use serde_json::{Value, json};
use std::fmt::Write;

/// Operation counts of every quantity.
pub fn run(m: &Model<f64>, args: &Ops) -> CommandResult {
    let all = [Quantity::Inverse, Quantity::Gravity, Quantity::Coriolis, Quantity::Mass, Quantity::Forward];
    let quantities = if args.search.strategy == Some(Strategy::Renaud) { &all[..1] } else { &all[..] };
    let generated = programs::generate(m, quantities, &args.search, Parameters::Numeric)?;
    let traced = generated.traced_note();
    let renaud = generated.renaud;
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
    if let Some(renaud) = &renaud {
        let step = |s: &Step| json!({ "step": s.number, "computes": s.title(), "mul": s.mul, "add": s.add });
        result["inverse"]["steps"] = renaud.steps.iter().map(step).collect();
        result["inverse"]["shared"] = counts(&renaud.shared);
    }
    let header = ["quantity", "mul", "add", "div", "trig", "angles", "error", "strategy", "traced"];
    Output::of(args.robot.json, &result, |_| {
        let mut document: Document = Table::new(&header, &[0, 7, 8], rows).into();
        if let Some(renaud) = &renaud {
            steps(&mut document, renaud);
        }
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

/// The table of a procedure's steps.
fn steps(document: &mut Document, renaud: &Renaud) {
    let _ = writeln!(document);
    let count = |n: usize| if n == 0 { String::new() } else { n.to_string() };
    let row = |s: &Step| vec![s.number.to_string(), s.title().to_string(), count(s.mul), count(s.add)];
    let mut rows: Vec<Vec<String>> = renaud.steps.iter().map(row).collect();
    let total = renaud.program.count();
    rows.push(vec![String::new(), "total".to_string(), total.mul.to_string(), total.add.to_string()]);
    document.table(Table::new(&["step", "computes", "mul", "add"], &[1], rows));
    let _ = write!(
        document,
        "\nEach step is counted separately, as in Renaud's table; {} if products that two steps need are computed once.\n\
         Sines and cosines are given; signs and operations on parameters are free. Empty: no operation.\n",
        renaud.shared
    );
}

/// Multiplications, additions, divisions, and the sines and cosines.
fn counts(count: &Count) -> Value {
    let trig: Vec<String> = count.trig.iter().map(ToString::to_string).collect();
    json!({
        "mul": count.mul, "add": count.add, "div": count.div, "trig": trig, "angle_operations": count.angle_operations,
    })
}
