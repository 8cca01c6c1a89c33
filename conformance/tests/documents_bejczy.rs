//! JPL TM 33-669 (Bejczy 1974): every state, coefficient and pose of the golden data, and appendix D.
//!
//! Tolerances: 1e-12 of the row's largest entry where nothing else is said. A coefficient is a sum of some hundred products
//! of sizes up to that entry, each rounded at 1e-16.

use armdyn_core::*;
use armdyn_testkit::documents::{Jpl, JplCoefficients, JplState, jpl, jpl_golden};
use armdyn_testkit::random::{axis, link, number, numbers, pose, source};
use rand::Rng;
use std::collections::BTreeSet;

const EVERY_WAY: [(Omission, Identities); 4] = [
    (Omission::Full, Identities::Ignored),
    (Omission::Full, Identities::Used),
    (Omission::Lemma, Identities::Ignored),
    (Omission::Lemma, Identities::Used),
];

fn by_lagrange(m: &Model<f64>, (omission, identities): (Omission, Identities), q: &[f64]) -> LagrangeData<f64> {
    let mut d = LagrangeData::with(m, omission, identities);
    lagrange(m, &mut d, q).expect("one-axis pairs");
    d
}

/// Each entry within `tolerance` of the row's largest.
fn assert_row(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    let scale = expected.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    assert_eq!(found.len(), expected.len());
    for (k, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= tolerance * scale, "{what}[{k}]: {f:e} against {e:e} (row scale {scale:e})");
    }
}

fn at(s: &JplState, load: bool) -> &JplCoefficients {
    if load { &s.load } else { &s.noload }
}

fn each_state(f: impl Fn(&JplState, &JplCoefficients, bool)) {
    let golden = jpl_golden();
    assert_eq!(golden.states.len(), 50);
    for s in &golden.states {
        for load in [false, true] {
            f(s, at(s, load), load);
        }
    }
}

#[test]
fn coefficients_at_50_states() {
    let arms = [false, true].map(|load| jpl(load).without_drives());
    each_state(|s, golden, load| {
        for way in EVERY_WAY {
            let d = by_lagrange(&arms[usize::from(load)], way, &s.q);
            let gravity: Vec<f64> = (0..6).map(|i| d.gravity(i)).collect();
            assert_row("D_i", &gravity, &golden.D_i, 1e-12);
            for i in 0..6 {
                let row: Vec<f64> = (0..6).map(|j| d.inertia(i, j)).collect();
                assert_row("D_ij", &row, &golden.D_ij[i], 1e-12);
                let upper = |transposed: bool| -> Vec<f64> {
                    let pairs = (0..6).flat_map(|j| (j..6).map(move |k| (j, k)));
                    pairs.map(|(j, k)| if transposed { d.velocity(i, k, j) } else { d.velocity(i, j, k) }).collect()
                };
                assert_row("D_ijk", &upper(false), &golden.D_ijk[i], 1e-12);
                assert_row("D_ikj", &upper(true), &golden.D_ijk[i], 1e-12);
            }
        }
    });
}

#[test]
fn torques_at_50_states_by_four_formulations() {
    for drives in [false, true] {
        let arm = |load| if drives { jpl(load) } else { jpl(load).without_drives() };
        let arms = [arm(false), arm(true)];
        each_state(|s, golden, load| {
            let m = &arms[usize::from(load)];
            let expected = if drives { &golden.tau_with_drive } else { &golden.tau };
            let mut tau = [0.0; 6];
            for (omission, identities) in EVERY_WAY {
                let mut d = LagrangeData::with(m, omission, identities);
                lagrange_tau(m, &mut d, &s.q, &s.qd, &s.qdd, &mut tau).unwrap();
                assert_row("τ, lagrange", &tau, expected, 1e-12);
            }
            rnea(m, &mut RneaData::new(m), &s.q, &s.qd, &s.qdd, &mut tau).unwrap();
            assert_row("τ, rnea", &tau, expected, 1e-12);
            augmented(m, &mut AugmentedData::new(m), &s.q, &s.qd, &s.qdd, &mut tau).unwrap();
            assert_row("τ, augmented", &tau, expected, 1e-12);

            let mut mass = [0.0; 36];
            crba(m, &mut CrbaData::new(m), &s.q, &mut mass).unwrap();
            let robot = jpl_golden().robot;
            for i in 0..6 {
                let mut row = golden.D_ij[i].clone();
                row[i] += if drives { robot.Im[i] } else { 0.0 };
                assert_row("M, crba", &mass[6 * i..6 * i + 6], &row, 1e-12);
                let d = by_lagrange(m, EVERY_WAY[3], &s.q);
                let with_drives: Vec<f64> = (0..6).map(|j| d.inertia(i, j)).collect();
                assert_row("D_ij", &with_drives, &row, 1e-12);
            }

            // M is of condition 1e5 here: q̈ loses as many digits.
            let mut qdd = [0.0; 6];
            aba(m, &mut AbaData::new(m), &s.q, &s.qd, expected, &mut qdd).unwrap();
            assert_row("q̈, aba", &qdd, &s.qdd, 1e-10);
        });
    }
}

