//! `f64`, `f32` and `Fused` as numbers.

use super::trig::{self, Angle};
use super::{Algorithm, Real};
use armdyn_simd::Fused;
use core::convert::identity;

/// Whether `mul_add` is one instruction here; `std` would otherwise call a slow function for it.
pub(super) const FUSED: bool = armdyn_simd::FUSED;

macro_rules! real_float {
    ($type:ident $(.$field:tt)?, $float:ident, $new:path, $fused:expr $(, $run:ident)?) => {
        impl Real for $type {
            const EPSILON: f64 = $float::EPSILON as f64;

            #[inline(always)]
            fn lift(x: f64) -> Self {
                $new(x as $float)
            }

            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                Angle::any(self)
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                #[cfg(feature = "std")]
                return $new($float::sqrt(self$(.$field)?));
                #[cfg(not(feature = "std"))]
                return $new(sqrt(self$(.$field)?.into()) as $float);
            }

            #[inline(always)]
            fn sign(self) -> Self {
                let x = self$(.$field)?;
                $new(if x == 0.0 || x.is_nan() { x } else { x.signum() })
            }

            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self {
                #[cfg(feature = "std")]
                if $fused {
                    return $new($float::mul_add(self$(.$field)?, a$(.$field)?, b$(.$field)?));
                }
                self * a + b
            }

            #[inline(always)]
            fn is_finite(&self) -> bool {
                $float::is_finite((*self)$(.$field)?)
            }

            #[inline(always)]
            fn is_positive(&self) -> bool {
                (*self)$(.$field)? > 0.0
            }

            #[inline(always)]
            fn sin_cos_each(angles: &[Self], out: &mut [(Self, Self)]) {
                trig::each(angles, out);
            }

            $(#[inline(always)]
            fn run<A: Algorithm>(arguments: A::Arguments<'_, Self>) -> A::Output {
                A::$run(arguments)
            })?
        }
    };
}
real_float!(f64, f64, identity, FUSED, call);
real_float!(f32, f32, identity, FUSED);
real_float!(Fused.0, f64, Fused, true, call_fused);

/// Correctly rounded square root from the integer root of the mantissa, for builds without `std`.
#[cfg(any(test, not(feature = "std")))]
fn sqrt(x: f64) -> f64 {
    const MANTISSA: u32 = 52;
    if x == 0.0 || x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x < 0.0 {
        return f64::NAN;
    }
    // x = m·2ᵉ with e even and m of 107 or 108 bits: the root has 54 bits, one to round by. It never lies half-way.
    let (scaled, back) = if x < f64::MIN_POSITIVE { (x * 18014398509481984.0, 27) } else { (x, 0) }; // 2⁵⁴
    let exponent = (scaled.to_bits() >> MANTISSA) as i32 - 1023;
    let m = (scaled.to_bits() & ((1 << MANTISSA) - 1)) | (1 << MANTISSA);
    let root = (u128::from(m) << (54 + (exponent & 1))).isqrt() as u64;
    let half = (exponent >> 1) - back;
    // Rounding may carry into the exponent: it is then right as well.
    let rounded = (root + 1) >> 1;
    f64::from_bits((((half + 1022) as u64) << MANTISSA) + rounded)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::super::tests::Random;
    use super::*;

    #[test]
    fn root_without_hardware() {
        let mut random = Random::new(11);
        let edges =
            [0.0, -0.0, f64::INFINITY, 5e-324, f64::MIN_POSITIVE, f64::MAX, 1.0, 4.0, 2.25, 1.0 - f64::EPSILON / 2.0];
        for x in edges.into_iter().chain((0..300_000).map(|_| random.finite().abs())) {
            assert_eq!(sqrt(x).to_bits(), std::primitive::f64::sqrt(x).to_bits(), "{x:e}");
            let single = x as f32;
            assert_eq!(sqrt(single.into()) as f32, std::primitive::f32::sqrt(single));
        }
        assert!(sqrt(-1.0).is_nan() && sqrt(f64::NAN).is_nan() && sqrt(f64::NEG_INFINITY).is_nan());
        assert!(Real::sqrt(-1.0f64).is_nan() && Real::sqrt(2.0f32) == core::f32::consts::SQRT_2);
    }

    #[test]
    fn signs() {
        assert_eq!([-3.0, 0.0, 1e-300].map(<f64 as Real>::sign), [-1.0, 0.0, 1.0]);
        assert_eq!(Real::sign(-0.0), 0.0);
        assert_eq!(Real::sign(f64::NEG_INFINITY), -1.0);
        assert!(Real::sign(f64::NAN).is_nan() && Real::sign(f32::NAN).is_nan());
    }

    #[test]
    fn multiply_add() {
        let e = f64::EPSILON;
        let rest = Real::mul_add(1.0 + e, 1.0 - e, -1.0);
        assert_eq!(rest, if FUSED { -e * e } else { 0.0 });
    }

    #[test]
    fn reports() {
        assert!(Real::is_finite(&1.0) && !Real::is_finite(&f64::NAN) && !Real::is_finite(&f32::INFINITY));
        assert!(1.0.is_positive() && !0.0.is_positive() && !Real::is_positive(&f64::NAN));
        assert_eq!((f32::lift(0.1), f64::lift(0.1), f64::one(), f32::zero()), (0.1, 0.1, 1.0, 0.0));
    }
}
