//! Inverse kinematics against forward kinematics by Denavit–Hartenberg matrices, and against closed forms.

use crate::dh::{self, Matrix4, difference, transform};
use armdyn_core::{
    BASE, Drive, Joint, JointKind, Limits, Link, LinkId, Model, ModelBuilder, Rotation, SplitMix64, Tool, Transform,
    Vec3, vec3,
};
use armdyn_motion::{IkOptions, IkReport, InverseKinematics, Target};
use armdyn_testkit::bundled;
use std::f64::consts::PI;

/// Errors of the elements of a pose after a dozen matrix products, each relative to lengths of about 1 m.
const ROUNDING: f64 = 1e-13;

fn random(m: &Model<f64>, source: &mut SplitMix64) -> Vec<f64> {
    let mut q = vec![0.0; m.nq()];
    m.random(|| source.unit(), &mut q).unwrap();
    q
}

#[track_caller]
fn assert_within_limits(m: &Model<f64>, q: &[f64]) {
    for ((x, limits), name) in q.iter().zip(m.limits()).zip(m.dof_names()) {
        assert!((limits.lower..=limits.upper).contains(x), "{name} = {x}");
    }
}

fn solve(m: &Model<f64>, target: &Target, start: &[f64], options: IkOptions) -> (IkReport, Vec<f64>) {
    let mut q = vec![0.0; m.nq()];
    let report = InverseKinematics::new(m, None, options).unwrap().solve(m, target, start, &mut q).unwrap();
    (report, q)
}

/// Solves for the poses of configurations, from random starts, and compares the poses reached.
#[track_caller]
fn reach_all(m: &Model<f64>, poses: &dyn Fn(&[f64]) -> Matrix4, configurations: &[Vec<f64>], tolerance: f64) {
    let mut ik = InverseKinematics::new(m, None, IkOptions::default()).unwrap();
    let (mut source, mut q) = (SplitMix64(11), vec![0.0; m.nq()]);
    for goal in configurations {
        let pose = poses(goal);
        let start = random(m, &mut source);
        let report = ik.solve(m, &Target::Pose(transform(&pose)), &start, &mut q).unwrap();
        assert!(report.solved, "{goal:?}: {report:?}");
        assert_within_limits(m, &q);
        let error = difference(&poses(&q), &pose);
        assert!(error < tolerance, "{goal:?}: {error:e}, {report:?}");
    }
}

#[test]
fn random_poses_of_arms_with_published_parameters() {
    let mut source = SplitMix64(3);
    for (name, poses) in [
        ("ur10e", &(|q: &[f64]| dh::standard(&dh::UR10E, q)) as &dyn Fn(&[f64]) -> Matrix4),
        ("jpl-rrp", &|q: &[f64]| dh::standard(&dh::JPL, q)),
        ("panda", &dh::panda),
    ] {
        let m = bundled(name);
        let configurations: Vec<Vec<f64>> = (0..150).map(|_| random(&m, &mut source)).collect();
        reach_all(&m, poses, &configurations, 10.0 * ROUNDING);
    }
}

#[test]
fn singular_poses_are_reached() {
    // Stretched elbow, aligned wrist, both, and the wrist above the shoulder; the same a little beside them.
    let mut singular = vec![
        vec![0.3, -1.2, 0.0, 0.5, 1.0, 0.2],
        vec![0.3, -1.2, 1.3, 0.5, 0.0, 0.2],
        vec![0.3, -1.2, 0.0, 0.5, 0.0, 0.2],
        vec![0.0, -PI / 2.0, 0.0, -PI / 2.0, 0.0, 0.0],
    ];
    singular.extend(
        singular.clone().into_iter().flat_map(|q| [1e-3, 1e-6, 1e-9].map(|d| q.iter().map(|x| x + d).collect())),
    );
    // At a singularity the error is the square of that of the joints: the tolerance is all that is promised.
    reach_all(&bundled("ur10e"), &|q| dh::standard(&dh::UR10E, q), &singular, 2e-10);
    // Axes 1 and 3 aligned, axes 5 and 7 aligned.
    let panda = vec![
        vec![0.4, 0.0, 0.2, -1.5, 0.3, 1.5, 0.1],
        vec![0.4, 0.3, 0.2, -1.5, 0.3, 0.0, 0.1],
        vec![0.0, 0.0, 0.0, -0.0698, 0.0, 0.0, 0.0],
    ];
    reach_all(&bundled("panda"), &dh::panda, &panda, 2e-10);
}

