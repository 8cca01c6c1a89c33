//! Batches of the host: streamed through page-locked memory over all GPUs.
//!
//! The rows are divided into chunks. Several threads per GPU take the next chunk, each with its own stream and buffers: while one
//! copies rows to page-locked memory, those of others are transferred in both directions or computed.

use crate::device::{Kernel, Number};
use crate::program::{Layout, check, invalid_states};
use crate::{Error, Gpu, GpuProgram};
use armdyn_symbolic::emit::Trig;
use cudarc::driver::{CudaSlice, CudaStream, PinnedHostSlice};
use std::sync::{Arc, Mutex, PoisonError};

/// Size of a chunk, inputs and results \[bytes\]: transfers of several megabytes reach the bandwidth of the bus.
const CHUNK: usize = 16 << 20;

/// Largest number of threads per GPU: one copies about 10 GB/s, the bus takes about 50 GB/s in each direction.
const THREADS: usize = 12;

/// A stream with its buffers.
pub(crate) struct Worker<T> {
    stream: Arc<CudaStream>,
    inputs: Vec<(PinnedHostSlice<T>, CudaSlice<T>, usize)>,
    out: (PinnedHostSlice<T>, CudaSlice<T>, usize),
    invalid: (PinnedHostSlice<u32>, CudaSlice<u32>),
    scratch: Option<CudaSlice<T>>,
}

/// A chunk of rows: the first state, and where its results belong.
type Chunk<'a, T> = (usize, &'a mut [T]);

/// The invalid states of a batch so far: their number, the first one and what is wrong with it.
type Invalid = Option<(usize, usize, armdyn_core::Error)>;

impl<T: Number> Worker<T> {
    fn new(gpu: &Gpu, states: usize, lengths: &[usize], outputs: usize) -> Result<Self, Error> {
        let stream = gpu.context.new_stream()?;
        let array = |n: usize| -> Result<_, Error> {
            Ok((gpu.pinned::<T>(n * states)?, stream.alloc_zeros::<T>(n * states)?, n))
        };
        let words = 1 + states.div_ceil(32);
        Ok(Worker {
            inputs: lengths.iter().map(|&n| array(n)).collect::<Result<_, _>>()?,
            out: array(outputs)?,
            invalid: (gpu.pinned::<u32>(words)?, stream.alloc_zeros::<u32>(words)?),
            scratch: None,
            stream,
        })
    }

    /// Computes rows. Returns whether all of them are valid; otherwise the worker's `invalid` marks them.
    fn compute(&mut self, kernel: &Kernel, inputs: &[&[T]], out: &mut [T]) -> Result<bool, Error> {
        let n = self.out.2;
        let states = out.len() / n;
        for ((pinned, device, _), rows) in self.inputs.iter_mut().zip(inputs) {
            pinned.as_mut_slice()?[..rows.len()].copy_from_slice(rows);
            self.stream.memcpy_htod(pinned, device)?;
        }
        self.stream.memset_zeros(&mut self.invalid.1)?;
        let slices: Vec<_> = self.inputs.iter().map(|(_, device, n)| (device, *n)).collect();
        let (out_rows, invalid) = (&mut self.out.1, &mut self.invalid.1);
        kernel.launch(&self.stream, Layout::Rows, states, &slices, (out_rows, n), invalid, &mut self.scratch)?;
        self.stream.memcpy_dtoh(&self.out.1, &mut self.out.0)?;
        self.stream.memcpy_dtoh(&self.invalid.1, &mut self.invalid.0)?;
        out.copy_from_slice(&self.out.0.as_slice()?[..out.len()]);
        Ok(self.invalid.0.as_slice()?[0] == 0)
    }
}

