//! Every kind of base, compared with closed-form results and with other formulations of the core.

use armdyn_core::{
    BASE, Contact, ContactKind, Joint, JointKind, Link, LinkId, Model, ModelBuilder, Progress, RneaData, Transform,
    Vec3, rnea, vec3,
};
use armdyn_mobile::{Base, Drive, EventKind, SimulationOptions, SimulationResult, simulate};
use armdyn_numerics::{ContinuousTrajectory, FunctionTrajectory, PointToPoint};

const G: f64 = 9.81;

fn run(m: &Model<f64>, base: &Base, arm: &dyn ContinuousTrajectory, options: &SimulationOptions) -> SimulationResult {
    simulate(m, base, arm, options, &Progress::none()).unwrap()
}

fn norm(v: [f64; 3]) -> f64 {
    Vec3::lift(v).norm()
}

/// A cart of 8 kg with a slider of 2 kg along x, 0.5 m above the ground.
fn slider() -> Model<f64> {
    let mut b = ModelBuilder::new("cart and slider");
    b.base(Link::new("cart").body(8.0, [0.0, 0.0, 0.2], [0.3, 0.0, 0.0, 0.4, 0.0, 0.5]));
    let joint = Joint::prismatic("slide", [1.0, 0.0, 0.0]).at(Transform::from_translation(vec3(0.0, 0.0, 0.5)));
    b.add(BASE, joint, Link::new("mass").body(2.0, [0.0; 3], [0.01, 0.0, 0.0, 0.01, 0.0, 0.01]));
    b.build().unwrap()
}

fn with_rolling_resistance(mut wheel: Contact, coefficient: f64) -> Contact {
    wheel.friction.rolling_resistance = Some(coefficient);
    wheel
}

fn with_lateral_friction(mut wheel: Contact, fixed: f64, kinetic: f64) -> Contact {
    (wheel.friction.static_friction, wheel.friction.sliding_friction) = (Some(fixed), Some(kinetic));
    wheel
}

/// Four wheels, a metre apart each way.
fn square(kind: ContactKind, rolling: f64) -> Vec<Contact> {
    [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)]
        .iter()
        .enumerate()
        .map(|(k, (x, y))| with_rolling_resistance(Contact::new(&format!("wheel{k}"), kind, [*x, *y, 0.0]), rolling))
        .collect()
}

/// q = A t³/6: an acceleration A t.
fn jerk(a: f64, duration: f64) -> impl ContinuousTrajectory {
    FunctionTrajectory::new(duration, move |t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]| {
        (q[0], qd[0], qdd[0]) = (a * t.powi(3) / 6.0, a * t * t / 2.0, a * t);
    })
}

#[test]
fn a_cart_on_a_rail_stays_until_the_reaction_exceeds_what_resistance_holds() {
    let (c, a) = (0.02, 3.0);
    let base = Base::rail(square(ContactKind::Fixed, c), Drive::Free).unwrap();
    let it = run(&slider(), &base, &jerk(a, 1.5), &SimulationOptions::default());
    // 2 A t = c (8 + 2) g.
    let start = c * 10.0 * G / (2.0 * a);
    assert_eq!(it.events.len(), 1, "{:?}", it.events);
    assert_eq!(it.events[0].kind, EventKind::BaseStarts);
    assert!((it.events[0].t - start).abs() < 1e-8, "{} for {start}", it.events[0].t);
    // Then 10 V̇ = −2 A t + c 10 g.
    let t = it.end().t;
    let speed = -a * (t * t - start * start) / 10.0 + c * G * (t - start);
    assert!((it.end().linear_velocity[0] - speed).abs() < 1e-9, "{} for {speed}", it.end().linear_velocity[0]);
    assert!(it.energy.residual < 1e-9 * it.energy.scale);
    // The slider's drive feels the cart's acceleration: 2 (A t + V̇).
    let rate = -a * t / 5.0 + c * G;
    assert!((it.end().dynamics.tau[0] - 2.0 * (a * t + rate)).abs() < 1e-9);
    assert!((it.end().dynamics.wheel_loads.iter().sum::<f64>() - 10.0 * G).abs() < 1e-10);
}

