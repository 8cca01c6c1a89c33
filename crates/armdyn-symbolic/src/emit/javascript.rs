//! JavaScript: an ES module of functions over arrays of numbers.

use super::listing::{Body, Dialect, Listing};
use super::sheet::{Calling, commented, sheet};
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
fn head(function: &str, takes: &[(&str, usize)], output: (&str, usize)) -> String {
    let given: String = takes.iter().map(|t| format!("{}, ", t.0)).collect();
    format!("{function}({given}{} = new Float64Array({}))", output.0, output.1)
}

pub(super) fn emit(module: &Module) -> Emitted {
    let call = |l: &Listing| head(l.name(), &l.takes(), (l.output(), l.results()));
    let init = |l: &Listing| head(&format!("{}_init", l.name()), &[("p", l.parameters)], ("k", l.kept()));
    let notes =
        ["Each returns its last argument, made anew if none is given; it may be one of the inputs.".to_string()];
    let about = sheet(module, &Calling { call: &call, init: &init, notes: &notes, first: 0 });
    let mut text = commented(&about, "//");
    let function = |head: String, body: &Body, output: &str| {
        format!("\nexport function {head} {{\n{}  return {output};\n}}\n", JavaScript.statements(body, &[], output))
    };
    for l in &module.listings {
        if l.kept() > 0 {
            text += &function(init(l), &l.init, "k");
        }
        text += &function(call(l), &l.call, l.output());
    }
    Emitted::of([(format!("{}.mjs", module.name), text)])
}
