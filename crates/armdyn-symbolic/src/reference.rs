//! Results of the core's algorithms over numbers, which programs are compared with.

use crate::graph::Array;
use crate::program::Quantity;
use crate::trace::last_link;
use armdyn_core::{
    AbaData, CrbaData, DerivativesData, Error, MinverseData, Model, RegressorData, RneaData, Vec3, aba,
    aba_derivatives, crba, minverse, parameter_count, regressor, rnea, rnea_derivatives,
};

/// A state, and the result of the core's algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The arrays of the quantity.
    pub arrays: Vec<(Array, Vec<f64>)>,
    /// The result.
    pub results: Vec<f64>,
}

/// A state: q, q̇, and q̈ or τ.
pub(crate) struct State<'a> {
    pub q: &'a [f64],
    pub qd: &'a [f64],
    pub qdd: &'a [f64],
    pub tau: &'a [f64],
}

/// The result of the core's algorithm, as the program of the quantity returns it.
pub(crate) fn core_result(m: &Model<f64>, quantity: Quantity, s: &State) -> Result<Vec<f64>, Error> {
    let n = m.nv();
    let (zero, mut out) = (vec![0.0; n], vec![0.0; n]);
    let inverse =
        |m: &Model<f64>, qd: &[f64], qdd: &[f64], out: &mut [f64]| rnea(m, &mut RneaData::new(m), s.q, qd, qdd, out);
    match quantity {
        Quantity::Inverse => inverse(m, s.qd, s.qdd, &mut out)?,
        Quantity::Gravity => inverse(m, &zero, &zero, &mut out)?,
        Quantity::Bias => inverse(&m.without_friction(), s.qd, &zero, &mut out)?,
        Quantity::Coriolis => inverse(&m.without_friction().with_gravity(Vec3::zero()), s.qd, &zero, &mut out)?,
        Quantity::Forward => aba(m, &mut AbaData::new(m), s.q, s.qd, s.tau, &mut out)?,
        Quantity::Kinematics | Quantity::Jacobian => out = last_link(m, s.q, quantity)?,
        Quantity::Mass => {
            out = vec![0.0; n * n];
            crba(m, &mut CrbaData::new(m), s.q, &mut out)?;
        }
        Quantity::Derivatives => {
            out = vec![0.0; 2 * n * n];
            let (by_q, by_qd) = out.split_at_mut(n * n);
            rnea_derivatives(m, &mut DerivativesData::new(m), s.q, s.qd, s.qdd, by_q, by_qd)?;
        }
        Quantity::InverseMass => {
            out = vec![0.0; n * n];
            minverse(m, &mut MinverseData::new(m), s.q, &mut out)?;
        }
        Quantity::ForwardDerivatives => {
            out = vec![0.0; 3 * n * n];
            let (by_q, rest) = out.split_at_mut(n * n);
            let (by_qd, by_tau) = rest.split_at_mut(n * n);
            aba_derivatives(m, &mut DerivativesData::new(m), s.q, s.qd, s.tau, by_q, by_qd, by_tau)?;
        }
        Quantity::Regressor => {
            out = vec![0.0; n * parameter_count(m)];
            regressor(m, &mut RegressorData::new(m), s.q, s.qd, s.qdd, &mut out)?;
        }
    }
    Ok(out)
}

/// Number of states.
const STATES: usize = 4;

/// Results at states of multiples of 1/8, which every number type represents, and unit quaternions; states in which the algorithm
/// fails, or whose result is not finite, are left out.
pub(crate) fn references(m: &Model<f64>, quantity: Quantity) -> Vec<Reference> {
    let coordinates = m.coordinate_names();
    let number =
        |array: Array, i: usize, state: usize| ((i * 7 + state * 5 + array as usize * 3) % 15) as f64 / 8.0 - 0.9375;
    let values = |array: Array, state: usize| -> Vec<f64> {
        let length = if array == Array::Q { m.nq() } else { m.nv() };
        let element = |i: usize| match array {
            Array::Q if !m.dof_names().contains(&coordinates[i]) => 0.5,
            _ => number(array, i, state),
        };
        (0..length).map(element).collect()
    };
    let reference = |state: usize| {
        let [q, qd, qdd, tau] = [Array::Q, Array::Qd, Array::Qdd, Array::Tau].map(|a| values(a, state));
        let s = State { q: &q, qd: &qd, qdd: &qdd, tau: &tau };
        let results = core_result(m, quantity, &s).ok().filter(|r| r.iter().all(|x| x.is_finite()))?;
        let arrays = quantity.arrays().iter().map(|&a| (a, values(a, state))).collect();
        Some(Reference { arrays, results })
    };
    (0..STATES).filter_map(reference).collect()
}
