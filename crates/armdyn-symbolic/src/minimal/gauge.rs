//! Gauge freedom of the inertial parameters.
//!
//! Mass on the axis of a revolute joint moves identically with either link: any amounts (k, s, m) of K33, s_z and m may be moved
//! from a link to its parent without changing the torques. A prismatic joint leaves all of K free. The natural gauge moves
//! everything to the parent, which leaves the base parameters of Gautier & Khalil 1990. The three amounts can also cancel other
//! moments of the parent, which may need fewer operations.

use super::choices::{BranchChoices, Site};
use super::geometry::{Arm, Layout, Moments, TIDY};
use armdyn_core::{Inertia, Real, Sym3, Transform, Vec3, vec3};

/// The moments on the axis: K33, s_z, m.
const AXIAL: [usize; 3] = [5, 8, 9];
/// The moments of the parent that an amount may cancel: K11 K12 K13 K22 K23 s_x s_y.
const PARENTS: [usize; 7] = [0, 1, 2, 3, 4, 6, 7];
/// Factor by which a gauge may enlarge the moments.
const LOSS: f64 = 1e3;

/// The moments in the parent's frame of amounts (k, s, m) on the axis with direction `e` through `p`.
fn on_axis<T: Real>([k, s, m]: [T; 3], e: [T; 3], p: [T; 3]) -> Moments<T> {
    let second = |i: usize, j: usize| k * e[i] * e[j] + s * (e[i] * p[j] + p[i] * e[j]) + m * p[i] * p[j];
    let first = |i: usize| s * e[i] + m * p[i];
    [
        second(0, 0),
        second(0, 1),
        second(0, 2),
        second(1, 1),
        second(1, 2),
        second(2, 2),
        first(0),
        first(1),
        first(2),
        m,
    ]
}

fn onto<T: Real>(a: &mut Moments<T>, b: Moments<T>) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
}

/// The direction of link `j`'s axis in its parent's axes.
pub(crate) fn axis(arm: &Arm, j: usize) -> [f64; 3] {
    let (c, s) = arm.units[arm.places[j].unit].alpha;
    [0.0, -s, c]
}

/// The moments that a link passes to its parent.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Gauge {
    /// K33, s_z and m entirely.
    Natural,
    /// YY = K11 + K33, s_z and m, the usual convention of base parameters: K33 = −K11 remains, so that YY = 0.
    Common,
}

/// Passes all free moments to the parents, tip to base; `e` and `p` are each link's axis and position in its parent. Also returns
/// the moments that the first link passes on.
pub(crate) fn grouped<T: Real>(
    gauge: Gauge,
    arm: &Arm,
    moments: &[Moments<T>],
    e: &[[T; 3]],
    p: &[[T; 3]],
) -> (Vec<Moments<T>>, Moments<T>) {
    let mut all = moments.to_vec();
    let mut last = [T::zero(); 10];
    for j in (0..all.len()).rev() {
        let given = if arm.places[j].slides.is_some() {
            let mut given = all[j];
            given[6..].fill(T::zero());
            all[j][..6].fill(T::zero());
            given
        } else {
            let kept = if gauge == Gauge::Common { -all[j][0] } else { T::zero() };
            let amounts = AXIAL.map(|k| all[j][k] - if k == 5 { kept } else { T::zero() });
            (all[j][5], all[j][8], all[j][9]) = (kept, T::zero(), T::zero());
            on_axis(amounts, e[j], p[j])
        };
        match j {
            0 => last = given,
            _ => onto(&mut all[j - 1], given),
        }
    }
    (all, last)
}

fn grouped_numbers(gauge: Gauge, arm: &Arm, layout: &Layout) -> (Vec<Moments<f64>>, Moments<f64>) {
    let e: Vec<[f64; 3]> = (0..arm.len()).map(|j| axis(arm, j)).collect();
    let p: Vec<[f64; 3]> = layout.p.iter().map(|p| p.to_array()).collect();
    grouped(gauge, arm, &layout.moments, &e, &p)
}

/// A gauge in numbers, without rounding residues.
pub(crate) fn numeric(gauge: Gauge, arm: &Arm, layout: &Layout) -> Vec<Moments<f64>> {
    let (mut all, _) = grouped_numbers(gauge, arm, layout);
    clean(&mut all, &layout.moments);
    all
}

