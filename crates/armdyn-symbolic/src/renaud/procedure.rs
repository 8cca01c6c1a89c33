//! The steps (0) … (10) over any scalar. Over expressions they are customised for one robot: zeros cost nothing.

use super::constants::Constants;
use super::frames::RenaudFrames;
use crate::graph::Expr;
use crate::minimal::vector::{CosSin, V, add, apply, cross, into, out, scale, twist, untwist};
use armdyn_core::Real;

/// A quantity that a step names: a component is used by the following steps as it is.
#[derive(Clone, Debug)]
pub struct RenaudQuantity<T = Expr> {
    /// The step: `1a`.
    pub step: &'static str,
    /// The letter: `ω`.
    pub symbol: &'static str,
    /// The number of the body, 1 …; as a subscript, or as a superscript of what contains mass.
    pub body: usize,
    /// The number of the frame whose components it has; none for a scalar.
    pub frame: Option<usize>,
    /// Names of the components: `x`, `xy`; one empty name for a scalar.
    pub components: &'static [&'static str],
    /// The components.
    pub values: Vec<T>,
}

pub(super) const VECTOR: &[&str] = &["x", "y", "z"];
const PRODUCTS: &[&str] = &["xx", "yy", "zz", "yz", "xz", "xy"];
const MATRIX: &[&str] = &["xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"];
/// a, −f, −e, b, −d, c.
const TENSOR: &[&str] = &["xx", "xy", "xz", "yy", "yz", "zz"];
const SCALAR: &[&str] = &[""];

/// The steps, by their numbers in the paper, are recorded apart under these numbers.
pub(super) fn tag(step: usize) -> u16 {
    step as u16 + 1
}

/// Everything known of a body after the forward recursion.
struct Body<T> {
    squares: V<T>,
    mixed: V<T>,
    a: V<T>,
    b: [V<T>; 3],
    t: V<T>,
    /// r of the body before, in this frame.
    r: V<T>,
    alpha: V<T>,
}

/// u*, k* (xx, xy, xz, yy, yz, zz) and m* of an augmented body.
struct Augmented<T> {
    first: V<T>,
    second: [T; 6],
    mass: T,
}

/// The results.
pub(crate) struct Procedure<T> {
    pub tau: Vec<T>,
    pub quantities: Vec<RenaudQuantity<T>>,
}

/// A motion over a scalar.
pub(crate) struct Inputs<'a, T> {
    pub q: &'a [T],
    pub qd: &'a [T],
    pub qdd: &'a [T],
    /// Force and moment that the environment exerts on the last link, about the origin of its frame, in its axes.
    pub wrench: Option<[T; 6]>,
    /// Sine and cosine of an angle with an offset.
    pub cos_sin: fn(T, f64) -> CosSin<T>,
    /// Called with the [`tag`] of a step where it begins, and with 0 where it ends.
    pub enter: fn(u16),
}

/// The rotation into a frame.
struct Turn<T> {
    alpha: CosSin<T>,
    theta: CosSin<T>,
}

impl<T: Real> Turn<T> {
    /// Rᵢ,ᵢ₋₁ v.
    fn inward(&self, v: V<T>) -> V<T> {
        into(twist(v, self.alpha), self.theta)
    }

    /// Rᵢ₋₁,ᵢ v.
    fn outward(&self, v: V<T>) -> V<T> {
        untwist(out(v, self.theta), self.alpha)
    }
}

/// The number of quarter turns, if it is whole.
fn quarters(angle: f64) -> Option<i64> {
    let quarters = (angle / std::f64::consts::FRAC_PI_2).round();
    (angle == quarters * std::f64::consts::FRAC_PI_2).then_some((quarters as i64).rem_euclid(4))
}

/// Cosine and sine of an angle that is increased by quarter turns: they are exchanged.
fn turned<T: Real>((c, s): CosSin<T>, quarters: i64) -> CosSin<T> {
    match quarters {
        0 => (c, s),
        1 => (-s, c),
        2 => (-c, -s),
        _ => (s, -c),
    }
}

/// Cosine and sine of the angle q + offset.
pub(super) fn of_sum<T: Real>(q: T, offset: f64) -> CosSin<T> {
    let swapped = |(s, c): (T, T)| (c, s);
    match quarters(offset) {
        Some(k) => turned(swapped(q.sin_cos()), k),
        None => swapped((q + T::lift(offset)).sin_cos()),
    }
}

/// The same by the addition theorems, where the angle cannot be formed.
pub(crate) fn by_addition<T: Real>(q: T, offset: f64) -> CosSin<T> {
    let (s, c) = q.sin_cos();
    match quarters(offset) {
        Some(k) => turned((c, s), k),
        None => {
            let [so, co] = [offset.sin(), offset.cos()].map(T::lift);
            (c * co - s * so, s * co + c * so)
        }
    }
}

/// The constant cosine and sine of an angle.
fn constant<T: Real>(angle: f64) -> CosSin<T> {
    match quarters(angle) {
        Some(k) => turned((T::one(), T::zero()), k),
        None => (T::lift(angle.cos()), T::lift(angle.sin())),
    }
}

