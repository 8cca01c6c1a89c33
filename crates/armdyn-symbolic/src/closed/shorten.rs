//! The shortest of several forms of a polynomial: sin² or cos², sums of angles of parallel joints, and multiple angles.
//!
//! Starting from the normal form, terms are joined:
//!
//!   k X − k X cos²a = k X sin²a                                        (1)
//!   k X cos a cos b ∓ k X sin a sin b = k X cos(a ± b)                   (2)
//!   k X sin a cos b ± k X cos a sin b = k X sin(a ± b)
//!
//! (2) for joints with parallel axes, both in joint angles and in angles relative to the first of them. The form with the
//! fewest terms is chosen.

use super::form::Angle;
use super::poly::Poly;
use super::ring::{Coordinate, Generator, Ring};
use armdyn_core::Real;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of terms for which all variants are tried.
pub(super) const LONG: usize = 300;

/// A configuration-dependent factor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Variable {
    Length(usize),
    Trig(Angle, TrigFunction),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TrigFunction {
    Sin,
    Cos,
}

/// The variables of a term, and the number of its product of symbols.
pub(super) type Key = (BTreeMap<Variable, u8>, u32);

/// Coefficients by term.
pub(super) type Terms = BTreeMap<Key, f64>;

/// For each joint the preceding joint with a parallel axis, with −1 if the axes are opposite.
pub(super) type Parallel = Vec<Option<(usize, i32)>>;

/// Equality up to rounding.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

/// The terms of a polynomial whose i-th angle is `angles[i]`.
fn terms(ring: &Ring, p: Poly, angles: &[Angle]) -> Terms {
    let mut out = Terms::new();
    for t in ring.terms(p).expect("checked before").iter() {
        let factor = |(g, power): (Generator, u8)| match g {
            Generator::Sin(i) => (Variable::Trig(angles[i].clone(), TrigFunction::Sin), power),
            Generator::Cos(i) => (Variable::Trig(angles[i].clone(), TrigFunction::Cos), power),
            Generator::Length(i) | Generator::Symbol(i) => (Variable::Length(i), power),
        };
        let moving = ring.motion(t.monomial.motion).into_iter().map(factor).collect();
        out.insert((moving, t.monomial.symbols), t.coefficient);
    }
    out
}

fn add(terms: &mut Terms, key: Key, x: f64) {
    let sum = terms.entry(key.clone()).or_insert(0.0);
    let before = *sum;
    *sum += x;
    if same(before, -x) {
        terms.remove(&key);
    }
}

/// Changes the power of a factor.
fn with(key: &Key, factor: &Variable, change: i8) -> Option<Key> {
    let mut key = key.clone();
    let power = key.0.get(factor).copied().unwrap_or(0).checked_add_signed(change)?;
    match power {
        0 => key.0.remove(factor),
        p => key.0.insert(factor.clone(), p),
    };
    Some(key)
}

/// (1) for one angle. With `split` also the common part of two unequal coefficients.
fn join_squares(terms: &mut Terms, angle: &Angle, split: bool) {
    let [sin, cos] = [TrigFunction::Sin, TrigFunction::Cos].map(|f| Variable::Trig(angle.clone(), f));
    let squared: Vec<Key> = terms.keys().filter(|k| k.0.get(&cos).is_some_and(|p| *p >= 2)).cloned().collect();
    for key in squared {
        let Some(plain) = with(&key, &cos, -2) else { continue };
        let (Some(&x), Some(&y)) = (terms.get(&plain), terms.get(&key)) else { continue };
        if !(same(x, -y) || split && x * y < 0.0) {
            continue;
        }
        let k = if x.abs() < y.abs() { x } else { -y };
        let joined = with(&plain, &sin, 2).expect("powers grow");
        add(terms, plain, -k);
        add(terms, key, k);
        add(terms, joined, k);
    }
}

