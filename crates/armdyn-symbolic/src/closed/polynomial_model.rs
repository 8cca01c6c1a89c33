//! A model over polynomials, with symbols for its parameters.

use super::options::{ClosedError, Tensor};
use super::poly::Poly;
use super::ring::Ring;
use super::{Parameter, SymbolTable, coordinates, tidied, with_symbols};
use armdyn_core::Model;

/// Maximum number of terms of a polynomial.
const MAX_TERMS: usize = 100_000;

/// A robot over polynomials, in the active ring.
pub struct PolynomialModel {
    /// The model without drives and friction. Inertia tensors are about the origins of the link frames.
    pub model: Model<Poly>,
    /// The contribution of the drives to M: row, column (upper triangle), symbol.
    pub drives: Vec<(usize, usize, Poly)>,
    /// The coordinates.
    pub q: Vec<Poly>,
    /// The parameters of the symbols.
    pub parameters: Vec<Parameter>,
}

/// Runs `f` over polynomials in the sines and cosines of the robot's angles, its lengths and its parameters. Returns the ring
/// of the results.
pub fn polynomial_model<R>(model: &Model<f64>, f: impl FnOnce(PolynomialModel) -> R) -> Result<(Ring, R), ClosedError> {
    let coordinates = coordinates(model, "polynomials (joints with one degree of freedom)")?;
    let model = tidied(model);
    Ok(Ring::new(&coordinates, MAX_TERMS).record(|| {
        let symbols = SymbolTable::new(true, Tensor::Origin);
        let over = with_symbols(&model, &model.without_drives().cast(), &symbols);
        let drives = symbols.drives(&model);
        let q = (0..coordinates.len()).map(Poly::coordinate).collect();
        f(PolynomialModel { model: over, drives, q, parameters: symbols.into_parameters() })
    }))
}
