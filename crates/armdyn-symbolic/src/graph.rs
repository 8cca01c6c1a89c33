//! Expressions: a hash-consed graph whose handle [`Expr`] is a scalar for every algorithm.
//!
//! Equal expressions are one node: an operation on the same operands is not recorded twice. Signs are on the edges, so that
//! −(a − b) and b − a are one node and a sign, and negation costs nothing. Constants are folded immediately. Each node has a
//! [`Stage`]: constant, computed from the parameters, or computed in every call.
//!
//! A constant may have an error bound, which folding propagates: within it, a constant is zero or one, and two constants
//! are equal. So parameters that cancel in the robot file cancel here, although their sums were rounded.
//!
//! The operands of a node come before it, so that every traversal is a loop over the nodes, whatever the depth.

#[cfg(test)]
mod tests;

use armdyn_core::Real;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

/// A value: a node, and a sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr(u32);

impl Expr {
    pub(crate) fn new(node: usize) -> Self {
        Expr(u32::try_from(node << 1).expect("fewer than 2³¹ nodes"))
    }

    /// The number of the node.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the node is negated.
    pub fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// The node without the sign.
    pub fn unsigned(self) -> Self {
        Expr(self.0 & !1)
    }

    /// The node's value with the sign applied.
    #[inline(always)]
    pub fn signed<T: Real>(self, value: T) -> T {
        if self.is_negative() { -value } else { value }
    }

    pub(crate) fn flipped(self, flip: bool) -> Self {
        Expr(self.0 ^ u32::from(flip))
    }
}

/// An operation. Operands are unsigned except the second of a sum and the operand of a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A constant, by its bits; not negative in a graph.
    Constant(u64),
    /// An input, by its number.
    Input(usize),
    /// a ± b, a before b.
    Sum(Expr, Expr),
    /// a · b, a not after b.
    Product(Expr, Expr),
    /// a / b.
    Quotient(Expr, Expr),
    /// √a.
    Root(Expr),
    /// The sign of a: −1, 0, 1.
    Sign(Expr),
    /// sin a.
    Sin(Expr),
    /// cos a.
    Cos(Expr),
}

impl Node {
    /// The operands.
    pub fn operands(&self) -> impl Iterator<Item = Expr> {
        let (a, b) = match *self {
            Node::Constant(_) | Node::Input(_) => (None, None),
            Node::Sum(a, b) | Node::Product(a, b) | Node::Quotient(a, b) => (Some(a), Some(b)),
            Node::Root(a) | Node::Sign(a) | Node::Sin(a) | Node::Cos(a) => (Some(a), None),
        };
        [a, b].into_iter().flatten()
    }

    /// The same operation on other operands.
    pub(crate) fn with_operands(self, f: impl Fn(Expr) -> Expr) -> Node {
        match self {
            Node::Constant(_) | Node::Input(_) => self,
            Node::Sum(a, b) => Node::Sum(f(a), f(b)),
            Node::Product(a, b) => Node::Product(f(a), f(b)),
            Node::Quotient(a, b) => Node::Quotient(f(a), f(b)),
            Node::Root(a) => Node::Root(f(a)),
            Node::Sign(a) => Node::Sign(f(a)),
            Node::Sin(a) => Node::Sin(f(a)),
            Node::Cos(a) => Node::Cos(f(a)),
        }
    }

    /// The value of the operation over any scalar.
    #[inline(always)]
    pub(crate) fn apply<T: Real>(self, operand: impl Fn(Expr) -> T, input: impl Fn(usize) -> T) -> T {
        match self {
            Node::Constant(bits) => T::lift(f64::from_bits(bits)),
            Node::Input(i) => input(i),
            Node::Sum(a, b) => operand(a) + operand(b),
            Node::Product(a, b) if a == b => operand(a).sqr(),
            Node::Product(a, b) => operand(a) * operand(b),
            Node::Quotient(a, b) => operand(a) / operand(b),
            Node::Root(a) => operand(a).sqrt(),
            Node::Sign(a) => operand(a).sign(),
            Node::Sin(a) => operand(a).sin_cos().0,
            Node::Cos(a) => operand(a).sin_cos().1,
        }
    }
}

/// When a value is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// It is a constant.
    Constant,
    /// Once, from the parameters.
    Parameters,
    /// In every call.
    Call,
}

/// An input array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Array {
    /// Positions.
    Q,
    /// Velocities.
    Qd,
    /// Accelerations.
    Qdd,
    /// Torques.
    Tau,
    /// A wrench at the tip: force, then moment.
    Wrench,
    /// Parameters of the robot.
    Parameter,
}