/// Appendix A, in the report's frames: a link's frame differs from its body's by a constant pose.
#[test]
fn appendix_a_partial_derivatives() {
    let (golden, m) = (jpl_golden(), jpl(false));
    let d = by_lagrange(&m, EVERY_WAY[0], &golden.states[0].q);
    assert_eq!(golden.U_at_first_state.len(), 21);
    for (name, expected) in &golden.U_at_first_state {
        let [p, i] = [1, 2].map(|k| name[k..=k].parse::<usize>().unwrap());
        let u = d.first_partial(0, p, i) * Mat4::pose(&m.links()[p].pose);
        for r in 0..4 {
            assert_row(name, &u.rows[r], &expected[r], 4e-15); // a product of six rotations
        }
    }
    // E09: (A.2) prints +s1 s2 in row 1, column 3 of U21.
    let [s1, s2] = [0, 1].map(|k| golden.states[0].q[k].sin());
    let printed = s1 * s2;
    let u21 = (d.first_partial(0, 2, 1) * Mat4::pose(&m.links()[2].pose)).rows[0][2];
    assert!((u21 + printed).abs() < 1e-15 && (u21 - printed).abs() > 1e-3);
}

/// The \[i, j, k\] from 1, j ≤ k, whose D_ijk is not zero at one of the golden poses.
fn alive(m: &Model<f64>, golden: &Jpl) -> BTreeSet<[usize; 3]> {
    let mut alive = BTreeSet::new();
    for s in &golden.states {
        let d = by_lagrange(m, EVERY_WAY[0], &s.q);
        for i in 0..6 {
            for j in 0..6 {
                alive.extend((j..6).filter(|&k| d.velocity(i, j, k).abs() > 1e-12).map(|k| [i + 1, j + 1, k + 1]));
            }
        }
    }
    alive
}

/// 56 of the 126 D_ijk, j ≤ k, vanish for any arm of this geometry; 41 by appendix D, 15 besides. Of the 70 others 44 are
/// independent. With this arm's own parameters, k611 = k622, nine more vanish, five of them independent ones.
#[test]
fn vanishing_and_independent_coefficients_of_the_jpl_arm() {
    let (golden, m) = (jpl_golden(), jpl(true));
    let flat = Inertia::about_centre(1.0, Vec3::zero(), Sym3::diagonal(0.02, 0.01, 0.03));
    let uneven = m.with_payload("plate", m.link("link6").unwrap(), flat, Transform::identity()).unwrap();
    let moving = alive(&uneven, &golden);
    let all = (1..=6).flat_map(|i| (1..=6).flat_map(move |j| (j..=6).map(move |k| [i, j, k])));
    let dead: BTreeSet<_> = all.filter(|t| !moving.contains(t)).collect();
    assert_eq!(dead, golden.D_ijk_identically_zero.iter().copied().collect());
    assert_eq!((dead.len(), moving.len(), golden.n_nonzero), (56, 70, 70));

    let computed: BTreeSet<_> = LagrangeData::new(&m).independent().iter().map(|t| t.map(|x| x + 1)).collect();
    assert_eq!(computed.intersection(&moving).count(), 44);
    assert_eq!(golden.n_independent, 44);
    // What appendix D foresees to vanish is not computed.
    assert!(golden.D_ijk_structural_zero_appendixD.iter().all(|t| !computed.contains(t)));
    assert_eq!(golden.D_ijk_structural_zero_appendixD.len(), 41);

    let own = alive(&m, &golden);
    assert!(own.is_subset(&moving));
    assert_eq!((own.len(), computed.intersection(&own).count()), (70 - 9, 44 - 5));
}

#[test]
fn independent_coefficients_of_an_all_revolute_arm() {
    for n in 1..=8 {
        let m = armdyn_testkit::random::arm(n, &"R".repeat(n as usize));
        let n = n as usize;
        assert_eq!(LagrangeData::new(&m).independent().len(), n * (n * n - 1) / 3);
        let direct = LagrangeData::with(&m, Omission::Full, Identities::Ignored);
        assert_eq!(direct.independent().len(), n * n * (n + 1) / 2);
    }
}

