//! Guaranteed bounds of the error of a simplified equation.
//!
//! The residual ρ = Σ (bₖ − aₖ) φₖ and the exact value f = Σ aₖ φₖ are polynomials in sines, cosines and lengths of the same
//! degrees. In the Bernstein basis of a box both are weighted means of control points with the same weights: |ρ| ≤ ε f where
//! ±ρₖ − ε fₖ ≤ 0, and branch and bound splits boxes until that holds. Unlike a bound of |ρ|/f it needs no fₖ above zero, which
//! helps where f varies strongly. An absolute error is bounded by the maximum of |ρₖ|. The ρ of a torque is such a polynomial
//! for each product of speeds or acceleration; the sum of their bounds is a bound.

use super::deadline::Deadline;
use super::problem::Problem;
use super::terms::{Atom, Basis, Motion, Powers, Term};
use super::{ErrorReference, SimplifyOptions};
use armdyn_core::{Interval, Real};
use armdyn_numerics::bound::{self, Budget, Quotient, maximise};
use armdyn_numerics::objective::{Enclosure, Objective, magnitude, negative, positive_part};
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
const COEFFICIENT_ROUNDING: f64 = 1e-11;

/// Ends at any positive value, where nothing is to be guaranteed, and else at the bound 0.
const SIGN: Tolerance = Tolerance { relative: f64::MAX, absolute: 0.0 };

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
    let how = SearchOptions { points: 1024, climbs: 8, seed: options.seed };
    let at_rest = |q: Vec<f64>| [q, vec![0.0; 2 * n]].concat();
    if problem.reference == ErrorReference::Value {
        let value = Polynomial::new(ranges, problem.terms.iter().zip(&problem.exact));
        let minimum = -search(&negative(&value), ranges, how).0;
        let error = RelativeError { problem, b, ranges, maximum, minimum, deadline };
        return error.bound(options.error, Budget { search: how, ..Budget::default() }, at_rest);
    }
    let mut motions: BTreeMap<Motion, Vec<(Term, f64)>> = BTreeMap::new();
    let unit = problem.reference.at(1.0);
    for ((t, a), b) in problem.terms.iter().zip(&problem.exact).zip(b).filter(|((_, a), b)| a != b) {
        motions.entry(t.motion).or_default().push((Term { motion: Motion::Rest, ..t.clone() }, (b - a) / unit));
    }
    let mut sum = ErrorBound { bound: 0.0, at: None };
    let (count, only) = (motions.len(), motions.len() == 1);
    let relative = if only { gap(maximum, options.error) } else { SUM_GAP };
    for (k, (motion, left)) in motions.into_iter().enumerate() {
        let budget = Budget { time: Some(deadline.part(count - k).left()), search: how, ..Budget::default() };
        let error = Polynomial::new(ranges, left.iter().map(|(t, x)| (t, x))).bounded(ranges, 0.0);
        let tolerance = Tolerance { relative, absolute: 1e-9 };
        let found = maximise(&magnitude(&error), ranges, tolerance, budget, deadline.progress);
        let size = |i: usize| problem.ranges[i].lo().abs().max(problem.ranges[i].hi().abs());
        let most = match motion {
            Motion::Rest => 1.0,
            Motion::Acceleration(j) => size(2 * n + j),
            Motion::Speeds(j, k) => size(n + j) * size(n + k),
        };
        sum.bound = (sum.bound + (found.bound * most).next_up()).next_up();
        sum.at = Some(found.at).filter(|_| only && motion == Motion::Rest).map(at_rest);
    }
    sum.bound += COEFFICIENT_ROUNDING;
    sum
}

/// Whether the value is guaranteed to be too small by no more than the shortfall.
pub(super) fn within_shortfall(
    problem: &Problem,
    b: &[f64],
    ranges: &JointRanges,
    options: &SimplifyOptions,
    deadline: Deadline,
) -> bool {
    if problem.shortfall.is_infinite() {
        return true;
    }
    let size: f64 = problem.exact.iter().map(|a| a.abs()).sum();
    let constant = Term { coefficient: 0.0, powers: Powers::new(), motion: Motion::Rest };
    let allowed = COEFFICIENT_ROUNDING * size - problem.shortfall;
    let missing: Vec<f64> = problem.exact.iter().zip(b).map(|(a, b)| a - b).collect();
    let terms = problem.terms.iter().zip(&missing).chain([(&constant, &allowed)]);
    let excess = Polynomial::new(ranges, terms).bounded(ranges, 0.0);
    let search = SearchOptions { points: 1024, climbs: 8, seed: options.seed };
    let budget = Budget { time: Some(deadline.left()), search, ..Budget::default() };
    maximise(&positive_part(&excess), ranges, SIGN, budget, deadline.progress).bound <= 0.0
}

