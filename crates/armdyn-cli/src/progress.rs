//! Long work: a bar that says what is being done and how long it will take, and Ctrl-C, which ends it with what there is.

use armdyn_core::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

static WATCHED: AtomicBool = AtomicBool::new(false);
static STOP: AtomicBool = AtomicBool::new(false);

/// Does something long. Ctrl-C ends it early, and a second one the command; the bar is for a terminal alone.
pub fn with_progress<R>(work: impl FnOnce(&Progress) -> R) -> R {
    const STEPS: f64 = 1000.0;
    let bar = ProgressBar::new(STEPS as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3} %, {eta} left: {msg}") {
        bar.set_style(style);
    }
    let progress = |what: &str, share: f64| {
        bar.set_position((share * STEPS) as u64);
        bar.set_message(what.to_string());
    };
    WATCHED.store(true, SeqCst);
    let done = work(&Progress { callback: &progress, cancel: &STOP });
    WATCHED.store(false, SeqCst);
    bar.finish_and_clear();
    done
}

/// Whether the work was ended early: its results are partial.
pub fn interrupted() -> bool {
    STOP.load(SeqCst)
}

/// At Ctrl-C: whether the work in hand ends by itself.
pub fn interrupt() -> bool {
    WATCHED.load(SeqCst) && !STOP.swap(true, SeqCst)
}
