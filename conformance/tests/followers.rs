//! Joints that follow others (mimic joints) and locked joints: the equations of motion are those of the tree of independent
//! joints in the coordinates s = G q + o, with G and o made here from the description.

use armdyn_core::{
    BASE, Boundary, CoefficientsData, CoriolisData, DerivativesData, Direction, Drive, EffortRange, Error, Force,
    JacobianFrame, Joint, JointId, Limits, Link, Mimic, Model, ModelBuilder, Motion, RneaData, Transform, WrenchFrame,
    christoffel, coefficients, coriolis, explain, parameters, rnea, rnea_derivatives, rnea_spatial, vec3,
};
use armdyn_testkit::random::{self, Description, Drives, Joints, State};
use std::collections::HashMap;

/// A robot with followers, the same with every joint independent, and the rows of s = G q + o: for each degree of freedom of
/// the tree its leader's in q, the multiplier and the offset.
struct Pair {
    model: Model<f64>,
    tree: Model<f64>,
    rows: Vec<(usize, f64, f64)>,
}

impl Pair {
    fn new(seed: u64, joints: Joints, drives: Drives) -> Self {
        let described = Description::random(seed, 7, joints, true, drives).with_followers(seed + 50);
        let mut independent = described.clone();
        independent.links.iter_mut().for_each(|(_, joint, _)| joint.mimic = None);
        let (model, tree) = (described.build(), independent.build());
        let mimics: HashMap<&str, &Mimic> =
            described.links.iter().filter_map(|(_, j, _)| Some((j.name.as_str(), j.mimic.as_ref()?))).collect();
        let row = |name: &String| {
            let (mut leader, mut r, mut o) = (name.as_str(), 1.0, 0.0);
            while let Some(m) = mimics.get(leader) {
                (leader, r, o) = (m.joint.as_str(), r * m.multiplier, o + r * m.offset);
            }
            (model.dof(leader).unwrap().index(), r, o)
        };
        let rows = tree.dof_names().iter().map(row).collect();
        Pair { model, tree, rows }
    }

    fn all() -> impl Iterator<Item = Pair> {
        let kinds =
            [(Joints::Mixed, Drives::Ideal), (Joints::Mixed, Drives::Coupled), (Joints::SingleAxis, Drives::Spinning)];
        let all = (0..6).flat_map(move |k| kinds.map(|(joints, drives)| Pair::new(2000 + k, joints, drives)));
        all.filter(|pair| !pair.model.followers().is_empty())
    }

    fn state(&self) -> State {
        State::random(&self.model, &mut random::source(17))
    }

    fn positions(&self, q: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|&(k, r, o)| r * q[k] + o).collect()
    }

    fn rates(&self, qd: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|&(k, r, _)| r * qd[k]).collect()
    }

    /// Gᵀ x.
    fn reduced(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.model.nv()];
        self.rows.iter().zip(x).for_each(|(&(k, r, _), x)| out[k] += r * x);
        out
    }

    /// Gᵀ A G.
    fn reduced_square(&self, a: &[f64]) -> Vec<f64> {
        let (n, size) = (self.model.nv(), self.tree.nv());
        let mut out = vec![0.0; n * n];
        for (i, &(k, r, _)) in self.rows.iter().enumerate() {
            for (j, &(l, s, _)) in self.rows.iter().enumerate() {
                out[k * n + l] += r * s * a[i * size + j];
            }
        }
        out
    }
}

/// The same sums in another order: rounding of some hundreds of terms.
fn agree(what: &str, m: &Model<f64>, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{}: {what}", m.name());
    let size = expected.iter().fold(1e-300, |s: f64, x| s.max(x.abs()));
    for (k, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= 1e-12 * size, "{}: {what}[{k}] is {a}, expected {b}", m.name());
    }
}

