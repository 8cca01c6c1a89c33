//! The steps (0) … (10) over expressions, customised for one robot.

use super::frames::{RenaudFrame, RenaudFrames};
use crate::graph::{Array, Expr, Graph, ParameterValue};
use crate::minimal::vector::*;
use armdyn_core::{Real, Vec3};
use std::cell::Cell;

/// A quantity that a step names: a component is used by the following steps as it is.
#[derive(Clone, Debug)]
pub struct RenaudQuantity {
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
    pub values: Vec<Expr>,
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

/// Numbers, or parameters with names.
struct Constants {
    symbolic: bool,
    made: Cell<usize>,
}

impl Constants {
    /// A constant that is known up to roundings of sums of `size`.
    fn value(&self, x: f64, size: f64, name: impl FnOnce() -> (String, &'static str)) -> Expr {
        if x.abs() <= 1e-14 * size {
            return Expr::zero();
        }
        if !self.symbolic {
            return Graph::approximate(x, 2.0 * f64::EPSILON * size);
        }
        let (name, meaning) = name();
        let index = self.made.replace(self.made.get() + 1);
        Graph::parameter(index, &name, ParameterValue { value: x, formula: meaning.to_string() })
    }

    fn vector(&self, v: Vec3<f64>, size: f64, names: [String; 3], meaning: &'static str) -> V {
        let [x, y, z] = names;
        [(v.x, x), (v.y, y), (v.z, z)].map(|(value, name)| self.value(value, size, || (name, meaning)))
    }
}

/// u, k (xx, xy, xz, yy, yz, zz) and m* of an augmented body.
struct Augmented {
    first: V,
    second: [Expr; 6],
    mass: Expr,
}

/// The results.
pub(super) struct Procedure {
    pub tau: Vec<Expr>,
    pub quantities: Vec<RenaudQuantity>,
}

/// Everything known of a body after the forward recursion.
struct Body {
    squares: V,
    mixed: V,
    a: V,
    b: [V; 3],
    t: V,
    /// r of the body before, in this frame.
    r: V,
    alpha: V,
}

/// The rotation into a frame.
struct Turn {
    alpha: CosSin,
    theta: CosSin,
}

impl Turn {
    /// Rᵢ,ᵢ₋₁ v.
    fn inward(&self, v: V) -> V {
        into(twist(v, self.alpha), self.theta)
    }

