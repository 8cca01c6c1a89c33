//! Trajectories from tables: times, positions, and velocities and accelerations if present.

use crate::diagnostics;
use crate::limits::LimitCheck;
use crate::output::CommandError;
use crate::stream::{TIMES, columns, found, open, warn_unused};
use crate::values::{Kind, Reader};
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

/// Reads columns `t`, `q_JOINT` and, if present, `qd_JOINT`, `qdd_JOINT`; missing rates are computed by differentiation.
fn read(path: &Path, reader: &Reader) -> Result<Trajectory, CommandError> {
    let file = if path == Path::new("-") { "stdin".to_string() } else { path.display().to_string() };
    if let Some(j) = reader.model.joints().iter().find(|j| j.q.len() != j.v.len()) {
        return Err(Error::Joint { joint: j.name.clone() }.into());
    }
    let mut table = open(path, None)?;
    let names = table.names().to_vec();
    let time = TIMES.iter().find_map(|t| names.iter().position(|n| n == t));
    let time =
        time.ok_or_else(|| format!("`{file}` has no time column: expected `t`, in seconds; {}", found(&names)))?;
    let find = |prefix, kind: &Kind| columns(reader, prefix, kind, &names).map_err(|e| format!("`{file}`: {e}"));
    let example = || format!("q_{}", reader.model.dof_names().first().map_or("JOINT", String::as_str));
    let q = find("q", &Kind::Position)?.ok_or_else(|| {
        let (example, found) = (example(), found(&names));
        format!("`{file}` has no joint positions: expected columns such as `{example}`; {found}")
    })?;
    let (qd, qdd) = (find("qd", &Kind::Rate)?, find("qdd", &Kind::Rate)?);
    if qd.is_none() && qdd.is_some() {
        return Err(format!("`{file}` has accelerations but no velocities: add columns qd_…, or remove qdd_…").into());
    }
    let mut used = vec![time];
    [Some(&q), qd.as_ref(), qdd.as_ref()].into_iter().flatten().for_each(|c| used.extend(c));
    warn_unused(&names, &used);
    table.select(&used)?;
    let n = q.len();
    let scales = [reader.scales(&Kind::Position), reader.scales(&Kind::Rate), reader.scales(&Kind::Rate)];
    let (mut t, mut parts, mut rows) = (vec![], [vec![], vec![], vec![]], table.block(ROWS));
    while table.read(&mut rows)? > 0 {
        for row in rows.iter() {
            t.push(row[0]);
            for (part, (values, scales)) in parts.iter_mut().zip(row[1..].chunks(n.max(1)).zip(&scales)) {
                part.extend(values.iter().zip(scales).map(|(x, s)| x * s));
            }
        }
    }
    let [q, speeds, accelerations] = parts;
    let built = match (qd, qdd) {
        (Some(_), Some(_)) => Trajectory::new(n, t, q, speeds, accelerations),
        (Some(_), None) => {
            diagnostics::warn("no columns qdd_…: differentiating velocities");
            Trajectory::from_velocities(n, t, q, speeds)
        }
        _ => {
            diagnostics::warn("no columns qd_…, qdd_…: differentiating positions");
            Trajectory::from_positions(n, t, q)
        }
    };
    let trajectory = built.map_err(|e| match e {
        Error::Trajectory { sample, what } => format!("`{file}`, row {}: {what}", sample + 1),
        e => format!("`{file}`: {e}"),
    })?;
    let mut limits = LimitCheck::new(reader);
    (0..trajectory.len()).for_each(|k| limits.row(trajectory.state(k)[0]));
    limits.summarize();
    Ok(trajectory)
}
