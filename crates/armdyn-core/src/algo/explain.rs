//! Breaks each joint torque down into its physical causes; the contributions add up to `rnea`, with the static friction of joints at
//! rest that start to move (`breakaway.rs`).
//!
//! Bejczy 1974, §III–VII: τᵢ = Σ Dᵢⱼ q̈ⱼ + Σ Dᵢⱼₖ q̇ⱼ q̇ₖ + Dᵢ. The inertia contributions are the elements of M times the
//! accelerations. The velocity torque is a quadratic form c(q̇), so that
//!
//!   centrifugal of j:  c(q̇ⱼ eⱼ)          Coriolis of j and k:  c(q̇ⱼ eⱼ + q̇ₖ eₖ) − c(q̇ⱼ eⱼ) − c(q̇ₖ eₖ)
//!
//! which holds for joints of every kind. Gravity is split by link. Payloads, rotors and base motion contribute the
//! difference that each makes, so that the other contributions are those of the bare robot.

use super::{Boundary, CrbaData, KinematicsData, RneaData, crba, rnea};
use crate::error::Result;
use crate::model::{DofIndex, LinkId, Model};
use crate::scalar::Real;
use crate::spatial::{Force, Vec3};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

/// The physical cause of a contribution to a torque.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The joint's own acceleration.
    OwnInertia,
    /// The acceleration of another joint.
    CouplingInertia {
        /// The accelerating degree of freedom.
        dof: DofIndex,
    },
    /// The squared velocity of one joint.
    Centrifugal {
        /// The moving degree of freedom.
        dof: DofIndex,
    },
    /// The product of two joint velocities.
    Coriolis {
        /// The degree of freedom with the lower index.
        dof: DofIndex,
        /// The degree of freedom with the higher index.
        with: DofIndex,
    },
    /// The weight of a link.
    Gravity {
        /// The link.
        link: LinkId,
    },
    /// Rotors: reflected inertia, gear coupling, gyroscopic effect.
    Rotor,
    /// Viscous friction.
    Viscous,
    /// Dry friction: Coulomb and Stribeck; static friction where a joint at rest starts to move.
    Coulomb,
    /// Weight and inertia of all payloads.
    Payload,
    /// External wrenches.
    External,
    /// The motion of the base.
    BaseMotion,
}

impl Cause {
    /// In words, with the names of joints and links: `Coriolis of elbow and wrist`.
    pub fn describe<T: Real>(self, m: &Model<T>) -> String {
        let name = |dof: DofIndex| &m.dof_names()[dof.index()];
        match self {
            Cause::CouplingInertia { dof } => format!("inertia coupled from {}", name(dof)),
            Cause::Centrifugal { dof } => format!("centrifugal of {}", name(dof)),
            Cause::Coriolis { dof, with } => format!("Coriolis of {} and {}", name(dof), name(with)),
            Cause::Gravity { link } => format!("weight of {}", m.links()[link].name),
            Cause::External => "external wrenches".to_string(),
            Cause::BaseMotion => "motion of the base".to_string(),
            _ => self.kind().to_string(),
        }
    }

    /// The kind of cause: `own inertia`, `coupling inertia`, `centrifugal`, `Coriolis`, `gravity`, `rotor`, ….
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

/// One term of a joint torque.
#[derive(Clone, Copy, Debug)]
pub struct Contribution<T> {
    /// Its physical cause.
    pub cause: Cause,
    /// Its value \[N m or N\].
    pub torque: T,
}

/// The torque of one degree of freedom, broken down into contributions.
#[derive(Clone, Debug)]
pub struct Explanation<T> {
    /// The degree of freedom.
    pub dof: DofIndex,
    /// Its torque, by `rnea` and [`Model::add_breakaway_torques`].
    pub torque: T,
    /// The contributions. Every cause that the model can have is listed, zero contributions too.
    pub contributions: Vec<Contribution<T>>,
}

/// Explains the torques of a motion under the given boundary conditions (see [`RneaData::boundary`]).
///
/// ```
/// use armdyn_core::{Boundary, Cause, explain};
/// let model = armdyn_core::examples::pendulum();
/// let rod = model.link("rod")?;
/// let torques = explain(&model, &Boundary::at_rest(&model), &[0.0], &[0.0], &[3.0])?;
/// let value = |cause| torques[0].contributions.iter().find(|c| c.cause == cause).unwrap().torque;
/// assert!((value(Cause::OwnInertia) - 2.0 * 0.25 * 3.0).abs() < 1e-12); // m r² q̈
/// assert!((value(Cause::Gravity { link: rod }) - 2.0 * 9.81 * 0.5).abs() < 1e-12); // m g r cos q
/// # Ok::<(), armdyn_core::Error>(())
/// ```
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
    let mut total = torques(m, Some(boundary), qd, qdd)?;
    m.add_breakaway_torques(qd, qdd, &mut total)?;
    let mut all: Vec<Explanation<T>> = total
        .iter()
        .enumerate()
        .map(|(k, &torque)| Explanation { dof: DofIndex::new(k), torque, contributions: vec![] })
        .collect();