#[test]
fn a_cart_that_rolls_out_stops_and_stays() {
    let (c, v) = (0.03, 0.2);
    let base = Base::rail(square(ContactKind::Fixed, c), Drive::Free).unwrap();
    let rest = PointToPoint::new(vec![0.0], vec![0.0], 1.0).unwrap().with_duration(2.0).unwrap();
    let it = run(
        &slider(),
        &base,
        &rest,
        &SimulationOptions { twist: [v, 0.0, 0.0, 0.0, 0.0, 0.0], ..SimulationOptions::default() },
    );
    assert_eq!(it.events.iter().map(|e| e.kind.clone()).collect::<Vec<_>>(), [EventKind::BaseStops]);
    assert!((it.events[0].t - v / (c * G)).abs() < 1e-8);
    assert!((it.end().position[0] - v * v / (2.0 * c * G)).abs() < 1e-9 && it.end().linear_velocity[0] == 0.0);
    assert!((it.energy.friction_loss - 0.5 * 10.0 * v * v).abs() < 1e-9);
}

#[test]
fn an_omnidirectional_cart_stops_after_spinning_and_going_at_once() {
    // Rolling resistance couples both motions: the base ends at rest with all its energy dissipated.
    let base = Base::omni(square(ContactKind::Omni, 0.02), Drive::Free).unwrap();
    let rest = PointToPoint::new(vec![0.2], vec![0.2], 6.0).unwrap();
    let options = SimulationOptions { twist: [0.3, -0.1, 0.0, 0.0, 0.0, 0.7], ..SimulationOptions::default() };
    let it = run(&slider(), &base, &rest, &options);
    assert_eq!(it.events.last().unwrap().kind, EventKind::BaseStops, "{:?}", it.events);
    assert!(norm(it.end().linear_velocity) + norm(it.end().angular_velocity) < 1e-12);
    assert!(it.energy.residual < 1e-9 * it.energy.scale, "{:?}", it.energy);
}

#[test]
fn on_a_slope_rolling_resistance_holds_up_to_its_own_angle() {
    let rest = PointToPoint::new(vec![0.0], vec![0.0], 1.0).unwrap();
    for (slope, heading) in [(0.019_f64, 0.7), (0.021, 0.7)] {
        let down = vec3(G * slope.sin(), 0.0, -G * slope.cos());
        let base = Base::omni(square(ContactKind::Omni, 0.02), Drive::Free).unwrap();
        let m = slider().with_gravity(down);
        let it = run(&m, &base, &rest, &SimulationOptions { heading, ..SimulationOptions::default() });
        let pull = G * slope.sin() - 0.02 * G * slope.cos();
        let expected = if slope.tan() < 0.02 { 0.0 } else { 0.5 * pull };
        let end = it.end().position;
        // It pulls on a body 0.2 m above the ground, but evenly: it goes straight down and does not turn.
        assert!((end[0] - expected).abs() < 1e-8 && end[1].abs() < 1e-8, "{end:?} for {expected}");
        assert!(it.energy.residual < 1e-9);
    }
}

/// An arm.
fn swing(b: &mut ModelBuilder, on: LinkId) {
    let post = Joint::revolute("turn", [0.0, 0.0, 1.0]).at(Transform::from_translation(vec3(0.25, 0.0, 0.4)));
    let arm = b.add(on, post, Link::new("arm").body(3.0, [0.3, 0.0, 0.0], [0.0, 0.0, 0.0, 0.05, 0.0, 0.05]));
    b.add(arm, Joint::prismatic("reach", [1.0, 0.0, 0.0]), Link::new("hand").body(1.5, [0.2, 0.0, 0.0], [0.0; 6]));
}

/// A cart with a castor and two fixed wheels; an arm that turns about a vertical axis off the axle, and a slider on it.
fn swinging(rolling: f64) -> (Model<f64>, Vec<Contact>) {
    let mut b = ModelBuilder::new("swing");
    b.base(Link::new("cart").body(20.0, [0.2, 0.01, 0.2], [0.5, 0.0, 0.0, 0.7, 0.0, 0.9]));
    swing(&mut b, BASE);
    let at = [
        ("castor", ContactKind::Castor, 0.6, 0.0),
        ("left", ContactKind::Fixed, 0.0, 0.25),
        ("right", ContactKind::Fixed, 0.0, -0.25),
    ];
    let wheels = at.map(|(name, kind, x, y)| {
        with_lateral_friction(with_rolling_resistance(Contact::new(name, kind, [x, y, 0.0]), rolling), 0.8, 0.7)
    });
    (b.build().unwrap(), wheels.to_vec())
}

