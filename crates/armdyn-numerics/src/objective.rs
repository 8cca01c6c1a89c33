//! Objectives: scalar functions of the configuration, with values, gradients and guaranteed enclosures.

use armdyn_core::Interval;
use armdyn_symbolic::Tape;

/// A scalar function of the configuration that is maximised or minimised.
pub trait Objective: Sync {
    /// The value.
    fn value(&self, q: &[f64]) -> f64;

    /// The value and its partial derivatives, for the search; central differences by default.
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

    /// Whether the value depends on a coordinate. Other coordinates are never split.
    fn depends(&self, dof: usize) -> bool {
        let _ = dof;
        true
    }

    /// Whether the value has period 2π in a coordinate. Wider ranges are then reduced to one period.
    fn is_periodic(&self, dof: usize) -> bool {
        let _ = dof;
        false
    }

    /// Guaranteed bounds of all values over a box.
    fn enclose(&self, q: &[Interval]) -> Enclosure;
}

/// Guaranteed bounds over a box.
#[derive(Clone, Copy, Debug)]
pub struct Enclosure {
    /// Contains every value over the box.
    pub range: Interval,
    /// The coordinate to split and the number of parts; none: the widest, in two.
    pub split: Option<(usize, usize)>,
}

/// The negative of an objective.
pub struct Negative<'a>(pub &'a dyn Objective);

impl Objective for Negative<'_> {
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

    fn is_periodic(&self, dof: usize) -> bool {
        self.0.is_periodic(dof)
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        let enclosure = self.0.enclose(q);
        Enclosure { range: -enclosure.range, ..enclosure }
    }
}

/// The absolute value of an objective.
pub struct Magnitude<'a, O>(pub &'a O);

impl<O: Objective> Objective for Magnitude<'_, O> {
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

    fn is_periodic(&self, dof: usize) -> bool {
        self.0.is_periodic(dof)
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        let enclosure = self.0.enclose(q);
        let (a, b) = (enclosure.range.lo(), enclosure.range.hi());
        let minimum = if a <= 0.0 && b >= 0.0 { 0.0 } else { a.abs().min(b.abs()) };
        Enclosure { range: Interval::new(minimum, a.abs().max(b.abs())).unwrap_or(Interval::ENTIRE), ..enclosure }
    }
}

/// A tape is bounded by its natural interval extension.
impl Objective for Tape {
    fn value(&self, q: &[f64]) -> f64 {
        Tape::value(self, q)
    }

    fn gradient(&self, q: &[f64]) -> (f64, Vec<f64>) {
        Tape::gradient(self, q)
    }

    fn depends(&self, dof: usize) -> bool {
        Tape::depends(self, dof)
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        Enclosure { range: Tape::value(self, q), split: None }
    }
}
