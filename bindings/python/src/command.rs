//! Commands of the command line on a robot in memory, with progress and Ctrl-C.

use crate::robot::Robot;
use crate::{errors, pool};
use armdyn_cli::embedding::{self, Failure, Host, Reply};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Time between two looks at Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);
/// Time for a computation to end by itself after Ctrl-C; one that does not goes on in the background, and its result is dropped.
const GRACE: Duration = Duration::from_millis(100);

/// Runs a command; the robot, if any, takes the place of its robot argument. `progress` is called with a step and a fraction.
#[pyfunction]
#[pyo3(signature = (robot, arguments, progress = None))]
pub fn run_command<'py>(
    py: Python<'py>,
    robot: Option<&Bound<'py, Robot>>,
    arguments: Vec<String>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let loaded = robot.map(|robot| robot.get().inner.loaded.clone());
    let cancel = Arc::new(AtomicBool::new(false));
    let latest: Arc<Mutex<Option<(String, f64)>>> = Arc::default();
    let (send, receive) = sync_channel(1);
    let (stop, shown) = (cancel.clone(), latest.clone());
    let work = move || {
        let mut host = loaded.map_or_else(Host::without_robot, Host::new);
        host.cancel = stop;
        host.progress = Box::new(move |step, fraction| {
            *shown.lock().unwrap_or_else(PoisonError::into_inner) = Some((step.to_string(), fraction));
        });
        let _ = send.send(pool::on_threads(move || embedding::call(&arguments, host)));
    };
    let spawned = std::thread::Builder::new().name("armdyn".into()).stack_size(pool::STACK).spawn(work);
    let thread = spawned.map_err(|e| PyRuntimeError::new_err(format!("cannot start a thread: {e}")))?;
    // `detach` shares what its closure uses between threads.
    let receive = Mutex::new(receive);
    let wait = |time| receive.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(time);
    let result = loop {
        match py.detach(|| wait(LOOK)) {
            Ok(result) => break result,
            Err(RecvTimeoutError::Disconnected) => {
                let panic = thread.join().err();
                let text = panic.and_then(|p| {
                    p.downcast_ref::<String>().cloned().or_else(|| p.downcast_ref::<&str>().map(ToString::to_string))
                });
                return Err(PyRuntimeError::new_err(format!("internal error: {}", text.unwrap_or_default())));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = py.check_signals() {
                    cancel.store(true, Ordering::SeqCst);
                    let _ = py.detach(|| wait(GRACE));
                    return Err(interrupt);
                }
                let step = latest.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let (Some((step, fraction)), Some(progress)) = (step, &progress) {
                    progress.call1((step, fraction))?;
                }
            }
        }
    };
    let Reply { json, text, html, charts, messages, exit_code, cancelled } = match result {
        Ok(reply) => reply,
        Err(Failure { message, .. }) => return Err(errors::error(py, &message)),
    };
    let all = PyDict::new(py);
    all.set_item("json", json)?;
    all.set_item("text", text)?;
    all.set_item("html", html)?;
    all.set_item("charts", serde_json::Value::Array(charts).to_string())?;
    all.set_item("messages", messages.into_iter().map(|m| (m.level, m.text)).collect::<Vec<_>>())?;
    all.set_item("exit_code", exit_code)?;
    all.set_item("partial", cancelled)?;
    Ok(all)
}

/// The commands and their options, as JSON.
#[pyfunction]
pub fn command_options() -> String {
    embedding::commands().to_string()
}

/// The program `armdyn` with these arguments, of which the first is its name. Returns its exit code.
#[pyfunction]
pub fn main(py: Python<'_>, arguments: Vec<String>) -> u8 {
    py.detach(|| armdyn_cli::main(arguments.into_iter().map(Into::into)))
}
