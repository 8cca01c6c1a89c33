//! Cartesian paths: on the path by Denavit–Hartenberg matrices, and closed forms of where they end.

use crate::dh::{self, standard, transform};
use armdyn_core::{BASE, Drive, Joint, Limits, Link, Model, ModelBuilder, Rotation, Transform, Vec3, vec3};
use armdyn_motion::{CartesianPath, PathError, PathOptions, ToolPath};
use armdyn_testkit::bundled;
use std::f64::consts::PI;

fn ur(q: &[f64]) -> Transform<f64> {
    transform(&standard(&dh::UR10E, q))
}

fn angle(a: &Rotation<f64>, b: &Rotation<f64>) -> f64 {
    let [x, y, z, w] = a.compose(&b.inverse()).to_quaternion();
    2.0 * vec3(x, y, z).norm().atan2(w)
}

#[test]
fn a_line_is_followed_with_a_constant_turn() {
    let m = bundled("ur10e");
    let start = [0.0, -1.2, 1.5, -1.8, -1.5, 0.0];
    let from = ur(&start);
    let turn = Rotation::about(vec3(0.6, 0.0, 0.8), 0.5_f64.sin_cos());
    let to = Transform::new(turn.compose(&from.rotation), from.translation + vec3(0.1, 0.3, -0.2));
    let line = ToolPath::line(from, to);
    let length = 0.14_f64.sqrt();
    assert!((line.length() - length).abs() < 1e-15);
    let path = CartesianPath::follow(&m, None, &line, &start, &PathOptions::default()).unwrap();
    assert_eq!((path.s[0], path.s.len()), (0.0, path.q.len()));
    assert!((path.s[path.s.len() - 1] - length).abs() < 1e-15);
    for (s, q) in path.s.iter().zip(&path.q) {
        let (pose, t) = (ur(q), s / length);
        assert!((pose.translation - (from.translation + vec3(0.1, 0.3, -0.2) * t)).norm() < 1e-10);
        let expected = Rotation::about(vec3(0.6, 0.0, 0.8), (0.5 * t).sin_cos()).compose(&from.rotation);
        assert!(angle(&pose.rotation, &expected) < 1e-10);
    }
    assert!(path.s.windows(2).all(|s| s[1] > s[0] && s[1] - s[0] < 0.005 + 1e-12));
    let steps = path.q.windows(2).flat_map(|q| q[0].iter().zip(&q[1]).map(|(a, b)| (a - b).abs()));
    assert!(steps.fold(0.0, f64::max) <= 0.1);
}

#[test]
fn arcs_through_a_point_and_about_a_centre_are_circles() {
    let (centre, radius) = (vec3(0.5, 0.1, 0.4), 0.2);
    let on = |angle: f64| centre + (vec3(1.0, 0.0, 0.0) * angle.cos() + vec3(0.0, 0.6, 0.8) * angle.sin()) * radius;
    let down = |p| Transform::new(Rotation::rpy(PI, 0.0, 0.0), p);
    for (via, end) in [(0.5, 1.2), (2.0, 4.5), (-0.3, -2.0)] {
        let arc = ToolPath::arc_through(down(on(0.0)), on(via), down(on(end))).unwrap();
        assert!((arc.length() - radius * f64::abs(end)).abs() < 1e-14, "{via} {end}: {}", arc.length());
        for t in [0.0, 0.3, 0.7, 1.0] {
            assert!((arc.pose(t).translation - on(end * t)).norm() < 1e-14, "{via} {end} at {t}");
        }
    }
    let about = ToolPath::arc_about(down(on(0.2)), centre, down(on(2.2))).unwrap();
    assert!((about.length() - 0.4).abs() < 1e-14 && (about.pose(0.25).translation - on(0.7)).norm() < 1e-14);
    let fails = |path: armdyn_numerics::Result<ToolPath>| path.unwrap_err().to_string();
    assert!(
        fails(ToolPath::arc_through(down(on(0.0)), on(0.0) * 0.5 + on(1.0) * 0.5, down(on(1.0)))).contains("on a line")
    );
    assert!(fails(ToolPath::arc_about(down(on(0.0)), centre, down(on(PI)))).contains("on a line"));
    assert!(fails(ToolPath::arc_about(down(on(0.0)), centre, down(on(1.0) + vec3(0.0, 0.0, 0.1)))).contains("centre"));
    assert!(fails(ToolPath::arc_through(down(on(0.0)), vec3(f64::NAN, 0.0, 0.0), down(on(1.0)))).contains("on a line"));
}

