//! Scenes of all bundled robots, and pages that hold what they should and nothing else.

use armdyn_core::{
    BASE, Joint, JointKind, KinematicsData, Link, Model, ModelBuilder, Rotation, Transform, kinematics, vec3,
};
use armdyn_import::library::ROBOTS;
use armdyn_scene::{Animation, AnimationError, Event, Geometry, Motion, Role, Scene};
use armdyn_testkit::random::{self, Drives, Joints, State};
use rand::Rng;

fn bundled() -> impl Iterator<Item = Model<f64>> {
    ROBOTS.iter().map(|r| armdyn_testkit::bundled(r.name))
}

fn neutral(m: &Model<f64>) -> Vec<f64> {
    let mut q = vec![0.0; m.nq()];
    m.neutral(&mut q).unwrap();
    q
}

fn still(m: &Model<f64>) -> Animation {
    let q = neutral(m);
    Animation::new(m, Scene::of(m), &Motion::new(&[0.0, 1.0], &[q.clone(), q])).unwrap()
}

/// Every link appears once, after its parent, with finite shapes; every joint connects the links of the model.
#[test]
fn scenes_of_all_bundled_robots_are_well_formed() {
    for m in bundled() {
        let (scene, name) = (Scene::of(&m), m.name());
        let names: Vec<&str> = scene.links.iter().map(|l| l.name.as_str()).collect();
        assert_eq!(names, m.links().iter().map(|l| l.name.as_str()).collect::<Vec<_>>(), "{name}");
        for (k, link) in scene.links.iter().enumerate() {
            assert_eq!(link.parent.is_none(), k == 0, "{name}");
            assert!(link.parent.is_none_or(|p| p < k), "{name}: {}", link.name);
            for shape in &link.shapes {
                assert!(shape.pose.0.iter().all(|x| x.is_finite()), "{name}: {shape:?}");
                let sizes = match &shape.geometry {
                    Geometry::Box { size } => size.to_vec(),
                    Geometry::Cylinder { radius, length } => vec![*radius, *length],
                    Geometry::Capsule { radii: [a, b], length } => vec![*a, *b, *length],
                    Geometry::Ellipsoid { semi } => semi.to_vec(),
                    other => panic!("{other:?}"),
                };
                assert!(sizes.iter().all(|x| *x > 0.0 && x.is_finite()), "{name}: {shape:?}");
            }
        }
        let moving = m.joints().iter().filter(|j| matches!(j.kind, JointKind::Revolute { .. })).count();
        let housings = scene.links.iter().flat_map(|l| &l.shapes).filter(|s| s.role == Role::Joint).count();
        assert!(housings >= moving, "{name}: a housing for each revolute joint");
        let wheels = scene.links[0].shapes.iter().filter(|s| s.role == Role::Wheel).count();
        assert_eq!(wheels, m.contacts().len(), "{name}: a wheel for each contact");
        assert_eq!(scene.rows.len(), m.nv());
        assert!(scene.size > 0.0);
    }
}

/// The poses of a page are those of forward kinematics, composed with the base pose, in single precision.
#[test]
fn poses_are_forward_kinematics() {
    let mut source = random::source(11);
    let trees =
        (0..5).map(|k| random::Description::random(k, 6, Joints::All, true, Drives::Ideal).build()).collect::<Vec<_>>();
    for m in bundled().chain(trees) {
        let q: Vec<Vec<f64>> = (0..3).map(|_| State::random(&m, &mut source).q).collect();
        let base: Vec<Transform<f64>> = (0..3)
            .map(|_| {
                let mut x = || source.random_range(-1.0..1.0);
                Transform::new(Rotation::rpy(x(), x(), x()), vec3(x(), x(), x()))
            })
            .collect();
        let motion = Motion { base: Some(&base), ..Motion::new(&[0.0, 0.5, 1.0], &q) };
        let animation = Animation::new(&m, Scene::of(&m), &motion).unwrap();
        let mut d = KinematicsData::new(&m);
        for k in 0..3 {
            kinematics(&m, &mut d, &q[k]).unwrap();
            for link in m.link_ids() {
                let expected = base[k].compose(&d.link_pose(&m, link).unwrap());
                let info = &animation.scene().links[link.index()];
                let [body, inner] = [animation.pose(k, info.body).unwrap(), info.pose].map(|p| {
                    let [x, y, z, a, b, c, w] = p.0.map(f64::from);
                    Transform::new(Rotation::quaternion([a, b, c, w]), vec3(x, y, z))
                });
                let (found, expected) = (body.compose(&inner).components(), expected.components());
                let scale = expected.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
                for (a, b) in found.iter().zip(expected) {
                    // Two poses in single precision, 6e-8 each per component.
                    assert!((a - b).abs() < 1e-6 * scale, "{}: {a} is not {b}", m.name());
                }
            }
        }
    }
}

