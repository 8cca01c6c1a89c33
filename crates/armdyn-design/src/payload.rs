//! The largest payload that drives can carry: over a motion, and at rest in a pose.
//!
//! A payload is so and so many kilograms of something whose figures are given for one. Torques are affine in its mass μ,
//!
//!   τ(μ) = τ₀ + μ τ₁,
//!
//! τ₁ being those of a massless robot that carries one kilogram. So each sample allows each drive an interval of masses,
//! exactly, and so does the mean square, a parabola in μ. At rest, with accelerations up to ±aⱼ in any combination,
//!
//!   max |τᵢ| = |g + μ g₁|ᵢ + Σⱼ |M + μ M₁|ᵢⱼ aⱼ
//!
//! is convex and piecewise straight in μ: Newton's steps from above end on its root. Friction helps to hold: it is left out
//! at rest.

use crate::size::torques;
use crate::{Binding, DriveLimits, Limit};
use armdyn_core::{CrbaData, Model, Progress, RneaData, UnitPayload, crba, rnea};
use armdyn_numerics::{Result, Trajectory};

/// The masses that can be carried: from `least` (0, but where the load is wanted as a counterweight) to `most`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Masses {
    /// The least one \[kg\].
    pub least: f64,
    /// The greatest one; infinite if nothing bounds it \[kg\].
    pub most: f64,
    /// What does not allow more.
    pub by: Option<Binding>,
}

impl Masses {
    const ALL: Masses = Masses { least: 0.0, most: f64::INFINITY, by: None };

    /// The greatest mass, if any can be carried.
    pub fn largest(&self) -> Option<f64> {
        (self.least <= self.most).then_some(self.most)
    }

    fn allow(&mut self, (least, most): (f64, f64), by: Binding) {
        self.least = self.least.max(least);
        if most < self.most {
            self.most = most;
            self.by = Some(by);
        }
    }
}

/// The masses, in place of the robot's payloads, with which every drive can follow a motion.
pub fn payloads_along(
    m: &Model<f64>,
    trajectory: &Trajectory,
    limits: &DriveLimits,
    load: &UnitPayload,
    progress: &Progress,
) -> Result<Masses> {
    limits.check(m)?;
    let n = m.nv();
    let own = torques(&m.without_payloads(), trajectory, "torques without payload", progress)?;
    let added = torques(&load.on_massless(m)?, trajectory, "torques of the payload", progress)?;
    let mut masses = Masses::ALL;
    let (mut squares, mut time) = (vec![[0.0; 3]; n], 0.0);
    for (k, (own, added)) in own.chunks(n.max(1)).zip(added.chunks(n.max(1))).enumerate() {
        let w = trajectory.weight(k);
        time += w;
        for i in 0..n {
            let by = Binding { dof: i, limit: Limit::Effort, sample: Some(k) };
            masses.allow(straight(own[i], added[i], limits.effort[i]), by);
            let products = [own[i] * own[i], own[i] * added[i], added[i] * added[i]];
            squares[i].iter_mut().zip(products).for_each(|(sum, x)| *sum += w * x);
        }
    }
    for (i, [a, b, c]) in squares.into_iter().enumerate() {
        let by = Binding { dof: i, limit: Limit::Rated, sample: None };
        masses.allow(parabola(a / time, b / time, c / time, limits.rated[i]), by);
    }
    Ok(masses)
}

/// Where |a + b x| ≤ limit.
fn straight(a: f64, b: f64, limit: f64) -> (f64, f64) {
    if limit.is_infinite() || (b == 0.0 && a.abs() <= limit) {
        (f64::NEG_INFINITY, f64::INFINITY)
    } else if b == 0.0 {
        (f64::INFINITY, f64::NEG_INFINITY)
    } else {
        let (x, y) = ((limit - a) / b, (-limit - a) / b);
        (x.min(y), x.max(y))
    }
}

/// Where a + 2 b x + c x² ≤ limit², for a parabola that is a mean of squares.
fn parabola(a: f64, b: f64, c: f64, limit: f64) -> (f64, f64) {
    let over = a - limit * limit;
    if limit.is_infinite() || (c == 0.0 && over <= 0.0) {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    let root = (b * b - c * over).sqrt();
    if c == 0.0 || root.is_nan() {
        return (f64::INFINITY, f64::NEG_INFINITY);
    }
    // The two roots without loss of digits: one by the sum, the other by Vieta.
    let far = if b > 0.0 { -b - root } else { -b + root };
    let near = if far == 0.0 { 0.0 } else { over / far };
    ((far / c).min(near), (far / c).max(near))
}

/// Gravity and mass matrix of a robot in a pose; workspace.
struct AtRest {
    robot: Model<f64>,
    rnea: RneaData<f64>,
    crba: CrbaData<f64>,
    gravity: Vec<f64>,
    mass: Vec<f64>,
}

impl AtRest {
    fn new(robot: Model<f64>) -> Self {
        let n = robot.nv();
        let (rnea, crba) = (RneaData::new(&robot), CrbaData::new(&robot));
        AtRest { robot, rnea, crba, gravity: vec![0.0; n], mass: vec![0.0; n * n] }
    }

    fn update(&mut self, q: &[f64], still: &[f64], moves: bool) -> Result<()> {
        rnea(&self.robot, &mut self.rnea, q, still, still, &mut self.gravity)?;
        if moves {
            crba(&self.robot, &mut self.crba, q, &mut self.mass)?;
        }
        Ok(())
    }
}

/// The payloads that a robot can carry at rest; workspace.
pub struct Holding<'a> {
    limits: &'a DriveLimits,
    accelerations: Vec<f64>,
    still: Vec<f64>,
    own: AtRest,
    /// One kilogram, on a massless robot.
    added: AtRest,
}

