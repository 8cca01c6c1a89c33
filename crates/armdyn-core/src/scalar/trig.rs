//! Sine and cosine of `f64` and `f32`, without a branch for |x| ≤ 2²⁰.
//!
//! x = n·π/2 + r with n = ⌊x·2/π⌉, then the kernels of fdlibm on |r| ≤ π/4, then the quadrant n mod 4 by bits:
//!
//!   n = (x·2/π + 1.5·2⁵²) − 1.5·2⁵²                            (1)
//!   r = hi + lo = ((x − n·P₁) − n·P₂) − n·P₃                   (2)
//!   sin r = hi + hi³·S(hi²) + lo·(1 − hi²/2)                   (3)
//!   cos r = 1 − hi²/2 + hi⁴·C(hi²) − hi·lo                     (4)
//!
//! Beyond 2²⁰: Payne & Hanek 1983 in integers, from 192 bits of 2/π. An infinity or NaN gives NaN.
//!
//! Why (2) is right. Either n = 0, or |x| > ½ and then x − n·P₁ is a multiple of 2⁻⁵³ below 1: exact. No double is
//! nearer than 2⁻⁶¹ to a multiple of π/2 (but zero), and hi + lo is off by less than 2⁻¹²⁵, so the sign of r is known and
//! its relative error is below 2⁻⁶⁴.
//!
//! Deviations from fdlibm: hi²/2 in (4) is taken exactly where multiply-add is fused; lo always takes part.
//!
//! Measured against 113-bit sines, 18 million angles of all sizes: 0.68 ulp, 0.81 where multiply-add is not fused, and
//! 0.501 for `f32`. Budget: ½ for the last rounding; the correction, below ⅛ of the result in (3), adds its own few.

use super::float::FUSED;
use armdyn_simd::Fused;

/// The main path holds for |x| up to this; n then fits in 20 bits.
pub const MODERATE: f64 = 1048576.0;

const FRAC_2_PI: f64 = core::f64::consts::FRAC_2_PI;

/// Adding it rounds to an integer and leaves that integer in the low bits.
pub const ROUND: f64 = 6755399441055744.0;

/// π/2 in parts of 53 bits, for a fused multiply-add.
pub const LONG: [f64; 3] = [core::f64::consts::FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33];

/// π/2 in parts of 33 bits and a rest: twenty bits of n times a part is exact.
pub const SHORT: [f64; 4] = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32];

/// S in (3), from the lowest power up: fdlibm, `k_sin.c`.
pub const SINE: [f64; 6] = [
    -0.16666666666666632,
    0.00833333333332249,
    -0.0001984126982985795,
    2.7557313707070068e-6,
    -2.5050760253406863e-8,
    1.58969099521155e-10,
];

/// C in (4): fdlibm, `k_cos.c`.
pub const COSINE: [f64; 6] = [
    0.0416666666666666,
    -0.001388888888887411,
    2.480158728947673e-5,
    -2.7557314351390663e-7,
    2.087572321298175e-9,
    -1.1359647557788195e-11,
];

/// S for `f32`: FreeBSD, `k_sinf.c` (off by 2⁻³⁷).
pub const SINGLE_SINE: [f64; 4] =
    [-0.16666666641626524, 0.008333329385889463, -0.00019839334836096632, 2.718311493989822e-6];

/// The same of the cosine, with the factor of hi², −½ or nearly, first: FreeBSD, `k_cosf.c` (off by 2⁻³⁴).
pub const SINGLE_COSINE: [f64; 4] =
    [-0.499999997251031, 0.04166662332373906, -0.001388676377460993, 2.439044879627741e-5];

/// π/2 in 25 bits and a rest, for `f32` in `f64` arithmetic.
const NARROW: [f64; 2] = [1.5707963109016418, 1.5893254773528196e-8];

/// `a · b + c`, fused or not.
#[inline(always)]
fn fma<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { Fused(a).mul_add(Fused(b), Fused(c)).0 } else { a * b + c }
}

/// An angle reduced to x = quadrant·π/2 + hi + lo, the quadrant mod 4 in its two low bits.
#[derive(Clone, Copy)]
struct Reduced {
    quadrant: u64,
    hi: f64,
    lo: f64,
}

