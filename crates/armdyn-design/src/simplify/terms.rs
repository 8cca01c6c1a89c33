//! Equations as sums of terms: a coefficient, sines, cosines and lengths, and what moves.

use armdyn_core::Real;
use armdyn_symbolic::closed::{Angle, Factor, Sum};
use std::collections::BTreeMap;

/// What a term varies with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Atom {
    /// A coordinate itself, by its number from 0.
    Length(usize),
    /// A sine.
    Sin(Angle),
    /// A cosine.
    Cos(Angle),
}

/// What a term is multiplied by to be a torque.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Motion {
    /// Nothing: it is there at rest.
    Rest,
    /// q̈ⱼ.
    Acceleration(usize),
    /// q̇ⱼ q̇ₖ, j ≤ k.
    Speeds(usize, usize),
}

/// Powers of what varies.
pub type Powers = BTreeMap<Atom, u8>;

/// A term: coefficient · powers · motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// The number.
    pub coefficient: f64,
    /// Sines, cosines, lengths with their powers.
    pub powers: Powers,
    /// What moves.
    pub motion: Motion,
}

impl Term {
    /// What it is, but for its coefficient.
    pub fn key(&self) -> (Motion, Powers) {
        (self.motion, self.powers.clone())
    }
}

/// A written sum without brackets, times a number and a motion; like terms are joined.
pub(super) fn expand(sum: &Sum, by: f64, motion: Motion) -> Vec<Term> {
    let like = spread(sum).into_iter().map(|(powers, x)| Term { coefficient: by * x, powers, motion });
    like.collect()
}

fn spread(sum: &Sum) -> BTreeMap<Powers, f64> {
    let mut all: BTreeMap<Powers, (f64, f64)> = BTreeMap::new();
    for product in &sum.0 {
        let mut parts = BTreeMap::from([(Powers::new(), product.coefficient)]);
        for (factor, power) in &product.factors {
            let one = match factor {
                Factor::Coordinate(i) => single(Atom::Length(*i)),
                Factor::Sin(a) => single(Atom::Sin(a.clone())),
                Factor::Cos(a) => single(Atom::Cos(a.clone())),
                Factor::Sum(inner) => spread(inner),
                Factor::Symbol(_) | Factor::Group(_) => unreachable!("the robot's figures are numbers"),
            };
            for _ in 0..*power {
                parts = times(&parts, &one);
            }
        }
        for (powers, x) in parts {
            let sum = all.entry(powers).or_default();
            *sum = (sum.0 + x, sum.1 + x.abs());
        }
    }
    // What cancels but for rounding is no term.
    all.into_iter().filter(|(_, (x, size))| x.abs() > 1e-13 * size).map(|(powers, (x, _))| (powers, x)).collect()
}

fn single(atom: Atom) -> BTreeMap<Powers, f64> {
    BTreeMap::from([(Powers::from([(atom, 1)]), 1.0)])
}

fn times(a: &BTreeMap<Powers, f64>, b: &BTreeMap<Powers, f64>) -> BTreeMap<Powers, f64> {
    let mut out = BTreeMap::new();
    for (p, x) in a {
        for (q, y) in b {
            let mut powers = p.clone();
            for (atom, power) in q {
                *powers.entry(atom.clone()).or_default() += power;
            }
            *out.entry(powers).or_default() += x * y;
        }
    }
    out
}

/// Terms prepared to be evaluated at states x = (q, q̇, q̈), over any number.
#[derive(Clone, Debug)]
pub(super) struct Basis {
    dofs: usize,
    angles: Vec<Angle>,
    terms: Vec<(Vec<(Slot, u8)>, Motion)>,
}

/// Where an atom's value is.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Length(usize),
    Sin(usize),
    Cos(usize),
}

impl Basis {
    /// Of terms, for a robot with so many degrees of freedom.
    pub fn new<'a>(dofs: usize, keys: impl IntoIterator<Item = &'a Term>) -> Self {
        let mut angles: Vec<Angle> = vec![];
        let mut place = |a: &Angle| {
            angles.iter().position(|b| b == a).unwrap_or_else(|| {
                angles.push(a.clone());
                angles.len() - 1
            })
        };
        let mut slot = |atom: &Atom| match atom {
            Atom::Length(i) => Slot::Length(*i),
            Atom::Sin(a) => Slot::Sin(place(a)),
            Atom::Cos(a) => Slot::Cos(place(a)),
        };
        let terms = keys
            .into_iter()
            .map(|t| (t.powers.iter().map(|(atom, power)| (slot(atom), *power)).collect(), t.motion))
            .collect();
        Basis { dofs, angles, terms }
    }

    /// The value of each term, without its coefficient.
    pub fn values<T: Real>(&self, x: &[T]) -> Vec<T> {
        let angle = |a: &Angle| {
            a.parts().fold(T::zero(), |sum, (joint, times)| sum + T::lift(f64::from(times)) * x[joint]).sin_cos()
        };
        let waves: Vec<(T, T)> = self.angles.iter().map(angle).collect();
        let value = |(slots, motion): &(Vec<(Slot, u8)>, Motion)| {
            let still = slots.iter().fold(T::one(), |product, &(slot, power)| {
                let one = match slot {
                    Slot::Length(i) => x[i],
                    Slot::Sin(k) => waves[k].0,
                    Slot::Cos(k) => waves[k].1,
                };
                product * raised(one, power)
            });
            match *motion {
                Motion::Rest => still,
                Motion::Acceleration(j) => still * x[2 * self.dofs + j],
                Motion::Speeds(j, k) if j == k => still * x[self.dofs + j].sqr(),
                Motion::Speeds(j, k) => still * x[self.dofs + j] * x[self.dofs + k],
            }
        };
        self.terms.iter().map(value).collect()
    }
}

/// An even power is a square: for an interval never below zero.
fn raised<T: Real>(x: T, power: u8) -> T {
    match power {
        0 => T::one(),
        1 => x,
        p if p % 2 == 0 => raised(x, p / 2).sqr(),
        p => x * raised(x, p - 1),
    }
}
