//! Tables of states: computes a table of results block by block, with bounded memory and a progress bar; writes all or nothing.

mod differences;
mod pipeline;
mod states;

pub use states::{RowError, States};

use crate::args::Batch;
use crate::format::many;
use crate::table::{self, Format, Quantity};
use crate::values::{Input, Kind, Reader};
use crate::{CommandError, CommandResult, Output, diagnostics, embedding};
use armdyn_core::Model;
use armdyn_numerics::{CompiledStates, Device, require_scalar_coordinates};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::Path;

/// Names of time columns, which are copied to the result.
pub const TIMES: [&str; 3] = ["t", "time", "stamp"];

/// Column names that a message lists at most.
const LISTED: usize = 12;

/// Computes `outputs` from `inputs` for every row of `--states`, a block of rows at a time; without it, returns the values of the
/// inputs.
///
/// An input `q` is in the columns `q_JOINT` (or `q[0]`, `q[1]`, … by order; for positions also `JOINT`). Without any column, an
/// input has the value of its option, else it is a derivative (`--differentiate`) or neutral, with a warning. Missing columns
/// are an error, and so are columns together with the option.
pub fn run<const N: usize>(
    batch: &Batch,
    json: bool,
    reader: &Reader,
    inputs: [Input; N],
    outputs: &[Quantity],
    block: impl FnMut(&States<N>, &mut [f64]) -> Result<(), RowError>,
) -> Result<ControlFlow<Output, [Vec<f64>; N]>, CommandError> {
    let (Some(states), Some(out)) = (&batch.states, &batch.out) else {
        return reader.read_all(&inputs).map(ControlFlow::Continue);
    };
    check(batch, json, states, out)?;
    check_units(states, reader)?;
    check_units(out, reader)?;
    let mut table = open(states, batch.format)?;
    let source = if is_stream(states) { "stdin".to_string() } else { states.display().to_string() };
    let plan = Plan::new(batch, reader, inputs, &mut table, &source)?;
    let names: Vec<Quantity> = plan.times.iter().map(|t| Quantity::number(t)).chain(outputs.iter().cloned()).collect();
    let writer = match is_stream(out) {
        true => table::Writer::stdout(batch.format.unwrap_or_default(), &names)?,
        false => table::Writer::create(out, &names)?,
    };
    let derived = plan.derived();
    let rows = plan.compute(&mut table, writer, names.iter().map(|q| q.columns().len()).sum(), reader, block)?;
    // The results themselves are on standard output.
    let summary = (!is_stream(out)).then(|| summary(json, reader, rows, out, outputs, &derived));
    Ok(ControlFlow::Break(summary.unwrap_or_else(|| Ok(String::new().into()))?))
}

fn check(batch: &Batch, json: bool, states: &Path, out: &Path) -> Result<(), CommandError> {
    if batch.format.is_some() && !is_stream(states) && !is_stream(out) {
        return Err("`--format` is that of `-` (standard input or output); files have theirs by extension".into());
    }
    if embedding::host().is_some() && (is_stream(states) || is_stream(out)) {
        return Err("`-` is a stream of the command line; pass the name of a file".into());
    }
    if json && is_stream(out) {
        return Err("`--json` and `--out -` both print to standard output; remove one of them".into());
    }
    if !is_stream(states) && same_file(states, out) {
        return Err(format!("`--out {}` would replace the input; choose another file", out.display()).into());
    }
    Ok(())
}

/// The program of a command on the device of `--device`; `free` of external wrenches.
pub fn program(device: Device, free: bool, program: CompiledStates) -> Result<CompiledStates, CommandError> {
    if device == Device::Cuda && !free {
        return Err(
            "`--device cuda` computes without external wrenches; remove `--wrench`, or compute on the CPU".into()
        );
    }
    program.on(device).map_err(|e| format!("`--device`: {e}").into())
}

/// Whether a path is `-`: a standard stream.
fn is_stream(path: &Path) -> bool {
    path == Path::new("-")
}

/// Checks that a table may be in degrees where they were asked for: joint states of ROS 2 are always in radians.
pub fn check_units(path: &Path, reader: &Reader) -> Result<(), CommandError> {
    match reader.deg && Format::of(path).is_ok_and(|f| f == Format::Mcap) {
        true => Err(format!("`{}` is in radians, as all joint states of ROS 2; remove `--deg`", path.display()).into()),
        false => Ok(()),
    }
}

