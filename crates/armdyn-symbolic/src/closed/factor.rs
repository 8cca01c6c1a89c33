//! Factored form of sums of terms: common sums and common factors are taken out.

use super::RATES;
use super::form::{Factor, Product, Sum};
use super::ring::Ring;
use super::shorten::{Key, Terms, TrigFunction, Variable};
use std::collections::BTreeMap;

/// A product of symbols and variables.
type Powers = BTreeMap<Atom, u8>;

/// A symbol or variable. The order is that of the printed form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Atom {
    Symbol(usize),
    Variable(Variable),
}

/// A sum of products without a common factor, with leading coefficient 1.
#[derive(Clone, Debug, PartialEq)]
struct Primitive(Vec<(Powers, f64)>);

/// Splits a sum into a number, the common factors, and the rest.
fn primitive(terms: Vec<(Powers, f64)>) -> (f64, Powers, Primitive) {
    let mut common = terms[0].0.clone();
    for (powers, _) in &terms[1..] {
        common.retain(|atom, power| {
            *power = (*power).min(powers.get(atom).copied().unwrap_or(0));
            *power > 0
        });
    }
    let lead = terms[0].1;
    let rest = terms.into_iter().map(|(mut powers, x)| {
        for (atom, power) in &common {
            lessen(&mut powers, atom, *power);
        }
        (powers, x / lead)
    });
    let rest = Primitive(rest.collect());
    (lead, common, rest)
}

/// Makes the coefficients of the rest integers where a small multiple of them is: 2 a + b, not 2 (a + ½ b); 3 a − 4 b, not
/// 3 (a − 1.33333 b).
fn whole((x, common, mut rest): (f64, Powers, Primitive)) -> (f64, Powers, Primitive) {
    let smallest = rest.0.iter().fold(f64::INFINITY, |s, t| s.min(t.1.abs()));
    if smallest != 1.0 && rest.0.iter().all(|t| (t.1 / smallest).fract() == 0.0) {
        rest.0.iter_mut().for_each(|t| t.1 /= smallest);
        return (x * smallest, common, rest);
    }
    let is_whole = |t: f64| (t - t.round()).abs() <= 1e-14 * t.abs() && t.abs() < 1e3;
    let multiple = (2..=200).map(f64::from).find(|k| rest.0.iter().all(|t| is_whole(k * t.1)));
    if let (Some(k), true) = (multiple, rest.0.iter().any(|t| t.1.fract() != 0.0)) {
        rest.0.iter_mut().for_each(|t| t.1 = (t.1 * k).round());
        return (x / k, common, rest);
    }
    (x, common, rest)
}

fn lessen(powers: &mut Powers, atom: &Atom, by: u8) {
    if let Some(p) = powers.get_mut(atom) {
        *p -= by;
        if *p == 0 {
            powers.remove(atom);
        }
    }
}

/// Whether two sums of the same products have the same coefficients.
fn alike(a: &Primitive, b: &Primitive) -> bool {
    a.0.iter().zip(&b.0).all(|(x, y)| (x.1 - y.1).abs() <= 1e-12 * x.1.abs().max(y.1.abs()))
}

/// A set of distinct sums, indexed by their products.
#[derive(Default)]
pub(super) struct Groups {
    sums: Vec<Primitive>,
    by_products: BTreeMap<Vec<Powers>, Vec<usize>>,
}

impl Groups {
    fn number(&mut self, p: &Primitive) -> usize {
        let products = p.0.iter().map(|t| t.0.clone()).collect();
        let known = self.by_products.entry(products).or_default();
        if let Some(&k) = known.iter().find(|&&k| alike(&self.sums[k], p)) {
            return k;
        }
        known.push(self.sums.len());
        self.sums.push(p.clone());
        self.sums.len() - 1
    }

    /// The definitions.
    pub fn definitions(&self, parameters: &[Factor]) -> Vec<Sum> {
        self.sums.iter().map(|p| horner(p.0.clone(), parameters)).collect()
    }
}

/// Writes terms in factored form.
pub(super) struct Writer<'a> {
    pub ring: &'a Ring,
    /// The factor of each symbol of the ring.
    pub parameters: &'a [Factor],
    pub groups: Option<&'a mut Groups>,
}

