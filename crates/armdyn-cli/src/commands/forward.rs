//! `armdyn forward`: accelerations from torques.

use crate::args::Forward;
use crate::document::Table;
use crate::shown::Shown;
use crate::stream::States;
use crate::table::Quantity;
use crate::values::{Kind, Reader};
use crate::wrench::External;
use crate::{CommandError, CommandResult, Output, diagnostics, format, stream};
use armdyn_core::{Friction, FrictionState, Model, StictionData, stiction};
use armdyn_numerics::CompiledStates;
use serde_json::json;
use std::ops::ControlFlow;

/// q̈ at one state, or at those of a table; with dry friction, also the friction torques and which joints stick.
pub fn run(m: &Model<f64>, args: &Forward) -> CommandResult {
    let reader = Reader { model: m, deg: args.state.deg };
    let scales = reader.scales(&Kind::Rate);
    let external = External::new(m, &args.wrench)?;
    let dry = m.friction().iter().any(Friction::is_dry);
    let accelerate = |(data, external): &mut (StictionData, External), [q, qd, tau]: [&[f64]; 3], qdd: &mut [f64]| {
        external.apply(q, &mut data.boundary)?;
        stiction(m, data, q, qd, tau, qdd)?;
        Ok::<(), CommandError>(())
    };
    let workspace = || (StictionData::new(m), external.clone());
    let inputs = [
        ("q", Kind::Position, args.state.q.as_deref()),
        ("qd", Kind::Rate, args.state.qd.as_deref()),
        ("tau", Kind::Torque, args.tau.as_deref()),
    ];
    let outputs = ["qdd", "friction"].map(|name| Quantity::vector(name, m.dof_names()));
    let outputs = if dry { &outputs[..] } else { &outputs[..1] };
    let program = stream::program(args.device.device, external.is_empty(), CompiledStates::forward(m))?;
    let mut accelerations = vec![];
    let block = |states: &States<3>, out: &mut [f64]| {
        accelerations.resize(states.rows * m.nv(), 0.0);
        let computed = (states.many || program.on_gpu())
            && external.is_empty()
            && program.compute(states.rows, states.arrays, &mut accelerations);
        states.each_row(out, workspace, |data, row, values, out| {
            let (qdd, friction) = out.split_at_mut(m.nv());
            match computed && !rests(m, values[1]) {
                true => {
                    qdd.copy_from_slice(&accelerations[row * m.nv()..(row + 1) * m.nv()]);
                    let torques = m.friction().iter().zip(values[1]).map(|(f, qd)| f.torque(*qd));
                    friction.iter_mut().zip(torques).for_each(|(out, f)| *out = f);
                }
                false => {
                    accelerate(data, values, qdd)?;
                    friction.iter_mut().zip(data.0.friction()).for_each(|(out, f)| *out = *f);
                }
            }
            qdd.iter_mut().zip(&scales).for_each(|(a, s)| *a /= s);
            Ok(())
        })
    };
    let [q, qd, tau] = match stream::run(&args.batch, args.robot.json, &reader, inputs, outputs, block)? {
        ControlFlow::Continue(state) => state,
        ControlFlow::Break(output) => return Ok(output),
    };
    let (mut data, mut qdd) = (workspace(), vec![0.0; m.nv()]);
    accelerate(&mut data, [&q, &qd, &tau], &mut qdd)?;
    qdd.iter_mut().zip(&scales).for_each(|(a, s)| *a /= s);
    let data = data.0;
    warn_beyond_effort(m, &tau);
    let shown = Shown { m, deg: args.state.deg };
    let units: Vec<String> = (0..m.nv()).map(|i| shown.rate_unit(i, "s²")).collect();
    let mut result = json!({ "robot": m.name(), "joints": m.dof_names(), "qdd": qdd, "units": units });
    if !external.is_empty() {
        result["external"] = external.json();
    }
    let states: Vec<&str> = data.states().iter().map(|s| word(*s)).collect();
    if dry {
        result["friction"] = json!(data.friction());
        result["friction_state"] = json!(states);
    }
    Output::of(args.robot.json, &result, |_| {
        let mut rows = format::columns(m.dof_names(), &qdd, &units);
        if !dry {
            return Table::new(&["joint", "q̈", "unit"], &[0, 2], rows).into();
        }
        for (i, (row, friction)) in rows.iter_mut().zip(format::numbers(data.friction())).enumerate() {
            row.extend([friction, m.torque_unit(i).to_string(), states[i].to_string()]);
        }
        Table::new(&["joint", "q̈", "unit", "friction", "unit", "state"], &[0, 2, 4, 5], rows).into()
    })
}

/// Whether a joint with dry friction is at rest: whether it sticks is not known before its acceleration.
fn rests(m: &Model<f64>, qd: &[f64]) -> bool {
    m.friction().iter().zip(qd).any(|(f, qd)| f.is_dry() && *qd == 0.0)
}

/// What friction does at a joint, in a word.
fn word(state: FrictionState) -> &'static str {
    match state {
        FrictionState::Free => "free",
        FrictionState::Sticking => "sticks",
        FrictionState::Sliding => "slides",
    }
}

/// Warns about torques that a drive cannot produce.
fn warn_beyond_effort(m: &Model<f64>, tau: &[f64]) {
    for (i, (limits, tau)) in m.limits().iter().zip(tau).enumerate().filter(|(_, (l, t))| !l.effort.contains(**t)) {
        let (joint, unit, tau) = (&m.dof_names()[i], m.torque_unit(i), format::number(*tau));
        let [lower, upper] = [limits.effort.lower, limits.effort.upper].map(format::number);
        diagnostics::warn(format_args!(
            "τ = {tau} {unit} of `{joint}` is outside its effort limits [{lower}, {upper}]"
        ));
    }
}
