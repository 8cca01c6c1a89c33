//! Emitted code is compiled, run and compared with the core: within 1e-12 of the largest element of a result in double precision
//! (a few hundred roundings), 1e-4 in single precision. Forward dynamics in single precision are compared by the torques of the
//! accelerations.

mod cases;
mod parts;
mod tools;

use armdyn_symbolic::emit::{EmitError, EmitOptions, Emitted, Language, Scalar, Trig, emit};
use armdyn_symbolic::{MinimalOptions, Program, Quantity, minimal, trace};
use cases::Case;
use std::path::Path;
use tools::{folder, is_there, numbers, run, write};

const DOUBLE: f64 = 1e-12;
const SINGLE: f64 = 1e-4;

fn emitted(case: &Case, language: Language, scalar: Scalar, trig: Trig) -> Emitted {
    let programs: Vec<&Program> = case.programs.iter().collect();
    emit(&programs, language, &EmitOptions { scalar: Some(scalar), trig: Some(trig), notes: &[] }).unwrap()
}

/// The prefix of the file names.
fn stem(emitted: &Emitted) -> String {
    emitted.files[0].name.rsplit_once('.').unwrap().0.to_string()
}

/// Robots and formulas for a scalar type and a sine implementation.
fn cases(scalar: Scalar, trig: Trig, every: bool) -> Vec<Case> {
    let single = scalar == Scalar::F32;
    let range = if single { 8192.0 } else { 1048576.0 };
    let mut all = cases::robots(every);
    all.extend([cases::operations(), cases::constants(), cases::sines(range, single, trig == Trig::BuiltIn)]);
    all
}

/// Sines have an error of little more than the rounding of 1; other results that of the dynamics.
fn tolerance(case: &Case, single: bool) -> f64 {
    match (case.programs[0].robot == "sine", single) {
        (true, true) => 1.3e-7,
        (true, false) => 2.5e-16,
        (_, true) => SINGLE,
        (_, false) => DOUBLE,
    }
}

/// A driver in C or C++ that reads the numbers of [`Case::stream`] and prints the results.
fn c_driver(
    case: &Case,
    real: &str,
    include: &str,
    name: &dyn Fn(&str) -> String,
    call: &dyn Fn(&str, &str) -> String,
) -> String {
    let mut main = String::new();
    if !case.parameters.is_empty() {
        main += &format!("    {real} p[{0}];\n    read(p, {0});\n", case.parameters.len());
    }
    for program in &case.programs {
        let what = program.quantity.name();
        let arrays = Case::lengths(program);
        let results = program.outputs.len();
        main += "    {\n";
        let mut given = String::new();
        for (array, n) in &arrays {
            main += &format!("        {real} {array}[{n}];\n");
            given += &format!("{array}, ");
        }
        main += &format!("        {real} out[{results}];\n        int i;\n");
        if !case.parameters.is_empty() {
            main += &format!("        {real} k[64];\n        {}(p, k);\n", name(&format!("{what}_init")));
            given += "k, ";
        }
        main += &format!("        for (i = 0; i < {}; i++) {{\n", case.states());
        for (array, n) in &arrays {
            main += &format!("            read({array}, {n});\n");
        }
        main += &format!(
            "            {};\n            print(out, {results});\n        }}\n    }}\n",
            call(what, &format!("{given}out"))
        );
    }
    format!(
        "#include <stdio.h>\n#include \"{include}\"\n\
         static void read({real} *x, int n)\n{{\n    int i;\n    for (i = 0; i < n; i++) {{\n        double y = 0.0;\n        \
         if (scanf(\"%lf\", &y) != 1) printf(\"too few\\n\");\n        x[i] = ({real})y;\n    }}\n}}\n\n\
         static void print(const {real} *x, int n)\n{{\n    int i;\n    for (i = 0; i < n; i++) printf(\"%.17g\\n\", (double)x[i]);\n}}\n\n\
         int main(void)\n{{\n{main}    return 0;\n}}\n"
    )
}

const C_FLAGS: [&str; 6] = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2"];

fn c_type(scalar: Scalar) -> &'static str {
    if scalar == Scalar::F32 { "float" } else { "double" }
}

