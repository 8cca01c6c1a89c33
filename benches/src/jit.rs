//! The run-time compiler: nanoseconds of a call, of a state in a batch, and of the compilation.
//!
//! The robot is the bundled one where there is one of that name: its rotations are exact, where the peers' have zeros of
//! 2e-16 that no program can fold.

use crate::{Pool, bundled, median_ns, robot};
use armdyn::Model;
use armdyn_import::library;
use armdyn_jit::{Compiled, Error};
use std::hint::black_box;
use std::time::Instant;

/// What there is to time.
pub(crate) const COMPILED: [&str; 12] = [
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
];

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
    let m = if library::bundled(name).is_some() { bundled(name) } else { robot(name) };
    let (quantity, what) = algorithm.split_once('-').expect("a quantity and what is timed");
    let compiled = compile(&m, quantity).expect("it can be compiled");
    let pool = Pool::new(&m);
    let states = pool.q.len();
    let last = if quantity == "forward" { &pool.tau } else { &pool.qdd };
    let none: Vec<Vec<f64>> = vec![vec![]; states];
    let (qd, last) = if quantity == "mass" { (&none, &none) } else { (&pool.qd, last) };
    match what {
        "call" => {
            let mut out = vec![0.0; compiled.outputs()];
            median_ns(seconds, states, |i| {
                compiled.call(&pool.q[i], &qd[i], &last[i], &mut out).expect("a random state is a valid one");
                black_box(&mut out);
            })
        }
        "batch" => {
            let (q, qd, last) = (pool.q.concat(), qd.concat(), last.concat());
            let mut out = vec![0.0; states * compiled.outputs()];
            let all = median_ns(seconds, 1, |_| {
                compiled.batch(states, &q, &qd, &last, &mut out).expect("random states are valid ones");
                black_box(&mut out);
            });
            all / states as f64
        }
        _ => {
            let mut times: Vec<f64> = (0..9)
                .map(|_| {
                    let start = Instant::now();
                    black_box(compile(&m, quantity).expect("compiled before"));
                    start.elapsed().as_nanos() as f64
                })
                .collect();
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        }
    }
}
