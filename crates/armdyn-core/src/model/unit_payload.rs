//! One kilogram of payload: torques are affine in the payload's mass.

use super::{LinkId, Model};
use crate::{Error, Inertia, Vec3};

/// A payload of one kilogram on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitPayload {
    /// The link that carries it.
    pub link: LinkId,
    /// Its inertia for one kilogram, in the link's frame.
    pub per_kilogram: Inertia<f64>,
}

impl UnitPayload {
    /// A point mass at `centre`, in the link's frame \[m\].
    pub fn point(link: LinkId, centre: Vec3<f64>) -> Self {
        UnitPayload { link, per_kilogram: Inertia::point(1.0, centre) }
    }

    /// The robot without mass, drives or other payloads, carrying this payload alone.
    pub fn on_massless(&self, m: &Model<f64>) -> Result<Model<f64>, Error> {
        let empty = m.without_payloads().without_drives().with_bodies(|_, b| (b.placement, Inertia::zero()));
        empty.with_payload_in_link("load", self.link, self.per_kilogram)
    }
}
