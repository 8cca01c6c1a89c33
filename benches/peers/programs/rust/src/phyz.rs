//! phyz.

use crate::robot::Robot;
use phyz_math::{DVec, Mat3, SpatialInertia, SpatialTransform, Vec3};
use phyz_model::{ModelBuilder, State};
use phyz_rigid::{aba, crba, rnea};
use std::hint::black_box;

fn vector([x, y, z]: [f64; 3]) -> Vec3 {
    Vec3::new(x, y, z)
}

pub fn run(r: &Robot) {
    let mut builder = ModelBuilder::new().gravity(vector(r.gravity));
    for (k, j) in r.joints.iter().enumerate() {
        let m = &j.rotation;
        // Its rotation is from parent to child: the transpose, whose columns are our rows.
        let rotation = Mat3::from_cols([m[0], m[1], m[2]].into(), [m[3], m[4], m[5]].into(), [m[6], m[7], m[8]].into());
        let [xx, xy, xz, yy, yz, zz] = j.inertia;
        let inertia = Mat3::from_cols([xx, xy, xz].into(), [xy, yy, yz].into(), [xz, yz, zz].into());
        builder = builder.add_revolute_body(
            &format!("link{k}"),
            j.parent as i32 - 1,
            SpatialTransform::new(rotation, vector(j.position)),
            SpatialInertia::new(j.mass, vector(j.center), inertia),
        );
    }
    let model = builder.build();
    let states: Vec<State> = (0..r.q.len())
        .map(|i| {
            let mut s = model.default_state();
            s.q = DVec::from_slice(&r.q[i]);
            s.v = DVec::from_slice(&r.qd[i]);
            s.ctrl = DVec::from_slice(&r.tau[i]);
            s
        })
        .collect();
    let qdd: Vec<DVec> = r.qdd.iter().map(|x| DVec::from_slice(x)).collect();
    let entries = |m: phyz_math::DMat| (0..r.n * r.n).map(|k| m[(k / r.n, k % r.n)]).collect::<Vec<f64>>();
    r.measure(
        "rnea",
        &r.inverse,
        |i| rnea(&model, &states[i], &qdd[i]).as_slice().to_vec(),
        |i| {
            black_box(rnea(&model, &states[i], &qdd[i]));
        },
    );
    r.measure(
        "crba",
        &r.mass,
        |i| entries(crba(&model, &states[i])),
        |i| {
            black_box(crba(&model, &states[i]));
        },
    );
    r.measure(
        "aba",
        &r.forward,
        |i| aba(&model, &states[i]).as_slice().to_vec(),
        |i| {
            black_box(aba(&model, &states[i]));
        },
    );
}
