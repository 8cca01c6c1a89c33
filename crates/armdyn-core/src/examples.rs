//! Small robots whose equations of motion fit on one line: the documentation's examples use them.

use crate::model::{BASE, Joint, Link, Model, ModelBuilder};
use crate::spatial::{Transform, vec3};

/// A pendulum: a point mass of 2 kg, 0.5 m from a horizontal pivot. At q = 0 it points along x; positive q lifts it.
///
/// τ = m r² q̈ + m g r cos q = 0.5 q̈ + 9.81 cos q
pub fn pendulum() -> Model<f64> {
    let mut robot = ModelBuilder::new("pendulum");
    let rod = Link::new("rod").body(2.0, [0.5, 0.0, 0.0], [0.0; 6]);
    robot.add(BASE, Joint::revolute("pivot", [0.0, -1.0, 0.0]), rod);
    robot.build().expect("the pendulum is physical")
}

/// A planar arm of two links, each 1 m long with a point mass of 1 kg at its end, in the vertical plane. At q = 0 it is
/// stretched along x; positive angles lift it.
///
/// M₁₁ = 3 + 2 cos q₂, M₁₂ = 1 + cos q₂, M₂₂ = 1; Christoffel symbols from h = sin q₂; g₁ = 19.62 cos q₁ + 9.81 cos(q₁ + q₂)
pub fn two_link_arm() -> Model<f64> {
    let axis = [0.0, -1.0, 0.0];
    let link = |name: &str| Link::new(name).body(1.0, [1.0, 0.0, 0.0], [0.0; 6]);
    let mut robot = ModelBuilder::new("two-link arm");
    let upper = robot.add(BASE, Joint::revolute("shoulder", axis), link("upper"));
    let elbow = Joint::revolute("elbow", axis).at(Transform::from_translation(vec3(1.0, 0.0, 0.0)));
    robot.add(upper, elbow, link("lower"));
    robot.build().expect("the arm is physical")
}
