//! The model of a manipulator: immutable, a tree of bodies, no temporaries.

use super::beam::Beam;
use super::contact::Contact;
use super::drive::{Friction, Limits};
use super::followers::{Follower, Rows};
use super::ids::{DofIndex, JointId, LinkId};
use super::joint::JointKind;
use super::link::Part;
use super::pair::Pair;
use super::tool::Tool;
use crate::error::{Error, Result};
use crate::scalar::Real;
use crate::spatial::{Inertia, Sym3, Transform, Vec3};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

/// A moving body, the child of one kinematic pair. Its frame's z axis is the pair's axis.
#[derive(Clone, Copy, Debug)]
pub struct Body<T> {
    /// The body before it; 0 is the base.
    pub parent: usize,
    /// Its kinematic pair.
    pub pair: Pair<T>,
    /// Its pose in the parent where q is neutral.
    pub placement: Transform<T>,
    /// Its inertia, all parts and payloads, in its own frame.
    pub inertia: Inertia<T>,
    /// ∫ r rᵀ dm = ½ tr(I) 1 − I, the second moments in another arrangement.
    pub moments: Sym3<T>,
    /// Index of its first coordinate in q; its leader's if it follows another joint.
    pub q: usize,
    /// Index of its first degree of freedom; its leader's if it follows another joint.
    pub v: usize,
    /// Whether it follows another joint ([`Model::followers`]).
    pub follows: bool,
}

impl<T: Real> Body<T> {
    /// Its degrees of freedom; those of its leader if it follows another joint.
    pub fn dofs(&self) -> Range<usize> {
        self.v..self.v + self.pair.nv()
    }

    pub(crate) fn set_inertia(&mut self, inertia: Inertia<T>) {
        self.inertia = inertia;
        self.moments = inertia.moments();
    }
}

/// A joint as described, and its positions in q, q̇ and the bodies.
#[derive(Clone, Debug)]
pub struct JointInfo {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: JointKind,
    /// The link it starts from.
    pub parent: LinkId,
    /// The link it moves.
    pub child: LinkId,
    /// The pose of the child link's frame in the parent link's frame where q is neutral.
    pub placement: Transform<f64>,
    /// The bodies that its pairs move, base to tip; none for a fixed joint.
    pub bodies: Range<usize>,
    /// Its coordinates in q; none if it follows another joint ([`Model::followers`]).
    pub q: Range<usize>,
    /// Its degrees of freedom; none if it follows another joint.
    pub v: Range<usize>,
}

/// A link as described, and the body that it belongs to.
#[derive(Clone, Debug)]
pub struct LinkInfo<T> {
    /// Its name.
    pub name: String,
    /// The body that it is, or that it is merged with; 0 is the base.
    pub body: usize,
    /// The pose of the link's frame in the body's.
    pub pose: Transform<T>,
    /// Its rigid parts.
    pub parts: Vec<Part<T>>,
    /// Elastic beam, if the link is not rigid.
    pub beam: Option<Beam>,
}

impl<T: Real> LinkInfo<T> {
    /// The inertia of all parts, in the link's frame.
    pub fn inertia(&self) -> Inertia<T> {
        self.parts.iter().fold(Inertia::zero(), |sum, p| sum + p.inertia)
    }
}

/// A rotor: its speed is Σ gear · q̇ over the degrees of freedom it is geared to.
#[derive(Clone, Debug)]
pub struct RotorInfo<T> {
    /// The degrees of freedom that it drives.
    pub name: String,
    /// Moment of inertia about its axis.
    pub inertia: T,
    /// Degrees of freedom and gear ratios.
    pub gear: Vec<(DofIndex, T)>,
    /// The body that carries it and its axis in that body's axes, if its gyroscopic effect counts.
    pub mount: Option<(usize, Vec3<T>)>,
    /// The link that carries it, if its gyroscopic effect counts.
    pub link: Option<LinkId>,
    /// Its axis in that link's frame as described, if its gyroscopic effect counts.
    pub axis: Option<[f64; 3]>,
}

impl<T: Real> RotorInfo<T> {
    /// Gear ratios with the positions of their degrees of freedom in q̇.
    #[inline(always)]
    pub(crate) fn gears(&self) -> impl Iterator<Item = (usize, T)> {
        self.gear.iter().map(|&(dof, ratio)| (dof.index(), ratio))
    }

    /// Its speed θ̇ at the joint velocities `qd`; its acceleration at `qdd`.
    #[inline(always)]
    pub fn speed(&self, qd: &[T]) -> T {
        self.gears().fold(T::zero(), |sum, (dof, g)| g.mul_add(qd[dof], sum))
    }
}

