//! `armdyn kinematics`: where every link is, and the Jacobian of one.

use crate::args::Kinematics;
use crate::document::{Document, Table};
use crate::values::{Kind, Reader};
use crate::{CommandResult, format, robot, stream};
use armdyn_core::{JacobianFrame, KinematicsData, Model, Motion, Transform, kinematics};
use serde_json::{Value, json};

/// The pose of every link at one state; of one link at those of a file.
pub fn run(args: &Kinematics) -> CommandResult {
    let m = robot::open(&args.robot)?;
    let reader = Reader { model: &m, deg: args.state.deg };
    let mut data = KinematicsData::new(&m);
    if args.batch.states.is_some() {
        let name = args.link.clone().map_or_else(|| robot::tip(&m), Ok)?;
        let link = robot::link(&m, &name)?;
        let outputs = ["x", "y", "z", "qx", "qy", "qz", "qw"].map(|part| format!("{name}_{part}"));
        let inputs = [("q", Kind::Position, args.state.q.as_deref())];
        let streamed = stream::run(&args.batch, args.robot.json, &reader, inputs, &outputs, |[q], row| {
            kinematics(&m, &mut data, q).map_err(|e| e.to_string())?;
            let pose = data.link_pose(&m, link).map_err(|e| e.to_string())?;
            row[..3].copy_from_slice(&position(&pose));
            row[3..].copy_from_slice(&pose.rotation.to_quaternion());
            Ok(())
        });
        if let Some(outcome) = streamed {
            return outcome;
        }
    }
    let q = reader.read("--q", &Kind::Position, args.state.q.as_deref())?;
    let qd = reader.read("--qd", &Kind::Rate, args.state.qd.as_deref())?;
    kinematics(&m, &mut data, &q).map_err(|e| e.to_string())?;
    let poses: Vec<Transform<f64>> =
        m.link_ids().map(|l| data.link_pose(&m, l)).collect::<Result<_, _>>().map_err(|e| e.to_string())?;
    let moving = args.link.as_deref().map(|name| motion(&m, &data, name, &qd)).transpose()?;
    let angle = if args.state.deg { 1f64.to_degrees() } else { 1.0 };
    let unit = if args.state.deg { "°" } else { "rad" };
    if args.robot.json {
        return Ok(told(&m, &poses, moving.as_ref(), angle).into());
    }
    let rows = m.links().iter().zip(&poses).map(|(l, pose)| {
        let turned = pose.rotation.roll_pitch_yaw().map(|x| x * angle);
        let figures = [format::numbers(&position(pose)), format::numbers(&turned)].concat();
        std::iter::once(l.name.clone()).chain(figures).collect()
    });
    let roll = format!("roll [{unit}]");
    let mut text = Document::from(Table::new(&["link", "x [m]", "y", "z", &roll, "pitch", "yaw"], &[0], rows));
    if let Some(Moving { link, jacobian, velocity }) = moving {
        let rows = ["vx", "vy", "vz", "ωx", "ωy", "ωz"].map(String::from);
        text += &format!("\nJacobian of {link}, base's axes, at its origin [m or rad, per rad or m]\n");
        text.table(format::matrix(&rows, m.dof_names(), &jacobian));
        text += &format!("velocity [m/s, rad/s]: {}\n", format::numbers(&velocity).join(", "));
    }
    Ok(text.into())
}

fn position(pose: &Transform<f64>) -> [f64; 3] {
    let p = pose.translation;
    [p.x, p.y, p.z]
}

/// How a link moves.
struct Moving {
    link: String,
    /// 6 × nv, linear before angular.
    jacobian: Vec<f64>,
    velocity: [f64; 6],
}

fn motion(m: &Model<f64>, data: &KinematicsData<f64>, name: &str, qd: &[f64]) -> Result<Moving, String> {
    let n = m.nv();
    let link = robot::link(m, name)?;
    let mut columns = vec![Motion::zero(); n];
    data.jacobian(m, link, JacobianFrame::LocalWorldAligned, &mut columns).map_err(|e| e.to_string())?;
    let (mut jacobian, mut velocity) = (vec![0.0; 6 * n], [0.0; 6]);
    for (j, c) in columns.iter().enumerate() {
        for k in 0..3 {
            jacobian[k * n + j] = c.linear.get(k);
            jacobian[(k + 3) * n + j] = c.angular.get(k);
        }
    }
    for (k, v) in velocity.iter_mut().enumerate() {
        *v = (0..n).map(|j| jacobian[k * n + j] * qd[j]).sum();
    }
    Ok(Moving { link: name.to_string(), jacobian, velocity })
}

fn told(m: &Model<f64>, poses: &[Transform<f64>], moving: Option<&Moving>, angle: f64) -> Value {
    let link = |(l, pose): (&armdyn_core::LinkInfo<f64>, &Transform<f64>)| {
        json!({
            "link": l.name, "position": position(pose), "rpy": pose.rotation.roll_pitch_yaw().map(|x| x * angle),
            "quaternion": pose.rotation.to_quaternion(), "rotation": pose.rotation.to_rows(),
        })
    };
    let links: Vec<Value> = m.links().iter().zip(poses).map(link).collect();
    let mut object = json!({ "robot": m.name(), "joints": m.dof_names(), "links": links });
    if let Some(Moving { link, jacobian, velocity }) = moving {
        object["jacobian"] = json!({ "link": link, "J": format::json_matrix(jacobian, m.nv()), "velocity": velocity });
    }
    object
}
