//! Reference for the tests of this folder: exact integer arithmetic, and random numbers.

extern crate std;

use crate::SplitMix64;
use core::cmp::Ordering;

/// Random numbers for the tests.
pub struct Random(SplitMix64);

impl Random {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Self {
        Random(SplitMix64(seed))
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next()
    }

    /// From −1 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() as i64 >> 10) as f64 / (1u64 << 53) as f64
    }

    /// Any finite double: huge, tiny and subnormal ones too.
    pub fn finite(&mut self) -> f64 {
        loop {
            let x = f64::from_bits(self.bits());
            if x.is_finite() {
                return x;
            }
        }
    }

    /// A double of 53, 30 or 4 significant bits, so that many results are exact, from 2⁻³² to 2³¹ in size.
    pub fn rounded(&mut self) -> f64 {
        let bits = self.bits();
        let mantissa = bits >> 12 & u64::MAX << [0, 23, 49][(bits % 3) as usize];
        f64::from_bits((bits & 1 << 63) | (1023 - 32 + (bits >> 2 & 63)) << 52 | mantissa & ((1 << 52) - 1))
    }
}

/// x = m·2ᵉ with m odd, or zero.
fn parts(x: f64) -> (i128, i32) {
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32;
    let mantissa = (x.to_bits() & ((1 << 52) - 1)) | u64::from(exponent > 0) << 52;
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros();
    let m = i128::from(mantissa >> zeros);
    (if x < 0.0 { -m } else { m }, exponent.max(1) - 1075 + zeros as i32)
}

/// a·2ᵉ against b·2ᶠ, for exponents not far apart.
fn compare((a, e): (i128, i32), (b, f): (i128, i32)) -> Ordering {
    if a == 0 || b == 0 {
        return a.cmp(&b);
    }
    let least = e.min(f);
    (a << (e - least)).cmp(&(b << (f - least)))
}

fn times(a: f64, b: f64) -> (i128, i32) {
    let ((m, e), (n, f)) = (parts(a), parts(b));
    (m * n, e + f)
}

/// A result that rounds to `rounded` against c. Rounding keeps order, so only equality leaves the matter open.
fn settle(rounded: f64, c: f64, exact: impl FnOnce() -> Ordering) -> Ordering {
    if c.is_infinite() {
        0.0.partial_cmp(&c).unwrap()
    } else if rounded != c {
        rounded.partial_cmp(&c).unwrap()
    } else {
        exact()
    }
}

/// a + b against c, exactly.
pub fn compare_sum(a: f64, b: f64, c: f64) -> Ordering {
    settle(a + b, c, || {
        let (big, small) = if a.abs() > b.abs() { (a, b) } else { (b, a) };
        let ((m, e), (n, f)) = (parts(big), parts(small));
        match e - f {
            _ if n == 0 => Ordering::Equal,
            // c is the big one.
            _ if big.abs() > small.abs() * 1e18 => n.cmp(&0),
            d if d < 0 => compare((m + (n << -d), e), parts(c)),
            d => compare(((m << d) + n, f), parts(c)),
        }
    })
}

/// a · b against c, exactly.
pub fn compare_product(a: f64, b: f64, c: f64) -> Ordering {
    settle(a * b, c, || compare(times(a, b), parts(c)))
}

/// a / b against c, exactly.
pub fn compare_quotient(a: f64, b: f64, c: f64) -> Ordering {
    settle(a / b, c, || {
        let order = compare(parts(a), times(b, c));
        if b < 0.0 { order.reverse() } else { order }
    })
}

/// √a against c ≥ 0, exactly.
pub fn compare_root(a: f64, c: f64) -> Ordering {
    compare(parts(a), times(c, c))
}

/// Binary places of the fixed point below.
const PLACES: u32 = 120;

/// π/2 · 2¹²⁰.
const QUARTER: i128 = 0x01921fb54442d18469898cc51701b839;

/// Sine and cosine of |x| < 32 in fixed point of 120 places, by Taylor's series; off by less than 2⁻¹¹².
pub fn sin_cos_fixed(x: f64) -> (i128, i128) {
    let (m, e) = parts(x);
    let e = e + PLACES as i32;
    assert!(e >= 0 || m == 0, "{x} is too small for the fixed point");
    let x = m << e.max(0);
    let n = (x + QUARTER / 2).div_euclid(QUARTER);
    let r = x - n * QUARTER;
    let series = |first: i128, start: i128| {
        let (mut total, mut term, mut k) = (first, first, start);
        while term != 0 {
            term = -multiply(multiply(term, r), r) / (k * (k + 1));
            total += term;
            k += 2;
        }
        total
    };
    let (sin, cos) = (series(r, 2), series(1 << PLACES, 1));
    match n & 3 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// The product of two fixed-point numbers below 4.
fn multiply(a: i128, b: i128) -> i128 {
    const HALF: u32 = PLACES / 2;
    const MASK: u128 = (1 << HALF) - 1;
    let (x, y) = (a.unsigned_abs(), b.unsigned_abs());
    let (x1, x0, y1, y0) = (x >> HALF, x & MASK, y >> HALF, y & MASK);
    let p = x1 * y1 + ((x1 * y0) >> HALF) + ((x0 * y1) >> HALF);
    if (a < 0) == (b < 0) { p as i128 } else { -(p as i128) }
}

/// How far `x` lies from the fixed-point number `exact`, signed, in last places of a number of that size with `digits` bits.
pub fn ulps(x: f64, exact: i128, digits: u32) -> f64 {
    let (m, e) = parts(x);
    let e = e + PLACES as i32;
    assert!(e >= 0, "{x} is too small for the fixed point");
    let last_place = 128 - exact.unsigned_abs().leading_zeros() - digits;
    ((m << e) - exact) as f64 / (1u128 << last_place) as f64
}
