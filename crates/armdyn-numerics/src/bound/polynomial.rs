//! Polynomials in sines, cosines and lengths, and their bounds over a box by control points.
//!
//! D_ij and D_i are of degree ≤ 2 in the sine and cosine of each angle and in each length. Over a box, in the Bernstein
//! basis of each coordinate, such a polynomial is a weighted mean of its control points, so that it lies between their
//! minimum and maximum (Garloff 1986); those at the corners are values. With α = sin((r − x)/2), β = sin((r + x)/2) for
//! an angle |x| ≤ r < π/2, C = cos r, S = sin r:
//!
//!   α² + 2C αβ + β² = S²                                                                (1)
//!
//! Divided by S² its three terms are a basis of 1, cos x, sin x, each ≥ 0, whose sum is 1; those of its square, one of
//! degree 2 (Sánchez-Reyes 1998). All coordinates are bounded together, which avoids the dependency problem of interval
//! arithmetic.
//!
//! The bounds are guaranteed: the degrees follow from the operations of the program
//! ([`Tape::degrees`](armdyn_symbolic::Tape::degrees)); the coefficients are interpolated, with an error of at most that at the
//! nodes times Lebesgue's constant; the rounding of the control points is bounded from above.

use crate::JointRanges;
use armdyn_core::{Interval, Real};
use armdyn_symbolic::Degree;
use std::f64::consts::{PI, TAU};

/// The maximum width of an angle's range \[rad\]: 120°, where a control point lies at most 1/cos 60° = 2 off.
pub const WIDEST: f64 = TAU / 3.0;
/// The maximum number of coefficients.
const MAX_COEFFICIENTS: usize = 150_000;
/// Lebesgue's constants of 1, 3 and 5 nodes on a circle (1.67 and 1.99, rounded up for the rounding of the nodes), and of 1, 2
/// and 3 nodes on a line (1, 1.25).
const LEBESGUE: [[f64; 3]; 2] = [[1.0, 1.7, 2.05], [1.0, 1.05, 1.3]];

/// A coordinate that a polynomial depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    dof: usize,
    degree: usize,
    /// The midpoint and half-width that normalise a length; none for an angle.
    length: Option<(f64, f64)>,
}

impl Axis {
    /// Number of basis functions: 1, cos, sin, cos 2, sin 2; or 1, y, y².
    fn size(&self) -> usize {
        if self.length.is_some() { self.degree + 1 } else { 2 * self.degree + 1 }
    }

    fn nodes(&self) -> Vec<f64> {
        let n = self.size();
        match self.length {
            None => (0..n).map(|k| TAU * k as f64 / n as f64).collect(),
            Some((middle, half)) if n == 2 => vec![middle - half, middle + half],
            Some((middle, half)) => vec![middle - half, middle, middle + half],
        }
    }

    /// Values of the basis functions.
    fn functions<T: Real>(&self, x: T) -> Vec<T> {
        match self.length {
            None => {
                let (s, c) = x.sin_cos();
                let two = T::lift(2.0);
                [T::one(), c, s, T::one() - two * s.sqr(), two * s * c][..self.size()].to_vec()
            }
            Some((middle, half)) => {
                let y = (x - T::lift(middle)) / T::lift(half);
                [T::one(), y, y.sqr()][..self.size()].to_vec()
            }
        }
    }

    /// Matrix from values at the nodes to coefficients.
    fn interpolate(&self) -> Vec<f64> {
        match (self.length, self.degree) {
            (Some(_), 1) => vec![0.5, 0.5, -0.5, 0.5],
            (Some(_), _) => vec![0.0, 1.0, 0.0, -0.5, 0.0, 0.5, 0.5, -1.0, 0.5],
            (None, _) => {
                let (n, nodes) = (self.size(), self.nodes());
                let row = |b: usize| {
                    let weight = if b == 0 { 1.0 } else { 2.0 } / n as f64;
                    nodes.iter().map(move |x| weight * self.functions(*x)[b]).collect::<Vec<f64>>()
                };
                (0..n).flat_map(row).collect()
            }
        }
    }

