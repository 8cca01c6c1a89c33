//! WebAssembly: a binary module that exports its memory and one function per quantity, whose arguments are addresses; and an ES
//! module that loads it and accepts arrays.

use super::header::{CallSyntax, commented, header};
use super::listing::{Listing, Routine, Step, Term};
use super::sine::Sine;
use super::{Emitted, File, Module, Scalar, Trig};
use std::borrow::Cow;
use std::collections::HashMap;
use wasm_encoder::{
    CodeSection, CustomSection, EntityType, ExportKind, ExportSection, Function, FunctionSection, Ieee32, Ieee64,
    ImportSection, InstructionSink, MemArg, MemArgTarget, MemorySection, MemoryType, TypeSection, ValType,
};

/// Bytes in a page of memory.
const PAGE: usize = 65536;

/// The indices of shared functions.
#[derive(Clone, Copy, Default)]
struct Places {
    sin: u32,
    cos: u32,
    both: u32,
    sign: u32,
}

pub(super) fn emit(module: &Module) -> Emitted {
    let name = &module.name;
    let head = |r: &Routine| {
        let arguments: String = r.inputs.iter().map(|t| format!("{}, ", t.0)).collect();
        format!("{}({arguments}{})", r.name, r.output)
    };
    let mut notes = vec![
        "The module exports `memory` and these functions; their arguments are addresses (i32) of arrays in it."
            .to_string(),
        "The caller owns the whole memory. Input and output arrays may overlap.".to_string(),
    ];
    if module.uses_trig() && module.trig == Trig::Library {
        notes.push(format!("It imports env.sin and env.cos, from {0} to {0}.", module.scalar));
    }
    let about = header(module, &CallSyntax { head: &head, notes: &notes, first: 0 });
    let wasm = File { name: format!("{name}.wasm"), contents: binary(module, &about.join("\n")) };
    let loader = File { name: format!("{name}_wasm.mjs"), contents: loader(module, &about).into_bytes() };
    Emitted { files: vec![wasm, loader] }
}

fn binary(module: &Module, about: &str) -> Vec<u8> {
    let single = module.scalar == Scalar::F32;
    let number = if single { ValType::F32 } else { ValType::F64 };
    let mut types = TypeSection::new();
    types.ty().function([number], [number]);
    types.ty().function([number], [number, number]);
    let (mut imports, mut functions, mut exports) =
        (ImportSection::new(), FunctionSection::new(), ExportSection::new());
    let mut code = CodeSection::new();
    let mut places = Places::default();
    let mut next = 0;
    let mut place = || {
        next += 1;
        next - 1
    };
    let library = module.trig == Trig::Library;
    if module.uses_trig() && library {
        (places.sin, places.cos) = (place(), place());
        imports.import("env", "sin", EntityType::Function(0)).import("env", "cos", EntityType::Function(0));
    }
    if module.uses_trig() && !library {
        places.both = place();
        functions.function(1);
        code.function(&sine(Sine::of(module.scalar), single));
    }
    if module.uses_sign() {
        places.sign = place();
        functions.function(0);
        code.function(&sign(single));
    }
    let mut pages = 1;
    for l in &module.listings {
        for r in l.routines() {
            functions.function(types.len());
            types.ty().function(vec![ValType::I32; r.inputs.len() + 1], []);
            exports.export(&r.name, ExportKind::Func, place());
            code.function(&straight(r, single, library, places));
        }
        pages = pages.max(bytes(l, single).div_ceil(PAGE));
    }
    let mut memory = MemorySection::new();
    memory.memory(MemoryType {
        minimum: pages as u64,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    exports.export("memory", ExportKind::Memory, 0);

    let mut out = wasm_encoder::Module::new();
    out.section(&types);
    if !imports.is_empty() {
        out.section(&imports);
    }
    out.section(&functions).section(&memory).section(&exports).section(&code);
    out.section(&CustomSection { name: Cow::Borrowed("armdyn"), data: Cow::Borrowed(about.as_bytes()) });
    out.finish()
}

/// Memory of the arrays of a quantity.
fn bytes(l: &Listing, single: bool) -> usize {
    let numbers = l.call.inputs.iter().map(|t| t.1).sum::<usize>() + l.parameters + l.call.results();
    numbers * if single { 4 } else { 8 }
}

/// Emits instructions for one number type.
struct Writer<'a> {
    code: InstructionSink<'a>,
    single: bool,
}

macro_rules! instruction {
    ($($name:ident: $double:ident, $single:ident;)*) => {
        impl Writer<'_> {
            $(fn $name(&mut self) -> &mut Self {
                if self.single { self.code.$single(); } else { self.code.$double(); }
                self
            })*
        }
    };
}

