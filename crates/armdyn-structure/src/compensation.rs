//! Joint positions that compensate the tool's deflection.
//!
//!   q ← q + J⁺ e,   e = x(q₀) − (x(q) + u(q))                                                        (1)
//!
//! The least-squares step of minimum norm; the deflection u is recomputed at each q, with the same velocities,
//! accelerations and wrench.

use super::loads::{LoadCase, Loads};
use super::structure::Structure;
use super::{DeformationModes, Displacement};
use armdyn_core::Motion;
use armdyn_numerics::Result;
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// What to compensate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompensationTarget {
    /// The tool's position.
    Position,
    /// Its position and orientation; a radian weighs as much as a metre.
    Pose,
}

/// Compensated joint positions.
#[derive(Clone, Debug, Serialize)]
pub struct Compensation {
    /// What is compensated.
    pub target: CompensationTarget,
    /// Joint positions to command instead of q.
    pub q: Vec<f64>,
    /// Their difference from q, per degree of freedom \[rad or m\].
    pub change: Vec<f64>,
    /// Remaining displacement of the tool.
    pub residual: Displacement,
    /// Number of iterations.
    pub iterations: usize,
}

const MAX_ITERATIONS: usize = 30;
/// Singular values below this fraction of the largest are dropped.
const SINGULAR: f64 = 1e-6;

impl Structure {
    /// Computes joint positions that put the deflected tool where the rigid robot would have it.
    pub fn compensate(
        &self,
        case: &LoadCase,
        modes: &DeformationModes,
        target: CompensationTarget,
    ) -> Result<Compensation> {
        let m = &self.model;
        let rows = if target == CompensationTarget::Pose { 6 } else { 3 };
        let mut trial = case.clone();
        let desired = Loads::new(self, case)?.poses[self.tool.link.index()];
        let desired = (desired.point(self.tool.position()), desired.rotation);
        let mut iterations = 0;
        let mut best: Option<(f64, Vec<f64>, Displacement)> = None;
        loop {
            let loads = Loads::new(self, &trial)?;
            let pose = loads.poses[self.tool.link.index()];
            let tool = self.deflect_under(&loads, modes).tool;
            let residual = Displacement {
                translation: tool.position + tool.displacement.translation - desired.0,
                rotation: pose.rotation.compose(&desired.1.inverse()).rotation_vector() + tool.displacement.rotation,
            };
            let both = [residual.translation.to_array(), residual.rotation.to_array()].concat();
            let error = DVector::from_row_slice(&both[..rows]);
            let (size, previous) = (error.norm(), best.as_ref().map_or(f64::INFINITY, |b| b.0));
            if size < previous {
                best = Some((size, trial.q.clone(), residual));
            }
            // Nothing to move, no further improvement, or machine precision.
            if m.nv() == 0 || iterations == MAX_ITERATIONS || size > 0.5 * previous || size < 1e-15 {
                break;
            }
            let mut columns = vec![Motion::zero(); m.nv()];
            let frame = armdyn_core::JacobianFrame::World;
            loads.kinematics.jacobian(m, self.tool.link, frame, &mut columns)?;
            let jacobian = DMatrix::from_fn(rows, m.nv(), |r, c| {
                let (w, v) = (columns[c].angular, columns[c].linear);
                if r < 3 { (v + w.cross(tool.position)).get(r) } else { w.get(r - 3) }
            });
            let svd = jacobian.svd(true, true);
            let cut = SINGULAR * svd.singular_values.max();
            let step = svd.solve(&-error, cut).map_err(|e| armdyn_numerics::Error::InvalidInput(e.to_string()))?;
            let mut next = vec![0.0; m.nq()];
            m.integrate(&trial.q, step.as_slice(), &mut next)?;
            trial.q = next;
            iterations += 1;
        }
        let (_, q, residual) = best.unwrap_or((0.0, case.q.clone(), Displacement::none()));
        let mut change = vec![0.0; m.nv()];
        m.difference(&case.q, &q, &mut change)?;
        Ok(Compensation { target, q, change, residual, iterations })
    }
}
