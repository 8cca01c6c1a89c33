//! Configurations where nq ≠ nv: names, neutral, random, integrate, difference.
//!
//! A quaternion is rotated by a body-fixed rotation vector φ: p ⊗ (sin ½θ φ/θ, cos ½θ), θ = |φ|.

use super::model::Model;
use super::pair::Pair;
use crate::error::Result;
use crate::scalar::Real;
use crate::spatial::{Rotation, Vec3, rotation_between, vec3};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

impl<T: Real> Model<T> {
    /// The moving bodies whose joints have coordinates of their own.
    fn independent(&self) -> impl Iterator<Item = &super::Body<T>> {
        self.base_to_tip().map(|(_, b)| b).filter(|b| !b.follows)
    }

    /// The name of each coordinate of q: its degree of freedom's, or `joint.qx`, `.qy`, `.qz`, `.qw` in a quaternion.
    pub fn coordinate_names(&self) -> Vec<String> {
        let mut names = Vec::with_capacity(self.nq());
        for b in self.independent() {
            let dofs = &self.dof_names()[b.dofs()];
            if b.pair.nq() == b.pair.nv() {
                names.extend_from_slice(dofs);
            } else {
                // The last three degrees of freedom are rotations; those before them are translations.
                let (translations, rotations) = dofs.split_at(dofs.len() - 3);
                names.extend_from_slice(translations);
                let joint = rotations[0].rsplit_once('.').map_or("", |(joint, _)| joint);
                names.extend(["qx", "qy", "qz", "qw"].map(|part| format!("{joint}.{part}")));
            }
        }
        names
    }

    /// Unit of the torque or force of a degree of freedom.
    pub fn torque_unit(&self, dof: usize) -> &'static str {
        if self.is_rotational(dof) { "N m" } else { "N" }
    }

    /// Whether a degree of freedom is rotational (rad, N m), not translational (m, N).
    pub fn is_rotational(&self, dof: usize) -> bool {
        let b = self.body(self.dof_bodies()[dof]);
        match b.pair {
            Pair::Revolute | Pair::Helical { .. } | Pair::Ball => true,
            Pair::Prismatic => false,
            Pair::Free => dof - b.v >= 3,
        }
    }

    /// The configuration where every joint is at its placement: zeros, and unit quaternions.
    pub fn neutral(&self, q: &mut [T]) -> Result<()> {
        self.check_length("q", self.nq(), q.len())?;
        q.fill(T::zero());
        for b in self.independent() {
            if b.pair.nq() != b.pair.nv() {
                q[b.q + b.pair.nq() - 1] = T::one();
            }
        }
        Ok(())
    }

    /// q ⊞ v: the configuration reached from `q` by moving with the velocity `v`, constant in each body's axes, for
    /// a unit of time.
    pub fn integrate(&self, q: &[T], v: &[T], out: &mut [T]) -> Result<()> {
        self.check_length("q", self.nq(), q.len())?;
        self.check_length("v", self.nv(), v.len())?;
        self.check_length("out", self.nq(), out.len())?;
        for b in self.independent() {
            let (q, v, out) = (&q[b.q..], &v[b.v..], &mut out[b.q..]);
            match b.pair {
                Pair::Ball => {
                    out[..4].copy_from_slice(&rotated([q[0], q[1], q[2], q[3]], vec3(v[0], v[1], v[2])));
                }
                Pair::Free => {
                    let (p, phi) = ([q[3], q[4], q[5], q[6]], vec3(v[3], v[4], v[5]));
                    let moved = Rotation::quaternion(p).rotate(screw_translation(phi, vec3(v[0], v[1], v[2])));
                    for k in 0..3 {
                        out[k] = q[k] + moved.get(k);
                    }
                    out[3..7].copy_from_slice(&rotated(p, phi));
                }
                _ => out[0] = q[0] + v[0],
            }
        }
        self.check_finite("q", out, &[("q", q), ("v", v)])
    }
}

