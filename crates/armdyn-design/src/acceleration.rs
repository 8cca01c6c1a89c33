//! Accelerations that the drives can produce from rest in a configuration.
//!
//! A single joint i, with the others held: gₖ + Mₖᵢ q̈ᵢ within the efforts of every drive k. The tip: its accelerations
//! ẍ = J M⁻¹ (τ − g), τᵢ within c ± Eᵢ, fill a zonotope (Yoshikawa's dynamic manipulability, with a box of torques in place of a
//! ball). Its faces are normal to n = wᵢ × wⱼ, wᵢ = Eᵢ J M⁻¹ eᵢ, at a distance h(n) = Σ |n·wₖ| + n·J M⁻¹ (c − g); along a
//! direction u it reaches min h(n) / n·u. Friction is neglected.

use crate::DriveLimits;
use crate::holding::{CannotHold, HoldingLoad};
use crate::payload::AtRest;
use armdyn_core::{
    JacobianFrame, KinematicsData, LinkId, MinverseData, Model, Motion, Progress, Transform, Vec3, kinematics, minverse,
};
use armdyn_numerics::{JointRanges, Limit, QuasiRandom, Result, parallel_ordered, quantile};
use serde::Serialize;
use std::borrow::Cow;

/// Components of a vector below this fraction of its length are rounding.
const ROUNDING: f64 = 1e-9;

/// Accelerations that the drives can produce from rest in a configuration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Accelerations {
    /// The configuration.
    pub q: Vec<f64>,
    /// Maximum acceleration of each degree of freedom forward, with the others held; empty if the drives cannot hold the
    /// configuration.
    pub forward: Vec<JointAcceleration>,
    /// Maximum acceleration backward, as a magnitude.
    pub backward: Vec<JointAcceleration>,
    /// Accelerations of the tip, if all efforts are known and the drives can hold the configuration.
    pub tip: Option<TipAccelerations>,
    /// The drives that cannot hold the configuration.
    pub cannot_hold: Vec<CannotHold>,
}

/// The maximum acceleration of a degree of freedom.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointAcceleration {
    /// The acceleration \[rad/s², m/s²\].
    pub value: f64,
    /// The joint whose drive limits it.
    pub limited_by: String,
}

/// Accelerations of a point of a link from rest, with any angular acceleration of the link \[m/s²\].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TipAccelerations {
    /// Along x, y, z of the base, backward and forward.
    pub along: [[f64; 2]; 3],
    /// Acceleration available in every direction in which the tip can move.
    pub isotropic: f64,
    /// Dimension of the motion of the tip: 3; 2 for a planar arm or a singular configuration; 1; 0.
    pub directions: usize,
}

/// Workspace for the accelerations of one robot.
pub struct AccelerationData<'a> {
    m: &'a Model<f64>,
    limits: &'a DriveLimits,
    tip: (LinkId, Vec3<f64>),
    at_rest: AtRest<'a>,
    minverse: MinverseData<f64>,
    kinematics: KinematicsData<f64>,
    inverse: Vec<f64>,
    columns: Vec<Motion<f64>>,
}

/// Maximum acceleration and limiting drive of each degree of freedom.
type Bounds = Vec<(f64, usize)>;

/// The accelerations in a configuration, by indices.
enum Evaluated {
    /// Bounds forward and backward, and of the tip.
    Held([Bounds; 2], Option<TipAccelerations>),
    /// The loads that the drives cannot hold.
    NotHeld(Vec<HoldingLoad>),
}

impl<'a> AccelerationData<'a> {
    /// For a tip: a link and a point in its frame.
    pub fn new(m: &'a Model<f64>, limits: &'a DriveLimits, tip: (LinkId, Vec3<f64>)) -> Result<Self> {
        limits.check(m)?;
        let n = m.nv();
        Ok(AccelerationData {
            m,
            limits,
            tip,
            at_rest: AtRest::new(Cow::Borrowed(m)),
            minverse: MinverseData::new(m),
            kinematics: KinematicsData::new(m),
            inverse: vec![0.0; n * n],
            columns: vec![Motion::zero(); n],
        })
    }

