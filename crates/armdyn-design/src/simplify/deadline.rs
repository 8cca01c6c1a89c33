//! How long a simplification may take, and what share of it each step has.

use armdyn_core::Progress;
use std::time::{Duration, Instant};

/// When to end, by the clock or by whoever looks on.
#[derive(Clone, Copy)]
pub(super) struct Deadline<'a> {
    pub progress: &'a Progress<'a>,
    end: Instant,
}

impl<'a> Deadline<'a> {
    /// So long from now.
    pub fn new(progress: &'a Progress<'a>, time: Duration) -> Self {
        let now = Instant::now();
        // What no clock can tell is no limit: a century is enough.
        let end = now.checked_add(time).unwrap_or_else(|| now + Duration::from_secs(3_000_000_000));
        Deadline { progress, end }
    }

    /// What is left.
    pub fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// Whether it is past.
    pub fn over(&self) -> bool {
        self.progress.cancelled() || self.left().is_zero()
    }

    /// The first of so many equal parts of what is left.
    pub fn part(&self, of: usize) -> Self {
        Deadline::new(self.progress, self.left() / of.max(1) as u32)
    }
}
