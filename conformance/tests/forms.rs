//! The equations of motion taken apart: C, Γ, the state-space, configuration-space and Cartesian forms, energy and
//! momentum, against inverse dynamics, against derivatives in time (dual numbers), and against the laws of mechanics.

use armdyn_core::{
    BASE, CartesianData, CoriolisData, CrbaData, Drive, Dual, EnergyData, Error, FormsData, JacobianFrame, Joint,
    JointKind, KinematicsData, Link, LinkId, Model, ModelBuilder, Motion, Order, Rate, Real, RneaData, Task,
    TaskDirection, Transform, Vec3, cartesian, cartesian_products, centre_of_mass, christoffel, configuration_space,
    coriolis, crba, energy, kinematics, momentum, rnea, state_space,
};
use armdyn_testkit::{peers, random};
use rand::Rng;

/// A number that knows its derivative in time.
type Moving = Dual<f64, 1>;

fn moving(value: f64, rate: f64) -> Moving {
    Dual { value, grad: [rate] }
}

/// Products of six or seven factors and sums of some tens of terms, each rounded to 1e-16.
const ROUNDING: f64 = 1e-11;

fn close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().chain(found).fold(1.0_f64, |s, x| s.max(x.abs()));
    for (k, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance * scale, "{what}[{k}]: {a} is not {b} (scale {scale})");
    }
}

fn times(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    matrix.chunks(x.len()).map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
}

fn transposed_times(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    let columns = matrix.len() / x.len();
    (0..columns).map(|c| x.iter().enumerate().map(|(r, x)| matrix[r * columns + c] * x).sum()).collect()
}

/// A tree with every kind of joint, `first` at its root, and every kind of rotor; no friction.
fn zoo(seed: u64, first: JointKind) -> Model<f64> {
    let rng = &mut random::source(seed);
    let mut builder = ModelBuilder::new(&format!("zoo {seed}"));
    builder.gravity([1.0, -2.0, -9.0]);
    let z = [0.0, 0.0, 1.0];
    let axis = random::axis(rng);
    let spinning = |gear| Drive::ideal().gyroscopic_rotor(0.003, gear, [0.3, -0.5, 0.8]);
    let kinds = [
        (0, first),
        (1, JointKind::Revolute { axis }),
        (2, JointKind::Helical { axis, pitch: 0.13 }),
        (1, JointKind::Prismatic { axis: random::axis(rng) }),
        (4, JointKind::Spherical),
        (5, JointKind::Universal { axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] }),
        (3, JointKind::Cylindrical { axis: z }),
        (7, JointKind::Planar),
        (
            5,
            JointKind::Generalized {
                rotations: [true, false, true],
                translations: [false, true, true],
                order: Order::RotationFirst,
            },
        ),
        (9, JointKind::Revolute { axis: z }),
    ];
    let mut links = vec![BASE];
    for (k, (parent, kind)) in kinds.into_iter().enumerate() {
        let drive = match k {
            1 | 9 => Some(spinning(40.0 - 7.0 * k as f64)),
            2 => Some(Drive::ideal().rotor(0.002, 30.0)),
            3 => Some(Drive::ideal().armature(0.4)),
            _ => None,
        };
        let mut joint = Joint::new(&format!("joint{k}"), kind).at(random::pose(rng));
        joint.drives.extend(drive);
        let link = random::link(rng, &format!("link{k}"));
        links.push(builder.add(links[parent], joint, link));
    }
    builder.coupled_rotor(0.002, &[("joint1", 12.0), ("joint2", -9.0)], None);
    builder.coupled_rotor(0.004, &[("joint2", 11.0), ("joint9", 8.0)], Some((links[5], [0.1, 0.7, -0.4])));
    builder.build().expect("the zoo is valid")
}