    /// The accelerations in a configuration.
    pub fn at(&mut self, q: &[f64]) -> Result<Accelerations> {
        let names = self.m.dof_names();
        let named = |b: Bounds| {
            b.into_iter().map(|(value, by)| JointAcceleration { value, limited_by: names[by].clone() }).collect()
        };
        Ok(match self.evaluate(q)? {
            Evaluated::Held(bounds, tip) => {
                let [forward, backward] = bounds.map(named);
                Accelerations { q: q.to_vec(), forward, backward, tip, cannot_hold: vec![] }
            }
            Evaluated::NotHeld(loads) => {
                let cannot_hold = loads.iter().map(|load| load.named(self.m, q)).collect();
                Accelerations { q: q.to_vec(), forward: vec![], backward: vec![], tip: None, cannot_hold }
            }
        })
    }

    fn evaluate(&mut self, q: &[f64]) -> Result<Evaluated> {
        let (n, effort) = (self.m.nv(), &self.limits.effort);
        self.at_rest.update(q, true)?;
        let AtRest { mass, gravity, .. } = &self.at_rest;
        let load = |dof: usize| HoldingLoad {
            dof,
            kind: Limit::Effort,
            torque: gravity[dof],
            accelerates: false,
            range: effort[dof],
        };
        let not_held: Vec<HoldingLoad> = (0..n).map(load).filter(|load| load.excess().is_some()).collect();
        if !not_held.is_empty() {
            return Ok(Evaluated::NotHeld(not_held));
        }
        let single = |i: usize, sign: f64| {
            let bound = |k: usize| {
                let (coupling, g) = (sign * mass[k * n + i], gravity[k]);
                let margin = if coupling > 0.0 { effort[k].upper - g } else { g - effort[k].lower };
                (if coupling == 0.0 { f64::INFINITY } else { margin / coupling.abs() }, k)
            };
            (0..n).map(bound).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, i))
        };
        let bounds = [1.0, -1.0].map(|sign| (0..n).map(|i| single(i, sign)).collect());
        let tip = if self.limits.all_efforts() { Some(self.tip(q)?) } else { None };
        Ok(Evaluated::Held(bounds, tip))
    }

    fn tip(&mut self, q: &[f64]) -> Result<TipAccelerations> {
        let (m, n) = (self.m, self.m.nv());
        minverse(m, &mut self.minverse, q, &mut self.inverse)?;
        kinematics(m, &mut self.kinematics, q)?;
        self.kinematics.jacobian(m, self.tip.0, JacobianFrame::LocalWorldAligned, &mut self.columns)?;
        let pose: Transform<f64> = self.kinematics.link_pose(m, self.tip.0)?;
        let arm = pose.point(self.tip.1) - pose.translation;
        let velocity = |c: &Motion<f64>| c.linear + c.angular.cross(arm);
        let (mut generators, mut centre) = (vec![], Vec3::zero());
        for i in 0..n {
            let column = (0..n)
                .fold(Vec3::zero(), |sum: Vec3<f64>, j| sum + velocity(&self.columns[j]) * self.inverse[j * n + i]);
            let effort = self.limits.effort[i];
            centre += column * (effort.centre() - self.at_rest.gravity[i]);
            generators.push(column * effort.half_width());
        }
        Ok(reach(&generators, centre))
    }
}

