//! A tape as a function of Cranelift.
//!
//! `f(constants, a₀, a₁, a₂, out)`: the constants, the input arrays, the results. For one state its sines are taken two
//! angles at a time; for two states, rows that follow each other, every value is a pair.

use super::trig::{self, MODERATE};
use crate::tape::{Op, Operand, Tape};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{
    Block, BlockArg, FuncRef, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, Type, Value, types,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::FunctionBuilder;
use std::collections::HashMap;

/// How many states a function computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lanes {
    /// One.
    One,
    /// Two, rows that follow each other.
    Two,
}

/// Sine and cosine for angles of any size.
pub(super) struct AnySize {
    pub(super) sine: FuncRef,
    pub(super) cosine: FuncRef,
}

/// The bytes of a number.
const BYTES: i32 = 8;

/// A value that was read from memory is kept in a register for so many instructions. Measured: 2 to 8 are alike, and a tenth
/// faster than none.
const WINDOW: usize = 4;

/// So many pairs of angles are done together, so that their constants are read once and their latencies overlap.
const TOGETHER: usize = 2;

/// Writing one function.
pub(super) struct Emitter<'a> {
    pub(super) b: FunctionBuilder<'a>,
    pub(super) fuse: bool,
    lanes: Lanes,
    tape: &'a Tape,
    constants: Value,
    arrays: [Value; 3],
    out: Value,
    /// Where the sines, the cosines, and for two states the inputs, are kept.
    kept: Value,
    /// The constants in memory.
    pool: Vec<f64>,
    places: HashMap<(u64, bool), i32>,
    values: Vec<Option<Value>>,
    /// What was read from memory, and when last.
    recent: HashMap<(Type, Value, i32), (Value, usize)>,
    /// Instructions so far.
    now: usize,
}

/// The constants as they lie in memory: pairs, so that they are aligned.
pub(super) type Pool = Box<[Pair]>;

/// Two numbers, aligned as one register.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
pub(super) struct Pair(pub(super) [f64; 2]);