impl<T: Number> GpuProgram<T> {
    /// Computes many states of the host, one per row of row-major arrays, on all GPUs. `last` is q̈, or τ for forward dynamics; arrays
    /// that the program does not depend on are empty.
    ///
    /// Invalid states (numbers that are not finite, a mass matrix that is not positive definite) are an error; the others are computed
    /// nevertheless. Buffers are kept for the next batch.
    pub fn batch(&self, states: usize, q: &[T], qd: &[T], last: &[T], out: &mut [T]) -> Result<(), Error> {
        let (arrays, n) = (self.arrays(), self.outputs());
        let given = [("q", q), ("qd", qd), ("qdd", last)];
        for (k, (place, values)) in given.into_iter().enumerate() {
            let (name, n) = arrays.get(k).map_or((place, 0), |(array, n)| (array.name(), *n));
            check(name, n * states, values.len())?;
        }
        check("out", n * states, out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        let lengths: Vec<usize> = arrays.iter().map(|(_, n)| *n).collect();
        let inputs = &[q, qd, last][..lengths.len()];
        let row = (lengths.iter().sum::<usize>() + n) * size_of::<T>();
        let chunk = (CHUNK / row).next_multiple_of(32);
        let kernels = self.kernels(Layout::Rows, Trig::BuiltIn)?;
        let chunks = Mutex::new(out.chunks_mut(chunk * n).enumerate().map(|(k, out)| (k * chunk, out)));
        let next = || lock(&chunks).next();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (cores / self.gpus().len()).clamp(1, THREADS).min(states.div_ceil(chunk));
        let invalid = Mutex::new(None);
        let work = |gpu: usize| -> Result<(), Error> {
            let idle = lock(&self.idle[gpu]).pop();
            let mut worker = match idle {
                Some(worker) => worker,
                None => Worker::new(&self.gpus()[gpu], chunk, &lengths, n)?,
            };
            while let Some(chunk) = next() {
                self.chunk(&mut worker, gpu, &kernels[gpu], inputs, chunk, &invalid)?;
            }
            lock(&self.idle[gpu]).push(worker);
            Ok(())
        };
        std::thread::scope(|scope| {
            let workers = (0..self.gpus().len()).flat_map(|gpu| (0..threads).map(move |_| gpu));
            let handles: Vec<_> = workers.map(|gpu| scope.spawn(move || work(gpu))).collect();
            handles.into_iter().try_for_each(|handle| match handle.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })?;
        match invalid.into_inner().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some((count, first, source)) => Err(Error::InvalidStates { first, count, source }),
        }
    }

    fn chunk(
        &self,
        worker: &mut Worker<T>,
        gpu: usize,
        kernel: &Kernel,
        inputs: &[&[T]],
        (from, out): Chunk<T>,
        invalid: &Mutex<Invalid>,
    ) -> Result<(), Error> {
        let n = self.outputs();
        let states = out.len() / n;
        let part = |from: usize, states: usize| -> Vec<&[T]> {
            let rows = inputs.iter().zip(&worker.inputs).map(|(a, (_, _, n))| (a, *n));
            rows.map(|(a, n)| &a[from * n..(from + states) * n]).collect()
        };
        let rows = part(from, states);
        if worker.compute(kernel, &rows, out)? {
            return Ok(());
        }
        // Large angles: with CUDA's sine.
        if worker.compute(&self.kernels(Layout::Rows, Trig::Library)?[gpu], &rows, out)? {
            return Ok(());
        }
        let words = worker.invalid.0.as_slice()?;
        let Some(k) = invalid_states(words).next() else { return Ok(()) };
        let state: Vec<&[T]> = rows.iter().zip(&worker.inputs).map(|(a, (_, _, n))| &a[k * n..(k + 1) * n]).collect();
        let failure = self.failure(&state, &out[k * n..(k + 1) * n]);
        let mut all = lock(invalid);
        let (count, first) = (words[0] as usize, from + k);
        *all = Some(match all.take() {
            Some((others, earlier, source)) if earlier < first => (others + count, earlier, source),
            Some((others, ..)) => (others + count, first, failure),
            None => (count, first, failure),
        });
        Ok(())
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
