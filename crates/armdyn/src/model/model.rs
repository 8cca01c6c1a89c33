//! The model of a manipulator: immutable, a tree of bodies, no temporaries.

use super::drive::{Friction, Limits};
use super::joint::JointKind;
use super::link::Part;
use super::pair::Pair;
use crate::error::{Error, Result};
use crate::scalar::Real;
use crate::spatial::{Inertia, Sym3, Transform, Vec3};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

/// A moving body, behind one kinematic pair. Its frame's z axis is the pair's.
#[derive(Clone, Copy, Debug)]
pub struct Body<T> {
    /// The body before it; 0 is the base.
    pub parent: usize,
    /// How it moves.
    pub pair: Pair<T>,
    /// Its pose in the parent where q is neutral.
    pub placement: Transform<T>,
    /// Its inertia, all parts and payloads, in its own frame.
    pub inertia: Inertia<T>,
    /// ∫ r rᵀ dm = ½ tr(I) 1 − I, the same second moments otherwise arranged.
    pub moments: Sym3<T>,
    /// Where its part of q begins.
    pub q: usize,
    /// Where its part of q̇ begins.
    pub v: usize,
}

impl<T: Real> Body<T> {
    /// Its part of q̇.
    pub fn dofs(&self) -> Range<usize> {
        self.v..self.v + self.pair.nv()
    }

    pub(crate) fn set_inertia(&mut self, inertia: Inertia<T>) {
        self.inertia = inertia;
        self.moments = inertia.moments();
    }
}

/// A joint as it was described, and where it is in q, q̇ and among the bodies.
#[derive(Clone, Debug)]
pub struct JointInfo {
    /// Its name.
    pub name: String,
    /// What it allows.
    pub kind: JointKind,
    /// The link it starts from.
    pub parent: usize,
    /// The link it moves.
    pub child: usize,
    /// The bodies behind its pairs, base to tip; none for a fixed joint.
    pub bodies: Range<usize>,
    /// Its part of q.
    pub q: Range<usize>,
    /// Its part of q̇.
    pub v: Range<usize>,
}

/// A link as it was described, and the body it belongs to.
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
}

impl<T: Real> LinkInfo<T> {
    /// All its parts together, in the link's frame.
    pub fn inertia(&self) -> Inertia<T> {
        self.parts.iter().fold(Inertia::zero(), |sum, p| sum + p.inertia)
    }
}

/// A rotor: its speed is Σ gear · q̇ over the degrees of freedom it is geared to.
#[derive(Clone, Debug)]
pub struct RotorInfo<T> {
    /// Moment of inertia about its axis.
    pub inertia: T,
    /// Degrees of freedom and gear ratios.
    pub gear: Vec<(usize, T)>,
    /// The body that carries it and its axis in that body's axes, if its gyroscopic effect counts.
    pub mount: Option<(usize, Vec3<T>)>,
}

impl<T: Real> RotorInfo<T> {
    /// Its speed θ̇ at the joint velocities `qd`; its acceleration at `qdd`.
    pub fn speed(&self, qd: &[T]) -> T {
        self.gear.iter().fold(T::zero(), |sum, &(dof, g)| g.mul_add(qd[dof], sum))
    }
}

/// A payload on a link.
#[derive(Clone, Debug)]
pub struct Payload<T> {
    /// Its name.
    pub name: String,
    /// The link that carries it.
    pub link: usize,
    /// Its inertia in the body's frame.
    pub inertia: Inertia<T>,
}

/// The inputs of a call with their names, to tell which one is not finite.
pub(crate) type Inputs<'a, T> = &'a [(&'static str, &'a [T])];

/// Something of the model that a careful person would look at.
#[derive(Clone, Debug, PartialEq)]
pub struct Flag {
    /// The link or joint.
    pub subject: String,
    /// What is odd about it.
    pub text: String,
}