#[test]
fn convergence_is_quadratic() {
    // From 0.1 rad beside a regular solution: errors of about 1e-1, 1e-2, 1e-4, 1e-8, 1e-15.
    let m = bundled("ur10e");
    let goal = [0.5, -1.0, 1.2, 0.4, 1.0, 0.3];
    let target = Target::Pose(transform(&dh::standard(&dh::UR10E, &goal)));
    let start = goal.map(|x| x + 0.1);
    let (report, q) = solve(&m, &target, &start, IkOptions::default());
    assert!(report.solved && report.iterations <= 6 && report.starts == 1, "{report:?}");
    assert!(q.iter().zip(goal).all(|(x, e)| (x - e).abs() < 1e-12), "{q:?}");
}

/// Two links of lengths 1 and 0.5 in the x-y plane, with limits.
fn planar(limits: [(f64, f64); 2]) -> Model<f64> {
    let mut robot = ModelBuilder::new("planar");
    let z = [0.0, 0.0, 1.0];
    let drive = |(lower, upper)| Drive::ideal().limits(Limits { lower, upper, ..Limits::NONE });
    let along = |x| Transform::from_translation(vec3(x, 0.0, 0.0));
    let body = |name: &str| Link::new(name).body(1.0, [0.1, 0.0, 0.0], [0.0; 6]);
    let upper = robot.add(BASE, Joint::revolute("shoulder", z).driven_by(drive(limits[0])), body("upper"));
    let lower = robot.add(upper, Joint::revolute("elbow", z).at(along(1.0)).driven_by(drive(limits[1])), body("lower"));
    robot.add(lower, Joint::fixed("mount").at(along(0.5)), Link::new("tool0"));
    robot.build().unwrap()
}

const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

#[test]
fn both_elbows_of_a_planar_arm_by_the_law_of_cosines() {
    let m = planar([FREE, FREE]);
    let (x, y) = (0.9, 0.6);
    let r2 = x * x + y * y;
    let elbow = ((r2 - 1.25_f64) / 1.0).acos(); // r² = 1 + ¼ + 2 · ½ cos q₂
    let shoulder = |e: f64| f64::atan2(y, x) - f64::atan2(0.5 * e.sin(), 1.0 + 0.5 * e.cos());
    let mut ik = InverseKinematics::new(&m, None, IkOptions::default()).unwrap();
    let found = ik.solve_all(&m, &Target::Position(vec3(x, y, 0.0)), &[0.0, 1.0]).unwrap();
    let expected = [elbow, -elbow].map(|e| [shoulder(e), e]);
    assert_eq!(found.len(), 2, "{found:?}");
    for ((q, report), e) in found.iter().zip(expected) {
        assert!(q.iter().zip(e).all(|(q, e)| (q - e).abs() < 1e-12), "{q:?}, expected {e:?}");
        assert_eq!(report.rotation_error, None);
    }
}

#[test]
fn limits_hold_exactly_and_the_rest_of_the_arm_does_its_best() {
    // The elbow is fixed at its limit: the tool moves on a circle of this radius about the base.
    let limit = 0.4;
    let m = planar([FREE, (limit, 2.0)]);
    let radius = (1.25 + limit.cos()).sqrt();
    let (report, q) = solve(&m, &Target::Position(vec3(0.0, 1.49, 0.0)), &[0.0, 1.0], IkOptions::default());
    assert!(!report.solved && q[1] == limit, "{report:?} {q:?}");
    assert!((report.position_error - (1.49 - radius)).abs() < 1e-10, "{report:?}");
    // Both at limits: the distance of the corner from the target.
    let m = planar([(-0.5, 0.5), (0.2, 0.3)]);
    let (report, q) = solve(&m, &Target::Position(vec3(-1.0, 1.0, 0.0)), &[0.0, 0.25], IkOptions::default());
    let corner = vec3(0.5_f64.cos() + 0.5 * 0.8_f64.cos(), 0.5_f64.sin() + 0.5 * 0.8_f64.sin(), 0.0);
    assert_eq!(q, [0.5, 0.3]);
    assert!((report.position_error - (corner - vec3(-1.0, 1.0, 0.0)).norm()).abs() < 1e-14, "{report:?}");
    // A start beyond the limits, and a solution on the limit itself.
    let m = planar([(-0.5, 0.5), (0.2, 0.3)]);
    let (report, q) = solve(&m, &Target::Position(corner), &[3.0, -9.0], IkOptions::default());
    assert!(report.solved, "{report:?}");
    assert!((q[0] - 0.5).abs() < 1e-9 && (q[1] - 0.3).abs() < 1e-9, "{q:?}");
    assert_within_limits(&m, &q);
}