/// A payload on a link.
#[derive(Clone, Debug)]
pub struct Payload<T> {
    /// Its name.
    pub name: String,
    /// The link that carries it.
    pub link: LinkId,
    /// Its inertia in the body's frame.
    pub inertia: Inertia<T>,
    /// Its inertia in the link's frame.
    pub in_link: Inertia<T>,
}

/// A property of the model that is probably a mistake, although the model can be used.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// The link or joint.
    pub subject: String,
    /// The problem.
    pub text: String,
}

/// A manipulator: a tree of rigid bodies, joints, drives. Immutable.
#[derive(Clone, Debug)]
#[must_use]
pub struct Model<T> {
    pub(crate) structure: Structure,
    pub(crate) gravity: Vec3<T>,
    pub(crate) base: Inertia<T>,
    pub(crate) bodies: Vec<Body<T>>,
    pub(crate) links: Vec<LinkInfo<T>>,
    pub(crate) payloads: Vec<Payload<T>>,
    pub(crate) armature: Vec<T>,
    pub(crate) rotors: Vec<RotorInfo<T>>,
    pub(crate) friction: Vec<Friction<T>>,
    /// Diagonal of Gᵀ J G + armature.
    pub(crate) reflected: Vec<T>,
    /// Off-diagonal elements (i < j) of Gᵀ J G.
    pub(crate) coupling: Vec<(usize, usize, T)>,
    /// The model in which every joint has coordinates of its own, if joints follow others (`followers.rs`).
    pub(crate) tree: Option<Box<Model<T>>>,
}

/// The part of a model that is the same over every scalar.
#[derive(Clone, Debug, Default)]
pub(crate) struct Structure {
    pub name: String,
    pub joints: Vec<JointInfo>,
    pub limits: Vec<Limits>,
    pub stiffness: Vec<f64>,
    pub contacts: Vec<Contact>,
    /// The tool of the description.
    pub tool: Option<Tool>,
    pub dof_names: Vec<String>,
    pub dof_bodies: Vec<usize>,
    pub warnings: Vec<Warning>,
    pub nq: usize,
    /// The parent of each degree of freedom in the tree, counted from 1; 0 is the base.
    pub dof_parents: Vec<usize>,
    pub branches: bool,
    pub has_friction: bool,
    pub has_spinning: bool,
    /// Whether a body is massless.
    pub has_massless: bool,
    /// Whether bodies have other parameters than their links and payloads ([`Model::with_bodies`]).
    pub has_changed_bodies: bool,
    pub followers: Vec<Follower>,
    /// G of s = G q + o, if there are followers.
    pub rows: Rows,
    /// Fingerprint of the data that a workspace depends on.
    pub shape: u64,
}

