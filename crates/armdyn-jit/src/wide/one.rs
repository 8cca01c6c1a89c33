//! One state as machine operations: the sines and cosines of all angles in the lanes of vectors, everything else on numbers.
//!
//! The sines and cosines go through the scratch memory. The operations are those of a block, and so are the results, bit by bit.

use super::Target;
use super::build::Builder;
use super::encode::{Extent, Memory, base};
use super::graph::{Graph, Op, Value};
use super::trig;
use crate::lower::{Instructions, Operand};

/// What the code of one state leaves in the scratch memory.
pub(crate) struct OneCheck;

impl OneCheck {
    /// Lanes at the start whose sum is finite only if all inputs and results are finite and all angles moderate.
    pub(crate) fn sums(target: Target) -> usize {
        if target.wide { 16 / target.format.bytes } else { target.lanes() }
    }

    /// Number whose sign bit is set if a pivot has the wrong sign, if there are pivots.
    pub(crate) fn pivots(target: Target) -> usize {
        target.lanes()
    }
}

/// The operations of a program for one state.
pub(super) fn build(code: &Instructions, target: Target) -> Graph {
    let mut b = Builder::new(code, target);
    b.g.scratch = 2 * target.bytes();
    b.g.scalar = true;
    for (array, &n) in code.lengths.iter().enumerate() {
        b.inputs[array] = (0..n).map(|i| b.g.in_memory(number(target, base::INPUTS[array], i))).collect();
    }
    (0..code.before).for_each(|k| b.instruction(k));
    let check = with_sines(&mut b);

    b.g.phase = 2;
    b.g.scalar = true;
    (code.before..code.ops.len()).for_each(|k| b.instruction(k));
    let outputs: Vec<Value> = code.outputs.iter().map(|&o| b.operand(o)).collect();
    for (i, &value) in outputs.iter().enumerate() {
        b.g.store(Op::Store(number(target, base::OUT, i)), value);
    }
    // The first results are the last ones of a recursion.
    let mut distinct: Vec<Value> = outputs.iter().rev().copied().filter(|&v| b.g.homes[v].is_none()).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let sum = distinct.into_iter().reduce(|sum, v| b.g.op(Op::Add, &[sum, v]));
    let pivots = b.pivots();
    if let Some(all) = pivots.into_iter().reduce(|all, v| b.g.op(Op::Or, &[all, v])) {
        b.g.store(Op::Store(number(target, base::SCRATCH, OneCheck::pivots(target))), all);
    }
    b.g.scalar = false;
    // Above its lowest number, a register that holds a number is zero.
    let all = [check, sum].into_iter().flatten().reduce(|a, b_| b.g.op(Op::Add, &[a, b_]));
    let all = all.unwrap_or_else(|| b.g.constant(0.0));
    b.g.store(Op::Store(Memory { base: base::SCRATCH, offset: 0, extent: Extent::Vector }), all);
    b.g.drop_unused();
    b.g
}

/// Number i of an array.
fn number(target: Target, base: u8, i: usize) -> Memory {
    Memory { base, offset: (i * target.format.bytes) as i32, extent: Extent::Bytes(target.format.bytes as u8) }
}

/// Where in the scratch memory `count` vectors are.
fn reserve(g: &mut Graph, count: usize) -> usize {
    let from = g.scratch.next_multiple_of(g.target.bytes());
    g.scratch = from + count * g.target.bytes();
    from
}

