//! Parallel evaluation of many states with results in order, independent of the number of threads.

use crate::Result;
use armdyn_core::Progress;
use rayon::prelude::*;

/// Evaluates items on all cores, each with a workspace from `make`, and passes the results in order to `take` with their
/// indices. Stops after a block of items when cancelled. Returns the number of items evaluated.
pub fn parallel_ordered<D, T: Send>(
    count: usize,
    what: &str,
    progress: &Progress,
    make: impl Fn() -> Result<D> + Sync + Send,
    evaluate: impl Fn(&mut D, usize) -> Result<T> + Sync + Send,
    mut take: impl FnMut(usize, T),
) -> Result<usize> {
    let evaluate = |d: &mut Result<D>, k: usize| evaluate(d.as_mut().map_err(|e| e.clone())?, k);
    let mut done = 0;
    while done < count && !progress.cancelled() {
        progress.report(what, done as f64 / count as f64);
        let block = (done..count.min(done + block(count))).into_par_iter();
        for result in block.map_init(&make, evaluate).collect::<Result<Vec<T>>>()? {
            take(done, result);
            done += 1;
        }
    }
    Ok(done)
}

/// Items evaluated between two reports of the progress.
fn block(count: usize) -> usize {
    (count / 32).clamp(256, 8192)
}

/// The results of [`parallel_ordered`]; fewer than `count` if cancelled.
pub fn parallel_map<D, T: Send>(
    count: usize,
    what: &str,
    progress: &Progress,
    make: impl Fn() -> Result<D> + Sync + Send,
    evaluate: impl Fn(&mut D, usize) -> Result<T> + Sync + Send,
) -> Result<Vec<T>> {
    let mut all = vec![];
    parallel_ordered(count, what, progress, make, evaluate, |_, result| all.push(result))?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    fn none() -> Result<()> {
        Ok(())
    }

    #[test]
    fn results_are_in_order() {
        let count = 20 * block(20_000) + 77;
        let twice = parallel_map(count, "", &Progress::none(), none, |_, k| Ok(2 * k)).unwrap();
        assert!(twice.len() == count && twice.iter().enumerate().all(|(k, x)| *x == 2 * k));
        let mut seen = vec![];
        let done = parallel_ordered(count, "", &Progress::none(), none, |_, k| Ok(k), |k, x| seen.push((k, x)));
        assert!(done == Ok(count) && seen.iter().enumerate().all(|(k, x)| *x == (k, k)));
    }

    #[test]
    fn it_stops_when_cancelled_and_at_an_error() {
        let (stop, count) = (AtomicBool::new(false), 1000);
        let progress = Progress { callback: &|_, _| {}, cancel: &stop };
        let done = parallel_ordered(count, "", &progress, none, |_, _| Ok(()), |_, ()| stop.store(true, Relaxed));
        assert_eq!(done, Ok(block(count)));
        let fault = |_: &mut (), k: usize| if k == 70 { Err(Error::InvalidInput("no".into())) } else { Ok(()) };
        assert!(parallel_map(100, "", &Progress::none(), none, fault).is_err());
        let fault = || Err::<(), Error>(Error::InvalidInput("no".into()));
        assert!(parallel_map(100, "", &Progress::none(), fault, |_, _| Ok(())).is_err());
    }
}
