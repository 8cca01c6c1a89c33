//! Bad input has a clear error or a defined result, never a panic and never a silent NaN.

use armdyn_conformance::formulations::{accelerations, mass_matrices, torques};
use armdyn_core::error::Result;
use armdyn_core::{
    AbaData, AugmentedData, BASE, Beam, CartesianData, ClosedFormData, CoefficientsData, Contact, ContactFriction,
    ContactKind, CoriolisData, CrbaData, DerivativesData, Drive, EffortRange, EnergyData, Error, Force, FormsData,
    Friction, Inertia, JacobianFrame, Joint, JointKind, KinematicsData, LagrangeData, Limits, Link, LinkId, Material,
    MinverseData, Model, ModelBuilder, Motion, Order, Rate, RegressorData, RneaData, Rotation, Section, Task,
    TaskDirection, Transform, Vec3, aba, aba_derivatives, aba_derivatives_from, augmented, cartesian, centre_of_mass,
    christoffel, closed_form, coefficients, coefficients_tau, configuration_space, coriolis, crba, energy, explain,
    kinematics, lagrange, lagrange_tau, minverse, momentum, parameter_count, parameters, regressor, rnea,
    rnea_derivatives, state_space, vec3,
};
use armdyn_testkit::random::{self, Description, Drives, Joints, State};

/// A call of the library with the slices given, by its name.
type Call = fn(&Model<f64>, &[&[f64]], &mut [&mut [f64]]) -> Result<()>;

