//! Energies, joint wrenches and the Cartesian form: Lin's printed results, and the core's algorithms.

use armdyn_core::{
    CartesianData, EnergyData, JacobianFrame, JointId, Model, Rate, RneaData, Task, TaskDirection, Tool, WrenchFrame,
    cartesian, energy, rnea,
};
use armdyn_symbolic::closed::{CartesianOptions, Coefficient, Tensor};
use armdyn_symbolic::typeset::unicode;
use armdyn_symbolic::{ClosedError, ClosedOptions, Equations, SymbolNames, closed_form};
use armdyn_testkit::bundled;
use armdyn_testkit::random::{self, Description, Drives, Joints, State};

/// Lin's arm with his symbols: l₁ is the first link and the distance of its mass, l₂ the second.
pub const LIN: &str = "x1=l1,lx2=l1,x2=l2,xt=l2";

pub fn at_tool(tool: Tool, frame: JacobianFrame, rate: Rate) -> CartesianOptions {
    CartesianOptions { tool, frame, directions: vec![], rate }
}

/// All that can be printed of Lin's arm, in his axes.
pub fn lin() -> (Model<f64>, Equations) {
    let model = bundled("lin-rr");
    let tool = model.tool().unwrap();
    let options = ClosedOptions {
        tensor: Tensor::Centre,
        symbols: SymbolNames::parse(LIN).unwrap(),
        energy: true,
        wrenches: true,
        cartesian: Some(at_tool(tool, JacobianFrame::Local, Rate::OfComponents)),
        ..ClosedOptions::default()
    };
    let e = closed_form(&model, &options).unwrap();
    (model, e)
}

/// The values of Lin's symbols.
struct Lin {
    m1: f64,
    m2: f64,
    l1: f64,
    l2: f64,
    g: f64,
}

const ARM: Lin = Lin { m1: 2.0, m2: 1.5, l1: 0.6, l2: 0.4, g: 9.81 };

/// A few states, none special.
fn states() -> Vec<[[f64; 2]; 3]> {
    (1..=6).map(|k| [0, 1, 2].map(|a| [0, 1].map(|i| ((7 * k + 3 * a + i) as f64 * 0.737).sin() * 1.7))).collect()
}

fn assert_close(what: &str, found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12 * (1.0 + expected.abs()), "{what}: {found}, expected {expected}");
}

/// Slides 24 and 25. θ̇₁ of ²n₂ is squared, as on slide 26 (an erratum of slide 24).
#[test]
fn lin_wrenches() {
    let (_, e) = lin();
    let Lin { m1, m2, l1, l2, g } = ARM;
    for [q, qd, qdd] in states() {
        let (s1, c1) = q[0].sin_cos();
        let (s2, c2) = q[1].sin_cos();
        let (s12, c12) = (q[0] + q[1]).sin_cos();
        let (w, both, a, a_both) = (qd[0] * qd[0], (qd[0] + qd[1]).powi(2), qdd[0], qdd[0] + qdd[1]);
        let f2 = [
            m2 * l1 * s2 * a - m2 * l1 * c2 * w + m2 * g * s12 - m2 * l2 * both,
            m2 * l1 * c2 * a + m2 * l1 * s2 * w + m2 * g * c12 + m2 * l2 * a_both,
        ];
        let n2 = m2 * l1 * l2 * c2 * a + m2 * l1 * l2 * s2 * w + m2 * l2 * g * c12 + m2 * l2 * l2 * a_both;
        let f1 =
            [c2 * f2[0] - s2 * f2[1] - m1 * l1 * w + m1 * g * s1, s2 * f2[0] + c2 * f2[1] + m1 * l1 * a + m1 * g * c1];
        // Slide 26: ¹n₁ = n₂ + l₁ × (F₁ + R f₂).
        let n1 = n2 + l1 * f1[1];
        for (k, (f, n)) in [(f1, n1), (f2, n2)].into_iter().enumerate() {
            let components = &e.supplements().wrenches[k].components;
            for (c, expected) in [f[0], f[1], 0.0, 0.0, 0.0, n].into_iter().enumerate() {
                let found = e.evaluate_terms(&components[c], &q, [&qd, &qdd]);
                assert_close(&format!("wrench {k}, {c}"), found, expected);
            }
        }
    }
    let zero = |k: usize| e.supplements().wrenches[k].components.iter().map(Vec::is_empty).collect::<Vec<_>>();
    assert_eq!(zero(0), [false, false, true, true, true, false]);
}

