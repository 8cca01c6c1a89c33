//! Joint values that put the deflected tool back where the rigid robot would have it.
//!
//!   q ← q + J⁺ e,   e = x(q₀) − (x(q) + u(q))                                                        (1)
//!
//! by least squares of least length, the deflection u looked up anew at each q, under the same speeds, accelerations and
//! wrench.

use super::loads::{Loading, Loads};
use super::structure::Structure;
use super::{Displacement, Modes};
use armdyn_core::{Motion, Rotation, Vec3};
use armdyn_numerics::Result;
use nalgebra::{DMatrix, DVector};

/// What is put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutBack {
    /// The tool's point.
    Position,
    /// Its point and its direction, a radian counting as much as a metre.
    Pose,
}

/// Corrected joint values.
#[derive(Clone, Debug)]
pub struct Correction {
    /// What to command instead of q.
    pub q: Vec<f64>,
    /// By how much that differs, in each degree of freedom \[rad, m\].
    pub change: Vec<f64>,
    /// What is left of the tool's displacement.
    pub residual: Displacement,
    /// How many steps it took.
    pub steps: usize,
}

const STEPS: usize = 30;
/// Directions that move the tool less than this share of the greatest one are left alone.
const SINGULAR: f64 = 1e-6;

impl Structure {
    /// Of the loads of a state.
    pub fn correct(&self, loading: &Loading, modes: &Modes, what: PutBack) -> Result<Correction> {
        let m = &self.model;
        let rows = if what == PutBack::Pose { 6 } else { 3 };
        let mut trial = loading.clone();
        let wanted = Loads::new(self, loading)?.poses[self.tool.link];
        let wanted = (wanted.point(self.tool.at), wanted.rotation);
        let mut steps = 0;
        let mut best: Option<(f64, Vec<f64>, Displacement)> = None;
        loop {
            let loads = Loads::new(self, &trial)?;
            let pose = loads.poses[self.tool.link];
            let deflection = self.deflect_under(&loads, modes);
            let at = deflection.tool_at;
            let left = Displacement {
                shift: at + deflection.tool.shift - wanted.0,
                turn: rotation_vector(&pose.rotation.compose(&wanted.1.inverse())) + deflection.tool.turn,
            };
            let error: Vec<f64> = [left.shift.to_array(), left.turn.to_array()].concat()[..rows].to_vec();
            let size = error.iter().map(|x| x * x).sum::<f64>().sqrt();
            let before = best.as_ref().map_or(f64::INFINITY, |b| b.0);
            if size < before {
                best = Some((size, trial.q.clone(), left));
            }
            // Nothing to move, no longer getting better, or as good as numbers are.
            if m.nv() == 0 || steps == STEPS || size > 0.5 * before || size < 1e-15 {
                break;
            }
            let mut columns = vec![Motion::zero(); m.nv()];
            let frame = armdyn_core::JacobianFrame::World;
            loads.kinematics.jacobian(m, armdyn_core::LinkId::new(self.tool.link), frame, &mut columns)?;
            let jacobian = DMatrix::from_fn(rows, m.nv(), |r, c| {
                let (w, v) = (columns[c].angular, columns[c].linear);
                if r < 3 { (v + w.cross(at)).get(r) } else { w.get(r - 3) }
            });
            let svd = jacobian.svd(true, true);
            let cut = SINGULAR * svd.singular_values.max();
            let step = svd
                .solve(&-DVector::from_vec(error), cut)
                .map_err(|e| armdyn_numerics::Error::InvalidInput(e.to_string()))?;
            let mut next = vec![0.0; m.nq()];
            m.integrate(&trial.q, step.as_slice(), &mut next)?;
            trial.q = next;
            steps += 1;
        }
        let (_, q, residual) = best.unwrap_or((0.0, loading.q.clone(), Displacement::none()));
        let mut change = vec![0.0; m.nv()];
        m.difference(&loading.q, &q, &mut change)?;
        Ok(Correction { q, change, residual, steps })
    }
}

/// The rotation vector of a rotation by less than half a turn.
fn rotation_vector(r: &Rotation<f64>) -> Vec3<f64> {
    let twice = armdyn_core::vec3(r.y.z - r.z.y, r.z.x - r.x.z, r.x.y - r.y.x);
    let (sine, cosine) = (twice.norm() / 2.0, (r.x.x + r.y.y + r.z.z - 1.0) / 2.0);
    if sine == 0.0 { Vec3::zero() } else { twice * (sine.atan2(cosine) / (2.0 * sine)) }
}