#[test]
fn targets_out_of_reach_give_the_nearest_configuration() {
    let m = planar([FREE, FREE]);
    let target = vec3(3.0, 4.0, 0.0); // 5 m away, of which the arm reaches 1.5 m
    let (report, q) = solve(&m, &Target::Position(target), &[0.0, 1.0], IkOptions::default());
    assert!(!report.solved && report.starts == IkOptions::default().starts, "{report:?}");
    assert!((report.position_error - 3.5).abs() < 1e-9, "{report:?}");
    assert!((q[0] - f64::atan2(4.0, 3.0)).abs() < 1e-4 && q[1].abs() < 1e-4, "{q:?}");
    let ik = InverseKinematics::new(&m, None, IkOptions::default()).unwrap();
    assert_eq!(ik.reach(), (Vec3::zero(), 1.5));
    // Out of the plane: the nearest point of the plane.
    let (report, _) = solve(&m, &Target::Position(vec3(0.8, 0.7, 0.25)), &[0.0, 1.0], IkOptions::default());
    assert!(!report.solved && (report.position_error - 0.25).abs() < 1e-9, "{report:?}");
}

#[test]
fn angles_are_those_nearest_to_the_start() {
    let m = bundled("ur10e");
    let goal = [0.5, -1.0, 1.2, 0.4, 1.0, 0.3];
    let target = Target::Pose(transform(&dh::standard(&dh::UR10E, &goal)));
    let turned = [goal[0] - 2.0 * PI, goal[1], goal[2], goal[3], goal[4], goal[5] + 2.0 * PI - 0.6];
    let (report, q) = solve(&m, &target, &turned, IkOptions::default());
    assert!(report.solved && (q[0] - (goal[0] - 2.0 * PI)).abs() < 1e-9, "{q:?}");
    assert_within_limits(&m, &q); // wrist 3 cannot go beyond 2π
}

/// Σ ((q − middle)/half range)².
fn eccentricity(m: &Model<f64>, q: &[f64]) -> f64 {
    let one = |(q, l): (&f64, &Limits)| (2.0 * (q - 0.5 * (l.lower + l.upper)) / (l.upper - l.lower)).powi(2);
    q.iter().zip(m.limits()).map(one).sum()
}

#[test]
fn redundant_arms_move_to_mid_range() {
    let m = bundled("panda");
    let mut source = SplitMix64(5);
    let mut optimal = 0;
    for _ in 0..40 {
        let goal = random(&m, &mut source);
        let pose = dh::panda(&goal);
        let options = |centring| IkOptions { centring, starts: 200, ..IkOptions::default() };
        let target = Target::Pose(transform(&pose));
        let (kept, q) = solve(&m, &target, &goal, options(false));
        assert!(kept.solved && q == goal, "a solution is kept without centring");
        let (report, q) = solve(&m, &target, &goal, options(true));
        assert!(report.solved && difference(&dh::panda(&q), &pose) < 10.0 * ROUNDING, "{report:?}");
        assert_within_limits(&m, &q);
        assert!(eccentricity(&m, &q) <= eccentricity(&m, &goal));
        // At the optimum the gradient of the eccentricity has no component along the self-motion, by central differences
        // of the matrices; unless limits end the motion.
        let column = |j: usize| {
            let moved = |d: f64| {
                let mut q = q.clone();
                q[j] += d;
                dh::panda(&q)
            };
            let (a, b) = (moved(1e-5), moved(-1e-5));
            let all: Vec<f64> = a.as_flattened().iter().zip(b.as_flattened()).map(|(a, b)| (a - b) / 2e-5).collect();
            all
        };
        let columns: Vec<Vec<f64>> = (0..7).map(column).collect();
        let svd = nalgebra::DMatrix::from_fn(16, 7, |i, j| columns[j][i]).svd(false, true);
        let (k, _) = svd.singular_values.argmin();
        let v = svd.v_t.unwrap();
        let gradient = |j: usize| {
            let l = &m.limits()[j];
            (q[j] - 0.5 * (l.lower + l.upper)) / (0.5 * (l.upper - l.lower)).powi(2)
        };
        let along: f64 = (0..7).map(|j| v[(k, j)] * gradient(j)).sum();
        let size: f64 = (0..7).map(|j| gradient(j).powi(2)).sum::<f64>().sqrt();
        let at_limit = q.iter().zip(m.limits()).any(|(q, l)| q - l.lower < 1e-6 || l.upper - q < 1e-6);
        optimal += usize::from(at_limit || along.abs() < 2e-2 * size);
    }
    assert!(optimal >= 38, "{optimal} of 40");
}

