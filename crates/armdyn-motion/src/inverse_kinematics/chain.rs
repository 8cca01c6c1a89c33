//! The joints that move a frame, and configurations to start from.

use super::IkOptions;
use armdyn_core::{Interval, Model, Pair, SplitMix64, Tool};
use armdyn_numerics::{JointRanges, QuasiRandom, Result};
use std::f64::consts::{PI, TAU};

/// A degree of freedom that moves the frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dof {
    /// Its position in q̇.
    pub v: usize,
    /// Its coordinate in q, if it has one of its own (no quaternion).
    pub q: Option<usize>,
    pub lower: f64,
    pub upper: f64,
    /// 1, or the length of the chain for a translation: steps are without a unit.
    pub scale: f64,
    /// Whether a full turn changes nothing.
    pub periodic: bool,
    /// Whether its limits are ignored.
    pub released: bool,
}

impl Dof {
    /// Middle and half of its range, if it has two limits.
    pub fn range(&self) -> Option<(f64, f64)> {
        let half = 0.5 * (self.upper - self.lower);
        (half.is_finite() && half > 0.0).then_some((self.lower + half, half))
    }

    /// The position nearest to `start` that the limits, and `slack` beyond them, allow: `x`, with full turns if it is an angle.
    pub fn nearest(&self, x: f64, start: f64, slack: f64) -> Option<f64> {
        let slack = slack * self.scale;
        let allowed = |x: &f64| (self.lower - slack..=self.upper + slack).contains(x);
        if !self.periodic {
            return Some(x).filter(allowed);
        }
        let near = x + TAU * ((start.max(self.lower).min(self.upper) - x) / TAU).round();
        // Rounding errors of a turn must not be added without need.
        let near = if (near - x).abs() < PI { x } else { near };
        let candidates = [near, near - TAU, near + TAU].into_iter().filter(allowed);
        candidates.min_by(|a, b| (a - start).abs().total_cmp(&(b - start).abs()))
    }
}

/// The joints between a frame and the base.
pub(super) struct Chain {
    pub dofs: Vec<Dof>,
    /// Sum of the lengths of its links and of the travels of its prismatic joints \[m\]; 1 if there are none.
    pub length: f64,
    /// Its first moving body.
    pub first: usize,
    /// Upper bound of the frame's distance from the origin of the first joint \[m\].
    pub reach: f64,
}

impl Chain {
    pub fn new(m: &Model<f64>, frame: &Tool) -> Self {
        let link = &m.links()[frame.link];
        let mut chain = Chain { dofs: vec![], length: 0.0, first: link.body, reach: 0.0 };
        let mut length = link.pose.point(frame.pose.translation).norm();
        let (mut bounded, mut body) = (true, link.body);
        // From tip to base; what lies before the first joint does not count for the reach.
        while body != 0 {
            let b = m.body(body);
            let limits = &m.limits()[b.v];
            let travel = limits.lower.abs().max(limits.upper.abs());
            match b.pair {
                Pair::Revolute | Pair::Ball => {}
                Pair::Prismatic if travel.is_finite() && !b.follows => length += travel,
                _ => bounded = false,
            }
            let own = (b.pair.nq() == b.pair.nv()).then_some(b.q);
            let leads = m.followers().iter().any(|f| m.joints()[f.leader].v.contains(&b.v));
            let periodic = matches!(b.pair, Pair::Revolute) && !leads;
            let (lower, upper) = own.map_or((f64::NEG_INFINITY, f64::INFINITY), |_| (limits.lower, limits.upper));
            chain.dofs.extend(b.dofs().map(|v| Dof { v, q: own, lower, upper, scale: 1.0, periodic, released: false }));
            (chain.first, chain.reach) = (body, if bounded { length } else { f64::INFINITY });
            length += b.placement.translation.norm();
            body = b.parent;
        }
        chain.length = if length > 0.0 { length } else { 1.0 };
        chain.dofs.sort_by_key(|dof| dof.v);
        chain.dofs.dedup_by_key(|dof| dof.v);
        for dof in &mut chain.dofs {
            dof.scale = if m.is_rotational(dof.v) { 1.0 } else { chain.length };
        }
        chain
    }
}

/// Quasi-random configurations within the joint limits, one after another.
pub(super) fn starts(m: &Model<f64>, options: &IkOptions) -> Result<Vec<f64>> {
    let unit = Interval::new(0.0, 1.0).unwrap_or(Interval::point(0.0));
    let cube = JointRanges::from_intervals(vec![unit; m.nq()]);
    let sequence = QuasiRandom::new(&cube, SplitMix64(options.seed).next());
    let n = m.nq();
    let mut starts = vec![0.0; n * (options.starts - 1)];
    for (k, q) in starts.chunks_exact_mut(n.max(1)).enumerate() {
        let mut numbers = sequence.point(k).into_iter();
        m.random(|| numbers.next().unwrap_or(0.5), q)?;
    }
    Ok(starts)
}