fn c(scalar: Scalar, trig: Trig, every: bool) {
    if !is_there("gcc", &["--version"]) {
        return;
    }
    let at = folder(&format!("c-{scalar}-{trig}"));
    for case in cases(scalar, trig, every) {
        let code = emitted(&case, Language::C, scalar, trig);
        let name = stem(&code);
        write(&at, &code);
        let function = |f: &str| format!("{name}_{f}");
        let call = |f: &str, arguments: &str| format!("{name}_{f}({arguments})");
        let driver = c_driver(&case, c_type(scalar), &format!("{name}.h"), &function, &call);
        std::fs::write(at.join("driver.c"), driver).unwrap();
        let file = format!("{name}.c");
        run(&at, "gcc", &[&C_FLAGS[..], &["-c", &file, "-o", "code.o"]].concat(), "");
        run(&at, "gcc", &["-std=c99", "-O1", "code.o", "driver.c", "-lm", "-o", "driver"], "");
        let found = numbers(&run(&at, "./driver", &[], &case.stream()));
        case.check(&found, tolerance(&case, scalar == Scalar::F32), &format!("C, {scalar}, {trig}"));
        // The emitted test.
        let test = format!("{name}_test.c");
        run(&at, "gcc", &[&C_FLAGS[..], &["code.o", &test, "-lm", "-o", "own"]].concat(), "");
        let output = run(&at, "./own", &[], "");
        assert_eq!(output.lines().count(), case.programs.len(), "{output}");
    }
}

#[test]
fn c_in_double_precision() {
    c(Scalar::F64, Trig::Library, true);
}

#[test]
fn c_without_a_library() {
    c(Scalar::F64, Trig::BuiltIn, false);
}

#[test]
fn c_in_single_precision() {
    c(Scalar::F32, Trig::BuiltIn, true);
}

#[test]
fn c_plus_plus() {
    if !is_there("g++", &["--version"]) {
        return;
    }
    for (scalar, trig) in [(Scalar::F64, Trig::Library), (Scalar::F32, Trig::BuiltIn)] {
        let at = folder(&format!("cpp-{trig}"));
        let real = c_type(scalar);
        for case in cases(scalar, trig, false) {
            let code = emitted(&case, Language::Cpp, Scalar::Generic, trig);
            let name = stem(&code);
            write(&at, &code);
            let function = |f: &str| format!("{name}::{f}<{real}>");
            let call = |f: &str, arguments: &str| format!("{name}::{f}<{real}>({arguments})");
            let driver = c_driver(&case, real, &format!("{name}.hpp"), &function, &call);
            std::fs::write(at.join("driver.cpp"), driver).unwrap();
            run(&at, "g++", &["-std=c++17", "-Wall", "-Wextra", "-Werror", "-O1", "driver.cpp", "-o", "driver"], "");
            let found = numbers(&run(&at, "./driver", &[], &case.stream()));
            case.check(&found, tolerance(&case, scalar == Scalar::F32), &format!("C++, {real}, {trig}"));
        }
    }
}

/// As C, through the function of one state, with a stride of 3.
#[test]
fn cuda_as_c() {
    if !is_there("gcc", &["--version"]) {
        return;
    }
    for scalar in [Scalar::F64, Scalar::F32] {
        let at = folder(&format!("cuda-{scalar}"));
        for case in cases(scalar, Trig::BuiltIn, scalar == Scalar::F64) {
            let code = emitted(&case, Language::Cuda, scalar, Trig::BuiltIn);
            let name = stem(&code);
            write(&at, &code);
            let function = |f: &str| format!("{name}_{f}");
            let real = c_type(scalar);
            // Scatters the arrays and gathers the result.
            let call = |f: &str, arguments: &str| {
                let program = case.programs.iter().find(|p| p.quantity.name() == f).unwrap();
                let (mut text, mut strided) = (String::new(), arguments.to_string());
                for (array, n) in Case::lengths(program) {
                    text += &format!(
                        "{real} wide_{array}[{n} * 3]; int j_{array}; for (j_{array} = 0; j_{array} < {n}; j_{array}++) wide_{array}[j_{array} * 3] = {array}[j_{array}];\n"
                    );
                    strided = strided.replacen(&format!("{array}, "), &format!("wide_{array}, "), 1);
                }
                let n = program.outputs.len();
                strided = strided.replace(", out", ", wide");
                format!(
                    "{text}{real} wide[{n} * 3]; int j; {name}_{f}_state({strided}, 3); for (j = 0; j < {n}; j++) out[j] = wide[j * 3]"
                )
            };
            let driver = c_driver(&case, real, &format!("{name}.cu"), &function, &call);
            std::fs::write(at.join("driver.c"), driver).unwrap();
            run(&at, "gcc", &[&C_FLAGS[..], &["driver.c", "-lm", "-o", "driver"]].concat(), "");
            let found = numbers(&run(&at, "./driver", &[], &case.stream()));
            case.check(&found, tolerance(&case, scalar == Scalar::F32), &format!("CUDA as C, {scalar}"));
        }
    }
}

