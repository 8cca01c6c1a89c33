//! Contacts of the base with the ground: wheels and feet.

use super::fields::{Entry, Fields, Reader};
use crate::description::ContactDescription;
use crate::direction::normalized;
use crate::findings::{A005, A010, A102};
use crate::units::Quantity::{Length, Number, Stiffness};
use armdyn_core::{Contact, ContactFriction, ContactKind};
use std::collections::HashSet;

const FIELDS: [&str; 7] = ["name", "at", "kind", "rolls", "friction", "stiffness", "radius"];

/// `[[contact]]`.
pub(super) fn contacts(r: &mut Reader, root: &Fields) -> Vec<ContactDescription> {
    let Some(entry) = root.get("contact") else { return vec![] };
    let mut names = HashSet::new();
    let mut contacts = vec![];
    for e in r.list(&entry) {
        let Some(contact) = contact(r, &e) else { continue };
        let name = &contact.contact.name;
        if !names.insert(name.clone()) {
            r.report(A102, &e.place, format!("duplicate contact `{name}`"));
        }
        contacts.push(contact);
    }
    contacts
}

fn contact(r: &mut Reader, entry: &Entry) -> Option<ContactDescription> {
    let f = r.fields(entry, "contact".to_string(), &FIELDS)?;
    let name = r.name(&f, "name").map(str::to_string);
    let f = f.named("contact", name.as_deref());
    let position = r.require(&f, "at").and_then(|e| r.numbers(&e, Length));
    let words = ContactKind::ALL.map(ContactKind::name);
    let kind = r.require(&f, "kind").and_then(|e| r.choice(&e, &words, A005)).map(|k| ContactKind::ALL[k]);
    let rolling_direction = f.get("rolls").map_or(Some([1.0, 0.0, 0.0]), |e| direction(r, &e));
    if let (Some(kind), Some(e)) = (kind, f.get("rolls"))
        && !kind.is_directed()
    {
        let message = format!("{} does not apply to a contact of kind `{}`; remove it", e.called, kind.name());
        r.report(A010, &e.place, message);
    }
    let friction = f.get("friction").map_or_else(ContactFriction::default, |e| friction(r, &e, &f.subject));
    let stiffness = r.size(&f, "stiffness", Stiffness);
    let radius = r.size(&f, "radius", Length);
    let place = f.place.clone();
    let (position, rolling_direction) = (position?, rolling_direction?);
    let contact = Contact { name: name?, position, kind: kind?, rolling_direction, friction, stiffness, radius };
    Some(ContactDescription { place, contact })
}

/// A unit vector along the ground.
fn direction(r: &mut Reader, entry: &Entry) -> Option<[f64; 3]> {
    let vector = r.numbers(entry, Number)?;
    let Some((unit, length)) = normalized(vector) else {
        return r.invalid(entry, "is a null vector");
    };
    // A unit vector is kept unchanged.
    Some(if (length - 1.0).abs() <= 2.0 * f64::EPSILON { vector } else { unit })
}

fn friction(r: &mut Reader, entry: &Entry, subject: &str) -> ContactFriction {
    let Some(f) = r.fields(entry, format!("{subject}, friction"), &["static", "sliding", "rolling"]) else {
        return ContactFriction::default();
    };
    let [static_friction, sliding_friction, rolling_resistance] = ["static", "sliding", "rolling"].map(|key| {
        let e = f.get(key)?;
        let x = r.value(&e, Number)?;
        if x < 0.0 {
            return r.invalid(&e, format!("is {x}; a friction coefficient must not be negative"));
        }
        Some(x)
    });
    ContactFriction { static_friction, sliding_friction, rolling_resistance }
}
