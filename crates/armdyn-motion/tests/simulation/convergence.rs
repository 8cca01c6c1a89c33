//! The order of each integrator with fixed steps, measured, with quaternions; that of the adaptive one is in `integrators/mod.rs`.

use super::{floating_tree, with};
use armdyn_motion::simulation::{Integrator, Options, Simulation};
use armdyn_numerics::Tolerance;

#[test]
fn each_integrator_has_its_order_on_quaternions() {
    let m = floating_tree();
    let mut q = vec![0.0; m.nq()];
    m.neutral(&mut q).unwrap();
    let qd = [0.5, -0.3, 0.2, 1.0, -2.0, 1.5, 2.0, 1.0, -1.5, 2.0, 0.4];
    let end = |options: Options| {
        let run = Simulation::new(&m).initial_state(&q, &qd).options(options).run(0.8).unwrap();
        [run.end().q, run.end().qd].concat()
    };
    let exact = end(Options { tolerance: Tolerance { relative: 1e-14, absolute: 1e-14 }, ..Options::default() });
    let error = |options: Options| end(options).iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    for (integrator, order, step) in [
        (Integrator::SemiImplicitEuler, 1.0, 1e-3),
        (Integrator::ImplicitMidpoint, 2.0, 1e-2),
        (Integrator::RungeKutta, 4.0, 1e-2),
    ] {
        let [coarse, fine] = [step, step / 2.0].map(|h| error(Options { rate: 1.25, ..with(integrator, h) }));
        let measured = (coarse / fine).log2();
        println!("{integrator}: order {measured:.3}, errors {coarse:.1e} {fine:.1e}");
        assert!((measured - order).abs() < 0.1, "{integrator}: {measured}");
    }
}