/// The inertia that an attached arm passes to the link it is attached to, about the base origin in base axes.
pub(crate) fn passed_on(arm: &Arm) -> Inertia<f64> {
    let layout = arm.layout(|_| 0, Some(Vec3::zero()));
    let [xx, xy, xz, yy, yz, zz, x, y, z, mass] = grouped_numbers(Gauge::Natural, arm, &layout).1;
    let moments = Sym3 { xx, xy, xz, yy, yz, zz };
    let trace = moments.trace();
    let second = Sym3::diagonal(trace, trace, trace) - moments;
    Inertia { mass, first: vec3(x, y, z), second }.transformed(&Transform::from_rotation(arm.base_axes()))
}

/// Removes rounding residues relative to the moments before.
fn clean(all: &mut [Moments<f64>], before: &[Moments<f64>]) {
    let largest = |range: std::ops::Range<usize>| {
        before.iter().chain(all.iter()).flat_map(|m| &m[range.clone()]).fold(0.0, |s: f64, x| s.max(x.abs()))
    };
    let sizes = [largest(0..6), largest(6..9), largest(9..10)];
    for m in all.iter_mut() {
        for (k, x) in m.iter_mut().enumerate() {
            if x.abs() <= 0.1 * TIDY * sizes[usize::from(k >= 6) + usize::from(k >= 9)] {
                *x = 0.0;
            }
        }
    }
}

/// Bounds of the rounding errors of the moments in the natural gauge: the sums of those that each one receives.
pub(crate) fn errors(arm: &Arm, layout: &Layout) -> Vec<Moments<f64>> {
    let e: Vec<[f64; 3]> = (0..arm.len()).map(|j| axis(arm, j).map(f64::abs)).collect();
    let p: Vec<[f64; 3]> = layout.p.iter().map(|p| p.to_array().map(f64::abs)).collect();
    grouped(Gauge::Natural, arm, &layout.errors, &e, &p).0
}

/// The moment that an amount cancels: of the link itself (K33, s_z, m), or of its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Target {
    Own(usize),
    Parent(usize),
    /// K33 ∓ another diagonal moment of the link.
    Like(usize, f64),
}

/// The moments that K33 may be made equal to.
const LIKE: [Target; 4] = [Target::Like(0, 1.0), Target::Like(0, -1.0), Target::Like(3, 1.0), Target::Like(3, -1.0)];

/// Moments of the links as numbers, and over another scalar.
type Chosen<T> = (Vec<Moments<f64>>, Vec<Moments<T>>);

