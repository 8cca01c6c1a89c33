//! `armdyn kinematics`: the pose of every link, and the Jacobian of one.

use crate::args::Kinematics;
use crate::document::{Document, Table};
use crate::table::Quantity;
use crate::values::{Kind, Reader};
use crate::{CommandResult, Output, format, robot, stream};
use armdyn_core::{JacobianFrame, KinematicsData, Transform, kinematics};
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// The pose of every link at one state; of one link at those of a table.
pub fn run(args: &Kinematics) -> CommandResult {
    let m = robot::locked(&robot::describe(&args.robot.robot, &args.robot.import)?, &args.robot.lock, args.deg)?;
    let reader = Reader { model: &m, deg: args.deg };
    let mut data = KinematicsData::new(&m);
    let name = match (&args.link, &args.batch.states) {
        (Some(name), _) => name.clone(),
        (None, Some(_)) => robot::tip(&m)?,
        (None, None) => m.links()[0].name.clone(),
    };
    let link = robot::link(&m, &name)?;
    let columns = |parts: &[&str]| parts.iter().map(|part| format!("{name}_{part}")).collect();
    let outputs = [("position", &["x", "y", "z"][..]), ("quaternion", &["qx", "qy", "qz", "qw"])]
        .map(|(what, parts)| Quantity::with_columns(&format!("{name}_{what}"), columns(parts)));
    let inputs = [("q", Kind::Position, args.q.as_deref())];
    let q = match stream::run(&args.batch, args.robot.json, &reader, inputs, &outputs, |[q], row| {
        kinematics(&m, &mut data, q)?;
        let pose = data.link_pose(&m, link)?;
        row[..3].copy_from_slice(&pose.translation.to_array());
        row[3..].copy_from_slice(&pose.rotation.to_quaternion());
        Ok(())
    })? {
        ControlFlow::Continue([q]) => q,
        ControlFlow::Break(output) => return Ok(output),
    };
    let qd = reader.read("--qd", &Kind::Rate, args.qd.as_deref())?;
    kinematics(&m, &mut data, &q)?;
    let (angle, unit) = if args.deg { (1f64.to_degrees(), "°") } else { (1.0, "rad") };
    let names = m.links().iter().map(|link| link.name.clone());
    let poses = m.link_ids().map(|link| data.link_pose(&m, link)).collect::<Result<Vec<_>, _>>()?;
    let position = |pose: &Transform<f64>| pose.translation.to_array();
    let rpy = |pose: &Transform<f64>| pose.rotation.roll_pitch_yaw().map(|x| x * angle);
    let entry = |(name, pose): (String, &Transform<f64>)| {
        let (quaternion, rotation) = (pose.rotation.to_quaternion(), pose.rotation.to_rows());
        let (position, rpy) = (position(pose), rpy(pose));
        json!({ "link": name, "position": position, "rpy": rpy, "quaternion": quaternion, "rotation": rotation })
    };
    let links: Vec<Value> = names.clone().zip(&poses).map(entry).collect();
    let mut result = json!({ "robot": m.name(), "joints": m.dof_names(), "links": links });
    // Rounding errors of one link are small relative to the whole arm.
    let positions = format::numbers(&poses.iter().flat_map(position).collect::<Vec<_>>());
    let angles = format::numbers(&poses.iter().flat_map(rpy).collect::<Vec<_>>());
    let cells = names.zip(positions.chunks(3).zip(angles.chunks(3)));
    let rows = cells.map(|(name, (position, rpy))| [&[name], position, rpy].concat());
    let header = ["link", "x [m]", "y", "z", &format!("roll [{unit}]"), "pitch", "yaw"];
    let mut document = Document::from(Table::new(&header, &[0], rows));
    if args.link.is_some() {
        let jacobian = m.jacobian(&q, link, JacobianFrame::LocalWorldAligned)?;
        let rows: Vec<&[f64]> = (0..6).map(|k| jacobian.row(k)).collect();
        let velocity: Vec<f64> = rows.iter().map(|row| row.iter().zip(&qd).map(|(j, qd)| j * qd).sum()).collect();
        result["jacobian"] = json!({ "link": name, "J": rows, "velocity": velocity });
        let axes = ["vx", "vy", "vz", "ωx", "ωy", "ωz"].map(String::from);
        document += &format!("\nJacobian of {name} at its origin, world axes [m or rad, per rad or m]\n");
        document.table(format::matrix(&axes, m.dof_names(), jacobian.as_slice()));
        document += &format!("velocity [m/s, rad/s]: {}\n", format::numbers(&velocity).join(", "));
    }
    Output::of(args.robot.json, &result, |_| document)
}
