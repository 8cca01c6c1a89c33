//! The whole tip-over analysis of a robot, as one plain result.

use super::evaluator::{State, TipoverCase};
use super::guaranteed::{GuaranteedStability, StateRanges};
use super::limits::SafeRange;
use super::reach::{ReachMap, ReachOptions, SafePath};
use super::trajectory::TrajectoryStability;
use crate::contact::{EdgeMargin, FrictionDemand, Stability, Support};
use crate::{BaseMotion, invalid};
use armdyn_core::{Model, Progress, UnitPayload, Vec3};
use armdyn_numerics::bound::Budget;
use armdyn_numerics::{JointRanges, Result, Trajectory};
use serde::Serialize;

/// What to analyse.
#[derive(Clone, Debug, Default)]
pub struct TipoverOptions {
    /// Positions, velocities and accelerations of the joints.
    pub state: [Vec<f64>; 3],
    /// A trajectory to analyse in place of the state.
    pub trajectory: Option<Trajectory>,
    /// Velocity (vₓ, v_y, ω) of the base along the ground, in base axes \[m/s, rad/s\].
    pub base_velocity: [f64; 3],
    /// Its time derivative \[m/s², rad/s²\].
    pub base_acceleration: [f64; 3],
    /// Payload of unit mass whose safe mass is computed; its centre is the tool point of the reach.
    pub payload: Option<UnitPayload>,
    /// Configuration towards which the safe path from the state is computed.
    pub toward: Option<Vec<f64>>,
    /// Joint ranges and sampling of the reach map.
    pub reach: Option<(JointRanges, ReachOptions)>,
    /// Ranges of states and computing budget of the guaranteed stability.
    pub guaranteed: Option<(StateRanges, Budget)>,
}

/// The ground under the robot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ground {
    /// Slope \[rad\].
    pub slope: f64,
    /// Uphill direction, from the ground's x axis towards its y axis \[rad\].
    pub uphill: f64,
    /// The ground's x and y axes in base axes.
    pub axes: [[f64; 3]; 2],
}

impl Ground {
    fn new(m: &Model<f64>, support: &Support) -> Self {
        let up = -m.gravity();
        let [x, y] = support.axes().map(|a| a.dot(up));
        let slope = x.hypot(y).atan2(support.normal().dot(up));
        Ground { slope, uphill: y.atan2(x), axes: support.axes().map(Vec3::to_array) }
    }
}

/// A contact and its normal load.
#[derive(Clone, Debug, Serialize)]
pub struct ContactResult {
    /// Its name.
    pub name: String,
    /// Its kind: `foot`, `castor`, `fixed`, `driven` or `omni`.
    pub kind: String,
    /// Position in ground coordinates \[m\].
    pub position: [f64; 2],
    /// Rolling direction of a fixed or driven wheel, in ground coordinates.
    pub rolling_direction: Option<[f64; 2]>,
    /// Radius of the wheel \[m\].
    pub radius: Option<f64>,
    /// Static friction coefficient.
    pub static_coefficient: Option<f64>,
    /// Normal load \[N\].
    pub load: f64,
}

/// An edge of the support polygon and its margin.
#[derive(Clone, Debug, Serialize)]
pub struct EdgeResult {
    /// Names of the contacts at its ends.
    pub contacts: [String; 2],
    /// Indices of these contacts.
    pub contact_indices: [usize; 2],
    /// The margin.
    #[serde(flatten)]
    pub margin: EdgeMargin,
}

/// The state of a trajectory that requires the most friction.
#[derive(Clone, Debug, Serialize)]
pub struct MaximumFriction {
    /// The sample.
    pub sample: usize,
    /// The coefficient that it requires.
    pub required_coefficient: f64,
    /// Contacts that slip.
    pub slipping: Vec<String>,
}

/// Stability along a trajectory.
#[derive(Clone, Debug, Serialize)]
pub struct TrajectoryResult {
    /// Times of all samples \[s\]; fewer may have been analysed before cancellation.
    pub t: Vec<f64>,
    /// ZMP trajectory and margins.
    #[serde(flatten)]
    pub stability: TrajectoryStability,
    /// The largest friction demand; none if a coefficient is missing or no state is stable.
    pub maximum_friction: Option<MaximumFriction>,
}

