//! `armdyn forward`: accelerations from torques.

use crate::args::Forward;
use crate::document::Table;
use crate::values::{Kind, Reader};
use crate::{CommandResult, Output, format, robot, stream};
use armdyn_core::{AbaData, aba};
use serde::Serialize;

#[derive(Serialize)]
struct Accelerations {
    robot: String,
    joints: Vec<String>,
    qdd: Vec<f64>,
    units: Vec<String>,
}

/// q̈ at one state, or at those of a table.
pub fn run(args: &Forward) -> CommandResult {
    let m = robot::open(&args.robot)?;
    let reader = Reader { model: &m, deg: args.state.deg };
    let scales = reader.scales(&Kind::Rate);
    let mut data = AbaData::new(&m);
    let mut accelerate = |q: &[f64], qd: &[f64], tau: &[f64], qdd: &mut [f64]| {
        aba(&m, &mut data, q, qd, tau, qdd).map_err(|e| e.to_string())?;
        qdd.iter_mut().zip(&scales).for_each(|(a, s)| *a /= s);
        Ok(())
    };
    let inputs = [
        ("q", Kind::Position, args.state.q.as_deref()),
        ("qd", Kind::Rate, args.state.qd.as_deref()),
        ("tau", Kind::Torque, args.tau.as_deref()),
    ];
    let outputs: Vec<String> = m.dof_names().iter().map(|n| format!("qdd_{n}")).collect();
    let batch = stream::run(&args.batch, args.robot.json, &reader, inputs, &outputs, |[q, qd, tau], qdd| {
        accelerate(q, qd, tau, qdd)
    });
    if let Some(result) = batch {
        return result;
    }
    let q = reader.read("--q", &Kind::Position, args.state.q.as_deref())?;
    let qd = reader.read("--qd", &Kind::Rate, args.state.qd.as_deref())?;
    let tau = reader.read("--tau", &Kind::Torque, args.tau.as_deref())?;
    let mut qdd = vec![0.0; m.nv()];
    accelerate(&q, &qd, &tau, &mut qdd)?;
    let units = (0..m.nv()).map(|i| format!("{}/s²", format::position_unit(&m, i, args.state.deg))).collect();
    let result = Accelerations { robot: m.name().to_string(), joints: m.dof_names().to_vec(), qdd, units };
    Output::of(args.robot.json, &result, |r| {
        Table::new(&["joint", "q̈", "unit"], &[0, 2], format::columns(&r.joints, &r.qdd, &r.units)).into()
    })
}
