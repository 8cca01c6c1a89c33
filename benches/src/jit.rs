//! The run-time compiler: nanoseconds of a call, of a state in a batch, and of the compilation.

use crate::states::{Pool, reference};
use crate::{Timing, median_ns, robot};
use armdyn_core::Model;
use armdyn_jit::{Compiled, Error, Number};
use std::hint::black_box;
use std::time::Instant;

/// What can be compiled.
const QUANTITIES: [&str; 7] =
    ["inverse", "mass", "forward", "inverse-mass", "derivatives", "forward-derivatives", "regressor"];

/// States whose results are compared with the recursion's.
const CHECKED: usize = 8;

/// All that there is to time: each quantity, by call, batch and compilation, in double and single precision.
pub(crate) fn names() -> Vec<String> {
    let names = QUANTITIES.iter().flat_map(|q| {
        ["call", "batch", "compile"]
            .map(|what| format!("{q}-{what}"))
            .into_iter()
            .chain(["call", "batch"].map(|what| format!("single-{q}-{what}")))
    });
    names.collect()
}

fn compile(m: &Model<f64>, quantity: &str) -> Result<Compiled, Error> {
    match quantity {
        "inverse" => Compiled::inverse(m),
        "mass" => Compiled::mass(m),
        "forward" => Compiled::forward(m),
        "inverse-mass" => Compiled::inverse_mass(m),
        "derivatives" => Compiled::derivatives(m),
        "forward-derivatives" => Compiled::forward_derivatives(m),
        _ => Compiled::regressor(m),
    }
}

/// Times one of [`names`]; batches of each of the given numbers of states.
pub(crate) fn time_compiled(name: &str, algorithm: &str, batches: &[usize], seconds: f64) -> Vec<Timing> {
    let m = robot(name);
    let (single, rest) = match algorithm.strip_prefix("single-") {
        Some(rest) => (true, rest),
        None => (false, algorithm),
    };
    let (quantity, what) = rest.rsplit_once('-').expect("a quantity and what is timed");
    let timing = |ns| Timing::new(name, algorithm, ns);
    if what == "compile" {
        let mut times: Vec<f64> = Vec::new();
        let begin = Instant::now();
        while times.len() < 9 && (times.is_empty() || begin.elapsed().as_secs_f64() < 20.0 * seconds) {
            let start = Instant::now();
            black_box(compile(&m, quantity).expect("it can be compiled"));
            times.push(start.elapsed().as_nanos() as f64);
        }
        times.sort_by(f64::total_cmp);
        return vec![timing(times[times.len() / 2])];
    }
    let compiled = compile(&m, quantity).expect("it can be compiled");
    let pool = Pool::new(&m);
    let inputs = pool.inputs(quantity);
    let expected: Vec<Vec<f64>> =
        (0..CHECKED).map(|i| reference(&m, quantity, inputs[0][i], inputs[1][i], inputs[2][i])).collect();
    if single {
        let inputs = converted(&inputs, |x| x as f32);
        time_calls(&compiled.single(), &inputs, &expected, (what, batches), seconds, timing)
    } else {
        time_calls(&compiled, &converted(&inputs, |x| x), &expected, (what, batches), seconds, timing)
    }
}

fn converted<T>(inputs: &[Vec<&[f64]>; 3], number: impl Fn(f64) -> T) -> [Vec<Vec<T>>; 3] {
    inputs.each_ref().map(|rows| rows.iter().map(|row| row.iter().map(|&x| number(x)).collect()).collect())
}

/// Nanoseconds of a call, or of a state of each batch, and the error of the results.
fn time_calls<T: Number + Into<f64>>(
    compiled: &Compiled<T>,
    [q, qd, last]: &[Vec<Vec<T>>; 3],
    expected: &[Vec<f64>],
    (what, batches): (&str, &[usize]),
    seconds: f64,
    timing: impl Fn(f64) -> Timing,
) -> Vec<Timing> {
    let outputs = compiled.outputs();
    if what == "call" {
        let mut out = vec![T::default(); outputs];
        let valid = "a random state is a valid one";
        let error = expected.iter().enumerate().map(|(i, expected)| {
            compiled.call(&q[i], &qd[i], &last[i], &mut out).expect(valid);
            error(&out, expected)
        });
        let error = error.fold(0.0, worst);
        let ns = median_ns(seconds, q.len(), |i| {
            compiled.call(&q[i], &qd[i], &last[i], &mut out).expect(valid);
            black_box(&mut out);
        });
        return vec![timing(ns).with_error(error)];
    }
    let batch = |&states: &usize| {
        let repeated =
            |rows: &[Vec<T>]| (0..states).flat_map(|i| rows[i % rows.len()].iter().copied()).collect::<Vec<T>>();
        let (q, qd, last) = (repeated(q), repeated(qd), repeated(last));
        let mut out = vec![T::default(); states * outputs];
        let all = median_ns(seconds, 1, |_| {
            compiled.batch(states, &q, &qd, &last, &mut out).expect("random states are valid ones");
            black_box(&mut out);
        });
        let error = out.chunks(outputs).zip(expected).map(|(out, expected)| error(out, expected)).fold(0.0, worst);
        timing(all / states as f64).with_error(error).of_states(states)
    };
    batches.iter().map(batch).collect()
}

/// The larger error; NaN is the largest.
fn worst(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// The largest error, relative to the largest expected value.
fn error<T: Number + Into<f64>>(found: &[T], expected: &[f64]) -> f64 {
    let scale = expected.iter().fold(f64::MIN_POSITIVE, |s, x| s.max(x.abs()));
    found.iter().zip(expected).map(|(&a, b)| (a.into() - b).abs() / scale).fold(0.0, worst)
}
