//! Tests of batches in blocks of states, for each set of wide instructions that this machine has.

use super::batch::PARALLEL_FROM;
use super::tests::{sines, singles};
use super::*;
use crate::{BatchError, InvalidState, wide};
use armdyn_core::Error as CallError;
use armdyn_core::Real;
use armdyn_symbolic::{Expr, Graph, Output, Recursion, trace};
use armdyn_testkit::bundled;
use armdyn_testkit::random::{self, State};
use std::fmt::Debug;

/// The program with code for these instructions, whatever `ARMDYN_SIMD` says.
fn on<T: Number>(source: &Arc<Source>, host: wide::Host) -> Compiled<T> {
    let engine = Native::new(&source.code, native::Host::new());
    let compiled = Compiled { source: source.clone(), engine, recursion: None };
    let blocks = Blocks::new(&wide::write(&source.code, host.target()), host).unwrap();
    let native = compiled.engine.as_ref().unwrap();
    assert!(native.blocks.set(Ok(blocks)).is_ok());
    assert_eq!(compiled.lanes(), host.target().lanes());
    compiled
}

/// The same program for all instructions of this machine.
pub(super) fn on_all<T: Number>(compiled: &Compiled) -> Vec<Compiled<T>> {
    let hosts = wide::Host::all(const { &T::FORMAT });
    hosts.into_iter().map(|host| on(&compiled.source, host)).collect()
}

pub(super) fn compile(m: &Model<f64>, quantity: Quantity) -> Compiled {
    Compiled::of_model(m, quantity).unwrap()
}

/// The arrays that a quantity depends on, at random states; torques are those of moderate accelerations. Revolute joints are within
/// ± `angle`, if it is positive.
pub(super) fn states(m: &Model<f64>, quantity: Quantity, count: usize, angle: f64) -> [Vec<f64>; 3] {
    let mut rng = random::source(7);
    let mut inverse = Recursion::new(m, Quantity::Inverse);
    let mut arrays: [Vec<f64>; 3] = Default::default();
    let revolute: Vec<&String> =
        m.dof_names().iter().enumerate().filter(|(i, _)| m.is_rotational(*i)).map(|d| d.1).collect();
    let coordinates = m.coordinate_names();
    for _ in 0..count {
        let mut s = State::random(m, &mut rng);
        for (q, _) in s.q.iter_mut().zip(&coordinates).filter(|(_, name)| angle > 0.0 && revolute.contains(name)) {
            *q = random::number(&mut rng, angle);
        }
        if quantity.arrays().contains(&Array::Tau) {
            let mut tau = vec![0.0; m.nv()];
            inverse.compute([&s.q, &s.qd, &s.qdd], &mut tau).unwrap();
            s.qdd = tau;
        }
        arrays.iter_mut().zip([s.q, s.qd, s.qdd]).for_each(|(all, row)| all.extend(row));
    }
    arrays[quantity.arrays().len()..].fill(vec![]);
    arrays
}

pub(super) fn rows<T>(arrays: &[Vec<T>; 3], count: usize, i: usize) -> [&[T]; 3] {
    arrays.each_ref().map(|x| &x[x.len() / count * i..x.len() / count * (i + 1)])
}

pub(super) fn batch<T: Number>(
    compiled: &Compiled<T>,
    count: usize,
    arrays: &[Vec<T>; 3],
) -> Result<Vec<T>, BatchError> {
    let mut out = vec![T::default(); count * compiled.outputs()];
    compiled.batch(count, &arrays[0], &arrays[1], &arrays[2], &mut out)?;
    Ok(out)
}

