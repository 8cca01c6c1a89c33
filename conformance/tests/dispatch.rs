//! The code path that is chosen at run time computes what the same algorithm computes over [`Fused`] in baseline code.
//!
//! `f64` arguments are seen as `Fused` there: equal results, bit by bit, show that models and workspaces of both scalars
//! have one layout.

use armdyn_core::{
    AbaData, CoriolisData, CrbaData, DerivativesData, Error, MinverseData, Model, Real, RegressorData, RneaData, aba,
    aba_derivatives, aba_derivatives_from, coriolis, crba, minverse, parameter_count, regressor, rnea,
    rnea_derivatives,
};
use armdyn_simd::{Fused, Level, level};
use armdyn_testkit::peers;
use armdyn_testkit::random::{self, Description, Drives, Joints, State};

/// Every algorithm that has several code paths, all results in a row.
fn all<T: Real>(m: &Model<T>, s: &State) -> Result<Vec<T>, Error> {
    let of = |x: &[f64]| x.iter().map(|&x| T::lift(x)).collect::<Vec<T>>();
    let (q, qd, qdd) = (of(&s.q), of(&s.qd), of(&s.qdd));
    let n = m.nv();
    let mut out = Vec::new();
    let mut next = |size: usize, fill: &mut dyn FnMut(&mut [T]) -> Result<(), Error>| {
        let mut x = vec![T::zero(); size];
        fill(&mut x)?;
        out.extend(x);
        Ok::<(), Error>(())
    };
    next(n, &mut |x| rnea(m, &mut RneaData::new(m), &q, &qd, &qdd, x))?;
    next(n * n, &mut |x| crba(m, &mut CrbaData::new(m), &q, x))?;
    next(n, &mut |x| aba(m, &mut AbaData::new(m), &q, &qd, &qdd, x))?;
    next(n * n, &mut |x| minverse(m, &mut MinverseData::new(m), &q, x))?;
    next(n * n, &mut |x| coriolis(m, &mut CoriolisData::new(m), &q, &qd, x))?;
    next(n * parameter_count(m), &mut |x| regressor(m, &mut RegressorData::new(m), &q, &qd, &qdd, x))?;
    next(2 * n * n, &mut |x| {
        let (a, b) = x.split_at_mut(n * n);
        rnea_derivatives(m, &mut DerivativesData::new(m), &q, &qd, &qdd, a, b)
    })?;
    next(3 * n * n, &mut |x| {
        let (a, rest) = x.split_at_mut(n * n);
        let (b, c) = rest.split_at_mut(n * n);
        aba_derivatives(m, &mut DerivativesData::new(m), &q, &qd, &qdd, a, b, c)
    })?;
    next(3 * n * n, &mut |x| {
        let (a, rest) = x.split_at_mut(n * n);
        let (b, c) = rest.split_at_mut(n * n);
        minverse(m, &mut MinverseData::new(m), &q, c)?;
        aba_derivatives_from(m, &mut DerivativesData::new(m), &q, &qd, &qdd, &qd, c, a, b)
    })?;
    Ok(out)
}

#[test]
fn both_scalars_have_one_layout() {
    let tree = |seed, joints, drives| Description::random(seed, 7, joints, true, drives).build();
    let robots = [
        random::arm(1, "RP"),
        random::arm(2, "RPRRPRRRR"),
        tree(3, Joints::SingleAxis, Drives::Friction),
        tree(4, Joints::All, Drives::Ideal),
        tree(5, Joints::All, Drives::Spinning),
        peers::robot("panda"),
        peers::robot("talos_ff"),
    ];
    for m in robots {
        let s = State::random(&m, &mut random::source(1));
        let dispatched = all(&m, &s).unwrap();
        let fused: Vec<f64> = all(&m.cast::<Fused>(), &s).unwrap().iter().map(|x| x.0).collect();
        if level() != Level::Baseline {
            assert_eq!(dispatched, fused, "{}", m.name());
        }
        let scale = fused.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
        assert!(dispatched.iter().zip(&fused).all(|(a, b)| (a - b).abs() <= 1e-9 * scale), "{}", m.name());
    }
}