/// The wrench that holds the base at rest, and the wheel loads, by the core alone.
fn at_rest(m: &Model<f64>, q: &[f64], qd: &[f64], qdd: &[f64]) -> ([f64; 3], [f64; 3]) {
    let mut d = RneaData::new(m);
    rnea(m, &mut d, q, qd, qdd, &mut [0.0; 2]).unwrap();
    let w = d.base_wrench(m).unwrap();
    // Castor at (0.6, 0), fixed wheels at (0, ±0.25): moments about y, x and the sum.
    let castor = -w.moment.y / 0.6;
    let (sum, difference) = (w.force.z - castor, w.moment.x / 0.25);
    ([w.force.x, w.force.y, w.moment.z], [castor, (sum + difference) / 2.0, (sum - difference) / 2.0])
}

/// Margin of rolling resistance at rest: its support function over every direction (V, ω) of rolling.
fn reserve(force: [f64; 3], weights: [f64; 3], c: f64) -> f64 {
    let every = (0..200_000).map(|k| (k as f64 * std::f64::consts::TAU / 2e5).sin_cos());
    let margin = |(w, v): (f64, f64)| {
        let speeds = [v.hypot(0.6 * w), (v - 0.25 * w).abs(), (v + 0.25 * w).abs()];
        let held: f64 = speeds.iter().zip(weights).map(|(s, n)| c * n * s).sum();
        held - (force[0] * v + force[2] * w)
    };
    every.map(margin).fold(f64::INFINITY, f64::min)
}

#[test]
fn three_wheels_hold_until_no_forces_within_their_resistance_do() {
    let (m, wheels) = swinging(0.015);
    let base = Base::rolling(wheels).unwrap();
    let arm = FunctionTrajectory::new(1.0, |t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]| {
        (q[0], qd[0], qdd[0]) = (0.8 + t.powi(3), 3.0 * t * t, 6.0 * t);
        (q[1], qd[1], qdd[1]) = (-0.4 * t.powi(3), -1.2 * t * t, -2.4 * t);
    });
    let it = run(&m, &base, &arm, &SimulationOptions::default());
    let start = it.events[0].t;
    assert_eq!(it.events[0].kind, EventKind::BaseStarts);
    let margin = |t: f64| {
        let (mut q, mut qd, mut qdd) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        ContinuousTrajectory::at(&arm, t, &mut q, &mut qd, &mut qdd);
        let (force, weights) = at_rest(&m, &q, &qd, &qdd);
        reserve(force, weights, 0.015)
    };
    // Directions are tried 3e-5 apart; the margin falls by some N/s.
    assert!(margin(start - 1e-5) > 0.0 && margin(start + 1e-5) < 0.0, "at {start}: {:e}", margin(start));
    assert!(it.samples.iter().filter(|s| s.t < start).all(|s| s.linear_velocity == [0.0; 3] && s.position[0] == 0.0));
    assert!(it.energy.residual < 1e-9 * it.energy.scale, "{:?}", it.energy);
}

#[test]
fn a_base_that_swings_to_and_fro_starts_and_stops_and_keeps_its_balance() {
    let (m, wheels) = swinging(0.015);
    let arm = FunctionTrajectory::new(12.0, |t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]| {
        let ((s, c), (u, v)) = ((1.3 * t).sin_cos(), (2.1 * t).sin_cos());
        (q[0], qd[0], qdd[0]) = (1.2 * s, 1.56 * c, -2.028 * s);
        (q[1], qd[1], qdd[1]) = (0.15 * u, 0.315 * v, -0.6615 * u);
    });
    let it = run(&m, &Base::rolling(wheels).unwrap(), &arm, &SimulationOptions::default());
    let count = |what: EventKind| it.events.iter().filter(|e| e.kind == what).count();
    assert!(count(EventKind::BaseStarts) > 2 && count(EventKind::BaseStops) > 2, "{:?}", it.events);
    assert!(it.energy.residual < 1e-8 * it.energy.scale, "{:?}", it.energy);
    // The base is at rest between a stop and the next start.
    let stop = it.events.iter().position(|e| e.kind == EventKind::BaseStops).unwrap();
    let (from, to) = (it.events[stop].t, it.events.get(stop + 1).map_or(12.0, |e| e.t));
    for s in it.samples.iter().filter(|s| s.t > from && s.t < to) {
        assert!(s.linear_velocity == [0.0; 3] && s.angular_velocity == [0.0; 3], "at {}", s.t);
    }
}