impl<T: Real> Model<T> {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.structure.name
    }

    /// Length of q.
    #[inline(always)]
    pub fn nq(&self) -> usize {
        self.structure.nq
    }

    /// Length of q̇, q̈, τ: degrees of freedom. Joints that follow others have none.
    #[inline(always)]
    pub fn nv(&self) -> usize {
        self.structure.dof_names.len()
    }

    /// Number of moving bodies; they are numbered from 1, after the base.
    #[inline(always)]
    pub fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// The moving bodies with their numbers, parent before child.
    #[inline(always)]
    pub fn base_to_tip(&self) -> impl DoubleEndedIterator<Item = (usize, &Body<T>)> + ExactSizeIterator {
        self.bodies.iter().enumerate().map(|(k, b)| (k + 1, b))
    }

    /// The moving bodies with their numbers, child before parent.
    #[inline(always)]
    pub fn tip_to_base(&self) -> impl Iterator<Item = (usize, &Body<T>)> {
        self.base_to_tip().rev()
    }

    /// A moving body, by its number (1 …).
    ///
    /// # Panics
    /// If there is no such body; the base, 0, is none.
    #[inline(always)]
    pub fn body(&self, number: usize) -> &Body<T> {
        &self.bodies[number - 1]
    }

    /// The base's own inertia: links fixed to the world.
    pub fn base_inertia(&self) -> &Inertia<T> {
        &self.base
    }

    /// Mass of all links, rotors and payloads \[kg\], the base included.
    pub fn total_mass(&self) -> T {
        self.base_to_tip().fold(self.base.mass, |sum, (_, body)| sum + body.inertia.mass)
    }

    /// Gravity \[m/s²\], in the base's axes.
    pub fn gravity(&self) -> Vec3<T> {
        self.gravity
    }

    /// The joints, fixed ones included.
    pub fn joints(&self) -> &[JointInfo] {
        &self.structure.joints
    }

    /// The links, merged ones included; 0 is the base.
    pub fn links(&self) -> &[LinkInfo<T>] {
        &self.links
    }

    /// The payloads.
    pub fn payloads(&self) -> &[Payload<T>] {
        &self.payloads
    }

    /// Contacts of the base with the ground.
    pub fn contacts(&self) -> &[Contact] {
        &self.structure.contacts
    }

    /// Stiffness of each degree of freedom \[N m/rad or N/m\]; infinite where it is rigid.
    pub fn joint_stiffness(&self) -> &[f64] {
        &self.structure.stiffness
    }

    /// Inertia at the joint's side of each drive.
    pub fn armature(&self) -> &[T] {
        &self.armature
    }

    /// Reflected inertia of each drive: armature, and rotor inertia times the square of the gear ratio.
    pub fn reflected_inertia(&self) -> &[T] {
        &self.reflected
    }

    /// The rotors.
    pub fn rotors(&self) -> &[RotorInfo<T>] {
        &self.rotors
    }

    /// Friction of each degree of freedom.
    pub fn friction(&self) -> &[Friction<T>] {
        &self.friction
    }

    /// Limits of each degree of freedom.
    pub fn limits(&self) -> &[Limits] {
        &self.structure.limits
    }

    /// The name of each degree of freedom.
    pub fn dof_names(&self) -> &[String] {
        &self.structure.dof_names
    }

    /// The body that each degree of freedom moves.
    pub fn dof_bodies(&self) -> &[usize] {
        &self.structure.dof_bodies
    }

    /// Probable mistakes in the model.
    pub fn warnings(&self) -> &[Warning] {
        &self.structure.warnings
    }

    /// Finds a link by name.
    pub fn link(&self, name: &str) -> Result<LinkId> {
        let index = self.links.iter().position(|l| l.name == name);
        index.map(LinkId::new).ok_or_else(|| Error::NoSuchLink { name: name.to_string() })
    }

    /// Finds a joint by name.
    pub fn joint(&self, name: &str) -> Result<JointId> {
        let index = self.structure.joints.iter().position(|j| j.name == name);
        index.map(JointId::new).ok_or_else(|| Error::NoSuchJoint { name: name.to_string() })
    }

    /// Finds a degree of freedom by name.
    pub fn dof(&self, name: &str) -> Result<DofIndex> {
        let index = self.structure.dof_names.iter().position(|n| n == name);
        index.map(DofIndex::new).ok_or_else(|| Error::NoSuchDof { name: name.to_string() })
    }

    /// The indices of all links, parent before child; the first is the base.
    pub fn link_ids(&self) -> impl DoubleEndedIterator<Item = LinkId> + ExactSizeIterator + use<T> {
        (0..self.links.len()).map(LinkId::new)
    }

    /// The link that was added last: the tip of a serial arm.
    pub fn last_link(&self) -> LinkId {
        LinkId::new(self.links.len() - 1)
    }

    /// The indices of all joints.
    pub fn joint_ids(&self) -> impl DoubleEndedIterator<Item = JointId> + ExactSizeIterator + use<T> {
        (0..self.structure.joints.len()).map(JointId::new)
    }

    /// Whether body `ancestor` is `body` or an ancestor of it.
    pub fn is_ancestor(&self, ancestor: usize, mut body: usize) -> bool {
        while body > ancestor {
            body = self.body(body).parent;
        }
        body == ancestor
    }

    /// Whether drives couple degrees of freedom, by gears or by gyroscopic rotors: then their contribution to M is not
    /// diagonal.
    pub fn has_coupled_drives(&self) -> bool {
        self.structure.has_spinning || !self.coupling.is_empty()
    }

    /// Whether M⁻¹ needs a factorisation of M: something other than the tree of bodies couples degrees of freedom.
    pub(crate) fn is_coupled_beyond_tree(&self) -> bool {
        self.has_coupled_drives() || self.tree.is_some()
    }

    /// The degrees of freedom between `dof`, included, and the base.
    #[inline(always)]
    pub(crate) fn ancestor_dofs(&self, dof: usize) -> impl Iterator<Item = usize> + Clone {
        core::iter::successors(Some(dof), |&v| self.structure.dof_parents[v].checked_sub(1))
    }

    /// The degrees of freedom between a body, its own included, and the base.
    #[inline(always)]
    pub(crate) fn support_dofs(&self, body: usize) -> impl Iterator<Item = usize> + Clone {
        let last = if body == 0 { 0 } else { self.body(body).dofs().end };
        core::iter::successors(last.checked_sub(1), |&v| self.structure.dof_parents[v].checked_sub(1))
    }
}
