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
mod one;
#[cfg(test)]
mod one_tests;
mod registers;
mod rows;
mod schedule;
#[cfg(test)]
pub(crate) mod tests;
mod trig;

pub(crate) use one::OneCheck;

use crate::lower::Instructions;
use crate::number::Format;
use registers::{Allocation, Emitted};
use schedule::Order;

/// What code is written for.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    /// AVX-512; otherwise AVX2 and FMA.
    pub(crate) wide: bool,
    pub(crate) format: &'static Format,
}

impl Target {
    /// The widest instructions of this processor; `ARMDYN_SIMD=avx2` or `baseline` (none) lowers them.
    pub(crate) fn host(format: &'static Format) -> Option<Self> {
        let widest = Target::widest(format)?;
        match std::env::var("ARMDYN_SIMD").as_deref() {
            Ok("baseline") => None,
            Ok("avx2") => Some(Target { wide: false, ..widest }),
            _ => Some(widest),
        }
    }

    /// The widest instructions of this processor.
    #[cfg(target_arch = "x86_64")]
    fn widest(format: &'static Format) -> Option<Self> {
        use std::is_x86_feature_detected as has;
        let wide = has!("avx512f") && has!("avx512dq") && has!("avx512vl");
        (has!("avx2") && has!("fma")).then_some(Target { wide, format })
    }

    /// Code is written for x86-64 only.
    #[cfg(not(target_arch = "x86_64"))]
    fn widest(_: &'static Format) -> Option<Self> {
        None
    }

    fn single(self) -> bool {
        self.format.bytes == 4
    }

    /// Bytes of a vector.
    pub(crate) fn bytes(self) -> usize {
        if self.wide { 64 } else { 32 }
    }

    /// States per block.
    pub(crate) fn lanes(self) -> usize {
        self.bytes() / self.format.bytes
    }

    fn registers(self) -> usize {
        if self.wide { 32 } else { 16 }
    }

    /// Columns that are read or written together.
    fn columns(self) -> usize {
        if self.single() || self.wide { 4 } else { 2 }
    }

    /// Bytes of one row in such columns.
    fn part(self) -> u8 {
        (self.columns() * self.format.bytes) as u8
    }

    /// Numbers from row to row of an array with `n` columns: narrow arrays are padded.
    pub(crate) fn stride(self, n: usize) -> usize {
        if n == 0 { 0 } else { n.max(self.columns()) }
    }

    /// Where in the constants their register points: half of the offsets that fit in a byte are negative.
    fn pool_middle(self) -> i32 {
        128 * if self.wide { self.format.bytes as i32 } else { 1 }
    }

    /// Offset in bytes of an element of an array with `n` columns.
    fn offset(self, row: usize, n: usize, column: usize) -> i32 {
        ((row * self.stride(n) + column) * self.format.bytes) as i32
    }
}

/// What code leaves in the first vectors of the scratch memory, combined with what was there.
pub(crate) struct Check;

impl Check {
    /// Sum of all inputs and results: finite only if they are.
    pub(crate) const SUM: usize = 0;
    /// Largest |angle|, if no angle is NaN.
    pub(crate) const ANGLE: usize = 1;
    /// Sign bit set where a pivot has the wrong sign.
    pub(crate) const PIVOTS: usize = 2;
    /// Number of these vectors.
    pub(crate) const SLOTS: usize = 3;
}

/// The code of a function `f(a₀, a₁, a₂, out, blocks, scratch)`, by the System V calling convention, followed by its constants. It
/// computes one block or more.
pub(crate) struct Code {
    pub(crate) bytes: Vec<u8>,
    /// Bytes of scratch memory.
    pub(crate) scratch: usize,
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
    function.end(target, &state)
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
    function.end(target, block)
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
    fn end(mut self, target: Target, emitted: &Emitted) -> Code {
        // vzeroupper; ret.
        self.bytes.extend([0xc5, 0xf8, 0x77, 0xc3]);
        self.bytes.resize(self.bytes.len().next_multiple_of(64), 0xcc);
        let pool = (self.bytes.len() as i32 + target.pool_middle() - (Self::POOL_AT as i32 + 4)).to_le_bytes();
        self.bytes[Self::POOL_AT..Self::POOL_AT + 4].copy_from_slice(&pool);
        self.bytes.extend(&emitted.pool);
        Code { bytes: self.bytes, scratch: emitted.scratch }
    }
}