impl<'a> Holding<'a> {
    /// Of a load in place of the robot's payloads, with accelerations up to these in any combination; none: at rest.
    pub fn new(
        m: &Model<f64>,
        limits: &'a DriveLimits,
        load: &UnitPayload,
        accelerations: Option<&[f64]>,
    ) -> Result<Self> {
        limits.check(m)?;
        let still = vec![0.0; m.nv()];
        let accelerations = accelerations.map_or_else(|| still.clone(), <[f64]>::to_vec);
        let (own, added) = (AtRest::new(m.without_payloads()), AtRest::new(load.on_massless(m)?));
        Ok(Holding { limits, accelerations, still, own, added })
    }

    /// The masses that can be carried in a pose.
    pub fn masses(&mut self, q: &[f64]) -> Result<Masses> {
        let moves = self.accelerations.iter().any(|a| *a > 0.0);
        self.own.update(q, &self.still, moves)?;
        self.added.update(q, &self.still, moves)?;
        let n = self.still.len();
        let mut masses = Masses::ALL;
        for i in 0..n {
            let (own, added) = (self.own.gravity[i], self.added.gravity[i]);
            let by = |limit| Binding { dof: i, limit, sample: None };
            masses.allow(straight(own, added, self.limits.rated[i]), by(Limit::Rated));
            let swing = |j: usize| [self.own.mass[i * n + j], self.added.mass[i * n + j], self.accelerations[j]];
            let swings: Vec<[f64; 3]> = (0..n).map(swing).filter(|s| s[2] > 0.0).collect();
            for sign in [1.0, -1.0] {
                masses.allow(convex(sign * own, sign * added, &swings, self.limits.effort[i]), by(Limit::Effort));
            }
        }
        Ok(masses)
    }
}

/// Where, from 0 on, a + b x + Σ |uⱼ + vⱼ x| wⱼ ≤ limit.
fn convex(a: f64, b: f64, swings: &[[f64; 3]], limit: f64) -> (f64, f64) {
    if limit.is_infinite() {
        return (0.0, f64::INFINITY);
    }
    // Height over the limit at x, and slope to its right or left.
    let at = |x: f64, right: bool| {
        swings.iter().fold((a + b * x - limit, b), |(height, slope), [u, v, w]| {
            let inner = u + v * x;
            let up = if inner == 0.0 { if right { v.abs() } else { -v.abs() } } else { inner.signum() * v };
            (height + w * inner.abs(), slope + w * up)
        })
    };
    let never = (f64::INFINITY, f64::NEG_INFINITY);
    // Beyond all bends it is straight, and above that line everywhere: the line's root is not below the wanted one.
    let (offset, slope) = swings.iter().fold((a - limit, b), |(c, s), [u, v, w]| {
        let c = c + w * if *v == 0.0 { u.abs() } else { u * v.signum() };
        (c, s + w * v.abs())
    });
    let mut most = if slope > 0.0 { -offset / slope } else { f64::INFINITY };
    let (start, climb) = at(0.0, true);
    if start > 0.0 && (climb >= 0.0 || most <= 0.0) {
        return never;
    }
    // On the way down from above, and up from 0: each step ends on the next straight piece or on the root.
    while most.is_finite() {
        let (height, slope) = at(most, false);
        let next = most - height / slope;
        if height <= 0.0 || slope <= 0.0 || next >= most {
            break;
        }
        most = next;
    }
    let mut least = 0.0;
    loop {
        let (height, slope) = at(least, true);
        let next = least - height / slope;
        if height > 0.0 && (slope >= 0.0 || next > most) {
            return never;
        }
        if height <= 0.0 || next <= least {
            break;
        }
        least = next;
    }
    (least, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_closed_forms() {
        assert_eq!(straight(1.0, 2.0, 5.0), (-3.0, 2.0));
        assert_eq!(straight(1.0, -2.0, 5.0), (-2.0, 3.0));
        assert_eq!(straight(6.0, 0.0, 5.0), (f64::INFINITY, f64::NEG_INFINITY));
        assert_eq!(straight(6.0, 1.0, f64::INFINITY), (f64::NEG_INFINITY, f64::INFINITY));
        // 1 + 2x + x² ≤ 9 from −4 to 2; 10 + x² ≤ 9 nowhere.
        assert_eq!(parabola(1.0, 1.0, 1.0, 3.0), (-4.0, 2.0));
        assert_eq!(parabola(1.0, -1.0, 1.0, 3.0), (-2.0, 4.0));
        assert_eq!(parabola(10.0, 0.0, 1.0, 3.0), (f64::INFINITY, f64::NEG_INFINITY));
        // x + |x − 2| ≤ 6 up to 4; the same with 8 − … above the limit at first: 9 − 3x + |x| ≤ 6 from 1.5.
        assert_eq!(convex(0.0, 1.0, &[[-2.0, 1.0, 1.0]], 6.0), (0.0, 4.0));
        assert_eq!(convex(9.0, -3.0, &[[0.0, 1.0, 1.0]], 6.0), (1.5, f64::INFINITY));
        assert_eq!(convex(9.0, -1.0, &[[0.0, 1.0, 2.0]], 6.0), (f64::INFINITY, f64::NEG_INFINITY));
        assert_eq!(convex(7.0, -2.0, &[[-4.0, 1.0, 3.0]], 9.0), (2.0, 14.0));
    }
}
