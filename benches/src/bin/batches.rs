//! Nanoseconds per state of batches, against the core's recursion in the same run.
//!
//! Both take turns on one thread, and the best round of each counts. `ARMDYN_SIMD=avx2` lowers both. Arguments: robots and quantities,
//! in any order; `threads` compares one thread with all of them on large batches, `search` the default program with that of a search, and `calls`
//! times single calls.
#![allow(clippy::print_stdout)]

use armdyn_core::Model;
use armdyn_jit::{Compiled, Number};
use armdyn_symbolic::{Quantity, Recursion};
use armdyn_testkit::random::{self, State};
use armdyn_testkit::{bundled, peers};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// States per batch, few enough for one thread.
const STATES: usize = 512;

/// States of the batches that are distributed over threads: all arrays in the caches, and beyond them.
const MANY: [usize; 2] = [1 << 15, 1 << 20];

/// Time of all rounds \[s\].
const SECONDS: f64 = 1.0;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let modes = ["threads", "search", "calls"];
    let mode = arguments.iter().find(|a| modes.contains(&a.as_str())).map_or("", |a| a.as_str());
    let names = arguments.iter().filter(|a| !modes.contains(&a.as_str()));
    let quantity = |a: &str| Quantity::ALL.iter().find(|q| q.name() == a).copied();
    let (quantities, robots): (Vec<&String>, Vec<&String>) = names.partition(|a| quantity(a).is_some());
    let mut quantities: Vec<Quantity> = quantities.iter().filter_map(|a| quantity(a)).collect();
    if quantities.is_empty() {
        quantities = vec![Quantity::Inverse, Quantity::Mass, Quantity::Forward, Quantity::Derivatives];
    }
    let robots =
        if robots.is_empty() { vec!["panda", "ur5e", "iiwa14"] } else { robots.iter().map(|a| a.as_str()).collect() };
    match mode {
        "threads" => {
            println!("ns per state on one thread and on {}\n", rayon::current_num_threads());
            println!("robot    quantity              states   one thread   all   ratio");
        }
        "search" => println!("ns per state in f64: the default program, and that of a search of 2 s\n"),
        "calls" => println!("ns per single call in f64\n"),
        _ => {
            println!("ns per state, largest relative error, time to compile the code of f64 [ms]\n");
            println!(
                "robot    quantity            recursion   f64 (lanes)   ratio   error   f32 (lanes)   error   compile"
            );
        }
    }
    for name in robots {
        let m = if peers::NAMES.contains(&name) && name != "panda" { peers::robot(name) } else { bundled(name) };
        let m = m.without_friction();
        for &quantity in &quantities {
            match mode {
                "threads" => scale(&m, name, quantity),
                "search" => search(&m, name, quantity),
                "calls" => calls(&m, name, quantity),
                _ => measure(&m, name, quantity),
            }
        }
    }
}

/// Random states: the arrays of a quantity. Torques are those of moderate accelerations.
fn states(m: &Model<f64>, quantity: Quantity, count: usize) -> [Vec<f64>; 3] {
    let mut rng = random::source(1);
    let mut inverse = Recursion::new(m, Quantity::Inverse);
    let mut arrays: [Vec<f64>; 3] = Default::default();
    for _ in 0..count {
        let mut s = State::random(m, &mut rng);
        if quantity.arrays().contains(&armdyn_symbolic::Array::Tau) {
            let mut tau = vec![0.0; m.nv()];
            inverse.compute([&s.q, &s.qd, &s.qdd], &mut tau).expect("a valid state");
            s.qdd = tau;
        }
        arrays.iter_mut().zip([s.q, s.qd, s.qdd]).for_each(|(all, row)| all.extend(row));
    }
    arrays[quantity.arrays().len()..].fill(vec![]);
    arrays
}

/// A row of each array.
fn rows<T>(arrays: &[Vec<T>; 3], count: usize, i: usize) -> [&[T]; 3] {
    arrays.each_ref().map(|x| &x[x.len() / count * i..x.len() / count * (i + 1)])
}

/// A batch of all states.
fn batch<'a, T: Number>(compiled: &'a Compiled<T>, count: usize, inputs: &'a [Vec<T>; 3]) -> impl FnMut(&mut [T]) + 'a {
    move |out| {
        let [q, qd, last] = inputs;
        compiled.batch(count, q, qd, last, out).expect("valid states");
    }
}

/// Nanoseconds of one call.
fn time<T>(f: &mut dyn FnMut(&mut [T]), out: &mut [T]) -> f64 {
    let start = Instant::now();
    f(black_box(out));
    start.elapsed().as_nanos() as f64
}

