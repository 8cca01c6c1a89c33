//! Where everything goes under load: statics of the structure, from its base on.
//!
//! Lau 1985, section 7.1.2, corrected (7-11 … 7-22: the load at the far end bends a link, and the lever of the next link
//! carries its turning on). Displacements are small; each is a motion of a rigid frame, written like a velocity about the
//! base's origin, so that they add up along the way:
//!
//!   D(behind) = D(before) + ⁰X (θ, v) of a piece of beam;   D(child) = D(station) + Σ S δq,   δq = Sᵀ W / k     (1)

use super::Modes;
use super::cantilever::end_motion;
use super::loads::{Loading, Loads};
use super::structure::Structure;
use armdyn_core::{Force, Motion, Vec3};
use armdyn_numerics::Result;

/// A displacement of a point and the frame there, in the base's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Displacement {
    /// Of the point \[m\].
    pub shift: Vec3<f64>,
    /// Of the frame, a rotation vector \[rad\].
    pub turn: Vec3<f64>,
}

impl Displacement {
    /// No displacement.
    pub fn none() -> Self {
        Displacement { shift: Vec3::zero(), turn: Vec3::zero() }
    }

    fn at(motion: Motion<f64>, point: Vec3<f64>) -> Self {
        Displacement { shift: motion.linear + motion.angular.cross(point), turn: motion.angular }
    }
}

/// What gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A link's beam, by the link's number.
    Link(usize),
    /// A joint's drive, by its degree of freedom.
    Joint(usize),
}

/// What one part alone does to the tool.
#[derive(Clone, Debug)]
pub struct Contribution {
    /// The part.
    pub part: Part,
    /// What it shifts and turns the tool by.
    pub tool: Displacement,
}

/// One link under load.
#[derive(Clone, Debug)]
pub struct LinkDeflection {
    /// The link, by number.
    pub link: usize,
    /// Where the undeflected end of its beam is, in the base \[m\].
    pub end: Vec3<f64>,
    /// The displacement of that end; of a link without a beam, of its origin.
    pub displacement: Displacement,
    /// What its beam transmits at its far end, beyond which it has no load of its own, in the section's axes.
    pub end_load: Force<f64>,
}

/// A robot under load.
#[derive(Clone, Debug)]
pub struct Deflection {
    /// Where the undeflected tool is \[m\].
    pub tool_at: Vec3<f64>,
    /// Where it goes.
    pub tool: Displacement,
    /// Every link but the base, in their order.
    pub links: Vec<LinkDeflection>,
    /// What each part does to the tool: they add up to it.
    pub contributions: Vec<Contribution>,
    /// How far each degree of freedom gives way \[rad, m\].
    pub joints: Vec<f64>,
    /// Lines along beams and rigid links: points undeflected, with their displacements.
    pub shape: Vec<Vec<(Vec3<f64>, Vec3<f64>)>>,
}

/// Points of a piece of beam that its shape is drawn through.
const DRAWN: usize = 8;

impl Structure {
    /// Where everything goes.
    pub fn deflect(&self, loading: &Loading, modes: &Modes) -> Result<Deflection> {
        Ok(self.deflect_under(&Loads::new(self, loading)?, modes))
    }

    /// The wrench that each link's joint exerts on it, about the base's origin in the base's axes; what the ground exerts
    /// on the base first.
    pub fn joint_wrenches(&self, loading: &Loading) -> Result<Vec<Force<f64>>> {
        Ok(Loads::new(self, loading)?.whole.iter().map(|f| -*f).collect())
    }

    pub(super) fn deflect_under(&self, loads: &Loads, modes: &Modes) -> Deflection {
        let m = &self.model;
        let tool_at = loads.poses[self.tool.link].point(self.tool.at);
        let mut walk = Walk {
            structure: self,
            loads,
            modes,
            passed: vec![Passed::default(); m.links().len()],
            parts: vec![],
            joints: vec![0.0; m.nv()],
            levers: vec![],
        };
        walk.link(0, Motion::zero());
        let mut links = vec![];
        for (j, joint) in m.joints().iter().enumerate() {
            let mut before = walk.passed[joint.parent.index()].at(loads.seats[j]);
            for v in joint.v.clone() {
                before += walk.joint(v, joint.child.index());
            }
            walk.lever(j, before);
            links.push(walk.link(joint.child.index(), before));
        }
        // Of what lies between the base and the tool each part counts, and of a beam only what is before the tool's station.
        let way = self.way_to_tool(loads);
        let contribution =
            |(part, motion): (Part, Motion<f64>)| Contribution { part, tool: Displacement::at(motion, tool_at) };
        let mut contributions = vec![];
        for (k, (link, station)) in way.iter().enumerate() {
            let before = if k == 0 { Motion::zero() } else { walk.passed[*link].first() };
            for v in m.joints().iter().filter(|j| j.child.index() == *link).flat_map(|j| j.v.clone()) {
                if self.gives_way(v, modes) {
                    contributions.push(contribution((Part::Joint(v), walk.spring(v))));
                }
            }
            if self.links[*link].beam.is_some() {
                contributions.push(contribution((Part::Link(*link), walk.passed[*link].at(*station) - before)));
            }
        }
        let (link, station) = *way.last().unwrap_or(&(0, 0.0));
        let tool = Displacement::at(walk.passed[link].at(station), tool_at);
        let long = |line: &Vec<(Vec3<f64>, Vec3<f64>)>| line.windows(2).any(|p| p[0].0 != p[1].0);
        let shape = walk.levers.into_iter().chain(walk.passed.into_iter().map(|p| p.drawn)).filter(long).collect();
        Deflection { tool_at, tool, links, contributions, joints: walk.joints, shape }
    }