/// Slide 39: J, J̇ (with θ̇₂ in its second row), M_x, V_x, G_x.
#[test]
fn lin_cartesian() {
    let (_, e) = lin();
    let form = e.supplements().cartesian.as_ref().unwrap();
    assert_eq!(form.options.directions, [TaskDirection::LinearX, TaskDirection::LinearY]);
    let Lin { m1, m2, l1, l2, g } = ARM;
    for [q, qd, _] in states() {
        let c1 = q[0].cos();
        let (s2, c2) = q[1].sin_cos();
        let (s12, c12) = (q[0] + q[1]).sin_cos();
        let [w1, w2] = qd;
        let jacobian = [l1 * s2, 0.0, l1 * c2 + l2, l2];
        let mass = [m2 + m1 / (s2 * s2), 0.0, 0.0, m2];
        let velocity = [
            -(m2 * l1 * c2 + m2 * l2) * w1 * w1
                - m2 * l2 * w2 * w2
                - (2.0 * m2 * l2 + m2 * l1 * c2 + m1 * l1 * c2 / (s2 * s2)) * w1 * w2,
            m2 * l1 * s2 * w1 * w1 + m2 * l1 * s2 * w1 * w2,
        ];
        let gravity = [m1 * g * c1 / s2 + m2 * g * s12, m2 * g * c12];
        let rate = [l1 * c2 * w2 * w1, -l1 * s2 * w2 * w1];
        for at in 0..4 {
            assert_close("J", e.evaluate(&form.jacobian[at].written, &q), jacobian[at]);
            assert_close("M_x", e.evaluate_quotient(&form.mass[at], &q), mass[at]);
        }
        for r in 0..2 {
            let of = |(x, [j, k]): &(Vec<_>, [usize; 2])| e.evaluate_quotient(x, &q) * qd[*j] * qd[*k];
            assert_close("V_x", form.velocity[r].iter().map(of).sum(), velocity[r]);
            assert_close("J̇q̇", e.evaluate_terms(&form.rate[r], &q, [&qd, &[]]), rate[r]);
            assert_close("G_x", e.evaluate_quotient(&form.gravity[r], &q), gravity[r]);
        }
    }
}

/// As on the slides, letter by letter where his form has no choice of order.
#[test]
fn lin_in_printed_form() {
    let text = unicode(&lin().1, 100);
    for line in [
        "  D₁₁₂ = −m₂ l₁ l₂ s₂\n", // slide 27, V₁: −2 m₂ l₁ l₂ s₂ θ̇₁ θ̇₂
        "  D₂₂ = m₂ l₂²\n",        // slide 27
        "  det J = l₁ l₂ s₂\n",    // slide 39, J⁻¹
        "⎡ m₂ + m₁/s₂²  0  ⎤\n",   // slide 39, M_x
        "⎣ 0            m₂ ⎦\n",
        "⎡ l₁ s₂       0  ⎤\n",                    // slide 39, J
        "  Vₓ₂ = m₂ l₁ s₂ θ̇₁² + m₂ l₁ s₂ θ̇₁ θ̇₂\n", // slide 39
        "  Gₓ₂ = m₂ g c₁₂\n",                      // slide 39
        "m₁ l₁ c₂/s₂²) θ̇₁ θ̇₂",                     // slide 39, V_x
    ] {
        assert!(text.contains(line), "no {line:?} in\n{text}");
    }
}

/// Slides 33 and 34, without the reference heights u_ref.
#[test]
fn lin_energies() {
    let model = bundled("lin-rp");
    let options = ClosedOptions { energy: true, tensor: Tensor::Centre, ..ClosedOptions::default() };
    let e = closed_form(&model, &options).unwrap();
    let (m1, m2, l1, i1, i2, g) = (2.0, 1.5, 0.3, 0.05, 0.02, 9.81);
    for [[theta, d], [w, v], _] in states() {
        let kinetic = 0.5 * (m1 * l1 * l1 + i1 + i2 + m2 * d * d) * w * w + 0.5 * m2 * v * v;
        let potential = (m1 * l1 + m2 * d) * g * theta.sin();
        let rates = [w, v];
        let term = |(x, [i, j], c): (f64, [usize; 2], &Coefficient)| {
            x * e.evaluate(&c.written, &[theta, d]) * rates[i] * rates[j]
        };
        assert_close("k", e.kinetic_energy().into_iter().map(term).sum(), kinetic);
        let found = e.evaluate(&e.supplements().potential.as_ref().unwrap().written, &[theta, d]);
        assert_close("u", found, potential);
    }
}

