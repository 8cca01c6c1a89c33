//! How hard drives can accelerate a robot from rest, in a pose.
//!
//! One joint alone: |gₖ + Mₖᵢ q̈ᵢ| ≤ Eₖ for every drive k, for the others must hold still. The tip: its accelerations
//! ẍ = J M⁻¹ (τ − g), |τᵢ| ≤ Eᵢ, fill a zonotope (Yoshikawa's dynamic manipulability, with the box of torques in place
//! of a ball). Its faces lie across wᵢ × wⱼ, wᵢ = Eᵢ J M⁻¹ eᵢ, at a height Σ |n·wₖ| − n·J M⁻¹ g: what it reaches along a
//! direction is the least of height / n·u. Friction is left out.

use crate::DriveLimits;
use armdyn_core::{
    CrbaData, JacobianFrame, KinematicsData, LinkId, MinverseData, Model, Motion, Progress, RneaData, Transform, Vec3,
    crba, kinematics, minverse, rnea,
};
use armdyn_numerics::{JointRanges, QuasiRandom, Result, parallel_ordered, quantile};

/// A part of a vector this small beside its length is rounding.
const ROUNDING: f64 = 1e-9;

/// What drives can do from rest, in a pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Accelerations {
    /// The greatest acceleration of each degree of freedom forward, the others held, and the drive that does not allow more
    /// \[rad/s², m/s²\]. Negative where the pose cannot be held and it has to give way.
    pub forward: Vec<(f64, usize)>,
    /// The same backward, as a size.
    pub backward: Vec<(f64, usize)>,
    /// Of the tip, if all efforts are known.
    pub tip: Option<TipAccelerations>,
}

/// Accelerations of a point of a link from rest, its link turning as it will \[m/s²\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TipAccelerations {
    /// Along x, y, z of the base, backward and forward.
    pub along: [[f64; 2]; 3],
    /// What can be had in every direction that the tip can move in; 0 where the pose cannot be held.
    pub every: f64,
    /// How many directions that are: 3, 2 of a planar arm or a singular pose, 1, 0.
    pub directions: usize,
}

/// What drives can do from rest; workspace.
pub struct Accelerating<'a> {
    m: &'a Model<f64>,
    limits: &'a DriveLimits,
    tip: (LinkId, Vec3<f64>),
    rnea: RneaData<f64>,
    crba: CrbaData<f64>,
    minverse: MinverseData<f64>,
    kinematics: KinematicsData<f64>,
    still: Vec<f64>,
    gravity: Vec<f64>,
    mass: Vec<f64>,
    inverse: Vec<f64>,
    columns: Vec<Motion<f64>>,
}

impl<'a> Accelerating<'a> {
    /// For the point `centre` of a link, its tip.
    pub fn new(m: &'a Model<f64>, limits: &'a DriveLimits, link: LinkId, centre: Vec3<f64>) -> Result<Self> {
        limits.check(m)?;
        let n = m.nv();
        Ok(Accelerating {
            m,
            limits,
            tip: (link, centre),
            rnea: RneaData::new(m),
            crba: CrbaData::new(m),
            minverse: MinverseData::new(m),
            kinematics: KinematicsData::new(m),
            still: vec![0.0; n],
            gravity: vec![0.0; n],
            mass: vec![0.0; n * n],
            inverse: vec![0.0; n * n],
            columns: vec![Motion::zero(); n],
        })
    }

