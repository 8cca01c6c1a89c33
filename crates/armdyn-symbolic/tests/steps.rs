//! The steps of the documents' methods: their results against the recursion, and formulas against values.

use armdyn_core::{Force, JointId, Model, RneaData, Transform, Vec3, WrenchFrame, rnea, vec3};
use armdyn_symbolic::closed::{Factor, Product, Sum};
use armdyn_symbolic::steps::{Method, Quantity, Trace, TraceError, TraceOptions, Value, formulas, values};
use armdyn_symbolic::{ClosedOptions, closed_form};
use armdyn_testkit::random::{Description, Drives, Joints, State, arm, source};
use armdyn_testkit::{assert_close_above, bundled, torques};

/// The torques that a trace ends with.
fn final_torques(m: &Model<f64>, trace: &Trace<f64>) -> Vec<f64> {
    let last = &trace.steps.last().expect("a trace has steps").quantities;
    last[last.len() - m.nv()..].iter().map(|q| *q.value.components()[0]).collect()
}

/// The largest torque or force of any intermediate result: rounding errors are relative to it.
fn scale(trace: &Trace<f64>) -> f64 {
    let loads = trace.quantities().filter(|q| ["N", "N m"].contains(&q.unit));
    loads.flat_map(|q| q.value.components()).fold(1.0, |s, x| s.max(x.abs()))
}

#[track_caller]
fn check_torques(m: &Model<f64>, method: Method, s: &State) {
    let trace = values(m, method, &s.q, &s.qd, &s.qdd, &TraceOptions::default()).expect("the method covers the robot");
    let expected = torques(m, &s.q, &s.qd, &s.qdd);
    assert_close_above(&format!("{}: {method}", m.name()), &final_torques(m, &trace), &expected, 1e-13, scale(&trace));
}

#[test]
fn every_trace_ends_with_the_torques_of_the_recursion() {
    let mut rng = source(7);
    for seed in 0..40 {
        let branches = seed % 2 == 1;
        let any = Description::random(seed, 5, Joints::All, branches, Drives::Coupled).build();
        let single = Description::random(seed + 100, 5, Joints::SingleAxis, branches, Drives::Coupled).build();
        for (m, methods) in [
            (&any, &[Method::NewtonEuler, Method::Lau][..]),
            (&single, &[Method::NewtonEuler, Method::Lau, Method::Lagrange, Method::Bejczy]),
        ] {
            let state = State::random(m, &mut rng);
            methods.iter().for_each(|&method| check_torques(m, method, &state));
        }
    }
    for kinds in ["RPR", "RRPRRR", "RR", "PRP"] {
        for seed in 0..5 {
            let m = arm(seed, kinds);
            let state = State::random(&m, &mut rng);
            Method::ALL
                .iter()
                .filter(|m| **m != Method::Cartesian)
                .for_each(|&method| check_torques(&m, method, &state));
        }
    }
}

/// A vector of a trace.
fn vector(q: &Quantity<f64>) -> Vec3<f64> {
    match &q.value {
        Value::Vector(v) => vec3(v[0], v[1], v[2]),
        other => panic!("{} is no vector: {other:?}", q.symbol),
    }
}

/// Σ over all k, l, j of Lau's terms is the wrench that the recursion finds, generalized and prismatic joints included.
#[test]
fn lau_terms_add_up_to_the_joint_wrenches() {
    let mut rng = source(11);
    for seed in 0..30 {
        let m = Description::random(seed, 4, Joints::All, seed % 3 == 0, Drives::Ideal).build();
        let s = State::random(&m, &mut rng);
        let trace = values(&m, Method::Lau, &s.q, &s.qd, &s.qdd, &TraceOptions::default()).unwrap();
        let mut data = RneaData::new(&m);
        rnea(&m, &mut data, &s.q, &s.qd, &s.qdd, &mut vec![0.0; m.nv()]).unwrap();
        let moving = m.joints().iter().enumerate().filter(|(_, j)| !j.bodies.is_empty());
        for (i, (at, info)) in moving.enumerate() {
            let mut sum = Force::zero();
            let mut counted = 0;
            for q in trace.quantities().filter(|q| q.indices.len() == 4 && q.indices[0] == i + 1) {
                match q.unit {
                    "N" => sum.force += vector(q),
                    _ => sum.moment += vector(q),
                }
                counted += 1;
            }
            assert!(counted >= 4, "{}: joint {} has {counted} terms", m.name(), info.name);
            let pose = trace.quantities().find(|q| q.indices == [0, i + 1] && q.symbol.unicode().starts_with("₀T"));
            let Value::Matrix(rows) = &pose.expect("step B has its frame").value else { panic!("a matrix") };
            let rotated = |v: Vec3<f64>| {
                let row = |r: usize| rows[r][0] * v.x + rows[r][1] * v.y + rows[r][2] * v.z;
                vec3(row(0), row(1), row(2))
            };
            let origin = vec3(rows[0][3], rows[1][3], rows[2][3]);
            let force = rotated(sum.force);
            let moment = rotated(sum.moment) + origin.cross(force);
            // The wrench of the joint's first pair; the bodies between pairs have no mass.
            let expected = data.wrenches(&m, JointId::new(at), WrenchFrame::World).unwrap()[0].total;
            // The recursion of chapter 5, in base axes about the origin of frame i.
            let recursive = |unit: &str| {
                let own =
                    |q: &&Quantity<f64>| q.indices == [i + 1] && q.frame.as_deref() == Some("base") && q.unit == unit;
                vector(trace.quantities().find(own).expect("chapter 5"))
            };
            let force5 = recursive("N");
            let moment5 = recursive("N m") + origin.cross(force5);
            let found = [force, moment, force5, moment5];
            let expected = [expected.force, expected.moment, expected.force, expected.moment];
            for (f, e) in found.into_iter().zip(expected) {
                let what = format!("{}: {}", m.name(), info.name);
                assert_close_above(&what, &f.to_array(), &e.to_array(), 1e-13, scale(&trace));
            }
        }
    }
}

