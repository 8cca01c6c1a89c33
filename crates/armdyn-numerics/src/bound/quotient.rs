//! Bounds of quotients of polynomials by control points.
//!
//! For numerator and denominator of the same degrees, N/D is a weighted mean of the quotients of their control points, with
//! positive weights where the control points of D are positive, and lies between their minimum and maximum (Narkawicz et
//! al. 2012). √(A B) is concave, hence at least the mean of √(Aₖ Bₖ): |N|/√(A B) ≤ max |Nₖ|/√(Aₖ Bₖ).

use super::polynomial::{Polynomial, parts};
use crate::objective::{Enclosure, Objective};
use armdyn_core::Interval;

/// (N + offset) / D, or / √(A B), or / 1.
#[derive(Clone, Debug)]
pub struct Quotient {
    numerator: Polynomial,
    offset: f64,
    denominators: Vec<Polynomial>,
}

impl Quotient {
    /// A quotient with at most two denominators, all of the same degrees; none otherwise.
    pub fn new(numerator: Polynomial, denominators: Vec<Polynomial>, offset: f64) -> Option<Self> {
        (denominators.len() <= 2 && denominators.iter().all(|d| d.matches(&numerator))).then(|| {
            // Removes coefficients that are rounding errors.
            let rounding = 1e-12 * numerator.size();
            Quotient { numerator, offset, denominators }.truncated(rounding)
        })
    }

    /// Without a denominator: drops harmonics that sum to less than `slack`, which is added to the error.
    #[must_use]
    pub fn truncated(mut self, slack: f64) -> Self {
        if self.denominators.is_empty() {
            self.numerator = self.numerator.truncated(slack);
        }
        self
    }
}

impl Objective for Quotient {
    fn value(&self, q: &[f64]) -> f64 {
        let product: f64 = self.denominators.iter().map(|d| d.value(q)).product();
        (self.numerator.value(q) + self.offset) / if self.denominators.len() == 2 { product.sqrt() } else { product }
    }

    fn depends(&self, dof: usize) -> bool {
        self.numerator.depends(dof)
    }

    fn is_periodic(&self, dof: usize) -> bool {
        self.numerator.is_periodic(dof) && self.denominators.iter().all(|d| d.is_periodic(dof))
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        if let Some(wide) = self.numerator.too_wide(q) {
            return Enclosure { range: Interval::ENTIRE, split: Some((wide, parts(q[wide]))) };
        }
        let over = self.numerator.control_points(q);
        let under: Vec<_> = self.denominators.iter().map(|d| d.control_points(q)).collect();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut values = over.points.clone();
        for (k, value) in values.iter_mut().enumerate() {
            // The smallest and the largest denominator.
            let [smallest, largest] = [-1.0, 1.0].map(|sign| match &under[..] {
                [] => 1.0,
                [d] => d.points[k] + sign * d.error,
                [a, b, ..] => {
                    ((a.points[k] + sign * a.error).max(0.0) * (b.points[k] + sign * b.error).max(0.0)).sqrt()
                }
            });
            if smallest <= 0.0 {
                return Enclosure { range: Interval::ENTIRE, split: None };
            }
            if under.len() == 2 {
                // √(A B) has no upper bound here: a quotient may come arbitrarily close to zero.
                (low, high) = (low.min(0.0), high.max(0.0));
            }
            let (up, down) = (*value + self.offset + over.error, *value + self.offset - over.error);
            low = low.min(if down < 0.0 { down / smallest } else { down / largest });
            high = high.max(if up > 0.0 { up / smallest } else { up / largest });
            *value = (*value + self.offset) / smallest;
        }
        // Four roundings of either end, and those of the sum with an offset that may cancel.
        let smallest = under.iter().fold(1.0, |m: f64, u| m.min(u.points.iter().fold(f64::INFINITY, |m, x| m.min(*x))));
        let rounding = 8.0 * f64::EPSILON * (low.abs().max(high.abs()) + self.offset.abs() / smallest);
        let range = Interval::new((low - rounding).next_down(), (high + rounding).next_up());
        let split = self.numerator.steepest(&values).map(|dof| (dof, 2));
        Enclosure { range: range.unwrap_or(Interval::ENTIRE), split }
    }
}
