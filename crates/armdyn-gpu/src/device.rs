//! GPUs, their memory, and kernels on them: the one file with `unsafe` code.
#![allow(unsafe_code)]

use crate::{Error, Layout};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DeviceRepr, LaunchConfig, PinnedHostSlice, PushKernelArg,
    ValidAsZeroBits,
};
use cudarc::nvrtc::{CompileError, CompileOptions, Ptx, compile_ptx_with_opts};
use std::sync::Arc;

/// A number type of GPU programs: `f64` or `f32`.
pub trait Number:
    armdyn_core::Real + Into<f64> + Default + Send + Sync + DeviceRepr + ValidAsZeroBits + 'static
{
    /// The same in generated code.
    const SCALAR: armdyn_symbolic::emit::Scalar;
}

impl Number for f64 {
    const SCALAR: armdyn_symbolic::emit::Scalar = armdyn_symbolic::emit::Scalar::F64;
}

impl Number for f32 {
    const SCALAR: armdyn_symbolic::emit::Scalar = armdyn_symbolic::emit::Scalar::F32;
}

/// A GPU.
#[derive(Clone, Debug)]
pub struct Gpu {
    pub(crate) context: Arc<CudaContext>,
    pub(crate) stream: Arc<CudaStream>,
    name: String,
    capability: (i32, i32),
    memory: usize,
}

/// All GPUs of this machine.
pub fn gpus() -> Result<Vec<Gpu>, Error> {
    // SAFETY: these only try to load the libraries, whose initialisers are NVIDIA's.
    let (driver, compiler) =
        unsafe { (cudarc::driver::sys::is_culib_present(), cudarc::nvrtc::sys::is_culib_present()) };
    if !driver {
        return Err(Error::NoDriver);
    }
    let no_gpu = |e: cudarc::driver::DriverError| Error::NoGpu { reason: e.to_string() };
    let count = CudaContext::device_count().map_err(no_gpu)?;
    if count == 0 {
        return Err(Error::NoGpu { reason: "there are 0 devices".to_string() });
    }
    if !compiler {
        return Err(Error::NoCompiler);
    }
    (0..count as usize).map(Gpu::new).collect()
}

impl Gpu {
    fn new(ordinal: usize) -> Result<Self, Error> {
        let context = CudaContext::new(ordinal)?;
        let stream = context.new_stream()?;
        let (name, capability, memory) = (context.name()?, context.compute_capability()?, context.total_mem()?);
        Ok(Gpu { context, stream, name, capability, memory })
    }

    /// Its number in the driver's list.
    pub fn ordinal(&self) -> usize {
        self.context.ordinal()
    }

    /// Its name, such as `NVIDIA H200`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its compute capability: major, minor.
    pub fn capability(&self) -> (i32, i32) {
        self.capability
    }

    /// Its memory \[bytes\].
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// Copies an array to the GPU.
    pub fn upload<T: Number>(&self, values: &[T]) -> Result<DeviceArray<T>, Error> {
        Ok(DeviceArray { slice: self.stream.clone_htod(values)?, gpu: self.clone() })
    }

    /// An array of zeros on the GPU.
    pub fn zeros<T: Number>(&self, len: usize) -> Result<DeviceArray<T>, Error> {
        Ok(DeviceArray { slice: self.stream.alloc_zeros(len)?, gpu: self.clone() })
    }

    /// Bandwidth of the bus to and from the GPU with transfers in both directions at the same time [bytes/s], the better of three
    /// measurements with 256 MiB of page-locked memory.
    pub fn bus_bandwidth(&self) -> Result<[f64; 2], Error> {
        const LEN: usize = 256 << 17;
        let streams = [self.context.new_stream()?, self.context.new_stream()?];
        let (host_up, mut up) = (self.pinned::<u64>(LEN / 4)?, streams[0].alloc_zeros::<u64>(LEN / 4)?);
        let (mut host_down, down) = (self.pinned::<u64>(LEN / 4)?, streams[1].alloc_zeros::<u64>(LEN / 4)?);
        let mut best = [0.0f64; 2];
        for _ in 0..3 {
            self.context.synchronize()?;
            let start = std::time::Instant::now();
            for _ in 0..4 {
                streams[0].memcpy_htod(&host_up, &mut up)?;
                streams[1].memcpy_dtoh(&down, &mut host_down)?;
            }
            let mut rates = [0.0; 2];
            for (rate, stream) in rates.iter_mut().zip(&streams) {
                stream.synchronize()?;
                *rate = (LEN * 8) as f64 / start.elapsed().as_secs_f64();
            }
            best.iter_mut().zip(rates).for_each(|(b, r)| *b = b.max(r));
        }
        Ok(best)
    }

