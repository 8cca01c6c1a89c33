//! The vibration of a flexible joint after a step of torque: two inertias and a spring.
//!
//! cargo run -p armdyn --features motion --example flexible_joint

use armdyn::motion::simulation::{Interpolation, Options, Simulation, TorqueTable};
use armdyn::{BASE, Drive, Joint, Link, ModelBuilder};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A link of 0.8 kg m² on a joint of 500 N m/rad; a rotor of 0.002 kg m² behind a gear of 10: 0.2 kg m² at the joint.
    let (link, motor, stiffness, torque) = (0.8, 0.2, 500.0, 3.0);
    let drive = Drive::ideal().rotor(motor / 100.0, 10.0);
    let joint = Joint::revolute("joint", [0.0, 0.0, 1.0]).driven_by(drive).stiffness(stiffness);
    let mut robot = ModelBuilder::new("flexible joint");
    robot.add(BASE, joint, Link::new("arm").body(1.0, [0.0; 3], [link, 0.0, 0.0, link, 0.0, link]));
    let model = robot.build()?;

    let step = TorqueTable::new(vec![0.0], vec![torque], Interpolation::Hold)?;
    let options = Options { rate: 50.0, ..Options::default() };
    let run = Simulation::new(&model).flexible_joints(&[0.05]).torques(step).options(options).run(0.4)?;

    let frequency = (stiffness * (1.0 / link + 1.0 / motor)).sqrt();
    println!("natural frequency without damping: {:.2} Hz", frequency / std::f64::consts::TAU);
    println!("{:>8} {:>14} {:>14} {:>18}", "t [s]", "motor [rad]", "link [rad]", "deflection [mrad]");
    for s in run.samples.iter() {
        let deflection = 1e3 * (s.motor_position[0] - s.q[0]);
        println!("{:8.2} {:14.6} {:14.6} {:18.4}", s.t, s.motor_position[0], s.q[0], deflection);
    }
    println!(
        "lost by damping: {:.4} J; residual of the balance: {:.0e} J",
        run.energy.damping_loss, run.energy.residual
    );
    Ok(())
}
