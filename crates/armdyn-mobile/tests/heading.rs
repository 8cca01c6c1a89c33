//! Control of the heading of a base while its arm moves.

use armdyn_core::{BASE, Contact, ContactKind, Joint, Link, Model, ModelBuilder, Progress, Transform, vec3};
use armdyn_mobile::{Base, Drive, HeadingControl, SimulationOptions, SimulationResult, simulate};
use armdyn_numerics::{FunctionTrajectory, PointToPoint};
use std::f64::consts::TAU;

/// A cart of 20 kg whose arm turns about a vertical axis above the axle: a rod with a load of some mass at its end.
fn robot(load: f64) -> Model<f64> {
    let mut robot = ModelBuilder::new("cart");
    robot.base(Link::new("cart").body(20.0, [0.0, 0.0, 0.2], [0.5, 0.0, 0.0, 0.6, 0.0, 0.8]));
    let column = Joint::revolute("column", [0.0, 0.0, 1.0]).at(Transform::from_translation(vec3(0.0, 0.0, 0.4)));
    robot.add(BASE, column, Link::new("rod").body(load, [0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.1, 0.0, 0.1]));
    robot.build().unwrap()
}

/// Two castors and two driven wheels that never slip and roll without resistance.
fn differential(drive: Drive) -> Base {
    resisted(drive, 0.0)
}

/// The same with rolling resistance.
fn resisted(drive: Drive, resistance: f64) -> Base {
    let wheel = |name: &str, kind, position| {
        let mut wheel = Contact::new(name, kind, position);
        wheel.friction.rolling_resistance = Some(resistance);
        wheel
    };
    let wheels = vec![
        wheel("castor", ContactKind::Castor, [0.9, 0.0, 0.0]),
        wheel("rear", ContactKind::Castor, [-0.9, 0.0, 0.0]),
        wheel("left", ContactKind::Driven, [0.0, 0.3, 0.0]),
        wheel("right", ContactKind::Driven, [0.0, -0.3, 0.0]),
    ];
    Base::differential(wheels, drive).unwrap()
}

/// The arm turns by a radian in a second, and stays for two.
fn arm() -> PointToPoint {
    PointToPoint::new(vec![0.0], vec![1.0], 1.0).unwrap().with_duration(3.0).unwrap()
}

fn run(m: &Model<f64>, base: &Base) -> SimulationResult {
    simulate(m, base, &arm(), &SimulationOptions::default(), &Progress::none()).unwrap()
}

fn largest_heading(run: &SimulationResult) -> f64 {
    run.maximum(|s| Some(s.heading.abs())).unwrap().value
}

/// The drive that feeds the prediction of the true model forward holds the base at rest, without any feedback: the error is that of the
/// interpolated forces, whose slope jumps where the arm starts and stops. Without control the base turns against the arm.
#[test]
fn the_predicted_forces_hold_the_heading() {
    let m = robot(3.0);
    let free = largest_heading(&run(&m, &differential(Drive::Free)));
    assert!(free > 0.3, "{free}");
    let control = HeadingControl { frequency: 0.0, ..HeadingControl::default() };
    let base = differential(Drive::Free).with_heading_control(&m, &arm(), &control).unwrap();
    let held = run(&m, &base);
    assert!(largest_heading(&held) < 1e-4, "{}", largest_heading(&held));
    assert!(held.energy.residual < 1e-9 * held.energy.scale.max(1.0), "{:?}", held.energy);
}

/// With another load than the model's, feedback corrects what feed-forward leaves: the error is smaller than with either alone.
#[test]
fn feedback_corrects_a_wrong_prediction() {
    let (m, model) = (robot(3.0), robot(2.5));
    let largest = |feed_forward: bool, frequency: f64| {
        let control = HeadingControl { feed_forward, frequency, ..HeadingControl::default() };
        largest_heading(&run(&m, &differential(Drive::Free).with_heading_control(&model, &arm(), &control).unwrap()))
    };
    let (both, forward, feedback) = (largest(true, 1.0), largest(true, 0.0), largest(false, 1.0));
    assert!(both < 0.25 * feedback && both < 0.5 * forward, "{both} {forward} {feedback}");
}

