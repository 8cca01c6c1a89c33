//! `armdyn ops`: what a robot's equations cost.

use super::programs;
use crate::args::{Figures, Ops, Strategy};
use crate::document::Table;
use crate::{CommandResult, diagnostics, robot};
use armdyn_symbolic::{Quantity, trace};
use serde_json::{Map, Value, json};

/// Operation counts of every quantity.
pub fn run(args: &Ops) -> CommandResult {
    let m = robot::open(&args.robot)?;
    let all = [Quantity::Inverse, Quantity::Gravity, Quantity::Coriolis, Quantity::Mass, Quantity::Forward];
    let quantities = if args.search.strategy == Some(Strategy::Renaud) { &all[..1] } else { &all[..] };
    let (mut object, mut rows) = (Map::new(), vec![]);
    let made = programs::make(&m, quantities, &args.search, Figures::Numeric)?;
    made.notes.iter().for_each(|note| diagnostics::warn(format_args!("{note}")));
    for program in made.programs {
        let (quantity, count) = (program.quantity.to_string(), program.count());
        let plain = trace(&m, program.quantity).map_err(|e| e.to_string())?.count();
        object.insert(
            quantity.clone(),
            json!({
                "mul": count.mul, "add": count.add, "div": count.div, "trig": count.trig, "strategy": program.strategy,
            }),
        );
        rows.push(vec![
            quantity,
            count.mul.to_string(),
            count.add.to_string(),
            count.div.to_string(),
            count.trig.len().to_string(),
            program.strategy,
            plain.to_string(),
        ]);
    }
    if args.robot.json {
        return Ok(Value::Object(object).into());
    }
    let header = ["quantity", "M", "A", "D", "trig", "strategy", "traced"];
    Ok(Table::new(&header, &[0, 5, 6], rows).into())
}
