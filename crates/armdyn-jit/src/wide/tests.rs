//! Tests of the code against a disassembler, and of its results in every order.

use super::encode::{Encoder, Extent, Length, Memory, Opcode, Place, base};
use super::registers::Allocation;
use super::schedule::Order;
use super::*;
use crate::lower::Operand;
use crate::machine::Blocks;
use crate::number::{Format, Number, sealed::Sealed};
use armdyn_core::Model;
use armdyn_symbolic::{Array, Quantity, Tape, trace};
use armdyn_testkit::{bundled, random};
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use std::collections::BTreeSet;

/// All targets, whether or not this machine can run them.
pub(super) fn all_targets() -> Vec<Target> {
    let formats = [const { &f64::FORMAT }, const { &f32::FORMAT }];
    formats.into_iter().flat_map(|format| [true, false].map(|wide| Target { wide, format })).collect()
}

pub(super) fn instructions(quantity: Quantity, name: &str) -> Instructions {
    instructions_of(quantity, &bundled(name))
}

/// The traced program of a robot.
pub(super) fn instructions_of(quantity: Quantity, m: &Model<f64>) -> Instructions {
    let program = trace(m, quantity).unwrap();
    let length = |a| if a == Array::Q { m.nq() } else { m.nv() };
    let arrays: Vec<(Array, usize)> = quantity.arrays().iter().map(|&a| (a, length(a))).collect();
    let tape = Tape::bind(&program.graph, &program.values(), &arrays, &[]).unwrap();
    let mut lengths = [0; 3];
    lengths.iter_mut().zip(&arrays).for_each(|(length, (_, n))| *length = *n);
    let mut code = Instructions::new(&tape, lengths, true).unwrap();
    code.pivots = code.divisors.clone();
    code
}

pub(super) fn disassembled(code: &[u8]) -> Vec<Instruction> {
    Decoder::with_ip(64, code, 0, DecoderOptions::NONE).into_iter().collect()
}

/// The last instruction that an encoder has written.
fn written(evex: bool, number: usize, write: impl FnOnce(&mut Encoder)) -> Instruction {
    let mut encoder = Encoder::new(evex, number);
    write(&mut encoder);
    let all = disassembled(&encoder.code);
    assert_eq!(all.len(), 1, "{:x?}", encoder.code);
    assert!(!all[0].is_invalid(), "{:x?}", encoder.code);
    all[0]
}

/// Registers of every bit pattern.
const EVERY: [u8; 7] = [0, 5, 7, 8, 15, 16, 31];

fn vector(n: u8, length: Length) -> Register {
    let first = match length {
        Length::L128 => Register::XMM0,
        Length::L256 => Register::YMM0,
        Length::L512 => Register::ZMM0,
    };
    first + u32::from(n)
}

#[test]
fn registers_are_the_disassemblers() {
    let add = |evex| Opcode { map: 1, prefix: 1, w: evex, byte: 0x58 };
    let fused = Opcode { map: 2, prefix: 1, w: true, byte: 0xb8 };
    for (evex, lengths) in [(true, [Length::L512, Length::L256, Length::L128]), (false, [Length::L256; 3])] {
        for length in lengths {
            for (opcode, mnemonic) in [(add(evex), Mnemonic::Vaddpd), (fused, Mnemonic::Vfmadd231pd)] {
                let usable = || EVERY.into_iter().filter(|&r| evex || r < 16);
                for (a, b, c) in usable().flat_map(|a| usable().flat_map(move |b| usable().map(move |c| (a, b, c)))) {
                    let i = written(evex, 8, |e| e.op(opcode, a, b, Place::Register(c), 0, length));
                    assert_eq!(i.mnemonic(), mnemonic);
                    let found = [i.op0_register(), i.op1_register(), i.op2_register()];
                    assert_eq!(found, [a, b, c].map(|r| vector(r, length)));
                    assert_eq!(i.op_mask(), Register::None);
                }
            }
        }
    }
}

