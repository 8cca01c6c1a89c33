//! Tests of compiled programs.

use super::batch::PARALLEL_FROM;
use super::*;
use crate::{BatchError, InvalidState};
use armdyn_core::{Error as CallError, Real, RneaData, rnea};
use armdyn_symbolic::{Expr, Graph, Output, Recursion, TapeError, trace};
use armdyn_testkit::random::{self, Description, Drives, Joints, State};
use armdyn_testkit::{assert_close_above, bundled};
use std::thread;

/// A machine without a code generator.
fn interpreted(program: &Program) -> Compiled {
    let host = Err("no such machine".to_string());
    Compiled::of(Source::of(program, &[], &host).unwrap(), host)
}

pub(super) fn singles(x: &[f64]) -> Vec<f32> {
    x.iter().map(|&x| x as f32).collect()
}

/// The core's result.
pub(super) fn expected(m: &Model<f64>, quantity: Quantity, s: &State, tau: &[f64]) -> Vec<f64> {
    let mut recursion = Recursion::new(m, quantity);
    let mut out = vec![0.0; recursion.outputs()];
    let last = if quantity.arrays().contains(&Array::Tau) { tau } else { &s.qdd };
    recursion.compute([&s.q, &s.qd, last], &mut out).unwrap();
    out
}

/// Native and interpreted, for chains and trees with every joint and drive.
#[test]
fn every_quantity_of_random_robots_equals_the_cores() {
    for seed in 0..12 {
        let joints = if seed % 2 == 0 { Joints::All } else { Joints::SingleAxis };
        let m = Description::random(seed, 5, joints, seed % 3 == 0, Drives::Spinning).build();
        let s = State::random(&m, &mut random::source(seed));
        let tau = expected(&m, Quantity::Inverse, &s, &[]);
        let made = [
            (Quantity::Inverse, Compiled::inverse(&m)),
            (Quantity::Gravity, Compiled::gravity(&m)),
            (Quantity::Coriolis, Compiled::coriolis(&m)),
            (Quantity::Bias, Compiled::bias(&m)),
            (Quantity::Mass, Compiled::mass(&m)),
            (Quantity::Forward, Compiled::forward(&m)),
        ];
        for (quantity, native) in made {
            let native = native.unwrap();
            assert!(!matches!(native.backend(), Backend::Interpreted { .. }));
            let slow = interpreted(&trace(&m, quantity).unwrap());
            let reason = "no such machine".to_string();
            assert_eq!(slow.backend(), Backend::Interpreted { reason });
            // q̈ = M⁻¹(…): rounding grows with the condition of M, a few thousand for these robots.
            let tolerance = if quantity == Quantity::Forward { 1e-8 } else { 1e-12 };
            let last = if quantity == Quantity::Forward { &tau } else { &s.qdd };
            let given = |i: usize, x: &'static [f64]| if quantity.arrays().len() > i { None } else { Some(x) };
            let (qd, last) = (given(1, &[]).unwrap_or(&s.qd), given(2, &[]).unwrap_or(last));
            let right = expected(&m, quantity, &s, &tau);
            in_single_precision(&m, quantity, &native, [&s.q, qd, last]);
            for compiled in [native, slow] {
                let mut out = vec![0.0; compiled.outputs()];
                compiled.call(&s.q, qd, last, &mut out).unwrap();
                assert_close_above(&format!("{quantity} of {}", m.name()), &out, &right, tolerance, 1e-3);
            }
        }
    }
}

/// Against the core in `f64` at the same state rounded to `f32`, for up to seven bodies: a few hundred roundings of 6e-8, of
/// terms up to ten times the result. M⁻¹ amplifies them by the condition of M, a few hundred here.
fn in_single_precision(m: &Model<f64>, quantity: Quantity, compiled: &Compiled, arrays: [&[f64]; 3]) {
    let single = compiled.single();
    assert!(!matches!(single.backend(), Backend::Interpreted { .. }));
    let rounded = arrays.map(singles);
    let [q, qd, last] = rounded.each_ref().map(|x| x.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>());
    let state = State { q, qd, qdd: last.clone() };
    let right = expected(m, quantity, &state, &last);
    let mut out = vec![0f32; single.outputs()];
    single.call(&rounded[0], &rounded[1], &rounded[2], &mut out).unwrap();
    let found: Vec<f64> = out.iter().map(|&x| x.into()).collect();
    let tolerance = if quantity == Quantity::Forward { 1e-2 } else { 2e-5 };
    assert_close_above(&format!("{quantity} of {} in f32", m.name()), &found, &right, tolerance, 1e-3);
}

