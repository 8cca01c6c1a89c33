//! Polynomials in sines, cosines, lengths and symbols, in the unique normal form modulo s² = 1 − c².
//!
//! A monomial is two numbers: the part that depends on the configuration is packed, five bits per coordinate (power 0 or 1 of s
//! and the power of c; or the power of a length); the product of symbols is referenced by its number. A polynomial is a sorted
//! list of monomials with coefficients, so that polynomials are equal exactly when their lists are.
//!
//! Coefficients are floating-point numbers, exact as long as they are multiples of ½, which is the case if every parameter is
//! a symbol and every angle a multiple of 90°. Otherwise each has a magnitude: the sum of the magnitudes of all products whose sum it
//! is, over all operations since the first numbers. What is left where terms cancel is a residue of rounding, small relative to that
//! magnitude, even if the terms cancel in several sums (a rotation times its inverse, in three products of matrices); it is dropped.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Instant;

const BITS: u32 = 5;
const SINE: u128 = 0b1_0000;
const POWER: u128 = 0b0_1111;
/// Size of rounding residues relative to the magnitude of a coefficient.
const ROUNDING: f64 = 1e-13;

/// The kind of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// An angle, which enters by its sine and cosine.
    Angle,
    /// A length.
    Length,
}

/// A factor of a monomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generator {
    /// The sine of a coordinate, by its number.
    Sin(usize),
    /// The cosine of a coordinate.
    Cos(usize),
    /// A coordinate that is a length.
    Length(usize),
    /// A symbol, by its number.
    Symbol(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Monomial {
    /// Powers of sines, cosines and lengths.
    pub motion: u128,
    /// The number of the product of symbols; 0 is 1.
    pub symbols: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    pub monomial: Monomial,
    pub coefficient: f64,
    /// The sum of the magnitudes of the products whose sum the coefficient is.
    pub magnitude: f64,
}

/// Terms are equal if their values are.
impl PartialEq for Term {
    fn eq(&self, other: &Self) -> bool {
        (self.monomial, self.coefficient) == (other.monomial, other.coefficient)
    }
}

/// A coefficient and its magnitude.
type Coefficient = (f64, f64);

impl Term {
    /// A term with an exact coefficient.
    fn exact(monomial: Monomial, coefficient: f64) -> Self {
        Term { monomial, coefficient, magnitude: coefficient.abs() }
    }

    fn number(&self) -> Coefficient {
        (self.coefficient, self.magnitude)
    }
}

/// A multiple of a coefficient.
fn times((x, magnitude): Coefficient, factor: f64) -> Coefficient {
    (x * factor, magnitude * factor.abs())
}

/// Reasons why a value is not a polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// A root, a sign, or a quotient.
    NotPolynomial,
    /// Too many terms or too high powers.
    TooLong,
    /// The time limit was exceeded.
    OutOfTime,
}

pub(super) type Value = Result<Arc<[Term]>, Failure>;

/// Sums of coefficients and of their magnitudes.
type Sums = FxHashMap<Monomial, Coefficient>;

fn add(sums: &mut Sums, monomial: Monomial, (x, magnitude): Coefficient) {
    let sum = sums.entry(monomial).or_default();
    sum.0 += x;
    sum.1 += magnitude;
}

fn sorted(sums: Sums) -> Arc<[Term]> {
    let mut terms: Vec<Term> = sums
        .into_iter()
        .filter(|(_, (sum, magnitude))| sum.abs() > ROUNDING * magnitude)
        .map(|(monomial, (coefficient, magnitude))| Term { monomial, coefficient, magnitude })
        .collect();
    terms.sort_unstable_by_key(|t| t.monomial);
    terms.into()
}

