//! Sampled controllers: rate, delay, quantisation, saturation; cancellation.

use super::analytic::Constant;
use super::{pendulum, slide, times, with};
use armdyn_core::{Drive, EffortRange, Limits, Progress};
use armdyn_motion::Controller;
use armdyn_motion::simulation::{EventKind, Integrator, Interpolation, Options, Sampling, Simulation, TorqueTable};
use armdyn_numerics::Result;
use std::sync::atomic::{AtomicBool, Ordering};

/// Remembers what it was called with, and asks for the number of the call.
#[derive(Default)]
struct Log(Vec<[f64; 3]>);

impl Controller for Log {
    fn torque(&mut self, t: f64, q: &[f64], qd: &[f64], tau: &mut [f64]) -> Result<()> {
        self.0.push([t, q[0], qd[0]]);
        tau[0] = self.0.len() as f64;
        Ok(())
    }
}

#[test]
fn a_controller_is_called_at_its_rate_and_acts_after_its_delay() {
    let m = slide([1.0, 0.0, 0.0], Drive::ideal());
    for integrator in [Integrator::DormandPrince, Integrator::RungeKutta] {
        let mut log = Log::default();
        let sampling = Sampling { rate: 10.0, delay: 0.25, ..Sampling::default() };
        let options = Options { rate: 1000.0, ..with(integrator, 7e-4) };
        let run = Simulation::new(&m).controller(&mut log, sampling).options(options).run(1.0).unwrap();
        assert_eq!(log.0.len(), 11);
        assert!(log.0.iter().enumerate().all(|(k, [t, ..])| (t - k as f64 / 10.0).abs() < 1e-15));
        // The k-th torque, k + 1, acts from k/10 + 0.25 s on.
        for s in run.samples.iter() {
            let expected = ((s.t - 0.25) * 10.0 + 1.0 + 1e-6).floor().max(0.0);
            assert_eq!((s.tau[0], s.commanded[0]), (expected, expected), "{} s", s.t);
        }
        // The velocity that it measures is the integral of the torques: 0.1/2 (1 + 2 + …).
        let [_, _, v] = log.0[10];
        let expected = 0.05 * (1..=7).map(f64::from).sum::<f64>() + 0.025 * 8.0;
        assert!((v - expected).abs() < 1e-11, "{v} {expected}");
    }
}

#[test]
fn measured_positions_have_the_resolution_of_the_encoder() {
    let m = slide([1.0, 0.0, 0.0], Drive::ideal());
    let mut log = Log::default();
    let sampling = Sampling { rate: 100.0, resolution: vec![0.01], differentiate: true, ..Sampling::default() };
    Simulation::new(&m).initial_state(&[0.123], &[1.234]).controller(&mut log, sampling).run(1.0).unwrap();
    for pair in log.0.windows(2) {
        let steps = pair[1][1] / 0.01;
        assert!((steps - steps.round()).abs() < 1e-9);
        assert!((pair[1][2] - (pair[1][1] - pair[0][1]) * 100.0).abs() < 1e-9);
    }
    assert_eq!(log.0[0][2], 0.0);
}

#[test]
fn torques_stay_within_asymmetric_effort_limits() {
    let effort = EffortRange { lower: -3.0, upper: 5.0 };
    let m = slide([1.0, 0.0, 0.0], Drive::ideal().limits(Limits { effort, ..Limits::NONE }));
    // Up to 10 N at 1 s, down to −10 N at 3 s: saturated in 0.5 … 1.5 s and after 2.3 s.
    let table = TorqueTable::new(vec![0.0, 1.0, 3.0], vec![0.0, 10.0, -10.0], Interpolation::Linear).unwrap();
    let run = Simulation::new(&m).torques(table.clone()).run(3.0).unwrap();
    for s in run.samples.iter() {
        let commanded = if s.t < 1.0 { 10.0 * s.t } else { 20.0 - 10.0 * s.t };
        assert!((s.commanded[0] - commanded).abs() < 1e-12 && (s.tau[0] - commanded.clamp(-3.0, 5.0)).abs() < 1e-12);
    }
    let starts = times(&run, |e| matches!(e, EventKind::Saturates { .. }));
    let ends = times(&run, |e| matches!(e, EventKind::Desaturates { .. }));
    assert!((starts[0] - 0.5).abs() < 1e-12 && (starts[1] - 2.3).abs() < 1e-12 && (ends[0] - 1.5).abs() < 1e-12);
    // Velocity: the area of the torque over 2 kg.
    let area = 1.25 + 5.0 + 1.25 - 0.5 * 3.0 * 0.3 - 3.0 * 0.7;
    assert!((run.end().qd[0] - area / 2.0).abs() < 1e-12);
    let free = Simulation::new(&m).torques(table).options(Options { saturation: false, ..Options::default() });
    assert!(free.run(3.0).unwrap().events.is_empty());
}

#[test]
fn a_held_table_is_a_staircase() {
    let m = slide([1.0, 0.0, 0.0], Drive::ideal());
    let table = TorqueTable::new(vec![0.0, 0.35, 0.5], vec![2.0, -4.0, 0.0], Interpolation::Hold).unwrap();
    let run = Simulation::new(&m).torques(table).run(1.0).unwrap();
    assert!((run.end().qd[0] - (0.35 - 2.0 * 0.15)).abs() < 1e-13);
}

#[test]
fn a_cancelled_simulation_returns_what_it_has() {
    let m = pendulum(Drive::ideal());
    let cancel = AtomicBool::new(false);
    let callback = |_: &str, fraction: f64| cancel.store(fraction > 0.5, Ordering::Relaxed);
    let progress = Progress { callback: &callback, cancel: &cancel };
    let options = Options { integrator: Integrator::RungeKutta, ..Options::default() };
    let run =
        Simulation::new(&m).initial_state(&[1.0], &[0.0]).options(options).run_with_progress(10.0, &progress).unwrap();
    assert!(run.partial && run.duration > 5.0 && run.duration < 6.0 && run.end().t == run.duration);
}

/// Commands 0 until 0.4 s, then NaN.
struct FailsLater;

impl Controller for FailsLater {
    fn torque(&mut self, t: f64, _: &[f64], _: &[f64], tau: &mut [f64]) -> Result<()> {
        tau.fill(if t < 0.3995 { 0.0 } else { f64::NAN });
        Ok(())
    }
}

#[test]
fn a_failing_simulation_keeps_what_it_has() {
    let m = pendulum(Drive::ideal());
    let (mut first, mut second) = (FailsLater, FailsLater);
    let start = || Simulation::new(&m).initial_state(&[1.0], &[0.0]);
    let run = start().controller(&mut first, Sampling::default()).run_with_progress(1.0, &Progress::none()).unwrap();
    let failure = run.failure.clone().unwrap();
    assert!(failure.to_string().contains("0.4 s"), "{failure}");
    assert!(run.partial && (run.end().t - 0.4).abs() < 1e-12);
    let free = start().run(0.4).unwrap();
    assert!((run.end().q[0] - free.end().q[0]).abs() < 1e-9);
    assert_eq!(start().controller(&mut second, Sampling::default()).run(1.0).unwrap_err(), failure);
}

#[test]
fn a_controller_that_fails_stops_the_simulation() {
    let m = pendulum(Drive::ideal());
    let mut bad = Constant(vec![f64::NAN]);
    let error = Simulation::new(&m).controller(&mut bad, Sampling::default()).run(1.0).unwrap_err().to_string();
    assert!(error.contains("`pivot`") && error.contains("0 s"), "{error}");
}
