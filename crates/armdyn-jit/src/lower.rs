//! Instruction selection: the instructions of a tape.
//!
//! A product that only one sum uses is fused with it (a·b ± c) if the machine has the instruction. Constants, inputs, sines
//! and cosines are memory operands. The angles come first, then all sines and cosines at once, then the rest in the order of
//! the tape, which is that of the recursion. (Tried on traced programs: depth first by Sethi & Ullman's numbers is 25 %
//! slower; list scheduling by the critical path under a register limit is 4 % faster for τ and 10 % slower for M and q̈.)

use crate::Error;
use armdyn_symbolic::{Expr, Node, Tape};
use std::collections::{HashMap, HashSet};

/// An operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    /// A constant, by its number.
    Constant(usize),
    /// An element of an input array: array, index.
    Input(usize, usize),
    /// The sine of an angle, by its number.
    Sine(usize),
    /// The cosine of an angle.
    Cosine(usize),
    /// The result of an instruction.
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

impl Op {
    fn operands(self) -> impl Iterator<Item = Operand> {
        let (a, others) = match self {
            Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) | Op::Div(a, b) => (a, [Some(b), None]),
            Op::MulAdd(a, b, c) | Op::MulSub(a, b, c) | Op::NegMulAdd(a, b, c) => (a, [Some(b), Some(c)]),
            Op::Root(a) | Op::Sign(a) | Op::Neg(a) => (a, [None; 2]),
        };
        std::iter::once(a).chain(others.into_iter().flatten())
    }
}

/// A divisor whose sign is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pivot {
    /// Its position on the tape.
    pub(crate) position: usize,
    /// Where the instructions read it.
    pub(crate) operand: Operand,
    /// Whether it must be negative; otherwise positive.
    pub(crate) negative: bool,
}

/// The instructions of a program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instructions {
    pub(crate) constants: Vec<f64>,
    /// The lengths of the input arrays.
    pub(crate) lengths: [usize; 3],
    /// Number of instructions that compute the angles.
    pub(crate) before: usize,
    /// The angles whose sine and cosine are needed.
    pub(crate) angles: Vec<Operand>,
    pub(crate) ops: Vec<Op>,
    pub(crate) outputs: Vec<Operand>,
    /// All divisors.
    pub(crate) divisors: Vec<Pivot>,
    /// The divisors whose sign a call checks.
    pub(crate) pivots: Vec<Pivot>,
}

impl Instructions {
    /// The instructions of a tape whose inputs are the elements of arrays of these lengths.
    pub(crate) fn new(tape: &Tape, lengths: [usize; 3], fuse: bool) -> Result<Instructions, Error> {
        let count = tape.operations().len();
        let mut s = Selection {
            code: Instructions { lengths, ..Instructions::default() },
            survey: Survey::new(tape, fuse)?,
            operands: vec![None; count],
            numbers: HashMap::new(),
        };
        for first in [true, false] {
            for k in 0..count {
                if s.survey.first[k] == first && s.survey.uses[k] > 0 && !s.survey.fused_away[k] {
                    s.operands[k] = Some(s.select(tape, k));
                }
            }
            if first {
                s.code.before = s.code.ops.len();
                s.code.angles = s.survey.angles.iter().map(|&a| s.operands[a].expect("angles come first")).collect();
            }
        }
        let outputs = tape.outputs().iter().map(|&e| s.signed(tape, e)).collect();
        let mut divisors = HashSet::new();
        for node in tape.operations() {
            if let Node::Quotient(_, b) = *node
                && divisors.insert(b.node())
            {
                s.code.divisors.push(Pivot { position: b.node(), operand: s.operand(b), negative: false });
            }
        }
        Ok(Instructions { outputs, ..s.code })
    }
}

impl Instructions {
    /// Whether all inputs that are read are elements of the arrays.
    pub(crate) fn reads_within_arrays(&self) -> bool {
        let operands = self.ops.iter().flat_map(|op| op.operands());
        let results = self.angles.iter().chain(&self.outputs).copied();
        let mut all = self.pivots.iter().map(|p| p.operand).chain(operands).chain(results);
        all.all(|o| !matches!(o, Operand::Input(array, i) if i >= self.lengths[array]))
    }
}

impl Instructions {
    /// The inputs, by array, whose infinities and NaNs may leave all computed results finite: those that reach them, if at all, as
    /// divisors or through a sign. (Sums, products, numerators, roots and sines of what is not finite are not finite.)
    pub(crate) fn silent_inputs(&self) -> [Vec<bool>; 3] {
        let mut silent = self.lengths.map(|n| vec![true; n]);
        let mut next: Vec<Operand> = self.outputs.iter().filter(|o| matches!(o, Operand::Value(_))).copied().collect();
        let mut seen = HashSet::new();
        while let Some(operand) = next.pop() {
            if !seen.insert(operand) {
                continue;
            }
            match operand {
                Operand::Constant(_) => {}
                Operand::Input(array, i) => silent[array][i] = false,
                Operand::Sine(k) | Operand::Cosine(k) => next.push(self.angles[k]),
                Operand::Value(k) => {
                    let passed = match self.ops[k] {
                        Op::Sign(_) => 0,
                        Op::Div(..) => 1,
                        _ => 3,
                    };
                    next.extend(self.ops[k].operands().take(passed));
                }
            }
        }
        silent
    }
}

