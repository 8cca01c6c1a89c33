//! Lin, Manipulator Dynamics (ME5118, chapter 6): every number of the two examples, by its page, from
//! `data/documents/lau-renaud-lin-morris.json`, and the effect of its printed errors.

use armdyn_core::{
    BASE, CartesianData, Drive, EnergyData, FormsData, Inertia, JacobianFrame, Joint, Link, Model, ModelBuilder, Rate,
    RneaData, Sym3, Task, TaskDirection, Transform, Vec3, cartesian, cartesian_products, configuration_space, energy,
    rnea, state_space,
};
use serde_json::Value;

fn golden(block: &str) -> Value {
    let file: Value =
        serde_json::from_str(include_str!("../../crates/armdyn-testkit/data/documents/lau-renaud-lin-morris.json"))
            .unwrap();
    file["lin"][block].clone()
}

/// All numbers of a value, row by row.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(rows) => rows.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap_or_else(|| panic!("{other} is no number"))],
    }
}

fn number(value: &Value) -> f64 {
    numbers(value)[0]
}

fn close(what: &str, found: &[f64], block: &Value, expected: &str) {
    let (expected, tolerance) = (numbers(&block[expected]), number(&block["tol_rel"]));
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    for (a, b) in found.iter().zip(&expected) {
        assert!((a - b).abs() <= tolerance * scale, "{what}: {found:?} is not {expected:?}");
    }
}

const Z: [f64; 3] = [0.0, 0.0, 1.0];

/// p. 20: two point masses at the ends of two links, gravity along −y; frame {3} at the end of the second.
fn rr(p: &Value) -> Model<f64> {
    let of = |name: &str| number(&p[name]);
    let along = |l: f64| Transform::from_translation(Vec3::lift([l, 0.0, 0.0]));
    let point = |name, m: &str, l: &str| Link::new(name).body(of(m), [of(l), 0.0, 0.0], [0.0; 6]);
    let mut b = ModelBuilder::new("RR");
    b.gravity([0.0, -of("g"), 0.0]);
    let first = b.add(BASE, Joint::revolute("1", Z), point("link1", "m1", "l1"));
    let second = b.add(first, Joint::revolute("2", Z).at(along(of("l1"))), point("link2", "m2", "l2"));
    b.add(second, Joint::fixed("3").at(along(of("l2"))), Link::new("{3}"));
    b.build().unwrap()
}

/// p. 33: a turning link with its centre at l₁, and a slide along it with its centre at d₂.
fn rp(p: &Value) -> Model<f64> {
    let of = |name: &str| number(&p[name]);
    let mut b = ModelBuilder::new("RP");
    b.gravity([0.0, -of("g"), 0.0]);
    let turning = |izz: &str| [0.0, 0.0, 0.0, 0.0, 0.0, of(izz)];
    let first = Link::new("link1").body(of("m1"), [of("l1"), 0.0, 0.0], turning("Izz1"));
    let first = b.add(BASE, Joint::revolute("1", Z), first);
    let second = Link::new("link2").body(of("m2"), [0.0; 3], turning("Izz2"));
    b.add(first, Joint::prismatic("2", [1.0, 0.0, 0.0]), second);
    b.build().unwrap()
}

struct State {
    q: Vec<f64>,
    qd: Vec<f64>,
    qdd: Vec<f64>,
}

fn state(p: &Value, names: [&str; 3]) -> State {
    let [q, qd, qdd] = names.map(|name| numbers(&p[name]));
    State { q, qd, qdd }
}

fn rr_case() -> (Value, Model<f64>, State) {
    let block = golden("RR");
    let model = rr(&block["params"]);
    let s = state(&block["params"], ["theta", "thetad", "thetadd"]);
    (block, model, s)
}

fn plane(m: &Model<f64>, rate: Rate) -> Task<'static> {
    let directions = &[TaskDirection::LinearX, TaskDirection::LinearY];
    Task { link: m.link("{3}").unwrap(), at: None, frame: JacobianFrame::Local, directions, rate }
}

fn times(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    matrix.chunks(x.len()).map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
}

fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

#[test]
fn rr_joint_torques_p26() {
    let (block, m, s) = rr_case();
    let mut tau = [0.0; 2];
    rnea(&m, &mut RneaData::new(&m), &s.q, &s.qd, &s.qdd, &mut tau).unwrap();
    close("τ", &tau, &block, "tau");
}

