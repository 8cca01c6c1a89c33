//! What acts on the robot from outside: the motion of its base, and wrenches on its links.

use crate::error::Result;
use crate::model::{Model, Moving};
use crate::scalar::Real;
use crate::spatial::{Force, Motion, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// Boundary conditions of a call. A workspace begins with none: base at rest, no wrenches.
#[derive(Debug)]
pub struct Boundary<T> {
    /// Velocity of the base: angular, and linear of its origin, in the base's axes.
    pub base_velocity: Motion<T>,
    /// Acceleration of the base: angular, and linear *of its origin* (not the spatial acceleration), in its axes.
    pub base_acceleration: Motion<T>,
    wrenches: Vec<Force<T>>,
    any_wrench: bool,
}

impl<T: Clone> Clone for Boundary<T> {
    fn clone(&self) -> Self {
        Boundary {
            base_velocity: self.base_velocity.clone(),
            base_acceleration: self.base_acceleration.clone(),
            wrenches: self.wrenches.clone(),
            any_wrench: self.any_wrench,
        }
    }

    /// Allocates nothing where both are of models of one shape.
    fn clone_from(&mut self, other: &Self) {
        self.wrenches.clone_from(&other.wrenches);
        self.base_velocity.clone_from(&other.base_velocity);
        self.base_acceleration.clone_from(&other.base_acceleration);
        self.any_wrench = other.any_wrench;
    }
}

impl<T: Real> Boundary<T> {
    pub(crate) fn new(m: &Model<T>) -> Self {
        Boundary {
            base_velocity: Motion::zero(),
            base_acceleration: Motion::zero(),
            wrenches: vec![Force::zero(); m.body_count() + 1],
            any_wrench: false,
        }
    }

    /// Adds a wrench that the surroundings exert on a link: its force and its moment about the origin of the link's
    /// frame, in the link's axes.
    pub fn push_on(&mut self, m: &Model<T>, link: &str, wrench: Force<T>) -> Result<()> {
        let link = &m.links()[m.link(link)?];
        self.wrenches[link.body] += link.pose.force(wrench);
        self.any_wrench = true;
        Ok(())
    }

    /// Takes all wrenches away.
    pub fn clear_wrenches(&mut self) {
        self.wrenches.fill(Force::zero());
        self.any_wrench = false;
    }

    /// The wrench on each body (0 the base) in its own frame, if there is any.
    #[inline(always)]
    pub(crate) fn wrenches(&self) -> Option<&[Force<T>]> {
        if self.any_wrench { Some(&self.wrenches) } else { None }
    }

    /// The spatial acceleration of the base at its origin, gravity counted.
    #[inline(always)]
    pub(crate) fn spatial_acceleration(&self, gravity: Vec3<T>) -> Motion<T> {
        let (v, a) = (self.base_velocity, self.base_acceleration);
        Motion::new(a.angular, a.linear - gravity - v.angular.cross(v.linear))
    }

    /// How the base moves, gravity counted as an acceleration upward (Lau 5-34, corrected: −g).
    #[inline(always)]
    pub(crate) fn base(&self, gravity: Vec3<T>) -> Moving<T> {
        Moving {
            omega: self.base_velocity.angular,
            alpha: self.base_acceleration.angular,
            a: self.base_acceleration.linear - gravity,
        }
    }
}