impl Model<f64> {
    /// The v with q₀ ⊞ v = q₁, of minimum rotation.
    pub fn difference(&self, q0: &[f64], q1: &[f64], v: &mut [f64]) -> Result<()> {
        self.check_length("q0", self.nq(), q0.len())?;
        self.check_length("q1", self.nq(), q1.len())?;
        self.check_length("v", self.nv(), v.len())?;
        for b in self.independent() {
            let (q0, q1, v) = (&q0[b.q..], &q1[b.q..], &mut v[b.v..]);
            match b.pair {
                Pair::Ball => {
                    let phi = rotation_between([q0[0], q0[1], q0[2], q0[3]], [q1[0], q1[1], q1[2], q1[3]]);
                    v[..3].copy_from_slice(&phi.to_array());
                }
                Pair::Free => {
                    let p = [q0[3], q0[4], q0[5], q0[6]];
                    let phi = rotation_between(p, [q1[3], q1[4], q1[5], q1[6]]);
                    let moved = vec3(q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]);
                    let linear = screw_velocity(phi, Rotation::quaternion(p).inverse_rotate(moved));
                    v[..3].copy_from_slice(&linear.to_array());
                    v[3..6].copy_from_slice(&phi.to_array());
                }
                _ => v[0] = q1[0] - q0[0],
            }
        }
        self.check_finite("difference", v, &[("q0", q0), ("q1", q1)])
    }

    /// A configuration drawn from `uniform`, a source of numbers in [0, 1): joints within their limits, or within
    /// ±π (±1 m) where they have none, 2π (2 m) from the limit where they have one, rotations uniform.
    pub fn random(&self, mut uniform: impl FnMut() -> f64, q: &mut [f64]) -> Result<()> {
        self.check_length("q", self.nq(), q.len())?;
        for b in self.independent() {
            let n = b.pair.nq();
            let q = &mut q[b.q..b.q + n];
            if n == 1 {
                let l = &self.limits()[b.v];
                let reach = if matches!(b.pair, Pair::Prismatic) { 1.0 } else { core::f64::consts::PI };
                let (lower, upper) = match (l.lower.is_finite(), l.upper.is_finite()) {
                    (true, true) => (l.lower, l.upper),
                    (true, false) => (l.lower, l.lower + 2.0 * reach),
                    (false, true) => (l.upper - 2.0 * reach, l.upper),
                    (false, false) => (-reach, reach),
                };
                q[0] = lower + (upper - lower) * uniform();
                continue;
            }
            let (position, quaternion) = q.split_at_mut(n - 4);
            position.iter_mut().for_each(|x| *x = 2.0 * uniform() - 1.0);
            // Uniform on the sphere (Shoemake 1992).
            let radius = uniform();
            let [(s1, c1), (s2, c2)] = [(); 2].map(|()| Real::sin_cos(core::f64::consts::TAU * uniform()));
            let [a, b] = [1.0 - radius, radius].map(Real::sqrt);
            quaternion.copy_from_slice(&[a * s1, a * c1, b * s2, b * c2]);
        }
        Ok(())
    }
}

/// Coefficients of the rotation by φ: functions of θ² = φ·φ, without a branch at zero or loss of digits near it.
struct Exponential<T> {
    /// sin ½θ / θ.
    s: T,
    /// cos ½θ.
    c: T,
    /// (1 − cos θ)/θ².
    a: T,
    /// (θ − sin θ)/θ³.
    b: T,
}

