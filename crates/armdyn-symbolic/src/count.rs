//! Operation counts: multiplications, additions, divisions, and the trigonometric values that a program needs.
//!
//! Conventions: signs are free, and so is everything computed before a call (constants, parameters); x² is one
//! multiplication; operations that no output needs are not counted; divisions and roots are counted separately; sines and
//! cosines are listed with their angles. Operations that form an angle (q2 + q3, 2 q6, an offset) are counted separately.

use crate::graph::{Expr, Graph, Node, Stage};
use std::fmt;

/// An operation count.
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
    /// Additions and multiplications that form the angles of sines and cosines, not included in [`Count::mul`] and
    /// [`Count::add`].
    pub angle_operations: usize,
}

impl Count {
    /// The operations that the outputs need.
    pub fn of(graph: &Graph, outputs: &[Expr]) -> Self {
        let mut count = Count::default();
        let counted = Count::counted(graph, outputs);
        let needed = graph.needed(outputs);
        for (k, node) in graph.nodes().iter().enumerate().filter(|(k, _)| needed[*k] && graph.stage(*k) == Stage::Call)
        {
            let forms_angle = !counted[k];
            match *node {
                Node::Sum(..) | Node::Product(..) if forms_angle => count.angle_operations += 1,
                Node::Sum(..) => count.add += 1,
                Node::Product(..) => count.mul += 1,
                Node::Quotient(..) => count.div += 1,
                Node::Root(_) => count.root += 1,
                Node::Sin(a) => count.trig.push(format!("sin({})", graph.format(a))),
                Node::Cos(a) => count.trig.push(format!("cos({})", graph.format(a))),
                Node::Constant(_) | Node::Input(_) | Node::Sign(_) => {}
            }
        }
        count
    }

    /// The nodes that are counted.
    pub(crate) fn counted(graph: &Graph, outputs: &[Expr]) -> Vec<bool> {
        // The angle belongs to the sine.
        let mut counted = graph.reached(outputs, |k| !matches!(graph.nodes()[k], Node::Sin(_) | Node::Cos(_)));
        counted.iter_mut().enumerate().for_each(|(k, c)| *c &= graph.stage(k) == Stage::Call);
        counted
    }

    /// Multiplications plus additions, without those that form angles.
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
