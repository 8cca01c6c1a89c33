//! Parameters of a robot: `LINK.length`, `JOINT.gear`, `payload`, …, read and set in its description, whatever its file format.

use crate::stretch::Line;
use armdyn_core::{Drive, EffortRange, Inertia};
use armdyn_import::{Description, PayloadDescription, Place, nearest, suggestion};

/// A parameter of a robot.
#[derive(Clone, Debug)]
pub struct Parameter {
    what: What,
    /// Unit; empty for a ratio.
    pub unit: &'static str,
    /// The value of the robot as it is; none if it has none, such as no limit.
    pub original: Option<f64>,
}

#[derive(Clone, Debug)]
enum What {
    /// Mass of the point payload at the tool.
    Payload,
    /// Magnitude of gravity.
    Gravity,
    /// Mass of some parts of a link.
    Mass { link: usize, parts: Vec<usize> },
    /// Mass of a payload of the file.
    PayloadMass(usize),
    /// Length of a link; parts with these names stay rigid.
    Length { line: Line, rigid: Vec<String> },
    /// A coordinate of a joint's origin in the frame of its parent link.
    Offset { joint: usize, axis: usize },
    /// A quantity of the drive of a degree of freedom.
    Drive { joint: usize, dof: usize, of: DriveQuantity },
    /// Stiffness of a degree of freedom.
    Stiffness { joint: usize, dof: usize },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DriveQuantity {
    Gear,
    Rotor,
    Armature,
    Effort,
    Continuous,
    Speed,
    Lower,
    Upper,
    Viscous,
    Coulomb,
}

use DriveQuantity::{Armature, Continuous, Coulomb, Effort, Gear, Lower, Rotor, Speed, Upper, Viscous};

/// Quantities of drives by name, with their units for a revolute and a prismatic joint.
const DRIVE: [(&str, DriveQuantity, [&str; 2]); 10] = [
    ("gear", Gear, ["", "rad/m"]),
    ("rotor", Rotor, ["kg m²"; 2]),
    ("armature", Armature, ["kg m²", "kg"]),
    ("effort", Effort, ["N m", "N"]),
    ("continuous", Continuous, ["N m", "N"]),
    ("speed", Speed, ["rad/s", "m/s"]),
    ("lower", Lower, ["rad", "m"]),
    ("upper", Upper, ["rad", "m"]),
    ("viscous", Viscous, ["N m s/rad", "N s/m"]),
    ("coulomb", Coulomb, ["N m", "N"]),
];

/// Names of the parameters of a link.
const LINK: [&str; 2] = ["length", "mass"];
/// Names of the coordinates of a joint's origin.
const OFFSET: [&str; 3] = ["x", "y", "z"];

impl Parameter {
    /// The parameter of a name: `payload`, `gravity`, `LINK.mass`, `LINK.length`, `PART@LINK.mass`, `PAYLOAD.mass`, `JOINT.gear`, ….
    /// Parts with the names `rigid` keep their shape and mass when a link is stretched.
    pub fn named(d: &Description, name: &str, rigid: &[String]) -> Result<Parameter, String> {
        let parameter = |what, unit, original| Ok(Parameter { what, unit, original });
        match name {
            "payload" => return parameter(What::Payload, "kg", Some(d.payloads.iter().map(|p| p.inertia.mass).sum())),
            "gravity" => return parameter(What::Gravity, "m/s²", Some(norm(gravity(d)))),
            _ => {}
        }
        let Some((owner, quantity)) = name.rsplit_once('.') else {
            return Err(format!(
                "unknown parameter `{name}`: {}",
                suggestion(nearest(name, &["payload", "gravity"]), &forms())
            ));
        };
        if quantity == "mass"
            && let Some((part, link)) = owner.rsplit_once('@')
            && let Some(link) = position(&d.links, |l| &l.name, link)
        {
            return mass(d, link, Some(part));
        }
        let link = position(&d.links, |l| &l.name, owner);
        match (link, quantity) {
            (Some(link), "mass") => return mass(d, link, None),
            (Some(link), "length") => {
                let line = Line::of(d, link)?;
                let names: Vec<&str> = d.links[link].parts.iter().map(|p| p.name.as_str()).collect();
                if let Some(unknown) = rigid.iter().find(|r| !names.contains(&r.as_str())) {
                    let hint = suggestion(nearest(unknown, &names), &names);
                    return Err(format!("`{owner}` has no part `{unknown}`; {hint}"));
                }
                let original = Some(line.length());
                return parameter(What::Length { line, rigid: rigid.to_vec() }, "m", original);
            }
            _ => {}
        }
        if let (Some(payload), "mass") = (position(&d.payloads, |p| &p.name, owner), quantity) {
            return parameter(What::PayloadMass(payload), "kg", Some(d.payloads[payload].inertia.mass));
        }
        if let (Some(joint), Some(axis)) =
            (position(&d.joints, |j| &j.name, owner), OFFSET.iter().position(|q| *q == quantity))
        {
            return parameter(What::Offset { joint, axis }, "m", Some(d.joints[joint].placement.translation.get(axis)));
        }
        let dof =
            d.joints.iter().enumerate().find_map(|(j, joint)| Some((j, position(&joint.dof_names(), |n| n, owner)?)));
        if let Some((joint, dof)) = dof {
            let prismatic = usize::from(d.joints[joint].kind.axes()[dof].prismatic);
            if quantity == "stiffness" {
                let original = d.joints[joint].stiffness.get(dof).copied().filter(|k| k.is_finite());
                return parameter(What::Stiffness { joint, dof }, ["N m/rad", "N/m"][prismatic], original);
            }
            if let Some((_, of, units)) = DRIVE.iter().find(|q| q.0 == quantity) {
                let drive = d.joints[joint].drives.get(dof).copied().unwrap_or(Drive::ideal());
                let original = value(&drive, *of);
                if original.is_none() && matches!(of, Gear | Rotor) {
                    let fix = "define `drive = { rotor, gear }` of the joint in the robot file";
                    return Err(format!("joint `{owner}` has no rotor with a gear; {fix}"));
                }
                return parameter(What::Drive { joint, dof, of: *of }, units[prismatic], original);
            }
        }
        Err(unknown(d, owner, quantity, link.is_some(), dof.is_some()))
    }

