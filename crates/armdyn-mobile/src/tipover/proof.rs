//! *Guaranteed*: a robot never tips in a whole box of states.
//!
//! For each edge the least moment that holds the robot down, over positions, speeds and accelerations, by branch and bound
//! ([`armdyn_numerics::bound`]). The weight's part is of degree 1 in the sine and cosine of each angle, and is enclosed by control
//! points. That of inertia is at most what the sizes of all vectors give, the same everywhere; where that does not decide,
//! it is enclosed by intervals through its program, with mean values and monotonicity. The two are added.

use super::inertia_bound::inertia_bound;
use super::stand::first_moment;
use super::{BaseMotion, Edge, Support};
use armdyn_core::{Force, Interval, KinematicsData, Model, Motion, Progress, Real, RneaData, Vec3, kinematics, rnea};
use armdyn_numerics::bound::{Bounds, Budget, Tolerance, minimise};
use armdyn_numerics::coefficients::CoefficientFunction;
use armdyn_numerics::objective::{Enclosure, Negative, Objective};
use armdyn_numerics::search::search;
use armdyn_numerics::{Error, JointRanges, Result};
use armdyn_symbolic::{Array, Expr, Graph};

/// How near a bound has to come to the least moment found, of it: zero is near enough.
const CLOSE: f64 = 1.0;

/// What is known of a box of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No state of it tips: proven.
    Proven,
    /// One does: it is given.
    Tips,
    /// None was found that does, and none was ruled out in the time there was.
    Undecided,
}

/// Whether a robot ever tips in a box of states.
#[derive(Clone, Debug)]
pub struct NeverTips {
    /// What is known.
    pub verdict: Verdict,
    /// For each edge the least moment found, the state it was found at (positions, speeds, accelerations, one after the
    /// other), and the bound that no state is below \[N m\].
    pub edges: Vec<Bounds>,
}

impl NeverTips {
    /// The edge with the least moment found.
    pub fn weakest(&self) -> usize {
        (0..self.edges.len()).min_by(|a, b| self.edges[*a].best.total_cmp(&self.edges[*b].best)).unwrap_or(0)
    }
}

/// Whether a robot on a given motion of its base ever tips: over a region of configurations, with these ranges of speeds and
/// accelerations.
#[allow(clippy::too_many_arguments)]
pub fn never_tips(
    m: &Model<f64>,
    support: &Support,
    base: &BaseMotion,
    region: &JointRanges,
    speeds: &[Interval],
    accelerations: &[Interval],
    budget: Budget,
    progress: &Progress,
) -> Result<NeverTips> {
    let n = m.nv();
    for (what, ranges) in [("speeds", speeds), ("accelerations", accelerations)] {
        if ranges.len() != n || ranges.iter().any(|r| !(r.lo().is_finite() && r.hi().is_finite())) {
            return Err(Error::InvalidInput(format!("{what}: {n} finite ranges are asked for")));
        }
    }
    let states = JointRanges::from_intervals([region.intervals(), speeds, accelerations].concat());
    let held: Vec<Holding> =
        support.edges().iter().map(|e| Holding::new(m, support, e, base, &states)).collect::<Result<_>>()?;
    let count = held.len().max(1);
    // A state that tips ends it, before anything is to be proven.
    let seen = |h: &Holding| {
        let (value, at) = search(&Negative(h), &states, budget.search);
        Bounds { best: -value, at, bound: f64::NEG_INFINITY, boxes: 0, finished: false }
    };
    let found: Vec<Bounds> = held.iter().map(seen).collect();
    if found.iter().any(|b| b.best < 0.0) {
        return Ok(NeverTips { verdict: Verdict::Tips, edges: found });
    }
    let budget = Budget { time: budget.time.map(|t| t / count as u32), ..budget };
    let tolerance = Tolerance { relative: CLOSE, absolute: 0.0 };
    let mut edges = vec![];
    for (k, h) in held.iter().enumerate() {
        progress.report(&format!("edge {}", support.edge_name(k)), k as f64 / count as f64);
        edges.push(minimise(h, &states, tolerance, budget, progress));
    }
    let verdict = if edges.iter().any(|b| b.best < 0.0) {
        Verdict::Tips
    } else if edges.iter().all(|b| b.bound >= 0.0) {
        Verdict::Proven
    } else {
        Verdict::Undecided
    };
    Ok(NeverTips { verdict, edges })
}

