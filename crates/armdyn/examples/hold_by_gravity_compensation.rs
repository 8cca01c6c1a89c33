//! Gravity compensation at 1 kHz: an arm that can be pushed by hand, in a loop that allocates nothing.
//!
//! cargo run -p armdyn --features motion --example hold_by_gravity_compensation

use allocation_counter::measure;
use armdyn::motion::Controller;
use armdyn::motion::control::GravityCompensation;
use armdyn::motion::simulation::{Sampling, Simulation};
use armdyn::{ExternalWrench, Force, Vec3, WrenchAxes, vec3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = armdyn::load("panda")?;
    let (q, still) = ([0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.3], [0.0; 7]);

    // The loop of a real controller: torques from measured positions, once per millisecond.
    let mut controller = GravityCompensation::new(&model);
    let mut tau = [0.0; 7];
    let second = measure(|| {
        for k in 0..1000 {
            controller.torque(1e-3 * f64::from(k), &q, &still, &mut tau).unwrap();
        }
    });
    println!("allocations in 1000 samples: {}", second.count_total);
    assert_eq!(second.count_total, 0);

    // Closed loop. At 1 s a hand pushes the tool sideways by 1 N for 0.2 s; nothing stops it afterwards.
    let tool = model.tool()?;
    let wrench = Force::new(Vec3::zero(), vec3(0.0, 1.0, 0.0));
    let hand = ExternalWrench { link: tool.link, at: tool.position(), axes: WrenchAxes::Base, wrench };
    let run = Simulation::new(&model)
        .initial_state(&q, &still)
        .controller(&mut controller, Sampling { rate: 1000.0, ..Sampling::default() })
        .wrench(1.0, 1.2, hand)
        .run(2.0)?;
    let moved = |k: usize| run.samples.get(k).q.iter().zip(&q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("largest joint motion: {:.1e} rad before the push, {:.3} rad 0.8 s after it", moved(100), moved(200));
    println!(
        "work of the hand: {:.4} J, residual of the balance {:.0e} J",
        run.energy.external_work, run.energy.residual
    );
    assert!(moved(100) < 1e-6 && moved(200) > 0.05);
    Ok(())
}
