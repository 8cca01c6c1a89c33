//! The shortest of several ways to write a polynomial: which of sin² and cos² to keep, sums of angles of parallel joints, and
//! multiple angles.
//!
//! From the normal form, like terms are joined:
//!
//!   k X − k X cos²a = k X sin²a                                        (1)
//!   k X cos a cos b ∓ k X sin a sin b = k X cos(a ± b)                   (2)
//!   k X sin a cos b ± k X cos a sin b = k X sin(a ± b)
//!
//! (2) for joints with parallel axes, once in the joints' angles and once in the angles that they make with the first of
//! them, where the links' own motion is simple. The way that leaves the fewest terms is taken.

use super::form::Angle;
use super::poly::Poly;
use super::ring::{Coordinate, Generator, Ring};
use armdyn_core::Real;
use std::collections::{BTreeMap, BTreeSet};

/// How many terms a sum may have to be tried in every way.
pub(super) const LONG: usize = 300;

/// A factor that moves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moving {
    Length(usize),
    Wave(Angle, Wave),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wave {
    Sin,
    Cos,
}

/// What moves of a term, and the number of its product of symbols.
pub(super) type Key = (BTreeMap<Moving, u8>, u32);

/// Terms by what they are of.
pub(super) type Terms = BTreeMap<Key, f64>;

/// The joint before each whose axis is parallel to its own, with −1 where it points the other way.
pub(super) type Parallel = Vec<Option<(usize, i32)>>;

/// Same but for rounding.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