/// A tree of pairs with one axis each, with rotors, spinning ones too.
fn single_axis_tree(seed: u64) -> Model<f64> {
    let rng = &mut random::source(seed);
    let mut builder = ModelBuilder::new(&format!("tree {seed}"));
    let mut links = vec![BASE];
    for k in 0..8_usize {
        let axis = random::axis(rng);
        let kind = match k % 4 {
            1 => JointKind::Prismatic { axis },
            2 => JointKind::Helical { axis, pitch: -0.2 },
            _ => JointKind::Revolute { axis },
        };
        let drive = if k % 3 == 2 {
            Drive::ideal().gyroscopic_rotor(0.01, 10.0 + k as f64, random::axis(rng))
        } else {
            Drive::ideal().rotor(0.001, 20.0)
        };
        let joint = Joint::new(&format!("joint{k}"), kind).at(random::pose(rng)).driven_by(drive);
        let parent = links[rng.random_range(k.saturating_sub(2)..=k)];
        let link = random::link(rng, &format!("link{k}"));
        links.push(builder.add(parent, joint, link));
    }
    builder.coupled_rotor(0.02, &[("joint3", 6.0), ("joint7", -5.0)], Some((links[6], [0.1, 0.7, -0.4])));
    builder.build().expect("a random tree is valid")
}

fn robots() -> Vec<Model<f64>> {
    let free = (0..4).map(|s| zoo(s, JointKind::Free));
    let ball = (4..8).map(|s| zoo(s, JointKind::Spherical));
    let fixed = (8..12).map(|s| zoo(s, JointKind::Fixed));
    let arms = (0..4).flat_map(|s| ["RRRRRRR", "RPRPR", "P", "RP"].map(|kinds| random::arm(s, kinds)));
    let peers = peers::NAMES.map(peers::robot);
    free.chain(ball).chain(fixed).chain(arms).chain(peers).chain((0..6).map(single_axis_tree)).collect()
}

fn single_axis_robots() -> Vec<Model<f64>> {
    let all = robots().into_iter();
    all.filter(|m| m.nq() == m.nv()).collect()
}

struct State {
    q: Vec<f64>,
    qd: Vec<f64>,
    qdd: Vec<f64>,
}

fn state(m: &Model<f64>, seed: u64) -> State {
    let mut rng = random::source(seed);
    let mut q = vec![0.0; m.nq()];
    m.random(|| rng.random(), &mut q).unwrap();
    State { q, qd: random::numbers(&mut rng, m.nv(), 2.0), qdd: random::numbers(&mut rng, m.nv(), 3.0) }
}

/// q, q̇ as functions of time, for the acceleration of the state.
fn in_time(m: &Model<Moving>, s: &State) -> (Vec<Moving>, Vec<Moving>) {
    let q: Vec<Moving> = s.q.iter().map(|&x| moving(x, 0.0)).collect();
    let step: Vec<Moving> = s.qd.iter().map(|&x| moving(0.0, x)).collect();
    let mut at = q.clone();
    m.integrate(&q, &step, &mut at).unwrap();
    (at, s.qd.iter().zip(&s.qdd).map(|(&v, &a)| moving(v, a)).collect())
}

fn inverse_dynamics(m: &Model<f64>, q: &[f64], qd: &[f64], qdd: &[f64]) -> Vec<f64> {
    let mut tau = vec![0.0; m.nv()];
    rnea(m, &mut RneaData::new(m), q, qd, qdd, &mut tau).unwrap();
    tau
}

fn coriolis_matrix(m: &Model<f64>, q: &[f64], qd: &[f64]) -> Vec<f64> {
    let mut c = vec![f64::NAN; m.nv() * m.nv()];
    coriolis(m, &mut CoriolisData::new(m), q, qd, &mut c).unwrap();
    c
}

#[test]
fn coriolis_torques_are_those_of_inverse_dynamics() {
    for (k, m) in robots().iter().enumerate() {
        let s = state(m, k as u64);
        let zero = vec![0.0; m.nv()];
        let expected = inverse_dynamics(&m.with_gravity(Vec3::zero()), &s.q, &s.qd, &zero);
        close(m.name(), &times(&coriolis_matrix(m, &s.q, &s.qd), &s.qd), &expected, ROUNDING);
    }
}

