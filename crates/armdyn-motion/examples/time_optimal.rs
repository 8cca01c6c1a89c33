//! Computing time of time-optimal motions of Panda without drives, for `benches/toppra/compare.py`.
//!
//! Usage: time_optimal WAYPOINTS.csv ACCELERATIONS EFFORTS RUNS. Prints the duration \[s\] and the shortest computing time \[s\] of the runs.

use armdyn_motion::trajectory::{MotionLimits, TimeOptimalOptions, Waypoints, geometric_path, time_optimal};
use armdyn_numerics::ContinuousTrajectory;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, accelerations, efforts, runs] = &args[..] else { return Err("expected four arguments".into()) };
    let numbers = |text: &str| text.split(',').map(|x| x.trim().parse()).collect::<Result<Vec<f64>, _>>();
    let m = armdyn_testkit::bundled("panda").without_drives();
    let table = std::fs::read_to_string(file)?;
    let rows = table.lines().skip(1).map(numbers).collect::<Result<Vec<_>, _>>()?;
    let waypoints = Waypoints::new(m.nv(), rows.concat())?;
    let mut limits = MotionLimits::of(&m);
    limits.acceleration = numbers(accelerations)?;
    limits.drive.effort = numbers(efforts)?.into_iter().map(Into::into).collect();
    let (mut shortest, mut duration) = (f64::INFINITY, 0.0);
    for _ in 0..runs.parse::<usize>()? {
        let begun = Instant::now();
        let path = geometric_path(&waypoints, &limits)?;
        duration = time_optimal(&m, &path, &limits, &TimeOptimalOptions::default())?.duration();
        shortest = begun.elapsed().as_secs_f64().min(shortest);
    }
    println!("{duration} {shortest}");
    Ok(())
}