#[track_caller]
fn check_formulas(m: &Model<f64>, method: Method) {
    let m = m.without_friction();
    let s = State::random(&m, &mut source(3));
    let tool = (m.last_link(), Transform::from_translation(vec3(0.3, -0.2, 0.1)));
    let options = TraceOptions { tool: m.tool().is_err().then_some(tool), ..TraceOptions::default() };
    let symbolic = formulas(&m, method, &options, &ClosedOptions::default(), &armdyn_core::Progress::none())
        .unwrap_or_else(|e| panic!("{}, {method}: {e}", m.name()));
    let found = symbolic.evaluate(&s.q, &s.qd, &s.qdd);
    let expected = values(&m, method, &s.q, &s.qd, &s.qdd, &options).unwrap();
    assert_eq!(found.steps.len(), expected.steps.len());
    let omitted = found.notes.iter().find(|n| n.starts_with("Left out")).map_or("", String::as_str);
    let kept = |q: &&Quantity<f64>| ![",", "."].iter().any(|end| omitted.contains(&format!(" {}{end}", q.symbol)));
    assert!(found.quantities().count() * 2 > expected.quantities().count(), "{}, {method}: {omitted}", m.name());
    for (a, b) in found.quantities().zip(expected.quantities().filter(kept)) {
        let what = format!("{}, {method}: {}", m.name(), b.symbol);
        assert_eq!(a.symbol.unicode(), b.symbol.unicode());
        let [a, b] = [a, b].map(|q| q.value.components().into_iter().copied().collect::<Vec<f64>>());
        assert_close_above(&what, &a, &b, 1e-12, 1.0);
    }
}

#[test]
fn formulas_have_the_values_of_the_numeric_steps() {
    for robot in ["lin-rr", "lin-rp", "lau-fig4"] {
        Method::ALL.iter().for_each(|&method| check_formulas(&bundled(robot), method));
    }
    for robot in ["lau-rrr", "lau-rpr"] {
        [Method::NewtonEuler, Method::Lau, Method::Bejczy]
            .iter()
            .for_each(|&method| check_formulas(&bundled(robot), method));
    }
    [Method::NewtonEuler, Method::Bejczy].iter().for_each(|&method| check_formulas(&bundled("jpl-rrp"), method));
}

/// The smallest number of a formula, brackets expanded.
fn smallest(sum: &Sum, times: f64) -> f64 {
    let product = |p: &Product| {
        let inner = p.factors.iter().filter_map(|(f, _)| if let Factor::Sum(sum) = f { Some(sum) } else { None });
        let number = times * p.coefficient;
        inner.map(|sum| smallest(sum, number)).fold(number.abs(), f64::min)
    };
    sum.0.iter().map(product).fold(f64::INFINITY, f64::min)
}

/// Joint axes of these arms are inclined: numbers in formulas are products of up to eight sines and cosines of 0.2 to 1.5 rad, and their
/// sums. Where terms cancel, rounding errors of 1e-16 would remain.
#[test]
fn formulas_have_no_rounding_residues() {
    let progress = armdyn_core::Progress::none();
    for (robot, method) in
        [("lau-rrr", Method::Lau), ("lau-rpr", Method::Lau), ("lau-rrr", Method::Bejczy), ("lau-rpr", Method::Bejczy)]
    {
        let m = bundled(robot);
        let s = formulas(&m, method, &TraceOptions::default(), &ClosedOptions::default(), &progress).unwrap();
        for q in s.trace.quantities() {
            let found = q.value.components().into_iter().map(|sum| smallest(sum, 1.0)).fold(f64::INFINITY, f64::min);
            assert!(found > 1e-9, "{robot}, {method}, {}: {found:e}", q.symbol);
        }
    }
    for robot in ["lau-rrr", "lau-rpr"] {
        let options = ClosedOptions { wrenches: true, energy: true, ..ClosedOptions::default() };
        let e = closed_form(&bundled(robot), &options).unwrap();
        for wrench in &e.supplements().wrenches {
            for term in wrench.components.iter().flatten() {
                let found = smallest(&term.coefficient.written, 1.0);
                assert!(found > 1e-9, "{robot}, wrench of {}: {found:e}", wrench.joint);
            }
        }
    }
}

