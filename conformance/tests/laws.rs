//! What every model must obey, on random trees of all joints.

use armdyn_core::dense::eigenvalues;
use armdyn_core::{
    AbaData, CoriolisData, CrbaData, Dual, EnergyData, Explanation, Force, FrictionState, Inertia, JacobianFrame,
    Joint, JointKind, KinematicsData, Link, LinkId, Model, Motion, Order, Real, RegressorData, RneaData, Rotation,
    StictionData, Sym3, Transform, Vec3, WrenchFrame, aba, coriolis, crba, energy, explain, kinematics, momentum,
    parameter_count, parameters, regressor, rnea, rnea_spatial, stiction_at_rest, vec3,
};
use armdyn_testkit::random::{self, Description, Drives, Joints, State};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rand::Rng;

/// Doubles, some thousands of operations; terms may cancel.
const LAW: f64 = 1e-11;

/// The same cases in every run.
fn cases(count: u32) -> ProptestConfig {
    ProptestConfig { cases: count, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() }
}

fn tree(seed: u64, joints: usize, drives: Drives) -> Description {
    Description::random(seed, joints, Joints::All, true, drives)
}

fn state(m: &Model<f64>, seed: u64) -> State {
    State::random(m, &mut random::source(seed ^ 0xABCD))
}

fn scale(x: &[f64]) -> f64 {
    x.iter().fold(0.0_f64, |s, x| s.max(x.abs()))
}

/// `found` is `expected`, relative to the largest of these and of `size`.
#[track_caller]
fn agree(what: &str, found: &[f64], expected: &[f64], size: f64, tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = scale(expected).max(size).max(f64::MIN_POSITIVE);
    for (k, (a, b)) in found.iter().zip(expected).enumerate() {
        let error = (a - b).abs() / scale;
        assert!(error <= tolerance, "{what}[{k}]: {a} is not {b}, {error:.1e} of {scale:.3}");
    }
}

fn torques(m: &Model<f64>, s: &State) -> Vec<f64> {
    let mut tau = vec![0.0; m.nv()];
    rnea(m, &mut RneaData::new(m), &s.q, &s.qd, &s.qdd, &mut tau).unwrap();
    tau
}

fn mass_matrix<T: Real>(m: &Model<T>, q: &[T]) -> Vec<T> {
    let mut mass = vec![T::zero(); m.nv() * m.nv()];
    crba(m, &mut CrbaData::new(m), q, &mut mass).unwrap();
    mass
}