/// How a polynomial's angles are to be read: slot by slot.
fn terms(ring: &Ring, p: Poly, angles: &[Angle]) -> Terms {
    let mut out = Terms::new();
    for t in ring.terms(p).expect("checked before").iter() {
        let factor = |(g, power): (Generator, u8)| match g {
            Generator::Sin(i) => (Moving::Wave(angles[i].clone(), Wave::Sin), power),
            Generator::Cos(i) => (Moving::Wave(angles[i].clone(), Wave::Cos), power),
            Generator::Length(i) | Generator::Symbol(i) => (Moving::Length(i), power),
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

/// A key with a factor's power changed.
fn with(key: &Key, factor: &Moving, change: i8) -> Option<Key> {
    let mut key = key.clone();
    let power = key.0.get(factor).copied().unwrap_or(0).checked_add_signed(change)?;
    match power {
        0 => key.0.remove(factor),
        p => key.0.insert(factor.clone(), p),
    };
    Some(key)
}

/// (1) for one angle. Where `split`, also the part that two unequal coefficients have in common.
fn join_squares(terms: &mut Terms, angle: &Angle, split: bool) {
    let (sin, cos) = (Moving::Wave(angle.clone(), Wave::Sin), Moving::Wave(angle.clone(), Wave::Cos));
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
    let [sa, sb] = [a, b].map(|x| Moving::Wave(x.clone(), Wave::Sin));
    let [ca, cb] = [a, b].map(|x| Moving::Wave(x.clone(), Wave::Cos));
    for (first, second, like) in [([&ca, &cb], [&sa, &sb], false), ([&sa, &cb], [&ca, &sb], true)] {
        let keys: Vec<Key> = terms.keys().filter(|k| first.iter().all(|f| k.0.contains_key(f))).cloned().collect();
        for key in keys {
            let change =
                |key: &Key, factors: [&Moving; 2], by| with(key, factors[0], by).and_then(|k| with(&k, factors[1], by));
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
            let (angle, down) = a.plus(b, if plus { 1 } else { -1 }).upright();
            terms.remove(&key);
            terms.remove(&other);
            let (joined, x) = if like {
                (Moving::Wave(angle, Wave::Sin), if down { -x } else { x })
            } else {
                (Moving::Wave(angle, Wave::Cos), x)
            };
            add(terms, with(&rest, &joined, 1).expect("powers grow"), x);
        }
    }
}

fn angles_in(terms: &Terms) -> BTreeSet<Angle> {
    let angle = |m: &Moving| match m {
        Moving::Wave(a, _) => Some(a.clone()),
        Moving::Length(_) => None,
    };
    terms.keys().flat_map(|k| k.0.keys().filter_map(angle)).collect()
}

fn length(terms: &Terms) -> (usize, usize) {
    (terms.len(), terms.keys().map(|k| k.0.values().map(|p| usize::from(*p)).sum::<usize>()).sum())
}

/// How the polynomials of a robot are shortened.
pub(super) struct Ways {
    own: Vec<Angle>,
    /// The angle that each joint's link makes with the first of the joints parallel to it.
    summed: Vec<Angle>,
    parallel: Parallel,
}

impl Ways {
    pub fn new(parallel: Parallel) -> Self {
        let own: Vec<Angle> = (0..parallel.len()).map(Angle::of).collect();
        let mut summed = own.clone();
        for (j, before) in parallel.iter().enumerate() {
            if let Some((i, sign)) = *before {
                summed[j] = summed[j].plus(&summed[i].clone(), sign);
            }
        }
        Ways { own, summed, parallel }
    }

    /// Joints that are parallel to one another.
    fn are_parallel(&self, mut i: usize, j: usize) -> bool {
        let mut first = j;
        while let Some((before, _)) = self.parallel[first] {
            first = before;
        }
        while let Some((before, _)) = self.parallel[i] {
            i = before;
        }
        i == first
    }

    /// In the ring at work: a polynomial in which each joint's sine and cosine stand for those of its summed angle.
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

    /// The shortest way found; `summed` is what [`Ways::in_summed`] gave.
    pub fn shortest(&self, ring: &Ring, p: Poly, summed: Option<Poly>) -> Terms {
        let starts = [Some((p, &self.own)), summed.map(|p| (p, &self.summed))];
        let mut best: Option<Terms> = None;
        for (p, angles) in starts.into_iter().flatten() {
            let start = terms(ring, p, angles);
            // The order of the two joinings matters where both are made; long sums are not tried in every way.
            let orders = if self.parallel.iter().any(Option::is_some) { 2 } else { 1 };
            let ways = if start.len() > LONG { orders } else { 4 * orders };
            for way in 0..ways {
                let found = self.joined(start.clone(), angles, {
                    let (last, rest) = (way % orders, way / orders);
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
        // Angles that a joining made can be joined again.
        for _ in 0..3 {
            let before = terms.len();
            let found: Vec<Angle> = angles_in(&terms).into_iter().collect();
            for (k, a) in found.iter().enumerate() {
                for b in found[..k].iter() {
                    let joint = |x: &Angle| x.parts().next().map(|p| p.0);
                    let (Some(i), Some(j)) = (joint(a), joint(b)) else { continue };
                    let overlap = a.parts().any(|(i, _)| b.parts().any(|(j, _)| i == j));
                    // Sums of the joints' own angles are made of joints that are not in them yet.
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
        // Σ x cos a, or sin a where the flag says so; 1 is cos 0.
        let mut sum = vec![(x, Angle::default(), false)];
        for (factor, power) in moving {
            let (angle, sine) = match factor {
                Moving::Length(_) => {
                    lengths.insert(factor, power);
                    continue;
                }
                Moving::Wave(a, wave) => (a, wave == Wave::Sin),
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
            let (angle, down) = angle.upright();
            let mut key = lengths.clone();
            match (angle.is_zero(), sine) {
                (true, true) => continue,
                (true, false) => {}
                (false, true) => {
                    key.insert(Moving::Wave(angle, Wave::Sin), 1);
                }
                (false, false) => {
                    key.insert(Moving::Wave(angle, Wave::Cos), 1);
                }
            }
            add(&mut out, (key, symbols), if sine && down { -x } else { x });
        }
    }
    out
}

/// Which joints are parallel to the one before them that turns, by the rotations between them.
pub(super) fn parallel(m: &armdyn_core::Model<f64>, coordinates: &[Coordinate]) -> Parallel {
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
