//! A fixed step allocates nothing: a longer simulation allocates as often as a short one.

use super::floating_tree;
use allocation_counter::measure;
use armdyn_core::Model;
use armdyn_motion::control::GravityCompensation;
use armdyn_motion::simulation::{Integrator, Options, Sampling, Simulation};
use armdyn_numerics::PointToPoint;

fn allocations(m: &Model<f64>, integrator: Integrator, duration: f64) -> u64 {
    let mut q = vec![0.0; m.nq()];
    m.neutral(&mut q).unwrap();
    q[m.nq() - 1] = 0.3;
    let mut controller = GravityCompensation::new(m);
    let options = Options { integrator, stops: false, ..Options::default() };
    let hold = PointToPoint::new(q.clone(), q.clone(), 1.0).unwrap();
    let mut simulation = Simulation::new(m).initial_state(&q, &vec![0.1; m.nv()]).options(options);
    if m.nq() == m.nv() {
        simulation = simulation.track(&hold);
    }
    let simulation = simulation.controller(&mut controller, Sampling { delay: 2e-3, ..Sampling::default() });
    measure(|| drop(simulation.run(duration).unwrap())).count_total
}

#[test]
fn fixed_steps_allocate_nothing() {
    for m in [armdyn_import::load_model("panda").unwrap(), floating_tree()] {
        for integrator in [Integrator::SemiImplicitEuler, Integrator::RungeKutta, Integrator::ImplicitMidpoint] {
            let [short, long] = [0.02, 0.2].map(|t| allocations(&m, integrator, t));
            assert!(short > 0 && short == long, "{} {integrator}: {short} and {long} allocations", m.name());
        }
    }
}
