//! Translates instructions into a Cranelift function.
//!
//! `f(constants, a₀, a₁, a₂, out)`: constants, input arrays, results. It returns a number whose sign bit is set if a pivot has
//! the wrong sign. For one state, lanes hold several angles while sines are computed; for several states (one per lane,
//! consecutive rows) every value is a vector.

use super::trig;
use crate::lower::{Instructions, Op, Operand, Pivot};
use crate::number::Format;

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{
    Block, BlockArg, FuncRef, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, Type, Value, types,
};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FuncInstBuilder, FunctionBuilder};
use std::collections::HashMap;

/// Sine and cosine for angles of any size.
pub(crate) struct AnySize {
    pub(crate) sine: FuncRef,
    pub(crate) cosine: FuncRef,
}

/// A value read from memory is kept in a register for this many instructions. Measured: 2 to 8 are equal, and 10 % faster
/// than 0.
const WINDOW: usize = 4;

/// Vectors of angles computed together, so that their constants are read once and their latencies overlap.
const TOGETHER: usize = 2;

/// Emits one function.
pub(crate) struct Emitter<'a> {
    pub(super) b: FunctionBuilder<'a>,
    pub(super) fuse: bool,
    pub(super) format: &'static Format,
    /// Number of states: one, or the number of lanes.
    states: usize,
    code: &'a Instructions,
    constants: Value,
    arrays: [Value; 3],
    out: Value,
    /// Stack memory of the sines, the cosines and, for several states, the inputs.
    kept: Value,
    pool: Vec<u8>,
    /// Offsets of the constants in the pool, by their bits and whether they fill all lanes.
    places: HashMap<(u64, bool), i32>,
    values: Vec<Option<Value>>,
    /// Values read from memory, with the time of the last use.
    recent: HashMap<(Type, Value, i32), (Value, usize)>,
    /// Instructions so far.
    now: usize,
    /// The bits of all pivots so far, combined: the sign bit is set if a sign is wrong.
    pivots: Option<Value>,
}

/// The constants as they lie in memory.
pub(crate) type Pool = Box<[Register]>;

/// The bytes of a register, aligned as one.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct Register([u8; 16]);