/// (2) for two angles.
fn join_angles(terms: &mut Terms, a: &Angle, b: &Angle) {
    let [sa, sb] = [a, b].map(|x| Variable::Trig(x.clone(), TrigFunction::Sin));
    let [ca, cb] = [a, b].map(|x| Variable::Trig(x.clone(), TrigFunction::Cos));
    for (first, second, like) in [([&ca, &cb], [&sa, &sb], false), ([&sa, &cb], [&ca, &sb], true)] {
        let keys: Vec<Key> = terms.keys().filter(|k| first.iter().all(|f| k.0.contains_key(f))).cloned().collect();
        for key in keys {
            let change = |key: &Key, factors: [&Variable; 2], by| {
                with(key, factors[0], by).and_then(|k| with(&k, factors[1], by))
            };
            let Some(rest) = change(&key, first, -1) else { continue };
            let other = change(&rest, second, 1).expect("powers grow");
            let (Some(&x), Some(&y)) = (terms.get(&key), terms.get(&other)) else { continue };
            let plus = if same(x, y) {
                like
            } else if same(x, -y) {
                !like
            } else {
                continue;
            };
            let (angle, flipped) = a.plus(b, if plus { 1 } else { -1 }).normalised();
            terms.remove(&key);
            terms.remove(&other);
            let (joined, x) = if like {
                (Variable::Trig(angle, TrigFunction::Sin), if flipped { -x } else { x })
            } else {
                (Variable::Trig(angle, TrigFunction::Cos), x)
            };
            add(terms, with(&rest, &joined, 1).expect("powers grow"), x);
        }
    }
}

fn angles_in(terms: &Terms) -> BTreeSet<Angle> {
    let angle = |m: &Variable| match m {
        Variable::Trig(a, _) => Some(a.clone()),
        Variable::Length(_) => None,
    };
    terms.keys().flat_map(|k| k.0.keys().filter_map(angle)).collect()
}

fn length(terms: &Terms) -> (usize, usize) {
    (terms.len(), terms.keys().map(|k| k.0.values().map(|p| usize::from(*p)).sum::<usize>()).sum())
}

/// Shortens the polynomials of a robot.
pub(super) struct Rewriter {
    own: Vec<Angle>,
    /// The angle of each joint relative to the first of the joints parallel to it.
    summed: Vec<Angle>,
    parallel: Parallel,
}

impl Rewriter {
    pub fn new(parallel: Parallel) -> Self {
        let own: Vec<Angle> = (0..parallel.len()).map(Angle::of).collect();
        let mut summed = own.clone();
        for (j, before) in parallel.iter().enumerate() {
            if let Some((i, sign)) = *before {
                summed[j] = summed[j].plus(&summed[i].clone(), sign);
            }
        }
        Rewriter { own, summed, parallel }
    }

    /// Whether two joints are parallel.
    fn are_parallel(&self, i: usize, j: usize) -> bool {
        let first = |joint| std::iter::successors(Some(joint), |&k: &usize| Some(self.parallel[k]?.0)).last();
        first(i) == first(j)
    }

    /// In the active ring: the polynomial in the sines and cosines of the summed angles.
    pub fn in_summed(&self, p: Poly) -> Option<Poly> {
        self.parallel.iter().any(Option::is_some).then(|| {
            p.substituted(|g| match g {
                Generator::Sin(j) | Generator::Cos(j) => match self.parallel[j] {
                    None => Poly::generator(g),
                    Some((i, sign)) => {
                        let [s, c] = [Generator::Sin(j), Generator::Cos(j)].map(Poly::generator);
                        let sign = Poly::lift(f64::from(sign));
                        let (si, ci) = (sign * Poly::generator(Generator::Sin(i)), Poly::generator(Generator::Cos(i)));
                        if matches!(g, Generator::Sin(_)) { s * ci - c * si } else { c * ci + s * si }
                    }
                },
                other => Poly::generator(other),
            })
        })
    }

    /// The shortest form found; `summed` is the result of [`Rewriter::in_summed`].
    pub fn shortest(&self, ring: &Ring, p: Poly, summed: Option<Poly>) -> Terms {
        let starts = [Some((p, &self.own)), summed.map(|p| (p, &self.summed))];
        let mut best: Option<Terms> = None;
        for (p, angles) in starts.into_iter().flatten() {
            let start = terms(ring, p, angles);
            // The order of (1) and (2) matters if both apply; not all variants are tried for long sums.
            let orders = if self.parallel.iter().any(Option::is_some) { 2 } else { 1 };
            let variants = if start.len() > LONG { orders } else { 4 * orders };
            for variant in 0..variants {
                let found = self.joined(start.clone(), angles, {
                    let (last, rest) = (variant % orders, variant / orders);
                    [rest & 1 > 0, rest & 2 > 0, last > 0]
                });
                if best.as_ref().is_none_or(|b| length(&found) < length(b)) {
                    best = Some(found);
                }
            }
        }
        best.unwrap_or_default()
    }

