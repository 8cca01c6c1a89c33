//! The iterative Newton–Euler formulation in link frames.
//!
//! Lin, Manipulator Dynamics, pp. 11–26. Frame {i} is fixed to link i, p is its parent, ᵖP_i leads from the origin of {p} to that of
//! {i}. With w, u the angular and linear velocity of the joint, in {i} (θ̇ Ẑ, 0 if revolute; 0, ḋ Ẑ if prismatic):
//!
//!   ω_i = R ω_p + w                                                                  (p. 12)
//!   ω̇_i = R ω̇_p + R ω_p × w + ẇ                                                      (p. 12, 14)
//!   a_i = R (a_p + ω̇_p × P_i + ω_p × (ω_p × P_i)) + 2 R ω_p × u + w × u + u̇          (p. 13, 14)
//!   a_C = a_i + ω̇_i × P_C + ω_i × (ω_i × P_C)                                         (p. 15)
//!   F_i = m_i a_C,   N_i = ᶜI_i ω̇_i + ω_i × ᶜI_i ω_i                                  (p. 16)
//!   f_i = Σ R f_c + F_i,   n_i = Σ (R n_c + P_c × R f_c) + N_i + P_C × F_i            (p. 17)
//!   τ_i = n_i · Ẑ or f_i · Ẑ                                                         (p. 18)
//!
//! Deviations: frames are those of the robot file, where a joint's axis need not be z; trees are covered (sums over the children c),
//! and so are joints that rotate and translate.

use super::subject::Subject;
use super::{Method, Quantity, Step, Symbol, Trace};
use armdyn_core::{Force, Pair, Real, Transform, Vec3};

/// The trace.
pub(super) fn newton_euler<T: Real>(s: &Subject<T>) -> Trace<T> {
    let m = &s.model;
    let x = s.placements();
    let mut steps = given(s, &x).to_vec();
    steps.push(conditions(s));
    let zero = vec![Vec3::zero(); m.body_count() + 1];
    let (mut omega, mut alpha, mut a, mut force, mut moment) =
        (zero.clone(), zero.clone(), zero.clone(), zero.clone(), zero.clone());
    a[0] = -m.gravity();
    for (i, b) in m.base_to_tip() {
        let (p, r, at) = (b.parent, &x[i].rotation, x[i].translation);
        let axes = &s.links[i].axes;
        let [v, vd] = [&s.qd, &s.qdd].map(|rates| b.pair.motion(&rates[b.v..]));
        let [w, u, wd, ud] = [v.angular, v.linear, vd.angular, vd.linear].map(|v| axes.inverse_rotate(v));
        let before = r.inverse_rotate(omega[p]);
        omega[i] = before + w;
        alpha[i] = r.inverse_rotate(alpha[p]) + before.cross(w) + wd;
        let origin = a[p] + alpha[p].cross(at) + omega[p].cross(omega[p].cross(at));
        a[i] = r.inverse_rotate(origin) + (before.cross(u) * T::lift(2.0)) + w.cross(u) + ud;
        let (link, o) = (&s.links[i], omega[i]);
        let centre = a[i] + alpha[i].cross(link.centre) + o.cross(o.cross(link.centre));
        force[i] = centre * link.mass;
        moment[i] = link.central * alpha[i] + o.cross(link.central * o);
        let mut step = Step::new(format!("Outward iteration: link {i} ({})", link.name), "Lin pp. 12–16");
        let at_centre = |letter: &str| Symbol::new(letter).index(format!("C{i}"));
        let own = |letter: &str| Symbol::new(letter).index(i.to_string());
        let [turning, moving] = if matches!(b.pair, Pair::Prismatic) { ["p. 14"; 2] } else { ["p. 12", "p. 13"] };
        for (symbol, value, unit, equation) in [
            (own("ω"), omega[i], "rad/s", turning),
            (own("ω").dots(1), alpha[i], "rad/s²", turning),
            (own("a"), a[i], "m/s²", moving),
            (at_centre("a"), centre, "m/s²", "p. 15"),
            (own("F"), force[i], "N", "p. 16"),
            (own("N"), moment[i], "N m", "p. 16"),
        ] {
            step.push(vector(s, symbol, value, unit, i).by(equation));
        }
        steps.push(step);
    }
    steps.push(inward_formulas());
    let mut wrenches = vec![Force::zero(); m.body_count() + 1];
    let mut tau = vec![T::zero(); m.nv()];
    for (i, b) in m.tip_to_base() {
        let link = &s.links[i];
        wrenches[i] += Force::new(moment[i] + link.centre.cross(force[i]), force[i]);
        let f = wrenches[i];
        wrenches[b.parent] += x[i].force(f);
        b.pair.project(&Transform::from_rotation(link.axes).force(f), &mut tau[b.v..]);
        let mut step = Step::new(format!("Inward iteration: link {i} ({})", link.name), "Lin p. 17");
        for (letter, value, unit) in [("f", f.force, "N"), ("n", f.moment, "N m")] {
            step.push(vector(s, Symbol::new(letter).index(i.to_string()), value, unit, i).by("p. 17"));
        }
        steps.push(step);
    }
    let torques = Step::new("Joint torques", "Lin p. 18").formula(
        "τᵢ = ⁱnᵢᵀ Ẑᵢ (revolute), ⁱfᵢᵀ Ẑᵢ (prismatic)",
        "\\tau_i = {}^i n_i^T \\hat{Z}_i \\text{ (revolute)},\\quad {}^i f_i^T \\hat{Z}_i \\text{ (prismatic)}",
    );
    steps.extend(s.torque_steps(torques, &tau));
    let notes = vec![
        "Frame {i} is that of link i in the robot file; Ẑ is the axis of joint i in it, and {0} the base.".to_string(),
    ];
    Trace { method: Method::NewtonEuler, document: DOCUMENT, notes, steps }
}

