//! A call allocates nothing, nor does a batch after the first one of a thread.

use allocation_counter::measure;
use armdyn_jit::{Backend, Compiled};
use armdyn_testkit::random::{self, State};

#[test]
fn the_counter_counts() {
    assert!(measure(|| drop(std::hint::black_box(vec![1.0; 3]))).count_total > 0);
}

/// The first call counts too.
#[test]
fn no_call_allocates() {
    let m = random::arm(1, "RPRRPRR");
    let s = State::random(&m, &mut random::source(1));
    let empty: &[f64] = &[];
    for (name, compiled, qd, last) in [
        ("inverse", Compiled::inverse(&m), &s.qd[..], &s.qdd[..]),
        ("gravity", Compiled::gravity(&m), empty, empty),
        ("coriolis", Compiled::coriolis(&m), &s.qd, empty),
        ("bias", Compiled::bias(&m), &s.qd, empty),
        ("mass", Compiled::mass(&m), empty, empty),
        ("forward", Compiled::forward(&m), &s.qd, &s.qdd),
        ("derivatives", Compiled::derivatives(&m), &s.qd, &s.qdd),
    ] {
        let compiled = compiled.unwrap();
        assert_eq!(compiled.backend(), Backend::Native);
        let mut out = vec![0.0; compiled.outputs()];
        let counted = measure(|| compiled.call(&s.q, qd, last, &mut out).unwrap());
        assert_eq!(counted.count_total, 0, "{name} allocates {} bytes", counted.bytes_total);

        let single = compiled.single();
        let [q, qd, last] = [&s.q[..], qd, last].map(|x| x.iter().map(|&x| x as f32).collect::<Vec<_>>());
        let mut out = vec![0f32; single.outputs()];
        let counted = measure(|| single.call(&q, &qd, &last, &mut out).unwrap());
        assert_eq!(counted.count_total, 0, "{name} in f32 allocates {} bytes", counted.bytes_total);
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
