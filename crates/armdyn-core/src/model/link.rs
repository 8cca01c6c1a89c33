//! Links: rigid parts under one name.

use super::Beam;
use crate::spatial::{Inertia, Sym3, Transform, Vec3};
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// A rigid part of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<T> {
    /// Its name.
    pub name: String,
    /// Its inertia about the origin of the link's frame, in the link's axes.
    pub inertia: Inertia<T>,
}

/// A link: a name and the rigid parts it is made of.
#[derive(Clone, Debug)]
#[must_use]
pub struct Link {
    /// Its name, unique in the model.
    pub name: String,
    /// Its parts; none means that it has no mass.
    pub parts: Vec<Part<f64>>,
    /// Elastic beam, if the link is not rigid.
    pub beam: Option<Beam>,
}

impl Link {
    /// A link without mass.
    pub fn new(name: &str) -> Self {
        Link { name: name.to_string(), parts: vec![], beam: None }
    }

    /// With its own mass, centre of mass, and inertia tensor *about the centre of mass* (xx, xy, xz, yy, yz, zz),
    /// all in the link's frame.
    pub fn body(self, mass: f64, centre: [f64; 3], tensor: [f64; 6]) -> Self {
        let [xx, xy, xz, yy, yz, zz] = tensor;
        let inertia = Inertia::about_centre(mass, Vec3::lift(centre), Sym3 { xx, xy, xz, yy, yz, zz });
        let name = self.name.clone();
        self.part(&name, inertia, Transform::identity())
    }

    /// With a part whose inertia is given in a frame that has `pose` in the link's: a motor that it carries, say.
    pub fn part(mut self, name: &str, inertia: Inertia<f64>, pose: Transform<f64>) -> Self {
        self.parts.push(Part { name: name.to_string(), inertia: inertia.transformed(&pose) });
        self
    }

    /// With an elastic beam.
    pub fn beam(mut self, beam: Beam) -> Self {
        self.beam = Some(beam);
        self
    }
}
