//! The Pareto front against its definition.

use armdyn_core::SplitMix64;
use armdyn_study::{dominates, pareto_front};

#[test]
fn the_front_is_what_nothing_dominates() {
    let mut random = SplitMix64(11);
    for (count, objectives, levels) in
        [(1, 2, 9), (300, 1, 40), (400, 2, 25), (400, 2, 100_000), (300, 3, 8), (200, 5, 4)]
    {
        // Few levels give equal points and equal coordinates.
        let points: Vec<Vec<f64>> =
            (0..count).map(|_| (0..objectives).map(|_| random.below(levels) as f64).collect()).collect();
        let brute: Vec<bool> = points.iter().map(|p| !points.iter().any(|other| dominates(other, p))).collect();
        assert_eq!(pareto_front(&points), brute, "{count} {objectives} {levels}");
        assert!(brute.contains(&true));
    }
    assert_eq!(pareto_front::<Vec<f64>>(&[]), [false; 0]);
}
