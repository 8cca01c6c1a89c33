//! Piecewise polynomials of degree up to 5, one per joint and interval.

use armdyn_numerics::{ContinuousTrajectory, Result, invalid};

/// Coefficients of a polynomial in the time since the start of its interval, constant first.
pub(super) type Coefficients = [f64; 6];

/// The value of a polynomial and its first three derivatives.
pub(super) fn derivatives(c: &Coefficients, t: f64) -> [f64; 4] {
    let [a, b, c, d, e, f] = *c;
    [
        a + t * (b + t * (c + t * (d + t * (e + t * f)))),
        b + t * (2.0 * c + t * (3.0 * d + t * (4.0 * e + t * 5.0 * f))),
        2.0 * c + t * (6.0 * d + t * (12.0 * e + t * 20.0 * f)),
        6.0 * d + t * (24.0 * e + t * 60.0 * f),
    ]
}

/// A function of one variable with values for each joint: a trajectory over time, or a path over a path parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct PiecewisePolynomial {
    /// Ends of the intervals, from 0.
    knots: Vec<f64>,
    /// Row-major: one row of `n` joints per interval.
    pieces: Vec<Coefficients>,
    n: usize,
}

impl PiecewisePolynomial {
    /// The polynomials of `n` joints between increasing knots, which are counted from the first.
    pub(super) fn new(knots: &[f64], pieces: Vec<Coefficients>, n: usize) -> Self {
        debug_assert_eq!(pieces.len(), n * (knots.len() - 1));
        PiecewisePolynomial { knots: knots.iter().map(|t| t - knots[0]).collect(), pieces, n }
    }

    /// Number of joints.
    #[must_use]
    pub fn dofs(&self) -> usize {
        self.n
    }

    /// Ends of the intervals, from 0.
    #[must_use]
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    fn interval(&self, t: f64) -> usize {
        self.knots.partition_point(|x| *x <= t).clamp(1, self.knots.len() - 1) - 1
    }

    /// Writes the values and the first three derivatives; at a knot, those of the interval after it.
    pub fn derivatives(&self, t: f64, out: [&mut [f64]; 4]) {
        let k = self.interval(t);
        let [q, first, second, third] = out;
        for (i, piece) in self.pieces[k * self.n..(k + 1) * self.n].iter().enumerate() {
            [q[i], first[i], second[i], third[i]] = derivatives(piece, t - self.knots[k]);
        }
    }

    /// This trajectory followed by another of the same joints.
    pub fn followed_by(mut self, next: &PiecewisePolynomial) -> Result<Self> {
        if next.n != self.n {
            return invalid(format!("a trajectory of {} joints cannot follow one of {}", next.n, self.n));
        }
        let end = self.duration();
        self.knots.extend(next.knots[1..].iter().map(|t| end + t));
        self.pieces.extend_from_slice(&next.pieces);
        Ok(self)
    }
}

impl ContinuousTrajectory for PiecewisePolynomial {
    fn at(&self, t: f64, q: &mut [f64], qd: &mut [f64], qdd: &mut [f64]) {
        let k = self.interval(t);
        for (i, piece) in self.pieces[k * self.n..(k + 1) * self.n].iter().enumerate() {
            [q[i], qd[i], qdd[i], _] = derivatives(piece, t - self.knots[k]);
        }
    }

    fn duration(&self) -> f64 {
        self.knots[self.knots.len() - 1]
    }

    fn next_knot(&self, t: f64) -> f64 {
        self.knots.get(self.knots.partition_point(|x| *x <= t)).copied().unwrap_or(f64::INFINITY)
    }

    fn dofs(&self) -> Option<usize> {
        Some(self.n)
    }
}
