//! Exceptions: the classes are those of `armdyn._errors`.

use armdyn_core::Error;
use armdyn_import::{Finding, LoadError, Sources};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A `ValueError`.
pub fn value(message: String) -> PyErr {
    PyValueError::new_err(message)
}

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("armdyn._errors")?.getattr(name)
}

/// An exception of a class of `armdyn._errors` with these arguments.
fn raise<'py>(py: Python<'py>, name: &str, arguments: impl pyo3::call::PyCallArgs<'py>) -> PyErr {
    match class(py, name).and_then(|class| class.call1(arguments)) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// `armdyn.Error`.
pub fn error(py: Python<'_>, message: &str) -> PyErr {
    raise(py, "Error", (message,))
}

/// The error of a state: a `ValueError` for wrong arguments.
pub fn of_state(py: Python<'_>, e: &Error) -> PyErr {
    match e {
        Error::Length { .. } => value(e.to_string()),
        _ => raise(py, "StateError", (e.to_string(), Vec::<usize>::new(), Vec::<String>::new())),
    }
}

/// The rows of a message.
const LISTED: usize = 3;

/// The error of some states of a batch: their rows, reasons, and the results of all others.
pub fn of_states(py: Python<'_>, invalid: &[(usize, Error)], states: usize, result: Bound<'_, PyAny>) -> PyErr {
    of_first_states(py, invalid, invalid.len(), states, result)
}

/// The error of some states of a batch on a GPU, which reports the first of them.
pub fn of_gpu_states(
    py: Python<'_>,
    first: (usize, &Error),
    count: usize,
    states: usize,
    result: Bound<'_, PyAny>,
) -> PyErr {
    of_first_states(py, &[(first.0, first.1.clone())], count, states, result)
}

fn of_first_states(
    py: Python<'_>,
    first: &[(usize, Error)],
    count: usize,
    states: usize,
    result: Bound<'_, PyAny>,
) -> PyErr {
    let (rows, reasons): (Vec<usize>, Vec<String>) = first.iter().map(|(row, e)| (*row, e.to_string())).unzip();
    let listed: Vec<String> =
        rows.iter().zip(&reasons).take(LISTED).map(|(row, reason)| format!("row {row}: {reason}")).collect();
    let more = if count > listed.len() { "; …" } else { "" };
    let noun = if states == 1 { "state" } else { "states" };
    let are = if count == 1 { "is" } else { "are" };
    let message = format!("{count} of {states} {noun} {are} invalid: {}{more}", listed.join("; "));
    raise(py, "StateError", (message, rows, reasons, result))
}

/// Why a robot cannot be loaded.
pub fn of_load(py: Python<'_>, e: LoadError) -> PyErr {
    let message = e.to_string();
    let LoadError::Invalid { findings, sources, .. } = &e else {
        return raise(py, "LoadError", (message, Vec::<Py<PyAny>>::new()));
    };
    match self::findings(py, findings, sources) {
        Ok(list) => raise(py, "LoadError", (message, list)),
        Err(error) => error,
    }
}

/// Findings as dictionaries.
pub fn findings<'py>(py: Python<'py>, findings: &[Finding], sources: &Sources) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let one = |f: &Finding| {
        let entry = PyDict::new(py);
        entry.set_item("severity", f.code.severity.to_string())?;
        entry.set_item("code", f.code.id)?;
        entry.set_item("message", &f.message)?;
        entry.set_item("why", f.code.why)?;
        entry.set_item("fix", f.suggestion())?;
        let at = f.place.as_ref().map(|p| (sources.files[p.file].path.display().to_string(), sources.line_column(p)));
        entry.set_item("file", at.as_ref().map(|(file, _)| file))?;
        entry.set_item("line", at.as_ref().map(|(_, (line, _))| line))?;
        entry.set_item("column", at.as_ref().map(|(_, (_, column))| column))?;
        Ok(entry)
    };
    findings.iter().map(one).collect()
}
