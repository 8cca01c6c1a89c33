//! Loads on each link of the rigid robot in motion: inertia, weight, further links, a wrench on the tool.
//!
//! In the base's axes about the base's origin, with v, a the spatial velocity and acceleration of each body, gravity
//! included as an acceleration −g of the base:
//!
//!   vᵢ = vₚ + S q̇,   aᵢ = aₚ + S q̈ + vᵢ × S q̇                                                    (1)
//!   a(r) = a_O + α × r + ω × (v_O + ω × r)                                                        (2)
//!   on a lumped mass:   −(I a + v ×* I v);   along a beam:   −μ a(r₀ + e x), −(J α + ω × J ω)             (3)
//!
//! (2) is linear along a straight beam, so (3) is exact. The gyroscopic moment of a rotor on a link acts at the end of its
//! beam, where the driven joint is. The sums of these loads are the negative joint wrenches of [`armdyn_core::rnea`].

use super::cantilever::DistributedLoad;
use super::structure::{ElasticBeam, Structure};
use armdyn_core::{Force, KinematicsData, Motion, Rotation, Transform, Vec3, kinematics};
use armdyn_numerics::{Result, invalid};

/// A state of the robot and its base, and the wrench on the tool.
#[derive(Clone, Debug)]
pub struct LoadCase {
    /// Joint positions.
    pub q: Vec<f64>,
    /// Joint velocities.
    pub qd: Vec<f64>,
    /// Joint accelerations.
    pub qdd: Vec<f64>,
    /// Velocity of the base: angular, and linear of its origin, in its axes.
    pub base_velocity: Motion<f64>,
    /// Acceleration of the base, likewise.
    pub base_acceleration: Motion<f64>,
    /// External force on the tool, and moment about it, in the base's axes.
    pub tool_wrench: Force<f64>,
}

impl LoadCase {
    /// At rest, with `nv` degrees of freedom.
    #[must_use]
    pub fn at_rest(q: &[f64], nv: usize) -> Self {
        LoadCase::moving(q, &vec![0.0; nv], &vec![0.0; nv])
    }

    /// In motion, with the base at rest.
    #[must_use]
    pub fn moving(q: &[f64], qd: &[f64], qdd: &[f64]) -> Self {
        LoadCase {
            q: q.to_vec(),
            qd: qd.to_vec(),
            qdd: qdd.to_vec(),
            base_velocity: Motion::zero(),
            base_acceleration: Motion::zero(),
            tool_wrench: Force::zero(),
        }
    }
}

/// Poses of the links and loads along the structure.
pub(super) struct Loads {
    pub kinematics: KinematicsData<f64>,
    /// The pose of each link.
    pub poses: Vec<Transform<f64>>,
    /// Station of each joint's child along the beam of its parent.
    pub joint_stations: Vec<f64>,
    /// Point loads of each link with their stations, about the base's origin: lumped masses, then further links.
    pub point_loads: Vec<Vec<(f64, Force<f64>)>>,
    /// Distributed load of each link's beam, in the axes of its section.
    pub distributed: Vec<DistributedLoad>,
    /// Total load of each link, itself included, about the base's origin.
    pub totals: Vec<Force<f64>>,
}

/// (1): velocity and spatial acceleration of each body at the base's origin.
fn motions(s: &Structure, d: &KinematicsData<f64>, l: &LoadCase) -> Vec<[Motion<f64>; 2]> {
    let (v0, a0) = (l.base_velocity, l.base_acceleration);
    let spatial = a0.linear - s.model.gravity() - v0.angular.cross(v0.linear);
    let mut bodies = vec![[v0, Motion::new(a0.angular, spatial)]; s.model.body_count() + 1];
    for (i, b) in s.model.base_to_tip() {
        let sum = |rates: &[f64]| b.dofs().fold(Motion::zero(), |sum, k| d.screws()[k].scale_add(rates[k], sum));
        let (vj, aj) = (sum(&l.qd), sum(&l.qdd));
        let [vp, ap] = bodies[b.parent];
        let v = vp + vj;
        bodies[i] = [v, ap + aj + v.cross(vj)];
    }
    bodies
}

/// (2).
fn acceleration([v, a]: &[Motion<f64>; 2], r: Vec3<f64>) -> Vec3<f64> {
    a.linear + a.angular.cross(r) + v.angular.cross(v.linear + v.angular.cross(r))
}

/// (3) along a beam.
fn distributed_load(beam: &ElasticBeam, pose: &Transform<f64>, motion: &[Motion<f64>; 2]) -> DistributedLoad {
    let at = pose.compose(&beam.start);
    let (e, mu, [jx, jy, jz]) = (at.rotation.x, beam.mass_per_length(), beam.slice());
    let [v, a] = motion;
    let (w, alpha) = (v.angular, a.angular);
    let gradient = (alpha.cross(e) + w.cross(w.cross(e))) * -mu;
    let [w, alpha] = [w, alpha].map(|x| at.rotation.inverse_rotate(x));
    let slice = |x: Vec3<f64>| armdyn_core::vec3(jx * x.x, jy * x.y, jz * x.z);
    DistributedLoad {
        start: at.rotation.inverse_rotate(acceleration(motion, at.translation) * -mu),
        gradient: at.rotation.inverse_rotate(gradient),
        moment: -(slice(alpha) + w.cross(slice(w))),
    }
}

