//! What the error of a simplified equation can't exceed.
//!
//! What is left of an equation, ρ = Σ (bₖ − aₖ) φₖ, and the exact value f = Σ aₖ φₖ are polynomials in sines, cosines and
//! lengths of the same degrees. In the Bernstein basis of a box both are weighted means of control points with the same
//! weights: |ρ| ≤ ε f where ±ρₖ − ε fₖ ≤ 0, and branch and bound splits boxes until that is so in each. Unlike the bound of
//! |ρ|/f this needs no fₖ above zero: it is of use where f is far smaller in some places than in others. Of an
//! error in a unit of its own the largest |ρₖ| is a bound. A torque's ρ is one such polynomial for each product of speeds or
//! acceleration, and the sum of their largest values is a bound.

use super::case::Case;
use super::deadline::Deadline;
use super::terms::{Atom, Basis, Motion, Term};
use super::{Relative, SimplifyOptions};
use armdyn_core::{Interval, Real};
use armdyn_numerics::JointRanges;
use armdyn_numerics::bound::{Budget, Polynomial, Quotient, Tolerance, maximise};
use armdyn_numerics::objective::{Enclosure, Negative, Objective};
use armdyn_numerics::search::{SearchOptions, search};
use armdyn_symbolic::Degree;
use std::collections::BTreeMap;

/// How near a bound is to come to the worst error found, of it: nearer where that is what it takes.
const CLOSE: f64 = 0.01;
const CLOSEST: f64 = 1e-4;
/// The same for each part of a sum of many, which is a rough bound by itself.
const ROUGH: f64 = 0.05;
/// What the rounding of coefficients may add to an error.
const ROUNDING: f64 = 1e-11;

/// How much more than the proof of the error that was asked for one of a closer bound may cost, in boxes.
const MORE: usize = 4;

/// A bound of the error over the box, infinite if none was proven, and where it was seen to be largest.
pub(super) struct Proof {
    pub bound: f64,
    pub at: Option<Vec<f64>>,
}

/// The bound of an error over a box.
///
/// `worst` is the largest error found.
pub(super) fn bound(
    case: &Case,
    b: &[f64],
    worst: f64,
    region: &JointRanges,
    options: &SimplifyOptions,
    deadline: Deadline,
) -> Proof {
    let n = region.intervals().len();
    let whole: Vec<(Term, f64)> = case.terms.iter().cloned().zip(case.exact.iter().copied()).collect();
    let how = SearchOptions { points: 1024, climbs: 8, seed: options.seed };
    if case.relative == Relative::Value {
        let left: Vec<(Term, f64)> = whole.iter().zip(b).map(|((t, a), b)| (t.clone(), b - a)).collect();
        let error = RelativeError::new(n, region, &left, &whole, how);
        return error.proof(worst, region, options.error, how, deadline);
    }
    let mut motions: BTreeMap<Motion, Vec<(Term, f64)>> = BTreeMap::new();
    for ((t, a), b) in whole.iter().zip(b).filter(|((_, a), b)| a != *b) {
        motions.entry(t.motion).or_default().push((Term { motion: Motion::Rest, ..t.clone() }, b - a));
    }
    let mut sum = Proof { bound: 0.0, at: None };
    let (count, only) = (motions.len(), motions.len() == 1);
    let relative = if only { closeness(worst, options.error) } else { ROUGH };
    for (k, (motion, left)) in motions.into_iter().enumerate() {
        let budget = Budget { time: Some(deadline.part(count - k).left()), search: how, ..Budget::default() };
        let error = AbsoluteError::new(n, region, &left, case.relative.to(1.0));
        let found = maximise(&error, region, Tolerance { relative, absolute: 1e-9 }, budget, deadline.progress);
        let size = |i: usize| case.ranges[i].lo().abs().max(case.ranges[i].hi().abs());
        let most = match motion {
            Motion::Rest => 1.0,
            Motion::Acceleration(j) => size(2 * n + j),
            Motion::Speeds(j, k) => size(n + j) * size(n + k),
        };
        sum.bound = (sum.bound + (found.bound * most).next_up()).next_up();
        if only && motion == Motion::Rest {
            sum.at = Some([found.at, vec![0.0; 2 * n]].concat());
        }
    }
    sum.bound += ROUNDING;
    sum
}

