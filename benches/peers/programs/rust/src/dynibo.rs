//! dynibo, from the URDF.
//!
//! Its gravity is 9.80665 m/s² always. What is compared has the difference to the robot's added, by its own gravity torques.

use crate::robot::Robot;
use std::hint::black_box;

pub fn run(r: &Robot, path: &str) {
    let model = dynibo::RobotModel::from_urdf(format!("{path}.urdf")).expect("the URDF loads");
    let (mut one, mut two) = (model.robot(), model.robot());
    assert_eq!(one.generalized_count(), r.n);
    let valid = "a valid state";
    let more = -r.gravity[2] / 9.80665 - 1.0;
    let mut gravity = vec![0.0; r.n];
    let mut out = vec![0.0; r.n];
    let mut found = vec![0.0; r.n];
    r.measure(
        "rnea",
        &r.inverse,
        |i| {
            one.inverse_dynamics(&r.q[i], &r.qd[i], &r.qdd[i], &[], &mut found).expect(valid);
            one.gravity(&r.q[i], &[], &mut gravity).expect(valid);
            found.iter().zip(&gravity).map(|(torque, g)| torque + more * g).collect()
        },
        |i| {
            two.inverse_dynamics(&r.q[i], &r.qd[i], &r.qdd[i], &[], &mut out).expect(valid);
            black_box(&mut out);
        },
    );
    let (mut matrix, mut found_matrix) = (vec![0.0; r.n * r.n], vec![0.0; r.n * r.n]);
    r.measure(
        "crba",
        &r.mass,
        |i| {
            one.mass_matrix(&r.q[i], &mut found_matrix).expect(valid);
            found_matrix.clone()
        },
        |i| {
            two.mass_matrix(&r.q[i], &mut matrix).expect(valid);
            black_box(&mut matrix);
        },
    );
    r.measure(
        "aba",
        &r.forward,
        |i| {
            one.gravity(&r.q[i], &[], &mut gravity).expect(valid);
            let tau: Vec<f64> = r.tau[i].iter().zip(&gravity).map(|(torque, g)| torque - more * g).collect();
            one.forward_dynamics(&r.q[i], &r.qd[i], &tau, &[], &mut found).expect(valid);
            found.clone()
        },
        |i| {
            two.forward_dynamics(&r.q[i], &r.qd[i], &r.tau[i], &[], &mut out).expect(valid);
            black_box(&mut out);
        },
    );
}
