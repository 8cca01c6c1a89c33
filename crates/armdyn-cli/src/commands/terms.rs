//! `armdyn terms`: the terms of the equations of motion, in one of three forms.

use crate::args::{Form, Terms};
use crate::document::Document;
use crate::values::{Kind, Reader};
use crate::{CommandResult, Output, format, robot, stream};
use armdyn_core::{
    CartesianData, CoriolisData, FormsData, JacobianFrame, Model, Rate, Task, TaskDirection, cartesian, christoffel,
    configuration_space, coriolis, movable_directions, state_space,
};
use serde::{Serialize, Serializer};
use std::fmt::Write;

#[derive(Serialize)]
struct Equations {
    robot: String,
    joints: Vec<String>,
    #[serde(flatten)]
    terms: TermList,
    /// Γ_ijk: the torque of joint i per product of velocities j, k.
    #[serde(skip_serializing_if = "Option::is_none")]
    christoffel: Option<Vec<Vec<Vec<f64>>>>,
}

/// Serialised as a map from symbols to values.
struct TermList(Vec<Term>);

impl Serialize for TermList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|t| (t.symbol, &t.values)))
    }
}

/// A vector or a matrix of the equations.
struct Term {
    symbol: &'static str,
    caption: String,
    rows: Vec<String>,
    columns: Vec<String>,
    values: Values,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Values {
    Vector(Vec<f64>),
    Matrix(Vec<Vec<f64>>),
}

/// M, C, g, … at one state; for a table of states, g, C q̇ + g and M.
pub fn run(args: &Terms) -> CommandResult {
    let m = robot::open(&args.robot)?;
    let reader = Reader { model: &m, deg: args.state.deg };
    if args.batch.states.is_some() && args.form != Form::StateSpace {
        return Err("`--states` supports `--form state-space` only".to_string());
    }
    if args.form != Form::Cartesian && (args.link.is_some() || args.directions.is_some()) {
        return Err("`--link` and `--directions` require `--form cartesian`".to_string());
    }
    if let Some(result) = batch(&reader, args) {
        return result;
    }
    let q = reader.read("--q", &Kind::Position, args.state.q.as_deref())?;
    let qd = reader.read("--qd", &Kind::Rate, args.state.qd.as_deref())?;
    let terms = match args.form {
        Form::StateSpace => in_state_space(&m, &q, &qd)?,
        Form::Configuration => in_configuration_space(&m, &q, &qd)?,
        Form::Cartesian => at_a_link(&m, args, &q, &qd)?,
    };
    let christoffel = if args.christoffel { Some(symbols(&m, &q)?) } else { None };
    let joints = m.dof_names().to_vec();
    let result = Equations { robot: m.name().to_string(), joints, terms: TermList(terms), christoffel };
    Output::of(args.robot.json, &result, view)
}

fn view(result: &Equations) -> Document {
    let mut document = Document::default();
    for t in &result.terms.0 {
        let values = match &t.values {
            Values::Vector(values) => values.clone(),
            Values::Matrix(rows) => rows.concat(),
        };
        let _ = writeln!(document, "{}", t.caption);
        document.table(format::matrix(&t.rows, &t.columns, &values));
        let _ = writeln!(document);
    }
    for (name, symbols) in result.joints.iter().zip(result.christoffel.iter().flatten()) {
        let _ = writeln!(document, "Γ of {name}: torque per q̇ⱼ q̇ₖ");
        document.table(format::matrix(&result.joints, &result.joints, &symbols.concat()));
        let _ = writeln!(document);
    }
    document
}

impl Term {
    fn vector(symbol: &'static str, caption: &str, rows: &[String], values: &[f64]) -> Self {
        let columns = vec![symbol.to_string()];
        Term {
            symbol,
            caption: caption.to_string(),
            rows: rows.to_vec(),
            columns,
            values: Values::Vector(values.to_vec()),
        }
    }

    fn matrix(symbol: &'static str, caption: &str, rows: &[String], columns: &[String], values: &[f64]) -> Self {
        let values = Values::Matrix(values.chunks(columns.len().max(1)).map(<[f64]>::to_vec).collect());
        Term { symbol, caption: caption.to_string(), rows: rows.to_vec(), columns: columns.to_vec(), values }
    }
}

type TermResult = Result<Vec<Term>, String>;

fn message(error: armdyn_core::Error) -> String {
    error.to_string()
}

fn in_state_space(m: &Model<f64>, q: &[f64], qd: &[f64]) -> TermResult {
    let (n, names) = (m.nv(), m.dof_names());
    let mut forms = FormsData::new(m);
    let form = state_space(m, &mut forms, q, qd).map_err(message)?;
    let mut c = vec![0.0; n * n];
    coriolis(m, &mut CoriolisData::new(m), q, qd, &mut c).map_err(message)?;
    let bias: Vec<f64> = form.velocity.iter().zip(form.gravity).map(|(v, g)| v + g).collect();
    let friction: Vec<f64> = m.friction().iter().zip(qd).map(|(f, v)| f.torque(*v)).collect();
    Ok(vec![
        Term::matrix(
            "M",
            "M: τ = M q̈ + C q̇ + g (+ friction), rotor inertia included [kg m², kg m, kg]",
            names,
            names,
            form.mass,
        ),
        Term::matrix("C", "C: Ṁ − 2C is skew-symmetric", names, names, &c),
        Term::vector("g", "g: gravity [N m, N]", names, form.gravity),
        Term::vector("tau_bias", "C q̇ + g [N m, N]", names, &bias),
        Term::vector("tau_friction", "friction [N m, N]", names, &friction),
    ])
}

fn in_configuration_space(m: &Model<f64>, q: &[f64], qd: &[f64]) -> TermResult {
    let (n, names) = (m.nv(), m.dof_names());
    let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
    let products: Vec<String> = pairs.iter().map(|(i, j)| format!("{}·{}", names[*i], names[*j])).collect();
    let squares: Vec<String> = names.iter().map(|n| format!("{n}²")).collect();
    let mut forms = FormsData::new(m);
    let form = configuration_space(m, &mut forms, q).map_err(message)?;
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
        Term::matrix("B", "B: Coriolis, per product of velocities", names, &products, form.coriolis),
        Term::matrix("C", "C: centrifugal, per squared velocity", names, &squares, form.centrifugal),
        Term::vector("g", "g: gravity [N m, N]", names, form.gravity),
        Term::vector("tau_bias", "B [q̇q̇] + C [q̇²] + g [N m, N]", names, &bias),
    ])
}