#[test]
fn addresses_are_the_disassemblers() {
    let registers = [
        (7, Register::RDI),
        (6, Register::RSI),
        (2, Register::RDX),
        (1, Register::RCX),
        (9, Register::R9),
        (10, Register::R10),
    ];
    let known: Vec<u8> = base::INPUTS.into_iter().chain([base::OUT, base::SCRATCH, base::POOL]).collect();
    assert_eq!(known, registers.map(|(n, _)| n));
    let offsets = [0, 8, -8, 4, 64, 127, 128, -128, -129, 1016, 1024, -1024, -1032, 8128, 8192, 12345, -70000];
    for (n, register) in registers {
        for offset in offsets {
            for evex in [true, false] {
                let double = Opcode { map: 1, prefix: 1, w: evex, byte: 0x59 };
                let memory = |extent| Place::Memory(Memory { base: n, offset, extent });
                let length = if evex { Length::L512 } else { Length::L256 };
                let i = written(evex, 8, |e| e.op(double, 9, 3, memory(Extent::Vector), 0, length));
                assert_eq!((i.mnemonic(), i.is_broadcast()), (Mnemonic::Vmulpd, false));
                assert_eq!((i.memory_base(), i.memory_displacement64() as i64), (register, offset.into()));
                assert_eq!(i.memory_size().size(), if evex { 64 } else { 32 });

                // Parts: vinsertf64x4, vinsertf128, vmovups of 16 bytes.
                let insert = Opcode { map: 3, prefix: 1, w: evex, byte: if evex { 0x1a } else { 0x18 } };
                let bytes = if evex { 32 } else { 16 };
                let i = written(evex, 8, |e| {
                    e.op(insert, 9, 3, memory(Extent::Bytes(bytes)), 0, length);
                    e.immediate(1);
                });
                assert_eq!(i.mnemonic(), if evex { Mnemonic::Vinsertf64x4 } else { Mnemonic::Vinsertf128 });
                assert_eq!((i.memory_displacement64() as i64, i.immediate8()), (offset.into(), 1));
                assert_eq!(i.memory_size().size(), usize::from(bytes));
                let load = Opcode { map: 1, prefix: 0, w: false, byte: 0x10 };
                let i = written(evex, 4, |e| e.op(load, 1, 0, memory(Extent::Bytes(16)), 0, Length::of(16)));
                assert_eq!((i.mnemonic(), i.memory_displacement64() as i64), (Mnemonic::Vmovups, offset.into()));
                assert_eq!(i.op1_kind(), OpKind::Memory);
            }
            for (number, opcode, mnemonic) in [
                (8, Opcode { map: 2, prefix: 1, w: true, byte: 0x9c }, Mnemonic::Vfnmadd132pd),
                (4, Opcode { map: 2, prefix: 1, w: false, byte: 0x9a }, Mnemonic::Vfmsub132ps),
            ] {
                let place = Place::Memory(Memory { base: n, offset, extent: Extent::Broadcast });
                let i = written(true, number, |e| e.op(opcode, 31, 17, place, 0, Length::L512));
                assert_eq!((i.mnemonic(), i.is_broadcast()), (mnemonic, true));
                assert_eq!((i.memory_base(), i.memory_displacement64() as i64), (register, offset.into()));
            }
        }
    }
}

#[test]
fn masks_are_the_disassemblers() {
    for mask in 1..8 {
        let blend = Opcode { map: 2, prefix: 1, w: true, byte: 0x65 };
        let i = written(true, 8, |e| e.op(blend, 20, 3, Place::Register(30), mask, Length::L512));
        assert_eq!((i.mnemonic(), i.op_mask()), (Mnemonic::Vblendmpd, Register::K0 + u32::from(mask)));
        let test = Opcode { map: 2, prefix: 1, w: true, byte: 0x27 };
        let i = written(true, 8, |e| e.op(test, mask, 20, Place::Register(30), 0, Length::L512));
        assert_eq!((i.mnemonic(), i.op0_register()), (Mnemonic::Vptestmq, Register::K0 + u32::from(mask)));
        assert_eq!((i.op1_register(), i.op2_register()), (Register::ZMM20, Register::ZMM30));
    }
}

/// The instructions of a program: valid, of the features that the target requires, and the same bytes from another encoder.
/// Returns their mnemonics.
fn checked(code: &Instructions, target: Target) -> BTreeSet<String> {
    let bytes = write(code, target).bytes;
    let all = disassembled(&bytes);
    let end = all.iter().position(|i| i.mnemonic() == Mnemonic::Ret).expect("it returns");
    same_bytes(&all[..=end], &bytes, target);
    let [steps @ .., decrement, jump, _, _] = &all[..=end] else { panic!("{end}") };
    assert_eq!((decrement.mnemonic(), decrement.op0_register()), (Mnemonic::Dec, Register::R8));
    assert_eq!((jump.mnemonic(), jump.near_branch_target()), (Mnemonic::Jne, 32));
    let [a, b, c] = code.lengths;
    let steps = &steps[steps.len() - 4..];
    for ((i, n), register) in steps.iter().zip([a, b, c, code.outputs.len()]).zip([
        Register::RDI,
        Register::RSI,
        Register::RDX,
        Register::RCX,
    ]) {
        assert_eq!((i.mnemonic(), i.op0_register()), (Mnemonic::Add, register));
        assert_eq!(i.immediate32() as usize, target.lanes() * target.stride(n) * target.format.bytes);
    }
    all[..=end].iter().map(|i| format!("{:?}", i.mnemonic())).collect()
}

