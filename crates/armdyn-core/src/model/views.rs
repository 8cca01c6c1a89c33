//! Variants of a model: with a payload, with another gravity, with ideal drives, over another scalar.

use super::drive::Friction;
use super::ids::LinkId;
use super::link::Part;
use super::model::{Body, LinkInfo, Model, Payload, RotorInfo, Structure};
use crate::error::{Error, Result};
use crate::scalar::Real;
use crate::spatial::{Inertia, Transform, Vec3};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

impl Model<f64> {
    /// Scale of gravity torques: the weight of the moving bodies times the length of the robot \[N m\]. Gravity torques and forces
    /// up to [`ROUNDING`](crate::ROUNDING) of it are rounding errors.
    pub fn gravity_scale(&self) -> f64 {
        let size = |body: &Body<f64>| {
            let mass = body.inertia.mass;
            let centre = if mass > 0.0 { body.inertia.centre().norm() } else { 0.0 };
            [mass, body.placement.translation.norm() + centre]
        };
        let [mass, length] = self.bodies.iter().map(size).fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
        mass * length * self.gravity.norm()
    }
}

impl<T: Real> Model<T> {
    /// With a payload: `inertia`, given in a frame with pose `pose` in the link's frame.
    pub fn with_payload(&self, name: &str, link: LinkId, inertia: Inertia<T>, pose: Transform<T>) -> Result<Self> {
        self.with_payload_in_link(name, link, inertia.transformed(&pose))
    }

    /// With a payload whose inertia is given in the link's own frame.
    pub fn with_payload_in_link(&self, name: &str, link: LinkId, in_link: Inertia<T>) -> Result<Self> {
        if let Some(tree) = &self.tree {
            return Ok(self.refold(tree.with_payload_in_link(name, link, in_link)?));
        }
        self.check_link(link)?;
        let LinkInfo { body, pose, .. } = &self.links()[link];
        let inertia = in_link.transformed(pose);
        if !inertia.components().iter().all(T::is_finite) {
            return Err(Error::NotFinite { what: "payload", joint: name.to_string() });
        }
        if (-inertia.mass).is_positive() {
            return Err(Error::NegativeMass { name: name.to_string() });
        }
        let mut loaded = self.clone();
        loaded.add_inertia(*body, inertia);
        loaded.payloads.push(Payload { name: name.to_string(), link, inertia, in_link });
        Ok(loaded)
    }

    /// Without payloads.
    pub fn without_payloads(&self) -> Self {
        if let Some(tree) = &self.tree {
            return self.refold(tree.without_payloads());
        }
        let mut bare = self.clone();
        bare.payloads.clear();
        if self.payloads.is_empty() {
            return bare;
        }
        if self.structure.has_changed_bodies {
            for p in &self.payloads {
                bare.add_inertia(self.links()[p.link].body, -p.inertia);
            }
            return bare;
        }
        // Summed again, not subtracted: no digit is lost.
        bare.base = Inertia::zero();
        bare.bodies.iter_mut().for_each(|b| b.set_inertia(Inertia::zero()));
        for link in &self.links {
            bare.add_inertia(link.body, link.inertia().transformed(&link.pose));
        }
        bare
    }

    /// Without friction.
    pub fn without_friction(&self) -> Self {
        if let Some(tree) = &self.tree {
            return self.refold(tree.without_friction());
        }
        let friction = self.friction.iter().map(|_| Friction::none()).collect();
        let structure = Structure { has_friction: false, ..self.structure.clone() };
        Model { friction, structure, ..self.clone() }
    }

    /// With ideal drives: no friction, no rotors, no armature.
    pub fn without_drives(&self) -> Self {
        if let Some(tree) = &self.tree {
            return self.refold(tree.without_drives());
        }
        let armature = self.armature.iter().map(|_| T::zero()).collect();
        Model { armature, rotors: Vec::new(), ..self.without_friction() }.with_derived_data()
    }

    /// With other armatures, one for each degree of freedom, and other rotors. `Err` for another number of armatures, a gear or a
    /// mount that the model does not have, and for a model whose joints follow others.
    pub fn with_drive_inertia(&self, armature: Vec<T>, rotors: Vec<RotorInfo<T>>) -> Result<Self> {
        self.check_length("armature", self.nv(), armature.len())?;
        if let Some(f) = self.followers().first() {
            return Err(Error::DriveOfFollower { joint: self.joints()[f.joint].name.clone() });
        }
        for r in &rotors {
            if let Some((dof, _)) = r.gear.iter().find(|(dof, _)| dof.index() >= self.nv()) {
                return Err(Error::NoSuchDof { name: format!("number {dof}") });
            }
            if let Some((body, _)) = r.mount.filter(|(body, _)| *body > self.body_count()) {
                return Err(Error::NoSuchLink { name: format!("of body {body}") });
            }
        }
        Ok(Model { armature, rotors, ..self.clone() }.with_derived_data())
    }