/// No address but the names of two XML namespaces, which no browser opens; and a policy that forbids all requests.
#[test]
fn pages_refer_to_nothing_outside() {
    for m in bundled() {
        let page = still(&m).to_html();
        for (at, _) in page.match_indices("http") {
            let rest = &page[at..];
            let known = ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "http-equiv=\"Content-Security"];
            assert!(known.iter().any(|k| rest.starts_with(k)), "{}", rest.chars().take(60).collect::<String>());
        }
        assert!(page.contains("default-src 'none'"));
        assert!(!page.contains("src=\"") && !page.contains("href=\""), "{}", m.name());
        assert!(page.len() < 1_000_000, "{}: {} bytes", m.name(), page.len());
    }
}

#[test]
fn names_cannot_leave_their_place() {
    let evil = "</script><img src=x onerror=alert(1)><!--&\"'";
    let mut robot = ModelBuilder::new(evil);
    robot.add(
        BASE,
        Joint::revolute(evil, [0.0, 1.0, 0.0]),
        Link::new("rod").body(1.0, [0.0, 0.0, 0.5], [0.1, 0.0, 0.0, 0.1, 0.0, 0.1]),
    );
    let m = robot.build().unwrap();
    let events = vec![Event { t: 0.5, text: evil.to_string() }];
    let q = [vec![0.0], vec![1.0]];
    let motion = Motion { events, ..Motion::new(&[0.0, 1.0], &q) };
    let page = Animation::new(&m, Scene::of(&m), &motion).unwrap().to_html();
    assert!(!page.contains("<img") && !page.contains("<!--"));
    assert_eq!(page.matches("</script>").count(), 3, "data, bundle, call");
    assert_eq!(page.matches("<script").count(), 3);
    assert!(page.contains("<title>&lt;/script&gt;&lt;img"));
    assert!(page.contains(r#""name":"\u003c/script>\u003cimg src=x"#));
}

#[test]
fn the_bundle_has_the_licence_of_three_js() {
    let m = armdyn_testkit::bundled("planar-2r");
    let page = still(&m).to_html();
    for part in ["The MIT License", "three.js authors", "The above copyright notice and this permission notice"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn what_is_not_a_motion_is_refused() {
    let m = armdyn_testkit::bundled("planar-2r");
    let good = [vec![0.0, 0.0], vec![1.0, 0.5]];
    let refused = |motion: &Motion| match Animation::new(&m, Scene::of(&m), motion) {
        Err(e @ AnimationError::Invalid(_)) => e.to_string(),
        other => panic!("{other:?}"),
    };
    let bad = [vec![0.0, 0.0], vec![1.0, f64::NAN]];
    let joint = &m.dof_names()[1];
    let message = refused(&Motion::new(&[0.0, 1.0], &bad));
    assert!(message.contains(&format!("q of `{joint}` at 1 s is NaN")), "{message}");
    let message = refused(&Motion { tau: Some(&bad), ..Motion::new(&[0.0, 1.0], &good) });
    assert!(message.contains(&format!("tau of `{joint}`")), "{message}");
    let poses = [Transform::identity(), Transform::from_translation(vec3(0.0, f64::INFINITY, 0.0))];
    assert!(refused(&Motion { base: Some(&poses), ..Motion::new(&[0.0, 1.0], &good) }).contains("base pose at 1 s"));
    assert!(refused(&Motion::new(&[], &[])).contains("no samples"));
    assert!(refused(&Motion::new(&[0.0], &good)).contains("1 times but 2 samples of q"));
    assert!(refused(&Motion::new(&[1.0, 0.0], &good)).contains("time 0 s"));
    assert!(refused(&Motion::new(&[0.0, f64::NAN], &good)).contains("time NaN"));
    assert!(refused(&Motion::new(&[0.0, 1.0], &[vec![0.0], vec![0.0, 1.0]])).contains("has 1 values, expected 2"));
}

/// 200 000 samples: evenly thinned out, below 10 MB.
#[test]
fn long_motions_are_thinned_out() {
    let m = armdyn_testkit::bundled("planar-2r");
    let t: Vec<f64> = (0..200_000).map(|k| f64::from(k) * 1e-3).collect();
    let q = vec![vec![0.1, 0.2]; t.len()];
    let animation = Animation::new(&m, Scene::of(&m), &Motion::new(&t, &q)).unwrap();
    let [kept, given] = animation.samples();
    assert!(kept < given && given == 200_000 && kept > 10_000, "{kept}");
    assert!(animation.to_html().len() < 10_000_000);
}

/// A homogeneous solid ellipsoid with semi-axes a, b, c has the moments m (b² + c²)/5, …: it gets its own size back.
#[test]
fn an_ellipsoid_has_its_size() {
    let (mass, [a, b, c]) = (3.0, [0.1_f64, 0.2, 0.3]);
    let moment = |x: f64, y: f64| mass * (x * x + y * y) / 5.0;
    let mut robot = ModelBuilder::new("one");
    let tensor = [moment(b, c), 0.0, 0.0, moment(a, c), 0.0, moment(a, b)];
    let link = Link::new("body").body(mass, [0.4, 0.0, 0.0], tensor);
    robot.add(BASE, Joint::revolute("j", [0.0, 0.0, 1.0]), link);
    let scene = Scene::of(&robot.build().unwrap());
    let mut semi = scene.links[1].ellipsoid;
    semi.sort_by(f32::total_cmp);
    for (found, expected) in semi.iter().zip([a, b, c]) {
        assert!((f64::from(*found) - expected).abs() < 1e-6, "{semi:?}");
    }
    assert_eq!(scene.links[1].centre.unwrap().0[0], 0.4);
}

/// Gravity along −y: the page has y up, and a column carries the robot above the ground, over which it swings.
#[test]
fn up_is_against_gravity_and_the_ground_is_below_the_motion() {
    let m = armdyn_testkit::bundled("lin-rr").with_gravity(vec3(0.0, -9.81, 0.0));
    let scene = Scene::of(&m);
    assert_eq!(scene.up, [0.0, 1.0, 0.0]);
    let high = Animation::new(&m, scene.clone(), &Motion::new(&[0.0, 1.0], &[vec![1.0, 0.1], vec![1.2, 0.1]])).unwrap();
    let low = Animation::new(&m, scene, &Motion::new(&[0.0, 1.0], &[vec![-1.6, 0.0], vec![-1.5, 0.0]])).unwrap();
    let ground = |a: &Animation| {
        let page = a.to_html();
        let (_, rest) = page.split_once("\"ground\":").unwrap();
        rest.split('}').next().unwrap().parse::<f64>().unwrap()
    };
    // Straight down, the arm reaches its own length below the origin.
    let length = 2.0;
    assert!(ground(&low) < ground(&high) - 0.5, "{} {}", ground(&low), ground(&high));
    assert!(ground(&low) > -1.5 * length);
    let bases = |a: &Animation| a.scene().links[0].shapes.iter().filter(|s| s.role == Role::Base).count();
    assert_eq!([bases(&low), bases(&high)], [2, 2], "plate and column");
}