impl<'a> Emitter<'a> {
    /// Emits the function; returns the constants it reads.
    pub(crate) fn write(
        mut b: FunctionBuilder<'a>,
        code: &'a Instructions,
        format: &'static Format,
        states: usize,
        fuse: bool,
        any: AnySize,
        target: TargetFrontendConfig,
    ) -> Pool {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let p = b.block_params(entry).to_vec();
        let pointer = b.func.dfg.value_type(p[0]);
        let inputs = if states == 1 { 0 } else { code.lengths.iter().sum::<usize>() };
        let size = 2 * states * code.angles.len().next_multiple_of(format.lanes) + states * inputs;
        let size = (format.bytes * size).max(16) as u32;
        let slot = b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, size, 4));
        let kept = b.ins().stack_addr(pointer, slot, 0);
        let mut e = Emitter {
            b,
            fuse,
            format,
            states,
            code,
            constants: p[0],
            arrays: [p[1], p[2], p[3]],
            out: p[4],
            kept,
            pool: vec![],
            places: HashMap::new(),
            values: vec![None; code.ops.len()],
            recent: HashMap::new(),
            now: 0,
            pivots: None,
        };
        if states > 1 {
            e.keep_inputs();
        }
        for k in 0..code.before {
            e.op(k);
        }
        e.keep_sines(&any);
        e.body();
        let sign = e.joined_pivots();
        e.b.ins().return_(&[sign]);
        e.b.seal_all_blocks();
        e.b.finalize(target);
        e.pool.resize(e.pool.len().next_multiple_of(16), 0);
        e.pool.as_chunks().0.iter().map(|c| Register(*c)).collect()
    }

    fn body(&mut self) {
        let mut results: Vec<Vec<usize>> = vec![vec![]; self.code.ops.len()];
        let mut at_once = vec![];
        for (i, o) in self.code.outputs.iter().enumerate() {
            match o {
                Operand::Value(k) => results[*k].push(i),
                _ => at_once.push(i),
            }
        }
        for i in at_once {
            let value = self.read(self.code.outputs[i]);
            self.store_result(i, value);
        }
        for k in 0..self.code.ops.len() {
            if k >= self.code.before {
                self.op(k);
            }
            for &i in &results[k] {
                self.store_result(i, self.values[k].expect("just computed"));
            }
        }
    }

    fn ty(&self) -> Type {
        if self.states == 1 { self.format.number } else { self.format.vector }
    }

    /// Offset of element i of an array.
    fn at(&self, i: usize) -> i32 {
        (self.format.bytes * i) as i32
    }

    fn load(&mut self, ty: Type, from: Value, offset: i32) -> Value {
        self.b.ins().load(ty, MemFlagsData::trusted(), from, offset)
    }

    /// Reads an immutable value; one read recently is still in its register.
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

    /// Offset of a constant, single or in all lanes.
    fn place(&mut self, bits: u64, lanes: bool) -> i32 {
        let (pool, format) = (&mut self.pool, self.format);
        *self.places.entry((bits, lanes)).or_insert_with(|| {
            if lanes {
                pool.resize(pool.len().next_multiple_of(16), 0);
            }
            let place = pool.len() as i32;
            for _ in 0..if lanes { format.lanes } else { 1 } {
                match format.bytes {
                    8 => pool.extend(bits.to_ne_bytes()),
                    _ => pool.extend((bits as u32).to_ne_bytes()),
                }
            }
            place
        })
    }

    /// A constant in all lanes.
    pub(super) fn splat(&mut self, x: f64) -> Value {
        let place = self.place(self.format.bits(x), true);
        self.read_again(self.format.vector, self.constants, place)
    }

    /// The same by its bits, as integers.
    pub(super) fn splat_bits(&mut self, x: u64) -> Value {
        let place = self.place(x, true);
        self.read_again(self.format.integers, self.constants, place)
    }

    /// The lanes as integers.
    pub(super) fn bits(&mut self, x: Value) -> Value {
        self.cast(self.format.integers, x)
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

    /// c₀ + c₁ z, or c₀ alone.
    pub(super) fn line(&mut self, z: Value, c: &[f64]) -> Value {
        match *c {
            [c0, c1] => {
                let (c1, c0) = (self.splat(c1), self.splat(c0));
                self.mul_add(z, c1, c0)
            }
            _ => self.splat(c[0]),
        }
    }

    /// Stores the inputs of all rows as vectors, one for each input.
    fn keep_inputs(&mut self) {
        let lanes = self.states;
        for (array, &n) in self.code.lengths.iter().enumerate() {
            let from = self.arrays[array];
            // Square blocks of the rows; the last may overlap the one before.
            let squares = if n < lanes { vec![] } else { (0..n - lanes).step_by(lanes).chain([n - lanes]).collect() };
            for i in squares {
                let rows = (0..lanes).map(|row| self.load(self.format.vector, from, self.at(row * n + i))).collect();
                for (k, column) in self.transposed(rows).into_iter().enumerate() {
                    self.store(column, self.kept, self.input_at(array, i + k));
                }
            }
            for i in 0..if n < lanes { n } else { 0 } {
                let column: Vec<Value> =
                    (0..lanes).map(|row| self.load(self.format.number, from, self.at(row * n + i))).collect();
                let column = self.vector(&column);
                self.store(column, self.kept, self.input_at(array, i));
            }
        }
    }

    /// Transposes a square block. Each step interleaves the first half of the vectors with the second.
    fn transposed(&mut self, mut rows: Vec<Value>) -> Vec<Value> {
        let (lanes, bytes) = (self.format.lanes, self.format.bytes);
        // Source of byte b of the interleaved vector; bytes of the second vector count from 16.
        let mask = |high: bool| -> [u8; 16] {
            std::array::from_fn(|b| {
                let (lane, byte) = (b / bytes, b % bytes);
                let element = lane / 2 + if high { lanes / 2 } else { 0 };
                (16 * (lane % 2) + element * bytes + byte) as u8
            })
        };
        for _ in 0..lanes.ilog2() {
            let rows_as_bytes: Vec<Value> = rows.iter().map(|&r| self.cast(types::I8X16, r)).collect();
            let (first, second) = rows_as_bytes.split_at(lanes / 2);
            rows = vec![];
            for (&a, &b) in first.iter().zip(second) {
                for high in [false, true] {
                    let mask = self.b.func.dfg.immediates.push(mask(high).as_slice().into());
                    let mixed = self.b.ins().shuffle(a, b, mask);
                    rows.push(self.cast(self.format.vector, mixed));
                }
            }
        }
        rows
    }

    /// A vector of numbers; the last is repeated in the remaining lanes.
    fn vector(&mut self, numbers: &[Value]) -> Value {
        let mut vector = self.b.ins().scalar_to_vector(self.format.vector, numbers[0]);
        for lane in 1..self.format.lanes {
            let number = numbers[lane.min(numbers.len() - 1)];
            vector = self.b.ins().insertlane(vector, number, lane as u8);
        }
        vector
    }

    /// Offsets of the sine and the cosine of an angle.
    fn sines_at(&self, angle: usize) -> (i32, i32) {
        let count = self.code.angles.len().next_multiple_of(self.format.lanes);
        (self.at(self.states * angle), self.at(self.states * (count + angle)))
    }

    /// Offset of an input's vector.
    fn input_at(&self, array: usize, i: usize) -> i32 {
        let angles = self.code.angles.len().next_multiple_of(self.format.lanes);
        let before = self.code.lengths[..array].iter().sum::<usize>();
        self.at(self.states * (2 * angles + before + i))
    }

    /// Computes and stores all sines and cosines.
    fn keep_sines(&mut self, any: &AnySize) {
        if self.code.angles.is_empty() {
            return;
        }
        // For one state the lanes are neighbouring angles, for several states the states.
        let step = self.format.lanes / self.states;
        let firsts = (0..self.code.angles.len()).step_by(step);
        let angles: Vec<Value> = firsts
            .map(|k| if self.states == 1 { self.angles_from(k) } else { self.read(self.code.angles[k]) })
            .collect();
        let mut moderate = None;
        for &x in &angles {
            let limit = self.splat(self.format.moderate);
            let size = self.b.ins().fabs(x);
            let within = self.b.ins().fcmp(FloatCC::LessThanOrEqual, size, limit);
            moderate = Some(match moderate {
                Some(all) => self.b.ins().band(all, within),
                None => within,
            });
        }
        let moderate = self.b.ins().vall_true(moderate.expect("there are angles"));
        let (fast, rare, body) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(rare);
        const NONE: [BlockArg; 0] = [];
        self.b.ins().brif(moderate, fast, &NONE, rare, &NONE);

        self.switch_to(rare);
        for (k, &x) in angles.iter().enumerate() {
            let (sines, cosines) = self.sines_at(step * k);
            for lane in 0..self.format.lanes {
                let one = self.b.ins().extractlane(x, lane as u8);
                for (function, place) in [(any.sine, sines), (any.cosine, cosines)] {
                    let call = self.b.ins().call(function, &[one]);
                    let value = self.b.inst_results(call)[0];
                    self.store(value, self.kept, place + self.at(lane));
                }
            }
        }
        self.b.ins().jump(body, &NONE);

        self.switch_to(fast);
        let (mut sine, mut cosine) = (vec![], vec![]);
        for chunk in angles.chunks(TOGETHER) {
            let (s, c) = trig::sin_cos(self, chunk);
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

    /// Angle k and the following ones in one vector.
    fn angles_from(&mut self, k: usize) -> Value {
        let angles = &self.code.angles[k..self.code.angles.len().min(k + self.format.lanes)];
        if let Operand::Input(array, i) = angles[0]
            && angles.len() == self.format.lanes
            && angles.iter().enumerate().all(|(lane, &a)| a == Operand::Input(array, i + lane))
        {
            return self.load(self.format.vector, self.arrays[array], self.at(i));
        }
        let angles: Vec<Value> = angles.iter().map(|&a| self.read(a)).collect();
        self.vector(&angles)
    }

    fn read(&mut self, o: Operand) -> Value {
        let (from, place) = match o {
            Operand::Value(k) => return self.values[k].expect("operands come before"),
            Operand::Constant(c) => {
                let bits = self.format.bits(self.code.constants[c]);
                (self.constants, self.place(bits, self.states > 1))
            }
            Operand::Input(array, i) if self.states == 1 => (self.arrays[array], self.at(i)),
            Operand::Input(array, i) => (self.kept, self.input_at(array, i)),
            Operand::Sine(k) => (self.kept, self.sines_at(k).0),
            Operand::Cosine(k) => (self.kept, self.sines_at(k).1),
        };
        self.read_again(self.ty(), from, place)
    }

    fn binary(
        &mut self,
        a: Operand,
        b: Operand,
        op: impl FnOnce(FuncInstBuilder<'_, 'a>, Value, Value) -> Value,
    ) -> Value {
        let (a, b) = (self.read(a), self.read(b));
        op(self.b.ins(), a, b)
    }

    fn op(&mut self, k: usize) {
        self.now += 1;
        if let Op::Div(_, divisor) = self.code.ops[k] {
            self.join_pivot(divisor);
        }
        let value = match self.code.ops[k] {
            Op::Add(a, b) => self.binary(a, b, |i, a, b| i.fadd(a, b)),
            Op::Sub(a, b) => self.binary(a, b, |i, a, b| i.fsub(a, b)),
            Op::Mul(a, b) => self.binary(a, b, |i, a, b| i.fmul(a, b)),
            Op::Div(a, b) => self.binary(a, b, |i, a, b| i.fdiv(a, b)),
            Op::MulAdd(a, b, c) => {
                let [c, a, b] = [c, a, b].map(|o| self.read(o));
                self.mul_add(a, b, c)
            }
            Op::MulSub(a, b, c) => {
                let [c, a, b] = [c, a, b].map(|o| self.read(o));
                let c = self.b.ins().fneg(c);
                self.b.ins().fma(a, b, c)
            }
            Op::NegMulAdd(a, b, c) => {
                let [c, a, b] = [c, a, b].map(|o| self.read(o));
                self.neg_mul_add(a, b, c)
            }
            Op::Root(a) => self.binary(a, a, |i, a, _| i.sqrt(a)),
            Op::Neg(a) => self.binary(a, a, |i, a, _| i.fneg(a)),
            Op::Sign(a) => self.sign(a),
        };
        self.values[k] = Some(value);
    }

    /// A vector with the value at least in its first lane.
    fn widened(&mut self, x: Value) -> Value {
        if self.states == 1 { self.b.ins().scalar_to_vector(self.format.vector, x) } else { x }
    }

    /// ±1 with the sign of a; a itself where it is zero.
    fn sign(&mut self, a: Operand) -> Value {
        let a = self.read(a);
        let vector = self.widened(a);
        let zero = self.splat(0.0);
        let is_zero = self.b.ins().fcmp(FloatCC::Equal, vector, zero);
        let bits = self.bits(vector);
        let sign_bit = self.splat_bits(self.format.sign_bit());
        let sign = self.b.ins().band(bits, sign_bit);
        let one = self.splat_bits(self.format.bits(1.0));
        let one = self.b.ins().bor(sign, one);
        let chosen = self.b.ins().bitselect(is_zero, bits, one);
        let chosen = self.cast(self.format.vector, chosen);
        if self.states == 1 { self.b.ins().extractlane(chosen, 0) } else { chosen }
    }

    /// Combines a divisor's bits with those of earlier pivots if it is one, immediately, so that it needs no register later.
    fn join_pivot(&mut self, divisor: Operand) {
        let Some(&Pivot { negative, .. }) = self.code.pivots.iter().find(|p| p.operand == divisor) else { return };
        let value = self.read(divisor);
        let vector = self.widened(value);
        let mut bits = self.bits(vector);
        if negative {
            let sign_bit = self.splat_bits(self.format.sign_bit());
            bits = self.b.ins().bxor(bits, sign_bit);
        }
        self.pivots = Some(match self.pivots {
            Some(all) => self.b.ins().bor(all, bits),
            None => bits,
        });
    }

    /// A number that is negative if a pivot in any lane has the wrong sign.
    fn joined_pivots(&mut self) -> Value {
        let all = self.pivots.unwrap_or_else(|| self.splat_bits(0));
        let mut any = self.b.ins().extractlane(all, 0);
        for lane in 1..self.states {
            let lane = self.b.ins().extractlane(all, lane as u8);
            any = self.b.ins().bor(any, lane);
        }
        self.b.ins().bitcast(self.format.number, MemFlagsData::new(), any)
    }

    /// Stores result i.
    fn store_result(&mut self, i: usize, value: Value) {
        if self.states == 1 {
            return self.store(value, self.out, self.at(i));
        }
        for row in 0..self.states {
            let one = self.b.ins().extractlane(value, row as u8);
            self.store(one, self.out, self.at(row * self.code.outputs.len() + i));
        }
    }
}
