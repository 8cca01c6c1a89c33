//! Controllers, trajectories and torque tables of other robots are errors before the first step.

use armdyn_core::Model;
use armdyn_import::load_model;
use armdyn_motion::control::{
    AdaptiveController, AdaptiveOptions, Controller, Gains, GravityCompensation, JointSpaceController, JointSpaceLaw,
    OperationalSpaceController, OperationalSpaceLaw,
};
use armdyn_motion::simulation::{Interpolation, Sampling, Simulation, TorqueTable};
use armdyn_numerics::{ContinuousTrajectory, Error, PointToPoint, QuinticSpline, Trajectory};

/// All controllers of a robot, each with its name.
fn controllers<'a>(
    m: &'a Model<f64>,
    to: &'a dyn ContinuousTrajectory,
) -> Vec<(&'static str, Box<dyn Controller + 'a>)> {
    let n = m.nv();
    let gains = |n: usize| Gains::of_unit_mass(n, 10.0, 1.0).unwrap();
    let joint = |law| Box::new(JointSpaceController::new(m, to, law, gains(n)).unwrap());
    let tool = |law| Box::new(OperationalSpaceController::new(m, m.tool().unwrap(), to, law, gains(2)).unwrap());
    let options = AdaptiveOptions { rate: 5.0, damping: vec![1.0; n], adaptation: 1.0, adapt: vec![] };
    vec![
        ("pd", joint(JointSpaceLaw::Pd)),
        ("pd and gravity", joint(JointSpaceLaw::PdGravity)),
        ("feed-forward", joint(JointSpaceLaw::FeedForward)),
        ("computed torque", joint(JointSpaceLaw::ComputedTorque)),
        ("operational space", tool(OperationalSpaceLaw::ComputedTorque)),
        ("impedance", tool(OperationalSpaceLaw::Impedance)),
        ("adaptive", Box::new(AdaptiveController::new(m, to, options).unwrap())),
        ("gravity", Box::new(GravityCompensation::new(m))),
    ]
}

/// A move between configurations that no joint limit forbids.
fn short_move(m: &Model<f64>) -> PointToPoint {
    let middle = |l: &armdyn_core::Limits| if l.lower.is_finite() { 0.5 * (l.lower + l.upper) } else { 0.3 };
    let from: Vec<f64> = m.limits().iter().map(middle).collect();
    let to = from.iter().map(|q| q + 0.1).collect();
    PointToPoint::new(from, to, 1.0).unwrap()
}

#[test]
fn controllers_of_other_robots_name_both() {
    let robots = ["panda", "ur5e", "ur10e"].map(|name| load_model(name).unwrap());
    for own in &robots {
        let to = short_move(own);
        for simulated in robots.iter().filter(|m| m.name() != own.name()) {
            for (name, mut controller) in controllers(own, &to) {
                let run = Simulation::new(simulated).controller(controller.as_mut(), Sampling::default()).run(0.01);
                let error = run.unwrap_err();
                assert!(matches!(error, Error::ControllerOfAnotherRobot { .. }), "{name}: {error}");
                let text = error.to_string();
                let named = [own, simulated].map(|m| text.contains(&format!("`{}`", m.name())));
                assert_eq!(named, [true; 2], "{name}: {text}");
            }
        }
    }
}

/// A payload, friction and another gravity are still the same robot.
#[test]
fn a_controller_of_a_changed_model_is_accepted() {
    let m = load_model("panda").unwrap();
    let tool = m.tool().unwrap();
    let inertia = armdyn_core::Inertia::point(1.0, armdyn_core::vec3(0.0, 0.0, 0.0));
    let loaded = m.without_friction().with_payload("load", tool.link, inertia, tool.pose).unwrap();
    let to = short_move(&m);
    let [mut q, mut qd, mut qdd] = [(); 3].map(|()| vec![0.0; 7]);
    to.at(0.0, &mut q, &mut qd, &mut qdd);
    for (name, mut controller) in controllers(&loaded, &to) {
        let run = Simulation::new(&m).initial_state(&q, &qd).controller(controller.as_mut(), Sampling::default());
        assert!(run.run(0.01).is_ok(), "{name}");
    }
}

#[test]
fn a_state_of_another_robot_is_an_error() {
    let m = load_model("panda").unwrap();
    let to = short_move(&m);
    for (name, mut controller) in controllers(&m, &to) {
        for (q, qd, tau) in [(6, 7, 7), (7, 6, 7), (7, 7, 6), (8, 8, 8)] {
            let (q, qd, mut tau) = (vec![0.1; q], vec![0.0; qd], vec![0.0; tau]);
            let error = controller.torque(0.0, &q, &qd, &mut tau).unwrap_err().to_string();
            assert!(error.contains("`panda`") && error.contains("expected 7, 7 and 7"), "{name}: {error}");
        }
    }
}

#[test]
fn trajectories_of_other_robots_name_the_robot() {
    let (m, six) = (load_model("panda").unwrap(), load_model("ur5e").unwrap());
    let to = short_move(&six);
    let table = Trajectory::from_positions(6, vec![0.0, 0.5, 1.0], vec![0.1; 18]).unwrap();
    let spline = QuinticSpline::new(&table);
    for to in [&to as &dyn ContinuousTrajectory, &spline] {
        let gains = Gains::of_unit_mass(7, 10.0, 1.0).unwrap();
        let options = AdaptiveOptions { rate: 5.0, damping: vec![1.0; 7], adaptation: 1.0, adapt: vec![] };
        let law = OperationalSpaceLaw::ComputedTorque;
        let tool = m.tool().unwrap();
        let errors = [
            JointSpaceController::new(&m, to, JointSpaceLaw::Pd, gains.clone()).err(),
            OperationalSpaceController::new(&m, tool, to, law, Gains::of_unit_mass(1, 10.0, 1.0).unwrap()).err(),
            AdaptiveController::new(&m, to, options).err(),
            Simulation::new(&m).track(to).run(0.01).err(),
        ];
        for error in errors {
            let error = error.unwrap();
            assert!(matches!(error, Error::TrajectoryOfAnotherRobot { .. }), "{error}");
            let text = error.to_string();
            assert!(text.contains("6 degrees of freedom") && text.contains("`panda` has 7"), "{text}");
        }
    }
}

#[test]
fn torque_tables_of_other_robots_name_the_robot() {
    let m = load_model("panda").unwrap();
    let table = TorqueTable::new(vec![0.0, 1.0], vec![0.0; 12], Interpolation::Hold).unwrap();
    let error = Simulation::new(&m).torques(table).run(0.01).unwrap_err();
    assert!(matches!(error, Error::TorquesOfAnotherRobot { .. }), "{error}");
    assert!(error.to_string().contains("6 columns") && error.to_string().contains("`panda` has 7"), "{error}");
}
