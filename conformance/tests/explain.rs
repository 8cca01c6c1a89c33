//! Contributions to torques and wrenches add up, for every joint kind, drive and boundary condition, by cause and by link.

use armdyn_core::{Breakdown, Force, LinkId, Model, Motion, RneaData, SplitBy, WrenchFrame, rnea, vec3};
use armdyn_testkit::random::{self, Description, Drives, Joints, State, number};

/// Rounding of sums of contributions, relative to the largest of them.
const SUM: f64 = 1e-13;

fn cases(followers: bool) -> impl Iterator<Item = (Model<f64>, State, RneaData<f64>)> {
    let all = [Drives::Ideal, Drives::Friction, Drives::Coupled, Drives::Spinning];
    (0..40u64).map(move |seed| {
        let drives = all[(seed % 4) as usize];
        let mut description = Description::random(seed, 5, Joints::All, seed % 3 > 0, drives);
        if followers {
            description = description.with_followers(seed);
        }
        let rng = &mut random::source(seed + 1000);
        let mut m = description.build();
        let vector = |rng: &mut _| vec3(number(rng, 5.0), number(rng, 5.0), number(rng, 5.0));
        if seed % 2 == 0 {
            let link = m.links().len() - 1;
            m = m.with_payload_in_link("load", LinkId::new(link), random::inertia(rng)).unwrap();
        }
        let s = State::random(&m, rng);
        let mut d = RneaData::new(&m);
        if seed % 5 > 0 {
            for link in [1, 3] {
                let wrench = Force::new(vector(rng), vector(rng));
                d.boundary.add_external_wrench(&m, LinkId::new(link), wrench).unwrap();
            }
        }
        if seed % 5 > 1 {
            d.boundary.base_velocity = Motion::new(vector(rng), vector(rng));
            d.boundary.base_acceleration = Motion::new(vector(rng), vector(rng));
        }
        (m, s, d)
    })
}

#[test]
fn contributions_add_up_to_torques_and_to_all_six_components_of_every_wrench() {
    let mut worst: [f64; 2] = [0.0; 2];
    for (m, s, mut d) in cases(false).chain(cases(true)) {
        let mut tau = vec![0.0; m.nv()];
        rnea(&m, &mut d, &s.q, &s.qd, &s.qdd, &mut tau).unwrap();
        m.add_breakaway_torques(&s.qd, &s.qdd, &mut tau).unwrap();
        let found = Breakdown::new(&m, &d.boundary, &s.q, &s.qd, &s.qdd).unwrap();
        for by in [SplitBy::Cause, SplitBy::Link] {
            for (e, tau) in found.torques(by).unwrap().iter().zip(&tau) {
                let size = e.contributions.iter().fold(tau.abs(), |s, c| s.max(c.torque.abs())).max(1.0);
                let sum: f64 = e.contributions.iter().map(|c| c.torque).sum();
                worst[0] = worst[0].max((sum - tau).abs() / size);
                assert!((sum - tau).abs() < SUM * size, "{}, {by:?}, {:?}: {sum} {tau}", m.name(), e.dof);
                assert_eq!(e.torque, *tau);
            }
            for (joint, info) in m.joint_ids().zip(m.joints()) {
                let frames =
                    [WrenchFrame::Local, WrenchFrame::Parent, WrenchFrame::World, WrenchFrame::LocalWorldAligned];
                for frame in frames {
                    // All pairs of a joint transmit the same wrench.
                    for pair in d.wrenches(&m, joint, frame).unwrap() {
                        let e = found.wrench(joint, frame, by).unwrap();
                        let mut sum = Force::zero();
                        let mut size = 1.0_f64;
                        for c in &e.contributions {
                            sum += c.wrench;
                            size = c.wrench.components().iter().fold(size, |s, x| s.max(x.abs()));
                        }
                        for (a, b) in sum.components().iter().zip(pair.total.components()) {
                            worst[1] = worst[1].max((a - b).abs() / size);
                            assert!(
                                (a - b).abs() < SUM * size,
                                "{}, {}, {frame:?}, {by:?}: {a} {b}",
                                m.name(),
                                info.name
                            );
                        }
                    }
                }
            }
        }
    }
    println!("torques {:.1e}, wrenches {:.1e}", worst[0], worst[1]);
}

/// A link's contributions are those of the robot in which every other link has no mass: the model is linear in the inertias.
#[test]
fn the_contributions_of_a_link_are_those_of_its_mass_alone() {
    for seed in 0..10 {
        let description = Description::random(seed, 4, Joints::All, true, Drives::Ideal);
        let m = description.build();
        let s = State::random(&m, &mut random::source(seed));
        let d = RneaData::new(&m);
        let found = Breakdown::new(&m, &d.boundary, &s.q, &s.qd, &s.qdd).unwrap().torques(SplitBy::Link).unwrap();
        for (link, info) in m.link_ids().zip(m.links()).filter(|(_, info)| info.body != 0) {
            let mut alone = description.clone();
            for (_, _, other) in alone.links.iter_mut() {
                if other.name != info.name {
                    other.parts.clear();
                }
            }
            let alone = alone.build();
            let mut tau = vec![0.0; m.nv()];
            rnea(&alone, &mut RneaData::new(&alone), &s.q, &s.qd, &s.qdd, &mut tau).unwrap();
            for (e, tau) in found.iter().zip(&tau) {
                let of_link = e.contributions.iter().filter(|c| c.link == Some(link));
                let sum: f64 = of_link.clone().map(|c| c.torque).sum();
                let size = of_link.fold(tau.abs(), |s, c| s.max(c.torque.abs())).max(1.0);
                assert!((sum - tau).abs() < SUM * size, "{}, {}: {sum} {tau}", m.name(), info.name);
            }
        }
    }
}
