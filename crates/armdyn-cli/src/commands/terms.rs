//! `armdyn terms`: the terms of the equations of motion, in one of three forms.

use crate::args::{Form, Terms};
use crate::document::Document;
use crate::table::Quantity;
use crate::values::{Kind, Reader};
use crate::{CommandError, CommandResult, Output, format, robot, stream};
use armdyn_core::{
    CartesianData, FormsData, JacobianFrame, Model, Rate, Task, TaskDirection, cartesian, configuration_space,
    movable_directions, state_space,
};
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// A matrix of the equations, or a vector: a matrix of one column.
struct Term {
    key: &'static str,
    caption: String,
    rows: Vec<String>,
    columns: Vec<String>,
    values: Vec<f64>,
    is_vector: bool,
}

impl Term {
    fn matrix(key: &'static str, caption: &str, rows: &[String], columns: &[String], values: &[f64]) -> Self {
        let (rows, columns, values) = (rows.to_vec(), columns.to_vec(), values.to_vec());
        Term { key, caption: caption.to_string(), rows, columns, values, is_vector: false }
    }

    fn vector(key: &'static str, label: &str, caption: &str, rows: &[String], values: &[f64]) -> Self {
        Term { is_vector: true, ..Term::matrix(key, caption, rows, &[label.to_string()], values) }
    }

    fn json(&self) -> Value {
        match self.is_vector {
            true => json!(self.values),
            false => json!(self.values.chunks(self.columns.len().max(1)).collect::<Vec<_>>()),
        }
    }
}

/// M, C, g, … at one state; for a table of states, g, C q̇ + g and M.
pub fn run(m: &Model<f64>, args: &Terms) -> CommandResult {
    let reader = Reader { model: m, deg: args.state.deg };
    if args.batch.states.is_some() && args.form != Form::StateSpace {
        return Err("`--states` supports `--form state-space` only".into());
    }
    if args.form != Form::Cartesian && (args.link.is_some() || args.directions.is_some()) {
        return Err("`--link` and `--directions` require `--form cartesian`".into());
    }
    let [q, qd] = match states(&reader, args)? {
        ControlFlow::Continue(state) => state,
        ControlFlow::Break(output) => return Ok(output),
    };
    let mut terms = match args.form {
        Form::StateSpace => in_state_space(m, &q, &qd)?,
        Form::Configuration => in_configuration_space(m, &q, &qd)?,
        Form::Cartesian => at_a_link(m, args, &q, &qd)?,
    };
    let names = m.dof_names();
    let mut result = json!({ "robot": m.name(), "joints": names });
    terms.iter().for_each(|t| result[t.key] = t.json());
    if args.christoffel {
        let symbols = m.christoffel_symbols(&q)?.into_iter().zip(names).map(|(gamma, name)| {
            let caption = format!("Γ of {name}: torque per q̇ⱼ q̇ₖ");
            Term::matrix("christoffel", &caption, names, names, gamma.as_slice())
        });
        let symbols: Vec<Term> = symbols.collect();
        result["christoffel"] = symbols.iter().map(Term::json).collect();
        terms.extend(symbols);
    }
    Output::of(args.robot.json, &result, |_| {
        let mut document = Document::default();
        for t in &terms {
            document += &format!("{}\n", t.caption);
            document.table(format::matrix(&t.rows, &t.columns, &t.values));
            document += "\n";
        }
        document
    })
}

type TermResult = Result<Vec<Term>, CommandError>;

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn in_state_space(m: &Model<f64>, q: &[f64], qd: &[f64]) -> TermResult {
    let (names, mut forms) = (m.dof_names(), FormsData::new(m));
    let form = state_space(m, &mut forms, q, qd)?;
    let friction: Vec<f64> = m.friction().iter().zip(qd).map(|(f, v)| f.torque(*v)).collect();
    let mass = "M: τ = M q̈ + C q̇ + g (+ friction), rotor inertia included [kg m², kg m, kg]";
    let coriolis = m.coriolis_matrix(q, qd)?;
    Ok(vec![
        Term::matrix("M", mass, names, names, form.mass),
        Term::matrix("C", "C: Ṁ − 2C is skew-symmetric", names, names, coriolis.as_slice()),
        Term::vector("g", "g", "g: gravity [N m, N]", names, form.gravity),
        Term::vector("tau_bias", "C q̇ + g", "bias torques [N m, N]", names, &sum(form.velocity, form.gravity)),
        Term::vector("tau_friction", "τ_f", "friction [N m, N]", names, &friction),
    ])
}

