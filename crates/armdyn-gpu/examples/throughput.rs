//! States per second on the GPUs of this machine, with every result compared with the core's algorithm.
//!
//!   cargo run --release -p armdyn-gpu --example throughput -- [ROBOT …]
//!
//! For each robot, quantity and precision: arrays on the GPU in both layouts (2²⁴ states, or as many as fit in 4 GB; the median of 20
//! runs, each with its check for invalid states), and batches of the host, with the share of the bus that they use. One JSON object per
//! line.

use armdyn_core::{
    AbaData, CrbaData, DerivativesData, Model, RneaData, aba, aba_derivatives, crba, rnea, rnea_derivatives,
};
use armdyn_gpu::{Error, Gpu, GpuProgram, Layout, Number, gpus};
use armdyn_symbolic::Quantity;
use armdyn_testkit::random::{State, source};
use armdyn_testkit::{bundled, peers};
use serde_json::json;
use std::time::Instant;

/// Different states; longer arrays repeat them.
const STATES: usize = 4096;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let names = if names.is_empty() { vec!["panda".to_string()] } else { names };
    for gpu in gpus()? {
        println!("{}", json!({ "gpu": gpu.name(), "memory": gpu.memory(), "capability": gpu.capability() }));
    }
    for name in &names {
        let model =
            if peers::NAMES.contains(&name.as_str()) && name != "panda" { peers::robot(name) } else { bundled(name) };
        let states: Vec<State> = (0..STATES).map(|k| State::random(&model, &mut source(k as u64))).collect();
        use Quantity::{Derivatives, Forward, ForwardDerivatives, Inverse, Mass};
        for quantity in [Inverse, Mass, Forward, Derivatives, ForwardDerivatives] {
            let started = Instant::now();
            let program = GpuProgram::of_model(&model, quantity)?;
            let generate = started.elapsed().as_secs_f64();
            let expected: Vec<Vec<f64>> = states.iter().map(|s| reference(&model, quantity, s)).collect();
            measure(name, quantity, &program, &states, &expected, generate)?;
            measure(name, quantity, &program.single(), &states, &expected, generate)?;
        }
    }
    Ok(())
}

fn measure<T: Number>(
    robot: &str,
    quantity: Quantity,
    program: &GpuProgram<T>,
    states: &[State],
    expected: &[Vec<f64>],
    generate: f64,
) -> Result<(), Error> {
    let (arrays, n) = (program.arrays(), program.outputs());
    let row = arrays.iter().map(|(_, n)| n).sum::<usize>() + n;
    let count = (((4usize << 30) / (row * size_of::<T>())).min(1 << 24) / STATES).max(1) * STATES;
    let rows: Vec<Vec<T>> = (0..arrays.len())
        .map(|k| (0..count).flat_map(|i| input(&states[i % STATES], k).iter().map(|x| T::lift(*x))).collect())
        .collect();
    let gpu = &program.gpus()[0];
    let mut line = json!({
        "robot": robot, "quantity": quantity.name(), "precision": 8 * size_of::<T>(), "states": count, "generate_s": generate,
    });
    for (layout, label) in [(Layout::Elements, "elements"), (Layout::Rows, "rows")] {
        let started = Instant::now();
        let arranged = |values: &[T], n: usize| match layout {
            Layout::Rows => values.to_vec(),
            Layout::Elements => (0..n * count).map(|k| values[k % count * n + k / count]).collect(),
        };
        let inputs = rows.iter().zip(&arrays).map(|(v, (_, n))| gpu.upload(&arranged(v, *n)));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let mut out = gpu.zeros::<T>(n * count)?;
        let inputs: Vec<_> = inputs.iter().collect();
        let prepared = started.elapsed().as_secs_f64();
        let started = Instant::now();
        program.run(layout, count, &inputs, &mut out)?;
        let compile = started.elapsed().as_secs_f64();
        let mut times: Vec<f64> = vec![];
        for _ in 0..20 {
            let started = Instant::now();
            program.run(layout, count, &inputs, &mut out)?;
            times.push(started.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        let found = out.download()?;
        let place = |i: usize, j: usize| if layout == Layout::Rows { i * n + j } else { j * count + i };
        let worst = worst(count, n, expected, |i, j| found[place(i, j)].into());
        line[label] = json!({
            "states_per_s": count as f64 / times[10], "bytes_per_s": (row * size_of::<T>() * count) as f64 / times[10],
            "first_run_s": compile, "worst": worst, "prepare_s": prepared,
        });
    }
    let mut out = vec![T::default(); n * count];
    let slice = |k: usize| rows.get(k).map_or(&[][..], |v| v);
    program.batch(count, slice(0), slice(1), slice(2), &mut out)?;
    let mut times: Vec<f64> = vec![];
    for _ in 0..5 {
        let started = Instant::now();
        program.batch(count, slice(0), slice(1), slice(2), &mut out)?;
        times.push(started.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let limit = bus_seconds(gpu, (row - n) * size_of::<T>() * count, n * size_of::<T>() * count)?;
    line["host"] = json!({
        "states_per_s": count as f64 / times[2], "share_of_bus": limit / times[2],
        "worst": worst(count, n, expected, |i, j| out[i * n + j].into()),
    });
    println!("{line}");
    Ok(())
}

/// Seconds that the bus needs for these bytes in both directions at the same time.
fn bus_seconds(gpu: &Gpu, to: usize, from: usize) -> Result<f64, Error> {
    let [up, down] = gpu.bus_bandwidth()?;
    Ok((to as f64 / up).max(from as f64 / down))
}

fn input(s: &State, k: usize) -> &[f64] {
    [&s.q, &s.qd, &s.qdd][k]
}

/// The largest error, relative to the largest result of its state.
fn worst(count: usize, n: usize, expected: &[Vec<f64>], found: impl Fn(usize, usize) -> f64) -> f64 {
    let mut worst = 0.0;
    for i in 0..count.min(4 * STATES) {
        let e = &expected[i % STATES];
        let scale = e.iter().fold(1e-3, |s: f64, x| s.max(x.abs()));
        for j in 0..n {
            let error = (found(i, j) - e[j]).abs() / scale;
            worst = if error <= worst { worst } else { error };
        }
    }
    worst
}

/// The core's result; the last input is q̈, or τ with the same numbers.
fn reference(m: &Model<f64>, quantity: Quantity, s: &State) -> Vec<f64> {
    let n = m.nv();
    let [mut a, mut b, mut c] = [(); 3].map(|()| vec![0.0; n * n]);
    let mut vector = vec![0.0; n];
    match quantity {
        Quantity::Inverse => rnea(m, &mut RneaData::new(m), &s.q, &s.qd, &s.qdd, &mut vector).map(|()| vector),
        Quantity::Forward => aba(m, &mut AbaData::new(m), &s.q, &s.qd, &s.qdd, &mut vector).map(|()| vector),
        Quantity::Mass => crba(m, &mut CrbaData::new(m), &s.q, &mut a).map(|()| a),
        Quantity::Derivatives => {
            let d = &mut DerivativesData::new(m);
            rnea_derivatives(m, d, &s.q, &s.qd, &s.qdd, &mut a, &mut b).map(|()| [a, b].concat())
        }
        _ => {
            let d = &mut DerivativesData::new(m);
            aba_derivatives(m, d, &s.q, &s.qd, &s.qdd, &mut a, &mut b, &mut c).map(|()| [a, b, c].concat())
        }
    }
    .expect("a random state is valid")
}
