//! A block's computation as machine operations in static single assignment form: every value is defined once.

use super::Target;
use super::encode::{Extent, Memory, base};
use std::collections::HashMap;

/// A value, by its number.
pub(super) type Value = usize;

/// An operation on vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Add,
    Sub,
    Mul,
    Div,
    /// The second operand where one is NaN.
    Max,
    And,
    Or,
    Xor,
    /// Sum as integers.
    AddInteger,
    /// Interleaves the lower numbers of each 16 bytes.
    UnpackLow,
    /// Interleaves the upper numbers of each 16 bytes.
    UnpackHigh,
    /// The same of pairs of `f32`.
    UnpackLowPairs,
    /// The same of pairs of `f32`.
    UnpackHighPairs,
    /// Two blocks of 16 bytes of each operand (AVX-512).
    ShuffleBlocks(u8),
    Root,
    ShiftLeft(u8),
    /// a · b + c.
    MulAdd,
    /// a · b − c.
    MulSub,
    /// c − a · b.
    NegMulAdd,
    /// a ^ (b & c) (AVX-512).
    XorAnd,
    /// The third operand where a bit of the first is set, else the second.
    Select(Bit),
    /// Numbers of the second and third operand, by the indices in the first (AVX-512).
    Permute,
    /// A vector from memory.
    LoadVector(Memory),
    /// The lowest bytes from memory.
    LoadPart(Memory),
    /// The operand with one part from memory.
    InsertPart(u8, Memory),
    Store(Memory),
    /// One part to memory.
    StorePart(u8, Memory),
}

/// A bit of a lane that decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bit {
    Lowest,
    Sign,
}

/// An operation with its operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) op: Op,
    operands: [Value; 3],
    count: usize,
    /// None for stores.
    pub(super) result: Option<Value>,
    /// On the lowest number of the registers alone.
    pub(super) scalar: bool,
    /// Operations of a phase come after all those of earlier ones.
    pub(super) phase: u8,
}

impl Node {
    pub(super) fn operands(&self) -> &[Value] {
        &self.operands[..self.count]
    }

    /// The operands, each once.
    pub(super) fn distinct(&self) -> impl Iterator<Item = Value> {
        let operands = self.operands();
        operands.iter().enumerate().filter(|(i, v)| !operands[..*i].contains(v)).map(|(_, v)| *v)
    }
}

/// The operations of a block of states, in order, and the constants.
pub(super) struct Graph {
    pub(super) target: Target,
    pub(super) nodes: Vec<Node>,
    /// Where values are in memory, constants from the start and others once they were spilled.
    pub(super) homes: Vec<Option<Memory>>,
    pub(super) pool: Vec<u8>,
    /// Bytes of scratch memory that the operations use themselves.
    pub(super) scratch: usize,
    /// Whether a value is one number, not a vector.
    pub(super) scalars: Vec<bool>,
    /// Whether the operations that follow are on numbers.
    pub(super) scalar: bool,
    /// The phase of the operations that follow.
    pub(super) phase: u8,
    /// By their bits and whether they are numbers.
    constants: HashMap<(u64, bool), Value>,
}

impl Graph {
    pub(super) fn new(target: Target) -> Self {
        Graph {
            target,
            nodes: vec![],
            homes: vec![],
            pool: vec![],
            scratch: 0,
            scalars: vec![],
            scalar: false,
            phase: 0,
            constants: HashMap::new(),
        }
    }

    fn value(&mut self, home: Option<Memory>) -> Value {
        self.homes.push(home);
        self.scalars.push(self.scalar);
        self.homes.len() - 1
    }

    fn push(&mut self, op: Op, operands: &[Value], result: Option<Value>) {
        let mut all = [0; 3];
        all[..operands.len()].copy_from_slice(operands);
        self.nodes.push(Node {
            op,
            operands: all,
            count: operands.len(),
            result,
            scalar: self.scalar,
            phase: self.phase,
        });
    }

    /// The result of an operation.
    pub(super) fn op(&mut self, op: Op, operands: &[Value]) -> Value {
        let result = self.value(None);
        self.push(op, operands, Some(result));
        result
    }

    /// A store.
    pub(super) fn store(&mut self, op: Op, value: Value) {
        self.push(op, &[value], None);
    }

    /// A value that is in memory at the start of a block.
    pub(super) fn in_memory(&mut self, place: Memory) -> Value {
        self.value(Some(place))
    }

    /// A constant, in all lanes unless operations are on numbers, by its bits.
    pub(super) fn bits(&mut self, bits: u64) -> Value {
        if let Some(&value) = self.constants.get(&(bits, self.scalar)) {
            return value;
        }
        let Target { wide, format, .. } = self.target;
        let (extent, copies) = match (self.scalar, wide) {
            (true, _) => (Extent::Bytes(format.bytes as u8), 1),
            (false, true) => (Extent::Broadcast, 1),
            (false, false) => (Extent::Vector, self.target.lanes()),
        };
        let value = self.pooled(extent);
        for _ in 0..copies {
            self.pool.extend(&bits.to_le_bytes()[..format.bytes]);
        }
        self.constants.insert((bits, self.scalar), value);
        value
    }

    /// A constant, in all lanes unless operations are on numbers.
    pub(super) fn constant(&mut self, x: f64) -> Value {
        self.bits(self.target.format.bits(x))
    }

    /// A vector of integers, one per lane.
    pub(super) fn integers(&mut self, lanes: &[u64]) -> Value {
        let value = self.pooled(Extent::Vector);
        for x in lanes {
            self.pool.extend(&x.to_le_bytes()[..self.target.format.bytes]);
        }
        value
    }

    /// A value at the end of the pool.
    fn pooled(&mut self, extent: Extent) -> Value {
        if extent == Extent::Vector {
            self.pool.resize(self.pool.len().next_multiple_of(self.target.bytes()), 0);
        }
        let offset = self.pool.len() as i32 - self.target.pool_middle();
        self.value(Some(Memory { base: base::POOL, offset, extent }))
    }

    /// Drops operations whose results nothing uses.
    pub(super) fn drop_unused(&mut self) {
        let mut used = vec![false; self.homes.len()];
        let mut keep = vec![false; self.nodes.len()];
        for (keep, node) in keep.iter_mut().zip(&self.nodes).rev() {
            *keep = node.result.is_none_or(|r| used[r]);
            if *keep {
                node.operands().iter().for_each(|&v| used[v] = true);
            }
        }
        let mut keep = keep.into_iter();
        self.nodes.retain(|_| keep.next() == Some(true));
    }
}
