//! `armdyn inverse`: torques from a motion.

use crate::args::{Frame, Inverse};
use crate::document::{Document, Table};
use crate::stream::States;
use crate::table::Quantity;
use crate::values::{Kind, Reader};
use crate::wrench::External;
use crate::{CommandError, CommandResult, Output, format, stream};
use armdyn_core::{Force, Friction, Model, RneaData, WrenchFrame, rnea};
use armdyn_numerics::CompiledStates;
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// The wrench that a joint transmits to its child link: all of it, and without the drive's own torque or force.
struct JointWrench<'a> {
    joint: &'a str,
    total: Force<f64>,
    constraint: Force<f64>,
}

impl JointWrench<'_> {
    fn json(&self, frame: Frame) -> Value {
        let parts = |f: Force<f64>| (f.force.to_array(), f.moment.to_array());
        let ((force, moment), constraint) = (parts(self.total), parts(self.constraint));
        let constraint = json!({ "force": constraint.0, "moment": constraint.1 });
        json!({ "joint": self.joint, "force": force, "moment": moment, "frame": frame, "constraint": constraint })
    }
}

/// τ at one state, or at those of a table.
pub fn run(m: &Model<f64>, args: &Inverse) -> CommandResult {
    let reader = Reader { model: m, deg: args.state.deg };
    let mut external = External::new(m, &args.wrench)?;
    let inputs = [
        ("q", Kind::Position, args.state.q.as_deref()),
        ("qd", Kind::Rate, args.state.qd.as_deref()),
        ("qdd", Kind::Rate, args.qdd.as_deref()),
    ];
    let dry = m.friction().iter().any(Friction::is_dry);
    let outputs = ["tau", "tau_min", "tau_max"].map(|name| Quantity::vector(name, m.dof_names()));
    let outputs = if dry { &outputs[..] } else { &outputs[..1] };
    let program = stream::program(args.device.device, external.is_empty(), CompiledStates::inverse(m))?;
    let mut torques = vec![];
    let block = |states: &States<3>, out: &mut [f64]| {
        let many = (states.many || program.on_gpu()) && external.is_empty();
        if many && !dry && program.compute(states.rows, states.arrays, out) {
            return Ok(());
        }
        torques.resize(states.rows * m.nv(), 0.0);
        let computed = many && dry && program.compute(states.rows, states.arrays, &mut torques);
        let workspace = || (RneaData::new(m), external.clone());
        states.each_row(out, workspace, |(data, external), row, [q, qd, qdd], out| {
            let (tau, ends) = out.split_at_mut(m.nv());
            match computed {
                true => tau.copy_from_slice(&torques[row * m.nv()..(row + 1) * m.nv()]),
                false => {
                    external.apply(q, &mut data.boundary)?;
                    rnea(m, data, q, qd, qdd, tau)?;
                }
            }
            m.add_breakaway_torques(qd, qdd, tau)?;
            if dry {
                let (minima, maxima) = ends.split_at_mut(m.nv());
                let ranges = m.torque_ranges(qd, qdd, tau)?;
                minima.iter_mut().zip(maxima).zip(ranges).for_each(|((low, high), range)| [*low, *high] = range);
            }
            Ok(())
        })
    };
    let [q, qd, qdd] = match stream::run(&args.batch, args.robot.json, &reader, inputs, outputs, block)? {
        ControlFlow::Continue(state) => state,
        ControlFlow::Break(output) => return Ok(output),
    };
    let (mut data, mut tau) = (RneaData::new(m), vec![0.0; m.nv()]);
    external.apply(&q, &mut data.boundary)?;
    rnea(m, &mut data, &q, &qd, &qdd, &mut tau)?;
    m.add_breakaway_torques(&qd, &qdd, &mut tau)?;
    let wrenches = args.wrenches.then(|| joint_wrenches(m, &data, args.frame)).transpose()?;
    let units: Vec<String> = (0..m.nv()).map(|i| m.torque_unit(i).to_string()).collect();
    let mut result = json!({ "robot": m.name(), "joints": m.dof_names(), "tau": tau, "units": units });
    if !external.is_empty() {
        result["external"] = external.json();
    }
    if let Some(wrenches) = &wrenches {
        result["wrenches"] = wrenches.iter().map(|w| w.json(args.frame)).collect();
    }
    let at_rest = m.friction().iter().zip(&qd).any(|(f, qd)| f.is_dry() && *qd == 0.0);
    let ranges = at_rest.then(|| m.torque_ranges(&qd, &qdd, &tau)).transpose()?;
    if let Some(ranges) = &ranges {
        result["tau_range"] = json!(ranges);
    }
    Output::of(args.robot.json, &result, |_| {
        let rows = format::columns(m.dof_names(), &tau, &units);
        let mut document = match &ranges {
            Some(ranges) => with_ranges(rows, ranges),
            None => Table::new(&["joint", "τ", "unit"], &[0, 2], rows).into(),
        };
        if let Some(wrenches) = &wrenches {
            add_wrenches(&mut document, wrenches, args.frame);
        }
        document
    })
}

/// The torques with the ranges that friction at rest allows.
fn with_ranges(mut rows: Vec<Vec<String>>, ranges: &[[f64; 2]]) -> Document {
    for (row, range) in rows.iter_mut().zip(ranges) {
        row.splice(2..2, range.map(format::number));
    }
    let mut document = Document::from(Table::new(&["joint", "τ", "from", "to", "unit"], &[0, 4], rows));
    document += "from … to: torques that produce this motion; static friction holds a joint at rest (τ: with friction 0), and one \
                 that starts to move overcomes it\n";
    document
}

fn add_wrenches(document: &mut Document, wrenches: &[JointWrench], frame: Frame) {
    *document += &format!("\nwrench transmitted to each joint's child link, in {}\n", frame.describe());
    let row = |JointWrench { joint, total, constraint }: &JointWrench| {
        let constraint = [constraint.force.norm(), constraint.moment.norm()].map(format::number).to_vec();
        let total = [total.force, total.moment].map(|v| format::numbers(&v.to_array())).concat();
        [vec![joint.to_string()], total, constraint].concat()
    };
    let header = ["joint", "force x [N]", "y", "z", "moment x [N m]", "y", "z", "constraint [N]", "[N m]"];
    document.table(Table::new(&header, &[0], wrenches.iter().map(row)));
    *document += "constraint: magnitude of the constraint wrench (reaction), without the drive's torque or force\n";
}

impl Frame {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            Frame::Link => "the child link's frame",
            Frame::Parent => "the parent link's frame",
            Frame::WorldAligned => "world axes, about the child link's origin",
            Frame::World => "world axes, about the world origin",
        }
    }

    /// The same of the core.
    pub fn in_core(self) -> WrenchFrame<f64> {
        match self {
            Frame::Link => WrenchFrame::Local,
            Frame::Parent => WrenchFrame::Parent,
            Frame::WorldAligned => WrenchFrame::LocalWorldAligned,
            Frame::World => WrenchFrame::World,
        }
    }
}

/// The wrench of every joint, fixed ones included; for a joint of several pairs, that of the last one.
fn joint_wrenches<'a>(
    m: &'a Model<f64>,
    data: &RneaData<f64>,
    frame: Frame,
) -> Result<Vec<JointWrench<'a>>, CommandError> {
    let mut wrenches = vec![];
    for (j, joint) in m.joint_ids().zip(m.joints()) {
        if let Some(last) = data.wrenches(m, j, frame.in_core())?.last() {
            wrenches.push(JointWrench { joint: &joint.name, total: last.total, constraint: last.constraint });
        }
    }
    Ok(wrenches)
}
