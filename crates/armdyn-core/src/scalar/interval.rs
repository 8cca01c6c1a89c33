//! Guaranteed bounds: every operation encloses all results over its operands.
//!
//! An end is rounded outward only where it is inexact, which the error terms of Dekker 1971 and Knuth show: so constants,
//! x + 0, 1·x and 0·x stay points. Infinite ends mean "unbounded"; 0·∞ is 0 at a corner, as in IEEE 1788.
//!
//! An operation without a result does not panic: it gives [`Interval::NAN`], which is not finite and propagates.

use super::Real;
use super::float::FUSED;
use super::trig::{self, Angle};
use armdyn_simd::operators;

/// All numbers from `lo` to `hi`.
///
/// ```
/// # use armdyn_core::scalar::{Interval, Real};
/// let q = Interval::new(0.0, 2.0).unwrap();
/// let (sin, _) = q.sin_cos();
/// assert!(sin.contains(1.0) && sin.lo() == 0.0 && sin.hi() == 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    // Both NaN, or lo ≤ hi, lo < ∞, hi > −∞.
    lo: f64,
    hi: f64,
}

impl Interval {
    /// Every number.
    pub const ENTIRE: Interval = Interval { lo: f64::NEG_INFINITY, hi: f64::INFINITY };

    /// No result: contains nothing and is not finite.
    pub const NAN: Interval = Interval { lo: f64::NAN, hi: f64::NAN };

    const UNIT: Interval = Interval { lo: -1.0, hi: 1.0 };

    /// The numbers from `lo` to `hi`; `None` if `lo` > `hi`, if one is NaN, or if no number lies between infinities.
    #[inline]
    pub fn new(lo: f64, hi: f64) -> Option<Interval> {
        (lo <= hi && lo < f64::INFINITY && hi > f64::NEG_INFINITY).then_some(Interval { lo, hi })
    }

    /// One number. An infinity is taken as all that lies beyond the largest double.
    #[inline]
    pub fn point(x: f64) -> Interval {
        Interval { lo: x.min(f64::MAX), hi: x.max(f64::MIN) }.or_nan(x.is_nan())
    }

    /// The lower end.
    #[inline]
    pub fn lo(&self) -> f64 {
        self.lo
    }

    /// The upper end.
    #[inline]
    pub fn hi(&self) -> f64 {
        self.hi
    }

    /// Upper end minus lower end, rounded up.
    #[inline]
    pub fn width(&self) -> f64 {
        sum(self.hi, -self.lo).up()
    }

    /// A finite number inside, at the middle if both ends are finite.
    pub fn mid(&self) -> f64 {
        let middle = if *self == Self::ENTIRE {
            0.0
        } else if (self.hi - self.lo).is_finite() {
            self.lo + 0.5 * (self.hi - self.lo)
        } else {
            0.5 * self.lo.max(f64::MIN) + 0.5 * self.hi.min(f64::MAX)
        };
        middle.max(self.lo).min(self.hi)
    }

    /// Whether `x` lies inside.
    #[inline]
    pub fn contains(&self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// The smallest interval that contains both.
    #[inline]
    pub fn hull(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }.or_nan(self.is_nan() || other.is_nan())
    }

