//! Mass and inertia of simple solids, about their centre, in their own axes.
//!
//! With d the diameter or length across and ρ a uniform density: a thin rod m l²/12; a cylinder m r²/2 along and
//! m (3 r² + l²)/12 across; a tube the same with r² = r_o² + r_i²; a box m (y² + z²)/12; a sphere 2 m r²/5; an ellipsoid
//! m (b² + c²)/5; a capsule a cylinder with a hemisphere at either end, whose centre of mass is 3/8 r from its flat face.
//!
//! A shell has its mass uniformly on the surface: [`Solid::surface`], [`Solid::shell`].

use armdyn_core::{Inertia, Sym3, Vec3};
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
    /// A cylinder, or a tube if `inner` > 0.
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
    /// A cylinder along z with a hemisphere at either end; `length` is the cylinder's.
    Capsule {
        length: f64,
        radius: f64,
    },
    Ellipsoid {
        /// Semi-axes.
        semi: [f64; 3],
    },
}

impl Solid {
    /// Volume \[m³\]; none for thin solids.
    pub fn volume(&self) -> Option<f64> {
        match *self {
            Solid::Point | Solid::Rod { .. } => None,
            Solid::Cylinder { length, outer, inner, .. } => Some(PI * (outer - inner) * (outer + inner) * length),
            Solid::Box { size: [x, y, z] } => Some(x * y * z),
            Solid::Sphere { radius } => Some(4.0 / 3.0 * PI * radius * radius * radius),
            Solid::Capsule { length, radius } => Some(PI * radius * radius * (length + 4.0 / 3.0 * radius)),
            Solid::Ellipsoid { semi: [a, b, c] } => Some(4.0 / 3.0 * PI * a * b * c),
        }
    }

    /// Surface area \[m²\]; none for thin solids and tubes. Of an ellipsoid by Thomsen's formula, as in MuJoCo (within 1.1 %).
    pub fn surface(&self) -> Option<f64> {
        match *self {
            Solid::Point | Solid::Rod { .. } => None,
            Solid::Cylinder { inner, .. } if inner != 0.0 => None,
            Solid::Cylinder { length, outer, .. } => Some(2.0 * PI * outer * (length + outer)),
            Solid::Box { size: [x, y, z] } => Some(2.0 * (x * y + y * z + z * x)),
            Solid::Sphere { radius } => Some(4.0 * PI * radius * radius),
            Solid::Capsule { length, radius } => Some(2.0 * PI * radius * (length + 2.0 * radius)),
            Solid::Ellipsoid { semi: [a, b, c] } => {
                let p = 1.6075;
                let mean = ((a * b).powf(p) + (b * c).powf(p) + (c * a).powf(p)) / 3.0;
                Some(4.0 * PI * mean.powf(1.0 / p))
            }
        }
    }

    /// The inertia of its shell about its centre; none if it has no surface area.
    pub fn shell(&self, mass: f64) -> Option<Inertia<f64>> {
        let per = mass / self.surface()?;
        let tensor = match *self {
            Solid::Point | Solid::Rod { .. } => return None,
            Solid::Cylinder { along, length, outer: r, .. } => {
                let (wall, cap) = (per * 2.0 * PI * r * length, per * PI * r * r);
                let axial = wall * r * r + cap * r * r;
                let across =
                    wall * (r * r / 2.0 + length * length / 12.0) + 2.0 * cap * (r * r / 4.0 + length * length / 4.0);
                turned(along, axial, across)
            }
            Solid::Box { size } => {
                // Two faces across each axis k: ∫ x_i² over both, for i = k and for i ≠ k.
                let square = |i: usize| {
                    let area = |k: usize| size[(k + 1) % 3] * size[(k + 2) % 3];
                    let over = |k: usize| area(k) * size[i] * size[i] * if k == i { 0.25 } else { 1.0 / 12.0 };
                    2.0 * per * (over(0) + over(1) + over(2))
                };
                let [x, y, z] = [0, 1, 2].map(square);
                Sym3::diagonal(y + z, x + z, x + y)
            }
            Solid::Sphere { radius } => {
                let i = 2.0 / 3.0 * mass * radius * radius;
                Sym3::diagonal(i, i, i)
            }
            Solid::Capsule { length: l, radius: r } => {
                let (wall, cap) = (per * 2.0 * PI * r * l, per * 2.0 * PI * r * r);
                // The centre of mass of a hemispherical shell is r/2 from its flat face.
                let axial = wall * r * r + 2.0 * cap * 2.0 / 3.0 * r * r;
                let lift = (l / 2.0) * (l / 2.0) + l / 2.0 * r;
                let across = wall * (r * r / 2.0 + l * l / 12.0) + 2.0 * cap * (2.0 / 3.0 * r * r + lift);
                turned(2, axial, across)
            }
            Solid::Ellipsoid { semi: [a, b, c] } => {
                // The limit of a thin layer of uniform thickness: d/dt of V (b² + c²)/5 over dV/dt, all semi-axes + t.
                let thin = 0.4 * a * b * c / (a * b + b * c + c * a);
                let about = |p: f64, q: f64| mass * ((p * p + q * q) / 5.0 + thin * (p + q));
                Sym3::diagonal(about(b, c), about(a, c), about(a, b))
            }
        };
        Some(Inertia::about_centre(mass, Vec3::zero(), tensor))
    }

