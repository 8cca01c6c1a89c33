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
            if !self.depends(i) {
                return 0.0;
            }
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

/// A function of the value of another objective: the value with a sign, and the range that follows.
pub struct Mapped<'a, F> {
    objective: &'a dyn Objective,
    sign: fn(f64) -> f64,
    range: F,
}

impl<F: Fn(Interval) -> Interval + Sync> Objective for Mapped<'_, F> {
    fn value(&self, q: &[f64]) -> f64 {
        let value = self.objective.value(q);
        (self.sign)(value) * value
    }

    fn gradient(&self, q: &[f64]) -> (f64, Vec<f64>) {
        let (value, slopes) = self.objective.gradient(q);
        let sign = (self.sign)(value);
        (sign * value, slopes.iter().map(|s| sign * s).collect())
    }

    fn depends(&self, dof: usize) -> bool {
        self.objective.depends(dof)
    }

    fn is_periodic(&self, dof: usize) -> bool {
        self.objective.is_periodic(dof)
    }

    fn enclose(&self, q: &[Interval]) -> Enclosure {
        let enclosure = self.objective.enclose(q);
        Enclosure { range: (self.range)(enclosure.range), ..enclosure }
    }
}

/// The negative of an objective.
pub fn negative(objective: &dyn Objective) -> Mapped<'_, impl Fn(Interval) -> Interval> {
    Mapped { objective, sign: |_| -1.0, range: |r: Interval| -r }
}

/// The absolute value of an objective.
pub fn magnitude(objective: &dyn Objective) -> Mapped<'_, impl Fn(Interval) -> Interval> {
    let range = |r: Interval| {
        let (a, b) = (r.lo().abs(), r.hi().abs());
        let minimum = if r.lo() <= 0.0 && r.hi() >= 0.0 { 0.0 } else { a.min(b) };
        Interval::new(minimum, a.max(b)).unwrap_or(Interval::ENTIRE)
    };
    Mapped { objective, sign: f64::signum, range }
}

/// An objective where it is positive, 0 elsewhere.
pub fn positive_part(objective: &dyn Objective) -> Mapped<'_, impl Fn(Interval) -> Interval> {
    let range = |r: Interval| Interval::new(0.0, r.hi().max(0.0)).unwrap_or(Interval::ENTIRE);
    Mapped { objective, sign: |x| f64::from(u8::from(x > 0.0)), range }
}

/// An objective whose magnitude is known to be at most `limit`.
pub fn bounded(objective: &dyn Objective, limit: f64) -> Mapped<'_, impl Fn(Interval) -> Interval> {
    let range = move |r: Interval| Interval::new(-limit, limit).and_then(|limit| limit.intersect(r)).unwrap_or(r);
    Mapped { objective, sign: |_| 1.0, range }
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
