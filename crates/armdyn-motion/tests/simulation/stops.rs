//! Joint stops: rebound, rest, several at once.

use super::{ALL, limits, slide, times, two_links, with};
use armdyn_core::Drive;
use armdyn_motion::simulation::{EventKind, Integrator, Simulation};

const G: f64 = 9.81;

fn hits(e: &EventKind) -> bool {
    matches!(e, EventKind::HitsStop { .. })
}

/// A mass falls 1 m on a stop: impacts at √(2/g) (1 + 2e + 2e² + …).
#[test]
fn a_falling_mass_bounces_as_theory_says() {
    let m = slide([0.0, 0.0, 1.0], Drive::ideal().limits(limits(0.0, 3.0)));
    let (e, fall) = (0.6_f64, (2.0 / G).sqrt());
    for integrator in ALL {
        let run = Simulation::new(&m)
            .initial_state(&[1.0], &[0.0])
            .restitution(&[e])
            .options(with(integrator, 1e-4))
            .run(3.0)
            .unwrap();
        let impacts = times(&run, hits);
        // Of order 1: the error of a bounce is of the order of a step, and grows relative to ever shorter bounces.
        let (count, tolerance) = if integrator == Integrator::SemiImplicitEuler { (3, 1e-3) } else { (8, 1e-9) };
        let mut t = fall;
        for (k, impact) in impacts.iter().enumerate().take(count) {
            assert!((impact - t).abs() < tolerance, "{integrator}, impact {k}: {impact} {t}");
            t += 2.0 * fall * e.powi(k as i32 + 1);
        }
        // All bounces take fall (1 + e)/(1 − e) = 1.81 s; then it rests at the stop, exactly.
        let end = run.end();
        assert_eq!((end.q[0], end.qd[0], end.qdd[0]), (0.0, 0.0, 0.0), "{integrator}");
        assert!((end.stop[0] - 2.0 * G).abs() < 1e-12);
        if integrator != Integrator::SemiImplicitEuler {
            assert!((run.energy.stop_loss - 2.0 * G).abs() < 1e-9, "{:?}", run.energy);
        }
        assert_eq!(times(&run, |e| matches!(e, EventKind::RestsAtStop { .. })).len(), 1);
    }
}

/// Both joints at their stops: one is hit by the other's fall. The energy balance holds, and nothing passes a stop.
#[test]
fn several_stops_hold_at_once() {
    let m = two_links([Drive::ideal().limits(limits(-0.5, 1.0)), Drive::ideal().limits(limits(-0.8, 0.3))]);
    for (integrator, e) in ALL.iter().flat_map(|i| [(*i, 0.0), (*i, 0.5)]) {
        let run = Simulation::new(&m)
            .initial_state(&[0.6, 0.2], &[0.0; 2])
            .restitution(&[e])
            .options(with(integrator, 2e-4))
            .run(12.0)
            .unwrap();
        let inside =
            |s: &armdyn_motion::simulation::Sample| (-0.5..=1.0).contains(&s.q[0]) && (-0.8..=0.3).contains(&s.q[1]);
        assert!(run.samples.iter().all(|s| inside(&s)), "{integrator} {e}");
        let end = run.end();
        assert_eq!((end.q, end.qd), (&[-0.5, -0.8][..], &[0.0; 2][..]), "{integrator} {e}");
        // Static: the stops carry the gravity torques.
        let cos = f64::cos(-1.3);
        assert!(
            (end.stop[1] - G * cos).abs() < 1e-12 && (end.stop[0] - G * (2.0 * f64::cos(-0.5) + cos)).abs() < 1e-12
        );
        let relative = if integrator == Integrator::SemiImplicitEuler { 5e-2 } else { 1e-5 };
        assert!(run.energy.residual < relative * run.energy.scale, "{integrator} {e}: {:?}", run.energy);
    }
}

#[test]
fn a_joint_leaves_its_stop_when_it_is_pulled_away() {
    use armdyn_motion::simulation::{Interpolation, TorqueTable};
    let m = slide([0.0, 0.0, 1.0], Drive::ideal().coulomb(4.0, 4.0).limits(limits(0.0, 1.0)));
    let table = TorqueTable::new(vec![0.0, 1.0], vec![0.0, 40.0], Interpolation::Linear).unwrap();
    let run = Simulation::new(&m).torques(table).run(0.8).unwrap();
    let left = times(&run, |e| matches!(e, EventKind::LeavesStop { .. }));
    // Weight and friction: 19.62 + 4 N.
    assert!(left.len() == 1 && (left[0] * 40.0 - 23.62).abs() < 1e-9, "{:?}", run.events);
    assert!(run.end().q[0] > 0.0);
}

/// An arm without friction that falls onto its stops: impacts of coupled joints move each other away from their stops, ever slower, and
/// end after finitely many events.
#[test]
fn joints_that_rest_at_stops_together_do_not_chatter() {
    let m = armdyn_import::load_model("panda").unwrap();
    for q in [[0.0, 0.3, 0.0, -1.0, 0.0, 1.0, 0.0], [0.0, 0.5, 0.0, -1.5, 0.0, 1.5, 0.0]] {
        let run = Simulation::new(&m).initial_state(&q, &[0.0; 7]).run(8.0).unwrap();
        assert!(run.events.len() < 2000, "{} events", run.events.len());
        assert!(run.energy.residual < 1e-9 * run.energy.scale, "{:?}", run.energy);
    }
}
