//! Closed-form solutions and conservation laws.

use super::{ALL, floating_tree, pendulum, slide, with};
use armdyn_core::{
    BASE, Drive, EnergyData, ExternalWrench, Force, Inertia, Joint, Link, ModelBuilder, Sym3, Vec3, WrenchAxes,
    momentum, vec3,
};
use armdyn_motion::Controller;
use armdyn_motion::simulation::{Integrator, Options, Sampling, Simulation};
use armdyn_numerics::Result;

const G: f64 = 9.81;

#[test]
fn a_mass_falls_down_an_incline_against_friction() {
    // 30° down: m a = m g sin 30° − c.
    let (sin, cos) = (0.5, 0.75_f64.sqrt());
    let m = slide([cos, 0.0, -sin], Drive::ideal().coulomb(3.0, 3.0).viscous(0.0));
    let a = G * sin - 3.0 / 2.0;
    for integrator in ALL {
        let run = Simulation::new(&m).options(with(integrator, 1e-4)).run(1.5).unwrap();
        let end = run.end();
        assert!((end.qdd[0] - a).abs() < 1e-13 && (end.qd[0] - a * 1.5).abs() < 1e-11, "{integrator}");
        // Semi-implicit Euler is behind by ½ a h t.
        let error = if integrator == Integrator::SemiImplicitEuler { 0.5 * a * 1e-4 * 1.5 * 1.01 } else { 1e-11 };
        assert!((end.q[0] - a * 1.125).abs() < error, "{integrator}: {}", end.q[0] - a * 1.125);
        assert!((run.energy.dry_loss - 3.0 * end.q[0]).abs() < 3.0 * error + 1e-11);
    }
}

/// Between turning points A and −B the energy lost is the friction torque times the angle: m g l (cos B − cos A) = c (A + B).
#[test]
fn a_pendulum_with_coulomb_friction_loses_the_amplitude_of_theory() {
    let c = 0.35;
    let m = pendulum(Drive::ideal().coulomb(c, c));
    let next = |a: f64| {
        // It may stop before it passes the lowest point (B < 0); the trivial root is B = −A.
        let (mut low, mut high) = (-(c / G).asin(), a);
        for _ in 0..200 {
            let b = 0.5 * (low + high);
            if G * (b.cos() - a.cos()) > c * (a + b) { low = b } else { high = b }
        }
        low
    };
    let (mut turning, mut side) = (1.2, 1.0);
    while G * f64::sin(turning) > c {
        (turning, side) = (next(turning), -side);
    }
    let run = Simulation::new(&m).initial_state(&[1.2], &[0.0]).run(60.0).unwrap();
    let end = run.end();
    assert!((end.q[0] - side * turning).abs() < 1e-9, "{} {}", end.q[0], side * turning);
    assert_eq!((end.qd[0], end.qdd[0]), (0.0, 0.0));
    let stuck = super::times(&run, |e| matches!(e, armdyn_motion::simulation::EventKind::Sticks { .. }));
    assert_eq!(stuck.len(), 1);
    assert!(run.samples.iter().filter(|s| s.t >= stuck[0]).all(|s| s.q[0] == end.q[0] && s.qd[0] == 0.0));
    assert!(run.energy.residual < 1e-9 * run.energy.scale, "{:?}", run.energy);
}

/// δ = θ − q: δ̈ = τ/B − ω² δ with ω² = K (1/J + 1/B).
#[test]
fn a_flexible_joint_vibrates_at_its_frequency() {
    let (j, b, k, tau) = (0.8, 0.2, 500.0, 3.0);
    let mut robot = ModelBuilder::new("joint");
    let drive = Drive::ideal().rotor(b / 100.0, 10.0);
    let joint = Joint::revolute("joint", [0.0, 0.0, 1.0]).driven_by(drive).stiffness(k);
    robot.add(BASE, joint, Link::new("arm").body(1.0, [0.0; 3], [1.0, 0.0, 0.0, 1.0, 0.0, j]));
    let m = robot.build().unwrap();
    let omega = (k * (1.0 / j + 1.0 / b)).sqrt();
    for integrator in ALL {
        let mut constant = Constant(vec![tau]);
        let run = Simulation::new(&m)
            .flexible_joints(&[0.0])
            .controller(&mut constant, Sampling { rate: 1.0, ..Sampling::default() })
            .options(with(integrator, 1e-5))
            .run(0.5)
            .unwrap();
        let expected = |t: f64| tau / (b * omega * omega) * (1.0 - (omega * t).cos());
        let error =
            run.samples.iter().map(|s| (s.motor_position[0] - s.q[0] - expected(s.t)).abs()).fold(0.0, f64::max);
        // The amplitude is 1.2e-3 rad; 28 rad of vibration with steps of 5.6e-4 rad.
        let tolerance = match integrator {
            Integrator::SemiImplicitEuler => 1e-5,
            Integrator::ImplicitMidpoint => 1e-8,
            _ => 1e-11,
        };
        assert!(error < tolerance, "{integrator}: {error:e}");
        let e = run.energy;
        let relative = if integrator == Integrator::SemiImplicitEuler { 1e-3 } else { 1e-9 };
        assert!(e.residual < relative * e.scale, "{integrator}: {e:?}");
    }
}