#[test]
fn a_minute_without_friction_keeps_its_energy() {
    let (m, wheels) = swinging(0.0);
    let arm = FunctionTrajectory::new(60.0, |t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]| {
        let ((s, c), (u, v)) = ((1.3 * t).sin_cos(), (2.1 * t).sin_cos());
        (q[0], qd[0], qdd[0]) = (1.2 * s, 1.56 * c, -2.028 * s);
        (q[1], qd[1], qdd[1]) = (0.15 * u, 0.315 * v, -0.6615 * u);
    });
    let it = run(
        &m,
        &Base::rolling(wheels).unwrap(),
        &arm,
        &SimulationOptions { rate: 10.0, ..SimulationOptions::default() },
    );
    assert!(it.events.is_empty() && it.end().t == 60.0 && it.energy.friction_loss == 0.0);
    assert!(it.energy.residual < 1e-8 * it.energy.scale, "{:?}", it.energy);
}

/// A hull with an arm of three joints about different axes, with rotors that spin.
fn satellite(floating: bool) -> Model<f64> {
    let mut b = ModelBuilder::new("satellite");
    b.gravity([0.0; 3]);
    let hull = Link::new("hull").body(12.0, [0.05, -0.02, 0.1], [0.6, 0.02, -0.01, 0.8, 0.03, 0.7]);
    let on = if floating {
        b.add(BASE, Joint::new("float", JointKind::Free), hull)
    } else {
        b.base(hull);
        BASE
    };
    let place = |x: f64, z: f64| Transform::from_translation(vec3(x, 0.0, z));
    let rotor = armdyn_core::Drive::ideal().gyroscopic_rotor(1e-4, 60.0, [0.0, 0.0, 1.0]);
    let tensor = [0.01, 0.0, 0.002, 0.06, 0.0, 0.05];
    let a = b.add(
        on,
        Joint::revolute("a", [0.0, 0.0, 1.0]).at(place(0.2, 0.2)).driven_by(rotor),
        Link::new("one").body(2.0, [0.3, 0.0, 0.02], tensor),
    );
    let c = b.add(
        a,
        Joint::revolute("b", [0.0, 1.0, 0.0]).at(place(0.5, 0.0)),
        Link::new("two").body(1.5, [0.25, 0.01, 0.0], tensor),
    );
    b.add(
        c,
        Joint::prismatic("c", [1.0, 0.0, 0.0]).at(place(0.4, 0.0)),
        Link::new("three").body(0.7, [0.1, 0.0, 0.0], [0.0; 6]),
    );
    b.build().unwrap()
}

fn flail(t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]) {
    for (i, (size, speed, phase)) in [(0.9, 1.1, 0.3), (0.7, 1.7, 1.0), (0.15, 2.3, 0.5)].into_iter().enumerate() {
        let (s, c) = (speed * t + phase).sin_cos();
        (q[i], qd[i], qdd[i]) = (size * s, size * speed * c, -size * speed * speed * s);
    }
}

#[test]
fn a_floating_base_keeps_momentum_and_energy_for_a_minute() {
    let m = satellite(false);
    let options =
        SimulationOptions { twist: [0.1, -0.05, 0.02, 0.1, -0.2, 0.15], rate: 10.0, ..SimulationOptions::default() };
    let it = run(&m, &Base::floating(), &FunctionTrajectory::new(60.0, flail), &options);
    let (p, e) = (it.momentum, it.energy);
    assert!(p.linear_change < 1e-10 * p.linear_scale, "{p:?}");
    assert!(p.angular_change < 1e-10 * p.angular_scale, "{p:?}");
    assert!(e.residual < 1e-8 * e.scale, "{e:?}");
}

#[test]
fn a_floating_base_is_the_free_joint_of_the_core() {
    // The same robot with its hull behind a free joint: no force there, the same torques, at every sample.
    let (m, free) = (satellite(false), satellite(true));
    let options =
        SimulationOptions { twist: [0.1, -0.05, 0.02, 0.1, -0.2, 0.15], rate: 5.0, ..SimulationOptions::default() };
    let it = run(&m, &Base::floating(), &FunctionTrajectory::new(3.0, flail), &options);
    for s in &it.samples {
        let (mut q, mut qd, mut qdd) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        flail(s.t, &mut q, &mut qd, &mut qdd);
        let pose = [&[0.0; 6][..], &[1.0], &q].concat();
        let mut tau = [0.0; 9];
        let speed = [&s.linear_velocity[..], &s.angular_velocity, &qd].concat();
        let rate = [&s.dynamics.linear_acceleration[..], &s.dynamics.angular_acceleration, &qdd].concat();
        // Where it is does not matter without gravity.
        rnea(&free, &mut RneaData::new(&free), &pose, &speed, &rate, &mut tau).unwrap();
        let size = tau.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(tau[..6].iter().all(|f| f.abs() < 1e-12 * size), "{tau:?}");
        assert!(tau[6..].iter().zip(&s.dynamics.tau).all(|(a, b)| (a - b).abs() < 1e-12 * size), "{tau:?}");
    }
}

