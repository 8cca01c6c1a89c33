//! Controllers in simulation: tracking with the true model, errors with a wrong payload, adaptation to it.

use armdyn_core::{Inertia, Model, Transform};
use armdyn_import::load_model;
use armdyn_motion::Tracking;
use armdyn_motion::control::{
    AdaptiveController, AdaptiveOptions, Controller, Gains, JointSpaceController, JointSpaceLaw,
    OperationalSpaceController, OperationalSpaceLaw,
};
use armdyn_motion::simulation::{Options, Sampling, Simulation, SimulationResult};
use armdyn_numerics::{ContinuousTrajectory, FunctionTrajectory, PointToPoint};

const START: [f64; 7] = [0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.3];
const GOAL: [f64; 7] = [0.4, 0.1, 0.3, -1.6, -0.2, 1.9, 0.0];

fn panda() -> Model<f64> {
    load_model("panda").unwrap().without_friction()
}

/// With a payload of 2 kg at the tool.
fn loaded(m: &Model<f64>) -> Model<f64> {
    let tool = m.tool().unwrap();
    let inertia = Inertia::point(2.0, armdyn_core::vec3(0.0, 0.0, 0.0));
    m.with_payload("load", tool.link, inertia, Transform::new(tool.pose.rotation, tool.pose.translation)).unwrap()
}

fn run(
    m: &Model<f64>,
    to: &dyn ContinuousTrajectory,
    controller: &mut dyn Controller,
    rate: f64,
    duration: f64,
) -> (SimulationResult, Tracking) {
    let [mut q, mut qd, mut qdd] = [(); 3].map(|()| vec![0.0; m.nv()]);
    to.at(0.0, &mut q, &mut qd, &mut qdd);
    let options = Options { saturation: false, stops: false, ..Options::default() };
    let sampling = Sampling { rate, ..Sampling::default() };
    let simulation = Simulation::new(m).initial_state(&q, &qd).options(options).controller(controller, sampling);
    let result = simulation.track(to).run(duration).unwrap();
    let tracking = result.tracking.clone().unwrap();
    (result, tracking)
}

fn worst(tracking: &Tracking) -> f64 {
    tracking.joints.iter().map(|j| j.peak.value.abs()).fold(0.0, f64::max)
}

/// Gains of a natural frequency \[rad/s\] of each joint with the others free: no eigenvalue of M⁻¹ K is above 7 ω².
fn joint_gains(m: &Model<f64>, frequency: f64) -> Gains {
    let inverse = m.inverse_mass_matrix(&GOAL).unwrap();
    let inertia: Vec<f64> = (0..7).map(|i| 1.0 / inverse[(i, i)]).collect();
    Gains::of_unit_mass(7, frequency, 1.0).unwrap().with_inertia(&inertia).unwrap()
}

/// The error of the true model is that of holding torques between samples: it falls with the sample time (order 1).
#[test]
fn the_true_model_tracks_to_the_sample_time() {
    let m = panda();
    let to = PointToPoint::new(START.to_vec(), GOAL.to_vec(), 1.0).unwrap();
    for law in [JointSpaceLaw::FeedForward, JointSpaceLaw::ComputedTorque] {
        let error = |rate: f64| {
            let gains = match law {
                JointSpaceLaw::ComputedTorque => Gains::of_unit_mass(7, 20.0, 1.0).unwrap(),
                _ => joint_gains(&m, 20.0),
            };
            let mut controller = JointSpaceController::new(&m, &to, law, gains).unwrap();
            worst(&run(&m, &to, &mut controller, rate, 1.0).1)
        };
        let (coarse, fine) = (error(500.0), error(2000.0));
        assert!(coarse < 2e-3 && fine < 5e-4, "{law:?}: {coarse:e} {fine:e}");
        assert!(coarse / fine > 3.0 && coarse / fine < 5.0, "{law:?}: order 1 expected: {coarse:e} {fine:e}");
    }
}

