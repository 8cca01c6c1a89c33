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

/// Declares the public function of an algorithm: `name = body(Workspace; inputs; outputs)`, where `body` is written once over
/// [`Real`] and takes the model, the workspace and slices. (The references reach `body` as parameters of its own, which tells
/// the compiler that they do not overlap.)
macro_rules! algorithm {
    ($(#[$doc:meta])* $name:ident = $body:ident($data:ident; $($input:ident),+; $($output:ident),+)) => {
        $(#[$doc])*
        #[inline]
        pub fn $name<T: Real>(m: &Model<T>, d: &mut $data<T>, $($input: &[T],)+ $($output: &mut [T]),+) -> Result<()> {
            struct Run;

            impl armdyn_simd::Kernel for Run {
                type Arguments<'a, T: 'a> = (
                    &'a Model<T>, &'a mut $data<T>, $(algorithm!(@ $input &'a [T]),)+ $(algorithm!(@ $output &'a mut [T])),+
                );
                type Output = Result<()>;

                #[inline(always)]
                fn baseline((m, d, $($input,)+ $($output),+): Self::Arguments<'_, f64>) -> Self::Output {
                    $body(m, d, $($input,)+ $($output),+)
                }

                #[inline(always)]
                fn fused((m, d, $($input,)+ $($output),+): Self::Arguments<'_, armdyn_simd::Fused>) -> Self::Output {
                    $body(m, d, $($input,)+ $($output),+)
                }
            }

            impl crate::scalar::Algorithm for Run {
                #[inline(always)]
                fn run<T: Real>((m, d, $($input,)+ $($output),+): Self::Arguments<'_, T>) -> Self::Output {
                    $body(m, d, $($input,)+ $($output),+)
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

            const {
                armdyn_simd::assert_same_layout::<Model<f64>, Model<armdyn_simd::Fused>>();
                armdyn_simd::assert_same_layout::<$data<f64>, $data<armdyn_simd::Fused>>();
            }
            T::run::<Run>((m, d, $($input,)+ $($output),+))
        }
    };
    (@ $argument:ident $type:ty) => { $type };
}
pub(crate) use algorithm;