    /// The intersection; `None` if it is empty.
    #[inline]
    pub fn intersect(self, other: Interval) -> Option<Interval> {
        if self.is_nan() || other.is_nan() {
            return None;
        }
        Interval::new(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    #[inline(always)]
    fn is_nan(&self) -> bool {
        self.lo.is_nan()
    }

    #[inline(always)]
    fn or_nan(self, nan: bool) -> Interval {
        if nan { Self::NAN } else { self }
    }

    /// The hull of an operation that is monotone in each operand, from the four corners.
    #[inline(always)]
    fn corners(self, other: Interval, op: impl Fn(f64, f64) -> Rounded) -> Interval {
        let c = [op(self.lo, other.lo), op(self.lo, other.hi), op(self.hi, other.lo), op(self.hi, other.hi)];
        let [lo, hi] = [c.map(Rounded::down), c.map(Rounded::up)];
        Interval { lo: lo[0].min(lo[1]).min(lo[2].min(lo[3])), hi: hi[0].max(hi[1]).max(hi[2].max(hi[3])) }
            .or_nan(self.is_nan() || other.is_nan())
    }
}

/// A rounded result and the sign of its rounding error; NaN if that is unknown.
#[derive(Clone, Copy)]
struct Rounded {
    value: f64,
    rest: f64,
}

impl Rounded {
    #[inline(always)]
    fn exact(value: f64) -> Self {
        Rounded { value, rest: 0.0 }
    }

    /// A lower bound of the exact result.
    #[inline(always)]
    fn down(self) -> f64 {
        if self.rest >= 0.0 { self.value } else { self.value.next_down() }
    }

    /// An upper bound of the exact result.
    #[inline(always)]
    fn up(self) -> f64 {
        if self.rest <= 0.0 { self.value } else { self.value.next_up() }
    }
}

/// Knuth's two-sum. An overflow makes the rest NaN or infinite, which means unknown.
#[inline(always)]
fn sum(a: f64, b: f64) -> Rounded {
    let value = a + b;
    let b_seen = value - a;
    let rest = (a - (value - b_seen)) + (b - b_seen);
    Rounded { value, rest: known(rest) }
}

#[inline(always)]
fn known(rest: f64) -> f64 {
    if rest.is_finite() { rest } else { f64::NAN }
}

/// Whether the error term of a product (or of a quotient, a root, by its product) of this size is a double.
#[inline(always)]
fn in_range(x: f64) -> bool {
    const SMALL: f64 = 1e-288; // > 2⁻⁹⁶⁰: 106 bits below it is still above 2⁻¹⁰⁷⁴
    const LARGE: f64 = 1e300;
    (SMALL..LARGE).contains(&x.abs())
}

/// The two-product, fused or by Dekker's splitting.
#[inline(always)]
fn product(a: f64, b: f64) -> Rounded {
    if a == 0.0 || b == 0.0 {
        return Rounded::exact(0.0);
    }
    let value = a * b;
    if a.abs() == 1.0 || b.abs() == 1.0 {
        return Rounded::exact(value);
    }
    if !in_range(value) {
        return Rounded { value, rest: f64::NAN };
    }
    let rest = if FUSED {
        Real::mul_add(a, b, -value)
    } else {
        let ((a1, a0), (b1, b0)) = (split(a), split(b));
        ((a1 * b1 - value) + a1 * b0 + a0 * b1) + a0 * b0
    };
    Rounded { value, rest: known(rest) }
}

/// Veltkamp's splitting into two halves of 26 bits.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    let c = 134217729.0 * x; // 2²⁷ + 1
    let high = c - (c - x);
    (high, x - high)
}

/// a/b for b ≠ 0; the rest has the sign of (a − value·b)/b. A quotient by an unbounded end tends to 0.
#[inline(always)]
fn quotient(a: f64, b: f64) -> Rounded {
    if a == 0.0 || b.is_infinite() {
        return Rounded::exact(0.0);
    }
    let value = a / b;
    if b.abs() == 1.0 {
        return Rounded::exact(value);
    }
    let rest = if in_range(value) { remainder(a, value, b) * b.signum() } else { f64::NAN };
    Rounded { value, rest }
}

/// √a for a ≥ 0.
#[inline(always)]
fn root(a: f64) -> Rounded {
    let value = Real::sqrt(a);
    if value == 0.0 || value.is_infinite() {
        return Rounded::exact(value);
    }
    Rounded { value, rest: remainder(a, value, value) }
}

/// a − x·y where x·y is within a few last places of a: exact, or NaN.
#[inline(always)]
fn remainder(a: f64, x: f64, y: f64) -> f64 {
    let p = product(x, y);
    if in_range(a) { (a - p.value) - p.rest } else { f64::NAN }
}

// The four operations are calls: written out at every place of a recursion they would make code, and compile time, grow
// many times over, for a few nanoseconds in ten. Division by an interval that contains zero gives `ENTIRE`.
operators! { [] Interval, never,
    neg |a| Interval { lo: -a.hi, hi: -a.lo },
    add |a, b| Interval { lo: sum(a.lo, b.lo).down(), hi: sum(a.hi, b.hi).up() },
    sub |a, b| a + -b,
    mul |a, b| a.corners(b, product),
    div |a, b| if b.contains(0.0) { Self::ENTIRE.or_nan(a.is_nan()) } else { a.corners(b, quotient) },
}

impl Real for Interval {
    const EPSILON: f64 = f64::EPSILON;

