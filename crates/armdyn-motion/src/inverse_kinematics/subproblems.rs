//! Paden–Kahan subproblems: angles of rotations about given axes, in closed form or by the roots of a quartic.
//!
//! Lengths are relative to that of the arm, so that one tolerance serves all.

use armdyn_core::{Rotation, Vec3};
use nalgebra::Complex;

/// Vectors shorter than this have no direction: the angle about their axis is free.
pub(super) const SINGULAR: f64 = 1e-6;
/// What a cosine may exceed 1 by: the true solution is then found by iteration, if there is one.
pub(super) const SLACK: f64 = 1e-4;
/// How far a root of a quartic may be from real angles and lengths, for the same reason: about the square root.
const ROOT_SLACK: f64 = 0.03;

/// Up to four real solutions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Roots {
    values: [f64; 4],
    count: usize,
}

impl Roots {
    pub fn push(&mut self, x: f64) {
        if x.is_finite() && self.count < 4 {
            self.values[self.count] = x;
            self.count += 1;
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = f64> + '_ {
        self.values[..self.count].iter().copied()
    }
}

/// The rotation by an angle about a unit vector.
pub(super) fn rotation(axis: Vec3<f64>, angle: f64) -> Rotation<f64> {
    Rotation::about(axis, angle.sin_cos())
}

/// A vector rotated by an angle about a unit vector h: h (h·x) + (x − h (h·x)) cos + h × x sin.
pub(super) fn rotate(axis: Vec3<f64>, angle: f64, x: Vec3<f64>) -> Vec3<f64> {
    let (s, c) = angle.sin_cos();
    let along = axis * axis.dot(x);
    along + (x - along) * c + axis.cross(x) * s
}

/// Subproblem 1: the angle about a unit vector from one vector to another, both seen along it; none if one of them has no
/// direction.
pub(super) fn angle_about(axis: Vec3<f64>, from: Vec3<f64>, to: Vec3<f64>) -> Option<f64> {
    let (s, c) = (axis.dot(from.cross(to)), from.dot(to) - axis.dot(from) * axis.dot(to));
    (s * s + c * c > SINGULAR.powi(4)).then(|| s.atan2(c))
}

/// A unit vector perpendicular to another one.
pub(super) fn perpendicular(h: Vec3<f64>) -> Vec3<f64> {
    let k = if h.x.abs() < 0.6 { 0 } else { 1 };
    let side = h.cross(Vec3::unit(k));
    side * (1.0 / side.norm())
}

/// k + a cos θ + b sin θ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Harmonic {
    pub constant: f64,
    pub cos: f64,
    pub sin: f64,
}

impl Harmonic {
    /// y · R(h, θ) x.
    pub fn projection(y: Vec3<f64>, h: Vec3<f64>, x: Vec3<f64>) -> Self {
        let constant = y.dot(h) * h.dot(x);
        Harmonic { constant, cos: y.dot(x) - constant, sin: y.dot(h.cross(x)) }
    }

    pub fn at(&self, angle: f64) -> f64 {
        let (s, c) = angle.sin_cos();
        self.constant + self.cos * c + self.sin * s
    }

    /// Size of what depends on the angle.
    pub fn amplitude(&self) -> f64 {
        self.cos.hypot(self.sin)
    }

    /// Subproblem 4: the angles at which it has a value, two or one or none; `free` if it has it at all angles.
    pub fn angles(&self, value: f64, free: f64) -> Roots {
        let (c, r) = (value - self.constant, (self.cos * self.cos + self.sin * self.sin).sqrt());
        let mut roots = Roots::default();
        if c.abs() > r + SLACK {
            return roots;
        }
        if r < SINGULAR {
            roots.push(free);
            return roots;
        }
        let (middle, height) = (self.sin.atan2(self.cos), (r - c) * (r + c));
        if height > 0.0 {
            let half = height.sqrt().atan2(c);
            roots.push(middle + half);
            roots.push(middle - half);
        } else {
            roots.push(if c > 0.0 { middle } else { middle + std::f64::consts::PI });
        }
        roots
    }
}

/// A sum of harmonics and their squares: with z = exp(iθ), a z² + b z + c + b̄ z̄ + ā z̄².
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SecondHarmonic {
    second: Complex<f64>,
    first: Complex<f64>,
    constant: f64,
}

impl SecondHarmonic {
    pub fn add(&mut self, factor: f64, x: &Harmonic) {
        self.first += Complex::new(x.cos, -x.sin) * (0.5 * factor);
        self.constant += factor * x.constant;
    }

    pub fn add_square(&mut self, factor: f64, x: &Harmonic) {
        let w = Complex::new(x.cos, -x.sin) * 0.5;
        self.second += w * w * factor;
        self.first += w * (2.0 * factor * x.constant);
        self.constant += factor * (x.constant * x.constant + 2.0 * w.norm_sqr());
    }

    pub fn add_constant(&mut self, x: f64) {
        self.constant += x;
    }

    /// The angles at which it vanishes: the roots on the unit circle of a quartic in z; none if it vanishes everywhere.
    pub fn zeros(&self) -> Roots {
        let (a, b, c) = (self.second, self.first, Complex::from(self.constant));
        let size = a.norm().max(b.norm()).max(c.norm());
        if size == 0.0 {
            return Roots::default();
        }
        if a.norm() < 1e-13 * size {
            let scale = 1.0 / size;
            let harmonic = Harmonic { constant: c.re * scale, cos: 2.0 * b.re * scale, sin: -2.0 * b.im * scale };
            return if harmonic.amplitude() < SINGULAR { Roots::default() } else { harmonic.angles(0.0, 0.0) };
        }
        let mut roots = Roots::default();
        for z in quartic([a, b, c, b.conj(), a.conj()]) {
            if (z.norm() - 1.0).abs() < ROOT_SLACK {
                roots.push(z.arg());
            }
        }
        roots
    }
}

/// The real roots of a real quartic, highest power first.
pub(super) fn real_roots(coefficients: [f64; 5]) -> Roots {
    let mut roots = Roots::default();
    for z in quartic(coefficients.map(Complex::from)) {
        if z.im.abs() < ROOT_SLACK {
            roots.push(z.re);
        }
    }
    roots
}

/// The roots of a quartic, highest power first, all at once by the iteration of Ehrlich and Aberth: cubic convergence to simple
/// roots; to double ones it is linear, and they are known to the square root of rounding errors.
fn quartic(coefficients: [Complex<f64>; 5]) -> [Complex<f64>; 4] {
    let radius = (coefficients[4].norm() / coefficients[0].norm()).powf(0.25).clamp(1e-3, 1e3);
    // No symmetry that the roots could share.
    let mut z = [0.4, 2.1, 3.5, 5.2].map(|angle: f64| Complex::from_polar(radius, angle));
    for _ in 0..60 {
        let mut largest = 0.0_f64;
        for k in 0..4 {
            let (mut p, mut derivative) = (coefficients[0], Complex::from(0.0));
            for &c in &coefficients[1..] {
                derivative = derivative * z[k] + p;
                p = p * z[k] + c;
            }
            if p.norm_sqr() == 0.0 {
                continue;
            }
            let others: Complex<f64> = (0..4).filter(|&j| j != k).map(|j| (z[k] - z[j]).inv()).sum();
            let step = (derivative / p - others).inv();
            if step.is_finite() {
                z[k] -= step;
                largest = largest.max(step.norm_sqr() / z[k].norm_sqr());
            }
        }
        if largest < 1e-28 {
            break;
        }
    }
    z
}
