//! URDF transmissions: gear ratio and rotor inertia of a joint.
//!
//! Exporters write `<mechanicalReduction>1` where they know no gear ratio: without a motor inertia beside it, the ratio is
//! unknown. A motor inertia makes it a direct drive.

use crate::Description;
use crate::findings::*;
use crate::message::short;
use crate::source::Place;
use crate::xml::{Element, Reader};
use armdyn_core::Rotor;
use std::collections::HashMap;

/// A transmission of a joint.
pub(super) struct Transmission {
    joint: String,
    rotor: Rotor,
    place: Place,
    subject: String,
}

/// Reads gear ratio and rotor of a simple transmission: `mechanicalReduction` and `motorInertia`.
pub(super) fn transmission(r: &mut Reader, e: &Element) -> Option<Transmission> {
    let subject = e.attribute("name").map_or("a transmission".to_string(), |a| format!("transmission `{}`", a.value));
    r.unused_attributes(e, &["name", "type"], &subject);
    let joints: Vec<_> = e.children.iter().filter(|c| c.name == "joint").collect();
    let actuators: Vec<_> = e.children.iter().filter(|c| c.name == "actuator").collect();
    if joints.len() != 1 || actuators.len() > 1 {
        let message = format!(
            "{subject} ignored: it has {} joints and {} actuators; only one of each is supported",
            joints.len(),
            actuators.len()
        );
        r.report(A501, &e.place, message);
        return None;
    }
    let parameters = ["mechanicalReduction", "motorInertia"];
    r.unused_children(e, &["type", "joint", "actuator", parameters[0], parameters[1]], &subject);
    let mut found = [None; 2];
    let ends = joints.iter().chain(&actuators).copied();
    for part in ends.clone() {
        r.unused_attributes(part, &["name"], &subject);
        r.unused_children(part, &parameters, &subject);
    }
    let parts: Vec<_> = ends.flat_map(|p| &p.children).chain(&e.children).collect();
    let geared = parts.iter().any(|p| p.name == parameters[1]);
    for part in parts {
        let Some(k) = parameters.iter().position(|f| *f == part.name) else { continue };
        // Without a rotor the gear ratio has no effect.
        if k == 0 && !geared && part.text.parse::<f64>().is_err() {
            let message = format!("{subject}: <{}> is `{}`, not a number; ignored", part.name, short(&part.text));
            r.report(A501, &part.place, message);
            continue;
        }
        let label = format!("{subject}: <{}>", part.name);
        match r.parse_numbers(&part.text, &part.place, &label, 1..=1, false) {
            Some(_) if found[k].is_some() => r.unused(part, &subject),
            Some(x) => found[k] = Some(x[0]),
            None => {}
        }
    }
    let joint = r.name(joints[0], &format!("{subject}: its joint"))?;
    if found == [None; 2] {
        return None;
    }
    let rotor = Rotor { inertia: found[1].unwrap_or(0.0), gear: found[0].unwrap_or(1.0), axis: None };
    if rotor.gear == 1.0 && rotor.inertia == 0.0 {
        let message =
            format!("{subject}: a <mechanicalReduction> of 1 without <motorInertia> is a placeholder; ignored");
        r.report(A501, &e.place, message);
        return None;
    }
    Some(Transmission { joint, rotor, place: e.place.clone(), subject })
}

/// Assigns a transmission to its joint; `numbers` maps joint names to indices.
pub(super) fn drive(r: &mut Reader, robot: &mut Description, numbers: &HashMap<String, usize>, t: Transmission) {
    let Transmission { joint, rotor, place, subject } = t;
    let found = numbers.get(&joint).and_then(|&k| robot.joints.get_mut(k)).map(|j| j.drives.first_mut());
    let why = match found {
        None => format!("unknown joint `{joint}`"),
        Some(None) => format!("joint `{joint}` does not have one degree of freedom"),
        Some(Some(d)) if d.rotor.is_some() => format!("joint `{joint}` already has a transmission"),
        Some(Some(d)) => return d.rotor = Some(rotor),
    };
    r.report(A501, &place, format!("{subject} ignored: {why}"));
}