    fn joined(&self, mut terms: Terms, angles: &[Angle], [backwards, split, squares_last]: [bool; 3]) -> Terms {
        let mut order: Vec<usize> = (0..angles.len()).collect();
        if backwards {
            order.reverse();
        }
        let squares = |terms: &mut Terms| order.iter().for_each(|&i| join_squares(terms, &angles[i], split));
        if !squares_last {
            squares(&mut terms);
        }
        // New angles can be joined again.
        for _ in 0..3 {
            let before = terms.len();
            let found: Vec<Angle> = angles_in(&terms).into_iter().collect();
            for (k, a) in found.iter().enumerate() {
                for b in found[..k].iter() {
                    let joint = |x: &Angle| x.parts().next().map(|p| p.0);
                    let (Some(i), Some(j)) = (joint(a), joint(b)) else { continue };
                    let overlap = a.parts().any(|(i, _)| b.parts().any(|(j, _)| i == j));
                    // A sum of joint angles contains each joint once.
                    if self.are_parallel(i, j) && (angles == self.summed || !overlap) {
                        join_angles(&mut terms, a, b);
                    }
                }
            }
            if terms.len() == before {
                break;
            }
        }
        if squares_last {
            squares(&mut terms);
        }
        terms
    }
}

/// Multiple angles: every product of sines and cosines as a sum of one sine or cosine each.
///
///   cos a cos b = ½ cos(a − b) + ½ cos(a + b),   sin a sin b = ½ cos(a − b) − ½ cos(a + b),
///   sin a cos b = ½ sin(a − b) + ½ sin(a + b)
pub(super) fn multiple_angles(ring: &Ring, p: Poly) -> Terms {
    let own: Vec<Angle> = (0..ring.coordinates().len()).map(Angle::of).collect();
    let mut out = Terms::new();
    for ((moving, symbols), x) in terms(ring, p, &own) {
        let mut lengths = BTreeMap::new();
        // Σ x cos a, or x sin a if the flag is set; 1 is cos 0.
        let mut sum = vec![(x, Angle::default(), false)];
        for (factor, power) in moving {
            let (angle, sine) = match factor {
                Variable::Length(_) => {
                    lengths.insert(factor, power);
                    continue;
                }
                Variable::Trig(a, wave) => (a, wave == TrigFunction::Sin),
            };
            for _ in 0..power {
                let times = |(x, a, s): &(f64, Angle, bool)| {
                    let (less, more) = (a.plus(&angle, -1), a.plus(&angle, 1));
                    let half = 0.5 * x;
                    match (*s, sine) {
                        (false, false) => [(half, less, false), (half, more, false)],
                        (true, true) => [(half, less, false), (-half, more, false)],
                        (true, false) => [(half, less, true), (half, more, true)],
                        // cos a sin b = ½ sin(a + b) − ½ sin(a − b)
                        (false, true) => [(-half, less, true), (half, more, true)],
                    }
                };
                sum = sum.iter().flat_map(times).collect();
            }
        }
        for (x, angle, sine) in sum {
            let (angle, flipped) = angle.normalised();
            let mut key = lengths.clone();
            match (angle.is_zero(), sine) {
                (true, true) => continue,
                (true, false) => None,
                (false, true) => key.insert(Variable::Trig(angle, TrigFunction::Sin), 1),
                (false, false) => key.insert(Variable::Trig(angle, TrigFunction::Cos), 1),
            };
            add(&mut out, (key, symbols), if sine && flipped { -x } else { x });
        }
    }
    out
}

/// The parallel joints, from the rotations between them.
pub(super) fn parallel(m: &armdyn_core::Model<f64>, coordinates: &[Coordinate]) -> Parallel {
    if !m.followers().is_empty() {
        return vec![None; coordinates.len()]; // coordinates are not those of the bodies
    }
    m.base_to_tip()
        .map(|(number, b)| {
            let (mut axis, mut at) = (b.placement.rotation.z, b.parent);
            if coordinates[number - 1] != Coordinate::Angle {
                return None;
            }
            while at > 0 && coordinates[at - 1] != Coordinate::Angle {
                axis = m.body(at).placement.rotation.rotate(axis);
                at = m.body(at).parent;
            }
            (at > 0 && (axis.z.abs() - 1.0).abs() < 1e-15).then(|| (at - 1, axis.z.signum() as i32))
        })
        .collect()
}
