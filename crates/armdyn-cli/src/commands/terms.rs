//! `armdyn terms`: the equations of motion taken apart, in one of three forms.

use crate::args::{Form, Terms};
use crate::values::{Kind, Reader};
use crate::{CommandResult, format, robot, stream};
use armdyn_core::{
    CartesianData, CoriolisData, FormsData, JacobianFrame, Model, Rate, Task, TaskDirection, cartesian, christoffel,
    configuration_space, coriolis, movable_directions, state_space,
};
use serde_json::{Value, json};
use std::fmt::Write;

/// M, C, g, … at one state; of those of a file, g, C q̇ + g and M.
pub fn run(args: &Terms) -> CommandResult {
    let m = robot::open(&args.robot)?;
    let reader = Reader { model: &m, deg: args.state.deg };
    if args.batch.states.is_some() && args.form != Form::StateSpace {
        return Err("--states gives terms of the state-space form alone".to_string());
    }
    if args.form != Form::Cartesian && (args.link.is_some() || args.directions.is_some()) {
        return Err("--link and --directions are of --form cartesian".to_string());
    }
    if let Some(outcome) = batch(&reader, args) {
        return outcome;
    }
    let q = reader.read("--q", &Kind::Position, args.state.q.as_deref())?;
    let qd = reader.read("--qd", &Kind::Rate, args.state.qd.as_deref())?;
    let terms = match args.form {
        Form::StateSpace => in_state_space(&m, &q, &qd)?,
        Form::Configuration => in_configuration_space(&m, &q, &qd)?,
        Form::Cartesian => at_a_link(&m, args, &q, &qd)?,
    };
    let symbols = if args.christoffel { Some(symbols(&m, &q)?) } else { None };
    if args.robot.json {
        let mut object = json!({ "robot": m.name(), "joints": m.dof_names() });
        for t in &terms {
            object[t.name] = t.json();
        }
        if let Some(gamma) = &symbols {
            let n = m.nv();
            object["christoffel"] = gamma.chunks((n * n).max(1)).map(|page| format::json_matrix(page, n)).collect();
        }
        return Ok(object.into());
    }
    let mut text = String::new();
    for t in &terms {
        t.print(&mut text);
    }
    if let Some(gamma) = &symbols {
        let n = m.nv();
        for (i, page) in gamma.chunks((n * n).max(1)).enumerate() {
            let name = &m.dof_names()[i];
            let _ = writeln!(
                text,
                "Γ of {name}: its torque by q̇ⱼ q̇ₖ\n{}",
                format::matrix(m.dof_names(), m.dof_names(), page)
            );
        }
    }
    Ok(text.into())
}

/// A vector or a matrix of the equations.
struct Term {
    /// The key in JSON.
    name: &'static str,
    what: String,
    rows: Vec<String>,
    /// None: a vector.
    columns: Option<Vec<String>>,
    values: Vec<f64>,
}

impl Term {
    fn vector(name: &'static str, what: &str, rows: &[String], values: &[f64]) -> Self {
        Term { name, what: what.to_string(), rows: rows.to_vec(), columns: None, values: values.to_vec() }
    }

    fn matrix(name: &'static str, what: &str, rows: &[String], columns: &[String], values: &[f64]) -> Self {
        let columns = Some(columns.to_vec());
        Term { name, what: what.to_string(), rows: rows.to_vec(), columns, values: values.to_vec() }
    }

    fn json(&self) -> Value {
        match &self.columns {
            None => json!(self.values),
            Some(columns) => format::json_matrix(&self.values, columns.len()),
        }
    }

    fn print(&self, text: &mut String) {
        let columns = self.columns.clone().unwrap_or_else(|| vec![self.name.to_string()]);
        let _ = writeln!(text, "{}\n{}", self.what, format::matrix(&self.rows, &columns, &self.values));
    }
}

type Parts = Result<Vec<Term>, String>;

fn told(error: armdyn_core::Error) -> String {
    error.to_string()
}

fn in_state_space(m: &Model<f64>, q: &[f64], qd: &[f64]) -> Parts {
    let (n, names) = (m.nv(), m.dof_names());
    let mut forms = FormsData::new(m);
    let form = state_space(m, &mut forms, q, qd).map_err(told)?;
    let mut c = vec![0.0; n * n];
    coriolis(m, &mut CoriolisData::new(m), q, qd, &mut c).map_err(told)?;
    let bias: Vec<f64> = form.velocity.iter().zip(form.gravity).map(|(v, g)| v + g).collect();
    let friction: Vec<f64> = m.friction().iter().zip(qd).map(|(f, v)| f.torque(*v)).collect();
    Ok(vec![
        Term::matrix(
            "M",
            "M: τ = M q̈ + C q̇ + g (+ friction), drives' inertia included [kg m², kg m, kg]",
            names,
            names,
            form.mass,
        ),
        Term::matrix("C", "C: with Ṁ − 2C skew", names, names, &c),
        Term::vector("g", "g: gravity [N m, N]", names, form.gravity),
        Term::vector("tau_bias", "C q̇ + g [N m, N]", names, &bias),
        Term::vector("tau_friction", "friction [N m, N]", names, &friction),
    ])
}