fn product(a: &[f64], x: &[f64]) -> Vec<f64> {
    a.chunks_exact(x.len().max(1)).map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A number that changes with time.
type Moving = Dual<f64, 1>;

/// q and q̇ as functions of time, at time zero.
fn moving(m: &Model<Moving>, s: &State) -> (Vec<Moving>, Vec<Moving>) {
    let still: Vec<Moving> = s.q.iter().map(|&x| Dual::constant(x)).collect();
    let step: Vec<Moving> = s.qd.iter().map(|&v| Dual { value: 0.0, grad: [v] }).collect();
    let mut q = still.clone();
    m.integrate(&still, &step, &mut q).unwrap();
    (q, s.qd.iter().zip(&s.qdd).map(|(&v, &a)| Dual { value: v, grad: [a] }).collect())
}

/// The kinetic energy of all parts, link by link, from the velocity of each link: nothing of the mass matrix in it.
fn kinetic_energy(m: &Model<f64>, s: &State) -> f64 {
    let mut k = KinematicsData::new(m);
    kinematics(m, &mut k, &s.q).unwrap();
    let mut columns = vec![Motion::zero(); m.nv()];
    let mut sum = 0.0;
    let mut velocity = |link: LinkId| {
        k.jacobian(m, link, JacobianFrame::Local, &mut columns).unwrap();
        columns.iter().zip(&s.qd).fold(Motion::zero(), |v, (c, &x)| c.scale_add(x, v))
    };
    for (number, link) in m.link_ids().zip(m.links()) {
        let v = velocity(number);
        for part in &link.parts {
            let (mass, c, tensor) = (part.inertia.mass, part.inertia.centre(), part.inertia.central());
            let at_centre = v.linear + v.angular.cross(c);
            sum += 0.5 * mass * at_centre.dot(at_centre) + 0.5 * v.angular.dot(tensor * v.angular);
        }
    }
    for r in m.rotors() {
        let speed: f64 = r.gear.iter().map(|&(dof, g)| g * s.qd[dof.index()]).sum();
        // Turning with its carrier it has ½ J (e·ω)² as a part of the link; spinning, ½ J (e·ω + θ̇)².
        let along = r.mount.map_or(0.0, |(body, axis)| {
            let link = m.link_ids().find(|l| m.links()[*l].body == body).unwrap();
            axis.dot(m.links()[link].pose.rotation.rotate(velocity(link).angular))
        });
        sum += 0.5 * r.inertia * ((along + speed) * (along + speed) - along * along);
    }
    sum + m.armature().iter().zip(&s.qd).map(|(a, v)| 0.5 * a * v * v).sum::<f64>()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn the_mass_matrix_is_symmetric_and_positive_definite(seed: u64, joints in 1..8usize) {
        let m = tree(seed, joints, Drives::Spinning).build();
        let n = m.nv();
        let mass = mass_matrix(&m, &state(&m, seed).q);
        for i in 0..n {
            for j in 0..i {
                prop_assert!((mass[i * n + j] - mass[j * n + i]).abs() <= LAW * scale(&mass));
            }
        }
        prop_assert!(eigenvalues(&mut mass.clone(), n).iter().all(|&x| x > 0.0));
    }

    #[test]
    fn half_v_m_v_is_the_kinetic_energy_of_all_parts(seed: u64, joints in 1..8usize) {
        let m = tree(seed, joints, Drives::Spinning).build();
        let s = state(&m, seed);
        let expected = kinetic_energy(&m, &s);
        let by_mass = 0.5 * dot(&s.qd, &product(&mass_matrix(&m, &s.q), &s.qd));
        let by_energy = energy(&m, &mut EnergyData::new(&m), &s.q, &s.qd).unwrap().kinetic;
        agree("kinetic energy", &[by_mass, by_energy], &[expected; 2], 0.0, LAW);
    }

    /// xᵀ(Ṁ − 2C) y = −yᵀ(Ṁ − 2C) x; Ṁ by dual numbers from `crba`.
    #[test]
    fn the_rate_of_m_less_twice_c_is_skew(seed: u64, joints in 1..8usize) {
        let m = tree(seed, joints, Drives::Spinning).build();
        let (n, s) = (m.nv(), state(&m, seed));
        let size = scale(&mass_matrix(&m, &s.q)); // speeds are of order one
        let timed: Model<Moving> = m.cast();
        let rate: Vec<f64> = mass_matrix(&timed, &moving(&timed, &s).0).iter().map(|x| x.grad[0]).collect();
        let mut c = vec![0.0; n * n];
        coriolis(&m, &mut CoriolisData::new(&m), &s.q, &s.qd, &mut c).unwrap();
        let skew: Vec<f64> = (0..n * n).map(|k| rate[k] - 2.0 * c[k]).collect();
        for i in 0..n {
            for j in 0..=i {
                let sum = skew[i * n + j] + skew[j * n + i];
                prop_assert!(sum.abs() <= LAW * size, "{i}, {j}: {sum:.1e}");
            }
        }
    }

    /// dE/dt = τ·q̇ without friction; E from the energies, its rate by dual numbers.
    #[test]
    fn power_is_the_rate_of_energy(seed: u64, joints in 1..8usize) {
        let m = tree(seed, joints, Drives::Spinning).build().without_friction();
        let s = state(&m, seed);
        let timed: Model<Moving> = m.cast();
        let (q, qd) = moving(&timed, &s);
        let e = energy(&timed, &mut EnergyData::new(&timed), &q, &qd).unwrap();
        let tau = torques(&m, &s);
        let size = tau.iter().zip(&s.qd).fold(0.0_f64, |s, (t, v)| s.max((t * v).abs()));
        agree("power", &[dot(&tau, &s.qd)], &[(e.kinetic + e.potential).grad[0]], size, LAW);
    }

    /// Friction takes power, and takes it from the drive.
    #[test]
    fn friction_takes_power(seed: u64, joints in 1..8usize) {
        let m = tree(seed, joints, Drives::Friction).build();
        let s = state(&m, seed);
        let (with, without) = (torques(&m, &s), torques(&m.without_friction(), &s));
        for (k, f) in m.friction().iter().enumerate() {
            let v = s.qd[k];
            let coulomb = if v > 0.0 { f.coulomb_forward } else { -f.coulomb_backward };
            let stribeck = v.signum() * f.stribeck / (1.0 + (v / f.stribeck_speed).powi(2));
            agree("friction", &[with[k] - without[k]], &[f.viscous * v + coulomb + stribeck], scale(&with), LAW);
        }
        prop_assert!(m.nv() == 0 || dot(&with, &s.qd) > dot(&without, &s.qd));
    }

    /// Friction at rest: of all 3ⁿ combinations of joints that stick or start to move, one agrees with itself, and `stiction` finds it.
    #[test]
    fn one_combination_of_sticking_and_sliding_is_consistent(seed: u64, joints in 1..5usize) {
        let m = Description::random(seed, joints, Joints::Mixed, true, Drives::Coupled).build();
        let (s, tau) = near_breakaway(&m, seed);
        let n = m.nv();
        let bias = torques(&m, &State { qdd: vec![0.0; n], ..s.clone() });
        let rest: Vec<f64> = tau.iter().zip(&bias).map(|(t, b)| t - b).collect();
        let mass = mass_matrix(&m, &s.q);
        let consistent: Vec<(Vec<i32>, Vec<f64>)> = (0..3_usize.pow(n as u32))
            .filter_map(|code| {
                let directions: Vec<i32> = (0..n).map(|i| (code / 3_usize.pow(i as u32) % 3) as i32 - 1).collect();
                // Joints in motion slide, and are listed once.
                let listed = directions.iter().zip(&s.qd).all(|(direction, v)| *v == 0.0 || *direction == 1);
                let qdd = listed.then(|| sticking_and_sliding(&m, &mass, &rest, &s.qd, &directions))??;
                Some((directions, qdd))
            })
            .collect();
        prop_assert_eq!(consistent.len(), 1, "{:?}", consistent);
        let (directions, qdd) = &consistent[0];
        let found = m.forward_dynamics_with_stiction(&s.q, &s.qd, &tau).unwrap();
        // Relative to what the torques alone would do, at about 1 kg m²: elimination of 8 equations, not well conditioned.
        agree("q̈", &found.qdd, qdd, scale(&rest), 1e-9);
        for i in 0..n {
            prop_assert_eq!(found.states[i] == FrictionState::Sticking, directions[i] == 0 && s.qd[i] == 0.0);
        }
    }

    /// Friction at rest of larger robots obeys its conditions, and torques within the range of a motion produce it.
    #[test]
    fn sticking_joints_are_within_their_static_friction(seed: u64, joints in 5..14usize) {
        let m = tree(seed, joints, Drives::Spinning).build();
        let (s, tau) = near_breakaway(&m, seed);
        let found = m.forward_dynamics_with_stiction(&s.q, &s.qd, &tau).unwrap();
        let moved = torques(&m.without_friction(), &State { qdd: found.qdd.clone(), ..s.clone() });
        let sum: Vec<f64> = moved.iter().zip(&found.friction).map(|(a, b)| a + b).collect();
        agree("τ = M q̈ + b + f", &sum, &tau, 0.0, LAW);
        let (size, fastest) = (scale(&tau), scale(&found.qdd));
        for i in 0..m.nv() {
            let f = m.friction()[i];
            let (backward, forward) = (-f.coulomb_backward - f.stribeck, f.coulomb_forward + f.stribeck);
            let friction = found.friction[i];
            match found.states[i] {
                FrictionState::Sticking => {
                    prop_assert_eq!((s.qd[i], found.qdd[i]), (0.0, 0.0));
                    prop_assert!(friction >= backward - LAW * size && friction <= forward + LAW * size);
                }
                FrictionState::Sliding if s.qd[i] == 0.0 => {
                    prop_assert_eq!(friction, if found.qdd[i] > 0.0 { forward } else { backward });
                }
                _ => prop_assert_eq!(friction, f.torque(s.qd[i])),
            }
        }
        // Joints that the caller holds at rest have no sliding friction, whatever small velocity is left of them.
        let at_rest: Vec<bool> = s.qd.iter().map(|v| *v == 0.0).collect();
        let drifting = State { qd: s.qd.iter().map(|v| if *v == 0.0 { 1e-12 } else { *v }).collect(), ..s.clone() };
        let (mut d, mut qdd) = (StictionData::new(&m), vec![0.0; m.nv()]);
        stiction_at_rest(&m, &mut d, &drifting.q, &drifting.qd, &tau, &at_rest, &mut qdd).unwrap();
        agree("q̈ of drifting joints", &qdd, &found.qdd, fastest.max(1.0), 1e-9);
        prop_assert_eq!(d.states(), &found.states[..]);
        // There and back: the torques of a motion from rest, anywhere within their range where joints are held.
        let mut motion = State { qd: s.qd.clone(), ..s.clone() };
        motion.qdd.iter_mut().step_by(2).for_each(|a| *a = 0.0);
        let needed = m.inverse_dynamics_with_stiction(&motion.q, &motion.qd, &motion.qdd).unwrap();
        let ranges = m.torque_ranges(&motion.qd, &motion.qdd, &needed).unwrap();
        prop_assert!(needed.iter().zip(&ranges).all(|(tau, [low, high])| low <= tau && tau <= high), "{:?}", ranges);
        let explained = explain(&m, &RneaData::new(&m).boundary, &motion.q, &motion.qd, &motion.qdd).unwrap();
        let sum = |e: &Explanation<f64>| e.contributions.iter().map(|c| c.torque).sum::<f64>();
        agree("sum of contributions", &explained.iter().map(sum).collect::<Vec<_>>(), &needed, 0.0, LAW);
        let rng = &mut random::source(seed);
        let tau: Vec<f64> = ranges.iter().map(|[a, b]| a + rng.random_range(0.01..0.99) * (b - a)).collect();
        let back = m.forward_dynamics_with_stiction(&motion.q, &motion.qd, &tau).unwrap();
        agree("q̈ of its torques", &back.qdd, &motion.qdd, fastest.max(1.0), 1e-9);
    }

    /// The world rotated and moved: gravity rotates with it, and so do the placements on the base.
    #[test]
    fn torques_do_not_depend_on_the_base_frame(seed: u64, joints in 1..8usize) {
        let description = tree(seed, joints, Drives::Coupled);
        let x = random::pose(&mut random::source(seed));
        let mut turned = description.clone();
        turned.gravity = x.rotation.rotate(Vec3::lift(description.gravity)).to_array();
        for (_, joint, _) in turned.links.iter_mut().filter(|(parent, _, _)| *parent == 0) {
            joint.placement = x.compose(&joint.placement);
        }
        let (m, t) = (description.build(), turned.build());
        let s = state(&m, seed);
        agree("tau", &torques(&t, &s), &torques(&m, &s), 0.0, LAW);
    }

    /// A link's frame turned, and shifted along its joint's axis, describes the same robot.
    #[test]
    fn torques_do_not_depend_on_the_frame_of_a_link(seed: u64, joints in 1..8usize) {
        let description = tree(seed, joints, Drives::Coupled);
        let mut rng = random::source(seed);
        let mut changed = description.clone();
        for k in 0..joints {
            let (_, joint, link) = &mut changed.links[k];
            let turn = random::pose(&mut rng).rotation;
            let back = |a: [f64; 3]| turn.inverse_rotate(Vec3::lift(a)).to_array();
            let shift = match &mut joint.kind {
                JointKind::Revolute { axis } | JointKind::Helical { axis, .. } | JointKind::Cylindrical { axis } => {
                    let along = Vec3::lift(*axis) * 0.3;
                    *axis = back(*axis);
                    along
                }
                JointKind::Prismatic { axis } => {
                    *axis = back(*axis);
                    vec3(0.1, 0.2, 0.3)
                }
                JointKind::Universal { axes } => {
                    *axes = axes.map(back);
                    Vec3::zero()
                }
                JointKind::Fixed => vec3(0.3, 0.2, 0.1),
                _ => continue,
            };
            let x = Transform::new(turn, shift);
            joint.placement = joint.placement.compose(&x);
            for part in &mut link.parts {
                part.inertia = part.inertia.transformed(&x.inverse());
            }
            for (_, child, _) in changed.links.iter_mut().filter(|(parent, _, _)| *parent == k + 1) {
                child.placement = x.inverse().compose(&child.placement);
            }
        }
        let (m, c) = (description.build(), changed.build());
        let s = state(&m, seed);
        agree("tau", &torques(&c, &s), &torques(&m, &s), 0.0, LAW);
    }

    /// τ(A + B) = τ(A) + τ(B) for the inertias of all links, and τ = Y π for any π.
    #[test]
    fn torques_are_linear_in_the_inertial_parameters(seed: u64, joints in 1..8usize) {
        let description = tree(seed, joints, Drives::Ideal);
        let mut rng = random::source(seed);
        let mut other = description.clone();
        let mut both = description.clone();
        for (a, b) in other.links.iter_mut().zip(&mut both.links) {
            a.2.parts = random::link(&mut rng, &a.2.name).parts;
            b.2.parts.extend(a.2.parts.clone());
        }
        let [a, b, sum] = [&description, &other, &both].map(Description::build);
        let s = state(&a, seed);
        let [ta, tb, tsum] = [&a, &b, &sum].map(|m| torques(m, &s));
        let added: Vec<f64> = ta.iter().zip(&tb).map(|(a, b)| a + b).collect();
        agree("tau of a sum", &tsum, &added, scale(&ta).max(scale(&tb)), LAW);

        let width = parameter_count(&a);
        let mut y = vec![0.0; a.nv() * width];
        regressor(&a, &mut RegressorData::new(&a), &s.q, &s.qd, &s.qdd, &mut y).unwrap();
        // Y is that of the first robot's shape; π that of another robot.
        let pi: Vec<f64> = parameters(&b).iter().map(|p| p.value).collect();
        agree("Y pi", &product(&y, &pi), &tb, 0.0, LAW);
    }

    /// What a joint does not do stays where it is: q ⊞ (p ⊟ q) = p, (q ⊞ v) ⊟ q = v, q ⊞ 0 = q.
    #[test]
    fn configurations_add_and_subtract(seed: u64, joints in 1..8usize) {
        let m = tree(seed, joints, Drives::Ideal).build();
        let mut rng = random::source(seed);
        let (a, b) = (State::random(&m, &mut rng), State::random(&m, &mut rng));
        let (mut v, mut q) = (vec![0.0; m.nv()], vec![0.0; m.nq()]);
        m.difference(&a.q, &b.q, &mut v).unwrap();
        m.integrate(&a.q, &v, &mut q).unwrap();
        agree_poses(&m, &q, &b.q);
        // Turns by less than π, so that they are the smallest ones.
        let small = random::numbers(&mut rng, m.nv(), 1.5);
        m.integrate(&a.q, &small, &mut q).unwrap();
        m.difference(&a.q, &q, &mut v).unwrap();
        agree("q + v - q", &v, &small, 1.0, LAW);
        m.integrate(&a.q, &vec![0.0; m.nv()], &mut q).unwrap();
        agree("q + 0", &q, &a.q, 1.0, LAW);
        m.difference(&a.q, &a.q, &mut v).unwrap();
        agree("q - q", &v, &vec![0.0; m.nv()], 1.0, LAW);
        for (_, body) in m.base_to_tip().filter(|(_, b)| b.pair.nq() != b.pair.nv()) {
            let end = body.q + body.pair.nq();
            for q in [&q, &b.q] {
                agree("unit quaternion", &[dot(&q[end - 4..end], &q[end - 4..end])], &[1.0], 0.0, LAW);
            }
        }
    }

    /// Where q is neutral every joint is at its placement.
    #[test]
    fn the_neutral_configuration_is_the_placements(seed: u64, joints in 1..8usize) {
        let description = tree(seed, joints, Drives::Ideal);
        let m = description.build();
        let mut q = vec![f64::NAN; m.nq()];
        m.neutral(&mut q).unwrap();
        let mut k = KinematicsData::new(&m);
        kinematics(&m, &mut k, &q).unwrap();
        let mut poses = vec![Transform::identity()];
        for (number, (parent, joint, _)) in description.links.iter().enumerate() {
            poses.push(poses[*parent].compose(&joint.placement));
            agree("pose", &k.link_pose(&m, LinkId::new(number + 1)).unwrap().components(), &poses[number + 1].components(), 1.0, LAW);
        }
    }

    /// To the bit.
    #[test]
    fn a_payload_of_nothing_is_none(seed: u64, joints in 1..8usize) {
        let m = tree(seed, joints, Drives::Spinning).build();
        let s = state(&m, seed);
        let pose = random::pose(&mut random::source(seed));
        for link in m.link_ids() {
            let loaded = m.with_payload("nothing", link, Inertia::zero(), pose).unwrap();
            prop_assert_eq!(bits(&torques(&loaded, &s)), bits(&torques(&m, &s)));
            prop_assert_eq!(bits(&mass_matrix(&loaded, &s.q)), bits(&mass_matrix(&m, &s.q)));
        }
    }

    #[test]
    fn a_payload_is_a_part_of_its_link(seed: u64, joints in 1..8usize) {
        let description = tree(seed, joints, Drives::Spinning);
        let m = description.build();
        let s = state(&m, seed);
        let mut rng = random::source(seed);
        let (inertia, pose) = (random::inertia(&mut rng), random::pose(&mut rng));
        let at = rng.random_range(0..joints);
        let mut built_in = description.clone();
        built_in.links[at].2 = built_in.links[at].2.clone().part("load", inertia, pose);
        let loaded = m.with_payload("load", LinkId::new(at + 1), inertia, pose).unwrap();
        let built_in = built_in.build();
        agree("tau", &torques(&loaded, &s), &torques(&built_in, &s), 0.0, LAW);
        agree("M", &mass_matrix(&loaded, &s.q), &mass_matrix(&built_in, &s.q), 0.0, LAW);
        prop_assert_eq!(bits(&torques(&loaded.without_payloads(), &s)), bits(&torques(&m, &s)));
    }

    /// The expanded tensor form of the recursion, `rnea`, and its spatial form agree, with a moving base and wrenches.
    #[test]
    fn the_recursion_in_tensor_and_in_spatial_form_agree(seed: u64, joints in 1..12usize) {
        let m = tree(seed, joints, Drives::Coupled).build();
        let s = state(&m, seed);
        let mut rng = random::source(seed);
        let mut vector = || Vec3::from_fn(|_| random::number(&mut rng, 2.0));
        let mut d = RneaData::new(&m);
        d.boundary.base_velocity = Motion::new(vector(), vector());
        d.boundary.base_acceleration = Motion::new(vector(), vector());
        for link in m.link_ids() {
            d.boundary.add_external_wrench(&m, link, Force::new(vector(), vector())).unwrap();
        }
        let (mut tensor, mut spatial) = (vec![0.0; m.nv()], vec![0.0; m.nv()]);
        rnea(&m, &mut d, &s.q, &s.qd, &s.qdd, &mut tensor).unwrap();
        rnea_spatial(&m, &d.boundary, &s.q, &s.qd, &s.qdd, &mut spatial).unwrap();
        agree("tau", &spatial, &tensor, 0.0, LAW);
    }

    /// A wrench from outside takes Jᵀ f off the torques, J by differentiating the pose of the link; and `aba` undoes it.
    #[test]
    fn a_wrench_from_outside_acts_by_the_jacobian(seed: u64, joints in 1..8usize) {
        let m = tree(seed, joints, Drives::Spinning).build();
        let s = state(&m, seed);
        let mut rng = random::source(seed);
        let link = LinkId::new(rng.random_range(0..=joints));
        let f = Force::from_components(core::array::from_fn(|_| random::number(&mut rng, 20.0)));
        let mut d = RneaData::new(&m);
        d.boundary.add_external_wrench(&m, link, f).unwrap();
        let mut tau = vec![0.0; m.nv()];
        rnea(&m, &mut d, &s.q, &s.qd, &s.qdd, &mut tau).unwrap();
        let free = torques(&m, &s);
        let by_jacobian: Vec<f64> = (0..m.nv()).map(|k| free[k] - velocity_of(&m, link, &s.q, k).dot(f)).collect();
        agree("tau", &tau, &by_jacobian, scale(&free), LAW);

        let mut forward = AbaData::new(&m);
        forward.boundary.clone_from(&d.boundary);
        let mut qdd = vec![0.0; m.nv()];
        aba(&m, &mut forward, &s.q, &s.qd, &tau, &mut qdd).unwrap();
        // M is inverted: its condition number is up to about 1e4.
        agree("qdd", &qdd, &s.qdd, 1.0, 1e4 * LAW);
        d.boundary.clear_wrenches();
        rnea(&m, &mut d, &s.q, &s.qd, &s.qdd, &mut tau).unwrap();
        prop_assert_eq!(bits(&tau), bits(&free));
    }

    /// A moving base is the same robot on a free joint that is made to move so.
    #[test]
    fn a_moving_base_is_a_free_joint_in_motion(seed: u64, joints in 1..6usize) {
        let description = tree(seed, joints, Drives::Spinning);
        let mut floating = description.clone();
        floating.links.iter_mut().for_each(|(parent, _, _)| *parent += 1);
        floating.rotors.iter_mut().for_each(|(_, _, mount)| *mount = mount.map(|(link, axis)| (link + 1, axis)));
        floating.links.insert(0, (0, Joint::new("float", JointKind::Free), Link::new("hull")));
        let f = floating.build();
        let s = state(&f, seed);
        let rotation = Rotation::quaternion([s.q[3], s.q[4], s.q[5], s.q[6]]);
        let mut standing = description.clone();
        standing.gravity = rotation.inverse_rotate(Vec3::lift(description.gravity)).to_array();
        let m = standing.build();

        let three = |x: &[f64]| vec3(x[0], x[1], x[2]);
        let (v, w) = (three(&s.qd), three(&s.qd[3..]));
        let mut d = RneaData::new(&m);
        d.boundary.base_velocity = Motion::new(w, v);
        d.boundary.base_acceleration = Motion::new(three(&s.qdd[3..]), three(&s.qdd) + w.cross(v));
        let mut tau = vec![0.0; m.nv()];
        rnea(&m, &mut d, &s.q[7..], &s.qd[6..], &s.qdd[6..], &mut tau).unwrap();
        let expected = torques(&f, &s);
        let size = scale(&expected);
        agree("tau", &tau, &expected[6..], size, LAW);
        let base = d.base_wrench(&m).unwrap();
        agree("force on the base", &base.force.to_array(), &expected[..3], size, LAW);
        agree("moment on the base", &base.moment.to_array(), &expected[3..6], size, LAW);

        let mut forward = AbaData::new(&m);
        forward.boundary.clone_from(&d.boundary);
        let mut qdd = vec![0.0; m.nv()];
        aba(&m, &mut forward, &s.q[7..], &s.qd[6..], &tau, &mut qdd).unwrap();
        agree("qdd", &qdd, &s.qdd[6..], 1.0, 1e4 * LAW);
    }

    /// Links fixed to links are one body, wherever the frames are; and each keeps its own pose.
    #[test]
    fn merged_links_are_one_body(seed: u64, joints in 1..6usize) {
        let description = tree(seed, joints, Drives::Coupled);
        let mut rng = random::source(seed);
        // Each link's parts, and all that it carries, on a link of its own behind a fixed joint.
        let mut spelled = description.clone();
        spelled.links.clear();
        let mut pieces = vec![(0, Transform::identity())];
        for (parent, joint, link) in &description.links {
            let (on, x) = pieces[*parent];
            let mut joint = joint.clone();
            joint.placement = x.inverse().compose(&joint.placement);
            spelled.links.push((on, joint, Link::new(&format!("{} frame", link.name))));
            let frame = spelled.links.len();
            let x = random::pose(&mut rng);
            let fixed = Joint::fixed(&format!("{} weld", link.name)).at(x);
            let mut piece = Link::new(&link.name);
            for part in &link.parts {
                piece = piece.part(&part.name, part.inertia, x.inverse());
            }
            spelled.links.push((frame, fixed, piece));
            pieces.push((spelled.links.len(), x));
        }
        let (m, p) = (description.build(), spelled.build());
        prop_assert_eq!((m.nq(), m.nv(), m.body_count()), (p.nq(), p.nv(), p.body_count()));
        let s = state(&m, seed);
        agree("tau", &torques(&p, &s), &torques(&m, &s), 0.0, LAW);
        let (mut a, mut b) = (KinematicsData::new(&m), KinematicsData::new(&p));
        kinematics(&m, &mut a, &s.q).unwrap();
        kinematics(&p, &mut b, &s.q).unwrap();
        for (k, (number, x)) in pieces.iter().enumerate() {
            let expected = a.link_pose(&m, LinkId::new(k)).unwrap().compose(x);
            agree("pose", &b.link_pose(&p, LinkId::new(*number)).unwrap().components(), &expected.components(), 1.0, LAW);
        }
    }

    /// A composite joint is its single joints in a row, with nothing between.
    #[test]
    fn composite_joints_are_single_joints_in_a_row(seed: u64, joints in 1..6usize) {
        let description = Description::random(seed, joints, Joints::SingleAxis, true, Drives::Friction);
        let mut single = description.clone();
        single.links.clear();
        let mut numbers = vec![0];
        for (parent, joint, link) in &description.links {
            let members = members(&joint.kind);
            let mut on = numbers[*parent];
            for (k, kind) in members.iter().enumerate() {
                let name = format!("{} {k}", joint.name);
                let mut one = Joint::new(&name, *kind);
                one.drives = joint.drives[k..=k].to_vec();
                if k == 0 {
                    one.placement = joint.placement;
                }
                let last = k + 1 == members.len();
                single.links.push((on, one, if last { link.clone() } else { Link::new(&name) }));
                on = single.links.len();
            }
            if members.is_empty() {
                single.links.push((on, joint.clone(), link.clone()));
                on = single.links.len();
            }
            numbers.push(on);
        }
        let (m, p) = (description.build(), single.build());
        let s = state(&m, seed);
        agree("tau", &torques(&p, &s), &torques(&m, &s), 0.0, LAW);
        agree("M", &mass_matrix(&p, &s.q), &mass_matrix(&m, &s.q), 0.0, LAW);
    }
}

/// A state with about two thirds of the joints at rest, and torques that exceed about half of their static frictions.
fn near_breakaway(m: &Model<f64>, seed: u64) -> (State, Vec<f64>) {
    let mut s = state(m, seed);
    let rng = &mut random::source(seed ^ 0x1234);
    s.qd.iter_mut().for_each(|v| *v *= f64::from(u8::from(rng.random_range(0.0..3.0) < 1.0)));
    let bias = torques(m, &State { qdd: vec![0.0; m.nv()], ..s.clone() });
    let limit = |k: usize| 0.5 * (m.friction()[k].coulomb_forward + m.friction()[k].coulomb_backward);
    let tau = bias.iter().enumerate().map(|(k, b)| b + (0.1 + 4.0 * limit(k)) * random::number(rng, 1.0)).collect();
    (s, tau)
}

/// q̈ where each joint at rest sticks (0) or starts to move forward (1) or backward (−1), by elimination of
/// M q̈ + f = r with one condition for each joint; none if it contradicts the friction.
fn sticking_and_sliding(
    m: &Model<f64>,
    mass: &[f64],
    rest: &[f64],
    qd: &[f64],
    directions: &[i32],
) -> Option<Vec<f64>> {
    let n = rest.len();
    let mut rows = vec![vec![0.0; 2 * n + 1]; 2 * n];
    let limits = |i: usize| {
        let f = m.friction()[i];
        (-f.coulomb_backward - f.stribeck, f.coulomb_forward + f.stribeck)
    };
    for i in 0..n {
        rows[i][..n].copy_from_slice(&mass[i * n..(i + 1) * n]);
        (rows[i][n + i], rows[i][2 * n]) = (1.0, rest[i]);
        let condition = &mut rows[n + i];
        match directions[i] {
            _ if qd[i] != 0.0 => condition[n + i] = 1.0, // its friction is in r
            0 => condition[i] = 1.0,
            direction => {
                (condition[n + i], condition[2 * n]) = (1.0, if direction > 0 { limits(i).1 } else { limits(i).0 })
            }
        }
    }
    for k in 0..2 * n {
        let pivot = (k..2 * n).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs())).unwrap();
        rows.swap(k, pivot);
        let top = rows[k].clone();
        for row in rows.iter_mut().skip(k + 1) {
            let factor = row[k] / top[k];
            row.iter_mut().zip(&top).for_each(|(x, t)| *x -= factor * t);
        }
    }
    let mut x = vec![0.0; 2 * n];
    for k in (0..2 * n).rev() {
        let sum: f64 = (k + 1..2 * n).map(|j| rows[k][j] * x[j]).sum();
        x[k] = (rows[k][2 * n] - sum) / rows[k][k];
    }
    let holds = |i: usize| match directions[i] {
        _ if qd[i] != 0.0 => true,
        0 => (limits(i).0..=limits(i).1).contains(&x[n + i]),
        direction => f64::from(direction) * x[i] > 0.0,
    };
    (0..n).all(holds).then(|| x[..n].to_vec())
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// Two configurations put every link in the same place (a quaternion and its negative do).
#[track_caller]
fn agree_poses(m: &Model<f64>, a: &[f64], b: &[f64]) {
    let (mut x, mut y) = (KinematicsData::new(m), KinematicsData::new(m));
    kinematics(m, &mut x, a).unwrap();
    kinematics(m, &mut y, b).unwrap();
    for link in m.link_ids() {
        agree(
            "pose",
            &x.link_pose(m, link).unwrap().components(),
            &y.link_pose(m, link).unwrap().components(),
            1.0,
            LAW,
        );
    }
}

