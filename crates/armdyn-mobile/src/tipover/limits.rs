//! Safe speed scaling and safe payload.
//!
//! The restoring moment about an edge is Tᵍ + s² Tⁱ when base and arm move s times as fast along the same path (Hollerbach 1984),
//! and T⁰ + μ T¹ with a payload of μ kilograms: each state and edge allows an exact interval of s² and of μ.

use super::evaluator::{State, TipoverCase};
use crate::BaseMotion;
use crate::contact::{GroundReaction, Support};
use armdyn_core::UnitPayload;
use armdyn_numerics::Result;

/// The state and edge that determine a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CriticalEdge {
    /// The sample.
    pub sample: usize,
    /// The edge of the support polygon.
    pub edge: usize,
}

/// The speed scalings s (t → t/s), or the payload masses \[kg\], with which no state tips.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct SafeRange {
    /// Minimum: 0, unless only inertia or the counterweight of the payload keeps the robot from tipping.
    pub minimum: f64,
    /// Maximum; infinite if unlimited, below the minimum if nothing is safe.
    pub maximum: f64,
    /// What determines the maximum.
    pub critical: Option<CriticalEdge>,
}

impl TipoverCase<'_> {
    /// The speed scalings of base and arm at which no state tips.
    pub fn safe_speed_scaling(&self, states: &[State]) -> Result<SafeRange> {
        let zero = vec![0.0; self.model.nv()];
        let at_rest: Vec<State> = states.iter().map(|s| [s[0], &zero, &zero]).collect();
        let weight = TipoverCase { base: BaseMotion::rest(), ..*self }.ground_reactions(&at_rest, "moments at rest")?;
        let total = self.ground_reactions(states, "moments in motion")?;
        let squares = SafeRange::new(self.support, &weight, &total);
        let maximum = if squares.maximum < 0.0 { squares.maximum } else { squares.maximum.sqrt() };
        Ok(SafeRange { minimum: squares.minimum.sqrt(), maximum, ..squares })
    }

    /// The masses of a payload, in place of the robot's payloads, with which no state tips.
    pub fn safe_payload(&self, states: &[State], payload: &UnitPayload) -> Result<SafeRange> {
        let empty = self.model.without_payloads();
        let loaded = empty.with_payload_in_link("payload", payload.link, payload.per_kilogram)?;
        let without = TipoverCase { model: &empty, ..*self }.ground_reactions(states, "moments without payload")?;
        let with = TipoverCase { model: &loaded, ..*self }.ground_reactions(states, "moments with payload")?;
        Ok(SafeRange::new(self.support, &without, &with))
    }
}

impl SafeRange {
    /// The x ≥ 0 for which no moment about an edge is negative, from the reactions of each state at x = 0 and x = 1.
    fn new(support: &Support, at_zero: &[GroundReaction<f64>], at_one: &[GroundReaction<f64>]) -> Self {
        let mut range = SafeRange { minimum: 0.0, maximum: f64::INFINITY, critical: None };
        for (sample, reactions) in at_zero.iter().zip(at_one).enumerate() {
            for (edge, line) in support.edges().iter().enumerate() {
                let [a, b] = [reactions.0, reactions.1].map(|r| line.moment(r.normal, r.tilting));
                range.restrict(a, b - a, CriticalEdge { sample, edge });
            }
        }
        range
    }

    /// Restricts the range to a + b x ≥ 0.
    fn restrict(&mut self, a: f64, b: f64, at: CriticalEdge) {
        let constant = b.abs() <= 1e-13 * a.abs();
        let maximum = match (constant, a >= 0.0, b >= 0.0) {
            (true, true, _) | (false, true, true) => return,
            (true, false, _) | (false, false, false) => -1.0,
            (false, false, true) => {
                self.minimum = self.minimum.max(-a / b);
                return;
            }
            (false, true, false) => -a / b,
        };
        if maximum < self.maximum {
            (self.maximum, self.critical) = (maximum, Some(at));
        }
    }
}
