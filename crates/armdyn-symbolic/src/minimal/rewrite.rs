//! Local rewriting of a finished program: sums and products are regrouped, factored and expanded to share more
//! subexpressions.
//!
//! Simulated annealing applies one algebraic identity at one node at a time. The result is the same for the same seed unless the
//! time limit ends it.

use crate::count::Count;
use crate::graph::{Expr, Graph, Node, Stage};
use armdyn_core::{Real, SplitMix64};
use std::time::{Duration, Instant};

/// A program that is being rewritten.
#[derive(Clone)]
pub(crate) struct Draft {
    pub graph: Graph,
    pub outputs: Vec<Expr>,
    /// The nodes that are counted as operations.
    counted: Vec<usize>,
    /// Total operations, then multiplications.
    pub cost: (usize, usize),
}

impl Draft {
    pub fn new(graph: Graph, outputs: Vec<Expr>) -> Self {
        let operation = |k: &usize| matches!(graph.nodes()[*k], Node::Sum(..) | Node::Product(..));
        let counted = Count::counted(&graph, &outputs);
        let counted: Vec<usize> = (0..counted.len()).filter(|&k| counted[k]).filter(operation).collect();
        let products = counted.iter().filter(|&&k| matches!(graph.nodes()[k], Node::Product(..))).count();
        let cost = (counted.len(), products);
        Draft { graph, outputs, counted, cost }
    }

    /// Applies an identity at a node.
    fn with_law(&self, at: usize, law: &Law) -> Draft {
        let (graph, outputs) =
            self.graph.rebuilt(&self.outputs, |node, operand| (node == at).then(|| law.apply(operand)));
        Draft::new(graph, outputs)
    }

    /// A random identity that applies at a node.
    fn law_at(&self, at: usize, random: &mut SplitMix64) -> Option<Law> {
        let node = |e: Expr| self.graph.nodes()[e.node()];
        let live = |e: Expr| self.graph.stage(e.node()) == Stage::Call;
        let flip = |e: Expr, by: Expr| e.flipped(by.is_negative());
        match node(Expr::new(at)) {
            Node::Sum(a, b) => {
                let (x, y) = if random.below(2) == 0 { (a, b) } else { (b, a) };
                if let (Node::Product(p, q), Node::Product(r, t)) = (node(a), node(b))
                    && random.below(2) == 0
                {
                    for (p, q) in [(p, q), (q, p)] {
                        for (r, t) in [(r, t), (t, r)] {
                            if p == r {
                                return Some(Law::Factor(p, q, flip(t, b)));
                            }
                        }
                    }
                    if p == q && r == t && b.is_negative() {
                        return Some(Law::Squares(p, r));
                    }
                }
                match node(x) {
                    Node::Sum(c, d) => {
                        let (c, d) = if random.below(2) == 0 { (c, d) } else { (d, c) };
                        Some(Law::Sums(y, flip(c, x), flip(d, x)))
                    }
                    Node::Product(p, q) if p == y.unsigned() || q == y.unsigned() => {
                        let other = if p == y.unsigned() { q } else { p };
                        Some(Law::FactorOne(y, flip(flip(other, x), y)))
                    }
                    _ => None,
                }
            }
            Node::Product(a, b) => {
                let (x, y) = if random.below(2) == 0 { (a, b) } else { (b, a) };
                match node(x) {
                    Node::Sum(c, d) if live(x) => Some(Law::Distribute(y, c, d)),
                    Node::Product(c, d) if live(x) => {
                        let (c, d) = if random.below(2) == 0 { (c, d) } else { (d, c) };
                        Some(Law::Products(y, c, d))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// An algebraic identity with its operands.
enum Law {
    /// x + (c + d) = (x + c) + d.
    Sums(Expr, Expr, Expr),
    /// x (c d) = (x c) d.
    Products(Expr, Expr, Expr),
    /// p q + p t = p (q + t).
    Factor(Expr, Expr, Expr),
    /// y + p y = y (1 + p).
    FactorOne(Expr, Expr),
    /// p² − r² = (p − r)(p + r).
    Squares(Expr, Expr),
    /// y (c + d) = y c + y d.
    Distribute(Expr, Expr, Expr),
}

impl Law {
    /// The right-hand side, with `operand` in the new graph.
    fn apply(&self, operand: &dyn Fn(Expr) -> Expr) -> Expr {
        match *self {
            Law::Sums(x, c, d) => (operand(x) + operand(c)) + operand(d),
            Law::Products(x, c, d) => (operand(x) * operand(c)) * operand(d),
            Law::Factor(p, q, t) => operand(p) * (operand(q) + operand(t)),
            Law::FactorOne(y, p) => operand(y) * (Expr::one() + operand(p)),
            Law::Squares(p, r) => (operand(p) - operand(r)) * (operand(p) + operand(r)),
            Law::Distribute(y, c, d) => operand(y) * operand(c) + operand(y) * operand(d),
        }
    }
}

/// Annealing steps and initial temperature.
const STEPS: usize = 20_000;
const HEAT: f64 = 0.4;

/// The best draft found within a time limit.
pub(crate) fn rewrite(start: Draft, seed: u64, limit: Duration) -> Draft {
    let begin = Instant::now();
    let mut random = SplitMix64(seed);
    let mut best = start.clone();
    let mut now = start;
    for step in 0..STEPS {
        if now.counted.is_empty() || step % 64 == 0 && begin.elapsed() > limit {
            break;
        }
        let at = now.counted[random.below(now.counted.len())];
        let Some(law) = now.law_at(at, &mut random) else { continue };
        let next = now.with_law(at, &law);
        let temperature = HEAT * (1.0 - step as f64 / STEPS as f64);
        let worse = next.cost.0 as f64 - now.cost.0 as f64;
        if worse <= 0.0 || random.unit() < (-worse / temperature).exp() {
            now = next;
            if now.cost < best.cost {
                best = now.clone();
            }
        }
    }
    best
}
