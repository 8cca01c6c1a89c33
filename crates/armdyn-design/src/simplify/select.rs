//! Selection of terms: the fewest whose best fit is within an error.
//!
//! Each column has the values of a term at points, `y` the values to fit, weighted to make errors relative. The RMS of a
//! least-squares fit is a lower bound of the maximum error of any fit: sets above the bound are excluded, the others are fitted
//! in the order of their RMS by [`minimax`](super::minimax). Few terms: all subsets. Many: backward elimination of the
//! cheapest term, then exchanges of a kept and a dropped term.

use super::deadline::Deadline;
use super::minimax::{Fit, minimax};
use rayon::prelude::*;

/// Maximum number of terms for a search over all subsets.
const EXHAUSTIVE: usize = 16;
/// Maximum number of fitted sets of one size.
const MAX_FITS: usize = 300;
/// Relative regularisation of the normal equations.
const REGULARISATION: f64 = 1e-12;
/// Maximum number of terms for a minimax fit; larger sets use least squares.
const MAX_MINIMAX: usize = 60;

/// Values of terms at points.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    /// A column for each term.
    pub columns: Vec<Vec<f64>>,
    /// The values to fit.
    pub y: Vec<f64>,
}

/// Kept terms and their fit.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub kept: Vec<usize>,
    pub fit: Fit,
}

impl Points {
    /// The best fit of terms, if within `allowed`.
    pub fn fit(&self, kept: &[usize], allowed: f64) -> Option<Choice> {
        let columns: Vec<&[f64]> = kept.iter().map(|&k| &self.columns[k][..]).collect();
        if kept.len() > MAX_MINIMAX {
            let own = Points { columns: columns.iter().map(|c| c.to_vec()).collect(), y: self.y.clone() };
            let all: Vec<usize> = (0..kept.len()).collect();
            let normal = Normal::of(&own);
            let factor = normal.factor(&all);
            let mut coefficients = vec![0.0; kept.len()];
            factor.kept.iter().zip(factor.coefficients()).for_each(|(&k, b)| coefficients[k] = b);
            let error = self.maximum_error(&columns, &coefficients);
            return (error <= allowed).then(|| Choice { kept: kept.to_vec(), fit: Fit { coefficients, error } });
        }
        minimax(&columns, &self.y, allowed).map(|fit| Choice { kept: kept.to_vec(), fit })
    }

    fn maximum_error(&self, columns: &[&[f64]], coefficients: &[f64]) -> f64 {
        let mut left = self.y.clone();
        for (column, b) in columns.iter().zip(coefficients) {
            left.iter_mut().zip(*column).for_each(|(r, x)| *r -= b * x);
        }
        left.iter().fold(0.0, |m, r| m.max(r.abs()))
    }

    /// The fewest terms within `allowed`, at least `minimum_terms`; of equally many the best. `None` if there are none before the
    /// deadline.
    pub fn fewest(&self, allowed: f64, minimum_terms: usize, deadline: Deadline) -> Option<Choice> {
        let normal = Normal::of(self);
        if self.columns.len() <= EXHAUSTIVE {
            self.all_subsets(&normal, allowed, minimum_terms, deadline)
        } else {
            self.stepwise(&normal, allowed, minimum_terms, deadline)
        }
    }

    /// The best of sets of one size that are fitted before the deadline.
    fn best(&self, mut sets: Vec<(f64, Vec<usize>)>, allowed: f64, deadline: Deadline) -> Option<Choice> {
        sets.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut best: Option<Choice> = None;
        for (_, set) in sets.into_iter().filter(|s| s.0 <= allowed).take(MAX_FITS) {
            if deadline.over() {
                break;
            }
            let limit = best.as_ref().map_or(allowed, |b| b.fit.error);
            best = self.fit(&set, limit).filter(|c| c.fit.error <= limit).or(best);
        }
        best
    }

    fn all_subsets(&self, normal: &Normal, allowed: f64, minimum_terms: usize, deadline: Deadline) -> Option<Choice> {
        let m = self.columns.len();
        (minimum_terms..=m).take_while(|_| !deadline.over()).find_map(|size| {
            let sets = (0u32..1 << m).filter(|s| s.count_ones() as usize == size);
            let ranked = sets.map(|s| {
                let set: Vec<usize> = (0..m).filter(|k| s >> k & 1 == 1).collect();
                (normal.error(&set), set)
            });
            self.best(ranked.collect(), allowed, deadline)
        })
    }