    /// Rᵢ₋₁,ᵢ v.
    fn outward(&self, v: V) -> V {
        untwist(out(v, self.theta), self.alpha)
    }
}

/// Sine and cosine of q + offset; a quarter turn only exchanges them.
fn cos_sin(q: Expr, offset: f64) -> CosSin {
    let quarters = (offset / std::f64::consts::FRAC_PI_2).round();
    if offset != quarters * std::f64::consts::FRAC_PI_2 {
        let (s, c) = (q + Expr::lift(offset)).sin_cos();
        return (c, s);
    }
    let (s, c) = q.sin_cos();
    match (quarters as i64).rem_euclid(4) {
        0 => (c, s),
        1 => (-s, c),
        2 => (-c, -s),
        _ => (s, -c),
    }
}

/// The constant cosine and sine of an angle.
fn constant(angle: f64) -> CosSin {
    let quarters = angle / std::f64::consts::FRAC_PI_2;
    if quarters == quarters.round() {
        return cos_sin(Expr::zero(), angle);
    }
    let (s, c) = angle.sin_cos();
    (Expr::lift(c), Expr::lift(s))
}

/// Records the procedure in the present graph.
pub(super) fn procedure(arm: &RenaudFrames, tip_wrench: bool, symbolic: bool) -> Procedure {
    let frames = &arm.frames;
    let n = frames.len();
    let [q, qd, qdd] = [Array::Q, Array::Qd, Array::Qdd].map(|array| Graph::array(array, n));
    let wrench = if tip_wrench { Graph::array(Array::Wrench, 6) } else { vec![Expr::zero(); 6] };
    let constants = Constants { symbolic, made: Cell::new(0) };
    let length = frames.iter().fold(arm.tip.translation.norm(), |s, f| s.max(f.position.norm()).max(f.r.abs()));
    let mut made: Vec<RenaudQuantity> = vec![];
    let mut name = |step, symbol, body, frame, components, values: &[Expr]| {
        made.push(RenaudQuantity { step, symbol, body, frame, components, values: values.to_vec() });
    };
    let turns: Vec<Turn> = (0..n)
        .map(|j| {
            let f = &frames[j];
            let theta = if f.prismatic { constant(f.theta) } else { cos_sin(q[j], f.theta) };
            Turn { alpha: (Expr::lift(f.alpha.0), Expr::lift(f.alpha.1)), theta }
        })
        .collect();

    // (0) Positions and augmented bodies.
    let places: Vec<Place> = (0..n).map(|j| place(&constants, &frames[j], j, q[j], length)).collect();
    let mut bodies: Vec<Augmented> = vec![];
    let mut outboard_mass = 0.0;
    for j in (0..n).rev() {
        bodies.push(augmented(&constants, frames, &places, j, outboard_mass, bodies.last().map(|b| b.mass)));
        outboard_mass += frames[j].inertia.mass;
    }
    bodies.reverse();
    for j in 0..n {
        name("0", "p", j + 1, Some(j), VECTOR, &places[j].p);
        name("0a", "u*", j + 1, Some(j + 1), VECTOR, &bodies[j].first);
        name("0b", "k*", j + 1, Some(j + 1), TENSOR, &bodies[j].second);
    }

    let gravity = constants.value(arm.gravity, 0.0, || ("g".to_string(), "gravity [m/s²]"));
    let (mut w, mut a, mut b, mut alpha) = (zeros(), zeros(), [zeros(); 3], [Expr::zero(), Expr::zero(), gravity]);
    let mut states: Vec<Body> = vec![];
    for j in 0..n {
        let (turn, i) = (&turns[j], j + 1);
        let sigma = frames[j].prismatic;
        // (1)
        let before = Graph::in_step(tag(1), || turn.inward(w));
        name("1a", "ω", i - 1, Some(i), VECTOR, &before);
        let rate = if sigma { Expr::zero() } else { qd[j] };
        w = Graph::in_step(tag(1), || add(before, [Expr::zero(), Expr::zero(), rate]));
        name("1b", "ω", i, Some(i), VECTOR, &w);
        // (2)
        let [x, y, z] = w;
        let (squares, mixed) = Graph::in_step(tag(2), || ([x * x, y * y, z * z], [y * z, x * z, x * y]));
        name("2", "δ", i, Some(i), PRODUCTS, &[squares, mixed].concat());
        // (3)
        let turned = Graph::in_step(tag(3), || turn.inward(a));
        name("3a", "a", i - 1, Some(i), VECTOR, &turned);
        let rate_dot = if sigma { Expr::zero() } else { qdd[j] };
        a = Graph::in_step(tag(3), || add(turned, [rate * before[1], -(rate * before[0]), rate_dot]));
        name("3b", "a", i, Some(i), VECTOR, &a);
        // (6a), (6b): of the body before.
        let r_before = Graph::in_step(tag(6), || add(alpha, apply(&b, places[j].p)));
        name("6a", "r", i - 1, Some(i - 1), VECTOR, &r_before);
        let r = Graph::in_step(tag(6), || turn.inward(r_before));
        name("6b", "r", i - 1, Some(i), VECTOR, &r);
        // (4)
        let ([xx, yy, zz], [yz, xz, xy], [ax, ay, az]) = (squares, mixed, a);
        b = Graph::in_step(tag(4), || {
            [[-(yy + zz), xy - az, xz + ay], [xy + az, -(xx + zz), yz - ax], [xz - ay, yz + ax, -(xx + yy)]]
        });
        name("4", "b", i, Some(i), MATRIX, &b.concat());
        // (5)
        let mut t = zeros();
        if sigma {
            t = Graph::in_step(tag(5), || {
                let twice = qd[j] + qd[j];
                [twice * before[1], -(twice * before[0]), qdd[j]]
            });
            name("5", "t", i, Some(i), VECTOR, &t);
        }
        alpha = Graph::in_step(tag(6), || add(t, r));
        name("6c", "α", i, Some(i), VECTOR, &alpha);
        states.push(Body { squares, mixed, a, b, t, r, alpha });
    }

    // The wrench that the arm exerts at the tip is the opposite of the one that acts on it.
    let to_last = |v: &[Expr]| {
        let r = arm.tip.rotation;
        let rows = [0, 1, 2].map(|k| [r.x.get(k), r.y.get(k), r.z.get(k)].map(Expr::lift));
        apply(&rows, [-v[0], -v[1], -v[2]])
    };
    let mut e = Graph::in_step(tag(7), || to_last(&wrench[..3]));
    let mut moment = Graph::in_step(tag(9), || to_last(&wrench[3..]));
    if tip_wrench {
        name("7", "e", n + 1, Some(n), VECTOR, &e);
        name("9", "n", n + 1, Some(n), VECTOR, &moment);
    }
    let at_tip = || ["p_x", "p_y", "p_z"].map(|p| format!("{p}{}", n + 1));
    let mut p = if tip_wrench {
        constants.vector(arm.tip.translation, length, at_tip(), "position of the wrench in the last frame [m]")
    } else {
        zeros()
    };
    let mut tau = vec![Expr::zero(); n];
    for j in (0..n).rev() {
        let (s, star, turn, i) = (&states[j], &bodies[j], &turns[j], j + 1);
        // (7)
        let child = e;
        e = Graph::in_step(tag(7), || {
            let own = add(child, apply(&s.b, star.first));
            if frames[j].prismatic { add(own, scale(star.mass, s.t)) } else { own }
        });
        name("7a", "e", i, Some(i), VECTOR, &e);
        let e_before = Graph::in_step(tag(7), || turn.outward(e));
        if j > 0 {
            name("7b", "e", i, Some(i - 1), VECTOR, &e_before);
        }
        // (9)
        let [kxx, kxy, kxz, kyy, kyz, kzz] = star.second;
        let ([xx, yy, zz], [yz, xz, xy], a) = (s.squares, s.mixed, s.a);
        moment = Graph::in_step(tag(9), || {
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
            let f = Graph::in_step(tag(8), || add(e, scale(star.mass, s.r)));
            name("8", "f", i, Some(i), VECTOR, &f);
            tau[j] = f[2];
        } else {
            tau[j] = moment[2];
        }
        name("10", "Γ", i, None, SCALAR, &[tau[j]]);
        moment = Graph::in_step(tag(9), || turn.outward(moment));
        if j > 0 {
            name("9b", "n", i, Some(i - 1), VECTOR, &moment);
        }
        (e, p) = (e_before, places[j].p);
    }
    Procedure { tau, quantities: made }
}

/// pᵢ₋₁,ᵢ = s + r d, in frame i − 1: d along the joint's axis, r = q + r₀ of a prismatic joint.
struct Place {
    p: V,
    /// s, d and the variable r of a prismatic joint.
    sliding: Option<(V, V, Expr)>,
}

fn place(constants: &Constants, frame: &RenaudFrame, j: usize, q: Expr, length: f64) -> Place {
    let names = [format!("a{j}"), format!("p_y{}", j + 1), format!("p_z{}", j + 1)];
    let s = constants.vector(frame.position, length, names, "position of the frame in the one before it [m]");
    let d = frame.axis().to_array().map(Expr::lift);
    let r0 = constants.value(frame.r, length, || (format!("r{}", j + 1), "length along the axis [m]"));
    if !frame.prismatic {
        return Place { p: add(s, scale(r0, d)), sliding: None };
    }
    Graph::in_step(tag(0), || {
        let r = q + r0;
        Place { p: add(s, scale(r, d)), sliding: Some((s, d, r)) }
    })
}

/// (0): body j with the mass `m` of the bodies outboard of it at the origin of the next frame.
fn augmented(
    constants: &Constants,
    frames: &[RenaudFrame],
    places: &[Place],
    j: usize,
    m: f64,
    outboard: Option<Expr>,
) -> Augmented {
    let (own, number) = (&frames[j].inertia, j + 1);
    let next = frames.get(j + 1);
    let online = next.is_some_and(|f| f.prismatic);
    let p = next.map_or(Vec3::zero(), |f| f.position + f.axis() * f.r);
    let star = if online { "" } else { "*" };
    let (mut u, mut k) = (own.first, own.second.to_rows());
    let reach = p.norm() + next.map_or(0.0, |f| f.position.norm() + f.r.abs());
    if !online {
        u = u + p * m;
        let v = p.to_array();
        for (row, line) in k.iter_mut().enumerate() {
            for (column, x) in line.iter_mut().enumerate() {
                let square = if row == column { p.norm_squared() } else { 0.0 };
                *x += m * (square - v[row] * v[column]);
            }
        }
    }
    let (of_first, of_second) = (own.first.norm() + m * reach, own.second.trace().abs() + m * reach * reach);
    let names = ["x", "y", "z"].map(|c| format!("{c}{star}{number}"));
    let first = constants.vector(u, of_first, names, "first moment about the origin [kg m]");
    let element = |row: usize, column: usize, letter: &str, sign: f64| {
        let meaning = if row == column { "moment of inertia [kg m²]" } else { "product of inertia [kg m²]" };
        let name = || (format!("{letter}{star}{number}"), meaning);
        let value = constants.value(sign * k[row][column], of_second, name);
        if sign < 0.0 { -value } else { value }
    };
    let second = [
        element(0, 0, "a", 1.0),
        element(0, 1, "f", -1.0),
        element(0, 2, "e", -1.0),
        element(1, 1, "b", 1.0),
        element(1, 2, "d", -1.0),
        element(2, 2, "c", 1.0),
    ];
    let total = own.mass + m;
    // The mass itself is needed by prismatic joints alone.
    let needed = frames[j].prismatic;
    let mass = if needed {
        constants.value(total, 0.0, || (format!("m*{number}"), "mass of the body and those outboard of it [kg]"))
    } else {
        Expr::lift(total)
    };
    let (Some(outboard), Some((s, d, r))) = (outboard, places.get(j + 1).and_then(|p| p.sliding)) else {
        return Augmented { first, second, mass };
    };
    // u + m s + (m d) r, k + m (s² − s sᵀ) + m (2 s·d − s dᵀ − d sᵀ) r + m (1 − d dᵀ) r², with d·d = 1.
    let dot = |a: V, b: V| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let first = Graph::in_step(tag(0), || [0, 1, 2].map(|c| (first[c] + outboard * s[c]) + (outboard * d[c]) * r));
    let pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
    let (ss, sd, one) = (dot(s, s), dot(s, d), Expr::one());
    let coefficients = pairs.map(|(row, column)| {
        let (square, twice, unit) =
            if row == column { (ss, sd + sd, one) } else { (Expr::zero(), Expr::zero(), Expr::zero()) };
        [
            outboard * (square - s[row] * s[column]),
            outboard * (twice - s[row] * d[column] - d[row] * s[column]),
            outboard * (unit - d[row] * d[column]),
        ]
    });
    let second = Graph::in_step(tag(0), || {
        let rr = r * r;
        [0, 1, 2, 3, 4, 5].map(|c| {
            let [c0, c1, c2] = coefficients[c];
            ((second[c] + c0) + c1 * r) + c2 * rr
        })
    });
    Augmented { first, second, mass }
}