    fn gives_way(&self, dof: usize, modes: &Modes) -> bool {
        modes.joints && self.stiffness[dof].is_finite()
    }

    /// The links between the base and the tool, each with the station at which the way leaves it.
    fn way_to_tool(&self, loads: &Loads) -> Vec<(usize, f64)> {
        let m = &self.model;
        let mut link = self.tool.link;
        let mut way = vec![(link, self.links[link].station(self.tool.at))];
        while let Some(j) = m.joints().iter().position(|j| j.child.index() == link) {
            link = m.joints()[j].parent.index();
            way.push((link, loads.seats[j]));
        }
        way.reverse();
        way
    }
}

/// What a link has been passed with: the motion of its frame at each of its stations.
#[derive(Clone, Default)]
struct Passed {
    stations: Vec<(f64, Motion<f64>)>,
    drawn: Vec<(Vec3<f64>, Vec3<f64>)>,
}

impl Passed {
    fn first(&self) -> Motion<f64> {
        self.stations.first().map_or(Motion::zero(), |s| s.1)
    }

    fn at(&self, station: f64) -> Motion<f64> {
        self.stations.iter().rev().find(|s| s.0 <= station).map_or(Motion::zero(), |s| s.1)
    }
}

/// The way from the base to the tips.
struct Walk<'a> {
    structure: &'a Structure,
    loads: &'a Loads,
    modes: &'a Modes,
    passed: Vec<Passed>,
    parts: Vec<(usize, Motion<f64>)>,
    joints: Vec<f64>,
    levers: Vec<Vec<(Vec3<f64>, Vec3<f64>)>>,
}

impl Walk<'_> {
    /// Past a joint: (1).
    fn joint(&mut self, dof: usize, child: usize) -> Motion<f64> {
        if !self.structure.gives_way(dof, self.modes) {
            return Motion::zero();
        }
        let screw = self.loads.kinematics.screws()[dof];
        let give = screw.dot(self.loads.whole[child]) / self.structure.stiffness[dof];
        self.joints[dof] = give;
        self.parts.push((dof, screw * give));
        screw * give
    }

    fn spring(&self, dof: usize) -> Motion<f64> {
        self.parts.iter().find(|p| p.0 == dof).map_or(Motion::zero(), |p| p.1)
    }

    /// The rigid line from where a joint hangs on its parent to the joint itself, for the picture.
    fn lever(&mut self, joint: usize, there: Motion<f64>) {
        let (s, loads) = (self.structure, self.loads);
        let (info, station) = (&s.model.joints()[joint], loads.seats[joint]);
        let (parent, child) = (info.parent.index(), info.child.index());
        let from = match &s.links[parent].beam {
            Some(beam) => loads.frame(beam, parent, station).translation,
            None => loads.poses[parent].translation,
        };
        let (to, before) = (loads.poses[child].translation, self.passed[parent].at(station));
        self.levers.push([(from, before), (to, there)].map(|(p, d)| (p, Displacement::at(d, p).shift)).to_vec());
    }

    /// Along a link.
    fn link(&mut self, link: usize, before: Motion<f64>) -> LinkDeflection {
        let loads = self.loads;
        let mut passed = Passed { stations: vec![(0.0, before)], drawn: vec![] };
        let origin = loads.poses[link].translation;
        passed.drawn.push((origin, Displacement::at(before, origin).shift));
        let Some(beam) = &self.structure.links[link].beam else {
            self.passed[link] = passed;
            let displacement = Displacement::at(before, origin);
            return LinkDeflection { link, end: origin, displacement, end_load: Force::zero() };
        };
        let mut here = before;
        for pair in loads.stations(beam, link).windows(2) {
            let (from, l) = (pair[0], pair[1] - pair[0]);
            let load = loads.spread[link].from(from);
            let motion = |x: f64, end: Force<f64>| {
                let give = end_motion(&beam.stiffness, self.modes, x, end, &load);
                here + loads.frame(beam, link, from + x).motion(give)
            };
            for k in 0..DRAWN {
                let x = l * k as f64 / DRAWN as f64;
                let point = loads.frame(beam, link, from + x).translation;
                let there = motion(x, loads.inner(beam, link, from + x, from + x > from));
                passed.drawn.push((point, Displacement::at(there, point).shift));
            }
            here = motion(l, loads.inner(beam, link, pair[1], true));
            passed.stations.push((pair[1], here));
        }
        let end = loads.frame(beam, link, beam.length).translation;
        let displacement = Displacement::at(here, end);
        passed.drawn.push((end, displacement.shift));
        self.passed[link] = passed;
        let end_load = loads.inner(beam, link, beam.length, true);
        LinkDeflection { link, end, displacement, end_load }
    }
}