    fn stepwise(&self, normal: &Normal, allowed: f64, minimum_terms: usize, deadline: Deadline) -> Option<Choice> {
        let path = normal.elimination(deadline)?;
        let within = |size: usize| {
            let set = &path[path.len() - 1 - size];
            if normal.error(set) <= allowed { self.fit(set, allowed) } else { None }
        };
        // The smallest set on the path within the error, by bisection.
        let (mut low, mut high) = (minimum_terms.min(path.len() - 1), path.len() - 1);
        let mut found = within(high)?;
        while low < high && !deadline.over() {
            let size = (low + high) / 2;
            match within(size) {
                Some(choice) => (found, high) = (choice, size),
                None => low = size + 1,
            }
        }
        while found.kept.len() > minimum_terms && !deadline.over() {
            let fewer = normal.fewer(&found.kept, deadline);
            match self.best(fewer, allowed, deadline) {
                Some(choice) => found = choice,
                None => break,
            }
        }
        Some(found)
    }
}

/// The normal equations of the least-squares fit.
struct Normal {
    size: usize,
    gram: Vec<f64>,
    right: Vec<f64>,
    sum_of_squares: f64,
    points: f64,
}

impl Normal {
    fn of(points: &Points) -> Self {
        let m = points.columns.len();
        let rows: Vec<Vec<f64>> = (0..m)
            .into_par_iter()
            .map(|j| (0..=j).map(|k| dot(&points.columns[j], &points.columns[k])).collect())
            .collect();
        let mut gram = vec![0.0; m * m];
        for j in 0..m {
            for k in 0..=j {
                gram[j * m + k] = rows[j][k];
                gram[k * m + j] = rows[j][k];
            }
            gram[j * m + j] *= 1.0 + REGULARISATION;
        }
        let right = points.columns.iter().map(|c| dot(c, &points.y)).collect();
        Normal { size: m, gram, right, sum_of_squares: dot(&points.y, &points.y), points: points.y.len() as f64 }
    }

    /// RMS of the least-squares fit, less rounding errors.
    fn error(&self, set: &[usize]) -> f64 {
        self.rms(self.factor(set).explained())
    }

    /// RMS error for an explained sum of squares.
    fn rms(&self, explained: f64) -> f64 {
        let rounding = 2.0 * REGULARISATION.sqrt() * (self.sum_of_squares / self.points).sqrt();
        (((self.sum_of_squares - explained).max(0.0) / self.points).sqrt() - rounding).max(0.0)
    }

    /// Cholesky factor of the equations of a set, without columns that depend on previous ones.
    fn factor(&self, set: &[usize]) -> Factor {
        let mut f = Factor { kept: vec![], l: vec![], z: vec![] };
        for at in 0..set.len() {
            if let Some((row, z)) = self.row(&f, set, set[at]) {
                f.l.push(row);
                f.z.push(z);
                f.kept.push(at);
            }
        }
        f
    }

    /// The row that another column adds to the factor; `None` if it depends on the others.
    fn row(&self, f: &Factor, set: &[usize], own: usize) -> Option<(Vec<f64>, f64)> {
        let line = &self.gram[own * self.size..(own + 1) * self.size];
        let mut row: Vec<f64> = Vec::with_capacity(f.kept.len() + 1);
        for (&other, l) in f.kept.iter().zip(&f.l) {
            let x = line[set[other]] - dot(&row, l);
            row.push(x / l[row.len()]);
        }
        let pivot = line[own] - dot(&row, &row);
        if pivot.is_nan() || pivot <= 0.0 {
            return None;
        }
        let pivot = pivot.sqrt();
        let z = (self.right[own] - dot(&row, &f.z)) / pivot;
        row.push(pivot);
        Some((row, z))
    }

