//! The little dense linear algebra that the formulations need, over row-major slices.

use crate::scalar::{Lanes, Real};
use alloc::vec::Vec;

/// The lower Cholesky factor L of a symmetric n × n matrix, in place (the upper triangle is left as it was).
/// `Err(k)` if the k-th pivot is not above what rounding leaves of its diagonal element.
#[inline(always)]
pub fn cholesky<T: Real>(a: &mut [T], n: usize) -> Result<(), usize> {
    for j in 0..n {
        let mut pivot = a[j * n + j];
        let floor = pivot * T::lift(8.0 * T::EPSILON);
        for k in 0..j {
            pivot -= a[j * n + k] * a[j * n + k];
        }
        if !(pivot - floor).is_positive() {
            return Err(j);
        }
        let root = pivot.sqrt();
        let inverse = T::one() / root;
        a[j * n + j] = root;
        for i in j + 1..n {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = sum * inverse;
        }
    }
    Ok(())
}

/// Solves L Lᵀ x = b in place.
#[inline(always)]
pub fn cholesky_solve<T: Real>(l: &[T], n: usize, b: &mut [T]) {
    for i in 0..n {
        let mut sum = b[i];
        for k in 0..i {
            sum -= l[i * n + k] * b[k];
        }
        b[i] = sum / l[i * n + i];
    }
    for i in (0..n).rev() {
        let mut sum = b[i];
        for k in i + 1..n {
            sum -= l[k * n + i] * b[k];
        }
        b[i] = sum / l[i * n + i];
    }
}

/// How many numbers are computed with side by side, in one wide register where the machine has it.
pub const LANES: usize = 8;

/// b ← a b for n × n matrices. `scratch` has n · ⌈n/8⌉ groups.
#[inline(always)]
pub fn multiply_onto<T: Real>(a: &[T], b: &mut [T], n: usize, scratch: &mut [[T; LANES]]) {
    if n == 0 {
        return;
    }
    let groups = n.div_ceil(LANES);
    for (from, to) in b.chunks_exact(n).zip(scratch.chunks_exact_mut(groups)) {
        to.as_flattened_mut()[..n].copy_from_slice(from);
    }
    // Four rows at a time, so that four sums are under way at once; the last four may overlap those before.
    for first in (0..n).step_by(4) {
        let rows = [first, (first + 1).min(n - 1), (first + 2).min(n - 1), (first + 3).min(n - 1)];
        for g in 0..groups {
            let mut sums = [Lanes::splat(T::zero()); 4];
            for (k, row) in scratch.chunks_exact(groups).enumerate() {
                for i in 0..4 {
                    sums[i] = Lanes(row[g]).mul_add(Lanes::splat(a[rows[i] * n + k]), sums[i]);
                }
            }
            for i in 0..4 {
                let out = &mut b[rows[i] * n..][..n][g * LANES..];
                let width = out.len().min(LANES);
                out[..width].copy_from_slice(&sums[i].0[..width]);
            }
        }
    }
}

/// Eigenvalues of a symmetric n × n matrix (destroyed).
pub fn eigenvalues(a: &mut [f64], n: usize) -> Vec<f64> {
    jacobi(a, &mut [], n);
    (0..n).map(|i| a[i * n + i]).collect()
}

/// Cyclic Jacobi rotations: makes a symmetric n × n matrix diagonal, and multiplies `vectors` (rows of n) by the rotations.
pub(crate) fn jacobi(a: &mut [f64], vectors: &mut [f64], n: usize) {
    let scale = a.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    for _sweep in 0..64 {
        let off = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).fold(0.0_f64, |s, (i, j)| s.max(a[i * n + j].abs()));
        if off <= 1e-17 * scale {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                let apq = a[p * n + q];
                if apq == 0.0 {
                    continue;
                }
                let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
                let t = if theta < 0.0 { -1.0 } else { 1.0 } / (theta.abs() + Real::sqrt(theta * theta + 1.0));
                let c = 1.0 / Real::sqrt(t * t + 1.0);
                let s = t * c;
                for row in a.chunks_exact_mut(n).chain(vectors.chunks_exact_mut(n)) {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    a[p * n + k] = c * x - s * y;
                    a[q * n + k] = s * x + c * y;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn cholesky_of_a_known_matrix() {
        // L = [[2, 0, 0], [6, 1, 0], [-8, 5, 3]]
        let mut a = vec![4.0, 12.0, -16.0, 12.0, 37.0, -43.0, -16.0, -43.0, 98.0];
        cholesky(&mut a, 3).unwrap();
        assert_eq!([a[0], a[3], a[4], a[6], a[7], a[8]], [2.0, 6.0, 1.0, -8.0, 5.0, 3.0]);
        let mut b: [f64; 3] = [4.0 - 16.0, 12.0 - 43.0, -16.0 + 98.0]; // A (1, 0, 1)
        cholesky_solve(&a, 3, &mut b);
        assert!(b.iter().zip([1.0, 0.0, 1.0]).all(|(x, e)| (x - e).abs() < 1e-12));
    }

    #[test]
    fn cholesky_names_the_pivot_that_fails() {
        assert_eq!(cholesky(&mut [1.0, 2.0, 2.0, 4.0], 2), Err(1));
        assert_eq!(cholesky(&mut [f64::NAN], 1), Err(0));
    }

    #[test]
    fn eigenvalues_of_known_matrices() {
        let mut values = eigenvalues(&mut [2.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 5.0], 3);
        values.sort_by(f64::total_cmp);
        assert!(values.iter().zip([1.0, 3.0, 5.0]).all(|(x, e)| (x - e).abs() < 1e-14));
        assert_eq!(eigenvalues(&mut [0.0; 4], 2), [0.0, 0.0]);
    }

    #[test]
    fn products_of_every_size() {
        for n in 1..20 {
            let a: Vec<f64> = (0..n * n).map(|k| ((k * 7) % 5) as f64 - 2.0).collect();
            let b: Vec<f64> = (0..n * n).map(|k| ((k * 3) % 7) as f64 - 3.0).collect();
            let mut out = b.clone();
            multiply_onto(&a, &mut out, n, &mut vec![[0.0; LANES]; n * n.div_ceil(LANES)]);
            for i in 0..n {
                for j in 0..n {
                    let sum: f64 = (0..n).map(|k| a[i * n + k] * b[k * n + j]).sum();
                    assert_eq!(out[i * n + j], sum, "n = {n}: small integers are exact");
                }
            }
        }
    }
}
