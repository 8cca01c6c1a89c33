//! The native part of the Python package `armdyn`.

mod arrays;
mod command;
mod errors;
mod evaluate;
mod on_gpu;
mod pool;
mod quantity;
mod robot;
mod study;

use pyo3::prelude::*;

/// The native part of `armdyn`.
#[pymodule]
mod _armdyn {
    #[pymodule_export]
    use super::command::{command_options, main, run_command};
    #[pymodule_export]
    use super::robot::Robot;
    #[pymodule_export]
    use super::study::{StudySession, study_evaluate};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // The process that loads the module, before it can fork.
        super::pool::on_threads(|| ());
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let robots: Vec<&str> = armdyn_import::library::ROBOTS.iter().map(|r| r.name).collect();
        module.add("ROBOTS", robots)
    }
}