/// Compiles a file in a folder to PTX; NVRTC needs no GPU.
fn nvrtc() -> Option<impl Fn(&Path, &str) -> String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/emitted/nvrtc.py");
    let library =
        std::env::var("ARMDYN_NVRTC").unwrap_or(concat!(env!("CARGO_TARGET_TMPDIR"), "/../nvrtc").to_string());
    let there = is_there("python3", &[script, &library]);
    there.then_some(move |at: &Path, file: &str| run(at, "python3", &[script, &library, file], ""))
}

/// Every kernel is compiled.
#[test]
fn cuda_as_cuda() {
    let Some(compile) = nvrtc() else { return };
    let at = folder("nvrtc");
    for (scalar, trig) in [(Scalar::F64, Trig::BuiltIn), (Scalar::F32, Trig::BuiltIn), (Scalar::F32, Trig::Library)] {
        for case in cases::robots(scalar == Scalar::F64).into_iter().chain([cases::operations()]) {
            let code = emitted(&case, Language::Cuda, scalar, trig);
            write(&at, &code);
            let ptx = compile(&at, &code.files[0].name);
            for program in &case.programs {
                for layout in ["", "_rows"] {
                    let entry = format!(".entry {}_{}{layout}_kernel(", stem(&code), program.quantity);
                    assert!(ptx.contains(&entry), "{entry} is not in the PTX");
                }
            }
        }
    }
}

fn rust(scalar: Scalar, trig: Trig, lanes: usize, every: bool) {
    let at = folder(&format!("rust-{scalar}-{trig}-{lanes}"));
    let single = scalar == Scalar::F32;
    for case in cases(scalar, trig, every) {
        let code = emitted(&case, Language::Rust, if lanes > 0 { Scalar::Generic } else { scalar }, trig);
        write(&at, &code);
        run(&at, "rustc", &["--edition=2021", "--crate-type=lib", "--crate-name=code", "-O", "lib.rs"], "");
        let mut main = String::new();
        let number = if lanes > 0 { format!("code::Lanes<{scalar}, {lanes}>") } else { scalar.to_string() };
        let read = if lanes > 0 {
            // The state in one lane, other values in the others.
            format!("code::Lanes(std::array::from_fn(|lane| if lane == {lanes} - 1 {{ x }} else {{ 0.5 }}))")
        } else {
            "x".to_string()
        };
        let shown = if lanes > 0 { format!("x.0[{lanes} - 1]") } else { "x".to_string() };
        if !case.parameters.is_empty() {
            main += &format!("    let p: [{number}; {}] = read(&mut numbers);\n", case.parameters.len());
        }
        for program in &case.programs {
            let what = program.quantity.name();
            let mut given: String =
                Case::lengths(program).iter().map(|_| "&read(&mut numbers), ".to_string()).collect();
            if !case.parameters.is_empty() {
                main += &format!(
                    "    let mut k = [p[0]; code::{}_K];\n    code::{what}_init(&p, &mut k);\n",
                    what.to_uppercase()
                );
                given += "&k, ";
            }
            main += &format!(
                "    for _ in 0..{} {{\n        let mut out = [make(0.0); {}];\n        code::{what}({given}&mut out);\n        \
                 out.iter().for_each(|x| println!(\"{{:?}}\", {shown}));\n    }}\n",
                case.states(),
                program.outputs.len()
            );
        }
        let driver = format!(
            "fn make(x: {scalar}) -> {number} {{ {read} }}\n\
             fn read<const N: usize>(numbers: &mut impl Iterator<Item = f64>) -> [{number}; N] {{\n    \
             std::array::from_fn(|_| make(numbers.next().unwrap() as {scalar}))\n}}\n\
             fn main() {{\n    let text = std::io::read_to_string(std::io::stdin()).unwrap();\n    \
             let mut numbers = text.lines().map(|x| x.parse::<f64>().unwrap());\n{main}}}\n"
        );
        std::fs::write(at.join("driver.rs"), driver).unwrap();
        run(&at, "rustc", &["--edition=2021", "driver.rs", "--extern", "code=libcode.rlib", "-o", "driver"], "");
        let found = numbers(&run(&at, "./driver", &[], &case.stream()));
        case.check(&found, tolerance(&case, single), &format!("Rust, {scalar}, {trig}, lanes {lanes}"));
    }
}

