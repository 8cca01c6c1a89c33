//! The loads that a motion causes, link by link: what torques and wrenches are explained by (`explain.rs`).

use super::explain::{Cause, Contribution, Explanation, SplitBy, WrenchContribution, WrenchExplanation};
use super::rnea::{inertial_wrench, outward, spinning_moments};
use super::{Boundary, KinematicsData, RneaData, WrenchFrame, rnea};
use crate::error::Result;
use crate::model::{DofIndex, JointId, LinkId, Model};
use crate::scalar::Real;
use crate::spatial::{Force, Inertia, Transform, Vec3};
use alloc::vec;
use alloc::vec::Vec;

/// The load on a link: the wrench that it needs, in base axes.
type Load<T> = (LinkId, Force<T>);

/// What one cause contributes.
#[derive(Clone, Debug)]
struct Part<T> {
    cause: Cause,
    loads: Vec<Load<T>>,
    /// The torques, where they are not those of the loads: drives.
    torques: Option<Vec<T>>,
}

/// A motion under given boundary conditions, broken down into its causes.
///
/// ```
/// use armdyn_core::{Boundary, Breakdown, SplitBy, WrenchFrame};
/// let model = armdyn_core::examples::pendulum();
/// let breakdown = Breakdown::new(&model, &Boundary::at_rest(&model), &[0.0], &[2.0], &[0.0])?;
/// let joint = model.joint("pivot")?;
/// let wrench = breakdown.wrench(joint, WrenchFrame::Local, SplitBy::Link)?;
/// let sum: f64 = wrench.contributions.iter().map(|c| c.wrench.force.x).sum();
/// assert!((sum - wrench.total.force.x).abs() < 1e-12);
/// assert_eq!(breakdown.torques(SplitBy::Cause)?.len(), 1);
/// # Ok::<(), armdyn_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Breakdown<'a, T> {
    m: &'a Model<T>,
    kinematics: KinematicsData<T>,
    parts: Vec<Part<T>>,
    total: Vec<T>,
    /// The complete motion.
    data: RneaData<T>,
}

impl<'a, T: Real> Breakdown<'a, T> {
    /// Breaks a motion down.
    pub fn new(m: &'a Model<T>, boundary: &Boundary<T>, q: &[T], qd: &[T], qdd: &[T]) -> Result<Self> {
        boundary.check(m)?;
        let (mut data, mut total) = (RneaData::new(m), vec![T::zero(); m.nv()]);
        data.boundary.copy_from(boundary);
        rnea(m, &mut data, q, qd, qdd, &mut total)?;
        m.add_breakaway_torques(qd, qdd, &mut total)?;
        let mut kinematics = KinematicsData::new(m);
        kinematics.update_near(m, q, ());
        let mut found = Breakdown { m, kinematics, parts: vec![], total, data };
        found.inertia_and_velocity(q, qd, qdd)?;
        found.gravity();
        found.drives(q, qd, qdd)?;
        found.payloads(q, qd, qdd)?;
        if boundary.wrenches().is_some() {
            let on_link =
                |(k, info): (LinkId, usize)| (k, -found.kinematics.poses[info].force(boundary.on_link(k.index())));
            let loads = found.bodies().map(on_link).collect();
            found.add(Cause::External, loads);
        }
        found.base_motion(boundary, q, qd, qdd)?;
        Ok(found)
    }

    /// The torques, with the contributions of each cause or of each cause and link.
    pub fn torques(&self, by: SplitBy) -> Result<Vec<Explanation<T>>> {
        let explanation =
            |(k, &torque): (usize, &T)| Explanation { dof: DofIndex::new(k), torque, contributions: vec![] };
        let mut all: Vec<Explanation<T>> = self.total.iter().enumerate().map(explanation).collect();
        for part in &self.parts {
            if let Some(torques) = &part.torques {
                put(&mut all, part.cause, None, torques);
                continue;
            }
            // What is fixed to the base loads no joint that moves.
            let body = |link: LinkId| self.m.links()[link].body;
            let mut sum = vec![T::zero(); self.m.nv()];
            if part.cause.link().is_some_and(|link| body(link) == 0) {
                continue;
            }
            for &(link, wrench) in part.loads.iter().filter(|(link, _)| body(*link) != 0) {
                let torques = self.holding_torques(body(link), wrench)?;
                match by {
                    SplitBy::Link => put(&mut all, part.cause, Some(link), &torques),
                    SplitBy::Cause => sum.iter_mut().zip(&torques).for_each(|(s, t)| *s += *t),
                }
            }
            if by == SplitBy::Cause {
                put(&mut all, part.cause, None, &sum);
            }
        }
        Ok(all)
    }

