//! Where every newton-metre comes from: each joint torque as named shares that add up to `rnea`.
//!
//! Bejczy 1974, §III–VII, asked it of one arm: τᵢ = Σ Dᵢⱼ q̈ⱼ + Σ Dᵢⱼₖ q̇ⱼ q̇ₖ + Dᵢ. The inertia shares are the elements
//! of M; a velocity torque is a quadratic form c(q̇), so that
//!
//!   centrifugal of j:  c(q̇ⱼ eⱼ)          Coriolis of j and k:  c(q̇ⱼ eⱼ + q̇ₖ eₖ) − c(q̇ⱼ eⱼ) − c(q̇ₖ eₖ)
//!
//! which holds for joints of every kind. Gravity is split by link. What payloads, rotors, a moving base add is the
//! difference that each makes, so that the other shares are those of the bare robot.

use super::{Boundary, CrbaData, KinematicsData, RneaData, crba, rnea};
use crate::error::Result;
use crate::model::{LinkId, Model};
use crate::scalar::Real;
use crate::spatial::{Force, Vec3};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

/// What a share of a torque is due to. Degrees of freedom and links by their numbers in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The joint's own acceleration.
    OwnInertia,
    /// The acceleration of another joint.
    CouplingInertia {
        /// The one that accelerates.
        joint: usize,
    },
    /// The speed of one joint, squared.
    Centrifugal {
        /// The one that moves.
        joint: usize,
    },
    /// The speeds of two joints, multiplied.
    Coriolis {
        /// The one.
        joint: usize,
        /// The other, after it.
        with: usize,
    },
    /// The weight of a link.
    Gravity {
        /// The link.
        link: usize,
    },
    /// Rotors: reflected inertia, gear coupling, gyroscopic effect.
    Rotor,
    /// Viscous friction.
    Viscous,
    /// Dry friction: Coulomb and Stribeck.
    Coulomb,
    /// Weight and inertia of all payloads.
    Payload,
    /// Wrenches from outside.
    External,
    /// The motion of the base.
    BaseMotion,
}

impl Cause {
    /// In words, with the names of joints and links: `Coriolis of elbow and wrist`.
    pub fn describe<T: Real>(self, m: &Model<T>) -> String {
        let dof = |i: usize| &m.dof_names()[i];
        match self {
            Cause::OwnInertia => "own inertia".to_string(),
            Cause::CouplingInertia { joint } => format!("inertia coupled from {}", dof(joint)),
            Cause::Centrifugal { joint } => format!("centrifugal of {}", dof(joint)),
            Cause::Coriolis { joint, with } => format!("Coriolis of {} and {}", dof(joint), dof(with)),
            Cause::Gravity { link } => format!("weight of {}", m.links()[link].name),
            Cause::Rotor => "rotor".to_string(),
            Cause::Viscous => "viscous friction".to_string(),
            Cause::Coulomb => "dry friction".to_string(),
            Cause::Payload => "payload".to_string(),
            Cause::External => "external wrenches".to_string(),
            Cause::BaseMotion => "motion of the base".to_string(),
        }
    }

    /// The kind it is of: `own inertia`, `coupling inertia`, `centrifugal`, `Coriolis`, `gravity`, `rotor`, ….
    pub fn kind(self) -> &'static str {
        match self {
            Cause::OwnInertia => "own inertia",
            Cause::CouplingInertia { .. } => "coupling inertia",
            Cause::Centrifugal { .. } => "centrifugal",
            Cause::Coriolis { .. } => "Coriolis",
            Cause::Gravity { .. } => "gravity",
            Cause::Rotor => "rotor",
            Cause::Viscous => "viscous friction",
            Cause::Coulomb => "dry friction",
            Cause::Payload => "payload",
            Cause::External => "external",
            Cause::BaseMotion => "base motion",
        }
    }
}

/// A share of a torque.
#[derive(Clone, Copy, Debug)]
pub struct Share<T> {
    /// What it is due to.
    pub cause: Cause,
    /// How much \[N m or N\].
    pub torque: T,
}

/// The torque of one degree of freedom, and its shares.
#[derive(Clone, Debug)]
pub struct Explanation<T> {
    /// The degree of freedom.
    pub joint: usize,
    /// Its torque, by `rnea`.
    pub torque: T,
    /// What it is made of. Every cause that the model can have is listed, shares that are zero too.
    pub shares: Vec<Share<T>>,
}

