//! Rotations: the axes of the rotated frame, in components of the reference frame.

use super::{Sym3, Vec3, vec3};
use crate::scalar::Real;

/// A rotation: its columns are the rotated frame's axes, in components of the reference frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Rotation<T> {
    /// The rotated x axis.
    pub x: Vec3<T>,
    /// The rotated y axis.
    pub y: Vec3<T>,
    /// The rotated z axis.
    pub z: Vec3<T>,
}

impl<T: Real> Rotation<T> {
    /// No rotation.
    pub fn identity() -> Self {
        Rotation { x: Vec3::unit(0), y: Vec3::unit(1), z: Vec3::unit(2) }
    }

    /// From a row-major matrix.
    pub fn from_rows(m: [[T; 3]; 3]) -> Self {
        let column = |c: usize| vec3(m[0][c], m[1][c], m[2][c]);
        Rotation { x: column(0), y: column(1), z: column(2) }
    }

    /// The row-major matrix.
    pub fn to_rows(self) -> [[T; 3]; 3] {
        let (x, y, z) = (self.x, self.y, self.z);
        [[x.x, y.x, z.x], [x.y, y.y, z.y], [x.z, y.z, z.z]]
    }

    /// By an angle, given as `(sin, cos)`, about a unit axis (Rodrigues).
    pub fn about(axis: Vec3<T>, (s, c): (T, T)) -> Self {
        let rotated = |e: Vec3<T>| e * c + axis.cross(e) * s + axis * (axis.dot(e) * (T::one() - c));
        Rotation { x: rotated(Vec3::unit(0)), y: rotated(Vec3::unit(1)), z: rotated(Vec3::unit(2)) }
    }

    /// Roll, pitch, yaw: Rz(yaw)·Ry(pitch)·Rx(roll).
    pub fn rpy(roll: T, pitch: T, yaw: T) -> Self {
        let axis = |k, angle: T| Rotation::about(Vec3::unit(k), angle.sin_cos());
        axis(2, yaw).compose(&axis(1, pitch)).compose(&axis(0, roll))
    }

    /// Of the quaternion (x, y, z, w); its length, within 1e±150, is divided out. Of the null quaternion it is NaN.
    #[inline(always)]
    pub fn quaternion([x, y, z, w]: [T; 4]) -> Self {
        let one = T::one();
        let (xx, yy, zz) = (x.sqr(), y.sqr(), z.sqr());
        let s = T::lift(2.0) / (xx + yy + zz + w.sqr());
        let (xx, yy, zz) = (s * xx, s * yy, s * zz);
        let (xy, xz, yz) = (s * (x * y), s * (x * z), s * (y * z));
        let (wx, wy, wz) = (s * (x * w), s * (y * w), s * (z * w));
        Rotation {
            x: vec3(one - (yy + zz), xy + wz, xz - wy),
            y: vec3(xy - wz, one - (xx + zz), yz + wx),
            z: vec3(xz + wy, yz - wx, one - (xx + yy)),
        }
    }

    /// From the rotated frame's components to the reference frame's: R v.
    #[inline(always)]
    pub fn rotate(&self, v: Vec3<T>) -> Vec3<T> {
        self.x.scale_add(v.x, self.y.scale_add(v.y, self.z * v.z))
    }

    /// From the reference frame's components to the rotated frame's: Rᵀ v.
    #[inline(always)]
    pub fn inverse_rotate(&self, v: Vec3<T>) -> Vec3<T> {
        vec3(self.x.dot(v), self.y.dot(v), self.z.dot(v))
    }

    /// This rotation, then (in the rotated frame) `next`: R·next.
    #[inline(always)]
    pub fn compose(&self, next: &Self) -> Self {
        Rotation { x: self.rotate(next.x), y: self.rotate(next.y), z: self.rotate(next.z) }
    }

    /// Rᵀ.
    pub fn inverse(&self) -> Self {
        Rotation::from_rows([self.x.to_array(), self.y.to_array(), self.z.to_array()])
    }