    /// Its inertia about its centre.
    pub fn inertia(&self, mass: f64) -> Inertia<f64> {
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
            Solid::Capsule { length: l, radius: r } => {
                let ball = mass * (4.0 * r) / (4.0 * r + 3.0 * l);
                let rod = mass - ball;
                let lift = l * l / 4.0 + 3.0 / 8.0 * l * r;
                let across = rod * (3.0 * r * r + l * l) / 12.0 + ball * (0.4 * r * r + lift);
                turned(2, rod * r * r / 2.0 + ball * 0.4 * r * r, across)
            }
            Solid::Ellipsoid { semi } => {
                let [a, b, c] = semi.map(|s| mass * s * s / 5.0);
                Sym3::diagonal(b + c, a + c, a + b)
            }
        };
        Inertia::about_centre(mass, Vec3::zero(), tensor)
    }
}

/// The tensor of a body of revolution.
fn turned(along: usize, axial: f64, across: f64) -> Sym3<f64> {
    let mut moments = [across; 3];
    if let Some(m) = moments.get_mut(along) {
        *m = axial;
    }
    let [x, y, z] = moments;
    Sym3::diagonal(x, y, z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_core::{Transform, vec3};

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
                    sum += cell.transformed(&Transform::from_translation(vec3(x, y, z)));
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
        let shapes: [(Solid, Inside); 5] = [
            (Solid::Sphere { radius: 0.9 }, &|[x, y, z]| x * x + y * y + z * z < 0.81),
            (Solid::Cylinder { along: 0, length: 1.5, outer: 0.9, inner: 0.0 }, &|[x, y, z]| {
                x.abs() < 0.75 && y * y + z * z < 0.81
            }),
            (Solid::Cylinder { along: 1, length: 2.0, outer: 0.9, inner: 0.6 }, &|[x, _, z]| {
                (0.36..0.81).contains(&(x * x + z * z))
            }),
            (Solid::Capsule { length: 0.8, radius: 0.5 }, &|[x, y, z]| {
                let beyond = (z.abs() - 0.4).max(0.0);
                x * x + y * y + beyond * beyond < 0.25
            }),
            (Solid::Ellipsoid { semi: [0.9, 0.7, 0.5] }, &|[x, y, z]| x * x / 0.81 + y * y / 0.49 + z * z / 0.25 < 1.0),
        ];
        for (solid, inside) in shapes {
            let (sum, whole) = (integrated(80, inside), solid.inertia(solid.volume().unwrap()));
            assert!((sum.mass / whole.mass - 1.0).abs() < 1e-2, "{solid:?}");
            assert_near(diagonal(&sum), diagonal(&whole), 1e-2);
        }
    }

    /// A shell is what a solid has more than one that is smaller by t on every side: 2e-3 is the order of t over the size.
    #[test]
    fn shells_are_thin_layers() {
        let t = 1e-4;
        let layers = [
            (Solid::Sphere { radius: 0.3 }, Solid::Sphere { radius: 0.3 - t }),
            (Solid::Capsule { length: 0.4, radius: 0.1 }, Solid::Capsule { length: 0.4, radius: 0.1 - t }),
            (
                Solid::Cylinder { along: 2, length: 0.4, outer: 0.1, inner: 0.0 },
                Solid::Cylinder { along: 2, length: 0.4 - 2.0 * t, outer: 0.1 - t, inner: 0.0 },
            ),
            (Solid::Box { size: [0.2, 0.4, 0.6] }, Solid::Box { size: [0.2, 0.4, 0.6].map(|x| x - 2.0 * t) }),
            (Solid::Ellipsoid { semi: [0.1, 0.2, 0.3] }, Solid::Ellipsoid { semi: [0.1, 0.2, 0.3].map(|x| x - t) }),
        ];
        for (whole, less) in layers {
            let (v, w) = (whole.volume().unwrap(), less.volume().unwrap());
            let layer = whole.inertia(v) + less.inertia(w).map(|x| -x);
            let shell = whole.shell(layer.mass).unwrap();
            assert_near(diagonal(&shell), diagonal(&layer), 2e-3);
            // Thomsen's formula is within 1.1 %; a layer of one thickness is no measure of an ellipsoid's surface.
            if !matches!(whole, Solid::Ellipsoid { .. }) {
                assert!((layer.mass / t / whole.surface().unwrap() - 1.0).abs() < 2e-3, "{whole:?}");
            }
        }
        let ball = Solid::Ellipsoid { semi: [0.3; 3] };
        assert!((ball.surface().unwrap() / (4.0 * PI * 0.09) - 1.0).abs() < 1e-14);
    }
}