/// A joint so stiff that explicit steps of 1 ms diverge: the implicit one follows the rigid motion.
#[test]
fn the_implicit_integrator_takes_long_steps_of_stiff_joints() {
    let build = |stiffness: Option<f64>| {
        let mut robot = ModelBuilder::new("joint");
        let mut joint = Joint::revolute("joint", [0.0, 1.0, 0.0]).driven_by(Drive::ideal().armature(1e-3));
        if let Some(k) = stiffness {
            joint = joint.stiffness(k);
        }
        robot.add(BASE, joint, Link::new("arm").body(1.0, [0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.02, 0.0, 0.0]));
        robot.build().unwrap()
    };
    let soft = build(Some(1e7));
    let run = |integrator| Simulation::new(&soft).flexible_joints(&[10.0]).options(with(integrator, 1e-3)).run(1.0);
    let rigid = Simulation::new(&build(None)).run(1.0).unwrap();
    let implicit = run(Integrator::ImplicitMidpoint).unwrap();
    // The joint's deflection is 5e-7 rad; the error of a step of order 2 is about 1e-5.
    assert!((implicit.end().q[0] - rigid.end().q[0]).abs() < 1e-4);
    let explicit = run(Integrator::RungeKutta);
    assert!(explicit.is_err() || (explicit.unwrap().end().q[0] - rigid.end().q[0]).abs() > 1.0);
}

pub struct Constant(pub Vec<f64>);

impl Controller for Constant {
    fn torque(&mut self, _: f64, _: &[f64], _: &[f64], tau: &mut [f64]) -> Result<()> {
        tau.copy_from_slice(&self.0);
        Ok(())
    }
}

/// Torques between bodies conserve the momentum of the whole.
#[test]
fn a_driven_arm_on_a_floating_base_conserves_momentum() {
    struct Swing;
    impl Controller for Swing {
        fn torque(&mut self, t: f64, _: &[f64], _: &[f64], tau: &mut [f64]) -> Result<()> {
            tau.iter_mut().enumerate().for_each(|(k, x)| *x = 2.0 * (3.0 * t + k as f64).sin());
            Ok(())
        }
    }
    let m = floating_tree();
    let mut q = vec![0.0; m.nq()];
    m.neutral(&mut q).unwrap();
    let qd = [0.1, -0.2, 0.05, 0.3, 0.2, -0.1, 0.4, -0.3, 0.2, 0.5, 0.1];
    let mut swing = Swing;
    let run = Simulation::new(&m)
        .initial_state(&q, &qd)
        .controller(&mut swing, Sampling { rate: 50.0, ..Sampling::default() })
        .run(10.0)
        .unwrap();
    let mut d = EnergyData::new(&m);
    let mut at = |k: usize| {
        let s = run.samples.get(k);
        momentum(&m, &mut d, s.q, s.qd).unwrap().about_origin
    };
    let (first, scale) = (at(0), at(0).force.norm() + at(0).moment.norm());
    for k in 0..run.samples.len() {
        let p = at(k);
        assert!((p.force - first.force).norm() < 1e-10 * scale && (p.moment - first.moment).norm() < 1e-10 * scale);
    }
    let end = run.end();
    assert_eq!(&end.tau[..6], &[0.0; 6], "a free joint has no drive");
    assert!(end.tau[6] != 0.0 && run.energy.drive_work.abs() > 0.1);
    assert!(run.energy.residual < 1e-9 * run.energy.scale, "{:?}", run.energy);
    let unit: f64 = end.q[3..7].iter().map(|x| x * x).sum();
    assert!((unit - 1.0).abs() < 1e-14);
}

#[test]
fn the_energy_of_a_swinging_panda_drifts_by_less_than_a_billionth() {
    let m = armdyn_import::load_model("panda").unwrap();
    let q = [0.3, 0.8, -0.4, -1.2, 0.5, 1.9, 0.2];
    let options = Options { stops: false, rate: 10.0, ..Options::default() };
    let run = Simulation::new(&m).initial_state(&q, &[0.0; 7]).options(options).run(60.0).unwrap();
    let scale = run.samples.iter().map(|s| s.kinetic).fold(0.0, f64::max);
    assert!(scale > 10.0 && run.energy.residual < 1e-9 * scale, "{:e} of {scale} J", run.energy.residual);
}

/// A payload changes the weight, a wrench pushes: 2 kg on a vertical slide.
#[test]
fn payloads_and_wrenches_act_from_their_times_on() {
    let m = slide([0.0, 0.0, 1.0], Drive::ideal());
    let link = m.link("mass").unwrap();
    let load = Inertia { mass: 3.0, first: Vec3::zero(), second: Sym3::zero() };
    for integrator in [Integrator::DormandPrince, Integrator::ImplicitMidpoint, Integrator::RungeKutta] {
        let force = Force::new(Vec3::zero(), vec3(0.0, 0.0, 40.0));
        let wrench = ExternalWrench { link, at: Vec3::zero(), axes: WrenchAxes::Base, wrench: force };
        let run = Simulation::new(&m)
            .wrench(0.105, 0.305, wrench)
            .attach_payload(0.205, "box", link, load)
            .remove_payload(0.405, "box")
            .options(with(integrator, 1e-3))
            .run(0.5)
            .unwrap();
        let (free, pushed, loaded) = (-G, 20.0 - G, 8.0 - G);
        for (t, expected) in [(0.1, free), (0.15, pushed), (0.25, loaded), (0.35, free), (0.45, free)] {
            let s = run.samples.iter().find(|s| (s.t - t).abs() < 1e-9).unwrap();
            assert!((s.qdd[0] - expected).abs() < 1e-12, "{integrator} {t}: {}", s.qdd[0]);
        }
        let v = 0.1 * (free + pushed + loaded + free) + 0.1 * free;
        assert!((run.end().qd[0] - v).abs() < 1e-11, "{integrator}");
        assert!(run.energy.residual < 1e-10 && run.energy.external_work != 0.0, "{:?}", run.energy);
        assert_eq!(run.events.len(), 4);
    }
}
