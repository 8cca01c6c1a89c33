//! Rust without `std`: functions on `f64` or `f32`, or on a trait of numbers that is part of the file, with lanes that implement
//! it.

use super::header::{CallSyntax, commented, header};
use super::listing::{Dialect, Routine, digits};
use super::sine::{DOUBLE, SINGLE, Sine};
use super::{Emitted, Module, Scalar, Trig};

struct Rust<'a>(&'a Module<'a>);

impl Rust<'_> {
    /// The number type.
    fn real(&self) -> &'static str {
        match self.0.scalar {
            Scalar::F64 => "f64",
            Scalar::F32 => "f32",
            Scalar::Generic => "T",
        }
    }

    fn head(&self, r: &Routine) -> String {
        let (real, name, output) = (self.real(), &r.name, r.output);
        let generic = if self.0.scalar == Scalar::Generic { "<T: Number>" } else { "" };
        let arguments: String = r.inputs.iter().map(|(name, n)| format!("{name}: &[{real}; {n}], ")).collect();
        format!("pub fn {name}{generic}({arguments}{output}: &mut [{real}; {}])", r.results())
    }
}

impl Dialect for Rust<'_> {
    fn number(&self, x: f64) -> String {
        let text = digits(x, self.0.scalar);
        if self.0.scalar == Scalar::Generic { format!("T::of({text})") } else { text }
    }

    fn function(&self, name: &str, x: &str) -> String {
        // `std` has no sign function with sign(0) = 0.
        let own = self.0.scalar != Scalar::Generic && (self.0.trig == Trig::BuiltIn || name == "sign");
        let simple = x.chars().all(|c| c.is_alphanumeric() || "_[]".contains(c));
        match (own, simple) {
            (true, _) => format!("{name}({x})"),
            (_, true) => format!("{x}.{name}()"),
            _ => format!("({x}).{name}()"),
        }
    }

    fn assign(&self, name: &str, value: &str) -> String {
        format!("    let {name} = {value};\n")
    }

    fn sin_cos(&self, angle: &str, sin: Option<&str>, cos: Option<&str>) -> String {
        let both = format!("({}, {})", sin.unwrap_or("_"), cos.unwrap_or("_"));
        self.assign(&both, &self.function("sin_cos", angle))
    }

    fn unread(&self, array: &str) -> String {
        format!("    let _ = {array};\n")
    }
}

pub(super) fn emit(module: &Module) -> Emitted {
    let name = &module.name;
    let rust = Rust(module);
    let built_in = module.trig == Trig::BuiltIn;
    let needs = if built_in { "neither `std` nor other crates" } else { "`std` for sines, cosines and roots" };
    let mut notes = vec![format!("Requires {needs}. Use it as a module, or with lib.rs and Cargo.toml as a crate.")];
    if module.scalar == Scalar::Generic {
        notes.push("Number is f32, f64, Lanes of either (several states at a time), or your own type.".to_string());
    }
    let syntax = CallSyntax { head: &|r| rust.head(r), notes: &notes, first: 0 };
    // Plain comments: rustdoc would interpret names as markup.
    let mut text = commented(&header(module, &syntax), "//") + "\n#![allow(clippy::all)]\n\n";
    text += &functions(module);
    for (program, l) in module.programs.iter().zip(&module.listings) {
        if l.precomputed() > 0 {
            let constant = l.call.name.to_uppercase();
            text += &format!("/// The length of `k`.\npub const {constant}_K: usize = {};\n\n", l.precomputed());
        }
        for r in l.routines() {
            text += &match r.is_init() {
                true => format!("/// Values that depend on the parameters only, for [`{}`].\n", l.quantity),
                false => format!("/// `{}` of one state: {}.\n", r.output, program.count()),
            };
            text += &format!("{} {{\n{}}}\n\n", rust.head(r), rust.statements(r));
        }
    }
    let no_std = if built_in { "#![no_std]\n" } else { "" };
    let root = format!(
        "//! Dynamics of one robot: see `{name}.rs`.\n{no_std}#![deny(warnings)]\n\nmod {name};\npub use {name}::*;\n"
    );
    let manifest = format!(
        "[package]\nname = \"{}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[lib]\npath = \"lib.rs\"\n",
        name.replace('_', "-")
    );
    Emitted::of([
        (format!("{name}.rs"), text.trim_end().to_string() + "\n"),
        ("lib.rs".to_string(), root),
        ("Cargo.toml".to_string(), manifest),
    ])
}