    /// The wrench that a joint transmits to its child link, in a frame, with the contributions of each cause or of each cause and
    /// link. The joint may be fixed.
    pub fn wrench(&self, joint: JointId, frame: WrenchFrame<T>, by: SplitBy) -> Result<WrenchExplanation<T>> {
        let m = self.m;
        let total = self.data.wrenches(m, joint, frame)?[0].total;
        let info = &m.joints()[joint];
        let link = |k: LinkId| self.kinematics.poses[m.links()[k].body].compose(&m.links()[k].pose);
        let child = link(info.child);
        let frame = match frame {
            WrenchFrame::Local => child,
            WrenchFrame::Parent => link(info.parent),
            WrenchFrame::LocalWorldAligned => Transform::from_translation(child.translation),
            WrenchFrame::World => self.kinematics.poses[0],
            WrenchFrame::At(pose) => child.compose(&pose),
        };
        let inverse = frame.inverse();
        // The links outboard of the joint; a child comes after its parent.
        let mut outboard = vec![false; m.links().len()];
        outboard[info.child.index()] = true;
        for j in m.joints().iter().filter(|j| j.child > info.child) {
            outboard[j.child.index()] = outboard[j.parent.index()];
        }
        let own = |cause: Cause| match cause {
            Cause::CouplingInertia { dof } if info.v.len() == 1 && info.v.contains(&dof.index()) => Cause::OwnInertia,
            cause => cause,
        };
        let mut contributions = vec![];
        for part in self.parts.iter().filter(|p| !p.loads.is_empty()) {
            let cause = own(part.cause);
            let mut sum = Force::zero();
            for &(link, wrench) in part.loads.iter().filter(|(link, _)| outboard[link.index()]) {
                let wrench = inverse.force(wrench);
                match by {
                    SplitBy::Link => contributions.push(WrenchContribution { cause, link: Some(link), wrench }),
                    SplitBy::Cause => sum += wrench,
                }
            }
            if by == SplitBy::Cause {
                contributions.push(WrenchContribution { cause, link: cause.link(), wrench: sum });
            }
        }
        Ok(WrenchExplanation { joint, total, contributions })
    }

    fn add(&mut self, cause: Cause, loads: Vec<Load<T>>) {
        self.parts.push(Part { cause, loads, torques: None });
    }

