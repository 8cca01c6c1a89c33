//! Builds a model, and rejects unphysical ones.

use super::contact::Contact;
use super::drive::{Drive, EffortRange, Friction, Rotor};
use super::followers;
use super::ids::{BASE, DofIndex, LinkId};
use super::joint::Joint;
use super::link::{Link, Part};
use super::model::{Body, JointInfo, LinkInfo, Model, RotorInfo, Structure, Warning};
use super::tool::{Tool, ToolSource};
use super::validation::InertiaFault;
use crate::spatial::{Inertia, Rotation, Sym3, Transform, Vec3};
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use core::fmt;

/// All errors of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct BuildError {
    /// The model's name.
    pub model: String,
    /// The errors, each with the link's or joint's name.
    pub problems: Vec<String>,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "model `{}` cannot be built:", self.model)?;
        self.problems.iter().try_for_each(|p| write!(f, "\n  - {p}"))
    }
}

impl core::error::Error for BuildError {}

/// A rotor geared to several degrees of freedom.
struct CoupledRotor {
    inertia: f64,
    gears: Vec<(String, f64)>,
    mount: Option<(LinkId, [f64; 3])>,
}

/// Collects links and joints, parent before child, and builds the model.
///
/// ```
/// use armdyn_core::{BASE, Joint, Link, ModelBuilder};
/// let mut robot = ModelBuilder::new("pendulum");
/// robot.add(BASE, Joint::revolute("pivot", [0.0, 1.0, 0.0]), Link::new("rod").body(1.0, [0.5, 0.0, 0.0], [0.0; 6]));
/// let model = robot.build()?;
/// assert_eq!(model.nv(), 1);
/// # Ok::<(), armdyn_core::BuildError>(())
/// ```
pub struct ModelBuilder {
    name: String,
    gravity: [f64; 3],
    base: Link,
    added: Vec<(LinkId, Joint, Link)>,
    coupled: Vec<CoupledRotor>,
    contacts: Vec<Contact>,
    tool: Option<Tool>,
}

impl ModelBuilder {
    /// A model with a base and nothing on it, gravity 9.81 m/s² along −z.
    pub fn new(name: &str) -> Self {
        ModelBuilder {
            name: name.to_string(),
            gravity: [0.0, 0.0, -9.81],
            base: Link::new("base"),
            added: vec![],
            coupled: vec![],
            contacts: vec![],
            tool: None,
        }
    }

    /// Gravity \[m/s²\] in the base's axes.
    pub fn gravity(&mut self, gravity: [f64; 3]) -> &mut Self {
        self.gravity = gravity;
        self
    }

    /// Sets the base's name and inertia.
    pub fn base(&mut self, link: Link) -> &mut Self {
        self.base = link;
        self
    }

    /// Adds `link` as the child of `parent` through `joint`.
    pub fn add(&mut self, parent: LinkId, joint: Joint, link: Link) -> LinkId {
        self.added.push((parent, joint, link));
        LinkId::new(self.added.len())
    }

    /// A rotor whose speed is Σ gear · q̇ over the named degrees of freedom: a row of the gear coupling matrix. With
    /// a mount, the link that carries it and its axis there, its gyroscopic effect counts.
    pub fn coupled_rotor(
        &mut self,
        inertia: f64,
        gears: &[(&str, f64)],
        mount: Option<(LinkId, [f64; 3])>,
    ) -> &mut Self {
        let gears = gears.iter().map(|&(name, g)| (name.to_string(), g)).collect();
        self.coupled.push(CoupledRotor { inertia, gears, mount });
        self
    }

    /// Adds a contact of the base with the ground: a wheel or a foot.
    pub fn contact(&mut self, contact: Contact) -> &mut Self {
        self.contacts.push(contact);
        self
    }

    /// Sets the tool: a frame with this pose in a link's frame; see [`Model::tool`].
    pub fn tool(&mut self, link: LinkId, pose: Transform<f64>) -> &mut Self {
        self.tool_from(Tool { link, pose, source: ToolSource::Description })
    }

    /// Sets the tool with its source; see [`Model::tool`].
    pub fn tool_from(&mut self, tool: Tool) -> &mut Self {
        self.tool = Some(tool);
        self
    }

    /// Builds the model, or lists all errors.
    pub fn build(&self) -> Result<Model<f64>, BuildError> {
        let mut made = Assembly::new(self);
        for (k, (parent, joint, link)) in self.added.iter().enumerate() {
            made.add(LinkId::new(k + 1), *parent, joint, link);
        }
        for rotor in &self.coupled {
            made.add_coupled(rotor);
        }
        for contact in &self.contacts {
            made.add_contact(contact);
        }
        if let Some(tool) = self.tool {
            made.set_tool(tool);
        }
        made.finish()
    }
}

