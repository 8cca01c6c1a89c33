//! `armdyn forward`: accelerations from torques.

use crate::args::Forward;
use crate::document::Table;
use crate::shown::Shown;
use crate::table::Quantity;
use crate::values::{Kind, Reader};
use crate::wrench::External;
use crate::{CommandResult, Output, format, stream};
use armdyn_core::{AbaData, Model, aba};
use serde_json::json;
use std::ops::ControlFlow;

/// q̈ at one state, or at those of a table.
pub fn run(m: &Model<f64>, args: &Forward) -> CommandResult {
    let reader = Reader { model: m, deg: args.state.deg };
    let scales = reader.scales(&Kind::Rate);
    let (mut data, mut external) = (AbaData::new(m), External::new(m, &args.wrench)?);
    let mut accelerate = |[q, qd, tau]: [&[f64]; 3], qdd: &mut [f64]| {
        external.apply(q, &mut data.boundary)?;
        aba(m, &mut data, q, qd, tau, qdd)?;
        qdd.iter_mut().zip(&scales).for_each(|(a, s)| *a /= s);
        Ok(())
    };
    let inputs = [
        ("q", Kind::Position, args.state.q.as_deref()),
        ("qd", Kind::Rate, args.state.qd.as_deref()),
        ("tau", Kind::Torque, args.tau.as_deref()),
    ];
    let outputs = [Quantity::vector("qdd", m.dof_names())];
    let [q, qd, tau] = match stream::run(&args.batch, args.robot.json, &reader, inputs, &outputs, &mut accelerate)? {
        ControlFlow::Continue(state) => state,
        ControlFlow::Break(output) => return Ok(output),
    };
    let mut qdd = vec![0.0; m.nv()];
    accelerate([&q, &qd, &tau], &mut qdd)?;
    let shown = Shown { m, deg: args.state.deg };
    let units: Vec<String> = (0..m.nv()).map(|i| shown.rate_unit(i, "s²")).collect();
    let mut result = json!({ "robot": m.name(), "joints": m.dof_names(), "qdd": qdd, "units": units });
    if !external.is_empty() {
        result["external"] = external.json();
    }
    Output::of(args.robot.json, &result, |_| {
        Table::new(&["joint", "q̈", "unit"], &[0, 2], format::columns(m.dof_names(), &qdd, &units)).into()
    })
}