/// Opens a table; `-` is standard input, of a format (CSV by default).
pub fn open(path: &Path, format: Option<Format>) -> Result<table::Reader, CommandError> {
    Ok(match is_stream(path) {
        true => table::Reader::stdin(format.unwrap_or_default())?,
        false => table::Reader::open(path)?,
    })
}

fn summary(
    json: bool,
    reader: &Reader,
    rows: u64,
    out: &Path,
    outputs: &[Quantity],
    derived: &[&str],
) -> CommandResult {
    let (name, file) = (reader.model.name(), out.display().to_string());
    let columns = table::columns(outputs);
    let arrays = Format::of(out).is_ok_and(|f| f == Format::Npz);
    let shape = |q: &Quantity| [&[rows as usize], q.shape()].concat();
    let shapes = arrays.then(|| {
        let one = |q: &Quantity| (q.name().to_string(), json!(shape(q)));
        outputs.iter().map(one).collect::<serde_json::Map<String, Value>>()
    });
    let joints = reader.model.dof_names();
    let result = json!({
        "robot": name, "joints": joints, "states": rows, "out": file, "columns": columns, "arrays": shapes,
        "differentiated": derived,
    });
    Output::of(json, &result, |_| {
        let array = |q: &Quantity| {
            let shape: Vec<String> = shape(q).iter().map(ToString::to_string).collect();
            format!("{} ({})", q.name(), shape.join(", "))
        };
        let contents = if arrays { outputs.iter().map(array).collect() } else { columns };
        let states = many(rows as usize, "state");
        let mut text = format!("{states} of `{name}` written to {file}: {}\n", contents.join(", "));
        if !derived.is_empty() {
            text += &format!("{}: derivatives of the parabola through three neighbouring rows\n", derived.join(", "));
        }
        text.into()
    })
}

/// Vectors in the tables that commands write, one column for each joint.
const VECTORS: [&str; 10] =
    ["q", "qd", "qdd", "tau", "commanded", "friction", "stop", "motor", "motor_velocity", "castor"];
/// Numbers in them.
const NUMBERS: [&str; 29] = [
    "t",
    "partial",
    "kinetic",
    "potential",
    "elastic",
    "x",
    "y",
    "z",
    "qx",
    "qy",
    "qz",
    "qw",
    "heading",
    "vx",
    "vy",
    "vz",
    "wx",
    "wy",
    "w",
    "ax",
    "ay",
    "az",
    "alphax",
    "alphay",
    "alpha",
    "lateral_force",
    "zmp_x",
    "zmp_y",
    "tip_margin",
];

/// Whether a command writes a column of this name for the robot.
fn is_own(m: &Model<f64>, name: &str) -> bool {
    let coordinates = m.coordinate_names();
    let joints = || m.dof_names().iter().chain(&coordinates);
    let of_joint = |vector: &&str| {
        let rest = name.strip_prefix(*vector).and_then(|rest| rest.strip_prefix('_'));
        rest.is_some_and(|rest| joints().any(|joint| joint == rest) || m.contacts().iter().any(|c| c.name == rest))
    };
    let of_base = ["load_", "drive_"].iter().any(|prefix| !m.contacts().is_empty() && name.starts_with(prefix));
    NUMBERS.contains(&name) || VECTORS.iter().any(of_joint) || of_base
}

/// Warns about columns that are not used, and that no command writes for the robot.
pub fn warn_unused(m: &Model<f64>, names: &[String], used: &[usize]) {
    let others = names.iter().enumerate().filter(|(k, name)| !used.contains(k) && !is_own(m, name));
    let unused = others.map(|(_, name)| name.as_str());
    let unused: Vec<&str> = unused.collect();
    if !unused.is_empty() {
        diagnostics::warn(format_args!("unused columns: {}", unused.join(", ")));
    }
}

/// The columns of a table, for an error about those that it lacks.
pub fn found(names: &[String]) -> String {
    let listed: Vec<String> = names.iter().take(LISTED).map(|n| format!("`{n}`")).collect();
    let more = if names.len() > LISTED { format!(", … ({} columns)", names.len()) } else { String::new() };
    format!("found {}{more}", listed.join(", "))
}

/// Where the values of an input come from.
enum Source {
    /// The same in every row.
    Constant,
    /// Columns of a row, from this one on.
    Columns(usize),
    /// A derivative of the input whose columns begin there: first (1) or second (2).
    Derivative(usize, usize),
}

/// An input, and its values in the current rows.
struct InputValues<'a> {
    name: &'a str,
    source: Source,
    /// Factors to SI units.
    scales: Vec<f64>,
    values: Vec<f64>,
}

