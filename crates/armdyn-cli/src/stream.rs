//! Tables of states: computes a table of results row by row, with bounded memory and a progress bar; writes all or nothing.

use crate::args::Batch;
use crate::format::many;
use crate::output::{CommandError, Output};
use crate::table::{self, Block, Progress};
use crate::values::{Input, Kind, Reader};
use crate::{diagnostics, progress};
use serde_json::json;
use std::ops::ControlFlow;
use std::path::Path;

/// Rows that are read, computed and written together.
const ROWS: usize = 4096;

/// Names of time columns, which are copied to the result.
pub const TIMES: [&str; 3] = ["t", "time", "stamp"];

/// Computes `outputs` from `inputs` for every row of `--states`; without it, returns the values of the inputs.
///
/// An input `q` is in the columns `q_JOINT` (or `q[0]`, `q[1]`, … by order; for positions also `JOINT`). Without any column, an
/// input has the value of its option, else it is neutral, with a warning. Missing columns are an error, and so are columns
/// together with the option.
pub fn run<const N: usize>(
    batch: &Batch,
    json: bool,
    reader: &Reader,
    inputs: [Input; N],
    outputs: &[String],
    mut each: impl FnMut([&[f64]; N], &mut [f64]) -> Result<(), CommandError>,
) -> Result<ControlFlow<Output, [Vec<f64>; N]>, CommandError> {
    let (Some(states), Some(out)) = (&batch.states, &batch.out) else {
        return reader.read_all(&inputs).map(ControlFlow::Continue);
    };
    let rows = compute(states, out, reader, inputs, outputs, &mut each)?;
    Ok(ControlFlow::Break(summary(json, reader, rows, out, outputs)))
}

fn summary(json: bool, reader: &Reader, rows: u64, out: &Path, outputs: &[String]) -> Output {
    let (name, out) = (reader.model.name(), out.display().to_string());
    if json {
        return json!({ "robot": name, "joints": reader.model.dof_names(), "states": rows, "out": out, "columns": outputs }).into();
    }
    let states = many(rows as usize, "state");
    format!("{states} of `{name}` written to {out}: {}\n", outputs.join(", ")).into()
}

/// Warns about columns that are not used.
pub fn warn_unused(names: &[String], used: &[usize]) {
    let unused = names.iter().enumerate().filter(|(k, _)| !used.contains(k)).map(|(_, name)| name.as_str());
    let unused: Vec<&str> = unused.collect();
    if !unused.is_empty() {
        diagnostics::warn(format_args!("unused columns: {}", unused.join(", ")));
    }
}

/// The values of one input.
struct InputValues {
    /// Current values.
    values: Vec<f64>,
    /// Factors to SI units.
    scales: Vec<f64>,
    /// The index of each column's value; empty without columns.
    columns: Vec<usize>,
}

