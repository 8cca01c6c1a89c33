//! Beam finite element: 12×12 stiffness and consistent mass matrices.
//!
//! Timoshenko beam with Φ = 12 EI/(κGA l²) (Przemieniecki 1968, tables 5.1 and 11.1; Friedman and Kosmatka 1993), which is
//! the Euler–Bernoulli beam for Φ = 0. Order of the degrees of freedom: translations x, y, z and rotations x, y, z of the
//! start, then of the end, in the section's axes.

use super::DeformationModes;
use super::cantilever::BeamStiffness;
use nalgebra::SMatrix;

pub(super) type Element = SMatrix<f64, 12, 12>;

/// Factor on the bending stiffness of a beam that shears but does not bend.
const RIGID: f64 = 1e9;

/// Indices of the translations and rotations of each plane, and the sign of the rotation: bending along y rotates about z,
/// along z about −y.
const PLANES: [([usize; 4], f64); 2] = [([1, 5, 7, 11], 1.0), ([2, 4, 8, 10], -1.0)];

/// Stiffness matrix of an element of length `l`.
pub(super) fn stiffness(s: &BeamStiffness, modes: &DeformationModes, l: f64) -> Element {
    let mut k = Element::zeros();
    let mut spring = |a: usize, b: usize, x: f64| {
        (k[(a, a)], k[(b, b)]) = (x, x);
        (k[(a, b)], k[(b, a)]) = (-x, -x);
    };
    spring(0, 6, s.axial / l);
    spring(3, 9, s.torsion / l);
    for (plane, (at, sign)) in PLANES.into_iter().enumerate() {
        let ei = rigid_unless(modes.bending, s.bending[1 - plane]);
        let phi = phi(s, modes, plane, l);
        let a = ei / (l.powi(3) * (1.0 + phi));
        let (b, c, d) = (6.0 * l, (4.0 + phi) * l * l, (2.0 - phi) * l * l);
        let rows = [[12.0, b, -12.0, b], [b, c, -b, d], [-12.0, -b, 12.0, -b], [b, d, -b, c]];
        add_plane(&mut k, at, sign, rows.map(|r| r.map(|x| x * a)));
    }
    k
}

fn rigid_unless(on: bool, x: f64) -> f64 {
    if on { x } else { x * RIGID }
}

fn phi(s: &BeamStiffness, modes: &DeformationModes, plane: usize, l: f64) -> f64 {
    if modes.shear { 12.0 * rigid_unless(modes.bending, s.bending[1 - plane]) / (s.shear[plane] * l * l) } else { 0.0 }
}

/// Mass matrix: `mu` is the mass per length, `slice` the moments of inertia per length about x, y, z.
pub(super) fn mass(s: &BeamStiffness, modes: &DeformationModes, l: f64, mu: f64, slice: [f64; 3]) -> Element {
    let mut m = Element::zeros();
    for (at, per_length) in [(0, mu), (3, slice[0])] {
        let whole = per_length * l;
        (m[(at, at)], m[(at + 6, at + 6)]) = (whole / 3.0, whole / 3.0);
        (m[(at, at + 6)], m[(at + 6, at)]) = (whole / 6.0, whole / 6.0);
    }
    for (plane, (at, sign)) in PLANES.into_iter().enumerate() {
        let p = phi(s, modes, plane, l);
        let translations = [
            13.0 / 35.0 + 7.0 * p / 10.0 + p * p / 3.0,
            (11.0 / 210.0 + 11.0 * p / 120.0 + p * p / 24.0) * l,
            9.0 / 70.0 + 3.0 * p / 10.0 + p * p / 6.0,
            -(13.0 / 420.0 + 3.0 * p / 40.0 + p * p / 24.0) * l,
            (1.0 / 105.0 + p / 60.0 + p * p / 120.0) * l * l,
            -(1.0 / 140.0 + p / 60.0 + p * p / 120.0) * l * l,
        ];
        let rotations = [
            6.0 / 5.0,
            (1.0 / 10.0 - p / 2.0) * l,
            -6.0 / 5.0,
            (1.0 / 10.0 - p / 2.0) * l,
            (2.0 / 15.0 + p / 6.0 + p * p / 3.0) * l * l,
            (-1.0 / 30.0 - p / 6.0 + p * p / 6.0) * l * l,
        ];
        let square = (1.0 + p) * (1.0 + p);
        let (translation, rotation) = (mu * l / square, slice[2 - plane] / (l * square));
        let sum: Vec<f64> = translations.iter().zip(rotations).map(|(a, b)| a * translation + b * rotation).collect();
        let [a, b, c, d, e, f] = [sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]];
        add_plane(&mut m, at, sign, [[a, b, c, d], [b, e, -d, f], [c, -d, a, -b], [d, f, -b, e]]);
    }
    m
}

/// Adds the 4×4 block of a plane, with the sign of its rotations.
fn add_plane(k: &mut Element, at: [usize; 4], sign: f64, rows: [[f64; 4]; 4]) {
    let signs = [1.0, sign, 1.0, sign];
    for (i, row) in rows.iter().enumerate() {
        for (j, x) in row.iter().enumerate() {
            k[(at[i], at[j])] += signs[i] * signs[j] * x;
        }
    }
}