/// A base that starts with a heading error returns to its heading as a critically damped oscillator: ψ = ψ₀ (1 + ω t) e^(−ω t). The arm
/// rests, and its centre of mass is on the axle, so that the yaw inertia is constant.
#[test]
fn feedback_has_the_natural_frequency_asked_for() {
    let m = robot(0.0);
    let rest = PointToPoint::new(vec![0.0], vec![0.0], 2.0).unwrap();
    let control = HeadingControl { feed_forward: false, frequency: 0.5, ..HeadingControl::default() };
    let base = differential(Drive::Free).with_heading_control(&m, &rest, &control).unwrap();
    let options = SimulationOptions { heading: 0.2, ..SimulationOptions::default() };
    let run = simulate(&m, &base, &rest, &options, &Progress::none()).unwrap();
    for s in &run.samples {
        let x = TAU * 0.5 * s.t;
        let expected = 0.2 * (1.0 + x) * (-x).exp();
        assert!((s.heading - expected).abs() < 1e-9, "{} s: {} {expected}", s.t, s.heading);
    }
}

#[test]
fn a_drive_that_cannot_turn_the_base_is_refused() {
    let m = robot(3.0);
    let rail = |name: &str, x: f64, y: f64| Contact::new(name, ContactKind::Driven, [x, y, 0.0]);
    let wheels = vec![rail("a", 0.5, 0.3), rail("b", 0.5, -0.3), rail("c", -0.5, 0.3), rail("d", -0.5, -0.3)];
    for base in [Base::rail(wheels, Drive::Free).unwrap(), Base::floating()] {
        let error = base.with_heading_control(&m, &arm(), &HeadingControl::default()).unwrap_err().to_string();
        assert!(error.contains("cannot turn"), "{error}");
    }
    let nan = HeadingControl { frequency: f64::NAN, ..HeadingControl::default() };
    let error = differential(Drive::Free).with_heading_control(&m, &arm(), &nan).unwrap_err().to_string();
    assert!(error.contains("invalid frequency `NaN`"), "{error}");
}

/// A drive that holds the base at rest carries the whole reaction, whatever rolling resistance could take over: the forces do not jump
/// with a small resistance, and the prediction holds the heading with it as without.
#[test]
fn a_drive_at_rest_carries_the_whole_load() {
    let m = robot(3.0);
    let rest = |_: f64, q: &mut [f64], v: &mut [f64], a: &mut [f64]| [q, v, a].into_iter().for_each(|x| x.fill(0.0));
    let peak = |resistance: f64| {
        let drive = Drive::Motion(Box::new(FunctionTrajectory::new(3.0, rest)));
        let couple = |f: &[f64]| 0.5 * (f[0] - f[1]).abs();
        run(&m, &resisted(drive, resistance)).maximum(|s| Some(couple(&s.dynamics.driving_forces))).unwrap().value
    };
    // The arm turns with q̈ ≤ 10/√3 rad/s²: a couple of J q̈ at ±0.3 m, J = 3 · 0.5² + 0.1.
    let expected = (3.0 * 0.25 + 0.1) * 10.0 / 3f64.sqrt() / 0.6;
    for resistance in [0.0, 1e-3, 0.015] {
        assert!((peak(resistance) - expected).abs() < 1e-3 * expected, "{resistance}: {} {expected}", peak(resistance));
        let control = HeadingControl { frequency: 0.0, ..HeadingControl::default() };
        let base = resisted(Drive::Free, resistance).with_heading_control(&m, &arm(), &control).unwrap();
        let largest = largest_heading(&run(&m, &base));
        assert!(largest < 1e-4, "{resistance}: {largest}");
    }
}