/// How far the zonotope about `centre` reaches from the origin.
fn reach(generators: &[Vec3<f64>], centre: Vec3<f64>) -> TipAccelerations {
    let unit = |v: Vec3<f64>| v * (1.0 / v.norm());
    let longest = generators.iter().fold(0.0_f64, |m, w| m.max(w.norm()));
    let kept: Vec<Vec3<f64>> = generators.iter().copied().filter(|w| w.norm() > ROUNDING * longest).collect();
    let pairs = || kept.iter().enumerate().flat_map(|(i, a)| kept[..i].iter().map(move |b| (*a, *b)));
    let independent = pairs().filter(|(a, b)| a.cross(*b).norm() > ROUNDING * a.norm() * b.norm());
    let faces: Vec<Vec3<f64>> = independent.map(|(a, b)| unit(a.cross(b))).collect();
    let thick = |n: &Vec3<f64>| generators.iter().any(|w| w.dot(*n).abs() > ROUNDING * longest);
    let (normals, directions): (Vec<Vec3<f64>>, usize) = match faces.iter().find(|n| !thick(n)) {
        _ if kept.is_empty() => (vec![], 0),
        _ if faces.is_empty() => (vec![unit(kept[0])], 1),
        // Planar: its edges are normal to the generators, in its plane.
        Some(flat) if !faces.iter().any(thick) => (kept.iter().map(|w| unit(flat.cross(*w))).collect(), 2),
        _ => (faces, 3),
    };
    let height = |n: Vec3<f64>| generators.iter().map(|w| w.dot(n).abs()).sum::<f64>() + centre.dot(n);
    let both = || normals.iter().flat_map(|n| [*n, -*n]);
    let isotropic = both().map(height).fold(f64::INFINITY, f64::min);
    if directions == 0 || isotropic <= 0.0 {
        return TipAccelerations { along: [[0.0; 2]; 3], isotropic: 0.0, directions };
    }
    let along = |u: Vec3<f64>| {
        // The tip cannot move out of the plane or line.
        let unreachable = match directions {
            1 => normals[0].cross(u).norm() > ROUNDING,
            2 => out_of_plane(&normals, u),
            _ => false,
        };
        if unreachable {
            return 0.0;
        }
        both().filter(|n| n.dot(u) > ROUNDING).map(|n| height(n) / n.dot(u)).fold(f64::INFINITY, f64::min)
    };
    let along = [0, 1, 2].map(|k| [along(-Vec3::unit(k)), along(Vec3::unit(k))]);
    TipAccelerations { along, isotropic, directions }
}

/// Whether `u` is out of the plane of these normals.
fn out_of_plane(normals: &[Vec3<f64>], u: Vec3<f64>) -> bool {
    let across = normals.iter().map(|n| normals[0].cross(*n)).find(|c| c.norm() > ROUNDING);
    across.is_some_and(|c| (c.dot(u) / c.norm()).abs() > ROUNDING)
}

/// A minimum over configurations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConfigurationMinimum {
    /// The minimum.
    pub value: f64,
    /// The configuration.
    pub q: Vec<f64>,
}

/// Minimum accelerations over configurations within joint ranges.
#[derive(Clone, Debug, Serialize)]
pub struct MinimumAccelerations {
    /// Of each degree of freedom forward, with the others held, over the configurations that the drives can hold; empty if
    /// they can hold none.
    pub forward: Vec<ConfigurationMinimum>,
    /// Of each degree of freedom backward.
    pub backward: Vec<ConfigurationMinimum>,
    /// Of the tip, if all efforts are known.
    pub tip: Option<TipMinimum>,
    /// Number of sampled configurations.
    pub poses: usize,
    /// Number of them that the drives can hold.
    pub held: usize,
    /// The drives that cannot hold some configuration, each with the configuration that exceeds its limit most.
    pub cannot_hold: Vec<CannotHold>,
}

/// Statistics of [`TipAccelerations::isotropic`] over configurations, with 0 where the drives cannot hold one. Near singular
/// configurations the minimum approaches 0.
#[derive(Clone, Debug, Serialize)]
pub struct TipMinimum {
    /// The minimum \[m/s²\].
    pub value: f64,
    /// Its configuration.
    pub q: Vec<f64>,
    /// The 5th percentile.
    pub p5: f64,
    /// The median.
    pub median: f64,
}

