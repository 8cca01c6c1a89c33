//! Null space of constraint rows, and small systems of linear equations.

use super::Row;

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Solution space of the constraints row · v = value.
pub(super) struct Basis {
    /// The solution of least norm.
    pub particular: Vec<f64>,
    /// Orthonormal basis of the null space.
    pub null_space: Vec<Vec<f64>>,
    /// Orthonormal basis of the row space.
    row_space: Vec<Vec<f64>>,
    pub rank: usize,
}

impl Basis {
    pub fn new(rows: &[(Row, f64)], n: usize) -> Self {
        let mut basis: Vec<(Vec<f64>, f64)> = vec![];
        let unit = |k: usize| (0..n).map(|i| f64::from(u8::from(i == k))).collect::<Vec<f64>>();
        let rows_given = rows.iter().map(|(r, value)| (r.to_vec(), *value));
        let mut rank = 0;
        for (count, (mut v, mut value)) in rows_given.chain((0..n).map(|k| (unit(k), 0.0))).enumerate() {
            let norm = dot(&v, &v).sqrt();
            // Orthogonalising twice removes the rounding errors of the first pass (Kahan).
            for _ in 0..2 {
                for (q, b) in &basis {
                    let along = dot(&v, q);
                    v.iter_mut().zip(q).for_each(|(v, q)| *v -= along * q);
                    value -= along * b;
                }
            }
            let left = dot(&v, &v).sqrt();
            // Unit vectors that are nearly spanned already do not extend the null space.
            if left > norm * if count < rows.len() { 1e-9 } else { 1e-6 } && basis.len() < n {
                v.iter_mut().for_each(|x| *x /= left);
                basis.push((v, value / left));
                rank += usize::from(count < rows.len());
            }
        }
        let particular = (0..n).map(|i| basis[..rank].iter().map(|(q, b)| q[i] * b).sum()).collect();
        let null_space = basis.drain(rank..).map(|(q, _)| q).collect();
        Basis { particular, null_space, row_space: basis.into_iter().map(|(q, _)| q).collect(), rank }
    }

    /// Forces along the rows with a given sum; those of least norm if they are not determined.
    pub fn constraint_forces(&self, rows: &[(Row, f64)], sum: &[f64]) -> Vec<f64> {
        let line = |q: &Vec<f64>| {
            let gram = self.row_space.iter().map(|p| rows.iter().map(|(r, _)| dot(r, q) * dot(r, p)).sum());
            gram.chain(std::iter::once(dot(q, sum))).collect::<Vec<f64>>()
        };
        let Some(z) = solve_linear(self.row_space.iter().map(line).collect(), self.rank) else {
            return vec![0.0; rows.len()];
        };
        rows.iter().map(|(r, _)| self.row_space.iter().zip(&z).map(|(q, z)| z * dot(r, q)).sum()).collect()
    }
}

/// Solves n linear equations, each a row with its right-hand side at the end, by Gaussian elimination with scaled pivoting; none
/// if singular.
pub(super) fn solve_linear(mut a: Vec<Vec<f64>>, n: usize) -> Option<Vec<f64>> {
    for c in 0..n {
        let size = |r: &Vec<f64>| r[..n].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let pivot = (c..n).max_by(|&i, &j| {
            let scaled = |r: &Vec<f64>| r[c].abs() / size(r).max(f64::MIN_POSITIVE);
            scaled(&a[i]).total_cmp(&scaled(&a[j]))
        })?;
        a.swap(c, pivot);
        if a[c][c].is_nan() || a[c][c].abs() <= 1e-13 * size(&a[c]) {
            return None;
        }
        for i in c + 1..n {
            let factor = a[i][c] / a[c][c];
            let (above, below) = a.split_at_mut(i);
            below[0].iter_mut().zip(&above[c]).skip(c).for_each(|(x, y)| *x -= factor * y);
        }
    }
    let mut x = vec![0.0; n];
    for c in (0..n).rev() {
        x[c] = (a[c][n] - dot(&a[c][c + 1..n], &x[c + 1..])) / a[c][c];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_space_and_particular_solution() {
        let b = Basis::new(&[([0.0, 2.0, 1.0], 3.0), ([0.0, 4.0, 2.0], 6.0)], 3);
        assert_eq!((b.rank, b.null_space.len()), (1, 2));
        assert!(b.null_space.iter().all(|z| (2.0 * z[1] + z[2]).abs() < 1e-15));
        assert!((2.0 * b.particular[1] + b.particular[2] - 3.0).abs() < 1e-14);
        assert_eq!(Basis::new(&[], 6).null_space.len(), 6);
    }

    #[test]
    fn singular_systems_have_no_solution() {
        let x = solve_linear(vec![vec![0.0, 2.0, 4.0], vec![3.0, 1.0, 5.0]], 2).unwrap();
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15);
        assert!(solve_linear(vec![vec![1.0, 2.0, 0.0], vec![2.0, 4.0, 1.0]], 2).is_none());
    }
}
