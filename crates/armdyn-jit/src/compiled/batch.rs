//! Batches: as many states at a time as a register holds, distributed over threads.

use super::{Compiled, finite};
use crate::native;
use crate::native::Machine;
use crate::number::Number;
use std::num::NonZero;
use std::sync::OnceLock;
use std::thread;

/// Minimum number of instructions per thread: a few tenths of a millisecond.
pub(super) const WORK_PER_THREAD: usize = 1 << 20;

impl<T: Number> Compiled<T> {
    /// Computes many states, one per row: two at a time (`f32`: four), on several threads if the batch is large.
    pub fn batch(&self, states: usize, q: &[T], qd: &[T], last: &[T], out: &mut [T]) -> armdyn_core::error::Result<()> {
        let inputs = self.checked(states, [q, qd, last], out)?;
        let useful = (states * self.source.code.ops.len() / WORK_PER_THREAD).max(1);
        let threads = if useful == 1 { 1 } else { cores().min(useful) };
        if threads == 1 {
            return self.rows(0, inputs, out);
        }
        // Whole vectors: only the last part may have a remainder.
        let part = states.div_ceil(threads).next_multiple_of(T::FORMAT.lanes);
        thread::scope(|scope| {
            let parts = out.chunks_mut(part * self.outputs()).enumerate().map(|(k, out)| {
                let inputs = self.part(inputs, k * part, out.len() / self.outputs());
                scope.spawn(move || self.rows(k * part, inputs, out))
            });
            let parts: Vec<_> = parts.collect();
            parts.into_iter().try_for_each(|p| p.join().unwrap_or_else(|e| std::panic::resume_unwind(e)))
        })
    }

    /// A range of rows of the inputs.
    fn part<'a>(&self, inputs: [&'a [T]; 3], from: usize, count: usize) -> [&'a [T]; 3] {
        std::array::from_fn(|i| {
            let n = self.source.arrays.get(i).map_or(0, |(_, n)| *n);
            &inputs[i][from * n..(from + count) * n]
        })
    }

    /// Computes rows of a batch on one thread, starting with state `first`.
    fn rows(&self, first: usize, inputs: [&[T]; 3], out: &mut [T]) -> armdyn_core::error::Result<()> {
        let lanes = T::FORMAT.lanes;
        let several = self.engine.as_ref().ok().and_then(|native| {
            let (isa, fuse) = (&native.isa, native::fuses(&native.isa));
            let make = || Machine::new(&self.source.code, isa.clone(), fuse, lanes).ok();
            native.several.get_or_init(make).as_ref()
        });
        for (k, out) in out.chunks_mut((lanes * self.outputs()).max(1)).enumerate() {
            let count = out.len() / self.outputs();
            let inputs = self.part(inputs, lanes * k, count);
            if let Some(machine) = several
                && count == lanes
                && machine.run(inputs, out) & finite(inputs, out)
            {
                continue;
            }
            for (i, out) in out.chunks_mut(self.outputs()).enumerate() {
                let inputs = self.part(inputs, i, 1);
                let positive = self.evaluate(inputs, out);
                if !(finite(inputs, out) & positive) {
                    return Err(with_state(self.failure(inputs, out), first + lanes * k + i));
                }
            }
        }
        Ok(())
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

/// Number of cores; cached, because the query takes microseconds.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}