    /// The links with the number of their body.
    fn bodies(&self) -> impl Iterator<Item = (LinkId, usize)> + 'a {
        let m = self.m;
        m.link_ids().zip(m.links()).map(|(k, info)| (k, info.body))
    }

    /// The wrenches that move the links, without payloads, in a motion.
    fn link_loads(&self, motion: &RneaData<T>) -> Vec<Load<T>> {
        let m = self.m;
        m.link_ids()
            .zip(m.links())
            .map(|(k, info)| (k, self.moving(motion, info.body, info.inertia().transformed(&info.pose))))
            .collect()
    }

    /// The wrenches that move the payloads in a motion.
    fn payload_loads(&self, motion: &RneaData<T>) -> Vec<Load<T>> {
        let load = |link: LinkId, inertia| (link, self.moving(motion, self.m.links()[link].body, inertia));
        self.m.payloads().iter().map(|p| load(p.link, p.inertia)).collect()
    }

    /// The wrench that moves an inertia of a body, in base axes.
    fn moving(&self, motion: &RneaData<T>, body: usize, inertia: Inertia<T>) -> Force<T> {
        let s = motion.state(body);
        self.kinematics.poses[body].force(inertial_wrench(&s.moving, &s.u, &inertia, &inertia.moments()))
    }

    /// The moments of spinning rotors on the links that carry them, in a motion of the tree.
    fn spin_loads(&self, motion: &mut RneaData<T>, qd: &[T], qdd: &[T]) -> Vec<Load<T>> {
        let tree = self.m.tree();
        spinning_moments(tree, motion, qd, qdd);
        let mut loads = vec![];
        for (r, &moment) in tree.rotors().iter().zip(&motion.spins) {
            let Some((body, _)) = r.mount else { continue };
            let Some(link) = r.link.or_else(|| self.bodies().find(|b| b.1 == body).map(|b| b.0)) else { continue };
            loads.push((link, self.kinematics.poses[body].force(Force::new(moment, Vec3::zero()))));
        }
        loads
    }

    /// M q̈ and C q̇: one joint, or two, at a time.
    fn inertia_and_velocity(&mut self, q: &[T], qd: &[T], qdd: &[T]) -> Result<()> {
        let m = self.m;
        let weightless = m.with_gravity(Vec3::zero());
        let (tree, n) = (weightless.tree(), m.nv());
        let (positions, zero) = (m.tree_positions(q)?, vec![T::zero(); n]);
        let mut motion = RneaData::new(tree);
        let mut loads = |this: &Self, qd: &[T], qdd: &[T]| -> Result<Vec<Load<T>>> {
            outward(tree, &mut motion, &positions, &m.tree_rates(qd)?, &m.tree_rates(qdd)?);
            Ok(this.link_loads(&motion))
        };
        let mut only = zero.clone();
        for j in 0..n {
            only[j] = qdd[j];
            let found = loads(self, &zero, &only)?;
            only[j] = T::zero();
            self.add(Cause::CouplingInertia { dof: DofIndex::new(j) }, found);
        }
        let mut alone: Vec<Vec<Load<T>>> = Vec::with_capacity(n);
        for j in 0..n {
            only[j] = qd[j];
            alone.push(loads(self, &only, &zero)?);
            self.add(Cause::Centrifugal { dof: DofIndex::new(j) }, alone[j].clone());
            for k in 0..j {
                only[k] = qd[k];
                let mut both = loads(self, &only, &zero)?;
                only[k] = T::zero();
                for ((b, one), other) in both.iter_mut().zip(&alone[j]).zip(&alone[k]) {
                    b.1 -= one.1 + other.1;
                }
                self.add(Cause::Coriolis { dof: DofIndex::new(k), with: DofIndex::new(j) }, both);
            }
            only[j] = T::zero();
        }
        Ok(())
    }

    fn gravity(&mut self) {
        let g = self.m.gravity;
        for (link, info) in self.m.link_ids().zip(self.m.links()) {
            let pose = self.kinematics.poses[info.body].compose(&info.pose);
            let inertia = info.inertia().transformed(&pose);
            let lift = Force::new(g.cross(inertia.first), g * -inertia.mass);
            self.add(Cause::Gravity { link }, vec![(link, lift)]);
        }
    }

    fn drives(&mut self, q: &[T], qd: &[T], qdd: &[T]) -> Result<()> {
        let m = self.m;
        let unloaded = m.without_payloads();
        let rotors = difference(
            torques(&unloaded.without_friction(), None, q, qd, qdd)?,
            &torques(&unloaded.without_drives(), None, q, qd, qdd)?,
        );
        let mut loads = vec![];
        if m.structure.has_spinning {
            let mut motion = self.complete(None, q, qd, qdd)?;
            loads = self.spin_loads(&mut motion, &m.tree_rates(qd)?, &m.tree_rates(qdd)?);
        }
        self.parts.push(Part { cause: Cause::Rotor, loads, torques: Some(rotors) });
        let n = m.nv();
        let viscous = (0..n).map(|i| m.friction[i].viscous_torque(qd[i])).collect();
        let dry = |i: usize| m.friction[i].dry_torque(qd[i]) + m.friction[i].breakaway_torque(qd[i], qdd[i]);
        let dry = (0..n).map(dry).collect();
        for (cause, torques) in [(Cause::Viscous, viscous), (Cause::Coulomb, dry)] {
            self.parts.push(Part { cause, loads: vec![], torques: Some(torques) });
        }
        Ok(())
    }

    fn payloads(&mut self, q: &[T], qd: &[T], qdd: &[T]) -> Result<()> {
        if !self.m.payloads().is_empty() {
            let loads = self.payload_loads(&self.complete(None, q, qd, qdd)?);
            self.add(Cause::Payload, loads);
        }
        Ok(())
    }

    /// What the motion of the base adds to links, payloads and spinning rotors.
    fn base_motion(&mut self, boundary: &Boundary<T>, q: &[T], qd: &[T], qdd: &[T]) -> Result<()> {
        let m = self.m;
        let mut moved = self.complete(Some(boundary), q, qd, qdd)?;
        let mut resting = self.complete(None, q, qd, qdd)?;
        let all = |motion: &RneaData<T>| [self.link_loads(motion), self.payload_loads(motion)].concat();
        let loads = subtracted(all(&moved), &all(&resting));
        self.add(Cause::BaseMotion, loads);
        if m.structure.has_spinning {
            let (rates, accelerations) = (m.tree_rates(qd)?, m.tree_rates(qdd)?);
            let spins = self.spin_loads(&mut moved, &rates, &accelerations);
            let spins = subtracted(spins, &self.spin_loads(&mut resting, &rates, &accelerations));
            let mut still = boundary.clone();
            still.clear_wrenches();
            let with = difference(torques(m, Some(&still), q, qd, qdd)?, &torques(m, None, q, qd, qdd)?);
            let bare = m.without_drives();
            let without = difference(torques(&bare, Some(&still), q, qd, qdd)?, &torques(&bare, None, q, qd, qdd)?);
            let torques = Some(difference(with, &without));
            self.parts.push(Part { cause: Cause::BaseMotion, loads: spins, torques });
        }
        Ok(())
    }

    /// The motion of the tree, with gravity; the base moves as in `boundary`, or rests.
    fn complete(&self, boundary: Option<&Boundary<T>>, q: &[T], qd: &[T], qdd: &[T]) -> Result<RneaData<T>> {
        let m = self.m;
        let mut motion = RneaData::new(m.tree());
        if let Some(b) = boundary {
            motion.boundary.copy_from(b);
        }
        outward(m.tree(), &mut motion, &m.tree_positions(q)?, &m.tree_rates(qd)?, &m.tree_rates(qdd)?);
        Ok(motion)
    }

    /// The torques in equilibrium with a wrench on a body, given in base axes.
    fn holding_torques(&self, body: usize, wrench: Force<T>) -> Result<Vec<T>> {
        let tree = self.m.tree();
        let mut tau = vec![T::zero(); tree.nv()];
        for v in tree.support_dofs(body) {
            tau[v] = self.kinematics.screws[v].dot(wrench);
        }
        self.m.reduced_torques(&tau)
    }
}

