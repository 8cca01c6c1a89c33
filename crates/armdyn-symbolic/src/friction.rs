//! Friction in few operations.
//!
//! With s = sign q̇, s³ = s, so that the Coulomb levels c₊ (forward) and c₋ (backward) need
//!
//!   ½ (c₊ + c₋) s + ½ (c₊ − c₋) s² = s (a + b s),   a = ½ (c₊ + c₋),  b = ½ (c₊ − c₋):
//!
//! one multiplication if the levels are equal, two if not.

use crate::graph::Expr;
use armdyn_core::{Friction, Real};

/// The torque that a drive must supply against friction.
pub(crate) fn friction_torque(f: &Friction<Expr>, qd: Expr) -> Expr {
    let (s, half, zero) = (qd.sign(), Expr::lift(0.5), Expr::zero());
    let mean = half * (f.coulomb_forward + f.coulomb_backward);
    let difference = half * (f.coulomb_forward - f.coulomb_backward);
    let stribeck = if f.stribeck == zero { zero } else { f.stribeck / ((qd / f.stribeck_speed).sqr() + Expr::one()) };
    f.viscous * qd + s * (mean + difference * s + stribeck)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Count;
    use crate::graph::{Array, Graph};

    /// The formula of the core, and no more operations than counted by hand.
    #[test]
    fn friction_needs_few_operations() {
        let plain = Friction { viscous: 0.3, ..Friction::none() };
        let symmetric = Friction { coulomb_forward: 2.0, coulomb_backward: 2.0, ..Friction::none() };
        let asymmetric = Friction { coulomb_forward: 2.0, coulomb_backward: 3.5, ..plain };
        let stribeck = Friction { stribeck: 1.5, stribeck_speed: 0.2, ..asymmetric };
        for (f, expected) in
            [(plain, (1, 0, 0)), (symmetric, (1, 0, 0)), (asymmetric, (3, 2, 0)), (stribeck, (5, 4, 1))]
        {
            let (graph, out) = Graph::record(|| {
                let qd = Graph::input(Array::Qd, 0, "qd1");
                friction_torque(&f.map(Expr::lift), qd)
            });
            let count = Count::of(&graph, &[out]);
            assert_eq!((count.mul, count.add, count.div), expected, "{f:?}");
            for qd in [-1.7, -0.1, 0.0, 0.2, 3.0] {
                let (found, by_core) = (graph.evaluate(&[out], &[qd])[0], f.torque(qd));
                assert!((found - by_core).abs() <= 1e-15 * by_core.abs().max(1.0), "{f:?} at {qd}: {found}, {by_core}");
            }
        }
    }
}
