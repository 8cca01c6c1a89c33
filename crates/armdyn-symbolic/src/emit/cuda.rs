//! CUDA: one thread per state. Kernels for two layouts of device arrays: by element, then by state (structure of arrays), and one
//! state per row, like armdyn's batches.
//!
//! By element, a warp reads and writes consecutive numbers. By rows, the 32 rows of a warp are consecutive numbers too: they are copied
//! through shared memory, in which a row has an odd length, so that no two threads of a warp use the same bank. Rows that are too
//! long for it are read and written directly.
//!
//! Where a thread has few inputs and results, it keeps them in registers. Otherwise it reads inputs where they are used, and stores
//! each result as soon as it is computed.
//!
//! The function of a thread is also valid C99, for tests without a GPU; NVRTC compiles the file unchanged.

use super::c::{CFamily, c_number, c_real, precomputed_macro, sign_function};
use super::cuda_body::statements;
use super::header::{CallSyntax, block_comment, header};
use super::listing::{Dialect, Listing, Routine};
use super::parts::Part;
use super::sine::Sine;
use super::{Emitted, Module, Scalar, Trig};

/// Threads per block. On an H200, small blocks (of 32 to 256 tried) are as fast or a few percent faster.
pub(super) const THREADS: usize = 64;

/// Threads per warp, and per block of the kernels by rows.
const WARP: usize = 32;

/// Shared memory that every GPU has per block [bytes].
const SHARED: usize = 48 << 10;

/// Largest number of results that a thread keeps in registers until they are stored, with all inputs. On an H200, Panda's ∂τ/∂(q, q̇) in
/// `f64` and a humanoid's inverse dynamics take a third less time than if each is read and stored where it is used.
const KEPT: usize = 256;

/// `const T *q, const T *k, T *tau`, each with `qualifier` before its name.
pub(super) fn arguments(module: &Module, r: &Routine, qualifier: &str) -> String {
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
    let init = |r: &Routine| format!("void {name}_{}({})", r.name, arguments(module, r, ""));
    let head = |r: &Routine| match r.is_init() {
        true => init(r),
        false => format!("{name}_{}_batch(count, {}{})", r.name, inputs(r), r.output),
    };
    let notes = [
        "…_batch: host arrays, one state per row, row-major; returns a cudaError_t. For each function also:",
        "…_launch: device arrays, element j of state i at [j * count + i]; k is shared by all states; on a stream.",
        "…_kernel: the same, for other launchers (extern \"C\"; arguments: count, then these, then `invalid`).",
        "…_rows_kernel: the same with one state per row, row-major; 32 threads per block.",
        "…_state: one state, elements a stride apart; also valid C99. Returns 0 if a result is not finite, or if the mass",
        "matrix is known not to be positive definite, else 1.",
        "invalid: NULL, or 1 + (count + 31) / 32 zeros. invalid[0] becomes the number of states with a number that is not",
        "finite, or for which …_state returns 0; bit i % 32 of invalid[1 + i / 32] marks state i.",
    ]
    .map(|line| line.replace('…', ".."));
    let mut text = block_comment(&header(module, &CallSyntax { head: &head, notes: &notes, first: 0 }));
    text += &prelude(module);
    let body = qualifier(module);
    for l in &module.listings {
        if let Some(r) = &l.init {
            text += &format!("#define {} {}\n", precomputed_macro(module, l), r.results());
            let plain = |array: &str, i: usize| format!("{array}[{i}]");
            text += &format!("{body} {}\n{{\n{}}}\n\n", init(r), in_cuda(module, &plain, |c| c.statements(r)));
        }
        let (function, arguments) = (&l.call.name, arguments(module, &l.call, ""));
        text += &format!("{body} int {name}_{function}_state({arguments}, size_t stride)\n{{\n    (void)stride;\n");
        text += &statements(module, l, &Part::whole(&l.call.body), is_kept(l));
        text += "}\n\n";
    }
    text += "#ifdef __CUDACC__\n\n";
    text += &mark_invalid(module);
    for (kernel, other) in [(kernel as fn(&Module, &Listing) -> String, "ROWS"), (rows_kernel, "ELEMENTS")] {
        text += &format!("#ifndef {upper}_ONLY_{other}\n\n");
        text.extend(module.listings.iter().map(|l| kernel(module, l)));
        text += "#endif\n\n";
    }
    text += &host(module);
    text += "#endif /* __CUDACC__ */\n";
    Emitted::of([(format!("{name}.cu"), text)])
}