/// A random tree of joints that turn, slide, or do both as a screw; a chain if `branches` is false.
fn mixed(seed: u64, branches: bool) -> Model<f64> {
    let mut rng = source(seed);
    let mut builder = ModelBuilder::new(&format!("mixed {seed}"));
    let gravity = numbers(&mut rng, 3, 10.0);
    builder.gravity([gravity[0], gravity[1], gravity[2]]);
    let mut ids = vec![BASE];
    for k in 1..=rng.random_range(2..8) {
        let axis = axis(&mut rng);
        let kind = match rng.random_range(0..5) {
            0 | 1 => JointKind::Revolute { axis },
            2 | 3 => JointKind::Prismatic { axis },
            _ => JointKind::Helical { axis, pitch: number(&mut rng, 0.3) },
        };
        let parent = if branches { ids[rng.random_range(0..ids.len())] } else { ids[k - 1] };
        let drive = Drive::ideal().rotor(1e-4, 50.0).viscous(0.3).coulomb(0.2, 0.1).stribeck(0.1, 0.5);
        let joint = Joint::new(&format!("joint{k}"), kind).at(pose(&mut rng)).driven_by(drive);
        ids.push(builder.add(parent, joint, link(&mut rng, &format!("link{k}"))));
    }
    if ids.len() > 3 {
        builder.coupled_rotor(2e-4, &[("joint1", 20.0), ("joint3", -30.0)], None);
    }
    builder.build().expect("a random robot is valid")
}

/// The robots of the tests below, a state each.
fn robots() -> impl Iterator<Item = (Model<f64>, [Vec<f64>; 3])> {
    (0..120).map(|seed| {
        let m = mixed(seed, seed % 2 == 1);
        let mut rng = source(1000 + seed);
        let state = core::array::from_fn(|_| numbers(&mut rng, m.nv(), 2.0));
        (m, state)
    })
}

fn size(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |s, x| s.max(x.abs()))
}

/// Appendix D on each coefficient computed by itself.
#[test]
fn appendix_d_identities_on_random_robots() {
    for (m, [q, ..]) in robots() {
        let d = by_lagrange(&m, EVERY_WAY[0], &q);
        let n = m.nv();
        let triples = || (0..n).flat_map(|i| (0..n).flat_map(move |j| (0..n).map(move |k| (i, j, k))));
        let scale = size(triples().map(|(i, j, k)| d.velocity(i, j, k))) + size((0..n).map(|i| d.inertia(i, i)));
        let zero = |x: f64, what: &str| assert!(x.abs() <= 1e-13 * scale, "{what} on {}: {x:e}", m.name());
        let slides = |k: usize| matches!(m.body(k + 1).pair, Pair::Prismatic);
        for (i, j, k) in triples() {
            zero(d.inertia(i, j) - d.inertia(j, i), "D_ij = D_ji");
            zero(d.velocity(i, j, k) - d.velocity(i, k, j), "D_i,jk = D_i,kj");
            zero(d.velocity(i, i, i), "D_iii = 0");
            if i > j {
                zero(d.velocity(i, i, j), "D_i,ij = 0 for i > j");
            }
            if k <= i && k <= j {
                zero(d.velocity(i, k, j) + d.velocity(j, k, i), "D_i,kj = −D_j,ki for k ≤ i, j");
            }
            if slides(k.min(j)) {
                assert_eq!(d.velocity(i, k, j), 0.0, "D_i,kj = 0 if the lower of k, j slides");
            }
        }
        // The other three ways give the same.
        for way in &EVERY_WAY[1..] {
            let other = by_lagrange(&m, *way, &q);
            for (i, j, k) in triples() {
                zero(other.inertia(i, j) - d.inertia(i, j), "D_ij another way");
                zero(other.velocity(i, j, k) - d.velocity(i, j, k), "D_ijk another way");
                assert_eq!(other.gravity(i), d.gravity(i));
            }
        }
    }
}

/// The negative control: leaving out the leading transforms, harmless for D_ij and D_ijk, spoils the gravity term.
#[test]
fn the_omission_lemma_does_not_hold_for_gravity() {
    let mut worst = 0.0_f64;
    for (m, [q, ..]) in robots() {
        let d = by_lagrange(&m, EVERY_WAY[3], &q);
        let g = m.gravity();
        let term = |i: usize, from: usize| {
            let carried = (i..=m.body_count()).filter(|&p| m.is_ancestor(i, p));
            -carried
                .map(|p| {
                    let (u, body) = (d.first_partial(from, p, i), &m.body(p).inertia);
                    let h = body.first;
                    let row = |r: usize| {
                        let [a, b, c, e] = u.rows[r];
                        a * h.x + b * h.y + c * h.z + e * body.mass
                    };
                    g.dot(vec3(row(0), row(1), row(2)))
                })
                .sum::<f64>()
        };
        for i in 1..=m.body_count() {
            assert!((term(i, 0) - d.gravity(i - 1)).abs() <= 1e-13 * (1.0 + d.gravity(i - 1).abs()));
            worst = worst.max((term(i, i) - d.gravity(i - 1)).abs());
        }
    }
    assert!(worst > 10.0, "leaving transforms out changed gravity by {worst} only");
}

