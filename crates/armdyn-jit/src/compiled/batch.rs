//! Batches: blocks of states, as many at a time as the widest registers hold, distributed over threads.

use super::{Compiled, finite};
use crate::machine::{Blocks, Line, Machine};
use crate::native;
use crate::number::Number;
use crate::wide::Target;
use rayon::prelude::*;

/// Number of instructions from which on a batch is distributed over threads: about a tenth of a millisecond.
pub(super) const PARALLEL_FROM: usize = 1 << 22;

/// States per task of a thread.
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
    /// The results are those of [`Compiled::call`], bit by bit, whatever the number of states and of threads. The error is that of
    /// the first invalid state; the other states are computed nevertheless.
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
    pub fn batch(&self, states: usize, q: &[T], qd: &[T], last: &[T], out: &mut [T]) -> armdyn_core::error::Result<()> {
        let inputs = self.checked(states, [q, qd, last], out)?;
        let n = self.outputs();
        if n == 0 {
            return Ok(());
        }
        let parallel = states * self.source.code.ops.len() >= PARALLEL_FROM && rayon::current_num_threads() > 1;
        let invalid = if parallel {
            let tasks = out.par_chunks_mut(STATES_PER_TASK * n).enumerate();
            let invalid = tasks.filter_map(|(k, out)| {
                let first = k * STATES_PER_TASK;
                Some(first + self.rows(self.part(inputs, first, out.len() / n), out)?)
            });
            invalid.min()
        } else {
            self.rows(inputs, out)
        };
        match invalid {
            Some(state) => {
                let row = &out[state * n..(state + 1) * n];
                Err(with_state(self.failure(self.part(inputs, state, 1), row), state))
            }
            None => Ok(()),
        }
    }

    /// Number of states that a batch computes at a time.
    pub fn lanes(&self) -> usize {
        match &self.engine {
            Ok(_) => self.blocks().map_or(T::FORMAT.lanes, |blocks| blocks.target.lanes()),
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

    /// The code for blocks, if the processor has wide instructions.
    fn blocks(&self) -> Option<&Blocks<T>> {
        let native = self.engine.as_ref().ok()?;
        let make = || {
            let target = Target::host(const { &T::FORMAT }).filter(|_| native::fuses(&native.isa))?;
            if self.outputs() == 0 {
                return None;
            }
            Blocks::new(&self.source.code, target).ok()
        };
        native.blocks.get_or_init(make).as_ref()
    }

    /// Computes rows on one thread. Returns the first invalid one.
    fn rows(&self, inputs: [&[T]; 3], out: &mut [T]) -> Option<usize> {
        if let Some(blocks) = self.blocks() {
            return T::with_buffers(|buffers| self.in_blocks(blocks, inputs, out, buffers));
        }
        let lanes = T::FORMAT.lanes;
        let several = self.engine.as_ref().ok().and_then(|native| {
            let make = || Machine::new(&self.source.code, native.isa.clone(), native::fuses(&native.isa), lanes).ok();
            native.several.get_or_init(make).as_ref()
        });
        self.together(lanes, inputs, out, |inputs, out| {
            several.is_some_and(|machine| {
                out.len() == lanes * self.outputs() && machine.run(inputs, out) & finite(inputs, out)
            })
        })
    }

    /// Computes `count` rows at a time with a function that returns whether all of them are valid, and otherwise one by one.
    /// Returns the first invalid one.
    fn together(
        &self,
        count: usize,
        inputs: [&[T]; 3],
        out: &mut [T],
        mut compute: impl FnMut([&[T]; 3], &mut [T]) -> bool,
    ) -> Option<usize> {
        let n = self.outputs();
        let mut invalid = None;
        for (k, out) in out.chunks_mut(count * n).enumerate() {
            let inputs = self.part(inputs, count * k, out.len() / n);
            if compute(inputs, out) {
                continue;
            }
            for (i, out) in out.chunks_mut(n).enumerate() {
                let inputs = self.part(inputs, i, 1);
                let positive = self.evaluate(inputs, out);
                if !(finite(inputs, out) & positive) {
                    invalid = invalid.or(Some(count * k + i));
                }
            }
        }
        invalid
    }

    /// Computes rows in blocks. Returns the first invalid one.
    pub(super) fn in_blocks(
        &self,
        blocks: &Blocks<T>,
        inputs: [&[T]; 3],
        out: &mut [T],
        buffers: &mut Buffers<T>,
    ) -> Option<usize> {
        let (target, n) = (blocks.target, self.outputs());
        let [a, b, c] = self.source.code.lengths;
        let narrow = [a, b, c, n].iter().any(|&n| target.stride(n) > n);
        self.together(BLOCKS_TOGETHER * target.lanes(), inputs, out, |inputs, out| {
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
        let (target, n) = (blocks.target, self.outputs());
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

/// Adds the number of the state to an error.
fn with_state(error: armdyn_core::Error, state: usize) -> armdyn_core::Error {
    use armdyn_core::Error::{NotFinite, NotPositiveDefinite};
    let name = |joint: String| format!("{joint} (state {state})");
    match error {
        NotFinite { what, joint } => NotFinite { what, joint: name(joint) },
        NotPositiveDefinite { joint } => NotPositiveDefinite { joint: name(joint) },
        other => other,
    }
}