fn in_configuration_space(m: &Model<f64>, q: &[f64], qd: &[f64]) -> Parts {
    let (n, names) = (m.nv(), m.dof_names());
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
    let products: Vec<String> = pairs.iter().map(|(i, j)| format!("{}·{}", names[*i], names[*j])).collect();
    let squares: Vec<String> = names.iter().map(|n| format!("{n}²")).collect();
    let mut forms = FormsData::new(m);
    let form = configuration_space(m, &mut forms, q).map_err(told)?;
    let bias: Vec<f64> = (0..n)
        .map(|i| {
            let row = &form.coriolis[i * pairs.len()..(i + 1) * pairs.len()];
            let mixed: f64 = row.iter().zip(&pairs).map(|(b, (j, k))| b * qd[*j] * qd[*k]).sum();
            let squared: f64 = (0..n).map(|j| form.centrifugal[i * n + j] * qd[j] * qd[j]).sum();
            mixed + squared + form.gravity[i]
        })
        .collect();
    Ok(vec![
        Term::matrix("M", "M: τ = M q̈ + B [q̇q̇] + C [q̇²] + g (+ friction)", names, names, form.mass),
        Term::matrix("B", "B: Coriolis, by products of speeds", names, &products, form.coriolis),
        Term::matrix("C", "C: centrifugal, by squares of speeds", names, &squares, form.centrifugal),
        Term::vector("g", "g: gravity [N m, N]", names, form.gravity),
        Term::vector("tau_bias", "B [q̇q̇] + C [q̇²] + g [N m, N]", names, &bias),
    ])
}

const DIRECTIONS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

fn at_a_link(m: &Model<f64>, args: &Terms, q: &[f64], qd: &[f64]) -> Parts {
    let name = args.link.clone().map_or_else(|| robot::tip(m), Ok)?;
    let link = robot::link(m, &name)?;
    let index = |d: &TaskDirection| TaskDirection::ALL.iter().position(|a| a == d).unwrap_or(0);
    let directions = match &args.directions {
        Some(given) => given.split(',').map(|d| direction(d.trim())).collect::<Result<Vec<_>, _>>()?,
        None => movable_directions(m, link, q).map_err(told)?,
    };
    if directions.is_empty() {
        return Err(format!("`{name}` cannot move"));
    }
    if let Some((_, twice)) = directions.iter().enumerate().find(|(k, d)| directions[..*k].contains(d)) {
        return Err(format!("--directions: `{}` is given twice", DIRECTIONS[index(twice)]));
    }
    let task = Task { link, frame: JacobianFrame::LocalWorldAligned, directions: &directions, rate: Rate::Inertial };
    let mut data = CartesianData::new(m);
    let x = cartesian(m, &mut data, &task, q, qd).map_err(told)?;
    let rows: Vec<String> = directions.iter().map(|d| DIRECTIONS[index(d)].to_string()).collect();
    let bias: Vec<f64> = x.velocity.iter().zip(x.gravity).map(|(v, g)| v + g).collect();
    let head = format!("M: F = M ẍ + V + g at {name}, base's axes [kg, kg m, kg m²]");
    Ok(vec![
        Term::matrix("M", &head, &rows, &rows, x.mass),
        Term::vector("V", "V: centrifugal and Coriolis [N, N m]", &rows, x.velocity),
        Term::vector("g", "g: gravity [N, N m]", &rows, x.gravity),
        Term::vector("tau_bias", "V + g [N, N m]", &rows, &bias),
        Term::matrix("J", "J: ẋ = J q̇", &rows, m.dof_names(), x.jacobian),
        Term::vector("Jdot_qd", "J̇ q̇", &rows, x.rate),
    ])
}

fn direction(name: &str) -> Result<TaskDirection, String> {
    let at = DIRECTIONS.iter().position(|d| *d == name);
    at.map(|k| TaskDirection::ALL[k])
        .ok_or_else(|| format!("--directions: `{name}` is none of {}", DIRECTIONS.join(", ")))
}

fn symbols(m: &Model<f64>, q: &[f64]) -> Result<Vec<f64>, String> {
    let mut gamma = vec![0.0; m.nv().pow(3)];
    christoffel(m, &mut CoriolisData::new(m), q, &mut gamma).map_err(told)?;
    Ok(gamma)
}

/// g, C q̇ + g and the upper half of M for every state of a file.
fn batch(reader: &Reader, args: &Terms) -> Option<CommandResult> {
    let (m, n) = (reader.model, reader.model.nv());
    let names = m.dof_names();
    let halves: Vec<(usize, usize)> = (0..n).flat_map(|i| (i..n).map(move |j| (i, j))).collect();
    let outputs: Vec<String> = names
        .iter()
        .map(|a| format!("g_{a}"))
        .chain(names.iter().map(|a| format!("tau_bias_{a}")))
        .chain(halves.iter().map(|(i, j)| format!("M_{}_{}", names[*i], names[*j])))
        .collect();
    let mut forms = FormsData::new(m);
    let inputs = [("q", Kind::Position, args.state.q.as_deref()), ("qd", Kind::Rate, args.state.qd.as_deref())];
    stream::run(&args.batch, args.robot.json, reader, inputs, &outputs, |[q, qd], row| {
        let form = state_space(m, &mut forms, q, qd).map_err(told)?;
        for i in 0..n {
            row[i] = form.gravity[i];
            row[n + i] = form.velocity[i] + form.gravity[i];
        }
        for (cell, (i, j)) in row[2 * n..].iter_mut().zip(&halves) {
            *cell = form.mass[i * n + j];
        }
        Ok(())
    })
}
