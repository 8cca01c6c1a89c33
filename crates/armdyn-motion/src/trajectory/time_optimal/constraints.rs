//! Constraints of the motion along a path, at a grid of path parameters.
//!
//! On the path q(s), with q̇ = q′ ṡ and q̈ = q′ s̈ + q″ ṡ², torques are, in u = s̈ and y = ṡ,
//!
//!   τ = (M q′) u + (M q″ + C(q, q′) q′) y² + b q′ y + g + sign(q′) (Coulomb, Stribeck)               (1)
//!
//! Where a joint reverses between neighbouring grid points, and at both ends, where friction at rest is 0, the dry friction of each direction is
//! allowed for. The Stribeck term counts in full where it adds to a torque limit and not at all where it relieves it.
//! All constraints are relative to their limits: an excess of 0.001 is 0.1 %. Limits are reduced by a margin, so that what is exceeded between
//! grid points stays within them.

use super::super::{MotionLimits, PiecewisePolynomial};
use super::stage::Row;
use armdyn_core::{Model, RneaData, Vec3, rnea};
use armdyn_numerics::{ContinuousTrajectory, Limit, Result};

/// What a row limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meaning {
    pub limit: Limit,
    pub dof: usize,
    /// −1 for the lower limit.
    sign: f64,
    /// The limit is divided by this.
    scale: f64,
}

/// What an interval of the grid uses of the limits, relative to them.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// The largest excess over one of them.
    pub excess: f64,
    /// The largest distance from all of them.
    pub slack: f64,
}

/// All constraints of a motion along a path.
pub struct Constraints<'a> {
    m: &'a Model<f64>,
    path: &'a PiecewisePolynomial,
    limits: &'a MotionLimits,
    pub meanings: Vec<Meaning>,
    /// Path parameters.
    pub s: Vec<f64>,
    /// One row per meaning at each grid point.
    rows: Vec<Row>,
    /// Maximum path speed at each grid point.
    pub speed: Vec<f64>,
    /// Changes of the path speed over each interval, of the motion before: viscous friction at its end is by the speed at its start and this.
    pub change: Vec<f64>,
    with_effort: bool,
    margin: f64,
}

impl<'a> Constraints<'a> {
    /// The constraints at increasing path parameters from 0 to the length of the path.
    pub fn new(
        m: &'a Model<f64>,
        path: &'a PiecewisePolynomial,
        limits: &'a MotionLimits,
        s: Vec<f64>,
        margin: f64,
    ) -> Result<Self> {
        let mut meanings = vec![];
        for dof in 0..m.nv() {
            let (a, effort) = (limits.acceleration[dof], limits.drive.effort[dof]);
            let width = [effort.half_width(), effort.lower.abs(), effort.upper.abs()];
            let width = width.into_iter().find(|w| w.is_finite() && *w > 0.0).unwrap_or(1.0);
            for sign in [1.0, -1.0] {
                if a.is_finite() {
                    meanings.push(Meaning { limit: Limit::Acceleration, dof, sign, scale: a });
                }
                if (if sign > 0.0 { effort.upper } else { effort.lower }).is_finite() {
                    meanings.push(Meaning { limit: Limit::Effort, dof, sign, scale: width });
                }
            }
        }
        let with_effort = meanings.iter().any(|x| x.limit == Limit::Effort);
        let change = vec![0.0; s.len() - 1];
        let mut all =
            Constraints { m, path, limits, meanings, s, rows: vec![], speed: vec![], change, with_effort, margin };
        all.evaluate()?;
        Ok(all)
    }

    /// The rows of a grid point.
    pub fn rows(&self, k: usize) -> &[Row] {
        let n = self.meanings.len();
        &self.rows[k * n..(k + 1) * n]
    }