/// The qualifier of functions for both host and device.
pub(super) fn qualifier(module: &Module) -> String {
    format!("{}_BODY", module.name.to_uppercase())
}

/// Definitions that the functions need.
pub(super) fn prelude(module: &Module) -> String {
    let (name, real, scalar, body) = (&module.name, c_real(module.scalar), module.scalar, qualifier(module));
    let mut text = format!(
        "#ifdef __CUDACC__\n#define {body} inline __host__ __device__\n#else\n\
         #define {body} static inline\n#endif\n\
         #ifndef __CUDACC_RTC__\n#include <math.h>\n#include <stddef.h>\n#endif\n\n"
    );
    if module.uses_sign() {
        text += &sign_function(real, &body, &format!("{name}_sign"), &|x| c_number(x, scalar));
    }
    if module.uses_trig() && module.trig == Trig::BuiltIn {
        text += &Sine::of(scalar).in_c(&body, &format!("{name}_sine"), scalar);
    }
    text
}

/// Writes with the syntax of CUDA and these elements of arrays.
pub(super) fn in_cuda(
    module: &Module,
    element: &dyn Fn(&str, usize) -> String,
    write: impl FnOnce(&CFamily) -> String,
) -> String {
    let (name, scalar) = (&module.name, module.scalar);
    let suffix = if scalar == Scalar::F32 { "f" } else { "" };
    let sine = format!("{name}_sine");
    write(&CFamily {
        real: c_real(scalar),
        number: &|x| c_number(x, scalar),
        element,
        function: &|f| if f == "sign" { format!("{name}_sign") } else { format!("{f}{suffix}") },
        both: (module.trig == Trig::BuiltIn).then_some(&sine),
    })
}

/// A function that all threads of a warp call.
pub(super) fn mark_invalid(module: &Module) -> String {
    format!(
        "/* Marks state i unless it is valid; for all threads of a warp. */\n\
         static __device__ __forceinline__ void {}_mark(unsigned *invalid, size_t i, int valid)\n{{\n    \
             unsigned bits = invalid ? __ballot_sync(0xffffffffu, !valid) : 0;\n    \
             if (bits && threadIdx.x % 32 == 0) {{\n        \
                 const unsigned marked = invalid[1 + i / 32];\n        \
                 invalid[1 + i / 32] = marked | bits;\n        \
                 atomicAdd(invalid, __popc(bits & ~marked));\n    }}\n}}\n\n",
        module.name
    )
}

/// The arguments of a state's function: the arrays of the state by `at`, and `k`.
fn state_arguments(l: &Listing, at: impl Fn(usize) -> String) -> String {
    let mut arguments: Vec<String> = (0..l.arrays.len()).map(at).collect();
    if l.precomputed() > 0 {
        arguments.push("k".to_string());
    }
    arguments.iter().map(|a| format!("{a}, ")).collect()
}

/// Statements that add 0 times each of `n` numbers to `zero`, which stays zero if all are finite.
pub(super) fn check_finite(array: &str, n: usize, each: &str) -> String {
    let unrolled = if n <= KEPT { "        #pragma unroll\n" } else { "" };
    format!("{unrolled}        for (int j = 0; j < {n}; j++) {{ {each}zero += {array} * 0; }}\n")
}

/// Whether a thread of the kernel by element keeps the inputs and results in registers.
fn is_kept(l: &Listing) -> bool {
    l.call.results() <= KEPT
}

