//! Closed-form inverse kinematics of arms whose last three axes meet in a point, the wrist centre (Pieper 1968).
//!
//! With O₁, O₂ the feet of the common normal of axes 1 and 2, a its length, α the angle between them, v the vector from O₂ to the wrist
//! centre after joint 3 and p the one from O₁ to the wrist centre at the target, joint 2 turns v to components u along the normal and
//! w across it and axis 2:
//!
//!   |p|² = a² + |v|² + 2 a u                                (1)
//!   h₁·p = cos α h₂·v + sin α w                             (2)
//!   u² + w² = |v|² − (h₂·v)²                                (3)
//!
//! |v|² and h₂·v depend on joint 3 alone. If axes 1 and 2 intersect (a = 0), (1) gives joint 3; if they are parallel (sin α = 0),
//! (2) does; otherwise u and w in (3) give a quartic. Then joint 2 turns v to (u, w), joint 1 turns the result to p, and the
//! wrist has the rest of the rotation. Joint 3 may be prismatic.

use super::analytic::{Axis, INTERSECTING, Solutions, TOLERANCE, common_normal};
use super::subproblems::{
    Harmonic, Roots, SLACK, SecondHarmonic, angle_about, perpendicular, real_roots, rotate, rotation,
};
use armdyn_core::{Rotation, Transform, Vec3};

#[derive(Clone, Debug)]
pub(super) struct SphericalWrist {
    axes: [Axis; 6],
    centre: Vec3<f64>,
    /// O₁, and O₂ − O₁.
    first: Vec3<f64>,
    normal: Vec3<f64>,
    /// Directions of u and w.
    across: [Vec3<f64>; 2],
    a: f64,
    sin: f64,
    cos: f64,
    /// v = k₀ + k₁ cos + k₂ sin, or k₀ + k₁ d.
    k: [Vec3<f64>; 3],
}

impl SphericalWrist {
    /// For axes in the reference configuration, lengths relative to that of the arm; none if their placement is another one.
    pub fn new(axes: &[Axis; 6]) -> Option<Self> {
        let [h1, h2, h3, h4, h5, _] = axes.each_ref();
        if [0, 1, 3, 4, 5].iter().any(|&i| axes[i].prismatic) {
            return None;
        }
        let (a, b) = common_normal(h4, h5)?;
        let (c, d) = common_normal(h5, &axes[5])?;
        let centre = (a + b + c + d) * 0.25;
        if [a, b, c, d].iter().any(|x| (*x - centre).norm() > TOLERANCE) {
            return None;
        }
        let across_2 = h1.direction.cross(h2.direction);
        let cos = h1.direction.dot(h2.direction);
        let mut sin = across_2.norm();
        let (first, second, e1, e2);
        let mut a;
        if let Some((foot1, foot2)) = common_normal(h1, h2) {
            (first, second) = (foot1, foot2);
            e2 = (h1.direction - h2.direction * cos) * (1.0 / sin);
            e1 = e2.cross(h2.direction);
            a = (second - first).dot(e1);
            if a.abs() < INTERSECTING {
                a = 0.0;
            }
        } else {
            (first, second, sin) = (h1.foot(h2.point), h2.point, 0.0);
            a = (second - first).norm();
            if a < TOLERANCE {
                return None;
            }
            e1 = (second - first) * (1.0 / a);
            e2 = h2.direction.cross(e1);
        }
        let k = if h3.prismatic {
            [centre - second, h3.direction, Vec3::zero()]
        } else {
            let foot = h3.foot(centre);
            [foot - second, centre - foot, h3.direction.cross(centre - foot)]
        };
        let arm =
            SphericalWrist { axes: *axes, centre, first, normal: second - first, across: [e1, e2], a, sin, cos, k };
        let (squared, along) = (arm.squared_length(), arm.along_second());
        let moves = |x: Harmonic| x.amplitude() > TOLERANCE;
        let regular = match (a == 0.0, sin == 0.0, h3.prismatic) {
            (true, _, false) => moves(squared),
            (false, true, false) => moves(along),
            (false, false, false) => moves(squared) || moves(along),
            (false, true, true) => along.cos.abs() > TOLERANCE,
            (_, _, true) => true,
        };
        regular.then_some(arm)
    }

    /// |v|², for a prismatic joint without d².
    fn squared_length(&self) -> Harmonic {
        let [k0, k1, k2] = self.k;
        let constant = k0.norm_squared() + if self.axes[2].prismatic { 0.0 } else { k1.norm_squared() };
        Harmonic { constant, cos: 2.0 * k0.dot(k1), sin: 2.0 * k0.dot(k2) }
    }

    /// h₂·v.
    fn along_second(&self) -> Harmonic {
        let [constant, cos, sin] = self.k.map(|k| k.dot(self.axes[1].direction));
        Harmonic { constant, cos, sin }
    }

