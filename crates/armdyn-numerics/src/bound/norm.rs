//! Bound of the norm of a vector of polynomials by control points: the norm is convex, hence at most that of the longest one.

use super::polynomial::{Polynomial, parts};
use crate::objective::{Enclosure, Objective};
use armdyn_core::Interval;

/// √(Σ Pₖ²); its lower bound is 0.
#[derive(Clone, Debug)]
pub struct Norm(Vec<Polynomial>);

impl Norm {
    /// The norm of polynomials of the same degrees; none if their degrees differ or there are none.
    pub fn new(components: Vec<Polynomial>) -> Option<Self> {
        let first = components.first()?;
        components.iter().all(|p| p.matches(first)).then_some(Norm(components))
    }
}

impl Objective for Norm {
    fn value(&self, q: &[f64]) -> f64 {
        self.0.iter().map(|p| p.value(q).powi(2)).sum::<f64>().sqrt()
    }

    fn depends(&self, dof: usize) -> bool {
        self.0[0].depends(dof)
    }

    fn is_periodic(&self, dof: usize) -> bool {
        self.0[0].is_periodic(dof)
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        if let Some(wide) = self.0[0].too_wide(q) {
            return Enclosure { range: Interval::ENTIRE, split: Some((wide, parts(q[wide]))) };
        }
        let nets: Vec<_> = self.0.iter().map(|p| p.control_points(q)).collect();
        let length = |k: usize| nets.iter().map(|n| (n.points[k].abs() + n.error).powi(2)).sum::<f64>().sqrt();
        let lengths: Vec<f64> = (0..nets[0].points.len()).map(length).collect();
        let longest = lengths.iter().fold(0.0, |m: f64, x| m.max(*x)) * (1.0 + 8.0 * f64::EPSILON);
        let range = Interval::new(0.0, longest.next_up()).unwrap_or(Interval::ENTIRE);
        Enclosure { range, split: self.0[0].steepest(&lengths).map(|dof| (dof, 2)) }
    }
}
