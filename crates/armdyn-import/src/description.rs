//! What every format says of a robot, with the places where it says it.
//!
//! A parser fills a [`Description`]; the check reads it; [`Description::model`] builds the model, and
//! [`Description::of_model`] describes one that was built in code.

mod of_model;

use crate::source::Place;
use armdyn_core::{
    BASE, BuildError, Drive, Inertia, Joint, JointKind, Link, LinkId, Model, ModelBuilder, Part, Transform,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

/// A robot as a file describes it.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// What it is, in one line, if the file says it.
    pub summary: Option<String>,
    /// Gravity, if the file says it \[m/s²\].
    pub gravity: Option<[f64; 3]>,
    /// Links; the root is one of them.
    pub links: Vec<LinkDescription>,
    /// Joints, in any order.
    pub joints: Vec<JointDescription>,
    /// Rotors geared to several joints.
    pub coupled_rotors: Vec<CoupledRotor>,
    /// Payloads, by link.
    pub payloads: Vec<PayloadDescription>,
    /// Where the figures come from, if the file says it.
    pub origin: Option<String>,
    /// What beams are made of, by name.
    pub materials: BTreeMap<String, Material>,
    /// Cross sections of beams, by name.
    pub sections: BTreeMap<String, Section>,
    /// Where the base meets the ground.
    pub contacts: Vec<Contact>,
}

/// A link.
#[derive(Clone, Debug)]
pub struct LinkDescription {
    /// Its name.
    pub name: String,
    /// Where it is described.
    pub place: Place,
    /// Its rigid parts.
    pub parts: Vec<PartDescription>,
    /// What it looks like, collision and visual, as far as its size is known.
    pub shapes: Vec<Shape>,
    /// The beam that bends in its place, if the file says it.
    pub beam: Option<Beam>,
}

/// A link as a beam.
#[derive(Clone, Debug, PartialEq)]
pub struct Beam {
    /// Its cross section, by name.
    pub section: String,
    /// What it is made of, by name; a section of given stiffness needs none.
    pub material: Option<String>,
    /// Its length \[m\].
    pub length: f64,
    /// Where it begins, in the link's frame \[m\]; at its origin if the file does not say.
    pub start: Option<[f64; 3]>,
    /// Where it ends, in the link's frame \[m\]; where the next joint is if the file does not say.
    pub end: Option<[f64; 3]>,
    /// Where its section's height points, in the link's axes.
    pub up: Option<[f64; 3]>,
}

/// What a beam is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Young's modulus E \[Pa\].
    pub young: f64,
    /// Shear modulus G \[Pa\].
    pub shear: f64,
    /// Density \[kg/m³\], if the file says it.
    pub density: Option<f64>,
    /// Yield stress \[Pa\], if the file says it.
    pub yield_stress: Option<f64>,
}

/// The cross section of a beam; lengths in \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Section {
    /// A full circle.
    Rod {
        /// Its diameter.
        diameter: f64,
    },
    /// A ring.
    Tube {
        /// Outer diameter.
        outer: f64,
        /// Inner diameter.
        inner: f64,
    },
    /// A rectangle, full or hollow.
    Box {
        /// Width.
        width: f64,
        /// Height.
        height: f64,
        /// Thickness of the wall, if it is hollow.
        wall: Option<f64>,
    },
    /// An I.
    I {
        /// Width of the flanges.
        width: f64,
        /// Height over all.
        height: f64,
        /// Thickness of the web.
        web: f64,
        /// Thickness of each flange.
        flange: f64,
    },
    /// One whose stiffness is given.
    Given {
        /// Against bending about the axes of width and of height, EIy and EIz \[N m²\].
        bending: [f64; 2],
        /// Against torsion \[N m²\].
        torsion: f64,
        /// Against stretching \[N\].
        axial: f64,
    },
}

/// Where the base meets the ground: a wheel or a foot.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Its name.
    pub name: String,
    /// Where it is described.
    pub place: Place,
    /// The point that touches the ground, in the base's frame \[m\].
    pub at: [f64; 3],
    /// What it is.
    pub kind: ContactKind,
    /// The way it rolls, in the base's frame, of unit length; the x axis if the file does not say it.
    pub rolls: [f64; 3],
    /// Its friction, as far as the file says it.
    pub friction: ContactFriction,
    /// How it yields upwards \[N/m\], if the file says it.
    pub stiffness: Option<f64>,
    /// The wheel's radius \[m\], if the file says it.
    pub radius: Option<f64>,
}

