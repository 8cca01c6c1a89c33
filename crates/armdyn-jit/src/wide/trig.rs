//! Sine and cosine as operations of a graph.
//!
//! The operations of `native/trig.rs`, so that the results are those of single calls, bit by bit.

use super::graph::{Bit, Graph, Op, Value};
use std::f64::consts::FRAC_2_PI;

/// Sine and cosine of a moderate angle.
pub(super) fn sin_cos(g: &mut Graph, x: Value) -> (Value, Value) {
    let f = g.target.format;
    let (two_over_pi, round) = (g.constant(FRAC_2_PI), g.constant(f.round));
    let shifted = g.op(Op::MulAdd, &[x, two_over_pi, round]);
    let n = g.op(Op::Sub, &[shifted, round]);
    let mut r = x;
    for &p in f.long {
        let p = g.constant(p);
        r = g.op(Op::NegMulAdd, &[n, p, r]);
    }
    let z = g.op(Op::Mul, &[r, r]);
    let w = g.op(Op::Mul, &[z, z]);

    let s = polynomial(g, z, w, f.sine);
    let cube = g.op(Op::Mul, &[r, z]);
    let sin = g.op(Op::MulAdd, &[cube, s, r]);

    let c = polynomial(g, z, w, f.cosine);
    let (one, minus_half) = (g.constant(1.0), g.constant(-0.5));
    let rest = g.op(Op::MulAdd, &[z, c, minus_half]);
    let cos = g.op(Op::MulAdd, &[z, rest, one]);
    to_quadrant(g, shifted, sin, cos)
}

/// c₀ + c₁ z + c₂ z² + …, with w = z²: lines in z, by Horner in w.
fn polynomial(g: &mut Graph, z: Value, w: Value, c: &[f64]) -> Value {
    let mut sum = None;
    for c in c.chunks(2).rev() {
        let mut line = g.constant(c[0]);
        if let Some(&c1) = c.get(1) {
            let c1 = g.constant(c1);
            line = g.op(Op::MulAdd, &[z, c1, line]);
        }
        sum = Some(match sum {
            Some(sum) => g.op(Op::MulAdd, &[w, sum, line]),
            None => line,
        });
    }
    sum.expect("there are coefficients")
}

/// Sine and cosine of the angle from those of the remainder; the quadrant is in the low bits of `shifted`.
fn to_quadrant(g: &mut Graph, shifted: Value, sin: Value, cos: Value) -> (Value, Value) {
    let top = (8 * g.target.format.bytes - 1) as u8;
    let one = g.bits(1);
    let sign = g.bits(g.target.format.sign_bit());
    let next = g.op(Op::AddInteger, &[shifted, one]);
    let (odd, bit) =
        if g.target.wide { (shifted, Bit::Lowest) } else { (g.op(Op::ShiftLeft(top), &[shifted]), Bit::Sign) };
    let flips = [shifted, next].map(|quadrant| g.op(Op::ShiftLeft(top - 1), &[quadrant]));
    let a = g.op(Op::Select(bit), &[odd, sin, cos]);
    let b = g.op(Op::Select(bit), &[odd, cos, sin]);
    (xor_and(g, a, flips[0], sign), xor_and(g, b, flips[1], sign))
}

/// a ^ (b & c).
fn xor_and(g: &mut Graph, a: Value, b: Value, c: Value) -> Value {
    if g.target.wide {
        return g.op(Op::XorAnd, &[a, b, c]);
    }
    let b = g.op(Op::And, &[b, c]);
    g.op(Op::Xor, &[a, b])
}
