//! Closed-form inverse kinematics against forward kinematics by products of exponentials, and against the solutions that the iteration
//! finds from many starts.

use armdyn_core::{BASE, Joint, Limits, Link, LinkId, Model, ModelBuilder, SplitMix64, Tool, Transform, Vec3, vec3};
use armdyn_motion::{IkMethod, IkOptions, InverseKinematics, Target};
use armdyn_testkit::bundled;
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};
use std::f64::consts::{PI, TAU};

type V = Vector3<f64>;

/// An arm by its axes in the reference configuration, and where its tool is there: nothing of armdyn.
#[derive(Clone, Debug)]
struct Arm {
    /// Direction, point, whether it is prismatic.
    axes: [(V, V, bool); 6],
    tool: Isometry3<f64>,
}

impl Arm {
    fn pose(&self, q: &[f64]) -> Isometry3<f64> {
        let one = |(&(h, p, slides), &q): (&(V, V, bool), &f64)| match slides {
            true => Isometry3::from(Translation3::from(h * q)),
            false => Isometry3::rotation_wrt_point(UnitQuaternion::new(h * q), p.into()),
        };
        self.axes.iter().zip(q).map(one).fold(Isometry3::identity(), |pose, joint| pose * joint) * self.tool
    }

    fn model(&self) -> Model<f64> {
        let mut robot = ModelBuilder::new("arm");
        let (mut parent, mut origin): (LinkId, V) = (BASE, V::zeros());
        for (i, (h, p, slides)) in self.axes.iter().enumerate() {
            let (name, axis, at) = (format!("j{i}"), [h.x, h.y, h.z], p - origin);
            let joint = if *slides { Joint::prismatic(&name, axis) } else { Joint::revolute(&name, axis) };
            let joint = joint.at(Transform::from_translation(vec3(at.x, at.y, at.z)));
            let body = Link::new(&format!("l{i}")).body(1.0, [0.1, 0.0, 0.0], [0.0; 6]);
            parent = robot.add(parent, joint, body);
            origin = *p;
        }
        let mut tool = self.tool;
        tool.translation.vector -= origin;
        robot.add(parent, Joint::fixed("mount").at(transform(&tool)), Link::new("tool0"));
        robot.build().unwrap()
    }
}

fn transform(x: &Isometry3<f64>) -> Transform<f64> {
    let r = x.rotation.to_rotation_matrix();
    let rotation = armdyn_core::Rotation::from_rows([0, 1, 2].map(|i| [0, 1, 2].map(|j| r[(i, j)])));
    Transform::new(rotation, vec3(x.translation.x, x.translation.y, x.translation.z))
}

struct Random(SplitMix64);

impl Random {
    fn number(&mut self) -> f64 {
        2.0 * self.0.unit() - 1.0
    }

    fn vector(&mut self) -> V {
        V::new(self.number(), self.number(), self.number())
    }

    fn direction(&mut self) -> V {
        Unit::new_normalize(self.vector()).into_inner()
    }

    fn configuration(&mut self, arm: &Arm) -> Vec<f64> {
        arm.axes.iter().map(|axis| if axis.2 { 0.5 * self.number() } else { PI * self.number() }).collect()
    }

    /// Axes anywhere.
    fn arm(&mut self) -> Arm {
        let axes = [(); 6].map(|()| (self.direction(), self.vector(), false));
        let rotation = UnitQuaternion::new(self.vector());
        Arm { axes, tool: Isometry3::from_parts(Translation3::from(self.vector()), rotation) }
    }
}

/// The placements that closed forms cover.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Placement {
    Wrist,
    WristAndIntersecting,
    WristAndParallel12,
    WristAndParallel23,
    WristAndPrismatic,
    WristPrismaticAndIntersecting,
    WristPrismaticAndParallel12,
    Shoulder,
    Parallel234,
    Parallel234And56Meet,
    Parallel345,
}

impl Placement {
    const ALL: [Self; 11] = [
        Self::Wrist,
        Self::WristAndIntersecting,
        Self::WristAndParallel12,
        Self::WristAndParallel23,
        Self::WristAndPrismatic,
        Self::WristPrismaticAndIntersecting,
        Self::WristPrismaticAndParallel12,
        Self::Shoulder,
        Self::Parallel234,
        Self::Parallel234And56Meet,
        Self::Parallel345,
    ];