/// Every function that takes slices: their names, in the order of its arguments, inputs before outputs.
#[rustfmt::skip]
fn calls() -> Vec<(&'static str, &'static [&'static str], &'static [&'static str], Call)> {
    vec![
        ("rnea", &["q", "qd", "qdd"], &["tau"], |m, x, y| rnea(m, &mut RneaData::new(m), x[0], x[1], x[2], y[0])),
        ("closed_form", &["q", "qd", "qdd"], &["tau"], |m, x, y| closed_form(m, &mut ClosedFormData::new(m), x[0], x[1], x[2], y[0])),
        ("coefficients_tau", &["q", "qd", "qdd"], &["tau"], |m, x, y| coefficients_tau(m, &mut CoefficientsData::new(m), x[0], x[1], x[2], y[0])),
        ("coefficients", &["q"], &[], |m, x, _| coefficients(m, &mut CoefficientsData::new(m), x[0])),
        ("lagrange_tau", &["q", "qd", "qdd"], &["tau"], |m, x, y| lagrange_tau(m, &mut LagrangeData::new(m), x[0], x[1], x[2], y[0])),
        ("lagrange", &["q"], &[], |m, x, _| lagrange(m, &mut LagrangeData::new(m), x[0])),
        ("augmented", &["q", "qd", "qdd"], &["tau"], |m, x, y| augmented(m, &mut AugmentedData::new(m), x[0], x[1], x[2], y[0])),
        ("aba", &["q", "qd", "tau"], &["qdd"], |m, x, y| aba(m, &mut AbaData::new(m), x[0], x[1], x[2], y[0])),
        ("crba", &["q"], &["mass"], |m, x, y| crba(m, &mut CrbaData::new(m), x[0], y[0])),
        ("minverse", &["q"], &["inverse"], |m, x, y| minverse(m, &mut MinverseData::new(m), x[0], y[0])),
        ("coriolis", &["q", "qd"], &["c"], |m, x, y| coriolis(m, &mut CoriolisData::new(m), x[0], x[1], y[0])),
        ("christoffel", &["q"], &["gamma"], |m, x, y| christoffel(m, &mut CoriolisData::new(m), x[0], y[0])),
        ("regressor", &["q", "qd", "qdd"], &["y"], |m, x, y| regressor(m, &mut RegressorData::new(m), x[0], x[1], x[2], y[0])),
        ("rnea_derivatives", &["q", "qd", "qdd"], &["dtau_dq", "dtau_dqd"], |m, x, y| { let [a, b] = y else { unreachable!() }; rnea_derivatives(m, &mut DerivativesData::new(m), x[0], x[1], x[2], a, b) }),
        ("aba_derivatives", &["q", "qd", "tau"], &["dqdd_dq", "dqdd_dqd", "dqdd_dtau"], |m, x, y| { let [a, b, c] = y else { unreachable!() }; aba_derivatives(m, &mut DerivativesData::new(m), x[0], x[1], x[2], a, b, c) }),
        ("aba_derivatives_from", &["q", "qd", "tau", "bias", "inverse_mass"], &["dqdd_dq", "dqdd_dqd"], |m, x, y| { let [a, b] = y else { unreachable!() }; aba_derivatives_from(m, &mut DerivativesData::new(m), x[0], x[1], x[2], x[3], x[4], a, b) }),
        ("state_space", &["q", "qd"], &[], |m, x, _| state_space(m, &mut FormsData::new(m), x[0], x[1]).map(|_| ())),
        ("configuration_space", &["q"], &[], |m, x, _| configuration_space(m, &mut FormsData::new(m), x[0]).map(|_| ())),
        ("energy", &["q", "qd"], &[], |m, x, _| energy(m, &mut EnergyData::new(m), x[0], x[1]).map(|_| ())),
        ("momentum", &["q", "qd"], &[], |m, x, _| momentum(m, &mut EnergyData::new(m), x[0], x[1]).map(|_| ())),
        ("centre_of_mass", &["q", "qd"], &[], |m, x, _| centre_of_mass(m, &mut EnergyData::new(m), x[0], x[1]).map(|_| ())),
        ("kinematics", &["q"], &[], |m, x, _| kinematics(m, &mut KinematicsData::new(m), x[0])),
        ("explain", &["q", "qd", "qdd"], &[], |m, x, _| explain(m, &RneaData::new(m).boundary, x[0], x[1], x[2]).map(|_| ())),
        ("cartesian", &["q", "qd"], &[], |m, x, _| cartesian(m, &mut CartesianData::new(m), &TASK, x[0], x[1]).map(|_| ())),
        ("neutral", &[], &["q"], |m, _, y| m.neutral(y[0])),
        ("integrate", &["q", "v"], &["out"], |m, x, y| m.integrate(x[0], x[1], y[0])),
        ("difference", &["q0", "q1"], &["v"], |m, x, y| m.difference(x[0], x[1], y[0])),
        ("random", &[], &["q"], |m, _, y| m.random(|| 0.3, y[0])),
    ]
}

const TASK: Task = Task {
    link: LinkId::new(1),
    at: None,
    frame: JacobianFrame::LocalWorldAligned,
    directions: &[TaskDirection::LinearX],
    rate: Rate::Inertial,
};

/// What an argument of that name must have.
fn length(m: &Model<f64>, name: &str) -> usize {
    let n = m.nv();
    match name {
        "q" | "q0" | "q1" | "out" => m.nq(),
        "qd" | "qdd" | "tau" | "v" | "bias" => n,
        "mass" | "inverse" | "inverse_mass" | "c" | "dtau_dq" | "dtau_dqd" | "dqdd_dq" | "dqdd_dqd" | "dqdd_dtau" => {
            n * n
        }
        "gamma" => n * n * n,
        "y" => n * parameter_count(m),
        _ => panic!("no argument `{name}`"),
    }
}

/// Calls with `value` in every place of every input (ones in a quaternion's).
fn call_with(m: &Model<f64>, inputs: &[Vec<f64>], outputs: &mut [Vec<f64>], call: Call) -> Result<()> {
    let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    let mut outputs: Vec<&mut [f64]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
    call(m, &inputs, &mut outputs)
}

fn slices(m: &Model<f64>, names: &[&str], value: f64) -> Vec<Vec<f64>> {
    names.iter().map(|name| vec![value; length(m, name)]).collect()
}

#[test]
fn a_slice_of_another_length_is_named() {
    let m = random::arm(1, "RPR");
    for (function, inputs, outputs, call) in calls() {
        let good = call_with(&m, &slices(&m, inputs, 0.3), &mut slices(&m, outputs, 0.0), call);
        assert_eq!(good, Ok(()), "{function}");
        for (k, &what) in inputs.iter().chain(outputs).enumerate() {
            for longer in [false, true] {
                let (mut x, mut y) = (slices(&m, inputs, 0.3), slices(&m, outputs, 0.0));
                let slice = if k < inputs.len() { &mut x[k] } else { &mut y[k - inputs.len()] };
                let expected = slice.len();
                if longer {
                    slice.push(0.3);
                } else {
                    slice.pop();
                }
                let found = slice.len();
                let error = call_with(&m, &x, &mut y, call).expect_err(function);
                // `aba_derivatives` hands ∂q̈/∂τ on to `minverse`.
                let names = if what == "dqdd_dtau" { vec!["dqdd_dtau", "inverse"] } else { vec![what] };
                let expected = names.iter().map(|what| Error::Length { what, expected, found });
                assert!(expected.clone().any(|e| e == error), "{function}, {what}: {error}");
                let text = error.to_string();
                assert!(text.contains(&found.to_string()), "{text}");
            }
        }
    }
}

#[test]
fn what_is_not_finite_is_an_error_that_names_the_joint() {
    let m = random::arm(2, "RPRR");
    for (function, inputs, outputs, call) in calls() {
        for (k, what) in inputs.iter().enumerate() {
            for at in 0..m.nv() {
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let (mut x, mut y) = (slices(&m, inputs, 0.3), slices(&m, outputs, 0.0));
                    x[k][at] = bad;
                    match call_with(&m, &x, &mut y, call) {
                        Err(Error::NotFinite { joint, .. }) => {
                            assert!(m.dof_names().contains(&joint), "{function}, {what}: `{joint}`");
                        }
                        other => panic!("{function}: {what}[{at}] = {bad} gives {other:?}"),
                    }
                }
            }
        }
    }
}

/// On every robot: a quantity either depends on a number or not; where it is not finite, it is an error or has no effect.
#[test]
fn no_formulation_passes_on_what_is_not_finite() {
    let tree = |seed, joints, drives| Description::random(seed, 5, joints, true, drives).build();
    let robots = [
        random::arm(1, "R"),
        random::arm(2, "PPP"),
        tree(3, Joints::SingleAxis, Drives::Ideal),
        tree(4, Joints::All, Drives::Friction),
        tree(5, Joints::All, Drives::Coupled),
        tree(6, Joints::All, Drives::Spinning),
    ];
    for m in &robots {
        let s = State::random(m, &mut random::source(1));
        let n = m.nv();
        // M depends on q alone.
        for (inputs, length, list) in [(3, n, torques()), (1, n * n, mass_matrices()), (3, n, accelerations())] {
            for f in list.iter().filter(|f| (f.covers)(m)) {
                for (which, at) in (0..m.nq()).map(|k| (0, k)).chain((0..n).flat_map(|k| [(1, k), (2, k)])) {
                    for bad in [f64::NAN, f64::INFINITY, 1e200, -1e300] {
                        let mut given = [s.q.clone(), s.qd.clone(), s.qdd.clone()];
                        given[which][at] = bad;
                        let mut out = vec![0.0; length];
                        let result = (f.make)(m)(m, given.each_ref().map(Vec::as_slice), &mut out);
                        let finite = out.iter().all(|x| x.is_finite());
                        let place = format!("{}: `{}` with {bad} at {which}, {at}", m.name(), f.name);
                        assert!(result.is_err() || finite, "{place}: {out:?}");
                        if which < inputs && !bad.is_finite() {
                            assert!(result.is_err(), "{place}: {out:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_quaternion_of_no_length_is_an_error() {
    for kind in [JointKind::Spherical, JointKind::Free] {
        let mut builder = ModelBuilder::new("ball");
        builder.add(BASE, Joint::new("ball", kind), random::link(&mut random::source(1), "body"));
        let m = builder.build().unwrap();
        for (function, inputs, outputs, call) in calls() {
            let (mut x, mut y) = (slices(&m, inputs, 0.3), slices(&m, outputs, 0.0));
            let Some(k) = inputs.iter().position(|name| name.starts_with('q') && length(&m, name) == m.nq()) else {
                continue;
            };
            x[k].fill(0.0);
            match call_with(&m, &x, &mut y, call) {
                Err(Error::NotFinite { joint, .. }) => assert!(joint.starts_with("ball"), "{function}: `{joint}`"),
                Err(Error::Unsupported { joint, .. }) => assert!(joint.starts_with("ball"), "{function}: `{joint}`"),
                other => panic!("{function} of {kind:?}: {other:?}"),
            }
        }
    }
}

#[test]
fn a_robot_with_no_joints_has_empty_results() {
    let mut welded = ModelBuilder::new("welded");
    welded.add(BASE, Joint::fixed("weld"), random::link(&mut random::source(1), "plate"));
    for builder in [ModelBuilder::new("nothing"), welded] {
        let m = builder.build().unwrap();
        assert_eq!((m.nq(), m.nv()), (0, 0));
        for (function, inputs, outputs, call) in calls() {
            let result = call_with(&m, &slices(&m, inputs, 0.0), &mut slices(&m, outputs, 0.0), call);
            match (function, result) {
                // Nothing moves: there is no centre of mass, and no task.
                ("momentum" | "centre_of_mass", Err(Error::NotFinite { joint, .. })) => assert_eq!(joint, m.name()),
                ("cartesian", Err(Error::NoSuchLink { .. } | Error::TooManyDirections { .. })) => {}
                (_, result) => assert_eq!(result, Ok(()), "{}: {function}", m.name()),
            }
        }
        assert!(parameters(&m).len() == parameter_count(&m));
        let mut d = RneaData::new(&m);
        rnea(&m, &mut d, &[], &[], &[], &mut []).unwrap();
        let weight = m.base_inertia().mass * 9.81;
        assert!((d.base_wrench(&m).unwrap().force.z - weight).abs() < 1e-12 * weight.max(1.0));
    }
}

/// A joint that moves no inertia has no acceleration; the mass matrix and the torques are still defined.
#[test]
fn a_link_without_mass_is_named() {
    let built = |last: Link, drive: Drive| {
        let mut builder = ModelBuilder::new("arm");
        let arm = builder.add(
            BASE,
            Joint::revolute("shoulder", [0.0, 1.0, 0.0]),
            random::link(&mut random::source(1), "arm"),
        );
        builder.add(arm, Joint::revolute("wrist", [1.0, 0.0, 0.0]).driven_by(drive), last);
        builder.build().unwrap()
    };
    let two = [0.3, 0.4];
    let bare = built(Link::new("hand"), Drive::ideal());
    let expected = Error::NotPositiveDefinite { joint: "wrist".to_string() };
    for (function, inputs, outputs, call) in calls() {
        let result = call_with(&bare, &slices(&bare, inputs, 0.3), &mut slices(&bare, outputs, 0.0), call);
        match function {
            "aba" | "minverse" | "aba_derivatives" | "cartesian" => {
                assert_eq!(result, Err(expected.clone()), "{function}")
            }
            _ => assert_eq!(result, Ok(()), "{function}"),
        }
    }
    assert!(expected.to_string().contains("`wrist`"));
    // A point on the axis turns nothing either; a rotor does.
    let point = Link::new("hand").body(1.0, [0.7, 0.0, 0.0], [0.0; 6]);
    let mut qdd = [0.0; 2];
    let on_axis = built(point.clone(), Drive::ideal());
    assert_eq!(aba(&on_axis, &mut AbaData::new(&on_axis), &two, &two, &two, &mut qdd), Err(expected));
    let driven = built(point, Drive::ideal().rotor(1e-4, 100.0));
    assert_eq!(aba(&driven, &mut AbaData::new(&driven), &two, &two, &two, &mut qdd), Ok(()));
}

#[test]
fn a_singular_pose_is_an_error_with_its_condition_number() {
    let mut builder = ModelBuilder::new("two links");
    let at = |x: f64| Transform::from_translation(vec3(x, 0.0, 0.0));
    let link = |name| Link::new(name).body(1.0, [0.5, 0.0, 0.0], [0.01, 0.0, 0.0, 0.01, 0.0, 0.01]);
    let axis = [0.0, 0.0, 1.0];
    let upper = builder.add(BASE, Joint::revolute("shoulder", axis), link("upper"));
    let fore = builder.add(upper, Joint::revolute("elbow", axis).at(at(1.0)), link("fore"));
    builder.add(fore, Joint::fixed("flange").at(at(1.0)), Link::new("hand"));
    let m = builder.build().unwrap();
    let mut d = CartesianData::new(&m);
    let directions = &[TaskDirection::LinearX, TaskDirection::LinearY];
    let task = Task { link: m.link("hand").unwrap(), directions, ..TASK };
    assert!(cartesian(&m, &mut d, &task, &[0.3, 1.0], &[0.1, 0.2]).is_ok());
    let stretched = cartesian(&m, &mut d, &task, &[0.3, 0.0], &[0.1, 0.2]).map(|_| ());
    assert!(matches!(stretched, Err(Error::Singular { condition }) if condition > 1e12), "{stretched:?}");
    assert!(stretched.unwrap_err().to_string().contains("singular"));
    let across = &[TaskDirection::LinearZ];
    let out_of_plane = cartesian(&m, &mut d, &Task { directions: across, ..task }, &[0.3, 1.0], &[0.1, 0.2]);
    assert!(matches!(out_of_plane, Err(Error::Singular { .. })));
    let three = &[TaskDirection::LinearX, TaskDirection::LinearY, TaskDirection::AngularZ];
    let many = cartesian(&m, &mut d, &Task { directions: three, ..task }, &[0.3, 1.0], &[0.1, 0.2]).map(|_| ());
    assert_eq!(many, Err(Error::TooManyDirections { directions: 3, maximum: 2 }));
    let nowhere = cartesian(&m, &mut d, &Task { link: LinkId::new(9), ..task }, &[0.3, 1.0], &[0.1, 0.2]).map(|_| ());
    assert!(matches!(nowhere, Err(Error::NoSuchLink { .. })));
}

#[test]
fn an_unknown_link_is_named() {
    let m = random::arm(1, "R");
    let unknown = Error::NoSuchLink { name: "hand".to_string() };
    assert_eq!(m.link("hand"), Err(unknown.clone()));
    assert!(unknown.to_string().contains("`hand`"));
    let ninth = LinkId::new(9);
    let loaded = m.with_payload("box", ninth, Inertia::zero(), Transform::identity()).map(|_| ());
    assert!(matches!(loaded, Err(Error::NoSuchLink { .. })));
    let pushed = RneaData::new(&m).boundary.add_external_wrench(&m, ninth, Force::zero());
    assert!(matches!(pushed, Err(Error::NoSuchLink { .. })));
}

#[test]
fn boundary_conditions_that_are_not_finite_are_errors() {
    let m = random::arm(1, "RR");
    let two = [0.1, 0.2];
    let nan = Vec3::zero() * f64::NAN;
    for k in 0..3 {
        let (mut inverse, mut forward) = (RneaData::new(&m), AbaData::new(&m));
        for boundary in [&mut inverse.boundary, &mut forward.boundary] {
            match k {
                0 => boundary.base_velocity = Motion::new(nan, Vec3::zero()),
                1 => boundary.base_acceleration = Motion::new(Vec3::zero(), nan),
                _ => boundary.add_external_wrench(&m, m.last_link(), Force::new(nan, Vec3::zero())).unwrap(),
            }
        }
        let mut out = [0.0; 2];
        let results =
            [rnea(&m, &mut inverse, &two, &two, &two, &mut out), aba(&m, &mut forward, &two, &two, &two, &mut out)];
        for r in results {
            assert!(matches!(r, Err(Error::NotFinite { .. })), "{r:?}");
        }
    }
}

/// Fast, far, heavy and light: finite results or errors, for every function.
#[test]
fn huge_and_tiny_values_are_finite_or_errors() {
    let scaled = |scale: f64| {
        let mut description = Description::random(7, 4, Joints::Mixed, true, Drives::Ideal);
        for (_, _, link) in &mut description.links {
            for part in &mut link.parts {
                part.inertia = part.inertia.map(|x| x * scale);
            }
        }
        description.build()
    };
    for m in [1e-300, 1e-150, 1.0, 1e150, 1e300].map(scaled) {
        for value in [0.0, 1e-300, 1e-9, 1.0, 1e9, 1e80, 1e154, 1e300, -1e308] {
            for (function, inputs, outputs, call) in calls() {
                let mut y = slices(&m, outputs, 0.0);
                let result = call_with(&m, &slices(&m, inputs, value), &mut y, call);
                if result.is_ok() {
                    assert!(y.iter().flatten().all(|x| x.is_finite()), "{function} at {value}: {y:?}");
                }
            }
        }
    }
}

#[test]
fn configurations_are_drawn_within_limits() {
    let inf = f64::INFINITY;
    for (lower, upper) in [(-1.0, 2.0), (5.0, inf), (-inf, -7.0), (3.0, 3.0)] {
        let mut builder = ModelBuilder::new("limited");
        let drive = Drive::ideal().limits(Limits { lower, upper, ..Limits::NONE });
        let link = random::link(&mut random::source(1), "arm");
        builder.add(BASE, Joint::revolute("turn", [0.0, 0.0, 1.0]).driven_by(drive), link);
        let m = builder.build().unwrap();
        for u in [0.0, 0.3, 0.999] {
            let mut q = [0.0];
            m.random(|| u, &mut q).unwrap();
            assert!((lower..=upper).contains(&q[0]), "{} is not within {lower} … {upper}", q[0]);
        }
    }
}

/// A builder with an arm, and one thing wrong with it.
fn refused(wrong: impl FnOnce(&mut ModelBuilder)) -> Vec<String> {
    let mut builder = ModelBuilder::new("bad robot");
    wrong(&mut builder);
    match builder.build() {
        Err(e) => {
            let text = e.to_string();
            assert!(text.contains("bad robot") && e.problems.iter().all(|p| text.contains(p.as_str())), "{text}");
            e.problems
        }
        Ok(_) => vec![],
    }
}

#[track_caller]
fn says(problems: &[String], words: &[&str]) {
    assert_eq!(problems.len(), 1, "{problems:?}");
    for word in words {
        assert!(problems[0].contains(word), "`{}` does not say {word}", problems[0]);
    }
}

fn hinge(name: &str) -> Joint {
    Joint::revolute(name, [0.0, 0.0, 1.0])
}

fn body(name: &str) -> Link {
    Link::new(name).body(1.0, [0.1, 0.2, 0.3], [0.1, 0.0, 0.0, 0.1, 0.0, 0.1])
}

#[test]
fn impossible_links_are_refused_by_name() {
    let with = |mass: f64, centre: [f64; 3], tensor: [f64; 6]| {
        refused(|b| {
            b.add(BASE, hinge("turn"), Link::new("forearm").body(mass, centre, tensor));
        })
    };
    let (at, fine) = ([0.1, 0.0, 0.0], [0.1, 0.0, 0.0, 0.1, 0.0, 0.1]);
    assert!(with(1.0, at, fine).is_empty());
    says(&with(-1.0, at, fine), &["`forearm`", "mass", "negative", "-1"]);
    for bad in [f64::NAN, f64::INFINITY] {
        says(&with(bad, at, fine), &["`forearm`", "not finite"]);
        says(&with(1.0, [0.0, bad, 0.0], fine), &["`forearm`", "not finite"]);
        says(&with(1.0, at, [bad, 0.0, 0.0, 0.1, 0.0, 0.1]), &["`forearm`", "not finite"]);
    }
    says(&with(1.0, at, [0.1, 0.0, 0.0, -0.1, 0.0, 0.1]), &["`forearm`", "not positive definite"]);
    says(&with(1.0, at, [0.1, 0.5, 0.0, 0.1, 0.0, 0.1]), &["`forearm`", "not positive definite"]);
    let first_moment = Inertia { first: vec3(0.1, 0.0, 0.0), ..Inertia::zero() };
    let massless = refused(|b| {
        b.add(BASE, hinge("turn"), Link::new("forearm").part("plate", first_moment, Transform::identity()));
    });
    says(&massless, &["`forearm`", "`plate`", "no mass"]);
    let base = refused(|b| {
        b.base(Link::new("pedestal").body(-2.0, at, fine));
    });
    says(&base, &["`pedestal`", "negative"]);
}

#[test]
fn odd_links_are_flagged_by_name() {
    let flags = |mass: f64, tensor: [f64; 6]| {
        let mut b = ModelBuilder::new("odd");
        b.add(BASE, hinge("turn"), Link::new("forearm").body(mass, [0.0; 3], tensor));
        b.build().unwrap().warnings().to_vec()
    };
    assert!(flags(1.0, [0.1, 0.0, 0.0, 0.1, 0.0, 0.1]).is_empty());
    let broken = flags(1.0, [0.1, 0.0, 0.0, 0.1, 0.0, 0.3]);
    assert!(broken.len() == 1 && broken[0].subject.contains("`forearm`") && broken[0].text.contains("triangle"));
    let massless = flags(0.0, [0.1, 0.0, 0.0, 0.1, 0.0, 0.1]);
    assert!(massless.len() == 1 && massless[0].subject.contains("`forearm`") && massless[0].text.contains("no mass"));
}

#[test]
fn impossible_joints_are_refused_by_name() {
    let with = |joint: Joint| {
        refused(|b| {
            b.add(BASE, joint, body("arm"));
        })
    };
    for axis in [[0.0; 3], [f64::NAN, 0.0, 1.0], [f64::INFINITY, 0.0, 0.0]] {
        let other = [0.0, 0.0, 1.0];
        for kind in [
            JointKind::Revolute { axis },
            JointKind::Prismatic { axis },
            JointKind::Helical { axis, pitch: 0.1 },
            JointKind::Cylindrical { axis },
            JointKind::Universal { axes: [axis, other] },
            JointKind::Universal { axes: [other, axis] },
        ] {
            says(&with(Joint::new("elbow", kind)), &["`elbow`", "axis"]);
        }
    }
    let axis = [0.0, 0.0, 1.0];
    says(&with(Joint::new("elbow", JointKind::Helical { axis, pitch: f64::NAN })), &["`elbow`", "pitch"]);
    let doubled = Rotation { x: Vec3::unit(0) * 2.0, y: Vec3::unit(1), z: Vec3::unit(2) };
    let mirrored = Rotation { x: -Vec3::<f64>::unit(0), y: Vec3::unit(1), z: Vec3::unit(2) };
    let skewed = Rotation { x: Vec3::unit(0), y: Vec3::unit(1), z: vec3(0.6, 0.0, 1.0) };
    for r in [doubled, mirrored, skewed] {
        says(&with(hinge("elbow").at(Transform::from_rotation(r))), &["`elbow`", "placement"]);
    }
    says(&with(hinge("elbow").at(Transform::from_translation(vec3(0.0, f64::NAN, 0.0)))), &["`elbow`", "placement"]);
    let two_drives = hinge("elbow").driven_by(Drive::ideal()).driven_by(Drive::ideal());
    says(&with(two_drives), &["`elbow`", "2 drives", "1 degree"]);
    says(&with(Joint::fixed("weld").driven_by(Drive::ideal())), &["`weld`", "1 drives", "0 degree"]);
}

#[test]
fn impossible_beams_stiffness_and_contacts_are_refused_by_name() {
    let steel = Material::named("steel").unwrap();
    let beam = Beam::new(Section::Rod { diameter: 0.02 }, steel, 1.0);
    let with = |beam: Beam| {
        refused(|b| {
            b.add(BASE, hinge("elbow"), body("arm").beam(beam));
        })
    };
    assert!(with(beam).is_empty());
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        says(&with(Beam { length: bad, ..beam }), &["`arm`", "length"]);
        says(&with(Beam { section: Section::Rod { diameter: bad }, ..beam }), &["`arm`", "section"]);
        says(&with(Beam { material: Some(Material { youngs_modulus: bad, ..steel }), ..beam }), &["`arm`", "material"]);
    }
    says(&with(Beam { material: None, ..beam }), &["`arm`", "no material"]);
    says(&with(Beam { material: Some(Material { density: Some(-1.0), ..steel }), ..beam }), &["`arm`", "density"]);
    says(&with(Beam { section: Section::Tube { outer: 0.1, inner: 0.2 }, ..beam }), &["`arm`", "section"]);
    says(&with(beam.between([0.0; 3], [f64::NAN, 0.0, 0.0])), &["`arm`", "`end`"]);
    let stiff = |joint: Joint| {
        refused(|b| {
            b.add(BASE, joint, body("arm"));
        })
    };
    assert!(stiff(hinge("elbow").stiffness(f64::INFINITY)).is_empty());
    for bad in [0.0, -1.0, f64::NAN] {
        says(&stiff(hinge("elbow").stiffness(bad)), &["`elbow`", "stiffness"]);
    }
    says(&stiff(hinge("elbow").stiffness(1.0).stiffness(1.0)), &["`elbow`", "2 stiffnesses", "1 degree"]);
    let touching = |contacts: &[Contact]| {
        refused(|b| {
            contacts.iter().for_each(|c| {
                b.contact(c.clone());
            });
        })
    };
    let wheel = Contact::new("wheel", ContactKind::Driven, [0.1, 0.2, 0.0]);
    assert!(touching(std::slice::from_ref(&wheel)).is_empty());
    says(&touching(&[wheel.clone(), wheel.clone()]), &["`wheel`", "another"]);
    says(&touching(&[Contact { position: [f64::NAN; 3], ..wheel.clone() }]), &["`wheel`", "position"]);
    says(&touching(&[Contact { rolling_direction: [2.0, 0.0, 0.0], ..wheel.clone() }]), &["`wheel`", "unit vector"]);
    says(&touching(&[Contact { radius: Some(0.0), ..wheel.clone() }]), &["`wheel`", "radius"]);
    let friction = ContactFriction { rolling_resistance: Some(-0.1), ..ContactFriction::default() };
    says(&touching(&[Contact { friction, ..wheel }]), &["`wheel`", "friction"]);
}

#[test]
fn impossible_drives_are_refused_by_name() {
    let with = |drive: Drive| {
        refused(|b| {
            b.add(BASE, hinge("elbow").driven_by(drive), body("arm"));
        })
    };
    let ideal = Drive::ideal;
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        says(&with(ideal().armature(bad)), &["`elbow`", "armature"]);
        says(&with(ideal().viscous(bad)), &["`elbow`", "friction"]);
        says(&with(ideal().coulomb(bad, 0.0)), &["`elbow`", "friction"]);
        says(&with(ideal().coulomb(0.0, bad)), &["`elbow`", "friction"]);
        says(&with(ideal().stribeck(bad, 0.1)), &["`elbow`", "friction"]);
        says(&with(ideal().stribeck(0.1, bad)), &["`elbow`", "Stribeck"]);
        says(&with(ideal().rotor(bad, 10.0)), &["`elbow`", "rotor"]);
    }
    says(&with(ideal().stribeck(0.1, 0.0)), &["`elbow`", "Stribeck"]);
    says(&with(ideal().rotor(1e-3, f64::NAN)), &["`elbow`", "rotor"]);
    says(&with(ideal().gyroscopic_rotor(1e-3, 10.0, [0.0; 3])), &["`elbow`", "rotor", "axis"]);
    for limits in [
        Limits { lower: 1.0, upper: -1.0, ..Limits::NONE },
        Limits { lower: f64::NAN, ..Limits::NONE },
        Limits { speed: -1.0, ..Limits::NONE },
        Limits { effort: f64::NAN.into(), ..Limits::NONE },
        Limits { effort: EffortRange { lower: 2.0, upper: 1.0 }, ..Limits::NONE },
    ] {
        says(&with(ideal().limits(limits)), &["`elbow`", "limits"]);
    }
    let unknown = refused(|b| {
        b.add(BASE, hinge("elbow"), body("arm"));
        b.coupled_rotor(1e-3, &[("elbow", 3.0), ("wirst", 2.0)], None);
    });
    says(&unknown, &["`wirst`"]);
    let idle = refused(|b| {
        b.coupled_rotor(1e-3, &[], Some((BASE, [0.0, 0.0, 1.0])));
    });
    says(&idle, &["rotor", "no gears"]);
    assert_eq!(Friction::<f64>::none().dry_torque(1.0), 0.0);
}

#[test]
fn names_that_occur_twice_are_refused() {
    let joints = refused(|b| {
        let arm = b.add(BASE, hinge("elbow"), body("arm"));
        b.add(arm, hinge("elbow"), body("hand"));
    });
    says(&joints, &["joint `elbow`", "duplicate"]);
    let links = refused(|b| {
        let arm = b.add(BASE, hinge("elbow"), body("arm"));
        b.add(arm, hinge("wrist"), body("arm"));
    });
    says(&links, &["link `arm`", "duplicate"]);
    let base = refused(|b| {
        b.add(BASE, hinge("elbow"), body("base"));
    });
    says(&base, &["link `base`", "duplicate"]);
}

/// Links of another builder are not known here, whatever is put on them; and all problems are reported at once.
#[test]
fn a_link_of_another_builder_is_refused() {
    let mut other = ModelBuilder::new("other");
    let first = other.add(BASE, hinge("a"), body("a"));
    let second = other.add(first, hinge("b"), body("b"));
    let problems = refused(|b| {
        let arm = b.add(second, hinge("elbow"), body("arm"));
        let hand = b.add(arm, hinge("wrist"), body("hand"));
        b.add(hand, hinge("finger"), body("tip"));
        b.coupled_rotor(1e-3, &[("wrist", 2.0)], Some((hand, [1.0, 0.0, 0.0])));
    });
    assert!(problems[0].contains("`elbow`") && problems[0].contains("parent"), "{problems:?}");
    let mount = refused(|b| {
        b.add(BASE, hinge("elbow"), body("arm"));
        b.coupled_rotor(1e-3, &[("elbow", 2.0)], Some((second, [1.0, 0.0, 0.0])));
    });
    says(&mount, &["`elbow`", "mount"]);
}

#[test]
fn all_problems_are_reported_at_once() {
    let problems = refused(|b| {
        b.gravity([0.0, f64::NAN, 0.0]);
        b.add(BASE, Joint::revolute("elbow", [0.0; 3]), Link::new("arm").body(-1.0, [0.0; 3], [0.0; 6]));
        b.add(BASE, hinge("wrist").driven_by(Drive::ideal().viscous(-1.0)), body("hand"));
    });
    for word in ["gravity", "`elbow`", "`arm`", "`wrist`"] {
        assert!(problems.iter().any(|p| p.contains(word)), "{word}: {problems:?}");
    }
}

#[test]
fn a_formulation_that_does_not_cover_a_joint_names_it() {
    let mut b = ModelBuilder::new("ball and socket");
    let arm = b.add(BASE, hinge("shoulder"), body("arm"));
    b.add(arm, Joint::new("wrist", JointKind::Spherical), body("hand"));
    let m = b.build().unwrap();
    for (function, inputs, outputs, call) in calls().into_iter().filter(|call| call.0 != "cartesian") {
        let covers = !["coefficients", "lagrange", "augmented", "christoffel", "configuration_space"]
            .iter()
            .any(|name| function.starts_with(name));
        match call_with(&m, &slices(&m, inputs, 0.3), &mut slices(&m, outputs, 0.0), call) {
            Err(Error::Unsupported { joint, .. }) if !covers => {
                assert!(joint.starts_with("wrist"), "{function}: {joint}")
            }
            result => assert!(covers && result.is_ok(), "{function}: {result:?}"),
        }
    }
}

/// A workspace that was made for another robot, be it one of as many joints and bodies.
#[test]
fn a_workspace_of_another_robot_is_refused() {
    let arms = ["R", "RP", "RPR", "RPRRR"].map(|kinds| random::arm(1, kinds));
    let tree = |seed, count, joints| Description::random(seed, count, joints, true, Drives::Ideal).build();
    let forked = (0..).map(|seed| tree(seed, 3, Joints::Mixed)).find(|m| m.body(3).parent != 2).unwrap();
    let m = &arms[2];
    let (n, s) = (m.nv(), State::random(m, &mut random::source(1)));
    for (length, list) in [(n, torques()), (n * n, mass_matrices()), (n, accelerations())] {
        for f in &list {
            for other in [&arms[0], &arms[1], &arms[3], &tree(11, 4, Joints::All), &forked] {
                let result = (f.make)(other)(m, [&s.q, &s.qd, &s.qdd], &mut vec![0.0; length]);
                let refused = matches!(result, Err(Error::OtherModel { .. } | Error::Length { .. }));
                assert!(refused, "`{}` with {}: {result:?}", f.name, other.name());
            }
        }
    }
}

/// A gimbal at its lock, and coaxial joints with nothing between them, have no forward dynamics: rounding must not make a
/// number of it.
#[test]
fn a_mass_matrix_that_is_singular_in_a_pose_is_an_error_there() {
    let wheel = || Link::new("wheel").body(2.0, [0.1, 0.2, 0.3], [0.1, 0.0, 0.0, 0.2, 0.0, 0.25]);
    let mut gimbal = ModelBuilder::new("gimbal");
    let kind = JointKind::Generalized { rotations: [true; 3], translations: [false; 3], order: Order::RotationFirst };
    gimbal.add(BASE, Joint::new("gimbal", kind), wheel());
    let gimbal = gimbal.build().unwrap();
    let mut coaxial = ModelBuilder::new("coaxial");
    let ring = coaxial.add(BASE, Joint::revolute("first", [0.3, 0.5, 0.8]), Link::new("ring"));
    coaxial.add(ring, Joint::revolute("second", [0.3, 0.5, 0.8]), wheel());
    let coaxial = coaxial.build().unwrap();

    for k in 0..200 {
        let angle = 0.03 * f64::from(k) - 3.0;
        for (m, q) in
            [(&gimbal, vec![angle, std::f64::consts::FRAC_PI_2, 0.7 * angle]), (&coaxial, vec![angle, -angle])]
        {
            let n = m.nv();
            let (one, mut qdd, mut inverse) = (vec![1.0; n], vec![0.0; n], vec![0.0; n * n]);
            let forward = aba(m, &mut AbaData::new(m), &q, &one, &one, &mut qdd);
            assert!(matches!(forward, Err(Error::NotPositiveDefinite { .. })), "{}: {forward:?} {qdd:?}", m.name());
            let inverted = minverse(m, &mut MinverseData::new(m), &q, &mut inverse);
            assert!(matches!(inverted, Err(Error::NotPositiveDefinite { .. })), "{}: {inverted:?}", m.name());
        }
    }
    // Away from the lock all is well, and even a milliradian from it.
    for pitch in [0.0, 1.0, std::f64::consts::FRAC_PI_2 - 1e-3] {
        let mut qdd = [0.0; 3];
        aba(&gimbal, &mut AbaData::new(&gimbal), &[0.4, pitch, 0.2], &[1.0; 3], &[1.0; 3], &mut qdd).unwrap();
    }
}
