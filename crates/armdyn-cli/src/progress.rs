//! Long computations: a progress bar, and Ctrl-C, which ends them with partial results.

use crate::embedding;
use armdyn_core::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

static RUNNING: AtomicBool = AtomicBool::new(false);
static STOP: AtomicBool = AtomicBool::new(false);

/// A progress bar of this many steps; hidden in an embedding program.
pub fn bar(steps: u64, template: &str) -> ProgressBar {
    if embedding::host().is_some() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Runs a long computation. Ctrl-C ends it early, a second Ctrl-C ends the command; the bar appears on a terminal only.
pub fn with_progress<R>(work: impl FnOnce(&Progress) -> R) -> R {
    const STEPS: f64 = 1000.0;
    if let Some(host) = embedding::host() {
        return work(&Progress { callback: &host.progress, cancel: &host.cancel });
    }
    let bar = bar(STEPS as u64, "{bar:30} {percent:>3} %, {eta} left: {msg}");
    let progress = |step: &str, fraction: f64| {
        bar.set_position((fraction * STEPS) as u64);
        bar.set_message(step.to_string());
    };
    RUNNING.store(true, SeqCst);
    let result = work(&Progress { callback: &progress, cancel: &STOP });
    RUNNING.store(false, SeqCst);
    bar.finish_and_clear();
    result
}

/// Whether Ctrl-C was pressed, or the embedding program cancels: results are partial.
pub fn interrupted() -> bool {
    embedding::host().map_or_else(|| STOP.load(SeqCst), |host| host.cancel.load(SeqCst))
}

/// At Ctrl-C: whether the running computation ends by itself.
pub fn interrupt() -> bool {
    RUNNING.load(SeqCst) && !STOP.swap(true, SeqCst)
}
