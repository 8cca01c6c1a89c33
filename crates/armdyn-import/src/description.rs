//! A robot as read from a file of any format, with source locations.
//!
//! A parser fills a [`Description`]; the check reads it; [`Description::model`] builds the model, and
//! [`Description::of_model`] describes one that was built in code.

mod of_model;

use crate::message::number;
use crate::source::Place;
pub use armdyn_core::Mimic;
use armdyn_core::{
    BASE, Beam, BuildError, Contact, Drive, Inertia, Joint, JointKind, Link, LinkId, Material, Model, ModelBuilder,
    Part, Section, Tool, ToolSource, Transform,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::path::PathBuf;

/// A robot as a file describes it.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// One-line summary, if the file has one.
    pub summary: Option<String>,
    /// Gravity, if the file gives it \[m/s²\].
    pub gravity: Option<[f64; 3]>,
    /// Links, including the root.
    pub links: Vec<LinkDescription>,
    /// Joints, in any order.
    pub joints: Vec<JointDescription>,
    /// Rotors geared to several joints.
    pub coupled_rotors: Vec<CoupledRotor>,
    /// Payloads.
    pub payloads: Vec<PayloadDescription>,
    /// Source of the parameters, if the file gives it.
    pub origin: Option<String>,
    /// Materials of beams, by name.
    pub materials: BTreeMap<String, Material>,
    /// Cross sections of beams, by name.
    pub sections: BTreeMap<String, Section>,
    /// Contacts of the base with the ground.
    pub contacts: Vec<ContactDescription>,
    /// The tool, if the file defines one.
    pub tool: Option<ToolDescription>,
}

/// A link.
#[derive(Clone, Debug)]
pub struct LinkDescription {
    /// Its name.
    pub name: String,
    /// Source location.
    pub place: Place,
    /// Its rigid parts.
    pub parts: Vec<PartDescription>,
    /// Visual and collision shapes.
    pub shapes: Vec<Shape>,
    /// Elastic beam, if the link is not rigid.
    pub beam: Option<BeamDescription>,
}

/// The beam of a link, with its section and material by name.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamDescription {
    /// Cross section, by name.
    pub section: String,
    /// Material, by name; a section of given stiffness needs none.
    pub material: Option<String>,
    /// Length \[m\].
    pub length: f64,
    /// Start point in the link's frame \[m\].
    pub start: Option<[f64; 3]>,
    /// End point in the link's frame \[m\].
    pub end: Option<[f64; 3]>,
    /// Direction of the section's height, in the link's axes.
    pub up: Option<[f64; 3]>,
}

/// A contact of the base with the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactDescription {
    /// Source location.
    pub place: Place,
    /// The contact.
    pub contact: Contact,
}

/// The tool: a frame of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDescription {
    /// Source location.
    pub place: Place,
    /// Its link, by name.
    pub link: String,
    /// The pose of the tool's frame in the link's frame.
    pub pose: Transform<f64>,
    /// Whether the file declares it, or a site's name says so.
    pub source: ToolSource,
}

/// A rigid part of a link.
#[derive(Clone, Debug)]
pub struct PartDescription {
    /// Its name.
    pub name: String,
    /// Source location of its inertia.
    pub place: Place,
    /// Its inertia about the origin of the link's frame, in the link's axes.
    pub inertia: Inertia<f64>,
}

/// The form of a geometry within its bounding box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// The box itself.
    #[default]
    Box,
    /// A cylinder along z.
    Cylinder,
    /// A cylinder along z with a hemisphere at either end.
    Capsule,
    /// An ellipsoid; a sphere if all extents are equal.
    Ellipsoid,
    /// A mesh.
    Mesh,
}

/// A geometry of a link and its bounding box, in the link's frame.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Source location.
    pub place: Place,
    /// The pose of the box's centre in the link's frame.
    pub pose: Transform<f64>,
    /// Full extents along its own axes \[m\].
    pub size: [f64; 3],
    /// What fills the box.
    pub form: Form,
    /// Whether it is meant to be seen, not only to detect collisions.
    pub visual: bool,
    /// Path of the mesh file, as written.
    pub asset: Option<String>,
    /// The mesh file, if it was found. It is not opened when the robot is loaded: `size` is zero.
    pub mesh: Option<MeshFile>,
}

/// A mesh file and the scale of its coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// Its path.
    pub path: PathBuf,
    /// Factors along its axes.
    pub scale: [f64; 3],
}

