//! Who looks on while something long is worked out.

use std::sync::atomic::{AtomicBool, Ordering};

/// Told how the work goes, and may end it early: what there is by then is given, marked as partial.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Called with what is being done and the share of the whole that is, from any thread.
    pub progress: &'a (dyn Fn(&str, f64) + Sync),
    /// Set by whoever has waited enough.
    pub stop: &'a AtomicBool,
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Watch<'static> {
    /// Nobody.
    pub fn nobody() -> Self {
        Watch { progress: &|_, _| {}, stop: &NEVER }
    }
}

impl Watch<'_> {
    /// Tells how far it is.
    pub fn tell(&self, what: &str, share: f64) {
        (self.progress)(what, share);
    }

    /// Whether to end.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