impl Array {
    /// Its name in code: `q`, `qd`, `qdd`, `tau`, `wrench`, `p`.
    pub fn name(self) -> &'static str {
        match self {
            Array::Q => "q",
            Array::Qd => "qd",
            Array::Qdd => "qdd",
            Array::Tau => "tau",
            Array::Wrench => "wrench",
            Array::Parameter => "p",
        }
    }

    fn stage(self) -> Stage {
        if self == Array::Parameter { Stage::Parameters } else { Stage::Call }
    }
}

/// The value of a parameter for the robot of a program, and its definition.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterValue {
    /// The value.
    pub value: f64,
    /// The definition, such as `ZZ1 + YY2 + d3² M3`.
    pub formula: String,
}

/// An input: an element of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The array.
    pub array: Array,
    /// The index of the element, from 0.
    pub index: usize,
    /// Display name: `q2`, `XX3`.
    pub name: String,
    /// Value and definition, for a parameter.
    pub parameter: Option<ParameterValue>,
}

/// The nodes of expressions.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    stages: Vec<Stage>,
    inputs: Vec<Input>,
    numbers: FxHashMap<Node, usize>,
    /// The error bound of each constant; 0 for all other nodes.
    errors: Vec<f64>,
    /// The constants with an error bound, by their bits: in order of size.
    inexact: BTreeMap<u64, usize>,
    /// The operations of each step, if steps are kept apart ([`Graph::enter_step`]), and the step of each node; 0 is none.
    by_step: FxHashMap<(u16, Node), usize>,
    steps: Vec<u16>,
    step: u16,
}

thread_local! {
    static RECORDING: RefCell<Vec<Graph>> = const { RefCell::new(vec![]) };
}

fn recording<R>(f: impl FnOnce(&mut Graph) -> R) -> R {
    RECORDING.with_borrow_mut(|all| f(all.last_mut().expect("expressions live inside Graph::record")))
}

/// Records an operation of another graph, or again, on other operands.
fn repeated(node: Node, operand: impl Fn(Expr) -> Expr) -> Expr {
    match node {
        Node::Sin(a) => {
            let angle = operand(a);
            recording(|g| g.add(Node::Sin(angle.unsigned()))).flipped(angle.is_negative())
        }
        Node::Cos(a) => recording(|g| g.add(Node::Cos(operand(a).unsigned()))),
        node => node.apply(operand, |_| unreachable!("an input has no operands")),
    }
}

impl Graph {
    /// Runs `f` and records its expressions in a new graph. Expressions of one graph are meaningless in another.
    pub fn record<R>(f: impl FnOnce() -> R) -> (Graph, R) {
        Graph::default().record_more(f)
    }

    /// Continues recording in this graph.
    pub fn record_more<R>(self, f: impl FnOnce() -> R) -> (Graph, R) {
        RECORDING.with_borrow_mut(|all| all.push(self));
        let result = f();
        let graph = RECORDING.with_borrow_mut(Vec::pop).expect("pushed above");
        (graph, result)
    }

    /// An input of the graph being recorded; one that it has already is not added again.
    pub fn input(array: Array, index: usize, name: &str) -> Expr {
        Graph::take(Input { array, index, name: name.to_string(), parameter: None })
    }

    /// Inputs of the graph being recorded: all elements of an array, `q1`, `q2`, ….
    pub(crate) fn array(array: Array, count: usize) -> Vec<Expr> {
        (0..count).map(|i| Graph::input(array, i, &format!("{}{}", array.name(), i + 1))).collect()
    }

    /// A new parameter of the graph being recorded.
    pub fn parameter(index: usize, name: &str, value: ParameterValue) -> Expr {
        Graph::take(Input { array: Array::Parameter, index, name: name.to_string(), parameter: Some(value) })
    }

    /// From here on, records operations in a step of their own, or in none if it is 0: an operation that another step has too is
    /// recorded again, and results of other steps are used as they are, without merging constant factors into them.
    pub(crate) fn enter_step(step: u16) {
        recording(|g| g.step = step);
    }

    /// The step in which a node was recorded; 0 if in none.
    pub(crate) fn step_of(&self, node: usize) -> u16 {
        self.steps.get(node).copied().unwrap_or(0)
    }

    fn take(input: Input) -> Expr {
        recording(|g| {
            let same = |i: &Input| (i.array, i.index, &i.name) == (input.array, input.index, &input.name);
            let place = g.inputs.iter().position(same).unwrap_or_else(|| {
                g.inputs.push(input);
                g.inputs.len() - 1
            });
            g.add(Node::Input(place))
        })
    }