    fn arm(self, random: &mut Random) -> Arm {
        use Placement::*;
        let mut arm = random.arm();
        let axes = &mut arm.axes;
        // Points apart from where the axes meet, so that the robot's frames do not show it.
        let meet = |axes: &mut [(V, V, bool); 6], which: &[usize], random: &mut Random| {
            let centre = random.vector();
            which.iter().for_each(|&i| axes[i].1 = centre + axes[i].0 * random.number());
        };
        match self {
            Shoulder => meet(axes, &[0, 1, 2], random),
            Parallel234 | Parallel345 => {}
            Parallel234And56Meet => meet(axes, &[4, 5], random),
            _ => meet(axes, &[3, 4, 5], random),
        }
        match self {
            WristAndIntersecting | WristPrismaticAndIntersecting => meet(axes, &[0, 1], random),
            WristAndParallel12 | WristPrismaticAndParallel12 => axes[1].0 = -axes[0].0,
            WristAndParallel23 => axes[2].0 = axes[1].0,
            Parallel234 | Parallel234And56Meet => (axes[2].0, axes[3].0) = (-axes[1].0, axes[1].0),
            Parallel345 => (axes[3].0, axes[4].0) = (axes[2].0, -axes[2].0),
            _ => {}
        }
        axes[2].2 = matches!(self, WristAndPrismatic | WristPrismaticAndIntersecting | WristPrismaticAndParallel12);
        arm
    }
}

/// Largest difference of joint positions up to full turns.
fn difference(a: &[f64], b: &[f64], arm: &Arm) -> f64 {
    let one = |((a, b), axis): ((&f64, &f64), &(V, V, bool))| {
        let d = a - b;
        if axis.2 { d.abs() } else { (d - TAU * (d / TAU).round()).abs() }
    };
    a.iter().zip(b).zip(&arm.axes).map(one).fold(0.0, f64::max)
}

/// Distance and angle of two poses.
fn error(a: &Isometry3<f64>, b: &Isometry3<f64>) -> f64 {
    let matrices = a.to_homogeneous() - b.to_homogeneous();
    matrices.amax()
}

fn all(m: &Model<f64>, pose: &Isometry3<f64>, start: &[f64], options: IkOptions) -> Vec<Vec<f64>> {
    let mut ik = InverseKinematics::new(m, None, options.clone()).unwrap();
    let found = ik.solve_all(m, &Target::Pose(transform(pose)), start).unwrap();
    let method = if options.analytic { IkMethod::Analytic } else { IkMethod::Numerical };
    assert!(found.iter().all(|(_, report)| report.method == method && report.solved), "{found:?}");
    found.into_iter().map(|(q, _)| q).collect()
}

#[test]
fn the_configuration_of_a_pose_is_among_its_solutions_for_random_arms() {
    let mut random = Random(SplitMix64(17));
    for placement in Placement::ALL {
        let (mut most, mut iterations, mut solutions) = (0, 0, 0);
        for _ in 0..40 {
            let arm = placement.arm(&mut random);
            let m = arm.model();
            let mut ik = InverseKinematics::new(&m, None, IkOptions::default()).unwrap();
            assert!(ik.is_analytic(), "{placement:?}");
            for _ in 0..10 {
                let (goal, start) = (random.configuration(&arm), random.configuration(&arm));
                let pose = arm.pose(&goal);
                let found = ik.solve_all(&m, &Target::Pose(transform(&pose)), &start).unwrap();
                most = most.max(found.len());
                for (q, report) in &found {
                    assert!(error(&arm.pose(q), &pose) < 1e-9, "{placement:?}: {q:?} {report:?}");
                    assert_eq!(report.method, IkMethod::Analytic);
                    iterations += report.iterations;
                }
                solutions += found.len();
                let nearest = found.iter().map(|(q, _)| difference(q, &goal, &arm)).fold(f64::INFINITY, f64::min);
                assert!(nearest < 1e-6, "{placement:?}: {nearest:e}, {} solutions\n{arm:?}\n{goal:?}", found.len());
            }
        }
        // The closed form is the solution: one iteration removes rounding errors.
        assert!(iterations < 2 * solutions, "{placement:?}: {iterations} iterations for {solutions} solutions");
        // Four for a prismatic joint that moves along the wrist centre's only root, eight otherwise.
        let expected = if placement == Placement::WristPrismaticAndParallel12 { 4 } else { 8 };
        assert_eq!(most, expected, "{placement:?}");
    }
}