/// D_ijk are Christoffel symbols of M, whose derivatives come from another formulation by dual numbers.
#[test]
fn velocity_coefficients_are_christoffel_symbols() {
    const N: usize = 7;
    for (m, [q, ..]) in robots() {
        let n = m.nv();
        let lifted = m.map(Dual::<f64, N>::lift);
        let variables: Vec<Dual<f64, N>> = q.iter().enumerate().map(|(k, &x)| Dual::variable(x, k)).collect();
        let mut mass = vec![Dual::<f64, N>::lift(0.0); n * n];
        crba(&lifted, &mut CrbaData::new(&lifted), &variables, &mut mass).unwrap();
        let slope = |i: usize, j: usize, k: usize| mass[i * n + j].grad[k];
        let d = by_lagrange(&m, EVERY_WAY[3], &q);
        let scale = size(mass.iter().flat_map(|x| x.grad)) + size((0..n).map(|i| d.inertia(i, i)));
        for i in 0..n {
            for j in 0..n {
                for k in 0..n {
                    let christoffel = 0.5 * (slope(i, j, k) + slope(i, k, j) - slope(j, k, i));
                    let x = d.velocity(i, j, k);
                    assert!((x - christoffel).abs() <= 1e-12 * scale, "{}: {x:e} {christoffel:e}", m.name());
                }
            }
        }
    }
}

/// Screws, trees, gears, friction: against Newton–Euler.
#[test]
fn torques_of_random_robots_against_newton_euler() {
    for (m, [q, qd, qdd]) in robots() {
        let (mut expected, mut tau) = (vec![0.0; m.nv()], vec![0.0; m.nv()]);
        rnea(&m, &mut RneaData::new(&m), &q, &qd, &qdd, &mut expected).unwrap();
        for (omission, identities) in EVERY_WAY {
            lagrange_tau(&m, &mut LagrangeData::with(&m, omission, identities), &q, &qd, &qdd, &mut tau).unwrap();
            assert_row(m.name(), &tau, &expected, 1e-12);
        }
    }
}

#[test]
fn what_it_does_not_cover_is_refused() {
    let mut builder = ModelBuilder::new("ball");
    builder.add(BASE, Joint::new("shoulder", JointKind::Spherical), Link::new("arm").body(1.0, [0.1; 3], [0.0; 6]));
    let ball = builder.build().unwrap();
    let refused = |r: Result<(), Error>, who: &str| {
        assert!(matches!(r, Err(Error::Unsupported { joint, .. }) if joint.starts_with(who)));
    };
    refused(lagrange(&ball, &mut LagrangeData::new(&ball), &[0.0, 0.0, 0.0, 1.0]), "shoulder");
    let mut tau = [0.0; 3];
    let still = [0.0; 3];
    let q = [0.0, 0.0, 0.0, 1.0];
    refused(augmented(&ball, &mut AugmentedData::new(&ball), &q, &still, &still, &mut tau), "shoulder");

    let mut builder = ModelBuilder::new("spinning");
    let rod = Link::new("rod").body(1.0, [0.5, 0.0, 0.0], [0.0; 6]);
    let spinning = Drive::ideal().gyroscopic_rotor(1e-3, 10.0, [0.0, 0.0, 1.0]);
    builder.add(BASE, Joint::revolute("pivot", [0.0, 1.0, 0.0]).driven_by(spinning), rod);
    let m = builder.build().unwrap();
    let (q, mut tau) = ([0.0], [0.0]);
    refused(lagrange_tau(&m, &mut LagrangeData::new(&m), &q, &q, &q, &mut tau), "pivot");
    refused(augmented(&m, &mut AugmentedData::new(&m), &q, &q, &q, &mut tau), "pivot");

    let m = jpl(false);
    assert!(matches!(lagrange(&m, &mut LagrangeData::new(&m), &[0.0; 5]), Err(Error::Length { what: "q", .. })));
    let q = [0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0];
    assert!(
        matches!(lagrange(&m, &mut LagrangeData::new(&m), &q), Err(Error::NotFinite { joint, .. }) if joint == "joint2")
    );
}
