//! `armdyn ops`: operation counts of a robot's programs.

use super::programs;
use crate::args::{Ops, Parameters, Strategy};
use crate::document::Table;
use crate::{CommandResult, Output, diagnostics, robot};
use armdyn_symbolic::{Quantity, trace};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Counts {
    mul: usize,
    add: usize,
    div: usize,
    /// The sines and cosines.
    trig: Vec<String>,
    strategy: String,
    /// The count of the traced recursion.
    #[serde(skip)]
    traced: String,
}

/// Operation counts of every quantity.
pub fn run(args: &Ops) -> CommandResult {
    let m = robot::open(&args.robot)?;
    let all = [Quantity::Inverse, Quantity::Gravity, Quantity::Coriolis, Quantity::Mass, Quantity::Forward];
    let quantities = if args.search.strategy == Some(Strategy::Renaud) { &all[..1] } else { &all[..] };
    let generated = programs::generate(&m, quantities, &args.search, Parameters::Numeric)?;
    generated.notes.iter().for_each(diagnostics::warn);
    let mut counts = BTreeMap::new();
    for program in generated.programs {
        let (count, traced) = (program.count(), trace(&m, program.quantity).map_err(|e| e.to_string())?.count());
        let trig = count.trig.iter().map(ToString::to_string).collect();
        let (mul, add, div, strategy) = (count.mul, count.add, count.div, program.strategy.clone());
        counts
            .insert(program.quantity.to_string(), Counts { mul, add, div, trig, strategy, traced: traced.to_string() });
    }
    Output::of(args.robot.json, &counts, |counts| {
        let row = |quantity: &Quantity| {
            let quantity = quantity.to_string();
            let c = &counts[&quantity];
            let [mul, add, div, trig] = [c.mul, c.add, c.div, c.trig.len()].map(|n| n.to_string());
            vec![quantity, mul, add, div, trig, c.strategy.clone(), c.traced.clone()]
        };
        let header = ["quantity", "mul", "add", "div", "trig", "strategy", "traced"];
        Table::new(&header, &[0, 5, 6], quantities.iter().map(row)).into()
    })
}
