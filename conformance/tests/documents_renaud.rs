//! Renaud 1987: the example of six revolute joints, random modified Denavit–Hartenberg robots, and the formulation against
//! Newton–Euler.
//!
//! Tolerance: 1e-12 of the largest torque. Both recursions add up some hundred products of that size, each rounded at
//! 1e-16.

use armdyn_core::*;
use armdyn_testkit::documents::{RenaudRandom, RenaudSixR, block, renaud_6r};
use armdyn_testkit::random::{arm, axis, link, number, numbers, pose, source};
use rand::Rng;

fn gamma(m: &Model<f64>, d: &mut AugmentedData<f64>, q: &[f64], qd: &[f64], qdd: &[f64]) -> Vec<f64> {
    let mut tau = vec![f64::NAN; m.nv()];
    augmented(m, d, q, qd, qdd, &mut tau).expect("joints that turn or slide");
    tau
}

fn assert_torques(what: &str, found: &[f64], expected: &[f64]) {
    let scale = expected.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    for (k, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= 1e-12 * scale, "{what}, Γ{}: {f:e} against {e:e}", k + 1);
    }
}

#[test]
fn the_six_r_example() {
    let (golden, m): (RenaudSixR, _) = (block(&["renaud", "six_R"]), renaud_6r());
    let mut d = AugmentedData::new(&m);
    let tau = gamma(&m, &mut d, &golden.q, &golden.qd, &golden.qdd);
    assert_torques("6R", &tau, &golden.Gamma);

    let mut tau = [0.0; 6];
    rnea(&m, &mut RneaData::new(&m), &golden.q, &golden.qd, &golden.qdd, &mut tau).unwrap();
    assert_torques("6R, rnea", &tau, &golden.Gamma);
    lagrange_tau(&m, &mut LagrangeData::new(&m), &golden.q, &golden.qd, &golden.qdd, &mut tau).unwrap();
    assert_torques("6R, lagrange", &tau, &golden.Gamma);
}

/// fⁿ⁺¹ and nⁿ⁺¹ are what the tip exerts; a boundary's wrench is what the surroundings do.
#[test]
fn the_six_r_example_with_a_wrench_at_the_tip() {
    let (golden, m): (RenaudSixR, _) = (block(&["renaud", "six_R"]), renaud_6r());
    let wrench = Force::new(Vec3::lift(golden.ext.n), Vec3::lift(golden.ext.f));
    let mut d = AugmentedData::new(&m);
    d.boundary.add_external_wrench(&m, m.link("link6").unwrap(), -wrench).unwrap();
    let tau = gamma(&m, &mut d, &golden.q, &golden.qd, &golden.qdd);
    assert_torques("6R, tip", &tau, &golden.ext.Gamma);
    // Taken away again, nothing of it stays in the workspace.
    d.boundary.clear_wrenches();
    let tau = gamma(&m, &mut d, &golden.q, &golden.qd, &golden.qdd);
    assert_torques("6R, tip free again", &tau, &golden.Gamma);
}

/// The table of augmented parameters of the example: what differs from the bodies' own. The blank c*2 is c2 + m*3 a2²
/// (lost in the print), and m* sums from j = i, not 1.
#[test]
fn augmented_bodies_of_the_six_r_example() {
    let (golden, m): (RenaudSixR, _) = (block(&["renaud", "six_R"]), renaud_6r());
    let mut d = AugmentedData::new(&m);
    let still = [0.0; 6];
    augmented(&m, &mut d, &still, &still, &still, &mut [0.0; 6]).unwrap();
    let mass = |i: usize| golden.links[i - 1..].iter().map(|l| l.m).sum::<f64>();
    let (a2, r4) = (golden.mdh[2].a, golden.mdh[3].r);
    for i in 1..=6 {
        let own = &golden.links[i - 1];
        let (mut u, mut k) = (own.first_moment, [0, 1, 2].map(|x| own.k_about_O[x][x]));
        match i {
            2 => {
                u[0] += mass(3) * a2;
                k[1] += mass(3) * a2 * a2;
                k[2] += mass(3) * a2 * a2;
            }
            3 => {
                u[1] -= mass(4) * r4;
                k[0] += mass(4) * r4 * r4;
                k[2] += mass(4) * r4 * r4;
            }
            _ => {}
        }
        let star = d.body(i);
        let found = [[star.mass; 3], star.first.to_array(), [star.second.xx, star.second.yy, star.second.zz]];
        for (f, e) in found.iter().flatten().zip([[mass(i); 3], u, k].iter().flatten()) {
            assert!((f - e).abs() <= 1e-14 * mass(1), "augmented body {i}: {f} against {e}");
        }
    }
}