/// The moment about an edge, of positions, speeds and accelerations in one row.
struct Holding {
    whole: CoefficientFunction,
    weight: CoefficientFunction,
    /// None where nothing moves; its value, and the most that it can be.
    inertia: Option<(CoefficientFunction, Interval)>,
}

impl Holding {
    fn new(m: &Model<f64>, support: &Support, edge: &Edge, base: &BaseMotion, states: &JointRanges) -> Result<Self> {
        let n = m.nv();
        let (graph, made) = Graph::record(|| -> Result<(Expr, Expr)> {
            let coordinate = |k: usize| match states.intervals()[k] {
                range if range.lo() == range.hi() => Expr::lift(range.lo()),
                _ => Graph::input(Array::Q, k, &format!("x{}", k + 1)),
            };
            let all: Vec<Expr> = (0..3 * n).map(coordinate).collect();
            let (q, rest) = all.split_at(n);
            let (qd, qdd) = rest.split_at(n);
            let moment = |wrench: Force<Expr>| {
                let demand = support.demand(wrench);
                edge.moment(demand.normal, demand.tilting)
            };
            let arm: Model<Expr> = m.cast();
            let mut d = KinematicsData::new(&arm);
            kinematics(&arm, &mut d, q)?;
            let (mass, first) = first_moment(&arm, &d)?;
            let up = arm.gravity() * -Expr::one();
            let weight = moment(Force::new(first.cross(up), up * mass));
            let weightless: Model<Expr> = m.without_friction().with_gravity(Vec3::zero()).cast();
            let mut d = RneaData::new(&weightless);
            d.boundary.base_velocity = lifted(base.velocity);
            d.boundary.base_acceleration = lifted(base.acceleration);
            rnea(&weightless, &mut d, q, qd, qdd, &mut vec![Expr::zero(); n])?;
            Ok((weight, moment(d.base_wrench(&weightless)?)))
        });
        let (weight, inertia) = made?;
        let (graph, whole) = graph.record_more(|| weight + inertia);
        let moves =
            *base != BaseMotion::rest() || states.intervals()[n..].iter().any(|r| r.lo() != 0.0 || r.hi() != 0.0);
        let (q, rest) = states.intervals().split_at(n);
        let (speeds, accelerations) = rest.split_at(n);
        let most = inertia_bound(m, support, edge, base, [q, speeds, accelerations]);
        let most = Interval::new(-most, most).unwrap_or(Interval::ENTIRE);
        Ok(Holding {
            whole: CoefficientFunction::new(&graph, whole, 3 * n)?,
            weight: CoefficientFunction::new(&graph, weight, 3 * n)?.over(states),
            inertia: if moves { Some((CoefficientFunction::new(&graph, inertia, 3 * n)?, most)) } else { None },
        })
    }
}

fn lifted(v: Motion<f64>) -> Motion<Expr> {
    v.map(Expr::lift)
}

impl Objective for Holding {
    fn value(&self, x: &[f64]) -> f64 {
        self.whole.value(x)
    }

    fn gradient(&self, x: &[f64]) -> (f64, Vec<f64>) {
        self.whole.gradient(x)
    }

    fn depends(&self, dof: usize) -> bool {
        self.whole.depends(dof)
    }

    fn enclose(&self, x: &[Interval]) -> Enclosure {
        let weight = self.weight.enclose(x);
        let Some((inertia, most)) = &self.inertia else { return weight };
        let coarse = weight.range + *most;
        // Control points say nothing until angles are narrow enough; what is beyond all inertia needs no more.
        if !weight.range.lo().is_finite() || coarse.lo() >= 0.0 {
            return Enclosure { range: coarse, split: weight.split };
        }
        let (inertia, whole) = (inertia.enclose(x), self.whole.enclose(x));
        let ranges = [weight.range + inertia.range, whole.range];
        let range = ranges.iter().fold(coarse, |range, r| range.intersect(*r).unwrap_or(range));
        Enclosure { range, split: whole.split }
    }
}
