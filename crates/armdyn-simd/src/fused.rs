//! An `f64` with a fused multiply-add.

use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

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

macro_rules! operators {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident),*) => {$(
        impl $trait for Fused {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Fused(self.0.$method(other.0))
            }
        }
        impl $assign for Fused {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                self.0.$assign_method(other.0);
            }
        }
    )*};
}
operators!(Add add AddAssign add_assign, Sub sub SubAssign sub_assign, Mul mul MulAssign mul_assign);

impl Div for Fused {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Fused(self.0 / other.0)
    }
}

impl Neg for Fused {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Fused(-self.0)
    }
}
