//! C++17: a header of templates over the number.

use super::c::{CFamily, sign_function};
use super::listing::{Dialect, Listing};
use super::sheet::{Calling, block_comment, sheet};
use super::sine::{DOUBLE, SINGLE};
use super::{Emitted, Module, Scalar, Trig};

/// `const T *q, const T *qd, T *tau`.
fn head(function: &str, takes: &[(&str, usize)], output: &str) -> String {
    let given: String = takes.iter().map(|t| format!("const T *{}, ", t.0)).collect();
    format!("template <class T> void {function}({given}T *{output})")
}

fn call(listing: &Listing) -> String {
    head(listing.name(), &listing.takes(), listing.output())
}

fn init(listing: &Listing) -> String {
    head(&format!("{}_init", listing.name()), &[("p", listing.parameters)], "k")
}

pub(super) fn emit(module: &Module) -> Emitted {
    let name = &module.name;
    let built_in = module.trig == Trig::BuiltIn;
    let length = |l: &Listing| {
        let arrays = l.takes().iter().map(|(a, n)| format!("{a}[{n}], ")).collect::<String>();
        format!("{}: {arrays}{}[{}]", l.name(), l.output(), l.results())
    };
    let mut notes = vec![format!("All in the namespace {name}. An output may lie where an input does.")];
    notes.extend(module.listings.iter().map(|l| format!("Lengths for {}", length(l))));
    notes.push(if built_in {
        "T is float or double.".to_string()
    } else {
        "T is float, double, or a type with the operators and with sin, cos, sqrt that its own namespace has."
            .to_string()
    });
    let about = block_comment(&sheet(module, &Calling { call: &call, init: &init, notes: &notes, first: 0 }));
    let guard = format!("{}_HPP", name.to_uppercase());
    let mut text = format!("{about}#ifndef {guard}\n#define {guard}\n\n#include <cmath>\n\nnamespace {name} {{\n\n");
    let number = |x: f64| format!("T({x:?})");
    if module.signs() {
        text += &sign_function("T", "template <class T>", "sign_of", &number);
    }
    if module.turns() && built_in {
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
        if listing.kept() > 0 {
            text += &format!("constexpr int {}_k = {};\n\n", listing.name(), listing.kept());
            text += &function(&init(listing), &family.statements(&listing.init, &[("p", listing.parameters)], "k"));
        }
        text += &function(&call(listing), &family.statements(&listing.call, &listing.takes(), listing.output()));
    }
    text += &format!("}} // namespace {name}\n\n#endif\n");
    Emitted::of([(format!("{name}.hpp"), text)])
}
