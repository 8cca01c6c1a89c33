//! Drives: reflected inertia and friction.
//!
//! The reflected inertia of the first revolute joint of a branch on the base is part of its link's ZZ and costs nothing; each other
//! one costs a product and a sum, and so does viscous friction.

use super::context::Context;
use super::tree::Tree;
use crate::friction::friction_torque;
use crate::graph::Expr;
use crate::program::Quantity;
use armdyn_core::{Friction, Model, Real};

/// The drives of a robot.
pub(crate) struct Drives {
    /// Reflected inertia of each degree of freedom, except that included in a link.
    reflected: Vec<f64>,
    friction: Vec<Friction<f64>>,
}

impl Drives {
    pub fn of(m: &Model<f64>, tree: &Tree) -> Self {
        let mut reflected = m.reflected_inertia().to_vec();
        for b in tree.branches.iter().filter(|b| b.attachment.is_none()) {
            if let Some(joint) = b.arm.units.get(1).and_then(|u| u.joint) {
                reflected[b.arm.dofs[joint]] = 0.0;
            }
        }
        Drives { reflected, friction: m.friction().to_vec() }
    }

    /// Adds the drive torques to τ.
    pub fn torques(&self, tree: &[Context], mut tau: Vec<Expr>, quantity: Quantity) -> Vec<Expr> {
        if quantity != Quantity::Inverse {
            return tau;
        }
        for s in tree {
            for (j, &dof) in s.arm.dofs.iter().enumerate() {
                tau[dof] += s.constant(&format!("IA{}", dof + 1), self.reflected[dof]) * s.qdd[j];
                tau[dof] += friction_torque(&named(s, dof + 1, &self.friction[dof]), s.qd[j]);
            }
        }
        tau
    }

    /// Adds the reflected inertias to M.
    pub fn mass(&self, tree: &[Context], mut m: Vec<Expr>) -> Vec<Expr> {
        let n = self.reflected.len();
        for s in tree {
            for &dof in &s.arm.dofs {
                m[dof * n + dof] += s.constant(&format!("IA{}", dof + 1), self.reflected[dof]);
            }
        }
        m
    }
}

/// Friction with constants: numbers, or parameters FV (viscous), FC (Coulomb), FCF and FCB (Coulomb, forward and backward), FS
/// (Stribeck excess) and VS (Stribeck speed).
fn named(s: &Context, number: usize, f: &Friction<f64>) -> Friction<Expr> {
    let constant = |name: &str, value: f64| s.constant(&format!("{name}{number}"), value);
    let symmetric = f.coulomb_forward == f.coulomb_backward;
    let [forward, backward] = if symmetric { ["FC", "FC"] } else { ["FCF", "FCB"] };
    Friction {
        viscous: constant("FV", f.viscous),
        coulomb_forward: constant(forward, f.coulomb_forward),
        coulomb_backward: constant(backward, f.coulomb_backward),
        stribeck: constant("FS", f.stribeck),
        stribeck_speed: if f.stribeck == 0.0 { Expr::one() } else { constant("VS", f.stribeck_speed) },
    }
}
