//! Static deflection of the structure, from the base to the tips.
//!
//! Lau 1985, section 7.1.2, corrected (7-11 … 7-22: the load at the far end bends a link, and the lever of the next link
//! propagates its rotation). Displacements are small; each is the motion of a rigid frame, written like a twist about the
//! base's origin, so that they add up along the chain:
//!
//!   D(end) = D(start) + ⁰X (θ, v) of a beam segment;   D(child) = D(station) + Σ S δq,   δq = Sᵀ W / k     (1)

use super::DeformationModes;
use super::cantilever::end_motion;
use super::loads::{LoadCase, Loads};
use super::structure::{Part, Structure};
use armdyn_core::{Force, Motion, Vec3};
use armdyn_numerics::Result;
use serde::{Serialize, Serializer};

/// Displacement of a point and of the frame there, in the base's axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Displacement {
    /// Translation of the point \[m\].
    #[serde(serialize_with = "as_array")]
    pub translation: Vec3<f64>,
    /// Rotation vector of the frame \[rad\].
    #[serde(serialize_with = "as_array")]
    pub rotation: Vec3<f64>,
}

impl Displacement {
    /// No displacement.
    #[must_use]
    pub fn none() -> Self {
        Displacement { translation: Vec3::zero(), rotation: Vec3::zero() }
    }

    fn at(motion: Motion<f64>, point: Vec3<f64>) -> Self {
        Displacement { translation: motion.linear + motion.angular.cross(point), rotation: motion.angular }
    }
}

pub(crate) fn as_array<S: Serializer>(v: &Vec3<f64>, s: S) -> std::result::Result<S::Ok, S::Error> {
    v.to_array().serialize(s)
}

/// An elastic component of the robot, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Component {
    /// The beam of a link.
    Link(String),
    /// The compliance of a degree of freedom.
    Joint(String),
}

/// Contribution of one component to the tool's displacement.
#[derive(Clone, Debug, Serialize)]
pub struct Contribution {
    /// The component.
    #[serde(flatten)]
    pub component: Component,
    /// The tool's displacement due to it alone.
    pub displacement: Displacement,
    /// Its fraction of the tool's translation, along that; none if the tool does not move.
    pub fraction: Option<f64>,
    /// Deflection of a joint \[rad or m\].
    pub joint_deflection: Option<f64>,
}

/// Deflection of a link.
#[derive(Clone, Debug, Serialize)]
pub struct LinkDeflection {
    /// Its name.
    pub link: String,
    /// Whether it has a beam.
    pub elastic: bool,
    /// Undeflected position of the end of its beam, or of the origin of a rigid link, in the base \[m\].
    #[serde(serialize_with = "as_array")]
    pub position: Vec3<f64>,
    /// Displacement of that point.
    pub displacement: Displacement,
    /// Load at the end of its beam, in the section's axes.
    #[serde(skip)]
    pub end_load: Force<f64>,
}

/// Deflection of the tool.
#[derive(Clone, Debug, Serialize)]
pub struct ToolDeflection {
    /// Its link.
    pub link: String,
    /// Undeflected position in the base \[m\].
    #[serde(serialize_with = "as_array")]
    pub position: Vec3<f64>,
    /// Its displacement.
    pub displacement: Displacement,
}

/// Deflection of a robot under load.
#[derive(Clone, Debug, Serialize)]
pub struct Deflection {
    /// The tool.
    pub tool: ToolDeflection,
    /// All links except the base.
    pub links: Vec<LinkDeflection>,
    /// Contributions of the components between base and tool; they add up to the tool's displacement.
    pub contributions: Vec<Contribution>,
    /// Polylines along beams and rigid links: undeflected points with their translations, for drawing.
    #[serde(skip)]
    pub shape: Vec<Vec<(Vec3<f64>, Vec3<f64>)>>,
}

/// Points per beam segment of the polylines.
const DRAWN_POINTS: usize = 8;