/// A ring of polynomials: its coordinates, symbols and elements.
#[derive(Clone, Debug)]
pub struct Ring {
    coordinates: Vec<Coordinate>,
    /// The bits of the sines.
    sines: u128,
    names: Vec<String>,
    /// The coordinate of symbols that are joint angles.
    angles: FxHashMap<usize, usize>,
    products: Vec<Box<[(u16, u8)]>>,
    numbers: FxHashMap<Box<[(u16, u8)]>, u32>,
    multiplied: FxHashMap<(u32, u32), u32>,
    pub(super) values: Vec<Value>,
    limit: usize,
    deadline: Option<Instant>,
}

impl Ring {
    /// Maximum number of coordinates.
    pub const MAX_COORDINATES: usize = (u128::BITS / BITS) as usize;

    /// A ring with coordinates and polynomials of up to `limit` terms.
    pub(super) fn new(coordinates: &[Coordinate], limit: usize) -> Self {
        let angle = |(i, c): (usize, &Coordinate)| if *c == Coordinate::Angle { SINE << (BITS * i as u32) } else { 0 };
        let one: Box<[(u16, u8)]> = Box::new([]);
        Ring {
            coordinates: coordinates.to_vec(),
            sines: coordinates.iter().enumerate().map(angle).sum(),
            names: vec![],
            angles: FxHashMap::default(),
            products: vec![one.clone()],
            numbers: FxHashMap::from_iter([(one, 0)]),
            multiplied: FxHashMap::default(),
            values: vec![],
            limit,
            deadline: None,
        }
    }

    /// Sets a time limit for multiplications.
    pub(super) fn until(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline;
        self
    }

    /// The coordinates.
    pub fn coordinates(&self) -> &[Coordinate] {
        &self.coordinates
    }