/// The document.
pub(super) const DOCUMENT: &str = "P.-C. Lin, Manipulator Dynamics, NTU ME5118 chapter 6 (slides)";

/// A vector of link i in its own frame.
fn vector<T: Real>(s: &Subject<T>, symbol: Symbol, value: Vec3<T>, unit: &'static str, i: usize) -> Quantity<T> {
    let quantity = Quantity::vector(symbol.frame(i.to_string()), value.to_array(), unit);
    quantity.of_link(&s.links[i].name).in_frame(s.frame(i)).indices(&[i])
}

/// The rows of a 3 × 3 matrix.
pub(super) fn rows<T: Real>(m: [[T; 3]; 3]) -> Vec<Vec<T>> {
    m.map(|r| r.to_vec()).to_vec()
}

/// Where the links are, and their mass properties.
fn given<T: Real>(s: &Subject<T>, x: &[Transform<T>]) -> [Step<T>; 2] {
    let mut frames = Step::new("Given: link frames and joint axes", "Lin pp. 11, 20");
    let mut masses = Step::new("Given: masses, centres of mass and inertia tensors", "Lin pp. 7, 20");
    let bodies = || s.model.base_to_tip();
    let number = |letter: &str, i: usize| Symbol::new(letter).index(i.to_string());
    let of = |quantity: Quantity<T>, i: usize| quantity.of_link(&s.links[i].name).indices(&[i]);
    let in_parent = |quantity, i: usize| of(quantity, i).in_frame(s.frame(s.model.body(i).parent));
    for (i, b) in bodies() {
        let rotation = rows(x[i].rotation.to_rows());
        frames.push(in_parent(Quantity::matrix(number("R", i).frame(b.parent.to_string()), rotation, ""), i));
    }
    for (i, b) in bodies() {
        let position = x[i].translation.to_array();
        frames.push(in_parent(Quantity::vector(number("P", i).frame(b.parent.to_string()), position, "m"), i));
    }
    for (i, b) in bodies().filter(|(_, b)| b.pair.nv() == 1) {
        let axis = b.pair.column(0, &Transform::from_rotation(s.links[i].axes.inverse()));
        let axis = if matches!(b.pair, Pair::Prismatic) { axis.linear } else { axis.angular };
        frames.push(vector(s, number("Z", i), axis, "", i));
    }
    for (i, _) in bodies() {
        masses.push(of(Quantity::scalar(number("m", i), s.links[i].mass, "kg"), i));
    }
    for (i, _) in bodies() {
        masses.push(vector(s, Symbol::new("P").index(format!("C{i}")), s.links[i].centre, "m", i));
    }
    for (i, _) in bodies() {
        let tensor = rows(s.links[i].central.to_rows());
        masses
            .push(of(Quantity::matrix(number("I", i).frame(format!("C{i}")), tensor, "kg m²"), i).in_frame(s.frame(i)));
    }
    [frames, masses]
}

