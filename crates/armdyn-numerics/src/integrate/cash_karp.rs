//! The coefficients of Cash and Karp's method of order 5 with an error estimate of order 4: Cash & Karp, A variable order Runge–Kutta
//! method for initial value problems with rapidly varying right-hand sides, ACM TOMS 16, 1990.

/// Evaluations of the derivative per step.
pub const STAGES: usize = 6;

/// Nodes: fractions of the step.
pub const C: [f64; STAGES] = [0.0, 0.2, 0.3, 0.6, 1.0, 0.875];

/// Runge–Kutta matrix, row by row.
#[rustfmt::skip]
pub const A: [&[f64]; STAGES] = [
    &[],
    &[0.2],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[0.3, -0.9, 1.2],
    &[-11.0 / 54.0, 2.5, -70.0 / 27.0, 35.0 / 27.0],
    &[1631.0 / 55296.0, 175.0 / 512.0, 575.0 / 13824.0, 44275.0 / 110_592.0, 253.0 / 4096.0],
];

/// Weights of the step.
pub const B: [f64; STAGES] = [37.0 / 378.0, 0.0, 250.0 / 621.0, 125.0 / 594.0, 0.0, 512.0 / 1771.0];

/// Weights of the error estimate: those of the step less those of order 4.
pub const E: [f64; STAGES] = [
    37.0 / 378.0 - 2825.0 / 27648.0,
    0.0,
    250.0 / 621.0 - 18575.0 / 48384.0,
    125.0 / 594.0 - 13525.0 / 55296.0,
    -277.0 / 14336.0,
    512.0 / 1771.0 - 0.25,
];
