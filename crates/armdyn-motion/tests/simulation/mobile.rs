//! Arms driven by torques on mobile and floating bases, against the simulation of the same bases below a prescribed motion.

use armdyn_core::{BASE, Contact, ContactKind, Friction, Joint, Link, Model, ModelBuilder, Progress, Transform, vec3};
use armdyn_mobile::{Base, SimulationOptions, simulate};
use armdyn_motion::simulation::{EventKind, Interpolation, Options, Simulation, TorqueTable};
use armdyn_numerics::PointToPoint;

/// A cart of 20 kg with a column about z and a boom about y.
fn robot(friction: Friction<f64>) -> Model<f64> {
    let mut robot = ModelBuilder::new("cart with arm");
    robot.base(Link::new("cart").body(20.0, [0.1, 0.0, 0.2], [0.5, 0.0, 0.0, 0.6, 0.0, 0.8]));
    let column = Joint::revolute("column", [0.0, 0.0, 1.0]).at(Transform::from_translation(vec3(0.15, 0.0, 0.4)));
    let drive = armdyn_core::Drive { friction, ..armdyn_core::Drive::ideal() };
    let tensor = [0.02, 0.0, 0.0, 0.03, 0.0, 0.04];
    let column = robot.add(BASE, column.driven_by(drive), Link::new("turret").body(2.0, [0.1, 0.05, 0.1], tensor));
    let boom = Joint::revolute("boom", [0.0, 1.0, 0.0]).at(Transform::from_translation(vec3(0.0, 0.0, 0.2)));
    robot.add(column, boom.driven_by(drive), Link::new("rod").body(1.5, [0.3, 0.0, 0.0], tensor));
    robot.build().unwrap()
}

/// A castor and two fixed wheels that roll with resistance and may slip.
fn tricycle(resistance: f64) -> Vec<Contact> {
    let wheel = |name: &str, kind, position| {
        let mut wheel = Contact::new(name, kind, position);
        wheel.friction.rolling_resistance = Some(resistance);
        (wheel.friction.static_friction, wheel.friction.sliding_friction) = (Some(0.6), Some(0.5));
        wheel
    };
    vec![
        wheel("castor", ContactKind::Castor, [0.6, 0.0, 0.0]),
        wheel("left", ContactKind::Fixed, [0.0, 0.3, 0.0]),
        wheel("right", ContactKind::Fixed, [0.0, -0.3, 0.0]),
    ]
}

/// The torques of a prescribed motion, applied to the arm, give that motion, and the same motion of the base. The torques are linear
/// between samples of 4 kHz: their error is of order 1e-7, and grows with the double integration of two seconds.
#[test]
fn torques_of_a_prescribed_motion_give_that_motion_and_that_of_the_base() {
    let m = robot(Friction::none());
    let arm = PointToPoint::new(vec![0.0, 0.3], vec![1.2, -0.5], 0.8).unwrap();
    for base in [Base::rolling(tricycle(0.004)).unwrap(), Base::floating().without_gravity()] {
        let options = SimulationOptions { rate: 4000.0, ..Default::default() };
        let expected = simulate(&m, &base, &arm, &options, &Progress::none()).unwrap();
        let t: Vec<f64> = expected.samples.iter().map(|s| s.t).collect();
        let tau: Vec<f64> = expected.samples.iter().flat_map(|s| s.dynamics.tau.clone()).collect();
        let table = TorqueTable::new(t, tau, Interpolation::Linear).unwrap();
        let run = Simulation::new(&m).initial_state(&[0.0, 0.3], &[0.0; 2]).base(&base, 0.0, [0.0; 6]).torques(table);
        let result = run.run(0.8).unwrap();
        let (end, found, base_end) = (result.end(), result.base.as_ref().unwrap().end(), expected.end());
        assert!(end.q.iter().zip([1.2, -0.5]).all(|(q, to)| (q - to).abs() < 1e-5), "{:?}", end.q);
        let moved = base_end.position.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!(moved > 1e-3 || base_end.heading.abs() > 1e-3, "the base moves: {moved}");
        assert!((found.heading - base_end.heading).abs() < 1e-5, "{} {}", found.heading, base_end.heading);
        for k in 0..3 {
            assert!(
                (found.position[k] - base_end.position[k]).abs() < 1e-5,
                "{:?} {:?}",
                found.position,
                base_end.position
            );
        }
        let loads = found.dynamics.wheel_loads.iter().zip(&base_end.dynamics.wheel_loads);
        assert!(loads.into_iter().all(|(a, b)| (a - b).abs() < 1e-2 * b.abs().max(1.0)));
        let e = &result.energy;
        assert!(e.residual < 1e-8 * e.scale, "{e:?}");
        if base.floats() {
            let p = &result.base.as_ref().unwrap().momentum;
            assert!(p.linear_change < 1e-10 * p.linear_scale && p.angular_change < 1e-10 * p.angular_scale, "{p:?}");
        }
    }
}

