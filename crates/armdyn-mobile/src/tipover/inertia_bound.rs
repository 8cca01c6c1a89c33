//! The most that inertia can do about an edge, whatever the configuration: by the sizes of all vectors.
//!
//! In the recursion of Newton and Euler, with |w|, |u| the most that a joint turns and slides by and r its reach:
//!
//!   ω ≤ ωₚ + |w|,   α ≤ αₚ + |ẇ| + ωₚ |w|,   a ≤ aₚ + (αₚ + ωₚ²) r + |u̇| + 2 ωₚ |u|
//!   F ≤ m a + (α + ω²) |h|,   N ≤ |h| a + |I| (α + ω²)
//!
//! and about the edge N + D F, D being how far a body's origin can be from it. Coarse where joints are many and fast, but
//! the same for every box: what the weight leaves beyond it needs no look at the motion.

use super::{BaseMotion, Edge, Support};
use armdyn_core::{Inertia, Interval, Model, Vec3};

/// What rounding may add.
const ROUNDING: f64 = 1.0 + 1e-9;

/// The sizes of a body's motion, and how far its origin can be from the base's.
#[derive(Clone, Copy)]
struct Sizes {
    turn: f64,
    turning: f64,
    acceleration: f64,
    far: f64,
}

impl Sizes {
    /// The most of the moment about an axis that is `off` from the base's origin.
    fn moment(&self, inertia: &Inertia<f64>, off: f64) -> f64 {
        let [mass, x, y, z, xx, xy, xz, yy, yz, zz] = inertia.components();
        let first = x.hypot(y).hypot(z);
        let tensor = (xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + xz * xz + yz * yz)).sqrt();
        let swing = self.turning + self.turn * self.turn;
        let force = mass * self.acceleration + swing * first;
        first * self.acceleration + tensor * swing + force * (self.far + off)
    }
}

/// The most of the moment about an edge that speeds and accelerations within these ranges, and the base's motion, can take or
/// give \[N m\].
pub(super) fn inertia_bound(
    m: &Model<f64>,
    support: &Support,
    edge: &Edge,
    base: &BaseMotion,
    [q, speeds, accelerations]: [&[Interval]; 3],
) -> f64 {
    let most = |range: &Interval| range.lo().abs().max(range.hi().abs());
    let off = Vec3::lift(support.contacts()[edge.contacts[0]].position).norm();
    let start = Sizes {
        turn: base.velocity.angular.norm(),
        turning: base.acceleration.angular.norm(),
        acceleration: base.acceleration.linear.norm(),
        far: 0.0,
    };
    let mut all = vec![start];
    let mut sum = start.moment(m.base_inertia(), off);
    for (_, b) in m.base_to_tip() {
        let p = all[b.parent];
        let unit = b.pair.motion(&[1.0]);
        let (turns, slides) = (unit.angular.norm(), unit.linear.norm());
        let (speed, acceleration) = (most(&speeds[b.v]), most(&accelerations[b.v]));
        let reach = b.placement.translation.norm() + slides * most(&q[b.q]);
        let sizes = Sizes {
            turn: p.turn + turns * speed,
            turning: p.turning + turns * (acceleration + p.turn * speed),
            acceleration: p.acceleration
                + (p.turning + p.turn * p.turn) * reach
                + slides * (acceleration + 2.0 * p.turn * speed),
            far: p.far + reach,
        };
        sum += sizes.moment(&b.inertia, off);
        all.push(sizes);
    }
    for r in m.rotors() {
        let Some((body, _)) = r.mount else { continue };
        let of = |ranges: &[Interval]| r.gear.iter().map(|(dof, g)| g.abs() * most(&ranges[dof.index()])).sum::<f64>();
        sum += r.inertia.abs() * (of(accelerations) + all[body].turn * of(speeds));
    }
    sum * ROUNDING
}
