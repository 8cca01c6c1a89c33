//! Terms as a person writes them: sums that occur more than once and factors that are common are taken out.

use super::form::{Factor, Product, Sum};
use super::ring::Ring;
use super::shorten::{Key, Moving, Terms, Wave};
use std::collections::BTreeMap;

/// A product of symbols and of what moves.
type Powers = BTreeMap<Atom, u8>;

/// A letter of a term. Their order is the order they are written in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Atom {
    Symbol(usize),
    Moving(Moving),
}

/// A sum of products of symbols, without what all have in common, its first coefficient 1.
#[derive(Clone, Debug, PartialEq)]
struct Primitive(Vec<(Powers, f64)>);

/// Splits a sum into a number, what is common to all of it, and the rest.
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

/// With whole numbers in the rest where the smallest of them divides the others: 2 a + b, not 2 (a + ½ b).
fn whole((x, common, mut rest): (f64, Powers, Primitive)) -> (f64, Powers, Primitive) {
    let least = rest.0.iter().fold(f64::INFINITY, |s, t| s.min(t.1.abs()));
    if least != 1.0 && rest.0.iter().all(|t| (t.1 / least).fract() == 0.0) {
        rest.0.iter_mut().for_each(|t| t.1 /= least);
        return (x * least, common, rest);
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

/// Sums of the same products, with the same coefficients.
fn alike(a: &Primitive, b: &Primitive) -> bool {
    a.0.iter().zip(&b.0).all(|(x, y)| (x.1 - y.1).abs() <= 1e-12 * x.1.abs().max(y.1.abs()))
}

/// Sums that are told apart: each is found by its products, then by their coefficients.
#[derive(Default)]
pub(super) struct Groups {
    found: Vec<Primitive>,
    by_products: BTreeMap<Vec<Powers>, Vec<usize>>,
}

impl Groups {
    fn number(&mut self, p: &Primitive) -> usize {
        let products = p.0.iter().map(|t| t.0.clone()).collect();
        let known = self.by_products.entry(products).or_default();
        if let Some(&k) = known.iter().find(|&&k| alike(&self.found[k], p)) {
            return k;
        }
        known.push(self.found.len());
        self.found.push(p.clone());
        self.found.len() - 1
    }

    /// What each is.
    pub fn definitions(&self, parameters: &[Factor]) -> Vec<Sum> {
        self.found.iter().map(|p| horner(p.0.clone(), parameters)).collect()
    }
}

/// How terms are written.
pub(super) struct Writer<'a> {
    pub ring: &'a Ring,
    /// The parameter that each symbol of the ring is; none for a joint's own angle.
    pub parameters: &'a [Factor],
    pub groups: Option<&'a mut Groups>,
}

impl Writer<'_> {
    /// The shorter of: by what moves, with sums of symbols as coefficients; by symbols, with sums of what moves.
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
        let mut moving: Powers = key.0.iter().map(|(m, p)| (Atom::Moving(m.clone()), *p)).collect();
        let mut symbols = Powers::new();
        for &(k, power) in self.ring.symbols(key.1) {
            match self.parameters[usize::from(k)] {
                // A screw's own angle.
                Factor::Coordinate(i) => moving.insert(Atom::Moving(Moving::Length(i)), power),
                _ => symbols.insert(Atom::Symbol(usize::from(k)), power),
            };
        }
        (moving, symbols)
    }

    fn collected(&mut self, terms: &Terms, by_motion: bool) -> Sum {
        let mut collected: BTreeMap<Powers, Vec<(Powers, f64)>> = BTreeMap::new();
        for (key, &x) in terms {
            let (moving, symbols) = self.parts(key);
            let (outer, inner) = if by_motion { (moving, symbols) } else { (symbols, moving) };
            collected.entry(outer).or_default().push((inner, x));
        }
        // What is multiplied by the same sum is a sum itself.
        let mut sums = Groups::default();
        let mut factors_of: Vec<Vec<(Powers, f64)>> = vec![];
        for (outer, mut inner) in collected {
            inner.sort_by(|a, b| reading_order(&a.0, &b.0));
            let (x, mut common, sum) = whole(primitive(inner));
            common.extend(outer);
            let k = sums.number(&sum);
            factors_of.resize(sums.found.len(), vec![]);
            factors_of[k].push((common, x));
        }
        let mut products = vec![];
        for (sum, mut of) in sums.found.into_iter().zip(factors_of) {
            of.sort_by(|a, b| reading_order(&a.0, &b.0));
            if sum.0.len() == 1 {
                // Single terms: once more by the other kind, so that I (…) stands once.
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
        flat(taken_out(Sum(products)))
    }

    fn singles(&self, terms: Vec<(Powers, f64)>) -> Vec<Product> {
        let mut by_symbols: BTreeMap<Powers, Vec<(Powers, f64)>> = BTreeMap::new();
        for (powers, x) in terms {
            let (symbols, moving) = powers.into_iter().partition(|(a, _)| matches!(a, Atom::Symbol(_)));
            by_symbols.entry(symbols).or_default().push((moving, x));
        }
        let each = by_symbols.into_iter().map(|(symbols, of)| {
            let of = of.into_iter().map(|(mut moving, x)| {
                moving.extend(symbols.clone());
                (moving, x)
            });
            self.times(of.collect(), None)
        });
        each.collect()
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

/// What every product of a sum has, before it: g (…).
fn taken_out(sum: Sum) -> Sum {
    let [first, rest @ ..] = &sum.0[..] else { return sum };
    if rest.is_empty() {
        return sum;
    }
    let common: Vec<(Factor, u8)> = first
        .factors
        .iter()
        .filter_map(|(f, power)| {
            let power_in = |p: &Product| p.factors.iter().find(|x| x.0 == *f).map_or(0, |x| x.1);
            let least = rest.iter().map(power_in).fold(*power, u8::min);
            (least > 0).then(|| (f.clone(), least))
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

/// A bracket that is an addend by itself needs none.
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
        Atom::Moving(Moving::Length(i)) => Factor::Coordinate(*i),
        Atom::Moving(Moving::Wave(a, Wave::Sin)) => Factor::Sin(a.clone()),
        Atom::Moving(Moving::Wave(a, Wave::Cos)) => Factor::Cos(a.clone()),
    };
    powers.iter().map(|(atom, power)| (factor(atom), *power)).collect()
}

/// A sum of products, with the symbol that is in most of them taken out of those, and so on.
fn horner(terms: Vec<(Powers, f64)>, parameters: &[Factor]) -> Sum {
    let mut counts: BTreeMap<&Atom, usize> = BTreeMap::new();
    let symbols = terms.iter().flat_map(|t| t.0.keys()).filter(|a| matches!(a, Atom::Symbol(_)));
    symbols.for_each(|atom| *counts.entry(atom).or_default() += 1);
    let most = counts.into_iter().max_by_key(|(atom, count)| (*count, std::cmp::Reverse((*atom).clone())));
    let plain = |(powers, x): (Powers, f64)| Product { coefficient: x, factors: factors(&powers, parameters) };
    let Some((atom, 2..)) = most.map(|(atom, count)| (atom.clone(), count)) else {
        return Sum(terms.into_iter().map(plain).collect());
    };
    // What has it stands where the first of them stood.
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

/// Where a product stands in a sum: what does not move first.
fn order_of(p: &Product) -> (usize, usize) {
    let moves = |f: &Factor| !matches!(f, Factor::Symbol(_) | Factor::Group(_));
    (p.factors.iter().filter(|f| moves(&f.0)).count(), p.factors.len())
}

/// Where a factor stands in a product.
fn rank(f: &Factor) -> usize {
    match f {
        Factor::Symbol(_) => 0,
        Factor::Group(_) => 1,
        Factor::Coordinate(_) => 3,
        Factor::Sum(sum) if sum.0.iter().all(|p| p.factors.iter().all(|f| rank(&f.0) <= 2)) => 2,
        Factor::Sin(_) | Factor::Cos(_) => 4,
        Factor::Sum(_) => 5,
    }
}