/// Reduction (1), (2) for |x| ≤ 2²⁰.
#[inline(always)]
fn reduce_moderate<const FUSED: bool>(x: f64) -> Reduced {
    let shifted = fma::<FUSED>(x, FRAC_2_PI, ROUND);
    let n = shifted - ROUND;
    // The rest is subtracted as a whole, so that −0 stays −0.
    let (hi, rest) = if FUSED {
        let [p1, p2, p3] = LONG;
        let t = fma::<FUSED>(-n, p1, x);
        let product = n * p2;
        let product_rest = fma::<FUSED>(n, p2, -product);
        let hi = t - product;
        // t is a multiple of the last place of the product: the fast two-sum is exact.
        let error = (t - hi) - product;
        (hi, fma::<FUSED>(n, p3, product_rest) - error)
    } else {
        let [p1, p2, p3, p4] = SHORT;
        let (t, e2) = two_difference(x - n * p1, n * p2);
        let (hi, e3) = two_difference(t, n * p3);
        (hi, n * p4 - (e2 + e3))
    };
    Reduced { quadrant: shifted.to_bits(), hi, lo: -rest }
}

/// `a − b` rounded, and the rounding error.
#[inline(always)]
fn two_difference(a: f64, b: f64) -> (f64, f64) {
    let d = a - b;
    let b_seen = a - d;
    (d, (a - (d + b_seen)) + (b_seen - b))
}

/// The first 1216 bits of 2/π after 64 zeros, that is, after the binary point at bit 64.
const TWO_OVER_PI: [u64; 20] = [
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
];

/// π/2 · 2¹²⁷.
const FRAC_PI_2_Q127: u128 = 0xc90fdaa22168c234c4c6628b80dc1cd1;

/// Reduction by Payne & Hanek for a finite |x| ≥ 1; called beyond 2²⁰.
///
/// With |x| = m·2ᵉ, the bits of 2/π that weigh 4 or more after the product are whole turns and are dropped. The next 192
/// bits times m, modulo 2¹⁹², are (|x|·2/π mod 4)·2¹⁹⁰, short by less than 2⁵³; the upper 128 of them are kept.
fn reduce_huge(x: f64) -> Reduced {
    let bits = x.to_bits();
    let m = (bits & ((1 << 52) - 1)) | (1 << 52);
    let start = ((bits >> 52) & 0x7ff) as usize - 1013; // 62 + e
    let (word, shift) = (start / 64, start % 64);
    let window = |i: usize| {
        let pair = (u128::from(TWO_OVER_PI[word + i]) << 64) | u128::from(TWO_OVER_PI[word + i + 1]);
        u128::from(((pair << shift) >> 64) as u64)
    };
    let m = u128::from(m);
    let turns = ((m * window(0)) << 64).wrapping_add(m * window(1)).wrapping_add((m * window(2)) >> 64);

    // Two bits of the quadrant, 126 of the fraction; to the nearest quadrant, so that the fraction is signed.
    let quadrant = ((turns >> 126) + ((turns >> 125) & 1)) as u64;
    let fraction = (turns << 2) as i128;
    let zeros = fraction.unsigned_abs().leading_zeros();
    let r = high_product(fraction.unsigned_abs() << zeros, FRAC_PI_2_Q127);

    // |fraction|·2⁻¹²⁸·π/2 = r·2^(−127−zeros), cut into 53 and 53 bits.
    let unit = power_of_two(-127 - zeros as i32);
    let hi = (r >> 75) as f64 * (unit * power_of_two(75));
    let lo = ((r >> 22) & ((1 << 53) - 1)) as f64 * (unit * power_of_two(22));
    let (hi, lo) = if (fraction < 0) == (x < 0.0) { (hi, lo) } else { (-hi, -lo) };
    Reduced { quadrant: if x < 0.0 { quadrant.wrapping_neg() } else { quadrant }, hi, lo }
}

/// 2ⁿ for a normal result.
fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// The upper 128 bits of a product, short by less than 3.
fn high_product(a: u128, b: u128) -> u128 {
    let half = |x: u128| (x >> 64, x & u128::from(u64::MAX));
    let ((a1, a0), (b1, b0)) = (half(a), half(b));
    a1 * b1 + ((a1 * b0) >> 64) + ((a0 * b1) >> 64)
}