/// The program is the quasi-minimal one.
#[test]
fn fewer_operations_than_the_traced_recursion() {
    for name in ["panda", "ur5e", "iiwa14"] {
        let m = bundled(name);
        for quantity in [Quantity::Inverse, Quantity::Mass, Quantity::Forward] {
            let program = minimal_program(&m, quantity, Duration::ZERO).unwrap();
            let (found, traced) = (program.count(), trace(&m, quantity).unwrap().count());
            println!("{name} {quantity}: {found}, traced {traced}");
            assert_eq!(program.strategy, "minimal");
            assert!(found.total() < traced.total(), "{name} {quantity}: {found}, traced {traced}");
        }
    }
}

/// A search finds fewer operations, and the program computes the same.
#[test]
fn a_searched_program_is_shorter() {
    let m = bundled("ur5e").without_friction();
    let search = |budget| minimal_program(&m, Quantity::Inverse, Duration::from_millis(budget)).unwrap();
    let (default, searched) = (search(0), search(200));
    assert!(searched.count().total() < default.count().total(), "{} {}", searched.count(), default.count());
    let s = State::random(&m, &mut random::source(2));
    let mut tau = [0.0; 6];
    Compiled::new(&searched).unwrap().call(&s.q, &s.qd, &s.qdd, &mut tau).unwrap();
    assert_close_above("searched", &tau, &expected(&m, Quantity::Inverse, &s, &[]), 1e-12, 0.0);
}

/// τ / q and τ / (20 − q): pivots that are positive at 1.5 only, one of them negated in its graph.
#[test]
fn a_pivot_that_is_not_positive_is_an_error() {
    let m = random::arm(1, "R");
    for (far, bad) in [(0.0, [-1.0, 0.0]), (20.0, [21.0, 20.0])] {
        let (graph, value) = Graph::record(|| {
            let (q, tau) = (Graph::input(Array::Q, 0, "q1"), Graph::input(Array::Tau, 0, "tau1"));
            if far == 0.0 { tau / q } else { tau / (Expr::lift(far) - q) }
        });
        let outputs = vec![Output { name: "qdd1".to_string(), value }];
        let program = Program { graph, outputs, ..trace(&m, Quantity::Forward).unwrap() };
        let host = native::Host::new();
        let mut source = Source::of(&program, &[], &host).unwrap();
        source.check_pivots(&m).unwrap();
        let compiled = Compiled::of(source, host);
        let mut out = [0.0; 9];
        compiled.call(&[1.5], &[0.0], &[2.0], &mut out[..1]).unwrap();
        for q in bad {
            let error = compiled.call(&[q], &[0.0], &[2.0], &mut out[..1]).unwrap_err();
            assert!(matches!(error, CallError::NotPositiveDefinite { .. }), "{far} {q}: {error}");
            let error = compiled.single().call(&[q as f32], &[0.0], &[2.0], &mut [0.0]).unwrap_err();
            assert!(matches!(error, CallError::NotPositiveDefinite { .. }), "{far} {q}: {error}");
            let mut states = [1.5; 9];
            states[6] = q;
            let error = compiled.batch(9, &states, &[0.0; 9], &[2.0; 9], &mut out).unwrap_err();
            let [InvalidState { state: 6, error }] = error.invalid_states() else { panic!("{error}") };
            assert!(matches!(error, CallError::NotPositiveDefinite { .. }), "{error}");
        }
    }
}