/// The chosen gauge, over numbers and over `T`. None if it has no solution or loses digits.
pub(crate) fn chosen<T: Real>(
    arm: &Arm,
    layout: &Layout,
    lengths: &[[T; 3]],
    natural: &[Moments<f64>],
    symbols: &[Moments<T>],
    choices: BranchChoices,
) -> Option<Chosen<T>> {
    let (mut numbers, mut all) = (natural.to_vec(), symbols.to_vec());
    let mut changed = false;
    for j in (1..all.len()).rev() {
        if arm.places[j].slides.is_some() || arm.places[j].unit < 2 {
            continue;
        }
        let mut parent: Vec<usize> = PARENTS.into_iter().filter(|&e| numbers[j - 1][e] != 0.0).collect();
        if arm.places[j - 1].slides.is_some() {
            parent.clear();
        }
        let target = |site, own: usize| {
            let like: &[Target] = if own == 0 { &LIKE } else { &[] };
            match choices.pick(site, j, 1 + parent.len() + like.len()) {
                0 => Target::Own(AXIAL[own]),
                k if k <= parent.len() => Target::Parent(parent[k - 1]),
                k => like[k - 1 - parent.len()],
            }
        };
        let targets = [target(Site::GaugeK, 0), target(Site::GaugeS, 1), target(Site::GaugeM, 2)];
        if targets == [0, 1, 2].map(|k| Target::Own(AXIAL[k])) && AXIAL.iter().all(|&k| numbers[j][k] == 0.0) {
            continue;
        }
        if targets[0] == targets[1] || targets[1] == targets[2] || targets[0] == targets[2] {
            return None;
        }
        changed = true;
        let e = axis(arm, j);
        let x = amounts(&targets, &numbers[j], &numbers[j - 1], e, layout.p[j].to_array())?;
        let y = amounts(&targets, &all[j], &all[j - 1], e.map(T::lift), lengths[j])?;
        let size = numbers[j].iter().chain(&numbers[j - 1]).chain(&x).fold(0.0, |s: f64, x| s.max(x.abs()));
        transfer(&mut numbers, j, x, e, layout.p[j].to_array());
        transfer(&mut all, j, y, e.map(T::lift), lengths[j]);
        for t in targets {
            let (link, k, number, symbol) = match t {
                Target::Own(k) => (j, k, 0.0, T::zero()),
                Target::Parent(k) => (j - 1, k, 0.0, T::zero()),
                Target::Like(k, sign) => (j, AXIAL[0], sign * numbers[j][k], T::lift(sign) * all[j][k]),
            };
            // A singular system has no valid solution.
            if (numbers[link][k] - number).abs() > 1e-9 * size {
                return None;
            }
            (numbers[link][k], all[link][k]) = (number, symbol);
        }
        // A prismatic link passes K on to its parent.
        for i in (1..j).rev().take_while(|&i| arm.places[i].slides.is_some()) {
            pass_on(&mut numbers, i);
            pass_on(&mut all, i);
        }
    }
    if changed {
        clean(&mut numbers, natural);
        let size = |all: &[Moments<f64>], r: std::ops::Range<usize>| {
            all.iter().flat_map(|m| &m[r.clone()]).fold(0.0, |s: f64, x| s.max(x.abs()))
        };
        for r in [0..6, 6..9] {
            if size(&numbers, r.clone()) > LOSS * size(natural, r) {
                return None;
            }
        }
        for (m, n) in all.iter_mut().zip(&numbers) {
            m.iter_mut().zip(n).filter(|(_, n)| **n == 0.0).for_each(|(m, _)| *m = T::zero());
        }
    }
    Some((numbers, all))
}

/// The amounts that cancel the targets: a 3 × 3 linear system, by Cramer's rule.
fn amounts<T: Real>(
    targets: &[Target; 3],
    own: &Moments<T>,
    parent: &Moments<T>,
    e: [T; 3],
    p: [T; 3],
) -> Option<[T; 3]> {
    let (zero, one) = (T::zero(), T::one());
    let unit = |k: usize| core::array::from_fn(|i| if i == k { one } else { zero });
    let received = [0, 1, 2].map(|k| on_axis(unit(k), e, p));
    let row = |t: Target| match t {
        Target::Own(k) => (core::array::from_fn(|i| if AXIAL[i] == k { one } else { zero }), own[k]),
        Target::Parent(k) => (received.map(|r| r[k]), -parent[k]),
        Target::Like(k, sign) => ([one, zero, zero], own[AXIAL[0]] - T::lift(sign) * own[k]),
    };
    let rows: [([T; 3], T); 3] = targets.map(row);
    let (a, b) = (Vec3::from_fn(|i| rows[i].0[0]), Vec3::from_fn(|i| rows[i].0[1]));
    let (c, r) = (Vec3::from_fn(|i| rows[i].0[2]), Vec3::from_fn(|i| rows[i].1));
    let det = a.dot(b.cross(c));
    let x = [r.dot(b.cross(c)) / det, a.dot(r.cross(c)) / det, a.dot(b.cross(r)) / det];
    x.iter().all(T::is_finite).then_some(x)
}

/// Passes K of a prismatic link to its parent.
fn pass_on<T: Real>(all: &mut [Moments<T>], i: usize) {
    for k in 0..6 {
        let given = core::mem::replace(&mut all[i][k], T::zero());
        all[i - 1][k] += given;
    }
}

fn transfer<T: Real>(all: &mut [Moments<T>], j: usize, x: [T; 3], e: [T; 3], p: [T; 3]) {
    AXIAL.iter().zip(x).for_each(|(&k, x)| all[j][k] -= x);
    onto(&mut all[j - 1], on_axis(x, e, p));
}
