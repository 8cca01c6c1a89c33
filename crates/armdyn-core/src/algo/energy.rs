//! Energy, momentum and centre of mass of all that moves.
//!
//! Lin, Manipulator Dynamics, pp. 30–33, in the base's axes:
//!
//!   k = ½ Σ vᵢ · Iᵢ vᵢ + ½ q̇ᵀ (Gᵀ J G) q̇ + Σ J θ̇ e·ω_p,   u = −g · Σ m c
//!   momentum = Σ Iᵢ vᵢ + Σ J θ̇ e
//!
//! the last sums over the rotors that spin in a body p along e. Potential energy is zero where the centre of mass is at
//! the base's origin. The base rests; its own mass is counted nowhere here ([`Model::base_inertia`] has it).
//!
//! Deviations: Lin's u_ref is left out; drives are counted. Where the first joint floats, sums are taken about that
//! body and then moved to the base's origin: far from the base no digits are lost.

use super::KinematicsData;
use super::coriolis::body_velocities;
use super::on_tree::{OnTree, Tree};
use crate::error::Result;
use crate::model::Model;
use crate::scalar::Real;
use crate::spatial::{Force, Inertia, Motion, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// Workspace of [`energy`], [`momentum`] and [`centre_of_mass`].
#[derive(Clone, Debug)]
pub struct EnergyData<T> {
    kinematics: KinematicsData<T>,
    velocities: Vec<Motion<T>>,
    tree: Tree<T, EnergyData<T>>,
}

impl<T: Real> EnergyData<T> {
    /// Creates a workspace for a model.
    pub fn new(m: &Model<T>) -> Self {
        EnergyData {
            kinematics: KinematicsData::new(m),
            velocities: vec![Motion::zero(); m.body_count() + 1],
            tree: OnTree::new(m, EnergyData::new, |_| [0, 0]),
        }
    }

    /// Poses and velocities about a point near the robot; where in the base that point is.
    fn update(&mut self, m: &Model<T>, q: &[T], qd: &[T]) -> Result<Vec3<T>> {
        m.check_length("q", m.nq(), q.len())?;
        m.check_length("qd", m.nv(), qd.len())?;
        self.kinematics.check(m)?;
        self.kinematics.update_near(m, q, ());
        body_velocities(m, &self.kinematics.screws, qd, &mut self.velocities);
        Ok(-self.kinematics.poses[0].translation)
    }

    /// Each body's inertia and velocity, about that point.
    fn moving<'a>(&'a self, m: &'a Model<T>) -> impl Iterator<Item = (Inertia<T>, Motion<T>)> + 'a {
        m.base_to_tip().map(|(i, b)| (b.inertia.transformed(&self.kinematics.poses[i]), self.velocities[i]))
    }

    /// Each spinning rotor's angular momentum J θ̇ e in its carrier, and the carrier.
    fn spins<'a>(&'a self, m: &'a Model<T>, qd: &'a [T]) -> impl Iterator<Item = (Vec3<T>, usize)> + 'a {
        m.rotors().iter().filter_map(move |r| {
            let (body, axis) = r.mount?;
            Some((self.kinematics.poses[body].rotation.rotate(axis) * (r.inertia * r.speed(qd)), body))
        })
    }
}

/// Energy of a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy<T> {
    /// Kinetic energy, drives included \[J\].
    pub kinetic: T,
    /// Potential energy of gravity, zero at the base's origin \[J\].
    pub potential: T,
}

/// Momentum of a state, in the base's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momentum<T> {
    /// Linear momentum (`force`) and angular momentum about the base's origin (`moment`).
    pub about_origin: Force<T>,
    /// Linear momentum, and angular momentum about the centre of mass.
    pub about_centre: Force<T>,
}

/// Where the mass is, in the base's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CentreOfMass<T> {
    /// Total mass of what moves \[kg\].
    pub mass: T,
    /// Centre of mass \[m\].
    pub position: Vec3<T>,
    /// Its velocity \[m/s\].
    pub velocity: Vec3<T>,
}