#[test]
fn a_sine_of_a_sine_is_an_error() {
    let (graph, value) = Graph::record(|| Graph::input(Array::Q, 0, "q1").sin_cos().0.sin_cos().1);
    let program = Program { graph, outputs: vec![Output { name: "g1".to_string(), value }], ..sines(1) };
    assert_eq!(Compiled::new(&program).err(), Some(Error::SineOfSine));
}

/// Central differences of the core's τ, with errors h² and ε/h, about 1e-9 of the largest each.
#[test]
fn derivatives_are_those_of_the_torque() {
    let m = random::arm(3, "RRPRRR");
    let n = m.nv();
    let s = State::random(&m, &mut random::source(3));
    let mut out = vec![0.0; 2 * n * n];
    Compiled::derivatives(&m).unwrap().call(&s.q, &s.qd, &s.qdd, &mut out).unwrap();
    let h = 1e-5;
    for k in 0..2 * n {
        let at = |step: f64| {
            let mut s = s.clone();
            if k < n {
                s.q[k] += step
            } else {
                s.qd[k - n] += step
            }
            expected(&m, Quantity::Inverse, &s, &[])
        };
        let column: Vec<f64> = at(h).iter().zip(at(-h)).map(|(a, b)| (a - b) / (2.0 * h)).collect();
        let found: Vec<f64> = (0..n).map(|i| out[(k / n * n + i) * n + k % n]).collect();
        assert_close_above(&format!("column {k}"), &found, &column, 1e-6, 1e-3);
    }
}

/// The recursion where it is faster, the program otherwise.
#[test]
fn single_calls_of_derivatives() {
    let robots = ["panda", "ur5e", "iiwa14", "two-arms", "scara", "planar-2r"].map(bundled);
    for m in robots.into_iter().chain([random::arm(1, "RRR")]) {
        for quantity in [Quantity::Derivatives, Quantity::ForwardDerivatives] {
            let compiled = Compiled::of_model(&m, quantity).unwrap();
            println!("{} {quantity}: {} instructions", m.name(), compiled.source.code.ops.len());
            let expected = compiled.backend() == Backend::Avx512 && m.nv() > 4;
            assert_eq!(compiled.call_backend() == Backend::Recursion, expected, "{} {quantity}", m.name());
            assert_ne!(compiled.single().call_backend(), Backend::Recursion);
        }
    }
}

/// By the recursion, too: the same bits on every thread, errors that name the input, and no workspace that outlives its program.
#[test]
fn derivatives_from_several_threads_and_of_invalid_states() {
    let m = bundled("panda");
    for quantity in [Quantity::Derivatives, Quantity::ForwardDerivatives] {
        for _ in 0..3 {
            let compiled = Compiled::of_model(&m, quantity).unwrap();
            let s = State::random(&m, &mut random::source(3));
            let call = |s: &State| {
                let mut out = vec![0.0; compiled.outputs()];
                compiled.call(&s.q, &s.qd, &s.qdd, &mut out).map(|()| out)
            };
            let one = call(&s).unwrap();
            let others = thread::scope(|scope| [(); 4].map(|()| scope.spawn(|| call(&s))).map(|t| t.join().unwrap()));
            assert!(others.into_iter().all(|other| other.unwrap() == one));

            let mut huge = s.clone();
            huge.q[2] = 1e9;
            call(&huge).unwrap();
            for (array, what) in quantity.arrays().iter().map(|a| a.name()).enumerate() {
                let mut wrong = s.clone();
                [&mut wrong.q, &mut wrong.qd, &mut wrong.qdd][array][4] = f64::NAN;
                let joint = m.dof_names()[4].clone();
                assert_eq!(call(&wrong), Err(CallError::NotFinite { what, joint }));
            }
            assert_eq!(call(&s).unwrap(), one);
            assert!(super::recursion::workspaces() <= 1);
        }
    }
}

