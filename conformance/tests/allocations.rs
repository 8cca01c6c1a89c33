//! A call allocates nothing once its workspace exists.

use allocation_counter::measure;
use armdyn_conformance::formulations::{accelerations, mass_matrices, torques};
use armdyn_core::{
    AbaData, CartesianData, CoefficientsData, CoriolisData, CrbaData, DerivativesData, Direction, Dual, EnergyData,
    Force, FormsData, Identities, Interval, JacobianFrame, KinematicsData, LagrangeData, Lanes, MinverseData, Model,
    Motion, Omission, Rate, Real, RegressorData, RneaData, StictionData, Task, TaskDirection, Vec3, WrenchFrame, aba,
    aba_derivatives, aba_derivatives_from, cartesian, cartesian_products, centre_of_mass, christoffel, coefficients,
    configuration_space, coriolis, crba, energy, kinematics, lagrange, minverse, momentum, parameter_count, regressor,
    rnea, rnea_derivatives, state_space, stiction, stiction_at_rest,
};
use armdyn_testkit::peers;
use armdyn_testkit::random::{self, Description, Drives, Joints, State};

fn robots() -> Vec<Model<f64>> {
    let tree = |seed, joints, drives| Description::random(seed, 7, joints, true, drives).build();
    vec![
        random::arm(1, "RPRRPR"),
        tree(2, Joints::SingleAxis, Drives::Friction),
        tree(3, Joints::All, Drives::Ideal),
        tree(4, Joints::All, Drives::Spinning),
        Description::random(5, 8, Joints::Turning, false, Drives::Friction).with_followers(5).build(),
        peers::robot("panda"),
        peers::robot("talos_ff"),
    ]
}

fn count(name: &str, m: &Model<impl Real>, call: impl FnOnce()) {
    let counted = measure(call);
    assert_eq!(counted.count_total, 0, "{}: {name} allocates {} bytes", m.name(), counted.bytes_total);
}

#[test]
fn the_counter_counts() {
    assert!(measure(|| drop(std::hint::black_box(vec![1.0; 3]))).count_total > 0);
}

#[test]
fn no_formulation_allocates_in_a_call() {
    for m in robots() {
        let s = State::random(&m, &mut random::source(1));
        let n = m.nv();
        for (length, list) in [(n, torques()), (n * n, mass_matrices()), (n, accelerations())] {
            for f in list.iter().filter(|f| f.hot && (f.covers)(&m)) {
                let mut call = (f.make)(&m);
                let mut out = vec![0.0; length];
                // The first call counts too: the workspace is complete when it is made.
                count(f.name, &m, || call(&m, [&s.q, &s.qd, &s.qdd], &mut out).unwrap());
                count(f.name, &m, || call(&m, [&s.q, &s.qd, &s.qdd], &mut out).unwrap());
            }
        }
    }
}

/// Everything that has a workspace, and is no formulation of τ, M or q̈.
fn everything_else<T: Real>(m: &Model<T>, [q, qd, qdd]: [&[T]; 3], single_axis: bool, spinning: bool) {
    let n = m.nv();
    let zeros = |count: usize| vec![T::zero(); count];
    let [mut a, mut b, mut c] = [(); 3].map(|()| zeros(n * n));
    let mut v = zeros(n);

    let mut d = KinematicsData::new(m);
    let mut columns = vec![Motion::zero(); n];
    count("kinematics", m, || {
        kinematics(m, &mut d, q).unwrap();
        for frame in [JacobianFrame::Local, JacobianFrame::World, JacobianFrame::LocalWorldAligned] {
            d.jacobian(m, m.last_link(), frame, &mut columns).unwrap();
        }
    });
    let (mut inverse, mut forward) = (RneaData::new(m), AbaData::new(m));
    let link = m.last_link();
    count("rnea and aba with a moving base and a wrench", m, || {
        for boundary in [&mut inverse.boundary, &mut forward.boundary] {
            boundary.base_velocity = Motion::new(Vec3::unit(0), Vec3::unit(1));
            boundary.base_acceleration = Motion::new(Vec3::unit(1), Vec3::unit(2));
            boundary.add_external_wrench(m, link, Force::new(Vec3::unit(1), Vec3::unit(0))).unwrap();
        }
        rnea(m, &mut inverse, q, qd, qdd, &mut v).unwrap();
        inverse.base_wrench(m).unwrap();
        m.joint_ids().for_each(|joint| assert!(inverse.wrench(m, joint, WrenchFrame::Parent).is_ok()));
        forward.boundary.clear_wrenches();
        aba(m, &mut forward, q, qd, qdd, &mut v).unwrap();
    });
    let mut d = DerivativesData::new(m);
    count("rnea_derivatives", m, || rnea_derivatives(m, &mut d, q, qd, qdd, &mut a, &mut b).unwrap());
    count("aba_derivatives", m, || aba_derivatives(m, &mut d, q, qd, qdd, &mut a, &mut b, &mut c).unwrap());
    count("aba_derivatives_from", m, || {
        aba_derivatives_from(m, &mut d, q, qd, qdd, qd, &c, &mut a, &mut b).unwrap();
    });
    let (mut d, mut y) = (RegressorData::new(m), zeros(n * parameter_count(m)));
    count("regressor", m, || regressor(m, &mut d, q, qd, qdd, &mut y).unwrap());
    let mut d = EnergyData::new(m);
    count("energy, momentum, centre_of_mass", m, || {
        energy(m, &mut d, q, qd).unwrap();
        momentum(m, &mut d, q, qd).unwrap();
        centre_of_mass(m, &mut d, q, qd).unwrap();
    });
    let mut d = CoriolisData::new(m);
    count("coriolis", m, || coriolis(m, &mut d, q, qd, &mut a).unwrap());
    let mut d = FormsData::new(m);
    count("state_space", m, || assert!(state_space(m, &mut d, q, qd).is_ok()));
    let (mut d, mut e) = (CrbaData::new(m), MinverseData::new(m));
    count("crba, minverse", m, || {
        crba(m, &mut d, q, &mut a).unwrap();
        minverse(m, &mut e, q, &mut b).unwrap();
    });
    let mut d = CartesianData::new(m);
    let directions = &TaskDirection::ALL[..1];
    let frame = JacobianFrame::LocalWorldAligned;
    let task = Task { link: m.last_link(), at: None, frame, directions, rate: Rate::Inertial };
    count("cartesian", m, || assert!(cartesian(m, &mut d, &task, q, qd).is_ok()));
    if !single_axis {
        return;
    }
    count("cartesian_products", m, || assert!(cartesian_products(m, &mut d, &task, q).is_ok()));
    let (mut d, mut forms, mut gamma) = (CoriolisData::new(m), FormsData::new(m), zeros(n * n * n));
    count("christoffel", m, || christoffel(m, &mut d, q, &mut gamma).unwrap());
    count("configuration_space", m, || assert!(configuration_space(m, &mut forms, q).is_ok()));
    if spinning {
        return;
    }
    let mut d = CoefficientsData::new(m);
    let joint = m.joint_ids().find(|j| !m.joints()[*j].bodies.is_empty()).unwrap();
    count("coefficients", m, || {
        coefficients(m, &mut d, q).unwrap();
        d.in_direction(m, joint, Direction::Force { along: Vec3::unit(0) }, qd, qdd).unwrap();
    });
    if !m.followers().is_empty() {
        return;
    }
    for omission in [Omission::Full, Omission::Lemma] {
        for identities in [Identities::Ignored, Identities::Used] {
            let mut d = LagrangeData::with(m, omission, identities);
            count("lagrange", m, || lagrange(m, &mut d, q).unwrap());
        }
    }
}

