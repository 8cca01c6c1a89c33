//! A robot whose figures are symbols, for any algorithm of the core to run over.

use super::options::{ClosedError, Tensor};
use super::poly::Poly;
use super::ring::{Coordinate, Ring};
use super::{Figures, Parameter, coordinate, tidied, with_symbols};
use armdyn_core::{Error, Model};

/// The most terms that a polynomial may have.
const MOST_TERMS: usize = 100_000;

/// A robot over polynomials, in the ring at work.
pub struct OverPolynomials {
    /// The links alone: without drives and friction. Tensors are about the origins of the links' frames.
    pub model: Model<Poly>,
    /// The drives' share of M: row, column (not below it), symbol.
    pub drives: Vec<(usize, usize, Poly)>,
    /// The coordinates.
    pub q: Vec<Poly>,
    /// What the symbols stand for.
    pub figures: Vec<Parameter>,
}

/// Runs `f` over polynomials in the sines and cosines of the robot's angles, its lengths and its figures: what it gives is in
/// the ring.
pub fn over_polynomials<R>(model: &Model<f64>, f: impl FnOnce(OverPolynomials) -> R) -> Result<(Ring, R), ClosedError> {
    if let Some((_, b)) = model.base_to_tip().find(|(_, b)| b.pair.nv() != 1) {
        let formulation = "polynomials are of joints with one degree of freedom";
        return Err(Error::Unsupported { formulation, joint: model.dof_names()[b.v].clone() }.into());
    }
    let model = tidied(model);
    let coordinates: Vec<Coordinate> = model.base_to_tip().map(|(_, b)| coordinate(&b.pair)).collect();
    if coordinates.len() > Ring::MOST_COORDINATES {
        return Err(ClosedError::TooManyCoordinates { found: coordinates.len() });
    }
    Ok(Ring::new(&coordinates, MOST_TERMS).record(|| {
        let figures = Figures::new(true, Tensor::Origin);
        let over = with_symbols(&model, &model.without_drives().cast(), &figures);
        let drives = figures.drives(&model);
        let q = (0..coordinates.len()).map(Poly::coordinate).collect();
        f(OverPolynomials { model: over, drives, q, figures: figures.into_parameters() })
    }))
}
