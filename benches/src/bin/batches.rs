//! Nanoseconds per state of batches, against the core's recursion in the same run.
//!
//! Both take turns on one thread, and the best round of each counts. `ARMDYN_SIMD=avx2` lowers both.
#![allow(clippy::print_stdout)]

use armdyn_core::{AbaData, CrbaData, DerivativesData, Model, RneaData, aba, crba, rnea, rnea_derivatives};
use armdyn_jit::{Compiled, Error, Number};
use armdyn_testkit::{bundled, random};
use std::hint::black_box;
use std::time::Instant;

/// States per batch, few enough for one thread.
const STATES: usize = 512;

/// Time of all rounds \[s\].
const SECONDS: f64 = 2.0;

/// Random states.
struct States {
    q: Vec<f64>,
    qd: Vec<f64>,
    qdd: Vec<f64>,
    tau: Vec<f64>,
}

fn main() {
    let robots = std::env::args().skip(1).collect::<Vec<_>>();
    let robots = if robots.is_empty() { ["panda", "ur5e", "iiwa14"].map(String::from).to_vec() } else { robots };
    println!("ns per state, largest relative error, time to compile the code of f64 [ms]\n");
    println!("robot   quantity     recursion  f64 (lanes)  error  f32 (lanes)  error    compile");
    for name in robots {
        let m = bundled(&name).without_friction();
        let states = States::random(&m);
        for quantity in ["inverse", "mass", "forward", "derivatives"] {
            measure(&m, quantity, &states);
        }
    }
}

impl States {
    fn random(m: &Model<f64>) -> Self {
        let (n, mut rng) = (m.nv(), random::source(1));
        let mut draw = |range| random::numbers(&mut rng, STATES * n, range);
        let (q, qd, qdd) = (draw(3.0), draw(2.0), draw(5.0));
        let (mut tau, mut data) = (vec![0.0; STATES * n], RneaData::new(m));
        for r in (0..STATES).map(|i| n * i..n * (i + 1)) {
            rnea(m, &mut data, &q[r.clone()], &qd[r.clone()], &qdd[r.clone()], &mut tau[r]).expect("a valid state");
        }
        States { q, qd, qdd, tau }
    }
}

/// Writes the results of all states.
type Computation<'a> = Box<dyn FnMut(&mut [f64]) + 'a>;

/// The recursion on all states.
fn recursion<'a>(m: &'a Model<f64>, quantity: &str, s: &'a States) -> Computation<'a> {
    let n = m.nv();
    let rows = move || (0..STATES).map(move |i| n * i..n * (i + 1));
    match quantity {
        "inverse" => {
            let mut data = RneaData::new(m);
            Box::new(move |out| {
                for r in rows() {
                    let (q, qd, qdd) = (&s.q[r.clone()], &s.qd[r.clone()], &s.qdd[r.clone()]);
                    rnea(m, &mut data, q, qd, qdd, &mut out[r]).expect("a valid state");
                }
            })
        }
        "mass" => {
            let mut data = CrbaData::new(m);
            Box::new(move |out| {
                for (r, out) in rows().zip(out.chunks_mut(n * n)) {
                    crba(m, &mut data, &s.q[r], out).expect("a valid state");
                }
            })
        }
        "derivatives" => {
            let mut data = DerivativesData::new(m);
            Box::new(move |out| {
                for (r, out) in rows().zip(out.chunks_mut(2 * n * n)) {
                    let (q, qd, qdd) = (&s.q[r.clone()], &s.qd[r.clone()], &s.qdd[r]);
                    let (by_q, by_qd) = out.split_at_mut(n * n);
                    rnea_derivatives(m, &mut data, q, qd, qdd, by_q, by_qd).expect("a valid state");
                }
            })
        }
        _ => {
            let mut data = AbaData::new(m);
            Box::new(move |out| {
                for r in rows() {
                    let (q, qd, tau) = (&s.q[r.clone()], &s.qd[r.clone()], &s.tau[r.clone()]);
                    aba(m, &mut data, q, qd, tau, &mut out[r]).expect("a valid state");
                }
            })
        }
    }
}

/// A batch of all states.
fn batch<'a, T: Number>(compiled: &'a Compiled<T>, inputs: [Vec<T>; 3]) -> impl FnMut(&mut [T]) + 'a {
    move |out| {
        let [q, qd, last] = &inputs;
        compiled.batch(STATES, q, qd, last, out).expect("valid states");
    }
}

/// Nanoseconds per state of one call.
fn time<T>(f: &mut dyn FnMut(&mut [T]), out: &mut [T]) -> f64 {
    let start = Instant::now();
    f(black_box(out));
    start.elapsed().as_nanos() as f64 / STATES as f64
}

fn measure(m: &Model<f64>, quantity: &str, s: &States) {
    let compiled: Result<Compiled, Error> = match quantity {
        "inverse" => Compiled::inverse(m),
        "mass" => Compiled::mass(m),
        "derivatives" => Compiled::derivatives(m),
        _ => Compiled::forward(m),
    };
    let compiled = compiled.expect("it can be compiled");
    let single = compiled.single();
    let start = Instant::now();
    let lanes = compiled.lanes();
    let compile = start.elapsed().as_secs_f64() * 1e3;

    let inputs = match quantity {
        "mass" => [s.q.clone(), vec![], vec![]],
        "forward" => [s.q.clone(), s.qd.clone(), s.tau.clone()],
        _ => [s.q.clone(), s.qd.clone(), s.qdd.clone()],
    };
    let singles = inputs.each_ref().map(|x| x.iter().map(|&x| x as f32).collect::<Vec<f32>>());
    let count = STATES * compiled.outputs();
    let (mut right, mut double, mut half) = (vec![0.0; count], vec![0.0; count], vec![0f32; count]);
    let mut recursion = recursion(m, quantity, s);
    let (mut in_double, mut in_single) = (batch(&compiled, inputs), batch(&single, singles));
    let mut best = [f64::MAX; 3];
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < SECONDS {
        best[0] = best[0].min(time(&mut recursion, &mut right));
        for _ in 0..4 {
            best[1] = best[1].min(time(&mut in_double, &mut double));
            best[2] = best[2].min(time(&mut in_single, &mut half));
        }
    }
    let half: Vec<f64> = half.iter().map(|&x| x.into()).collect();
    println!(
        "{:7} {quantity:11} {:10.1} {:7.2} ({lanes:2}) {:8.1e} {:7.2} ({:2}) {:7.1e} {compile:9.2}",
        m.name(),
        best[0],
        best[1],
        error(&double, &right, compiled.outputs()),
        best[2],
        single.lanes(),
        error(&half, &right, compiled.outputs()),
    );
}

/// Largest error, relative to the largest result of the state.
fn error(found: &[f64], right: &[f64], outputs: usize) -> f64 {
    let rows = found.chunks(outputs).zip(right.chunks(outputs));
    let error = rows.map(|(found, right)| {
        let scale = right.iter().fold(0f64, |s, x| s.max(x.abs()));
        found.iter().zip(right).fold(0f64, |e, (a, b)| e.max((a - b).abs())) / scale
    });
    error.fold(0.0, f64::max)
}