/// A manipulator: a tree of rigid bodies, joints, drives. Immutable.
#[derive(Clone, Debug)]
pub struct Model<T> {
    pub(crate) name: String,
    pub(crate) gravity: Vec3<T>,
    pub(crate) base: Inertia<T>,
    pub(crate) bodies: Vec<Body<T>>,
    pub(crate) joints: Vec<JointInfo>,
    pub(crate) links: Vec<LinkInfo<T>>,
    pub(crate) payloads: Vec<Payload<T>>,
    pub(crate) armature: Vec<T>,
    pub(crate) rotors: Vec<RotorInfo<T>>,
    pub(crate) friction: Vec<Friction<T>>,
    pub(crate) limits: Vec<Limits>,
    pub(crate) dof_names: Vec<String>,
    pub(crate) dof_bodies: Vec<usize>,
    pub(crate) flags: Vec<Flag>,
    pub(crate) nq: usize,
    /// Diagonal of Gᵀ J G + armature.
    pub(crate) reflected: Vec<T>,
    /// Off-diagonal elements (i < j) of Gᵀ J G.
    pub(crate) coupling: Vec<(usize, usize, T)>,
    /// The degree of freedom before each one on the way to the base, counted from 1; 0 is the base.
    pub(crate) dof_parents: Vec<usize>,
    pub(crate) branches: bool,
    /// The degrees of freedom that each one carries, one after the other, and where each one's begin.
    pub(crate) carried: (Vec<usize>, Vec<usize>),
    pub(crate) has_friction: bool,
    pub(crate) has_spinning: bool,
}

impl<T: Real> Model<T> {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Length of q.
    #[inline(always)]
    pub fn nq(&self) -> usize {
        self.nq
    }