/// The kernel by element.
fn kernel(module: &Module, l: &Listing) -> String {
    let (name, what, real, n) = (&module.name, &l.call.name, c_real(module.scalar), l.call.results());
    let output = l.call.output;
    let mut text = format!(
        "extern \"C\" __global__ void __launch_bounds__({THREADS})\n\
         {name}_{what}_kernel(size_t count, {}, unsigned *__restrict__ invalid)\n{{\n    \
             size_t i = (size_t)blockIdx.x * {THREADS} + threadIdx.x;\n    \
             int valid = 1;\n    \
             if (i < count) {{\n        \
             {real} zero = 0;\n",
        arguments(module, &l.call, "__restrict__ "),
    );
    if is_kept(l) {
        // Each array has its own stride: all are in registers.
        for (k, (array, n)) in l.arrays.iter().enumerate() {
            let array = array.name();
            text += &format!("        {real} x{k}[{n}];\n");
            text += &check_finite(&format!("x{k}[j]"), *n, &format!("x{k}[j] = {array}[j * count + i]; "));
        }
        let arguments = state_arguments(l, |k| format!("x{k}"));
        text += &format!("        {real} y[{n}];\n        valid = {name}_{what}_state({arguments}y, 1);\n");
        text +=
            &format!("        #pragma unroll\n        for (int j = 0; j < {n}; j++) {output}[j * count + i] = y[j];\n");
    } else {
        for (array, n) in &l.arrays {
            text += &check_finite(&format!("{}[j * count + i]", array.name()), *n, "");
        }
        let arguments = state_arguments(l, |k| format!("{} + i", l.arrays[k].0.name()));
        text += &format!("        valid = {name}_{what}_state({arguments}{output} + i, count);\n");
    }
    text + &format!("        valid &= zero == 0;\n    }}\n    {name}_mark(invalid, i, valid);\n}}\n\n")
}

/// The kernel by rows: one warp per block.
fn rows_kernel(module: &Module, l: &Listing) -> String {
    let (name, what, real, n) = (&module.name, &l.call.name, c_real(module.scalar), l.call.results());
    let output = l.call.output;
    let odd = |n: usize| n | 1;
    let columns: usize = l.arrays.iter().map(|(_, n)| odd(*n)).sum::<usize>() + odd(n);
    let staged = columns * WARP * module.scalar.bytes() <= SHARED;
    let mut text = format!(
        "extern \"C\" __global__ void __launch_bounds__({WARP})\n\
         {name}_{what}_rows_kernel(size_t count, {}, unsigned *__restrict__ invalid)\n{{\n",
        arguments(module, &l.call, "__restrict__ "),
    );
    if staged {
        text += &format!("    __shared__ {real} shared[{}];\n", columns * WARP);
    }
    text += &format!(
        "    const size_t first = (size_t)blockIdx.x * {WARP}, i = first + threadIdx.x;\n    \
             int valid = 1;\n"
    );
    if staged {
        text += &format!(
            "    const unsigned lane = threadIdx.x, rows = count - first < {WARP} ? (unsigned)(count - first) : {WARP};\n"
        );
    }
    let mut offset = 0;
    let mut places = vec![];
    for (array, n) in l.arrays.iter().map(|(a, n)| (a.name(), *n)).chain([(output, n)]) {
        if staged {
            text += &format!("    {real} *const s_{array} = shared + {offset};\n");
        }
        places.push((array, n));
        offset += WARP * odd(n);
    }
    let (results, arrays) = places.split_last().expect("there is an output");
    if staged {
        for (array, n) in arrays {
            text += &copy_rows(*n, &format!("s_{array}[e / {n} * {} + e % {n}] = {array}[first * {n} + e]", odd(*n)));
        }
        text += "    __syncwarp();\n";
    }
    // Where a thread's row begins.
    let row = |array: &str, n: usize| match staged {
        true => format!("s_{array} + lane * {}", odd(n)),
        false => format!("{array} + i * {n}"),
    };
    text += &format!("    if (i < count) {{\n        {real} zero = 0;\n");
    for (array, n) in arrays {
        text += &check_finite(&format!("({})[j]", row(array, *n)), *n, "");
    }
    let at = state_arguments(l, |k| row(arrays[k].0, arrays[k].1));
    text += &format!("        valid = {name}_{what}_state({at}{}, 1);\n", row(results.0, n));
    text += "        valid &= zero == 0;\n    }\n";
    if staged {
        text += "    __syncwarp();\n";
        text += &copy_rows(n, &format!("{output}[first * {n} + e] = s_{output}[e / {n} * {} + e % {n}]", odd(n)));
    }
    text + &format!("    {name}_mark(invalid, i, valid);\n}}\n\n")
}

