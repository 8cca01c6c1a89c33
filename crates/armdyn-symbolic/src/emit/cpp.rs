//! C++17: a header of templates over the number type.

use super::c::{CFamily, sign_function};
use super::header::{CallSyntax, block_comment, header};
use super::listing::{Dialect, Listing};
use super::sine::{DOUBLE, SINGLE};
use super::{Emitted, Module, Scalar, Trig};

/// `const T *q, const T *qd, T *tau`.
fn head(function: &str, inputs: &[(&str, usize)], output: &str) -> String {
    let arguments: String = inputs.iter().map(|t| format!("const T *{}, ", t.0)).collect();
    format!("template <class T> void {function}({arguments}T *{output})")
}

fn call(listing: &Listing) -> String {
    head(listing.name(), &listing.inputs(), listing.output())
}

fn init(listing: &Listing) -> String {
    head(&format!("{}_init", listing.name()), &[("p", listing.parameters)], "k")
}

pub(super) fn emit(module: &Module) -> Emitted {
    let name = &module.name;
    let built_in = module.trig == Trig::BuiltIn;
    let length = |l: &Listing| {
        let arrays = l.inputs().iter().map(|(a, n)| format!("{a}[{n}], ")).collect::<String>();
        format!("{}: {arrays}{}[{}]", l.name(), l.output(), l.results())
    };
    let mut notes = vec![format!("Namespace: {name}. Input and output arrays may overlap.")];
    notes.extend(module.listings.iter().map(|l| format!("Lengths of {}", length(l))));
    notes.push(if built_in {
        "T is float or double.".to_string()
    } else {
        "T is float, double, or a type with arithmetic operators and sin, cos, sqrt in its own namespace.".to_string()
    });
    let about = block_comment(&header(module, &CallSyntax { call: &call, init: &init, notes: &notes, first: 0 }));
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
    let function = |head: &str, body: &str| {
        let uses = ["sin", "cos", "sqrt"].into_iter().filter(|f| body.contains(&format!(" {f}(")));
        let uses: String = uses.map(|f| format!("    using std::{f};\n")).collect();
        format!("{}\n{{\n{uses}{body}}}\n\n", head.replace("> void", ">\nvoid"))
    };
    for listing in &module.listings {
        if listing.precomputed() > 0 {
            text += &format!("constexpr int {}_k = {};\n\n", listing.name(), listing.precomputed());
            text += &function(&init(listing), &family.statements(&listing.init, &[("p", listing.parameters)], "k"));
        }
        text += &function(&call(listing), &family.statements(&listing.call, &listing.inputs(), listing.output()));
    }
    text += &format!("}} // namespace {name}\n\n#endif\n");
    Emitted::of([(format!("{name}.hpp"), text)])
}
