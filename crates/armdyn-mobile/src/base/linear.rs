//! The little linear algebra of a base: what rows of constraints leave free, and a few equations.

use super::Row;

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// What some rows leave of the free components.
pub(super) struct Basis {
    /// The least vector that has the given values along the rows.
    pub given: Vec<f64>,
    /// An orthonormal basis of what has none along any row.
    pub rest: Vec<Vec<f64>>,
    /// One of what the rows span.
    held: Vec<Vec<f64>>,
    pub rank: usize,
}

impl Basis {
    pub fn new(rows: &[(Row, f64)], n: usize) -> Self {
        let mut all: Vec<(Vec<f64>, f64)> = vec![];
        let unit = |k: usize| (0..n).map(|i| f64::from(u8::from(i == k))).collect::<Vec<f64>>();
        let given = rows.iter().map(|(r, value)| (r.to_vec(), *value));
        let mut rank = 0;
        for (count, (mut v, mut value)) in given.chain((0..n).map(|k| (unit(k), 0.0))).enumerate() {
            let size = dot(&v, &v).sqrt();
            // Twice is enough (Kahan): rounding of the first time is taken off by the second.
            for _ in 0..2 {
                for (q, b) in &all {
                    let along = dot(&v, q);
                    v.iter_mut().zip(q).for_each(|(v, q)| *v -= along * q);
                    value -= along * b;
                }
            }
            let left = dot(&v, &v).sqrt();
            // A unit vector counts among the rest only where it is not nearly spanned.
            if left > size * if count < rows.len() { 1e-9 } else { 1e-6 } && all.len() < n {
                v.iter_mut().for_each(|x| *x /= left);
                all.push((v, value / left));
                rank += usize::from(count < rows.len());
            }
        }
        let given = (0..n).map(|i| all[..rank].iter().map(|(q, b)| q[i] * b).sum()).collect();
        let rest = all.drain(rank..).map(|(q, _)| q).collect();
        Basis { given, rest, held: all.into_iter().map(|(q, _)| q).collect(), rank }
    }

    /// Forces along the rows that together are `sum`, the least ones where they are not determined.
    pub fn bearing(&self, rows: &[(Row, f64)], sum: &[f64]) -> Vec<f64> {
        let line = |q: &Vec<f64>| {
            let gram = self.held.iter().map(|p| rows.iter().map(|(r, _)| dot(r, q) * dot(r, p)).sum());
            gram.chain(std::iter::once(dot(q, sum))).collect::<Vec<f64>>()
        };
        let Some(z) = eliminate(self.held.iter().map(line).collect(), self.rank) else { return vec![0.0; rows.len()] };
        rows.iter().map(|(r, _)| self.held.iter().zip(&z).map(|(q, z)| z * dot(r, q)).sum()).collect()
    }
}

/// Solves n linear equations, each a row with its right side at the end, by elimination with pivots; none if singular.
pub(super) fn eliminate(mut a: Vec<Vec<f64>>, n: usize) -> Option<Vec<f64>> {
    for c in 0..n {
        let size = |r: &Vec<f64>| r[..n].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let pivot = (c..n).max_by(|&i, &j| {
            let share = |r: &Vec<f64>| r[c].abs() / size(r).max(f64::MIN_POSITIVE);
            share(&a[i]).total_cmp(&share(&a[j]))
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
    fn a_basis_keeps_what_rows_leave() {
        let b = Basis::new(&[([0.0, 2.0, 1.0], 3.0), ([0.0, 4.0, 2.0], 6.0)], 3);
        assert_eq!((b.rank, b.rest.len()), (1, 2));
        assert!(b.rest.iter().all(|z| (2.0 * z[1] + z[2]).abs() < 1e-15));
        assert!((2.0 * b.given[1] + b.given[2] - 3.0).abs() < 1e-14);
        assert_eq!(Basis::new(&[], 6).rest.len(), 6);
    }

    #[test]
    fn elimination_solves_and_refuses() {
        let x = eliminate(vec![vec![0.0, 2.0, 4.0], vec![3.0, 1.0, 5.0]], 2).unwrap();
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15);
        assert!(eliminate(vec![vec![1.0, 2.0, 0.0], vec![2.0, 4.0, 1.0]], 2).is_none());
    }
}
