//! Crates of others: dynibo, phyz and featherstone (single precision). Fixed-base robots only.
//!
//! Usage: rust-peers CRATE ROBOT-PATH SECONDS. Reads what `armdyn-benches --export` wrote and prints one JSON line per algorithm.

mod dynibo;
mod featherstone;
mod phyz;
mod robot;

use robot::Robot;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, path, seconds] = &arguments[..] else { panic!("usage: rust-peers CRATE ROBOT-PATH SECONDS") };
    let robot = Robot::read(path, seconds.parse().expect("a number of seconds"));
    match name.as_str() {
        "dynibo" => dynibo::run(&robot, path),
        "phyz" => phyz::run(&robot),
        "featherstone" => featherstone::run(&robot),
        _ => panic!("no crate `{name}`"),
    }
}