    /// Rotated further about its own z axis by an angle given as `(sin, cos)`.
    #[inline(always)]
    pub fn about_own_z(&self, (s, c): (T, T)) -> Self {
        Rotation { x: self.x.scale_add(c, self.y * s), y: self.y.scale_add(c, -(self.x * s)), z: self.z }
    }

    /// R A Rᵀ: a symmetric tensor from the rotated axes to the reference axes.
    #[inline(always)]
    pub fn rotate_tensor(&self, a: &Sym3<T>) -> Sym3<T> {
        // zz·1 is unchanged by a rotation: subtract it, rotate the rest, add it again.
        let (x, y, z) = (self.x, self.y, self.z);
        let p = x.scale_add(a.xx - a.zz, y.scale_add(a.xy, z * a.xz));
        let q = x.scale_add(a.xy, y.scale_add(a.yy - a.zz, z * a.yz));
        let r = x.scale_add(a.xz, y * a.yz);
        let at = |u: T, v: T, w: T, b: (T, T, T), c: T| u.mul_add(b.0, v.mul_add(b.1, w.mul_add(b.2, c)));
        let zero = T::zero();
        Sym3 {
            xx: at(p.x, q.x, r.x, (x.x, y.x, z.x), a.zz),
            yy: at(p.y, q.y, r.y, (x.y, y.y, z.y), a.zz),
            zz: at(p.z, q.z, r.z, (x.z, y.z, z.z), a.zz),
            xy: at(p.x, q.x, r.x, (x.y, y.y, z.y), zero),
            xz: at(p.x, q.x, r.x, (x.z, y.z, z.z), zero),
            yz: at(p.y, q.y, r.y, (x.z, y.z, z.z), zero),
        }
    }

    /// Each component through `f`.
    pub fn map<U>(self, f: impl Fn(T) -> U) -> Rotation<U> {
        Rotation { x: self.x.map(&f), y: self.y.map(&f), z: self.z.map(&f) }
    }
}

impl Rotation<f64> {
    /// How far its axes are from orthonormal and right-handed; NaN if one of them is.
    #[must_use]
    pub fn orthonormality_error(&self) -> f64 {
        let Rotation { x, y, z } = *self;
        let products = [x.dot(y), y.dot(z), z.dot(x)];
        let lengths = [x, y, z].map(|axis| axis.norm_squared() - 1.0);
        let handed = x.cross(y).dot(z) - 1.0;
        // NaN must not count as near: `max` would drop it.
        products.into_iter().chain(lengths).chain([handed]).map(f64::abs).fold(0.0, |m, x| if x <= m { m } else { x })
    }

    /// The unit quaternion (x, y, z, w) with w ≥ 0; computed from its largest component.
    #[must_use]
    pub fn to_quaternion(&self) -> [f64; 4] {
        let m = self.to_rows();
        let trace = m[0][0] + m[1][1] + m[2][2];
        // 4 times the square of x, y, z, w.
        let squares = [0, 1, 2, 3].map(|k| if k == 3 { 1.0 + trace } else { 1.0 + 2.0 * m[k][k] - trace });
        let i = (0..4).max_by(|&a, &b| squares[a].total_cmp(&squares[b])).unwrap_or(3);
        let mut p = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], squares[3]];
        if i < 3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            p[3] = m[k][j] - m[j][k];
            p[i] = squares[i];
            p[j] = m[j][i] + m[i][j];
            p[k] = m[k][i] + m[i][k];
        }
        let scale = if p[3] < 0.0 { -0.5 } else { 0.5 } / Real::sqrt(squares[i]);
        p.map(|x| x * scale)
    }

    /// The angle about z from the x axis to the projection of the rotated one onto the ground \[rad\], from −π to π.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn heading(&self) -> f64 {
        self.x.y.atan2(self.x.x)
    }

    /// The rotation vector φ, axis times angle, with |φ| ≤ π.
    pub fn rotation_vector(&self) -> Vec3<f64> {
        rotation_between([0.0, 0.0, 0.0, 1.0], self.to_quaternion())
    }

    /// Roll, pitch and yaw with R = Rz(yaw)·Ry(pitch)·Rx(roll). In gimbal lock (pitch ±90°) yaw is zero.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn roll_pitch_yaw(&self) -> [f64; 3] {
        let [[xx, xy, xz], [yx, yy, yz], [zx, ..]] = self.to_rows();
        let level = xx.hypot(yx);
        let (yaw, pitch) = (if level > 1e-15 { yx.atan2(xx) } else { 0.0 }, (-zx).atan2(level));
        let (s, c) = yaw.sin_cos();
        [(s * xz - c * yz).atan2(c * yy - s * xy), pitch, yaw]
    }
}