/// Stations of the joints: that of a prismatic joint moves along its parent's beam, that of a revolute joint is constant.
fn joint_stations(s: &Structure, poses: &[Transform<f64>]) -> Vec<f64> {
    let joints = s.model.joints().iter().zip(&s.stations);
    let station = |(joint, neutral): (&armdyn_core::JointInfo, &f64)| {
        let parent = &s.links[joint.parent.index()];
        let [from, to] = [joint.parent, joint.child].map(|link| &poses[link.index()]);
        let here = parent.station(from.inverse().point(to.translation));
        let length = parent.beam.as_ref().map_or(0.0, |b| b.length);
        if (here - neutral).abs() > 1e-6 * length { here } else { *neutral }
    };
    joints.map(station).collect()
}

impl Loads {
    /// Computes the loads of a load case.
    pub fn new(s: &Structure, l: &LoadCase) -> Result<Self> {
        let m = &s.model;
        let mut d = KinematicsData::new(m);
        kinematics(m, &mut d, &l.q)?;
        for (name, values) in [("qd", &l.qd), ("qdd", &l.qdd)] {
            if values.len() != m.nv() || values.iter().any(|x| !x.is_finite()) {
                let n = m.nv();
                return invalid(format!("invalid `{name}`: expected {n} finite values, one per degree of freedom"));
            }
        }
        let motions = motions(s, &d, l);
        let count = m.links().len();
        let poses: Vec<Transform<f64>> =
            m.link_ids().map(|k| d.link_pose(m, k)).collect::<armdyn_core::error::Result<_>>()?;
        let (mut point_loads, mut distributed) = (vec![vec![]; count], vec![DistributedLoad::none(); count]);
        for (k, link) in s.links.iter().enumerate() {
            let motion = &motions[m.links()[k].body];
            let [v, a] = *motion;
            for mass in &link.lumped_masses {
                let inertia = mass.inertia.transformed(&poses[k]);
                let load = -(inertia.momentum(a) + v.cross_force(inertia.momentum(v)));
                point_loads[k].push((mass.station, load));
            }
            if let Some(beam) = &link.beam {
                distributed[k] = distributed_load(beam, &poses[k], motion);
            }
        }
        for rotor in m.rotors() {
            let (Some((body, axis)), Some(link)) = (rotor.mount, rotor.link) else { continue };
            let axis = d.poses()[body].rotation.rotate(axis);
            let [v, _] = motions[body];
            let rate = axis * rotor.speed(&l.qdd) + v.angular.cross(axis) * rotor.speed(&l.qd);
            let end = s.links[link.index()].beam.as_ref().map_or(0.0, |b| b.length);
            point_loads[link.index()].push((end, Force::new(rate * -rotor.inertia, Vec3::zero())));
        }
        let tool_link = s.tool.link.index();
        let at = poses[tool_link].point(s.tool.position());
        let tool_wrench = Transform::from_translation(at).force(l.tool_wrench);
        point_loads[tool_link].push((s.links[tool_link].station(s.tool.position()), tool_wrench));
        let joint_stations = joint_stations(s, &poses);
        let totals = vec![Force::zero(); count];
        let mut loads = Loads { kinematics: d, poses, joint_stations, point_loads, distributed, totals };
        // A joint's child comes after its parent.
        for (j, joint) in m.joints().iter().enumerate().rev() {
            let child = joint.child.index();
            let total = loads.total(s, child);
            loads.totals[child] = total;
            let station = loads.joint_stations[j];
            loads.point_loads[joint.parent.index()].push((station, total));
        }
        loads.totals[0] = loads.total(s, 0);
        Ok(loads)
    }

    /// Total load of a link whose point loads are known.
    fn total(&self, s: &Structure, link: usize) -> Force<f64> {
        let points = self.point_loads[link].iter().fold(Force::zero(), |sum, (_, f)| sum + *f);
        match &s.links[link].beam {
            Some(beam) => points + self.frame(beam, link, 0.0).force(self.distributed[link].sum(beam.length)),
            None => points,
        }
    }

    /// Pose of the section at a station, in the base.
    pub fn frame(&self, beam: &ElasticBeam, link: usize, station: f64) -> Transform<f64> {
        let at = self.poses[link].compose(&beam.start);
        at.compose(&Transform::new(Rotation::identity(), armdyn_core::vec3(station, 0.0, 0.0)))
    }

    /// Internal load of a beam at a station, in the axes of its section: of everything further on, including the point loads
    /// at that station if `inclusive` is set.
    pub fn internal_load(&self, beam: &ElasticBeam, link: usize, station: f64, inclusive: bool) -> Force<f64> {
        let further = |at: f64| if inclusive { at >= station } else { at > station };
        let points = self.point_loads[link].iter().filter(|(at, _)| further(*at));
        let points = points.fold(Force::zero(), |sum, (_, f)| sum + *f);
        let rest = self.distributed[link].from(station).sum(beam.length - station);
        self.frame(beam, link, station).force_back(points) + rest
    }

    /// Stations of the point loads of a beam and its two ends, in order.
    pub fn stations(&self, beam: &ElasticBeam, link: usize) -> Vec<f64> {
        let points = self.point_loads[link].iter().map(|(at, _)| *at);
        let mut stations: Vec<f64> = points.chain([0.0, beam.length]).collect();
        stations.sort_by(f64::total_cmp);
        stations.dedup();
        stations
    }
}
