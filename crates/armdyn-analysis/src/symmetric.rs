//! Symmetric systems of three equations, singular ones too.

/// Rows.
pub(crate) type Matrix3 = [[f64; 3]; 3];

/// What counts as zero beside the largest eigenvalue.
const RANK: f64 = 1e-12;

/// The shortest x with the least |A x − b| for a symmetric A ≥ 0: by its eigenvalues (Jacobi's rotations).
pub(crate) fn solved(a: &Matrix3, b: [f64; 3]) -> [f64; 3] {
    let (values, vectors) = eigen(*a);
    let largest = values.iter().copied().fold(0.0, f64::max);
    let mut x = [0.0; 3];
    for k in (0..3).filter(|k| values[*k] > RANK * largest) {
        let share: f64 = (0..3).map(|i| vectors[i][k] * b[i]).sum::<f64>() / values[k];
        (0..3).for_each(|i| x[i] += share * vectors[i][k]);
    }
    x
}

/// Eigenvalues, and eigenvectors by columns.
fn eigen(mut a: Matrix3) -> ([f64; 3], Matrix3) {
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..30 {
        let off: f64 = [(0, 1), (0, 2), (1, 2)].iter().map(|&(i, j)| a[i][j] * a[i][j]).sum();
        if off == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
            let c = 1.0 / t.hypot(1.0);
            let s = t * c;
            for row in a.iter_mut().chain(&mut v) {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            for k in 0..3 {
                (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
            }
            (a[p][q], a[q][p]) = (0.0, 0.0);
        }
    }
    ([a[0][0], a[1][1], a[2][2]], v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_and_a_singular_system() {
        let a = [[4.0, 1.0, -2.0], [1.0, 3.0, 0.5], [-2.0, 0.5, 5.0]];
        let x = [0.3, -1.2, 2.0];
        let b = a.map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum::<f64>());
        assert!(solved(&a, b).iter().zip(&x).all(|(f, x)| (f - x).abs() < 1e-14));
        // u uᵀ with u = (1, 2, 2): of b only the part along u counts, x = u (u·b)/81.
        let u = [1.0, 2.0, 2.0];
        let a = u.map(|x| u.map(|y| x * y));
        let found = solved(&a, [3.0, 0.0, 1.5]);
        assert!(found.iter().zip(&u).all(|(f, u)| (f - u * 6.0 / 81.0).abs() < 1e-15), "{found:?}");
    }
}
