//! Objectives: scalar functions of the configuration, with values, gradients and guaranteed enclosures.

use armdyn_core::{Interval, Lanes};
use armdyn_symbolic::Tape;

/// Configurations that a tape computes at a time.
const LANES: usize = 8;

/// A scalar function of the configuration that is maximised or minimised.
pub trait Objective: Sync {
    /// The value.
    fn value(&self, q: &[f64]) -> f64;

    /// The values at many configurations, row-major; several at a time where that is faster, with the same results.
    fn values(&self, q: &[f64], out: &mut [f64]) {
        let n = q.len() / out.len().max(1);
        out.iter_mut().enumerate().for_each(|(k, out)| *out = self.value(&q[k * n..(k + 1) * n]));
    }

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

    fn values(&self, q: &[f64], out: &mut [f64]) {
        self.objective.values(q, out);
        out.iter_mut().for_each(|value| *value *= (self.sign)(*value));
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

    fn values(&self, q: &[f64], out: &mut [f64]) {
        let n = q.len() / out.len().max(1);
        let (output, mut operations) = (self.outputs()[0], vec![]);
        for (q, out) in q.chunks(LANES * n.max(1)).zip(out.chunks_mut(LANES)) {
            let last = out.len() - 1;
            let input = |i: usize| Lanes::<f64, LANES>(std::array::from_fn(|k| q[k.min(last) * n + i]));
            self.run(input, &mut operations);
            let Lanes(found) = output.signed(operations[output.node()]);
            out.copy_from_slice(&found[..=last]);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use armdyn_core::Real;
    use armdyn_symbolic::{Array, Graph};

    /// Bit by bit, whatever their number.
    #[test]
    fn values_of_a_tape_are_those_of_single_configurations() {
        let (graph, output) = Graph::record(|| {
            let [a, b] = [0, 1].map(|i| Graph::input(Array::Q, i, &format!("q{i}")));
            -(a.sin_cos().0 * b + (a * a + b.sin_cos().1 * b).sqrt()) / (b - a.sign())
        });
        let tape = Tape::bind(&graph, &[output], &[(Array::Q, 2)], &[]).unwrap();
        for count in [1, 7, 8, 21] {
            let q: Vec<f64> = (0..2 * count).map(|k| 1.5 + 0.37 * k as f64).collect();
            let mut values = vec![0.0; count];
            negative(&tape).values(&q, &mut values);
            for (q, value) in q.chunks(2).zip(values) {
                assert_eq!(value.to_bits(), (-tape.value(q)).to_bits(), "{q:?} of {count}");
            }
        }
    }
}