    /// In a pose.
    pub fn at(&mut self, q: &[f64]) -> Result<Accelerations> {
        let (m, n, effort) = (self.m, self.m.nv(), &self.limits.effort);
        rnea(m, &mut self.rnea, q, &self.still, &self.still, &mut self.gravity)?;
        crba(m, &mut self.crba, q, &mut self.mass)?;
        let alone = |i: usize, sign: f64| {
            let bound = |k: usize| {
                let (coupling, g) = (sign * self.mass[k * n + i], self.gravity[k]);
                let room = if coupling > 0.0 { effort[k] - g } else { effort[k] + g };
                (if coupling == 0.0 { f64::INFINITY } else { room / coupling.abs() }, k)
            };
            (0..n).map(bound).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, i))
        };
        let forward = (0..n).map(|i| alone(i, 1.0)).collect();
        let backward = (0..n).map(|i| alone(i, -1.0)).collect();
        let tip = if effort.iter().all(|e| e.is_finite()) { Some(self.tip(q)?) } else { None };
        Ok(Accelerations { forward, backward, tip })
    }

    fn tip(&mut self, q: &[f64]) -> Result<TipAccelerations> {
        let (m, n) = (self.m, self.m.nv());
        minverse(m, &mut self.minverse, q, &mut self.inverse)?;
        kinematics(m, &mut self.kinematics, q)?;
        self.kinematics.jacobian(m, self.tip.0, JacobianFrame::LocalWorldAligned, &mut self.columns)?;
        let turned: Transform<f64> = self.kinematics.link_pose(m, self.tip.0)?;
        let arm = turned.point(self.tip.1) - turned.translation;
        let velocity = |c: &Motion<f64>| c.linear + c.angular.cross(arm);
        let (mut generators, mut centre) = (vec![], Vec3::zero());
        for i in 0..n {
            let column = (0..n)
                .fold(Vec3::zero(), |sum: Vec3<f64>, j| sum + velocity(&self.columns[j]) * self.inverse[j * n + i]);
            centre -= column * self.gravity[i];
            generators.push(column * self.limits.effort[i]);
        }
        Ok(reach(&generators, centre))
    }
}

/// What the zonotope about `centre` reaches from 0.
fn reach(generators: &[Vec3<f64>], centre: Vec3<f64>) -> TipAccelerations {
    let unit = |v: Vec3<f64>| v * (1.0 / v.norm());
    let longest = generators.iter().fold(0.0_f64, |m, w| m.max(w.norm()));
    let kept: Vec<Vec3<f64>> = generators.iter().copied().filter(|w| w.norm() > ROUNDING * longest).collect();
    let pairs = || kept.iter().enumerate().flat_map(|(i, a)| kept[..i].iter().map(move |b| (*a, *b)));
    let crossed = pairs().filter(|(a, b)| a.cross(*b).norm() > ROUNDING * a.norm() * b.norm());
    let faces: Vec<Vec3<f64>> = crossed.map(|(a, b)| unit(a.cross(b))).collect();
    let thick = |n: &Vec3<f64>| generators.iter().any(|w| w.dot(*n).abs() > ROUNDING * longest);
    let (normals, directions): (Vec<Vec3<f64>>, usize) = match faces.iter().find(|n| !thick(n)) {
        _ if kept.is_empty() => (vec![], 0),
        _ if faces.is_empty() => (vec![unit(kept[0])], 1),
        // Flat: its edges are across the generators, in its plane.
        Some(flat) if !faces.iter().any(thick) => (kept.iter().map(|w| unit(flat.cross(*w))).collect(), 2),
        _ => (faces, 3),
    };
    let height = |n: Vec3<f64>| generators.iter().map(|w| w.dot(n).abs()).sum::<f64>() + centre.dot(n);
    let both = || normals.iter().flat_map(|n| [*n, -*n]);
    let every = both().map(height).fold(f64::INFINITY, f64::min);
    if directions == 0 || every <= 0.0 {
        return TipAccelerations { along: [[0.0; 2]; 3], every: 0.0, directions };
    }
    let along = |u: Vec3<f64>| {
        // Out of the plane or off the line that it can move in there is nothing.
        let flat = match directions {
            1 => normals[0].cross(u).norm() > ROUNDING,
            2 => out_of_plane(&normals, u),
            _ => false,
        };
        if flat {
            return 0.0;
        }
        both().filter(|n| n.dot(u) > ROUNDING).map(|n| height(n) / n.dot(u)).fold(f64::INFINITY, f64::min)
    };
    let along = [0, 1, 2].map(|k| [along(-Vec3::unit(k)), along(Vec3::unit(k))]);
    TipAccelerations { along, every, directions }
}

/// Whether `u` leaves the plane of these normals.
fn out_of_plane(normals: &[Vec3<f64>], u: Vec3<f64>) -> bool {
    let across = normals.iter().map(|n| normals[0].cross(*n)).find(|c| c.norm() > ROUNDING);
    across.is_some_and(|c| (c.dot(u) / c.norm()).abs() > ROUNDING)
}

/// A value that is least over many poses, and the pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Least {
    /// The value.
    pub value: f64,
    /// Where it is.
    pub q: Vec<f64>,
}

impl Least {
    fn update(&mut self, value: f64, q: impl FnOnce() -> Vec<f64>) {
        if value < self.value {
            *self = Least { value, q: q() };
        }
    }
}

