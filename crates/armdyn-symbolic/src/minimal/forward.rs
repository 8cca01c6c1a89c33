//! Forward dynamics: q̈ = M⁻¹ (τ − b) by the factorisation L D Lᵀ of M from the tip to the base.

use crate::graph::Expr;
use armdyn_core::Real;

/// q̈ from M (row-major), τ and the bias torques b. One division per joint.
pub(crate) fn accelerations(m: &[Expr], tau: &[Expr], bias: &[Expr]) -> Vec<Expr> {
    let n = tau.len();
    let mut a = m.to_vec();
    let mut x: Vec<Expr> = tau.iter().zip(bias).map(|(&t, &b)| t - b).collect();
    let mut inverse = vec![Expr::zero(); n];
    let mut l = vec![Expr::zero(); n * n];
    for k in (0..n).rev() {
        inverse[k] = Expr::one() / a[k * n + k];
        for i in 0..k {
            l[i * n + k] = a[i * n + k] * inverse[k];
        }
        for i in 0..k {
            for j in i..k {
                let less = l[i * n + k] * a[j * n + k];
                a[i * n + j] -= less;
                a[j * n + i] = a[i * n + j];
            }
            let less = l[i * n + k] * x[k];
            x[i] -= less;
        }
    }
    for k in 0..n {
        x[k] *= inverse[k];
        for i in 0..k {
            let less = l[i * n + k] * x[i];
            x[k] -= less;
        }
    }
    x
}
