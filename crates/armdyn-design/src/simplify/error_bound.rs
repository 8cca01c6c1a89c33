//! Guaranteed bounds of the error of a simplified equation.
//!
//! The residual ρ = Σ (bₖ − aₖ) φₖ and the exact value f = Σ aₖ φₖ are polynomials in sines, cosines and lengths of the same
//! degrees. In the Bernstein basis of a box both are weighted means of control points with the same weights: |ρ| ≤ ε f where
//! ±ρₖ − ε fₖ ≤ 0, and branch and bound splits boxes until that holds. Unlike a bound of |ρ|/f it needs no fₖ above zero, which
//! helps where f varies strongly. An absolute error is bounded by the maximum of |ρₖ|. The ρ of a torque is such a polynomial
//! for each product of speeds or acceleration; the sum of their bounds is a bound.

use super::deadline::Deadline;
use super::problem::Problem;
use super::terms::{Atom, Basis, Motion, Term};
use super::{ErrorReference, SimplifyOptions};
use armdyn_core::{Interval, Real};
use armdyn_numerics::bound::{Budget, Polynomial, Quotient, maximise};
use armdyn_numerics::objective::{Enclosure, Objective, negative};
use armdyn_numerics::search::{SearchOptions, search};
use armdyn_numerics::{JointRanges, Tolerance};
use armdyn_symbolic::Degree;
use std::collections::BTreeMap;

/// Relative gap between the bound and the maximum error found; smaller where needed, down to the minimum.
const GAP: f64 = 0.01;
const MIN_GAP: f64 = 1e-4;
/// Relative gap of each bound in a sum.
const SUM_GAP: f64 = 0.05;
/// Error due to the rounding of coefficients.
const ROUNDING: f64 = 1e-11;

/// Boxes of a closer bound, relative to those of the requested one.
const CLOSER_BOXES: usize = 4;

/// A bound of the error within joint ranges, infinite if none was found, and the state of the maximum error found.
pub(super) struct ErrorBound {
    pub bound: f64,
    pub at: Option<Vec<f64>>,
}