/// The least accelerations over poses of a region.
#[derive(Clone, Debug)]
pub struct LeastAccelerations {
    /// Of each degree of freedom forward, the others held.
    pub forward: Vec<Least>,
    /// And backward.
    pub backward: Vec<Least>,
    /// Of the tip, in every direction: the least, what 5 % and half of the poses are at or below; near poses in which the
    /// tip cannot move in some direction, the least goes to 0.
    pub tip: Option<(Least, f64, f64)>,
    /// How many poses were looked at.
    pub poses: usize,
}

/// The least accelerations over `count` poses spread evenly over a region: sampled, not proven.
pub fn least_accelerations(
    m: &Model<f64>,
    limits: &DriveLimits,
    (link, centre): (LinkId, Vec3<f64>),
    region: &JointRanges,
    (count, seed): (usize, u64),
    progress: &Progress,
) -> Result<LeastAccelerations> {
    let (n, spread) = (m.nv(), QuasiRandom::new(region, seed));
    // Made once here for its faults, and once for each thread.
    Accelerating::new(m, limits, link, centre)?;
    let make = || Accelerating::new(m, limits, link, centre);
    let fill = |it: &mut Result<Accelerating>, k: usize, row: &mut [f64]| {
        let it = it.as_mut().map_err(|e| e.clone())?;
        let Accelerations { forward, backward, tip } = it.at(&spread.point(k))?;
        for i in 0..n {
            (row[i], row[n + i]) = (forward[i].0, backward[i].0);
        }
        row[2 * n] = tip.map_or(f64::NAN, |t| t.every);
        Ok(())
    };
    let mut least = vec![Least { value: f64::INFINITY, q: vec![] }; 2 * n + 1];
    let mut tips: Vec<(f64, f64)> = vec![];
    let see = |first: usize, rows: &[f64]| {
        for (k, row) in rows.chunks(2 * n + 1).enumerate() {
            least.iter_mut().zip(row).for_each(|(least, x)| least.update(*x, || spread.point(first + k)));
            tips.extend(Some((row[2 * n], 1.0)).filter(|t| !t.0.is_nan()));
        }
    };
    let poses = parallel_ordered(count, 2 * n + 1, "accelerations", progress, make, fill, see)?;
    let tip = least.pop().filter(|_| !tips.is_empty());
    let tip = tip.map(|least| (least, quantile(&mut tips, 0.05), quantile(&mut tips, 0.5)));
    let backward = least.split_off(n);
    Ok(LeastAccelerations { forward: least, backward, tip, poses })
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_core::vec3;

    #[test]
    fn zonotopes_with_known_reach() {
        // A box of half sides 1, 2, 3 about (0.5, 0, 0).
        let sides = [vec3(1.0, 0.0, 0.0), vec3(0.0, 2.0, 0.0), vec3(0.0, 0.0, 3.0)];
        let it = reach(&sides, vec3(0.5, 0.0, 0.0));
        assert_eq!((it.every, it.directions), (0.5, 3));
        assert_eq!(it.along, [[0.5, 1.5], [2.0, 2.0], [3.0, 3.0]]);
        // Its flat bottom, in which z cannot be had; 2 is outside.
        let flat = reach(&sides[..2], Vec3::zero());
        assert_eq!((flat.every, flat.directions, flat.along[2]), (1.0, 2, [0.0, 0.0]));
        assert_eq!(flat.along[1], [2.0, 2.0]);
        assert_eq!(reach(&sides[..2], vec3(2.0, 0.0, 0.0)).every, 0.0);
        let line = reach(&[vec3(0.0, 3.0, 0.0), vec3(0.0, -1.0, 0.0)], Vec3::zero());
        assert_eq!((line.every, line.directions, line.along[1], line.along[0]), (4.0, 1, [4.0, 4.0], [0.0, 0.0]));
        assert_eq!(reach(&[Vec3::zero()], Vec3::zero()).directions, 0);
        // A rhomb: ±(1, 1), ±(1, −1) reaches 2 along x, √2 in every direction.
        let rhomb = reach(&[vec3(1.0, 1.0, 0.0), vec3(1.0, -1.0, 0.0)], Vec3::zero());
        assert!((rhomb.along[0][1] - 2.0).abs() < 1e-15 && (rhomb.every - 2f64.sqrt()).abs() < 1e-15);
    }
}
