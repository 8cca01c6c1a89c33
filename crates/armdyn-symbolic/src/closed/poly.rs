//! Polynomials as scalars for the algorithms: handles into the active ring.

use super::ring::{Failure, Generator, Ring, Term, Value};
use armdyn_core::Real;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// A polynomial, by its number in its [`Ring`]; a [`Real`] inside [`Ring::record`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Poly(u32);

thread_local! {
    static ACTIVE: RefCell<Vec<Ring>> = const { RefCell::new(vec![]) };
}

fn active<R>(f: impl FnOnce(&mut Ring) -> R) -> R {
    ACTIVE.with_borrow_mut(|all| f(all.last_mut().expect("polynomial arithmetic requires Ring::record")))
}

impl Ring {
    /// Runs `f` with this ring active.
    pub fn record<R>(self, f: impl FnOnce() -> R) -> (Ring, R) {
        ACTIVE.with_borrow_mut(|all| all.push(self));
        let result = f();
        (ACTIVE.with_borrow_mut(Vec::pop).expect("pushed above"), result)
    }

    pub(super) fn put(&mut self, value: Value) -> Poly {
        self.values.push(value);
        Poly(self.values.len() as u32 - 1)
    }

    fn of(&self, p: Poly) -> Value {
        self.values[p.0 as usize].clone()
    }

    /// Whether two polynomials are equal.
    pub fn equal(&self, a: Poly, b: Poly) -> bool {
        self.of(a) == self.of(b)
    }

    /// Whether one polynomial is the negative of the other.
    pub fn opposite(&self, a: Poly, b: Poly) -> bool {
        match (self.of(a), self.of(b)) {
            (Ok(a), Ok(b)) => self.sum(&a, &b, 1.0).is_ok_and(|s| s.is_empty()),
            _ => false,
        }
    }

    /// Whether the value is a polynomial: no root, no quotient, and within the limits.
    pub fn is_polynomial(&self, p: Poly) -> bool {
        self.of(p).is_ok()
    }

    /// Whether the value is a polynomial that exceeds the limits.
    pub fn is_too_long(&self, p: Poly) -> bool {
        self.of(p).is_err_and(|failure| failure == Failure::TooLong)
    }

    /// Whether it is identically zero.
    pub fn is_zero(&self, p: Poly) -> bool {
        self.of(p).is_ok_and(|t| t.is_empty())
    }

    pub(super) fn terms(&self, p: Poly) -> Value {
        self.of(p)
    }

    /// The terms in order: coefficient, and factors with powers.
    ///
    /// # Panics
    /// If the value is not a polynomial: a root, a quotient, or too many terms.
    pub fn expanded_terms(&self, p: Poly) -> Vec<(f64, Vec<(Generator, u8)>)> {
        let terms = self.of(p).expect("a polynomial");
        terms.iter().map(|t| (t.coefficient, self.factors(t))).collect()
    }

    pub(super) fn factors(&self, t: &Term) -> Vec<(Generator, u8)> {
        let mut factors = self.motion(t.monomial.motion);
        let symbols = self.symbols(t.monomial.symbols);
        factors.extend(symbols.iter().map(|&(k, power)| (Generator::Symbol(usize::from(k)), power)));
        factors
    }

    /// The names of the symbols that occur in polynomials.
    pub(super) fn symbols_in(&self, all: &[Poly]) -> Vec<String> {
        let terms = all.iter().filter_map(|&p| self.of(p).ok());
        let products: BTreeSet<u32> =
            terms.flat_map(|t| t.iter().map(|t| t.monomial.symbols).collect::<Vec<_>>()).collect();
        let numbers: BTreeSet<u16> = products.iter().flat_map(|&p| self.symbols(p).iter().map(|s| s.0)).collect();
        numbers.into_iter().map(|k| self.names()[usize::from(k)].clone()).collect()
    }

    /// Discards all other polynomials.
    pub(super) fn keep(&mut self, kept: &[Poly]) -> Vec<Poly> {
        self.values = kept.iter().map(|&p| self.of(p)).collect();
        (0..kept.len() as u32).map(Poly).collect()
    }
}

impl Poly {
    /// A value of the active ring.
    fn made(value: impl FnOnce(&mut Ring) -> Value) -> Poly {
        active(|r| {
            let value = value(r);
            r.put(value)
        })
    }

    /// A symbol, in the active ring.
    pub fn symbol(name: &str) -> Poly {
        Poly::made(|r| r.symbol(name))
    }

