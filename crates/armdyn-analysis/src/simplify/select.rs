//! Which terms to keep: the fewest whose best fit stays within an error.
//!
//! At points of the box, each column a term's values and `y` what is to be fitted, all weighted so that an error is relative.
//! The root mean square of the least-squares fit is never above the largest error of any fit: sets that fail it are out at
//! once, and the rest are tried by it, best first, with the fit of the least largest error ([`minimax`](super::minimax)).
//! Few terms: every set. Many: one term less at a time, the one whose loss costs least, then exchanges of a kept term for a
//! dropped one.

use super::minimax::{Fit, minimax};

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
            let (coefficients, _) = Normal::of(&own).solved(&all)?;
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

    /// The fewest terms that are within `allowed` everywhere, none fewer than `least`; of equally many the best found.
    pub fn fewest(&self, allowed: f64, least: usize) -> Option<Choice> {
        let normal = Normal::of(self);
        if self.columns.len() <= EVERY {
            self.of_every_set(&normal, allowed, least)
        } else {
            self.by_steps(&normal, allowed, least)
        }
    }

    /// The best of some sets of one size.
    fn best(&self, mut sets: Vec<(f64, Vec<usize>)>, allowed: f64) -> Option<Choice> {
        sets.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut best: Option<Choice> = None;
        for (_, set) in sets.into_iter().filter(|s| s.0 <= allowed).take(TRIED) {
            let limit = best.as_ref().map_or(allowed, |b| b.fit.error);
            best = self.fit(&set, limit).filter(|c| c.fit.error <= limit).or(best);
        }
        best
    }

    fn of_every_set(&self, normal: &Normal, allowed: f64, least: usize) -> Option<Choice> {
        let m = self.columns.len();
        (least..=m).find_map(|size| {
            let sets = (0u32..1 << m).filter(|s| s.count_ones() as usize == size);
            let rated = sets.map(|s| {
                let set: Vec<usize> = (0..m).filter(|k| s >> k & 1 == 1).collect();
                (normal.error(&set), set)
            });
            self.best(rated.collect(), allowed)
        })
    }

    fn by_steps(&self, normal: &Normal, allowed: f64, least: usize) -> Option<Choice> {
        let path = normal.eliminated();
        let within = |size: usize| {
            let set = &path[path.len() - 1 - size];
            if normal.error(set) <= allowed { self.fit(set, allowed) } else { None }
        };
        // The smallest set on the path that does; errors fall with the size, all but.
        let (mut low, mut high) = (least, path.len() - 1);
        let mut found = within(high)?;
        while low < high {
            let size = (low + high) / 2;
            match within(size) {
                Some(choice) => (found, high) = (choice, size),
                None => low = size + 1,
            }
        }
        while found.kept.len() > least {
            let fewer = normal.fewer(&found.kept);
            match self.best(fewer, allowed) {
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
        use rayon::prelude::*;
        let m = points.columns.len();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
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
        let explained = self.factor(set).map_or(0.0, |(_, z)| z.iter().map(|z| z * z).sum());
        let rounding = 2.0 * ALIKE.sqrt() * (self.whole / self.points).sqrt();
        (((self.whole - explained).max(0.0) / self.points).sqrt() - rounding).max(0.0)
    }

    /// Cholesky's factor L of the set's own equations, row by row, and L⁻¹ of the right side.
    fn factor(&self, set: &[usize]) -> Option<(Vec<f64>, Vec<f64>)> {
        let s = set.len();
        let (mut l, mut z) = (vec![0.0; s * s], vec![0.0; s]);
        for i in 0..s {
            for j in 0..=i {
                let mut x = self.gram[set[i] * self.size + set[j]];
                for k in 0..j {
                    x -= l[i * s + k] * l[j * s + k];
                }
                l[i * s + j] = if i == j { if x > 0.0 { x.sqrt() } else { return None } } else { x / l[j * s + j] };
            }
            let done: f64 = (0..i).map(|k| l[i * s + k] * z[k]).sum();
            z[i] = (self.right[set[i]] - done) / l[i * s + i];
        }
        Some((l, z))
    }

    /// The set's coefficients, and the inverse of its own equations, row by row.
    fn solved(&self, set: &[usize]) -> Option<(Vec<f64>, Vec<f64>)> {
        let s = set.len();
        let (l, z) = self.factor(set)?;
        let back = |z: &[f64]| {
            let mut x = z.to_vec();
            for i in (0..s).rev() {
                for k in i + 1..s {
                    x[i] -= l[k * s + i] * x[k];
                }
                x[i] /= l[i * s + i];
            }
            x
        };
        let mut inverse = vec![0.0; s * s];
        for j in 0..s {
            let mut e = vec![0.0; s];
            for i in j..s {
                let done: f64 = (j..i).map(|k| l[i * s + k] * e[k]).sum();
                e[i] = (f64::from(u8::from(i == j)) - done) / l[i * s + i];
            }
            for (i, x) in back(&e).into_iter().enumerate() {
                inverse[i * s + j] = x;
            }
        }
        Some((back(&z), inverse))
    }

    /// All terms, then one less at a time, down to none: the one whose loss costs least goes, bₖ² / (G⁻¹)ₖₖ.
    fn eliminated(&self) -> Vec<Vec<usize>> {
        let mut set: Vec<usize> = (0..self.size).collect();
        let mut path = vec![set.clone()];
        let mut state = self.solved(&set);
        while !set.is_empty() {
            let s = set.len();
            let (b, mut inverse) = match state.take() {
                Some(state) => state,
                // Terms that the points can't tell apart: the last of them goes.
                None => {
                    set.pop();
                    path.push(set.clone());
                    state = self.solved(&set);
                    continue;
                }
            };
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
            let coefficients = (0..s).filter(|&i| i != out).map(|i| b[i] - row[i] / pivot * of).collect();
            set.remove(out);
            path.push(set.clone());
            // Now and then afresh, so that rounding does not pile up.
            state = if s.is_multiple_of(64) { self.solved(&set) } else { Some((coefficients, fewer)) };
        }
        path
    }

    /// Sets of one term less, each improved by exchanges as long as they help, with their errors.
    fn fewer(&self, kept: &[usize]) -> Vec<(f64, Vec<usize>)> {
        let without = |k: usize| kept.iter().copied().filter(|&j| j != k).collect::<Vec<usize>>();
        let mut sets: Vec<(f64, Vec<usize>)> = kept.iter().map(|&k| (self.error(&without(k)), without(k))).collect();
        sets.sort_by(|a, b| a.0.total_cmp(&b.0));
        sets.truncate(6);
        // An exchange costs as many factors as there are pairs.
        let pairs = kept.len() * (self.size - kept.len()) * kept.len().pow(3);
        if pairs < 200_000_000 {
            let exchanged: Vec<_> = sets.iter().take(2).map(|s| self.exchanged(s.clone())).collect();
            sets.extend(exchanged);
        }
        sets.dedup();
        sets
    }

    fn exchanged(&self, mut best: (f64, Vec<usize>)) -> (f64, Vec<usize>) {
        for _ in 0..20 {
            let mut better: Option<(f64, Vec<usize>)> = None;
            for place in 0..best.1.len() {
                for other in (0..self.size).filter(|k| !best.1.contains(k)) {
                    let mut set = best.1.clone();
                    set[place] = other;
                    let error = self.error(&set);
                    if error < better.as_ref().map_or(best.0, |b| b.0) * (1.0 - 1e-9) {
                        better = Some((error, set));
                    }
                }
            }
            match better {
                Some(set) => best = set,
                None => break,
            }
        }
        best.1.sort_unstable();
        best
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
        for count in [9, 20] {
            let points = many(count);
            let one = points.fewest(0.01, 0).unwrap();
            assert_eq!(one.kept, [count], "{count}");
            let two = points.fewest(1e-6, 0).unwrap();
            assert_eq!(two.kept, [7, count], "{count}");
            assert!(two.fit.error < 1e-9 && (two.fit.coefficients[0] - 0.001).abs() < 1e-9);
        }
        assert!(many(9).fewest(1e-6, 3).unwrap().kept.len() == 3);
    }
}
