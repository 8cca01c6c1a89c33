//! Forward dynamics: q̈ = M⁻¹ (τ − b) by the factorisation L D Lᵀ of M from the tip to the base; M⁻¹ and the derivatives of q̈.
//!
//!   M = L D Lᵀ with unit upper triangular L,   M⁻¹ = L⁻ᵀ D⁻¹ L⁻¹
//!   ∂q̈/∂x = −M⁻¹ ∂τ/∂x at the accelerations q̈    (Carpentier & Mansard 2018, eq. 6)

use crate::graph::{Array, Expr, Graph};
use armdyn_core::{DerivativesData, Error, Model, Real, rnea_derivatives};

/// M = L D Lᵀ, with L (unit upper triangular) row-major and 1/D. One division per joint.
pub(crate) struct Factors {
    l: Vec<Expr>,
    inverse: Vec<Expr>,
}

impl Factors {
    /// Factorises M (row-major), n × n.
    pub(crate) fn of(m: &[Expr], n: usize) -> Self {
        let mut a = m.to_vec();
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
            }
        }
        Factors { l, inverse }
    }

    /// q̈ from τ and the bias torques b.
    pub(crate) fn accelerations(&self, tau: &[Expr], bias: &[Expr]) -> Vec<Expr> {
        let (n, l) = (tau.len(), &self.l);
        let mut x: Vec<Expr> = tau.iter().zip(bias).map(|(&t, &b)| t - b).collect();
        for k in (0..n).rev() {
            for i in 0..k {
                let less = l[i * n + k] * x[k];
                x[i] -= less;
            }
        }
        for k in 0..n {
            x[k] *= self.inverse[k];
            for i in 0..k {
                let less = l[i * n + k] * x[i];
                x[k] -= less;
            }
        }
        x
    }

    /// M⁻¹, row-major.
    pub(crate) fn inverse(&self) -> Vec<Expr> {
        let (n, l) = (self.inverse.len(), &self.l);
        // W = L⁻¹, unit upper triangular.
        let mut w = vec![Expr::zero(); n * n];
        for j in 0..n {
            w[j * n + j] = Expr::one();
            for i in (0..j).rev() {
                let sum = (i + 1..=j).fold(Expr::zero(), |sum, k| sum + l[i * n + k] * w[k * n + j]);
                w[i * n + j] = -sum;
            }
        }
        let scaled: Vec<Expr> = (0..n * n).map(|k| w[k] * self.inverse[k / n]).collect();
        let mut out = vec![Expr::zero(); n * n];
        for i in 0..n {
            for j in i..n {
                let element = (0..=i).fold(Expr::zero(), |sum, k| sum + scaled[k * n + i] * w[k * n + j]);
                out[i * n + j] = element;
                out[j * n + i] = element;
            }
        }
        out
    }
}

/// ∂q̈/∂q, ∂q̈/∂q̇ and M⁻¹ at the accelerations q̈. The derivatives of τ are traced from the core's recursion.
pub(crate) fn derivatives(model: &Model<f64>, factors: &Factors, qdd: &[Expr]) -> Result<Vec<Expr>, Error> {
    let (m, n) = (model.cast::<Expr>(), model.nv());
    let (q, qd) = (Graph::array(Array::Q, model.nq()), Graph::array(Array::Qd, n));
    let [mut by_q, mut by_qd] = [(); 2].map(|()| vec![Expr::zero(); n * n]);
    rnea_derivatives(&m, &mut DerivativesData::new(&m), &q, &qd, qdd, &mut by_q, &mut by_qd)?;
    let inverse = factors.inverse();
    let product = |b: &[Expr]| -> Vec<Expr> {
        let element = |k: usize| {
            let (row, column) = (k / n, k % n);
            -(0..n).fold(Expr::zero(), |sum, i| sum + inverse[row * n + i] * b[i * n + column])
        };
        (0..n * n).map(element).collect()
    };
    Ok([product(&by_q), product(&by_qd), inverse.clone()].concat())
}