/// A joint.
#[derive(Clone, Debug)]
pub struct JointDescription {
    /// Its name.
    pub name: String,
    /// Source location.
    pub place: Place,
    /// Kind and axes.
    pub kind: JointKind,
    /// Parent link, by name.
    pub parent: String,
    /// Child link, by name.
    pub child: String,
    /// The pose of the child link's frame in the parent link's frame where q is neutral.
    pub placement: Transform<f64>,
    /// Drive of each degree of freedom.
    pub drives: Vec<Drive>,
    /// Stiffness of each degree of freedom \[N m/rad or N/m\]: infinite where the file gives none; empty if it gives none at
    /// all.
    pub stiffness: Vec<f64>,
    /// The joint that this one follows, if it does.
    pub mimic: Option<Mimic>,
}

/// A rotor whose speed is a combination of joint speeds.
#[derive(Clone, Debug)]
pub struct CoupledRotor {
    /// Source location.
    pub place: Place,
    /// Moment of inertia about its axis \[kg m²\].
    pub inertia: f64,
    /// Degrees of freedom, by name, and gear ratios.
    pub gears: Vec<(String, f64)>,
    /// Carrying link and axis in it, if the gyroscopic effect is modelled.
    pub mount: Option<(String, [f64; 3])>,
}

/// A payload on a link.
#[derive(Clone, Debug)]
pub struct PayloadDescription {
    /// Its name.
    pub name: String,
    /// Source location.
    pub place: Place,
    /// The link that carries it.
    pub link: String,
    /// Its inertia in the link's frame.
    pub inertia: Inertia<f64>,
}

impl LinkDescription {
    /// A link without parts, shapes or beam.
    pub fn massless(name: &str, place: &Place) -> Self {
        let (name, place) = (name.to_string(), place.clone());
        LinkDescription { name, place, parts: vec![], shapes: vec![], beam: None }
    }
}

impl JointDescription {
    /// The names of the degrees of freedom.
    pub fn dof_names(&self) -> Vec<String> {
        self.kind.axes().iter().map(|axis| axis.dof_name(&self.name)).collect()
    }

    /// A fixed joint.
    pub fn fixed(name: String, place: &Place, parent: &str, child: &str, placement: Transform<f64>) -> Self {
        JointDescription {
            name,
            place: place.clone(),
            kind: JointKind::Fixed,
            parent: parent.to_string(),
            child: child.to_string(),
            placement,
            drives: vec![],
            stiffness: vec![],
            mimic: None,
        }
    }
}

/// The message of a mimic joint.
pub(crate) fn mimic_message(name: &str, Mimic { joint, multiplier, offset }: &Mimic) -> String {
    let (factor, offset) =
        (number(*multiplier), if *offset == 0.0 { String::new() } else { format!(" + {}", number(*offset)) });
    format!("joint `{name}` mimics `{joint}`: q = {factor} q({joint}){offset}")
}

/// The message of a joint that cannot follow.
pub(crate) fn no_mimic_message(name: &str, whom: Option<&String>) -> String {
    let whom = whom.map_or("no joint", String::as_str);
    format!("joint `{name}` mimics {whom}: it is independent")
}

impl Description {
    /// A material by name: the file's own, or one of the [library](armdyn_core::MATERIALS).
    pub fn material(&self, name: &str) -> Option<Material> {
        self.materials.get(name).copied().or_else(|| Material::named(name))
    }

    /// The beam of a link, with its section and material.
    fn beam(&self, link: &LinkDescription) -> Result<Option<Beam>, BuildError> {
        let Some(BeamDescription { section, material, length, start, end, up }) = &link.beam else { return Ok(None) };
        let unknown = |kind: &str, name: &str| BuildError {
            model: self.name.clone(),
            problems: vec![format!("link `{}`: there is no {kind} `{name}`; define `[{kind}.{name}]`", link.name)],
        };
        let section = *self.sections.get(section).ok_or_else(|| unknown("section", section))?;
        let named = |name: &String| self.material(name).ok_or_else(|| unknown("material", name));
        let material = material.as_ref().map(named).transpose()?;
        Ok(Some(Beam { section, material, length: *length, start: *start, end: *end, up: *up }))
    }

    /// Link indices with parents before children, each with the index of its parent joint (none for the root). Joints keep the
    /// order of the file where possible. Links that are not connected to the first root are left out.
    pub fn tree(&self) -> Vec<(usize, Option<usize>)> {
        let number: HashMap<&str, usize> = self.links.iter().enumerate().map(|(k, l)| (l.name.as_str(), k)).collect();
        let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut moved = vec![false; self.links.len()];
        for (j, joint) in self.joints.iter().enumerate() {
            if let (Some(&p), Some(&c)) = (number.get(joint.parent.as_str()), number.get(joint.child.as_str())) {
                children.entry(p).or_default().push(j);
                moved[c] = true;
            }
        }
        let Some(root) = moved.iter().position(|m| !m) else { return vec![] };
        let mut order = vec![(root, None)];
        let mut seen = vec![false; self.links.len()];
        seen[root] = true;
        // Joints whose parent has been visited; the first of the file on top.
        let mut ready: BinaryHeap<Reverse<usize>> = children.remove(&root).into_iter().flatten().map(Reverse).collect();
        while let Some(Reverse(j)) = ready.pop() {
            let child = number[self.joints[j].child.as_str()];
            if std::mem::replace(&mut seen[child], true) {
                continue;
            }
            order.push((child, Some(j)));
            ready.extend(children.remove(&child).into_iter().flatten().map(Reverse));
        }
        order
    }