/// What a contact is: which ways it holds, and which way it is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactKind {
    /// Holds every way.
    Foot,
    /// A wheel that swivels: free every way.
    Castor,
    /// A wheel that rolls along its way and holds across it.
    Fixed,
    /// The same with a motor, which holds along it too.
    Driven,
    /// A wheel that can roll any way and is driven.
    Omni,
}

impl ContactKind {
    /// Whether it rolls one way and holds across it.
    pub fn is_directed(self) -> bool {
        matches!(self, ContactKind::Fixed | ContactKind::Driven)
    }

    /// All of them.
    pub const ALL: [ContactKind; 5] =
        [ContactKind::Foot, ContactKind::Castor, ContactKind::Fixed, ContactKind::Driven, ContactKind::Omni];

    /// The word that a file has for it.
    pub fn name(self) -> &'static str {
        match self {
            ContactKind::Foot => "foot",
            ContactKind::Castor => "castor",
            ContactKind::Fixed => "fixed",
            ContactKind::Driven => "driven",
            ContactKind::Omni => "omni",
        }
    }
}

/// Coefficients of friction on the ground, each as far as a file says it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactFriction {
    /// Holding, before anything slips.
    pub holding: Option<f64>,
    /// Once it slips.
    pub sliding: Option<f64>,
    /// Rolling resistance: its force for each newton of load.
    pub rolling: Option<f64>,
}

/// A rigid part of a link.
#[derive(Clone, Debug)]
pub struct PartDescription {
    /// Its name.
    pub name: String,
    /// Where its inertia is described.
    pub place: Place,
    /// Its inertia about the origin of the link's frame, in the link's axes.
    pub inertia: Inertia<f64>,
}

/// The size of a geometry: a box around it, in the link's frame.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Where it is described.
    pub place: Place,
    /// The pose of the box's centre in the link's frame.
    pub pose: Transform<f64>,
    /// Its full extents along its own axes \[m\].
    pub size: [f64; 3],
    /// A file that it names (a mesh), as written.
    pub asset: Option<String>,
}

/// A joint.
#[derive(Clone, Debug)]
pub struct JointDescription {
    /// Its name.
    pub name: String,
    /// Where it is described.
    pub place: Place,
    /// What it allows.
    pub kind: JointKind,
    /// The link it starts from, by name.
    pub parent: String,
    /// The link it moves, by name.
    pub child: String,
    /// The pose of the child link's frame in the parent link's frame where q is neutral.
    pub placement: Transform<f64>,
    /// What drives each degree of freedom.
    pub drives: Vec<Drive>,
    /// How stiff its drive holds each degree of freedom \[N m/rad, N/m\]: infinite where the file says nothing, none at all
    /// where it says nothing of any.
    pub stiffness: Vec<f64>,
    /// Another joint that it follows. The model keeps it as a joint of its own.
    pub mimic: Option<Mimic>,
}

/// q = multiplier · q of another joint + offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Mimic {
    /// The joint it follows.
    pub joint: String,
    /// The factor.
    pub multiplier: f64,
    /// The offset \[rad or m\].
    pub offset: f64,
}

/// A rotor whose speed is a combination of joint speeds.
#[derive(Clone, Debug)]
pub struct CoupledRotor {
    /// Where it is described.
    pub place: Place,
    /// Moment of inertia about its axis \[kg m²\].
    pub inertia: f64,
    /// Degrees of freedom, by name, and gear ratios.
    pub gears: Vec<(String, f64)>,
    /// The link that carries it and its axis there, if its gyroscopic effect counts.
    pub mount: Option<(String, [f64; 3])>,
}

/// A payload on a link.
#[derive(Clone, Debug)]
pub struct PayloadDescription {
    /// Its name.
    pub name: String,
    /// Where it is described.
    pub place: Place,
    /// The link that carries it.
    pub link: String,
    /// Its inertia in the link's frame.
    pub inertia: Inertia<f64>,
}

impl Description {
    /// A material by name: the file's own, or one of the [library](crate::materials).
    pub fn material(&self, name: &str) -> Option<Material> {
        self.materials.get(name).cloned().or_else(|| crate::materials::material(name).map(|m| m.figures()))
    }

    /// The links in an order that has every parent before its children, by number, each with the number of the joint that
    /// moves it (none for the root): joints in the order they are described, as far as that allows. Only links that hang on
    /// the first root are in it.
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
        // Joints whose parent is placed, the first described on top.
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
            let link = Link { name: described.name.clone(), parts };
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
        let mut model = builder.build()?;
        for p in &self.payloads {
            model = model
                .with_payload_in_link(&p.name, &p.link, p.inertia)
                .map_err(|e| BuildError { model: self.name.clone(), problems: vec![e.to_string()] })?;
        }
        Ok(model)
    }
}
