//! Calls of a model whose joints follow others, by way of its tree (`model/followers.rs`): inputs are expanded, the tree's
//! results reduced.

use crate::error::{Error, Result};
use crate::model::{Model, Rows};
use crate::scalar::Real;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// The workspace of an algorithm for the tree, inputs, and results.
#[derive(Clone, Debug)]
pub(super) struct OnTree<T, D> {
    pub data: D,
    pub q: Vec<T>,
    pub qd: Vec<T>,
    pub qdd: Vec<T>,
    pub results: [Vec<T>; 2],
}

/// In the workspace of a model without followers: nothing.
pub(super) type Tree<T, D> = Option<Box<OnTree<T, D>>>;

impl<T: Real, D> OnTree<T, D> {
    /// For a model with followers; `data` makes the tree's workspace, `size` tells how long its results are.
    pub fn new(m: &Model<T>, data: impl FnOnce(&Model<T>) -> D, size: impl Fn(&Model<T>) -> [usize; 2]) -> Tree<T, D> {
        let (tree, _) = m.following()?;
        let (n, zeros) = (tree.nv(), |count: usize| vec![T::zero(); count]);
        let (q, results) = (zeros(tree.nq()), size(tree).map(zeros));
        Some(Box::new(OnTree { data: data(tree), q, qd: zeros(n), qdd: zeros(n), results }))
    }

    /// The workspace of the tree, the tree, and G, at a configuration and with rates that may be left out.
    pub fn at<'a>(
        tree: &'a mut Tree<T, D>,
        m: &'a Model<T>,
        q: &[T],
        qd: Option<&[T]>,
        qdd: Option<&[T]>,
    ) -> Result<(&'a mut Self, &'a Model<T>, &'a Rows)> {
        let (Some(own), Some((tree, rows))) = (tree, m.following()) else {
            return Err(Error::OtherModel { what: "workspace" });
        };
        m.check_length("q", m.nq(), q.len())?;
        rows.expand_positions(q, &mut own.q);
        for (name, from, to) in [("qd", qd, &mut own.qd), ("qdd", qdd, &mut own.qdd)] {
            if let Some(from) = from {
                m.check_length(name, m.nv(), from.len())?;
                rows.expand_rates(from, to);
            }
        }
        Ok((own, tree, rows))
    }
}
