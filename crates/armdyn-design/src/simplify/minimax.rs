//! Minimax fit: the coefficients that minimise the maximum error over points.
//!
//!   min t   with   |yᵢ − Σ bₖ φₖ(xᵢ)| ≤ t   for all i
//!
//! as a linear programme, by the simplex method on its dual. A basis has one more point than there are coefficients; the point
//! of maximum error enters it (the exchange of Remez 1934 without Haar's condition). The t of a basis increases and never
//! exceeds the minimum: once it exceeds the allowed error, no fit exists.

/// Maximum coefficient, relative to the scale of its column: limits coefficients of nearly dependent columns.
const MAX_COEFFICIENT: f64 = 1e3;

/// Coefficients and the maximum error.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    pub coefficients: Vec<f64>,
    pub error: f64,
}

/// The minimax fit of `y` by `columns`; `None` if its error exceeds `allowed`.
pub(super) fn minimax(columns: &[&[f64]], y: &[f64], allowed: f64) -> Option<Fit> {
    let (m, n) = (columns.len(), y.len());
    let size = |c: &[f64]| c.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    let unit = |x: f64| if x > 0.0 { x } else { 1.0 };
    let scales: Vec<f64> = columns.iter().map(|c| unit(size(c))).collect();
    let scale = unit(size(y));
    let allowed = allowed / scale;
    // Columns of the dual: (±φ, 1) with cost ±y, or (±eₖ, 0) with cost −MAX_COEFFICIENT.
    let point = |i: usize, sign: f64| -> Vec<f64> {
        columns.iter().zip(&scales).map(|(c, s)| sign * c[i] / s).chain([1.0]).collect()
    };
    let start = (0..n).max_by(|&a, &b| y[a].abs().total_cmp(&y[b].abs()))?;
    let sign = y[start].signum();
    let first = point(start, sign);
    let rows = m + 1;
    let mut inverse = vec![0.0; rows * rows];
    let mut costs = vec![-MAX_COEFFICIENT; rows];
    costs[m] = sign * y[start] / scale;
    // Initial basis: a unit column for each coefficient, with the opposite sign of the point.
    for k in 0..m {
        let unit = if first[k] > 0.0 { -1.0 } else { 1.0 };
        inverse[k * rows + k] = unit;
        inverse[k * rows + m] = -unit * first[k];
    }
    inverse[m * rows + m] = 1.0;
    // A perturbed right side avoids degenerate steps.
    let right = |k: usize| if k == m { 1.0 } else { 1e-11 * (1.0 + (k as f64 * 0.618_033_988_75).fract()) };
    let mut basic: Vec<f64> =
        (0..rows).map(|r| (0..rows).map(|k| inverse[r * rows + k] * right(k)).sum::<f64>()).collect();
    let mut residuals = vec![0.0; n];
    for step in 0..200 * rows {
        let price: Vec<f64> = (0..rows).map(|k| (0..rows).map(|r| costs[r] * inverse[r * rows + k]).sum()).collect();
        let t = price[m];
        if t > allowed {
            return None;
        }
        residuals.iter_mut().zip(y).for_each(|(r, y)| *r = y / scale);
        for (k, column) in columns.iter().enumerate() {
            let b = price[k] / scales[k];
            if b != 0.0 {
                residuals.iter_mut().zip(*column).for_each(|(r, x)| *r -= b * x);
            }
        }
        let worst = (0..n).max_by(|&a, &b| residuals[a].abs().total_cmp(&residuals[b].abs()))?;
        let over = (0..m).max_by(|&a, &b| price[a].abs().total_cmp(&price[b].abs()));
        let beyond = over.map_or(f64::NEG_INFINITY, |k| price[k].abs() - MAX_COEFFICIENT);
        let excess = residuals[worst].abs() - t;
        if excess.max(beyond) < 1e-9 * t.abs().max(1e-6) || step + 1 == 200 * rows {
            let coefficients = (0..m).map(|k| price[k] * scale / scales[k]).collect();
            return Some(Fit { coefficients, error: residuals[worst].abs() * scale });
        }
        let (column, cost) = if excess >= beyond {
            let sign = residuals[worst].signum();
            (point(worst, sign), sign * y[worst] / scale)
        } else {
            let k = over?;
            let mut column = vec![0.0; rows];
            column[k] = -price[k].signum();
            (column, -MAX_COEFFICIENT)
        };
        let direction: Vec<f64> =
            (0..rows).map(|r| (0..rows).map(|k| inverse[r * rows + k] * column[k]).sum::<f64>()).collect();
        let leaving = (0..rows)
            .filter(|&r| direction[r] > 1e-10)
            .min_by(|&a, &b| (basic[a].max(0.0) / direction[a]).total_cmp(&(basic[b].max(0.0) / direction[b])))?;
        let pivot = direction[leaving];
        for k in 0..rows {
            inverse[leaving * rows + k] /= pivot;
        }
        basic[leaving] /= pivot;
        for r in (0..rows).filter(|&r| r != leaving) {
            let by = direction[r];
            if by != 0.0 {
                for k in 0..rows {
                    inverse[r * rows + k] -= by * inverse[leaving * rows + k];
                }
                basic[r] -= by * basic[leaving];
            }
        }
        costs[leaving] = cost;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chebyshev: the best line for x² on [−1, 1] is ½, off by ½; the best quadratic for x³ is ¾ x, off by ¼.
    #[test]
    fn chebyshev_polynomials() {
        let x: Vec<f64> = (0..=2000).map(|i| f64::from(i) / 1000.0 - 1.0).collect();
        let power = |p: i32| x.iter().map(|x| x.powi(p)).collect::<Vec<f64>>();
        let (one, two, three) = (power(0), power(2), power(3));
        let line = minimax(&[&one, &x], &two, 1.0).unwrap();
        assert!((line.error - 0.5).abs() < 1e-9 && (line.coefficients[0] - 0.5).abs() < 1e-9);
        let cubic = minimax(&[&one, &x, &two], &three, 1.0).unwrap();
        assert!((cubic.error - 0.25).abs() < 1e-6 && (cubic.coefficients[1] - 0.75).abs() < 1e-5, "{cubic:?}");
        assert!(minimax(&[&one, &x], &two, 0.49).is_none());
    }

    /// Dependent columns, and no columns.
    #[test]
    fn degenerate_columns() {
        let x: Vec<f64> = (0..100).map(|i| f64::from(i) / 99.0).collect();
        let twice: Vec<f64> = x.iter().map(|x| 2.0 * x).collect();
        let zero = vec![0.0; 100];
        let fit = minimax(&[&x, &twice, &zero], &twice, 1.0).unwrap();
        assert!(fit.error < 1e-9, "{fit:?}");
        assert!((minimax(&[], &twice, 3.0).unwrap().error - 2.0).abs() < 1e-12);
    }
}