    /// A constant of the graph being recorded that is known within an error bound.
    pub fn approximate(value: f64, error: f64) -> Expr {
        recording(|g| g.inexact(value, error))
    }

    /// The nodes; operands come first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The inputs, in order of creation.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// When a node is computed.
    pub fn stage(&self, node: usize) -> Stage {
        self.stages[node]
    }

    /// The value of a constant.
    pub fn constant(&self, e: Expr) -> Option<f64> {
        match self.nodes[e.node()] {
            Node::Constant(bits) => Some(e.signed(f64::from_bits(bits))),
            _ => None,
        }
    }

    /// The nodes that the outputs need.
    pub fn needed(&self, outputs: &[Expr]) -> Vec<bool> {
        self.reached(outputs, |_| true)
    }

    /// The nodes that the outputs need, ignoring the operands of nodes where `through` is false.
    pub(crate) fn reached(&self, outputs: &[Expr], through: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut reached = vec![false; self.nodes.len()];
        outputs.iter().for_each(|o| reached[o.node()] = true);
        for (k, node) in self.nodes.iter().enumerate().rev() {
            if reached[k] && through(k) {
                node.operands().for_each(|e| reached[e.node()] = true);
            }
        }
        reached
    }

    /// Records the outputs, and nothing else, in a new graph.
    pub(crate) fn rebuilt(&self, outputs: &[Expr]) -> (Graph, Vec<Expr>) {
        let needed = self.needed(outputs);
        let size = self.nodes.len();
        let mut start = Graph { inputs: self.inputs.clone(), ..Graph::default() };
        start.nodes.reserve(size);
        start.stages.reserve(size);
        start.errors.reserve(size);
        start.numbers.reserve(size);
        start.record_more(|| {
            let mut made = vec![Expr::new(0); size];
            for (k, node) in self.nodes.iter().enumerate().filter(|(k, _)| needed[*k]) {
                let operand = |e: Expr| made[e.node()].flipped(e.is_negative());
                made[k] = match *node {
                    Node::Constant(_) => recording(|g| g.add_inexact(*node, self.errors[k])),
                    Node::Input(_) => recording(|g| g.add(*node)),
                    node => repeated(node, operand),
                };
            }
            outputs.iter().map(|o| made[o.node()].flipped(o.is_negative())).collect()
        })
    }

    /// Records `law` in place of a node, and again all nodes that depend on it, in this graph. `live` are the nodes that the outputs
    /// need. Everything recorded has a number from the present length on, so that [`Graph::truncate`] undoes it.
    pub(crate) fn replaced(
        self,
        outputs: &[Expr],
        live: &[usize],
        at: usize,
        law: impl FnOnce() -> Expr,
    ) -> (Graph, Vec<Expr>) {
        let mut made: Vec<Expr> = (0..self.nodes.len()).map(Expr::new).collect();
        self.record_more(|| {
            made[at] = law();
            for &k in &live[live.partition_point(|&k| k <= at)..] {
                let node = recording(|g| g.nodes[k]);
                let operand = |e: Expr| made[e.node()].flipped(e.is_negative());
                if node.operands().any(|e| operand(e) != e) {
                    made[k] = repeated(node, operand);
                }
            }
            outputs.iter().map(|o| made[o.node()].flipped(o.is_negative())).collect()
        })
    }

    /// Removes the nodes from this number on.
    pub(crate) fn truncate(&mut self, length: usize) {
        for node in self.nodes.drain(length..) {
            self.numbers.remove(&node);
            if let Node::Constant(bits) = node {
                self.inexact.remove(&bits);
            }
        }
        self.stages.truncate(length);
        self.errors.truncate(length);
        self.steps.truncate(length);
    }

    /// A short expression, such as an angle, as text.
    pub fn format(&self, e: Expr) -> String {
        let sign = if e.is_negative() { "-" } else { "" };
        let body = match self.nodes[e.node()] {
            Node::Constant(bits) => f64::from_bits(bits).to_string(),
            Node::Input(i) => self.inputs[i].name.clone(),
            Node::Sum(a, b) if b.is_negative() => format!("{} - {}", self.format(a), self.format(b.unsigned())),
            Node::Sum(a, b) => format!("{} + {}", self.format(a), self.format(b)),
            Node::Product(a, b) => format!("{} {}", self.format(a), self.format(b)),
            _ => format!("t{}", e.node()),
        };
        format!("{sign}{body}")
    }

    fn add(&mut self, node: Node) -> Expr {
        if self.step > 0 && matches!(node, Node::Sum(..) | Node::Product(..)) {
            return self.add_in_step(node);
        }
        if let Some(&k) = self.numbers.get(&node) {
            return Expr::new(k);
        }
        self.numbers.insert(node, self.nodes.len());
        self.push(node)
    }

