//! Expressions: a hash-consed graph, whose handle [`Expr`] is a number that every algorithm computes with.
//!
//! What is the same is one node: an operation on the same operands is not recorded twice. Signs are on the edges, so that
//! −(a − b) and b − a are one node and a sign, and negation costs nothing. Constants are folded as they come. A node knows how
//! early its value is known: at once (a constant), once the parameters are, or in every call.
//!
//! A node's operands come before it, so that every walk over the graph is a loop over its nodes, however deep it is.

use crate::tape::{Tape, TapeError};
use armdyn_core::Real;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// A value: a node, and a sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr(u32);

impl Expr {
    pub(crate) fn new(node: usize) -> Self {
        Expr(u32::try_from(node << 1).expect("fewer than 2³¹ nodes"))
    }

    /// Its node's number.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the negative of its node.
    pub fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    /// Its node, without the sign.
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

/// What a node is. Operands have no sign but for the second of a sum, and what a root is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A number, not negative, by its bits.
    Constant(u64),
    /// A value from outside, by its number.
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

/// When a value is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Known {
    /// Always.
    Constant,
    /// Once the parameters are.
    Parameters,
    /// In each call.
    Call,
}

/// Where a value from outside comes from.
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
    /// Parameters of the robot.
    Parameter,
}

impl Array {
    /// As it is written in code: `q`, `qd`, `qdd`, `tau`, `p`.
    pub fn name(self) -> &'static str {
        match self {
            Array::Q => "q",
            Array::Qd => "qd",
            Array::Qdd => "qdd",
            Array::Tau => "tau",
            Array::Parameter => "p",
        }
    }

    fn known(self) -> Known {
        if self == Array::Parameter { Known::Parameters } else { Known::Call }
    }
}

/// What a parameter is of the robot that a program was made for.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// Its value.
    pub value: f64,
    /// What it stands for, as `ZZ1 + YY2 + d3² M3`.
    pub formula: String,
}

/// A value from outside: an element of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The array.
    pub array: Array,
    /// Which of its elements, from 0.
    pub index: usize,
    /// What a person calls it: `q2`, `XX3`.
    pub name: String,
    /// What it is, if it is a parameter.
    pub given: Option<Given>,
}

/// A hash for nodes, which nobody chooses to collide: multiply and rotate.
#[derive(Clone, Copy, Debug, Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }

    fn write_u32(&mut self, x: u32) {
        self.write_u64(u64::from(x));
    }

    fn write_u64(&mut self, x: u64) {
        self.0 = (self.0.rotate_left(23) ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, x: usize) {
        self.write_u64(x as u64);
    }

    fn write_isize(&mut self, x: isize) {
        self.write_u64(x as u64);
    }
}

/// All nodes of some expressions.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    known: Vec<Known>,
    inputs: Vec<Input>,
    numbers: HashMap<Node, usize, BuildHasherDefault<Mix>>,
}

thread_local! {
    static RECORDING: RefCell<Vec<Graph>> = const { RefCell::new(vec![]) };
}

fn recording<R>(f: impl FnOnce(&mut Graph) -> R) -> R {
    RECORDING.with_borrow_mut(|all| f(all.last_mut().expect("expressions live inside Graph::record")))
}

impl Graph {
    /// Runs `f` with a new graph that its expressions go to. Expressions of one graph mean nothing in another.
    pub fn record<R>(f: impl FnOnce() -> R) -> (Graph, R) {
        Graph::default().record_more(f)
    }

    /// Goes on recording in this graph.
    pub fn record_more<R>(self, f: impl FnOnce() -> R) -> (Graph, R) {
        RECORDING.with_borrow_mut(|all| all.push(self));
        let result = f();
        let graph = RECORDING.with_borrow_mut(Vec::pop).expect("pushed above");
        (graph, result)
    }

    /// A new value from outside, in the graph that is being recorded.
    pub fn input(array: Array, index: usize, name: &str) -> Expr {
        Graph::take(Input { array, index, name: name.to_string(), given: None })
    }

    /// A new parameter, in the graph that is being recorded.
    pub fn parameter(index: usize, name: &str, given: Given) -> Expr {
        Graph::take(Input { array: Array::Parameter, index, name: name.to_string(), given: Some(given) })
    }

    fn take(input: Input) -> Expr {
        recording(|g| {
            g.inputs.push(input);
            g.add(Node::Input(g.inputs.len() - 1))
        })
    }

    /// The value of a constant of the graph that is being recorded.
    pub fn number_of(e: Expr) -> Option<f64> {
        recording(|g| g.constant(e))
    }

    /// The nodes; operands come before what uses them.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The values from outside, in the order they were made.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// When a node's value is known.
    pub fn known(&self, node: usize) -> Known {
        self.known[node]
    }

    /// The value of a constant.
    pub fn constant(&self, e: Expr) -> Option<f64> {
        match self.nodes[e.node()] {
            Node::Constant(bits) => Some(e.signed(f64::from_bits(bits))),
            _ => None,
        }
    }

    /// Which nodes the outputs need.
    pub fn needed(&self, outputs: &[Expr]) -> Vec<bool> {
        self.reached(outputs, |_| true)
    }

