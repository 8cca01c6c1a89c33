//! Splines through waypoints at given times.
//!
//! Cubic splines have continuous accelerations: their velocities vₖ solve, with hₖ = tₖ₊₁ − tₖ and Δₖ = qₖ₊₁ − qₖ,
//!
//!   vₖ₋₁/hₖ₋₁ + 2 (1/hₖ₋₁ + 1/hₖ) vₖ + vₖ₊₁/hₖ = 3 (Δₖ₋₁/hₖ₋₁² + Δₖ/hₖ²)                       (1)
//!
//! Quintic splines have continuous jerks and snaps (fourth derivatives). Those of the quintic polynomial between two waypoints are
//!
//!   j₀ = 60 Δ/h³ − (36 v₀ + 24 v₁)/h² − (9 a₀ − 3 a₁)/h                                         (2)
//!   s₀ = −360 Δ/h⁴ + (192 v₀ + 168 v₁)/h³ + (36 a₀ − 24 a₁)/h²                                   (3)
//!
//! and at its end the same reversed in time; equating them at each inner waypoint gives two equations for (vₖ, aₖ). Both systems are
//! block tridiagonal and are solved by elimination without exchange of rows (Biagiotti & Melchiorri 2008, sections 4.4 and 4.5).

use super::piecewise::{Coefficients, PiecewisePolynomial};
use super::waypoints::{Waypoints, check_times};
use armdyn_numerics::{Result, invalid, quintic_polynomial};

/// Conditions at both ends of a spline.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum SplineEnds {
    /// At rest: zero velocities; zero accelerations too for quintic splines.
    #[default]
    Rest,
    /// The highest free derivatives are zero: accelerations of a cubic spline, jerks and snaps of a quintic one.
    Natural,
    /// Given velocities at the start and at the end; zero accelerations too for quintic splines.
    Velocities(Vec<f64>, Vec<f64>),
}

impl SplineEnds {
    /// The velocities of a joint at both ends; none for natural ends.
    fn velocities(&self, joint: usize) -> Option<[f64; 2]> {
        match self {
            SplineEnds::Rest => Some([0.0; 2]),
            SplineEnds::Natural => None,
            SplineEnds::Velocities(start, end) => Some([start[joint], end[joint]]),
        }
    }

    fn check(&self, n: usize) -> Result<()> {
        let SplineEnds::Velocities(start, end) = self else { return Ok(()) };
        if start.len() != n || end.len() != n || start.iter().chain(end).any(|v| !v.is_finite()) {
            return invalid(format!("the end velocities of a spline must be {n} finite numbers each"));
        }
        Ok(())
    }
}

/// The cubic spline through waypoints at increasing times \[s\]: continuous accelerations.
pub fn cubic_spline(waypoints: &Waypoints, t: &[f64], ends: &SplineEnds) -> Result<PiecewisePolynomial> {
    joints(waypoints, t, ends, |q, h, ends| {
        let last = q.len() - 1;
        let slope = |k: usize| (q[k + 1] - q[k]) / h[k];
        let mut rows: Vec<Row<1>> = vec![Row::default(); q.len()];
        for k in 1..last {
            let (a, b) = (1.0 / h[k - 1], 1.0 / h[k]);
            rows[k] = Row {
                before: [[a]],
                own: [[2.0 * (a + b)]],
                after: [[b]],
                right: [3.0 * (slope(k - 1) * a + slope(k) * b)],
            };
        }
        for (k, interval) in [(0, 0), (last, last - 1)] {
            rows[k] = match ends {
                Some(v) => Row { own: [[1.0]], right: [v[usize::from(k > 0)]], ..Row::default() },
                // Zero acceleration: 2 v₀ + v₁ = 3 Δ/h.
                None => {
                    let (before, after) = if k == 0 { (0.0, 1.0) } else { (1.0, 0.0) };
                    Row { before: [[before]], own: [[2.0]], after: [[after]], right: [3.0 * slope(interval)] }
                }
            };
        }
        let v = solve(rows);
        let piece = |k: usize| {
            let (d, [a], [b]) = (slope(k), v[k], v[k + 1]);
            [q[k], a, (3.0 * d - 2.0 * a - b) / h[k], (a + b - 2.0 * d) / (h[k] * h[k]), 0.0, 0.0]
        };
        (0..last).map(piece).collect()
    })
}