/// Kernels (3), (4) on |hi + lo| ≤ π/4, off by 2⁻⁵⁸ relative.
#[inline(always)]
fn kernel<const FUSED: bool>(hi: f64, lo: f64) -> (f64, f64) {
    let f = fma::<FUSED>;
    let z = hi * hi;
    let w = z * z;

    let v = z * hi;
    let [s0, s1, s2, s3, s4, s5] = SINE;
    let s = f(z * w, f(z, s5, s4), f(z, f(z, s3, s2), s1));
    let sin = hi - f(-v, s0, f(z, f(-v, s, 0.5 * lo), -lo));

    let [c0, c1, c2, c3, c4, c5] = COSINE;
    let c = f(w * w, f(z, f(z, c5, c4), c3), z * f(z, f(z, c2, c1), c0));
    let half = 0.5 * hi;
    let near = f(-half, hi, 1.0);
    let rest = f(-half, hi, 1.0 - near);
    let cos = near + (rest + f(z, c, -(hi * lo)));
    (sin, cos)
}

/// Sine and cosine of the angle from those of its remainder.
#[inline(always)]
fn to_quadrant(quadrant: u64, (sin, cos): (f64, f64)) -> (f64, f64) {
    let (a, b) = if quadrant & 1 == 0 { (sin, cos) } else { (cos, sin) };
    let flip = |x: f64, q: u64| f64::from_bits(x.to_bits() ^ ((q & 2) << 62));
    (flip(a, quadrant), flip(b, quadrant.wrapping_add(1)))
}

/// A float whose sine and cosine are computed here.
pub(super) trait Angle: Copy + Default {
    /// Whether [`Angle::main_path`] holds. Not so for NaN.
    fn is_moderate(self) -> bool;

    /// Sine and cosine of a moderate angle, without a branch.
    fn main_path(self) -> (Self, Self);

    /// Sine and cosine of any angle, off by less than one unit in the last place of the exact value.
    fn any(self) -> (Self, Self);
}

impl Angle for f64 {
    #[inline(always)]
    fn is_moderate(self) -> bool {
        self.abs() <= MODERATE
    }

    #[inline(always)]
    fn main_path(self) -> (f64, f64) {
        let r = reduce_moderate::<FUSED>(self);
        to_quadrant(r.quadrant, kernel::<FUSED>(r.hi, r.lo))
    }

    #[inline(always)]
    fn any(self) -> (f64, f64) {
        if self.is_moderate() { self.main_path() } else { beyond(self) }
    }
}

impl Angle for Fused {
    #[inline(always)]
    fn is_moderate(self) -> bool {
        self.0.is_moderate()
    }

    #[inline(always)]
    fn main_path(self) -> (Self, Self) {
        let r = reduce_moderate::<true>(self.0);
        let (sin, cos) = to_quadrant(r.quadrant, kernel::<true>(r.hi, r.lo));
        (Fused(sin), Fused(cos))
    }

    /// As of `f64`: not every caller is compiled with FMA.
    #[inline(always)]
    fn any(self) -> (Self, Self) {
        let (sin, cos) = self.0.any();
        (Fused(sin), Fused(cos))
    }
}

/// Sine and cosine of an angle that is not moderate.
#[cold]
#[inline(never)]
fn beyond(x: f64) -> (f64, f64) {
    if !x.is_finite() {
        return (f64::NAN, f64::NAN);
    }
    let r = reduce_huge(x);
    to_quadrant(r.quadrant, kernel::<FUSED>(r.hi, r.lo))
}

/// ⌊x / (π/2)⌋ mod 4 of a finite angle, exactly: the sign of the remainder is always known.
pub(super) fn quarter(x: f64) -> u64 {
    let r = if x.is_moderate() { reduce_moderate::<FUSED>(x) } else { reduce_huge(x) };
    r.quadrant.wrapping_sub(u64::from(r.hi < 0.0)) & 3
}

impl Angle for f32 {
    #[inline(always)]
    fn is_moderate(self) -> bool {
        self.abs() <= MODERATE as f32
    }

    /// In `f64`.
    #[inline(always)]
    fn main_path(self) -> (f32, f32) {
        let (s, c) = (SINGLE_SINE, SINGLE_COSINE);
        let x = f64::from(self);
        let shifted = fma::<FUSED>(x, FRAC_2_PI, ROUND);
        let n = shifted - ROUND;
        let r = fma::<FUSED>(-n, NARROW[0], x) - n * NARROW[1];
        let z = r * r;
        let w = z * z;
        let sin = r * fma::<FUSED>(z, fma::<FUSED>(w, fma::<FUSED>(z, s[3], s[2]), fma::<FUSED>(z, s[1], s[0])), 1.0);
        let cos = fma::<FUSED>(w, fma::<FUSED>(z, fma::<FUSED>(z, c[3], c[2]), c[1]), fma::<FUSED>(z, c[0], 1.0));
        let (sin, cos) = to_quadrant(shifted.to_bits(), (sin, cos));
        (sin as f32, cos as f32)
    }

