//! Quotients of polynomials, by control points.
//!
//! Where numerator and denominator have the same degrees, N/D is a mean of the quotients of their control points, by weights
//! that are positive where those of D are: so it lies between the least and the greatest of them (Narkawicz et al. 2012).
//! √(A B) is concave, hence at least the mean of √(Aₖ Bₖ): |N|/√(A B) is at most the greatest |Nₖ|/√(Aₖ Bₖ).

use super::polynomial::{Polynomial, parts};
use super::{Enclosure, Objective};
use armdyn_core::Interval;

/// (N + offset) / D, or / √(A B), or / 1.
#[derive(Clone, Debug)]
pub struct Quotient {
    over: Polynomial,
    offset: f64,
    under: Vec<Polynomial>,
}

impl Quotient {
    /// Of polynomials of the same degrees, of which at most two are below; none if they are not.
    pub fn new(over: Polynomial, under: Vec<Polynomial>, offset: f64) -> Option<Self> {
        (under.len() <= 2 && under.iter().all(|u| u.matches(&over))).then(|| {
            // What only rounding put there goes.
            let least = 1e-12 * over.size();
            Quotient { over, offset, under }.shortened(least)
        })
    }

    /// Where nothing is below: without harmonics that count for less than `slack` in all, which is then part of the error.
    pub fn shortened(mut self, slack: f64) -> Self {
        if self.under.is_empty() {
            self.over = self.over.shortened(slack);
        }
        self
    }
}

impl Objective for Quotient {
    fn value(&self, q: &[f64]) -> f64 {
        let under: f64 = self.under.iter().map(|u| u.value(q)).product();
        (self.over.value(q) + self.offset) / if self.under.len() == 2 { under.sqrt() } else { under }
    }

    fn depends(&self, dof: usize) -> bool {
        self.over.depends(dof)
    }

    fn turns(&self, dof: usize) -> bool {
        self.over.turns(dof) && self.under.iter().all(|u| u.turns(dof))
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        if let Some(wide) = self.over.too_wide(q) {
            return Enclosure { range: Interval::ENTIRE, split: Some((wide, parts(q[wide]))) };
        }
        let (over, under) = (self.over.net(q), self.under.iter().map(|u| u.net(q)).collect::<Vec<_>>());
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut values = over.points.clone();
        for (k, value) in values.iter_mut().enumerate() {
            // The least and the greatest denominator.
            let [least, most] = [-1.0, 1.0].map(|sign| match &under[..] {
                [] => 1.0,
                [d] => d.points[k] + sign * d.error,
                [a, b, ..] => {
                    ((a.points[k] + sign * a.error).max(0.0) * (b.points[k] + sign * b.error).max(0.0)).sqrt()
                }
            });
            if least <= 0.0 {
                return Enclosure { range: Interval::ENTIRE, split: None };
            }
            if under.len() == 2 {
                // Of √(A B) there is no upper bound: a quotient below zero may be as near to it as can be.
                (low, high) = (low.min(0.0), high.max(0.0));
            }
            let (up, down) = (*value + self.offset + over.error, *value + self.offset - over.error);
            low = low.min(if down < 0.0 { down / least } else { down / most });
            high = high.max(if up > 0.0 { up / least } else { up / most });
            *value = (*value + self.offset) / least;
        }
        // Four roundings of either end, and those of the sum with an offset that may cancel.
        let least = under.iter().fold(1.0, |m: f64, u| m.min(u.points.iter().fold(f64::INFINITY, |m, x| m.min(*x))));
        let rounding = 8.0 * f64::EPSILON * (low.abs().max(high.abs()) + self.offset.abs() / least);
        let range = Interval::new((low - rounding).next_down(), (high + rounding).next_up());
        let split = self.over.steepest(&values).map(|dof| (dof, 2));
        Enclosure { range: range.unwrap_or(Interval::ENTIRE), split }
    }
}
