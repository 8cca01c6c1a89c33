//! Inverse dynamics of many states: eight at a time, with the same function over `Lanes`.
//!
//! cargo run -p armdyn --example inverse_dynamics_batch

use armdyn::{Lanes, Model, RneaData, rnea};
use std::time::Instant;

const LANES: usize = 8;
const BLOCKS: usize = 5_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = armdyn::load("panda")?;
    let n = model.nv();
    // State k of the batch: every joint swings with its own phase.
    let angle = |k: usize, joint: usize| (0.001 * k as f64 + joint as f64).sin();

    let wide: Model<Lanes<f64, LANES>> = model.cast();
    let mut data = RneaData::new(&wide);
    let zero = vec![Lanes([0.0; LANES]); n];
    let mut tau = zero.clone();
    let mut largest = vec![0.0_f64; n];
    let start = Instant::now();
    for block in 0..BLOCKS {
        let q: Vec<_> = (0..n).map(|j| Lanes(std::array::from_fn(|lane| angle(block * LANES + lane, j)))).collect();
        rnea(&wide, &mut data, &q, &zero, &zero, &mut tau)?;
        for (most, torque) in largest.iter_mut().zip(&tau) {
            *most = torque.0.iter().fold(*most, |most, x| most.max(x.abs()));
        }
    }
    let states = BLOCKS * LANES;
    println!("{states} states of {} in {:.1} ms", model.name(), start.elapsed().as_secs_f64() * 1e3);
    println!("largest gravity torques along the motion:");
    for (name, torque) in model.dof_names().iter().zip(largest) {
        println!("{name:15} {torque:8.3} N m");
    }
    Ok(())
}