/// Everything equals the core's numeric algorithms, relative to the largest component.
fn assert_equal_to_core(model: &Model<f64>, e: &Equations, s: &State, tolerance: f64) {
    let model = &model.without_friction();
    let near = |what: &str, found: f64, expected: f64, scale: f64| {
        assert!((found - expected).abs() <= tolerance * scale.max(1.0), "{}: {what}: {found}, {expected}", e.robot);
    };
    let known = energy(model, &mut EnergyData::new(model), &s.q, &s.qd).unwrap();
    let kinetic: f64 =
        e.kinetic_energy().iter().map(|(x, [i, j], c)| x * e.evaluate(&c.written, &s.q) * s.qd[*i] * s.qd[*j]).sum();
    near("kinetic energy", kinetic, known.kinetic, known.kinetic.abs());
    let potential = e.evaluate(&e.supplements().potential.as_ref().unwrap().written, &s.q);
    near("potential energy", potential, known.potential, known.potential.abs());
    let mut data = RneaData::new(model);
    rnea(model, &mut data, &s.q, &s.qd, &s.qdd, &mut vec![0.0; model.nv()]).unwrap();
    let mut wrenches = vec![];
    for k in (0..model.joints().len()).filter(|&k| !model.joints()[k].bodies.is_empty()) {
        wrenches.extend(data.wrenches(model, JointId::new(k), WrenchFrame::Local).unwrap());
    }
    assert_eq!(wrenches.len(), e.supplements().wrenches.len());
    for (found, known) in e.supplements().wrenches.iter().zip(&wrenches) {
        let known = [known.total.force.to_array(), known.total.moment.to_array()].concat();
        let scale = known.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
        for (terms, x) in found.components.iter().zip(&known) {
            near(&found.joint, e.evaluate_terms(terms, &s.q, [&s.qd, &s.qdd]), *x, scale);
        }
    }
    let Some(form) = &e.supplements().cartesian else { return };
    let o = &form.options;
    let task =
        Task { link: o.tool.link, at: Some(o.tool.pose), frame: o.frame, directions: &o.directions, rate: o.rate };
    let mut data = CartesianData::new(model);
    let known = cartesian(model, &mut data, &task, &s.q, &s.qd).unwrap();
    // What the numbers themselves lose near a singular configuration.
    let scale = |values: &[f64]| values.iter().fold(0.0, |s: f64, x| s.max(x.abs())) * known.condition;
    let n = e.size();
    for at in 0..n * n {
        near("J", e.evaluate(&form.jacobian[at].written, &s.q), known.jacobian[at], scale(known.jacobian));
        near("M_x", e.evaluate_quotient(&form.mass[at], &s.q), known.mass[at], scale(known.mass));
    }
    for r in 0..n {
        let velocity: f64 =
            form.velocity[r].iter().map(|(x, [j, k])| e.evaluate_quotient(x, &s.q) * s.qd[*j] * s.qd[*k]).sum();
        near("V_x", velocity, known.velocity[r], scale(known.velocity).max(scale(known.mass)));
        near("G_x", e.evaluate_quotient(&form.gravity[r], &s.q), known.gravity[r], scale(known.gravity));
        near("J̇q̇", e.evaluate_terms(&form.rate[r], &s.q, [&s.qd, &[]]), known.rate[r], scale(known.rate));
    }
}

#[test]
fn robots_with_up_to_three_joints_equal_the_cores_results() {
    use JacobianFrame::{Local, LocalWorldAligned};
    use Rate::{Inertial, OfComponents};
    let named = ["lin-rr", "lin-rp", "planar-2r"].map(bundled);
    let built = [super::verified::jpl_with_locked_wrist(), super::verified::elbow_arm()];
    for model in named.into_iter().chain(built) {
        let end = *model.end_links().last().unwrap();
        let tool = model.tool().unwrap_or(Tool::at(end, armdyn_core::vec3(0.3, 0.2, 0.1)));
        for (frame, rate) in [(Local, OfComponents), (Local, Inertial), (LocalWorldAligned, Inertial)] {
            let cartesian = Some(at_tool(tool, frame, rate));
            let options = ClosedOptions { energy: true, wrenches: true, cartesian, ..ClosedOptions::default() };
            let e = match closed_form(&model, &options) {
                // A robot whose tool is on its axes moves in fewer directions.
                Err(ClosedError::NotSquare { .. }) => continue,
                e => e.unwrap(),
            };
            for seed in 0..4 {
                assert_equal_to_core(&model, &e, &State::random(&model, &mut random::source(seed)), 1e-12);
            }
        }
    }
}

