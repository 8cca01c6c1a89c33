//! Guaranteed extremes over joint ranges by branch and bound (Hansen & Walster 2004, chapter 12), best first.
//!
//! A box is split while its enclosure exceeds the best value found. The bound is guaranteed; the best point, which
//! [`search`](crate::search) finds first, can be checked by evaluation.
//!
//! Boxes are processed in rounds of fixed size, so that the result does not depend on the number of threads.

mod norm;
mod polynomial;
mod quotient;

pub use norm::Norm;
pub use polynomial::{ControlPoints, Polynomial};
pub use quotient::Quotient;

use crate::objective::{Enclosure, Objective, negative};
use crate::search::{SearchOptions, climb, search};
use crate::{JointRanges, Tolerance};
use armdyn_core::{Interval, Progress};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::btree_map::OccupiedEntry;
use std::f64::consts::TAU;
use std::time::{Duration, Instant};

/// Limits of the computation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Maximum number of boxes.
    pub boxes: usize,
    /// Maximum time.
    pub time: Option<Duration>,
    /// The initial search for the best point.
    pub search: SearchOptions,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { boxes: 10_000_000, time: None, search: SearchOptions::default() }
    }
}

/// An extreme value with its guaranteed bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// The best value found.
    pub best: f64,
    /// Its configuration.
    pub at: Vec<f64>,
    /// Guaranteed: no value lies beyond it.
    pub bound: f64,
    /// Number of boxes processed.
    pub boxes: usize,
    /// Whether the gap is within the tolerance. The bound is guaranteed in any case.
    pub finished: bool,
}

impl Bounds {
    /// The distance between the bound and the best value found.
    pub fn gap(&self) -> f64 {
        (self.bound - self.best).abs()
    }

    /// The bounds of the negative value.
    #[must_use]
    pub fn negative(self) -> Self {
        Bounds { best: -self.best, bound: -self.bound, ..self }
    }
}

/// The minimum over joint ranges; see [`maximise`].
pub fn minimise(
    o: &dyn Objective,
    ranges: &JointRanges,
    tolerance: Tolerance,
    budget: Budget,
    progress: &Progress,
) -> Bounds {
    maximise(&negative(o), ranges, tolerance, budget, progress).negative()
}

/// A box that is still to be split, with its upper bound.
struct OpenBox {
    bound: f64,
    q: Vec<Interval>,
    split: Option<(usize, usize)>,
}

/// Open boxes in the order of their bounds; of equal bounds the older box comes last.
type OpenBoxes = BTreeMap<(i64, Reverse<usize>), OpenBox>;

/// An integer in the order of the numbers ([`f64::total_cmp`]).
fn order(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

/// Boxes split per round.
const ROUND: usize = 64;

/// The maximum over joint ranges: a configuration with its value and a bound that no value exceeds. Ends when the gap between
/// bound and best value is within the tolerance, or the budget is spent.
pub fn maximise(
    o: &dyn Objective,
    ranges: &JointRanges,
    tolerance: Tolerance,
    budget: Budget,
    progress: &Progress,
) -> Bounds {
    let start = Instant::now();
    let mut search = BranchAndBound::new(o, ranges, tolerance, budget.search);
    let left = budget.time.map(|t| t.saturating_sub(start.elapsed()));
    search.advance(Budget { time: left, ..budget }, progress)
}

/// A search for a maximum that can be continued.
pub struct BranchAndBound<'a> {
    objective: &'a dyn Objective,
    ranges: &'a JointRanges,
    tolerance: Tolerance,
    best: f64,
    at: Vec<f64>,
    open: OpenBoxes,
    boxes: usize,
    /// The largest bound of a box that cannot be split further.
    closed: f64,
}

impl<'a> BranchAndBound<'a> {
    /// Searches for the best point, and encloses the whole ranges.
    pub fn new(
        objective: &'a dyn Objective,
        ranges: &'a JointRanges,
        tolerance: Tolerance,
        options: SearchOptions,
    ) -> Self {
        let (best, at) = search(objective, ranges, options);
        let period = Interval::point(0.0).hull(Interval::point(TAU.next_up()));
        let reduced = |(k, r): (usize, &Interval)| match *r {
            r if objective.is_periodic(k) && r.width() > period.hi() => Interval::point(r.lo()) + period,
            r => r,
        };
        let q: Vec<Interval> = ranges.intervals().iter().enumerate().map(reduced).collect();
        let root = objective.enclose(&q);
        let bound = upper_bound(&root);
        let open = OpenBoxes::from([((order(bound), Reverse(0)), OpenBox { bound, q, split: root.split })]);
        BranchAndBound { objective, ranges, tolerance, best, at, open, boxes: 1, closed: f64::NEG_INFINITY }
    }