#[test]
fn an_aligned_wrist_is_found_where_it_is() {
    // Wrist 2 alone turns from 0.4 to −0.2 rad: the tool moves on an arc about that axis, singular at 2/3 of its length.
    let m = bundled("ur10e");
    let at = |wrist: f64| [0.2, -1.2, 1.5, -0.8, wrist, 0.3];
    let (from, to) = (ur(&at(0.4)), ur(&at(-0.2)));
    // Axis and centre of the circle: the tool is d6 = 0.11655 m from the axis.
    let three = [0.4, 0.1, -0.2].map(|w| ur(&at(w)).translation);
    let arc = ToolPath::arc_through(from, three[1], to).unwrap();
    assert!((arc.length() - 0.11655 * 0.6).abs() < 1e-12, "{}", arc.length());
    let error = CartesianPath::follow(&m, None, &arc, &at(0.4), &PathOptions::default()).unwrap_err();
    let PathError::Singular { s, joints, .. } = &error else { panic!("{error}") };
    // Singular values below 1e-3 begin within 0.01 rad of it.
    assert!((s - 0.11655 * 0.4).abs() < 0.11655 * 0.01, "{error}");
    assert!(joints.iter().any(|j| j == "wrist_3_joint") && joints.iter().any(|j| j == "wrist_1_joint"), "{error}");
    assert!(!joints.iter().any(|j| j == "wrist_2_joint" || j == "shoulder_pan_joint"), "{error}");
    // With a tiny threshold by the change of sign of the determinant, exactly.
    let options = PathOptions { singular_value: 1e-12, ..PathOptions::default() };
    let error = CartesianPath::follow(&m, None, &arc, &at(0.4), &options).unwrap_err();
    let PathError::Singular { s, .. } = error else { panic!("{error}") };
    assert!((s - 0.11655 * 0.4).abs() < 1e-7, "{s}");
    assert!(error.to_string().starts_with("singular at 0.04662 m along the path: joints `"), "{error}");
    // It can be passed.
    let options = PathOptions { singular_value: 0.0, ..PathOptions::default() };
    let path = CartesianPath::follow(&m, None, &arc, &at(0.4), &options).unwrap();
    assert!((path.q[path.q.len() - 1][4] + 0.2).abs() < 1e-8);
}

/// Two links of 1 m in the x-y plane, the first with a limit.
fn planar((lower, upper): (f64, f64)) -> Model<f64> {
    let mut robot = ModelBuilder::new("planar");
    let z = [0.0, 0.0, 1.0];
    let along = Transform::from_translation(vec3(1.0, 0.0, 0.0));
    let body = |name: &str| Link::new(name).body(1.0, [0.1, 0.0, 0.0], [0.0; 6]);
    let drive = Drive::ideal().limits(Limits { lower, upper, ..Limits::NONE });
    let upper = robot.add(BASE, Joint::revolute("shoulder", z).driven_by(drive), body("upper"));
    let lower = robot.add(upper, Joint::revolute("elbow", z).at(along), body("lower"));
    robot.add(lower, Joint::fixed("mount").at(along), Link::new("tool0"));
    robot.build().unwrap()
}

fn planar_line(
    m: &Model<f64>,
    from: Vec3<f64>,
    to: Vec3<f64>,
    singular_value: f64,
) -> Result<CartesianPath, PathError> {
    let [from, to] = [from, to].map(Transform::from_translation);
    let options = PathOptions { singular_value, orientation: false, ..PathOptions::default() };
    CartesianPath::follow(m, None, &ToolPath::line(from, to), &[0.0, 1.0], &options)
}

#[test]
fn paths_end_at_limits_and_at_the_end_of_the_reach() {
    // Along x = 1 upwards, elbow bent to the left: q₁ = atan2(y, x) − acos(r/2).
    let m = planar((-1.2, 0.3));
    let error = planar_line(&m, vec3(1.0, 0.0, 0.0), vec3(1.0, 1.6, 0.0), 0.0).unwrap_err();
    let PathError::JointLimit { s, ref joint, .. } = error else { panic!("{error}") };
    let shoulder = |y: f64| f64::atan2(y, 1.0) - ((1.0 + y * y).sqrt() / 2.0).acos();
    assert!(joint == "shoulder" && (shoulder(s) - 0.3).abs() < 1e-7, "{error}: {}", shoulder(s));
    // Without that limit the arm is stretched at y = √3.
    let m = planar((-PI, PI));
    let error = planar_line(&m, vec3(1.0, 0.0, 0.0), vec3(1.0, 2.0, 0.0), 0.0).unwrap_err();
    let PathError::OutOfReach { s, .. } = error else { panic!("{error}") };
    assert!((s - 3.0_f64.sqrt()).abs() < 1e-8, "{error}");
    // The start is 5 m away, of which 2 m are reached.
    let error = planar_line(&m, vec3(3.0, 4.0, 0.0), vec3(1.0, 1.0, 0.0), 0.0).unwrap_err();
    let PathError::Start { position_error, .. } = error else { panic!("{error}") };
    assert!((position_error - 3.0).abs() < 1e-9, "{error}");
}

