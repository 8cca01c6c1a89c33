//! Single calls of derivatives by the core's recursion.
//!
//! It computes degrees of freedom side by side in wide registers, while a compiled program has one number per instruction: with so many of them
//! as derivatives take, the recursion is faster. For forward dynamics, M⁻¹ and the torques at q̈ = 0 still come from compiled programs.

use super::Compiled;
use crate::Error;
use armdyn_core::{DerivativesData, Model, aba_derivatives_from, rnea_derivatives};
use armdyn_symbolic::Quantity;
use std::cell::RefCell;
use std::sync::{Arc, Weak};

/// From how many degrees of freedom on the recursion is faster, if the program has so many instructions for each. (An arm of random axes with
/// four has equal times; a SCARA or a planar arm has short programs.)
const MIN_DOFS: usize = 5;
const MIN_INSTRUCTIONS_PER_DOF: usize = 300;

/// The recursion of a robot's derivatives.
pub(super) struct Recursion {
    model: Model<f64>,
    /// For forward dynamics: programs of τ and of M⁻¹.
    programs: Option<[Compiled; 2]>,
}

thread_local! {
    /// Of this thread, for each recursion that it has called. (A common pool would need two atomic operations per call, which wait for the
    /// stores before them: 80 ns.)
    static WORKSPACES: RefCell<Vec<(Weak<Recursion>, Box<Workspace>)>> = const { RefCell::new(vec![]) };
}

/// Number of workspaces of this thread.
#[cfg(test)]
pub(super) fn workspaces() -> usize {
    WORKSPACES.with_borrow(Vec::len)
}

struct Workspace {
    data: DerivativesData<f64>,
    bias: Vec<f64>,
    zero: Vec<f64>,
}

impl Recursion {
    /// The recursion of a quantity, if single calls by it are faster than by a program of so many instructions. The calling thread has
    /// its workspace then.
    pub(super) fn faster(
        model: &Model<f64>,
        quantity: Quantity,
        instructions: usize,
    ) -> Result<Option<Arc<Self>>, Error> {
        let n = model.nv();
        if n < MIN_DOFS || instructions < MIN_INSTRUCTIONS_PER_DOF * n {
            return Ok(None);
        }
        let programs = match quantity {
            Quantity::Derivatives => None,
            Quantity::ForwardDerivatives => Some([Compiled::inverse(model)?, Compiled::inverse_mass(model)?]),
            _ => return Ok(None),
        };
        let recursion = Arc::new(Recursion { model: model.clone(), programs });
        WORKSPACES.with_borrow_mut(|all| recursion.workspace(all));
        Ok(Some(recursion))
    }

    /// Computes a state. Returns false, and the results are invalid, if that fails.
    pub(super) fn run(self: &Arc<Self>, inputs: [&[f64]; 3], out: &mut [f64]) -> bool {
        WORKSPACES.with_borrow_mut(|all| {
            let of_this = all.iter().position(|(owner, _)| owner.as_ptr() == Arc::as_ptr(self));
            let at = of_this.unwrap_or_else(|| self.workspace(all));
            self.compute(&mut all[at].1, inputs, out).is_ok()
        })
    }

    /// Adds a workspace for this recursion, and removes those of recursions that no longer exist. Returns its index.
    #[cold]
    fn workspace(self: &Arc<Self>, all: &mut Vec<(Weak<Recursion>, Box<Workspace>)>) -> usize {
        all.retain(|(owner, _)| owner.strong_count() > 0);
        let zeros = vec![0.0; self.model.nv()];
        let workspace = Workspace { data: DerivativesData::new(&self.model), bias: zeros.clone(), zero: zeros };
        all.push((Arc::downgrade(self), Box::new(workspace)));
        all.len() - 1
    }

    fn compute(
        &self,
        w: &mut Workspace,
        [q, qd, last]: [&[f64]; 3],
        out: &mut [f64],
    ) -> armdyn_core::error::Result<()> {
        let square = self.model.nv().pow(2);
        let (by_q, rest) = out.split_at_mut(square);
        let (by_qd, by_tau) = rest.split_at_mut(square);
        let Some([inverse, inverse_mass]) = &self.programs else {
            return rnea_derivatives(&self.model, &mut w.data, q, qd, last, by_q, by_qd);
        };
        inverse.call(q, qd, &w.zero, &mut w.bias)?;
        inverse_mass.call(q, &[], &[], by_tau)?;
        aba_derivatives_from(&self.model, &mut w.data, q, qd, last, &w.bias, by_tau, by_q, by_qd)
    }
}