/// How near a bound is to come to the worst error found.
fn closeness(worst: f64, allowed: f64) -> f64 {
    (0.5 * (allowed - worst) / worst).clamp(CLOSEST, CLOSE)
}

/// Terms with coefficients.
struct Weighted {
    basis: Basis,
    coefficients: Vec<f64>,
}

impl Weighted {
    fn new(n: usize, terms: &[(Term, f64)]) -> Self {
        let basis = Basis::new(n, terms.iter().map(|t| &t.0));
        Weighted { basis, coefficients: terms.iter().map(|t| t.1).collect() }
    }

    fn value<T: Real>(&self, q: &[T]) -> T {
        let values = self.basis.values(q);
        values.iter().zip(&self.coefficients).fold(T::zero(), |sum, (v, c)| sum + *v * T::lift(*c))
    }
}

/// |ρ| / f.
struct RelativeError {
    left: Weighted,
    under: Weighted,
    degrees: Option<Vec<Degree>>,
    /// The least f that was found.
    least: f64,
}

impl RelativeError {
    fn new(n: usize, region: &JointRanges, left: &[(Term, f64)], under: &[(Term, f64)], how: SearchOptions) -> Self {
        let degrees = degrees(n, left.iter().chain(under).map(|t| &t.0));
        let (left, under) = (Weighted::new(n, left), Weighted::new(n, under));
        let least = -search(&Negative(&under), region, how).0;
        RelativeError { left, under, degrees, least }
    }

    /// First of what was asked for, then of what is nearer to the worst that was found, if that costs little more.
    fn proof(&self, worst: f64, region: &JointRanges, asked: f64, how: SearchOptions, deadline: Deadline) -> Proof {
        let budget = Budget { search: how, ..Budget::default() };
        let first = self.within(asked - ROUNDING, worst, region, budget, deadline);
        if !first.proven {
            return Proof {
                bound: f64::INFINITY,
                at: first.at.map(|q| [q, vec![0.0; 2 * region.intervals().len()]].concat()),
            };
        }
        let closer = worst * (1.0 + closeness(worst, asked));
        let budget = Budget { boxes: MORE * first.boxes + 1000, ..budget };
        let bound = if self.within(closer, worst, region, budget, deadline).proven { closer + ROUNDING } else { asked };
        Proof { bound, at: None }
    }

    /// Whether |ρ| is within a share of f, over the region.
    fn within(&self, share: f64, worst: f64, region: &JointRanges, budget: Budget, deadline: Deadline) -> Within {
        let none = Tolerance { relative: 0.0, absolute: 0.0 };
        let mut all = Within { proven: true, boxes: 0, at: None };
        for (sign, rest) in [(1.0, 2), (-1.0, 1)] {
            let above = Above::new(self, sign, share, worst, region);
            let budget = Budget { time: Some(deadline.part(rest).left()), ..budget };
            let found = maximise(&above, region, none, budget, deadline.progress);
            all.boxes += found.boxes;
            if found.bound > 0.0 {
                return Within { proven: false, at: Some(found.at).filter(|_| found.best > 0.0), ..all };
            }
        }
        all
    }
}

/// Whether a share holds, what it cost to see, and if not a pose that is beyond it, if one was found.
struct Within {
    proven: bool,
    boxes: usize,
    at: Option<Vec<f64>>,
}

/// What of ±ρ is above a share of f; 0 where nothing is.
struct Above<'a> {
    error: &'a RelativeError,
    sign: f64,
    share: f64,
    /// ±ρ − share f by control points, where the degrees allow.
    difference: Option<Quotient>,
}