#[test]
fn rust_without_std() {
    rust(Scalar::F64, Trig::BuiltIn, 0, true);
}

#[test]
fn rust_with_std() {
    rust(Scalar::F64, Trig::Library, 0, false);
}

#[test]
fn rust_in_single_precision() {
    rust(Scalar::F32, Trig::BuiltIn, 0, true);
}

#[test]
fn rust_over_lanes() {
    rust(Scalar::F64, Trig::BuiltIn, 4, true);
}

/// All states as a batch with two axes, and each separately.
#[test]
fn python() {
    let Some(python) = tools::python() else { return };
    let at = folder("python");
    for case in cases(Scalar::F64, Trig::Library, true) {
        let code = emitted(&case, Language::Python, Scalar::Generic, Trig::Library);
        let name = stem(&code);
        write(&at, &code);
        let mut main = format!(
            "import sys\nimport numpy as np\nimport {name} as robot\nnumbers = np.array(sys.stdin.read().split(), dtype=float)\nat = 0\n"
        );
        main += "def take(n):\n    global at\n    at += n\n    return numbers[at - n:at]\n\n";
        if !case.parameters.is_empty() {
            main += &format!("p = take({})\n", case.parameters.len());
        }
        for program in &case.programs {
            let what = program.quantity.name();
            let lengths = Case::lengths(program);
            let total: usize = lengths.iter().map(|l| l.1).sum();
            let (n, half) = (case.states(), case.states() / 2);
            let mut from = 0;
            main += &format!("rows = take({n} * {total}).reshape({n}, {total})\n");
            let mut given = vec![];
            for (_, length) in &lengths {
                given.push(format!("rows[..., {from}:{}]", from + length));
                from += length;
            }
            if !case.parameters.is_empty() {
                given.push(format!("robot.{what}_init(p)"));
            }
            let call = |rows: &str| format!("robot.{what}({})", given.join(", ").replace("rows", rows));
            main += &format!("one = np.array([{}.ravel() for row in rows])\n", call("row"));
            main += &format!("pairs = rows[:2 * {half}].reshape(2, {half}, {total})\nbatch = {}\n", call("pairs"));
            main += &format!("assert batch.shape[:2] == (2, {half}), batch.shape\n");
            main += &format!(
                "assert np.allclose(batch.reshape(2 * {half}, -1), one[:2 * {half}], rtol=1e-13, atol=1e-13)\n"
            );
            main += &format!(
                "assert {}.dtype == np.float32\n",
                call("rows.astype(np.float32)").replace("(p)", "(p.astype(np.float32))")
            );
            main += "for x in one.ravel(): print(repr(float(x)))\n";
        }
        main += "try:\n";
        main += &format!(
            "    robot.{}(*[np.zeros(99)] * 9)\nexcept (ValueError, TypeError):\n    pass\nelse:\n    raise SystemExit('99 elements were taken')\n",
            case.programs[0].quantity
        );
        std::fs::write(at.join("driver.py"), main).unwrap();
        let found = numbers(&run(&at, &python, &["-W", "error", "driver.py"], &case.stream()));
        case.check(&found, tolerance(&case, false), "Python");
    }
}

/// All states as columns, and the first separately.
#[test]
fn octave() {
    if !is_there("octave-cli", &["--version"]) {
        return;
    }
    let at = folder("octave");
    let mut main = "x = fscanf(stdin, '%f'); at = 0;\n".to_string();
    let all = cases(Scalar::F64, Trig::Library, true);
    let mut stream = String::new();
    for case in &all {
        let code = emitted(case, Language::Matlab, Scalar::Generic, Trig::Library);
        write(&at, &code);
        stream += &case.stream();
        if !case.parameters.is_empty() {
            main += &format!("p = x(at+1:at+{0}); at += {0};\n", case.parameters.len());
        }
        let robot = code.files[0].name.strip_suffix(&format!("_{}.m", case.programs[0].quantity)).unwrap();
        for program in &case.programs {
            let what = program.quantity.name();
            let lengths = Case::lengths(program);
            let total: usize = lengths.iter().map(|l| l.1).sum();
            let n = case.states();
            main += &format!("s = reshape(x(at+1:at+{n}*{total}), {total}, {n}); at += {n}*{total};\n");
            let mut from = 1;
            let mut given = vec![];
            for (_, length) in &lengths {
                given.push(format!("s({from}:{}, :)", from + length - 1));
                from += length;
            }
            if !case.parameters.is_empty() {
                main += &format!("k = {robot}_{what}_init(p);\n");
                given.push("k".to_string());
            }
            main += &format!("y = {robot}_{what}({});\n", given.join(", "));
            main += &format!("one = {robot}_{what}({});\n", given.join(", ").replace(", :)", ", 1)"));
            // Matrices, row-major.
            main += "if ndims(y) == 3, y = permute(y, [2, 1, 3]); one = permute(one, [2, 1]); end\n";
            main += &format!(
                "y = reshape(y, [], {n}); if any(abs(one(:) - y(:, 1)) > 1e-13 * max(1, abs(y(:, 1)))), error('alone it differs'); end\n"
            );
            main += "printf('%.17g\\n', y);\n";
        }
    }
    std::fs::write(at.join("driver.m"), main).unwrap();
    let found = numbers(&run(&at, "octave-cli", &["--no-init-file", "driver.m"], &stream));
    let mut rest = &found[..];
    for case in &all {
        let count = case.expected.iter().flatten().map(Vec::len).sum::<usize>().min(rest.len());
        case.check(&rest[..count], tolerance(case, false), "Octave");
        rest = &rest[count..];
    }
}

