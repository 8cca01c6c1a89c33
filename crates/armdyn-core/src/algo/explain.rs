//! Breaks each joint torque, and each joint wrench, down into its physical causes. The contributions to a torque add up to `rnea`,
//! with the static friction of joints at rest that start to move (`breakaway.rs`); those to a wrench add up to `wrenches.rs`.
//!
//! Bejczy 1974, §III–VII: τᵢ = Σ Dᵢⱼ q̈ⱼ + Σ Dᵢⱼₖ q̇ⱼ q̇ₖ + Dᵢ; Lau 1985, ch. 3: each of these is a sum over the links j whose
//! mass causes it. The wrench that moves a link is linear in q̈ and, apart from that, a quadratic form c(q̇), so that
//!
//!   centrifugal of j:  c(q̇ⱼ eⱼ)          Coriolis of j and k:  c(q̇ⱼ eⱼ + q̇ₖ eₖ) − c(q̇ⱼ eⱼ) − c(q̇ₖ eₖ)
//!
//! which holds for joints of every kind. A torque is the projection of the wrenches of the outboard links on the joint's screw,
//! a joint wrench is their sum. Payloads, rotors and base motion contribute the difference that each makes, so that the other
//! contributions are those of the bare robot. The reflected inertia of rotors and friction act within the drive: they are
//! part of the torque, not of the wrench.

use super::Boundary;
use super::breakdown::Breakdown;
use crate::error::Result;
use crate::model::{DofIndex, JointId, LinkId, Model};
use crate::scalar::Real;
use crate::spatial::Force;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

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
    /// The link whose mass, payload or external wrench it comes from, if contributions are split by link; always for gravity.
    pub link: Option<LinkId>,
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

/// One term of a joint wrench.
#[derive(Clone, Copy, Debug)]
pub struct WrenchContribution<T> {
    /// Its physical cause.
    pub cause: Cause,
    /// The link that it comes from, as for [`Contribution::link`].
    pub link: Option<LinkId>,
    /// Its value.
    pub wrench: Force<T>,
}

/// The wrench that a joint transmits to its child link, broken down into contributions.
#[derive(Clone, Debug)]
pub struct WrenchExplanation<T> {
    /// The joint.
    pub joint: JointId,
    /// The wrench, by [`RneaData::wrenches`](super::RneaData::wrenches).
    pub total: Force<T>,
    /// The contributions. Friction and the reflected inertia of rotors are not among them: they act within the drive.
    pub contributions: Vec<WrenchContribution<T>>,
}

/// How finely contributions are split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SplitBy {
    /// By cause: the acceleration of a joint, a pair of velocities, the weight of a link.
    #[default]
    Cause,
    /// By cause and link.
    Link,
}

