//! Stability along a trajectory.

use super::evaluator::{StabilityEvaluator, State, TipoverCase};
use crate::contact::{FrictionDemand, GroundReaction, zero_moment_point};
use crate::invalid;
use armdyn_numerics::{Result, parallel_map};

/// Zero-moment point and margin along a trajectory.
#[derive(Clone, Debug, serde::Serialize)]
pub struct TrajectoryStability {
    /// ZMP trajectory in ground coordinates \[m\]; NaN where the ground is not loaded.
    pub zmp: Vec<[f64; 2]>,
    /// Distance of the zero-moment point to the nearest edge \[m\]; negative where the robot tips, −∞ where it leaves the ground.
    pub margin: Vec<f64>,
    /// The sample with the smallest margin.
    pub worst: usize,
}

impl TipoverCase<'_> {
    /// The ground reaction in each state, or in as many states as were evaluated before cancellation.
    pub(super) fn ground_reactions(&self, states: &[State], what: &str) -> Result<Vec<GroundReaction<f64>>> {
        let reaction = |evaluator: &mut StabilityEvaluator, k: usize| evaluator.ground_reaction(&self.base, states[k]);
        parallel_map(states.len(), what, &self.progress, || Ok(self.evaluator()), reaction)
    }

    /// The stability in each state, or of as many states as were evaluated before cancellation.
    ///
    /// Fails if the robot is not stable at rest in the first configuration.
    pub fn trajectory_stability(&self, states: &[State]) -> Result<TrajectoryStability> {
        let Some(first) = states.first() else { return invalid("the trajectory has no states") };
        self.require_stable_at_rest(first[0])?;
        let reactions = self.ground_reactions(states, "zero-moment point")?;
        let margin = |r: &GroundReaction<f64>| match self.support.polygon().critical_edge(r.normal, r.tilting) {
            Some((_, moment)) if r.normal > 0.0 => moment / r.normal,
            _ => f64::NEG_INFINITY,
        };
        let margin: Vec<f64> = reactions.iter().map(margin).collect();
        let zmp = reactions.iter().map(|r| zero_moment_point(r.normal, r.tilting).unwrap_or([f64::NAN; 2])).collect();
        let worst = (0..margin.len()).min_by(|a, b| margin[*a].total_cmp(&margin[*b])).unwrap_or(0);
        Ok(TrajectoryStability { zmp, margin, worst })
    }

    /// The stable state that requires the largest friction coefficient, and its demand; none if no state is stable.
    pub fn maximum_friction_demand(&self, states: &[State]) -> Result<Option<(usize, FrictionDemand)>> {
        let mut evaluator = self.evaluator();
        let mut worst: Option<(usize, FrictionDemand)> = None;
        for (k, state) in states.iter().enumerate().take_while(|_| !self.progress.cancelled()) {
            let stability = evaluator.stability(&self.base, *state)?;
            if !stability.stable {
                continue;
            }
            let demand = evaluator.friction(&stability, &self.base)?;
            if worst.as_ref().is_none_or(|(_, w)| demand.required_coefficient > w.required_coefficient) {
                worst = Some((k, demand));
            }
        }
        Ok(worst)
    }
}