/// Lin p. 25, 26 and 39, as printed.
#[test]
fn formulas_of_lin_as_printed() {
    let m = bundled("lin-rr");
    let s = |method| {
        formulas(&m, method, &TraceOptions::default(), &ClosedOptions::default(), &armdyn_core::Progress::none())
            .unwrap()
    };
    let e = s(Method::NewtonEuler);
    let plain = e.plain();
    let value = |symbol: &str| match &plain.quantities().find(|q| q.symbol.unicode() == symbol).unwrap().value {
        Value::Vector(v) => v.clone(),
        _ => panic!("{symbol} is no vector"),
    };
    assert_eq!(value("²ω₂"), ["0", "0", "qd1 + qd2"]);
    assert_eq!(value("¹a₁"), ["g*sin(q1)", "g*cos(q1)", "0"]);
    assert_eq!(value("¹a_C₁"), ["g*sin(q1) - x1*qd1**2", "g*cos(q1) + x1*qdd1", "0"]);
}

#[test]
fn errors_name_what_is_not_covered() {
    let several = |m: &Model<f64>| m.base_to_tip().any(|(_, b)| b.pair.nv() > 1);
    let mut robots = (0..).map(|seed| Description::random(seed, 4, Joints::All, false, Drives::Ideal).build());
    let m = robots.find(several).expect("one of them has a spherical or free joint");
    let s = State::random(&m, &mut source(1));
    let error = |method, options: &TraceOptions| values(&m, method, &s.q, &s.qd, &s.qdd, options).unwrap_err();
    let (_, first) = m.base_to_tip().find(|(_, b)| b.pair.nv() > 1).expect("it was found by this");
    let name = &m.dof_names()[first.v];
    for method in [Method::Lagrange, Method::Bejczy, Method::Cartesian] {
        let text = error(method, &TraceOptions::default()).to_string();
        assert!(text.contains(&format!("joint `{name}` is not covered")), "{text}");
    }
    let none = TraceOptions { term: Some([1, 9, 9, 9]), ..TraceOptions::default() };
    assert!(matches!(error(Method::Lau, &none), TraceError::NoTerm { .. }));
    let arm = bundled("panda");
    let zero = vec![0.1; 7];
    let error = values(&arm, Method::Cartesian, &zero, &zero, &zero, &TraceOptions::default()).unwrap_err();
    assert_eq!(error, TraceError::NotSquare { joints: 7, directions: 6 });
    // The wrist of the JPL arm is aligned at q = 0.
    let arm = bundled("jpl-rrp");
    let zero = vec![0.0; 6];
    let error = values(&arm, Method::Cartesian, &zero, &zero, &zero, &TraceOptions::default()).unwrap_err();
    assert_eq!(error, TraceError::SingularPose { directions: 5, joints: 6 });
    assert!(error.to_string().contains("the pose is singular"), "{error}");
}

/// With a wrench at the tip; formulas of arms with prismatic joints as well.
#[test]
fn the_steps_of_renaud() {
    for robot in ["scara", "jpl-rrp", "stanford"] {
        check_formulas(&bundled(robot), Method::Renaud);
    }
    for (seed, kinds) in (0..).zip(["RPR", "RRPRRR", "PPR", "PRP", "R"]) {
        let m = arm(seed, kinds);
        let s = State::random(&m, &mut source(seed));
        let w = [3.0, -2.0, 5.0, 0.4, -0.7, 0.9];
        let options = TraceOptions { tip_wrench: Some(w), ..TraceOptions::default() };
        let trace = values(&m, Method::Renaud, &s.q, &s.qd, &s.qdd, &options).unwrap();
        let mut data = RneaData::new(&m);
        let wrench = Force::new(vec3(w[3], w[4], w[5]), vec3(w[0], w[1], w[2]));
        data.boundary.add_external_wrench(&m, m.joints().last().unwrap().child, wrench).unwrap();
        let mut expected = vec![0.0; m.nv()];
        rnea(&m, &mut data, &s.q, &s.qd, &s.qdd, &mut expected).unwrap();
        assert_close_above(kinds, &final_torques(&m, &trace), &expected, 1e-13, scale(&trace));
    }
    // His table, and the step that is not needed without prismatic joints.
    let m = bundled("renaud-6r");
    let zero = [0.0; 6];
    let trace = values(&m, Method::Renaud, &zero, &zero, &zero, &TraceOptions::default()).unwrap();
    let total = trace.quantities().find(|q| q.symbol.unicode() == "total").unwrap();
    assert_eq!(total.value, Value::Vector(vec![181.0, 127.0]));
    assert!(trace.steps.iter().all(|s| !s.title.starts_with("(5)") && !s.title.starts_with("(8)")));
}
