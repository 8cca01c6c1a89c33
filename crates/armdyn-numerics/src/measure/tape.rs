//! One value of a configuration as a straight-line program: the same steps over numbers and over intervals, and backward
//! for the gradient (Griewank & Walther 2008, section 3.2), which costs about four times the value.

use crate::bound::{Enclosure, Objective};
use crate::{Error, Result};
use armdyn_core::{Interval, Real};
use armdyn_symbolic::{Array, Expr, Graph, Node};

/// A step's result, and a sign.
#[derive(Clone, Copy, Debug)]
struct Operand {
    step: usize,
    negative: bool,
}

impl Operand {
    #[inline(always)]
    fn of<T: Real>(self, values: &[T]) -> T {
        let value = values[self.step];
        if self.negative { -value } else { value }
    }

    #[inline(always)]
    fn add_to<T: Real>(self, values: &mut [T], more: T) {
        values[self.step] += if self.negative { -more } else { more };
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Constant(f64),
    Coordinate(usize),
    Sum(Operand, Operand),
    Product(Operand, Operand),
    Square(Operand),
    Quotient(Operand, Operand),
    Root(Operand),
    Sin(Operand),
    Cos(Operand),
}

/// How a value depends on a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Degree {
    /// By sines and cosines of at most so many times it; 0: not at all.
    Angle(usize),
    /// By its powers, at most this one.
    Length(usize),
}

impl Degree {
    /// The least that covers both; none if one has sines of what the other has powers of.
    pub fn join(self, other: Degree) -> Option<Degree> {
        use Degree::{Angle, Length};
        Some(match (self, other) {
            (Angle(0), d) | (d, Angle(0)) | (Length(0), d) | (d, Length(0)) => d,
            (Angle(a), Angle(b)) => Angle(a.max(b)),
            (Length(a), Length(b)) => Length(a.max(b)),
            _ => return None,
        })
    }

    fn times(self, other: Degree) -> Option<Degree> {
        use Degree::{Angle, Length};
        Some(match (self, other) {
            (Angle(0), d) | (d, Angle(0)) | (Length(0), d) | (d, Length(0)) => d,
            (Angle(a), Angle(b)) => Angle(a + b),
            (Length(a), Length(b)) => Length(a + b),
            _ => return None,
        })
    }
}

/// A value of a configuration.
#[derive(Clone, Debug)]
pub struct Tape {
    steps: Vec<Step>,
    output: Operand,
    coordinates: usize,
}

impl Tape {
    /// The steps of a graph that an expression of `coordinates` positions needs.
    pub fn new(graph: &Graph, output: Expr, coordinates: usize) -> Result<Tape> {
        let needed = graph.needed(&[output]);
        let mut at = vec![usize::MAX; needed.len()];
        let mut steps = vec![];
        for (k, node) in graph.nodes().iter().enumerate().filter(|(k, _)| needed[*k]) {
            let of = |e: Expr| Operand { step: at[e.node()], negative: e.is_negative() };
            let step = match *node {
                Node::Constant(bits) => Step::Constant(f64::from_bits(bits)),
                Node::Input(i) if graph.inputs()[i].array == Array::Q => Step::Coordinate(graph.inputs()[i].index),
                Node::Sum(a, b) => Step::Sum(of(a), of(b)),
                Node::Product(a, b) if a == b => Step::Square(of(a)),
                Node::Product(a, b) => Step::Product(of(a), of(b)),
                Node::Quotient(a, b) => Step::Quotient(of(a), of(b)),
                Node::Root(a) => Step::Root(of(a)),
                Node::Sin(a) => Step::Sin(of(a)),
                Node::Cos(a) => Step::Cos(of(a)),
                Node::Input(_) | Node::Sign(_) => {
                    return Err(Error::InvalidInput("this value depends on more than the configuration".to_string()));
                }
            };
            at[k] = steps.len();
            steps.push(step);
        }
        let output = Operand { step: at[output.node()], negative: output.is_negative() };
        Ok(Tape { steps, output, coordinates })
    }

    /// Whether the value depends on a coordinate.
    pub fn depends(&self, coordinate: usize) -> bool {
        self.steps.iter().any(|s| matches!(s, Step::Coordinate(k) if *k == coordinate))
    }