/// Safe payload and where it is attached.
#[derive(Clone, Debug, Serialize)]
pub struct PayloadResult {
    /// The link.
    pub link: String,
    /// Position of its centre of mass in the link frame \[m\].
    pub position: [f64; 3],
    /// Safe masses.
    #[serde(flatten)]
    pub safe: SafeRange,
}

/// Result of a tip-over analysis, at a state or at the state of a trajectory with the smallest margin. SI units; positions and
/// forces in ground coordinates.
#[derive(Clone, Debug, Serialize)]
pub struct TipoverAnalysis {
    /// The robot.
    pub robot: String,
    /// Names of the degrees of freedom.
    pub joints: Vec<String>,
    /// The ground.
    pub ground: Ground,
    /// Velocity of the base (vₓ, v_y, ω).
    pub base_velocity: [f64; 3],
    /// Its time derivative.
    pub base_acceleration: [f64; 3],
    /// Configuration.
    pub q: Vec<f64>,
    /// Stability, zero-moment point and margin.
    #[serde(flatten)]
    pub stability: Stability,
    /// The contact that lifts off first when the robot tips over the critical edge.
    pub lifting_contact: Option<String>,
    /// Contacts and their loads.
    pub contacts: Vec<ContactResult>,
    /// Edges of the support polygon, counter-clockwise.
    pub edges: Vec<EdgeResult>,
    /// Friction demand.
    pub friction: Option<FrictionDemand>,
    /// Why the friction demand is missing.
    pub friction_error: Option<String>,
    /// Stability along the trajectory.
    pub trajectory: Option<TrajectoryResult>,
    /// Speed scalings at which no state tips.
    pub speed_scaling: SafeRange,
    /// Payloads with which no state tips.
    pub payload: Option<PayloadResult>,
    /// Safe path towards another configuration.
    pub toward: Option<SafePath>,
    /// Reach at rest.
    pub reach: Option<ReachMap>,
    /// Guaranteed stability over ranges of states.
    pub guaranteed: Option<GuaranteedStability>,
    /// Whether the analysis was cancelled before its end.
    pub partial: bool,
}

impl TipoverAnalysis {
    /// The name of an edge, from the contacts at its ends.
    pub fn edge_name(&self, edge: usize) -> String {
        self.edges[edge].contacts.join(" – ")
    }

    /// Whether the static friction of all contacts together exceeds the total tangential force.
    pub fn total_friction_suffices(&self) -> bool {
        let Some(friction) = &self.friction else { return false };
        let contacts = self.contacts.iter().zip(&friction.contacts);
        let limit =
            contacts.map(|(c, d)| d.required_coefficient.map_or(Some(0.0), |_| Some(c.static_coefficient? * c.load)));
        let force = [0, 1].map(|i| friction.contacts.iter().map(|d| d.force[i]).sum::<f64>());
        limit.sum::<Option<f64>>().is_some_and(|limit| limit > force[0].hypot(force[1]) * (1.0 + 1e-9))
    }
}