    #[inline]
    fn lift(x: f64) -> Self {
        Self::point(x)
    }

    /// The square, which is never negative: tighter than `self * self`.
    fn sqr(self) -> Self {
        let (a, b) = (self.lo.abs(), self.hi.abs());
        let smallest = if self.contains(0.0) { 0.0 } else { a.min(b) };
        let largest = a.max(b);
        Interval { lo: product(smallest, smallest).down(), hi: product(largest, largest).up() }.or_nan(self.is_nan())
    }

    /// The ends' values, and ±1 for each multiple of π/2 inside, of which there are four in a turn.
    fn sin_cos(self) -> (Self, Self) {
        if self.is_nan() {
            return (Self::NAN, Self::NAN);
        }
        let width = self.width();
        // The double is below 2π; an infinite end has an infinite width.
        if width >= core::f64::consts::TAU {
            return (Self::UNIT, Self::UNIT);
        }
        let (first, last) = (trig::quarter(self.lo), trig::quarter(self.hi));
        // Less than a turn crosses at most four edges of quarters; four and none look alike but for the width.
        let crossed = match last.wrapping_sub(first) & 3 {
            0 if width > 3.0 => 4,
            n => n,
        };
        let ((sin_lo, cos_lo), (sin_hi, cos_hi)) = (enclose(self.lo), enclose(self.hi));
        let (mut sin, mut cos) = (sin_lo.hull(sin_hi), cos_lo.hull(cos_hi));
        for edge in first + 1..=first + crossed {
            match edge & 3 {
                0 => cos.hi = 1.0,
                1 => sin.hi = 1.0,
                2 => cos.lo = -1.0,
                _ => sin.lo = -1.0,
            }
        }
        (sin, cos)
    }

    /// The root of the non-negative part; [`Interval::NAN`] if it is empty.
    fn sqrt(self) -> Self {
        Interval { lo: root(self.lo.max(0.0)).down(), hi: root(self.hi).up() }.or_nan(self.is_nan() || self.hi < 0.0)
    }

    /// \[−1, 1\] if zero is inside, a point included: dry friction at rest takes any value between.
    fn sign(self) -> Self {
        if self.lo > 0.0 {
            Self::point(1.0)
        } else if self.hi < 0.0 {
            Self::point(-1.0)
        } else {
            Self::UNIT.or_nan(self.is_nan())
        }
    }

    /// Whether both ends are finite.
    #[inline]
    fn is_finite(&self) -> bool {
        self.lo.is_finite() && self.hi.is_finite()
    }

    /// Whether the lower end is above zero.
    #[inline]
    fn is_positive(&self) -> bool {
        self.lo > 0.0
    }
}

/// Sine and cosine of a finite number. The error is below one last place of the exact value, so below two steps from the
/// computed one, if a power of two lies between.
fn enclose(x: f64) -> (Interval, Interval) {
    if x == 0.0 {
        return (Interval::point(x), Interval::point(1.0));
    }
    let (sin, cos) = x.any();
    let widen = |y: f64| Interval { lo: y.next_down().next_down().max(-1.0), hi: y.next_up().next_up().min(1.0) };
    (widen(sin), widen(cos))
}

#[cfg(test)]
mod tests {
    extern crate std;

    use core::cmp::Ordering;

    use super::super::tests::{
        Random, compare_product, compare_quotient, compare_root, compare_sum, sin_cos_fixed, ulps,
    };
    use super::*;

    const TRIALS: usize = 200_000;

