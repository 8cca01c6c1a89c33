//! What code is written for, and what this processor can run.

use crate::number::Format;
use armdyn_simd::Level;

/// What code is written for.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    /// AVX-512; otherwise AVX2 and FMA.
    pub(super) wide: bool,
    pub(super) format: &'static Format,
}

/// A target whose instructions this processor has, so that its code can be called.
#[derive(Clone, Copy)]
pub(crate) struct Host(Target);

impl Host {
    /// The widest instructions of this processor; `ARMDYN_SIMD=avx2` or `baseline` (none) lowers them. The error is the reason why
    /// there are none.
    pub(crate) fn new(format: &'static Format) -> Result<Self, String> {
        match armdyn_simd::host() {
            Level::Avx512 => Ok(Host(Target { wide: true, format })),
            Level::Avx2 => Ok(Host(Target { wide: false, format })),
            Level::Baseline if armdyn_simd::processor() > Level::Baseline => {
                Err("ARMDYN_SIMD is `baseline`".to_string())
            }
            Level::Baseline => Err("the processor has no AVX2 with FMA and BMI2".to_string()),
        }
    }

    /// All targets of this processor, whatever `ARMDYN_SIMD` says.
    #[cfg(test)]
    pub(crate) fn all(format: &'static Format) -> Vec<Self> {
        let levels = [Level::Avx512, Level::Avx2].into_iter().filter(|level| *level <= armdyn_simd::processor());
        levels.map(|level| Host(Target { wide: level == Level::Avx512, format })).collect()
    }

    pub(crate) fn target(self) -> Target {
        self.0
    }
}

impl Target {
    pub(super) fn single(self) -> bool {
        self.format.bytes == 4
    }

    pub(crate) fn format(self) -> &'static Format {
        self.format
    }

    /// Whether code is for AVX-512.
    pub(crate) fn is_wide(self) -> bool {
        self.wide
    }

    /// Bytes of a vector.
    pub(crate) fn bytes(self) -> usize {
        if self.wide { 64 } else { 32 }
    }

    /// States per block.
    pub(crate) fn lanes(self) -> usize {
        self.bytes() / self.format.bytes
    }

    pub(super) fn registers(self) -> usize {
        if self.wide { 32 } else { 16 }
    }

    /// Columns that are read or written together.
    pub(super) fn columns(self) -> usize {
        if self.single() || self.wide { 4 } else { 2 }
    }

    /// Bytes of one row in such columns.
    pub(super) fn part(self) -> u8 {
        (self.columns() * self.format.bytes) as u8
    }

    /// Numbers from row to row of an array with `n` columns: narrow arrays are padded.
    pub(crate) fn stride(self, n: usize) -> usize {
        if n == 0 { 0 } else { n.max(self.columns()) }
    }

    /// Where in the constants their register points: half of the offsets that fit in a byte are negative.
    pub(super) fn pool_middle(self) -> i32 {
        128 * if self.wide { self.format.bytes as i32 } else { 1 }
    }

    /// Offset in bytes of an element of an array with `n` columns.
    pub(super) fn offset(self, row: usize, n: usize, column: usize) -> i32 {
        ((row * self.stride(n) + column) * self.format.bytes) as i32
    }
}