#[test]
fn rr_state_space_form_p27() {
    let (block, m, s) = rr_case();
    let mut d = FormsData::new(&m);
    let form = state_space(&m, &mut d, &s.q, &s.qd).unwrap();
    close("M", form.mass, &block, "M");
    close("V", form.velocity, &block, "V");
    close("G", form.gravity, &block, "G");
}

#[test]
fn rr_configuration_space_form_p28() {
    let (block, m, s) = rr_case();
    let mut d = FormsData::new(&m);
    let form = configuration_space(&m, &mut d, &s.q).unwrap();
    close("M", form.mass, &block, "M");
    close("B", form.coriolis, &block, "B");
    close("C", form.centrifugal, &block, "C");
    close("G", form.gravity, &block, "G");
}

#[test]
fn rr_cartesian_form_p38() {
    let (block, m, s) = rr_case();
    let mut d = CartesianData::new(&m);
    let x = cartesian(&m, &mut d, &plane(&m, Rate::OfComponents), &s.q, &s.qd).unwrap();
    close("J", x.jacobian, &block, "J_frame3");
    close("J q̇", &times(x.jacobian, &s.qd), &block, "v_frame3");
    close("M_x", x.mass, &block, "Mx");
    close("V_x", x.velocity, &block, "Vx");
    close("G_x", x.gravity, &block, "Gx");
    let xdd = sum(&times(x.jacobian, &s.qdd), x.rate);
    close("Ẍ", &xdd, &block, "Xdd_frame3_component_derivative");
    let f = sum(&sum(&times(x.mass, &xdd), x.velocity), x.gravity);
    close("F", &f, &block, "F_cartesian");
}

/// Erratum p. 39: J̇₂₁ is −l₁ s₂ θ̇₂, printed without the dot.
#[test]
fn rr_jacobian_rate_p39() {
    let (block, m, s) = rr_case();
    let mut d = CartesianData::new(&m);
    let x = cartesian(&m, &mut d, &plane(&m, Rate::OfComponents), &s.q, &s.qd).unwrap();
    let expected = times(&numbers(&block["Jdot_frame3"]), &s.qd);
    close("J̇q̇", x.rate, &serde_json::json!({"J̇q̇": expected, "tol_rel": 1e-9}), "J̇q̇");
    let p = &block["params"];
    let printed = -number(&p["l1"]) * s.q[1].sin() * s.q[1] * s.qd[0];
    assert!((x.rate[1] - printed).abs() > 0.1, "the error would show");
}

#[test]
fn rr_torque_equation_p40() {
    let (block, m, s) = rr_case();
    let mut d = CartesianData::new(&m);
    let x = cartesian_products(&m, &mut d, &plane(&m, Rate::OfComponents), &s.q).unwrap();
    close("B_x", x.coriolis, &block, "Bx");
    close("C_x", x.centrifugal, &block, "Cx");
}

/// Remark pp. 36–39: Lin's Ẍ is the derivative of components in frame {3}, which turns; the inertial acceleration has
/// ω × v besides. Either gives the same F.
#[test]
fn rr_inertial_acceleration() {
    let (block, m, s) = rr_case();
    let mut d = CartesianData::new(&m);
    let x = cartesian(&m, &mut d, &plane(&m, Rate::Inertial), &s.q, &s.qd).unwrap();
    let xdd = sum(&times(x.jacobian, &s.qdd), x.rate);
    close("Ẍ", &xdd, &block, "inertial_acceleration_in_frame3");
    let f = sum(&sum(&times(x.mass, &xdd), x.velocity), x.gravity);
    close("F", &f, &block, "F_cartesian");
    let [a, b] = ["inertial_acceleration_in_frame3", "Xdd_frame3_component_derivative"].map(|k| numbers(&block[k]));
    let (v, turn) = (numbers(&block["v_frame3"]), s.qd[0] + s.qd[1]);
    assert!((a[0] - b[0] + turn * v[1]).abs() < 1e-9 && (a[1] - b[1] - turn * v[0]).abs() < 1e-9);
}

/// Erratum p. 24: ²n₂ has m₂ l₁ l₂ s₂ θ̇₁², printed without the square.
#[test]
fn rr_moment_p24() {
    let (block, m, s) = rr_case();
    let mut d = FormsData::new(&m);
    let form = configuration_space(&m, &mut d, &s.q).unwrap();
    let of = |name: &str| number(&block["params"][name]);
    let coefficient = of("m2") * of("l1") * of("l2") * s.q[1].sin();
    assert!((form.centrifugal[2] - coefficient).abs() < 1e-12);
    let printed = coefficient * s.qd[0];
    assert!((numbers(&block["V"])[1] - printed).abs() > 0.05, "the error would show");
}

