//! Lagrange's equations: energies and their derivatives.
//!
//! Lin, Manipulator Dynamics, pp. 30–35:
//!
//!   k_i = ½ m v_C·v_C + ½ ω·ᶜI ω,   u_i = −m g·P_C,   ℒ = k − u                       (p. 31, 32)
//!   τ = d/dt ∂k/∂q̇ − ∂k/∂q + ∂u/∂q                                                    (p. 32)
//!
//! With k = ½ q̇ᵀ M q̇ (p. 31) and M's derivatives by the Christoffel symbols Γ of M, ∂M_jk/∂q_i = Γ_jik + Γ_kij:
//!
//!   ∂k/∂q̇ = M q̇,   d/dt ∂k/∂q̇_i = Σ M_ij q̈_j + Σ (Γ_ijk + Γ_jik) q̇_j q̇_k,   ∂k/∂q_i = Σ Γ_jik q̇_j q̇_k
//!
//! M, Γ and ∂u/∂q are D_ij, D_ijk and D_i of the core's Lagrangian formulation. Deviation: u_ref is zero.

use super::newton_euler::DOCUMENT;
use super::subject::Subject;
use super::{Method, Quantity, Step, Symbol, Trace};
use armdyn_core::{Error, KinematicsData, LagrangeData, Motion, Real, Transform, kinematics, lagrange};