#[test]
fn one_arm_of_a_tree_moves_and_the_other_stays() {
    let m = bundled("two-arms");
    let tool = Tool::at(m.link("right_tool0").unwrap(), Vec3::zero());
    let mut ik = InverseKinematics::new(&m, Some(tool), IkOptions::default()).unwrap();
    let right: Vec<usize> = ik.dofs().collect();
    let names: Vec<&str> = right.iter().map(|&v| m.dof_names()[v].as_str()).collect();
    assert!(
        names.len() == 7 && names[0] == "waist_joint" && names[1..].iter().all(|n| n.starts_with("right")),
        "{names:?}"
    );
    let chosen = |q: &[f64]| right.iter().map(|&v| q[v]).collect::<Vec<f64>>();
    let mut source = SplitMix64(8);
    for _ in 0..40 {
        let (goal, start) = (random(&m, &mut source), random(&m, &mut source));
        let pose = dh::standard(&dh::RIGHT_ARM, &chosen(&goal));
        let mut q = vec![0.0; m.nq()];
        let report = ik.solve(&m, &Target::Pose(transform(&pose)), &start, &mut q).unwrap();
        assert!(report.solved, "{report:?}");
        assert!(difference(&dh::standard(&dh::RIGHT_ARM, &chosen(&q)), &pose) < 10.0 * ROUNDING);
        assert!((0..m.nv()).filter(|v| !right.contains(v)).all(|v| q[v] == start[v]), "{q:?}");
        assert_within_limits(&m, &q);
    }
}

#[test]
fn joints_with_quaternions_and_joints_that_follow_others() {
    // A ball joint with an arm of 1 m along x: its pose is (R, R x).
    let mut robot = ModelBuilder::new("ball");
    let body = Link::new("arm").body(1.0, [0.5, 0.0, 0.0], [0.0; 6]);
    let arm = robot.add(BASE, Joint::new("ball", JointKind::Spherical), body);
    robot.add(arm, Joint::fixed("mount").at(Transform::from_translation(vec3(1.0, 0.0, 0.0))), Link::new("tool0"));
    let m = robot.build().unwrap();
    let rotation = Rotation::rpy(0.4, -0.9, 2.5);
    let target = Target::Pose(Transform::new(rotation, rotation.x));
    let (report, q) = solve(&m, &target, &[0.0, 0.0, 0.0, 1.0], IkOptions::default());
    let expected = rotation.to_quaternion();
    let sign = if q[3] < 0.0 { -1.0 } else { 1.0 };
    assert!(report.solved && q.iter().zip(expected).all(|(q, e)| (sign * q - e).abs() < 1e-12), "{report:?} {q:?}");

    // The second joint turns twice as far as the first: x = cos q + cos 3q, y = sin q + sin 3q.
    let mut robot = ModelBuilder::new("follower");
    let z = [0.0, 0.0, 1.0];
    let along = Transform::from_translation(vec3(1.0, 0.0, 0.0));
    let body = |name: &str| Link::new(name).body(1.0, [0.5, 0.0, 0.0], [0.0; 6]);
    let first = robot.add(BASE, Joint::revolute("first", z), body("a"));
    let second = robot.add(first, Joint::revolute("second", z).at(along).mimic("first", 2.0, 0.0), body("b"));
    robot.add(second, Joint::fixed("mount").at(along), Link::new("tool0"));
    let m = robot.build().unwrap();
    let angle = 0.7_f64;
    let tip = vec3(angle.cos() + (3.0 * angle).cos(), angle.sin() + (3.0 * angle).sin(), 0.0);
    let (report, q) = solve(&m, &Target::Position(tip), &[0.3], IkOptions::default());
    assert!(report.solved && (q[0] - angle).abs() < 1e-12, "{report:?} {q:?}");
}