    /// With another gravity.
    pub fn with_gravity(&self, gravity: Vec3<T>) -> Self {
        match &self.tree {
            Some(tree) => self.refold(tree.with_gravity(gravity)),
            None => Model { gravity, ..self.clone() },
        }
    }

    /// With other parameters of the moving bodies: `f` returns placement and inertia of each body, payloads included. The data of the
    /// links are not changed, and [`Model::with_locked`], which builds from them, returns an error afterwards.
    pub fn with_bodies(&self, f: impl Fn(usize, &Body<T>) -> (Transform<T>, Inertia<T>)) -> Self {
        if let Some(tree) = &self.tree {
            return self.refold(tree.with_bodies(f));
        }
        let mut other = self.clone();
        other.structure.has_changed_bodies = true;
        for (k, body) in other.bodies.iter_mut().enumerate() {
            let (placement, inertia) = f(k + 1, body);
            body.placement = placement;
            body.set_inertia(inertia);
        }
        other
    }

    /// Adds inertia to a body or the base.
    pub(super) fn add_inertia(&mut self, body: usize, inertia: Inertia<T>) {
        match body {
            0 => self.base += inertia,
            b => {
                let body = &mut self.bodies[b - 1];
                body.set_inertia(body.inertia + inertia);
            }
        }
    }

    /// Recomputes what follows from drives and shape.
    pub(super) fn with_derived_data(mut self) -> Self {
        self.reflected = self.armature.clone();
        self.coupling.clear();
        for r in &self.rotors {
            for (k, (i, gi)) in r.gears().enumerate() {
                self.reflected[i] += r.inertia * gi.sqr();
                for (j, gj) in r.gears().take(k) {
                    let (i, j) = (i.min(j), i.max(j));
                    match self.coupling.iter_mut().find(|c| (c.0, c.1) == (i, j)) {
                        Some(c) => c.2 += r.inertia * gi * gj,
                        None => self.coupling.push((i, j, r.inertia * gi * gj)),
                    }
                }
            }
        }
        self.structure.has_spinning = self.rotors.iter().any(|r| r.mount.is_some());
        self.structure.shape = self.fingerprint();
        self
    }

    /// Fingerprint of what a workspace depends on: bodies, pairs, joints, and whether drives couple them (FNV-1a).
    fn fingerprint(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut mix = |x: usize| hash = (hash ^ x as u64).wrapping_mul(0x0100_0000_01b3);
        for b in &self.bodies {
            mix(b.parent);
            mix(b.pair.ordinal());
            mix(b.v);
            mix(usize::from(b.follows));
        }
        for j in &self.structure.joints {
            mix(j.bodies.start);
            mix(j.bodies.end);
            mix(j.parent.index());
        }
        mix(self.links.len());
        mix(usize::from(self.has_coupled_drives()));
        hash
    }

    /// The same model over another scalar, constant by constant; derived data are recomputed.
    pub fn map<U: Real>(&self, f: impl Fn(T) -> U) -> Model<U> {
        self.refold(self.tree().map_tree(&f))
    }

    fn map_tree<U: Real>(&self, f: &impl Fn(T) -> U) -> Model<U> {
        let body = |b: &Body<T>| {
            let inertia = b.inertia.map(f);
            Body {
                parent: b.parent,
                pair: b.pair.map(f),
                placement: b.placement.map(f),
                inertia,
                moments: inertia.moments(),
                q: b.q,
                v: b.v,
                follows: b.follows,
            }
        };
        let link = |l: &LinkInfo<T>| LinkInfo {
            name: l.name.clone(),
            body: l.body,
            pose: l.pose.map(f),
            parts: l.parts.iter().map(|p| Part { name: p.name.clone(), inertia: p.inertia.map(f) }).collect(),
            beam: l.beam,
        };
        let rotor = |r: &RotorInfo<T>| RotorInfo {
            name: r.name.clone(),
            inertia: f(r.inertia),
            gear: r.gear.iter().map(|&(d, g)| (d, f(g))).collect(),
            mount: r.mount.map(|(b, axis)| (b, axis.map(f))),
            link: r.link,
            axis: r.axis,
        };
        let payload = |p: &Payload<T>| Payload {
            name: p.name.clone(),
            link: p.link,
            inertia: p.inertia.map(f),
            in_link: p.in_link.map(f),
        };
        Model {
            structure: self.structure.clone(),
            gravity: self.gravity.map(f),
            base: self.base.map(f),
            bodies: self.bodies.iter().map(body).collect(),
            links: self.links.iter().map(link).collect(),
            payloads: self.payloads.iter().map(payload).collect(),
            armature: self.armature.iter().map(|&x| f(x)).collect(),
            rotors: self.rotors.iter().map(rotor).collect(),
            friction: self.friction.iter().map(|x| x.map(f)).collect(),
            reflected: Vec::new(),
            coupling: Vec::new(),
            tree: None,
        }
        .with_derived_data()
    }
}

impl Model<f64> {
    /// The same model over another scalar.
    pub fn cast<U: Real>(&self) -> Model<U> {
        self.map(U::lift)
    }
}
