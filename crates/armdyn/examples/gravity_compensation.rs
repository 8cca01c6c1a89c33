//! Gravity compensation: the torques that hold a robot still, with and without a payload.
//!
//! cargo run -p armdyn --example gravity_compensation [ROBOT]

use armdyn::{Inertia, Transform, Vec3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let robot = std::env::args().nth(1).unwrap_or("panda".to_string());
    let model = armdyn::load(&robot)?;
    let mut q = vec![0.0; model.nq()];
    model.neutral(&mut q)?;

    let load = Inertia::point(2.0, Vec3::zero());
    let loaded = model.with_payload("2 kg", model.last_link(), load, Transform::identity())?;
    let (alone, with_load) = (model.gravity_torques(&q)?, loaded.gravity_torques(&q)?);

    println!("{}: torques [N m] or forces [N] that hold it at the neutral configuration", model.name());
    println!("{:20} {:>10} {:>10}", "joint", "alone", "with 2 kg");
    for (name, (a, b)) in model.dof_names().iter().zip(alone.iter().zip(&with_load)) {
        println!("{name:20} {a:10.3} {b:10.3}");
    }
    Ok(())
}
