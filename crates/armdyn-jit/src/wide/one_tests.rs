//! Tests of the code of one state: against Cranelift's, bit by bit, against a disassembler, and of what it refuses.

use super::tests::{all_targets, disassembled, instructions, same_bytes, small_programs};
use super::*;
use crate::machine::{Machine, One};
use crate::number::{Format, Number, sealed::Sealed};
use crate::{lower, native};
use armdyn_symbolic::Quantity;
use armdyn_testkit::random;
use iced_x86::Mnemonic;
use std::collections::BTreeSet;

const QUANTITIES: [Quantity; 5] =
    [Quantity::Inverse, Quantity::Gravity, Quantity::Mass, Quantity::Forward, Quantity::Derivatives];

/// Programs of robots, whose pivots are not checked because their signs are not known, and of one operation each.
fn programs() -> impl Iterator<Item = Instructions> {
    let robots = ["panda", "ur5e"].into_iter().flat_map(|robot| QUANTITIES.map(|q| instructions(q, robot)));
    robots.map(|code| Instructions { pivots: vec![], ..code }).chain(small_programs()).chain(sums_of_angles())
}

/// Sines of `n` angles, which are inputs, or sums of them, in turn; results are inputs, constants and sines.
pub(super) fn sums_of_angles() -> Vec<Instructions> {
    use lower::Operand::{Constant, Cosine, Input, Sine, Value};
    let of = |n: usize| Instructions {
        constants: vec![0.25],
        lengths: [n, 1, 0],
        before: n,
        angles: (0..2 * n).map(|k| if k % 3 == 0 { Value(k / 2) } else { Input(0, k / 2) }).collect(),
        ops: (0..n).map(|k| lower::Op::Add(Input(0, k), Input(1, 0))).collect(),
        outputs: (0..2 * n).flat_map(|k| [Sine(k), Cosine(k)]).chain([Constant(0), Input(0, n - 1)]).collect(),
        ..Instructions::default()
    };
    [1, 2, 3, 4, 5, 9, 20].map(of).to_vec()
}

#[test]
fn results_are_those_of_cranelift() {
    fn compare<T: Number + PartialEq + std::fmt::Debug>(format: &'static Format) {
        let cranelift = native::Host::new().unwrap();
        for code in programs() {
            let reference = Machine::<T>::new(&code, &cranelift, 1).unwrap();
            for host in Host::all(format) {
                let target = host.target();
                let one = One::<T>::new(&write_one(&code, target), host).unwrap();
                let mut rng = random::source(5);
                for _ in 0..20 {
                    let inputs = code.lengths.map(|n| random::numbers(&mut rng, n, 3.0));
                    let inputs = inputs.map(|x| x.into_iter().map(T::lift).collect::<Vec<T>>());
                    let inputs = inputs.each_ref().map(Vec::as_slice);
                    let (mut found, mut right) =
                        (vec![T::default(); code.outputs.len()], vec![T::default(); code.outputs.len()]);
                    reference.run(inputs, &mut right);
                    let valid = one.run(inputs, &mut found);
                    assert_eq!(valid, right.iter().all(|x| x.is_finite()), "{:?}", code.ops.last());
                    if valid {
                        assert_eq!(found, right, "wide: {}, {:?}", target.wide, code.ops.last());
                    }
                }
            }
        }
    }
    compare::<f64>(const { &f64::FORMAT });
    compare::<f32>(const { &f32::FORMAT });
}

#[test]
fn invalid_states_are_refused() {
    fn check<T: Number>(format: &'static Format, above: T) {
        for (code, host) in sums_of_angles()
            .into_iter()
            .chain([instructions(Quantity::Inverse, "panda")])
            .flat_map(|code| Host::all(format).into_iter().map(move |host| (code.clone(), host)))
        {
            let one = One::<T>::new(&write_one(&code, host.target()), host).unwrap();
            let mut out = vec![T::default(); code.outputs.len()];
            let mut run = |change: Option<(usize, usize, T)>| {
                let mut inputs = code.lengths.map(|n| vec![T::default(); n]);
                if let Some((array, i, x)) = change {
                    inputs[array][i] = x;
                }
                one.run(inputs.each_ref().map(Vec::as_slice), &mut out)
            };
            assert!(run(None));
            for (array, &n) in code.lengths.iter().enumerate() {
                for i in 0..n {
                    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                        assert!(!run(Some((array, i, T::lift(x)))), "{array} {i} {x}");
                    }
                }
            }
            for i in 0..code.lengths[0] {
                assert!(run(Some((0, i, T::lift(format.moderate)))), "{i} of {}", code.lengths[0]);
                assert!(run(Some((0, i, T::lift(-format.moderate)))));
                // Torques do not depend on a first angle about the vertical. In sums the other term is zero.
                if code.before == 0 && !code.angles.contains(&lower::Operand::Input(0, i)) {
                    assert_eq!(i, 0);
                    continue;
                }
                assert!(!run(Some((0, i, above))));
                assert!(!run(Some((0, i, -above))));
            }
        }
    }
    check::<f64>(const { &f64::FORMAT }, f64::FORMAT.moderate.next_up());
    check::<f32>(const { &f32::FORMAT }, (f32::FORMAT.moderate as f32).next_up());
}

#[test]
fn pivots_of_the_wrong_sign_are_refused() {
    for host in Host::all(const { &f64::FORMAT }) {
        for (negative, x) in [(false, 2.0), (false, -2.0), (true, 2.0), (true, -2.0)] {
            let operand = lower::Operand::Input(0, 0);
            let code = Instructions {
                lengths: [1, 0, 0],
                ops: vec![lower::Op::Div(operand, operand)],
                outputs: vec![lower::Operand::Value(0)],
                pivots: vec![lower::Pivot { position: 0, operand, negative }],
                ..Instructions::default()
            };
            let one = One::<f64>::new(&write_one(&code, host.target()), host).unwrap();
            assert_eq!(one.run([&[x], &[], &[]], &mut [0.0]), negative == (x < 0.0));
        }
    }
}

#[test]
fn instructions_are_the_disassemblers() {
    for target in all_targets() {
        let mut kinds = BTreeSet::new();
        for code in programs() {
            let bytes = write_one(&code, target).bytes;
            let all = disassembled(&bytes);
            let end = all.iter().position(|i| i.mnemonic() == Mnemonic::Ret).expect("it returns");
            same_bytes(&all[..=end], &bytes, target);
            kinds.extend(all[..=end].iter().map(|i| format!("{:?}", i.mnemonic())));
        }
        let last = if target.single() { "s" } else { "d" };
        for kind in
            "Vadds Vsubs Vmuls Vdivs Vsqrts Vmovs Vfmadd132s Vfmadd213s Vfmadd231s Vfmsub132s Vfmsub213s Vfmsub231s \
                     Vfnmadd132s Vfnmadd213s Vfnmadd231s"
                .split_whitespace()
        {
            assert!(kinds.contains(&format!("{kind}{last}")), "{kind}{last}");
        }
    }
}
