//! Two links swing freely: positions over time, and the energy that the integrator conserves.
//!
//! cargo run -p armdyn --features motion --example double_pendulum

use armdyn::motion::simulation::{Integrator, Options, Simulation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = armdyn::load("lin-rr")?;
    let (q, qd) = ([0.5, 0.3], [0.0; 2]);

    let options = Options { rate: 4.0, stops: false, ..Options::default() };
    let run = Simulation::new(&model).initial_state(&q, &qd).options(options).run(3.0)?;
    println!("{:>8} {:>10} {:>10} {:>12}", "t [s]", "q1 [rad]", "q2 [rad]", "energy [J]");
    for s in run.samples.iter() {
        println!("{:8.2} {:10.4} {:10.4} {:12.6}", s.t, s.q[0], s.q[1], s.kinetic + s.potential);
    }

    println!("\n{:24} {:>8} {:>14}", "integrator", "steps", "energy error");
    let integrators = [
        Integrator::SemiImplicitEuler,
        Integrator::RungeKutta,
        Integrator::ImplicitMidpoint,
        Integrator::DormandPrince,
    ];
    for integrator in integrators {
        let options = Options { integrator, step: 1e-3, ..options };
        let run = Simulation::new(&model).initial_state(&q, &qd).options(options).run(3.0)?;
        println!("{:24} {:8} {:12.1e} J", integrator.to_string(), run.steps, run.energy.residual);
    }
    Ok(())
}