/// Computes the sines and cosines. Returns a vector that is finite only if the inputs are, and the angles moderate.
fn with_sines(b: &mut Builder) -> Option<Value> {
    let (code, t) = (b.code, b.g.target);
    let count = code.angles.len();
    let (lanes, step) = (t.lanes(), t.columns());
    let vectors = count.div_ceil(lanes);
    let angles_at = reserve(&mut b.g, vectors) / t.format.bytes;
    let stored_at = |k: usize| number(t, base::SCRATCH, angles_at + k);
    // Parts of vectors: where they are in memory, and their first angle.
    let mut parts: Vec<(Memory, usize)> = vec![];
    for i in (0..count).step_by(step) {
        let first = i.min(count.saturating_sub(step));
        let place = match *code.angles.get(first..first + step).unwrap_or(&[]) {
            [Operand::Input(array, from), ref others @ ..]
                if others.iter().enumerate().all(|(k, &o)| o == Operand::Input(array, from + k + 1)) =>
            {
                number(t, base::INPUTS[array], from)
            }
            _ => {
                for k in first..first + step {
                    let angle = b.operand(code.angles[k.min(count - 1)]);
                    b.g.store(Op::Store(stored_at(k)), angle);
                }
                stored_at(first)
            }
        };
        parts.push((place, first));
    }

    b.g.phase = 1;
    let mut sums = input_sums(b);
    b.g.scalar = false;
    let mut largest = None;
    for parts in parts.chunks(lanes / step) {
        let x = vector(&mut b.g, &parts.iter().map(|p| p.0).collect::<Vec<_>>());
        let size = b.size(x);
        largest = Some(match largest {
            Some(all) => b.g.op(Op::Max, &[all, size]),
            None => size,
        });
        let (sine, cosine) = trig::sin_cos(&mut b.g, x);
        let places = [sine, cosine].map(|v| {
            let at = reserve(&mut b.g, 1);
            b.g.store(Op::Store(Memory { base: base::SCRATCH, offset: at as i32, extent: Extent::Vector }), v);
            at / t.format.bytes
        });
        b.g.scalar = true;
        for (part, (_, first)) in parts.iter().enumerate() {
            for k in b.sines.len() - first..step.min(count) {
                let lane = part * step + k;
                let [sine, cosine] = places.map(|at| b.g.in_memory(number(t, base::SCRATCH, at + lane)));
                b.sines.push((sine, cosine));
            }
        }
        b.g.scalar = false;
    }
    if let Some(largest) = largest {
        // Infinite where an angle is not moderate: the largest number is the limit times a power of two, and then rounding
        // overflows.
        let highest = if t.single() { f32::MAX.into() } else { f64::MAX };
        let (scale, zero) = (b.g.constant(highest / t.format.moderate), b.g.constant(0.0));
        let excess = b.g.op(Op::Mul, &[largest, scale]);
        let excess = b.g.op(Op::Mul, &[excess, zero]);
        sums.push(excess);
    }
    let mut all = sums.into_iter().reduce(|a, v| b.g.op(Op::Add, &[a, v]))?;
    if t.wide {
        for blocks in [0x4e, 0xb1] {
            let other = b.g.op(Op::ShuffleBlocks(blocks), &[all, all]);
            all = b.g.op(Op::Add, &[all, other]);
        }
    }
    Some(all)
}

/// Vectors and numbers that are finite only if the inputs are which the results do not reveal.
fn input_sums(b: &mut Builder) -> Vec<Value> {
    let (t, mut sums) = (b.g.target, vec![]);
    let (lanes, step) = (t.lanes(), t.columns());
    let silent = b.code.silent_inputs();
    for (array, &n) in b.code.lengths.iter().enumerate().filter(|(array, _)| silent[*array].contains(&true)) {
        if n < step {
            b.g.scalar = true;
            let all = b.inputs[array].clone().into_iter().reduce(|sum, v| b.g.op(Op::Add, &[sum, v]));
            // In a register, above its lowest number zero.
            let zero = b.g.constant(0.0);
            sums.extend(all.map(|v| b.g.op(Op::Add, &[v, zero])));
            continue;
        }
        b.g.scalar = false;
        let starts: Vec<usize> = (0..n).step_by(step).map(|i| i.min(n - step)).collect();
        for starts in starts.chunks(lanes / step) {
            let parts: Vec<Memory> = starts.iter().map(|&i| number(t, base::INPUTS[array], i)).collect();
            sums.push(vector(&mut b.g, &parts));
        }
    }
    sums
}

/// A vector of parts in memory.
fn vector(g: &mut Graph, parts: &[Memory]) -> Value {
    let t = g.target;
    let extent = Extent::Bytes(t.part());
    let neighbours =
        parts.windows(2).all(|p| p[1].offset - p[0].offset == i32::from(t.part()) && p[0].base == p[1].base);
    if parts.len() == t.lanes() / t.columns() && neighbours {
        return g.op(Op::LoadVector(Memory { extent: Extent::Vector, ..parts[0] }), &[]);
    }
    let mut vector = g.op(Op::LoadPart(Memory { extent, ..parts[0] }), &[]);
    for (k, part) in parts.iter().enumerate().skip(1) {
        vector = g.op(Op::InsertPart(k as u8, Memory { extent, ..*part }), &[vector]);
    }
    vector
}