fn in_configuration_space(m: &Model<f64>, q: &[f64], qd: &[f64]) -> TermResult {
    let (n, names, mut forms) = (m.nv(), m.dof_names(), FormsData::new(m));
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let products: Vec<String> = pairs.map(|(i, j)| format!("{}·{}", names[i], names[j])).collect();
    let squares: Vec<String> = names.iter().map(|n| format!("{n}²")).collect();
    let form = configuration_space(m, &mut forms, q)?;
    let (bias, bias_caption) = (m.bias_torques(q, qd)?, "bias torques, B [q̇q̇] + C [q̇²] + g [N m, N]");
    Ok(vec![
        Term::matrix("M", "M: τ = M q̈ + B [q̇q̇] + C [q̇²] + g (+ friction)", names, names, form.mass),
        Term::matrix("B", "B: Coriolis, per product of velocities", names, &products, form.coriolis),
        Term::matrix("C", "C: centrifugal, per squared velocity", names, &squares, form.centrifugal),
        Term::vector("g", "g", "g: gravity [N m, N]", names, form.gravity),
        Term::vector("tau_bias", "τ − M q̈", bias_caption, names, &bias),
    ])
}

const DIRECTIONS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

fn at_a_link(m: &Model<f64>, args: &Terms, q: &[f64], qd: &[f64]) -> TermResult {
    let name = args.link.clone().map_or_else(|| robot::tip(m), Ok)?;
    let link = robot::link(m, &name)?;
    let index = |d: &TaskDirection| TaskDirection::ALL.iter().position(|a| a == d).unwrap_or(0);
    let directions = match &args.directions {
        Some(text) => text.split(',').map(|d| direction(d.trim())).collect::<Result<Vec<_>, _>>()?,
        None => movable_directions(m, link, q)?,
    };
    if directions.is_empty() {
        return Err(format!("link `{name}` cannot move").into());
    }
    if let Some((_, twice)) = directions.iter().enumerate().find(|(k, d)| directions[..*k].contains(d)) {
        return Err(format!("`--directions` lists `{}` twice", DIRECTIONS[index(twice)]).into());
    }
    let task = Task { link, frame: JacobianFrame::LocalWorldAligned, directions: &directions, rate: Rate::Inertial };
    let mut data = CartesianData::new(m);
    let x = cartesian(m, &mut data, &task, q, qd)?;
    let rows: Vec<String> = directions.iter().map(|d| DIRECTIONS[index(d)].to_string()).collect();
    let caption = format!("M: F = M ẍ + V + g at {name}, world axes [kg, kg m, kg m²]");
    Ok(vec![
        Term::matrix("M", &caption, &rows, &rows, x.mass),
        Term::vector("V", "V", "V: centrifugal and Coriolis [N, N m]", &rows, x.velocity),
        Term::vector("g", "g", "g: gravity [N, N m]", &rows, x.gravity),
        Term::vector("tau_bias", "V + g", "bias forces [N, N m]", &rows, &sum(x.velocity, x.gravity)),
        Term::matrix("J", "J: ẋ = J q̇", &rows, m.dof_names(), x.jacobian),
        Term::vector("Jdot_qd", "J̇ q̇", "ẍ without joint accelerations [m/s², rad/s²]", &rows, x.rate),
    ])
}

fn direction(name: &str) -> Result<TaskDirection, CommandError> {
    let index = DIRECTIONS.iter().position(|d| *d == name);
    index.map(|k| TaskDirection::ALL[k]).ok_or_else(|| {
        format!("invalid direction `{name}` for `--directions`: expected some of {}", DIRECTIONS.join(", ")).into()
    })
}

/// g, C q̇ + g and the upper triangle of M for every state of a table, or the state.
fn states(reader: &Reader, args: &Terms) -> Result<ControlFlow<Output, [Vec<f64>; 2]>, CommandError> {
    let (m, n) = (reader.model, reader.model.nv());
    let names = m.dof_names();
    let upper: Vec<(usize, usize)> = (0..n).flat_map(|i| (i..n).map(move |j| (i, j))).collect();
    let [g, bias] = ["g", "tau_bias"].map(|what| Quantity::vector(what, names));
    let outputs = [g, bias, Quantity::symmetric("M", names)];
    let mut forms = FormsData::new(m);
    let inputs = [("q", Kind::Position, args.state.q.as_deref()), ("qd", Kind::Rate, args.state.qd.as_deref())];
    stream::run(&args.batch, args.robot.json, reader, inputs, &outputs, |[q, qd], row| {
        let form = state_space(m, &mut forms, q, qd)?;
        for i in 0..n {
            row[i] = form.gravity[i];
            row[n + i] = form.velocity[i] + form.gravity[i];
        }
        for (cell, (i, j)) in row[2 * n..].iter_mut().zip(&upper) {
            *cell = form.mass[i * n + j];
        }
        Ok(())
    })
}