/// Relative gap between the bound and the maximum error found.
fn gap(maximum: f64, allowed: f64) -> f64 {
    (0.5 * (allowed - maximum) / maximum).clamp(MIN_GAP, GAP)
}

/// |ρ| / f.
struct RelativeError<'a> {
    problem: &'a Problem,
    b: &'a [f64],
    ranges: &'a JointRanges,
    /// The maximum error and the minimum of f that were found.
    maximum: f64,
    minimum: f64,
    deadline: Deadline<'a>,
}

impl RelativeError<'_> {
    /// First the requested bound, then a closer one if that costs little more.
    fn bound(&self, requested: f64, budget: Budget, at_rest: impl Fn(Vec<f64>) -> Vec<f64>) -> ErrorBound {
        let first = self.within(requested - COEFFICIENT_ROUNDING, budget);
        if !first.holds {
            return ErrorBound { bound: f64::INFINITY, at: first.at.map(at_rest) };
        }
        let closer = self.maximum * (1.0 + gap(self.maximum, requested));
        let budget = Budget { boxes: CLOSER_BOXES * first.boxes + 1000, ..budget };
        let bound = if self.within(closer, budget).holds { closer + COEFFICIENT_ROUNDING } else { requested };
        ErrorBound { bound, at: None }
    }

    /// Whether |ρ| ≤ fraction · f within the ranges: neither ±ρ − fraction · f is positive anywhere. A tenth of the margin
    /// between the fraction and the maximum error is spent on truncation.
    fn within(&self, fraction: f64, budget: Budget) -> Check {
        let slack = 0.1 * (fraction - self.maximum).max(0.0) * self.minimum.max(0.0);
        let mut all = Check { holds: true, boxes: 0, at: None };
        for (sign, rest) in [(1.0, 2), (-1.0, 1)] {
            let exact = self.problem.exact.iter().zip(self.b);
            let excess: Vec<f64> = exact.map(|(a, b)| sign * (b - a) - fraction * a).collect();
            let excess = Polynomial::new(self.ranges, self.problem.terms.iter().zip(&excess));
            let excess = excess.bounded(self.ranges, slack);
            let budget = Budget { time: Some(self.deadline.part(rest).left()), ..budget };
            let found = maximise(&positive_part(&excess), self.ranges, SIGN, budget, self.deadline.progress);
            all.boxes += found.boxes;
            if found.bound > 0.0 {
                return Check { holds: false, at: Some(found.at).filter(|_| found.best > 0.0), ..all };
            }
        }
        all
    }
}

/// Whether a bound holds, the number of boxes, and a violating configuration if one was found.
struct Check {
    holds: bool,
    boxes: usize,
    at: Option<Vec<f64>>,
}

/// Terms with coefficients.
struct Polynomial {
    basis: Basis,
    coefficients: Vec<f64>,
    degrees: Option<Vec<Degree>>,
    /// Bounds by control points, if requested and the degrees allow.
    quotient: Option<Quotient>,
}

impl Polynomial {
    fn new<'a>(ranges: &JointRanges, terms: impl Iterator<Item = (&'a Term, &'a f64)> + Clone) -> Self {
        let n = ranges.intervals().len();
        let (basis, degrees) = (Basis::new(n, terms.clone().map(|t| t.0)), degrees(n, terms.clone().map(|t| t.0)));
        Polynomial { basis, coefficients: terms.map(|t| *t.1).collect(), degrees, quotient: None }
    }

    /// With bounds by control points, wider by `slack` in exchange for speed.
    fn bounded(mut self, ranges: &JointRanges, slack: f64) -> Self {
        let degrees = self.degrees.as_ref();
        let polynomial = degrees.and_then(|d| bound::Polynomial::new(d, ranges, |q| self.evaluate(q)));
        self.quotient = polynomial.and_then(|p| Quotient::new(p, vec![], 0.0)).map(|q| q.truncated(slack));
        self
    }

    fn evaluate<T: Real>(&self, q: &[T]) -> T {
        let values = self.basis.values(q);
        values.iter().zip(&self.coefficients).fold(T::zero(), |sum, (v, c)| sum + *v * T::lift(*c))
    }
}

impl Objective for Polynomial {
    fn value(&self, q: &[f64]) -> f64 {
        self.evaluate(q)
    }

    fn depends(&self, dof: usize) -> bool {
        self.quotient.as_ref().is_none_or(|q| q.depends(dof))
    }

    fn is_periodic(&self, dof: usize) -> bool {
        self.quotient.as_ref().is_some_and(|q| q.is_periodic(dof))
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        match &self.quotient {
            Some(quotient) => quotient.enclose(q),
            None => Enclosure { range: self.evaluate(q), split: None },
        }
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