/// Bit-identical: two states at a time, on one thread and on several, with a remainder.
#[test]
fn a_batch_equals_single_calls() {
    let m = bundled("panda");
    let inverse = Compiled::inverse(&m).unwrap();
    let mut rng = random::source(5);
    for states in [0, 1, 2, 7, 2 * PARALLEL_FROM / inverse.source.code.ops.len() + 1001] {
        let mut draw = |range| random::numbers(&mut rng, 7 * states, range);
        let (mut q, qd, qdd) = (draw(3.0), draw(2.0), draw(5.0));
        // One state outside the fast range; its neighbour then uses the core's sines too, one unit in the last place apart.
        let huge = if states == 7 { 3 } else { usize::MAX };
        if huge < states {
            q[7 * huge + 1] = 1e9;
        }
        let (mut all, mut one) = (vec![0.0; 7 * states], [0.0; 7]);
        inverse.batch(states, &q, &qd, &qdd, &mut all).unwrap();
        for i in 0..states {
            let row = 7 * i..7 * i + 7;
            inverse.call(&q[row.clone()], &qd[row.clone()], &qdd[row.clone()], &mut one).unwrap();
            if i == huge - huge % 2 {
                assert_close_above("beside an angle outside the fast range", &one, &all[row], 1e-14, 1e-3);
            } else {
                assert_eq!(one, all[row], "state {i} of {states}");
            }
        }
    }
}

/// Bit-identical: four at a time, with a remainder; also for fewer inputs than lanes.
#[test]
fn a_batch_in_single_precision_equals_single_calls() {
    for m in [bundled("panda"), random::arm(2, "RRPR"), random::arm(1, "RR")] {
        let n = m.nv();
        let inverse = Compiled::inverse(&m).unwrap().single();
        let mut rng = random::source(6);
        for states in [0, 1, 3, 4, 11, 4096] {
            let mut draw = |range| singles(&random::numbers(&mut rng, n * states, range));
            let (q, qd, qdd) = (draw(3.0), draw(2.0), draw(5.0));
            let (mut all, mut one) = (vec![0f32; n * states], vec![0f32; n]);
            inverse.batch(states, &q, &qd, &qdd, &mut all).unwrap();
            for row in (0..states).map(|i| n * i..n * (i + 1)) {
                inverse.call(&q[row.clone()], &qd[row.clone()], &qdd[row.clone()], &mut one).unwrap();
                assert_eq!(one, all[row], "{} of {states}", m.name());
            }
        }
    }
}

#[test]
fn values_that_are_not_finite_are_errors() {
    let m = bundled("panda");
    let gravity = Compiled::gravity(&m).unwrap();
    let inverse = Compiled::inverse(&m).unwrap();
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        // Gravity does not depend on joint 1, whose axis is vertical.
        for i in 0..7 {
            let mut q = [0.3; 7];
            q[i] = wrong;
            let joint = m.dof_names()[i].clone();
            assert_eq!(gravity.call(&q, &[], &[], &mut [0.0; 7]), Err(CallError::NotFinite { what: "q", joint }));
            let error = inverse.call(&[0.3; 7], &[0.1; 7], &q, &mut [0.0; 7]);
            assert!(matches!(error, Err(CallError::NotFinite { what: "qdd", .. })), "{error:?}");
        }
    }
    let overflow = inverse.call(&[0.3; 7], &[1e200; 7], &[0.0; 7], &mut [0.0; 7]);
    assert!(matches!(overflow, Err(CallError::NotFinite { what: "out", .. })), "{overflow:?}");
    let mut q = [0.3; 7 * 9];
    q[7 * 5 + 2] = f64::NAN;
    let error = gravity.batch(9, &q, &[], &[], &mut [0.0; 7 * 9]).unwrap_err();
    let joint = m.dof_names()[2].clone();
    let invalid = InvalidState { state: 5, error: CallError::NotFinite { what: "q", joint } };
    assert_eq!(error, BatchError::InvalidStates(vec![invalid]));
}

