//! Machine code: the VEX (AVX2, FMA) and EVEX (AVX-512) encodings of the instructions that programs need.
//!
//! Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, sections 2.3 and 2.7.

/// The general registers that hold addresses, by their numbers.
pub(super) mod base {
    /// The input arrays: rdi, rsi, rdx.
    pub(crate) const INPUTS: [u8; 3] = [7, 6, 2];
    /// The results: rcx.
    pub(crate) const OUT: u8 = 1;
    /// The scratch memory: r9.
    pub(crate) const SCRATCH: u8 = 9;
    /// The constants: r10.
    pub(crate) const POOL: u8 = 10;
}

/// How much of the memory at an address is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// A whole vector.
    Vector,
    /// One number, repeated in all lanes.
    Broadcast,
    /// This many bytes.
    Bytes(u8),
}

/// A memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) base: u8,
    pub(super) offset: i32,
    pub(super) extent: Extent,
}

/// The operand that may be in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Register(u8),
    Memory(Memory),
}

/// An operation code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opcode {
    /// 1: 0F, 2: 0F 38, 3: 0F 3A.
    pub(super) map: u8,
    /// 0: none, 1: 66.
    pub(super) prefix: u8,
    pub(super) w: bool,
    pub(super) byte: u8,
}

/// Length of the vectors of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Length {
    L128 = 0,
    L256 = 1,
    L512 = 2,
}

impl Length {
    /// The length with this many bytes: 16, 32, else 64.
    pub(super) fn of(bytes: u8) -> Self {
        match bytes {
            16 => Length::L128,
            32 => Length::L256,
            _ => Length::L512,
        }
    }
}

/// Writes instructions.
pub(super) struct Encoder {
    pub(super) code: Vec<u8>,
    /// EVEX; otherwise VEX.
    evex: bool,
    /// Bytes per number.
    number: i32,
}

impl Encoder {
    pub(super) fn new(evex: bool, number: usize) -> Self {
        Encoder { code: vec![], evex, number: number as i32 }
    }

    /// Writes an instruction with operands `first` (the ModRM register field), `second` (the field vvvv; 0 if there is none) and
    /// `last`, under a mask register (0: none).
    pub(super) fn op(&mut self, o: Opcode, first: u8, second: u8, last: Place, mask: u8, length: Length) {
        let bit = |x: u8, k: u8| x >> k & 1;
        let not = |x: u8| x ^ 1;
        // Bits 3 and 4 of the last operand; bit 4 of a register takes the place of the index register's.
        let (b, x, broadcast, scale) = match last {
            Place::Register(r) => (bit(r, 3), bit(r, 4), 0, 1),
            Place::Memory(m) => match m.extent {
                Extent::Vector => (bit(m.base, 3), 0, 0, 16 << length as u8),
                Extent::Broadcast => (bit(m.base, 3), 0, 1, self.number),
                Extent::Bytes(n) => (bit(m.base, 3), 0, 0, i32::from(n)),
            },
        };
        let r = not(bit(first, 3)) << 7;
        let v = (!second & 15) << 3;
        let w = u8::from(o.w) << 7;
        if self.evex {
            let p0 = r | not(x) << 6 | not(b) << 5 | not(bit(first, 4)) << 4 | o.map;
            let p2 = (length as u8) << 5 | broadcast << 4 | not(bit(second, 4)) << 3 | mask;
            self.code.extend([0x62, p0, w | v | 4 | o.prefix, p2, o.byte]);
            self.operand(first, last, scale);
        } else {
            debug_assert!(broadcast == 0 && mask == 0 && first < 16 && second < 16 && length != Length::L512);
            let l = (length as u8) << 2;
            if o.map == 1 && b == 0 && !o.w {
                self.code.extend([0xc5, r | v | l | o.prefix, o.byte]);
            } else {
                self.code.extend([0xc4, r | 1 << 6 | not(b) << 5 | o.map, w | v | l | o.prefix, o.byte]);
            }
            self.operand(first, last, 1);
        }
    }

    /// The ModRM byte and the offset, in units of `scale` if it then fits in a byte.
    fn operand(&mut self, first: u8, last: Place, scale: i32) {
        let low = |x: u8| x & 7;
        let field = low(first) << 3;
        match last {
            Place::Register(r) => self.code.push(0xc0 | field | low(r)),
            Place::Memory(m) => {
                // These two bases mean other address forms.
                debug_assert!(low(m.base) != 4 && low(m.base) != 5);
                let units = (m.offset % scale == 0).then_some(m.offset / scale);
                match units.and_then(|n| i8::try_from(n).ok()) {
                    Some(0) => self.code.push(field | low(m.base)),
                    Some(n) => self.code.extend([0x40 | field | low(m.base), n.to_le_bytes()[0]]),
                    None => {
                        self.code.push(0x80 | field | low(m.base));
                        self.code.extend(m.offset.to_le_bytes());
                    }
                }
            }
        }
    }

    /// The immediate byte of the last instruction.
    pub(super) fn immediate(&mut self, x: u8) {
        self.code.push(x);
    }
}