instruction! {
    add: f64_add, f32_add;
    sub: f64_sub, f32_sub;
    mul: f64_mul, f32_mul;
    div: f64_div, f32_div;
    neg: f64_neg, f32_neg;
    abs: f64_abs, f32_abs;
    sqrt: f64_sqrt, f32_sqrt;
    nearest: f64_nearest, f32_nearest;
    truncated: i32_trunc_sat_f64_s, i32_trunc_sat_f32_s;
    less: f64_lt, f32_lt;
    more: f64_gt, f32_gt;
}

impl Writer<'_> {
    fn number(&mut self, x: f64) -> &mut Self {
        if self.single {
            self.code.f32_const(Ieee32::from(x as f32))
        } else {
            self.code.f64_const(Ieee64::from(x))
        };
        self
    }

    fn get(&mut self, local: u32) -> &mut Self {
        self.code.local_get(local);
        self
    }

    fn set(&mut self, local: u32) -> &mut Self {
        self.code.local_set(local);
        self
    }

    fn element(&self, index: usize) -> MemArg {
        let log = if self.single { 2 } else { 3 };
        MemArg { offset: (index as u64) << log, align: log, target: MemArgTarget::Memory(0), ordering: None }
    }

    fn load(&mut self, index: usize) {
        let at = self.element(index);
        if self.single {
            self.code.f32_load(at)
        } else {
            self.code.f64_load(at)
        };
    }

    fn store(&mut self, index: usize) {
        let at = self.element(index);
        if self.single {
            self.code.f32_store(at)
        } else {
            self.code.f64_store(at)
        };
    }

    /// Selects the first of two values if bits of an integer are set, otherwise the second.
    fn choose(&mut self, n: u32, mask: i32) -> &mut Self {
        self.get(n).code.i32_const(mask).i32_and().select();
        self
    }
}

/// x ↦ (sin x, cos x), by (1) and (2) of the polynomials.
fn sine(sine: &Sine, single: bool) -> Function {
    let number = if single { ValType::F32 } else { ValType::F64 };
    let [x, m, r, z, s, c, n] = [0, 1, 2, 3, 4, 5, 6];
    let mut f = Function::new([(5, number), (1, ValType::I32)]);
    let mut w = Writer { code: f.instructions(), single };
    w.get(x).number(core::f64::consts::FRAC_2_PI).mul().nearest().set(m);
    w.get(m).truncated().set(n);
    w.get(x);
    for part in sine.parts {
        w.get(m).number(part).mul().sub();
    }
    w.set(r).get(r).get(r).mul().set(z);
    let horner = |w: &mut Writer, coefficients: &[f64]| {
        w.number(coefficients[0]);
        for c in &coefficients[1..] {
            w.get(z).mul().number(*c).add();
        }
    };
    w.get(r).get(r).get(z).mul();
    horner(&mut w, sine.sin);
    w.mul().add().set(s);
    w.number(1.0).number(0.5).get(z).mul().get(z).get(z).mul();
    horner(&mut w, sine.cos);
    w.mul().sub().sub().set(c);
    // Quadrant, in the unused m and r.
    w.get(c).get(s).choose(n, 1).set(m);
    w.get(s).get(c).choose(n, 1).set(r);
    w.get(m).neg().get(m).choose(n, 2).number(f64::NAN).get(x).abs().number(sine.range).less().code.select();
    w.get(n).code.i32_const(1).i32_add().local_set(n);
    w.get(r).neg().get(r).choose(n, 2).number(f64::NAN).get(x).abs().number(sine.range).less().code.select().end();
    f
}

/// x ↦ −1, 0, 1, or NaN.
fn sign(single: bool) -> Function {
    let mut f = Function::new([]);
    let mut w = Writer { code: f.instructions(), single };
    w.number(1.0);
    w.number(-1.0).get(0).get(0).number(0.0).less().code.select();
    w.get(0).number(0.0).more().code.select().end();
    f
}