fn measure(m: &Model<f64>, name: &str, quantity: Quantity) {
    let compiled = Compiled::of_model(m, quantity).expect("it can be compiled");
    let single = compiled.single();
    let start = Instant::now();
    let lanes = compiled.lanes();
    let compile = start.elapsed().as_secs_f64() * 1e3;

    let inputs = states(m, quantity, STATES);
    let singles = inputs.each_ref().map(|x| x.iter().map(|&x| x as f32).collect::<Vec<f32>>());
    let n = compiled.outputs();
    let (mut right, mut double, mut half) = (vec![0.0; STATES * n], vec![0.0; STATES * n], vec![0f32; STATES * n]);
    let mut recursion = Recursion::new(m, quantity);
    let mut one_by_one = |out: &mut [f64]| {
        for (i, out) in out.chunks_mut(n).enumerate() {
            recursion.compute(rows(&inputs, STATES, i), out).expect("a valid state");
        }
    };
    let (mut in_double, mut in_single) = (batch(&compiled, STATES, &inputs), batch(&single, STATES, &singles));
    let mut best = [f64::MAX; 3];
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < SECONDS {
        best[0] = best[0].min(time(&mut one_by_one, &mut right));
        for _ in 0..4 {
            best[1] = best[1].min(time(&mut in_double, &mut double));
            best[2] = best[2].min(time(&mut in_single, &mut half));
        }
    }
    let best = best.map(|ns| ns / STATES as f64);
    let half: Vec<f64> = half.iter().map(|&x| x.into()).collect();
    println!(
        "{name:8} {:19} {:9.1} {:8.2} ({lanes:2}) {:7.1} {:8.1e} {:7.2} ({:2}) {:8.1e} {compile:8.2}",
        quantity.to_string(),
        best[0],
        best[1],
        best[0] / best[1],
        error(&double, &right, n),
        best[2],
        single.lanes(),
        error(&half, &right, n),
    );
}

/// The program of a search against the default one.
fn search(m: &Model<f64>, name: &str, quantity: Quantity) {
    let programs = [Duration::ZERO, Duration::from_secs(2)]
        .map(|budget| Compiled::searched(m, quantity, budget).expect("it can be compiled"));
    let inputs = states(m, quantity, STATES);
    let mut out = vec![0.0; STATES * programs[0].outputs()];
    let mut best = [f64::MAX; 2];
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < SECONDS {
        for (best, program) in best.iter_mut().zip(&programs) {
            *best = best.min(time(&mut batch(program, STATES, &inputs), &mut out));
        }
    }
    let [default, searched] = best.map(|ns| ns / STATES as f64);
    println!("{name:8} {:19} {default:8.2} {searched:8.2}", quantity.to_string());
}

/// Single calls.
fn calls(m: &Model<f64>, name: &str, quantity: Quantity) {
    let compiled = Compiled::of_model(m, quantity).expect("it can be compiled");
    let inputs = states(m, quantity, STATES);
    let mut out = vec![0.0; compiled.outputs()];
    let mut all = |out: &mut [f64]| {
        for i in 0..STATES {
            let [q, qd, last] = rows(&inputs, STATES, i);
            compiled.call(q, qd, last, black_box(&mut *out)).expect("a valid state");
        }
    };
    let (mut best, start) = (f64::MAX, Instant::now());
    while start.elapsed().as_secs_f64() < SECONDS / 2.0 {
        best = best.min(time(&mut all, &mut out));
    }
    println!("{name:8} {:19} {:8.1} {:?}", quantity.to_string(), best / STATES as f64, compiled.call_backend());
}

/// Large batches on one thread and on all.
fn scale(m: &Model<f64>, name: &str, quantity: Quantity) {
    let compiled = Compiled::of_model(m, quantity).expect("it can be compiled");
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    for count in MANY {
        let few = states(m, quantity, STATES);
        let inputs = few.map(|x| x.iter().copied().cycle().take(x.len() / STATES * count).collect::<Vec<f64>>());
        let mut out = vec![0.0; count * compiled.outputs()];
        let mut together = batch(&compiled, count, &inputs);
        let mut best = [f64::MAX; 2];
        let start = Instant::now();
        while start.elapsed().as_secs_f64() < SECONDS {
            best[0] = best[0].min(one.install(|| time(&mut batch(&compiled, count, &inputs), &mut out)));
            best[1] = best[1].min(time(&mut together, &mut out));
        }
        let [alone, all] = best.map(|ns| ns / count as f64);
        println!("{name:8} {:19} {count:8} {alone:12.2} {all:7.2} {:7.2}", quantity.to_string(), alone / all);
    }
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
