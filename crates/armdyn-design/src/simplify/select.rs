//! Which terms to keep: the fewest whose best fit stays within an error.
//!
//! At points of the box, each column a term's values and `y` what is to be fitted, all weighted so that an error is relative.
//! The root mean square of the least-squares fit is never above the largest error of any fit: sets that fail it are out at
//! once, and the rest are tried by it, best first, with the fit of the least largest error ([`minimax`](super::minimax)).
//! Few terms: every set. Many: one term less at a time, the one whose loss costs least, then exchanges of a kept term for a
//! dropped one.

use super::deadline::Deadline;
use super::minimax::{Fit, minimax};
use rayon::prelude::*;

/// Up to how many terms every set is tried.
const EVERY: usize = 16;
/// How many sets of one size are fitted.
const TRIED: usize = 300;
/// What is added to the normal equations so that columns all but alike can be told apart, relative.
const ALIKE: f64 = 1e-12;
/// Up to how many terms the largest error is made least; beyond, the least squares' own has to do.
const LARGE: usize = 60;

/// Terms at points.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    /// A column for each term.
    pub columns: Vec<Vec<f64>>,
    /// What is fitted.
    pub y: Vec<f64>,
}

/// The terms kept, and their fit.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub kept: Vec<usize>,
    pub fit: Fit,
}

impl Points {
    /// The best fit of these terms, if it is within `allowed`.
    pub fn fit(&self, kept: &[usize], allowed: f64) -> Option<Choice> {
        let columns: Vec<&[f64]> = kept.iter().map(|&k| &self.columns[k][..]).collect();
        if kept.len() > LARGE {
            let own = Points { columns: columns.iter().map(|c| c.to_vec()).collect(), y: self.y.clone() };
            let all: Vec<usize> = (0..kept.len()).collect();
            let normal = Normal::of(&own);
            let factor = normal.factor(&all);
            let mut coefficients = vec![0.0; kept.len()];
            factor.kept.iter().zip(factor.coefficients()).for_each(|(&k, b)| coefficients[k] = b);
            let error = self.largest(&columns, &coefficients);
            return (error <= allowed).then(|| Choice { kept: kept.to_vec(), fit: Fit { coefficients, error } });
        }
        minimax(&columns, &self.y, allowed).map(|fit| Choice { kept: kept.to_vec(), fit })
    }

    fn largest(&self, columns: &[&[f64]], coefficients: &[f64]) -> f64 {
        let mut left = self.y.clone();
        for (column, b) in columns.iter().zip(coefficients) {
            left.iter_mut().zip(*column).for_each(|(r, x)| *r -= b * x);
        }
        left.iter().fold(0.0, |m, r| m.max(r.abs()))
    }

    /// The fewest terms that are within `allowed` everywhere, none fewer than `least`; of equally many the best found. None
    /// if there are none, or not by the deadline.
    pub fn fewest(&self, allowed: f64, least: usize, deadline: Deadline) -> Option<Choice> {
        let normal = Normal::of(self);
        if self.columns.len() <= EVERY {
            self.of_every_set(&normal, allowed, least, deadline)
        } else {
            self.by_steps(&normal, allowed, least, deadline)
        }
    }

    /// The best of some sets of one size, of those that are tried by the deadline.
    fn best(&self, mut sets: Vec<(f64, Vec<usize>)>, allowed: f64, deadline: Deadline) -> Option<Choice> {
        sets.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut best: Option<Choice> = None;
        for (_, set) in sets.into_iter().filter(|s| s.0 <= allowed).take(TRIED) {
            if deadline.over() {
                break;
            }
            let limit = best.as_ref().map_or(allowed, |b| b.fit.error);
            best = self.fit(&set, limit).filter(|c| c.fit.error <= limit).or(best);
        }
        best
    }

    fn of_every_set(&self, normal: &Normal, allowed: f64, least: usize, deadline: Deadline) -> Option<Choice> {
        let m = self.columns.len();
        (least..=m).take_while(|_| !deadline.over()).find_map(|size| {
            let sets = (0u32..1 << m).filter(|s| s.count_ones() as usize == size);
            let rated = sets.map(|s| {
                let set: Vec<usize> = (0..m).filter(|k| s >> k & 1 == 1).collect();
                (normal.error(&set), set)
            });
            self.best(rated.collect(), allowed, deadline)
        })
    }

    fn by_steps(&self, normal: &Normal, allowed: f64, least: usize, deadline: Deadline) -> Option<Choice> {
        let path = normal.eliminated(deadline)?;
        let within = |size: usize| {
            let set = &path[path.len() - 1 - size];
            if normal.error(set) <= allowed { self.fit(set, allowed) } else { None }
        };
        // The smallest set on the path that does; errors fall with the size, all but.
        let (mut low, mut high) = (least.min(path.len() - 1), path.len() - 1);
        let mut found = within(high)?;
        while low < high && !deadline.over() {
            let size = (low + high) / 2;
            match within(size) {
                Some(choice) => (found, high) = (choice, size),
                None => low = size + 1,
            }
        }
        while found.kept.len() > least && !deadline.over() {
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
    whole: f64,
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
            // What like columns can't tell apart.
            gram[j * m + j] *= 1.0 + ALIKE;
        }
        let right = points.columns.iter().map(|c| dot(c, &points.y)).collect();
        Normal { size: m, gram, right, whole: dot(&points.y, &points.y), points: points.y.len() as f64 }
    }

