//! The elastic structure of a robot: beams, lumped masses on them, compliant joints.
//!
//! The rules (see also docs/format.md):
//!
//! * A beam is straight from `start` (default: the origin of the link's frame) to `end` (default: the origin of the link's
//!   only child joint, or the tool). Its length must agree with the given one.
//! * The section's z axis (height) is the direction across the beam nearest to `up` (default: the link's z axis, or its x axis
//!   for a beam along z).
//! * Child joints, payloads, the tool and masses that are not the beam's own are rigidly attached to the nearest point of the
//!   beam; the attachment of a prismatic joint moves along the beam. The part with the mass and centre of the beam is the
//!   beam; without such a part, the beam is subtracted from the link's inertia, and the rest is one lumped mass.

use super::cantilever::BeamStiffness;
use super::deflection::Component;
use super::section::SectionProperties;
use armdyn_core::{
    Beam, Inertia, LinkInfo, Material, Model, Part as LinkPart, Rotation, Section, Sym3, Tool, Transform, Vec3, vec3,
};
use armdyn_numerics::{Result, invalid};

/// The beam of a link.
#[derive(Clone, Debug)]
pub struct ElasticBeam {
    /// Pose of its start in the link's frame: x along it, z along the section's height.
    pub start: Transform<f64>,
    /// Length \[m\].
    pub length: f64,
    /// Stiffness.
    pub stiffness: BeamStiffness,
    /// Properties of its section, unless only its stiffness is known.
    pub section: Option<SectionProperties>,
    /// Density \[kg/m³\]; 0 if unknown.
    pub density: f64,
    /// Yield stress \[Pa\], if known.
    pub yield_stress: Option<f64>,
}

/// A mass attached to a link.
#[derive(Clone, Debug)]
pub struct LumpedMass {
    /// Station along the link's beam \[m\]; 0 without a beam.
    pub station: f64,
    /// Inertia in the link's frame.
    pub inertia: Inertia<f64>,
}

/// A link of the structure.
#[derive(Clone, Debug)]
pub struct ElasticLink {
    /// Beam; a link without one is rigid.
    pub beam: Option<ElasticBeam>,
    /// Masses that are not the beam's own, and payloads.
    pub lumped_masses: Vec<LumpedMass>,
}

/// A robot with elastic links and compliant joints.
#[derive(Clone, Debug)]
pub struct Structure {
    pub(super) model: Model<f64>,
    pub(super) links: Vec<ElasticLink>,
    /// Stiffness of each degree of freedom \[N m/rad or N/m\]; infinite if rigid.
    pub(super) stiffness: Vec<f64>,
    /// Station of each joint along the beam of its parent in the neutral configuration.
    pub(super) stations: Vec<f64>,
    pub(super) tool: Tool,
}

impl Structure {
    /// The structure of a robot. `tool` defaults to [`Model::tool`]; it is also the default end of its link's beam.
    pub fn new(model: &Model<f64>, tool: Option<Tool>) -> Result<Self> {
        if let Some(f) = model.followers().first() {
            let [joint, leader] = [f.joint, f.leader].map(|j| &model.joints()[j].name);
            return invalid(format!(
                "joint `{joint}` follows `{leader}`: deflections of mimic joints are not covered; lock `{leader}` (--lock {leader})"
            ));
        }
        let stiffness = model.joint_stiffness().to_vec();
        let known = tool.map_or_else(|| model.tool(), Ok);
        let mut links = vec![];
        for (k, info) in model.links().iter().enumerate() {
            let beam = match &info.beam {
                Some(beam) => {
                    let tool = known.as_ref().ok().filter(|t| t.link.index() == k).map(Tool::position);
                    Some(elastic_beam(model, k, beam, tool)?)
                }
                None => None,
            };
            let mut link = ElasticLink { beam, lumped_masses: vec![] };
            link.attach_parts(info)?;
            model.payloads().iter().filter(|p| p.link.index() == k).for_each(|p| link.attach(p.in_link));
            links.push(link);
        }
        if links.iter().all(|l| l.beam.is_none()) && stiffness.iter().all(|k| k.is_infinite()) {
            let names: Vec<String> = model.links().iter().skip(1).map(|l| format!("`{}`", l.name)).collect();
            return invalid(format!(
                "robot `{}` is rigid; give its links ({}) a `beam = {{ section, material, length }}`, or its joints a \
                 `stiffness`, in an armdyn file (see docs/format.md)",
                model.name(),
                names.join(", ")
            ));
        }
        let stations =
            model.joints().iter().map(|j| links[j.parent.index()].station(j.placement.translation)).collect();
        Ok(Structure { model: model.clone(), links, stiffness, stations, tool: known? })
    }