/// The trait of numbers, or functions that the number type lacks.
fn functions(module: &Module) -> String {
    let built_in = module.trig == Trig::BuiltIn;
    let (turns, roots, signs) = (module.uses_trig(), module.uses_sqrt(), module.uses_sign());
    let mut text = String::new();
    let sign = |real: &str| {
        format!(
            "fn sign(x: {real}) -> {real} {{\n    if x > 0.0 {{\n        1.0\n    }} else if x < 0.0 {{\n        -1.0\n    }} else {{\n        x\n    }}\n}}\n\n"
        )
    };
    if module.scalar != Scalar::Generic {
        let real = module.scalar.to_string();
        if signs {
            text += &sign(&real);
        }
        if roots && built_in {
            text += ROOT;
            if module.scalar == Scalar::F32 {
                text = text.replace("fn sqrt(", "fn root(");
                text += "fn sqrt(x: f32) -> f32 {\n    root(x as f64) as f32\n}\n\n";
            }
        }
        if turns && built_in {
            text += &Sine::of(module.scalar).in_rust("sin_cos", module.scalar);
        }
        return text;
    }
    text += "use core::ops::{Add, Div, Mul, Neg, Sub};\n\n";
    text += "/// The scalar type of the functions.\npub trait Number:\n    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>\n{\n";
    text += "    /// A constant.\n    fn of(x: f64) -> Self;\n";
    let wanted = |lines: [(bool, String); 3]| lines.into_iter().filter(|l| l.0).map(|l| l.1).collect::<String>();
    text += &wanted([
        (turns, "    /// Sine and cosine.\n    fn sin_cos(self) -> (Self, Self);\n".to_string()),
        (roots, "    /// Square root.\n    fn sqrt(self) -> Self;\n".to_string()),
        (signs, "    /// -1, 0 or 1.\n    fn sign(self) -> Self;\n".to_string()),
    ]);
    text += "}\n\n";
    let single = if built_in { "root(self as f64) as f32" } else { "f32::sqrt(self)" };
    let double = if built_in { "root(self)" } else { "f64::sqrt(self)" };
    for (real, sine, root) in [("f64", "sin_cos_f64", double), ("f32", "sin_cos_f32", single)] {
        let sine = if built_in { format!("{sine}(self)") } else { format!("{real}::sin_cos(self)") };
        let choice = "if self > 0.0 {\n            1.0\n        } else if self < 0.0 {\n            -1.0\n        } else {\n            self\n        }";
        text += &format!(
            "impl Number for {real} {{\n    #[inline]\n    fn of(x: f64) -> Self {{\n        x as {real}\n    }}\n"
        );
        text += &wanted([
            (turns, format!("    #[inline]\n    fn sin_cos(self) -> (Self, Self) {{\n        {sine}\n    }}\n")),
            (roots, format!("    #[inline]\n    fn sqrt(self) -> Self {{\n        {root}\n    }}\n")),
            (signs, format!("    #[inline]\n    fn sign(self) -> Self {{\n        {choice}\n    }}\n")),
        ]);
        text += "}\n\n";
    }
    text += "/// L numbers, one per state, computed together.\n#[derive(Clone, Copy, Debug, PartialEq)]\npub struct Lanes<T, const L: usize>(pub [T; L]);\n\n";
    for (name, f, sign) in [("Add", "add", '+'), ("Sub", "sub", '-'), ("Mul", "mul", '*'), ("Div", "div", '/')] {
        text += &format!(
            "impl<T: Number, const L: usize> {name} for Lanes<T, L> {{\n    type Output = Self;\n    #[inline]\n    \
             fn {f}(self, other: Self) -> Self {{\n        Lanes(core::array::from_fn(|i| self.0[i] {sign} other.0[i]))\n    }}\n}}\n\n"
        );
    }
    text += "impl<T: Number, const L: usize> Neg for Lanes<T, L> {\n    type Output = Self;\n    #[inline]\n    fn neg(self) -> Self {\n        Lanes(self.0.map(|x| -x))\n    }\n}\n\n";
    text += "impl<T: Number, const L: usize> Number for Lanes<T, L> {\n    #[inline]\n    fn of(x: f64) -> Self {\n        Lanes([T::of(x); L])\n    }\n";
    text += &wanted([
        (turns, "    #[inline]\n    fn sin_cos(self) -> (Self, Self) {\n        let both = self.0.map(T::sin_cos);\n        (Lanes(both.map(|x| x.0)), Lanes(both.map(|x| x.1)))\n    }\n".to_string()),
        (roots, "    #[inline]\n    fn sqrt(self) -> Self {\n        Lanes(self.0.map(T::sqrt))\n    }\n".to_string()),
        (signs, "    #[inline]\n    fn sign(self) -> Self {\n        Lanes(self.0.map(T::sign))\n    }\n".to_string()),
    ]);
    text += "}\n\n";
    if built_in {
        text += &wanted([
            (roots, ROOT.replace("fn sqrt(", "fn root(")),
            (turns, DOUBLE.in_rust("sin_cos_f64", Scalar::F64)),
            (turns, SINGLE.in_rust("sin_cos_f32", Scalar::F32)),
        ]);
    }
    text
}

/// Newton's method from above until it no longer decreases: error at most one unit in the last place.
const ROOT: &str = "fn sqrt(x: f64) -> f64 {
    if !(x > 0.0 && x < f64::INFINITY) {
        return if x < 0.0 { f64::NAN } else { x };
    }
    let guess = f64::from_bits((x.to_bits() >> 1) + 0x1ff8_0000_0000_0000);
    let mut y = 0.5 * (guess + x / guess);
    loop {
        let next = 0.5 * (y + x / y);
        if next >= y {
            return y;
        }
        y = next;
    }
}

";