#[test]
fn the_iteration_from_many_starts_finds_the_same_solutions() {
    let mut random = Random(SplitMix64(23));
    for placement in Placement::ALL {
        let mut total = 0;
        for _ in 0..3 {
            let arm = placement.arm(&mut random);
            let m = arm.model();
            let (goal, start) = (random.configuration(&arm), random.configuration(&arm));
            let pose = arm.pose(&goal);
            let closed = all(&m, &pose, &start, IkOptions::default());
            let numerical = IkOptions { analytic: false, starts: 1500, ..IkOptions::default() };
            let iterated = all(&m, &pose, &start, numerical);
            assert_eq!(closed.len(), iterated.len(), "{placement:?}: {closed:?}\n{iterated:?}");
            for q in &iterated {
                assert!(closed.iter().any(|c| difference(c, q, &arm) < 1e-6), "{placement:?}: {q:?}\n{closed:?}");
            }
            total += closed.len();
        }
        assert!(total > 6, "{placement:?}: {total} solutions");
    }
}

/// The bundled robots that closed forms cover, and some that they do not.
const COVERED: [&str; 7] = ["puma560", "renaud-6r", "stanford", "jpl-rrp", "ur3e", "ur5e", "ur10e"];

#[test]
fn bundled_robots() {
    let closed = |name: &str| {
        let m = bundled(name);
        InverseKinematics::new(&m, Some(tool(&m)), IkOptions::default()).is_ok_and(|ik| ik.is_analytic())
    };
    assert!(COVERED.iter().all(|name| closed(name)));
    assert!(["panda", "iiwa14", "gen3", "scara", "two-arms", "morris-neea"].iter().all(|name| !closed(name)));
    let mut source = SplitMix64(31);
    for name in COVERED {
        let m = bundled(name);
        let mut ik = InverseKinematics::new(&m, Some(tool(&m)), IkOptions::default()).unwrap();
        let numerical = IkOptions { analytic: false, starts: 1000, ..IkOptions::default() };
        let mut iterated = InverseKinematics::new(&m, Some(tool(&m)), numerical).unwrap();
        let mut random = || {
            let mut q = vec![0.0; 6];
            m.random(|| source.unit(), &mut q).unwrap();
            q
        };
        for k in 0..200 {
            let (goal, start) = (random(), random());
            let target = Target::Pose(tool_pose(&m, &goal));
            let found = ik.solve_all(&m, &target, &start).unwrap();
            let turned = |(q, _): &(Vec<f64>, _)| {
                let one = |i: usize| {
                    let d = q[i] - goal[i];
                    if m.is_rotational(i) { (d - TAU * (d / TAU).round()).abs() } else { d.abs() }
                };
                (0..6).map(one).fold(0.0, f64::max)
            };
            let nearest = found.iter().map(turned).fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-6, "{name}: {nearest:e} {goal:?}\n{found:?}");
            for (q, report) in &found {
                assert!(report.method == IkMethod::Analytic && report.position_error < 1e-10, "{name}: {report:?}");
                let limits = m.limits().iter().zip(q);
                assert!(limits.clone().all(|(l, q)| (l.lower..=l.upper).contains(q)), "{name}: {q:?}");
            }
            // The nearest to the start is the one solution.
            let mut q = vec![0.0; 6];
            let report = ik.solve(&m, &target, &start, &mut q).unwrap();
            assert!(report.solved && report.method == IkMethod::Analytic && q == found[0].0, "{name}: {report:?}");
            if k < 5 {
                let others = iterated.solve_all(&m, &target, &start).unwrap();
                assert_eq!(found.len(), others.len(), "{name}: {found:?}\n{others:?}");
            }
        }
    }
}

/// The tool, or the last link.
fn tool(m: &Model<f64>) -> Tool {
    m.tool().unwrap_or_else(|_| Tool::at(m.link_ids().next_back().unwrap(), Vec3::zero()))
}

/// Forward kinematics of the core, whose errors are not those of the closed form.
fn tool_pose(m: &Model<f64>, q: &[f64]) -> Transform<f64> {
    let tool = tool(m);
    let mut data = armdyn_core::KinematicsData::new(m);
    armdyn_core::kinematics(m, &mut data, q).unwrap();
    data.frame_pose(m, tool.link, Some(&tool.pose)).unwrap()
}

