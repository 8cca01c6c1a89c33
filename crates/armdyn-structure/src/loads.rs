//! What acts on each link, as the rigid robot moves: inertia, weight, what hangs on it, a wrench on the tool.
//!
//! In the base's axes about the base's origin, with v, a the spatial velocity and acceleration of each body, gravity counted
//! as an acceleration −g of the base:
//!
//!   vᵢ = vₚ + S q̇,   aᵢ = aₚ + S q̈ + vᵢ × S q̇                                                    (1)
//!   a(r) = a_O + α × r + ω × (v_O + ω × r)                                                        (2)
//!   on a lump:   −(I a + v ×* I v);   along a beam:   −μ a(r₀ + e x), −(J α + ω × J ω)             (3)
//!
//! (2) is linear along a straight beam, so that (3) is exact. A rotor that spins on a link (its gyroscopic moment) acts on
//! the far end of its beam, where the joint that it drives sits. Sums of these are the joint wrenches of
//! [`armdyn_core::rnea`], with the opposite sign.

use super::cantilever::DistributedLoad;
use super::structure::{BeamLine, Structure};
use armdyn_core::{Force, KinematicsData, Motion, Rotation, Transform, Vec3, kinematics};
use armdyn_numerics::Result;

/// A state of motion, the base's included, and what acts on the tool.
#[derive(Clone, Debug)]
pub struct Loading {
    /// Positions.
    pub q: Vec<f64>,
    /// Speeds.
    pub qd: Vec<f64>,
    /// Accelerations.
    pub qdd: Vec<f64>,
    /// The base's velocity: angular, and linear of its origin, in its axes.
    pub base_velocity: Motion<f64>,
    /// Its acceleration, linear of its origin.
    pub base_acceleration: Motion<f64>,
    /// What the surroundings exert on the tool: force, and moment about the tool, in the base's axes.
    pub on_tool: Force<f64>,
}

impl Loading {
    /// At rest.
    pub fn at_rest(q: &[f64], degrees: usize) -> Self {
        Loading::moving(q, &vec![0.0; degrees], &vec![0.0; degrees])
    }

    /// In motion, the base at rest.
    pub fn moving(q: &[f64], qd: &[f64], qdd: &[f64]) -> Self {
        let still = Motion::zero();
        Loading {
            q: q.to_vec(),
            qd: qd.to_vec(),
            qdd: qdd.to_vec(),
            base_velocity: still,
            base_acceleration: still,
            on_tool: Force::zero(),
        }
    }
}

/// Where links are, how they move, and the load at each place of the structure.
pub(super) struct Loads {
    pub kinematics: KinematicsData<f64>,
    /// The pose of each link.
    pub poses: Vec<Transform<f64>>,
    /// How far along the beam of its parent each joint's child sits.
    pub seats: Vec<f64>,
    /// What hangs on each link at which station, about the base's origin: lumps, then further links.
    pub hanging: Vec<Vec<(f64, Force<f64>)>>,
    /// What acts along each link's beam, in the axes of its section.
    pub spread: Vec<DistributedLoad>,
    /// All that a link bears, itself included, about the base's origin.
    pub whole: Vec<Force<f64>>,
}

/// (1): velocity and spatial acceleration of each body, at the base's origin.
fn motions(s: &Structure, d: &KinematicsData<f64>, l: &Loading) -> Vec<[Motion<f64>; 2]> {
    let (v0, a0) = (l.base_velocity, l.base_acceleration);
    let spatial = a0.linear - s.model.gravity() - v0.angular.cross(v0.linear);
    let mut all = vec![[v0, Motion::new(a0.angular, spatial)]; s.model.body_count() + 1];
    for (i, b) in s.model.base_to_tip() {
        let sum = |rates: &[f64]| b.dofs().fold(Motion::zero(), |sum, k| d.screws()[k].scale_add(rates[k], sum));
        let (along, push) = (sum(&l.qd), sum(&l.qdd));
        let [vp, ap] = all[b.parent];
        let v = vp + along;
        all[i] = [v, ap + push + v.cross(along)];
    }
    all
}

/// (2).
fn acceleration([v, a]: &[Motion<f64>; 2], r: Vec3<f64>) -> Vec3<f64> {
    a.linear + a.angular.cross(r) + v.angular.cross(v.linear + v.angular.cross(r))
}

/// (3) along a beam.
fn along(beam: &BeamLine, pose: &Transform<f64>, motion: &[Motion<f64>; 2]) -> DistributedLoad {
    let at = pose.compose(&beam.start);
    let (e, mu, [jx, jy, jz]) = (at.rotation.x, beam.mass_per_length(), beam.slice());
    let [v, a] = motion;
    let (w, alpha) = (v.angular, a.angular);
    let growth = (alpha.cross(e) + w.cross(w.cross(e))) * -mu;
    let [w, alpha] = [w, alpha].map(|x| at.rotation.inverse_rotate(x));
    let slice = |x: Vec3<f64>| armdyn_core::vec3(jx * x.x, jy * x.y, jz * x.z);
    DistributedLoad {
        start: at.rotation.inverse_rotate(acceleration(motion, at.translation) * -mu),
        growth: at.rotation.inverse_rotate(growth),
        moment: -(slice(alpha) + w.cross(slice(w))),
    }
}

