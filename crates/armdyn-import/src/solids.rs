//! Mass and inertia of simple solids, about their centre, in their own axes.
//!
//! With d the diameter or length across and ρ a uniform density: a thin rod m l²/12; a cylinder m r²/2 along and
//! m (3 r² + l²)/12 across; a tube the same with r² = r_o² + r_i²; a box m (y² + z²)/12; a sphere 2 m r²/5.

use armdyn::{Inertia, Sym3, Vec3};
use std::f64::consts::PI;

/// A shape of uniform density; lengths in \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Solid {
    Point,
    /// A thin rod along an axis (0, 1, 2).
    Rod {
        along: usize,
        length: f64,
    },
    /// A cylinder; `inner` is 0 unless it is a tube.
    Cylinder {
        along: usize,
        length: f64,
        outer: f64,
        inner: f64,
    },
    Box {
        size: [f64; 3],
    },
    Sphere {
        radius: f64,
    },
}

impl Solid {
    /// Its volume \[m³\]; none for what is thin.
    pub fn volume(&self) -> Option<f64> {
        match *self {
            Solid::Point | Solid::Rod { .. } => None,
            Solid::Cylinder { length, outer, inner, .. } => Some(PI * (outer - inner) * (outer + inner) * length),
            Solid::Box { size: [x, y, z] } => Some(x * y * z),
            Solid::Sphere { radius } => Some(4.0 / 3.0 * PI * radius * radius * radius),
        }
    }

    /// Its inertia about its centre.
    pub fn inertia(&self, mass: f64) -> Inertia<f64> {
        let turned = |along: usize, axial: f64, across: f64| {
            let mut moments = [across; 3];
            if let Some(m) = moments.get_mut(along) {
                *m = axial;
            }
            let [x, y, z] = moments;
            Sym3::diagonal(x, y, z)
        };
        let tensor = match *self {
            Solid::Point => Sym3::zero(),
            Solid::Rod { along, length } => turned(along, 0.0, mass * length * length / 12.0),
            Solid::Cylinder { along, length, outer, inner } => {
                let r2 = outer * outer + inner * inner;
                turned(along, mass * r2 / 2.0, mass * (3.0 * r2 + length * length) / 12.0)
            }
            Solid::Box { size: [x, y, z] } => {
                let [x, y, z] = [x * x, y * y, z * z].map(|s| mass * s / 12.0);
                Sym3::diagonal(y + z, x + z, x + y)
            }
            Solid::Sphere { radius } => {
                let i = 0.4 * mass * radius * radius;
                Sym3::diagonal(i, i, i)
            }
        };
        Inertia::about_centre(mass, Vec3::zero(), tensor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn::{Transform, vec3};

    fn diagonal(i: &Inertia<f64>) -> [f64; 3] {
        [i.second.xx, i.second.yy, i.second.zz]
    }

    fn assert_near(found: [f64; 3], expected: [f64; 3], tolerance: f64) {
        let scale = expected.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        for (f, e) in found.iter().zip(expected) {
            assert!((f - e).abs() <= tolerance * scale, "{found:?} against {expected:?}");
        }
    }

    #[test]
    fn textbook_values() {
        let rod = Solid::Rod { along: 0, length: 2.0 }.inertia(3.0);
        assert_eq!(diagonal(&rod), [0.0, 1.0, 1.0]);
        let disc = Solid::Cylinder { along: 1, length: 0.0, outer: 2.0, inner: 0.0 }.inertia(1.0);
        assert_eq!(diagonal(&disc), [1.0, 2.0, 1.0]);
        let hoop = Solid::Cylinder { along: 2, length: 0.0, outer: 1.0, inner: 1.0 }.inertia(5.0);
        assert_eq!(diagonal(&hoop), [2.5, 2.5, 5.0]);
        let cylinder = Solid::Cylinder { along: 2, length: 6.0, outer: 2.0, inner: 0.0 }.inertia(1.0);
        assert_eq!(diagonal(&cylinder), [4.0, 4.0, 2.0]);
        let sphere = Solid::Sphere { radius: 0.5 }.inertia(10.0);
        assert_near(diagonal(&sphere), [1.0; 3], 1e-15);
        let brick = Solid::Box { size: [1.0, 2.0, 3.0] }.inertia(12.0);
        assert_eq!(diagonal(&brick), [13.0, 10.0, 5.0]);
        assert_eq!(diagonal(&Solid::Point.inertia(4.0)), [0.0; 3]);
    }

    #[test]
    fn volumes() {
        assert_eq!(Solid::Box { size: [2.0, 3.0, 4.0] }.volume(), Some(24.0));
        let close = |s: Solid, v: f64| assert!((s.volume().unwrap() / v - 1.0).abs() < 1e-15);
        close(Solid::Sphere { radius: 1.0 }, 4.188_790_204_786_391);
        close(Solid::Cylinder { along: 0, length: 2.0, outer: 1.0, inner: 0.5 }, 1.5 * PI);
        assert_eq!(Solid::Point.volume(), None);
        assert_eq!(Solid::Rod { along: 0, length: 1.0 }.volume(), None);
    }

    /// The moments of inertia of what `inside` says, of density 1 in a cube of half-width 1, from n³ small boxes.
    fn integrated(n: usize, inside: impl Fn([f64; 3]) -> bool) -> Inertia<f64> {
        let w = 2.0 / n as f64;
        let cell = Solid::Box { size: [w; 3] }.inertia(w * w * w);
        let centre = |k: usize| (k as f64 + 0.5) * w - 1.0;
        let mut sum = Inertia::zero();
        for x in (0..n).map(centre) {
            for y in (0..n).map(centre) {
                for z in (0..n).map(centre).filter(|&z| inside([x, y, z])) {
                    sum += cell.seen_from(&Transform::shifted(vec3(x, y, z)));
                }
            }
        }
        sum
    }

    #[test]
    fn a_cube_is_the_sum_of_its_boxes() {
        let sum = integrated(12, |_| true);
        let whole = Solid::Box { size: [2.0; 3] };
        let whole = whole.inertia(whole.volume().unwrap());
        assert!((sum.mass - whole.mass).abs() < 1e-13 * whole.mass && sum.first.norm() < 1e-12);
        assert_near(diagonal(&sum), diagonal(&whole), 1e-13);
    }

    /// Small boxes follow a curved surface to their width: 1 % at 80 per side is what that leaves.
    #[test]
    fn round_solids_against_integration() {
        type Inside<'a> = &'a dyn Fn([f64; 3]) -> bool;
        let shapes: [(Solid, Inside); 3] = [
            (Solid::Sphere { radius: 0.9 }, &|[x, y, z]| x * x + y * y + z * z < 0.81),
            (Solid::Cylinder { along: 0, length: 1.5, outer: 0.9, inner: 0.0 }, &|[x, y, z]| {
                x.abs() < 0.75 && y * y + z * z < 0.81
            }),
            (Solid::Cylinder { along: 1, length: 2.0, outer: 0.9, inner: 0.6 }, &|[x, _, z]| {
                (0.36..0.81).contains(&(x * x + z * z))
            }),
        ];
        for (solid, inside) in shapes {
            let (sum, whole) = (integrated(80, inside), solid.inertia(solid.volume().unwrap()));
            assert!((sum.mass / whole.mass - 1.0).abs() < 1e-2, "{solid:?}");
            assert_near(diagonal(&sum), diagonal(&whole), 1e-2);
        }
    }
}
