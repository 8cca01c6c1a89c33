//! What is true of a base at an instant, and what its state allows.

use super::Row;
use super::dynamics::{Dynamics, Load, Six, motion};
use super::equations::{Solution, Status};
use super::linear::{Basis, dot};
use armdyn_core::{Motion as Twist, Rotation};
use armdyn_numerics::Result;

/// What is true of a robot on a base at an instant.
#[derive(Clone, Debug)]
pub struct Instant {
    /// ν̇: linear and angular acceleration of the base, in its axes and relative to them.
    pub acceleration: Twist<f64>,
    /// Torques or forces of the arm's joints, on the base that moves so \[N m, N\].
    pub tau: Vec<f64>,
    /// The weight on each wheel \[N\].
    pub weights: Vec<f64>,
    /// Force of the ground sideways on the axle of fixed wheels \[N\]; where it is not determined, as at rest, the least
    /// that does. NaN if there is none, or it never slides.
    pub sideways: f64,
    /// Whether that axle slides.
    pub slides: bool,
    /// The zero-moment point, in the base's frame \[m\]; none afloat.
    pub zero_moment_point: Option<[f64; 2]>,
    /// How far the zero-moment point is within the wheels' polygon \[m\]; below 0 it tips. Infinite afloat.
    pub tip_margin: f64,
    /// The wheels that it is nearest to tip about.
    pub tip_edge: Option<[usize; 2]>,
    /// Forces of the drive along what is driven \[N, N m\].
    pub driving: Vec<f64>,
}

impl Dynamics<'_> {
    /// The velocity of something that rubs.
    pub fn speed(&self, k: usize, twist: &Six) -> [f64; 2] {
        let planar = [twist[0], twist[1], twist[5]];
        let rows = &self.base.rubbing[k].rows;
        std::array::from_fn(|c| rows.get(c).map_or(0.0, |r| dot(r, &planar)))
    }

    /// The weight on something that rubs.
    pub fn weight_on(&self, k: usize, s: &Solution) -> f64 {
        self.base.rubbing[k].wheels.iter().map(|i| s.weights[*i]).sum()
    }

    /// How much more something that sticks could bear \[N\].
    pub fn reserve(&self, k: usize, s: &Solution) -> f64 {
        let [a, b] = s.forces[k];
        self.base.rubbing[k].at_rest * self.weight_on(k, s) - a.hypot(b)
    }

    /// The moment \[N m\] of the weight about the polygon's edge where it is least, and the edge's wheels.
    pub fn tipping(&self, s: &Solution) -> Option<(f64, [usize; 2])> {
        let [z, mx, my] = s.resultant;
        let corners = &self.base.corners;
        let edge = |k: usize| {
            let (i, j) = (corners[k], corners[(k + 1) % corners.len()]);
            let ([x, y, _], [u, v, _]) = (self.base.wheels[i].at, self.base.wheels[j].at);
            let (dx, dy) = (u - x, v - y);
            ((dx * (mx - z * y) - dy * (-my - z * x)) / dx.hypot(dy), [i, j])
        };
        (0..corners.len()).map(edge).min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Everything at an instant; τ of the moving base stays in `tau`.
    pub fn instant(&mut self, attitude: &Rotation<f64>, twist: &Six, mode: &[Status], s: &Solution) -> Result<Instant> {
        self.recursion(attitude, twist, &s.rate)?;
        let axle = self.base.rubbing.iter().position(|r| r.sideways);
        let slides = axle.is_some_and(|k| mode[k] != Status::Sticks);
        let [z, mx, my] = s.resultant;
        let tip = self.tipping(s);
        Ok(Instant {
            acceleration: motion(&s.rate),
            tau: self.tau.clone(),
            weights: s.weights.clone(),
            sideways: axle.map_or(f64::NAN, |k| s.forces[k][0]),
            slides,
            zero_moment_point: tip.map(|_| [-my / z, mx / z]),
            tip_margin: tip.map_or(f64::INFINITY, |(moment, _)| moment / z.abs()),
            tip_edge: tip.map(|t| t.1),
            driving: s.driving.clone(),
        })
    }

    /// The twist nearest to one that has the given speeds along some rows.
    pub fn project(&self, twist: Row, rows: Vec<(Row, f64)>) -> Row {
        let basis = Basis::new(&rows, 3);
        std::array::from_fn(|c| basis.given[c] + basis.rest.iter().map(|z| z[c] * dot(z, &twist)).sum::<f64>())
    }

    /// The rows that nothing overcomes, of what is at rest along them.
    pub fn kept(&self) -> impl Iterator<Item = (Row, f64)> {
        self.base.held.iter().map(|r| (*r, 0.0))
    }

    /// Whether nothing can move that is not driven.
    pub fn is_held(&self, mode: &[Status]) -> bool {
        let load = Load { mass: [[0.0; 6]; 6], bias: [0.0; 6], rates: None, efforts: None };
        !self.base.floats() && Basis::new(&self.rows(&load, mode), 3).rank == 3
    }

    /// What the drive works \[W\].
    pub fn driving_power(&self, s: &Solution, twist: &Six) -> f64 {
        let planar = [twist[0], twist[1], twist[5]];
        self.base.driven.iter().zip(&s.driving).map(|((_, row), f)| f * dot(row, &planar)).sum()
    }
}