    /// The exact result lies inside, and the ends are it, if it is a double, or its two neighbours.
    fn tight(y: Interval, against: impl Fn(f64) -> Ordering) {
        match (against(y.lo), against(y.hi)) {
            (Ordering::Equal, Ordering::Equal) => assert_eq!(y.lo, y.hi),
            (Ordering::Greater, Ordering::Less) => assert_eq!(y.lo.next_up(), y.hi),
            _ => panic!("{y:?} does not enclose, or is an exact result widened"),
        }
    }

    /// The exact result lies inside.
    fn encloses(y: Interval, against: impl Fn(f64) -> Ordering) {
        assert!(against(y.lo).is_ge() && against(y.hi).is_le(), "{y:?}");
    }

    #[test]
    fn points_give_the_nearest_ends() {
        let mut random = Random::new(1);
        for _ in 0..TRIALS {
            let (a, b) = (random.rounded(), random.rounded());
            let (x, y) = (Interval::point(a), Interval::point(b));
            tight(x + y, |c| compare_sum(a, b, c));
            tight(x - y, |c| compare_sum(a, -b, c));
            tight(x * y, |c| compare_product(a, b, c));
            tight(x / y, |c| compare_quotient(a, b, c));
            tight(Interval::point(a.abs()).sqrt(), |c| compare_root(a.abs(), c));
            tight(x.sqr(), |c| compare_product(a, a, c));
            let square = (a as f32 as f64) * (a as f32 as f64);
            assert_eq!(Interval::point(square).sqrt(), Interval::point((a as f32 as f64).abs()));
        }
    }

    #[test]
    fn huge_and_tiny_points_are_enclosed() {
        let mut random = Random::new(2);
        for i in 0..TRIALS {
            let a = random.finite();
            // Every other pair has a product, or a quotient, near the smallest doubles.
            let scale = f64::from_bits((random.bits() % 120) << 52) / a;
            let b = if i % 2 == 0 || !scale.is_finite() { random.finite() } else { scale };
            let (x, y) = (Interval::point(a), Interval::point(b));
            encloses(x + y, |c| compare_sum(a, b, c));
            encloses(x * y, |c| compare_product(a, b, c));
            if b != 0.0 {
                encloses(x / y, |c| compare_quotient(a, b, c));
                encloses(Interval::point(b) / x, |c| compare_quotient(b, a, c));
            }
            encloses(Interval::point(a.abs()).sqrt(), |c| compare_root(a.abs(), c));
        }
    }

    fn random_box(random: &mut Random) -> (Interval, f64) {
        let (a, b) = (random.unit() * 3.0, random.unit() * 3.0);
        let x = Interval::new(a.min(b), a.max(b)).unwrap();
        let inside = a + (b - a) * random.unit().abs();
        (x, if random.bits().is_multiple_of(4) { x.lo } else { inside.max(x.lo).min(x.hi) })
    }

    #[test]
    fn boxes_enclose_what_is_inside() {
        let mut random = Random::new(3);
        for _ in 0..TRIALS {
            let ((x, a), (y, b)) = (random_box(&mut random), random_box(&mut random));
            encloses(x + y, |c| compare_sum(a, b, c));
            encloses(x - y, |c| compare_sum(a, -b, c));
            encloses(x * y, |c| compare_product(a, b, c));
            encloses(x / y, |c| compare_quotient(a, b, c));
            encloses(x.sqr(), |c| compare_product(a, a, c));
            if a >= 0.0 {
                encloses(x.sqrt(), |c| compare_root(a, c));
            }
            let (z, c) = random_box(&mut random);
            let p = x.mul_add(y, z);
            encloses(p - z, |d| compare_product(a, b, d));
            assert!(p.contains(a * b + c));
            assert!(x.sign().contains(Real::sign(a)));
            assert!(x.hull(y).contains(a) && x.hull(y).contains(b));
            assert_eq!(x.intersect(y).is_some_and(|both| both.contains(a)), y.contains(a));
        }
    }

    #[test]
    fn exact_results_stay_points() {
        let x = Interval::point(0.1);
        let [zero, one] = [0.0, 1.0].map(Interval::lift);
        assert_eq!([x + zero, x - zero, x * one, x / one, x * zero, zero / x], [x, x, x, x, zero, zero]);
        let tiny = Interval::point(f64::from_bits(3));
        assert_eq!([tiny * one, tiny / one, tiny + zero], [tiny; 3]);
        assert_eq!(Interval::ENTIRE * zero, zero);
        assert_eq!(zero.sin_cos(), (zero, one));
        assert_eq!(x.width(), 0.0);
        assert_eq!(x.mid(), 0.1);
    }