#[test]
fn singular_poses_have_solutions() {
    // Straight arms and wrists, the wrist centre on axis 1 and on axis 2; a little beside them.
    let singular = [
        [0.0; 6],
        [0.3, -1.2, 0.0, 0.5, 0.0, 0.2],
        [0.3, 0.8, 0.2, 0.5, 0.0, 0.2],
        [0.3, PI / 2.0, 0.0, 0.4, 0.7, 0.1],
        [0.3, -PI / 2.0, 0.0, -PI / 2.0, PI, 0.1],
        [0.3, 1.1, PI / 2.0, 0.4, 0.7, 0.1],
        [0.3, 1.1, PI, 0.4, 0.7, 0.1],
    ];
    for name in COVERED {
        let m = bundled(name);
        let mut ik = InverseKinematics::new(&m, Some(tool(&m)), IkOptions::default()).unwrap();
        for goal in singular.iter().flat_map(|q| [0.0, 1e-9, 1e-7, 1e-5, 1e-3].map(|d| q.map(|x| x + d))) {
            let inside = |(q, l): (&f64, &Limits)| q.max(l.lower).min(l.upper);
            let goal: Vec<f64> = goal.iter().zip(m.limits()).map(inside).collect();
            let pose = tool_pose(&m, &goal);
            for start in [[0.0; 6], [1.0; 6], [-0.3, 0.2, 0.5, -0.7, 0.1, 2.0]] {
                let found = ik.solve_all(&m, &Target::Pose(pose), &start).unwrap();
                assert!(!found.is_empty(), "{name}: {goal:?}");
                for (q, report) in &found {
                    assert!(q.iter().all(|x| x.is_finite()), "{name}: {goal:?} {q:?} {report:?}");
                    let reached = tool_pose(&m, q);
                    assert!((reached.translation - pose.translation).norm() < 1e-9, "{name}: {goal:?} {q:?}");
                    let turn = reached.rotation.compose(&pose.rotation.inverse()).rotation_vector();
                    assert!(turn.norm() < 1e-9, "{name}: {goal:?} {q:?}");
                }
            }
        }
    }
}

#[test]
fn a_free_joint_stays_where_it_is() {
    // Wrist aligned: axes 4 and 6 are one line, and only their sum matters.
    let m = bundled("puma560");
    let mut ik = InverseKinematics::new(&m, Some(tool(&m)), IkOptions::default()).unwrap();
    let pose = tool_pose(&m, &[0.3, 0.8, 0.2, 0.5, 0.0, 0.2]);
    let mut q = vec![0.0; 6];
    let report = ik.solve(&m, &Target::Pose(pose), &[0.3, 0.8, 0.2, 0.1, 0.0, 0.0], &mut q).unwrap();
    let expected = [0.3, 0.8, 0.2, 0.1, 0.0, 0.6];
    assert!(report.method == IkMethod::Analytic, "{report:?}");
    assert!(q.iter().zip(expected).all(|(q, e)| (q - e).abs() < 1e-6), "{q:?}");
}

#[test]
fn rounded_files_are_solved_to_the_tolerance() {
    // Directions and points rounded as in a URDF file: the axes meet within 1e-5 only.
    let mut random = Random(SplitMix64(41));
    for placement in Placement::ALL {
        let mut among = 0;
        for _ in 0..20 {
            let mut arm = placement.arm(&mut random);
            for (h, p, _) in &mut arm.axes {
                *h = (*h + 1e-5 * random.vector()).normalize();
                *p += 1e-5 * random.vector();
            }
            let m = arm.model();
            let (goal, start) = (random.configuration(&arm), random.configuration(&arm));
            let pose = arm.pose(&goal);
            let found = all(&m, &pose, &start, IkOptions::default());
            assert!(found.iter().all(|q| error(&arm.pose(q), &pose) < 1e-9), "{placement:?}");
            among += usize::from(found.iter().any(|q| difference(q, &goal, &arm) < 1e-6));
        }
        // Near a singular pose two solutions may be one of the rounded arm.
        assert!(among >= 19, "{placement:?}: {among} of 20");
    }
}

#[test]
fn arms_with_other_axes_have_no_closed_form() {
    let mut random = Random(SplitMix64(43));
    for placement in Placement::ALL {
        let mut arm = placement.arm(&mut random);
        for (h, p, _) in &mut arm.axes {
            *h = (*h + 1e-2 * random.vector()).normalize();
            *p += 1e-2 * random.vector();
        }
        let m = arm.model();
        let mut ik = InverseKinematics::new(&m, None, IkOptions::default()).unwrap();
        assert!(!ik.is_analytic(), "{placement:?}");
        let goal = random.configuration(&arm);
        let target = Target::Pose(transform(&arm.pose(&goal)));
        let found = ik.solve_all(&m, &target, &goal).unwrap();
        assert!(found[0].1.method == IkMethod::Numerical && difference(&found[0].0, &goal, &arm) < 1e-9);
    }
}
