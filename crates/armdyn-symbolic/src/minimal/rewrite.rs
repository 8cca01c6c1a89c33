//! Local rewriting of a finished program: sums and products are regrouped, factored and expanded to share more
//! subexpressions.
//!
//! Simulated annealing applies one algebraic identity at one node at a time; only what depends on that node is recorded again. The
//! result is the same for the same seed and number of steps.

use super::search::Rewriting;
use crate::count::Count;
use crate::graph::{Expr, Graph, Node, Stage};
use armdyn_core::{Real, SplitMix64};

/// A program that is being rewritten.
#[derive(Clone)]
pub(crate) struct Draft {
    pub graph: Graph,
    pub outputs: Vec<Expr>,
    /// The nodes that are counted as operations, divisions too.
    counted: Vec<usize>,
    /// Total multiplications and additions, then multiplications.
    pub cost: (usize, usize),
}

impl Draft {
    pub fn new(graph: Graph, outputs: Vec<Expr>) -> Self {
        let counted = Count::counted(&graph, &outputs);
        let counted: Vec<usize> = (0..counted.len()).filter(|&k| counted[k]).collect();
        let mut cost = (0, 0);
        for &k in &counted {
            let (sum, product) = match graph.nodes()[k] {
                Node::Sum(..) => (1, 0),
                Node::Product(..) => (1, 1),
                _ => (0, 0),
            };
            cost = (cost.0 + sum, cost.1 + product);
        }
        Draft { graph, outputs, counted, cost }
    }

    /// The same without nodes that are not needed.
    fn compacted(&self) -> Draft {
        let (graph, outputs) = self.graph.rebuilt(&self.outputs);
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
    /// The right-hand side, in the graph being recorded.
    fn apply(&self) -> Expr {
        match *self {
            Law::Sums(x, c, d) => (x + c) + d,
            Law::Products(x, c, d) => (x * c) * d,
            Law::Factor(p, q, t) => p * (q + t),
            Law::FactorOne(y, p) => y * (Expr::one() + p),
            Law::Squares(p, r) => (p - r) * (p + r),
            Law::Distribute(y, c, d) => y * c + y * d,
        }
    }
}

/// Nodes per node that is needed, above which the others are removed.
const WASTE: usize = 3;

/// The best draft found; `over` ends it early.
pub(crate) fn rewrite(start: &Draft, how: Rewriting, over: &dyn Fn() -> bool) -> Draft {
    let Rewriting { seed, steps, heat } = how;
    let mut random = SplitMix64(seed);
    let mut now = start.compacted();
    let mut best = now.clone();
    for step in 0..steps {
        if now.counted.is_empty() || step % 64 == 0 && over() {
            break;
        }
        let at = now.counted[random.below(now.counted.len())];
        let Some(law) = now.law_at(at, &mut random) else { continue };
        let length = now.graph.nodes().len();
        let graph = std::mem::take(&mut now.graph);
        let (graph, outputs) = graph.replaced(&now.outputs, &now.counted, at, || law.apply());
        let next = Draft::new(graph, outputs);
        let temperature = heat * (1.0 - step as f64 / steps as f64);
        let worse = next.cost.0 as f64 - now.cost.0 as f64;
        if worse <= 0.0 || random.unit() < (-worse / temperature).exp() {
            now = if length > WASTE * best.graph.nodes().len() { next.compacted() } else { next };
            if now.cost < best.cost {
                best = now.compacted();
            }
        } else {
            now.graph = next.graph;
            now.graph.truncate(length);
        }
    }
    best
}
