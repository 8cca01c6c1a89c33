//! A call allocates nothing.

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
