//! Break a joint torque down into its physical causes.
//!
//! cargo run -p armdyn --example explain_torques

use armdyn::{Boundary, explain};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = armdyn::load("panda")?;
    let (q, qd) = ([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785], [0.5; 7]);
    let boundary = Boundary::at_rest(&model);
    for joint in explain(&model, &boundary, &q, &qd, &[1.0; 7])?.iter_mut().take(4) {
        println!("{}: {:.2} N m", model.dof_names()[joint.dof.index()], joint.torque);
        joint.contributions.sort_by(|a, b| b.torque.abs().total_cmp(&a.torque.abs()));
        for c in joint.contributions.iter().take(5) {
            println!("  {:8.2} N m  {}", c.torque, c.cause.describe(&model));
        }
    }
    Ok(())
}