    /// Matrix from coefficients to the control points over a range.
    fn control(&self, range: Interval) -> Vec<f64> {
        let middle = range.mid();
        let r = (range.hi() - middle).max(middle - range.lo()).next_up();
        if let Some((centre, half)) = self.length {
            let (a, b) = ((middle - r - centre) / half, (middle + r - centre) / half);
            return match self.degree {
                1 => vec![1.0, a, 1.0, b],
                _ => vec![1.0, a, a * a, 1.0, 0.5 * (a + b), a * b, 1.0, b, b * b],
            };
        }
        let (s, c) = r.sin_cos();
        let (sm, cm) = middle.sin_cos();
        // cos x, sin x of the control points, and for degree 2 cos 2x, sin 2x, about the middle.
        let rotate = |(x, y): (f64, f64), (sm, cm): (f64, f64)| [cm * x - sm * y, sm * x + cm * y];
        if self.degree == 1 {
            let points = [(c, -s), (1.0 / c, 0.0), (c, s)];
            return points.iter().flat_map(|p| [&[1.0][..], &rotate(*p, (sm, cm))].concat()).collect();
        }
        let d = 1.0 + 2.0 * c * c;
        let once =
            [(c, -s), (0.5 * (c + 1.0 / c), -0.5 * s), (3.0 * c / d, 0.0), (0.5 * (c + 1.0 / c), 0.5 * s), (c, s)];
        let (edge, top) = (2.0 * c * s, (2.0 + c * c + s * s) / d);
        let twice = [(c * c - s * s, -edge), (1.0, -s / c), (top, 0.0), (1.0, s / c), (c * c - s * s, edge)];
        let double = (2.0 * sm * cm, cm * cm - sm * sm);
        once.iter()
            .zip(&twice)
            .flat_map(|(p, p2)| [&[1.0][..], &rotate(*p, (sm, cm)), &rotate(*p2, double)].concat())
            .collect()
    }
}

/// Multiplies the first axis of an array by a matrix with N columns and makes it the last axis.
fn multiply_axis<T: Real, const N: usize>(values: &[T], out: &mut [T], matrix: &[T]) {
    let (rest, rows) = (values.len() / N, matrix.len() / N);
    for (i, to) in out.chunks_exact_mut(rows).enumerate() {
        let from: [T; N] = std::array::from_fn(|b| values[b * rest + i]);
        for (t, row) in to.iter_mut().zip(matrix.chunks_exact(N)) {
            *t = row.iter().zip(&from).fold(T::zero(), |sum, (m, f)| sum + *m * *f);
        }
    }
}

/// A polynomial of the coordinates that approximates a function, with a bound of its error over joint ranges.
#[derive(Clone, Debug)]
pub struct Polynomial {
    axes: Vec<Axis>,
    coefficients: Vec<f64>,
    /// Maximum distance from the function.
    error: f64,
    /// Sum of the magnitudes of the coefficients.
    size: f64,
}

/// The control points over a box: the polynomial lies between their minimum and maximum, to within `error`.
pub struct ControlPoints {
    /// The points; the last axis varies fastest.
    pub points: Vec<f64>,
    /// Error bound of each point.
    pub error: f64,
}

impl Polynomial {
    /// Interpolates a function of known degrees; `value` is evaluated at nodes within the ranges of lengths and at any angle.
    /// None if a degree exceeds 2 or there would be too many coefficients.
    pub fn new(
        degrees: &[Degree],
        ranges: &JointRanges,
        value: impl Fn(&[Interval]) -> Interval,
    ) -> Option<Polynomial> {
        let intervals = ranges.intervals();
        let mut axes = vec![];
        for (dof, degree) in degrees.iter().enumerate() {
            let range = intervals[dof];
            let (degree, length) = match *degree {
                Degree::Angle(d) => (d, None),
                Degree::Length(d) => (d, Some((range.mid(), (0.5 * range.width()).next_up()))),
            };
            if degree > 2 {
                return None;
            }
            if degree > 0 && range.lo() < range.hi() {
                axes.push(Axis { dof, degree, length });
            }
        }
        let sizes: Vec<usize> = axes.iter().map(Axis::size).collect();
        let count = sizes.iter().try_fold(1usize, |n, s| n.checked_mul(*s).filter(|n| *n <= MAX_COEFFICIENTS))?;
        let nodes: Vec<Vec<f64>> = axes.iter().map(Axis::nodes).collect();
        let mut q: Vec<Interval> = intervals.iter().map(|r| Interval::point(r.mid())).collect();
        let mut values = Vec::with_capacity(count);
        for k in 0..count {
            let mut rest = k;
            for (a, axis) in axes.iter().enumerate().rev() {
                q[axis.dof] = Interval::point(nodes[a][rest % sizes[a]]);
                rest /= sizes[a];
            }
            values.push(value(&q));
        }
        if values.iter().any(|f| !f.is_finite()) {
            return None;
        }
        let mut polynomial = Polynomial { axes, coefficients: vec![], error: 0.0, size: 0.0 };
        let middles: Vec<f64> = values.iter().map(Interval::mid).collect();
        polynomial.coefficients = polynomial.along(middles, |axis| axis.interpolate());
        // The error at the nodes bounds the error everywhere.
        let lifted = polynomial.coefficients.iter().map(|c| Interval::point(*c)).collect();
        let back = polynomial
            .along(lifted, |axis| axis.nodes().iter().flat_map(|x| axis.functions(Interval::point(*x))).collect());
        let worst = back.iter().zip(&values).fold(0.0, |worst: f64, (p, f)| {
            let off = *p - *f;
            worst.max(off.hi().abs()).max(off.lo().abs())
        });
        let lebesgue: f64 =
            polynomial.axes.iter().map(|a| LEBESGUE[usize::from(a.length.is_some())][a.degree]).product();
        polynomial.error = worst * lebesgue * 1.01;
        polynomial.size = polynomial.coefficients.iter().map(|c| c.abs()).sum();
        Some(polynomial)
    }

