//! Joint ranges: a set of configurations.

use crate::{Error, Limit, Result, invalid};
use armdyn_core::{Interval, Model};
use std::f64::consts::PI;

/// An interval for each coordinate of a robot. Each coordinate is one angle or one length.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRanges {
    intervals: Vec<Interval>,
    /// Angles without limits: one full turn covers all of their values.
    unlimited: Vec<bool>,
}

impl JointRanges {
    /// The robot's position limits, overridden by (degree of freedom, lower end, upper end).
    ///
    /// An angle without limits ranges over one full turn; a length without limits must be overridden.
    pub fn new(m: &Model<f64>, overrides: &[(usize, f64, f64)]) -> Result<Self> {
        require_scalar_coordinates(m)?;
        if let Some((dof, ..)) = overrides.iter().find(|(dof, ..)| *dof >= m.nv()) {
            return invalid(format!("no degree of freedom {dof}: the robot has {}", m.nv()));
        }
        let mut ranges = JointRanges { intervals: vec![], unlimited: vec![] };
        let mut missing = vec![];
        for (i, limits) in m.limits().iter().enumerate() {
            let name = &m.dof_names()[i];
            let given = overrides.iter().rev().find(|g| g.0 == i).map(|&(_, low, high)| (low, high));
            let unlimited =
                given.is_none() && m.is_rotational(i) && limits.lower.is_infinite() && limits.upper.is_infinite();
            let (low, high) = if unlimited { (-PI, PI) } else { given.unwrap_or((limits.lower, limits.upper)) };
            if given.is_none() && !(low.is_finite() && high.is_finite()) {
                missing.push(name.clone());
                continue;
            }
            let interval = Interval::new(low, high).filter(|_| low.is_finite() && high.is_finite());
            ranges.intervals.push(interval.ok_or_else(|| Error::Range { joint: name.clone(), low, high })?);
            ranges.unlimited.push(unlimited);
        }
        if missing.is_empty() { Ok(ranges) } else { Err(Error::NoLimit { limit: Limit::Position, joints: missing }) }
    }

    /// Ranges from intervals, all of them limited.
    pub fn from_intervals(intervals: Vec<Interval>) -> Self {
        JointRanges { unlimited: vec![false; intervals.len()], intervals }
    }

    /// The ranges of some degrees of freedom, with the others fixed at a configuration.
    pub(crate) fn fixed_except(&self, free: &[usize], at: &[f64]) -> Self {
        let n = self.intervals.len();
        let interval = |k: usize| if free.contains(&k) { self.intervals[k] } else { Interval::point(at[k]) };
        let unlimited = (0..n).map(|k| self.unlimited[k] && free.contains(&k)).collect();
        JointRanges { intervals: (0..n).map(interval).collect(), unlimited }
    }

    /// The interval of each degree of freedom.
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// Whether a coordinate is an angle without limits.
    pub fn is_unlimited(&self, dof: usize) -> bool {
        self.unlimited[dof]
    }

    /// The ranges with the names of their joints.
    pub fn named(&self, m: &Model<f64>) -> Vec<JointRange> {
        let one = |(name, r): (&String, &Interval)| JointRange { joint: name.clone(), lower: r.lo(), upper: r.hi() };
        m.dof_names().iter().zip(&self.intervals).map(one).collect()
    }
}

/// Fails if a joint has a quaternion: each coordinate must be one angle or one length.
pub fn require_scalar_coordinates(m: &Model<f64>) -> Result<()> {
    let odd = m.joints().iter().find(|j| j.q.len() != j.v.len());
    odd.map_or(Ok(()), |j| Err(Error::Joint { joint: j.name.clone() }))
}

/// The range of one joint.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct JointRange {
    /// The degree of freedom.
    pub joint: String,
    /// Lower end \[rad, m\].
    pub lower: f64,
    /// Upper end \[rad, m\].
    pub upper: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_testkit::bundled;

    #[test]
    fn limits_and_overrides() {
        let m = bundled("jpl-rrp");
        let ranges = JointRanges::new(&m, &[(0, -1.0, 2.0)]).unwrap();
        assert_eq!(ranges.intervals()[0], Interval::new(-1.0, 2.0).unwrap());
        assert!((ranges.intervals()[2].hi() - 1.1176).abs() < 1e-12);
        let gen3 = bundled("gen3");
        let unlimited: Vec<bool> = (0..7).map(|i| JointRanges::new(&gen3, &[]).unwrap().is_unlimited(i)).collect();
        assert_eq!(unlimited, [true, false, true, false, true, false, true]);
    }

    #[test]
    fn reversed_and_missing_ranges_are_errors() {
        let m = bundled("jpl-rrp");
        let reversed = JointRanges::new(&m, &[(2, 1.0, 0.5)]).unwrap_err();
        assert_eq!(reversed, Error::Range { joint: "joint3".into(), low: 1.0, high: 0.5 });
        assert!(JointRanges::new(&m, &[(2, 0.0, f64::NAN)]).is_err());
        assert!(JointRanges::new(&m, &[(2, 0.0, f64::INFINITY)]).is_err());
        let slider = bundled("lin-rp");
        let missing = JointRanges::new(&slider, &[]).unwrap_err();
        assert!(matches!(missing, Error::NoLimit { ref joints, .. } if joints.len() == 1), "{missing}");
        let ball = armdyn_testkit::random::Description::random(
            1,
            4,
            armdyn_testkit::random::Joints::All,
            false,
            armdyn_testkit::random::Drives::Ideal,
        );
        assert!(JointRanges::new(&ball.build(), &[]).is_err());
    }
}
