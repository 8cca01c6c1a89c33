//! Tests of expressions.

use super::*;

fn inputs<const N: usize>() -> [Expr; N] {
    std::array::from_fn(|i| Graph::input(Array::Q, i, &format!("x{i}")))
}

#[test]
fn equal_expressions_are_one_node() {
    Graph::record(|| {
        let [a, b, c] = inputs();
        assert_eq!(a + b, b + a);
        assert_eq!(a * b, b * a);
        assert_eq!(a - b, -(b - a));
        assert_eq!(-a * b, a * -b);
        assert_eq!((a - b) * c, -((b - a) * c));
        assert_eq!((-a).sin_cos(), (-a.sin_cos().0, a.sin_cos().1));
        assert_eq!(a - a, Expr::zero());
        assert_eq!(-Expr::zero(), Expr::zero());
        assert_eq!(a * Expr::one() + Expr::zero(), a);
        assert_eq!(a + a, Expr::lift(2.0) * a);
        assert_eq!(Expr::lift(3.0) * (Expr::lift(-2.0) * a), Expr::lift(-6.0) * a);
        assert_eq!(a / Expr::lift(4.0), Expr::lift(0.25) * a);
    });
}

#[test]
fn a_graph_computes_what_numbers_do() {
    let f = |[a, b, c]: [Expr; 3]| (a * b - c).sqrt() / (a.sin_cos().0 + b.sin_cos().1 * c) - (c - b).sign() * a;
    let (graph, out) = Graph::record(|| f(inputs()));
    let (a, b, c) = (1.2f64, 2.5, -0.7);
    let expected = (a * b - c).sqrt() / (a.sin() + b.cos() * c) + a;
    let found = graph.evaluate(&[out], &[a, b, c])[0];
    assert!((found - expected).abs() < 1e-15 * expected.abs(), "{found} {expected}");
}

/// 0.1 + 0.2 − 0.3 is 5.6e-17 in floating point.
#[test]
fn constants_that_cancel_within_their_errors_are_zero() {
    Graph::record(|| {
        let [a] = inputs();
        let exact = Expr::lift(0.1) + Expr::lift(0.2) - Expr::lift(0.3);
        assert_ne!(exact, Expr::zero(), "without error bounds nothing is changed");
        let rounded = |x: f64| Graph::approximate(x, f64::EPSILON * x.abs());
        let (x, y, z) = (rounded(0.1), rounded(0.2), rounded(0.3));
        assert_eq!(x + y - z, Expr::zero());
        assert_eq!((x + y) * a, z * a, "equal within their errors");
        assert_eq!((x + y) / z * a, a);
        assert_eq!((x * x - rounded(0.01)) * a, Expr::zero());
        assert_ne!(x + y - rounded(0.300_000_000_000_01), Expr::zero(), "46 roundings are more");
    });
}

/// 2.0015 ± 0.002 becomes the constant 2 that exists: what it is subtracted from may be anything up to 2.0035, and in either order.
#[test]
fn the_bound_of_merged_constants_includes_both() {
    for first in [2.0, 2.0015] {
        Graph::record(|| {
            let (a, b) = (Graph::approximate(first, 2e-3), Graph::approximate(4.0015 - first, 2e-3));
            assert_eq!(a, b, "one constant");
            for within in [1.9985, 2.003] {
                assert_eq!(b - Expr::lift(within), Expr::zero(), "{within} is within the range of one of them");
            }
            for outside in [1.996, 2.006] {
                assert_ne!(b - Expr::lift(outside), Expr::zero(), "{outside} is outside of both ranges");
            }
        });
    }
}

#[test]
fn products_of_signs_and_sums_of_parameters_cancel() {
    Graph::record(|| {
        let [a] = inputs();
        let s = a.sign();
        assert_eq!(s * (s * s), s);
        assert_eq!(-(s * s) * s, -s);
        let (m, l) = (Graph::input(Array::Parameter, 0, "m"), Graph::input(Array::Parameter, 1, "l"));
        assert_eq!(m - (m + l), -l);
        assert_eq!((l - m) + m, l);
    });
}

#[test]
fn a_deep_graph_needs_no_recursion() {
    let (graph, out) = Graph::record(|| {
        let [a, b] = inputs();
        (0..1_000_000).fold(a, |x, _| x * b + a)
    });
    assert_eq!(graph.evaluate(&[out], &[1.0, 1.0]), [1_000_001.0]);
    assert_eq!(crate::Count::of(&graph, &[out]).total(), 2_000_000);
}

#[test]
fn parameters_are_computed_before_a_call() {
    let (graph, [tau, angle]) = Graph::record(|| {
        let [q, r] = inputs();
        let (m, l) = (Graph::input(Array::Parameter, 0, "m"), Graph::input(Array::Parameter, 1, "l"));
        [m * l * l * q + m * l, (q + r).sin_cos().0 * q]
    });
    let count = crate::Count::of(&graph, &[tau]);
    assert_eq!((count.mul, count.add), (1, 1), "m l² and m l cost nothing in a call");
    let count = crate::Count::of(&graph, &[angle]);
    assert_eq!((count.mul, count.add, count.trig), (1, 0, vec!["sin(x0 + x1)".to_string()]));
    assert_eq!(count.angle_operations, 1);
}
