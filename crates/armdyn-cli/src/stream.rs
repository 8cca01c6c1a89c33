//! A whole table of states, row by row, to another table: bounded memory, a progress bar, all of the result or nothing.

use crate::args::Batch;
use crate::table::{self, Block, Progress};
use crate::values::{Kind, Reader};
use crate::{CommandResult, Output, diagnostics};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::path::Path;

/// Rows that are read, computed and written together.
const ROWS: usize = 4096;

/// Columns that are handed through: when a state was.
pub const TIMES: [&str; 3] = ["t", "time", "stamp"];

/// Computes `outputs` from `inputs` for every row of `--states`, if that is asked for.
///
/// An input `q` is in the columns `q_JOINT` (or `q[0]`, `q[1]`, … by order, or, for positions, those that are called as the
/// joints are). An input of which there is no column at all is what its option says, else neutral, which is told; some of
/// them missing is an error, and so are columns and an option.
pub fn run<const N: usize>(
    batch: &Batch,
    json: bool,
    reader: &Reader,
    inputs: [(&str, Kind, Option<&str>); N],
    outputs: &[String],
    mut each: impl FnMut([&[f64]; N], &mut [f64]) -> Result<(), String>,
) -> Option<CommandResult> {
    let (states, out) = (batch.states.as_ref()?, batch.out.as_ref()?);
    Some(compute(states, out, reader, inputs, outputs, &mut each).map(|rows| answer(json, reader, rows, out, outputs)))
}

fn answer(json: bool, reader: &Reader, rows: u64, out: &Path, outputs: &[String]) -> Output {
    let (name, out) = (reader.model.name(), out.display().to_string());
    if json {
        return json!({ "robot": name, "joints": reader.model.dof_names(), "states": rows, "out": out, "columns": outputs }).into();
    }
    let states = if rows == 1 { "state" } else { "states" };
    format!("{rows} {states} of `{name}` to {out}: {}\n", outputs.join(", ")).into()
}

/// Where the values of one input come from.
struct Input {
    /// As they are where no column says otherwise.
    values: Vec<f64>,
    /// What a value as written is multiplied by.
    scales: Vec<f64>,
    /// Where each value is in a row of the table; empty where there is none.
    columns: Vec<usize>,
}

fn compute<const N: usize>(
    states: &Path,
    out: &Path,
    reader: &Reader,
    inputs: [(&str, Kind, Option<&str>); N],
    outputs: &[String],
    each: &mut impl FnMut([&[f64]; N], &mut [f64]) -> Result<(), String>,
) -> Result<u64, String> {
    let mut table = table::Reader::open(states).map_err(|e| e.to_string())?;
    let mut used = vec![];
    let mut found = vec![];
    if same_file(states, out) {
        return Err(format!("`{}` would be replaced by its own result: name another file", out.display()));
    }
    for (prefix, kind, given) in inputs {
        found.push(input(reader, prefix, &kind, given, table.names(), &mut used)?);
    }
    if used.is_empty() {
        let asked = format!("q_{}", reader.model.dof_names().first().map_or("JOINT", String::as_str));
        return Err(format!("`{}` has no column that is a joint's, such as `{asked}`", states.display()));
    }
    let times: Vec<usize> = table
        .names()
        .iter()
        .enumerate()
        .filter(|(k, name)| TIMES.contains(&name.as_str()) && !used.contains(k))
        .map(|(k, _)| k)
        .collect();
    used.extend(&times);
    let unused: Vec<&str> =
        table.names().iter().enumerate().filter(|(k, _)| !used.contains(k)).map(|(_, n)| n.as_str()).collect();
    if !unused.is_empty() {
        diagnostics::warn(format_args!("columns that were not used: {}", unused.join(", ")));
    }
    let kept: Vec<String> = times.iter().map(|&k| table.names()[k].clone()).collect();
    table.select(&used).map_err(|e| e.to_string())?;

    let names: Vec<String> = kept.iter().chain(outputs).cloned().collect();
    let mut writer = table::Writer::create(out, &names).map_err(|e| e.to_string())?;
    let (mut rows, mut results) = (table.block(ROWS), Block::new(names.len(), ROWS));
    let bar = progress(&table.progress());
    let (mut done, mut row) = (0, vec![0.0; names.len()]);
    let first_time = used.len() - times.len();
    while table.read(&mut rows).map_err(|e| e.to_string())? > 0 {
        results.clear();
        for state in rows.iter() {
            let mut at = 0;
            for input in &mut found {
                for (k, scale) in input.columns.iter().zip(&input.scales) {
                    input.values[*k] = state[at] * scale;
                    at += 1;
                }
            }
            let (stamp, result) = row.split_at_mut(times.len());
            stamp.copy_from_slice(&state[first_time..]);
            let values: [&[f64]; N] = std::array::from_fn(|k| found[k].values.as_slice());
            done += 1;
            reader
                .check_quaternions(values[0])
                .and_then(|()| each(values, result))
                .map_err(|e| format!("`{}`, row {done}: {e}", states.display()))?;
            results.push(&row);
        }
        writer.write(&results).map_err(|e| e.to_string())?;
        let (Progress::Rows(now, _) | Progress::Bytes(now, _)) = table.progress();
        bar.set_position(now);
    }
    bar.finish_and_clear();
    writer.finish().map_err(|e| e.to_string())?;
    Ok(done)
}

