//! JavaScript: an ES module of functions on arrays of numbers.

use super::header::{CallSyntax, commented, header};
use super::listing::{Dialect, Listing, Routine};
use super::{Emitted, Module};

struct JavaScript;

impl Dialect for JavaScript {
    fn function(&self, name: &str, x: &str) -> String {
        format!("Math.{name}({x})")
    }

    fn assign(&self, name: &str, value: &str) -> String {
        format!("  const {name} = {value};\n")
    }

    fn store(&self, output: &str, index: usize, value: &str) -> String {
        format!("  {output}[{index}] = {value};\n")
    }
}

/// `inverse(q, qd, qdd, tau = new Float64Array(7))`.
fn head(r: &Routine) -> String {
    let arguments: String = r.inputs.iter().map(|t| format!("{}, ", t.0)).collect();
    format!("{}({arguments}{} = new Float64Array({}))", r.name, r.output, r.results())
}

pub(super) fn emit(module: &Module) -> Emitted {
    let notes =
        ["Each function returns its last argument, which defaults to a new array and may be one of the inputs."
            .to_string()];
    let mut text = commented(&header(module, &CallSyntax { head: &head, notes: &notes, first: 0 }), "//");
    for r in module.listings.iter().flat_map(Listing::routines) {
        let statements = JavaScript.statements(r);
        text += &format!("\nexport function {} {{\n{statements}  return {};\n}}\n", head(r), r.output);
    }
    Emitted::of([(format!("{}.mjs", module.name), text)])
}
