//! Every memory access of generated code is within the rows, the constants and the scratch memory that it is given, by the
//! disassembler's account of what instructions read and write.

use super::one_tests::sums_of_angles;
use super::tests::{all_targets, disassembled, instructions_of, small_programs};
use super::*;
use armdyn_symbolic::Quantity;
use armdyn_testkit::random::{self, Description, Drives, Joints};
use armdyn_testkit::{bundled, peers};
use iced_x86::{InstructionInfoFactory, Mnemonic, OpAccess, Register};
use std::collections::HashMap;
use std::ops::Range;

/// Where the accesses of some code to an array were: bytes, relative to the start of a block.
#[derive(Default)]
struct Accesses {
    read: Vec<Range<i64>>,
    written: Vec<Range<i64>>,
}

impl Accesses {
    fn all(&self) -> impl Iterator<Item = &Range<i64>> {
        self.read.iter().chain(&self.written)
    }
}

/// The accesses of code by their base register; those to constants are relative to the end of the code. Asserts that addresses are
/// a register, whose value is known, plus an offset.
fn accesses(written: &Code) -> HashMap<Register, Accesses> {
    let bytes = written.bytes();
    let all = disassembled(bytes);
    let end = all.iter().position(|i| i.mnemonic() == Mnemonic::Ret).expect("it returns");
    let pool = (all[end].next_ip().next_multiple_of(64)) as i64;
    let mut info = InstructionInfoFactory::new();
    let mut found: HashMap<Register, Accesses> = HashMap::new();
    let mut constants = None;
    for i in &all[..=end] {
        let info = info.info(i);
        let mut general = info.used_registers().iter().filter(|r| r.register().is_gpr());
        let changed: Vec<Register> = general
            .by_ref()
            .filter(|r| !matches!(r.access(), OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess))
            .map(|r| r.register().full_register())
            .collect();
        match i.mnemonic() {
            // The only address that is computed: the constants, behind the code.
            Mnemonic::Lea => {
                assert_eq!((i.memory_base(), i.op0_register(), constants), (Register::RIP, Register::R10, None));
                constants = Some(i.memory_displacement64() as i64 - pool);
                continue;
            }
            // Steps to the next block, after all accesses of this one: checked in `tests`.
            Mnemonic::Add | Mnemonic::Dec => continue,
            Mnemonic::Ret => assert_eq!(changed, [Register::RSP]),
            _ => assert_eq!(changed, [], "{i}"),
        }
        let accessed = info.used_memory().iter().filter(|_| i.mnemonic() != Mnemonic::Ret);
        for memory in accessed {
            assert_eq!((memory.index(), memory.segment()), (Register::None, Register::DS), "{i}");
            let offset = memory.displacement() as i64;
            let from =
                if memory.base() == Register::R10 { offset + constants.expect("it is loaded first") } else { offset };
            let range = from..from + memory.memory_size().size() as i64;
            let accesses = found.entry(memory.base()).or_default();
            match memory.access() {
                OpAccess::Read => accesses.read.push(range),
                OpAccess::Write => accesses.written.push(range),
                other => panic!("{i}: {other:?}"),
            }
        }
    }
    found
}

/// Asserts the bounds of all accesses. Of inputs every number is read, of results every one is written, and of the scratch memory
/// nothing is read that was not written, but for the check of blocks.
fn bounded(code: &Instructions, written: &Code) {
    let target = written.target();
    let number = target.format().bytes as i64;
    let mut found = accesses(written);
    let arrays = [Register::RDI, Register::RSI, Register::RDX, Register::RCX];
    for (register, length) in arrays.into_iter().zip(written.lengths()) {
        let of = found.remove(&register).unwrap_or_default();
        let bytes = 0..length as i64 * number;
        assert!(of.all().all(|r| r.start >= bytes.start && r.end <= bytes.end), "{register:?} of {length} numbers");
        let output = register == Register::RCX;
        assert!(if output { of.read.is_empty() } else { of.written.is_empty() }, "{register:?}");
        if output {
            // Narrow rows are filled up.
            let rows = written.lanes().unwrap_or(1);
            let (n, stride) = (code.outputs.len(), length / rows);
            let wanted = (0..rows).flat_map(|row| (0..n).map(move |i| (row * stride + i) as i64 * number));
            for at in wanted {
                assert!(of.written.iter().any(|r| r.start <= at && r.end >= at + number), "result at {at}");
            }
        }
    }
    let constants = found.remove(&Register::R10).unwrap_or_default();
    let pool =
        disassembled(written.bytes()).iter().find(|i| i.mnemonic() == Mnemonic::Ret).expect("it returns").next_ip();
    let size = written.bytes().len() as i64 - pool.next_multiple_of(64) as i64;
    assert!(constants.written.is_empty());
    assert!(constants.read.iter().all(|r| r.start >= 0 && r.end <= size), "constants: {size} bytes");
    let scratch = found.remove(&Register::R9).unwrap_or_default();
    assert!(scratch.all().all(|r| r.start >= 0 && r.end <= written.scratch() as i64), "{} bytes", written.scratch());
    let check = if written.lanes().is_some() { (Check::SLOTS * target.bytes()) as i64 } else { 0 };
    for r in scratch.read.iter().filter(|r| r.start >= check) {
        let mut bytes = r.clone();
        assert!(bytes.all(|b| scratch.written.iter().any(|w| w.contains(&b))), "{r:?} is read and never written");
    }
    assert!(found.is_empty(), "other addresses: {:?}", found.keys());
}

fn check(code: &Instructions) {
    for target in all_targets() {
        if !code.outputs.is_empty() {
            bounded(code, &write(code, target));
        }
        bounded(code, &write_one(code, target));
    }
}

#[test]
fn every_quantity() {
    for quantity in Quantity::ALL {
        for name in ["panda", "ur5e"] {
            check(&instructions_of(quantity, &bundled(name)));
        }
    }
    for quantity in [Quantity::Inverse, Quantity::Mass, Quantity::Forward] {
        check(&instructions_of(quantity, &peers::robot("talos_ff")));
    }
    for seed in 0..4 {
        let m = Description::random(seed, 4, Joints::All, seed % 2 == 0, Drives::Spinning).build();
        Quantity::ALL.iter().for_each(|&quantity| check(&instructions_of(quantity, &m)));
    }
}

/// Rows of every width up to two registers: narrower than a part of a register, and with a remainder.
#[test]
fn rows_of_every_width() {
    for joints in 1..=18 {
        let m = random::arm(1, &"RP".repeat(9)[..joints]);
        for quantity in [Quantity::Gravity, Quantity::Inverse] {
            check(&instructions_of(quantity, &m));
        }
    }
    small_programs().iter().chain(&sums_of_angles()).for_each(check);
}

/// An access outside is noticed: the same code, given less.
#[test]
#[should_panic(expected = "numbers")]
fn an_access_outside_is_noticed() {
    let code = instructions_of(Quantity::Inverse, &bundled("panda"));
    let written = write(&code, all_targets()[0]);
    let [q, qd, qdd, tau] = written.lengths;
    bounded(&code, &Code { lengths: [q, qd - 1, qdd, tau], ..written });
}