/// How a link moves, in its own axes, per unit of degree of freedom k: from the pose itself, by dual numbers.
fn velocity_of(m: &Model<f64>, link: LinkId, q: &[f64], k: usize) -> Motion<f64> {
    let timed: Model<Moving> = m.cast();
    let mut qd = vec![0.0; m.nv()];
    qd[k] = 1.0;
    let (q, _) = moving(&timed, &State { q: q.to_vec(), qdd: qd.clone(), qd });
    let mut d = KinematicsData::new(&timed);
    kinematics(&timed, &mut d, &q).unwrap();
    let pose = d.link_pose(&timed, link).unwrap();
    let (now, rate) = (pose.map(|x| x.value), pose.map(|x| x.grad[0]));
    // Ṙ = R ω̂
    let (r, d) = (now.rotation, rate.rotation);
    Motion::new(vec3(r.z.dot(d.y), r.x.dot(d.z), r.y.dot(d.x)), r.inverse_rotate(rate.translation))
}

/// The single joints of a joint, base to tip, as the kinds' documentation says.
fn members(kind: &JointKind) -> Vec<JointKind> {
    let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let turn = |axis| JointKind::Revolute { axis };
    let slide = |axis| JointKind::Prismatic { axis };
    match *kind {
        JointKind::Fixed => vec![],
        JointKind::Cylindrical { axis } => vec![turn(axis), slide(axis)],
        JointKind::Universal { axes: [a, b] } => vec![turn(a), turn(b)],
        JointKind::Planar => vec![slide(x), slide(y), turn(z)],
        JointKind::Translation => vec![slide(x), slide(y), slide(z)],
        JointKind::Generalized { rotations, translations, order } => {
            let chosen = |which: [bool; 3], all: [JointKind; 3]| -> Vec<JointKind> {
                (0..3).filter(|&k| which[k]).map(|k| all[k]).collect()
            };
            let turns = chosen(rotations, [turn(z), turn(y), turn(x)]);
            let slides = chosen(translations, [slide(x), slide(y), slide(z)]);
            match order {
                Order::RotationFirst => [turns, slides].concat(),
                Order::TranslationFirst => [slides, turns].concat(),
            }
        }
        one => vec![one],
    }
}