fn straight(r: &Routine, single: bool, library: bool, places: Places) -> Function {
    let Routine { inputs, output, body, .. } = r;
    let mut locals: HashMap<String, u32> = HashMap::new();
    for (array, _) in inputs.iter().chain([&(*output, 0)]) {
        let k = locals.len() as u32;
        // A result may have the name of an input, but its address is a separate argument.
        locals.insert(if (k as usize) < inputs.len() { array.to_string() } else { format!("→{array}") }, k);
    }
    let arguments = locals.len() as u32;
    let mut local = |name: &String| {
        let k = locals.len() as u32;
        *locals.entry(name.clone()).or_insert(k)
    };
    for step in &body.steps {
        match step {
            Step::Value { name, .. } => _ = local(name),
            Step::SinCos { sin, cos, .. } => sin.iter().chain(cos).for_each(|name| _ = local(name)),
        }
    }
    let number = if single { ValType::F32 } else { ValType::F64 };
    let mut f = Function::new([(locals.len() as u32 - arguments, number)]);
    let mut w = Writer { code: f.instructions(), single };
    for step in &body.steps {
        match step {
            Step::Value { name, value } => {
                push(&mut w, value, &locals, places);
                w.set(locals[name]);
            }
            Step::SinCos { angle, sin, cos } if library => {
                for (name, f) in [(sin, places.sin), (cos, places.cos)] {
                    if let Some(name) = name {
                        push(&mut w, angle, &locals, places);
                        w.code.call(f).local_set(locals[name]);
                    }
                }
            }
            Step::SinCos { angle, sin, cos } => {
                push(&mut w, angle, &locals, places);
                w.code.call(places.both);
                for name in [cos, sin] {
                    match name {
                        Some(name) => _ = w.set(locals[name]),
                        None => _ = w.code.drop(),
                    }
                }
            }
        }
    }
    for (i, result) in body.results.iter().enumerate() {
        w.get(arguments - 1);
        push(&mut w, result, &locals, places);
        w.store(i);
    }
    w.code.end();
    f
}

/// Pushes a value on the stack.
fn push(w: &mut Writer, term: &Term, locals: &HashMap<String, u32>, places: Places) {
    match term {
        Term::Number(x) => _ = w.number(*x),
        Term::Input(array, i) => w.get(locals[array.name()]).load(*i),
        Term::Precomputed(i) => w.get(locals["k"]).load(*i),
        Term::Name(name) => _ = w.get(locals[name]),
        Term::Binary(sign, of) => {
            of.iter().for_each(|a| push(w, a, locals, places));
            match sign {
                '+' => w.add(),
                '-' => w.sub(),
                '*' => w.mul(),
                _ => w.div(),
            };
        }
        Term::Negative(a) => {
            push(w, a, locals, places);
            w.neg();
        }
        Term::Function(name, a) => {
            push(w, a, locals, places);
            match *name {
                "sqrt" => _ = w.sqrt(),
                _ => _ = w.code.call(places.sign),
            }
        }
    }
}

fn loader(module: &Module, about: &[String]) -> String {
    let name = &module.name;
    let (array, bytes) = if module.scalar == Scalar::F32 { ("Float32Array", 4) } else { ("Float64Array", 8) };
    let library = module.uses_trig() && module.trig == Trig::Library;
    let imports = if library { "{ env: { sin: Math.sin, cos: Math.cos } }" } else { "{}" };
    let mut functions = String::new();
    for r in module.listings.iter().flat_map(Listing::routines) {
        let lengths: Vec<String> = r.inputs.iter().map(|t| t.1.to_string()).collect();
        functions += &format!("    {0}: call(\"{0}\", [{1}], {2}),\n", r.name, lengths.join(", "), r.results());
    }
    format!(
        "{about}\n\
         // Loads {name}.wasm from its bytes or a compiled module; each function accepts arrays and returns a new {array}.\n\
         export async function load(wasm) {{\n  \
           const loaded = await WebAssembly.instantiate(wasm, {imports});\n  \
           const {{ exports }} = loaded.instance ?? loaded;\n  \
           const call = (name, lengths, results) => (...arrays) => {{\n    \
             let at = 0;\n    \
             const addresses = lengths.map((length, i) => {{\n      \
               if (arrays[i]?.length !== length) throw new RangeError(`${{name}}: argument ${{i + 1}} must have ${{length}} elements`);\n      \
               new {array}(exports.memory.buffer, at, length).set(arrays[i]);\n      \
               at += {bytes} * length;\n      \
               return at - {bytes} * length;\n    \
             }});\n    \
             exports[name](...addresses, at);\n    \
             return new {array}(exports.memory.buffer, at, results).slice();\n  \
           }};\n  \
           return {{\n{functions}    exports,\n  }};\n\
         }}\n",
        about = commented(about, "//"),
    )
}
