//! Threads of a process that was forked: the child of a fork has none of its parent's threads, so it starts its own.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::process;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Recursions of importers and of equations.
pub const STACK: usize = 64 << 20;

/// Runs a function whose parallel iterators use threads of this process.
pub fn on_threads<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    static FIRST: OnceLock<u32> = OnceLock::new();
    static FORKED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let own = process::id();
    if *FIRST.get_or_init(process::id) == own {
        return f();
    }
    let pool = {
        let mut known = FORKED.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((of, pool)) if *of == own => Some(pool.clone()),
            _ => {
                let new = ThreadPoolBuilder::new().stack_size(STACK).build().ok().map(Arc::new);
                *known = new.clone().map(|pool| (own, pool));
                new
            }
        }
    };
    match pool {
        Some(pool) => pool.install(f),
        None => f(),
    }
}
