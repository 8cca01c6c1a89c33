//! `armdyn kinematics`: the pose of every link, and the Jacobian of one.

use crate::args::Kinematics;
use crate::document::{Document, Table};
use crate::values::{Kind, Reader};
use crate::{CommandResult, Output, format, robot, stream};
use armdyn_core::{JacobianFrame, KinematicsData, Model, Motion, Transform, kinematics};
use serde::Serialize;

#[derive(Serialize)]
struct Poses {
    robot: String,
    joints: Vec<String>,
    links: Vec<Pose>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jacobian: Option<LinkMotion>,
}

/// A link's pose in the world frame.
#[derive(Serialize)]
struct Pose {
    link: String,
    position: [f64; 3],
    /// Roll, pitch, yaw [rad, or ° with `--deg`].
    rpy: [f64; 3],
    /// x, y, z, w.
    quaternion: [f64; 4],
    rotation: [[f64; 3]; 3],
}

/// At the link's origin in world axes, linear before angular.
#[derive(Serialize)]
struct LinkMotion {
    link: String,
    #[serde(rename = "J")]
    jacobian: Vec<Vec<f64>>,
    velocity: [f64; 6],
}

/// The pose of every link at one state; of one link at those of a table.
pub fn run(args: &Kinematics) -> CommandResult {
    let m = robot::open(&args.robot)?;
    let reader = Reader { model: &m, deg: args.state.deg };
    let mut data = KinematicsData::new(&m);
    if args.batch.states.is_some() {
        let name = args.link.clone().map_or_else(|| robot::tip(&m), Ok)?;
        let link = robot::link(&m, &name)?;
        let outputs = ["x", "y", "z", "qx", "qy", "qz", "qw"].map(|coordinate| format!("{name}_{coordinate}"));
        let inputs = [("q", Kind::Position, args.state.q.as_deref())];
        let batch = stream::run(&args.batch, args.robot.json, &reader, inputs, &outputs, |[q], row| {
            kinematics(&m, &mut data, q).map_err(|e| e.to_string())?;
            let pose = data.link_pose(&m, link).map_err(|e| e.to_string())?;
            row[..3].copy_from_slice(&position(&pose));
            row[3..].copy_from_slice(&pose.rotation.to_quaternion());
            Ok(())
        });
        if let Some(result) = batch {
            return result;
        }
    }
    let q = reader.read("--q", &Kind::Position, args.state.q.as_deref())?;
    let qd = reader.read("--qd", &Kind::Rate, args.state.qd.as_deref())?;
    kinematics(&m, &mut data, &q).map_err(|e| e.to_string())?;
    let angle = if args.state.deg { 1f64.to_degrees() } else { 1.0 };
    let pose = |(l, link): (armdyn_core::LinkId, &armdyn_core::LinkInfo<f64>)| {
        let pose = data.link_pose(&m, l).map_err(|e| e.to_string())?;
        let rpy = pose.rotation.roll_pitch_yaw().map(|x| x * angle);
        let (quaternion, rotation) = (pose.rotation.to_quaternion(), pose.rotation.to_rows());
        Ok(Pose { link: link.name.clone(), position: position(&pose), rpy, quaternion, rotation })
    };
    let links = m.link_ids().zip(m.links()).map(pose).collect::<Result<_, String>>()?;
    let jacobian = args.link.as_deref().map(|name| motion(&m, &data, name, &qd)).transpose()?;
    let result = Poses { robot: m.name().to_string(), joints: m.dof_names().to_vec(), links, jacobian };
    Output::of(args.robot.json, &result, |r| view(r, if args.state.deg { "°" } else { "rad" }))
}

fn view(result: &Poses, unit: &str) -> Document {
    let row = |p: &Pose| [vec![p.link.clone()], format::numbers(&p.position), format::numbers(&p.rpy)].concat();
    let roll = format!("roll [{unit}]");
    let header = ["link", "x [m]", "y", "z", &roll, "pitch", "yaw"];
    let mut document = Document::from(Table::new(&header, &[0], result.links.iter().map(row)));
    if let Some(LinkMotion { link, jacobian, velocity }) = &result.jacobian {
        let rows = ["vx", "vy", "vz", "ωx", "ωy", "ωz"].map(String::from);
        document += &format!("\nJacobian of {link} at its origin, world axes [m or rad, per rad or m]\n");
        document.table(format::matrix(&rows, &result.joints, &jacobian.concat()));
        document += &format!("velocity [m/s, rad/s]: {}\n", format::numbers(velocity).join(", "));
    }
    document
}

fn position(pose: &Transform<f64>) -> [f64; 3] {
    let p = pose.translation;
    [p.x, p.y, p.z]
}

fn motion(m: &Model<f64>, data: &KinematicsData<f64>, name: &str, qd: &[f64]) -> Result<LinkMotion, String> {
    let link = robot::link(m, name)?;
    let mut columns = vec![Motion::zero(); m.nv()];
    data.jacobian(m, link, JacobianFrame::LocalWorldAligned, &mut columns).map_err(|e| e.to_string())?;
    let entry = |c: &Motion<f64>, k: usize| if k < 3 { c.linear.get(k) } else { c.angular.get(k - 3) };
    let jacobian: Vec<Vec<f64>> = (0..6).map(|k| columns.iter().map(|c| entry(c, k)).collect()).collect();
    let velocity = std::array::from_fn(|k| jacobian[k].iter().zip(qd).map(|(j, qd)| j * qd).sum());
    Ok(LinkMotion { link: name.to_string(), jacobian, velocity })
}
