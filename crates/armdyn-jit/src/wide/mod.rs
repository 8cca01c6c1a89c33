//! Machine code for blocks of states, one state per lane: AVX-512 (8 × `f64`, 16 × `f32`) and AVX2 with FMA (4, 8).
//!
//! A block is one graph of machine operations from the loads of its rows to the stores of its results (`build`, with `rows` and
//! `trig`), so that shuffles, sines and arithmetic overlap. It is put in an order (`schedule`), and its values into registers,
//! while the instructions are written (`registers`, `encode`).
//!
//! The code of a single call (`one`) is written in the same way, on numbers instead of vectors.
//!
//! The operations are those of `native`, and so are the results, bit by bit. States with large angles are left to it.

mod build;
mod encode;
mod graph;
#[cfg(test)]
mod memory_tests;
mod one;
#[cfg(test)]
mod one_tests;
mod registers;
mod rows;
mod schedule;
mod target;
#[cfg(test)]
pub(crate) mod tests;
mod trig;

pub(crate) use one::OneCheck;
pub(crate) use target::{Host, Target};

use crate::lower::Instructions;
use registers::{Allocation, Emitted};
use schedule::Order;

/// What code leaves in the first vectors of the scratch memory, combined with what was there.
pub(crate) struct Check;

impl Check {
    /// Sum of results, and of inputs that they do not reveal: finite only if all are.
    pub(crate) const SUM: usize = 0;
    /// Largest |angle|, if no angle is NaN.
    pub(crate) const ANGLE: usize = 1;
    /// Sign bit set where a pivot has the wrong sign.
    pub(crate) const PIVOTS: usize = 2;
    /// Number of these vectors.
    pub(crate) const SLOTS: usize = 3;
}

/// The code of a function `f(a₀, a₁, a₂, out, blocks, scratch)`, by the System V calling convention, followed by its constants. It
/// computes one block or more. Only this module makes it, so that what it reads and writes is what it says.
pub(crate) struct Code {
    bytes: Vec<u8>,
    target: Target,
    /// States of a block; none for the code of a single call.
    lanes: Option<usize>,
    /// Numbers that a block reads of each input array, then those that it writes.
    lengths: [usize; 4],
    /// Whether pivots are checked.
    pivots: bool,
    scratch: usize,
}

impl Code {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn target(&self) -> Target {
        self.target
    }

    /// States of a block; none for the code of a single call.
    pub(crate) fn lanes(&self) -> Option<usize> {
        self.lanes
    }

    /// Numbers that a block reads of each input array, then those that it writes.
    pub(crate) fn lengths(&self) -> [usize; 4] {
        self.lengths
    }

    /// Whether pivots are checked.
    pub(crate) fn pivots(&self) -> bool {
        self.pivots
    }

    /// Bytes of scratch memory.
    pub(crate) fn scratch(&self) -> usize {
        self.scratch
    }
}

/// Above this number of operations the schedule stays near the order of the program.
const LONG: usize = 2000;

/// Writes the code of a program.
pub(crate) fn write(code: &Instructions, target: Target) -> Code {
    let (order, allocation) = settings(code, target);
    write_in(code, target, order, allocation)
}

/// The parameters of schedule and registers.
fn settings(code: &Instructions, target: Target) -> (Order, Allocation) {
    let live = if target.wide { 28 } else { 14 };
    let window = if code.ops.len() > LONG { 80 } else { usize::MAX };
    let allocation = Allocation { reload_within: if target.wide { 20 } else { 40 }, memory_bonus: 12 };
    (Order { live, window }, allocation)
}

/// Writes the code of a program for one state: a function of the same signature, which ignores the number of blocks.
pub(crate) fn write_one(code: &Instructions, target: Target) -> Code {
    let (order, allocation) = settings(code, target);
    let mut graph = one::build(code, target);
    schedule::schedule(&mut graph, order);
    let state = registers::emit(graph, allocation);
    let mut function = Function::new();
    function.bytes.extend(&state.code);
    function.end(target, &state, code, None)
}

fn write_in(code: &Instructions, target: Target, order: Order, allocation: Allocation) -> Code {
    let mut graph = build::build(code, target);
    schedule::schedule(&mut graph, order);
    function(code, target, &registers::emit(graph, allocation))
}

/// The loop over blocks around the code of one.
fn function(code: &Instructions, target: Target, block: &Emitted) -> Code {
    let mut function = Function::new();
    let bytes = &mut function.bytes;
    let top = bytes.len();
    bytes.extend(&block.code);
    // add rdi, …; rsi; rdx; rcx: the next block.
    let steps = code.lengths.iter().copied().chain([code.outputs.len()]);
    for (register, n) in [0xc7, 0xc6, 0xc2, 0xc1].into_iter().zip(steps) {
        bytes.extend([0x48, 0x81, register]);
        bytes.extend(target.offset(target.lanes(), n, 0).to_le_bytes());
    }
    // dec r8; jnz top.
    bytes.extend([0x49, 0xff, 0xc8, 0x0f, 0x85]);
    bytes.extend(((top as i32) - (bytes.len() as i32) - 4).to_le_bytes());
    function.end(target, block, code, Some(target.lanes()))
}

/// A function's code so far.
struct Function {
    bytes: Vec<u8>,
}

impl Function {
    /// Where the offset of the constants is.
    const POOL_AT: usize = 3;

    fn new() -> Self {
        // lea r10, [rip + …]: the constants.
        let mut bytes = vec![0x4c, 0x8d, 0x15];
        bytes.resize(Self::POOL_AT + 4, 0);
        bytes.resize(32, 0x90);
        Function { bytes }
    }

    /// The end of the code, and the constants.
    fn end(mut self, target: Target, emitted: &Emitted, code: &Instructions, lanes: Option<usize>) -> Code {
        // vzeroupper; ret.
        self.bytes.extend([0xc5, 0xf8, 0x77, 0xc3]);
        self.bytes.resize(self.bytes.len().next_multiple_of(64), 0xcc);
        let pool = (self.bytes.len() as i32 + target.pool_middle() - (Self::POOL_AT as i32 + 4)).to_le_bytes();
        self.bytes[Self::POOL_AT..Self::POOL_AT + 4].copy_from_slice(&pool);
        self.bytes.extend(&emitted.pool);
        let [a, b, c] = code.lengths;
        let lengths = [a, b, c, code.outputs.len()].map(|n| lanes.map_or(n, |lanes| lanes * target.stride(n)));
        Code { bytes: self.bytes, target, lanes, lengths, pivots: !code.pivots.is_empty(), scratch: emitted.scratch }
    }
}
