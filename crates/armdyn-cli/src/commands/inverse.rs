//! `armdyn inverse`: torques from a motion.

use crate::args::{Frame, Inverse};
use crate::document::{Document, Table};
use crate::values::{Kind, Reader};
use crate::{CommandResult, Output, format, robot, stream};
use armdyn_core::{Model, RneaData, Vec3, WrenchFrame, rnea};
use serde::Serialize;

#[derive(Serialize)]
struct Torques {
    robot: String,
    joints: Vec<String>,
    tau: Vec<f64>,
    units: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wrenches: Option<Vec<JointWrench>>,
}

/// The wrench that a joint transmits to its child link.
#[derive(Serialize)]
struct JointWrench {
    joint: String,
    #[serde(flatten)]
    total: Wrench,
    frame: Frame,
    /// Without the drive's own torque or force.
    constraint: Wrench,
}

#[derive(Serialize)]
struct Wrench {
    force: [f64; 3],
    moment: [f64; 3],
}

/// τ at one state, or at those of a table.
pub fn run(args: &Inverse) -> CommandResult {
    let m = robot::open(&args.robot)?;
    let reader = Reader { model: &m, deg: args.state.deg };
    let mut data = RneaData::new(&m);
    let inputs = [
        ("q", Kind::Position, args.state.q.as_deref()),
        ("qd", Kind::Rate, args.state.qd.as_deref()),
        ("qdd", Kind::Rate, args.qdd.as_deref()),
    ];
    let outputs: Vec<String> = m.dof_names().iter().map(|n| format!("tau_{n}")).collect();
    let batch = stream::run(&args.batch, args.robot.json, &reader, inputs, &outputs, |[q, qd, qdd], tau| {
        rnea(&m, &mut data, q, qd, qdd, tau).map_err(|e| e.to_string())
    });
    if let Some(result) = batch {
        return result;
    }
    let q = reader.read("--q", &Kind::Position, args.state.q.as_deref())?;
    let qd = reader.read("--qd", &Kind::Rate, args.state.qd.as_deref())?;
    let qdd = reader.read("--qdd", &Kind::Rate, args.qdd.as_deref())?;
    let mut tau = vec![0.0; m.nv()];
    rnea(&m, &mut data, &q, &qd, &qdd, &mut tau).map_err(|e| e.to_string())?;
    let wrenches = if args.wrenches { Some(joint_wrenches(&m, &data, args.frame)?) } else { None };
    let units = (0..m.nv()).map(|i| m.torque_unit(i).to_string()).collect();
    let result = Torques { robot: m.name().to_string(), joints: m.dof_names().to_vec(), tau, units, wrenches };
    Output::of(args.robot.json, &result, |r| view(r, args.frame))
}

fn view(result: &Torques, frame: Frame) -> Document {
    let rows = format::columns(&result.joints, &result.tau, &result.units);
    let mut document = Document::from(Table::new(&["joint", "τ", "unit"], &[0, 2], rows));
    let Some(wrenches) = &result.wrenches else { return document };
    let frame = match frame {
        Frame::Link => "the child link's frame",
        Frame::Parent => "the parent link's frame",
        Frame::WorldAligned => "world axes, about the child link's origin",
        Frame::World => "world axes, about the world origin",
    };
    document += &format!("\nwrench transmitted to each joint's child link, in {frame}\n");
    let magnitude = |v: [f64; 3]| format::number(v.iter().map(|x| x * x).sum::<f64>().sqrt());
    let row = |w: &JointWrench| {
        let constraint = vec![magnitude(w.constraint.force), magnitude(w.constraint.moment)];
        [vec![w.joint.clone()], format::numbers(&w.total.force), format::numbers(&w.total.moment), constraint].concat()
    };
    let header = ["joint", "force x [N]", "y", "z", "moment x [N m]", "y", "z", "constraint [N]", "[N m]"];
    document.table(Table::new(&header, &[0], wrenches.iter().map(row)));
    document += "constraint: magnitude of the constraint wrench (reaction), without the drive's torque or force\n";
    document
}

/// The wrench of every joint, fixed ones included; for a joint of several pairs, that of the last one.
fn joint_wrenches(m: &Model<f64>, data: &RneaData<f64>, frame: Frame) -> Result<Vec<JointWrench>, String> {
    let in_frame = match frame {
        Frame::Link => WrenchFrame::Local,
        Frame::Parent => WrenchFrame::Parent,
        Frame::WorldAligned => WrenchFrame::LocalWorldAligned,
        Frame::World => WrenchFrame::World,
    };
    let wrench = |force: Vec3<f64>, moment: Vec3<f64>| Wrench {
        force: [force.x, force.y, force.z],
        moment: [moment.x, moment.y, moment.z],
    };
    let mut wrenches = vec![];
    for (j, joint) in m.joint_ids().zip(m.joints()) {
        let pairs = data.wrenches(m, j, in_frame).map_err(|e| e.to_string())?;
        let Some(last) = pairs.last() else { continue };
        wrenches.push(JointWrench {
            joint: joint.name.clone(),
            total: wrench(last.total.force, last.total.moment),
            frame,
            constraint: wrench(last.constraint.force, last.constraint.moment),
        });
    }
    Ok(wrenches)
}