    /// The names of the symbols.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    fn constant(x: f64) -> Arc<[Term]> {
        let one = Monomial { motion: 0, symbols: 0 };
        if x == 0.0 { Arc::new([]) } else { Arc::new([Term::exact(one, x)]) }
    }

    pub(super) fn number(x: f64) -> Value {
        if x.is_finite() { Ok(Ring::constant(x)) } else { Err(Failure::NotPolynomial) }
    }

    /// The symbol of a name, created if necessary.
    pub(super) fn symbol(&mut self, name: &str) -> Value {
        let k = self.symbol_number(name);
        Ok(self.generator(Generator::Symbol(k)))
    }

    fn symbol_number(&mut self, name: &str) -> usize {
        self.names.iter().position(|n| n == name).unwrap_or_else(|| {
            self.names.push(name.to_string());
            self.names.len() - 1
        })
    }

    /// The value of a coordinate.
    pub(super) fn coordinate(&mut self, i: usize) -> Value {
        match self.coordinates[i] {
            Coordinate::Length => Ok(self.generator(Generator::Length(i))),
            Coordinate::Angle => {
                let k = self.symbol_number(&format!("q{}", i + 1));
                self.angles.insert(k, i);
                Ok(self.generator(Generator::Symbol(k)))
            }
        }
    }

    pub(super) fn generator(&mut self, g: Generator) -> Arc<[Term]> {
        let motion = match g {
            Generator::Sin(i) => SINE << (BITS * i as u32),
            Generator::Cos(i) | Generator::Length(i) => 1 << (BITS * i as u32),
            Generator::Symbol(_) => 0,
        };
        let symbols = if let Generator::Symbol(k) = g { self.product_of(vec![(k as u16, 1)]) } else { 0 };
        Arc::new([Term::exact(Monomial { motion, symbols }, 1.0)])
    }

    fn product_of(&mut self, powers: Vec<(u16, u8)>) -> u32 {
        let powers = powers.into_boxed_slice();
        if let Some(&k) = self.numbers.get(&powers) {
            return k;
        }
        let k = self.products.len() as u32;
        self.products.push(powers.clone());
        self.numbers.insert(powers, k);
        k
    }

    fn multiply_symbols(&mut self, a: u32, b: u32) -> u32 {
        let key = (a.min(b), a.max(b));
        match key {
            (0, b) => b,
            _ => match self.multiplied.get(&key) {
                Some(&k) => k,
                None => {
                    let mut powers = self.products[a as usize].to_vec();
                    for &(symbol, power) in &self.products[b as usize] {
                        match powers.iter_mut().find(|p| p.0 == symbol) {
                            Some(p) => p.1 += power,
                            None => powers.push((symbol, power)),
                        }
                    }
                    powers.sort_unstable();
                    let k = self.product_of(powers);
                    self.multiplied.insert(key, k);
                    k
                }
            },
        }
    }

    /// The symbols of a product, with their powers.
    pub(super) fn symbols(&self, product: u32) -> &[(u16, u8)] {
        &self.products[product as usize]
    }

    /// The configuration-dependent factors of a monomial, with their powers.
    pub(super) fn motion(&self, motion: u128) -> Vec<(Generator, u8)> {
        let mut factors = vec![];
        for (i, c) in self.coordinates.iter().enumerate() {
            let part = motion >> (BITS * i as u32) & (SINE | POWER);
            match c {
                Coordinate::Length if part > 0 => factors.push((Generator::Length(i), part as u8)),
                Coordinate::Length => {}
                Coordinate::Angle => {
                    if part & SINE > 0 {
                        factors.push((Generator::Sin(i), 1));
                    }
                    if part & POWER > 0 {
                        factors.push((Generator::Cos(i), (part & POWER) as u8));
                    }
                }
            }
        }
        factors
    }

    pub(super) fn sum(&self, a: &[Term], b: &[Term], sign: f64) -> Value {
        // Merges two sorted lists.
        let mut out = Vec::with_capacity(a.len() + b.len());
        let (mut i, mut j) = (0, 0);
        while i < a.len() || j < b.len() {
            let (x, y) = (a.get(i), b.get(j));
            match (x, y) {
                (Some(x), Some(y)) if x.monomial == y.monomial => {
                    let (sum, magnitude) = (x.coefficient + sign * y.coefficient, x.magnitude + y.magnitude);
                    if sum.abs() > ROUNDING * magnitude {
                        out.push(Term { coefficient: sum, magnitude, ..*x });
                    }
                    (i, j) = (i + 1, j + 1);
                }
                (Some(x), y) if y.is_none_or(|y| x.monomial < y.monomial) => {
                    out.push(*x);
                    i += 1;
                }
                (_, y) => {
                    let y = y.expect("one of them is left");
                    out.push(Term { coefficient: sign * y.coefficient, ..*y });
                    j += 1;
                }
            }
        }
        if out.len() > self.limit { Err(Failure::TooLong) } else { Ok(out.into()) }
    }

    pub(super) fn product(&mut self, a: &[Term], b: &[Term]) -> Value {
        if self.deadline.is_some_and(|d| Instant::now() > d) {
            return Err(Failure::OutOfTime);
        }
        if a.len() * b.len() > 64 * self.limit {
            return Err(Failure::TooLong);
        }
        let mut sums = Sums::default();
        for x in a {
            for y in b {
                let symbols = self.multiply_symbols(x.monomial.symbols, y.monomial.symbols);
                let coefficient = (x.coefficient * y.coefficient, x.magnitude * y.magnitude);
                let (p, q) = (x.monomial.motion, y.monomial.motion);
                let twice = p & q & self.sines;
                // Sines in one of them remain; those in both become 1 − c².
                let motion = (p & !self.sines) + (q & !self.sines) + ((p ^ q) & self.sines);
                spread(&mut sums, Monomial { motion, symbols }, coefficient, twice);
            }
        }
        if sums.keys().any(|m| self.is_full(m.motion)) || sums.len() > self.limit {
            return Err(Failure::TooLong);
        }
        Ok(sorted(sums))
    }

    /// Whether a power is so high that the next product might overflow.
    fn is_full(&self, motion: u128) -> bool {
        (0..self.coordinates.len() as u32)
            .any(|i| motion >> (BITS * i) & (SINE | POWER) & !(self.sines >> (BITS * i)) > 6)
    }

    /// ∂/∂qᵢ.
    pub(super) fn derivative(&mut self, a: &[Term], i: usize) -> Value {
        let at = BITS * i as u32;
        let own = self.angles.iter().find(|(_, c)| **c == i).map(|(k, _)| *k as u16);
        let mut sums = Sums::default();
        for t in a {
            let (x, m) = (t.number(), t.monomial);
            let part = m.motion >> at & (SINE | POWER);
            let power = part & POWER;
            let c = |steps: i32| if steps < 0 { m.motion - (1 << at) } else { m.motion + (1 << at) };
            match self.coordinates[i] {
                Coordinate::Length if part > 0 => {
                    add(&mut sums, Monomial { motion: c(-1), ..m }, times(x, part as f64))
                }
                Coordinate::Length => {}
                Coordinate::Angle => {
                    if part & SINE > 0 {
                        add(&mut sums, Monomial { motion: c(1) - (SINE << at), ..m }, x);
                    }
                    if power > 0 {
                        let less = c(-1);
                        let (motion, twice) =
                            if part & SINE > 0 { (less - (SINE << at), SINE << at) } else { (less + (SINE << at), 0) };
                        spread(&mut sums, Monomial { motion, ..m }, times(x, -(power as f64)), twice);
                    }
                    // A helical joint has the angle itself as a factor.
                    let powers = self.products[m.symbols as usize].to_vec();
                    if let Some(&(k, power)) = powers.iter().find(|p| Some(p.0) == own) {
                        let rest = powers.iter().map(|&(s, p)| (s, if s == k { p - 1 } else { p }));
                        let symbols = self.product_of(rest.filter(|p| p.1 > 0).collect());
                        add(&mut sums, Monomial { symbols, ..m }, times(x, f64::from(power)));
                    }
                }
            }
        }
        Ok(sorted(sums))
    }

    /// A polynomial divided by a product of symbols that divides every term.
    pub(super) fn quotient(&mut self, a: &[Term], b: &[Term]) -> Value {
        let [Term { monomial: Monomial { motion: 0, symbols }, coefficient, .. }] = b else {
            return Err(Failure::NotPolynomial);
        };
        let divisor = self.symbols(*symbols).to_vec();
        let mut terms = Vec::with_capacity(a.len());
        for t in a {
            let mut powers = self.symbols(t.monomial.symbols).to_vec();
            for &(k, power) in &divisor {
                let own = powers.iter_mut().find(|p| p.0 == k && p.1 >= power).ok_or(Failure::NotPolynomial)?;
                own.1 -= power;
            }
            powers.retain(|p| p.1 > 0);
            let monomial = Monomial { motion: t.monomial.motion, symbols: self.product_of(powers) };
            let (coefficient, magnitude) = (t.coefficient / coefficient, t.magnitude / coefficient.abs());
            terms.push(Term { monomial, coefficient, magnitude });
        }
        terms.sort_unstable_by_key(|t| t.monomial);
        Ok(terms.into())
    }

    /// Polynomials without the product of symbols, sines, cosines and lengths that divides all of them.
    pub(super) fn cancelled(&mut self, all: &[super::Poly]) -> Vec<super::Poly> {
        let values: Vec<Arc<[Term]>> = all.iter().filter_map(|&p| self.terms(p).ok()).collect();
        let terms = || values.iter().flat_map(|v| v.iter());
        let Some(first) = terms().next() else { return all.to_vec() };
        let field = |motion: u128, i: u32| (motion >> (BITS * i)) & (SINE | POWER);
        let lower = |a: u128, b: u128| ((a & b) & SINE) | (a & POWER).min(b & POWER);
        let both = |a: u128, b: u128| -> u128 {
            (0..self.coordinates.len() as u32).map(|i| lower(field(a, i), field(b, i)) << (BITS * i)).sum()
        };
        let motion = terms().fold(first.monomial.motion, |common, t| both(common, t.monomial.motion));
        let mut powers = self.symbols(first.monomial.symbols).to_vec();
        for t in terms() {
            let own = self.symbols(t.monomial.symbols);
            for p in &mut powers {
                p.1 = p.1.min(own.iter().find(|o| o.0 == p.0).map_or(0, |o| o.1));
            }
            powers.retain(|p| p.1 > 0);
        }
        let symbols = self.product_of(powers);
        let divisor = [Term::exact(Monomial { motion: 0, symbols }, 1.0)];
        let quotient = |ring: &mut Ring, terms: &[Term]| {
            let lowered: Vec<Term> = terms
                .iter()
                .map(|t| Term { monomial: Monomial { motion: t.monomial.motion - motion, ..t.monomial }, ..*t })
                .collect();
            ring.quotient(&lowered, &divisor)
        };
        values
            .iter()
            .map(|terms| {
                let value = quotient(self, terms);
                self.put(value)
            })
            .collect()
    }

    /// Quotient and remainder of a division by a single factor. By a sine the remainder has powers 0 and 1 of the cosine, by other
    /// factors it lacks the factor.
    pub(super) fn divided(&mut self, a: &[Term], by: Generator) -> (Arc<[Term]>, Arc<[Term]>) {
        let (mut quotient, mut rest) = (Sums::default(), Sums::default());
        for t in a {
            let (x, mut m) = (t.number(), t.monomial);
            match by {
                Generator::Symbol(k) => {
                    let powers = self.products[m.symbols as usize].to_vec();
                    let own = |s: u16| usize::from(s) == k;
                    if powers.iter().any(|p| own(p.0)) {
                        let less = powers.iter().map(|&(s, p)| (s, if own(s) { p - 1 } else { p }));
                        let symbols = self.product_of(less.filter(|p| p.1 > 0).collect());
                        add(&mut quotient, Monomial { symbols, ..m }, x);
                        continue;
                    }
                }
                Generator::Cos(i) | Generator::Length(i) => {
                    let one = 1 << (BITS * i as u32);
                    if m.motion >> (BITS * i as u32) & POWER > 0 {
                        add(&mut quotient, Monomial { motion: m.motion - one, ..m }, x);
                        continue;
                    }
                }
                Generator::Sin(i) => {
                    let (sine, one) = (SINE << (BITS * i as u32), 1 << (BITS * i as u32));
                    if m.motion & sine > 0 {
                        add(&mut quotient, Monomial { motion: m.motion - sine, ..m }, x);
                        continue;
                    }
                    // c² = 1 − s²
                    while m.motion >> (BITS * i as u32) & POWER >= 2 {
                        m.motion -= 2 * one;
                        add(&mut quotient, Monomial { motion: m.motion + sine, ..m }, times(x, -1.0));
                    }
                }
            }
            add(&mut rest, m, x);
        }
        (sorted(quotient), sorted(rest))
    }

    /// The coordinate that a polynomial is the angle of.
    pub(super) fn angle(&self, a: &[Term]) -> Option<usize> {
        let [Term { monomial: Monomial { motion: 0, symbols }, coefficient: 1.0, .. }] = a else { return None };
        match *self.symbols(*symbols) {
            [(k, 1)] => self.angles.get(&usize::from(k)).copied(),
            _ => None,
        }
    }
}

/// Adds x · m · Π (1 − c²) over the sines in `twice`.
fn spread(sums: &mut Sums, m: Monomial, x: Coefficient, twice: u128) {
    if twice == 0 {
        return add(sums, m, x);
    }
    let bit = 1u128 << twice.trailing_zeros();
    let squared = (bit / SINE) << 1;
    spread(sums, m, x, twice & !bit);
    spread(sums, Monomial { motion: m.motion + squared, ..m }, times(x, -1.0), twice & !bit);
}
