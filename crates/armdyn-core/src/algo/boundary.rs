//! Boundary conditions: the motion of the base, and external wrenches on links.

use super::KinematicsData;
use crate::error::Result;
use crate::model::{LinkId, Model, Moving};
use crate::scalar::Real;
use crate::spatial::{Force, Motion, Transform, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// The axes of an external wrench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrenchAxes {
    /// The base's.
    Base,
    /// The link's.
    Link,
}

/// A wrench that the surroundings exert on a link at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExternalWrench<T> {
    /// The link.
    pub link: LinkId,
    /// The point, in the link's frame.
    pub at: Vec3<T>,
    /// The axes of force and moment.
    pub axes: WrenchAxes,
    /// The force at the point and the moment about it.
    pub wrench: Force<T>,
}

/// Boundary conditions of a call. In a new workspace the base is at rest and there are no wrenches.
#[derive(Clone, Debug)]
pub struct Boundary<T> {
    /// Velocity of the base: angular, and linear of its origin, in the base's axes.
    pub base_velocity: Motion<T>,
    /// Acceleration of the base: angular, and linear *of its origin* (not the spatial acceleration), in its axes.
    pub base_acceleration: Motion<T>,
    /// On each link and on each body, both in the body's frame.
    on_links: Vec<Force<T>>,
    on_bodies: Vec<Force<T>>,
    any_wrench: bool,
    shape: u64,
}

impl<T: Real> Boundary<T> {
    /// The base at rest, no external wrenches.
    #[must_use]
    pub fn at_rest(m: &Model<T>) -> Self {
        Boundary {
            base_velocity: Motion::zero(),
            base_acceleration: Motion::zero(),
            on_links: vec![Force::zero(); m.links().len()],
            on_bodies: vec![Force::zero(); m.body_count() + 1],
            any_wrench: false,
            shape: m.structure.shape,
        }
    }

    /// Adds a wrench that the surroundings exert on a link: its force and its moment about the origin of the link's
    /// frame, in the link's axes.
    pub fn add_external_wrench(&mut self, m: &Model<T>, link: LinkId, wrench: Force<T>) -> Result<()> {
        self.check(m)?;
        m.check_link(link)?;
        let info = &m.links()[link];
        let wrench = info.pose.force(wrench);
        self.on_links[link.index()] += wrench;
        self.on_bodies[info.body] += wrench;
        self.any_wrench = true;
        Ok(())
    }

    /// Replaces all wrenches by these, at the configuration of `kinematics`.
    pub fn set_external_wrenches(
        &mut self,
        m: &Model<T>,
        kinematics: &KinematicsData<T>,
        wrenches: &[ExternalWrench<T>],
    ) -> Result<()> {
        self.clear_wrenches();
        for ExternalWrench { link, at, axes, wrench } in wrenches {
            let Force { moment, force } = match axes {
                WrenchAxes::Link => *wrench,
                WrenchAxes::Base => {
                    let pose = kinematics.link_pose(m, *link)?;
                    Transform::from_rotation(pose.rotation).force_back(*wrench)
                }
            };
            self.add_external_wrench(m, *link, Force::new(moment + at.cross(force), force))?;
        }
        Ok(())
    }

    /// The torques Jᵀ w of all wrenches on the links, at the configuration of `kinematics`. In equilibrium the drives
    /// supply −Jᵀ w: M q̈ + C q̇ + g = τ + Jᵀ w, without friction.
    ///
    /// ```
    /// use armdyn_core::{Boundary, Force, KinematicsData, Vec3, kinematics, vec3};
    /// let model = armdyn_core::examples::pendulum();
    /// let mut boundary = Boundary::at_rest(&model);
    /// boundary.add_external_wrench(&model, model.link("rod")?, Force::new(vec3(0.0, 3.0, 0.0), Vec3::zero()))?;
    /// let (mut data, mut tau) = (KinematicsData::new(&model), [0.0]);
    /// kinematics(&model, &mut data, &[0.4])?;
    /// boundary.external_torques(&model, &data, &mut tau)?;
    /// assert!((tau[0].abs() - 3.0).abs() < 1e-12); // a moment about the axis
    /// # Ok::<(), armdyn_core::Error>(())
    /// ```
    pub fn external_torques(&self, m: &Model<T>, kinematics: &KinematicsData<T>, tau: &mut [T]) -> Result<()> {
        self.check(m)?;
        kinematics.check(m)?;
        m.check_length("tau", m.nv(), tau.len())?;
        tau.fill(T::zero());
        for (body, _) in m.base_to_tip() {
            let wrench = kinematics.poses[body].force(self.on_bodies[body]);
            for v in m.tree().support_dofs(body) {
                let torque = kinematics.screws[v].dot(wrench);
                match m.following() {
                    None => tau[v] += torque,
                    Some((_, rows)) => tau[rows.rates()[v].index] += rows.rates()[v].times(torque),
                }
            }
        }
        Ok(())
    }

    /// Removes all wrenches.
    pub fn clear_wrenches(&mut self) {
        self.on_links.fill(Force::zero());
        self.on_bodies.fill(Force::zero());
        self.any_wrench = false;
    }

    /// `Err` unless created for a model of this shape.
    #[inline(always)]
    pub(crate) fn check(&self, m: &Model<T>) -> Result<()> {
        m.check_made_for("boundary", self.shape)
    }

    /// Copies another's conditions, for the same model; allocates nothing.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.base_velocity = other.base_velocity;
        self.base_acceleration = other.base_acceleration;
        self.on_links.copy_from_slice(&other.on_links);
        self.on_bodies.copy_from_slice(&other.on_bodies);
        self.any_wrench = other.any_wrench;
    }

    /// The wrench on a link, in its body's frame.
    pub(crate) fn on_link(&self, link: usize) -> Force<T> {
        self.on_links[link]
    }

    /// The wrench on each body (0 the base) in its own frame, if there is any.
    #[inline(always)]
    pub(crate) fn wrenches(&self) -> Option<&[Force<T>]> {
        if self.any_wrench { Some(&self.on_bodies) } else { None }
    }

    /// The spatial acceleration of the base at its origin, gravity included.
    #[inline(always)]
    pub(crate) fn spatial_acceleration(&self, gravity: Vec3<T>) -> Motion<T> {
        let (v, a) = (self.base_velocity, self.base_acceleration);
        Motion::new(a.angular, a.linear - gravity - v.angular.cross(v.linear))
    }

    /// The motion of the base, gravity included as an upward acceleration (Lau 5-34, corrected: −g).
    #[inline(always)]
    pub(crate) fn base(&self, gravity: Vec3<T>) -> Moving<T> {
        Moving {
            omega: self.base_velocity.angular,
            alpha: self.base_acceleration.angular,
            a: self.base_acceleration.linear - gravity,
        }
    }
}
