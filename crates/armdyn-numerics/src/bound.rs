//! *Guaranteed*: extremes over a region by branch and bound (Hansen & Walster 2004, chapter 12), best first.
//!
//! A box is looked at by what encloses its values, and split while it might hold more than the best point found. What is
//! printed as a bound is proven; the best point, which [`search`](crate::search) finds first, is a pose that one may check.
//!
//! Boxes are taken by rounds of the same number, so that the result is the same on any number of threads.

mod norm;
mod polynomial;
mod quotient;

pub use norm::Norm;
pub use polynomial::{Net, Polynomial};
pub use quotient::Quotient;

use crate::JointRanges;
use crate::search::{Search, polished, search};
use armdyn_core::{Interval, Progress};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::f64::consts::TAU;
use std::time::{Duration, Instant};

/// A scalar of a configuration whose extremes are sought.
pub trait Objective: Sync {
    /// The value.
    fn value(&self, q: &[f64]) -> f64;

    /// The value and its partial derivatives, for the search; by differences where it has none of its own.
    fn gradient(&self, q: &[f64]) -> (f64, Vec<f64>) {
        let mut at = q.to_vec();
        let slope = |i: usize| {
            let h = 1e-6 * (1.0 + q[i].abs());
            at[i] = q[i] + h;
            let up = self.value(&at);
            at[i] = q[i] - h;
            let down = self.value(&at);
            at[i] = q[i];
            (up - down) / (2.0 * h)
        };
        (self.value(q), (0..q.len()).map(slope).collect())
    }

    /// Whether it depends on a coordinate: others are never split.
    fn depends(&self, dof: usize) -> bool {
        let _ = dof;
        true
    }

    /// Whether a full turn of a coordinate leaves the value as it is: no more than that is looked at.
    fn turns(&self, dof: usize) -> bool {
        let _ = dof;
        false
    }

    /// Bounds of all values over a box, proven.
    fn enclose(&self, q: &[Interval]) -> Enclosure;
}

/// What is known of a box.
#[derive(Clone, Copy, Debug)]
pub struct Enclosure {
    /// Every value over the box lies in it.
    pub range: Interval,
    /// Along which coordinate the box is best split, and into how many parts; none: the widest in two.
    pub split: Option<(usize, usize)>,
}

/// When the gap between the bound and the best point is small enough: below either.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// As a share of the best value's size.
    pub relative: f64,
    /// In the value's own unit.
    pub absolute: f64,
}

/// How much may be spent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// The most boxes to look at.
    pub boxes: usize,
    /// The longest time.
    pub time: Option<Duration>,
    /// How the best point is sought first.
    pub search: Search,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { boxes: 10_000_000, time: None, search: Search::default() }
    }
}

/// What is known of an extreme.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// The best value found.
    pub best: f64,
    /// Where.
    pub at: Vec<f64>,
    /// No value is beyond this: proven.
    pub bound: f64,
    /// How many boxes were looked at.
    pub boxes: usize,
    /// Whether the gap is as small as was asked; the bound is proven in any case.
    pub finished: bool,
}

impl Bounds {
    /// How far the bound is from the best value found.
    pub fn gap(&self) -> f64 {
        (self.bound - self.best).abs()
    }
}

/// The negative of an objective.
pub struct Negative<'a, O>(pub &'a O);

impl<O: Objective> Objective for Negative<'_, O> {
    fn value(&self, q: &[f64]) -> f64 {
        -self.0.value(q)
    }

    fn gradient(&self, q: &[f64]) -> (f64, Vec<f64>) {
        let (value, slopes) = self.0.gradient(q);
        (-value, slopes.iter().map(|s| -s).collect())
    }

    fn depends(&self, dof: usize) -> bool {
        self.0.depends(dof)
    }

    fn turns(&self, dof: usize) -> bool {
        self.0.turns(dof)
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        let enclosure = self.0.enclose(q);
        Enclosure { range: -enclosure.range, ..enclosure }
    }
}

/// The size of an objective, whatever its sign.
pub struct Size<'a, O>(pub &'a O);

impl<O: Objective> Objective for Size<'_, O> {
    fn value(&self, q: &[f64]) -> f64 {
        self.0.value(q).abs()
    }

    fn gradient(&self, q: &[f64]) -> (f64, Vec<f64>) {
        let (value, slopes) = self.0.gradient(q);
        (value.abs(), slopes.iter().map(|s| s * value.signum()).collect())
    }

    fn depends(&self, dof: usize) -> bool {
        self.0.depends(dof)
    }

    fn turns(&self, dof: usize) -> bool {
        self.0.turns(dof)
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        let enclosure = self.0.enclose(q);
        let (a, b) = (enclosure.range.lo(), enclosure.range.hi());
        let least = if a <= 0.0 && b >= 0.0 { 0.0 } else { a.abs().min(b.abs()) };
        Enclosure { range: Interval::new(least, a.abs().max(b.abs())).unwrap_or(Interval::ENTIRE), ..enclosure }
    }
}