/// Every state against a single call, bit by bit.
pub(super) fn equals_calls<T: Number + Debug>(compiled: &Compiled<T>, count: usize, arrays: &[Vec<T>; 3], all: &[T]) {
    let mut one = vec![T::default(); compiled.outputs()];
    // The conversion of an `f32` is exact, for zeros of both signs too.
    let same = |a: &T, b: &T| -> bool { (*a).into().to_bits() == (*b).into().to_bits() };
    for (i, found) in all.chunks(compiled.outputs()).enumerate() {
        let [q, qd, last] = rows(arrays, count, i);
        compiled.call(q, qd, last, &mut one).unwrap();
        let equal = one.iter().zip(found).all(|(a, b)| same(a, b));
        assert!(equal, "state {i} of {count}, {} lanes: {one:?}, {found:?}", compiled.lanes());
    }
}

/// Bit-identical to the sines of calls, which are tested against the core's.
#[test]
fn sines_of_every_lane() {
    let compiled = Compiled::new(&sines(3)).unwrap();
    let mut rng = random::source(10);
    let quarters = |rng: &mut _, range| random::number(rng, range).round() * std::f64::consts::FRAC_PI_2;
    let angles = |range: f64, rng: &mut _| -> Vec<f64> {
        (0..3 * 20_000)
            .map(|i| match i % 6 {
                0 => [0.0, -0.0, 1e-300, -1e-20][i / 6 % 4],
                1 => random::number(rng, 4.0),
                2 => random::number(rng, range),
                3 => quarters(rng, 0.6 * range),
                4 => quarters(rng, 0.6 * range).next_up(),
                _ => random::number(rng, 1.0) * 10f64.powi(-(i as i32 % 20)),
            })
            .collect()
    };
    for native in on_all::<f64>(&compiled) {
        let arrays = [angles(1e6, &mut rng), vec![], vec![]];
        let all = batch(&native, 20_000, &arrays).unwrap();
        equals_calls(&native, 20_000, &arrays, &all);
    }
    for native in on_all::<f32>(&compiled) {
        let arrays = [singles(&angles(8e3, &mut rng)), vec![], vec![]];
        let all = batch(&native, 20_000, &arrays).unwrap();
        equals_calls(&native, 20_000, &arrays, &all);
    }
}

#[test]
fn an_empty_batch() {
    for native in on_all::<f64>(&compile(&bundled("panda"), Quantity::Mass)) {
        assert_eq!(batch(&native, 0, &[vec![], vec![], vec![]]), Ok(vec![]));
    }
}

/// Beyond 2²⁰ rad the core's sines are used, for the state and for its neighbours: their results are those of calls.
#[test]
fn huge_angles_in_one_lane() {
    let (compiled, count) = (compile(&bundled("panda"), Quantity::Inverse), 300);
    for native in on_all::<f64>(&compiled) {
        for place in [0, 5, 128, 299] {
            let mut arrays = states(&bundled("panda"), Quantity::Inverse, count, 0.0);
            for huge in [1048576.5, 1e22, -1e308] {
                arrays[0][7 * place + 3] = huge;
                let all = batch(&native, count, &arrays).unwrap();
                equals_calls(&native, count, &arrays, &all);
            }
        }
    }
}

