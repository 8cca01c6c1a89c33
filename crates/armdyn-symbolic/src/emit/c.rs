//! C99: a source, a header, and a test against the results of the core's recursion.

use super::header::{CallSyntax, block_comment, header};
use super::listing::{Dialect, Listing, Routine, digits};
use super::sine::Sine;
use super::{Emitted, Module, Scalar, Trig};
use crate::graph::Array;
use crate::program::Program;
use crate::reference::Reference;

pub(super) fn c_real(scalar: Scalar) -> &'static str {
    if scalar == Scalar::F32 { "float" } else { "double" }
}

pub(super) fn c_number(x: f64, scalar: Scalar) -> String {
    digits(x, scalar) + if scalar == Scalar::F32 { "f" } else { "" }
}

/// C, C++ and CUDA, which differ in the syntax of numbers, elements and functions.
pub(super) struct CFamily<'a> {
    /// The number type.
    pub real: &'static str,
    pub number: &'a dyn Fn(f64) -> String,
    pub element: &'a dyn Fn(&str, usize) -> String,
    /// The names of `sin`, `cos`, `sqrt` and `sign`.
    pub function: &'a dyn Fn(&str) -> String,
    /// The function `f(x, &s, &c)` that computes sine and cosine, if there is one.
    pub both: Option<&'a str>,
}

impl Dialect for CFamily<'_> {
    fn number(&self, x: f64) -> String {
        (self.number)(x)
    }

    fn element(&self, array: &str, index: usize) -> String {
        (self.element)(array, index)
    }

    fn function(&self, name: &str, x: &str) -> String {
        format!("{}({x})", (self.function)(name))
    }

    fn assign(&self, name: &str, value: &str) -> String {
        format!("    const {} {name} = {value};\n", self.real)
    }

    fn sin_cos(&self, angle: &str, sin: Option<&str>, cos: Option<&str>) -> String {
        let Some(function) = self.both else {
            return self.sin_cos_each(angle, sin, cos);
        };
        // Both are computed; one may be unused.
        let label = &sin.or(cos).unwrap_or_default()[1..];
        format!("    {0} s{label}, c{label};\n    {function}({angle}, &s{label}, &c{label});\n", self.real)
    }

    fn unread(&self, array: &str) -> String {
        format!("    (void){array};\n")
    }
}

/// `void panda_inverse(const T q[7], const T qd[7], T tau[7])`.
fn head(module: &Module, r: &Routine) -> String {
    let real = c_real(module.scalar);
    let arguments: String = r.inputs.iter().map(|(name, n)| format!("const {real} {name}[{n}], ")).collect();
    format!("void {}_{}({arguments}{real} {}[{}])", module.name, r.name, r.output, r.results())
}

/// The macro for the length of `k`.
pub(super) fn precomputed_macro(module: &Module, listing: &Listing) -> String {
    format!("{}_{}_K", module.name, listing.quantity).to_uppercase()
}

pub(super) fn emit(module: &Module) -> Emitted {
    let name = &module.name;
    let real = c_real(module.scalar);
    let built_in = module.trig == Trig::BuiltIn;
    let library = (module.uses_trig() && !built_in) || module.uses_sqrt();
    let mut notes = vec!["Input and output arrays may overlap.".to_string()];
    let link = if library { "Link with -lm." } else { "No library is required." };
    notes.push(format!("{link} Test: cc -O2 {name}.c {name}_test.c -lm && ./a.out"));
    let about = block_comment(&header(module, &CallSyntax { head: &|r| head(module, r), notes: &notes, first: 0 }));

    let guard = format!("{}_H", name.to_uppercase());
    let mut header = format!("{about}#ifndef {guard}\n#define {guard}\n\n");
    header += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
    for listing in &module.listings {
        if listing.precomputed() > 0 {
            header += &format!("#define {} {}\n", precomputed_macro(module, listing), listing.precomputed());
        }
        header.extend(listing.routines().map(|r| format!("{};\n", head(module, r))));
    }
    header += "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";

    let mut source = format!("{about}#include \"{name}.h\"\n");
    // NAN of the built-in sine needs the header, but no library.
    source += if module.uses_trig() || library { "#include <math.h>\n\n" } else { "\n" };
    let number = |x: f64| c_number(x, module.scalar);
    if module.uses_sign() {
        source += &sign_function(real, "static", "sign_of", &number);
    }
    if module.uses_trig() && built_in {
        source += &Sine::of(module.scalar).in_c("static", "sine_and_cosine", module.scalar);
    }
    let suffix = if module.scalar == Scalar::F32 { "f" } else { "" };
    let family = CFamily {
        real,
        number: &number,
        element: &|array, i| format!("{array}[{i}]"),
        function: &|name| if name == "sign" { "sign_of".to_string() } else { format!("{name}{suffix}") },
        both: built_in.then_some("sine_and_cosine"),
    };
    for r in module.listings.iter().flat_map(Listing::routines) {
        source += &format!("{}\n{{\n{}}}\n\n", head(module, r), family.statements(r));
    }
    let test = about + &test(module);
    Emitted::of([
        (format!("{name}.c"), source.trim_end().to_string() + "\n"),
        (format!("{name}.h"), header),
        (format!("{name}_test.c"), test),
    ])
}

