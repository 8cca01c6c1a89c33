//! `armdyn inverse`: torques for a motion.

use crate::args::{Frame, Inverse};
use crate::document::{Document, Table};
use crate::values::{Kind, Reader};
use crate::{CommandResult, format, robot, stream};
use armdyn_core::{Model, RneaData, WrenchFrame, rnea};
use serde_json::{Value, json};

/// τ at one state, or at those of a file.
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
    let streamed = stream::run(&args.batch, args.robot.json, &reader, inputs, &outputs, |[q, qd, qdd], tau| {
        rnea(&m, &mut data, q, qd, qdd, tau).map_err(|e| e.to_string())
    });
    if let Some(outcome) = streamed {
        return outcome;
    }
    let q = reader.read("--q", &Kind::Position, args.state.q.as_deref())?;
    let qd = reader.read("--qd", &Kind::Rate, args.state.qd.as_deref())?;
    let qdd = reader.read("--qdd", &Kind::Rate, args.qdd.as_deref())?;
    let mut tau = vec![0.0; m.nv()];
    rnea(&m, &mut data, &q, &qd, &qdd, &mut tau).map_err(|e| e.to_string())?;
    let wrenches = if args.wrenches { joint_wrenches(&m, &data, args.frame)? } else { vec![] };
    if args.robot.json {
        let units: Vec<&str> = (0..m.nv()).map(|i| format::torque_unit(&m, i)).collect();
        let mut object = json!({ "robot": m.name(), "joints": m.dof_names(), "tau": tau, "units": units });
        if args.wrenches {
            object["wrenches"] = wrenches.iter().map(Wrench::json).collect();
        }
        return Ok(object.into());
    }
    let rows = m.dof_names().iter().zip(format::numbers(&tau)).enumerate();
    let rows = rows.map(|(i, (name, tau))| vec![name.clone(), tau, format::torque_unit(&m, i).to_string()]);
    let mut text = Document::from(Table::new(&["joint", "τ", ""], &[0, 2], rows));
    if args.wrenches {
        text += &format!("\nwrenches on the link that each joint moves, in {}\n", told(args.frame));
        let header = ["joint", "force x [N]", "y", "z", "moment x [N m]", "y", "z", "borne [N]", "[N m]"];
        text.table(Table::new(&header, &[0], wrenches.iter().map(Wrench::row)));
        text += "borne: what the structure bears, the drive's own share left out\n";
    }
    Ok(text.into())
}

/// A joint's wrench.
struct Wrench {
    joint: String,
    frame: &'static str,
    force: [f64; 3],
    moment: [f64; 3],
    /// The part of it that the structure bears.
    constraint: ([f64; 3], [f64; 3]),
}

impl Wrench {
    fn json(&self) -> Value {
        let (force, moment) = self.constraint;
        json!({
            "joint": self.joint, "force": self.force, "moment": self.moment, "frame": self.frame,
            "constraint": { "force": force, "moment": moment },
        })
    }

    fn row(&self) -> Vec<String> {
        let size = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let (force, moment) = self.constraint;
        let figures = [format::numbers(&self.force), format::numbers(&self.moment)].concat();
        let borne = [size(force), size(moment)].map(format::number);
        std::iter::once(self.joint.clone()).chain(figures).chain(borne).collect()
    }
}

fn told(frame: Frame) -> &'static str {
    match frame {
        Frame::Link => "that link's frame",
        Frame::Parent => "the frame of the link before the joint",
        Frame::WorldAligned => "the base's axes, about that link's origin",
        Frame::World => "the base's axes, about its origin",
    }
}

/// The wrench of every joint, fixed ones too; of a joint of several pairs, that of the last one.
fn joint_wrenches(m: &Model<f64>, data: &RneaData<f64>, frame: Frame) -> Result<Vec<Wrench>, String> {
    let (asked, frame) = match frame {
        Frame::Link => (WrenchFrame::Link, "link"),
        Frame::Parent => (WrenchFrame::Parent, "parent"),
        Frame::WorldAligned => (WrenchFrame::WorldAligned, "world-aligned"),
        Frame::World => (WrenchFrame::World, "world"),
    };
    let mut all = vec![];
    for (j, joint) in m.joint_ids().zip(m.joints()) {
        let pairs = data.wrenches(m, j, asked).map_err(|e| e.to_string())?;
        let Some(last) = pairs.last() else { continue };
        let axes = |v: armdyn_core::Vec3<f64>| [v.x, v.y, v.z];
        all.push(Wrench {
            joint: joint.name.clone(),
            frame,
            force: axes(last.total.force),
            moment: axes(last.total.moment),
            constraint: (axes(last.constraint.force), axes(last.constraint.moment)),
        });
    }
    Ok(all)
}