const DIRECTIONS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

fn at_a_link(m: &Model<f64>, args: &Terms, q: &[f64], qd: &[f64]) -> TermResult {
    let name = args.link.clone().map_or_else(|| robot::tip(m), Ok)?;
    let link = robot::link(m, &name)?;
    let index = |d: &TaskDirection| TaskDirection::ALL.iter().position(|a| a == d).unwrap_or(0);
    let directions = match &args.directions {
        Some(text) => text.split(',').map(|d| direction(d.trim())).collect::<Result<Vec<_>, _>>()?,
        None => movable_directions(m, link, q).map_err(message)?,
    };
    if directions.is_empty() {
        return Err(format!("link `{name}` cannot move"));
    }
    if let Some((_, twice)) = directions.iter().enumerate().find(|(k, d)| directions[..*k].contains(d)) {
        return Err(format!("`--directions` lists `{}` twice", DIRECTIONS[index(twice)]));
    }
    let task = Task { link, frame: JacobianFrame::LocalWorldAligned, directions: &directions, rate: Rate::Inertial };
    let mut data = CartesianData::new(m);
    let x = cartesian(m, &mut data, &task, q, qd).map_err(message)?;
    let rows: Vec<String> = directions.iter().map(|d| DIRECTIONS[index(d)].to_string()).collect();
    let bias: Vec<f64> = x.velocity.iter().zip(x.gravity).map(|(v, g)| v + g).collect();
    let caption = format!("M: F = M ẍ + V + g at {name}, world axes [kg, kg m, kg m²]");
    Ok(vec![
        Term::matrix("M", &caption, &rows, &rows, x.mass),
        Term::vector("V", "V: centrifugal and Coriolis [N, N m]", &rows, x.velocity),
        Term::vector("g", "g: gravity [N, N m]", &rows, x.gravity),
        Term::vector("tau_bias", "V + g [N, N m]", &rows, &bias),
        Term::matrix("J", "J: ẋ = J q̇", &rows, m.dof_names(), x.jacobian),
        Term::vector("Jdot_qd", "J̇ q̇", &rows, x.rate),
    ])
}

fn direction(name: &str) -> Result<TaskDirection, String> {
    let index = DIRECTIONS.iter().position(|d| *d == name);
    index.map(|k| TaskDirection::ALL[k]).ok_or_else(|| {
        format!("invalid direction `{name}` for `--directions`: expected some of {}", DIRECTIONS.join(", "))
    })
}

fn symbols(m: &Model<f64>, q: &[f64]) -> Result<Vec<Vec<Vec<f64>>>, String> {
    let n = m.nv();
    let mut gamma = vec![0.0; n.pow(3)];
    christoffel(m, &mut CoriolisData::new(m), q, &mut gamma).map_err(message)?;
    let matrix = |values: &[f64]| values.chunks(n).map(<[f64]>::to_vec).collect();
    Ok(gamma.chunks((n * n).max(1)).map(matrix).collect())
}

/// g, C q̇ + g and the upper triangle of M for every state of a table.
fn batch(reader: &Reader, args: &Terms) -> Option<CommandResult> {
    let (m, n) = (reader.model, reader.model.nv());
    let names = m.dof_names();
    let upper: Vec<(usize, usize)> = (0..n).flat_map(|i| (i..n).map(move |j| (i, j))).collect();
    let outputs: Vec<String> = names
        .iter()
        .map(|a| format!("g_{a}"))
        .chain(names.iter().map(|a| format!("tau_bias_{a}")))
        .chain(upper.iter().map(|(i, j)| format!("M_{}_{}", names[*i], names[*j])))
        .collect();
    let mut forms = FormsData::new(m);
    let inputs = [("q", Kind::Position, args.state.q.as_deref()), ("qd", Kind::Rate, args.state.qd.as_deref())];
    stream::run(&args.batch, args.robot.json, reader, inputs, &outputs, |[q, qd], row| {
        let form = state_space(m, &mut forms, q, qd).map_err(message)?;
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
