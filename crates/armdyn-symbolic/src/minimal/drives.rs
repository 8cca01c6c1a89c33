//! Drives: reflected inertia and friction.
//!
//! The reflected inertia of the first revolute joint is part of its link's ZZ and costs nothing; each other one costs a
//! product and a sum, and so does viscous friction.

use super::context::Context;
use crate::graph::Expr;
use crate::program::Quantity;
use armdyn_core::{Friction, Model, Pair, Real};

/// The drives of an arm.
pub(crate) struct Drives {
    /// Reflected inertia of each degree of freedom, except that included in a link.
    reflected: Vec<f64>,
    friction: Vec<Friction<f64>>,
}

/// The first revolute joint.
pub(crate) fn first_revolute(m: &Model<f64>) -> Option<usize> {
    m.base_to_tip().position(|(_, b)| matches!(b.pair, Pair::Revolute))
}

impl Drives {
    pub fn of(m: &Model<f64>) -> Self {
        let mut reflected = m.reflected_inertia().to_vec();
        if let Some(j) = first_revolute(m) {
            reflected[j] = 0.0;
        }
        Drives { reflected, friction: m.friction().to_vec() }
    }

    /// Adds the drive torques to τ.
    pub fn torques(&self, s: &Context, mut tau: Vec<Expr>, quantity: Quantity) -> Vec<Expr> {
        if quantity == Quantity::Inverse {
            for (j, t) in tau.iter_mut().enumerate() {
                *t += s.constant(&format!("IA{}", j + 1), self.reflected[j]) * s.qdd[j];
                let f = self.friction[j];
                if f != Friction::none() {
                    let viscous = s.constant(&format!("FV{}", j + 1), f.viscous);
                    *t += Friction { viscous, ..f.map(Expr::lift) }.torque(s.qd[j]);
                }
            }
        }
        tau
    }

    /// Adds the reflected inertias to M.
    pub fn mass(&self, s: &Context, mut m: Vec<Expr>) -> Vec<Expr> {
        let n = self.reflected.len();
        for (j, &x) in self.reflected.iter().enumerate() {
            m[j * n + j] += s.constant(&format!("IA{}", j + 1), x);
        }
        m
    }
}
