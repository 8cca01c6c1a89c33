//! Stability along a trajectory.

use super::evaluator::{StabilityEvaluator, State, require_stable_at_rest};
use crate::contact::{FrictionDemand, Support, zero_moment_point};
use crate::{BaseMotion, invalid};
use armdyn_core::{Model, Progress};
use armdyn_numerics::{Result, parallel_ordered};

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

/// Restoring moments along a trajectory.
#[derive(Default)]
pub(super) struct EdgeMoments {
    /// One row per state, one column per edge.
    pub moments: Vec<f64>,
    pub normal: Vec<f64>,
    pub zmp: Vec<[f64; 2]>,
}

impl EdgeMoments {
    pub fn new(
        m: &Model<f64>,
        support: &Support,
        base: &BaseMotion,
        states: &[State],
        what: &str,
        progress: &Progress,
    ) -> Result<Self> {
        let edges = support.edges().len();
        let mut all = EdgeMoments::default();
        parallel_ordered(
            states.len(),
            edges + 3,
            what,
            progress,
            || StabilityEvaluator::new(m, support),
            |evaluator, k, row| {
                let reaction = evaluator.ground_reaction(base, states[k])?;
                for (moment, edge) in row.iter_mut().zip(support.edges()) {
                    *moment = edge.moment(reaction.normal, reaction.tilting);
                }
                let [x, y] = zero_moment_point(reaction.normal, reaction.tilting).unwrap_or([f64::NAN; 2]);
                row[edges..].copy_from_slice(&[reaction.normal, x, y]);
                Ok(())
            },
            |_, rows| {
                for row in rows.chunks(edges + 3) {
                    all.moments.extend_from_slice(&row[..edges]);
                    all.normal.push(row[edges]);
                    all.zmp.push([row[edges + 1], row[edges + 2]]);
                }
            },
        )?;
        Ok(all)
    }
}

/// The stability in each state, or of as many states as were evaluated before cancellation.
///
/// Fails if the robot is not stable at rest in the first configuration.
pub fn trajectory_stability(
    m: &Model<f64>,
    support: &Support,
    base: &BaseMotion,
    states: &[State],
    progress: &Progress,
) -> Result<TrajectoryStability> {
    let Some(first) = states.first() else { return invalid("the trajectory has no states") };
    require_stable_at_rest(m, support, first[0])?;
    let EdgeMoments { moments, normal, zmp } =
        EdgeMoments::new(m, support, base, states, "zero-moment point", progress)?;
    let distance = |(moments, force): (&[f64], &f64)| {
        let smallest = moments.iter().copied().fold(f64::INFINITY, f64::min);
        if *force > 0.0 { smallest / force } else { f64::NEG_INFINITY }
    };
    let margin: Vec<f64> = moments.chunks(support.edges().len()).zip(&normal).map(distance).collect();
    let worst = (0..margin.len()).min_by(|a, b| margin[*a].total_cmp(&margin[*b])).unwrap_or(0);
    Ok(TrajectoryStability { zmp, margin, worst })
}

/// The stable state that requires the largest friction coefficient, and its demand; none if no state is stable.
pub fn max_friction_demand(
    m: &Model<f64>,
    support: &Support,
    base: &BaseMotion,
    states: &[State],
    progress: &Progress,
) -> Result<Option<(usize, FrictionDemand)>> {
    let mut evaluator = StabilityEvaluator::new(m, support);
    let mut worst: Option<(usize, FrictionDemand)> = None;
    for (k, state) in states.iter().enumerate().take_while(|_| !progress.cancelled()) {
        let stability = evaluator.stability(base, *state)?;
        if !stability.is_stable() {
            continue;
        }
        let demand = evaluator.friction(&stability, base)?;
        if worst.as_ref().is_none_or(|(_, w)| demand.required_coefficient > w.required_coefficient) {
            worst = Some((k, demand));
        }
    }
    Ok(worst)
}
