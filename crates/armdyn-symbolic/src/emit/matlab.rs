//! MATLAB and Octave: one file per function, one column per state.

use super::header::{CallSyntax, commented, header};
use super::listing::{Body, Dialect, Listing};
use super::{Emitted, File, Module};

struct Matlab;

impl Dialect for Matlab {
    fn element(&self, array: &str, index: usize) -> String {
        format!("{array}({},:)", index + 1)
    }

    fn times(&self) -> &'static str {
        " .* "
    }

    fn over(&self) -> &'static str {
        " ./ "
    }

    fn function(&self, name: &str, x: &str) -> String {
        // `sqrt` would return a complex number instead of failing.
        let name = if name == "sqrt" { "realsqrt" } else { name };
        format!("{name}({x})")
    }

    fn assign(&self, name: &str, value: &str) -> String {
        format!("    {name} = {value};\n")
    }

    fn store(&self, output: &str, index: usize, value: &str) -> String {
        format!("    {} = {value};\n", self.element(output, index))
    }
}

fn head(function: &str, inputs: &[(&str, usize)], output: &str) -> String {
    let names: Vec<&str> = inputs.iter().map(|t| t.0).collect();
    format!("{output} = {function}({})", names.join(", "))
}

pub(super) fn emit(module: &Module) -> Emitted {
    let name = &module.name;
    let call = |l: &Listing| head(&format!("{name}_{}", l.name()), &l.inputs(), l.output());
    let init = |l: &Listing| head(&format!("{name}_{}_init", l.name()), &[("p", l.parameters)], "k");
    let notes = [
        "One column per state, for inputs and results.".to_string(),
        "Matrices have the shape rows x columns x states; p and k are columns.".to_string(),
    ];
    let about = commented(&header(module, &CallSyntax { call: &call, init: &init, notes: &notes, first: 1 }), "%");
    let file = |function: &str, head: String, text: String| File {
        name: format!("{name}_{function}.m"),
        contents: format!("function {head}\n{about}{text}end\n").into_bytes(),
    };
    let mut files = vec![];
    for l in &module.listings {
        let mut text = checked_body(&l.call, &l.inputs(), l.output());
        if let Some(rows) = l.rows() {
            // MATLAB is column-major.
            let columns = l.results() / rows;
            text += &format!("    {0} = permute(reshape({0}, {columns}, {rows}, []), [2, 1, 3]);\n", l.output());
        }
        files.push(file(l.name(), call(l), text));
        if l.precomputed() > 0 {
            files.push(file(
                &format!("{}_init", l.name()),
                init(l),
                checked_body(&l.init, &[("p", l.parameters)], "k"),
            ));
        }
    }
    Emitted { files }
}

/// Checks of the argument shapes, then the statements.
fn checked_body(body: &Body, inputs: &[(&str, usize)], output: &str) -> String {
    let first = inputs[0].0;
    let mut text = String::new();
    for (array, n) in inputs {
        text += &format!("    if size({array}, 1) ~= {n}, error('{array} must have {n} rows'); end\n");
        let states = if *array == "k" { "1".to_string() } else { format!("size({first}, 2)") };
        if *array != first {
            text +=
                &format!("    if size({array}, 2) ~= {states}, error('{array} must have %d columns', {states}); end\n");
        }
    }
    text += &format!("    {output} = zeros({}, size({first}, 2), class({first}));\n", body.results.len());
    text + &Matlab.statements(body, inputs, output)
}
