//! Run-time selection of code paths: one portable binary that uses FMA, AVX2 and AVX-512 where the processor has them.
//!
//! An algorithm over `f64` implements [`Kernel`]. [`call`] detects the processor once and then runs the kernel
//!
//! - over [`Fused`] in a function compiled for AVX-512 or for AVX2, both with FMA, or
//! - over `f64` in baseline code, where `a * b + c` is a product and a sum.
//!
//! [`Fused`] is an `f64` whose multiply-add is a single instruction. The second scalar is needed because generic code cannot
//! ask which instructions the function it is inlined into may use, and `f64::mul_add` without FMA is a slow library call.
//! For the same reason everything a kernel calls in its inner loops must be `#[inline(always)]`.
//!
//! A build that enables FMA at compile time (`-C target-cpu=native`), and every processor but x86-64, runs `f64` directly.
#![cfg_attr(not(feature = "std"), no_std)]

/// The operators of a number type from one expression each, and their assigning forms.
#[doc(hidden)]
#[macro_export]
macro_rules! operators {
    ($generics:tt $type:ty, $inline:ident, neg |$x:ident| $neg:expr, $($method:ident |$a:ident, $b:ident| $value:expr,)*) => {
        $crate::operators!(@neg $generics $type, |$x| $neg);
        $($crate::operators!(@$method $generics $type, $inline, |$a, $b| $value);)*
    };
    (@neg [$($generics:tt)*] $type:ty, |$x:ident| $value:expr) => {
        impl<$($generics)*> core::ops::Neg for $type {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                let $x = self;
                $value
            }
        }
    };
    (@add $($rest:tt)*) => { $crate::operators!(@binary Add add AddAssign add_assign $($rest)*); };
    (@sub $($rest:tt)*) => { $crate::operators!(@binary Sub sub SubAssign sub_assign $($rest)*); };
    (@mul $($rest:tt)*) => { $crate::operators!(@binary Mul mul MulAssign mul_assign $($rest)*); };
    (@div $($rest:tt)*) => { $crate::operators!(@binary Div div DivAssign div_assign $($rest)*); };
    (@binary $trait:ident $method:ident $assign:ident $assign_method:ident
     [$($generics:tt)*] $type:ty, $inline:ident, |$a:ident, $b:ident| $value:expr) => {
        impl<$($generics)*> core::ops::$trait for $type {
            type Output = Self;
            #[inline($inline)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                $value
            }
        }

        impl<$($generics)*> core::ops::$assign for $type {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                *self = core::ops::$trait::$method(*self, other);
            }
        }
    };
}

mod dispatch;
mod fused;

pub use dispatch::{Level, assert_same_layout, call, call_fused, host, level, processor};
pub use fused::Fused;

/// Whether `f64` multiply-add is one instruction everywhere in this build.
pub const FUSED: bool = cfg!(all(feature = "std", any(target_feature = "fma", target_arch = "aarch64")));

/// An algorithm that can be run over `f64` and over [`Fused`].
///
/// `Arguments` is generic over an unconstrained `T`, so that it is the same type constructor for both scalars.
pub trait Kernel {
    /// What the algorithm takes: references to models, workspaces and slices of `T`.
    type Arguments<'a, T: 'a>;
    /// What it returns.
    type Output;

    /// Baseline. Mark it `#[inline(always)]`.
    fn baseline(arguments: Self::Arguments<'_, f64>) -> Self::Output;

    /// The same algorithm over [`Fused`]. Mark it `#[inline(always)]`.
    fn fused(arguments: Self::Arguments<'_, Fused>) -> Self::Output;
}
