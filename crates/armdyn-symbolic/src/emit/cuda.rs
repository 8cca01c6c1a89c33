//! CUDA: one thread per state. Arrays are ordered by element, then by state (structure of arrays), for coalesced access. A host
//! function accepts states by rows, like armdyn's batches, and transposes them on the device.
//!
//! The function of a thread is also valid C99, for tests without a GPU; NVRTC compiles the file unchanged.

use super::c::{CFamily, c_number, c_real, precomputed_macro, sign_function};
use super::header::{CallSyntax, block_comment, header};
use super::listing::{Dialect, Routine};
use super::sine::Sine;
use super::{Emitted, Module, Scalar, Trig};

/// Threads per block. On an H200, small blocks (of 32 to 256 tried) are as fast or a few percent faster.
const THREADS: usize = 64;

/// `const T *q, const T *k, T *tau`, each with `qualifier` before its name.
fn arguments(module: &Module, r: &Routine, qualifier: &str) -> String {
    let real = c_real(module.scalar);
    let arguments: String = r.inputs.iter().map(|t| format!("const {real} *{qualifier}{}, ", t.0)).collect();
    format!("{arguments}{real} *{qualifier}{}", r.output)
}

fn inputs(r: &Routine) -> String {
    r.inputs.iter().map(|t| format!("{}, ", t.0)).collect()
}

pub(super) fn emit(module: &Module) -> Emitted {
    let name = &module.name;
    let upper = name.to_uppercase();
    let (real, scalar) = (c_real(module.scalar), module.scalar);
    let built_in = module.trig == Trig::BuiltIn;
    let init = |r: &Routine| format!("void {name}_{}({})", r.name, arguments(module, r, ""));
    let head = |r: &Routine| match r.is_init() {
        true => init(r),
        false => format!("{name}_{}_batch(count, {}{})", r.name, inputs(r), r.output),
    };
    let notes = [
        "…_batch: host arrays, one state per row, row-major; returns a cudaError_t. For each function also:",
        "…_launch: device arrays, element j of state i at [j * count + i]; k is shared by all states; on a stream.",
        "…_kernel: the same, for other launchers (extern \"C\"; arguments: count, then these).",
        "…_state: one state, elements a stride apart; also valid C99.",
    ]
    .map(|line| line.replace('…', ".."));
    let mut text = block_comment(&header(module, &CallSyntax { head: &head, notes: &notes, first: 0 }));
    let body = format!("{upper}_BODY");
    text += &format!(
        "#ifdef __CUDACC__\n#define {body} inline __host__ __device__\n#else\n\
         #define {body} static inline\n#endif\n\
         #ifndef __CUDACC_RTC__\n#include <math.h>\n#include <stddef.h>\n#endif\n\n"
    );
    let number = |x: f64| c_number(x, scalar);
    if module.uses_sign() {
        text += &sign_function(real, &body, &format!("{name}_sign"), &number);
    }
    let sine = format!("{name}_sine");
    if module.uses_trig() && built_in {
        text += &Sine::of(scalar).in_c(&body, &sine, scalar);
    }
    let plain = |array: &str, i: usize| format!("{array}[{i}]");
    let strided = |array: &str, i: usize| match (array, i) {
        ("k", i) => format!("k[{i}]"),
        (array, 0) => format!("{array}[0]"),
        (array, i) => format!("{array}[{i} * stride]"),
    };
    let suffix = if scalar == Scalar::F32 { "f" } else { "" };
    let function = |f: &str| if f == "sign" { format!("{name}_sign") } else { format!("{f}{suffix}") };
    let family =
        |element| CFamily { real, number: &number, element, function: &function, both: built_in.then_some(&sine) };
    for l in &module.listings {
        if let Some(r) = &l.init {
            text += &format!("#define {} {}\n", precomputed_macro(module, l), r.results());
            text += &format!("{body} {}\n{{\n{}}}\n\n", init(r), family(&plain).statements(r));
        }
        let (function, arguments) = (&l.call.name, arguments(module, &l.call, ""));
        text += &format!("{body} void {name}_{function}_state({arguments}, size_t stride)\n{{\n    (void)stride;\n");
        text += &family(&strided).statements(&l.call);
        text += "}\n\n";
    }
    text += "#ifdef __CUDACC__\n\n";
    for l in &module.listings {
        let (what, output) = (&l.call.name, l.call.output);
        let at: String =
            l.call.inputs.iter().map(|t| if t.0 == "k" { "k, ".into() } else { format!("{} + i, ", t.0) }).collect();
        text += &format!(
            "extern \"C\" __global__ void __launch_bounds__({THREADS})\n\
             {name}_{what}_kernel(size_t count, {})\n{{\n    \
                 size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n    \
                 if (i < count) {name}_{what}_state({at}{output} + i, count);\n}}\n\n",
            arguments(module, &l.call, "__restrict__ "),
        );
    }
    text += &host(module);
    text += "#endif /* __CUDACC__ */\n";
    Emitted::of([(format!("{name}.cu"), text)])
}

