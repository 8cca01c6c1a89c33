//! Forward kinematics by products of 4 × 4 matrices of published Denavit–Hartenberg parameters: nothing of armdyn.

use armdyn_core::{Rotation, Transform, vec3};
use std::f64::consts::FRAC_PI_2;

pub type Matrix4 = [[f64; 4]; 4];

/// θ, d, a, α; the variable is added to θ, or to d of a prismatic joint, or to nothing.
#[derive(Clone, Copy)]
pub struct Row {
    pub theta: f64,
    pub d: f64,
    pub a: f64,
    pub alpha: f64,
    pub joint: Variable,
}

#[derive(Clone, Copy)]
pub enum Variable {
    Angle,
    Length,
    Fixed,
}
use Variable::{Angle, Fixed, Length};

pub const fn row(theta: f64, d: f64, a: f64, alpha: f64, joint: Variable) -> Row {
    Row { theta, d, a, alpha, joint }
}

const Q: f64 = FRAC_PI_2;

/// UR10e, standard Denavit–Hartenberg.
pub const UR10E: [Row; 6] = [
    row(0.0, 0.1807, 0.0, Q, Angle),
    row(0.0, 0.0, -0.6127, 0.0, Angle),
    row(0.0, 0.0, -0.57155, 0.0, Angle),
    row(0.0, 0.17415, 0.0, Q, Angle),
    row(0.0, 0.11985, 0.0, -Q, Angle),
    row(0.0, 0.11655, 0.0, 0.0, Angle),
];

/// JPL arm (RRPRRR).
pub const JPL: [Row; 6] = [
    row(0.0, 0.0, 0.0, -Q, Angle),
    row(0.0, 6.375 * 0.0254, 0.0, Q, Angle),
    row(-Q, 0.0, 0.0, 0.0, Length),
    row(0.0, 0.0, 0.0, -Q, Angle),
    row(0.0, 0.0, 0.0, Q, Angle),
    row(0.0, 9.75 * 0.0254, 0.0, 0.0, Angle),
];

/// The waist and the right arm (a UR3e) of the bundled robot `two-arms`.
pub const RIGHT_ARM: [Row; 9] = [
    row(0.0, 0.9, 0.0, 0.0, Angle),
    row(-Q, 0.0, 0.25, 0.0, Fixed),
    row(Q, 0.0, 0.0, 0.5 * Q, Fixed),
    row(0.0, 0.15185, 0.0, Q, Angle),
    row(0.0, 0.0, -0.24355, 0.0, Angle),
    row(0.0, 0.0, -0.2132, 0.0, Angle),
    row(0.0, 0.13105, 0.0, Q, Angle),
    row(0.0, 0.08535, 0.0, -Q, Angle),
    row(0.0, 0.0921, 0.0, 0.0, Angle),
];

fn product(a: &Matrix4, b: &Matrix4) -> Matrix4 {
    let element = |i: usize, j: usize| (0..4).map(|k| a[i][k] * b[k][j]).sum();
    [0, 1, 2, 3].map(|i| [0, 1, 2, 3].map(|j| element(i, j)))
}

const IDENTITY: Matrix4 = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// The pose of the last frame: the matrices Rot(z, θ) Trans(z, d) Trans(x, a) Rot(x, α) in a row.
pub fn standard(rows: &[Row], q: &[f64]) -> Matrix4 {
    let mut values = q.iter();
    rows.iter().fold(IDENTITY, |pose, row| {
        let mut next = || *values.next().unwrap();
        let (theta, d) = match row.joint {
            Angle => (row.theta + next(), row.d),
            Length => (row.theta, row.d + next()),
            Fixed => (row.theta, row.d),
        };
        let ((s, c), (sa, ca)) = (theta.sin_cos(), row.alpha.sin_cos());
        let link =
            [[c, -s * ca, s * sa, row.a * c], [s, c * ca, -c * sa, row.a * s], [0.0, sa, ca, d], [0.0, 0.0, 0.0, 1.0]];
        product(&pose, &link)
    })
}

/// The flange of Franka's Panda, by Craig's matrices.
pub fn panda(q: &[f64]) -> Matrix4 {
    let rows = [
        (0.0, 0.0, 0.333),
        (-Q, 0.0, 0.0),
        (Q, 0.0, 0.316),
        (Q, 0.0825, 0.0),
        (-Q, -0.0825, 0.384),
        (Q, 0.0, 0.0),
        (Q, 0.088, 0.0),
        (0.0, 0.0, 0.107),
    ];
    rows.iter().zip(q.iter().chain(&[0.0])).fold(IDENTITY, |pose, (&(alpha, a, d), theta)| {
        let ((s, c), (sa, ca)) = (theta.sin_cos(), f64::sin_cos(alpha));
        let link =
            [[c, -s, 0.0, a], [s * ca, c * ca, -sa, -d * sa], [s * sa, c * sa, ca, d * ca], [0.0, 0.0, 0.0, 1.0]];
        product(&pose, &link)
    })
}

/// The same pose as a transform.
pub fn transform(m: &Matrix4) -> Transform<f64> {
    let rotation = Rotation::from_rows([0, 1, 2].map(|i| [m[i][0], m[i][1], m[i][2]]));
    Transform::new(rotation, vec3(m[0][3], m[1][3], m[2][3]))
}

/// The largest difference of two poses' elements.
pub fn difference(a: &Matrix4, b: &Matrix4) -> f64 {
    a.as_flattened().iter().zip(b.as_flattened()).fold(0.0, |d: f64, (a, b)| d.max((a - b).abs()))
}