impl Structure {
    /// Computes the static deflection.
    pub fn deflect(&self, case: &LoadCase, modes: &DeformationModes) -> Result<Deflection> {
        Ok(self.deflect_under(&Loads::new(self, case)?, modes))
    }

    /// The wrench that each link's joint exerts on it, about the base's origin in the base's axes; the first is that of the
    /// ground on the base.
    pub fn joint_wrenches(&self, case: &LoadCase) -> Result<Vec<Force<f64>>> {
        Ok(Loads::new(self, case)?.totals.iter().map(|f| -*f).collect())
    }

    pub(super) fn deflect_under(&self, loads: &Loads, modes: &DeformationModes) -> Deflection {
        let m = &self.model;
        let position = loads.poses[self.tool.link.index()].point(self.tool.position());
        let mut solution = Propagation {
            structure: self,
            loads,
            modes,
            links: vec![LinkMotion::default(); m.links().len()],
            joints: vec![(Motion::zero(), 0.0); m.nv()],
            levers: vec![],
        };
        solution.link(0, Motion::zero());
        let mut links = vec![];
        for (j, joint) in m.joints().iter().enumerate() {
            let child = joint.child.index();
            let mut motion = solution.links[joint.parent.index()].at(loads.joint_stations[j]);
            for v in joint.v.clone() {
                motion += solution.joint(v, child);
            }
            solution.lever(j, motion);
            links.push(solution.link(child, motion));
        }
        let path = self.path_to_tool(loads);
        let (link, station) = *path.last().unwrap_or(&(0, 0.0));
        let tool = Displacement::at(solution.links[link].at(station), position);
        let square = tool.translation.norm_squared();
        let contribution = |part: Part, motion: Motion<f64>, joint_deflection: Option<f64>| {
            let displacement = Displacement::at(motion, position);
            let along = displacement.translation.dot(tool.translation);
            let fraction = (square > 0.0).then(|| along / square);
            Contribution { component: self.component(part), displacement, fraction, joint_deflection }
        };
        // A beam contributes only up to the station where the path to the tool leaves it.
        let mut contributions = vec![];
        for (k, (link, station)) in path.iter().enumerate() {
            let start = if k == 0 { Motion::zero() } else { solution.links[*link].first() };
            for v in m.joints().iter().filter(|j| j.child.index() == *link).flat_map(|j| j.v.clone()) {
                if self.is_compliant(v, modes) {
                    let (motion, deflection) = solution.joints[v];
                    contributions.push(contribution(Part::Joint(v), motion, Some(deflection)));
                }
            }
            if self.links[*link].beam.is_some() {
                contributions.push(contribution(Part::Link(*link), solution.links[*link].at(*station) - start, None));
            }
        }
        let has_length = |line: &Vec<(Vec3<f64>, Vec3<f64>)>| line.windows(2).any(|p| p[0].0 != p[1].0);
        let lines = solution.levers.into_iter().chain(solution.links.into_iter().map(|l| l.line));
        let link = m.links()[self.tool.link.index()].name.clone();
        Deflection {
            tool: ToolDeflection { link, position, displacement: tool },
            links,
            contributions,
            shape: lines.filter(has_length).collect(),
        }
    }

    fn is_compliant(&self, dof: usize, modes: &DeformationModes) -> bool {
        modes.joints && self.stiffness[dof].is_finite()
    }

    /// The links between base and tool, each with the station where the path leaves it.
    fn path_to_tool(&self, loads: &Loads) -> Vec<(usize, f64)> {
        let m = &self.model;
        let mut link = self.tool.link.index();
        let mut path = vec![(link, self.links[link].station(self.tool.position()))];
        while let Some(j) = m.joints().iter().position(|j| j.child.index() == link) {
            link = m.joints()[j].parent.index();
            path.push((link, loads.joint_stations[j]));
        }
        path.reverse();
        path
    }
}

