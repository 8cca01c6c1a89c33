//! Symmetric systems of three equations, singular ones too.

/// Rows.
pub type Matrix3 = [[f64; 3]; 3];

/// Steps that find the eigenvalues of any three by three numbers.
const STEPS: usize = 1000;
/// What counts as zero beside the largest eigenvalue.
const RANK: f64 = 1e-12;

/// The shortest x with the least |A x − b| for a symmetric A ≥ 0: by its eigenvalues. Not a number where A is none.
pub fn solved(a: &Matrix3, b: [f64; 3]) -> [f64; 3] {
    let matrix = nalgebra::Matrix3::from_fn(|i, j| a[i][j]);
    let eigen = nalgebra::SymmetricEigen::try_new(matrix, f64::EPSILON, STEPS);
    let Some(eigen) = eigen.filter(|e| e.eigenvalues.iter().all(|x| x.is_finite())) else { return [f64::NAN; 3] };
    let (largest, b) = (eigen.eigenvalues.max(), nalgebra::Vector3::from(b));
    let mut x = nalgebra::Vector3::zeros();
    for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        if *value > RANK * largest {
            x += vector * (vector.dot(&b) / value);
        }
    }
    x.into()
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
        assert!(solved(&[[f64::NAN; 3]; 3], [1.0; 3])[0].is_nan());
    }
}
