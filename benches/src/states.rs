//! Random states, and what the core's recursions compute for them: the reference of all others.

use armdyn_core::{
    AbaData, CoriolisData, CrbaData, DerivativesData, MinverseData, Model, RegressorData, RneaData, aba,
    aba_derivatives, coriolis, crba, minverse, parameter_count, regressor, rnea, rnea_derivatives,
};
use armdyn_testkit::random;

/// Random states: q within ±π, q̇ ±2, q̈ ±5, τ ±20.
pub(crate) struct Pool {
    pub(crate) q: Vec<Vec<f64>>,
    pub(crate) qd: Vec<Vec<f64>>,
    pub(crate) qdd: Vec<Vec<f64>>,
    pub(crate) tau: Vec<Vec<f64>>,
}

impl Pool {
    /// 1024 states; fewer for the longest chains, so that they stay in the cache and the time is that of the algorithm.
    pub(crate) fn new(m: &Model<f64>) -> Self {
        let size = if m.nv() <= 38 { 1024 } else { 16_384 / m.nv() };
        let mut rng = random::source(42);
        let mut draw = |range| (0..size).map(|_| random::numbers(&mut rng, m.nv(), range)).collect();
        let (qd, qdd, tau) = (draw(2.0), draw(5.0), draw(20.0));
        let mut configuration = || {
            let mut q = vec![0.0; m.nq()];
            m.random(|| 0.5 + random::number(&mut rng, 0.5), &mut q).expect("q has the right length");
            q
        };
        Pool { q: (0..size).map(|_| configuration()).collect(), qd, qdd, tau }
    }

    /// The arrays that a quantity depends on.
    pub(crate) fn inputs(&self, quantity: &str) -> [Vec<&[f64]>; 3] {
        let rows = |x: &'static str| -> Vec<&[f64]> {
            let array = match x {
                "qd" => &self.qd,
                "qdd" => &self.qdd,
                _ => &self.tau,
            };
            array.iter().map(Vec::as_slice).collect()
        };
        let none = || vec![[].as_slice(); self.q.len()];
        let [qd, last] = match quantity {
            "mass" | "inverse-mass" => [none(), none()],
            "forward" | "forward-derivatives" => [rows("qd"), rows("tau")],
            _ => [rows("qd"), rows("qdd")],
        };
        [self.q.iter().map(Vec::as_slice).collect(), qd, last]
    }
}

/// The result of a quantity in one state, by the core's recursion, matrices by rows. `coriolis` is C(q, q̇) q̇.
pub(crate) fn reference(m: &Model<f64>, quantity: &str, q: &[f64], qd: &[f64], last: &[f64]) -> Vec<f64> {
    let n = m.nv();
    let matrix = || vec![0.0; n * n];
    let (mut vector, mut a, mut b, mut c) = (vec![0.0; n], matrix(), matrix(), matrix());
    let valid = "a random state is a valid one";
    match quantity {
        "inverse" => rnea(m, &mut RneaData::new(m), q, qd, last, &mut vector).map(|()| vector),
        "forward" => aba(m, &mut AbaData::new(m), q, qd, last, &mut vector).map(|()| vector),
        "mass" => crba(m, &mut CrbaData::new(m), q, &mut a).map(|()| a),
        "inverse-mass" => minverse(m, &mut MinverseData::new(m), q, &mut a).map(|()| a),
        "coriolis" => coriolis(m, &mut CoriolisData::new(m), q, qd, &mut a)
            .map(|()| a.chunks(n).map(|row| row.iter().zip(qd).map(|(c, v)| c * v).sum()).collect()),
        "regressor" => {
            let mut y = vec![0.0; n * parameter_count(m)];
            regressor(m, &mut RegressorData::new(m), q, qd, last, &mut y).map(|()| y)
        }
        "derivatives" => {
            rnea_derivatives(m, &mut DerivativesData::new(m), q, qd, last, &mut a, &mut b).map(|()| [a, b].concat())
        }
        "forward-derivatives" => aba_derivatives(m, &mut DerivativesData::new(m), q, qd, last, &mut a, &mut b, &mut c)
            .map(|()| [a, b, c].concat()),
        _ => unreachable!("the quantities are checked before"),
    }
    .expect(valid)
}
