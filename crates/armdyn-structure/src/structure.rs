//! What a robot is to its loads: beams, lumps of mass that hang on them, joints that give way.
//!
//! The rules (docs/format.md says them too):
//!
//! * A link's beam goes straight from `start` (else the origin of the link's frame) to `end` (else the origin of the one joint
//!   that hangs on the link, else the tool); its length must be the one that the file gives.
//! * Its section's z axis (height) is the direction across the beam that is nearest to `up`, else to the link's z axis, else,
//!   along which the beam lies, to the link's x axis.
//! * What sits on a link hangs rigidly on the nearest point of its beam: joints (one that slides takes that point along),
//!   payloads, the tool, and the link's masses
//!   that are not the beam's own. The part that is as heavy as the beam and has its centre is the beam; where there is none,
//!   the beam is taken out of the link's inertia, and the rest is one lump.

use super::cantilever::Stiffness;
use super::section::SectionFigures;
use armdyn_core::{Beam, Inertia, Model, Part, Rotation, Section, Sym3, Transform, Vec3, vec3};
use armdyn_numerics::{Error, Result};

/// A link's beam.
#[derive(Clone, Debug)]
pub struct BeamLine {
    /// The pose of its start in the link's frame, x along it, z along the section's height.
    pub start: Transform<f64>,
    /// Its length \[m\].
    pub length: f64,
    /// How it resists.
    pub stiffness: Stiffness,
    /// Its section, unless only its stiffness is given.
    pub section: Option<SectionFigures>,
    /// Young's modulus, if known \[Pa\].
    pub young: Option<f64>,
    /// Density, 0 if unknown \[kg/m³\].
    pub density: f64,
    /// Yield stress, if known \[Pa\].
    pub yield_stress: Option<f64>,
}

/// A mass that hangs on a link.
#[derive(Clone, Debug)]
pub struct Lump {
    /// How far along the link's beam \[m\]; 0 where it has none.
    pub station: f64,
    /// Its inertia in the link's frame.
    pub inertia: Inertia<f64>,
}

/// A link, as its loads see it.
#[derive(Clone, Debug)]
pub struct ElasticLink {
    /// Its beam; a link without one is rigid.
    pub beam: Option<BeamLine>,
    /// Its masses, the beam's own apart, and its payloads.
    pub lumps: Vec<Lump>,
}

/// A point of the last link, or of another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// The link, by number.
    pub link: usize,
    /// Where it is in the link's frame \[m\].
    pub at: Vec3<f64>,
}

/// A robot whose links and joints give way.
#[derive(Clone, Debug)]
pub struct Structure {
    pub(super) model: Model<f64>,
    pub(super) links: Vec<ElasticLink>,
    /// Of each degree of freedom; infinite where it does not give way \[N m/rad, N/m\].
    pub(super) stiffness: Vec<f64>,
    /// How far along the beam of its parent each joint sits where q is neutral.
    pub(super) stations: Vec<f64>,
    pub(super) tool: Tool,
}

impl Structure {
    /// The structure of a robot whose links have beams or whose joints are compliant. `tool` defaults to the end of the last
    /// link's beam, or that link's origin; it also ends a beam that no other data end.
    pub fn new(model: &Model<f64>, tool: Option<Tool>) -> Result<Self> {
        let stiffness = model.joint_stiffness().to_vec();
        let tip = tool.as_ref().map_or(model.links().len() - 1, |t| t.link);
        let mut links = vec![];
        for (k, info) in model.links().iter().enumerate() {
            let beam = match &info.beam {
                Some(beam) => {
                    let tool = tool.as_ref().filter(|t| t.link == k).map(|t| t.at);
                    Some(line(model, k, beam, tool)?)
                }
                None => None,
            };
            let mut link = ElasticLink { lumps: lumps(&info.name, &info.parts, beam.as_ref())?, beam };
            for p in model.payloads().iter().filter(|p| p.link.index() == k) {
                link.hang(p.in_link);
            }
            links.push(link);
        }
        if links.iter().all(|l| l.beam.is_none()) && stiffness.iter().all(|k| k.is_infinite()) {
            let names: Vec<String> = model.links().iter().skip(1).map(|l| format!("`{}`", l.name)).collect();
            return Err(Error::InvalidInput(format!(
                "nothing of `{}` gives way: give its links ({}) a `beam = {{ section, material, length }}`, or its joints a \
                 `stiffness`, in an armdyn file (see docs/format.md)",
                model.name(),
                names.join(", ")
            )));
        }
        let stations =
            model.joints().iter().map(|j| links[j.parent.index()].station(j.placement.translation)).collect();
        let end = |b: &BeamLine| b.start.point(vec3(b.length, 0.0, 0.0));
        let at = links[tip].beam.as_ref().map_or(Vec3::zero(), end);
        let tool = tool.unwrap_or(Tool { link: tip, at });
        Ok(Structure { model: model.clone(), links, stiffness, stations, tool })
    }