/// K_p e = g(q) − ĝ(q) where the arm comes to rest (PD with gravity); M̂ K_p e likewise (computed torque).
#[test]
fn a_wrong_payload_gives_the_analytic_steady_state_error() {
    let (m, to) = (panda(), PointToPoint::new(START.to_vec(), GOAL.to_vec(), 1.0).unwrap());
    let plant = loaded(&m);
    let still = [0.0; 7];
    for law in [JointSpaceLaw::PdGravity, JointSpaceLaw::ComputedTorque] {
        let gains = match law {
            JointSpaceLaw::PdGravity => joint_gains(&m, 60.0),
            _ => Gains::of_unit_mass(7, 20.0, 1.0).unwrap(),
        };
        let mut controller = JointSpaceController::new(&m, &to, law, gains.clone()).unwrap();
        let (result, tracking) = run(&plant, &to, &mut controller, 1000.0, 25.0);
        let end = result.end();
        assert!(end.qd.iter().all(|v| v.abs() < 1e-4), "at rest: {:?}", end.qd);
        let (heavy, light) = (
            plant.inverse_dynamics(end.q, &still, &still).unwrap(),
            m.inverse_dynamics(end.q, &still, &still).unwrap(),
        );
        let mass = m.mass_matrix(end.q).unwrap();
        let largest = tracking.joints.iter().map(|j| j.last.abs()).fold(0.0, f64::max);
        assert!(largest > 1e-3, "{law:?}: the payload matters");
        for i in 0..7 {
            let feedback: f64 = match law {
                JointSpaceLaw::PdGravity => gains.position()[i] * tracking.joints[i].last,
                _ => (0..7).map(|j| mass[(i, j)] * 400.0 * tracking.joints[j].last).sum(),
            };
            let weight = heavy[i] - light[i];
            let scale = heavy.iter().zip(&light).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!((feedback - weight).abs() < 0.01 * scale, "{law:?} joint {i}: {feedback} for {weight}");
        }
    }
}

/// A controller of the tool leaves its posture to the null space, and returns from an offset start.
#[test]
fn operational_space_control_tracks_the_tool() {
    let m = panda();
    let to = PointToPoint::new(START.to_vec(), GOAL.to_vec(), 1.0).unwrap();
    let tool = m.tool().unwrap();
    let gains = Gains::new(vec![400.0], vec![40.0]).unwrap();
    let law = OperationalSpaceLaw::ComputedTorque;
    let mut controller = OperationalSpaceController::new(&m, tool, &to, law, gains).unwrap();
    let (_, tracking) = run(&m, &to, &mut controller, 2000.0, 1.5);
    let [peak, last] = tracking.tool.unwrap();
    assert!(peak < 1e-3 && last < 1e-4, "{peak:e} {last:e}");
}

/// Slotine and Li: the tracking error of a repeated motion with an unknown payload falls, without adaptation it does not.
#[test]
fn adaptive_control_learns_a_payload() {
    let m = panda();
    let plant = loaded(&m);
    let to = FunctionTrajectory::new(20.0, |t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]| {
        for i in 0..7 {
            let w = 2.0 + 0.3 * i as f64;
            let (s, c) = (w * t).sin_cos();
            (q[i], qd[i], qdd[i]) = (START[i] + 0.3 * (1.0 - c), 0.3 * w * s, 0.3 * w * w * c);
        }
    });
    let damping = joint_gains(&m, 10.0).velocity().to_vec();
    let late = |adaptation: f64| {
        let options = AdaptiveOptions { rate: 10.0, damping: damping.clone(), adaptation, adapt: vec![] };
        let mut controller = AdaptiveController::new(&m, &to, options).unwrap();
        let (result, _) = run(&plant, &to, &mut controller, 500.0, 20.0);
        let [mut q, mut qd, mut qdd] = [(); 3].map(|()| vec![0.0; 7]);
        let late = result.samples.iter().filter(|s| s.t > 15.0).map(|s| {
            to.at(s.t, &mut q, &mut qd, &mut qdd);
            q.iter().zip(s.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        });
        late.fold(0.0, f64::max)
    };
    let (fixed, learned) = (late(0.0), late(1.0));
    assert!(learned < 0.2 * fixed, "{learned:e} after {fixed:e}");
}