/// How the inputs are computed from the selected columns of a row.
struct Plan<'a, const N: usize> {
    /// The table's name in messages.
    file: &'a str,
    inputs: [InputValues<'a>; N],
    /// The time columns, and the first one's place in a row.
    times: Vec<String>,
    first_time: usize,
}

impl<'a, const N: usize> Plan<'a, N> {
    /// Matches the columns of a table to inputs, and selects them.
    fn new(
        batch: &Batch,
        reader: &Reader,
        inputs: [Input<'a>; N],
        table: &mut table::Reader,
        file: &'a str,
    ) -> Result<Self, CommandError> {
        let names = table.names();
        let mut used = vec![];
        let mut missing: Vec<(&str, bool)> = vec![];
        let mut plan: Vec<InputValues> = vec![];
        for (name, kind, text) in inputs {
            let values = reader.read(&format!("--{name}"), &kind, text)?;
            let source = match columns(reader, name, &kind, names)? {
                None => {
                    if text.is_none() {
                        missing.push((name, matches!(kind, Kind::Position)));
                    }
                    Source::Constant
                }
                Some(_) if text.is_some() => {
                    return Err(format!("`--{name}` and columns {name}_… are both present; remove one of them").into());
                }
                Some(indices) => {
                    let first = used.len();
                    used.extend(indices);
                    Source::Columns(first)
                }
            };
            plan.push(InputValues { name, source, scales: reader.scales(&kind), values });
        }
        if used.is_empty() {
            let example = format!("q_{}", reader.model.dof_names().first().map_or("JOINT", String::as_str));
            let found = found(names);
            return Err(format!("`{file}` has no joint columns: expected names such as `{example}`; {found}").into());
        }
        let first_time = used.len();
        let is_time = |k: &usize| TIMES.contains(&names[*k].as_str()) && !used.contains(k);
        let times: Vec<usize> = (0..names.len()).filter(is_time).collect();
        if batch.differentiate {
            require_scalar_coordinates(reader.model)?;
            if times.is_empty() {
                let found = found(names);
                return Err(format!("`--differentiate` needs a column `t` with the time in seconds; {found}").into());
            }
            differentiate(&mut plan, &mut missing)?;
        }
        for (name, is_position) in missing {
            let default = if is_position { "the neutral position" } else { "zero" };
            diagnostics::warn(format_args!("no columns {name}_…: using {default}"));
        }
        used.extend(&times);
        warn_unused(reader.model, names, &used);
        let times = times.iter().map(|&k| names[k].clone()).collect();
        table.select(&used)?;
        let inputs = plan.try_into().unwrap_or_else(|_| unreachable!("one for each input"));
        Ok(Plan { file, inputs, times, first_time })
    }

    /// The names of the inputs that are derivatives.
    fn derived(&self) -> Vec<&'a str> {
        let derived = self.inputs.iter().filter(|input| matches!(input.source, Source::Derivative(..)));
        derived.map(|input| input.name).collect()
    }
}

/// Makes velocities and accelerations without columns and options derivatives of those with columns.
fn differentiate(plan: &mut [InputValues], missing: &mut Vec<(&str, bool)>) -> Result<(), CommandError> {
    let place = |plan: &[InputValues], name: &str| {
        plan.iter().find_map(|input| match input.source {
            Source::Columns(first) if input.name == name => Some(first),
            _ => None,
        })
    };
    let (q, qd) = (place(plan, "q"), place(plan, "qd"));
    let mut derived = 0;
    for (name, sources) in [("qd", [None, q.map(|q| (q, 1))]), ("qdd", [qd.map(|qd| (qd, 1)), q.map(|q| (q, 2))])] {
        let Some(k) = missing.iter().position(|m| m.0 == name) else { continue };
        let Some(input) = plan.iter_mut().find(|input| input.name == name) else { continue };
        let (first, order) = sources
            .into_iter()
            .flatten()
            .next()
            .ok_or_else(|| format!("`--differentiate`: there are no columns q_… to compute {name} from"))?;
        input.source = Source::Derivative(first, order);
        missing.remove(k);
        derived += 1;
    }
    match derived {
        0 => Err("`--differentiate` has nothing to compute: no velocities or accelerations are missing".into()),
        _ => Ok(()),
    }
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
        let (missing, found) = (missing.join(", "), found(names));
        return Err(format!("missing columns: {missing}; add them, or remove all columns {prefix}_…; {found}").into());
    }
    Ok(Some(indices.into_iter().flatten().collect()))
}

/// Whether both names lead to one file that is there.
pub fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
