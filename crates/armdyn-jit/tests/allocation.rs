//! A call allocates nothing, nor does a batch after the first one of a thread.

use allocation_counter::measure;
use armdyn_core::scalar::Interval;
use armdyn_jit::{Backend, Bounds, Compiled};
use armdyn_symbolic::Quantity;
use armdyn_testkit::random::{self, State};

#[test]
fn the_counter_counts() {
    assert!(measure(|| drop(std::hint::black_box(vec![1.0; 3]))).count_total > 0);
}

/// The arrays of a quantity at a state.
fn arrays(quantity: Quantity, s: &State) -> [Vec<f64>; 3] {
    let mut arrays = [s.q.clone(), s.qd.clone(), s.qdd.clone()];
    arrays[quantity.arrays().len()..].fill(vec![]);
    arrays
}

/// The first call counts too.
#[test]
fn no_call_allocates() {
    let m = random::arm(1, "RPRRPRR");
    let s = State::random(&m, &mut random::source(1));
    for quantity in Quantity::ALL {
        let compiled = Compiled::of_model(&m, quantity).unwrap();
        assert!(!matches!(compiled.call_backend(), Backend::Interpreted { .. }));
        let derivatives = matches!(quantity, Quantity::Derivatives | Quantity::ForwardDerivatives);
        let wide = compiled.backend() == Backend::Avx512;
        assert_eq!(compiled.call_backend() == Backend::Recursion, derivatives && wide);
        let [q, qd, last] = arrays(quantity, &s);
        let mut out = vec![0.0; compiled.outputs()];
        let counted = measure(|| compiled.call(&q, &qd, &last, &mut out).unwrap());
        assert_eq!(counted.count_total, 0, "{quantity} allocates {} bytes", counted.bytes_total);

        let single = compiled.single();
        let [q, qd, last] = [q, qd, last].map(|x| x.iter().map(|&x| x as f32).collect::<Vec<_>>());
        let mut out = vec![0f32; single.outputs()];
        let counted = measure(|| single.call(&q, &qd, &last, &mut out).unwrap());
        assert_eq!(counted.count_total, 0, "{quantity} in f32 allocates {} bytes", counted.bytes_total);
    }
}

/// All quantities, with remainders, after a first batch.
#[test]
fn no_later_batch_of_any_quantity_allocates() {
    let m = random::arm(1, "RPRRPRR");
    let s = State::random(&m, &mut random::source(1));
    for quantity in Quantity::ALL {
        let compiled = Compiled::of_model(&m, quantity).unwrap();
        let [q, qd, last] = arrays(quantity, &s).map(|x| x.repeat(301));
        let mut out = vec![0.0; 301 * compiled.outputs()];
        let mut batch = || compiled.batch(301, &q, &qd, &last, &mut out).unwrap();
        batch();
        assert_eq!(measure(batch).count_total, 0, "{quantity}");
    }
}

/// What two threads allocate does not grow with the number of states.
#[test]
fn threads_allocate_nothing_per_state() {
    let m = random::arm(1, "RPRRPRR");
    let inverse = Compiled::inverse(&m).unwrap();
    let states = 1 << 17;
    let x = vec![0.5; 7 * states];
    let mut out = vec![0.0; 7 * states];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let mut batch = || inverse.batch(states, &x, &x, &x, &mut out).unwrap();
    pool.install(|| {
        batch();
        let counted = measure(batch);
        assert!(counted.count_total < 100, "{} allocations", counted.count_total);
    });
}

/// Workspaces are allocated per task, of which there are as many for any number of states.
#[test]
fn bounds_allocate_nothing_per_state() {
    let m = random::arm(1, "RPR");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for quantity in Quantity::ALL {
        let bounds = Bounds::new(&m, quantity);
        let counts = [80, 800].map(|states| {
            let mut inputs = [(); 3].map(|()| vec![Interval::point(0.25); 3 * states]);
            inputs[quantity.arrays().len()..].fill(vec![]);
            let mut out = vec![Interval::NAN; states * bounds.outputs()];
            let [q, qd, last] = &inputs;
            pool.install(|| measure(|| bounds.batch(states, q, qd, last, &mut out).unwrap()).count_total)
        });
        assert_eq!(counts[0], counts[1], "{quantity}");
    }
}

/// Whole blocks and remainders, arrays as wide as a register and narrower ones.
#[test]
fn no_later_batch_allocates() {
    for joints in ["RR", "RPRRPRR"] {
        let m = random::arm(1, joints);
        let n = m.nv();
        let inverse = Compiled::inverse(&m).unwrap();
        let single = inverse.single();
        let x = random::numbers(&mut random::source(2), 500 * n, 2.0);
        let y: Vec<f32> = x.iter().map(|&x| x as f32).collect();
        let (mut out, mut short) = (vec![0.0; 500 * n], vec![0f32; 500 * n]);
        for states in [500, 499, 1, 7, 8, 9, 16, 131] {
            let x = &x[..states * n];
            let mut double = || inverse.batch(states, x, x, x, &mut out[..states * n]).unwrap();
            let y = &y[..states * n];
            let mut single = || single.batch(states, y, y, y, &mut short[..states * n]).unwrap();
            // The first ones are the largest.
            if states >= 499 {
                double();
                single();
            }
            let counted = measure(double).count_total + measure(single).count_total;
            assert_eq!(counted, 0, "{states} states of {joints}");
        }
    }
}
