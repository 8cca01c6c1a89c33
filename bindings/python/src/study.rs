//! Design studies on a cluster: what Python needs to compute points elsewhere. Studies on threads are the command `study`.

use crate::robot::Robot;
use crate::{errors, pool};
use armdyn_cli::study::Plan;
use armdyn_study::{Error, Point, Record, Session, Study};
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;
use serde_json::{from_str, to_string};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// A study in progress, with its journal.
#[pyclass(frozen, module = "armdyn._armdyn")]
pub struct StudySession {
    plan: Plan,
    /// None once it is closed.
    session: Mutex<Option<Session<Arc<Study>>>>,
    #[pyo3(get)]
    folder: PathBuf,
}

impl StudySession {
    fn session<R>(&self, py: Python<'_>, f: impl FnOnce(&mut Session<Arc<Study>>) -> R) -> PyResult<R> {
        let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        session.as_mut().map(f).ok_or_else(|| errors::error(py, "the session of the study is closed"))
    }
}

fn failed(py: Python<'_>) -> impl Fn(Error) -> PyErr + '_ {
    move |e| errors::error(py, &e.to_string())
}

#[pymethods]
impl StudySession {
    /// Opens the journal of a study file; a robot takes the place of the one that the file names.
    #[new]
    fn new(
        py: Python<'_>,
        file: PathBuf,
        robot: Option<&Bound<'_, Robot>>,
        journal: PathBuf,
        restart: bool,
    ) -> PyResult<Self> {
        let file = std::path::absolute(&file).unwrap_or(file);
        let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
        let description = robot.and_then(|robot| robot.get().inner.loaded.description.clone());
        let plan = Plan::of_file(&file, description.as_ref()).map_err(failed(py))?;
        let session = plan.session(Some((&journal, restart))).map_err(failed(py))?;
        Ok(StudySession { plan, session: Mutex::new(Some(session)), folder })
    }

    /// The definition as JSON.
    #[getter]
    fn definition(&self) -> String {
        self.plan.definition()
    }

    /// The robot as the text of a file.
    #[getter]
    fn robot(&self) -> &str {
        &self.plan.robot
    }

    /// The points that can be computed now, as JSON.
    fn pending(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.session(py, |s| s.pending().iter().map(|point| to_string(point).unwrap_or_default()).collect())
    }

    /// Takes results of points, as JSON.
    fn tell(&self, py: Python<'_>, records: Vec<String>) -> PyResult<()> {
        let read = |text: &String| {
            from_str::<Record>(text).map_err(|e| errors::error(py, &format!("not a result of a point: {e}")))
        };
        let records = records.iter().map(read).collect::<PyResult<Vec<_>>>()?;
        self.session(py, |s| s.tell(records))?.map_err(failed(py))
    }

    /// The result of a point that cannot be computed, as JSON.
    fn failure(&self, py: Python<'_>, point: &str, error: String) -> PyResult<String> {
        let Point { index, values } = from_str(point).map_err(|e| errors::error(py, &e.to_string()))?;
        let record =
            Record { point: index, values, measures: vec![None; self.plan.study.measures.len()], error: Some(error) };
        Ok(to_string(&record).unwrap_or_default())
    }

    /// Finished points, and all of the study.
    fn counts(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        self.session(py, |s| s.counts())
    }

    /// Closes the journal, so that others can open it.
    fn close(&self) {
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Computes points of a study, on one thread: the results as JSON.
#[pyfunction]
pub fn study_evaluate(
    py: Python<'_>,
    definition: String,
    robot: String,
    folder: PathBuf,
    points: Vec<String>,
) -> PyResult<Vec<String>> {
    /// The study of this worker, so that it is read once.
    static LAST: Mutex<Option<(String, String, Arc<Plan>)>> = Mutex::new(None);
    let compute = || -> Result<Vec<String>, Error> {
        let plan = {
            let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
            match &*last {
                Some((d, r, plan)) if *d == definition && *r == robot => plan.clone(),
                _ => {
                    let plan = Arc::new(Plan::of_texts(&definition, &robot, &folder)?);
                    *last = Some((definition, robot, plan.clone()));
                    plan
                }
            }
        };
        let threads = ThreadPoolBuilder::new().num_threads(1).stack_size(pool::STACK).build();
        let threads = threads.map_err(|e| Error(format!("cannot start a thread: {e}")))?;
        let never = Arc::new(AtomicBool::new(false));
        let one = |text: &String| {
            let point: Point = from_str(text).map_err(|e| Error(format!("not a point: {e}")))?;
            Ok(threads.install(|| plan.evaluate(&point, &never)).and_then(|record| to_string(&record).ok()))
        };
        points.iter().filter_map(|text| one(text).transpose()).collect()
    };
    py.detach(compute).map_err(failed(py))
}