/// Erratum p. 18: the base accelerates by −g, 9.81 m/s² upward, not by g (in m/s).
#[test]
fn gravity_is_an_upward_acceleration_of_the_base_p18() {
    let (block, m, s) = rr_case();
    let still = [0.0; 2];
    let weightless = m.with_gravity(Vec3::zero());
    let mut d = RneaData::new(&weightless);
    d.boundary.base_acceleration.linear = -m.gravity();
    let mut tau = [0.0; 2];
    rnea(&weightless, &mut d, &s.q, &still, &still, &mut tau).unwrap();
    close("G", &tau, &block, "G");
}

#[test]
fn rp_p33_to_p35() {
    let block = golden("RP");
    let (p, m) = (&block["params"], rp(&block["params"]));
    let s = state(p, ["q", "qd", "qdd"]);
    let mut d = FormsData::new(&m);
    let form = state_space(&m, &mut d, &s.q, &s.qd).unwrap();
    close("M", form.mass, &block, "M");
    close("V", form.velocity, &block, "V");
    close("G", form.gravity, &block, "G");
    let mut tau = [0.0; 2];
    rnea(&m, &mut RneaData::new(&m), &s.q, &s.qd, &s.qdd, &mut tau).unwrap();
    close("τ", &tau, &block, "tau");
    // Erratum p. 35: τ₂ has m₂ d̈₂, printed m₂ ḋ₂.
    let printed = tau[1] + number(&p["m2"]) * (s.qd[1] - s.qdd[1]);
    assert!((tau[1] - printed).abs() > 1.0, "the error would show");
    // Kinetic energy p. 33, potential energy p. 34 without the shift of its zero.
    let of = |name: &str| number(&p[name]);
    let inertia = of("m1") * of("l1") * of("l1") + of("Izz1") + of("Izz2") + of("m2") * s.q[1] * s.q[1];
    let k = 0.5 * inertia * s.qd[0] * s.qd[0] + 0.5 * of("m2") * s.qd[1] * s.qd[1];
    let u = (of("m1") * of("l1") + of("m2") * s.q[1]) * of("g") * s.q[0].sin();
    let e = energy(&m, &mut EnergyData::new(&m), &s.q, &s.qd).unwrap();
    assert!((e.kinetic - k).abs() < 1e-13 * k && (e.potential - u).abs() < 1e-13 * u, "{e:?} is not {k}, {u}");
}

/// Erratum p. 9: with the tensor's element −I_xy, ᴬI_xy = ᶜI_xy + m x y; printed with a minus.
#[test]
fn parallel_axes_p9() {
    let block = golden("parallel_axis");
    let (mass, product) = (number(&block["m"]), number(&block["C_Ixy"]));
    let centre = numbers(&block["com"]);
    let tensor = Sym3 { xy: -product, ..Sym3::diagonal(1.0, 1.0, 1.0) };
    let body = Inertia::about_centre(mass, Vec3::lift([centre[0], centre[1], centre[2]]), tensor);
    let expected = number(&block["A_Ixy"]);
    assert!((-body.second.xy - expected).abs() <= 1e-14 * expected);
    let printed = product - mass * centre[0] * centre[1];
    assert!((-body.second.xy - printed).abs() > 0.05, "the error would show");
    // ᴬI_zz = ᶜI_zz + m (x² + y²).
    let zz = 1.0 + mass * (centre[0] * centre[0] + centre[1] * centre[1]);
    assert!((body.second.zz - zz).abs() <= 1e-14 * zz);
}

/// Erratum p. 41: at rest sgn θ̇ = 0, and the static coefficient is a bound of what friction may take, not its value.
#[test]
fn friction_p41() {
    let drive = Drive::ideal().viscous(0.5).coulomb(2.0, 2.0);
    let mut b = ModelBuilder::new("rough");
    b.gravity([0.0; 3]);
    b.add(BASE, Joint::revolute("1", Z).driven_by(drive), Link::new("link").body(1.0, [0.0; 3], [0.0; 6]));
    let m = b.build().unwrap();
    let mut d = RneaData::new(&m);
    let mut torque = |speed: f64| {
        let mut tau = [0.0];
        rnea(&m, &mut d, &[0.3], &[speed], &[0.0], &mut tau).unwrap();
        tau[0]
    };
    assert_eq!([torque(3.0), torque(0.0), torque(-3.0)], [3.5, 0.0, -3.5]);
    // Friction is no part of V.
    let mut d = FormsData::new(&m);
    assert_eq!(state_space(&m, &mut d, &[0.3], &[3.0]).unwrap().velocity, [0.0]);
}