/// Finds the columns of an input, and adds them to those that are used.
fn input(
    reader: &Reader,
    prefix: &str,
    kind: &Kind,
    given: Option<&str>,
    names: &[String],
    used: &mut Vec<usize>,
) -> Result<Input, String> {
    let values = reader.read(&format!("--{prefix}"), kind, given)?;
    let scales = reader.scales(kind);
    let Some(places) = columns(reader, prefix, kind, names)? else {
        if given.is_none() {
            let taken = if matches!(kind, Kind::Position) { "neutral" } else { "zero" };
            diagnostics::warn(format_args!("no columns {prefix}_…: taken as {taken}"));
        }
        return Ok(Input { values, scales, columns: vec![] });
    };
    if given.is_some() {
        return Err(format!("--{prefix} is given, and there are columns {prefix}_…: leave one of them out"));
    }
    let columns = (0..places.len()).collect();
    used.extend(places);
    Ok(Input { values, scales, columns })
}

/// Where the columns of a quantity are, one for each of its values; none where there is no column of it at all.
pub fn columns(reader: &Reader, prefix: &str, kind: &Kind, names: &[String]) -> Result<Option<Vec<usize>>, String> {
    let wanted = reader.names(kind);
    let position = matches!(kind, Kind::Position);
    let place = |(i, name): (usize, &String)| {
        let called = [Some(format!("{prefix}_{name}")), Some(format!("{prefix}[{i}]")), position.then(|| name.clone())];
        called.iter().flatten().find_map(|c| names.iter().position(|n| n == c))
    };
    let places: Vec<Option<usize>> = wanted.iter().enumerate().map(place).collect();
    let missing: Vec<String> =
        wanted.iter().zip(&places).filter(|(_, p)| p.is_none()).map(|(n, _)| format!("{prefix}_{n}")).collect();
    let beyond = format!("{prefix}[{}]", wanted.len());
    if names.contains(&beyond) {
        let told = format!("there is a column {beyond}, and `{}` has but {}", reader.model.name(), wanted.len());
        return Err(format!("{told}: a row is a state, in the order {}", wanted.join(", ")));
    }
    if missing.len() == wanted.len() {
        return Ok(None);
    }
    if !missing.is_empty() {
        return Err(format!("columns are missing: {}; give all of {prefix} or none", missing.join(", ")));
    }
    Ok(Some(places.into_iter().flatten().collect()))
}

/// Whether both names lead to one file that is there.
pub fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

fn progress(begin: &Progress) -> ProgressBar {
    let (total, template) = match begin {
        Progress::Rows(_, total) => (*total, "{bar:30} {human_pos}/{human_len} states, {eta} left"),
        Progress::Bytes(_, total) => (*total, "{bar:30} {bytes}/{total_bytes}, {eta} left"),
    };
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(total).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