/// Runs `f` as a step.
fn in_step<R>(enter: fn(u16), step: u16, f: impl FnOnce() -> R) -> R {
    enter(step);
    let result = f();
    enter(0);
    result
}

/// The procedure.
pub(crate) fn procedure<T: Real>(arm: &RenaudFrames, constants: &Constants<T>, inputs: &Inputs<T>) -> Procedure<T> {
    let Inputs { q, qd, qdd, enter, .. } = *inputs;
    let frames = &arm.frames;
    let n = frames.len();
    let zeros = || [T::zero(); 3];
    let tip_wrench = inputs.wrench.is_some();
    let wrench = inputs.wrench.unwrap_or([T::zero(); 6]);
    let mut made: Vec<RenaudQuantity<T>> = vec![];
    let mut name = |step, symbol, body, frame, components, values: &[T]| {
        made.push(RenaudQuantity { step, symbol, body, frame, components, values: values.to_vec() });
    };
    let turns: Vec<Turn<T>> = (0..n)
        .map(|j| {
            let f = &frames[j];
            let theta = if f.prismatic { constant(f.theta) } else { (inputs.cos_sin)(q[j], f.theta) };
            Turn { alpha: (T::lift(f.alpha.0), T::lift(f.alpha.1)), theta }
        })
        .collect();

    // (0) Positions and augmented bodies.
    enter(tag(0));
    let places: Vec<Place<T>> = (0..n).map(|j| place(arm, constants, j, q[j])).collect();
    let bodies: Vec<Augmented<T>> = (0..n).map(|j| augmented(constants, j, places.get(j + 1))).collect();
    enter(0);
    for j in 0..n {
        name("0", "p", j + 1, Some(j), VECTOR, &places[j].p);
        name("0a", "u*", j + 1, Some(j + 1), VECTOR, &bodies[j].first);
        name("0b", "k*", j + 1, Some(j + 1), TENSOR, &bodies[j].second);
    }

    let (mut w, mut a, mut b) = (zeros(), zeros(), [zeros(); 3]);
    let mut alpha = [T::zero(), T::zero(), constants.gravity];
    let mut states: Vec<Body<T>> = vec![];
    for j in 0..n {
        let (turn, i) = (&turns[j], j + 1);
        let sigma = frames[j].prismatic;
        // (1)
        let before = in_step(enter, tag(1), || turn.inward(w));
        name("1a", "ω", i - 1, Some(i), VECTOR, &before);
        let rate = if sigma { T::zero() } else { qd[j] };
        w = in_step(enter, tag(1), || add(before, [T::zero(), T::zero(), rate]));
        name("1b", "ω", i, Some(i), VECTOR, &w);
        // (2)
        let [x, y, z] = w;
        let (squares, mixed) = in_step(enter, tag(2), || ([x * x, y * y, z * z], [y * z, x * z, x * y]));
        name("2", "δ", i, Some(i), PRODUCTS, &[squares, mixed].concat());
        // (3)
        let turned = in_step(enter, tag(3), || turn.inward(a));
        name("3a", "a", i - 1, Some(i), VECTOR, &turned);
        let rate_dot = if sigma { T::zero() } else { qdd[j] };
        a = in_step(enter, tag(3), || add(turned, [rate * before[1], -(rate * before[0]), rate_dot]));
        name("3b", "a", i, Some(i), VECTOR, &a);
        // (6a), (6b): of the body before.
        let r_before = in_step(enter, tag(6), || add(alpha, apply(&b, places[j].p)));
        name("6a", "r", i - 1, Some(i - 1), VECTOR, &r_before);
        let r = in_step(enter, tag(6), || turn.inward(r_before));
        name("6b", "r", i - 1, Some(i), VECTOR, &r);
        // (4)
        let ([xx, yy, zz], [yz, xz, xy], [ax, ay, az]) = (squares, mixed, a);
        b = in_step(enter, tag(4), || {
            [[-(yy + zz), xy - az, xz + ay], [xy + az, -(xx + zz), yz - ax], [xz - ay, yz + ax, -(xx + yy)]]
        });
        name("4", "b", i, Some(i), MATRIX, &b.concat());
        // (5)
        let mut t = zeros();
        if sigma {
            t = in_step(enter, tag(5), || {
                let twice = qd[j] + qd[j];
                [twice * before[1], -(twice * before[0]), qdd[j]]
            });
            name("5", "t", i, Some(i), VECTOR, &t);
        }
        alpha = in_step(enter, tag(6), || add(t, r));
        name("6c", "α", i, Some(i), VECTOR, &alpha);
        states.push(Body { squares, mixed, a, b, t, r, alpha });
    }

    // The wrench that the arm exerts at the tip is the opposite of the one that acts on it.
    let to_last = |v: &[T]| {
        let r = arm.tip.rotation;
        let rows = [0, 1, 2].map(|k| [r.x.get(k), r.y.get(k), r.z.get(k)].map(T::lift));
        apply(&rows, [-v[0], -v[1], -v[2]])
    };
    let mut e = in_step(enter, tag(7), || to_last(&wrench[..3]));
    let mut moment = in_step(enter, tag(9), || to_last(&wrench[3..]));
    if tip_wrench {
        name("7", "e", n + 1, Some(n), VECTOR, &e);
        name("9", "n", n + 1, Some(n), VECTOR, &moment);
    }
    let mut p = if tip_wrench { constants.tip } else { zeros() };
    let mut tau = vec![T::zero(); n];
    for j in (0..n).rev() {
        let (s, star, turn, i) = (&states[j], &bodies[j], &turns[j], j + 1);
        // (7)
        let child = e;
        e = in_step(enter, tag(7), || {
            let own = add(child, apply(&s.b, star.first));
            if frames[j].prismatic { add(own, scale(star.mass, s.t)) } else { own }
        });
        name("7a", "e", i, Some(i), VECTOR, &e);
        let e_before = in_step(enter, tag(7), || turn.outward(e));
        if j > 0 {
            name("7b", "e", i, Some(i - 1), VECTOR, &e_before);
        }
        // (9)
        let [kxx, kxy, kxz, kyy, kyz, kzz] = star.second;
        let ([xx, yy, zz], [yz, xz, xy], a) = (s.squares, s.mixed, s.a);
        moment = in_step(enter, tag(9), || {
            let own = [
                kxx * a[0] + kxy * a[1] + kxz * a[2] + (kzz - kyy) * yz + kyz * (yy - zz) + kxz * xy - kxy * xz,
                kxy * a[0] + kyy * a[1] + kyz * a[2] + (kxx - kzz) * xz + kxz * (zz - xx) + kxy * yz - kyz * xy,
                kxz * a[0] + kyz * a[1] + kzz * a[2] + (kyy - kxx) * xy + kxy * (xx - yy) + kyz * xz - kxz * yz,
            ];
            add(add(own, cross(star.first, s.alpha)), add(moment, cross(p, child)))
        });
        name("9a", "n", i, Some(i), VECTOR, &moment);
        // (8), (10)
        if frames[j].prismatic {
            let f = in_step(enter, tag(8), || add(e, scale(star.mass, s.r)));
            name("8", "f", i, Some(i), VECTOR, &f);
            tau[j] = f[2];
        } else {
            tau[j] = moment[2];
        }
        name("10", "Γ", i, None, SCALAR, &[tau[j]]);
        moment = in_step(enter, tag(9), || turn.outward(moment));
        if j > 0 {
            name("9b", "n", i, Some(i - 1), VECTOR, &moment);
        }
        (e, p) = (e_before, places[j].p);
    }
    Procedure { tau, quantities: made }
}