impl<'a> Above<'a> {
    /// A tenth of what is left between the share and the worst error may go for speed.
    fn new(error: &'a RelativeError, sign: f64, share: f64, worst: f64, region: &JointRanges) -> Self {
        let mut above = Above { error, sign, share, difference: None };
        let slack = 0.1 * (share - worst).max(0.0) * error.least.max(0.0);
        let polynomial = error.degrees.as_ref().and_then(|d| Polynomial::new(d, region, |q| above.signed(q)));
        above.difference = polynomial.and_then(|p| Quotient::new(p, vec![], 0.0)).map(|q| q.truncated(slack));
        above
    }

    fn signed<T: Real>(&self, q: &[T]) -> T {
        self.error.left.value(q) * T::lift(self.sign) - self.error.under.value(q) * T::lift(self.share)
    }
}

impl Objective for Above<'_> {
    fn value(&self, q: &[f64]) -> f64 {
        self.signed(q).max(0.0)
    }

    fn depends(&self, dof: usize) -> bool {
        self.difference.as_ref().is_none_or(|d| d.depends(dof))
    }

    fn is_periodic(&self, dof: usize) -> bool {
        self.difference.as_ref().is_some_and(|d| d.is_periodic(dof))
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        let found = match &self.difference {
            Some(difference) => difference.enclose(q),
            None => Enclosure { range: self.signed(q), split: None },
        };
        let most = Interval::new(0.0, found.range.hi().max(0.0)).unwrap_or(Interval::ENTIRE);
        Enclosure { range: most, ..found }
    }
}

/// |ρ| in a unit.
struct AbsoluteError {
    left: Weighted,
    unit: f64,
    /// By control points, where the degrees allow.
    quotient: Option<Quotient>,
}

impl AbsoluteError {
    fn new(n: usize, region: &JointRanges, left: &[(Term, f64)], unit: f64) -> Self {
        let degrees = degrees(n, left.iter().map(|t| &t.0));
        let left = Weighted::new(n, left);
        let over = degrees.and_then(|degrees| Polynomial::new(&degrees, region, |q| left.value(q)));
        let quotient = over.and_then(|over| Quotient::new(over, vec![], 0.0));
        AbsoluteError { left, unit, quotient }
    }
}

/// How some terms depend on each coordinate; nothing if by its sine and by itself.
fn degrees<'a>(n: usize, terms: impl Iterator<Item = &'a Term>) -> Option<Vec<Degree>> {
    let mut all = vec![Degree::Angle(0); n];
    for t in terms {
        let mut own = vec![Degree::Angle(0); n];
        for (atom, power) in &t.powers {
            let power = usize::from(*power);
            let mut raise = |i: usize, by: Degree| {
                own[i] = own[i].times(by)?;
                Some(())
            };
            match atom {
                Atom::Length(i) => raise(*i, Degree::Length(power))?,
                Atom::Sin(a) | Atom::Cos(a) => {
                    for (joint, times) in a.parts() {
                        raise(joint, Degree::Angle(power * times.unsigned_abs() as usize))?;
                    }
                }
            }
        }
        for (whole, own) in all.iter_mut().zip(own) {
            *whole = whole.join(own)?;
        }
    }
    Some(all)
}

impl Objective for Weighted {
    fn value(&self, q: &[f64]) -> f64 {
        Weighted::value(self, q)
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        Enclosure { range: Weighted::value(self, q), split: None }
    }
}

impl Objective for AbsoluteError {
    fn value(&self, q: &[f64]) -> f64 {
        self.left.value(q).abs() / self.unit
    }

    fn is_periodic(&self, dof: usize) -> bool {
        self.quotient.as_ref().is_some_and(|q| q.is_periodic(dof))
    }

    fn depends(&self, dof: usize) -> bool {
        self.quotient.as_ref().is_none_or(|q| q.depends(dof))
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        let found = match &self.quotient {
            Some(quotient) => quotient.enclose(q),
            None => Enclosure { range: self.left.value(q), split: None },
        };
        let most = found.range.lo().abs().max(found.range.hi().abs()) / self.unit;
        let most = if self.unit > 0.0 { (most * (1.0 + f64::EPSILON)).next_up() } else { f64::INFINITY };
        Enclosure { range: Interval::new(0.0, most).unwrap_or(Interval::ENTIRE), split: found.split }
    }
}
