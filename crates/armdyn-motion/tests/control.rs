//! Control laws against the equations of motion that they promise, by other algorithms of the core.

use armdyn_core::{FrameMotionData, Model, SplitMix64, TaskDirection, frame_motions, parameters, vec3};
use armdyn_import::load_model;
use armdyn_motion::control::{
    AdaptiveController, AdaptiveOptions, Controller, Gains, JointSpaceController, JointSpaceLaw,
    OperationalSpaceController, OperationalSpaceLaw,
};
use armdyn_numerics::{ContinuousTrajectory, FunctionTrajectory};

/// Sines about the middle of a workspace: q_d = a + b sin(t + i), with their derivatives.
fn sines(n: usize) -> impl ContinuousTrajectory {
    FunctionTrajectory::new(10.0, move |t, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]| {
        for i in 0..n {
            let (s, c) = (t + i as f64).sin_cos();
            let middle = [0.3, -0.5, 0.2, -1.5, 0.4, 1.3, 0.6][i % 7];
            (q[i], qd[i], qdd[i]) = (middle + 0.2 * s, 0.2 * c, -0.2 * s);
        }
    })
}

fn states(m: &Model<f64>, count: usize) -> Vec<(f64, Vec<f64>, Vec<f64>)> {
    let mut random = SplitMix64(7);
    let trajectory = sines(m.nv());
    let mut state = || {
        let t = 10.0 * random.unit();
        let [mut q, mut qd, mut qdd] = [(); 3].map(|()| vec![0.0; m.nv()]);
        trajectory.at(t, &mut q, &mut qd, &mut qdd);
        q.iter_mut().for_each(|x| *x += 0.2 * (random.unit() - 0.5));
        qd.iter_mut().for_each(|x| *x += random.unit() - 0.5);
        (t, q, qd)
    };
    (0..count).map(|_| state()).collect()
}

fn desired(m: &Model<f64>, t: f64) -> [Vec<f64>; 3] {
    let [mut q, mut qd, mut qdd] = [(); 3].map(|()| vec![0.0; m.nv()]);
    sines(m.nv()).at(t, &mut q, &mut qd, &mut qdd);
    [q, qd, qdd]
}

/// Relative to the largest of the values that are compared; both sides go through M and its inverse (condition 1e4).
fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    let scale = expected.iter().fold(1.0_f64, |s, x| s.max(x.abs()));
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-10 * scale, "{what}: {found:?} for {expected:?}");
    }
}

/// ë + K_d ė + K_p e = 0: the arm's joints are decoupled oscillators.
#[test]
fn computed_torque_linearises() {
    for robot in ["panda", "jpl-rrp", "puma560"] {
        let m = load_model(robot).unwrap();
        let n = m.nv();
        let (trajectory, gains) = (sines(n), Gains::of_unit_mass(n, 20.0, 0.7).unwrap());
        let law = JointSpaceLaw::ComputedTorque;
        let mut controller = JointSpaceController::new(&m.without_friction(), &trajectory, law, gains).unwrap();
        for (t, q, qd) in states(&m, 20) {
            let mut tau = vec![0.0; n];
            controller.torque(t, &q, &qd, &mut tau).unwrap();
            let found = m.without_friction().forward_dynamics(&q, &qd, &tau).unwrap();
            let [q_d, qd_d, qdd_d] = desired(&m, t);
            let expected: Vec<f64> =
                (0..n).map(|i| qdd_d[i] + 400.0 * (q_d[i] - q[i]) + 28.0 * (qd_d[i] - qd[i])).collect();
            assert_close(&found, &expected, robot);
        }
    }
}

/// On the trajectory itself, feed-forward and computed torque are the torques of inverse dynamics, friction included.
#[test]
fn laws_with_the_model_agree_on_the_trajectory() {
    let m = load_model("puma560").unwrap();
    assert!(m.friction().iter().any(|f| f.coulomb_forward > 0.0 && f.viscous > 0.0));
    let trajectory = sines(6);
    for law in [JointSpaceLaw::FeedForward, JointSpaceLaw::ComputedTorque] {
        let gains = Gains::of_unit_mass(6, 10.0, 1.0).unwrap();
        let mut controller = JointSpaceController::new(&m, &trajectory, law, gains).unwrap();
        for t in [0.3, 2.0, 7.7] {
            let [q, qd, qdd] = desired(&m, t);
            let mut tau = vec![0.0; 6];
            controller.torque(t, &q, &qd, &mut tau).unwrap();
            assert_close(&tau, &m.inverse_dynamics(&q, &qd, &qdd).unwrap(), "puma560");
        }
    }
}

/// PD with gravity of a model without the payload: K_p e = torque of the payload's weight where the arm comes to rest.
#[test]
fn pd_and_gravity_balance_at_rest() {
    let m = load_model("panda").unwrap().without_friction();
    let trajectory = sines(7);
    let gains = Gains::new(vec![500.0; 7], vec![50.0; 7]).unwrap();
    let mut controller = JointSpaceController::new(&m, &trajectory, JointSpaceLaw::PdGravity, gains).unwrap();
    // After the end of the trajectory the last configuration is held.
    let [q, ..] = desired(&m, 10.0);
    let sagged: Vec<f64> = q.iter().map(|x| x - 0.01).collect();
    let mut tau = vec![0.0; 7];
    controller.torque(12.0, &sagged, &[0.0; 7], &mut tau).unwrap();
    let weight = m.inverse_dynamics(&sagged, &[0.0; 7], &[0.0; 7]).unwrap();
    let expected: Vec<f64> = weight.iter().map(|g| g + 5.0).collect();
    assert_close(&tau, &expected, "panda");
}