fn conditions<T: Real>(s: &Subject<T>) -> Step<T> {
    let mut step = Step::new("Outward iterations: formulas and conditions", "Lin pp. 12–16, 18, 20")
        .formula(
            "ⁱ⁺¹ωᵢ₊₁ = R ⁱωᵢ + θ̇ Ẑ",
            "{}^{i+1}\\omega_{i+1} = {}^{i+1}_iR\\, {}^i\\omega_i + \\dot\\theta_{i+1} \\hat{Z}_{i+1}",
        )
        .formula(
            "ⁱ⁺¹ω̇ᵢ₊₁ = R ⁱω̇ᵢ + R ⁱωᵢ × θ̇ Ẑ + θ̈ Ẑ",
            "{}^{i+1}\\dot\\omega_{i+1} = {}^{i+1}_iR\\, {}^i\\dot\\omega_i + {}^{i+1}_iR\\, {}^i\\omega_i \\times \
             \\dot\\theta_{i+1} \\hat{Z}_{i+1} + \\ddot\\theta_{i+1} \\hat{Z}_{i+1}",
        )
        .formula(
            "ⁱ⁺¹aᵢ₊₁ = R (ⁱaᵢ + ⁱω̇ᵢ × P + ⁱωᵢ × (ⁱωᵢ × P)) + 2 ⁱ⁺¹ωᵢ₊₁ × ḋ Ẑ + d̈ Ẑ",
            "{}^{i+1}a_{i+1} = {}^{i+1}_iR ({}^ia_i + {}^i\\dot\\omega_i \\times {}^iP_{i+1} + {}^i\\omega_i \\times \
             ({}^i\\omega_i \\times {}^iP_{i+1})) + 2\\, {}^{i+1}\\omega_{i+1} \\times \\dot d_{i+1} \\hat{Z}_{i+1} + \
             \\ddot d_{i+1} \\hat{Z}_{i+1}",
        )
        .formula(
            "ⁱa_Cᵢ = ⁱaᵢ + ⁱω̇ᵢ × P_Cᵢ + ⁱωᵢ × (ⁱωᵢ × P_Cᵢ)",
            "{}^ia_{C_i} = {}^ia_i + {}^i\\dot\\omega_i \\times {}^iP_{C_i} + {}^i\\omega_i \\times ({}^i\\omega_i \\times \
             {}^iP_{C_i})",
        )
        .formula(
            "Fᵢ = mᵢ a_Cᵢ,  Nᵢ = Iᵢ ω̇ᵢ + ωᵢ × Iᵢ ωᵢ",
            "F_i = m_i a_{C_i},\\quad N_i = {}^{C_i}I\\, \\dot\\omega_i + \\omega_i \\times {}^{C_i}I\\, \\omega_i",
        )
        .corrected("p. 16", "F = m a is printed; mᵢ a_Cᵢ is used")
        .corrected("p. 18", "⁰a₀ = g = 9.81 m/s is printed; ⁰a₀ = −g is used (9.81 m/s² upwards)");
    let base = |symbol: Symbol, value: Vec3<T>, unit| {
        Quantity::vector(symbol.index("0").frame("0"), value.to_array(), unit).in_frame(s.frame(0)).indices(&[0])
    };
    step.push(base(Symbol::new("ω"), Vec3::zero(), "rad/s"));
    step.push(base(Symbol::new("ω").dots(1), Vec3::zero(), "rad/s²"));
    step.push(base(Symbol::new("a"), -s.model.gravity(), "m/s²"));
    step
}

fn inward_formulas<T: Real>() -> Step<T> {
    Step::new("Inward iterations: formulas", "Lin p. 17")
        .formula("ⁱfᵢ = R ⁱ⁺¹fᵢ₊₁ + ⁱFᵢ", "{}^if_i = {}^i_{i+1}R\\, {}^{i+1}f_{i+1} + {}^iF_i")
        .formula(
            "ⁱnᵢ = R ⁱ⁺¹nᵢ₊₁ + ⁱNᵢ + P_Cᵢ × ⁱFᵢ + Pᵢ₊₁ × R ⁱ⁺¹fᵢ₊₁",
            "{}^in_i = {}^i_{i+1}R\\, {}^{i+1}n_{i+1} + {}^iN_i + {}^iP_{C_i} \\times {}^iF_i + {}^iP_{i+1} \\times \
             {}^i_{i+1}R\\, {}^{i+1}f_{i+1}",
        )
}
