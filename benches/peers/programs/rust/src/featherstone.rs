//! featherstone, in single precision.
//!
//! Its transform of a revolute joint (0.1.0) turns by −q where its velocity is +q̇, so it is given −q: then its results agree.

use crate::robot::Robot;
use featherstone::prelude::*;
use featherstone::{crba::crba_mass_matrix, rnea::rnea_inverse_dynamics};
use nalgebra::{DVector, Matrix3, Vector3};
use std::hint::black_box;

fn vector(x: [f64; 3]) -> Vector3<f32> {
    Vector3::from(x.map(|x| x as f32))
}

pub fn run(r: &Robot) {
    let mut one = ArticulatedBody::new();
    one.set_gravity(vector(r.gravity));
    for (k, j) in r.joints.iter().enumerate() {
        let [xx, xy, xz, yy, yz, zz] = j.inertia.map(|x| x as f32);
        let inertia = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        // Its rotation is from parent to child: the transpose, whose columns are our rows.
        let rotation = Matrix3::from_column_slice(&j.rotation.map(|x| x as f32));
        one.add_body(
            format!("link{k}"),
            j.parent as i32 - 1,
            GenJoint::Revolute { axis: Vector3::z() },
            SpatialInertia::from_mass_inertia(j.mass as f32, vector(j.center), inertia),
            SpatialTransform::from_rotation_translation(rotation, rotation * vector(j.position)),
        );
    }
    let rows = |rows: &[Vec<f64>]| -> Vec<DVector<f32>> {
        rows.iter().map(|row| DVector::from_iterator(row.len(), row.iter().map(|&x| x as f32))).collect()
    };
    let q: Vec<DVector<f32>> = rows(&r.q).into_iter().map(|q| -q).collect();
    let (qd, qdd, tau) = (rows(&r.qd), rows(&r.qdd), rows(&r.tau));
    let mut two = one.clone();
    let set = |body: &mut ArticulatedBody, i: usize, last: &DVector<f32>| {
        body.q.copy_from(&q[i]);
        body.qd.copy_from(&qd[i]);
        body.qdd.copy_from(last);
    };
    r.measure(
        "rnea",
        &r.inverse,
        |i| {
            set(&mut one, i, &qdd[i]);
            rnea_inverse_dynamics(&one).0.as_slice().to_vec()
        },
        |i| {
            set(&mut two, i, &qdd[i]);
            black_box(rnea_inverse_dynamics(&two));
        },
    );
    r.measure(
        "crba",
        &r.mass,
        |i| {
            set(&mut one, i, &qdd[i]);
            crba_mass_matrix(&one).as_slice().to_vec()
        },
        |i| {
            set(&mut two, i, &qdd[i]);
            black_box(crba_mass_matrix(&two));
        },
    );
    r.measure(
        "aba",
        &r.forward,
        |i| {
            set(&mut one, i, &qdd[i]);
            one.tau.copy_from(&tau[i]);
            aba_forward_dynamics(&mut one).as_slice().to_vec()
        },
        |i| {
            set(&mut two, i, &qdd[i]);
            two.tau.copy_from(&tau[i]);
            black_box(aba_forward_dynamics(&mut two));
        },
    );
}