#[test]
fn a_free_omnidirectional_base_is_the_planar_joint_of_the_core() {
    let (m, wheels) = swinging(0.0);
    let wheels = wheels.into_iter().map(|w| Contact { kind: ContactKind::Omni, ..w }).collect();
    let arm = PointToPoint::new(vec![0.3, 0.0], vec![2.0, 0.2], 3.0).unwrap();
    let it = run(&m, &Base::omni(wheels, Drive::Free).unwrap(), &arm, &SimulationOptions::default());
    assert!(it.momentum.linear_change < 1e-10 * it.momentum.linear_scale, "{:?}", it.momentum);
    assert!(it.end().heading < -0.1, "the arm turned one way, the cart the other");
    // The same with the cart behind a planar joint: nothing pushes it, and the arm's torques are the same.
    let mut b = ModelBuilder::new("swing");
    let cart = Link::new("cart").body(20.0, [0.2, 0.01, 0.2], [0.5, 0.0, 0.0, 0.7, 0.0, 0.9]);
    let cart = b.add(BASE, Joint::new("plane", JointKind::Planar), cart);
    swing(&mut b, cart);
    let plane = b.build().unwrap();
    for s in it.samples.iter().step_by(30) {
        let (mut q, mut qd, mut qdd) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        ContinuousTrajectory::at(&arm, s.t, &mut q, &mut qd, &mut qdd);
        let (v, w) = (Vec3::lift(s.linear_velocity), s.angular_velocity[2]);
        let a = Vec3::lift(s.dynamics.linear_acceleration);
        let (velocity, rate) = (s.rotation().rotate(v), s.rotation().rotate(a + vec3(0.0, 0.0, w).cross(v)));
        let pose = [&[s.position[0], s.position[1], s.heading][..], &q].concat();
        let speed = [&[velocity.x, velocity.y, w][..], &qd].concat();
        let rate = [&[rate.x, rate.y, s.dynamics.angular_acceleration[2]][..], &qdd].concat();
        let mut tau = [0.0; 5];
        rnea(&plane, &mut RneaData::new(&plane), &pose, &speed, &rate, &mut tau).unwrap();
        assert!(tau[..3].iter().all(|f| f.abs() < 1e-11), "{tau:?}");
        assert!(tau[3..].iter().zip(&s.dynamics.tau).all(|(x, y)| (x - y).abs() < 1e-11), "{tau:?}");
    }
}

#[test]
fn driven_wheels_follow_their_motion_and_report_forces() {
    let (m, mut wheels) = swinging(0.0);
    wheels[1].kind = ContactKind::Driven;
    wheels[2].kind = ContactKind::Driven;
    let still = PointToPoint::new(vec![0.0, 0.0], vec![0.0, 0.0], 2.0).unwrap();
    // Both rims by a m/s²: all 24.5 kg go straight.
    let a = 0.4;
    let straight = FunctionTrajectory::new(2.0, move |t: f64, _: &mut [f64], v: &mut [f64], r: &mut [f64]| {
        v.fill(a * t);
        r.fill(a);
    });
    let base = Base::differential(wheels.clone(), Drive::Motion(Box::new(straight))).unwrap();
    let it = run(&m, &base, &still, &SimulationOptions::default());
    assert!((it.end().position[0] - 0.5 * a * 4.0).abs() < 1e-9 && it.end().position[1].abs() < 1e-12);
    assert!((it.end().dynamics.driving_forces.iter().sum::<f64>() - 24.5 * a).abs() < 1e-9);
    assert!((it.energy.drive_work - 0.5 * 24.5 * (a * 2.0).powi(2)).abs() < 1e-9);
    // Rims at ∓ d ω: it turns on the spot about the axle's middle.
    let spin = FunctionTrajectory::new(2.0, |_: f64, _: &mut [f64], v: &mut [f64], r: &mut [f64]| {
        v.copy_from_slice(&[-0.25, 0.25]);
        r.fill(0.0);
    });
    let base = Base::differential(wheels.clone(), Drive::Motion(Box::new(spin))).unwrap();
    let it = run(&m, &base, &still, &SimulationOptions::default());
    assert!((it.end().heading - 2.0).abs() < 1e-9 && it.end().position[0].abs() < 1e-9);
    // By forces, with an arm that swings, and resistance: the balance holds.
    let wheels = wheels.into_iter().map(|w| with_rolling_resistance(w, 0.01)).collect();
    let push = |t: f64, f: &mut [f64]| f.copy_from_slice(&[4.0 + t, 5.0 - t]);
    let base = Base::differential(wheels, Drive::Effort(Box::new(push))).unwrap();
    let arm = PointToPoint::new(vec![0.3, 0.0], vec![2.0, 0.2], 2.0).unwrap();
    let it = run(&m, &base, &arm, &SimulationOptions::default());
    assert!(it.energy.drive_work > 1.0 && it.energy.friction_loss > 0.1, "{:?}", it.energy);
    assert!(it.energy.residual < 1e-9 * it.energy.scale, "{:?}", it.energy);
}

