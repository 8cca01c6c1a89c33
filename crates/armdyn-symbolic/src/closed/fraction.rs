//! Quotients of polynomials by powers of a determinant, in lowest terms as far as its factors can be divided out.
//!
//! The determinant is split into single factors (symbols, lengths, sines, cosines), a number, and a remaining sum. A numerator is
//! divided by each factor as long as the division is exact:
//!
//!   N = A + B s with A, B in c:   N/s = B + s A′ where A = A′ (1 − c²) + R, exact if R = 0        (1)
//!   N = Q (a x + b), of degree 1 in a symbol x:   the highest coefficient of N in x is a multiple of a, and so on   (2)
//!
//! What remains over powers of a sine or cosine is split by (1), so that M_x of a planar arm is m₂ + m₁/s₂², not (m₁ + m₂ s₂²)/s₂².

use super::poly::Poly;
use super::ring::Generator;
use armdyn_core::Real;

/// A factor of a determinant.
#[derive(Clone, Copy, Debug)]
enum Divisor {
    Single(Generator),
    /// A sum of terms.
    Sum(Poly),
}

impl Divisor {
    fn poly(self) -> Poly {
        match self {
            Divisor::Single(g) => Poly::generator(g),
            Divisor::Sum(p) => p,
        }
    }

    /// The quotient, if the division is exact.
    fn divides(self, p: Poly) -> Option<Poly> {
        match self {
            Divisor::Single(g) => exact(p, g),
            Divisor::Sum(f) => exact_by_sum(p, f),
        }
    }
}

fn exact(p: Poly, g: Generator) -> Option<Poly> {
    let (quotient, rest) = p.divided(g);
    rest.is_null().then_some(quotient)
}

/// (2)
fn exact_by_sum(p: Poly, f: Poly) -> Option<Poly> {
    let terms = f.listed();
    let candidates: Vec<Generator> = terms.iter().flat_map(|t| t.1.iter().map(|x| x.0)).collect();
    let linear = candidates.into_iter().filter(|g| matches!(g, Generator::Symbol(_) | Generator::Length(_)));
    for x in linear {
        let (a, b) = f.divided(x);
        let (a_terms, again) = (a.listed(), a.divided(x).0);
        if let ([(number, factors)], true) = (&a_terms[..], again.is_null()) {
            return divided_in(p, x, b, (*number, factors));
        }
    }
    None
}

/// (2) with f = a x + b, a = number · factors.
fn divided_in(p: Poly, x: Generator, b: Poly, (number, factors): (f64, &[(Generator, u8)])) -> Option<Poly> {
    // The coefficients of the powers of x.
    let mut coefficients = vec![];
    let mut rest = p;
    while !rest.is_null() {
        rest.term_count()?;
        let (quotient, remainder) = rest.divided(x);
        coefficients.push(remainder);
        rest = quotient;
    }
    let mut quotient = Poly::zero();
    for j in (1..coefficients.len()).rev() {
        let mut lead = coefficients[j] / Poly::lift(number);
        for &(g, power) in factors {
            for _ in 0..power {
                lead = exact(lead, g)?;
            }
        }
        quotient += (1..j).fold(lead, |p, _| p * Poly::generator(x));
        coefficients[j - 1] -= lead * b;
    }
    coefficients.first().is_none_or(|c| c.is_null()).then_some(quotient)
}

/// A determinant: a number times powers of factors.
#[derive(Clone, Debug)]
pub(super) struct Determinant {
    pub whole: Poly,
    number: f64,
    factors: Vec<(Divisor, u8)>,
}

/// A numerator over powers of factors.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub numerator: Poly,
    pub denominator: Vec<(Poly, u8)>,
}

impl Determinant {
    /// Splits a determinant, in the active ring; none if it is identically zero.
    pub fn of(whole: Poly) -> Option<Self> {
        let mut rest = whole;
        let mut singles: Vec<Generator> = rest.listed().into_iter().flat_map(|t| t.1).map(|f| f.0).collect();
        singles.sort_unstable_by_key(|g| match g {
            Generator::Symbol(k) => (0, *k),
            Generator::Length(i) => (1, *i),
            Generator::Sin(i) => (2, *i),
            Generator::Cos(i) => (3, *i),
        });
        singles.dedup();
        // The sine of an angle may be a factor where only its cosine is written: 1 − c² is s².
        let sines: Vec<Generator> = singles
            .iter()
            .filter_map(|g| if let Generator::Cos(i) = g { Some(Generator::Sin(*i)) } else { None })
            .filter(|g| !singles.contains(g))
            .collect();
        let mut factors = vec![];
        for g in singles.into_iter().chain(sines) {
            let mut power = 0;
            while let (Some(quotient), true) = (exact(rest, g), power < 8) {
                (rest, power) = (quotient, power + 1);
            }
            if power > 0 {
                factors.push((Divisor::Single(g), power));
            }
        }
        let number = match &rest.listed()[..] {
            [] => return None,
            [(x, none)] if none.is_empty() => *x,
            // −(a + b) rather than −a − b.
            [(x, _), ..] => {
                let sign = x.signum();
                factors.push((Divisor::Sum(rest * Poly::lift(sign)), 1));
                sign
            }
        };
        Some(Determinant { whole, number, factors })
    }

