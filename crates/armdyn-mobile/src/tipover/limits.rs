//! Safe speed scaling and safe payload.
//!
//! The restoring moment about an edge is Tᵍ + s² Tⁱ when base and arm move s times as fast along the same path (Hollerbach 1984),
//! and T⁰ + μ T¹ with a payload of μ kilograms: each state and edge allows an exact interval of s² and of μ.

use super::evaluator::State;
use super::trajectory::EdgeMoments;
use crate::BaseMotion;
use crate::contact::Support;
use armdyn_core::{Model, Progress, UnitPayload};
use armdyn_numerics::Result;

/// The state and edge that determine a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CriticalEdge {
    /// The sample.
    pub sample: usize,
    /// The edge of the support polygon.
    pub edge: usize,
}

/// Speed scalings s at which no state tips, with t → t/s.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct SpeedScaling {
    /// Minimum: 0, unless only inertia keeps the robot from tipping.
    pub min: f64,
    /// Maximum; infinite if unlimited, below `min` if no scaling is safe.
    pub max: f64,
    /// What determines the maximum.
    pub critical: Option<CriticalEdge>,
}

/// Payload masses, in place of the robot's payloads, with which no state tips.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct SafePayload {
    /// Minimum mass \[kg\]: 0, unless the payload is needed as a counterweight.
    pub min_mass: f64,
    /// Maximum mass \[kg\]; infinite if unlimited, below `min_mass` if no mass is safe.
    pub max_mass: f64,
    /// What determines the maximum.
    pub critical: Option<CriticalEdge>,
}

/// The speed scalings of base and arm at which no state tips.
pub fn safe_speed_scaling(
    m: &Model<f64>,
    support: &Support,
    base: &BaseMotion,
    states: &[State],
    progress: &Progress,
) -> Result<SpeedScaling> {
    let zero = vec![0.0; m.nv()];
    let at_rest: Vec<State> = states.iter().map(|s| [s[0], &zero, &zero]).collect();
    let weight = EdgeMoments::new(m, support, &BaseMotion::rest(), &at_rest, "moments at rest", progress)?;
    let total = EdgeMoments::new(m, support, base, states, "moments in motion", progress)?;
    let Allowed { min, max, critical } = Allowed::new(&weight.moments, &total.moments, support.edges().len());
    Ok(SpeedScaling { min: min.sqrt(), max: if max < 0.0 { max } else { max.sqrt() }, critical })
}

/// The masses of a payload, in place of the robot's payloads, with which no state tips.
pub fn safe_payload(
    m: &Model<f64>,
    support: &Support,
    base: &BaseMotion,
    states: &[State],
    payload: &UnitPayload,
    progress: &Progress,
) -> Result<SafePayload> {
    let empty = m.without_payloads();
    let loaded = empty.with_payload_in_link("payload", payload.link, payload.per_kilogram)?;
    let without = EdgeMoments::new(&empty, support, base, states, "moments without payload", progress)?;
    let with = EdgeMoments::new(&loaded, support, base, states, "moments with payload", progress)?;
    let Allowed { min, max, critical } = Allowed::new(&without.moments, &with.moments, support.edges().len());
    Ok(SafePayload { min_mass: min, max_mass: max, critical })
}

/// The interval of x ≥ 0 in which all a + (b − a) x ≥ 0.
struct Allowed {
    min: f64,
    max: f64,
    critical: Option<CriticalEdge>,
}

impl Allowed {
    /// From the moments at x = 0 and x = 1, one row per state.
    fn new(at_zero: &[f64], at_one: &[f64], edges: usize) -> Self {
        let mut allowed = Allowed { min: 0.0, max: f64::INFINITY, critical: None };
        for (k, (a, b)) in at_zero.iter().zip(at_one).enumerate() {
            allowed.restrict(*a, b - a, CriticalEdge { sample: k / edges, edge: k % edges });
        }
        allowed
    }

    /// Restricts the interval to a + b x ≥ 0.
    fn restrict(&mut self, a: f64, b: f64, at: CriticalEdge) {
        let constant = b.abs() <= 1e-13 * a.abs();
        let max = match (constant, a >= 0.0, b >= 0.0) {
            (true, true, _) | (false, true, true) => return,
            (true, false, _) | (false, false, false) => -1.0,
            (false, false, true) => {
                self.min = self.min.max(-a / b);
                return;
            }
            (false, true, false) => -a / b,
        };
        if max < self.max {
            (self.max, self.critical) = (max, Some(at));
        }
    }
}