/// The body-fixed rotation vector from quaternion p to r, |φ| ≤ π.
pub(crate) fn rotation_between(p: [f64; 4], r: [f64; 4]) -> Vec3<f64> {
    let (a, b) = (vec3(p[0], p[1], p[2]), vec3(r[0], r[1], r[2]));
    let v = b * p[3] - a * r[3] - a.cross(b);
    let w = a.dot(b) + p[3] * r[3];
    let (v, w) = if w < 0.0 { (-v, -w) } else { (v, w) };
    let length = v.norm();
    // If a quaternion is zero, so is w: the result is NaN.
    if length == 0.0 { v * (2.0 / w) } else { v * (2.0 * quarter_angle(length, w) / length) }
}

/// The angle of (cos, sin) ∝ (w, s) in the first quadrant: from a rough value by steps of tan δ ≈ δ + δ³/3, whose
/// error goes with its fifth power.
fn quarter_angle(s: f64, w: f64) -> f64 {
    let mut angle = core::f64::consts::FRAC_PI_2 * s / (s + w);
    for _ in 0..3 {
        let (sin, cos) = Real::sin_cos(angle);
        let t = (s * cos - w * sin) / (w * cos + s * sin);
        angle += t - t * t * t / 3.0;
    }
    angle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_angle_of_a_quarter_is_atan2() {
        for k in 0..=1000 {
            let angle = core::f64::consts::FRAC_PI_2 * f64::from(k) / 1000.0;
            let (s, w) = (Real::sin_cos(angle).0, Real::sin_cos(angle).1);
            for scale in [1e-8, 1.0, 3.0] {
                assert!((quarter_angle(s * scale, w * scale) - angle).abs() < 4e-16);
            }
        }
    }

    #[test]
    fn a_rotation_vector_is_axis_times_angle() {
        let axis = vec3(0.48, -0.6, 0.64);
        for angle in [0.0, 1e-9, 0.3, 2.0, 3.1] {
            let found = Rotation::about(axis, Real::sin_cos(angle)).rotation_vector();
            // Near π the axis comes from a quaternion whose components are exact to rounding.
            assert!((found - axis * angle).norm() < 4e-15, "{angle}: {found:?}");
        }
    }

    #[cfg(feature = "std")]
    #[test]
    fn quaternion_and_angles_of_a_rotation() {
        let angles = [-3.1, -1.2, 0.0, 0.4, 1.5, 2.9];
        for roll in angles {
            for pitch in angles.map(|x| x / 2.0) {
                for yaw in angles {
                    let r = Rotation::rpy(roll, pitch, yaw);
                    let close = |a: [f64; 9], b: [f64; 9]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15 * 8.0);
                    let flat = |r: Rotation<f64>| -> [f64; 9] { r.to_rows().as_flattened().try_into().unwrap() };
                    assert!(close(flat(Rotation::quaternion(r.to_quaternion())), flat(r)));
                    let [a, b, c] = r.roll_pitch_yaw();
                    assert!(close(flat(Rotation::rpy(a, b, c)), flat(r)));
                }
            }
        }
    }
}