    /// Joint 3.
    fn third(&self, squared: f64, along: f64, free: f64) -> Roots {
        let (n, m) = (self.squared_length(), self.along_second());
        let (a2, s2) = (self.a * self.a, self.sin * self.sin);
        if self.axes[2].prismatic {
            let mut roots = Roots::default();
            if self.a == 0.0 {
                let half = 0.5 * n.cos;
                let height = half * half - (n.constant - squared);
                if height > -SLACK {
                    let root = height.max(0.0).sqrt();
                    roots.push(-half + root);
                    roots.push(-half - root);
                }
            } else if self.sin == 0.0 {
                roots.push((self.cos * along - m.constant) / m.cos);
            } else {
                // sin²α (f₀ − n₁ d − d²)² + 4 a² (g₀ − g₁ d)² − 4 a² sin²α (|v|² − (h₂·v)²)
                let f0 = squared - a2 - n.constant;
                let (g0, g1) = (along - self.cos * m.constant, self.cos * m.cos);
                let q2 = n.cos * n.cos - 2.0 * f0;
                return real_roots([
                    s2,
                    2.0 * s2 * n.cos,
                    s2 * q2 + 4.0 * a2 * (g1 * g1 - s2 * (1.0 - m.cos * m.cos)),
                    -2.0 * s2 * f0 * n.cos - 8.0 * a2 * g0 * g1 - 4.0 * a2 * s2 * (n.cos - 2.0 * m.constant * m.cos),
                    s2 * f0 * f0 + 4.0 * a2 * (g0 * g0 - s2 * (n.constant - m.constant * m.constant)),
                ]);
            }
            return roots;
        }
        if self.a == 0.0 {
            return n.angles(squared, free);
        }
        if self.sin == 0.0 {
            return m.angles(self.cos * along, free);
        }
        let minus = |x: f64, y: &Harmonic, factor: f64| Harmonic {
            constant: x - factor * y.constant,
            cos: -factor * y.cos,
            sin: -factor * y.sin,
        };
        let mut equation = SecondHarmonic::default();
        equation.add_square(s2, &minus(squared - a2, &n, 1.0));
        equation.add_square(4.0 * a2, &minus(along, &m, self.cos));
        equation.add_square(4.0 * a2 * s2, &m);
        equation.add(-4.0 * a2 * s2, &n);
        equation.zeros()
    }

    /// The solutions with the displacement `g` of the last link from the reference configuration; `free` has the positions of joints
    /// that do not matter.
    pub fn solve(&self, g: &Transform<f64>, free: &[f64; 6], solutions: &mut Solutions) {
        let [h1, h2, h3, ..] = self.axes.each_ref().map(|axis| axis.direction);
        let p = g.point(self.centre) - self.first;
        let (squared, along) = (p.norm_squared(), h1.dot(p));
        for q3 in self.third(squared, along, free[2]).iter() {
            let (v, back) = if self.axes[2].prismatic {
                (self.k[0] + self.k[1] * q3, Rotation::identity())
            } else {
                let (s, c) = q3.sin_cos();
                (self.k[0] + self.k[1] * c + self.k[2] * s, rotation(h3, -q3))
            };
            let (n, m) = (v.norm_squared(), v.dot(h2));
            let radius = n - m * m;
            let u = (squared - self.a * self.a - n) / (2.0 * self.a);
            let w = (along - self.cos * m) / self.sin;
            let other = |x: f64| (radius - x * x > -SLACK).then(|| (radius - x * x).max(0.0).sqrt());
            let pairs = if self.a == 0.0 {
                other(w).map(|u| [(u, w), (-u, w)])
            } else if self.sin == 0.0 {
                other(u).map(|w| [(u, w), (u, -w)])
            } else {
                Some([(u, w), (u, w)])
            };
            let Some(pairs) = pairs else { continue };
            for (u, w) in &pairs[..if pairs[0] == pairs[1] { 1 } else { 2 }] {
                let turned = self.across[0] * *u + self.across[1] * *w;
                let q2 = angle_about(h2, v, turned).unwrap_or(free[1]);
                let q1 = angle_about(h1, self.normal + rotate(h2, q2, v), p).unwrap_or(free[0]);
                let before = back.compose(&rotation(h2, -q2)).compose(&rotation(h1, -q1));
                self.wrist([q1, q2, q3], &before.compose(&g.rotation), free, solutions);
            }
        }
    }

    /// Joints 4 to 6, which turn the last link by `r`.
    fn wrist(&self, [q1, q2, q3]: [f64; 3], r: &Rotation<f64>, free: &[f64; 6], solutions: &mut Solutions) {
        let [_, _, _, h4, h5, h6] = self.axes.each_ref().map(|axis| axis.direction);
        let last = r.rotate(h6);
        for q5 in Harmonic::projection(h4, h5, h6).angles(h4.dot(last), free[4]).iter() {
            let q4 = angle_about(h4, rotate(h5, q5, h6), last).unwrap_or(free[3]);
            let side = perpendicular(h6);
            let turned = rotate(h5, -q5, rotate(h4, -q4, r.rotate(side)));
            let q6 = angle_about(h6, side, turned).unwrap_or(free[5]);
            solutions.push([q1, q2, q3, q4, q5, q6]);
        }
    }
}