/// Explains the torques of a motion, with the boundary conditions given (see [`RneaData::boundary`]).
pub fn explain<T: Real>(
    m: &Model<T>,
    boundary: &Boundary<T>,
    q: &[T],
    qd: &[T],
    qdd: &[T],
) -> Result<Vec<Explanation<T>>> {
    let n = m.nv();
    boundary.check(m)?;
    let zero = vec![T::zero(); n];
    let torques = |m: &Model<T>, boundary: Option<&Boundary<T>>, qd: &[T], qdd: &[T]| -> Result<Vec<T>> {
        let mut data = RneaData::new(m);
        if let Some(b) = boundary {
            data.boundary.copy_from(b);
        }
        let mut tau = zero.clone();
        rnea(m, &mut data, q, qd, qdd, &mut tau)?;
        Ok(tau)
    };
    let total = torques(m, Some(boundary), qd, qdd)?;
    let mut all: Vec<Explanation<T>> =
        total.iter().enumerate().map(|(joint, &torque)| Explanation { joint, torque, shares: vec![] }).collect();

    let unloaded = m.without_payloads();
    let bare = unloaded.without_drives();
    let weightless = bare.with_gravity(Vec3::zero());

    let mut mass = vec![T::zero(); n * n];
    crba(&bare, &mut CrbaData::new(&bare), q, &mut mass)?;
    for (i, e) in all.iter_mut().enumerate() {
        for j in 0..n {
            let cause = if i == j { Cause::OwnInertia } else { Cause::CouplingInertia { joint: j } };
            e.shares.push(Share { cause, torque: mass[i * n + j] * qdd[j] });
        }
    }

    let mut alone = Vec::with_capacity(n);
    for j in 0..n {
        let mut only = zero.clone();
        only[j] = qd[j];
        alone.push(torques(&weightless, None, &only, &zero)?);
        add(&mut all, Cause::Centrifugal { joint: j }, |i| alone[j][i]);
        for k in 0..j {
            only[k] = qd[k];
            let both = torques(&weightless, None, &only, &zero)?;
            only[k] = T::zero();
            add(&mut all, Cause::Coriolis { joint: k, with: j }, |i| both[i] - alone[j][i] - alone[k][i]);
        }
    }

    let mut kinematics = KinematicsData::new(m);
    kinematics.update_near(m, q, |_, _, _| ());
    for (link, info) in m.links().iter().enumerate() {
        if info.body == 0 {
            continue;
        }
        let inertia = info.inertia().transformed(&kinematics.link_pose(m, LinkId::new(link))?);
        let lift = Force::new(m.gravity.cross(inertia.first), m.gravity * -inertia.mass);
        let tau = pushed(m, &kinematics, info.body, lift);
        add(&mut all, Cause::Gravity { link }, |i| tau[i]);
    }

    let still = torques(&bare, None, qd, qdd)?;
    let driven = torques(&unloaded.without_friction(), None, qd, qdd)?;
    add(&mut all, Cause::Rotor, |i| driven[i] - still[i]);
    add(&mut all, Cause::Viscous, |i| m.friction[i].viscous_torque(qd[i]));
    add(&mut all, Cause::Coulomb, |i| m.friction[i].dry_torque(qd[i]));
    if !m.payloads().is_empty() {
        let loaded = torques(&m.without_friction(), None, qd, qdd)?;
        add(&mut all, Cause::Payload, |i| loaded[i] - driven[i]);
    }
    if let Some(wrenches) = boundary.wrenches() {
        let mut tau = zero.clone();
        for (body, _) in m.base_to_tip() {
            let push = pushed(m, &kinematics, body, kinematics.poses[body].force(-wrenches[body]));
            tau.iter_mut().zip(push).for_each(|(t, p)| *t += p);
        }
        add(&mut all, Cause::External, |i| tau[i]);
    }
    let mut moving = boundary.clone();
    moving.clear_wrenches();
    let (moved, resting) = (torques(m, Some(&moving), qd, qdd)?, torques(m, None, qd, qdd)?);
    add(&mut all, Cause::BaseMotion, |i| moved[i] - resting[i]);
    Ok(all)
}

fn add<T: Real>(all: &mut [Explanation<T>], cause: Cause, torque: impl Fn(usize) -> T) {
    for (i, e) in all.iter_mut().enumerate() {
        e.shares.push(Share { cause, torque: torque(i) });
    }
}

/// The torques that hold a wrench, given in the base's frame, on a body.
fn pushed<T: Real>(m: &Model<T>, k: &KinematicsData<T>, body: usize, wrench: Force<T>) -> Vec<T> {
    let mut tau = vec![T::zero(); m.nv()];
    for v in m.support_dofs(body) {
        tau[v] = k.screws[v].dot(wrench);
    }
    tau
}