/// The trace.
pub(super) fn energies<T: Real>(s: &Subject<T>) -> Result<Trace<T>, Error> {
    let (m, n) = (&s.model, s.model.nv());
    let mut poses = KinematicsData::new(m);
    kinematics(m, &mut poses, &s.q)?;
    let mut d = LagrangeData::new(m);
    lagrange(m, &mut d, &s.q)?;
    let half = T::lift(0.5);
    let mut speeds = Step::new("Velocities and centres of mass of the links", "Lin p. 31");
    let mut kinetic = Step::new("Kinetic energy", "Lin p. 31")
        .formula(
            "kᵢ = ½ mᵢ v_Cᵢᵀ v_Cᵢ + ½ ⁱωᵢᵀ Iᵢ ⁱωᵢ",
            "k_i = \\tfrac12 m_i v_{C_i}^T v_{C_i} + \\tfrac12\\, {}^i\\omega_i^T\\, {}^{C_i}I_i\\, {}^i\\omega_i",
        )
        .formula("k = Σ kᵢ", "k = \\sum k_i");
    let mut potential = Step::new("Potential energy", "Lin p. 31")
        .formula("uᵢ = −mᵢ ⁰gᵀ ⁰P_Cᵢ", "u_i = -m_i\\, {}^0g^T\\, {}^0P_{C_i}")
        .formula("u = Σ uᵢ", "u = \\sum u_i");
    let mut velocities = vec![Motion::zero(); m.body_count() + 1];
    let (mut k, mut u) = (T::zero(), T::zero());
    for (i, b) in m.base_to_tip() {
        let own = b.dofs().fold(Motion::zero(), |sum, v| poses.screws()[v].scale_add(s.qd[v], sum));
        velocities[i] = velocities[b.parent] + own;
        let (link, pose) = (&s.links[i], poses.poses()[i].compose(&Transform::from_rotation(s.links[i].axes)));
        let v = pose.motion_back(velocities[i]);
        let (omega, centre) = (v.angular, v.linear + v.angular.cross(link.centre));
        let at = pose.point(link.centre);
        let (ki, ui) = (
            half * (link.mass * centre.dot(centre) + omega.dot(link.central * omega)),
            -(link.mass * m.gravity().dot(at)),
        );
        k += ki;
        u += ui;
        let number = i.to_string();
        let vector = |symbol: Symbol, value: armdyn_core::Vec3<T>, unit, frame: usize| {
            let quantity = Quantity::vector(symbol.frame(frame.to_string()), value.to_array(), unit);
            quantity.of_link(&link.name).in_frame(s.frame(frame)).indices(&[i])
        };
        speeds.push(vector(Symbol::new("ω").index(&number), omega, "rad/s", i));
        speeds.push(vector(Symbol::new("v").index(format!("C{i}")), centre, "m/s", i));
        speeds.push(vector(Symbol::new("P").index(format!("C{i}")), at, "m", 0));
        let scalar = |letter: &str, x: T| {
            Quantity::scalar(Symbol::new(letter).index(&number), x, "J").of_link(&link.name).indices(&[i])
        };
        kinetic.push(scalar("k", ki));
        potential.push(scalar("u", ui));
    }
    kinetic.push(Quantity::scalar(Symbol::new("k"), k, "J"));
    potential.push(Quantity::scalar(Symbol::new("u"), u, "J"));
    let mut lagrangian = Step::new("Lagrangian", "Lin p. 32").formula("ℒ = k − u", "\\mathcal{L} = k - u");
    lagrangian.push(Quantity::scalar(Symbol::new("ℒ"), k - u, "J"));

    let sum = |f: &dyn Fn(usize) -> T| (0..n).fold(T::zero(), |sum, j| sum + f(j));
    let (qd, qdd) = (&s.qd, &s.qdd);
    let momentum = |i: usize| sum(&|j| d.inertia(i, j) * qd[j]);
    let rate = |i: usize| {
        let velocity = sum(&|j| sum(&|k| (d.velocity(i, j, k) + d.velocity(j, i, k)) * qd[k]) * qd[j]);
        sum(&|j| d.inertia(i, j) * qdd[j]) + velocity
    };
    let by_position = |i: usize| sum(&|j| sum(&|k| d.velocity(j, i, k) * qd[k]) * qd[j]);
    let mut derivatives = Step::new("Derivatives", "Lin pp. 32, 34").formula(
        "d/dt ∂k/∂q̇ − ∂k/∂q + ∂u/∂q = τ",
        "\\frac{d}{dt}\\frac{\\partial k}{\\partial\\dot\\Theta} - \\frac{\\partial k}{\\partial\\Theta} + \
         \\frac{\\partial u}{\\partial\\Theta} = \\tau",
    );
    let mut tau = vec![T::zero(); n];
    for i in 0..n {
        let letter = if matches!(m.body(i + 1).pair, armdyn_core::Pair::Prismatic) { "d" } else { "θ" };
        let coordinate = |dots| Symbol::new(letter).index((i + 1).to_string()).dots(dots);
        let prismatic = letter == "d";
        let (impulse, torque) = if prismatic { ("N s", "N") } else { ("N m s", "N m") };
        let [k, u] = ["k", "u"].map(Symbol::new);
        let parts = [
            (k.clone().partial(coordinate(1)), momentum(i), impulse),
            (k.clone().partial(coordinate(1)).time_derivative(), rate(i), torque),
            (k.partial(coordinate(0)), by_position(i), torque),
            (u.partial(coordinate(0)), d.gravity(i), torque),
        ];
        tau[i] = parts[1].1 - parts[2].1 + parts[3].1;
        for (symbol, value, unit) in parts {
            let quantity = Quantity::scalar(symbol, value, unit);
            derivatives.push(quantity.of_joint(&m.dof_names()[i]).indices(&[i + 1]));
        }
    }
    let mut form = Step::new("State-space form", "Lin pp. 27, 35").formula(
        "τ = M(q) q̈ + V(q, q̇) + G(q)",
        "\\tau = M(\\Theta)\\ddot\\Theta + V(\\Theta,\\dot\\Theta) + G(\\Theta)",
    );
    let velocity = |i: usize| sum(&|j| sum(&|k| d.velocity(i, j, k) * qd[k]) * qd[j]);
    form.push(Quantity::matrix(
        Symbol::new("M"),
        (0..n).map(|i| (0..n).map(|j| d.inertia(i, j)).collect()).collect(),
        "",
    ));
    form.push(Quantity::vector(Symbol::new("V"), (0..n).map(velocity).collect::<Vec<_>>(), ""));
    form.push(Quantity::vector(Symbol::new("G"), (0..n).map(|i| d.gravity(i)).collect::<Vec<_>>(), ""));
    let torques = Step::new("Joint torques", "Lin p. 32")
        .formula(
            "τᵢ = d/dt ∂k/∂q̇ᵢ − ∂k/∂qᵢ + ∂u/∂qᵢ",
            "\\tau_i = \\frac{d}{dt}\\frac{\\partial k}{\\partial\\dot q_i} - \\frac{\\partial k}{\\partial q_i} + \
             \\frac{\\partial u}{\\partial q_i}",
        )
        .corrected("p. 35", "in his example with a prismatic joint τ₂ = m₂ ḋ₂ − … is printed; m₂ d̈₂ is right");
    let mut steps = vec![speeds, kinetic, potential, lagrangian, derivatives, form];
    steps.extend(s.torque_steps(torques, &tau));
    let notes = vec![
        "Frame {i} is that of link i in the robot file, and {0} the base.".to_string(),
        "The potential energy is zero at the origin of the base (u_ref = 0).".to_string(),
    ];
    Ok(Trace { method: Method::Lagrange, document: DOCUMENT, notes, steps })
}