/// The tool's acceleration is the desired one plus the feedback, in every direction, whatever the posture does.
#[test]
fn operational_space_control_linearises_the_tool() {
    for (robot, directions) in [("panda", 6), ("ur5e", 6), ("jpl-rrp", 6)] {
        let m = load_model(robot).unwrap().without_friction();
        let (n, tool, trajectory) = (m.nv(), m.tool().unwrap(), sines(m.nv()));
        let law = OperationalSpaceLaw::ComputedTorque;
        let gains = Gains::new(vec![400.0], vec![30.0]).unwrap();
        let mut controller = OperationalSpaceController::new(&m, tool, &trajectory, law, gains).unwrap();
        assert_eq!(controller.directions().len(), directions);
        assert_eq!(controller.directions()[0], TaskDirection::LinearX);
        for (t, q, qd) in states(&m, 10) {
            let mut tau = vec![0.0; n];
            controller.torque(t, &q, &qd, &mut tau).unwrap();
            let qdd = m.forward_dynamics(&q, &qd, &tau).unwrap();
            let frame = |q: &[f64], qd: &[f64], qdd: &[f64]| {
                let mut data = FrameMotionData::new(&m);
                frame_motions(&m, &mut data, q, qd, qdd).unwrap();
                data.frame(&m, tool.link, Some(&tool.pose)).unwrap()
            };
            let [q_d, qd_d, qdd_d] = desired(&m, t);
            let (to, at) = (frame(&q_d, &qd_d, &qdd_d), frame(&q, &qd, &qdd));
            let linear = to.acceleration.linear
                + (to.pose.translation - at.pose.translation) * 400.0
                + (to.velocity.linear - at.velocity.linear) * 30.0;
            assert_close(&at.acceleration.linear.to_array(), &linear.to_array(), robot);
            // The axis of R_d Rᵀ is that of its skew part, and the sine of the angle its length.
            let r = to.pose.rotation.compose(&at.pose.rotation.inverse()).to_rows();
            let skew = vec3(r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]) * 0.5;
            let turned = skew * (skew.norm().asin() / skew.norm());
            let angular = to.acceleration.angular + turned * 400.0 + (to.velocity.angular - at.velocity.angular) * 30.0;
            assert_close(&at.acceleration.angular.to_array(), &angular.to_array(), robot);
        }
    }
}

/// M ṡ + (C + K) s = 0 with the true parameters, for C of another algorithm: the regressor has C(q, q̇) q̇_r.
#[test]
fn adaptive_control_with_the_true_parameters() {
    for robot in ["panda", "jpl-rrp", "two-arms"] {
        let m = load_model(robot).unwrap().without_friction();
        let (n, trajectory, rate) = (m.nv(), sines(m.nv()), 5.0);
        let options = AdaptiveOptions { rate, damping: vec![8.0; n], adaptation: 0.0, adapt: vec![] };
        let mut controller = AdaptiveController::new(&m, &trajectory, options).unwrap();
        for (t, q, qd) in states(&m, 10) {
            let mut tau = vec![0.0; n];
            controller.torque(t, &q, &qd, &mut tau).unwrap();
            let [q_d, qd_d, qdd_d] = desired(&m, t);
            let reference: Vec<f64> = (0..n).map(|i| qd_d[i] - rate * (q[i] - q_d[i])).collect();
            let s: Vec<f64> = (0..n).map(|i| qd[i] - reference[i]).collect();
            let acceleration: Vec<f64> = (0..n).map(|i| qdd_d[i] - rate * (qd[i] - qd_d[i])).collect();
            let (mass, c) = (m.mass_matrix(&q).unwrap(), m.coriolis_matrix(&q, &qd).unwrap());
            let gravity = m.inverse_dynamics(&q, &vec![0.0; n], &vec![0.0; n]).unwrap();
            let row = |i: usize| -> f64 {
                (0..n).map(|j| mass[(i, j)] * acceleration[j] + c[(i, j)] * reference[j]).sum::<f64>() + gravity[i]
            };
            let expected: Vec<f64> = (0..n).map(|i| row(i) - 8.0 * s[i]).collect();
            assert_close(&tau, &expected, robot);
        }
    }
}

/// The estimate moves along −Γ Yᵀ s, only where a parameter adapts.
#[test]
fn only_chosen_parameters_adapt() {
    let m = load_model("panda").unwrap().without_friction();
    let trajectory = sines(7);
    let last = m.links()[m.last_link()].name.clone();
    let options =
        AdaptiveOptions { rate: 5.0, damping: vec![8.0; 7], adaptation: 1e-3, adapt: vec![format!("{last}.m")] };
    let mut controller = AdaptiveController::new(&m, &trajectory, options.clone()).unwrap();
    let before = controller.estimate().to_vec();
    for (k, (_, q, qd)) in states(&m, 5).iter().enumerate() {
        controller.torque(k as f64 * 1e-3, q, qd, &mut [0.0; 7]).unwrap();
    }
    let changed: Vec<String> = (parameters(&m).iter().zip(&before).zip(controller.estimate()))
        .filter(|((_, before), after)| before != after)
        .map(|((p, _), _)| p.name.clone())
        .collect();
    assert!(!changed.is_empty() && changed.iter().all(|name| name.starts_with(&format!("{last}.m"))), "{changed:?}");
    let unknown = AdaptiveOptions { adapt: vec!["nothing".into()], ..options.clone() };
    assert!(AdaptiveController::new(&m, &trajectory, unknown).is_err());
    let invalid = AdaptiveOptions { rate: f64::NAN, ..options };
    assert!(AdaptiveController::new(&m, &trajectory, invalid).is_err());
}