    #[inline(always)]
    fn any(self) -> (f32, f32) {
        if self.is_moderate() {
            self.main_path()
        } else {
            let (sin, cos) = f64::from(self).any();
            (sin as f32, cos as f32)
        }
    }
}

/// Angles computed at a time: eight doubles fill the widest registers, and most arms have no more joints.
const WIDTH: usize = 8;
const HALF: usize = WIDTH / 2;

/// Sine and cosine of each angle. A remainder after whole blocks is computed together with its neighbours, a second time.
#[inline(always)]
pub(super) fn each<A: Angle>(angles: &[A], out: &mut [(A, A)]) {
    let n = angles.len().min(out.len());
    let (angles, out) = (&angles[..n], &mut out[..n]);
    for (x, o) in angles.as_chunks().0.iter().zip(out.as_chunks_mut().0) {
        whole(x, o);
    }
    if n.is_multiple_of(WIDTH) {
        return;
    }
    if let (Some(x), Some(o)) = (angles.last_chunk(), out.last_chunk_mut()) {
        whole(x, o);
    } else if let (Some(first), Some(last)) = (angles.first_chunk::<HALF>(), angles.last_chunk::<HALF>()) {
        // Neither array is passed to a call, so that both stay in registers.
        let mut x = [A::default(); WIDTH];
        x[..HALF].copy_from_slice(first);
        x[HALF..].copy_from_slice(last);
        let mut y = [(A::default(), A::default()); WIDTH];
        if block(&x, &mut y) {
            out[..HALF].copy_from_slice(&y[..HALF]);
            out[n - HALF..].copy_from_slice(&y[HALF..]);
        } else {
            one_by_one(angles, out);
        }
    } else {
        one_by_one(angles, out);
    }
}

#[inline(always)]
fn whole<A: Angle>(angles: &[A; WIDTH], out: &mut [(A, A); WIDTH]) {
    if !block(angles, out) {
        one_by_one(angles, out);
    }
}

/// A block in one pass of wide registers; returns false, and the result is invalid, unless all its angles are moderate.
#[inline(always)]
fn block<A: Angle>(angles: &[A; WIDTH], out: &mut [(A, A); WIDTH]) -> bool {
    let mut all = true;
    for i in 0..WIDTH {
        out[i] = angles[i].main_path();
        all &= angles[i].is_moderate();
    }
    all
}

