//! Trajectories from tables: times, positions, and velocities and accelerations if present.

use crate::stream::{TIMES, columns};
use crate::values::{Kind, Reader};
use crate::{format, table};
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

    /// The trajectory.
    pub fn read(&self, reader: &Reader) -> Result<Read, String> {
        match self {
            Source::File(file) => read(file, reader),
            Source::Memory(_, trajectory) => Ok(Read { trajectory: (**trajectory).clone(), notes: vec![] }),
        }
    }
}

/// A trajectory, and notes for the user.
pub struct Read {
    pub trajectory: Trajectory,
    /// Differentiated columns, unused columns, positions outside the limits.
    pub notes: Vec<String>,
}

/// Reads columns `t`, `q_JOINT` and, if present, `qd_JOINT`, `qdd_JOINT`; missing rates are computed by differentiation.
pub fn read(path: &Path, reader: &Reader) -> Result<Read, String> {
    let file = path.display();
    if let Some(j) = reader.model.joints().iter().find(|j| j.q.len() != j.v.len()) {
        return Err(Error::Joint { joint: j.name.clone() }.to_string());
    }
    let mut table = table::Reader::open(path).map_err(|e| e.to_string())?;
    let names = table.names().to_vec();
    let time = TIMES.iter().find_map(|t| names.iter().position(|n| n == t));
    let time = time.ok_or_else(|| format!("`{file}` has no time column: expected `t`, in seconds"))?;
    let find = |prefix, kind: &Kind| columns(reader, prefix, kind, &names).map_err(|e| format!("`{file}`: {e}"));
    let example = || format!("q_{}", reader.model.dof_names().first().map_or("JOINT", String::as_str));
    let q = find("q", &Kind::Position)?
        .ok_or_else(|| format!("`{file}` has no joint positions: expected columns such as `{}`", example()))?;
    let (qd, qdd) = (find("qd", &Kind::Rate)?, find("qdd", &Kind::Rate)?);
    if qd.is_none() && qdd.is_some() {
        return Err(format!("`{file}` has accelerations but no velocities: add columns qd_…, or remove qdd_…"));
    }
    let mut used = vec![time];
    [Some(&q), qd.as_ref(), qdd.as_ref()].into_iter().flatten().for_each(|c| used.extend(c));
    let mut notes = vec![];
    let unused: Vec<&str> =
        names.iter().enumerate().filter(|(k, _)| !used.contains(k)).map(|(_, n)| n.as_str()).collect();
    if !unused.is_empty() {
        notes.push(format!("unused columns: {}", unused.join(", ")));
    }
    table.select(&used).map_err(|e| e.to_string())?;
    let n = q.len();
    let scales = [reader.scales(&Kind::Position), reader.scales(&Kind::Rate), reader.scales(&Kind::Rate)];
    let (mut t, mut parts, mut rows) = (vec![], [vec![], vec![], vec![]], table.block(ROWS));
    while table.read(&mut rows).map_err(|e| e.to_string())? > 0 {
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
            notes.push("no columns qdd_…: differentiating velocities".to_string());
            Trajectory::from_velocities(n, t, q, speeds)
        }
        _ => {
            notes.push("no columns qd_…, qdd_…: differentiating positions".to_string());
            Trajectory::from_positions(n, t, q)
        }
    };
    let trajectory = built.map_err(|e| match e {
        Error::Trajectory { sample, what } => format!("`{file}`, row {}: {what}", sample + 1),
        e => format!("`{file}`: {e}"),
    })?;
    notes.extend(outside(reader, &trajectory));
    Ok(Read { trajectory, notes })
}

/// The first time at which each joint is outside its limits.
fn outside(reader: &Reader, trajectory: &Trajectory) -> Vec<String> {
    let m = reader.model;
    let scales = reader.scales(&Kind::Rate);
    let note = |(i, limits): (usize, &armdyn_core::Limits)| {
        let leaves = |q: f64| q < limits.lower - 1e-9 || q > limits.upper + 1e-9;
        let k = (0..trajectory.len()).find(|k| leaves(trajectory.state(*k)[0][i]))?;
        let [q, low, high] = [trajectory.state(k)[0][i], limits.lower, limits.upper].map(|x| x / scales[i]);
        let (name, t, unit) = (&m.dof_names()[i], trajectory.t[k], format::position_unit(m, i, reader.deg));
        let (q, low, high) = (format::number(q), format::number(low), format::number(high));
        Some(format!("`{name}` = {q} {unit} at {t} s (row {}) is outside its range [{low}, {high}] {unit}", k + 1))
    };
    m.limits().iter().enumerate().filter_map(note).collect()
}