#[test]
fn a_driven_rail_and_a_driven_omnidirectional_base() {
    let drive = |duration: f64| {
        let go = PointToPoint::new(vec![0.0], vec![1.0], duration).unwrap();
        Drive::Motion(Box::new(go))
    };
    let still = PointToPoint::new(vec![0.0], vec![0.0], 2.0).unwrap();
    let base = Base::rail(square(ContactKind::Driven, 0.01), drive(2.0)).unwrap();
    let it = run(&slider(), &base, &still, &SimulationOptions::default());
    assert!((it.end().position[0] - 1.0).abs() < 1e-9, "{:?}", it.end().position);
    // A metre against 1 % of the weight, and at rest at both ends.
    assert!((it.energy.drive_work - 0.01 * 10.0 * G).abs() < 1e-6, "{:?}", it.energy);
    let turn = PointToPoint::new(vec![0.0; 3], vec![0.0, 0.0, 1.5], 2.0).unwrap();
    let base = Base::omni(square(ContactKind::Omni, 0.01), Drive::Motion(Box::new(turn))).unwrap();
    let it = run(&slider(), &base, &still, &SimulationOptions::default());
    assert!((it.end().heading - 1.5).abs() < 1e-9 && it.end().position[0].abs() < 1e-9);
    assert!(it.energy.residual < 1e-8, "{:?}", it.energy);
}

#[test]
fn tipping_over_ends_the_run_at_its_instant() {
    // The slider moves out at a constant speed: 10 x = 2 s reaches the edge of the square at s = 2.5 m.
    let steady = FunctionTrajectory::new(10.0, |t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]| {
        (q[0], qd[0], qdd[0]) = (0.5 * t, 0.5, 0.0);
    });
    let base = Base::rail(square(ContactKind::Fixed, 0.0), Drive::Free).unwrap();
    let it = run(&slider(), &base, &steady, &SimulationOptions::default());
    let tipped = it.events.last().expect("it tips");
    assert!((tipped.t - 5.0).abs() < 1e-10, "{}", tipped.t);
    let EventKind::TipsOver { edge, lifted } = &tipped.kind else { panic!() };
    assert!(edge.contains(&"wheel0".to_string()) && edge.contains(&"wheel3".to_string()), "{edge:?}");
    assert_eq!(lifted, &["wheel1", "wheel2"]);
    let margin = it.end().dynamics.tip_margin.unwrap();
    assert!(it.tipped_over && it.end().t == tipped.t && !it.partial && margin.abs() < 1e-10);
    // Two wheels carry the whole load.
    assert!((it.end().dynamics.wheel_loads[0] - 5.0 * G).abs() < 1e-6);
    let outside = PointToPoint::new(vec![3.0], vec![0.0], 1.0).unwrap();
    let error =
        simulate(&slider(), &base, &outside, &SimulationOptions::default(), &Progress::none()).unwrap_err().to_string();
    assert!(error.contains("from the start") && error.contains("wheel"), "{error}");
}

