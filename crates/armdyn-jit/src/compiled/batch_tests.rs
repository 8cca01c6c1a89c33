//! Tests of batches in blocks of states, for each set of wide instructions that this machine has.

use super::batch::PARALLEL_FROM;
use super::tests::{expected, sines, singles};
use super::*;
use crate::wide::{Target, tests::targets};
use armdyn_core::Error as CallError;
use armdyn_core::Real;
use armdyn_symbolic::{Expr, Graph, Output, trace};
use armdyn_testkit::random::{self, Description, Drives, Joints, State};
use armdyn_testkit::{assert_close_above, bundled};
use std::fmt::Debug;

/// The program with code for this target, whatever `ARMDYN_SIMD` says.
fn on<T: Number>(source: &Arc<Source>, target: Target) -> Compiled<T> {
    let engine = Native::new(&source.code, native::host());
    let compiled = Compiled { source: source.clone(), engine };
    let blocks = Blocks::new(&source.code, target).unwrap();
    let native = compiled.engine.as_ref().unwrap();
    assert!(native.blocks.set(Some(blocks)).is_ok());
    assert_eq!(compiled.lanes(), target.lanes());
    compiled
}

/// The same program for all targets.
fn on_all<T: Number>(compiled: &Compiled) -> Vec<Compiled<T>> {
    let targets = targets(const { &T::FORMAT });
    targets.into_iter().map(|target| on(&compiled.source, target)).collect()
}

const QUANTITIES: [Quantity; 8] = [
    Quantity::Inverse,
    Quantity::Gravity,
    Quantity::Coriolis,
    Quantity::Bias,
    Quantity::Mass,
    Quantity::InverseMass,
    Quantity::Forward,
    Quantity::ForwardDerivatives,
];

fn compile(m: &Model<f64>, quantity: Quantity) -> Compiled {
    Compiled::of_model(m, quantity).unwrap()
}

/// Whether rounding grows with the condition of M.
fn inverts(quantity: Quantity) -> bool {
    matches!(quantity, Quantity::InverseMass | Quantity::Forward | Quantity::ForwardDerivatives)
}

/// Random states, and the arrays that a quantity depends on; those of forward dynamics are torques of moderate accelerations.
fn states(m: &Model<f64>, quantity: Quantity, count: usize, angle: f64) -> (Vec<State>, [Vec<f64>; 3]) {
    let mut rng = random::source(7);
    let states: Vec<State> = (0..count)
        .map(|_| {
            let mut s = State::random(m, &mut rng);
            if angle > 0.0 {
                s.q = random::numbers(&mut rng, m.nq(), angle);
            }
            if matches!(quantity, Quantity::Forward | Quantity::ForwardDerivatives) {
                s.qdd = expected(m, Quantity::Inverse, &s, &[]);
            }
            s
        })
        .collect();
    let all = |part: fn(&State) -> &Vec<f64>| states.iter().flat_map(part).copied().collect::<Vec<f64>>();
    let mut arrays = [all(|s| &s.q), all(|s| &s.qd), all(|s| &s.qdd)];
    arrays[quantity.arrays().len()..].fill(vec![]);
    (states, arrays)
}

fn rows<T>(arrays: &[Vec<T>; 3], count: usize, i: usize) -> [&[T]; 3] {
    arrays.each_ref().map(|x| &x[x.len() / count * i..x.len() / count * (i + 1)])
}

fn batch<T: Number>(compiled: &Compiled<T>, count: usize, arrays: &[Vec<T>; 3]) -> armdyn_core::error::Result<Vec<T>> {
    let mut out = vec![T::default(); count * compiled.outputs()];
    compiled.batch(count, &arrays[0], &arrays[1], &arrays[2], &mut out)?;
    Ok(out)
}

