//! A robot's program on the GPUs of this machine.

use crate::batch::{Worker, lock};
use crate::device::{Kernel, Number, compile, gpus};
use crate::{DeviceArray, Error, Gpu};
use armdyn_core::Model;
use armdyn_symbolic::emit::{CudaParts, EmitError, EmitOptions, Language, Trig, cuda_parts, emit};
use armdyn_symbolic::{Array, MinimalOptions, Program, Quantity, minimal};
use cudarc::driver::{CudaFunction, CudaSlice};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// The layout of arrays on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One state per row, row-major, like batches on the host.
    Rows,
    /// By element, then by state: element j of state i is at j · states + i. A quarter to a half faster.
    Elements,
}

/// Assignments per kernel of a large program, which is divided into several kernels.
const PART: usize = 1000;

/// Results above which a program is divided. On an H200, M of a humanoid (1444 results) is five times as fast in parts (0.14 instead of 0.03
/// billion states a second by element in `f64`), and compiles in 5 instead of 23 s; ∂τ/∂(q, q̇) of Panda (98 results) is a third as fast.
const RESULTS: usize = 256;

/// The kernels of each GPU, compiled at their first use.
type Kernels = OnceLock<Result<Vec<Kernel>, Error>>;

/// A program of one robot on GPUs.
///
/// Kernels are compiled at the first use of a layout, in about a second; those of a large program in several, as parts on all cores. Results equal those of the CPU but for rounding. A state with
/// an angle beyond 2²⁰ rad (`f32`: 8192 rad) makes the states that are computed with it be computed again with CUDA's own sine.
pub struct GpuProgram<T: Number = f64> {
    program: Arc<Program>,
    gpus: Vec<Gpu>,
    /// By layout, then by sine (built-in, CUDA's). Those of a large program are for both layouts.
    kernels: [[Kernels; 2]; 2],
    /// Whether it is divided into several kernels.
    large: bool,
    /// Memory of a large program that [`GpuProgram::run`] uses, by GPU.
    scratch: Vec<Mutex<Option<CudaSlice<T>>>>,
    /// Buffers of batches, by GPU.
    pub(crate) idle: Vec<Mutex<Vec<Worker<T>>>>,
}

impl GpuProgram {
    /// A program without parameters, on these GPUs.
    ///
    /// A mass matrix that is not positive definite is reported if the program has pivots ([`Program::with_pivots`]).
    pub fn new(program: Program, gpus: Vec<Gpu>) -> Self {
        Self::of(Arc::new(program), gpus)
    }

    /// The quasi-minimal program of a quantity, with the exact parameters of the model, on all GPUs of this machine.
    pub fn of_model(model: &Model<f64>, quantity: Quantity) -> Result<Self, Error> {
        let gpus = gpus()?;
        let options = MinimalOptions { budget: Duration::ZERO, exact: true, ..MinimalOptions::default() };
        let program = minimal(model, quantity, &options)?;
        let inverts = matches!(quantity, Quantity::Forward | Quantity::InverseMass | Quantity::ForwardDerivatives);
        Ok(Self::new(if inverts { program.with_pivots(model)? } else { program }, gpus))
    }

    /// τ(q, q̇, q̈).
    pub fn inverse(model: &Model<f64>) -> Result<Self, Error> {
        Self::of_model(model, Quantity::Inverse)
    }

    /// q̈(q, q̇, τ).
    pub fn forward(model: &Model<f64>) -> Result<Self, Error> {
        Self::of_model(model, Quantity::Forward)
    }

    /// M(q), row-major.
    pub fn mass(model: &Model<f64>) -> Result<Self, Error> {
        Self::of_model(model, Quantity::Mass)
    }

    /// The same program in single precision.
    pub fn single(&self) -> GpuProgram<f32> {
        GpuProgram::of(self.program.clone(), self.gpus.clone())
    }
}

impl<T: Number> GpuProgram<T> {
    fn of(program: Arc<Program>, gpus: Vec<Gpu>) -> Self {
        let idle = gpus.iter().map(|_| Mutex::new(vec![])).collect();
        let scratch = gpus.iter().map(|_| Mutex::new(None)).collect();
        // What cannot be emitted is an error of the first use.
        let large = Self::parts(&program, Trig::BuiltIn).is_ok_and(|parts| parts.is_some());
        GpuProgram { program, gpus, kernels: Default::default(), large, scratch, idle }
    }

