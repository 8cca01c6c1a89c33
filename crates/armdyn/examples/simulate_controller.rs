//! A controller at 1 kHz in closed loop with a simulated robot, and how much faster than real time it runs.
//!
//! cargo run --release -p armdyn --features motion --example simulate_controller [ROBOT]

use armdyn::motion::Controller;
use armdyn::motion::simulation::{Integrator, Options, Sampling, Simulation};
use armdyn::numerics::Result;
use armdyn::{Model, RneaData, rnea};
use std::time::Instant;

/// Computed torque to a point: τ = rnea(q, q̇, −K (q − q_d) − D q̇). Its workspace exists before the loop: it allocates nothing.
struct ComputedTorque<'a> {
    model: &'a Model<f64>,
    data: RneaData<f64>,
    goal: Vec<f64>,
    acceleration: Vec<f64>,
}

impl Controller for ComputedTorque<'_> {
    fn torque(&mut self, _: f64, q: &[f64], qd: &[f64], tau: &mut [f64]) -> Result<()> {
        for (i, a) in self.acceleration.iter_mut().enumerate() {
            *a = -100.0 * (q[i] - self.goal[i]) - 20.0 * qd[i];
        }
        Ok(rnea(self.model, &mut self.data, q, qd, &self.acceleration, tau)?)
    }
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let robot = std::env::args().nth(1).unwrap_or("panda".to_string());
    let model = armdyn::load(&robot)?;
    let n = model.nv();
    let middle: Vec<f64> = model.limits().iter().map(|l| 0.5 * (l.lower + l.upper)).collect();
    let middle: Vec<f64> = middle.into_iter().map(|x| if x.is_finite() { x } else { 0.0 }).collect();
    let goal: Vec<f64> = middle.iter().map(|x| x + 0.2).collect();

    println!("{:24} {:>16} {:>18}", "integrator, 1 ms", "final error", "times real time");
    for integrator in [Integrator::SemiImplicitEuler, Integrator::RungeKutta, Integrator::DormandPrince] {
        let (data, acceleration) = (RneaData::new(&model), vec![0.0; n]);
        let mut controller = ComputedTorque { model: &model, data, goal: goal.clone(), acceleration };
        let options = Options { integrator, step: 1e-3, ..Options::default() };
        let (start, duration) = (Instant::now(), 20.0);
        let run = Simulation::new(&model)
            .initial_state(&middle, &vec![0.0; n])
            .controller(&mut controller, Sampling::default())
            .options(options)
            .run(duration)?;
        let error = run.end().q.iter().zip(&goal).map(|(q, g)| (q - g).abs()).fold(0.0, f64::max);
        let speed = duration / start.elapsed().as_secs_f64();
        println!("{:24} {error:>16.1e} {speed:>18.0}", integrator.to_string());
    }
    Ok(())
}