/// Angles of yaw, pitch and roll and their rates, as what a free body has: its quaternion, ω and ω̇ in its own axes, and
/// E with ω = E θ̇ (by columns).
fn turning(
    angles: [f64; 3],
    rates: [f64; 3],
    accelerations: [f64; 3],
) -> ([f64; 4], Vec3<f64>, Vec3<f64>, [Vec3<f64>; 3]) {
    type Twice = Dual<Dual<f64, 1>, 1>;
    let spin = |rates: [f64; 3], accelerations: [f64; 3]| {
        let angle = |k: usize| Twice {
            value: Dual { value: angles[k], grad: [rates[k]] },
            grad: [Dual { value: rates[k], grad: [accelerations[k]] }],
        };
        let r = Rotation::rpy(angle(2), angle(1), angle(0));
        let (now, rate) = (r.map(|x| x.value), r.map(|x| x.grad[0]));
        vec3(now.z.dot(rate.y), now.x.dot(rate.z), now.y.dot(rate.x)) // Ṙ = R ω̂
    };
    let omega = spin(rates, accelerations);
    let unit = |k: usize| {
        let mut one = [0.0; 3];
        one[k] = 1.0;
        spin(one, [0.0; 3]).map(|x| x.value)
    };
    let times = |[a, b, c, d]: [f64; 4], [e, f, g, h]: [f64; 4]| {
        let v = vec3(a, b, c) * h + vec3(e, f, g) * d + vec3(a, b, c).cross(vec3(e, f, g));
        [v.x, v.y, v.z, d * h - vec3(a, b, c).dot(vec3(e, f, g))]
    };
    let [(sz, cz), (sy, cy), (sx, cx)] = angles.map(|x| (0.5 * x).sin_cos());
    let quaternion = times([0.0, 0.0, sz, cz], times([0.0, sy, 0.0, cy], [sx, 0.0, 0.0, cx]));
    (quaternion, omega.map(|x| x.value), omega.map(|x| x.grad[0]), [unit(0), unit(1), unit(2)])
}

