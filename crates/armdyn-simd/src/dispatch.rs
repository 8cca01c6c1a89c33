//! Detection of the processor, and the calls that need it: the only `unsafe` code of the algorithms.
#![allow(unsafe_code)]

use crate::{FUSED, Fused, Kernel};
use core::mem::{ManuallyDrop, transmute_copy};
use core::sync::atomic::{AtomicU8, Ordering};

/// A set of instructions that kernels are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// The instructions that the build assumes.
    Baseline = 1,
    /// AVX2, FMA, BMI2 (x86-64-v3).
    Avx2 = 2,
    /// AVX-512 F, VL, DQ, BW (x86-64-v4).
    Avx512 = 3,
}

/// The level that kernels run on: [`host`], detected once, or the baseline if the build assumes FMA.
#[inline(always)]
pub fn level() -> Level {
    static DETECTED: AtomicU8 = AtomicU8::new(0);
    if FUSED || cfg!(not(all(feature = "std", target_arch = "x86_64"))) {
        return Level::Baseline;
    }
    match DETECTED.load(Ordering::Relaxed) {
        1 => Level::Baseline,
        2 => Level::Avx2,
        3 => Level::Avx512,
        _ => {
            let level = host();
            DETECTED.store(level as u8, Ordering::Relaxed);
            level
        }
    }
}

/// The level of the processor, lowered by `ARMDYN_SIMD`, whatever instructions the build assumes.
pub fn host() -> Level {
    processor().min(limit())
}

/// The widest level of this processor.
pub fn processor() -> Level {
    #[cfg(all(feature = "std", target_arch = "x86_64"))]
    {
        use std::is_x86_feature_detected as has;
        if has!("avx2") && has!("fma") && has!("bmi2") {
            let avx512 = has!("avx512f") && has!("avx512vl") && has!("avx512dq") && has!("avx512bw");
            return if avx512 { Level::Avx512 } else { Level::Avx2 };
        }
    }
    Level::Baseline
}

/// The highest level that the environment allows: `ARMDYN_SIMD=baseline` or `avx2`, to compare code paths; other values are ignored.
fn limit() -> Level {
    #[cfg(feature = "std")]
    match std::env::var("ARMDYN_SIMD").as_deref() {
        Ok("baseline") => return Level::Baseline,
        Ok("avx2") => return Level::Avx2,
        _ => {}
    }
    Level::Avx512
}

/// Runs a kernel over `f64`, on the widest code path of this processor.
#[inline(always)]
pub fn call<K: Kernel>(arguments: K::Arguments<'_, f64>) -> K::Output {
    match level() {
        Level::Baseline => baseline::<K>(arguments),
        // SAFETY: see `reinterpret`.
        _ => call_fused::<K>(unsafe { reinterpret(arguments) }),
    }
}

/// The same for arguments that are [`Fused`] already: a kernel that another one calls.
#[inline(always)]
pub fn call_fused<K: Kernel>(arguments: K::Arguments<'_, Fused>) -> K::Output {
    match level() {
        // SAFETY: the processor has the instructions of the level that was detected.
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        Level::Avx512 => unsafe { avx512::<K>(arguments) },
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        Level::Avx2 => unsafe { avx2::<K>(arguments) },
        // SAFETY: see `reinterpret`.
        _ => baseline::<K>(unsafe { reinterpret(arguments) }),
    }
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx2,fma,bmi2,avx512f,avx512vl,avx512dq,avx512bw")]
fn avx512<K: Kernel>(arguments: K::Arguments<'_, Fused>) -> K::Output {
    K::fused(arguments)
}

#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[target_feature(enable = "avx2,fma,bmi2")]
fn avx2<K: Kernel>(arguments: K::Arguments<'_, Fused>) -> K::Output {
    K::fused(arguments)
}

#[inline(never)]
fn baseline<K: Kernel>(arguments: K::Arguments<'_, f64>) -> K::Output {
    K::baseline(arguments)
}

/// The arguments of a kernel over one scalar as those over the other.
///
/// # Safety
/// `A` and `B` are [`Kernel::Arguments`] of one kernel over `f64` and [`Fused`]: references to slices, models and workspaces.
///
/// - Slices: `Fused` is `repr(transparent)`, so that `[f64]` and `[Fused]` have the same layout.
/// - Models and workspaces are generic structs with `Vec`, `Option` and tuples of `T`. That their layouts agree is **not a promise
///   of the language**. It relies on rustc computing the layout of a type from the layouts of its fields alone, which are equal
///   here. (`repr(C)` on the structs would not help: the layouts of `Vec<T>`, `Option` and tuples are not promised either.)
///
/// Two checks guard it: [`assert_same_layout`] compares sizes and alignments at compile time, and `conformance/tests/dispatch.rs`
/// compares the results of all algorithms bit by bit. A build with FMA enabled, or without `std`, runs `f64` directly and needs
/// none of this.
#[inline(always)]
unsafe fn reinterpret<A, B>(arguments: A) -> B {
    // SAFETY: by the contract of this function.
    unsafe { transmute_copy(&ManuallyDrop::new(arguments)) }
}

/// Fails to compile unless both types, one over `f64` and one over [`Fused`], have the same size and alignment.
pub const fn assert_same_layout<A, B>() {
    assert!(size_of::<A>() == size_of::<B>() && align_of::<A>() == align_of::<B>());
}
