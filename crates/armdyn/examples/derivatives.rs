//! Derivatives of the dynamics: analytical ones, and the same by dual numbers.
//!
//! cargo run -p armdyn --example derivatives

use armdyn::{Dual, Model};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = armdyn::load("planar-2r")?;
    let (q, qd, qdd) = ([0.3, 0.8], [0.5, -0.2], [1.0, 0.0]);

    let derivatives = model.inverse_dynamics_derivatives(&q, &qd, &qdd)?;
    println!("∂τ/∂q of {}:\n{}", model.name(), derivatives.dtau_dq);

    // Automatic differentiation: q carries its own derivatives through the same algorithm.
    let dual: Model<Dual<f64, 2>> = model.cast();
    let seeded = [Dual::variable(q[0], 0), Dual::variable(q[1], 1)];
    let tau = dual.inverse_dynamics(&seeded, &qd.map(Dual::constant), &qdd.map(Dual::constant))?;
    println!("the same by dual numbers:");
    for torque in tau {
        println!("{:10.4} {:10.4}", torque.grad[0], torque.grad[1]);
    }

    let linear = model.forward_dynamics_derivatives(&q, &qd, &[0.0, 0.0])?;
    println!("\nlinearised without torques: q̈ = {:.3?}", linear.qdd);
    println!("∂q̈/∂q:\n{}∂q̈/∂τ = M⁻¹:\n{}", linear.dqdd_dq, linear.dqdd_dtau);
    Ok(())
}