    /// The factors with their powers, and the number before them.
    pub fn factors(&self) -> (f64, Vec<(Poly, u8)>) {
        (self.number, self.factors.iter().map(|(d, p)| (d.poly(), *p)).collect())
    }

    /// `numerator` over a power of the determinant, in lowest terms: a sum of parts.
    pub fn quotient(&self, numerator: Poly, power: u8) -> Vec<Part> {
        let mut n = numerator / Poly::lift(self.number.powi(i32::from(power)));
        let mut left = vec![];
        for &(divisor, own) in &self.factors {
            let mut count = own * power;
            while let (true, Some(quotient)) = (count > 0 && !n.is_null(), divisor.divides(n)) {
                (n, count) = (quotient, count - 1);
            }
            if count > 0 && !n.is_null() {
                left.push((divisor, count));
            }
        }
        let is_trig = |d: &Divisor| matches!(d, Divisor::Single(Generator::Sin(_) | Generator::Cos(_)));
        let (trig, other): (Vec<_>, Vec<_>) = left.into_iter().partition(|(d, _)| is_trig(d));
        let mut parts = vec![(n, vec![])];
        for (divisor, power) in trig {
            let Divisor::Single(g) = divisor else { continue };
            parts = parts.into_iter().flat_map(|part| split(part, g, power)).collect();
        }
        let of = |(mut numerator, trig): (Poly, Vec<(Generator, u8)>)| {
            let mut denominator = vec![];
            // A part may have factors that the whole does not have.
            for &(divisor, mut power) in &other {
                while let (true, Some(quotient)) = (power > 0, divisor.divides(numerator)) {
                    (numerator, power) = (quotient, power - 1);
                }
                denominator.extend((power > 0).then_some((divisor.poly(), power)));
            }
            denominator.extend(trig.into_iter().map(|(g, p)| (Poly::generator(g), p)));
            Part { numerator, denominator }
        };
        parts.into_iter().map(of).collect()
    }
}

/// Terms of a sum of parts, relative to those of the whole, up to which the sum is preferred.
const SHORTER: f64 = 0.75;

/// n/gᵖ as a sum of parts with lower powers, if that is clearly shorter.
fn split((n, over): (Poly, Vec<(Generator, u8)>), g: Generator, power: u8) -> Vec<(Poly, Vec<(Generator, u8)>)> {
    let with = |n: Poly, p: u8| {
        let own = (p > 0).then_some((g, p));
        (n, over.iter().copied().chain(own).collect())
    };
    let (mut parts, mut rest) = (vec![], n);
    for p in (1..=power).rev() {
        let (quotient, remainder) = rest.divided(g);
        parts.push(with(remainder, p));
        rest = quotient;
    }
    parts.push(with(rest, 0));
    parts.retain(|p| !p.0.is_null());
    parts.reverse();
    let terms = |parts: &[(Poly, Vec<(Generator, u8)>)]| parts.iter().filter_map(|p| p.0.term_count()).sum::<usize>();
    let whole = n.term_count().unwrap_or(0);
    if terms(&parts) as f64 <= SHORTER * whole as f64 { parts } else { vec![with(n, power)] }
}

#[cfg(test)]
mod tests {
    use super::super::ring::{Coordinate, Ring};
    use super::*;

    fn parts(numerator: impl FnOnce() -> Poly, determinant: impl FnOnce() -> Poly, power: u8) -> Vec<(usize, usize)> {
        let coordinates = [Coordinate::Angle, Coordinate::Angle, Coordinate::Length];
        let (_, found) = Ring::new(&coordinates, 1000).record(|| {
            let parts = Determinant::of(determinant()).unwrap().quotient(numerator(), power);
            parts.iter().map(|p| (p.numerator.term_count().unwrap(), p.denominator.len())).collect()
        });
        found
    }

    fn s(i: usize) -> Poly {
        Poly::generator(Generator::Sin(i))
    }

    fn c(i: usize) -> Poly {
        Poly::generator(Generator::Cos(i))
    }

    /// M_x of Lin's arm: l² (m₁ + m₂ s²)/(l s)² = m₂ + m₁/s².
    #[test]
    fn sines_are_split_off() {
        let [m1, m2, l] = [0, 1, 2].map(|k| move || Poly::symbol(["m1", "m2", "l"][k]));
        let numerator = || l().sqr() * (m1() + m2() * s(1).sqr());
        assert_eq!(parts(numerator, || l() * s(1), 2), [(1, 0), (1, 1)]);
        // Without anything to split it stays one fraction.
        assert_eq!(parts(|| m1() + m2() * c(1), || s(1), 1), [(2, 1)]);
        assert_eq!(parts(|| s(0) * s(1).sqr() * l(), || s(1) * l(), 1).len(), 1);
    }

    /// (a c₁ + b c₂) divides out, though the cosine before a is no number.
    #[test]
    fn sums_are_divided_out() {
        let f = || Poly::symbol("a") * c(0) + Poly::symbol("b") * (c(0) * c(1) - s(0) * s(1));
        assert_eq!(parts(|| f() * f() * (s(1) + Poly::symbol("a")), f, 2), [(2, 0)]);
        assert_eq!(parts(|| f() * (s(1) + Poly::symbol("a")), f, 2), [(2, 1)]);
        assert_eq!(parts(|| s(1) + Poly::symbol("a"), f, 1), [(2, 1)]);
    }
}