/// Properties of the operations that guide the selection.
struct Survey {
    /// How many operations and outputs use it.
    uses: Vec<usize>,
    /// Whether an angle needs it.
    first: Vec<bool>,
    /// The positions of the angles, in order.
    angles: Vec<usize>,
    /// For a sum that is fused with a product: the product, the other term.
    fused: Vec<Option<(Expr, Expr)>>,
    /// Whether a product is fused with a sum.
    fused_away: Vec<bool>,
}

impl Survey {
    fn new(tape: &Tape, fuse: bool) -> Result<Self, Error> {
        let nodes = tape.operations();
        let count = nodes.len();
        let mut uses = vec![0usize; count];
        tape.outputs().iter().for_each(|o| uses[o.node()] += 1);
        let (mut first, mut angles) = (vec![false; count], vec![]);
        for (k, node) in nodes.iter().enumerate().rev() {
            if let Node::Sin(a) | Node::Cos(a) = *node {
                if first[k] {
                    return Err(Error::SineOfSine);
                }
                first[a.node()] = true;
                angles.push(a.node());
            }
            for e in node.operands() {
                uses[e.node()] += 1;
                first[e.node()] |= first[k];
            }
        }
        angles.sort_unstable();
        angles.dedup();

        // Of two products the one that is ready later is fused: the other is computed meanwhile.
        let (mut depth, mut fused, mut fused_away) = (vec![0usize; count], vec![None; count], vec![false; count]);
        for (k, node) in nodes.iter().enumerate() {
            depth[k] = node.operands().map(|e| depth[e.node()] + 1).max().unwrap_or(0);
            let free = |e: Expr| uses[e.node()] == 1 && matches!(nodes[e.node()], Node::Product(..));
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
                    fused_away[product.node()] = true;
                }
            }
        }
        Ok(Survey { uses, first, angles, fused, fused_away })
    }
}

/// Selects the instructions, operation by operation.
struct Selection {
    code: Instructions,
    survey: Survey,
    /// The operand that holds each operation's result.
    operands: Vec<Option<Operand>>,
    /// The numbers of the constants, by their bits.
    numbers: HashMap<u64, usize>,
}

impl Selection {
    /// The instruction of an operation, or its memory operand.
    fn select(&mut self, tape: &Tape, k: usize) -> Operand {
        let nodes = tape.operations();
        let angle = |s: &Self, a: Expr| s.survey.angles.binary_search(&a.node()).expect("every angle is listed");
        let op = match nodes[k] {
            Node::Constant(bits) => return self.constant(f64::from_bits(bits)),
            Node::Input(mut i) => {
                let mut array = 0;
                while i >= self.code.lengths[array] {
                    i -= self.code.lengths[array];
                    array += 1;
                }
                return Operand::Input(array, i);
            }
            Node::Sin(a) => return Operand::Sine(angle(self, a)),
            Node::Cos(a) => return Operand::Cosine(angle(self, a)),
            Node::Sum(a, b) => match self.survey.fused[k] {
                Some((product, other)) => {
                    let mut factors = nodes[product.node()].operands().map(|e| self.operand(e));
                    let (x, y) = (factors.next().expect("two factors"), factors.next().expect("two factors"));
                    let z = self.operand(other);
                    match (product.is_negative(), other.is_negative()) {
                        (true, _) => Op::NegMulAdd(x, y, z),
                        (false, true) => Op::MulSub(x, y, z),
                        (false, false) => Op::MulAdd(x, y, z),
                    }
                }
                None if b.is_negative() => Op::Sub(self.operand(a), self.operand(b)),
                None => Op::Add(self.operand(a), self.operand(b)),
            },
            Node::Product(a, b) if nodes[a.node()] == Node::Constant(2f64.to_bits()) => {
                Op::Add(self.operand(b), self.operand(b))
            }
            Node::Product(a, b) => Op::Mul(self.operand(a), self.operand(b)),
            Node::Quotient(a, b) => Op::Div(self.operand(a), self.operand(b)),
            Node::Root(a) => Op::Root(self.signed(tape, a)),
            Node::Sign(a) => Op::Sign(self.operand(a)),
        };
        self.push(op)
    }

    fn constant(&mut self, x: f64) -> Operand {
        let constants = &mut self.code.constants;
        Operand::Constant(*self.numbers.entry(x.to_bits()).or_insert_with(|| {
            constants.push(x);
            constants.len() - 1
        }))
    }

    fn operand(&self, e: Expr) -> Operand {
        self.operands[e.node()].expect("operands come before")
    }

    fn signed(&mut self, tape: &Tape, e: Expr) -> Operand {
        match tape.operations()[e.node()] {
            Node::Constant(bits) => self.constant(e.signed(f64::from_bits(bits))),
            _ if e.is_negative() => self.push(Op::Neg(self.operand(e))),
            _ => self.operand(e),
        }
    }

    fn push(&mut self, op: Op) -> Operand {
        self.code.ops.push(op);
        Operand::Value(self.code.ops.len() - 1)
    }
}