#[test]
fn the_equations_of_motion_are_those_of_the_tree_in_fewer_coordinates() {
    for pair in Pair::all() {
        let (m, tree, s) = (&pair.model, &pair.tree, pair.state());
        assert!(m.nv() < tree.nv() && m.nv() + m.followers().len() == tree.nv(), "{}", m.name());
        let (q, qd, qdd) = (pair.positions(&s.q), pair.rates(&s.qd), pair.rates(&s.qdd));
        let tau = m.inverse_dynamics(&s.q, &s.qd, &s.qdd).unwrap();
        agree("tau", m, &tau, &pair.reduced(&tree.inverse_dynamics(&q, &qd, &qdd).unwrap()));
        let mass = pair.reduced_square(tree.mass_matrix(&q).unwrap().as_slice());
        agree("M", m, m.mass_matrix(&s.q).unwrap().as_slice(), &mass);
        agree(
            "aba",
            m,
            &m.inverse_dynamics(&s.q, &s.qd, &m.forward_dynamics(&s.q, &s.qd, &tau).unwrap()).unwrap(),
            &tau,
        );
        let c = pair.reduced_square(tree.coriolis_matrix(&q, &qd).unwrap().as_slice());
        agree("C", m, m.coriolis_matrix(&s.q, &s.qd).unwrap().as_slice(), &c);
        let by =
            [m.inverse_dynamics_derivatives(&s.q, &s.qd, &s.qdd), tree.inverse_dynamics_derivatives(&q, &qd, &qdd)];
        let [found, expected] = by.map(Result::unwrap);
        agree("dtau/dq", m, found.dtau_dq.as_slice(), &pair.reduced_square(expected.dtau_dq.as_slice()));
        agree("dtau/dqd", m, found.dtau_dqd.as_slice(), &pair.reduced_square(expected.dtau_dqd.as_slice()));
        let (e, f) = (m.energy(&s.q, &s.qd).unwrap(), tree.energy(&q, &qd).unwrap());
        agree("energy", m, &[e.kinetic, e.potential], &[f.kinetic, f.potential]);
        let momentum = |m: &Model<f64>, q: &[f64], qd: &[f64]| m.momentum(q, qd).unwrap().about_origin.components();
        agree("momentum", m, &momentum(m, &s.q, &s.qd), &momentum(tree, &q, &qd));
        for link in m.link_ids() {
            let [a, b] = [m.link_pose(&s.q, link), tree.link_pose(&q, link)].map(Result::unwrap);
            agree("pose", m, &a.translation.to_array(), &b.translation.to_array());
            for frame in [JacobianFrame::Local, JacobianFrame::World] {
                let (found, whole) = (m.jacobian(&s.q, link, frame).unwrap(), tree.jacobian(&q, link, frame).unwrap());
                let rows = (0..6).flat_map(|k| pair.reduced(whole.row(k)));
                agree("J", m, found.as_slice(), &rows.collect::<Vec<f64>>());
            }
        }
        let y = m.regressor(&s.q, &s.qd, &s.qdd).unwrap();
        let pi: Vec<f64> = parameters(m).into_iter().map(|p| p.value).collect();
        let product = |row: &[f64]| row.iter().zip(&pi).map(|(y, p)| y * p).sum::<f64>();
        agree("Y pi", m, &(0..m.nv()).map(|k| product(y.row(k))).collect::<Vec<f64>>(), &tau);
    }
}