/// The wrench of all weights about the base's origin, and the pose of each link.
fn weight(m: &Model<f64>, q: &[f64]) -> Force<f64> {
    let mut k = KinematicsData::new(m);
    kinematics(m, &mut k, q).unwrap();
    let mut sum = Force::zero();
    for (number, link) in m.link_ids().zip(m.links()) {
        for part in &link.parts {
            let (mass, c) = (part.inertia.mass, k.link_pose(m, number).unwrap().point(part.inertia.centre()));
            sum += Force::new(c.cross(m.gravity() * mass), m.gravity() * mass);
        }
    }
    sum
}

/// Motion without torques for `time`, by classical Runge–Kutta in all of q (a quaternion's length is divided out).
fn swing(m: &Model<f64>, s: &State, time: f64, steps: usize) -> State {
    let timed: Model<Moving> = m.cast();
    let (mut d, rest, h) = (AbaData::new(m), vec![0.0; m.nv()], time / steps as f64);
    let mut rate = |s: &State| {
        let mut qdd = vec![0.0; m.nv()];
        aba(m, &mut d, &s.q, &s.qd, &rest, &mut qdd).unwrap();
        (moving(&timed, s).0.iter().map(|x| x.grad[0]).collect::<Vec<f64>>(), qdd)
    };
    let after = |s: &State, (a, b): &(Vec<f64>, Vec<f64>), h: f64| {
        let step = |x: &[f64], d: &[f64]| -> Vec<f64> { x.iter().zip(d).map(|(x, d)| x + h * d).collect() };
        State { q: step(&s.q, a), qd: step(&s.qd, b), qdd: vec![0.0; b.len()] }
    };
    let mut s = State { qdd: rest.clone(), ..s.clone() };
    for _ in 0..steps {
        let k1 = rate(&s);
        let k2 = rate(&after(&s, &k1, 0.5 * h));
        let k3 = rate(&after(&s, &k2, 0.5 * h));
        let k4 = rate(&after(&s, &k3, h));
        let mean = |a: &[f64], b: &[f64], c: &[f64], d: &[f64]| -> Vec<f64> {
            (0..a.len()).map(|k| (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]) / 6.0).collect()
        };
        s = after(&s, &(mean(&k1.0, &k2.0, &k3.0, &k4.0), mean(&k1.1, &k2.1, &k3.1, &k4.1)), h);
    }
    s
}