    /// Backward elimination: all independent terms, then one less at a time, by the minimum of bₖ² / (G⁻¹)ₖₖ. `None` after the
    /// deadline.
    fn elimination(&self, deadline: Deadline) -> Option<Vec<Vec<usize>>> {
        let all: Vec<usize> = (0..self.size).collect();
        let mut factor = self.factor(&all);
        let mut set = factor.kept.clone();
        let mut path = vec![set.clone()];
        let (mut b, mut inverse) = (factor.coefficients(), factor.inverse());
        while !set.is_empty() {
            if deadline.over() {
                return None;
            }
            let s = set.len();
            let cost = |k: usize| b[k] * b[k] / inverse[k * s + k];
            let out = (0..s).min_by(|&x, &y| cost(x).total_cmp(&cost(y))).expect("some are left");
            let pivot = inverse[out * s + out];
            let (row, of) = (inverse[out * s..(out + 1) * s].to_vec(), b[out]);
            let mut fewer = Vec::with_capacity((s - 1) * (s - 1));
            for i in (0..s).filter(|&i| i != out) {
                let by = row[i] / pivot;
                let line = &mut inverse[i * s..(i + 1) * s];
                line.iter_mut().zip(&row).for_each(|(x, r)| *x -= by * r);
                fewer.extend((0..s).filter(|&k| k != out).map(|k| line[k]));
            }
            b = (0..s).filter(|&i| i != out).map(|i| b[i] - row[i] / pivot * of).collect();
            inverse = fewer;
            set.remove(out);
            path.push(set.clone());
            // Refactor regularly to limit rounding errors.
            if s.is_multiple_of(64) {
                factor = self.factor(&set);
                // Drop columns that have become dependent by rounding.
                for k in (0..set.len()).rev().filter(|k| !factor.kept.contains(k)) {
                    set.remove(k);
                    path.push(set.clone());
                }
                (b, inverse) = (factor.coefficients(), factor.inverse());
            }
        }
        Some(path)
    }

    /// Sets with one term less, improved by exchanges, with their errors.
    fn fewer(&self, kept: &[usize], deadline: Deadline) -> Vec<(f64, Vec<usize>)> {
        let without = |k: usize| kept.iter().copied().filter(|&j| j != k).collect::<Vec<usize>>();
        let mut sets: Vec<(f64, Vec<usize>)> = kept.iter().map(|&k| (self.error(&without(k)), without(k))).collect();
        sets.sort_by(|a, b| a.0.total_cmp(&b.0));
        sets.truncate(6);
        let steps = kept.len().pow(3) * self.size;
        if steps < 2_000_000_000 {
            let exchanged: Vec<_> = sets.iter().take(2).map(|s| self.exchanged(s.clone(), deadline)).collect();
            sets.extend(exchanged);
        }
        sets.dedup();
        sets
    }

    fn exchanged(&self, mut best: (f64, Vec<usize>), deadline: Deadline) -> (f64, Vec<usize>) {
        for _ in 0..20 {
            let exchange = |place: usize| {
                if deadline.over() {
                    return None;
                }
                let mut set = best.1.clone();
                set.remove(place);
                let f = self.factor(&set);
                let others = (0..self.size).filter(|k| !best.1.contains(k));
                let ranked = others.filter_map(|k| self.row(&f, &set, k).map(|(_, z)| (z.abs(), k)));
                let (z, other) = ranked.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
                let error = self.rms(f.explained() + z * z);
                set.push(other);
                Some((error, set))
            };
            let all: Vec<_> = (0..best.1.len()).into_par_iter().map(exchange).collect();
            let better = all.into_iter().flatten().reduce(|a, b| if b.0 < a.0 { b } else { a });
            match better.filter(|b| b.0 < best.0 * (1.0 - 1e-9)) {
                Some(set) => best = set,
                None => break,
            }
        }
        best.1.sort_unstable();
        best
    }
}

/// Dot product over the shorter length.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Cholesky factor L of a subset of the equations, L⁻¹ times their right side, and their indices in the set.
struct Factor {
    kept: Vec<usize>,
    l: Vec<Vec<f64>>,
    z: Vec<f64>,
}

impl Factor {
    /// L⁻ᵀ times a vector.
    fn back_substitute(&self, z: &[f64]) -> Vec<f64> {
        let mut x = z.to_vec();
        for i in (0..x.len()).rev() {
            x[i] /= self.l[i][i];
            let by = x[i];
            x[..i].iter_mut().zip(&self.l[i]).for_each(|(x, l)| *x -= by * l);
        }
        x
    }

