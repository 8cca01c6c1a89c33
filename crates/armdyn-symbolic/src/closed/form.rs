//! An expression as it is written: sums of products, with what they have in common taken out.

use std::collections::BTreeMap;

/// An angle: a sum of joint angles, each so many times.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Angle(BTreeMap<usize, i32>);

impl Angle {
    /// A joint's own angle, by its number from 0.
    pub fn of(joint: usize) -> Self {
        Angle(BTreeMap::from([(joint, 1)]))
    }

    /// The joints and how many times each counts.
    pub fn parts(&self) -> impl Iterator<Item = (usize, i32)> + '_ {
        self.0.iter().map(|(&joint, &times)| (joint, times))
    }

    /// self + times · other.
    pub fn plus(&self, other: &Angle, times: i32) -> Self {
        let mut sum = self.0.clone();
        for (joint, t) in other.parts() {
            *sum.entry(joint).or_default() += times * t;
        }
        sum.retain(|_, t| *t != 0);
        Angle(sum)
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// With its first joint counted positively, and whether its sign was changed for that.
    pub(super) fn upright(self) -> (Self, bool) {
        let down = self.0.values().next().is_some_and(|t| *t < 0);
        (if down { Angle::default().plus(&self, -1) } else { self }, down)
    }

    fn value(&self, q: &[f64]) -> f64 {
        self.parts().map(|(joint, times)| f64::from(times) * q[joint]).sum()
    }
}

/// What a product is made of.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub enum Factor {
    /// A symbol of the robot's figures, by its number in [`Equations::parameters`](super::Equations::parameters).
    Symbol(usize),
    /// A group of them, by its number in [`Equations::groups`](super::Equations::groups).
    Group(usize),
    /// A joint's coordinate, by its number from 0.
    Coordinate(usize),
    /// A sine.
    Sin(Angle),
    /// A cosine.
    Cos(Angle),
    /// A sum in brackets.
    Sum(Sum),
}

/// A product: a number and factors with their powers.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub struct Product {
    /// The number.
    pub coefficient: f64,
    /// The factors, in the order they are written.
    pub factors: Vec<(Factor, u8)>,
}

/// A sum of products; none is zero.
#[derive(Clone, Debug, Default, PartialEq, PartialOrd)]
pub struct Sum(pub Vec<Product>);

/// Where an expression is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// The coordinates.
    pub q: &'a [f64],
    /// The parameters' values.
    pub parameters: &'a [f64],
    /// The groups' values.
    pub groups: &'a [f64],
}

impl Sum {
    /// Whether it is zero, identically.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Its value.
    pub fn evaluate(&self, at: Point) -> f64 {
        self.0.iter().map(|p| p.evaluate(at)).sum()
    }

    /// How many letters and numbers it takes: how long it is.
    pub fn length(&self) -> usize {
        let factor = |(f, power): &(Factor, u8)| match f {
            Factor::Sum(sum) => sum.length() + 1,
            _ => 1 + usize::from(*power > 1),
        };
        self.0.iter().map(|p| 1 + p.factors.iter().map(factor).sum::<usize>()).sum()
    }
}

impl Product {
    fn evaluate(&self, at: Point) -> f64 {
        let value = |f: &Factor| match f {
            Factor::Symbol(k) => at.parameters[*k],
            Factor::Group(k) => at.groups[*k],
            Factor::Coordinate(i) => at.q[*i],
            Factor::Sin(a) => a.value(at.q).sin(),
            Factor::Cos(a) => a.value(at.q).cos(),
            Factor::Sum(sum) => sum.evaluate(at),
        };
        self.factors.iter().fold(self.coefficient, |x, (f, power)| x * value(f).powi(i32::from(*power)))
    }
}
