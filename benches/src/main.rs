//! Nanoseconds per call of every algorithm, for the peers' robots and for chains of growing length.
//!
//! A time is the median over many batches, each of about 0.1 ms, that walk through a pool of random states
//! (q within ±π, q̇ ±2, q̈ ±5, τ ±20), as those of the peers in `peers/` do.

mod export;
mod jit;
mod states;

use armdyn_core::*;
use armdyn_import::library;
use armdyn_testkit::bundled;
use armdyn_testkit::{peers, random};
use clap::Parser;
use jit::time_compiled;
use serde::Serialize;
use states::Pool;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

/// Times every algorithm of the core.
#[derive(Parser)]
struct Args {
    /// Print one JSON object per line instead of a table.
    #[arg(long)]
    json: bool,
    /// Only these robots: ur5, panda, puma560, talos_ff, ur5e, iiwa14, chain6 … chain96.
    #[arg(long, value_delimiter = ',')]
    robot: Vec<String>,
    /// Only these algorithms. Those of the run-time compiler, which are not timed unless named, end in `-call`,
    /// `-batch` (ns per state, on one thread or several as the batch decides) and `-compile` (ns); those in
    /// single precision begin with `single-`.
    #[arg(long, value_delimiter = ',')]
    algo: Vec<String>,
    /// States of a batch; several numbers give a line each with `--json`.
    #[arg(long, value_delimiter = ',', default_value = "1024")]
    states: Vec<usize>,
    /// Write the robots with states and results for the benchmarks of `peers/` into this folder and exit.
    #[arg(long)]
    export: Option<PathBuf>,
    /// Seconds to spend on each time.
    #[arg(long, default_value_t = 0.4)]
    seconds: f64,
}

const ROBOTS: [&str; 11] =
    ["ur5", "panda", "puma560", "talos_ff", "ur5e", "iiwa14", "chain6", "chain12", "chain24", "chain48", "chain96"];
const ALGORITHMS: [&str; 8] = ["rnea", "crba", "aba", "minverse", "coriolis", "regressor", "drnea", "daba"];

/// A line of `--json`.
#[derive(Serialize)]
struct Timing {
    robot: String,
    algo: String,
    ns: f64,
    /// States of the batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    states: Option<usize>,
    /// Largest error of a compiled program, relative to the largest result of the recursion in a state.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
}

impl Timing {
    fn new(robot: &str, algo: &str, ns: f64) -> Self {
        let ns = if ns < 100.0 { (ns * 1000.0).round() / 1000.0 } else { (ns * 10.0).round() / 10.0 };
        Timing { robot: robot.into(), algo: algo.into(), ns, states: None, error: None }
    }

    fn with_error(self, error: f64) -> Self {
        Timing { error: Some(error), ..self }
    }

    fn of_states(self, states: usize) -> Self {
        Timing { states: Some(states), ..self }
    }
}

/// Median nanoseconds of a call.
fn median_ns(seconds: f64, pool: usize, mut call: impl FnMut(usize)) -> f64 {
    let mut k = 0;
    let mut run = |calls: usize| {
        let start = Instant::now();
        for _ in 0..calls {
            call(k);
            k = if k + 1 == pool { 0 } else { k + 1 };
        }
        start.elapsed().as_nanos() as f64
    };
    let mut calls = 1;
    while run(calls) < 5e6 {
        calls *= 2;
    }
    let batch = (calls / 50).max(1);
    let mut batches = Vec::new();
    let start = Instant::now();
    while batches.len() < 20 || start.elapsed().as_secs_f64() < seconds {
        batches.push(run(batch) / batch as f64);
    }
    batches.sort_by(f64::total_cmp);
    batches[batches.len() / 2]
}

/// A robot: the bundled one of that name, the peers' of their golden data, or a random chain. Without friction, which no peer has.
fn robot(name: &str) -> Model<f64> {
    let model = match name.strip_prefix("chain").map(str::parse::<usize>) {
        Some(Ok(n)) => random::arm(n as u64, &"R".repeat(n)),
        _ if library::bundled(name).is_some() => bundled(name),
        _ => peers::robot(name),
    };
    model.without_friction()
}

