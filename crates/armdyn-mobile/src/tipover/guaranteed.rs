//! Guaranteed stability: a robot tips in no state within given ranges.
//!
//! For each edge the restoring moment is minimised over positions, velocities and accelerations by branch and bound
//! ([`armdyn_numerics::bound`]). Its gravity term has degree 1 in the sine and cosine of each angle and is bounded by control
//! points. The inertial term is bounded by norms, uniformly over the ranges; where that is not sufficient, interval arithmetic on its
//! program, with mean values and monotonicity, bounds it. The two bounds are added.

use super::evaluator::{TipoverCase, first_moment};
use super::inertia_bound::inertia_bound;
use crate::contact::{Edge, Support};
use crate::{BaseMotion, invalid};
use armdyn_core::{Force, Interval, KinematicsData, Model, Real, RneaData, Vec3, kinematics, rnea};
use armdyn_numerics::bound::{Bounds, BranchAndBound, Budget, advance_all};
use armdyn_numerics::coefficients::CoefficientFunction;
use armdyn_numerics::objective::{Enclosure, Objective, negative};
use armdyn_numerics::search::search;
use armdyn_numerics::{JointRanges, Result, Tolerance};
use armdyn_symbolic::{Array, Expr, Graph};

/// Relative gap between bound and minimum at which the search ends: only the sign matters.
const GAP: f64 = 1.0;

/// Whether a robot tips within given ranges of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// No state tips: guaranteed.
    Guaranteed,
    /// A state that tips was found.
    TipsOver,
    /// No state that tips was found, and none could be excluded within the budget.
    Undecided,
}

/// Ranges of states: configurations, velocities and accelerations.
#[derive(Clone, Debug)]
pub struct StateRanges {
    /// Positions.
    pub positions: JointRanges,
    /// Velocities of the joints.
    pub velocities: Vec<Interval>,
    /// Accelerations of the joints.
    pub accelerations: Vec<Interval>,
}

/// Bounds of the restoring moment about an edge.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct EdgeBound {
    /// The smallest moment found \[N m\].
    pub minimum: f64,
    /// Positions of the state with that moment.
    pub q: Vec<f64>,
    /// Its velocities.
    pub qd: Vec<f64>,
    /// Its accelerations.
    pub qdd: Vec<f64>,
    /// No state has a smaller moment \[N m\]; −∞ if that was not examined.
    pub lower_bound: f64,
    /// Number of boxes that branch and bound examined.
    pub boxes: usize,
}

impl EdgeBound {
    fn new(bounds: &Bounds, n: usize) -> Self {
        let part = |k: usize| bounds.at[k * n..(k + 1) * n].to_vec();
        let (minimum, lower_bound, boxes) = (bounds.best, bounds.bound, bounds.boxes);
        EdgeBound { minimum, q: part(0), qd: part(1), qdd: part(2), lower_bound, boxes }
    }
}

/// Guaranteed stability over ranges of states.
#[derive(Clone, Debug, serde::Serialize)]
pub struct GuaranteedStability {
    /// Whether the robot tips.
    pub verdict: Verdict,
    /// One bound for each edge of the support polygon.
    pub edges: Vec<EdgeBound>,
}

impl GuaranteedStability {
    /// The edge with the smallest moment found.
    pub fn critical_edge(&self) -> usize {
        (0..self.edges.len()).min_by(|a, b| self.edges[*a].minimum.total_cmp(&self.edges[*b].minimum)).unwrap_or(0)
    }
}

impl TipoverCase<'_> {
    /// Whether a robot tips in any state within given ranges. The edges share the budget.
    pub fn guaranteed_stability(&self, ranges: &StateRanges, budget: Budget) -> Result<GuaranteedStability> {
        let TipoverCase { model, support, base, progress } = *self;
        let n = model.nv();
        for (what, ranges) in [("velocities", &ranges.velocities), ("accelerations", &ranges.accelerations)] {
            if ranges.len() != n || ranges.iter().any(|r| !(r.lo().is_finite() && r.hi().is_finite())) {
                return invalid(format!("{what}: expected {n} finite ranges, one for each degree of freedom"));
            }
        }
        let states = JointRanges::from_intervals(
            [ranges.positions.intervals(), &ranges.velocities[..], &ranges.accelerations[..]].concat(),
        );
        let moments: Vec<EdgeMoment> = support
            .edges()
            .iter()
            .map(|e| EdgeMoment::new(model, support, e, &base, &states))
            .collect::<Result<_>>()?;
        let result = |verdict, bounds: &[Bounds]| {
            let edges = bounds.iter().map(|b| EdgeBound::new(b, n)).collect();
            Ok(GuaranteedStability { verdict, edges })
        };
        // A state that tips decides at once.
        let sampled = |moment: &EdgeMoment| {
            let (value, at) = search(&negative(moment), &states, budget.search);
            Bounds { best: -value, at, bound: f64::NEG_INFINITY, boxes: 0, finished: false }
        };
        let sampled: Vec<Bounds> = moments.iter().map(sampled).collect();
        if sampled.iter().any(|b| b.best < 0.0) {
            return result(Verdict::TipsOver, &sampled);
        }
        let tolerance = Tolerance { relative: GAP, absolute: 0.0 };
        let tilting: Vec<_> = moments.iter().map(|m| negative(m)).collect();
        let mut searches: Vec<BranchAndBound> =
            tilting.iter().map(|m| BranchAndBound::new(m, &states, tolerance, budget.search)).collect();
        advance_all(&mut searches, budget, &progress);
        let bounds: Vec<Bounds> = searches.iter().map(|s| s.bounds().negative()).collect();
        if bounds.iter().any(|b| b.best < 0.0) {
            result(Verdict::TipsOver, &bounds)
        } else if bounds.iter().all(|b| b.bound >= 0.0) {
            result(Verdict::Guaranteed, &bounds)
        } else {
            result(Verdict::Undecided, &bounds)
        }
    }
}