/// External wrenches, a moving base, joint wrenches, and the coefficients in any direction.
#[test]
fn wrenches_and_the_base_are_those_of_the_tree() {
    for pair in Pair::all() {
        let (m, tree, s) = (&pair.model, &pair.tree, pair.state());
        let (q, qd, qdd) = (pair.positions(&s.q), pair.rates(&s.qd), pair.rates(&s.qdd));
        let push = |m: &Model<f64>, b: &mut Boundary<f64>| {
            b.base_velocity = Motion::new(vec3(0.1, 0.2, -0.3), vec3(1.0, -0.4, 0.2));
            b.base_acceleration = Motion::new(vec3(0.5, -0.1, 0.3), vec3(0.2, 0.1, -0.6));
            b.add_external_wrench(m, m.last_link(), Force::new(vec3(1.0, 2.0, 3.0), vec3(4.0, -5.0, 6.0))).unwrap();
        };
        let (mut d, mut e) = (RneaData::new(m), RneaData::new(tree));
        push(m, &mut d.boundary);
        push(tree, &mut e.boundary);
        let (mut tau, mut whole) = (vec![0.0; m.nv()], vec![0.0; tree.nv()]);
        rnea(m, &mut d, &s.q, &s.qd, &s.qdd, &mut tau).unwrap();
        rnea(tree, &mut e, &q, &qd, &qdd, &mut whole).unwrap();
        agree("tau", m, &tau, &pair.reduced(&whole));
        agree("base", m, &d.base_wrench(m).unwrap().components(), &e.base_wrench(tree).unwrap().components());
        for joint in m.joint_ids() {
            let [a, b] = [d.wrenches(m, joint, WrenchFrame::World), e.wrenches(tree, joint, WrenchFrame::World)];
            for (a, b) in a.unwrap().iter().zip(b.unwrap()) {
                agree("wrench", m, &a.total.components(), &b.total.components());
            }
        }
        let explained = explain(m, &d.boundary, &s.q, &s.qd, &s.qdd).unwrap();
        let sums = explained.iter().map(|e| e.contributions.iter().map(|c| c.torque).sum::<f64>());
        agree("explained", m, &sums.collect::<Vec<f64>>(), &tau);
        if m.rotors().iter().all(|r| r.mount.is_none()) {
            rnea_spatial(m, &d.boundary, &s.q, &s.qd, &s.qdd, &mut whole[..m.nv()]).unwrap();
            agree("spatial", m, &whole[..m.nv()], &tau);
            let (mut a, mut b) = (CoefficientsData::new(m), CoefficientsData::new(tree));
            coefficients(m, &mut a, &s.q).unwrap();
            coefficients(tree, &mut b, &q).unwrap();
            let along = Direction::Force { along: vec3(0.6, 0.0, 0.8) };
            for joint in m.joint_ids().filter(|j| !m.joints()[*j].bodies.is_empty()) {
                let found = a.in_direction(m, joint, along, &s.qd, &s.qdd).unwrap();
                let expected = b.in_direction(tree, joint, along, &qd, &qdd).unwrap();
                assert!((found - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{}", m.name());
            }
        }
        let mut symbols = vec![0.0; m.nv().pow(3)];
        let mut c = vec![0.0; m.nv().pow(2)];
        christoffel(m, &mut CoriolisData::new(m), &s.q, &mut symbols).unwrap();
        coriolis(m, &mut CoriolisData::new(m), &s.q, &s.qd, &mut c).unwrap();
        let sums = symbols.chunks(m.nv()).map(|row| row.iter().zip(&s.qd).map(|(x, v)| x * v).sum::<f64>());
        agree("C by symbols", m, &sums.collect::<Vec<f64>>(), &c);
        let mut d = DerivativesData::new(m);
        push(m, &mut d.boundary);
        let (mut by_q, mut by_qd) = (c.clone(), c);
        rnea_derivatives(m, &mut d, &s.q, &s.qd, &s.qdd, &mut by_q, &mut by_qd).unwrap();
        assert!(by_q.iter().all(|x| x.is_finite()));
    }
}

/// Payloads, gravity, ideal drives and other scalars keep the followers.
#[test]
fn variants_of_a_model_keep_its_followers() {
    for pair in Pair::all() {
        let s = pair.state();
        let load = random::inertia(&mut random::source(4));
        let change = |m: &Model<f64>| {
            let loaded = m.with_payload("load", m.last_link(), load, Transform::identity()).unwrap();
            let turned = loaded.with_gravity(vec3(1.0, -2.0, 3.0));
            [turned.clone(), turned.without_drives(), turned.without_friction(), turned.without_payloads()]
        };
        for (m, tree) in change(&pair.model).iter().zip(change(&pair.tree)) {
            let expected =
                tree.inverse_dynamics(&pair.positions(&s.q), &pair.rates(&s.qd), &pair.rates(&s.qdd)).unwrap();
            agree("tau", m, &m.inverse_dynamics(&s.q, &s.qd, &s.qdd).unwrap(), &pair.reduced(&expected));
            assert_eq!(m.followers(), pair.model.followers());
        }
    }
}

fn finger(name: &str) -> Link {
    Link::new(name).body(0.1, [0.0, 0.0, 0.05], [1e-4, 0.0, 0.0, 1e-4, 0.0, 1e-4])
}

/// A lead joint along y with limits 0 … 0.04, and one that follows it by −2 q + 0.1 with the given drive.
fn hand(drive: Drive) -> ModelBuilder {
    let lead = Drive::ideal().armature(0.5).viscous(3.0).coulomb(1.0, 2.0).limits(Limits {
        lower: 0.0,
        upper: 0.04,
        speed: 0.2,
        effort: 20.0.into(),
        ..Limits::NONE
    });
    let mut hand = ModelBuilder::new("hand");
    let y = [0.0, 1.0, 0.0];
    hand.add(BASE, Joint::prismatic("left", y).driven_by(lead), finger("left_finger"));
    hand.add(BASE, Joint::prismatic("right", y).mimic("left", -2.0, 0.1).driven_by(drive), finger("right_finger"));
    hand
}

/// By hand: armature and viscous friction count r² = 4 times, dry friction 2 times with the directions swapped; the follower's
/// range 0.04 … 0.09 is 0.005 … 0.03 of the leader, its speed 0.3 is 0.15.
#[test]
fn drives_and_limits_of_a_follower_act_at_its_leader() {
    let limits = Limits { lower: 0.04, upper: 0.09, speed: 0.3, effort: 1.0.into(), ..Limits::NONE };
    let drive = Drive::ideal().armature(0.25).viscous(0.5).coulomb(0.1, 0.3).rotor(0.01, 10.0).limits(limits);
    let m = hand(drive).build().unwrap();
    assert_eq!((m.nq(), m.nv(), m.dof_names()), (1, 1, &["left".to_string()][..]));
    assert_eq!(m.coordinate_names(), ["left"]);
    // 0.5 + 4 · 0.25 + (0.01 · 10²) · 4, and the masses 0.1 (1 + 4).
    assert!((m.reflected_inertia()[0] - 5.5).abs() < 1e-15);
    assert!((m.mass_matrix(&[0.02]).unwrap()[(0, 0)] - 6.0).abs() < 1e-14);
    let f = m.friction()[0];
    assert!((f.viscous - 5.0).abs() < 1e-15);
    assert!((f.coulomb_forward - 1.6).abs() < 1e-15 && (f.coulomb_backward - 2.2).abs() < 1e-15);
    let l = m.limits()[0];
    assert!((l.lower - 0.005).abs() < 1e-15 && (l.upper - 0.03).abs() < 1e-15 && (l.speed - 0.15).abs() < 1e-15);
    // −2 times ±1 on top of ±20.
    assert_eq!((l.effort, l.continuous), (22.0.into(), f64::INFINITY));
    // Both fingers at q = 0.02: y = 0.02 and y = 0.06.
    let at = |link: &str| m.link_pose(&[0.02], m.link(link).unwrap()).unwrap().translation.y;
    assert!((at("left_finger") - 0.02).abs() < 1e-16 && (at("right_finger") - 0.06).abs() < 1e-16);
    // Limits that leave the leader no range are ignored, with a warning.
    let never = Limits { lower: 0.2, upper: 0.3, ..Limits::NONE };
    let m = hand(Drive::ideal().limits(never)).build().unwrap();
    assert_eq!((m.limits()[0].lower, m.limits()[0].upper), (0.0, 0.04));
    assert!(m.warnings().iter().any(|w| w.subject.contains("right")), "{:?}", m.warnings());
}

/// By hand, with r = −2: a follower's −3 … 5 is −10 … 6 at the leader, its rating of 1.5 is 3. A leader without a limit has the
/// follower's alone; limits that leave no range do not lose the effort.
#[test]
fn the_effort_of_a_follower_acts_at_its_leader() {
    let own = EffortRange { lower: -3.0, upper: 5.0 };
    let limits = Limits { effort: own, continuous: 1.5, ..Limits::NONE };
    let of = |lead: Limits, own: Limits| {
        let mut hand = ModelBuilder::new("hand");
        let y = [0.0, 1.0, 0.0];
        let lead = Joint::prismatic("left", y).driven_by(Drive::ideal().limits(lead));
        let follower = Joint::prismatic("right", y).mimic("left", -2.0, 0.0).driven_by(Drive::ideal().limits(own));
        hand.add(BASE, lead, finger("left_finger"));
        hand.add(BASE, follower, finger("right_finger"));
        let l = hand.build().unwrap().limits()[0];
        (l.effort.lower, l.effort.upper, l.continuous)
    };
    let lead = Limits { lower: 0.0, upper: 0.04, effort: 20.0.into(), continuous: 8.0, ..Limits::NONE };
    assert_eq!(of(lead, limits), (-30.0, 26.0, 11.0));
    assert_eq!(of(Limits::NONE, limits), (-10.0, 6.0, 3.0));
    assert_eq!(of(lead, Limits::NONE), (-20.0, 20.0, 8.0));
    assert_eq!(of(lead, Limits { lower: 0.2, upper: 0.3, ..limits }), (-30.0, 26.0, 11.0));
}

/// Stribeck terms add up to one term only at one speed.
#[test]
fn stribeck_friction_of_a_follower_needs_the_speed_of_its_leader() {
    let build = |own: f64, lead: Option<f64>| {
        let mut b = ModelBuilder::new("two");
        let drive = lead.map_or(Drive::ideal(), |v| Drive::ideal().stribeck(0.7, v));
        b.add(BASE, Joint::prismatic("a", [0.0, 1.0, 0.0]).driven_by(drive), finger("a"));
        let follower = Joint::prismatic("b", [0.0, 1.0, 0.0]).mimic("a", -2.0, 0.0);
        b.add(BASE, follower.driven_by(Drive::ideal().stribeck(0.4, own)), finger("b"));
        b.build()
    };
    // q̇ = 0.3: the follower moves with −0.6; e / (1 + (q̇/v)²) each.
    for (own, lead) in [(0.5, Some(0.25)), (0.5, None)] {
        let m = build(own, lead).unwrap();
        let of = |e: f64, v: f64, speed: f64| e / (1.0 + (v / speed).powi(2));
        let expected = lead.map_or(0.0, |speed| of(0.7, 0.3, speed)) + 2.0 * of(0.4, 0.6, own);
        assert!((m.inverse_dynamics(&[0.0], &[0.3], &[0.0]).unwrap()[0] - expected).abs() < 1e-15);
        assert!((m.friction()[0].torque(0.3) - expected).abs() < 1e-15);
    }
    let problems = build(0.5, Some(0.5)).unwrap_err().problems;
    assert!(problems.len() == 1 && problems[0].contains("`b`") && problems[0].contains("Stribeck"), "{problems:?}");
}

#[test]
fn mimics_that_make_no_sense_are_errors() {
    let joint = |name: &str| Joint::revolute(name, [0.0, 0.0, 1.0]);
    let problems = |joints: Vec<Joint>| {
        let mut b = ModelBuilder::new("bad");
        joints.into_iter().enumerate().for_each(|(k, j)| {
            b.add(BASE, j, finger(&format!("link{k}")));
        });
        b.build().unwrap_err().problems.join("; ")
    };
    for (joints, expected) in [
        (vec![joint("a").mimic("a", 1.0, 0.0)], "joint `a`: it mimics itself"),
        (vec![joint("a").mimic("b", 1.0, 0.0), joint("b").mimic("a", 1.0, 0.0)], "joint `b`: it mimics itself"),
        (vec![joint("a").mimic("z", 1.0, 0.0)], "joint `a`: there is no joint `z` to mimic"),
        (vec![Joint::fixed("a"), joint("b").mimic("a", 1.0, 0.0)], "`a`, which has not one degree of freedom"),
        (vec![joint("a"), Joint::fixed("b").mimic("a", 1.0, 0.0)], "joint `b`: only a joint of one degree of freedom"),
        (vec![joint("a"), joint("b").mimic("a", f64::NAN, 0.0)], "joint `b`: multiplier and offset"),
    ] {
        let found = problems(joints);
        assert!(found.contains(expected), "{found}");
    }
}

/// Formulations that do not cover followers name one.
#[test]
fn formulations_for_independent_joints_name_the_follower() {
    let m = hand(Drive::ideal()).build().unwrap();
    let mut tau = [0.0];
    let unsupported = [
        armdyn_core::closed_form(&m, &mut armdyn_core::ClosedFormData::new(&m), &[0.0], &[0.0], &[0.0], &mut tau),
        armdyn_core::lagrange(&m, &mut armdyn_core::LagrangeData::new(&m), &[0.0]),
        armdyn_core::augmented(&m, &mut armdyn_core::AugmentedData::new(&m), &[0.0], &[0.0], &[0.0], &mut tau),
    ];
    for found in unsupported {
        assert!(matches!(&found, Err(Error::Unsupported { joint, .. }) if joint == "right"), "{found:?}");
    }
}

/// A locked robot is the robot with that joint at rest at its position: torques and mass matrix of the other joints.
#[test]
fn a_locked_joint_is_one_that_rests() {
    for (k, joints) in [Joints::Mixed, Joints::SingleAxis, Joints::All].into_iter().cycle().take(9).enumerate() {
        let m = Description::random(3000 + k as u64, 6, joints, true, Drives::Spinning).build();
        let s = State::random(&m, &mut random::source(k as u64));
        let joint = JointId::new(k % m.joints().len());
        let info = &m.joints()[joint];
        let locked = m.with_locked(&[(joint, s.q[info.q.clone()].to_vec())]).unwrap();
        assert_eq!((locked.nq(), locked.nv()), (m.nq() - info.q.len(), m.nv() - info.v.len()), "{}", m.name());
        let rest = |x: &[f64], range: &std::ops::Range<usize>| -> Vec<f64> {
            (0..x.len()).filter(|k| !range.contains(k)).map(|k| x[k]).collect()
        };
        let mut still = s.clone();
        info.v.clone().for_each(|v| (still.qd[v], still.qdd[v]) = (0.0, 0.0));
        let tau = rest(&m.inverse_dynamics(&still.q, &still.qd, &still.qdd).unwrap(), &info.v);
        let (q, qd, qdd) = (rest(&s.q, &info.q), rest(&s.qd, &info.v), rest(&s.qdd, &info.v));
        agree("tau", &locked, &locked.inverse_dynamics(&q, &qd, &qdd).unwrap(), &tau);
        for link in m.link_ids() {
            let [a, b] = [m.link_pose(&s.q, link), locked.link_pose(&q, link)].map(Result::unwrap);
            agree("pose", &locked, &b.translation.to_array(), &a.translation.to_array());
        }
    }
}

/// Locking a leader locks its followers; a follower alone cannot be locked.
#[test]
fn followers_are_locked_with_their_leader() {
    let m = hand(Drive::ideal()).build().unwrap();
    let [left, right] = ["left", "right"].map(|name| m.joint(name).unwrap());
    let locked = m.with_locked(&[(left, vec![0.03])]).unwrap();
    assert_eq!((locked.nv(), locked.followers().len(), locked.body_count()), (0, 0, 0));
    let at = |link: &str| locked.link_pose(&[], m.link(link).unwrap()).unwrap().translation.y;
    assert!((at("left_finger") - 0.03).abs() < 1e-16 && (at("right_finger") - 0.04).abs() < 1e-16);
    let expected = Error::LockedFollower { joint: "right".into(), leader: "left".into() };
    assert_eq!(m.with_locked(&[(right, vec![0.0])]).unwrap_err(), expected);
    assert!(matches!(m.with_locked(&[(left, vec![])]), Err(Error::Length { .. })));
    assert!(matches!(m.with_locked(&[(left, vec![f64::NAN])]), Err(Error::NotFinite { .. })));
    // Another joint locked: the followers stay, and so do payloads, contacts and rotors.
    for pair in Pair::all() {
        let m = pair.model.with_payload(
            "load",
            pair.model.last_link(),
            random::inertia(&mut random::source(1)),
            Transform::identity(),
        );
        let (m, s) = (m.unwrap(), pair.state());
        let leads = |j: &JointId| m.followers().iter().any(|f| f.joint == *j || f.leader == *j);
        let Some(joint) = m.joint_ids().find(|j| m.joints()[*j].v.len() == 1 && !leads(j)) else { continue };
        let at = m.joints()[joint].q.start;
        let locked = m.with_locked(&[(joint, vec![s.q[at]])]).unwrap();
        assert_eq!((locked.nv(), locked.payloads().len()), (m.nv() - 1, 1));
        let without = |x: &[f64]| -> Vec<f64> { (0..x.len()).filter(|k| *k != at).map(|k| x[k]).collect() };
        let (mut qd, mut qdd) = (s.qd.clone(), s.qdd.clone());
        (qd[at], qdd[at]) = (0.0, 0.0);
        let expected = without(&m.inverse_dynamics(&s.q, &qd, &qdd).unwrap());
        let found = locked.inverse_dynamics(&without(&s.q), &without(&s.qd), &without(&s.qdd)).unwrap();
        agree("tau", &locked, &found, &expected);
    }
}
