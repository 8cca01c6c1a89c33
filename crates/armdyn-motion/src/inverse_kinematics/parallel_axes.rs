//! Closed-form inverse kinematics of arms whose axes 2, 3 and 4 are parallel, to h, as those of Universal Robots (Elias & Wen 2022).
//!
//! Joints 2 to 4 move nothing along h. With p the vector from O₁ to O₆ at the target, R its rotation, p₅₆ the common normal of axes 5
//! and 6 and d the distance of O₁ and O₅ along h:
//!
//!   h·R₁ᵀ p = d + h·R₅ p₅₆                                  (1)
//!   h·R₁ᵀ R h₆ = h·R₅ h₆                                    (2)
//!
//! If axes 5 and 6 intersect, (1) gives joint 1 and (2) joint 5; otherwise both give the sine and cosine of joint 5, whose squares
//! add up to 1: a quartic for joint 1. Joint 6 turns R₅ᵀ h to Rᵀ R₁ h; the sum of joints 2 to 4 is what is left of the rotation, and
//! joints 2 and 3 are those of a planar arm of two links.

use super::analytic::{Axis, INTERSECTING, Solutions, TOLERANCE, common_normal, is_parallel};
use super::subproblems::{Harmonic, Roots, SecondHarmonic, angle_about, perpendicular, rotate, rotation};
use armdyn_core::{Transform, Vec3};
use std::f64::consts::PI;

#[derive(Clone, Debug)]
pub(super) struct ParallelAxes {
    axes: [Axis; 6],
    /// O₁ and O₆.
    first: Vec3<f64>,
    last: Vec3<f64>,
    /// From each origin to the next.
    p12: Vec3<f64>,
    p23: Vec3<f64>,
    p34: Vec3<f64>,
    p45: Vec3<f64>,
    p56: Vec3<f64>,
    /// d of (1).
    offset: f64,
}

impl ParallelAxes {
    /// For axes in the reference configuration, lengths relative to that of the arm; none if their placement is another one. Axes 2
    /// to 4 have one direction, not opposite ones.
    pub fn new(axes: &[Axis; 6]) -> Option<Self> {
        let [a1, a2, a3, a4, a5, a6] = axes.each_ref();
        let h = a2.direction;
        let parallel = is_parallel(a2, a3) && is_parallel(a2, a4);
        if axes.iter().any(|axis| axis.prismatic) || !parallel || is_parallel(a1, a2) || is_parallel(a4, a5) {
            return None;
        }
        let (o5, o6) = common_normal(a5, a6)?;
        let mut p56 = o6 - o5;
        if p56.norm() < INTERSECTING {
            p56 = Vec3::zero();
        }
        // In the plane of O₂: joints 2 to 4 are then those of a planar arm.
        let level = |axis: &Axis| axis.point - h * h.dot(axis.point - a2.point);
        let (o3, o4) = (level(a3), level(a4));
        let (p12, p23, p34, p45) = (a2.point - a1.point, o3 - a2.point, o4 - o3, o5 - o4);
        if p23.norm() < TOLERANCE || p34.norm() < TOLERANCE {
            return None;
        }
        let offset = h.dot(p12 + p45);
        Some(ParallelAxes { axes: *axes, first: a1.point, last: o6, p12, p23, p34, p45, p56, offset })
    }

