//! C++17: a header of templates over the number type.

use super::c::{CFamily, sign_function};
use super::header::{CallSyntax, block_comment, header};
use super::listing::{Dialect, Routine};
use super::sine::{DOUBLE, SINGLE};
use super::{Emitted, Module, Scalar, Trig};

/// `template <class T> void inverse(const T *q, const T *qd, T *tau)`.
fn head(r: &Routine) -> String {
    let arguments: String = r.inputs.iter().map(|t| format!("const T *{}, ", t.0)).collect();
    format!("template <class T> void {}({arguments}T *{})", r.name, r.output)
}

pub(super) fn emit(module: &Module) -> Emitted {
    let name = &module.name;
    let built_in = module.trig == Trig::BuiltIn;
    let length = |r: &Routine| {
        let arrays = r.inputs.iter().map(|(a, n)| format!("{a}[{n}], ")).collect::<String>();
        format!("{}: {arrays}{}[{}]", r.name, r.output, r.results())
    };
    let mut notes = vec![format!("Namespace: {name}. Input and output arrays may overlap.")];
    notes.extend(module.listings.iter().map(|l| format!("Lengths of {}", length(&l.call))));
    notes.push(if built_in {
        "T is float or double.".to_string()
    } else {
        "T is float, double, or a type with arithmetic operators and sin, cos, sqrt in its own namespace.".to_string()
    });
    let about = block_comment(&header(module, &CallSyntax { head: &head, notes: &notes, first: 0 }));
    let guard = format!("{}_HPP", name.to_uppercase());
    let mut text = format!("{about}#ifndef {guard}\n#define {guard}\n\n#include <cmath>\n\nnamespace {name} {{\n\n");
    let number = |x: f64| format!("T({x:?})");
    if module.uses_sign() {
        text += &sign_function("T", "template <class T>", "sign_of", &number);
    }
    if module.uses_trig() && built_in {
        text += &DOUBLE.in_c("inline", "sine_and_cosine", Scalar::F64);
        text += &SINGLE.in_c("inline", "sine_and_cosine", Scalar::F32);
    }
    let family = CFamily {
        real: "T",
        number: &number,
        element: &|array, i| format!("{array}[{i}]"),
        function: &|name| if name == "sign" { "sign_of".to_string() } else { name.to_string() },
        both: built_in.then_some("sine_and_cosine"),
    };
    for l in &module.listings {
        if l.precomputed() > 0 {
            text += &format!("constexpr int {}_k = {};\n\n", l.quantity, l.precomputed());
        }
        for r in l.routines() {
            let body = family.statements(r);
            let uses = ["sin", "cos", "sqrt"].into_iter().filter(|f| body.contains(&format!(" {f}(")));
            let uses: String = uses.map(|f| format!("    using std::{f};\n")).collect();
            text += &format!("{}\n{{\n{uses}{body}}}\n\n", head(r).replace("> void", ">\nvoid"));
        }
    }
    text += &format!("}} // namespace {name}\n\n#endif\n");
    Emitted::of([(format!("{name}.hpp"), text)])
}
