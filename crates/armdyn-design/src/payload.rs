//! The maximum payload that the drives can carry: on a trajectory, and at rest in a configuration.
//!
//! Torques are affine in the mass μ of a payload,
//!
//!   τ(μ) = τ₀ + μ τ₁,
//!
//! where τ₁ are those of a massless robot with a payload of one kilogram. So each sample and drive allows an exact interval of
//! masses, and so does the mean square, a parabola in μ. At rest, with accelerations up to ±aⱼ in any combination,
//!
//!   max ±τᵢ = ±(g + μ g₁)ᵢ + Σⱼ |M + μ M₁|ᵢⱼ aⱼ
//!
//! is convex and piecewise linear in μ: Newton's method from above ends on its root. Friction helps to hold a configuration
//! and is neglected at rest.

use crate::drive_limits::LimitIndex;
use crate::drive_loads::torques;
use crate::holding::{CannotHold, HoldingLoad, worst};
use crate::{ActiveLimit, DriveLimits};
use armdyn_core::{CrbaData, EffortRange, Model, Progress, RneaData, UnitPayload, crba, rnea};
use armdyn_numerics::{Limit, Result, Trajectory};
use serde::Serialize;
use std::borrow::Cow;

/// The payload masses that the drives can carry. The minimum is above 0 where the load acts as a counterweight.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PayloadRange {
    /// Minimum \[kg\].
    pub minimum: f64,
    /// Maximum; infinite if nothing limits it \[kg\].
    pub maximum: f64,
    /// The limit that the maximum reaches.
    pub limited_by: Option<ActiveLimit>,
}

impl PayloadRange {
    /// The maximum mass, if any mass can be carried.
    pub fn largest(&self) -> Option<f64> {
        (self.minimum <= self.maximum).then_some(self.maximum)
    }
}

/// An interval of masses and the limit of its upper end.
struct Masses {
    interval: (f64, f64),
    by: Option<LimitIndex>,
}

impl Masses {
    const ALL: Masses = Masses { interval: (0.0, f64::INFINITY), by: None };

    fn restrict(&mut self, (low, high): (f64, f64), by: LimitIndex) {
        self.interval.0 = self.interval.0.max(low);
        if high < self.interval.1 {
            (self.interval.1, self.by) = (high, Some(by));
        }
    }
}

/// The payload masses, in place of the robot's payloads, with which every drive can follow a trajectory.
pub fn payload_on_trajectory(
    m: &Model<f64>,
    trajectory: &Trajectory,
    limits: &DriveLimits,
    load: &UnitPayload,
    progress: &Progress,
) -> Result<PayloadRange> {
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
            let by = LimitIndex { dof: i, limit: Limit::Effort, sample: Some(k) };
            masses.restrict(linear(own[i], added[i], limits.effort[i]), by);
            let products = [own[i] * own[i], own[i] * added[i], added[i] * added[i]];
            squares[i].iter_mut().zip(products).for_each(|(sum, x)| *sum += w * x);
        }
    }
    for (i, [a, b, c]) in squares.into_iter().enumerate() {
        let by = LimitIndex { dof: i, limit: Limit::Continuous, sample: None };
        masses.restrict(parabola(a / time, b / time, c / time, limits.continuous[i]), by);
    }
    let (minimum, maximum) = masses.interval;
    Ok(PayloadRange { minimum, maximum, limited_by: masses.by.map(|by| by.named(m, trajectory)) })
}

/// The interval with a + b x within a range.
fn linear(a: f64, b: f64, range: EffortRange) -> (f64, f64) {
    if b == 0.0 {
        return if range.contains(a) { (f64::NEG_INFINITY, f64::INFINITY) } else { (f64::INFINITY, f64::NEG_INFINITY) };
    }
    let (x, y) = ((range.upper - a) / b, (range.lower - a) / b);
    (x.min(y), x.max(y))
}

