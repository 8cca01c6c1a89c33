//! Computing time of simulations of Panda, for `benches/mujoco/compare.py`.
//!
//! Usage: `simulation_speed SCENARIO INTEGRATOR SECONDS`. SCENARIO: `swing` (no torques) or `control` (computed torque, sampled and
//! held at 1 kHz, along q_d = q_0 + 0.3 sin t). INTEGRATOR: `euler`, `rk4` (steps of 1 ms) or `default` (adaptive; with stops for `control`). Prints the
//! computing time \[s\] of the simulation and the final positions.

use armdyn_motion::control::{Gains, JointSpaceController, JointSpaceLaw};
use armdyn_motion::simulation::{Integrator, Options, Sampling, Simulation};
use armdyn_numerics::FunctionTrajectory;
use std::error::Error;
use std::time::Instant;

const START: [f64; 7] = [0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.3];

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [scenario, integrator, seconds] = &args[..] else { return Err("expected three arguments".into()) };
    let m = armdyn_testkit::bundled("panda");
    let options = match integrator.as_str() {
        "euler" => Options { integrator: Integrator::SemiImplicitEuler, stops: false, ..Options::default() },
        "rk4" => Options { integrator: Integrator::RungeKutta, stops: false, ..Options::default() },
        "default" => Options { stops: scenario == "control", ..Options::default() },
        other => return Err(format!("unknown integrator `{other}`").into()),
    };
    let seconds: f64 = seconds.parse()?;
    let reference = FunctionTrajectory::new(seconds, |t, q, qd, qdd| {
        let (sin, cos) = t.sin_cos();
        for (i, start) in START.iter().enumerate() {
            (q[i], qd[i], qdd[i]) = (start + 0.3 * sin, 0.3 * cos, -0.3 * sin);
        }
    });
    let gains = Gains::of_unit_mass(m.nv(), 10.0, 1.0)?;
    let mut controller = JointSpaceController::new(&m, &reference, JointSpaceLaw::ComputedTorque, gains)?;
    let mut simulation = Simulation::new(&m).initial_state(&START, &[0.0; 7]).options(options);
    if scenario == "control" {
        simulation = simulation.controller(&mut controller, Sampling::default());
    }
    let begun = Instant::now();
    let run = simulation.run(seconds)?;
    let took = begun.elapsed().as_secs_f64();
    let end: Vec<String> = run.end().q.iter().map(f64::to_string).collect();
    println!("{took} {}", end.join(" "));
    Ok(())
}