/// The sign of a number; of NaN, NaN.
pub(super) fn sign_function(real: &str, opening: &str, name: &str, number: &dyn Fn(f64) -> String) -> String {
    let [zero, one] = [0.0, 1.0].map(number);
    format!("{opening} {real} {name}({real} x)\n{{\n    return x > {zero} ? {one} : x < {zero} ? -{one} : x;\n}}\n\n")
}

/// The robot's parameters, or where a program has none, numbers.
fn parameters(program: &Program, listing: &Listing) -> Vec<f64> {
    let own = program.parameters();
    if own.len() == listing.parameters { own } else { (0..listing.parameters).map(|i| 1.25 + i as f64 / 8.0).collect() }
}

/// The states of a test, with the expected results: the references, or where a program has none (a simplified formula), its own
/// results.
fn expected(program: &Program, listing: &Listing) -> Vec<Reference> {
    if !program.references.is_empty() {
        return program.references.clone();
    }
    let value = |array: Array, i: usize| ((i * 7 + array as usize * 3) % 15) as f64 / 8.0 - 0.9375;
    let arrays: Vec<(Array, Vec<f64>)> =
        listing.arrays.iter().map(|&(a, n)| (a, (0..n).map(|i| value(a, i)).collect())).collect();
    let parameters = parameters(program, listing);
    let mut borrowed: Vec<(Array, &[f64])> = arrays.iter().map(|(a, values)| (*a, &values[..])).collect();
    borrowed.push((Array::Parameter, &parameters));
    let results = program.evaluate(&borrowed);
    vec![Reference { arrays, results }]
}

/// The relative error that a test allows: a few hundred roundings, or more where the program itself differs by more from the
/// references (forward dynamics multiply rounding by the condition of M), but not so much that a wrong program would pass.
fn tolerance(program: &Program, scalar: Scalar) -> f64 {
    let (least, roundings, most) = if scalar == Scalar::F32 { (1e-4, 1e8, 1e-2) } else { (1e-12, 10.0, 1e-9) };
    (roundings * program.reference_error().unwrap_or(0.0)).clamp(least, most)
}

fn test(module: &Module) -> String {
    let (name, real) = (&module.name, c_real(module.scalar));
    let list = |values: &[f64]| values.iter().map(|x| digits(*x, Scalar::F64)).collect::<Vec<_>>().join(", ");
    let numbers = |values: &[f64]| values.iter().map(|x| c_number(*x, module.scalar)).collect::<Vec<_>>().join(", ");
    let mut functions = String::new();
    let mut calls = String::new();
    for (program, listing) in module.programs.iter().zip(&module.listings) {
        let (function, results) = (&listing.call.name, listing.call.results());
        let mut states = String::new();
        for reference in expected(program, listing) {
            states += "    {\n";
            for (array, values) in reference.arrays.iter().filter(|(_, values)| !values.is_empty()) {
                states += &format!("        const {real} {}[] = {{{}}};\n", array.name(), numbers(values));
            }
            states += &format!("        const double expected[] = {{{}}};\n", list(&reference.results));
            states += &format!("        {real} found[{results}];\n");
            if let Some(init) = &listing.init {
                states += &format!("        const {real} p[] = {{{}}};\n", numbers(&parameters(program, listing)));
                states += &format!("        {real} k[{}];\n        {name}_{}(p, k);\n", init.results(), init.name);
            }
            let inputs: String = listing.call.inputs.iter().map(|t| format!("{}, ", t.0)).collect();
            states += &format!("        {name}_{function}({inputs}found);\n");
            states += &format!("        compare(found, expected, {results}, &worst);\n    }}\n");
        }
        let body = format!("    double worst = 0.0;\n{states}    return worst;\n");
        functions += &format!("static double {function}(void)\n{{\n{body}}}\n\n");
        let allowed = tolerance(program, module.scalar);
        calls += &format!("    failed |= report(\"{function}\", {function}(), {allowed:.0e});\n");
    }
    let independent = module.programs.iter().all(|p| !p.references.is_empty());
    let source =
        if independent { "/* Expected values: results of the recursion over the robot's model. */\n\n" } else { "" };
    format!(
        "#include \"{name}.h\"\n#include <math.h>\n#include <stdio.h>\n\n\
         {source}\
         /* The largest error so far, relative to the largest element of its result. */\n\
         static void compare(const {real} *found, const double *expected, int n, double *worst)\n{{\n    \
             double scale = 1e-300, error = 0.0;\n    int i;\n    \
             for (i = 0; i < n; i++) {{\n        \
                 double off = fabs((double)found[i] - expected[i]);\n        \
                 if (fabs(expected[i]) > scale) scale = fabs(expected[i]);\n        \
                 if (!(off <= error)) error = off;\n    }}\n    \
             if (!(error / scale <= *worst)) *worst = error / scale;\n}}\n\n\
         {functions}\
         static int report(const char *function, double worst, double allowed)\n{{\n    \
             int failed = !(worst <= allowed);\n    \
             printf(\"%-12s largest relative error %.1e%s\\n\", function, worst, failed ? \"  FAILED\" : \"\");\n    \
             return failed;\n}}\n\n\
         int main(void)\n{{\n    int failed = 0;\n{calls}    return failed;\n}}\n"
    )
}