/// Statements that copy element `e` of `rows` rows of `n` numbers, for all `e` of a warp.
fn copy_rows(n: usize, copy: &str) -> String {
    let unrolled = n.min(8);
    format!(
        "    if (rows == {WARP}) {{\n        #pragma unroll {unrolled}\n        \
             for (unsigned k = 0; k < {n}; k++) {{ const unsigned e = k * {WARP} + lane; {copy}; }}\n    \
             }} else {{\n        \
             for (unsigned e = lane; e < rows * {n}; e += {WARP}) {copy};\n    }}\n"
    )
}

/// Host functions: launches by element, and batches by rows.
fn host(module: &Module) -> String {
    let (name, real) = (&module.name, c_real(module.scalar));
    let mut text = "#ifndef __CUDACC_RTC__\n\n".to_string();
    for l in &module.listings {
        let (what, output, names) = (&l.call.name, l.call.output, inputs(&l.call));
        let state: Vec<(&str, usize)> = l.arrays.iter().map(|&(a, n)| (a.name(), n)).collect();
        let total: usize = state.iter().map(|s| s.1).sum::<usize>() + l.call.results();
        text += &format!(
            "static inline cudaError_t {name}_{what}_launch(size_t count, {}, cudaStream_t stream)\n{{\n    \
                 if (count == 0) return cudaSuccess;\n    \
                 {name}_{what}_kernel<<<(unsigned)((count + {THREADS} - 1) / {THREADS}), {THREADS}, 0, stream>>>(count, {names}{output}, NULL);\n    \
                 return cudaGetLastError();\n}}\n\n",
            arguments(module, &l.call, ""),
        );
        // Device memory: k, then the arrays.
        text += &format!(
            "static inline cudaError_t {name}_{what}_batch(size_t count, {})\n{{\n    \
                 {real} *memory = NULL, *rows;\n    \
                 cudaError_t error;\n    \
                 if (count == 0) return cudaSuccess;\n    \
                 error = cudaMalloc((void **)&memory, (count * {total} + {precomputed}) * sizeof({real}));\n    \
                 if (error != cudaSuccess) return error;\n    \
                 rows = memory + {precomputed};\n",
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
                "    if (error == cudaSuccess) error = cudaMemcpy(rows + count * {offset}, {array}, count * {n} * sizeof({real}), cudaMemcpyHostToDevice);\n"
            );
            device.push(format!("rows + count * {offset}, "));
            offset += n;
        }
        if l.precomputed() > 0 {
            device.push("memory, ".to_string());
        }
        let n = l.call.results();
        text += &format!(
            "    if (error == cudaSuccess) {{\n        \
                     {name}_{what}_rows_kernel<<<(unsigned)((count + {WARP} - 1) / {WARP}), {WARP}>>>(count, {}rows + count * {offset}, NULL);\n        \
                     error = cudaGetLastError();\n    }}\n    \
                 if (error == cudaSuccess) error = cudaMemcpy({output}, rows + count * {offset}, count * {n} * sizeof({real}), cudaMemcpyDeviceToHost);\n    \
                 cudaFree(memory);\n    \
                 return error;\n}}\n\n",
            device.concat(),
        );
    }
    text + "#endif /* __CUDACC_RTC__ */\n\n"
}