    fn evaluate(&mut self) -> Result<()> {
        let (m, n, points) = (self.m, self.m.nv(), self.s.len());
        let bare = m.without_friction();
        let weightless = bare.with_gravity(Vec3::zero());
        let (mut with_gravity, mut without) = (RneaData::new(&bare), RneaData::new(&weightless));
        let [mut q, mut second, mut inertia, mut velocity, mut gravity] = [(); 5].map(|()| vec![0.0; n]);
        let zero = vec![0.0; n];
        let mut first = vec![0.0; n * points];
        for (k, s) in self.s.iter().enumerate() {
            self.path.at(*s, &mut q, &mut first[k * n..(k + 1) * n], &mut second);
        }
        self.rows.clear();
        self.speed.clear();
        for (k, s) in self.s.iter().enumerate() {
            let mut slope = vec![0.0; n];
            self.path.at(*s, &mut q, &mut slope, &mut second);
            if self.with_effort {
                rnea(&bare, &mut with_gravity, &q, &zero, &zero, &mut gravity)?;
                rnea(&weightless, &mut without, &q, &zero, &slope, &mut inertia)?;
                rnea(&weightless, &mut without, &q, &slope, &second, &mut velocity)?;
            }
            let fastest = slope.iter().zip(&self.limits.drive.speed).map(|(d, v)| v / d.abs());
            self.speed.push((1.0 - self.margin) * fastest.fold(f64::INFINITY, f64::min));
            for &Meaning { limit, dof, sign, scale } in &self.meanings {
                let by = sign / scale;
                self.rows.push(if limit == Limit::Acceleration {
                    Row { a: slope[dof] * by, b: second[dof] * by, k: 0.0, c: 1.0 - self.margin }
                } else {
                    let effort = self.limits.drive.effort[dof];
                    let near = (k.saturating_sub(1)..=(k + 1).min(points - 1)).map(|k| first[k * n + dof]);
                    let at_rest = (k == 0 || k == points - 1).then_some(0.0);
                    let dry = near.chain(at_rest).map(|d| sign * self.dry(dof, d, sign));
                    let dry = dry.fold(f64::NEG_INFINITY, f64::max);
                    let end = if sign > 0.0 { effort.upper } else { -effort.lower };
                    Row {
                        a: inertia[dof] * by,
                        b: velocity[dof] * by,
                        k: m.friction()[dof].viscous * slope[dof] * by,
                        c: (end - sign * gravity[dof] - dry) / scale - self.margin,
                    }
                });
            }
        }
        Ok(())
    }

    /// Dry friction in a direction, the largest for a limit of this sign.
    fn dry(&self, dof: usize, direction: f64, sign: f64) -> f64 {
        let f = &self.m.friction()[dof];
        let stribeck = if direction * sign > 0.0 { f.stribeck } else { 0.0 };
        match direction {
            d if d > 0.0 => f.coulomb_forward + stribeck,
            d if d < 0.0 => -(f.coulomb_backward + stribeck),
            _ => 0.0,
        }
    }

    /// Takes over the changes of speed of a motion with these squares of the path speeds.
    pub fn update_changes(&mut self, x: &[f64]) {
        self.change.iter_mut().zip(x.windows(2)).for_each(|(change, x)| *change = x[1].sqrt() - x[0].sqrt());
    }

    /// Tightens the constraints of both ends of each interval by their excess over the reduced limits within it, if the squares of the path speeds at the grid
    /// points are `x`. Returns what each interval uses of the reduced limits.
    pub fn tighten(&mut self, x: &[f64], tolerance: f64) -> Result<Vec<Use>> {
        const INSIDE: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
        let (m, n, per) = (self.m, self.m.nv(), self.meanings.len());
        let mut data = RneaData::new(m);
        let [mut q, mut slope, mut second, mut qd, mut qdd, mut tau] = [(); 6].map(|()| vec![0.0; n]);
        let mut uses = vec![];
        let mut by = vec![0.0_f64; per];
        for k in 0..x.len() - 1 {
            let (from, to) = (self.s[k], self.s[k + 1]);
            let u = (x[k + 1] - x[k]) / (2.0 * (to - from));
            by.fill(0.0);
            let (mut fast, mut slack) = (0.0_f64, 0.0_f64);
            let margin = self.margin;
            for (at, fraction) in INSIDE.into_iter().enumerate() {
                // Ends from inside: there the path and friction may jump.
                let s = from + (to - from) * if at == 4 { 1.0 - 1e-9 } else { fraction };
                let square = x[k] + fraction * (x[k + 1] - x[k]);
                let y = square.max(0.0).sqrt();
                self.path.at(s, &mut q, &mut slope, &mut second);
                let mut nearest = f64::NEG_INFINITY;
                for i in 0..n {
                    qd[i] = slope[i] * y;
                    qdd[i] = slope[i] * u + second[i] * square;
                    nearest = nearest.max(qd[i].abs() / self.limits.drive.speed[i] - 1.0 + margin);
                }
                fast = fast.max(nearest);
                if self.with_effort {
                    rnea(m, &mut data, &q, &qd, &qdd, &mut tau)?;
                }
                for (excess, meaning) in by.iter_mut().zip(&self.meanings) {
                    let Meaning { limit, dof, sign, scale } = *meaning;
                    let effort = self.limits.drive.effort[dof];
                    let over = match limit {
                        Limit::Acceleration => sign * qdd[dof] / scale - 1.0,
                        _ if sign > 0.0 => (tau[dof] - effort.upper) / scale,
                        _ => (effort.lower - tau[dof]) / scale,
                    };
                    *excess = excess.max(over + margin);
                    nearest = nearest.max(over + margin);
                }
                slack = slack.max(-nearest);
            }
            for end in [k, k + 1] {
                for (r, excess) in by.iter().enumerate().filter(|(_, excess)| **excess > tolerance) {
                    self.rows[end * per + r].c -= excess;
                }
                if fast > tolerance {
                    self.speed[end] /= 1.0 + fast;
                }
            }
            uses.push(Use { excess: by.iter().fold(fast, |m, x| m.max(*x)), slack });
        }
        Ok(uses)
    }
}
