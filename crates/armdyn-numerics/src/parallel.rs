//! Many states at a time, on all cores, with results in their order: the same on any number of threads.

use crate::Result;
use armdyn_core::Progress;
use rayon::prelude::*;

/// States that are computed before anybody looks at them.
const BLOCK: usize = 8192;

/// Has `fill` work out `width` numbers for each of `count` states, and hands them to `take` in their order, block after block
/// with the number of the first. Ends after a block when the progress says so. Gives how many states were done.
pub fn parallel_ordered<D>(
    count: usize,
    width: usize,
    what: &str,
    progress: &Progress,
    make: impl Fn() -> D + Sync,
    fill: impl Fn(&mut D, usize, &mut [f64]) -> Result<()> + Sync,
    mut take: impl FnMut(usize, &[f64]),
) -> Result<usize> {
    const TOGETHER: usize = 64;
    let width = width.max(1);
    let mut rows = vec![0.0; BLOCK.min(count) * width];
    let mut first = 0;
    while first < count && !progress.cancelled() {
        progress.report(what, first as f64 / count as f64);
        let block = &mut rows[..BLOCK.min(count - first) * width];
        let some = |d: &mut D, (part, rows): (usize, &mut [f64])| {
            rows.chunks_mut(width).enumerate().try_for_each(|(k, row)| fill(d, first + part * TOGETHER + k, row))
        };
        block.par_chunks_mut(TOGETHER * width).enumerate().map_init(&make, some).collect::<Result<()>>()?;
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
    fn all_states_come_in_their_order() {
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
    fn it_ends_when_told_to_and_at_a_fault() {
        let stop = AtomicBool::new(false);
        let progress = Progress { callback: &|_, _| {}, cancel: &stop };
        let done =
            parallel_ordered(3 * BLOCK, 1, "", &progress, || (), |_, _, _| Ok(()), |_, _| stop.store(true, Relaxed));
        assert_eq!(done.unwrap(), BLOCK);
        let fault = |_: &mut (), k: usize, _: &mut [f64]| if k == 70 { Err(Error::Asked("no".into())) } else { Ok(()) };
        assert!(parallel_ordered(100, 1, "", &Progress::none(), || (), fault, |_, _| ()).is_err());
    }
}