/// pᵢ₋₁,ᵢ = s + r d, in frame i − 1: d along the joint's axis, r = q + r₀ of a prismatic joint.
struct Place<T> {
    p: V<T>,
    /// s, d and the variable r of a prismatic joint.
    sliding: Option<(V<T>, V<T>, T)>,
}

fn place<T: Real>(arm: &RenaudFrames, constants: &Constants<T>, j: usize, q: T) -> Place<T> {
    let (s, r0) = constants.positions[j];
    let d = arm.frames[j].axis().to_array().map(T::lift);
    if !arm.frames[j].prismatic {
        return Place { p: add(s, scale(r0, d)), sliding: None };
    }
    let r = q + r0;
    Place { p: add(s, scale(r, d)), sliding: Some((s, d, r)) }
}

/// (0): a body with the mass of those outboard of it at the origin of the next frame. Where the next joint is revolute, the
/// constants are those of the augmented body already.
fn augmented<T: Real>(constants: &Constants<T>, j: usize, next: Option<&Place<T>>) -> Augmented<T> {
    let (first, second, mass) = (constants.first[j], constants.second[j], constants.mass[j]);
    let Some((s, d, r)) = next.and_then(|place| place.sliding) else { return Augmented { first, second, mass } };
    let outboard = constants.mass[j + 1];
    // u + m s + (m d) r, k + m (s² − s sᵀ) + m (2 s·d − s dᵀ − d sᵀ) r + m (1 − d dᵀ) r², with d·d = 1.
    let dot = |a: V<T>, b: V<T>| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let first = [0, 1, 2].map(|c| (first[c] + outboard * s[c]) + (outboard * d[c]) * r);
    let (ss, sd, rr) = (dot(s, s), dot(s, d), r * r);
    let pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
    let second = [0, 1, 2, 3, 4, 5].map(|c| {
        let (row, column) = pairs[c];
        let zero = T::zero();
        let (square, twice, unit) = if row == column { (ss, sd + sd, T::one()) } else { (zero, zero, zero) };
        let c0 = outboard * (square - s[row] * s[column]);
        let c1 = outboard * (twice - s[row] * d[column] - d[row] * s[column]);
        let c2 = outboard * (unit - d[row] * d[column]);
        ((second[c] + c0) + c1 * r) + c2 * rr
    });
    Augmented { first, second, mass }
}
