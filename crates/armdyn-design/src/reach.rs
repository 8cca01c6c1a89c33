//! Reach: how far a point of the robot gets from the z axis of the base, and its height, within joint ranges.
//!
//! Extrema by multi-start search ([`search`]): a configuration attains each value; the true extremum may lie beyond it.

use armdyn_core::{Interval, LinkId, Model, Vec3};
use armdyn_numerics::objective::{Enclosure, Objective};
use armdyn_numerics::search::{SearchOptions, search};
use armdyn_numerics::{JointRanges, Result};
use serde::Serialize;

/// The reach of a point within joint ranges.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reach {
    /// The largest distance from the z axis of the base \[m\].
    pub distance: f64,
    /// Its configuration.
    pub q: Vec<f64>,
    /// The smallest and the largest height: z in the base's frame \[m\].
    pub height: [f64; 2],
}

/// A coordinate of a point as a function of the configuration.
struct Coordinate<'a> {
    m: &'a Model<f64>,
    point: (LinkId, Vec3<f64>),
    of: fn(Vec3<f64>) -> f64,
}

impl Objective for Coordinate<'_> {
    fn value(&self, q: &[f64]) -> f64 {
        self.m.link_pose(q, self.point.0).map_or(f64::NAN, |pose| (self.of)(pose.point(self.point.1)))
    }

    fn enclose(&self, _: &[Interval]) -> Enclosure {
        Enclosure { range: Interval::ENTIRE, split: None }
    }
}

/// The reach of a point of a link within joint ranges.
pub fn reach(m: &Model<f64>, point: (LinkId, Vec3<f64>), ranges: &JointRanges, seed: u64) -> Result<Reach> {
    // An unknown link is an error, and not a search without values.
    let _ = m.link_pose(&ranges.intervals().iter().map(|r| r.mid()).collect::<Vec<_>>(), point.0)?;
    let maximum = |of: fn(Vec3<f64>) -> f64| {
        search(&Coordinate { m, point, of }, ranges, SearchOptions { points: 1024, climbs: 8, seed })
    };
    let (distance, q) = maximum(|p| p.x.hypot(p.y));
    let height = [-maximum(|p| -p.z).0, maximum(|p| p.z).0];
    Ok(Reach { distance, q, height })
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_core::vec3;

    /// Lin's planar arm, 0.6 + 0.4 m: stretched out, and with an elbow that cannot straighten.
    #[test]
    fn a_planar_arm_reaches_as_far_as_its_elbow_lets_it() {
        let m = armdyn_testkit::bundled("lin-rr");
        let tip = (m.link("link2").unwrap(), vec3(0.4, 0.0, 0.0));
        for (elbow, expected) in [((-2.0, 2.0), 1.0), ((1.0, 2.0), (0.36f64 + 0.16 + 0.48 * 1f64.cos()).sqrt())] {
            let ranges = JointRanges::new(&m, &[(0, -3.0, 3.0), (1, elbow.0, elbow.1)]).unwrap();
            let reach = reach(&m, tip, &ranges, 1).unwrap();
            assert!((reach.distance - expected).abs() < 1e-9, "{reach:?} for {expected}");
            assert!(reach.height.iter().all(|z| z.abs() < 1e-12));
        }
    }
}
