//! A trajectory from a table: times, positions, and speeds and accelerations where it has them.

use crate::stream::{TIMES, columns};
use crate::table;
use crate::values::{Kind, Reader};
use armdyn_numerics::{Error, Trajectory};
use std::path::Path;

/// Rows that are read together.
const ROWS: usize = 4096;

/// A trajectory, and what is to be said of it.
pub struct Read {
    /// The motion.
    pub trajectory: Trajectory,
    /// Where speeds and accelerations come from, what was not used, which positions are outside of their limits.
    pub notes: Vec<String>,
}

/// Reads columns `t`, `q_JOINT` and, if it has them, `qd_JOINT`, `qdd_JOINT`; what is missing comes of what is there.
pub fn read(path: &Path, reader: &Reader) -> Result<Read, String> {
    let file = path.display();
    if let Some(j) = reader.model.joints().iter().find(|j| j.q.len() != j.v.len()) {
        return Err(Error::Joint { joint: j.name.clone() }.to_string());
    }
    let mut table = table::Reader::open(path).map_err(|e| e.to_string())?;
    let names = table.names().to_vec();
    let time = TIMES.iter().find_map(|t| names.iter().position(|n| n == t));
    let time = time.ok_or_else(|| format!("`{file}` has no column of times: name it `t`, in seconds"))?;
    let find = |prefix, kind: &Kind| columns(reader, prefix, kind, &names).map_err(|e| format!("`{file}`: {e}"));
    let asked = || format!("q_{}", reader.model.dof_names().first().map_or("JOINT", String::as_str));
    let q = find("q", &Kind::Position)?.ok_or_else(|| format!("`{file}` has no positions, such as `{}`", asked()))?;
    let (qd, qdd) = (find("qd", &Kind::Rate)?, find("qdd", &Kind::Rate)?);
    if qd.is_none() && qdd.is_some() {
        return Err(format!("`{file}` has accelerations and no speeds: give qd_… too, or leave qdd_… out"));
    }
    let mut used = vec![time];
    [Some(&q), qd.as_ref(), qdd.as_ref()].into_iter().flatten().for_each(|c| used.extend(c));
    let mut notes = vec![];
    let unused: Vec<&str> =
        names.iter().enumerate().filter(|(k, _)| !used.contains(k)).map(|(_, n)| n.as_str()).collect();
    if !unused.is_empty() {
        notes.push(format!("columns that were not used: {}", unused.join(", ")));
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
    let made = match (qd, qdd) {
        (Some(_), Some(_)) => Trajectory::new(n, t, q, speeds, accelerations),
        (Some(_), None) => {
            notes.push("no columns qdd_…: accelerations are the slopes of the speeds".to_string());
            Trajectory::from_velocities(n, t, q, speeds)
        }
        _ => {
            notes.push("no columns qd_…, qdd_…: speeds and accelerations are slopes of the positions".to_string());
            Trajectory::from_positions(n, t, q)
        }
    };
    let trajectory = made.map_err(|e| match e {
        Error::Trajectory { sample, what } => format!("`{file}`, row {}: {what}", sample + 1),
        e => format!("`{file}`: {e}"),
    })?;
    notes.extend(outside(reader, &trajectory));
    Ok(Read { trajectory, notes })
}

/// The first instant at which each joint is outside of its limits.
fn outside(reader: &Reader, trajectory: &Trajectory) -> Vec<String> {
    let m = reader.model;
    let scales = reader.scales(&Kind::Rate);
    let told = |(i, limits): (usize, &armdyn_core::Limits)| {
        let leaves = |q: f64| q < limits.lower - 1e-9 || q > limits.upper + 1e-9;
        let k = (0..trajectory.len()).find(|k| leaves(trajectory.state(*k)[0][i]))?;
        let [q, low, high] = [trajectory.state(k)[0][i], limits.lower, limits.upper].map(|x| x / scales[i]);
        let (name, t, unit) = (&m.dof_names()[i], trajectory.t[k], crate::format::position_unit(m, i, reader.deg));
        Some(format!("`{name}` leaves its limits at {t} s (row {}): {q} {unit} is not from {low} to {high}", k + 1))
    };
    m.limits().iter().enumerate().filter_map(told).collect()
}
