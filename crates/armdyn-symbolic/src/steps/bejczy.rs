//! The equations of motion by 4 × 4 matrices.
//!
//! Bejczy 1974 (JPL TM 33-669), section III, as in the core's Lagrangian formulation:
//!
//!   T_0^j = T_0^1 T_1^2 ⋯,   U_ji = ∂T_0^j/∂q_i                                       (4)
//!   U_jkp = ∂²T_0^j/∂q_k∂q_p                                                          (7)
//!   J_j = ∫ (r; 1)(r; 1)ᵀ dm                                                          (10)
//!   D_i = −Σ_j m_j G U_ji ρ_j,  D_ik = Σ_j Tr(U_jk J_j U_jiᵀ),  D_ikp = Σ_j Tr(U_jkp J_j U_jiᵀ)   (1)
//!   τ_i = Σ D_ik q̈_k + Σ Σ D_ikp q̇_k q̇_p + D_i                                        (1), (26)
//!
//! All matrices are in the link frames of the robot file, which for a Denavit–Hartenberg table with a = 0 are the report's.

use super::subject::Subject;
use super::{Method, Quantity, Step, Symbol, Trace};
use armdyn_core::{Error, Identities, LagrangeData, Mat4, Omission, Real, Transform, lagrange};

const DOCUMENT: &str = "A. K. Bejczy, Robot Arm Dynamics and Control, JPL TM 33-669, 1974, section III";

/// Indices as subscripts, separated where one has two digits.
fn index(all: &[usize]) -> String {
    let separator = if all.iter().any(|i| *i > 9) { "," } else { "" };
    all.iter().map(usize::to_string).collect::<Vec<_>>().join(separator)
}

fn matrix<T: Real>(symbol: Symbol, m: &Mat4<T>, indices: &[usize]) -> Quantity<T> {
    Quantity::matrix(symbol, m.rows.map(|r| r.to_vec()).to_vec(), "").indices(indices)
}