/// Random trees with every kind of single-axis, composite and generalized joints, and drives.
#[test]
fn random_robots_equal_the_cores_results() {
    for seed in 0..8 {
        let m = Description::random(seed, 2 + seed as usize % 2, Joints::SingleAxis, true, Drives::Friction).build();
        let e = closed_form(&m, &ClosedOptions { energy: true, wrenches: true, ..ClosedOptions::default() }).unwrap();
        // Rounding of a sum of thousands of products.
        assert_equal_to_core(&m, &e, &State::random(&m, &mut random::source(seed)), 1e-10);
    }
}

/// Lau's generalized joint: three rotations and three translations, the wrench at each of them.
#[test]
fn a_generalized_joint() {
    use armdyn_core::{BASE, Joint, JointKind, Link, ModelBuilder, Order};
    let mut robot = ModelBuilder::new("generalized");
    let kind = JointKind::Generalized {
        rotations: [true, false, true],
        translations: [true, false, false],
        order: Order::RotationFirst,
    };
    let inertia = [0.3, 0.02, 0.01, 0.4, 0.03, 0.5];
    robot.add(BASE, Joint::new("joint", kind), Link::new("link").body(2.0, [0.1, 0.2, 0.3], inertia));
    let m = robot.build().unwrap();
    let e = closed_form(&m, &ClosedOptions { energy: true, wrenches: true, ..ClosedOptions::default() }).unwrap();
    assert_eq!(e.supplements().wrenches.len(), 3);
    for seed in 0..4 {
        assert_equal_to_core(&m, &e, &State::random(&m, &mut random::source(seed)), 1e-12);
    }
}

#[test]
fn what_has_no_cartesian_form_is_an_error() {
    let model = bundled("lin-rr");
    let tool = model.tool().unwrap();
    let form = |model: &Model<f64>, directions: Vec<TaskDirection>| {
        let cartesian =
            CartesianOptions { directions, ..at_tool(tool, JacobianFrame::LocalWorldAligned, Rate::Inertial) };
        closed_form(model, &ClosedOptions { cartesian: Some(cartesian), ..ClosedOptions::default() }).map(|_| ())
    };
    let error = |model, directions| form(model, directions).unwrap_err();
    use TaskDirection::{AngularZ, LinearX, LinearZ};
    assert_eq!(error(&model, vec![LinearX]), ClosedError::NotSquare { directions: 1, joints: 2 });
    assert_eq!(error(&model, vec![LinearX, LinearZ]), ClosedError::SingularCartesian);
    assert_eq!(form(&model, vec![LinearX, AngularZ]), Ok(()));
    assert_eq!(error(&bundled("puma560"), vec![]), ClosedError::TooManyForCartesian { found: 6 });
}

#[test]
fn symbols_of_the_equations_are_reserved() {
    let model = bundled("lin-rp");
    let refused = |symbols: &str| {
        let options =
            ClosedOptions { symbols: SymbolNames::parse(symbols).unwrap(), energy: true, ..ClosedOptions::default() };
        closed_form(&model, &options).map(|_| ()).map_err(|e| e.to_string())
    };
    for symbol in ["s1", "c12", "theta1", "d2", "tau", "D11", "M", "C12", "T", "V", "L", "q3"] {
        let message = refused(&format!("x1={symbol}")).unwrap_err();
        assert!(message.contains("reserved"), "{symbol}: {message}");
    }
    // d₁ is no coordinate: the first joint is revolute.
    for symbol in ["l1", "d1", "s", "c", "sx1", "rho1", "M1"] {
        assert_eq!(refused(&format!("x1={symbol}")), Ok(()), "{symbol}");
    }
    assert!(refused("m1=m").is_ok() && refused("m1=m,m2=m").unwrap_err().contains("different parameters"));
}
