//! Prescribed motion of a base: the boundary condition of a tip-over analysis.

use crate::contact::Support;
use armdyn_core::Motion;

/// Motion of the base at an instant, in base axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaseMotion {
    /// Angular velocity, and linear velocity of the base origin.
    pub velocity: Motion<f64>,
    /// Angular acceleration, and linear acceleration of the base origin including the centripetal term.
    pub acceleration: Motion<f64>,
}

impl BaseMotion {
    /// A base at rest.
    #[must_use]
    pub fn rest() -> Self {
        BaseMotion { velocity: Motion::zero(), acceleration: Motion::zero() }
    }

    /// Motion along the ground: (vₓ, v_y, ω) \[m/s, rad/s\] of the base origin in base axes, and their time derivatives. The
    /// acceleration of the origin is v̇ + ω × v.
    #[must_use]
    pub fn planar(support: &Support, velocity: [f64; 3], derivative: [f64; 3]) -> Self {
        let motion = |[x, y, yaw]: [f64; 3]| Motion::new(support.normal() * yaw, support.to_base([x, y]));
        let (velocity, mut acceleration) = (motion(velocity), motion(derivative));
        acceleration.linear += velocity.angular.cross(velocity.linear);
        BaseMotion { velocity, acceleration }
    }

    /// The same path, `scaling` times as fast.
    #[must_use]
    pub fn scaled(&self, scaling: f64) -> Self {
        BaseMotion { velocity: self.velocity * scaling, acceleration: self.acceleration * (scaling * scaling) }
    }
}
