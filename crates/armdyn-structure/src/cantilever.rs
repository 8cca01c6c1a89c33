//! A straight beam segment, fixed at its start.
//!
//! Lau 1985, eqs. 7-1 … 7-10, corrected (7-2 … 7-4 have wrong powers of L, 7-8 and 7-10 the wrong sign), and more general:
//! two bending planes, torsion, stretching and shear, linearly varying load. In the axes of the section, x along the beam,
//! at x = l under a force F and a moment N there, with p₀ + p₁ x and c per length along the segment:
//!
//!   v = F l³/3EI + N l²/2EI + p₀ l⁴/8EI + 11 p₁ l⁵/120EI + c l³/3EI + (F l + p₀ l²/2 + p₁ l³/3)/κGA         (1)
//!   θ = F l²/2EI + N l/EI  + p₀ l³/6EI + p₁ l⁴/8EI     + c l²/2EI                                          (2)
//!
//! along y with θ = θ_z; along z the signs of N, c and θ = θ_y change. Exact for the Timoshenko beam.

use super::DeformationModes;
use armdyn_core::{Force, Motion, Vec3, vec3};

/// Stiffness of a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamStiffness {
    /// Axial stiffness EA \[N\].
    pub axial: f64,
    /// Torsional stiffness GJ \[N m²\].
    pub torsion: f64,
    /// Bending stiffness EI_y, EI_z about y (along z) and about z (along y) \[N m²\].
    pub bending: [f64; 2],
    /// Shear stiffness κGA along y and z \[N\]; infinite if unknown.
    pub shear: [f64; 2],
}

/// Load along a segment, in the axes of the section.
#[derive(Clone, Copy, Debug)]
pub struct DistributedLoad {
    /// Force per length at its start \[N/m\].
    pub start: Vec3<f64>,
    /// Its gradient along the segment \[N/m²\].
    pub gradient: Vec3<f64>,
    /// Moment per length \[N m/m\].
    pub moment: Vec3<f64>,
}

impl DistributedLoad {
    /// No load.
    pub fn none() -> Self {
        DistributedLoad { start: Vec3::zero(), gradient: Vec3::zero(), moment: Vec3::zero() }
    }

    /// The load of the part that starts at `x`.
    pub fn from(&self, x: f64) -> Self {
        DistributedLoad { start: self.start + self.gradient * x, ..*self }
    }

    /// Resultant of a length from the start, about the start.
    pub fn sum(&self, l: f64) -> Force<f64> {
        let force = self.start * l + self.gradient * (l * l / 2.0);
        let lever = self.start * (l * l / 2.0) + self.gradient * (l * l * l / 3.0);
        Force::new(self.moment * l + vec3(1.0, 0.0, 0.0).cross(lever), force)
    }
}