/// Motion of a link's frame at each of its stations.
#[derive(Clone, Default)]
struct LinkMotion {
    stations: Vec<(f64, Motion<f64>)>,
    line: Vec<(Vec3<f64>, Vec3<f64>)>,
}

impl LinkMotion {
    fn first(&self) -> Motion<f64> {
        self.stations.first().map_or(Motion::zero(), |s| s.1)
    }

    fn at(&self, station: f64) -> Motion<f64> {
        self.stations.iter().rev().find(|s| s.0 <= station).map_or(Motion::zero(), |s| s.1)
    }
}

/// Displacements propagated from the base to the tips.
struct Propagation<'a> {
    structure: &'a Structure,
    loads: &'a Loads,
    modes: &'a DeformationModes,
    links: Vec<LinkMotion>,
    /// Motion and deflection of each degree of freedom.
    joints: Vec<(Motion<f64>, f64)>,
    levers: Vec<Vec<(Vec3<f64>, Vec3<f64>)>>,
}

impl Propagation<'_> {
    /// Across a joint: (1).
    fn joint(&mut self, dof: usize, child: usize) -> Motion<f64> {
        if self.structure.is_compliant(dof, self.modes) {
            let screw = self.loads.kinematics.screws()[dof];
            let deflection = screw.dot(self.loads.totals[child]) / self.structure.stiffness[dof];
            self.joints[dof] = (screw * deflection, deflection);
        }
        self.joints[dof].0
    }

    /// The rigid line from a joint's station on its parent to the joint, for drawing.
    fn lever(&mut self, joint: usize, motion: Motion<f64>) {
        let (s, loads) = (self.structure, self.loads);
        let (info, station) = (&s.model.joints()[joint], loads.joint_stations[joint]);
        let (parent, child) = (info.parent.index(), info.child.index());
        let from = match &s.links[parent].beam {
            Some(beam) => loads.frame(beam, parent, station).translation,
            None => loads.poses[parent].translation,
        };
        let (to, start) = (loads.poses[child].translation, self.links[parent].at(station));
        self.levers.push([(from, start), (to, motion)].map(|(p, d)| (p, Displacement::at(d, p).translation)).to_vec());
    }

    /// Along a link.
    fn link(&mut self, link: usize, start: Motion<f64>) -> LinkDeflection {
        let loads = self.loads;
        let name = self.structure.model.links()[link].name.clone();
        let mut moved = LinkMotion { stations: vec![(0.0, start)], line: vec![] };
        let origin = loads.poses[link].translation;
        moved.line.push((origin, Displacement::at(start, origin).translation));
        let Some(beam) = &self.structure.links[link].beam else {
            self.links[link] = moved;
            let displacement = Displacement::at(start, origin);
            let end_load = Force::zero();
            return LinkDeflection { link: name, elastic: false, position: origin, displacement, end_load };
        };
        let mut here = start;
        for pair in loads.stations(beam, link).windows(2) {
            let (from, l) = (pair[0], pair[1] - pair[0]);
            let load = loads.distributed[link].from(from);
            let motion = |x: f64, end: Force<f64>| {
                let local = end_motion(&beam.stiffness, self.modes, x, end, &load);
                here + loads.frame(beam, link, from + x).motion(local)
            };
            for k in 0..DRAWN_POINTS {
                let x = l * k as f64 / DRAWN_POINTS as f64;
                let point = loads.frame(beam, link, from + x).translation;
                let there = motion(x, loads.internal_load(beam, link, from + x, from + x > from));
                moved.line.push((point, Displacement::at(there, point).translation));
            }
            here = motion(l, loads.internal_load(beam, link, pair[1], true));
            moved.stations.push((pair[1], here));
        }
        let position = loads.frame(beam, link, beam.length).translation;
        let displacement = Displacement::at(here, position);
        moved.line.push((position, displacement.translation));
        self.links[link] = moved;
        let end_load = loads.internal_load(beam, link, beam.length, true);
        LinkDeflection { link: name, elastic: true, position, displacement, end_load }
    }
}