    /// Multiplies each axis of an array by its matrix.
    fn along<T: Real>(&self, mut values: Vec<T>, mut matrix: impl FnMut(&Axis) -> Vec<T>) -> Vec<T> {
        let mut out = vec![T::zero(); values.len()];
        for axis in &self.axes {
            let matrix = matrix(axis);
            match axis.size() {
                2 => multiply_axis::<T, 2>(&values, &mut out, &matrix),
                3 => multiply_axis::<T, 3>(&values, &mut out, &matrix),
                _ => multiply_axis::<T, 5>(&values, &mut out, &matrix),
            }
            std::mem::swap(&mut values, &mut out);
        }
        values
    }

    /// Drops coordinates and second degrees whose coefficients sum to less than `slack`, which is added to the error.
    #[must_use]
    pub fn truncated(mut self, slack: f64) -> Polynomial {
        let mut left = slack;
        for a in (0..self.axes.len()).rev() {
            while self.axes[a].degree > 0 {
                let (axis, inner) = (self.axes[a], self.inner(a));
                let size = axis.size();
                let keep = if axis.length.is_some() { size - 1 } else { size - 2 };
                let weight: f64 = self
                    .coefficients
                    .iter()
                    .enumerate()
                    .filter(|(k, _)| k / inner % size >= keep)
                    .map(|(_, c)| c.abs())
                    .sum();
                // |sin| + |cos| ≤ √2, which the sum of magnitudes exceeds.
                let weight = weight * 1.01;
                if weight > left {
                    break;
                }
                left -= weight;
                self.error += weight;
                let kept = self.coefficients.iter().enumerate().filter(|(k, _)| k / inner % size < keep);
                self.coefficients = kept.map(|(_, c)| *c).collect();
                self.axes[a].degree -= 1;
            }
        }
        self.axes.retain(|a| a.degree > 0);
        self
    }

    /// Sum of the magnitudes of the coefficients: an upper bound of every value.
    pub fn size(&self) -> f64 {
        self.size
    }

    fn inner(&self, axis: usize) -> usize {
        self.axes[axis + 1..].iter().map(Axis::size).product()
    }

    /// Whether it depends on a coordinate.
    pub fn depends(&self, dof: usize) -> bool {
        self.axes.iter().any(|a| a.dof == dof)
    }

    /// Whether the polynomial has period 2π in a coordinate.
    pub fn is_periodic(&self, dof: usize) -> bool {
        self.axes.iter().all(|a| a.dof != dof || a.length.is_none())
    }

    /// The first angle whose range is too wide for control points.
    pub fn too_wide(&self, q: &[Interval]) -> Option<usize> {
        self.axes.iter().find(|a| a.length.is_none() && q[a.dof].width() > WIDEST * (1.0 + 1e-9)).map(|a| a.dof)
    }

    /// Whether the control points of both are in the same order.
    pub fn matches(&self, other: &Polynomial) -> bool {
        self.axes == other.axes
    }

    /// The value.
    pub fn value(&self, q: &[f64]) -> f64 {
        let mut values = self.coefficients.clone();
        for axis in self.axes.iter().rev() {
            let f = axis.functions(q[axis.dof]);
            values = values.chunks_exact(f.len()).map(|c| c.iter().zip(&f).map(|(c, f)| c * f).sum()).collect();
        }
        values[0]
    }