    /// An operation of the current step.
    fn add_in_step(&mut self, node: Node) -> Expr {
        let key = (self.step, node);
        if let Some(&k) = self.by_step.get(&key) {
            return Expr::new(k);
        }
        self.by_step.insert(key, self.nodes.len());
        self.steps.resize(self.nodes.len(), 0);
        self.steps.push(self.step);
        self.push(node)
    }

    fn push(&mut self, node: Node) -> Expr {
        let stage = match node {
            Node::Constant(_) => Stage::Constant,
            Node::Input(i) => self.inputs[i].array.stage(),
            _ => node.operands().map(|e| self.stages[e.node()]).max().unwrap_or(Stage::Constant),
        };
        self.nodes.push(node);
        self.stages.push(stage);
        self.errors.push(0.0);
        Expr::new(self.nodes.len() - 1)
    }

    fn number(&mut self, x: f64) -> Expr {
        // Zero has no sign.
        let node = Node::Constant((x.abs()).to_bits());
        self.add(node).flipped(x < 0.0)
    }

    /// A constant node with an error bound.
    fn add_inexact(&mut self, node: Node, error: f64) -> Expr {
        let e = self.add(node);
        if let Node::Constant(bits) = node
            && error > 0.0
        {
            let known = &mut self.errors[e.node()];
            *known = known.max(error);
            self.inexact.insert(bits, e.node());
        }
        e
    }

    /// A constant with an error bound: zero, one, or a constant that exists, if that is within the bound. The bound of a constant
    /// that stands for two includes both of their ranges.
    fn inexact(&mut self, x: f64, error: f64) -> Expr {
        if error == 0.0 || !(x.is_finite() && error.is_finite()) {
            return self.number(x);
        }
        let (size, negative) = (x.abs(), x < 0.0);
        if size <= error {
            return self.number(0.0);
        }
        if (size - 1.0).abs() <= error {
            return self.number(x.signum());
        }
        let near = self.inexact.range((size - error).to_bits()..=(size + error).to_bits());
        let off = |bits: u64| (f64::from_bits(bits) - size).abs();
        let nearest = near.map(|(bits, _)| *bits).min_by(|a, b| off(*a).total_cmp(&off(*b)));
        let bits = nearest.unwrap_or(size.to_bits());
        self.add_inexact(Node::Constant(bits), error + off(bits)).flipped(negative)
    }

    /// The result of an operation on constants, whose error bounds contribute `propagated`.
    fn folded(&mut self, x: f64, propagated: f64) -> Expr {
        let rounding = if propagated > 0.0 { f64::EPSILON * x.abs() } else { 0.0 };
        self.inexact(x, propagated + rounding)
    }

    /// The error bound of a constant.
    fn error(&self, e: Expr) -> f64 {
        self.errors[e.node()]
    }

