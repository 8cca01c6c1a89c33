//! The time budget of a simplification and its steps.

use armdyn_core::Progress;
use std::time::{Duration, Instant};

/// A deadline that also ends when the work is cancelled.
#[derive(Clone, Copy)]
pub(super) struct Deadline<'a> {
    pub progress: &'a Progress<'a>,
    end: Instant,
}

impl<'a> Deadline<'a> {
    /// A deadline after a duration from now.
    pub fn new(progress: &'a Progress<'a>, time: Duration) -> Self {
        let now = Instant::now();
        // A duration beyond the clock is unlimited.
        let end = now.checked_add(time).unwrap_or_else(|| now + Duration::from_secs(3_000_000_000));
        Deadline { progress, end }
    }

    /// Remaining time.
    pub fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// Whether it has passed.
    pub fn over(&self) -> bool {
        self.progress.cancelled() || self.left().is_zero()
    }

    /// A deadline after an equal part of the remaining time.
    pub fn part(&self, parts: usize) -> Self {
        Deadline::new(self.progress, self.left() / parts.max(1) as u32)
    }
}