#[test]
fn a_joint_that_rests_at_its_limit_is_not_blamed() {
    // The same arm on a lift that is at its upper end, on a line at that height.
    let lifted = |lower: f64, upper: f64| {
        let mut robot = ModelBuilder::new("lifted");
        let z = [0.0, 0.0, 1.0];
        let along = Transform::from_translation(vec3(1.0, 0.0, 0.0));
        let body = |name: &str| Link::new(name).body(1.0, [0.1, 0.0, 0.0], [0.0; 6]);
        let drive = |lower, upper| Drive::ideal().limits(Limits { lower, upper, ..Limits::NONE });
        let lift = robot.add(BASE, Joint::prismatic("lift", z).driven_by(drive(0.0, 0.5)), body("carriage"));
        let arm = robot.add(lift, Joint::revolute("shoulder", z).driven_by(drive(lower, upper)), body("upper"));
        let arm = robot.add(arm, Joint::revolute("elbow", z).at(along), body("lower"));
        robot.add(arm, Joint::fixed("mount").at(along), Link::new("tool0"));
        robot.build().unwrap()
    };
    let follow = |m: &Model<f64>, to: Vec3<f64>| {
        let [from, to] = [vec3(1.0, 0.0, 0.5), to].map(Transform::from_translation);
        let options = PathOptions { singular_value: 0.0, orientation: false, ..PathOptions::default() };
        CartesianPath::follow(m, None, &ToolPath::line(from, to), &[0.5, 0.0, 1.0], &options).unwrap_err()
    };
    let error = follow(&lifted(-1.2, 0.3), vec3(1.0, 1.6, 0.5));
    let PathError::JointLimit { s, ref joint, .. } = error else { panic!("{error}") };
    let shoulder = |y: f64| f64::atan2(y, 1.0) - ((1.0 + y * y).sqrt() / 2.0).acos();
    assert!(joint == "shoulder" && (shoulder(s) - 0.3).abs() < 1e-7, "{error}: {}", shoulder(s));
    let error = follow(&lifted(-PI, PI), vec3(1.0, 2.0, 0.5));
    let PathError::OutOfReach { s, .. } = error else { panic!("{error}") };
    assert!((s - 3.0_f64.sqrt()).abs() < 1e-7, "{error}");
    // The lift itself ends a line that rises.
    let error = follow(&lifted(-PI, PI), vec3(1.0, 1.0, 0.6));
    let PathError::JointLimit { s, ref joint, .. } = error else { panic!("{error}") };
    assert!(joint == "lift" && s < 1e-7, "{error}");
}

#[test]
fn a_jump_is_found_where_it_is() {
    // Past the base at a distance of 1e-9 m: the shoulder turns by π within nanometres, after 0.7 m.
    let m = planar((f64::NEG_INFINITY, f64::INFINITY));
    let error = planar_line(&m, vec3(0.7, 1e-9, 0.0), vec3(-0.7, 1e-9, 0.0), 0.0).unwrap_err();
    let PathError::Jump { s, ref joint, .. } = error else { panic!("{error}") };
    assert!(joint == "shoulder" && (s - 0.7).abs() < 1e-5, "{error}");
}

#[test]
fn a_path_may_only_turn_the_tool() {
    let m = bundled("ur10e");
    let start = [0.0, -1.2, 1.5, -1.8, -1.5, 0.0];
    let from = ur(&start);
    // About the tool's own z axis: wrist 3 alone.
    let to = ur(&[0.0, -1.2, 1.5, -1.8, -1.5, 0.7]);
    let path = CartesianPath::follow(&m, None, &ToolPath::line(from, to), &start, &PathOptions::default()).unwrap();
    assert!((path.s[path.s.len() - 1] - 0.7).abs() < 1e-12);
    for (s, q) in path.s.iter().zip(&path.q) {
        assert!((q[5] - s).abs() < 1e-9 && q.iter().zip(&start[..5]).all(|(a, b)| (a - b).abs() < 1e-9), "{q:?}");
    }
}

#[test]
fn invalid_spacings_are_errors() {
    let m = bundled("ur10e");
    let pose = ur(&[0.0, -1.2, 1.5, -1.8, -1.5, 0.0]);
    for spacing in [0.0, -1.0, f64::NAN] {
        let options = PathOptions { spacing, ..PathOptions::default() };
        let error = CartesianPath::follow(&m, None, &ToolPath::line(pose, pose), &[0.0; 6], &options).unwrap_err();
        assert!(error.to_string().contains("invalid spacing"), "{error}");
    }
}