    /// The robot.
    pub fn model(&self) -> &Model<f64> {
        &self.model
    }

    /// Its links, by number.
    pub fn links(&self) -> &[ElasticLink] {
        &self.links
    }

    /// The tool.
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    /// How stiff each degree of freedom is held \[N m/rad, N/m\]; infinite where it does not give way.
    pub fn joint_stiffness(&self) -> &[f64] {
        &self.stiffness
    }
}

impl ElasticLink {
    /// How far along the beam its point nearest to `p` is.
    pub(super) fn station(&self, p: Vec3<f64>) -> f64 {
        self.beam.as_ref().map_or(0.0, |b| {
            let x = b.start.inverse().point(p).x;
            // What is written at an end is at that end.
            let slack = 1e-6 * b.length;
            if x < slack {
                0.0
            } else if x > b.length - slack {
                b.length
            } else {
                x
            }
        })
    }

    fn hang(&mut self, inertia: Inertia<f64>) {
        let station = if inertia.mass == 0.0 { 0.0 } else { self.station(inertia.centre()) };
        self.lumps.push(Lump { station, inertia });
    }
}

impl BeamLine {
    /// Mass per length \[kg/m\].
    pub fn mass_per_length(&self) -> f64 {
        self.section.as_ref().map_or(0.0, |s| s.area * self.density)
    }

    /// Moments of inertia of a slice per length, about x, y, z of the section \[kg m\].
    pub fn slice(&self) -> [f64; 3] {
        let [y, z] = self.section.as_ref().map_or([0.0; 2], |s| s.second.map(|i| i * self.density));
        [y + z, y, z]
    }

    /// Its own inertia, in the link's frame.
    pub fn inertia(&self) -> Inertia<f64> {
        let (l, [x, y, z]) = (self.length, self.slice());
        let mass = self.mass_per_length() * l;
        let long = mass * l * l / 12.0;
        let tensor = Sym3::diagonal(x * l, y * l + long, z * l + long);
        Inertia::about_centre(mass, vec3(l / 2.0, 0.0, 0.0), tensor).transformed(&self.start)
    }
}

/// Where a link's beam is, and how it resists.
fn line(m: &Model<f64>, link: usize, beam: &Beam, tool: Option<Vec3<f64>>) -> Result<BeamLine> {
    let who = format!("link `{}`", m.links()[link].name);
    let wrong = |what: String| Err(Error::InvalidInput(format!("{who}: {what}")));
    let start = Vec3::lift(beam.start.unwrap_or_default());
    let hanging: Vec<_> = m.joints().iter().filter(|j| j.parent.index() == link).collect();
    let end = match (beam.end, hanging.as_slice(), tool) {
        (Some(end), ..) => Vec3::lift(end),
        (None, [joint], _) => joint.placement.translation,
        (None, _, Some(tool)) => tool,
        (None, [], None) => {
            return wrong("nothing hangs on it: give where its beam ends, `end = [x, y, z]`, or the tool".to_string());
        }
        (None, several, None) => {
            return wrong(format!("{} joints hang on it: give where its beam ends, `end = [x, y, z]`", several.len()));
        }
    };
    let length = (end - start).norm();
    if !length.is_finite() || length <= 1e-9 {
        return wrong(format!(
            "its beam has no length: it begins and ends at ({}, {}, {}) m; give `end`, or leave the beam out",
            start.x, start.y, start.z
        ));
    }
    if (length - beam.length).abs() > 1e-4 * length {
        return wrong(format!(
            "its beam is {} m long by `length`, but {length} m from ({}, {}, {}) to ({}, {}, {}): correct one, or give `start` \
             and `end`",
            beam.length, start.x, start.y, start.z, end.x, end.y, end.z
        ));
    }
    let Beam { section, material, .. } = beam;
    let axes = axes((end - start) * (1.0 / length), beam.up);
    let start = Transform::new(axes, start);
    let (young, density) = (material.as_ref().map(|m| m.youngs_modulus), material.as_ref().and_then(|m| m.density));
    let yield_stress = material.as_ref().and_then(|m| m.yield_stress);
    let figures =
        material.as_ref().and_then(|m| SectionFigures::new(section, m.youngs_modulus / (2.0 * m.shear_modulus) - 1.0));
    let stiffness = match (section, material, &figures) {
        (Section::Given { bending, torsion, axial }, ..) => {
            Stiffness { axial: *axial, torsion: *torsion, bending: *bending, shear: [f64::INFINITY; 2] }
        }
        (_, Some(m), Some(f)) => Stiffness {
            axial: m.youngs_modulus * f.area,
            torsion: m.shear_modulus * f.torsion,
            bending: f.second.map(|i| m.youngs_modulus * i),
            shear: f.shear.map(|k| k * m.shear_modulus * f.area),
        },
        _ => return wrong("its beam has no material".to_string()),
    };
    Ok(BeamLine { start, length, stiffness, section: figures, young, density: density.unwrap_or(0.0), yield_stress })
}