/// Every state against a single call, bit by bit.
fn equals_calls<T: Number + Debug>(compiled: &Compiled<T>, count: usize, arrays: &[Vec<T>; 3], all: &[T]) {
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

/// q̈ = M⁻¹(…): rounding grows with the condition of M. Terms of some N m that cancel leave errors of
/// 1e-15 and, in `f32`, 1e-6.
fn compare_with_the_core(m: &Model<f64>, forward: [f64; 2], angle: f64, counts: &[usize]) {
    for quantity in QUANTITIES {
        let compiled = compile(m, quantity);
        let tolerance = |i: usize, usual: f64| if inverts(quantity) { forward[i] } else { usual };
        for &count in counts {
            let (states, arrays) = states(m, quantity, count, angle);
            for native in on_all::<f64>(&compiled) {
                let all = batch(&native, count, &arrays).unwrap();
                for (s, found) in states.iter().zip(all.chunks(native.outputs())) {
                    let right = expected(m, quantity, s, &s.qdd);
                    assert_close_above(
                        &format!("{quantity} of {}", m.name()),
                        found,
                        &right,
                        tolerance(0, 1e-12),
                        1e-2,
                    );
                }
                equals_calls(&native, count, &arrays, &all);
            }
            let arrays = arrays.each_ref().map(|x| singles(x));
            for native in on_all::<f32>(&compiled) {
                let all = batch(&native, count, &arrays).unwrap();
                for (i, found) in all.chunks(native.outputs()).enumerate() {
                    let [q, qd, qdd] =
                        rows(&arrays, count, i).map(|x| x.iter().map(|&x| x.into()).collect::<Vec<f64>>());
                    let right = expected(m, quantity, &State { q, qd, qdd: qdd.clone() }, &qdd);
                    let found: Vec<f64> = found.iter().map(|&x| x.into()).collect();
                    let what = format!("{quantity} of {} in f32", m.name());
                    assert_close_above(&what, &found, &right, tolerance(1, 1e-4), 0.1);
                }
                equals_calls(&native, count, &arrays, &all);
            }
        }
    }
}

#[test]
fn bundled_robots() {
    for name in ["panda", "ur5e", "iiwa14"] {
        compare_with_the_core(&bundled(name), [1e-10, 1e-2], 0.0, &[1, 7, 8, 9, 40]);
    }
    compare_with_the_core(&bundled("panda"), [1e-10, 1e-2], 0.0, &[1000]);
}

/// Chains and trees with every joint and drive, friction and its signs included; arms of one joint to five.
#[test]
fn random_robots() {
    for seed in 0..6 {
        let joints = if seed % 2 == 0 { Joints::All } else { Joints::SingleAxis };
        let m = Description::random(seed, 4, joints, seed % 3 == 0, Drives::Spinning).build();
        compare_with_the_core(&m, [1e-8, 0.1], 0.0, &[1, 21]);
    }
    for arm in ["R", "P", "RP", "RRP", "RPRR", "RRRRR"] {
        compare_with_the_core(&random::arm(4, arm), [1e-9, 0.1], 0.0, &[3, 35]);
    }
}

/// Angles that blocks compute (`f64`), and angles that they leave to single calls (`f32`).
#[test]
fn angles_up_to_a_million() {
    for angle in [1e3, 8e3, 1e6] {
        compare_with_the_core(&bundled("panda"), [1e-10, 1e-2], angle, &[17]);
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
            let (_, mut arrays) = states(&bundled("panda"), Quantity::Inverse, count, 0.0);
            for huge in [1048576.5, 1e22, -1e308] {
                arrays[0][7 * place + 3] = huge;
                let all = batch(&native, count, &arrays).unwrap();
                equals_calls(&native, count, &arrays, &all);
            }
        }
    }
}

/// The first invalid state is reported; all others have their results.
#[test]
fn invalid_states_affect_no_other() {
    fn check<T: Number + PartialEq + Debug>(native: &Compiled<T>, arrays: &[Vec<T>; 3], wrong: T) {
        let (count, n) = (150, native.outputs());
        let right = batch(native, count, arrays).unwrap();
        for array in 0..3 {
            for bad in [&[0][..], &[3], &[149], &[17, 18, 140]] {
                let mut arrays = arrays.clone();
                // Not q₁, on which the results do not depend: the axis is vertical.
                bad.iter().for_each(|i| arrays[array][7 * i + 1 + i % 6] = wrong);
                let mut out = vec![T::default(); count * n];
                let [q, qd, last] = &arrays;
                let error = native.batch(count, q, qd, last, &mut out).unwrap_err();
                let state = format!("(state {})", bad[0]);
                assert!(matches!(&error, CallError::NotFinite { joint, .. } if joint.contains(&state)), "{error}");
                for i in (0..count).filter(|i| !bad.contains(i)) {
                    assert_eq!(out[n * i..n * (i + 1)], right[n * i..n * (i + 1)], "state {i}, bad {bad:?}");
                }
                for i in bad {
                    assert!(out[n * i..n * (i + 1)].iter().any(|x| !x.is_finite()), "state {i}");
                }
            }
        }
    }
    let m = bundled("panda");
    let compiled = compile(&m, Quantity::Inverse);
    let (_, arrays) = states(&m, Quantity::Inverse, 150, 0.0);
    for native in on_all::<f64>(&compiled) {
        for wrong in [f64::NAN, f64::INFINITY] {
            check(&native, &arrays, wrong);
            let mut arrays = arrays.clone();
            arrays[0][7 * 21] = wrong;
            let error = batch(&native, 150, &arrays).unwrap_err();
            assert!(error.to_string().contains("(state 21)"), "q₁ is checked too: {error}");
        }
    }
    for native in on_all::<f32>(&compiled) {
        check(&native, &arrays.each_ref().map(|x| singles(x)), f32::NAN);
    }
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
        let host = native::host();
        let mut source = Source::of(&program(divided), &[], &host).unwrap();
        source.check_pivots(&random::arm(1, "R")).unwrap();
        let compiled = Compiled::of(source, host);
        for native in on_all::<f64>(&compiled) {
            for state in 0..35 {
                let mut q = vec![1.5; 35];
                q[state] = bad;
                let error = batch(&native, 35, &[q, vec![0.0; 35], vec![2.0; 35]]).unwrap_err();
                let state = format!("(state {state})");
                assert!(
                    matches!(&error, CallError::NotPositiveDefinite { joint } if joint.contains(&state)),
                    "{error}"
                );
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
        for i in [count - 1, 2500, 4000] {
            arrays[1][7 * i] = f64::NAN;
        }
        for threads in [1, 5] {
            let error = with(threads, &native, &arrays).unwrap_err();
            assert!(error.to_string().contains("(state 2500)"), "{error}");
        }
    }
}
