//! Bounds for rows of intervals: they enclose the results at states in them, on any number of threads.

use armdyn_core::Error;
use armdyn_core::scalar::Interval;
use armdyn_jit::{BatchError, Bounds};
use armdyn_symbolic::{Quantity, Recursion};
use armdyn_testkit::bundled;
use armdyn_testkit::random::{self, Description, Drives, Joints, State};

/// Numbers per state.
type Rows<T> = [Vec<T>; 3];

/// States, each with ranges around it; `width` 0 for points.
fn states(m: &armdyn_core::Model<f64>, quantity: Quantity, count: usize, width: f64) -> (Rows<f64>, Rows<Interval>) {
    let mut rng = random::source(3);
    let mut rows: Rows<f64> = Default::default();
    for _ in 0..count {
        let s = State::random(m, &mut rng);
        rows.iter_mut().zip([s.q, s.qd, s.qdd]).for_each(|(all, row)| all.extend(row));
    }
    rows[quantity.arrays().len()..].fill(vec![]);
    let mut around = |x: &f64| {
        let below = x - width * random::number(&mut rng, 1.0).abs();
        Interval::new(below, x + width * random::number(&mut rng, 1.0).abs()).unwrap()
    };
    let ranges = rows.each_ref().map(|x| x.iter().map(&mut around).collect());
    (rows, ranges)
}

fn row<T>(rows: &Rows<T>, count: usize, i: usize) -> [&[T]; 3] {
    rows.each_ref().map(|x| &x[x.len() / count * i..x.len() / count * (i + 1)])
}

/// The recursion over `f64` differs from the exact result by its own rounding, which is below 1e-9 of the largest number here.
#[test]
fn every_quantity_is_enclosed() {
    let count = 20;
    let trees = (0..3).map(|seed| Description::random(seed, 3, Joints::Mixed, true, Drives::Rotors).build());
    for m in trees.chain([bundled("scara")]) {
        for quantity in Quantity::ALL {
            let bounds = Bounds::new(&m, quantity);
            let mut recursion = Recursion::new(&m, quantity);
            let n = bounds.outputs();
            assert_eq!(n, recursion.outputs());
            for width in [0.0, 1e-6] {
                let (rows, ranges) = states(&m, quantity, count, width);
                let mut out = vec![Interval::NAN; count * n];
                let [q, qd, last] = &ranges;
                bounds.batch(count, q, qd, last, &mut out).unwrap();
                for (i, found) in out.chunks(n).enumerate() {
                    let mut exact = vec![0.0; n];
                    recursion.compute(row(&rows, count, i), &mut exact).unwrap();
                    let scale = exact.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
                    for (bound, x) in found.iter().zip(exact) {
                        let slack = 1e-9 * scale;
                        assert!(
                            bound.lo() - slack <= x && x <= bound.hi() + slack,
                            "{quantity} of {}: {bound:?}, {x}",
                            m.name()
                        );
                        assert!(width > 0.0 || bound.width() < slack, "{quantity} of {}: {bound:?}", m.name());
                    }
                }
            }
        }
    }
}

#[test]
fn any_number_of_threads() {
    let (m, count) = (bundled("panda"), 100);
    let bounds = Bounds::new(&m, Quantity::Bias);
    let (_, ranges) = states(&m, Quantity::Bias, count, 0.01);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut out = vec![Interval::NAN; 7 * count];
        pool.install(|| bounds.batch(count, &ranges[0], &ranges[1], &[], &mut out).unwrap());
        out
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(5));
}

#[test]
fn invalid_rows_are_reported_and_affect_no_other() {
    let (m, count) = (bundled("panda"), 50);
    let bounds = Bounds::new(&m, Quantity::Gravity);
    let (_, ranges) = states(&m, Quantity::Gravity, count, 0.01);
    let run = |q: &[Interval]| {
        let mut out = vec![Interval::NAN; 7 * count];
        (bounds.batch(count, q, &[], &[], &mut out), out)
    };
    let (result, right) = run(&ranges[0]);
    assert_eq!(result, Ok(()));
    let mut q = ranges[0].clone();
    (q[7 * 3 + 1], q[7 * 40 + 2]) = (Interval::NAN, Interval::ENTIRE);
    let (result, out) = run(&q);
    let error = result.unwrap_err();
    // The sine of any angle is bounded.
    let [invalid] = error.invalid_states() else { panic!("{error}") };
    assert_eq!(invalid.state, 3);
    assert!(matches!(invalid.error, Error::NotFinite { .. }), "{error}");
    for (i, (found, right)) in out.chunks(7).zip(right.chunks(7)).enumerate() {
        match i {
            3 => assert!(found.iter().all(|x| x.lo().is_nan())),
            40 => assert!(found.iter().zip(right).all(|(a, b)| a.lo() <= b.lo() && b.hi() <= a.hi())),
            _ => assert_eq!(found, right),
        }
    }
    let error = bounds.batch(count, &q[1..], &[], &[], &mut vec![Interval::NAN; 7 * count]).unwrap_err();
    let length = Error::Length { what: "q", expected: 7 * count, found: 7 * count - 1 };
    assert_eq!(error, BatchError::Length(length));
}

/// Over wide ranges the mass matrix is not sure to be positive definite: forward dynamics has no bound.
#[test]
fn forward_dynamics_over_wide_ranges_is_reported() {
    let m = bundled("panda");
    let q = vec![Interval::new(-3.0, 3.0).unwrap(); 7];
    let zero = vec![Interval::point(0.0); 7];
    let mut out = vec![Interval::point(0.0); 7];
    let error = Bounds::new(&m, Quantity::Forward).batch(1, &q, &zero, &zero, &mut out).unwrap_err();
    assert_eq!(error.invalid_states()[0].state, 0);
    assert!(out.iter().all(|x| x.lo().is_nan()));
}