    /// Which nodes the outputs need, ignoring the operands of nodes where `through` is false.
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

    /// What the outputs need, recorded anew; `other` may give a node's value in another way, from operands as they are seen in the new graph.
    pub(crate) fn recorded_again(
        &self,
        outputs: &[Expr],
        other: impl Fn(usize, &dyn Fn(Expr) -> Expr) -> Option<Expr>,
    ) -> (Graph, Vec<Expr>) {
        let needed = self.needed(outputs);
        let size = self.nodes.len();
        let mut start = Graph { inputs: self.inputs.clone(), ..Graph::default() };
        start.nodes.reserve(size);
        start.known.reserve(size);
        start.numbers.reserve(size);
        start.record_more(|| {
            let mut made = vec![Expr::new(0); size];
            for (k, node) in self.nodes.iter().enumerate().filter(|(k, _)| needed[*k]) {
                let seen = |e: Expr| made[e.node()].flipped(e.is_negative());
                made[k] = other(k, &seen).unwrap_or_else(|| match *node {
                    Node::Sin(a) => {
                        let angle = seen(a);
                        recording(|g| g.add(Node::Sin(angle.unsigned()))).flipped(angle.is_negative())
                    }
                    Node::Cos(a) => recording(|g| g.add(Node::Cos(seen(a).unsigned()))),
                    Node::Constant(_) | Node::Input(_) => recording(|g| g.add(*node)),
                    node => node.apply(seen, |_| unreachable!("inputs are copied above")),
                });
            }
            outputs.iter().map(|o| made[o.node()].flipped(o.is_negative())).collect()
        })
    }

    /// An expression written out in full: for what is short, as an angle.
    pub fn told(&self, e: Expr) -> String {
        let sign = if e.is_negative() { "-" } else { "" };
        let body = match self.nodes[e.node()] {
            Node::Constant(bits) => f64::from_bits(bits).to_string(),
            Node::Input(i) => self.inputs[i].name.clone(),
            Node::Sum(a, b) if b.is_negative() => format!("{} - {}", self.told(a), self.told(b.unsigned())),
            Node::Sum(a, b) => format!("{} + {}", self.told(a), self.told(b)),
            Node::Product(a, b) => format!("{} {}", self.told(a), self.told(b)),
            _ => format!("t{}", e.node()),
        };
        format!("{sign}{body}")
    }

    /// The values of all nodes that are known before a call, with these parameter values.
    pub(crate) fn constants(&self, parameters: &[f64]) -> Result<Vec<Option<f64>>, TapeError> {
        let of_parameters = self.inputs.iter().filter(|i| i.array == Array::Parameter);
        let expected = of_parameters.map(|i| i.index + 1).max().unwrap_or(0);
        if parameters.len() != expected {
            return Err(TapeError::Parameters { expected, found: parameters.len() });
        }
        let mut values: Vec<Option<f64>> = vec![None; self.nodes.len()];
        for (k, node) in self.nodes.iter().enumerate().filter(|(k, _)| self.known[*k] < Known::Call) {
            let operand = |e: Expr| e.signed(values[e.node()].expect("operands are known before"));
            values[k] = Some(node.apply(operand, |i| parameters[self.inputs[i].index]));
        }
        Ok(values)
    }

    /// The values of the outputs at values of the inputs ([`Graph::inputs`]).
    pub fn evaluate(&self, outputs: &[Expr], inputs: &[f64]) -> Vec<f64> {
        Tape::new(self, outputs).evaluate(inputs)
    }

    fn add(&mut self, node: Node) -> Expr {
        if let Some(&k) = self.numbers.get(&node) {
            return Expr::new(k);
        }
        let known = match node {
            Node::Constant(_) => Known::Constant,
            Node::Input(i) => self.inputs[i].array.known(),
            _ => node.operands().map(|e| self.known[e.node()]).max().unwrap_or(Known::Constant),
        };
        self.nodes.push(node);
        self.known.push(known);
        self.numbers.insert(node, self.nodes.len() - 1);
        Expr::new(self.nodes.len() - 1)
    }

    fn number(&mut self, x: f64) -> Expr {
        // One zero: the sign of a zero is not kept.
        let node = Node::Constant((x.abs()).to_bits());
        self.add(node).flipped(x < 0.0)
    }

    fn sum(&mut self, a: Expr, b: Expr) -> Expr {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => return self.number(x + y),
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
        let (first, second) = if a.node() < b.node() { (a, b) } else { (b, a) };
        let flip = first.is_negative();
        self.add(Node::Sum(first.unsigned(), second.flipped(flip))).flipped(flip)
    }

    fn product(&mut self, a: Expr, b: Expr) -> Expr {
        match (self.constant(a), self.constant(b)) {
            (Some(x), Some(y)) => return self.number(x * y),
            (Some(x), None) => return self.scaled(x, b),
            (None, Some(x)) => return self.scaled(x, a),
            _ => {}
        }
        let flip = a.is_negative() != b.is_negative();
        let (a, b) = (a.unsigned(), b.unsigned());
        let (first, second) = if a.node() <= b.node() { (a, b) } else { (b, a) };
        self.add(Node::Product(first, second)).flipped(flip)
    }

