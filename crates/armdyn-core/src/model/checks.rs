//! Checks of a call's arguments and results; errors name the joint or link.

use super::ids::{JointId, LinkId};
use super::model::{JointInfo, Model};
use super::pair::Pair;
use crate::error::{Error, Result};
use crate::scalar::Real;

/// The inputs of a call with their names, to report which one is not finite.
pub(crate) type Inputs<'a, T> = &'a [(&'static str, &'a [T])];

impl<T: Real> Model<T> {
    /// `Err` unless `what` has the expected number of values.
    #[inline(always)]
    pub(crate) fn check_length(&self, what: &'static str, expected: usize, found: usize) -> Result<()> {
        if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
    }

    /// `Err` unless all have the lengths that the model requires.
    #[inline(always)]
    pub(crate) fn check_shapes(&self, q: &[T], qd: &[T], qdd: &[T], tau: &[T]) -> Result<()> {
        self.check_length("q", self.nq(), q.len())?;
        self.check_length("qd", self.nv(), qd.len())?;
        self.check_length("qdd", self.nv(), qdd.len())?;
        self.check_length("tau", self.nv(), tau.len())
    }

    /// `Err` unless a workspace (or boundary conditions) was created for a model of this shape.
    #[inline(always)]
    pub(crate) fn check_made_for(&self, what: &'static str, shape: u64) -> Result<()> {
        if self.structure.shape == shape { Ok(()) } else { Err(Error::OtherModel { what }) }
    }

    /// `Err` unless there is a link of that number.
    pub(crate) fn check_link(&self, link: LinkId) -> Result<()> {
        if link.index() < self.links().len() {
            Ok(())
        } else {
            Err(Error::NoSuchLink { name: alloc::format!("number {link}") })
        }
    }

    /// The joint with this index.
    pub(crate) fn checked_joint(&self, joint: JointId) -> Result<&JointInfo> {
        let info = self.joints().get(joint.index());
        info.ok_or_else(|| Error::NoSuchJoint { name: alloc::format!("number {joint}") })
    }

    /// `Err` unless a formulation covers every pair.
    pub(crate) fn check_pairs(&self, formulation: &'static str, covers: impl Fn(&Pair<T>) -> bool) -> Result<()> {
        match self.bodies.iter().find(|b| !covers(&b.pair)) {
            None => Ok(()),
            Some(b) => Err(Error::Unsupported { formulation, joint: self.structure.dof_names[b.v].clone() }),
        }
    }

    /// `Err` unless every pair is revolute, prismatic or helical.
    pub(crate) fn check_single_axis(&self, formulation: &'static str) -> Result<()> {
        self.check_pairs(formulation, |pair| pair.nv() == 1)
    }

    /// `Err` if a rotor spins in a body that carries it.
    pub(crate) fn check_no_spinning(&self, formulation: &'static str) -> Result<()> {
        match self.rotors().iter().find(|r| r.mount.is_some()) {
            None => Ok(()),
            Some(r) => Err(Error::Unsupported { formulation, joint: r.name.clone() }),
        }
    }

    /// `Err` unless a result (a value or a row for each degree of freedom) is finite; it names the input that is not,
    /// or the result.
    #[inline(always)]
    pub(crate) fn check_finite(&self, what: &'static str, values: &[T], inputs: Inputs<T>) -> Result<()> {
        if values.iter().all(|x| x.is_finite()) {
            return Ok(());
        }
        Err(self.not_finite(what, self.first_bad(values).unwrap_or(0), inputs))
    }

    /// The same for a result of degree of freedom `dof`.
    #[inline(always)]
    pub(crate) fn check_finite_at(&self, what: &'static str, value: T, dof: usize, inputs: Inputs<T>) -> Result<()> {
        if value.is_finite() { Ok(()) } else { Err(self.not_finite(what, dof, inputs)) }
    }

    #[cold]
    fn not_finite(&self, what: &'static str, dof: usize, inputs: Inputs<T>) -> Error {
        let input = inputs.iter().find_map(|&(name, values)| Some((name, self.first_bad(values)?)));
        let (what, dof) = input.unwrap_or((what, dof));
        Error::NotFinite { what, joint: self.structure.dof_names.get(dof).unwrap_or(&self.structure.name).clone() }
    }

    /// The degree of freedom of the first value that is not finite, of values (or rows) that are one to each degree of
    /// freedom, or one to each coordinate.
    fn first_bad(&self, values: &[T]) -> Option<usize> {
        let at = values.iter().position(|x| !x.is_finite())?;
        if values.len() == self.nq() && self.nq() != self.nv() {
            return self.bodies.iter().rfind(|b| b.q <= at && !b.follows).map(|b| b.v);
        }
        Some(at * self.nv() / values.len())
    }

    /// Why a pivot is not positive: the state is not finite, or there is no inertia.
    #[cold]
    pub(crate) fn pivot_error(&self, pivot: T, dof: usize, inputs: Inputs<T>) -> Error {
        if pivot.is_finite() { self.not_positive(dof) } else { self.not_finite("mass matrix", dof, inputs) }
    }

    #[cold]
    pub(crate) fn not_positive(&self, dof: usize) -> Error {
        Error::NotPositiveDefinite { joint: self.structure.dof_names[dof].clone() }
    }
}