/// The quintic spline through waypoints at increasing times \[s\]: continuous jerks and snaps.
///
/// With given velocities and accelerations at all waypoints, [`QuinticSpline`](armdyn_numerics::QuinticSpline) has continuous
/// accelerations.
pub fn quintic_spline(waypoints: &Waypoints, t: &[f64], ends: &SplineEnds) -> Result<PiecewisePolynomial> {
    if *ends == SplineEnds::Natural && waypoints.len() < 3 {
        return invalid("a natural quintic spline needs at least three waypoints");
    }
    joints(waypoints, t, ends, |q, h, ends| {
        let last = q.len() - 1;
        let distance = |k: usize| q[k + 1] - q[k];
        // Jerk and snap at the start of interval k by the state at its start and its end, and the constant term: (2), (3).
        let start = |k: usize| {
            let (h, d) = (h[k], distance(k));
            let (h2, h3) = (h * h, h * h * h);
            let own = [[-36.0 / h2, -9.0 / h], [192.0 / h3, 36.0 / h2]];
            let other = [[-24.0 / h2, 3.0 / h], [168.0 / h3, -24.0 / h2]];
            (own, other, [60.0 * d / h3, -360.0 * d / (h2 * h2)])
        };
        // At its end: reversed in time, odd derivatives and the distance change their sign.
        let end = |k: usize| {
            let (own, other, [j, s]) = start(k);
            let reversed = |m: [[f64; 2]; 2]| [[m[0][0], -m[0][1]], [-m[1][0], m[1][1]]];
            (reversed(own), reversed(other), [j, -s])
        };
        let mut rows: Vec<Row<2>> = vec![Row::default(); q.len()];
        for k in 1..last {
            let ((left, before, l), (right, after, r)) = (end(k - 1), start(k));
            rows[k] = Row {
                before,
                own: minus(left, right),
                after: minus([[0.0; 2]; 2], after),
                right: [r[0] - l[0], r[1] - l[1]],
            };
        }
        for (k, (own, other, constant)) in [(0, start(0)), (last, end(last - 1))] {
            let right = [-constant[0], -constant[1]];
            rows[k] = match ends {
                Some(v) => Row { own: [[1.0, 0.0], [0.0, 1.0]], right: [v[usize::from(k > 0)], 0.0], ..Row::default() },
                None if k == 0 => Row { own, after: other, right, ..Row::default() },
                None => Row { own, before: other, right, ..Row::default() },
            };
        }
        let states = solve(rows);
        let state = |k: usize| [q[k], states[k][0], states[k][1]];
        (0..last).map(|k| quintic_polynomial(state(k), state(k + 1), h[k])).collect()
    })
}

/// The spline of each joint by `pieces` of its positions, the lengths of the intervals and its velocities at both ends.
fn joints(
    waypoints: &Waypoints,
    t: &[f64],
    ends: &SplineEnds,
    pieces: impl Fn(&[f64], &[f64], Option<[f64; 2]>) -> Vec<Coefficients>,
) -> Result<PiecewisePolynomial> {
    check_times(t, waypoints)?;
    let n = waypoints.dofs();
    ends.check(n)?;
    let h: Vec<f64> = t.windows(2).map(|t| t[1] - t[0]).collect();
    let mut all = vec![[0.0; 6]; n * h.len()];
    for i in 0..n {
        let q: Vec<f64> = (0..waypoints.len()).map(|k| waypoints.row(k)[i]).collect();
        for (k, piece) in pieces(&q, &h, ends.velocities(i)).into_iter().enumerate() {
            all[k * n + i] = piece;
        }
    }
    Ok(PiecewisePolynomial::new(t, all, n))
}

type Matrix<const N: usize> = [[f64; N]; N];

/// One row of a block tridiagonal system.
#[derive(Clone, Copy)]
struct Row<const N: usize> {
    before: Matrix<N>,
    own: Matrix<N>,
    after: Matrix<N>,
    right: [f64; N],
}

impl<const N: usize> Default for Row<N> {
    fn default() -> Self {
        Row { before: [[0.0; N]; N], own: [[0.0; N]; N], after: [[0.0; N]; N], right: [0.0; N] }
    }
}

fn minus<const N: usize>(a: Matrix<N>, b: Matrix<N>) -> Matrix<N> {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] - b[i][j]))
}

fn product<const N: usize>(a: &Matrix<N>, b: &Matrix<N>) -> Matrix<N> {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..N).map(|k| a[i][k] * b[k][j]).sum()))
}

fn times<const N: usize>(a: &Matrix<N>, x: &[f64; N]) -> [f64; N] {
    std::array::from_fn(|i| (0..N).map(|k| a[i][k] * x[k]).sum())
}