/// Explains the torques of a motion under the given boundary conditions (see [`RneaData::boundary`](super::RneaData)).
/// [`Breakdown`] also splits by link, and explains wrenches.
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
    Breakdown::new(m, boundary, q, qd, qdd)?.torques(SplitBy::Cause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::WrenchFrame;
    use crate::model::{BASE, Joint, Link, ModelBuilder};
    use crate::spatial::{Transform, vec3};

    /// Two point masses at the ends of two rods, in a vertical plane: l₁ = 0.5, l₂ = 0.3, m₁ = 2, m₂ = 1.5; z is up, the joints
    /// turn about −y, so that q is the angle above the horizontal.
    fn two_links() -> Model<f64> {
        let mut b = ModelBuilder::new("two links");
        let axis = [0.0, -1.0, 0.0];
        let upper = Link::new("upper").body(2.0, [0.5, 0.0, 0.0], [0.0; 6]);
        let upper = b.add(BASE, Joint::revolute("shoulder", axis), upper);
        let elbow = Joint::revolute("elbow", axis).at(Transform::from_translation(vec3(0.5, 0.0, 0.0)));
        b.add(upper, elbow, Link::new("lower").body(1.5, [0.3, 0.0, 0.0], [0.0; 6]));
        b.build().unwrap()
    }

    #[test]
    fn contributions_of_two_links_by_hand() {
        let m = two_links();
        let (q, qd, qdd): ([f64; 2], [f64; 2], [f64; 2]) = ([0.4, 0.7], [1.1, -0.6], [0.9, 2.0]);
        let (l1, l2, m1, m2, g) = (0.5, 0.3, 2.0, 1.5, 9.81);
        let (c2, s2, c1, c12) = (q[1].cos(), q[1].sin(), q[0].cos(), (q[0] + q[1]).cos());
        let found = Breakdown::new(&m, &Boundary::at_rest(&m), &q, &qd, &qdd).unwrap();
        let torques = found.torques(SplitBy::Link).unwrap();
        let [upper, lower] = ["upper", "lower"].map(|name| m.link(name).unwrap());
        let [first, second] = [0, 1].map(DofIndex::new);
        let coriolis = Cause::Coriolis { dof: first, with: second };
        let h = m2 * l1 * l2 * s2;
        let expected = [
            (0, Cause::OwnInertia, upper, m1 * l1 * l1 * qdd[0]),
            (0, Cause::OwnInertia, lower, m2 * (l1 * l1 + l2 * l2 + 2.0 * l1 * l2 * c2) * qdd[0]),
            (0, Cause::CouplingInertia { dof: second }, upper, 0.0),
            (0, Cause::CouplingInertia { dof: second }, lower, m2 * (l2 * l2 + l1 * l2 * c2) * qdd[1]),
            (0, Cause::Centrifugal { dof: second }, lower, -h * qd[1] * qd[1]),
            (0, Cause::Centrifugal { dof: second }, upper, 0.0),
            (0, coriolis, lower, -2.0 * h * qd[0] * qd[1]),
            (0, Cause::Gravity { link: upper }, upper, m1 * g * l1 * c1),
            (0, Cause::Gravity { link: lower }, lower, m2 * g * (l1 * c1 + l2 * c12)),
            (1, Cause::CouplingInertia { dof: first }, lower, m2 * (l2 * l2 + l1 * l2 * c2) * qdd[0]),
            (1, Cause::OwnInertia, lower, m2 * l2 * l2 * qdd[1]),
            (1, Cause::Centrifugal { dof: first }, lower, h * qd[0] * qd[0]),
            (1, Cause::Centrifugal { dof: first }, upper, 0.0),
            (1, coriolis, lower, 0.0),
            (1, Cause::Gravity { link: upper }, upper, 0.0),
            (1, Cause::Gravity { link: lower }, lower, m2 * g * l2 * c12),
        ];
        for (i, cause, link, value) in expected {
            let of = |c: &&Contribution<f64>| c.cause == cause && c.link == Some(link);
            let c = torques[i].contributions.iter().find(of).unwrap();
            assert!((c.torque - value).abs() < 1e-14 * 30.0, "joint {i}, {cause:?}, {link:?}: {} {value}", c.torque);
        }
        // The force at the shoulder along the upper arm, which q̇₁² alone causes: −m₁ l₁ q̇₁² by the upper link,
        // −m₂ (l₁ + l₂ cos q₂) q̇₁² by the lower one; and the weights.
        let wrench = found.wrench(m.joint("shoulder").unwrap(), WrenchFrame::Local, SplitBy::Link).unwrap();
        let expected = [
            (Cause::Centrifugal { dof: first }, upper, -m1 * l1 * qd[0] * qd[0]),
            (Cause::Centrifugal { dof: first }, lower, -m2 * (l1 + l2 * c2) * qd[0] * qd[0]),
            (Cause::Centrifugal { dof: second }, lower, -m2 * l2 * c2 * qd[1] * qd[1]),
            (coriolis, lower, -2.0 * m2 * l2 * c2 * qd[0] * qd[1]),
            (Cause::CouplingInertia { dof: second }, lower, -m2 * l2 * s2 * qdd[1]),
            (Cause::OwnInertia, lower, -m2 * l2 * s2 * qdd[0]),
            (Cause::Gravity { link: upper }, upper, m1 * g * q[0].sin()),
        ];
        for (cause, link, value) in expected {
            let of = |c: &&WrenchContribution<f64>| c.cause == cause && c.link == Some(link);
            let c = wrench.contributions.iter().find(of).unwrap();
            let x = c.wrench.force.x;
            assert!((x - value).abs() < 1e-14 * 30.0, "{cause:?}, {link:?}: {x} {value}");
        }
    }
}