/// Asserts that instructions are valid, of the features that the target requires, and the same bytes from another encoder.
pub(super) fn same_bytes(all: &[Instruction], bytes: &[u8], target: Target) {
    let mut encoder = iced_x86::Encoder::new(64);
    for i in all {
        let at = i.ip() as usize;
        assert!(!i.is_invalid(), "{at:#x}");
        encoder.encode(i, i.ip()).unwrap();
        let again = encoder.take_buffer();
        // The steps of the arrays, and the jump, have four bytes, however small.
        if !matches!(i.mnemonic(), Mnemonic::Add | Mnemonic::Jne) {
            assert_eq!(again, bytes[at..at + i.len()], "{i}");
        }
        for feature in i.cpuid_features() {
            use iced_x86::CpuidFeature as F;
            let usual = [F::X64, F::INTEL8086, F::INTEL386, F::AVX, F::AVX2, F::FMA, F::MULTIBYTENOP].contains(feature);
            let wide = [F::AVX512F, F::AVX512DQ, F::AVX512VL].contains(feature);
            assert!(usual || (target.wide && wide), "{i} needs {feature:?}");
        }
    }
}

/// All instructions that the code generator knows are in one of these programs.
#[test]
fn programs_are_the_disassemblers() {
    use Quantity::{Derivatives, Forward, Inverse, Mass};
    for target in all_targets() {
        let programs = [(Inverse, "panda"), (Mass, "ur5e"), (Forward, "panda"), (Derivatives, "ur5e")];
        let programs = programs.into_iter().map(|(quantity, robot)| instructions(quantity, robot));
        let kinds: BTreeSet<String> =
            programs.chain(small_programs()).flat_map(|code| checked(&code, target)).collect();
        let last = if target.single() { "s" } else { "d" };
        let numbers = "Vaddp Vsubp Vmulp Vdivp Vsqrtp Vmaxp Vandp Vorp Vxorp Vunpcklp Vunpckhp Vmovup Vmovap \
                       Vfmadd132p Vfmadd213p Vfmadd231p Vfmsub132p Vfmsub213p Vfmsub231p Vfnmadd132p Vfnmadd213p Vfnmadd231p";
        let others = match (target.wide, target.single()) {
            (true, false) => {
                "Vinsertf64x4 Vextractf64x4 Vshuff64x2 Vpermt2pd Vptestmq Vblendmpd Vpternlogq Vpaddq Vpsllq Vbroadcastsd"
            }
            (true, true) => {
                "Vinsertf32x4 Vextractf32x4 Vshuff32x4 Vunpcklpd Vunpckhpd Vptestmd Vblendmps Vpternlogd Vpaddd Vpslld Vbroadcastss"
            }
            (false, false) => "Vinsertf128 Vextractf128 Vblendvpd Vpaddq Vpsllq",
            (false, true) => "Vinsertf128 Vextractf128 Vblendvps Vunpcklpd Vunpckhpd Vpaddd Vpslld",
        };
        let frame = "Lea Nop Add Dec Jne Vzeroupper Ret";
        let numbers = numbers.split_whitespace().map(|m| format!("{m}{last}"));
        let expected = numbers.chain(format!("{others} {frame}").split_whitespace().map(String::from)).collect();
        assert_eq!(kinds, expected);
    }
}

/// One operation of each kind on a constant, a sum and a difference of two inputs, which are used again or not.
pub(super) fn small_programs() -> Vec<Instructions> {
    use crate::lower::Op::*;
    let places = [Operand::Constant(0), Operand::Value(0), Operand::Value(1)];
    let [x, y] = [0, 1].map(|i| Operand::Input(0, i));
    let mut all = vec![];
    for (a, b, c) in places.into_iter().flat_map(|a| places.map(|b| places.map(|c| (a, b, c)))).flatten() {
        let mut ops = vec![MulAdd(a, b, c), MulSub(a, b, c), NegMulAdd(a, b, c)];
        if c == places[0] {
            ops.extend([Add(a, b), Sub(a, b), Mul(a, b), Div(a, b)]);
        }
        if (b, c) == (places[0], places[0]) {
            ops.extend([Root(a), Sign(a), Neg(a)]);
        }
        for op in ops {
            for again in [0, 1, 2] {
                let outputs = [Operand::Value(2)].into_iter().chain(places[3 - again..].iter().copied()).collect();
                let (constants, lengths) = (vec![2.75], [2, 0, 0]);
                all.push(Instructions {
                    constants,
                    lengths,
                    ops: vec![Add(x, y), Sub(x, y), op],
                    outputs,
                    ..Instructions::default()
                });
            }
        }
    }
    all
}