    #[test]
    fn unbounded_and_undefined() {
        let make = |lo, hi| Interval::new(lo, hi).unwrap();
        let above = make(1.0, f64::INFINITY);
        assert_eq!(above * make(-1.0, 2.0), Interval::ENTIRE);
        assert_eq!(above * make(0.0, 2.0), make(0.0, f64::INFINITY));
        assert_eq!(above / above, make(0.0, f64::INFINITY));
        assert_eq!(above / make(-1.0, 1.0), Interval::ENTIRE);
        assert_eq!(above / make(0.0, 1.0), Interval::ENTIRE);
        assert_eq!(above - above, Interval::ENTIRE);
        assert_eq!(above.sqrt(), above);
        assert_eq!(make(-4.0, 9.0).sqrt(), make(0.0, 3.0));
        assert_eq!(make(-2.0, 1.0).sqr(), make(0.0, 4.0));
        assert_eq!(make(-2.0, 1.0) * make(-2.0, 1.0), make(-2.0, 4.0));
        assert_eq!(Interval::point(f64::MAX) + Interval::point(f64::MAX), Interval::point(f64::INFINITY));
        assert_eq!(Interval::lift(f64::NEG_INFINITY), make(f64::NEG_INFINITY, f64::MIN));
        assert_eq!(Interval::ENTIRE.mid(), 0.0);
        assert!(above.contains(above.mid()) && above.mid().is_finite());
        assert_eq!(make(f64::MIN, f64::MAX).mid(), 0.0);
        assert_eq!(above.sin_cos(), (make(-1.0, 1.0), make(-1.0, 1.0)));
        for bad in [(1.0, 0.0), (f64::NAN, 1.0), (0.0, f64::NAN), (f64::INFINITY, f64::INFINITY)] {
            assert_eq!(Interval::new(bad.0, bad.1), None);
        }

        let nan = Interval::lift(f64::NAN);
        let one = Interval::one();
        let spread =
            [nan + one, one - nan, nan * Interval::zero(), one / nan, nan / Interval::zero(), -nan, nan.sqrt()];
        let also = [
            nan.sqr(),
            nan.sign(),
            nan.sin_cos().0,
            nan.sin_cos().1,
            nan.hull(one),
            one.hull(nan),
            nan.mul_add(one, one),
        ];
        for x in spread.into_iter().chain(also).chain([make(-2.0, -1.0).sqrt()]) {
            assert!(x.lo.is_nan() && x.hi.is_nan() && !x.is_finite() && !x.is_positive() && !x.contains(0.0));
        }
        assert_eq!(nan.intersect(one), None);
        assert!(one.is_positive() && !Interval::zero().is_positive() && !Interval::ENTIRE.is_finite());
        assert_eq!([make(1e-300, 2.0).sign(), make(-2.0, -1e-300).sign()], [one, -one]);
        assert_eq!(Interval::zero().sign(), make(-1.0, 1.0));
    }

    /// Whether the fixed-point number lies inside.
    fn contains_fixed(y: Interval, exact: i128) -> bool {
        let above = |end: f64| end == 0.0 && exact >= 0 || end != 0.0 && ulps(end, exact, 53) <= 0.0;
        let below = |end: f64| end == 0.0 && exact <= 0 || end != 0.0 && ulps(end, exact, 53) >= 0.0;
        above(y.lo) && below(y.hi)
    }

