//! Simulation against closed-form solutions, conservation laws, and its own promises.

mod allocations;
mod analytic;
mod convergence;
mod friction;
mod input;
mod mobile;
mod other_robots;
mod peaks;
mod sampled;
mod stops;

use armdyn_core::{BASE, Drive, Joint, JointKind, Limits, Link, Model, ModelBuilder, Transform, Vec3, vec3};
use armdyn_motion::simulation::{EventKind, Integrator, Options, SimulationResult};

pub const ALL: [Integrator; 4] =
    [Integrator::SemiImplicitEuler, Integrator::RungeKutta, Integrator::DormandPrince, Integrator::ImplicitMidpoint];

/// A mass of 2 kg on a slide along an axis.
pub fn slide(axis: [f64; 3], drive: Drive) -> Model<f64> {
    let mut robot = ModelBuilder::new("slide");
    robot.add(BASE, Joint::prismatic("slide", axis).driven_by(drive), Link::new("mass").body(2.0, [0.0; 3], [0.0; 6]));
    robot.build().unwrap()
}

/// A point mass of 1 kg at 1 m that hangs down at q = 0.
pub fn pendulum(drive: Drive) -> Model<f64> {
    let mut robot = ModelBuilder::new("pendulum");
    let joint = Joint::revolute("pivot", [0.0, 1.0, 0.0]).driven_by(drive);
    robot.add(BASE, joint, Link::new("bob").body(1.0, [0.0, 0.0, -1.0], [0.0; 6]));
    robot.build().unwrap()
}

/// Two links of 1 kg at 1 m about horizontal axes, stretched along x at q = 0.
pub fn two_links(drives: [Drive; 2]) -> Model<f64> {
    let axis = [0.0, -1.0, 0.0];
    let link = |name: &str| Link::new(name).body(1.0, [1.0, 0.0, 0.0], [0.01, 0.0, 0.0, 0.01, 0.0, 0.01]);
    let mut robot = ModelBuilder::new("arm");
    let upper = robot.add(BASE, Joint::revolute("shoulder", axis).driven_by(drives[0]), link("upper"));
    let elbow = Joint::revolute("elbow", axis).at(Transform::from_translation(vec3(1.0, 0.0, 0.0)));
    robot.add(upper, elbow.driven_by(drives[1]), link("lower"));
    robot.build().unwrap()
}

/// A free body that carries a ball joint, which carries a hinge.
pub fn floating_tree() -> Model<f64> {
    let solid =
        |name: &str, mass: f64| Link::new(name).body(mass, [0.1, -0.05, 0.2], [0.3, 0.01, 0.02, 0.4, -0.03, 0.5]);
    let at = |x, y, z| Transform::from_translation(vec3(x, y, z));
    let mut robot = ModelBuilder::new("tree");
    let hull = robot.add(BASE, Joint::new("hull", JointKind::Free), solid("hull", 5.0));
    let ball = robot.add(hull, Joint::new("ball", JointKind::Spherical).at(at(0.3, 0.0, 0.1)), solid("arm", 2.0));
    robot.add(ball, Joint::revolute("hinge", [0.0, 1.0, 0.0]).at(at(0.0, 0.2, 0.4)), solid("hand", 1.0));
    robot.add(hull, Joint::prismatic("mast", [1.0, 0.0, 1.0]).at(at(-0.2, 0.1, 0.0)), solid("mast", 1.5));
    robot.build().unwrap().with_gravity(Vec3::zero())
}

pub fn limits(lower: f64, upper: f64) -> Limits {
    Limits { lower, upper, ..Limits::NONE }
}

pub fn with(integrator: Integrator, step: f64) -> Options {
    Options { integrator, step, ..Options::default() }
}

/// The times of events that a condition selects.
pub fn times(run: &SimulationResult, condition: impl Fn(&EventKind) -> bool) -> Vec<f64> {
    run.events.iter().filter(|e| condition(&e.kind)).map(|e| e.t).collect()
}
