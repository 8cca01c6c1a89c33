//! MATLAB and Octave: one file per function, one column per state.

use super::header::{CallSyntax, commented, header};
use super::listing::{Dialect, Routine};
use super::{Emitted, File, Module};

struct Matlab;

impl Dialect for Matlab {
    fn element(&self, array: &str, index: usize) -> String {
        format!("{array}({},:)", index + 1)
    }

    fn operator(&self, sign: char) -> String {
        if matches!(sign, '*' | '/') { format!(" .{sign} ") } else { format!(" {sign} ") }
    }

    fn function(&self, name: &str, x: &str) -> String {
        // `sqrt` would return a complex number instead of failing.
        let name = if name == "sqrt" { "realsqrt" } else { name };
        format!("{name}({x})")
    }

    fn assign(&self, name: &str, value: &str) -> String {
        format!("    {name} = {value};\n")
    }
}

pub(super) fn emit(module: &Module) -> Emitted {
    let name = &module.name;
    let head = |r: &Routine| {
        let names: Vec<&str> = r.inputs.iter().map(|t| t.0).collect();
        format!("{} = {name}_{}({})", r.output, r.name, names.join(", "))
    };
    let notes = [
        "One column per state, for inputs and results.".to_string(),
        "Matrices have the shape rows x columns x states; p and k are columns.".to_string(),
    ];
    let about = commented(&header(module, &CallSyntax { head: &head, notes: &notes, first: 1 }), "%");
    let mut files = vec![];
    for l in &module.listings {
        for r in l.routines().rev() {
            let mut text = checked_body(r);
            if let Some(rows) = l.rows.filter(|_| !r.is_init()) {
                // MATLAB is column-major.
                let columns = r.results() / rows;
                text += &format!("    {0} = permute(reshape({0}, {columns}, {rows}, []), [2, 1, 3]);\n", r.output);
            }
            let contents = format!("function {}\n{about}{text}end\n", head(r)).into_bytes();
            files.push(File { name: format!("{name}_{}.m", r.name), contents });
        }
    }
    Emitted { files }
}

/// Checks of the argument shapes, then the statements.
fn checked_body(r: &Routine) -> String {
    let first = r.inputs[0].0;
    let mut text = String::new();
    for (array, n) in &r.inputs {
        text += &format!("    if size({array}, 1) ~= {n}, error('{array} must have {n} rows'); end\n");
        let states = if *array == "k" { "1".to_string() } else { format!("size({first}, 2)") };
        if *array != first {
            text +=
                &format!("    if size({array}, 2) ~= {states}, error('{array} must have %d columns', {states}); end\n");
        }
    }
    text += &format!("    {} = zeros({}, size({first}, 2), class({first}));\n", r.output, r.results());
    text + &Matlab.statements(r)
}