fn compute<const N: usize>(
    states: &Path,
    out: &Path,
    reader: &Reader,
    inputs: [Input; N],
    outputs: &[String],
    each: &mut impl FnMut([&[f64]; N], &mut [f64]) -> Result<(), CommandError>,
) -> Result<u64, CommandError> {
    let mut table = table::Reader::open(states)?;
    let mut used = vec![];
    let mut inputs_read = vec![];
    if same_file(states, out) {
        return Err(format!("`--out {}` would replace the input; choose another file", out.display()).into());
    }
    for (prefix, kind, text) in inputs {
        inputs_read.push(input(reader, prefix, &kind, text, table.names(), &mut used)?);
    }
    if used.is_empty() {
        let example = format!("q_{}", reader.model.dof_names().first().map_or("JOINT", String::as_str));
        return Err(format!("`{}` has no joint columns: expected names such as `{example}`", states.display()).into());
    }
    let times: Vec<usize> = table
        .names()
        .iter()
        .enumerate()
        .filter(|(k, name)| TIMES.contains(&name.as_str()) && !used.contains(k))
        .map(|(k, _)| k)
        .collect();
    used.extend(&times);
    warn_unused(table.names(), &used);
    let kept: Vec<String> = times.iter().map(|&k| table.names()[k].clone()).collect();
    table.select(&used)?;

    let names: Vec<String> = kept.iter().chain(outputs).cloned().collect();
    let mut writer = table::Writer::create(out, &names)?;
    let (mut rows, mut results) = (table.block(ROWS), Block::new(names.len(), ROWS));
    let bar = match table.progress() {
        Progress::Rows(_, total) => progress::bar(total, "{bar:30} {human_pos}/{human_len} states, {eta} left"),
        Progress::Bytes(_, total) => progress::bar(total, "{bar:30} {bytes}/{total_bytes}, {eta} left"),
    };
    let (mut done, mut row) = (0, vec![0.0; names.len()]);
    let first_time = used.len() - times.len();
    while table.read(&mut rows)? > 0 {
        results.clear();
        for state in rows.iter() {
            let mut at = 0;
            for input in &mut inputs_read {
                for (k, scale) in input.columns.iter().zip(&input.scales) {
                    input.values[*k] = state[at] * scale;
                    at += 1;
                }
            }
            let (stamp, result) = row.split_at_mut(times.len());
            stamp.copy_from_slice(&state[first_time..]);
            let values: [&[f64]; N] = std::array::from_fn(|k| inputs_read[k].values.as_slice());
            done += 1;
            reader
                .check_quaternions(values[0])
                .and_then(|()| each(values, result))
                .map_err(|e| format!("`{}`, row {done}: {e}", states.display()))?;
            results.push(&row);
        }
        writer.write(&results)?;
        let (Progress::Rows(now, _) | Progress::Bytes(now, _)) = table.progress();
        bar.set_position(now);
    }
    bar.finish_and_clear();
    writer.finish()?;
    Ok(done)
}

/// Finds the columns of an input and marks them as used.
fn input(
    reader: &Reader,
    prefix: &str,
    kind: &Kind,
    text: Option<&str>,
    names: &[String],
    used: &mut Vec<usize>,
) -> Result<InputValues, CommandError> {
    let values = reader.read(&format!("--{prefix}"), kind, text)?;
    let scales = reader.scales(kind);
    let Some(indices) = columns(reader, prefix, kind, names)? else {
        if text.is_none() {
            let default = if matches!(kind, Kind::Position) { "the neutral position" } else { "zero" };
            diagnostics::warn(format_args!("no columns {prefix}_…: using {default}"));
        }
        return Ok(InputValues { values, scales, columns: vec![] });
    };
    if text.is_some() {
        return Err(format!("`--{prefix}` and columns {prefix}_… are both present; remove one of them").into());
    }
    let columns = (0..indices.len()).collect();
    used.extend(indices);
    Ok(InputValues { values, scales, columns })
}

/// The columns of a quantity, one per value; `None` if there is no column of it.
pub fn columns(
    reader: &Reader,
    prefix: &str,
    kind: &Kind,
    names: &[String],
) -> Result<Option<Vec<usize>>, CommandError> {
    let values = reader.names(kind);
    let position = matches!(kind, Kind::Position);
    let index = |(i, name): (usize, &String)| {
        let aliases =
            [Some(format!("{prefix}_{name}")), Some(format!("{prefix}[{i}]")), position.then(|| name.clone())];
        aliases.iter().flatten().find_map(|c| names.iter().position(|n| n == c))
    };
    let indices: Vec<Option<usize>> = values.iter().enumerate().map(index).collect();
    let missing: Vec<String> =
        values.iter().zip(&indices).filter(|(_, p)| p.is_none()).map(|(n, _)| format!("{prefix}_{n}")).collect();
    let beyond = format!("{prefix}[{}]", values.len());
    if names.contains(&beyond) {
        let (robot, count, names) = (reader.model.name(), many(values.len(), "value"), values.join(", "));
        return Err(format!("unexpected column `{beyond}`: `{robot}` has {count} per row, in the order {names}").into());
    }
    if missing.len() == values.len() {
        return Ok(None);
    }
    if !missing.is_empty() {
        return Err(
            format!("missing columns: {}; add them, or remove all columns {prefix}_…", missing.join(", ")).into()
        );
    }
    Ok(Some(indices.into_iter().flatten().collect()))
}

/// Whether both names lead to one file that is there.
pub fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