/// Kinetic and potential energy.
///
/// ```
/// use armdyn_core::{BASE, EnergyData, Joint, Link, ModelBuilder, energy};
/// let mut robot = ModelBuilder::new("lift");
/// robot.add(BASE, Joint::prismatic("lift", [0.0, 0.0, 1.0]), Link::new("cabin").body(2.0, [0.0; 3], [0.0; 6]));
/// let model = robot.build()?;
/// let e = energy(&model, &mut EnergyData::new(&model), &[10.0], &[3.0])?;
/// assert_eq!((e.kinetic, e.potential), (9.0, 2.0 * 9.81 * 10.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn energy<T: Real>(m: &Model<T>, d: &mut EnergyData<T>, q: &[T], qd: &[T]) -> Result<Energy<T>> {
    if d.tree.is_some() {
        let (own, tree, _) = OnTree::at(&mut d.tree, m, q, Some(qd), None)?;
        return energy(tree, &mut own.data, &own.q, &own.qd);
    }
    let origin = d.update(m, q, qd)?;
    let (half, mut twice, mut moment) = (T::lift(0.5), T::zero(), Vec3::zero());
    for (inertia, v) in d.moving(m) {
        twice += v.dot(inertia.momentum(v));
        moment += origin.scale_add(inertia.mass, inertia.first);
    }
    for (&j, &v) in m.reflected.iter().zip(qd) {
        twice += j * v * v;
    }
    let mut kinetic = twice * half;
    for &(i, j, x) in &m.coupling {
        kinetic += x * qd[i] * qd[j];
    }
    for (spin, body) in d.spins(m, qd) {
        kinetic += spin.dot(d.velocities[body].angular);
    }
    let energy = Energy { kinetic, potential: -m.gravity.dot(moment) };
    m.check_finite_at("energy", energy.kinetic + energy.potential, m.nv(), &[("q", q), ("qd", qd)])?;
    Ok(energy)
}

/// Linear and angular momentum.
///
/// ```
/// use armdyn_core::{EnergyData, momentum};
/// let model = armdyn_core::examples::pendulum();
/// let p = momentum(&model, &mut EnergyData::new(&model), &[0.0], &[2.0])?;
/// assert!((p.about_origin.force.z - 2.0 * 0.5 * 2.0).abs() < 1e-12); // m r q̇, upwards
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn momentum<T: Real>(m: &Model<T>, d: &mut EnergyData<T>, q: &[T], qd: &[T]) -> Result<Momentum<T>> {
    if d.tree.is_some() {
        let (own, tree, _) = OnTree::at(&mut d.tree, m, q, Some(qd), None)?;
        return momentum(tree, &mut own.data, &own.q, &own.qd);
    }
    let origin = d.update(m, q, qd)?;
    let (mut near, mut all) = (Force::zero(), Inertia::zero());
    for (inertia, v) in d.moving(m) {
        near += inertia.momentum(v);
        all += inertia;
    }
    for (spin, _) in d.spins(m, qd) {
        near.moment += spin;
    }
    let about = |at: Vec3<T>| Force::new(near.moment - at.cross(near.force), near.force);
    // Without mass there is no linear momentum, and angular momentum is the same about every point.
    let centre = if all.mass.is_positive() { all.centre() } else { Vec3::zero() };
    let momentum = Momentum { about_origin: about(-origin), about_centre: about(centre) };
    let moment = momentum.about_centre.moment;
    m.check_finite_at("momentum", moment.x + moment.y + moment.z, m.nv(), &[("q", q), ("qd", qd)])?;
    Ok(momentum)
}

/// Mass, centre of mass and its velocity, of all that moves: without what is fixed to the base.
///
/// ```
/// use armdyn_core::{EnergyData, centre_of_mass};
/// let model = armdyn_core::examples::two_link_arm();
/// let c = centre_of_mass(&model, &mut EnergyData::new(&model), &[0.0, 0.0], &[0.0, 0.0])?;
/// assert!((c.mass - 2.0).abs() < 1e-12 && (c.position.x - 1.5).abs() < 1e-12);
/// # Ok::<(), armdyn_core::Error>(())
/// ```
pub fn centre_of_mass<T: Real>(m: &Model<T>, d: &mut EnergyData<T>, q: &[T], qd: &[T]) -> Result<CentreOfMass<T>> {
    if d.tree.is_some() {
        let (own, tree, _) = OnTree::at(&mut d.tree, m, q, Some(qd), None)?;
        return centre_of_mass(tree, &mut own.data, &own.q, &own.qd);
    }
    let origin = d.update(m, q, qd)?;
    let (mut linear, mut all) = (Vec3::zero(), Inertia::zero());
    for (inertia, v) in d.moving(m) {
        linear += inertia.momentum(v).force;
        all += inertia;
    }
    let (position, velocity) = (all.centre() + origin, linear * (T::one() / all.mass));
    let sum = position + velocity;
    m.check_finite_at("centre of mass", sum.x + sum.y + sum.z, m.nv(), &[("q", q), ("qd", qd)])?;
    Ok(CentreOfMass { mass: all.mass, position, velocity })
}