    /// Page-locked memory of the host, filled with zeros.
    pub(crate) fn pinned<T: DeviceRepr + ValidAsZeroBits + Default + Clone>(
        &self,
        len: usize,
    ) -> Result<PinnedHostSlice<T>, Error> {
        // SAFETY: the memory is initialised before it is returned; zero bits are valid numbers.
        let mut slice = unsafe { self.context.alloc_pinned_with_flags::<T>(len, 0) }?;
        // SAFETY: the pointer is valid for `len` numbers and nobody else has it; zero bits are valid (`ValidAsZeroBits`).
        unsafe { std::ptr::write_bytes(slice.as_mut_ptr()?, 0, len) };
        Ok(slice)
    }

    /// Loads a kernel of compiled code.
    pub(crate) fn kernel(&self, code: Ptx, name: &str) -> Result<CudaFunction, Error> {
        Ok(self.context.load_module(code)?.load_function(name)?)
    }
}

/// An array in the memory of a GPU.
#[derive(Debug)]
pub struct DeviceArray<T> {
    pub(crate) slice: CudaSlice<T>,
    pub(crate) gpu: Gpu,
}

impl<T: Number> DeviceArray<T> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.slice.len()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.slice.len() == 0
    }

    /// The GPU that it is on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Copies it to the host.
    pub fn download(&self) -> Result<Vec<T>, Error> {
        Ok(self.gpu.stream.clone_dtoh(&self.slice)?)
    }

    /// One element.
    pub(crate) fn element(&self, i: usize) -> Result<T, Error> {
        Ok(self.gpu.stream.clone_dtoh(&self.slice.slice(i..=i))?[0])
    }
}

/// An array of another library in the memory of a GPU. It is not freed.
#[derive(Debug)]
pub struct Borrowed<T: Number>(Option<DeviceArray<T>>);

impl<T: Number> Borrowed<T> {
    /// The array.
    pub fn array(&mut self) -> &mut DeviceArray<T> {
        self.0.as_mut().expect("present until it is dropped")
    }
}

impl<T: Number> Drop for Borrowed<T> {
    fn drop(&mut self) {
        if let Some(array) = self.0.take() {
            array.slice.leak();
        }
    }
}

impl Gpu {
    /// An array that another library has allocated.
    ///
    /// # Safety
    ///
    /// `address` is that of `len` numbers in the memory of this GPU, allocated in its primary context (as CUDA's runtime, PyTorch and
    /// CuPy do). They live as long as the result, and nobody else writes them meanwhile, or reads them if they are written.
    pub unsafe fn borrow<T: Number>(&self, address: u64, len: usize) -> Borrowed<T> {
        // SAFETY: the caller guarantees it; the memory is given back by `leak`, not freed.
        let slice = unsafe { self.stream.upgrade_device_ptr(address, len) };
        Borrowed(Some(DeviceArray { slice, gpu: self.clone() }))
    }

    /// Waits for all work on this GPU, of this process.
    pub fn synchronize(&self) -> Result<(), Error> {
        Ok(self.context.synchronize()?)
    }
}

/// Compiles CUDA code for GPUs of a compute capability.
pub(crate) fn compile(code: &str, (major, minor): (i32, i32), defines: &[String]) -> Result<Ptx, Error> {
    // Quotients within 2 units in the last place: a tenth of the time of forward dynamics in single precision.
    let mut options = vec![format!("--gpu-architecture=compute_{major}{minor}"), "--prec-div=false".to_string()];
    options.extend(defines.iter().map(|d| format!("--define-macro={d}")));
    compile_ptx_with_opts(code, CompileOptions { options, ..CompileOptions::default() }).map_err(|e| match e {
        CompileError::CompileError { log, .. } => Error::Compile { log: log.to_string_lossy().into_owned() },
        other => Error::Compile { log: other.to_string() },
    })
}