impl<'a> Emitter<'a> {
    /// Writes the function; gives the constants it reads.
    pub(super) fn write(
        mut b: FunctionBuilder<'a>,
        tape: &'a Tape,
        lanes: Lanes,
        fuse: bool,
        any: AnySize,
        target: TargetFrontendConfig,
    ) -> Pool {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let p = b.block_params(entry).to_vec();
        let pointer = b.func.dfg.value_type(p[0]);
        let size = match lanes {
            Lanes::One => 2 * tape.angles.len().next_multiple_of(2),
            Lanes::Two => 2 * (2 * tape.angles.len() + tape.lengths.iter().sum::<usize>()),
        };
        let slot =
            b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * size.max(1) as u32, 4));
        let kept = b.ins().stack_addr(pointer, slot, 0);
        let mut e = Emitter {
            b,
            fuse,
            lanes,
            tape,
            constants: p[0],
            arrays: [p[1], p[2], p[3]],
            out: p[4],
            kept,
            pool: vec![],
            places: HashMap::new(),
            values: vec![None; tape.ops.len()],
            recent: HashMap::new(),
            now: 0,
        };
        if lanes == Lanes::Two {
            e.keep_inputs();
        }
        for k in 0..tape.before {
            e.op(k);
        }
        e.keep_sines(&any);
        e.body();
        e.b.ins().return_(&[]);
        e.b.seal_all_blocks();
        e.b.finalize(target);
        e.pool.resize(e.pool.len().next_multiple_of(2), 0.0);
        e.pool.as_chunks().0.iter().map(|c| Pair(*c)).collect()
    }

    fn body(&mut self) {
        let mut results: Vec<Vec<usize>> = vec![vec![]; self.tape.ops.len()];
        let mut at_once = vec![];
        for (i, o) in self.tape.outputs.iter().enumerate() {
            match o {
                Operand::Value(k) => results[*k].push(i),
                _ => at_once.push(i),
            }
        }
        for i in at_once {
            let value = self.read(self.tape.outputs[i]);
            self.give(i, value);
        }
        for k in 0..self.tape.ops.len() {
            if k >= self.tape.before {
                self.op(k);
            }
            for &i in &results[k] {
                self.give(i, self.values[k].expect("just computed"));
            }
        }
    }

    fn ty(&self) -> Type {
        match self.lanes {
            Lanes::One => types::F64,
            Lanes::Two => types::F64X2,
        }
    }

    fn load(&mut self, ty: Type, from: Value, offset: i32) -> Value {
        self.b.ins().load(ty, MemFlagsData::trusted(), from, offset)
    }

    /// What does not change: a value that was read a short while ago is still in its register.
    fn read_again(&mut self, ty: Type, from: Value, offset: i32) -> Value {
        if let Some((value, when)) = self.recent.get_mut(&(ty, from, offset))
            && self.now - *when <= WINDOW
        {
            *when = self.now;
            return *value;
        }
        let value = self.load(ty, from, offset);
        self.recent.insert((ty, from, offset), (value, self.now));
        value
    }

    fn switch_to(&mut self, block: Block) {
        self.recent.clear();
        self.b.switch_to_block(block);
    }

    fn store(&mut self, value: Value, to: Value, offset: i32) {
        self.b.ins().store(MemFlagsData::trusted(), value, to, offset);
    }

    /// Where a constant lies, alone or as a pair.
    fn place(&mut self, bits: u64, pair: bool) -> i32 {
        let pool = &mut self.pool;
        *self.places.entry((bits, pair)).or_insert_with(|| {
            let x = f64::from_bits(bits);
            if pair {
                pool.resize(pool.len().next_multiple_of(2), 0.0);
            }
            let place = pool.len() as i32 * BYTES;
            pool.resize(pool.len() + if pair { 2 } else { 1 }, x);
            place
        })
    }

    /// A constant in both lanes.
    pub(super) fn splat(&mut self, x: f64) -> Value {
        let place = self.place(x.to_bits(), true);
        self.read_again(types::F64X2, self.constants, place)
    }

    /// The same by its bits, as integers.
    pub(super) fn splat_bits(&mut self, x: u64) -> Value {
        let place = self.place(x, true);
        self.read_again(types::I64X2, self.constants, place)
    }

    /// The lanes as integers.
    pub(super) fn bits(&mut self, x: Value) -> Value {
        self.cast(types::I64X2, x)
    }

    /// The same bits as another type of vector.
    pub(super) fn cast(&mut self, ty: Type, x: Value) -> Value {
        let flags = MemFlagsData::new().with_endianness(cranelift_codegen::ir::Endianness::Little);
        self.b.ins().bitcast(ty, flags, x)
    }

    /// a · b + c.
    pub(super) fn mul_add(&mut self, a: Value, b: Value, c: Value) -> Value {
        if self.fuse {
            self.b.ins().fma(a, b, c)
        } else {
            let product = self.b.ins().fmul(a, b);
            self.b.ins().fadd(product, c)
        }
    }

    /// c − a · b.
    pub(super) fn neg_mul_add(&mut self, a: Value, b: Value, c: Value) -> Value {
        if self.fuse {
            let minus = self.b.ins().fneg(a);
            self.b.ins().fma(minus, b, c)
        } else {
            let product = self.b.ins().fmul(a, b);
            self.b.ins().fsub(c, product)
        }
    }

    /// c₀ + c₁ z.
    pub(super) fn line(&mut self, z: Value, c0: f64, c1: f64) -> Value {
        let c1 = self.splat(c1);
        let c0 = self.splat(c0);
        self.mul_add(z, c1, c0)
    }

    /// Both rows' inputs as pairs.
    fn keep_inputs(&mut self) {
        let mut place = self.inputs_at(0);
        for (array, &n) in self.tape.lengths.iter().enumerate() {
            let (first, row) = (self.arrays[array], n as i32 * BYTES);
            for i in (0..n - n % 2).step_by(2) {
                let offset = i as i32 * BYTES;
                let a = self.load(types::F64X2, first, offset);
                let b = self.load(types::F64X2, first, row + offset);
                let (low, high) = self.transposed(a, b);
                self.store(low, self.kept, place);
                self.store(high, self.kept, place + 2 * BYTES);
                place += 4 * BYTES;
            }
            if n % 2 == 1 {
                let offset = (n - 1) as i32 * BYTES;
                let a = self.load(types::F64, first, offset);
                self.store(a, self.kept, place);
                let b = self.load(types::F64, first, row + offset);
                self.store(b, self.kept, place + BYTES);
                place += 2 * BYTES;
            }
        }
    }

    /// (a₀, b₀) and (a₁, b₁).
    fn transposed(&mut self, a: Value, b: Value) -> (Value, Value) {
        const LOW: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
        const HIGH: [u8; 16] = [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31];
        let (a, b) = (self.cast(types::I8X16, a), self.cast(types::I8X16, b));
        [LOW, HIGH]
            .map(|mask| {
                let mask = self.b.func.dfg.immediates.push(mask.as_slice().into());
                let mixed = self.b.ins().shuffle(a, b, mask);
                self.cast(types::F64X2, mixed)
            })
            .into()
    }

    /// Where the inputs of an array are kept, as pairs.
    fn inputs_at(&self, array: usize) -> i32 {
        (4 * self.tape.angles.len() + 2 * self.tape.lengths[..array].iter().sum::<usize>()) as i32 * BYTES
    }

    /// Where the sine of an angle is kept, and its cosine.
    fn sines_at(&self, angle: usize) -> (i32, i32) {
        let (width, count) = match self.lanes {
            Lanes::One => (1, self.tape.angles.len().next_multiple_of(2)),
            Lanes::Two => (2, self.tape.angles.len()),
        };
        ((width * angle) as i32 * BYTES, (width * (count + angle)) as i32 * BYTES)
    }

    /// All sines and cosines.
    fn keep_sines(&mut self, any: &AnySize) {
        if self.tape.angles.is_empty() {
            return;
        }
        let angles: Vec<Value> = match self.lanes {
            Lanes::One => (0..self.tape.angles.len()).step_by(2).map(|k| self.two_angles(k)).collect(),
            Lanes::Two => (0..self.tape.angles.len()).map(|k| self.read(self.tape.angles[k])).collect(),
        };
        let mut moderate = None;
        for &x in &angles {
            let limit = self.splat(MODERATE);
            let size = self.b.ins().fabs(x);
            let within = self.b.ins().fcmp(FloatCC::LessThanOrEqual, size, limit);
            moderate = Some(match moderate {
                Some(all) => self.b.ins().band(all, within),
                None => within,
            });
        }
        let moderate = self.b.ins().vall_true(moderate.expect("there are angles"));
        let (usual, rare, body) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(rare);
        const NONE: [BlockArg; 0] = [];
        self.b.ins().brif(moderate, usual, &NONE, rare, &NONE);

        let step = if self.lanes == Lanes::One { 2 } else { 1 };
        self.switch_to(rare);
        for (k, &x) in angles.iter().enumerate() {
            let (sines, cosines) = self.sines_at(step * k);
            for lane in 0..2 {
                let one = self.b.ins().extractlane(x, lane);
                for (function, place) in [(any.sine, sines), (any.cosine, cosines)] {
                    let call = self.b.ins().call(function, &[one]);
                    let value = self.b.inst_results(call)[0];
                    self.store(value, self.kept, place + i32::from(lane) * BYTES);
                }
            }
        }
        self.b.ins().jump(body, &NONE);

        self.switch_to(usual);
        let (mut sine, mut cosine) = (vec![], vec![]);
        for some in angles.chunks(TOGETHER) {
            let (s, c) = trig::sin_cos(self, some);
            sine.extend(s);
            cosine.extend(c);
        }
        for k in 0..angles.len() {
            let (sines, cosines) = self.sines_at(step * k);
            self.store(sine[k], self.kept, sines);
            self.store(cosine[k], self.kept, cosines);
        }
        self.b.ins().jump(body, &NONE);
        self.switch_to(body);
    }

    /// Angles k and k + 1; the last alone is taken twice.
    fn two_angles(&mut self, k: usize) -> Value {
        let first = self.tape.angles[k];
        let second = self.tape.angles.get(k + 1).copied().unwrap_or(first);
        if let (Operand::Input(a, i), Operand::Input(b, j)) = (first, second)
            && a == b
            && j == i + 1
        {
            return self.load(types::F64X2, self.arrays[a], i as i32 * BYTES);
        }
        let (first, second) = (self.read(first), self.read(second));
        let pair = self.b.ins().scalar_to_vector(types::F64X2, first);
        self.b.ins().insertlane(pair, second, 1)
    }

    fn read(&mut self, o: Operand) -> Value {
        let ty = self.ty();
        match (o, self.lanes) {
            (Operand::Value(k), _) => self.values[k].expect("operands come before"),
            (Operand::Constant(c), lanes) => {
                let place = self.place(self.tape.constants[c].to_bits(), lanes == Lanes::Two);
                self.read_again(ty, self.constants, place)
            }
            (Operand::Input(array, i), Lanes::One) => self.read_again(ty, self.arrays[array], i as i32 * BYTES),
            (Operand::Input(array, i), Lanes::Two) => {
                self.read_again(ty, self.kept, self.inputs_at(array) + 2 * i as i32 * BYTES)
            }
            (Operand::Sine(k), _) => self.read_again(ty, self.kept, self.sines_at(k).0),
            (Operand::Cosine(k), _) => self.read_again(ty, self.kept, self.sines_at(k).1),
        }
    }

    fn op(&mut self, k: usize) {
        self.now += 1;
        let value = match self.tape.ops[k] {
            Op::Add(a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                self.b.ins().fadd(a, b)
            }
            Op::Sub(a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                self.b.ins().fsub(a, b)
            }
            Op::Mul(a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                self.b.ins().fmul(a, b)
            }
            Op::MulAdd(a, b, c) => {
                let (c, a, b) = (self.read(c), self.read(a), self.read(b));
                self.mul_add(a, b, c)
            }
            Op::MulSub(a, b, c) => {
                let (c, a, b) = (self.read(c), self.read(a), self.read(b));
                let c = self.b.ins().fneg(c);
                self.b.ins().fma(a, b, c)
            }
            Op::NegMulAdd(a, b, c) => {
                let (c, a, b) = (self.read(c), self.read(a), self.read(b));
                self.neg_mul_add(a, b, c)
            }
            Op::Div(a, b) => {
                let (a, b) = (self.read(a), self.read(b));
                self.b.ins().fdiv(a, b)
            }
            Op::Root(a) => {
                let a = self.read(a);
                self.b.ins().sqrt(a)
            }
            Op::Neg(a) => {
                let a = self.read(a);
                self.b.ins().fneg(a)
            }
            Op::Sign(a) => self.sign(a),
        };
        self.values[k] = Some(value);
    }

    /// One with the sign of a; a itself where it is zero.
    fn sign(&mut self, a: Operand) -> Value {
        let a = self.read(a);
        let pair = if self.lanes == Lanes::One { self.b.ins().scalar_to_vector(types::F64X2, a) } else { a };
        let zero = self.splat(0.0);
        let is_zero = self.b.ins().fcmp(FloatCC::Equal, pair, zero);
        let bits = self.bits(pair);
        let sign_bit = self.splat_bits(1 << 63);
        let sign = self.b.ins().band(bits, sign_bit);
        let one = self.splat_bits(1f64.to_bits());
        let one = self.b.ins().bor(sign, one);
        let chosen = self.b.ins().bitselect(is_zero, bits, one);
        let chosen = self.cast(types::F64X2, chosen);
        if self.lanes == Lanes::One { self.b.ins().extractlane(chosen, 0) } else { chosen }
    }

    /// Writes result i.
    fn give(&mut self, i: usize, value: Value) {
        let place = i as i32 * BYTES;
        match self.lanes {
            Lanes::One => self.store(value, self.out, place),
            Lanes::Two => {
                let row = self.tape.outputs.len() as i32 * BYTES;
                for lane in 0..2 {
                    let one = self.b.ins().extractlane(value, lane);
                    self.store(one, self.out, place + i32::from(lane) * row);
                }
            }
        }
    }
}