/// Displacement of the end of a segment of length `l` relative to its start, under an end load and a distributed load.
pub fn end_motion(
    s: &BeamStiffness,
    modes: &DeformationModes,
    l: f64,
    end: Force<f64>,
    load: &DistributedLoad,
) -> Motion<f64> {
    let (f, n, p, g, c) = (end.force, end.moment, load.start, load.gradient, load.moment);
    let sheared = |f: f64, p: f64, g: f64| f * l + p * l * l / 2.0 + g * l.powi(3) / 3.0;
    let bend = |ei: f64, f: f64, n: f64, p: f64, g: f64, c: f64| {
        let v = f * l.powi(3) / 3.0
            + n * l * l / 2.0
            + p * l.powi(4) / 8.0
            + 11.0 * g * l.powi(5) / 120.0
            + c * l.powi(3) / 3.0;
        let theta = f * l * l / 2.0 + n * l + p * l.powi(3) / 6.0 + g * l.powi(4) / 8.0 + c * l * l / 2.0;
        (v / ei, theta / ei)
    };
    let (mut linear, mut angular) = (Vec3::zero(), Vec3::zero());
    if modes.bending {
        let [ey, ez] = s.bending;
        let (v, theta) = bend(ez, f.y, n.z, p.y, g.y, c.z);
        (linear.y, angular.z) = (v, theta);
        let (w, theta) = bend(ey, f.z, -n.y, p.z, g.z, -c.y);
        (linear.z, angular.y) = (w, -theta);
    }
    if modes.shear {
        linear.y += sheared(f.y, p.y, g.y) / s.shear[0];
        linear.z += sheared(f.z, p.z, g.z) / s.shear[1];
    }
    if modes.axial {
        linear.x = sheared(f.x, p.x, g.x) / s.axial;
    }
    if modes.torsion {
        angular.x = (n.x * l + c.x * l * l / 2.0) / s.torsion;
    }
    Motion::new(angular, linear)
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: BeamStiffness = BeamStiffness { axial: 5e6, torsion: 300.0, bending: [400.0, 250.0], shear: [2e6, 1e6] };

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} is not {b}");
    }

    /// The handbook's cases, one by one.
    #[test]
    fn single_loads_of_a_cantilever() {
        let (l, none) = (0.7, DistributedLoad::none());
        let of = |modes: &DeformationModes, force: [f64; 3], moment: [f64; 3], load: &DistributedLoad| {
            end_motion(&S, modes, l, Force::new(Vec3::lift(moment), Vec3::lift(force)), load)
        };
        let bending = DeformationModes::bending();
        let m = of(&bending, [0.0, 10.0, 0.0], [0.0; 3], &none);
        close(m.linear.y, 10.0 * l.powi(3) / (3.0 * 250.0));
        close(m.angular.z, 10.0 * l * l / (2.0 * 250.0));
        let m = of(&bending, [0.0; 3], [0.0, 4.0, 0.0], &none);
        close(m.linear.z, -4.0 * l * l / (2.0 * 400.0));
        close(m.angular.y, 4.0 * l / 400.0);
        let m = of(&bending, [0.0; 3], [0.0; 3], &DistributedLoad { start: vec3(0.0, 0.0, -8.0), ..none });
        close(m.linear.z, -8.0 * l.powi(4) / (8.0 * 400.0));
        close(m.angular.y, 8.0 * l.powi(3) / (6.0 * 400.0));
        // A triangular load, zero at the clamp: 11 q L⁴/120 EI of its maximum q.
        let m = of(&bending, [0.0; 3], [0.0; 3], &DistributedLoad { gradient: vec3(0.0, 8.0 / l, 0.0), ..none });
        close(m.linear.y, 11.0 * 8.0 * l.powi(4) / (120.0 * 250.0));
        let all = DeformationModes::all();
        let m = of(&all, [6.0, 0.0, 2.0], [3.0, 0.0, 0.0], &none);
        close(m.linear.x, 6.0 * l / 5e6);
        close(m.angular.x, 3.0 * l / 300.0);
        close(m.linear.z, 2.0 * l.powi(3) / (3.0 * 400.0) + 2.0 * l / 1e6);
        assert_eq!(of(&bending, [6.0, 0.0, 0.0], [3.0, 0.0, 0.0], &none), Motion::zero());
    }

    #[test]
    fn two_segments_in_series_equal_the_whole() {
        let (l, a) = (0.9, 0.35);
        let load = DistributedLoad {
            start: vec3(3.0, -5.0, 7.0),
            gradient: vec3(-2.0, 9.0, 4.0),
            moment: vec3(0.3, -0.7, 0.2),
        };
        let end = Force::new(vec3(0.5, 1.5, -2.5), vec3(10.0, -20.0, 5.0));
        let whole = end_motion(&S, &DeformationModes::all(), l, end, &load);
        let rest = load.from(a);
        let step = vec3(l - a, 0.0, 0.0);
        let inner = Force::new(end.moment + step.cross(end.force), end.force) + rest.sum(l - a);
        let first = end_motion(&S, &DeformationModes::all(), a, inner, &load);
        let second = end_motion(&S, &DeformationModes::all(), l - a, end, &rest);
        let linear = first.linear + first.angular.cross(step) + second.linear;
        let angular = first.angular + second.angular;
        assert!((linear - whole.linear).norm() < 1e-13 * whole.linear.norm());
        assert!((angular - whole.angular).norm() < 1e-13 * whole.angular.norm());
    }
}
