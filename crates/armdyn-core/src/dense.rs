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

/// Eight numbers of a row, aligned as a wide register reads them fastest.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Group<T>(pub [T; LANES]);

impl<T: Real> Group<T> {
    #[inline(always)]
    pub fn zero() -> Self {
        Group([T::zero(); LANES])
    }

    /// The sum of all numbers.
    #[inline(always)]
    pub fn sum(&self) -> T {
        self.0.iter().fold(T::zero(), |sum, &x| sum + x)
    }
}

/// A square matrix whose rows are groups of eight numbers, the last one padded.
#[derive(Clone, Debug)]
pub(crate) struct PaddedMatrix<T> {
    size: usize,
    groups: usize,
    values: Vec<Group<T>>,
}

impl<T: Real> PaddedMatrix<T> {
    /// The n × n null matrix.
    pub fn new(n: usize) -> Self {
        let groups = n.div_ceil(LANES);
        PaddedMatrix { size: n, groups, values: alloc::vec![Group::zero(); n * groups] }
    }

    /// Sets all elements to zero, those of the padding too.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.values.fill(Group::zero());
    }

    #[inline(always)]
    pub fn get_mut(&mut self, i: usize, j: usize) -> &mut T {
        &mut self.values[i * self.groups + j / LANES].0[j % LANES]
    }

    /// Group `g` of row `i`.
    #[inline(always)]
    pub fn wide(&self, i: usize, g: usize) -> Lanes<T, LANES> {
        Lanes(self.values[i * self.groups + g].0)
    }

    #[inline(always)]
    pub fn set_wide(&mut self, i: usize, g: usize, values: Lanes<T, LANES>) {
        self.values[i * self.groups + g].0 = values.0;
    }

    /// Sets all elements, given row after row.
    pub fn copy_from(&mut self, rows: &[T]) {
        for (k, &x) in rows.iter().enumerate() {
            *self.get_mut(k / self.size, k % self.size) = x;
        }
    }

    /// Its elements row after row, without the padding.
    #[inline(always)]
    pub fn copy_to(&self, out: &mut [T]) {
        for (i, row) in self.values.chunks_exact(self.groups.max(1)).enumerate() {
            for (g, group) in row.iter().enumerate() {
                put_from(out, i * self.size + g * LANES, &group.0);
            }
        }
    }
}

/// Eight numbers of a row to `out` from `at` on, or as many as there is room for. The last group of a row may reach into the next row:
/// that one has to be written later.
#[inline(always)]
fn put_from<T: Real>(out: &mut [T], at: usize, values: &[T; LANES]) {
    let rest = &mut out[at..];
    if let Some(eight) = rest.first_chunk_mut() {
        *eight = *values;
        return;
    }
    // In pieces of fixed lengths: a copy of any length is a call, around which no wide register survives.
    let (rest, from) = put_piece::<T, 4>(rest, values);
    let (rest, from) = put_piece::<T, 2>(rest, from);
    put_piece::<T, 1>(rest, from);
}

/// The same of a register. (A copy: what a loop computes with has to stay out of memory.)
#[inline(always)]
fn put<T: Real>(out: &mut [T], at: usize, values: Lanes<T, LANES>) {
    put_from(out, at, &values.0);
}

/// The first `L` numbers, if there is room for them, and what remains of both.
#[inline(always)]
fn put_piece<'a, T: Real, const L: usize>(out: &'a mut [T], from: &'a [T]) -> (&'a mut [T], &'a [T]) {
    if out.len() < L || from.len() < L {
        return (out, from);
    }
    let ((to, rest), (piece, others)) = (out.split_at_mut(L), from.split_at(L));
    to.copy_from_slice(piece);
    (rest, others)
}

/// −a b and −a c for n × n matrices. `rows` lists, for each group of columns, the rows in which b and c are not zero.
#[inline(always)]
pub(crate) fn negative_products<T: Real>(
    a: &[T],
    [b, c]: [&PaddedMatrix<T>; 2],
    rows: &[Vec<usize>],
    [ab, ac]: [&mut [T]; 2],
) {
    let n = b.size;
    // Four rows of both products at a time, so that eight sums are under way at once; the last four may overlap those before.
    for first in (0..n).step_by(4) {
        let at = [first, (first + 1).min(n - 1), (first + 2).min(n - 1), (first + 3).min(n - 1)];
        let factors = at.map(|i| &a[i * n..][..n]);
        // The last group first: what it writes of the next row is overwritten.
        for (g, rows) in rows.iter().enumerate().rev() {
            let mut sums = [[Lanes::splat(T::zero()); 2]; 4];
            for &k in rows {
                let (x, y) = (b.wide(k, g), c.wide(k, g));
                for i in 0..4 {
                    let factor = Lanes::splat(-factors[i][k]);
                    sums[i] = [x.mul_add(factor, sums[i][0]), y.mul_add(factor, sums[i][1])];
                }
            }
            for i in 0..4 {
                put(ab, at[i] * n + g * LANES, sums[i][0]);
                put(ac, at[i] * n + g * LANES, sums[i][1]);
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
            let number = |k: usize, factor: usize, period: usize| ((k * factor) % period) as f64 - 2.0;
            let a: Vec<f64> = (0..n * n).map(|k| number(k, 7, 5)).collect();
            // Row 1 is zero in all columns but those of the first group.
            let element =
                |i: usize, j: usize, period| if i == 1 && j >= LANES { 0.0 } else { number(i * n + j, 3, period) };
            let [b, c] = [7, 11].map(|period| {
                let mut b = PaddedMatrix::new(n);
                (0..n * n).for_each(|k| *b.get_mut(k / n, k % n) = element(k / n, k % n, period));
                b
            });
            let rows: Vec<Vec<usize>> =
                (0..n.div_ceil(LANES)).map(|g| (0..n).filter(|&i| g == 0 || i != 1).collect()).collect();
            let (mut ab, mut ac) = (vec![0.0; n * n], vec![0.0; n * n]);
            negative_products(&a, [&b, &c], &rows, [&mut ab, &mut ac]);
            for (product, period) in [(ab, 7), (ac, 11)] {
                for i in 0..n {
                    for j in 0..n {
                        let sum: f64 = (0..n).map(|k| a[i * n + k] * element(k, j, period)).sum();
                        assert_eq!(product[i * n + j], -sum, "n = {n}: small integers are exact");
                    }
                }
            }
        }
    }

    #[test]
    fn rows_without_their_padding() {
        for n in 1..20 {
            let mut a = PaddedMatrix::new(n);
            (0..n * n).for_each(|k| *a.get_mut(k / n, k % n) = k as f64);
            let mut out = vec![-1.0; n * n];
            a.copy_to(&mut out);
            assert!(out.iter().enumerate().all(|(k, &x)| x == k as f64), "n = {n}: {out:?}");
        }
    }
}