/// The least value over a region: as [`maximise`].
pub fn minimise(
    o: &impl Objective,
    region: &JointRanges,
    tolerance: Tolerance,
    budget: Budget,
    progress: &Progress,
) -> Bounds {
    let found = maximise(&Negative(o), region, tolerance, budget, progress);
    Bounds { best: -found.best, bound: -found.bound, ..found }
}

/// A box and the most that may be in it.
struct Open {
    bound: f64,
    q: Vec<Interval>,
    split: Option<(usize, usize)>,
    /// Among equals the older: so that there is one order.
    number: usize,
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound).then(other.number.cmp(&self.number))
    }
}

/// How many boxes are split in a round.
const ROUND: usize = 64;

/// The greatest value over a region: a point with its value, and a bound that no value exceeds.
pub fn maximise(
    o: &impl Objective,
    region: &JointRanges,
    tolerance: Tolerance,
    budget: Budget,
    progress: &Progress,
) -> Bounds {
    let began = Instant::now();
    let (mut best, mut at) = search(o, region, budget.search);
    let turn = Interval::point(0.0).hull(Interval::point(TAU.next_up()));
    let once = |(k, r): (usize, &Interval)| match *r {
        r if o.turns(k) && r.width() > turn.hi() => Interval::point(r.lo()) + turn,
        r => r,
    };
    let q: Vec<Interval> = region.intervals().iter().enumerate().map(once).collect();
    let root = o.enclose(&q);
    let mut open = BinaryHeap::new();
    open.push(Open { bound: top(&root), q, split: root.split, number: 0 });
    let (mut boxes, mut closed) = (1, f64::NEG_INFINITY);
    let enough = |best: f64| best + (tolerance.relative * best.abs()).max(tolerance.absolute);
    loop {
        let bound = open.peek().map_or(closed, |b: &Open| b.bound.max(closed)).max(best);
        let finished = bound <= enough(best);
        let spent = boxes >= budget.boxes || budget.time.is_some_and(|t| began.elapsed() >= t) || progress.cancelled();
        if finished || spent || open.is_empty() {
            return Bounds { best, at, bound, boxes, finished };
        }
        let mut children = vec![];
        while let Some(one) = open.peek().filter(|b| b.bound > enough(best)).is_some().then(|| open.pop()).flatten() {
            match halves(o, &one) {
                Some(parts) => children.extend(parts),
                // Nothing is left to split: what there is stays.
                None => closed = closed.max(one.bound),
            }
            if children.len() >= 2 * ROUND {
                break;
            }
        }
        let seen: Vec<(Enclosure, f64)> = children
            .par_iter()
            .map(|(q, _)| (o.enclose(q), o.value(&q.iter().map(Interval::mid).collect::<Vec<f64>>())))
            .collect();
        for ((q, parent), (enclosure, middle)) in children.into_iter().zip(seen) {
            boxes += 1;
            if middle > best {
                let start = q.iter().map(Interval::mid).collect();
                (best, at) = polished(o, region, start);
            }
            let bound = top(&enclosure).min(parent);
            if bound > best {
                open.push(Open { bound, q, split: enclosure.split, number: boxes });
            }
        }
    }
}

/// The most that may be in a box; NaN says nothing.
fn top(enclosure: &Enclosure) -> f64 {
    if enclosure.range.hi().is_nan() { f64::INFINITY } else { enclosure.range.hi() }
}

/// The parts of a box, each with its own bound; none if it cannot be split.
fn halves(o: &impl Objective, parent: &Open) -> Option<Vec<(Vec<Interval>, f64)>> {
    let splits = |k: usize| {
        let middle = parent.q[k].mid();
        parent.q[k].lo() < middle && middle < parent.q[k].hi()
    };
    let widest = || {
        let own = (0..parent.q.len()).filter(|k| o.depends(*k) && splits(*k));
        own.max_by(|a, b| parent.q[*a].width().total_cmp(&parent.q[*b].width())).map(|k| (k, 2))
    };
    let (k, count) = parent.split.filter(|(k, _)| splits(*k)).or_else(widest)?;
    let range = parent.q[k];
    let edge = |i: usize| match i {
        0 => range.lo(),
        i if i == count => range.hi(),
        i => (range.lo() + (range.hi() - range.lo()) * (i as f64 / count as f64)).clamp(range.lo(), range.hi()),
    };
    let part = |i: usize| {
        let mut q = parent.q.clone();
        q[k] = Interval::new(edge(i), edge(i + 1)).unwrap_or(range);
        (q, parent.bound)
    };
    Some((0..count).map(part).collect())
}
