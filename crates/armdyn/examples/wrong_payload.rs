//! Computed torque with a wrong payload: the arm holds its goal with an error that the weight of the payload explains.
//!
//! cargo run -p armdyn --features motion --example wrong_payload

use armdyn::motion::control::{Gains, JointSpaceController, JointSpaceLaw};
use armdyn::motion::simulation::{Sampling, Simulation};
use armdyn::numerics::PointToPoint;
use armdyn::{Inertia, vec3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = armdyn::load("panda")?;
    let tool = model.tool()?;
    let robot = model.with_payload("box", tool.link, Inertia::point(2.0, vec3(0.0, 0.0, 0.0)), tool.pose)?;

    // The controller does not know of the box.
    let (start, goal) = (vec![0.0, -0.5, 0.0, -2.0, 0.0, 1.5, 0.3], vec![0.4, 0.1, 0.3, -1.6, -0.2, 1.9, 0.0]);
    let motion = PointToPoint::new(start.clone(), goal, 1.0)?;
    let gains = Gains::of_unit_mass(7, 20.0, 1.0)?;
    let mut controller = JointSpaceController::new(&model, &motion, JointSpaceLaw::ComputedTorque, gains)?;
    let run = Simulation::new(&robot)
        .initial_state(&start, &[0.0; 7])
        .controller(&mut controller, Sampling { rate: 1000.0, ..Sampling::default() })
        .track(&motion)
        .run(3.0)?;

    // At rest M K_p e = g(q) − ĝ(q): the feedback balances the unknown weight.
    let q = run.end().q;
    let (still, mass) = ([0.0; 7], model.mass_matrix(q)?);
    let unknown: Vec<f64> = (robot.inverse_dynamics(q, &still, &still)?.iter())
        .zip(model.inverse_dynamics(q, &still, &still)?)
        .map(|(heavy, light)| heavy - light)
        .collect();
    let errors = run.tracking.as_ref().ok_or("the run tracks a motion")?;
    println!("{:14} {:>12} {:>18} {:>18}", "joint", "error [rad]", "feedback [N m]", "unknown [N m]");
    for (i, joint) in errors.joints.iter().enumerate() {
        let feedback: f64 = (0..7).map(|j| mass[(i, j)] * 400.0 * errors.joints[j].last).sum();
        println!("{:14} {:>12.5} {:>18.4} {:>18.4}", joint.joint, joint.last, feedback, unknown[i]);
        assert!((feedback - unknown[i]).abs() < 0.01 * unknown[1].abs(), "the weight explains the error");
    }
    Ok(())
}