    fn run<T: Real>(&self, q: &[T]) -> Vec<T> {
        let mut values: Vec<T> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let value = match *step {
                Step::Constant(x) => T::lift(x),
                Step::Coordinate(k) => q[k],
                Step::Sum(a, b) => a.of(&values) + b.of(&values),
                Step::Product(a, b) => a.of(&values) * b.of(&values),
                Step::Square(a) => a.of(&values).sqr(),
                Step::Quotient(a, b) => a.of(&values) / b.of(&values),
                Step::Root(a) => a.of(&values).sqrt(),
                Step::Sin(a) => a.of(&values).sin_cos().0,
                Step::Cos(a) => a.of(&values).sin_cos().1,
            };
            values.push(value);
        }
        values
    }

    /// The value.
    pub fn value<T: Real>(&self, q: &[T]) -> T {
        self.output.of(&self.run(q))
    }

    /// The value, and its partial derivatives.
    pub fn gradient<T: Real>(&self, q: &[T]) -> (T, Vec<T>) {
        let values = self.run(q);
        let mut gradient = vec![T::zero(); self.coordinates];
        let mut slopes = vec![T::zero(); values.len()];
        self.output.add_to(&mut slopes, T::one());
        for (k, step) in self.steps.iter().enumerate().rev() {
            let slope = slopes[k];
            match *step {
                Step::Constant(_) => {}
                Step::Coordinate(i) => gradient[i] += slope,
                Step::Sum(a, b) => {
                    a.add_to(&mut slopes, slope);
                    b.add_to(&mut slopes, slope);
                }
                Step::Product(a, b) => {
                    a.add_to(&mut slopes, slope * b.of(&values));
                    b.add_to(&mut slopes, slope * a.of(&values));
                }
                Step::Square(a) => a.add_to(&mut slopes, slope * (T::lift(2.0) * a.of(&values))),
                Step::Quotient(a, b) => {
                    let by = slope / b.of(&values);
                    a.add_to(&mut slopes, by);
                    b.add_to(&mut slopes, -(by * values[k]));
                }
                Step::Root(a) => a.add_to(&mut slopes, slope / (T::lift(2.0) * values[k])),
                Step::Sin(a) => a.add_to(&mut slopes, slope * a.of(&values).sin_cos().1),
                Step::Cos(a) => a.add_to(&mut slopes, -(slope * a.of(&values).sin_cos().0)),
            }
        }
        (self.output.of(&values), gradient)
    }

    /// How the value depends on each coordinate, proven by its steps; none if it is no polynomial in sines, cosines and
    /// lengths.
    pub fn degrees(&self) -> Option<Vec<Degree>> {
        let n = self.coordinates;
        // Of each step: its degrees, and the coordinates that it is a sum of, each so many times, but for a constant.
        type Known = (Option<Vec<Degree>>, Option<Vec<i64>>);
        let mut all: Vec<Known> = vec![];
        for step in &self.steps {
            let none = || vec![Degree::Angle(0); n];
            let both = |a: Operand, b: Operand, f: fn(Degree, Degree) -> Option<Degree>| {
                let (a, b) = (all[a.step].0.as_ref()?, all[b.step].0.as_ref()?);
                a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
            };
            let turned = |a: Operand| {
                let angle = all[a.step].1.as_ref()?;
                Some(angle.iter().map(|k| Degree::Angle(k.unsigned_abs() as usize)).collect())
            };
            all.push(match *step {
                Step::Constant(_) => (Some(none()), Some(vec![0; n])),
                Step::Coordinate(i) => {
                    let (mut degrees, mut sum) = (none(), vec![0; n]);
                    (degrees[i], sum[i]) = (Degree::Length(1), 1);
                    (Some(degrees), Some(sum))
                }
                Step::Sum(a, b) => {
                    let sign = |o: Operand| if o.negative { -1 } else { 1 };
                    let sum = match (&all[a.step].1, &all[b.step].1) {
                        (Some(x), Some(y)) => Some(x.iter().zip(y).map(|(x, y)| sign(a) * x + sign(b) * y).collect()),
                        _ => None,
                    };
                    (both(a, b, Degree::join), sum)
                }
                Step::Product(a, b) => (both(a, b, Degree::times), None),
                Step::Square(a) => (both(a, a, Degree::times), None),
                Step::Quotient(..) | Step::Root(_) => (None, None),
                Step::Sin(a) | Step::Cos(a) => (turned(a), None),
            });
        }
        all[self.output.step].0.clone()
    }
}

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

    /// The natural extension.
    fn enclose(&self, q: &[Interval]) -> Enclosure {
        Enclosure { range: Tape::value(self, q), split: None }
    }
}
