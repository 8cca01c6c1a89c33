//! Expressions in factored form: sums of products, with common factors taken out.

use armdyn_core::Real;
use std::collections::BTreeMap;

/// An angle: a sum of joint angles with integer coefficients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Angle(BTreeMap<usize, i32>);

impl Angle {
    /// The angle of a joint, counted from 0.
    pub fn of(joint: usize) -> Self {
        Angle(BTreeMap::from([(joint, 1)]))
    }

    /// The joints with their coefficients.
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

    /// With a positive first coefficient, and whether the sign was changed.
    pub(super) fn normalised(self) -> (Self, bool) {
        let flipped = self.0.values().next().is_some_and(|t| *t < 0);
        (if flipped { Angle::default().plus(&self, -1) } else { self }, flipped)
    }

    fn value<T: Real>(&self, q: &[T]) -> T {
        self.parts().fold(T::zero(), |sum, (joint, times)| sum + T::lift(f64::from(times)) * q[joint])
    }
}

/// A factor of a product.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub enum Factor {
    /// A parameter, by its index in [`Equations::parameters`](super::Equations::parameters).
    Symbol(usize),
    /// A group, by its index in [`Equations::groups`](super::Equations::groups).
    Group(usize),
    /// A joint coordinate, counted from 0; from [`Ring::MAX_COORDINATES`](super::Ring::MAX_COORDINATES) on, its rates: velocities, then accelerations.
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
    /// The factors in printed order.
    pub factors: Vec<(Factor, u8)>,
}

/// A sum of non-zero products.
#[derive(Clone, Debug, Default, PartialEq, PartialOrd)]
pub struct Sum(pub Vec<Product>);

/// The values at which an expression is evaluated, over any scalar.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a, T> {
    /// The coordinates.
    pub q: &'a [T],
    /// Parameter values.
    pub parameters: &'a [T],
    /// Group values.
    pub groups: &'a [T],
}

impl Sum {
    /// Whether it is identically zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The value over any scalar; over [`Expr`](crate::Expr) it records a program.
    pub fn evaluate<T: Real>(&self, at: Point<T>) -> T {
        self.0.iter().fold(T::zero(), |sum, p| sum + p.evaluate(at))
    }

    /// Length of the printed form in symbols and numbers.
    pub fn length(&self) -> usize {
        let factor = |(f, power): &(Factor, u8)| match f {
            Factor::Sum(sum) => sum.length() + 1,
            _ => 1 + usize::from(*power > 1),
        };
        self.0.iter().map(|p| 1 + p.factors.iter().map(factor).sum::<usize>()).sum()
    }
}

impl Product {
    fn evaluate<T: Real>(&self, at: Point<T>) -> T {
        let value = |f: &Factor| match f {
            Factor::Symbol(k) => at.parameters[*k],
            Factor::Group(k) => at.groups[*k],
            Factor::Coordinate(i) => at.q[*i],
            Factor::Sin(a) => a.value(at.q).sin_cos().0,
            Factor::Cos(a) => a.value(at.q).sin_cos().1,
            Factor::Sum(sum) => sum.evaluate(at),
        };
        self.factors.iter().fold(T::lift(self.coefficient), |product, (f, power)| {
            let factor = value(f);
            (0..*power).fold(product, |product, _| product * factor)
        })
    }
}
