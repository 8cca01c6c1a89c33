//! Drives: reflected inertia and friction, added to what the links take.
//!
//! The reflected inertia of the first joint that turns is part of its link's ZZ and costs nothing; each other one costs a
//! product and a sum, and so does viscous friction.

use super::setting::Setting;
use crate::graph::Expr;
use crate::program::Quantity;
use armdyn_core::{Friction, Model, Pair, Real};

/// What the drives of an arm add.
pub(crate) struct Drives {
    /// Of each degree of freedom, without what is counted with a link.
    reflected: Vec<f64>,
    friction: Vec<Friction<f64>>,
}

/// The first joint that turns.
pub(crate) fn first_turning(m: &Model<f64>) -> Option<usize> {
    m.base_to_tip().position(|(_, b)| matches!(b.pair, Pair::Revolute))
}

impl Drives {
    pub fn of(m: &Model<f64>) -> Self {
        let mut reflected = m.reflected().to_vec();
        if let Some(j) = first_turning(m) {
            reflected[j] = 0.0;
        }
        Drives { reflected, friction: m.friction().to_vec() }
    }

    /// With what the drives add to τ.
    pub fn torques(&self, s: &Setting, mut tau: Vec<Expr>, quantity: Quantity) -> Vec<Expr> {
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

    /// With what the drives add to M.
    pub fn mass(&self, s: &Setting, mut m: Vec<Expr>) -> Vec<Expr> {
        let n = self.reflected.len();
        for (j, &x) in self.reflected.iter().enumerate() {
            m[j * n + j] += s.constant(&format!("IA{}", j + 1), x);
        }
        m
    }
}
