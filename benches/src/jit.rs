//! The run-time compiler: nanoseconds of a call, of a state in a batch, and of the compilation.
//!
//! The robot is the bundled one where there is one of that name: its rotations are exact, where the peers' have zeros of
//! 2e-16 that no program can fold.

use crate::{Pool, bundled, median_ns, robot};
use armdyn_core::Model;
use armdyn_import::library;
use armdyn_jit::{Compiled, Error, Number};
use std::hint::black_box;
use std::time::Instant;

/// What there is to time.
pub(crate) const COMPILED: [&str; 16] = [
    "inverse-call",
    "inverse-batch",
    "inverse-compile",
    "mass-call",
    "mass-batch",
    "mass-compile",
    "forward-call",
    "forward-batch",
    "forward-compile",
    "derivatives-call",
    "derivatives-batch",
    "derivatives-compile",
    "single-inverse-call",
    "single-inverse-batch",
    "single-forward-call",
    "single-forward-batch",
];

/// The robot of these timings. No peer has friction.
pub(crate) fn compiled_robot(name: &str) -> Model<f64> {
    let m = if library::bundled(name).is_some() { bundled(name) } else { robot(name) };
    m.without_friction()
}

fn compile(m: &Model<f64>, quantity: &str) -> Result<Compiled, Error> {
    match quantity {
        "inverse" => Compiled::inverse(m),
        "mass" => Compiled::mass(m),
        "forward" => Compiled::forward(m),
        _ => Compiled::derivatives(m),
    }
}

/// Nanoseconds of one of [`COMPILED`].
pub(crate) fn time_compiled(name: &str, algorithm: &str, seconds: f64) -> f64 {
    let m = compiled_robot(name);
    let (single, algorithm) = match algorithm.strip_prefix("single-") {
        Some(rest) => (true, rest),
        None => (false, algorithm),
    };
    let (quantity, what) = algorithm.split_once('-').expect("a quantity and what is timed");
    if what == "compile" {
        let mut times: Vec<f64> = (0..9)
            .map(|_| {
                let start = Instant::now();
                black_box(compile(&m, quantity).expect("it can be compiled"));
                start.elapsed().as_nanos() as f64
            })
            .collect();
        times.sort_by(f64::total_cmp);
        return times[times.len() / 2];
    }
    let compiled = compile(&m, quantity).expect("it can be compiled");
    let pool = Pool::new(&m);
    let none: Vec<Vec<f64>> = vec![vec![]; pool.q.len()];
    let [qd, last] = match quantity {
        "mass" => [&none, &none],
        "forward" => [&pool.qd, &pool.tau],
        _ => [&pool.qd, &pool.qdd],
    };
    let arrays = [&pool.q, qd, last];
    if single {
        time_calls(&compiled.single(), arrays, |x| x as f32, what, seconds)
    } else {
        time_calls(&compiled, arrays, |x| x, what, seconds)
    }
}

/// Nanoseconds of a call, or of a state of a batch.
fn time_calls<T: Number>(
    compiled: &Compiled<T>,
    arrays: [&Vec<Vec<f64>>; 3],
    number: impl Fn(f64) -> T,
    what: &str,
    seconds: f64,
) -> f64 {
    let numbers = |row: &Vec<f64>| row.iter().map(|&x| number(x)).collect::<Vec<T>>();
    let [q, qd, last] = arrays.map(|rows| rows.iter().map(numbers).collect::<Vec<_>>());
    let states = q.len();
    if what == "call" {
        let mut out = vec![T::default(); compiled.outputs()];
        return median_ns(seconds, states, |i| {
            compiled.call(&q[i], &qd[i], &last[i], &mut out).expect("a random state is a valid one");
            black_box(&mut out);
        });
    }
    let (q, qd, last) = (q.concat(), qd.concat(), last.concat());
    let mut out = vec![T::default(); states * compiled.outputs()];
    let all = median_ns(seconds, 1, |_| {
        compiled.batch(states, &q, &qd, &last, &mut out).expect("random states are valid ones");
        black_box(&mut out);
    });
    all / states as f64
}
