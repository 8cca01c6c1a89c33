//! A robot as the peers' benchmarks read it: plain parameters, and a torque to compare with.

use crate::compiled_robot;
use armdyn_core::{Model, Pair, RneaData, rnea};
use serde::Serialize;

#[derive(Serialize)]
struct Robot<'a> {
    name: &'a str,
    nq: usize,
    nv: usize,
    gravity: [f64; 3],
    joints: Vec<Joint>,
    armature: &'a [f64],
    /// The torque at qᵢ = 0.1 i, q̇ = 2 q, q̈ = 3 q, i from 1.
    tau: Vec<f64>,
}

#[derive(Serialize)]
struct Joint {
    parent: usize,
    r#type: &'static str,
    nv: usize,
    axis: [f64; 3],
    #[serde(rename = "R")]
    rotation: Vec<f64>,
    p: [f64; 3],
    mass: f64,
    com: [f64; 3],
    #[serde(rename = "I")]
    inertia: [f64; 6],
}

/// The robot that the run-time compiler is timed with, as JSON.
pub(crate) fn export(name: &str) -> String {
    let m: Model<f64> = compiled_robot(name);
    let joint = |(_, b): (usize, &armdyn_core::Body<f64>)| {
        let [xx, xy, xz, _, yy, yz, _, _, zz] = b.inertia.central().to_rows().as_flattened().try_into().expect("3 × 3");
        Joint {
            parent: b.parent,
            r#type: match b.pair {
                Pair::Revolute => "JointModelRZ",
                Pair::Prismatic => "JointModelPZ",
                _ => panic!("`{name}` has a joint that the peers' benchmarks do not read"),
            },
            nv: 1,
            axis: [0.0, 0.0, 1.0],
            rotation: b.placement.rotation.to_rows().concat(),
            p: b.placement.translation.to_array(),
            mass: b.inertia.mass,
            com: b.inertia.centre().to_array(),
            inertia: [xx, xy, xz, yy, yz, zz],
        }
    };
    let q: Vec<f64> = (1..=m.nv()).map(|i| 0.1 * i as f64).collect();
    let times = |factor: f64| q.iter().map(|x| factor * x).collect::<Vec<f64>>();
    let mut tau = vec![0.0; m.nv()];
    rnea(&m, &mut RneaData::new(&m), &q, &times(2.0), &times(3.0), &mut tau).expect("the state is a valid one");
    let robot = Robot {
        name: m.name(),
        nq: m.nq(),
        nv: m.nv(),
        gravity: m.gravity().to_array(),
        joints: m.base_to_tip().map(joint).collect(),
        armature: m.armature(),
        tau,
    };
    serde_json::to_string(&robot).expect("names and numbers are JSON")
}
