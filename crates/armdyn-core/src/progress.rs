//! Progress and cancellation of long computations.

use core::sync::atomic::{AtomicBool, Ordering};

/// Receives the progress of a long computation and can cancel it. A cancelled computation returns what it has, marked as
/// partial.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// Called from any thread with the current step and the completed fraction (0 to 1).
    pub callback: &'a (dyn Fn(&str, f64) + Sync),
    /// Set to cancel.
    pub cancel: &'a AtomicBool,
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Progress<'static> {
    /// Reports nothing and is never cancelled.
    pub fn none() -> Self {
        Progress { callback: &|_, _| {}, cancel: &NEVER }
    }
}

impl Progress<'_> {
    /// Reports the current step and the completed fraction.
    pub fn report(&self, step: &str, fraction: f64) {
        (self.callback)(step, fraction);
    }

    /// Whether the computation should stop.
    pub fn cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}