impl Cause {
    /// The link of a weight.
    fn link(self) -> Option<LinkId> {
        match self {
            Cause::Gravity { link } => Some(link),
            _ => None,
        }
    }
}

/// Adds a contribution to each torque; to one of the same cause and link if there is one already.
fn put<T: Real>(all: &mut [Explanation<T>], cause: Cause, link: Option<LinkId>, torques: &[T]) {
    let link = link.or(cause.link());
    for (i, (e, &torque)) in all.iter_mut().zip(torques).enumerate() {
        let cause = match cause {
            Cause::CouplingInertia { dof } if dof.index() == i => Cause::OwnInertia,
            cause => cause,
        };
        match e.contributions.last_mut() {
            Some(last) if (last.cause, last.link) == (cause, link) => last.torque += torque,
            _ => e.contributions.push(Contribution { cause, link, torque }),
        }
    }
}

/// τ by `rnea`.
fn torques<T: Real>(m: &Model<T>, boundary: Option<&Boundary<T>>, q: &[T], qd: &[T], qdd: &[T]) -> Result<Vec<T>> {
    let (mut data, mut tau) = (RneaData::new(m), vec![T::zero(); m.nv()]);
    if let Some(b) = boundary {
        data.boundary.copy_from(b);
    }
    rnea(m, &mut data, q, qd, qdd, &mut tau)?;
    Ok(tau)
}

fn difference<T: Real>(mut a: Vec<T>, b: &[T]) -> Vec<T> {
    a.iter_mut().zip(b).for_each(|(a, b)| *a -= *b);
    a
}

fn subtracted<T: Real>(mut a: Vec<Load<T>>, b: &[Load<T>]) -> Vec<Load<T>> {
    a.iter_mut().zip(b).for_each(|(a, b)| a.1 -= b.1);
    a
}