impl Writer<'_> {
    /// The shorter of two forms: collected by variables with sums of symbols as coefficients, or the reverse.
    pub fn write(&mut self, terms: &Terms) -> Sum {
        if terms.is_empty() {
            return Sum::default();
        }
        if self.groups.is_some() {
            return self.collected(terms, true);
        }
        let (a, b) = (self.collected(terms, true), self.collected(terms, false));
        if a.length() <= b.length() { a } else { b }
    }

    fn parts(&self, key: &Key) -> (Powers, Powers) {
        let mut moving: Powers = key.0.iter().map(|(m, p)| (Atom::Variable(m.clone()), *p)).collect();
        let mut symbols = Powers::new();
        for &(k, power) in self.ring.symbols(key.1) {
            match self.parameters[usize::from(k)] {
                // The angle of a helical joint.
                Factor::Coordinate(i) => moving.insert(Atom::Variable(Variable::Length(i)), power),
                _ => symbols.insert(Atom::Symbol(usize::from(k)), power),
            };
        }
        (moving, symbols)
    }

    fn collected(&mut self, terms: &Terms, by_variables: bool) -> Sum {
        let mut collected: BTreeMap<Powers, Vec<(Powers, f64)>> = BTreeMap::new();
        for (key, &x) in terms {
            let (moving, symbols) = self.parts(key);
            let (outer, inner) = if by_variables { (moving, symbols) } else { (symbols, moving) };
            collected.entry(outer).or_default().push((inner, x));
        }
        // Products with the same sum are collected.
        let mut sums = Groups::default();
        let mut factors_of: Vec<Vec<(Powers, f64)>> = vec![];
        for (outer, mut inner) in collected {
            inner.sort_by(|a, b| reading_order(&a.0, &b.0));
            let (x, mut common, sum) = whole(primitive(inner));
            common.extend(outer);
            let k = sums.number(&sum);
            factors_of.resize(sums.sums.len(), vec![]);
            factors_of[k].push((common, x));
        }
        let mut products = vec![];
        for (sum, mut of) in sums.sums.into_iter().zip(factors_of) {
            of.sort_by(|a, b| reading_order(&a.0, &b.0));
            if sum.0.len() == 1 {
                // Single terms: collected by symbols, so that each symbol occurs once.
                products.extend(self.singles(of));
                continue;
            }
            let factor = match &mut self.groups {
                Some(groups) => Factor::Group(groups.number(&sum)),
                None => Factor::Sum(horner(sum.0, self.parameters)),
            };
            products.push(self.times(of, Some(factor)));
        }
        products.sort_by_key(order_of);
        flat(factored(Sum(products)))
    }

    fn singles(&self, terms: Vec<(Powers, f64)>) -> Vec<Product> {
        let mut by_symbols: BTreeMap<Powers, Vec<(Powers, f64)>> = BTreeMap::new();
        for (powers, x) in terms {
            let (symbols, moving) = powers.into_iter().partition(|(a, _)| matches!(a, Atom::Symbol(_)));
            by_symbols.entry(symbols).or_default().push((moving, x));
        }
        let products = by_symbols.into_iter().map(|(symbols, of)| {
            let of = of.into_iter().map(|(mut moving, x)| {
                moving.extend(symbols.clone());
                (moving, x)
            });
            self.times(of.collect(), None)
        });
        products.collect()
    }

    /// A sum times a factor, as one product.
    fn times(&self, terms: Vec<(Powers, f64)>, factor: Option<Factor>) -> Product {
        let (x, common, rest) = whole(primitive(terms));
        let mut factors = factors(&common, self.parameters);
        if let Some(factor) = factor {
            factors.push((factor, 1));
        }
        if rest.0.len() > 1 {
            factors.push((Factor::Sum(horner(rest.0, self.parameters)), 1));
        }
        factors.sort_by_key(|f| rank(&f.0));
        Product { coefficient: x, factors }
    }
}

/// Takes the common factors out of a sum: g (…).
fn factored(sum: Sum) -> Sum {
    let [first, rest @ ..] = &sum.0[..] else { return sum };
    if rest.is_empty() {
        return sum;
    }
    let common: Vec<(Factor, u8)> = first
        .factors
        .iter()
        .filter_map(|(f, power)| {
            let power_in = |p: &Product| p.factors.iter().find(|x| x.0 == *f).map_or(0, |x| x.1);
            let lowest = rest.iter().map(power_in).fold(*power, u8::min);
            (lowest > 0).then(|| (f.clone(), lowest))
        })
        .collect();
    if common.is_empty() {
        return sum;
    }
    let inner = sum.0.into_iter().map(|mut p| {
        for (f, power) in &common {
            p.factors.iter_mut().filter(|x| x.0 == *f).for_each(|x| x.1 -= power);
        }
        p.factors.retain(|x| x.1 > 0);
        p
    });
    let mut inner = Sum(inner.collect());
    // −g (a + b), not g (−a − b).
    let sign = if inner.0[0].coefficient < 0.0 { -1.0 } else { 1.0 };
    inner.0.iter_mut().for_each(|p| p.coefficient *= sign);
    let mut factors = common;
    factors.push((Factor::Sum(flat(inner)), 1));
    factors.sort_by_key(|f| rank(&f.0));
    Sum(vec![Product { coefficient: sign, factors }])
}

