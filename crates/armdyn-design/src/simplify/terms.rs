//! Equations as sums of terms: a coefficient, sines, cosines and lengths, and speeds or accelerations.

use armdyn_core::Real;
use armdyn_symbolic::closed::{Angle, Factor, Sum};
use std::collections::BTreeMap;

/// A factor that depends on the configuration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Atom {
    /// A prismatic coordinate, counted from 0.
    Length(usize),
    /// Sine.
    Sin(Angle),
    /// Cosine.
    Cos(Angle),
}

/// The factor of a term that depends on the motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Motion {
    /// None: present at rest.
    Rest,
    /// q̈ⱼ.
    Acceleration(usize),
    /// q̇ⱼ q̇ₖ, j ≤ k.
    Speeds(usize, usize),
}

/// Powers of the factors.
pub type Powers = BTreeMap<Atom, u8>;

/// A term: coefficient · powers · motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Coefficient.
    pub coefficient: f64,
    /// Sines, cosines and lengths with their powers.
    pub powers: Powers,
    /// Speeds or acceleration.
    pub motion: Motion,
}

impl Term {
    /// The term without its coefficient.
    pub fn key(&self) -> (Motion, Powers) {
        (self.motion, self.powers.clone())
    }
}

/// Expands a sum, times a factor and a motion, and collects like terms.
pub(super) fn expand(sum: &Sum, by: f64, motion: Motion) -> Vec<Term> {
    expanded(sum).into_iter().map(|(powers, x)| Term { coefficient: by * x, powers, motion }).collect()
}

fn expanded(sum: &Sum) -> BTreeMap<Powers, f64> {
    let mut all: BTreeMap<Powers, (f64, f64)> = BTreeMap::new();
    for product in &sum.0 {
        let mut parts = BTreeMap::from([(Powers::new(), product.coefficient)]);
        for (factor, power) in &product.factors {
            let one = match factor {
                Factor::Coordinate(i) => single(Atom::Length(*i)),
                Factor::Sin(a) => single(Atom::Sin(a.clone())),
                Factor::Cos(a) => single(Atom::Cos(a.clone())),
                Factor::Sum(inner) => expanded(inner),
                Factor::Symbol(_) | Factor::Group(_) => unreachable!("parameters are numeric"),
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
    // Drop terms that cancel but for rounding.
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

/// Terms prepared for evaluation at states x = (q, q̇, q̈) with any scalar.
#[derive(Clone, Debug)]
pub(super) struct Basis {
    dofs: usize,
    angles: Vec<Angle>,
    terms: Vec<(Vec<(Slot, u8)>, Motion)>,
}

/// Index of a factor's value.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Length(usize),
    Sin(usize),
    Cos(usize),
}

impl Basis {
    /// The basis of terms for a robot with `dofs` degrees of freedom.
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

    /// The value of each term without its coefficient.
    pub fn values<T: Real>(&self, x: &[T]) -> Vec<T> {
        let mut values = self.factors(x);
        for (value, (_, motion)) in values.iter_mut().zip(&self.terms) {
            match *motion {
                Motion::Rest => {}
                Motion::Acceleration(j) => *value *= x[2 * self.dofs + j],
                Motion::Speeds(j, k) if j == k => *value *= x[self.dofs + j].sqr(),
                Motion::Speeds(j, k) => *value *= x[self.dofs + j] * x[self.dofs + k],
            }
        }
        values
    }

    /// The factor of each term that depends on the configuration.
    pub fn factors<T: Real>(&self, q: &[T]) -> Vec<T> {
        let angle = |a: &Angle| {
            a.parts().fold(T::zero(), |sum, (joint, times)| sum + T::lift(f64::from(times)) * q[joint]).sin_cos()
        };
        let trig: Vec<(T, T)> = self.angles.iter().map(angle).collect();
        let value = |slots: &Vec<(Slot, u8)>| {
            slots.iter().fold(T::one(), |product, &(slot, power)| {
                let one = match slot {
                    Slot::Length(i) => q[i],
                    Slot::Sin(k) => trig[k].0,
                    Slot::Cos(k) => trig[k].1,
                };
                product * power_of(one, power)
            })
        };
        self.terms.iter().map(|(slots, _)| value(slots)).collect()
    }
}

/// A power; even powers are squares, so that intervals stay non-negative.
fn power_of<T: Real>(x: T, power: u8) -> T {
    match power {
        0 => T::one(),
        1 => x,
        p if p % 2 == 0 => power_of(x, p / 2).sqr(),
        p => x * power_of(x, p - 1),
    }
}
