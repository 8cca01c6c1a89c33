//! Large programs as a sequence of CUDA kernels: their functions compiled as C and run one after the other for several states, whose
//! numbers lie by element; the kernels compiled by NVRTC.

use super::cases::{self, Case};
use super::tools::{folder, is_there, numbers, run};
use super::{C_FLAGS, DOUBLE, SINGLE, c_type, nvrtc};
use armdyn_symbolic::emit::{CudaParts, EmitOptions, Scalar, Trig, cuda_parts};
use armdyn_symbolic::{Program, Quantity};
use armdyn_testkit::random::{Description, Drives, Joints};
use armdyn_testkit::{bundled, peers};
use std::path::Path;

fn parts(program: &Program, scalar: Scalar, size: usize) -> CudaParts {
    let options = EmitOptions { scalar: Some(scalar), trig: Some(Trig::BuiltIn), ..EmitOptions::default() };
    cuda_parts(program, &options, size).unwrap().unwrap_or_else(|| panic!("{} is small", program.quantity))
}

/// Compiles the parts, and a driver that calls each for all states before the next; it has the program's name.
fn build(at: &Path, program: &Program, states: usize, scalar: Scalar, code: &CudaParts) {
    let (real, name) = (c_type(scalar), &code.name);
    let arrays = Case::lengths(program);
    let n = program.outputs.len();
    let signature = |p: usize| {
        let inputs: String = arrays.iter().map(|(array, _)| format!("const {real} *{array}, ")).collect();
        format!("int call{p}({inputs}{real} *out, size_t stride, {real} *scratch, size_t states)")
    };
    let given: String = arrays.iter().map(|(array, _)| format!("{array}, ")).collect();
    let mut objects: Vec<String> = vec![];
    let (mut heads, mut calls) = (String::new(), String::new());
    for (p, source) in code.sources.iter().enumerate() {
        std::fs::write(at.join(format!("{name}{p}.cu")), source).unwrap();
        let call = format!("{name}{p}({given}out, stride, scratch, scratch, states)");
        let head = signature(p);
        let wrapper = format!("#include \"{name}{p}.cu\"\n{head};\n{head}\n{{\n    return {call};\n}}\n");
        std::fs::write(at.join("part.c"), wrapper).unwrap();
        let object = format!("{name}{p}.o");
        run(at, "gcc", &[&C_FLAGS[..5], &["-O1", "-c", "part.c", "-o", &object]].concat(), "");
        objects.push(object);
        heads += &format!("{};\n", signature(p));
        let own: String = arrays.iter().map(|(array, _)| format!("{array} + i, ")).collect();
        calls += &format!("    for (i = 0; i < S; i++) valid &= call{p}({own}out + i, S, scratch + i, S);\n");
    }
    let (mut declared, mut read) = (String::new(), String::new());
    for (array, length) in &arrays {
        declared += &format!("static {real} {array}[{length} * S];\n");
        read += &format!("        for (j = 0; j < {length}; j++) {array}[j * S + i] = number();\n");
    }
    // What has not been written is NaN.
    let main = format!(
        "#include <math.h>\n#include <stdio.h>\n#include <stddef.h>\nenum {{ S = {states} }};\n{heads}{declared}\
         static {real} out[{n} * S], scratch[{slots} * S];\n\
         static {real} number(void)\n{{\n    double x = NAN;\n    if (scanf(\"%lf\", &x) != 1) printf(\"too few\\n\");\n    return ({real})x;\n}}\n\
         int main(void)\n{{\n    int i, j, valid = 1;\n    \
             for (i = 0; i < {slots} * S; i++) scratch[i] = ({real})NAN;\n    \
             for (i = 0; i < {n} * S; i++) out[i] = ({real})NAN;\n    \
             for (i = 0; i < S; i++) {{\n{read}    }}\n{calls}    \
             if (!valid) printf(\"invalid\\n\");\n    \
             for (i = 0; i < S; i++) for (j = 0; j < {n}; j++) printf(\"%.17g\\n\", (double)out[j * S + i]);\n    \
             return 0;\n}}\n",
        slots = code.scratch,
    );
    std::fs::write(at.join("driver.c"), main).unwrap();
    let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
    run(at, "gcc", &[&["-std=c99", "-O1", "driver.c"], &objects[..], &["-lm", "-o", name]].concat(), "");
}