    /// The value of a coordinate, in the active ring: an element of q.
    pub fn coordinate(i: usize) -> Poly {
        Poly::made(|r| r.coordinate(i))
    }

    /// A single factor, in the active ring.
    pub fn generator(g: Generator) -> Poly {
        Poly::made(|r| Ok(r.generator(g)))
    }

    /// ∂/∂qᵢ.
    pub fn derivative(self, i: usize) -> Poly {
        Poly::made(|r| r.of(self).and_then(|a| r.derivative(&a, i)))
    }

    /// Quotient and remainder of a division by a single factor: by a sine the remainder has powers 0 and 1 of the cosine, by
    /// other factors it lacks the factor.
    pub(super) fn divided(self, by: Generator) -> (Poly, Poly) {
        active(|r| match r.of(self) {
            Err(failure) => (r.put(Err(failure)), r.put(Err(failure))),
            Ok(a) => {
                let (quotient, rest) = r.divided(&a, by);
                (r.put(Ok(quotient)), r.put(Ok(rest)))
            }
        })
    }

    /// In the active ring: whether it is identically zero.
    pub(super) fn is_null(self) -> bool {
        active(|r| r.is_zero(self))
    }

    /// In the active ring: why it is no polynomial.
    pub(super) fn failure(self) -> Option<Failure> {
        active(|r| r.of(self).err())
    }

    /// In the active ring: the number of terms; none if it is no polynomial.
    pub(super) fn term_count(self) -> Option<usize> {
        active(|r| r.of(self).ok().map(|t| t.len()))
    }

    /// In the active ring: the terms, none if it is no polynomial.
    pub(super) fn listed(self) -> Vec<(f64, Vec<(Generator, u8)>)> {
        active(|r| r.of(self).map(|t| t.iter().map(|t| (t.coefficient, r.factors(t))).collect()).unwrap_or_default())
    }

    /// Replaces every factor by `f`.
    pub fn substituted(self, f: impl Fn(Generator) -> Poly) -> Poly {
        let terms = active(|r| r.of(self).map(|t| t.iter().map(|t| (t.coefficient, r.factors(t))).collect::<Vec<_>>()));
        let Ok(terms) = terms else { return self };
        let product = |(x, factors): &(f64, Vec<(Generator, u8)>)| {
            factors.iter().fold(Poly::lift(*x), |p, &(g, power)| (0..power).fold(p, |p, _| p * f(g)))
        };
        // Pairwise, so that long sums are not copied repeatedly.
        let mut sums: Vec<Poly> = terms.iter().map(product).collect();
        while sums.len() > 1 {
            sums = sums.chunks(2).map(|two| two[1..].iter().fold(two[0], |a, &b| a + b)).collect();
        }
        sums.pop().unwrap_or_else(Poly::zero)
    }

    /// Replaces symbols by name; `f` returns none for those that stay.
    pub fn with_symbols(self, f: impl Fn(&str) -> Option<Poly>) -> Poly {
        let names = active(|r| r.names().to_vec());
        self.substituted(|g| match g {
            Generator::Symbol(k) => f(&names[k]).unwrap_or_else(|| Poly::generator(g)),
            other => Poly::generator(other),
        })
    }

    fn both(self, other: Poly, f: impl FnOnce(&mut Ring, &Arc<[Term]>, &Arc<[Term]>) -> Value) -> Poly {
        Poly::made(|r| {
            let (a, b) = (r.of(self)?, r.of(other)?);
            f(r, &a, &b)
        })
    }

    fn is_known(self, f: impl FnOnce(f64) -> bool) -> bool {
        active(|r| match r.of(self) {
            Err(_) => true, // reported with the result
            Ok(terms) => match &terms[..] {
                [] => f(0.0),
                [t] if t.monomial.motion == 0 && t.monomial.symbols == 0 => f(t.coefficient),
                _ => true,
            },
        })
    }

    pub(super) fn constant(self) -> Option<f64> {
        let mut value = None;
        self.is_known(|x| value.insert(x).is_finite());
        value
    }

    /// A function of a constant; of other values it is no polynomial.
    fn function(self, f: fn(f64) -> f64) -> Poly {
        match self.constant() {
            Some(x) => Poly::lift(f(x)),
            None => Poly::made(|_| Err(Failure::NotPolynomial)),
        }
    }
}

impl fmt::Debug for Poly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