/// The kernels of a program on a GPU.
#[derive(Clone, Debug)]
pub(crate) enum Kernel {
    /// One kernel, with the number of threads per block.
    Whole(CudaFunction, u32),
    /// The kernels of a large program, one after the other, for either layout (`emit::CudaParts`).
    Parts {
        functions: Vec<CudaFunction>,
        /// Numbers per state that pass from kernel to kernel.
        scratch: usize,
    },
}

/// States per launch: below the number of blocks and of threads that every GPU takes.
const STATES_PER_LAUNCH: usize = 1 << 30;

/// Largest number of states that the kernels of a large program compute one after the other: enough to fill a GPU.
const PART_STATES: usize = 1 << 18;

/// Largest size of the memory for values that pass from kernel to kernel \[bytes\].
const SCRATCH: usize = 512 << 20;

/// Threads per block of the kernels of a large program.
const PART_THREADS: u32 = 64;

fn config(states: usize, threads: u32) -> LaunchConfig {
    let blocks = states.div_ceil(threads as usize) as u32;
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
}

impl Kernel {
    /// Launches the kernels on a stream: `inputs` and `out` have the lengths of `states` states, `invalid` has 1 + ⌈states / 32⌉ words
    /// and is zero. `scratch` is allocated where it is too short; other streams must not use it before these kernels are finished.
    pub(crate) fn launch<T: Number>(
        &self,
        stream: &Arc<CudaStream>,
        layout: Layout,
        states: usize,
        inputs: &[(&CudaSlice<T>, usize)],
        (out, outputs): (&mut CudaSlice<T>, usize),
        invalid: &mut CudaSlice<u32>,
        scratch: &mut Option<CudaSlice<T>>,
    ) -> Result<(), Error> {
        let check = |what: &'static str, expected: usize, found: usize| match found >= expected {
            true => Ok(()),
            false => Err(armdyn_core::Error::Length { what, expected, found }),
        };
        for (slice, n) in inputs {
            check("input", n * states, slice.len())?;
        }
        check("out", outputs * states, out.len())?;
        check("invalid", 1 + states.div_ceil(32), invalid.len())?;
        check("states", states, STATES_PER_LAUNCH)?;
        if states == 0 {
            return Ok(());
        }
        let (functions, numbers) = match self {
            Kernel::Whole(function, threads) => {
                let mut launch = stream.launch_builder(function);
                launch.arg(&states);
                inputs.iter().for_each(|(slice, _)| _ = launch.arg(*slice));
                launch.arg(out).arg(invalid);
                // SAFETY: the arguments are those of the generated kernel (`emit::cuda`): the number of states, the input arrays in
                // order, the output and `invalid`; it reads and writes within the lengths that were checked above.
                unsafe { launch.launch(config(states, *threads)) }?;
                return Ok(());
            }
            Kernel::Parts { functions, scratch } => (functions, *scratch),
        };
        let chunk = (SCRATCH / (numbers.max(1) * size_of::<T>())).clamp(32, PART_STATES) / 32 * 32;
        let needed = (numbers * chunk.min(states)).max(1);
        let scratch = match scratch {
            Some(scratch) if scratch.len() >= needed => scratch,
            scratch => scratch.insert(stream.alloc_zeros::<T>(needed)?),
        };
        let (stride, rows) = match layout {
            Layout::Rows => (1, 1i32),
            Layout::Elements => (states, 0),
        };
        for first in (0..states).step_by(chunk) {
            let part = chunk.min(states - first);
            for function in functions {
                let mut launch = stream.launch_builder(function);
                launch.arg(&stride).arg(&rows).arg(&first).arg(&part);
                inputs.iter().for_each(|(slice, _)| _ = launch.arg(*slice));
                launch.arg(&mut *out).arg(&mut *scratch).arg(&mut *invalid);
                // SAFETY: the arguments are those of the generated kernels (`emit::CudaParts`): the states from `first` on are within
                // the lengths that were checked above, and `scratch` has the length of `part` states.
                unsafe { launch.launch(config(part, PART_THREADS)) }?;
            }
        }
        Ok(())
    }
}