#[test]
fn mass_rate_less_twice_coriolis_is_skew() {
    for (k, m) in robots().iter().enumerate() {
        let (s, n) = (state(m, k as u64), m.nv());
        let c = coriolis_matrix(m, &s.q, &s.qd);
        let lifted = m.cast::<Moving>();
        let mut mass = vec![moving(0.0, 0.0); n * n];
        crba(&lifted, &mut CrbaData::new(&lifted), &in_time(&lifted, &s).0, &mut mass).unwrap();
        let rate: Vec<f64> = mass.iter().map(|x| x.grad[0]).collect();
        let both: Vec<f64> = (0..n * n).map(|k| c[k] + c[k % n * n + k / n]).collect();
        close(m.name(), &both, &rate, ROUNDING);
    }
}

#[test]
fn coriolis_matrix_has_no_friction() {
    let build = |drive: Drive| {
        let mut b = ModelBuilder::new("sliding");
        b.add(BASE, Joint::revolute("a", [0.0, 0.0, 1.0]).driven_by(drive), random::link(&mut random::source(5), "l"));
        b.build().unwrap()
    };
    let rough = build(Drive::ideal().viscous(3.0).coulomb(1.0, 2.0));
    let smooth = build(Drive::ideal());
    assert_eq!(coriolis_matrix(&rough, &[0.3], &[2.0]), coriolis_matrix(&smooth, &[0.3], &[2.0]));
}

#[test]
fn coriolis_keeps_its_digits_far_from_the_base() {
    let m = zoo(1, JointKind::Free);
    let near = state(&m, 3);
    let mut far = near.q.clone();
    (far[0], far[1], far[2]) = (far[0] + 1e6, far[1] - 2e6, far[2] + 3e6);
    // Velocity torques don't depend on where the robot is; the position itself is rounded to 1e-10.
    let expected = coriolis_matrix(&m, &near.q, &near.qd);
    close("far", &coriolis_matrix(&m, &far, &near.qd), &expected, 1e-12);
}

fn symbols(m: &Model<f64>, q: &[f64]) -> Vec<f64> {
    let mut gamma = vec![f64::NAN; m.nv().pow(3)];
    christoffel(m, &mut CoriolisData::new(m), q, &mut gamma).unwrap();
    gamma
}

#[test]
fn christoffel_symbols_are_derivatives_of_the_mass_matrix() {
    for (k, m) in single_axis_robots().iter().enumerate() {
        let (s, n) = (state(m, k as u64), m.nv());
        let lifted = m.cast::<Moving>();
        let mut data = CrbaData::new(&lifted);
        let slopes: Vec<Vec<f64>> = (0..n)
            .map(|k| {
                let q: Vec<Moving> =
                    s.q.iter().enumerate().map(|(i, &x)| moving(x, if i == k { 1.0 } else { 0.0 })).collect();
                let mut mass = vec![moving(0.0, 0.0); n * n];
                crba(&lifted, &mut data, &q, &mut mass).unwrap();
                mass.iter().map(|x| x.grad[0]).collect()
            })
            .collect();
        let mut expected = vec![0.0; n * n * n];
        for i in 0..n {
            for j in 0..n {
                for k in 0..n {
                    expected[(i * n + j) * n + k] =
                        0.5 * (slopes[k][i * n + j] + slopes[j][i * n + k] - slopes[i][j * n + k]);
                }
            }
        }
        close(m.name(), &symbols(m, &s.q), &expected, ROUNDING);
    }
}