    /// Makes joints independent whose mimic makes no sense; lists these joints, each with the reason.
    pub(crate) fn drop_invalid_mimics(&mut self) -> Vec<(usize, String)> {
        let numbers: HashMap<String, usize> =
            self.joints.iter().enumerate().map(|(k, j)| (j.name.clone(), k)).collect();
        let mut invalid = vec![];
        let mut drop = |joints: &mut Vec<JointDescription>, k: usize, reason: String| {
            joints[k].mimic = None;
            invalid.push((k, reason));
        };
        for k in 0..self.joints.len() {
            let Some(leader) = self.joints[k].mimic.as_ref().map(|m| m.joint.clone()) else { continue };
            let reason = match numbers.get(&leader).map(|&l| self.joints[l].kind.axes().len()) {
                _ if leader == self.joints[k].name => Some("itself".to_string()),
                None => Some(format!("the unknown joint `{leader}`")),
                _ if self.joints[k].kind.axes().len() != 1 => {
                    Some(format!("`{leader}`, but has not one degree of freedom"))
                }
                Some(0) => Some(format!("the fixed joint `{leader}`")),
                Some(1) => None,
                Some(n) => Some(format!("`{leader}`, which has {n} degrees of freedom")),
            };
            if let Some(reason) = reason {
                drop(&mut self.joints, k, reason);
            }
        }
        // Loops of mimic joints are opened where the walk closes them.
        let mut walk_of = vec![usize::MAX; self.joints.len()];
        for first in 0..self.joints.len() {
            let mut k = first;
            while let Some(leader) = self.joints[k].mimic.as_ref().and_then(|m| numbers.get(&m.joint).copied()) {
                if walk_of[k] != usize::MAX {
                    break;
                }
                walk_of[k] = first;
                if walk_of[leader] == first {
                    drop(&mut self.joints, k, "itself through other joints".to_string());
                    break;
                }
                k = leader;
            }
        }
        invalid
    }

    /// The model.
    pub fn model(&self) -> Result<Model<f64>, BuildError> {
        let mut builder = ModelBuilder::new(&self.name);
        if let Some(g) = self.gravity {
            builder.gravity(g);
        }
        let mut ids: HashMap<&str, LinkId> = HashMap::new();
        for (l, j) in self.tree() {
            let described = &self.links[l];
            let parts = described.parts.iter().map(|p| Part { name: p.name.clone(), inertia: p.inertia }).collect();
            let link = Link { name: described.name.clone(), parts, beam: self.beam(described)? };
            let id = match j.map(|j| &self.joints[j]) {
                None => {
                    builder.base(link);
                    BASE
                }
                Some(joint) => {
                    let spec = Joint {
                        name: joint.name.clone(),
                        kind: joint.kind,
                        placement: joint.placement,
                        drives: joint.drives.clone(),
                        stiffness: joint.stiffness.clone(),
                        mimic: joint.mimic.clone(),
                    };
                    builder.add(ids[joint.parent.as_str()], spec, link)
                }
            };
            ids.insert(&described.name, id);
        }
        for r in &self.coupled_rotors {
            let gears: Vec<(&str, f64)> = r.gears.iter().map(|(n, g)| (n.as_str(), *g)).collect();
            let mount = r.mount.as_ref().and_then(|(link, axis)| Some((*ids.get(link.as_str())?, *axis)));
            builder.coupled_rotor(r.inertia, &gears, mount);
        }
        self.contacts.iter().for_each(|c| {
            builder.contact(c.contact.clone());
        });
        if let Some(tool) = &self.tool {
            let id = ids.get(tool.link.as_str()).ok_or_else(|| BuildError {
                model: self.name.clone(),
                problems: vec![format!("tool: there is no link `{}`", tool.link)],
            })?;
            builder.tool_from(Tool { link: *id, pose: tool.pose, source: tool.source });
        }
        let mut model = builder.build()?;
        for p in &self.payloads {
            if let Some(fault) = p.inertia.validate().err().filter(|fault| !fault.is_tolerable()) {
                let problems = vec![format!("payload `{}`: {fault}", p.name)];
                return Err(BuildError { model: self.name.clone(), problems });
            }
            model = model
                .link(&p.link)
                .and_then(|link| model.with_payload_in_link(&p.name, link, p.inertia))
                .map_err(|e| BuildError { model: self.name.clone(), problems: vec![e.to_string()] })?;
        }
        Ok(model)
    }
}
