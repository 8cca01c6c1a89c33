//! Guaranteed bounds: gravity torques for every configuration within ±1° of a pose, by interval arithmetic.
//!
//! cargo run -p armdyn --example guaranteed_bounds

use armdyn::{Interval, Model};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = armdyn::load("panda")?;
    let pose = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
    let tolerance = 1.0_f64.to_radians();

    let intervals: Model<Interval> = model.cast();
    let ranges: Option<Vec<Interval>> = pose.iter().map(|x| Interval::new(x - tolerance, x + tolerance)).collect();
    let bounds = intervals.gravity_torques(&ranges.ok_or("the lower bound exceeds the upper bound")?)?;
    let at_pose = model.gravity_torques(&pose)?;

    println!("gravity torques [N m] of {}, guaranteed for every configuration within ±1°", model.name());
    println!("{:15} {:>10} {:>10} {:>10}", "joint", "minimum", "at pose", "maximum");
    for (name, (bound, torque)) in model.dof_names().iter().zip(bounds.iter().zip(at_pose)) {
        println!("{name:15} {:10.3} {torque:10.3} {:10.3}", bound.lo(), bound.hi());
    }
    Ok(())
}
