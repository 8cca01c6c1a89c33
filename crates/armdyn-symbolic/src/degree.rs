//! Degree analysis: how a program depends on each input, derived from its operations.

use crate::graph::{Expr, Node};
use crate::tape::Tape;

/// How a value depends on a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Degree {
    /// Through sines and cosines of at most this multiple of it; 0: not at all.
    Angle(usize),
    /// Through its powers up to this one.
    Length(usize),
}

impl Degree {
    /// The degree of a sum; none if one term has sines and the other powers of the coordinate.
    pub fn join(self, other: Degree) -> Option<Degree> {
        self.combine(other, usize::max)
    }

    /// The degree of a product; none if one factor has sines and the other powers of the coordinate.
    pub fn times(self, other: Degree) -> Option<Degree> {
        self.combine(other, |a, b| a + b)
    }

    fn combine(self, other: Degree, f: impl Fn(usize, usize) -> usize) -> Option<Degree> {
        use Degree::{Angle, Length};
        match (self, other) {
            (Angle(0) | Length(0), d) | (d, Angle(0) | Length(0)) => Some(d),
            (Angle(a), Angle(b)) => Some(Angle(f(a, b))),
            (Length(a), Length(b)) => Some(Length(f(a, b))),
            _ => None,
        }
    }
}

/// What is known of the value of an operation.
struct Known {
    /// Its degree in each input; none if it is no polynomial in sines, cosines and lengths.
    degrees: Option<Vec<Degree>>,
    /// The coefficients of a sum of inputs with integer coefficients, up to a constant.
    angle: Option<Vec<i64>>,
}

impl Tape {
    /// The degree of the first output in each input; none if it is no polynomial in sines, cosines and lengths.
    pub fn degrees(&self) -> Option<Vec<Degree>> {
        let n = self.inputs();
        let constant = || vec![Degree::Angle(0); n];
        let mut all: Vec<Known> = vec![];
        for node in self.operations() {
            let combined = |a: Expr, b: Expr, f: fn(Degree, Degree) -> Option<Degree>| {
                let (a, b) = (all[a.node()].degrees.as_ref()?, all[b.node()].degrees.as_ref()?);
                a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
            };
            let known = match *node {
                Node::Constant(_) => Known { degrees: Some(constant()), angle: Some(vec![0; n]) },
                Node::Input(i) => {
                    let (mut degrees, mut angle) = (constant(), vec![0; n]);
                    (degrees[i], angle[i]) = (Degree::Length(1), 1);
                    Known { degrees: Some(degrees), angle: Some(angle) }
                }
                Node::Sum(a, b) => {
                    let sign = |e: Expr| if e.is_negative() { -1 } else { 1 };
                    let angle = match (&all[a.node()].angle, &all[b.node()].angle) {
                        (Some(x), Some(y)) => Some(x.iter().zip(y).map(|(x, y)| sign(a) * x + sign(b) * y).collect()),
                        _ => None,
                    };
                    Known { degrees: combined(a, b, Degree::join), angle }
                }
                Node::Product(a, b) => Known { degrees: combined(a, b, Degree::times), angle: None },
                Node::Quotient(..) | Node::Root(_) | Node::Sign(_) => Known { degrees: None, angle: None },
                Node::Sin(a) | Node::Cos(a) => {
                    let angle = all[a.node()].angle.as_ref();
                    let degrees = angle.map(|k| k.iter().map(|k| Degree::Angle(k.unsigned_abs() as usize)).collect());
                    Known { degrees, angle: None }
                }
            };
            all.push(known);
        }
        all.swap_remove(self.outputs()[0].node()).degrees
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Array, Graph};
    use armdyn_core::Real;

    fn degrees(f: impl Fn([Expr; 3]) -> Expr) -> Option<Vec<Degree>> {
        let (graph, output) = Graph::record(|| f(std::array::from_fn(|i| Graph::input(Array::Q, i, &format!("q{i}")))));
        Tape::new(&graph, &[output]).degrees()
    }

    #[test]
    fn degrees_add_in_products_and_are_maxima_in_sums() {
        use Degree::{Angle, Length};
        let f = |[a, b, c]: [Expr; 3]| (a + b).sin_cos().0 * a.sin_cos().1 * c + c * c;
        assert_eq!(degrees(f), Some(vec![Angle(2), Angle(1), Length(2)]));
        assert_eq!(degrees(|[a, ..]| a * a.sin_cos().0), None, "sine and power of the same coordinate");
        assert_eq!(degrees(|[a, b, _]| a / b), None);
    }
}
