//! A tape: the instructions of a program, chosen from its graph.
//!
//! What is known before a call is a constant. A product that only one sum uses is fused with it, a·b ± c, where the machine
//! can. Constants, inputs, sines and cosines are read from memory where they are used. The angles come first, then all sines
//! and cosines at once, then the rest in the order of the graph, which is that of the recursion. (Tried on traced programs:
//! depth first by Sethi & Ullman's numbers is a quarter slower, lists by the longest way to an end under a limit of registers
//! are 4 % faster for τ and 10 % slower for M and q̈.)

use crate::Error;
use armdyn_core::Real;
use armdyn_symbolic::{Array, Expr, Graph, Known, Node};
use std::collections::{HashMap, HashSet};

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    /// A constant, by its number.
    Constant(usize),
    /// An element of an input array: of which, and which.
    Input(usize, usize),
    /// The sine of an angle, by its number.
    Sine(usize),
    /// The cosine of an angle.
    Cosine(usize),
    /// What an instruction gave, by its place on the tape.
    Value(usize),
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    /// a + b.
    Add(Operand, Operand),
    /// a − b.
    Sub(Operand, Operand),
    /// a · b.
    Mul(Operand, Operand),
    /// a · b + c, rounded once.
    MulAdd(Operand, Operand, Operand),
    /// a · b − c, rounded once.
    MulSub(Operand, Operand, Operand),
    /// c − a · b, rounded once.
    NegMulAdd(Operand, Operand, Operand),
    /// a / b.
    Div(Operand, Operand),
    /// √a.
    Root(Operand),
    /// The sign of a: −1, 0, 1.
    Sign(Operand),
    /// −a.
    Neg(Operand),
}

/// The instructions of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape {
    /// The constants.
    pub(crate) constants: Vec<f64>,
    /// The lengths of the input arrays.
    pub(crate) lengths: [usize; 3],
    /// Instructions that the angles need, before any sine.
    pub(crate) before: usize,
    /// The angles whose sine and cosine are needed.
    pub(crate) angles: Vec<Operand>,
    /// All instructions.
    pub(crate) ops: Vec<Op>,
    /// The results.
    pub(crate) outputs: Vec<Operand>,
    /// What must be positive, or must be negative (true).
    pub(crate) pivots: Vec<(Operand, bool)>,
}

impl Tape {
    /// Of expressions, with the arrays that its inputs are in and the values of its parameters.
    pub(crate) fn new(
        graph: &Graph,
        outputs: &[Expr],
        arrays: &[(Array, usize)],
        parameters: &[f64],
        fuse: bool,
    ) -> Result<Tape, Error> {
        let survey = Survey::new(graph, outputs, parameters, fuse)?;
        let mut tape = Tape::default();
        for (length, (_, n)) in tape.lengths.iter_mut().zip(arrays) {
            *length = *n;
        }
        let count = graph.nodes().len();
        let mut s = Selection { tape, survey, found: vec![None; count], numbers: HashMap::new() };
        for first in [true, false] {
            for k in 0..count {
                if s.survey.first[k] == first && s.survey.uses[k] > 0 && !s.survey.taken[k] {
                    s.found[k] = Some(s.node(graph, arrays, k)?);
                }
            }
            if first {
                s.tape.before = s.tape.ops.len();
                s.tape.angles = s.survey.angles.iter().map(|&a| s.found[a].expect("angles come first")).collect();
            }
        }
        let outputs = outputs.iter().map(|&e| s.signed(e)).collect();
        let mut tape = s.tape;
        tape.outputs = outputs;
        Ok(tape)
    }

    /// Takes every divisor for a pivot.
    pub(crate) fn watch_divisors(&mut self) {
        let divisors = self.ops.iter().filter_map(|op| match *op {
            Op::Div(_, b) => Some(b),
            _ => None,
        });
        let mut seen = HashSet::new();
        self.pivots = divisors.filter(|&b| seen.insert(b)).map(|b| (b, false)).collect();
    }
}

/// What is to be known of the nodes before instructions are chosen.
struct Survey {
    /// The values of what is known before a call.
    known: Vec<Option<f64>>,
    /// How many needed nodes and outputs use it; none where it is not needed.
    uses: Vec<usize>,
    /// Whether an angle needs it.
    first: Vec<bool>,
    /// The nodes whose sine or cosine is needed, in order.
    angles: Vec<usize>,
    /// For a sum that takes a product in: the product, the other.
    fused: Vec<Option<(Expr, Expr)>>,
    /// Whether a sum takes it in.
    taken: Vec<bool>,
}

impl Survey {
    fn new(graph: &Graph, outputs: &[Expr], parameters: &[f64], fuse: bool) -> Result<Self, Error> {
        let nodes = graph.nodes();
        let known = known_before(graph, parameters)?;
        let count = nodes.len();
        let mut uses = vec![0usize; count];
        outputs.iter().for_each(|o| uses[o.node()] += 1);
        let (mut first, mut angles) = (vec![false; count], vec![]);
        for (k, node) in nodes.iter().enumerate().rev().filter(|(k, _)| known[*k].is_none()) {
            if let Node::Sin(a) | Node::Cos(a) = *node
                && uses[k] > 0
            {
                if first[k] {
                    return Err(Error::SineOfSine);
                }
                first[a.node()] = true;
                angles.push(a.node());
            }
            if uses[k] > 0 {
                for e in node.operands() {
                    uses[e.node()] += 1;
                    first[e.node()] |= first[k];
                }
            }
        }
        angles.sort_unstable();
        angles.dedup();

        // Of two products the one that is ready later is taken in: the other is done meanwhile.
        let (mut depth, mut fused, mut taken) = (vec![0usize; count], vec![None; count], vec![false; count]);
        for (k, node) in nodes.iter().enumerate().filter(|(k, _)| uses[*k] > 0 && known[*k].is_none()) {
            depth[k] = node.operands().map(|e| depth[e.node()] + 1).max().unwrap_or(0);
            let free = |e: Expr| {
                let k = e.node();
                uses[k] == 1 && known[k].is_none() && matches!(nodes[k], Node::Product(..))
            };
            if let Node::Sum(a, b) = *node
                && fuse
            {
                fused[k] = match (free(a), free(b)) {
                    (true, true) if depth[a.node()] > depth[b.node()] => Some((a, b)),
                    (_, true) => Some((b, a)),
                    (true, false) => Some((a, b)),
                    (false, false) => None,
                };
                if let Some((product, _)) = fused[k] {
                    taken[product.node()] = true;
                }
            }
        }
        Ok(Survey { known, uses, first, angles, fused, taken })
    }
}

