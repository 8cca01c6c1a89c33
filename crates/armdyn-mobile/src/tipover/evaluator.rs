//! Stability of a robot at given states.

use crate::contact::{FrictionDemand, GroundReaction, Stability, Support};
use crate::{BaseMotion, invalid};
use armdyn_core::{Force, KinematicsData, Model, Progress, Real, RneaData, Vec3, kinematics, rnea};
use armdyn_numerics::Result;

/// Positions, velocities and accelerations of the joints.
pub type State<'a> = [&'a [f64]; 3];

/// A robot on its contacts, with a motion of its base; a slope is part of the model's gravity ([`Support::slope`]).
#[derive(Clone, Copy)]
pub struct TipoverCase<'a> {
    /// The robot.
    pub model: &'a Model<f64>,
    /// Its contacts.
    pub support: &'a Support,
    /// Motion of the base.
    pub base: BaseMotion,
    /// Progress of the analyses, with cancellation.
    pub progress: Progress<'a>,
}

impl TipoverCase<'_> {
    /// An evaluator with its own workspace.
    pub(super) fn evaluator(&self) -> StabilityEvaluator<'_> {
        StabilityEvaluator::new(self.model, self.support)
    }

    /// Fails if the robot is not stable at rest in a configuration.
    pub(super) fn require_stable_at_rest(&self, q: &[f64]) -> Result<()> {
        let zero = vec![0.0; self.model.nv()];
        let stability = self.evaluator().stability(&BaseMotion::rest(), [q, &zero, &zero])?;
        if stability.stable {
            return Ok(());
        }
        let edge = self.support.edge_name(stability.critical_edge);
        let beyond = stability.margin.map_or(String::new(), |d| format!(" ({:.4} m beyond the edge)", -d));
        invalid(format!(
            "the robot is not stable at rest in its initial configuration: it tips over {edge}{beyond}; change the configuration, the \
             payload or the contacts"
        ))
    }
}

/// Evaluates the stability of a robot state by state; the workspace is reused.
pub struct StabilityEvaluator<'a> {
    model: &'a Model<f64>,
    support: &'a Support,
    rnea: RneaData<f64>,
    kinematics: KinematicsData<f64>,
    tau: Vec<f64>,
}

impl<'a> StabilityEvaluator<'a> {
    /// An evaluator for a robot on a support; a slope is part of the model's gravity ([`Support::slope`]).
    #[must_use]
    pub fn new(model: &'a Model<f64>, support: &'a Support) -> Self {
        let (rnea, kinematics) = (RneaData::new(model), KinematicsData::new(model));
        StabilityEvaluator { model, support, rnea, kinematics, tau: vec![0.0; model.nv()] }
    }

    /// The wrench that the ground must exert on the base, about the base origin.
    fn wrench(&mut self, base: &BaseMotion, [q, qd, qdd]: State) -> Result<Force<f64>> {
        let boundary = &mut self.rnea.boundary;
        (boundary.base_velocity, boundary.base_acceleration) = (base.velocity, base.acceleration);
        rnea(self.model, &mut self.rnea, q, qd, qdd, &mut self.tau)?;
        Ok(self.rnea.base_wrench(self.model)?)
    }

    /// The ground reaction.
    pub fn ground_reaction(&mut self, base: &BaseMotion, state: State) -> Result<GroundReaction<f64>> {
        Ok(self.support.reaction(self.wrench(base, state)?))
    }

    /// Loads, zero-moment point and margins.
    pub fn stability(&mut self, base: &BaseMotion, state: State) -> Result<Stability> {
        let wrench = self.wrench(base, state)?;
        kinematics(self.model, &mut self.kinematics, state[0])?;
        let (mass, first) = first_moment(self.model, &self.kinematics)?;
        if mass <= 0.0 {
            return invalid("the robot has no mass; add inertial parameters to its links or base");
        }
        Ok(Stability::new(self.support, wrench, mass, first * (1.0 / mass)))
    }

    /// Tangential forces and the friction that they require.
    pub fn friction(&self, stability: &Stability, base: &BaseMotion) -> Result<FrictionDemand> {
        FrictionDemand::new(self.support, &stability.reaction, &stability.loads, base)
    }
}

/// Mass and first moment of base and arm about the base origin, in base axes.
pub(super) fn first_moment<T: Real>(m: &Model<T>, d: &KinematicsData<T>) -> Result<(T, Vec3<T>)> {
    let (mut mass, mut first) = (T::zero(), Vec3::zero());
    let links = m.link_ids().zip(m.links()).map(|(k, l)| (k, l.inertia()));
    for (link, inertia) in links.chain(m.payloads().iter().map(|p| (p.link, p.in_link))) {
        let pose = d.link_pose(m, link)?;
        first += pose.rotation.rotate(inertia.first) + pose.translation * inertia.mass;
        mass += inertia.mass;
    }
    Ok((mass, first))
}