struct Assembly {
    model: Model<f64>,
    problems: Vec<String>,
    /// Joints that follow others.
    mimics: Vec<followers::Described>,
    /// Parts that are not positive definite, with their body: judged once the body is complete.
    indefinite: Vec<(usize, String, InertiaFault)>,
    /// Names in use, of links, joints and degrees of freedom.
    taken: [BTreeSet<String>; 3],
}

impl Assembly {
    fn new(builder: &ModelBuilder) -> Self {
        let model = Model {
            structure: Structure { name: builder.name.clone(), ..Structure::default() },
            gravity: Vec3::lift(builder.gravity),
            base: Inertia::zero(),
            bodies: vec![],
            links: vec![],
            payloads: vec![],
            armature: vec![],
            rotors: vec![],
            friction: vec![],
            reflected: vec![],
            coupling: vec![],
            tree: None,
        };
        let mut made =
            Assembly { model, problems: vec![], mimics: vec![], indefinite: vec![], taken: Default::default() };
        if !made.model.gravity.is_finite() {
            made.problem("gravity is not finite".to_string());
        }
        made.add_link(&builder.base, 0, Transform::identity());
        made
    }

    fn problem(&mut self, text: String) {
        self.problems.push(text);
    }

    fn joint_problem(&mut self, name: &str, text: &str) {
        self.problem(format!("joint `{name}`: {text}"));
    }

    fn add(&mut self, number: LinkId, mut parent: LinkId, joint: &Joint, link: &Link) {
        if parent >= number {
            self.joint_problem(&joint.name, "its parent link has not been added yet; add links parent before child");
            parent = BASE;
        }
        let again = !self.taken[1].insert(joint.name.clone());
        if again {
            self.joint_problem(&joint.name, "duplicate joint name");
        }
        let at = self.placement(joint);
        let members = joint.kind.members().unwrap_or_else(|why| {
            self.joint_problem(&joint.name, &why);
            vec![]
        });
        let start = &self.model.links()[parent];
        let (mut body, mut pose) = (start.body, start.pose.compose(&at));
        let (q, v, first) = (self.model.structure.nq, self.model.nv(), self.model.bodies.len() + 1);
        let mut axes = joint.kind.axes().into_iter();
        for member in &members {
            let turned = Transform::from_rotation(member.frame);
            self.model.bodies.push(Body {
                parent: body,
                pair: member.pair,
                placement: pose.compose(&turned),
                inertia: Inertia::zero(),
                moments: Sym3::zero(),
                q: self.model.structure.nq,
                v: self.model.nv(),
                follows: false,
            });
            self.model.structure.nq += member.pair.nq();
            body = self.model.bodies.len();
            pose = turned.inverse();
            for axis in axes.by_ref().take(member.pair.nv()) {
                let name = axis.dof_name(&joint.name);
                if !self.taken[2].insert(name.clone()) && !again {
                    self.joint_problem(&joint.name, &format!("duplicate degree of freedom `{name}`"));
                }
                self.model.structure.dof_names.push(name);
                self.model.structure.dof_bodies.push(body);
            }
        }
        let v = v..self.model.nv();
        if joint.drives.len() > v.len() {
            let text = format!("{} drives for {} degrees of freedom", joint.drives.len(), v.len());
            self.joint_problem(&joint.name, &text);
        }
        self.add_stiffness(joint, v.len());
        for (k, dof) in v.clone().enumerate() {
            self.add_drive(dof, parent, joint.drives.get(k).copied().unwrap_or(Drive::ideal()));
        }
        if let Some(mimic) = &joint.mimic {
            self.mimics.push((self.model.structure.joints.len(), mimic.clone()));
        }
        self.model.structure.joints.push(JointInfo {
            name: joint.name.clone(),
            kind: joint.kind,
            parent,
            child: number,
            placement: at,
            bodies: first..first + members.len(),
            q: q..self.model.structure.nq,
            v,
        });
        self.add_link(link, body, pose);
    }

    /// The joint's placement; a rounded rotation is made orthonormal, with a warning.
    fn placement(&mut self, joint: &Joint) -> Transform<f64> {
        let at = joint.placement;
        if !at.is_valid() {
            self.joint_problem(&joint.name, "its placement is not a pose (a rotation and a finite translation)");
            return Transform::identity();
        }
        let off = at.rotation.orthonormality_error();
        if off <= 1e-15 {
            return at;
        }
        if off > 1e-12 {
            let text = format!("its placement's rotation is rounded (off by {off:.0e}); it was made orthonormal");
            self.model.structure.warnings.push(Warning { subject: format!("joint `{}`", joint.name), text });
        }
        Transform::new(orthonormal(&at.rotation), at.translation)
    }