    fn sum(&mut self, a: Expr, b: Expr) -> Expr {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => return self.folded(x + y, self.error(a) + self.error(b)),
            (Some(0.0), _) => return b,
            (_, Some(0.0)) => return a,
            _ => {}
        }
        if a == b.flipped(true) {
            return self.number(0.0);
        }
        if a == b {
            let two = self.number(2.0);
            return self.product(two, a);
        }
        if let Some(rest) = self.cancelled(a, b).or_else(|| self.cancelled(b, a)) {
            return rest;
        }
        let (first, second) = if a.node() < b.node() { (a, b) } else { (b, a) };
        let flip = first.is_negative();
        self.add(Node::Sum(first.unsigned(), second.flipped(flip))).flipped(flip)
    }

    /// a + (−a + c) = c, of parameters: in a call the longer form may share more.
    fn cancelled(&self, a: Expr, b: Expr) -> Option<Expr> {
        let early = |e: Expr| self.stages[e.node()] < Stage::Call;
        let Node::Sum(c, d) = self.nodes[b.node()] else { return None };
        if !early(a) || !early(b) {
            return None;
        }
        let [c, d] = [c, d].map(|e| e.flipped(b.is_negative()));
        let opposite = a.flipped(true);
        if c == opposite { Some(d) } else { (d == opposite).then_some(c) }
    }

    fn product(&mut self, a: Expr, b: Expr) -> Expr {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => return self.folded(x * y, x.abs() * self.error(b) + y.abs() * self.error(a)),
            (Some(x), None) => return self.scaled(x, self.error(a), b),
            (None, Some(x)) => return self.scaled(x, self.error(b), a),
            _ => {}
        }
        if let Some(sign) = self.power_of_sign(a, b) {
            return sign;
        }
        let flip = a.is_negative() != b.is_negative();
        let (a, b) = (a.unsigned(), b.unsigned());
        let (first, second) = if a.node() <= b.node() { (a, b) } else { (b, a) };
        self.add(Node::Product(first, second)).flipped(flip)
    }

    /// s · s² = s for a sign s.
    fn power_of_sign(&self, a: Expr, b: Expr) -> Option<Expr> {
        let is_sign = |e: Expr| matches!(self.nodes[e.node()], Node::Sign(_));
        let is_square = |e: Expr, of: Expr| self.nodes[e.node()] == Node::Product(of.unsigned(), of.unsigned());
        let flip = |e: Expr, by: Expr| e.flipped(by.is_negative());
        if is_sign(a) && is_square(b, a) {
            return Some(flip(a, b));
        }
        (is_sign(b) && is_square(a, b)).then(|| flip(b, a))
    }

    /// x · e, where x has an error bound; merges two constant factors.
    fn scaled(&mut self, x: f64, error: f64, e: Expr) -> Expr {
        if x == 0.0 {
            return self.number(0.0);
        }
        if x.abs() == 1.0 {
            return e.flipped(x < 0.0);
        }
        if let Node::Product(k, rest) = self.nodes[e.node()]
            && let Some(y) = self.constant(k)
            && (self.step == 0 || self.step == self.step_of(e.node()))
        {
            let error = x.abs() * self.error(k) + y.abs() * error;
            let factor = self.folded(x * y, error).flipped(e.is_negative());
            return self.product(factor, rest);
        }
        let factor = self.inexact(x.abs(), error);
        let flip = (x < 0.0) != e.is_negative();
        match self.constant(factor) {
            Some(0.0) => return factor,
            Some(1.0) => return e.unsigned().flipped(flip),
            _ => {}
        }
        let (a, b) = (factor, e.unsigned());
        // The constant comes first.
        self.add(Node::Product(a, b)).flipped(flip)
    }

    fn quotient(&mut self, a: Expr, b: Expr) -> Expr {
        if let Some(y) = self.constant(b).filter(|y| *y != 0.0) {
            return match self.constant(a) {
                Some(x) => self.folded(x / y, (self.error(a) + (x / y).abs() * self.error(b)) / y.abs()),
                None => self.scaled(1.0 / y, self.error(b) / (y * y), a),
            };
        }
        if self.constant(a) == Some(0.0) {
            return a;
        }
        let flip = a.is_negative() != b.is_negative();
        self.add(Node::Quotient(a.unsigned(), b.unsigned())).flipped(flip)
    }

    fn function(&mut self, a: Expr, of_constant: impl Fn(f64) -> f64, node: impl Fn(Expr) -> Node) -> Expr {
        match self.constant(a) {
            Some(x) => self.number(of_constant(x)),
            None => self.add(node(a)),
        }
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}t{}", if self.is_negative() { "-" } else { "" }, self.node())
    }
}

armdyn_core::scalar::operators! { [] Expr, never,
    // Zero has no sign.
    neg |a| a.flipped(RECORDING.with_borrow(|all| all.last().is_none_or(|g| g.constant(a) != Some(0.0)))),
    add |a, b| recording(|g| g.sum(a, b)),
    sub |a, b| a + -b,
    mul |a, b| recording(|g| g.product(a, b)),
    div |a, b| recording(|g| g.quotient(a, b)),
}

impl Real for Expr {
    const EPSILON: f64 = f64::EPSILON;

    fn lift(x: f64) -> Self {
        recording(|g| g.number(x))
    }

    fn sin_cos(self) -> (Self, Self) {
        let positive = self.unsigned();
        recording(|g| {
            let sine = g.function(positive, |x| Real::sin_cos(x).0, Node::Sin);
            let sine = if g.constant(sine) == Some(0.0) { sine } else { sine.flipped(self.is_negative()) };
            (sine, g.function(positive, |x| Real::sin_cos(x).1, Node::Cos))
        })
    }

    fn sqrt(self) -> Self {
        recording(|g| g.function(self, f64::sqrt, Node::Root))
    }

    fn sign(self) -> Self {
        recording(|g| g.function(self.unsigned(), Real::sign, Node::Sign)).flipped(self.is_negative())
    }

    fn is_finite(&self) -> bool {
        recording(|g| g.constant(*self).is_none_or(f64::is_finite))
    }

    fn is_positive(&self) -> bool {
        recording(|g| g.constant(*self).is_none_or(|x| x > 0.0))
    }
}
