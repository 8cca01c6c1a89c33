//! The number types that a program is compiled for, and their register formats.

use crate::compiled::Buffers;
use armdyn_core::Real;
use armdyn_core::scalar::trig::{COSINE, LONG, MODERATE, ROUND, SHORT, SINE, SINGLE_COSINE, SINGLE_SINE};
use cranelift_codegen::ir::{Type, types};
use std::cell::RefCell;

/// A number type that a program can be compiled for: `f64` or `f32`.
pub trait Number: sealed::Sealed + Real + Into<f64> + Default + Send + Sync + 'static {}

impl Number for f64 {}
impl Number for f32 {}

pub(crate) mod sealed {
    use super::Buffers;

    pub trait Sealed: Sized {
        const FORMAT: super::Format;

        /// Calls a function with the memory of this thread.
        fn with_buffers<R>(f: impl FnOnce(&mut Buffers<Self>) -> R) -> R;

        /// The same arrays, if the type is `f64`.
        fn doubles<'a>(inputs: [&'a [Self]; 3], out: &'a mut [Self]) -> Option<([&'a [f64]; 3], &'a mut [f64])>;
    }
}

/// The layout of numbers in a 16-byte register, and the constants of the sine (see `native/trig.rs`).
pub struct Format {
    pub(crate) number: Type,
    pub(crate) vector: Type,
    /// The vector's bits as integers.
    pub(crate) integers: Type,
    /// Numbers per vector.
    pub(crate) lanes: usize,
    /// Bytes per number.
    pub(crate) bytes: usize,
    /// Maximum angle of the vector code.
    pub(crate) moderate: f64,
    /// Adding it rounds to an integer and puts that integer into the low bits.
    pub(crate) round: f64,
    /// π/2 in parts, for a fused multiply-add.
    pub(crate) long: &'static [f64],
    /// π/2 in parts so short that an integer times any but the last is exact.
    pub(crate) short: &'static [f64],
    /// S of sin r = r + r³·S(r²).
    pub(crate) sine: &'static [f64],
    /// C of cos r = 1 − r²/2 + r⁴·C(r²).
    pub(crate) cosine: &'static [f64],
}

impl Format {
    /// A constant's bits.
    pub(crate) fn bits(&self, x: f64) -> u64 {
        if self.bytes == 8 { x.to_bits() } else { (x as f32).to_bits().into() }
    }

    /// The sign bit.
    pub(crate) fn sign_bit(&self) -> u64 {
        1 << (8 * self.bytes - 1)
    }
}

impl sealed::Sealed for f64 {
    const FORMAT: Format = Format {
        number: types::F64,
        vector: types::F64X2,
        integers: types::I64X2,
        lanes: 2,
        bytes: 8,
        moderate: MODERATE,
        round: ROUND,
        long: &LONG,
        short: &SHORT,
        sine: &SINE,
        cosine: &COSINE,
    };

    fn with_buffers<R>(f: impl FnOnce(&mut Buffers<Self>) -> R) -> R {
        thread_local! {
            static BUFFERS: RefCell<Buffers<f64>> = const { RefCell::new(Buffers::new()) };
        }
        BUFFERS.with_borrow_mut(f)
    }

    fn doubles<'a>(inputs: [&'a [f64]; 3], out: &'a mut [f64]) -> Option<([&'a [f64]; 3], &'a mut [f64])> {
        Some((inputs, out))
    }
}

impl sealed::Sealed for f32 {
    /// Integers up to 2¹³, parts of π/2 with 11 bits. The first of the cosine's four coefficients is taken as −½ (error 3e-9).
    const FORMAT: Format = Format {
        number: types::F32,
        vector: types::F32X4,
        integers: types::I32X4,
        lanes: 4,
        bytes: 4,
        moderate: 8192.0,
        round: 12582912.0,
        long: &[1.5707963705062866, -4.371138828673793e-8, -1.7151245100058819e-15],
        short: &[1.5703125, 0.0004837512969970703, 7.549533620476723e-8, 2.5633440682570896e-12],
        sine: &SINGLE_SINE,
        cosine: SINGLE_COSINE.split_at(1).1,
    };

    fn with_buffers<R>(f: impl FnOnce(&mut Buffers<Self>) -> R) -> R {
        thread_local! {
            static BUFFERS: RefCell<Buffers<f32>> = const { RefCell::new(Buffers::new()) };
        }
        BUFFERS.with_borrow_mut(f)
    }

    fn doubles<'a>(_: [&'a [f32]; 3], _: &'a mut [f32]) -> Option<([&'a [f64]; 3], &'a mut [f64])> {
        None
    }
}