/// Each operation against the language's.
#[test]
fn every_operation() {
    fn check<T: Number + PartialEq + std::fmt::Debug>(format: &'static Format, mul_add: fn(T, T, T) -> T) {
        for (code, host) in
            small_programs().iter().flat_map(|code| Host::all(format).into_iter().map(move |host| (code, host)))
        {
            let target = host.target();
            let blocks = Blocks::<T>::new(&write(code, target), host).unwrap();
            let (lanes, stride) = (target.lanes(), target.stride(2));
            let row = |i: usize| [0.5 + i as f64, 7.25 - 3.0 * i as f64].map(T::lift);
            let mut inputs = vec![T::default(); lanes * stride];
            inputs.chunks_mut(stride).enumerate().for_each(|(i, x)| x[..2].copy_from_slice(&row(i)));
            let stride = target.stride(code.outputs.len());
            let mut out = vec![T::default(); lanes * stride];
            blocks.run([&inputs, &[], &[]], &mut out, &mut vec![]);
            for (i, found) in out.chunks(stride).enumerate() {
                use crate::lower::Op::*;
                let value = |o: Operand| match o {
                    Operand::Value(0) => row(i)[0] + row(i)[1],
                    Operand::Value(_) => row(i)[0] - row(i)[1],
                    _ => T::lift(2.75),
                };
                let v = value;
                let right = match code.ops[2] {
                    Add(a, b) => v(a) + v(b),
                    Sub(a, b) => v(a) - v(b),
                    Mul(a, b) => v(a) * v(b),
                    Div(a, b) => v(a) / v(b),
                    MulAdd(a, b, c) => mul_add(v(a), v(b), v(c)),
                    MulSub(a, b, c) => mul_add(v(a), v(b), -v(c)),
                    NegMulAdd(a, b, c) => mul_add(-v(a), v(b), v(c)),
                    Root(a) if v(a).into() < 0.0 => continue,
                    Root(a) => v(a).sqrt(),
                    Sign(a) => v(a).sign(),
                    Neg(a) => -v(a),
                };
                assert_eq!(found[0], right, "{:?}, {lanes} lanes, row {i}", code.ops[2]);
                for (found, &o) in found.iter().zip(&code.outputs).skip(1) {
                    assert_eq!(*found, value(o), "{:?}", code.ops[2]);
                }
            }
        }
    }
    check::<f64>(const { &f64::FORMAT }, f64::mul_add);
    check::<f32>(const { &f32::FORMAT }, f32::mul_add);
}

/// Results of a program in an order.
fn results<T: Number>(code: &Instructions, host: Host, order: Order, allocation: Allocation) -> Vec<T> {
    let target = host.target();
    let blocks = Blocks::<T>::new(&write_in(code, target, order, allocation), host).unwrap();
    let (lanes, mut rng) = (target.lanes(), random::source(3));
    let inputs = code
        .lengths
        .map(|n| random::numbers(&mut rng, 3 * lanes * n, 2.0).into_iter().map(T::lift).collect::<Vec<T>>());
    let mut out = vec![T::default(); 3 * lanes * code.outputs.len()];
    blocks.run(inputs.each_ref().map(Vec::as_slice), &mut out, &mut vec![]);
    out
}

/// Orders differ in what is spilled and where; the results must not.
#[test]
fn every_order_gives_the_same_results() {
    fn compare<T: Number + std::fmt::Debug + PartialEq>(format: &'static Format) {
        for quantity in [Quantity::Inverse, Quantity::Mass, Quantity::Forward, Quantity::Derivatives] {
            let code = instructions(quantity, "ur5e");
            for host in Host::all(format) {
                let mut first: Option<Vec<T>> = None;
                for live in [1, 8, 14, 20, 28, 60, usize::MAX >> 1] {
                    for window in [0, 7, 40, usize::MAX] {
                        for (reload_within, memory_bonus) in [(0, 4), (10, 12), (40, 6), (1000, 1)] {
                            let allocation = Allocation { reload_within, memory_bonus };
                            let found: Vec<T> = results(&code, host, Order { live, window }, allocation);
                            assert!(found.iter().all(|x| x.is_finite()));
                            let first = first.get_or_insert_with(|| found.clone());
                            assert_eq!(*first, found, "{quantity} {live} {window} {allocation:?}");
                        }
                    }
                }
            }
        }
    }
    compare::<f64>(const { &f64::FORMAT });
    compare::<f32>(const { &f32::FORMAT });
}
