//! The order of the operations: list scheduling.
//!
//! Of the operations whose operands are computed, the one that can start first is next, and among those the one at the
//! start of the longest path. Once as many values are live as there are registers, an operation that needs no further register
//! comes first. Long programs are kept near their own order, that of the recursion, whose values are soon used up.

use super::graph::{Graph, Node, Op};

/// Parameters of the order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    /// Live values from which on registers are saved.
    pub(super) live: usize,
    /// How far ahead of the first operation that is left others may be taken.
    pub(super) window: usize,
}

/// Cycles until the result is there.
fn latency(op: Op) -> u32 {
    match op {
        Op::Add | Op::Sub => 3,
        Op::Mul | Op::MulAdd | Op::MulSub | Op::NegMulAdd => 4,
        Op::Div => 14,
        Op::Root => 20,
        Op::ShuffleBlocks(_) | Op::Permute | Op::Select(_) => 4,
        Op::LoadPart(_) | Op::LoadVector(_) => 7,
        Op::InsertPart(..) => 2,
        _ => 1,
    }
}

/// The execution unit of an operation: multiplications, additions, shuffles and bits, stores, divisions.
fn unit(op: Op) -> usize {
    match op {
        Op::Mul | Op::MulAdd | Op::MulSub | Op::NegMulAdd => 0,
        Op::Add | Op::Sub => 1,
        Op::Store(_) | Op::StorePart(..) => 3,
        Op::Div | Op::Root => 4,
        _ => 2,
    }
}

/// Cycles for which an operation occupies its unit.
fn occupies(op: Op) -> u32 {
    if matches!(op, Op::Div | Op::Root) { 9 } else { 1 }
}

/// Sorts the operations.
pub(super) fn schedule(graph: &mut Graph, order: Order) {
    let mut s = Scheduler::new(graph);
    let mut sorted = Vec::with_capacity(graph.nodes.len());
    while let Some(k) = s.next(order) {
        sorted.push(graph.nodes[k]);
    }
    graph.nodes = sorted;
}

struct Scheduler<'a> {
    nodes: &'a [Node],
    /// Whether a value is computed, not read from memory.
    computed: Vec<bool>,
    /// Operations that use a value and are not yet taken.
    uses: Vec<usize>,
    /// The operations that use each one's result.
    users: Vec<Vec<usize>>,
    /// Operands that are not yet computed.
    missing: Vec<usize>,
    /// Length of the path to the end.
    path: Vec<u32>,
    /// When the operands are there.
    start: Vec<u32>,
    ready: Vec<usize>,
    taken: Vec<bool>,
    /// First operation that is not taken.
    first: usize,
    /// When each unit is free.
    free: [u32; 5],
    now: u32,
    live: isize,
}

impl<'a> Scheduler<'a> {
    fn new(graph: &'a Graph) -> Self {
        let (nodes, values, count) = (&graph.nodes[..], graph.homes.len(), graph.nodes.len());
        let mut producer = vec![None; values];
        let (mut uses, mut users, mut missing) = (vec![0; values], vec![vec![]; count], vec![0; count]);
        for (k, node) in nodes.iter().enumerate() {
            for v in node.distinct() {
                uses[v] += 1;
                if let Some(p) = producer[v] {
                    let users: &mut Vec<usize> = &mut users[p];
                    users.push(k);
                    missing[k] += 1;
                }
            }
            if let Some(result) = node.result {
                producer[result] = Some(k);
            }
        }
        let mut path = vec![0; count];
        for k in (0..count).rev() {
            path[k] = latency(nodes[k].op) + users[k].iter().map(|&u: &usize| path[u]).max().unwrap_or(0);
        }
        Scheduler {
            nodes,
            computed: producer.iter().map(Option::is_some).collect(),
            uses,
            users,
            path,
            start: vec![0; count],
            ready: (0..count).filter(|&k| missing[k] == 0).collect(),
            missing,
            taken: vec![false; count],
            first: 0,
            free: [0; 5],
            now: 0,
            live: 0,
        }
    }

    /// How many more values are live after an operation.
    fn growth(&self, node: &Node) -> isize {
        let last = node.distinct().filter(|&v| self.computed[v] && self.uses[v] == 1).count();
        isize::from(node.result.is_some()) - last as isize
    }

    /// When an operation can start.
    fn starts(&self, k: usize) -> u32 {
        self.start[k].max(self.free[unit(self.nodes[k].op)]).max(self.now)
    }

    /// Takes the next operation.
    fn next(&mut self, order: Order) -> Option<usize> {
        while self.taken.get(self.first) == Some(&true) {
            self.first += 1;
        }
        let last = self.first.saturating_add(order.window);
        let phase = self.nodes.get(self.first)?.phase;
        let tight = self.live >= order.live as isize;
        let price = |k: usize| {
            let growth = if tight { self.growth(&self.nodes[k]).max(-1) } else { 0 };
            (growth, self.starts(k), u32::MAX - self.path[k], k)
        };
        let candidates = self.ready.iter().enumerate().filter(|(_, k)| **k <= last && self.nodes[**k].phase == phase);
        let (place, k) = candidates.min_by_key(|(_, k)| price(**k)).map(|(place, k)| (place, *k))?;
        self.ready.swap_remove(place);
        self.take(k);
        Some(k)
    }

    fn take(&mut self, k: usize) {
        let node = &self.nodes[k];
        self.live += self.growth(node);
        self.taken[k] = true;
        self.now = self.starts(k);
        self.free[unit(node.op)] = self.now + occupies(node.op);
        for v in node.distinct() {
            self.uses[v] -= 1;
        }
        for i in 0..self.users[k].len() {
            let user = self.users[k][i];
            self.start[user] = self.start[user].max(self.now + latency(node.op));
            self.missing[user] -= 1;
            if self.missing[user] == 0 {
                self.ready.push(user);
            }
        }
    }
}