/// The inverse by Gauss–Jordan elimination with exchange of rows.
fn inverse<const N: usize>(mut a: Matrix<N>) -> Matrix<N> {
    let mut inverse: Matrix<N> = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for i in 0..N {
        let pivot = (i..N).max_by(|x, y| a[*x][i].abs().total_cmp(&a[*y][i].abs())).unwrap_or(i);
        a.swap(i, pivot);
        inverse.swap(i, pivot);
        let scale = 1.0 / a[i][i];
        a[i].iter_mut().chain(&mut inverse[i]).for_each(|x| *x *= scale);
        for k in (0..N).filter(|k| *k != i) {
            let factor = a[k][i];
            for j in 0..N {
                a[k][j] -= factor * a[i][j];
                inverse[k][j] -= factor * inverse[i][j];
            }
        }
    }
    inverse
}

/// Solves a block tridiagonal system by elimination from the first row to the last.
fn solve<const N: usize>(mut rows: Vec<Row<N>>) -> Vec<[f64; N]> {
    for k in 0..rows.len() {
        if k > 0 {
            let (above, before) = (rows[k - 1], rows[k].before);
            rows[k].own = minus(rows[k].own, product(&before, &above.after));
            let carried = times(&before, &above.right);
            rows[k].right.iter_mut().zip(carried).for_each(|(x, c)| *x -= c);
        }
        let inverse = inverse(rows[k].own);
        rows[k].after = product(&inverse, &rows[k].after);
        rows[k].right = times(&inverse, &rows[k].right);
    }
    let mut x: Vec<[f64; N]> = rows.iter().map(|r| r.right).collect();
    for k in (0..rows.len() - 1).rev() {
        let carried = times(&rows[k].after, &x[k + 1]);
        x[k].iter_mut().zip(carried).for_each(|(x, c)| *x -= c);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_numerics::ContinuousTrajectory;

    fn all(spline: &PiecewisePolynomial, t: f64) -> [f64; 4] {
        let mut out = [[0.0]; 4];
        let [a, b, c, d] = &mut out;
        spline.derivatives(t, [a, b, c, d]);
        out.map(|x| x[0])
    }

    fn through(t: &[f64], f: impl Fn(f64) -> f64) -> Waypoints {
        Waypoints::new(1, t.iter().map(|t| f(*t)).collect()).unwrap()
    }

    const TIMES: [f64; 6] = [0.0, 0.4, 0.5, 1.3, 2.0, 2.2];

    /// A cubic polynomial with its own end velocities is its spline.
    #[test]
    fn a_cubic_polynomial_is_its_spline() {
        let (f, slope) = (|t: f64| 1.0 - 2.0 * t + t.powi(3), |t: f64| -2.0 + 3.0 * t * t);
        let ends = SplineEnds::Velocities(vec![slope(0.0)], vec![slope(2.2)]);
        let spline = cubic_spline(&through(&TIMES, f), &TIMES, &ends).unwrap();
        for t in [0.0, 0.1, 0.45, 1.0, 2.19] {
            for (found, exact) in all(&spline, t).into_iter().zip([f(t), slope(t), 6.0 * t, 6.0]) {
                assert!((found - exact).abs() < 1e-12, "at {t}: {found} for {exact}");
            }
        }
    }

    /// t³ − 5t⁴ + 2t⁵ with its end velocities; its end accelerations are zero at t = 0 and where 6 − 60 t + 40 t² = 0.
    #[test]
    fn a_quintic_polynomial_is_its_spline() {
        let f = |t: f64| t.powi(3) - 5.0 * t.powi(4) + 2.0 * t.powi(5);
        let slope = |t: f64| 3.0 * t * t - 20.0 * t.powi(3) + 10.0 * t.powi(4);
        let end = (60.0 + (3600.0_f64 - 960.0).sqrt()) / 80.0;
        let t: Vec<f64> = [0.0, 0.2, 0.3, 0.8, 1.0].iter().map(|x| x * end).collect();
        let ends = SplineEnds::Velocities(vec![0.0], vec![slope(end)]);
        let spline = quintic_spline(&through(&t, f), &t, &ends).unwrap();
        for t in [0.0, 0.1, 0.5, 0.9, end - 1e-9] {
            let exact = [f(t), slope(t), 6.0 * t - 60.0 * t * t + 40.0 * t.powi(3), 6.0 - 120.0 * t + 120.0 * t * t];
            for (found, exact) in all(&spline, t).into_iter().zip(exact) {
                assert!((found - exact).abs() < 1e-11, "at {t}: {found} for {exact}");
            }
        }
    }

    /// Derivatives are continuous at the waypoints: two of a cubic spline, three (and the fourth) of a quintic one.
    #[test]
    fn splines_are_smooth_and_meet_their_ends() {
        let waypoints = through(&TIMES, |t| (3.0 * t).sin());
        for ends in [SplineEnds::Rest, SplineEnds::Natural] {
            let cubic = cubic_spline(&waypoints, &TIMES, &ends).unwrap();
            let quintic = quintic_spline(&waypoints, &TIMES, &ends).unwrap();
            for (k, t) in TIMES.iter().enumerate() {
                for spline in [&cubic, &quintic] {
                    assert!((all(spline, *t)[0] - waypoints.row(k)[0]).abs() < 1e-13);
                }
            }
            let h = 1e-7;
            for t in &TIMES[1..5] {
                for (spline, derivatives) in [(&cubic, 3), (&quintic, 4)] {
                    let (before, after) = (all(spline, t - h), all(spline, *t));
                    // The next derivative, up to about 1e4, over h.
                    (0..derivatives).for_each(|k| assert!((before[k] - after[k]).abs() < 1e-2, "{k} at {t}"));
                }
                // The fourth derivative, by the difference of the third on both sides.
                let fourth = |a: f64| (all(&quintic, a + 1e-5)[3] - all(&quintic, a)[3]) / 1e-5;
                let (before, after) = (fourth(t - 1.1e-5), fourth(*t));
                assert!((before - after).abs() < 1e-2 * before.abs().max(1.0), "{before} {after}");
            }
            let (start, end) = (all(&cubic, 0.0), all(&cubic, 2.2));
            let zero = if ends == SplineEnds::Rest { 1 } else { 2 };
            assert!(start[zero].abs() < 1e-11 && end[zero].abs() < 1e-11);
            let (start, end) = (all(&quintic, 0.0), all(&quintic, 2.2));
            let zeros = if ends == SplineEnds::Rest { [1, 2] } else { [3, 3] };
            // A jerk of about 1e3 at this scale.
            assert!(zeros.iter().all(|k| start[*k].abs() < 1e-9 && end[*k].abs() < 1e-9), "{start:?} {end:?}");
        }
    }

    /// From rest to rest the quintic is 10u³ − 15u⁴ + 6u⁵ and the cubic 3u² − 2u³.
    #[test]
    fn two_waypoints_from_rest_to_rest() {
        let waypoints = Waypoints::new(1, vec![1.0, 3.0]).unwrap();
        let [cubic, quintic] =
            [cubic_spline, quintic_spline].map(|f| f(&waypoints, &[5.0, 9.0], &SplineEnds::Rest).unwrap());
        assert_eq!((cubic.duration(), quintic.duration()), (4.0, 4.0));
        assert!((all(&cubic, 1.0)[0] - (1.0 + 2.0 * (3.0 / 16.0 - 2.0 / 64.0))).abs() < 1e-15);
        assert!((all(&quintic, 1.0)[0] - (1.0 + 2.0 * (10.0 / 64.0 - 15.0 / 256.0 + 6.0 / 1024.0))).abs() < 1e-15);
    }

    #[test]
    fn invalid_waypoints_and_times_are_refused() {
        let two = Waypoints::new(1, vec![0.0, 1.0]).unwrap();
        let refused = |t: &[f64], ends: SplineEnds| cubic_spline(&two, t, &ends).unwrap_err().to_string();
        assert!(refused(&[0.0, 0.0], SplineEnds::Rest).contains("sample 1"));
        assert!(refused(&[0.0, f64::NAN], SplineEnds::Rest).contains("sample 1"));
        assert!(refused(&[0.0], SplineEnds::Rest).contains("1 times for 2 waypoints"));
        assert!(refused(&[0.0, 1.0], SplineEnds::Velocities(vec![f64::NAN], vec![0.0])).contains("finite"));
        assert!(quintic_spline(&two, &[0.0, 1.0], &SplineEnds::Natural).unwrap_err().to_string().contains("three"));
        assert!(Waypoints::new(1, vec![1.0]).unwrap_err().to_string().contains("at least two"));
        assert!(Waypoints::new(2, vec![1.0, 2.0, f64::NAN, 0.0]).unwrap_err().to_string().contains("sample 1"));
    }
}