/// Friction holds the joints and rolling resistance the wheels: nothing moves at all.
#[test]
fn joints_and_wheels_at_rest_stick_exactly() {
    let friction = Friction { coulomb_forward: 8.0, coulomb_backward: 8.0, ..Friction::none() };
    let (m, base) = (robot(friction), Base::rolling(tricycle(0.01)).unwrap());
    let run = Simulation::new(&m).initial_state(&[0.4, 0.2], &[0.0; 2]).base(&base, 0.7, [0.0; 6]);
    let result = run.options(Options { rate: 10.0, ..Default::default() }).run(20.0).unwrap();
    let (end, on) = (result.end(), result.base.as_ref().unwrap().end());
    assert_eq!((end.q, end.qd), (&[0.4, 0.2][..], &[0.0, 0.0][..]));
    assert_eq!(
        (on.position[0], on.position[1], on.linear_velocity, on.angular_velocity),
        (0.0, 0.0, [0.0; 3], [0.0; 3])
    );
    assert!((on.heading - 0.7).abs() < 1e-15);
    assert!((on.dynamics.wheel_loads.iter().sum::<f64>() - 23.5 * 9.81).abs() < 0.1);
    assert_eq!(result.events.iter().filter(|e| matches!(e.kind, EventKind::Sticks { .. })).count(), 2);
}

/// A torque that grows by 2 N m/s breaks the column away from Coulomb friction of 5 N m at 2.5 s, on wheels as on a fixed base; a base that
/// cannot move (a weight of tons) gives the motion of the fixed arm: q̈ = (2 t − 5)/J.
#[test]
fn a_joint_with_dry_friction_breaks_away_on_wheels() {
    let mut heavy = ModelBuilder::new("heavy");
    heavy.base(Link::new("cart").body(1e9, [0.1, 0.0, 0.2], [1e9, 0.0, 0.0, 1e9, 0.0, 1e9]));
    let drive = armdyn_core::Drive {
        friction: Friction { coulomb_forward: 5.0, coulomb_backward: 5.0, ..Friction::none() },
        ..armdyn_core::Drive::ideal()
    };
    let joint = Joint::revolute("column", [0.0, 0.0, 1.0]).driven_by(drive);
    heavy.add(BASE, joint, Link::new("rod").body(2.0, [0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.1, 0.0, 0.1]));
    let m = heavy.build().unwrap();
    let inertia = 2.0 * 0.25 + 0.1;
    for resistance in [0.0, 0.01] {
        let base = Base::rolling(tricycle(resistance)).unwrap();
        let table = TorqueTable::new(vec![0.0, 4.0], vec![0.0, 8.0], Interpolation::Linear).unwrap();
        let run = Simulation::new(&m).base(&base, 0.0, [0.0; 6]).torques(table).run(4.0).unwrap();
        let slips = run.events.iter().find(|e| matches!(e.kind, EventKind::Slips { .. })).expect("it breaks away");
        assert!((slips.t - 2.5).abs() < 1e-9, "{}", slips.t);
        // ∫∫ 2 (t − 2.5)/J = (t − 2.5)³/(3 J); the base moves by 1e-9 of it.
        let expected = 1.5f64.powi(3) / (3.0 * inertia);
        assert!((run.end().q[0] - expected).abs() < 1e-6, "{} {expected}", run.end().q[0]);
    }
    // On a light cart the joint slides, reverses and sticks again, and the balance holds.
    let friction = Friction { coulomb_forward: 1.0, coulomb_backward: 1.0, ..Friction::none() };
    let (m, base) = (robot(friction), Base::rolling(tricycle(0.01)).unwrap());
    let tau = vec![0.0, 0.0, 6.0, -4.0, -6.0, -4.0, 0.0, -4.0, 0.0, -4.0];
    let table = TorqueTable::new(vec![0.0, 0.5, 1.0, 1.5, 3.0], tau, Interpolation::Linear).unwrap();
    let run = Simulation::new(&m).initial_state(&[0.0, 0.3], &[0.0; 2]).base(&base, 0.0, [0.0; 6]).torques(table);
    let run = run.run(3.0).unwrap();
    let count = |slips: bool| {
        let kind = |e: &&armdyn_motion::simulation::Event| match &e.kind {
            EventKind::Slips { joint } => slips && joint == "column",
            EventKind::Sticks { joint } => !slips && joint == "column",
            _ => false,
        };
        run.events.iter().filter(kind).count()
    };
    assert!(count(true) >= 1 && count(false) >= 1, "{:?}", run.events);
    assert!(run.energy.dry_loss > 0.1 && run.energy.residual < 1e-9 * run.energy.scale, "{:?}", run.energy);
}

/// A constant torque turns the arm of a base at rest: the wheels break away once the reaction exceeds what rolling resistance holds, and
/// roll and stop by turns.
#[test]
fn wheels_break_away_below_a_slowly_changing_reaction() {
    let m = armdyn_import::load_model("lau-movable").unwrap();
    let base = Base::rolling(m.contacts().to_vec()).unwrap();
    let table = TorqueTable::new(vec![0.0], vec![1.0, 0.0, 0.0], Interpolation::Hold).unwrap();
    let run = Simulation::new(&m).base(&base, 0.0, [0.0; 6]).torques(table);
    let run = run.run(1.0).unwrap();
    let starts =
        |e: &&armdyn_motion::simulation::Event| e.kind == EventKind::Base(armdyn_mobile::EventKind::BaseStarts);
    assert!(run.events.iter().find(starts).is_some_and(|e| e.t > 0.01), "{:?}", run.events);
    assert!(run.events.len() < 50 && run.energy.residual < 1e-9 * run.energy.scale, "{:?}", run.energy);
}