    fn add_link(&mut self, link: &Link, body: usize, pose: Transform<f64>) {
        if !self.taken[0].insert(link.name.clone()) {
            let base = if self.model.links[0].name == link.name { " (the base)" } else { "" };
            self.problem(format!("link `{}`: duplicate link name{base}", link.name));
        }
        for part in &link.parts {
            self.check_part(&link.name, part, body);
        }
        if let Some(problem) = link.beam.and_then(|b| b.problem()) {
            self.problem(format!("link `{}`: {problem}", link.name));
        }
        let info = LinkInfo { name: link.name.clone(), body, pose, parts: link.parts.clone(), beam: link.beam };
        self.model.add_inertia(body, info.inertia().transformed(&pose));
        self.model.links.push(info);
    }

    /// Rejects inertias with which the model cannot be evaluated; flags those that no rigid body has.
    fn check_part(&mut self, link: &str, part: &Part<f64>, body: usize) {
        let who =
            if part.name == link { format!("link `{link}`") } else { format!("link `{link}`, part `{}`", part.name) };
        match part.inertia.validate() {
            Err(fault) if fault.is_tolerable() => {
                self.model.structure.warnings.push(Warning { subject: who, text: fault.to_string() });
            }
            Err(fault @ InertiaFault::NotPositiveDefinite(_)) => self.indefinite.push((body, who, fault)),
            Err(fault) => self.problem(format!("{who}: {fault}")),
            Ok(()) => {}
        }
    }

    fn add_drive(&mut self, dof: usize, carrier: LinkId, drive: Drive) {
        let name = self.model.structure.dof_names[dof].clone();
        let Friction { viscous, coulomb_forward, coulomb_backward, stribeck, stribeck_speed } = drive.friction;
        let levels = [drive.armature, viscous, coulomb_forward, coulomb_backward, stribeck];
        if levels.iter().any(|x| !(x.is_finite() && *x >= 0.0)) {
            self.joint_problem(&name, "armature and friction levels must be finite and not negative");
        }
        if !(stribeck_speed.is_finite() && stribeck_speed > 0.0) {
            self.joint_problem(&name, "its Stribeck speed must be above zero");
        }
        let l = drive.limits;
        let EffortRange { lower, upper } = l.effort;
        if lower.is_nan() || upper.is_nan() || lower > upper {
            let rule = "lower must not exceed upper";
            self.joint_problem(&name, &format!("invalid effort limits (lower {lower}, upper {upper}): {rule}"));
        }
        if !(l.lower <= l.upper && l.speed >= 0.0 && l.continuous >= 0.0) {
            let rule = "lower must not exceed upper, and neither speed nor continuous effort may be negative";
            self.joint_problem(&name, &format!("invalid limits (lower {}, upper {}): {rule}", l.lower, l.upper));
        }
        self.model.armature.push(drive.armature);
        self.model.friction.push(drive.friction);
        self.model.structure.limits.push(drive.limits);
        self.model.structure.has_friction |= drive.friction != Friction::none();
        if let Some(Rotor { inertia, gear, axis }) = drive.rotor {
            self.add_rotor(&name, inertia, vec![(DofIndex::new(dof), gear)], axis.map(|a| (carrier, a)));
        }
    }

    fn add_stiffness(&mut self, joint: &Joint, dofs: usize) {
        let Joint { name, stiffness, .. } = joint;
        if stiffness.len() > dofs {
            self.problem(format!("joint `{name}`: {} stiffnesses for {dofs} degrees of freedom", stiffness.len()));
        }
        if let Some(k) = stiffness.iter().find(|k| k.is_nan() || **k <= 0.0) {
            self.problem(format!("joint `{name}`: stiffness `{k}` must be positive"));
        }
        self.model.structure.stiffness.extend((0..dofs).map(|k| stiffness.get(k).copied().unwrap_or(f64::INFINITY)));
    }

    fn add_contact(&mut self, contact: &Contact) {
        let Contact { name, .. } = contact;
        if self.model.structure.contacts.iter().any(|c| c.name == *name) {
            self.problem(format!("contact `{name}`: there is another contact of that name"));
        }
        if let Some(problem) = contact.problem() {
            self.problem(format!("contact `{name}`: {problem}"));
        }
        self.model.structure.contacts.push(contact.clone());
    }