    /// Explained sum of squares.
    fn explained(&self) -> f64 {
        self.z.iter().map(|z| z * z).sum()
    }

    /// Least-squares coefficients.
    fn coefficients(&self) -> Vec<f64> {
        self.back_substitute(&self.z)
    }

    /// Inverse of the normal matrix, row by row.
    fn inverse(&self) -> Vec<f64> {
        let s = self.l.len();
        let mut inverse = vec![0.0; s * s];
        for j in 0..s {
            let mut e = vec![0.0; s];
            for i in j..s {
                let done = dot(&self.l[i][j..i], &e[j..i]);
                e[i] = (f64::from(u8::from(i == j)) - done) / self.l[i][i];
            }
            inverse[j * s..(j + 1) * s].copy_from_slice(&self.back_substitute(&e));
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y = x + 0.001 cos 7x with candidates x and cos kx: x alone within 0.01, both within 1e-6.
    #[test]
    fn the_fewest_terms_by_subsets_and_stepwise() {
        let x: Vec<f64> = (0..400).map(|i| std::f64::consts::TAU * f64::from(i) / 399.0).collect();
        let of = |f: &dyn Fn(f64) -> f64| x.iter().map(|x| f(*x)).collect::<Vec<f64>>();
        let many = |count: usize| {
            let mut columns: Vec<Vec<f64>> = (0..count).map(|k| of(&|x| (k as f64 * x).cos())).collect();
            columns.push(x.clone());
            Points { columns, y: of(&|x| x + 0.001 * (7.0 * x).cos()) }
        };
        let progress = armdyn_core::Progress::none();
        let soon = Deadline::new(&progress, std::time::Duration::from_secs(600));
        for count in [9, 20] {
            let points = many(count);
            let one = points.fewest(0.01, 0, soon).unwrap();
            assert_eq!(one.kept, [count], "{count}");
            let two = points.fewest(1e-6, 0, soon).unwrap();
            assert_eq!(two.kept, [7, count], "{count}");
            assert!(two.fit.error < 1e-9 && (two.fit.coefficients[0] - 0.001).abs() < 1e-9);
        }
        assert!(many(9).fewest(1e-6, 3, soon).unwrap().kept.len() == 3);
    }

    /// Columns that are zero, repeated or sums of others make the normal equations singular.
    #[test]
    fn dependent_columns_are_omitted() {
        let progress = armdyn_core::Progress::none();
        let soon = Deadline::new(&progress, std::time::Duration::from_secs(600));
        let x: Vec<f64> = (0..400).map(|i| std::f64::consts::TAU * f64::from(i) / 399.0).collect();
        let of = |f: &dyn Fn(f64) -> f64| x.iter().map(|x| f(*x)).collect::<Vec<f64>>();
        for count in [7, 20] {
            let mut columns = vec![vec![0.0; x.len()], of(&|x| x.sin()), of(&|x| x.sin() + x.cos())];
            columns.extend((0..count).map(|k| of(&|x| (f64::from(k) * x).cos())));
            columns.extend([of(&|x| 2.0 * (3.0 * x).cos()), vec![0.0; x.len()], x.clone()]);
            let last = columns.len() - 1;
            let points = Points { columns, y: of(&|x| x + (5.0 * x).cos()) };
            let choice = points.fewest(1e-6, 0, soon).unwrap();
            assert_eq!(choice.kept, [3 + 5, last], "{count}");
            assert!(choice.fit.error < 1e-6 && (choice.fit.coefficients[0] - 1.0).abs() < 1e-6, "{choice:?}");
            // sin x, cos x and their sum are two: one of the three is never needed.
            let normal = Normal::of(&points);
            assert!(normal.error(&[1, 2, 3 + 1]) > 1.0 && normal.error(&[0, 3 + 5, last]) < 1e-5);
        }
    }

    /// Without time there is no result.
    #[test]
    fn the_deadline_ends_the_search() {
        let progress = armdyn_core::Progress::none();
        let now = Deadline::new(&progress, std::time::Duration::ZERO);
        let columns = (0..30).map(|k| (0..99).map(|x| f64::from(k * x).cos()).collect()).collect();
        assert!(Points { columns, y: vec![1.0; 99] }.fewest(0.01, 0, now).is_none());
    }
}