/// Removes brackets around a whole addend.
fn flat(sum: Sum) -> Sum {
    let open = |p: Product| match &p.factors[..] {
        [(Factor::Sum(inner), 1)] if p.coefficient.abs() == 1.0 => {
            let signed =
                |q: &Product| Product { coefficient: q.coefficient * p.coefficient, factors: q.factors.clone() };
            inner.0.iter().map(signed).collect()
        }
        _ => vec![p],
    };
    Sum(sum.0.into_iter().flat_map(open).collect())
}

fn factors(powers: &Powers, parameters: &[Factor]) -> Vec<(Factor, u8)> {
    let factor = |atom: &Atom| match atom {
        Atom::Symbol(k) => parameters[*k].clone(),
        Atom::Variable(Variable::Length(i)) => Factor::Coordinate(*i),
        Atom::Variable(Variable::Trig(a, TrigFunction::Sin)) => Factor::Sin(a.clone()),
        Atom::Variable(Variable::Trig(a, TrigFunction::Cos)) => Factor::Cos(a.clone()),
    };
    powers.iter().map(|(atom, power)| (factor(atom), *power)).collect()
}

/// Horner form: the most frequent symbol is factored out, recursively.
fn horner(terms: Vec<(Powers, f64)>, parameters: &[Factor]) -> Sum {
    let mut counts: BTreeMap<&Atom, usize> = BTreeMap::new();
    let symbols = terms.iter().flat_map(|t| t.0.keys()).filter(|a| matches!(a, Atom::Symbol(_)));
    symbols.for_each(|atom| *counts.entry(atom).or_default() += 1);
    let most = counts.into_iter().max_by_key(|(atom, count)| (*count, std::cmp::Reverse((*atom).clone())));
    let plain = |(powers, x): (Powers, f64)| Product { coefficient: x, factors: factors(&powers, parameters) };
    let Some((atom, 2..)) = most.map(|(atom, count)| (atom.clone(), count)) else {
        return Sum(terms.into_iter().map(plain).collect());
    };
    // The factored product takes the position of the first.
    let first = terms.iter().position(|t| t.0.contains_key(&atom)).expect("it is in two of them");
    let (with, without): (Vec<_>, Vec<_>) = terms.into_iter().partition(|t| t.0.contains_key(&atom));
    let (x, common, inner) = whole(primitive(with));
    let mut product = plain((common, x));
    product.factors.push((Factor::Sum(horner(inner.0, parameters)), 1));
    product.factors.sort_by_key(|f| rank(&f.0));
    let mut sum = if without.is_empty() { vec![] } else { horner(without, parameters).0 };
    sum.insert(first.min(sum.len()), product);
    Sum(sum)
}

/// Lower powers first, then the order of letters.
fn reading_order(a: &Powers, b: &Powers) -> std::cmp::Ordering {
    a.iter().map(|x| (x.0, std::cmp::Reverse(x.1))).cmp(b.iter().map(|x| (x.0, std::cmp::Reverse(x.1))))
}

/// The order of products in a sum: constants first.
fn order_of(p: &Product) -> (usize, usize) {
    let varies = |f: &Factor| !matches!(f, Factor::Symbol(_) | Factor::Group(_));
    (p.factors.iter().filter(|f| varies(&f.0)).count(), p.factors.len())
}

/// The order of factors in a product.
fn rank(f: &Factor) -> usize {
    match f {
        Factor::Symbol(_) => 0,
        Factor::Group(_) => 1,
        Factor::Coordinate(i) if *i >= RATES => 6,
        Factor::Coordinate(_) => 3,
        Factor::Sum(sum) if sum.0.iter().all(|p| p.factors.iter().all(|f| rank(&f.0) <= 2)) => 2,
        Factor::Sin(_) | Factor::Cos(_) => 4,
        Factor::Sum(_) => 5,
    }
}
