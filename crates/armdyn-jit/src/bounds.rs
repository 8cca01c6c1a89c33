//! Guaranteed bounds for rows of intervals.

use crate::compiled::{check, columns};
use crate::{BatchError, InvalidState};
use armdyn_core::Model;
use armdyn_core::scalar::{Interval, Real};
use armdyn_symbolic::{Quantity, Recursion};
use rayon::prelude::*;

/// Bounds of a quantity for many states, each of which is a row of ranges: the core's recursion over [`Interval`], which encloses
/// every rounding error, on all cores.
///
/// (A program's constants are rounded when it is generated, so that its results over intervals are no guarantee for the robot.)
///
/// ```
/// use armdyn_core::scalar::Interval;
/// use armdyn_jit::Bounds;
/// use armdyn_symbolic::Quantity;
/// # let model = armdyn_testkit::bundled("panda");
/// let gravity = Bounds::new(&model, Quantity::Gravity);
/// let q = vec![Interval::new(0.5, 0.51).unwrap(); 7 * 100];
/// let mut g = vec![Interval::NAN; 7 * 100];
/// gravity.batch(100, &q, &[], &[], &mut g)?;
/// assert!(g[1].contains(model.gravity_torques(&[0.505; 7])?[1]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Bounds {
    model: Model<Interval>,
    quantity: Quantity,
}

/// Tasks per thread.
const TASKS: usize = 8;

impl Bounds {
    /// Bounds of a quantity.
    pub fn new(model: &Model<f64>, quantity: Quantity) -> Self {
        Bounds { model: model.cast(), quantity }
    }

    /// Number of results of a state.
    pub fn outputs(&self) -> usize {
        Recursion::new(&self.model, self.quantity).outputs()
    }

    /// Computes many states, one per row of row-major arrays. `last` is q̈, or τ for forward dynamics; arrays that the quantity does not
    /// depend on are empty.
    ///
    /// A state is invalid where there is no finite bound, or where the mass matrix is not sure to be positive definite over the ranges
    /// and the quantity inverts it. The results do not depend on the number of threads. Workspaces are allocated per task, not per
    /// state.
    pub fn batch(
        &self,
        states: usize,
        q: &[Interval],
        qd: &[Interval],
        last: &[Interval],
        out: &mut [Interval],
    ) -> Result<(), BatchError> {
        let (inputs, n) = ([q, qd, last], self.outputs());
        let lengths = columns(self.quantity, (self.model.nq(), self.model.nv()));
        for ((name, columns), values) in lengths.into_iter().zip(inputs) {
            check(name, states * columns, values.len()).map_err(BatchError::Length)?;
        }
        check("out", states * n, out.len()).map_err(BatchError::Length)?;
        if n == 0 || states == 0 {
            return Ok(());
        }
        let task = states.div_ceil(TASKS * rayon::current_num_threads());
        let tasks = out.par_chunks_mut(task * n).enumerate();
        let part = |from: usize, count: usize| {
            std::array::from_fn(|i| {
                let n = lengths[i].1;
                &inputs[i][from * n..(from + count) * n]
            })
        };
        let invalid = tasks.map(|(k, out)| self.rows(k * task, |i| part(k * task + i, 1), out));
        let invalid = invalid.reduce(Vec::new, |mut all, more| {
            all.extend(more);
            all
        });
        if invalid.is_empty() { Ok(()) } else { Err(BatchError::InvalidStates(invalid)) }
    }

    /// Computes consecutive rows, of which the first is state `first`. Returns the invalid ones.
    fn rows<'a>(
        &self,
        first: usize,
        row: impl Fn(usize) -> [&'a [Interval]; 3],
        out: &mut [Interval],
    ) -> Vec<InvalidState> {
        let mut recursion = Recursion::new(&self.model, self.quantity);
        let mut invalid = vec![];
        for (i, out) in out.chunks_mut(recursion.outputs()).enumerate() {
            let result = recursion.compute(row(i), out);
            let unbounded = || armdyn_core::Error::NotFinite { what: "out", joint: self.model.name().to_string() };
            let bounded = out.iter().all(|x| x.is_finite());
            if let Err(error) = result.and_then(|()| if bounded { Ok(()) } else { Err(unbounded()) }) {
                out.fill(Interval::NAN);
                invalid.push(InvalidState { state: first + i, error });
            }
        }
        invalid
    }
}