    /// The robot.
    pub fn model(&self) -> &Model<f64> {
        &self.model
    }

    /// The links, by index.
    pub fn links(&self) -> &[ElasticLink] {
        &self.links
    }

    /// The tool.
    pub fn tool(&self) -> &Tool {
        &self.tool
    }

    pub(super) fn component(&self, part: Part) -> Component {
        match part {
            Part::Link(k) => Component::Link(self.model.links()[k].name.clone()),
            Part::Joint(v) => Component::Joint(self.model.dof_names()[v].clone()),
        }
    }
}

/// An elastic part: the beam of a link, or a degree of freedom, by index.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Part {
    Link(usize),
    Joint(usize),
}

impl ElasticLink {
    /// Station of the beam's point nearest to `p`.
    pub(super) fn station(&self, p: Vec3<f64>) -> f64 {
        self.beam.as_ref().map_or(0.0, |b| {
            let x = b.start.inverse().point(p).x;
            let tolerance = 1e-6 * b.length;
            match x {
                x if x < tolerance => 0.0,
                x if x > b.length - tolerance => b.length,
                x => x,
            }
        })
    }

    fn attach(&mut self, inertia: Inertia<f64>) {
        let station = if inertia.mass == 0.0 { 0.0 } else { self.station(inertia.centre()) };
        self.lumped_masses.push(LumpedMass { station, inertia });
    }

    /// Attaches the masses of a link that are not its beam's own.
    fn attach_parts(&mut self, info: &LinkInfo<f64>) -> Result<()> {
        let own = self.beam.as_ref().map_or(Inertia::zero(), ElasticBeam::inertia);
        let Some(length) = self.beam.as_ref().filter(|_| own.mass > 0.0).map(|b| b.length) else {
            info.parts.iter().filter(|p| p.inertia != Inertia::zero()).for_each(|p| self.attach(p.inertia));
            return Ok(());
        };
        let is_beam = |p: &LinkPart<f64>| {
            (p.inertia.mass / own.mass - 1.0).abs() < 0.01 && (p.inertia.centre() - own.centre()).norm() < 0.01 * length
        };
        let station = length / 2.0;
        if let Some(k) = info.parts.iter().position(is_beam) {
            // The difference, if it is more than rounding, stays: no mass is lost.
            let (difference, scale) = (info.parts[k].inertia - own, own.mass * (1.0 + length * length));
            if difference.components().iter().any(|x| x.abs() > 1e-12 * scale) {
                self.lumped_masses.push(LumpedMass { station, inertia: difference });
            }
            info.parts.iter().enumerate().filter(|(i, _)| *i != k).for_each(|(_, p)| self.attach(p.inertia));
            return Ok(());
        }
        let total = info.inertia();
        let rest = total - own;
        let fault = |problem: String| {
            let name = &info.name;
            invalid(format!(
                "link `{name}`: {problem}; correct the section or the mass, or use a material without `density`"
            ))
        };
        if rest.mass < -1e-9 * own.mass {
            return fault(format!("its beam has a mass of {:.4} kg, the link only {:.4} kg", own.mass, total.mass));
        }
        if rest.mass < 1e-9 * own.mass {
            self.lumped_masses.push(LumpedMass { station, inertia: rest });
            return Ok(());
        }
        if min_second_moment(&rest) < -1e-3 * own.mass * length * length {
            return fault(format!(
                "its inertia is smaller than that of its beam alone ({:.4} kg along {length:.4} m)",
                own.mass
            ));
        }
        self.attach(rest);
        Ok(())
    }
}