/// Host functions: launches, and batches by rows.
fn host(module: &Module) -> String {
    let (name, real) = (&module.name, c_real(module.scalar));
    let mut text = format!(
        "#ifndef __CUDACC_RTC__\n\n\
         /* rows x columns, row by row, to columns x rows. */\n\
         static __global__ void {name}_transpose(size_t rows, size_t columns, const {real} *__restrict__ from, {real} *__restrict__ to)\n{{\n    \
             size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n    \
             if (i < rows * columns) to[i % columns * rows + i / columns] = from[i];\n}}\n\n\
         static inline unsigned {name}_blocks(size_t count)\n{{\n    \
             return (unsigned)((count + {THREADS} - 1) / {THREADS});\n}}\n\n"
    );
    for l in &module.listings {
        let (what, output, names) = (&l.call.name, l.call.output, inputs(&l.call));
        let state: Vec<(&str, usize)> = l.arrays.iter().map(|&(a, n)| (a.name(), n)).collect();
        let widest = state.iter().map(|s| s.1).chain([l.call.results()]).max().unwrap_or(1);
        let total: usize = state.iter().map(|s| s.1).sum::<usize>() + l.call.results() + widest;
        text += &format!(
            "static inline cudaError_t {name}_{what}_launch(size_t count, {}, cudaStream_t stream)\n{{\n    \
                 if (count == 0) return cudaSuccess;\n    \
                 {name}_{what}_kernel<<<{name}_blocks(count), {THREADS}, 0, stream>>>(count, {names}{output});\n    \
                 return cudaGetLastError();\n}}\n\n",
            arguments(module, &l.call, ""),
        );
        // Device memory: k, one array by rows, the arrays by element.
        text += &format!(
            "static inline cudaError_t {name}_{what}_batch(size_t count, {})\n{{\n    \
                 {real} *memory = NULL, *rows, *to;\n    \
                 cudaError_t error;\n    \
                 if (count == 0) return cudaSuccess;\n    \
                 error = cudaMalloc((void **)&memory, (count * {total} + {precomputed}) * sizeof({real}));\n    \
                 if (error != cudaSuccess) return error;\n    \
                 rows = memory + {precomputed};\n    \
                 to = rows + count * {widest};\n",
            arguments(module, &l.call, ""),
            precomputed = l.precomputed(),
        );
        if l.precomputed() > 0 {
            text += &format!(
                "    error = cudaMemcpy(memory, k, {} * sizeof({real}), cudaMemcpyHostToDevice);\n",
                l.precomputed()
            );
        }
        let mut device = vec![];
        let mut offset = 0;
        for (array, n) in &state {
            text += &format!(
                "    if (error == cudaSuccess) error = cudaMemcpy(rows, {array}, count * {n} * sizeof({real}), cudaMemcpyHostToDevice);\n    \
                     if (error == cudaSuccess) {name}_transpose<<<{name}_blocks(count * {n}), {THREADS}>>>(count, {n}, rows, to + count * {offset});\n"
            );
            device.push(format!("to + count * {offset}, "));
            offset += n;
        }
        if l.precomputed() > 0 {
            device.push("memory, ".to_string());
        }
        let n = l.call.results();
        text += &format!(
            "    if (error == cudaSuccess) error = {name}_{what}_launch(count, {}to + count * {offset}, 0);\n    \
                 if (error == cudaSuccess) {name}_transpose<<<{name}_blocks(count * {n}), {THREADS}>>>({n}, count, to + count * {offset}, rows);\n    \
                 if (error == cudaSuccess) error = cudaMemcpy({output}, rows, count * {n} * sizeof({real}), cudaMemcpyDeviceToHost);\n    \
                 cudaFree(memory);\n    \
                 return error;\n}}\n\n",
            device.concat(),
        );
    }
    text + "#endif /* __CUDACC_RTC__ */\n\n"
}