    /// The control points over a box, in an order that depends on the degrees only. The box must not be too wide.
    pub fn control_points(&self, q: &[Interval]) -> ControlPoints {
        let mut largest = 1.0;
        let points = self.along(self.coefficients.clone(), |axis| {
            let matrix = axis.control(q[axis.dof]);
            largest *= matrix.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            matrix
        });
        // Each axis rounds its matrix elements (a few operations each) and a sum of at most five products; normalising a
        // length far from zero loses digits.
        let loss = |axis: &Axis| axis.length.map_or(1.0, |(middle, half)| 1.0 + middle.abs() / half);
        let steps = 32.0 * self.axes.iter().map(loss).sum::<f64>();
        ControlPoints { points, error: (self.error + steps * f64::EPSILON * largest * self.size) * 1.01 }
    }

    /// The coordinate along which the values at the control points vary most in total.
    pub fn steepest(&self, values: &[f64]) -> Option<usize> {
        let change = |a: usize| -> f64 {
            let (size, inner) = (self.axes[a].size(), self.inner(a));
            let mut sum = 0.0;
            for block in values.chunks_exact(size * inner) {
                for (low, high) in block.chunks_exact(inner).zip(block[inner..].chunks_exact(inner)) {
                    sum += low.iter().zip(high).map(|(l, h)| (h - l).abs()).sum::<f64>();
                }
            }
            sum
        };
        (0..self.axes.len()).max_by(|a, b| change(*a).total_cmp(&change(*b))).map(|a| self.axes[a].dof)
    }
}

/// Number of parts into which an angle's range must be split so that none is too wide.
pub fn parts(range: Interval) -> usize {
    let parts = (range.width() / WIDEST).ceil() as usize;
    debug_assert!(range.width() < 1e6 * PI);
    parts.max(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Lagrange basis of each kind of axis in closed form: Dirichlet's kernel on a circle, products of distances on a
    /// line.
    fn lagrange_basis(axis: &Axis, x: f64) -> Vec<f64> {
        let nodes = axis.nodes();
        let own = |k: usize| match axis.length {
            None => {
                let kernel = (1..=axis.degree).map(|m| 2.0 * (m as f64 * (x - nodes[k])).cos()).sum::<f64>();
                (1.0 + kernel) / nodes.len() as f64
            }
            Some(_) => {
                let others = (0..nodes.len()).filter(|j| *j != k);
                others.map(|j| (x - nodes[j]) / (nodes[k] - nodes[j])).product()
            }
        };
        (0..nodes.len()).map(own).collect()
    }

    /// The constants are at least, and hardly more than, the maximum of the sum of |Lagrange basis| on a fine grid.
    #[test]
    fn lebesgue_constants_match_a_fine_grid() {
        let line = Some((0.7, 0.3));
        for (degree, length) in [(1, None), (2, None), (1, line), (2, line)] {
            let axis = Axis { dof: 0, degree, length };
            let (low, high) = if length.is_some() { (0.4, 1.0) } else { (0.0, TAU) };
            let places = (0..=100_000).map(|k| low + (high - low) * f64::from(k) / 100_000.0);
            let largest = places.map(|x| lagrange_basis(&axis, x).iter().map(|l| l.abs()).sum()).fold(0.0, f64::max);
            let constant = LEBESGUE[usize::from(length.is_some())][degree];
            assert!(largest <= constant && constant < 1.06 * largest, "{axis:?}: {largest}, not {constant}");
        }
        assert_eq!([LEBESGUE[0][0], LEBESGUE[1][0]], [1.0; 2]);
    }

    /// Values at the nodes → coefficients → value anywhere equals Lagrange interpolation.
    #[test]
    fn an_axis_interpolates_by_its_lagrange_basis() {
        for (degree, length) in [(1, None), (2, None), (1, Some((0.7, 0.3))), (2, Some((0.7, 0.3)))] {
            let axis = Axis { dof: 0, degree, length };
            let (n, matrix) = (axis.size(), axis.interpolate());
            for x in [0.41, 0.55, 0.83, 0.99] {
                let functions = axis.functions(x);
                for (k, expected) in lagrange_basis(&axis, x).into_iter().enumerate() {
                    let ours: f64 = (0..n).map(|b| functions[b] * matrix[b * n + k]).sum();
                    assert!((ours - expected).abs() < 1e-14, "{axis:?} {x}: {ours}, not {expected}");
                }
            }
        }
    }
}
