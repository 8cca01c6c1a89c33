//! Registers and machine code: values are assigned to registers in the order of the operations.
//!
//! When no register is free, the value whose next use is furthest away is dropped (Belady 1966), preferably one that is in memory
//! already. One operand of an instruction may stay in memory.

use super::Target;
use super::encode::{Encoder, Extent, Length, Memory, Opcode, Place, base};
use super::graph::{Bit, Graph, Node, Op, Value};

/// Parameters of the assignment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allocation {
    /// An operand in memory that is used again within this many operations is loaded if a register is free.
    pub(super) reload_within: usize,
    /// How much further away the next use of a value that must be stored has to be, to be dropped instead of one in memory.
    pub(super) memory_bonus: usize,
}

/// The code of a block.
pub(super) struct Emitted {
    pub(super) code: Vec<u8>,
    pub(super) pool: Vec<u8>,
    /// Bytes of scratch memory.
    pub(super) scratch: usize,
}

/// Emits the instructions of a graph.
pub(super) fn emit(mut graph: Graph, options: Allocation) -> Emitted {
    let target = graph.target;
    let nodes = std::mem::take(&mut graph.nodes);
    // Masks are tested against these.
    let bits = [graph.bits(1), graph.bits(target.format.sign_bit())];
    let values = graph.homes.len();
    let mut uses = vec![vec![]; values];
    for (k, node) in nodes.iter().enumerate() {
        node.distinct().for_each(|v| uses[v].push(k));
    }
    let mut a = Allocator {
        target,
        options,
        homes: graph.homes,
        encoder: Encoder::new(target.wide, target.format.bytes),
        holds: vec![None; target.registers()],
        register: vec![None; values],
        uses,
        next: vec![0; values],
        spilled: vec![false; values],
        fixed: vec![],
        scalars: graph.scalars,
        scalar: false,
        scratch: graph.scratch,
        free_slots: [vec![], vec![]],
        freed: vec![],
        now: 0,
        bits,
        masks: [None; 8],
        last_mask: 0,
    };
    for (k, node) in nodes.iter().enumerate() {
        a.now = k;
        a.scalar = node.scalar;
        a.node(node);
        // Only now: the instruction itself may have read the slot.
        for slot in std::mem::take(&mut a.freed) {
            a.free_slots[usize::from(slot.extent == Extent::Vector)].push(slot);
        }
    }
    Emitted { code: a.encoder.code, pool: graph.pool, scratch: a.scratch }
}

struct Allocator {
    target: Target,
    options: Allocation,
    homes: Vec<Option<Memory>>,
    encoder: Encoder,
    /// The value in each register.
    holds: Vec<Option<Value>>,
    /// The register of each value.
    register: Vec<Option<u8>>,
    /// The operations that use each value.
    uses: Vec<Vec<usize>>,
    /// Index of the first use after the current operation.
    next: Vec<usize>,
    /// Whether a value's home is a slot of its own.
    spilled: Vec<bool>,
    /// The operands of the current operation, which keep their registers.
    fixed: Vec<Value>,
    /// Whether a value is one number, not a vector.
    scalars: Vec<bool>,
    /// Whether the current operation is on numbers.
    scalar: bool,
    /// Bytes of scratch memory so far.
    scratch: usize,
    /// Free slots for numbers, and for vectors.
    free_slots: [Vec<Memory>; 2],
    freed: Vec<Memory>,
    now: usize,
    /// The constants with the lowest bit and the sign bit.
    bits: [Value; 2],
    /// The values whose bits are in the mask registers (AVX-512).
    masks: [Option<(Value, Bit)>; 8],
    last_mask: usize,
}

impl Allocator {
    fn length(&self) -> Length {
        match (self.scalar, self.target.wide) {
            (true, _) => Length::L128,
            (false, true) => Length::L512,
            (false, false) => Length::L256,
        }
    }

    /// An operation on vectors of numbers of the format.
    fn numbers(&self, byte: u8) -> Opcode {
        let double = !self.target.single();
        Opcode { map: 1, prefix: double.into(), w: double && self.target.wide, byte }
    }

    /// The same, or on numbers alone.
    fn arithmetic(&self, byte: u8) -> Opcode {
        let vectors = self.numbers(byte);
        if self.scalar { Opcode { prefix: if self.target.single() { 2 } else { 3 }, ..vectors } } else { vectors }
    }

    /// Loads (0x10) or stores (0x11) a value.
    fn transfer(&mut self, byte: u8, register: u8, memory: Memory, scalar: bool) {
        let before = std::mem::replace(&mut self.scalar, scalar);
        self.encoder.op(self.arithmetic(byte), register, 0, Place::Memory(memory), 0, self.length());
        self.scalar = before;
    }

