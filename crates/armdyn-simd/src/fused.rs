//! An `f64` with a fused multiply-add.

/// An `f64` whose [`Fused::mul_add`] rounds once; fast only in functions compiled with FMA.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[repr(transparent)]
pub struct Fused(pub f64);

impl Fused {
    /// `self · a + b` with one rounding (without `std`: a product and a sum).
    #[inline(always)]
    #[must_use]
    pub fn mul_add(self, a: Self, b: Self) -> Self {
        #[cfg(feature = "std")]
        return Fused(self.0.mul_add(a.0, b.0));
        #[cfg(not(feature = "std"))]
        return self * a + b;
    }
}

crate::operators! { [] Fused, always,
    neg |a| Fused(-a.0),
    add |a, b| Fused(a.0 + b.0),
    sub |a, b| Fused(a.0 - b.0),
    mul |a, b| Fused(a.0 * b.0),
    div |a, b| Fused(a.0 / b.0),
}