/// Runs every program of a robot in parts, and compares the results with the core's.
fn check(at: &Path, case: &Case, scalar: Scalar, size: usize) {
    for (k, program) in case.programs.iter().enumerate() {
        let code = parts(program, scalar, size);
        build(at, program, case.states(), scalar, &code);
        let input: String = case.inputs[k].iter().flatten().map(|x| format!("{x:?}\n")).collect();
        let found = numbers(&run(at, &format!("./{}", code.name), &[], &input));
        let one = Case {
            programs: vec![program.clone()],
            parameters: vec![],
            inputs: vec![case.inputs[k].clone()],
            expected: vec![case.expected[k].clone()],
            model: case.model.clone(),
        };
        let what = format!("{} parts of {size} steps, {scalar}", code.sources.len());
        one.check(&found, if scalar == Scalar::F32 { SINGLE } else { DOUBLE }, &what);
    }
}

/// Small robots in many short parts.
#[test]
fn short_parts_as_c() {
    if !is_there("gcc", &["--version"]) {
        return;
    }
    let at = folder("cuda-short-parts");
    let quantities = [Quantity::Inverse, Quantity::Mass, Quantity::Forward, Quantity::Derivatives];
    for seed in 0..3 {
        let tree = Description::random(seed, 5, Joints::SingleAxis, true, Drives::Friction).build();
        check(&at, &cases::of_model(&tree, &quantities, 5), Scalar::F64, [20, 40, 100][seed as usize]);
    }
    let panda = cases::of_model(&bundled("panda"), &[Quantity::Inverse, Quantity::Derivatives], 5);
    check(&at, &panda, Scalar::F64, 50);
    check(&at, &panda, Scalar::F32, 60);
}

/// A humanoid in the parts that the GPU runs.
#[test]
fn a_humanoid_as_c() {
    if !is_there("gcc", &["--version"]) {
        return;
    }
    let at = folder("cuda-parts");
    let talos = cases::of_model(&peers::robot("talos_ff"), &[Quantity::Forward, Quantity::Mass], 3);
    check(&at, &talos, Scalar::F64, 1500);
}

/// A part says that a state is invalid: a pivot that is not positive, a result that is not finite.
#[test]
fn invalid_states_are_found() {
    if !is_there("gcc", &["--version"]) {
        return;
    }
    let at = folder("cuda-invalid-parts");
    let m = bundled("ur5e");
    let mut case = cases::of_model(&m, &[Quantity::Forward], 2);
    let right = case.programs.remove(0).with_pivots(&m).unwrap();
    let mut wrong = right.clone();
    let last = wrong.pivots.len() - 1;
    wrong.pivots[last] = -wrong.pivots[last];
    let given = &case.inputs[0];
    let mut infinite = given.clone();
    infinite[1][2] = f64::INFINITY;
    for (program, states, valid) in [(&right, given, true), (&wrong, given, false), (&right, &infinite, false)] {
        let code = parts(program, Scalar::F64, 100);
        build(&at, program, 2, Scalar::F64, &code);
        let input = states.iter().flatten().map(|x| format!("{x:?}\n")).collect::<String>();
        let output = run(&at, &format!("./{}", code.name), &[], &input);
        assert_eq!(!output.contains("invalid"), valid, "{output}");
    }
}

/// NVRTC needs no GPU.
#[test]
fn parts_as_cuda() {
    let Some(compile) = nvrtc() else { return };
    let at = folder("nvrtc-parts");
    for (scalar, size) in [(Scalar::F64, 60), (Scalar::F32, 200)] {
        for program in &cases::of_model(&bundled("panda"), &[Quantity::Forward, Quantity::Derivatives], 1).programs {
            let code = parts(program, scalar, size);
            assert!(code.sources.len() > 2, "{}", code.sources.len());
            for (p, source) in code.sources.iter().enumerate() {
                std::fs::write(at.join("part.cu"), source).unwrap();
                let ptx = compile(&at, "part.cu");
                let entry = format!(".entry {}{p}_kernel(", code.name);
                assert!(ptx.contains(&entry), "no {entry}");
            }
        }
    }
}