/// A link that slides takes its seat on its parent's beam along; one that turns stays where its joint is.
fn seats(s: &Structure, poses: &[Transform<f64>]) -> Vec<f64> {
    let joints = s.model.joints().iter().zip(&s.stations);
    let seat = |(joint, placed): (&armdyn_core::JointInfo, &f64)| {
        let parent = &s.links[joint.parent.index()];
        let [from, to] = [joint.parent, joint.child].map(|link| &poses[link.index()]);
        let here = parent.station(from.inverse().point(to.translation));
        let length = parent.beam.as_ref().map_or(0.0, |b| b.length);
        if (here - placed).abs() > 1e-6 * length { here } else { *placed }
    };
    joints.map(seat).collect()
}

impl Loads {
    /// At a state.
    pub fn new(s: &Structure, l: &Loading) -> Result<Self> {
        let m = &s.model;
        let mut d = KinematicsData::new(m);
        kinematics(m, &mut d, &l.q)?;
        for (what, given) in [("qd", &l.qd), ("qdd", &l.qdd)] {
            if given.len() != m.nv() || given.iter().any(|x| !x.is_finite()) {
                let what = format!("{what}: {} finite numbers are asked for, one for each degree of freedom", m.nv());
                return Err(armdyn_numerics::Error::InvalidInput(what));
            }
        }
        let motions = motions(s, &d, l);
        let count = m.links().len();
        let poses: Vec<Transform<f64>> =
            m.link_ids().map(|k| d.link_pose(m, k)).collect::<armdyn_core::error::Result<_>>()?;
        let (mut hanging, mut spread) = (vec![vec![]; count], vec![DistributedLoad::none(); count]);
        for (k, link) in s.links.iter().enumerate() {
            let motion = &motions[m.links()[k].body];
            let [v, a] = *motion;
            for lump in &link.lumps {
                let inertia = lump.inertia.transformed(&poses[k]);
                let load = -(inertia.momentum(a) + v.cross_force(inertia.momentum(v)));
                hanging[k].push((lump.station, load));
            }
            if let Some(beam) = &link.beam {
                spread[k] = along(beam, &poses[k], motion);
            }
        }
        for rotor in m.rotors() {
            let (Some((body, axis)), Some(link)) = (rotor.mount, rotor.link) else { continue };
            let axis = d.poses()[body].rotation.rotate(axis);
            let [v, _] = motions[body];
            let turn = axis * rotor.speed(&l.qdd) + v.angular.cross(axis) * rotor.speed(&l.qd);
            let far = s.links[link.index()].beam.as_ref().map_or(0.0, |b| b.length);
            hanging[link.index()].push((far, Force::new(turn * -rotor.inertia, Vec3::zero())));
        }
        let at = poses[s.tool.link].point(s.tool.at);
        let on_tool = Transform::from_translation(at).force(l.on_tool);
        hanging[s.tool.link].push((s.links[s.tool.link].station(s.tool.at), on_tool));
        let seats = seats(s, &poses);
        let mut loads = Loads { kinematics: d, poses, seats, hanging, spread, whole: vec![Force::zero(); count] };
        // A joint's child comes after its parent.
        for (j, joint) in m.joints().iter().enumerate().rev() {
            let whole = loads.borne(s, joint.child.index());
            loads.whole[joint.child.index()] = whole;
            let seat = loads.seats[j];
            loads.hanging[joint.parent.index()].push((seat, whole));
        }
        loads.whole[0] = loads.borne(s, 0);
        Ok(loads)
    }

    /// All that a link bears, what hangs on it known.
    fn borne(&self, s: &Structure, link: usize) -> Force<f64> {
        let hung = self.hanging[link].iter().fold(Force::zero(), |sum, (_, f)| sum + *f);
        match &s.links[link].beam {
            Some(beam) => hung + self.frame(beam, link, 0.0).force(self.spread[link].sum(beam.length)),
            None => hung,
        }
    }

    /// The pose of the section at a station, in the base.
    pub fn frame(&self, beam: &BeamLine, link: usize, station: f64) -> Transform<f64> {
        let at = self.poses[link].compose(&beam.start);
        at.compose(&Transform::new(Rotation::identity(), armdyn_core::vec3(station, 0.0, 0.0)))
    }

    /// What the beam of a link transmits behind a station, in the axes of its section there: what hangs further on, and at
    /// that station too if `with` is set.
    pub fn inner(&self, beam: &BeamLine, link: usize, station: f64, with: bool) -> Force<f64> {
        let further = |at: f64| if with { at >= station } else { at > station };
        let hung = self.hanging[link].iter().filter(|(at, _)| further(*at)).fold(Force::zero(), |sum, (_, f)| sum + *f);
        let rest = self.spread[link].from(station).sum(beam.length - station);
        self.frame(beam, link, station).force_back(hung) + rest
    }

    /// The stations of a beam where something hangs, its ends included, from the start on.
    pub fn stations(&self, beam: &BeamLine, link: usize) -> Vec<f64> {
        let mut all: Vec<f64> = self.hanging[link].iter().map(|(at, _)| *at).chain([0.0, beam.length]).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }
}