/// The section's axes: x along the beam, z nearest to `up`.
fn axes(x: Vec3<f64>, up: Option<[f64; 3]>) -> Rotation<f64> {
    let across = |v: Vec3<f64>| v - x * x.dot(v);
    let wished = [up.map(Vec3::lift), Some(Vec3::unit(2)), Some(Vec3::unit(0))];
    let found = wished.into_iter().flatten().find(|v| across(*v).norm() > 1e-6 * v.norm());
    let z = across(found.unwrap_or(Vec3::unit(1)));
    let z = z * (1.0 / z.norm());
    Rotation { x, y: z.cross(x), z }
}

/// The masses of a link that are not its beam's own.
fn lumps(name: &str, parts: &[Part<f64>], beam: Option<&BeamLine>) -> Result<Vec<Lump>> {
    let all = |b: Option<&BeamLine>| ElasticLink { beam: b.cloned(), lumps: vec![] };
    let mut link = all(beam);
    let own = beam.map_or(Inertia::zero(), BeamLine::inertia);
    let Some(beam) = beam.filter(|_| own.mass > 0.0) else {
        parts.iter().filter(|p| p.inertia != Inertia::zero()).for_each(|p| link.hang(p.inertia));
        return Ok(link.lumps);
    };
    let the_beam = |p: &Part<f64>| {
        (p.inertia.mass / own.mass - 1.0).abs() < 0.01
            && (p.inertia.centre() - own.centre()).norm() < 0.01 * beam.length
    };
    let middle = beam.length / 2.0;
    if let Some(k) = parts.iter().position(the_beam) {
        // What it differs by, rounding apart, stays with it: no mass is lost.
        let (leftover, size) = (parts[k].inertia - own, own.mass * (1.0 + beam.length * beam.length));
        if leftover.components().iter().any(|x| x.abs() > 1e-12 * size) {
            link.lumps.push(Lump { station: middle, inertia: leftover });
        }
        parts.iter().enumerate().filter(|(i, _)| *i != k).for_each(|(_, p)| link.hang(p.inertia));
        return Ok(link.lumps);
    }
    let whole = parts.iter().fold(Inertia::zero(), |sum, p| sum + p.inertia);
    let rest = whole - own;
    let remedy =
        "correct the section or the mass, or give the beam a material without `density`, that has no mass of its own";
    if rest.mass < -1e-9 * own.mass {
        return Err(Error::InvalidInput(format!(
            "link `{name}`: its beam alone weighs {:.6} kg, the whole link {:.6} kg: {remedy}",
            own.mass, whole.mass
        )));
    }
    if rest.mass < 1e-9 * own.mass {
        link.lumps.push(Lump { station: middle, inertia: rest });
        return Ok(link.lumps);
    }
    let least = least_moment(&rest);
    if least < -1e-3 * own.mass * beam.length * beam.length {
        return Err(Error::InvalidInput(format!(
            "link `{name}`: its mass lies closer together than that of its beam alone ({:.6} kg along {:.6} m): {remedy}",
            own.mass, beam.length
        )));
    }
    link.hang(rest);
    Ok(link.lumps)
}

/// The least of a body's principal second moments ∫ r² dm about its centre.
fn least_moment(i: &Inertia<f64>) -> f64 {
    let central = Inertia { mass: i.mass, first: Vec3::zero(), second: i.central() };
    central.moments().eigenvalues()[0]
}
