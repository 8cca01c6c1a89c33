//! Numbers that change with the time.

use armdyn::{Dual, Real};

/// A number with its first and second derivative by the time.
pub type Moving<S> = Dual<Dual<S, 1>, 1>;

/// That number.
pub fn moving<S: Real>(x: S, rate: S, acceleration: S) -> Moving<S> {
    let dual = |value: S, slope: S| Dual { value, grad: [slope] };
    Dual { value: dual(x, rate), grad: [dual(rate, acceleration)] }
}
