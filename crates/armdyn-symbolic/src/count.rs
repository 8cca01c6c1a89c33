//! What a program costs: multiplications, additions, divisions, and the trigonometric values it needs.
//!
//! The convention: signs are free, and so is all that is known before a call (constants, parameters); x² is one
//! multiplication; what no output needs is not counted; divisions and roots are counted apart; sines and cosines, with the angles
//! that they are of, are listed.

use crate::graph::{Expr, Graph, Known, Node};
use std::fmt;

/// A cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Multiplications.
    pub mul: usize,
    /// Additions and subtractions.
    pub add: usize,
    /// Divisions.
    pub div: usize,
    /// Square roots.
    pub root: usize,
    /// Sines and cosines, as `sin(q1)`, `cos(q2 + q3)`.
    pub trig: Vec<String>,
}

impl Count {
    /// Of what gives the outputs.
    pub fn of(graph: &Graph, outputs: &[Expr]) -> Self {
        let mut count = Count::default();
        let counted = Count::counted(graph, outputs);
        for (node, _) in graph.nodes().iter().zip(counted).filter(|(_, counted)| *counted) {
            match *node {
                Node::Sum(..) => count.add += 1,
                Node::Product(..) => count.mul += 1,
                Node::Quotient(..) => count.div += 1,
                Node::Root(_) => count.root += 1,
                Node::Sin(a) => count.trig.push(format!("sin({})", graph.told(a))),
                Node::Cos(a) => count.trig.push(format!("cos({})", graph.told(a))),
                Node::Constant(_) | Node::Input(_) | Node::Sign(_) => {}
            }
        }
        count
    }

    /// Which nodes are counted.
    pub(crate) fn counted(graph: &Graph, outputs: &[Expr]) -> Vec<bool> {
        // The angle of a sine is part of the sine.
        let mut counted = graph.reached(outputs, |k| !matches!(graph.nodes()[k], Node::Sin(_) | Node::Cos(_)));
        counted.iter_mut().enumerate().for_each(|(k, c)| *c &= graph.known(k) == Known::Call);
        counted
    }

    /// Multiplications and additions together.
    pub fn total(&self) -> usize {
        self.mul + self.add
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} M + {} A", self.mul, self.add)?;
        if self.div > 0 {
            write!(f, " + {} D", self.div)?;
        }
        if self.root > 0 {
            write!(f, " + {} roots", self.root)?;
        }
        Ok(())
    }
}