    #[test]
    fn sines_of_points_and_boxes() {
        let mut random = Random::new(4);
        for i in 0..TRIALS / 4 {
            let center = random.unit() * if i % 2 == 0 { 25.0 } else { 2.0 };
            let width = random.unit().abs() * [0.0, 1e-12, 0.1, 2.0, 6.5][i % 5];
            let x = Interval::new(center, center + width).unwrap();
            let (sin, cos) = x.sin_cos();
            let (mut seen_sin, mut seen_cos) = ((2.0f64, -2.0f64), (2.0f64, -2.0f64));
            for k in 0..=8 {
                let inside = (center + width * (k as f64 / 8.0)).min(x.hi);
                if inside.abs() < 1e-6 {
                    continue;
                }
                let (s, c) = sin_cos_fixed(inside);
                assert!(contains_fixed(sin, s) && contains_fixed(cos, c), "{inside} in {x:?}: {sin:?}, {cos:?}");
                seen_sin = (seen_sin.0.min(inside.sin()), seen_sin.1.max(inside.sin()));
                seen_cos = (seen_cos.0.min(inside.cos()), seen_cos.1.max(inside.cos()));
            }
            // Not only sound: between nine samples h apart, the range can grow by h²/8 at most.
            let slack = (width / 8.0).powi(2) / 8.0 + 1e-15;
            if center.abs() > 7.0 {
                assert!(sin.lo >= seen_sin.0 - slack && sin.hi <= seen_sin.1 + slack, "{x:?} {sin:?}");
                assert!(cos.lo >= seen_cos.0 - slack && cos.hi <= seen_cos.1 + slack, "{x:?} {cos:?}");
            }
        }
    }

    #[test]
    fn sines_far_out() {
        let mut random = Random::new(5);
        for _ in 0..TRIALS {
            let lo = random.finite();
            let steps = random.bits() % 200;
            let hi = (0..steps.min(3)).fold(lo, |x, _| x.next_up());
            let Some(x) = Interval::new(lo, hi) else { continue };
            let (sin, cos) = x.sin_cos();
            for y in [lo, hi] {
                // The platform's sine is off by less than one last place, ours is widened by two.
                assert!(sin.contains(y.sin()) && cos.contains(y.cos()), "{y} in {x:?}");
            }
            if steps == 0 {
                assert!(sin.width() <= 4.0 * f64::EPSILON && cos.width() <= 4.0 * f64::EPSILON);
            }
        }
        // −1 to within 2⁻¹⁰⁰, and no further.
        let bottom = Interval::point(1.5 * core::f64::consts::PI).sin_cos().0;
        assert!(bottom.lo == -1.0 && bottom.hi > -1.0);
        let (sin, cos) = Interval::point(1e22).sin_cos();
        assert!(sin.contains(-0.8522008497671888) && sin.width() < 1e-15);
        assert!(cos.contains(0.523214785395139) && cos.width() < 1e-15);
    }

    #[test]
    fn edges_of_quarters() {
        use core::f64::consts::FRAC_PI_2;
        for k in -9i32..=9 {
            // The double nearest to k·π/2 has it on one side; the next two doubles have it between.
            let near = FRAC_PI_2 * f64::from(k);
            let x = Interval::new(near.next_down(), near.next_up()).unwrap();
            let (sin, cos) = x.sin_cos();
            let (peak, flat) = if k % 2 == 0 { (cos, sin) } else { (sin, cos) };
            let sign = if k.rem_euclid(4) < 2 { 1.0 } else { -1.0 };
            assert!(peak.contains(sign) && peak.width() < 1e-15, "{k}: {peak:?}");
            assert!(flat.contains(0.0) && flat.width() < 1e-14, "{k}: {flat:?}");
        }
        // π/2 lies above its double.
        let below = Interval::new(1.0, FRAC_PI_2).unwrap().sin_cos();
        assert!(below.1.lo > 0.0);
        let beyond = Interval::new(1.0, FRAC_PI_2.next_up()).unwrap().sin_cos();
        assert!(beyond.0.hi == 1.0 && beyond.1.lo < 0.0);
        // All but a hair of a turn, from just after a peak.
        let most = Interval::new(0.1, 6.3).unwrap().sin_cos();
        assert_eq!((most.0.lo, most.0.hi, most.1.lo, most.1.hi), (-1.0, 1.0, -1.0, 1.0));
        let three = Interval::new(0.1, 6.2).unwrap().sin_cos();
        assert!(three.1.hi < 0.9966 && three.1.lo == -1.0);
    }
}