impl ElasticBeam {
    /// Mass per length \[kg/m\].
    #[must_use]
    pub fn mass_per_length(&self) -> f64 {
        self.section.as_ref().map_or(0.0, |s| s.area * self.density)
    }

    /// Moments of inertia per length about x, y, z of the section \[kg m\].
    #[must_use]
    pub fn slice(&self) -> [f64; 3] {
        let [y, z] = self.section.as_ref().map_or([0.0; 2], |s| s.second_moments.map(|i| i * self.density));
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

/// The beam of a link: its axis, section and stiffness.
fn elastic_beam(m: &Model<f64>, link: usize, beam: &Beam, tool: Option<Vec3<f64>>) -> Result<ElasticBeam> {
    let name = &m.links()[link].name;
    let fault = |problem: &str| invalid(format!("link `{name}`: {problem}"));
    let start = Vec3::lift(beam.start.unwrap_or_default());
    let children: Vec<_> = m.joints().iter().filter(|j| j.parent.index() == link).collect();
    let end = match (beam.end, children.as_slice(), tool) {
        (Some(end), ..) => Vec3::lift(end),
        (None, [joint], _) => joint.placement.translation,
        (None, _, Some(tool)) => tool,
        (None, [], None) => {
            return fault("its beam has no end; add `end = [x, y, z]` to the beam, or pass the tool");
        }
        (None, several, None) => {
            return fault(&format!("it has {} child joints; add `end = [x, y, z]` to its beam", several.len()));
        }
    };
    let length = (end - start).norm();
    if !length.is_finite() || length <= 1e-9 {
        return fault("its beam starts and ends at the same point; add `end = [x, y, z]`, or remove the beam");
    }
    if (length - beam.length).abs() > 1e-4 * length {
        let ([a, b, c], [x, y, z]) = (start.to_array(), end.to_array());
        return fault(&format!(
            "`length` of its beam is {} m, but the distance from ({a}, {b}, {c}) to ({x}, {y}, {z}) is {length} m; correct it, \
             or add `start` and `end`",
            beam.length
        ));
    }
    let Beam { section, material, .. } = beam;
    let axes = axes((end - start) * (1.0 / length), beam.up);
    let start = Transform::new(axes, start);
    let poissons_ratio = |m: &Material| m.youngs_modulus / (2.0 * m.shear_modulus) - 1.0;
    let properties = material.as_ref().and_then(|m| SectionProperties::new(section, poissons_ratio(m)));
    let stiffness = match (section, material, &properties) {
        (Section::Given { bending, torsion, axial }, ..) => {
            BeamStiffness { axial: *axial, torsion: *torsion, bending: *bending, shear: [f64::INFINITY; 2] }
        }
        (_, Some(m), Some(p)) => BeamStiffness {
            axial: m.youngs_modulus * p.area,
            torsion: m.shear_modulus * p.torsion,
            bending: p.second_moments.map(|i| m.youngs_modulus * i),
            shear: p.shear.map(|k| k * m.shear_modulus * p.area),
        },
        _ => return fault("its beam has no material"),
    };
    let density = material.and_then(|m| m.density).unwrap_or(0.0);
    let yield_stress = material.and_then(|m| m.yield_stress);
    Ok(ElasticBeam { start, length, stiffness, section: properties, density, yield_stress })
}

/// The section's axes: x along the beam, z nearest to `up`.
fn axes(x: Vec3<f64>, up: Option<[f64; 3]>) -> Rotation<f64> {
    let across = |v: Vec3<f64>| v - x * x.dot(v);
    let candidates = [up.map(Vec3::lift), Some(Vec3::unit(2)), Some(Vec3::unit(0))];
    let found = candidates.into_iter().flatten().find(|v| across(*v).norm() > 1e-6 * v.norm());
    let z = across(found.unwrap_or(Vec3::unit(1)));
    let z = z * (1.0 / z.norm());
    Rotation { x, y: z.cross(x), z }
}

/// Minimum principal second moment ∫ r² dm of a body about its centre.
fn min_second_moment(i: &Inertia<f64>) -> f64 {
    let central = Inertia { mass: i.mass, first: Vec3::zero(), second: i.central() };
    central.moments().eigenvalues()[0]
}