    /// An operation on 64-bit numbers or integers in map 1.
    fn doubles(&self, byte: u8) -> Opcode {
        Opcode { map: 1, prefix: 1, w: self.target.wide, byte }
    }

    /// An operation in another map, where W selects the size of the numbers.
    fn sized(&self, map: u8, byte: u8) -> Opcode {
        Opcode { map, prefix: 1, w: !self.target.single(), byte }
    }

    /// The first use of a value after the current operation.
    fn next_use(&mut self, v: Value) -> Option<usize> {
        let uses = &self.uses[v];
        while uses.get(self.next[v]).is_some_and(|&k| k <= self.now) {
            self.next[v] += 1;
        }
        uses.get(self.next[v]).copied()
    }

    /// Loads a value from its home.
    fn load(&mut self, register: u8, home: Memory, scalar: bool) {
        if home.extent != Extent::Broadcast {
            return self.transfer(0x10, register, home, scalar);
        }
        let bytes = self.target.format.bytes as u8;
        let byte = if self.target.single() { 0x18 } else { 0x19 };
        let home = Memory { extent: Extent::Bytes(bytes), ..home };
        self.encoder.op(self.sized(2, byte), register, 0, Place::Memory(home), 0, self.length());
    }

    fn free_register(&self) -> Option<u8> {
        self.holds.iter().position(Option::is_none).map(|r| r as u8)
    }

    /// A free register; another value may lose its own.
    fn take(&mut self) -> u8 {
        if let Some(r) = self.free_register() {
            return r;
        }
        let mut furthest = (0, 0, 0);
        for r in 0..self.holds.len() {
            let v = self.holds[r].expect("no register is free");
            if self.fixed.contains(&v) {
                continue;
            }
            let away = self.next_use(v).map_or(usize::MAX / 64, |k| k - self.now);
            let price = away * if self.homes[v].is_some() { self.options.memory_bonus } else { 4 };
            if price >= furthest.0 {
                furthest = (price, r, v);
            }
        }
        let (_, r, v) = furthest;
        if self.homes[v].is_none() && self.next_use(v).is_some() {
            let slot = self.slot(self.scalars[v]);
            self.transfer(0x11, r as u8, slot, self.scalars[v]);
            self.homes[v] = Some(slot);
            self.spilled[v] = true;
        }
        self.register[v] = None;
        self.holds[r] = None;
        r as u8
    }

    /// A free place in the scratch memory.
    fn slot(&mut self, scalar: bool) -> Memory {
        let (bytes, extent) = match scalar {
            true => (self.target.format.bytes, Extent::Bytes(self.target.format.bytes as u8)),
            false => (self.target.bytes(), Extent::Vector),
        };
        self.free_slots[usize::from(!scalar)].pop().unwrap_or_else(|| {
            let offset = self.scratch.next_multiple_of(bytes);
            self.scratch = offset + bytes;
            Memory { base: base::SCRATCH, offset: offset as i32, extent }
        })
    }

    fn assign(&mut self, r: u8, v: Value) {
        self.holds[usize::from(r)] = Some(v);
        self.register[v] = Some(r);
    }

    /// Brings a value into a register.
    fn bring(&mut self, v: Value) -> u8 {
        if let Some(r) = self.register[v] {
            return r;
        }
        let r = self.take();
        let home = self.homes[v].expect("a value without register is in memory");
        self.load(r, home, self.scalars[v]);
        self.assign(r, v);
        r
    }

    /// Frees register and slot of a value after its last use.
    fn release(&mut self, v: Value) {
        if self.next_use(v).is_some() {
            return;
        }
        if let Some(r) = self.register[v].take() {
            self.holds[usize::from(r)] = None;
        }
        if self.spilled[v] {
            self.spilled[v] = false;
            self.freed.extend(self.homes[v].take());
        }
    }

    /// Brings the operands into registers, but for one that may stay in memory; returns where they are, and which one stayed.
    fn operands(&mut self, operands: &[Value], may_stay: &[usize]) -> (Vec<Place>, Option<usize>) {
        self.fixed = operands.to_vec();
        let mut stays: Option<(usize, usize)> = None;
        for &i in may_stay {
            let v = operands[i];
            let once = operands.iter().filter(|&&o| o == v).count() == 1;
            if once && self.register[v].is_none() && self.scalars[v] == self.scalar {
                let next = self.next_use(v).unwrap_or(usize::MAX);
                if stays.is_none_or(|(_, furthest)| next >= furthest) {
                    stays = Some((i, next));
                }
            }
        }
        if let Some((_, next)) = stays
            && next - self.now < self.options.reload_within
            && self.free_register().is_some()
        {
            stays = None;
        }
        let stays = stays.map(|(i, _)| i);
        for (i, &v) in operands.iter().enumerate() {
            if stays != Some(i) {
                self.bring(v);
            }
        }
        let place = |v: &Value| match self.register[*v] {
            Some(r) => Place::Register(r),
            None => Place::Memory(self.homes[*v].expect("a value without register is in memory")),
        };
        (operands.iter().map(place).collect(), stays)
    }

