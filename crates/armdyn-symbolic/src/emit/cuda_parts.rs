//! CUDA: a large program as a sequence of kernels.
//!
//! A thread has at most 255 registers, and the compiler takes a time that grows faster than the length of a function. Parts of a
//! program compile faster, also in parallel, and keep their values in registers; values pass through the GPU's memory.

use super::c::c_real;
use super::cuda::{THREADS, arguments, check_finite, mark_invalid, prelude, qualifier};
use super::cuda_body::statements;
use super::parts::{Part, cut};
use super::{EmitError, EmitOptions, Language, Module};
use crate::program::Program;

/// A large program as CUDA kernels that are launched one after the other.
///
/// Kernel p is `<name><p>_kernel`, with 64 threads per block, one per state. Its arguments: `stride` (of the elements of an array of
/// the program: the number of all states by element, or 1 by rows), `rows` (an `int`: 0 by element, 1 by rows), `first` and `states`
/// (which states; `first` is a multiple of 32), the arrays of the program, `k` if it has parameters, the results, `scratch` (memory of
/// `states` times [`CudaParts::scratch`] numbers, which the kernels pass on), and `invalid` as in the file of [`emit`](super::emit).
///
/// `<name><p>` is the function of one state, which is also valid C99; there `from` and `to` are both `scratch` at this state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaParts {
    /// The beginning of the kernels' names.
    pub name: String,
    /// One source per kernel.
    pub sources: Vec<String>,
    /// Numbers per state that pass from kernel to kernel.
    pub scratch: usize,
}

/// The kernels of a program in parts of about `steps` assignments; none if it is not longer than one.
pub fn cuda_parts(program: &Program, options: &EmitOptions, steps: usize) -> Result<Option<CudaParts>, EmitError> {
    let programs = [program];
    let module = Module::of(&programs, Language::Cuda, options)?;
    let l = &module.listings[0];
    if l.call.body.steps.len() <= steps {
        return Ok(None);
    }
    let (parts, scratch) = cut(&l.call.body, steps);
    let name = format!("{}_{}_part", module.name, l.call.name);
    let sources = parts.iter().enumerate().map(|(p, part)| source(&module, part, &format!("{name}{p}"))).collect();
    Ok(Some(CudaParts { name, sources, scratch }))
}

/// A part as a file.
fn source(module: &Module, part: &Part, name: &str) -> String {
    let l = &module.listings[0];
    let (real, output, results) = (c_real(module.scalar), l.call.output, l.call.results());
    let mut text = prelude(module);
    text += &format!(
        "{} int {name}({}, size_t stride, const {real} *from, {real} *to, size_t states)\n{{\n    \
             (void){output}; (void)stride; (void)from; (void)to; (void)states;\n{}}}\n\n",
        qualifier(module),
        arguments(module, &l.call, ""),
        statements(module, l, part, false),
    );
    // The slots that a part reads and those that it writes differ: `from` and `to` are the same memory, but not aliases.
    text += "#ifdef __CUDACC__\n\n";
    text += &mark_invalid(module);
    text += &format!(
        "extern \"C\" __global__ void __launch_bounds__({THREADS})\n\
         {name}_kernel(size_t stride, int rows, size_t first, size_t states, {}, {real} *scratch, unsigned *__restrict__ invalid)\n{{\n    \
             const size_t j = (size_t)blockIdx.x * {THREADS} + threadIdx.x, i = first + j;\n    \
             const {real} *__restrict__ const from = scratch + j;\n    \
             {real} *__restrict__ const to = scratch + j;\n    \
             int valid = 1;\n    \
             if (j < states) {{\n",
        arguments(module, &l.call, "__restrict__ "),
    );
    let own = |array: &str, n: usize| format!("{array} + i * (rows ? {n} : 1), ");
    let mut given: String = l.arrays.iter().map(|(array, n)| own(array.name(), *n)).collect();
    if l.precomputed() > 0 {
        given += "k, ";
    }
    given += &own(output, results);
    text += &format!("        valid = {name}({given}stride, from, to, states);\n");
    if part.steps.start == 0 {
        text += &format!("        {real} zero = 0;\n");
        for (array, n) in &l.arrays {
            text += &check_finite(&format!("{}[i * (rows ? {n} : 1) + j * stride]", array.name()), *n, "");
        }
        text += "        valid &= zero == 0;\n";
    }
    text + &format!("    }}\n    {}_mark(invalid, i, valid);\n}}\n\n#endif\n", module.name)
}