#[test]
fn a_fourth_wheel_lifts_off_rather_than_pull() {
    // The weight W acts at (0.3, 0.3) within a square of ±0.5: bilateral springs would have the far corner pull by 0.05 W; the other
    // three carry 0.6, 0.2 and 0.2 of it.
    let mut b = ModelBuilder::new("lopsided");
    b.base(Link::new("cart").body(10.0, [0.3, 0.3, 0.2], [0.3, 0.0, 0.0, 0.4, 0.0, 0.5]));
    let m = b.build().unwrap();
    let base = Base::omni(square(ContactKind::Omni, 0.01), Drive::Free).unwrap();
    let it = base.forward_dynamics(&m, 0.0, (&[], &[], &[]), 0.0, &[0.0; 6]).unwrap();
    for (n, fraction) in it.wheel_loads.iter().zip([0.6, 0.2, 0.0, 0.2]) {
        assert!((n - fraction * 10.0 * G).abs() < 1e-12 * 10.0 * G, "{:?}", it.wheel_loads);
    }
    assert!(
        (it.tip_margin.unwrap() - 0.2).abs() < 1e-13 && it.zmp.is_some_and(|[x, y]| (x - 0.3).hypot(y - 0.3) < 1e-13)
    );
}

#[test]
fn invalid_options_are_errors() {
    let (m, wheels) = swinging(0.0);
    let base =
        Base::rolling(wheels.into_iter().map(|w| with_lateral_friction(w, f64::INFINITY, f64::INFINITY)).collect())
            .unwrap();
    let arm = PointToPoint::new(vec![0.0; 2], vec![1.0, 0.0], 1.0).unwrap();
    let error_of =
        |options: SimulationOptions| simulate(&m, &base, &arm, &options, &Progress::none()).unwrap_err().to_string();
    assert!(
        error_of(SimulationOptions { duration: Some(-1.0), ..SimulationOptions::default() }).contains("more than 0 s")
    );
    assert!(error_of(SimulationOptions { duration: Some(2.0), ..SimulationOptions::default() }).contains("lasts 1 s"));
    assert!(
        error_of(SimulationOptions { rate: f64::NAN, ..SimulationOptions::default() }).contains("samples per second")
    );
    assert!(error_of(SimulationOptions { heading: f64::NAN, ..SimulationOptions::default() }).contains("not finite"));
    assert!(
        error_of(SimulationOptions { twist: [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], ..SimulationOptions::default() })
            .contains("vz")
    );
    assert!(
        error_of(SimulationOptions { twist: [0.0, 1.0, 0.0, 0.0, 0.0, 0.0], ..SimulationOptions::default() })
            .contains("sideways")
    );
    let nothing = ModelBuilder::new("nothing").build().unwrap();
    let none = PointToPoint::new(vec![], vec![], 1.0).unwrap();
    let error =
        simulate(&nothing, &Base::floating(), &none, &SimulationOptions::default(), &Progress::none()).unwrap_err();
    assert!(error.to_string().contains("no mass"));
    // A cancelled simulation returns what it has.
    let stop = std::sync::atomic::AtomicBool::new(true);
    let run =
        simulate(&m, &base, &arm, &SimulationOptions::default(), &Progress { callback: &|_, _| {}, cancel: &stop })
            .unwrap();
    assert!(run.partial && run.samples.len() == 1);
}

#[test]
fn a_drive_that_contradicts_the_run_and_a_base_that_nothing_presses_down_are_refused() {
    let arm = PointToPoint::new(vec![0.0], vec![0.0], 1.0).unwrap().with_duration(2.0).unwrap();
    let short = PointToPoint::new(vec![0.0], vec![1.0], 1.5).unwrap();
    let base = Base::rail(square(ContactKind::Driven, 0.01), Drive::Motion(Box::new(short))).unwrap();
    let error_of = |m: &Model<f64>, base: &Base| {
        simulate(m, base, &arm, &SimulationOptions::default(), &Progress::none()).unwrap_err().to_string()
    };
    assert!(error_of(&slider(), &base).contains("lasts 1.5 s"));
    let still = PointToPoint::new(vec![0.0], vec![1.0], 2.0).unwrap();
    let base = Base::rail(square(ContactKind::Driven, 0.01), Drive::Motion(Box::new(still))).unwrap();
    let rolls = SimulationOptions { twist: [0.5, 0.0, 0.0, 0.0, 0.0, 0.0], ..SimulationOptions::default() };
    let error = simulate(&slider(), &base, &arm, &rolls, &Progress::none()).unwrap_err().to_string();
    assert!(error.contains("contradicts the initial velocity of the drive"), "{error}");
    let free = Base::rail(square(ContactKind::Driven, 0.01), Drive::Free).unwrap();
    for up in [0.0, G] {
        let error = error_of(&slider().with_gravity(vec3(0.0, 0.0, up)), &free);
        assert!(error.contains("no load"), "{error}");
    }
}