    /// The root mean square of the best least-squares fit, less what rounding may have put there.
    fn error(&self, set: &[usize]) -> f64 {
        self.left(self.factor(set).explained())
    }

    /// The same, of what of y² is explained.
    fn left(&self, explained: f64) -> f64 {
        let rounding = 2.0 * ALIKE.sqrt() * (self.whole / self.points).sqrt();
        (((self.whole - explained).max(0.0) / self.points).sqrt() - rounding).max(0.0)
    }

    /// Cholesky's factor of the set's own equations, without the columns that those before them make up (one that is zero
    /// at every point, or as good as twice there): they explain nothing more.
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

    /// What a further column adds to the factor of a set; nothing if it is made up by those.
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

    /// All terms that are not made up by others, then one less at a time, down to none: the one whose loss costs least
    /// goes, bₖ² / (G⁻¹)ₖₖ. None if the deadline comes first.
    fn eliminated(&self, deadline: Deadline) -> Option<Vec<Vec<usize>>> {
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
            // Now and then afresh, so that rounding does not pile up.
            if s.is_multiple_of(64) {
                factor = self.factor(&set);
                // By rounding alone may one of them now seem made up: it goes as well.
                for k in (0..set.len()).rev().filter(|k| !factor.kept.contains(k)) {
                    set.remove(k);
                    path.push(set.clone());
                }
                (b, inverse) = (factor.coefficients(), factor.inverse());
            }
        }
        Some(path)
    }

    /// Sets of one term less, each improved by exchanges as long as they help, with their errors.
    fn fewer(&self, kept: &[usize], deadline: Deadline) -> Vec<(f64, Vec<usize>)> {
        let without = |k: usize| kept.iter().copied().filter(|&j| j != k).collect::<Vec<usize>>();
        let mut sets: Vec<(f64, Vec<usize>)> = kept.iter().map(|&k| (self.error(&without(k)), without(k))).collect();
        sets.sort_by(|a, b| a.0.total_cmp(&b.0));
        sets.truncate(6);
        // Exchanges cost a factor for each kept term, and a row of it for each pair.
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
                let rated = others.filter_map(|k| self.row(&f, &set, k).map(|(_, z)| (z.abs(), k)));
                let (z, other) = rated.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
                let error = self.left(f.explained() + z * z);
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

/// The product of two rows, as far as the shorter goes.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Cholesky's factor L of some equations, L⁻¹ of their right side, and which of a set they are, by its places.
struct Factor {
    kept: Vec<usize>,
    l: Vec<Vec<f64>>,
    z: Vec<f64>,
}

impl Factor {
    /// L⁻ᵀ of a right side.
    fn back(&self, z: &[f64]) -> Vec<f64> {
        let mut x = z.to_vec();
        for i in (0..x.len()).rev() {
            x[i] /= self.l[i][i];
            let by = x[i];
            x[..i].iter_mut().zip(&self.l[i]).for_each(|(x, l)| *x -= by * l);
        }
        x
    }

    /// What of y² it explains.
    fn explained(&self) -> f64 {
        self.z.iter().map(|z| z * z).sum()
    }

    /// The solution.
    fn coefficients(&self) -> Vec<f64> {
        self.back(&self.z)
    }

    /// The inverse of the equations, row by row.
    fn inverse(&self) -> Vec<f64> {
        let s = self.l.len();
        let mut inverse = vec![0.0; s * s];
        for j in 0..s {
            let mut e = vec![0.0; s];
            for i in j..s {
                let done = dot(&self.l[i][j..i], &e[j..i]);
                e[i] = (f64::from(u8::from(i == j)) - done) / self.l[i][i];
            }
            // Symmetric: a column is a row.
            inverse[j * s..(j + 1) * s].copy_from_slice(&self.back(&e));
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y = x + 0.001 cos 7x among a line and waves, over a turn: within 0.01 the line alone, within 1e-6 both.
    #[test]
    fn the_fewest_are_found_by_every_set_and_by_steps() {
        let x: Vec<f64> = (0..400).map(|i| std::f64::consts::TAU * f64::from(i) / 399.0).collect();
        let of = |f: &dyn Fn(f64) -> f64| x.iter().map(|x| f(*x)).collect::<Vec<f64>>();
        let many = |count: usize| {
            let mut columns: Vec<Vec<f64>> = (0..count).map(|k| of(&|x| (k as f64 * x).cos())).collect();
            columns.push(x.clone());
            Points { columns, y: of(&|x| x + 0.001 * (7.0 * x).cos()) }
        };
        let nobody = armdyn_core::Progress::none();
        let soon = Deadline::new(&nobody, std::time::Duration::from_secs(600));
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

    /// Columns that are zero at every point, there twice, or the sum of two others, wherever they stand: they make the normal
    /// equations singular, and nothing else depends on them.
    #[test]
    fn what_others_make_up_is_left_out() {
        let nobody = armdyn_core::Progress::none();
        let soon = Deadline::new(&nobody, std::time::Duration::from_secs(600));
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

    /// With no time there is no choice, rather than a wrong one.
    #[test]
    fn the_deadline_ends_it() {
        let nobody = armdyn_core::Progress::none();
        let now = Deadline::new(&nobody, std::time::Duration::ZERO);
        let columns = (0..30).map(|k| (0..99).map(|x| f64::from(k * x).cos()).collect()).collect();
        assert!(Points { columns, y: vec![1.0; 99] }.fewest(0.01, 0, now).is_none());
    }
}