/// Minimum accelerations over `count` quasi-random configurations: sampled, not guaranteed.
pub fn minimum_accelerations(
    m: &Model<f64>,
    limits: &DriveLimits,
    tip: (LinkId, Vec3<f64>),
    ranges: &JointRanges,
    (count, seed): (usize, u64),
    progress: &Progress,
) -> Result<MinimumAccelerations> {
    let (n, poses) = (m.nv(), QuasiRandom::new(ranges, seed));
    let make = || AccelerationData::new(m, limits, tip);
    let evaluate = |data: &mut AccelerationData, k: usize| data.evaluate(&poses.point(k));
    let mut minima = vec![ConfigurationMinimum { value: f64::INFINITY, q: vec![] }; 2 * n];
    let mut tips: Vec<(f64, f64)> = vec![];
    let mut worst_tip = ConfigurationMinimum { value: f64::INFINITY, q: vec![] };
    let mut not_held: Vec<Option<(HoldingLoad, f64, usize)>> = vec![None; n];
    let mut held = 0;
    let take = |k: usize, evaluated: Evaluated| {
        let lower = |minimum: &mut ConfigurationMinimum, value: f64| {
            if value < minimum.value {
                *minimum = ConfigurationMinimum { value, q: poses.point(k) };
            }
        };
        let isotropic = match evaluated {
            Evaluated::Held(joints, tip) => {
                held += 1;
                minima.iter_mut().zip(joints.iter().flatten()).for_each(|(minimum, b)| lower(minimum, b.0));
                tip.map(|t| t.isotropic)
            }
            Evaluated::NotHeld(loads) => {
                for load in loads {
                    let (excess, worst) = (load.excess().unwrap_or(0.0), &mut not_held[load.dof]);
                    if worst.is_none_or(|w| excess > w.1) {
                        *worst = Some((load, excess, k));
                    }
                }
                limits.all_efforts().then_some(0.0)
            }
        };
        isotropic.into_iter().for_each(|x| lower(&mut worst_tip, x));
        tips.extend(isotropic.map(|x| (x, 1.0)));
    };
    let count = parallel_ordered(count, "accelerations", progress, make, evaluate, take)?;
    let tip = (!tips.is_empty()).then(|| TipMinimum {
        value: worst_tip.value,
        q: worst_tip.q,
        p5: quantile(&mut tips, 0.05),
        median: quantile(&mut tips, 0.5),
    });
    let cannot_hold = not_held.into_iter().flatten().map(|(load, _, k)| load.named(m, &poses.point(k))).collect();
    if held == 0 {
        minima.clear();
    }
    let backward = minima.split_off(minima.len() / 2);
    Ok(MinimumAccelerations { forward: minima, backward, tip, poses: count, held, cannot_hold })
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_core::vec3;

    #[test]
    fn reach_of_simple_zonotopes() {
        // A box of half sides 1, 2, 3 about (0.5, 0, 0).
        let sides = [vec3(1.0, 0.0, 0.0), vec3(0.0, 2.0, 0.0), vec3(0.0, 0.0, 3.0)];
        let cuboid = reach(&sides, vec3(0.5, 0.0, 0.0));
        assert_eq!((cuboid.isotropic, cuboid.directions), (0.5, 3));
        assert_eq!(cuboid.along, [[0.5, 1.5], [2.0, 2.0], [3.0, 3.0]]);
        // Without z; the origin is outside if the centre is at 2.
        let flat = reach(&sides[..2], Vec3::zero());
        assert_eq!((flat.isotropic, flat.directions, flat.along[2]), (1.0, 2, [0.0, 0.0]));
        assert_eq!(flat.along[1], [2.0, 2.0]);
        assert_eq!(reach(&sides[..2], vec3(2.0, 0.0, 0.0)).isotropic, 0.0);
        let line = reach(&[vec3(0.0, 3.0, 0.0), vec3(0.0, -1.0, 0.0)], Vec3::zero());
        assert_eq!((line.isotropic, line.directions, line.along[1], line.along[0]), (4.0, 1, [4.0, 4.0], [0.0, 0.0]));
        assert_eq!(reach(&[Vec3::zero()], Vec3::zero()).directions, 0);
        // A rhombusus: ±(1, 1), ±(1, −1) reaches 2 along x, √2 in every direction.
        let rhombus = reach(&[vec3(1.0, 1.0, 0.0), vec3(1.0, -1.0, 0.0)], Vec3::zero());
        assert!((rhombus.along[0][1] - 2.0).abs() < 1e-15 && (rhombus.isotropic - 2f64.sqrt()).abs() < 1e-15);
    }
}