impl<T: Real> Exponential<T> {
    /// By series at θ/1024, and ten doublings: sinc 2x = sinc x cos x, a(2x) = ½ sinc² x, b(2x) = ¼ (b + a sinc x),
    /// cos x = 1 − x² a. Full precision for rotations up to 1000 rad.
    fn new(phi: Vec3<T>) -> Self {
        const DOUBLINGS: i32 = 10;
        let (half, quarter) = (T::lift(0.5), T::lift(0.25));
        let mut x2 = phi.norm_squared() * T::lift(1.0 / f64::from(1 << (2 * DOUBLINGS)));
        // 1/k! − x²/(k + 2)! + …
        let series = |k: u32| {
            let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
            (0..8).rev().fold(T::zero(), |sum, n| T::lift(1.0 / factorial(k + 2 * n)) - x2 * sum)
        };
        let (mut sinc, mut a, mut b) = (series(1), series(2), series(3));
        let (mut s, mut c) = (sinc, a);
        for _ in 0..DOUBLINGS {
            let cos = T::one() - x2 * a;
            (s, c) = (sinc * half, cos);
            (sinc, a, b) = (sinc * cos, sinc.sqr() * half, (b + a * sinc) * quarter);
            x2 *= T::lift(4.0);
        }
        Exponential { s, c, a, b }
    }
}

/// A quaternion, rotated by φ in the body's axes.
fn rotated<T: Real>([x, y, z, w]: [T; 4], phi: Vec3<T>) -> [T; 4] {
    let Exponential { s, c, .. } = Exponential::new(phi);
    let (p, d) = (vec3(x, y, z), phi * s);
    let v = d * w + p * c + p.cross(d);
    let w = w * c - p.dot(d);
    // Rounding errors must not accumulate over many steps.
    let scale = T::one() / (v.norm_squared() + w.sqr()).sqrt();
    [v.x * scale, v.y * scale, v.z * scale, w * scale]
}

/// ∫₀¹ exp(t φ̂) u dt: the displacement of a body that moves with constant (φ, u) in its own axes.
fn screw_translation<T: Real>(phi: Vec3<T>, u: Vec3<T>) -> Vec3<T> {
    let Exponential { a, b, .. } = Exponential::new(phi);
    let across = phi.cross(u);
    u + across * a + phi.cross(across) * b
}

/// The inverse of [`screw_translation`]: u from the displacement.
fn screw_velocity(phi: Vec3<f64>, moved: Vec3<f64>) -> Vec3<f64> {
    let Exponential { a, b, .. } = Exponential::new(phi);
    // (1 + a φ̂ + b φ̂²)⁻¹ = 1 − ½ φ̂ + w φ̂², w = (a − ½ sin θ/θ)/(θ² a) → 1/12.
    let theta2 = phi.norm_squared();
    let sinc = 1.0 - theta2 * b;
    let inverse = (a - 0.5 * sinc) / (theta2 * a);
    let series = 1.0 / 12.0 + theta2 / 720.0;
    let weight = if theta2 < 1e-6 { series } else { inverse };
    let across = phi.cross(moved);
    moved - across * 0.5 + phi.cross(across) * weight
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_about_z_by_a_right_angle() {
        let quarter = core::f64::consts::FRAC_PI_2;
        let rotated = rotated([0.0, 0.0, 0.0, 1.0], vec3(0.0, 0.0, quarter));
        let root = 0.5_f64.sqrt();
        assert!(rotated.iter().zip([0.0, 0.0, root, root]).all(|(x, e)| (x - e).abs() < 1e-15));
        // A body that turns left by a right angle while it drives 1 m forward along its own x goes along a quarter circle
        // of radius 2/π.
        let moved = screw_translation(vec3(0.0, 0.0, quarter), vec3(1.0, 0.0, 0.0));
        assert!((moved - vec3(1.0 / quarter, 1.0 / quarter, 0.0)).norm() < 1e-15);
        assert!((screw_velocity(vec3(0.0, 0.0, quarter), moved) - vec3(1.0, 0.0, 0.0)).norm() < 1e-15);
    }

    #[test]
    fn small_turns_lose_nothing() {
        for theta in [0.0, 1e-300, 1e-160, 1e-12, 1e-8, 1e-5, 1e-3, 0.1] {
            let (phi, u) = (vec3(0.0, 0.0, theta), vec3(1.0, 2.0, 3.0));
            let back = screw_velocity(phi, screw_translation(phi, u));
            assert!((back - u).norm() < 1e-14, "{theta}: {back:?}");
        }
    }
}