    /// The solutions with the displacement `g` of the last link from the reference configuration; `free` has the positions of joints
    /// that do not matter.
    pub fn solve(&self, g: &Transform<f64>, free: &[f64; 6], solutions: &mut Solutions) {
        let [h1, h, _, _, h5, h6] = self.axes.each_ref().map(|axis| axis.direction);
        let p = g.point(self.last) - self.first;
        let direction = g.rotation.rotate(h6);
        // Joint 1 turns backwards: its sine has the other sign.
        let back = |x: Vec3<f64>| {
            let y = Harmonic::projection(h, h1, x);
            Harmonic { sin: -y.sin, ..y }
        };
        let (left, direction) = (back(p), back(direction));
        let right = Harmonic::projection(h, h5, h6);
        if self.p56 == Vec3::zero() {
            for q1 in left.angles(self.offset, free[0]).iter() {
                for q5 in right.angles(direction.at(q1), free[4]).iter() {
                    self.rest(g, p, [q1, q5], free, solutions);
                }
            }
            return;
        }
        // b₁·x₅ = l, b₂·x₅ = r with x₅ = (cos, sin) of joint 5; the rows are orthogonal as p₅₆ is to h₆.
        let normal = Harmonic::projection(h, h5, self.p56);
        let determinant = normal.cos * right.sin - normal.sin * right.cos;
        let combine = |x: f64, y: f64| Harmonic {
            constant: x * (left.constant - self.offset - normal.constant) + y * (direction.constant - right.constant),
            cos: x * left.cos + y * direction.cos,
            sin: x * left.sin + y * direction.sin,
        };
        let cos = combine(right.sin / determinant, -normal.sin / determinant);
        let sin = combine(-right.cos / determinant, normal.cos / determinant);
        let mut equation = SecondHarmonic::default();
        equation.add_square(1.0, &cos);
        equation.add_square(1.0, &sin);
        equation.add_constant(-1.0);
        for q1 in equation.zeros().iter() {
            self.rest(g, p, [q1, sin.at(q1).atan2(cos.at(q1))], free, solutions);
        }
    }

    /// Joints 6, 2, 3, 4.
    fn rest(&self, g: &Transform<f64>, p: Vec3<f64>, [q1, q5]: [f64; 2], free: &[f64; 6], solutions: &mut Solutions) {
        let [h1, h, _, _, h5, h6] = self.axes.each_ref().map(|axis| axis.direction);
        let r = rotation(h1, -q1).compose(&g.rotation);
        let before = solutions.len();
        match angle_about(h6, r.inverse_rotate(h), rotate(h5, -q5, h)) {
            Some(q6) => self.planar(p, &r, [q1, q5, q6], free, solutions),
            // Axis 6 is parallel to the others: one of the solutions, with joint 6 nearest to where it is.
            None => {
                for k in [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0] {
                    if solutions.len() == before {
                        self.planar(p, &r, [q1, q5, free[5] + 0.25 * PI * k], free, solutions);
                    }
                }
            }
        }
    }

    fn planar(
        &self,
        p: Vec3<f64>,
        r: &armdyn_core::Rotation<f64>,
        [q1, q5, q6]: [f64; 3],
        free: &[f64; 6],
        solutions: &mut Solutions,
    ) {
        let [h1, h, _, _, h5, h6] = self.axes.each_ref().map(|axis| axis.direction);
        let side = perpendicular(h);
        // R(h, sum) x = r R₆ᵀ R₅ᵀ x
        let turned = r.rotate(rotate(h6, -q6, rotate(h5, -q5, side)));
        let sum = angle_about(h, side, turned).unwrap_or(0.0);
        let wrist = rotate(h1, -q1, p) - self.p12 - rotate(h, sum, self.p45 + rotate(h5, q5, self.p56));
        let wrist = wrist - h * h.dot(wrist);
        let mut elbow = Harmonic::projection(self.p23, h, self.p34);
        elbow = Harmonic {
            constant: self.p23.norm_squared() + self.p34.norm_squared(),
            cos: 2.0 * elbow.cos,
            sin: 2.0 * elbow.sin,
        };
        let elbows: Roots = elbow.angles(wrist.norm_squared(), free[2]);
        for q3 in elbows.iter() {
            let q2 = angle_about(h, self.p23 + rotate(h, q3, self.p34), wrist).unwrap_or(free[1]);
            solutions.push([q1, q2, q3, sum - q2 - q3, q5, q6]);
        }
    }
}