#[test]
fn results_depend_on_the_seed_alone() {
    let m = bundled("panda");
    let target = Target::Pose(transform(&dh::panda(&[2.5, -1.5, 2.0, -2.9, 1.0, 3.0, -2.0])));
    let start = [0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0];
    let solutions = |seed: u64| {
        let mut ik = InverseKinematics::new(&m, None, IkOptions { seed, ..IkOptions::default() }).unwrap();
        ik.solve_all(&m, &target, &start).unwrap()
    };
    assert!(!solutions(1).is_empty());
    assert_eq!(solutions(1), solutions(1));
    assert_ne!(solutions(1), solutions(2));
}

#[test]
fn eight_configurations_of_a_ur_arm() {
    let m = bundled("ur10e");
    let target = Target::Pose(transform(&dh::standard(&dh::UR10E, &[0.5, -1.0, 1.2, 0.4, 1.0, 0.3])));
    let mut ik = InverseKinematics::new(&m, None, IkOptions { starts: 400, ..IkOptions::default() }).unwrap();
    let found = ik.solve_all(&m, &target, &[0.0; 6]).unwrap();
    // Two shoulders, two wrists, two elbows.
    assert_eq!(found.len(), 8, "{found:?}");
    for (q, _) in &found {
        let Target::Pose(pose) = target else { unreachable!() };
        let reached = transform(&dh::standard(&dh::UR10E, q));
        assert!((reached.translation - pose.translation).norm() < 1e-12);
    }
}

#[test]
fn invalid_arguments_are_errors() {
    let m = bundled("panda");
    let fixed = Tool::at(BASE, Vec3::zero());
    let error = |frame, options| InverseKinematics::new(&m, frame, options).unwrap_err().to_string();
    assert!(error(Some(fixed), IkOptions::default()).contains("does not move"));
    assert!(!error(Some(Tool::at(LinkId::new(99), Vec3::zero())), IkOptions::default()).is_empty());
    assert!(error(None, IkOptions { tolerance: f64::NAN, ..IkOptions::default() }).contains("tolerance"));
    assert!(error(None, IkOptions { starts: 0, ..IkOptions::default() }).contains("at least one start"));
    let mut ik = InverseKinematics::new(&m, None, IkOptions::default()).unwrap();
    let mut q = vec![0.0; 7];
    let mut fails = |target: Target, start: &[f64]| ik.solve(&m, &target, start, &mut q).unwrap_err().to_string();
    let here = Target::Position(vec3(0.4, 0.0, 0.4));
    assert!(fails(Target::Position(vec3(f64::NAN, 0.0, 0.0)), &[0.0; 7]).contains("not finite"));
    let skewed = Rotation { x: vec3(1.0, 0.1, 0.0), ..Rotation::identity() };
    assert!(fails(Target::Pose(Transform::from_rotation(skewed)), &[0.0; 7]).contains("orthonormal"));
    assert!(fails(here, &[0.0; 6]).contains("start"));
    let mut start = [0.0; 7];
    start[2] = f64::NAN;
    assert!(fails(here, &start).contains("panda_joint3"));
    for other in ["ur10e", "iiwa14"] {
        let other = bundled(other);
        let mut q = vec![0.0; other.nq()];
        let error = ik.solve(&other, &here, &vec![0.1; other.nq()], &mut q).unwrap_err();
        assert!(error.to_string().contains("created for a different model"), "{error}");
    }
}

#[test]
fn a_solution_allocates_nothing() {
    for name in ["panda", "ur10e", "jpl-rrp"] {
        let m = bundled(name);
        let mut source = SplitMix64(4);
        let mut ik = InverseKinematics::new(&m, None, IkOptions::default()).unwrap();
        let mut q = vec![0.0; m.nq()];
        let start = random(&m, &mut source);
        // One within reach, and one out of reach, for which all starts are used.
        for p in [vec3(0.3, 0.2, 0.4), vec3(9.0, 0.0, 0.0)] {
            for target in [Target::Position(p), Target::Pose(Transform::new(Rotation::rpy(1.0, 0.2, 0.3), p))] {
                let counted = allocation_counter::measure(|| {
                    ik.solve(&m, &target, &start, &mut q).unwrap();
                });
                assert_eq!(counted.count_total, 0, "{name}: {target:?}");
            }
        }
    }
}
