//! A box of configurations.

use crate::{Error, Result};
use armdyn_core::{Interval, Model};
use std::f64::consts::PI;

/// A range for each coordinate of a robot whose coordinates are each one angle or one length.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRanges {
    ranges: Vec<Interval>,
    /// Angles without limits: a full turn stands for all of them.
    free: Vec<bool>,
}

impl JointRanges {
    /// What the robot's limits allow, but for what is given: (degree of freedom, lower end, upper end).
    ///
    /// An angle without limits has a full turn, which misses nothing; a length without limits is asked for by name.
    pub fn new(m: &Model<f64>, given: &[(usize, f64, f64)]) -> Result<Self> {
        if let Some(j) = m.joints().iter().find(|j| j.q.len() != j.v.len()) {
            return Err(Error::Joint { joint: j.name.clone() });
        }
        let mut region = JointRanges { ranges: vec![], free: vec![] };
        let mut missing = vec![];
        for (i, limits) in m.limits().iter().enumerate() {
            let name = &m.dof_names()[i];
            let own = given.iter().rev().find(|g| g.0 == i).map(|&(_, low, high)| (low, high));
            let free = own.is_none() && m.turns(i) && limits.lower.is_infinite() && limits.upper.is_infinite();
            let (low, high) = if free { (-PI, PI) } else { own.unwrap_or((limits.lower, limits.upper)) };
            if own.is_none() && !(low.is_finite() && high.is_finite()) {
                missing.push(name.clone());
                continue;
            }
            let range = Interval::new(low, high).filter(|_| low.is_finite() && high.is_finite());
            region.ranges.push(range.ok_or_else(|| Error::Range { joint: name.clone(), low, high })?);
            region.free.push(free);
        }
        if missing.is_empty() { Ok(region) } else { Err(Error::NoLimit { what: "position limits", joints: missing }) }
    }

    /// Of ranges alone.
    pub fn of(ranges: Vec<Interval>) -> Self {
        JointRanges { free: vec![false; ranges.len()], ranges }
    }

    /// The range of each degree of freedom.
    pub fn ranges(&self) -> &[Interval] {
        &self.ranges
    }

    /// Whether a coordinate is an angle without limits.
    pub fn is_free(&self, dof: usize) -> bool {
        self.free[dof]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundled(name: &str) -> Model<f64> {
        armdyn_import::library::bundled(name).unwrap().load().description.unwrap().model().unwrap()
    }

    #[test]
    fn limits_and_what_is_given() {
        let m = bundled("jpl-rrp");
        let region = JointRanges::new(&m, &[(0, -1.0, 2.0)]).unwrap();
        assert_eq!(region.ranges()[0], Interval::new(-1.0, 2.0).unwrap());
        assert!((region.ranges()[2].hi() - 1.1176).abs() < 1e-12);
        let gen3 = bundled("gen3");
        let free: Vec<bool> = (0..7).map(|i| JointRanges::new(&gen3, &[]).unwrap().is_free(i)).collect();
        assert_eq!(free, [true, false, true, false, true, false, true]);
    }

    #[test]
    fn what_holds_nothing_or_is_missing_is_refused_by_name() {
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
