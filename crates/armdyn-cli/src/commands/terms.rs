//! `armdyn terms`: the terms of the equations of motion, in one of three forms.

use crate::args::{Axes, Form, Terms};
use crate::document::Document;
use crate::stream::States;
use crate::table::Quantity;
use crate::values::{Kind, Reader};
use crate::wrench::External;
use crate::{CommandError, CommandResult, Output, format, robot, stream};
use armdyn_core::{
    CartesianData, EnergyData, Error, FormsData, JacobianFrame, Model, Rate, Task, TaskDirection, cartesian,
    cartesian_products, configuration_space, energy, movable_directions, state_space,
};
use armdyn_numerics::CompiledStates;
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

/// The terms of a form, what was chosen for it, and notes.
#[derive(Default)]
struct Equations {
    terms: Vec<Term>,
    /// Further fields of the JSON object.
    fields: Vec<(&'static str, Value)>,
    /// Lines before the terms.
    notes: Vec<String>,
}

/// M, C, g, … and the energies at one state; for a table of states, g, C q̇ + g, M and the energies.
pub fn run(m: &Model<f64>, args: &Terms) -> CommandResult {
    let reader = Reader { model: m, deg: args.state.deg };
    if args.batch.states.is_some() && args.form != Form::StateSpace {
        return Err("`--states` supports `--form state-space` only".into());
    }
    if let (true, Some(option)) = (args.form != Form::Cartesian, args.cartesian.given().next()) {
        return Err(format!("`{option}` requires `--form cartesian`").into());
    }
    let mut external = External::new(m, &args.wrench)?;
    let [q, qd] = match states(&reader, args, &external)? {
        ControlFlow::Continue(state) => state,
        ControlFlow::Break(output) => return Ok(output),
    };
    let external_torques = if external.is_empty() { None } else { Some(external.torques(&q)?) };
    let Equations { mut terms, fields, notes } = match args.form {
        Form::StateSpace => in_state_space(m, &q, &qd)?,
        Form::Configuration => in_configuration_space(m, &q, &qd)?,
        Form::Cartesian => at_the_tool(m, args, &q, &qd, external_torques.as_deref())?,
    };
    let names = m.dof_names();
    if let Some(tau) = &external_torques {
        let caption = "Jᵀ w: external wrenches, τ = M q̈ + C q̇ + g + τ_f − Jᵀ w [N m, N]";
        terms.push(Term::vector("tau_external", "Jᵀ w", caption, names, tau));
    }
    let energy = energy(m, &mut EnergyData::new(m), &q, &qd)?;
    let mut result = json!({ "robot": m.name(), "joints": names });
    fields.into_iter().for_each(|(key, value)| result[key] = value);
    terms.iter().for_each(|t| result[t.key] = t.json());
    result["energy"] = json!({ "kinetic": energy.kinetic, "potential": energy.potential });
    if !external.is_empty() {
        result["external"] = external.json();
    }
    if args.christoffel {
        let symbols = m.christoffel_symbols(&q)?.into_iter().zip(names).map(|(gamma, name)| {
            let caption = format!("Γ of {name}: torque per q̇ⱼ q̇ₖ");
            Term::matrix("christoffel", &caption, names, names, gamma.as_slice())
        });
        let symbols: Vec<Term> = symbols.collect();
        result["christoffel"] = symbols.iter().map(Term::json).collect();
        terms.extend(symbols);
    }
    let size = |values: &[f64]| format::largest(values.iter().copied());
    let mass = terms.iter().find(|t| t.key == "M").map_or(0.0, |t| size(&t.values));
    // Velocity terms are sums of products of M's elements and velocities, which may cancel.
    let scale = |t: &Term| match (t.key, args.form) {
        ("C", Form::StateSpace) => mass * size(&qd),
        ("B" | "C" | "christoffel", _) => mass,
        ("g" | "tau_bias", _) => m.gravity_scale(),
        _ => 0.0,
    };
    Output::of(args.robot.json, &result, |_| {
        let mut document = Document::default();
        for note in &notes {
            document += &format!("{note}\n");
        }
        for t in &terms {
            document += &format!("{}\n", t.caption);
            document.table(format::matrix_of_scale(&t.rows, &t.columns, &t.values, scale(t)));
            document += "\n";
        }
        let [kinetic, potential] = [energy.kinetic, energy.potential].map(format::number);
        document += &format!(
            "energy: kinetic {kinetic} J, potential {potential} J (0 with the centre of mass at the base's origin)\n"
        );
        document
    })
}

type TermResult = Result<Equations, CommandError>;

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn in_state_space(m: &Model<f64>, q: &[f64], qd: &[f64]) -> TermResult {
    let (names, mut forms) = (m.dof_names(), FormsData::new(m));
    let form = state_space(m, &mut forms, q, qd)?;
    let friction: Vec<f64> = m.friction().iter().zip(qd).map(|(f, v)| f.torque(*v)).collect();
    let mass = "M: τ = M q̈ + C q̇ + g (+ friction), rotor inertia included [kg m², kg m, kg]";
    let coriolis = m.coriolis_matrix(q, qd)?;
    let terms = vec![
        Term::matrix("M", mass, names, names, form.mass),
        Term::matrix("C", "C: Ṁ − 2C is skew-symmetric", names, names, coriolis.as_slice()),
        Term::vector("g", "g", "g: gravity [N m, N]", names, form.gravity),
        Term::vector("tau_bias", "C q̇ + g", "bias torques [N m, N]", names, &sum(form.velocity, form.gravity)),
        Term::vector("tau_friction", "τ_f", "friction [N m, N]", names, &friction),
    ];
    Ok(Equations { terms, ..Equations::default() })
}

/// The names of the products q̇ᵢ q̇ⱼ and of the squares q̇ᵢ².
fn products(names: &[String]) -> (Vec<String>, Vec<String>) {
    let n = names.len();
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let products = pairs.map(|(i, j)| format!("{}·{}", names[i], names[j])).collect();
    (products, names.iter().map(|n| format!("{n}²")).collect())
}

fn in_configuration_space(m: &Model<f64>, q: &[f64], qd: &[f64]) -> TermResult {
    let (names, mut forms) = (m.dof_names(), FormsData::new(m));
    let (products, squares) = products(names);
    let form = configuration_space(m, &mut forms, q)?;
    let (bias, bias_caption) = (m.bias_torques(q, qd)?, "bias torques, B [q̇q̇] + C [q̇²] + g [N m, N]");
    let terms = vec![
        Term::matrix("M", "M: τ = M q̈ + B [q̇q̇] + C [q̇²] + g (+ friction)", names, names, form.mass),
        Term::matrix("B", "B: Coriolis, per product of velocities", names, &products, form.coriolis),
        Term::matrix("C", "C: centrifugal, per squared velocity", names, &squares, form.centrifugal),
        Term::vector("g", "g", "g: gravity [N m, N]", names, form.gravity),
        Term::vector("tau_bias", "τ − M q̈", bias_caption, names, &bias),
    ];
    Ok(Equations { terms, ..Equations::default() })
}

const DIRECTIONS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// The number of a direction.
fn index(d: &TaskDirection) -> usize {
    TaskDirection::ALL.iter().position(|a| a == d).unwrap_or(0)
}

/// The directions of `--directions`, each once.
pub fn directions(text: &str) -> Result<Vec<TaskDirection>, CommandError> {
    let directions = text.split(',').map(|d| direction(d.trim())).collect::<Result<Vec<_>, _>>()?;
    match directions.iter().enumerate().find(|(k, d)| directions[..*k].contains(d)) {
        Some((_, twice)) => Err(format!("`--directions` lists `{}` twice", DIRECTIONS[index(twice)]).into()),
        None => Ok(directions),
    }
}

/// The Cartesian form at the tool, a point or a link.
fn at_the_tool(m: &Model<f64>, args: &Terms, q: &[f64], qd: &[f64], external: Option<&[f64]>) -> TermResult {
    let tool = robot::task(m, &args.cartesian)?;
    let axes = args.cartesian.axes.unwrap_or_default();
    let frame = if axes == Axes::Base { JacobianFrame::LocalWorldAligned } else { JacobianFrame::Local };
    let task = Task { link: tool.link, at: Some(tool.pose), frame, directions: &[], rate: Rate::Inertial };
    let (directions, chosen) = match &args.cartesian.directions {
        Some(text) => (directions(text)?, "given"),
        None => (movable_directions(m, &task, q)?, "independent ones in this configuration, of x, y, z, rx, ry, rz"),
    };
    if directions.is_empty() {
        return Err(format!("link `{}` cannot move", m.links()[tool.link].name).into());
    }
    let task = Task { directions: &directions, ..task };
    let (mut data, mut products_data) = (CartesianData::new(m), CartesianData::new(m));
    let x = cartesian(m, &mut data, &task, q, qd)?;
    let (names, rows) = (m.dof_names(), directions.iter().map(|d| DIRECTIONS[index(d)].to_string()));
    let rows: Vec<String> = rows.collect();
    let in_axes = if axes == Axes::Base { "base axes" } else { "tool axes" };
    let mut terms = vec![
        Term::matrix("M", "M: F = M ẍ + V + g [kg, kg m, kg m²]", &rows, &rows, x.mass),
        Term::vector("V", "V", "V: centrifugal and Coriolis [N, N m]", &rows, x.velocity),
        Term::vector("g", "g", "g: gravity [N, N m]", &rows, x.gravity),
        Term::vector("tau_bias", "V + g", "bias forces [N, N m]", &rows, &sum(x.velocity, x.gravity)),
        Term::matrix("J", "J: ẋ = J q̇", &rows, names, x.jacobian),
        Term::vector("Jdot_qd", "J̇ q̇", "ẍ without joint accelerations [m/s², rad/s²]", &rows, x.rate),
    ];
    if let Some(tau) = external {
        let k = rows.len();
        let force: Vec<f64> =
            (0..k).map(|r| tau.iter().enumerate().map(|(i, t)| x.inverse[i * k + r] * t).sum()).collect();
        terms.push(Term::vector("F_external", "J̄ᵀ Jᵀ w", "external wrenches [N, N m]", &rows, &force));
    }
    let mut notes = vec![
        format!("Cartesian form at the {}, {in_axes}", robot::describe_tool(m, &tool)),
        format!("directions: {} ({chosen})", rows.join(", ")),
    ];
    match cartesian_products(m, &mut products_data, &task, q) {
        Ok(x) => {
            let (products, squares) = products(names);
            let coriolis = "B_x: τ = Jᵀ (M ẍ + g) + B_x [q̇q̇] + C_x [q̇²]; Coriolis, per product of velocities";
            terms.push(Term::matrix("B_x", coriolis, names, &products, x.coriolis));
            let centrifugal = "C_x: centrifugal, per squared velocity";
            terms.push(Term::matrix("C_x", centrifugal, names, &squares, x.centrifugal));
        }
        Err(e @ Error::Unsupported { .. }) => notes.push(format!("B_x and C_x are omitted: {e}")),
        Err(e) => return Err(e.into()),
    }
    let fields = vec![
        ("tool", robot::tool_json(m, &tool)),
        ("axes", json!(axes)),
        ("directions", json!(rows)),
        ("directions_chosen", json!(chosen)),
    ];
    Ok(Equations { terms, fields, notes })
}

fn direction(name: &str) -> Result<TaskDirection, CommandError> {
    let index = DIRECTIONS.iter().position(|d| *d == name);
    index.map(|k| TaskDirection::ALL[k]).ok_or_else(|| {
        format!("invalid direction `{name}` for `--directions`: expected some of {}", DIRECTIONS.join(", ")).into()
    })
}

/// g, C q̇ + g, the upper triangle of M, the energies and Jᵀ w for every state of a table, or the state.
fn states(
    reader: &Reader,
    args: &Terms,
    external: &External,
) -> Result<ControlFlow<Output, [Vec<f64>; 2]>, CommandError> {
    let (m, n) = (reader.model, reader.model.nv());
    let names = m.dof_names();
    let upper: Vec<(usize, usize)> = (0..n).flat_map(|i| (i..n).map(move |j| (i, j))).collect();
    let [g, bias] = ["g", "tau_bias"].map(|what| Quantity::vector(what, names));
    let energies = ["kinetic_energy", "potential_energy"].map(Quantity::number);
    let mut outputs: Vec<Quantity> = [g, bias, Quantity::symmetric("M", names)].into_iter().chain(energies).collect();
    if !external.is_empty() {
        outputs.push(Quantity::vector("tau_external", names));
    }
    let programs = [CompiledStates::gravity(m), CompiledStates::bias(m), CompiledStates::mass(m)];
    let mut compiled = [vec![], vec![], vec![]];
    let workspace = || (FormsData::new(m), EnergyData::new(m), external.clone());
    let inputs = [("q", Kind::Position, args.state.q.as_deref()), ("qd", Kind::Rate, args.state.qd.as_deref())];
    let block = |states: &States<2>, out: &mut [f64]| {
        let [q, qd] = states.arrays;
        let computed = states.many
            && programs.iter().zip(&mut compiled).zip([n, n, n * n]).all(|((program, results), width)| {
                results.resize(states.rows * width, 0.0);
                program.compute(states.rows, [q, qd, &[]], results)
            });
        states.each_row(out, workspace, |(forms, energy_data, external), k, [q, qd], row| {
            let (g, rest) = row.split_at_mut(n);
            let (bias, rest) = rest.split_at_mut(n);
            let (mass, rest) = rest.split_at_mut(upper.len());
            let mut take = |of: &[f64]| mass.iter_mut().zip(&upper).for_each(|(cell, (i, j))| *cell = of[i * n + j]);
            if computed {
                g.copy_from_slice(&compiled[0][k * n..(k + 1) * n]);
                bias.copy_from_slice(&compiled[1][k * n..(k + 1) * n]);
                take(&compiled[2][k * n * n..(k + 1) * n * n]);
            } else {
                let form = state_space(m, forms, q, qd)?;
                g.copy_from_slice(form.gravity);
                bias.copy_from_slice(&sum(form.velocity, form.gravity));
                take(form.mass);
            }
            let energy = energy(m, energy_data, q, qd)?;
            (rest[0], rest[1]) = (energy.kinetic, energy.potential);
            if !external.is_empty() {
                rest[2..].copy_from_slice(&external.torques(q)?);
            }
            Ok(())
        })
    };
    stream::run(&args.batch, args.robot.json, reader, inputs, &outputs, block)
}