    /// x · e; two factors that are constants become one.
    fn scaled(&mut self, x: f64, e: Expr) -> Expr {
        if x == 0.0 {
            return self.number(0.0);
        }
        if x.abs() == 1.0 {
            return e.flipped(x < 0.0);
        }
        if let Node::Product(k, rest) = self.nodes[e.node()]
            && let Some(y) = self.constant(k)
        {
            return self.scaled(e.signed(x * y), rest);
        }
        let factor = self.number(x.abs());
        let flip = (x < 0.0) != e.is_negative();
        let (a, b) = (factor, e.unsigned());
        // The constant stands first, whenever it came.
        self.add(Node::Product(a, b)).flipped(flip)
    }

    fn quotient(&mut self, a: Expr, b: Expr) -> Expr {
        if let Some(y) = self.constant(b).filter(|y| *y != 0.0) {
            return match self.constant(a) {
                Some(x) => self.number(x / y),
                None => self.scaled(1.0 / y, a),
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

impl Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        // Zero has no sign.
        let zero = RECORDING.with_borrow(|all| all.last().is_some_and(|g| g.constant(self) == Some(0.0)));
        self.flipped(!zero)
    }
}

impl Add for Expr {
    type Output = Expr;
    fn add(self, other: Expr) -> Expr {
        recording(|g| g.sum(self, other))
    }
}

impl Sub for Expr {
    type Output = Expr;
    fn sub(self, other: Expr) -> Expr {
        self + -other
    }
}

impl Mul for Expr {
    type Output = Expr;
    fn mul(self, other: Expr) -> Expr {
        recording(|g| g.product(self, other))
    }
}

impl Div for Expr {
    type Output = Expr;
    fn div(self, other: Expr) -> Expr {
        recording(|g| g.quotient(self, other))
    }
}

impl AddAssign for Expr {
    fn add_assign(&mut self, other: Expr) {
        *self = *self + other;
    }
}

impl SubAssign for Expr {
    fn sub_assign(&mut self, other: Expr) {
        *self = *self - other;
    }
}

impl MulAssign for Expr {
    fn mul_assign(&mut self, other: Expr) {
        *self = *self * other;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs<const N: usize>() -> [Expr; N] {
        std::array::from_fn(|i| Graph::input(Array::Q, i, &format!("x{i}")))
    }

    #[test]
    fn what_is_the_same_is_one_node() {
        Graph::record(|| {
            let [a, b, c] = inputs();
            assert_eq!(a + b, b + a);
            assert_eq!(a * b, b * a);
            assert_eq!(a - b, -(b - a));
            assert_eq!(-a * b, a * -b);
            assert_eq!((a - b) * c, -((b - a) * c));
            assert_eq!((-a).sin_cos(), (-a.sin_cos().0, a.sin_cos().1));
            assert_eq!(a - a, Expr::zero());
            assert_eq!(-Expr::zero(), Expr::zero());
            assert_eq!(a * Expr::one() + Expr::zero(), a);
            assert_eq!(a + a, Expr::lift(2.0) * a);
            assert_eq!(Expr::lift(3.0) * (Expr::lift(-2.0) * a), Expr::lift(-6.0) * a);
            assert_eq!(a / Expr::lift(4.0), Expr::lift(0.25) * a);
        });
    }

    #[test]
    fn it_computes_as_numbers_do() {
        let f = |[a, b, c]: [Expr; 3]| (a * b - c).sqrt() / (a.sin_cos().0 + b.sin_cos().1 * c) - (c - b).sign() * a;
        let (graph, out) = Graph::record(|| f(inputs()));
        let (a, b, c) = (1.2f64, 2.5, -0.7);
        let expected = (a * b - c).sqrt() / (a.sin() + b.cos() * c) + a;
        let found = graph.evaluate(&[out], &[a, b, c])[0];
        assert!((found - expected).abs() < 1e-15 * expected.abs(), "{found} {expected}");
    }

    #[test]
    fn a_deep_graph_takes_no_stack() {
        let (graph, out) = Graph::record(|| {
            let [a, b] = inputs();
            (0..1_000_000).fold(a, |x, _| x * b + a)
        });
        assert_eq!(graph.evaluate(&[out], &[1.0, 1.0]), [1_000_001.0]);
        assert_eq!(crate::Count::of(&graph, &[out]).total(), 2_000_000);
    }

    #[test]
    fn parameters_are_known_before_a_call() {
        let (graph, [tau, angle]) = Graph::record(|| {
            let [q, r] = inputs();
            let (m, l) = (Graph::input(Array::Parameter, 0, "m"), Graph::input(Array::Parameter, 1, "l"));
            [m * l * l * q + m * l, (q + r).sin_cos().0 * q]
        });
        let count = crate::Count::of(&graph, &[tau]);
        assert_eq!((count.mul, count.add), (1, 1), "m l² and m l cost nothing in a call");
        let count = crate::Count::of(&graph, &[angle]);
        assert_eq!((count.mul, count.add, count.trig), (1, 0, vec!["sin(x0 + x1)".to_string()]));
    }
}