#[test]
fn coriolis_matrix_is_the_one_of_christoffel() {
    for (k, m) in single_axis_robots().iter().enumerate() {
        let (s, n) = (state(m, k as u64), m.nv());
        let gamma = symbols(m, &s.q);
        // C is linear in q̇: its columns of Γ by unit velocities.
        for k in 0..n {
            let unit: Vec<f64> = (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect();
            let slice: Vec<f64> = (0..n * n).map(|ij| gamma[ij * n + k]).collect();
            close(m.name(), &coriolis_matrix(m, &s.q, &unit), &slice, ROUNDING);
        }
        for (ij, row) in gamma.chunks(n).enumerate() {
            let (i, j) = (ij / n, ij % n);
            (0..n).for_each(|k| assert_eq!(row[k], gamma[(i * n + k) * n + j], "{} Γ{i}{j}{k}", m.name()));
        }
    }
}

#[test]
fn christoffel_symbols_need_coordinates() {
    let m = zoo(0, JointKind::Free);
    let mut gamma = vec![0.0; m.nv().pow(3)];
    let found = christoffel(&m, &mut CoriolisData::new(&m), &state(&m, 0).q, &mut gamma);
    assert!(matches!(found, Err(Error::Unsupported { joint, .. }) if joint == "joint0.x"));
}

#[test]
fn numbers_that_are_not_finite_are_named() {
    let m = random::arm(1, "RRPR");
    let (q, mut c) = ([0.1; 4], vec![0.0; 16]);
    let found = coriolis(&m, &mut CoriolisData::new(&m), &q, &[0.0, 0.0, f64::NAN, 0.0], &mut c);
    assert!(matches!(found, Err(Error::NotFinite { joint, .. }) if joint == "joint1" || joint == "joint3"));
    let found = energy(&m, &mut EnergyData::new(&m), &q, &[0.0, 0.0, f64::INFINITY, 0.0]);
    assert!(matches!(found, Err(Error::NotFinite { joint, .. }) if joint == "joint3"));
    let nothing = ModelBuilder::new("nothing").build().unwrap();
    let found = centre_of_mass(&nothing, &mut EnergyData::new(&nothing), &[], &[]);
    assert!(matches!(found, Err(Error::NotFinite { joint, .. }) if joint == "nothing"));
    assert!(state_space(&nothing, &mut FormsData::new(&nothing), &[], &[]).is_ok());
    assert!(configuration_space(&nothing, &mut FormsData::new(&nothing), &[]).is_ok());
}

#[test]
fn state_space_form_adds_up() {
    for (k, m) in robots().iter().enumerate() {
        let s = state(m, k as u64);
        let mut data = FormsData::new(m);
        let form = state_space(m, &mut data, &s.q, &s.qd).unwrap();
        let inertial = times(form.mass, &s.qdd);
        let sum: Vec<f64> = (0..m.nv()).map(|i| inertial[i] + form.velocity[i] + form.gravity[i]).collect();
        close(m.name(), &sum, &inverse_dynamics(m, &s.q, &s.qd, &s.qdd), ROUNDING);
        let zero = vec![0.0; m.nv()];
        close(m.name(), form.gravity, &inverse_dynamics(m, &s.q, &zero, &zero), ROUNDING);
    }
}

fn products(qd: &[f64]) -> Vec<f64> {
    (0..qd.len()).flat_map(|j| (j + 1..qd.len()).map(move |k| (j, k))).map(|(j, k)| qd[j] * qd[k]).collect()
}

#[test]
fn configuration_space_form_adds_up() {
    for (k, m) in single_axis_robots().iter().enumerate() {
        let s = state(m, k as u64);
        let mut data = FormsData::new(m);
        let form = configuration_space(m, &mut data, &s.q).unwrap();
        let squares: Vec<f64> = s.qd.iter().map(|v| v * v).collect();
        let mut sum = times(form.mass, &s.qdd);
        let crossed = if m.nv() > 1 { times(form.coriolis, &products(&s.qd)) } else { vec![0.0] };
        let parts = [crossed, times(form.centrifugal, &squares), form.gravity.to_vec()];
        parts.iter().for_each(|part| sum.iter_mut().zip(part).for_each(|(x, y)| *x += y));
        close(m.name(), &sum, &inverse_dynamics(m, &s.q, &s.qd, &s.qdd), ROUNDING);
    }
}

#[test]
fn power_goes_into_energy() {
    for (k, m) in robots().iter().enumerate() {
        let s = state(m, k as u64);
        let lifted = m.cast::<Moving>();
        let (q, qd) = in_time(&lifted, &s);
        let e = energy(&lifted, &mut EnergyData::new(&lifted), &q, &qd).unwrap();
        let tau = inverse_dynamics(m, &s.q, &s.qd, &s.qdd);
        let power: f64 = tau.iter().zip(&s.qd).map(|(t, v)| t * v).sum();
        let scale: f64 = tau.iter().zip(&s.qd).map(|(t, v)| (t * v).abs()).sum();
        let rate = (e.kinetic + e.potential).grad[0];
        assert!((rate - power).abs() <= ROUNDING * scale, "{}: {rate} W is not {power} W", m.name());
    }
}

#[test]
fn kinetic_energy_is_half_the_mass_matrix_between_velocities() {
    for (k, m) in robots().iter().enumerate() {
        let (s, n) = (state(m, k as u64), m.nv());
        let mut mass = vec![0.0; n * n];
        crba(m, &mut CrbaData::new(m), &s.q, &mut mass).unwrap();
        let expected: f64 = 0.5 * times(&mass, &s.qd).iter().zip(&s.qd).map(|(p, v)| p * v).sum::<f64>();
        let e = energy(m, &mut EnergyData::new(m), &s.q, &s.qd).unwrap();
        close(m.name(), &[e.kinetic], &[expected], ROUNDING);
    }
}

#[test]
fn momentum_changes_by_the_wrench_from_the_ground_and_gravity() {
    for (k, m) in robots().iter().enumerate() {
        let s = state(m, k as u64);
        let lifted = m.cast::<Moving>();
        let (q, qd) = in_time(&lifted, &s);
        let data = &mut EnergyData::new(&lifted);
        let p = momentum(&lifted, data, &q, &qd).unwrap();
        let centre = centre_of_mass(&lifted, data, &q, &qd).unwrap();
        let mut inverse = RneaData::new(m);
        rnea(m, &mut inverse, &s.q, &s.qd, &s.qdd, &mut vec![0.0; m.nv()]).unwrap();
        let (mut ground, base) = (inverse.base_wrench(m).unwrap(), m.base_inertia());
        // The base rests: the ground carries its weight.
        ground.force += m.gravity() * base.mass;
        ground.moment += base.first.cross(m.gravity());
        let weight = m.gravity() * centre.mass.value;
        let at = centre.position.map(|x| x.value);
        let rate = |v: Vec3<Moving>| v.map(|x| x.grad[0]).to_array();
        let moment = ground.moment + at.cross(weight);
        close(m.name(), &rate(p.about_origin.force), &(ground.force + weight).to_array(), ROUNDING);
        close(m.name(), &rate(p.about_origin.moment), &moment.to_array(), ROUNDING);
        // About the centre of mass gravity has no moment, and ċ × p is zero.
        let about = ground.moment - at.cross(ground.force);
        close(m.name(), &rate(p.about_centre.moment), &about.to_array(), ROUNDING);
        let velocity = centre.position.map(|x| x.grad[0]).to_array();
        close(m.name(), &centre.velocity.map(|x| x.value).to_array(), &velocity, ROUNDING);
        let linear = (centre.velocity * centre.mass).map(|x| x.value).to_array();
        close(m.name(), &p.about_origin.force.map(|x| x.value).to_array(), &linear, ROUNDING);
    }
}

#[test]
fn potential_energy_is_zero_at_the_origin_and_leaves_the_base_out() {
    let mut b = ModelBuilder::new("drop");
    b.base(Link::new("base").body(100.0, [1.0, 1.0, 1.0], [0.0; 6]));
    b.add(BASE, Joint::prismatic("slide", [0.0, 0.0, 1.0]), Link::new("weight").body(2.0, [0.0; 3], [0.0; 6]));
    let m = b.build().unwrap();
    let d = &mut EnergyData::new(&m);
    let of = |q: f64, d: &mut EnergyData<f64>| energy(&m, d, &[q], &[3.0]).unwrap();
    assert_eq!((of(0.0, d).potential, of(0.0, d).kinetic), (0.0, 9.0));
    close("m g h", &[of(1.5, d).potential], &[2.0 * 9.81 * 1.5], 1e-15);
    assert_eq!(centre_of_mass(&m, d, &[1.5], &[3.0]).unwrap().mass, 2.0);
}

const FRAMES: [JacobianFrame; 3] = [JacobianFrame::Local, JacobianFrame::World, JacobianFrame::LocalWorldAligned];

/// Ẍ by its definition, from a pose and a velocity that know their derivative in time.
fn acceleration(m: &Model<f64>, s: &State, task: &Task) -> Vec<f64> {
    let lifted = m.cast::<Moving>();
    let (q, qd) = in_time(&lifted, s);
    let mut d = KinematicsData::new(&lifted);
    kinematics(&lifted, &mut d, &q).unwrap();
    let velocity = |frame| {
        let mut columns = vec![Motion::zero(); m.nv()];
        d.jacobian(&lifted, task.link, frame, &mut columns).unwrap();
        columns.iter().zip(&qd).fold(Motion::zero(), |sum, (&c, &v)| sum + c * v)
    };
    let parts = |v: Motion<Moving>, k: usize| [v.linear.to_array(), v.angular.to_array()].concat()[k];
    let components = |f: &dyn Fn(usize) -> f64| task.directions.iter().map(|&d| f(d as usize)).collect();
    match (task.rate, task.frame) {
        (Rate::OfComponents, frame) => components(&|k| parts(velocity(frame), k).grad[0]),
        (Rate::Inertial, JacobianFrame::World) => {
            // The point of the link that is now at the base's origin, followed.
            let now = d.link_pose(&lifted, task.link).unwrap();
            let held = now.map(|x| x.value).inverse().translation.map(Moving::lift);
            let v = velocity(JacobianFrame::LocalWorldAligned);
            let linear = v.linear + v.angular.cross(now.rotation.rotate(held));
            components(&|k| parts(Motion::new(v.angular, linear), k).grad[0])
        }
        (Rate::Inertial, frame) => {
            let rate = velocity(JacobianFrame::LocalWorldAligned).map(|x| x.grad[0]);
            let turn = match frame {
                JacobianFrame::Local => d.link_pose(&lifted, task.link).unwrap().rotation.map(|x| x.value),
                _ => Transform::identity().rotation,
            };
            let seen = Motion::new(turn.inverse_rotate(rate.angular), turn.inverse_rotate(rate.linear));
            let seen = [seen.linear.to_array(), seen.angular.to_array()].concat();
            components(&|k| seen[k])
        }
    }
}

/// Robots that have all directions to spare, and ones that have some.
fn tasks() -> Vec<(Model<f64>, &'static str, Vec<TaskDirection>)> {
    use TaskDirection::{AngularY, AngularZ, LinearX, LinearY, LinearZ};
    let all = TaskDirection::ALL.to_vec();
    let mut out = vec![
        (zoo(3, JointKind::Free), "link9", all.clone()),
        (zoo(4, JointKind::Spherical), "link5", all.clone()),
        (single_axis_tree(1), "link7", vec![LinearX, AngularZ]),
    ];
    for seed in 0..4 {
        out.push((random::arm(seed, "RRRRRRR"), "link7", all.clone()));
        out.push((random::arm(seed, "RRPRRR"), "link6", all.clone()));
        out.push((random::arm(seed, "RRRRRRR"), "link5", vec![AngularY, LinearZ, LinearX]));
        out.push((random::arm(seed, "RPRR"), "link4", vec![LinearX, LinearY, LinearZ]));
    }
    out
}

#[test]
fn cartesian_form_maps_back() {
    for (k, (m, link, directions)) in tasks().iter().enumerate() {
        let (s, n, k) = (state(m, k as u64), m.nv(), directions.len());
        for (frame, rate) in FRAMES.iter().flat_map(|&f| [(f, Rate::Inertial), (f, Rate::OfComponents)]) {
            let task = Task { link: m.link(link).unwrap(), at: None, frame, directions, rate };
            let mut data = CartesianData::new(m);
            let x = cartesian(m, &mut data, &task, &s.q, &s.qd).unwrap();
            // Rounding grows with the condition of the pose.
            let tolerance = 1e-13 * x.condition.max(100.0);
            let what = format!("{} {link} {frame:?} {rate:?}", m.name());
            let xdd = acceleration(m, &s, &task);
            let jq: Vec<f64> = times(x.jacobian, &s.qdd).iter().zip(x.rate).map(|(a, b)| a + b).collect();
            close(&what, &jq, &xdd, ROUNDING);
            // F that goes with Ẍ, put on the joints as Jᵀ F, gives the link Ẍ: solve M q̈ = Jᵀ F − V − G.
            let f: Vec<f64> =
                times(x.mass, &xdd).iter().enumerate().map(|(r, a)| a + x.velocity[r] + x.gravity[r]).collect();
            let mut forms = FormsData::new(m);
            let form = state_space(m, &mut forms, &s.q, &s.qd).unwrap();
            let mut qdd = transposed_times(x.jacobian, &f);
            (0..n).for_each(|i| qdd[i] -= form.velocity[i] + form.gravity[i]);
            let mut factor = form.mass.to_vec();
            armdyn_core::dense::cholesky(&mut factor, n).unwrap();
            armdyn_core::dense::cholesky_solve(&factor, n, &mut qdd);
            let back: Vec<f64> = times(x.jacobian, &qdd).iter().zip(x.rate).map(|(a, b)| a + b).collect();
            close(&what, &back, &xdd, tolerance);
            // J J̄ = 1.
            for r in 0..k {
                let column: Vec<f64> = (0..n).map(|i| x.inverse[i * k + r]).collect();
                let unit: Vec<f64> = (0..k).map(|c| if c == r { 1.0 } else { 0.0 }).collect();
                close(&what, &times(x.jacobian, &column), &unit, tolerance);
            }
            // A square J: F is J⁻ᵀ τ.
            if n == k {
                let tau = inverse_dynamics(m, &s.q, &s.qd, &s.qdd);
                close(&what, &transposed_times(x.jacobian, &f), &tau, tolerance);
            }
        }
    }
}

#[test]
fn cartesian_products_are_the_velocity_forces() {
    for (k, (m, link, directions)) in tasks().iter().filter(|t| t.0.nq() == t.0.nv()).enumerate() {
        let s = state(m, k as u64);
        for (frame, rate) in FRAMES.iter().flat_map(|&f| [(f, Rate::Inertial), (f, Rate::OfComponents)]) {
            let task = Task { link: m.link(link).unwrap(), at: None, frame, directions, rate };
            let mut data = CartesianData::new(m);
            let x = cartesian(m, &mut data, &task, &s.q, &s.qd).unwrap();
            let (expected, tolerance) = (transposed_times(x.jacobian, x.velocity), 1e-13 * x.condition.max(100.0));
            let x = cartesian_products(m, &mut data, &task, &s.q).unwrap();
            let squares: Vec<f64> = s.qd.iter().map(|v| v * v).collect();
            let crossed = times(x.coriolis, &products(&s.qd));
            let found: Vec<f64> = times(x.centrifugal, &squares).iter().zip(&crossed).map(|(a, b)| a + b).collect();
            close(&format!("{} {frame:?} {rate:?}", m.name()), &found, &expected, tolerance);
        }
    }
}

/// Two links in a plane, stretched where the second angle is zero.
fn planar() -> Model<f64> {
    let z = [0.0, 0.0, 1.0];
    let along = Transform::from_translation(Vec3::lift([1.0, 0.0, 0.0]));
    let rod = |name| Link::new(name).body(1.0, [0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.1, 0.0, 0.1]);
    let mut b = ModelBuilder::new("planar");
    let first = b.add(BASE, Joint::revolute("shoulder", z), rod("upper"));
    let second = b.add(first, Joint::revolute("elbow", z).at(along), rod("fore"));
    b.add(second, Joint::fixed("end").at(along), Link::new("tip"));
    b.build().unwrap()
}

#[test]
fn singular_poses_are_refused_and_near_ones_reported() {
    let m = planar();
    let mut d = CartesianData::new(&m);
    let directions = [TaskDirection::LinearX, TaskDirection::LinearY];
    let task = Task {
        link: m.link("tip").unwrap(),
        at: None,
        frame: JacobianFrame::LocalWorldAligned,
        directions: &directions,
        rate: Rate::Inertial,
    };
    let mut at = |elbow: f64| cartesian(&m, &mut d, &task, &[0.3, elbow], &[0.1, 0.2]).map(|x| x.condition);
    // The mobility across the stretched arm falls with sin² of the elbow's angle, its inverse rises.
    let (good, near) = (at(1.0).unwrap(), at(1e-4).unwrap());
    assert!((2.0..100.0).contains(&good), "{good}");
    assert!((1e7..1e10).contains(&near), "{near}");
    assert!((at(1e-5).unwrap() / near - 100.0).abs() < 0.1);
    for elbow in [0.0, 1e-7] {
        let Err(Error::Singular { condition }) = at(elbow) else { panic!("{elbow} is singular") };
        assert!(condition > 1e12, "{condition}");
    }
    let Err(Error::Singular { condition }) = at(1e-7) else { panic!() };
    assert!((condition / (near * 1e6) - 1.0).abs() < 0.1 || condition == f64::INFINITY, "{condition}");
}

#[test]
fn a_task_needs_a_link_and_enough_joints() {
    let m = planar();
    let mut d = CartesianData::new(&m);
    let mut ask = |link: LinkId, directions: &[TaskDirection]| {
        let task = Task { link, at: None, frame: JacobianFrame::Local, directions, rate: Rate::Inertial };
        cartesian(&m, &mut d, &task, &[0.3, 0.5], &[0.1, 0.2]).map(|_| ())
    };
    let tip = m.link("tip").unwrap();
    assert_eq!(ask(tip, &TaskDirection::ALL), Err(Error::TooManyDirections { directions: 6, maximum: 2 }));
    assert_eq!(
        ask(m.link("upper").unwrap(), &TaskDirection::ALL[..2]),
        Err(Error::TooManyDirections { directions: 2, maximum: 1 })
    );
    assert!(matches!(ask(LinkId::new(99), &TaskDirection::ALL[..1]), Err(Error::NoSuchLink { .. })));
    // Out of its plane it cannot move.
    assert_eq!(ask(tip, &[TaskDirection::LinearZ]), Err(Error::Singular { condition: f64::INFINITY }));
    assert_eq!(ask(tip, &[]), Ok(()));
}

#[test]
fn other_numbers_flow_through() {
    let m = random::arm(2, "RRRRRRR");
    let s = state(&m, 2);
    let task = Task {
        link: m.link("link7").unwrap(),
        at: None,
        frame: JacobianFrame::Local,
        directions: &TaskDirection::ALL,
        rate: Rate::OfComponents,
    };
    let mut d = CartesianData::new(&m);
    let expected = cartesian(&m, &mut d, &task, &s.q, &s.qd).unwrap();
    let lifted = m.cast::<Moving>();
    let (q, qd) = in_time(&lifted, &s);
    let mut d = CartesianData::new(&lifted);
    let found = cartesian(&lifted, &mut d, &task, &q, &qd).unwrap();
    let value = |v: &[Moving]| v.iter().map(|x| x.value).collect::<Vec<_>>();
    close("M_x", &value(found.mass), expected.mass, 1e-13 * expected.condition);
    close("V_x", &value(found.velocity), expected.velocity, 1e-13 * expected.condition);
}