    /// A register for the result; those of operands that are no longer used are free for it.
    fn result(&mut self, node: &Node) -> u8 {
        node.operands().iter().for_each(|&v| self.release(v));
        let r = self.take();
        self.assign(r, node.result.expect("the operation has a result"));
        r
    }

    /// A register with operand i, which the instruction overwrites with the result.
    fn overwritten(&mut self, node: &Node, i: usize) -> u8 {
        let v = node.operands()[i];
        let from = self.register[v].expect("the operand is in a register");
        let r = if self.next_use(v).is_none() {
            self.release(v);
            from
        } else {
            let r = self.take();
            self.encoder.op(self.numbers(0x28), r, 0, Place::Register(from), 0, self.length());
            r
        };
        self.assign(r, node.result.expect("the operation has a result"));
        r
    }

    fn node(&mut self, node: &Node) {
        let length = self.length();
        match node.op {
            Op::Add | Op::Mul | Op::And | Op::Or | Op::Xor | Op::AddInteger => self.binary(node, true),
            Op::Sub | Op::Div | Op::Max => self.binary(node, false),
            Op::UnpackLow | Op::UnpackHigh | Op::UnpackLowPairs | Op::UnpackHighPairs => self.binary(node, false),
            Op::ShuffleBlocks(blocks) => {
                self.binary(node, false);
                self.encoder.immediate(blocks);
            }
            Op::MulAdd | Op::MulSub | Op::NegMulAdd => self.fused(node),
            Op::Root => {
                let (places, _) = self.operands(node.operands(), &[]);
                let r = self.result(node);
                let second = if self.scalar { number(places[0]) } else { 0 };
                self.encoder.op(self.arithmetic(0x51), r, second, places[0], 0, length);
            }
            Op::ShiftLeft(count) => {
                let (places, _) = self.operands(node.operands(), &[]);
                let r = self.result(node);
                let opcode =
                    if self.target.single() { Opcode { w: false, ..self.doubles(0x72) } } else { self.doubles(0x73) };
                self.encoder.op(opcode, 6, r, places[0], 0, length);
                self.encoder.immediate(count);
            }
            Op::XorAnd => {
                let (places, _) = self.operands(node.operands(), &[2]);
                let r = self.overwritten(node, 0);
                self.encoder.op(self.sized(3, 0x25), r, number(places[1]), places[2], 0, length);
                self.encoder.immediate(0x78);
            }
            Op::Permute => {
                let (places, _) = self.operands(node.operands(), &[2]);
                let r = self.overwritten(node, 1);
                self.encoder.op(self.sized(2, 0x7f), r, number(places[0]), places[2], 0, length);
            }
            Op::Select(bit) => self.select(node, bit),
            Op::LoadVector(memory) => {
                self.fixed.clear();
                let r = self.result(node);
                self.transfer(0x10, r, memory, false);
            }
            Op::LoadPart(memory) => {
                self.fixed.clear();
                let r = self.result(node);
                let part = Length::of(self.target.part());
                self.encoder.op(self.numbers(0x10), r, 0, Place::Memory(memory), 0, part);
            }
            Op::InsertPart(part, memory) => {
                let (places, _) = self.operands(node.operands(), &[]);
                let r = self.result(node);
                self.encoder.op(self.part(0x18), r, number(places[0]), Place::Memory(memory), 0, length);
                self.encoder.immediate(part);
            }
            Op::Store(memory) => {
                let (places, _) = self.operands(node.operands(), &[]);
                self.transfer(0x11, number(places[0]), memory, self.scalar);
            }
            Op::StorePart(part, memory) => {
                let (places, _) = self.operands(node.operands(), &[]);
                let (r, memory) = (number(places[0]), Place::Memory(memory));
                if part == 0 {
                    self.encoder.op(self.numbers(0x11), r, 0, memory, 0, Length::of(self.target.part()));
                } else {
                    self.encoder.op(self.part(0x19), r, 0, memory, 0, length);
                    self.encoder.immediate(part);
                }
            }
        }
        node.operands().iter().for_each(|&v| self.release(v));
    }

