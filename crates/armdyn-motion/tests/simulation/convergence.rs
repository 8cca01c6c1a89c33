//! The order of each integrator, measured, with quaternions.

use super::analytic::Constant;
use super::{floating_tree, with};
use armdyn_motion::simulation::{Integrator, Options, Sampling, Simulation};
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

/// With a loose tolerance, a controller that does nothing cuts the adaptive steps to equal lengths.
#[test]
fn the_adaptive_integrator_has_order_eight_on_quaternions() {
    let m = floating_tree();
    let mut q = vec![0.0; m.nq()];
    m.neutral(&mut q).unwrap();
    let qd = [0.5, -0.3, 0.2, 1.0, -2.0, 1.5, 2.0, 1.0, -1.5, 2.0, 0.4].map(|v| 5.0 * v);
    let end = |rate: f64, tolerance: f64| {
        let mut nothing = Constant(vec![0.0; m.nv()]);
        let options =
            Options { tolerance: Tolerance { relative: tolerance, absolute: tolerance }, ..Options::default() };
        let sampling = Sampling { rate, ..Sampling::default() };
        let run = Simulation::new(&m).initial_state(&q, &qd).controller(&mut nothing, sampling).options(options);
        let run = run.run(0.8).unwrap();
        [run.end().q, run.end().qd].concat()
    };
    let exact = end(400.0, 1e-13);
    let error = |rate: f64| end(rate, 0.9).iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let [coarse, fine] = [25.0, 50.0].map(error);
    let order = (coarse / fine).log2();
    println!("Dormand–Prince: order {order:.2}, errors {coarse:.1e} {fine:.1e}");
    assert!((order - 8.0).abs() < 0.8, "{order}");
}
