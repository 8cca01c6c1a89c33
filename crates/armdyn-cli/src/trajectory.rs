//! Trajectories from tables: times, positions, and velocities and accelerations if present.

use crate::diagnostics;
use crate::limits::LimitCheck;
use crate::output::CommandError;
use crate::stream::{TIMES, check_units, columns, found, open, warn_unused};
use crate::values::{Kind, Reader};
use armdyn_motion::trajectory::{MotionLimits, Waypoints};
use armdyn_numerics::{Error, Trajectory};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows that are read together.
const ROWS: usize = 4096;

/// Where a trajectory comes from.
#[derive(Clone)]
pub enum Source {
    /// A table.
    File(PathBuf),
    /// Memory, under this name.
    Memory(String, Arc<Trajectory>),
}

impl From<OsString> for Source {
    fn from(file: OsString) -> Self {
        Source::File(file.into())
    }
}

impl Source {
    /// Its name.
    pub fn display(&self) -> String {
        match self {
            Source::File(file) => file.display().to_string(),
            Source::Memory(name, _) => name.clone(),
        }
    }

    /// The trajectory, with warnings about differentiated and unused columns and positions outside the limits.
    pub fn read(&self, reader: &Reader) -> Result<Trajectory, CommandError> {
        match self {
            Source::File(file) => read(file, reader),
            Source::Memory(_, trajectory) => Ok((**trajectory).clone()),
        }
    }
}

/// The rows of a table of configurations, in SI units.
struct Rows {
    file: String,
    n: usize,
    /// Times, if there is such a column.
    t: Option<Vec<f64>>,
    q: Vec<f64>,
    qd: Option<Vec<f64>>,
    qdd: Option<Vec<f64>>,
}

impl Rows {
    /// Reads columns `q_JOINT`, `t` (required if `timed`) and, if present, `qd_JOINT`, `qdd_JOINT`; warns about unused columns.
    fn read(path: &Path, reader: &Reader, timed: bool) -> Result<Self, CommandError> {
        let file = if path == Path::new("-") { "stdin".to_string() } else { path.display().to_string() };
        if let Some(j) = reader.model.joints().iter().find(|j| j.q.len() != j.v.len()) {
            return Err(Error::Joint { joint: j.name.clone() }.into());
        }
        check_units(path, reader)?;
        let mut table = open(path, None)?;
        let names = table.names().to_vec();
        let time = TIMES.iter().find_map(|t| names.iter().position(|n| n == t));
        if timed && time.is_none() {
            let found = found(&names);
            return Err(format!("`{file}` has no time column: expected `t`, in seconds; {found}").into());
        }
        let find = |prefix, kind: &Kind| columns(reader, prefix, kind, &names).map_err(|e| format!("`{file}`: {e}"));
        let example = || format!("q_{}", reader.model.dof_names().first().map_or("JOINT", String::as_str));
        let q = find("q", &Kind::Position)?.ok_or_else(|| {
            let (example, found) = (example(), found(&names));
            format!("`{file}` has no joint positions: expected columns such as `{example}`; {found}")
        })?;
        let (qd, qdd) = (find("qd", &Kind::Rate)?, find("qdd", &Kind::Rate)?);
        if qd.is_none() && qdd.is_some() {
            return Err(
                format!("`{file}` has accelerations but no velocities: add columns qd_…, or remove qdd_…").into()
            );
        }
        let vectors = [Some(&q), qd.as_ref(), qdd.as_ref()].into_iter().flatten().flatten().copied();
        let used: Vec<usize> = vectors.chain(time).collect();
        warn_unused(reader.model, &names, &used);
        table.select(&used)?;
        let (n, width) = (q.len(), used.len() - usize::from(time.is_some()));
        let scales = [reader.scales(&Kind::Position), reader.scales(&Kind::Rate), reader.scales(&Kind::Rate)];
        let (mut t, mut parts, mut rows) = (vec![], [vec![], vec![], vec![]], table.block(ROWS));
        while table.read(&mut rows)? > 0 {
            for row in rows.iter() {
                t.extend(row.get(width));
                for (part, (values, scales)) in parts.iter_mut().zip(row[..width].chunks(n.max(1)).zip(&scales)) {
                    part.extend(values.iter().zip(scales).map(|(x, s)| x * s));
                }
            }
        }
        let [q, speeds, accelerations] = parts;
        let (t, qd, qdd) = (time.map(|_| t), qd.map(|_| speeds), qdd.map(|_| accelerations));
        Ok(Rows { file, n, t, q, qd, qdd })
    }
}

/// An error about a sample names the row of its file.
pub fn in_file(file: &str, error: Error) -> CommandError {
    match error {
        Error::Trajectory { sample, what } => format!("`{file}`, row {}: {what}", sample + 1).into(),
        e => format!("`{file}`: {e}").into(),
    }
}

/// Reads columns `t`, `q_JOINT` and, if present, `qd_JOINT`, `qdd_JOINT`; missing rates are computed by differentiation.
fn read(path: &Path, reader: &Reader) -> Result<Trajectory, CommandError> {
    let Rows { file, n, t, q, qd, qdd } = Rows::read(path, reader, true)?;
    let t = t.unwrap_or_default();
    let built = match (qd, qdd) {
        (Some(qd), Some(qdd)) => Trajectory::new(n, t, q, qd, qdd),
        (Some(qd), None) => {
            diagnostics::warn("no columns qdd_…: differentiating velocities");
            Trajectory::from_velocities(n, t, q, qd)
        }
        _ => {
            diagnostics::warn("no columns qd_…, qdd_…: differentiating positions");
            Trajectory::from_positions(n, t, q)
        }
    };
    let trajectory = built.map_err(|e| in_file(&file, e))?;
    let mut limits = LimitCheck::new(reader);
    (0..trajectory.len()).for_each(|k| limits.rows(trajectory.state(k)[0], 1));
    limits.summarize();
    Ok(trajectory)
}

/// Waypoints from a table.
pub struct WaypointTable {
    /// The configurations, all within the position limits.
    pub waypoints: Waypoints,
    /// Their times, if the table has them \[s\].
    pub times: Option<Vec<f64>>,
    /// The trajectory through given velocities and accelerations, if the table has times and both.
    pub states: Option<Trajectory>,
    /// Whether there are velocities.
    pub rates: bool,
}

/// Reads waypoints: columns `q_JOINT` and, if present, `t`, `qd_JOINT`, `qdd_JOINT`.
pub fn read_waypoints(path: &Path, reader: &Reader, limits: &MotionLimits) -> Result<WaypointTable, CommandError> {
    let Rows { file, n, t, q, qd, qdd } = Rows::read(path, reader, false)?;
    let waypoints = Waypoints::new(n, q.clone()).map_err(|e| in_file(&file, e))?;
    waypoints.check(reader.model, limits).map_err(|e| in_file(&file, e))?;
    if let Some(t) = &t {
        // Times increase.
        let zero = vec![0.0; q.len()];
        Trajectory::new(n, t.clone(), q.clone(), zero.clone(), zero).map_err(|e| in_file(&file, e))?;
    }
    let rates = qd.is_some();
    let states = match (t.clone(), qd, qdd) {
        (Some(t), Some(qd), Some(qdd)) => Some(Trajectory::new(n, t, q, qd, qdd).map_err(|e| in_file(&file, e))?),
        _ => None,
    };
    Ok(WaypointTable { waypoints, times: t, states, rates })
}
