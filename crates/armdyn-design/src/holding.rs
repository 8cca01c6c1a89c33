//! Whether the drives can hold the robot at rest in a configuration.

use armdyn_core::{EffortRange, Model};
use armdyn_numerics::Limit;
use serde::Serialize;

/// A drive that cannot hold the robot at rest in a configuration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CannotHold {
    /// The degree of freedom.
    pub joint: String,
    /// Unit of torques: N m or N.
    pub unit: &'static str,
    /// Torque that the configuration requires: of gravity, and of accelerations if any are required.
    pub torque: f64,
    /// Whether the torque includes accelerations.
    pub accelerates: bool,
    /// The limit of its direction.
    pub limit: f64,
    /// Which limit it is.
    pub kind: Limit,
    /// The configuration.
    pub q: Vec<f64>,
}

/// A torque that a drive must hold, and the limit of that torque.
#[derive(Clone, Copy)]
pub(crate) struct HoldingLoad {
    pub dof: usize,
    pub kind: Limit,
    pub torque: f64,
    pub accelerates: bool,
    pub range: EffortRange,
}

impl HoldingLoad {
    /// The torque relative to its limit, if it exceeds it; infinite if the drive cannot act in its direction.
    pub fn excess(&self) -> Option<f64> {
        let EffortRange { lower, upper } = self.range;
        // A range that excludes 0 is exceeded by smaller torques too.
        let ratio = || self.range.utilization(self.torque).filter(|u| *u > 1.0).unwrap_or(f64::INFINITY);
        (self.torque < lower || self.torque > upper).then(ratio)
    }

    /// The load as a result.
    pub fn named(&self, m: &Model<f64>, q: &[f64]) -> CannotHold {
        let &HoldingLoad { dof, kind, torque, accelerates, range } = self;
        let limit = if torque > range.upper { range.upper } else { range.lower };
        let (joint, unit) = (m.dof_names()[dof].clone(), m.torque_unit(dof));
        CannotHold { joint, unit, torque, accelerates, limit, kind, q: q.to_vec() }
    }
}

/// The load that exceeds its limit most, and by which factor.
pub(crate) fn worst(loads: impl Iterator<Item = HoldingLoad>) -> Option<(HoldingLoad, f64)> {
    loads.filter_map(|load| Some((load, load.excess()?))).max_by(|a, b| a.1.total_cmp(&b.1))
}
