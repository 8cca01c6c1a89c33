//! Joints that stick, break away and slide.

use super::{ALL, pendulum, slide, times, two_links, with};
use armdyn_core::Drive;
use armdyn_motion::simulation::{EventKind, Integrator, Interpolation, Options, Simulation, TorqueTable};

fn sticks(e: &EventKind) -> bool {
    matches!(e, EventKind::Sticks { .. })
}

fn slips(e: &EventKind) -> bool {
    matches!(e, EventKind::Slips { .. })
}

#[test]
fn an_arm_held_by_friction_does_not_creep() {
    // Gravity torques at q: 9.81 (2 cos q₁ + cos(q₁ + q₂)) and 9.81 cos(q₁ + q₂), at most 29.43 and 9.81.
    let m = two_links([Drive::ideal().coulomb(31.0, 31.0), Drive::ideal().coulomb(9.0, 9.0).stribeck(1.5, 0.1)]);
    let q = [0.1, 0.2];
    for integrator in ALL {
        let options = Options { rate: 1.0, ..with(integrator, 0.1) };
        let run = Simulation::new(&m).initial_state(&q, &[0.0; 2]).options(options).run(3600.0).unwrap();
        assert!(run.samples.iter().all(|s| s.q == q && s.qd == [0.0; 2] && s.qdd == [0.0; 2]), "{integrator}");
        assert_eq!(run.events.len(), 2, "both stick from the start");
        let friction = run.end().friction;
        assert!((friction[1] + 9.81 * (0.3_f64).cos()).abs() < 1e-12);
    }
}

#[test]
fn a_joint_breaks_away_at_its_static_limit() {
    let m = slide([1.0, 0.0, 0.0], Drive::ideal().coulomb(4.0, 2.5).stribeck(1.25, 0.05));
    for (slope, limit) in [(7.0, 5.25), (-3.0, 3.75)] {
        for integrator in ALL {
            let table = TorqueTable::new(vec![0.0, 2.0], vec![0.0, 2.0 * slope], Interpolation::Linear).unwrap();
            let run = Simulation::new(&m).torques(table).options(with(integrator, 1e-3)).run(2.0).unwrap();
            let slip = times(&run, slips);
            assert_eq!(slip.len(), 1, "{integrator} {:?}", run.events);
            let torque = slope.abs() * slip[0];
            assert!((torque / limit - 1.0).abs() < 1e-9, "{integrator}: {torque}");
            let held: Vec<_> = run.samples.iter().filter(|s| s.t < slip[0]).collect();
            assert!(held.iter().all(|s| s.q[0] == 0.0 && s.qd[0] == 0.0 && (s.friction[0] - s.tau[0]).abs() < 1e-12));
            assert!(run.end().q[0] * slope > 0.0);
        }
    }
}

/// Deceleration by asymmetric Coulomb friction: it stops after v₀/a, at v₀²/2a, and stays.
#[test]
fn a_sliding_mass_stops_where_theory_says() {
    let m = slide([1.0, 0.0, 0.0], Drive::ideal().coulomb(3.0, 5.0));
    for (v, a) in [(2.0, 1.5), (-2.0, 2.5)] {
        for integrator in ALL {
            let run = Simulation::new(&m).initial_state(&[0.0], &[v]).options(with(integrator, 0.03)).run(3.0).unwrap();
            let stop = times(&run, sticks);
            assert!(stop.len() == 1 && (stop[0] - 2.0 / a).abs() < 1e-11, "{integrator}: {stop:?}");
            let end = run.end();
            let expected = v * v.abs() / (2.0 * a);
            // Semi-implicit Euler: ½ a h t.
            let error =
                if integrator == Integrator::SemiImplicitEuler { 0.5 * a * 0.03 * stop[0] * 1.01 } else { 1e-11 };
            assert!((end.q[0] - expected).abs() < error, "{integrator}: {} {expected}", end.q[0]);
            assert!(run.samples.iter().filter(|s| s.t > stop[0]).all(|s| s.q[0] == end.q[0] && s.qd[0] == 0.0));
            // All kinetic energy is lost to friction.
            let tolerance = if integrator == Integrator::SemiImplicitEuler { 1e-9 } else { 1e-10 };
            assert!((run.energy.dry_loss - 4.0).abs() < tolerance, "{integrator}: {:?}", run.energy);
        }
    }
}

/// The elbow sticks while the shoulder swings; the whole comes to rest without chattering.
#[test]
fn coupled_joints_stick_and_slip_without_chattering() {
    let m = two_links([Drive::ideal().coulomb(2.0, 2.0).stribeck(0.5, 0.1), Drive::ideal().coulomb(1.0, 3.0)]);
    for integrator in [Integrator::DormandPrince, Integrator::RungeKutta, Integrator::ImplicitMidpoint] {
        let options = with(integrator, 1e-3);
        let run = Simulation::new(&m).initial_state(&[0.4, -0.8], &[0.0; 2]).options(options).run(30.0).unwrap();
        assert!(run.events.len() < 200, "{integrator}: {} events", run.events.len());
        assert!(run.end().qd == [0.0; 2] && run.energy.dry_loss > 5.0, "{integrator}");
        let relative = if integrator == Integrator::DormandPrince { 1e-9 } else { 1e-3 };
        assert!(run.energy.residual < relative * run.energy.scale, "{integrator}: {:?}", run.energy);
        // Whatever sticks has exactly no velocity and no acceleration.
        let within =
            |s: &armdyn_motion::simulation::Sample| (0..2).all(|i| s.qd[i] != 0.0 || s.qdd[i] == 0.0 || s.t == 0.0);
        assert!(run.samples.iter().all(|s| within(&s)));
    }
}

/// Friction of the drive of a flexible joint holds the motor, and the link vibrates about it without loss.
#[test]
fn the_motor_of_a_flexible_joint_sticks() {
    use armdyn_core::{BASE, Joint, Link, ModelBuilder};
    let mut robot = ModelBuilder::new("joint");
    let drive = Drive::ideal().armature(0.1).coulomb(50.0, 50.0);
    let joint = Joint::prismatic("joint", [0.0, 0.0, 1.0]).driven_by(drive).stiffness(800.0);
    robot.add(BASE, joint, Link::new("mass").body(2.0, [0.0; 3], [0.0; 6]));
    let m = robot.build().unwrap();
    let run = Simulation::new(&m).flexible_joints(&[0.0]).run(2.0).unwrap();
    let (omega, sag) = ((800.0_f64 / 2.0).sqrt(), 2.0 * 9.81 / 800.0);
    for s in run.samples.iter() {
        assert_eq!((s.motor_position[0], s.motor_velocity[0]), (0.0, 0.0));
        assert!((s.q[0] + sag * (1.0 - (omega * s.t).cos())).abs() < 1e-10);
        assert!((s.friction[0] - 800.0 * s.q[0]).abs() < 1e-9);
    }
    assert!(run.energy.residual < 1e-9);
}

#[test]
fn friction_stops_a_pendulum_from_any_integrator_at_the_same_place() {
    let m = pendulum(Drive::ideal().coulomb(0.8, 0.6).viscous(0.1));
    let ends = ALL.map(|i| {
        let run = Simulation::new(&m).initial_state(&[0.9], &[0.0]).options(with(i, 1e-4)).run(20.0).unwrap();
        assert_eq!(run.end().qd[0], 0.0);
        run.end().q[0]
    });
    let reference = ends[2];
    assert!(
        (ends[0] - reference).abs() < 2e-4 && (ends[1] - reference).abs() < 1e-9 && (ends[3] - reference).abs() < 1e-7,
        "{ends:?}"
    );
}