/// Each invalid state is reported with its reason, and its row is NaN; all others have their results, whether neighbours in a block, in
/// the remainder or in other blocks.
#[test]
fn invalid_states_affect_no_other() {
    fn check<T: Number + PartialEq + Debug>(native: &Compiled<T>, m: &Model<f64>, arrays: &[Vec<T>; 3], wrong: T) {
        let (count, n) = (150, native.outputs());
        let right = batch(native, count, arrays).unwrap();
        for (array, what) in ["q", "qd", "qdd"].into_iter().enumerate() {
            for bad in [&[0][..], &[3], &[149], &[17, 18, 140]] {
                let mut arrays = arrays.clone();
                let joint = |i: usize| i % 7;
                bad.iter().for_each(|&i| arrays[array][7 * i + joint(i)] = wrong);
                let mut out = vec![T::default(); count * n];
                let [q, qd, last] = &arrays;
                let found = native.batch(count, q, qd, last, &mut out);
                let error = |i: usize| CallError::NotFinite { what, joint: m.dof_names()[joint(i)].clone() };
                let invalid = bad.iter().map(|&state| InvalidState { state, error: error(state) }).collect();
                assert_eq!(found, Err(BatchError::InvalidStates(invalid)));
                for (i, (found, right)) in out.chunks(n).zip(right.chunks(n)).enumerate() {
                    if bad.contains(&i) {
                        assert!(found.iter().all(|x| !x.is_finite()), "state {i}");
                    } else {
                        assert_eq!(found, right, "state {i}, bad {bad:?}");
                    }
                }
            }
        }
    }
    let m = bundled("panda");
    let compiled = compile(&m, Quantity::Inverse);
    let arrays = states(&m, Quantity::Inverse, 150, 0.0);
    for native in on_all::<f64>(&compiled) {
        for wrong in [f64::NAN, f64::INFINITY] {
            check(&native, &m, &arrays, wrong);
        }
    }
    for native in on_all::<f32>(&compiled) {
        check(&native, &m, &arrays.each_ref().map(|x| singles(x)), f32::NAN);
    }
    let cranelift = without_blocks(&compiled);
    assert_eq!(cranelift.backend(), Backend::Cranelift { reason: "a test".to_string() });
    check(&cranelift, &m, &arrays, f64::NAN);
}

/// Several states of one reason, of different reasons, and more than a message lists.
#[test]
fn messages_name_the_first_invalid_states() {
    let m = bundled("panda");
    let inverse = compile(&m, Quantity::Inverse);
    let mut arrays = states(&m, Quantity::Inverse, 20, 0.0);
    arrays[0][7 * 4] = f64::NAN;
    let message = batch(&inverse, 20, &arrays).unwrap_err().to_string();
    assert!(message.starts_with("1 state is invalid: state 4: ") && message.contains(&m.dof_names()[0]), "{message}");
    arrays[1][7 * 6 + 2] = f64::INFINITY;
    let message = batch(&inverse, 20, &arrays).unwrap_err().to_string();
    assert!(message.starts_with("2 states are invalid: state 4: ") && message.contains("; state 6: "), "{message}");
    arrays[0].fill(f64::NAN);
    let message = batch(&inverse, 20, &arrays).unwrap_err().to_string();
    assert!(message.starts_with("20 states are invalid: state 0: ") && message.ends_with("; …"), "{message}");
}

/// The program with Cranelift's code for several states at a time.
fn without_blocks(compiled: &Compiled) -> Compiled {
    let engine = Native::new(&compiled.source.code, native::Host::new());
    let compiled = Compiled { source: compiled.source.clone(), engine, recursion: None };
    assert!(compiled.engine.as_ref().unwrap().blocks.set(Err("a test".to_string())).is_ok());
    compiled
}

/// A program of one joint with outputs of q and τ.
fn program(outputs: impl FnOnce(Expr, Expr) -> Vec<Expr>) -> Program {
    let (graph, values) =
        Graph::record(|| outputs(Graph::input(Array::Q, 0, "q1"), Graph::input(Array::Tau, 0, "tau1")));
    let outputs = values.into_iter().map(|value| Output { name: String::new(), value }).collect();
    Program { graph, outputs, ..trace(&random::arm(1, "R"), Quantity::Forward).unwrap() }
}

