//! Optimisation of functions whose optima and fronts are known.

use crate::{complete, number, study};
use armdyn_study::{Results, Setting, Study};
use serde_json::json;

fn results(study: &Study, f: impl Fn(&[f64]) -> Vec<f64>) -> Results {
    let count = study.variables.len();
    let records = complete(study, |options| {
        let x: Vec<f64> = (0..count).map(|k| number(options, &format!("x{k}"))).collect();
        Ok(json!({ "y": f(&x) }))
    });
    study.results(&records)
}

/// Measures of all points of the front.
fn front(results: &Results) -> Vec<Vec<f64>> {
    results.front.iter().map(|&k| results.row(k).unwrap().measures.iter().map(|x| x.unwrap()).collect()).collect()
}

fn problem(count: usize, low: f64, high: f64, budget: &str, measures: &str) -> Study {
    let vary: String = (0..count).map(|k| format!("f.x{k} = {{ from = {low}, to = {high} }}\n")).collect();
    study(&format!("{budget}\n[vary]\n{vary}[measure]\n{measures}"))
}

/// Rosenbrock's function in three coordinates: the minimum 0 is at (1, 1, 1), at the end of a curved valley.
#[test]
fn one_objective() {
    let study = problem(3, -2.0, 2.0, "population = 30\ngenerations = 200", "y = 'minimise f.y[0]'");
    let rosenbrock = |x: &[f64]| {
        vec![x.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum::<f64>()]
    };
    let results = results(&study, rosenbrock);
    let best = results.row(results.best.unwrap()).unwrap();
    assert!(best.measures[0].unwrap() < 1e-4, "{best:?}");
    assert!(best.values.iter().all(|v| (v.number().unwrap() - 1.0).abs() < 0.02), "{best:?}");
}

/// ZDT1: the front is f₂ = 1 − √f₁, at x₁ … = 0.
#[test]
fn two_objectives() {
    let study =
        problem(6, 0.0, 1.0, "population = 40\ngenerations = 120", "a = 'minimise f.y[0]'\nb = 'minimise f.y[1]'");
    let zdt1 = |x: &[f64]| {
        let g = 1.0 + 9.0 * x[1..].iter().sum::<f64>() / (x.len() - 1) as f64;
        vec![x[0], g * (1.0 - (x[0] / g).sqrt())]
    };
    let front = front(&results(&study, zdt1));
    let worst = front.iter().map(|p| p[1] - (1.0 - p[0].sqrt())).fold(0.0, f64::max);
    let widest =
        front.windows(2).map(|w| w[1][0] - w[0][0]).fold(front[0][0], f64::max).max(1.0 - front[front.len() - 1][0]);
    assert!(worst < 0.05 && widest < 0.1 && front.len() >= 30, "{worst} {widest} {}", front.len());
}

/// Binh and Korn's problem with a tighter bound: the front is x = y from 0.84 to 4.16, where the bound is not active, and within it
/// elsewhere; a maximum is sought as well as a minimum.
#[test]
fn bounds_and_maxima() {
    let study = problem(
        2,
        0.0,
        5.0,
        "population = 40\ngenerations = 60",
        "a = 'minimise f.y[0]'\nb = 'maximise -f.y[1]'\nc = 'f.y[2] <= 18'\nd = 'f.y[3] >= 7.7'",
    );
    let binh = |x: &[f64]| {
        let (a, b) = (x[0], x[1]);
        vec![
            4.0 * a * a + 4.0 * b * b,
            (a - 5.0).powi(2) + (b - 5.0).powi(2),
            (a - 5.0).powi(2) + b * b,
            (a - 8.0).powi(2) + (b + 3.0).powi(2),
        ]
    };
    let results = results(&study, binh);
    assert!(
        results.rows.iter().all(|r| r.feasible == (r.measures[2].unwrap() <= 18.0 && r.measures[3].unwrap() >= 7.7))
    );
    assert!(results.front.iter().all(|&k| results.row(k).unwrap().feasible) && results.feasible < results.points);
    let inner: Vec<f64> = front(&results)
        .iter()
        .filter_map(|p| {
            let t = (p[0] / 8.0).sqrt();
            (0.9..4.1).contains(&t).then_some(-p[1] - 2.0 * (t - 5.0).powi(2))
        })
        .collect();
    // Within 2 % of the range of the objective.
    assert!(inner.len() > 25 && inner.iter().all(|above| (-1e-9..1.0).contains(above)), "{inner:?}");
}

/// Of 24 combinations a search computes each at most once, and ends when all are known.
#[test]
fn few_values() {
    let study = study(
        "population = 8\ngenerations = 50\n[vary]\nf.x0 = [3, 1, 2, 7]\nf.x1 = { from = 0, to = 2, count = 3 }\nf.x2 = [5, 6]\n[measure]\ny = 'minimise f.y[0]'",
    );
    let results = results(&study, |x| vec![(x[0] - 2.0).powi(2) + x[1] + x[2]]);
    let mut seen: Vec<String> = results.rows.iter().map(|r| format!("{:?}", r.values)).collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), results.points);
    assert!(results.points <= 24);
    let best = results.row(results.best.unwrap()).unwrap();
    assert_eq!(best.values, [2.0, 0.0, 5.0].map(Setting::Number));
}

/// Points that fail do not end the search, and are on no front.
#[test]
fn failures_are_rows() {
    let study = problem(2, 0.0, 1.0, "population = 12\ngenerations = 10", "y = 'minimise f.y'");
    let records = complete(&study, |options| match number(options, "x0") {
        x if x < 0.3 => Err("too short".to_string()),
        x => Ok(json!({ "y": x })),
    });
    let results = study.results(&records);
    assert!(results.failed > 0 && results.points >= 12 * 11);
    assert!(results.rows.iter().filter(|r| r.error.is_some()).all(|r| !r.feasible && !r.on_front));
    assert!(results.rows.iter().filter_map(|r| r.error.as_ref()).all(|e| e == "f: too short"));
    let best = results.row(results.best.unwrap()).unwrap().measures[0].unwrap();
    assert!((0.3..0.32).contains(&best), "{best}");
}
