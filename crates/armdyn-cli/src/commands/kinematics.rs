//! `armdyn kinematics`: poses, velocities and accelerations of links, in the base or in another link, and Jacobians; joint
//! positions for a pose (`inverse_kinematics.rs`).

use crate::args::Kinematics;
use crate::document::{Document, Table};
use crate::stream::States;
use crate::table::Quantity;
use crate::values::{Kind, Reader};
use crate::{CommandResult, Output, format, robot, stream};
use armdyn_core::{FrameMotion, FrameMotionData, JacobianFrame, Model, Motion, Tool, frame_motions};
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// The motion of every link at one state; the pose of one link at those of a table.
pub fn run(args: &Kinematics) -> CommandResult {
    let m = robot::locked(&robot::describe(&args.robot.robot, &args.robot.import)?, &args.robot.lock, args.deg)?;
    if let Some(pose) = &args.inverse.pose {
        return super::inverse_kinematics::run(&m, args, pose);
    }
    let reader = Reader { model: &m, deg: args.deg };
    let frame = |name: &Option<String>| name.as_ref().map(|name| robot::frame(&m, name)).transpose();
    let (from, to) = (frame(&args.from)?, frame(if args.to.is_some() { &args.to } else { &args.link })?);
    let mut data = FrameMotionData::new(&m);
    let still = vec![0.0; m.nv()];
    let of_table = match (&args.batch.states, &to) {
        (Some(_), None) => Some(m.tool().map_err(|e| robot::no_tool(e, "--link LINK"))?),
        (_, to) => *to,
    };
    let table_name = args.to.as_ref().or(args.link.as_ref()).cloned().or(of_table.map(|t| name(&m, &t)));
    let table_name = table_name.unwrap_or_default();
    let columns = |parts: &[&str]| parts.iter().map(|part| format!("{table_name}_{part}")).collect();
    let outputs = [("position", &["x", "y", "z"][..]), ("quaternion", &["qx", "qy", "qz", "qw"])]
        .map(|(what, parts)| Quantity::with_columns(&format!("{table_name}_{what}"), columns(parts)));
    let inputs = [("q", Kind::Position, args.q.as_deref())];
    let block = |states: &States<1>, out: &mut [f64]| {
        states.each_row(
            out,
            || FrameMotionData::new(&m),
            |data, _, [q], row| {
                frame_motions(&m, data, q, &still, &still)?;
                let Some(tool) = &of_table else { return Ok(()) };
                let pose = motion(&m, data, tool, from.as_ref())?.pose;
                row[..3].copy_from_slice(&pose.translation.to_array());
                row[3..].copy_from_slice(&pose.rotation.to_quaternion());
                Ok(())
            },
        )
    };
    let q = match stream::run(&args.batch, args.robot.json, &reader, inputs, &outputs, block)? {
        ControlFlow::Continue([q]) => q,
        ControlFlow::Break(output) => return Ok(output),
    };
    let [qd, qdd] =
        reader.read_all(&[("qd", Kind::Rate, args.qd.as_deref()), ("qdd", Kind::Rate, args.qdd.as_deref())])?;
    frame_motions(&m, &mut data, &q, &qd, &qdd)?;
    let frames: Vec<(String, Tool)> = match (&args.to, &to) {
        (Some(name), Some(to)) => vec![(name.clone(), *to)],
        _ => m.link_ids().map(|link| Tool::at(link, armdyn_core::Vec3::zero())).map(|t| (name(&m, &t), t)).collect(),
    };
    let motions = frames.iter().map(|(name, f)| Ok((name.clone(), motion(&m, &data, f, from.as_ref())?)));
    let motions = motions.collect::<Result<Vec<_>, crate::CommandError>>()?;
    let shown = View { deg: args.deg, moving: args.qd.is_some() || args.qdd.is_some() };
    let links: Vec<Value> = motions.iter().map(|(name, motion)| shown.json(name, motion)).collect();
    let mut result = json!({ "robot": m.name(), "joints": m.dof_names(), "links": links });
    let mut document = Document::default();
    if let Some(name) = &args.from {
        result["from"] = json!(name);
        document += &format!("relative to {name}, in its axes\n");
    }
    shown.tables(&mut document, &motions);
    if let (Some(name), Some(link)) = (&args.link, &to) {
        let mut columns = vec![Motion::zero(); m.nv()];
        let at = Some(&link.pose);
        data.kinematics().frame_jacobian(&m, link.link, at, JacobianFrame::LocalWorldAligned, &mut columns)?;
        let component = |k: usize| columns.iter().map(move |c| c.components()[(k + 3) % 6]);
        let rows: Vec<Vec<f64>> = (0..6).map(|k| component(k).collect()).collect();
        let velocity: Vec<f64> = rows.iter().map(|row| row.iter().zip(&qd).map(|(j, qd)| j * qd).sum()).collect();
        result["jacobian"] = json!({ "link": name, "J": rows, "velocity": velocity });
        let axes = ["vx", "vy", "vz", "ωx", "ωy", "ωz"].map(String::from);
        document += &format!("\nJacobian of {name} at its origin, world axes [m or rad, per rad or m]\n");
        document.table(format::matrix(&axes, m.dof_names(), &rows.concat()));
        document += &format!("velocity [m/s, rad/s]: {}\n", format::numbers(&velocity).join(", "));
    }
    Output::of(args.robot.json, &result, |_| document)
}