/// The restoring moment about an edge as a function of positions, velocities and accelerations.
struct EdgeMoment {
    total: CoefficientFunction,
    gravity: CoefficientFunction,
    /// The inertial term and its uniform bound; none if nothing moves.
    inertia: Option<(CoefficientFunction, Interval)>,
}

impl EdgeMoment {
    fn new(m: &Model<f64>, support: &Support, edge: &Edge, base: &BaseMotion, states: &JointRanges) -> Result<Self> {
        let n = m.nv();
        let (graph, terms) = Graph::record(|| -> Result<(Expr, Expr)> {
            let coordinate = |k: usize| match states.intervals()[k] {
                range if range.lo() == range.hi() => Expr::lift(range.lo()),
                _ => Graph::input(Array::Q, k, &format!("x{}", k + 1)),
            };
            let inputs: Vec<Expr> = (0..3 * n).map(coordinate).collect();
            let (q, rest) = inputs.split_at(n);
            let (qd, qdd) = rest.split_at(n);
            let moment = |wrench: Force<Expr>| {
                let reaction = support.reaction(wrench);
                edge.moment(reaction.normal, reaction.tilting)
            };
            let arm: Model<Expr> = m.cast();
            let mut d = KinematicsData::new(&arm);
            kinematics(&arm, &mut d, q)?;
            let (mass, first) = first_moment(&arm, &d)?;
            let up = arm.gravity() * -Expr::one();
            let gravity = moment(Force::new(first.cross(up), up * mass));
            let without_gravity: Model<Expr> = m.without_friction().with_gravity(Vec3::zero()).cast();
            let mut d = RneaData::new(&without_gravity);
            d.boundary.base_velocity = base.velocity.map(Expr::lift);
            d.boundary.base_acceleration = base.acceleration.map(Expr::lift);
            rnea(&without_gravity, &mut d, q, qd, qdd, &mut vec![Expr::zero(); n])?;
            Ok((gravity, moment(d.base_wrench(&without_gravity)?)))
        });
        let (gravity, inertia) = terms?;
        let (graph, total) = graph.record_more(|| gravity + inertia);
        let moves =
            *base != BaseMotion::rest() || states.intervals()[n..].iter().any(|r| r.lo() != 0.0 || r.hi() != 0.0);
        let (q, rest) = states.intervals().split_at(n);
        let (velocities, accelerations) = rest.split_at(n);
        let bound = inertia_bound(m, support, edge, base, [q, velocities, accelerations])?;
        let bound = Interval::new(-bound, bound).unwrap_or(Interval::ENTIRE);
        Ok(EdgeMoment {
            total: CoefficientFunction::new(&graph, total, 3 * n)?,
            gravity: CoefficientFunction::new(&graph, gravity, 3 * n)?.over(states),
            inertia: if moves { Some((CoefficientFunction::new(&graph, inertia, 3 * n)?, bound)) } else { None },
        })
    }
}

impl Objective for EdgeMoment {
    fn value(&self, x: &[f64]) -> f64 {
        self.total.value(x)
    }

    fn gradient(&self, x: &[f64]) -> (f64, Vec<f64>) {
        self.total.gradient(x)
    }

    fn depends(&self, dof: usize) -> bool {
        self.total.depends(dof)
    }

    fn enclose(&self, x: &[Interval]) -> Enclosure {
        let gravity = self.gravity.enclose(x);
        let Some((inertia, bound)) = &self.inertia else { return gravity };
        let coarse = gravity.range + *bound;
        // Control points bound gravity only once the angles are narrow; then the uniform bound may suffice.
        if !gravity.range.lo().is_finite() || coarse.lo() >= 0.0 {
            return Enclosure { range: coarse, split: gravity.split };
        }
        let (inertia, total) = (inertia.enclose(x), self.total.enclose(x));
        let ranges = [gravity.range + inertia.range, total.range];
        let range = ranges.iter().fold(coarse, |range, r| range.intersect(*r).unwrap_or(range));
        Enclosure { range, split: total.split }
    }
}