proptest! {
    #![proptest_config(cases(128))]

    /// The drift of energy is that of the method: of fourth order, so that half the step leaves a sixteenth of it (an
    /// eighth is required), or so small that rounding hides it.
    #[test]
    fn energy_is_conserved(seed: u64, joints in 1..6usize) {
        let m = tree(seed, joints, Drives::Spinning).build().without_friction();
        let s = state(&m, seed);
        let total = |s: &State| {
            let e = energy(&m, &mut EnergyData::new(&m), &s.q, &s.qd).unwrap();
            (e.kinetic + e.potential, e.kinetic.abs() + e.potential.abs())
        };
        let (before, size) = total(&s);
        let drift = |steps| (total(&swing(&m, &s, 0.02, steps)).0 - before).abs() / size.max(f64::MIN_POSITIVE);
        let (coarse, fine) = (drift(10), drift(20));
        prop_assert!(coarse < 1e-5 && fine < (coarse / 8.0).max(1e-12), "{coarse:.1e}, {fine:.1e}");
    }

    /// A spherical or a free joint against yaw, pitch and roll: other coordinates of the same motion, τ_θ = Eᵀ τ_ω.
    #[test]
    fn quaternions_and_angles_tell_the_same_motion(seed: u64, joints in 1..6usize, at in 0..6usize, slides: bool) {
        let (at, translations) = (at % joints, [slides; 3]);
        let mut description = tree(seed, joints, Drives::Ideal);
        description.links.iter_mut().for_each(|(_, j, _)| j.drives.clear());
        let mut by_angles = description.clone();
        description.links[at].1.kind = if slides { JointKind::Free } else { JointKind::Spherical };
        by_angles.links[at].1.kind =
            JointKind::Generalized { rotations: [true; 3], translations, order: Order::TranslationFirst };
        let (m, p) = (description.build(), by_angles.build());
        let s = state(&p, seed);
        let (iq, iv) = (p.joints()[at].q.start, p.joints()[at].v.start);
        let width = if slides { 3 } else { 0 };
        let three = |x: &[f64], from: usize| [x[from], x[from + 1], x[from + 2]];
        let [angles, rates, accelerations] = [(&s.q, iq), (&s.qd, iv), (&s.qdd, iv)].map(|(x, i)| three(x, i + width));
        let (quaternion, omega, alpha, columns) = turning(angles, rates, accelerations);
        let rotation = Rotation::rpy(angles[2], angles[1], angles[0]);
        let (mut own_q, mut own_v, mut own_a) = (vec![], vec![], vec![]);
        if slides {
            let v = rotation.inverse_rotate(Vec3::lift(three(&s.qd, iv)));
            let a = rotation.inverse_rotate(Vec3::lift(three(&s.qdd, iv))) - omega.cross(v);
            own_q.extend(three(&s.q, iq));
            own_v.extend(v.to_array());
            own_a.extend(a.to_array());
        }
        own_q.extend(quaternion);
        own_v.extend(omega.to_array());
        own_a.extend(alpha.to_array());
        let put = |x: &[f64], at: usize, own: &[f64]| [&x[..at], own, &x[at + width + 3..]].concat();
        let other = State { q: put(&s.q, iq, &own_q), qd: put(&s.qd, iv, &own_v), qdd: put(&s.qdd, iv, &own_a) };
        let mut expected = torques(&m, &other);
        if slides {
            let f = rotation.rotate(Vec3::lift(three(&expected, iv)));
            expected[iv..iv + 3].copy_from_slice(&f.to_array());
        }
        let moment = Vec3::lift(three(&expected, iv + width));
        for (k, column) in columns.iter().enumerate() {
            expected[iv + width + k] = column.dot(moment);
        }
        agree("tau", &torques(&p, &s), &expected, 0.0, LAW);
    }

    /// A rotor that spins in a link is a real body behind a revolute joint whose speed is that of the gear.
    #[test]
    fn a_spinning_rotor_is_a_body_that_spins(seed: u64, joints in 1..7usize) {
        let description = tree(seed, joints, Drives::Rotors);
        let mut rng = random::source(seed);
        let rng = &mut rng;
        let names = description.degrees();
        prop_assume!(!names.is_empty());
        let carrier = rng.random_range(1..=joints);
        let (axis, centre) = (random::axis(rng), random::pose(rng).translation);
        let (spin, across, mass) = (rng.random_range(1e-4..1e-2), rng.random_range(1e-3..1e-2), rng.random_range(0.1..2.0));
        let e: Vec3<f64> = Vec3::lift(axis);
        let (d, x) = (spin - across, e);
        let tensor = Sym3 {
            xx: across + d * x.x * x.x,
            xy: d * x.x * x.y,
            xz: d * x.x * x.z,
            yy: across + d * x.y * x.y,
            yz: d * x.y * x.z,
            zz: across + d * x.z * x.z,
        };
        let rotor = Inertia::about_centre(mass, Vec3::zero(), tensor);
        let at = Transform::from_translation(centre);
        let mut gears = vec![(names[0].clone(), random::number(rng, 10.0))];
        for name in &names[1..] {
            if rng.random() {
                gears.push((name.clone(), random::number(rng, 10.0)));
            }
        }
        let gear = |n: &String| gears.iter().find(|(name, _)| name == n).map_or(0.0, |(_, g)| *g);
        let gear: Vec<f64> = names.iter().map(gear).collect();

        let mut geared = description.clone();
        let link = &mut geared.links[carrier - 1].2;
        *link = link.clone().part("rotor", rotor, at);
        geared.rotors.push((spin, gears, Some((carrier, axis))));
        let mut real = description.clone();
        real.links.push((carrier, Joint::revolute("spin", axis).at(at), Link::new("rotor").part("rotor", rotor, Transform::identity())));
        let (m, r) = (geared.build(), real.build());
        let (n, s) = (m.nv(), state(&m, seed));
        let with = |x: &[f64], last: f64| [x, &[last]].concat();
        let turned = State { q: with(&s.q, 0.7), qd: with(&s.qd, dot(&gear, &s.qd)), qdd: with(&s.qdd, dot(&gear, &s.qdd)) };
        let bodies = torques(&r, &turned);
        let expected: Vec<f64> = (0..n).map(|k| bodies[k] + gear[k] * bodies[n]).collect();
        agree("tau", &torques(&m, &s), &expected, 0.0, LAW);
        let big = mass_matrix(&r, &turned.q);
        let at = |i: usize, j: usize| big[i * (n + 1) + j];
        let reduced = |i: usize, j: usize| at(i, j) + gear[i] * at(n, j) + at(i, n) * gear[j] + gear[i] * at(n, n) * gear[j];
        let expected: Vec<f64> = (0..n * n).map(|k| reduced(k / n, k % n)).collect();
        agree("M", &mass_matrix(&m, &s.q), &expected, 0.0, LAW);
    }

    /// Newton and Euler for the whole robot: what the ground exerts, and all weights, change its momentum.
    #[test]
    fn the_ground_reaction_is_the_rate_of_momentum(seed: u64, joints in 1..8usize) {
        let m = tree(seed, joints, Drives::Spinning).build();
        prop_assume!(m.nv() > 0); // else nothing moves, and no centre of mass does
        let s = state(&m, seed);
        let timed: Model<Moving> = m.cast();
        let (q, qd) = moving(&timed, &s);
        let rate = momentum(&timed, &mut EnergyData::new(&timed), &q, &qd).unwrap().about_origin.map(|x| x.grad[0]);
        let mut d = RneaData::new(&m);
        let mut tau = vec![0.0; m.nv()];
        rnea(&m, &mut d, &s.q, &s.qd, &s.qdd, &mut tau).unwrap();
        let ground = d.base_wrench(&m).unwrap() + weight(&m, &s.q);
        agree("rate of momentum", &ground.components(), &rate.components(), scale(&d.base_wrench(&m).unwrap().components()), LAW);
    }

    /// Constraint wrenches do no work, the drives do all of it; and every frame gives the same wrench.
    #[test]
    fn constraints_do_no_work(seed: u64, joints in 1..8usize) {
        let m = tree(seed, joints, Drives::Ideal).build();
        let s = state(&m, seed);
        let (mut d, mut k) = (RneaData::new(&m), KinematicsData::new(&m));
        let mut tau = vec![0.0; m.nv()];
        rnea(&m, &mut d, &s.q, &s.qd, &s.qdd, &mut tau).unwrap();
        kinematics(&m, &mut k, &s.q).unwrap();
        for (number, joint) in m.joint_ids().zip(m.joints()) {
            let world = d.wrenches(&m, number, WrenchFrame::World).unwrap();
            for (w, body) in world.iter().zip(joint.bodies.clone()) {
                let size = scale(&w.total.components());
                for v in m.body(body).dofs() {
                    let screw = k.screws()[v];
                    agree("work of constraints", &[screw.dot(w.constraint)], &[0.0], size.max(scale(&tau)), LAW);
                    agree("work of the drive", &[screw.dot(w.actuation)], &[tau[v]], size.max(scale(&tau)), LAW);
                }
                agree("sum", &(w.actuation + w.constraint).components(), &w.total.components(), size, LAW);
            }
            let (child, parent) = (k.link_pose(&m, joint.child).unwrap(), k.link_pose(&m, joint.parent).unwrap());
            let frame = random::pose(&mut random::source(seed));
            for (frame, pose) in [
                (WrenchFrame::Local, child),
                (WrenchFrame::Parent, parent),
                (WrenchFrame::LocalWorldAligned, Transform::from_translation(child.translation)),
                (WrenchFrame::At(frame), child.compose(&frame)),
            ] {
                for (seen, w) in d.wrenches(&m, number, frame).unwrap().iter().zip(&world) {
                    let size = scale(&w.total.components());
                    agree("frame", &pose.force(seen.total).components(), &w.total.components(), size, LAW);
                    agree("frame", &pose.force(seen.constraint).components(), &w.constraint.components(), size, LAW);
                }
            }
        }
    }
}
