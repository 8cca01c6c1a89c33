//! Robots of the peers' golden data, as plain parameters (see `data/peers/README.md`).

use armdyn_core::{BASE, Drive, Joint, JointKind, Link, LinkId, Model, ModelBuilder, Rotation, Transform, Vec3};
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    name: String,
    gravity: [f64; 3],
    joints: Vec<JointRow>,
    armature: Vec<f64>,
}

#[derive(Deserialize)]
struct JointRow {
    name: String,
    parent: usize,
    r#type: String,
    axis: [f64; 3],
    #[serde(rename = "R")]
    rotation: [f64; 9],
    p: [f64; 3],
    mass: f64,
    com: [f64; 3],
    #[serde(rename = "I")]
    inertia: [f64; 6],
    idx_v: usize,
    nv: usize,
}

/// The robots there are.
pub const NAMES: [&str; 4] = ["ur5", "panda", "puma560", "talos_ff"];

/// The robot `name` (one of [`NAMES`]).
pub fn robot(name: &str) -> Model<f64> {
    let text = match name {
        "ur5" => include_str!("../data/peers/ur5.json"),
        "panda" => include_str!("../data/peers/panda.json"),
        "puma560" => include_str!("../data/peers/puma560.json"),
        "talos_ff" => include_str!("../data/peers/talos_ff.json"),
        _ => panic!("no peer robot `{name}`: there are {NAMES:?}"),
    };
    let file: File = serde_json::from_str(text).expect("the bundled file is valid");
    let mut builder = ModelBuilder::new(&file.name);
    builder.gravity(file.gravity);
    let mut ids: Vec<LinkId> = vec![BASE];
    for j in &file.joints {
        let kind = match j.r#type.as_str() {
            "JointModelFreeFlyer" => JointKind::Free,
            t if t.contains("ModelP") => JointKind::Prismatic { axis: j.axis },
            _ => JointKind::Revolute { axis: j.axis },
        };
        let r = j.rotation;
        let rotation = Rotation::from_rows([[r[0], r[1], r[2]], [r[3], r[4], r[5]], [r[6], r[7], r[8]]]);
        let mut joint = Joint::new(&j.name, kind).at(Transform::new(rotation, Vec3::lift(j.p)));
        for &a in &file.armature[j.idx_v..j.idx_v + j.nv] {
            joint = joint.driven_by(Drive::ideal().armature(a));
        }
        let link = Link::new(&format!("{}_link", j.name)).body(j.mass, j.com, j.inertia);
        ids.push(builder.add(ids[j.parent], joint, link));
    }
    builder.build().expect("the peers' robots are valid")
}
