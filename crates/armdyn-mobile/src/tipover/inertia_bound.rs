//! Bound of the inertial moment about an edge by vector norms, for every configuration.
//!
//! In the Newton–Euler recursion, with |w|, |u| the largest angular and linear joint velocities and r the distance from the parent's
//! origin:
//!
//!   ω ≤ ωₚ + |w|,   α ≤ αₚ + |ẇ| + ωₚ |w|,   a ≤ aₚ + (αₚ + ωₚ²) r + |u̇| + 2 ωₚ |u|
//!   F ≤ m a + (α + ω²) |h|,   N ≤ |h| a + |I| (α + ω²)
//!
//! The moment about the edge is at most N + D F, where D is the largest distance of the body's origin from the edge. The bound is coarse
//! for many fast joints, but holds for all boxes: where the gravity term exceeds it, the motion needs no closer examination.

use crate::BaseMotion;
use crate::contact::{Edge, Support};
use armdyn_core::{Error, Inertia, Interval, Model, Vec3};

/// Allowance for rounding.
const ROUNDING_FACTOR: f64 = 1.0 + 1e-9;

/// Upper bounds of a body's motion, and of the distance of its origin from the base origin.
#[derive(Clone, Copy)]
struct MotionBound {
    angular_velocity: f64,
    angular_acceleration: f64,
    acceleration: f64,
    distance: f64,
}

impl MotionBound {
    /// Bound of the inertial moment about an axis at a distance `offset` from the base origin.
    fn moment(&self, inertia: &Inertia<f64>, offset: f64) -> f64 {
        let [mass, x, y, z, xx, xy, xz, yy, yz, zz] = inertia.components();
        let first = x.hypot(y).hypot(z);
        let tensor = (xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + xz * xz + yz * yz)).sqrt();
        let rotational = self.angular_acceleration + self.angular_velocity * self.angular_velocity;
        let force = mass * self.acceleration + rotational * first;
        first * self.acceleration + tensor * rotational + force * (self.distance + offset)
    }
}

/// Bound of the inertial moment about an edge for joint velocities and accelerations within ranges and a motion of the base
/// \[N m\].
pub(super) fn inertia_bound(
    m: &Model<f64>,
    support: &Support,
    edge: &Edge,
    base: &BaseMotion,
    [q, velocities, accelerations]: [&[Interval]; 3],
) -> Result<f64, Error> {
    let (q, velocities, accelerations) =
        (m.tree_positions(q)?, m.tree_rates(velocities)?, m.tree_rates(accelerations)?);
    let m = m.tree();
    let magnitude = |range: &Interval| range.lo().abs().max(range.hi().abs());
    let offset = Vec3::lift(support.contacts()[edge.contacts[0]].position).norm();
    let start = MotionBound {
        angular_velocity: base.velocity.angular.norm(),
        angular_acceleration: base.acceleration.angular.norm(),
        acceleration: base.acceleration.linear.norm(),
        distance: 0.0,
    };
    let mut bounds = vec![start];
    let mut sum = start.moment(m.base_inertia(), offset);
    for (_, b) in m.base_to_tip() {
        let p = bounds[b.parent];
        let unit = b.pair.motion(&[1.0]);
        let (angular, linear) = (unit.angular.norm(), unit.linear.norm());
        let (velocity, acceleration) = (magnitude(&velocities[b.v]), magnitude(&accelerations[b.v]));
        let reach = b.placement.translation.norm() + linear * magnitude(&q[b.q]);
        let bound = MotionBound {
            angular_velocity: p.angular_velocity + angular * velocity,
            angular_acceleration: p.angular_acceleration + angular * (acceleration + p.angular_velocity * velocity),
            acceleration: p.acceleration
                + (p.angular_acceleration + p.angular_velocity * p.angular_velocity) * reach
                + linear * (acceleration + 2.0 * p.angular_velocity * velocity),
            distance: p.distance + reach,
        };
        sum += bound.moment(&b.inertia, offset);
        bounds.push(bound);
    }
    for r in m.rotors() {
        let Some((body, _)) = r.mount else { continue };
        let spin =
            |ranges: &[Interval]| r.gear.iter().map(|(dof, g)| g.abs() * magnitude(&ranges[dof.index()])).sum::<f64>();
        sum += r.inertia.abs() * (spin(&accelerations) + bounds[body].angular_velocity * spin(&velocities));
    }
    Ok(sum * ROUNDING_FACTOR)
}