/// The interval with a + 2 b x + c x² ≤ limit², a mean of squares.
fn parabola(a: f64, b: f64, c: f64, limit: f64) -> (f64, f64) {
    let over = a - limit * limit;
    if limit.is_infinite() || (c == 0.0 && over <= 0.0) {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    let root = (b * b - c * over).sqrt();
    if c == 0.0 || root.is_nan() {
        return (f64::INFINITY, f64::NEG_INFINITY);
    }
    // The two roots without cancellation: one from the sum, the other by Vieta.
    let far = if b > 0.0 { -b - root } else { -b + root };
    let near = if far == 0.0 { 0.0 } else { over / far };
    ((far / c).min(near), (far / c).max(near))
}

/// Gravity torques and mass matrix of a robot in a configuration.
pub(crate) struct AtRest<'a> {
    robot: Cow<'a, Model<f64>>,
    rnea: RneaData<f64>,
    crba: CrbaData<f64>,
    zero: Vec<f64>,
    pub gravity: Vec<f64>,
    pub mass: Vec<f64>,
}

impl<'a> AtRest<'a> {
    pub fn new(robot: Cow<'a, Model<f64>>) -> Self {
        let n = robot.nv();
        let (rnea, crba) = (RneaData::new(&robot), CrbaData::new(&robot));
        AtRest { robot, rnea, crba, zero: vec![0.0; n], gravity: vec![0.0; n], mass: vec![0.0; n * n] }
    }

    /// Computes the gravity torques, and the mass matrix if the robot accelerates.
    pub fn update(&mut self, q: &[f64], accelerates: bool) -> Result<()> {
        rnea(&self.robot, &mut self.rnea, q, &self.zero, &self.zero, &mut self.gravity)?;
        if accelerates {
            crba(&self.robot, &mut self.crba, q, &mut self.mass)?;
        }
        Ok(())
    }
}

/// Workspace for the payload that a robot can carry at rest.
pub struct StaticPayload<'a> {
    limits: &'a DriveLimits,
    accelerations: Vec<f64>,
    own: AtRest<'static>,
    /// One kilogram, on a massless robot.
    added: AtRest<'static>,
}

impl<'a> StaticPayload<'a> {
    /// For a load in place of the robot's payloads, with accelerations up to these in any combination; none: at rest.
    pub fn new(
        m: &Model<f64>,
        limits: &'a DriveLimits,
        load: &UnitPayload,
        accelerations: Option<&[f64]>,
    ) -> Result<Self> {
        limits.check(m)?;
        let accelerations = accelerations.map_or_else(|| vec![0.0; m.nv()], <[f64]>::to_vec);
        let [own, added] = [m.without_payloads(), load.on_massless(m)?].map(|m| AtRest::new(Cow::Owned(m)));
        Ok(StaticPayload { limits, accelerations, own, added })
    }

    /// The payload masses that the drives can carry in a configuration.
    pub fn at(&mut self, q: &[f64]) -> Result<PayloadRange> {
        let accelerates = self.accelerations.iter().any(|a| *a > 0.0);
        self.own.update(q, accelerates)?;
        self.added.update(q, accelerates)?;
        let (n, names) = (self.own.robot.nv(), self.own.robot.dof_names());
        let mut masses = Masses::ALL;
        for i in 0..n {
            let (own, added) = (self.own.gravity[i], self.added.gravity[i]);
            let by = |limit| LimitIndex { dof: i, limit, sample: None };
            masses.restrict(linear(own, added, self.limits.continuous[i].into()), by(Limit::Continuous));
            let inertia = |j: usize| [self.own.mass[i * n + j], self.added.mass[i * n + j], self.accelerations[j]];
            let inertias: Vec<[f64; 3]> = (0..n).map(inertia).filter(|s| s[2] > 0.0).collect();
            let EffortRange { lower, upper } = self.limits.effort[i];
            for (sign, limit) in [(1.0, upper), (-1.0, -lower)] {
                masses.restrict(convex(sign * own, sign * added, &inertias, limit), by(Limit::Effort));
            }
        }
        let (minimum, maximum) = masses.interval;
        let named = |by: LimitIndex| ActiveLimit { joint: names[by.dof].clone(), limit: by.limit, t: None };
        Ok(PayloadRange { minimum, maximum, limited_by: masses.by.map(named) })
    }

