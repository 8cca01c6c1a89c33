//! Numbers: the trait [`Real`] and the types that implement it.

mod dual;
mod float;
mod interval;
mod kernel;
mod lanes;
mod real;
#[cfg(test)]
mod reference;
pub mod trig;

pub use dual::Dual;
pub use interval::Interval;
pub use kernel::Algorithm;
pub(crate) use kernel::algorithm;
pub use lanes::Lanes;
pub use real::Real;

/// `+=`, `-=`, `*=` from `+`, `-`, `*`.
macro_rules! assign_operators {
    ([$($generics:tt)*] $type:ty) => {
        assign_operators!(@ [$($generics)*] $type, AddAssign add_assign +);
        assign_operators!(@ [$($generics)*] $type, SubAssign sub_assign -);
        assign_operators!(@ [$($generics)*] $type, MulAssign mul_assign *);
    };
    (@ [$($generics:tt)*] $type:ty, $trait:ident $method:ident $operator:tt) => {
        impl<$($generics)*> core::ops::$trait for $type {
            #[inline(always)]
            fn $method(&mut self, other: Self) {
                *self = *self $operator other;
            }
        }
    };
}
use assign_operators;