#[test]
fn lengths_are_checked() {
    let m = bundled("panda");
    let (inverse, mass) = (Compiled::inverse(&m).unwrap(), Compiled::mass(&m).unwrap());
    let error = |what, expected, found| Err(CallError::Length { what, expected, found });
    let [six, seven] = [&[0.0; 6][..], &[0.0; 7][..]];
    assert_eq!(inverse.call(six, seven, seven, &mut [0.0; 7]), error("q", 7, 6));
    assert_eq!(inverse.call(seven, seven, six, &mut [0.0; 7]), error("qdd", 7, 6));
    assert_eq!(inverse.call(seven, seven, seven, &mut [0.0; 8]), error("out", 7, 8));
    assert_eq!(mass.call(seven, seven, &[], &mut [0.0; 49]), error("qd", 0, 7));
    let error = CallError::Length { what: "q", expected: 14, found: 7 };
    assert_eq!(mass.batch(2, seven, &[], &[], &mut [0.0; 98]), Err(BatchError::Length(error)));
}

/// Sine and cosine of `count` angles as a program.
pub(super) fn sines(count: usize) -> Program {
    let (graph, outputs) = Graph::record(|| {
        let q: Vec<Expr> = (0..count).map(|i| Graph::input(Array::Q, i, &format!("q{i}"))).collect();
        let output = |value| Output { name: String::new(), value };
        q.iter().flat_map(|x| <[Expr; 2]>::from(x.sin_cos())).map(output).collect::<Vec<_>>()
    });
    let arm = random::arm(1, &"R".repeat(count));
    Program { graph, outputs, ..trace(&arm, Quantity::Gravity).unwrap() }
}

/// Instructions without fused multiply-add.
fn unfused_code(program: &Program) -> Instructions {
    let no_host = Err("no such machine".to_string());
    Source::of(program, &[], &no_host).unwrap().code
}

/// The core's error is below 0.85 units in the last place (tested there against 113 bits). Two roundings of the remainder with
/// fused multiply-add, four without, and that of the result: one or two units more.
#[test]
fn sines_are_within_two_steps_of_the_cores() {
    let program = sines(3);
    let compiled = Compiled::new(&program).unwrap();
    let host = native::Host::new().unwrap().unfused();
    let unfused = Machine::<f64>::new(&unfused_code(&program), &host, 1).unwrap();
    let mut rng = random::source(8);
    let mut worst = [0; 2];
    for trial in 0..200_000 {
        let q: [f64; 3] = std::array::from_fn(|i| {
            let near = (random::number(&mut rng, 600_000.0)).round() * std::f64::consts::FRAC_PI_2;
            match (trial + i) % 5 {
                0 => random::number(&mut rng, 4.0),
                1 => random::number(&mut rng, 1e6),
                2 => near,
                3 => near.next_up(),
                _ => random::number(&mut rng, 1.0) * 10f64.powi(-(trial as i32 % 20)),
            }
        });
        let mut out = [[0.0; 6]; 2];
        compiled.call(&q, &[], &[], &mut out[0]).unwrap();
        unfused.run([&q, &[], &[]], &mut out[1]);
        for (worst, out) in worst.iter_mut().zip(out) {
            for (x, found) in q.iter().zip(out.as_chunks::<2>().0) {
                let right: [f64; 2] = Real::sin_cos(*x).into();
                for (a, b) in found.iter().zip(right) {
                    let steps = if *a == b { 0 } else { a.to_bits().abs_diff(b.to_bits()) };
                    assert!(steps <= 2, "{x:e}: {a:e} {b:e}, {steps} steps");
                    *worst = steps.max(*worst);
                }
            }
        }
    }
    println!("fused, not fused: {worst:?} steps");
}