    let unloaded = m.without_payloads();
    let bare = unloaded.without_drives();
    let weightless = bare.with_gravity(Vec3::zero());

    let mut mass = vec![T::zero(); n * n];
    crba(&bare, &mut CrbaData::new(&bare), q, &mut mass)?;
    for (i, e) in all.iter_mut().enumerate() {
        for j in 0..n {
            let cause = if i == j { Cause::OwnInertia } else { Cause::CouplingInertia { dof: DofIndex::new(j) } };
            e.contributions.push(Contribution { cause, torque: mass[i * n + j] * qdd[j] });
        }
    }

    let mut alone = Vec::with_capacity(n);
    for j in 0..n {
        let mut only = zero.clone();
        only[j] = qd[j];
        alone.push(torques(&weightless, None, &only, &zero)?);
        add(&mut all, Cause::Centrifugal { dof: DofIndex::new(j) }, |i| alone[j][i]);
        for k in 0..j {
            only[k] = qd[k];
            let both = torques(&weightless, None, &only, &zero)?;
            only[k] = T::zero();
            add(&mut all, Cause::Coriolis { dof: DofIndex::new(k), with: DofIndex::new(j) }, |i| {
                both[i] - alone[j][i] - alone[k][i]
            });
        }
    }

    let mut kinematics = KinematicsData::new(m);
    kinematics.update_near(m, q, ());
    for (link, info) in m.link_ids().zip(m.links()) {
        if info.body == 0 {
            continue;
        }
        let inertia = info.inertia().transformed(&kinematics.link_pose(m, link)?);
        let lift = Force::new(m.gravity.cross(inertia.first), m.gravity * -inertia.mass);
        let tau = holding_torques(m, &kinematics, info.body, lift)?;
        add(&mut all, Cause::Gravity { link }, |i| tau[i]);
    }

    let still = torques(&bare, None, qd, qdd)?;
    let driven = torques(&unloaded.without_friction(), None, qd, qdd)?;
    add(&mut all, Cause::Rotor, |i| driven[i] - still[i]);
    add(&mut all, Cause::Viscous, |i| m.friction[i].viscous_torque(qd[i]));
    add(&mut all, Cause::Coulomb, |i| m.friction[i].dry_torque(qd[i]) + m.friction[i].breakaway_torque(qd[i], qdd[i]));
    if !m.payloads().is_empty() {
        let loaded = torques(&m.without_friction(), None, qd, qdd)?;
        add(&mut all, Cause::Payload, |i| loaded[i] - driven[i]);
    }
    if boundary.wrenches().is_some() {
        let mut tau = zero.clone();
        boundary.external_torques(m, &kinematics, &mut tau)?;
        add(&mut all, Cause::External, |i| -tau[i]);
    }
    let mut moving = boundary.clone();
    moving.clear_wrenches();
    let (moved, resting) = (torques(m, Some(&moving), qd, qdd)?, torques(m, None, qd, qdd)?);
    add(&mut all, Cause::BaseMotion, |i| moved[i] - resting[i]);
    Ok(all)
}

fn add<T: Real>(all: &mut [Explanation<T>], cause: Cause, torque: impl Fn(usize) -> T) {
    for (i, e) in all.iter_mut().enumerate() {
        e.contributions.push(Contribution { cause, torque: torque(i) });
    }
}

/// The torques in equilibrium with a wrench on a body, given in the base's frame.
fn holding_torques<T: Real>(m: &Model<T>, k: &KinematicsData<T>, body: usize, wrench: Force<T>) -> Result<Vec<T>> {
    let tree = m.tree();
    let mut tau = vec![T::zero(); tree.nv()];
    for v in tree.support_dofs(body) {
        tau[v] = k.screws[v].dot(wrench);
    }
    m.reduced_torques(&tau)
}