fn name(m: &Model<f64>, tool: &Tool) -> String {
    m.links()[tool.link].name.clone()
}

/// The motion of a frame in the base, or in another frame.
fn motion(
    m: &Model<f64>,
    data: &FrameMotionData<f64>,
    frame: &Tool,
    from: Option<&Tool>,
) -> Result<FrameMotion<f64>, crate::CommandError> {
    let motion = data.frame(m, frame.link, Some(&frame.pose))?;
    Ok(match from {
        Some(from) => motion.relative_to(&data.frame(m, from.link, Some(&from.pose))?),
        None => motion,
    })
}

struct View {
    deg: bool,
    /// Whether velocities and accelerations are printed.
    moving: bool,
}

impl View {
    fn angle(&self) -> f64 {
        if self.deg { 1f64.to_degrees() } else { 1.0 }
    }

    fn rpy(&self, motion: &FrameMotion<f64>) -> [f64; 3] {
        motion.pose.rotation.roll_pitch_yaw().map(|x| x * self.angle())
    }

    /// Linear, then angular.
    fn components(&self, motion: &Motion<f64>) -> [f64; 6] {
        let ([x, y, z], [a, b, c]) = (motion.linear.to_array(), motion.angular.to_array().map(|x| x * self.angle()));
        [x, y, z, a, b, c]
    }

    fn json(&self, name: &str, motion: &FrameMotion<f64>) -> Value {
        let pose = &motion.pose;
        let (quaternion, rotation) = (pose.rotation.to_quaternion(), pose.rotation.to_rows());
        let (position, rpy) = (pose.translation.to_array(), self.rpy(motion));
        let mut entry =
            json!({ "link": name, "position": position, "rpy": rpy, "quaternion": quaternion, "rotation": rotation });
        if self.moving {
            entry["velocity"] = json!(self.components(&motion.velocity));
            entry["acceleration"] = json!(self.components(&motion.acceleration));
        }
        entry
    }

    fn tables(&self, document: &mut Document, motions: &[(String, FrameMotion<f64>)]) {
        let unit = if self.deg { "°" } else { "rad" };
        let pose = |m: &FrameMotion<f64>| {
            let ([x, y, z], [a, b, c]) = (m.pose.translation.to_array(), self.rpy(m));
            [x, y, z, a, b, c]
        };
        let angle = format!("roll [{unit}]");
        document.table(six(motions, ["x [m]", "y", "z", &angle, "pitch", "yaw"], pose));
        if self.moving {
            let angular = format!("ωx [{unit}/s]");
            *document += "\n";
            let velocity = |m: &FrameMotion<f64>| self.components(&m.velocity);
            document.table(six(motions, ["vx [m/s]", "vy", "vz", &angular, "ωy", "ωz"], velocity));
            let angular = format!("αx [{unit}/s²]");
            *document += "\n";
            let acceleration = |m: &FrameMotion<f64>| self.components(&m.acceleration);
            document.table(six(motions, ["ax [m/s²]", "ay", "az", &angular, "αy", "αz"], acceleration));
        }
    }
}

/// A table of six components of every frame, three linear and three angular ones.
fn six(
    motions: &[(String, FrameMotion<f64>)],
    header: [&str; 6],
    components: impl Fn(&FrameMotion<f64>) -> [f64; 6],
) -> Table {
    // Rounding errors of one link are small relative to the whole arm.
    let all: Vec<[f64; 6]> = motions.iter().map(|(_, motion)| components(motion)).collect();
    let linear = format::numbers(&all.iter().flat_map(|x| x[..3].to_vec()).collect::<Vec<_>>());
    let angular = format::numbers(&all.iter().flat_map(|x| x[3..].to_vec()).collect::<Vec<_>>());
    let cells = motions.iter().zip(linear.chunks(3).zip(angular.chunks(3)));
    let rows = cells.map(|((name, _), (linear, angular))| [std::slice::from_ref(name), linear, angular].concat());
    let header: Vec<&str> = ["link"].into_iter().chain(header).collect();
    Table::new(&header, &[0], rows)
}
