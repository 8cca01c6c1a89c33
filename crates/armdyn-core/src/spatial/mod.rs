//! Spatial algebra: the types of the domain.

/// Sum, difference, negative and multiple of a type, part by part.
macro_rules! componentwise {
    ($type:ident { $($part:ident),+ }) => {
        impl<T: Real> core::ops::Add for $type<T> {
            type Output = Self;
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                $type { $($part: self.$part + b.$part),+ }
            }
        }

        impl<T: Real> core::ops::Sub for $type<T> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                $type { $($part: self.$part - b.$part),+ }
            }
        }

        impl<T: Real> core::ops::Neg for $type<T> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                $type { $($part: -self.$part),+ }
            }
        }

        impl<T: Real> core::ops::Mul<T> for $type<T> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, s: T) -> Self {
                $type { $($part: self.$part * s),+ }
            }
        }

        impl<T: Real> core::ops::AddAssign for $type<T> {
            #[inline(always)]
            fn add_assign(&mut self, b: Self) {
                *self = *self + b;
            }
        }

        impl<T: Real> core::ops::SubAssign for $type<T> {
            #[inline(always)]
            fn sub_assign(&mut self, b: Self) {
                *self = *self - b;
            }
        }
    };
}

mod force;
mod inertia;
mod mat4;
mod motion;
mod rotation;
mod sym3;
mod transform;
mod vec3;

pub use force::Force;
pub use inertia::Inertia;
pub use mat4::Mat4;
pub use motion::Motion;
pub use rotation::Rotation;
pub(crate) use rotation::rotation_between;
pub use sym3::Sym3;
pub use transform::Transform;
pub use vec3::{Vec3, vec3};