armdyn_core::scalar::operators! { [] Poly, never,
    neg |a| Poly::zero() - a,
    add |a, b| a.both(b, |r, a, b| match (a.is_empty(), b.is_empty()) {
        (true, _) => Ok(b.clone()),
        (_, true) => Ok(a.clone()),
        _ => r.sum(a, b, 1.0),
    }),
    sub |a, b| a.both(b, |r, a, b| if b.is_empty() { Ok(a.clone()) } else { r.sum(a, b, -1.0) }),
    mul |a, b| a.both(b, |r, a, b| r.product(a, b)),
    div |a, b| match b.constant() {
        Some(x) => a * Poly::lift(1.0 / x),
        None => a.both(b, |r, a, b| r.quotient(a, b)),
    },
}

impl Real for Poly {
    const EPSILON: f64 = f64::EPSILON;

    fn lift(x: f64) -> Self {
        Poly::made(|_| Ring::number(x))
    }

    fn sin_cos(self) -> (Self, Self) {
        if let Some(x) = self.constant() {
            // A rounded multiple of 90° is exact.
            let whole = |x: f64| if (x - x.round()).abs() < 1e-15 { x.round() } else { x };
            let (s, c) = Real::sin_cos(x);
            return (Poly::lift(whole(s)), Poly::lift(whole(c)));
        }
        active(|r| {
            let angle = r.of(self).and_then(|a| r.angle(&a).ok_or(Failure::NotPolynomial));
            let mut of = |g: fn(usize) -> Generator| {
                let value = angle.map(|i| r.generator(g(i)));
                r.put(value)
            };
            (of(Generator::Sin), of(Generator::Cos))
        })
    }

    fn sqrt(self) -> Self {
        self.function(f64::sqrt)
    }

    fn sign(self) -> Self {
        self.function(Real::sign)
    }

    fn is_finite(&self) -> bool {
        self.is_known(f64::is_finite)
    }

    fn is_positive(&self) -> bool {
        self.is_known(|x| x > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ring::Coordinate;
    use super::*;

    fn ring<R>(f: impl FnOnce([Poly; 3]) -> R) -> (Ring, R) {
        let coordinates = [Coordinate::Angle, Coordinate::Angle, Coordinate::Length];
        Ring::new(&coordinates, 1000).record(|| f([0, 1, 2].map(Poly::coordinate)))
    }

    #[test]
    fn equal_polynomials_have_one_normal_form() {
        let (r, pairs) = ring(|[a, b, d]| {
            let ((s, c), (s2, c2), m) = (a.sin_cos(), b.sin_cos(), Poly::symbol("m"));
            let two = Poly::lift(2.0);
            [
                (s * s + c * c, Poly::one()),
                (s.sqr() * s2.sqr() - c.sqr() * c2.sqr(), Poly::one() - c.sqr() - c2.sqr()),
                ((s * c2 + c * s2).sqr() + (c * c2 - s * s2).sqr(), Poly::one()),
                ((m * d + s) * (m * d - s), m.sqr() * d.sqr() + c.sqr() - Poly::one()),
                ((s * c * d).derivative(0), (two * c.sqr() - Poly::one()) * d),
                ((s * c.sqr() * d.sqr()).derivative(2), two * s * c.sqr() * d),
                ((s * c.sqr()).derivative(0), c.sqr() * c - two * c * s.sqr()),
                (m / Poly::lift(4.0), m * Poly::lift(0.25)),
            ]
        });
        for (k, (a, b)) in pairs.into_iter().enumerate() {
            assert!(r.equal(a, b), "{k}: {:?} {:?}", r.expanded_terms(a), r.expanded_terms(b));
            assert!(!r.opposite(a, b));
        }
    }

    #[test]
    fn other_functions_are_reported() {
        let (r, [root, quotient, sine]) = ring(|[a, _, d]| [d.sqrt(), a / d, d.sin_cos().0 * Poly::one()]);
        for p in [root, quotient, sine] {
            assert_eq!(r.terms(p).unwrap_err(), Failure::NotPolynomial);
        }
        let (r, long) = ring(|[a, b, _]| {
            let sum = (0..30).fold(Poly::zero(), |s, k| s + Poly::symbol(&format!("x{k}")));
            (a.sin_cos().0 + b.sin_cos().1) * sum.sqr() * sum
        });
        assert_eq!(r.terms(long).unwrap_err(), Failure::TooLong);
        let (r, high) = ring(|[_, _, d]| (0..40).fold(d, |p, _| p * d));
        assert_eq!(r.terms(high).unwrap_err(), Failure::TooLong);
    }
}