    /// Length of q̇, q̈, τ: degrees of freedom.
    #[inline(always)]
    pub fn nv(&self) -> usize {
        self.dof_names.len()
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
    #[inline(always)]
    pub fn body(&self, number: usize) -> &Body<T> {
        &self.bodies[number - 1]
    }

    /// The base's own inertia: links fixed to the world.
    pub fn base_inertia(&self) -> &Inertia<T> {
        &self.base
    }

    /// Gravity \[m/s²\], in the base's axes.
    pub fn gravity(&self) -> Vec3<T> {
        self.gravity
    }

    /// The joints, fixed ones included.
    pub fn joints(&self) -> &[JointInfo] {
        &self.joints
    }

    /// The links, merged ones included; 0 is the base.
    pub fn links(&self) -> &[LinkInfo<T>] {
        &self.links
    }

    /// The payloads.
    pub fn payloads(&self) -> &[Payload<T>] {
        &self.payloads
    }

    /// Inertia at the joint's side of each drive.
    pub fn armature(&self) -> &[T] {
        &self.armature
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
        &self.limits
    }

    /// The name of each degree of freedom.
    pub fn dof_names(&self) -> &[String] {
        &self.dof_names
    }

    /// The body that each degree of freedom moves.
    pub fn dof_bodies(&self) -> &[usize] {
        &self.dof_bodies
    }

    /// What is odd about the model though it can be computed with.
    pub fn flags(&self) -> &[Flag] {
        &self.flags
    }

    /// A link's number by its name.
    pub fn link(&self, name: &str) -> Result<usize> {
        let found = self.links.iter().position(|l| l.name == name);
        found.ok_or_else(|| Error::NoSuchLink { name: name.to_string() })
    }

    /// Whether body `ancestor` is `body` or lies between it and the base.
    pub fn carries(&self, ancestor: usize, mut body: usize) -> bool {
        while body > ancestor {
            body = self.body(body).parent;
        }
        body == ancestor
    }

    /// Whether drives couple degrees of freedom, by gears or by rotors that spin in a moving body: then M is not
    /// that of a tree of bodies with a diagonal added.
    pub fn has_coupled_drives(&self) -> bool {
        self.has_spinning || !self.coupling.is_empty()
    }

    /// With a payload: `inertia`, given in a frame that has `pose` in the link's frame.
    pub fn with_payload(&self, name: &str, link: &str, inertia: Inertia<T>, pose: Transform<T>) -> Result<Self> {
        let link = self.link(link)?;
        let at = &self.links[link];
        let inertia = inertia.seen_from(&at.pose.compose(&pose));
        let mut loaded = self.clone();
        match at.body {
            0 => loaded.base += inertia,
            b => {
                let body = &mut loaded.bodies[b - 1];
                body.set_inertia(body.inertia + inertia);
            }
        }
        loaded.payloads.push(Payload { name: name.to_string(), link, inertia });
        Ok(loaded)
    }

    /// Without payloads.
    pub fn without_payloads(&self) -> Self {
        let mut bare = self.clone();
        for p in &self.payloads {
            match self.links[p.link].body {
                0 => bare.base = Inertia::zero(),
                b => bare.bodies[b - 1].set_inertia(Inertia::zero()),
            }
        }
        // Summed anew, not subtracted: no digit is lost.
        for link in &self.links {
            let inertia = link.inertia().seen_from(&link.pose);
            let loaded = self.payloads.iter().any(|p| self.links[p.link].body == link.body);
            match link.body {
                _ if !loaded => {}
                0 => bare.base += inertia,
                b => {
                    let body = &mut bare.bodies[b - 1];
                    body.set_inertia(body.inertia + inertia);
                }
            }
        }
        bare.payloads.clear();
        bare
    }

    /// Without friction.
    pub fn without_friction(&self) -> Self {
        let friction = self.friction.iter().map(|_| Friction::none()).collect();
        Model { friction, has_friction: false, ..self.clone() }
    }

    /// With ideal drives: no friction, no rotors, no armature.
    pub fn without_drives(&self) -> Self {
        let nothing: Vec<T> = self.armature.iter().map(|_| T::zero()).collect();
        Model {
            armature: nothing.clone(),
            reflected: nothing,
            rotors: Vec::new(),
            coupling: Vec::new(),
            has_spinning: false,
            ..self.without_friction()
        }
    }

    /// With another gravity.
    pub fn with_gravity(&self, gravity: Vec3<T>) -> Self {
        Model { gravity, ..self.clone() }
    }

    /// The degrees of freedom on the way from `dof`, itself included, to the base.
    #[inline(always)]
    pub(crate) fn way_from(&self, dof: usize) -> impl Iterator<Item = usize> + Clone {
        core::iter::successors(Some(dof), |&v| self.dof_parents[v].checked_sub(1))
    }

    /// The degrees of freedom on the way from a body, its own included, to the base.
    #[inline(always)]
    pub(crate) fn way_to_base(&self, body: usize) -> impl Iterator<Item = usize> + Clone {
        let last = if body == 0 { 0 } else { self.body(body).dofs().end };
        core::iter::successors(last.checked_sub(1), |&v| self.dof_parents[v].checked_sub(1))
    }

    /// The degrees of freedom that `dof` carries, itself left out.
    #[inline(always)]
    pub(crate) fn carried(&self, dof: usize) -> &[usize] {
        let (all, starts) = &self.carried;
        &all[starts[dof]..starts[dof + 1]]
    }

    /// `Err` unless all have the lengths that the model asks for.
    #[inline(always)]
    pub(crate) fn check_shapes(&self, q: &[T], qd: &[T], qdd: &[T], tau: &[T]) -> Result<()> {
        self.check_length("q", self.nq(), q.len())?;
        self.check_length("qd", self.nv(), qd.len())?;
        self.check_length("qdd", self.nv(), qdd.len())?;
        self.check_length("tau", self.nv(), tau.len())
    }

    /// `Err` unless a workspace was made for a model of this shape.
    #[inline(always)]
    pub(crate) fn check_workspace(&self, nq: usize, nodes: usize) -> Result<()> {
        self.check_length("workspace (coordinates)", self.nq(), nq)?;
        self.check_length("workspace (bodies)", self.body_count() + 1, nodes)
    }

    /// `Err` unless `found` values are what `what` must have.
    #[inline(always)]
    pub(crate) fn check_length(&self, what: &'static str, expected: usize, found: usize) -> Result<()> {
        if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
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
    pub(crate) fn not_finite(&self, what: &'static str, dof: usize, inputs: Inputs<T>) -> Error {
        let input = inputs.iter().find_map(|&(name, values)| Some((name, self.first_bad(values)?)));
        let (what, dof) = input.unwrap_or((what, dof));
        Error::NotFinite { what, joint: self.dof_names.get(dof).unwrap_or(&self.name).clone() }
    }

    /// The degree of freedom of the first value that is not finite, of values (or rows) that are one to each degree of
    /// freedom, or one to each coordinate.
    fn first_bad(&self, values: &[T]) -> Option<usize> {
        let at = values.iter().position(|x| !x.is_finite())?;
        if values.len() == self.nq() && self.nq() != self.nv() {
            return self.bodies.iter().rfind(|b| b.q <= at).map(|b| b.v);
        }
        Some(at * self.nv() / values.len())
    }

    /// Why a pivot is not positive: the state is not finite, or there is no inertia.
    #[cold]
    pub(crate) fn pivot_error(&self, pivot: T, dof: usize, inputs: Inputs<T>) -> Error {
        if pivot.is_finite() { self.not_positive(dof) } else { self.not_finite("pivot", dof, inputs) }
    }

    #[cold]
    pub(crate) fn not_positive(&self, dof: usize) -> Error {
        Error::NotPositiveDefinite { joint: self.dof_names[dof].clone() }
    }

    /// `Err` unless every pair turns about or slides along one axis.
    pub(crate) fn check_single_axis(&self, formulation: &'static str) -> Result<()> {
        match self.base_to_tip().find(|(_, b)| b.pair.nv() != 1) {
            None => Ok(()),
            Some((_, b)) => Err(Error::Unsupported { formulation, joint: self.dof_names[b.v].clone() }),
        }
    }

    /// `Err` if a rotor spins in a moving body.
    pub(crate) fn check_no_spinning(&self, formulation: &'static str) -> Result<()> {
        match self.rotors.iter().filter(|r| r.mount.is_some()).find_map(|r| r.gear.first()) {
            None => Ok(()),
            Some(&(dof, _)) => Err(Error::Unsupported { formulation, joint: self.dof_names[dof].clone() }),
        }
    }

    /// The same model over another scalar, constant by constant.
    pub fn map<U: Real>(&self, f: impl Fn(T) -> U) -> Model<U> {
        let f = &f;
        let body = |b: &Body<T>| Body {
            parent: b.parent,
            pair: b.pair.map(f),
            placement: b.placement.map(f),
            inertia: b.inertia.map(f),
            moments: b.moments.map(f),
            q: b.q,
            v: b.v,
        };
        let link = |l: &LinkInfo<T>| LinkInfo {
            name: l.name.clone(),
            body: l.body,
            pose: l.pose.map(f),
            parts: l.parts.iter().map(|p| Part { name: p.name.clone(), inertia: p.inertia.map(f) }).collect(),
        };
        let rotor = |r: &RotorInfo<T>| RotorInfo {
            inertia: f(r.inertia),
            gear: r.gear.iter().map(|&(d, g)| (d, f(g))).collect(),
            mount: r.mount.map(|(b, axis)| (b, axis.map(f))),
        };
        let each = |v: &[T]| v.iter().map(|&x| f(x)).collect();
        Model {
            name: self.name.clone(),
            gravity: self.gravity.map(f),
            base: self.base.map(f),
            bodies: self.bodies.iter().map(body).collect(),
            joints: self.joints.clone(),
            links: self.links.iter().map(link).collect(),
            payloads: self
                .payloads
                .iter()
                .map(|p| Payload { name: p.name.clone(), link: p.link, inertia: p.inertia.map(f) })
                .collect(),
            armature: each(&self.armature),
            rotors: self.rotors.iter().map(rotor).collect(),
            friction: self.friction.iter().map(|x| x.map(f)).collect(),
            limits: self.limits.clone(),
            dof_names: self.dof_names.clone(),
            dof_bodies: self.dof_bodies.clone(),
            flags: self.flags.clone(),
            nq: self.nq,
            reflected: each(&self.reflected),
            coupling: self.coupling.iter().map(|&(i, j, x)| (i, j, f(x))).collect(),
            dof_parents: self.dof_parents.clone(),
            branches: self.branches,
            carried: self.carried.clone(),
            has_friction: self.has_friction,
            has_spinning: self.has_spinning,
        }
    }
}

impl Model<f64> {
    /// The same model over another scalar.
    pub fn cast<U: Real>(&self) -> Model<U> {
        self.map(U::lift)
    }
}