/// Nanoseconds of one algorithm on one robot.
fn time(m: &Model<f64>, pool: &Pool, algorithm: &str, seconds: f64) -> f64 {
    let n = m.nv();
    let (mut vector, mut a, mut b, mut c) = (vec![0.0; n], vec![0.0; n * n], vec![0.0; n * n], vec![0.0; n * n]);
    macro_rules! timed {
        ($data:ident, |$d:ident, $i:ident| $call:expr, $out:expr) => {{
            let mut $d = $data::new(m);
            median_ns(seconds, pool.q.len(), |$i| {
                $call.expect("a random state is a valid one");
                black_box(&mut $out);
            })
        }};
    }
    let Pool { q, qd, qdd, tau } = pool;
    match algorithm {
        "rnea" => timed!(RneaData, |d, i| rnea(m, &mut d, &q[i], &qd[i], &qdd[i], &mut vector), vector),
        "crba" => timed!(CrbaData, |d, i| crba(m, &mut d, &q[i], &mut a), a),
        "aba" => timed!(AbaData, |d, i| aba(m, &mut d, &q[i], &qd[i], &tau[i], &mut vector), vector),
        "minverse" => timed!(MinverseData, |d, i| minverse(m, &mut d, &q[i], &mut a), a),
        "coriolis" => timed!(CoriolisData, |d, i| coriolis(m, &mut d, &q[i], &qd[i], &mut a), a),
        "regressor" => {
            let mut y = vec![0.0; n * parameter_count(m)];
            timed!(RegressorData, |d, i| regressor(m, &mut d, &q[i], &qd[i], &qdd[i], &mut y), y)
        }
        "drnea" => {
            timed!(DerivativesData, |d, i| rnea_derivatives(m, &mut d, &q[i], &qd[i], &qdd[i], &mut a, &mut b), a)
        }
        "daba" => timed!(
            DerivativesData,
            |d, i| aba_derivatives(m, &mut d, &q[i], &qd[i], &tau[i], &mut a, &mut b, &mut c),
            a
        ),
        _ => unreachable!("the algorithms are checked before"),
    }
}

/// The chosen names, or all of them; a name that is not known ends the program.
fn chosen<'a>(what: &str, all: &[&'a str], wanted: &[String]) -> Vec<&'a str> {
    if let Some(unknown) = wanted.iter().find(|w| !all.contains(&w.as_str())) {
        eprintln!("there is no {what} `{unknown}`; there are: {}", all.join(", "));
        std::process::exit(2);
    }
    all.iter().copied().filter(|a| wanted.is_empty() || wanted.iter().any(|w| w == a)).collect()
}

fn main() {
    let args = Args::parse();
    let robots = chosen("robot", &ROBOTS, &args.robot);
    if let Some(folder) = &args.export {
        for name in robots {
            if let Err(error) = export::export(name, folder) {
                eprintln!("error: {error}");
                std::process::exit(1);
            }
        }
        return;
    }
    let compiled = jit::names();
    let known: Vec<&str> = ALGORITHMS.into_iter().chain(compiled.iter().map(String::as_str)).collect();
    let algorithms = if args.algo.is_empty() { ALGORITHMS.to_vec() } else { chosen("algorithm", &known, &args.algo) };
    if !args.json {
        println!("ns per call, one thread (median)\n");
        println!("{:10} {:>3} {}", "robot", "nv", algorithms.iter().map(|a| format!("{a:>10}")).collect::<String>());
    }
    for name in robots {
        let model = robot(name);
        let pool = Pool::new(&model);
        if !args.json {
            print!("{name:10} {:>3} ", model.nv());
        }
        for algorithm in &algorithms {
            let timings = if ALGORITHMS.contains(algorithm) {
                vec![Timing::new(name, algorithm, time(&model, &pool, algorithm, args.seconds))]
            } else {
                time_compiled(name, algorithm, &args.states, args.seconds)
            };
            for timing in timings {
                if args.json {
                    println!("{}", serde_json::to_string(&timing).expect("names and numbers are JSON"));
                } else {
                    print!("{:>10.0}", timing.ns);
                    use std::io::Write;
                    std::io::stdout().flush().ok();
                }
            }
        }
        if !args.json {
            println!();
        }
    }
}