    /// The drive that exceeds its limit most without a load in a configuration, if one does.
    pub fn cannot_hold(&mut self, q: &[f64]) -> Result<Option<CannotHold>> {
        Ok(self.worst_load(q)?.map(|(load, _)| load.named(&self.own.robot, q)))
    }

    /// The load of that drive, and by which factor it exceeds the limit.
    pub(crate) fn worst_load(&mut self, q: &[f64]) -> Result<Option<(HoldingLoad, f64)>> {
        self.own.update(q, true)?;
        let AtRest { robot, gravity, mass, .. } = &self.own;
        let (n, limits) = (robot.nv(), self.limits);
        let loads = (0..n).flat_map(|dof| {
            let inertia: f64 = (0..n).map(|j| mass[dof * n + j].abs() * self.accelerations[j]).sum();
            let load =
                |kind, torque, range| HoldingLoad { dof, kind, torque, accelerates: torque != gravity[dof], range };
            let effort = |torque| load(Limit::Effort, torque, limits.effort[dof]);
            let continuous = load(Limit::Continuous, gravity[dof], limits.continuous[dof].into());
            [effort(gravity[dof] + inertia), effort(gravity[dof] - inertia), continuous]
        });
        Ok(worst(loads))
    }
}

/// The interval of x ≥ 0 with a + b x + Σ |uⱼ + vⱼ x| wⱼ ≤ limit.
fn convex(a: f64, b: f64, terms: &[[f64; 3]], limit: f64) -> (f64, f64) {
    if limit.is_infinite() {
        return (0.0, f64::INFINITY);
    }
    // Value above the limit at x, and one-sided slope.
    let at = |x: f64, right: bool| {
        terms.iter().fold((a + b * x - limit, b), |(height, slope), [u, v, w]| {
            let inner = u + v * x;
            let up = if inner == 0.0 { if right { v.abs() } else { -v.abs() } } else { inner.signum() * v };
            (height + w * inner.abs(), slope + w * up)
        })
    };
    let empty = (f64::INFINITY, f64::NEG_INFINITY);
    // The function is never below its asymptote, whose root is an upper bound.
    let (offset, slope) = terms.iter().fold((a - limit, b), |(c, s), [u, v, w]| {
        let c = c + w * if *v == 0.0 { u.abs() } else { u * v.signum() };
        (c, s + w * v.abs())
    });
    let mut high = if slope > 0.0 { -offset / slope } else { f64::INFINITY };
    let (start, climb) = at(0.0, true);
    if start > 0.0 && (climb >= 0.0 || high <= 0.0) {
        return empty;
    }
    // Newton's method from above, and from 0: each step ends on the next linear piece or on the root.
    while high.is_finite() {
        let (height, slope) = at(high, false);
        let next = high - height / slope;
        if height <= 0.0 || slope <= 0.0 || next >= high {
            break;
        }
        high = next;
    }
    let mut low = 0.0;
    loop {
        let (height, slope) = at(low, true);
        let next = low - height / slope;
        if height > 0.0 && (slope >= 0.0 || next > high) {
            return empty;
        }
        if height <= 0.0 || next <= low {
            break;
        }
        low = next;
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms_of_intervals() {
        assert_eq!(linear(1.0, 2.0, 5.0.into()), (-3.0, 2.0));
        assert_eq!(linear(1.0, -2.0, 5.0.into()), (-2.0, 3.0));
        assert_eq!(linear(1.0, 2.0, EffortRange { lower: -3.0, upper: 9.0 }), (-2.0, 4.0));
        assert_eq!(linear(6.0, 0.0, 5.0.into()), (f64::INFINITY, f64::NEG_INFINITY));
        assert_eq!(linear(6.0, 1.0, EffortRange::UNLIMITED), (f64::NEG_INFINITY, f64::INFINITY));
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