    /// Inserts (0x18) or extracts (0x19) 16 bytes; with AVX-512, `f64` 32 bytes.
    fn part(&self, byte: u8) -> Opcode {
        let long = self.target.part() == 32;
        Opcode { map: 3, prefix: 1, w: long, byte: byte + 2 * u8::from(long) }
    }

    fn binary(&mut self, node: &Node, commutes: bool) {
        let arithmetic = matches!(node.op, Op::Add | Op::Sub | Op::Mul | Op::Div);
        let may_stay: &[usize] = match (commutes, self.scalar && !arithmetic) {
            // The others read 16 bytes.
            (_, true) => &[],
            (true, false) => &[0, 1],
            (false, false) => &[1],
        };
        let (mut places, stays) = self.operands(node.operands(), may_stay);
        if stays == Some(0) {
            places.swap(0, 1);
        }
        let opcode = match node.op {
            Op::Add => self.arithmetic(0x58),
            Op::Sub => self.arithmetic(0x5c),
            Op::Mul => self.arithmetic(0x59),
            Op::Div => self.arithmetic(0x5e),
            Op::Max => self.numbers(0x5f),
            Op::And => self.numbers(0x54),
            Op::Or => self.numbers(0x56),
            Op::Xor => self.numbers(0x57),
            Op::AddInteger if self.target.single() => Opcode { w: false, ..self.doubles(0xfe) },
            Op::AddInteger => self.doubles(0xd4),
            Op::UnpackLow => self.numbers(0x14),
            Op::UnpackHigh => self.numbers(0x15),
            Op::UnpackLowPairs => self.doubles(0x14),
            Op::UnpackHighPairs => self.doubles(0x15),
            Op::ShuffleBlocks(_) => self.sized(3, 0x23),
            other => unreachable!("{other:?} has no two operands"),
        };
        let r = self.result(node);
        self.encoder.op(opcode, r, number(places[0]), places[1], 0, self.length());
    }

    /// Multiply-add. The result overwrites one operand, and the form depends on which, and on which one is in memory.
    fn fused(&mut self, node: &Node) {
        let operands = node.operands();
        let (places, stays) = self.operands(operands, &[0, 1, 2]);
        let in_register = (0..3).rev().filter(|&i| stays != Some(i));
        let mut unused = in_register.clone().filter(|&i| self.next_use(operands[i]).is_none());
        let over = unused.next().or(in_register.clone().next()).expect("two operands are in registers");
        let r = self.overwritten(node, over);
        let byte = u8::from(self.scalar)
            + match node.op {
                Op::MulAdd => 0x98,
                Op::MulSub => 0x9a,
                _ => 0x9c,
            };
        // Forms 132: r·last + second, 213: second·r + last, 231: second·last + r.
        let (form, second, last) = match (over, stays) {
            (2, Some(0)) => (0x20, 1, 0),
            (2, _) => (0x20, 0, 1),
            (_, Some(stays)) if stays == 1 - over => (0x00, 2, stays),
            _ => (0x10, 1 - over, 2),
        };
        self.encoder.op(self.sized(2, byte + form), r, number(places[second]), places[last], 0, self.length());
    }

    fn select(&mut self, node: &Node, bit: Bit) {
        let length = self.length();
        let (places, _) = self.operands(node.operands(), if self.scalar { &[] } else { &[2] });
        let condition = number(places[0]);
        if !self.target.wide {
            let r = self.result(node);
            let byte = if self.target.single() { 0x4a } else { 0x4b };
            self.encoder.op(Opcode { w: false, ..self.sized(3, byte) }, r, number(places[1]), places[2], 0, length);
            return self.encoder.immediate(condition << 4);
        }
        let key = Some((node.operands()[0], bit));
        let mask = self.masks.iter().position(|m| *m == key).unwrap_or_else(|| {
            // k0 means no mask.
            self.last_mask = self.last_mask % 7 + 1;
            self.masks[self.last_mask] = key;
            let bits = self.bits[usize::from(bit == Bit::Sign)];
            let bits = Place::Memory(self.homes[bits].expect("a constant"));
            self.encoder.op(self.sized(2, 0x27), self.last_mask as u8, condition, bits, 0, length);
            self.last_mask
        });
        let r = self.result(node);
        self.encoder.op(self.sized(2, 0x65), r, number(places[1]), places[2], mask as u8, length);
    }
}

/// The number of the register that a place is.
fn number(place: Place) -> u8 {
    match place {
        Place::Register(r) => r,
        Place::Memory(_) => unreachable!("the operand was brought into a register"),
    }
}
