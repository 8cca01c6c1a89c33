//! Parallel evaluation of many states with results in order, independent of the number of threads.

use crate::Result;
use armdyn_core::Progress;
use rayon::prelude::*;

/// States evaluated between two calls of `take`.
const BLOCK: usize = 8192;

/// Evaluates `width` numbers for each of `count` states with `fill` and passes them in order to `take`, one block at a time
/// with the index of its first state. Stops after a block when cancelled. Returns the number of states evaluated.
pub fn parallel_ordered<D>(
    count: usize,
    width: usize,
    what: &str,
    progress: &Progress,
    make: impl Fn() -> D + Sync,
    fill: impl Fn(&mut D, usize, &mut [f64]) -> Result<()> + Sync,
    mut take: impl FnMut(usize, &[f64]),
) -> Result<usize> {
    const CHUNK: usize = 64;
    let width = width.max(1);
    let mut rows = vec![0.0; BLOCK.min(count) * width];
    let mut first = 0;
    while first < count && !progress.cancelled() {
        progress.report(what, first as f64 / count as f64);
        let block = &mut rows[..BLOCK.min(count - first) * width];
        let chunk = |d: &mut D, (index, rows): (usize, &mut [f64])| {
            rows.chunks_mut(width).enumerate().try_for_each(|(k, row)| fill(d, first + index * CHUNK + k, row))
        };
        block.par_chunks_mut(CHUNK * width).enumerate().map_init(&make, chunk).collect::<Result<()>>()?;
        take(first, block);
        first += block.len() / width;
    }
    Ok(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    #[test]
    fn states_are_passed_in_order() {
        let count = 2 * BLOCK + 77;
        let mut seen = vec![];
        let twice = |_: &mut (), k: usize, row: &mut [f64]| {
            row.copy_from_slice(&[k as f64, 2.0 * k as f64]);
            Ok(())
        };
        let done = parallel_ordered(
            count,
            2,
            "",
            &Progress::none(),
            || (),
            twice,
            |first, rows| {
                assert_eq!(first * 2, seen.len());
                seen.extend_from_slice(rows);
            },
        );
        assert_eq!((done.unwrap(), seen.len()), (count, 2 * count));
        assert!(seen.chunks(2).enumerate().all(|(k, row)| row == [k as f64, 2.0 * k as f64]));
    }

    #[test]
    fn it_stops_when_cancelled_and_at_an_error() {
        let stop = AtomicBool::new(false);
        let progress = Progress { callback: &|_, _| {}, cancel: &stop };
        let done =
            parallel_ordered(3 * BLOCK, 1, "", &progress, || (), |_, _, _| Ok(()), |_, _| stop.store(true, Relaxed));
        assert_eq!(done.unwrap(), BLOCK);
        let fault =
            |_: &mut (), k: usize, _: &mut [f64]| if k == 70 { Err(Error::InvalidInput("no".into())) } else { Ok(()) };
        assert!(parallel_ordered(100, 1, "", &Progress::none(), || (), fault, |_, _| ()).is_err());
    }
}