/// The core's `f32` sines have an error of at most 0.51 units in the last place. Roundings here: two of the remainder with fused
/// multiply-add, four without, one or two of the polynomials, one of the result.
#[test]
fn single_sines_are_within_two_steps_of_the_cores() {
    let program = sines(5);
    let single = Compiled::new(&program).unwrap().single();
    let host = native::Host::new().unwrap().unfused();
    let unfused = Machine::<f32>::new(&unfused_code(&program), &host, 1).unwrap();
    let mut rng = random::source(9);
    let mut worst = [0; 2];
    for trial in 0..200_000 {
        let q: [f32; 5] = std::array::from_fn(|i| {
            let near = ((random::number(&mut rng, 5200.0)).round() * std::f64::consts::FRAC_PI_2) as f32;
            match (trial + i) % 6 {
                0 => random::number(&mut rng, 4.0) as f32,
                1 => random::number(&mut rng, 8191.0) as f32,
                2 => near,
                3 => near.next_up(),
                4 => random::number(&mut rng, 1e9) as f32,
                _ => (random::number(&mut rng, 1.0) * 10f64.powi(-(trial as i32 % 20))) as f32,
            }
        });
        let mut out = [[0f32; 10]; 2];
        single.call(&q, &[], &[], &mut out[0]).unwrap();
        unfused.run([&q, &[], &[]], &mut out[1]);
        for (worst, out) in worst.iter_mut().zip(out) {
            for (x, found) in q.iter().zip(out.as_chunks::<2>().0) {
                for (a, b) in found.iter().zip(<[f32; 2]>::from(Real::sin_cos(*x))) {
                    let steps = if *a == b { 0 } else { a.to_bits().abs_diff(b.to_bits()) };
                    assert!(steps <= 2, "{x:e}: {a:e} {b:e}, {steps} steps");
                    *worst = steps.max(*worst);
                }
            }
        }
    }
    println!("fused, not fused: {worst:?} steps");
}

/// Beyond 2²⁰ the core's functions are used, also for one angle of many.
#[test]
fn angles_of_any_size() {
    let compiled = Compiled::new(&sines(5)).unwrap();
    for huge in [1048576.5, 1e22, -1e22, 1e308, f64::MAX] {
        for place in 0..5 {
            let mut q = [0.1, -2.0, 3.0, 0.0, 7.0];
            q[place] = huge;
            let mut out = [0.0; 10];
            compiled.call(&q, &[], &[], &mut out).unwrap();
            let right: Vec<f64> = q.iter().flat_map(|x| <[f64; 2]>::from(Real::sin_cos(*x))).collect();
            assert_eq!(out[..], right);
        }
    }
}

#[test]
fn many_threads_call_one_program() {
    let m = bundled("panda");
    let inverse = Compiled::inverse(&m).unwrap();
    thread::scope(|scope| {
        for k in 0..8 {
            let (m, inverse) = (&m, &inverse);
            scope.spawn(move || {
                let (mut data, mut rng) = (RneaData::new(m), random::source(k));
                for _ in 0..500 {
                    let s = State::random(m, &mut rng);
                    let (mut found, mut right) = ([0.0; 7], [0.0; 7]);
                    inverse.call(&s.q, &s.qd, &s.qdd, &mut found).unwrap();
                    rnea(m, &mut data, &s.q, &s.qd, &s.qdd, &mut right).unwrap();
                    assert_close_above("τ", &found, &right, 1e-12, 1e-3);
                }
            });
        }
    });
}

#[test]
fn parameters_become_constants() {
    let (graph, value) = Graph::record(|| {
        let (q, m) = (Graph::input(Array::Q, 0, "q1"), Graph::input(Array::Parameter, 0, "m"));
        m * m * q.sin_cos().0
    });
    let outputs = vec![Output { name: "g1".to_string(), value }];
    let program = Program { graph, outputs, ..sines(1) };
    assert_eq!(Compiled::new(&program).err(), Some(Error::Tape(TapeError::Parameters { expected: 1, found: 0 })));
    let mut out = [0.0];
    Compiled::with_parameters(&program, &[3.0]).unwrap().call(&[0.5], &[], &[], &mut out).unwrap();
    assert_close_above("m² sin q", &out, &[9.0 * 0.479425538604203], 1e-15, 1e-3);
}

#[test]
fn a_robot_without_joints_and_repeated_compilation() {
    let m = armdyn_core::ModelBuilder::new("nothing").build().unwrap();
    Compiled::inverse(&m).unwrap().call(&[], &[], &[], &mut []).unwrap();
    let m = random::arm(1, "RR");
    for _ in 0..200 {
        let mut g = [0.0; 2];
        Compiled::gravity(&m).unwrap().call(&[0.1, 0.2], &[], &[], &mut g).unwrap();
        assert!(g[0] != 0.0);
    }
}
