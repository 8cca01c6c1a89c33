//! Algorithms whose `f64` code is compiled here, once per instruction set, and chosen at run time (`armdyn-simd`).

use super::Real;
use armdyn_simd::Kernel;

/// An algorithm written once over [`Real`], with its concrete entry for `f64`.
#[doc(hidden)]
pub trait Algorithm: Kernel {
    /// The algorithm.
    fn run<T: Real>(arguments: Self::Arguments<'_, T>) -> Self::Output;

    /// [`armdyn_simd::call`], not generic: compiled in this crate, whatever crate calls it.
    fn call(arguments: Self::Arguments<'_, f64>) -> Self::Output;

    /// The same with [`armdyn_simd::call_fused`].
    fn call_fused(arguments: Self::Arguments<'_, armdyn_simd::Fused>) -> Self::Output;
}

/// Declares the algorithm `$name` of the function `$body`. (The references reach `$body` as parameters of its own, which tells
/// the compiler that they do not overlap.)
macro_rules! algorithm {
    ($name:ident, $body:ident($($argument:ident: $type:ty),* $(,)?)) => {
        struct $name;

        impl armdyn_simd::Kernel for $name {
            type Arguments<'a, T: 'a> = ($($type),*);
            type Output = crate::error::Result<()>;

            #[inline(always)]
            fn baseline(($($argument),*): Self::Arguments<'_, f64>) -> Self::Output {
                $body($($argument),*)
            }

            #[inline(always)]
            fn fused(($($argument),*): Self::Arguments<'_, armdyn_simd::Fused>) -> Self::Output {
                $body($($argument),*)
            }
        }

        impl crate::scalar::Algorithm for $name {
            #[inline(always)]
            fn run<T: Real>(($($argument),*): Self::Arguments<'_, T>) -> Self::Output {
                $body($($argument),*)
            }

            #[inline(never)]
            fn call(arguments: Self::Arguments<'_, f64>) -> Self::Output {
                armdyn_simd::call::<Self>(arguments)
            }

            #[inline(never)]
            fn call_fused(arguments: Self::Arguments<'_, armdyn_simd::Fused>) -> Self::Output {
                armdyn_simd::call_fused::<Self>(arguments)
            }
        }
    };
}
pub(crate) use algorithm;