#[inline(never)]
fn one_by_one<A: Angle>(angles: &[A], out: &mut [(A, A)]) {
    for (o, x) in out.iter_mut().zip(angles) {
        *o = x.any();
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use super::super::tests::{Random, sin_cos_fixed, ulps};
    use super::*;

    const TRIALS: usize = 500_000;

    /// Steps between neighbouring doubles.
    fn steps(a: f64, b: f64) -> u64 {
        if a == b {
            0
        } else if (a < 0.0) != (b < 0.0) {
            u64::MAX
        } else {
            a.to_bits().abs_diff(b.to_bits())
        }
    }

    #[test]
    fn below_one_last_place() {
        let mut random = Random::new(21);
        let mut worst = (0.0f64, 0.0f64);
        for i in 0..TRIALS / 4 {
            let x = random.unit() * [0.79, 3.2, 31.9][i % 3];
            if x.abs() < 1e-6 {
                continue;
            }
            let exact = sin_cos_fixed(x);
            let (sin, cos) = x.any();
            worst.0 = worst.0.max(ulps(sin, exact.0, 53).abs()).max(ulps(cos, exact.1, 53).abs());
            if x.abs() >= 1.0 {
                let (sin, cos) = beyond(x);
                worst.0 = worst.0.max(ulps(sin, exact.0, 53).abs()).max(ulps(cos, exact.1, 53).abs());
            }
            let single = x as f32;
            let exact = sin_cos_fixed(single.into());
            let (sin, cos) = single.any();
            worst.1 = worst.1.max(ulps(sin.into(), exact.0, 24).abs()).max(ulps(cos.into(), exact.1, 24).abs());
        }
        assert!(worst.0 < 0.85 && worst.1 < 0.51, "{worst:?}");
    }

    /// The platform's sines are off by less than one last place themselves.
    #[test]
    fn like_the_platform() {
        let mut random = Random::new(22);
        for i in 0..TRIALS {
            let x = match i % 4 {
                0 => random.unit() * 1e6,
                1 => random.unit() * 4e6, // on both sides of the limit
                2 => {
                    let k = (random.bits() % 2_000_000) as f64;
                    let near = k * core::f64::consts::FRAC_PI_2;
                    [near, near.next_up(), near.next_down()][i / 4 % 3]
                }
                _ => random.finite(),
            };
            for x in [x, -x] {
                let (sin, cos) = x.any();
                assert!(steps(sin, x.sin()) <= 2 && steps(cos, x.cos()) <= 2, "{x:e}: {sin:e} {cos:e}");
            }
            let x = if i % 4 == 3 { f32::from_bits(random.bits() as u32) } else { x as f32 };
            let exact = f64::from(x);
            let (sin, cos) = x.any();
            if x.is_finite() {
                let close = |a: f32, b: f64| (a.to_bits() as i64 - (b as f32).to_bits() as i64).abs() <= 1;
                assert!(close(sin, exact.sin()) && close(cos, exact.cos()), "{x:e}: {sin:e} {cos:e}");
            } else {
                assert!(sin.is_nan() && cos.is_nan());
            }
        }
    }

    /// From mpmath 1.3 with 3000 bits.
    #[test]
    fn known_values() {
        // The double that is nearest to a multiple of π/2.
        let nearest = 6381956970095103.0 * 2f64.powi(797);
        for (x, sin, cos) in [
            (nearest, 1.0, -4.687165924254628e-19),
            (1e22, -0.8522008497671888, 0.523214785395139),
            (1e308, 0.4533964905016491, -0.8913089376870335),
            (f64::MAX, 0.004961954789184062, -0.9999876894265599),
            (0.5, 0.479425538604203, 0.8775825618903728),
            (355.0, -3.014435335948845e-5, -0.999999999545659),
            (1e6, -0.34999350217129294, 0.9367521275331447),
            (1048576.5, 0.7425208640927718, 0.669822936593637),
        ] {
            let y = x.any();
            assert!(steps(y.0, sin) <= 1 && steps(y.1, cos) <= 1, "{x:e}: {y:?}");
        }
    }

    #[test]
    fn zeros_tiny_and_undefined() {
        for x in [0.0f64, -0.0, 5e-324, -5e-324, 1e-310, 1e-200, -1e-20] {
            let (sin, cos) = x.any();
            assert_eq!((sin.to_bits(), cos), (x.to_bits(), 1.0), "{x:e}");
        }
        assert_eq!((-0.0f32).any().0.to_bits(), (-0.0f32).to_bits());
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(x.any().0.is_nan() && x.any().1.is_nan());
            assert!((x as f32).any().0.is_nan());
        }
    }

    #[test]
    fn quarters() {
        for k in -50i32..50 {
            let expected = (k & 3) as u64;
            assert_eq!(quarter((f64::from(k) + 0.02) * core::f64::consts::FRAC_PI_2), expected);
            assert_eq!(quarter((f64::from(k) + 0.98) * core::f64::consts::FRAC_PI_2), expected);
        }
        assert_eq!(quarter(0.0), 0);
        // sin 1e22 < 0 < cos 1e22; sin 1e308 > 0 > cos 1e308; the nearest one has sin > 0 > cos by a hair.
        assert_eq!([1e22, -1e22, 1e308, 6381956970095103.0 * 2f64.powi(797)].map(quarter), [3, 0, 1, 1]);
    }

    #[test]
    fn each_is_the_same_as_one() {
        let mut random = Random::new(23);
        for n in 0..40 {
            for rare in [false, true] {
                let mut x: Vec<f64> = (0..n).map(|_| random.unit() * 100.0).collect();
                if rare && n > 0 {
                    x[random.bits() as usize % n] = 1e100;
                }
                let mut y = x.iter().map(|_| (9.0, 9.0)).collect::<Vec<_>>();
                each(&x, &mut y);
                assert_eq!(y, x.iter().map(|x| x.any()).collect::<Vec<_>>());

                let x: Vec<f32> = x.iter().map(|&x| x as f32).filter(|x| x.is_finite()).collect();
                let mut y = x.iter().map(|_| (9.0, 9.0)).collect::<Vec<_>>();
                each(&x, &mut y);
                assert_eq!(y, x.iter().map(|x| x.any()).collect::<Vec<_>>());
            }
        }
        let mut short = [(9.0, 9.0); 3];
        each(&[0.0; 9], &mut short);
        assert_eq!(short, [(0.0, 1.0); 3]);
        let mut nan = [(9.0, 9.0); 7];
        each(&[0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0], &mut nan);
        assert!(nan[2].0.is_nan() && nan[6] == (0.0, 1.0));
    }
}