/// Analyses tip-over stability, friction, safe payload, speed scaling and, on request, reach and guaranteed stability.
pub fn analyse_tipover(
    m: &Model<f64>,
    support: &Support,
    options: &TipoverOptions,
    progress: &Progress,
) -> Result<TipoverAnalysis> {
    let base = BaseMotion::planar(support, options.base_velocity, options.base_acceleration);
    let case = TipoverCase { model: m, support, base, progress: *progress };
    let [q, qd, qdd] = &options.state;
    let states: Vec<State> = match &options.trajectory {
        None => vec![[q, qd, qdd]],
        Some(t) => (0..t.len()).map(|k| t.state(k)).collect(),
    };
    let trajectory = options.trajectory.as_ref().map(|t| analyse_trajectory(&case, t, &states)).transpose()?;
    let worst = states[trajectory.as_ref().map_or(0, |t| t.stability.worst)];
    let mut evaluator = case.evaluator();
    let stability = evaluator.stability(&base, worst)?;
    let friction = match stability.stable {
        true => evaluator.friction(&stability, &base),
        false => invalid("the robot tips over"),
    };
    let payload = |payload: &UnitPayload| -> Result<PayloadResult> {
        Ok(PayloadResult {
            safe: case.safe_payload(&states, payload)?,
            link: m.links()[payload.link].name.clone(),
            position: payload.per_kilogram.centre().to_array(),
        })
    };
    let reach = match (&options.reach, &options.payload) {
        (Some((ranges, reach)), Some(payload)) => {
            let tool = (payload.link, payload.per_kilogram.centre());
            Some(case.reach_map(tool, ranges, reach)?)
        }
        (Some(_), None) => return invalid("the reach needs a tool point; pass a payload position"),
        _ => None,
    };
    let guaranteed = |(ranges, budget): &(StateRanges, Budget)| case.guaranteed_stability(ranges, *budget);
    let edge = |(k, margin): (usize, &EdgeMargin)| EdgeResult {
        contacts: support.edge_contacts(k),
        contact_indices: support.edges()[k].contacts,
        margin: *margin,
    };
    Ok(TipoverAnalysis {
        robot: m.name().to_string(),
        joints: m.dof_names().to_vec(),
        ground: Ground::new(m, support),
        base_velocity: options.base_velocity,
        base_acceleration: options.base_acceleration,
        q: worst[0].to_vec(),
        lifting_contact: lifting_contact(support, &stability),
        contacts: contacts(support, &stability),
        edges: stability.margins.iter().enumerate().map(edge).collect(),
        stability,
        friction_error: friction.as_ref().err().map(ToString::to_string),
        friction: friction.ok(),
        trajectory,
        speed_scaling: case.safe_speed_scaling(&states)?,
        payload: options.payload.as_ref().map(payload).transpose()?,
        toward: options.toward.as_ref().map(|to| case.safe_path(q, to)).transpose()?,
        reach,
        guaranteed: options.guaranteed.as_ref().map(guaranteed).transpose()?,
        partial: progress.cancelled(),
    })
}

fn analyse_trajectory(case: &TipoverCase, trajectory: &Trajectory, states: &[State]) -> Result<TrajectoryResult> {
    let stability = case.trajectory_stability(states)?;
    // A missing coefficient is reported for the state with the smallest margin.
    let maximum = case.maximum_friction_demand(states).ok().flatten();
    let maximum_friction = maximum.map(|(sample, demand)| {
        let slipping = case.support.contacts().iter().zip(&demand.contacts).filter(|(_, d)| d.slips());
        let slipping = slipping.map(|(c, _)| c.name.clone()).collect();
        MaximumFriction { sample, required_coefficient: demand.required_coefficient, slipping }
    });
    Ok(TrajectoryResult { t: trajectory.t.clone(), stability, maximum_friction })
}

fn contacts(support: &Support, stability: &Stability) -> Vec<ContactResult> {
    let contact = |(k, c): (usize, &armdyn_core::Contact)| ContactResult {
        name: c.name.clone(),
        kind: c.kind.name().to_string(),
        position: support.points()[k],
        rolling_direction: c.kind.is_directed().then(|| support.rolling_direction(k)),
        radius: c.radius,
        static_coefficient: c.friction.static_friction,
        load: stability.loads[k],
    };
    support.contacts().iter().enumerate().map(contact).collect()
}

/// The contact with the smallest load off the critical edge.
fn lifting_contact(support: &Support, stability: &Stability) -> Option<String> {
    let edge = &support.edges()[stability.critical_edge];
    let off_edge = |k: &usize| edge.distance(support.points()[*k]) > 1e-6 * support.size();
    let loads = &stability.loads;
    let lifting = (0..loads.len()).filter(off_edge).min_by(|a, b| loads[*a].total_cmp(&loads[*b]));
    lifting.map(|k| support.contacts()[k].name.clone())
}
