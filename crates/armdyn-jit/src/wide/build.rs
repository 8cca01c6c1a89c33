//! A block of states as machine operations: rows, sines, the program, checks, results.

use super::encode::{Extent, Memory, base};
use super::graph::{Bit, Graph, Op, Value};
use super::{Check, Target, rows, trig};
use crate::lower::{self, Instructions, Operand};
use std::collections::HashSet;

/// The operations of a program for one block.
pub(super) fn build(code: &Instructions, target: Target) -> Graph {
    let mut b = Builder::new(code, target);
    b.g.scratch = Check::SLOTS * target.bytes();
    for (array, &n) in code.lengths.iter().enumerate() {
        b.inputs[array] = rows::read(&mut b.g, base::INPUTS[array], n);
    }
    (0..code.before).for_each(|k| b.instruction(k));
    let angles: Vec<Value> = code.angles.iter().map(|&a| b.operand(a)).collect();
    for &x in &angles {
        let sine = trig::sin_cos(&mut b.g, x);
        b.sines.push(sine);
    }
    (code.before..code.ops.len()).for_each(|k| b.instruction(k));
    let outputs: Vec<Value> = code.outputs.iter().map(|&o| b.operand(o)).collect();
    b.check(&angles, &outputs);
    rows::write(&mut b.g, base::OUT, &outputs);
    b.g.drop_unused();
    b.g
}

pub(super) struct Builder<'a> {
    pub(super) code: &'a Instructions,
    pub(super) g: Graph,
    /// The columns of the input arrays.
    pub(super) inputs: [Vec<Value>; 3],
    /// Sine and cosine of the angles.
    pub(super) sines: Vec<(Value, Value)>,
    /// The results of the instructions.
    values: Vec<Value>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(code: &'a Instructions, target: Target) -> Self {
        Builder { code, g: Graph::new(target), inputs: Default::default(), sines: vec![], values: vec![] }
    }

    pub(super) fn operand(&mut self, o: Operand) -> Value {
        match o {
            Operand::Constant(c) => self.g.constant(self.code.constants[c]),
            Operand::Input(array, i) => self.inputs[array][i],
            Operand::Sine(k) => self.sines[k].0,
            Operand::Cosine(k) => self.sines[k].1,
            Operand::Value(k) => self.values[k],
        }
    }

    pub(super) fn instruction(&mut self, k: usize) {
        use lower::Op as From;
        let (op, operands) = match self.code.ops[k] {
            From::Add(a, b) => (Op::Add, vec![a, b]),
            From::Sub(a, b) => (Op::Sub, vec![a, b]),
            From::Mul(a, b) => (Op::Mul, vec![a, b]),
            From::Div(a, b) => (Op::Div, vec![a, b]),
            From::MulAdd(a, b, c) => (Op::MulAdd, vec![a, b, c]),
            From::MulSub(a, b, c) => (Op::MulSub, vec![a, b, c]),
            From::NegMulAdd(a, b, c) => (Op::NegMulAdd, vec![a, b, c]),
            From::Root(a) => (Op::Root, vec![a]),
            From::Neg(a) => {
                let (a, sign) = (self.operand(a), self.g.bits(self.g.target.format.sign_bit()));
                return self.values.push(self.g.op(Op::Xor, &[a, sign]));
            }
            From::Sign(a) => {
                let a = self.operand(a);
                let sign = self.sign(a);
                return self.values.push(sign);
            }
        };
        let operands: Vec<Value> = operands.into_iter().map(|o| self.operand(o)).collect();
        self.values.push(self.g.op(op, &operands));
    }

    /// ±1 with the sign of a; a itself where it is zero, that is, where the bits of |a| less one are negative.
    fn sign(&mut self, a: Value) -> Value {
        let format = self.g.target.format;
        let sign_bit = self.g.bits(format.sign_bit());
        let (sign, one) = (self.g.op(Op::And, &[a, sign_bit]), self.g.constant(1.0));
        let one = self.g.op(Op::Or, &[sign, one]);
        let size = self.size(a);
        let minus_one = self.g.bits(u64::MAX >> (64 - 8 * format.bytes));
        let zero = self.g.op(Op::AddInteger, &[size, minus_one]);
        self.g.op(Op::Select(Bit::Sign), &[zero, one, a])
    }

    /// |a|.
    pub(super) fn size(&mut self, a: Value) -> Value {
        let rest = self.g.bits(self.g.target.format.sign_bit() - 1);
        self.g.op(Op::And, &[a, rest])
    }

    /// What [`Check`] reads. A sum of values, once infinite or NaN, remains so; most inputs reach a result in this way.
    fn check(&mut self, angles: &[Value], outputs: &[Value]) {
        let mut seen = HashSet::new();
        let silent = self.code.silent_inputs();
        let inputs = self.inputs.iter().flatten().zip(silent.iter().flatten()).filter(|(_, silent)| **silent);
        let inputs: Vec<Value> = inputs.map(|(v, _)| *v).collect();
        let numbers = inputs.into_iter().chain(outputs.iter().copied().filter(|&v| self.g.homes[v].is_none()));
        let numbers: Vec<Value> = numbers.filter(|&v| seen.insert(v)).collect();
        self.accumulate(Check::SUM, Op::Add, &numbers);
        let sizes: Vec<Value> = angles.iter().map(|&x| self.size(x)).collect();
        self.accumulate(Check::ANGLE, Op::Max, &sizes);
        let pivots = self.pivots();
        self.accumulate(Check::PIVOTS, Op::Or, &pivots);
    }

    /// The pivots, with the sign bit set where their sign is wrong.
    pub(super) fn pivots(&mut self) -> Vec<Value> {
        let pivots = self.code.pivots.iter().map(|p| (p.operand, p.negative)).collect::<Vec<_>>();
        let signed = pivots.into_iter().map(|(pivot, negative)| {
            let (pivot, sign) = (self.operand(pivot), self.g.bits(self.g.target.format.sign_bit()));
            if negative { self.g.op(Op::Xor, &[pivot, sign]) } else { pivot }
        });
        signed.collect()
    }

    /// Combines values with what is in a slot of the scratch memory.
    fn accumulate(&mut self, slot: usize, op: Op, values: &[Value]) {
        let Some((&first, others)) = values.split_first() else { return };
        let offset = (slot * self.g.target.bytes()) as i32;
        let place = Memory { base: base::SCRATCH, offset, extent: Extent::Vector };
        let all = others.iter().fold(first, |all, &v| self.g.op(op, &[all, v]));
        let before = self.g.in_memory(place);
        let all = self.g.op(op, &[all, before]);
        self.g.store(Op::Store(place), all);
    }
}
