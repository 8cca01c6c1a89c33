//! Peaks do not depend on the rate of the samples.

use super::{ALL, limits, pendulum, slide, two_links, with};
use armdyn_core::{Drive, EffortRange, Limits};
use armdyn_motion::control::{Gains, JointSpaceController, JointSpaceLaw};
use armdyn_motion::simulation::{Integrator, Interpolation, Options, Sampling, Simulation, TorqueTable};
use armdyn_numerics::{ContinuousTrajectory, PointToPoint};

/// One sample per second.
fn coarse(integrator: Integrator) -> Options {
    Options { rate: 1.0, ..with(integrator, 1e-3) }
}

/// v² = 2 g l (1 − cos q₀) at the lowest point, after a quarter of the period 4 K(sin ½q₀) √(l/g), with K = π / (2 agm(1, cos ½q₀)).
#[test]
fn a_pendulum_is_fastest_at_its_lowest_point() {
    let m = pendulum(Drive::ideal());
    let fastest = (2.0 * 9.81 * (1.0 - 1f64.cos())).sqrt();
    let mean = (0..10).fold((1.0, 0.5f64.cos()), |(a, b), _| (0.5 * (a + b), (a * b).sqrt())).0;
    let quarter = std::f64::consts::FRAC_PI_2 / mean / 9.81f64.sqrt();
    // Fixed steps of 1 ms: half a step off changes the velocity by ½ g/l (0.5 ms)² relatively, 1e-6; the one of order 1 is off by more.
    for (integrator, accuracy) in ALL.into_iter().zip([1e-3, 2e-6, 1e-6, 2e-6]) {
        let run = Simulation::new(&m).initial_state(&[1.0], &[0.0]).options(coarse(integrator)).run(0.9).unwrap();
        let peak = run.peaks[0].velocity;
        assert!((peak.value.abs() / fastest - 1.0).abs() < accuracy, "{integrator}: {peak:?}, not {fastest}");
        assert!((peak.t - quarter).abs() < 2e-3, "{integrator}: {peak:?}, not at {quarter} s");
        assert!(run.samples.iter().all(|s| s.qd[0].abs() < 0.99 * fastest), "no sample is near");
    }
}

#[test]
fn torques_and_friction_between_samples_count() {
    let effort = EffortRange { lower: -5.0, upper: 5.0 };
    let drive = Drive::ideal().viscous(0.5).limits(Limits { effort, ..Limits::NONE });
    let m = slide([1.0, 0.0, 0.0], drive);
    for integrator in ALL {
        let run = |t: &[f64], tau: &[f64], interpolation| {
            let table = TorqueTable::new(t.to_vec(), tau.to_vec(), interpolation).unwrap();
            Simulation::new(&m).torques(table).options(coarse(integrator)).run(1.0).unwrap()
        };
        let pulse = run(&[0.0, 0.35, 0.45], &[1.0, -4.0, 1.0], Interpolation::Hold);
        let peak = pulse.peaks[0].torque;
        assert!(peak.value == -4.0 && (peak.t - 0.35).abs() < 1e-12, "{integrator}: {peak:?}");
        let ramps = run(&[0.0, 0.35, 1.0], &[0.0, 3.0, 0.0], Interpolation::Linear);
        let peak = ramps.peaks[0].torque;
        assert!((peak.value - 3.0).abs() < 1e-12 && (peak.t - 0.35).abs() < 1e-12, "{integrator}: {peak:?}");
        let saturated = run(&[0.0, 0.35, 1.0], &[0.0, 9.0, 0.0], Interpolation::Linear);
        assert_eq!(saturated.peaks[0].torque.value, 5.0, "{integrator}");
        for run in [pulse, ramps] {
            let [speed, friction] = [run.peaks[0].velocity, run.peaks[0].friction];
            assert!((friction.value - 0.5 * speed.value).abs() < 1e-15 && friction.t == speed.t, "{integrator}");
        }
    }
}

/// A mass that falls 1 m onto a stop arrives at √(2 g h).
#[test]
fn the_velocity_of_an_impact_counts() {
    let m = slide([0.0, 0.0, -1.0], Drive::ideal().limits(limits(-1.0, 1.0)));
    for integrator in ALL {
        let run = Simulation::new(&m).options(coarse(integrator)).run(0.9).unwrap();
        let peak = run.peaks[0].velocity.value;
        let expected = (2.0 * 9.81f64).sqrt();
        assert!((peak / expected - 1.0).abs() < 2e-3, "{integrator}: {peak}, not {expected}");
        assert!(run.samples.iter().all(|s| s.qd[0] == 0.0));
    }
}

/// The largest errors and their RMS against 100,000 samples per second.
#[test]
fn tracking_errors_between_samples_count() {
    let m = two_links([Drive::ideal(); 2]);
    let to = PointToPoint::new(vec![0.0, 0.5], vec![0.8, -0.2], 0.4).unwrap();
    let run = |integrator: Integrator, rate: f64| {
        let gains = Gains::new(vec![400.0, 100.0], vec![40.0, 10.0]).unwrap();
        let mut controller = JointSpaceController::new(&m, &to, JointSpaceLaw::PdGravity, gains).unwrap();
        let simulation = Simulation::new(&m).initial_state(&[0.0, 0.5], &[0.0; 2]);
        // A slow controller, so that adaptive steps are long.
        let sampling = Sampling { rate: 50.0, ..Sampling::default() };
        let options = Options { rate, saturation: false, ..with(integrator, 1e-3) };
        simulation.controller(&mut controller, sampling).options(options).track(&to).run(1.0).unwrap()
    };
    let dense = run(Integrator::DormandPrince, 1e5);
    let [mut q, mut qd, mut qdd] = [(); 3].map(|()| vec![0.0; 2]);
    let (mut largest, mut squares) = ([0.0f64; 2], [0.0; 2]);
    for s in dense.samples.iter() {
        to.at(s.t.min(0.4), &mut q, &mut qd, &mut qdd);
        for i in 0..2 {
            let error = q[i] - s.q[i];
            largest[i] = largest[i].max(error.abs());
            squares[i] += error * error / dense.samples.len() as f64;
        }
    }
    for integrator in [Integrator::DormandPrince, Integrator::RungeKutta] {
        let tracking = run(integrator, 1.0).tracking.unwrap();
        for (i, joint) in tracking.joints.iter().enumerate() {
            // An error near its extreme changes with the square of the time from it; steps of a millisecond are that fine.
            let (peak, rms) = (joint.peak.value.abs(), squares[i].sqrt());
            assert!((peak / largest[i] - 1.0).abs() < 1e-4, "{integrator} joint {i}: {peak}, not {}", largest[i]);
            // The error is a line within each step of the integral: those of 20 ms are that coarse.
            assert!((joint.rms / rms - 1.0).abs() < 1e-2, "{integrator} joint {i}: {}, not {rms}", joint.rms);
        }
        assert!(tracking.joints.iter().all(|joint| joint.peak.t > 0.0 && joint.peak.t < 1.0));
    }
}