/// Computes a bound of the error; `maximum` is the maximum error found.
pub(super) fn error_bound(
    problem: &Problem,
    b: &[f64],
    maximum: f64,
    ranges: &JointRanges,
    options: &SimplifyOptions,
    deadline: Deadline,
) -> ErrorBound {
    let n = ranges.intervals().len();
    let exact: Vec<(Term, f64)> = problem.terms.iter().cloned().zip(problem.exact.iter().copied()).collect();
    let how = SearchOptions { points: 1024, climbs: 8, seed: options.seed };
    if problem.reference == ErrorReference::Value {
        let left: Vec<(Term, f64)> = exact.iter().zip(b).map(|((t, a), b)| (t.clone(), b - a)).collect();
        let error = RelativeError::new(n, ranges, &left, &exact, how);
        return error.bound(maximum, ranges, options.error, how, deadline);
    }
    let mut motions: BTreeMap<Motion, Vec<(Term, f64)>> = BTreeMap::new();
    for ((t, a), b) in exact.iter().zip(b).filter(|((_, a), b)| a != *b) {
        motions.entry(t.motion).or_default().push((Term { motion: Motion::Rest, ..t.clone() }, b - a));
    }
    let mut sum = ErrorBound { bound: 0.0, at: None };
    let (count, only) = (motions.len(), motions.len() == 1);
    let relative = if only { gap(maximum, options.error) } else { SUM_GAP };
    for (k, (motion, left)) in motions.into_iter().enumerate() {
        let budget = Budget { time: Some(deadline.part(count - k).left()), search: how, ..Budget::default() };
        let error = AbsoluteError::new(n, ranges, &left, problem.reference.at(1.0));
        let found = maximise(&error, ranges, Tolerance { relative, absolute: 1e-9 }, budget, deadline.progress);
        let size = |i: usize| problem.ranges[i].lo().abs().max(problem.ranges[i].hi().abs());
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

/// Relative gap between the bound and the maximum error found.
fn gap(maximum: f64, allowed: f64) -> f64 {
    (0.5 * (allowed - maximum) / maximum).clamp(MIN_GAP, GAP)
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
    /// The minimum of f that was found.
    minimum: f64,
}

impl RelativeError {
    fn new(n: usize, ranges: &JointRanges, left: &[(Term, f64)], under: &[(Term, f64)], how: SearchOptions) -> Self {
        let degrees = degrees(n, left.iter().chain(under).map(|t| &t.0));
        let (left, under) = (Weighted::new(n, left), Weighted::new(n, under));
        let minimum = -search(&negative(&under), ranges, how).0;
        RelativeError { left, under, degrees, minimum }
    }

    /// First the requested bound, then a closer one if that costs little more.
    fn bound(
        &self,
        maximum: f64,
        ranges: &JointRanges,
        requested: f64,
        how: SearchOptions,
        deadline: Deadline,
    ) -> ErrorBound {
        let budget = Budget { search: how, ..Budget::default() };
        let first = self.within(requested - ROUNDING, maximum, ranges, budget, deadline);
        if !first.holds {
            return ErrorBound {
                bound: f64::INFINITY,
                at: first.at.map(|q| [q, vec![0.0; 2 * ranges.intervals().len()]].concat()),
            };
        }
        let closer = maximum * (1.0 + gap(maximum, requested));
        let budget = Budget { boxes: CLOSER_BOXES * first.boxes + 1000, ..budget };
        let bound =
            if self.within(closer, maximum, ranges, budget, deadline).holds { closer + ROUNDING } else { requested };
        ErrorBound { bound, at: None }
    }

    /// Whether |ρ| ≤ fraction · f within the ranges.
    fn within(&self, fraction: f64, maximum: f64, ranges: &JointRanges, budget: Budget, deadline: Deadline) -> Check {
        let none = Tolerance { relative: 0.0, absolute: 0.0 };
        let mut all = Check { holds: true, boxes: 0, at: None };
        for (sign, rest) in [(1.0, 2), (-1.0, 1)] {
            let excess = Excess::new(self, sign, fraction, maximum, ranges);
            let budget = Budget { time: Some(deadline.part(rest).left()), ..budget };
            let found = maximise(&excess, ranges, none, budget, deadline.progress);
            all.boxes += found.boxes;
            if found.bound > 0.0 {
                return Check { holds: false, at: Some(found.at).filter(|_| found.best > 0.0), ..all };
            }
        }
        all
    }
}

/// Whether a bound holds, the number of boxes, and a violating pose if one was found.
struct Check {
    holds: bool,
    boxes: usize,
    at: Option<Vec<f64>>,
}

/// max(±ρ − fraction · f, 0).
struct Excess<'a> {
    error: &'a RelativeError,
    sign: f64,
    fraction: f64,
    /// ±ρ − fraction · f by control points, if the degrees allow.
    difference: Option<Quotient>,
}

impl<'a> Excess<'a> {
    /// A tenth of the margin between the fraction and the maximum error is spent on truncation.
    fn new(error: &'a RelativeError, sign: f64, fraction: f64, maximum: f64, ranges: &JointRanges) -> Self {
        let mut excess = Excess { error, sign, fraction, difference: None };
        let slack = 0.1 * (fraction - maximum).max(0.0) * error.minimum.max(0.0);
        let polynomial = error.degrees.as_ref().and_then(|d| Polynomial::new(d, ranges, |q| excess.signed(q)));
        excess.difference = polynomial.and_then(|p| Quotient::new(p, vec![], 0.0)).map(|q| q.truncated(slack));
        excess
    }

    fn signed<T: Real>(&self, q: &[T]) -> T {
        self.error.left.value(q) * T::lift(self.sign) - self.error.under.value(q) * T::lift(self.fraction)
    }
}

impl Objective for Excess<'_> {
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

/// |ρ| / unit.
struct AbsoluteError {
    left: Weighted,
    unit: f64,
    /// By control points, if the degrees allow.
    quotient: Option<Quotient>,
}

impl AbsoluteError {
    fn new(n: usize, ranges: &JointRanges, left: &[(Term, f64)], unit: f64) -> Self {
        let degrees = degrees(n, left.iter().map(|t| &t.0));
        let left = Weighted::new(n, left);
        let over = degrees.and_then(|degrees| Polynomial::new(&degrees, ranges, |q| left.value(q)));
        let quotient = over.and_then(|over| Quotient::new(over, vec![], 0.0));
        AbsoluteError { left, unit, quotient }
    }
}

/// Degrees of terms in each coordinate; `None` if a coordinate is both an angle and a length.
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
