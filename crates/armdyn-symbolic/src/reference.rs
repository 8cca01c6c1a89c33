//! Results of the core's algorithms over numbers, which programs are compared with.

use crate::graph::Array;
use crate::program::Quantity;
use crate::recursion::Recursion;
use armdyn_core::{Error, Model};

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
    let mut recursion = Recursion::new(m, quantity);
    let mut out = vec![0.0; recursion.outputs()];
    let last = if quantity.arrays().contains(&Array::Tau) { s.tau } else { s.qdd };
    recursion.compute([s.q, s.qd, last], &mut out)?;
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