/// The values of all that is known once the parameters are.
fn known_before(graph: &Graph, parameters: &[f64]) -> Result<Vec<Option<f64>>, Error> {
    let expected =
        graph.inputs().iter().filter(|i| i.array == Array::Parameter).map(|i| i.index + 1).max().unwrap_or(0);
    if parameters.len() != expected {
        return Err(Error::Parameters { expected, found: parameters.len() });
    }
    let mut values: Vec<Option<f64>> = vec![None; graph.nodes().len()];
    for (k, node) in graph.nodes().iter().enumerate().filter(|(k, _)| graph.known(*k) < Known::Call) {
        let of = |e: Expr| e.signed(values[e.node()].expect("operands are known before"));
        values[k] = Some(match *node {
            Node::Constant(bits) => f64::from_bits(bits),
            Node::Input(i) => parameters[graph.inputs()[i].index],
            Node::Sum(a, b) => of(a) + of(b),
            Node::Product(a, b) => of(a) * of(b),
            Node::Quotient(a, b) => of(a) / of(b),
            Node::Root(a) => of(a).sqrt(),
            Node::Sign(a) => Real::sign(of(a)),
            Node::Sin(a) => Real::sin_cos(of(a)).0,
            Node::Cos(a) => Real::sin_cos(of(a)).1,
        });
    }
    Ok(values)
}

/// Choosing the instructions, node by node.
struct Selection {
    tape: Tape,
    survey: Survey,
    /// What became of each node.
    found: Vec<Option<Operand>>,
    /// The numbers of the constants, by their bits.
    numbers: HashMap<u64, usize>,
}

impl Selection {
    /// The node's own instruction, or where it is read from.
    fn node(&mut self, graph: &Graph, arrays: &[(Array, usize)], k: usize) -> Result<Operand, Error> {
        if let Some(x) = self.survey.known[k] {
            return Ok(self.constant(x));
        }
        let angle = |s: &Self, a: Expr| s.survey.angles.binary_search(&a.node()).expect("every angle is listed");
        let op = match graph.nodes()[k] {
            Node::Constant(_) => unreachable!("constants are known"),
            Node::Input(i) => {
                let input = &graph.inputs()[i];
                let array = arrays.iter().position(|(a, n)| *a == input.array && input.index < *n);
                let array = array.ok_or_else(|| Error::NoSuchInput { name: input.name.clone() })?;
                return Ok(Operand::Input(array, input.index));
            }
            Node::Sin(a) => return Ok(Operand::Sine(angle(self, a))),
            Node::Cos(a) => return Ok(Operand::Cosine(angle(self, a))),
            Node::Sum(a, b) => match self.survey.fused[k] {
                Some((product, other)) => {
                    let mut factors = graph.nodes()[product.node()].operands().map(|e| self.of(e));
                    let (x, y) = (factors.next().expect("two factors"), factors.next().expect("two factors"));
                    let z = self.of(other);
                    match (product.is_negative(), other.is_negative()) {
                        (true, _) => Op::NegMulAdd(x, y, z),
                        (false, true) => Op::MulSub(x, y, z),
                        (false, false) => Op::MulAdd(x, y, z),
                    }
                }
                None if b.is_negative() => Op::Sub(self.of(a), self.of(b)),
                None => Op::Add(self.of(a), self.of(b)),
            },
            Node::Product(a, b) if self.survey.known[a.node()] == Some(2.0) => Op::Add(self.of(b), self.of(b)),
            Node::Product(a, b) => Op::Mul(self.of(a), self.of(b)),
            Node::Quotient(a, b) => Op::Div(self.of(a), self.of(b)),
            Node::Root(a) => Op::Root(self.signed(a)),
            Node::Sign(a) => Op::Sign(self.of(a)),
        };
        Ok(self.push(op))
    }

    fn constant(&mut self, x: f64) -> Operand {
        let constants = &mut self.tape.constants;
        Operand::Constant(*self.numbers.entry(x.to_bits()).or_insert_with(|| {
            constants.push(x);
            constants.len() - 1
        }))
    }

    fn of(&self, e: Expr) -> Operand {
        self.found[e.node()].expect("operands come before")
    }

    fn signed(&mut self, e: Expr) -> Operand {
        match self.survey.known[e.node()] {
            Some(x) => self.constant(e.signed(x)),
            None if e.is_negative() => self.push(Op::Neg(self.of(e))),
            None => self.of(e),
        }
    }

    fn push(&mut self, op: Op) -> Operand {
        self.tape.ops.push(op);
        Operand::Value(self.tape.ops.len() - 1)
    }
}
