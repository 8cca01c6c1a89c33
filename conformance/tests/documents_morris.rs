//! Morris & Neea 1982: the golden torques of the arm with four joints. (Its equations and errata are rows of `documents/morris.toml`.)
//!
//! Their order is θ₁ (distal), θ₂, θ₃, ψ; the model's is ψ, θ₃, θ₂, θ₁. Tolerance: 1e-12 of the largest torque, the rounding of the sums.

use armdyn_core::*;
use armdyn_testkit::assert_close;
use armdyn_testkit::documents::{Morris, MorrisState, block, morris_neea};

fn golden() -> Morris {
    block(&["morris"])
}

/// M_z1, M_z2, M_z3, M_y4 by a formulation of the model.
fn by_model(m: &Model<f64>, s: &MorrisState, formulation: &str) -> [f64; 4] {
    let back = |v: [f64; 4]| [v[3], v[2], v[1], v[0]];
    let (q, qd, qdd) = (back(s.th), back(s.thd), back(s.thdd));
    let mut tau = [0.0; 4];
    match formulation {
        "rnea" => rnea(m, &mut RneaData::new(m), &q, &qd, &qdd, &mut tau),
        "lagrange" => lagrange_tau(m, &mut LagrangeData::new(m), &q, &qd, &qdd, &mut tau),
        _ => augmented(m, &mut AugmentedData::new(m), &q, &qd, &qdd, &mut tau),
    }
    .expect("joints that turn");
    back(tau)
}

#[test]
fn torques_through_the_model() {
    let (g, m) = (golden(), morris_neea());
    assert_eq!(g.more_states.len(), 3);
    let first = MorrisState { M: g.M.clone(), ..g.state.clone() };
    for s in core::iter::once(&first).chain(&g.more_states) {
        for formulation in ["rnea", "lagrange", "augmented"] {
            assert_close(formulation, &by_model(&m, s, formulation), &s.M, 1e-12);
        }
    }
}
