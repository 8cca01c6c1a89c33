//! What the error of a simplified equation can't exceed.
//!
//! What is left of an equation, ρ = Σ (bₖ − aₖ) φₖ, and the exact value f = Σ aₖ φₖ are polynomials in sines, cosines and
//! lengths of the same degrees. In the Bernstein basis of a box both are weighted means of control points with the same
//! weights, so that |ρ|/f is at most the largest |ρₖ|/fₖ ([`Quotient`]), and branch and bound closes in on the worst. A torque's ρ is one such polynomial for each product of speeds or
//! acceleration, and the sum of their largest values is a bound.

use super::case::Case;
use super::terms::{Atom, Basis, Motion, Term};
use super::{Relative, SimplifyOptions};
use crate::bound::{Budget, Enclosure, Objective, Polynomial, Quotient, Tolerance, maximise};
use crate::measure::Degree;
use crate::search::Search;
use crate::{Region, Watch};
use armdyn::{Interval, Real};
use std::collections::BTreeMap;

/// How near a bound is to come to the worst error found, of it: nearer where that is what it takes.
const CLOSE: f64 = 0.01;
const CLOSEST: f64 = 1e-4;
/// The same for each part of a sum of many, which is a rough bound by itself.
const ROUGH: f64 = 0.05;
/// What the rounding of coefficients may add to an error.
const ROUNDING: f64 = 1e-11;

/// A bound of the error over the box, and where it was seen to be largest.
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
    region: &Region,
    options: &SimplifyOptions,
    watch: &Watch,
) -> Proof {
    let n = region.ranges().len();
    let mut motions: BTreeMap<Motion, Vec<usize>> = BTreeMap::new();
    for (k, t) in case.terms.iter().enumerate().filter(|(k, _)| b[*k] != case.exact[*k]) {
        motions.entry(t.motion).or_default().push(k);
    }
    let mut whole = Proof { bound: 0.0, at: None };
    let only = motions.len() == 1;
    let relative = if only { (0.5 * (options.error - worst) / worst).clamp(CLOSEST, CLOSE) } else { ROUGH };
    let budget = Budget {
        time: Some(options.budget / motions.len().max(1) as u32),
        search: Search { seed: options.seed, ..Search::default() },
        ..Budget::default()
    };
    for (motion, terms) in motions {
        let still = |k: &usize| Term { motion: Motion::Rest, ..case.terms[*k].clone() };
        let left: Vec<(Term, f64)> = terms.iter().map(|k| (still(k), b[*k] - case.exact[*k])).collect();
        let under = (case.relative == Relative::Value)
            .then(|| case.terms.iter().zip(&case.exact).map(|(t, a)| (t.clone(), *a)).collect::<Vec<_>>());
        let error = RelativeError::new(n, region, &left, under.as_deref(), case.relative.to(1.0));
        let found = maximise(&error, region, Tolerance { relative, absolute: 1e-9 }, budget, watch);
        let size = |i: usize| case.ranges[i].lo().abs().max(case.ranges[i].hi().abs());
        let most = match motion {
            Motion::Rest => 1.0,
            Motion::Acceleration(j) => size(2 * n + j),
            Motion::Speeds(j, k) => size(n + j) * size(n + k),
        };
        whole.bound = (whole.bound + (found.bound * most).next_up()).next_up();
        if only && motion == Motion::Rest {
            let still = vec![0.0; 2 * n];
            whole.at = Some([found.at, still].concat());
        }
    }
    whole.bound += ROUNDING;
    whole
}

/// |ρ| / f, or |ρ| in a unit.
struct RelativeError {
    left: Weighted,
    under: Option<Weighted>,
    unit: f64,
    /// By control points, where the degrees allow.
    quotient: Option<Quotient>,
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

impl RelativeError {
    fn new(n: usize, region: &Region, left: &[(Term, f64)], under: Option<&[(Term, f64)]>, unit: f64) -> Self {
        let degrees = degrees(n, left.iter().chain(under.unwrap_or_default()).map(|t| &t.0));
        let (left, under) = (Weighted::new(n, left), under.map(|u| Weighted::new(n, u)));
        let quotient = degrees.and_then(|degrees| {
            let one = |w: &Weighted| Polynomial::new(&degrees, region, |q| w.value(q));
            let below: Option<Vec<Polynomial>> = under.iter().map(one).collect();
            Quotient::new(one(&left)?, below?, 0.0)
        });
        RelativeError { left, under, unit, quotient }
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
                own[i] = match (own[i], by) {
                    (Degree::Angle(0), d) => d,
                    (Degree::Angle(a), Degree::Angle(b)) => Degree::Angle(a + b),
                    (Degree::Length(a), Degree::Length(b)) => Degree::Length(a + b),
                    _ => return None,
                };
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

impl Objective for RelativeError {
    fn value(&self, q: &[f64]) -> f64 {
        let under = self.under.as_ref().map_or(self.unit, |u| u.value(q));
        self.left.value(q).abs() / under
    }

    fn depends(&self, dof: usize) -> bool {
        self.quotient.as_ref().is_none_or(|q| q.depends(dof))
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        let (found, unit) = match &self.quotient {
            Some(quotient) => (quotient.enclose(q), if self.under.is_some() { 1.0 } else { self.unit }),
            None => {
                let under = self.under.as_ref().map_or(self.unit, |u| u.value(q).lo());
                (Enclosure { range: self.left.value(q), split: None }, under)
            }
        };
        let most = found.range.lo().abs().max(found.range.hi().abs()) / unit;
        let most = if unit > 0.0 { (most * (1.0 + f64::EPSILON)).next_up() } else { f64::INFINITY };
        Enclosure { range: Interval::new(0.0, most).unwrap_or(Interval::ENTIRE), split: found.split }
    }
}
