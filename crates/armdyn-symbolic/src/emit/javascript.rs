//! JavaScript: an ES module of functions on arrays of numbers.

use super::header::{CallSyntax, commented, header};
use super::listing::{Body, Dialect, Listing};
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
fn head(function: &str, inputs: &[(&str, usize)], output: (&str, usize)) -> String {
    let arguments: String = inputs.iter().map(|t| format!("{}, ", t.0)).collect();
    format!("{function}({arguments}{} = new Float64Array({}))", output.0, output.1)
}

pub(super) fn emit(module: &Module) -> Emitted {
    let call = |l: &Listing| head(l.name(), &l.inputs(), (l.output(), l.results()));
    let init = |l: &Listing| head(&format!("{}_init", l.name()), &[("p", l.parameters)], ("k", l.precomputed()));
    let notes =
        ["Each function returns its last argument, which defaults to a new array and may be one of the inputs."
            .to_string()];
    let about = header(module, &CallSyntax { call: &call, init: &init, notes: &notes, first: 0 });
    let mut text = commented(&about, "//");
    let function = |head: String, body: &Body, output: &str| {
        format!("\nexport function {head} {{\n{}  return {output};\n}}\n", JavaScript.statements(body, &[], output))
    };
    for l in &module.listings {
        if l.precomputed() > 0 {
            text += &function(init(l), &l.init, "k");
        }
        text += &function(call(l), &l.call, l.output());
    }
    Emitted::of([(format!("{}.mjs", module.name), text)])
}