/// A driver in JavaScript: `robot` has the functions; results may overwrite the first array.
fn js_driver(case: &Case, import: &str, in_place: bool) -> String {
    let mut main = format!("import {{ readFileSync }} from 'node:fs';\n{import}\n");
    main += "const numbers = readFileSync(0, 'utf8').trim().split('\\n').map(Number);\nlet at = 0;\n";
    main += "const take = (n) => numbers.slice(at, (at += n));\nconst out = [];\n";
    main += &format!("const p = take({});\n", case.parameters.len());
    for program in &case.programs {
        let what = program.quantity.name();
        let mut given: Vec<String> = Case::lengths(program).iter().map(|l| format!("take({})", l.1)).collect();
        if !case.parameters.is_empty() {
            given.push(format!("robot.{what}_init(p)"));
        }
        if in_place {
            given[0] = format!("(first = {})", given[0]);
            given.push("first".to_string());
        }
        let (states, results) = (case.states(), program.outputs.len());
        let call = format!("robot.{what}({})", given.join(", "));
        main += &format!("for (let i = 0, first; i < {states}; i++) out.push(...{call}.slice(0, {results}));\n");
    }
    main + "console.log(out.join('\\n'));\n"
}

/// Results overwrite the positions.
#[test]
fn javascript() {
    if !is_there("node", &["--version"]) {
        return;
    }
    let at = folder("javascript");
    for case in cases(Scalar::F64, Trig::Library, true) {
        let code = emitted(&case, Language::JavaScript, Scalar::F64, Trig::Library);
        write(&at, &code);
        let import = format!("import * as robot from './{}';", code.files[0].name);
        std::fs::write(at.join("driver.mjs"), js_driver(&case, &import, true)).unwrap();
        let found = numbers(&run(&at, "node", &["driver.mjs"], &case.stream()));
        case.check(&found, tolerance(&case, false), "JavaScript");
    }
}

#[test]
fn web_assembly() {
    if !is_there("node", &["--version"]) {
        return;
    }
    let kinds = [(Scalar::F64, Trig::BuiltIn), (Scalar::F64, Trig::Library), (Scalar::F32, Trig::BuiltIn)];
    for (scalar, trig) in kinds {
        let at = folder(&format!("wasm-{scalar}-{trig}"));
        for case in cases(scalar, trig, trig == Trig::BuiltIn) {
            let code = emitted(&case, Language::Wasm, scalar, trig);
            write(&at, &code);
            let import = format!(
                "import {{ load }} from './{}';\nconst robot = await load(readFileSync('{}'));",
                code.files[1].name, code.files[0].name
            );
            std::fs::write(at.join("driver.mjs"), js_driver(&case, &import, false)).unwrap();
            let found = numbers(&run(&at, "node", &["driver.mjs"], &case.stream()));
            case.check(&found, tolerance(&case, scalar == Scalar::F32), &format!("WebAssembly, {scalar}, {trig}"));
        }
    }
}

