//! Non-dominated points: those that no other point surpasses in every objective. All objectives are minimised.

use std::cmp::Ordering;

/// Whether `a` is at least as good as `b` in every objective, and better in one.
pub fn dominates(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a <= b) && a.iter().zip(b).any(|(a, b)| a < b)
}

/// Which points are not dominated. Equal points do not dominate each other.
///
/// ```
/// let points = [[1.0, 3.0], [2.0, 2.0], [2.0, 3.0], [3.0, 1.0]];
/// assert_eq!(armdyn_study::pareto_front(&points), [true, true, false, true]);
/// ```
pub fn pareto_front<P: AsRef<[f64]>>(points: &[P]) -> Vec<bool> {
    let point = |k: usize| points[k].as_ref();
    let mut order: Vec<usize> = (0..points.len()).collect();
    // In lexicographic order only an earlier point can dominate a later one.
    order.sort_by(|&a, &b| lexicographic(point(a), point(b)));
    let (mut front, mut found) = (vec![], vec![false; points.len()]);
    for k in order {
        if !front.iter().any(|&f| dominates(point(f), point(k))) {
            found[k] = true;
            front.push(k);
        }
    }
    found
}

fn lexicographic(a: &[f64], b: &[f64]) -> Ordering {
    a.iter()
        .zip(b)
        .map(|(a, b)| a.partial_cmp(b).unwrap_or(Ordering::Equal))
        .find(|o| o.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Distance of each point of a front to its neighbours (Deb's crowding distance); infinite at the ends.
pub fn crowding(points: &[&[f64]]) -> Vec<f64> {
    let mut distance = vec![0.0; points.len()];
    for m in 0..points.first().map_or(0, |p| p.len()) {
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|&a, &b| points[a][m].total_cmp(&points[b][m]));
        let (first, last) = (order[0], order[order.len() - 1]);
        let span = points[last][m] - points[first][m];
        distance[first] = f64::INFINITY;
        distance[last] = f64::INFINITY;
        for w in order.windows(3).filter(|_| span > 0.0) {
            distance[w[1]] += (points[w[2]][m] - points[w[0]][m]) / span;
        }
    }
    distance
}