    /// Whether it is set before others: with the gear ratio limits change, with the length mass and tool.
    pub fn is_first(&self) -> bool {
        matches!(self.what, What::Drive { of: Gear, .. } | What::Length { .. })
    }

    /// Whether both set the mass of a part.
    pub fn overlaps(&self, other: &Parameter) -> bool {
        match (&self.what, &other.what) {
            (What::Mass { link, parts }, What::Mass { link: same, parts: others }) => {
                link == same && parts.iter().any(|p| others.contains(p))
            }
            _ => false,
        }
    }

    /// Sets the parameter.
    pub fn set(&self, d: &mut Description, x: f64) -> Result<(), String> {
        let positive =
            |what: &str| if x > 0.0 { Ok(()) } else { Err(format!("{what} {x} {} is not positive", self.unit)) };
        match &self.what {
            What::Payload => {
                d.payloads.clear();
                if x != 0.0 {
                    let m = d.model().map_err(|e| e.to_string())?;
                    let tool = m.tool().map_err(|e| {
                        format!("a payload needs the robot's tool: {e}; define `[tool]` in the robot file")
                    })?;
                    let (name, place) = ("payload".to_string(), Place::nowhere());
                    let inertia = Inertia::point(x, tool.position());
                    d.payloads.push(PayloadDescription {
                        name,
                        place,
                        link: m.links()[tool.link].name.clone(),
                        inertia,
                    });
                }
            }
            What::Gravity => {
                let now = gravity(d);
                let down = if norm(now) > 0.0 { now.map(|g| g / norm(now)) } else { [0.0, 0.0, -1.0] };
                d.gravity = Some(down.map(|g| g * x));
            }
            What::Mass { link, parts } => {
                positive("mass")?;
                let all = &mut d.links[*link].parts;
                let factor = x / parts.iter().map(|&k| all[k].inertia.mass).sum::<f64>();
                for &part in parts {
                    all[part].inertia = all[part].inertia.map(|value| value * factor);
                }
            }
            What::PayloadMass(payload) => {
                let inertia = &mut d.payloads[*payload].inertia;
                let factor = x / self.original.filter(|m| *m > 0.0).ok_or("a payload without mass cannot be scaled")?;
                *inertia = inertia.map(|value| value * factor);
            }
            What::Length { line, rigid } => {
                positive("length")?;
                line.stretch(d, x / line.length(), rigid);
            }
            What::Offset { joint, axis } => {
                let at = &mut d.joints[*joint].placement.translation;
                *[&mut at.x, &mut at.y, &mut at.z][*axis] = x;
            }
            What::Drive { joint, dof, of } => {
                let joint = &mut d.joints[*joint];
                if joint.drives.is_empty() {
                    joint.drives = vec![Drive::ideal(); joint.kind.axes().len()];
                }
                set(&mut joint.drives[*dof], *of, x)?;
            }
            What::Stiffness { joint, dof } => {
                positive("stiffness")?;
                let joint = &mut d.joints[*joint];
                if joint.stiffness.is_empty() {
                    joint.stiffness = vec![f64::INFINITY; joint.kind.axes().len()];
                }
                joint.stiffness[*dof] = x;
            }
        }
        Ok(())
    }
}

fn position<T>(all: &[T], name: impl Fn(&T) -> &String, wanted: &str) -> Option<usize> {
    all.iter().position(|x| name(x) == wanted)
}

fn gravity(d: &Description) -> [f64; 3] {
    d.gravity.unwrap_or([0.0, 0.0, -9.81])
}

fn norm([x, y, z]: [f64; 3]) -> f64 {
    // Exact for gravity along an axis.
    x.hypot(y).hypot(z)
}

/// The mass of a link, or of one of its parts.
fn mass(d: &Description, link: usize, part: Option<&str>) -> Result<Parameter, String> {
    let (name, all) = (&d.links[link].name, &d.links[link].parts);
    let names: Vec<&str> = all.iter().map(|p| p.name.as_str()).collect();
    let parts: Vec<usize> = (0..names.len()).filter(|&k| part.is_none_or(|part| names[k] == part)).collect();
    if let (Some(part), []) = (part, &parts[..]) {
        return Err(format!("`{name}` has no part `{part}`; {}", suggestion(nearest(part, &names), &names)));
    }
    let total: f64 = parts.iter().map(|&k| all[k].inertia.mass).sum();
    if total <= 0.0 {
        return Err(format!("`{name}` has no mass that could be scaled"));
    }
    Ok(Parameter { what: What::Mass { link, parts }, unit: "kg", original: Some(total) })
}

/// A quantity of a drive; none if it is not limited or there is none.
fn value(drive: &Drive, of: DriveQuantity) -> Option<f64> {
    let (limits, friction) = (&drive.limits, &drive.friction);
    let value = match of {
        Gear => drive.rotor.map(|r| r.gear)?,
        Rotor => drive.rotor.map(|r| r.inertia)?,
        Armature => drive.armature,
        Effort => limits.effort.upper.abs().max(limits.effort.lower.abs()),
        Continuous => limits.continuous,
        Speed => limits.speed,
        Lower => limits.lower,
        Upper => limits.upper,
        Viscous => friction.viscous,
        Coulomb => friction.coulomb_forward.max(friction.coulomb_backward),
    };
    value.is_finite().then_some(value)
}

fn set(drive: &mut Drive, of: DriveQuantity, x: f64) -> Result<(), String> {
    let now = value(drive, of);
    let signed = matches!(of, Lower | Upper);
    if !signed && of != Gear && x < 0.0 {
        return Err(format!("{x} is negative"));
    }
    let (limits, friction) = (&mut drive.limits, &mut drive.friction);
    match of {
        Gear => {
            let rotor = drive.rotor.as_mut().ok_or("the joint has no rotor")?;
            if x == 0.0 || rotor.gear == 0.0 {
                return Err("a gear ratio of 0".to_string());
            }
            let ratio = (x / rotor.gear).abs();
            rotor.gear = x;
            // The same motor: its torque and speed limits at the joint.
            limits.effort = limits.effort.scaled(ratio);
            limits.continuous *= ratio;
            limits.speed /= ratio;
        }
        Rotor => drive.rotor.as_mut().ok_or("the joint has no rotor")?.inertia = x,
        Armature => drive.armature = x,
        // Directions that differ keep their ratio.
        Effort => {
            limits.effort = now.filter(|n| *n > 0.0).map_or(EffortRange::from(x), |n| limits.effort.scaled(x / n))
        }
        Continuous => limits.continuous = x,
        Speed => limits.speed = x,
        Lower => limits.lower = x,
        Upper => limits.upper = x,
        Viscous => friction.viscous = x,
        Coulomb => match now.filter(|n| *n > 0.0) {
            Some(n) => {
                friction.coulomb_forward *= x / n;
                friction.coulomb_backward *= x / n;
            }
            None => (friction.coulomb_forward, friction.coulomb_backward) = (x, x),
        },
    }
    Ok(())
}

fn forms() -> Vec<&'static str> {
    vec!["payload", "gravity", "LINK.length", "LINK.mass", "JOINT.gear", "JOINT.effort"]
}

/// The message of an unknown name.
fn unknown(d: &Description, owner: &str, quantity: &str, is_link: bool, is_dof: bool) -> String {
    let mut known: Vec<&str> = vec![];
    if is_link {
        known.extend(LINK);
    }
    if is_dof {
        known.extend(DRIVE.map(|q| q.0));
        known.push("stiffness");
    }
    if d.joints.iter().any(|j| j.name == owner) {
        known.extend(OFFSET);
    }
    if !known.is_empty() {
        let hint = suggestion(nearest(quantity, &known), &known);
        return format!("`{owner}` of `{}` has no parameter `{quantity}`; {hint}", d.name);
    }
    let dofs: Vec<String> = d.joints.iter().flat_map(|j| j.dof_names()).collect();
    let names: Vec<&str> = d.links.iter().map(|l| l.name.as_str()).chain(dofs.iter().map(String::as_str)).collect();
    let hint = suggestion(nearest(owner, &names), &names);
    format!("`{}` has no link or joint `{owner}`; {hint}", d.name)
}