/// Turning on the spot, every wheel of a skid-steer base slips sideways: the moment Σ μ N x of lateral friction is that of the
/// two tracks, F d, and all work is lost.
#[test]
fn a_skid_steer_base_turns_against_lateral_friction() {
    let (kinetic, rate, x, d) = (0.6, 0.4, 0.5, 1.0);
    let wheels = || -> Vec<Contact> {
        square(ContactKind::Driven, 0.0).into_iter().map(|w| with_lateral_friction(w, 0.8, kinetic)).collect()
    };
    let still = PointToPoint::new(vec![0.0], vec![0.0], 2.0).unwrap();
    let spin = FunctionTrajectory::new(2.0, move |_: f64, _: &mut [f64], v: &mut [f64], r: &mut [f64]| {
        v.copy_from_slice(&[-0.5 * d * rate, 0.5 * d * rate]);
        r.fill(0.0);
    });
    let base = Base::skid_steer(wheels(), Drive::Motion(Box::new(spin))).unwrap();
    assert_eq!(base.driven().collect::<Vec<_>>(), ["left", "right"]);
    let it = run(&slider(), &base, &still, &SimulationOptions::default());
    assert!((it.end().heading - 2.0 * rate).abs() < 1e-9, "{}", it.end().heading);
    let force = kinetic * 10.0 * G * x / d;
    let found = &it.end().dynamics.driving_forces;
    assert!((found[0] + force).abs() < 1e-9 * force && (found[1] - force).abs() < 1e-9 * force, "{found:?} {force}");
    let lost = force * d * 2.0 * rate;
    assert!((it.energy.drive_work - lost).abs() < 1e-6 * lost, "{:?}", it.energy);
    assert!((it.energy.friction_loss - lost).abs() < 1e-6 * lost, "{:?}", it.energy);
    // Straight on, nothing slips.
    let straight = FunctionTrajectory::new(2.0, move |t: f64, _: &mut [f64], v: &mut [f64], r: &mut [f64]| {
        v.fill(0.4 * t);
        r.fill(0.4);
    });
    let base = Base::skid_steer(wheels(), Drive::Motion(Box::new(straight))).unwrap();
    let it = run(&slider(), &base, &still, &SimulationOptions::default());
    assert!((it.end().dynamics.driving_forces.iter().sum::<f64>() - 10.0 * 0.4).abs() < 1e-9);
    assert!(it.energy.friction_loss.abs() < 1e-9, "{:?}", it.energy);
    // Without friction coefficients it could not turn, on one track not be driven.
    assert!(
        Base::skid_steer(square(ContactKind::Driven, 0.0), Drive::Free).unwrap_err().to_string().contains("never turn")
    );
    let mut one = wheels();
    one[0].kind = ContactKind::Castor;
    one[1].kind = ContactKind::Castor;
    assert!(Base::skid_steer(one, Drive::Free).unwrap_err().to_string().contains("two tracks"));
}

/// Slippery skid-steered wheels: the base first pivots about one track, whose two wheels share a direction, while the other track and an
/// axle slide. That mode holds although the holding forces of the wheels are determined only in sum.
#[test]
fn a_base_pivots_while_one_track_sticks() {
    let m = armdyn_import::load_model("ur5e-on-wheels").unwrap();
    let [from, to] = [0.0, 1.5].map(|pan| vec![pan, -0.5, 0.0, 0.0, 0.0, 0.0]);
    let arm = PointToPoint::new(from, to, 0.6).unwrap();
    let slide = |fixed: f64, kinetic: f64| {
        let wheels = m.contacts().iter().map(|w| with_lateral_friction(w.clone(), fixed, kinetic)).collect();
        let it = run(&m, &Base::skid_steer(wheels, Drive::Free).unwrap(), &arm, &SimulationOptions::default());
        assert!(it.events.len() < 40 && it.events[0].kind == EventKind::BaseStarts, "{:?}", it.events);
        assert!(it.energy.residual < 1e-9 * it.energy.scale, "{:?}", it.energy);
        it
    };
    let it = slide(0.05, 0.05);
    let left = it.events.iter().find(|e| e.kind == EventKind::WheelStarts { wheel: "front left".into() }).unwrap();
    assert!(left.t > it.events[0].t + 1e-3 && it.end().heading < -0.05, "{:?}", it.events);
    // Kinetic friction below static friction: what slides pulls along what would else have stuck.
    for (fixed, kinetic) in [(0.05, 0.04), (0.2, 0.15), (0.3, 0.25)] {
        slide(fixed, kinetic);
    }
}