/// Every file has a header with robot, operation count, sines and units.
#[test]
fn files_have_a_header() {
    let case = &cases::robots(true)[1];
    let programs: Vec<&Program> = case.programs.iter().collect();
    for language in Language::ALL {
        let code = emit(&programs, language, &EmitOptions::default()).unwrap();
        for file in code.files.iter().filter(|f| f.name != "lib.rs" && f.name != "Cargo.toml") {
            let text = String::from_utf8_lossy(&file.contents);
            let count = programs[0].count().to_string();
            for expected in ["jpl", &count, "traced", "sin(q1)", "rad/s^2, N m", "m/s^2, N", "inverse"] {
                assert!(text.contains(expected), "{}: no {expected:?}", file.name);
            }
        }
    }
}

/// The emitted test compares with the recursion: it fails for a program of the same robot with twice the gravity.
#[test]
fn a_wrong_program_fails_its_own_test() {
    if !is_there("gcc", &["--version"]) {
        return;
    }
    let m = armdyn_testkit::bundled("jpl-rrp");
    let right = trace(&m, Quantity::Inverse).unwrap();
    let heavy = trace(&m.with_gravity(m.gravity() * 2.0), Quantity::Inverse).unwrap();
    let wrong = Program { references: right.references.clone(), ..heavy };
    assert!(right.reference_error().unwrap() < 1e-12 && wrong.reference_error().unwrap() > 0.01);
    for (name, program, passes) in [("right", right, true), ("wrong", wrong, false)] {
        let at = folder(name);
        let code = emit(&[&program], Language::C, &EmitOptions::default()).unwrap();
        let stem = stem(&code);
        write(&at, &code);
        let [source, test] = [format!("{stem}.c"), format!("{stem}_test.c")];
        run(&at, "gcc", &[&C_FLAGS[..], &[&source, &test, "-lm", "-o", "own"]].concat(), "");
        let status = std::process::Command::new(at.join("own")).output().unwrap().status;
        assert_eq!(status.success(), passes, "{name}");
    }
}

/// Operations that form angles are stated: q2 + q3 of the parallel axes of a SCARA-like arm.
#[test]
fn the_header_states_operations_that_form_angles_and_the_accuracy() {
    let m = armdyn_testkit::bundled("ur5e");
    let options = MinimalOptions { budget: std::time::Duration::ZERO, ..MinimalOptions::default() };
    let program = minimal(&m, Quantity::Inverse, &options).unwrap();
    let count = program.count();
    // At least q2 + q3 and q2 + q3 + q4.
    assert!(count.trig.iter().any(|t| t.contains("q2 + q3")) && count.angle_operations >= 2, "{count:?}");
    let code = emit(&[&program], Language::C, &EmitOptions::default()).unwrap();
    let text = String::from_utf8(code.files[0].contents.clone()).unwrap();
    assert!(text.contains(&format!("{count} and {} that form angles", count.angle_operations)), "{text}");
    assert!(text.contains("largest difference from the recursion at 4 states: "), "{text}");
}

#[test]
fn unsupported_options_are_errors() {
    let robots = cases::robots(false);
    let (panda, jpl) = (&robots[0].programs[0], &robots[1].programs[0]);
    let options = EmitOptions::default();
    assert_eq!(emit(&[], Language::C, &options), Err(EmitError::NoPrograms));
    let error = emit(&[panda, jpl], Language::C, &options).unwrap_err();
    assert!(matches!(error, EmitError::TwoRobots { .. }), "{error}");
    let error = emit(&[panda, panda], Language::C, &options).unwrap_err();
    assert_eq!(error, EmitError::DuplicateQuantity { quantity: Quantity::Inverse });
    let single = EmitOptions { scalar: Some(Scalar::F32), ..options };
    let error = emit(&[panda], Language::JavaScript, &single).unwrap_err();
    assert_eq!(error.to_string(), "js code cannot be `f32`: expected `f64`");
    let built_in = EmitOptions { trig: Some(Trig::BuiltIn), ..options };
    let error = emit(&[panda], Language::Python, &built_in).unwrap_err();
    assert_eq!(error.to_string(), "python code cannot use `built-in` sines and cosines: expected `library`");
    let mut heavy = panda.clone();
    let (graph, out) = heavy.graph.clone().record_more(|| {
        let q = armdyn_symbolic::Graph::input(armdyn_symbolic::Array::Q, 0, "q1");
        q * <armdyn_symbolic::Expr as armdyn_core::Real>::lift(1e60)
    });
    (heavy.graph, heavy.outputs[0].value) = (graph, out);
    assert!(emit(&[&heavy], Language::C, &options).is_ok());
    let error = emit(&[&heavy], Language::C, &single).unwrap_err();
    assert_eq!(error, EmitError::Constant { quantity: Quantity::Inverse, value: 1e60, scalar: Scalar::F32 });
}
