//! Batches: blocks of states, as many at a time as the widest registers hold, distributed over threads.

use super::{Compiled, finite, wide_host};
use crate::machine::{Blocks, Line, Machine};
use crate::number::Number;
use crate::{BatchError, InvalidState, wide};
use rayon::prelude::*;

/// Number of instructions from which on a batch is distributed over threads: about a tenth of a millisecond.
pub(super) const PARALLEL_FROM: usize = 1 << 22;

/// Maximum number of states per task of a thread.
const STATES_PER_TASK: usize = 1024;

/// Blocks that are computed, and checked, together. If a state of them is invalid, all are computed again one by one.
const BLOCKS_TOGETHER: usize = 16;

/// Memory of a thread: rows of arrays that are narrower than a register or end within a block.
pub struct Buffers<T> {
    scratch: Vec<Line>,
    inputs: [Vec<T>; 3],
    out: Vec<T>,
}

impl<T> Buffers<T> {
    pub(crate) const fn new() -> Self {
        Buffers { scratch: vec![], inputs: [vec![], vec![], vec![]], out: vec![] }
    }
}

impl<T: Number> Compiled<T> {
    /// Computes many states, one per row: eight at a time with AVX-512 (`f32`: sixteen), four with AVX2, otherwise two; on several
    /// threads if the batch is large. The first batch compiles this code, in about a millisecond.
    ///
    /// The results are those of [`Compiled::call`], bit by bit, whatever the number of states and of threads. Only where
    /// [`Compiled::call_backend`] is the recursion, whose operations are others, do both differ by rounding: by 1e-12 of the largest result of
    /// the state, and for forward dynamics by 1e-13 of the bound by the condition of M. Invalid states are
    /// reported row by row ([`BatchError::InvalidStates`]), and their rows are NaN; all others are computed nevertheless.
    ///
    /// ```
    /// use armdyn_jit::Compiled;
    /// # let model = armdyn_testkit::bundled("panda");
    /// let gravity = Compiled::gravity(&model)?;
    /// let q: Vec<f64> = (0..7 * 1000).map(|i| 0.001 * i as f64).collect();
    /// let mut g = vec![0.0; 7 * 1000];
    /// gravity.batch(1000, &q, &[], &[], &mut g)?;
    ///
    /// let mut last = [0.0; 7];
    /// gravity.call(&q[7 * 999..], &[], &[], &mut last)?;
    /// assert_eq!(g[7 * 999..], last);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn batch(&self, states: usize, q: &[T], qd: &[T], last: &[T], out: &mut [T]) -> Result<(), BatchError> {
        let inputs = self.checked(states, [q, qd, last], out).map_err(BatchError::Length)?;
        let n = self.outputs();
        if n == 0 {
            return Ok(());
        }
        let operations = self.source.code.ops.len().max(1);
        let parallel = states * operations >= PARALLEL_FROM && rayon::current_num_threads() > 1;
        let invalid = if parallel {
            let together = BLOCKS_TOGETHER * self.lanes();
            let states = (PARALLEL_FROM / operations).next_multiple_of(together).clamp(together, STATES_PER_TASK);
            let tasks = out.par_chunks_mut(states * n).enumerate();
            let invalid = tasks.map(|(k, out)| {
                let first = k * states;
                self.rows(first, self.part(inputs, first, out.len() / n), out)
            });
            invalid.reduce(Vec::new, |mut all, more| {
                all.extend(more);
                all
            })
        } else {
            self.rows(0, inputs, out)
        };
        if invalid.is_empty() { Ok(()) } else { Err(BatchError::InvalidStates(invalid)) }
    }

    /// Number of states that a batch computes at a time.
    pub fn lanes(&self) -> usize {
        match &self.engine {
            Ok(_) => self.blocks().map_or(T::FORMAT.lanes, |blocks| blocks.target().lanes()),
            Err(_) => 1,
        }
    }

    /// A range of rows of the inputs.
    fn part<'a>(&self, inputs: [&'a [T]; 3], from: usize, count: usize) -> [&'a [T]; 3] {
        std::array::from_fn(|i| {
            let n = self.source.code.lengths[i];
            &inputs[i][from * n..(from + count) * n]
        })
    }

    /// The code for blocks, or the reason why there is none.
    pub(super) fn blocks(&self) -> Result<&Blocks<T>, &str> {
        let native = self.engine.as_ref().map_err(String::as_str)?;
        let make = || {
            let host = wide_host::<T>(&native.host)?;
            if self.outputs() == 0 {
                return Err("the program has no results".to_string());
            }
            Blocks::new(&wide::write(&self.source.code, host.target()), host)
        };
        native.blocks.get_or_init(make).as_ref().map_err(String::as_str)
    }

    /// Computes rows on one thread, of which the first is state `first`. Returns the invalid ones.
    fn rows(&self, first: usize, inputs: [&[T]; 3], out: &mut [T]) -> Vec<InvalidState> {
        if let Ok(blocks) = self.blocks() {
            return T::with_buffers(|buffers| self.in_blocks(blocks, first, inputs, out, buffers));
        }
        let lanes = T::FORMAT.lanes;
        let several = self.engine.as_ref().ok().and_then(|native| {
            let make = || Machine::new(&self.source.code, &native.host, lanes).ok();
            native.several.get_or_init(make).as_ref()
        });
        self.together(lanes, first, inputs, out, |inputs, out| {
            several.is_some_and(|machine| {
                out.len() == lanes * self.outputs() && machine.run(inputs, out) & finite(inputs, out)
            })
        })
    }

    /// Computes `count` rows at a time with a function that returns whether all of them are valid, and otherwise one by one.
    /// Returns the invalid ones.
    fn together(
        &self,
        count: usize,
        first: usize,
        inputs: [&[T]; 3],
        out: &mut [T],
        mut compute: impl FnMut([&[T]; 3], &mut [T]) -> bool,
    ) -> Vec<InvalidState> {
        let n = self.outputs();
        let mut invalid = vec![];
        for (k, out) in out.chunks_mut(count * n).enumerate() {
            let inputs = self.part(inputs, count * k, out.len() / n);
            if compute(inputs, out) {
                continue;
            }
            for (i, out) in out.chunks_mut(n).enumerate() {
                let inputs = self.part(inputs, i, 1);
                let positive = self.evaluate(inputs, out);
                if !(finite(inputs, out) & positive) {
                    let error = self.failure(inputs, out);
                    invalid.push(InvalidState { state: first + count * k + i, error });
                    out.fill(T::lift(f64::NAN));
                }
            }
        }
        invalid
    }

    /// Computes rows in blocks. Returns the invalid ones.
    pub(super) fn in_blocks(
        &self,
        blocks: &Blocks<T>,
        first: usize,
        inputs: [&[T]; 3],
        out: &mut [T],
        buffers: &mut Buffers<T>,
    ) -> Vec<InvalidState> {
        let (target, n) = (blocks.target(), self.outputs());
        let [a, b, c] = self.source.code.lengths;
        let narrow = [a, b, c, n].iter().any(|&n| target.stride(n) > n);
        self.together(BLOCKS_TOGETHER * target.lanes(), first, inputs, out, |inputs, out| {
            let count = out.len() / n;
            let whole = if narrow { 0 } else { count - count % target.lanes() };
            let (direct, rest) = out.split_at_mut(whole * n);
            match rest.len() / n {
                // One state is faster alone.
                1 if whole == 0 => false,
                0 => blocks.run(inputs, direct, &mut buffers.scratch),
                left => {
                    let rest_inputs = self.part(inputs, whole, left);
                    (whole == 0 || blocks.run(inputs, direct, &mut buffers.scratch))
                        && self.padded(blocks, rest_inputs, rest, buffers)
                }
            }
        })
    }

    /// Computes rows by way of the buffers, where rows are as wide as the code requires and the last one is repeated to the end of
    /// the block.
    fn padded(&self, blocks: &Blocks<T>, inputs: [&[T]; 3], out: &mut [T], buffers: &mut Buffers<T>) -> bool {
        let (target, n) = (blocks.target(), self.outputs());
        let count = out.len() / n;
        let rows = count.next_multiple_of(target.lanes());
        for ((buffer, input), n) in buffers.inputs.iter_mut().zip(inputs).zip(self.source.code.lengths) {
            let stride = target.stride(n);
            buffer.resize(rows * stride, T::default());
            for (i, row) in buffer.chunks_exact_mut(stride.max(1)).enumerate() {
                let i = i.min(count - 1);
                row[..n].copy_from_slice(&input[i * n..(i + 1) * n]);
            }
        }
        let stride = target.stride(n);
        buffers.out.resize(rows * stride, T::default());
        let inputs = buffers.inputs.each_ref().map(Vec::as_slice);
        let valid = blocks.run(inputs, &mut buffers.out, &mut buffers.scratch);
        for (row, found) in out.chunks_exact_mut(n).zip(buffers.out.chunks_exact(stride)) {
            row.copy_from_slice(&found[..n]);
        }
        valid
    }
}