#[test]
fn random_modified_dh_robots() {
    let golden: Vec<RenaudRandom> = block(&["renaud", "random_mdh"]);
    assert_eq!(golden.len(), 3);
    for g in golden {
        assert!(g.robot.iter().any(|l| l.sigma == 1));
        let m = g.model();
        let tau = gamma(&m, &mut AugmentedData::new(&m), &g.q, &g.qd, &g.qdd);
        assert_torques("random MDH", &tau, &g.Gamma);
    }
}

#[test]
fn two_hundred_random_chains_against_newton_euler() {
    for seed in 0..200 {
        let mut rng = source(7000 + seed);
        let kinds: String =
            (0..rng.random_range(1..10)).map(|_| if rng.random_bool(0.5) { 'R' } else { 'P' }).collect();
        let m = arm(seed, &kinds);
        let mut d = AugmentedData::new(&m);
        let mut expected = vec![0.0; m.nv()];
        // Twice with one workspace: a sliding joint's augmented body must follow q.
        for _ in 0..2 {
            let [q, qd, qdd] = [2.0, 3.0, 5.0].map(|range| numbers(&mut rng, m.nv(), range));
            rnea(&m, &mut RneaData::new(&m), &q, &qd, &qdd, &mut expected).unwrap();
            assert_torques(m.name(), &gamma(&m, &mut d, &q, &qd, &qdd), &expected);
        }
    }
}

/// Beyond the paper: trees, drives, a base that moves, wrenches on every link.
#[test]
fn random_trees_against_newton_euler() {
    for seed in 0..100 {
        let mut rng = source(9000 + seed);
        let mut builder = ModelBuilder::new(&format!("tree {seed}"));
        let mut ids = vec![BASE];
        for k in 1..=rng.random_range(2..10) {
            let (name, axis) = (format!("joint{k}"), axis(&mut rng));
            let joint = if rng.random_bool(0.5) { Joint::prismatic(&name, axis) } else { Joint::revolute(&name, axis) };
            let drive = Drive::ideal().rotor(1e-4, 50.0).viscous(0.3).coulomb(0.2, 0.1);
            let parent = ids[rng.random_range(0..ids.len())];
            let joint = joint.at(pose(&mut rng)).driven_by(drive);
            ids.push(builder.add(parent, joint, link(&mut rng, &format!("link{k}"))));
        }
        builder.coupled_rotor(2e-4, &[("joint1", 20.0), ("joint2", -30.0)], None);
        let m = builder.build().unwrap();
        let (mut d, mut newton_euler) = (AugmentedData::new(&m), RneaData::new(&m));
        let mut vector = || Vec3::from_fn(|_| number(&mut rng, 2.0));
        d.boundary.base_velocity = Motion::new(vector(), vector());
        d.boundary.base_acceleration = Motion::new(vector(), vector());
        for link in m.link_ids().skip(1) {
            d.boundary.add_external_wrench(&m, link, Force::new(vector(), vector())).unwrap();
        }
        newton_euler.boundary = d.boundary.clone();
        let [q, qd, qdd] = [2.0, 3.0, 5.0].map(|range| numbers(&mut rng, m.nv(), range));
        let mut expected = vec![0.0; m.nv()];
        rnea(&m, &mut newton_euler, &q, &qd, &qdd, &mut expected).unwrap();
        assert_torques(m.name(), &gamma(&m, &mut d, &q, &qd, &qdd), &expected);
    }
}