#[test]
fn nothing_else_allocates_in_a_call() {
    for m in robots() {
        let s = State::random(&m, &mut random::source(2));
        let single_axis = m.base_to_tip().all(|(_, b)| b.pair.nv() == 1);
        let spinning = m.rotors().iter().any(|r| r.mount.is_some());
        everything_else(&m, [&s.q, &s.qd, &s.qdd], single_axis, spinning);
    }
}

/// No scalar allocates.
fn over<T: Real>(m: &Model<f64>, s: &State) {
    let lift = |x: &[f64]| -> Vec<T> { x.iter().map(|&x| T::lift(x)).collect() };
    let (m, q, qd, qdd): (Model<T>, _, _, _) = (m.cast(), lift(&s.q), lift(&s.qd), lift(&s.qdd));
    let (mut d, mut e, mut c) = (RneaData::new(&m), AbaData::new(&m), CrbaData::new(&m));
    let (mut tau, mut mass) = (qd.clone(), vec![T::zero(); m.nv() * m.nv()]);
    count("rnea, aba, crba", &m, || {
        rnea(&m, &mut d, &q, &qd, &qdd, &mut tau).unwrap();
        aba(&m, &mut e, &q, &qd, &qdd, &mut tau).unwrap();
        crba(&m, &mut c, &q, &mut mass).unwrap();
    });
}

#[test]
fn no_scalar_allocates() {
    for m in robots() {
        let s = State::random(&m, &mut random::source(3));
        over::<f32>(&m, &s);
        over::<Lanes<f64, 4>>(&m, &s);
        over::<Dual<f64, 2>>(&m, &s);
        // Roundings grow along 38 degrees of freedom until a pivot of `aba` is not known to be positive: an error then.
        if m.nv() < 20 {
            over::<Interval>(&m, &s);
        }
    }
}

/// Every joint at rest, or as the caller decides, pushed hard enough for some to move.
#[test]
fn friction_at_rest_does_not_allocate() {
    for m in robots() {
        let mut s = State::random(&m, &mut random::source(5));
        s.qd.iter_mut().step_by(2).for_each(|v| *v = 0.0);
        let (mut d, mut qdd, at_rest) = (StictionData::new(&m), vec![0.0; m.nv()], vec![true; m.nv()]);
        count("stiction", &m, || stiction(&m, &mut d, &s.q, &s.qd, &s.qdd, &mut qdd).unwrap());
        count("stiction_at_rest", &m, || {
            stiction_at_rest(&m, &mut d, &s.q, &s.qd, &s.qdd, &at_rest, &mut qdd).unwrap();
        });
        count("breakaway torques", &m, || m.add_breakaway_torques(&s.qd, &s.qdd, &mut qdd).unwrap());
    }
}

#[test]
fn configurations_do_not_allocate() {
    for m in robots() {
        let s = State::random(&m, &mut random::source(4));
        let (mut q, mut v) = (s.q.clone(), s.qd.clone());
        count("neutral, integrate, difference", &m, || {
            m.neutral(&mut q).unwrap();
            m.integrate(&s.q, &s.qd, &mut q).unwrap();
            m.difference(&s.q, &q, &mut v).unwrap();
        });
    }
}