/// Signs and roots against the core's, with zeros of both signs; constant, repeated and negated results.
#[test]
fn signs_roots_and_trivial_results() {
    let outputs = |q: Expr, tau: Expr| {
        vec![q.sign(), (q * q + tau * tau).sqrt(), -q, Expr::lift(2.5), q, q, -(tau * tau), Expr::lift(0.0), tau]
    };
    let compiled = Compiled::new(&program(outputs)).unwrap();
    let q = [0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1e-310, 2.0, -3.5, 1e300, -1e-300, 7.0, 0.0, -2.0, 4.0, -0.0, 1.5];
    let tau: Vec<f64> = (0..17).map(|i| f64::from(i) - 8.0).collect();
    let arrays = [q.to_vec(), vec![0.0; 17], tau.clone()];
    for native in on_all::<f64>(&compiled) {
        let all = batch(&native, 9, &arrays.each_ref().map(|x| x[..9].to_vec())).unwrap();
        for ((found, q), tau) in all.chunks(9).zip(q).zip(&tau) {
            let right = [Real::sign(q), Real::sqrt(q.mul_add(q, tau * tau)), -q, 2.5, q, q, -(tau * tau), 0.0, *tau]
                .map(f64::to_bits);
            let found: Vec<u64> = found.iter().map(|x| x.to_bits()).collect();
            assert_eq!([&found[..1], &found[2..]], [&right[..1], &right[2..]], "{q:e} {tau}");
            assert!(found[1].abs_diff(right[1]) <= 1, "{q:e} {tau}");
        }
        equals_calls(&native, 9, &arrays.each_ref().map(|x| x[..9].to_vec()), &all);
    }
    let arrays = arrays.each_ref().map(|x| singles(x).into_iter().map(|x| x.clamp(-1e9, 1e9)).collect::<Vec<f32>>());
    for native in on_all::<f32>(&compiled) {
        let all = batch(&native, 17, &arrays).unwrap();
        equals_calls(&native, 17, &arrays, &all);
        for (found, &q) in all.chunks(9).zip(&arrays[0]) {
            assert_eq!(found[0].to_bits(), Real::sign(q).to_bits(), "{q:e}");
        }
    }
}

/// τ / q and τ / (20 − q): pivots that are positive at 1.5 only, one of them negated in its graph.
#[test]
fn pivots_of_every_lane_are_checked() {
    for (far, bad) in [(0.0, -1.0), (20.0, 21.0)] {
        let divided = |q, tau| vec![if far == 0.0 { tau / q } else { tau / (Expr::lift(far) - q) }];
        let host = native::Host::new();
        let mut source = Source::of(&program(divided), &[], &host).unwrap();
        source.check_pivots(&random::arm(1, "R")).unwrap();
        let compiled = Compiled::of(source, host);
        for native in on_all::<f64>(&compiled) {
            for state in 0..35 {
                let mut q = vec![1.5; 35];
                q[state] = bad;
                let error = batch(&native, 35, &[q, vec![0.0; 35], vec![2.0; 35]]).unwrap_err();
                let [invalid] = error.invalid_states() else { panic!("{error}") };
                assert_eq!(invalid.state, state);
                assert!(matches!(invalid.error, CallError::NotPositiveDefinite { .. }), "{error}");
            }
        }
    }
}

/// Bit-identical, with a remainder.
#[test]
fn any_number_of_threads() {
    let m = bundled("panda");
    let compiled = compile(&m, Quantity::Inverse);
    let count = PARALLEL_FROM / compiled.source.code.ops.len() + 1234;
    let mut rng = random::source(9);
    let arrays = [3.0, 2.0, 5.0].map(|range| random::numbers(&mut rng, 7 * count, range));
    let with = |threads: usize, native: &Compiled, arrays: &[Vec<f64>; 3]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| batch(native, count, arrays))
    };
    for native in on_all::<f64>(&compiled) {
        let one = with(1, &native, &arrays).unwrap();
        for threads in [2, 5] {
            assert_eq!(one, with(threads, &native, &arrays).unwrap());
        }
        let mut arrays = arrays.clone();
        let bad = [2500, 4000, count - 1];
        bad.iter().for_each(|i| arrays[1][7 * i] = f64::NAN);
        for threads in [1, 5] {
            let error = with(threads, &native, &arrays).unwrap_err();
            assert_eq!(error.invalid_states().iter().map(|s| s.state).collect::<Vec<_>>(), bad);
        }
    }
}