    /// The kernels of a large program.
    fn parts(program: &Program, trig: Trig) -> Result<Option<CudaParts>, EmitError> {
        if program.outputs.len() <= RESULTS {
            return Ok(None);
        }
        cuda_parts(program, &Self::options(trig), PART)
    }

    /// The GPUs that batches are distributed over.
    pub fn gpus(&self) -> &[Gpu] {
        &self.gpus
    }

    /// Number of results of a state.
    pub fn outputs(&self) -> usize {
        self.program.outputs.len()
    }

    /// The input arrays, each with its length per state.
    pub fn arrays(&self) -> Vec<(Array, usize)> {
        self.program.arrays()
    }

    /// The kernels of a layout, one for each GPU.
    pub(crate) fn kernels(&self, layout: Layout, trig: Trig) -> Result<&[Kernel], Error> {
        let (rows, library) = (layout == Layout::Rows && !self.large, trig == Trig::Library);
        let made = self.kernels[usize::from(rows)][usize::from(library)].get_or_init(|| self.compiled(rows, trig));
        made.as_deref().map_err(Clone::clone)
    }

    fn options(trig: Trig) -> EmitOptions<'static> {
        EmitOptions { scalar: Some(T::SCALAR), trig: Some(trig), ..EmitOptions::default() }
    }

    fn compiled(&self, rows: bool, trig: Trig) -> Result<Vec<Kernel>, Error> {
        let options = Self::options(trig);
        if let Some(CudaParts { name, sources, scratch }) = Self::parts(&self.program, trig)? {
            let names = (0..sources.len()).map(|p| format!("{name}{p}_kernel"));
            let sources: Vec<(String, String)> = sources.into_iter().zip(names).collect();
            let functions = self.functions(&sources, &[])?;
            return Ok(functions.into_iter().map(|functions| Kernel::Parts { functions, scratch }).collect());
        }
        let code = emit(&[&*self.program], Language::Cuda, &options)?;
        let name = code.files[0].name.trim_end_matches(".cu").to_string();
        let text = String::from_utf8_lossy(&code.files[0].contents).into_owned();
        let only = format!("{}_ONLY_{}", name.to_uppercase(), if rows { "ROWS" } else { "ELEMENTS" });
        let kernel = format!("{name}_{}{}_kernel", self.program.quantity, if rows { "_rows" } else { "" });
        let functions = self.functions(&[(text, kernel)], &[only])?;
        let threads = if rows { 32 } else { 64 };
        Ok(functions.into_iter().flatten().map(|function| Kernel::Whole(function, threads)).collect())
    }

    /// Compiles sources in parallel, and loads the kernel that is named with each, for each GPU.
    fn functions(&self, sources: &[(String, String)], defines: &[String]) -> Result<Vec<Vec<CudaFunction>>, Error> {
        let mut capabilities: Vec<(i32, i32)> = self.gpus.iter().map(Gpu::capability).collect();
        capabilities.sort();
        capabilities.dedup();
        // By source, the function of each GPU.
        let function = |(text, name): &(String, String)| -> Result<Vec<CudaFunction>, Error> {
            let compiled = capabilities.iter().map(|&c| Ok((c, compile(text, c, defines)?)));
            let compiled = compiled.collect::<Result<Vec<_>, Error>>()?;
            let code = |gpu: &Gpu| compiled.iter().find(|(c, _)| *c == gpu.capability()).expect("compiled").1.clone();
            self.gpus.iter().map(|gpu| gpu.kernel(code(gpu), name)).collect()
        };
        let next = Mutex::new(0..sources.len());
        let made: Vec<OnceLock<_>> = sources.iter().map(|_| OnceLock::new()).collect();
        let work = || {
            while let Some(k) = lock(&next).next() {
                _ = made[k].set(function(&sources[k]));
            }
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| (0..cores.min(sources.len())).for_each(|_| _ = scope.spawn(work)));
        let made = made.into_iter().map(|f| f.into_inner().expect("every source has been compiled"));
        let made: Vec<Vec<CudaFunction>> = made.collect::<Result<_, _>>()?;
        Ok((0..self.gpus.len()).map(|gpu| made.iter().map(|f| f[gpu].clone()).collect()).collect())
    }

    /// Computes states whose arrays are on one GPU, and waits for the result. The inputs are those of [`GpuProgram::arrays`].
    ///
    /// Invalid states are an error; the others are computed nevertheless.
    pub fn run(
        &self,
        layout: Layout,
        states: usize,
        inputs: &[&DeviceArray<T>],
        out: &mut DeviceArray<T>,
    ) -> Result<(), Error> {
        let arrays = self.arrays();
        check("arrays", arrays.len(), inputs.len())?;
        for ((array, n), input) in arrays.iter().zip(inputs) {
            check(array.name(), n * states, input.len())?;
        }
        check("out", self.outputs() * states, out.len())?;
        let expected = out.gpu.ordinal();
        if let Some(other) = inputs.iter().find(|a| a.gpu.ordinal() != expected) {
            return Err(Error::OtherGpu { expected, found: other.gpu.ordinal() });
        }
        let k = self.gpus.iter().position(|g| g.ordinal() == expected);
        let k = k.ok_or(Error::OtherGpu { expected: self.gpus.first().map_or(0, Gpu::ordinal), found: expected })?;
        let gpu = out.gpu.clone();
        let mut invalid = gpu.stream.alloc_zeros::<u32>(1 + states.div_ceil(32))?;
        let slices: Vec<_> = inputs.iter().zip(&arrays).map(|(a, (_, n))| (&a.slice, *n)).collect();
        for trig in [Trig::BuiltIn, Trig::Library] {
            let kernel = &self.kernels(layout, trig)?[k];
            let out = (&mut out.slice, self.outputs());
            let mut scratch = lock(&self.scratch[k]);
            kernel.launch(&gpu.stream, layout, states, &slices, out, &mut invalid, &mut scratch)?;
            // Waits for the kernels: another thread may use the memory on another stream.
            let count = gpu.stream.clone_dtoh(&invalid.slice(0..1))?[0];
            drop(scratch);
            if count == 0 {
                return Ok(());
            }
            if trig == Trig::BuiltIn {
                gpu.stream.memset_zeros(&mut invalid)?;
            }
        }
        let words = gpu.stream.clone_dtoh(&invalid)?;
        let Some(first) = invalid_states(&words).next() else { return Ok(()) };
        let place = |n: usize, j: usize| if layout == Layout::Rows { first * n + j } else { j * states + first };
        let row = |a: &DeviceArray<T>, n: usize| (0..n).map(|j| a.element(place(n, j))).collect::<Result<Vec<T>, _>>();
        let inputs =
            inputs.iter().zip(&arrays).map(|(a, (_, n))| row(a, *n)).collect::<Result<Vec<Vec<T>>, Error>>()?;
        let out = row(out, self.outputs())?;
        let source = self.failure(&inputs.iter().map(Vec::as_slice).collect::<Vec<_>>(), &out);
        Err(Error::InvalidStates { first, count: words[0] as usize, source })
    }

    /// What is wrong with a state.
    pub(crate) fn failure(&self, inputs: &[&[T]], out: &[T]) -> armdyn_core::Error {
        let Program { robot, joints, .. } = &*self.program;
        let wrong = |values: &[T]| values.iter().position(|x| !x.is_finite());
        let name = |i: usize, of: usize| if of == joints.len() { joints[i].clone() } else { robot.clone() };
        for ((array, n), values) in self.arrays().iter().zip(inputs) {
            if let Some(i) = wrong(values) {
                return armdyn_core::Error::NotFinite { what: array.name(), joint: name(i, *n) };
            }
        }
        match wrong(out) {
            Some(i) if self.program.pivots.is_empty() => {
                armdyn_core::Error::NotFinite { what: "out", joint: name(i, out.len()) }
            }
            _ => armdyn_core::Error::NotPositiveDefinite { joint: robot.clone() },
        }
    }
}

/// The states that a kernel has marked.
pub(crate) fn invalid_states(words: &[u32]) -> impl Iterator<Item = usize> + '_ {
    let bits = |(k, word): (usize, &u32)| {
        let word = *word;
        (0..32).filter(move |b| word >> b & 1 == 1).map(move |b| 32 * k + b)
    };
    words[1..].iter().enumerate().filter(|(_, word)| **word != 0).flat_map(bits)
}

pub(crate) fn check(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if found == expected { Ok(()) } else { Err(armdyn_core::Error::Length { what, expected, found }.into()) }
}