    /// The best value that a bound may have for the gap to be within the tolerance.
    fn enough(&self) -> f64 {
        self.best + (self.tolerance.relative * self.best.abs()).max(self.tolerance.absolute)
    }

    /// No value exceeds it.
    fn bound(&self) -> f64 {
        self.open.values().next_back().map_or(self.closed, |b| b.bound.max(self.closed)).max(self.best)
    }

    /// The result so far.
    pub fn bounds(&self) -> Bounds {
        let (bound, finished) = (self.bound(), self.bound() <= self.enough());
        Bounds { best: self.best, at: self.at.clone(), bound, boxes: self.boxes, finished }
    }

    /// Continues until the gap is within the tolerance, nothing is left to split, or the budget is spent: its time from now, its
    /// number of boxes in all.
    pub fn advance(&mut self, budget: Budget, progress: &Progress) -> Bounds {
        let start = Instant::now();
        while !self.is_complete() {
            let late = budget.time.is_some_and(|t| start.elapsed() >= t);
            if late || self.boxes >= budget.boxes || progress.cancelled() {
                break;
            }
            self.split_round();
        }
        self.bounds()
    }

    /// Whether the gap is within the tolerance, or nothing is left to split.
    pub fn is_complete(&self) -> bool {
        self.open.is_empty() || self.bound() <= self.enough()
    }

    /// Splits the boxes with the largest bounds.
    fn split_round(&mut self) {
        let (o, enough) = (self.objective, self.enough());
        let mut children = vec![];
        let above = |entry: &OccupiedEntry<_, OpenBox>| entry.get().bound > enough;
        while let Some(next) = self.open.last_entry().filter(above).map(OccupiedEntry::remove) {
            match split(o, &next) {
                Some(parts) => children.extend(parts),
                // It cannot be split further: its bound remains.
                None => self.closed = self.closed.max(next.bound),
            }
            if children.len() >= 2 * ROUND {
                break;
            }
        }
        let evaluated: Vec<(Enclosure, f64)> = children
            .par_iter()
            .map(|(q, _)| (o.enclose(q), o.value(&q.iter().map(Interval::mid).collect::<Vec<f64>>())))
            .collect();
        for ((q, parent), (enclosure, middle)) in children.into_iter().zip(evaluated) {
            self.boxes += 1;
            if middle > self.best {
                (self.best, self.at) = climb(o, self.ranges, q.iter().map(Interval::mid).collect());
            }
            let bound = upper_bound(&enclosure).min(parent);
            if bound > self.best {
                self.open.insert((order(bound), Reverse(self.boxes)), OpenBox { bound, q, split: enclosure.split });
            }
        }
    }
}

/// Continues several searches within one budget. Each has an equal part of what is left; what one does not need goes to those
/// that are not complete.
pub fn advance_all(searches: &mut [BranchAndBound], budget: Budget, progress: &Progress) {
    let start = Instant::now();
    loop {
        let open: Vec<usize> = (0..searches.len()).filter(|k| !searches[*k].is_complete()).collect();
        for (done, &k) in open.iter().enumerate() {
            let parts = open.len() - done;
            let time = budget.time.map(|t| t.saturating_sub(start.elapsed()));
            let boxes = budget.boxes.saturating_sub(searches.iter().map(|s| s.boxes).sum());
            if boxes == 0 || time.is_some_and(|t| t.is_zero()) || progress.cancelled() {
                return;
            }
            let part = Budget {
                time: time.map(|t| t / parts as u32),
                boxes: searches[k].boxes + boxes.div_ceil(parts),
                ..budget
            };
            progress.report("bounds", (searches.len() - parts) as f64 / searches.len() as f64);
            searches[k].advance(part, progress);
        }
        if open.is_empty() {
            return;
        }
    }
}

/// The upper end of an enclosure; infinite if it is NaN.
fn upper_bound(enclosure: &Enclosure) -> f64 {
    if enclosure.range.hi().is_nan() { f64::INFINITY } else { enclosure.range.hi() }
}

/// The parts of a box, each with the bound of the box; none if it cannot be split.
fn split(o: &dyn Objective, parent: &OpenBox) -> Option<Vec<(Vec<Interval>, f64)>> {
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