    fn set_tool(&mut self, tool: Tool) {
        let Tool { link, pose, .. } = tool;
        if link.index() >= self.model.links.len() {
            self.problem("tool: its link has not been added".to_string());
        } else if !pose.is_valid() {
            self.problem("tool: its placement is not a pose (a rotation and a finite translation)".to_string());
        }
        self.model.structure.tool = Some(tool);
    }

    fn add_coupled(&mut self, rotor: &CoupledRotor) {
        let mut gear = vec![];
        for (name, ratio) in &rotor.gears {
            match self.model.dof(name) {
                Ok(dof) => gear.push((dof, *ratio)),
                Err(_) => self.problem(format!("coupled rotor: there is no degree of freedom `{name}`")),
            }
        }
        let names: Vec<&str> = rotor.gears.iter().map(|(n, _)| n.as_str()).collect();
        self.add_rotor(&names.join(" + "), rotor.inertia, gear, rotor.mount);
    }

    fn add_rotor(&mut self, name: &str, inertia: f64, gear: Vec<(DofIndex, f64)>, mount: Option<(LinkId, [f64; 3])>) {
        if gear.is_empty() {
            self.problem(format!("rotor of `{name}`: it has no gears; list at least one degree of freedom"));
        }
        if !(inertia.is_finite() && inertia >= 0.0) || gear.iter().any(|(_, g)| !g.is_finite()) {
            self.problem(format!("rotor of `{name}`: inertia and gear must be finite, inertia not negative"));
        }
        let (carrier, axis) = (mount.map(|(link, _)| link), mount.map(|(_, axis)| axis));
        let mount = mount.and_then(|(link, axis)| {
            let Some(info) = self.model.links.get(link.index()) else {
                self.problem(format!("rotor of `{name}`: its mount link has not been added"));
                return None;
            };
            let (body, v) = (info.body, info.pose.rotation.rotate(Vec3::lift(axis)));
            let length = v.norm();
            if !(length.is_finite() && length > 0.0) {
                self.problem(format!("rotor of `{name}`: its axis must be finite and not zero"));
            }
            Some((body, v * (1.0 / length)))
        });
        let (link, axis) = (mount.and(carrier), mount.and(axis));
        self.model.rotors.push(RotorInfo { name: name.to_string(), inertia, gear, mount, link, axis });
    }

    /// The equations of motion contain bodies, not parts: a part that is not positive definite (a label on a heavy base) is a
    /// warning if its body, all links fixed to one another together, is a rigid body.
    fn judge_bodies(&mut self) {
        for (body, subject, fault) in core::mem::take(&mut self.indefinite) {
            let inertia = if body == 0 { self.model.base } else { self.model.bodies[body - 1].inertia };
            match inertia.validate() {
                Ok(()) => {
                    let text = format!("{fault}; the body it is fixed to is physical as a whole");
                    self.model.structure.warnings.push(Warning { subject, text });
                }
                Err(_) => self.problem(format!("{subject}: {fault}")),
            }
        }
    }

    fn finish(mut self) -> Result<Model<f64>, BuildError> {
        self.judge_bodies();
        let m = &mut self.model;
        // + 0.0 makes −0 a 0: then a zero payload leaves every bit unchanged.
        for b in &mut m.bodies {
            b.set_inertia(b.inertia.map(|x| x + 0.0));
        }
        m.structure.branches = m.bodies.iter().enumerate().any(|(k, b)| b.parent != k);
        for b in &m.bodies {
            let before = if b.parent == 0 { 0 } else { m.bodies[b.parent - 1].dofs().end };
            m.structure.dof_parents.push(before);
            m.structure.dof_parents.extend(b.dofs().skip(1));
        }
        m.structure.has_massless = m.bodies.iter().any(|b| b.inertia == Inertia::zero());
        let followers = followers::resolve(&self.mimics, &m.structure.joints, &m.friction);
        match followers {
            Ok(followers) if self.problems.is_empty() => Ok(self.model.with_derived_data().with_followers(followers)),
            followers => {
                self.problems.extend(followers.err().unwrap_or_default());
                Err(BuildError { model: self.model.structure.name, problems: self.problems })
            }
        }
    }
}

/// The rotation nearest to its first two axes.
fn orthonormal(r: &Rotation<f64>) -> Rotation<f64> {
    let x = r.x * (1.0 / r.x.norm());
    let y = r.y - x * x.dot(r.y);
    let y = y * (1.0 / y.norm());
    Rotation { x, y, z: x.cross(y) }
}
