//! Many states: as many at a time as a register holds, and over threads where it is worth it.

use super::{Compiled, Engine, finite};
use crate::native;
use crate::native::Machine;
use crate::number::Number;
use std::num::NonZero;
use std::sync::OnceLock;
use std::thread;

/// Below so many instructions in all, a batch is not worth another thread: some tenths of a millisecond.
pub(super) const WORK_OF_A_THREAD: usize = 1 << 20;

impl<T: Number> Compiled<T> {
    /// Computes many states, one a row: two at a time (`f32`: four), and over threads where it is worth it.
    pub fn batch(&self, states: usize, q: &[T], qd: &[T], last: &[T], out: &mut [T]) -> armdyn_core::Result<()> {
        let inputs = self.checked(states, [q, qd, last], out)?;
        let useful = (states * self.source.tape.ops.len() / WORK_OF_A_THREAD).max(1);
        let threads = if useful == 1 { 1 } else { cores().min(useful) };
        if threads == 1 {
            return self.rows(0, inputs, out);
        }
        // Whole vectors, so that only the last part may have states left over.
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

    /// Some rows of the inputs.
    fn part<'a>(&self, inputs: [&'a [T]; 3], from: usize, count: usize) -> [&'a [T]; 3] {
        std::array::from_fn(|i| {
            let n = self.source.arrays.get(i).map_or(0, |(_, n)| *n);
            &inputs[i][from * n..(from + count) * n]
        })
    }

    /// Rows of a batch, on one thread; the first of them is number `first`.
    fn rows(&self, first: usize, inputs: [&[T]; 3], out: &mut [T]) -> armdyn_core::Result<()> {
        let lanes = T::FORMAT.lanes;
        let several = match &self.engine {
            Engine::Native(native) => {
                let (isa, fuse) = (&native.isa, native::fuses(&native.isa));
                let make = || Machine::new(&self.source.tape, isa.clone(), fuse, lanes).ok();
                native.several.get_or_init(make).as_ref()
            }
            Engine::Interpreted { .. } => None,
        };
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
                let positive = self.one(inputs, out);
                if !(finite(inputs, out) & positive) {
                    return Err(of_state(self.failure(inputs, out), first + lanes * k + i));
                }
            }
        }
        Ok(())
    }
}

/// The same error, with the number of the state.
fn of_state(error: armdyn_core::Error, state: usize) -> armdyn_core::Error {
    use armdyn_core::Error::{NotFinite, NotPositiveDefinite};
    let of = |joint: String| format!("{joint} (state {state})");
    match error {
        NotFinite { what, joint } => NotFinite { what, joint: of(joint) },
        NotPositiveDefinite { joint } => NotPositiveDefinite { joint: of(joint) },
        other => other,
    }
}

/// How many threads run at a time. Asked once: the system takes microseconds to answer.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}
