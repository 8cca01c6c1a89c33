//! The scalars that rows are evaluated over.

use crate::scene::Scene;
use armdyn_core::Real;
use armdyn_symbolic::Expr;
use armdyn_symbolic::closed::Poly;

/// A scalar that rows are evaluated over.
pub trait Scalar: Real {
    /// Whether its values contain free symbols.
    const SYMBOLIC: bool = false;

    /// A free symbol, if the scalar has them.
    fn free_symbol(name: &str) -> Option<Self> {
        let _ = name;
        None
    }

    /// A scene over this scalar as one over numbers, if it is one.
    fn in_numbers(scene: &Scene<Self>) -> Option<&Scene<f64>> {
        let _ = scene;
        None
    }
}

impl Scalar for f64 {
    fn in_numbers(scene: &Scene<f64>) -> Option<&Scene<f64>> {
        Some(scene)
    }
}

impl Scalar for Expr {}

impl Scalar for Poly {
    const SYMBOLIC: bool = true;

    fn free_symbol(name: &str) -> Option<Self> {
        Some(Poly::symbol(name))
    }
}