/// The trace.
pub(super) fn bejczy<T: Real>(s: &Subject<T>) -> Result<Trace<T>, Error> {
    let (m, n) = (&s.model, s.model.nv());
    let mut d = LagrangeData::with(m, Omission::Full, Identities::Ignored);
    lagrange(m, &mut d, &s.q)?;
    let axes: Vec<Mat4<T>> = s.links.iter().map(|l| Mat4::pose(&Transform::from_rotation(l.axes))).collect();
    let letter = |base: &str, all: &[usize]| Symbol::new(base).index(index(all));
    let bodies = 1..=m.body_count();
    let carried = |j: usize, i: usize| m.is_ancestor(i, j);

    let mut transforms = Step::new("Transformation matrices", "Bejczy 1974, before (4)")
        .formula("T₀ʲ = T₀¹ T₁² ⋯ Tⱼ₋₁ʲ", "T_0^j = T_0^1 T_1^2 \\cdots T_{j-1}^j");
    for (i, x) in s.placements().iter().enumerate().skip(1) {
        let p = m.body(i).parent;
        let symbol = Symbol::new("T").index(p.to_string()).above(i.to_string());
        transforms.push(matrix(symbol, &Mat4::pose(x), &[p, i]).of_link(&s.links[i].name).in_frame(s.frame(p)));
    }
    for j in bodies.clone().filter(|&j| m.body(j).parent != 0) {
        let symbol = Symbol::new("T").index("0").above(j.to_string());
        let pose = d.transform(0, j) * axes[j];
        transforms.push(matrix(symbol, &pose, &[0, j]).of_link(&s.links[j].name).in_frame(s.frame(0)));
    }

    let mut inertias = Step::new("Pseudo-inertia matrices", "Bejczy 1974, (10), (11)").formula(
        "Jⱼ = ∫ (r; 1) (r; 1)ᵀ dm",
        "J_j = \\int \\begin{bmatrix} r \\\\ 1 \\end{bmatrix} \\begin{bmatrix} r^T & 1 \\end{bmatrix} dm",
    );
    for j in bodies.clone() {
        let link = &s.links[j];
        let pseudo = matrix(letter("J", &[j]), &Mat4::pseudo_inertia(&link.inertia), &[j]);
        inertias.push(pseudo.of_link(&link.name).in_frame(s.frame(j)));
    }

    let mut first = Step::new("First partial derivatives", "Bejczy 1974, (4)–(6)")
        .formula("Uⱼᵢ = ∂T₀ʲ/∂qᵢ, i ≤ j", "U_{ji} = \\frac{\\partial T_0^j}{\\partial q_i},\\quad i \\le j");
    let mut second = Step::new("Second partial derivatives", "Bejczy 1974, (7)–(9)").formula(
        "Uⱼₖₚ = ∂²T₀ʲ/∂qₖ∂qₚ = Uⱼₚₖ",
        "U_{jkp} = \\frac{\\partial^2 T_0^j}{\\partial q_k \\partial q_p} = U_{jpk}",
    );
    for j in bodies.clone() {
        for i in (1..=j).filter(|&i| carried(j, i)) {
            let u = d.first_partial(0, j, i) * axes[j];
            first.push(matrix(letter("U", &[j, i]), &u, &[j, i]).in_frame(s.frame(0)));
            for p in (i..=j).filter(|&p| carried(j, p) && carried(p, i)) {
                let u = d.second_partial(0, j, i, p) * axes[j];
                second.push(matrix(letter("U", &[j, i, p]), &u, &[j, i, p]).in_frame(s.frame(0)));
            }
        }
    }

    let unit = |dofs: &[usize]| {
        let prismatic = dofs.iter().filter(|&&v| !m.is_rotational(v)).count();
        ["kg m²", "kg m", "kg", ""][prismatic.min(3)]
    };
    let mut gravity = Step::new("Gravity terms", "Bejczy 1974, (1), (18)")
        .formula("Dᵢ = −Σⱼ mⱼ G Uⱼᵢ ρⱼ", "D_i = -\\sum_j m_j G U_{ji} \\bar\\rho_j")
        .corrected("(28)–(56)", "the sums are printed without the minus of (1); Dᵢ has the sign of (1)");
    let mut inertia = Step::new("Acceleration-related coefficients", "Bejczy 1974, (1), (19)")
        .formula("Dᵢₖ = Σⱼ Tr(Uⱼₖ Jⱼ Uⱼᵢᵀ) = Dₖᵢ", "D_{ik} = \\sum_j \\operatorname{Tr}(U_{jk} J_j U_{ji}^T) = D_{ki}");
    let mut velocity = Step::new("Velocity-related coefficients", "Bejczy 1974, (1), (22)")
        .formula(
            "Dᵢₖₚ = Σⱼ Tr(Uⱼₖₚ Jⱼ Uⱼᵢᵀ) = Dᵢₚₖ",
            "D_{ikp} = \\sum_j \\operatorname{Tr}(U_{jkp} J_j U_{ji}^T) = D_{ipk}",
        )
        .corrected(
            "(12)–(17)",
            "Dᵢₖₚ is printed once for a pair k < p, which is twice the trace of (1); the trace is used",
        );
    let mut tau = vec![T::zero(); n];
    for i in 0..n {
        let named = |quantity: Quantity<T>| quantity.of_joint(&m.dof_names()[i]);
        gravity.push(named(Quantity::scalar(letter("D", &[i + 1]), d.gravity(i), m.torque_unit(i)).indices(&[i + 1])));
        tau[i] = d.gravity(i);
        for k in 0..n {
            tau[i] += d.inertia(i, k) * s.qdd[k];
            if k >= i {
                let all = [i + 1, k + 1];
                inertia.push(named(Quantity::scalar(letter("D", &all), d.inertia(i, k), unit(&[i, k])).indices(&all)));
            }
            for p in 0..n {
                tau[i] += d.velocity(i, k, p) * s.qd[k] * s.qd[p];
                if p >= k {
                    let all = [i + 1, k + 1, p + 1];
                    let value = Quantity::scalar(letter("D", &all), d.velocity(i, k, p), unit(&[i, k, p]));
                    velocity.push(named(value.indices(&all)));
                }
            }
        }
    }
    let torques = Step::new("Joint torques", "Bejczy 1974, (1), (26)").formula(
        "Fᵢ = Σₖ Dᵢₖ q̈ₖ + Σₖ Σₚ Dᵢₖₚ q̇ₖ q̇ₚ + Dᵢ",
        "F_i = \\sum_k D_{ik} \\ddot q_k + \\sum_k \\sum_p D_{ikp} \\dot q_k \\dot q_p + D_i",
    );
    let mut steps = vec![transforms, inertias, first, second, gravity, inertia, velocity];
    steps.extend(s.torque_steps(torques, &tau));
    let notes = vec![
        "Frame {j} is that of link j in the robot file, and {0} the base; a point r of link j is at T₀ʲ (r; 1)."
            .to_string(),
        "Of Uⱼₖₚ = Uⱼₚₖ, Dᵢₖ = Dₖᵢ and Dᵢₖₚ = Dᵢₚₖ those with k ≤ p or i ≤ k are listed.".to_string(),
    ];
    Ok(Trace { method: Method::Bejczy, document: DOCUMENT, notes, steps })
}
